//! The tuples of an epoch: the read set and the write set of its accesses (Blum et al.), and the tuples of
//! its cells at either end. An access takes (address, old word, old timestamp) out of the cell, which is its
//! tuple of the read set, and puts (address, new word, its own number) in, which is its tuple of the write
//! set.

use super::{Lines, Party, Ring, Waiting, number};
use core::mem;
use std::sync::Arc;
use volery_circuit::accounting::Layout;
use volery_circuit::memory::Addresses;
use volery_primitives::{Extension, Field, SecretVec};

/// The tuples of an epoch's accesses.
pub(super) struct Accessed<E: Field> {
    /// The read set (`taken`), and the write set (`put`) as far as its tuples do not follow from the read
    /// set: over odd p the words of writes alone.
    pub(super) taken: Waiting<E>,
    pub(super) put: Waiting<E>,
    pub(super) putting: Putting,
}

impl<E: Field> Accessed<E> {
    /// No accesses yet, with this many lines to a tuple of the read set and of the write set.
    pub(super) fn new<P: Party<E = E>>([taken, put]: [usize; 2]) -> Self {
        Self { taken: Waiting::new::<P>(taken), put: Waiting::new::<P>(put), putting: Putting::default() }
    }

    /// Takes all accesses out, and leaves none.
    pub(super) fn take<R: Ring<E = E>>(&mut self) -> Self {
        let none = [&self.taken, &self.put].map(|waiting| Waiting::of::<R>(waiting.lines::<R>()));
        let [taken, put] = none;
        mem::replace(self, Self { taken, put, putting: Putting::default() })
    }
}

/// Marks of the accesses that write, which are public. An access that only reads puts back the word that it
/// took.
#[derive(Default)]
pub(super) struct Putting {
    /// Marks of 64 accesses each, the first in the lowest bit, with the number of writes before them.
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

    /// Whether access `i` is a write.
    #[inline]
    fn puts(&self, i: usize) -> bool {
        self.accesses[i / 64].0 >> (i % 64) & 1 == 1
    }

    /// The number of writes among the accesses before number `i`.
    fn before(&self, i: usize) -> usize {
        let Some((bits, before)) = self.accesses.get(i / 64) else { return self.puts as usize };
        *before as usize + (bits & ((1 << (i % 64)) - 1)).count_ones() as usize
    }
}

/// Combined words of tuples, a lane each: first one part of all lanes, then the next.
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

/// The coefficients that combine a tuple into one element, drawn after all tuples are fixed.
#[derive(Clone)]
pub(super) struct Weights<E> {
    pub(super) shift: E,
    pub(super) parts: Vec<E>,
}

/// Lines that a word takes in a tuple, over F_2 with the address and the timestamp that are packed before it.
pub(super) fn parts<F: Field, E: Extension<F>>(layout: &Layout, address: usize) -> usize {
    let width = layout.sizes.width;
    if F::BITS > 1 {
        return width;
    }
    let (ahead, line) = (address + most_time(layout) as usize, E::degree() as usize);
    assert!(ahead <= line, "of at most 2^30 cells the address and the timestamp fit in one line");
    (ahead + width).div_ceil(line)
}

pub(super) fn most_time(layout: &Layout) -> u32 {
    layout.last_bits(layout.epoch)
}

/// All tuples of an epoch, as the tasks that multiply them need them.
pub(super) struct Tuples<E: Field> {
    pub(super) layout: Layout,
    /// Wires of an address.
    pub(super) address: usize,
    /// The addresses of the cells, where these are not just numbered.
    pub(super) places: Option<Arc<Addresses>>,
    pub(super) accesses: usize,
    pub(super) accessed: Accessed<E>,
    /// The words of the cells at the end of the epoch, and the timestamps of their last accesses.
    pub(super) words: Arc<Waiting<E>>,
    pub(super) times: Waiting<E>,
    /// The words of the cells at the start of the epoch, where they are not zero.
    pub(super) start: Option<Arc<Waiting<E>>>,
}

impl<E: Field> Tuples<E> {
    /// Writes the factors from number `first` on, those of accesses before those of cells. Side 0 is the read
    /// set with the cells at the end; side 1 is the write set with the cells at the start.
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

    /// Writes the limbs of timestamp differences less one, each plus `shift`, the high limb of an access
    /// before its low one.
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

    /// The coefficient of a timestamp's line. Over F_2 the timestamp is packed at its place in a line, which
    /// has its own.
    fn of_time<F: Field>(&self, weights: &Weights<E>) -> E {
        if F::BITS > 1 { weights.parts[self.layout.sizes.width] } else { E::ONE }
    }

    /// The coefficients of a word's lines, with the lines' places in a tuple: `first` is that of the first
    /// line.
    fn of_word<F: Field>(&self, first: usize, weights: &Weights<E>) -> Vec<(usize, E)>
    where
        E: Extension<F>,
    {
        let lines = parts::<F, E>(&self.layout, self.address);
        // Of what is packed into the same element only the first part has an address.
        let weight = |i: usize| if F::BITS == 1 && i == 0 { E::ONE } else { weights.parts[i] };
        (0..lines).map(|i| (first + i, weight(i))).collect()
    }

    /// Writes the factors of cells from number `first` on, with `words` and timestamp 0.
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

    /// Writes the factors of the read set from access `first` on.
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

    /// Writes the factors of the write set from access `first` on.
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

/// The bits of a public number, from place `at` on in a line.
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
