//! Wires modulo primes beyond that of numbers, in bits: each is a word over F_2, of as many bits as its modulus
//! has, and always below it.
//!
//! A private value is demanded to be below its modulus where it is read; public ones and constants are looked
//! at by their readers. So a wire is zero where all its bits are, and is converted to bits as it is. What
//! gates cost is what [`Modulus`] says.

use super::body::{Body, Gate, NONE, Op};
use super::convert::{self, at_most};
use super::execute::{Frame, Held, Inputs};
use core::fmt::Display;
use volery_channel::error::{Error, Result};
use volery_circuit::stream::{Handle, MixedRecorder, Recorder};
use volery_circuit::{Backend as _, Wires as _, widest};
use volery_gadgets::gadget::{Bit, Modulus};
use volery_primitives::{F2, Field, U256};

/// The version of the [choice](super::choice) and of the gates that are pushed for words: where others are, it
/// goes up.
pub(super) const VERSION: u32 = 1;

/// Bits on wires, the least significant first.
pub(super) type Word = Vec<Bit<Handle>>;

/// The slots of a conversion, of one type.
pub(super) struct Side<'s> {
    pub(super) kind: u8,
    pub(super) slots: &'s [u32],
}

/// The next value of a stream, as a word.
pub(super) fn input(
    b: &mut Recorder<'_, F2>,
    inputs: &mut dyn Inputs<F2>,
    modulus: &Modulus,
    (public, kind): (bool, u8),
    file: &str,
) -> Result<Word> {
    let mut bits = Vec::with_capacity(modulus.width());
    for _ in 0..modulus.width() {
        bits.push(if public { inputs.public(b, kind)? } else { inputs.private(b, kind)? });
    }
    if !public {
        let name = format_args!("a private value of type {kind} in {file} below {}", modulus.modulus());
        at_most(b, &bits, largest(modulus), &name)?;
    }
    Ok(bits.into_iter().map(Bit::Wire).collect())
}

/// The number `turn` in `width` digits to the base of the modulus, the highest first; what does not fit is cut.
pub(super) fn digits(modulus: &Modulus, turn: u64, width: u32) -> Vec<Word> {
    let mut rest = U256::from(turn);
    let mut digits: Vec<Word> = (0..width)
        .map(|_| {
            if rest == U256::ZERO {
                return modulus.public(rest);
            }
            let (quotient, digit) = rest.divided(modulus.modulus()).unwrap_or_default();
            rest = quotient;
            modulus.public(digit)
        })
        .collect();
    digits.reverse();
    digits
}

/// The largest residue.
fn largest(modulus: &Modulus) -> U256 {
    modulus.modulus().overflowing_sub(1_u64.into()).0
}

/// A copy of these bits, on wires of its own.
fn copied(b: &mut Recorder<'_, F2>, word: &[Bit<Handle>]) -> Word {
    let own = |bit: &Bit<Handle>| match bit {
        Bit::Wire(wire) => Bit::Wire(b.scale(*wire, F2::ONE)),
        public => *public,
    };
    word.iter().map(own).collect()
}

/// Demands that all these bits are zero.
fn assert_zero(b: &mut Recorder<'_, F2>, bits: &[Bit<Handle>], name: &dyn Display) -> Result<()> {
    bits.iter().try_for_each(|bit| bit.assert_equal(b, Bit::Public(false), name))
}

/// The inner product of lists of words.
fn inner<'w>(
    b: &mut Recorder<'_, F2>,
    modulus: &Modulus,
    pairs: impl Iterator<Item = Result<(&'w Word, &'w Word)>>,
) -> Result<Word> {
    let mut sum: Word = modulus.public(U256::ZERO);
    for pair in pairs {
        let (x, y) = pair?;
        let next = b.scope(|b| {
            let product = modulus.mul(b, x, y)?;
            modulus.add(b, &sum, &product)
        })?;
        b.forget(&sum.wires());
        sum = next;
    }
    Ok(sum)
}

impl Frame<'_> {
    /// Executes a gate on words, which is no call and reads no stream.
    pub(super) fn word_gate(
        &self,
        b: &mut Recorder<'_, F2>,
        modulus: &Modulus,
        body: &Body,
        &Gate { op, out, a, b: c, .. }: &Gate,
        held: &mut Held,
    ) -> Result<()> {
        if op == Op::Forget {
            if let Some(word) = held.words.remove(&a) {
                b.forget(&word.wires());
            }
            return Ok(());
        }
        let constant = |at: u32| U256::from_limbs(body.constants[at as usize]);
        let made = b.scope(|b| {
            Ok(match op {
                Op::Add => modulus.add(b, held.word(a)?, held.word(c)?)?,
                Op::Mul => modulus.mul(b, held.word(a)?, held.word(c)?)?,
                Op::AddConstant => modulus.add_constant(b, held.word(a)?, constant(c))?,
                Op::MulConstant => modulus.mul_constant(b, held.word(a)?, constant(c))?,
                Op::Constant => modulus.public(constant(a)),
                Op::Copy => copied(b, held.word(a)?),
                Op::IsZero => {
                    let zero = held.word(a)?.iter().try_fold(Bit::Public(true), |zero, bit| {
                        let unset = bit.not(b);
                        zero.and(b, unset)
                    })?;
                    let mut word = modulus.public(U256::ZERO);
                    word[0] = zero;
                    word
                }
                Op::Assert => {
                    assert_zero(b, held.word(a)?, &self.place.line(body.read(c).long()))?;
                    Vec::new()
                }
                Op::Inner | Op::AssertInner => {
                    let mut words = body.read(c);
                    let line = if op == Op::AssertInner { words.long() } else { 0 };
                    let (x, y) = (words.list(), words.list());
                    let pairs = x.zip(y).map(|(x, y)| Ok((held.word(x)?, held.word(y)?)));
                    let sum = inner(b, modulus, pairs)?;
                    if op == Op::AssertInner {
                        assert_zero(b, &sum, &self.place.line(line))?;
                    }
                    sum
                }
                Op::AssertProduct => {
                    let mut words = body.read(c);
                    let factor = held.word(words.next())?;
                    let name = self.place.line(words.long());
                    let product = modulus.mul(b, held.word(a)?, factor)?;
                    let none = modulus.public(U256::ZERO);
                    let expected = if out == NONE { &none } else { held.word(out)? };
                    let mut bits = product.iter().zip(expected);
                    bits.try_for_each(|(bit, expected)| bit.assert_equal(b, *expected, &name))?;
                    Vec::new()
                }
                Op::Hint | Op::Permutation | Op::Memory | Op::Read | Op::Write => {
                    return Err(Error::invalid("a plugin takes words as numbers: the file has changed"));
                }
                Op::Forget | Op::Call | Op::Loop | Op::Convert | Op::Public | Op::Private => {
                    unreachable!("executed by the caller")
                }
            })
        })?;
        if !matches!(op, Op::Assert | Op::AssertInner | Op::AssertProduct) {
            held.words.insert(out, made);
        }
        Ok(())
    }

    /// Executes a conversion from words, or to words.
    pub(super) fn convert_words<F: Field>(
        &self,
        both: &mut MixedRecorder<'_, '_, '_, F>,
        (from, to): (&Side<'_>, &Side<'_>),
        reduced: bool,
        name: &dyn Display,
        held: &mut Held,
    ) -> Result<()> {
        let (of, target) = (self.kinds.word(from.kind), self.kinds.word(to.kind));
        both.bits().open_scope();
        let mut made: Vec<Word> = Vec::new();
        if let (Some(of), Some(target)) = (of, target)
            && of == target
        {
            let b = both.bits();
            let (above, kept) = from.slots.split_at(from.slots.len().saturating_sub(to.slots.len()));
            for slot in above.iter().filter(|_| !reduced) {
                assert_zero(b, held.word(*slot)?, name)?;
            }
            made.extend((kept.len()..to.slots.len()).map(|_| target.public(U256::ZERO)));
            for slot in kept {
                made.push(copied(b, held.word(*slot)?));
            }
        } else if [from, to].into_iter().any(|side| !self.kinds.is_binary(side.kind) && side.slots.len() != 1)
        {
            return Err(Error::invalid("several wires are converted to another prime at once"));
        } else {
            // The bits of the number, the least significant first, and how much they can come to.
            let (bits, most): (Word, _) = if let Some(of) = of {
                (held.word(from.slots[0])?.clone(), largest(of))
            } else if self.kinds.is_binary(from.kind) {
                let bits = from.slots.iter().rev().map(|slot| Bit::Wire(held.wires[*slot as usize]));
                (bits.collect(), U256::ones(from.slots.len().min(256) as u32))
            } else {
                let places = widest::<F>() + 1;
                let few = target.filter(|_| !reduced).map_or(places, |target| target.width().min(places));
                let bits = convert::bits(both, held.wires[from.slots[0] as usize], few, false, name)?;
                (bits.into_iter().rev().map(Bit::Wire).collect(), (-F::ONE).to_integer())
            };
            if let Some(target) = target {
                made.push(word(both.bits(), target, &bits, most, reduced, name)?);
            } else if self.kinds.is_binary(to.kind) {
                let b = both.bits();
                let (kept, above) = bits.split_at(bits.len().min(to.slots.len()));
                if !reduced {
                    assert_zero(b, above, name)?;
                }
                let mut word = copied(b, kept);
                word.resize(to.slots.len(), Bit::Public(false));
                // Each is a wire of its own.
                for (slot, bit) in to.slots.iter().rev().zip(word) {
                    held.wires[*slot as usize] = bit.wire(b);
                    made.push(vec![Bit::Wire(held.wires[*slot as usize])]);
                }
                both.bits().close_scope(&made.wires());
                return Ok(());
            } else {
                let bits: Vec<Handle> = bits.iter().rev().map(|bit| bit.wire(both.bits())).collect();
                held.wires[to.slots[0] as usize] = convert::number(both, &bits, reduced, name)?;
            }
        }
        both.bits().close_scope(&made.wires());
        for (slot, word) in to.slots.iter().zip(made) {
            held.words.insert(*slot, word);
        }
        Ok(())
    }
}

/// The word of a number of these bits, which is `most` at most. One that is not below the modulus fails, unless it
/// is `reduced`.
fn word(
    b: &mut Recorder<'_, F2>,
    modulus: &Modulus,
    bits: &[Bit<Handle>],
    most: U256,
    reduced: bool,
    name: &dyn Display,
) -> Result<Word> {
    if reduced {
        return modulus.residue(b, bits);
    }
    let (kept, above) = bits.split_at(bits.len().min(modulus.width()));
    assert_zero(b, above, name)?;
    if kept.len() == modulus.width() && most > largest(modulus) {
        let wires: Vec<Handle> = kept.iter().map(|bit| bit.wire(b)).collect();
        at_most(b, &wires, largest(modulus), name)?;
    }
    let mut word = copied(b, kept);
    word.resize(modulus.width(), Bit::Public(false));
    Ok(word)
}
