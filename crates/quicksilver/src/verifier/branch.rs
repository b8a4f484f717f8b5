//! One of several clauses, over a tape: see [`crate::branch`].

use super::{Commitments, Verifier};
use crate::branch::{KeyReplay, Keyed, Plan, Replayed, TAPE, split};
use crate::memory::Party;
use crate::polynomial::{Keys, power};
use core::{iter, mem};
use volery_channel::error::Result;
use volery_circuit::{Circuit, Clause, Clauses};
use volery_primitives::Extension;
use zeroize::Zeroizing;

impl<M: Commitments + Replayed> Verifier<'_, M> {
    /// Verifies that one of `clauses` holds for the tape, which is what the prover commits to now; of several
    /// claims, for each of the tapes.
    ///
    /// # Errors
    /// `Invalid` where a clause is not as it was counted, or malformed; `Misbehaved`; link errors.
    pub fn one_of<C>(&mut self, plan: &Plan, clauses: &C) -> Result<()>
    where
        C: for<'t> Clauses<KeyReplay<'t, M>> + Sync + ?Sized,
    {
        let mut first = 0;
        while first < plan.claims {
            let claims = plan.held.min(plan.claims - first);
            self.held(plan, (first, claims), clauses)?;
            first += claims;
        }
        let (claims, shapes) = (plan.claims as u64, plan.shapes);
        self.gates.clauses += claims * shapes.len() as u64;
        self.gates.add += claims * shapes.iter().map(|shape| shape.add).sum::<u64>();
        self.gates.assert += claims * shapes.iter().map(|shape| shape.assert).sum::<u64>();
        Ok(())
    }

    /// Verifies `claims` claims, from number `first` on, by one challenge.
    fn held<C>(&mut self, plan: &Plan, (first, claims): (usize, usize), clauses: &C) -> Result<()>
    where
        C: for<'t> Clauses<KeyReplay<'t, M>> + Sync + ?Sized,
    {
        // 1.
        // Of its full length from the beginning: what grows leaves copies behind.
        let mut tapes = Zeroizing::new(Vec::with_capacity(claims * plan.slots));
        for _ in 0..claims * plan.slots {
            tapes.push(self.commit_to()?);
        }
        let tape = |claim: usize| &tapes[claim * plan.slots..][..plan.slots];
        // 2.
        let challenge = self.challenge(TAPE)?;
        self.gates.epochs += u64::from(first > 0);
        let (seeds, only) = split::<M>(self.arch, challenge, if plan.groups() == 1 { claims } else { 0 });
        let arch = self.arch;
        let keys = Zeroizing::new([M::delta(self.delta), *self.one]);
        let count = plan.shapes.len();
        let (mut groups, mut open) = (Vec::with_capacity(claims * plan.groups()), Keyed::default());
        for start in (0..claims * count).step_by(plan.window()) {
            let window = start..(claims * count).min(start + plan.window());
            // 3.
            self.steps.begin()?;
            let polynomials = plan.each(window.clone(), &|queue| {
                let mut replay = KeyReplay::<M>::new(arch, seeds, *keys, plan.degree);
                while let Some(number) = queue.take() {
                    let (claim, clause) = (number / count, number % count);
                    let slots = plan.shapes[clause].size().commitments;
                    let run = |replay: &mut _| Clause::new(clauses, clause).run(replay);
                    queue.put(number, replay.polynomial(tape(claim), slots, run)?);
                }
                Ok(())
            })?;
            self.steps.end();
            for (number, polynomial) in window.clone().zip(polynomials) {
                if open.take(*polynomial, plan.degree) == plan.group || (number + 1) % count == 0 {
                    groups.push(mem::take(&mut open));
                }
            }
            self.gates.on_tape += plan.products(window);
            self.report();
        }
        // 4. Behind all clauses: here the parties wait for each other.
        let (last, mut before) = (plan.groups() - 1, None);
        for (number, mut group) in groups.into_iter().enumerate() {
            let (claim, of_claim) = (number / plan.groups(), number % plan.groups());
            let (mut product, degree) = group.close(before.take());
            if of_claim < last {
                let key = self.commit_wide(None)?;
                self.gates.late += u64::from(<M::E as Extension<M::F>>::degree());
                product -= key * power(keys[0], degree - 1);
                before = Some(key);
            }
            if last == 0 {
                self.sums.add(degree, product * only[claim]);
                self.gates.polynomials(1, degree);
            } else {
                self.vanish(Keys::new(degree, iter::once(product)))?;
            }
        }
        Ok(())
    }
}
