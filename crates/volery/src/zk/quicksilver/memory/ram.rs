//! Memory: an epoch after the other.

use super::equality::equal;
use super::order::at_most;
use super::sums::equal_sum;
use super::{Line, Party, Waiting, number, repetitions, said};
use crate::circuit::memory::{TILE, place};
use crate::circuit::{Cells, Layout, Put, Sizes, address_width};
use crate::error::Result;
use core::fmt::Display;
use volery_primitives::Field;
use volery_primitives::secret::verdict;
use zeroize::{Zeroize, Zeroizing};

/// What a party keeps of a memory: wires are `W`, wide lines `V`.
pub(in super::super) struct Ram<W: Zeroize, V: Line> {
    layout: Layout,
    /// The wires of an address.
    address: usize,
    /// What the prover knows of the cells.
    pub(super) known: Option<Contents>,
    /// Accesses of this epoch.
    time: u64,
    /// The words at its start, where they are not zero.
    pub(super) start: Option<Waiting<V>>,
    /// Its accesses.
    pub(super) accesses: Waiting<V>,
    /// The bits of the times of the last accesses, whose order is to be shown, over F_2.
    tile: Vec<Zeroizing<Vec<W>>>,
    /// How often each limb occurs, where that is known.
    limbs: Zeroizing<Vec<u64>>,
}

/// Words and times, as the prover has them.
pub(super) struct Contents {
    /// 64 bits, or one element, each.
    pub(super) words: Zeroizing<Vec<u64>>,
    pub(super) times: Zeroizing<Vec<u32>>,
}

/// The coefficients of a tuple, drawn after all of them.
struct Weights<E> {
    shift: E,
    parts: Vec<E>,
}

/// Lines of a word in a tuple.
fn parts<F: Field>(layout: &Layout, address: usize) -> usize {
    let width = layout.sizes.width;
    if F::BITS > 1 { width } else { (address + most_time(layout) as usize + width).div_ceil(128) }
}

fn most_time(layout: &Layout) -> u32 {
    Layout::last_bits(layout.epoch)
}

/// Words of 64 bits that a word of the memory takes.
fn stored<F: Field>(width: usize) -> usize {
    if F::BITS > 1 { width } else { width.div_ceil(64) }
}

impl<W: Copy + Default + Zeroize, V: Line> Ram<W, V> {
    pub(in super::super) fn new<P: Party<Wire = W, Wide = V>>(
        party: &mut P,
        cells: Cells<'_, P::F, W>,
        width: usize,
    ) -> Result<Self> {
        let sizes = Sizes::new(&cells, width)?;
        let layout = Layout::new::<P::F>(sizes);
        let address = address_width::<P::F>(sizes.cells);
        let parts = parts::<P::F>(&layout, address);
        let of_access = if P::F::BITS > 1 { 2 * width + 3 } else { 2 * parts };
        let mut ram = Self {
            layout,
            address,
            known: P::KNOWS.then(|| Contents {
                words: Zeroizing::new(vec![0; sizes.cells * stored::<P::F>(width)]),
                times: Zeroizing::new(vec![0; sizes.cells]),
            }),
            time: 0,
            start: None,
            accesses: Waiting::new(of_access),
            tile: Vec::new(),
            limbs: Zeroizing::new(vec![0; if P::F::BITS > 1 && P::KNOWS { 1 << layout.limb } else { 0 }]),
        };
        if let Cells::Zero(_) = cells {
            return Ok(ram);
        }
        let mut start = Waiting::new(parts);
        let mut word = Zeroizing::new(Vec::with_capacity(width));
        for cell in 0..sizes.cells {
            word.clear();
            match cells {
                Cells::Wires(wires) => word.extend_from_slice(&wires[cell * width..][..width]),
                Cells::Public(values) => {
                    for value in &values[cell * width..][..width] {
                        word.push(party.constant(*value));
                    }
                }
                Cells::Zero(_) => unreachable!("above"),
            }
            ram.put::<P>(Some(cell), &word);
            start.open().extend_from_slice(&ram.lines(party, &[], &word, &[]));
        }
        ram.start = Some(start);
        Ok(ram)
    }

    /// The lines of a tuple of these wires, any of which may be missing: over F_2 packed, over other fields
    /// those of the word.
    fn lines<P: Party<Wire = W, Wide = V>>(
        &self,
        party: &P,
        address: &[W],
        word: &[W],
        time: &[W],
    ) -> Zeroizing<Vec<V>> {
        if P::F::BITS > 1 {
            let mut lines = Zeroizing::new(Vec::with_capacity(word.len()));
            for wire in word {
                lines.push(P::widened(*wire));
            }
            return lines;
        }
        let time_at = self.address;
        let word_at = time_at + most_time(&self.layout) as usize;
        let placed = [(0, address), (time_at, time), (word_at, word)];
        let parts = parts::<P::F>(&self.layout, self.address);
        let mut lines = Zeroizing::new(Vec::with_capacity(parts));
        let mut factors = Vec::with_capacity(128);
        let mut wires = Zeroizing::new(Vec::with_capacity(128));
        for part in 0..parts {
            factors.clear();
            wires.clear();
            for (first, of) in placed {
                // Those of its places that are in this part.
                let [from, to] =
                    [part * 128, part * 128 + 128].map(|at| at.saturating_sub(first).min(of.len()));
                for place in first + from..first + to {
                    factors.push(P::E::place(place as u32 % 128));
                }
                wires.extend_from_slice(&of[from..to]);
            }
            lines.push(party.weighed(&factors, &wires));
        }
        lines
    }

    /// Puts the values of `word` into a cell.
    fn put<P: Party<Wire = W, Wide = V>>(&mut self, cell: Option<usize>, word: &[W]) {
        let (Some(contents), Some(cell)) = (&mut self.known, cell) else { return };
        let stride = stored::<P::F>(word.len());
        let to = &mut contents.words[cell * stride..][..stride];
        let value = |wire: &W| P::value(*wire).expect("known").to_word() as u64;
        if P::F::BITS > 1 {
            for (to, wire) in to.iter_mut().zip(word) {
                *to = value(wire);
            }
        } else {
            to.fill(0);
            for (i, wire) in word.iter().enumerate() {
                to[i / 64] |= value(wire) << (i % 64);
            }
        }
        contents.times[cell] = self.time as u32;
    }

    /// Element `i` of the word in a cell, and the time it was put there; zero where there is no such cell.
    fn element<P: Party>(&self, cell: Option<usize>, i: usize) -> Option<P::F> {
        let contents = self.known.as_ref()?;
        let Some(cell) = cell else { return Some(P::F::ZERO) };
        let stride = stored::<P::F>(self.layout.sizes.width);
        let words = &contents.words[cell * stride..][..stride];
        let word = if P::F::BITS > 1 { words[i] } else { words[i / 64] >> (i % 64) & 1 };
        Some(said(word.into()))
    }

    fn last(&self, cell: Option<usize>) -> Option<u64> {
        let contents = self.known.as_ref()?;
        Some(cell.map_or(0, |cell| contents.times[cell].into()))
    }

    /// Commits to the word in a cell.
    fn commit_word<P: Party<Wire = W, Wide = V>>(
        &self,
        party: &mut P,
        cell: Option<usize>,
    ) -> Result<Zeroizing<Vec<W>>> {
        let width = self.layout.sizes.width;
        let mut word = Zeroizing::new(Vec::with_capacity(width));
        for i in 0..width {
            word.push(party.commit_value(self.element::<P>(cell, i))?);
        }
        Ok(word)
    }

    /// Commits to a time, over F_2 by so many bits.
    fn commit_time<P: Party<Wire = W, Wide = V>>(
        party: &mut P,
        time: Option<u64>,
        bits: u32,
    ) -> Result<Zeroizing<Vec<W>>> {
        let mut wires = Zeroizing::new(Vec::with_capacity(bits as usize));
        for bit in 0..bits {
            wires.push(party.commit_value(time.map(|time| said((time >> bit & 1).into())))?);
        }
        Ok(wires)
    }

    pub(in super::super) fn access<P: Party<Wire = W, Wide = V>>(
        &mut self,
        party: &mut P,
        address: &[W],
        put: Put<'_, W>,
        name: &dyn Display,
    ) -> Result<Vec<W>> {
        self.layout.sizes.check::<P::F, _>(address.len(), put)?;
        let known = || place(address.iter().map(|wire| P::value(*wire).expect("known")));
        let place = P::KNOWS.then(known);
        let inside = place.is_none_or(|place| place < self.layout.sizes.cells as u128);
        party.asserted(inside, name);
        let cell = place.filter(|_| verdict(inside)).map(|place| place as usize);
        self.time += 1;
        let last = self.last(cell);
        let mut before = self.commit_word(party, cell)?;
        let mut changed;
        let after = match put {
            Put::Same => &before[..],
            Put::Word(word) => word,
            Put::Where(bit, word) => {
                changed = Zeroizing::new(Vec::with_capacity(word.len()));
                for (before, word) in before.iter().zip(word) {
                    let minus = party.scale(*before, -P::F::ONE);
                    let difference = party.add(*word, minus);
                    let change = party.mul(bit, difference)?;
                    changed.push(party.add(*before, change));
                }
                &changed[..]
            }
        };
        if P::F::BITS > 1 {
            let last = last.map(|last| said::<P::F>(last.into()));
            let time = party.commit_value(last)?;
            let now: P::F = said((self.time - 1).into());
            let gap = last.map(|last| (now - last).to_word());
            let limb = self.layout.limb;
            let high = party.commit_value(gap.map(|gap| said(gap >> limb)))?;
            if let Some(gap) = gap {
                // There are others only where somebody cheats.
                for limb in [gap >> limb, gap & ((1 << limb) - 1)] {
                    if let Some(count) = self.limbs.get_mut(limb as usize) {
                        *count += 1;
                    }
                }
            }
            let lines = self.accesses.open();
            for wires in [&[address[0], time, high], &before[..], after] {
                for wire in wires {
                    lines.push(P::widened(*wire));
                }
            }
        } else {
            let time = Self::commit_time(party, last, Layout::time_bits(self.time))?;
            let taken = self.lines(party, address, &before, &time);
            let given = self.lines(party, address, after, &[]);
            let lines = self.accesses.open();
            lines.extend_from_slice(&taken);
            lines.extend_from_slice(&given);
            self.tile.push(time);
        }
        self.put::<P>(cell, after);
        if self.time.is_multiple_of(TILE) {
            self.order(party)?;
        }
        if self.time == self.layout.epoch {
            self.end(party)?;
        }
        Ok(core::mem::take(&mut *before))
    }

    /// Shows that the times of the open tile are before their accesses.
    fn order<P: Party<Wire = W, Wide = V>>(&mut self, party: &mut P) -> Result<()> {
        let tile = core::mem::take(&mut self.tile);
        let first = self.time - tile.len() as u64;
        let Some(one) = tile.first() else { return Ok(()) };
        let mut bits = Zeroizing::new(Vec::with_capacity(one.len()));
        for j in 0..one.len() {
            let mut wires = Vec::with_capacity(tile.len());
            for time in &tile {
                wires.push(time[j]);
            }
            bits.push(wires);
        }
        let before: Vec<u64> = (first..self.time).collect();
        at_most(party, &bits, &before, &"a word that was written before it is read")
    }

    /// Ends the epoch: every cell is shown once, and what was put in is what was taken out.
    pub(in super::super) fn end<P: Party<Wire = W, Wide = V>>(&mut self, party: &mut P) -> Result<()> {
        if self.time == 0 {
            return Ok(());
        }
        if P::F::BITS == 1 {
            self.order(party)?;
        }
        let Sizes { cells, width } = self.layout.sizes;
        let accesses = self.time as usize;
        let parts = parts::<P::F>(&self.layout, self.address);
        let (mut words, mut times) = (Waiting::new(parts), Waiting::new(1));
        for cell in 0..cells {
            let word = self.commit_word(party, Some(cell))?;
            let last = self.last(Some(cell));
            words.open().extend_from_slice(&self.lines(party, &[], &word, &[]));
            times.open().push(if P::F::BITS > 1 {
                P::widened(party.commit_value(last.map(|last| said(last.into())))?)
            } else {
                let bits = Self::commit_time(party, last, Layout::last_bits(self.time))?;
                self.time_line(party, &bits)
            });
        }
        let count = if P::F::BITS > 1 { 1 << self.layout.limb } else { 0 };
        let mut limbs = Zeroizing::new(Vec::with_capacity(count));
        for limb in 0..count {
            let count = P::KNOWS.then(|| said(self.limbs[limb].into()));
            limbs.push(party.commit_value(count)?);
        }
        // Only now, when all tuples are committed to.
        let mut draw = party.coefficients()?;
        let mut weights = Weights { shift: P::E::ZERO, parts: vec![P::E::ZERO; width.max(parts) + 1] };
        let name = "a memory that is what was put there";
        for _ in 0..repetitions::<P::E>() {
            draw(core::slice::from_mut(&mut weights.shift));
            draw(&mut weights.parts);
            let factor = |party: &P, side: usize, i: usize| match (side, i.checked_sub(accesses)) {
                (0, None) => self.taken(party, i, &weights),
                (0, Some(cell)) => {
                    let tuple = self.tuple(party, words.get(cell), cell, &weights);
                    tuple + P::scaled(times.get(cell)[0], self.time_weight::<P>(&weights))
                }
                (_, None) => self.given(party, i, &weights),
                (_, Some(cell)) => {
                    let word = self.start.as_ref().map_or(&[][..], |start| start.get(cell));
                    self.tuple(party, word, cell, &weights)
                }
            };
            equal(party, accesses + cells, factor, &name)?;
            if P::F::BITS > 1 {
                self.limbs_are_small(party, &limbs, &mut draw)?;
            }
        }
        party.argued(self.layout.degree(self.time));
        self.start = Some(words);
        self.accesses = Waiting::new(self.accesses.stride);
        self.limbs.fill(0);
        self.time = 0;
        if let Some(contents) = &mut self.known {
            contents.times.fill(0);
        }
        Ok(())
    }

    /// Over F_2, the bits of a time at their place in a tuple.
    fn time_line<P: Party<Wire = W, Wide = V>>(&self, party: &P, time: &[W]) -> V {
        let mut factors = Vec::with_capacity(time.len());
        for bit in 0..time.len() {
            factors.push(P::E::place((self.address + bit) as u32));
        }
        party.weighed(&factors, time)
    }

    /// What a time is weighed by, over F_2 where it stands at its place already.
    fn time_weight<P: Party>(&self, weights: &Weights<P::E>) -> P::E {
        if P::F::BITS > 1 { weights.parts[self.layout.sizes.width] } else { P::E::ONE }
    }

    /// The factor of a cell's tuple at time 0.
    fn tuple<P: Party<Wire = W, Wide = V>>(
        &self,
        party: &P,
        word: &[V],
        cell: usize,
        weights: &Weights<P::E>,
    ) -> V {
        let address = if P::F::BITS > 1 { number::<P::F, P::E>(cell as u64) } else { bits(cell as u64, 0) };
        Self::word::<P>(word, weights, party.wide(weights.shift + address))
    }

    /// `sum`, and the lines of a word with their weights.
    fn word<P: Party<Wire = W, Wide = V>>(word: &[V], weights: &Weights<P::E>, mut sum: V) -> V {
        for (i, line) in word.iter().enumerate() {
            // Of what is packed into the same element only the first part has an address.
            let has_address = P::F::BITS == 1 && i == 0;
            sum = sum + if has_address { *line } else { P::scaled(*line, weights.parts[i]) };
        }
        sum
    }

    /// The factor of what access number `i`, from 0, takes out.
    fn taken<P: Party<Wire = W, Wide = V>>(&self, party: &P, i: usize, weights: &Weights<P::E>) -> V {
        let (lines, width) = (self.accesses.get(i), self.layout.sizes.width);
        let shift = party.wide(weights.shift);
        if P::F::BITS > 1 {
            let sum = shift + lines[0] + P::scaled(lines[1], weights.parts[width]);
            return Self::word::<P>(&lines[3..3 + width], weights, sum);
        }
        Self::word::<P>(&lines[..lines.len() / 2], weights, shift)
    }

    /// The factor of what it puts in.
    fn given<P: Party<Wire = W, Wide = V>>(&self, party: &P, i: usize, weights: &Weights<P::E>) -> V {
        let (lines, width) = (self.accesses.get(i), self.layout.sizes.width);
        let time = i as u64 + 1;
        if P::F::BITS > 1 {
            let now = number::<P::F, P::E>(time) * weights.parts[width];
            let sum = party.wide(weights.shift + now) + lines[0];
            return Self::word::<P>(&lines[3 + width..], weights, sum);
        }
        let now = bits::<P::E>(time, self.address);
        Self::word::<P>(&lines[lines.len() / 2..], weights, party.wide(weights.shift + now))
    }

    /// Shows that both limbs of each gap are in the table.
    fn limbs_are_small<P: Party<Wire = W, Wide = V>>(
        &self,
        party: &mut P,
        counts: &[W],
        draw: &mut dyn FnMut(&mut [P::E]),
    ) -> Result<()> {
        let mut table = Vec::with_capacity(counts.len());
        for limb in 0..counts.len() as u64 {
            table.push(number::<P::F, P::E>(limb));
        }
        let (shift, total) = super::sums::table_side(party, &table, counts, draw);
        let base = number::<P::F, P::E>(1 << self.layout.limb);
        let looked = |party: &P, i: usize| {
            let lines = self.accesses.get(i / 2);
            let shift = party.wide(shift);
            if i.is_multiple_of(2) {
                return shift + lines[2];
            }
            let now = party.wide(number::<P::F, P::E>(i as u64 / 2));
            shift + now - lines[1] - P::scaled(lines[2], base)
        };
        equal_sum(party, 2 * self.time as usize, looked, total, &"a word that was written before it is read")
    }
}

/// The bits of a public number from place `at` on.
fn bits<E: Field>(number: u64, at: usize) -> E {
    E::from_word(u128::from(number) << at).expect("every word is an element")
}
