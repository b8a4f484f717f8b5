//! `check`, `circuit info` and `circuit list`: what needs no peer.

mod traffic;

use crate::verbs::args::{Check, Eval, Info, List};
use crate::verbs::circom::{self, is_r1cs};
use crate::verbs::disjunction;
use crate::verbs::given::{claim, relation};
use crate::verbs::session::{CHECKING, COUNTING};
use crate::verbs::subject::BUILTIN;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use traffic::{InTheHead, Simulated, Traffic};
use volery::circuit::{FixedPoint, Port, R1cs, Relation, Shape, Values};
use volery_cli::failure::Result;
use volery_cli::fields::{self, ARITHMETIC, BOOLEAN, Field, has_bits};
use volery_cli::print::{self, grouped, hex, table, things};
use volery_cli::progress::Progress;
use volery_cli::settings::wait;
use volery_cli::values::Reader;

/// `volery check`.
pub(crate) fn check(typed: &Check) -> Result<()> {
    let public = &typed.public;
    let field =
        fields::of_relation(typed.field.as_deref(), public.relation.first(), public.format.as_deref())?;
    if disjunction::several(field, &typed.public) {
        let (digest, clauses, warnings) = disjunction::check(typed)?;
        return satisfied(typed, &digest, Some(clauses), warnings);
    }
    let claim = claim(field, &typed.public, &typed.private, Reader::waiting(wait(&typed.timeout)?))?;
    let announced = Progress::announce(CHECKING, false);
    claim.check()?;
    drop(announced);
    let statement = claim.statement();
    satisfied(typed, &statement.digest(), None, statement.warnings())
}

/// Prints that a statement holds, with the number of its clauses if it is that one of several holds, and what
/// is to be warned of.
fn satisfied(typed: &Check, digest: &[u8; 32], clauses: Option<u64>, warnings: Vec<String>) -> Result<()> {
    let digest = hex(digest);
    print::warn(&warnings);
    if typed.json {
        let mut object = json!({"satisfied": true, "statement": digest, "warnings": warnings});
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
    if is_r1cs(&typed.relation, typed.format.as_deref()) {
        let field = fields::of_relation(None, Some(&typed.relation), typed.format.as_deref())?;
        return circom::eval(field, typed);
    }
    circom::refuse_eval(typed)?;
    let relation = relation(Relation::open, &typed.relation, typed.format.as_deref())?;
    let mut inputs = Values::new();
    Reader::default().read(INPUT, &typed.input, &mut inputs)?;
    let announced = Progress::announce(CHECKING, false);
    let values = relation.evaluate(inputs)?;
    drop(announced);
    let outputs = relation.outputs().iter().zip(&values);
    if typed.json {
        let outputs = outputs.map(|(port, value)| (port.name.clone(), json!(value.to_number_hex())));
        return print::result(json!({"outputs": outputs.collect::<Map<_, _>>()}));
    }
    if values.is_empty() {
        return print::result("no outputs, and every assertion holds");
    }
    let lines = outputs.map(|(port, value)| format!("{}={}", port.name, value.to_number_hex()));
    print::result(lines.collect::<Vec<_>>().join("\n"))
}

/// `volery circuit list`.
pub(crate) fn list(typed: &List) -> Result<()> {
    let fields = match &typed.field {
        Some(name) => vec![fields::named(name)?],
        // All but the first have the same.
        None => vec![fields::named(BOOLEAN)?, fields::named(ARITHMETIC)?],
    };
    let of = |field: Field| field.builtins().iter().map(move |builtin| (field, builtin));
    let all = fields.into_iter().flat_map(of).map(|(field, (name, states))| {
        let over = if has_bits(field) { BOOLEAN } else { "larger fields" };
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

/// The description of the relation `spec`, where it needs no file.
fn states(field: Field, spec: &str) -> Option<&'static str> {
    let name = spec.strip_prefix(BUILTIN)?.split('?').next()?;
    let (_, states) = field.builtins().iter().find(|(known, _)| known.split('?').next() == Some(name))?;
    Some(states)
}

/// The ports that are shown, where nobody asks for JSON.
const LISTED: usize = 64;

/// `volery circuit info`.
pub(crate) fn info(typed: &Info) -> Result<()> {
    let field = fields::of_relation(typed.field.as_deref(), Some(&typed.relation), typed.format.as_deref())?;
    let r1cs = is_r1cs(&typed.relation, typed.format.as_deref());
    if let (false, Some(_)) = (r1cs, &typed.symbols) {
        return Err(circom::only_r1cs(circom::SYMBOLS));
    }
    let r1cs =
        r1cs.then(|| circom::with_symbols(circom::open(field, &typed.relation)?, typed.symbols.as_deref()));
    let r1cs = r1cs.transpose()?.map(Arc::new);
    let open = |spec: &str, format| field.open(spec, format);
    let relation = match &r1cs {
        Some(system) => field.r1cs(system.clone())?,
        None => relation(open, &typed.relation, typed.format.as_deref())?,
    };
    let states = states(field, &typed.relation);
    let announced = Progress::announce(COUNTING, false);
    let (shape, warnings) = relation.examine()?;
    let (clauses, of_two) = (relation.clauses()?, relation.estimate()?);
    drop(announced);
    print::warn(&warnings);
    // Gates with a public value are spared in any case: what is counted here has none.
    let in_file = relation.ands_in_file().map(|ands| (ands, ands.saturating_sub(shape.mul)));
    let over = field.name();
    let (over, all, simulated, in_the_head) = match of_two {
        // One system alone proves what is over two fields over a link, and one what files have of it over one.
        Some(estimate) => {
            let simulated = relation.examine_in_file()?.and_then(|shape| Simulated::in_file(field, &shape));
            (format!("{BOOLEAN} {over}"), vec![Traffic::of_two_fields(estimate)], simulated, None)
        }
        None => {
            let all = traffic::all(field, &shape, &clauses);
            (over, all, Simulated::of(field, &shape), InTheHead::of(field, &shape))
        }
    };
    let unit = |port: &Port| relation.unit_of(&port.name);
    // By their own names, which say nothing to whoever wrote the circuit.
    let signals: BTreeMap<String, String> = match &r1cs {
        Some(system) if system.has_symbols() => {
            system.plain_names().into_iter().zip(system.public_names()).collect()
        }
        _ => BTreeMap::new(),
    };
    if typed.json {
        let ports = |ports: &[Port]| -> Value {
            let widths = |port: &Port| format!("{}s", unit(port));
            let port = |port: &Port| {
                let mut object = json!({
                    "name": port.name,
                    widths(port): port.width,
                    "public": port.public,
                    "optional": port.optional,
                });
                if let Some(signal) = signals.get(&port.name) {
                    object["signal"] = signal.as_str().into();
                }
                if let Some(FixedPoint { exponent, shape, .. }) = &port.fixed_point {
                    (object["exponent"], object["shape"]) = ((*exponent).into(), shape.clone().into());
                }
                object
            };
            ports.iter().map(port).collect()
        };
        let largest = largest(&clauses).map(|(mul, inputs)| json!({"mul": mul, "inputs": inputs}));
        return print::result(json!({
            "relation": typed.relation,
            "format": relation.format_name(),
            "field": over,
            "states": states,
            "warnings": warnings,
            "gates": {
                "mul": shape.mul,
                "add": shape.add,
                "scale": shape.scale,
                "constant": shape.constant,
                "assert": shape.assert,
            },
            "ands_in_file": in_file.map(|(ands, _)| ands),
            "ands_saved": in_file.map(|(_, saved)| saved),
            "r1cs": r1cs.as_deref().map(of_r1cs),
            "inputs": shape.inputs,
            "clauses": largest.is_some().then_some(clauses.len()),
            "largest_clause": largest,
            "depth": shape.depth,
            "polynomials": shape.polynomials,
            "degree": shape.degree,
            "matrix_products": shape.matrices,
            "ports": {"inputs": ports(relation.inputs()), "outputs": ports(relation.outputs())},
            "estimates": all.iter().map(Traffic::json).collect::<Vec<_>>(),
            "limbo": simulated.map(|simulated| simulated.json()),
            "voleith": in_the_head.map(|file| file.json()),
        }));
    }
    let ports = |ports: &[Port]| {
        let public = |port: &Port| match port {
            Port { public: true, .. } => ", to be public",
            Port { optional: true, .. } => ", which nothing reads",
            _ => "",
        };
        let mut list = Vec::new();
        for steps in steps_of(ports) {
            let port = steps[0];
            let signal = signals.get(&port.name).map_or(String::new(), |name| format!("{name} is "));
            let mut width = things(port.width, unit(port));
            if let Some(FixedPoint { exponent, shape, .. }) = &port.fixed_point {
                width += &format!(", numbers of {shape:?} in steps of 2^{}", -exponent);
            }
            list.push(match steps[..] {
                [_, .., last] => {
                    format!("{} … {} ({width} each{})", port.name, last.name, public(port))
                }
                _ => format!("{signal}{} ({width}{})", port.name, public(port)),
            });
        }
        if list.len() > LISTED {
            let more = grouped((list.len() - LISTED) as u64);
            list.truncate(LISTED);
            list.push(format!("and {more} more, which --json lists"));
        }
        list.join(", ")
    };
    let outputs = match relation.outputs() {
        [] if shape.assert > 0 => "none: the relation asserts by itself".into(),
        [] => "none, so that no statement can be made of it".into(),
        outputs => ports(outputs),
    };
    let mut gates =
        vec![(shape.mul, "multiplication"), (shape.add, "addition"), (shape.constant, "constant")];
    if shape.scale > 0 {
        gates.insert(2, (shape.scale, "scaling"));
    }
    let mut rows =
        vec![("relation", format!("{} ({})", typed.relation, relation.format_name())), ("field", over)];
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
    if let Some((ands, saved)) = in_file {
        let saved = grouped(saved);
        rows.push(("recognised", format!("{} of the file, of which {saved} are saved", things(ands, "AND"))));
    }
    rows.extend(r1cs.as_deref().into_iter().flat_map(rows_of_r1cs));
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
    rows.extend(traffic::rows(&all));
    rows.extend(simulated.map(|simulated| simulated.row()));
    rows.extend(in_the_head.map(|file| file.row()));
    print::result(table(&rows))
}

/// The ports in their order, those of all steps of one together.
fn steps_of(ports: &[Port]) -> Vec<Vec<&Port>> {
    let mut steps: Vec<Vec<&Port>> = Vec::new();
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for port in ports {
        // What comes out in the last step has the name alone.
        let (base, step) = port.name.rsplit_once('@').unwrap_or((&port.name, ""));
        match places.get(base) {
            Some(place) => steps[*place].push(port),
            None => {
                if !step.is_empty() {
                    places.insert(base, steps.len());
                }
                steps.push(vec![port]);
            }
        }
    }
    steps
}

/// The JSON object of a constraint system: the number of its instances, and the numbers of one.
fn of_r1cs(system: &R1cs) -> Value {
    let shape = system.shape();
    json!({
        "prime": system.prime(),
        "instances": system.count(),
        "wires": shape.wires,
        "public_outputs": shape.outputs,
        "public_inputs": shape.inputs,
        "private_inputs": shape.private,
        "constraints": shape.constraints,
        "terms": shape.terms,
        "linear": shape.linear,
        "defined": shape.defined,
        "products": shape.products,
        "committed": shape.committed,
        "asserted": shape.asserted,
        "digest": hex(system.digest()),
    })
}

fn rows_of_r1cs(system: &R1cs) -> Vec<(&'static str, String)> {
    let shape = system.shape();
    let [constraints, linear, defined, products] =
        [shape.constraints, shape.linear, shape.defined, shape.products].map(grouped);
    let [committed, asserted] = [shape.committed, shape.asserted].map(grouped);
    let commits =
        format!("{committed} by themselves and {products} as products, of {}", things(shape.wires, "wire"));
    let count = system.count();
    let instances = (count > 1).then(|| ("instances", format!("{}, and of each of them:", grouped(count))));
    let of_one = [
        ("prime", system.prime()),
        (
            "constraints",
            format!("{constraints}, of which {linear} are linear; {}", things(shape.terms, "term")),
        ),
        ("wires", format!("committed to are {commits}; {defined} follow from linear constraints")),
        ("asserted", format!("{asserted} of the constraints")),
    ];
    instances.into_iter().chain(of_one).collect()
}

/// The most multiplications and the most inputs of a clause, where there are clauses.
fn largest(clauses: &[Shape]) -> Option<(u64, u64)> {
    let inputs = clauses.iter().map(Shape::inputs_by_gates).max()?;
    Some((clauses.iter().map(Shape::mul_by_gates).max()?, inputs))
}
