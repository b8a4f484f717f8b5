//! Instructions on secret words.

use super::Gates;
use super::secret::Secret;
use crate::decode::{Alu, Sign};
use core::array;
use volery::circuit::gadget::{Bit, Word};
use volery::circuit::stream::{Handle, Recorder};
use volery::circuit::{Backend, Returned};
use volery::{F2, Result};

/// A word in the form of the gadgets.
type Wide = Word<Handle, 32>;

type Backing<'r> = Recorder<'r, F2>;

/// The most ANDs of an instruction: those of `mulh`, of two secret words.
pub const MOST_ANDS: u64 = 2 * 32 * 31 + 32 + 2 * 63;

impl Gates<'_, '_> {
    /// `x ∘ y`, where a bit of either is secret.
    pub(super) fn alu(&mut self, alu: Alu, x: &Secret, y: &Secret) -> Result<Secret> {
        match alu {
            Alu::Xor => Ok(self.xor(x, y)),
            Alu::And => self.and(x, y),
            Alu::Or => self.or(x, y),
            Alu::Sll if let Some(by) = y.low(5) => Ok(x.shift_left(by as usize)),
            Alu::Srl if let Some(by) = y.low(5) => Ok(x.shift_right(by as usize, Sign::Unsigned)),
            Alu::Sra if let Some(by) = y.low(5) => Ok(x.shift_right(by as usize, Sign::Signed)),
            _ => self.called(alu, x, y),
        }
    }

    fn xor(&mut self, x: &Secret, y: &Secret) -> Secret {
        let mut sum = Secret::public(x.value ^ y.value);
        for i in 0..32 {
            let bit = match (x.bit(i), y.bit(i)) {
                (Bit::Public(_), Bit::Public(_)) => continue,
                (Bit::Wire(x), Bit::Wire(y)) => Bit::Wire(self.backend.add(x, y)),
                (Bit::Wire(wire), Bit::Public(false)) | (Bit::Public(false), Bit::Wire(wire)) => {
                    Bit::Wire(wire)
                }
                (Bit::Wire(wire), Bit::Public(true)) | (Bit::Public(true), Bit::Wire(wire)) => {
                    let one = self.one();
                    Bit::Wire(self.backend.add(wire, one))
                }
            };
            sum.set(i, bit);
        }
        sum
    }

    fn and(&mut self, x: &Secret, y: &Secret) -> Result<Secret> {
        let mut product = Secret::public(x.value & y.value);
        for i in 0..32 {
            let bit = match (x.bit(i), y.bit(i)) {
                (Bit::Public(_), Bit::Public(_)) | (Bit::Public(false), _) | (_, Bit::Public(false)) => {
                    continue;
                }
                (Bit::Wire(x), Bit::Wire(y)) => Bit::Wire(self.backend.mul(x, y)?),
                (Bit::Wire(wire), _) | (_, Bit::Wire(wire)) => Bit::Wire(wire),
            };
            product.set(i, bit);
        }
        Ok(product)
    }

    fn or(&mut self, x: &Secret, y: &Secret) -> Result<Secret> {
        let mut either = Secret::public(x.value | y.value);
        for i in 0..32 {
            let bit = match (x.bit(i), y.bit(i)) {
                (Bit::Public(_), Bit::Public(_)) | (Bit::Public(true), _) | (_, Bit::Public(true)) => {
                    continue;
                }
                (Bit::Wire(x), Bit::Wire(y)) => {
                    // Nobody needs the parts of x ⊕ y ⊕ xy.
                    let (both, differ) = (self.backend.mul(x, y)?, self.backend.add(x, y));
                    let bit = self.backend.add(differ, both);
                    self.backend.forget(&[both, differ]);
                    Bit::Wire(bit)
                }
                (Bit::Wire(wire), _) | (_, Bit::Wire(wire)) => Bit::Wire(wire),
            };
            either.set(i, bit);
        }
        Ok(either)
    }

    /// Calls the gadget of an operation, as a function of the recorder.
    fn called(&mut self, alu: Alu, x: &Secret, y: &Secret) -> Result<Secret> {
        let mut key = *b"rv32 \0................";
        key[5] = alu as u8;
        for (place, word) in key[6..].chunks_mut(4).zip([x.known, x.value, y.known, y.value]) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        let mut wires = [Handle::default(); 64];
        let count = x.wires_to(&mut wires);
        let count = count + y.wires_to(&mut wires[count..]);
        let returned = self.backend.call(&key, &wires[..count], |b, wires| {
            let mut wires = wires.iter();
            let mut inside = |outside: &Secret| {
                Wide::new(array::from_fn(|i| match outside.bit(i) {
                    Bit::Wire(_) => Bit::Wire(*wires.next().expect("one for each bit that is secret")),
                    known => known,
                }))
            };
            let (x, y) = (inside(x), inside(y));
            let result = Secret::of(&gates(b, alu, x, y)?);
            let public = [result.known.to_le_bytes(), result.value.to_le_bytes()].concat();
            Ok(Returned { wires: result.wires().collect(), public })
        })?;
        let word = |at: usize| {
            let bytes = returned.public[at..at + 4].try_into().expect("four bytes");
            u32::from_le_bytes(bytes)
        };
        let mut result = Secret::public(word(4));
        result.known = word(0);
        result.fill(&returned.wires);
        Ok(result)
    }
}

/// The gates of an operation.
fn gates(b: &mut Backing<'_>, alu: Alu, x: Wide, y: Wide) -> Result<Wide> {
    let (x_sign, y_sign) = (x.bits()[31], y.bits()[31]);
    let flag = |bit| Word::new(array::from_fn(|i| if i == 0 { bit } else { Bit::Public(false) }));
    match alu {
        Alu::Add => x.add(b, &y),
        Alu::Sub => x.sub(b, &y),
        Alu::Xor => Ok(x.xor(b, &y)),
        Alu::And => x.and(b, &y),
        Alu::Or => {
            let (x, y) = (x.not(b), y.not(b));
            Ok(x.and(b, &y)?.not(b))
        }
        Alu::Slt => {
            let (x, y) = (offset(b, &x), offset(b, &y));
            Ok(flag(x.less_than(b, &y)?))
        }
        Alu::Sltu => Ok(flag(x.less_than(b, &y)?)),
        Alu::Sll => x.shift_left_by(b, &y.resize::<5>()),
        Alu::Srl => x.shift_right_by(b, &y.resize::<5>()),
        Alu::Sra => {
            // Zeros come in where the sign is zero, and where it is one into what is turned over.
            let signs = Word::new([x_sign; 32]);
            let turned = x.xor(b, &signs).shift_right_by(b, &y.resize::<5>())?;
            Ok(turned.xor(b, &signs))
        }
        Alu::Mul => match (Secret::of(&x).low(32), Secret::of(&y).low(32)) {
            (Some(factor), _) => multiple(b, &y, factor),
            (_, Some(factor)) => multiple(b, &x, factor),
            _ => x.mul(b, &y),
        },
        Alu::Mulhu => high(b, &x, &y),
        // A negative factor is 2^32 too large.
        Alu::Mulh => {
            let high = high(b, &x, &y)?;
            let high = less_where(b, &high, x_sign, &y)?;
            less_where(b, &high, y_sign, &x)
        }
        Alu::Mulhsu => {
            let high = high(b, &x, &y)?;
            less_where(b, &high, x_sign, &y)
        }
        Alu::Divu => x.div(b, &y),
        Alu::Remu => Ok(x.div_rem(b, &y)?.1),
        Alu::Div => {
            let (dividend, divisor) = (x.neg_where(b, x_sign)?, y.neg_where(b, y_sign)?);
            let quotient = dividend.div(b, &divisor)?;
            // By zero it is all ones, whatever the sign of the dividend.
            let by_zero = y.is_zero(b)?;
            let differ = x_sign.xor(b, y_sign);
            let counts = by_zero.not(b);
            let negative = differ.and(b, counts)?;
            quotient.neg_where(b, negative)
        }
        Alu::Rem => {
            let (dividend, divisor) = (x.neg_where(b, x_sign)?, y.neg_where(b, y_sign)?);
            let remainder = dividend.div_rem(b, &divisor)?.1;
            remainder.neg_where(b, x_sign)
        }
    }
}

/// The high half of the product.
fn high(b: &mut Backing<'_>, x: &Wide, y: &Wide) -> Result<Wide> {
    // One row for each bit of the first that is set, where it is known.
    let (x, y) = if y.is_public() { (y, x) } else { (x, y) };
    Ok(x.mul_wide(b, y)?.1)
}

/// `word · factor`, by the digits -1, 0 and 1 of the factor, of which no two that stand side by side are set.
fn multiple(b: &mut Backing<'_>, word: &Wide, factor: u32) -> Result<Wide> {
    let (mut product, mut rest) = (Wide::public(0), u64::from(factor));
    for i in 0..32 {
        if rest & 1 == 1 {
            let shifted = word.shift_left(i);
            if rest & 3 == 3 {
                product = product.sub(b, &shifted)?;
                rest += 1;
            } else {
                product = product.add(b, &shifted)?;
            }
        }
        rest >>= 1;
    }
    Ok(product)
}

/// `word - more` where `bit` is one.
fn less_where(b: &mut Backing<'_>, word: &Wide, bit: Bit<Handle>, more: &Wide) -> Result<Wide> {
    let more = more.and(b, &Word::new([bit; 32]))?;
    word.sub(b, &more)
}

/// The word whose order among unsigned ones is that of `word` among signed ones.
fn offset(b: &mut Backing<'_>, word: &Wide) -> Wide {
    let mut bits = *word.bits();
    bits[31] = bits[31].not(b);
    Word::new(bits)
}
