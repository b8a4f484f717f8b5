//! The scope that is being read, the statement or a function: its wires, and its gates so far.

use super::body::{Body, NONE, Op, Reads};
use super::marks::Marks;
use super::number::Element;
use super::plan::{Follow, Trace};
use super::text::Text;
use super::wires::{Slots, Wires};
use std::sync::Arc;
use volery_channel::error::{Error, Result};

/// The most wires that are live at once, and the most slots of their values.
pub(super) const MOST_LIVE: usize = 1 << 28;

/// Wires that a statement may set, those included that are not live any more.
const MOST_SET: u64 = 1 << 32;

/// The first of the slots that are marks: they stand for wires of which only whether they are set is known.
const MARKED: u32 = 1 << 30;

/// The size of gates, with those of the functions that they call.
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
    /// The inputs of a function, for each type in the order of their numbers: the first number, its slot, and
    /// how many follow.
    inputs: Vec<Vec<(u64, u32, u64)>>,
    pub(super) public: Reads,
    pub(super) private: Reads,
    pub(super) cost: Cost,
    /// Whether a wire may be set only once.
    strict: bool,
    /// The wires that are live around a function that stands within others.
    pub(super) around: usize,
    /// How many wires of the proof one of each type is; none are said where all are one.
    pub(super) widths: Arc<[usize]>,
    wiring: Wiring,
}

/// The state of the wires of a scope.
enum Wiring {
    /// The slots of the wires.
    Slots,
    /// Whether they are set, for each type, how many were at once, and how many at most.
    Marks { of: Vec<Marks>, set: u64, most: u64 },
    /// No state: reads and settings of wires are noted.
    Traced(Trace),
    /// The slots of those that are still to be read.
    Planned(Follow),
}

impl Scope {
    /// The scope of the statement, with `types` types.
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
            widths: Arc::default(),
            wiring: Wiring::Slots,
        }
    }

    /// The statement where it is only checked: its gates compute nothing, and slots mean nothing.
    pub(super) fn checked(types: usize, strict: bool) -> Self {
        let of = (0..types).map(|_| Marks::default()).collect();
        let wiring = Wiring::Marks { of, set: 0, most: 0 };
        Self { slots: Slots::behind(MARKED), wiring, ..Self::statement(types, strict) }
    }

    /// The statement where it is noted what is read and set, which was checked before.
    pub(super) fn traced(trace: Trace) -> Self {
        Self { slots: Slots::behind(MARKED), wiring: Wiring::Traced(trace), ..Self::statement(0, false) }
    }

    /// Makes wires of the statement end by a plan.
    pub(super) fn follow(&mut self, follow: Follow) {
        self.wiring = Wiring::Planned(follow);
    }

    /// The trace of the statement's wires.
    pub(super) fn trace(&mut self) -> Option<&mut Trace> {
        if let Wiring::Traced(trace) = &mut self.wiring { Some(trace) } else { None }
    }

    /// How many wires were set at once, where the statement is only checked.
    pub(super) fn most(&self) -> u64 {
        if let Wiring::Marks { most, .. } = self.wiring { most } else { 0 }
    }

    /// The scope of a function with these outputs and inputs. The first slots are those of the inputs.
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

    /// The slot of a wire that is read.
    #[inline(always)]
    pub(super) fn get(&mut self, text: &Text<'_>, kind: u8, id: u64) -> Result<u32> {
        let slot = match &mut self.wiring {
            Wiring::Marks { of, .. } => of[kind as usize].is_set(id).then_some(id as u32 % MARKED),
            Wiring::Traced(trace) => {
                trace.note(kind, id, false);
                return Ok(id as u32 % MARKED);
            }
            Wiring::Planned(follow) => {
                if follow.is_last(kind) {
                    let slot = self.wires[kind as usize].remove(id);
                    follow.last.extend(slot.map(|slot| (kind, slot)));
                    slot
                } else {
                    self.wires[kind as usize].get(id)
                }
            }
            Wiring::Slots => self.wires[kind as usize].get(id),
        };
        match slot {
            Some(slot) => Ok(slot),
            None => self.get_input(text, kind, id),
        }
    }

    #[cold]
    fn get_input(&self, text: &Text<'_>, kind: u8, id: u64) -> Result<u32> {
        let gone = match &self.wiring {
            Wiring::Marks { of, .. } => of[kind as usize].is_gone(id),
            _ => self.wires[kind as usize].is_gone(id),
        };
        match self.input(kind, id) {
            Some(slot) if !gone => Ok(slot),
            _ if gone => Err(text.fail(format_args!("wire ${id} of type {kind} was deleted before"))),
            _ => Err(text.fail(format_args!(
                "wire ${id} of type {kind} is not set here: set it in a line above{}",
                if self.inputs.is_empty() { "" } else { "; a function sees no wires but its own" }
            ))),
        }
    }

    /// Puts a wire into a slot that was held for it.
    #[inline(always)]
    pub(super) fn set(&mut self, text: &Text<'_>, kind: u8, id: u64, slot: u32) -> Result<()> {
        if self.strict {
            self.is_new(text, kind, id)?;
        }
        match &mut self.wiring {
            Wiring::Marks { of, set, most } => {
                *set += u64::from(of[kind as usize].set(id));
                *most = (*most).max(*set);
                self.slots.leave(slot);
                return Ok(());
            }
            Wiring::Traced(trace) => {
                trace.note(kind, id, true);
                self.slots.leave(slot);
                return Ok(());
            }
            Wiring::Planned(follow) => {
                if follow.is_last(kind) {
                    follow.last.push((kind, slot));
                    // By the plan of this text there is no other wire of that number; by another plan it must
                    // not be read in the place of this one.
                    let old = self.wires[kind as usize].remove(id);
                    follow.last.extend(old.map(|old| (kind, old)));
                    return Ok(());
                }
            }
            Wiring::Slots => {}
        }
        if let Some(old) = self.wires[kind as usize].set(id, slot) {
            self.leave(kind, old);
        }
        Ok(())
    }

    fn is_new(&self, text: &Text<'_>, kind: u8, id: u64) -> Result<()> {
        let wires = &self.wires[kind as usize];
        let known = match &self.wiring {
            Wiring::Marks { of, .. } => of[kind as usize].is_set(id) || of[kind as usize].is_gone(id),
            _ => wires.get(id).is_some() || wires.is_gone(id),
        };
        if !known && self.input(kind, id).is_none() {
            return Ok(());
        }
        Err(text.fail(format_args!("wire ${id} of type {kind} is set twice: strictly each is set once")))
    }

    /// Whether wires of this type end without being deleted.
    pub(super) fn ends(&self, kind: u8) -> bool {
        match &self.wiring {
            Wiring::Slots | Wiring::Marks { .. } => false,
            Wiring::Traced(_) => true,
            Wiring::Planned(follow) => follow.is_planned(kind),
        }
    }

    /// Ends the wires that nobody reads behind this line.
    #[inline(always)]
    pub(super) fn end_line(&mut self) {
        if let Wiring::Planned(follow) = &mut self.wiring {
            for (kind, slot) in follow.last.drain(..) {
                if self.slots.leave(slot) {
                    self.body.push(Op::Forget, kind, NONE, slot, NONE);
                }
            }
        }
    }

    /// Deletes a wire, of a type whose wires do not end without that.
    pub(super) fn delete(&mut self, text: &Text<'_>, kind: u8, id: u64) -> Result<()> {
        self.get(text, kind, id)?;
        let remembered = self.strict || !self.inputs.is_empty();
        if let Wiring::Marks { of, set, .. } = &mut self.wiring {
            *set -= 1;
            if remembered {
                of[kind as usize].bury(id);
            } else {
                of[kind as usize].clear(id);
            }
            return Ok(());
        }
        let wires = &mut self.wires[kind as usize];
        let old = if remembered { wires.bury(id) } else { wires.remove(id) };
        old.into_iter().for_each(|old| self.leave(kind, old));
        Ok(())
    }

    /// Counts one reader of `slot` less.
    #[inline(always)]
    pub(super) fn leave(&mut self, kind: u8, slot: u32) {
        if self.slots.leave(slot) {
            self.body.push(Op::Forget, kind, NONE, slot, NONE);
        }
    }

    /// The number of live wires, in this scope and those around it, a word counted by its bits. Copies are
    /// wires without a slot of their own.
    pub(super) fn live(&self) -> usize {
        // Of marks and notes there are few bits.
        if matches!(self.wiring, Wiring::Marks { .. } | Wiring::Traced(_)) {
            return self.around;
        }
        let set: usize =
            self.wires.iter().enumerate().map(|(kind, wires)| self.width(kind) * wires.used()).sum();
        self.around + set.max(self.slots.len())
    }

    /// How many wires of the proof are one of a type.
    pub(super) fn width(&self, kind: usize) -> usize {
        self.widths.get(kind).copied().unwrap_or(1)
    }

    /// Words for an error that counts wires, where some are words of bits.
    pub(super) fn counted(&self) -> &'static str {
        let words = self.widths.iter().any(|width| *width > 1);
        if words { ", a word of bits counted by these" } else { "" }
    }

    /// # Errors
    /// Where so many wires of a type, set at once, are too many, even if nobody reads them.
    pub(super) fn check_set(&self, text: &Text<'_>, kind: u8, count: u64) -> Result<()> {
        let width = self.width(kind.into()) as u64;
        if count.saturating_mul(width) < MOST_LIVE as u64 { Ok(()) } else { Err(self.too_many(text)) }
    }

    /// # Errors
    /// Where too many wires are live.
    pub(super) fn check(&self, text: &Text<'_>) -> Result<()> {
        if let Wiring::Marks { of, .. } = &self.wiring {
            let used: u64 = of.iter().map(Marks::used).sum();
            return if used < MOST_SET {
                Ok(())
            } else {
                Err(text.fail(format_args!("more than {MOST_SET} wires are set: set some of them again")))
            };
        }
        if self.live() < MOST_LIVE {
            return Ok(());
        }
        Err(self.too_many(text))
    }

    /// The error of too many wires.
    #[cold]
    fn too_many(&self, text: &Text<'_>) -> Error {
        let words = self.counted();
        let advice = if self.strict { ", or do not read strictly, which remembers deleted ones" } else { "" };
        text.fail(format_args!(
            "more than {MOST_LIVE} wires are live here{words}: delete those that are not read again{advice}"
        ))
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

    /// Whether word `a` is zero.
    pub(super) fn is_zero(&mut self, kind: u8, a: u32) -> u32 {
        self.gate(Op::IsZero, kind, a, NONE)
    }

    pub(super) fn assert_zero(&mut self, kind: u8, a: u32, line: u64) {
        let at = self.body.long(line);
        self.body.push(Op::Assert, kind, NONE, a, at);
        self.cost.assertions = self.cost.assertions.saturating_add(1);
    }

    /// Demands that the inner product of two lists is zero.
    pub(super) fn assert_inner(&mut self, kind: u8, a: &[u32], b: &[u32], line: u64) {
        let at = self.body.long(line);
        self.body.list(a.iter().copied());
        self.body.list(b.iter().copied());
        self.body.push(Op::AssertInner, kind, NONE, NONE, at);
        self.cost.gates = self.cost.gates.saturating_add((a.len() + b.len()) as u64);
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
