//! Extensions of a prime field by an N-th root.

use super::{Extension, Field};
use crate::integer::U256;
use core::array::from_fn;
use core::iter::Sum;
use core::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub, SubAssign};
use zeroize::DefaultIsZeroes;

/// A prime field of p elements over which `X^N - w` is irreducible, where N divides p - 1.
pub trait Radicand<const N: usize>: Field {
    /// w.
    const RADICAND: Self;
    /// The name of the extension.
    const NAME: &'static str;
    /// The 64-bit words that [`Radicand::draw`] takes.
    const WORDS: usize = N * Self::SAMPLE;

    /// The coordinates of the element that uniform words make, for [`Field::sample`] of the extension.
    #[inline(always)]
    fn draw(words: &[u64]) -> [Self; N] {
        from_fn(|i| Self::sample(&words[i * Self::SAMPLE..][..Self::SAMPLE]))
    }

    /// The coordinates of a product in the extension.
    #[inline(always)]
    fn multiply(a: [Self; N], b: [Self; N]) -> [Self; N] {
        let (mut low, mut high) = ([Self::ZERO; N], [Self::ZERO; N]);
        for i in 0..N {
            for j in 0..N {
                let sum = if i + j < N { &mut low[i + j] } else { &mut high[i + j - N] };
                *sum += a[i] * b[j];
            }
        }
        for i in 0..N {
            low[i] += high[i] * Self::RADICAND;
        }
        low
    }
}

/// An element of `B[X] / (X^N - w)`: coordinate i is the coefficient of X^i.
#[derive(Copy, PartialEq, Eq, Debug, Hash)]
#[repr(transparent)]
pub struct Binomial<B, const N: usize>(pub [B; N]);

// What `derive` writes clones one coordinate after the other, for each element of a vector.
impl<B: Copy, const N: usize> Clone for Binomial<B, N> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

// Loops over indices: the functions of `map` and `zip` are compiled by themselves, and not always inlined.
impl<B: Radicand<N>, const N: usize> Binomial<B, N> {
    /// The canonical encoding: [`Field::to_integer`].
    #[inline(always)]
    pub fn to_word(self) -> u128 {
        self.0.iter().rev().fold(0, |word, coordinate| word << B::BITS | coordinate.to_integer().low())
    }

    /// `Σ coordinates[i] · X^i`: [`Extension::pack`] over the prime field.
    ///
    /// # Panics
    /// Where there are more than N.
    pub fn pack(coordinates: &[Self]) -> Self {
        assert!(coordinates.len() <= N, "{} coordinates do not fit degree {N}", coordinates.len());
        coordinates.iter().rev().fold(Self::ZERO, |mut sum, &c| {
            sum.0.rotate_right(1);
            sum.0[0] *= B::RADICAND;
            sum + c
        })
    }
}

impl<B: Field, const N: usize> Default for Binomial<B, N> {
    #[inline(always)]
    fn default() -> Self {
        Self([B::ZERO; N])
    }
}

impl<B: Field, const N: usize> DefaultIsZeroes for Binomial<B, N> {}

impl<B: Radicand<N>, const N: usize> Field for Binomial<B, N> {
    const ZERO: Self = Self([B::ZERO; N]);
    const ONE: Self = {
        let mut one = [B::ZERO; N];
        one[0] = B::ONE;
        Self(one)
    };
    const BITS: u32 = N as u32 * B::BITS;
    const BINARY: bool = B::BINARY;
    const NAME: &'static str = <B as Radicand<N>>::NAME;

    fn invert(self) -> Self {
        // x^p has the coordinates x_i·w^(i(p-1)/N). The product of x with its conjugates is in the prime
        // field. Of degree 2, w^((p-1)/2) is -1, as for all that are no squares.
        let root = if N == 2 {
            -B::ONE
        } else {
            super::power(B::RADICAND, (-B::ONE).to_integer().low() / N as u128)
        };
        let mut conjugate = self;
        let mut others = Self::ONE;
        for _ in 1..N {
            let mut factor = B::ONE;
            for coordinate in &mut conjugate.0 {
                *coordinate *= factor;
                factor *= root;
            }
            others *= conjugate;
        }
        others.scale((self * others).0[0].invert())
    }
    #[inline(always)]
    fn to_integer(self) -> U256 {
        self.to_word().into()
    }
    #[inline(always)]
    fn from_integer(integer: U256) -> Option<Self> {
        let word = integer.word()?;
        let mut element = Self::ZERO;
        for (i, coordinate) in element.0.iter_mut().enumerate() {
            *coordinate = B::from_word(word >> (i as u32 * B::BITS) & ((1 << B::BITS) - 1))?;
        }
        (element.to_word() == word).then_some(element)
    }

    const SAMPLE: usize = B::WORDS;
    #[inline(always)]
    fn sample(words: &[u64]) -> Self {
        Self(B::draw(words))
    }
    fn place(bit: u32) -> Self {
        let mut element = Self::ZERO;
        element.0[(bit / B::BITS) as usize] = B::place(bit % B::BITS);
        element
    }
    #[inline(always)]
    fn masked(mut self, mask: u64) -> Self {
        for i in 0..N {
            self.0[i] = self.0[i].masked(mask);
        }
        self
    }
}

impl<B: Radicand<N>, const N: usize> From<B> for Binomial<B, N> {
    #[inline(always)]
    fn from(element: B) -> Self {
        Self::ONE.scale(element)
    }
}

impl<B: Radicand<N>, const N: usize> Extension<B> for Binomial<B, N> {
    const DEGREE: u32 = N as u32;

    #[inline(always)]
    fn scale(mut self, scalar: B) -> Self {
        for i in 0..N {
            self.0[i] *= scalar;
        }
        self
    }

    fn pack(coordinates: &[Self]) -> Self {
        Self::pack(coordinates)
    }
}

impl<B: Radicand<N>, const N: usize> Add for Binomial<B, N> {
    type Output = Self;
    #[inline(always)]
    fn add(mut self, other: Self) -> Self {
        for i in 0..N {
            self.0[i] += other.0[i];
        }
        self
    }
}

impl<B: Radicand<N>, const N: usize> Sub for Binomial<B, N> {
    type Output = Self;
    #[inline(always)]
    fn sub(mut self, other: Self) -> Self {
        for i in 0..N {
            self.0[i] -= other.0[i];
        }
        self
    }
}

impl<B: Radicand<N>, const N: usize> Mul for Binomial<B, N> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(B::multiply(self.0, other.0))
    }
}

impl<B: Radicand<N>, const N: usize> Neg for Binomial<B, N> {
    type Output = Self;
    #[inline(always)]
    fn neg(mut self) -> Self {
        for i in 0..N {
            self.0[i] = -self.0[i];
        }
        self
    }
}

super::assign_and_sum!(Binomial<B, N>, B: Radicand<N>, const N: usize);
