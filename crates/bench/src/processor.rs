//! `volery bench program`: a run of a program for RV32IM, with secret control or public.

use crate::args::{Typed, size};
use crate::bench::Run;
use crate::plan::Plan;
use serde_json::json;
use volery::circuit::stream::{Source, Stream};
use volery::random::Random;
use volery::{Binary, F2, F61, Over, System};
use volery_cli::failure::{Failure, Result};
use volery_cli::fields;
use volery_cli::print::{count, grouped};
use volery_processor::{Claim, Inputs, Layout, Misaligned, Nobody, Program};

/// SHA-256 in C.
const SHA256: &[u8] = include_bytes!("../../../examples/programs/sha256.elf");

/// Bytes of the private input, where nothing is said, with secret control and public; and the most.
const LENGTHS: [u64; 2] = [1 << 13, 1 << 16];
const MOST_LENGTH: u64 = 1 << 30;

/// The field over which it is.
pub(crate) fn usual(typed: &Typed) -> Result<&'static str> {
    Ok(if typed.public_control { fields::BOOLEAN } else { fields::ARITHMETIC })
}

/// Proves a run with a private input that is random.
pub(crate) fn program(run: &Run) -> Result<()> {
    let plan = Plan::new(run)?;
    let (public, field) = (run.typed.public_control, usual(run.typed)?);
    if plan.settings.field.name() != field {
        let control = if public { "public" } else { "secret" };
        return Err(Failure::usage(format_args!(
            "--field: bench program with {control} control is over {field}: leave it out"
        )));
    }
    if !public && plan.settings.system() != System::QUICKSILVER {
        return Err(Failure::usage(
            "--system: bench program is by quicksilver alone, but for --public-control: leave it out",
        ));
    }
    let length = size("--length", run.typed.length.as_deref(), LENGTHS[usize::from(public)])?;
    if length > MOST_LENGTH {
        return Err(Failure::usage(format_args!("--length: {length}: choose from 1 to {MOST_LENGTH}")));
    }
    let (file, at) = match &run.typed.elf {
        Some(path) => {
            let at = format!("--elf {}", path.display());
            (std::fs::read(path).map_err(|why| Failure::usage(why).at(&at))?, at)
        }
        None => (SHA256.to_vec(), "the program".into()),
    };
    let program = Program::read(&file).map_err(|why| Failure::from(why).at(at))?;
    let mut random = Random::from_system()?;
    let private: Vec<u8> = (0..length.div_ceil(64)).flat_map(|_| random.bytes::<64>()).collect();
    let private = &private[..length as usize];
    let inputs = Inputs {
        public: &[],
        layout: Layout::default(),
        misaligned: Misaligned::Fault,
        cycles: u64::MAX,
        output: 1 << 20,
    };
    let locate = |address| program.symbols().place(address);
    let run = volery_processor::Run::new(&program, inputs, &locate);
    let ended = run.in_the_clear(private, &mut Nobody)?;
    let (mut outcome, rows) = if public {
        let statement = run.claimed(ended.claim);
        let source: &dyn Source<F2> = &statement;
        let shape = Stream::new(source).count()?;
        let options = plan.settings.options(statement.digest(), Some(plan.settings.size(&shape)))?;
        let (mul, witness) = (plan.settings.mul(&shape), statement.witness(private));
        (plan.prove::<Binary, _>(("length", length), source, witness, mul, &options)?, None)
    } else {
        let claim = Claim { private: 0, ..ended.claim };
        let steps = run.steps(&claim, 0)?;
        let choices = steps.choose(private, u64::MAX, &tempfile::tempfile)?;
        let rows = choices.rows();
        let steps = steps.in_rows(rows);
        let source: &dyn Source<F61> = &steps;
        let shape = Stream::new(source).count()?;
        let size = plan.settings.size(&shape);
        let options = plan.settings.options(run.digest_of_rows(&claim, &steps), Some(size))?;
        let (mul, witness) = (plan.settings.mul(&shape), steps.witness(private, &choices));
        (plan.prove::<Over<F61>, _>(("length", length), source, witness, mul, &options)?, Some(rows))
    };
    let per_second = |count: u64| count as f64 / outcome.report.online.as_secs_f64().max(1e-9);
    let cycles = u64::from(plan.repeat) * ended.cycles;
    let (rate, bytes) = (per_second(cycles), outcome.online_bytes() as f64 / cycles as f64);
    let rows = rows.map(|rows| u64::from(plan.repeat) * rows);
    let of_rows = rows.map(|rows| (rows, per_second(rows), outcome.online_bytes() as f64 / rows as f64));
    outcome.more("cycles", json!(cycles), grouped(cycles));
    outcome.more("cycles_per_second", json!(rate), format!("{} cycles/s", count(rate)));
    outcome.more("bytes_per_cycle", json!(bytes), format!("{bytes:.2}"));
    if let Some((rows, rate, bytes)) = of_rows {
        outcome.more("rows", json!(rows), grouped(rows));
        outcome.more("rows_per_second", json!(rate), format!("{} rows/s", count(rate)));
        outcome.more("bytes_per_row", json!(bytes), format!("{bytes:.2}"));
    }
    plan.print(&outcome)
}
