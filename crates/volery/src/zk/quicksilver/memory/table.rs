//! Lookups in public tables and ranges, over odd p.

use super::sums::{equal_sum, table_side};
use super::{Line, Party, Waiting, number, repetitions, said};
use crate::circuit::memory::{Looked, limbs};
use crate::circuit::table::check_range;
use crate::circuit::{InRow, Known};
use crate::error::Result;
use core::fmt::Display;
use volery_primitives::Field;
use zeroize::Zeroizing;

/// What a party keeps of a table whose lookups are wide lines `V`.
pub(in super::super) struct Lookups<F, V: Line> {
    rows: Rows<F>,
    looked: Looked,
    /// Keys, each with its value.
    lines: Waiting<V>,
    /// How often each row was looked up, where that is known.
    counts: Zeroizing<Vec<u64>>,
}

enum Rows<F> {
    Table(Known<F>),
    /// The numbers of so many bits.
    Numbers(u32),
}

impl<F: Field, V: Line> Lookups<F, V> {
    pub(in super::super) fn of(known: Known<F>) -> Self {
        let (rows, stride) = (known.rows(), known.key + known.value);
        let looked = Looked::new::<F>(rows, stride);
        Self {
            rows: Rows::Table(known),
            looked,
            lines: Waiting::new(stride),
            counts: Zeroizing::new(vec![0; rows]),
        }
    }

    /// The limbs of ranges, of so many bits.
    pub(in super::super) fn limbs(bits: u32) -> Self {
        Self::numbers(bits, Looked::new::<F>(1 << bits, 1))
    }

    /// The whole gaps of a memory, of so many bits.
    pub(in super::super) fn gaps(bits: u32) -> Self {
        Self::numbers(bits, Looked::gaps::<F>(bits))
    }

    fn numbers(bits: u32, looked: Looked) -> Self {
        let counts = Zeroizing::new(vec![0; 1 << bits]);
        Self { rows: Rows::Numbers(bits), looked, lines: Waiting::new(1), counts }
    }

    pub(in super::super) fn look_up<P: Party<F = F, Wide = V>>(
        &mut self,
        party: &mut P,
        key: &[P::Wire],
        name: &dyn Display,
    ) -> Result<Vec<P::Wire>> {
        let mut value = Zeroizing::new(Vec::with_capacity(self.value()));
        self.look_up_to(party, key, name, &mut Zeroizing::default(), &mut value)?;
        Ok(core::mem::take(&mut *value))
    }

    /// Lookups of keys in columns: the columns of their values.
    pub(in super::super) fn look_up_rows<P: Party<F = F, Wide = V>>(
        &mut self,
        party: &mut P,
        key: &[&[P::Wire]],
        name: &dyn Display,
    ) -> Result<Vec<Vec<P::Wire>>> {
        let rows = key.first().map_or(0, |column| column.len());
        assert!(key.iter().all(|column| column.len() == rows), "columns of different lengths");
        let mut columns = Zeroizing::new(vec![Vec::new(); self.value()]);
        columns.iter_mut().for_each(|column| column.reserve_exact(rows));
        let mut wires = Zeroizing::new(Vec::with_capacity(key.len()));
        let mut known = Zeroizing::new(Vec::with_capacity(key.len()));
        let mut value = Zeroizing::new(Vec::with_capacity(self.value()));
        for row in 0..rows {
            wires.clear();
            for column in key {
                wires.push(column[row]);
            }
            value.clear();
            self.look_up_to(party, &wires, &InRow(name, row), &mut known, &mut value)?;
            columns.iter_mut().zip(&*value).for_each(|(column, wire)| column.push(*wire));
        }
        Ok(core::mem::take(&mut columns))
    }

    /// The elements of a value.
    fn value(&self) -> usize {
        let Rows::Table(table) = &self.rows else { unreachable!("a range has no values") };
        table.value
    }

    /// A lookup, which adds the row's value to `value`; `known` is room for the values of the key.
    #[inline]
    fn look_up_to<P: Party<F = F, Wide = V>>(
        &mut self,
        party: &mut P,
        key: &[P::Wire],
        name: &dyn Display,
        known: &mut Zeroizing<Vec<F>>,
        value: &mut Vec<P::Wire>,
    ) -> Result<()> {
        let Rows::Table(table) = &self.rows else { unreachable!("a range has no keys") };
        table.check(key.len())?;
        if known.capacity() < key.len() {
            *known = Zeroizing::new(Vec::with_capacity(key.len()));
        }
        known.clear();
        for wire in key {
            known.extend(P::value(*wire));
        }
        let found = P::KNOWS.then(|| table.find(known));
        party.asserted(found.is_none_or(|row| row.is_some()), name);
        let element = |i: usize| found.map(|row| row.map_or(F::ZERO, |row| table.row(row)[table.key + i]));
        for i in 0..table.value {
            value.push(party.commit_value(element(i))?);
        }
        if let Some(Some(row)) = found {
            self.counts[row] += 1;
        }
        let lines = self.lines.open();
        for wire in key.iter().chain(&*value) {
            lines.push(P::widened(*wire));
        }
        self.added(party)
    }

    /// Demands that `value` is a number of so many bits.
    pub(in super::super) fn within<P: Party<F = F, Wide = V>>(
        &mut self,
        party: &mut P,
        value: P::Wire,
        bits: u32,
        name: &dyn Display,
    ) -> Result<()> {
        check_range::<F>(bits)?;
        let word = P::value(value).map(|value| value.to_integer());
        party.asserted(word.is_none_or(|word| word >> bits == 0), name);
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
    pub(in super::super) fn limb_bits(&self) -> u32 {
        let Rows::Numbers(limb) = &self.rows else { unreachable!("a table has no limbs") };
        *limb
    }

    /// Looks up a number, which is `limb` where that is known, by its line.
    pub(in super::super) fn limb<P: Party<F = F, Wide = V>>(
        &mut self,
        party: &mut P,
        line: V,
        limb: Option<u128>,
    ) -> Result<()> {
        if let Some(count) = limb.and_then(|limb| self.counts.get_mut(limb as usize)) {
            *count += 1;
        }
        self.add(party, &[line])
    }

    /// The highest limb, which may be shorter, times what makes it one of full length.
    fn top<P: Party<F = F, Wide = V>>(
        &mut self,
        party: &mut P,
        line: V,
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

    fn add<P: Party<F = F, Wide = V>>(&mut self, party: &mut P, lines: &[V]) -> Result<()> {
        self.lines.open().extend_from_slice(lines);
        self.added(party)
    }

    fn added<P: Party<F = F, Wide = V>>(&mut self, party: &mut P) -> Result<()> {
        self.looked.next(0);
        if self.looked.is_full() { self.end(party) } else { Ok(()) }
    }

    /// Ends the epoch: what was looked up are rows.
    pub(in super::super) fn end<P: Party<F = F, Wide = V>>(&mut self, party: &mut P) -> Result<()> {
        let lookups = self.looked.count() as usize;
        if lookups == 0 {
            return Ok(());
        }
        let mut counts = Zeroizing::new(Vec::with_capacity(self.counts.len()));
        for count in &*self.counts {
            counts.push(party.commit_value(P::KNOWS.then(|| said(*count)))?);
        }
        // Only now, when all is committed to.
        let mut draw = party.coefficients()?;
        let mut weights = vec![P::E::ZERO; self.lines.stride];
        for _ in 0..repetitions::<P::E>() {
            draw(&mut weights);
            let mut rows = vec![P::E::ZERO; self.counts.len()];
            for (i, row) in rows.iter_mut().enumerate() {
                match &self.rows {
                    Rows::Numbers(_) => *row = number::<F, P::E>(i as u64) * weights[0],
                    Rows::Table(table) => {
                        for (element, weight) in table.row(i).iter().zip(&weights) {
                            *row += *weight * P::E::from(*element);
                        }
                    }
                }
            }
            let (shift, total) = table_side(party, &rows, &counts, &mut draw);
            let looked = |_: &P, i: usize| {
                let mut sum = V::default();
                for (line, weight) in self.lines.get(i).iter().zip(&weights) {
                    sum = sum + P::scaled(*line, *weight);
                }
                (sum, shift)
            };
            equal_sum(party, lookups, looked, total, &"a row that is looked up")?;
        }
        party.argued(self.looked.degree());
        self.looked.end();
        self.lines = Waiting::new(self.lines.stride);
        self.counts.fill(0);
        Ok(())
    }
}
