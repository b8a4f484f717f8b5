//! The order in which a constraint system is proved: steps, each of which uses wires that are known by then.
//!
//! The order is that in which a witness is computed. Private inputs are committed to. Then the constraints
//! A·B = C that are not linear are taken in the order of the file:
//! - A linear constraint with a single unknown wire defines that wire, as soon as that is so.
//! - If C has an unknown wire with the factor 1 or -1, the product of A and B defines that wire: the product is
//!   committed to, and the constraint needs no assertion.
//! - All other unknown wires of A, B and C are committed to before.
//! - A constraint whose product defines no wire is asserted, which takes no commitment.
//!
//! Linear constraints that have defined no wire are asserted in the end, except where one has a wire that
//! nothing else uses: that wire can be chosen so that the constraint holds.
//!
//! Where nothing at all would be asserted by that, as of `out = a + b`, linear constraints that have a public wire
//! are **bound**: they define nothing, and are asserted. So a witness is one of these public values.
//!
//! So commitments are inputs, hints of the circuit, and products: Poseidon of two inputs has 244 for 520 wires.

use super::constraint::{Constraint, Term};
use super::linear::Linear;
use super::prime::{Limbs, ONE};
use super::{MANY, R1cs};
use volery_channel::error::Result;

/// A visitor that takes the steps. Each error is its own.
pub(super) trait Steps {
    /// A wire to commit to.
    fn commit(&mut self, wire: u32) -> Result<()>;

    /// A wire that is defined: `factor·wire + Σ others = 0`.
    fn define(&mut self, wire: u32, factor: &Limbs, others: &[Term]) -> Result<()>;

    /// A wire that is defined by a product: `A·B = ±wire + Σ others`, where C has the last.
    fn multiply(&mut self, wire: u32, negative: bool, forms: [&[Term]; 3]) -> Result<()>;

    /// A constraint A·B = C that is to be asserted.
    fn assert_product(&mut self, number: u32, forms: [&[Term]; 3]) -> Result<()>;

    /// Linear constraint `number`, to be asserted: that its form is zero.
    fn assert_zero(&mut self, number: u32, terms: &[Term]) -> Result<()>;

    /// The end of a wire, which no later step uses.
    fn forget(&mut self, _wire: u32) {}
}

/// The state of a walk: the wires that are known by now.
struct Known<'a> {
    linear: &'a Linear,
    /// A bit for each wire.
    wires: Vec<u64>,
    /// The uses of each wire that are still to come. Those of the first `fixed` wires are not counted.
    uses: Vec<u8>,
    fixed: u32,
    bound: bool,
    /// For each linear constraint the number of its unknown wires, and the xor of their numbers: where a single
    /// wire is left, the xor is its number.
    unknown: Vec<(u32, u32)>,
    /// For each linear constraint whether it has defined a wire, or need not be asserted.
    done: Vec<bool>,
    /// The linear constraints that came to have a single unknown wire.
    ready: Vec<usize>,
    terms: Vec<Term>,
}

impl R1cs {
    /// Gives each step to `steps`.
    ///
    /// # Errors
    /// `Invalid` where the file is not the one that was opened; those of `steps`.
    pub(super) fn walk(&self, steps: &mut dyn Steps) -> Result<()> {
        let minus_one = self.header.prime.minus_one();
        let mut known = Known::new(self);
        (0..=self.header.public()).for_each(|wire| known.know(wire));
        known.define(steps)?;
        let inputs = self.header.public() + 1..self.header.wires;
        for wire in inputs.take(self.header.private as usize).filter(|wire| self.is_used(*wire)) {
            known.need(wire, steps)?;
        }
        let mut constraint = Constraint::default();
        let mut constraints = self.constraints()?;
        let may_differ = constraints.may_differ();
        let mut terms = Vec::new();
        while constraints.next(&mut constraint)? {
            if constraint.is_linear(&minus_one) {
                if !self.linear.are_held() {
                    constraint.difference(&self.header.prime, &mut terms);
                    if !known.are_expected(&terms) {
                        return Err(self.changed());
                    }
                    known.need_all(&terms, steps)?;
                    steps.assert_zero(constraint.number, &terms)?;
                    known.used(&terms, steps);
                }
                continue;
            }
            if may_differ && !constraint.forms.iter().all(|form| known.are_expected(form)) {
                return Err(self.changed());
            }
            let [a, b, c] = &mut constraint.forms;
            known.need_all(a, steps)?;
            known.need_all(b, steps)?;
            let mut free = known.last_free(c, &minus_one);
            let own = free.map(|at| c[at].wire);
            for term in c.iter().filter(|term| Some(term.wire) != own) {
                known.need(term.wire, steps)?;
            }
            // Committing to the others may have defined it by a linear constraint.
            free = free.filter(|at| !known.has(c[*at].wire));
            if free.is_none() {
                known.need_all(c, steps)?;
            }
            match free {
                Some(at) => {
                    let own @ Term { factor, wire } = c.remove(at);
                    steps.multiply(wire, factor != ONE, [a, b, c])?;
                    known.know(wire);
                    known.define(steps)?;
                    known.used(&[own], steps);
                }
                None => steps.assert_product(constraint.number, [a, b, c])?,
            }
            for form in [a, b, c] {
                known.used(form, steps);
            }
        }
        constraints.end()?;
        known.leave_out();
        for k in 0..self.linear.len() {
            if known.done[k] {
                continue;
            }
            // These commitments may define other wires, even the last one of this constraint.
            for &wire in self.linear.wires(k) {
                if !known.done[k] {
                    known.need(wire, steps)?;
                }
            }
        }
        for k in (0..self.linear.len()).filter(|k| !known.done[*k]) {
            terms.clear();
            terms.extend(self.linear.terms(k));
            steps.assert_zero(self.linear.number(k), &terms)?;
        }
        Ok(())
    }
}

impl<'a> Known<'a> {
    /// The state before the first step: known is only what constraints say by themselves.
    fn new(system: &'a R1cs) -> Self {
        let linear = &system.linear;
        let unknown = |k| {
            let wires = linear.wires(k);
            (wires.len() as u32, wires.iter().fold(0, |sum, wire| sum ^ wire))
        };
        let unknown: Vec<_> = (0..linear.len()).map(unknown).collect();
        let alone = |k: &usize| unknown[*k].0 == 1;
        Self {
            linear,
            wires: vec![0; system.header.wires as usize / 64 + 1],
            uses: system.uses.clone(),
            fixed: system.header.public() + 1,
            bound: system.bound,
            ready: (0..linear.len()).filter(alone).collect(),
            done: vec![false; linear.len()],
            unknown,
            terms: Vec::new(),
        }
    }

    #[inline(always)]
    fn has(&self, wire: u32) -> bool {
        self.wires[wire as usize / 64] >> (wire % 64) & 1 == 1
    }

    /// Takes note of a wire that is known now.
    fn know(&mut self, wire: u32) {
        self.wires[wire as usize / 64] |= 1 << (wire % 64);
        for place in self.linear.with(wire) {
            let k = self.linear.constraint(place);
            let (count, sum) = &mut self.unknown[k];
            *count -= 1;
            *sum ^= wire;
            if *count == 1 {
                self.ready.push(k);
            }
        }
    }

    /// Defines all wires that linear constraints define now.
    #[inline]
    fn define(&mut self, steps: &mut dyn Steps) -> Result<()> {
        while let Some(k) = self.ready.pop() {
            let (count, wire) = self.unknown[k];
            if count != 1 || self.done[k] || self.is_bound(k) {
                continue;
            }
            let mut factor = [0; 4];
            self.terms.clear();
            for term in self.linear.terms(k) {
                if term.wire == wire {
                    factor = term.factor;
                } else {
                    self.terms.push(term);
                }
            }
            steps.define(wire, &factor, &self.terms)?;
            self.done[k] = true;
            self.know(wire);
            self.terms.push(Term { factor, wire });
            let terms = core::mem::take(&mut self.terms);
            self.used(&terms, steps);
            self.terms = terms;
        }
        Ok(())
    }

    /// Whether a linear constraint is to be asserted, since it has a public wire.
    fn is_bound(&self, k: usize) -> bool {
        self.bound && self.linear.wires(k).iter().any(|wire| (1..self.fixed).contains(wire))
    }

    /// Whether a use of each wire is still to come, as it is but in a file that has changed: those that have
    /// none are forgotten.
    fn are_expected(&self, terms: &[Term]) -> bool {
        terms.iter().all(|term| term.wire < self.fixed || self.uses[term.wire as usize] > 0)
    }

    /// Takes note of the uses of wires, of which some were the last.
    fn used(&mut self, terms: &[Term], steps: &mut dyn Steps) {
        for term in terms.iter().filter(|term| term.wire >= self.fixed) {
            let uses = &mut self.uses[term.wire as usize];
            // Of a file that has changed a constraint may have a wire more often than was counted.
            if *uses == MANY || *uses == 0 {
                continue;
            }
            *uses -= 1;
            if *uses == 0 {
                steps.forget(term.wire);
            }
        }
    }

    /// Commits to `wire`, where it is not known.
    fn need(&mut self, wire: u32, steps: &mut dyn Steps) -> Result<()> {
        if self.has(wire) {
            return Ok(());
        }
        steps.commit(wire)?;
        self.know(wire);
        self.define(steps)
    }

    fn need_all(&mut self, terms: &[Term], steps: &mut dyn Steps) -> Result<()> {
        terms.iter().try_for_each(|term| self.need(term.wire, steps))
    }

    /// The place of the last term whose wire a product may define: it has the factor 1 or -1, and is not
    /// known.
    fn last_free(&self, terms: &[Term], minus_one: &Limbs) -> Option<usize> {
        let free = |term: &Term| (term.factor == ONE || term.factor == *minus_one) && !self.has(term.wire);
        terms.iter().rposition(free)
    }

    /// Takes out linear constraints with a wire that is in no other constraint, and goes on with the rest of
    /// them.
    fn leave_out(&mut self) {
        let mut occurs = vec![0u32; if self.linear.len() > 0 { self.wires.len() * 64 } else { 0 }];
        let linear = self.linear;
        let unknown = |known: &Self, k: usize| {
            let wires = linear.wires(k).iter().copied();
            wires.filter(|wire| !known.has(*wire)).collect::<Vec<_>>()
        };
        let open: Vec<_> = (0..linear.len()).filter(|k| !self.done[*k] && self.unknown[*k].0 > 0).collect();
        for &k in &open {
            unknown(self, k).into_iter().for_each(|wire| occurs[wire as usize] += 1);
        }
        let mut alone: Vec<u32> =
            (0..occurs.len() as u32).filter(|wire| occurs[*wire as usize] == 1).collect();
        while let Some(wire) = alone.pop() {
            let mut with = linear.with(wire).map(|place| linear.constraint(place));
            let Some(k) = with.find(|k| !self.done[*k] && !self.is_bound(*k)) else { continue };
            self.done[k] = true;
            for wire in unknown(self, k) {
                occurs[wire as usize] -= 1;
                if occurs[wire as usize] == 1 {
                    alone.push(wire);
                }
            }
        }
    }
}
