//! Settings of sessions: a field, the extension of its MACs, and all that follows from the two.

use super::any::WithBits;
use super::correlations::Correlations;
use super::facts::SettingFacts;
use super::quicksilver::QuicksilverOver;
use super::statement::{check_shards, check_stream};
use super::{ProofSystem, Stream};
use crate::channel::Channel;
use crate::circuit::stream::{ShardSource, Source, Stream as StreamOfGates};
use crate::circuit::{Count, Program, Shape};
use crate::error::Result;
use crate::random::Random;
use crate::vole::{BoxedVole, Share, Shares};
use crate::zk::Values;
use crate::zk::limbo::Domain;
use crate::zk::quicksilver::Committed;
use crate::zk::quicksilver::crossing::{Ends, Outgoing};
use core::any::Any;
use volery_primitives::{Arch, Field, Tagged};
use zeroize::Zeroizing;

/// A field with the MACs on its values: [`Binary`](super::Binary), or [`Over`](super::Over) any other.
pub trait Setting: Sized + 'static {
    /// The field of the wires' values.
    type F: Field;
    /// The public programs that are named or read from files.
    type Program: Program<F = Self::F>;
    /// How parties in the prover's head hold values: see [`crate::zk::limbo`].
    type Parties: Domain<F = Self::F>;
    /// The verifier's global key.
    type Delta;
    /// The prover's share of a value.
    type Mac: Share + 'static;
    /// The verifier's.
    type Key: Share + 'static;
    /// How both hold values: see [`Macs`](crate::zk::Macs).
    type Macs: Committed<F = Self::F, Mac = Self::Mac, Key = Self::Key, Delta = Self::Delta>;

    /// The statements by name over it and F_2 together, where there are any.
    fn with_bits() -> Option<&'static dyn WithBits> {
        None
    }

    /// The systems and functions that are compiled for it.
    fn compiled() -> &'static dyn Compiled<Self>;

    /// Whether QuickSilver runs a copy of each Rust statement that is compiled for it alone, which is fast
    /// and takes long to compile, and not its stream of gates.
    const MONOMORPHIC: bool;

    /// What is known of it without its types.
    fn facts() -> &'static dyn SettingFacts;

    /// The [name](SettingFacts::name).
    fn name() -> String {
        Self::facts().name()
    }

    /// A fresh global key.
    fn delta(random: &mut Random) -> Self::Delta;

    /// The bytes that store it.
    const DELTA_BYTES: usize = 16;

    /// The [`Setting::DELTA_BYTES`] that store a global key.
    fn store_delta(delta: &Self::Delta) -> Zeroizing<Vec<u8>>;

    /// The global key that these bytes store, if they store any.
    fn load_delta(bytes: &[u8]) -> Option<Self::Delta>;

    /// Whether `keys` belong to `macs` under `delta`, share by share. For whoever holds both ends,
    /// in benches and tests.
    fn relates(delta: &Self::Delta, macs: &Shares<Self::Mac>, keys: &Shares<Self::Key>) -> bool;
}

/// The systems and functions that are compiled for `S` in this crate, once, whoever uses it.
pub trait Compiled<S: Setting>: Sync {
    /// The proof systems over it.
    fn systems(&self) -> &'static [&'static dyn ProofSystem<S::F>];

    /// QuickSilver, with what it alone has.
    fn quicksilver(&self) -> &'static dyn QuicksilverOver<S>;

    /// Checks a statement in the clear: see [`check`](crate::check).
    ///
    /// # Errors
    /// As for [`check`](crate::check).
    fn check(&self, source: &dyn Source<S::F>, witness: Stream<'_, S::F>) -> Result<()> {
        check_stream(&StreamOfGates::new(source), witness)
    }

    /// Checks all shards in the clear, one after the other, of each of which `witness` gives the witness: no
    /// more than that of one, and the wires that cross, is there at a time.
    ///
    /// # Errors
    /// As for [`check`](crate::check).
    fn check_shards<'w>(
        &self,
        shards: &dyn ShardSource<S::F>,
        witness: &dyn Fn(usize) -> Stream<'w, S::F>,
    ) -> Result<()> {
        check_shards(shards, witness)
    }

    /// Counts the gates: see [`Shape::without_depth`].
    ///
    /// # Errors
    /// `Invalid` where the statement is malformed.
    fn count(&self, source: &dyn Source<S::F>) -> Result<Shape> {
        Shape::without_depth(source)
    }

    /// Counts the gates, and digests them: see [`Count::fingerprint`].
    ///
    /// # Errors
    /// `Invalid` where the statement is malformed.
    fn fingerprint(&self, source: &dyn Source<S::F>) -> Result<(Shape, [u8; 32])> {
        Count::fingerprint(&StreamOfGates::new(source))
    }

    /// The prover's end of `correlations`, set up.
    ///
    /// # Errors
    /// `Misbehaved`, or those of the link.
    fn prover_end(
        &self,
        correlations: Correlations,
        channel: &mut Channel,
        arch: Arch,
        random: &mut Random,
    ) -> Result<BoxedVole<S::Mac>>;

    /// The verifier's end, set up under `delta`.
    ///
    /// # Errors
    /// `Misbehaved`, or those of the link.
    fn verifier_end(
        &self,
        correlations: Correlations,
        channel: &mut Channel,
        arch: Arch,
        delta: &S::Delta,
        random: &mut Random,
    ) -> Result<BoxedVole<S::Key>>;
}

/// The ends of wires that cross between shards over `S`, as a prover holds them.
pub type ProverEnds<S> = Ends<<MacsOf<S> as Values>::Tag, Tagged<ExtensionOf<S>, ExtensionOf<S>>>;

/// The ends of wires that cross between shards over `S`, as a verifier holds them.
pub type VerifierEnds<S> = Ends<ExtensionOf<S>, ExtensionOf<S>>;

type MacsOf<S> = <S as Setting>::Macs;
type ExtensionOf<S> = <MacsOf<S> as Values>::E;

/// A shard on its way through a prover or a verifier.
pub struct Passing<E> {
    /// The wires that come in.
    pub incoming: E,
    /// How much goes out.
    pub outgoing: Outgoing,
    /// The number of the attempt.
    pub attempt: u32,
}

/// A setting for which this library compiles its proof systems, once and for all.
pub trait Registered {
    /// Whether QuickSilver runs a copy of each Rust statement: see [`Setting::MONOMORPHIC`].
    const MONOMORPHIC: bool;

    /// The statements by name over it and F_2 together: see [`Setting::with_bits`].
    fn with_bits() -> Option<&'static dyn WithBits> {
        None
    }

    /// Its [facts](Setting::facts).
    fn registered_facts() -> &'static dyn SettingFacts;

    /// All that is compiled for it. The compiler could not see through a bound that says so: it would have to
    /// know the setting before its systems.
    fn registered() -> &'static (dyn Any + Sync);
}
