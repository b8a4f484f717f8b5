//! Circuits over large fields, with inner products and products of matrices.
//!
//! **Relation.** As in [`super`], over a field B in place of F_2; the check is over an extension E of B,
//! which may be B. A statement may ask for inner products of wires, and assert that the product of two
//! matrices is a third.
//!
//! **Shares** are additive in B, and signs matter: a correction is a value less the sum of all tapes, party 0
//! adds it and all public constants, and the complement of a view is the total less the view. Where something
//! is asserted, a view's share and its complement's add up to zero, so that a verifier who follows the
//! complement hashes its negative. An element of B on a tape is the sum of two samples (`Tapes::values`). A
//! correction is an element of B in its canonical encoding; no other is accepted.
//!
//! **Claims.** A product c = a·b is one claim, of one entry. An inner product of length t injects its result
//! c alone, and is one claim, of t entries: `Σ a_i b_i = c`. A product of matrices A·B = C injects nothing,
//! and is one claim, of as many entries as a row of A has: with `u = (1, ρ, ρ², …)` and `v = (1, σ, σ², …)`
//! for two more challenges ρ and σ from where R is from,
//!
//! ```text
//! Σ_l (u^T A)_l · (B v)_l = u^T C v
//! ```
//!
//! whose sides every party computes from its shares of A, B and C, which may also be public. Claim number q
//! is weighed by R^q: first all products in their order, then those of matrices. Entry j is the next entry of
//! the circuit, whatever its claim, and its left side is weighed with the claim.
//!
//! **Deviations.** The paper checks a product of matrices by an inner product for each entry of C, which
//! makes vectors of rows · inner · columns entries. Statements can do that here too
//! (`Reduction::InnerProducts`); then each of these injects a result, which is asserted to be the entry of C.
//!
//! **Soundness.** h_1 binds all inputs and results of the honest tapes, and so every a, b, c, A, B and C of
//! each claim, before R, ρ and σ are drawn. If a claim is false, then the left side less the right one of
//! all of them together, `Σ_q R^q · d_q`, is a polynomial in R, ρ and σ that is not zero: d_q is the number
//! `Σ a_i b_i - c` for a product, and for one of matrices the polynomial `Σ_ij (A·B - C)_ij ρ^i σ^j`, which
//! is not zero where A·B is not C. Its degree in all is at most (number of claims - 1) + (rows - 1) +
//! (columns - 1), with the most rows and columns that a product has, and it vanishes at a random place with
//! at most this probability over |E| (Schwartz, Zippel). [`Demand::claims`] is one more than that degree,
//! so that p_R of [`parameters`](super::parameters) is the bound. What then remains is one false claim
//! about an inner product of m entries in E, fixed before s_1, and goes on as over F_2: compression, the
//! masks and the argument about views know nothing of where entries came from, and hold over any field. A
//! share of B is one of E.
//!
//! **Zero knowledge** is as over F_2, but for the distance of samples from uniform.

mod factors;
mod pass;
mod shares;
#[cfg(test)]
mod tests;
mod views;

pub use views::ArithmeticViews;

use super::challenges::Challenges;
use super::claim::Entries;
use super::passes::{Digests, Made, each, each_hearing};
use super::shares::Share;
use super::tape::Tapes;
use super::transcript::{ProverTranscript, VerifierTranscript};
use super::{CheckSize, Demand, Domain, Terms, prover, verifier};
use core::marker::PhantomData;
use factors::{Factors, Weighed};
use pass::{Corrections, Pass, Piece, join};
use shares::Shares;
use std::time::Duration;
use volery_channel::error::Result;
use volery_channel::random::Random;
use volery_circuit::{Circuit, Shape};
use volery_primitives::{CheckField, Field, Lanes};
use volery_proof::verdict::Accepted;

/// Circuits over `B`, whose claims are checked over `E`.
pub struct Elements<B, E>(PhantomData<(B, E)>);

impl<B: Field, E: Lanes<B> + CheckField> Domain for Elements<B, E> {
    type F = B;
    type Views<'a> = ArithmeticViews<'a, B>;
    const SLOTS: usize = views::SLOTS;
    const BLOCKS: u64 = 128 * B::SAMPLE as u64;
    const TILE: u64 = views::TILE as u64;

    fn check_fields() -> Vec<CheckSize> {
        vec![CheckSize::of::<E>()]
    }

    fn demand(shape: &Shape) -> Demand {
        let sums = shape.sums;
        let gates = shape.mul_by_gates() - sums.inner_mul - sums.matrix_mul;
        let products = gates + sums.inner;
        // The degree of a claim about matrices in ρ and σ: see the header.
        let degree = sums.rows.saturating_sub(1) + sums.columns.saturating_sub(1);
        Demand {
            inputs: shape.inputs_by_gates(),
            products,
            entries: gates + sums.inner_mul + sums.matrix_inner,
            claims: products + shape.matrices + degree,
            value_bits: 8 * B::BYTES as u32,
        }
    }

    fn prove(
        terms: &Terms,
        circuit: &(dyn for<'v> Circuit<ArithmeticViews<'v, B>> + Sync),
        values: &[B],
        transcript: &mut dyn ProverTranscript,
        random: &mut Random,
    ) -> Result<()> {
        let statement = &mut Prover { terms, circuit, values, kept: None, weighed: None, made: vec![] };
        prover::prove::<E>(terms, statement, transcript, random)
    }

    fn verify(
        terms: &Terms,
        circuit: &(dyn for<'v> Circuit<ArithmeticViews<'v, B>> + Sync),
        transcript: &mut dyn VerifierTranscript,
    ) -> Result<(Accepted, Duration)> {
        verifier::verify::<E>(terms, &mut Verifier { terms, circuit }, transcript)
    }
}

/// The shares of a pass over `piece`.
fn shares<E: CheckField>(terms: &Terms, challenges: &Challenges<E>, piece: &Piece) -> Shares<E> {
    Shares::new(terms.arch, terms.parameters.compression as usize, challenges, piece, terms.last_length())
}

/// The prover at the gates.
struct Prover<'a, B: Field, E: CheckField> {
    terms: &'a Terms<'a>,
    circuit: &'a (dyn for<'v> Circuit<ArithmeticViews<'v, B>> + Sync),
    values: &'a [B],
    /// The factors, from the first pass until the challenges combine them.
    kept: Option<Factors<B>>,
    weighed: Option<Weighed<B, E>>,
    made: Vec<(usize, Made)>,
}

impl<B: Field, E: Lanes<B> + CheckField> prover::Statement<E> for Prover<'_, B, E> {
    fn commit(&mut self, tapes: &[Tapes]) -> Result<Vec<Digests>> {
        let scope = self.terms.scope(tapes);
        let demand = &self.terms.demand;
        let pieces = Piece::all(&scope, self.terms.threads);
        let passes = each(self.terms.threads, &pieces, |piece| {
            let first = piece.repetitions.start == 0 && piece.speaks();
            let factors = first.then(|| Factors::with_capacity(demand.entries as usize));
            // Views without party 0 need no corrections: who does not speak makes none.
            let corrections = match piece.speaks() {
                true => Corrections::Made { values: self.values, made: Made::default(), factors },
                false => Corrections::Past,
            };
            let mut pass = Pass::new((&scope, demand), piece.clone(), corrections, None, true);
            pass.run(self.circuit)?;
            Ok((piece, pass.spoken(), pass.corrections))
        })?;
        let mut heard = vec![];
        for (piece, said, corrections) in passes {
            if let Corrections::Made { made, factors, .. } = corrections {
                self.made.push((piece.repetitions.len(), made));
                self.kept = self.kept.take().or(factors);
            }
            heard.push((piece, said));
        }
        Ok(join(heard.into_iter()))
    }

    fn entries(&mut self, challenges: &Challenges<E>) -> Result<&dyn Entries<E>> {
        let factors = self.kept.take().expect("kept by the first pass, and asked for once");
        Ok(self.weighed.insert(Weighed::new(factors, challenges)))
    }

    fn shares(&mut self, tapes: &[Tapes], challenges: &Challenges<E>) -> Result<Vec<Share<E>>> {
        let scope = self.terms.scope(tapes);
        let pieces = Piece::all(&scope, self.terms.threads);
        let shares = each(self.terms.threads, &pieces, |piece| {
            let mut shares = shares(self.terms, challenges, &piece);
            let (demand, corrections) = (&self.terms.demand, Corrections::Past);
            Pass::new((&scope, demand), piece, corrections, Some(&mut shares), false).run(self.circuit)?;
            Ok(shares.shares)
        })?;
        Ok(shares.concat())
    }

    fn correct(&mut self, transcript: &mut dyn ProverTranscript) -> Result<()> {
        Made::say(&self.made, transcript)
    }
}

/// The verifier at the gates.
struct Verifier<'a, B: Field> {
    terms: &'a Terms<'a>,
    circuit: &'a (dyn for<'v> Circuit<ArithmeticViews<'v, B>> + Sync),
}

impl<B: Field, E: Lanes<B> + CheckField> verifier::Statement<E> for Verifier<'_, B> {
    fn follow(
        &mut self,
        tapes: &[Tapes],
        challenges: &Challenges<E>,
        transcript: &mut dyn VerifierTranscript,
    ) -> Result<verifier::Seen<E>> {
        let scope = self.terms.scope(tapes);
        let run = |piece: Piece, transcript: &mut dyn VerifierTranscript| {
            let mut shares = shares(self.terms, challenges, &piece);
            let (demand, corrections) = (&self.terms.demand, Corrections::<B>::Heard(transcript));
            let mut pass = Pass::new((&scope, demand), piece.clone(), corrections, Some(&mut shares), true);
            pass.run(self.circuit)?;
            let heard = pass.spoken();
            drop(pass);
            Ok(((piece, heard), shares.shares))
        };
        let pieces = Piece::all(&scope, self.terms.threads);
        let passes = each_hearing(self.terms.threads, &pieces, transcript, run)?;
        let (heard, shares): (Vec<_>, Vec<_>) = passes.into_iter().unzip();
        Ok((join(heard.into_iter()), shares.concat()))
    }
}
