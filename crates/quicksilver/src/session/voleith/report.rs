//! Details of a file by VOLE in the head.

use crate::voleith::Parameters;
use std::time::Duration;
use volery_proof::report::text::{human, things, worked};
use volery_proof::report::{Details, Fact, Report};

/// A file by VOLE in the head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileProof {
    /// The parameters that it was made with.
    pub parameters: Parameters,
    /// All of it but the header.
    pub bytes: u64,
}

/// Words on what a bound says of a false statement.
fn note(report: &Report) -> String {
    let bits = report.security.statistical;
    format!(
        "each hash of a prover's search leads to an accepted false proof with probability at most 2^-{bits}: the \
         larger of a bad challenge to a batch and of the last one, which names the leaves that stay hidden"
    )
}

impl Details for FileProof {
    fn facts(&self, report: &Report) -> Vec<(&'static str, Fact)> {
        let Parameters { trees, bits, grinding } = self.parameters;
        let of_trees = vec![("trees", trees.into()), ("bits", bits.into()), ("grinding", grinding.into())];
        vec![
            ("proof_bytes", self.bytes.into()),
            ("trees", Fact::Group(of_trees)),
            ("soundness_note", note(report).into()),
        ]
    }

    fn lines(&self, report: &Report, work: [Option<Duration>; 2]) -> Vec<(&'static str, String)> {
        let Parameters { trees, bits, grinding } = self.parameters;
        let trees = things(trees.into(), "tree");
        vec![
            ("proof", format!("{}B{}", human(self.bytes as f64), worked(work))),
            ("trees", format!("{trees} over {bits} bits, and {grinding} bits ground")),
            ("soundness", note(report)),
        ]
    }

    /// All of the time: one who makes or reads a file waits for nobody.
    fn work(&self, report: &Report) -> Option<Duration> {
        Some(report.online)
    }
}
