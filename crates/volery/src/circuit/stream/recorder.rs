//! Recording: the backend that statements are compiled for.

mod memory;

use super::Execute;
use super::block::{HintFunction, KEPT, Op, Record, number};
use super::dependence::{Dependence, Tracing};
use super::frame::{Frame, Handle, VectorHandle, live};
use super::functions::{Functions, MOST_WORDS, Recorded};
use super::plan::plan;
use crate::circuit::{
    Backend, Entries, Function, Matrix, Polynomials, Returned, check_sizes, common_lanes, degree_of_product,
};
use crate::error::{Error, Result};
use core::fmt::Display;
use core::mem;
use std::rc::Rc;
use std::sync::{Arc, OnceLock};
use volery_primitives::Field;

/// Records gates, and has them executed block by block.
pub struct Recorder<'r, F: Field> {
    purpose: Purpose<'r, F>,
    /// What is being recorded: the statement, or a function.
    frame: Frame<F>,
    /// The functions that are being recorded.
    outer: Vec<Opened<F>>,
    functions: &'r Functions<F>,
    /// What depends on private values, where that is to be found.
    tracing: Option<Box<Tracing<F>>>,
    /// The first error, until the statement hears of it.
    error: Option<Error>,
    failed: bool,
    frames: u32,
    memories: u32,
    tables: u32,
}

/// What gates are recorded for.
enum Purpose<'r, F> {
    Execution(&'r mut dyn Execute<F>),
    /// To find the name of an assertion: how many come before it, and then the name. Functions are gone
    /// through each time, in scopes of their own; how many are open.
    Name {
        before: u64,
        name: Option<String>,
        open: usize,
    },
}

/// A function that is being recorded: what it is called by, and where.
struct Opened<F> {
    key: Vec<u8>,
    arguments: Vec<Handle>,
    outer: Frame<F>,
}

/// Records of a block, and words of its lists, from which on it is executed.
const RECORDS: usize = 4096;
const WORDS: usize = 1 << 16;

impl<'r, F: Field> Recorder<'r, F> {
    /// Records for `execute`, with the functions of `functions`, to which new ones are added.
    pub fn new(execute: &'r mut dyn Execute<F>, functions: &'r Functions<F>) -> Self {
        Self::of(Purpose::Execution(execute), functions)
    }

    /// Records to find the name of assertion number `number`, from 0.
    pub(super) fn naming(number: u64, functions: &'r Functions<F>) -> Self {
        Self::of(Purpose::Name { before: number, name: None, open: 0 }, functions)
    }

    fn of(purpose: Purpose<'r, F>, functions: &'r Functions<F>) -> Self {
        Self {
            purpose,
            // No wire has the stamp of a handle that was never given.
            frame: Frame::new(1),
            outer: Vec::new(),
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
    pub(in crate::circuit) fn trace(
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

    /// Has the last gates executed, where the statement was `recorded`.
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

    /// The name that was asked for.
    pub(super) fn into_name(self) -> Option<String> {
        match self.purpose {
            Purpose::Name { name, .. } => name,
            Purpose::Execution(_) => None,
        }
    }

    /// Has the gates so far executed, outside of functions.
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

    /// A wire whose value is no gate's.
    pub(super) fn fresh(&mut self) -> Handle {
        self.frame.take()
    }

    /// The slots of `wires`.
    pub(super) fn slots(&self, wires: &[Handle]) -> Vec<u32> {
        self.frame.slots(wires)
    }

    /// Has the gates so far executed.
    #[cold]
    fn flush(&mut self) {
        let block = &mut self.frame.block;
        block.slots = self.frame.stamps.len() as u32;
        if let (Purpose::Execution(execute), false) = (&mut self.purpose, self.failed)
            && let Err(error) = execute.execute(block)
        {
            self.fail(error);
        }
        if let Some(tracing) = &mut self.tracing {
            tracing.block(&self.frame.block);
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

    /// What a gate that may fail says: the first error once, and then that there was one.
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
        if self.outer.is_empty() && self.frame.block.words.len() + self.frame.block.constants.len() >= WORDS {
            self.flush();
        }
    }

    /// An assertion under `name`: whether it is to be recorded.
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

    /// Puts the next element of the witness on `wire`.
    #[inline]
    fn push_witness(&mut self, wire: Handle) {
        match self.frame.block.records.last_mut() {
            Some(Record { op: Op::Witness, out, a, .. }) if *out + *a == wire.slot => *a += 1,
            _ => self.push(Op::Witness, wire.slot, 1, 0),
        }
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

    fn push_call(&mut self, function: &Recorded<F>, arguments: &[Handle]) -> Result<Returned<Handle>> {
        let Recorded { block: function, public, among } = function;
        self.frame.names_memories |= among.is_some();
        assert_eq!(function.arguments as usize, arguments.len(), "a function with other arguments");
        let wires = self.frame.take_many(function.read(function.results).list().len());
        let at = self.frame.block.next_word();
        self.frame.list(arguments);
        self.frame.list(&wires);
        let block = &mut self.frame.block;
        block.assertions += function.assertions;
        // Calls in a row are often of one function.
        if !block.functions.last().is_some_and(|last| Arc::ptr_eq(last, function)) {
            block.functions.push(function.clone());
            self.frame.called += function.size();
        }
        let called = number(self.frame.block.functions.len() - 1);
        self.push_long(Op::Call, called, at, 0);
        if self.frame.called > MOST_WORDS && self.outer.is_empty() {
            self.flush();
        }
        self.outcome()?;
        Ok(Returned { wires, public: public.clone() })
    }
}

/// The error of whoever goes on after one.
fn ended() -> Error {
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
    fn linear(&mut self, factors: &[F], wires: &[Handle]) -> Handle {
        assert_eq!(factors.len(), wires.len());
        let Frame { block, stamps, .. } = &mut self.frame;
        let at = block.next_word();
        block.words.push(number(wires.len()));
        for (factor, wire) in factors.iter().zip(wires) {
            let factor = block.constant(*factor);
            block.words.extend([factor, live(stamps, *wire)]);
        }
        let wire = self.frame.take();
        self.push_long(Op::Linear, wire.slot, at, 0);
        wire
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
        let (a, b) = (self.frame.slot(a), self.frame.slot(b));
        let wire = self.frame.take();
        self.push(Op::Mul, wire.slot, a, b);
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
        if let Purpose::Name { open, .. } = &mut self.purpose {
            // Each call has names of its own.
            *open += 1;
            if *open == 1 {
                self.frame.scopes.push(self.frame.taken.len());
            }
            return Ok(Function::New(self.frame.take_many(arguments.len())));
        }
        let made = [self.memories, self.tables];
        let known = self.functions.known(key);
        if let Some(known) = known.filter(|known| known.among.is_none_or(|among| among == made)) {
            return self.push_call(&known, arguments).map(Function::Known);
        }
        self.frames += 1;
        // Those of the statement count from 0.
        let inner = Frame::new(1 << 31 | self.frames);
        let outer = mem::replace(&mut self.frame, inner);
        self.outer.push(Opened { key: key.to_vec(), arguments: arguments.to_vec(), outer });
        self.frame.block.arguments = arguments.len() as u32;
        Ok(Function::New(self.frame.take_many(arguments.len())))
    }

    fn close_function(&mut self, returned: Returned<Handle>) -> Result<Returned<Handle>> {
        if let Purpose::Name { open, .. } = &mut self.purpose {
            *open -= 1;
            if *open == 0 {
                self.frame.end_scope(&[]);
            }
            // Nothing is executed, so that any wires will do.
            let wires = self.frame.take_many(returned.wires.len());
            return Ok(Returned { wires, ..returned });
        }
        let Opened { key, arguments, outer } = self.outer.pop().expect("a function that is open");
        let mut inner = mem::replace(&mut self.frame, outer);
        let results = inner.slots(&returned.wires);
        inner.block.slots = inner.stamps.len() as u32;
        let block = Arc::new(plan(inner.block, &results));
        let among = inner.names_memories.then_some([self.memories, self.tables]);
        let recorded = Arc::new(Recorded { block, public: returned.public, among });
        let returned = self.push_call(&recorded, &arguments)?;
        // After an error a body may have ended early: nobody else is to take it.
        self.functions.keep(key, recorded);
        Ok(returned)
    }
}

impl<F: Field> Polynomials for Recorder<'_, F> {
    type Vector = VectorHandle;

    fn lanes_of(&self, a: &VectorHandle) -> usize {
        a.0.lanes
    }
    fn public(&mut self, values: &[F]) -> VectorHandle {
        let vector = self.frame.take_vector(values.len(), 0);
        let block = &mut self.frame.block;
        let at = block.next_constant();
        block.constants.extend_from_slice(values);
        self.push_long(Op::Public, vector.0.slot, at, number(values.len()));
        vector
    }
    fn vector(&mut self, wires: &[Handle]) -> VectorHandle {
        let vector = self.frame.take_vector(wires.len(), 1);
        let at = self.frame.block.next_word();
        self.frame.list(wires);
        self.push_long(Op::Vector, vector.0.slot, at, 0);
        vector
    }
    fn sum(&mut self, a: &VectorHandle, b: &VectorHandle) -> VectorHandle {
        let lanes = common_lanes(a.0.lanes, b.0.lanes);
        let vector = self.frame.take_vector(lanes, a.0.degree.max(b.0.degree));
        let (a, b) = (self.frame.vector(a), self.frame.vector(b));
        self.push(Op::Sum, vector.0.slot, a, b);
        vector
    }
    fn product(&mut self, a: &VectorHandle, b: &VectorHandle) -> Result<VectorHandle> {
        let lanes = common_lanes(a.0.lanes, b.0.lanes);
        let degree = degree_of_product(a.0.degree, b.0.degree)?;
        let vector = self.frame.take_vector(lanes, degree);
        let (a, b) = (self.frame.vector(a), self.frame.vector(b));
        self.push(Op::Product, vector.0.slot, a, b);
        self.outcome()?;
        Ok(vector)
    }
    fn combination(
        &mut self,
        products: &[(&VectorHandle, &VectorHandle)],
        terms: &[(F, &VectorHandle)],
        constant: F,
    ) -> Result<VectorHandle> {
        let factors = products.iter().flat_map(|(a, b)| [*a, *b]);
        let of = factors.chain(terms.iter().map(|(_, vector)| *vector));
        let lanes = of.fold(1, |lanes, vector| common_lanes(lanes, vector.0.lanes));
        let mut degree = terms.iter().map(|(_, vector)| vector.0.degree).max().unwrap_or(0);
        for (a, b) in products {
            degree = degree.max(degree_of_product(a.0.degree, b.0.degree)?);
        }
        let sum = self.frame.take_vector(lanes, degree);
        let (at, constants) = (self.frame.block.next_word(), self.frame.block.constant(constant));
        self.frame.block.words.push(number(2 * products.len()));
        for (a, b) in products {
            let pair = [self.frame.vector(a), self.frame.vector(b)];
            self.frame.block.words.extend(pair);
        }
        self.frame.block.words.push(number(terms.len()));
        for (factor, vector) in terms {
            let vector = self.frame.vector(vector);
            self.frame.block.words.push(vector);
            self.frame.block.constant(*factor);
        }
        self.push_long(Op::Combination, sum.0.slot, at, constants);
        self.outcome()?;
        Ok(sum)
    }
    fn gather(&mut self, a: &VectorHandle, lanes: &[Option<usize>]) -> VectorHandle {
        assert!(lanes.iter().flatten().all(|lane| *lane < a.0.lanes), "a lane that is not there");
        let vector = self.frame.take_vector(lanes.len(), a.0.degree);
        let a = self.frame.vector(a);
        let block = &mut self.frame.block;
        let at = block.next_word();
        block.words.push(number(lanes.len()));
        block.words.extend(lanes.iter().map(|lane| lane.map_or(0, |lane| number(lane + 1))));
        self.push_long(Op::Gather, vector.0.slot, a, at);
        vector
    }
    fn total(&mut self, a: &VectorHandle) -> VectorHandle {
        let vector = self.frame.take_vector(1, a.0.degree);
        let a = self.frame.vector(a);
        self.push(Op::Total, vector.0.slot, a, 0);
        vector
    }
    fn inner_product(&mut self, a: &[Handle], b: &[Handle]) -> Result<VectorHandle> {
        assert_eq!(a.len(), b.len());
        let vector = self.frame.take_vector(1, 2);
        let at = self.frame.block.next_word();
        [a, b].into_iter().for_each(|wires| self.frame.list(wires));
        self.push_long(Op::Inner, vector.0.slot, at, 0);
        self.outcome()?;
        Ok(vector)
    }
    fn commit(&mut self, a: &VectorHandle) -> Result<Vec<Handle>> {
        let wires = self.frame.take_many(a.0.lanes);
        let at = self.frame.block.next_word();
        self.frame.list(&wires);
        let a = self.frame.vector(a);
        self.push_long(Op::Commit, 0, a, at);
        self.outcome()?;
        Ok(wires)
    }
    fn assert_zeroes(&mut self, a: VectorHandle, name: impl Display) -> Result<()> {
        self.asserted(&name)?;
        let kept = if Rc::strong_count(&a.0) > 1 { KEPT } else { 0 };
        let slot = self.frame.vector(&a);
        self.push(Op::AssertZeroes, kept, slot, 0);
        self.outcome()
    }
    fn assert_product(&mut self, a: Handle, b: Handle, c: Handle, name: impl Display) -> Result<()> {
        self.asserted(&name)?;
        let [a, b, c] = [a, b, c].map(|wire| self.frame.slot(wire));
        self.push(Op::AssertProduct, c, a, b);
        self.outcome()
    }
    fn assert_matrix_product(
        &mut self,
        a: Matrix<Handle>,
        b: Matrix<Handle>,
        c: Entries<F, Handle>,
        name: impl Display,
    ) -> Result<()> {
        check_sizes(&a, &b, c.len());
        self.asserted(&name)?;
        let columns = [a.columns(), b.columns()].map(number);
        let block = &mut self.frame.block;
        let (at, constants) = (block.next_word(), block.next_constant());
        block.words.extend(columns);
        [a, b].into_iter().for_each(|factor| self.frame.list(factor.entries()));
        match c {
            Entries::Wires(wires) => {
                self.frame.block.words.push(1);
                self.frame.list(wires);
            }
            Entries::Public(values) => {
                self.frame.block.words.push(0);
                self.frame.block.constants.extend_from_slice(values);
            }
        }
        self.push_long(Op::AssertMatrix, 0, at, constants);
        self.outcome()
    }
}
