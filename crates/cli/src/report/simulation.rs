//! Reports of proofs by simulated parties.

use crate::print::{human, seconds, things};
use crate::settings::CHALLENGES;
use serde_json::{Map, Value, json};
use volery::zk::limbo::Challenges;
use volery::zk::limbo::parameters::CheckSize;
use volery::{Proof, Report};

/// The name of what the repetitions share.
fn challenges(of: Challenges) -> &'static str {
    CHALLENGES.iter().find(|(_, challenges)| *challenges == of).map_or("", |(name, _)| name)
}

/// How often parties are simulated, in words.
fn repeated(repetitions: u32) -> String {
    match repetitions {
        1 => "1 repetition".into(),
        many => format!("each of {many} repetitions"),
    }
}

/// The meaning of the bound for a false statement.
fn note(report: &Report, proof: &Proof) -> String {
    let bits = report.security.statistical;
    // A file is one message.
    match (report.traffic.rounds, proof.parameters.challenges) {
        (0, Challenges::Identical) => format!(
            "each hash of a prover's search leads to an accepted false proof with probability at most \
             2^-{bits}: the larger of guessing all hidden parties and of a bad challenge for any \
             repetition"
        ),
        (0, Challenges::Independent) => format!(
            "a search for an accepted false proof takes at least 2^{bits} hashes: the cheapest split of \
             the repetitions between bad challenges and guessed hidden parties (Kales and Zaverucha)"
        ),
        _ => format!(
            "a false statement is accepted with probability at most 2^-{bits}, for one attempt before the \
             verifier's coins: hidden parties guessed in all repetitions but those that bad challenges \
             save"
        ),
    }
}

/// Entries of the JSON object beside those of all systems.
pub(super) fn json(report: &Report, proof: &Proof) -> Map<String, Value> {
    let parameters = proof.parameters;
    let CheckSize { bits, .. } = parameters.field;
    let object = json!({
        "proof_bytes": proof.bytes,
        "repetitions": parameters.repetitions,
        "simulation": {
            "parties": parameters.parties,
            "compression": parameters.compression,
            "check_field_bits": bits,
            "repetitions": parameters.repetitions,
            "challenges": challenges(parameters.challenges),
            "compressions": proof.compressions,
        },
        "soundness_note": note(report, proof),
    });
    object.as_object().cloned().unwrap_or_default()
}

/// The work of prover and verifier, to be put behind something else.
pub(super) fn worked(work: [Option<f64>; 2]) -> String {
    let worked = ["prover", "verifier"].into_iter().zip(work);
    worked.filter_map(|(who, work)| Some(format!(", {who} {}", seconds(work?)))).collect()
}

/// The lines of the table.
pub(super) fn rows(report: &Report, proof: &Proof, work: [Option<f64>; 2]) -> Vec<(&'static str, String)> {
    let parameters = proof.parameters;
    vec![
        ("proof", format!("{}B{}", human(proof.bytes as f64), worked(work))),
        (
            "parties",
            format!(
                "{} in {}, a check over 2^{} by {} challenges, compressed {} by {}",
                parameters.parties,
                repeated(parameters.repetitions),
                parameters.field.bits,
                challenges(parameters.challenges),
                things(proof.compressions.into(), "time"),
                parameters.compression
            ),
        ),
        ("soundness", note(report, proof)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_repetition_is_one() {
        assert_eq!(repeated(1), "1 repetition");
        assert_eq!(repeated(22), "each of 22 repetitions");
    }
}
