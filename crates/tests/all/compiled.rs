//! Statements that are Rust values are compiled for QuickSilver over F_2 and over 2^61 − 1 with MACs in itself.
//! They say the same bytes as their streams of gates, which most other tests push, and fail at the same assertion.

use crate::kit::{Mixed, Ones, both, network, run_compiled, run_one_of, run_over, seeded};
use crate::memory::{Notes, Root, Shuffled, notes};
use crate::polynomials::{Statement, set};
use crate::rows::{Accessed, Combined, KNOWN, Squared, addresses, combined, squares, sums};
use crate::tapes::digest;
use volery::channel::{Flip, Party};
use volery::circuit::{
    Arithmetic, Backend, Circuit, Dimensions, InnerProduct, MatrixProduct, Reduction, Returned,
};
use volery::{
    Binary, Correlations, Error, F2, F61, F61x2, Field, Named, Options, Over, Provable, check, prove_one_of,
    verify_one_of,
};

fn number<F: Field>(word: u64) -> F {
    F::from_word(u128::from(word)).expect("a small number")
}

/// Asserts that both ways say the same, over the correlations called `names`.
fn agrees<S: Named>(statement: &(impl Provable<S> + Sync), witness: &[S::F], names: [&str; 2]) {
    for name in names {
        let correlations: Correlations = Correlations::named::<S>(name).unwrap();
        let options = seeded(3).with_correlations(correlations);
        let streamed = (statement.source(), witness, &options);
        let streamed = run_over::<S>(streamed, (statement.source(), &options), None);
        assert_eq!(digest(run_compiled::<S>(statement, witness, &options, None)), digest(streamed));
    }
}

/// Asserts that both ways find the assertion called `name`, whether somebody looked before or not.
fn fails<S: Named>(statement: &(impl Provable<S> + Sync), witness: &[S::F], name: &str) {
    for check in [true, false] {
        let options = Options { check, ..seeded(3) };
        let streamed = (statement.source(), witness, &options);
        let streamed = run_over::<S>(streamed, (statement.source(), &options), None);
        for session in [run_compiled::<S>(statement, witness, &options, None), streamed] {
            let failed = session.proved.unwrap_err();
            assert!(matches!(&failed, Error::Unsatisfied(found) if found == name), "{failed}, not {name}");
            assert!(session.verified.is_err());
        }
    }
}

/// Products of each lane's values, mapped: by the stream many lanes are walked at a time, and so they are of a
/// statement that is compiled.
pub(crate) struct Lanes {
    pub(crate) lanes: usize,
    /// The products of a lane.
    pub(crate) products: usize,
}

impl<B: Backend> Circuit<B> for Lanes {
    fn run(&self, b: &mut B) -> volery::Result<()> {
        let columns = (0..2 * self.lanes).map(|_| b.witness()).collect::<volery::Result<Vec<_>>>()?;
        let made = b.map(b"products", self.lanes, &columns, |b, lane, of| {
            let (mut x, y) = (of[0], of[1]);
            for _ in 0..self.products {
                let product = b.mul(x, y)?;
                x = b.add(product, of[0]);
            }
            b.assert_zero(x, format_args!("the last of lane {lane}"))?;
            Ok(Returned { wires: vec![x], public: Vec::new() })
        })?;
        b.assert_zero(made.wires[0], "the first lane")
    }
}

#[test]
fn what_is_mapped_goes_by_its_stream() {
    let mut witness = [F2::ZERO, F2::ZERO, F2::ONE, F2::ONE].repeat(50);
    witness[..100].fill(F2::ZERO);
    let statement = Lanes { lanes: 100, products: 50 };
    agrees::<Binary>(&statement, &witness, OVER_BITS);
    witness[77] = F2::ONE;
    witness[177] = F2::ZERO;
    fails::<Binary>(&statement, &witness, "the last of lane 77");
    mapped_numbers::<F61, Over<F61>>();
    mapped_numbers::<F61, Over<F61, F61x2>>();
}

fn mapped_numbers<F: Field, S: Named<F = F>>() {
    let mut witness = [F::ZERO, F::ZERO, F::ONE, -F::ONE].repeat(50);
    witness[..100].fill(F::ZERO);
    let statement = Lanes { lanes: 100, products: 50 };
    agrees::<S>(&statement, &witness, OVER_NUMBERS);
    witness[77] = F::ONE;
    fails::<S>(&statement, &witness, "the last of lane 77");
}

const OVER_BITS: [&str; 2] = ["softspoken8", "tiny"];
const OVER_NUMBERS: [&str; 2] = ["direct", "tiny"];

#[test]
fn gates_and_hints() {
    let (network, witness) = network(5000);
    agrees::<Binary>(&network, &witness, OVER_BITS);
    let network = Arithmetic::<F61>::new(5000).unwrap();
    let witness: Vec<F61> = network.witness([7; 32]).collect();
    agrees::<Over<F61>>(&network, &witness, OVER_NUMBERS);
    let mixed = Mixed { bits: 400 };
    let mut witness = vec![F2::ONE; 400];
    agrees::<Binary>(&mixed, &witness, OVER_BITS);
    witness[399] = F2::ZERO;
    fails::<Binary>(&mixed, &witness, "parity");
}

#[test]
fn memories_tables_and_permutations() {
    fn test<S: Named>(names: [&str; 2])
    where
        Notes: Provable<S>,
        Shuffled: Provable<S>,
    {
        let (statement, witness) = notes::<S::F>(11, 4);
        agrees::<S>(&statement, &witness, names);
        let (statement, witness) = notes::<S::F>(8, 6);
        fails::<S>(&statement, &witness, "address 7");
        let lists = [0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1];
        let mut witness = lists.map(number::<S::F>);
        let shuffled = Shuffled { width: 2, words: 3, first: 0 };
        agrees::<S>(&shuffled, &witness, names);
        witness[11] = S::F::ZERO;
        fails::<S>(&shuffled, &witness, "the same 3 words");
    }
    test::<Binary>(OVER_BITS);
    test::<Over<F61>>(OVER_NUMBERS);
    agrees::<Over<F61>>(&Root { square: 121 }, &[number(11)], OVER_NUMBERS);
    fails::<Over<F61>>(&Root { square: 529 }, &[number(23)], "a small square");
    fails::<Over<F61>>(&Root { square: 576 }, &[number(24)], "a root in the table");
}

#[test]
fn columns() {
    let mut witness: Vec<F61> = (0..40).flat_map(addresses).map(number).collect();
    let accessed = Accessed { rows: 40, sums: sums(40) };
    agrees::<Over<F61>>(&accessed, &witness, OVER_NUMBERS);
    witness[118] = number(5);
    fails::<Over<F61>>(&accessed, &witness, "an address[39]");
    let (mut bits, numbers) = (combined(|value| value % 2), combined(|value| value));
    agrees::<Binary>(&Combined(bits), &KNOWN.map(number), OVER_BITS);
    agrees::<Over<F61>>(&Combined(numbers), &KNOWN.map(number), OVER_NUMBERS);
    bits[3][2] ^= 1;
    fails::<Binary>(&Combined(bits), &KNOWN.map(number), "combination 3[2]");
    let (mut witness, sum) = squares(257);
    agrees::<Over<F61>>(&Squared { rows: 257, sum }, &witness, OVER_NUMBERS);
    witness[256] = number(12);
    fails::<Over<F61>>(&Squared { rows: 257, sum }, &witness, "a number below twelve[256]");
}

#[test]
fn polynomials_and_matrices() {
    fn test<S: Named>(names: [&str; 2])
    where
        Statement<S::F>: Provable<S>,
    {
        let (statement, mut witness) = set::<S::F>(12, 1);
        agrees::<S>(&statement, &witness, names);
        witness[0] += S::F::ONE;
        let Error::Unsatisfied(name) = check(&statement, witness.clone()).unwrap_err() else { panic!() };
        fails::<S>(&statement, &witness, &name);
        let products = |wrong: u64| {
            let mut products = vec![S::F::ONE; 600];
            products[400] += number(wrong);
            Statement::Pairs(products)
        };
        agrees::<S>(&products(0), &[S::F::ONE; 601], names);
        fails::<S>(&products(1), &[S::F::ONE; 601], "product 400");
    }
    test::<Binary>(OVER_BITS);
    test::<Over<F61>>(OVER_NUMBERS);
    let z = InnerProduct::<F2>::product_of(700, [7; 32]);
    let inner = |z| InnerProduct::new(700, z).unwrap();
    let witness: Vec<F2> = inner(z).witness([7; 32]).collect();
    agrees::<Binary>(&inner(z), &witness, OVER_BITS);
    fails::<Binary>(&inner(z + F2::ONE), &witness, "z");
    let dimensions = Dimensions { rows: 9, inner: 14, columns: 11 };
    let mut product = MatrixProduct::<F61>::product_of(dimensions, [7; 32]);
    let matrices = MatrixProduct::new(dimensions, Some(&product), Reduction::InnerProducts).unwrap();
    let witness: Vec<F61> = matrices.witness([7; 32]).collect();
    agrees::<Over<F61>>(&matrices, &witness, OVER_NUMBERS);
    product[11 * 7 + 3] += F61::ONE;
    let matrices = MatrixProduct::new(dimensions, Some(&product), Reduction::InnerProducts).unwrap();
    fails::<Over<F61>>(&matrices, &witness, "c[7][3]");
}

/// One of several clauses, whichever holds.
#[test]
fn clauses() {
    let ones = Ones(vec![70, 1, 300]);
    let options = seeded(3).with_correlations(Correlations::SOFTSPOKEN8);
    for chosen in 0..3 {
        let witness = ones.witness(chosen);
        let compiled = both(
            |channel| prove_one_of(&ones, chosen, witness.clone(), channel, &options),
            |channel| verify_one_of(&ones, channel, &options),
            None,
        );
        let streamed = run_one_of((&ones, chosen, &options), (&ones, &options), None);
        assert_eq!(digest(compiled), digest(streamed));
    }
}

/// A bit that is flipped in any message of the prover is found by who runs a copy, as by who runs a stream.
#[test]
fn a_flipped_bit() {
    let (network, witness) = network(300);
    let options = seeded(3).with_correlations(Correlations::SOFTSPOKEN8);
    let honest = run_compiled::<Binary>(&network, &witness, &options, None);
    assert!(honest.verified.is_ok());
    for message in 0..honest.from_prover.messages().len() {
        let flip = Some((Party::Prover, Flip { message, bit: 5 }));
        let session = run_compiled::<Binary>(&network, &witness, &options, flip);
        assert!(session.verified.is_err() && session.proved.is_err(), "message {message}");
    }
}
