//! `check` and `circuit info`: what needs no peer.

use crate::args::{Check, Info};
use crate::estimate;
use crate::failure::Result;
use crate::parties::{Bits, by_size};
use crate::print::{self, grouped, hex, human};
use crate::report::table;
use crate::settings::{claim, relation};
use serde_json::{Value, json};
use volery::circuit::Port;
use volery::{Correlations, SYSTEM};

/// `volery check`.
pub(crate) fn check(typed: &Check) -> Result<()> {
    let (statement, witness) = claim(&typed.public, &typed.private)?;
    volery::check(&statement, Bits(&witness))?;
    let digest = hex(&statement.digest());
    if typed.json {
        print::result(json!({"satisfied": true, "statement": digest}))
    } else {
        print::result(table(&[("satisfied", "every assertion holds".into()), ("statement", digest)]))
    }
}

/// `volery circuit info`.
pub(crate) fn info(typed: &Info) -> Result<()> {
    let relation = relation(&typed.relation, typed.format.as_deref())?;
    let shape = relation.shape()?;
    let commitments = shape.inputs + shape.mul;
    let auto = by_size(&shape);
    let sizes = Correlations::ALL
        .map(|correlations| (correlations, estimate::quicksilver(commitments, correlations)));
    if typed.json {
        let ports = |ports: &[Port]| -> Value {
            ports.iter().map(|port| json!({"name": port.name, "bits": port.width})).collect()
        };
        let estimates = sizes.map(|(correlations, bytes)| {
            json!({
                "system": SYSTEM,
                "vole": correlations.name(),
                "auto": correlations == auto,
                "bytes": {"sent": bytes.prover, "received": bytes.verifier},
            })
        });
        return print::result(json!({
            "relation": typed.relation,
            "format": relation.format_name(),
            "gates": {
                "mul": shape.mul,
                "add": shape.add,
                "scale": shape.scale,
                "constant": shape.constant,
                "assert": shape.assert,
            },
            "inputs": shape.inputs,
            "depth": shape.depth,
            "ports": {"inputs": ports(relation.inputs()), "outputs": ports(relation.outputs())},
            "estimates": estimates,
        }));
    }
    let ports = |ports: &[Port]| {
        let ports: Vec<_> = ports.iter().map(|port| format!("{} ({} bits)", port.name, port.width)).collect();
        ports.join(", ")
    };
    let mut rows = vec![
        ("relation", format!("{} ({})", typed.relation, relation.format_name())),
        ("inputs", ports(relation.inputs())),
        ("outputs", ports(relation.outputs())),
        (
            "gates",
            format!(
                "{} multiplications, {} additions, {} constants",
                grouped(shape.mul),
                grouped(shape.add),
                grouped(shape.constant)
            ),
        ),
        ("depth", format!("{} multiplications", grouped(shape.depth))),
    ];
    for (correlations, bytes) in sizes {
        rows.push((
            "sends",
            format!(
                "{}B, and receives {}B: a {SYSTEM} prover by {correlations}{}, all inputs private",
                human(bytes.prover as f64),
                human(bytes.verifier as f64),
                if correlations == auto { " (auto)" } else { "" }
            ),
        ));
    }
    print::result(table(&rows))
}
