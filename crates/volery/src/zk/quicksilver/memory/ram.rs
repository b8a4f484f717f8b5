//! Memory: an epoch after the other.

use super::equality::equal;
use super::order::at_most;
use super::sums::{equal_sum, table_side};
use super::table::Lookups;
use super::{Lines, Party, Waiting, number, repetitions, said};
use crate::circuit::memory::{Addresses, TILE, place};
use crate::circuit::{Accesses, Cells, InRow, Layout, Put, Sizes, address_width};
use crate::error::Result;
use core::fmt::Display;
use core::iter;
use volery_primitives::secret::verdict;
use volery_primitives::{Extension, Field, SecretVec, U256};
use zeroize::{Zeroize, Zeroizing};

/// What a party keeps of a memory: wires are `W`, lines over `E`.
pub(in super::super) struct Ram<F, W: Zeroize, E: Field> {
    layout: Layout,
    /// Where the cells lie, if not at their numbers.
    places: Option<Addresses>,
    /// The wires of an address.
    address: usize,
    /// What the prover knows of the cells.
    pub(super) known: Option<Contents>,
    /// Accesses of this epoch, and how many epochs there were before.
    time: u64,
    ended: u64,
    /// The words at its start, where they are not zero.
    pub(super) start: Option<Waiting<E>>,
    /// Its accesses: what each takes out; and what it puts in, where that is another line.
    pub(super) accesses: Waiting<E>,
    pub(super) puts: Waiting<E>,
    putting: Putting,
    /// The bits of the times of the last accesses, whose order is to be shown, over F_2.
    tile: Zeroizing<Vec<W>>,
    /// Room for the wires of a tuple.
    wires: Zeroizing<Vec<W>>,
    /// How often each limb occurs, where that is known.
    limbs: Zeroizing<Vec<u32>>,
    /// Where gaps are looked up whole, behind the first epochs.
    gaps: Option<Lookups<F, E>>,
}

/// Words and times, as the prover has them.
pub(super) struct Contents {
    /// 64 bits each, or of an element.
    pub(super) words: Zeroizing<Vec<u64>>,
    pub(super) times: Zeroizing<Vec<u32>>,
}

/// Which accesses have put in another word than they took out, which is public.
#[derive(Default)]
struct Putting {
    /// 64 accesses each, the first in the lowest bit, and how many that put came before these.
    accesses: Vec<(u64, u32)>,
    count: usize,
    puts: u32,
}

impl Putting {
    #[inline]
    fn push(&mut self, puts: bool) {
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

    fn clear(&mut self) {
        self.accesses.clear();
        (self.count, self.puts) = (0, 0);
    }
}

/// Words of tuples with their weights, a lane each: all lines' parts, one after the other.
struct Words<E: Field> {
    parts: SecretVec<E>,
    public: Vec<E>,
}

impl<E: Field> Words<E> {
    fn new<P: Party<E = E>>(lanes: usize) -> Self {
        Self { parts: vec![E::ZERO; P::PARTS * lanes].into(), public: vec![E::ZERO; lanes] }
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
    if F::BITS > 1 { width * limbs::<F>() } else { width.div_ceil(64) }
}

/// Words of 64 bits that an element takes.
const fn limbs<F: Field>() -> usize {
    F::BITS.div_ceil(64) as usize
}

impl<F: Field, W: Copy + Default + Zeroize, E: Extension<F>> Ram<F, W, E> {
    pub(in super::super) fn new<P: Party<F = F, Wire = W, E = E>>(
        party: &mut P,
        cells: Cells<'_, P::F, W>,
        width: usize,
    ) -> Result<Self> {
        let (sizes, places) = (Sizes::new(&cells, width)?, Addresses::of(&cells)?);
        let layout = Layout::new::<P::F>(sizes);
        let address = address_width::<P::F>(sizes.cells);
        let parts = parts::<P::F>(&layout, address);
        let taken = if P::F::BITS > 1 { width + 3 } else { parts };
        let mut ram = Self {
            layout,
            places,
            address,
            known: P::KNOWS.then(|| Contents {
                words: Zeroizing::new(vec![0; sizes.cells * stored::<P::F>(width)]),
                times: Zeroizing::new(vec![0; sizes.cells]),
            }),
            time: 0,
            ended: 0,
            start: None,
            accesses: Waiting::new::<P>(taken),
            puts: Waiting::new::<P>(parts),
            putting: Putting::default(),
            tile: Zeroizing::new(Vec::new()),
            wires: Zeroizing::new(Vec::new()),
            limbs: Zeroizing::new(vec![0; if P::F::BITS > 1 && P::KNOWS { 1 << layout.limb } else { 0 }]),
            gaps: None,
        };
        if let Cells::Zero(_) = cells {
            return Ok(ram);
        }
        let mut start = Waiting::new::<P>(parts);
        let mut word = Zeroizing::new(Vec::with_capacity(width));
        for cell in 0..sizes.cells {
            word.clear();
            match cells {
                Cells::Wires(wires) => word.extend_from_slice(&wires[cell * width..][..width]),
                Cells::Public(values) | Cells::At(_, values) => {
                    for value in &values[cell * width..][..width] {
                        word.push(party.constant(*value));
                    }
                }
                Cells::Zero(_) => unreachable!("above"),
            }
            ram.put::<P>(Some(cell), &word);
            ram.push_word(party, &word, &mut start);
        }
        ram.start = Some(start);
        Ok(ram)
    }

    /// Adds the lines of the word of a cell's tuple.
    fn push_word<P: Party<F = F, Wire = W, E = E>>(&mut self, party: &P, word: &[W], to: &mut Waiting<E>) {
        if P::F::BITS > 1 {
            to.push::<P>(word.iter().map(|wire| P::widened(*wire)));
        } else {
            self.pack(party, &[], &[], word, to);
        }
    }

    /// Adds the lines into which the bits of a tuple are packed: an address, or none, a time, or none, and a
    /// word, each at its place.
    fn pack<P: Party<F = F, Wire = W, E = E>>(
        &mut self,
        party: &P,
        address: &[W],
        time: &[W],
        word: &[W],
        to: &mut Waiting<E>,
    ) {
        let zero = W::default();
        self.wires.clear();
        self.wires.extend_from_slice(address);
        self.wires.resize(self.address, zero);
        self.wires.extend_from_slice(time);
        self.wires.resize(self.address + most_time(&self.layout) as usize, zero);
        self.wires.extend_from_slice(word);
        let parts = self.wires.chunks(P::places().len());
        to.push::<P>(parts.map(|part| party.weighed(&P::places()[..part.len()], part)));
    }

    /// Puts the values of `word` into a cell.
    fn put<P: Party<F = F, Wire = W, E = E>>(&mut self, cell: Option<usize>, word: &[W]) {
        let (Some(contents), Some(cell)) = (&mut self.known, cell) else { return };
        let stride = stored::<P::F>(word.len());
        let to = &mut contents.words[cell * stride..][..stride];
        let value = |wire: &W| P::value(*wire).expect("known").to_integer();
        if P::F::BITS > 1 {
            for (to, wire) in to.chunks_exact_mut(limbs::<P::F>()).zip(word) {
                to.copy_from_slice(&value(wire).limbs()[..to.len()]);
            }
        } else {
            to.fill(0);
            for (i, wire) in word.iter().enumerate() {
                to[i / 64] |= value(wire).bit(0) << (i % 64);
            }
        }
        contents.times[cell] = self.time as u32;
    }

    /// Element `i` of the word in a cell, and the time it was put there; zero where there is no such cell.
    fn element<P: Party<F = F>>(&self, cell: Option<usize>, i: usize) -> Option<P::F> {
        let contents = self.known.as_ref()?;
        let Some(cell) = cell else { return Some(P::F::ZERO) };
        let stride = stored::<P::F>(self.layout.sizes.width);
        let words = &contents.words[cell * stride..][..stride];
        if P::F::BITS == 1 {
            return Some(said(words[i / 64] >> (i % 64) & 1));
        }
        if limbs::<P::F>() == 1 {
            return Some(said(words[i]));
        }
        let mut element = Zeroizing::new([0; 4]);
        let words = &words[i * limbs::<P::F>()..][..limbs::<P::F>()];
        element[..words.len()].copy_from_slice(words);
        Some(said(U256::from_limbs(*element)))
    }

    fn last(&self, cell: Option<usize>) -> Option<u64> {
        let contents = self.known.as_ref()?;
        Some(cell.map_or(0, |cell| contents.times[cell].into()))
    }

    /// Commits to the word in a cell.
    fn commit_word<P: Party<F = F, Wire = W, E = E>>(
        &self,
        party: &mut P,
        cell: Option<usize>,
        word: &mut Vec<W>,
    ) -> Result<()> {
        for i in 0..self.layout.sizes.width {
            word.push(party.commit_value(self.element::<P>(cell, i))?);
        }
        Ok(())
    }

    /// Commits to a time, over F_2 by so many bits.
    fn commit_time<P: Party<F = F, Wire = W, E = E>>(
        party: &mut P,
        time: Option<u64>,
        bits: u32,
        wires: &mut Vec<W>,
    ) -> Result<()> {
        for bit in 0..bits {
            wires.push(party.commit_value(time.map(|time| said(time >> bit & 1)))?);
        }
        Ok(())
    }

    pub(in super::super) fn access<P: Party<F = F, Wire = W, E = E>>(
        &mut self,
        party: &mut P,
        address: &[W],
        put: Put<'_, W>,
        name: &dyn Display,
    ) -> Result<Vec<W>> {
        // The caller's, and so not wiped.
        let mut before = Vec::with_capacity(self.layout.sizes.width);
        self.access_to(party, address, put, name, &mut before)?;
        Ok(before)
    }

    /// Accesses in rows: the columns of what they find.
    pub(in super::super) fn access_rows<P: Party<F = F, Wire = W, E = E>>(
        &mut self,
        party: &mut P,
        ports: &[Accesses<'_, W>],
        name: &dyn Display,
    ) -> Result<Vec<Vec<W>>> {
        let (width, rows) = (self.layout.sizes.width, ports.first().map_or(0, |port| port.address.len()));
        assert!(ports.iter().all(|port| port.has_rows(rows)), "columns of different lengths");
        let mut columns = Zeroizing::new(vec![Vec::new(); ports.len() * width]);
        columns.iter_mut().for_each(|column| column.reserve_exact(rows));
        let mut before = Zeroizing::new(Vec::with_capacity(width));
        let mut after = Zeroizing::new(Vec::with_capacity(width));
        for row in 0..rows {
            for (Accesses { address, put }, columns) in ports.iter().zip(columns.chunks_exact_mut(width)) {
                let put = match put {
                    None => Put::Same,
                    Some(word) => {
                        after.clear();
                        for column in *word {
                            after.push(column[row]);
                        }
                        Put::Word(&after)
                    }
                };
                before.clear();
                self.access_to(party, &[address[row]], put, &InRow(name, row), &mut before)?;
                columns.iter_mut().zip(&*before).for_each(|(column, wire)| column.push(*wire));
            }
        }
        Ok(core::mem::take(&mut columns))
    }

    /// An access, which adds what it finds to `before`.
    fn access_to<P: Party<F = F, Wire = W, E = E>>(
        &mut self,
        party: &mut P,
        address: &[W],
        put: Put<'_, W>,
        name: &dyn Display,
        before: &mut Vec<W>,
    ) -> Result<()> {
        self.layout.sizes.check::<P::F, _>(address.len(), put)?;
        let known = || place(address.iter().map(|wire| P::value(*wire).expect("known")));
        let place = P::KNOWS.then(known);
        let cell = place.and_then(|place| match &self.places {
            Some(places) => places.find(place),
            None => Some(place as usize).filter(|_| place < self.layout.sizes.cells as u128),
        });
        let inside = place.is_none() || cell.is_some();
        party.asserted(1, inside, name);
        let cell = cell.filter(|_| verdict(inside));
        self.time += 1;
        let last = self.last(cell);
        self.commit_word(party, cell, before)?;
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
            let last = last.map(said::<P::F>);
            let time = party.commit_value(last)?;
            let now: P::F = said(self.time - 1);
            // It is below the time; there are others only where somebody cheats.
            let gap = last.map(|last| (now - last).to_integer().low());
            let limb = self.layout.limb;
            let mut high = None;
            if let Some(gaps) = &mut self.gaps {
                gaps.limb(party, party.wide(now.into()) - P::widened(time), gap)?;
            } else {
                high = Some(party.commit_value(gap.map(|gap| said(gap >> limb)))?);
                for limb in gap.into_iter().flat_map(|gap| [gap >> limb, gap & ((1 << limb) - 1)]) {
                    if let Some(count) = self.limbs.get_mut(limb as usize) {
                        *count += 1;
                    }
                }
            }
            let lines = [address[0], time].into_iter().chain(before.iter().copied()).chain(high);
            self.accesses.push::<P>(lines.map(P::widened));
            // What is put back is what was taken out, at another time.
            let puts = !matches!(put, Put::Same);
            self.putting.push(puts);
            if puts {
                self.puts.push::<P>(after.iter().map(|wire| P::widened(*wire)));
            }
        } else {
            let mut tile = core::mem::take(&mut self.tile);
            let first = tile.len();
            let [mut accesses, mut puts] =
                [&mut self.accesses, &mut self.puts].map(|to| core::mem::replace(to, Waiting::new::<P>(0)));
            let pushed = Self::commit_time(party, last, Layout::time_bits(self.time), &mut tile);
            if pushed.is_ok() {
                self.pack(party, address, &tile[first..], before, &mut accesses);
                self.pack(party, address, &[], after, &mut puts);
            }
            (self.tile, self.accesses, self.puts) = (tile, accesses, puts);
            pushed?;
        }
        self.put::<P>(cell, after);
        if self.time.is_multiple_of(TILE) {
            self.order(party)?;
        }
        if self.time == self.layout.epoch {
            self.end_epoch(party)?;
            if let (None, Some(bits)) = (&self.gaps, self.layout.whole_gaps(self.ended)) {
                self.gaps = Some(Lookups::gaps::<P>(bits));
                self.accesses = Waiting::new::<P>(self.layout.sizes.width + 2);
            }
        }
        Ok(())
    }

    /// Shows that the times of the open tile are before their accesses.
    fn order<P: Party<F = F, Wire = W, E = E>>(&mut self, party: &mut P) -> Result<()> {
        let times = Layout::time_bits(self.time) as usize;
        let count = self.tile.len() / times;
        if count == 0 {
            return Ok(());
        }
        let mut bits = Zeroizing::new(Vec::with_capacity(times));
        for j in 0..times {
            let mut wires = Vec::with_capacity(count);
            for access in 0..count {
                wires.push(self.tile[access * times + j]);
            }
            bits.push(wires);
        }
        self.tile.zeroize();
        let before: Vec<u64> = (self.time - count as u64..self.time).collect();
        at_most(party, &bits, &before, &"a word that was written before it is read")
    }

    /// Ends the memory.
    pub(in super::super) fn end<P: Party<F = F, Wire = W, E = E>>(mut self, party: &mut P) -> Result<()> {
        self.end_epoch(party)?;
        self.gaps.as_mut().map_or(Ok(()), |gaps| gaps.end(party))
    }

    /// Ends the epoch: every cell is shown once, and what was put in is what was taken out.
    fn end_epoch<P: Party<F = F, Wire = W, E = E>>(&mut self, party: &mut P) -> Result<()> {
        if self.time == 0 {
            return Ok(());
        }
        if P::F::BITS == 1 {
            self.order(party)?;
        }
        let Sizes { cells, width } = self.layout.sizes;
        let accesses = self.time as usize;
        let parts = parts::<P::F>(&self.layout, self.address);
        let (mut words, mut times) = (Waiting::new::<P>(parts), Waiting::new::<P>(1));
        let mut wires = Zeroizing::new(Vec::with_capacity(width.max(u64::BITS as usize)));
        for cell in 0..cells {
            self.commit_word(party, Some(cell), &mut wires)?;
            self.push_word(party, &wires, &mut words);
            wires.clear();
            let last = self.last(Some(cell));
            times.push::<P>([if P::F::BITS > 1 {
                P::widened(party.commit_value(last.map(said))?)
            } else {
                Self::commit_time(party, last, Layout::last_bits(self.time), &mut wires)?;
                party.weighed(&P::places()[self.address..][..wires.len()], &wires)
            }]);
            wires.clear();
        }
        let limbed = P::F::BITS > 1 && self.gaps.is_none();
        let count = if limbed { 1 << self.layout.limb } else { 0 };
        let mut limbs = Zeroizing::new(Vec::with_capacity(count));
        for limb in 0..count {
            let count = P::KNOWS.then(|| said(u64::from(self.limbs[limb])));
            limbs.push(party.commit_value(count)?);
        }
        // Only now, when all tuples are committed to.
        let mut draw = party.coefficients()?;
        let mut weights = Weights { shift: P::E::ZERO, parts: vec![P::E::ZERO; width.max(parts) + 1] };
        let name = "a memory that is what was put there";
        for _ in 0..repetitions::<P::E>() {
            draw(core::slice::from_mut(&mut weights.shift));
            draw(&mut weights.parts);
            let fill = |party: &P, side: usize, first: usize, lines: &mut Lines<'_, E>| {
                let count = accesses.saturating_sub(first).min(lines.len());
                let mut of_accesses = lines.within(0..count);
                if side == 0 {
                    self.taken(party, first, &weights, &mut of_accesses);
                } else {
                    self.given(party, first, &weights, &mut of_accesses);
                }
                let first = (first + count).saturating_sub(accesses);
                let mut of_cells = lines.within(count..lines.len());
                let word = if side == 0 { Some(&words) } else { self.start.as_ref() };
                self.tuples(party, word, first, &weights, &mut of_cells);
                if side == 0 {
                    times.add_to(party, first, iter::once((0, self.of_time::<P>(&weights))), &mut of_cells);
                }
            };
            equal(party, accesses + cells, fill, &name)?;
            if limbed {
                self.limbs_are_small(party, &limbs, &mut draw)?;
            }
        }
        party.argued(self.layout.degree(self.time, !limbed));
        self.start = Some(words);
        self.accesses.clear();
        self.puts.clear();
        self.putting.clear();
        self.limbs.fill(0);
        self.time = 0;
        self.ended += 1;
        if let Some(contents) = &mut self.known {
            contents.times.fill(0);
        }
        Ok(())
    }

    /// The weight of a time's line; over F_2 it stands at its place already.
    fn of_time<P: Party<F = F>>(&self, weights: &Weights<E>) -> E {
        if P::F::BITS > 1 { weights.parts[self.layout.sizes.width] } else { E::ONE }
    }

    /// The weights of a word's lines, of which the first is number `first` of its tuple.
    fn of_word<'w, P: Party<F = F, E = E>>(
        &self,
        first: usize,
        weights: &'w Weights<E>,
    ) -> impl Iterator<Item = (usize, E)> + Clone + use<'w, F, W, E, P> {
        let lines = parts::<P::F>(&self.layout, self.address);
        // Of what is packed into the same element only the first part has an address.
        let weight = |i: usize| if P::F::BITS == 1 && i == 0 { E::ONE } else { weights.parts[i] };
        (0..lines).map(move |i| (first + i, weight(i)))
    }

    /// The factors of cells' tuples at time 0, from number `first` on.
    fn tuples<P: Party<F = F, Wire = W, E = E>>(
        &self,
        party: &P,
        words: Option<&Waiting<E>>,
        first: usize,
        weights: &Weights<E>,
        lines: &mut Lines<'_, E>,
    ) {
        if let Some(words) = words {
            words.add_to(party, first, self.of_word::<P>(0, weights), lines);
        }
        for (cell, public) in (first..).zip(lines.public()) {
            let cell = self.places.as_ref().map_or(cell as u64, |places| places.of_cell(cell));
            let address = if P::F::BITS > 1 { number::<F, E>(cell) } else { bits(cell, 0) };
            *public = weights.shift + address;
        }
    }

    /// The factors of what accesses from number `first` on, counted from 0, take out.
    fn taken<P: Party<F = F, Wire = W, E = E>>(
        &self,
        party: &P,
        first: usize,
        weights: &Weights<E>,
        lines: &mut Lines<'_, E>,
    ) {
        if P::F::BITS > 1 {
            let tuple = [(0, E::ONE), (1, self.of_time::<P>(weights))];
            let tuple = tuple.into_iter().chain(self.of_word::<P>(2, weights));
            self.accesses.add_to(party, first, tuple, lines);
        } else {
            self.accesses.add_to(party, first, self.of_word::<P>(0, weights), lines);
        }
        lines.public().fill(weights.shift);
    }

    /// The factors of what they put in.
    fn given<P: Party<F = F, Wire = W, E = E>>(
        &self,
        party: &P,
        first: usize,
        weights: &Weights<E>,
        lines: &mut Lines<'_, E>,
    ) {
        if P::F::BITS == 1 {
            self.puts.add_to(party, first, self.of_word::<P>(0, weights), lines);
            for (i, public) in (first..).zip(lines.public()) {
                *public = weights.shift + bits::<E>(i as u64 + 1, self.address);
            }
            return;
        }
        self.accesses.add_to(party, first, iter::once((0, E::ONE)), lines);
        let count = lines.len();
        // What those put that do, and what the others found.
        let puts = self.putting.before(first)..self.putting.before(first + count);
        let [mut put, mut found] = [puts.len(), count].map(|lanes| Words::<E>::new::<P>(lanes));
        self.puts.add_to(party, puts.start, self.of_word::<P>(0, weights), &mut put.lines());
        self.accesses.add_to(party, first, self.of_word::<P>(2, weights), &mut found.lines());
        for part in 0..P::PARTS {
            let mut put = put.part(part).iter();
            for (i, (line, found)) in lines.part(part).iter_mut().zip(found.part(part)).enumerate() {
                *line +=
                    if self.putting.puts(first + i) { *put.next().expect("as many as put") } else { *found };
            }
        }
        let time = self.of_time::<P>(weights);
        let mut public = weights.shift + number::<F, E>(first as u64) * time;
        for lane in lines.public() {
            public += time;
            *lane = public;
        }
    }

    /// Shows that both limbs of each gap are in the table.
    fn limbs_are_small<P: Party<F = F, Wire = W, E = E>>(
        &self,
        party: &mut P,
        counts: &[W],
        draw: &mut dyn FnMut(&mut [P::E]),
    ) -> Result<()> {
        let limb = |limb: usize| number::<F, E>(limb as u64);
        let (shift, total) = table_side(party, limb, counts, draw);
        let (base, width) = (number::<F, E>(1 << self.layout.limb), self.layout.sizes.width);
        let fill = |_: &P, first: usize, lines: &mut Lines<'_, E>| {
            for part in 0..P::PARTS {
                for (i, line) in (first..).zip(lines.part(part)) {
                    let [time, high] = [1, 2 + width].map(|line| self.accesses.part::<P>(i / 2, line, part));
                    *line = if i.is_multiple_of(2) { high } else { -time - high * base };
                }
            }
            for (i, public) in (first..).zip(lines.public()) {
                let is_low = !i.is_multiple_of(2);
                *public = shift + if is_low { number::<F, E>(i as u64 / 2) } else { E::ZERO };
            }
        };
        equal_sum(party, 2 * self.time as usize, fill, total, &"a word that was written before it is read")
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
        let (mut putting, mut numbers) = (Putting::default(), Vec::new());
        for round in 0..2 {
            let mut puts = 0;
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
            putting.clear();
            numbers.clear();
        }
    }
}
