//! Arithmetic modulo the prime of a file, whichever it is: what checks a witness, and no proof.
//!
//! Numbers are products by Montgomery: that of a and b is `a·b / 2^256`. Time does not depend on them.

use super::prime::{Limbs, ONE, Prime};

/// An odd modulus below 2^256.
#[derive(Clone, Copy)]
pub(super) struct Montgomery {
    prime: Prime,
    /// -1/p modulo 2^64.
    inverse: u64,
    /// 2^512 modulo p.
    square: Limbs,
}

impl Montgomery {
    pub(super) fn new(prime: Prime) -> Self {
        // Each step doubles the bits that are right.
        let p = prime.limbs[0];
        let inverse =
            (0..6).fold(1u64, |x, _| x.wrapping_mul(2u64.wrapping_sub(p.wrapping_mul(x)))).wrapping_neg();
        let square = (0..512).fold(ONE, |power, _| prime.sum(&power, &power));
        Self { prime, inverse, square }
    }

    /// `a·b / 2^256`.
    #[inline]
    pub(super) fn product(&self, a: &Limbs, b: &Limbs) -> Limbs {
        let p = &self.prime.limbs;
        let mut t = [0u64; 6];
        for b in b {
            let mut carry = 0;
            for j in 0..4 {
                (t[j], carry) = multiply_add(a[j], *b, t[j], carry);
            }
            let (sum, over) = t[4].overflowing_add(carry);
            (t[4], t[5]) = (sum, over.into());
            let m = t[0].wrapping_mul(self.inverse);
            let (_, mut carry) = multiply_add(m, p[0], t[0], 0);
            for j in 1..4 {
                (t[j - 1], carry) = multiply_add(m, p[j], t[j], carry);
            }
            let (sum, over) = t[4].overflowing_add(carry);
            (t[3], t[4]) = (sum, t[5] + u64::from(over));
        }
        self.prime.reduced(&[t[0], t[1], t[2], t[3]], t[4])
    }

    /// `1/a` for a number that is not zero. Time depends on the prime alone.
    pub(super) fn inverse(&self, a: &Limbs) -> Limbs {
        let (factor, exponent) = (self.factor(a), self.prime.minus_two());
        let mut power = self.factor(&ONE);
        for bit in (0..256).rev() {
            power = self.product(&power, &power);
            if exponent[bit / 64] >> (bit % 64) & 1 == 1 {
                power = self.product(&power, &factor);
            }
        }
        self.product(&power, &ONE)
    }

    /// `a · 2^256`: a factor whose product with a number is the plain one.
    pub(super) fn factor(&self, a: &Limbs) -> Limbs {
        self.product(a, &self.square)
    }
}

/// `a·b + c + d`, low and high.
#[inline(always)]
fn multiply_add(a: u64, b: u64, c: u64, d: u64) -> (u64, u64) {
    let sum = u128::from(a) * u128::from(b) + u128::from(c) + u128::from(d);
    (sum as u64, (sum >> 64) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::r1cs::prime::{element, limbs_of};
    use volery_primitives::{Field as _, Goldilocks};

    #[test]
    fn products_are_those_of_the_field() {
        let prime = Prime::of::<Goldilocks>();
        let by = Montgomery::new(prime);
        let numbers = [0, 1, 2, 0xffff_ffff, 0x1234_5678_9abc_def0, prime.limbs[0] - 1];
        for (a, b) in numbers.iter().flat_map(|a| numbers.map(|b| (*a, b))) {
            let [a, b] = [a, b].map(|n| [n, 0, 0, 0]);
            let expected = element::<Goldilocks>(&a) * element::<Goldilocks>(&b);
            assert_eq!(by.product(&by.factor(&a), &b), limbs_of(expected));
        }
        for a in &numbers[1..] {
            let inverse = element::<Goldilocks>(&[*a, 0, 0, 0]).invert();
            assert_eq!(by.inverse(&[*a, 0, 0, 0]), limbs_of(inverse));
        }
    }

    /// The laws that tell a product from any other, modulo primes with a bit to spare and without.
    #[test]
    fn long_primes_reduce() {
        for top in [0x3064_4e72_e131_a029, 0x73ed_a753_299d_7d48, 0xffff_ffff_0000_0001, u64::MAX] {
            let prime = Prime { limbs: [0x43e1_f593_f000_0001, 0x2833_e848_79b9_7091, 7, top], bytes: 32 };
            let by = Montgomery::new(prime);
            let mut x = [5, 6, 7, top - 1];
            for y in [[u64::MAX, u64::MAX, 3, 1], prime.minus_one(), [9, 0, 0, 0]] {
                let z = by.product(&by.factor(&x), &y);
                assert_eq!(by.product(&by.factor(&y), &x), z);
                assert!(
                    prime.read(&z.iter().flat_map(|limb| limb.to_le_bytes()).collect::<Vec<_>>()).is_some()
                );
                let more = prime.sum(&x, &ONE);
                assert_eq!(by.product(&by.factor(&more), &y), prime.sum(&z, &y));
                assert_eq!(by.product(&by.factor(&prime.minus_one()), &z), prime.negated(&z));
                x = z;
            }
        }
    }
}
