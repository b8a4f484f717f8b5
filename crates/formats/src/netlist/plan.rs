//! Places of values in the table of wires: those of live wires are all that a run holds.

use super::emit::Operations;
use super::logic::Literal;

/// An operation on places: a sum or a product of two, put on a third.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operation {
    /// The highest bit tells a product.
    out: u32,
    /// The highest bit tells that nothing reads this place again.
    operands: [u32; 2],
}

const MARK: u32 = 1 << 31;

impl Operation {
    #[inline(always)]
    pub(super) fn is_product(self) -> bool {
        self.out & MARK != 0
    }

    #[inline(always)]
    pub(super) fn out(self) -> usize {
        (self.out & !MARK) as usize
    }

    /// The places of the operands, and whether each of them is read for the last time.
    #[inline(always)]
    pub(super) fn operands(self) -> [(usize, bool); 2] {
        self.operands.map(|operand| ((operand & !MARK) as usize, operand & MARK != 0))
    }
}

/// The place of a sink.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sink {
    Constant(bool),
    /// A place in the table, and whether the sink is its negation.
    At(u32, bool),
}

/// One step of the circuit, with the slots of all values.
#[derive(Debug, Default)]
pub(super) struct PlacePlan {
    pub(super) operations: Vec<Operation>,
    /// The place of each input and latch, where anything reads it.
    pub(super) leaves: Vec<Option<u32>>,
    /// The places of the sinks, in the order of [`Logic::sinks`](super::logic::Logic::sinks).
    pub(super) sinks: Vec<Sink>,
    /// The length of the table of wires.
    pub(super) places: usize,
    /// Products in a step.
    pub(super) products: u64,
}

impl PlacePlan {
    pub(super) fn new(sums: &Operations) -> Self {
        let first = sums.first as usize;
        let nodes = first + sums.operations.len();
        // Backwards, who reads a value first reads it last.
        let mut read = vec![false; nodes];
        sums.sinks.iter().for_each(|sink| read[sink.node() as usize] = true);
        let mut last = vec![[false; 2]; sums.operations.len()];
        for (k, operation) in sums.operations.iter().enumerate().rev() {
            if read[first + k] {
                last[k] = operation.operands().map(|operand| {
                    let read = &mut read[operand.node() as usize];
                    !core::mem::replace(read, true)
                });
            }
        }
        let mut plan = Self::default();
        let mut places = vec![0u32; nodes];
        let mut free: Vec<u32> = Vec::new();
        let mut taken = 0;
        let mut take = |free: &mut Vec<u32>| {
            free.pop().unwrap_or_else(|| {
                taken += 1;
                taken - 1
            })
        };
        plan.leaves = (1..first)
            .map(|leaf| {
                let place = read[leaf].then(|| take(&mut free))?;
                places[leaf] = place;
                Some(place)
            })
            .collect();
        plan.operations.reserve_exact(read[first..].iter().filter(|read| **read).count());
        for (k, operation) in sums.operations.iter().enumerate() {
            if !read[first + k] {
                continue;
            }
            let operands = operation.operands().map(|operand| places[operand.node() as usize]);
            for (place, last) in operands.into_iter().zip(last[k]) {
                if last {
                    free.push(place);
                }
            }
            let out = take(&mut free);
            places[first + k] = out;
            let product = !operation.is_xor();
            plan.products += u64::from(product);
            let mark = |mark: bool| if mark { MARK } else { 0 };
            let operands = [operands[0] | mark(last[k][0]), operands[1] | mark(last[k][1])];
            plan.operations.push(Operation { out: out | mark(product), operands });
        }
        plan.places = taken as usize;
        let sink = |literal: &Literal| {
            if literal.is_constant() {
                Sink::Constant(literal.negated())
            } else {
                Sink::At(places[literal.node() as usize], literal.negated())
            }
        };
        plan.sinks = sums.sinks.iter().map(sink).collect();
        plan
    }
}
