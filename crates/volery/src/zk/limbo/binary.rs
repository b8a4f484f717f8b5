//! Circuits over F_2, run by passes.

use super::challenges::Challenges;
use super::claim::{Entries, Factors};
use super::pass::{Corrections, Made, Pass};
use super::shared::Shared;
use super::shares::Share;
use super::simulation::Views;
use super::talk::{Hear, Tell};
use super::tape::Tapes;
use super::{Terms, prover, verifier};
use crate::circuit::Circuit;
use crate::error::Result;
use core::ops::Range;
use std::thread;
use volery_primitives::{CheckField, F2};

/// The prover at the gates.
pub(super) struct Prover<'a, C> {
    terms: &'a Terms<'a>,
    circuit: &'a C,
    values: &'a [F2],
    factors: Factors,
    made: Vec<(usize, Made)>,
}

impl<'a, C> Prover<'a, C> {
    pub(super) fn new(terms: &'a Terms<'a>, circuit: &'a C, values: &'a [F2]) -> Self {
        Self { terms, circuit, values, factors: Factors::default(), made: vec![] }
    }
}

/// Calls `pass` for each of `ranges`, on so many threads.
fn each<T: Send>(
    threads: usize,
    ranges: Vec<Range<usize>>,
    pass: impl Fn(Range<usize>) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let mut done = vec![];
    for ranges in ranges.chunks(threads.max(1)) {
        if let [range] = ranges {
            done.push(pass(range.clone())?);
            continue;
        }
        let results = thread::scope(|scope| {
            let running: Vec<_> = ranges.iter().map(|range| scope.spawn(|| pass(range.clone()))).collect();
            running.into_iter().map(|pass| pass.join().expect("passes do not panic")).collect::<Vec<_>>()
        });
        for result in results {
            done.push(result?);
        }
    }
    Ok(done)
}

impl<E: CheckField, C: for<'v> Circuit<Views<'v>> + Sync> prover::Statement<E> for Prover<'_, C> {
    fn commit(&mut self, tapes: &[Tapes]) -> Result<Vec<[[u8; 32]; 3]>> {
        let scope = self.terms.scope(tapes);
        let passes = each(self.terms.threads, scope.passes(self.terms.threads), |range| {
            let factors = (range.start == 0).then(Factors::default);
            let corrections = Corrections::Made { values: self.values, made: Made::default(), factors };
            let mut pass = Pass::new(&scope, range.clone(), corrections, None);
            pass.run(self.circuit)?;
            let said: Vec<_> = pass.said.iter().map(|said| said.digests()).collect();
            let Corrections::Made { made, factors, .. } = pass.corrections else { unreachable!("as given") };
            Ok((said, (range.len(), made), factors))
        })?;
        let mut said = vec![];
        for (digests, made, factors) in passes {
            said.extend(digests);
            self.made.push(made);
            self.factors = factors.unwrap_or(core::mem::take(&mut self.factors));
        }
        Ok(said)
    }

    fn entries(&mut self, _: &Challenges<E>) -> Result<&dyn Entries<E>> {
        Ok(&self.factors)
    }

    fn shares(&mut self, tapes: &[Tapes], challenges: &Challenges<E>) -> Result<Vec<Share<E>>> {
        let scope = self.terms.scope(tapes);
        let shares = each(self.terms.threads, scope.passes(self.terms.threads), |range| {
            let mut shares = self.terms.shares(challenges, range.clone());
            Pass::new(&scope, range, Corrections::Past, Some(&mut shares)).run(self.circuit)?;
            Ok(shares.finish())
        })?;
        Ok(shares.concat())
    }

    fn correct(&mut self, talk: &mut dyn Tell) -> Result<()> {
        let tiles = self.made.first().map_or(0, |(_, made)| made.lengths.len());
        let mut at = vec![0; self.made.len()];
        let mut message = vec![];
        for tile in 0..tiles {
            message.clear();
            for ((repetitions, made), at) in self.made.iter().zip(&mut at) {
                let length = made.lengths[tile] * repetitions;
                message.extend_from_slice(&made.bytes[*at..*at + length]);
                *at += length;
            }
            talk.say(&message)?;
        }
        Ok(())
    }
}

/// The verifier at the gates.
pub(super) struct Verifier<'a, C> {
    terms: &'a Terms<'a>,
    circuit: &'a C,
}

impl<'a, C> Verifier<'a, C> {
    pub(super) fn new(terms: &'a Terms<'a>, circuit: &'a C) -> Self {
        Self { terms, circuit }
    }
}

impl<E: CheckField, C: for<'v> Circuit<Views<'v>> + Sync> verifier::Statement<E> for Verifier<'_, C> {
    fn follow(
        &mut self,
        tapes: &[Tapes],
        challenges: &Challenges<E>,
        talk: &mut dyn Hear,
    ) -> Result<verifier::Seen<E>> {
        let scope = self.terms.scope(tapes);
        let run = |range: Range<usize>, talk: &mut dyn Hear| {
            let mut shares = self.terms.shares(challenges, range.clone());
            let mut pass = Pass::new(&scope, range, Corrections::Heard(talk), Some(&mut shares));
            pass.run(self.circuit)?;
            let said: Vec<_> = pass.said.iter().map(|said| said.digests()).collect();
            drop(pass);
            Ok((said, shares.finish()))
        };
        let ranges = scope.passes(self.terms.threads);
        if ranges.len() == 1 {
            // Nothing is kept of the corrections.
            return run(0..tapes.len(), talk);
        }
        let shared = Shared::new(talk, ranges.len());
        let passes = each(self.terms.threads, ranges, |range| run(range, &mut shared.listener()))?;
        let (mut said, mut shares) = (vec![], vec![]);
        for (digests, sums) in passes {
            said.extend(digests);
            shares.extend(sums);
        }
        Ok((said, shares))
    }
}
