//! Details of a proof by simulated parties.

use crate::{Challenges, Parameters};
use std::time::Duration;
use volery_proof::report::text::{human, things, worked};
use volery_proof::report::{Details, Fact, Report};

/// A proof of parties in the prover's head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proof {
    /// The parameters that it was made with.
    pub parameters: Parameters,
    /// How often its claim was compressed.
    pub compressions: u32,
    /// All that the prover said, without handshake or header.
    pub bytes: u64,
    /// How long this party worked on it: a prover from its witness to its last message, a verifier from the
    /// first one that it does not only keep.
    pub work: Duration,
}

impl Proof {
    /// Words on what a bound says of a false statement.
    fn note(&self, report: &Report) -> String {
        let bits = report.security.statistical;
        // A file is one message.
        match (report.traffic.rounds, self.parameters.challenges) {
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
}

impl Details for Proof {
    fn facts(&self, report: &Report) -> Vec<(&'static str, Fact)> {
        let Parameters { parties, compression, field, repetitions, challenges } = self.parameters;
        let simulation = vec![
            ("parties", parties.into()),
            ("compression", compression.into()),
            ("check_field_bits", field.bits.into()),
            ("repetitions", repetitions.into()),
            ("challenges", challenges.name().into()),
            ("compressions", self.compressions.into()),
        ];
        vec![
            ("proof_bytes", self.bytes.into()),
            ("repetitions", repetitions.into()),
            ("simulation", Fact::Group(simulation)),
            ("soundness_note", self.note(report).into()),
        ]
    }

    fn lines(&self, report: &Report, work: [Option<Duration>; 2]) -> Vec<(&'static str, String)> {
        let Parameters { parties, compression, field, repetitions, challenges } = self.parameters;
        let (repeated, compressed) = (repeated(repetitions), things(self.compressions.into(), "time"));
        let parties = format!(
            "{parties} in {repeated}, a check over 2^{} by {} challenges, compressed {compressed} by {compression}",
            field.bits,
            challenges.name(),
        );
        vec![
            ("proof", format!("{}B{}", human(self.bytes as f64), worked(work))),
            ("parties", parties),
            ("soundness", self.note(report)),
        ]
    }

    fn work(&self, _: &Report) -> Option<Duration> {
        Some(self.work)
    }
}

/// How often parties are simulated, in words.
fn repeated(repetitions: u32) -> String {
    match repetitions {
        1 => "1 repetition".into(),
        many => format!("each of {many} repetitions"),
    }
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
