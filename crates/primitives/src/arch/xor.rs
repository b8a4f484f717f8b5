//! The sum of two words of 128 bits, in one vector. It is no kernel: every processor of the target has the
//! instruction.

use crate::field::F128;

/// `a` + `b`. Of integers the compiler would make two halves in general registers.
#[inline(always)]
pub(crate) fn xor(a: F128, b: F128) -> F128 {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{__m128i, _mm_xor_si128};
        use core::mem::transmute;
        // SAFETY: x86-64 has SSE2, and either type is any 16 bytes.
        unsafe {
            let (a, b) = (transmute::<F128, __m128i>(a), transmute::<F128, __m128i>(b));
            transmute::<__m128i, F128>(_mm_xor_si128(a, b))
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    F128(a.0 ^ b.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_sum_is_that_of_integers(a: u128, b: u128) {
            prop_assert_eq!(xor(F128(a), F128(b)), F128(a ^ b));
        }
    }
}
