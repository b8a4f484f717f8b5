//! Operations on whole columns in whole sessions: as if they were done row by row.

use crate::kit::run_over;
use crate::memory::{agrees, fails};
use volery::circuit::{Accesses, Cells, Machine, Rows};
use volery::{Binary, Circuit, Error, F61, F61x2, F65537, F65537x4, Field, Named, Options, Over, Result};

const CELLS: u64 = 5;

fn number<F: Field>(word: u64) -> F {
    F::from_word(u128::from(word)).expect("a small number")
}

/// Demands that a wire has this value.
fn equals<B: Machine>(b: &mut B, wire: B::Wire, value: B::F, name: &str) -> Result<()> {
    let minus = b.constant(-value);
    let difference = b.add(wire, minus);
    b.assert_zero(difference, name)
}

/// "I know addresses in so many rows, of which each reads one cell, reads another, and writes to a third, and
/// a combination of what they find is this."
pub(crate) struct Accessed {
    pub(crate) rows: usize,
    pub(crate) sums: Vec<u64>,
}

/// Addresses of the three: at times they are one.
pub(crate) fn addresses(row: u64) -> [u64; 3] {
    if row % 4 == 3 { [row % CELLS; 3] } else { [row % CELLS, (2 * row + 1) % CELLS, (row * row) % CELLS] }
}

/// The word that a row puts: its number and one.
fn put(row: u64) -> u64 {
    row + 1
}

/// `3·first + second + 10·third` of what each row finds.
pub(crate) fn sums(rows: usize) -> Vec<u64> {
    let mut cells = [100; CELLS as usize];
    let sum = |row: u64| {
        let [first, second, third] = addresses(row).map(|address| cells[address as usize]);
        cells[addresses(row)[2] as usize] = put(row);
        3 * first + second + 10 * third
    };
    (0..rows as u64).map(sum).collect()
}

impl<B: Machine> Circuit<B> for Accessed {
    fn run(&self, b: &mut B) -> Result<()> {
        let mut memory = b.memory(Cells::Public(&[number(100); CELLS as usize]), 1)?;
        let mut columns: [Vec<B::Wire>; 3] = Default::default();
        for _ in 0..self.rows {
            for column in &mut columns {
                column.push(b.witness()?);
            }
        }
        let written: Vec<B::Wire> = (0..self.rows as u64).map(|row| b.constant(number(put(row)))).collect();
        let written = [&written[..]];
        let [first, second, third] = &columns;
        let third = Accesses { address: third, put: Some(&written) };
        let ports = [first, second].map(|address| Accesses { address, put: None });
        let found = b.access_rows(&mut memory, &[ports[0], ports[1], third], &"an address")?;
        let found: Vec<_> = found.iter().map(|column| &column[..]).collect();
        let sums = b.linear_rows(&[3, 1, 10].map(number), &found);
        for (sum, expected) in sums.into_iter().zip(&self.sums) {
            equals(b, sum, number(*expected), "what rows find")?;
        }
        b.close(memory)
    }
}

#[test]
fn accesses_are_made_row_by_row() {
    accesses_over::<Over<F61>>(&[1, 17]);
    accesses_over::<Over<F61, F61x2>>(&[3]);
    accesses_over::<Over<F65537, F65537x4>>(&[5]);
}

#[test]
#[ignore = "slow"]
fn more_accesses_are_made_row_by_row() {
    let numbers = &[1, 2, 16, 17, 40];
    accesses_over::<Over<F61>>(numbers);
    accesses_over::<Over<F61, F61x2>>(numbers);
    accesses_over::<Over<F65537, F65537x4>>(numbers);
}

fn accesses_over<S: Named>(numbers: &[usize]) {
    for &rows in numbers {
        let addresses = |row| addresses(row).map(number);
        let mut witness: Vec<S::F> = (0..rows as u64).flat_map(addresses).collect();
        let mut statement = Accessed { rows, sums: sums(rows) };
        agrees::<S>(&statement, &witness);
        statement.sums[rows - 1] += 1;
        fails::<S>(&statement, &witness, "what rows find");
        statement.sums[rows - 1] -= 1;
        witness[3 * rows - 2] = number(CELLS);
        fails::<S>(&statement, &witness, &format!("an address[{}]", rows - 1));
    }
}

/// "I know so many numbers below twelve, and this is what their squares come to."
pub(crate) struct Squared {
    pub(crate) rows: usize,
    pub(crate) sum: u64,
}

impl<B: Machine> Circuit<B> for Squared {
    fn run(&self, b: &mut B) -> Result<()> {
        let entries: Vec<B::F> = (0..12).flat_map(|key| [number(key), number(key * key)]).collect();
        let mut table = b.table(Rows { key: 1, value: 1, entries: &entries })?;
        let keys = (0..self.rows).map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
        let squares = b.look_up_rows(&mut table, &[&keys], &"a number below twelve")?;
        let sum = b.linear(&vec![B::F::ONE; self.rows], &squares[0]);
        equals(b, sum, number(self.sum), "the sum")
    }
}

/// Numbers below twelve, and what their squares come to.
pub(crate) fn squares<F: Field>(rows: usize) -> (Vec<F>, u64) {
    let keys: Vec<u64> = (0..rows as u64).map(|row| row * 5 % 12).collect();
    (keys.iter().map(|key| number(*key)).collect(), keys.iter().map(|key| key * key).sum())
}

/// Epochs over 65537 have 32,768 lookups: one ends between rows that are looked up at once.
#[test]
fn an_epoch_ends_between_rows() {
    type S = Over<F65537, F65537x4>;
    let rows = 33_000;
    let (mut witness, sum) = squares(rows);
    let statement = Squared { rows, sum: sum % 65537 };
    let options = Options::default();
    let run =
        |witness: &[F65537]| run_over::<S>((&statement, witness, &options), (&statement, &options), None);
    let session = run(&witness);
    let (proved, (_, verified)) = (session.proved.unwrap(), session.verified.unwrap());
    assert_eq!(proved.gates, verified.gates);
    assert_eq!(proved.gates.epochs, 2);
    witness[32_900] = number(13);
    let failed = run(&witness).proved.unwrap_err();
    assert!(
        matches!(&failed, Error::Unsatisfied(name) if name == "a number below twelve[32900]"),
        "{failed}"
    );
}

/// A running sum is committed to every eight lookups, and behind the last ones, which may be fewer.
#[test]
fn lookups_end_at_any_place_of_a_sum() {
    lookups_over::<Over<F61>>(&[8, 257]);
    lookups_over::<Over<F61, F61x2>>(&[9]);
    lookups_over::<Over<F65537, F65537x4>>(&[16]);
}

#[test]
#[ignore = "slow"]
fn lookups_end_at_more_places_of_a_sum() {
    let numbers = &[1, 7, 8, 9, 16, 17, 256, 257, 600];
    lookups_over::<Over<F61>>(numbers);
    lookups_over::<Over<F61, F61x2>>(numbers);
    lookups_over::<Over<F65537, F65537x4>>(numbers);
}

fn lookups_over<S: Named>(numbers: &[usize]) {
    for &rows in numbers {
        let (mut witness, sum) = squares::<S::F>(rows);
        agrees::<S>(&Squared { rows, sum }, &witness);
        fails::<S>(&Squared { rows, sum: sum + 1 }, &witness, "the sum");
        let first = (rows - 1).min(300);
        witness[first..].fill(number(12));
        fails::<S>(&Squared { rows, sum }, &witness, &format!("a number below twelve[{first}]"));
    }
}

/// "I know three numbers and another one such that combinations of them, of their squares and of public values
/// are these": terms of several degrees, with one lane beside three, with and without a term that is all of the
/// highest degree and has the factor one.
pub(crate) struct Combined(pub(crate) [[u64; 3]; 5]);

/// The numbers, and the other one.
pub(crate) const KNOWN: [u64; 4] = [1, 0, 1, 1];

impl<B: Machine> Circuit<B> for Combined {
    fn run(&self, b: &mut B) -> Result<()> {
        let wires = (0..4).map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
        let (numbers, other) = (b.vector(&wires[..3]), b.vector(&wires[3..]));
        let squares = b.product(&numbers, &numbers)?;
        let public = b.public(&[1, 2, 3].map(|word| number(word % if B::F::BITS == 1 { 2 } else { 4 })));
        let of = |factor: u64| number::<B::F>(factor % if B::F::BITS == 1 { 2 } else { 16 });
        let sums = [
            b.combination(
                &[],
                &[(of(1), &squares), (of(5), &numbers), (of(7), &other), (of(3), &public)],
                of(11),
            )?,
            b.combination(&[], &[(of(5), &squares), (of(1), &other)], of(0))?,
            b.combination(&[], &[(of(1), &other), (of(9), &numbers)], of(1))?,
            b.combination(&[(&numbers, &squares), (&other, &public)], &[(of(3), &numbers)], of(2))?,
            b.combination(&[(&other, &other), (&public, &numbers)], &[(of(1), &squares)], of(0))?,
        ];
        for (i, (sum, expected)) in sums.iter().zip(&self.0).enumerate() {
            let expected = b.public(&expected.map(number));
            let difference = b.combination(&[], &[(B::F::ONE, sum), (-B::F::ONE, &expected)], B::F::ZERO)?;
            b.assert_zeroes(difference, format_args!("combination {i}"))?;
        }
        Ok(())
    }
}

/// The combinations of what is known, in numbers of which `of` makes elements.
pub(crate) fn combined(of: fn(u64) -> u64) -> [[u64; 3]; 5] {
    let [a, b, c, d] = KNOWN;
    let each = |sum: &dyn Fn(u64, u64) -> u64| [(a, 1), (b, 2), (c, 3)].map(|(x, p)| of(sum(x, p)));
    [
        each(&|x, public| x * x + 5 * x + 7 * d + 3 * public + 11),
        each(&|x, _| 5 * x * x + d),
        each(&|x, _| d + 9 * x + 1),
        each(&|x, public| x * x * x + d * public + 3 * x + 2),
        each(&|x, public| d * d + public * x + x * x),
    ]
}

#[test]
fn combinations_are_sums_in_each_lane() {
    fn test<S: Named>(of: fn(u64) -> u64) {
        let witness = KNOWN.map(number::<S::F>);
        let expected = combined(of);
        agrees::<S>(&Combined(expected), &witness);
        for i in 0..expected.len() {
            let mut wrong = expected;
            wrong[i][2] = of(wrong[i][2] + 1);
            fails::<S>(&Combined(wrong), &witness, &format!("combination {i}[2]"));
        }
    }
    test::<Binary>(|value| value % 2);
    test::<Over<F61>>(|value| value);
    test::<Over<F61, F61x2>>(|value| value);
    test::<Over<F65537, F65537x4>>(|value| value);
}
