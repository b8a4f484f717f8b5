//! Settings of sessions: a field, the extension of its MACs, and all that follows from the two.

use crate::clear::InTheClear;
use crate::correlations::Correlations;
use crate::facts::SettingFacts;
use core::any::Any;
use volery_channel::channel::Channel;
use volery_channel::error::Result;
use volery_channel::random::Random;
use volery_primitives::{Arch, Field};
use volery_vole::macs::Macs;
use volery_vole::vole::{BoxedVole, Share, Shares};
use zeroize::Zeroizing;

/// A field with the MACs on its values: [`Binary`](super::Binary), or [`Over`](super::Over) any other.
pub trait Setting: Sized + 'static {
    /// The field of the wires' values.
    type F: Field;
    /// The verifier's global key.
    type Delta;
    /// The prover's share of a value.
    type Mac: Share + 'static;
    /// The verifier's.
    type Key: Share + 'static;
    /// How both hold values: see [`Macs`].
    type Macs: Macs<F = Self::F, Mac = Self::Mac, Key = Self::Key, Delta = Self::Delta>;

    /// Statements over its field, without a proof.
    fn clear() -> &'static dyn InTheClear<Self::F>;

    /// The ends of the setting's correlations, for either party.
    fn ends() -> &'static dyn Ends<Self>;

    /// The facts of the setting that need none of its types.
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

/// The ends of a setting's correlations, for either party.
///
/// # Panics
/// Its methods do where they are given correlations of another setting: names go through [`SettingFacts::named`]
/// first.
pub trait Ends<S: Setting>: Sync {
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

/// A setting for which both ends of correlations are compiled here, once and for all.
pub trait Registered {
    /// The setting's [facts](Setting::facts).
    fn registered_facts() -> &'static dyn SettingFacts;

    /// The setting's evaluations [in the clear](Setting::clear).
    fn registered_clear() -> &'static (dyn Any + Sync);

    /// The setting's [ends](Setting::ends). The compiler could not see through a bound that says so: it would
    /// have to know the setting before what is compiled for it.
    fn registered_ends() -> &'static (dyn Any + Sync);
}
