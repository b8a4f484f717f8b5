//! Statements of any shape.

use super::*;

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
            b.assert_zeroes(difference, "values")?;
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
            b.assert_matrix_product(Matrix::new(&left, *inner), Matrix::new(&right, *columns), product, "c")?;
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
    let (mut wires, mut steps) = (vec![], vec![]);
    let mut vectors: Vec<<Clear<'_, F> as Polynomials>::Vector> = vec![];
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
                Step::Are(x, vectors[x].to_vec())
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
        steps.push(Step::Are(x, values.to_vec()));
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
            let (verdict, _) = run::<S>(&statement, &statement, &witness, None);
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
                let (verdict, _) = run::<S>(&statement, &wrong, &witness, None);
                assert!(is_caught(&verdict), "statement {seed}, step {place} over {}", S::name());
            }
        }
    }
    over_every_field!(test);
}
