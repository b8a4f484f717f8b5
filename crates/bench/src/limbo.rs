//! `volery bench limbo` and `volery bench voleith`: proofs that are files, and of limbo over loopback TCP, too.

use crate::args::{GATES, of_gates, size};
use crate::bench::Run;
use crate::plan::Plan;
use serde_json::{Value, json};
use std::io::Seek;
use std::sync::Arc;
use tempfile::spooled_tempfile;
use volery::circuit::stream::Source;
use volery::circuit::{Network, Size};
use volery::random::Random;
use volery::{Binary, F2, InTheHead, Named as _, Options, Report, Simulation};
use volery_cli::both::Reports;
use volery_cli::failure::{Failure, Result, one_of};
use volery_cli::preimage::{LENGTH, Preimage};
use volery_cli::progress::{Counter, Progress, Watched};
use volery_cli::settings::CHALLENGES;

/// The statements.
const SHA256: &str = "sha256";
const RANDOM: &str = "random";

/// The kinds of a preimage's circuit.
const GATE_BY_GATE: &str = "gates";
const HOLES: &str = "holes";

/// Bytes of a proof that are kept in memory; a longer one goes to a temporary file, so that the memory that is
/// measured is the parties' own.
const KEPT: usize = 1 << 22;

/// Proves a preimage, or --gates of a generated circuit, by --statement.
pub(crate) fn limbo(run: &Run) -> Result<()> {
    let usual = if run.typed.gates.is_some() { RANDOM } else { SHA256 };
    let statement = run.typed.statement.as_deref().unwrap_or(usual);
    one_of("--statement", statement, &[SHA256, RANDOM])?;
    if !run.typed.interactive {
        let links = [
            ("--bandwidth", run.typed.bandwidth.is_some()),
            ("--latency", run.typed.latency.is_some()),
            ("--tls", run.typed.tls),
            ("--replay", run.typed.replay),
        ];
        if let Some((option, _)) = links.into_iter().find(|(_, given)| *given) {
            let or = if run.system()?.facts().talks { ", or give --interactive" } else { "" };
            return Err(Failure::usage(format_args!(
                "{option}: a proof that is a file goes over no link: leave it out{or}"
            )));
        }
    }
    let kind = run.typed.kind.as_deref().unwrap_or(GATE_BY_GATE);
    one_of("--kind", kind, &[GATE_BY_GATE, HOLES])?;
    let bench = Limbo {
        plan: Plan::new(run)?,
        statement,
        length: size("--length", run.typed.length.as_deref(), LENGTH as u64)?,
        holes: kind == HOLES,
        interactive: run.typed.interactive,
    };
    let refuse = |option: &str, why: &str, other: &str| {
        Err(Failure::usage(format_args!(
            "{option}: the statement {statement} {why}: leave it out, or take --statement {other}"
        )))
    };
    if statement == SHA256 {
        if run.typed.gates.is_some() {
            return refuse("--gates", "has its own", RANDOM);
        }
        let Preimage { statement, witness, .. } = Preimage::of(bench.length, bench.holes)?;
        let shape = Binary::compiled().count(&statement)?;
        let options = bench.plan.settings.options(statement.digest(), Some(shape.size()))?;
        return bench.run(statement.source(), witness.bits(), shape.mul, &options);
    }
    for (option, given) in [("--length", &run.typed.length), ("--kind", &run.typed.kind)] {
        if given.is_some() {
            return refuse(option, "has none", SHA256);
        }
    }
    let gates = bench.plan.gates.unwrap_or(GATES);
    let network = Network::new(gates).map_err(of_gates)?.narrow(INPUTS);
    let size = Size::gates(network.width() as u64 + gates);
    let options = bench.plan.settings.options(network.digest(), Some(size))?;
    // Any witness will do, so that it is no secret.
    let witness: Vec<F2> = network.witness(Random::from_system()?.bytes()).collect();
    bench.run(&network, witness.iter().copied(), gates, &options)
}

/// Inputs of the random statement, as few as the paper's has.
const INPUTS: u64 = 8;

/// A measurement of limbo or voleith.
struct Limbo<'t> {
    plan: Plan,
    statement: &'t str,
    /// Bytes of the message, and whether bits between words are polynomials.
    length: u64,
    holes: bool,
    interactive: bool,
}

impl Limbo<'_> {
    /// Proves `circuit`, which has `gates` ANDs, as often as said, and prints what that took.
    fn run<W>(&self, circuit: &dyn Source<F2>, witness: W, gates: u64, options: &Options) -> Result<()>
    where
        W: IntoIterator<Item = F2> + Clone + Send,
    {
        let reports = if self.interactive {
            let task = self.plan.task("gates", gates);
            task.prove::<Binary, _>(circuit, witness, options, self.plan.repeat)?
        } else {
            self.as_files(circuit, witness, options)?
        };
        let mut outcome = self.plan.of_both(&reports);
        outcome.bench = Some((self.plan.name, self.parameters(gates)));
        self.plan.print(&outcome)
    }

    /// Makes one proof file after the other, and verifies each.
    fn as_files<W>(&self, circuit: &dyn Source<F2>, witness: W, options: &Options) -> Result<Reports>
    where
        W: IntoIterator<Item = F2> + Clone,
    {
        let done = Arc::<Counter>::default();
        let mut options = done.counting(options.clone());
        // Whoever measures asks for the work.
        options.most_work = u32::MAX;
        let watched = Watched { done: done.clone(), meter: None, unit: "gates", total: None };
        let _progress = Progress::start(watched, self.plan.settings.quiet);
        let mut reports = Reports { prover: Vec::new(), verifier: Vec::new() };
        for _ in 0..self.plan.repeat {
            let mut proof = spooled_tempfile(KEPT);
            let proved = volery::prove_to_file(circuit, witness.clone(), &mut proof, &options)?;
            done.restart();
            proof.rewind().map_err(|why| Failure::usage(format_args!("a temporary file: {why}")))?;
            let (_accepted, verified) = volery::verify_from(circuit, &mut proof, &options)?;
            done.restart();
            // From the beginning to the verdict it takes both of them.
            reports.verifier.push(Report { online: proved.online + verified.online, ..verified });
            reports.prover.push(proved);
        }
        Ok(reports)
    }

    /// The parameters of voleith that were asked for.
    fn of_trees(&self, gates: u64) -> Value {
        let InTheHead { wishes } = self.plan.settings.method.of();
        json!({
            "statement": self.statement,
            "gates": gates,
            "length": (self.statement == SHA256).then_some(self.length),
            "kind": (self.statement == SHA256).then_some(if self.holes { HOLES } else { GATE_BY_GATE }),
            "prefer": format!("{:?}", wishes.preference).to_lowercase(),
            "trees": wishes.trees,
            "grind": wishes.grinding,
            "repeat": self.plan.repeat,
        })
    }

    /// The parameters that were asked for.
    fn parameters(&self, gates: u64) -> Value {
        if !self.plan.settings.system().facts().simulates {
            return self.of_trees(gates);
        }
        let Simulation { wishes, aggregation } = self.plan.settings.method.of();
        let name = |of| CHALLENGES.iter().find(|(_, challenges)| *challenges == of).map(|(name, _)| *name);
        json!({
            "statement": self.statement,
            "gates": gates,
            "interactive": self.interactive,
            "prefer": format!("{:?}", wishes.preference).to_lowercase(),
            "parties": wishes.parties,
            "compression": wishes.compression,
            "check_field": wishes.field_bits,
            "challenges": wishes.challenges.and_then(name),
            "views": aggregation.name(),
            "repeat": self.plan.repeat,
            "bandwidth": self.plan.settings.bandwidth,
            "latency": self.plan.latency,
            "replay": self.plan.replay,
        })
    }
}
