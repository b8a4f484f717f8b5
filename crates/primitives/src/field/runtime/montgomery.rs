//! Arithmetic modulo an odd number of up to 256 bits that is known at run time alone: Montgomery's reduction.
//!
//! Integers are held as they are, and not times 2^256: one is a constant whatever the modulus. So a product takes
//! two reductions, a·b/2^256 and that times 2^512/2^256. Each is by Koç, Acar and Kaliski's coarsely integrated
//! scanning with a word for the carry, since p may have 256 bits. All is in constant time for any operands; p is
//! public.
#![allow(clippy::needless_range_loop)] // over several arrays at once

use crate::bits::mask;
use crate::integer::U256;

/// Four words, the lowest first.
pub(super) type Limbs = [u64; 4];

/// A modulus p, and what reductions take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Montgomery {
    pub(super) p: Limbs,
    /// −1/p modulo 2^64.
    pub(super) inverse: u64,
    /// 2^512 modulo p.
    pub(super) square: Limbs,
}

/// `a·b + c + d`, low and high: it has no more than 128 bits.
#[inline(always)]
const fn multiply_add(a: u64, b: u64, c: u64, d: u64) -> (u64, u64) {
    let sum = a as u128 * b as u128 + c as u128 + d as u128;
    (sum as u64, (sum >> 64) as u64)
}

impl Montgomery {
    /// The arithmetic modulo an odd p above one.
    ///
    /// # Panics
    /// For others.
    pub(super) fn new(modulus: U256) -> Self {
        let p = modulus.limbs();
        assert!(p[0] & 1 == 1 && modulus > U256::from(1_u64), "no modulus of this arithmetic");
        // Each step doubles the bits that are right.
        let inverse = (0..6)
            .fold(1_u64, |inverse, _| inverse.wrapping_mul(2_u64.wrapping_sub(p[0].wrapping_mul(inverse))));
        let mut modulo = Self { p, inverse: inverse.wrapping_neg(), square: [0; 4] };
        modulo.square = (0..512).fold([1, 0, 0, 0], |power, _| modulo.sum(power, power));
        modulo
    }

    /// An integer of five words that is below 2p, modulo p.
    #[inline(always)]
    fn settled(self, limbs: Limbs, above: u64) -> Limbs {
        let (rest, borrow) = U256::from_limbs(limbs).overflowing_sub(U256::from_limbs(self.p));
        // Less than p where what is borrowed is not there.
        let below = mask(u64::from(borrow) & !above & 1);
        let (rest, limbs) = (rest.limbs(), limbs);
        core::array::from_fn(|i| rest[i] & !below | limbs[i] & below)
    }

    /// `a·b/2^256` modulo p, of any a and a b below p.
    #[inline(always)]
    fn reduced(self, a: Limbs, b: Limbs) -> Limbs {
        let (mut t, mut above) = ([0; 4], 0);
        for b in b {
            let mut carry = 0;
            for j in 0..4 {
                (t[j], carry) = multiply_add(a[j], b, t[j], carry);
            }
            let (high, beyond) = multiply_add(1, above, carry, 0);
            let factor = t[0].wrapping_mul(self.inverse);
            let (_, mut carry) = multiply_add(factor, self.p[0], t[0], 0);
            for j in 1..4 {
                (t[j - 1], carry) = multiply_add(factor, self.p[j], t[j], carry);
            }
            let (top, last) = multiply_add(1, high, carry, 0);
            (t[3], above) = (top, beyond + last);
        }
        self.settled(t, above)
    }

    /// `a + b`, for integers below p.
    #[inline(always)]
    pub(super) fn sum(self, a: Limbs, b: Limbs) -> Limbs {
        let (sum, carry) = U256::from_limbs(a).overflowing_add(U256::from_limbs(b));
        self.settled(sum.limbs(), carry.into())
    }

    /// `a - b`, for integers below p.
    #[inline(always)]
    pub(super) fn difference(self, a: Limbs, b: Limbs) -> Limbs {
        let (rest, below) = U256::from_limbs(a).overflowing_sub(U256::from_limbs(b));
        let below = mask(below.into());
        let back = U256::from_limbs(self.p.map(|limb| limb & below));
        rest.overflowing_add(back).0.limbs()
    }

    /// `a·b`, of any a and a b below p.
    #[inline(always)]
    pub(super) fn product(self, a: Limbs, b: Limbs) -> Limbs {
        self.reduced(self.reduced(a, b), self.square)
    }

    /// Any integer of five words modulo p.
    #[inline(always)]
    pub(super) fn reduce(self, limbs: Limbs, above: u64) -> Limbs {
        let low = self.product(limbs, [1, 0, 0, 0]);
        // Times 2^256.
        self.sum(low, self.reduced([above, 0, 0, 0], self.square))
    }

    /// `base` to a public power.
    pub(super) fn power(self, base: Limbs, exponent: U256) -> Limbs {
        (0..exponent.length()).rev().fold([1, 0, 0, 0], |power, bit| {
            let square = self.product(power, power);
            if exponent.bit(bit) == 1 { self.product(square, base) } else { square }
        })
    }
}

/// Bases that are tried: a number that is not a prime passes each with 1/4 at most, and whoever names one has to find
/// it among all by its digest.
const BASES: usize = 64;

/// Whether `number` is a prime, by Miller and Rabin's test: for a composite number with a probability below 2^-128, over
/// bases that are drawn from it.
pub fn is_prime(number: U256) -> bool {
    let two = U256::from(2_u64);
    if number.bit(0) == 0 || number <= two {
        return number == two;
    }
    let modulo = Montgomery::new(number);
    let minus_one = number.overflowing_sub(U256::from(1_u64)).0;
    let twos = (0..256).find(|bit| minus_one.bit(*bit) == 1).expect("it is not zero");
    let mut bases = blake3::Hasher::new_derive_key("volery bases of a primality test v1");
    bases.update(&number.to_bytes());
    let mut bases = bases.finalize_xof();
    (0..BASES).all(|_| {
        let mut bytes = [0; 40];
        bases.fill(&mut bytes);
        let word = |i: usize| u64::from_le_bytes(*bytes[8 * i..].first_chunk().expect("eight bytes"));
        let base = modulo.reduce(core::array::from_fn(word), word(4));
        let mut power = modulo.power(base, minus_one >> twos);
        // Zero, one and −1 tell nothing.
        if base == [0; 4] || power == [1, 0, 0, 0] {
            return true;
        }
        (0..twos).any(|_| {
            let last = power == minus_one.limbs();
            power = modulo.product(power, power);
            last
        })
    })
}
