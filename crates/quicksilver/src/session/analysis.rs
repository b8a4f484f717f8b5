//! Cost and soundness of QuickSilver over a setting.

use crate::arithmetic::traffic::Blocks;
use crate::traffic::{self, masks};
use crate::{arithmetic, degree_of_check, early_ends};
use core::marker::PhantomData;
use volery_channel::channel::Carried;
use volery_circuit::{Shape, Size};
use volery_primitives::{Field, MacField};
use volery_proof::analysis::Analysis;
use volery_proof::binary::{Binary, BitCorrelations};
use volery_proof::correlations::{Choice, Correlations, Use};
use volery_proof::estimate::Estimate;
use volery_proof::facts::SettingFacts;
use volery_proof::over::FieldCorrelations;
use volery_proof::setting::Setting;
use volery_vole::macs::{BitMacs, FieldMacs, Macs};
use volery_vole::ot::softspoken::traffic::Chunks;
use volery_vole::ot::softspoken::{self, BLOCK, LONGEST_CHUNK};
use volery_vole::vole::extend::traffic as lpn;
use volery_vole::vole::lpn::TILE;
use volery_vole::vole::subfield::direct;
use volery_vole::vole::vope;

/// MACs under which the cost and the soundness of QuickSilver are known.
///
/// # Panics
/// Its functions do where they are given correlations of another setting: names go through [`SettingFacts::named`]
/// first.
pub trait Analysed: Macs {
    /// −log2 of the soundness error of a statement of this size, floored.
    fn statistical_bits(correlations: Correlations, size: Size) -> u32;

    /// The traffic of a session of one statement of this size over these correlations, where both sides may
    /// expect so many shares; but for [what they measured](Estimate::measured) where they chose.
    ///
    /// A batch that ends early, for bilinear forms, an epoch of a memory or table, or very many polynomials,
    /// leaves a part of a block or section unused that is not counted, nor are its coins, but for those of
    /// epochs; bilinear forms are taken for the last of each batch, and of the statement.
    fn traffic(correlations: Correlations, size: Size, expected: Option<u64>) -> Estimate;
}

impl Analysed for BitMacs {
    fn statistical_bits(correlations: Correlations, size: Size) -> u32 {
        let correlations = BitCorrelations::of(correlations);
        let block = match correlations {
            BitCorrelations::SoftSpoken(_) => LONGEST_CHUNK * BLOCK,
            BitCorrelations::Lpn(_) => TILE,
        };
        crate::security(size, block, Binary::check_security(correlations))
    }

    fn traffic(correlations: Correlations, size: Size, expected: Option<u64>) -> Estimate {
        // What comes after the challenge to a tape is in blocks of its own.
        let (late, masks) = (size.late, masks(size, 128));
        let commitments = size.commitments - late;
        let behind = |shares: u64, mut next: &mut dyn FnMut() -> u64| {
            let mut more = 0;
            while more < late {
                more += next();
            }
            let spare = if late > 0 { more - late } else { shares - commitments };
            (more, masks.blocks(spare, &mut next))
        };
        let (setup, drawn, shares) = match BitCorrelations::of(correlations) {
            BitCorrelations::SoftSpoken(depth) => {
                let expected = expected.map(|shares| shares + masks.in_all());
                let mut chunks = Chunks::cover(commitments, expected);
                let (shares, block) = (chunks.blocks * BLOCK as u64, BLOCK as u64);
                let (more, masks) = behind(shares, &mut || chunks.next_rows());
                let (shares, masks) = (shares + more, masks.iter().sum::<u64>());
                (
                    softspoken::traffic::set_up(depth),
                    softspoken::traffic::checked(depth, (shares + masks) / block),
                    shares,
                )
            }
            BitCorrelations::Lpn(params) => {
                let tile = TILE as u64;
                let shares = commitments.next_multiple_of(tile);
                let (more, masks) = behind(shares, &mut || tile);
                let (shares, masks) = (shares + more, masks.len() as u64);
                (lpn::set_up(params), lpn::draws(params, shares / tile + masks, expected), shares)
            }
        };
        Estimate::of(setup, drawn + traffic::proof(shares, size))
    }
}

impl<B: Field, E: MacField<B>> Analysed for FieldMacs<B, E> {
    fn statistical_bits(correlations: Correlations, size: Size) -> u32 {
        match FieldCorrelations::of::<B>(correlations) {
            // Each block has a check, whether it ends early or is for masks.
            FieldCorrelations::Direct => {
                let lines = vope::lines(degree_of_check(size.degree) - 1);
                let masks = lines.div_ceil(direct::SHORTEST / E::degree() as usize) as u64;
                let blocks = size.commitments.div_ceil(direct::SHORTEST as u64) + early_ends(size) + masks;
                arithmetic::security::<B, E>(size, (direct::SHORTEST, 0), blocks)
            }
            FieldCorrelations::SoftSpoken(_) => {
                arithmetic::security::<B, E>(size, (softspoken::LONGEST, softspoken::RAMP), 0)
            }
            lpn => arithmetic::security::<B, E>(size, (TILE, 0), lpn.base_checks::<B>(size.commitments)),
        }
    }

    fn traffic(correlations: Correlations, size: Size, expected: Option<u64>) -> Estimate {
        let correlations = FieldCorrelations::of::<B>(correlations);
        let (longest, next) = correlations.lengths();
        let blocks = Blocks::cover(size, masks(size, E::degree().into()), longest, next);
        let [setup, drawn]: [Carried; 2] =
            correlations.traffic::<B, E>(blocks.shares(), blocks.number(), expected);
        Estimate::of(setup, drawn + arithmetic::traffic::proof::<B, E>(&blocks, size))
    }
}

/// Cost and soundness over `S`.
pub(super) struct OverSetting<S>(PhantomData<fn() -> S>);

impl<S> OverSetting<S> {
    pub(super) const NEW: Self = Self(PhantomData);
}

/// The name of the protocol in a handshake on one of several clauses.
const CLAUSES: &str = "quicksilver of clauses";

/// The name of the protocol in a handshake on a shard.
const SHARD: &str = "quicksilver of a shard";

impl<S: Setting<Macs: Analysed>> Analysis for OverSetting<S> {
    fn protocol(&self, size: Option<Size>, in_shards: bool) -> Option<&'static str> {
        // Clauses are another protocol, and may have the name of the statement that they make.
        let clauses = size.is_some_and(|size| size.clauses > 0);
        if in_shards { Some(SHARD) } else { clauses.then_some(CLAUSES) }
    }

    fn setting(&self) -> &'static dyn SettingFacts {
        S::facts()
    }

    fn purpose(&self) -> Use {
        Use::Proof
    }

    fn size(&self, shape: &Shape) -> Size {
        crate::size::<S::Macs>(shape)
    }

    fn shares(&self, size: Size) -> u64 {
        size.commitments
    }

    fn drawn(&self, size: Size) -> u64 {
        // One more at least is for masks: where commitments fill their blocks, theirs is drawn with them.
        size.commitments + 1
    }

    fn masks(&self, size: Size) -> u64 {
        masks(size, S::facts().degree()).in_all()
    }

    fn degree_of_check(&self, size: Size) -> u64 {
        degree_of_check(size.degree) as u64
    }

    fn statistical_bits(&self, correlations: Correlations, size: Size) -> u32 {
        S::Macs::statistical_bits(correlations, size)
    }

    fn traffic(&self, choice: Choice, shape: &Shape) -> Estimate {
        let size = self.size(shape);
        S::Macs::traffic(choice.correlations, size, choice.expects(size.commitments))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use volery_primitives::{F61, F61x2, F128, F256};

    #[test]
    fn every_kind_states_its_security() {
        for correlations in Binary::facts().correlations() {
            assert!(BitMacs::statistical_bits(correlations, Size::default()) >= 119);
        }
        let bits = [FieldMacs::<F61, F61>::statistical_bits, FieldMacs::<F61, F61x2>::statistical_bits];
        let size = Size::gates(1 << 20);
        assert!(bits[0](Correlations::L2, size) >= 48 && bits[1](Correlations::L2, size) >= 100);
    }

    /// Straight from transfers each block has a check: those that products of matrices end
    /// early, and those of masks.
    #[test]
    fn blocks_that_commit_to_nothing_count() {
        // A check passes with 2^-50, and with 2^-112.
        let matrices = |matrices| Size { commitments: 2000, degree: 2, matrices, ..Size::default() };
        assert_eq!(FieldMacs::<F61, F61>::statistical_bits(Correlations::DIRECT, matrices(2000)), 39);
        assert_eq!(FieldMacs::<F61, F61>::statistical_bits(Correlations::DIRECT, matrices(0)), 46);
        let degree = |degree| Size { polynomials: 1, degree, ..Size::gates(100) };
        let loss = FieldMacs::<F256, F128>::statistical_bits(Correlations::DIRECT, degree(2))
            - FieldMacs::<F256, F128>::statistical_bits(Correlations::DIRECT, degree(128));
        assert_eq!(loss, 3, "253 lines of 16 shares are 16 blocks");
    }
}
