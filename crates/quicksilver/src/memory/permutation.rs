//! Permutations: lists of words that are equal as multisets.

#[cfg(test)]
mod tests;

use super::equality::equal;
use super::{Lines, Party, Waiting, number, repetitions};
use core::fmt::Display;
use core::mem;
use std::sync::Arc;
use volery_channel::error::Result;
use volery_circuit::accounting::{Parameters, Permuted};
use volery_circuit::memory::is_binary;
use volery_circuit::permutation::{are_permuted, count_words};
use volery_primitives::Field;
use zeroize::Zeroizing;

/// The permutations of an epoch, whose words wait for its challenge as lines over `E`.
pub(crate) struct Permuting<E: Field> {
    permuted: Permuted,
    lists: Vec<Lists<E>>,
}

/// The words of a permutation.
struct Lists<E: Field> {
    /// The number of the permutation's first word among all of the epoch.
    first: usize,
    sides: [Waiting<E>; 2],
}

impl<E: Field> Permuting<E> {
    pub(super) fn new(parameters: &Parameters) -> Self {
        Self { permuted: Permuted::new(parameters), lists: Vec::new() }
    }

    /// Adds a permutation, and ends the epoch if that fills it.
    pub(crate) fn add<P: Party<E = E>>(
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
        let hold = !P::KNOWS || are_permuted(&values::<P>(xs), &values::<P>(ys), width);
        party.asserted(1, hold, name);
        let sides = [xs, ys].map(|wires| lines(party, wires, width));
        self.lists.push(Lists { first: self.permuted.degree() as usize, sides });
        if self.permuted.add(words as u64) { self.end(party) } else { Ok(()) }
    }

    /// Ends the epoch: both sides of all permutations together are equal.
    pub(crate) fn end<P: Party<E = E>>(&mut self, party: &mut P) -> Result<()> {
        let words = self.permuted.degree();
        if words == 0 {
            return Ok(());
        }
        let parts = self.lists.iter().map(|lists| lists.sides[0].lines::<P::Ring>()).max().unwrap_or(0);
        // Only now, when all words are committed to.
        let mut draw = party.coefficients()?;
        let mut shift = P::E::ZERO;
        let mut weights = vec![P::E::ZERO; parts];
        let lists = Arc::new(mem::take(&mut self.lists));
        for _ in 0..repetitions::<P::E>() {
            draw(core::slice::from_mut(&mut shift));
            draw(&mut weights);
            let weights: Vec<_> = weights.iter().copied().enumerate().collect();
            let lists = lists.clone();
            let fill = move |ring: &P::Ring, side: usize, first: usize, lines: &mut Lines<'_, E>| {
                let mut done = 0;
                while done < lines.len() {
                    let at = lists.partition_point(|lists| lists.first <= first + done) - 1;
                    let Lists { first: of_list, sides } = &lists[at];
                    let (word, words) = (first + done - of_list, &sides[side]);
                    let count = (words.tuples() - word).min(lines.len() - done);
                    let mut lines = lines.within(done..done + count);
                    words.add_to(ring, word, &weights[..words.lines::<P::Ring>()], &mut lines);
                    lines.public().fill(shift + tag::<P>(at));
                    done += count;
                }
            };
            equal(party, words as usize, Arc::new(fill), &"words that are those of another list")?;
        }
        party.argued(&[words]);
        self.permuted.end::<P::F>();
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

/// The lines of words: over F_2 as many wires are packed into each as an element has bits, over other fields it is a
/// wire.
fn lines<P: Party>(party: &P, wires: &[P::Wire], width: usize) -> Waiting<P::E> {
    if P::ODD {
        let mut lines = Waiting::expecting::<P>(width, wires.len() / width);
        lines.extend::<P>(wires.len() / width, |line, word| P::widened(wires[word * width + line]));
        return lines;
    }
    let mut lines = Waiting::expecting::<P>(width.div_ceil(P::places().len()), wires.len() / width);
    for word in wires.chunks_exact(width) {
        let parts = word.chunks(P::places().len());
        lines.push::<P>(parts.map(|part| party.weighed(&P::places()[..part.len()], part)));
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
