//! Fixed point over fields of odd characteristic: signed numbers, rounded, compared and chosen among.
//!
//! All is asked of many numbers at once, by hints that are shown to be right by ranges
//! ([`Tables::assert_within`]): a proof pays for these, and not for the bits of its numbers.

mod sort;
#[cfg(test)]
mod tests;

use core::fmt::Display;
use volery_channel::error::{Error, Result};
use volery_circuit::{Backend, Polynomials, Tables, prime_field};
use volery_primitives::bits::mask;
use volery_primitives::{Field, U256};

/// How numbers are written: as signed integers of so many bits, from −2^(bits − 1) to 2^(bits − 1) − 1, each
/// of which stands for itself times 2^−fraction. On a wire −x is p − x. With no bits of fraction they are
/// integers.
///
/// A **product** of two numbers, or a sum of such, has twice the bits of fraction, until it is rounded
/// ([`Fixed::floor`]): always down, to the next smaller number, −1/2 to −1.
///
/// Whatever a prover hints, there is one result that the assertions allow, but for the order of words by
/// [`Fixed::sorted`] that begin with the same number: b bits of numbers and f of fraction are refused where
/// 2^(b + f) or 2^(b + 1) is p or more, by each gadget for its field. Numbers that a gadget is given have to
/// be so written, which [`Fixed::assert_numbers`] says of those that a prover chose; what a gadget makes is
/// so written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fixed {
    bits: u32,
    fraction: u32,
}

/// The most bits of a number with its fraction.
const LONGEST: u32 = 126;

impl Fixed {
    /// The format of numbers of `bits` bits, `fraction` of them behind the point.
    ///
    /// # Errors
    /// `Invalid` where elements of the field are no integers, or too small for rounding and comparing; and for
    /// numbers of one bit, or none.
    pub fn new<F: Field>(bits: u32, fraction: u32) -> Result<Self> {
        prime_field::<F>()?;
        // The modulus is above 2^(bits - 1), and an integer of all bits has to fit a word.
        let most = (F::bits() - 1).min(LONGEST);
        if bits < 2 || bits >= most || fraction > most - bits {
            return Err(Error::invalid(format!(
                "numbers of {bits} bits with {fraction} of fraction over {}: choose 2 to {} bits, with the fraction at \
                 most {most} together",
                F::name(),
                most - 1
            )));
        }
        Ok(Self { bits, fraction })
    }

    /// Demands that these are numbers of this field, too.
    fn check<F: Field>(self) -> Result<()> {
        Self::new::<F>(self.bits, self.fraction).map(drop)
    }

    /// The bits of a number.
    pub fn bits(self) -> u32 {
        self.bits
    }

    /// The bits behind the point.
    pub fn fraction(self) -> u32 {
        self.fraction
    }

    /// The element that stands for `integer` · 2^−fraction, if it is within the numbers.
    pub fn element<F: Field>(self, integer: i128) -> Option<F> {
        let half = 1 << (self.bits - 1);
        let size = F::from_word(integer.unsigned_abs()).filter(|_| (-half..half).contains(&integer))?;
        Some(if integer < 0 { -size } else { size })
    }

    /// The integer that `element` stands for, times 2^fraction, if it is a number.
    pub fn integer<F: Field>(self, element: F) -> Option<i128> {
        let half = 1 << (self.bits - 1);
        let above = (element + F::place(self.bits - 1)).to_integer().word()?;
        (above < 2 * half).then_some(above as i128 - half as i128)
    }

    /// Demands that sums of `terms` products of two numbers, and of a number with as much fraction, do not
    /// come round modulo p before they are rounded: then what [`Fixed::floor`] says of them is said of
    /// integers.
    ///
    /// # Errors
    /// `Invalid` where they may.
    pub fn check_products<F: Field>(self, terms: u64) -> Result<()> {
        let modulus = prime_field::<F>()?;
        let Self { bits, fraction } = self;
        let one = U256::from(1_u64);
        // Of a sum, of the number beside it, and of what it is to be within.
        let (products, above) = (one << (2 * bits - 2)).mul_add(terms, 0);
        let (most, over) = products.overflowing_add(one << (bits + fraction));
        if above > 0 || over || most >= modulus {
            return Err(Error::invalid(format!(
                "sums of {terms} products of numbers of {bits} bits with {fraction} of fraction may exceed the modulus of \
                 {}: choose fewer",
                F::name()
            )));
        }
        Ok(())
    }

    /// Demands that `xs` are numbers: a range each.
    ///
    /// # Errors
    /// `Invalid` over a field that is too small for them; those of [`Tables::assert_within`].
    pub fn assert_numbers<B: Tables>(self, b: &mut B, xs: &[B::Wire], name: impl Display) -> Result<()> {
        self.check::<B::F>()?;
        let above = raised(b, xs, B::F::place(self.bits - 1));
        b.assert_within(&above, self.bits, &name)
    }

    /// For each of `xs` and `ys`, which are numbers, whether x is at least y: one or zero. A hint, a polynomial
    /// and a range each.
    ///
    /// # Errors
    /// `Invalid` where the lengths differ; those of the backend.
    pub fn at_least<B: Polynomials + Tables>(
        self,
        b: &mut B,
        xs: &[B::Wire],
        ys: &[B::Wire],
        name: impl Display,
    ) -> Result<Vec<B::Wire>> {
        self.check::<B::F>()?;
        let differences = differences(b, xs, ys)?;
        // One bit more than those of numbers.
        signs(b, &differences, self.bits + 1, &name)
    }

    /// For each of `xs` whether it is not negative: one or zero. A hint, a polynomial and a range each, by
    /// which they are shown to be numbers.
    ///
    /// # Errors
    /// Those of the backend.
    pub fn not_negative<B: Polynomials + Tables>(
        self,
        b: &mut B,
        xs: &[B::Wire],
        name: impl Display,
    ) -> Result<Vec<B::Wire>> {
        self.check::<B::F>()?;
        signs(b, xs, self.bits, &name)
    }

    /// Each of `xs`, or zero where it is negative (ReLU): a hint, two polynomials, one of them committed to,
    /// and a range each, by which they are shown to be numbers.
    ///
    /// # Errors
    /// Those of the backend.
    pub fn relu<B: Polynomials + Tables>(
        self,
        b: &mut B,
        xs: &[B::Wire],
        name: impl Display,
    ) -> Result<Vec<B::Wire>> {
        self.check::<B::F>()?;
        let signs = signs(b, xs, self.bits, &name)?;
        products(b, &signs, xs)
    }

    /// Each of `products`, of which [`Fixed::check_products`] says that they are integers, as a number,
    /// rounded down: x · 2^−fraction, of which the next smaller integer, or itself. Demands that this is a
    /// number. A hint and two ranges each, of the fraction and of the number.
    ///
    /// # Errors
    /// Those of the backend.
    pub fn floor<B: Polynomials + Tables>(
        self,
        b: &mut B,
        products: &[B::Wire],
        name: impl Display,
    ) -> Result<Vec<B::Wire>> {
        let quotients = self.quotients(b, products, &name)?;
        self.assert_numbers(b, &quotients, &name)?;
        Ok(quotients)
    }

    /// The quotients that are rounded down, and zero for those that are negative: two hints, two polynomials,
    /// one of them committed to, and two ranges each.
    ///
    /// # Errors
    /// Those of the backend.
    pub fn floor_relu<B: Polynomials + Tables>(
        self,
        b: &mut B,
        products: &[B::Wire],
        name: impl Display,
    ) -> Result<Vec<B::Wire>> {
        let quotients = self.quotients(b, products, &name)?;
        self.relu(b, &quotients, &name)
    }

    /// `xs[i] · ys[i]`, rounded down: what [`Fixed::floor`] takes, and a polynomial that is committed to.
    ///
    /// # Errors
    /// `Invalid` where the lengths differ, or products may come round modulo p; those of the backend.
    pub fn multiply<B: Polynomials + Tables>(
        self,
        b: &mut B,
        xs: &[B::Wire],
        ys: &[B::Wire],
        name: impl Display,
    ) -> Result<Vec<B::Wire>> {
        self.check_products::<B::F>(1)?;
        check_lengths(xs.len(), ys.len())?;
        let products = products(b, xs, ys)?;
        self.floor(b, &products, &name)
    }

    /// The largest of `xs`: what [`Fixed::argmax`] takes.
    ///
    /// # Errors
    /// Those of [`Fixed::argmax`].
    pub fn maximum<B: Polynomials + Tables>(
        self,
        b: &mut B,
        xs: &[B::Wire],
        name: impl Display,
    ) -> Result<B::Wire> {
        self.largest(b, xs, &name).map(|(_, largest)| largest)
    }

    /// The place of the largest of `xs`, which are numbers, from 0, and of the first of several: a hint, a
    /// polynomial and a range each, and a polynomial that is committed to.
    ///
    /// # Errors
    /// `Invalid` where there are none; those of the backend.
    pub fn argmax<B: Polynomials + Tables>(
        self,
        b: &mut B,
        xs: &[B::Wire],
        name: impl Display,
    ) -> Result<B::Wire> {
        self.largest(b, xs, &name).map(|(place, _)| place)
    }

    /// The place of the largest number, and the number.
    fn largest<B: Polynomials + Tables>(
        self,
        b: &mut B,
        xs: &[B::Wire],
        name: &dyn Display,
    ) -> Result<(B::Wire, B::Wire)> {
        self.check::<B::F>()?;
        let last = xs.len().checked_sub(1);
        let last = last.ok_or_else(|| Error::invalid("the largest of no numbers: give one at least"))?;
        let chosen = b.hints(xs, xs.len(), first_largest(self.bits))?;
        assert_bits(b, &chosen, name)?;
        // Bits, so that their sum is one where one of them is, which is fewer than p.
        let mut sum = b.constant(-B::F::ONE);
        for wire in &chosen {
            sum = b.add(sum, *wire);
        }
        b.assert_zero(sum, name)?;
        let largest = b.inner_product(&chosen, xs)?;
        let largest = b.commit(&largest)?[0];
        // At least what comes behind it, and more than what comes before: one more than that is at most it.
        let mut below = Vec::with_capacity(xs.len());
        let mut comes_later = b.constant(B::F::ZERO);
        for (x, chosen) in xs.iter().zip(&chosen).rev() {
            let least = b.add(*x, comes_later);
            let minus = b.scale(least, -B::F::ONE);
            below.push(b.add(largest, minus));
            comes_later = b.add(comes_later, *chosen);
        }
        b.assert_within(&below, self.bits, name)?;
        let mut places = Vec::with_capacity(xs.len());
        for place in 0..=last as u128 {
            let place = B::F::from_word(place);
            places.push(place.ok_or_else(|| Error::invalid("more numbers than elements of the field"))?);
        }
        Ok((b.linear(&places, &chosen), largest))
    }

    /// x · 2^−fraction, rounded down. That it is a number is still to be shown: see [`Fixed::floor`].
    ///
    /// What is left of x, below 2^fraction, and 2^fraction times a number are below p together, so that a
    /// number is one for each x.
    fn quotients<B: Tables>(
        self,
        b: &mut B,
        products: &[B::Wire],
        name: &dyn Display,
    ) -> Result<Vec<B::Wire>> {
        self.check::<B::F>()?;
        let Self { bits, fraction } = self;
        if fraction == 0 || products.is_empty() {
            return Ok(products.to_vec());
        }
        let quotients = b.hints(products, products.len(), shifted(bits + fraction, fraction))?;
        let factors = [B::F::ONE, -B::F::place(fraction)];
        let mut left = Vec::with_capacity(products.len());
        for (product, quotient) in products.iter().zip(&quotients) {
            left.push(b.linear(&factors, &[*product, *quotient]));
        }
        b.assert_within(&left, fraction, name)?;
        Ok(quotients)
    }
}

/// For each of `xs` whether it is not negative, which also shows that it is a signed integer of `bits` bits:
/// x, or x + 2^(bits − 1) where x is negative, is below 2^(bits − 1).
fn signs<B: Polynomials + Tables>(
    b: &mut B,
    xs: &[B::Wire],
    bits: u32,
    name: &dyn Display,
) -> Result<Vec<B::Wire>> {
    if xs.is_empty() {
        return Ok(Vec::new());
    }
    let half = B::F::place(bits - 1);
    let signs = b.hints(xs, xs.len(), not_negative(bits))?;
    assert_bits(b, &signs, name)?;
    let half_of_all = b.constant(half);
    let mut sizes = Vec::with_capacity(xs.len());
    for (x, sign) in xs.iter().zip(&signs) {
        let above = b.linear(&[B::F::ONE, -half], &[*x, *sign]);
        sizes.push(b.add(above, half_of_all));
    }
    b.assert_within(&sizes, bits - 1, name)?;
    Ok(signs)
}

/// Demands that each of `bits` is zero or one.
fn assert_bits<B: Polynomials>(b: &mut B, bits: &[B::Wire], name: &dyn Display) -> Result<()> {
    let bits = b.vector(bits);
    let minus = b.public(&[-B::F::ONE]);
    let less = b.sum(&bits, &minus);
    let zero = b.product(&bits, &less)?;
    b.assert_zeroes(zero, name)
}

/// The products of `xs` and `ys`, which are committed to.
fn products<B: Polynomials>(b: &mut B, xs: &[B::Wire], ys: &[B::Wire]) -> Result<Vec<B::Wire>> {
    if xs.is_empty() {
        return Ok(Vec::new());
    }
    let (xs, ys) = (b.vector(xs), b.vector(ys));
    let products = b.product(&xs, &ys)?;
    b.commit(&products)
}

/// `xs[i] − ys[i]`.
fn differences<B: Backend>(b: &mut B, xs: &[B::Wire], ys: &[B::Wire]) -> Result<Vec<B::Wire>> {
    check_lengths(xs.len(), ys.len())?;
    let mut differences = Vec::with_capacity(xs.len());
    for (x, y) in xs.iter().zip(ys) {
        let minus = b.scale(*y, -B::F::ONE);
        differences.push(b.add(*x, minus));
    }
    Ok(differences)
}

/// `xs[i] + by`.
fn raised<B: Backend>(b: &mut B, xs: &[B::Wire], by: B::F) -> Vec<B::Wire> {
    let by = b.constant(by);
    let mut raised = Vec::with_capacity(xs.len());
    for x in xs {
        raised.push(b.add(*x, by));
    }
    raised
}

fn check_lengths(xs: usize, ys: usize) -> Result<()> {
    if xs == ys {
        return Ok(());
    }
    Err(Error::invalid(format!("{xs} numbers and {ys} others: give as many of both")))
}

/// The integer x + 2^(bits − 1), below 2^bits where x is a signed integer of `bits` bits.
fn word_above<F: Field>(x: F, bits: u32) -> u128 {
    (x + F::place(bits - 1)).to_integer().low()
}

/// The element that `word`, of fewer bits than the modulus, says. It is a secret: so what it may be is
/// masked, and not asked.
fn said<F: Field>(word: u128) -> F {
    F::from_integer(U256::from(word) & U256::ones(F::bits() - 1)).unwrap_or(F::ZERO)
}

/// A hint's function: one where a signed integer of `bits` bits is not negative. It is generic over the field
/// alone, and takes the same steps for all values.
fn not_negative<F: Field>(bits: u32) -> impl Fn(&[F]) -> Vec<F> + Send + Sync + 'static {
    move |xs| {
        let sign = |x: &F| F::ONE.masked(mask((word_above(*x, bits) >> (bits - 1)) as u64));
        xs.iter().map(sign).collect()
    }
}

/// A hint's function: ⌊x / 2^by⌋ of signed integers of `bits` bits.
fn shifted<F: Field>(bits: u32, by: u32) -> impl Fn(&[F]) -> Vec<F> + Send + Sync + 'static {
    move |xs| {
        let minus = -F::place(bits - 1 - by);
        xs.iter().map(|x| said::<F>(word_above(*x, bits) >> by) + minus).collect()
    }
}

/// A hint's function: one at the place of the largest signed integer of `bits` bits, the first of several.
fn first_largest<F: Field>(bits: u32) -> impl Fn(&[F]) -> Vec<F> + Send + Sync + 'static {
    move |xs| {
        let (mut largest, mut place) = (0_u128, 0_u64);
        for (i, x) in xs.iter().enumerate() {
            let word = word_above(*x, bits);
            // All ones where it is larger: the borrow of their difference.
            let larger = mask((largest.overflowing_sub(word).1 | (i == 0)).into());
            let wide = u128::from(larger) << 64 | u128::from(larger);
            largest = word & wide | largest & !wide;
            place = i as u64 & larger | place & !larger;
        }
        (0..xs.len() as u64).map(|i| F::ONE.masked(mask((i == place).into()))).collect()
    }
}
