//! What a proof is reported as: a short table, or one JSON object.

mod checked;
mod simulation;

use crate::args::{Protocol, Verb};
use crate::bench;
use crate::both::Reports;
use crate::failure::{Failure, Fault};
use crate::fields::Field;
use crate::file::{OUT, PROOF};
use crate::print::{count, grouped, hex, human, seconds, things};
use crate::settings::{system, system_of_party, threads};
use serde_json::{Map, Value, json};
use std::ffi::OsStr;
use std::time::{Duration, Instant};
use volery::channel::{Party, Traffic};
use volery::{Report, Setting, System};

/// A proof that was accepted, or written, as its command reports it.
pub(crate) struct Outcome {
    /// `None` where one process was both.
    pub(crate) role: Option<Party>,
    /// The name of the setting.
    pub(crate) field: String,
    /// This party's report; the verifier's where one process was both; the sums where there were several statements.
    pub(crate) report: Report,
    /// The clauses of which one was proved, where they were.
    pub(crate) clauses: Option<u64>,
    /// Threads of each party.
    pub(crate) threads: u32,
    /// From the start of the process to the verdict.
    pub(crate) total: Duration,
    /// The most memory that was held until then.
    peak: Option<u64>,
    /// The time that each statement took.
    runs: Vec<Run>,
    /// Whether it was verified: a file is, by others, later.
    pub(crate) verified: bool,
    /// What was measured, and with which parameters.
    pub(crate) bench: Option<(&'static str, Value)>,
    /// What this bench alone reports: a name, for JSON and for the table.
    more: Vec<(&'static str, Value, String)>,
}

/// The time that one statement took.
struct Run {
    setup: Duration,
    online: Duration,
    /// What prover and verifier worked, where that is measured.
    work: [Option<Duration>; 2],
}

impl Outcome {
    /// Of one statement or several over `S`, in one session.
    ///
    /// # Panics
    /// Where there is none.
    pub(crate) fn new<S: Setting>(role: Option<Party>, reports: &[Report], started: Instant) -> Self {
        let [report, rest @ ..] = reports else { panic!("nothing was proved") };
        let mut sums = report.clone();
        for report in rest {
            sums.gates.inputs += report.gates.inputs;
            sums.gates.mul += report.gates.mul;
            sums.gates.add += report.gates.add;
            sums.gates.assert += report.gates.assert;
            sums.gates.polynomials += report.gates.polynomials;
            sums.gates.matrices += report.gates.matrices;
            add(&mut sums.traffic, report.traffic);
            add(&mut sums.setup_traffic, report.setup_traffic);
            sums.setup += report.setup;
            sums.online += report.online;
            if let (Some(sum), Some(more)) = (&mut sums.checked, report.checked) {
                sum.blocks += more.blocks;
            }
        }
        let run = |report: &Report| {
            let mut work = [None; 2];
            work[usize::from(role != Some(Party::Prover))] = report.proof.map(|proof| proof.work);
            Run { setup: report.setup, online: report.online, work }
        };
        let runs = reports.iter().map(run).collect();
        Self {
            role,
            field: S::name(),
            report: sums,
            clauses: None,
            threads: 1,
            total: started.elapsed(),
            peak: peak_rss(),
            runs,
            verified: true,
            bench: None,
            more: Vec::new(),
        }
    }

    /// The same of both parties in one process.
    pub(crate) fn of_both<S: Setting>(reports: &Reports, started: Instant) -> Self {
        let mut outcome = Self::new::<S>(None, &reports.verifier, started);
        for (run, report) in outcome.runs.iter_mut().zip(&reports.prover) {
            run.work[0] = report.proof.map(|proof| proof.work);
        }
        outcome
    }

    /// Seconds that prover and verifier worked, where that is measured.
    fn work(&self) -> [Option<f64>; 2] {
        let sum = |who: usize| self.runs.iter().map(|run| run.work[who]).sum::<Option<Duration>>();
        [0, 1].map(|who| sum(who).map(|work| work.as_secs_f64()))
    }

    /// Bytes as `sent` and `received` are meant: from here, or from prover to verifier where one process was both.
    fn oriented(&self, traffic: Traffic) -> (u64, u64) {
        match self.role {
            Some(_) => (traffic.sent, traffic.received),
            None => (traffic.received, traffic.sent),
        }
    }

    /// Reports this too.
    pub(crate) fn more(&mut self, name: &'static str, value: Value, text: String) {
        self.more.push((name, value, text));
    }

    /// Multiplications per second after the set-up.
    pub(crate) fn rate(&self) -> Option<f64> {
        let (gates, seconds) = (self.report.gates.mul, self.report.online.as_secs_f64());
        (gates > 0 && seconds > 0.0).then(|| gates as f64 / seconds)
    }

    /// Bytes both ways after the set-up.
    pub(crate) fn online_bytes(&self) -> u64 {
        let (all, setup) = (self.report.traffic, self.report.setup_traffic);
        all.sent + all.received - setup.sent - setup.received
    }

    /// The JSON object.
    pub(crate) fn json(&self) -> Value {
        let Report { system, gates, traffic, choice, .. } = &self.report;
        let (sent, received) = self.oriented(*traffic);
        let mut object = Map::new();
        if let Some((name, parameters)) = &self.bench {
            object.insert("name".into(), json!(name));
            object.insert("parameters".into(), parameters.clone());
        }
        let rest = json!({
            "verdict": self.verified.then_some("accepted"),
            "role": self.role.map(Party::name),
            "system": system.name(),
            "field": self.field,
            "vole": choice.map(|choice| choice.correlations.name()),
            "vole_reason": choice.map(|choice| choice.reason.to_string()),
            "statement": hex(&self.report.statement),
            "gates": {"mul": gates.mul, "add": gates.add, "assert": gates.assert},
            "inputs": gates.inputs,
            "clauses": self.clauses,
            "polynomials": {"count": gates.polynomials, "degree": gates.degree},
            "matrix_products": gates.matrices,
            "bytes": {"sent": sent, "received": received},
            "online_bytes": self.online_bytes(),
            "rounds": traffic.rounds,
            "seconds": {
                "setup": self.report.setup.as_secs_f64(),
                "online": self.report.online.as_secs_f64(),
                "total": self.total.as_secs_f64(),
            },
            "mul_gates_per_second": self.rate(),
            "peak_rss_bytes": self.peak,
            "threads": self.threads,
            "security": {
                "computational_bits": self.report.security.computational,
                "statistical_bits": self.report.security.statistical,
            },
        });
        if let Value::Object(rest) = rest {
            object.extend(rest);
        }
        if let Some(proof) = &self.report.proof {
            object.extend(simulation::json(&self.report, proof));
            for (who, work) in ["prover", "verifier"].into_iter().zip(self.work()) {
                object["seconds"][who] = json!(work);
            }
        }
        object.extend(self.report.checked.iter().flat_map(checked::json));
        object.extend(self.more.iter().map(|(name, value, _)| ((*name).into(), value.clone())));
        if self.bench.is_some() {
            let run = |run: &Run| {
                let mut object =
                    json!({"setup": run.setup.as_secs_f64(), "online": run.online.as_secs_f64()});
                for (who, work) in ["prover", "verifier"].into_iter().zip(run.work) {
                    if let Some(work) = work {
                        object[who] = json!(work.as_secs_f64());
                    }
                }
                object
            };
            object.insert("runs".into(), self.runs.iter().map(run).collect());
        }
        Value::Object(object)
    }

    /// The table.
    pub(crate) fn table(&self) -> String {
        let Report { system, gates, choice, .. } = &self.report;
        let (sent, received) = self.oriented(self.report.traffic);
        let (there, back) = match self.role {
            Some(_) => ("sent", "received"),
            None => ("prover to verifier", "verifier to prover"),
        };
        let rate = self.rate().map_or("-".into(), |rate| format!("{} multiplications/s", count(rate)));
        let role = match (self.role, self.threads) {
            (Some(role), _) => role.name().into(),
            (None, 1) => "both, one thread each".into(),
            (None, threads) => format!("both, {threads} threads each"),
        };
        let mut rows = vec![
            (
                "verdict",
                if self.verified { "accepted" } else { "not yet: whoever has the file can verify it" }.into(),
            ),
            ("role", role),
            ("system", format!("{system} over {}", self.field)),
            ("statement", hex(&self.report.statement)),
            (
                "gates",
                [
                    (gates.mul, "multiplication"),
                    (gates.add, "addition"),
                    (gates.assert, "assertion"),
                    (gates.inputs, "input"),
                ]
                .map(|(count, thing)| things(count, thing))
                .join(", "),
            ),
            (
                "traffic",
                format!(
                    "{}B {there}, {}B {back}, in {} rounds",
                    human(sent as f64),
                    human(received as f64),
                    self.report.traffic.rounds
                ),
            ),
            (
                "time",
                format!(
                    "{} set-up, {} online, {} in all",
                    seconds(self.report.setup.as_secs_f64()),
                    seconds(self.report.online.as_secs_f64()),
                    seconds(self.total.as_secs_f64())
                ),
            ),
            ("speed", rate),
            ("memory", self.peak.map_or("-".into(), |bytes| format!("{}B at most", human(bytes as f64)))),
            (
                "security",
                format!(
                    "{} bits computational, {} bits statistical",
                    self.report.security.computational, self.report.security.statistical
                ),
            ),
        ];
        if let Some(choice) = choice {
            rows.insert(3, ("correlations", format!("{}, {}", choice.correlations, choice.reason)));
        }
        if let Some(clauses) = self.clauses {
            let after = rows.iter().position(|(name, _)| *name == "statement").map_or(0, |at| at + 1);
            rows.insert(after, ("clauses", format!("{}, and one of them holds", grouped(clauses))));
        }
        let polynomials = (gates.polynomials > 0).then(|| {
            format!("{} of degree {} at most", things(gates.polynomials, "polynomial"), gates.degree)
        });
        let matrices = (gates.matrices > 0).then(|| things(gates.matrices, "matrix product"));
        let algebra: Vec<_> = polynomials.into_iter().chain(matrices).collect();
        if !algebra.is_empty() {
            let after = rows.iter().position(|(name, _)| *name == "gates").map_or(0, |gates| gates + 1);
            rows.insert(after, ("algebra", algebra.join(", ")));
        }
        if let Some(proof) = &self.report.proof {
            rows.extend(simulation::rows(&self.report, proof, self.work()));
        }
        rows.extend(self.report.checked.iter().map(checked::row));
        rows.extend(self.more.iter().map(|(name, _, text)| (*name, text.clone())));
        if self.runs.len() > 1 {
            let online = self.runs.iter().map(|run| run.online.as_secs_f64());
            let least = online.clone().fold(f64::INFINITY, f64::min);
            let most = online.fold(0.0, f64::max);
            let runs = format!("{}, {} to {} online each", self.runs.len(), seconds(least), seconds(most));
            rows.push(("runs", runs));
        }
        table(&rows)
    }
}

fn add(sum: &mut Traffic, more: Traffic) {
    sum.sent += more.sent;
    sum.received += more.received;
    sum.rounds += more.rounds;
}

/// Names and what belongs to them, in two columns.
pub(crate) fn table(rows: &[(&str, String)]) -> String {
    let width = rows.iter().map(|(name, _)| name.len()).fold(12, usize::max);
    let lines: Vec<_> = rows.iter().map(|(name, text)| format!("{name:<width$} {text}")).collect();
    lines.join("\n")
}

/// What a run was to be, as far as that is settled whatever becomes of it.
#[derive(Clone, Copy, Default)]
pub(crate) struct Asked {
    /// Whether it is `check`, which reports in its own way.
    check: bool,
    role: Option<Party>,
    system: Option<&'static str>,
    field: Option<&'static Field>,
    threads: Option<u32>,
}

impl Asked {
    /// Of a command line that was not understood, but for this first word.
    pub(crate) fn of(verb: &OsStr) -> Self {
        Self { check: verb == "check", ..Self::default() }
    }

    pub(crate) fn by(verb: &Verb) -> Self {
        let field = |typed: &Protocol| Field::asked(typed.field.as_deref());
        let (role, protocol, field) = match verb {
            Verb::Prove(typed) => (Some(Party::Prover), &typed.protocol, field(&typed.protocol)),
            Verb::Verify(typed) => (Some(Party::Verifier), &typed.protocol, field(&typed.protocol)),
            Verb::Demo(typed) => (None, &typed.protocol, field(&typed.protocol)),
            Verb::Bench(typed) if bench::runs_others(typed) => return Self::default(),
            Verb::Bench(typed) => (None, &typed.protocol, bench::field(typed)),
            Verb::Check(_) => return Self { check: true, ..Self::default() },
            Verb::Circuit(_) | Verb::Doctor(_) => return Self::default(),
        };
        let system = match verb {
            Verb::Bench(typed) => bench::system(typed),
            Verb::Prove(typed) => system_of_party(protocol, typed.out.as_ref().map(|_| OUT)),
            Verb::Verify(typed) => system_of_party(protocol, typed.proof.as_ref().map(|_| PROOF)),
            _ => system(protocol, System::default()),
        };
        Self {
            check: false,
            role,
            system: system.ok().map(System::name),
            field: field.ok(),
            threads: threads(&protocol.threads),
        }
    }
}

/// The JSON object of a run that failed: the keys that it has otherwise, null where nothing is known. A verdict is
/// known where a verifier was not convinced; and whether a statement holds, where it was evaluated.
pub(crate) fn failed(failure: &Failure, asked: &Asked) -> Value {
    if let Some(report) = &failure.report {
        return report.clone();
    }
    let (error, exit_code) = (&failure.line, failure.fault as u8);
    if asked.check {
        let satisfied = failure.unsatisfied.then_some(false);
        return json!({"satisfied": satisfied, "statement": null, "error": error, "exit_code": exit_code});
    }
    json!({
        "verdict": (failure.fault == Fault::Rejected).then_some("rejected"),
        "error": error,
        "exit_code": exit_code,
        "role": asked.role.map(Party::name),
        "system": asked.system,
        "field": asked.field.map(|field| (field.name)()),
        "vole": null,
        "vole_reason": null,
        "statement": null,
        "gates": {"mul": null, "add": null, "assert": null},
        "inputs": null,
        "clauses": null,
        "bytes": {"sent": null, "received": null},
        "online_bytes": null,
        "rounds": null,
        "seconds": {"setup": null, "online": null, "total": null},
        "mul_gates_per_second": null,
        "peak_rss_bytes": peak_rss(),
        "threads": asked.threads,
        "security": {"computational_bits": null, "statistical_bits": null},
    })
}

/// The most memory that this process has held, where the system tells.
pub(crate) fn peak_rss() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(1024 * kibibytes)
}
