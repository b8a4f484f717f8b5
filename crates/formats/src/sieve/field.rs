//! The fields that wires and values are of: what they are called, and which numbers are their elements.

use super::execute::modulus;
use super::number::{Element, Number};
use core::fmt;
use volery_primitives::field::is_prime;
use volery_primitives::{
    Bn254, F2, F61, F256, Field, Goldilocks, RuntimePrime, RuntimePrime256, with_fields,
};

/// A field: that of a prime, or `f256`. An element is written as a number: of `f256` bit i of it is the
/// coefficient of X^i.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WireField {
    /// How many elements there are: those are the numbers below it.
    size: Number,
    /// Whether the size is the field's characteristic.
    is_prime: bool,
}

/// The one extension that is read, for errors.
pub(super) const READ: &str =
    "fields of primes, and ext_field B 8 283 of a type B that is field 2, which is f256";

/// The degree and the polynomial of `f256`, AES's: X^8 + X^4 + X^3 + X + 1.
const DEGREE: u64 = 8;
const POLYNOMIAL: u64 = 0x11b;

impl WireField {
    /// The integers modulo a prime.
    pub(super) fn of_prime(modulus: Number) -> Self {
        Self { size: modulus, is_prime: true }
    }

    /// The extension of F_2 of this degree by this polynomial, if proofs are over it.
    pub(super) fn of_bits(degree: u64, polynomial: &Number) -> Option<Self> {
        let known = degree == DEGREE && *polynomial == Number::of(POLYNOMIAL);
        known.then(|| Self { size: Number::of(1 << DEGREE), is_prime: false })
    }

    /// How many elements there are.
    #[inline(always)]
    pub(super) fn size(&self) -> &Number {
        &self.size
    }

    /// The size for errors, with what it is.
    pub(super) fn limit(&self) -> String {
        let what = if self.is_prime { "modulus" } else { "number of elements" };
        format!("{}, the {what}", self.size)
    }

    /// Whether it has two elements.
    pub(super) fn is_two(&self) -> bool {
        self.size.is_two()
    }

    /// Whether its elements are integers modulo a prime, so that they are numbers.
    pub(super) fn is_prime(&self) -> bool {
        self.is_prime
    }

    /// Whether it is that of an odd prime.
    pub(super) fn is_odd(&self) -> bool {
        self.is_prime && !self.is_two()
    }

    /// Whether it is given by a modulus that is no prime, so that there is no such field. Longer ones are found out
    /// where a field is chosen.
    pub(super) fn is_composite(&self) -> bool {
        self.is_prime && self.size.to_u64().is_some_and(|size| size >> 61 == 0 && !is_prime(size))
    }

    /// Whether one statement may be over both.
    pub(super) fn goes_with(&self, other: &Self) -> bool {
        self == other || (self.is_prime && other.is_prime)
    }

    /// Whether numbers of it stand beside bits in a proof.
    pub(super) fn goes_with_bits(&self) -> bool {
        match self.known() {
            Some((name, _)) => [F61::NAME, Goldilocks::NAME, Bn254::NAME].contains(&name),
            None => self.is_odd() && self.size.exceeds(16) && self.size.bits() <= 256,
        }
    }

    /// Whether it is `F`.
    pub(super) fn is<F: Field>(&self) -> bool {
        if self.is_prime {
            modulus::<F>().is_some_and(|modulus| Number::of_wide(modulus) == self.size)
        } else {
            F::NAME == F256::NAME
        }
    }

    /// The [`Field::NAME`], where it has one, or the modulus.
    pub(super) fn name(&self) -> String {
        self.known().map_or_else(|| self.to_string(), |(name, _)| name.into())
    }

    /// [`Field::NAME`] and [`Field::BYTES`], if it is one of those with names.
    fn known(&self) -> Option<(&'static str, usize)> {
        fn known<F: Field>(field: &WireField) -> Option<(&'static str, usize)> {
            field.is::<F>().then_some((F::NAME, F::BYTES))
        }
        macro_rules! fields {
            ($($values:ident: $($macs:ident)+;)+) => { [known::<F2>, $(known::<volery_primitives::$values>),+] };
        }
        with_fields!(fields).iter().find_map(|known| known(self))
    }

    /// -1, if an element has up to 256 bits.
    pub(super) fn minus_one(&self) -> Option<Element> {
        if self.is_prime { self.size.minus_one().to_element() } else { Some([1, 0, 0, 0]) }
    }

    /// The bytes of an element, [`Field::BYTES`]: modulo a prime that is chosen at run time those of the
    /// longest.
    pub(super) fn bytes(&self) -> usize {
        self.known().map_or_else(
            || match self.size.to_u64() {
                Some(..RuntimePrime::LEAST) => self.size.minus_one().bits().div_ceil(8).max(1) as usize,
                Some(..=RuntimePrime::MOST) => RuntimePrime::BYTES,
                _ => RuntimePrime256::BYTES,
            },
            |(_, bytes)| bytes,
        )
    }

    /// How it is declared.
    pub(super) fn declared(&self) -> String {
        if self.is_prime {
            format!("field {}", self.size)
        } else {
            format!("ext_field … {DEGREE} {POLYNOMIAL}")
        }
    }
}

/// The modulus in decimal digits, or the name of a field that has none.
impl fmt::Display for WireField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_prime { self.size.fmt(f) } else { f.write_str(F256::NAME) }
    }
}
