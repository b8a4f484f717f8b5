//! The fields of odd characteristic: what [`Field`] says of them, in the words of [`CheckField`].

use super::CheckField;
use crate::arch::Arch;
use crate::field::{Extension, F61, F61x2, F65537, F65537x4, Field, Goldilocks, Goldilocksx2, Q32, Q32x2};
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
                bytes.copy_from_slice(&self.to_word().to_le_bytes()[..Self::ENCODED]);
            }
            #[inline]
            fn read(bytes: &[u8]) -> Option<Self> {
                let mut word = [0; 16];
                word[..Self::ENCODED].copy_from_slice(bytes);
                Self::from_word(u128::from_le_bytes(word))
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

/// The element whose coordinates are the digits of `integer`, at most two, in base p.
fn from_digits<B: Field, E: Extension<B>>(integer: u64) -> E {
    let p = (-B::ONE).to_word() as u64 + 1;
    let digits = [integer % p, integer / p].map(|digit| {
        let digit = B::from_word(digit.into()).expect("two digits");
        E::from(digit)
    });
    E::pack(&digits[..if integer < p { 1 } else { 2 }])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::laws::check_field;

    fn laws<F: CheckField + Field>() {
        check_field::<F>(&[
            F::ZERO,
            F::ONE,
            -F::ONE,
            F::place(1),
            F::place(F::BITS - 1),
            F::sample(&[!5; 4]),
        ]);
    }

    #[test]
    fn laws_of_each() {
        laws::<F61>();
        laws::<F61x2>();
        laws::<Goldilocks>();
        laws::<Goldilocksx2>();
        laws::<Q32x2>();
        laws::<F65537x4>();
    }

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
    }
}
