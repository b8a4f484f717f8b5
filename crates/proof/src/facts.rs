//! Facts of a setting, behind a pointer: what a session has to know of a field, of its MACs and of the sources of
//! their shares before the first gate and behind the last, so that all of this is compiled once.

use crate::correlations::{Correlations, Pace, Waits};
use volery_channel::channel::Carried;
use volery_channel::error::{Error, Result};
use volery_circuit::Size;
use volery_primitives::Arch;

/// A field with the extension of its MACs, without their types.
///
/// # Panics
/// Its methods do where they are given correlations that are not among [its own](SettingFacts::correlations): those
/// that a peer or a caller names go through [`named`](SettingFacts::named) first.
pub trait SettingFacts: Sync {
    /// The name on the wire and in reports: that of the field, and the degree of its extension where it is
    /// not the usual one. ASCII, of 32 bytes at most but for long primes, which a handshake abbreviates.
    fn name(&self) -> String;

    /// The statistical security that is asked for where nothing is said, in bits.
    fn security(&self) -> u32;

    /// Whether the bound depends on the size of the statement so much that it is counted beforehand.
    fn bound_by_size(&self) -> bool;

    /// Whether challenges come from the transcript, so that gates are one-way.
    fn non_interactive(&self) -> bool;

    /// The bytes by which a value is committed to.
    fn value_bytes(&self) -> f64;

    /// The degree of the extension of its MACs: the shares that make a mask.
    fn degree(&self) -> u64;

    /// The sources that shares can come from, those with the most traffic first.
    fn correlations(&self) -> Vec<Correlations>;

    /// The correlations called `name`.
    ///
    /// # Errors
    /// `Invalid` where there are none.
    fn named(&self, name: &str) -> Result<Correlations> {
        let all = self.correlations();
        all.iter().copied().find(|one| one.name() == name).ok_or_else(|| {
            let names: Vec<_> = all.into_iter().map(Correlations::name).collect();
            let (setting, names) = (self.name(), names.join(", "));
            Error::invalid(format!("there are no correlations `{name}` over {setting}: there are {names}"))
        })
    }

    /// The correlations for a statement with so few commitments, whatever the link; `None` where it is not
    /// small.
    fn small(&self, commitments: u64) -> Option<Correlations>;

    /// The pace of a party over `correlations` on the machine that the published figures are of.
    fn usual(&self, correlations: Correlations) -> Pace;

    /// The pace of a party over each of [`SettingFacts::correlations`] on this machine, by one thread, which
    /// is measured once.
    fn paces(&self, arch: Arch) -> Vec<Pace>;

    /// The waits of both parties over `correlations`, of which they expect to draw so many shares.
    fn waits(&self, correlations: Correlations, expected: u64) -> Waits;

    /// Whether a statement that both parties chose `correlations` for draws all of its shares before its first
    /// gate.
    fn drawn_ahead(&self, correlations: Correlations) -> bool;

    /// The computational security of a session in bits: the least of what the group, the expansions,
    /// the LPN sets, Δ from its trees and the search for a transcript whose challenges let two
    /// errors cancel would cost.
    fn computational_bits(&self, correlations: Correlations, size: Size) -> u32;

    /// The probability that so many shares are not what they should be, and no check finds out.
    fn share_error(&self, correlations: Correlations, shares: u64) -> f64;

    /// The traffic of the set-up of `correlations` beyond the handshake, and of drawing so many shares of
    /// them, where both sides may expect a number of them.
    fn share_traffic(&self, correlations: Correlations, shares: u64, expected: Option<u64>) -> [Carried; 2];
}
