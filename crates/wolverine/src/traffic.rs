//! Bytes of the messages of [`super`], but for those of the VOLE.

use super::{CheckedBy, FURTHER, GROUP, TILE, Terms};
use volery_channel::channel::Carried;
use volery_circuit::{Shape, Size};
use volery_primitives::Field;
use volery_proof::verdict::{VERDICT, section};
use volery_vole::macs::Macs;

/// The traffic of a proof of a statement with these gates, whose inputs come before them all, and the shares
/// that it draws.
pub fn proof<M: Macs>(terms: &Terms, shape: &Shape) -> (Carried, u64) {
    let mut sums = BlockTotals::default();
    sums.statement::<M>(terms, shape.inputs_by_gates(), shape.mul_by_gates());
    // The digest of asserted wires; the verdict.
    (sums.carried + Carried::by_prover(32) + VERDICT, sums.drawn)
}

/// The shares that a statement draws whose inputs come first: those that it uses, and those that its last
/// section has too many.
pub fn drawn<M: Macs>(terms: &Terms, size: Size) -> u64 {
    let mut sums = BlockTotals::default();
    sums.statement::<M>(terms, size.inputs, size.commitments.saturating_sub(size.inputs));
    sums.drawn
}

/// Bytes and shares of the blocks so far.
#[derive(Clone, Copy, Default)]
struct BlockTotals {
    carried: Carried,
    /// Shares that were used, and shares that were drawn. Some of the latter may have been given back.
    used: u64,
    drawn: u64,
}

impl BlockTotals {
    /// Adds all blocks of a statement.
    fn statement<M: Macs>(&mut self, terms: &Terms, inputs: u64, mul: u64) {
        let (whole, rest) = (mul / terms.block, mul % terms.block);
        self.blocks::<M>(terms, 1, inputs, mul.min(terms.block));
        if whole > 1 {
            self.blocks::<M>(terms, whole - 1, 0, terms.block);
        }
        if rest > 0 && whole > 0 {
            self.blocks::<M>(terms, 1, 0, rest);
        }
    }

    /// Adds `blocks` blocks of `inputs` inputs and `mul` products each.
    fn blocks<M: Macs>(&mut self, terms: &Terms, blocks: u64, inputs: u64, gates: u64) {
        let sectioned = sectioned(inputs + gates);
        let shares = inputs + gates + if gates > 0 { terms.check_shares::<M>(gates) } else { 0 };
        // The most is drawn in the last of them: at the end of its sections, or of the block.
        let before = self.used.saturating_add(shares.saturating_mul(blocks - 1));
        self.drawn = self.drawn.max(before.saturating_add(sectioned.max(shares)));
        self.used = before.saturating_add(shares);
        let mut carried = Carried::by_prover(M::F::bytes_of(sectioned));
        if gates > 0 {
            carried += check::<M>(terms, gates);
        }
        self.carried += carried * blocks;
    }
}

/// The traffic of the check of `gates` products.
fn check<M: Macs>(terms: &Terms, gates: u64) -> Carried {
    let (value, long) = (M::F::bytes_of, M::E::BYTES as u64);
    let prover = match terms.by {
        CheckedBy::Interpolation => {
            let groups = gates.div_ceil(GROUP as u64);
            value(FURTHER as u64 * groups) + 3 * long * groups
        }
        _ => 3 * value(terms.plan(gates).triples(gates)),
    };
    let coins = terms.coins::<M>().into_iter().filter(|coin| *coin).count();
    Carried { prover: prover + long, verifier: 16 * coins as u64 }
}

/// The shares of the sections that hold `commitments` commitments.
fn sectioned(commitments: u64) -> u64 {
    let tile = TILE as u64;
    if commitments > tile {
        return commitments.next_multiple_of(tile);
    }
    let mut shares = 0;
    while (shares as u64) < commitments {
        shares += section(shares, TILE);
    }
    shares as u64
}
