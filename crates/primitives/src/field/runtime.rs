//! The prime field whose prime is chosen at run time, and an extension of it.
//!
//! A file may be over any prime, and a type for each cannot be compiled. So [`RuntimePrime`] is the field of
//! one prime p **that the process chooses once**, by [`RuntimePrime::choose`]: elements are words, without a
//! place for p, and zero and one are constants as those of all fields. Another prime is refused from then on.
//! Nothing else in this crate is global but the prime of [`RuntimePrime256`], which is chosen
//! likewise, and no other field reads it.
//!
//! p is an odd prime below 2^61 − 1, which is [`F61`](super::F61). Elements of each are encoded by the 61 bits of the
//! longest: [`Field::BITS`] bounds what an element takes, and [`Field::bits`] is what it has. MACs have 2^120
//! values and more: from 2^30 on they are of four coordinates, and below of as many as p takes,
//! [`Extension::degree`].
//!
//! - [`barrett`]: arithmetic modulo p on integers below p, in constant time: values, nothing global;
//! - [`quartic`]: the extension of degree four, `F_p[Y]/(Y^4 − uY^2 − v)`, for any odd p: the same;
//! - [`packed`]: the extension of a p below 2^30, whose coordinates are packed into as many words: the same;
//! - [`montgomery`] and [`large`]: the same for a prime of up to 256 bits, whose MACs lie in its field;
//! - here: both types of the shorter one, bound to the prime that was chosen. Each operation reads what it takes of
//!   it anew, by loads without an order: whoever has the field has it after it was chosen.

mod barrett;
mod large;
mod montgomery;
mod packed;
mod quartic;

use self::barrett::Barrett;
pub use self::barrett::is_prime;
pub use self::large::RuntimePrime256;
pub use self::montgomery::is_prime as is_long_prime;
use self::packed::Packed;
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

/// The field that was chosen.
struct Chosen {
    prime: u64,
    name: String,
    /// The extension, where it is not [`Quartic`].
    packed: Option<Packed>,
}

static CHOSEN: OnceLock<Chosen> = OnceLock::new();
/// p, zero as long as none is chosen, and the other numbers of [`Barrett`] and [`Quartic`].
static MODULUS: AtomicU64 = AtomicU64::new(0);
static RECIPROCAL: AtomicU64 = AtomicU64::new(0);
static LINEAR: AtomicU64 = AtomicU64::new(0);
static CONSTANT: AtomicU64 = AtomicU64::new(0);
/// The degree of the extension.
static DEGREE: AtomicU64 = AtomicU64::new(0);

impl Chosen {
    /// # Panics
    /// Where none is chosen.
    fn get() -> &'static Self {
        CHOSEN.get().expect("the prime is chosen before anything is done over its field")
    }
}

/// Arithmetic modulo the prime that was chosen.
#[inline(always)]
fn base() -> Barrett {
    debug_assert!(MODULUS.load(Relaxed) != 0, "no prime was chosen: see `RuntimePrime::choose`");
    Barrett::of_parts(MODULUS.load(Relaxed), RECIPROCAL.load(Relaxed))
}

/// Whether the extension is of degree four.
#[inline(always)]
fn is_quartic() -> bool {
    DEGREE.load(Relaxed) == QUARTIC
}

/// The degree of [`Quartic`], and of no [`Packed`].
const QUARTIC: u64 = 4;

/// The arithmetic of the extension of degree four.
#[inline(always)]
fn quartic() -> Quartic {
    Quartic::of_parts(base(), LINEAR.load(Relaxed), CONSTANT.load(Relaxed))
}

/// The arithmetic of the extension of another degree.
// Cold, so that the branch costs longer primes as little as can be.
#[cold]
#[inline(never)]
fn packed() -> &'static Packed {
    Chosen::get().packed.as_ref().expect("of another degree")
}

/// Why a number is not the prime of [`RuntimePrime`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChoiceError {
    /// The number is no prime.
    Composite,
    /// The number is two, whose field is [`F2`](super::F2).
    Two,
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
            Self::Two => f.write_str("its field is f2"),
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
    pub const LEAST: u64 = 3;
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
            return Err(ChoiceError::Two);
        }
        let chosen = CHOSEN.get_or_init(|| {
            let base = Barrett::new(prime);
            let packed = (prime < Self::QUARTIC).then(|| Packed::new(base));
            if packed.is_none() {
                let (linear, constant) = Quartic::new(base).parts();
                LINEAR.store(linear, Relaxed);
                CONSTANT.store(constant, Relaxed);
            }
            // Whoever returns from here sees all of them.
            DEGREE.store(packed.map_or(QUARTIC, |packed| packed.degree() as u64), Relaxed);
            RECIPROCAL.store(base.reciprocal(), Relaxed);
            MODULUS.store(prime, Relaxed);
            Chosen { prime, name: prime.to_string(), packed }
        });
        if chosen.prime == prime { Ok(()) } else { Err(ChoiceError::Taken(chosen.prime.into())) }
    }

    /// The least integer with MACs of four coordinates, which have 2^120 values and more.
    const QUARTIC: u64 = 1 << 30;

    /// p, or `None` as long as none is chosen.
    pub fn modulus() -> Option<u64> {
        CHOSEN.get().map(|chosen| chosen.prime)
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
        &Chosen::get().name
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

/// An element of the extension of degree r: coordinate i is the coefficient of Y^i. A word each where r is four, and
/// else packed into the four.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash)]
#[repr(transparent)]
pub struct RuntimeExtension([u64; 4]);

impl RuntimeExtension {
    /// The bits of a coordinate's place in an encoding.
    #[inline(always)]
    fn spacing() -> u32 {
        Self::BITS / <Self as Extension<RuntimePrime>>::degree()
    }

    fn coordinates(self) -> Vec<RuntimePrime> {
        let of = |words: &[u64]| words.iter().map(|word| RuntimePrime(*word)).collect();
        if is_quartic() { of(&self.0) } else { of(&packed().unpacked(self.0)[..packed().degree()]) }
    }
}

impl Debug for RuntimeExtension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.coordinates()).finish()
    }
}

impl DefaultIsZeroes for RuntimeExtension {}

impl Field for RuntimeExtension {
    const ZERO: Self = Self([0; 4]);
    const ONE: Self = Self([1, 0, 0, 0]);
    const BITS: u32 = QUARTIC as u32 * RuntimePrime::BITS;
    const BINARY: bool = RuntimePrime::BINARY;
    const NAME: &'static str = "prime^r";

    fn invert(self) -> Self {
        Self(if is_quartic() { quartic().inverse(self.0) } else { packed().inverse(self.0) })
    }
    #[inline(always)]
    fn to_integer(self) -> U256 {
        if !is_quartic() {
            return packed().encoded(self.0, Self::spacing());
        }
        (0..4).fold(U256::ZERO, |integer, i| {
            integer | U256::from(self.0[i as usize]) << (i * RuntimePrime::BITS)
        })
    }
    #[inline(always)]
    fn from_integer(integer: U256) -> Option<Self> {
        if !is_quartic() {
            return packed().decoded(integer, Self::spacing()).map(Self);
        }
        let mut element = Self::ZERO;
        let mut left = integer;
        for coordinate in &mut element.0 {
            *coordinate = RuntimePrime::from_integer(left & U256::ones(RuntimePrime::BITS))?.0;
            left = left >> RuntimePrime::BITS;
        }
        (left == U256::ZERO).then_some(element)
    }
    fn numbered(number: u16) -> Self {
        if is_quartic() { Self([number.into(), 0, 0, 0]) } else { Self(packed().numbered(number.into())) }
    }

    /// The digits of 320 bits scaled to p^r, at a distance below 2^-76 from uniform.
    const SAMPLE: usize = 5;
    #[inline(always)]
    fn sample(words: &[u64]) -> Self {
        let words: [u64; 5] = *words.first_chunk().expect("five words");
        Self(if is_quartic() { base().digits(words) } else { packed().digits(words) })
    }
    fn place(bit: u32) -> Self {
        let (coordinate, place) = (bit / Self::spacing(), RuntimePrime::place(bit % Self::spacing()).0);
        if is_quartic() {
            let mut element = Self::ZERO;
            element.0[coordinate as usize] = place;
            return element;
        }
        Self(packed().with(coordinate as usize, place))
    }
    #[inline(always)]
    fn masked(self, mask: u64) -> Self {
        Self(self.0.map(|word| word & mask))
    }
}

impl From<RuntimePrime> for RuntimeExtension {
    #[inline(always)]
    fn from(element: RuntimePrime) -> Self {
        Self([element.0, 0, 0, 0])
    }
}

impl Extension<RuntimePrime> for RuntimeExtension {
    const DEGREE: u32 = packed::MOST as u32;

    /// # Panics
    /// Where no prime was chosen.
    #[inline(always)]
    fn degree() -> u32 {
        let degree = DEGREE.load(Relaxed) as u32;
        assert!(degree != 0, "no prime was chosen: see `RuntimePrime::choose`");
        degree
    }

    #[inline(always)]
    fn scale(self, scalar: RuntimePrime) -> Self {
        if !is_quartic() {
            return Self(packed().scaled(self.0, scalar.0));
        }
        let base = base();
        Self(self.0.map(|word| base.product(word, scalar.0)))
    }

    fn pack(coordinates: &[Self]) -> Self {
        let degree = <Self as Extension<RuntimePrime>>::degree();
        assert!(
            coordinates.len() <= degree as usize,
            "{} coordinates do not fit degree {degree}",
            coordinates.len()
        );
        let shifted =
            |sum: [u64; 4]| if is_quartic() { quartic().shifted(sum) } else { packed().shifted(sum) };
        coordinates.iter().rev().fold(Self::ZERO, |sum, &c| Self(shifted(sum.0)) + c)
    }
}

impl Add for RuntimeExtension {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        if !is_quartic() {
            return Self(packed().sum(self.0, other.0));
        }
        let base = base();
        Self(core::array::from_fn(|i| base.sum(self.0[i], other.0[i])))
    }
}

impl Sub for RuntimeExtension {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        if !is_quartic() {
            return Self(packed().difference(self.0, other.0));
        }
        let base = base();
        Self(core::array::from_fn(|i| base.difference(self.0[i], other.0[i])))
    }
}

impl Mul for RuntimeExtension {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(if is_quartic() {
            quartic().product(self.0, other.0)
        } else {
            packed().product(self.0, other.0)
        })
    }
}

impl Neg for RuntimeExtension {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self::ZERO - self
    }
}

super::assign_and_sum!(RuntimeExtension);

impl Lanes<RuntimePrime> for RuntimeExtension {
    crate::lanes::portable_lanes!(RuntimePrime: all);
}

impl MacField<RuntimePrime> for RuntimeExtension {
    type Tag = crate::mac::Tagged<RuntimePrime, Self>;

    crate::mac::portable_macs!(RuntimePrime: all);
}

#[cfg(test)]
mod tests;
