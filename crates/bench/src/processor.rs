//! `volery bench program`: a run of a program for RV32IM, under public control.

use crate::args::size;
use crate::bench::Run;
use crate::plan::Plan;
use serde_json::json;
use volery::circuit::stream::{Source, Stream};
use volery::random::Random;
use volery::{Binary, F2};
use volery_cli::failure::{Failure, Result};
use volery_cli::print::{count, grouped};
use volery_processor::{Claimed, Inputs, Layout, Misaligned, Nobody, Program};

/// SHA-256 in C.
const SHA256: &[u8] = include_bytes!("../../../examples/programs/sha256.elf");

/// Bytes of the private input, where nothing is said, and the most.
const LENGTH: u64 = 1 << 16;
const MOST_LENGTH: u64 = 1 << 30;

/// Proves a run with a private input that is random.
pub(crate) fn program(run: &Run) -> Result<()> {
    let plan = Plan::new(run)?;
    let length = size("--length", run.typed.length.as_deref(), LENGTH)?;
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
    let statement = run.claimed(ended.claim);
    let source: &dyn Source<F2> = &statement;
    let shape = Stream::new(source).count()?;
    let options = plan.settings.options(statement.digest(), Some(plan.settings.size(&shape)))?;
    let (mul, witness) = (plan.settings.mul(&shape), Claimed::witness(private));
    let mut outcome = plan.prove::<Binary, _>(("length", length), source, witness, mul, &options)?;
    let cycles = u64::from(plan.repeat) * ended.cycles;
    let rate = cycles as f64 / outcome.report.online.as_secs_f64().max(1e-9);
    let bytes = outcome.online_bytes() as f64 / cycles as f64;
    outcome.more("cycles", json!(cycles), grouped(cycles));
    outcome.more("cycles_per_second", json!(rate), format!("{} cycles/s", count(rate)));
    outcome.more("bytes_per_cycle", json!(bytes), format!("{bytes:.2}"));
    plan.print(&outcome)
}
