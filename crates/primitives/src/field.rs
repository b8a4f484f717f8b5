//! Fields and their extensions.
//!
//! | values | name | MACs | name | degree r | words to sample a MAC |
//! |---|---|---|---|---|---|
//! | [`F2`] | `f2` | [`F128`] | `f128` | 128 | 2 |
//! | [`F2`] | `f2` | [`F64`] | `f64` | 64 | 1 |
//! | [`F256`] | `f256` | [`F128`] | `f128` | 16 | 2 |
//! | [`F61`] | `f61` | [`F61`] | `f61` | 1 | 1 |
//! | [`F61`] | `f61` | [`F61x2`] | `f61^2` | 2 | 2 |
//! | [`Goldilocks`] | `goldilocks` | [`Goldilocks`] | `goldilocks` | 1 | 2 |
//! | [`Goldilocks`] | `goldilocks` | [`Goldilocksx2`] | `goldilocks^2` | 2 | 4 |
//! | [`Q32`] | `q32` | [`Q32x2`] | `q32^2` | 2 | 2 |
//! | [`F65537`] | `f65537` | [`F65537x4`] | `f65537^4` | 4 | 2 |
//! | [`Bn254`] | `bn254` | [`Bn254`] | `bn254` | 1 | 5 |
//! | [`Bls12381`] | `bls12-381` | [`Bls12381`] | `bls12-381` | 1 | 5 |
//! | [`RuntimePrime`] | the prime | [`RuntimeExtension`] | `prime^r` | 4, or more below 2^30 | 5 |
//! | [`RuntimePrime256`] | the prime | [`RuntimePrime256`] | `prime256` | 1 | 5 |
//!
//! Every field is its own extension of degree one. The last two rows are fields of primes that the process
//! chooses while it runs: one below 2^61, and one of 62 to 256 bits. `bn254` and `bls12-381` are the scalar fields
//! of the curves of these names: the integers modulo the number of points, which circuits for them are written
//! over.
//!
//! [`F48`], [`F96`] and [`F160`], named `f48` to `f160`, carry no MACs: products are checked over
//! them, as over all MACs of this table, which is what [`CheckField`](crate::CheckField) says.

/// `+=`, `-=`, `*=` and `sum` from the plain operators.
macro_rules! assign_and_sum {
    ($field:ty $(, $($parameter:tt)*)?) => {
        impl$(<$($parameter)*>)? AddAssign for $field {
            #[inline(always)]
            fn add_assign(&mut self, other: Self) {
                *self = *self + other;
            }
        }
        impl$(<$($parameter)*>)? SubAssign for $field {
            #[inline(always)]
            fn sub_assign(&mut self, other: Self) {
                *self = *self - other;
            }
        }
        impl$(<$($parameter)*>)? MulAssign for $field {
            #[inline(always)]
            fn mul_assign(&mut self, other: Self) {
                *self = *self * other;
            }
        }
        impl$(<$($parameter)*>)? Sum for $field {
            #[inline]
            fn sum<I: Iterator<Item = Self>>(terms: I) -> Self {
                terms.fold(Self::default(), |sum, term| sum + term)
            }
        }
    };
}
use assign_and_sum;

mod binary;
mod binomial;
mod f128;
mod f160;
mod f2;
mod f256;
mod f61;
mod f65537;
mod goldilocks;
mod large;
mod prime;
mod q32;
mod runtime;

pub use binary::{F48, F64, F96};
pub use binomial::{Binomial, Radicand};
pub use f2::F2;
pub use f61::{F61, F61x2};
pub use f128::F128;
pub(crate) use f128::REDUCTION;
pub use f160::F160;
pub use f256::F256;
#[cfg_attr(not(target_arch = "x86_64"), allow(unused_imports))]
pub(crate) use f256::IMAGES;
pub use f65537::{F65537, F65537x4};
pub(crate) use goldilocks::P64;
pub use goldilocks::{Goldilocks, Goldilocksx2};
pub use large::{Bls12381, Bn254, Fp, LargeModulus};
pub use prime::{Modulus, Prime, Word};
pub use q32::{Q32, Q32x2};
pub use runtime::{ChoiceError, RuntimeExtension, RuntimePrime, RuntimePrime256, is_long_prime, is_prime};

/// Hands the fields that statements are over by name to the macro `$then`, each with the extensions in which its
/// values have MACs, as `Value: Mac Mac;`, behind what else is given.
///
/// A new field is a file under [`field`](crate::field), and a line here: sessions, formats, programs and benches
/// follow this list.
#[macro_export]
macro_rules! with_fields {
    ($then:ident $($given:tt)*) => {
        $then! {
            $($given)*
            F61: F61 F61x2;
            Goldilocks: Goldilocks Goldilocksx2;
            Q32: Q32x2;
            F65537: F65537x4;
            F256: F128;
            Bn254: Bn254;
            Bls12381: Bls12381;
        }
    };
}

/// Hands the fields of primes that are chosen at run time to the macro `$then`, as [`with_fields`](crate::with_fields)
/// does those with names.
#[macro_export]
macro_rules! with_chosen_fields {
    ($then:ident $($given:tt)*) => {
        $then! {
            $($given)*
            RuntimePrime: RuntimeExtension;
            RuntimePrime256: RuntimePrime256;
        }
    };
}

use crate::integer::U256;
use core::fmt::Debug;
use core::iter::Sum;
use core::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub, SubAssign};
use zeroize::DefaultIsZeroes;

/// The most 64-bit words that an element is sampled from.
pub const MOST_WORDS: usize = 5;

/// A finite field whose elements have one canonical encoding.
///
/// Every operation takes the same time whatever the operands.
pub trait Field:
    DefaultIsZeroes
    + Eq
    + Debug
    + Send
    + Sync
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + Sum
    + 'static
{
    /// The neutral element of addition.
    const ZERO: Self;
    /// The neutral element of multiplication.
    const ONE: Self;
    /// The bits of an encoded element: `ceil(log2 p)` for each coordinate over the prime field of p elements,
    /// or of the largest p where it is chosen at run time.
    const BITS: u32;
    /// Whether the characteristic is two.
    const BINARY: bool;
    /// The name of the type.
    const NAME: &'static str;

    /// The name used on the wire, in options and in reports: [`Field::NAME`], or the prime where it is chosen
    /// at run time.
    #[inline(always)]
    fn name() -> &'static str {
        Self::NAME
    }

    /// `ceil(log2 p)` for each coordinate over the prime field of p elements: [`Field::BITS`], or fewer where
    /// the prime is chosen at run time. What has to know how large the field is goes by these.
    #[inline(always)]
    fn bits() -> u32 {
        Self::BITS
    }

    /// `1/self`, and zero for zero.
    fn invert(self) -> Self;

    /// The canonical encoding, least significant bit first; bits from [`Field::BITS`] on are zero.
    fn to_integer(self) -> U256;

    /// The element encoded by `integer`, or `None` where the encoding is not canonical.
    fn from_integer(integer: U256) -> Option<Self>;

    /// The element encoded by an integer of no more than 128 bits, or `None` where the encoding is not
    /// canonical.
    #[inline(always)]
    fn from_word(word: u128) -> Option<Self> {
        Self::from_integer(word.into())
    }

    /// An element for each number, different ones for different numbers: the one that it encodes, where there is one
    /// for each. For fields of 2^16 elements and more.
    fn numbered(number: u16) -> Self {
        Self::from_word(number.into()).expect("a field of as many elements")
    }

    /// Writes the canonical encoding, least significant byte first.
    ///
    /// # Panics
    /// Where `bytes` is not [`Field::BYTES`] long.
    #[inline(always)]
    fn encode(self, bytes: &mut [u8]) {
        bytes.copy_from_slice(&self.to_integer().to_bytes()[..Self::BYTES]);
    }

    /// The element that `bytes` encode, or `None` where the encoding is not canonical.
    ///
    /// # Panics
    /// Where `bytes` is not [`Field::BYTES`] long.
    #[inline(always)]
    fn decode(bytes: &[u8]) -> Option<Self> {
        assert_eq!(bytes.len(), Self::BYTES);
        Self::from_integer(U256::from_bytes(bytes))
    }

    /// The 64-bit words of randomness that [`Field::sample`] takes: 1, 2, 4 or 5, [`MOST_WORDS`].
    const SAMPLE: usize;

    /// The element that uniform `words`, [`Field::SAMPLE`] of them, make: uniform within a
    /// statistical distance of 2^-60.
    ///
    /// # Panics
    /// Where there are fewer.
    fn sample(words: &[u64]) -> Self;

    /// Element `bit` of a basis whose sums with factors 0 and 1, over [`Field::BITS`] elements, are the whole
    /// field: powers of two for each coordinate over the prime field.
    fn place(bit: u32) -> Self;

    /// `self` where `mask` is all ones, zero where it is zero.
    fn masked(self, mask: u64) -> Self;

    /// The bytes of an encoded element.
    const BYTES: usize = Self::BITS.div_ceil(8) as usize;

    /// The bytes of a message of so many elements: [`Field::BYTES`] each, or over F_2 a bit each.
    #[inline(always)]
    fn bytes_of(count: u64) -> u64 {
        Self::BYTES as u64 * count
    }

    /// Writes the encodings of `elements`, one after the other.
    ///
    /// # Panics
    /// Where `bytes` is not [`Field::bytes_of`] them long.
    #[inline]
    fn encode_all(elements: &[Self], bytes: &mut [u8]) {
        assert_eq!(bytes.len(), Self::BYTES * elements.len());
        // Iterators over chunks are not inlined where crates share generics.
        for (i, element) in elements.iter().enumerate() {
            element.encode(&mut bytes[Self::BYTES * i..][..Self::BYTES]);
        }
    }

    /// Reads elements that [`Field::encode_all`] has written, and says whether all are canonical.
    ///
    /// # Panics
    /// Where `bytes` is not [`Field::bytes_of`] them long.
    #[inline]
    fn decode_all(bytes: &[u8], elements: &mut [Self]) -> bool {
        assert_eq!(bytes.len(), Self::BYTES * elements.len());
        let mut canonical = true;
        for (i, element) in elements.iter_mut().enumerate() {
            let decoded = Self::decode(&bytes[Self::BYTES * i..][..Self::BYTES]);
            canonical &= decoded.is_some();
            *element = decoded.unwrap_or(Self::ZERO);
        }
        canonical
    }

    /// The bytes that a digest takes of an element, its encoding and zeroes: 16, or 32 of more than 128 bits.
    const DIGESTED: usize = if Self::BITS > 128 { 32 } else { 16 };
}

/// `Self` as an extension of degree [`Extension::degree`] over the field `B`.
pub trait Extension<B: Field>: Field + From<B> {
    /// The degree r of the extension, or a bound of it where the prime is chosen at run time.
    const DEGREE: u32;

    /// The degree r of the extension.
    #[inline(always)]
    fn degree() -> u32 {
        Self::DEGREE
    }

    /// `self · scalar` for a scalar of the base field.
    fn scale(self, scalar: B) -> Self;

    /// `Σ coordinates[i] · X^i`, for at most [`Extension::degree`] coordinates, which may themselves be
    /// extension elements (so that r subfield correlations pack into one over the extension).
    fn pack(coordinates: &[Self]) -> Self;
}

impl<F: Field> Extension<F> for F {
    const DEGREE: u32 = 1;

    #[inline(always)]
    fn scale(self, scalar: F) -> Self {
        self * scalar
    }
    fn pack(coordinates: &[Self]) -> Self {
        assert!(coordinates.len() <= 1, "{} coordinates do not fit a field over itself", coordinates.len());
        coordinates.iter().copied().sum()
    }
}

/// `base` to the power `exponent`, which is public.
fn power<F: Field>(base: F, exponent: u128) -> F {
    (0..128 - exponent.leading_zeros()).rev().fold(F::ONE, |power, bit| {
        let square = power * power;
        if exponent >> bit & 1 == 1 { square * base } else { square }
    })
}
