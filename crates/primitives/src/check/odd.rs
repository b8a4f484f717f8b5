//! The fields of odd characteristic: what [`Field`] says of them, in the words of [`CheckField`].

use super::CheckField;
use crate::arch::Arch;
use crate::field::{
    Bls12381, Bn254, Extension, F61, F61x2, F65537, F65537x4, Field, Goldilocks, Goldilocksx2, Q32, Q32x2,
    RuntimeExtension, RuntimePrime, RuntimePrime256,
};
use crate::lanes::Lanes;

/// Implements [`CheckField`] for an extension of a prime field, given [`CheckField::SIZE_BITS`].
macro_rules! check_field {
    ($field:ty, $prime:ty, $size_bits:literal) => {
        impl CheckField for $field {
            const UNIT: Self = Self::ONE;
            const SIZE_BITS: u32 = $size_bits;
            const ENCODED: usize = Self::BYTES;
            const LABEL: &'static str = <Self as Field>::NAME;
            const WORDS: usize = Self::SAMPLE;

            #[inline(always)]
            fn uniform(words: &[u64]) -> Self {
                Self::sample(words)
            }
            fn inverse(self) -> Self {
                self.invert()
            }
            #[inline(always)]
            fn keep(self, mask: u64) -> Self {
                self.masked(mask)
            }
            #[inline]
            fn write(self, bytes: &mut [u8]) {
                self.encode(bytes);
            }
            #[inline]
            fn read(bytes: &[u8]) -> Option<Self> {
                Self::decode(bytes)
            }
            fn point(index: u32) -> Self {
                from_digits::<$prime, Self>(u64::from(index) + 1)
            }
            fn multiply(arch: Arch, a: &[Self], b: &[Self], out: &mut [Self]) {
                out.fill(Self::ZERO);
                <Self as Lanes<$prime>>::add_products(arch, a, b, out);
            }
            super::portable_checks!(scale_all);
            fn dot_product(arch: Arch, a: &[Self], b: &[Self]) -> Self {
                <Self as Lanes<$prime>>::dot(arch, a, b)
            }
            fn fold(arch: Arch, a: &[Self], factors: &[Self], out: &mut [Self]) {
                assert_eq!(out.len(), a.len().div_ceil(factors.len()));
                for (a, out) in a.chunks(factors.len()).zip(out) {
                    *out = Self::dot_product(arch, a, &factors[..a.len()]);
                }
            }
        }
    };
}

check_field!(F61, F61, 60);
check_field!(F61x2, F61, 121);
check_field!(Goldilocks, Goldilocks, 63);
check_field!(Goldilocksx2, Goldilocks, 127);
check_field!(Q32x2, Q32, 63);
check_field!(F65537x4, F65537, 64);
check_field!(Bn254, Bn254, 253);
check_field!(Bls12381, Bls12381, 254);
// At least, whichever prime is chosen.
check_field!(RuntimeExtension, RuntimePrime, 120);
check_field!(RuntimePrime256, RuntimePrime256, 61);

/// The element whose coordinates are the digits of `integer` in base p.
fn from_digits<B: Field, E: Extension<B>>(mut integer: u64) -> E {
    // Of a larger p the integer is the one digit.
    let p = (-B::ONE).to_integer().saturated().saturating_add(1);
    let mut next = || {
        let digit = B::from_word((integer % p).into()).expect("a digit");
        integer /= p;
        (E::from(digit), integer == 0)
    };
    let (first, only) = next();
    if only {
        return first;
    }
    let mut digits = vec![first];
    loop {
        let (digit, last) = next();
        digits.push(digit);
        if last {
            return E::pack(&digits);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of elements is p^N, computed exactly.
    #[test]
    fn sizes() {
        fn bits<F: CheckField>(p: u64, degree: u32) {
            let power = u128::from(p).checked_pow(degree).expect("below 2^128");
            assert_eq!(power.ilog2(), F::SIZE_BITS, "{}", F::LABEL);
        }
        bits::<F61>(F61::MODULUS, 1);
        bits::<F61x2>(F61::MODULUS, 2);
        bits::<Goldilocks>(Goldilocks::MODULUS, 1);
        bits::<Goldilocksx2>(Goldilocks::MODULUS, 2);
        bits::<Q32x2>(Q32::MODULUS.into(), 2);
        bits::<F65537x4>(F65537::MODULUS.into(), 4);
        bits::<RuntimeExtension>(1 << 30, 4);
        assert_eq!(RuntimePrime256::LEAST.length() - 1, RuntimePrime256::SIZE_BITS);
        assert_eq!(Bn254::MODULUS.length() - 1, Bn254::SIZE_BITS);
        assert_eq!(Bls12381::MODULUS.length() - 1, Bls12381::SIZE_BITS);
    }
}
