//! Integers modulo an odd number that is known while the circuit is written, as words of as many bits.
//!
//! Whatever is computed is a sum of bits times public numbers, a **combination**, that is brought below the
//! modulus q of n bits:
//!
//! 1. Each number counts modulo q, and is written in digits 1, 0 and -1 of which no two neighbours are both other
//!    than 0: of the number and what it is less q, the one that has fewer. So 2^(n + i) modulo 2^61 - 1 has one digit,
//!    modulo 2^64 - 2^32 + 1 two at most, and modulo any q about n/3. A bit's digit 1 is a wire in the column
//!    of that place, and -1 is one with the complement, less one.
//! 2. Full adders, of one AND each, take three bits of a column to one, and a carry.
//! 3. The sum V is known to be in [0, k·q) for a small k. It is divided by q without restoring: 2^j·q is
//!    taken from V for the largest j at first, and then for each smaller one, or added where V is negative,
//!    and q is added at last where it is: n ANDs for each j, and n more.
//!
//! | ANDs | of 97 | 2^31 - 1 | 2^61 - 1 | 2^127 - 1 | BN254's, of 254 bits |
//! |---|---|---|---|---|---|
//! | a sum, 2n to 3n | 18 | 61 | 121 | 253 | 759 |
//! | a product, by Karatsuba's three halves from 16 bits on | 125 | 1,706 | 5,189 | 17,016 | 73,440 |
//!
//! A word that is no number below q is nobody's result; whoever reads a witness demands it
//! (`word < q`, n ANDs). Gates depend on q and on which bits are public alone.

use super::word::add_column;
use super::{Bit, function};
use volery_channel::error::Result;
use volery_circuit::Backend;
use volery_primitives::{F2, U256};

use Bit::{Public, Wire};

/// The width from which on a product is made of three of half the width.
const HALVED: usize = 16;

/// An odd number from 3 on, of up to 256 bits: residues modulo it are words of as many bits as it has, the
/// least significant first, each of a number below it.
///
/// ```
/// # use volery_gadgets::testing::volery;
/// use volery::circuit::gadget::{Bit, Modulus};
/// use volery::circuit::{Backend, Circuit};
/// use volery_primitives::F2;
///
/// /// "I know a square root of this number modulo 97."
/// struct Root(u64);
///
/// impl<B: Backend<F = F2>> Circuit<B> for Root {
///     fn run(&self, b: &mut B) -> volery::Result<()> {
///         let modulus = Modulus::new(97_u64.into()).expect("an odd number");
///         let bits = (0..modulus.width()).map(|_| Bit::witness(b)).collect::<volery::Result<Vec<_>>>()?;
///         let root = modulus.residue(b, &bits)?;
///         let square = modulus.mul(b, &root, &root)?;
///         let expected = modulus.public(self.0.into());
///         square.iter().zip(expected).try_for_each(|(bit, expected)| bit.assert_equal(b, expected, "square"))
///     }
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Modulus {
    modulus: U256,
    width: usize,
}

impl Modulus {
    /// The residues modulo `modulus`, where it is odd, and not 1.
    pub fn new(modulus: U256) -> Option<Self> {
        let fits = modulus.bit(0) == 1 && modulus > 1;
        fits.then(|| Self { modulus, width: modulus.length() as usize })
    }

    /// The modulus.
    pub fn modulus(&self) -> U256 {
        self.modulus
    }

    /// How many bits a residue has.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The public residue `value`.
    ///
    /// # Panics
    /// Where it is not below the modulus.
    pub fn public<W>(&self, value: U256) -> Vec<Bit<W>> {
        assert!(value < self.modulus, "a residue is below its modulus");
        (0..self.width).map(|i| Public(value.bit(i as u32) == 1)).collect()
    }

    /// `x + y`.
    ///
    /// # Errors
    /// Those of [`Backend::mul`].
    pub fn add<B: Backend<F = F2>>(
        &self,
        b: &mut B,
        x: &[Bit<B::Wire>],
        y: &[Bit<B::Wire>],
    ) -> Result<Vec<Bit<B::Wire>>> {
        self.function(b, "sum", &[x, y].concat(), |b, words| {
            let (x, y) = words.split_at(self.width);
            let mut sum = Combination::new(self);
            sum.add(x);
            sum.add(y);
            sum.residue(b)
        })
    }

    /// `x + value`, for a residue `value`.
    ///
    /// # Errors
    /// Those of [`Backend::mul`].
    pub fn add_constant<B: Backend<F = F2>>(
        &self,
        b: &mut B,
        x: &[Bit<B::Wire>],
        value: U256,
    ) -> Result<Vec<Bit<B::Wire>>> {
        self.function(b, format_args!("sum with {value}"), x, |b, x| {
            let mut sum = Combination::new(self);
            sum.add(x);
            sum.constant = self.plus(sum.constant, value);
            sum.residue(b)
        })
    }

    /// `x · y`.
    ///
    /// # Errors
    /// Those of [`Backend::mul`].
    pub fn mul<B: Backend<F = F2>>(
        &self,
        b: &mut B,
        x: &[Bit<B::Wire>],
        y: &[Bit<B::Wire>],
    ) -> Result<Vec<Bit<B::Wire>>> {
        match (value(x), value(y)) {
            (Some(x), _) => self.mul_constant(b, y, x),
            (_, Some(y)) => self.mul_constant(b, x, y),
            _ => b.scope(|b| {
                let product = product(b, x, y)?;
                self.residue(b, &product)
            }),
        }
    }

    /// `x · factor`, for a residue `factor`.
    ///
    /// # Errors
    /// Those of [`Backend::mul`].
    pub fn mul_constant<B: Backend<F = F2>>(
        &self,
        b: &mut B,
        x: &[Bit<B::Wire>],
        factor: U256,
    ) -> Result<Vec<Bit<B::Wire>>> {
        self.function(b, format_args!("multiple by {factor}"), x, |b, x| {
            let mut sum = Combination::new(self);
            if factor == 1 {
                sum.add(x);
            } else if factor == self.less(U256::ZERO, 1_u64.into()) {
                sum.subtract(x);
            } else {
                sum.number(x, factor);
            }
            sum.residue(b)
        })
    }

    /// The residue of the number of `bits`, the least significant first, of which there may be any number.
    ///
    /// # Errors
    /// Those of [`Backend::mul`].
    pub fn residue<B: Backend<F = F2>>(&self, b: &mut B, bits: &[Bit<B::Wire>]) -> Result<Vec<Bit<B::Wire>>> {
        // The highest digits to the base 2^n first.
        let two = bits.len().min(2 * self.width);
        let (mut rest, high) = bits.split_at((bits.len() - two).next_multiple_of(self.width).min(bits.len()));
        let mut residue = self.reduced(b, high)?;
        while !rest.is_empty() {
            let (below, digit) = rest.split_at(rest.len() - self.width);
            let next = self.reduced(b, &[digit, &residue].concat())?;
            let made: Vec<_> = residue.iter().filter_map(|bit| wire(*bit)).collect();
            b.forget(&made);
            (rest, residue) = (below, next);
        }
        Ok(residue)
    }

    /// The residue of a number of up to 2n bits.
    fn reduced<B: Backend<F = F2>>(&self, b: &mut B, bits: &[Bit<B::Wire>]) -> Result<Vec<Bit<B::Wire>>> {
        self.function(b, format_args!("residue of {} bits", bits.len()), bits, |b, bits| {
            let mut sum = Combination::new(self);
            sum.number(bits, 1_u64.into());
            sum.residue(b)
        })
    }

    /// Calls what computes residues, by which `what` and the modulus determine the gates.
    fn function<B: Backend<F = F2>>(
        &self,
        b: &mut B,
        what: impl core::fmt::Display,
        bits: &[Bit<B::Wire>],
        body: impl FnOnce(&mut B, &[Bit<B::Wire>]) -> Result<Vec<Bit<B::Wire>>>,
    ) -> Result<Vec<Bit<B::Wire>>> {
        function(b, &format!("{what} modulo {}", self.modulus), bits, body)
    }

    /// `a + b`, of public residues.
    fn plus(&self, a: U256, b: U256) -> U256 {
        self.less(a, self.less(U256::ZERO, b))
    }

    /// `a - b`, of public residues.
    fn less(&self, a: U256, b: U256) -> U256 {
        let (difference, negative) = a.overflowing_sub(b);
        if negative { difference.overflowing_add(self.modulus).0 } else { difference }
    }
}

/// A sum of bits times public numbers, modulo q.
struct Combination<'m, W> {
    modulus: &'m Modulus,
    /// The bits that count 2^i, for each i.
    plus: Vec<Vec<W>>,
    /// The bits that count -2^i.
    minus: Vec<Vec<W>>,
    /// The residue that is added.
    constant: U256,
    /// How much the bits of either kind come to at most.
    most: Bound,
    least: Bound,
}

/// A number: `times` times the modulus, and a rest below that.
#[derive(Default)]
struct Bound {
    times: u32,
    rest: U256,
}

impl Bound {
    /// Adds a residue.
    fn add(&mut self, modulus: &Modulus, value: U256) {
        let sum = modulus.plus(self.rest, value);
        self.times += u32::from(sum < value);
        self.rest = sum;
    }
}

impl<'m, W: Copy> Combination<'m, W> {
    fn new(modulus: &'m Modulus) -> Self {
        let columns = || (0..=modulus.width).map(|_| Vec::new()).collect();
        Self {
            modulus,
            plus: columns(),
            minus: columns(),
            constant: U256::ZERO,
            most: Bound::default(),
            least: Bound::default(),
        }
    }

    /// Adds a residue.
    fn add(&mut self, word: &[Bit<W>]) {
        self.constant = self.modulus.plus(self.constant, public_part(word));
        word.iter().zip(&mut self.plus).for_each(|(bit, column)| column.extend(wire(*bit)));
        self.most.add(self.modulus, self.modulus.less(U256::ZERO, 1_u64.into()));
    }

    /// Subtracts a residue.
    fn subtract(&mut self, word: &[Bit<W>]) {
        self.constant = self.modulus.less(self.constant, public_part(word));
        word.iter().zip(&mut self.minus).for_each(|(bit, column)| column.extend(wire(*bit)));
        self.least.add(self.modulus, self.modulus.less(U256::ZERO, 1_u64.into()));
    }

    /// Adds the number of `bits` times a residue.
    fn number(&mut self, bits: &[Bit<W>], mut factor: U256) {
        for &bit in bits {
            match bit {
                Public(false) => {}
                Public(true) => self.constant = self.modulus.plus(self.constant, factor),
                Wire(wire) => self.term(wire, factor),
            }
            factor = self.modulus.plus(factor, factor);
        }
    }

    /// Adds a bit times a residue.
    fn term(&mut self, wire: W, factor: U256) {
        let negated = self.modulus.less(U256::ZERO, factor);
        let (positive, negative) = (digits(factor), digits(negated));
        let (digits, same) =
            if positive.len() <= negative.len() { (positive, true) } else { (negative, false) };
        let (bound, value) = if same { (&mut self.most, factor) } else { (&mut self.least, negated) };
        bound.add(self.modulus, value);
        for Digit { place, is_minus } in digits {
            let columns = if is_minus == same { &mut self.minus } else { &mut self.plus };
            columns[place].push(wire);
        }
    }

    /// The residue of the sum.
    fn residue<B: Backend<F = F2, Wire = W>>(mut self, b: &mut B) -> Result<Vec<Bit<W>>> {
        let (modulus, n) = (self.modulus, self.modulus.width);
        // As often q makes the sum no less than zero, and then it is below k·q.
        let offset = self.least.times + u32::from(self.least.rest > 0);
        self.most.add(modulus, self.constant);
        let k = self.most.times + offset + 1;
        let steps = (k - 1).checked_ilog2().map_or(0, |log| log as usize + 1);
        // The first step takes 2^(steps - 1) times q.
        let times = i64::from(offset) - steps.checked_sub(1).map_or(0, |j| 1 << j);
        let mut columns = Columns::new(n + steps);
        for (place, (plus, minus)) in self.plus.iter().zip(&self.minus).enumerate().take(n + steps) {
            plus.iter().for_each(|wire| columns.add(place, Wire(*wire)));
            for &wire in minus {
                columns.subtract(b, place, Wire(wire));
            }
        }
        for place in 0..n {
            let bit = |number: U256| number.bit(place as u32) as i64;
            columns.ones[place] += bit(self.constant) + times * bit(modulus.modulus);
        }
        let mut sum = columns.sum(b)?;
        for j in (0..steps.saturating_sub(1)).rev() {
            let negative = *sum.last().expect("a sign");
            let positive = negative.not(b);
            let mut columns = Columns::new(n + j + 1);
            for (place, bit) in sum.into_iter().enumerate().take(n + j + 1) {
                columns.add(place, bit);
                if let Some(place_of_q) = place.checked_sub(j) {
                    let one = place_of_q < n && modulus.modulus.bit(place_of_q as u32) == 1;
                    columns.add(place, if one { negative } else { positive });
                }
            }
            // The complement is q less, and one.
            columns.add(j, positive);
            sum = columns.sum(b)?;
        }
        if steps > 0 {
            let negative = sum.pop().expect("a sign");
            let mut columns = Columns::new(n);
            for (place, bit) in sum.into_iter().enumerate() {
                columns.add(place, bit);
                if modulus.modulus.bit(place as u32) == 1 {
                    columns.add(place, negative);
                }
            }
            sum = columns.sum(b)?;
        }
        Ok(sum)
    }
}

/// Bits that are added, column by column, modulo 2 to their number.
struct Columns<W> {
    wires: Vec<Vec<W>>,
    /// Numbers that are added to the columns beside their wires.
    ones: Vec<i64>,
}

impl<W: Copy> Columns<W> {
    fn new(width: usize) -> Self {
        Self { wires: (0..width).map(|_| Vec::new()).collect(), ones: vec![0; width] }
    }

    /// Adds `bit · 2^place`.
    fn add(&mut self, place: usize, bit: Bit<W>) {
        match bit {
            Public(bit) => self.ones[place] += i64::from(bit),
            Wire(wire) => self.wires[place].push(wire),
        }
    }

    /// Subtracts `bit · 2^place`: adds the complement, less one.
    fn subtract<B: Backend<F = F2, Wire = W>>(&mut self, b: &mut B, place: usize, bit: Bit<W>) {
        self.add(place, bit.not(b));
        self.ones[place] -= 1;
    }

    /// Adds a word times 2^place, of which what is above all columns is cut.
    fn add_word(&mut self, place: usize, word: &[Bit<W>]) {
        let places = place..self.ones.len();
        places.zip(word).for_each(|(place, bit)| self.add(place, *bit));
    }

    /// Subtracts a word times 2^place.
    fn subtract_word<B: Backend<F = F2, Wire = W>>(&mut self, b: &mut B, place: usize, word: &[Bit<W>]) {
        let places = place..self.ones.len();
        places.zip(word).for_each(|(place, bit)| self.subtract(b, place, *bit));
    }

    /// The sum, a bit for each column.
    fn sum<B: Backend<F = F2, Wire = W>>(self, b: &mut B) -> Result<Vec<Bit<W>>> {
        let width = self.ones.len();
        let (mut sum, mut carries, mut ones) = (Vec::with_capacity(width), Vec::new(), 0);
        for (place, (mut column, own)) in self.wires.into_iter().zip(self.ones).enumerate() {
            column.append(&mut carries);
            ones += own;
            let carry = (place + 1 < width).then_some(&mut carries);
            sum.push(add_column(b, &column, Public(ones.rem_euclid(2) == 1), carry)?);
            ones = ones.div_euclid(2);
        }
        Ok(sum)
    }
}

/// The product of two words of one width, in twice as many bits.
fn product<B: Backend<F = F2>>(
    b: &mut B,
    x: &[Bit<B::Wire>],
    y: &[Bit<B::Wire>],
) -> Result<Vec<Bit<B::Wire>>> {
    let n = x.len();
    function(b, &format!("product of two words of {n} bits"), &[x, y].concat(), |b, words| {
        let (x, y) = words.split_at(n);
        let mut columns = Columns::new(2 * n);
        if n < HALVED {
            for (i, x) in x.iter().enumerate() {
                for (j, y) in y.iter().enumerate() {
                    columns.add(i + j, x.and(b, *y)?);
                }
            }
            return columns.sum(b);
        }
        // (x0 + x1·2^h)(y0 + y1·2^h), of whose middle the product of both sums is more by those of the halves.
        let h = n.div_ceil(2);
        let sum_of_halves = |b: &mut B, word: &[Bit<B::Wire>]| {
            let mut columns = Columns::new(h + 1);
            columns.add_word(0, &word[..h]);
            columns.add_word(0, &word[h..]);
            columns.sum(b)
        };
        let (x_sum, y_sum) = (sum_of_halves(b, x)?, sum_of_halves(b, y)?);
        let low = product(b, &x[..h], &y[..h])?;
        let high = product(b, &x[h..], &y[h..])?;
        let middle = product(b, &x_sum, &y_sum)?;
        columns.add_word(0, &low);
        columns.add_word(2 * h, &high);
        columns.add_word(h, &middle);
        columns.subtract_word(b, h, &low);
        columns.subtract_word(b, h, &high);
        columns.sum(b)
    })
}

/// A digit of a number that is not zero.
struct Digit {
    place: usize,
    is_minus: bool,
}

/// The digits 1 and -1 of a public number, no two of them in neighbouring places.
fn digits(number: U256) -> Vec<Digit> {
    let (mut digits, mut carry) = (Vec::new(), false);
    for place in 0..=256 {
        let bit = |place| number.bit(place) == 1;
        // A bit and a carry are a carry, and neither is neither.
        if bit(place) != carry {
            carry = bit(place + 1);
            digits.push(Digit { place: place as usize, is_minus: carry });
        }
    }
    digits
}

/// The number of a word, where all of it is public.
fn value<W: Copy>(word: &[Bit<W>]) -> Option<U256> {
    word.iter().all(|bit| matches!(bit, Public(_))).then(|| public_part(word))
}

/// The number of the public bits of a word.
fn public_part<W: Copy>(word: &[Bit<W>]) -> U256 {
    let one = |bit: &Bit<W>| matches!(bit, Public(true));
    word.iter().rev().fold(U256::ZERO, |number, bit| number << 1 | U256::from(u64::from(one(bit))))
}

fn wire<W: Copy>(bit: Bit<W>) -> Option<W> {
    if let Wire(wire) = bit { Some(wire) } else { None }
}

#[cfg(test)]
mod tests;
