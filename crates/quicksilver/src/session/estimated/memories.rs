//! Statements with memories, tables, ranges and permutations send what was foretold, and a part of a block
//! more for each epoch: its challenge ends a batch early, and where in a block is not known from the size.
//! Epochs are those of [`Parameters::SHORT`], so that there are many.

use super::counted::by_quicksilver;
use crate::session::Analysed as _;
use crate::session::Supported;
use crate::session::direct::Provable;
use volery_channel::channel::Carried;
use volery_channel::error::Result;
use volery_circuit::accounting::Parameters;
use volery_circuit::stream::Stream;
use volery_circuit::{Cells, Circuit, Count, Machine, Put, Rows, Size, address_width};
use volery_primitives::{F61, F61x2, F65537, F65537x4, Field};
use volery_proof::binary::Binary;
use volery_proof::correlations::Correlations;
use volery_proof::over::Over;
use volery_proof::testing::Dealt;
use volery_vole::ot::softspoken::{BLOCK, LONGEST_CHUNK};
use volery_vole::vole::lpn::TILE;
use volery_vole::vole::subfield::direct;

/// "I know a cell of `cells`, for each of `accesses` accesses, and it holds what all do: one."
struct Memory {
    cells: usize,
    accesses: usize,
    /// Whether they write, too.
    writes: bool,
}

impl<B: Machine> Circuit<B> for Memory {
    fn run(&self, b: &mut B) -> Result<()> {
        let wires = address_width::<B::F>(self.cells);
        let ones = vec![B::F::ONE; self.cells];
        let mut memory = b.memory(Cells::Public(&ones), 1)?;
        for _ in 0..self.accesses {
            let address = (0..wires).map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
            let one = [b.constant(B::F::ONE)];
            let put = if self.writes { Put::Word(&one) } else { Put::Same };
            let word = b.access(&mut memory, &address, put, &"an address")?;
            let minus = b.constant(-B::F::ONE);
            let difference = b.add(word[0], minus);
            b.assert_zero(difference, "one")?;
        }
        b.close(memory)
    }
}

/// "I know so many keys of a table of 24 rows, and numbers below 2^9."
struct Lookups(usize);

impl<B: Machine> Circuit<B> for Lookups {
    fn run(&self, b: &mut B) -> Result<()> {
        let number = |word: u64| B::F::from_word(u128::from(word)).expect("a small number");
        let rows: Vec<B::F> = (0..24).flat_map(|key| [number(key), number(key * key)]).collect();
        let mut table = b.table(Rows { key: 1, value: 1, entries: &rows })?;
        let keys = (0..self.0).map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
        for key in &keys {
            b.look_up(&mut table, &[*key], &"a key")?;
        }
        b.assert_within(&keys, 9, &"small")?;
        let zero = b.mul(keys[0], keys[0])?;
        b.assert_zero(zero, "zero")
    }
}

/// "I know two lists of so many words that are the same."
struct Shuffled(usize);

impl<B: Machine> Circuit<B> for Shuffled {
    fn run(&self, b: &mut B) -> Result<()> {
        let wires = (0..2 * self.0).map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
        let (xs, ys) = wires.split_at(self.0);
        b.assert_permutation(xs, ys, 1, &"the same words")
    }
}

/// Asserts that a session sends what is foretold, or more: at most a block of shares for each epoch, and one
/// for the masks. Gives the number of its epochs.
#[track_caller]
fn assert_foretold<S: Dealt + Supported, C>(name: &str, (circuit, witness): (&C, Vec<S::F>)) -> u64
where
    C: Provable<S> + Sync,
{
    let correlations = Correlations::named::<S>(name).unwrap();
    let counted = Count::fingerprint_by(Parameters::SHORT, &Stream::new(circuit.source()));
    let size = crate::size::<S::Macs>(&counted.unwrap().0);
    let (sent, _) = by_quicksilver::<S, _>(correlations, circuit, witness);
    let block = match name {
        "direct" => direct::LONGEST,
        "softspoken8" => BLOCK * LONGEST_CHUNK,
        _ => TILE,
    };
    let more = (size.epochs + 1) * block as u64;
    let traffic = |size| S::Macs::traffic(correlations, size, None);
    let foretold = traffic(size);
    let most = traffic(Size { commitments: size.commitments + more, ..size });
    assert_eq!(foretold.setup, sent.setup, "{size:?} by {name} of {}", S::name());
    let parties = [|carried: Carried| carried.prover, |carried: Carried| carried.verifier];
    for of in parties {
        let [foretold, sent, most] = [foretold, sent, most].map(|estimate| of(estimate.total));
        let said = format!("{size:?} by {name} of {}: {sent} bytes, foretold {foretold}", S::name());
        assert!((foretold..=most).contains(&sent), "{said}");
    }
    size.epochs
}

fn memories<S: Dealt + Supported>(name: &str, accesses: &[usize])
where
    Memory: Provable<S>,
{
    for &accesses in accesses {
        let mut most = 0;
        for (cells, writes) in [(1, true), (300, false), (300, true)] {
            let wires = address_width::<S::F>(cells);
            let memory = Memory { cells, accesses, writes };
            let witness = vec![S::F::ZERO; accesses * wires];
            most = most.max(assert_foretold::<S, _>(name, (&memory, witness)));
        }
        assert!(accesses == 1 || most > 1, "no epoch of {accesses} accesses ends before the last");
    }
}

#[test]
fn memories_send_about_what_was_foretold() {
    memories::<Over<F61>>("direct", &[1, 250]);
    memories::<Binary>("softspoken8", &[1, 250]);
}

#[test]
#[ignore = "slow"]
fn larger_memories_do_over_every_setting() {
    memories::<Over<F61>>("direct", &[900]);
    memories::<Over<F61>>("tiny", &[1, 5000]);
    memories::<Over<F61, F61x2>>("direct", &[250]);
    memories::<Over<F65537, F65537x4>>("tiny", &[900]);
    memories::<Binary>("softspoken8", &[900]);
    memories::<Binary>("tiny", &[900]);
}

fn lookups<S: Dealt + Supported>(name: &str, counts: &[usize])
where
    Lookups: Provable<S>,
{
    for &count in counts {
        let epochs = assert_foretold::<S, _>(name, (&Lookups(count), vec![S::F::ZERO; count]));
        assert!(count == 1 || epochs > 1, "no epoch of {count} lookups ends before the last");
    }
}

#[test]
fn tables_and_ranges_send_about_what_was_foretold() {
    lookups::<Over<F61>>("direct", &[1, 250]);
}

#[test]
#[ignore = "slow"]
fn larger_tables_do_over_every_setting() {
    lookups::<Over<F61>>("direct", &[900]);
    lookups::<Over<F61>>("tiny", &[5000]);
    lookups::<Over<F61, F61x2>>("direct", &[250, 900]);
    lookups::<Over<F65537, F65537x4>>("tiny", &[900]);
}

fn permutations<S: Dealt + Supported>(name: &str, counts: &[usize])
where
    Shuffled: Provable<S>,
{
    for &count in counts {
        let witness = vec![S::F::ONE; 2 * count];
        assert_foretold::<S, _>(name, (&Shuffled(count), witness));
    }
}

#[test]
fn permutations_send_about_what_was_foretold() {
    permutations::<Over<F61>>("direct", &[1, 100]);
    permutations::<Binary>("softspoken8", &[1, 100]);
}

#[test]
#[ignore = "slow"]
fn larger_permutations_do_over_every_setting() {
    permutations::<Over<F61>>("direct", &[900]);
    permutations::<Over<F61>>("tiny", &[5000]);
    permutations::<Over<F61, F61x2>>("direct", &[100, 900]);
    permutations::<Over<F65537, F65537x4>>("tiny", &[900]);
    permutations::<Binary>("softspoken8", &[2000]);
    permutations::<Binary>("tiny", &[900]);
}
