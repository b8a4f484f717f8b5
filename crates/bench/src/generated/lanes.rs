//! A network in lanes that do not depend on each other: one function, which a system may walk many at a time.

use super::circuit::Satisfied;
use crate::args::of_gates;
use core::iter;
use sha2::{Digest, Sha256};
use volery::circuit::{Backend, Circuit, Returned};
use volery_cli::failure::{Failure, Result};

/// The most lanes.
const MOST: u64 = 1 << 20;

/// The most gates of a lane, which are held as one list: what is longer is so many maps, one after the other.
const LONGEST: u64 = 1 << 15;

/// The network of a lane, and how often it stands.
pub(super) struct Lanes<N> {
    of_one: N,
    lanes: u64,
    /// Maps, one after the other.
    rounds: u64,
    /// The network of the gates that are left over, which are fewer than there are lanes in all rounds.
    rest: Option<N>,
}

impl<N> Lanes<N> {
    /// Lanes that have so many gates together.
    ///
    /// # Errors
    /// Misuse, where there are no gates, or not one for each lane, or too many of either.
    pub(super) fn new<F>(gates: u64, lanes: u64) -> Result<Self>
    where
        N: Satisfied<F>,
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
        let rounds = (gates / lanes).div_ceil(LONGEST);
        let (each, left) = (gates / (lanes * rounds), gates % (lanes * rounds));
        let of_one = N::lane(each).map_err(of_gates)?;
        let rest = (left > 0).then(|| N::lane(left)).transpose().map_err(of_gates)?;
        Ok(Self { of_one, lanes, rounds, rest })
    }

    pub(super) fn lanes(&self) -> u64 {
        self.lanes
    }

    /// The networks in the order in which they read the witness.
    pub(super) fn networks(&self) -> impl Iterator<Item = &N> + Clone {
        iter::repeat_n(&self.of_one, (self.lanes * self.rounds) as usize).chain(&self.rest)
    }

    /// The statement's name for its parties.
    pub(super) fn digest<F>(&self) -> [u8; 32]
    where
        N: Satisfied<F>,
    {
        let mut hasher = Sha256::new_with_prefix("volery bench lanes");
        for number in [self.lanes, self.rounds] {
            hasher.update(number.to_le_bytes());
        }
        iter::once(&self.of_one).chain(&self.rest).for_each(|network| hasher.update(network.digest()));
        hasher.finalize().into()
    }
}

impl<B: Backend, N: Circuit<B>> Circuit<B> for Lanes<N> {
    fn run(&self, b: &mut B) -> volery::Result<()> {
        for _ in 0..self.rounds {
            b.map(b"lane of a network", self.lanes as usize, &[], |b, _, _| {
                self.of_one.run(b).map(|()| Returned::default())
            })?;
        }
        self.rest.iter().try_for_each(|rest| rest.run(b))
    }
}
