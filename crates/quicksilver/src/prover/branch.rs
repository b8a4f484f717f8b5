//! One of several clauses, over a tape: see [`crate::branch`].

use super::{Commitments, Prover};
use crate::branch::{Factors, Plan, Replay, Replayed, TAPE, split};
use crate::memory::Party;
use crate::polynomial::Lower;
use core::mem;
use volery_channel::error::Result;
use volery_circuit::{Backend, Circuit, Clause, Clauses};
use volery_primitives::{Extension, Field};
use zeroize::Zeroizing;

impl<M: Commitments + Replayed> Prover<'_, M> {
    /// Proves that one of `clauses` holds for the rest of the witness, which is the tape; of several claims, the
    /// tapes one after the other.
    ///
    /// # Errors
    /// `Invalid` where a clause is not as it was counted, or malformed; link errors.
    pub fn one_of<C>(&mut self, plan: &Plan, clauses: &C) -> Result<()>
    where
        C: for<'t> Clauses<Replay<'t, M>> + Sync + ?Sized,
    {
        self.one_of_by(plan, clauses, |_, highest| highest)
    }

    /// Proves one of the clauses, with w_k computed by `joint` from the highest coefficient, which an honest
    /// prover takes as it is.
    pub fn one_of_by<C>(
        &mut self,
        plan: &Plan,
        clauses: &C,
        mut joint: impl FnMut(usize, M::E) -> M::E,
    ) -> Result<()>
    where
        C: for<'t> Clauses<Replay<'t, M>> + Sync + ?Sized,
    {
        let mut first = 0;
        while first < plan.claims {
            let claims = plan.held.min(plan.claims - first);
            self.held(plan, (first, claims), clauses, &mut joint)?;
            first += claims;
        }
        let (claims, shapes) = (plan.claims as u64, plan.shapes);
        self.gates.clauses += claims * shapes.len() as u64;
        self.gates.add += claims * shapes.iter().map(|shape| shape.add).sum::<u64>();
        self.gates.assert += claims * shapes.iter().map(|shape| shape.assert).sum::<u64>();
        Ok(())
    }

    /// Proves `claims` claims, from number `first` on, by one challenge.
    fn held<C>(
        &mut self,
        plan: &Plan,
        (first, claims): (usize, usize),
        clauses: &C,
        joint: &mut impl FnMut(usize, M::E) -> M::E,
    ) -> Result<()>
    where
        C: for<'t> Clauses<Replay<'t, M>> + Sync + ?Sized,
    {
        // 1.
        // Of its full length from the beginning: what grows leaves copies behind.
        let mut tapes = Zeroizing::new(Vec::with_capacity(claims * plan.slots));
        for _ in 0..claims * plan.slots {
            tapes.push(self.witness()?);
        }
        let tape = |claim: usize| &tapes[claim * plan.slots..][..plan.slots];
        // 2.
        let challenge = self.challenge(TAPE)?;
        self.gates.epochs += u64::from(first > 0);
        let (seeds, only) = split::<M>(self.arch, challenge, if plan.groups() == 1 { claims } else { 0 });
        // The peer has all that it needs to go on by itself.
        self.channel.flush()?;
        let arch = self.arch;
        let count = plan.shapes.len();
        let (mut groups, mut open) = (Vec::with_capacity(claims * plan.groups()), Factors::default());
        for start in (0..claims * count).step_by(plan.window()) {
            let window = start..(claims * count).min(start + plan.window());
            // 3.
            self.steps.begin()?;
            let polynomials = plan.each(window.clone(), &|queue| {
                let mut replay = Replay::<M>::new(arch, seeds, plan.degree);
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
                if open.take(&polynomial) == plan.group || (number + 1) % count == 0 {
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
            let mut product = group.close(before.take());
            let highest = product.pop().expect("one coefficient at least");
            let degree = product.len();
            if of_claim < last {
                let line = self.commit_wide(Some(joint(first * plan.groups() + number, highest)))?;
                self.gates.late += u64::from(<M::E as Extension<M::F>>::degree());
                product[degree - 1] -= line.mac;
                before = Some(line);
            } else if plan.claims > 1 {
                let claim = first + claim;
                self.note(highest == M::E::ZERO, format_args!("one of {count} clauses, in claim {claim}"));
            } else {
                self.note(highest == M::E::ZERO, format_args!("one of {count} clauses"));
            }
            if last == 0 {
                product.iter_mut().for_each(|coefficient| *coefficient *= only[claim]);
                self.sums.add(&product);
                self.gates.polynomials(1, degree);
            } else {
                self.vanish(Lower::new([1, degree], mem::take(&mut product)))?;
            }
        }
        Ok(())
    }
}
