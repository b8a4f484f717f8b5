//! Base64 in the standard alphabet (RFC 4648 section 4), of strings whose length is public.

use super::{Bit, Bytes, Word};
use core::array;
use volery_channel::error::{Error, Result};
use volery_circuit::Backend;
use volery_primitives::F2;

/// The `length` bytes that `text` encodes, and whether it does: whether all its characters are in the
/// alphabet, the padding is there and the bits that stand for nothing are zero. Where it does not,
/// the bytes mean nothing.
///
/// 20 ANDs for each character, and less than 20 at the end.
///
/// # Errors
/// `Invalid` where a text of so many bytes has another length; those of [`Backend::mul`].
pub fn base64_decode<W: Copy, B: Backend<F = F2, Wire = W>>(
    b: &mut B,
    text: &Bytes<W>,
    length: usize,
) -> Result<(Bytes<W>, Bit<W>)> {
    let right = 4 * length.div_ceil(3);
    if text.len() != right {
        let message = format!("base64 of {length} bytes has {right} characters, and not {}", text.len());
        return Err(Error::invalid(message));
    }
    let characters = (8 * length).div_ceil(6);
    let mut bits = Vec::<Bit<W>>::with_capacity(6 * characters);
    let mut valid = Bit::Public(true);
    for character in text.iter().take(characters) {
        let (digit, known) = decode(b, character)?;
        bits.extend(digit.bits().iter().rev());
        valid = valid.and(b, known)?;
    }
    for rest in bits.drain(8 * length..) {
        let zero = rest.not(b);
        valid = valid.and(b, zero)?;
    }
    let padding = text.slice(characters..right);
    let padded = padding.equal(b, &Bytes::public(&b"=="[..padding.len()]))?;
    let valid = valid.and(b, padded)?;
    let bytes = bits.as_chunks::<8>().0.iter();
    let bytes = bytes.map(|bits| Word::new(array::from_fn(|i| bits[7 - i]))).collect();
    Ok((bytes, valid))
}

/// `bytes` in base64, padded to a multiple of four characters: 16 ANDs for each character.
///
/// # Errors
/// Those of [`Backend::mul`].
pub fn base64_encode<B: Backend<F = F2>>(b: &mut B, bytes: &Bytes<B::Wire>) -> Result<Bytes<B::Wire>> {
    let mut bits: Vec<_> = bytes.iter().flat_map(|byte| byte.bits().iter().rev()).copied().collect();
    bits.resize(bits.len().next_multiple_of(6), Bit::Public(false));
    let mut text = Vec::with_capacity(bytes.len().div_ceil(3) * 4);
    for bits in bits.as_chunks::<6>().0 {
        text.push(encode(b, &Word::new(array::from_fn(|i| bits[5 - i])))?);
    }
    text.resize(text.len().next_multiple_of(4), Word::public(b'='.into()));
    Ok(text.into_iter().collect())
}

/// The digit of a character, and whether it has one: 19 ANDs.
///
/// Bits 5 and 6 tell `A` to `Z` (10), `a` to `z` (11) and the others (01) apart. In each group the digit is
/// the number n of the five bits below plus a constant, which is linear in the two; but for `+` and `/`, the
/// only others below 16.
fn decode<W: Copy, B: Backend<F = F2, Wire = W>>(
    b: &mut B,
    character: &Word<W, 8>,
) -> Result<(Word<W, 6>, Bit<W>)> {
    let [n0, n1, n2, n3, n4, lower, letter, high] = *character.bits();
    // n - 1, n + 25 or n + 36.
    let upper = lower.not(b);
    let either = lower.xor(b, letter);
    let number = Word::new([n0, n1, n2, n3, n4, Bit::Public(false)]);
    let digit = number.add(b, &Word::new([letter, upper, either, letter, letter, either]))?;
    // This makes 47 of `+`, and 51 of `/`, which n2 is set in.
    let [other, below] = [letter, n4].map(|bit| bit.not(b));
    let sign = other.and(b, below)?;
    let slash = sign.and(b, n2)?;
    let plus = sign.xor(b, slash);
    let zero = Bit::Public(false);
    let digit = digit.xor(b, &Word::new([plus, zero, slash, slash, plus, zero]));

    // Letters have n from 1 to 26.
    let low_pair = n0.and(b, n1)?;
    let three = or(b, n2, low_pair)?;
    let high_pair = n3.and(b, n4)?;
    let beyond_z = high_pair.and(b, three)?;
    let low_zero = n0.xor(b, n1).xor(b, low_pair).not(b);
    let n2_zero = n2.not(b);
    let low_zero = n2_zero.and(b, low_zero)?;
    let high_zero = n3.xor(b, n4).xor(b, high_pair).not(b);
    let before_a = low_zero.and(b, high_zero)?;
    let a_to_z = beyond_z.xor(b, before_a).not(b);
    // Numerals have n from 16 to 25, and the signs 11 and 15.
    let two = or(b, n1, n2)?;
    let beyond_nine = high_pair.and(b, two)?;
    let n3_alone = n3.xor(b, high_pair);
    let signs = n3_alone.and(b, low_pair)?;
    let others = n4.xor(b, beyond_nine).xor(b, signs);
    let others = lower.and(b, others)?;

    let valid = letter.select(b, a_to_z, others)?;
    let ascii = high.not(b);
    Ok((digit, ascii.and(b, valid)?))
}

/// The character of a digit: 16 ANDs.
fn encode<B: Backend<F = F2>>(b: &mut B, digit: &Word<B::Wire, 6>) -> Result<Word<B::Wire, 8>> {
    let [d0, d1, d2, d3, d4, d5] = *digit.bits();
    // From 26 on, from 52 on, from 62 on, and 63.
    let two = or(b, d1, d2)?;
    let ten = d3.and(b, two)?;
    let small = d4.and(b, ten)?;
    let lower = or(b, d5, small)?;
    let high = d4.and(b, d5)?;
    let four = or(b, d2, d3)?;
    let numeral = high.and(b, four)?;
    let both = d2.xor(b, d3);
    let one = high.and(b, both)?;
    let sixty = numeral.xor(b, one);
    let sign = sixty.and(b, d1)?;
    let slash = sign.and(b, d0)?;

    // 65 from 0 on, 71 from 26 on, and 252 from 52 on: digits 62 and 63 become 58 and 59, and differ from `+`
    // and `/` by 17 and 20.
    let mut bits = [d0, d1, d2, d3, d4, d5, Bit::Public(false), Bit::Public(false)];
    let mask = |bit: Bit<B::Wire>, value: u8| {
        Word::<B::Wire, 8>::new(array::from_fn(
            |i| if value >> i & 1 == 1 { bit } else { Bit::Public(false) },
        ))
    };
    let steps = [(Bit::Public(true), 65), (lower, 65 ^ 71), (numeral, 71 ^ 252)];
    let offset =
        steps.iter().fold(Word::public(0), |sum: Word<_, 8>, (bit, value)| sum.xor(b, &mask(*bit, *value)));
    bits = *Word::new(bits).add(b, &offset)?.bits();
    let character = Word::new(bits).xor(b, &mask(sign, 17));
    Ok(character.xor(b, &mask(slash, 17 ^ 20)))
}

fn or<B: Backend<F = F2>>(b: &mut B, x: Bit<B::Wire>, y: Bit<B::Wire>) -> Result<Bit<B::Wire>> {
    let both = x.and(b, y)?;
    Ok(x.xor(b, y).xor(b, both))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gadget::bits_of;
    use base64::Engine;
    use base64::prelude::BASE64_STANDARD;
    use volery_circuit::{Circuit, Clear, Shape};

    /// Decodes a witness text, where it is well-formed.
    fn decoded(text: &[u8], length: usize) -> Option<Vec<u8>> {
        let mut clear = Clear::new(bits_of(text));
        let text = Bytes::witness(&mut clear, text.len()).unwrap();
        let (bytes, valid) = base64_decode(&mut clear, &text, length).unwrap();
        let value = |bit: &Bit<F2>| match bit {
            Bit::Public(bit) => *bit,
            Bit::Wire(bit) => *bit == F2::from(true),
        };
        let byte = |byte: &Word<F2, 8>| (0..8).fold(0, |sum, i| sum | u8::from(value(&byte.bits()[i])) << i);
        value(&valid).then(|| bytes.iter().map(byte).collect())
    }

    #[test]
    fn all_characters_decode_or_not() {
        for character in 0..=255 {
            let text = [character, b'A', b'B', b'C'];
            assert_eq!(decoded(&text, 3), BASE64_STANDARD.decode(text).ok(), "{character}");
        }
    }

    #[test]
    fn texts_decode_to_what_they_encode() {
        for length in 0..12 {
            let bytes: Vec<u8> = (0..length).map(|i| (i * 83 + 250) as u8).collect();
            let text = BASE64_STANDARD.encode(&bytes).into_bytes();
            assert_eq!(decoded(&text, length), Some(bytes.clone()));
            let mut clear = Clear::new(bits_of(&bytes));
            let wires = Bytes::witness(&mut clear, length).unwrap();
            let encoded = base64_encode(&mut clear, &wires).unwrap();
            encoded.assert_equal(&mut clear, &text, "text").unwrap();
        }
        for digits in 0..64 {
            let bytes = [digits << 2, digits << 4 | 1, digits];
            let mut clear = Clear::new(bits_of(&bytes));
            let wires = Bytes::witness(&mut clear, 3).unwrap();
            let encoded = base64_encode(&mut clear, &wires).unwrap();
            encoded.assert_equal(&mut clear, BASE64_STANDARD.encode(bytes).as_bytes(), "text").unwrap();
        }
    }

    #[test]
    fn all_ends_decode_or_not() {
        for (first, second) in (0..=0xffff_u16).map(u16::to_be_bytes).map(|[first, second]| (first, second)) {
            for (text, length) in [([b'+', first, second, b'='], 2), ([first, second, b'=', b'='], 1)] {
                let expected = BASE64_STANDARD.decode(text).ok().filter(|bytes| bytes.len() == length);
                assert_eq!(decoded(&text, length), expected, "{text:?}");
            }
        }
    }

    #[test]
    fn wrong_ends_do_not_decode() {
        assert_eq!(decoded(b"/+8=", 2), Some(vec![0xff, 0xef]));
        for (text, length) in
            [(b"/+9=", 2), (b"/+8A", 2), (b"/+==", 1), (b"/w=A", 1), (b"/wA=", 1), (b"AAA=", 3)]
        {
            assert_eq!(decoded(text, length), None, "{text:?}");
        }
        let mut clear = Clear::<F2>::new(core::iter::empty());
        let refused = base64_decode(&mut clear, &Bytes::public(b"AAAA"), 4).err().unwrap().to_string();
        assert!(refused.contains("base64 of 4 bytes has 8 characters, and not 4"), "{refused}");
    }

    /// A statement that decodes or encodes some number of characters.
    struct Characters {
        count: usize,
        encode: bool,
    }

    impl<B: Backend<F = F2>> Circuit<B> for Characters {
        fn run(&self, b: &mut B) -> Result<()> {
            let bytes = self.count / 4 * 3;
            if self.encode {
                let bytes = Bytes::witness(b, bytes)?;
                return base64_encode(b, &bytes).map(drop);
            }
            let text = Bytes::witness(b, self.count)?;
            base64_decode(b, &text, bytes).map(drop)
        }
    }

    #[test]
    fn ands_of_characters_are_pinned() {
        let ands = |encode| Shape::without_depth::<F2>(&Characters { count: 4, encode }).unwrap().mul;
        assert_eq!([false, true].map(ands), [4 * 20 - 1, 4 * 16]);
    }
}
