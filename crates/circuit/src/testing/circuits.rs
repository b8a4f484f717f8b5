//! Circuits at random.

use crate::{Alternatives, Backend, Branch, Circuit, Clauses};
use volery_channel::error::Result;
use volery_channel::random::Random;
use volery_primitives::{F2, Field};

/// A gate; operands are numbers of wires, in order of creation.
#[derive(Clone, Copy)]
enum Gate {
    Witness,
    /// The product of two wires.
    Hint(usize, usize),
    /// A wire, and its negation.
    Hints(usize),
    Constant(F2),
    Add(usize, usize),
    Scale(usize, F2),
    And(usize, usize),
}

/// A circuit that was drawn at random, or by hand, and the values that some of its wires
/// are asserted to have.
#[derive(Clone)]
pub struct Arbitrary {
    gates: Vec<Gate>,
    asserted: Vec<(usize, F2)>,
    /// Whether hints are witness, so that evaluation in the clear takes any values for them.
    free: bool,
}

/// Numbers at random.
pub(crate) struct Dice(Random);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        Self(Random::from_seed(&bytes))
    }

    /// A number from 0, below `bound`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0.word().0 as usize % bound
    }

    fn bit(&mut self) -> F2 {
        F2::from(self.below(2) == 1)
    }

    /// Picks one of `count` wires: any, or one of the last few.
    fn wire(&mut self, count: usize) -> usize {
        if self.below(2) == 0 { self.below(count) } else { count - 1 - self.below(count.min(4)) }
    }
}

impl Arbitrary {
    /// A circuit with this many inputs, hints among them, and ANDs. Its first input and a few other wires are
    /// asserted to have the values that one witness gives them: some witnesses satisfy it, and not all.
    pub fn new(seed: u64, inputs: usize, ands: usize) -> Self {
        let mut dice = Dice::new(seed);
        let (mut gates, mut wires, mut given, mut multiplied) = (vec![Gate::Witness], 1, 1, 0);
        while given < inputs || multiplied < ands {
            let (a, b) = (dice.wire(wires), dice.wire(wires));
            // A gate in four has one operand twice.
            let b = if dice.below(4) == 0 { a } else { b };
            let gate = match dice.below(9) {
                0 | 1 if given < inputs => Gate::Witness,
                2 if given < inputs => Gate::Hint(a, b),
                3 if given + 1 < inputs => Gate::Hints(a),
                4 => Gate::Constant(dice.bit()),
                5 => Gate::Scale(a, dice.bit()),
                6 => Gate::Add(a, b),
                _ if multiplied < ands => Gate::And(a, b),
                _ => continue,
            };
            match gate {
                Gate::Witness | Gate::Hint(..) => given += 1,
                Gate::Hints(_) => given += 2,
                Gate::And(..) => multiplied += 1,
                _ => {}
            }
            wires += if matches!(gate, Gate::Hints(_)) { 2 } else { 1 };
            gates.push(gate);
        }
        let mut circuit = Self { gates, asserted: vec![], free: false };
        let witness: Vec<F2> = (0..inputs).map(|_| dice.bit()).collect();
        let values = circuit.values(&witness);
        let others: Vec<usize> = (0..dice.below(3)).map(|_| dice.wire(wires)).chain([wires - 1]).collect();
        circuit.asserted = core::iter::once(0).chain(others).map(|wire| (wire, values[wire])).collect();
        circuit
    }

    /// A circuit that every witness of `inputs` bits satisfies, with two ANDs for each.
    pub fn always(inputs: usize) -> Self {
        let mut circuit = Self { gates: vec![Gate::Witness; inputs], asserted: vec![], free: false };
        for i in 0..inputs {
            let product = circuit.gates.len();
            circuit.gates.push(Gate::And(i, (i + 1) % inputs));
            circuit.gates.push(Gate::And(product, i));
            circuit.gates.push(Gate::Add(product, product + 1));
            circuit.asserted.push((product + 2, F2::ZERO));
        }
        circuit
    }

    /// "The one bit of the witness is `value`": an output that is an input, or its negation, and no gate.
    pub fn input_is(value: F2) -> Self {
        Self { gates: vec![Gate::Witness], asserted: vec![(0, value)], free: false }
    }

    /// Another circuit of the same shape: the operands of each AND are swapped.
    pub fn swapped(&self) -> Self {
        let mut other = self.clone();
        for gate in &mut other.gates {
            if let Gate::And(a, b) = gate {
                core::mem::swap(a, b);
            }
        }
        other
    }

    /// Another circuit of the same shape: every AND is of the first input with itself.
    pub fn telling(&self) -> Self {
        let mut other = self.clone();
        for gate in &mut other.gates {
            if let Gate::And(a, b) = gate {
                (*a, *b) = (0, 0);
            }
        }
        other
    }

    /// A copy of the circuit with hints for witness.
    pub fn free(&self) -> Self {
        Self { free: true, ..self.clone() }
    }

    /// The number of inputs, hints among them.
    pub fn inputs(&self) -> usize {
        let inputs = self.gates.iter().map(|gate| match gate {
            Gate::Witness | Gate::Hint(..) => 1,
            Gate::Hints(_) => 2,
            _ => 0,
        });
        inputs.sum()
    }

    /// Whether all assertions hold for `inputs`, by plain evaluation.
    pub fn holds(&self, inputs: &[F2]) -> bool {
        let values = self.values(inputs);
        self.asserted.iter().all(|&(wire, value)| values[wire] == value)
    }

    fn values(&self, inputs: &[F2]) -> Vec<F2> {
        let mut inputs = inputs.iter().copied();
        let mut next = || inputs.next().expect("as many as there are");
        let mut values = Vec::new();
        for gate in &self.gates {
            let value = match *gate {
                Gate::Witness | Gate::Hint(..) => next(),
                Gate::Hints(_) => {
                    values.push(next());
                    next()
                }
                Gate::Constant(c) => c,
                Gate::Add(a, b) => values[a] + values[b],
                Gate::Scale(a, c) => values[a] * c,
                Gate::And(a, b) => values[a] * values[b],
            };
            values.push(value);
        }
        values
    }
}

impl<B: Backend<F = F2>> Circuit<B> for Arbitrary {
    fn run(&self, b: &mut B) -> Result<()> {
        let mut wires: Vec<B::Wire> = Vec::new();
        for gate in &self.gates {
            let wire = match *gate {
                Gate::Witness => b.witness()?,
                Gate::Hint(..) if self.free => b.witness()?,
                Gate::Hint(x, y) => b.hint(&[wires[x], wires[y]], |values| values[0] * values[1])?,
                Gate::Hints(_) if self.free => {
                    wires.push(b.witness()?);
                    b.witness()?
                }
                Gate::Hints(x) => {
                    let pair = b.hints(&[wires[x]], 2, |values| vec![values[0], values[0] + F2::ONE])?;
                    wires.push(pair[0]);
                    pair[1]
                }
                Gate::Constant(c) => b.constant(c),
                Gate::Add(x, y) => b.add(wires[x], wires[y]),
                Gate::Scale(x, c) => b.scale(wires[x], c),
                Gate::And(x, y) => b.mul(wires[x], wires[y])?,
            };
            wires.push(wire);
        }
        for &(wire, value) in &self.asserted {
            let value = b.constant(value);
            let difference = b.add(wires[wire], value);
            b.assert_zero(difference, format_args!("wire {wire}"))?;
        }
        Ok(())
    }
}

/// Clauses of a disjunction.
pub struct Several(pub Vec<Arbitrary>);

impl Alternatives for Several {
    fn count(&self) -> usize {
        self.0.len()
    }
}

impl<B: Backend<F = F2>> Clauses<B> for Several {
    fn run(&self, clause: usize, b: &mut Branch<'_, B>) -> Result<()> {
        self.0[clause].run(b)
    }
}

/// All strings of so many bits.
pub fn strings(bits: usize) -> impl Iterator<Item = Vec<F2>> {
    (0u128..1 << bits).map(move |string| (0..bits).map(|i| F2::low_bit(string >> i)).collect())
}
