//! The public table of a program: what a row may be at each micro-address.
//!
//! An instruction is one row or several, one after the other, and at each place there may be **alternatives**,
//! of which the prover takes one: a branch is a row for "taken" and one for "not taken", each of a class that
//! holds where it is right. So alternatives exclude each other, and no row knows a flag.
//!
//! Rows of an instruction have micro-addresses: the first that of the instruction, a multiple of four below
//! 2^32, the others above 2^33, where no jump of a program can go.

use super::class::Class;
use std::collections::{BTreeMap, BTreeSet};

/// A row's place.
pub(super) type Place = u64;

/// The places of rows behind the first of an instruction, and of the calls.
const WITHIN: Place = 1 << 33;

/// The place where a run ends, and stays.
pub(super) const HALT: Place = 1 << 34;

/// The address of a register's cell: odd, so that no load or store reaches it, above all memory, and far from
/// the next.
pub(super) const fn register(number: u32) -> u64 {
    REGISTERS + APART * number as u64 + 1
}

/// The number of the register at an address that [`register`] gives.
pub(super) fn number(address: u64) -> Option<usize> {
    address.checked_sub(REGISTERS).map(|at| (at / APART) as usize)
}

const REGISTERS: u64 = 1 << 26;
const APART: u64 = 64;

/// The factor by which the addresses of the second and the third access are put into one number.
pub(super) const BESIDE: u64 = 1 << 33;

/// Registers that no instruction names.
pub(super) mod hidden {
    /// The register that stands for x0 where it is written to: never read.
    pub(in super::super) const NOWHERE: u32 = 32;
    /// The registers for the rows of one instruction.
    pub(in super::super) const T: [u32; 6] = [33, 34, 35, 36, 37, 38];
    /// The register of the address that a call returns to.
    pub(in super::super) const BACK: u32 = 39;
    /// The addresses of the next byte of public input, and of output.
    pub(in super::super) const INPUT: u32 = 40;
    pub(in super::super) const OUTPUT: u32 = 41;
    /// The program break, the end of its heap.
    pub(in super::super) const BREAK: u32 = 42;
    /// The register of the address that `mret` goes to.
    pub(in super::super) const AFTER: u32 = 43;
    /// The registers of a call: an address, the rest of its length, and the number that it returns.
    pub(in super::super) const AT: u32 = 44;
    pub(in super::super) const LEFT: u32 = 45;
    pub(in super::super) const DONE: u32 = 46;
    /// A flag: one where a read has found the private input's end, and zero before.
    pub(in super::super) const ENDED: u32 = 47;
    /// The first of those that hold constants.
    pub(in super::super) const CONSTANTS: u32 = 64;
}

/// The value that a prover writes in a row whose class leaves it open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Advice {
    /// The class says what is written.
    None,
    /// The quotient of what stands in two registers; zero where there is none.
    Quotient(u32, u32),
    /// Bytes of the private input, of this number.
    Bytes(u32),
    /// How many bytes of the private input are left, or what a register holds, if that is less.
    Length(u32),
}

/// A row that a place may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Alternative {
    pub(super) class: Class,
    /// The registers that are read; of a load the second is not.
    pub(super) reads: [u32; 2],
    /// The register that is written; of a store it is not.
    pub(super) writes: u32,
    pub(super) immediate: u32,
    /// The place of the next row, if it is not where the row says.
    pub(super) next: Option<Place>,
    pub(super) advice: Advice,
}

/// The number of elements that tell a row of the table from others.
pub(super) const KEY: usize = 8;

impl Alternative {
    /// The key of the row at `place`: place, group, member, whether it is logic, the first address, the
    /// others, immediate, next place.
    pub(super) fn key(&self, place: Place) -> [u64; KEY] {
        let [group, member] = self.class.digits();
        let second = if self.class.loads() { 0 } else { register(self.reads[1]) };
        let third = if self.class.stores() { 0 } else { BESIDE * register(self.writes) };
        let logic = self.class.is_logic().into();
        let [next, i] = [self.next.unwrap_or(0), self.immediate.into()];
        [place, group, member, logic, register(self.reads[0]), second + third, i, next]
    }
}

/// A row of several, without its successor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    class: Class,
    reads: [u32; 2],
    writes: u32,
    immediate: u32,
    advice: Advice,
}

/// Row by row, what an instruction does.
impl Step {
    /// `d = a ∘ b`, or for loads and stores the access at `a`.
    pub(super) fn of(class: Class, d: u32, a: u32, b: u32) -> Self {
        Self { class, reads: [a, b], writes: d, immediate: 0, advice: Advice::None }
    }

    /// A step with an immediate.
    pub(super) fn with(class: Class, d: u32, [a, b]: [u32; 2], immediate: u32) -> Self {
        Self { immediate, ..Self::of(class, d, a, b) }
    }

    /// `d = a + i`.
    pub(super) fn add(d: u32, a: u32, immediate: u32) -> Self {
        Self::with(Class::Add, d, [a, 0], immediate)
    }

    /// The step that asserts `a < b`, or that not, for unsigned numbers.
    pub(super) fn less(a: u32, b: u32, holds: bool) -> Self {
        Self::with(Class::Ltu, hidden::NOWHERE, [a, b], holds.into())
    }

    /// The step that asserts that `a` is negative, or that not.
    pub(super) fn negative(a: u32, holds: bool) -> Self {
        Self::with(Class::Lt, hidden::NOWHERE, [a, 0], holds.into())
    }

    /// The step that asserts that `a` is this number.
    pub(super) fn is(a: u32, number: u32) -> Self {
        Self::with(Class::Select, hidden::NOWHERE, [a, 0], number)
    }

    /// Any word, of which the prover has `advice`.
    pub(super) fn any(d: u32, advice: Advice) -> Self {
        Self { advice, ..Self::of(Class::Eq, d, 0, 0) }
    }
}

/// The place where a sequence of rows goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum To {
    Place(Place),
    /// The place that its last row says.
    Itself,
}

/// The table.
#[derive(Debug, Default)]
pub(super) struct Rom {
    rows: BTreeMap<Place, Vec<Alternative>>,
    constants: BTreeMap<u32, u32>,
    /// Places within calls from which on nobody goes back to try another alternative.
    decided: BTreeSet<Place>,
    within: Place,
}

impl Rom {
    /// The rows that `place` may have.
    pub(super) fn at(&self, place: Place) -> &[Alternative] {
        self.rows.get(&place).map_or(&[], Vec::as_slice)
    }

    /// The most rows that a place may have.
    pub(super) fn widest(&self) -> usize {
        self.rows.values().map(Vec::len).max().unwrap_or_default()
    }

    /// Whether what was done before `place` stands.
    pub(super) fn is_decided(&self, place: Place) -> bool {
        place < WITHIN || place == HALT || self.decided.contains(&place)
    }

    /// All rows.
    pub(super) fn rows(&self) -> impl Iterator<Item = (Place, &Alternative)> {
        self.rows.iter().flat_map(|(place, rows)| rows.iter().map(|row| (*place, row)))
    }

    /// The constants, in the order of their registers.
    pub(super) fn constants(&self) -> Vec<u32> {
        let mut constants = vec![0; self.constants.len()];
        for (value, register) in &self.constants {
            constants[(register - hidden::CONSTANTS) as usize] = *value;
        }
        constants
    }

    /// A register that holds `value` and is never written.
    pub(super) fn constant(&mut self, value: u32) -> u32 {
        if value == 0 {
            return 0;
        }
        let next = hidden::CONSTANTS + self.constants.len() as u32;
        *self.constants.entry(value).or_insert(next)
    }

    /// A place that nobody has.
    pub(super) fn place(&mut self) -> Place {
        self.within += 1;
        WITHIN + self.within
    }

    /// A new place, from which on nobody goes back.
    pub(super) fn decided(&mut self) -> Place {
        let place = self.place();
        self.decided.insert(place);
        place
    }

    /// Adds `steps`, one after the other, at `place`: it goes on at `to`.
    pub(super) fn put(&mut self, place: Place, steps: &[Step], to: To) {
        let mut at = place;
        for (i, step) in steps.iter().enumerate() {
            let next = match to {
                _ if i + 1 < steps.len() => Some(self.place()),
                To::Place(place) => Some(place),
                To::Itself => None,
            };
            let Step { class, reads, writes, immediate, advice } = *step;
            let row = Alternative { class, reads, writes, immediate, next, advice };
            let rows = self.rows.entry(at).or_default();
            if !rows.contains(&row) {
                rows.push(row);
            }
            at = next.unwrap_or(HALT);
        }
    }
}
