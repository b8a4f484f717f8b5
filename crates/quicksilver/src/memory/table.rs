//! Lookups in public tables and ranges, over odd p.

use super::found::Found;
use super::sums::{equal_sum, table_side};
use super::{Coefficients, Lines, Party, VALUE, number, repetitions, said};
use core::fmt::Display;
use core::ops::Range;
use std::sync::Arc;
use volery_channel::error::Result;
use volery_channel::pool::Pool;
use volery_circuit::accounting::{Looked, Parameters};
use volery_circuit::{InRow, Known, NO_ROW};
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

/// Rows that a task combines.
const WEIGHED: usize = 1 << 12;

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

    /// A table for limbs of `bits` bits, into which numbers in ranges are cut.
    pub(crate) fn limbs<P: Party<F = F, E = E>>(bits: u32) -> Self {
        Self::numbers::<P>(bits, Looked::limbs(bits))
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
        let found = P::KNOWS.then(|| self.table().find(&known).map_or(NO_ROW, |row| row as u32));
        party.asserted(1, found != Some(NO_ROW), name);
        let mut value = Zeroizing::new(Vec::with_capacity(self.table().value));
        let mut is_row = true;
        for i in 0..self.table().value {
            let element = found.map(|row| self.element(row, i));
            let wire = party.commit_value(element)?;
            is_row &= P::value(wire) == element;
            value.push(wire);
        }
        self.count(found.as_slice());
        let row = found.map(|row| if is_row { row } else { NO_ROW });
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
        values.iter_mut().for_each(|column| column.resize(rows, P::Wire::default()));
        let together = if P::KNOWS { rows.min(TOGETHER) } else { 0 };
        let mut known = Zeroizing::new(vec![F::ZERO; key.len() * together]);
        let mut found = Zeroizing::new(vec![NO_ROW; together]);
        let mut done = 0;
        while done < rows {
            self.end_if_full(party)?;
            let run = done..rows.min(done + TOGETHER.min(self.looked.left() as usize));
            let columns: Vec<_> = key.iter().map(|column| &column[run.clone()]).collect();
            let found = &mut found[..if P::KNOWS { run.len() } else { 0 }];
            if P::KNOWS {
                for (i, column) in columns.iter().enumerate() {
                    for (wire, known) in column.iter().zip(known[i..].iter_mut().step_by(key.len())) {
                        *known = P::value(*wire).expect("known");
                    }
                }
                self.table().find_all(&known[..key.len() * run.len()], found);
            }
            // A prover that misses one has no proof: one verdict for all, and then which is the first.
            let all = verdict(found.iter().fold(true, |all, row| all & (*row != NO_ROW)));
            let missed = if all { None } else { found.iter().position(|row| *row == NO_ROW) };
            let name = InRow(name, run.start + missed.unwrap_or(0));
            party.asserted(run.len() as u64, missed.is_none(), &name);
            self.count(found);
            self.commit_values(party, found, &mut values, &run)?;
            let columns: Vec<_> =
                columns.into_iter().chain(values.iter().map(|column| &column[run.clone()])).collect();
            let part = |j: usize, i: usize, part| P::part(P::widened(columns[j][i]), part);
            self.waiting.extend(run.len(), found, part);
            done = run.end;
            self.looked.add(run.len() as u64);
            self.end_if_full(party)?;
        }
        Ok(core::mem::take(&mut values))
    }

    /// Commits to the values of the rows that were found, each element in the `run` of its column, or to zeroes
    /// where there is no row. Rows whose values are not what was committed to are none then.
    fn commit_values<P: Party<F = F, E = E>>(
        &self,
        party: &mut P,
        found: &mut [u32],
        columns: &mut [Vec<P::Wire>],
        run: &Range<usize>,
    ) -> Result<()> {
        let mut elements = Zeroizing::new(vec![F::ZERO; found.len()]);
        let mut are_rows = Zeroizing::new(vec![true; found.len()]);
        for (i, column) in columns.iter_mut().enumerate() {
            let wires = &mut column[run.clone()];
            for (element, row) in elements.iter_mut().zip(&*found) {
                *element = self.element(*row, i);
            }
            party.commit_values(&elements, wires)?;
            for ((is_row, element), wire) in are_rows.iter_mut().zip(&*elements).zip(wires) {
                *is_row &= P::value(*wire) == Some(*element);
            }
        }
        for (row, is_row) in found.iter_mut().zip(&*are_rows) {
            *row = if *is_row { *row } else { NO_ROW };
        }
        Ok(())
    }

    /// Element `i` of the value of a row, or zero where there is none.
    #[inline]
    fn element(&self, row: u32, i: usize) -> F {
        let table = self.table();
        if row == NO_ROW { F::ZERO } else { table.row(row as usize)[table.key + i] }
    }

    /// Counts lookups of rows that were found.
    fn count(&mut self, found: &[u32]) {
        for row in found {
            if let Some(count) = self.counts.get_mut(*row as usize) {
                *count += 1;
            }
        }
    }

    /// Looks up `count` numbers of which `part(i, part)` is a part of the i-th one's line, and which are those `known`
    /// where they are known.
    #[inline]
    pub(crate) fn look_up_limbs<P: Party<F = F, E = E>>(
        &mut self,
        count: usize,
        known: &mut [u32],
        part: impl Fn(usize, usize) -> E,
    ) {
        self.count(known);
        let last = self.counts.len() as u32 - 1;
        for (i, row) in known.iter_mut().enumerate() {
            let found = last.min(*row);
            let is_row = (found == *row) & (part(i, VALUE) == number::<F, E>(found.into()));
            *row = if is_row { found } else { NO_ROW };
        }
        self.waiting.extend(count, known, |_, i, which| part(i, which));
        self.looked.add(count as u64);
    }

    /// The bits of the numbers of a table of limbs.
    pub(crate) fn bits(&self) -> u32 {
        let Rows::Numbers(bits) = &self.rows else { unreachable!("a table has no limbs") };
        *bits
    }

    fn table(&self) -> &Known<F> {
        let Rows::Table(table) = &self.rows else { unreachable!("a range has no keys") };
        table
    }

    /// Looks up the number on a line, which is `known` where that is known, in a table whose epochs are its own.
    pub(crate) fn look_up_number<P: Party<F = F, E = E>>(
        &mut self,
        party: &mut P,
        line: P::Wide,
        known: Option<u128>,
    ) -> Result<()> {
        self.end_if_full(party)?;
        let row = known.map(|known| if known < self.counts.len() as u128 { known as u32 } else { NO_ROW });
        self.count(row.as_slice());
        let is_row = |row: u32| P::wide_value(line) == Some(number::<F, E>(row.into()));
        let row = row.map(|row| if row != NO_ROW && is_row(row) { row } else { NO_ROW });
        self.waiting.push::<P>([line], row);
        self.looked.add(1);
        self.end_if_full(party)
    }

    /// Ends the epoch if it is full. After a failure it fails again.
    fn end_if_full<P: Party<F = F, E = E>>(&mut self, party: &mut P) -> Result<()> {
        if self.looked.is_full() { self.end(party) } else { Ok(()) }
    }

    /// Ends the epoch: demands that each lookup found a row.
    pub(crate) fn end<P: Party<F = F, E = E>>(&mut self, party: &mut P) -> Result<()> {
        end_together(party, [self])
    }

    /// Commits to how often each row was looked up.
    fn commit_counts<P: Party<F = F, E = E>>(&self, party: &mut P) -> Result<Zeroizing<Vec<P::Wire>>> {
        let mut wires = Zeroizing::new(vec![P::Wire::default(); self.counts.len()]);
        let mut known = Zeroizing::new(Vec::with_capacity(TOGETHER));
        for (wires, counts) in wires.chunks_mut(TOGETHER).zip(self.counts.chunks(TOGETHER)) {
            known.clear();
            if P::KNOWS {
                known.extend(counts.iter().map(|count| said::<F>(u64::from(*count))));
            }
            party.commit_values(&known, wires)?;
        }
        Ok(wires)
    }

    /// Demands that each lookup found a row, and row i so often as `counts` says, and empties the table's epoch.
    fn argue<P: Party<F = F, E = E>>(
        &mut self,
        party: &mut P,
        counts: &Arc<Zeroizing<Vec<P::Wire>>>,
        draw: &mut Coefficients<E>,
    ) -> Result<()> {
        let lookups = self.looked.count() as usize;
        let waiting = Arc::new(self.waiting.take());
        let mut weights = vec![E::ONE; waiting.lines()];
        for _ in 0..repetitions::<E>() {
            // A single element is no combination.
            if weights.len() > 1 {
                draw(&mut weights);
            }
            let (waiting, weights) = (waiting.clone(), weights.clone());
            let rows = Arc::new(self.weighed_rows(party.pool(), &weights));
            let of = rows.clone();
            let to_rows = move |first: usize, out: &mut [E]| of.from::<F>(first, out);
            let (shift, total) = table_side(party, &(Arc::new(to_rows) as _), counts, draw);
            let fill = move |ring: &P::Ring, first: usize, lines: &mut Lines<'_, E>| {
                waiting.add_to(ring, first, &weights, |i| rows.of::<F>(i), lines);
                lines.public().fill(shift);
            };
            equal_sum(party, lookups, Arc::new(fill), total, "a row that is looked up")?;
        }
        self.looked.end();
        self.counts.fill(0);
        Ok(())
    }

    /// The rows, each combined with `weights` into one element.
    fn weighed_rows(&self, pool: &Pool, weights: &[E]) -> Weighed<E> {
        let Rows::Table(table) = &self.rows else { return Weighed::Numbers };
        let weights: Arc<[E]> = weights.into();
        let pieces = pool.results((0..table.rows()).step_by(WEIGHED).map(|first| {
            let (table, weights) = (table.clone(), weights.clone());
            move || {
                let weighed = |row: usize| {
                    let elements = table.row(row).iter().zip(&*weights);
                    elements.fold(E::ZERO, |sum, (element, weight)| sum + *weight * E::from(*element))
                };
                (first..table.rows().min(first + WEIGHED)).map(weighed).collect::<Vec<_>>()
            }
        }));
        let mut rows = Vec::with_capacity(table.rows());
        pieces.for_each(|mut piece| rows.append(&mut piece));
        Weighed::Rows(rows)
    }
}

/// Ends the epochs of several tables by one challenge, which is drawn once the counts of all are committed to.
pub(crate) fn end_together<'t, P: Party>(
    party: &mut P,
    tables: impl IntoIterator<Item = &'t mut Lookups<P::F, P::E>>,
) -> Result<()> {
    let mut tables: Vec<_> = tables.into_iter().filter(|table| table.looked.count() > 0).collect();
    if tables.is_empty() {
        return Ok(());
    }
    let mut counts = Vec::with_capacity(tables.len());
    for table in &tables {
        counts.push(Arc::new(table.commit_counts(party)?));
    }
    party.argued(&tables.iter().map(|table| table.looked.degree()).collect::<Vec<_>>());
    let mut draw = party.coefficients()?;
    for (table, counts) in tables.iter_mut().zip(&counts) {
        table.argue(party, counts, &mut draw)?;
    }
    Ok(())
}

/// Combined rows of a table.
enum Weighed<E> {
    Rows(Vec<E>),
    /// Rows that are their own numbers.
    Numbers,
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
            Self::Numbers => number::<F, E>(i as u64),
        }
    }
}
