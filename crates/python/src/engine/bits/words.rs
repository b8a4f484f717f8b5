//! Words of any width by the gadgets of five.

use super::{Atom, Gates, foreign, lane, too_wide, word};
use crate::tape::Binary;
use std::fmt::Display;
use volery::Result;
use volery::circuit::gadget::{Bit, Signed, Word, function};
use volery::circuit::stream::Handle;

/// Calls `$by` with the least width of the gadgets' words that `$width` bits fit.
macro_rules! at_width {
    ($width:expr, $by:ident($($argument:expr),*)) => {
        match $width {
            ..=8 => $by::<8>($($argument),*),
            ..=16 => $by::<16>($($argument),*),
            ..=32 => $by::<32>($($argument),*),
            ..=64 => $by::<64>($($argument),*),
            ..=128 => $by::<128>($($argument),*),
            wider => Err(too_wide(wider)),
        }
    };
}

/// Applies an operator to two words. The second operand of a shift may have another width.
pub(super) fn binary(b: Gates<'_, '_>, operator: Binary, x: &[Atom], y: &[Atom]) -> Result<Vec<Atom>> {
    let width = x.len();
    let name = format!("python {operator:?} {width}");
    function(b, &name, &[x, y].concat(), |b, bits| {
        let (x, y) = bits.split_at(width);
        at_width!(width, by(b, operator, x, y))
    })
}

fn by<const N: usize>(b: Gates<'_, '_>, operator: Binary, x: &[Atom], y: &[Atom]) -> Result<Vec<Atom>> {
    let zero = Bit::Public(false);
    let width = x.len();
    let pad = |bits: &[Atom]| word::<N>(bits, zero);
    let pad_signed = |bits: &[Atom]| Signed::from_word(word::<N>(bits, bits.last().copied().unwrap_or(zero)));
    let cut = |word: Word<_, N>| word.bits()[..width].to_vec();
    Ok(match operator {
        Binary::Add => cut(pad(x).add(b, &pad(y))?),
        Binary::Sub => cut(pad(x).sub(b, &pad(y))?),
        Binary::Mul => cut(pad(x).mul(b, &pad(y))?),
        Binary::Equal => vec![pad(x).equal(b, &pad(y))?],
        Binary::Less => vec![pad(x).less_than(b, &pad(y))?],
        Binary::AtMost => vec![pad(x).at_most(b, &pad(y))?],
        Binary::Below => vec![pad_signed(x).less_than(b, &pad_signed(y))?],
        Binary::NotAbove => vec![pad_signed(x).at_most(b, &pad_signed(y))?],
        Binary::Quotient => cut(pad(x).div(b, &pad(y))?),
        Binary::Remainder => cut(pad(x).div_rem(b, &pad(y))?.1),
        Binary::ShiftLeft => shifted(b, y, zero, |b, by| Ok(cut(pad(x).shift_left_by(b, by)?)))?,
        Binary::ShiftRight => shifted(b, y, zero, |b, by| Ok(cut(pad(x).shift_right_by(b, by)?)))?,
        Binary::ShiftSigned => {
            let sign = x.last().copied().unwrap_or(zero);
            shifted(b, y, sign, |b, by| Ok(cut(*pad_signed(x).shift_right_by(b, by)?.word())))?
        }
        Binary::RotateLeft => cut(pad(x).rotate_left_by(b, &word::<8>(y, zero))?),
        Binary::RotateRight => cut(pad(x).rotate_right_by(b, &word::<8>(y, zero))?),
        Binary::Xor | Binary::And | Binary::Or | Binary::Divide => {
            return Err(foreign("an operation of elements"));
        }
    })
}

/// A shift by the low byte of `by`, and all `fill` where it has bits above.
fn shifted(
    b: Gates<'_, '_>,
    by: &[Atom],
    fill: Atom,
    shift: impl FnOnce(Gates<'_, '_>, &Word<Handle, 8>) -> Result<Vec<Atom>>,
) -> Result<Vec<Atom>> {
    let mut out = shift(b, &word(&by[..by.len().min(8)], Bit::Public(false)))?;
    let mut far = Bit::Public(false);
    for high in by.iter().skip(8) {
        far = far.or(b, *high)?;
    }
    for bit in &mut out {
        *bit = far.select(b, fill, *bit)?;
    }
    Ok(out)
}

/// The sum of all lanes.
pub(super) fn sum(b: Gates<'_, '_>, value: &[Atom], width: usize) -> Result<Vec<Atom>> {
    at_width!(width, sum_by(b, value, width))
}

/// Lanes that are added at once: carries of more would wait in longer columns.
const ADDENDS: usize = 16;

fn sum_by<const N: usize>(b: Gates<'_, '_>, value: &[Atom], width: usize) -> Result<Vec<Atom>> {
    let zero = Bit::Public(false);
    let mut sum = vec![zero; width];
    for words in value.chunks(ADDENDS * width) {
        let words = [&sum, words].concat();
        let words: Vec<_> = words.chunks(width).map(|bits| word::<N>(bits, zero)).collect();
        sum = Word::sum(b, &words)?.bits()[..width].to_vec();
    }
    Ok(sum)
}

/// The lane at a secret index, and whether there is one. Each bit of the index halves the candidates.
pub(super) fn pick(
    b: Gates<'_, '_>,
    value: &[Atom],
    width: usize,
    index: &[Atom],
    name: &dyn Display,
) -> Result<Vec<Atom>> {
    let lanes = value.len() / width;
    if index.len() >= 64 || lanes >> index.len() == 0 {
        let count: Vec<_> = (0..index.len()).map(|i| Bit::Public(i < 64 && lanes >> i & 1 == 1)).collect();
        let inside = binary(b, Binary::Less, index, &count)?[0];
        inside.assert_true(b, name)?;
    }
    let mut left = value.to_vec();
    for bit in index {
        let lanes = left.len() / width;
        if lanes < 2 {
            break;
        }
        let mut halves = Vec::with_capacity(lanes.div_ceil(2) * width);
        for i in (0..lanes).step_by(2) {
            let low = lane(&left, i, width);
            match left.get((i + 1) * width..(i + 2) * width) {
                Some(high) => {
                    for (high, low) in high.iter().zip(low) {
                        halves.push(bit.select(b, *high, *low)?);
                    }
                }
                None => halves.extend_from_slice(low),
            }
        }
        left = halves;
    }
    left.truncate(width);
    Ok(left)
}
