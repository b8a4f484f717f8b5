//! Numbers of any size, as headers and constants of SIEVE text have them.

use core::fmt;
use volery_primitives::U256;

/// Characters that a number may have.
const LONGEST: usize = 1300;

/// An element of a field of up to 256 bits, least significant word first.
pub(super) type Element = [u64; 4];

/// A number, least significant word first, without zeros at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Number(Vec<u64>);

impl Number {
    /// The number of this value.
    pub(super) fn of(value: u64) -> Self {
        Self(if value == 0 { Vec::new() } else { vec![value] })
    }

    /// The number of this value.
    pub(super) fn of_wide(value: U256) -> Self {
        let mut words = value.limbs().to_vec();
        while words.last() == Some(&0) {
            words.pop();
        }
        Self(words)
    }

    /// The number that `text` writes: in decimal digits, or in others behind `0x`, `0o` or `0b`.
    pub(super) fn parse(text: &[u8]) -> Result<Self, String> {
        if text.len() > LONGEST {
            return Err(format!("a number of more than {LONGEST} characters"));
        }
        let (radix, digits) = match text {
            [b'0', b'x' | b'X', digits @ ..] => (16, digits),
            [b'0', b'o' | b'O', digits @ ..] => (8, digits),
            [b'0', b'b' | b'B', digits @ ..] => (2, digits),
            [b'0', _, ..] => return Err("a number that begins with zero: leave the zero out".into()),
            digits => (10, digits),
        };
        if digits.is_empty() {
            return Err("a number without digits".into());
        }
        let mut words: Vec<u64> = Vec::new();
        for &digit in digits {
            let value = char::from(digit)
                .to_digit(radix)
                .ok_or_else(|| format!("{:?} is no digit of a number in base {radix}", char::from(digit)))?;
            let mut carry = u128::from(value);
            for word in &mut words {
                let sum = u128::from(*word) * u128::from(radix) + carry;
                (*word, carry) = (sum as u64, sum >> 64);
            }
            if carry > 0 {
                words.push(carry as u64);
            }
        }
        Ok(Self(words))
    }

    /// Whether it is two.
    #[inline]
    pub(super) fn is_two(&self) -> bool {
        self.0 == [2]
    }

    /// The number, if it is below 2^64.
    pub(super) fn to_u64(&self) -> Option<u64> {
        match self.0[..] {
            [] => Some(0),
            [word] => Some(word),
            _ => None,
        }
    }

    /// Whether it is more than `value`.
    #[inline(always)]
    pub(super) fn exceeds(&self, value: u64) -> bool {
        match self.0[..] {
            [] => false,
            [word] => word > value,
            _ => true,
        }
    }

    /// The number, if it is below 2^128.
    #[cfg(test)]
    fn to_u128(&self) -> Option<u128> {
        match self.0[..] {
            [low, high] => Some(u128::from(low) | u128::from(high) << 64),
            _ => self.to_u64().map(u128::from),
        }
    }

    /// The number, if it is below 2^256.
    pub(super) fn to_element(&self) -> Option<Element> {
        let mut element = [0; 4];
        element.get_mut(..self.0.len())?.copy_from_slice(&self.0);
        Some(element)
    }

    /// Appends the number in `width` bytes, the least significant first.
    pub(super) fn encode(&self, width: usize, bytes: &mut Vec<u8>) {
        let words = self.0.iter().flat_map(|word| word.to_le_bytes());
        bytes.extend(words.chain(core::iter::repeat(0)).take(width));
    }

    /// The bits of the number.
    pub(super) fn bits(&self) -> u64 {
        self.0.last().map_or(0, |last| 64 * self.0.len() as u64 - u64::from(last.leading_zeros()))
    }

    /// The number less one.
    pub(super) fn minus_one(&self) -> Self {
        let mut words = self.0.clone();
        for word in &mut words {
            let (less, borrow) = word.overflowing_sub(1);
            *word = less;
            if !borrow {
                break;
            }
        }
        while words.last() == Some(&0) {
            words.pop();
        }
        Self(words)
    }

    /// Whether the number is less than `other`.
    pub(super) fn below(&self, other: &Self) -> bool {
        let key = |number: &Self| (number.0.len(), number.0.iter().rev().copied().collect::<Vec<_>>());
        key(self) < key(other)
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A power of ten below 2^64, and its digits.
        const CHUNK: u64 = 1_000_000_000_000_000_000;
        const DIGITS: usize = 18;
        let mut words = self.0.clone();
        let mut chunks = Vec::new();
        while !words.is_empty() {
            let mut rest = 0u128;
            for word in words.iter_mut().rev() {
                let part = rest << 64 | u128::from(*word);
                *word = (part / u128::from(CHUNK)) as u64;
                rest = part % u128::from(CHUNK);
            }
            while words.last() == Some(&0) {
                words.pop();
            }
            chunks.push(rest as u64);
        }
        write!(f, "{}", chunks.pop().unwrap_or(0))?;
        chunks.iter().rev().try_for_each(|chunk| write!(f, "{chunk:0DIGITS$}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_and_written() {
        for text in ["0", "7", "18446744073709551616", "340282366920938463463374607431768211455"] {
            let number = Number::parse(text.as_bytes()).unwrap();
            assert_eq!((number.to_string(), number.to_u128()), (text.into(), Some(text.parse().unwrap())));
        }
        let large = "115792089237316195423570985008687907853269984665640564039457584007908834671663";
        assert_eq!(Number::parse(large.as_bytes()).unwrap().to_string(), large);
        for (text, value) in [("0xFf", 255), ("0o17", 15), ("0B101", 5)] {
            assert_eq!(Number::parse(text.as_bytes()).unwrap(), Number::of(value));
        }
        for text in ["01", "0x", "12a", "0b2", "1_000", &"9".repeat(1301)] {
            assert!(Number::parse(text.as_bytes()).is_err(), "{text}");
        }
        let [small, big] =
            ["255", "18446744073709551616"].map(|text| Number::parse(text.as_bytes()).unwrap());
        assert!(small.below(&big) && !big.below(&small) && !big.below(&big));
        assert_eq!((big.minus_one().to_string(), big.bits()), ("18446744073709551615".into(), 65));
    }
}
