//! The interpreter of blocks: the one piece of code that is compiled for every backend.
//!
//! Most backends have gates alone, and for them the [recorder](super::Recorder) writes nothing else. What others
//! have beyond gates is executed by their [`Beyond`].

mod beyond;
mod vectors;

pub use beyond::Sums;
pub use beyond::{Beyond, Everything, GatesAlone, SumsOfProducts, Vectors};
pub use vectors::{Arithmetic, OneLane};

use super::block::{Block, HintFunction, LENT, List, Op, Record};
use super::naming::Name;
use super::{Argues, Execute, Source};
use crate::{Backend, Function};
use std::sync::Arc;
use volery_channel::error::Result;
use volery_channel::pool::Pool;
use volery_primitives::Field;
use zeroize::{Zeroize, Zeroizing};

/// A backend that executes streams of gates.
pub trait Executor: Backend + Sized {
    /// The executor of records beyond gates: [`GatesAlone`] where there are none.
    type Beyond: Beyond<Self>;

    /// Whether it records functions that blocks call, by [`Executor::open_call`]. Of most backends nothing is compiled
    /// for it.
    const RECORDS_CALLS: bool = false;

    /// The proofs beyond gates that backends of this kind have, as a rule.
    fn proofs() -> Argues {
        Self::Beyond::argues()
    }

    /// The proofs beyond gates that this backend has, known before its first gate. For all else the recorder
    /// writes gates.
    fn argues(&self) -> Argues {
        Self::proofs()
    }

    /// The threads of this party, one of which may record the statement.
    fn pool(&self) -> Pool {
        Pool::ALONE
    }

    /// Opens a call of a function that blocks call, as [`Backend::open_function`] does where a statement calls one:
    /// for backends that record what they execute.
    ///
    /// # Errors
    /// Those of the backend.
    fn open_call(
        &mut self,
        function: &Arc<Block<Self::F>>,
        arguments: &[Self::Wire],
    ) -> Result<Function<Self::Wire>> {
        let _ = (function, arguments);
        Ok(Function::Inlined)
    }

    /// Ends the body of the function that was opened last, and calls it.
    ///
    /// # Errors
    /// Those of the backend.
    fn close_call(&mut self, returned: Vec<Self::Wire>) -> Result<Vec<Self::Wire>> {
        Ok(returned)
    }

    /// Executes a function on many lanes at a time, if this backend can: gives the columns of results.
    ///
    /// # Errors
    /// Those of the backend.
    fn map_lanes(&mut self, map: Map<'_, Self::F, Self::Wire>) -> Result<Option<Zeroizing<Vec<Self::Wire>>>> {
        let _ = map;
        Ok(None)
    }

    /// Finds the name of the assertion that has failed, where only its number in the statement is known so far: at the
    /// end of a statement, of whose assertions `name` gives the names.
    fn name_failure(&mut self, name: &dyn Fn(u64) -> String) {
        let _ = name;
    }
}

/// A function that is called on each of some lanes.
pub struct Map<'m, F, W> {
    /// The function.
    pub function: &'m Arc<Block<F>>,
    /// The number of lanes, one at least.
    pub lanes: usize,
    /// The columns of arguments, one behind the other.
    pub arguments: &'m [W],
    /// The number of assertions that the statement has before.
    pub assertions: u64,
    /// Gives the name of an assertion of all lanes together, lane by lane.
    pub name: &'m dyn Fn(u64) -> String,
}

/// Executes blocks of the stream of `source` in a backend.
pub(super) struct Interpreter<'b, B: Executor> {
    backend: &'b mut B,
    names: Names<'b, B::F>,
    wires: Wires<B::Wire>,
    beyond: B::Beyond,
}

/// The first slots of a frame: those of wires, and those of vectors.
#[derive(Clone, Copy)]
struct Frame {
    wires: usize,
    vectors: usize,
}

/// The wires of all frames that are open: that of the statement, and above it those of functions.
struct Wires<W: Zeroize> {
    places: Places<W>,
    /// Copies of operands that lie on no consecutive slots.
    operands: [Places<W>; 3],
}

impl<W: Zeroize> Default for Wires<W> {
    fn default() -> Self {
        Self { places: Places::default(), operands: Default::default() }
    }
}

/// The names of assertions, in their order.
#[derive(Clone)]
struct Names<'s, F: Field> {
    source: &'s dyn Source<F>,
    argues: Argues,
    /// The number of assertions so far.
    assertions: u64,
}

impl<'s, F: Field> Names<'s, F> {
    /// The name of the assertion so many behind the next.
    fn text(&self, behind: u64) -> String {
        Name { source: self.source, argues: self.argues, number: self.assertions + behind }.to_string()
    }

    /// The name of the next assertion.
    fn next(&mut self) -> Name<'s, F> {
        let number = self.assertions;
        self.assertions += 1;
        Name { source: self.source, argues: self.argues, number }
    }
}

/// The interpreter's state between blocks, where the backend is borrowed for one block at a time.
pub(super) struct Kept<B: Executor> {
    wires: Wires<B::Wire>,
    beyond: B::Beyond,
    assertions: u64,
}

impl<B: Executor> Default for Kept<B> {
    fn default() -> Self {
        Self { wires: Wires::default(), beyond: B::Beyond::default(), assertions: 0 }
    }
}

impl<B: Executor> Kept<B> {
    /// The wire of a slot.
    pub(super) fn wire(&self, slot: u32) -> B::Wire {
        self.wires.places.0[slot as usize]
    }

    /// Puts a wire into a slot.
    pub(super) fn put(&mut self, slot: u32, wire: B::Wire) {
        self.wires.places.put(slot, wire);
    }
}

impl<'b, B: Executor> Interpreter<'b, B> {
    pub(super) fn new(backend: &'b mut B, source: &'b dyn Source<B::F>) -> Self {
        let argues = backend.argues();
        Self::resumed(backend, source, argues, Kept::default())
    }

    /// An interpreter that goes on in an earlier state.
    pub(super) fn resumed(
        backend: &'b mut B,
        source: &'b dyn Source<B::F>,
        argues: Argues,
        kept: Kept<B>,
    ) -> Self {
        let Kept { wires, beyond, assertions } = kept;
        let names = Names { source, argues, assertions };
        Self { backend, names, wires, beyond }
    }

    /// The state to go on from after this block.
    pub(super) fn suspended(self) -> Kept<B> {
        Kept { wires: self.wires, beyond: self.beyond, assertions: self.names.assertions }
    }

    /// The backend, and the wires on all slots; those of functions that have ended are behind the statement's.
    pub(super) fn parts(&mut self) -> (&mut B, &[B::Wire]) {
        (self.backend, &self.wires.places.0)
    }

    /// Puts a wire into a slot of the statement.
    pub(super) fn put(&mut self, slot: u32, wire: B::Wire) {
        self.wires.places.put(slot, wire);
    }

    /// Has the backend find the name of the assertion that has failed, at the end of the statement.
    pub(super) fn name_failure(&mut self) {
        let Names { source, argues, .. } = self.names;
        self.backend.name_failure(&|number| Name { source, argues, number }.to_string());
    }

    fn run(&mut self, block: &Block<B::F>, lent: &[B::F], frame: Frame) -> Result<()> {
        self.wires.places.reserve(frame.wires + block.slots as usize);
        self.beyond.open(frame.vectors + block.vectors as usize);
        let mut rest = &block.records[..];
        loop {
            // What is nothing but a gate stays in one small loop.
            rest = gates(self.backend, &mut self.wires.places.0[frame.wires..], &block.constants, rest)?;
            let Some((record, behind)) = rest.split_first() else { return Ok(()) };
            match record.op {
                Op::Linear | Op::LinearRows | Op::Witness | Op::Hint | Op::Assert | Op::Output => {
                    self.lists(block, lent, *record, frame)?
                }
                Op::Call => self.call(block, *record, frame)?,
                Op::Map => self.map(block, *record, frame)?,
                _ => {
                    let Self { backend, names, wires, beyond, .. } = self;
                    beyond.execute(backend, Step { block, record: *record, frame, wires, names })?;
                }
            }
            rest = behind;
        }
    }

    /// Calls a function whose arguments stand at the begin of the frame `callee`, if the backend records it, and puts
    /// its results on `results`.
    fn call_recorded(
        &mut self,
        function: &Arc<Block<B::F>>,
        (frame, results): (Frame, List<'_>),
        callee: Frame,
    ) -> Result<bool> {
        let arguments = callee.wires..callee.wires + function.arguments as usize;
        let wires = match self.backend.open_call(function, &self.wires.places.0[arguments.clone()])? {
            Function::Inlined => return Ok(false),
            Function::Known(returned) => {
                self.names.assertions += function.assertions;
                returned.wires
            }
            Function::New(inside) => {
                self.wires.places.0[arguments].copy_from_slice(&inside);
                self.run(function, &[], callee)?;
                self.beyond.close(callee.vectors);
                let returned = function.read(function.results).list();
                let wire = |slot| self.wires.places.0[callee.wires + slot as usize];
                self.backend.close_call(returned.iter().map(wire).collect())?
            }
        };
        self.wires.places.scatter(&wires, results, frame);
        Ok(true)
    }

    /// Executes a record on lists of wires.
    fn lists(&mut self, block: &Block<B::F>, lent: &[B::F], record: Record, frame: Frame) -> Result<()> {
        let Record { op, out, a, b } = record;
        let Wires { places, operands: [beside, ..] } = &mut self.wires;
        match op {
            Op::Linear => {
                let of = operands(places, beside, block.read(a).list(), frame);
                let factors = if b == LENT { lent } else { &block.constants[b as usize..] };
                let sum = self.backend.linear(&factors[..of.len()], of);
                places.0[frame.wires + out as usize] = sum;
            }
            Op::LinearRows => {
                let mut words = block.read(a);
                let of = operands(places, beside, words.list(), frame);
                let results = words.list();
                let factors = &block.constants[b as usize..][..out as usize];
                let sums = Zeroizing::new(self.backend.linear_rows(factors, &columns(of, out)));
                places.scatter(&sums, results, frame);
            }
            Op::Witness => {
                self.backend.witnesses(&mut places.0[frame.wires + out as usize..][..a as usize])?;
            }
            Op::Hint => {
                let mut words = block.read(a);
                let of = operands(places, beside, words.list(), frame);
                let results = words.list();
                let f = block.hints[out as usize].clone();
                if let [[slot, 1]] = results.runs {
                    let wire = self.backend.hint(of, one_of(f))?;
                    places.0[frame.wires + *slot as usize] = wire;
                } else {
                    let made = self.backend.hints(of, results.len(), all_of(f))?;
                    places.scatter(&made, results, frame);
                }
            }
            Op::Assert => {
                let name = self.names.next();
                self.backend.assert_zero(places.0[frame.wires + a as usize], &name)?;
            }
            Op::Output => {
                let wire = places.0[frame.wires + a as usize];
                self.backend.output(out as usize, b.into(), wire)?;
            }
            _ => unreachable!("{op:?} is executed elsewhere"),
        }
        Ok(())
    }

    /// Calls a function on the wires of a list.
    fn call(&mut self, block: &Block<B::F>, Record { out, a, .. }: Record, frame: Frame) -> Result<()> {
        let function = &block.functions[out as usize];
        let mut words = block.read(a);
        let (arguments, results) = (words.list(), words.list());
        let callee = self.callee(block, function, frame);
        let places = &mut self.wires.places;
        let mut to = callee.wires;
        for &[first, length] in arguments.runs {
            let from = frame.wires + first as usize;
            places.0.copy_within(from..from + length as usize, to);
            to += length as usize;
        }
        self.run_function(function, callee, (frame, results))
    }

    /// Calls a function on each lane: on all at once where the backend can, or one after the other.
    fn map(&mut self, block: &Block<B::F>, Record { out, a, b, .. }: Record, frame: Frame) -> Result<()> {
        let function = &block.functions[out as usize];
        let mut words = block.read(a);
        let (arguments, results) = (words.list(), words.list());
        let Wires { places, operands: [beside, ..] } = &mut self.wires;
        let of = operands(places, beside, arguments, frame);
        let first = self.names.clone();
        let name = |number| first.text(number);
        let assertions = first.assertions;
        let map = Map { function, lanes: b as usize, arguments: of, assertions, name: &name };
        if let Some(made) = self.backend.map_lanes(map)? {
            self.names.assertions += u64::from(b) * function.assertions;
            places.scatter(&made, results, frame);
            return Ok(());
        }
        // Results of one lane may take the places of arguments of the next.
        let of = Zeroizing::new(of.to_vec());
        let columns = results.columns(b);
        for lane in 0..b as usize {
            let callee = self.callee(block, function, frame);
            let (mut from, mut to) = (lane, callee.wires);
            while from < of.len() {
                self.wires.places.0[to] = of[from];
                (from, to) = (from + b as usize, to + 1);
            }
            self.run_function(function, callee, (frame, List { runs: &columns.runs(lane) }))?;
        }
        Ok(())
    }

    /// The frame of a function that is called from `frame`, of `block`, with room for its wires.
    fn callee(&mut self, block: &Block<B::F>, function: &Block<B::F>, frame: Frame) -> Frame {
        let wires = frame.wires + block.slots as usize;
        self.wires.places.reserve(wires + function.slots as usize);
        Frame { wires, vectors: frame.vectors + block.vectors as usize }
    }

    /// Runs a function, whose arguments stand in its frame, and puts its results on slots of the one it is
    /// called from.
    fn run_function(
        &mut self,
        function: &Arc<Block<B::F>>,
        callee: Frame,
        (frame, results): (Frame, List<'_>),
    ) -> Result<()> {
        if B::RECORDS_CALLS && self.call_recorded(function, (frame, results), callee)? {
            return Ok(());
        }
        self.run(function, &[], callee)?;
        self.beyond.close(callee.vectors);
        let (outside, inside) = self.wires.places.0.split_at_mut(callee.wires);
        let returned = function.read(function.results).list();
        copy(&mut outside[frame.wires..], results, inside, returned);
        Ok(())
    }
}

/// A record beyond gates, with the data that it is executed on.
pub struct Step<'s, 'n, F: Field, W: Zeroize> {
    block: &'s Block<F>,
    record: Record,
    frame: Frame,
    wires: &'s mut Wires<W>,
    names: &'s mut Names<'n, F>,
}

impl<B: Executor> Execute<B::F> for Interpreter<'_, B> {
    fn argues(&self) -> Argues {
        self.names.argues
    }

    fn pool(&self) -> Pool {
        Executor::pool(self.backend)
    }

    fn execute(&mut self, block: &Block<B::F>, lent: &[B::F]) -> Result<()> {
        self.run(block, lent, Frame { wires: 0, vectors: 0 })
    }
}

/// Executes records up to the first that is no plain gate, and gives the rest. It is a function of its own so
/// that the compiler sees that wires are no part of the backend, and keeps the backend's counters in
/// registers.
#[inline(never)]
fn gates<'r, B: Backend>(
    backend: &mut B,
    wires: &mut [B::Wire],
    constants: &[B::F],
    records: &'r [Record],
) -> Result<&'r [Record]> {
    let mut rest = records;
    while let Some((&Record { op, out, a, b }, behind)) = rest.split_first() {
        let (out, a, b) = (out as usize, a as usize, b as usize);
        match op {
            Op::Add => {
                wires[out] = backend.add(wires[a], wires[b]);
                rest = behind;
                // Most gates are sums, and come in rows: a loop of their own keeps wires
                // in vector registers.
                while let Some((&Record { op: Op::Add, out, a, b }, behind)) = rest.split_first() {
                    wires[out as usize] = backend.add(wires[a as usize], wires[b as usize]);
                    rest = behind;
                }
                continue;
            }
            Op::Mul => {
                let product = backend.mul(wires[a], wires[b])?;
                wires[out] = product;
                rest = behind;
                // Most products are added to something at once. Read again, one that was just stored in
                // two halves would be waited for.
                if let Some((&Record { op: Op::Add, out: sum, a, b }, behind)) = rest.split_first() {
                    let (sum, a, b) = (sum as usize, a as usize, b as usize);
                    if b == out {
                        wires[sum] = backend.add(wires[a], product);
                        rest = behind;
                    } else if a == out {
                        wires[sum] = backend.add(product, wires[b]);
                        rest = behind;
                    }
                }
                continue;
            }
            Op::Constant => wires[out] = backend.constant(constants[a]),
            Op::Scale => wires[out] = backend.scale(wires[a], constants[b]),
            _ => return Ok(rest),
        }
        rest = behind;
    }
    Ok(rest)
}

/// Places of wires, which are wiped on drop.
struct Places<W: Zeroize>(Zeroizing<Vec<W>>);

impl<W: Zeroize> Default for Places<W> {
    fn default() -> Self {
        Self(Zeroizing::new(Vec::new()))
    }
}

impl<W: Copy + Default + Zeroize> Places<W> {
    /// Makes room for `length` wires.
    #[inline(always)]
    fn reserve(&mut self, length: usize) {
        if length > self.0.len() {
            self.grow(length);
        }
    }

    #[cold]
    fn grow(&mut self, length: usize) {
        if length > self.0.capacity() {
            // What grows in place may leave a copy behind.
            let mut longer = Zeroizing::new(Vec::with_capacity(length.max(self.0.capacity() / 4 * 5)));
            longer.extend_from_slice(&self.0);
            self.0 = longer;
        }
        self.0.resize(length, W::default());
    }

    /// Puts a wire into a slot of the statement.
    fn put(&mut self, slot: u32, wire: W) {
        self.reserve(slot as usize + 1);
        self.0[slot as usize] = wire;
    }

    /// Puts columns of wires, which are wiped, on the slots of `list`, one after the other.
    fn scatter_columns(&mut self, columns: Vec<Vec<W>>, list: List<'_>, frame: Frame) {
        let columns = columns.into_iter().map(Zeroizing::new).collect::<Vec<_>>();
        for (wire, slot) in columns.iter().flat_map(|column| column.iter()).zip(list.iter()) {
            self.0[frame.wires + slot as usize] = *wire;
        }
    }

    /// Puts `wires` on the slots of `list`.
    fn scatter(&mut self, wires: &[W], list: List<'_>, frame: Frame) {
        for (wire, slot) in wires.iter().zip(list.iter()) {
            self.0[frame.wires + slot as usize] = *wire;
        }
    }
}

/// A hint's function as a closure whose type names no backend, so that it is compiled once for a field.
fn all_of<F: Field>(f: HintFunction<F>) -> impl Fn(&[F]) -> Vec<F> + Send + Sync + 'static {
    move |values| f(values)
}

/// A hint's function with one result, as a closure.
fn one_of<F: Field>(f: HintFunction<F>) -> impl Fn(&[F]) -> F + Send + Sync + 'static {
    move |values| {
        let made = Zeroizing::new(f(values));
        assert_eq!(made.len(), 1);
        made[0]
    }
}

/// The `count` columns that stand side by side in `of`.
fn columns<W>(of: &[W], count: u32) -> Vec<&[W]> {
    of.chunks_exact((of.len() / count as usize).max(1)).collect()
}

/// Copies what stands in the list `from` of `wires` to that of `places`, which is as long.
fn copy<W: Copy>(places: &mut [W], to: List<'_>, wires: &[W], from: List<'_>) {
    debug_assert_eq!(to.len(), from.len());
    let run = |[first, length]: [u32; 2]| &wires[first as usize..][..length as usize];
    if let &[[first, length]] = to.runs {
        let mut places = &mut places[first as usize..][..length as usize];
        for wires in from.runs.iter().copied().map(run) {
            let (now, behind) = places.split_at_mut(wires.len());
            now.copy_from_slice(wires);
            places = behind;
        }
        return;
    }
    for (wire, to) in from.runs.iter().copied().flat_map(run).zip(to.iter()) {
        places[to as usize] = *wire;
    }
}

/// The wires of `list`: in place, if their slots are consecutive, and else copied to `beside`.
fn operands<'w, W: Copy + Default + Zeroize>(
    wires: &'w Places<W>,
    beside: &'w mut Places<W>,
    list: List<'_>,
    frame: Frame,
) -> &'w [W] {
    let run = |[first, length]: [u32; 2]| &wires.0[frame.wires + first as usize..][..length as usize];
    if let [one] = list.runs {
        return run(*one);
    }
    let count = list.len();
    beside.reserve(count);
    let mut to = 0;
    for wires in list.runs.iter().copied().map(run) {
        // Mostly single ones: what would be a call is none.
        if let [wire] = wires {
            beside.0[to] = *wire;
        } else {
            beside.0[to..to + wires.len()].copy_from_slice(wires);
        }
        to += wires.len();
    }
    &beside.0[..count]
}
