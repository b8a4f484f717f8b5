//! Classes of bytes for a reader of JSON.

use volery_channel::error::Result;
use volery_circuit::Backend;
use volery_gadgets::gadget::{Bit, Word};
use volery_primitives::F2;

/// The classes that a byte belongs to, one at most but for digits, and its digit.
pub(super) struct Character<W> {
    pub(super) quote: Bit<W>,
    pub(super) backslash: Bit<W>,
    /// `{` or `[`.
    pub(super) opening: Bit<W>,
    /// `}`.
    pub(super) brace: Bit<W>,
    /// `]`.
    pub(super) bracket: Bit<W>,
    pub(super) colon: Bit<W>,
    pub(super) comma: Bit<W>,
    pub(super) period: Bit<W>,
    /// Space, tab, line feed or carriage return.
    pub(super) white: Bit<W>,
    pub(super) is_digit: Bit<W>,
    /// The value, of a digit.
    pub(super) digit: Word<W, 4>,
    /// The letters of `price` in order.
    pub(super) price: [Bit<W>; 5],
}

impl<W: Copy> Character<W> {
    /// The classes of `byte`: 38 ANDs.
    pub(super) fn of<B: Backend<F = F2, Wire = W>>(b: &mut B, byte: &Word<W, 8>) -> Result<Self> {
        let [d0, d1, d2, d3, h0, h1, h2, h3] = *byte.bits();
        let low = one_hot(b, [d0, d1, d2, d3])?;
        let high = one_hot(b, [h0, h1, h2, h3])?;
        let mut is = |high: Bit<W>, low: Bit<W>| high.and(b, low);
        let quote = is(high[2], low[2])?;
        let backslash = is(high[5], low[12])?;
        let brace = is(high[7], low[13])?;
        let bracket = is(high[5], low[13])?;
        let colon = is(high[3], low[10])?;
        let comma = is(high[2], low[12])?;
        let period = is(high[2], low[14])?;
        let space = is(high[2], low[0])?;
        let letter = |row: usize, column: usize| (high[row], low[column]);
        let letters = [letter(7, 0), letter(7, 2), letter(6, 9), letter(6, 3), letter(6, 5)];
        let mut price = [Bit::Public(false); 5];
        for (bit, (high, low)) in price.iter_mut().zip(letters) {
            *bit = is(high, low)?;
        }
        let breaks = sum(b, &[low[9], low[10], low[13]]);
        let breaks = high[0].and(b, breaks)?;
        let open_rows = high[5].xor(b, high[7]);
        let opening = open_rows.and(b, low[11])?;
        let below_ten = sum(b, &low[..10]);
        let is_digit = high[3].and(b, below_ten)?;
        let white = space.xor(b, breaks);
        let digit = Word::new([d0, d1, d2, d3]);
        Ok(Self {
            quote,
            backslash,
            opening,
            brace,
            bracket,
            colon,
            comma,
            period,
            white,
            is_digit,
            digit,
            price,
        })
    }
}

/// For each value of four bits whether it is theirs: 11 ANDs.
fn one_hot<B: Backend<F = F2>>(b: &mut B, bits: [Bit<B::Wire>; 4]) -> Result<[Bit<B::Wire>; 16]> {
    let [d0, d1, d2, d3] = bits;
    let (columns, rows) = (one_of_four(b, d0, d1)?, one_of_four(b, d2, d3)?);
    let mut all = [Bit::Public(false); 16];
    // One column is set in each row that is, and one row in each column: the last of both is what is left.
    all[12..].copy_from_slice(&columns);
    for row in 0..3 {
        all[4 * row + 3] = rows[row];
        for column in 0..3 {
            let both = rows[row].and(b, columns[column])?;
            all[4 * row + column] = both;
            all[4 * row + 3] = all[4 * row + 3].xor(b, both);
        }
        for column in 0..4 {
            all[12 + column] = all[12 + column].xor(b, all[4 * row + column]);
        }
    }
    Ok(all)
}

/// The four bits of which one is set, by a number of two bits: one AND.
fn one_of_four<B: Backend<F = F2>>(
    b: &mut B,
    low: Bit<B::Wire>,
    high: Bit<B::Wire>,
) -> Result<[Bit<B::Wire>; 4]> {
    let both = low.and(b, high)?;
    let (one, two) = (low.xor(b, both), high.xor(b, both));
    let any = sum(b, &[one, two, both]);
    Ok([any.not(b), one, two, both])
}

/// `Σ bits`, which is their disjunction where one is set at most.
pub(super) fn sum<B: Backend<F = F2>>(b: &mut B, bits: &[Bit<B::Wire>]) -> Bit<B::Wire> {
    bits.iter().fold(Bit::Public(false), |sum, &bit| sum.xor(b, bit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use volery_gadgets::testing::{ands, bit_value, evaluation, secret, value};

    #[test]
    fn every_byte_is_in_its_classes() {
        for byte in 0..=255_u8 {
            let read = Character::of(&mut evaluation(), &secret::<8>(byte.into())).unwrap();
            let [p, r, i, c, e] = read.price;
            let classes: [(Bit<F2>, &[u8]); 15] = [
                (read.quote, b"\""),
                (read.backslash, b"\\"),
                (read.opening, b"{["),
                (read.brace, b"}"),
                (read.bracket, b"]"),
                (read.colon, b":"),
                (read.comma, b","),
                (read.period, b"."),
                (read.white, b" \t\n\r"),
                (read.is_digit, b"0123456789"),
                (p, b"p"),
                (r, b"r"),
                (i, b"i"),
                (c, b"c"),
                (e, b"e"),
            ];
            for (bit, members) in classes {
                assert_eq!(bit_value(bit), members.contains(&byte), "{byte:#x} in {members:?}");
            }
            assert_eq!(value(read.digit), u128::from(byte & 15));
        }
    }

    #[test]
    fn ands_are_pinned() {
        let of_byte = ands(|b| {
            let byte = Word::witness(b)?;
            Character::of(b, &byte).map(drop)
        });
        assert_eq!(of_byte, 38);
    }
}
