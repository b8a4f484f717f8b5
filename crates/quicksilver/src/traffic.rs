//! Bytes of the messages of [`super`], but for those of the VOLE.

use super::degree_of_check;
use volery_channel::channel::Carried;
use volery_circuit::Size;
use volery_proof::verdict::VERDICT;
use volery_vole::vole::vope::{self, Masks};

/// The masks for the check of a statement of this size, where each line takes `shares` shares.
pub(crate) fn masks(size: Size, shares: u64) -> Masks {
    Masks { lines: vope::lines(degree_of_check(size.degree) - 1) as u64, shares }
}

/// The traffic of a proof over F_2 that uses up `shares` shares in whole blocks.
pub(crate) fn proof(shares: u64, size: Size) -> Carried {
    Carried::by_prover(shares / 8) + check(size, 16)
}

/// The traffic of the check: U_0, …, U_{d-1} of `element` bytes each, the digest of asserted wires, and the
/// verdict.
pub(super) fn check(size: Size, element: u64) -> Carried {
    Carried::by_prover(degree_of_check(size.degree) as u64 * element + 32) + VERDICT
}
