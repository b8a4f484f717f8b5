//! Polynomials and matrix products over every field, proved over dealt correlations: what is true is
//! accepted, what is false in one place is not.

pub(crate) mod bilinear;
mod early_ends;
mod made_up;
mod matrices;

use std::time::Duration;
use volery::channel::{Channel, Party, Tape, pipe};
use volery::circuit::stream::Source;
use volery::circuit::{Circuit, Clear, Entries, HIGHEST_DEGREE, Matrix, Polynomials, Sparse, Term};
use volery::error::Rejection;
use volery::pool::Pool;
use volery::random::Random;
use volery::vole::{self, BoxedVole};
use volery::zk::Gates;
use volery::{
    Binary, Bn254, Error, F61, F61x2, F128, F256, F65537, F65537x4, Field, Goldilocks, Goldilocksx2,
    MacField, Named, Options, Over, Proposition, Q32, Q32x2, Registered, Result, Secrets, Work,
};

/// Shares in a block of the dealer.
const BLOCK: usize = 192;

/// A setting with a trusted dealer.
trait Dealt: Named {
    /// The bytes of a coefficient that is opened.
    const OPENED: usize;

    fn dealt_prover() -> BoxedVole<Self::Mac>;
    fn dealt_verifier(delta: &Self::Delta) -> BoxedVole<Self::Key>;
}

impl Dealt for Binary {
    const OPENED: usize = F128::BYTES;

    fn dealt_prover() -> BoxedVole<vole::Mac> {
        Box::new(vole::ideal::Prover::new(3, BLOCK))
    }
    fn dealt_verifier(delta: &vole::Delta) -> BoxedVole<vole::Key> {
        Box::new(vole::ideal::Verifier::new(3, BLOCK, delta))
    }
}

impl<B: Field, E: MacField<B>> Dealt for Over<B, E>
where
    Self: Registered,
{
    const OPENED: usize = E::BYTES;

    fn dealt_prover() -> BoxedVole<Self::Mac> {
        Box::new(vole::subfield::ideal::Prover::<B, E>::new(3, BLOCK))
    }
    fn dealt_verifier(delta: &Self::Delta) -> BoxedVole<Self::Key> {
        Box::new(vole::subfield::ideal::Verifier::new(3, BLOCK, delta))
    }
}

/// A statement, and whether it is proved with one thing false.
#[derive(Clone)]
pub(crate) enum Statement<F> {
    /// Polynomials of the first so many elements of the witness, and their values; every other
    /// value is committed to.
    Set(usize, Vec<(Sparse<F>, F)>),
    /// A matrix with rows of this length by one with so many columns, both with the entries of the
    /// witness, is this one.
    Product { inner: usize, columns: usize, product: Vec<F>, public: bool },
    /// Each element of the witness times the next one is this; between them come gates of other kinds.
    Pairs(Vec<F>),
}

impl<B: Polynomials> Circuit<B> for Statement<B::F> {
    fn run(&self, b: &mut B) -> Result<()> {
        match self {
            Self::Set(variables, polynomials) => {
                let x = (0..*variables).map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
                for (i, (polynomial, value)) in polynomials.iter().enumerate() {
                    let mut computed = polynomial.evaluate(b, &x)?;
                    if i % 2 == 1 {
                        let wires = b.commit(&computed)?;
                        computed = b.vector(&wires);
                    }
                    let expected = b.public(&[-*value]);
                    let difference = b.sum(&computed, &expected);
                    b.assert_zeroes(difference, format_args!("polynomial {i}"))?;
                }
                Ok(())
            }
            Self::Pairs(products) => {
                let mut before = b.witness()?;
                for (i, product) in products.iter().enumerate() {
                    let next = b.witness()?;
                    let product = b.constant(*product);
                    b.assert_product(before, next, product, format_args!("product {i}"))?;
                    if i % 300 == 7 {
                        let square = b.mul(next, next)?;
                        b.assert_product(next, next, square, "a square")?;
                        let vector = b.vector(&[square]);
                        let inner = b.inner_product(&[next], &[next])?;
                        let minus = b.public(&[-B::F::ONE]);
                        let vector = b.product(&vector, &minus)?;
                        let difference = b.sum(&inner, &vector);
                        b.assert_zeroes(difference, "another square")?;
                    }
                    before = next;
                }
                Ok(())
            }
            Self::Product { inner, columns, product, public } => {
                let rows = product.len() / columns;
                let mut matrix =
                    |entries: usize| (0..entries).map(|_| b.witness()).collect::<Result<Vec<_>>>();
                let (left, right) = (matrix(rows * inner)?, matrix(inner * columns)?);
                let wires: Vec<_> = product.iter().map(|&entry| b.constant(entry)).collect();
                let product = if *public { Entries::Public(product) } else { Entries::Wires(&wires) };
                b.assert_matrix_product(
                    Matrix::new(&left, *inner),
                    Matrix::new(&right, *columns),
                    product,
                    "c",
                )
            }
        }
    }
}

/// The result of a proof of `proved` where `verified` is to be believed; the gates on the verifier's side,
/// and the messages of the prover. `flip` changes the message with this number.
fn run<S: Dealt>(
    proved: &dyn Source<S::F>,
    verified: &dyn Source<S::F>,
    witness: &[S::F],
    flip: Option<(usize, usize)>,
) -> (Result<Gates>, Vec<Vec<u8>>) {
    let (here, there) = pipe(Duration::from_secs(20));
    let flip = flip.map(|(message, bit)| volery::channel::Flip { message, bit });
    let (here, sent) = Tape::new(here, flip);
    let mut proving = Channel::new(Party::Prover, here);
    let verifying = Channel::new(Party::Verifier, there);
    let verdict = std::thread::scope(|scope| {
        scope.spawn(move || {
            let (vole, witness) = (S::dealt_prover(), witness.iter().copied());
            let proved = Proposition::of(proved);
            let work = Work { options: &Options::default(), pool: &Pool::default(), lanes: None };
            // The verifier may be gone already.
            let _ = S::quicksilver().prover(&proved, &witness)(&mut proving, vole, &work);
            let _ = proving.flush();
        });
        let mut verifying = verifying;
        let mut random = Random::from_seed(&[5; 32]);
        let delta = S::delta(&mut random);
        let end = S::dealt_verifier(&delta);
        let secrets = Secrets { delta: &delta, random: &mut random };
        let (verified, pool) = (Proposition::of(verified), &Pool::default());
        let work = Work { options: &Options::default(), pool, lanes: None };
        let quicksilver = S::quicksilver();
        let verified = quicksilver.verifier(&verified)(&mut verifying, end, &work, secrets);
        verified.map(|verified| verified.gates)
    });
    (verdict, sent.messages())
}

/// Runs a test over every field and extension.
macro_rules! over_every_field {
    ($test:ident) => {{
        $test::<Binary>();
        $test::<Over<F61>>();
        $test::<Over<F61, F61x2>>();
        $test::<Over<Goldilocks, Goldilocks>>();
        $test::<Over<Goldilocks, Goldilocksx2>>();
        $test::<Over<F65537, F65537x4>>();
        $test::<Over<Q32, Q32x2>>();
        $test::<Over<F256, F128>>();
        $test::<Over<Bn254>>();
    }};
}
use over_every_field;

fn elements<F: Field>(random: &mut Random, count: usize) -> Vec<F> {
    let mut words = || [(); 5].map(|()| random.word().0 as u64);
    (0..count).map(|_| F::sample(&words()[..F::SAMPLE])).collect()
}

const VARIABLES: usize = 20;

/// A few terms of each degree up to this one, and what they are at `x`.
fn polynomial<F: Field>(random: &mut Random, degree: usize, x: &[F]) -> (Sparse<F>, F) {
    let mut terms: Vec<Term<F>> = Vec::new();
    for degree in 0..=degree {
        for factor in elements(random, 2) {
            terms.push((factor, (0..degree).map(|_| random.word().0 as usize % x.len()).collect()));
        }
    }
    // The degree is no less than it is said to be.
    terms[2 * degree].0 = F::ONE;
    let value =
        terms.iter().map(|(factor, product)| product.iter().fold(*factor, |value, &i| value * x[i])).sum();
    (Sparse::new(x.len(), degree, terms).unwrap(), value)
}

/// Polynomials of all degrees up to this one, and a witness.
pub(crate) fn set<F: Field>(degree: usize, seed: u8) -> (Statement<F>, Vec<F>) {
    let mut random = Random::from_seed(&[seed; 32]);
    let x = elements(&mut random, VARIABLES);
    let polynomials = (0..=degree).map(|degree| polynomial(&mut random, degree, &x)).collect();
    (Statement::Set(VARIABLES, polynomials), x)
}

fn is_caught(verdict: &Result<Gates>) -> bool {
    matches!(verdict, Err(Error::Rejected(Rejection::ProductsAndPolynomials)))
}

#[test]
fn polynomials_of_every_degree_hold() {
    fn test<S: Dealt>() {
        for degree in 0..=12 {
            let (statement, witness) = set::<S::F>(degree, degree as u8);
            let (verdict, sent) = run::<S>(&statement, &statement, &witness, None);
            let gates = verdict.unwrap_or_else(|why| panic!("degree {degree} over {}: {why}", S::name()));
            assert_eq!(gates.degree, degree.max(1) as u64);
            // Each asserted, and every other one committed to.
            assert_eq!(gates.polynomials, (degree + 1 + degree.div_ceil(2)) as u64);
            // All that is sent for them is d coefficients: commitments fill up their sections.
            let bytes = |sent: &[Vec<u8>]| sent.iter().map(Vec::len).sum::<usize>();
            let (one, witness) = set::<S::F>(1, 1);
            let least = bytes(&run::<S>(&one, &one, &witness, None).1);
            assert_eq!(
                bytes(&sent) - least,
                (degree.max(2) - 2) * S::OPENED,
                "degree {degree} over {}",
                S::name()
            );
        }
    }
    over_every_field!(test);
}

#[test]
fn a_false_claim_about_one_of_many_is_rejected() {
    fn test<S: Dealt>() {
        let (proved, witness) = set::<S::F>(12, 1);
        for wrong in 0..=12 {
            let mut verified = proved.clone();
            let Statement::Set(_, polynomials) = &mut verified else { unreachable!() };
            polynomials[wrong].1 += S::F::ONE;
            let (verdict, _) = run::<S>(&proved, &verified, &witness, None);
            assert!(is_caught(&verdict), "polynomial {wrong} over {}", S::name());
        }
    }
    over_every_field!(test);
}

/// Two false claims whose errors are opposite do not cancel.
#[test]
fn opposite_false_claims_are_rejected() {
    fn test<S: Dealt>() {
        let (proved, witness) = set::<S::F>(5, 1);
        for (one, other) in [(0, 5), (4, 5), (2, 3)] {
            let mut verified = proved.clone();
            let Statement::Set(_, polynomials) = &mut verified else { unreachable!() };
            polynomials[one].1 += S::F::ONE;
            polynomials[other].1 -= S::F::ONE;
            assert!(is_caught(&run::<S>(&proved, &verified, &witness, None).0));
        }
    }
    over_every_field!(test);
}

/// Products of wires are asserted without a commitment, some hundred at a time: each of them counts, in its
/// place among the others.
#[test]
fn asserted_products_count_each() {
    fn test<S: Dealt>() {
        let witness = elements::<S::F>(&mut Random::from_seed(&[8; 32]), 601);
        let products: Vec<S::F> = witness.windows(2).map(|pair| pair[0] * pair[1]).collect();
        let proved = Statement::Pairs(products.clone());
        let gates = run::<S>(&proved, &proved, &witness, None).0.unwrap();
        assert_eq!((gates.mul, gates.polynomials, gates.degree), (2, 604, 2), "over {}", S::name());
        for wrong in [0, 1, 7, 8, 254, 255, 256, 257, 307, 511, 512, 599] {
            let mut other = products.clone();
            other[wrong] += S::F::ONE;
            let (verdict, _) = run::<S>(&proved, &Statement::Pairs(other), &witness, None);
            assert!(is_caught(&verdict), "product {wrong} over {}", S::name());
        }
        // A prover that sees it does not prove it.
        let mut other = products;
        other[300] += S::F::ONE;
        let other = Statement::Pairs(other);
        assert!(run::<S>(&other, &other, &witness, None).0.is_err());
    }
    over_every_field!(test);
}

#[test]
fn each_opened_coefficient_counts() {
    fn test<S: Dealt>() {
        let (statement, witness) = set::<S::F>(7, 1);
        let sent = run::<S>(&statement, &statement, &witness, None).1;
        // The last message is the digest of the assertions.
        let message = sent.len() - 2;
        assert_eq!(sent[message].len(), 7 * S::OPENED);
        for coefficient in 0..7 {
            let bit = 8 * coefficient * S::OPENED;
            let (verdict, _) = run::<S>(&statement, &statement, &witness, Some((message, bit)));
            assert!(is_caught(&verdict), "coefficient {coefficient} over {}", S::name());
        }
    }
    over_every_field!(test);
}

/// A prover whose polynomials have a lower degree than they are said to, or a higher one, opens another
/// number of coefficients.
#[test]
fn degrees_that_lie_are_rejected() {
    fn test<S: Dealt>() {
        let (proved, witness) = set::<S::F>(6, 1);
        let Statement::Set(_, polynomials) = &proved else { unreachable!() };
        for degrees in [6, 8] {
            // The seventh is replaced by one of another degree with the same value.
            let mut other = polynomials[..6].to_vec();
            let mut random = Random::from_seed(&[9; 32]);
            other.push(polynomial(&mut random, degrees - 1, &witness));
            let other = Statement::Set(VARIABLES, other);
            let (verdict, _) = run::<S>(&proved, &other, &witness, None);
            assert!(verdict.is_err(), "{}", S::name());
        }
    }
    over_every_field!(test);
}

#[test]
fn degrees_above_the_highest_are_refused() {
    struct Powers(usize);
    impl<B: Polynomials> Circuit<B> for Powers {
        fn run(&self, b: &mut B) -> Result<()> {
            let x = b.witness()?;
            let x = b.vector(&[x]);
            let mut power = x.clone();
            for _ in 1..self.0 {
                power = b.product(&power, &x)?;
            }
            b.assert_zeroes(power, "a power of zero")
        }
    }
    let shape = |degree| volery::circuit::Shape::of::<F61>(&Powers(degree));
    assert_eq!(shape(HIGHEST_DEGREE).unwrap().degree, HIGHEST_DEGREE as u64);
    assert!(shape(HIGHEST_DEGREE + 1).unwrap_err().to_string().contains("the highest is"));
}
