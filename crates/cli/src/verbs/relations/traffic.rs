//! Forecasts of what each system would send, all inputs being private.

use serde_json::{Map, Value, json};
use volery::circuit::Shape;
use volery::zk::limbo::{Mode, Parameters, Wishes};
use volery::zk::quicksilver::branch;
use volery::zk::quicksilver::session::Analysed as _;
use volery::zk::voleith;
use volery::zk::wolverine::SECURITY;
use volery::zk::{BitMacs, FieldMacs};
use volery::{Carried, Choice, Correlations, Estimate, F2, F64, Options, Seeds, System};
use volery_cli::fields::{Field, has_bits, is_boolean};
use volery_cli::print::human;
use volery_cli::settings::{LIMBO_SECURITY, PREFERENCES, TREES};

/// The bandwidths in Mbit/s for which the choice of auto is shown.
const LINKS: [u64; 5] = [10, 50, 100, 1000, 10_000];

/// The forecast of a system.
pub(super) struct Traffic {
    system: System,
    /// The correlations, where it draws any.
    vole: Option<Correlations>,
    /// The bandwidths at which `auto` chooses these correlations.
    auto: Vec<u64>,
    /// The traffic where they are asked for by name.
    estimate: Estimate,
    /// The traffic where auto chooses them: both parties then know the size.
    by_auto: Option<Estimate>,
}

/// The forecasts of all systems that talk, for a statement, or for one of `clauses`, where there are any and
/// the system knows them.
pub(super) fn all(field: Field, shape: &Shape, clauses: &[Shape]) -> Vec<Traffic> {
    let systems = [System::QUICKSILVER, System::WOLVERINE].into_iter().filter(|system| field.is_by(*system));
    let correlated = systems.map(|system| correlated(field, system, shape, clauses));
    correlated.flatten().chain(garbled(field, shape, clauses)).collect()
}

/// Forecasts over each of the correlations over which a session would not be refused.
fn correlated(field: Field, system: System, shape: &Shape, clauses: &[Shape]) -> Vec<Traffic> {
    let options = Options::by(system);
    let triples = system.facts().triples;
    let of_clauses = branch::size(clauses).ok().filter(|_| system.facts().clauses && has_bits(field));
    let size = of_clauses.unwrap_or(if triples { shape.size_by_gates() } else { field.size(shape) });
    let chosen = LINKS.map(|mbps| field.choose(&options, size, mbps as f64).ok());
    let over = |correlations: Correlations| {
        let asked = if triples { SECURITY } else { field.security() };
        let enough = field.statistical_bits(&options, correlations, size).ok()? >= asked;
        let estimate = |choice: Choice| match of_clauses {
            Some(size) => {
                let of = if is_boolean(field) { BitMacs::traffic } else { FieldMacs::<F2, F64>::traffic };
                Ok(of(choice.correlations, size, choice.expects(size.commitments)))
            }
            None => field.estimate(&options, choice, shape),
        };
        let named = estimate(Choice::given(correlations)).ok().filter(|_| enough)?;
        let of_them = |choice: &Choice| choice.correlations == correlations;
        let by_auto = chosen.into_iter().flatten().find(of_them).and_then(|choice| estimate(choice).ok());
        let auto = LINKS.into_iter().zip(&chosen);
        let auto =
            auto.filter(|(_, choice)| choice.is_some_and(|choice| choice.correlations == correlations));
        let auto = auto.map(|(mbps, _)| mbps).collect();
        Some(Traffic { system, vole: Some(correlations), auto, estimate: named, by_auto })
    };
    field.correlations().into_iter().filter_map(over).collect()
}

/// The forecasts of the systems that garble: a stack where there are clauses, and is not the same as JKO.
fn garbled(field: Field, shape: &Shape, clauses: &[Shape]) -> Vec<Traffic> {
    if !is_boolean(field) {
        return Vec::new();
    }
    let of = |system, estimate| Traffic { system, vole: None, auto: Vec::new(), estimate, by_auto: None };
    let stack =
        (!clauses.is_empty()).then(|| of(System::STACK, volery::estimate::stack(clauses, Seeds::default())));
    [of(System::JKO, volery::estimate::jko(shape))].into_iter().chain(stack).collect()
}

impl Traffic {
    /// The forecast of a statement over two fields.
    pub(super) fn of_two_fields(estimate: Estimate) -> Self {
        Self { system: System::QUICKSILVER, vole: None, auto: Vec::new(), estimate, by_auto: None }
    }

    pub(super) fn json(&self) -> Value {
        let bytes = |carried: Carried| json!({"sent": carried.prover, "received": carried.verifier});
        json!({
            "system": self.system.name(),
            "vole": self.vole.map(Correlations::name),
            "auto_at_mbps": self.auto,
            "bytes": bytes(self.estimate.total),
            "bytes_by_auto": self.by_auto.map(|estimate| bytes(estimate.total)),
            "setup_bytes": bytes(self.estimate.setup),
        })
    }

    fn row(&self) -> (&'static str, String) {
        let Carried { prover, verifier } = self.by_auto.unwrap_or(self.estimate).total;
        let (sent, received) = (human(prover as f64), human(verifier as f64));
        let by = self.vole.map_or(String::new(), |correlations| format!(" by {correlations}{}", self.auto()));
        let system = self.system;
        ("sends", format!("{sent}B, and receives {received}B: a {system} prover{by}, all inputs private"))
    }

    /// The bandwidths at which auto chooses it, for people.
    fn auto(&self) -> String {
        match self.auto.len() {
            0 => String::new(),
            all if all == LINKS.len() => " (auto)".into(),
            _ => {
                let links: Vec<_> = self.auto.iter().map(u64::to_string).collect();
                format!(" (auto at {} Mbit/s)", links.join(", "))
            }
        }
    }
}

/// The lines of a table.
pub(super) fn rows(all: &[Traffic]) -> impl Iterator<Item = (&'static str, String)> {
    let least = |system| {
        let its = all.iter().filter(move |traffic| traffic.system == system);
        its.map(|traffic| traffic.estimate.total.sum()).min().unwrap_or(u64::MAX)
    };
    // A set-up that sends more than the whole proof would over others is no choice.
    let shown = all.iter().filter(move |traffic| traffic.estimate.setup.sum() <= 2 * least(traffic.system));
    shown.map(Traffic::row)
}

/// The bytes of a proof of Limbo by each preference, over a link, if it is proved there, and in a file.
pub(super) struct Simulated {
    link: Option<[u64; 3]>,
    file: [u64; 3],
}

impl Simulated {
    /// The simulation at the security that is usual; nothing where there is none, or no such proof over the
    /// field.
    pub(super) fn of(field: Field, shape: &Shape) -> Option<Self> {
        if !field.is_by(System::LIMBO) {
            return None;
        }
        let [link, file] = [Mode::Interactive, Mode::File].map(|mode| simulated(field, shape, mode));
        Some(Self { link: Some(link?), file: file? })
    }

    /// The simulation of a statement that has these gates in a file alone.
    pub(super) fn in_file(field: Field, shape: &Shape) -> Option<Self> {
        Some(Self { link: None, file: simulated(field, shape, Mode::File)? })
    }

    pub(super) fn json(&self) -> Value {
        let named = |bytes: [u64; 3]| {
            let names = PREFERENCES.iter().map(|(name, _)| (*name).to_owned());
            names.zip(bytes.map(Value::from)).collect::<Map<_, _>>()
        };
        json!({"link_bytes": self.link.map(named), "file_bytes": named(self.file)})
    }

    /// The line of a table.
    pub(super) fn row(&self) -> (&'static str, String) {
        let words = |bytes: [u64; 3]| bytes.map(|bytes| format!("{}B", human(bytes as f64))).join(", ");
        let link = self.link.map_or(String::new(), |bytes| format!("{} over a link, or ", words(bytes)));
        let (file, names) = (words(self.file), PREFERENCES.map(|(name, _)| name).join(", "));
        ("limbo", format!("{link}{file} in a file, by --prefer {names}; all inputs private"))
    }
}

/// The bytes by each preference, at the security that is usual for `mode`; nothing where there is none.
fn simulated(field: Field, shape: &Shape, mode: Mode) -> Option<[u64; 3]> {
    let (demand, fields) = (field.demand(shape), field.check_fields());
    let security = LIMBO_SECURITY[usize::from(mode == Mode::File)];
    let bytes = PREFERENCES.map(|(_, preference)| {
        let wishes = Wishes { preference, ..Wishes::default() };
        let parameters = Parameters::choose(&demand, mode, security, &wishes, &fields);
        parameters.map_or(0, |parameters| parameters.proof_bytes(&demand))
    });
    bytes.iter().all(|bytes| *bytes > 0).then_some(bytes)
}

/// The bytes of a file by VOLE in the head, by each preference.
pub(super) struct InTheHead([u64; 3]);

impl InTheHead {
    /// The forecast of a file over F_2, without a label.
    pub(super) fn of(field: Field, shape: &Shape) -> Option<Self> {
        let bytes = TREES.map(|(_, preference)| {
            let wishes = voleith::Wishes { preference, ..voleith::Wishes::default() };
            volery::estimate::voleith(shape.size(), None, &wishes, 0)
                .ok()
                .map(|estimate| estimate.total.prover)
        });
        let [Some(speed), Some(balanced), Some(size)] = bytes else { return None };
        is_boolean(field).then_some(Self([speed, balanced, size]))
    }

    pub(super) fn json(&self) -> Value {
        let names = TREES.iter().map(|(name, _)| (*name).to_owned());
        json!({"file_bytes": names.zip(self.0.map(Value::from)).collect::<Map<_, _>>()})
    }

    /// The line of a table.
    pub(super) fn row(&self) -> (&'static str, String) {
        let file = self.0.map(|bytes| format!("{}B", human(bytes as f64))).join(", ");
        ("voleith", format!("{file} in a file, by --prefer {}", TREES.map(|(name, _)| name).join(", ")))
    }
}
