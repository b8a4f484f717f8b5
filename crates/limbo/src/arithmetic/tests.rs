//! Proofs over large fields, honest ones and others.

mod cheats;
mod sizes;

use super::*;
use crate::{Aggregation, Challenges as Sharing, Parameters, read, write};
use volery_channel::error::Error;
use volery_circuit::stream::{Source, Streamed};
use volery_circuit::{Clear, Entries as MatrixEntries, Matrix, Polynomials, Shape};
use volery_gadgets::{Dimensions, MatrixProduct, Reduction};
use volery_primitives::{Arch, Bn254, F61, F61x2, F128, F256, F65537, F65537x4, MOST_WORDS};
use volery_statements::Arithmetic;

/// The parameters of a test's proof.
#[derive(Clone, Copy, Debug)]
struct Way {
    parties: u32,
    compression: u32,
    repetitions: u32,
    challenges: Sharing,
    aggregation: Aggregation,
    threads: usize,
}

impl Way {
    /// n, k and τ.
    fn of(parties: u32, compression: u32, repetitions: u32) -> Self {
        let (challenges, aggregation) = (Sharing::Identical, Aggregation::Hypercube);
        Self { parties, compression, repetitions, challenges, aggregation, threads: 1 }
    }

    fn parameters<E: CheckField>(self) -> Parameters {
        let Self { parties, compression, repetitions, challenges, .. } = self;
        Parameters { parties, compression, field: CheckSize::of::<E>(), repetitions, challenges }
    }

    /// A proof by whoever gives `values` to the inputs.
    fn file<B, E, C>(self, circuit: &C, values: &[B], seed: u8) -> Result<Vec<u8>>
    where
        B: Field,
        E: Lanes<B> + CheckField,
        C: Source<B>,
    {
        let (parameters, shape) = (self.parameters::<E>(), Shape::of(circuit)?);
        let mut out = vec![];
        let random = &mut Random::from_seed(&[seed; 32]);
        write::<Elements<B, E>>(
            &mut out,
            &[],
            &self.terms::<B, E>(&parameters, &shape),
            &Streamed(circuit),
            values,
            random,
        )?;
        Ok(out)
    }

    fn check<B, E, C>(self, circuit: &C, mut proof: &[u8]) -> Result<Accepted>
    where
        B: Field,
        E: Lanes<B> + CheckField,
        C: Source<B>,
    {
        let (parameters, shape) = (self.parameters::<E>(), Shape::of(circuit)?);
        let terms = self.terms::<B, E>(&parameters, &shape);
        read::<Elements<B, E>>(&mut proof, &[], &terms, &Streamed(circuit))
    }

    fn terms<'a, B: Field, E: Lanes<B> + CheckField>(
        self,
        parameters: &'a Parameters,
        shape: &'a Shape,
    ) -> Terms<'a> {
        let Self { aggregation, threads, .. } = self;
        let demand = Elements::<B, E>::demand(shape);
        Terms { arch: Arch::detect(), parameters, aggregation, shape, demand, threads, progress: None }
    }
}

/// The inputs of `circuit` with `witness`.
fn inputs<B: Field, C: Circuit<Clear<'static, B>>>(circuit: &C, witness: Vec<B>) -> Vec<B> {
    Clear::inputs(circuit, witness, 0).unwrap().to_vec()
}

/// An honest proof holds, and is as long as foretold.
fn holds<B, E, C>(way: Way, circuit: &C, values: &[B])
where
    B: Field,
    E: Lanes<B> + CheckField,
    C: Source<B>,
{
    let proof = way.file::<B, E, C>(circuit, values, 1).unwrap();
    let demand = Elements::<B, E>::demand(&Shape::of(circuit).unwrap());
    assert_eq!(proof.len() as u64, way.parameters::<E>().proof_bytes(&demand), "{way:?}");
    if let Err(why) = way.check::<B, E, C>(circuit, &proof) {
        panic!("{} over {}, {way:?}: {why}", E::LABEL, B::NAME);
    }
}

/// Gates, inner products and products of matrices in turns, with constants and negative factors.
struct Mixed {
    gates: usize,
    /// Lengths.
    inner: Vec<usize>,
    matrices: Vec<Dimensions>,
}

impl<B: Polynomials> Circuit<B> for Mixed {
    fn run(&self, b: &mut B) -> Result<()> {
        let mut s = (0..5).map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
        let seven = b.constant(-(B::F::ONE + B::F::ONE));
        let turns = self.inner.len().max(self.matrices.len()) + 1;
        for turn in 0..turns {
            for gate in 0..self.gates {
                let product = b.mul(s[gate % 5], s[(gate + turn) % 5])?;
                let minus = b.scale(s[(gate + 3) % 5], -B::F::ONE);
                let sum = b.add(product, minus);
                let sum = b.add(sum, seven);
                s[(gate + 1) % 5] = b.add(sum, s[(gate + 1) % 5]);
            }
            if let Some(&length) = self.inner.get(turn) {
                let [x, y] =
                    [0, 2].map(|skip| s.iter().cycle().skip(skip).take(length).copied().collect::<Vec<_>>());
                let product = b.inner_product(&x, &y)?;
                let plus = b.public(&[B::F::ONE]);
                let product = b.sum(&product, &plus);
                let square = b.product(&product, &product)?;
                let value = b.commit(&square)?;
                s[turn % 5] = value[0];
            }
            if let Some(&Dimensions { rows, inner, columns }) = self.matrices.get(turn) {
                let [x, y] = [rows * inner, inner * columns]
                    .map(|entries| s.iter().cycle().take(entries).copied().collect::<Vec<_>>());
                let of: Vec<_> = x.iter().chain(&y).copied().collect();
                let product = b.hints(&of, rows * columns, move |values| {
                    let (x, y) = values.split_at(rows * inner);
                    let entry = move |i: usize| {
                        let column = y.iter().skip(i % columns).step_by(columns);
                        x[i / columns * inner..].iter().zip(column).map(|(&x, &y)| x * y).sum()
                    };
                    (0..rows * columns).map(entry).collect()
                })?;
                let c = MatrixEntries::Wires(&product);
                b.assert_matrix_product(Matrix::new(&x, inner), Matrix::new(&y, columns), c, "c")?;
                s[0] = *product.last().expect("a product");
            }
        }
        for wire in s {
            let again = b.hint(&[wire], |values| values[0])?;
            let minus = b.scale(again, -B::F::ONE);
            let difference = b.add(wire, minus);
            b.assert_zero(difference, "an end")?;
        }
        Ok(())
    }
}

fn dimensions(rows: usize, inner: usize, columns: usize) -> Dimensions {
    Dimensions { rows, inner, columns }
}

fn mixed() -> Mixed {
    let matrices = vec![dimensions(3, 5, 2), dimensions(1, 1, 1), dimensions(2, 700, 3)];
    Mixed { gates: 30, inner: vec![0, 1, 17, 1000, 3], matrices }
}

fn some<B: Field>(count: u64) -> Vec<B> {
    (0..count).map(|i| B::sample(&[i * 0x1234_5678_9abc_def1 + 5; MOST_WORDS])).collect()
}

/// Every way, or one in `step` from the one with number `first` on: where that is odd, every number of parties and
/// challenges of each kind.
fn everywhere<B: Field, E: Lanes<B> + CheckField>(first: usize, step: usize) {
    let mixed = mixed();
    let values = inputs(&mixed, some::<B>(5));
    let mut ways = Vec::new();
    for (parties, compression, repetitions) in [(2, 2, 3), (4, 3, 5), (16, 8, 7), (64, 4, 3)] {
        for challenges in [Sharing::Identical, Sharing::Independent] {
            for aggregation in Aggregation::ALL {
                let threads = if parties == 4 { 3 } else { 1 };
                let way =
                    Way { challenges, aggregation, threads, ..Way::of(parties, compression, repetitions) };
                ways.push(way);
            }
        }
    }
    for way in ways.into_iter().skip(first).step_by(step) {
        holds::<B, E, _>(way, &mixed, &values);
    }
}

#[test]
fn circuits_of_all_kinds_over_f61() {
    everywhere::<F61, F61>(0, 1);
    everywhere::<F61, F61x2>(1, 3);
}

#[test]
fn circuits_of_all_kinds_over_other_fields() {
    everywhere::<Bn254, Bn254>(0, 5);
    everywhere::<F65537, F65537x4>(2, 3);
    everywhere::<F256, F128>(0, 3);
}

#[test]
#[ignore = "slow"]
fn circuits_of_all_kinds_over_other_fields_in_every_way() {
    everywhere::<F61, F61x2>(0, 1);
    everywhere::<Bn254, Bn254>(0, 1);
    everywhere::<F65537, F65537x4>(0, 1);
    everywhere::<F256, F128>(0, 1);
}

#[test]
fn networks_of_many_sizes() {
    networks(&[1, 2, 3, 7, 8, 511, 512, 513]);
}

#[test]
#[ignore = "slow"]
fn networks_of_large_sizes() {
    networks(&[3000]);
}

fn networks(sizes: &[u64]) {
    for &gates in sizes {
        let network = Arithmetic::<F61>::new(gates).unwrap();
        let values: Vec<F61> = network.witness([3; 32]).collect();
        for (compression, threads) in [(2, 1), (8, 2), (64, 3)] {
            holds::<_, F61, _>(Way { threads, ..Way::of(16, compression, 5) }, &network, &values);
        }
    }
}

/// A circuit without multiplications.
struct Sum;

impl<B: Polynomials> Circuit<B> for Sum {
    fn run(&self, b: &mut B) -> Result<()> {
        let (x, y) = (b.witness()?, b.witness()?);
        let sum = b.add(x, y);
        let minus = b.constant(-B::F::ONE);
        let difference = b.add(sum, minus);
        b.assert_zero(difference, "the sum")
    }
}

#[test]
fn statements_without_products() {
    let way = Way::of(16, 4, 8);
    let right = [F61::new(5), F61::ONE - F61::new(5)];
    holds::<_, F61, _>(way, &Sum, &right);
    let proof = way.file::<_, F61, _>(&Sum, &[right[0], right[1] + F61::ONE], 1).unwrap();
    assert!(matches!(way.check::<F61, F61, _>(&Sum, &proof), Err(Error::Rejected(_))));
}

#[test]
fn matrices_both_ways() {
    for (rows, inner, columns) in [(1, 1, 1), (4, 3, 5), (10, 33, 4)] {
        let sizes = dimensions(rows, inner, columns);
        let product = MatrixProduct::<F61>::product_of(sizes, [7; 32]);
        for reduction in [Reduction::Random, Reduction::InnerProducts] {
            for public in [Some(&product[..]), None] {
                let statement = MatrixProduct::new(sizes, public, reduction).unwrap();
                let values: Vec<F61> = statement.witness([7; 32]).collect();
                for aggregation in Aggregation::ALL {
                    let way = Way { aggregation, threads: 2, ..Way::of(16, 4, 5) };
                    holds::<_, F61, _>(way, &statement, &values);
                    holds::<_, F61x2, _>(
                        Way { challenges: Sharing::Independent, ..way },
                        &statement,
                        &values,
                    );
                }
            }
        }
    }
}
