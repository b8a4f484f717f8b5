//! QuickSilver over two fields in one proof: over F_2 and over a prime field B with MACs in E, with wires
//! that go from one to the other.
//!
//! Relations kept: in each **half** its own, **k = m + w·Δ** ([`super`], [`super::arithmetic`]), under two
//! independent Δ. The halves share a channel and take turns (`turns.rs`): in a half's turn the messages are
//! its own, but that corrections go out by sections of a turn, over F_2, too. Shares over F_2 have to come
//! from a VOLE in which the verifier says nothing after its set-up (SoftSpoken), so that all that the
//! verifier says follows the order of the other half, which hears it late
//! ([`Vole::lag`](volery_vole::vole::Vole::lag)).
//!
//! A bit that is converted is a **pair**: committed to over F_2 and over B, where it is shown to be a bit by
//! its own place in the check of products, b·b = b in place of b·1 = b. A **round** of n pairs makes sure
//! that both are the same, by the parities of K random subsets. The idea is that of checks of doubly
//! authenticated bits in multi-party computation; committed quotients in place of sums under wide masks make
//! it perfectly hiding.
//!
//! | step | from | message | bytes |
//! |---|---|---|---|
//! | 1 | prover | corrections of K mask bits μ_κ, over both fields, that end both halves' sections | K/8, K·b |
//! | 2 | verifier | the batch's coins, and a seed of r_κi, where E is short; else the transcript's | 48; 0 |
//! | 3 | prover | z_κ = μ_κ + Σ r_κi·b_i over F_2 | K/8 |
//! | 4 | prover | corrections of the ℓ bits of Q_κ = (S_κ − z_κ)/2 over B | K·ℓ·b |
//!
//! There ℓ = ⌊log2(n + 1)⌋, and S_κ = μ_κ + Σ r_κi·b_i over B, where b is the bytes of an element. Over F_2
//! that all z_κ are right is asserted at once: Σ_i R_i·(line of b_i), with r_κi in bit κ of R_i, is a line
//! over F_{2^128} whose value they are. Over B, S_κ − z_κ − 2·Q_κ = 0 is asserted for each κ. Both join their
//! half's digest of MACs. At the end each half sends what it does alone, the one over B first, and there is
//! **one verdict**.
//!
//! A **number** of bits is Σ 2^k·b_k, which costs a pair a bit. The **bits of** a number x are pairs with
//! Σ 2^k·b_k − x = 0 over B. Words have so few bits that each is another number
//! ([`widest`]).
//!
//! **Soundness**: what the halves err by, and 2^-K a round ([`security`]). Once both halves have said the
//! corrections of step 1, all bits are fixed, and over B each is 0 or 1. So S_κ is an integer of at most n +
//! 1, and with ℓ bits 2·Q_κ + z_κ is one below 2^(ℓ+1) + 1; both are below p, so that the assertion over B
//! holds of integers, and z_κ is the parity of S_κ. Over F_2 it is that of the bits there. Where any pair
//! differs the two agree for each κ with probability 1/2, independently, whatever the masks are. A prover
//! sees a round's subsets before it commits to the pairs of the next one, which have masks and subsets of
//! their own: in the first round that it cheats in it is found out, but for 2^-K. K is 64 where the verifier
//! tosses coins, and 128 where the transcript chooses, which can be searched.
//!
//! **Zero knowledge**: z_κ is uniform by μ_κ, a bit that is used once, whatever the subsets are; all else is
//! committed to. Lengths follow from the statement. A prover whose witness fails goes on to the end of both
//! halves and closes before either's check: neither what failed nor in which half shows.
//!
//! **Abort**: as in each half. What checks products, assertions and conversions in either half is computed
//! after all messages of both, and ends in one bit, so that the prover does not learn which one has failed;
//! both Δ end with the session. What is no message of an honest prover, and a block of a VOLE that fails its
//! own check, ends the proof where it is met, as it does in a proof of one half.
//!
//! **Memory**: the lines of a round, of [`most_pairs`] pairs: 2 MB of the prover's and 1.5 MB of the
//! verifier's over 2^61 − 1.
//!
//! Sums might run on over all pairs of a statement, with a seed for each batch of them and one told parity
//! for each κ. It would err by as much: a prover that has seen the subsets of one batch can go on cheating in
//! the next until all parities agree.

mod prover;
#[cfg(test)]
mod tests;
mod verifier;

pub use prover::Prover;
pub use verifier::Verifier;

use crate::size;
use core::ops::Add;
use volery_circuit::{Conversions, MixedShape, Size, widest};
use volery_primitives::arch::Arch;
use volery_primitives::prg::{Prg, Seed};
use volery_primitives::{F128, Field, MacField};
use volery_proof::verdict::{Gates, by_transcript};
use volery_vole::macs::{BitMacs, FieldMacs};
use zeroize::{DefaultIsZeroes, Zeroize, Zeroizing};

/// K: the parities that are shown of a round, which depends on whether challenges to values under MACs in `E`
/// are coins.
fn repetitions<E: Field>() -> u32 {
    if by_transcript::<E>() { 128 } else { 64 }
}

/// The most bits of a quotient.
const QUOTIENT: u32 = 15;

/// The largest ℓ: 2^(ℓ+1) + 1 < p, since 2^(w−1) + 1 < p for the w > 2 bits of the [`widest`] word; zero where there
/// are no words.
fn most_quotient<B: Field>() -> u32 {
    QUOTIENT.min((widest::<B>() as u32).saturating_sub(2))
}

/// The most pairs of a round.
///
/// # Panics
/// Where these are fewer than a word has, which they are over no field.
pub fn most_pairs<B: Field>() -> usize {
    let most = (2 << most_quotient::<B>()) - 2;
    assert!(most >= widest::<B>(), "words that a round has no room for");
    most
}

/// ℓ for a round of `n` pairs.
///
/// # Panics
/// Where there are more than [`most_pairs`].
fn quotient<B: Field>(n: usize) -> u32 {
    let bits = (n + 1).ilog2();
    assert!(bits <= most_quotient::<B>(), "a round of {n} pairs");
    bits
}

/// The rounds of a statement of this shape, at most: one ends where the next word has no room.
pub fn rounds<B: Field>(shape: &MixedShape) -> u64 {
    // Of no pairs over a field that words do not fit into.
    shape.conversions.pairs.div_ceil((most_pairs::<B>() - widest::<B>()).max(1) as u64)
}

/// The rounds of a proof, and their conversions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rounds {
    /// The conversions of all rounds.
    pub conversions: Conversions,
    /// The number of rounds.
    pub rounds: u64,
}

/// The gates of both halves, and the rounds between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Both {
    /// The gates over F_2.
    pub bits: Gates,
    /// The gates over the other field.
    pub numbers: Gates,
    /// The rounds between the two.
    pub rounds: Rounds,
}

/// The sizes on which the soundness of each half depends, for a statement of this shape: over F_2 and over
/// `B`, rounds and turns included.
pub fn sizes<B: Field, E: MacField<B>>(shape: &MixedShape) -> [Size; 2] {
    let rounds = rounds::<B>(shape);
    let masks = rounds * u64::from(repetitions::<E>());
    let quotients = u64::from(most_quotient::<B>());
    [
        more(size::<BitMacs>(&shape.bits), masks, rounds),
        more(
            size::<FieldMacs<B, E>>(&shape.numbers),
            masks * (1 + quotients),
            ends::<E>(rounds, shape.turns),
        ),
    ]
}

/// The size with more commitments, and more batches that end early.
fn more(size: Size, commitments: u64, early: u64) -> Size {
    Size {
        commitments: size.commitments + commitments,
        inputs: size.inputs + commitments,
        epochs: size.epochs + early,
        ..size
    }
}

/// The most batches over the other field that end early for so many rounds. Where challenges are the
/// transcript's, each section is a batch, and a turn has ten until sections reach their full length.
fn ends<E: Field>(rounds: u64, turns: u64) -> u64 {
    if by_transcript::<E>() { rounds + 10 * (turns + 4 * rounds + 4) } else { rounds }
}

/// The statistical security of a proof in bits, floored, from that of its halves and the number of its
/// rounds.
pub fn security<E: Field>(halves: [u32; 2], rounds: u64) -> u32 {
    let missed = rounds as f64 * (-f64::from(repetitions::<E>())).exp2();
    let halves: f64 = halves.iter().map(|bits| (-f64::from(*bits)).exp2()).sum();
    (-(halves + missed).log2()).floor() as u32
}

/// The label of the seed of a round's subsets.
const SUBSETS: &str = "quicksilver conversion";

/// The lines of the pairs of a round, of either party. Wiped on drop.
struct Pairs<S: DefaultIsZeroes, T: DefaultIsZeroes> {
    bits: Zeroizing<Vec<S>>,
    numbers: Zeroizing<Vec<T>>,
}

impl<S: DefaultIsZeroes, T: DefaultIsZeroes> Default for Pairs<S, T> {
    fn default() -> Self {
        Self { bits: Zeroizing::default(), numbers: Zeroizing::default() }
    }
}

impl<S: DefaultIsZeroes, T: DefaultIsZeroes> Pairs<S, T> {
    /// The number of pairs.
    fn len(&self) -> usize {
        self.bits.len()
    }

    /// Adds pairs of some bits, of which a round has `most`, and masks.
    fn extend(&mut self, bits: &[S], numbers: &[T], most: usize) {
        assert_eq!(bits.len(), numbers.len());
        // Of its full length from the beginning: what grows leaves copies behind.
        let more = most + 128 - self.len();
        self.bits.reserve_exact(more);
        self.numbers.reserve_exact(more);
        self.bits.extend_from_slice(bits);
        self.numbers.extend_from_slice(numbers);
    }

    /// Forgets all pairs.
    fn clear(&mut self) {
        self.bits.zeroize();
        self.numbers.zeroize();
    }
}

/// 2^k for each bit of the widest word.
fn places<B: Field>() -> Vec<B> {
    (0..widest::<B>() as u32).map(B::place).collect()
}

/// The factors of S_κ, of z_κ and of the ℓ bits of Q_κ in S_κ − z_κ − 2·Q_κ.
fn factors<B: Field>(bits: u32) -> Vec<B> {
    [B::ONE, -B::ONE].into_iter().chain((1..=bits).map(|place| -B::place(place))).collect()
}

/// R_i for each of n pairs, and one of the powers of X for each of K masks behind them.
fn coins(arch: Arch, seed: Seed, n: usize, repetitions: u32) -> Vec<F128> {
    let mut coins = vec![F128::ZERO; n];
    Prg::new(arch, seed).fill(&mut coins);
    let low = u128::MAX >> (128 - repetitions);
    coins.iter_mut().for_each(|coin| coin.0 &= low);
    coins.extend((0..repetitions).map(|place| F128(1 << place)));
    coins
}

/// Σ r_κi·line_i for each subset κ, with r_κi in bit κ of the public coins. It takes eight subsets at a time:
/// each line is added to one of 256 sums, named by its eight coins, and a subset's sum is that of the 128
/// sums whose names have its bit.
fn subset_sums<W>(coins: &[F128], lines: &[W], repetitions: u32) -> Zeroizing<Vec<W>>
where
    W: DefaultIsZeroes + Add<Output = W>,
{
    assert_eq!(coins.len(), lines.len());
    let count = repetitions as usize;
    let mut named = Zeroizing::new(vec![[W::default(); 256]; count.div_ceil(8)]);
    for (coin, line) in coins.iter().zip(lines) {
        // By shifts, since bytes of an array may be loaded from where they were just stored as a whole.
        let mut coins = coin.0;
        for named in named.iter_mut() {
            let sum = &mut named[(coins & 255) as usize];
            *sum = *sum + *line;
            coins >>= 8;
        }
    }
    let mut sums = Zeroizing::new(Vec::with_capacity(count));
    for subset in 0..count {
        let having = named[subset / 8].iter().enumerate().filter(|(coins, _)| coins >> (subset % 8) & 1 == 1);
        sums.push(having.fold(W::default(), |sum, (_, named)| sum + *named));
    }
    sums
}
