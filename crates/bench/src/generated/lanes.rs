//! Networks in lanes that do not depend on each other: one function, which a system may walk many at a time.

use super::circuit::{Chosen, Satisfied};
use crate::args::of_gates;
use core::iter;
use sha2::{Digest, Sha256};
use volery::circuit::{Backend, Circuit, Returned};
use volery_cli::failure::{Failure, Result};

/// The most lanes.
const MOST: u64 = 1 << 16;

/// The most gates of a lane, which are held as one list: what is longer is so many maps, one after the other.
const LONGEST: u64 = 1 << 15;

/// The wires of a lane: those of 64 lanes, and as many to compare them with, stay in a second-level cache, and
/// reading them is little beside the gates.
const WIRES: u64 = 128;

/// The network of a lane, and how often it stands; or one network alone.
pub struct Lanes<N> {
    of_one: N,
    /// The lanes, if it is not alone.
    lanes: Option<u64>,
    /// Maps, one after the other.
    rounds: u64,
    /// The network of the gates that are left over, which are fewer than there are lanes in all rounds.
    rest: Option<N>,
}

impl<N> Lanes<N> {
    /// One network of so many gates, in no lanes.
    ///
    /// # Errors
    /// Misuse, where there are no gates, or too many.
    pub fn alone<F>(gates: u64) -> Result<Self>
    where
        N: Chosen<F>,
    {
        Ok(Self { of_one: N::new(gates).map_err(of_gates)?, lanes: None, rounds: 1, rest: None })
    }

    /// Lanes that have so many gates together.
    ///
    /// # Errors
    /// Misuse, where there are no gates, or not one for each lane, or too many of either.
    pub fn new<F>(gates: u64, lanes: u64) -> Result<Self>
    where
        N: Chosen<F>,
    {
        N::new(gates).map_err(of_gates)?;
        if lanes == 0 || lanes > MOST {
            return Err(Failure::usage(format_args!("--lanes: {lanes}: choose from 1 to {MOST}")));
        }
        if lanes > gates {
            return Err(Failure::usage(format_args!(
                "--lanes: {lanes} lanes of {gates} gates: each has one at least: take fewer, or more --gates"
            )));
        }
        let network = |gates| N::new(gates).map(|network| network.narrow(WIRES)).map_err(of_gates);
        let rounds = (gates / lanes).div_ceil(LONGEST);
        let rest = Some(gates % (lanes * rounds)).filter(|rest| *rest > 0).map(network).transpose()?;
        Ok(Self { of_one: network(gates / (lanes * rounds))?, lanes: Some(lanes), rounds, rest })
    }

    /// How often the network stands.
    fn times(&self) -> u64 {
        self.lanes.unwrap_or(1) * self.rounds
    }

    /// The networks in the order in which they read the witness.
    fn networks(&self) -> impl Iterator<Item = &N> {
        iter::repeat_n(&self.of_one, self.times() as usize).chain(&self.rest)
    }
}

impl<F, N: Satisfied<F>> Satisfied<F> for Lanes<N> {
    fn gates(&self) -> u64 {
        self.times() * self.of_one.gates() + self.rest.as_ref().map_or(0, N::gates)
    }
    fn lanes(&self) -> Option<u64> {
        self.lanes
    }
    fn digest(&self) -> [u8; 32] {
        let Some(lanes) = self.lanes else { return self.of_one.digest() };
        let mut hasher = Sha256::new_with_prefix("volery bench lanes");
        [lanes, self.rounds].iter().for_each(|number| hasher.update(number.to_le_bytes()));
        iter::once(&self.of_one).chain(&self.rest).for_each(|network| hasher.update(network.digest()));
        hasher.finalize().into()
    }
    fn width(&self) -> usize {
        self.networks().map(N::width).sum()
    }
    fn witness(&self, mut seed: [u8; 32]) -> Vec<F> {
        if self.lanes.is_none() {
            return self.of_one.witness(seed);
        }
        let mut witness = Vec::with_capacity(self.width());
        for (number, network) in (0_u64..).zip(self.networks()) {
            seed[..8].copy_from_slice(&number.to_le_bytes());
            witness.extend(network.witness(seed));
        }
        witness
    }
}

impl<B: Backend, N: Circuit<B>> Circuit<B> for Lanes<N> {
    fn run(&self, b: &mut B) -> volery::Result<()> {
        let Some(lanes) = self.lanes else { return self.of_one.run(b) };
        for _ in 0..self.rounds {
            b.map(b"lane of a network", lanes as usize, &[], |b, _, _| {
                self.of_one.run(b).map(|()| Returned::default())
            })?;
        }
        self.rest.iter().try_for_each(|rest| rest.run(b))
    }
}
