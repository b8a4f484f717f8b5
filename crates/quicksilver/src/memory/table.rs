//! Lookups in public tables and ranges, over odd p.

use super::found::Found;
use super::sums::{equal_sum, table_side};
use super::{Lines, Party, number, repetitions, said};
use core::fmt::Display;
use std::sync::Arc;
use volery_channel::error::Result;
use volery_circuit::accounting::{Looked, Parameters, limbs};
use volery_circuit::table::check_range;
use volery_circuit::{InRow, Known};
use volery_primitives::secret::verdict;
use volery_primitives::{Extension, Field};
use zeroize::Zeroizing;

/// The state of a table at one party: lookups are lines over `E`.
pub(crate) struct Lookups<F, E: Field> {
    rows: Rows<F>,
    looked: Looked,
    /// Lookups of this epoch: the lines of keys, each with its value.
    waiting: Found<E>,
    /// How often each row was looked up, where that is known.
    counts: Zeroizing<Vec<u32>>,
}

/// Rows that are looked up together.
const TOGETHER: usize = 256;

enum Rows<F> {
    Table(Known<F>),
    /// A table of all numbers of this many bits.
    Numbers(u32),
}

impl<F: Field, E: Extension<F>> Lookups<F, E> {
    pub(crate) fn of<P: Party<F = F, E = E>>(known: Known<F>) -> Self {
        let (rows, stride) = (known.rows(), known.key + known.value);
        let looked = Looked::new::<F>(rows, stride);
        Self {
            rows: Rows::Table(known),
            looked,
            waiting: Found::new(stride),
            counts: Zeroizing::new(vec![0; rows]),
        }
    }

    /// A table for limbs of `bits` bits, into which ranges are cut.
    pub(crate) fn limbs<P: Party<F = F, E = E>>(bits: u32) -> Self {
        Self::numbers::<P>(bits, Looked::new::<F>(1 << bits, 1))
    }

    /// A table for a memory's timestamp differences of `bits` bits, looked up whole.
    pub(crate) fn gaps<P: Party<F = F, E = E>>(bits: u32, parameters: &Parameters) -> Self {
        Self::numbers::<P>(bits, Looked::gaps::<F>(bits, parameters))
    }

    fn numbers<P: Party<F = F, E = E>>(bits: u32, looked: Looked) -> Self {
        let counts = Zeroizing::new(vec![0; 1 << bits]);
        Self { rows: Rows::Numbers(bits), looked, waiting: Found::new(1), counts }
    }

    pub(crate) fn look_up<P: Party<F = F, E = E>>(
        &mut self,
        party: &mut P,
        key: &[P::Wire],
        name: &dyn Display,
    ) -> Result<Vec<P::Wire>> {
        self.table().check(key.len())?;
        self.end_if_full(party)?;
        let mut known = Zeroizing::new(Vec::with_capacity(key.len()));
        for wire in key {
            known.extend(P::value(*wire));
        }
        let found = P::KNOWS.then(|| self.table().find(&known));
        party.asserted(1, found.is_none_or(|row| row.is_some()), name);
        let mut value = Zeroizing::new(Vec::with_capacity(self.table().value));
        let row = self.commit_row(party, found, |_, wire| value.push(wire))?;
        self.waiting.push::<P>(key.iter().chain(&*value).map(|wire| P::widened(*wire)), row);
        self.looked.add(1);
        self.end_if_full(party)?;
        Ok(core::mem::take(&mut *value))
    }

    /// Looks up keys, which come in columns, and gives the columns of their values.
    pub(crate) fn look_up_rows<P: Party<F = F, E = E>>(
        &mut self,
        party: &mut P,
        key: &[&[P::Wire]],
        name: &dyn Display,
    ) -> Result<Vec<Vec<P::Wire>>> {
        let rows = key.first().map_or(0, |column| column.len());
        assert!(key.iter().all(|column| column.len() == rows), "columns of different lengths");
        self.table().check(key.len())?;
        let mut values = Zeroizing::new(vec![Vec::new(); self.table().value]);
        values.iter_mut().for_each(|column| column.reserve_exact(rows));
        let elements = if P::KNOWS { key.len() * rows.min(TOGETHER) } else { 0 };
        let mut known = Zeroizing::new(vec![F::ZERO; elements]);
        let mut done = 0;
        while done < rows {
            self.end_if_full(party)?;
            let run = done..rows.min(done + TOGETHER.min(self.looked.left() as usize));
            let mut columns: Vec<_> = key.iter().map(|column| &column[run.clone()]).collect();
            let mut found = Zeroizing::new(Vec::new());
            if P::KNOWS {
                for (i, column) in columns.iter().enumerate() {
                    for (wire, known) in column.iter().zip(known[i..].iter_mut().step_by(key.len())) {
                        *known = P::value(*wire).expect("known");
                    }
                }
                *found = self.table().find_all(&known[..key.len() * run.len()]);
            }
            // A prover that misses one has no proof: one verdict for all, and then which is the first.
            let all = verdict(found.iter().fold(true, |all, row| all & row.is_some()));
            let missed = if all { None } else { found.iter().position(Option::is_none) };
            let name = InRow(name, run.start + missed.unwrap_or(0));
            party.asserted(run.len() as u64, missed.is_none(), &name);
            for i in 0..run.len() {
                let row = self.commit_row(party, found.get(i).copied(), |i, wire| values[i].push(wire))?;
                if let Some(found) = found.get_mut(i) {
                    *found = row;
                }
            }
            columns.extend(values.iter().map(|column| &column[run.clone()]));
            self.waiting.extend::<P>(&columns, &found);
            done = run.end;
            self.looked.add(run.len() as u64);
            self.end_if_full(party)?;
        }
        Ok(core::mem::take(&mut values))
    }

    fn table(&self) -> &Known<F> {
        let Rows::Table(table) = &self.rows else { unreachable!("a range has no keys") };
        table
    }

    /// Commits to the value of a row, or to zeroes where none was found, and gives each element to `push`.
    /// The result is the row's number, if the value is the row's.
    #[inline]
    fn commit_row<P: Party<F = F, E = E>>(
        &mut self,
        party: &mut P,
        found: Option<Option<usize>>,
        mut push: impl FnMut(usize, P::Wire),
    ) -> Result<Option<usize>> {
        let mut is_row = true;
        for i in 0..self.table().value {
            let element = |row| self.table().row(row)[self.table().key + i];
            let value = found.map(|row| row.map_or(F::ZERO, element));
            let wire = party.commit_value(value)?;
            is_row &= P::value(wire) == value;
            push(i, wire);
        }
        let found = found.flatten();
        if let Some(row) = found {
            self.counts[row] += 1;
        }
        Ok(found.filter(|_| is_row))
    }

    /// Demands that `value` is a number of so many bits.
    pub(crate) fn within<P: Party<F = F, E = E>>(
        &mut self,
        party: &mut P,
        value: P::Wire,
        bits: u32,
        name: &dyn Display,
    ) -> Result<()> {
        check_range::<F>(bits)?;
        let word = P::value(value).map(|value| value.to_integer());
        party.asserted(1, word.is_none_or(|word| word >> bits == 0), name);
        let full = self.limb_bits();
        let (limbs, top) = limbs(bits, full);
        let mut lowest = P::widened(value);
        for i in (1..limbs).rev() {
            let mask = (1 << if i + 1 == limbs { top } else { full }) - 1;
            let limb = word.map(|word| (word >> (i * full)).low() & mask);
            let wire = party.commit_value(limb.map(said))?;
            let line = P::widened(wire);
            lowest = lowest - P::scaled(line, P::E::from(F::place(i * full)));
            if i + 1 == limbs {
                self.top::<P>(party, line, limb, top)?;
            }
            self.limb::<P>(party, line, limb)?;
        }
        let limb = word.map(|word| word.low() & ((1 << full) - 1));
        if limbs == 1 {
            self.top::<P>(party, lowest, limb, top)?;
        }
        self.limb::<P>(party, lowest, limb)
    }

    /// The bits of a limb.
    pub(crate) fn limb_bits(&self) -> u32 {
        let Rows::Numbers(limb) = &self.rows else { unreachable!("a table has no limbs") };
        *limb
    }

    /// Looks up a number, which is `limb` where that is known, by its line.
    pub(crate) fn limb<P: Party<F = F, E = E>>(
        &mut self,
        party: &mut P,
        line: P::Wide,
        limb: Option<u128>,
    ) -> Result<()> {
        let row = limb.map(|limb| limb as usize).filter(|row| *row < self.counts.len());
        if let Some(row) = row {
            self.counts[row] += 1;
        }
        let row = row.filter(|row| P::wide_value(line) == Some(number::<F, E>(*row as u64)));
        self.end_if_full(party)?;
        self.waiting.push::<P>([line], row);
        self.looked.add(1);
        self.end_if_full(party)
    }

    /// The highest limb, times the power of two that makes a shorter one as long as the others.
    fn top<P: Party<F = F, E = E>>(
        &mut self,
        party: &mut P,
        line: P::Wide,
        limb: Option<u128>,
        bits: u32,
    ) -> Result<()> {
        let short = self.limb_bits() - bits;
        if short == 0 {
            return Ok(());
        }
        let line = P::scaled(line, number::<F, P::E>(1 << short));
        self.limb::<P>(party, line, limb.map(|limb| limb << short))
    }

    /// Ends the epoch if it is full. After a failure it fails again.
    fn end_if_full<P: Party<F = F, E = E>>(&mut self, party: &mut P) -> Result<()> {
        if self.looked.is_full() { self.end(party) } else { Ok(()) }
    }

    /// Ends the epoch: demands that each lookup found a row.
    pub(crate) fn end<P: Party<F = F, E = E>>(&mut self, party: &mut P) -> Result<()> {
        let lookups = self.looked.count() as usize;
        if lookups == 0 {
            return Ok(());
        }
        let mut counts = Zeroizing::new(Vec::with_capacity(self.counts.len()));
        for count in &*self.counts {
            counts.push(party.commit_value(P::KNOWS.then(|| said(u64::from(*count))))?);
        }
        // Only now, when all is committed to.
        let mut draw = party.coefficients()?;
        let waiting = Arc::new(self.waiting.take());
        let mut weights = vec![P::E::ZERO; waiting.lines()];
        for _ in 0..repetitions::<P::E>() {
            draw(&mut weights);
            let (waiting, weights) = (waiting.clone(), weights.clone());
            let rows = Arc::new(self.weighed_rows(&weights));
            let (shift, total) =
                table_side(party, &|first, out| rows.from::<F>(first, out), &counts, &mut draw);
            let fill = move |ring: &P::Ring, first: usize, lines: &mut Lines<'_, E>| {
                waiting.add_to(ring, first, &weights, |i| rows.of::<F>(i), lines);
                lines.public().fill(shift);
            };
            equal_sum(party, lookups, Arc::new(fill), total, &"a row that is looked up")?;
        }
        party.argued(self.looked.degree());
        self.looked.end();
        self.counts.fill(0);
        Ok(())
    }

    /// The rows, each combined with `weights` into one element.
    fn weighed_rows(&self, weights: &[E]) -> Weighed<E> {
        let Rows::Table(table) = &self.rows else { return Weighed::Numbers(weights[0]) };
        let weighed = |row: usize| {
            let elements = table.row(row).iter().zip(weights);
            elements.fold(E::ZERO, |sum, (element, weight)| sum + *weight * E::from(*element))
        };
        Weighed::Rows((0..table.rows()).map(weighed).collect())
    }
}

/// Combined rows of a table.
enum Weighed<E> {
    Rows(Vec<E>),
    /// The weight of a table whose rows are their own numbers.
    Numbers(E),
}

impl<E: Field> Weighed<E> {
    /// Sets `out` to the combined rows from number `first` on.
    fn from<F: Field>(&self, first: usize, out: &mut [E])
    where
        E: Extension<F>,
    {
        out.iter_mut().zip(first..).for_each(|(out, row)| *out = self.of::<F>(row));
    }

    /// The combined row number `i`.
    #[inline]
    fn of<F: Field>(&self, i: usize) -> E
    where
        E: Extension<F>,
    {
        match self {
            Self::Rows(rows) => rows[i],
            Self::Numbers(weight) => number::<F, E>(i as u64) * *weight,
        }
    }
}
