//! Permutations: lists of words that are equal as multisets.

#[cfg(test)]
mod tests;

use super::equality::equal;
use super::{Line, Party, number, repetitions};
use crate::circuit::memory::is_binary;
use crate::circuit::permutation::{Permuted, are_permuted, count_words};
use crate::error::Result;
use core::fmt::Display;
use volery_primitives::Field;
use zeroize::Zeroizing;

/// The permutations of an epoch, whose words wait for its challenge as wide lines `V`.
pub(in super::super) struct Permuting<V: Line> {
    permuted: Permuted,
    lists: Vec<Lists<V>>,
}

/// The words of a permutation.
struct Lists<V: Line> {
    /// The number of its first word among all of the epoch.
    first: usize,
    /// The lines of a word.
    parts: usize,
    sides: [Zeroizing<Vec<V>>; 2],
}

impl<V: Line> Default for Permuting<V> {
    fn default() -> Self {
        Self { permuted: Permuted::default(), lists: Vec::new() }
    }
}

impl<V: Line> Permuting<V> {
    /// Adds a permutation, with which the epoch may end.
    pub(in super::super) fn add<P: Party<Wide = V>>(
        &mut self,
        party: &mut P,
        xs: &[P::Wire],
        ys: &[P::Wire],
        width: usize,
        name: &dyn Display,
    ) -> Result<()> {
        let words = count_words::<P::F>(xs.len(), ys.len(), width)?;
        if words == 0 {
            return Ok(());
        }
        party.asserted(!P::KNOWS || are_permuted(&values::<P>(xs), &values::<P>(ys), width), name);
        let parts = if P::F::BITS > 1 { width } else { width.div_ceil(128) };
        let sides = [xs, ys].map(|wires| lines(party, wires, width));
        self.lists.push(Lists { first: self.permuted.degree() as usize, parts, sides });
        if self.permuted.add(words as u64) { self.end(party) } else { Ok(()) }
    }

    /// Ends the epoch: both sides of all permutations together are equal.
    pub(in super::super) fn end<P: Party<Wide = V>>(&mut self, party: &mut P) -> Result<()> {
        let words = self.permuted.degree();
        if words == 0 {
            return Ok(());
        }
        let parts = self.lists.iter().map(|lists| lists.parts).max().unwrap_or(0);
        // Only now, when all words are committed to.
        let mut draw = party.coefficients()?;
        let mut shift = P::E::ZERO;
        let mut weights = vec![P::E::ZERO; parts];
        for _ in 0..repetitions::<P::E>() {
            draw(core::slice::from_mut(&mut shift));
            draw(&mut weights);
            let factor = |_: &P, side: usize, i: usize| {
                let at = self.lists.partition_point(|lists| lists.first <= i) - 1;
                let Lists { first, parts, sides } = &self.lists[at];
                let word = &sides[side][(i - first) * parts..][..*parts];
                let mut sum = V::default();
                for (line, weight) in word.iter().zip(&weights) {
                    sum = sum + P::scaled(*line, *weight);
                }
                (sum, shift + tag::<P>(at))
            };
            equal(party, words as usize, factor, &"words that are those of another list")?;
        }
        party.argued(words);
        self.permuted.end::<P::F>();
        self.lists.clear();
        Ok(())
    }
}

/// The number of a permutation as an element: different ones are different, since each has a word, and an
/// epoch fewer than there are numbers.
fn tag<P: Party>(number_of: usize) -> P::E {
    if is_binary::<P::F>() {
        P::E::from_word(number_of as u128).expect("every word is an element")
    } else {
        number::<P::F, P::E>(number_of as u64)
    }
}

/// The lines of words: over F_2 up to 128 wires are packed into each, over other fields it is a wire.
fn lines<P: Party>(party: &P, wires: &[P::Wire], width: usize) -> Zeroizing<Vec<P::Wide>> {
    if P::F::BITS > 1 {
        let mut lines = Zeroizing::new(Vec::with_capacity(wires.len()));
        for wire in wires {
            lines.push(P::widened(*wire));
        }
        return lines;
    }
    let mut lines = Zeroizing::new(Vec::with_capacity(wires.len() / width * width.div_ceil(128)));
    for word in wires.chunks_exact(width) {
        for part in word.chunks(P::places().len()) {
            lines.push(party.weighed(&P::places()[..part.len()], part));
        }
    }
    lines
}

/// The values on wires, where they are known.
fn values<P: Party>(wires: &[P::Wire]) -> Zeroizing<Vec<P::F>> {
    let mut values = Zeroizing::new(Vec::with_capacity(wires.len()));
    for wire in wires {
        values.extend(P::value(*wire));
    }
    values
}
