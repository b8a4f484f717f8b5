//! The sums and products by which a cover is computed.
//!
//! All gates on two nodes, negated or not, share one product: (1 + a)·b = b + a·b. Constants are folded,
//! and negations wait until a sink needs them.

use super::logic::{Gate, Literal, Logic};
use super::recognise::{Cover, Way};
use volery_channel::error::{Error, Result};

/// Sums and products of nodes: node 0 is zero, then come inputs and latches, then the operations. A gate
/// has no negated operands.
#[derive(Debug, Default)]
pub(super) struct Operations {
    pub(super) first: u32,
    pub(super) operations: Vec<Gate>,
    /// The literal of each sink, in the order of [`Logic::sinks`].
    pub(super) sinks: Vec<Literal>,
}

/// The operations that are remembered, to be taken again: as many as fit into the cache of a core.
const REMEMBERED: usize = 1 << 14;

/// The last number of a node.
const LAST: usize = u32::MAX as usize / 2 - 8;

impl Operations {
    /// The operations of `cover`.
    ///
    /// # Errors
    /// `Invalid` where it has 2^31 operations or more.
    pub(super) fn new(logic: &Logic, cover: &Cover) -> Result<Self> {
        let mut made = Emitter::new(logic);
        for (k, gate) in logic.gates.iter().enumerate() {
            let Some(way) = cover.way(k) else {
                made.literals.push(Literal::ZERO);
                continue;
            };
            let [a, b] = gate.operands().map(|operand| made.literal(operand));
            let literal = match way {
                Way::Gate if gate.is_xor() => made.add(a, b),
                Way::Gate => made.and(a, b),
                Way::Sum if gate.is_xor() => made.add(a, b),
                Way::Sum => made.add(a, b).flip(true),
                Way::Cut => made.cut(cover.cut(k)),
            };
            made.literals.push(literal);
            if made.operations.len() + (made.first as usize) > LAST {
                return Err(Error::invalid("the circuit has 2^31 gates or more: split it"));
            }
        }
        let sinks = logic.sinks().map(|sink| made.literal(sink)).collect();
        Ok(Self { first: made.first, operations: made.operations, sinks })
    }
}

struct Emitter {
    first: u32,
    operations: Vec<Gate>,
    /// The literal in the emitted netlist for each node of the logic.
    literals: Vec<Literal>,
    /// Operations with their nodes, where their operands hash to.
    remembered: Vec<(Gate, u32)>,
}

impl Emitter {
    fn new(logic: &Logic) -> Self {
        let first = logic.first_gate();
        let mut literals = Vec::with_capacity(first as usize + logic.gates.len());
        literals.extend((0..first).map(Literal::of));
        let places = logic.gates.len().next_power_of_two().clamp(16, REMEMBERED);
        let none = (Gate::and(Literal::ZERO, Literal::ZERO), 0);
        Self { first, operations: Vec::new(), literals, remembered: vec![none; places] }
    }

    #[inline(always)]
    fn literal(&self, of: Literal) -> Literal {
        self.literals[of.node() as usize].flip(of.negated())
    }

    /// The node of an operation, which may be there already.
    #[inline(always)]
    fn node(&mut self, gate: Gate) -> Literal {
        let [a, b] = gate.operands().map(|literal| u64::from(literal.0));
        let hash = (a ^ b.rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let place = (hash >> 32) as usize & (self.remembered.len() - 1);
        let (known, node) = self.remembered[place];
        if known == gate {
            return Literal::of(node);
        }
        let node = self.first + self.operations.len() as u32;
        self.operations.push(gate);
        self.remembered[place] = (gate, node);
        Literal::of(node)
    }

    #[inline(always)]
    fn add(&mut self, a: Literal, b: Literal) -> Literal {
        let flipped = a.negated() ^ b.negated();
        let [a, b] = [a, b].map(|literal| literal.flip(literal.negated()));
        let sum = match (a, b) {
            (Literal::ZERO, other) | (other, Literal::ZERO) => other,
            _ if a == b => Literal::ZERO,
            _ => self.node(Gate::xor(a, b)),
        };
        sum.flip(flipped)
    }

    #[inline(always)]
    fn and(&mut self, a: Literal, b: Literal) -> Literal {
        match (a, b) {
            (Literal::ZERO, _) | (_, Literal::ZERO) => return Literal::ZERO,
            (Literal::ONE, other) | (other, Literal::ONE) => return other,
            _ if a == b => return a,
            _ if a.node() == b.node() => return Literal::ZERO,
            _ => {}
        }
        let [x, y] = [a, b].map(|literal| literal.flip(literal.negated()));
        let mut product = self.node(Gate::and(x, y));
        if b.negated() {
            product = self.add(product, x);
        }
        if a.negated() {
            product = self.add(product, y);
        }
        product.flip(a.negated() && b.negated())
    }

    /// A function of degree two at most.
    fn cut(&mut self, cut: &super::cut::Cut) -> Literal {
        let mut leaves = [Literal::ZERO; 3];
        for (leaf, &node) in leaves.iter_mut().zip(cut.nodes()) {
            *leaf = self.literals[node as usize];
        }
        let [a, b, c] = leaves;
        let polynomial = cut.polynomial();
        let has = |product: u8| polynomial >> product & 1 == 1;
        // One product of two sums has the terms of degree two.
        let mut sum = match (has(0b011), has(0b101), has(0b110)) {
            (false, false, false) => Literal::ZERO,
            (true, false, false) => self.and(a, b),
            (false, true, false) => self.and(a, c),
            (false, false, true) => self.and(b, c),
            (true, true, false) => self.of_sum(a, b, c),
            (true, false, true) => self.of_sum(b, a, c),
            (false, true, true) => self.of_sum(c, a, b),
            (true, true, true) => {
                let (left, right) = (self.add(a, b), self.add(a, c));
                let product = self.and(left, right);
                self.add(product, a)
            }
        };
        for (place, leaf) in leaves.into_iter().enumerate() {
            if has(1 << place) {
                sum = self.add(sum, leaf);
            }
        }
        sum.flip(has(0))
    }

    /// `a·(b + c)`.
    fn of_sum(&mut self, a: Literal, b: Literal, c: Literal) -> Literal {
        let sum = self.add(b, c);
        self.and(a, sum)
    }
}
