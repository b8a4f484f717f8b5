//! VOLE in the head: QuickSilver over F_2 whose proof is a file, which anyone can verify at any time.
//!
//! Relation kept on every wire: **k = m + w·Δ** over F_{2^128}, as in [`super`], whose prover and verifier
//! these are: gates, batches, sums and polynomials are the same. Two things differ. The shares are the
//! prover's own (`head`, with the paper), and no verifier speaks: each challenge, and at the
//! end Δ itself, is a hash of all that was said before. τ trees own K bits of Δ; w zero bits of the last hash
//! are ground; a statement commits to ℓ bits, and d ≥ 2 is the highest degree of what it asserts.
//!
//! "Say" is to absorb into the transcript and to write, in this order:
//!
//! | step | who | what | bytes |
//! |---|---|---|---|
//! | 0 | | start: BLAKE3 of the header (statement, τ, K, w, ℓ, d, field, label), a fresh salt, and the digest of the commitments to all leaves | |
//! | 1 | P | corrections of the masks: 128·(d−1) shares for the check of products, then 144 for that of the VOLE | (τ−1)·(16·(d−1) + 18) |
//! | | | challenge: coefficients of the columns' hashes for the masks of products | |
//! | 2 | P, each batch of n shares, 8,192 or all that are left, in whole bytes | corrections of the VOLE | (τ−1)·⌈n/8⌉ |
//! | | | challenge: coefficients of the columns' hashes for this batch | |
//! | | P | corrections of the values: fig. 4, 5 | ⌈n/8⌉ |
//! | | | challenge: coefficients of this batch's products, and of its polynomials: fig. 4, 6 | |
//! | 3 | P | ũ, the hash of u | 18 |
//! | 4 | P | U_1, …, U_{d−1}, of U_0 + U_1·X + … = Σ_h X^{d−h}·S_h + Σ_{j<d−1} X^j·(m_j + u_j·X): fig. 4, 7b; fig. 5, 5b | 16·(d−1) |
//! | 5 | | D = BLAKE3(all of that, Ṽ, U_0, the digest of asserted wires; ctr) with the least ctr for which w bits of it are zero; Δ = 1 + 2·(K bits of it) | |
//! | 6 | P | siblings and a commitment for each tree: all leaves but those at Δ | 16·K + 32·τ |
//!
//! The **file** is `header ‖ salt 32 ‖ Δ 16 ‖ ctr 4 ‖ step 6 ‖ steps 1 to 4`: what a verifier needs to begin
//! comes first, and it reads all in one pass. It computes Ṽ, U_0, and the digests, which are not in the file,
//! from its keys, and D decides. Every length follows from header and circuit; Δ is odd and has K + 1 bits at
//! most; no bit is spare but in the corrections of values, where it is zero; nothing follows. Where a batch
//! ends early, for its number of polynomials or for bilinear forms, its other shares stay unused. In a map a
//! batch is a turn of `waves`: the corrections of the VOLE for its blocks, each with its challenge, come
//! some turns before its values, which are those of all its blocks, each from a new byte on.
//!
//! **Deviations from FAEST**, whose columns, indices, field and order of bits these are: a challenge for each
//! batch, so that both parties walk once and keep one batch; so masks are said first, and the coefficients of
//! the columns' hashes are independent, and not powers; trees are keyed by level and side, not by node;
//! leaves are committed to by 32 bytes, as in FAEST-EM; hashes are BLAKE3, and the VOLE's leaves expand by
//! AES; bit 0 of Δ is one, since K < 128 bits are drawn anyway.
//!
//! **Soundness**, in the random oracle and ideal cipher model, by rounds: what follows is the probability
//! that one query to a hash takes a prover of a false statement from a state without hope to one with it. The
//! leaves behind the commitments are those that its queries explain; a tree with one leaf that none explains
//! passes for one Δ_i, and counts as guessed below. So tree i has a string u_i, and with corrections y_i =
//! u_i ⊕ c_i. Trees whose y agree so far are a *group*, at most τ of them, with a witness each: the
//! corrections of values ⊕ y.
//!
//! 1. *Columns.* Two trees whose y differ get one hash with probability 2^-144 for each challenge. At the end
//!    the prover chooses ũ, and with it at most one group. Each tree outside passes for one Δ_i: *guessed*.
//! 2. *Products.* Where the witness of a group fails a constraint, the sum of the group has a coefficient at
//!    X^d that is zero with probability 2^-128 for each challenge, so τ·2^-128 for all groups: a factor that
//!    FAEST does not have, since its prover fixes ũ before. At bilinear forms four times as much.
//!    What the coefficients come of has 191 bits ([`Seed`](volery_primitives::prg::Seed)): with 128, n/128
//!    seeds could be fixed beforehand and the errors of n products chosen so that they cancel for all of
//!    these (tests), and each challenge might hit one of them.
//! 3. *Last.* For the group and the guesses, what the prover says of U differs from the sum by a polynomial
//!    of degree d exactly, or a wire that is not zero was asserted: at most d of the 2^K Δ pass. That the
//!    masks of products are under the columns' check is what keeps this polynomial of degree d. With w bits
//!    of the hash: d·2^-(K + w).
//!
//! So Q queries succeed with probability Q·max(τ·2^-128 + C(τ,2)·2^-144, d·2^-(K + w)) + Q²·2^-256, whatever
//! the number of batches. [`Parameters::security`](parameters::Parameters::security) is −log2 of the first
//! factor, floored, and a verifier computes it from the header before anything else. The bounds are
//! classical.
//!
//! **Zero knowledge.** Corrections of the VOLE are masked by the hidden leaf of their tree, those of values
//! by that of tree 0, ũ by 144 bits, U_1, …, U_{d−1} by the d − 1 lines: given the keys, they are a
//! triangular function of the u_j, which are uniform. The rest follows. A simulator takes any Δ, draws all
//! else at random, computes what the verifier computes, and programs the last hash (`tests/simulation.rs`). d
//! − 1 lines do where `vole/vope.rs` takes 2·(d − 1) − 1, because nobody chooses Δ. To tell the
//! difference takes a hidden node: 8 outputs of one leaf are known under one key at most, so 2^125 calls of
//! AES for each salt. That AES is a permutation, and no two outputs of a leaf under one key are equal but for
//! their numbers, adds 28·τ·⌈ℓ/1024⌉·2^-128 without a call: 2^-110 at 2^20 shares. Salt and seeds are drawn
//! by a generator that is seeded with fresh randomness, the header, and the witness: a state that is used
//! twice repeats a file, and never a salt for another one, as long as hints follow from the witness.
//!
//! **What a file leaks**: the statement, its sizes, the label, the parameters; and that somebody had a
//! witness. Files of one statement by one prover cannot be linked. A copy proves as much as the file.
//!
//! **Abort**: a prover whose witness fails writes nothing.
//!
//! **Budget** in nanoseconds a committed bit, for both parties alike: expansion 2^k·τ/128 leaf-blocks, 0.83
//! each (25 at 15 trees of 2^8), corrections, transpose and sums of columns 2.8, packing 1.5, transcript 0.3
//! for each byte; then gates and products as in [`super`].

mod fixed_key;
mod head;
pub mod parameters;
mod parts;
mod prover;
#[cfg(test)]
mod tests;
mod verifier;

pub use parameters::{Parameters, Preference, Wishes};
pub use prover::{hedged, stream, write};
pub use verifier::read;

use crate::polynomial::degree_of_check;
use core::sync::atomic::AtomicU64;
use volery_channel::pool::Pool;
use volery_circuit::Size;
use volery_primitives::Arch;

/// Public terms of a proof, known to both parties beforehand.
pub struct Terms<'t> {
    /// The instruction set.
    pub arch: Arch,
    /// The parameters of the proof.
    pub parameters: &'t Parameters,
    /// The size of the statement.
    pub size: Size,
    /// Other threads.
    pub pool: &'t Pool,
    /// A place for the number of multiplications done so far.
    pub progress: Option<&'t AtomicU64>,
}

impl Terms<'_> {
    /// d, the degree of the check.
    fn degree(&self) -> usize {
        degree_of_check(self.size.degree)
    }
}
