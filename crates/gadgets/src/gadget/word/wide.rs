//! Products of twice the width.

use super::{Bit, Word};
use volery_channel::error::Result;
use volery_circuit::Backend;
use volery_primitives::F2;

impl<W: Copy, const N: usize> Word<W, N> {
    /// `self · other` in 2N bits, the low half first: N² ANDs for the products of bits and N(N - 1) for
    /// carries, 2,016 in all where N is 32.
    ///
    /// # Errors
    /// Those of [`Backend::mul`].
    pub fn mul_wide<B: Backend<F = F2, Wire = W>>(&self, b: &mut B, other: &Self) -> Result<(Self, Self)> {
        let mut low = Self::public(0);
        let mut high = Self::public(0);
        for (i, &factor) in self.0.iter().enumerate() {
            let row = other.zip(&Self([factor; N]), |x, y| x.and(b, y))?;
            let mut carry = Bit::Public(false);
            for (sum, bit) in high.0.iter_mut().zip(row.0) {
                let parity = sum.xor(b, bit).xor(b, carry);
                carry = Bit::majority(b, *sum, bit, carry)?;
                *sum = parity;
            }
            // The lowest bit of the sum is final; the rest counts half in the next row.
            low.0[i] = high.0[0];
            high = high.shift_right(1);
            high.0[N - 1] = carry;
        }
        Ok((low, high))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ands, evaluation, secret, value};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn both_halves(x: u64, y: u64) {
            let b = &mut evaluation();
            let (low, high) = secret::<64>(x.into()).mul_wide(b, &secret(y.into())).unwrap();
            prop_assert_eq!(value(low) | value(high) << 64, u128::from(x) * u128::from(y));
            let (low, high) = secret::<5>(x.into()).mul_wide(b, &Word::public(y.into())).unwrap();
            prop_assert_eq!(value(low) | value(high) << 5, u128::from(x & 31) * u128::from(y & 31));
        }
    }

    #[test]
    fn ands_are_pinned() {
        let wide = ands(|b| {
            let (x, y) = (Word::<_, 32>::witness(b)?, Word::witness(b)?);
            x.mul_wide(b, &y).map(drop)
        });
        assert_eq!(wide, 2016);
    }
}
