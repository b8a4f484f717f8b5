//! Observers of a run, instruction by instruction.

use crate::decode::{Instruction, NOWHERE, register};
use crate::program::Program;
use std::collections::BTreeMap;
use std::io::Write;

/// An observer of a run.
pub trait Observer {
    /// Observes that the instruction at `pc` has been executed. `value` gives the word that it has written to
    /// a register.
    fn executed(&mut self, pc: u32, instruction: &Instruction, value: impl FnOnce() -> Option<u32>);
}

/// An observer that does nothing.
pub struct Nobody;

impl Observer for Nobody {
    #[inline(always)]
    fn executed(&mut self, _: u32, _: &Instruction, _: impl FnOnce() -> Option<u32>) {}
}

/// Counts instructions by function.
pub struct Profile<'p> {
    program: &'p Program,
    /// The instructions of each function; the first count is for those in none.
    counts: Vec<u64>,
    /// Addresses that are all in one function, and the place of its count.
    last: (std::ops::Range<u32>, usize),
}

impl<'p> Profile<'p> {
    /// The profile of a run of `program`.
    pub fn new(program: &'p Program) -> Self {
        Self { program, counts: vec![0], last: (0..0, 0) }
    }

    /// The names of functions, and how many instructions were theirs, from the most on.
    pub fn functions(&self) -> Vec<(String, u64)> {
        let symbols = self.program.symbols();
        let mut named = BTreeMap::<&str, u64>::new();
        for (place, count) in self.counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            let name = place.checked_sub(1).map_or("(no name)", |number| symbols.name(number));
            *named.entry(name).or_default() += count;
        }
        let mut named: Vec<_> = named.into_iter().map(|(name, count)| (name.to_owned(), count)).collect();
        named.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        named
    }
}

impl Observer for Profile<'_> {
    #[inline(always)]
    fn executed(&mut self, pc: u32, _: &Instruction, _: impl FnOnce() -> Option<u32>) {
        if !self.last.0.contains(&pc) {
            let symbols = self.program.symbols();
            let place = symbols.number(pc).map_or(0, |number| number + 1);
            self.last = (symbols.range(pc), place);
            if place >= self.counts.len() {
                self.counts.resize(place + 1, 0);
            }
        }
        self.counts[self.last.1] += 1;
    }
}

/// Writes a line for each instruction: its number, its address and function, and what it wrote.
pub struct Trace<'p, O: Write> {
    program: &'p Program,
    out: O,
    count: u64,
    failed: Option<std::io::Error>,
}

impl<'p, O: Write> Trace<'p, O> {
    /// The trace of a run of `program`, written to `out`.
    pub fn new(program: &'p Program, out: O) -> Self {
        Self { program, out, count: 0, failed: None }
    }

    /// Ends the file.
    ///
    /// # Errors
    /// Where it could not be written.
    pub fn finish(mut self) -> std::io::Result<()> {
        match self.failed {
            Some(why) => Err(why),
            None => self.out.flush(),
        }
    }
}

impl<O: Write> Observer for Trace<'_, O> {
    fn executed(&mut self, pc: u32, instruction: &Instruction, value: impl FnOnce() -> Option<u32>) {
        if self.failed.is_some() {
            return;
        }
        self.count += 1;
        let place = self.program.symbols().place(pc).to_string();
        let text = instruction.to_string();
        let written = match value() {
            Some(value) if instruction.rd != NOWHERE => format!("{} = {value:#x}", register(instruction.rd)),
            _ => String::new(),
        };
        let line = format!("{:>10} {place:<32} {text:<28} {written}", self.count);
        self.failed = writeln!(self.out, "{}", line.trim_end()).err();
    }
}
