//! Values of ports: elements that may be secret.

use super::fixed_point::FixedPoint;
use super::npy::{Npy, TakeInteger};
use super::value::not_canonical;
use super::{Port, PortValue, counted};
use crate::prime_field;
use std::borrow::Cow;
use volery_channel::error::{Error, Result};
use volery_primitives::{Field, U256};
use zeroize::{Zeroize, Zeroizing};

/// Elements of `F` in order: the value of a port, or a witness. Wiped when dropped; no error and
/// no `Debug` shows them.
#[derive(Clone)]
pub struct Elements<F: Field>(Zeroizing<Vec<F>>);

impl<F: Field> From<Vec<F>> for Elements<F> {
    fn from(elements: Vec<F>) -> Self {
        Self(Zeroizing::new(elements))
    }
}

impl<F: Field> Elements<F> {
    /// The elements that `text` writes: numbers with commas between them, and white space around them where
    /// wanted. A number is written in decimal digits, or in hexadecimal ones behind `0x`, and is below the
    /// modulus; behind `-` it is taken from zero. In characteristic two it is the encoding of an element,
    /// whose bits are coefficients, and has no sign.
    ///
    /// The time this takes shows how long the numbers are written, where they have signs, and what is
    /// malformed; nothing else of them.
    ///
    /// # Errors
    /// `Invalid` with the place of a number that is malformed or too large.
    pub fn parse(text: &[u8]) -> Result<Self> {
        numbers(text, element).map(Self)
    }

    /// The elements that as many integers are as `each` hands over. What knows no field is compiled once.
    fn gathered(count: usize, each: &dyn Fn(&mut TakeInteger<'_>) -> Result<()>) -> Result<Self> {
        let mut elements = Zeroizing::new(Vec::with_capacity(count));
        each(&mut |integer| {
            elements.push(signed(integer)?);
            Ok(())
        })?;
        Ok(Self(elements))
    }

    /// The elements in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = F> + DoubleEndedIterator {
        self.0.iter().copied()
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The elements in order, as they lie.
    pub fn as_slice(&self) -> &[F] {
        &self.0
    }

    /// The elements of all `parts` by turns, `turn` of each at a time: with `usize::MAX` one part after the
    /// other.
    pub fn in_turn(parts: &[Self], turn: usize) -> Self {
        // As long as all of them from the begin.
        let length = parts.iter().map(Self::len).sum();
        let mut elements = Zeroizing::new(Vec::with_capacity(length));
        let mut pieces: Vec<_> = parts.iter().map(|part| part.0.chunks(turn)).collect();
        while elements.len() < length {
            pieces.iter_mut().filter_map(Iterator::next).for_each(|piece| elements.extend_from_slice(piece));
        }
        Self(elements)
    }
}

/// The values that `each` reads of numbers with commas between them.
pub(super) fn numbers<T: Zeroize>(
    text: &[u8],
    each: impl Fn(&[u8]) -> Result<T, String>,
) -> Result<Zeroizing<Vec<T>>> {
    if text.trim_ascii().is_empty() {
        return Err(Error::invalid("the value is empty: write numbers with commas between them"));
    }
    let of = 1 + text.iter().filter(|&&byte| byte == b',').count();
    // A vector that grows leaves copies behind.
    let mut values = Zeroizing::new(Vec::with_capacity(of));
    for (i, number) in text.split(|&byte| byte == b',').enumerate() {
        let value = each(number.trim_ascii()).map_err(|why| {
            Error::invalid(if of == 1 { why } else { format!("number {} of {of}: {why}", i + 1) })
        })?;
        values.push(value);
    }
    Ok(values)
}

/// The element that `number` writes, or what is wrong with it.
fn element<F: Field>(number: &[u8]) -> Result<F, String> {
    let (negative, unsigned) = number.strip_prefix(b"-").map_or((false, number), |rest| (true, rest));
    if negative && F::ONE + F::ONE == F::ZERO {
        return Err(without_sign::<F>());
    }
    let element = digits(number, unsigned)?.and_then(F::from_integer).ok_or_else(too_large::<F>)?;
    Ok(if negative { -element } else { element })
}

/// The words for a number below zero in characteristic two.
fn without_sign<F: Field>() -> String {
    format!("elements of {} have no sign: leave it out", F::name())
}

/// The words for a number that no element is.
fn too_large<F: Field>() -> String {
    match prime_field::<F>() {
        Ok(modulus) => format!("the number is not below {modulus}, the modulus of {}", F::name()),
        Err(_) => format!(
            "the number has more than {}, those of an element of {}",
            counted(F::bits().into(), "bit"),
            F::name()
        ),
    }
}

/// The element that `integer` is, or what is wrong with it.
fn signed<F: Field>(integer: i128) -> Result<F, String> {
    if F::ONE + F::ONE == F::ZERO && integer < 0 {
        return Err(without_sign::<F>());
    }
    let magnitude = F::from_word(integer.unsigned_abs()).ok_or_else(too_large::<F>)?;
    // No branch tells the sign.
    Ok(magnitude - (magnitude + magnitude).masked((integer >> 127) as u64))
}

/// The integer that `unsigned` writes, the end of `number`, where it has 256 bits at most; or what is wrong with it.
pub(super) fn digits(number: &[u8], unsigned: &[u8]) -> Result<Option<U256>, String> {
    match unsigned.strip_prefix(b"0x") {
        Some(digits) => in_radix(number, digits, 16),
        None => in_radix(number, unsigned, 10),
    }
}

/// The integer that `digits` write, the end of `number`, in decimal or hexadecimal ones: see [`digits`].
pub(super) fn in_radix(number: &[u8], digits: &[u8], radix: u64) -> Result<Option<U256>, String> {
    if digits.is_empty() {
        return Err("there are no digits".into());
    }
    let (mut integer, mut over) = (U256::ZERO, false);
    for (i, &digit) in digits.iter().enumerate() {
        let decimal = digit.wrapping_sub(b'0') < 10;
        let letter = (digit | 0x20).wrapping_sub(b'a') < 6;
        if !(decimal | (letter & (radix == 16))) {
            let place = number.len() - digits.len() + i + 1;
            let kind = if radix == 16 { "a hexadecimal" } else { "a decimal" };
            return Err(format!(
                "character {place} is not {kind} digit: write decimal digits, or 0x and hexadecimal ones"
            ));
        }
        // Letters have bit 6 set, and the low half of 'a' is 1.
        let value = (digit & 0xf) + 9 * (digit >> 6);
        let (sum, above) = integer.mul_add(radix, value.into());
        integer = sum;
        over |= above != 0;
    }
    Ok((!over).then_some(integer))
}

impl<F: Field> PortValue for Elements<F> {
    const UNIT: &'static str = "element";

    /// Parses the text as [`Elements::parse`] does.
    fn from_text(text: &[u8]) -> Result<Self> {
        Self::parse(text)
    }

    /// Parses the content as [`Elements::parse`] does: files hold numbers, too, as text or as integers of a `.npy` file.
    fn from_content(content: &[u8]) -> Result<Self> {
        if !Npy::is_one(content) {
            return Self::parse(content);
        }
        let array = Npy::read(content)?;
        Self::gathered(array.count(), &|take| array.each_integer(take))
    }

    fn from_fixed(written: &[u8], of: &FixedPoint) -> Result<Self> {
        let modulus = prime_field::<F>()?;
        if FixedPoint::is_integers(written) {
            // Negative ones may be written as residues, too.
            let elements = Self::parse(written)?;
            of.demand(elements.len(), modulus, &mut elements.iter().map(F::to_integer))?;
            return Ok(elements);
        }
        let integers = of.read(written)?;
        Self::gathered(integers.len(), &|take| {
            integers.iter().try_for_each(|integer| take((*integer).into())).map_err(Error::invalid)
        })
    }

    fn from_encodings(encodings: &[u8]) -> Result<Self> {
        let count = encodings.len().div_ceil(F::BYTES);
        let mut elements = Vec::with_capacity(count).into();
        let Self(within) = &mut elements;
        for (i, encoding) in encodings.chunks(F::BYTES).enumerate() {
            let element = if encoding.len() == F::BYTES { F::decode(encoding) } else { None };
            within.push(element.ok_or_else(|| not_canonical(i, count, F::name()))?);
        }
        Ok(elements)
    }

    fn to_text(&self) -> String {
        self.iter().map(|element| element.to_integer().to_string()).collect::<Vec<_>>().join(",")
    }

    fn fit(self, port: &Port) -> Result<Self> {
        if self.len() as u64 != port.width {
            let commas = if port.width > 1 { ", with commas between them" } else { "" };
            return Err(Error::invalid(format!(
                "{} takes {}{commas}, and the value given for it has {}",
                port.name,
                counted(port.width, Self::UNIT),
                counted(self.len() as u64, Self::UNIT)
            )));
        }
        Ok(self)
    }

    fn zeros(width: u64) -> Self {
        vec![F::ZERO; usize::try_from(width).expect("as many as a port has")].into()
    }

    fn encoding(&self) -> Cow<'_, [u8]> {
        self.iter().flat_map(|element| element.to_integer().to_bytes().into_iter().take(F::BYTES)).collect()
    }
}
