//! Gates that were read, pushed into a recorder: the one piece that is compiled for each field.

use super::body::{Body, Gate, NONE, Op, hint};
use super::choice::Kinds;
use super::convert;
use super::function::Function;
use super::maps::Row;
use super::number::Element;
use super::reader::Reader;
use super::words::{self, Side, Word};
use core::fmt;
use std::collections::HashMap;
use volery_channel::error::{Error, Result};
use volery_circuit::stream::{Handle, MixedRecorder, Recorder};
use volery_circuit::{
    Backend as _, Cells, Memories as _, Permutations as _, Polynomials as _, Put, Returned, Wires as _,
    address_width, prime_field,
};
use volery_primitives::{F2, Field, U256};

/// A source of the values of streams.
pub(super) trait Inputs<F: Field> {
    /// The next public value of a type.
    ///
    /// # Errors
    /// Where there is none.
    fn public(&mut self, b: &mut Recorder<'_, F>, kind: u8) -> Result<Handle>;

    /// The next private value of a type.
    ///
    /// # Errors
    /// Where there is none.
    fn private(&mut self, b: &mut Recorder<'_, F>, kind: u8) -> Result<Handle>;

    /// Whether functions are to be executed where they are called, since what they read is no witness.
    fn inline(&self) -> bool {
        false
    }

    /// Whether they are those of a function, which is recorded.
    fn of_function(&self) -> bool {
        false
    }
}

/// The destination of gates: a recorder, or those of bits and of numbers.
pub(super) enum Pushed<'x, 'm, 'r, 's, F: Field> {
    One(&'x mut Recorder<'r, F>),
    Two(&'x mut MixedRecorder<'m, 'r, 's, F>),
}

/// The place of a gate.
#[derive(Clone, Copy)]
pub(super) struct GatePlace<'p> {
    file: &'p str,
    /// The function, and the line in which it is called.
    called: Option<(&'p Function, u64)>,
    /// The number of the element, in the innermost loop around it.
    element: Option<u64>,
}

impl<'p> GatePlace<'p> {
    pub(super) fn line(self, line: u64) -> GateLine<'p> {
        GateLine { place: self, line }
    }

    /// The place of the gates of a function that is called in a line.
    pub(super) fn called(self, function: &'p Function, line: u64) -> Self {
        Self { called: Some((function, line)), ..self }
    }

    /// The place of what a loop does for an element.
    pub(super) fn of_element(self, element: u64) -> Self {
        Self { element: Some(element), ..self }
    }
}

/// The name of an assertion.
pub(super) struct GateLine<'p> {
    place: GatePlace<'p>,
    line: u64,
}

impl fmt::Display for GateLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the assertion of line {} of {}", self.line, self.place.file)?;
        let Some((function, line)) = self.place.called else { return Ok(()) };
        write!(f, ", in function {} called in line {line}", function.title())?;
        if let Some(element) = self.place.element {
            write!(f, " for element {element}")?;
        }
        f.write_str(",")
    }
}

/// The context of the gates of one body.
pub(super) struct Frame<'p> {
    pub(super) functions: &'p [Function],
    pub(super) kinds: &'p Kinds,
    pub(super) place: GatePlace<'p>,
}

/// The contents of a frame's slots.
#[derive(Default)]
pub(super) struct Held {
    pub(super) wires: Vec<Handle>,
    /// The bits of words, by the slots that hold them.
    pub(super) words: HashMap<u32, Word>,
    /// For slots that hold a memory its number.
    memories: HashMap<u32, u32>,
}

impl Held {
    fn wires(&self, slots: impl Iterator<Item = u32>) -> Vec<Handle> {
        slots.map(|slot| self.wires[slot as usize]).collect()
    }

    /// Whether a slot holds a memory.
    pub(super) fn is_memory(&self, slot: u32) -> bool {
        self.memories.contains_key(&slot)
    }

    /// The word that a slot holds.
    pub(super) fn word(&self, slot: u32) -> Result<&Word> {
        self.words.get(&slot).ok_or_else(|| Error::invalid("a word that was never set"))
    }

    /// The contents of these slots, side by side.
    fn take(&self, slots: impl Iterator<Item = u32>) -> Self {
        let mut taken = Self::default();
        slots.for_each(|slot| taken.push(self, slot));
        taken
    }

    /// Adds what a slot of another frame holds.
    pub(super) fn push(&mut self, other: &Self, slot: u32) {
        if let Some(memory) = other.memories.get(&slot) {
            self.memories.insert(self.wires.len() as u32, *memory);
        }
        if let Some(word) = other.words.get(&slot) {
            self.words.insert(self.wires.len() as u32, word.clone());
        }
        self.wires.push(other.wires[slot as usize]);
    }

    /// Adds a word.
    pub(super) fn push_word(&mut self, word: Word) {
        self.words.insert(self.wires.len() as u32, word);
        self.wires.push(Handle::default());
    }

    /// Has `slot` hold what is at `place` of another frame.
    pub(super) fn put(&mut self, slot: u32, other: &Self, place: u32) {
        self.wires[slot as usize] = other.wires[place as usize];
        if let Some(memory) = other.memories.get(&place) {
            self.memories.insert(slot, *memory);
        }
        if let Some(word) = other.words.get(&place) {
            self.words.insert(slot, word.clone());
        }
    }
}

/// A memory, and how many wires its addresses and words have.
struct Memory<M> {
    memory: M,
    cells: u64,
    address: usize,
    /// Whether it holds bits.
    binary: bool,
}

/// Memories of any field are one type.
type Memories = Vec<Option<Memory<<Recorder<'static, F2> as volery_circuit::Memories>::Memory>>>;

/// The state of an execution: the sources of values, those of bits too where there are two fields, and the
/// memories that there are.
pub(super) struct Execution<'s, 'i, F: Field> {
    pub(super) inputs: &'s mut (dyn Inputs<F> + 'i),
    bits: Option<&'s mut (dyn Inputs<F2> + 'i)>,
    memories: &'s mut Memories,
}

impl<F: Field> Execution<'_, '_, F> {
    /// Whether functions are to be executed where they are called.
    pub(super) fn inline(&self) -> bool {
        self.inputs.inline() || self.bits.as_ref().is_some_and(|bits| bits.inline())
    }
}

/// Executes all gates that `reader` reads, of a file of this name, with the values of `inputs`, and of `bits`
/// where there are two fields.
pub(super) fn execute<'i, F: Field>(
    b: &mut Pushed<'_, '_, '_, '_, F>,
    (file, reader): (&str, &mut Reader<'_>),
    inputs: &'i mut (dyn Inputs<F> + 'i),
    bits: Option<&'i mut (dyn Inputs<F2> + 'i)>,
) -> Result<()> {
    let (mut body, mut held, mut memories) = (Body::default(), Held::default(), Memories::new());
    let mut state = Execution { inputs, bits, memories: &mut memories };
    // Where a text is parted is no matter of the statement.
    let mut row = Row::default();
    loop {
        let more = reader.next(&mut body)?;
        held.wires.resize(reader.slots().max(held.wires.len()), Handle::default());
        let frame = Frame {
            functions: &reader.functions,
            kinds: &reader.kinds,
            place: GatePlace { file, called: None, element: None },
        };
        if !more {
            return frame.close(b, &mut row, &mut held);
        }
        frame.run(b, &body, (&mut held, &mut row), &mut state)?;
    }
}

/// The modulus of `F`, where it is the field of a prime.
pub(super) fn modulus<F: Field>() -> Option<U256> {
    if F::BITS == 1 { Some(2_u64.into()) } else { prime_field::<F>().ok() }
}

/// The element with these words.
///
/// # Errors
/// Where the field has none.
pub(super) fn element<F: Field>(words: Element) -> Result<F> {
    F::from_integer(U256::from_limbs(words))
        .ok_or_else(|| Error::invalid("a value that is no element of the field"))
}

impl<'p> Frame<'p> {
    /// Whether type `kind` is of bits.
    pub(super) fn is_binary(&self, kind: u8) -> bool {
        self.kinds.is_binary(kind)
    }

    /// Executes gates. Of calls in a `row` the last may be left for those that follow.
    fn run<F: Field>(
        &self,
        b: &mut Pushed<'_, '_, '_, '_, F>,
        body: &Body,
        (held, row): (&mut Held, &mut Row),
        state: &mut Execution<'_, '_, F>,
    ) -> Result<()> {
        for gate in &body.gates {
            let kind = gate.kind;
            match (gate.op, &mut *b) {
                (Op::Call, Pushed::One(b)) if self.is_of_rows(gate.a, state) => {
                    self.put_in_row(b, body, gate, (row, held), state.inputs)?;
                    continue;
                }
                (Op::Forget, _) if row.is_open() && !held.is_memory(gate.a) => {
                    row.end(gate.a);
                    continue;
                }
                (_, b) if row.is_open() => self.close(b, row, held)?,
                _ => {}
            }
            match gate.op {
                Op::Call => {
                    let mut words = body.read(gate.b);
                    let (line, arguments) = (words.long(), held.take(words.list()));
                    let results = self.call(b, gate.a, line, arguments, state)?;
                    for (place, slot) in (0..).zip(words.list()) {
                        held.put(slot, &results, place);
                    }
                }
                Op::Loop => self.repeat(b, body, gate, held, state)?,
                Op::Convert => self.convert(b, body, gate, held)?,
                Op::Forget if held.is_memory(gate.a) => end(b, gate.a, held, state.memories)?,
                Op::Public | Op::Private => {
                    let public = gate.op == Op::Public;
                    for slot in body.read(gate.b).list() {
                        match (&mut *b, &mut state.bits, self.kinds.word(kind)) {
                            (Pushed::Two(both), Some(bits), Some(modulus)) => {
                                let file = self.place.file;
                                let word =
                                    words::input(both.bits(), &mut **bits, modulus, (public, kind), file)?;
                                held.words.insert(slot, word);
                            }
                            _ => held.wires[slot as usize] = self.input(b, state, public, kind)?,
                        }
                    }
                }
                _ => match b {
                    Pushed::One(b) => self.gate(b, body, gate, held, state.memories)?,
                    Pushed::Two(both) if self.is_binary(kind) => {
                        self.gate(both.bits(), body, gate, held, state.memories)?;
                    }
                    Pushed::Two(both) => match self.kinds.word(kind) {
                        Some(modulus) => self.word_gate(both.bits(), modulus, body, gate, held)?,
                        None => self.gate(both.numbers(), body, gate, held, state.memories)?,
                    },
                },
            }
        }
        Ok(())
    }

    /// The next value of a stream.
    fn input<F: Field>(
        &self,
        b: &mut Pushed<'_, '_, '_, '_, F>,
        state: &mut Execution<'_, '_, F>,
        public: bool,
        kind: u8,
    ) -> Result<Handle> {
        fn next<F: Field>(
            b: &mut Recorder<'_, F>,
            inputs: &mut dyn Inputs<F>,
            public: bool,
            kind: u8,
        ) -> Result<Handle> {
            if public { inputs.public(b, kind) } else { inputs.private(b, kind) }
        }
        match (b, &mut state.bits) {
            (Pushed::One(b), _) => next(b, state.inputs, public, kind),
            (Pushed::Two(both), Some(bits)) if self.is_binary(kind) => {
                next(both.bits(), &mut **bits, public, kind)
            }
            (Pushed::Two(both), _) => next(both.numbers(), state.inputs, public, kind),
        }
    }

    /// Executes a gate over one field, which is no call and reads no stream.
    #[inline]
    fn gate<F: Field>(
        &self,
        b: &mut Recorder<'_, F>,
        body: &Body,
        &Gate { op, out, a, b: c, .. }: &Gate,
        held: &mut Held,
        memories: &mut Memories,
    ) -> Result<()> {
        let wires = &mut held.wires;
        let made = match op {
            Op::Add => b.add(wires[a as usize], wires[c as usize]),
            Op::Mul => b.mul(wires[a as usize], wires[c as usize])?,
            Op::Forget => {
                b.forget(&[wires[a as usize]]);
                return Ok(());
            }
            Op::AddConstant => {
                let constant = b.constant(element(body.constants[c as usize])?);
                let sum = b.add(wires[a as usize], constant);
                b.forget(&[constant]);
                sum
            }
            Op::MulConstant => b.scale(wires[a as usize], element(body.constants[c as usize])?),
            Op::Constant => b.constant(element(body.constants[a as usize])?),
            Op::Copy => b.scale(wires[a as usize], F::ONE),
            Op::Assert => {
                let line = body.read(c).long();
                return b.assert_zero(wires[a as usize], self.place.line(line));
            }
            Op::Memory | Op::Read | Op::Write => {
                return self.memory(b, body, (op, out, a, c), held, memories);
            }
            Op::Hint | Op::Inner | Op::AssertInner | Op::AssertProduct | Op::Permutation => {
                return self.lists(b, body, (op, out, a, c), held);
            }
            Op::Call | Op::Loop | Op::Convert | Op::Public | Op::Private => {
                unreachable!("executed by the caller")
            }
            Op::IsZero => unreachable!("of words alone"),
        };
        wires[out as usize] = made;
        Ok(())
    }

    /// Executes a gate on lists.
    fn lists<F: Field>(
        &self,
        b: &mut Recorder<'_, F>,
        body: &Body,
        (op, out, a, at): (Op, u32, u32, u32),
        held: &mut Held,
    ) -> Result<()> {
        let mut words = body.read(at);
        match op {
            Op::Hint => {
                let arguments = held.wires(words.list());
                let results: Vec<_> = words.list().collect();
                let count = results.len();
                let bit = |is: bool| if is { F::ONE } else { F::ZERO };
                let made = match out {
                    hint::INVERSE => b.hints(&arguments, count, move |values| {
                        vec![values[0].invert(), bit(values[0] == F::ZERO)]
                    })?,
                    hint::QUOTIENT => b.hints(&arguments, count, move |values| {
                        let [a, b] = [values[0], values[1]].map(F::to_integer);
                        let (quotient, rest) = a.divided(b).unwrap_or_default();
                        [quotient, rest].map(|part| F::from_integer(part).unwrap_or(F::ZERO)).into()
                    })?,
                    _ => b.hints(&arguments, count, move |values| {
                        let integer = values[0].to_integer();
                        (0..count as u32).rev().map(|place| bit(integer.bit(place) == 1)).collect()
                    })?,
                };
                for (slot, wire) in results.into_iter().zip(made) {
                    held.wires[slot as usize] = wire;
                }
            }
            Op::Inner => {
                let (x, y) = (held.wires(words.list()), held.wires(words.list()));
                held.wires[out as usize] = match (&x[..], &y[..]) {
                    (&[x], &[y]) => b.mul(x, y)?,
                    (x, y) => {
                        let sum = b.inner_product(x, y)?;
                        b.commit(&sum)?[0]
                    }
                };
            }
            Op::AssertInner => {
                let name = self.place.line(words.long());
                let (x, y) = (held.wires(words.list()), held.wires(words.list()));
                let sum = b.inner_product(&x, &y)?;
                b.assert_zeroes(sum, name)?;
            }
            Op::Permutation => {
                let (line, width) = (words.long(), words.next());
                let (x, y) = (held.wires(words.list()), held.wires(words.list()));
                b.assert_permutation(&x, &y, width as usize, &self.place.line(line))?;
            }
            _ => {
                let factor = held.wires[words.next() as usize];
                let name = self.place.line(words.long());
                let product = b.inner_product(&[held.wires[a as usize]], &[factor])?;
                let difference = if out == NONE {
                    product
                } else {
                    let minus = b.scale(held.wires[out as usize], -F::ONE);
                    let expected = b.vector(&[minus]);
                    b.sum(&product, &expected)
                };
                b.assert_zeroes(difference, name)?;
            }
        }
        Ok(())
    }

    /// Executes a gate that makes, reads or writes a memory.
    fn memory<F: Field>(
        &self,
        b: &mut Recorder<'_, F>,
        body: &Body,
        (op, out, a, at): (Op, u32, u32, u32),
        held: &mut Held,
        memories: &mut Memories,
    ) -> Result<()> {
        let mut words = body.read(at);
        if op == Op::Memory {
            let (cells, address) = (words.long(), words.next() as usize);
            let word = held.wires(words.list());
            let count = usize::try_from(cells).map_err(|_| Error::invalid("a memory of 2^64 cells"))?;
            let all = word.repeat(count);
            let memory = b.memory(Cells::Wires(&all), word.len())?;
            held.memories.insert(out, memories.len() as u32);
            memories.push(Some(Memory { memory, cells, address, binary: F::BITS == 1 }));
            return Ok(());
        }
        let line = words.long();
        let (given, word) = (held.wires(words.list()), words.list());
        let name = self.place.line(line);
        let memory = held.memories.get(&a).and_then(|number| memories[*number as usize].as_mut());
        let memory = memory.ok_or_else(|| Error::invalid("a memory that has ended"))?;
        if given.len() != memory.address {
            return Err(Error::invalid(format!("{name}: a memory with other addresses")));
        }
        let address = if F::BITS == 1 {
            let needed = address_width::<F>(memory.cells as usize);
            let zero = b.constant(F::ZERO);
            // What is above all cells is zero.
            let mut bits = given.into_iter().rev();
            let mut address: Vec<_> = bits.by_ref().take(needed).collect();
            address.resize(needed, zero);
            for bit in bits {
                b.assert_zero(bit, self.place.line(line))?;
            }
            address
        } else {
            given
        };
        if op == Op::Read {
            let made = b.access(&mut memory.memory, &address, Put::Same, &name)?;
            for (slot, wire) in word.zip(made) {
                held.wires[slot as usize] = wire;
            }
        } else {
            let word = held.wires(word);
            b.access(&mut memory.memory, &address, Put::Word(&word), &name)?;
        }
        Ok(())
    }

    /// Calls a function: the wires of its results, which nobody else holds.
    pub(super) fn call<F: Field>(
        &self,
        b: &mut Pushed<'_, '_, '_, '_, F>,
        number: u32,
        line: u64,
        arguments: Held,
        state: &mut Execution<'_, '_, F>,
    ) -> Result<Held> {
        let function = &self.functions[number as usize];
        let frame = Frame { place: self.place.called(function, line), ..*self };
        if !function.cost.inline && !state.inline() {
            return match (b, &mut state.bits) {
                (Pushed::One(b), _) => frame.recorded(b, number, function, arguments, state.inputs),
                (Pushed::Two(both), Some(bits)) if function.fields.bits => {
                    frame.recorded(both.bits(), number, function, arguments, &mut **bits)
                }
                (Pushed::Two(both), _) => {
                    frame.recorded(both.numbers(), number, function, arguments, state.inputs)
                }
            };
        }
        match b {
            Pushed::One(b) => b.open_scope(),
            Pushed::Two(both) => {
                both.bits().open_scope();
                both.numbers().open_scope();
            }
        }
        let results = frame.body(b, function, arguments, state)?;
        let kinds =
            function.outs.iter().flat_map(|&(kind, count)| core::iter::repeat_n(kind, count as usize));
        let (mut bits, mut numbers) = (Vec::new(), Vec::new());
        for ((place, kind), wire) in (0..).zip(kinds).zip(&results.wires) {
            if let Some(word) = results.words.get(&place) {
                bits.extend(word.wires());
            } else if !results.memories.contains_key(&place) {
                let kept = if self.is_binary(kind) { &mut bits } else { &mut numbers };
                kept.push(*wire);
            }
        }
        match b {
            Pushed::One(b) => b.close_scope(&[bits, numbers].concat()),
            Pushed::Two(both) => {
                both.bits().close_scope(&bits);
                both.numbers().close_scope(&numbers);
            }
        }
        Ok(results)
    }

    /// Calls a function over one field, which is recorded once.
    fn recorded<F: Field>(
        &self,
        b: &mut Recorder<'_, F>,
        number: u32,
        function: &Function,
        mut arguments: Held,
        inputs: &mut dyn Inputs<F>,
    ) -> Result<Held> {
        let own = arguments.wires.len();
        read_public(b, function, inputs, &mut arguments.wires)?;
        let within = |b: &mut Recorder<'_, F>, wires: &[Handle]| self.within(b, function, wires);
        let results = b.call(&number.to_le_bytes(), &arguments.wires, within)?;
        b.forget(&arguments.wires[own..]);
        Ok(Held { wires: results.wires, ..Held::default() })
    }

    /// The gates of a function over one field, on its arguments, with the public values that it reads behind them.
    pub(super) fn within<F: Field>(
        &self,
        b: &mut Recorder<'_, F>,
        function: &Function,
        wires: &[Handle],
    ) -> Result<Returned<Handle>> {
        let (wires, public) = wires.split_at(function.arguments() as usize);
        let arguments = Held { wires: wires.to_vec(), ..Held::default() };
        let mut inputs = Arguments { public: public.iter() };
        let mut state = Execution { inputs: &mut inputs, bits: None, memories: &mut Vec::new() };
        let results = self.body(&mut Pushed::One(b), function, arguments, &mut state)?;
        Ok(Returned { wires: results.wires, public: Vec::new() })
    }

    /// The gates of a function.
    fn body<F: Field>(
        &self,
        b: &mut Pushed<'_, '_, '_, '_, F>,
        function: &Function,
        mut held: Held,
        state: &mut Execution<'_, '_, F>,
    ) -> Result<Held> {
        held.wires.resize(function.slots as usize, Handle::default());
        let mut row = Row::default();
        self.run(b, &function.body, (&mut held, &mut row), state)?;
        self.close(b, &mut row, &mut held)?;
        Ok(held.take(function.body.read(function.results).list()))
    }

    /// Executes a conversion.
    fn convert<F: Field>(
        &self,
        b: &mut Pushed<'_, '_, '_, '_, F>,
        body: &Body,
        &Gate { kind, a: of, b: at, .. }: &Gate,
        held: &mut Held,
    ) -> Result<()> {
        let mut words = body.read(at);
        let (name, reduced) = (self.place.line(words.long()), words.next() == 1);
        let (from, to) = (words.list().collect::<Vec<_>>(), words.list().collect::<Vec<_>>());
        let is_word = |kind| self.kinds.word(kind).is_some();
        if let Pushed::Two(both) = b
            && (is_word(of as u8) || is_word(kind))
        {
            let sides = (&Side { kind: of as u8, slots: &from }, &Side { kind, slots: &to });
            return self.convert_words(both, sides, reduced, &name, held);
        }
        let from = held.wires(from.into_iter());
        let (from_bits, to_bits) = (self.is_binary(of as u8), self.is_binary(kind));
        let made = match b {
            Pushed::One(b) => convert::resized(b, &from, to.len(), reduced, &name)?,
            Pushed::Two(both) if from_bits && to_bits => {
                convert::resized(both.bits(), &from, to.len(), reduced, &name)?
            }
            Pushed::Two(both) if from_bits => vec![convert::number(both, &from, reduced, &name)?],
            Pushed::Two(both) if to_bits => convert::bits(both, from[0], to.len(), reduced, &name)?,
            Pushed::Two(both) => convert::resized(both.numbers(), &from, to.len(), reduced, &name)?,
        };
        for (slot, wire) in to.into_iter().zip(made) {
            held.wires[slot as usize] = wire;
        }
        Ok(())
    }
}

/// Ends the memory that a slot refers to.
fn end<F: Field>(
    b: &mut Pushed<'_, '_, '_, '_, F>,
    slot: u32,
    held: &mut Held,
    memories: &mut Memories,
) -> Result<()> {
    let number = held.memories.remove(&slot);
    let Some(ended) = number.and_then(|number| memories[number as usize].take()) else { return Ok(()) };
    match b {
        Pushed::One(b) => b.close(ended.memory),
        Pushed::Two(both) if ended.binary => both.bits().close(ended.memory),
        Pushed::Two(both) => both.numbers().close(ended.memory),
    }
}

/// Reads the public values that a function takes, behind its other arguments.
pub(super) fn read_public<F: Field>(
    b: &mut Recorder<'_, F>,
    function: &Function,
    inputs: &mut dyn Inputs<F>,
    wires: &mut Vec<Handle>,
) -> Result<()> {
    for (kind, count) in function.public.runs() {
        for _ in 0..count {
            wires.push(inputs.public(b, kind)?);
        }
    }
    Ok(())
}

/// The values that a called function reads: public ones are arguments behind the others.
struct Arguments<'a> {
    public: core::slice::Iter<'a, Handle>,
}

impl<F: Field> Inputs<F> for Arguments<'_> {
    fn public(&mut self, _: &mut Recorder<'_, F>, _: u8) -> Result<Handle> {
        Ok(*self.public.next().expect("as many as were counted"))
    }

    fn private(&mut self, b: &mut Recorder<'_, F>, _: u8) -> Result<Handle> {
        b.witness()
    }

    fn of_function(&self) -> bool {
        true
    }
}
