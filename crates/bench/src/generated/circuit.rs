//! Generated circuits: a network of any number of multiplications, and private values in front of it.

use crate::args::{GATES, Typed, size};
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

/// "I know so many values with this sum", and what a network states.
pub struct Generated<N, F> {
    inputs: u64,
    sum: F,
    network: N,
}

/// Networks over `F` that any witness satisfies.
pub trait Satisfied<F> {
    /// The multiplications.
    fn gates(&self) -> u64;
    /// The lanes, where it is in lanes.
    fn lanes(&self) -> Option<u64> {
        None
    }
    /// The statement's name for its parties.
    fn digest(&self) -> [u8; 32];
    /// The length of a witness.
    fn width(&self) -> usize;
    /// Any, made up from `seed`.
    fn witness(&self, seed: [u8; 32]) -> Vec<F>;
}

/// One network of a chosen size.
pub trait Chosen<F>: Satisfied<F> + Sized {
    /// A network of so many multiplications.
    ///
    /// # Errors
    /// `Invalid` where there are none, or too many.
    fn new(gates: u64) -> volery::Result<Self>;

    /// The network on a state of few wires, a power of two from 4 to 512.
    fn narrow(self, wires: u64) -> Self;
}

impl Chosen<F2> for Network {
    fn new(gates: u64) -> volery::Result<Self> {
        Self::new(gates)
    }
    fn narrow(self, wires: u64) -> Self {
        self.narrow(wires)
    }
}

impl<F: Field> Chosen<F> for Arithmetic<F> {
    fn new(gates: u64) -> volery::Result<Self> {
        Self::new(gates)
    }
    fn narrow(self, wires: u64) -> Self {
        self.narrow(wires)
    }
}

impl Satisfied<F2> for Network {
    fn gates(&self) -> u64 {
        self.gates()
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
    fn gates(&self) -> u64 {
        self.multiplications()
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

impl<F: Field, N: Satisfied<F>> Generated<N, F> {
    /// The circuit by --gates and --inputs, with the network that `network` makes of so many gates.
    pub(super) fn asked(typed: &Typed, network: impl FnOnce(u64) -> Result<N>) -> Result<Self> {
        let inputs = size("--inputs", typed.inputs.as_deref(), 0)?;
        if inputs > MOST_INPUTS {
            return Err(Failure::usage(format_args!("--inputs: {inputs}: choose from 0 to {MOST_INPUTS}")));
        }
        let gates = size("--gates", typed.gates.as_deref(), if inputs > 0 { FEW } else { GATES })?;
        Ok(Self::new(inputs, network(gates)?))
    }

    /// A circuit of so many values, and a network.
    pub fn new(inputs: u64, network: N) -> Self {
        Self { inputs, sum: (0..inputs).map(value).sum(), network }
    }

    /// The statement's name for its parties.
    pub fn digest(&self) -> [u8; 32] {
        if self.inputs == 0 {
            return self.network.digest();
        }
        let hasher = Sha256::new_with_prefix("volery bench inputs").chain_update(self.inputs.to_le_bytes());
        let hasher = hasher.chain_update(&self.sum.to_integer().to_bytes()[..F::DIGESTED]);
        hasher.chain_update(self.network.digest()).finalize().into()
    }

    /// The size of the circuit, without a count.
    pub fn size(&self) -> Size {
        let inputs = self.inputs + self.network.width() as u64;
        Size { inputs, ..Size::gates(inputs + self.network.gates()) }
    }

    /// The values, which are no secret, and anything for the network.
    ///
    /// # Errors
    /// Where the system has no randomness.
    pub fn witness(&self) -> Result<impl Iterator<Item = F> + Clone + Send + use<N, F>> {
        let rest = self.network.witness(Random::from_system()?.bytes());
        Ok((0..self.inputs).map(value).chain(rest))
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

impl<S: Named, N: Satisfied<S::F>> AnyGenerated for Proved<S, N>
where
    Generated<N, S::F>: Provable<S> + Sync,
{
    fn inputs(&self) -> u64 {
        self.circuit.inputs
    }
    fn lanes(&self) -> Option<u64> {
        self.circuit.network.lanes()
    }
    fn gates(&self) -> u64 {
        self.circuit.network.gates()
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
        let (circuit, gates) = (&self.circuit, self.circuit.network.gates());
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
        self.network.run(b)
    }
}
