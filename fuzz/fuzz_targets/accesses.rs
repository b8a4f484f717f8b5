//! Any schedule of accesses, lookups and ranges: what is read is what a plain array holds, and a proof of that
//! is accepted; with an address of no cell, a key of no row, a number out of range or a word that was not
//! there, neither.
#![no_main]

use libfuzzer_sys::{arbitrary, arbitrary::Arbitrary, fuzz_target};
use std::iter;
use std::time::Duration;
use volery::channel::{Channel, Party, pipe};
use volery::circuit::{Cells, Circuit, Machine, Put, Rows, address_width};
use volery::{Binary, F2, F61, Field, Options, Over, Result, check, prove_over, verify_over};

#[derive(Arbitrary, Debug)]
struct Schedule {
    binary: bool,
    /// One less.
    cells: u8,
    /// One less, to a remainder.
    width: u8,
    start: Vec<u8>,
    steps: Vec<Step>,
    /// A word that is read is said to have been another: which, and by how much.
    off: Option<(u8, u8)>,
}

#[derive(Arbitrary, Debug, Clone)]
enum Step {
    Read { address: u8 },
    Write { address: u8, word: u8 },
    WriteWhere { address: u8, word: u8, bit: bool },
    LookUp { key: u8 },
    Within { number: u16 },
}

/// A program of a field, with what is read at each step where all is well.
struct Program<F> {
    cells: usize,
    width: usize,
    start: Vec<F>,
    steps: Vec<(Step, Vec<F>)>,
}

/// Bits of a key, and those of the numbers in range.
const KEY: usize = 4;
const BITS: u32 = 12;

/// The wires of `number`: bits, or one element.
fn spread<F: Field>(number: u64, bits: usize) -> Vec<F> {
    let element = |word: u64| F::from_word(word.into()).expect("a small number");
    if F::BITS > 1 {
        return vec![element(number)];
    }
    (0..bits).map(|bit| element(number >> bit & 1)).collect()
}

/// The elements of a word that comes of `seed`.
fn word<F: Field>(seed: u8, width: usize) -> Vec<F> {
    let element = |i: usize| u64::from(seed) >> (i % 8) & if F::BITS > 1 { u64::MAX } else { 1 };
    (0..width).map(|i| F::from_word(element(i).into()).expect("a small number")).collect()
}

/// Rows of the keys up to nine, each with its double.
fn rows<F: Field>() -> Vec<F> {
    (0..10).flat_map(|key| [spread(key, KEY), spread(2 * key, KEY + 1)].concat()).collect()
}

impl<F: Field> Program<F> {
    /// The program and its witness, and whether that holds.
    fn new(schedule: &Schedule) -> (Self, Vec<F>, bool) {
        let (cells, width) = (usize::from(schedule.cells) + 1, usize::from(schedule.width) % 3 + 1);
        let start: Vec<F> = schedule
            .start
            .iter()
            .copied()
            .chain(iter::repeat(0))
            .take(cells)
            .flat_map(|seed| word(seed, width))
            .collect();
        let mut array: Vec<Vec<F>> = start.chunks(width).map(<[F]>::to_vec).collect();
        let mut this = Self { cells, width, start, steps: vec![] };
        let (mut witness, mut holds) = (vec![], true);
        let address_bits = address_width::<F>(cells);
        for step in schedule.steps.iter().take(64) {
            let mut read = vec![];
            match *step {
                Step::Read { address } | Step::Write { address, .. } | Step::WriteWhere { address, .. } => {
                    // Over F_2 an address is cut to its bits.
                    let address = if F::BITS > 1 {
                        u64::from(address)
                    } else {
                        u64::from(address) & ((1 << address_bits) - 1)
                    };
                    witness.extend(spread::<F>(address, address_bits));
                    let cell = array.get_mut(address as usize);
                    holds &= cell.is_some();
                    read = cell.as_ref().map_or(vec![F::ZERO; width], |cell| cell.to_vec());
                    let new = match *step {
                        Step::Write { word: seed, .. } => Some((word::<F>(seed, width), true)),
                        Step::WriteWhere { word: seed, bit, .. } => Some((word::<F>(seed, width), bit)),
                        _ => None,
                    };
                    if let Some((new, takes)) = new {
                        witness.extend(&new);
                        if let Step::WriteWhere { bit, .. } = step {
                            witness.push(if *bit { F::ONE } else { F::ZERO });
                        }
                        if let Some(cell) = cell.filter(|_| takes) {
                            *cell = new;
                        }
                    }
                }
                Step::LookUp { key } => {
                    let key = u64::from(key % 16);
                    holds &= key < 10;
                    witness.extend(spread::<F>(key, KEY));
                    read = spread(2 * key, KEY + 1);
                }
                Step::Within { number } if F::BITS > 1 => {
                    holds &= number >> BITS == 0;
                    witness.extend(spread::<F>(number.into(), 0));
                }
                Step::Within { .. } => {}
            }
            this.steps.push((step.clone(), read));
        }
        if let Some((at, by)) = schedule.off {
            let reads = this.steps.iter_mut().flat_map(|(_, read)| read);
            let mut reads: Vec<&mut F> = reads.collect();
            let place = usize::from(at) % reads.len().max(1);
            if let (Some(read), true) = (reads.get_mut(place), by & 1 == 1) {
                **read += F::ONE;
                holds = false;
            }
        }
        (this, witness, holds)
    }
}

impl<B: Machine> Circuit<B> for Program<B::F> {
    fn run(&self, b: &mut B) -> Result<()> {
        let mut memory = b.memory(Cells::Public(&self.start), self.width)?;
        let binary = B::F::BITS == 1;
        let [key, value] = if binary { [KEY, KEY + 1] } else { [1, 1] };
        let mut table = b.table(Rows { key, value, entries: &rows::<B::F>() })?;
        let take = |b: &mut B, count: usize| (0..count).map(|_| b.witness()).collect::<Result<Vec<_>>>();
        for (step, expected) in &self.steps {
            let read = match *step {
                Step::Within { .. } if binary => continue,
                Step::Within { .. } => {
                    let number = b.witness()?;
                    b.assert_within(&[number], BITS, &"a range")?;
                    continue;
                }
                Step::LookUp { .. } => {
                    let wires = take(b, key)?;
                    b.look_up(&mut table, &wires, &"a row")?
                }
                _ => {
                    let address = take(b, address_width::<B::F>(self.cells))?;
                    let (mut word, mut bit) = (vec![], None);
                    if !matches!(step, Step::Read { .. }) {
                        word = take(b, self.width)?;
                    }
                    if matches!(step, Step::WriteWhere { .. }) {
                        bit = Some(b.witness()?);
                    }
                    let put = match (bit, step) {
                        (Some(bit), _) => Put::Where(bit, &word),
                        (None, Step::Write { .. }) => Put::Word(&word),
                        (None, _) => Put::Same,
                    };
                    b.access(&mut memory, &address, put, &"an address")?
                }
            };
            for (wire, expected) in read.into_iter().zip(expected) {
                let minus = b.constant(-*expected);
                let difference = b.add(wire, minus);
                b.assert_zero(difference, "what is read")?;
            }
        }
        let zero = b.constant(B::F::ZERO);
        b.assert_zero(zero, "the end")?;
        b.close(memory)
    }
}

/// The verdicts in the clear, and of a proof over a setting whose field is `$field`.
macro_rules! run {
    ($setting:ty, $field:ty, $schedule:expr) => {{
        let (program, witness, holds) = Program::<$field>::new($schedule);
        assert_eq!(check(&program, witness.iter().copied()).is_ok(), holds);
        let (here, there) = pipe(Duration::from_secs(60));
        let options = |seed: u8| Options { seed: Some([seed; 32]), check: false, ..Options::default() };
        let verdict = std::thread::scope(|scope| {
            let program = &program;
            scope.spawn(move || {
                let mut channel = Channel::new(Party::Prover, here);
                let _ = prove_over::<$setting>(program, witness, &mut channel, &options(1));
            });
            verify_over::<$setting>(program, &mut Channel::new(Party::Verifier, there), &options(2))
        });
        assert_eq!(verdict.is_ok(), holds);
    }};
}

fuzz_target!(|schedule: Schedule| {
    if schedule.binary { run!(Binary, F2, &schedule) } else { run!(Over<F61>, F61, &schedule) }
});
