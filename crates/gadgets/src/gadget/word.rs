//! Words of a fixed width.

mod compare;
mod divide;
mod shift;
mod sum;
mod wide;

pub(super) use sum::add_column;

use super::Bit;
use core::array;
use core::fmt::Display;
use volery_channel::error::Result;
use volery_circuit::Backend;
use volery_primitives::F2;

/// `N` bits, least significant first: a number modulo 2^N.
#[derive(Clone, Copy)]
pub struct Word<W, const N: usize>([Bit<W>; N]);

impl<W: Copy, const N: usize> Word<W, N> {
    /// The word of these bits, least significant first.
    pub fn new(bits: [Bit<W>; N]) -> Self {
        Self(bits)
    }

    /// The public word whose value is `value` modulo 2^N.
    pub fn public(value: u128) -> Self {
        Self(array::from_fn(|i| Bit::Public(i < 128 && value >> i & 1 == 1)))
    }

    /// The next `N` bits of the witness, least significant first.
    ///
    /// # Errors
    /// Those of [`Backend::witness`].
    pub fn witness<B: Backend<F = F2, Wire = W>>(b: &mut B) -> Result<Self> {
        let mut bits = [Bit::Public(false); N];
        for bit in &mut bits {
            *bit = Bit::witness(b)?;
        }
        Ok(Self(bits))
    }

    /// The bits, least significant first.
    pub fn bits(&self) -> &[Bit<W>; N] {
        &self.0
    }

    /// Whether both parties know the word when the circuit is written.
    pub fn is_public(&self) -> bool {
        self.0.iter().all(|bit| matches!(bit, Bit::Public(_)))
    }

    /// `self ⊕ other`, bit by bit.
    pub fn xor<B: Backend<F = F2, Wire = W>>(&self, b: &mut B, other: &Self) -> Self {
        Self(array::from_fn(|i| self.0[i].xor(b, other.0[i])))
    }

    /// `self ∧ other`, bit by bit: N ANDs.
    ///
    /// # Errors
    /// Those of [`Backend::mul`].
    pub fn and<B: Backend<F = F2, Wire = W>>(&self, b: &mut B, other: &Self) -> Result<Self> {
        self.zip(other, |x, y| x.and(b, y))
    }

    /// `¬self`, bit by bit.
    #[must_use]
    pub fn not<B: Backend<F = F2, Wire = W>>(&self, b: &mut B) -> Self {
        Self(self.0.map(|bit| bit.not(b)))
    }

    /// The word turned by `by` bits towards the less significant end, modulo N.
    #[must_use]
    pub fn rotate_right(&self, by: usize) -> Self {
        Self(array::from_fn(|i| self.0[(i + by % N) % N]))
    }

    /// The word turned by `by` bits towards the more significant end, modulo N.
    #[must_use]
    pub fn rotate_left(&self, by: usize) -> Self {
        self.rotate_right(N - by % N)
    }

    /// `⌊self / 2^by⌋`.
    #[must_use]
    pub fn shift_right(&self, by: usize) -> Self {
        Self(array::from_fn(|i| {
            i.checked_add(by).and_then(|i| self.0.get(i)).copied().unwrap_or(Bit::Public(false))
        }))
    }

    /// `self · 2^by` modulo 2^N.
    #[must_use]
    pub fn shift_left(&self, by: usize) -> Self {
        Self(array::from_fn(|i| i.checked_sub(by).map_or(Bit::Public(false), |i| self.0[i])))
    }

    /// `self + other` modulo 2^N: one AND for each carry, N - 1 in all.
    ///
    /// # Errors
    /// Those of [`Backend::mul`].
    pub fn add<B: Backend<F = F2, Wire = W>>(&self, b: &mut B, other: &Self) -> Result<Self> {
        let mut carry = Bit::Public(false);
        let mut sum = [Bit::Public(false); N];
        for (i, bit) in sum.iter_mut().enumerate() {
            let (x, y) = (self.0[i], other.0[i]);
            let x_carry = x.xor(b, carry);
            *bit = x_carry.xor(b, y);
            if i + 1 < N {
                carry = match (x, y) {
                    // Free, unlike the next arm, whose operands both hide the carry.
                    (Bit::Public(_), Bit::Public(_)) => Bit::majority(b, x, y, carry)?,
                    // The majority again, from a sum that is at hand.
                    _ => {
                        let y_carry = y.xor(b, carry);
                        x_carry.and(b, y_carry)?.xor(b, carry)
                    }
                };
            }
        }
        Ok(Self(sum))
    }

    /// `self · other` modulo 2^N, gate by gate: N(N + 1)/2 ANDs for the products of bits and (N -
    /// 1)(N - 2)/2 for carries, 993 in all where N is 32.
    /// [`products_with_holes`](super::products_with_holes) commits to less.
    ///
    /// # Errors
    /// Those of [`Backend::mul`].
    pub fn mul<B: Backend<F = F2, Wire = W>>(&self, b: &mut B, other: &Self) -> Result<Self> {
        b.scope(|b| {
            let mut sum = Self::public(0);
            for (i, &bit) in self.0.iter().enumerate() {
                let row = other.shift_left(i).zip(&Self([bit; N]), |x, y| x.and(b, y))?;
                sum = sum.add(b, &row)?;
            }
            Ok(sum)
        })
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
        yes.zip(no, |yes, no| bit.select(b, yes, no))
    }

    /// Demands that the word is `expected`; bit i is asserted as `name[i]`.
    ///
    /// # Errors
    /// Those of [`Backend::assert_zero`].
    pub fn assert_equal<B: Backend<F = F2, Wire = W>>(
        &self,
        b: &mut B,
        expected: &Self,
        name: impl Display,
    ) -> Result<()> {
        for (i, (bit, expected)) in self.0.iter().zip(expected.0).enumerate() {
            bit.assert_equal(b, expected, format_args!("{name}[{i}]"))?;
        }
        Ok(())
    }

    fn zip(&self, other: &Self, mut gate: impl FnMut(Bit<W>, Bit<W>) -> Result<Bit<W>>) -> Result<Self> {
        let mut out = self.0;
        for (out, &other) in out.iter_mut().zip(&other.0) {
            *out = gate(*out, other)?;
        }
        Ok(Self(out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use volery_circuit::stream::Streamed;
    use volery_circuit::{Circuit, Clear, Shape};

    /// Asserts each operation on two witness words against its values.
    struct Arithmetic {
        expected: [u16; 8],
    }

    impl<B: Backend<F = F2>> Circuit<B> for Arithmetic {
        fn run(&self, b: &mut B) -> Result<()> {
            let (x, y) = (Word::<_, 16>::witness(b)?, Word::witness(b)?);
            let results = [
                x.xor(b, &y),
                x.and(b, &y)?,
                x.add(b, &y)?,
                x.not(b).rotate_left(5),
                x.shift_right(3),
                y.shift_left(19).xor(b, &y.shift_left(4)),
                Word::select(b, x.bits()[0], &x, &y)?,
                x.mul(b, &y)?,
            ];
            for (i, (result, expected)) in results.iter().zip(self.expected).enumerate() {
                result.assert_equal(b, &Word::public(expected.into()), format_args!("result{i}"))?;
            }
            Ok(())
        }
    }

    proptest! {
        #[test]
        fn words_compute_as_integers_in_circuits(x: u16, y: u16, wrong in 0..8usize, bit in 0..16u32) {
            let mut expected = [
                x ^ y,
                x & y,
                x.wrapping_add(y),
                (!x).rotate_left(5),
                x >> 3,
                y << 4,
                if x & 1 == 1 { x } else { y },
                x.wrapping_mul(y),
            ];
            let witness = || (0..32).map(|i| F2::low_bit((u128::from(x) | u128::from(y) << 16) >> i));
            let mut clear = Clear::new(witness());
            Streamed(&Arithmetic { expected }).run(&mut clear).unwrap();
            clear.finish().unwrap();
            expected[wrong] ^= 1 << bit;
            let refused = Streamed(&Arithmetic { expected }).run(&mut Clear::new(witness())).unwrap_err();
            prop_assert!(refused.to_string().contains(&format!(": result{wrong}[{bit}] ")), "{refused}");
        }

        #[test]
        fn public_words_cost_nothing(x: u128, y: u128) {
            let mut clear = Clear::<F2>::new(std::iter::empty());
            let sum = Word::<_, 128>::public(x).add(&mut clear, &Word::public(y)).unwrap();
            sum.assert_equal(&mut clear, &Word::public(x.wrapping_add(y)), "sum").unwrap();
            let product = Word::<_, 128>::public(x).mul(&mut clear, &sum).unwrap();
            let expected = Word::public(x.wrapping_mul(x.wrapping_add(y)));
            product.assert_equal(&mut clear, &expected, "product").unwrap();
            prop_assert!(sum.is_public() && product.is_public());
        }
    }

    /// A product of two witness words of N bits.
    struct Product<const N: usize>;

    impl<B: Backend<F = F2>, const N: usize> Circuit<B> for Product<N> {
        fn run(&self, b: &mut B) -> Result<()> {
            let (x, y) = (Word::<_, N>::witness(b)?, Word::witness(b)?);
            x.mul(b, &y).map(drop)
        }
    }

    #[test]
    fn a_product_has_an_and_for_each_pair_of_bits_and_each_carry() {
        let ands = |shape: Result<Shape>| shape.unwrap().mul;
        assert_eq!(ands(Shape::of::<F2>(&Product::<32>)), 993);
        assert_eq!(ands(Shape::of::<F2>(&Product::<8>)), 36 + 21);
    }

    #[test]
    fn an_addition_has_an_and_for_each_carry() {
        let shape = Shape::of::<F2>(&Arithmetic { expected: [0; 8] }).unwrap();
        assert_eq!(shape.mul, 16 + 15 + 16 + 136 + 105);
    }
}
