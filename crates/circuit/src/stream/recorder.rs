//! Recording: the backend that statements are compiled for.

mod bits;
mod lanes;
mod memory;
mod polynomial;
mod scans;
#[cfg(test)]
pub(super) mod tests;

use super::block::{HintFunction, LENT, Op, Record, number};
use super::dependence::{Dependence, Tracing};
use super::frame::{Frame, Handle, Imported};
use super::functions::{Functions, Import, MOST_WORDS, Recorded};
use super::plan::plan;
use super::{Argues, Everything, Execute, Executor};
use crate::{Backend, Function, Lanes, Returned};
pub(super) use bits::{Bits, embedded};
use core::cell::RefCell;
use core::fmt::Display;
use core::mem;
use scans::Scans;
use std::sync::{Arc, OnceLock};
use volery_channel::error::{Error, Result};
use volery_channel::pool::Pool;
use volery_primitives::Field;

/// Records gates, and has them executed block by block.
pub struct Recorder<'r, F: Field> {
    purpose: Purpose<'r, F>,
    /// The kinds of records beyond gates that the executor has a proof for.
    argues: Argues,
    /// Whether a block may end at a sum, so that its factors are lent to the executor.
    lends: bool,
    /// The memories and tables that are written as gates, cell by cell and row by row.
    scans: Scans<F>,
    /// The recording of the statement, or of the innermost open function.
    frame: Frame<F>,
    /// The recordings around the function at hand.
    outer: Vec<Frame<F>>,
    /// The functions that the statement has opened.
    opened: Vec<Opened>,
    functions: &'r Functions<F>,
    /// The search for the dependence on private values, where it is wanted.
    tracing: Option<Box<Tracing<F>>>,
    /// The first error, until the statement is told of it.
    error: Option<Error>,
    failed: bool,
    frames: u32,
    memories: u32,
    tables: u32,
}

/// The purpose of a recording.
enum Purpose<'r, F> {
    Execution(&'r mut dyn Execute<F>),
    /// The search for the name of an assertion: how many assertions come before it, and then the name.
    /// Functions are gone through each time, in scopes of their own, of which some number is open; but those that
    /// are known to assert something, and that before it, are passed by.
    Name {
        before: u64,
        name: Option<String>,
        open: usize,
    },
}

/// A function that is being recorded: its key, its place, and how many lanes it is for, where it is mapped.
struct Opened {
    key: Vec<u8>,
    arguments: Vec<Handle>,
    lanes: Option<usize>,
}

/// The number of records of a block, and of words of its lists, from which on it is executed.
const RECORDS: usize = 4096;
const WORDS: usize = 1 << 16;

/// The terms of a sum from which on its factors are not copied into the block. It is executed at once, with all
/// before it, which costs less than the copy.
const LONG: usize = 1 << 10;

impl<'r, F: Field> Recorder<'r, F> {
    /// A recorder for `execute`, with the functions of `functions`, to which it adds new ones.
    pub fn new(execute: &'r mut dyn Execute<F>, functions: &'r Functions<F>) -> Self {
        let argues = execute.argues();
        Self::of(Purpose::Execution(execute), argues, functions)
    }

    /// The recorder of one half of a statement over two fields, where the end of a block shows on the wire.
    pub(super) fn of_half(self) -> Self {
        Self { lends: false, ..self }
    }

    /// A recorder that finds the name of assertion number `number`, from 0, among the gates for an executor
    /// with these proofs.
    pub(super) fn naming(number: u64, argues: Argues, functions: &'r Functions<F>) -> Self {
        Self::of(Purpose::Name { before: number, name: None, open: 0 }, argues, functions)
    }

    fn of(purpose: Purpose<'r, F>, argues: Argues, functions: &'r Functions<F>) -> Self {
        Self {
            purpose,
            argues,
            lends: true,
            scans: Scans::default(),
            // No wire has the stamp of a handle that was never given.
            frame: Frame::new(1),
            outer: Vec::new(),
            opened: Vec::new(),
            functions,
            tracing: None,
            error: None,
            failed: false,
            frames: 0,
            memories: 0,
            tables: 0,
        }
    }

    /// Records what `statement` pushes, and all that has been pushed is executed then. Where `found` is still
    /// empty, it is what of that depends on private values; of what fails nothing is found.
    ///
    /// # Errors
    /// Those of `statement`.
    pub fn trace(
        &mut self,
        found: &OnceLock<Dependence>,
        statement: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let whole = matches!(self.purpose, Purpose::Execution(_)) && self.frame.stamps.is_empty();
        if !whole || !self.in_statement() || self.tracing.is_some() || found.get().is_some() {
            return statement(self);
        }
        self.tracing = Some(Box::default());
        let recorded = statement(self);
        if recorded.is_ok() && !self.failed && self.outer.is_empty() {
            self.flush();
        }
        let tracing = self.tracing.take().expect("set above");
        if recorded.is_ok() && !self.failed {
            // Another thread may have been first, and has found the same.
            let _ = found.set(tracing.finish());
        }
        recorded
    }

    /// Executes the last gates, if the statement was `recorded` without an error.
    ///
    /// # Errors
    /// Those of the execution, or else of the statement.
    pub fn finish(mut self, recorded: Result<()>) -> Result<()> {
        if !self.failed && self.outer.is_empty() {
            self.flush();
        } else if self.error.is_none() {
            // The statement has been told why.
            return recorded.and_then(|()| Err(ended()));
        }
        self.outcome().and(recorded)
    }

    /// The name that was searched for.
    pub(super) fn into_name(self) -> Option<String> {
        match self.purpose {
            Purpose::Name { name, .. } => name,
            Purpose::Execution(_) => None,
        }
    }

    /// Executes the gates so far. No function may be open.
    ///
    /// # Errors
    /// The first one, as each gate has it.
    pub(super) fn execute(&mut self) -> Result<()> {
        assert!(self.outer.is_empty(), "wires cross outside of functions");
        // Nothing is no reason to turn to the other half.
        if !self.frame.block.is_empty() {
            self.flush();
        }
        self.outcome()
    }

    /// Lends the recorder to whoever shares it between several.
    pub(super) fn lend<T>(&mut self, to: impl FnOnce(&RefCell<Self>) -> T) -> T {
        // Nothing is pushed into the one that stands here meanwhile.
        let nobody = Purpose::Name { before: 0, name: None, open: 0 };
        let shared = RefCell::new(mem::replace(self, Self::of(nobody, self.argues, self.functions)));
        let done = to(&shared);
        *self = shared.into_inner();
        done
    }

    /// A wire for a value that no gate makes.
    pub(super) fn fresh(&mut self) -> Handle {
        self.frame.take()
    }

    /// The slots of `wires`.
    pub(super) fn slots(&self, wires: &[Handle]) -> Vec<u32> {
        self.frame.slots(wires)
    }

    /// Executes the gates so far.
    #[cold]
    fn flush(&mut self) {
        self.flush_by(&[]);
    }

    /// Executes the gates so far, of which the last may be a sum by `lent` factors.
    fn flush_by(&mut self, lent: &[F]) {
        let block = &mut self.frame.block;
        block.slots = self.frame.stamps.len() as u32;
        if let Some(tracing) = &mut self.tracing {
            tracing.block(block);
        }
        if let (Purpose::Execution(execute), false) = (&mut self.purpose, self.failed)
            && let Err(error) = execute.take(block, lent)
        {
            self.fail(error);
        }
        let block = &mut self.frame.block;
        block.clear();
        // A table lists its rows here, once: no room is kept for as many.
        block.words.shrink_to(2 * WORDS);
        block.constants.shrink_to(2 * WORDS);
        self.frame.called = 0;
    }

    /// Whether no function is open.
    fn in_statement(&self) -> bool {
        let open = matches!(self.purpose, Purpose::Name { open: 1.., .. });
        self.outer.is_empty() && !open
    }

    fn fail(&mut self, error: Error) {
        self.failed = true;
        self.error.get_or_insert(error);
    }

    /// The result of a gate that may fail: the first error as it is, and later on an error that there was
    /// one.
    #[inline(always)]
    fn outcome(&mut self) -> Result<()> {
        if self.failed { Err(self.error.take().unwrap_or_else(ended)) } else { Ok(()) }
    }

    /// Adds a gate.
    #[inline(always)]
    fn push(&mut self, op: Op, out: u32, a: u32, b: u32) {
        let block = &mut self.frame.block;
        block.push(op, out, a, b);
        if block.records.len() >= RECORDS && self.outer.is_empty() {
            self.flush();
        }
    }

    /// Adds a record with lists.
    fn push_long(&mut self, op: Op, out: u32, a: u32, b: u32) {
        self.push(op, out, a, b);
        if self.outer.is_empty() && self.frame.block.listed() >= WORDS {
            self.flush();
        }
    }

    /// Counts an assertion under `name`, which is then to be recorded. Fails where this name was searched
    /// for.
    ///
    /// # Errors
    /// Where its name was all that was to be found.
    fn asserted(&mut self, name: &dyn Display) -> Result<()> {
        self.frame.block.assertions += 1;
        if let Purpose::Name { before, name: found, .. } = &mut self.purpose {
            if *before == 0 && found.is_none() {
                *found = Some(name.to_string());
                self.failed = true;
                return Err(ended());
            }
            *before = before.saturating_sub(1);
        }
        Ok(())
    }

    /// Reads the next element of the witness, as `wire`.
    #[inline]
    fn push_witness(&mut self, wire: Handle) {
        match self.frame.block.records.last_mut() {
            Some(Record { op: Op::Witness, out, a, .. }) if *out + *a == wire.slot => *a += 1,
            _ => self.push(Op::Witness, wire.slot, 1, 0),
        }
    }

    /// Adds the sum of the wires that are listed from word `at` on, which are as many as `factors`.
    fn push_sum(&mut self, factors: &[F], at: u32) -> Handle {
        let wire = self.frame.take();
        self.push_sum_to(wire.slot, factors, at);
        wire
    }

    /// Adds the sum of [`push_sum`](Self::push_sum) on the slot `out`.
    fn push_sum_to(&mut self, out: u32, factors: &[F], at: u32) {
        self.frame.block.spare(factors.len(), at);
        if self.lends && factors.len() >= LONG && self.outer.is_empty() {
            self.frame.block.push(Op::Linear, out, at, LENT);
            self.flush_by(factors);
        } else {
            let constants = self.frame.block.next_constant();
            self.frame.block.constants.extend_from_slice(factors);
            self.push_long(Op::Linear, out, at, constants);
        }
    }

    /// Adds a product. What fails in it fails in what is pushed next.
    #[inline]
    fn push_product(&mut self, a: Handle, b: Handle) -> Handle {
        let (a, b) = (self.frame.slot(a), self.frame.slot(b));
        let wire = self.frame.take();
        self.push(Op::Mul, wire.slot, a, b);
        wire
    }

    fn push_hint(&mut self, of: &[Handle], count: usize, f: HintFunction<F>) -> Result<Vec<Handle>> {
        let results = self.frame.take_many(count);
        let at = self.frame.block.next_word();
        self.frame.list(of);
        self.frame.list(&results);
        let block = &mut self.frame.block;
        block.hints.push(f);
        let function = number(block.hints.len() - 1);
        self.push_long(Op::Hint, function, at, 0);
        self.outcome()?;
        Ok(results)
    }

    /// Calls `function`. Its last results go to `places`; the others are returned.
    fn push_call(
        &mut self,
        function: &Recorded<F>,
        arguments: &[Handle],
        places: &[Handle],
    ) -> Result<Vec<Handle>> {
        let Recorded { block: function, among, argues, cells, .. } = function;
        self.frame.names_memories |= among.is_some();
        self.frame.lowers |= argues.is_some();
        let mut of = arguments.to_vec();
        let mut to = places.to_vec();
        for Import { memory, puts } in cells {
            of.extend_from_slice(&self.cells(*memory));
            if *puts {
                to.extend(self.cells_put(*memory));
            }
        }
        assert_eq!(function.arguments as usize, of.len(), "a function with other arguments");
        let wires = self.frame.take_many(function.read(function.results).list().len() - to.len());
        let at = self.frame.block.next_word();
        self.frame.list(&of);
        self.frame.list_all(&[&wires, &to]);
        let called = self.frame.call(function, 1);
        self.push_long(Op::Call, called, at, 0);
        if self.frame.called > MOST_WORDS && self.outer.is_empty() {
            self.flush();
        }
        self.outcome()?;
        Ok(wires)
    }

    /// Calls `function` on each lane. The results are columns.
    fn push_map(
        &mut self,
        function: &Recorded<F>,
        lanes: usize,
        arguments: &[Handle],
    ) -> Result<Vec<Handle>> {
        if !function.is_free() {
            let mut all = Lanes::new(lanes, arguments);
            for lane in 0..lanes {
                let wires = self.push_call(function, &all.arguments(lane), &[])?;
                all.put(lane, Returned { wires, public: Vec::new() });
            }
            return Ok(all.returned.wires);
        }
        self.functions.note_map();
        self.frame.lowers |= function.argues.is_some();
        let function = &function.block;
        assert_eq!(function.arguments as usize * lanes, arguments.len(), "a function with other arguments");
        let wires = self.frame.take_many(function.read(function.results).list().len() * lanes);
        let at = self.frame.block.next_word();
        self.frame.list(arguments);
        self.frame.list(&wires);
        let called = self.frame.call(function, lanes as u64);
        self.push_long(Op::Map, called, at, number(lanes));
        if self.frame.called > MOST_WORDS && self.outer.is_empty() {
            self.flush();
        }
        self.outcome()?;
        Ok(wires)
    }

    /// Begins a function, and gives its arguments as its body sees them.
    fn begin_function(&mut self, arguments: usize) -> Vec<Handle> {
        if let Purpose::Name { open, .. } = &mut self.purpose {
            // Each call has names of its own.
            *open += 1;
            if *open == 1 {
                self.frame.scopes.push(self.frame.taken.len());
            }
            return self.frame.take_many(arguments);
        }
        self.frames += 1;
        // Those of the statement count from 0.
        let inner = Frame::new(1 << 31 | self.frames);
        self.outer.push(mem::replace(&mut self.frame, inner));
        self.frame.arguments = self.frame.take_many(arguments);
        self.frame.arguments.clone()
    }

    /// Ends the function that was begun last, and gives it, or `None` where names are searched for.
    fn end_function(&mut self, returned: &Returned<Handle>) -> Option<Recorded<F>> {
        if let Purpose::Name { open, .. } = &mut self.purpose {
            *open -= 1;
            if *open == 0 {
                self.frame.end_scope(&[]);
            }
            return None;
        }
        let outer = self.outer.pop().expect("a function that is open");
        let mut inner = mem::replace(&mut self.frame, outer);
        let (mut arguments, mut results) = (inner.slots(&inner.arguments), inner.slots(&returned.wires));
        let mut cells = Vec::new();
        for Imported { memory, first, now } in &inner.cells {
            arguments.extend(inner.slots(first));
            if let Some(now) = now {
                results.extend(inner.slots(now));
            }
            cells.push(Import { memory: *memory, puts: now.is_some() });
        }
        inner.block.slots = inner.stamps.len() as u32;
        let block = Arc::new(plan(inner.block, &arguments, &results));
        let among = inner.names_memories.then_some([self.memories, self.tables]);
        let argues = inner.lowers.then_some(self.argues);
        Some(Recorded { block, public: returned.public.clone(), among, argues, cells })
    }
}

/// The error of a statement that goes on after an error.
pub(super) fn ended() -> Error {
    Error::invalid("the statement has ended in an error before")
}

impl<F: Field> Backend for Recorder<'_, F> {
    type F = F;
    type Wire = Handle;

    #[inline]
    fn constant(&mut self, c: F) -> Handle {
        let wire = self.frame.take();
        let at = self.frame.block.constant(c);
        self.push(Op::Constant, wire.slot, at, 0);
        wire
    }
    #[inline]
    fn add(&mut self, a: Handle, b: Handle) -> Handle {
        let (a, b) = (self.frame.slot(a), self.frame.slot(b));
        let wire = self.frame.take();
        self.push(Op::Add, wire.slot, a, b);
        wire
    }
    #[inline]
    fn scale(&mut self, a: Handle, c: F) -> Handle {
        let a = self.frame.slot(a);
        let wire = self.frame.take();
        let at = self.frame.block.constant(c);
        self.push(Op::Scale, wire.slot, a, at);
        wire
    }
    #[inline]
    fn witness(&mut self) -> Result<Handle> {
        let wire = self.frame.take();
        self.push_witness(wire);
        self.outcome()?;
        Ok(wire)
    }
    fn witnesses(&mut self, wires: &mut [Handle]) -> Result<()> {
        wires.copy_from_slice(&self.frame.take_many(wires.len()));
        wires.iter().for_each(|wire| self.push_witness(*wire));
        self.outcome()
    }
    fn hint(&mut self, of: &[Handle], f: impl Fn(&[F]) -> F + Send + Sync + 'static) -> Result<Handle> {
        self.push_hint(of, 1, Arc::new(move |values| vec![f(values)])).map(|wires| wires[0])
    }
    fn hints(
        &mut self,
        of: &[Handle],
        count: usize,
        f: impl Fn(&[F]) -> Vec<F> + Send + Sync + 'static,
    ) -> Result<Vec<Handle>> {
        self.push_hint(of, count, Arc::new(f))
    }
    fn threads(&self) -> Pool {
        match &self.purpose {
            Purpose::Execution(execute) => execute.pool(),
            Purpose::Name { .. } => Pool::ALONE,
        }
    }
    fn linear(&mut self, factors: &[F], wires: &[Handle]) -> Handle {
        assert_eq!(factors.len(), wires.len());
        let at = self.frame.block.next_word();
        self.frame.list(wires);
        self.push_sum(factors, at)
    }
    fn linear_map<'f>(
        &mut self,
        rows: impl Iterator<Item = &'f [F]>,
        wires: &[Handle],
        mut each: impl FnMut(&mut Self, usize, Handle) -> Result<()>,
    ) -> Result<()> {
        let (mut list, mut listed) = (Vec::new(), None);
        for (i, row) in rows.enumerate() {
            assert_eq!(row.len(), wires.len());
            let at = self.frame.block.next_word();
            // The wires stay what they are, and live as long as no slot of this frame is freed.
            let now = Some((self.frame.first_stamp, self.frame.freed));
            if listed == now {
                self.frame.block.words.extend_from_slice(&list);
            } else {
                self.frame.list(wires);
                list.clear();
                list.extend_from_slice(&self.frame.block.words[at as usize..]);
                listed = now;
            }
            let image = self.push_sum(row, at);
            each(self, i, image)?;
        }
        Ok(())
    }
    fn linear_rows(&mut self, factors: &[F], columns: &[&[Handle]]) -> Vec<Handle> {
        assert_eq!(factors.len(), columns.len());
        let rows = columns.first().map_or(0, |column| column.len());
        assert!(columns.iter().all(|column| column.len() == rows), "columns of different lengths");
        if rows == 0 {
            return Vec::new();
        }
        let constants = self.frame.block.next_constant();
        self.frame.block.constants.extend_from_slice(factors);
        self.push_lists(Op::LinearRows, number(factors.len()), columns, (rows, constants))
    }
    #[inline]
    fn mul(&mut self, a: Handle, b: Handle) -> Result<Handle> {
        let wire = self.push_product(a, b);
        self.outcome()?;
        Ok(wire)
    }
    fn assert_zero(&mut self, a: Handle, name: impl Display) -> Result<()> {
        self.asserted(&name)?;
        let a = self.frame.slot(a);
        self.push(Op::Assert, 0, a, 0);
        self.outcome()
    }

    fn output(&mut self, port: usize, place: u64, wire: Handle) -> Result<()> {
        let few = |number: u64| u32::try_from(number).map_err(|_| Error::invalid("an output of 2^32 bits"));
        let (port, place, slot) = (few(port as u64)?, few(place)?, self.frame.slot(wire));
        self.push(Op::Output, port, slot, place);
        self.outcome()
    }

    fn forget(&mut self, wires: &[Handle]) {
        if self.in_statement() {
            self.frame.forget(wires);
        }
    }

    fn open_scope(&mut self) {
        // The slots of a function are planned when it is complete.
        if self.in_statement() {
            self.frame.scopes.push(self.frame.taken.len());
        }
    }

    fn close_scope(&mut self, kept: &[Handle]) {
        if self.in_statement() {
            self.frame.end_scope(kept);
        }
    }

    fn open_function(&mut self, key: &[u8], arguments: &[Handle]) -> Result<Function<Handle>> {
        let made = [self.memories, self.tables];
        let known = self.functions.known(key).filter(|known| known.is_still(made, self.argues));
        match (&mut self.purpose, known) {
            (Purpose::Execution(_), Some(known)) => {
                let wires = self.push_call(&known, arguments, &[])?;
                return Ok(Function::Known(Returned { wires, public: known.public.clone() }));
            }
            (Purpose::Execution(_), None) => {
                let (key, arguments) = (key.to_vec(), arguments.to_vec());
                self.opened.push(Opened { key, arguments, lanes: None });
            }
            (Purpose::Name { before, .. }, Some(known))
                if known.cells.is_empty() && (1..=*before).contains(&known.block.assertions) =>
            {
                // What asserts nothing may collect what is to hold, and with it names that are printed.
                *before -= known.block.assertions;
                // Nothing is executed, so that any wires will do.
                let wires = self.frame.take_many(known.block.read(known.block.results).list().len());
                return Ok(Function::Known(Returned { wires, public: known.public.clone() }));
            }
            (Purpose::Name { .. }, _) => {}
        }
        Ok(Function::New(self.begin_function(arguments.len())))
    }

    fn close_function(&mut self, returned: Returned<Handle>) -> Result<Returned<Handle>> {
        let Some(recorded) = self.end_function(&returned) else {
            // Nothing is executed, so that any wires will do.
            let wires = self.frame.take_many(returned.wires.len());
            return Ok(Returned { wires, ..returned });
        };
        let Opened { key, arguments, lanes } = self.opened.pop().expect("a function that is open");
        let wires = match lanes {
            None => self.push_call(&recorded, &arguments, &[])?,
            Some(lanes) => self.push_map(&recorded, lanes, &arguments)?,
        };
        // After an error a body may have ended early: nobody else is to take it.
        self.functions.keep(key, Arc::new(recorded));
        Ok(Returned { wires, ..returned })
    }

    fn open_map(&mut self, key: &[u8], lanes: usize, arguments: &[Handle]) -> Result<Function<Handle>> {
        // Each lane has names of its own.
        let Purpose::Execution(_) = self.purpose else { return Ok(Function::Inlined) };
        if lanes == 0 {
            return Ok(Function::Inlined);
        }
        let of_one = Lanes::new(lanes, arguments).arguments(0);
        let made = [self.memories, self.tables];
        if let Some(known) = self.functions.known(key).filter(|known| known.is_still(made, self.argues)) {
            let wires = self.push_map(&known, lanes, arguments)?;
            return Ok(Function::Known(Returned { wires, public: known.public.clone() }));
        }
        let opened = Opened { key: key.to_vec(), arguments: arguments.to_vec(), lanes: Some(lanes) };
        self.opened.push(opened);
        Ok(Function::New(self.begin_function(of_one.len())))
    }

    fn close_map(&mut self, returned: Returned<Handle>) -> Result<Returned<Handle>> {
        self.close_function(returned)
    }
}

/// Gates of another stream, recorded into this one.
impl<F: Field> Executor for Recorder<'_, F> {
    type Beyond = Everything<Self>;
}
