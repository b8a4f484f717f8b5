//! Numbers below a prime, as a file writes them: 256 bits at most, in limbs.

use core::fmt::{self, Display};
use volery_primitives::{Field, U256};

/// A number in limbs of 64 bits, least significant first.
pub(super) type Limbs = [u64; 4];

/// The number one.
pub(super) const ONE: Limbs = [1, 0, 0, 0];

/// Primes that circom compiles for, by its name of them: their names, and hexadecimal digits.
const KNOWN: [(&str, &str); 8] = [
    ("bn128", "30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001"),
    ("bls12381", "73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001"),
    ("goldilocks", "ffffffff00000001"),
    ("grumpkin", "30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47"),
    ("bls12377", "12ab655e9a2ca55660b44d1e5c37b00159aa76fed00000010a11800000000001"),
    ("pallas", "40000000000000000000000000000000224698fc094cf91b992d30ed00000001"),
    ("vesta", "40000000000000000000000000000000224698fc0994a8dd8c46eb2100000001"),
    ("secq256r1", "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff"),
];

/// The prime of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Prime {
    pub(super) limbs: Limbs,
    /// The bytes of an element.
    pub(super) bytes: usize,
}

impl Prime {
    /// The modulus of the field `F`, which is to be a prime field of 256 bits at most.
    pub(super) fn of<F: Field>() -> Self {
        let (below, _) = add(&limbs_of(-F::ONE), &ONE);
        Self { limbs: below, bytes: F::bits().div_ceil(64) as usize * 8 }
    }

    /// The number that little-endian `bytes` write, 32 at most, where it is below the prime.
    #[inline(always)]
    pub(super) fn read(&self, bytes: &[u8]) -> Option<Limbs> {
        let number = limbs(bytes);
        is_below(&number, &self.limbs).then_some(number)
    }

    /// The prime less one.
    pub(super) fn minus_one(&self) -> Limbs {
        subtract(&self.limbs, &ONE).0
    }

    /// The prime less two.
    pub(super) fn minus_two(&self) -> Limbs {
        subtract(&self.limbs, &[2, 0, 0, 0]).0
    }

    /// `-number`.
    #[inline]
    pub(super) fn negated(&self, number: &Limbs) -> Limbs {
        self.reduced(&subtract(&self.limbs, number).0, 0)
    }

    /// `a + b`, where they are no more than twice the prime together.
    #[inline]
    pub(super) fn sum(&self, a: &Limbs, b: &Limbs) -> Limbs {
        let (sum, carry) = add(a, b);
        self.reduced(&sum, carry.into())
    }

    /// `number + carry · 2^256`, which is below twice the prime, less the prime where it is not below that.
    #[inline(always)]
    pub(super) fn reduced(&self, number: &Limbs, carry: u64) -> Limbs {
        let (less, borrow) = subtract(number, &self.limbs);
        // All ones where the number is kept.
        let keep = 0u64.wrapping_sub(u64::from(borrow) & (carry ^ 1));
        core::array::from_fn(|i| number[i] & keep | less[i] & !keep)
    }

    /// The name that circom has for it, if any.
    pub(super) fn name(&self) -> Option<&'static str> {
        let digits = hexadecimal(&self.limbs);
        KNOWN.iter().find(|(_, known)| *known == digits).map(|(name, _)| *name)
    }
}

impl Display for Prime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => write!(f, "{name} (0x{})", hexadecimal(&self.limbs)),
            None => write!(f, "0x{}", hexadecimal(&self.limbs)),
        }
    }
}

/// The number that little-endian `bytes` write, 32 at most.
#[inline(always)]
pub(super) fn limbs(bytes: &[u8]) -> Limbs {
    let (words, rest) = bytes.as_chunks();
    let mut limbs = [0; 4];
    for i in 0..words.len().min(4) {
        limbs[i] = u64::from_le_bytes(words[i]);
    }
    // Files have whole words.
    if !rest.is_empty() && words.len() < 4 {
        limbs[words.len()] = short_word(rest);
    }
    limbs
}

/// The number that fewer than eight bytes write.
#[cold]
fn short_word(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(word)
}

/// The element of `F` that the number below its prime encodes.
///
/// # Panics
/// Where the number is not below the prime of `F`.
pub(super) fn element<F: Field>(number: &Limbs) -> F {
    F::from_integer(U256::from_limbs(*number)).expect("a number below the prime")
}

/// The number that encodes an element.
pub(super) fn limbs_of<F: Field>(element: F) -> Limbs {
    element.to_integer().limbs()
}

fn hexadecimal(number: &Limbs) -> String {
    let digits: String = number.iter().rev().map(|limb| format!("{limb:016x}")).collect();
    digits.trim_start_matches('0').to_owned()
}

#[inline(always)]
fn is_below(a: &Limbs, b: &Limbs) -> bool {
    subtract(a, b).1
}

#[inline(always)]
fn add(a: &Limbs, b: &Limbs) -> (Limbs, bool) {
    let (mut sum, mut carry) = ([0; 4], false);
    for i in 0..4 {
        let (limb, first) = a[i].overflowing_add(b[i]);
        let (limb, second) = limb.overflowing_add(carry.into());
        (sum[i], carry) = (limb, first | second);
    }
    (sum, carry)
}

/// `a - b` modulo 2^256, and whether that is negative.
#[inline(always)]
fn subtract(a: &Limbs, b: &Limbs) -> (Limbs, bool) {
    let (mut difference, mut borrow) = ([0; 4], false);
    for i in 0..4 {
        let (limb, first) = a[i].overflowing_sub(b[i]);
        let (limb, second) = limb.overflowing_sub(borrow.into());
        (difference[i], borrow) = (limb, first | second);
    }
    (difference, borrow)
}

#[cfg(test)]
mod tests {
    use super::*;
    use volery_primitives::{F61, Goldilocks};

    #[test]
    fn primes_are_known() {
        let prime = Prime::of::<Goldilocks>();
        assert_eq!((prime.name(), prime.bytes), (Some("goldilocks"), 8));
        assert_eq!(prime.to_string(), "goldilocks (0xffffffff00000001)");
        assert_eq!(Prime::of::<F61>().to_string(), "0x1fffffffffffffff");
        let all_ones = Prime { limbs: [u64::MAX; 4], bytes: 32 };
        assert_eq!(all_ones.sum(&all_ones.minus_one(), &[5, 0, 0, 0]), [4, 0, 0, 0]);
    }

    #[test]
    fn numbers_have_any_length() {
        let bytes: [u8; 32] = core::array::from_fn(|i| i as u8 + 1);
        for length in 0..=32 {
            let mut padded = [0; 32];
            padded[..length].copy_from_slice(&bytes[..length]);
            let expected = padded.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word));
            assert!(limbs(&bytes[..length]).into_iter().eq(expected), "{length}");
        }
    }

    #[test]
    fn sums_are_those_of_the_field() {
        let prime = Prime::of::<Goldilocks>();
        let samples = [0, 1, 2, 0x1234_5678_9abc_def0, prime.limbs[0] - 1, prime.limbs[0] - 2];
        for a in samples {
            let number = [a, 0, 0, 0];
            assert_eq!(limbs_of(element::<Goldilocks>(&number)), number);
            assert_eq!(element::<Goldilocks>(&prime.negated(&number)), -element::<Goldilocks>(&number));
            for b in samples {
                let (sum, other) = (prime.sum(&number, &[b, 0, 0, 0]), element::<Goldilocks>(&[b, 0, 0, 0]));
                assert_eq!(element::<Goldilocks>(&sum), element::<Goldilocks>(&number) + other);
            }
        }
        assert_eq!(prime.read(&prime.limbs[0].to_le_bytes()), None);
        assert_eq!(prime.read(&(prime.limbs[0] - 1).to_le_bytes()), Some(prime.minus_one()));
    }
}
