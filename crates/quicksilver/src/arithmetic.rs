//! QuickSilver over any field B, with MACs in an extension E, over F_2 with MACs of 64 bits: Yang, Sarkar, Weng,
//! Wang, CCS 2021, figure 4.
//!
//! Relation kept on every wire: **k = m + w·Δ** over E, where the prover holds the value w in B and its MAC
//! m, the verifier the key k and Δ ([`volery_vole::vole::subfield`]).
//!
//! | from | message | bytes | figure 4 |
//! |---|---|---|---|
//! | | those of the VOLE's next block of n shares | its own | 2 |
//! | prover | corrections of a section: the committed value − the value of share i, zero where it commits to nothing | b each, over F_2 a bit | 4, 5 |
//! | verifier | seeds of the batch's coefficients, where E is short | 32 | 6, 7; fig. 5, 5a |
//! | | those of the VOLE's check | its own | |
//! | prover | U_0 = U, U_1 = V, …, U_{d-1}, digest of the MACs of all asserted wires | d·b' + 32 | 7b, 8; fig. 5, 5b |
//! | prover | digest of all bytes ([`volery_proof::verdict`]) | 32 | |
//! | verifier | verdict, digest of all bytes | 33 | |
//!
//! **Sections.** Corrections go out by sections of a block, the first of 256 shares and each as long as
//! all before, until that is a block: so a statement of a few hundred commitments does not send
//! thousands of zeroes. One that is used up goes out with the first polynomials behind it, so that the verifier works
//! while the prover does.
//!
//! **Whose challenge.** Where E is short ([`by_transcript`]) a transcript could be searched for a lucky
//! challenge offline: the seed is the verifier's coin, sent once all corrections of a batch of [`BLOCKS`]
//! blocks have arrived. The prover goes on meanwhile: it keeps A₀ and A₁ of each product until the coin is
//! there, which it receives as late as the VOLE receives its own messages
//! ([`Vole::lag`](volery_vole::vole::Vole::lag)), so that no round trip shorter than some batches stalls the
//! stream. Where E is larger a batch is one section, its challenge is the transcript's, and the gates are
//! one-way. Either way the verifier knows the coefficients when a section's corrections have arrived, before
//! it walks through its gates.
//!
//! Coefficients are independent, one for each product. The sums run on over all batches, masked once at the
//! end by a VOPE correlation packed from r shares that commit to nothing (3): U = Σχ·A₀ + A₀*, V = Σχ·A₁ +
//! A₁*, and the verifier checks U + V·Δ = Σχ·B + B* (7c), with A₀ = m_a·m_b, A₁ = w_a·m_b + w_b·m_a − m_c,
//! B = k_a·k_b − k_c·Δ. An asserted wire carries zero, so that its key is its MAC (8). Products are
//! polynomials of degree d = 2; those of higher degrees share the check ([`super::polynomial`]).
//!
//! **Over F_2** challenges that are coins are what MACs of 64 bits need, and those of 128 do not ([`super`]). The
//! prover's word of a value has it in bit 0, where keys, MACs and Δ are zero ([`volery_primitives::Tag`]): so Δ
//! is one of 2^63, and all else is as over any field.
//!
//! **Witness elements.** Figure 4 checks nothing of a witness element. Here it has a coefficient, as the
//! product of itself and the public one, of which A₀, A₁ and B are zero whatever it is, since m_1 = 0 and
//! k_1 = Δ. Where a run of slots is of such elements alone, each party goes past their coefficients: nothing
//! is computed, kept or weighed. In a run that has other products they are weighed as these are.
//!
//! **Soundness** ([`security`]): d Δ at most solve the equation of a wrong polynomial of degree d, two that
//! of a product, one guess forges an asserted MAC, one passes a check of the VOLE: (d + 2)/|E|, or over
//! F_2 (d + 2)/2^63. Wrong ones
//! cancel with the probability of one coefficient in each batch, those that end early included: the prover,
//! who sees its coins, may go on until they do. Bilinear forms add that of two a challenge. To this adds the error of
//! the VOLE's first shares ([`volery_vole::vole::subfield::base_error`]) and of its transfers. No term has a factor
//! for offline work but where challenges are the transcript's.
//!
//! **Memory**: the prover holds A₀ and A₁ of as many blocks as the VOLE's lag and a batch more, 128 + 8 at
//! most: 9 MB over 2^61 − 1, and over F_2, where blocks of transfers are twice as long and the lag is half of it;
//! twice that with MACs of 16 bytes, or where a half of a proof has turns of one product each; and nothing of a
//! run of witness elements. To it add the coefficients of polynomials: those of one batch, 2^17 or 2^20 at the
//! end of an epoch, 2^21 that wait for coins, and 2^17 that another thread weighs; over 2^61 − 1 that is 26 MB.
//! A map that commits has 16 coefficients a commitment at most, and 2^19 in a wave at a time: of these wait those of the turn at hand,
//! of as many more as there are threads, and 2^21. Within a map coins are heard as many blocks behind those that are drawn, which are 64 ahead, and inputs are
//! kept as products are: 13 MB in the place of 9, and with many threads as much again that are walked before they are
//! due. Where more would wait, the prover receives the first coins
//! earlier than the lag says, in the same order. Where waves have as many lanes as were agreed on, products of the lag
//! wait, and those of three turns at most: 16 bytes a share.
//!
//! **Zero knowledge** and **abort** are as over F_2 ([`super`]): what a verifier chooses, its coins, are
//! uniform coefficients for a masked sum, and any others would do as well. But a prover that hears a coin
//! which does not suit it may hang up, or send nonsense: from the first coin on that is a try that failed
//! ([`Channel::hold_peer`](volery_channel::channel::Channel::hold_peer)), and no broken link.

#[cfg(test)]
mod tests;
pub mod traffic;

use super::memory::repetitions;
use super::polynomial::{MOST, degree_of_check, early_ends};
use super::turns::Lengths;
use super::{prover, verifier};
use core::ops::Range;
use volery_channel::pool::Pool;
use volery_circuit::Size;
use volery_primitives::{Field, MacField};
use volery_proof::verdict::{by_transcript, section};
use volery_vole::macs::FieldMacs;
use volery_vole::ot::softspoken::Depth;
use volery_vole::vole::subfield::{base_error, guess, likeliest};

/// Proves the circuit that is pushed into it.
pub type Prover<'a, B, E> = prover::Prover<'a, FieldMacs<B, E>>;

/// Verifies the circuit that is pushed into it.
pub type Verifier<'a, B, E> = verifier::Verifier<'a, FieldMacs<B, E>>;

/// Blocks of the VOLE for each coin of the verifier.
pub const BLOCKS: usize = 8;

/// Coefficients of polynomials that may wait for coins: a prover with more of them waits itself.
pub(super) const WAITING: usize = 16 * MOST;

/// Slots whose products are combined together: they stay in the first-level cache.
pub(super) const SLOTS: usize = 512;

/// Slots that gates fill before their products are computed: a whole section where other threads do the work.
pub(super) fn slots(pool: &Pool) -> usize {
    if pool.ahead() == 0 { SLOTS } else { usize::MAX }
}

/// The most sections of any VOLE that are shorter than a block.
const SHORT_SECTIONS: u64 = 4;

/// The sections of a statement's blocks, of which both parties see one at a time.
#[derive(Default)]
pub(super) struct Sections<B> {
    /// Blocks drawn, and whose messages were sent and received.
    pub(super) drawn: usize,
    /// The shares of the section in its block.
    range: Range<usize>,
    /// The shares of all sections so far, this one included.
    sectioned: usize,
    /// A correction for each share of the section.
    pub(super) corrections: Vec<B>,
}

impl<B: Field> Sections<B> {
    /// Begins the next section at share `start` of a block of `block` shares. In a half of a proof `lengths`
    /// say how long it is.
    pub(super) fn follow(&mut self, start: usize, block: usize, lengths: Option<&Lengths>) {
        let left = block - start;
        let length = lengths.map_or_else(|| section(self.sectioned, left), |lengths| lengths.next(left));
        self.range = start..start + length;
        self.sectioned += length;
        self.corrections.resize(length, B::ZERO);
    }

    /// Counts the shares of blocks whose corrections are those of a map.
    pub(super) fn pass_over(&mut self, shares: usize) {
        self.sectioned += shares;
    }

    /// Goes to the begin of a block, which the next section is in.
    pub(super) fn begin_block(&mut self) {
        self.range = 0..0;
    }

    /// Opens a section without shares, at the end of a block of `block` shares: what follows a map that ends there
    /// belongs to its batch.
    pub(super) fn stay_at_end(&mut self, block: usize) {
        self.range = block..block;
        self.corrections.clear();
    }

    /// Leaves the shares from `end` on to the next section; they have no corrections in this one.
    pub(super) fn cut(&mut self, end: usize) {
        self.range.end = end;
    }

    /// The first share of the section in its block.
    pub(super) fn start(&self) -> usize {
        self.range.start
    }

    /// The share of the block behind its last one.
    pub(super) fn end(&self) -> usize {
        self.range.end
    }

    /// The shares of the section in the block.
    pub(super) fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// The corrections of the block's shares from `share` on.
    pub(super) fn corrections_from(&mut self, share: usize) -> &mut [B] {
        &mut self.corrections[share - self.range.start..]
    }

    /// Whether the section's end is that of a batch, if the statement goes on after a block of `block`
    /// shares.
    pub(super) fn ends_batch<E: Field>(&self, block: usize) -> bool {
        by_transcript::<E>() || (self.range.end == block && self.drawn.is_multiple_of(BLOCKS))
    }
}

/// The statistical security of a proof in bits, floored: −log2 of the soundness error of a statement of this
/// size over a VOLE with blocks of `block` shares but for `ramp` shorter ones, whose first shares take so many
/// `checks`.
pub fn security<B: Field, E: MacField<B>>(size: Size, (block, ramp): (usize, u64), checks: u64) -> u32 {
    let Size { commitments, matrices, clauses, .. } = size;
    let degree = degree_of_check(size.degree);
    // Batches that end early leave a part of a block unused, at most; and public
    // polynomials make a batch too.
    let early = early_ends(size);
    let blocks = commitments.div_ceil(block as u64).max(1) + ramp + early;
    let batches =
        early + if by_transcript::<E>() { blocks + SHORT_SECTIONS } else { blocks.div_ceil(BLOCKS as u64) };
    let keys = (degree + 2) as f64 * guess::<B, E>();
    let likeliest = likeliest::<B, E>();
    let cancelling = (batches + 2 * matrices + clauses) as f64 * likeliest;
    // Of each epoch to the power of its challenges.
    let longest = if repetitions::<E>() == 1 { 1.0 } else { size.longest as f64 * likeliest };
    let argued = size.tuples as f64 * likeliest * longest;
    let error =
        keys + cancelling + argued + checks as f64 * base_error::<B, E>() + (-Depth::Eight.security()).exp2();
    (-error.log2()).floor() as u32
}
