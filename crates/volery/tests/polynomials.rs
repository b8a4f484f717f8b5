//! Polynomials and matrix products over every field, proved over dealt correlations: what is true is accepted, what is
//! false in one place is not.

mod kit;

use std::time::Duration;
use volery::channel::{Channel, Party, Tape, pipe};
use volery::circuit::{Circuit, Clear, Entries, HIGHEST_DEGREE, Matrix, Polynomials, Sparse, Term};
use volery::random::Random;
use volery::vole::{self, BoxedVole};
use volery::zk::Gates;
use volery::{
    Arch, Binary, Error, F61, F61x2, F128, F256, F65537, F65537x4, Field, Goldilocks, Goldilocksx2, MacField,
    Options, Over, Q32, Q32x2, Result, Setting,
};

/// Shares in a block of the dealer.
const BLOCK: usize = 192;

/// A setting with a trusted dealer.
trait Dealt: Setting {
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

impl<B: Field, E: MacField<B>> Dealt for Over<B, E> {
    const OPENED: usize = E::BYTES;

    fn dealt_prover() -> BoxedVole<Self::Mac> {
        Box::new(vole::subfield::ideal::Prover::<B, E>::new(3, BLOCK))
    }
    fn dealt_verifier(delta: &Self::Delta) -> BoxedVole<Self::Key> {
        Box::new(vole::subfield::ideal::Verifier::new(3, BLOCK, delta))
    }
}

/// What both parties can run.
trait Anywhere<S: Setting>: for<'a> Circuit<S::Prover<'a>> + for<'a> Circuit<S::Verifier<'a>> + Sync {}

impl<S: Setting, C> Anywhere<S> for C where
    C: for<'a> Circuit<S::Prover<'a>> + for<'a> Circuit<S::Verifier<'a>> + Sync
{
}

/// What is stated, and whether it is proved with one thing false.
#[derive(Clone)]
enum Statement<F> {
    /// Polynomials of the first so many elements of the witness, and their values; every other value is committed to.
    Set(usize, Vec<(Sparse<F>, F)>),
    /// A matrix with rows of this length by one with so many columns, both with the entries of the witness, is this one.
    Product { inner: usize, columns: usize, product: Vec<F>, public: bool },
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
                    b.assert_zeroes(difference, &format_args!("polynomial {i}"))?;
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
                    &"c",
                )
            }
        }
    }
}

/// What becomes of a proof of `proved` where `verified` is to be believed; the gates on the verifier's side, and the
/// messages of the prover. `flip` changes the message with this number.
fn run<S: Dealt, C: Anywhere<S>>(
    proved: &C,
    verified: &C,
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
            {
                let witness = witness.to_vec();
                let mut prover = S::prover(&mut proving, S::dealt_prover(), Arch::detect(), witness, None);
                // The verifier may be gone already.
                let _ = proved.run(&mut prover).and_then(|()| S::finish_prover(prover).map(drop));
            }
            let _ = proving.flush();
        });
        let mut verifying = verifying;
        let mut random = Random::from_seed(&[5; 32]);
        let delta = S::delta(&mut random);
        let end = S::dealt_verifier(&delta);
        let mut verifier = S::verifier(&mut verifying, end, Arch::detect(), &delta, &mut random, None);
        verified.run(&mut verifier)?;
        S::finish_verifier(verifier).map(|(_, gates, _)| gates)
    });
    (verdict, sent.messages())
}

/// Runs a test over every field and extension.
macro_rules! over_every_field {
    ($test:ident) => {{
        $test::<Binary>();
        $test::<Over<F61, F61>>();
        $test::<Over<F61, F61x2>>();
        $test::<Over<Goldilocks, Goldilocks>>();
        $test::<Over<Goldilocks, Goldilocksx2>>();
        $test::<Over<F65537, F65537x4>>();
        $test::<Over<Q32, Q32x2>>();
        $test::<Over<F256, F128>>();
    }};
}

fn elements<F: Field>(random: &mut Random, count: usize) -> Vec<F> {
    let mut words = || [(); 4].map(|()| random.word().0 as u64);
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
fn set<F: Field>(degree: usize, seed: u8) -> (Statement<F>, Vec<F>) {
    let mut random = Random::from_seed(&[seed; 32]);
    let x = elements(&mut random, VARIABLES);
    let polynomials = (0..=degree).map(|degree| polynomial(&mut random, degree, &x)).collect();
    (Statement::Set(VARIABLES, polynomials), x)
}

fn is_caught(verdict: &Result<Gates>) -> bool {
    matches!(verdict, Err(Error::Rejected("the check of products and polynomials failed")))
}

#[test]
fn polynomials_of_every_degree_hold() {
    fn test<S: Dealt>() {
        for degree in 0..=12 {
            let (statement, witness) = set::<S::F>(degree, degree as u8);
            let (verdict, sent) = run::<S, _>(&statement, &statement, &witness, None);
            let gates = verdict.unwrap_or_else(|why| panic!("degree {degree} over {}: {why}", S::name()));
            assert_eq!(gates.degree, degree.max(1) as u64);
            // Each asserted, and every other one committed to.
            assert_eq!(gates.polynomials, (degree + 1 + degree.div_ceil(2)) as u64);
            // All that is sent for them is d coefficients: commitments fill up their sections.
            let bytes = |sent: &[Vec<u8>]| sent.iter().map(Vec::len).sum::<usize>();
            let (one, witness) = set::<S::F>(1, 1);
            let least = bytes(&run::<S, _>(&one, &one, &witness, None).1);
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
            let (verdict, _) = run::<S, _>(&proved, &verified, &witness, None);
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
            assert!(is_caught(&run::<S, _>(&proved, &verified, &witness, None).0));
        }
    }
    over_every_field!(test);
}

#[test]
fn each_opened_coefficient_counts() {
    fn test<S: Dealt>() {
        let (statement, witness) = set::<S::F>(7, 1);
        let sent = run::<S, _>(&statement, &statement, &witness, None).1;
        // The last message is the digest of the assertions.
        let message = sent.len() - 2;
        assert_eq!(sent[message].len(), 7 * S::OPENED);
        for coefficient in 0..7 {
            let bit = 8 * coefficient * S::OPENED;
            let (verdict, _) = run::<S, _>(&statement, &statement, &witness, Some((message, bit)));
            assert!(is_caught(&verdict), "coefficient {coefficient} over {}", S::name());
        }
    }
    over_every_field!(test);
}

/// A prover whose polynomials have a lower degree than they are said to, or a higher one, opens another number of
/// coefficients.
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
            let (verdict, _) = run::<S, _>(&proved, &other, &witness, None);
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
            b.assert_zeroes(power, &"a power of zero")
        }
    }
    let shape = |degree| volery::circuit::Count::<F61>::shape(&Powers(degree));
    assert_eq!(shape(HIGHEST_DEGREE).unwrap().degree, HIGHEST_DEGREE as u64);
    assert!(shape(HIGHEST_DEGREE + 1).unwrap_err().to_string().contains("the highest is"));
}

/// Matrices with random entries, and their product.
fn matrices<F: Field>(
    rows: usize,
    inner: usize,
    columns: usize,
    seed: u8,
    public: bool,
) -> (Statement<F>, Vec<F>) {
    let witness: Vec<F> = elements(&mut Random::from_seed(&[seed; 32]), (rows + columns) * inner);
    let (left, right) = witness.split_at(rows * inner);
    let entry = |i: usize, j: usize| (0..inner).map(|k| left[i * inner + k] * right[k * columns + j]).sum();
    let product = (0..rows * columns).map(|at| entry(at / columns, at % columns)).collect();
    (Statement::Product { inner, columns, product, public }, witness)
}

#[test]
fn products_of_matrices_hold() {
    fn test<S: Dealt>() {
        for (rows, inner, columns) in [(1, 1, 1), (3, 5, 2), (40, 1, 7), (7, 33, 34)] {
            for public in [true, false] {
                let (statement, witness) = matrices::<S::F>(rows, inner, columns, 1, public);
                let gates = run::<S, _>(&statement, &statement, &witness, None).0.unwrap();
                assert_eq!((gates.matrices, gates.degree, gates.mul), (1, 2, 0));
            }
        }
    }
    over_every_field!(test);
}

/// 200 runs: a product that is wrong in one entry is never accepted.
#[test]
fn a_product_wrong_in_one_entry_is_rejected() {
    fn test<S: Dealt>() {
        for at in 0..30 {
            let (proved, witness) = matrices::<S::F>(5, 4, 6, at as u8, at % 2 == 0);
            let mut verified = proved.clone();
            let Statement::Product { product, .. } = &mut verified else { unreachable!() };
            product[at] += S::F::ONE;
            assert!(
                is_caught(&run::<S, _>(&proved, &verified, &witness, None).0),
                "entry {at} over {}",
                S::name()
            );
        }
    }
    over_every_field!(test);
}

/// There is nothing to be wrong about.
#[test]
fn products_of_no_rows_hold() {
    fn test<S: Dealt>() {
        let (statement, witness) = matrices::<S::F>(0, 3, 2, 1, true);
        statement.run(&mut Clear::new(witness.clone())).unwrap();
        run::<S, _>(&statement, &statement, &witness, None).0.unwrap();
    }
    over_every_field!(test);
}

/// "I know the square roots of these", each in so many lanes that a batch ends after it.
#[derive(Clone)]
struct Squares<F>(Vec<F>);

/// Polynomials of degree 2 after which a batch ends.
const MANY: usize = 1 << 16;

impl<B: Polynomials> Circuit<B> for Squares<B::F> {
    fn run(&self, b: &mut B) -> Result<()> {
        for (i, square) in self.0.iter().enumerate() {
            let x = b.witness()?;
            // An odd number of products in a batch.
            let product = b.mul(x, x)?;
            let y = b.witness()?;
            let zero = b.mul(product, y)?;
            b.assert_zero(zero, &"zero")?;
            let x = b.vector(&[x]);
            let square = b.public(&[-*square]);
            let product = b.product(&x, &x)?;
            let difference = b.sum(&product, &square);
            let lanes = b.gather(&difference, &vec![Some(0); MANY]);
            b.assert_zeroes(lanes, &format_args!("square {i}"))?;
        }
        Ok(())
    }
}

/// On either side of an end, and where errors would cancel if two batches had one coin.
#[test]
fn false_claims_around_the_early_end_of_a_batch_are_rejected() {
    fn test<S: Dealt>() {
        let roots: Vec<S::F> = elements(&mut Random::from_seed(&[4; 32]), 3);
        let squares = Squares(roots.iter().map(|root| *root * *root).collect());
        let witness: Vec<_> = roots.iter().flat_map(|root| [*root, S::F::ZERO]).collect();
        let (verdict, sent) = run::<S, _>(&squares, &squares, &witness, None);
        assert_eq!(verdict.unwrap().polynomials, 3 * MANY as u64);
        // Corrections of a block for each of them, coefficients, and the digest of assertions.
        assert_eq!(sent.len(), 5);
        let one = S::F::ONE;
        for errors in [[one, one - one, one - one], [one - one, one, one - one], [one, -one, one - one]] {
            let wrong =
                Squares(squares.0.iter().zip(errors).map(|(&square, error)| square + error).collect());
            assert!(is_caught(&run::<S, _>(&squares, &wrong, &witness, None).0), "{}", S::name());
        }
    }
    over_every_field!(test);
}

/// A step of a statement that is made up.
#[derive(Clone)]
enum Step<F> {
    Witness,
    Multiply(usize, usize),
    Vector(Vec<usize>),
    Public(Vec<F>),
    Sum(usize, usize),
    Product(usize, usize),
    Gather(usize, Vec<Option<usize>>),
    Total(usize),
    InnerProduct(Vec<usize>, Vec<usize>),
    Commit(usize),
    /// A vector has these values.
    Are(usize, Vec<F>),
    /// A matrix with rows of this length by one with so many columns is this one, in one of three ways.
    Matrix(Vec<usize>, usize, Vec<usize>, usize, Vec<F>, u8),
}

/// A statement of steps.
#[derive(Clone)]
struct Steps<F>(Vec<Step<F>>);

fn take<B: Polynomials>(
    step: &Step<B::F>,
    b: &mut B,
    wires: &mut Vec<B::Wire>,
    vectors: &mut Vec<B::Vector>,
) -> Result<()> {
    let of = |places: &[usize], wires: &[B::Wire]| places.iter().map(|i| wires[*i]).collect::<Vec<_>>();
    match step {
        Step::Witness => wires.push(b.witness()?),
        Step::Multiply(x, y) => wires.push(b.mul(wires[*x], wires[*y])?),
        Step::Vector(places) => vectors.push(b.vector(&of(places, wires))),
        Step::Public(values) => vectors.push(b.public(values)),
        Step::Sum(x, y) => vectors.push(b.sum(&vectors[*x], &vectors[*y])),
        Step::Product(x, y) => vectors.push(b.product(&vectors[*x], &vectors[*y])?),
        Step::Gather(x, lanes) => vectors.push(b.gather(&vectors[*x], lanes)),
        Step::Total(x) => vectors.push(b.total(&vectors[*x])),
        Step::InnerProduct(x, y) => vectors.push(b.inner_product(&of(x, wires), &of(y, wires))?),
        Step::Commit(x) => wires.extend(b.commit(&vectors[*x])?),
        Step::Are(x, values) => {
            let negated = b.public(&values.iter().map(|value| -*value).collect::<Vec<_>>());
            let difference = b.sum(&vectors[*x], &negated);
            b.assert_zeroes(difference, &"values")?;
        }
        Step::Matrix(left, inner, right, columns, product, kind) => {
            let (left, right) = (of(left, wires), of(right, wires));
            let committed = match kind {
                0 => vec![],
                1 => product.iter().map(|entry| b.constant(*entry)).collect(),
                _ => {
                    let product = b.public(product);
                    b.commit(&product)?
                }
            };
            let product = if *kind == 0 { Entries::Public(product) } else { Entries::Wires(&committed) };
            b.assert_matrix_product(
                Matrix::new(&left, *inner),
                Matrix::new(&right, *columns),
                product,
                &"c",
            )?;
        }
    }
    Ok(())
}

impl<B: Polynomials> Circuit<B> for Steps<B::F> {
    fn run(&self, b: &mut B) -> Result<()> {
        let (mut wires, mut vectors) = (vec![], vec![]);
        self.0.iter().try_for_each(|step| take(step, b, &mut wires, &mut vectors))
    }
}

/// A true statement of so many steps, and its witness.
fn made_up<F: Field>(seed: u8, length: usize) -> (Steps<F>, Vec<F>) {
    const DEGREE: usize = 9;
    let random = &mut Random::from_seed(&[seed; 32]);
    let witness: Vec<F> = elements(random, length + 4);
    let mut clear = Clear::new(witness.clone());
    let (mut wires, mut vectors, mut steps) = (vec![], vec![], vec![]);
    let mut degrees: Vec<usize> = vec![];
    let mut read = 0;
    let mut below = |end: usize| random.word().0 as usize % end;
    while steps.len() < length {
        let kind = if read < 4 { 0 } else { below(14) };
        let of = |below: &mut dyn FnMut(usize) -> usize, count: usize, wires: &[F]| {
            (0..count).map(|_| below(wires.len())).collect::<Vec<_>>()
        };
        let any = |below: &mut dyn FnMut(usize) -> usize| below(degrees.len().max(1));
        let lengths = [0, 1, 1, 2, 5, 40, 261];
        let step = match kind {
            0 => Step::Witness,
            1 => Step::Multiply(below(wires.len()), below(wires.len())),
            2 => {
                let count = lengths[below(7)];
                Step::Vector(of(&mut below, count, &wires))
            }
            3 => Step::Public((0..lengths[below(7)]).map(|_| witness[below(witness.len())]).collect()),
            _ if degrees.is_empty() => continue,
            4 | 5 => Step::Sum(any(&mut below), any(&mut below)),
            6 | 7 => Step::Product(any(&mut below), any(&mut below)),
            8 => {
                let x = any(&mut below);
                let lanes: usize = Vec::len(&vectors[x]);
                let count = if below(6) == 0 { (1 << 17) / degrees[x].max(1) } else { lengths[below(7)] };
                let lane = |_| Some(below(lanes + 1)).filter(|lane| *lane < lanes);
                Step::Gather(x, (0..count).map(lane).collect())
            }
            9 => Step::Total(any(&mut below)),
            10 => {
                let count = lengths[below(7)];
                Step::InnerProduct(of(&mut below, count, &wires), of(&mut below, count, &wires))
            }
            11 => Step::Commit(any(&mut below)),
            12 => {
                let x = any(&mut below);
                Step::Are(x, vectors[x].clone())
            }
            _ => {
                let [rows, inner, columns] = [(); 3].map(|()| 1 + below(4));
                let (left, right) =
                    (of(&mut below, rows * inner, &wires), of(&mut below, inner * columns, &wires));
                let entry = |i: usize, j: usize| {
                    (0..inner).map(|k| wires[left[i * inner + k]] * wires[right[k * columns + j]]).sum()
                };
                let product = (0..rows * columns).map(|at| entry(at / columns, at % columns)).collect();
                Step::Matrix(left, inner, right, columns, product, below(3) as u8)
            }
        };
        let degree = match &step {
            Step::Sum(x, y) | Step::Product(x, y) => {
                let (a, b) = (vectors[*x].len(), vectors[*y].len());
                let product = matches!(step, Step::Product(..));
                let degree = if product { degrees[*x] + degrees[*y] } else { degrees[*x].max(degrees[*y]) };
                if !(a == b || a == 1 || b == 1) || degree > DEGREE || product && a.max(b) > 1000 {
                    continue;
                }
                Some(degree)
            }
            Step::Commit(x) if vectors[*x].len() > 1000 => continue,
            Step::Vector(_) => Some(1),
            Step::Public(_) => Some(0),
            Step::Gather(x, _) | Step::Total(x) => Some(degrees[*x]),
            Step::InnerProduct(..) => Some(2),
            _ => None,
        };
        read += usize::from(kind == 0);
        degrees.extend(degree);
        take(&step, &mut clear, &mut wires, &mut vectors).unwrap();
        steps.push(step);
    }
    // What is large is asserted, so that batches end early; and something is, at any rate.
    for (x, values) in vectors.iter().enumerate().filter(|(x, values)| values.len() > 1000 || *x == 0) {
        steps.push(Step::Are(x, values.clone()));
    }
    (Steps(steps), witness[..read].to_vec())
}

/// Proofs agree with the clear on statements of any shape, and on what is false in them.
#[test]
fn statements_that_are_made_up_hold_and_lies_in_them_do_not() {
    fn test<S: Dealt>() {
        let seeds = std::env::var("SEEDS").map_or(2, |seeds| seeds.parse().unwrap());
        for seed in 0..seeds {
            let (statement, witness) = made_up::<S::F>(seed, 60);
            let (verdict, _) = run::<S, _>(&statement, &statement, &witness, None);
            if let Err(why) = verdict {
                panic!("statement {seed} over {}: {why}", S::name());
            }
            let claims = statement.0.iter().enumerate().filter(|(_, step)| match step {
                Step::Are(_, values) | Step::Matrix(.., values, _) => !values.is_empty(),
                _ => false,
            });
            let claims: Vec<usize> = claims.map(|(place, _)| place).collect();
            for (i, place) in claims.iter().enumerate() {
                let mut wrong = statement.clone();
                let (Step::Are(_, values) | Step::Matrix(.., values, _)) = &mut wrong.0[*place] else {
                    unreachable!()
                };
                let lane = (7 * i) % values.len();
                values[lane] += S::F::ONE;
                let (verdict, _) = run::<S, _>(&statement, &wrong, &witness, None);
                assert!(is_caught(&verdict), "statement {seed}, step {place} over {}", S::name());
            }
        }
    }
    over_every_field!(test);
}

/// "I know so many elements, a product of matrices of the first, and roots in very many lanes", again and again.
struct Rounds(usize);

impl<B: Polynomials> Circuit<B> for Rounds {
    fn run(&self, b: &mut B) -> Result<()> {
        for round in 0..self.0 {
            let x = (0..1501 + 7 * round).map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
            let product: Vec<_> = [(0, 4), (0, 5), (1, 4), (1, 5)]
                .iter()
                .map(|(i, j)| b.mul(x[*i], x[*j]))
                .collect::<Result<_>>()?;
            let (left, right) = (Matrix::new(&x[..2], 1), Matrix::new(&x[4..6], 2));
            b.assert_matrix_product(left, right, Entries::Wires(&product), &"c")?;
            if round % 2 == 0 {
                b.assert_matrix_product(left, right, Entries::Wires(&product), &"c")?;
            }
            let vector = b.vector(&x[..1]);
            let square = b.product(&vector, &vector)?;
            let wires = b.commit(&square)?;
            let vector = b.vector(&wires);
            let one = b.public(&[-B::F::ONE]);
            let difference = b.sum(&vector, &one);
            let lanes = b.gather(&difference, &vec![Some(0); 2 * MANY]);
            b.assert_zeroes(lanes, &"one")?;
        }
        Ok(())
    }
}

/// Over correlations whose own messages go both ways between those of batches, in the order of both parties.
#[test]
fn early_ends_go_with_real_correlations() {
    fn test<S: Setting>(rounds: usize, names: &[&str])
    where
        Rounds: kit::Anywhere<S>,
    {
        let rounds = Rounds(rounds);
        let witness: Vec<S::F> = vec![S::F::ONE; (0..rounds.0).map(|round| 1501 + 7 * round).sum()];
        for name in names {
            let correlations = S::correlations().into_iter().find(|there| there.name() == *name);
            let options = Options { correlations, security: Some(30), ..kit::seeded(1) };
            let session = kit::run_over::<S, _, _>((&rounds, &witness, &options), (&rounds, &options), None);
            session.proved.unwrap();
            assert_eq!(
                session.verified.unwrap().1.gates.matrices,
                rounds.0.div_ceil(2) as u64 + rounds.0 as u64
            );
            let mut wrong = witness.clone();
            *wrong.last_mut().unwrap() = S::F::ZERO;
            wrong[1501] = S::F::ZERO;
            let options = Options { check: false, ..options };
            let session = kit::run_over::<S, _, _>((&rounds, &wrong, &options), (&rounds, &options), None);
            assert!(matches!(session.proved, Err(Error::Unsatisfied(_))) && session.verified.is_err());
        }
    }
    test::<Over<F61, F61>>(40, &["direct", "tiny"]);
    test::<Over<F61, F61x2>>(6, &["direct", "tiny"]);
    test::<Binary>(10, &["softspoken8", "tiny"]);
}
