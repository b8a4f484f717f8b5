//! One of several clauses, over a tape: see [`crate::zk::quicksilver::branch`].

use super::{Commitments, Prover};
use crate::circuit::{Backend, Circuit, Clause, Clauses};
use crate::error::Result;
use crate::zk::quicksilver::branch::{Factors, Plan, Replay, Replayed, TAPE, WINDOW, split};
use crate::zk::quicksilver::memory::Party;
use crate::zk::quicksilver::polynomial::Lower;
use core::mem;
use volery_primitives::{Extension, Field};
use zeroize::Zeroizing;

impl<M: Commitments + Replayed> Prover<'_, M> {
    /// Proves that one of `clauses` holds for the rest of the witness, which is the tape.
    ///
    /// # Errors
    /// `Invalid` where a clause is not as it was counted, or malformed; link errors.
    pub(crate) fn one_of<C>(&mut self, plan: &Plan, clauses: &C) -> Result<()>
    where
        C: for<'t> Clauses<Replay<'t, M>> + Sync + ?Sized,
    {
        self.one_of_by(plan, clauses, |_, highest| highest)
    }

    /// The same where w_k is what `joint` makes of the highest coefficient: that itself, if it is honest.
    pub(in super::super) fn one_of_by<C>(
        &mut self,
        plan: &Plan,
        clauses: &C,
        mut joint: impl FnMut(usize, M::E) -> M::E,
    ) -> Result<()>
    where
        C: for<'t> Clauses<Replay<'t, M>> + Sync + ?Sized,
    {
        // 1.
        // Of its full length from the beginning: what grows leaves copies behind.
        let mut tape = Zeroizing::new(Vec::with_capacity(plan.slots));
        for _ in 0..plan.slots {
            tape.push(self.witness()?);
        }
        // 2.
        let challenge = self.challenge(TAPE)?;
        let (seeds, only) = split::<M>(self.arch, challenge);
        // The peer has all that it needs to go on by itself.
        self.channel.flush()?;
        let arch = self.arch;
        let count = plan.shapes.len();
        let (mut groups, mut open) = (Vec::new(), Factors::default());
        for first in (0..count).step_by(WINDOW) {
            let window = first..count.min(first + WINDOW);
            // 3.
            self.steps.begin()?;
            let polynomials = plan.each(window.clone(), &|queue| {
                let mut replay = Replay::<M>::new(arch, &tape, seeds, plan.degree);
                while let Some(clause) = queue.take() {
                    let slots = plan.shapes[clause].size().commitments;
                    let run = |replay: &mut _| Clause::new(clauses, clause).run(replay);
                    queue.put(clause, replay.polynomial(slots, run)?);
                }
                Ok(())
            })?;
            self.steps.end();
            for (clause, polynomial) in window.clone().zip(polynomials) {
                if open.take(&polynomial) == plan.group || clause + 1 == count {
                    groups.push(mem::take(&mut open));
                }
            }
            self.gates.on_tape += plan.products(window);
            self.report();
        }
        // 4. Behind all clauses: here the parties wait for each other.
        let (last, mut before) = (groups.len() - 1, None);
        for (number, mut group) in groups.into_iter().enumerate() {
            let mut product = group.close(before.take());
            let highest = product.pop().expect("one coefficient at least");
            let degree = product.len();
            if number < last {
                let line = self.commit_wide(Some(joint(number, highest)))?;
                self.gates.late += u64::from(<M::E as Extension<M::F>>::DEGREE);
                product[degree - 1] -= line.mac;
                before = Some(line);
            } else {
                self.note(highest == M::E::ZERO, format_args!("one of {count} clauses"));
            }
            if last == 0 {
                product.iter_mut().for_each(|coefficient| *coefficient *= only);
                self.sums.add(&product);
                self.gates.polynomials(1, degree);
            } else {
                self.vanish(Lower::new([1, degree], mem::take(&mut product)))?;
            }
        }
        self.gates.clauses += count as u64;
        self.gates.add += plan.shapes.iter().map(|shape| shape.add).sum::<u64>();
        self.gates.assert += plan.shapes.iter().map(|shape| shape.assert).sum::<u64>();
        Ok(())
    }
}
