//! Permutations: two lists of words that are the same but for their order.
//!
//! A proof system that has a proof for it pays a few commitments for some words together; others look at all
//! words of one list for each of the other, and prove the same statement.

#[cfg(test)]
mod tests;

use super::memory::{address_width, assert_one, by_bits, by_number, is_binary};
use super::{Backend, Scan, Scans};
use core::fmt::Display;
use volery_channel::error::{Error, Result};
use volery_primitives::bits::mask;
use volery_primitives::{Field, U256};
use zeroize::Zeroizing;

/// A backend that compares lists of words whatever their order.
pub trait Permutations: Backend {
    /// Demands, under `name`, that the words of `xs`, one after the other of `width` wires each, are those of
    /// `ys` in some order, each as often. Where there are none nothing is asserted.
    ///
    /// # Errors
    /// `Unsatisfied` where this party knows that they are not; `Invalid` where the lengths differ, or are no
    /// whole number of words; link errors.
    fn assert_permutation(
        &mut self,
        xs: &[Self::Wire],
        ys: &[Self::Wire],
        width: usize,
        name: &dyn Display,
    ) -> Result<()>;
}

/// Permutations that look at all words, for each word.
impl<B: Scans> Permutations for B {
    fn assert_permutation(
        &mut self,
        xs: &[B::Wire],
        ys: &[B::Wire],
        width: usize,
        name: &dyn Display,
    ) -> Result<()> {
        scan_permutation(self, xs, ys, width, name)
    }
}

/// The number of words in each of two lists.
///
/// # Errors
/// `Invalid` where they are no two lists of as many whole words, or of more than there are addresses.
pub fn count_words<F: Field>(xs: usize, ys: usize, width: usize) -> Result<usize> {
    if xs != ys || width == 0 || !xs.is_multiple_of(width) {
        return Err(Error::invalid(format!(
            "a permutation of {xs} wires and {ys}, in words of {width}: give as many whole words of both"
        )));
    }
    let count = xs / width;
    if !is_binary::<F>() && U256::from(count as u64) > (-F::ONE).to_integer() {
        return Err(Error::invalid(format!(
            "a permutation of {count} words over {}: choose fewer",
            F::name()
        )));
    }
    Ok(count)
}

/// Asserts a permutation by gates: see [`Permutations::assert_permutation`]. Hints say where each word of
/// `ys` stands in `xs`. Each chooses one place, and each place is chosen once.
pub(crate) fn scan_permutation<B: Backend>(
    b: &mut B,
    xs: &[B::Wire],
    ys: &[B::Wire],
    width: usize,
    name: &dyn Display,
) -> Result<()> {
    let count = count_words::<B::F>(xs.len(), ys.len(), width)?;
    if count == 0 {
        return Ok(());
    }
    let wires = address_width::<B::F>(count);
    let mut both = Zeroizing::new(xs.to_vec());
    both.extend_from_slice(ys);
    let places = b.hints(&both, count * wires, places(count, width))?;
    let minus = b.constant(-B::F::ONE);
    let mut chosen = vec![minus; count];
    for (i, word) in ys.chunks_exact(width).enumerate() {
        // What a word takes is left behind it.
        b.open_scope();
        let place = &places[i * wires..(i + 1) * wires];
        if has_more_bits::<B::F>() {
            for bit in place {
                let square = b.mul(*bit, *bit)?;
                let difference = b.add(square, *bit);
                b.assert_zero(difference, "a bit of a place")?;
            }
        }
        let here =
            if is_binary::<B::F>() { by_bits(b, place, count)? } else { by_number(b, place[0], count)? };
        assert_one(b, &here, name)?;
        let before = chosen.clone();
        for (chosen, here) in chosen.iter_mut().zip(&here) {
            *chosen = b.add(*chosen, *here);
        }
        for (at, wire) in word.iter().enumerate() {
            let mut sum = b.scale(*wire, -B::F::ONE);
            for (here, x) in here.iter().zip(xs.chunks_exact(width)) {
                let term = b.mul(*here, x[at])?;
                sum = b.add(sum, term);
            }
            b.assert_zero(sum, name)?;
        }
        b.close_scope(&chosen);
        b.forget(&before);
    }
    // Of as many choices as places an odd number, or one modulo p, is one.
    for chosen in chosen {
        b.assert_zero(chosen, name)?;
    }
    Ok(())
}

/// Whether elements are more than bits.
fn has_more_bits<F: Field>() -> bool {
    is_binary::<F>() && F::BITS > 1
}

/// The cost of a permutation of `count` words by gates.
pub(crate) fn permutation_cost<F: Field>(count: usize, width: usize) -> Scan {
    let wires = address_width::<F>(count) as u64;
    let (words, elements) = (count as u64, (count * width) as u64);
    let bits = if has_more_bits::<F>() { wires } else { 0 };
    let (hints, choosing, assert) = if is_binary::<F>() {
        (wires, (0..wires).map(|level| count.div_ceil(2 << level) as u64).sum(), 0)
    } else {
        (wires + words, words, words)
    };
    Scan {
        inputs: words * hints,
        mul: words * (bits + choosing + elements),
        // One for the choice, those of a word, and one for the place; less one in all.
        assert: words * (bits + assert + 1 + width as u64 + 1) - 1,
        most: 0,
    }
}

/// A hint's function: where each word of the second half of the values stands in the first, each place once,
/// or zeroes where it does not. All pairs are compared, whatever they are.
fn places<F: Field>(count: usize, width: usize) -> impl Fn(&[F]) -> Vec<F> + Send + Sync + 'static {
    move |values| {
        let (xs, ys) = values.split_at(count * width);
        let wires = address_width::<F>(count);
        let mut taken = Zeroizing::new(vec![0_u64; count]);
        let mut places = Vec::with_capacity(count * wires);
        for word in ys.chunks_exact(width) {
            let (mut place, mut open) = (0, u64::MAX);
            for (i, (x, taken)) in xs.chunks_exact(width).zip(taken.iter_mut()).enumerate() {
                let differs =
                    x.iter().zip(word).fold(0, |differs, (x, y)| differs | (*x - *y).to_integer().capped());
                let here = mask((differs == 0).into()) & !*taken & open;
                place |= i as u64 & here;
                *taken |= here;
                open &= !here;
            }
            if is_binary::<F>() {
                places.extend((0..wires).map(|bit| F::ONE.masked(mask(place >> bit))));
            } else {
                places.push(F::from_word(place.into()).unwrap_or(F::ZERO));
            }
        }
        places
    }
}

/// Whether the words of `xs` are those of `ys`, in constant time. It compares sums of hashes, which need not
/// convince anybody but this party.
pub fn are_permuted<F: Field>(xs: &[F], ys: &[F], width: usize) -> bool {
    let [xs, ys] = [xs, ys].map(|words| {
        let mut sum = [0_u64; 4];
        let bytes = if F::BITS == 1 { width.div_ceil(8) } else { width * F::BYTES };
        let mut encoded = Zeroizing::new(vec![0; bytes]);
        for word in words.chunks_exact(width) {
            encode(word, &mut encoded);
            let hash = blake3::hash(&encoded);
            for (sum, part) in sum.iter_mut().zip(hash.as_bytes().as_chunks().0) {
                *sum = sum.wrapping_add(u64::from_le_bytes(*part));
            }
        }
        sum
    });
    xs.iter().zip(ys).fold(0, |differs, (x, y)| differs | (x ^ y)) == 0
}

/// Encodes a word: bits side by side, other elements one after the other.
fn encode<F: Field>(word: &[F], bytes: &mut [u8]) {
    if F::BITS > 1 {
        for (bytes, element) in bytes.chunks_exact_mut(F::BYTES).zip(word) {
            element.encode(bytes);
        }
        return;
    }
    for (byte, bits) in bytes.iter_mut().zip(word.chunks(8)) {
        *byte = bits.iter().rev().fold(0, |byte, bit| byte << 1 | bit.to_integer().bit(0) as u8);
    }
}
