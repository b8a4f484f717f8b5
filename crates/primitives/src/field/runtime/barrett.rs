//! Arithmetic modulo a number of up to 61 bits that is known at run time alone: Barrett's reduction, by a
//! reciprocal that is computed once.
//!
//! With d = p·2^shift, from 2^60 to 2^61, and a reciprocal R = ⌊2^124/d⌋, an integer t below p·2^64 is first
//! moved as p was, t' = t·2^shift. Then q = ⌊⌊t'/2^61⌋·R / 2^63⌋ is the quotient ⌊t'/d⌋ or up to four less:
//! cutting t' and 2^124/d costs less than 2^61/d + t'/2^124, and that is less than four, and the last cut
//! one. So t' − q·d is below 5d, and in 64 bits. All is in constant time for any operands; p is public.

/// A modulus p, and its reciprocal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Barrett {
    p: u64,
    reciprocal: u64,
}

impl Barrett {
    /// The arithmetic modulo an odd p from 3 to 2^61.
    ///
    /// # Panics
    /// For others.
    pub(super) fn new(p: u64) -> Self {
        assert!(p % 2 == 1 && (3..1 << 61).contains(&p), "no modulus of this arithmetic");
        // Of an odd number d is above 2^60, so that the reciprocal is a word.
        let normal = p << (p.leading_zeros() - 3);
        Self { p, reciprocal: ((1 << 124) / u128::from(normal)) as u64 }
    }

    /// The arithmetic modulo p with a reciprocal that [`Barrett::new`] gave.
    #[inline(always)]
    pub(super) const fn of_parts(p: u64, reciprocal: u64) -> Self {
        Self { p, reciprocal }
    }

    pub(super) const fn modulus(self) -> u64 {
        self.p
    }

    pub(super) const fn reciprocal(self) -> u64 {
        self.reciprocal
    }

    /// `t` modulo p, for t below p·2^64: a sum of eight products of integers below p is.
    #[inline(always)]
    pub(super) const fn reduce(self, t: u128) -> u64 {
        let shift = self.p.leading_zeros() - 3;
        let (normal, moved) = (self.p << shift, t << shift);
        let high = (moved >> 61) as u64;
        let quotient = ((high as u128 * self.reciprocal as u128) >> 63) as u64;
        let rest = (moved as u64).wrapping_sub(quotient.wrapping_mul(normal));
        // Below 5d, then below 3d, 2d and d: less 2d each is no smaller than −2^62, and below 2^63.
        let rest = added_back(rest.wrapping_sub(2 * normal), 2 * normal);
        let rest = added_back(rest.wrapping_sub(2 * normal), 2 * normal);
        added_back(rest.wrapping_sub(normal), normal) >> shift
    }

    /// `a + b`, for integers below p.
    #[inline(always)]
    pub(super) const fn sum(self, a: u64, b: u64) -> u64 {
        added_back(a.wrapping_add(b).wrapping_sub(self.p), self.p)
    }

    /// `a - b`, for integers below p.
    #[inline(always)]
    pub(super) const fn difference(self, a: u64, b: u64) -> u64 {
        added_back(a.wrapping_sub(b), self.p)
    }

    /// `a·b`, for integers below p.
    #[inline(always)]
    pub(super) const fn product(self, a: u64, b: u64) -> u64 {
        self.reduce(wide(a, b))
    }

    /// `base` to a public power.
    pub(super) fn power(self, base: u64, exponent: u64) -> u64 {
        (0..u64::BITS - exponent.leading_zeros()).rev().fold(1, |power, bit| {
            let square = self.product(power, power);
            if exponent >> bit & 1 == 1 { self.product(square, base) } else { square }
        })
    }

    /// `1/x` modulo a prime p, and zero for zero.
    pub(super) fn inverse(self, x: u64) -> u64 {
        self.power(x, self.p - 2)
    }

    /// Whether x, which is public and not zero, is a square modulo a prime p.
    pub(super) fn is_square(self, x: u64) -> bool {
        self.power(x, (self.p - 1) / 2) == 1
    }

    /// The first N digits in base p of the fraction that `words` write behind the point, the least
    /// significant word first; the first digit in the end.
    #[inline(always)]
    pub(super) fn digits<const W: usize, const N: usize>(self, words: [u64; W]) -> [u64; N] {
        let mut digits = [0; N];
        self.fill_digits(words, &mut digits);
        digits
    }

    /// Fills `digits` with the first digits of that fraction, as many as there is room for.
    #[inline(always)]
    pub(super) fn fill_digits<const W: usize>(self, mut words: [u64; W], digits: &mut [u64]) {
        for digit in digits.iter_mut().rev() {
            let mut carry = 0;
            for word in &mut words {
                let product = wide(*word, self.p) + carry as u128;
                (*word, carry) = (product as u64, (product >> 64) as u64);
            }
            *digit = carry;
        }
    }
}

/// `a·b`.
#[inline(always)]
pub(super) const fn wide(a: u64, b: u64) -> u128 {
    a as u128 * b as u128
}

/// `x`, and `p` more where it is negative as a signed integer.
#[inline(always)]
const fn added_back(x: u64, p: u64) -> u64 {
    // A sign becomes a mask: of a borrow the compiler makes a branch at times.
    x.wrapping_add(p & (x.cast_signed() >> (u64::BITS - 1)).cast_unsigned())
}

/// Whether `n`, below 2^61, is a prime: Miller and Rabin's test to the first twelve primes as bases, which
/// decides for all below 3.1·10^23 (Sorenson and Webster, Strong pseudoprimes to twelve prime bases, 2017).
///
/// # Panics
/// For larger ones that none of the bases divides.
pub fn is_prime(n: u64) -> bool {
    const BASES: [u64; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];
    if n < 2 {
        return false;
    }
    if let Some(divisor) = BASES.into_iter().find(|base| n.is_multiple_of(*base)) {
        return n == divisor;
    }
    // Odd, and no power of two.
    let modulo = Barrett::new(n);
    let twos = (n - 1).trailing_zeros();
    BASES.into_iter().all(|base| {
        let mut power = modulo.power(base % n, (n - 1) >> twos);
        let mut passes = power == 1 || power == n - 1;
        for _ in 1..twos {
            power = modulo.product(power, power);
            passes |= power == n - 1;
        }
        passes
    })
}
