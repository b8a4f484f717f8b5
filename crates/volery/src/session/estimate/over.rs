//! Traffic of sessions over any field but F_2.

use super::Estimate;
use crate::channel::Carried;
use crate::circuit::Size;
use crate::session::{FieldCorrelations, Over};
use crate::vole::lpn::TILE;
use crate::vole::subfield::{base, direct, extend::traffic as lpn};
use crate::vole::vope::Masks;
use crate::zk::quicksilver::arithmetic::traffic::{Blocks, proof};
use crate::zk::quicksilver::traffic::masks;
use volery_primitives::{Field, MacField};

impl<B: Field, E: MacField<B>> Over<B, E> {
    /// The traffic of a session of one statement of this size over these correlations, where so many shares may be
    /// expected.
    /// Matrix products are taken for the last of each batch, and of the statement: a batch that ends early
    /// otherwise leaves a part of a section unused, for an epoch of a memory or table say, which is not
    /// counted, nor are its coins; but for the coins of epochs.
    pub(in super::super) fn traffic_expecting(
        correlations: FieldCorrelations,
        size: Size,
        expected: Option<u64>,
    ) -> Estimate {
        let blocks = Self::blocks(correlations, size, masks(size, E::DEGREE.into()));
        let [setup, drawn] = Self::draw(correlations, &blocks, expected);
        Estimate::of(setup, drawn + proof::<B, E>(&blocks, size))
    }

    /// The set-up, and drawing so many shares.
    pub(in super::super) fn traffic_of_shares(
        correlations: FieldCorrelations,
        shares: u64,
        expected: Option<u64>,
    ) -> [Carried; 2] {
        let none = Masks { lines: 0, shares: 0 };
        Self::draw(correlations, &Self::blocks(correlations, Size::gates(shares), none), expected)
    }

    /// The blocks that a statement of this size draws.
    fn blocks(correlations: FieldCorrelations, size: Size, masks: Masks) -> Blocks {
        match correlations {
            FieldCorrelations::Direct => Blocks::cover(size, masks, direct::LONGEST, direct::next),
            FieldCorrelations::Lpn(_) => Blocks::cover(size, masks, TILE, |_| TILE),
        }
    }

    /// The set-up, and drawing these blocks.
    fn draw(correlations: FieldCorrelations, blocks: &Blocks, expected: Option<u64>) -> [Carried; 2] {
        match correlations {
            FieldCorrelations::Direct => {
                [base::set_up_traffic::<B, E>(), base::traffic::<B, E>(blocks.shares(), blocks.number())]
            }
            FieldCorrelations::Lpn(params) => {
                [lpn::set_up::<B, E>(params), lpn::draws::<B, E>(params, blocks.number(), expected)]
            }
        }
    }
}
