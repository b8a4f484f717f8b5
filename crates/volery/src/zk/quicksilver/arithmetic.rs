//! QuickSilver over any field B but F_2, with MACs in an extension E: Yang, Sarkar, Weng, Wang, CCS 2021, figure 4.
//!
//! Relation kept on every wire: **k = m + w·Δ** over E, where the prover holds the value w in B and its MAC m, the
//! verifier the key k and Δ ([`crate::vole::subfield`]).
//!
//! | from | message | bytes | figure 4 |
//! |---|---|---|---|
//! | | those of the VOLE's next block of n shares | its own | 2 |
//! | prover | corrections: the committed value − the value of share i, zero where it commits to nothing | b·n | 4, 5 |
//! | verifier | seed of the batch's coefficients, where E is short | 16 | 6, 7 |
//! | | those of the VOLE's check | its own | |
//! | prover | U, V, digest of the MACs of all asserted wires | 2·b' + 32 | 7b, 8 |
//! | verifier | verdict | 1 | |
//!
//! **Whose challenge.** Where E is short ([`by_transcript`]) a transcript could be searched for a lucky challenge
//! offline: the seed is the verifier's coin, sent once all corrections of a batch of [`BLOCKS`] blocks have arrived.
//! The prover goes on meanwhile: it keeps A₀ and A₁ of each product until the coin is there, which it receives as late
//! as the VOLE receives its own messages ([`Vole::lag`](crate::vole::Vole::lag)), so that no round trip shorter than
//! some batches stalls the stream. Where E is larger a batch is one block, its challenge is the transcript's, and the
//! gates are one-way. Either way the verifier knows the coefficients when a block's corrections have arrived, before it
//! walks through its gates.
//!
//! Coefficients are independent, one for each product. The sums run on over all batches, masked once at the end by a
//! VOPE correlation packed from r shares that commit to nothing (3): U = Σχ·A₀ + A₀*, V = Σχ·A₁ + A₁*, and the verifier
//! checks U + V·Δ = Σχ·B + B* (7c), with A₀ = m_a·m_b, A₁ = w_a·m_b + w_b·m_a − m_c, B = k_a·k_b − k_c·Δ. A witness
//! element is checked along with the products, as the product of itself and the public one. An asserted wire carries
//! zero, so that its key is its MAC (8).
//!
//! **Soundness** ([`security`]): two Δ at most solve the quadratic equation of a wrong product, one guess forges an
//! asserted MAC, one passes a check of the VOLE: 4/|E|. Wrong products cancel with the probability of one coefficient
//! in each batch: the prover, who sees its coins, may go on until they do. To this adds the error of the VOLE's first
//! shares ([`crate::vole::subfield::base_error`]) and of its transfers. No term has a factor for offline work but where
//! challenges are the transcript's.
//!
//! **Memory**: the prover holds A₀ and A₁ of as many blocks as the VOLE's lag and a batch more, 128 + 8 at most: 9 MB
//! over 2^61 − 1, twice that with MACs of 16 bytes.
//!
//! **Zero knowledge** and **abort** are as over F_2 ([`super`]): what a verifier chooses, its coins, are uniform
//! coefficients for a masked sum, and any others would do as well.

mod prover;
#[cfg(test)]
mod tests;
mod verifier;

pub use prover::Prover;
pub use verifier::Verifier;

use crate::ot::softspoken::Depth;
use crate::vole::subfield::{base_error, guess, likeliest};
use volery_primitives::{Field, MacField};

/// Blocks of the VOLE to a coin of the verifier.
pub const BLOCKS: usize = 8;

/// Slots that gates fill before they are weighed: they stay in the first-level cache.
const SLOTS: usize = 512;

/// The bits of encoding that an extension must have for challenges to come from the transcript: 100 of them, and some
/// for what each coordinate's encoding is longer than its logarithm.
const TRANSCRIPT_BITS: u32 = 112;

/// Whether challenges over `E` come from the transcript, and the gates are one-way.
pub const fn by_transcript<E: Field>() -> bool {
    E::BITS >= TRANSCRIPT_BITS
}

/// Whether block number `block` of a statement ends a batch, where it is not the last one.
const fn ends_batch<E: Field>(block: usize) -> bool {
    by_transcript::<E>() || (block + 1).is_multiple_of(BLOCKS)
}

/// The statistical security of a proof in bits, floored: −log2 of the soundness error of a statement of so many
/// `commitments` (inputs, hints and multiplications) over a VOLE with blocks of `block` shares, whose first shares
/// take so many `checks`.
pub fn security<B: Field, E: MacField<B>>(commitments: u64, block: usize, checks: u64) -> u32 {
    let blocks = commitments.div_ceil(block as u64);
    let batches = if by_transcript::<E>() { blocks } else { blocks.div_ceil(BLOCKS as u64) };
    let products = 4.0 * guess::<B, E>() + batches as f64 * likeliest::<B, E>();
    let error = products + checks as f64 * base_error::<B, E>() + (-Depth::Eight.security()).exp2();
    (-error.log2()).floor() as u32
}
