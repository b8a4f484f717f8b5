//! One of several clauses, over a tape: see [`crate::zk::quicksilver::branch`].

use super::{Commitments, Verifier};
use crate::circuit::{Circuit, Clause, Clauses};
use crate::error::Result;
use crate::zk::quicksilver::branch::{KeyReplay, Keyed, Plan, Replayed, TAPE, WINDOW, split};
use crate::zk::quicksilver::memory::Party;
use crate::zk::quicksilver::polynomial::{Keys, power};
use core::{iter, mem};
use volery_primitives::Extension;
use zeroize::Zeroizing;

impl<M: Commitments + Replayed> Verifier<'_, M> {
    /// Verifies that one of `clauses` holds for the tape, which is what the prover commits to now.
    ///
    /// # Errors
    /// `Invalid` where a clause is not as it was counted, or malformed; `Misbehaved`; link errors.
    pub(crate) fn one_of<C>(&mut self, plan: &Plan, clauses: &C) -> Result<()>
    where
        C: for<'t> Clauses<KeyReplay<'t, M>> + Sync + ?Sized,
    {
        // 1.
        // Of its full length from the beginning: what grows leaves copies behind.
        let mut tape = Zeroizing::new(Vec::with_capacity(plan.slots));
        for _ in 0..plan.slots {
            tape.push(self.commit_to()?);
        }
        // 2.
        let challenge = self.challenge(TAPE)?;
        let (seeds, only) = split::<M>(self.arch, challenge);
        let arch = self.arch;
        let keys = Zeroizing::new([M::delta(self.delta), *self.one]);
        let count = plan.shapes.len();
        let (mut groups, mut open) = (Vec::new(), Keyed::default());
        for first in (0..count).step_by(WINDOW) {
            let window = first..count.min(first + WINDOW);
            // 3.
            self.steps.begin()?;
            let polynomials = plan.each(window.clone(), &|queue| {
                let mut replay = KeyReplay::<M>::new(arch, &tape, seeds, *keys, plan.degree);
                while let Some(clause) = queue.take() {
                    let slots = plan.shapes[clause].size().commitments;
                    let run = |replay: &mut _| Clause::new(clauses, clause).run(replay);
                    queue.put(clause, replay.polynomial(slots, run)?);
                }
                Ok(())
            })?;
            self.steps.end();
            for (clause, polynomial) in window.clone().zip(polynomials) {
                if open.take(*polynomial, plan.degree) == plan.group || clause + 1 == count {
                    groups.push(mem::take(&mut open));
                }
            }
            self.gates.on_tape += plan.products(window);
            self.report();
        }
        // 4. Behind all clauses: here the parties wait for each other.
        let (last, mut before) = (groups.len() - 1, None);
        for (number, mut group) in groups.into_iter().enumerate() {
            let (mut product, degree) = group.close(before.take());
            if number < last {
                let key = self.commit_wide(None)?;
                self.gates.late += u64::from(<M::E as Extension<M::F>>::DEGREE);
                product -= key * power(keys[0], degree - 1);
                before = Some(key);
            }
            if last == 0 {
                self.sums.add(degree, product * only);
                self.gates.polynomials(1, degree);
            } else {
                self.vanish(Keys::new(degree, iter::once(product)))?;
            }
        }
        self.gates.clauses += count as u64;
        self.gates.add += plan.shapes.iter().map(|shape| shape.add).sum::<u64>();
        self.gates.assert += plan.shapes.iter().map(|shape| shape.assert).sum::<u64>();
        Ok(())
    }
}
