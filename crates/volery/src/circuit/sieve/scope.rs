//! What is being read, the statement or a function: its wires, and its gates so far.

use super::body::{Body, NONE, Op, Reads};
use super::number::Element;
use super::text::Text;
use super::wires::{Slots, Wires};
use crate::error::Result;

/// Wires that are live at once, of which there may be so many; the slots of their values are as many.
pub(super) const MOST_LIVE: usize = 1 << 28;

/// What gates come to, those of the functions that they call included.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cost {
    pub(super) gates: u64,
    pub(super) assertions: u64,
    /// Records that a function of these gates takes, in which functions that it calls are one each.
    pub(super) records: u64,
    /// How deeply calls are nested.
    pub(super) depth: u32,
    /// Whether it is to be executed where it is called, and not kept as a function.
    pub(super) inline: bool,
}

/// The statement, or a function, as far as it is read.
pub(super) struct Scope {
    pub(super) body: Body,
    /// For each type the wires that are set.
    wires: Vec<Wires>,
    pub(super) slots: Slots,
    /// Of a function, for each type its inputs in the order of their numbers: the first number, its slot, and
    /// how many follow.
    inputs: Vec<Vec<(u64, u32, u64)>>,
    pub(super) public: Reads,
    pub(super) private: Reads,
    pub(super) cost: Cost,
    /// Whether a wire may be set only once.
    strict: bool,
    /// Of a function that stands within others, the wires that are live around it.
    pub(super) around: usize,
}

impl Scope {
    /// The statement, with so many types.
    pub(super) fn statement(types: usize, strict: bool) -> Self {
        Self {
            body: Body::default(),
            wires: (0..types).map(|_| Wires::default()).collect(),
            slots: Slots::default(),
            inputs: Vec::new(),
            public: Reads::summed(),
            private: Reads::summed(),
            cost: Cost::default(),
            strict,
            around: 0,
        }
    }

    /// A function with these outputs and inputs, of so many types. Slots of the inputs are the first.
    pub(super) fn function(types: usize, strict: bool, outs: &[(u8, u64)], ins: &[(u8, u64)]) -> Self {
        let mut next = vec![0u64; types];
        outs.iter().for_each(|&(kind, count)| next[kind as usize] += count);
        let mut inputs = vec![Vec::new(); types];
        let mut slot = 0;
        for &(kind, count) in ins {
            let first = &mut next[kind as usize];
            inputs[kind as usize].push((*first, slot, count));
            *first += count;
            slot += count as u32;
        }
        let (public, private) = <(Reads, Reads)>::default();
        Self { slots: Slots::behind(slot), inputs, public, private, ..Self::statement(types, strict) }
    }

    /// The slot of an input of the function.
    fn input(&self, kind: u8, id: u64) -> Option<u32> {
        let inputs = self.inputs.get(kind as usize)?;
        let behind = inputs.partition_point(|input| input.0 <= id);
        let (first, slot, count) = *inputs.get(behind.checked_sub(1)?)?;
        (id - first < count).then(|| slot + (id - first) as u32)
    }

    /// Whether a wire is an input of the function, as it was given.
    pub(super) fn is_given(&self, kind: u8, id: u64) -> bool {
        let wires = &self.wires[kind as usize];
        wires.get(id).is_none() && !wires.is_gone(id) && self.input(kind, id).is_some()
    }

    /// The slot of a wire.
    #[inline(always)]
    pub(super) fn get(&self, text: &Text<'_>, kind: u8, id: u64) -> Result<u32> {
        match self.wires[kind as usize].get(id) {
            Some(slot) => Ok(slot),
            None => self.get_input(text, kind, id),
        }
    }

    #[cold]
    fn get_input(&self, text: &Text<'_>, kind: u8, id: u64) -> Result<u32> {
        let gone = self.wires[kind as usize].is_gone(id);
        match self.input(kind, id) {
            Some(slot) if !gone => Ok(slot),
            _ if gone => Err(text.fail(format_args!("wire ${id} of type {kind} was deleted before"))),
            _ => Err(text.fail(format_args!(
                "wire ${id} of type {kind} is not set here: set it in a line above{}",
                if self.inputs.is_empty() { "" } else { "; a function sees no wires but its own" }
            ))),
        }
    }

    /// Puts a wire into a slot that is held for it.
    #[inline(always)]
    pub(super) fn set(&mut self, text: &Text<'_>, kind: u8, id: u64, slot: u32) -> Result<()> {
        if self.strict {
            self.is_new(text, kind, id)?;
        }
        if let Some(old) = self.wires[kind as usize].set(id, slot) {
            self.leave(kind, old);
        }
        Ok(())
    }

    fn is_new(&self, text: &Text<'_>, kind: u8, id: u64) -> Result<()> {
        let wires = &self.wires[kind as usize];
        if wires.get(id).is_none() && !wires.is_gone(id) && self.input(kind, id).is_none() {
            return Ok(());
        }
        Err(text.fail(format_args!("wire ${id} of type {kind} is set twice: strictly each is set once")))
    }

    /// Deletes a wire.
    pub(super) fn delete(&mut self, text: &Text<'_>, kind: u8, id: u64) -> Result<()> {
        self.get(text, kind, id)?;
        let wires = &mut self.wires[kind as usize];
        let remembered = self.strict || !self.inputs.is_empty();
        let old = if remembered { wires.bury(id) } else { wires.remove(id) };
        old.into_iter().for_each(|old| self.leave(kind, old));
        Ok(())
    }

    /// Says that one reads `slot` less.
    #[inline(always)]
    fn leave(&mut self, kind: u8, slot: u32) {
        if self.slots.leave(slot) {
            self.body.push(Op::Forget, kind, NONE, slot, NONE);
        }
    }

    /// How many wires are live, here and around. Copies are wires without a slot of their own.
    pub(super) fn live(&self) -> usize {
        let set: usize = self.wires.iter().map(Wires::used).sum();
        self.around + set.max(self.slots.len())
    }

    /// # Errors
    /// Where too many wires are live.
    pub(super) fn check(&self, text: &Text<'_>) -> Result<()> {
        if self.live() < MOST_LIVE {
            return Ok(());
        }
        let advice = if self.strict { ", or do not read strictly, which remembers deleted ones" } else { "" };
        Err(text.fail(format_args!(
            "more than {MOST_LIVE} wires are live here: delete those that are not read again{advice}"
        )))
    }
}

/// Gates of plugins: each gives the slot of what it makes.
impl Scope {
    fn gate(&mut self, op: Op, kind: u8, a: u32, b: u32) -> u32 {
        let out = self.slots.take();
        self.body.push(op, kind, out, a, b);
        self.cost.gates = self.cost.gates.saturating_add(1);
        out
    }

    pub(super) fn constant(&mut self, kind: u8, value: Element) -> u32 {
        let at = self.body.constant(value);
        self.gate(Op::Constant, kind, at, NONE)
    }

    pub(super) fn add(&mut self, kind: u8, a: u32, b: u32) -> u32 {
        self.gate(Op::Add, kind, a, b)
    }

    pub(super) fn mul(&mut self, kind: u8, a: u32, b: u32) -> u32 {
        self.gate(Op::Mul, kind, a, b)
    }

    pub(super) fn add_constant(&mut self, kind: u8, a: u32, value: Element) -> u32 {
        let at = self.body.constant(value);
        self.gate(Op::AddConstant, kind, a, at)
    }

    pub(super) fn mul_constant(&mut self, kind: u8, a: u32, value: Element) -> u32 {
        let at = self.body.constant(value);
        self.gate(Op::MulConstant, kind, a, at)
    }

    /// The inner product of two lists.
    pub(super) fn inner(&mut self, kind: u8, a: &[u32], b: &[u32]) -> u32 {
        let at = self.body.list(a.iter().copied());
        self.body.list(b.iter().copied());
        self.cost.gates = self.cost.gates.saturating_add((a.len() + b.len()) as u64);
        self.gate(Op::Inner, kind, NONE, at)
    }

    /// `count` values that the prover computes of those of `arguments`.
    pub(super) fn hint(&mut self, kind: u8, hint: u32, arguments: &[u32], count: u32) -> Vec<u32> {
        let results: Vec<u32> = (0..count).map(|_| self.slots.take()).collect();
        let at = self.body.list(arguments.iter().copied());
        self.body.list(results.iter().copied());
        self.body.push(Op::Hint, kind, hint, NONE, at);
        self.cost.gates = self.cost.gates.saturating_add(arguments.len() as u64 + u64::from(count));
        results
    }

    pub(super) fn assert_zero(&mut self, kind: u8, a: u32, line: u64) {
        let at = self.body.long(line);
        self.body.push(Op::Assert, kind, NONE, a, at);
        self.cost.assertions = self.cost.assertions.saturating_add(1);
    }

    /// Demands that a product is zero, or what slot `c` has.
    pub(super) fn assert_product(&mut self, kind: u8, (a, b): (u32, u32), c: u32, line: u64) {
        let at = self.body.words.len() as u32;
        self.body.words.push(b);
        self.body.long(line);
        self.body.push(Op::AssertProduct, kind, c, a, at);
        self.cost.assertions = self.cost.assertions.saturating_add(1);
    }
}
