//! Packed bits.

use zeroize::{DefaultIsZeroes, Zeroize, ZeroizeOnDrop};

pub use crate::arch::transpose;

use crate::arch::{Arch, Triple, f64, opaque};
use crate::field::{F2, F64, F128, Field};

/// All ones where the lowest bit of `bit` is one, zero where it is zero: for a choice without a branch, of
/// which the compiler makes none either.
#[inline(always)]
pub fn mask(bit: u64) -> u64 {
    opaque((bit & 1).wrapping_neg())
}

/// A row of a matrix of bits: a word with a bit for each column.
pub trait Row: DefaultIsZeroes + Send + Sync + 'static {
    /// The number of columns.
    const COLUMNS: usize;

    /// Turns the columns into rows: bit p of row 128·b + j is bit j of block b of column p, which is
    /// `columns[p·B + b]` where there are B blocks.
    ///
    /// # Panics
    /// Where the lengths do not fit.
    fn transpose(arch: Arch, columns: &[F128], rows: &mut [Self]);
}

impl Row for F128 {
    const COLUMNS: usize = 128;

    fn transpose(arch: Arch, columns: &[F128], rows: &mut [Self]) {
        transpose(arch, columns, rows);
    }
}

impl Row for F64 {
    const COLUMNS: usize = 64;

    fn transpose(arch: Arch, columns: &[F128], rows: &mut [Self]) {
        f64::transpose(arch, columns, rows);
    }
}

/// A fixed number of bits, the first in the lowest position of the first byte. Wiped on drop.
#[derive(Clone, Zeroize, ZeroizeOnDrop)]
pub struct Bits {
    words: Vec<u64>,
    length: usize,
}

impl Bits {
    /// `length` zero bits.
    pub fn zeroes(length: usize) -> Self {
        Self { words: vec![0; length.div_ceil(64)], length }
    }

    /// The bits of `words`, 64 in each, the first in the lowest position; zeroes up to `length`.
    ///
    /// # Panics
    /// Where there are more words than `length` bits take.
    pub fn from_words(length: usize, words: impl IntoIterator<Item = u64>) -> Self {
        let mut bits = Self::zeroes(length);
        for (i, word) in words.into_iter().enumerate() {
            bits.words[i] = word;
        }
        bits
    }

    /// All bits, 64 to a word, the first in the lowest position; what follows the last is zero.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// How many bits there are.
    pub const fn len(&self) -> usize {
        self.length
    }

    /// Whether there is none.
    pub const fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The bit at `i`, as 0 or 1.
    ///
    /// # Panics
    /// Where `i` is out of range.
    #[inline(always)]
    pub fn get(&self, i: usize) -> u64 {
        self.words[i / 64] >> (i % 64) & 1
    }

    /// Adds the lowest bit of `bit` to the bit at `i`, in time that does not depend on it.
    ///
    /// # Panics
    /// Where `i` is out of range.
    #[inline(always)]
    pub fn xor(&mut self, i: usize, bit: u64) {
        self.words[i / 64] ^= (bit & 1) << (i % 64);
    }

    /// Whether all bits from `i` on are zero.
    pub fn zero_from(&self, i: usize) -> bool {
        (i..self.length).all(|i| self.get(i) == 0)
    }

    /// Appends the `len().div_ceil(8)` bytes of the bits to `bytes`.
    pub fn write_bytes(&self, bytes: &mut Vec<u8>) {
        let end = bytes.len() + self.length.div_ceil(8);
        for word in &self.words {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        bytes.truncate(end);
    }

    /// Replaces all bits by those of `bytes`; bits beyond [`Bits::len`] are dropped.
    ///
    /// # Panics
    /// Where `bytes` is not `len().div_ceil(8)` long.
    pub fn read_bytes(&mut self, bytes: &[u8]) {
        assert_eq!(bytes.len(), self.length.div_ceil(8));
        for (word, bytes) in self.words.iter_mut().zip(bytes.chunks(8)) {
            let mut padded = [0; 8];
            padded[..bytes.len()].copy_from_slice(bytes);
            *word = u64::from_le_bytes(padded);
        }
        if let (Some(last), tail @ 1..) = (self.words.last_mut(), self.length % 64) {
            *last &= (1 << tail) - 1;
        }
    }
}

/// Writes `values`, eight to a byte, the first in the lowest position; what follows the last is zero.
///
/// # Panics
/// Where `bytes` is not `values.len().div_ceil(8)` long.
pub fn pack(values: &[F2], bytes: &mut [u8]) {
    assert_eq!(bytes.len(), values.len().div_ceil(8));
    let byte = |values: &[F2; 8]| {
        let word = u64::from_le_bytes(values.map(|value| value.to_word() as u8));
        // Bit 8·i goes to bit 56 + i.
        (word.wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
    };
    let (whole, rest) = values.as_chunks();
    bytes.iter_mut().zip(whole).for_each(|(out, values)| *out = byte(values));
    if !rest.is_empty() {
        let mut last = [F2::ZERO; 8];
        last[..rest.len()].copy_from_slice(rest);
        bytes[whole.len()] = byte(&last);
    }
}

/// Fills `values` with what [`pack`] made of them; whether what follows the last is zero.
///
/// # Panics
/// Where `bytes` is not `values.len().div_ceil(8)` long.
pub fn unpack(bytes: &[u8], values: &mut [F2]) -> bool {
    assert_eq!(bytes.len(), values.len().div_ceil(8));
    let mut beyond = 0;
    for (values, &byte) in values.chunks_mut(8).zip(bytes) {
        let bits = spread(byte);
        values.iter_mut().zip(bits).for_each(|(value, bit)| *value = F2::low_bit(bit.into()));
        beyond |= bits[values.len()..].iter().fold(0, |beyond, bit| beyond | bit);
    }
    beyond == 0
}

/// The bits of `byte`, one in each byte.
#[inline(always)]
pub(crate) fn spread(byte: u8) -> [u8; 8] {
    // Bit i alone in byte i, and then in the lowest place of it.
    let alone = u64::from(byte).wrapping_mul(0x0101_0101_0101_0101) & 0x8040_2010_0804_0201;
    let lowest = (alone + 0x7f7f_7f7f_7f7f_7f7f) >> 7 & 0x0101_0101_0101_0101;
    lowest.to_le_bytes()
}

/// The lowest bits of the sums `shares[i] + triples[i][2]`, eight to a byte, the first in the lowest
/// position; what follows the last is zero.
///
/// # Panics
/// Where the lengths differ.
pub fn pack_corrections(shares: &[F128], triples: &[Triple]) -> Vec<u8> {
    assert_eq!(shares.len(), triples.len());
    let lowest = |(share, triple): (&F128, &Triple)| (share.0 ^ triple[2].0) as u64 & 1;
    let (whole, rest) = shares.as_chunks::<8>();
    let (triples, others) = triples.as_chunks::<8>();
    let byte = |shares: &[F128], triples: &[Triple]| {
        let bits = shares.iter().zip(triples).map(lowest).enumerate();
        bits.fold(0, |byte, (i, bit)| byte | bit << i) as u8
    };
    let bytes = whole.iter().zip(triples).map(|(shares, triples)| byte(shares, triples));
    let last = if rest.is_empty() { None } else { Some(byte(rest, others)) };
    bytes.chain(last).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_round_trip_at_every_length() {
        for length in [0, 1, 7, 8, 9, 63, 64, 65, 127, 128, 130] {
            let mut bits = Bits::zeroes(length);
            for i in (0..length).step_by(3) {
                bits.xor(i, 1);
            }
            let mut bytes = vec![];
            bits.write_bytes(&mut bytes);
            let again = Bits::from_words(length, bits.words().iter().copied());
            assert!((0..length).all(|i| again.get(i) == bits.get(i)));
            let mut back = Bits::zeroes(length);
            back.read_bytes(&bytes);
            for i in 0..length {
                assert_eq!(back.get(i), u64::from(i % 3 == 0));
                assert_eq!(bytes[i / 8] >> (i % 8) & 1, u8::from(i % 3 == 0));
            }
        }
    }

    #[test]
    fn what_follows_the_last_bit_is_dropped() {
        let mut bits = Bits::zeroes(3);
        bits.read_bytes(&[0xff]);
        bits.xor(0, 1);
        let mut bytes = vec![];
        bits.write_bytes(&mut bytes);
        assert_eq!(bytes, [0b110]);
        assert!(bits.zero_from(3) && !bits.zero_from(2));
    }

    #[test]
    fn packed_corrections_are_the_lowest_bits() {
        for length in 0..40 {
            let word = |i: usize| F128((i as u128 + 3).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_0c55));
            let shares: Vec<F128> = (0..length).map(word).collect();
            let triples: Vec<Triple> = (0..length).map(|i| [word(i + 1), word(2 * i), word(i * i)]).collect();
            let bytes = pack_corrections(&shares, &triples);
            assert_eq!(bytes.len(), length.div_ceil(8));
            for i in 0..8 * bytes.len() {
                let expected = if i < length { (shares[i] + triples[i][2]).bit0().to_word() } else { 0 };
                assert_eq!(u128::from(bytes[i / 8] >> (i % 8) & 1), expected, "{i} of {length}");
            }
        }
    }

    #[test]
    fn packed_values_come_back() {
        for length in 0..40 {
            let values: Vec<F2> = (0..length).map(|i| F2::low_bit(0xb5_1d3a_92e7u128 >> i)).collect();
            let mut bytes = vec![0xff; values.len().div_ceil(8)];
            pack(&values, &mut bytes);
            assert!((0..length).all(|i| u128::from(bytes[i / 8] >> (i % 8) & 1) == values[i].to_word()));
            let mut again = vec![F2::ONE; length];
            assert!(unpack(&bytes, &mut again));
            assert_eq!(again, values);
            for beyond in length..8 * bytes.len() {
                bytes[length / 8] ^= 1 << (beyond % 8);
                assert!(!unpack(&bytes, &mut again));
                bytes[length / 8] ^= 1 << (beyond % 8);
            }
        }
    }
}
