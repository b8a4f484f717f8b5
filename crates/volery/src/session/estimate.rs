//! Estimates of a session's traffic, from the size of its statement alone.
//!
//! Every message of a session has a length that both sides know beforehand. Each protocol says what
//! its messages carry, beside the table of them; here this is put together. The tests hold the sums
//! against proofs, to the byte.

mod garbled;
mod over;
#[cfg(test)]
mod tests;

use super::correlations::{EXCHANGED, PROBES};
use super::{Binary, BitCorrelations, voleith};
use crate::channel::{Carried, HANDSHAKE};
use crate::circuit::Size;
use crate::error::Result;
use crate::ot::softspoken::BLOCK;
use crate::ot::softspoken::traffic::{self as softspoken, Chunks};
use crate::vole::extend::traffic as lpn;
use crate::vole::lpn::TILE;
use crate::zk::quicksilver::traffic as quicksilver;
use crate::zk::voleith::{Parameters, Wishes};

/// The traffic of a session of one statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// Before the first gate: but shares straight from transfers, which are drawn there too where both
    /// parties chose them for the size of the statement, stand in the total alone.
    pub setup: Carried,
    /// The traffic in all.
    pub total: Carried,
}

impl Estimate {
    /// The traffic of a session whose parts besides the handshake are these: before the first gate, and from
    /// there on.
    pub(super) fn of(setup: Carried, online: Carried) -> Self {
        let setup = HANDSHAKE + setup;
        Self { setup, total: setup + online }
    }

    /// A file by VOLE in the head, of a statement of this size with a label of so many bytes, worth so many
    /// bits where they are asked for. To the byte, but for statements whose batches end early, for a matrix
    /// product or very many polynomials: they send no more.
    ///
    /// # Errors
    /// `Invalid` where no parameters are so.
    pub fn voleith(size: Size, security: Option<u32>, wishes: &Wishes, label: usize) -> Result<Self> {
        let bytes = Parameters::choose(size, security, wishes)?.bytes(size) + voleith::header_bytes(label);
        Ok(Self { setup: Carried::default(), total: Carried::by_prover(bytes) })
    }

    /// The traffic where the correlations were chosen by measurements of the parties, and of a link whose
    /// bandwidth neither knew.
    pub fn measured(self) -> Self {
        self.beginning(EXCHANGED + PROBES)
    }

    /// The traffic where the correlations were chosen by measurements, and one party knew the bandwidth.
    pub fn measured_but_for_bandwidth(self) -> Self {
        self.beginning(EXCHANGED)
    }

    fn beginning(self, more: Carried) -> Self {
        Self { setup: self.setup + more, total: self.total + more }
    }
}

impl Binary {
    /// The traffic of a session of one statement of this size over these correlations, where so many shares may be
    /// expected.
    /// A batch that ends early, for a matrix product, an epoch of a memory or table, or very many
    /// polynomials, leaves a part of a block unused that is not counted.
    pub(super) fn traffic_expecting(
        correlations: BitCorrelations,
        size: Size,
        expected: Option<u64>,
    ) -> Estimate {
        // What comes after the challenge to a tape is in blocks of its own.
        let (late, masks) = (size.late, quicksilver::masks(size, 128));
        let commitments = size.commitments - late;
        let behind = |shares: u64, mut next: &mut dyn FnMut() -> u64| {
            let mut more = 0;
            while more < late {
                more += next();
            }
            let spare = if late > 0 { more - late } else { shares - commitments };
            (more, masks.blocks(spare, &mut next))
        };
        let (setup, drawn, shares) = match correlations {
            BitCorrelations::SoftSpoken(depth) => {
                let expected = expected.map(|shares| shares + masks.in_all());
                let mut chunks = Chunks::cover(commitments, expected);
                let (shares, block) = (chunks.blocks * BLOCK as u64, BLOCK as u64);
                let (more, masks) = behind(shares, &mut || chunks.next_rows());
                let (shares, masks) = (shares + more, masks.iter().sum::<u64>());
                (softspoken::set_up(depth), softspoken::checked(depth, (shares + masks) / block), shares)
            }
            BitCorrelations::Lpn(params) => {
                let tile = TILE as u64;
                let shares = commitments.next_multiple_of(tile);
                let (more, masks) = behind(shares, &mut || tile);
                let (shares, masks) = (shares + more, masks.len() as u64);
                (lpn::set_up(params), lpn::draws(params, shares / tile + masks, expected), shares)
            }
        };
        Estimate::of(setup, drawn + quicksilver::proof(shares, size))
    }
}

/// The set-up of `correlations`, and drawing so many shares, over F_2, where this many may be expected.
pub(super) fn share_traffic(
    correlations: BitCorrelations,
    shares: u64,
    expected: Option<u64>,
) -> [Carried; 2] {
    match correlations {
        BitCorrelations::SoftSpoken(depth) => {
            [softspoken::set_up(depth), softspoken::rows(depth, shares, expected)]
        }
        BitCorrelations::Lpn(params) => {
            [lpn::set_up(params), lpn::draws(params, shares.div_ceil(TILE as u64), expected)]
        }
    }
}
