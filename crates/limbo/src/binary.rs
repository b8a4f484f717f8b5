//! Circuits over F_2, run by passes.

use super::challenges::Challenges;
use super::claim::{Entries, Factors};
use super::pass::{Corrections, Pass};
use super::passes::{Digests, Made, Scope, each, each_hearing};
use super::prover::{self, prove};
use super::shares::{Share, Shares, Sums};
use super::simulation::{TILE, Views, WORD_BITS};
use super::tape::Tapes;
use super::transcript::{ProverTranscript, VerifierTranscript};
use super::verifier::{self, verify};
use super::{CheckSize, Demand, Domain, Terms};
use core::ops::Range;
use std::time::Duration;
use volery_channel::error::{Error, Result};
use volery_channel::random::Random;
use volery_circuit::{Circuit, Shape};
use volery_primitives::{CheckField, F2, F48, F64, F96, F128, F160};
use volery_proof::verdict::Accepted;

/// Circuits over F_2.
pub struct Bits;

/// Runs the generic `$function` over the check field of `$terms`.
macro_rules! over_check_field {
    ($terms:expr, $function:ident($($argument:expr),*)) => {
        match $terms.parameters.field.bits {
            48 => $function::<F48>($($argument),*),
            64 => $function::<F64>($($argument),*),
            96 => $function::<F96>($($argument),*),
            128 => $function::<F128>($($argument),*),
            160 => $function::<F160>($($argument),*),
            bits => Err(Error::invalid(format!("there is no check field of {bits} bits over F_2"))),
        }
    };
}

impl Domain for Bits {
    type F = F2;
    type Views<'a> = Views<'a>;
    const SLOTS: usize = WORD_BITS - 1;
    const BLOCKS: u64 = 1;
    const TILE: u64 = TILE as u64;

    fn check_fields() -> Vec<CheckSize> {
        let [short, word, longer] = [CheckSize::of::<F48>(), CheckSize::of::<F64>(), CheckSize::of::<F96>()];
        vec![short, word, longer, CheckSize::of::<F128>(), CheckSize::of::<F160>()]
    }

    fn demand(shape: &Shape) -> Demand {
        Demand::gates(shape.inputs_by_gates(), shape.mul_by_gates(), 1)
    }

    fn prove(
        terms: &Terms,
        circuit: &(dyn for<'v> Circuit<Views<'v>> + Sync),
        values: &[F2],
        transcript: &mut dyn ProverTranscript,
        random: &mut Random,
    ) -> Result<()> {
        let statement = &mut Prover::new(terms, circuit, values);
        over_check_field!(terms, prove(terms, statement, transcript, random))
    }

    fn verify(
        terms: &Terms,
        circuit: &(dyn for<'v> Circuit<Views<'v>> + Sync),
        transcript: &mut dyn VerifierTranscript,
    ) -> Result<(Accepted, Duration)> {
        let statement = &mut Verifier { terms, circuit };
        over_check_field!(terms, verify(terms, statement, transcript))
    }
}

/// The shares of a pass over `repetitions`.
fn shares<E: CheckField>(terms: &Terms, challenges: &Challenges<E>, repetitions: Range<usize>) -> Shares<E> {
    let k = terms.parameters.compression as usize;
    Shares::new(terms.arch, k, challenges, repetitions, terms.views(), terms.last_length())
}

/// The prover at the gates.
pub(super) struct Prover<'a> {
    terms: &'a Terms<'a>,
    circuit: &'a (dyn for<'v> Circuit<Views<'v>> + Sync),
    values: &'a [F2],
    factors: Factors,
    made: Vec<(usize, Made)>,
}

impl<'a> Prover<'a> {
    pub(super) fn new(
        terms: &'a Terms<'a>,
        circuit: &'a (dyn for<'v> Circuit<Views<'v>> + Sync),
        values: &'a [F2],
    ) -> Self {
        Self { terms, circuit, values, factors: Factors::default(), made: vec![] }
    }

    /// Makes the first passes. They know no check field, and so are compiled once.
    fn commit(&mut self, tapes: &[Tapes]) -> Result<Vec<Digests>> {
        let scope = self.terms.scope(tapes);
        let ranges = scope.passes(self.terms.threads, Bits::SLOTS);
        let passes = each(self.terms.threads, &ranges, |range| {
            let factors = (range.start == 0).then(Factors::default);
            let corrections = Corrections::Made { values: self.values, made: Made::default(), factors };
            let mut pass = Pass::new(&scope, range.clone(), corrections, None);
            pass.run(self.circuit)?;
            let said = pass.said();
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
}

impl<E: CheckField> prover::Statement<E> for Prover<'_> {
    fn commit(&mut self, tapes: &[Tapes]) -> Result<Vec<Digests>> {
        self.commit(tapes)
    }

    fn entries(&mut self, _: &Challenges<E>) -> Result<&dyn Entries<E>> {
        Ok(&self.factors)
    }

    fn shares(&mut self, tapes: &[Tapes], challenges: &Challenges<E>) -> Result<Vec<Share<E>>> {
        let scope = self.terms.scope(tapes);
        let ranges = scope.passes(self.terms.threads, Bits::SLOTS);
        let shares = each(self.terms.threads, &ranges, |range| {
            let mut shares = shares(self.terms, challenges, range.clone());
            Pass::new(&scope, range, Corrections::Past, Some(&mut shares)).run(self.circuit)?;
            Ok(shares.finish())
        })?;
        Ok(shares.concat())
    }

    fn correct(&mut self, transcript: &mut dyn ProverTranscript) -> Result<()> {
        Made::say(&self.made, transcript)
    }
}

/// The verifier at the gates.
pub(super) struct Verifier<'a> {
    pub(super) terms: &'a Terms<'a>,
    pub(super) circuit: &'a (dyn for<'v> Circuit<Views<'v>> + Sync),
}

impl Verifier<'_> {
    /// Makes a pass, which adds its shares to `sums`, and gives the digests of its messages.
    fn pass(
        &self,
        scope: &Scope,
        range: Range<usize>,
        transcript: &mut dyn VerifierTranscript,
        sums: &mut dyn Sums,
    ) -> Result<Vec<Digests>> {
        let mut pass = Pass::new(scope, range, Corrections::Heard(transcript), Some(sums));
        pass.run(self.circuit)?;
        Ok(pass.said())
    }
}

impl<E: CheckField> verifier::Statement<E> for Verifier<'_> {
    fn follow(
        &mut self,
        tapes: &[Tapes],
        challenges: &Challenges<E>,
        transcript: &mut dyn VerifierTranscript,
    ) -> Result<verifier::Seen<E>> {
        let scope = self.terms.scope(tapes);
        let run = |range: Range<usize>, transcript: &mut dyn VerifierTranscript| {
            let mut shares = shares(self.terms, challenges, range.clone());
            Ok((self.pass(&scope, range, transcript, &mut shares)?, shares.finish()))
        };
        let ranges = scope.passes(self.terms.threads, Bits::SLOTS);
        let passes = each_hearing(self.terms.threads, &ranges, transcript, run)?;
        let (said, shares): (Vec<_>, Vec<_>) = passes.into_iter().unzip();
        Ok((said.concat(), shares.concat()))
    }
}
