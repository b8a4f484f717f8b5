//! The prime field whose prime is chosen at run time, and its fourth power.
//!
//! A file may be over any prime, and a type for each cannot be compiled. So [`RuntimePrime`] is the field of
//! one prime p **that the process chooses once**, by [`RuntimePrime::choose`]: elements are words, without a
//! place for p, and zero and one are constants as those of all fields. Another prime is refused from then on.
//! Nothing else in this crate is global but the prime of [`RuntimePrime256`], which is chosen
//! likewise, and no other field reads it.
//!
//! p is a prime from 2^30 to 2^61, that and 2^61 − 1 left out, which is [`F61`](super::F61). Elements of each
//! are encoded by the 61 bits of the longest: [`Field::BITS`] bounds what an element takes, and
//! [`Field::bits`] is what it has. Below 2^30 a MAC, of four coordinates, would have fewer than 2^120 values.
//!
//! - [`barrett`]: arithmetic modulo p on integers below p, in constant time: values, nothing global;
//! - [`quartic`]: the extension of degree four, `F_p[Y]/(Y^4 − uY^2 − v)`, for any odd p: the same;
//! - [`montgomery`] and [`large`]: the same for a prime of up to 256 bits, whose MACs lie in its field;
//! - here: both types of the shorter one, bound to the prime that was chosen. Each operation reads what it takes of it anew, by
//!   loads without an order: whoever has the field has it after it was chosen.

mod barrett;
mod large;
mod montgomery;
mod quartic;

use self::barrett::Barrett;
pub use self::barrett::is_prime;
pub use self::large::RuntimePrime256;
use self::quartic::Quartic;
use super::{Extension, Field};
use crate::integer::U256;
use crate::lanes::Lanes;
use crate::mac::MacField;
use core::fmt::{self, Debug, Display};
use core::iter::Sum;
use core::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub, SubAssign};
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::OnceLock;
use zeroize::DefaultIsZeroes;

/// The field that was chosen, and its name.
static CHOSEN: OnceLock<(Quartic, String)> = OnceLock::new();
/// p, zero as long as none is chosen, and the other numbers of [`Barrett`] and [`Quartic`].
static MODULUS: AtomicU64 = AtomicU64::new(0);
static RECIPROCAL: AtomicU64 = AtomicU64::new(0);
static LINEAR: AtomicU64 = AtomicU64::new(0);
static CONSTANT: AtomicU64 = AtomicU64::new(0);

/// Arithmetic modulo the prime that was chosen.
#[inline(always)]
fn base() -> Barrett {
    debug_assert!(MODULUS.load(Relaxed) != 0, "no prime was chosen: see `RuntimePrime::choose`");
    Barrett::of_parts(MODULUS.load(Relaxed), RECIPROCAL.load(Relaxed))
}

/// The arithmetic of the extension of degree four.
#[inline(always)]
fn quartic() -> Quartic {
    Quartic::of_parts(base(), LINEAR.load(Relaxed), CONSTANT.load(Relaxed))
}

/// Why a number is not the prime of [`RuntimePrime`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChoiceError {
    /// The number is no prime.
    Composite,
    /// The prime is below this power of two.
    Short(u32),
    /// The prime is above [`RuntimePrime::MOST`].
    Long,
    /// Another prime, this one, was chosen before.
    Taken(U256),
}

impl Display for ChoiceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Composite => f.write_str("it is not a prime"),
            Self::Short(bits) => write!(f, "it is below 2^{bits}"),
            Self::Long => f.write_str("it is not below 2^61 - 1"),
            Self::Taken(prime) => write!(
                f,
                "this process computes modulo the prime {prime}, and modulo one prime of this length alone: \
                 start another for this one"
            ),
        }
    }
}

impl core::error::Error for ChoiceError {}

/// An element of the prime field of the p elements that [`RuntimePrime::choose`] was given: an integer below
/// p.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash)]
#[repr(transparent)]
pub struct RuntimePrime(u64);

impl RuntimePrime {
    /// The least integer that may be chosen, if it were a prime.
    pub const LEAST: u64 = 1 << 30;
    /// The largest one.
    pub const MOST: u64 = (1 << 61) - 2;

    /// Chooses p for this process. The same one may be chosen again.
    ///
    /// # Errors
    /// Where `prime` is no prime from [`RuntimePrime::LEAST`] to [`RuntimePrime::MOST`], or another one was
    /// chosen before.
    pub fn choose(prime: u64) -> Result<(), ChoiceError> {
        if prime > Self::MOST {
            return Err(ChoiceError::Long);
        }
        if !is_prime(prime) {
            return Err(ChoiceError::Composite);
        }
        if prime < Self::LEAST {
            return Err(ChoiceError::Short(Self::LEAST.ilog2()));
        }
        let (chosen, _) = CHOSEN.get_or_init(|| {
            let quartic = Quartic::new(Barrett::new(prime));
            let (linear, constant) = quartic.parts();
            // Whoever returns from here sees all of them.
            LINEAR.store(linear, Relaxed);
            CONSTANT.store(constant, Relaxed);
            RECIPROCAL.store(quartic.base().reciprocal(), Relaxed);
            MODULUS.store(prime, Relaxed);
            (quartic, prime.to_string())
        });
        let chosen = chosen.base().modulus();
        if chosen == prime { Ok(()) } else { Err(ChoiceError::Taken(chosen.into())) }
    }

    /// p, or `None` as long as none is chosen.
    pub fn modulus() -> Option<u64> {
        CHOSEN.get().map(|(quartic, _)| quartic.base().modulus())
    }

    /// The integer from 0 to p − 1.
    #[inline(always)]
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl Debug for RuntimePrime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RuntimePrime").field(&self.0).finish()
    }
}

impl DefaultIsZeroes for RuntimePrime {}

impl Field for RuntimePrime {
    const ZERO: Self = Self(0);
    const ONE: Self = Self(1);
    const BITS: u32 = 61;
    const BINARY: bool = false;
    const NAME: &'static str = "prime";

    /// p in decimal digits.
    ///
    /// # Panics
    /// Where none is chosen.
    fn name() -> &'static str {
        let (_, name) = CHOSEN.get().expect("the prime is chosen before anything is done over its field");
        name
    }
    /// # Panics
    /// Where no prime was chosen.
    fn bits() -> u32 {
        let modulus = MODULUS.load(Relaxed);
        assert!(modulus != 0, "no prime was chosen: see `RuntimePrime::choose`");
        u64::BITS - modulus.leading_zeros()
    }

    fn invert(self) -> Self {
        Self(base().inverse(self.0))
    }
    #[inline(always)]
    fn to_integer(self) -> U256 {
        self.0.into()
    }
    #[inline(always)]
    fn from_integer(integer: U256) -> Option<Self> {
        let below = integer.high() == 0 && integer.low() < MODULUS.load(Relaxed).into();
        below.then_some(Self(integer.low() as u64))
    }

    /// 128 bits scaled to p, at a distance below 2^-67 from uniform.
    const SAMPLE: usize = 2;
    #[inline(always)]
    fn sample(words: &[u64]) -> Self {
        let [digit] = base().digits([words[0], words[1]]);
        Self(digit)
    }
    fn place(bit: u32) -> Self {
        Self(base().reduce(1 << bit))
    }
    #[inline(always)]
    fn masked(self, mask: u64) -> Self {
        Self(self.0 & mask)
    }
}

impl Add for RuntimePrime {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(base().sum(self.0, other.0))
    }
}

impl Sub for RuntimePrime {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(base().difference(self.0, other.0))
    }
}

impl Mul for RuntimePrime {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(base().product(self.0, other.0))
    }
}

impl Neg for RuntimePrime {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(base().difference(0, self.0))
    }
}

super::assign_and_sum!(RuntimePrime);

/// An element of the field of p^4 elements: coordinate i is the coefficient of Y^i.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash, Debug)]
#[repr(transparent)]
pub struct RuntimePrimex4([RuntimePrime; 4]);

impl RuntimePrimex4 {
    #[inline(always)]
    fn words(self) -> [u64; 4] {
        self.0.map(|coordinate| coordinate.0)
    }

    #[inline(always)]
    fn of(words: [u64; 4]) -> Self {
        Self(words.map(RuntimePrime))
    }
}

impl DefaultIsZeroes for RuntimePrimex4 {}

impl Field for RuntimePrimex4 {
    const ZERO: Self = Self([RuntimePrime::ZERO; 4]);
    const ONE: Self = Self([RuntimePrime::ONE, RuntimePrime::ZERO, RuntimePrime::ZERO, RuntimePrime::ZERO]);
    const BITS: u32 = 4 * RuntimePrime::BITS;
    const BINARY: bool = RuntimePrime::BINARY;
    const NAME: &'static str = "prime^4";

    fn invert(self) -> Self {
        Self::of(quartic().inverse(self.words()))
    }
    #[inline(always)]
    fn to_integer(self) -> U256 {
        (0..4).fold(U256::ZERO, |integer, i| {
            integer | U256::from(self.0[i as usize].0) << (i * RuntimePrime::BITS)
        })
    }
    #[inline(always)]
    fn from_integer(integer: U256) -> Option<Self> {
        let mut element = Self::ZERO;
        let mut left = integer;
        for coordinate in &mut element.0 {
            *coordinate = RuntimePrime::from_integer(left & U256::ones(RuntimePrime::BITS))?;
            left = left >> RuntimePrime::BITS;
        }
        (left == U256::ZERO).then_some(element)
    }

    /// The digits of 320 bits scaled to p^4, at a distance below 2^-76 from uniform.
    const SAMPLE: usize = 5;
    #[inline(always)]
    fn sample(words: &[u64]) -> Self {
        let words: [u64; 5] = *words.first_chunk().expect("five words");
        Self::of(base().digits(words))
    }
    fn place(bit: u32) -> Self {
        let mut element = Self::ZERO;
        element.0[(bit / RuntimePrime::BITS) as usize] = RuntimePrime::place(bit % RuntimePrime::BITS);
        element
    }
    #[inline(always)]
    fn masked(self, mask: u64) -> Self {
        Self(self.0.map(|coordinate| coordinate.masked(mask)))
    }
}

impl From<RuntimePrime> for RuntimePrimex4 {
    #[inline(always)]
    fn from(element: RuntimePrime) -> Self {
        Self([element, RuntimePrime::ZERO, RuntimePrime::ZERO, RuntimePrime::ZERO])
    }
}

impl Extension<RuntimePrime> for RuntimePrimex4 {
    const DEGREE: u32 = 4;

    #[inline(always)]
    fn scale(self, scalar: RuntimePrime) -> Self {
        let base = base();
        Self::of(self.words().map(|word| base.product(word, scalar.0)))
    }

    fn pack(coordinates: &[Self]) -> Self {
        assert!(coordinates.len() <= 4, "{} coordinates do not fit degree 4", coordinates.len());
        let quartic = quartic();
        coordinates.iter().rev().fold(Self::ZERO, |sum, &c| Self::of(quartic.shifted(sum.words())) + c)
    }
}

impl Add for RuntimePrimex4 {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        let base = base();
        let (mut sum, other) = (self.words(), other.words());
        for i in 0..4 {
            sum[i] = base.sum(sum[i], other[i]);
        }
        Self::of(sum)
    }
}

impl Sub for RuntimePrimex4 {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        let base = base();
        let (mut difference, other) = (self.words(), other.words());
        for i in 0..4 {
            difference[i] = base.difference(difference[i], other[i]);
        }
        Self::of(difference)
    }
}

impl Mul for RuntimePrimex4 {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self::of(quartic().product(self.words(), other.words()))
    }
}

impl Neg for RuntimePrimex4 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self::ZERO - self
    }
}

super::assign_and_sum!(RuntimePrimex4);

impl Lanes<RuntimePrime> for RuntimePrimex4 {
    crate::lanes::portable_lanes!(RuntimePrime: all);
}

impl MacField<RuntimePrime> for RuntimePrimex4 {
    crate::mac::portable_macs!(RuntimePrime: all);
}

#[cfg(test)]
mod tests;
