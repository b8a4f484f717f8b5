//! The field of a prime of 62 to 256 bits that is chosen at run time: as [`RuntimePrime`](super::RuntimePrime), once in
//! a process and whatever that one chooses. It is its own extension: below 2^120 its MACs are as short as those over
//! 2^61 − 1 in the field itself, and challenges have to be coins.

use super::ChoiceError;
use super::montgomery::{Limbs, Montgomery, is_prime};
use crate::bits::mask;
use crate::field::Field;
use crate::integer::U256;
use crate::lanes::Lanes;
use crate::mac::MacField;
use core::fmt::{self, Debug};
use core::iter::Sum;
use core::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub, SubAssign};
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::OnceLock;
use zeroize::DefaultIsZeroes;

/// The arithmetic that was chosen, and the name of its field.
static CHOSEN: OnceLock<(Montgomery, String)> = OnceLock::new();
/// p, zero as long as none is chosen, and the other numbers of [`Montgomery`].
static MODULUS: [AtomicU64; 4] = [const { AtomicU64::new(0) }; 4];
static SQUARE: [AtomicU64; 4] = [const { AtomicU64::new(0) }; 4];
static INVERSE: AtomicU64 = AtomicU64::new(0);

/// The integer in four words.
#[inline(always)]
fn load(words: &[AtomicU64; 4]) -> Limbs {
    core::array::from_fn(|i| words[i].load(Relaxed))
}

/// Arithmetic modulo the prime that was chosen.
#[inline(always)]
fn modulo() -> Montgomery {
    debug_assert!(INVERSE.load(Relaxed) != 0, "no prime was chosen: see `RuntimePrime256::choose`");
    Montgomery { p: load(&MODULUS), inverse: INVERSE.load(Relaxed), square: load(&SQUARE) }
}

/// An element of the prime field of the p elements that [`RuntimePrime256::choose`] was given: an integer below p.
#[derive(Clone, Copy, Eq, Default, Hash)]
#[allow(clippy::derived_hash_with_manual_eq)] // equal in constant time
#[repr(transparent)]
pub struct RuntimePrime256(Limbs);

impl RuntimePrime256 {
    /// The least integer that may be chosen, if it were a prime: 2^61.
    pub const LEAST: U256 = U256::new(1 << 61, 0);

    /// Chooses p for this process. The same one may be chosen again.
    ///
    /// # Errors
    /// Where `prime` is no prime from [`RuntimePrime256::LEAST`] on, or another one was chosen before.
    pub fn choose(prime: U256) -> Result<(), ChoiceError> {
        if prime < Self::LEAST {
            return Err(ChoiceError::Short(Self::LEAST.length() - 1));
        }
        if CHOSEN.get().is_none() && !is_prime(prime) {
            return Err(ChoiceError::Composite);
        }
        let (chosen, _) = CHOSEN.get_or_init(|| {
            let modulo = Montgomery::new(prime);
            for i in 0..4 {
                SQUARE[i].store(modulo.square[i], Relaxed);
                MODULUS[i].store(modulo.p[i], Relaxed);
            }
            // Whoever returns from here sees all of them.
            INVERSE.store(modulo.inverse, Relaxed);
            (modulo, prime.to_string())
        });
        let chosen = U256::from_limbs(chosen.p);
        if chosen == prime { Ok(()) } else { Err(ChoiceError::Taken(chosen)) }
    }
}

/// The integer in decimal digits.
impl Debug for RuntimePrime256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RuntimePrime256({})", self.to_integer())
    }
}

impl PartialEq for RuntimePrime256 {
    #[inline(always)]
    fn eq(&self, other: &Self) -> bool {
        let different = |i: usize| self.0[i] ^ other.0[i];
        different(0) | different(1) | different(2) | different(3) == 0
    }
}

impl DefaultIsZeroes for RuntimePrime256 {}

impl Field for RuntimePrime256 {
    const ZERO: Self = Self([0; 4]);
    const ONE: Self = Self([1, 0, 0, 0]);
    const BITS: u32 = 256;
    const BINARY: bool = false;
    const NAME: &'static str = "prime256";

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
        let bits = U256::from_limbs(load(&MODULUS)).length();
        assert!(bits > 0, "no prime was chosen: see `RuntimePrime256::choose`");
        bits
    }

    fn invert(self) -> Self {
        let modulo = modulo();
        let two = U256::from(2_u64);
        Self(modulo.power(self.0, U256::from_limbs(modulo.p).overflowing_sub(two).0))
    }
    #[inline(always)]
    fn to_integer(self) -> U256 {
        U256::from_limbs(self.0)
    }
    #[inline(always)]
    fn from_integer(integer: U256) -> Option<Self> {
        let (_, below) = integer.overflowing_sub(U256::from_limbs(load(&MODULUS)));
        // Made in any case: one made on demand would be a branch.
        let element = Self(integer.limbs()).masked(mask(below.into()));
        below.then_some(element)
    }

    /// 320 bits reduced, at a distance below 2^-64 from uniform.
    const SAMPLE: usize = 5;
    #[inline(always)]
    fn sample(words: &[u64]) -> Self {
        let [a, b, c, d, e] = *words.first_chunk().expect("five words");
        Self(modulo().reduce([a, b, c, d], e))
    }
    fn place(bit: u32) -> Self {
        Self(modulo().reduce((U256::from(1_u64) << bit).limbs(), 0))
    }
    #[inline(always)]
    fn masked(self, mask: u64) -> Self {
        Self(self.0.map(|limb| limb & mask))
    }
}

impl Add for RuntimePrime256 {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(modulo().sum(self.0, other.0))
    }
}

impl Sub for RuntimePrime256 {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(modulo().difference(self.0, other.0))
    }
}

impl Mul for RuntimePrime256 {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(modulo().product(self.0, other.0))
    }
}

impl Neg for RuntimePrime256 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self::ZERO - self
    }
}

crate::field::assign_and_sum!(RuntimePrime256);

impl Lanes<RuntimePrime256> for RuntimePrime256 {
    crate::lanes::portable_lanes!(RuntimePrime256: all);
}

impl MacField<RuntimePrime256> for RuntimePrime256 {
    type Tag = crate::mac::Tagged<RuntimePrime256, Self>;

    crate::mac::portable_macs!(RuntimePrime256: all);
}
