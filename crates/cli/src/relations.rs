//! `check`, `circuit info` and `circuit list`: what needs no peer.

use crate::args::{Check, Eval, Info, List};
use crate::disjunction;
use crate::failure::Result;
use crate::fields::{ARITHMETIC, BOOLEAN, Field, Stated};
use crate::parties::{CHECKING, COUNTING, Known};
use crate::print::{self, grouped, hex, human, things};
use crate::progress::Progress;
use crate::report::table;
use crate::settings::{LIMBO_SECURITY, PREFERENCES, claim, relation};
use crate::values::Reader;
use serde_json::{Map, Value, json};
use volery::circuit::{Port, PortValue, Program, Relation, Shape};
use volery::zk::limbo::{Domain, Mode, Parameters, Wishes};
use volery::{Carried, Choice, Correlations, Estimate, Field as _, Seeds, System, Use};

/// `volery check`.
pub(crate) fn check<S: Stated>(typed: &Check) -> Result<()> {
    if disjunction::several::<S>(&typed.public) {
        let (digest, clauses) = disjunction::check(typed)?;
        return satisfied(typed, &digest, Some(clauses));
    }
    let (statement, witness) = claim::<S::Program>(&typed.public, &typed.private)?;
    let announced = Progress::announce(CHECKING, false);
    volery::check(&statement, Known::<S::Program>(&witness))?;
    drop(announced);
    satisfied(typed, &statement.digest(), None)
}

/// Prints that a statement holds, with the number of its clauses if it is that one of several holds.
fn satisfied(typed: &Check, digest: &[u8; 32], clauses: Option<u64>) -> Result<()> {
    let digest = hex(digest);
    if typed.json {
        let mut object = json!({"satisfied": true, "statement": digest});
        if let Some(clauses) = clauses {
            object["clauses"] = clauses.into();
        }
        return print::result(object);
    }
    let mut rows = vec![("satisfied", "every assertion holds".into()), ("statement", digest)];
    rows.extend(
        clauses.map(|clauses| ("clauses", format!("{}, of which one was evaluated", grouped(clauses)))),
    );
    print::result(table(&rows))
}

/// The option that gives values of inputs, public or private.
const INPUT: &str = "--input";

/// `volery circuit eval`.
pub(crate) fn eval(typed: &Eval) -> Result<()> {
    let relation: Relation = relation(&typed.relation, typed.format.as_deref())?;
    let inputs = Reader::default().read(INPUT, &typed.input)?;
    let announced = Progress::announce(CHECKING, false);
    let values = relation.evaluate(inputs)?;
    drop(announced);
    let outputs = relation.outputs().iter().zip(&values);
    if typed.json {
        let outputs = outputs.map(|(port, value)| (port.name.clone(), json!(value.to_number_hex())));
        return print::result(json!({"outputs": outputs.collect::<Map<_, _>>()}));
    }
    let lines = outputs.map(|(port, value)| format!("{}={}", port.name, value.to_number_hex()));
    print::result(lines.collect::<Vec<_>>().join("\n"))
}

/// What begins the name of a relation that needs no file.
const BUILTIN: &str = "builtin:";

/// `volery circuit list`.
pub(crate) fn list(typed: &List) -> Result<()> {
    let fields = match &typed.field {
        Some(name) => vec![Field::named(name)?],
        // All but the first have the same.
        None => vec![Field::named(BOOLEAN)?, Field::named(ARITHMETIC)?],
    };
    let of = |field: &'static Field| (field.builtins)().iter().map(move |builtin| (field, builtin));
    let all = fields.into_iter().flat_map(of).map(|(field, (name, states))| {
        let over = if field.wires == BOOLEAN { BOOLEAN } else { "larger fields" };
        (format!("{BUILTIN}{name}"), over, *states)
    });
    if typed.json {
        let object = |(relation, over, states)| json!({"relation": relation, "over": over, "states": states});
        return print::result(json!({"relations": all.map(object).collect::<Vec<_>>()}));
    }
    let rows = |(relation, over, states): (_, &str, &str)| {
        table(&[("relation", relation), ("over", over.into()), ("states", states.into())])
    };
    print::result(all.map(rows).collect::<Vec<_>>().join("\n\n"))
}

/// What is stated by the relation `spec`, where it needs no file.
fn states<S: Stated>(spec: &str) -> Option<&'static str> {
    let name = spec.strip_prefix(BUILTIN)?.split('?').next()?;
    let (_, states) = S::builtins().iter().find(|(known, _)| known.split('?').next() == Some(name))?;
    Some(states)
}

/// The bandwidths in Mbit/s for which the choice of auto is shown.
const LINKS: [u64; 5] = [10, 50, 100, 1000, 10_000];

/// `volery circuit info`.
pub(crate) fn info<S: Stated>(typed: &Info) -> Result<()> {
    let relation: S::Program = relation(&typed.relation, typed.format.as_deref())?;
    let states = states::<S>(&typed.relation);
    let announced = Progress::announce(COUNTING, false);
    let shape = relation.shape()?;
    let clauses = S::clauses(&relation)?;
    drop(announced);
    let garbled = garbled::<S>(&shape, &clauses);
    let simulated = simulated::<S>(&shape, Mode::Interactive).zip(simulated::<S>(&shape, Mode::File));
    let commitments = shape.size().commitments;
    let estimates: Vec<_> = S::correlations()
        .into_iter()
        .map(|correlations| (correlations, S::traffic(correlations, shape.size())))
        .collect();
    let unit = <S::Program as Program>::Value::UNIT;
    let auto =
        LINKS.map(|mbps| (mbps, Choice::fastest::<S>(commitments, Use::Proof, mbps as f64).correlations));
    let auto_at =
        |correlations| auto.iter().filter(move |(_, best)| *best == correlations).map(|(mbps, _)| *mbps);
    if typed.json {
        let ports = |ports: &[Port]| -> Value {
            let widths = format!("{unit}s");
            let port = |port: &Port| json!({"name": port.name, &widths: port.width, "public": port.public});
            ports.iter().map(port).collect()
        };
        let bytes = |carried: Carried| json!({"sent": carried.prover, "received": carried.verifier});
        let estimate = |(correlations, estimate): (Correlations, Estimate)| {
            json!({
                "system": System::QuickSilver.name(),
                "vole": correlations.name(),
                "auto_at_mbps": auto_at(correlations).collect::<Vec<_>>(),
                "bytes": bytes(estimate.total),
                "setup_bytes": bytes(estimate.setup),
            })
        };
        let of_garbling = |(system, estimate): (System, Estimate)| {
            json!({
                "system": system.name(),
                "vole": null,
                "auto_at_mbps": [],
                "bytes": bytes(estimate.total),
                "setup_bytes": bytes(estimate.setup),
            })
        };
        let estimates = estimates.into_iter().map(estimate).chain(garbled.into_iter().map(of_garbling));
        let estimates: Vec<_> = estimates.collect();
        let largest = largest(&clauses).map(|(mul, inputs)| json!({"mul": mul, "inputs": inputs}));
        return print::result(json!({
            "relation": typed.relation,
            "format": relation.format_name(),
            "field": S::name(),
            "states": states,
            "gates": {
                "mul": shape.mul,
                "add": shape.add,
                "scale": shape.scale,
                "constant": shape.constant,
                "assert": shape.assert,
            },
            "inputs": shape.inputs,
            "clauses": largest.is_some().then_some(clauses.len()),
            "largest_clause": largest,
            "depth": shape.depth,
            "polynomials": shape.polynomials,
            "degree": shape.degree,
            "matrix_products": shape.matrices,
            "ports": {"inputs": ports(relation.inputs()), "outputs": ports(relation.outputs())},
            "estimates": estimates,
            "limbo": simulated.map(|(link, file)| {
                let named = |bytes: [u64; 3]| {
                    let names = PREFERENCES.iter().map(|(name, _)| (*name).to_owned());
                    names.zip(bytes.map(Value::from)).collect::<Map<_, _>>()
                };
                json!({"link_bytes": named(link), "file_bytes": named(file)})
            }),
        }));
    }
    let ports = |ports: &[Port]| {
        let public = |port: &Port| if port.public { ", to be public" } else { "" };
        let port = |port: &Port| format!("{} ({}{})", port.name, things(port.width, unit), public(port));
        ports.iter().map(port).collect::<Vec<_>>().join(", ")
    };
    let outputs = match relation.outputs() {
        [] => "none, so that no statement can be made of it".into(),
        outputs => ports(outputs),
    };
    let mut gates =
        vec![(shape.mul, "multiplication"), (shape.add, "addition"), (shape.constant, "constant")];
    if shape.scale > 0 {
        gates.insert(2, (shape.scale, "scaling"));
    }
    let mut rows =
        vec![("relation", format!("{} ({})", typed.relation, relation.format_name())), ("field", S::name())];
    rows.extend(states.map(|states| ("states", states.to_owned())));
    rows.extend([
        ("inputs", ports(relation.inputs())),
        ("outputs", outputs),
        (
            "gates",
            gates.into_iter().map(|(count, thing)| things(count, thing)).collect::<Vec<_>>().join(", "),
        ),
        ("depth", things(shape.depth, "multiplication")),
    ]);
    if shape.polynomials > 0 {
        rows.push(("polynomials", format!("{}, of degree {} at most", shape.polynomials, shape.degree)));
    }
    if shape.matrices > 0 {
        rows.push(("matrices", things(shape.matrices, "product")));
    }
    if let Some((mul, inputs)) = largest(&clauses) {
        let (mul, inputs) = (things(mul, "multiplication"), things(inputs, "input"));
        rows.push((
            "clauses",
            format!("{}, each of up to {mul} and {inputs}", grouped(clauses.len() as u64)),
        ));
    }
    let least = estimates.iter().map(|(_, estimate)| estimate.total.sum()).min().unwrap_or(u64::MAX);
    for (correlations, estimate) in estimates {
        // A set-up that sends more than the whole proof would over others is no choice.
        if estimate.setup.sum() > 2 * least {
            continue;
        }
        let links: Vec<_> = auto_at(correlations).map(|mbps| mbps.to_string()).collect();
        let auto = match links.len() {
            0 => String::new(),
            all if all == LINKS.len() => " (auto)".into(),
            _ => format!(" (auto at {} Mbit/s)", links.join(", ")),
        };
        rows.push((
            "sends",
            format!(
                "{}B, and receives {}B: a {} prover by {correlations}{auto}, all inputs private",
                human(estimate.total.prover as f64),
                human(estimate.total.verifier as f64),
                System::QuickSilver,
            ),
        ));
    }
    let garbled = garbled.into_iter().map(|(system, estimate)| {
        let Estimate { total: Carried { prover, verifier }, .. } = estimate;
        let (sent, received) = (human(prover as f64), human(verifier as f64));
        ("sends", format!("{sent}B, and receives {received}B: a {system} prover, all inputs private"))
    });
    rows.extend(garbled);
    rows.extend(simulated.map(|(link, file)| {
        let [link, file] =
            [link, file].map(|bytes| bytes.map(|bytes| format!("{}B", human(bytes as f64))).join(", "));
        let names = PREFERENCES.map(|(name, _)| name).join(", ");
        ("limbo", format!("{link} over a link, or {file} in a file, by --prefer {names}; all inputs private"))
    }));
    print::result(table(&rows))
}

/// What the systems that garble send: a stack where there are clauses, and is not the same as JKO.
fn garbled<S: Stated>(shape: &Shape, clauses: &[Shape]) -> Vec<(System, Estimate)> {
    if S::F::NAME != BOOLEAN {
        return Vec::new();
    }
    let stack = (!clauses.is_empty()).then(|| (System::Stack, Estimate::stack(clauses, Seeds::default())));
    [(System::Jko, Estimate::jko(shape))].into_iter().chain(stack).collect()
}

/// The bytes of a proof of Limbo by each preference, at the security that is usual for `mode`; nothing where there is none.
fn simulated<S: Stated>(shape: &Shape, mode: Mode) -> Option<[u64; 3]> {
    let (demand, fields) = (S::Parties::demand(shape), S::Parties::check_fields());
    let security = LIMBO_SECURITY[usize::from(mode == Mode::File)];
    let bytes = PREFERENCES.map(|(_, preference)| {
        let wishes = Wishes { preference, ..Wishes::default() };
        let parameters = Parameters::choose(&demand, mode, security, &wishes, &fields);
        parameters.map_or(0, |parameters| parameters.proof_bytes(&demand))
    });
    bytes.iter().all(|bytes| *bytes > 0).then_some(bytes)
}

/// The most multiplications and the most inputs of a clause, where there are clauses.
fn largest(clauses: &[Shape]) -> Option<(u64, u64)> {
    let inputs = clauses.iter().map(Shape::inputs_by_gates).max()?;
    Some((clauses.iter().map(Shape::mul_by_gates).max()?, inputs))
}
