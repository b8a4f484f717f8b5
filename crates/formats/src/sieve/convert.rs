//! Conversions of values from one type to another: numbers to the base of a prime, the highest digit first.

use super::execute::modulus;
use core::fmt::Display;
use volery_channel::error::{Error, Result};
use volery_circuit::stream::{Handle, MixedRecorder, Recorder};
use volery_circuit::{Backend as _, widest};
use volery_primitives::{F2, Field, U256};

/// `count` digits of the number whose digits these are, over one field. What does not fit is cut where it is
/// `reduced`, and else has to be zero.
pub(super) fn resized<F: Field>(
    b: &mut Recorder<'_, F>,
    digits: &[Handle],
    count: usize,
    reduced: bool,
    name: &dyn Display,
) -> Result<Vec<Handle>> {
    let (above, kept) = digits.split_at(digits.len().saturating_sub(count));
    if !reduced {
        above.iter().try_for_each(|digit| b.assert_zero(*digit, name))?;
    }
    let mut made: Vec<_> = (kept.len()..count).map(|_| b.constant(F::ZERO)).collect();
    made.extend(kept.iter().map(|digit| b.scale(*digit, F::ONE)));
    Ok(made)
}

/// The number of these bits. One that is not below the modulus fails, unless it is `reduced`.
pub(super) fn number<F: Field>(
    both: &mut MixedRecorder<'_, '_, '_, F>,
    bits: &[Handle],
    reduced: bool,
    name: &dyn Display,
) -> Result<Handle> {
    let largest = largest::<F>()?;
    let places = widest::<F>() + 1;
    let bits: Vec<_> = bits.iter().rev().copied().collect();
    let (word, above) = bits.split_at(bits.len().min(places));
    if !reduced {
        above.iter().try_for_each(|bit| both.bits().assert_zero(*bit, name))?;
        if word.len() == places {
            at_most(both.bits(), word, largest, name)?;
        }
    }
    let taken = if reduced { &bits } else { word };
    let (mut sum, mut factor) = (None, F::ONE);
    for part in taken.chunks(places - 1) {
        let number = both.number(part)?;
        let numbers = both.numbers();
        let term = numbers.scale(number, factor);
        let next = sum.map_or(term, |sum| numbers.add(sum, term));
        sum = Some(next);
        factor *= F::place(places as u32 - 1);
    }
    sum.ok_or_else(|| Error::invalid("a number of no bits"))
}

/// `count` bits of `number`. What does not fit is cut where it is `reduced`, and else has to be zero.
pub(super) fn bits<F: Field>(
    both: &mut MixedRecorder<'_, '_, '_, F>,
    number: Handle,
    count: usize,
    reduced: bool,
    name: &dyn Display,
) -> Result<Vec<Handle>> {
    let largest = largest::<F>()?;
    let below = widest::<F>();
    let mut bits = if count <= below && !reduced {
        both.bits_of(&[number], count, name)?
    } else {
        // The bits of a number below the modulus, of which the highest is hinted and taken away.
        let numbers = both.numbers();
        let highest = numbers.hint(&[number], move |values| {
            if values[0].to_integer().bit(below as u32) == 1 { F::ONE } else { F::ZERO }
        })?;
        let minus = numbers.scale(highest, -F::place(below as u32));
        let rest = numbers.add(number, minus);
        let mut bits = both.bits_of(&[rest], below, name)?;
        bits.extend(both.bits_of(&[highest], 1, name)?);
        at_most(both.bits(), &bits, largest, name)?;
        both.numbers().forget(&[highest, minus, rest]);
        bits
    };
    let unwanted = bits.split_off(count.min(bits.len()));
    let b = both.bits();
    b.forget(&unwanted);
    bits.extend((bits.len()..count).map(|_| b.constant(F2::ZERO)));
    bits.reverse();
    Ok(bits)
}

/// Demands that the number of `bits`, the least significant first, is `most` at most.
pub(super) fn at_most(
    b: &mut Recorder<'_, F2>,
    bits: &[Handle],
    most: U256,
    name: &dyn Display,
) -> Result<()> {
    // Whether the bits so far exceed those of the most.
    let mut over = b.constant(F2::ZERO);
    for (place, &bit) in bits.iter().enumerate() {
        let product = b.mul(bit, over)?;
        let next = if most.bit(place as u32) == 1 {
            product
        } else {
            let sum = b.add(bit, over);
            let next = b.add(sum, product);
            b.forget(&[sum, product]);
            next
        };
        b.forget(&[over]);
        over = next;
    }
    b.assert_zero(over, name)?;
    b.forget(&[over]);
    Ok(())
}

/// The largest number below the modulus, which is odd, and has words that are numbers.
fn largest<F: Field>() -> Result<U256> {
    let odd = modulus::<F>().filter(|_| widest::<F>() > 0);
    odd.map(|_| (-F::ONE).to_integer())
        .ok_or_else(|| Error::invalid("bits are converted to integers modulo a prime above 16"))
}
