//! The tuples of an epoch: what its accesses take out and put in, and its cells at both ends.

use super::{Lines, Party, Ring, Waiting, number};
use crate::circuit::accounting::Layout;
use crate::circuit::memory::Addresses;
use core::mem;
use std::sync::Arc;
use volery_primitives::{Extension, Field, SecretVec};

/// The accesses of an epoch.
pub(super) struct Accessed<E: Field> {
    /// The read set; and the write set, where its tuples are other lines.
    pub(super) taken: Waiting<E>,
    pub(super) put: Waiting<E>,
    pub(super) putting: Putting,
}

impl<E: Field> Accessed<E> {
    /// None yet, with so many lines to each of the two.
    pub(super) fn new<P: Party<E = E>>([taken, put]: [usize; 2]) -> Self {
        Self { taken: Waiting::new::<P>(taken), put: Waiting::new::<P>(put), putting: Putting::default() }
    }

    /// Takes all accesses: none is left.
    pub(super) fn take<R: Ring<E = E>>(&mut self) -> Self {
        let none = [&self.taken, &self.put].map(|waiting| Waiting::of::<R>(waiting.lines::<R>()));
        let [taken, put] = none;
        mem::replace(self, Self { taken, put, putting: Putting::default() })
    }
}

/// Marks of the accesses that write another word than they read, which is public.
#[derive(Default)]
pub(super) struct Putting {
    /// 64 accesses each, the first in the lowest bit, and how many that put came before these.
    accesses: Vec<(u64, u32)>,
    count: usize,
    puts: u32,
}

impl Putting {
    #[inline]
    pub(super) fn push(&mut self, puts: bool) {
        let place = self.count % 64;
        if place == 0 {
            self.accesses.push((0, self.puts));
        }
        let (bits, _) = self.accesses.last_mut().expect("pushed above");
        *bits |= u64::from(puts) << place;
        self.count += 1;
        self.puts += u32::from(puts);
    }

    /// Whether access `i` did.
    #[inline]
    fn puts(&self, i: usize) -> bool {
        self.accesses[i / 64].0 >> (i % 64) & 1 == 1
    }

    /// How many of the accesses before number `i` did.
    fn before(&self, i: usize) -> usize {
        let Some((bits, before)) = self.accesses.get(i / 64) else { return self.puts as usize };
        *before as usize + (bits & ((1 << (i % 64)) - 1)).count_ones() as usize
    }
}

/// Words of tuples with their weights, a lane each: all lines' parts, one after the other.
struct Words<E: Field> {
    parts: SecretVec<E>,
    public: Vec<E>,
}

impl<E: Field> Words<E> {
    fn new<R: Ring<E = E>>(lanes: usize) -> Self {
        Self { parts: vec![E::ZERO; R::PARTS * lanes].into(), public: vec![E::ZERO; lanes] }
    }

    fn lines(&mut self) -> Lines<'_, E> {
        Lines::new(&mut self.parts, &mut self.public)
    }

    fn part(&self, part: usize) -> &[E] {
        let lanes = self.public.len();
        &self.parts[part * lanes..][..lanes]
    }
}

/// The coefficients of a tuple, drawn after all of them.
#[derive(Clone)]
pub(super) struct Weights<E> {
    pub(super) shift: E,
    pub(super) parts: Vec<E>,
}

/// Lines of a word in a tuple.
pub(super) fn parts<F: Field>(layout: &Layout, address: usize) -> usize {
    let width = layout.sizes.width;
    if F::BITS > 1 { width } else { (address + most_time(layout) as usize + width).div_ceil(128) }
}

pub(super) fn most_time(layout: &Layout) -> u32 {
    layout.last_bits(layout.epoch)
}

/// All tuples of an epoch, for the tasks that multiply them.
pub(super) struct Tuples<E: Field> {
    pub(super) layout: Layout,
    /// The wires of an address.
    pub(super) address: usize,
    /// The addresses of the cells, if these are not their numbers.
    pub(super) places: Option<Arc<Addresses>>,
    pub(super) accesses: usize,
    pub(super) accessed: Accessed<E>,
    /// The words at its end, and the times of the last accesses.
    pub(super) words: Arc<Waiting<E>>,
    pub(super) times: Waiting<E>,
    /// The words at its start, where they are not zero.
    pub(super) start: Option<Arc<Waiting<E>>>,
}

impl<E: Field> Tuples<E> {
    /// Factors from number `first` on: those of accesses, and then those of cells. On the first side is what
    /// is taken out, on the other what is put in.
    pub(super) fn factors<F: Field, R: Ring<E = E>>(
        &self,
        ring: &R,
        side: usize,
        first: usize,
        weights: &Weights<E>,
        lines: &mut Lines<'_, E>,
    ) where
        E: Extension<F>,
    {
        let count = self.accesses.saturating_sub(first).min(lines.len());
        let mut of_accesses = lines.within(0..count);
        if side == 0 {
            self.taken::<F, R>(ring, first, weights, &mut of_accesses);
        } else {
            self.given::<F, R>(ring, first, weights, &mut of_accesses);
        }
        let first = (first + count).saturating_sub(self.accesses);
        let mut of_cells = lines.within(count..lines.len());
        let words = if side == 0 { Some(&self.words) } else { self.start.as_ref() };
        self.cells::<F, R>(ring, words.map(|words| &**words), first, weights, &mut of_cells);
        if side == 0 {
            self.times.add_to(ring, first, &[(0, self.of_time::<F>(weights))], &mut of_cells);
        }
    }

    /// Writes both limbs of each timestamp difference, from one on, plus a shift: of each the high one, and
    /// then the low one.
    pub(super) fn limbs<F: Field, R: Ring<E = E>>(&self, first: usize, shift: E, lines: &mut Lines<'_, E>)
    where
        E: Extension<F>,
    {
        let (base, width) = (number::<F, E>(1 << self.layout.limb), self.layout.sizes.width);
        for part in 0..R::PARTS {
            for (i, line) in (first..).zip(lines.part(part)) {
                let high = self.accessed.taken.part::<R>(i / 2, 2 + width, part);
                *line = match i % 2 {
                    0 => high,
                    _ => -self.accessed.taken.part::<R>(i / 2, 1, part) - high * base,
                };
            }
        }
        for (i, public) in (first..).zip(lines.public()) {
            let is_low = !i.is_multiple_of(2);
            *public = shift + if is_low { number::<F, E>(i as u64 / 2) } else { E::ZERO };
        }
    }

    /// The weight of a time's line; over F_2 it stands at its place already.
    fn of_time<F: Field>(&self, weights: &Weights<E>) -> E {
        if F::BITS > 1 { weights.parts[self.layout.sizes.width] } else { E::ONE }
    }

    /// The weights of a word's lines, of which the first is number `first` of its tuple.
    fn of_word<F: Field>(&self, first: usize, weights: &Weights<E>) -> Vec<(usize, E)> {
        let lines = parts::<F>(&self.layout, self.address);
        // Of what is packed into the same element only the first part has an address.
        let weight = |i: usize| if F::BITS == 1 && i == 0 { E::ONE } else { weights.parts[i] };
        (0..lines).map(|i| (first + i, weight(i))).collect()
    }

    /// The factors of cells' tuples at time 0, from number `first` on.
    fn cells<F: Field, R: Ring<E = E>>(
        &self,
        ring: &R,
        words: Option<&Waiting<E>>,
        first: usize,
        weights: &Weights<E>,
        lines: &mut Lines<'_, E>,
    ) where
        E: Extension<F>,
    {
        if let Some(words) = words {
            words.add_to(ring, first, &self.of_word::<F>(0, weights), lines);
        }
        for (cell, public) in (first..).zip(lines.public()) {
            let cell = self.places.as_ref().map_or(cell as u64, |places| places.of_cell(cell));
            let address = if F::BITS > 1 { number::<F, E>(cell) } else { bits(cell, 0) };
            *public = weights.shift + address;
        }
    }

    /// The factors of what accesses from number `first` on, counted from 0, take out.
    fn taken<F: Field, R: Ring<E = E>>(
        &self,
        ring: &R,
        first: usize,
        weights: &Weights<E>,
        lines: &mut Lines<'_, E>,
    ) where
        E: Extension<F>,
    {
        if F::BITS > 1 {
            let mut tuple = vec![(0, E::ONE), (1, self.of_time::<F>(weights))];
            tuple.extend(self.of_word::<F>(2, weights));
            self.accessed.taken.add_to(ring, first, &tuple, lines);
        } else {
            self.accessed.taken.add_to(ring, first, &self.of_word::<F>(0, weights), lines);
        }
        lines.public().fill(weights.shift);
    }

    /// The factors of what they put in.
    fn given<F: Field, R: Ring<E = E>>(
        &self,
        ring: &R,
        first: usize,
        weights: &Weights<E>,
        lines: &mut Lines<'_, E>,
    ) where
        E: Extension<F>,
    {
        if F::BITS == 1 {
            self.accessed.put.add_to(ring, first, &self.of_word::<F>(0, weights), lines);
            for (i, public) in (first..).zip(lines.public()) {
                *public = weights.shift + bits::<E>(i as u64 + 1, self.address);
            }
            return;
        }
        self.accessed.taken.add_to(ring, first, &[(0, E::ONE)], lines);
        let count = lines.len();
        // What those put that do, and what the others found.
        let puts = self.accessed.putting.before(first)..self.accessed.putting.before(first + count);
        let [mut put, mut found] = [puts.len(), count].map(|lanes| Words::<E>::new::<R>(lanes));
        self.accessed.put.add_to(ring, puts.start, &self.of_word::<F>(0, weights), &mut put.lines());
        self.accessed.taken.add_to(ring, first, &self.of_word::<F>(2, weights), &mut found.lines());
        for part in 0..R::PARTS {
            let mut put = put.part(part).iter();
            for (i, (line, found)) in lines.part(part).iter_mut().zip(found.part(part)).enumerate() {
                *line += if self.accessed.putting.puts(first + i) {
                    *put.next().expect("as many as put")
                } else {
                    *found
                };
            }
        }
        let time = self.of_time::<F>(weights);
        let mut public = weights.shift + number::<F, E>(first as u64) * time;
        for lane in lines.public() {
            public += time;
            *lane = public;
        }
    }
}

/// The bits of a public number from place `at` on.
#[inline]
fn bits<E: Field>(number: u64, at: usize) -> E {
    E::from_word(u128::from(number) << at).expect("every word is an element")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accesses_that_put_are_found() {
        for round in 0..2 {
            let (mut putting, mut numbers, mut puts) = (Putting::default(), Vec::new(), 0);
            for i in 0..300 {
                let put = (i + round) % 3 == 0 || (100..170).contains(&i);
                putting.push(put);
                numbers.push(put.then_some(puts));
                puts += usize::from(put);
            }
            let before = |i: usize| numbers[..i].iter().flatten().count();
            assert!(
                (0..300).all(|i| (putting.puts(i), putting.before(i)) == (numbers[i].is_some(), before(i)))
            );
            assert_eq!(putting.before(300), before(300));
        }
    }
}
