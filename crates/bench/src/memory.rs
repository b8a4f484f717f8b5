//! `volery bench ram` and `lookup`: memory at secret addresses, ranges and tables.

use crate::args::size;
use crate::bench::Run;
use crate::plan::Plan;
use serde_json::json;
use std::iter;
use volery::circuit::{Cells, Machine, Put, Rows, Wires, address_width};
use volery::random::Random;
use volery::{Circuit, Field, Named};
use volery_cli::failure::{Failure, Result};
use volery_cli::report::Outcome;

const WORDS: u64 = 1 << 20;
const ACCESSES: u64 = 1 << 22;
const LOOKUPS: u64 = 1 << 20;
const BITS: u64 = 32;

/// Secret numbers of which the addresses are made: sums of one of either half.
const SECRETS: u64 = 512;

/// A statement of accesses to a memory of zeroes, at addresses that are sums of two secrets.
struct Accesses {
    cells: u64,
    width: usize,
    accesses: u64,
}

impl Accesses {
    /// The bits, or the elements, of one secret.
    fn wires<F: Field>(&self) -> usize {
        address_width::<F>(self.cells as usize)
    }

    fn witness<F: Field>(&self, seed: [u8; 32]) -> Vec<F> {
        let mut random = Random::from_seed(&seed);
        let wires = self.wires::<F>();
        let halves = (0..SECRETS).flat_map(|_| {
            let word = random.word().0;
            if !is_binary::<F>() {
                let half = u128::from(self.cells.div_ceil(2));
                return vec![F::from_word(word % half).expect("a small number")];
            }
            // Sums of bits stay below the largest power of two.
            let bits = self.cells.ilog2() as usize;
            let bit = |bit| if bit < bits && word >> bit & 1 == 1 { F::ONE } else { F::ZERO };
            (0..wires).map(bit).collect::<Vec<F>>()
        });
        halves.collect()
    }
}

/// Whether the characteristic is two.
fn is_binary<F: Field>() -> bool {
    F::ONE + F::ONE == F::ZERO
}

/// A word that lives on.
struct Word<W>(Vec<W>);

impl<W: Copy> Wires<W> for Word<W> {
    fn each(&self, take: &mut dyn FnMut(W)) {
        self.0.iter().copied().for_each(take);
    }
}

impl<B: Machine> Circuit<B> for Accesses {
    fn run(&self, b: &mut B) -> volery::Result<()> {
        let wires = self.wires::<B::F>();
        let secrets =
            (0..SECRETS as usize * wires).map(|_| b.witness()).collect::<volery::Result<Vec<_>>>()?;
        let mut memory = b.memory(Cells::Zero(self.cells as usize), self.width)?;
        let mut word = vec![b.constant(B::F::ZERO); self.width];
        let half = SECRETS as usize / 2;
        for i in 0..self.accesses as usize {
            let next = b.scope(|b| {
                let [one, other] =
                    [i % half, half + (i / half + i) % half].map(|at| &secrets[at * wires..][..wires]);
                let address: Vec<B::Wire> = iter::zip(one, other).map(|(a, c)| b.add(*a, *c)).collect();
                let put = if i % 2 == 0 { Put::Same } else { Put::Word(&word) };
                b.access(&mut memory, &address, put, &"an address").map(Word)
            })?;
            b.forget(&word);
            word = next.0;
        }
        b.close(memory)
    }
}

/// Proves accesses to a memory over `S`.
pub(crate) fn ram<S: Named>(run: &Run) -> Result<()> {
    let plan = Plan::new(run)?;
    let typed = run.typed;
    let cells = size("--words", typed.words.as_deref(), WORDS)?;
    let accesses = size("--accesses", typed.accesses.as_deref(), ACCESSES)?;
    let bits = size("--bits", typed.bits.as_deref(), BITS)?;
    let width = if S::F::BITS == 1 { bits as usize } else { 1 };
    let statement = Accesses { cells, width, accesses };
    let seed = Random::from_system()?.bytes();
    let witness = statement.witness::<S::F>(seed);
    let outcome = prove::<S, _>(&plan, ("words", cells), &statement, witness)?;
    print(&plan, outcome, "accesses", accesses)
}

/// A statement of secret numbers that are of some number of bits, or rows of a table.
struct Lookups {
    rows: Option<u64>,
    bits: u32,
    lookups: u64,
}

impl<B: Machine> Circuit<B> for Lookups {
    fn run(&self, b: &mut B) -> volery::Result<()> {
        let element = |word: u64| B::F::from_word(word.into()).expect("a small number");
        let numbers: Vec<B::F> = (0..self.rows.unwrap_or_default()).map(element).collect();
        let mut table = match self.rows {
            Some(_) => Some(b.table(Rows { key: 1, value: 0, entries: &numbers })?),
            None => None,
        };
        for _ in 0..self.lookups {
            b.scope(|b| {
                let number = b.witness()?;
                match &mut table {
                    Some(table) => b.look_up(table, &[number], &"a row").map(drop),
                    None => b.assert_within(&[number], self.bits, &"a range"),
                }
            })?;
        }
        Ok(())
    }
}

/// Proves lookups over `S`.
pub(crate) fn lookup<S: Named>(run: &Run) -> Result<()> {
    let plan = Plan::new(run)?;
    let typed = run.typed;
    let rows = typed.words.as_deref().map(|words| size("--words", Some(words), WORDS)).transpose()?;
    let lookups = size("--accesses", typed.accesses.as_deref(), LOOKUPS)?;
    // Numbers of 32 bits, or the most that there are.
    let most = u64::from(S::F::BITS.min(64) - 1);
    let bits = size("--bits", typed.bits.as_deref(), BITS.min(most))?;
    if is_binary::<S::F>() {
        return Err(Failure::usage(format_args!("--field: {} has no ranges: take one of odd p", S::name())));
    }
    if bits > most {
        return Err(Failure::usage(format_args!("--bits: over {} numbers have {most} at most", S::name())));
    }
    let bits = bits as u32;
    let statement = Lookups { rows, bits, lookups };
    let mut random = Random::from_seed(&Random::from_system()?.bytes());
    let most = rows.map_or(1 << bits, u128::from);
    let witness: Vec<S::F> =
        (0..lookups).map(|_| S::F::from_word(random.word().0 % most).expect("a small number")).collect();
    let outcome = prove::<S, _>(&plan, ("lookups", lookups), &statement, witness)?;
    print(&plan, outcome, "lookups", lookups)
}

fn prove<S: Named, C>(plan: &Plan, size: (&str, u64), circuit: &C, witness: Vec<S::F>) -> Result<Outcome>
where
    C: volery::Provable<S> + Sync,
{
    let (shape, digest) = S::compiled().fingerprint(circuit.source())?;
    let options = plan.settings.options(digest, Some(plan.settings.size(&shape)))?;
    let mul = plan.settings.mul(&shape);
    plan.prove::<S, _>(size, circuit, witness, mul, &options)
}

/// Prints an outcome, with its rate.
fn print(plan: &Plan, mut outcome: Outcome, what: &'static str, count: u64) -> Result<()> {
    let rate = count as f64 / outcome.report.online.as_secs_f64();
    let name = if what == "accesses" { "accesses_per_second" } else { "lookups_per_second" };
    outcome.more(what, json!(count), count.to_string());
    outcome.more(name, json!(rate), format!("{:.2} million/s", rate / 1e6));
    plan.print(&outcome)
}
