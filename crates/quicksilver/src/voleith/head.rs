//! VOLE in the head: shares whose correlation the prover deals to itself, and a key that is drawn after all
//! was said. For F_2.
//!
//! Relation kept on every share: **k = m + x·Δ**, as everywhere ([`volery_vole::vole`]), with Δ = 1 + Σ
//! Δ_i·X^{s_i}, where tree i of depth k_i owns the bits s_i, …, s_i + k_i − 1; s_0 = 1 and s_{i+1} = s_i +
//! k_i. Bits above the last tree are zero. Baum, Braun, Delpech de Saint Guilhem, Klooß, Orsini, Roy, Scholl,
//! CRYPTO 2023 (eprint 2023/996), with the expansion of [`volery_vole::ot::softspoken`].
//!
//! | step | who | message | bytes |
//! |---|---|---|---|
//! | 0 | | a salt, roots, leaves (`commit::fixed_key`); the digest of all commitments begins the transcript | |
//! | 1 | prover | c_1 … c_{τ-1} of the masks: L blocks of 128 shares for lines, then 144 bits for the check | (τ−1)·(16·L + 18) |
//! | | | challenge: φ and φ' for the blocks of the lines | |
//! | 2 | prover, each block of n shares, 8 to 8,192 | c_1 … c_{τ-1} | (τ−1)·n/8 |
//! | | | challenge: φ and φ' for its blocks of 128 | |
//! | 3 | prover, at the end | ũ = (Σ φ·u, the low 16 bits of Σ φ'·u) ⊕ the 144 bits of u | 18 |
//! | 4 | | Ṽ, the same of each column, is hashed along with what follows; then Δ is drawn | |
//! | 5 | prover | the siblings on the way to leaf Δ_i of each tree, and the commitment to it | 16·K + 32·τ |
//!
//! **Folding.** For a block b of 128 shares, a leaf r at place x gives G(r, b) = π(r ⊕ b) ⊕ r ⊕ b, π being
//! AES under a key of its own for each tree and 8 blocks. Tree i has u_i = ⊕_x G(r_x, b), and for m < k_i the
//! column v_{i,m} = ⊕_{bit m of x is 1} G(r_x, b): that of bit s_i + m of the MACs. Shares have the values u
//! = u_0, and c_i = u ⊕ u_i. The verifier, who lacks the leaf at Δ_i, keeps leaf x at place x ⊕ Δ_i, so that
//! the unknown one enters no column; the same sums are v_{i,m} ⊕ Δ_{i,m}·u_i, and adding Δ_{i,m}·c_i makes
//! that u. A tree deeper than 8 folds in pieces of 256 leaves: column m ≥ 8 is the sum of those pieces'
//! totals whose number has bit m − 8. These are FAEST's conventions.
//!
//! **The check** is by columns: what the prover says of tree i is u ⊕ e_i with an error e_i, and a reader
//! comes to the same Ṽ and ũ only where h(e_i)·Δ_{i,m} is what the prover has added to Ṽ for each m. h has
//! independent coefficients for each block, drawn after the block's c_i were said, and the 144 bits, which
//! were said before any, have the coefficient one. So an error that is not zero, **that of a mask for lines
//! included**, has h(e_i) = 0 with probability 2^-144 for each challenge, and one with h(e_i) ≠ 0 passes for
//! one Δ_i alone. Masks that are said last could take back every error (tests), and lines whose errors no
//! check sees would add a term of the prover's choice, linear in each Δ_i, to the polynomial that it opens.
//!
//! **Zero knowledge.** c_i is masked by the hidden leaf of tree i, u by that of tree 0, ũ by 144 bits of u
//! that are used for nothing else; Ṽ follows from ũ and what the reader knows.

mod dealer;
mod expansion;
mod reader;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;

pub(crate) use dealer::{Dealer, Dealt};
pub(crate) use reader::{OpenedTrees, Reader};

use crate::voleith::fixed_key::{COMMITMENT, SALT};
use core::cell::RefCell;
use std::rc::Rc;
use volery_channel::channel::Channel;
use volery_channel::error::Result;
use volery_channel::pool::Pool;
use volery_primitives::F128;
use volery_vole::vole::{BoxedVole, Delta, Key, Mac, Shares, Vole};

/// The shares of the longest block.
pub(crate) const LONGEST: usize = 1 << 13;
/// The bytes of ũ, and of each column of Ṽ.
pub(crate) const HASH: usize = 18;
/// The most bits of Δ that trees own.
pub(crate) const MOST_BITS: usize = 126;
/// The least depth of a tree, and the greatest.
pub(crate) const DEPTHS: core::ops::RangeInclusive<usize> = 3..=15;
/// The bytes of a salt.
pub(crate) const SALT_BYTES: usize = SALT;

/// The depths of `trees` trees that own `bits` bits of Δ: they differ by one at most, the deeper ones first.
pub(crate) fn depths(trees: usize, bits: usize) -> Vec<usize> {
    (0..trees).map(|i| bits / trees + usize::from(i < bits % trees)).collect()
}

/// The place of the hidden leaf of each tree under this Δ.
fn places(depths: &[usize], delta: F128) -> impl Iterator<Item = usize> {
    let mut rest = delta.0 >> 1;
    depths.iter().map(move |depth| {
        let place = rest & ((1 << depth) - 1);
        rest >>= depth;
        place as usize
    })
}

/// The bytes of step 5.
pub(crate) fn opening_bytes(depths: &[usize]) -> usize {
    depths.iter().map(|depth| 16 * depth + COMMITMENT).sum()
}

/// The bytes of step 1 for so many trees and lines.
pub(crate) fn mask_bytes(trees: usize, lines: usize) -> usize {
    (trees - 1) * (16 * lines + HASH)
}

/// The Δ of a proof, which is public.
///
/// # Panics
/// Where bit 0 is zero.
pub(crate) fn opened_delta(delta: F128) -> Delta {
    Delta::from_bytes(&delta.to_bytes()).expect("bit 0 of Δ must be one")
}

/// A party's end as a stream of shares. Its owner keeps another handle, to ask for the results when the
/// stream has ended.
pub(crate) struct Drawn<T>(pub(crate) Rc<RefCell<T>>);

impl Vole for Drawn<Dealer> {
    type Share = Mac;

    fn share_work(&mut self, pool: &Pool) {
        self.0.borrow_mut().share_work(pool);
    }
    fn block(&mut self, channel: &mut Channel, block: &mut Shares<Mac>) -> Result<()> {
        self.0.borrow_mut().block(channel, block)
    }
    fn skip(&mut self, count: usize) {
        self.0.borrow_mut().skip(count);
    }
    fn check(self: Box<Self>, _: &mut Channel) -> Result<BoxedVole<Mac>> {
        Ok(self)
    }
}

impl Vole for Drawn<Reader> {
    type Share = Key;

    fn share_work(&mut self, pool: &Pool) {
        self.0.borrow_mut().share_work(pool);
    }
    fn block(&mut self, channel: &mut Channel, block: &mut Shares<Key>) -> Result<()> {
        self.0.borrow_mut().block(channel, block)
    }
    fn skip(&mut self, count: usize) {
        self.0.borrow_mut().skip(count);
    }
    fn check(self: Box<Self>, _: &mut Channel) -> Result<BoxedVole<Key>> {
        Ok(self)
    }
}
