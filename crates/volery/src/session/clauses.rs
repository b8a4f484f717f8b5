//! One of several clauses by QuickSilver: over a tape.

use super::correlated::named;
use super::direct::{Direct, DirectClauses, Proposition, Stated};
use super::quicksilver::{Quicksilver, prove_next, verify_next};
use super::system::Claim;
use super::{Options, ProofOfClauses, Report, Reread, Setting, Stream, System};
use crate::channel::Channel;
use crate::circuit::stream::{ClauseSource, ClauseStream, Source};
use crate::circuit::{
    Alternatives, Branch, Clause, Clauses, Clear, Evaluated, OneOf, Shape, clauses as of_clauses,
};
use crate::error::Result;
use crate::zk::Accepted;
use crate::zk::quicksilver::branch::{KeyReplay, Plan, Replay, other_than_counted};
use crate::zk::quicksilver::{ProverUnder, VerifierUnder};
use core::iter::repeat_n;
use core::marker::PhantomData;
use volery_primitives::Field;
use volery_primitives::secret::verdict;
use zeroize::Zeroizing;

/// [`crate::zk::quicksilver::branch`] over `S`.
pub(super) struct OnTape<S>(PhantomData<fn() -> S>);

impl<S> OnTape<S> {
    pub(super) const OVER: Self = Self(PhantomData);
}

/// Clauses as they are pushed.
pub(super) struct Pushed<'s, S: Setting> {
    pub(super) clauses: &'s ClauseStream<'s, S::F>,
    pub(super) direct: Option<&'s dyn DirectClauses<S>>,
    pub(super) plan: &'s Plan<'s>,
}

/// The copy that is compiled for a system.
struct Compiled<'s, S: Setting> {
    clauses: &'s dyn DirectClauses<S>,
    count: usize,
}

impl<S: Setting> Alternatives for Compiled<'_, S> {
    fn count(&self) -> usize {
        self.count
    }
}

impl<'t, S: Setting> Clauses<Replay<'t, S::Macs>> for Compiled<'_, S> {
    fn run(&self, clause: usize, branch: &mut Branch<'_, Replay<'t, S::Macs>>) -> Result<()> {
        self.clauses.replay(clause, branch)
    }
}

impl<'t, S: Setting> Clauses<KeyReplay<'t, S::Macs>> for Compiled<'_, S> {
    fn run(&self, clause: usize, branch: &mut Branch<'_, KeyReplay<'t, S::Macs>>) -> Result<()> {
        self.clauses.replay_keys(clause, branch)
    }
}

impl<S: Setting> Pushed<'_, S> {
    fn compiled(&self) -> Option<Compiled<'_, S>> {
        self.direct.map(|clauses| Compiled { clauses, count: self.clauses.count() })
    }
}

impl<S: Setting> Direct<S> for Pushed<'_, S> {
    fn push_to_prover(&self, prover: &mut ProverUnder<'_, S::Macs>) -> Result<()> {
        match &self.compiled() {
            Some(compiled) => prover.one_of(self.plan, compiled),
            None => prover.one_of(self.plan, self.clauses),
        }
    }
    fn push_to_verifier(&self, verifier: &mut VerifierUnder<'_, S::Macs>) -> Result<()> {
        match &self.compiled() {
            Some(compiled) => verifier.one_of(self.plan, compiled),
            None => verifier.one_of(self.plan, self.clauses),
        }
    }
}

/// The options of a session whose statement has this name, and is planned so.
fn planned<S: Setting>(options: &Options, statement: [u8; 32], plan: &Plan<'_>) -> Options {
    let options = named(System::QUICKSILVER, options.clone());
    let size = plan.size_over::<S::Macs>();
    Options { statement: Some(statement), size: Some(size), check: false, ..options }
}

impl<S: Setting> ProofOfClauses<S::F> for OnTape<S> {
    fn prove_one_of(
        &self,
        clauses: &dyn ClauseSource<S::F>,
        chosen: usize,
        witness: &dyn Reread<S::F>,
        channel: &mut Channel,
        options: &Options,
    ) -> Result<Report> {
        prove_each_of(Stated::<S>::of(clauses), &[(chosen, witness)], channel, options)
    }

    fn verify_one_of(
        &self,
        clauses: &dyn ClauseSource<S::F>,
        channel: &mut Channel,
        options: &Options,
    ) -> Result<(Accepted, Report)> {
        verify_each_of(Stated::<S>::of(clauses), 1, channel, options)
    }

    fn prove_each_of(
        &self,
        clauses: &dyn ClauseSource<S::F>,
        claims: &[Claim<'_, S::F>],
        channel: &mut Channel,
        options: &Options,
    ) -> Result<Report> {
        prove_each_of(Stated::<S>::of(clauses), claims, channel, options)
    }

    fn verify_each_of(
        &self,
        clauses: &dyn ClauseSource<S::F>,
        claims: usize,
        channel: &mut Channel,
        options: &Options,
    ) -> Result<(Accepted, Report)> {
        verify_each_of(Stated::<S>::of(clauses), claims, channel, options)
    }
}

/// Proves claims, each by one of the same clauses.
pub(super) fn prove_each_of<S: Setting>(
    Stated { source, direct }: Stated<'_, S>,
    claims: &[Claim<'_, S::F>],
    channel: &mut Channel,
    options: &Options,
) -> Result<Report> {
    let all: &dyn Source<S::F> = &OneOf(source);
    let clauses = &ClauseStream::new(source);
    let (shapes, statement) = settle_clauses(clauses, options)?;
    let plan = &Plan::new(&shapes, options.threads.get())?.of_claims(claims.len())?;
    let counts: Vec<_> = shapes.iter().map(|shape| shape.size().commitments as usize).collect();
    let fixed_work = options.fixed_work;
    let evaluation = Evaluation { clauses, shapes: &shapes, counts: &counts, products: true };
    let values: Result<Vec<_>> =
        claims.iter().map(|(chosen, witness)| evaluation.values(*chosen, *witness, fixed_work)).collect();
    let values = &values?;
    let padded = |values: &Zeroizing<Vec<S::F>>| repeat_n(S::F::ZERO, plan.slots() - values.len());
    let tapes = values.iter().flat_map(|values| values.iter().copied().chain(padded(values)));
    let pushed = &Pushed { clauses, direct, plan };
    let options = planned::<S>(options, of_claims(statement, claims.len()), plan);
    let end = &mut Quicksilver::<S>::prover_end(channel, options);
    prove_next(end, &Proposition::by(all, pushed), &tapes)
}

/// Verifies so many claims by the same clauses.
pub(super) fn verify_each_of<S: Setting>(
    Stated { source, direct }: Stated<'_, S>,
    claims: usize,
    channel: &mut Channel,
    options: &Options,
) -> Result<(Accepted, Report)> {
    let all: &dyn Source<S::F> = &OneOf(source);
    let clauses = &ClauseStream::new(source);
    let (shapes, statement) = settle_clauses(clauses, options)?;
    let plan = &Plan::new(&shapes, options.threads.get())?.of_claims(claims)?;
    let pushed = &Pushed { clauses, direct, plan };
    let options = planned::<S>(options, of_claims(statement, claims), plan);
    let end = &mut Quicksilver::<S>::verifier_end(channel, options);
    verify_next(end, &Proposition::by(all, pushed))
}

/// The name of so many claims, each by one of the clauses of this name.
fn of_claims(clauses: [u8; 32], claims: usize) -> [u8; 32] {
    if claims == 1 {
        return clauses;
    }
    let mut hasher = blake3::Hasher::new_derive_key("volery claims by one of several v1");
    hasher.update(&clauses).update(&(claims as u64).to_le_bytes());
    hasher.finalize().into()
}

/// Clauses that are evaluated in the clear before the first message.
pub(super) struct Evaluation<'a, F: Field> {
    pub(super) clauses: &'a ClauseStream<'a, F>,
    pub(super) shapes: &'a [Shape],
    /// The values of each that are kept.
    pub(super) counts: &'a [usize],
    /// Whether these are all that a prover commits to, or witness and hints alone.
    pub(super) products: bool,
}

impl<F: Field> Evaluation<'_, F> {
    /// The values with which clause number `chosen` holds. Where work is fixed, all clauses are evaluated for
    /// it.
    ///
    /// # Errors
    /// `Unsatisfied` where it does not hold; `Invalid` where the witness has another length, or a clause is
    /// not as it was counted.
    pub(super) fn values(
        &self,
        chosen: usize,
        witness: &dyn Reread<F>,
        fixed_work: bool,
    ) -> Result<Zeroizing<Vec<F>>> {
        if fixed_work && let Some(values) = self.values_among_all(chosen, witness)? {
            return Ok(values);
        }
        let (clause, count) = (Clause::new(self.clauses, chosen), self.counts[chosen]);
        let values = if self.products {
            Clear::commitments(&clause, witness.read(), count)?
        } else {
            Clear::inputs(&clause, witness.read(), count)?
        };
        if values.len() == count { Ok(values) } else { Err(other_than_counted()) }
    }

    /// The values of the chosen clause, found by as much work for each clause; nothing where it does not
    /// hold.
    fn values_among_all(&self, chosen: usize, witness: &dyn Reread<F>) -> Result<Option<Zeroizing<Vec<F>>>> {
        // Their copy is made here, so that the memory that each clause takes is left to the next.
        let mut values = Zeroizing::new(Vec::with_capacity(self.most()));
        let mut holds = false;
        let length = self.each(witness, &mut |clause, evaluated| {
            if clause == chosen {
                values.extend_from_slice(&evaluated.values);
                holds = evaluated.holds;
            }
        })?;
        let fits = length == Some(self.shapes[chosen].witness as usize);
        Ok((fits && verdict(holds)).then_some(values))
    }

    /// Evaluates all clauses in their order, each of them to its end and on as much of `witness` as it reads,
    /// with zeros behind it. Nothing here knows which of them is chosen. The length of the witness, where
    /// it is not longer than that of any clause.
    fn each(
        &self,
        witness: &dyn Reread<F>,
        take: &mut dyn FnMut(usize, &Evaluated<F>),
    ) -> Result<Option<usize>> {
        let longest = self.shapes.iter().map(|shape| shape.witness as usize).max().unwrap_or(0);
        let mut padded = Zeroizing::new(Vec::with_capacity(longest));
        let mut elements = witness.read().fuse();
        padded.extend(elements.by_ref().take(longest));
        let length = elements.next().is_none().then_some(padded.len());
        padded.resize(longest, F::ZERO);
        let most = self.most();
        for (clause, (shape, count)) in self.shapes.iter().zip(self.counts).enumerate() {
            let own: Stream<'_, F> = Box::new(padded[..shape.witness as usize].iter().copied());
            let evaluated = Clear::evaluated(&Clause::new(self.clauses, clause), own, (most, self.products))?;
            if evaluated.values.len() != *count {
                return Err(other_than_counted());
            }
            take(clause, &evaluated);
        }
        Ok(length)
    }

    /// The most values of a clause.
    fn most(&self) -> usize {
        self.counts.iter().copied().max().unwrap_or(0)
    }
}

/// The gates of the clauses, and the name of all: the given one, or that of their gates.
pub(super) fn settle_clauses<F: Field>(
    clauses: &ClauseStream<'_, F>,
    options: &Options,
) -> Result<(Vec<Shape>, [u8; 32])> {
    match options.statement {
        Some(digest) => Ok((of_clauses::shapes(clauses)?, digest)),
        None => of_clauses::fingerprint(clauses),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuit::{Backend, Entries, Matrix, Polynomials};
    use crate::error::Error;
    use volery_primitives::{F2, F61};

    /// The element of a witness at this place: of no two clauses the same ones.
    fn element<F: Field>(clause: usize, place: usize) -> F {
        if place % 3 == clause { F::ONE } else { F::ZERO }
    }

    /// The length of a matrix.
    const SIDE: usize = 4;

    /// "I know these elements": by products and assertions, by a product of matrices, and by a polynomial.
    struct Three;

    impl Three {
        const LENGTHS: [usize; 3] = [5, SIDE * SIDE, 7];

        fn witness<F: Field>(clause: usize) -> Vec<F> {
            (0..Self::LENGTHS[clause]).map(|place| element(clause, place)).collect()
        }
    }

    impl Alternatives for Three {
        fn count(&self) -> usize {
            3
        }
    }

    impl<B: Polynomials> Clauses<B> for Three {
        fn run(&self, clause: usize, b: &mut Branch<'_, B>) -> Result<()> {
            let known: Vec<B::F> = Self::witness(clause);
            let x = known.iter().map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
            match clause {
                0 => {
                    for (x, known) in x.into_iter().zip(known) {
                        let copy = b.hint(&[x], |x| x[0])?;
                        let square = b.mul(x, copy)?;
                        let minus = b.constant(-known);
                        let difference = b.add(square, minus);
                        b.assert_zero(difference, "element")?;
                    }
                    Ok(())
                }
                1 => {
                    let entry =
                        |i, j| (0..SIDE).map(|k| known[i * SIDE + k] * known[k * SIDE + j]).sum::<B::F>();
                    let square: Vec<_> = (0..SIDE * SIDE).map(|at| entry(at / SIDE, at % SIDE)).collect();
                    let x = Matrix::new(&x, SIDE);
                    b.assert_matrix_product(x, x, Entries::Public(&square), "square")
                }
                _ => {
                    let x = b.vector(&x);
                    let minus: Vec<_> = known.iter().map(|known| -*known).collect();
                    let minus = b.public(&minus);
                    let square = b.product(&x, &x)?;
                    b.commit(&square)?;
                    let difference = b.sum(&square, &minus);
                    b.assert_zeroes(difference, "elements")
                }
            }
        }
    }

    /// The evaluation keeps and compares the same whichever clause holds, and ends at no failure.
    fn whichever_holds<F: Field>() {
        let clauses = &ClauseStream::<F>::new(&Three);
        let shapes = &of_clauses::shapes(clauses).unwrap();
        for products in [false, true] {
            let count =
                |shape: &Shape| if products { shape.size().commitments } else { shape.inputs_by_gates() };
            let counts: &Vec<_> = &shapes.iter().map(|shape| count(shape) as usize).collect();
            let evaluation = Evaluation { clauses, shapes, counts, products };
            for chosen in 0..3 {
                let witness = Three::witness::<F>(chosen);
                let mut done = Vec::new();
                let length = evaluation.each(&witness, &mut |clause, evaluated| {
                    assert_eq!(evaluated.holds, clause == chosen);
                    done.push((clause, evaluated.values.len(), evaluated.compared));
                });
                assert_eq!(length.unwrap(), Some(witness.len()));
                let rows = SIDE as u64 * u64::from(64_u32.div_ceil(F::bits()) + 1);
                assert_eq!(done, [(0, counts[0], 5), (1, counts[1], rows), (2, counts[2], 7)]);

                let values = |fixed_work| evaluation.values(chosen, &witness, fixed_work).unwrap();
                assert!(*values(true) == *values(false));
            }
        }
    }

    #[test]
    fn fixed_work_does_not_depend_on_the_clause() {
        whichever_holds::<F2>();
        whichever_holds::<F61>();
    }

    /// A clause that does not hold is named by what fails, as where only this clause is evaluated.
    #[test]
    fn what_does_not_hold_is_named() {
        let clauses = &ClauseStream::<F61>::new(&Three);
        let shapes = &of_clauses::shapes(clauses).unwrap();
        let counts: Vec<_> = shapes.iter().map(|shape| shape.size().commitments as usize).collect();
        let evaluated = |counts: &[usize], witness: &Vec<F61>, fixed_work| {
            let evaluation = Evaluation { clauses, shapes, counts, products: true };
            evaluation.values(0, witness, fixed_work).map(drop).unwrap_err()
        };
        let right = Three::witness(0);
        for fixed_work in [false, true] {
            let wrong = vec![F61::ONE; right.len()];
            let error = evaluated(&counts, &wrong, fixed_work);
            assert!(matches!(error, Error::Unsatisfied(name) if name == "element"));
            let error = evaluated(&counts, &right[1..].to_vec(), fixed_work).to_string();
            assert!(error.contains("element") || error.contains("too short"), "{error}");
            for more in [1, 100] {
                let long = right.iter().copied().chain(repeat_n(F61::ZERO, more)).collect();
                let error = evaluated(&counts, &long, fixed_work).to_string();
                assert!(error.contains("too long"), "{error}");
            }
            // It has been counted as another.
            for other in [counts[0] - 1, counts[0] + 1] {
                let error = evaluated(&[other, counts[1], counts[2]], &right, fixed_work).to_string();
                assert!(error.contains("when it was counted"), "{error}");
            }
        }
    }
}
