//! A memory's state over its epochs, for either party.

use super::equality::equal;
use super::order::at_most;
use super::sums::{equal_sum, table_side};
use super::table::Lookups;
use super::tuples::{Accessed, Tuples, Weights, most_time, parts};
use super::{Coefficients, Lines, Party, Waiting, number, repetitions, said};
use core::fmt::Display;
use core::mem;
use std::sync::Arc;
use volery_channel::error::Result;
use volery_circuit::accounting::Layout;
use volery_circuit::memory::{Addresses, place};
use volery_circuit::{Accesses, Cells, InRow, Put, Sizes, address_width};
use volery_primitives::secret::verdict;
use volery_primitives::{Extension, Field, U256};
use zeroize::{Zeroize, Zeroizing};

/// The state of a memory at one party, with wires `W` and lines over `E`.
pub(crate) struct Ram<F, W: Zeroize, E: Field> {
    layout: Layout,
    /// The addresses of the cells, where these are not just numbered.
    places: Option<Arc<Addresses>>,
    /// Wires of an address.
    address: usize,
    /// The contents of the cells, which the prover knows.
    pub(super) known: Option<Contents>,
    /// The accesses of this epoch so far, and the epochs before it.
    time: u64,
    ended: u64,
    /// The words at the start of the epoch, where they are not zero.
    pub(super) start: Option<Arc<Waiting<E>>>,
    pub(super) accessed: Accessed<E>,
    /// The bits of the last accesses' timestamps, over F_2, which are still to be shown to be in the past.
    tile: Zeroizing<Vec<W>>,
    /// Room for the wires of a tuple.
    wires: Zeroizing<Vec<W>>,
    /// How often each limb value occurs, where that is known.
    limbs: Zeroizing<Vec<u32>>,
    /// The lookups of timestamp differences ("gaps"), once they are looked up whole.
    gaps: Option<Lookups<F, E>>,
}

/// The words and timestamps of the cells, which the prover knows.
pub(super) struct Contents {
    /// Words, in pieces of 64 bits over F_2, and of one element over other fields.
    pub(super) words: Zeroizing<Vec<u64>>,
    pub(super) times: Zeroizing<Vec<u32>>,
}

/// Numbers of 64 bits that store one word of the memory.
fn stored<F: Field>(width: usize) -> usize {
    if F::BITS > 1 { width * limbs::<F>() } else { width.div_ceil(64) }
}

/// Numbers of 64 bits that store one element.
const fn limbs<F: Field>() -> usize {
    F::BITS.div_ceil(64) as usize
}

impl<F: Field, W: Copy + Default + Zeroize, E: Extension<F>> Ram<F, W, E> {
    pub(crate) fn new<P: Party<F = F, Wire = W, E = E>>(
        party: &mut P,
        cells: Cells<'_, P::F, W>,
        width: usize,
    ) -> Result<Self> {
        let (sizes, places) = (Sizes::new(&cells, width)?, Addresses::of(&cells)?);
        let layout = Layout::new::<P::F>(sizes, party.remembered().parameters);
        let address = address_width::<P::F>(sizes.cells);
        let parts = parts::<P::F, E>(&layout, address);
        let taken = if P::F::BITS > 1 { width + 3 } else { parts };
        let mut ram = Self {
            layout,
            places: places.map(Arc::new),
            address,
            known: P::KNOWS.then(|| Contents {
                words: Zeroizing::new(vec![0; sizes.cells * stored::<P::F>(width)]),
                times: Zeroizing::new(vec![0; sizes.cells]),
            }),
            time: 0,
            ended: 0,
            start: None,
            accessed: Accessed::new::<P>([taken, parts]),
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
        ram.start = Some(Arc::new(start));
        Ok(ram)
    }

    /// Appends the lines of a cell's word to `to`.
    fn push_word<P: Party<F = F, Wire = W, E = E>>(&mut self, party: &P, word: &[W], to: &mut Waiting<E>) {
        if P::ODD {
            to.push::<P>(word.iter().map(|wire| P::widened(*wire)));
        } else {
            self.pack(party, &[], &[], word, to);
        }
    }

    /// Packs the bits of a tuple (address, timestamp, word), each part at its place, into lines, and appends
    /// these to `to`. Address and timestamp may be empty.
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

    /// Stores `word` in a cell of the prover's contents.
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

    /// Element `i` of a cell's word and the timestamp of its last access; zero where there is no such cell.
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

    /// Commits to a timestamp, over F_2 by `bits` bits.
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

    pub(crate) fn access<P: Party<F = F, Wire = W, E = E>>(
        &mut self,
        party: &mut P,
        address: &[W],
        put: Put<'_, W>,
        name: &dyn Display,
    ) -> Result<Vec<W>> {
        self.layout.sizes.check::<P::F, _>(address.len(), put)?;
        let cell = P::KNOWS.then(|| self.cell::<P>(address));
        party.asserted(1, cell.is_none_or(|cell| cell.is_some()), name);
        // The caller's, and so not wiped.
        let mut before = Vec::with_capacity(self.layout.sizes.width);
        self.access_to(party, cell.flatten(), address, put, &mut before)?;
        Ok(before)
    }

    /// The cell at an address, if there is one.
    fn cell<P: Party<F = F, Wire = W, E = E>>(&self, address: &[W]) -> Option<usize> {
        let place = place(address.iter().map(|wire| P::value(*wire).expect("known")));
        match &self.places {
            Some(places) => places.find(place),
            None => Some(place as usize).filter(|_| place < self.layout.sizes.cells as u128),
        }
    }

    /// Accesses the memory row by row, and gives the columns of the words that were read.
    pub(crate) fn access_rows<P: Party<F = F, Wire = W, E = E>>(
        &mut self,
        party: &mut P,
        ports: &[Accesses<'_, W>],
        name: &dyn Display,
    ) -> Result<Vec<Vec<W>>> {
        let (width, rows) = (self.layout.sizes.width, ports.first().map_or(0, |port| port.address.len()));
        assert!(ports.iter().all(|port| port.has_rows(rows)), "columns of different lengths");
        let mut columns = Zeroizing::new(vec![Vec::new(); ports.len() * width]);
        columns.iter_mut().for_each(|column| column.reserve_exact(rows));
        let mut after = Zeroizing::new(Vec::with_capacity(width));
        for Accesses { put, .. } in ports {
            after.resize(put.map_or(0, <[_]>::len), W::default());
            let put = if put.is_some() { Put::Word(&after[..]) } else { Put::Same };
            self.layout.sizes.check::<P::F, _>(1, put)?;
        }
        let mut cells = Zeroizing::new(Vec::with_capacity(if P::KNOWS { rows * ports.len() } else { 0 }));
        for row in 0..if P::KNOWS { rows } else { 0 } {
            for port in ports {
                cells.push(self.cell::<P>(&[port.address[row]]));
            }
        }
        // A prover that misses one has no proof: one verdict for all, and then which is the first.
        let all = verdict(cells.iter().fold(true, |all, cell| all & cell.is_some()));
        let missed = if all { None } else { cells.iter().position(Option::is_none) };
        let name = InRow(name, missed.map_or(0, |missed| missed / ports.len()));
        party.asserted((rows * ports.len()) as u64, missed.is_none(), &name);
        let mut cells = cells.iter().copied();
        let mut before = Zeroizing::new(Vec::with_capacity(width));
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
                self.access_to(party, cells.next().flatten(), &[address[row]], put, &mut before)?;
                columns.iter_mut().zip(&*before).for_each(|(column, wire)| column.push(*wire));
            }
        }
        Ok(mem::take(&mut columns))
    }

    /// Accesses a cell, which is `None` where it is not known or there is none, and appends the word that it
    /// held to `before`.
    fn access_to<P: Party<F = F, Wire = W, E = E>>(
        &mut self,
        party: &mut P,
        cell: Option<usize>,
        address: &[W],
        put: Put<'_, W>,
        before: &mut Vec<W>,
    ) -> Result<()> {
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
        if P::ODD {
            let last = last.map(said::<P::F>);
            let time = party.commit_value(last)?;
            let now: P::F = said(self.time - 1);
            // It is below the time; there are others only where somebody cheats.
            let gap = last.map(|last| (now - last).to_integer().low());
            let limb = self.layout.limb;
            let mut high = None;
            if let Some(gaps) = &mut self.gaps {
                gaps.look_up_number(party, party.wide(now.into()) - P::widened(time), gap)?;
            } else {
                high = Some(party.commit_value(gap.map(|gap| said(gap >> limb)))?);
                for limb in gap.into_iter().flat_map(|gap| [gap >> limb, gap & ((1 << limb) - 1)]) {
                    if let Some(count) = self.limbs.get_mut(limb as usize) {
                        *count += 1;
                    }
                }
            }
            let lines = [address[0], time].into_iter().chain(before.iter().copied()).chain(high);
            self.accessed.taken.push::<P>(lines.map(P::widened));
            // What is put back is what was taken out, at another time.
            let puts = !matches!(put, Put::Same);
            self.accessed.putting.push(puts);
            if puts {
                self.accessed.put.push::<P>(after.iter().map(|wire| P::widened(*wire)));
            }
        } else {
            let mut tile = mem::take(&mut self.tile);
            let first = tile.len();
            let mut accessed = mem::replace(&mut self.accessed, Accessed::new::<P>([0, 0]));
            let pushed = Self::commit_time(party, last, self.layout.time_bits(self.time), &mut tile);
            if pushed.is_ok() {
                self.pack(party, address, &tile[first..], before, &mut accessed.taken);
                self.pack(party, address, &[], after, &mut accessed.put);
            }
            (self.tile, self.accessed) = (tile, accessed);
            pushed?;
        }
        self.put::<P>(cell, after);
        if P::PACKS && self.layout.ends_tile(self.time) {
            self.order(party)?;
        }
        if self.time == self.layout.epoch {
            self.end_epoch(party)?;
            if P::ODD {
                self.look_up_gaps::<P>();
            }
        }
        Ok(())
    }

    /// Looks up timestamp differences whole from now on, where enough epochs have ended.
    fn look_up_gaps<P: Party<F = F, Wire = W, E = E>>(&mut self) {
        if let (None, Some(bits)) = (&self.gaps, self.layout.whole_gaps(self.ended)) {
            self.gaps = Some(Lookups::gaps::<P>(bits, &self.layout.parameters));
            let width = self.layout.sizes.width;
            self.accessed = Accessed::new::<P>([width + 2, width]);
        }
    }

    /// Shows that the timestamps of the open tile are smaller than those of their accesses.
    fn order<P: Party<F = F, Wire = W, E = E>>(&mut self, party: &mut P) -> Result<()> {
        let times = self.layout.time_bits(self.time) as usize;
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
    pub(crate) fn end<P: Party<F = F, Wire = W, E = E>>(mut self, party: &mut P) -> Result<()> {
        self.end_epoch(party)?;
        if P::ODD { self.gaps.as_mut().map_or(Ok(()), |gaps| gaps.end(party)) } else { Ok(()) }
    }

    /// Ends the epoch: commits to the final word and timestamp of every cell, and demands that read set and
    /// write set are equal.
    fn end_epoch<P: Party<F = F, Wire = W, E = E>>(&mut self, party: &mut P) -> Result<()> {
        if self.time == 0 {
            return Ok(());
        }
        if P::PACKS {
            self.order(party)?;
        }
        let Sizes { cells, width } = self.layout.sizes;
        let accesses = self.time as usize;
        let parts = parts::<P::F, E>(&self.layout, self.address);
        let (mut words, mut times) = (Waiting::new::<P>(parts), Waiting::new::<P>(1));
        let mut wires = Zeroizing::new(Vec::with_capacity(width.max(u64::BITS as usize)));
        for cell in 0..cells {
            self.commit_word(party, Some(cell), &mut wires)?;
            self.push_word(party, &wires, &mut words);
            wires.clear();
            let last = self.last(Some(cell));
            times.push::<P>([if P::ODD {
                P::widened(party.commit_value(last.map(said))?)
            } else {
                Self::commit_time(party, last, self.layout.last_bits(self.time), &mut wires)?;
                party.weighed(&P::places()[self.address..][..wires.len()], &wires)
            }]);
            wires.clear();
        }
        let limbed = P::ODD && self.gaps.is_none();
        let count = if limbed { 1 << self.layout.limb } else { 0 };
        let mut limbs = Zeroizing::new(Vec::with_capacity(count));
        for limb in 0..count {
            let count = P::KNOWS.then(|| said(u64::from(self.limbs[limb])));
            limbs.push(party.commit_value(count)?);
        }
        let limbs = Arc::new(limbs);
        // Only now, when all tuples are committed to.
        let mut draw = party.coefficients()?;
        let mut weights = Weights { shift: P::E::ZERO, parts: vec![P::E::ZERO; width.max(parts) + 1] };
        let name = "a memory that is what was put there";
        let words = Arc::new(words);
        let tuples = Arc::new(Tuples {
            layout: self.layout,
            address: self.address,
            places: self.places.clone(),
            accesses,
            accessed: self.accessed.take::<P::Ring>(),
            words: words.clone(),
            times,
            start: self.start.take(),
        });
        for _ in 0..repetitions::<P::E>() {
            draw(core::slice::from_mut(&mut weights.shift));
            draw(&mut weights.parts);
            let (of, weights) = (tuples.clone(), weights.clone());
            let fill = move |ring: &P::Ring, side: usize, first: usize, lines: &mut Lines<'_, E>| {
                of.factors::<F, _>(ring, side, first, &weights, lines);
            };
            equal(party, accesses + cells, Arc::new(fill), &name)?;
            if P::ODD && limbed {
                short_gaps(party, &tuples, &limbs, &mut draw)?;
            }
        }
        party.argued(&[self.layout.degree(self.time, !limbed)]);
        self.start = Some(words);
        self.limbs.fill(0);
        self.time = 0;
        self.ended += 1;
        if let Some(contents) = &mut self.known {
            contents.times.fill(0);
        }
        Ok(())
    }
}

/// Demands that both limbs of each timestamp difference are short; `limbs` counts how often each value is
/// one.
fn short_gaps<P: Party>(
    party: &mut P,
    tuples: &Arc<Tuples<P::E>>,
    limbs: &Arc<Zeroizing<Vec<P::Wire>>>,
    draw: &mut Coefficients<P::E>,
) -> Result<()> {
    let numbers = |first: usize, rows: &mut [P::E]| {
        rows.iter_mut().zip(first..).for_each(|(row, limb)| *row = number::<P::F, P::E>(limb as u64));
    };
    let (shift, total) = table_side(party, &(Arc::new(numbers) as _), limbs, draw);
    let of = tuples.clone();
    let fill = move |_: &P::Ring, first: usize, lines: &mut Lines<'_, P::E>| {
        of.limbs::<P::F, P::Ring>(first, shift, lines);
    };
    let name = "a word that was written before it is read";
    equal_sum(party, 2 * tuples.accesses, Arc::new(fill), total, name)
}
