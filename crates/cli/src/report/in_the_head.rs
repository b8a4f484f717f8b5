//! Reports of files by VOLE in the head.

use super::simulation::worked;
use crate::print::{human, things};
use serde_json::{Map, Value, json};
use volery::{FileProof, Report};

/// The meaning of the bound for a false statement.
fn note(report: &Report) -> String {
    let bits = report.security.statistical;
    format!(
        "each hash of a prover's search leads to an accepted false proof with probability at most 2^-{bits}: the \
         larger of a bad challenge to a batch and of the last one, which names the leaves that stay hidden"
    )
}

/// Entries of the JSON object beside those of all systems.
pub(super) fn json(report: &Report, file: &FileProof) -> Map<String, Value> {
    let parameters = file.parameters;
    let object = json!({
        "proof_bytes": file.bytes,
        "trees": {
            "trees": parameters.trees,
            "bits": parameters.bits,
            "grinding": parameters.grinding,
        },
        "soundness_note": note(report),
    });
    object.as_object().cloned().unwrap_or_default()
}

/// The lines of the table.
pub(super) fn rows(report: &Report, file: &FileProof, work: [Option<f64>; 2]) -> Vec<(&'static str, String)> {
    let parameters = file.parameters;
    let trees = things(parameters.trees.into(), "tree");
    vec![
        ("proof", format!("{}B{}", human(file.bytes as f64), worked(work))),
        ("trees", format!("{trees} over {} bits, and {} bits ground", parameters.bits, parameters.grinding)),
        ("soundness", note(report)),
    ]
}
