//! Whole sessions of many claims by the same clauses.

use crate::kit::{Session, both, disagreements, seeded};
use volery::circuit::{Alternatives, Backend, Branch, Clauses};
use volery::error::Disagreement;
use volery::{
    Binary, Correlations, Error, F2, F61, F61x2, Field, Named, Options, Over, ProvableClauses, Result,
    System, prove_each_of_over, verify_each_of_over,
};

/// "I know so many elements whose product is the number of the clause": two of them and three, …
struct Products(usize);

impl Alternatives for Products {
    fn count(&self) -> usize {
        self.0
    }
}

impl<B: Backend> Clauses<B> for Products {
    fn run(&self, clause: usize, b: &mut Branch<'_, B>) -> Result<()> {
        let mut product = b.witness()?;
        for _ in 0..=clause {
            let next = b.witness()?;
            product = b.mul(product, next)?;
        }
        let minus = b.constant(-element::<B::F>(clause));
        let difference = b.add(product, minus);
        b.assert_zero(difference, "the product")
    }
}

fn element<F: Field>(clause: usize) -> F {
    if F::BITS == 1 { F::ONE } else { F::from_word(clause as u128 + 1).expect("a small number") }
}

fn claim<F: Field>(clause: usize) -> (usize, Vec<F>) {
    let ones = core::iter::repeat_n(F::ONE, clause + 1);
    (clause, core::iter::once(element(clause)).chain(ones).collect())
}

/// The clause of each claim, and its witness.
type Claims<F> = [(usize, Vec<F>)];

fn run<S: Named>(
    (clauses, claims): (&Products, &Claims<S::F>),
    (verified, count): (&Products, usize),
    options: &Options,
) -> Session
where
    Products: ProvableClauses<S>,
{
    both(
        |channel| prove_each_of_over::<S>(clauses, claims, channel, options),
        |channel| verify_each_of_over::<S>(verified, count, channel, options),
        None,
    )
}

fn accepted<S: Named>()
where
    Products: ProvableClauses<S>,
{
    for (count, chosen) in [(1, vec![0, 0]), (5, vec![4, 0, 2, 4, 1]), (20, vec![19, 3])] {
        let clauses = Products(count);
        let claims: Vec<_> = chosen.iter().map(|clause| claim::<S::F>(*clause)).collect();
        let session = run::<S>((&clauses, &claims), (&clauses, claims.len()), &seeded(3));
        let (proved, (_, verified)) = (session.proved.unwrap(), session.verified.unwrap());
        assert_eq!((proved.gates, proved.statement), (verified.gates, verified.statement));
        assert_eq!(verified.gates.clauses, (count * claims.len()) as u64);
        assert_eq!(proved.security, verified.security);
    }
}

#[test]
fn claims_are_accepted_over_bits_and_numbers() {
    accepted::<Binary>();
    accepted::<Over<F61>>();
}

#[test]
#[ignore = "slow"]
fn claims_by_several_challenges_are_accepted() {
    several_challenges::<Binary>("softspoken4");
    several_challenges::<Over<F61>>("tiny");
    several_challenges::<Over<F61, F61x2>>("tiny");
}

/// More than are held at once: 300 clauses commit to 90,000 values together, and a challenge is for
/// 2^24 of them.
fn several_challenges<S: Named>(name: &str)
where
    Products: ProvableClauses<S>,
{
    let clauses = Products(300);
    let claims: Vec<_> = (0..400).map(|claim| self::claim::<S::F>(7 * claim % 300)).collect();
    let correlations: Correlations = Correlations::named::<S>(name).unwrap();
    let options = seeded(8).with_correlations(correlations);
    let session = run::<S>((&clauses, &claims), (&clauses, claims.len()), &options);
    let (proved, (_, verified)) = (session.proved.unwrap(), session.verified.unwrap());
    assert_eq!((proved.gates, proved.statement), (verified.gates, verified.statement));
    assert_eq!((verified.gates.clauses, verified.gates.epochs), (120_000, 2));
}

#[test]
fn a_wrong_claim_is_named_before_anything_is_said() {
    let clauses = Products(3);
    let mut claims: Vec<_> = [2, 1, 0].map(claim::<F61>).into();
    claims[1].1[0] = F61::ZERO;
    let session = run::<Over<F61>>((&clauses, &claims), (&clauses, 3), &seeded(1));
    assert!(matches!(session.proved, Err(Error::Unsatisfied(name)) if name == "the product"));
    assert!(session.from_prover.messages().is_empty());
    claims[1] = (3, claims[1].1.clone());
    let session = run::<Over<F61>>((&clauses, &claims), (&clauses, 3), &seeded(1));
    assert!(session.proved.unwrap_err().to_string().contains("no clause number 3"));
}

#[test]
fn sides_that_count_other_claims_disagree() {
    let clauses = Products(3);
    let claims: Vec<_> = [2, 1].map(claim::<F2>).into();
    for (verified, count) in [(3, 3), (3, 1), (4, 2)] {
        let session = run::<Binary>((&clauses, &claims), (&Products(verified), count), &seeded(1));
        let why = disagreements(session.proved, session.verified);
        assert!(why.iter().all(|why| matches!(why, Disagreement::Statement(_))));
    }
}

#[test]
fn no_claims_and_other_systems_are_refused() {
    let clauses = Products(2);
    let claims: Vec<_> = [1, 0].map(claim::<F2>).into();
    let none = run::<Binary>((&clauses, &[]), (&clauses, 0), &seeded(1));
    assert!(none.proved.unwrap_err().to_string().contains("0 claims"));
    for system in [System::STACK, System::WOLVERINE, System::JKO, System::LIMBO] {
        let options = Options { seed: Some([1; 32]), ..Options::by(system) };
        let session = run::<Binary>((&clauses, &claims), (&clauses, 2), &options);
        for error in [session.proved.unwrap_err(), session.verified.unwrap_err()] {
            assert!(error.to_string().contains("take quicksilver"), "{error}");
        }
    }
}
