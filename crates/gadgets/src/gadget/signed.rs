//! Signed integers in two's complement.

use super::{Bit, Word};
use volery_channel::error::Result;
use volery_circuit::Backend;
use volery_primitives::F2;

/// `N` bits in two's complement: a number from -2^(N-1) to 2^(N-1) - 1. Results that do not fit wrap.
#[derive(Clone, Copy)]
pub struct Signed<W, const N: usize>(Word<W, N>);

impl<W: Copy, const N: usize> Signed<W, N> {
    /// The number whose two's complement is `word`.
    pub fn from_word(word: Word<W, N>) -> Self {
        Self(word)
    }

    /// The two's complement.
    pub fn word(&self) -> &Word<W, N> {
        &self.0
    }

    /// The public number `value`, wrapped to N bits.
    pub fn public(value: i128) -> Self {
        let sign = Bit::Public(value < 0);
        let low = Word::<W, 128>::public(value as u128);
        Self(Word::new(core::array::from_fn(|i| low.bits().get(i).copied().unwrap_or(sign))))
    }

    /// The next `N` bits of the witness, least significant first.
    ///
    /// # Errors
    /// Those of [`Backend::witness`].
    pub fn witness<B: Backend<F = F2, Wire = W>>(b: &mut B) -> Result<Self> {
        Word::witness(b).map(Self)
    }

    /// Whether the number is negative.
    pub fn is_negative(&self) -> Bit<W> {
        self.0.bits().last().copied().unwrap_or(Bit::Public(false))
    }

    /// The number in M bits: its low ones where M is smaller, and copies of the sign
    /// above where it is larger.
    #[must_use]
    pub fn resize<const M: usize>(&self) -> Signed<W, M> {
        let sign = self.is_negative();
        Signed(Word::new(core::array::from_fn(|i| self.0.bits().get(i).copied().unwrap_or(sign))))
    }

    /// `self + other`: N - 1 ANDs.
    ///
    /// # Errors
    /// Those of [`Backend::mul`].
    pub fn add<B: Backend<F = F2, Wire = W>>(&self, b: &mut B, other: &Self) -> Result<Self> {
        self.0.add(b, &other.0).map(Self)
    }

    /// `self - other`: N - 1 ANDs.
    ///
    /// # Errors
    /// Those of [`Backend::mul`].
    pub fn sub<B: Backend<F = F2, Wire = W>>(&self, b: &mut B, other: &Self) -> Result<Self> {
        self.0.sub(b, &other.0).map(Self)
    }

    /// `-self`: N - 2 ANDs.
    ///
    /// # Errors
    /// Those of [`Backend::mul`].
    pub fn neg<B: Backend<F = F2, Wire = W>>(&self, b: &mut B) -> Result<Self> {
        self.0.neg(b).map(Self)
    }

    /// `|self|`, where |-2^(N-1)| wraps to itself: N - 1 ANDs.
    ///
    /// # Errors
    /// Those of [`Backend::mul`].
    pub fn abs<B: Backend<F = F2, Wire = W>>(&self, b: &mut B) -> Result<Self> {
        self.0.neg_where(b, self.is_negative()).map(Self)
    }

    /// `self · other`: as many ANDs as [`Word::mul`].
    ///
    /// # Errors
    /// Those of [`Backend::mul`].
    pub fn mul<B: Backend<F = F2, Wire = W>>(&self, b: &mut B, other: &Self) -> Result<Self> {
        self.0.mul(b, &other.0).map(Self)
    }

    /// `self · other`, and whether it does not fit: 2N² + 4N - 4 ANDs.
    ///
    /// # Errors
    /// Those of [`Backend::mul`].
    pub fn overflowing_mul<B: Backend<F = F2, Wire = W>>(
        &self,
        b: &mut B,
        other: &Self,
    ) -> Result<(Self, Bit<W>)> {
        let (low, mut high) = self.0.mul_wide(b, &other.0)?;
        // As unsigned integers the factors are 2^N more where they are negative.
        for (negative, factor) in [(self.is_negative(), other), (other.is_negative(), self)] {
            let excess = factor.0.and(b, &Word::new([negative; N]))?;
            high = high.sub(b, &excess)?;
        }
        let low = Self(low);
        let fits = high.equal(b, &Word::new([low.is_negative(); N]))?;
        Ok((low, fits.not(b)))
    }

    /// `self / divisor` rounded towards zero, and what is left, which has the sign of `self`, as in C and
    /// Rust: N(N + 1)/2 + 8N - 8 ANDs.
    ///
    /// Divided by zero, the quotient is 1 where `self` is negative and -1 where it is not, and the remainder
    /// `self`. -2^(N-1) divided by -1 wraps to itself.
    ///
    /// # Errors
    /// Those of [`Backend::mul`].
    pub fn div_rem<B: Backend<F = F2, Wire = W>>(&self, b: &mut B, divisor: &Self) -> Result<(Self, Self)> {
        let sign = self.is_negative();
        let (dividend, by) = (self.abs(b)?, divisor.abs(b)?);
        let (quotient, remainder) = dividend.0.div_rem(b, &by.0)?;
        let differ = sign.xor(b, divisor.is_negative());
        let quotient = quotient.neg_where(b, differ)?;
        let remainder = remainder.neg_where(b, sign)?;
        Ok((Self(quotient), Self(remainder)))
    }

    /// `self / divisor` rounded towards zero, as by [`Signed::div_rem`]: 3N - 2 ANDs fewer.
    ///
    /// # Errors
    /// Those of [`Backend::mul`].
    pub fn div<B: Backend<F = F2, Wire = W>>(&self, b: &mut B, divisor: &Self) -> Result<Self> {
        let (dividend, by) = (self.abs(b)?, divisor.abs(b)?);
        let quotient = dividend.0.div(b, &by.0)?;
        let differ = self.is_negative().xor(b, divisor.is_negative());
        quotient.neg_where(b, differ).map(Self)
    }

    /// `self · 2^by`.
    #[must_use]
    pub fn shift_left(&self, by: usize) -> Self {
        Self(self.0.shift_left(by))
    }

    /// `⌊self / 2^by⌋`, rounded towards -∞.
    #[must_use]
    pub fn shift_right(&self, by: usize) -> Self {
        let sign = self.is_negative();
        Self(Word::new(core::array::from_fn(|i| {
            i.checked_add(by).and_then(|i| self.0.bits().get(i)).copied().unwrap_or(sign)
        })))
    }

    /// `self · 2^by`: as many ANDs as [`Word::shift_left_by`].
    ///
    /// # Errors
    /// Those of [`Backend::mul`].
    pub fn shift_left_by<B: Backend<F = F2, Wire = W>, const M: usize>(
        &self,
        b: &mut B,
        by: &Word<W, M>,
    ) -> Result<Self> {
        self.0.shift_left_by(b, by).map(Self)
    }

    /// `⌊self / 2^by⌋`, rounded towards -∞: as many ANDs as [`Word::shift_left_by`].
    ///
    /// # Errors
    /// Those of [`Backend::mul`].
    pub fn shift_right_by<B: Backend<F = F2, Wire = W>, const M: usize>(
        &self,
        b: &mut B,
        by: &Word<W, M>,
    ) -> Result<Self> {
        let empty = Word::new([self.is_negative(); N]);
        let shifted = self.0.shift_by(b, by, &empty, |word, by| Self(*word).shift_right(by).0)?;
        Ok(Self(shifted))
    }

    /// Whether the numbers are equal: N - 1 ANDs.
    ///
    /// # Errors
    /// Those of [`Backend::mul`].
    pub fn equal<B: Backend<F = F2, Wire = W>>(&self, b: &mut B, other: &Self) -> Result<Bit<W>> {
        self.0.equal(b, &other.0)
    }

    /// `self < other`: N ANDs.
    ///
    /// # Errors
    /// Those of [`Backend::mul`].
    pub fn less_than<B: Backend<F = F2, Wire = W>>(&self, b: &mut B, other: &Self) -> Result<Bit<W>> {
        let (x, y) = (self.lifted(b), other.lifted(b));
        x.less_than(b, &y)
    }

    /// `self ≤ other`: N ANDs.
    ///
    /// # Errors
    /// Those of [`Backend::mul`].
    pub fn at_most<B: Backend<F = F2, Wire = W>>(&self, b: &mut B, other: &Self) -> Result<Bit<W>> {
        Ok(other.less_than(b, self)?.not(b))
    }

    /// The smaller of the two: 2N ANDs.
    ///
    /// # Errors
    /// Those of [`Backend::mul`].
    pub fn min<B: Backend<F = F2, Wire = W>>(&self, b: &mut B, other: &Self) -> Result<Self> {
        let less = self.less_than(b, other)?;
        Self::select(b, less, self, other)
    }

    /// The larger of the two: 2N ANDs.
    ///
    /// # Errors
    /// Those of [`Backend::mul`].
    pub fn max<B: Backend<F = F2, Wire = W>>(&self, b: &mut B, other: &Self) -> Result<Self> {
        let less = self.less_than(b, other)?;
        Self::select(b, less, other, self)
    }

    /// `yes` where `bit` is one, `no` where it is zero: N ANDs.
    ///
    /// # Errors
    /// Those of [`Backend::mul`].
    pub fn select<B: Backend<F = F2, Wire = W>>(
        b: &mut B,
        bit: Bit<W>,
        yes: &Self,
        no: &Self,
    ) -> Result<Self> {
        Word::select(b, bit, &yes.0, &no.0).map(Self)
    }

    /// The number plus 2^(N-1), as an unsigned integer: in the same order.
    fn lifted<B: Backend<F = F2, Wire = W>>(&self, b: &mut B) -> Word<W, N> {
        let mut bits = *self.0.bits();
        if let Some(sign) = bits.last_mut() {
            *sign = sign.not(b);
        }
        Word::new(bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{OfTwo, ands, bit_value, evaluation, secret, secret_signed, signed_value};
    use proptest::prelude::*;
    use volery_circuit::stream::Handle;

    /// `value` in N bits.
    fn wrap<const N: usize>(value: i128) -> i128 {
        value << (128 - N) >> (128 - N)
    }

    fn check<const N: usize>(x: i128, y: i128) {
        let b = &mut evaluation();
        let (x, y) = (wrap::<N>(x), wrap::<N>(y));
        let wires = (secret_signed::<N>(x), secret_signed::<N>(y));
        let public = (Signed::public(x), Signed::public(y));
        for (left, right) in [wires, public, (wires.0, public.1), (public.0, wires.1)] {
            let check = |result: Result<Signed<F2, N>>, expected| {
                assert_eq!(signed_value(result.unwrap()), wrap::<N>(expected), "{x} {y}");
            };
            check(left.add(b, &right), x.wrapping_add(y));
            check(left.sub(b, &right), x.wrapping_sub(y));
            check(left.neg(b), x.wrapping_neg());
            check(left.abs(b), x.wrapping_abs());
            check(left.mul(b, &right), x.wrapping_mul(y));
            check(left.min(b, &right), x.min(y));
            check(left.max(b, &right), x.max(y));
            check(Ok(left.shift_right(1)), x >> 1);
            check(Ok(left.shift_left(1)), x << 1);
            let (quotient, remainder) = left.div_rem(b, &right).unwrap();
            let by_zero = if x < 0 { 1 } else { -1 };
            check(Ok(quotient), if y == 0 { by_zero } else { x.wrapping_div(y) });
            check(left.div(b, &right), if y == 0 { by_zero } else { x.wrapping_div(y) });
            check(Ok(remainder), if y == 0 { x } else { x.wrapping_rem(y) });
            assert_eq!(bit_value(left.is_negative()), x < 0);
            assert_eq!(bit_value(left.equal(b, &right).unwrap()), x == y);
            assert_eq!(bit_value(left.less_than(b, &right).unwrap()), x < y);
            assert_eq!(bit_value(left.at_most(b, &right).unwrap()), x <= y);
            let (product, overflow) = left.overflowing_mul(b, &right).unwrap();
            let exact = x.checked_mul(y);
            assert_eq!(signed_value(product), wrap::<N>(x.wrapping_mul(y)));
            assert_eq!(bit_value(overflow), exact.is_none_or(|exact| exact != wrap::<N>(exact)));
        }
    }

    #[test]
    fn all_small_numbers() {
        for (x, y) in (0..1024).map(|both| (both & 31, both >> 5)) {
            // Each number of each width once.
            if x.max(y) < 1 << 2 {
                check::<2>(x, y);
            }
            if x.max(y) < 1 << 4 {
                check::<4>(x, y);
            }
            check::<5>(x, y);
        }
    }

    fn check_widths(x: i128, y: i128, small: u32) {
        check::<9>(x, y);
        check::<32>(x, y);
        check::<64>(x >> 64, y >> (64 + small % 64));
        check::<128>(x, y >> small);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn numbers_of_many_widths(x: i128, y: i128, small in 0..128u32) {
            check_widths(x, y, small);
        }
    }

    proptest! {
        #[test]
        #[ignore = "slow"]
        fn more_numbers_of_many_widths(x: i128, y: i128, small in 0..128u32) {
            check_widths(x, y, small);
        }

        #[test]
        fn shifts_by_secret_amounts(x: i64, by in 0..70u32) {
            let b = &mut evaluation();
            let (number, amount) = (secret_signed::<64>(x.into()), secret::<7>(by.into()));
            let right = number.shift_right_by(b, &amount).unwrap();
            prop_assert_eq!(signed_value(right), i128::from(x >> by.min(63)));
            let left = number.shift_left_by(b, &amount).unwrap();
            prop_assert_eq!(signed_value(left), i128::from(x.checked_shl(by).unwrap_or(0)));
        }
    }

    #[test]
    fn ands_are_pinned() {
        let count = |gate: OfTwo<Signed<Handle, 32>>| {
            ands(|b| {
                let (x, y) = (Signed::witness(b)?, Signed::witness(b)?);
                gate(b, x, y)
            })
        };
        assert_eq!(count(|b, x, y| x.add(b, &y).map(drop)), 31);
        assert_eq!(count(|b, x, y| x.sub(b, &y).map(drop)), 31);
        assert_eq!(count(|b, x, _| x.neg(b).map(drop)), 30);
        assert_eq!(count(|b, x, _| x.abs(b).map(drop)), 31);
        assert_eq!(count(|b, x, y| x.mul(b, &y).map(drop)), 993);
        assert_eq!(count(|b, x, y| x.overflowing_mul(b, &y).map(drop)), 2 * 1024 + 128 - 3);
        assert_eq!(count(|b, x, y| x.div_rem(b, &y).map(drop)), 652 + 4 * 31);
        assert_eq!(count(|b, x, y| x.div(b, &y).map(drop)), 589 + 3 * 31);
        assert_eq!(count(|b, x, y| x.less_than(b, &y).map(drop)), 32);
        assert_eq!(count(|b, x, y| x.max(b, &y).map(drop)), 64);
    }
}
