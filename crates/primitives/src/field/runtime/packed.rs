//! The extension of a prime field below 2^30 that is known at run time alone, of so high a degree that it has 2^128
//! elements.
//!
//! It is F_p[X]/(X^d − aX^k − 1), **d being a prime**: then a polynomial f of degree d is irreducible where
//! X^(p^d) is X modulo f and X^p is not. For by the first f divides X^(p^d) − X, the product of all monic
//! irreducible ones of degree 1 or d, each once; and by the second not all of its factors are of degree 1. Both
//! parties find the same one: the least such d from that on for which p^d is 2^128, then the least k, then the
//! least a.
//!
//! An element is four words of **lanes**: a coordinate each, with a bit above the bits that p has, so that sums go
//! lane by lane in whole words. Products are those of polynomials, coefficient by coefficient. All is in constant
//! time for any operands; the field is public.

use super::barrett::Barrett;
use crate::bits::mask;
use crate::integer::U256;

/// The most lanes there are: those of three bits, over the prime 3.
pub(super) const MOST: usize = 84;

/// log2 of the elements that the extension has at least.
const SIZE: u32 = 128;

/// The coefficients of an element, the lowest first, zero from the degree on.
type Coefficients = [u64; MOST];

/// F_p, d, k and a, and the words of lanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Packed {
    base: Barrett,
    degree: usize,
    k: usize,
    a: u64,
    /// The bits of p, which is one less than those of a lane.
    bits: u32,
    /// The lanes of a word.
    lanes: usize,
    /// p in each lane.
    modulus: u64,
    /// The highest bit of each lane.
    highest: u64,
}

impl Packed {
    /// The extension of the field of an odd prime below 2^30.
    pub(super) fn new(base: Barrett) -> Self {
        let p = base.modulus();
        let bits = u64::BITS - p.leading_zeros();
        let lanes = (u64::BITS / (bits + 1)) as usize;
        let ones = (0..lanes).fold(0, |ones, lane| ones | 1 << (lane as u32 * (bits + 1)));
        let of =
            |degree, k, a| Self { base, degree, k, a, bits, lanes, modulus: ones * p, highest: ones << bits };
        let degrees = (least_degree(p)..=4 * lanes).filter(|degree| is_prime(*degree));
        let all =
            degrees.flat_map(|degree| (1..degree).flat_map(move |k| (1..p).map(move |a| (degree, k, a))));
        // Every d-th polynomial or so is irreducible, and there is one for each p below 2^16, which were all tried;
        // from there on those of k = 1 are more than 2^16.
        all.map(|(degree, k, a)| of(degree, k, a)).find(|field| field.is_field()).expect("a trinomial")
    }

    /// Whether the polynomial is irreducible.
    fn is_field(self) -> bool {
        let mut x = [0; MOST];
        x[1] = 1;
        let mut power = self.to_the_p(x);
        power != x && {
            (1..self.degree).for_each(|_| power = self.to_the_p(power));
            power == x
        }
    }

    /// `x` to the power p.
    fn to_the_p(self, x: Coefficients) -> Coefficients {
        let p = self.base.modulus();
        (0..u64::BITS - p.leading_zeros() - 1).rev().fold(x, |power, bit| {
            let square = self.multiplied(&power, &power);
            if p >> bit & 1 == 1 { self.multiplied(&square, &x) } else { square }
        })
    }

    pub(super) const fn degree(self) -> usize {
        self.degree
    }

    /// d, k and a.
    #[cfg(test)]
    pub(super) const fn parts(self) -> (usize, usize, u64) {
        (self.degree, self.k, self.a)
    }

    /// The coordinates of an element.
    #[inline(always)]
    pub(super) fn unpacked(self, words: [u64; 4]) -> Coefficients {
        let (width, lane) = (self.bits + 1, (1 << self.bits) - 1);
        let mut coefficients = [0; MOST];
        for (word, lanes) in words.into_iter().zip(coefficients.chunks_mut(self.lanes)) {
            for (i, coefficient) in (0..).zip(lanes) {
                *coefficient = word >> (i * width) & lane;
            }
        }
        coefficients
    }

    /// The element with these coordinates.
    #[inline(always)]
    pub(super) fn packed(self, coefficients: &Coefficients) -> [u64; 4] {
        let width = self.bits + 1;
        let mut words = [0; 4];
        for (word, lanes) in words.iter_mut().zip(coefficients.chunks(self.lanes)) {
            *word = (0..).zip(lanes).fold(0, |word, (i, coefficient)| word | coefficient << (i * width));
        }
        words
    }

    /// The words of an element from lanes below 2p.
    #[inline(always)]
    fn settled(self, word: u64) -> u64 {
        // A lane's highest bit says whether it is p or more, once as much is added as p is less than that bit.
        let above = (word + (self.highest - self.modulus)) & self.highest;
        word - (self.modulus & (above - (above >> self.bits)))
    }

    /// `a + b`.
    #[inline(always)]
    pub(super) fn sum(self, a: [u64; 4], b: [u64; 4]) -> [u64; 4] {
        core::array::from_fn(|i| self.settled(a[i] + b[i]))
    }

    /// `a - b`.
    #[inline(always)]
    pub(super) fn difference(self, a: [u64; 4], b: [u64; 4]) -> [u64; 4] {
        core::array::from_fn(|i| self.settled(a[i] + (self.modulus - b[i])))
    }

    /// `a·b`.
    pub(super) fn product(self, a: [u64; 4], b: [u64; 4]) -> [u64; 4] {
        self.packed(&self.multiplied(&self.unpacked(a), &self.unpacked(b)))
    }

    fn multiplied(self, a: &Coefficients, b: &Coefficients) -> Coefficients {
        let (degree, k) = (self.degree, self.k);
        // Sums of up to d products, and what is folded once: (d + 2)p² is below 2^63, as d is 5 where p has 30 bits.
        let mut sums = [0; 2 * MOST];
        for (i, a) in a[..degree].iter().enumerate() {
            for (sum, b) in sums[i..].iter_mut().zip(&b[..degree]) {
                *sum += a * b;
            }
        }
        for i in (degree..2 * degree - 1).rev() {
            let above = self.reduced(sums[i]);
            sums[i - degree] += above;
            sums[i - degree + k] += self.a * above;
        }
        let mut product = [0; MOST];
        product.iter_mut().zip(&sums[..degree]).for_each(|(out, sum)| *out = self.reduced(*sum));
        product
    }

    #[inline(always)]
    fn reduced(self, sum: u64) -> u64 {
        self.base.reduce(sum.into())
    }

    /// `x·scalar`, for a scalar below p.
    pub(super) fn scaled(self, x: [u64; 4], scalar: u64) -> [u64; 4] {
        let mut coefficients = self.unpacked(x);
        for coefficient in &mut coefficients[..self.degree] {
            *coefficient = self.reduced(*coefficient * scalar);
        }
        self.packed(&coefficients)
    }

    /// `x·X`.
    pub(super) fn shifted(self, x: [u64; 4]) -> [u64; 4] {
        let mut coefficients = self.unpacked(x);
        coefficients[..self.degree].rotate_right(1);
        // The highest coefficient became the one of 1, as it should.
        let above = coefficients[0];
        coefficients[self.k] = self.reduced(coefficients[self.k] + self.a * above);
        self.packed(&coefficients)
    }

    /// `1/x`, and zero for zero.
    pub(super) fn inverse(self, x: [u64; 4]) -> [u64; 4] {
        let exponent =
            (0..self.degree).fold(U256::from(1_u64), |power, _| power.mul_add(self.base.modulus(), 0).0);
        let exponent = exponent.overflowing_sub(U256::from(2_u64)).0;
        let x = self.unpacked(x);
        let mut one = [0; MOST];
        one[0] = 1;
        let power = (0..exponent.length()).rev().fold(one, |power, bit| {
            let square = self.multiplied(&power, &power);
            if exponent.bit(bit) == 1 { self.multiplied(&square, &x) } else { square }
        });
        self.packed(&power)
    }

    /// The encoding that has a coordinate every `spacing` bits.
    pub(super) fn encoded(self, words: [u64; 4], spacing: u32) -> U256 {
        let coordinates = self.unpacked(words);
        let places = (0..).zip(&coordinates[..self.degree]);
        places.fold(U256::ZERO, |integer, (i, coordinate)| integer | U256::from(*coordinate) << (i * spacing))
    }

    /// The element with that encoding, if it is one.
    pub(super) fn decoded(self, integer: U256, spacing: u32) -> Option<[u64; 4]> {
        let (mut coordinates, mut left, mut canonical) = ([0; MOST], integer, true);
        for coordinate in &mut coordinates[..self.degree] {
            *coordinate = (left & U256::ones(spacing)).low() as u64;
            left = left >> spacing;
            canonical &= *coordinate < self.base.modulus();
        }
        canonical &= left == U256::ZERO;
        // Made in any case: one made on demand would be a branch.
        let lanes = coordinates.map(|coordinate| coordinate & mask(canonical.into()));
        canonical.then_some(self.packed(&lanes))
    }

    /// The element with this one coordinate, or zero where there is no such place.
    pub(super) fn with(self, place: usize, coordinate: u64) -> [u64; 4] {
        let mut coordinates = [0; MOST];
        if let Some(of_place) = coordinates[..self.degree].get_mut(place) {
            *of_place = coordinate;
        }
        self.packed(&coordinates)
    }

    /// The element whose coordinates are the digits of a number in base p.
    pub(super) fn numbered(self, mut number: u64) -> [u64; 4] {
        let (mut coordinates, p) = ([0; MOST], self.base.modulus());
        for coordinate in &mut coordinates[..self.degree] {
            (*coordinate, number) = (number % p, number / p);
        }
        self.packed(&coordinates)
    }

    /// The element whose coordinates are the first digits in base p of the fraction that `words` write behind the
    /// point.
    pub(super) fn digits<const W: usize>(self, words: [u64; W]) -> [u64; 4] {
        let mut digits = [0; MOST];
        self.base.fill_digits(words, &mut digits[..self.degree]);
        self.packed(&digits)
    }
}

/// The least d for which p^d is no less than 2^[`SIZE`].
fn least_degree(p: u64) -> usize {
    let mut power = U256::from(1_u64);
    (0..)
        .find(|_| {
            let least = power.length() > SIZE;
            power = power.mul_add(p, 0).0;
            least
        })
        .expect("powers grow")
}

/// Whether a degree is a prime.
fn is_prime(degree: usize) -> bool {
    degree > 1 && (2..degree).all(|divisor| !degree.is_multiple_of(divisor))
}
