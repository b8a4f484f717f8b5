//! What instructions do to secret words: gates of gadgets.

use super::{Wide, known};
use crate::decode::{Alu, Condition};
use core::array;
use volery::circuit::Backend;
use volery::circuit::gadget::{Bit, Word, function};
use volery::circuit::stream::{Handle, Recorder};
use volery::{F2, Result};

type Gates<'r> = Recorder<'r, F2>;

/// `a ∘ b`, where a bit of either is secret.
pub(super) fn alu(b: &mut Gates<'_>, alu: Alu, x: Wide, y: Wide) -> Result<Wide> {
    let amount = |y: &Wide| known(&y.bits()[..5]).map(|amount| amount as usize);
    match alu {
        Alu::Xor => b.scope(|b| Ok(x.xor(b, &y))),
        Alu::And => b.scope(|b| x.and(b, &y)),
        // x ⊕ y ⊕ xy
        Alu::Or => b.scope(|b| {
            let (x, y) = (x.not(b), y.not(b));
            Ok(x.and(b, &y)?.not(b))
        }),
        Alu::Sll if let Some(by) = amount(&y) => Ok(x.shift_left(by)),
        Alu::Srl if let Some(by) = amount(&y) => Ok(x.shift_right(by)),
        Alu::Sra if let Some(by) = amount(&y) => {
            let sign = x.bits()[31];
            Ok(Word::new(array::from_fn(|i| x.bits().get(i + by).copied().unwrap_or(sign))))
        }
        _ => called(b, alu, x, y),
    }
}

/// The same as a function of the recorder, which is recorded once.
fn called(b: &mut Gates<'_>, alu: Alu, x: Wide, y: Wide) -> Result<Wide> {
    let both: Vec<Bit<Handle>> = [x, y].iter().flat_map(Word::bits).copied().collect();
    let bits = function(b, name(alu), &both, |b, both| {
        let word = |at: usize| Word::new(array::from_fn(|i| both[at + i]));
        let result = gates(b, alu, word(0), word(32))?;
        Ok(result.bits().to_vec())
    })?;
    Ok(Word::new(array::from_fn(|i| bits[i])))
}

/// What names the gates of an operation.
fn name(alu: Alu) -> &'static str {
    match alu {
        Alu::Add => "rv32 add",
        Alu::Sub => "rv32 sub",
        Alu::Sll => "rv32 sll",
        Alu::Slt => "rv32 slt",
        Alu::Sltu => "rv32 sltu",
        Alu::Xor => "rv32 xor",
        Alu::Srl => "rv32 srl",
        Alu::Sra => "rv32 sra",
        Alu::Or => "rv32 or",
        Alu::And => "rv32 and",
        Alu::Mul => "rv32 mul",
        Alu::Mulh => "rv32 mulh",
        Alu::Mulhsu => "rv32 mulhsu",
        Alu::Mulhu => "rv32 mulhu",
        Alu::Div => "rv32 div",
        Alu::Divu => "rv32 divu",
        Alu::Rem => "rv32 rem",
        Alu::Remu => "rv32 remu",
    }
}

fn gates(b: &mut Gates<'_>, alu: Alu, x: Wide, y: Wide) -> Result<Wide> {
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
        Alu::Mul => match (known(x.bits()), known(y.bits())) {
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
fn high(b: &mut Gates<'_>, x: &Wide, y: &Wide) -> Result<Wide> {
    // One row for each bit of the first that is set, where it is known.
    let (x, y) = if y.is_public() { (y, x) } else { (x, y) };
    Ok(x.mul_wide(b, y)?.1)
}

/// `word · factor`, by the digits -1, 0 and 1 of the factor, of which no two that stand side by side are set.
fn multiple(b: &mut Gates<'_>, word: &Wide, factor: u32) -> Result<Wide> {
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
fn less_where(b: &mut Gates<'_>, word: &Wide, bit: Bit<Handle>, more: &Wide) -> Result<Wide> {
    let more = more.and(b, &Word::new([bit; 32]))?;
    word.sub(b, &more)
}

/// The word whose order among unsigned ones is that of `word` among signed ones.
fn offset(b: &mut Gates<'_>, word: &Wide) -> Wide {
    let mut bits = *word.bits();
    bits[31] = bits[31].not(b);
    Word::new(bits)
}

/// Whether `condition` holds, where the bits that are known decide it.
pub(super) fn holds(condition: Condition, x: &Wide, y: &Wide) -> Option<bool> {
    match condition {
        Condition::Eq => equal(x, y),
        Condition::Ne => equal(x, y).map(|equal| !equal),
        Condition::Ltu => less(x, y, false),
        Condition::Geu => less(x, y, false).map(|less| !less),
        Condition::Lt => less(x, y, true),
        Condition::Ge => less(x, y, true).map(|less| !less),
    }
}

/// Whether the words are equal: known where they are the same wires, or two bits that are known differ.
fn equal(x: &Wide, y: &Wide) -> Option<bool> {
    let mut same = true;
    for (x, y) in x.bits().iter().zip(y.bits()) {
        match (x, y) {
            (Bit::Public(x), Bit::Public(y)) if x != y => return Some(false),
            (Bit::Public(_), Bit::Public(_)) => {}
            (Bit::Wire(x), Bit::Wire(y)) if x.slot() == y.slot() => {}
            _ => same = false,
        }
    }
    same.then_some(true)
}

/// Whether `x` is less, known where the largest value that one can have decides it.
fn less(x: &Wide, y: &Wide, signed: bool) -> Option<bool> {
    let bounds = |word: &Wide| {
        let of = |unknown: bool| {
            word.bits().iter().enumerate().rev().fold(0u32, |value, (i, bit)| {
                let bit = match bit {
                    Bit::Public(bit) => *bit ^ (signed && i == 31),
                    Bit::Wire(_) => unknown,
                };
                value << 1 | u32::from(bit)
            })
        };
        (of(false), of(true))
    };
    let ((x_least, x_most), (y_least, y_most)) = (bounds(x), bounds(y));
    if x_most < y_least {
        Some(true)
    } else if x_least >= y_most {
        Some(false)
    } else {
        None
    }
}
