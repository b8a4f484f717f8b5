//! Generated circuits: a network of any number of multiplications, or several, and private values in front.

use super::lanes::Lanes;
use crate::args::{GATES, Typed, number, of_gates, size};
use crate::plan::Plan;
use core::marker::PhantomData;
use serde_json::json;
use sha2::{Digest, Sha256};
use volery::circuit::{Arithmetic, Network, Size};
use volery::random::Random;
use volery::{Backend, Circuit, F2, Field, Named, Options, Provable};
use volery_cli::failure::{Failure, Result};
use volery_cli::report::Outcome;

/// Multiplications where values stand before them and no number is given.
const FEW: u64 = 1000;

/// The most values before the gates.
const MOST_INPUTS: u64 = 1 << 40;

/// "I know so many values with this sum", and what networks state.
pub struct Generated<N, F> {
    inputs: u64,
    sum: F,
    gates: u64,
    networks: Networks<N>,
}

/// The networks that have all multiplications.
enum Networks<N> {
    One(N),
    Lanes(Lanes<N>),
}

/// A network over `F` that any witness satisfies.
pub trait Satisfied<F>: Sized {
    /// A network of so many multiplications.
    ///
    /// # Errors
    /// `Invalid` where there are none, or too many.
    fn new(gates: u64) -> volery::Result<Self>;
    /// A network that is one of many: on few wires, where it can be.
    ///
    /// # Errors
    /// As for [`Satisfied::new`].
    fn lane(gates: u64) -> volery::Result<Self> {
        Self::new(gates)
    }
    /// The statement's name for its parties.
    fn digest(&self) -> [u8; 32];
    /// The length of a witness.
    fn width(&self) -> usize;
    /// Any, made up from `seed`.
    fn witness(&self, seed: [u8; 32]) -> Vec<F>;
}

/// The wires of a lane: those of 64 lanes, and as many to compare them with, stay in a second-level cache, and
/// reading them is little beside the gates.
const LANE: u64 = 128;

impl Satisfied<F2> for Network {
    fn new(gates: u64) -> volery::Result<Self> {
        Self::new(gates)
    }
    fn lane(gates: u64) -> volery::Result<Self> {
        Ok(Self::new(gates)?.narrow(LANE))
    }
    fn digest(&self) -> [u8; 32] {
        self.digest()
    }
    fn width(&self) -> usize {
        self.width()
    }
    fn witness(&self, seed: [u8; 32]) -> Vec<F2> {
        self.witness(seed).collect()
    }
}

impl<F: Field> Satisfied<F> for Arithmetic<F> {
    fn new(gates: u64) -> volery::Result<Self> {
        Self::new(gates)
    }
    fn digest(&self) -> [u8; 32] {
        self.digest()
    }
    fn width(&self) -> usize {
        self.width()
    }
    fn witness(&self, seed: [u8; 32]) -> Vec<F> {
        self.witness(seed).collect()
    }
}

impl<F: Field, N: Satisfied<F> + Sync> Generated<N, F> {
    /// The circuit by --gates, --inputs and --lanes.
    pub(super) fn asked(typed: &Typed) -> Result<Self> {
        let inputs = size("--inputs", typed.inputs.as_deref(), 0)?;
        if inputs > MOST_INPUTS {
            return Err(Failure::usage(format_args!("--inputs: {inputs}: choose from 0 to {MOST_INPUTS}")));
        }
        let gates = size("--gates", typed.gates.as_deref(), if inputs > 0 { FEW } else { GATES })?;
        let lanes = typed.lanes.as_deref().map(|text| number("--lanes", text)).transpose()?;
        Self::new(inputs, gates, lanes)
    }

    /// A circuit of so many values, and of so many gates in one network, or in lanes.
    ///
    /// # Errors
    /// Misuse, where there are no gates, or not one for each lane, or too many of either.
    pub fn new(inputs: u64, gates: u64, lanes: Option<u64>) -> Result<Self> {
        let networks = match lanes {
            None => Networks::One(N::new(gates).map_err(of_gates)?),
            Some(lanes) => Networks::Lanes(Lanes::new(gates, lanes)?),
        };
        Ok(Self { inputs, sum: (0..inputs).map(value).sum(), gates, networks })
    }

    /// The statement's name for its parties.
    pub fn digest(&self) -> [u8; 32] {
        let digest = match &self.networks {
            Networks::One(network) => network.digest(),
            Networks::Lanes(lanes) => lanes.digest(),
        };
        if self.inputs == 0 {
            return digest;
        }
        let hasher = Sha256::new_with_prefix("volery bench inputs").chain_update(self.inputs.to_le_bytes());
        let hasher = hasher.chain_update(&self.sum.to_integer().to_bytes()[..F::DIGESTED]);
        hasher.chain_update(digest).finalize().into()
    }

    /// The size of the circuit, without a count.
    pub fn size(&self) -> Size {
        let inputs = self.inputs + self.networks.each().map(|network| network.width() as u64).sum::<u64>();
        Size { inputs, ..Size::gates(inputs + self.gates) }
    }

    /// The values, which are no secret, and anything for the networks.
    ///
    /// # Errors
    /// Where the system has no randomness.
    pub fn witness(&self) -> Result<impl Iterator<Item = F> + Clone + Send> {
        let seed: [u8; 32] = Random::from_system()?.bytes();
        let rest = self.networks.each().zip(0_u64..).flat_map(move |(network, number)| {
            let mut seed = seed;
            seed.iter_mut().zip(number.to_le_bytes()).for_each(|(byte, of_number)| *byte ^= of_number);
            network.witness(seed)
        });
        Ok((0..self.inputs).map(value).chain(rest))
    }
}

impl<N> Networks<N> {
    /// The networks in the order in which they read the witness.
    fn each(&self) -> impl Iterator<Item = &N> + Clone {
        let (one, lanes) = match self {
            Self::One(network) => (Some(network), None),
            Self::Lanes(lanes) => (None, Some(lanes.networks())),
        };
        one.into_iter().chain(lanes.into_iter().flatten())
    }
}

/// A generated circuit over some setting, by whose name benches go.
pub(super) trait AnyGenerated {
    /// The values before the gates.
    fn inputs(&self) -> u64;
    /// The lanes, where it is in lanes.
    fn lanes(&self) -> Option<u64>;
    /// The multiplications.
    fn gates(&self) -> u64;
    /// The bits of an element, and the bytes of its encoding.
    fn element(&self) -> Element;
    /// The digest of the circuit: see [`Generated::digest`].
    fn digest(&self) -> [u8; 32];
    /// The size of the circuit: see [`Generated::size`].
    fn size(&self) -> Size;

    /// Proves it by any witness, as often as the plan says.
    ///
    /// # Errors
    /// Those of either party, and of the link.
    fn prove(&self, plan: &Plan, options: &Options) -> Result<Outcome>;

    /// `outcome` with all that was asked for.
    fn described(&self, mut outcome: Outcome) -> Outcome {
        if let Some((_, parameters)) = &mut outcome.bench {
            parameters["inputs"] = json!(self.inputs());
            if let Some(lanes) = self.lanes() {
                parameters["lanes"] = json!(lanes);
            }
        }
        outcome
    }
}

/// The length of an element.
#[derive(Clone, Copy)]
pub(super) struct Element {
    pub(super) bits: u32,
    pub(super) bytes: usize,
}

/// A generated circuit, and the setting over which it is proved.
pub(super) struct Proved<S: Named, N> {
    pub(super) circuit: Generated<N, S::F>,
    pub(super) over: PhantomData<S>,
}

impl<S: Named, N: Satisfied<S::F> + Sync> AnyGenerated for Proved<S, N>
where
    Generated<N, S::F>: Provable<S> + Sync,
{
    fn inputs(&self) -> u64 {
        self.circuit.inputs
    }
    fn lanes(&self) -> Option<u64> {
        match &self.circuit.networks {
            Networks::One(_) => None,
            Networks::Lanes(lanes) => Some(lanes.lanes()),
        }
    }
    fn gates(&self) -> u64 {
        self.circuit.gates
    }
    fn element(&self) -> Element {
        Element { bits: S::F::BITS, bytes: S::F::BYTES }
    }
    fn digest(&self) -> [u8; 32] {
        self.circuit.digest()
    }
    fn size(&self) -> Size {
        self.circuit.size()
    }
    fn prove(&self, plan: &Plan, options: &Options) -> Result<Outcome> {
        let (circuit, gates) = (&self.circuit, self.circuit.gates);
        plan.prove::<S, _>(("gates", gates), circuit, circuit.witness()?, gates, options)
    }
}

/// The value at `place`.
fn value<F: Field>(place: u64) -> F {
    let word = (place + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    F::sample(&[word ^ word >> 32; 4])
}

impl<B: Backend, N: Circuit<B>> Circuit<B> for Generated<N, B::F> {
    fn run(&self, b: &mut B) -> volery::Result<()> {
        if self.inputs > 0 {
            let mut difference = b.constant(-self.sum);
            for _ in 0..self.inputs {
                let value = b.witness()?;
                difference = b.add(difference, value);
            }
            b.assert_zero(difference, "the sum")?;
        }
        match &self.networks {
            Networks::One(network) => network.run(b),
            Networks::Lanes(lanes) => lanes.run(b),
        }
    }
}
