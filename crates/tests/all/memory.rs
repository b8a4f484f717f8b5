//! Memories, tables and ranges in whole sessions: the same verdict as `Clear` by every system, whether it has
//! a proof for them or looks at all cells.

use crate::kit::{by_wolverine, is_by, run_over, seeded};
use volery::circuit::stream::Source;
use volery::circuit::{Cells, Machine, Put, Rows, address_width};
use volery::{
    Binary, Bn254, Circuit, Error, F61, F61x2, F65537, F65537x4, Field, Goldilocks, Named, Options, Over,
    Q32, Q32x2, Result, System, U256, check, prove_to_over, verify_from_over,
};

const CELLS: usize = 6;

/// "I know addresses of six cells, and what is read there in the end": each of the first is written to, with
/// its number, where the bit beside it is one, and then all are read.
pub(crate) struct Notes {
    writes: usize,
    reads: Vec<u64>,
}

impl<B: Machine> Circuit<B> for Notes {
    fn run(&self, b: &mut B) -> Result<()> {
        let wires = address_width::<B::F>(CELLS);
        let number = |word: u64| B::F::from_word(u128::from(word)).expect("a small number");
        let first: Vec<B::F> = (0..2 * CELLS as u64).map(|i| number(i % 2)).collect();
        let mut memory = b.memory(Cells::Public(&first), 2)?;
        for i in 0..self.writes {
            let address = (0..wires).map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
            let bit = b.witness()?;
            let word = [0, i as u64 & 1].map(|word| b.constant(number(word)));
            let put = if i % 3 == 2 { Put::Word(&word) } else { Put::Where(bit, &word) };
            b.access(&mut memory, &address, put, &format_args!("address {i}"))?;
        }
        for (cell, expected) in self.reads.iter().enumerate() {
            let address: Vec<B::Wire> = match wires {
                1 => vec![b.constant(number(cell as u64))],
                _ => (0..wires).map(|bit| b.constant(number(cell as u64 >> bit & 1))).collect(),
            };
            let word = b.access(&mut memory, &address, Put::Same, &"a cell")?;
            let minus = b.constant(-number(*expected));
            let difference = b.add(word[1], minus);
            b.assert_zero(difference, format_args!("cell {cell}"))?;
        }
        b.close(memory)
    }
}

/// Addresses and bits, the last address being `last`, and what the cells come to hold.
pub(crate) fn notes<F: Field>(writes: usize, last: u64) -> (Notes, Vec<F>) {
    let number = |word: u64| F::from_word(u128::from(word)).expect("a small number");
    let mut cells = vec![1; CELLS];
    let mut witness = Vec::new();
    for i in 0..writes as u64 {
        let (address, bit) =
            (if i + 1 == writes as u64 { last } else { (i * i + 1) % CELLS as u64 }, i / 2 % 2);
        match address_width::<F>(CELLS) {
            1 => witness.push(number(address)),
            wires => witness.extend((0..wires).map(|wire| number(address >> wire & 1))),
        }
        witness.push(number(bit));
        if let Some(cell) = cells.get_mut(address as usize).filter(|_| i % 3 == 2 || bit == 1) {
            *cell = i & 1;
        }
    }
    (Notes { writes, reads: cells }, witness)
}

fn options_of<S: Named>() -> Vec<Options> {
    let limbo = Options { method: System::LIMBO.into(), ..seeded(1) };
    let jko = Options { method: System::JKO.into(), ..seeded(1) };
    let all = [seeded(1), by_wolverine(None, None), limbo, jko].into_iter();
    all.filter(|options| is_by::<S>(options.system())).collect()
}

/// Asserts agreement by every system, and by a file over F_2; a wrong cell fails by its name, and so does an
/// address outside.
pub(crate) fn agrees<S: Named>(statement: &dyn Source<S::F>, witness: &[S::F]) {
    check(statement, witness.to_vec()).unwrap();
    for options in options_of::<S>() {
        let session = run_over::<S>((statement, witness, &options), (statement, &options), None);
        let proved =
            session.proved.unwrap_or_else(|error| panic!("{} {}: {error}", S::name(), options.system()));
        let (_, verified) = session.verified.unwrap();
        assert_eq!((proved.gates, proved.statement), (verified.gates, verified.statement));
        assert_eq!(proved.security, verified.security);
    }
}

pub(crate) fn fails<S: Named>(statement: &dyn Source<S::F>, witness: &[S::F], name: &str) {
    for options in options_of::<S>() {
        for check in [true, false] {
            // Who evaluates beforehand does so anyway.
            let options = Options { check, ..options.clone() };
            let session = run_over::<S>((statement, witness, &options), (statement, &options), None);
            let failed = session.proved.unwrap_err();
            assert!(matches!(&failed, Error::Unsatisfied(found) if found == name), "{failed}, not {name}");
            assert!(session.verified.is_err());
        }
    }
}

/// Memories of all lengths and with both faults, or of one length and with one.
fn memories<S: Named>(all: bool) {
    for &writes in &[11, 1, 2][..if all { 3 } else { 1 }] {
        let (statement, witness) = notes::<S::F>(writes, 4);
        agrees::<S>(&statement, &witness);
    }
    let (mut statement, witness) = notes::<S::F>(9, 5);
    statement.reads[3] ^= 1;
    fails::<S>(&statement, &witness, "cell 3");
    if !all {
        return;
    }
    let (statement, witness) = notes::<S::F>(8, 6);
    fails::<S>(&statement, &witness, "address 7");
}

#[test]
fn memories_by_every_system() {
    memories::<Binary>(true);
    memories::<Over<F61>>(true);
    memories_over_more_fields(false);
}

#[test]
#[ignore = "slow"]
fn more_memories_by_every_system() {
    memories_over_more_fields(true);
}

fn memories_over_more_fields(all: bool) {
    memories::<Over<F65537, F65537x4>>(all);
    memories::<Over<F61, F61x2>>(all);
    memories::<Over<Goldilocks, Goldilocks>>(all);
    memories::<Over<Q32, Q32x2>>(all);
    memories::<Over<Bn254>>(all);
}

/// "I know a number below 2^10 with this square, by a table."
pub(crate) struct Root {
    pub(crate) square: u64,
}

impl<B: Machine> Circuit<B> for Root {
    fn run(&self, b: &mut B) -> Result<()> {
        let number = |word: u64| B::F::from_word(u128::from(word)).expect("a small number");
        let rows: Vec<B::F> = (0..24).flat_map(|key| [number(key), number(key * key)]).collect();
        let mut table = b.table(Rows { key: 1, value: 1, entries: &rows })?;
        let root = b.witness()?;
        let square = b.look_up(&mut table, &[root], &"a root in the table")?;
        let minus = b.constant(-number(self.square));
        let difference = b.add(square[0], minus);
        b.assert_zero(difference, "the square")?;
        b.assert_within(&[root, square[0]], 9, &"a small square")
    }
}

/// A root from a table, with each fault, or with the one that the table finds.
fn tables<S: Named>(all: bool) {
    let number = |word: u64| S::F::from_word(u128::from(word)).expect("a small number");
    agrees::<S>(&Root { square: 121 }, &[number(11)]);
    fails::<S>(&Root { square: 576 }, &[number(24)], "a root in the table");
    if all {
        fails::<S>(&Root { square: 121 }, &[number(12)], "the square");
        fails::<S>(&Root { square: 529 }, &[number(23)], "a small square");
    }
}

#[test]
fn tables_by_every_system() {
    tables::<Over<F61>>(true);
    tables_over_more_fields(false);
}

#[test]
#[ignore = "slow"]
fn more_tables_by_every_system() {
    tables_over_more_fields(true);
}

fn tables_over_more_fields(all: bool) {
    tables::<Over<F65537, F65537x4>>(all);
    tables::<Over<F61, F61x2>>(all);
    tables::<Over<Q32, Q32x2>>(all);
    tables::<Over<Bn254>>(all);
}

/// "I know an address where this word is, of more than 128 bits, and a number of so many bits."
struct Long {
    word: Bn254,
    bits: u32,
}

/// The words of the cells: each is 2^100 times the one before, and one more.
fn long(cell: u32) -> Bn254 {
    Bn254::place(100 * cell + 20) + Bn254::ONE
}

impl<B: Machine<F = Bn254>> Circuit<B> for Long {
    fn run(&self, b: &mut B) -> Result<()> {
        let mut memory = b.memory(Cells::Zero(3), 1)?;
        let address = b.witness()?;
        for cell in 0..3 {
            let (at, word) =
                (b.constant(Bn254::from_word(cell).expect("small")), b.constant(long(cell as u32)));
            b.access(&mut memory, &[at], Put::Word(&[word]), &"a cell")?;
        }
        let word = b.access(&mut memory, &[address], Put::Same, &"a cell")?;
        let minus = b.constant(-self.word);
        let difference = b.add(word[0], minus);
        b.assert_zero(difference, "the word")?;
        let number = b.witness()?;
        b.assert_within(&[number], self.bits, &"a number in range")?;
        b.close(memory)
    }
}

#[test]
fn words_of_more_than_128_bits() {
    long_words(&[(2, 253)], &[128]);
}

#[test]
#[ignore = "slow"]
fn more_words_of_more_than_128_bits() {
    long_words(&[(0, 1), (1, 64), (2, 129)], &[64, 192, 252]);
}

/// Words of these cells, and numbers of so many bits; then addresses with one of these bits beside a cell's.
fn long_words(cases: &[(u32, u32)], bits: &[u32]) {
    let number = |word: u128| Bn254::from_word(word).expect("small");
    let below = |bits: u32| Bn254::from_integer(U256::ones(bits)).expect("below the modulus");
    for &(cell, bits) in cases {
        let statement = Long { word: long(cell), bits };
        agrees::<Over<Bn254>>(&statement, &[number(cell.into()), below(bits)]);
        fails::<Over<Bn254>>(&statement, &[number(cell.into()), Bn254::place(bits)], "a number in range");
    }
    let statement = Long { word: long(1), bits: 9 };
    fails::<Over<Bn254>>(&statement, &[number(2), number(1)], "the word");
    // An address of which 64 bits, or 128, are that of a cell.
    for &bit in bits {
        let address = Bn254::place(bit) + Bn254::ONE;
        fails::<Over<Bn254>>(&statement, &[address, number(1)], "a cell");
    }
    let over = check(&Long { word: long(1), bits: 254 }, [number(1), number(1)]);
    assert!(matches!(over, Err(Error::Invalid(why)) if why.contains("from 1 to 253 bits")));
}

/// "I know two lists of words that are the same, and the first word of the second list is this."
pub(crate) struct Shuffled {
    pub(crate) width: usize,
    pub(crate) words: usize,
    pub(crate) first: u64,
}

impl<B: Machine> Circuit<B> for Shuffled {
    fn run(&self, b: &mut B) -> Result<()> {
        let number = |word: u64| B::F::from_word(u128::from(word)).expect("a small number");
        let wires = (0..2 * self.words * self.width).map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
        let (xs, ys) = wires.split_at(wires.len() / 2);
        b.assert_permutation(xs, ys, self.width, &format_args!("the same {} words", self.words))?;
        let minus = b.constant(-number(self.first));
        let difference = b.add(ys[0], minus);
        b.assert_zero(difference, "the first word")
    }
}

/// Lists of words of these widths that are the same, that are not, and whose first word is another.
fn permutations<S: Named>(widths: &[usize]) {
    let number = |word: &u64| S::F::from_word(u128::from(*word)).expect("a small number");
    for &width in widths {
        let words = 6 / width;
        let xs = [0, 1, 0, 0, 0, 1];
        let mut lists = xs.to_vec();
        lists.extend_from_slice(&xs[width..]);
        lists.extend_from_slice(&xs[..width]);
        let mut witness: Vec<S::F> = lists.iter().map(number).collect();
        let first = lists[6];
        agrees::<S>(&Shuffled { width, words, first }, &witness);
        fails::<S>(&Shuffled { width, words, first: 1 - first }, &witness, "the first word");
        witness[11] = number(&(1 - lists[11]));
        fails::<S>(&Shuffled { width, words, first }, &witness, &format!("the same {words} words"));
    }
}

#[test]
fn permutations_by_every_system() {
    permutations::<Binary>(&[1, 2]);
    permutations::<Over<F61>>(&[1]);
    permutations::<Over<F61, F61x2>>(&[2]);
    permutations::<Over<F65537, F65537x4>>(&[2]);
    permutations::<Over<Bn254>>(&[2]);
}

#[test]
#[ignore = "slow"]
fn permutations_of_either_width_by_every_system() {
    permutations::<Over<F61>>(&[2]);
    permutations::<Over<F61, F61x2>>(&[1]);
    permutations::<Over<F65537, F65537x4>>(&[1]);
    permutations::<Over<Bn254>>(&[1]);
}

/// A file's challenges can be searched offline: there all cells are looked at.
#[test]
fn memories_in_files() {
    let (statement, witness) = notes(11, 4);
    for system in [System::VOLEITH, System::LIMBO] {
        let options = Options { method: system.into(), ..seeded(1) };
        let mut proof = Vec::new();
        prove_to_over::<Binary>(&statement, witness.clone(), &mut proof, &options).unwrap();
        assert!(verify_from_over::<Binary>(&statement, &mut &proof[..], &options).is_ok());
    }
}
