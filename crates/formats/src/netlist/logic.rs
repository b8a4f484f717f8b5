//! The gates of a file, in any format: what a reader makes.

use std::collections::BTreeMap;
use zeroize::DefaultIsZeroes;

/// A node, or its negation: twice the number of the node, and one more where it is negated. Node 0 is the
/// constant zero.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(crate) struct Literal(pub(crate) u32);

impl DefaultIsZeroes for Literal {}

impl Literal {
    pub(crate) const ZERO: Self = Self(0);
    pub(crate) const ONE: Self = Self(1);

    /// The node as it is.
    #[inline(always)]
    pub(crate) fn of(node: u32) -> Self {
        Self(node << 1)
    }

    #[inline(always)]
    pub(crate) fn node(self) -> u32 {
        self.0 >> 1
    }

    #[inline(always)]
    pub(crate) fn negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// The literal, negated where `by` says so.
    #[inline(always)]
    pub(crate) fn flip(self, by: bool) -> Self {
        Self(self.0 ^ u32::from(by))
    }

    #[inline(always)]
    pub(crate) fn is_constant(self) -> bool {
        self.0 < 2
    }
}

/// A gate of two literals. Which of the two kinds it is shows in their order, so that a gate has 8 bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Gate(Literal, Literal);

impl Gate {
    /// `a ∧ b`.
    #[inline(always)]
    pub(crate) fn and(a: Literal, b: Literal) -> Self {
        if a <= b { Self(a, b) } else { Self(b, a) }
    }

    /// `a ⊕ b` of two literals that differ.
    #[inline(always)]
    pub(crate) fn xor(a: Literal, b: Literal) -> Self {
        debug_assert_ne!(a, b);
        if a > b { Self(a, b) } else { Self(b, a) }
    }

    #[inline(always)]
    pub(crate) fn is_xor(self) -> bool {
        self.0 > self.1
    }

    #[inline(always)]
    pub(crate) fn operands(self) -> [Literal; 2] {
        [self.0, self.1]
    }

    /// A gate of these operands, folded: a literal where that is all it is, or else the gate.
    pub(crate) fn folded(xor: bool, a: Literal, b: Literal) -> core::result::Result<Literal, Self> {
        if xor {
            match (a, b) {
                (Literal::ZERO, other) | (other, Literal::ZERO) => Ok(other),
                (Literal::ONE, other) | (other, Literal::ONE) => Ok(other.flip(true)),
                _ if a.node() == b.node() => Ok(Literal::ZERO.flip(a != b)),
                _ => Err(Self::xor(a, b)),
            }
        } else {
            match (a, b) {
                (Literal::ZERO, _) | (_, Literal::ZERO) => Ok(Literal::ZERO),
                (Literal::ONE, other) | (other, Literal::ONE) => Ok(other),
                _ if a == b => Ok(a),
                _ if a.node() == b.node() => Ok(Literal::ZERO),
                _ => Err(Self::and(a, b)),
            }
        }
    }
}

/// The first value of a latch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Start {
    Bit(bool),
    /// A value that the file leaves open.
    Free,
}

/// A latch: its value in the next step, and the first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Latch {
    pub(crate) next: Literal,
    pub(crate) start: Start,
}

/// Names of inputs or the like, by their numbers.
pub(crate) type Names = BTreeMap<u32, String>;

/// A circuit: node 0 is zero, then come the inputs, the latches, and the gates, each behind its operands.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Logic {
    pub(crate) inputs: u32,
    pub(crate) latches: Vec<Latch>,
    pub(crate) gates: Vec<Gate>,
    pub(crate) outputs: Vec<Literal>,
    /// The literals that are one in a bad state.
    pub(crate) bad: Vec<Literal>,
    /// The literals that have to be one in every step.
    pub(crate) constraints: Vec<Literal>,
    pub(crate) input_names: Names,
    pub(crate) output_names: Names,
    pub(crate) bad_names: Names,
    pub(crate) constraint_names: Names,
}

impl Logic {
    /// The number of inputs and latches.
    pub(crate) fn leaves(&self) -> u32 {
        self.inputs + self.latches.len() as u32
    }

    /// The node of the first gate.
    pub(crate) fn first_gate(&self) -> u32 {
        self.leaves() + 1
    }

    /// The number of ANDs.
    pub(crate) fn ands(&self) -> u64 {
        self.gates.iter().filter(|gate| !gate.is_xor()).count() as u64
    }

    /// For each input, whether a gate or a sink reads it.
    pub(super) fn read(&self) -> Vec<bool> {
        let mut read = vec![false; self.inputs as usize + 1];
        let operands = self.gates.iter().flat_map(|gate| gate.operands());
        for literal in operands.chain(self.sinks()) {
            if let Some(read) = read.get_mut(literal.node() as usize) {
                *read = true;
            }
        }
        read.remove(0);
        read
    }

    /// The logic without gates that are equal to a constant or to an operand, or `None` where there are no
    /// such gates. Names are left out.
    pub(super) fn folded(&self) -> Option<Self> {
        let folds = |gate: &Gate| {
            let [a, b] = gate.operands();
            a.is_constant() || b.is_constant() || a.node() == b.node()
        };
        if !self.gates.iter().any(folds) {
            return None;
        }
        let first = self.first_gate();
        let mut literals: Vec<Literal> = (0..first).map(Literal::of).collect();
        literals.reserve_exact(self.gates.len());
        let mut gates = Vec::new();
        let of = |literals: &[Literal], literal: Literal| {
            literals[literal.node() as usize].flip(literal.negated())
        };
        for gate in &self.gates {
            let [a, b] = gate.operands().map(|operand| of(&literals, operand));
            literals.push(match Gate::folded(gate.is_xor(), a, b) {
                Ok(literal) => literal,
                Err(gate) => {
                    gates.push(gate);
                    Literal::of(first + gates.len() as u32 - 1)
                }
            });
        }
        let list = |list: &[Literal]| list.iter().map(|literal| of(&literals, *literal)).collect();
        let latches = self.latches.iter();
        Some(Self {
            inputs: self.inputs,
            latches: latches.map(|latch| Latch { next: of(&literals, latch.next), ..*latch }).collect(),
            gates,
            outputs: list(&self.outputs),
            bad: list(&self.bad),
            constraints: list(&self.constraints),
            ..Self::default()
        })
    }

    /// The logic with zero for the next value of each latch. Names are left out.
    pub(super) fn without_next(&self) -> Self {
        let latches = self.latches.iter().map(|latch| Latch { next: Literal::ZERO, ..*latch });
        Self {
            inputs: self.inputs,
            latches: latches.collect(),
            gates: self.gates.clone(),
            outputs: self.outputs.clone(),
            bad: self.bad.clone(),
            constraints: self.constraints.clone(),
            ..Self::default()
        }
    }

    /// The literals that are needed in the end of a step, in order: outputs, bad states, constraints, next
    /// states.
    pub(super) fn sinks(&self) -> impl Iterator<Item = Literal> + '_ {
        let now = self.outputs.iter().chain(&self.bad).chain(&self.constraints);
        now.copied().chain(self.latches.iter().map(|latch| latch.next))
    }
}
