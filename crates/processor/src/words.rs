//! Words of 32 bits: numbers, or their wires in a circuit.

pub(crate) mod plain;

pub use plain::Plain;

use crate::decode::{Alu, Condition, Sign, Width};
use volery::Result;
use zeroize::Zeroize;

/// A function that gives each of many words to its argument.
pub type Each<'e, T> = dyn Fn(&mut dyn FnMut(T)) + 'e;

/// An arithmetic of words of 32 bits.
pub trait Words {
    /// A word; it is wiped where it was kept.
    type Word: Copy + Zeroize;

    /// The word that both parties know to be `value`.
    fn public(&mut self, value: u32) -> Self::Word;

    /// The value of `word`, where both parties know it.
    fn value(&self, word: Self::Word) -> Option<u32>;

    /// `a ∘ b`, by the specification of RISC-V: quotients by zero and shifts by 32 and more are words, too.
    ///
    /// # Errors
    /// Those of the backend.
    fn alu(&mut self, alu: Alu, a: Self::Word, b: Self::Word) -> Result<Self::Word>;

    /// Whether `condition` holds, where both parties know that.
    fn holds(&mut self, condition: Condition, a: Self::Word, b: Self::Word) -> Option<bool>;

    /// The part of `word` from byte `at` on, as wide as `width`, with copies of its sign or zeros above.
    fn part(&mut self, word: Self::Word, at: u32, width: Width, sign: Sign) -> Self::Word;

    /// `word` with the low bytes of `part` from byte `at` on.
    fn with_part(&mut self, word: Self::Word, at: u32, width: Width, part: Self::Word) -> Self::Word;

    /// Bytes of the private input that were not taken yet.
    fn private_left(&self) -> usize;

    /// Reads the next bytes of the private input, with zeros above.
    ///
    /// # Errors
    /// Those of the backend.
    fn private(&mut self, width: Width) -> Result<Self::Word>;

    /// Gives out the low bytes of `word`, of which `before` came before.
    ///
    /// # Errors
    /// Those of the backend.
    fn output(&mut self, word: Self::Word, width: Width, before: usize) -> Result<()>;

    /// Shows the low bytes of `word` to the user who runs the program, and nobody else.
    fn message(&mut self, word: Self::Word, width: Width) {
        let _ = (word, width);
    }

    /// Whether there is such a user: a verifier shows nothing.
    fn hears(&self) -> bool {
        false
    }

    /// Whether it is time for [`Words::collect`].
    #[inline(always)]
    fn crowded(&self) -> bool {
        false
    }

    /// Forgets all words but those that `each` gives.
    fn collect(&mut self, each: &Each<'_, Self::Word>) {
        let _ = each;
    }
}
