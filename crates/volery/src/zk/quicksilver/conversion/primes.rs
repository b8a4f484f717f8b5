//! Three halves: bits, and numbers over two prime fields B and C, with words that go between the bits and either.
//!
//! Each of the two pairs of halves, over F_2 and B and over F_2 and C, is as in [`super`]: with pairs, masks,
//! subsets and rounds of its own. A number that becomes one of the others is bits in between, which are
//! committed to once over F_2.
//!
//! Relations kept: as in [`super`], under three independent Δ.
//!
//! | step | from | message | bytes |
//! |---|---|---|---|
//! | | both | those of the turns and rounds of [`super`], in the order of the statement | as there |
//! | 1 | verifier | what it says in a turn over B or C: coins, its messages of the VOLE | as in a proof alone |
//! | 2 | both | the last messages of the half over B, over C, over F_2; then one verdict | as there |
//!
//! **Order.** In a proof with one half over a prime field the prover hears late what the verifier says
//! ([`Vole::lag`](crate::vole::Vole::lag)). Of two such halves each would wait for what the other is to hear
//! first. So here a turn over B or C ends only when the prover has heard all that the verifier says in it
//! (*deviation*): a round trip for each turn in which a block of shares was drawn, or a batch ended. The
//! verifier needs nothing for that but what the turn has sent.
//!
//! **Soundness**: what the three halves err by, and the rounds of both kinds: a wire over F_2 that went to
//! both fields is one commitment, so that the two numbers are the same word.
//!
//! **Zero knowledge, abort**: as in [`super`], of three in the place of two: all is read before any is decided.
//! Who waits for the prover at the end of each turn sees how long each took: hints and what a statement computes
//! outside of the backend are its author's to keep even, as in any proof.

mod prover;
#[cfg(test)]
mod tests;
mod verifier;

pub use prover::Prover;
pub use verifier::Verifier;

use super::{Rounds, more_for_bits, more_for_numbers, rounds, security_of};
use crate::circuit::{PrimesShape, Size};
use crate::zk::quicksilver::size;
use crate::zk::{BitMacs, Gates};
use volery_primitives::{Field, MacField};

/// The gates of all halves, and the rounds between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct All {
    /// Over F_2.
    pub bits: Gates,
    /// Over the field of the numbers.
    pub numbers: Gates,
    /// Over that of the others.
    pub others: Gates,
    /// Between bits and numbers, and between bits and others.
    pub rounds: [Rounds; 2],
}

/// What the soundness of each half depends on, for a statement of this shape: over F_2, `B` and `C`, rounds and
/// turns included.
pub fn sizes<B: Field, E: MacField<B>, C: Field, G: MacField<C>>(shape: &PrimesShape) -> [Size; 3] {
    let [numbers, others] = shape.pairs();
    let bits = size::<BitMacs>(&shape.bits);
    let bits = more_for_bits::<B, E>(more_for_bits::<C, G>(bits, &others), &numbers);
    [bits, more_for_numbers::<B, E>(&numbers), more_for_numbers::<C, G>(&others)]
}

/// The rounds of a statement of this shape, at most.
pub fn most_rounds<B: Field, C: Field>(shape: &PrimesShape) -> [u64; 2] {
    let [numbers, others] = shape.pairs();
    [rounds::<B>(&numbers), rounds::<C>(&others)]
}

/// The statistical security of a proof in bits, floored, whose halves have so many, and which has so many
/// rounds of each kind.
pub fn security<E: Field, G: Field>(halves: [u32; 3], rounds: [u64; 2]) -> u32 {
    security_of(&halves, &[super::missed::<E>(rounds[0]), super::missed::<G>(rounds[1])])
}
