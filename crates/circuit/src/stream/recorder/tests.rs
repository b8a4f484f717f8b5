//! Statements recorded as gates.

use super::{LONG, WORDS};
use crate::stream::{Argues, Block, Execute, Executor, Functions, GatesAlone, Op, Recorder, Streamed};
use crate::testing::assert_streamed;
use crate::{
    Backend, Branch, Cells, Circuit, Clear, Count, Memories, Permutations, Polynomials, Put, Returned, Rows,
    Tables, address_width,
};
use core::fmt::Display;
use volery_channel::error::Result;
use volery_primitives::{F2, F61, F256, F65537, Field};

/// A backend of which nothing is executed but gates.
pub(in crate::stream) struct Plain<B>(pub(in crate::stream) B);

impl<B: Backend> Backend for Plain<B> {
    type F = B::F;
    type Wire = B::Wire;

    fn constant(&mut self, c: B::F) -> B::Wire {
        self.0.constant(c)
    }
    fn add(&mut self, a: B::Wire, b: B::Wire) -> B::Wire {
        self.0.add(a, b)
    }
    fn scale(&mut self, a: B::Wire, c: B::F) -> B::Wire {
        self.0.scale(a, c)
    }
    fn witness(&mut self) -> Result<B::Wire> {
        self.0.witness()
    }
    fn hint(
        &mut self,
        of: &[B::Wire],
        f: impl Fn(&[B::F]) -> B::F + Send + Sync + 'static,
    ) -> Result<B::Wire> {
        self.0.hint(of, f)
    }
    fn hints(
        &mut self,
        of: &[B::Wire],
        count: usize,
        f: impl Fn(&[B::F]) -> Vec<B::F> + Send + Sync + 'static,
    ) -> Result<Vec<B::Wire>> {
        self.0.hints(of, count, f)
    }
    fn mul(&mut self, a: B::Wire, b: B::Wire) -> Result<B::Wire> {
        self.0.mul(a, b)
    }
    fn assert_zero(&mut self, a: B::Wire, name: impl Display) -> Result<()> {
        self.0.assert_zero(a, name)
    }
}

impl<B: Backend> Executor for Plain<B> {
    type Beyond = GatesAlone;
}

/// Accesses of all kinds, lookups, ranges where there are any, and permutations, some of them in scopes.
struct Scanning;

impl<B: Memories + Tables + Permutations> Circuit<B> for Scanning {
    fn run(&self, b: &mut B) -> Result<()> {
        let x = (0..6).map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
        let address = vec![x[0]; address_width::<B::F>(2)];
        let public = [B::F::ONE, B::F::ZERO];
        for cells in [Cells::Zero(2), Cells::Public(&public), Cells::Wires(&x[..2])] {
            let mut memory = b.memory(cells, 1)?;
            for put in [Put::Word(&x[1..2]), Put::Same, Put::Where(x[0], &x[2..3])] {
                b.open_scope();
                let found = b.access(&mut memory, &address, put, &"an address")?;
                let square = b.mul(found[0], x[3])?;
                b.close_scope(&[square]);
                b.assert_zero(square, "a square")?;
            }
            let found = b.access(&mut memory, &address, Put::Same, &"an address")?;
            b.assert_zero(found[0], "what is found")?;
            b.close(memory)?;
        }
        let mut table = b.table(Rows { key: 1, value: 1, entries: &[public, [B::F::ZERO; 2]].concat() })?;
        let found = b.look_up(&mut table, &x[..1], &"a key")?;
        b.assert_zero(found[0], "a value")?;
        if address_width::<B::F>(1 << 10) == 1 {
            b.assert_within(&x[..2], 3, &"a range")?;
        }
        b.assert_permutation(&x[..3], &x[3..], 1, &"the same words")
    }
}

/// The gates are those of whoever looks at all cells by itself, in their order.
fn lowers<F: Field>() {
    let mut direct = Count::<F>::begun(true);
    Scanning.run(&mut Branch::asserting(&mut direct)).unwrap();
    let mut lowered = Plain(Count::<F>::begun(true));
    Streamed(&Scanning).run(&mut lowered).unwrap();
    let (direct, lowered) = (direct.ended(), lowered.0.ended());
    assert_eq!(lowered, direct);
    assert!(lowered.0.mul > 0 && lowered.0.scanned.mul == 0);
}

#[test]
fn scans_are_gates_in_their_order() {
    lowers::<F2>();
    lowers::<F256>();
    lowers::<F61>();
    lowers::<F65537>();
}

/// Vectors that outlive the scopes and the wires that they were made of, and wires that outlive vectors.
struct Vectors;

impl<B: Polynomials> Circuit<B> for Vectors {
    fn run(&self, b: &mut B) -> Result<()> {
        let mut vector = None;
        b.scope(|b| {
            let wires = [b.witness()?, b.witness()?];
            vector = Some(b.vector(&wires));
            Ok(())
        })?;
        let vector = vector.expect("made above");
        // In the slots of those, if these were free.
        let others: Vec<_> = (0..4).map(|_| b.constant(B::F::ZERO)).collect();
        let wires = [b.witness()?, b.witness()?];
        let same = b.vector(&wires);
        let mut committed = b.commit(&same)?;
        b.forget(&wires);
        let again = b.commit(&same)?;
        b.forget(&committed);
        committed = again;
        let others: Vec<_> = others.iter().map(|other| b.add(*other, *other)).collect();
        let sum = b.vector(&committed);
        let minus = b.public(&[-B::F::ONE]);
        let minus = b.product(&sum, &minus)?;
        let difference = b.sum(&vector, &minus);
        drop((sum, minus));
        b.assert_zeroes(difference, "both pairs are the same")?;
        let square = b.product(&vector, &vector)?;
        let square = b.commit(&square)?;
        drop(vector);
        let minus = b.constant(-B::F::ONE - B::F::ONE);
        b.forget(&others);
        let sum = b.linear(&[B::F::ONE; 3], &[square[0], square[1], minus]);
        b.assert_zero(sum, "the squares are two")
    }
}

#[test]
fn vectors_are_wires_as_long_as_they_are_there() {
    let run = |witness: [u64; 4]| {
        let mut clear = Plain(Clear::new(witness.map(F61::new)));
        Streamed(&Vectors).run(&mut clear).and_then(|()| clear.0.finish()).map_err(|why| why.to_string())
    };
    run([1, 1, 1, 1]).unwrap();
    assert!(run([1, 1, 1, 2]).unwrap_err().contains("both pairs are the same[1]"));
    assert!(run([1, 2, 1, 2]).unwrap_err().contains("the squares are two"));
}

/// The most slots of a block.
struct Most(u32);

impl Execute<F61> for Most {
    fn argues(&self) -> Argues {
        Argues::NOTHING
    }

    fn execute(&mut self, block: &Block<F61>, _: &[F61]) -> Result<()> {
        self.0 = self.0.max(block.slots);
        Ok(())
    }
}

/// Sums of terms on wires in a row, and on the same wires from the last to the first.
struct Summed {
    reversed: bool,
}

impl<B: Backend> Circuit<B> for Summed {
    fn run(&self, b: &mut B) -> Result<()> {
        let mut x = (0..1000).map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
        if self.reversed {
            x.reverse();
        }
        let factors = vec![B::F::ONE; x.len()];
        (0..50).try_for_each(|_| {
            let sum = b.linear(&factors, &x);
            b.assert_zero(sum, "a sum")
        })
    }
}

/// The sums in each block, and the factors that were lent with it.
#[derive(Default)]
struct InBlocks(Vec<[usize; 2]>);

impl Execute<F61> for InBlocks {
    fn argues(&self) -> Argues {
        Argues::NOTHING
    }

    fn execute(&mut self, block: &Block<F61>, lent: &[F61]) -> Result<()> {
        let sums = block.records.iter().filter(|record| record.op == Op::Linear).count();
        self.0.push([sums, lent.len()]);
        Ok(())
    }
}

#[test]
fn blocks_end_by_the_terms_that_they_hold() {
    for reversed in [false, true] {
        let mut blocks = InBlocks::default();
        let functions = Functions::default();
        let mut recorder = Recorder::new(&mut blocks, &functions);
        let recorded = Summed { reversed }.run(&mut recorder);
        recorder.finish(recorded).unwrap();
        // Three words for each term, and one for each sum, of 2^16.
        assert_eq!(blocks.0, [[22, 0], [22, 0], [6, 0]]);
    }
}

/// Rows of a matrix, from none to as many as lie in several blocks, on wires in a row and on others. Each image is
/// used before the next, and a slot is given again in between.
struct Applied {
    columns: usize,
    rows: usize,
    function: bool,
}

impl Applied {
    fn apply<B: Backend>(&self, b: &mut B, x: &[B::Wire]) -> Result<()> {
        let factors: Vec<_> =
            (1..).map(|i| B::F::from_word(i).unwrap()).take(self.columns + self.rows).collect();
        let rows = (0..self.rows).map(|i| &factors[i..][..self.columns]);
        b.linear_map(rows.clone(), x, |b, i, image| {
            let other = b.constant(-B::F::ONE);
            b.forget(&[other]);
            let again = b.linear(&factors[i..][..x.len()], x);
            b.assert_zero(again, format_args!("row {i} again"))?;
            b.assert_zero(image, format_args!("row {i}"))
        })?;
        let reversed: Vec<_> = x.iter().rev().copied().collect();
        b.linear_map(rows, &reversed, |b, i, image| b.assert_zero(image, format_args!("row {i} reversed")))
    }
}

impl<B: Backend> Circuit<B> for Applied {
    fn run(&self, b: &mut B) -> Result<()> {
        let x = (0..self.columns).map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
        if !self.function {
            return self.apply(b, &x);
        }
        b.call(b"apply", &x, |b, x| {
            self.apply(b, x)?;
            Ok(Returned { wires: Vec::new(), public: Vec::new() })
        })?;
        Ok(())
    }
}

#[test]
fn matrices_are_streamed_row_by_row() {
    for columns in [0, 1, 2, LONG - 1, LONG, LONG + 1, WORDS] {
        for rows in [0, 1, 2, 30] {
            for function in [false, true] {
                if columns * rows < 4 * WORDS {
                    assert_streamed::<F61, _>(&Applied { columns, rows, function });
                }
            }
        }
    }
}

/// The name of a row whose image is not zero.
#[test]
fn rows_of_a_matrix_are_named() {
    let circuit = Applied { columns: LONG, rows: 3, function: false };
    let mut clear = Plain(Clear::new((0..LONG as u64).map(|i| F61::new(u64::from(i == 5)))));
    let why = Streamed(&circuit).run(&mut clear).and_then(|()| clear.0.finish()).unwrap_err();
    assert!(why.to_string().contains("row 0 again"), "{why}");
}

/// Long sums that end their blocks, and their factors are in none; but in a half of a statement, where the end of a
/// block shows, and in functions.
#[test]
fn factors_of_long_sums_are_lent() {
    let blocks = |terms, half| {
        let (mut blocks, functions) = (InBlocks::default(), Functions::default());
        let mut recorder = Recorder::new(&mut blocks, &functions);
        if half {
            recorder = recorder.of_half();
        }
        let x: Vec<_> = (0..terms).map(|_| recorder.witness().unwrap()).collect();
        let factors = vec![F61::ONE; terms];
        for _ in 0..2 {
            recorder.linear(&factors, &x);
        }
        recorder.finish(Ok(())).unwrap();
        blocks.0
    };
    assert_eq!(blocks(LONG - 1, false), [[2, 0]]);
    assert_eq!(blocks(LONG, true), [[2, 0]]);
    assert_eq!(blocks(LONG, false), [[1, LONG], [1, LONG], [0, 0]]);
}

/// A wire whose slot is given again between two rows.
#[test]
#[should_panic = "whose scope has ended"]
fn a_wire_that_ends_between_rows_is_found() {
    let (mut blocks, functions) = (InBlocks::default(), Functions::default());
    let mut recorder = Recorder::new(&mut blocks, &functions);
    let x: Vec<_> = (0..2 * LONG).map(|_| recorder.witness().unwrap()).collect();
    let row = vec![F61::ONE; x.len()];
    let rows = [&row[..], &row].into_iter();
    let _ = recorder.linear_map(rows, &x, |b, _, _| {
        b.forget(&x[LONG..][..1]);
        Ok(())
    });
}

#[test]
#[should_panic = "assertion `left == right` failed"]
fn a_row_of_another_length_is_refused() {
    let (mut blocks, functions) = (InBlocks::default(), Functions::default());
    let mut recorder = Recorder::new(&mut blocks, &functions);
    let x = [recorder.witness().unwrap()];
    let _ = recorder.linear_map([&[F61::ONE; 1][..], &[]].into_iter(), &x, |_, _, _| Ok(()));
}

/// A loop of accesses, lookups and polynomials takes slots for what lives, and not for each turn.
#[test]
fn loops_of_scans_take_few_slots() {
    let (mut most, functions) = (Most(0), Functions::default());
    let mut recorder = Recorder::new(&mut most, &functions);
    let b = &mut recorder;
    let recorded = (|| {
        let x = b.witness()?;
        let mut memory = b.memory(Cells::Zero(100), 1)?;
        for _ in 0..2000 {
            b.scope(|b| {
                b.call(b"access", &[x], |b, x| {
                    let wires = b.access(&mut memory, x, Put::Word(x), &"an address")?;
                    Ok(Returned { wires, public: Vec::new() })
                })?;
                b.assert_permutation(&[x; 3], &[x; 3], 1, &"the same words")
            })?;
            let vector = b.vector(&[x; 10]);
            let product = b.product(&vector, &vector)?;
            let total = b.total(&product);
            b.assert_zeroes(total, "the sum")?;
        }
        b.close(memory)
    })();
    recorder.finish(recorded).unwrap();
    assert!(most.0 < 300, "{} slots", most.0);
}

/// Memories of many sizes, one after the other: functions that look at their cells are let go, and recorded
/// anew where they are called again.
#[test]
fn few_functions_that_scan_are_kept() {
    let run = |most| {
        let (mut slots, functions) = (Most(0), Functions::default());
        let mut recorder = Recorder::new(&mut slots, &functions);
        let b = &mut recorder;
        b.scans.functions.most = most;
        let (mut longest, mut words) = (0, 0);
        let recorded = (|| {
            let x = b.witness()?;
            for cells in (1..=60).chain([1]) {
                let mut memory = b.memory(Cells::Zero(cells), 1)?;
                for put in [Put::Word(&[x]), Put::Same, Put::Word(&[x])] {
                    let found = b.access(&mut memory, &[x], put, &"an address")?;
                    b.forget(&found);
                    let sizes = b.scans.functions.functions.values().map(|function| function.block.size());
                    words = words.max(sizes.clone().sum());
                    longest = longest.max(sizes.max().unwrap_or(0));
                }
                b.close(memory)?;
            }
            Ok(())
        })();
        recorder.finish(recorded).unwrap();
        [longest, words]
    };
    let [longest, all] = run(usize::MAX);
    let few = all / 10;
    assert!(longest < few && run(few)[1] <= few);
    // One that is too large alone is kept alone.
    assert_eq!(run(1), [longest; 2]);
}
