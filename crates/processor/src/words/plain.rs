//! Words in the clear.

use super::Words;
use crate::decode::{Alu, Condition, Sign, Width};
use volery::Result;
use zeroize::Zeroizing;

/// The most bytes of messages that are kept.
const MOST_MESSAGES: usize = 1 << 20;

/// Numbers, by one who knows the private input.
pub struct Plain<'i> {
    private: &'i [u8],
    taken: usize,
    /// The bytes that were given out.
    pub output: Zeroizing<Vec<u8>>,
    /// The program's messages to the user who runs it; no more than a megabyte is kept.
    pub messages: Zeroizing<Vec<u8>>,
}

impl<'i> Plain<'i> {
    /// The arithmetic of a party whose private input this is.
    pub fn new(private: &'i [u8]) -> Self {
        Self { private, taken: 0, output: Zeroizing::default(), messages: Zeroizing::default() }
    }

    /// Bytes of the private input that the program has taken.
    pub fn taken(&self) -> usize {
        self.taken
    }
}

/// `a ∘ b`.
#[inline(always)]
pub(crate) fn alu(alu: Alu, a: u32, b: u32) -> u32 {
    let wide = |a: i64, b: i64| (a.wrapping_mul(b) >> 32) as u32;
    let [x, y] = [a as i32, b as i32];
    match alu {
        Alu::Add => a.wrapping_add(b),
        Alu::Sub => a.wrapping_sub(b),
        Alu::Sll => a << (b & 31),
        Alu::Slt => u32::from(x < y),
        Alu::Sltu => u32::from(a < b),
        Alu::Xor => a ^ b,
        Alu::Srl => a >> (b & 31),
        Alu::Sra => (x >> (b & 31)) as u32,
        Alu::Or => a | b,
        Alu::And => a & b,
        Alu::Mul => a.wrapping_mul(b),
        Alu::Mulh => wide(x.into(), y.into()),
        Alu::Mulhsu => wide(x.into(), b.into()),
        Alu::Mulhu => ((u64::from(a) * u64::from(b)) >> 32) as u32,
        // By one in the place of zero, and without a branch that says so; of the one quotient that does not fit, the
        // dividend, the lower bits are those.
        Alu::Div => (i64::from(x) / divisor(y)) as u32 | zeros(b),
        Alu::Divu => (i64::from(a) / divisor(b)) as u32 | zeros(b),
        Alu::Rem => (i64::from(x) % divisor(y)) as u32 | (a & zeros(b)),
        Alu::Remu => (i64::from(a) % divisor(b)) as u32 | (a & zeros(b)),
    }
}

/// All ones where `b` is zero, and no bits else.
#[inline(always)]
fn zeros(b: u32) -> u32 {
    u32::from(b == 0).wrapping_neg()
}

/// A divisor, or one in the place of zero.
#[inline(always)]
fn divisor(b: impl Into<i64>) -> i64 {
    let b = b.into();
    b | i64::from(b == 0)
}

/// Whether `condition` holds.
#[inline(always)]
pub(crate) fn holds(condition: Condition, a: u32, b: u32) -> bool {
    match condition {
        Condition::Eq => a == b,
        Condition::Ne => a != b,
        Condition::Lt => (a as i32) < b as i32,
        Condition::Ge => a as i32 >= b as i32,
        Condition::Ltu => a < b,
        Condition::Geu => a >= b,
    }
}

/// The part of a word that [`Words::part`] gives.
#[inline(always)]
pub(crate) fn part(word: u32, at: u32, width: Width, sign: Sign) -> u32 {
    let above = 32 - 8 * width.bytes();
    let top = word << (above - 8 * at);
    match sign {
        Sign::Signed => (top as i32 >> above) as u32,
        Sign::Unsigned => top >> above,
    }
}

/// The word with a part replaced, as [`Words::with_part`] gives it.
#[inline(always)]
pub(crate) fn with_part(word: u32, at: u32, width: Width, part: u32) -> u32 {
    let mask = (u32::MAX >> (32 - 8 * width.bytes())) << (8 * at);
    word & !mask | part << (8 * at) & mask
}

impl Words for Plain<'_> {
    type Word = u32;

    #[inline(always)]
    fn public(&mut self, value: u32) -> u32 {
        value
    }
    #[inline(always)]
    fn value(&self, word: u32) -> Option<u32> {
        Some(word)
    }
    #[inline(always)]
    fn alu(&mut self, op: Alu, a: u32, b: u32) -> Result<u32> {
        Ok(alu(op, a, b))
    }
    #[inline(always)]
    fn holds(&mut self, condition: Condition, a: u32, b: u32) -> Option<bool> {
        Some(holds(condition, a, b))
    }
    #[inline(always)]
    fn part(&mut self, word: u32, at: u32, width: Width, sign: Sign) -> u32 {
        part(word, at, width, sign)
    }
    #[inline(always)]
    fn with_part(&mut self, word: u32, at: u32, width: Width, part: u32) -> u32 {
        with_part(word, at, width, part)
    }
    fn private_left(&self) -> usize {
        self.private.len() - self.taken
    }
    fn private(&mut self, width: Width) -> Result<u32> {
        let mut word = [0; 4];
        let bytes = &self.private[self.taken..self.taken + width.bytes() as usize];
        word[..bytes.len()].copy_from_slice(bytes);
        self.taken += bytes.len();
        Ok(u32::from_le_bytes(word))
    }
    fn output(&mut self, word: u32, width: Width, _: usize) -> Result<()> {
        self.output.extend_from_slice(&word.to_le_bytes()[..width.bytes() as usize]);
        Ok(())
    }
    fn message(&mut self, word: u32, width: Width) {
        if self.hears() {
            self.messages.extend_from_slice(&word.to_le_bytes()[..width.bytes() as usize]);
        }
    }
    fn hears(&self) -> bool {
        self.messages.len() < MOST_MESSAGES
    }
}
