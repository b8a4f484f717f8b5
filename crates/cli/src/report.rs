//! Reports of proofs: a short table, or one JSON object.

pub mod shards;

use crate::args::Protocol;
use crate::both::Reports;
use crate::failure::{Failure, Fault, Result};
use crate::fields::Field;
use crate::print::{self, count, grouped, hex, human, seconds, table, things};
use crate::settings::{Settings, threads};
use serde_json::{Map, Value, json};
use std::num::NonZeroUsize;
use std::time::{Duration, Instant};
use volery::channel::{Party, Traffic};
use volery::{Fact, Grounds, Reason, Report, System};

/// The word that stands beside the bits of security where less of them was allowed than convinces anybody.
const INSECURE: &str = "insecure_parameters";

/// A proof that was accepted, or written, as its command reports it.
pub struct Outcome {
    /// `None` where one process was both.
    pub role: Option<Party>,
    /// The name of the setting.
    pub field: String,
    /// The report of this party; the verifier's where one process was both; the sums where there were several
    /// statements.
    pub report: Report,
    /// The clauses of which one was proved, where they were.
    pub clauses: Option<u64>,
    /// Sentences on the parts of the statement that prove nothing.
    pub warnings: Vec<String>,
    /// Threads of each party.
    pub threads: usize,
    /// The names of devices, where there are any.
    pub devices: Option<Vec<String>>,
    /// Whether less security was allowed than convinces anybody.
    pub insecure: bool,
    /// The time from the start of the process to the verdict.
    pub total: Duration,
    /// The most memory that was held until then.
    peak: Option<u64>,
    /// The time that each statement took.
    runs: Vec<Run>,
    /// Whether it was verified: a file is, by others, later.
    pub verified: bool,
    /// The measured bench, and its parameters.
    pub bench: Option<(&'static str, Value)>,
    /// Values that this bench alone reports: a name, for JSON and for the table.
    more: Vec<(&'static str, Value, String)>,
}

/// The times of one statement's proof.
struct Run {
    setup: Duration,
    online: Duration,
    /// The work of prover and verifier, where it is measured.
    work: [Option<Duration>; 2],
}

impl Outcome {
    /// The outcome of one statement or several, in one session.
    ///
    /// # Panics
    /// Where there is none.
    pub fn new(settings: &Settings, role: Option<Party>, reports: &[Report], started: Instant) -> Self {
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
            if let (Some(sum), Some(more)) = (&sums.details, &report.details) {
                sums.details = sum.and(&**more).or(sums.details);
            }
        }
        let run = |report: &Report| {
            let mut work = [None; 2];
            work[usize::from(role != Some(Party::Prover))] = worked(report);
            Run { setup: report.setup, online: report.online, work }
        };
        let runs = reports.iter().map(run).collect();
        Self {
            role,
            field: settings.field.name(),
            report: sums,
            clauses: None,
            warnings: Vec::new(),
            threads: settings.threads.get(),
            devices: settings.devices.names(),
            insecure: settings.insecure_parameters,
            total: started.elapsed(),
            peak: peak_rss(),
            runs,
            verified: true,
            bench: None,
            more: Vec::new(),
        }
    }

    /// The outcome of both parties in one process.
    pub fn of_both(settings: &Settings, reports: &Reports, started: Instant) -> Self {
        let mut outcome = Self::new(settings, None, &reports.verifier, started);
        for (run, report) in outcome.runs.iter_mut().zip(&reports.prover) {
            run.work[0] = worked(report);
            if !report.system.facts().talks {
                // From the beginning to the verdict it took both.
                run.work[1] = Some(run.online.saturating_sub(report.online));
            }
        }
        outcome
    }

    /// Seconds that prover and verifier worked, where that is measured.
    fn work(&self) -> [Option<Duration>; 2] {
        [0, 1].map(|who| self.runs.iter().map(|run| run.work[who]).sum())
    }

    /// The bytes sent and received: as this party sees them, or, where one process was both parties, from
    /// prover to verifier and back.
    fn oriented(&self, traffic: Traffic) -> (u64, u64) {
        match self.role {
            Some(_) => (traffic.sent, traffic.received),
            None => (traffic.received, traffic.sent),
        }
    }

    /// Reports this too.
    pub fn more(&mut self, name: &'static str, value: Value, text: String) {
        self.more.push((name, value, text));
    }

    /// Multiplications per second after the set-up.
    pub fn rate(&self) -> Option<f64> {
        let (gates, seconds) = (self.report.gates.mul, self.report.online.as_secs_f64());
        (gates > 0 && seconds > 0.0).then(|| gates as f64 / seconds)
    }

    /// Bytes both ways after the set-up.
    pub fn online_bytes(&self) -> u64 {
        let (all, setup) = (self.report.traffic, self.report.setup_traffic);
        all.sent + all.received - setup.sent - setup.received
    }

    /// Prints the warnings, and the table, or the JSON object where that is asked for.
    ///
    /// # Errors
    /// Where standard output cannot be written.
    pub fn print(&self, json: bool) -> Result<()> {
        print::warn(&self.warnings);
        if json { print::json(&self.json()) } else { print::result(self.table()) }
    }

    /// The JSON object.
    pub fn json(&self) -> Value {
        let Report { system, gates, traffic, .. } = &self.report;
        let choice = self.report.choice;
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
            "vole_grounds": choice.and_then(|choice| grounds(choice.reason)),
            "statement": hex(&self.report.statement),
            "gates": {"mul": gates.mul, "add": gates.add, "assert": gates.assert},
            "inputs": gates.inputs,
            "clauses": self.clauses,
            "warnings": self.warnings,
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
        if let Some(devices) = &self.devices {
            object.insert("devices".into(), json!(devices));
        }
        if self.insecure {
            object["security"][INSECURE] = json!(true);
        }
        if let Some(details) = &self.report.details {
            let facts = details.facts(&self.report).into_iter();
            object.extend(facts.map(|(name, fact)| (name.into(), value(fact))));
        }
        if self.runs.iter().any(|run| run.work.iter().any(Option::is_some)) {
            for (who, work) in ["prover", "verifier"].into_iter().zip(self.work()) {
                object["seconds"][who] = json!(work.map(|work| work.as_secs_f64()));
            }
        }
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
    pub fn table(&self) -> String {
        let Report { system, gates, .. } = &self.report;
        let (sent, received) = self.oriented(self.report.traffic);
        let (there, back) = match self.role {
            Some(_) => ("sent", "received"),
            None => ("prover to verifier", "verifier to prover"),
        };
        let rate = self.rate().map_or("-".into(), |rate| format!("{} multiplications/s", count(rate)));
        let role = match (self.role, self.threads) {
            (Some(role), 1) => role.name().into(),
            (Some(role), threads) => format!("{}, {threads} threads", role.name()),
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
                    "{} bits computational, {} bits statistical{}",
                    self.report.security.computational,
                    self.report.security.statistical,
                    if self.insecure { ", with insecure parameters allowed" } else { "" }
                ),
            ),
        ];
        if let Some(choice) = self.report.choice {
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
        if let Some(details) = &self.report.details {
            rows.extend(details.lines(&self.report, self.work()));
        }
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

/// A fact as JSON.
fn value(fact: Fact) -> Value {
    match fact {
        Fact::None => Value::Null,
        Fact::Number(number) => json!(number),
        Fact::Text(text) => json!(text),
        Fact::List(facts) => facts.into_iter().map(value).collect(),
        Fact::Group(facts) => {
            Value::Object(facts.into_iter().map(|(name, fact)| (name.into(), value(fact))).collect())
        }
    }
}

/// The grounds of the choice of correlations, where they were chosen.
fn grounds(reason: Reason) -> Option<Value> {
    let Reason::Fastest(Grounds { line, nanoseconds: [prover, verifier], seconds, runner_up }) = reason
    else {
        return None;
    };
    let runner_up = runner_up.map(|(vole, seconds)| json!({"vole": vole.name(), "seconds": seconds}));
    Some(json!({
        "mbps": {"prover_to_verifier": line.forward, "verifier_to_prover": line.backward},
        "round_trip": line.round_trip.as_secs_f64(),
        "nanoseconds_a_share": {"prover": prover, "verifier": verifier},
        "expected_seconds": seconds,
        "runner_up": runner_up,
    }))
}

fn add(sum: &mut Traffic, more: Traffic) {
    sum.sent += more.sent;
    sum.received += more.received;
    sum.rounds += more.rounds;
}

/// The settings of a run, which are known however it ends.
#[derive(Clone, Default)]
pub struct Asked {
    check: bool,
    run: bool,
    role: Option<Party>,
    system: Option<System>,
    field: Option<Field>,
    threads: Option<usize>,
    insecure: bool,
}

impl Asked {
    /// The evaluation of a statement, which reports in its own way.
    pub fn check() -> Self {
        Self { check: true, ..Self::default() }
    }

    /// A run of a program in the clear, which reports in its own way.
    pub fn run() -> Self {
        Self { run: true, ..Self::default() }
    }

    /// A proof by `role`, or by both parties in one process.
    pub fn proof(
        role: Option<Party>,
        protocol: &Protocol,
        system: Result<System>,
        field: Result<Field>,
    ) -> Self {
        let (system, field) = (system.ok(), field.ok());
        let parties = if role.is_none() { 2 } else { 0 };
        let threads = threads(protocol, parties).ok().map(NonZeroUsize::get);
        Self {
            check: false,
            run: false,
            role,
            system,
            field,
            threads,
            insecure: protocol.insecure_parameters,
        }
    }
}

/// The JSON object of a run that failed: the keys that it has otherwise, null where nothing is known. A
/// verdict is known where a verifier was not convinced; and whether a statement holds, where it was
/// evaluated.
pub fn failed(failure: &Failure, asked: &Asked) -> Value {
    if let Some(report) = &failure.report {
        return report.clone();
    }
    let (error, exit_code) = (&failure.line, failure.fault as u8);
    if asked.run {
        return json!({"ended": null, "error": error, "exit_code": null, "fault": null, "output": null, "cycles": null});
    }
    if asked.check {
        let satisfied = failure.unsatisfied.then_some(false);
        return json!({
            "satisfied": satisfied,
            "statement": null,
            "warnings": null,
            "error": error,
            "exit_code": exit_code,
        });
    }
    let mut object = json!({
        "verdict": (failure.fault == Fault::Rejected).then_some("rejected"),
        "error": error,
        "exit_code": exit_code,
        "counts_against_peer": failure.counts_against_peer,
        "role": asked.role.map(Party::name),
        "system": asked.system.map(System::name),
        "field": asked.field.map(|field| field.name()),
        "vole": null,
        "vole_reason": null,
        "vole_grounds": null,
        "statement": null,
        "gates": {"mul": null, "add": null, "assert": null},
        "inputs": null,
        "clauses": null,
        "warnings": null,
        "bytes": {"sent": null, "received": null},
        "online_bytes": null,
        "rounds": null,
        "seconds": {"setup": null, "online": null, "total": null},
        "mul_gates_per_second": null,
        "peak_rss_bytes": peak_rss(),
        "threads": asked.threads,
        "security": {"computational_bits": null, "statistical_bits": null},
    });
    if asked.insecure {
        object["security"][INSECURE] = json!(true);
    }
    object
}

/// The work of a party, where it is known.
fn worked(report: &Report) -> Option<Duration> {
    report.details.as_ref()?.work(report)
}

/// The most memory that this process has held, where the system tells.
pub fn peak_rss() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(1024 * kibibytes)
}
