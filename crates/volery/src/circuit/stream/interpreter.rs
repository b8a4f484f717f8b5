//! Executing blocks: the one piece of code that is compiled for every backend.

use super::block::{Block, HintFunction, KEPT, List, Op, Record};
use super::naming::Name;
use super::{Execute, Source};
use crate::circuit::{Accesses, Cells, Entries, Machine, Matrix, Put, Rows};
use crate::error::Result;
use volery_primitives::Field;
use zeroize::{Zeroize, Zeroizing};

/// Executes blocks of the stream of `source` in a backend.
pub(super) struct Interpreter<'b, B: Machine> {
    backend: &'b mut B,
    source: &'b dyn Source<B::F>,
    /// The wires of all frames that are open: that of the statement, and above it those of functions.
    wires: Places<B::Wire>,
    vectors: Vec<Option<B::Vector>>,
    /// In the order in which they were made, those that are closed left out.
    memories: Vec<Option<B::Memory>>,
    tables: Vec<B::Table>,
    /// Assertions so far.
    assertions: u64,
    /// Operands that stand on no consecutive slots, side by side.
    operands: [Places<B::Wire>; 3],
    /// Public factors of such operands.
    factors: Vec<B::F>,
}

/// Where the slots of a frame begin: those of wires, and those of vectors.
#[derive(Clone, Copy)]
struct Frame {
    wires: usize,
    vectors: usize,
}

/// What is held between blocks by whoever lends the backend for each of them alone.
pub(super) struct Kept<B: Machine> {
    wires: Places<B::Wire>,
    vectors: Vec<Option<B::Vector>>,
    memories: Vec<Option<B::Memory>>,
    tables: Vec<B::Table>,
    assertions: u64,
    operands: [Places<B::Wire>; 3],
}

impl<B: Machine> Default for Kept<B> {
    fn default() -> Self {
        Self {
            wires: Places::default(),
            vectors: Vec::new(),
            memories: Vec::new(),
            tables: Vec::new(),
            assertions: 0,
            operands: Default::default(),
        }
    }
}

impl<B: Machine> Kept<B> {
    /// The wire of a slot.
    pub(super) fn wire(&self, slot: u32) -> B::Wire {
        self.wires.0[slot as usize]
    }

    /// Puts a wire that no gate makes into a slot.
    pub(super) fn put(&mut self, slot: u32, wire: B::Wire) {
        self.wires.reserve(slot as usize + 1);
        self.wires.0[slot as usize] = wire;
    }
}

impl<'b, B: Machine> Interpreter<'b, B> {
    pub(super) fn new(backend: &'b mut B, source: &'b dyn Source<B::F>) -> Self {
        Self::resumed(backend, source, Kept::default())
    }

    /// One that goes on where another one was suspended.
    pub(super) fn resumed(backend: &'b mut B, source: &'b dyn Source<B::F>, kept: Kept<B>) -> Self {
        let Kept { wires, vectors, memories, tables, assertions, operands } = kept;
        let factors = Vec::new();
        Self { backend, source, wires, vectors, memories, tables, assertions, operands, factors }
    }

    /// What it holds, behind a block.
    pub(super) fn suspended(self) -> Kept<B> {
        let Self { wires, vectors, memories, tables, assertions, operands, .. } = self;
        Kept { wires, vectors, memories, tables, assertions, operands }
    }

    fn run(&mut self, block: &Block<B::F>, frame: Frame) -> Result<()> {
        self.wires.reserve(frame.wires + block.slots as usize);
        let length = frame.vectors + block.vectors as usize;
        if length > self.vectors.len() {
            self.vectors.resize(length, None);
        }
        let mut rest = &block.records[..];
        loop {
            // What is nothing but a gate stays in one small loop.
            rest = gates(self.backend, &mut self.wires.0[frame.wires..], &block.constants, rest)?;
            let Some((record, behind)) = rest.split_first() else { return Ok(()) };
            match record.op {
                Op::Linear | Op::LinearRows | Op::Witness | Op::Hint | Op::Assert | Op::Output | Op::Call => {
                    self.lists(block, *record, frame)?
                }
                Op::Memory
                | Op::Access
                | Op::AccessRows
                | Op::Close
                | Op::Table
                | Op::LookUp
                | Op::LookUpRows
                | Op::Within
                | Op::Permutation => self.memory(block, *record, frame)?,
                Op::Incoming | Op::Outgoing => self.crossings(block, *record, frame)?,
                _ => self.polynomials(block, *record, frame)?,
            }
            rest = behind;
        }
    }

    /// Executes a record on lists of wires.
    fn lists(&mut self, block: &Block<B::F>, record: Record, frame: Frame) -> Result<()> {
        let Record { op, out, a, b } = record;
        match op {
            Op::Linear => {
                let mut words = block.read(a);
                let count = words.next();
                let (terms, _) = words.take(2 * count).as_chunks();
                let of = &mut self.operands[0];
                of.reserve(terms.len());
                self.factors.clear();
                for (&[factor, slot], wire) in terms.iter().zip(&mut *of.0) {
                    self.factors.push(block.constants[factor as usize]);
                    *wire = self.wires.0[frame.wires + slot as usize];
                }
                let sum = self.backend.linear(&self.factors, &of.0[..terms.len()]);
                self.wires.0[frame.wires + out as usize] = sum;
            }
            Op::LinearRows => {
                let mut words = block.read(a);
                let of = operands(&self.wires, &mut self.operands[0], words.list(), frame);
                let results = words.list();
                let factors = &block.constants[b as usize..][..out as usize];
                let sums = Zeroizing::new(self.backend.linear_rows(factors, &columns(of, out)));
                self.wires.scatter(&sums, results, frame);
            }
            Op::Witness => {
                self.backend.witnesses(&mut self.wires.0[frame.wires + out as usize..][..a as usize])?;
            }
            Op::Hint => {
                let mut words = block.read(a);
                let of = operands(&self.wires, &mut self.operands[0], words.list(), frame);
                let results = words.list();
                let f = block.hints[out as usize].clone();
                if let [[slot, 1]] = results.runs {
                    let wire = self.backend.hint(of, one_of(f))?;
                    self.wires.0[frame.wires + *slot as usize] = wire;
                } else {
                    let made = self.backend.hints(of, results.len(), all_of(f))?;
                    self.wires.scatter(&made, results, frame);
                }
            }
            Op::Assert => {
                let name = self.name();
                self.backend.assert_zero(self.wires.0[frame.wires + a as usize], &name)?;
            }
            Op::Output => {
                let wire = self.wires.0[frame.wires + a as usize];
                self.backend.output(out as usize, b.into(), wire)?;
            }
            _ => {
                let function = &block.functions[out as usize];
                let mut words = block.read(a);
                let (arguments, results) = (words.list(), words.list());
                let callee = Frame {
                    wires: frame.wires + block.slots as usize,
                    vectors: frame.vectors + block.vectors as usize,
                };
                self.wires.reserve(callee.wires + function.slots as usize);
                let mut to = callee.wires;
                for &[first, length] in arguments.runs {
                    let from = frame.wires + first as usize;
                    self.wires.0.copy_within(from..from + length as usize, to);
                    to += length as usize;
                }
                self.run(function, callee)?;
                self.vectors.truncate(callee.vectors);
                let (outside, inside) = self.wires.0.split_at_mut(callee.wires);
                let returned = function.read(function.results).list();
                copy(&mut outside[frame.wires..], results, inside, returned);
            }
        }
        Ok(())
    }

    /// Executes a record on vectors of polynomials.
    fn polynomials(&mut self, block: &Block<B::F>, record: Record, frame: Frame) -> Result<()> {
        let Record { op, out, a, b } = record;
        let at = |slot: u32| frame.vectors + slot as usize;
        let (place, left, right) = (at(out), at(a), at(b));
        let vector = |place: usize| self.vectors[place].as_ref().expect("a vector that was made");
        let made = match op {
            Op::Public => self.backend.public(&block.constants[a as usize..][..b as usize]),
            Op::Vector => {
                let list = block.read(a).list();
                self.backend.vector(operands(&self.wires, &mut self.operands[0], list, frame))
            }
            Op::Sum => self.backend.sum(vector(left), vector(right)),
            Op::Product => self.backend.product(vector(left), vector(right))?,
            Op::Combination => {
                let mut words = block.read(a);
                let count = words.next();
                let products = words.take(count).as_chunks().0.iter();
                let products: Vec<_> = products.map(|[a, b]| (vector(at(*a)), vector(at(*b)))).collect();
                let count = words.next();
                let slots = words.take(count).iter();
                let (constant, factors) = block.constants[b as usize..].split_first().expect("what is added");
                let terms: Vec<_> =
                    factors.iter().copied().zip(slots.map(|slot| vector(at(*slot)))).collect();
                self.backend.combination(&products, &terms, *constant)?
            }
            Op::Gather => {
                let mut words = block.read(b);
                let count = words.next();
                self.backend.gather(vector(left), &lanes(words.take(count)))
            }
            Op::Total => self.backend.total(vector(left)),
            Op::Inner => {
                let mut words = block.read(a);
                let [x, y, _] = &mut self.operands;
                let x = operands(&self.wires, x, words.list(), frame);
                let y = operands(&self.wires, y, words.list(), frame);
                self.backend.inner_product(x, y)?
            }
            Op::AssertProduct => {
                let name = self.name();
                let [a, b, c] = [a, b, out].map(|slot| self.wires.0[frame.wires + slot as usize]);
                return self.backend.assert_product(a, b, c, &name);
            }
            Op::Commit => {
                let wires = self.backend.commit(vector(left))?;
                self.wires.scatter(&wires, block.read(b).list(), frame);
                return Ok(());
            }
            Op::AssertZeroes => {
                let name = self.name();
                let vector = self.vectors[left].take().expect("a vector that was made");
                if out == KEPT {
                    self.vectors[left] = Some(vector.clone());
                }
                return self.backend.assert_zeroes(vector, &name);
            }
            Op::AssertMatrix => {
                let name = self.name();
                let mut words = block.read(a);
                let columns = [words.next() as usize, words.next() as usize];
                let [x, y, z] = &mut self.operands;
                let x = operands(&self.wires, x, words.list(), frame);
                let y = operands(&self.wires, y, words.list(), frame);
                let product = match words.next() {
                    0 => Entries::Public(&block.constants[b as usize..][..x.len() / columns[0] * columns[1]]),
                    _ => Entries::Wires(operands(&self.wires, z, words.list(), frame)),
                };
                let (x, y) = (Matrix::new(x, columns[0]), Matrix::new(y, columns[1]));
                return self.backend.assert_matrix_product(x, y, product, &name);
            }
            _ => {
                self.vectors[left] = None;
                return Ok(());
            }
        };
        self.vectors[place] = Some(made);
        Ok(())
    }

    /// Executes a record on memories or tables, or on a permutation.
    fn memory(&mut self, block: &Block<B::F>, record: Record, frame: Frame) -> Result<()> {
        let Record { op, out, a, b } = record;
        match op {
            Op::Memory => {
                let mut words = block.read(a);
                let cells = operands(&self.wires, &mut self.operands[0], words.list(), frame);
                words.list();
                let (width, kind, count) = (words.next() as usize, words.next(), words.next() as usize);
                let addresses: Vec<u64>;
                let cells = match kind {
                    0 => Cells::Wires(cells),
                    1 => Cells::Public(&block.constants[b as usize..][..count]),
                    2 => Cells::Zero(count),
                    _ => {
                        let constants = &block.constants[b as usize..][..count + count * width];
                        let (numbers, values) = constants.split_at(count);
                        addresses = numbers.iter().map(|address| address.to_integer().low() as u64).collect();
                        Cells::At(&addresses, values)
                    }
                };
                let memory = self.backend.memory(cells, width)?;
                self.memories.push(Some(memory));
            }
            Op::Access => {
                let name = self.name();
                let mut words = block.read(a);
                let of = operands(&self.wires, &mut self.operands[0], words.list(), frame);
                let (address, rest) = of.split_at((b / 4) as usize);
                let put = match b % 4 {
                    0 => Put::Same,
                    1 => Put::Word(rest),
                    _ => Put::Where(rest[0], &rest[1..]),
                };
                let memory = self.memories[out as usize].as_mut().expect("a memory that is open");
                let word = Zeroizing::new(self.backend.access(memory, address, put, &name)?);
                self.wires.scatter(&word, words.list(), frame);
            }
            Op::AccessRows => {
                let name = self.name();
                let mut words = block.read(a);
                let puts = words.take(b);
                let of = operands(&self.wires, &mut self.operands[0], words.list(), frame);
                let all = columns(of, b + puts.iter().sum::<u32>());
                let (mut rest, mut ports) = (&all[..], Vec::with_capacity(puts.len()));
                for elements in puts {
                    let (port, behind) = rest.split_at(1 + *elements as usize);
                    ports.push(Accesses {
                        address: port[0],
                        put: Some(&port[1..]).filter(|word| !word.is_empty()),
                    });
                    rest = behind;
                }
                let memory = self.memories[out as usize].as_mut().expect("a memory that is open");
                let found = self.backend.access_rows(memory, &ports, &name)?;
                self.wires.scatter_columns(found, words.list(), frame);
            }
            Op::Close => {
                let memory = self.memories[out as usize].take().expect("a memory that is open");
                self.backend.close(memory)?;
            }
            Op::Table => {
                let mut words = block.read(a);
                let (key, value, count) =
                    (words.next() as usize, words.next() as usize, words.next() as usize);
                let entries = &block.constants[b as usize..][..count];
                let table = self.backend.table(Rows { key, value, entries })?;
                self.tables.push(table);
            }
            Op::LookUp => {
                let name = self.name();
                let mut words = block.read(a);
                let key = operands(&self.wires, &mut self.operands[0], words.list(), frame);
                let table = &mut self.tables[out as usize];
                let value = Zeroizing::new(self.backend.look_up(table, key, &name)?);
                self.wires.scatter(&value, words.list(), frame);
            }
            Op::LookUpRows => {
                let name = self.name();
                let mut words = block.read(a);
                let key = operands(&self.wires, &mut self.operands[0], words.list(), frame);
                let table = &mut self.tables[out as usize];
                let values = self.backend.look_up_rows(table, &columns(key, b), &name)?;
                self.wires.scatter_columns(values, words.list(), frame);
            }
            Op::Permutation => {
                let name = self.name();
                let both = operands(&self.wires, &mut self.operands[0], block.read(a).list(), frame);
                let (xs, ys) = both.split_at(both.len() / 2);
                self.backend.assert_permutation(xs, ys, out as usize, &name)?;
            }
            _ => {
                let name = self.name();
                let mut words = block.read(a);
                let values = operands(&self.wires, &mut self.operands[0], words.list(), frame);
                self.backend.assert_within(values, out, &name)?;
            }
        }
        Ok(())
    }

    /// Executes a record on wires that cross to or from other shards.
    fn crossings(&mut self, block: &Block<B::F>, record: Record, frame: Frame) -> Result<()> {
        let list = block.read(record.a).list();
        if record.op == Op::Incoming {
            let wires = Zeroizing::new(self.backend.incoming(list.len())?);
            self.wires.scatter(&wires, list, frame);
            return Ok(());
        }
        self.backend.outgoing(operands(&self.wires, &mut self.operands[0], list, frame))
    }

    /// The name of the next assertion.
    fn name(&mut self) -> Name<'b, B::F> {
        let number = self.assertions;
        self.assertions += 1;
        Name { source: self.source, number }
    }
}

impl<B: Machine> Execute<B::F> for Interpreter<'_, B> {
    fn execute(&mut self, block: &Block<B::F>) -> Result<()> {
        self.run(block, Frame { wires: 0, vectors: 0 })
    }
}

/// Executes records up to the first that is no plain gate, and gives those from there on. In a function of
/// its own, so that the compiler knows wires to be no part of the backend, whose counters then stay in
/// registers.
#[inline(never)]
fn gates<'r, B: Machine>(
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

/// Places of wires, which are wiped when they are left behind.
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
            let mut longer = Zeroizing::new(Vec::with_capacity(length.max(2 * self.0.capacity())));
            longer.extend_from_slice(&self.0);
            self.0 = longer;
        }
        self.0.resize(length, W::default());
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

/// What `f` makes, whose type says nothing of a backend: so it is compiled once for a field.
fn all_of<F: Field>(f: HintFunction<F>) -> impl Fn(&[F]) -> Vec<F> + Send + Sync + 'static {
    move |values| f(values)
}

/// The only value that `f` makes.
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

/// The lanes that are gathered: 0 stands for none.
fn lanes(words: &[u32]) -> Vec<Option<usize>> {
    words.iter().map(|&lane| (lane as usize).checked_sub(1)).collect()
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

/// The wires of `list`: where they stand, if their slots are consecutive, and else side by side in `beside`.
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
        beside.0[to..to + wires.len()].copy_from_slice(wires);
        to += wires.len();
    }
    &beside.0[..count]
}
