//! Prime fields, by one template.
//!
//! A field is a unit type that implements [`Modulus`], an alias of [`Prime`] for it, and for an extension
//! [`Radicand`](super::Radicand) of the alias.

use super::Field;
use crate::integer::U256;
use core::fmt::{self, Debug};
use core::hash::Hash;
use core::iter::Sum;
use core::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub, SubAssign};
use zeroize::DefaultIsZeroes;

/// A prime p, and what is special to arithmetic modulo p.
pub trait Modulus: Copy + Eq + Default + Hash + Send + Sync + 'static {
    /// The integers that elements are held in.
    type Word: Word;
    /// p.
    const MODULUS: Self::Word;
    /// `ceil(log2 p)`.
    const BITS: u32;
    /// The name of the field: in lower case that of its type.
    const NAME: &'static str;
    /// The 64-bit words that [`Modulus::sample`] takes.
    const SAMPLE: usize = 2;

    /// The element of the product of two integers below p.
    fn reduce(product: <Self::Word as Word>::Product) -> Prime<Self>;

    /// The element that uniform words make: where not replaced, 128 bits scaled to p, at a distance below
    /// p/2^128 from uniform.
    #[inline(always)]
    fn sample(words: &[u64]) -> Prime<Self> {
        Prime::digits::<1>(words)[0]
    }
}

/// Unsigned integers: words of the machine.
pub trait Word: Copy + Eq + Debug + Default + Hash + Send + Sync + Into<u128> + 'static {
    /// The integers that hold products.
    type Product;
    /// The integer 0.
    const ZERO: Self;
    /// The integer 1.
    const ONE: Self;

    /// The low bits of `x`.
    fn cut(x: u128) -> Self;

    /// `a·b`.
    fn product(a: Self, b: Self) -> Self::Product;

    /// `a + b` modulo p, for integers below p.
    fn sum(a: Self, b: Self, p: Self) -> Self;

    /// `a - b` modulo p, where it is from -p to p - 1.
    fn difference(a: Self, b: Self, p: Self) -> Self;
}

macro_rules! word {
    ($word:ty, $double:ty, $settle:ident) => {
        impl Word for $word {
            type Product = $double;
            const ZERO: Self = 0;
            const ONE: Self = 1;

            #[inline(always)]
            fn cut(x: u128) -> Self {
                x as Self
            }
            #[inline(always)]
            fn product(a: Self, b: Self) -> Self::Product {
                Self::Product::from(a) * Self::Product::from(b)
            }
            #[inline(always)]
            fn sum(a: Self, b: Self, p: Self) -> Self {
                $settle(a, b, p, p)
            }
            #[inline(always)]
            fn difference(a: Self, b: Self, p: Self) -> Self {
                $settle(a, 0, b, p)
            }
        }

        /// `a + b - c` modulo p, where it is from -p to p - 1.
        #[inline(always)]
        pub(super) const fn $settle(a: $word, b: $word, c: $word, p: $word) -> $word {
            // A sign, in a bit above p, becomes a mask: of a borrow the compiler makes a branch at times.
            if p >> (<$word>::BITS - 1) == 0 {
                let sum = a.wrapping_add(b).wrapping_sub(c);
                sum.wrapping_add(p & (sum.cast_signed() >> (<$word>::BITS - 1)).cast_unsigned())
            } else {
                let sum = (a as $double + b as $double).wrapping_sub(c as $double);
                let negative = (sum.cast_signed() >> (<$double>::BITS - 1)).cast_unsigned();
                sum.wrapping_add(p as $double & negative) as $word
            }
        }
    };
}
word!(u32, u64, settle32);
word!(u64, u128, settle64);

/// An element of the prime field of p elements: an integer below p.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash)]
#[repr(transparent)]
pub struct Prime<P: Modulus>(pub(super) P::Word);

impl<P: Modulus> Prime<P> {
    /// p.
    pub const MODULUS: P::Word = P::MODULUS;

    /// The integer from 0 to p - 1.
    #[inline(always)]
    pub const fn get(self) -> P::Word {
        self.0
    }

    /// The canonical encoding: [`Field::to_integer`].
    #[inline(always)]
    pub fn to_word(self) -> u128 {
        self.0.into()
    }

    /// The element of an integer below p.
    #[inline(always)]
    pub(crate) const fn below(integer: P::Word) -> Self {
        Self(integer)
    }

    /// The first N digits in base p of the fraction `(words[1]·2^64 + words[0])/2^128`, the first in the end.
    #[inline(always)]
    pub(super) fn digits<const N: usize>(words: &[u64]) -> [Self; N] {
        let p: u128 = P::MODULUS.into();
        let (mut low, mut high) = (words[0], words[1]);
        let mut digits = [Self::ZERO; N];
        for digit in digits.iter_mut().rev() {
            let bottom = u128::from(low) * p;
            let top = u128::from(high) * p + (bottom >> 64);
            (low, high) = (bottom as u64, top as u64);
            *digit = Self(P::Word::cut(top >> 64));
        }
        digits
    }
}

/// Prints the tuple of one integer that the type is.
impl<P: Modulus> Debug for Prime<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, rest) = P::NAME.split_at(1);
        f.debug_tuple(&(first.to_uppercase() + rest)).field(&self.0).finish()
    }
}

impl<P: Modulus> DefaultIsZeroes for Prime<P> {}

impl<P: Modulus> Field for Prime<P> {
    const ZERO: Self = Self(P::Word::ZERO);
    const ONE: Self = Self(P::Word::ONE);
    const BITS: u32 = P::BITS;
    const BINARY: bool = false;
    const NAME: &'static str = P::NAME;

    fn invert(self) -> Self {
        super::power(self, P::MODULUS.into() - 2)
    }
    #[inline(always)]
    fn to_integer(self) -> U256 {
        self.to_word().into()
    }
    #[inline(always)]
    fn from_integer(integer: U256) -> Option<Self> {
        let below = integer.high() == 0 && integer.low() < P::MODULUS.into();
        below.then(|| Self(P::Word::cut(integer.low())))
    }

    #[inline(always)]
    fn encode(self, bytes: &mut [u8]) {
        bytes.copy_from_slice(&self.to_word().to_le_bytes()[..Self::BYTES]);
    }
    #[inline(always)]
    fn decode(bytes: &[u8]) -> Option<Self> {
        let mut word = [0; 16];
        word[..Self::BYTES].copy_from_slice(&bytes[..Self::BYTES]);
        let word = u128::from_le_bytes(word);
        (word < P::MODULUS.into()).then(|| Self(P::Word::cut(word)))
    }

    const SAMPLE: usize = P::SAMPLE;
    #[inline(always)]
    fn sample(words: &[u64]) -> Self {
        P::sample(words)
    }
    fn place(bit: u32) -> Self {
        Self(P::Word::cut(1 << bit))
    }
    #[inline(always)]
    fn masked(self, mask: u64) -> Self {
        Self(P::Word::cut(self.0.into() & u128::from(mask)))
    }
}

impl<P: Modulus> Add for Prime<P> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(P::Word::sum(self.0, other.0, P::MODULUS))
    }
}

impl<P: Modulus> Sub for Prime<P> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(P::Word::difference(self.0, other.0, P::MODULUS))
    }
}

impl<P: Modulus> Mul for Prime<P> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        P::reduce(P::Word::product(self.0, other.0))
    }
}

impl<P: Modulus> Neg for Prime<P> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self::ZERO - self
    }
}

super::assign_and_sum!(Prime<P>, P: Modulus);

#[cfg(test)]
mod tests {
    use crate::field::{F61, F65537, Field, Goldilocks, Q32};

    #[test]
    fn elements_print_as_their_type() {
        let printed = format!("{:?}", (F61::ONE, -Q32::ONE, Goldilocks::new(7), F65537::new(3)));
        assert_eq!(printed, "(F61(1), Q32(4294967290), Goldilocks(7), F65537(3))");
    }
}
