//! Disagreements of two parties, or of a party and a proof file.

use super::{Error, Result};
use core::fmt::{self, Display};

/// A disagreement of the two sides, with what each of them has. In words it follows "the two sides disagree
/// on the".
///
/// Text of the other side is printable: its bytes are escaped.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Disagreement {
    /// The version of the protocol.
    #[error("protocol version: {0}")]
    ProtocolVersion(Sides<u32>),
    /// The roles: both are the same party.
    #[error("roles: here {both}, there {both}")]
    Roles {
        /// The party that both are, `prover` or `verifier`.
        both: &'static str,
    },
    /// The kind of the other end: a service, which is asked for a statement by its name before a proof
    /// begins.
    #[error(
        "way to begin: here with a proof, there is a service that is first asked for a statement by name"
    )]
    Service,
    /// The proof system, by name.
    #[error("system: {0}")]
    System(Sides<String>),
    /// The field of the statement, with the extension of its MACs, by name.
    #[error("field: {0}")]
    Field(Sides<String>),
    /// The digest of the statement: of the relation and its public values.
    #[error("statement (the relation, or a public value): here {}, there {}", hex(&.0.ours), hex(&.0.theirs))]
    Statement(Sides<[u8; 32]>),
    /// The digest of a shard: of the run, its number and attempt, the whole statement and what crosses.
    #[error(
        "shard (the run, its number, the attempt, the statement, or what it takes of others): here {}, there {}",
        hex(&.0.ours), hex(&.0.theirs)
    )]
    Shard(Sides<[u8; 32]>),
    /// The shares that the statement takes, by which both sides choose the correlations.
    #[error("size of the statement: {0}")]
    Shares(Sides<u64>),
    /// The number of attempts at shards that may be lost.
    #[error("run in shards: {0}")]
    InShards(Sides<String>),
    /// The degree of its polynomials, which says how many shares mask their check.
    #[error("degree of the statement: {0}")]
    Degree(Sides<u64>),
    /// The correlations that each side insists on, by name.
    #[error("correlations: {0}")]
    Correlations(Sides<&'static str>),
    /// The correlations over each field of a statement over two, by name.
    #[error("correlations over each field: {0}")]
    OfTwoFields(Sides<String>),
    /// How products are checked in blocks: the kind of check, the length of blocks, the security, and whether
    /// by coins.
    #[error("check of products: {0}")]
    Checking(Sides<String>),
    /// The hash of the gates, and how the seeds of a stack are transferred.
    #[error("way of garbling: {0}")]
    Garbling(Sides<String>),
    /// How parties are simulated, and how many, as the wishes of each side determine it.
    #[error("parameters of the simulation: {0}")]
    Simulation(Sides<String>),
    /// The version of the file's format.
    #[error("version of proof files: {}", .0.of_file())]
    FileVersion(Sides<u32>),
    /// The field that the file is a proof over, with its extension, by name.
    #[error("field of the proof: {}", .0.of_file())]
    FileField(Sides<String>),
    /// The words of the file about its statement, cut where they are long.
    #[error("label of the proof: {}", .0.of_file())]
    FileLabel(Sides<String>),
    /// The digest of the statement that the file is a proof of.
    #[error(
        "statement of the proof (the relation, or a public value): here {}, in the file {}",
        hex(&.0.ours), hex(&.0.theirs)
    )]
    FileStatement(Sides<[u8; 32]>),
    /// The size of the statement, although its digest is the same: somebody named a statement wrongly.
    #[error(
        "size of the statement: here {} inputs and {} multiplications, in the file {} inputs and {} \
         multiplications",
        .inputs.ours, .products.ours, .inputs.theirs, .products.theirs
    )]
    FileSize {
        /// The inputs of the statement.
        inputs: Sides<u64>,
        /// The multiplications of the statement, sums of products counted gate by gate.
        products: Sides<u64>,
    },
    /// The number of committed bits and the highest degree, although the digest of the statement is the same.
    #[error(
        "size of the statement: here {} committed bits and degree {}, in the file {} committed bits and degree {}",
        .commitments.ours, .degree.ours, .commitments.theirs, .degree.theirs
    )]
    FileCommitments {
        /// The bits that the prover commits to.
        commitments: Sides<u64>,
        /// The highest degree of what is asserted.
        degree: Sides<u64>,
    },
    /// The parameters of the proof.
    #[error("parameters of the proof: here at least {security} bits of security, in the file {why}")]
    FileParameters {
        /// The security that is asked for here, in bits.
        security: u32,
        /// The security of the file, in bits, where it is enough for somebody.
        worth: Option<u32>,
        /// Why the parameters of the file do not do, in words.
        why: String,
    },
    /// The work or the memory that the parameters of the file ask of a verifier.
    #[error(
        "work of the proof: here at most {most} times what is done by default, in the file parameters that \
         take {times} times as much work or memory"
    )]
    FileWork {
        /// The ratio to a proof whose parameters are chosen by default, rounded up.
        times: u64,
        /// The most that is allowed here.
        most: u32,
    },
}

/// The values of the two sides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sides<T> {
    /// The value of this side.
    pub ours: T,
    /// The value of the peer, or of the file.
    pub theirs: T,
}

impl<T: PartialEq> Sides<T> {
    /// Demands that both sides have the same value.
    ///
    /// # Errors
    /// The `disagreement` where they do not.
    pub fn agree(self, disagreement: impl FnOnce(Self) -> Disagreement) -> Result<()> {
        if self.ours == self.theirs { Ok(()) } else { Err(Error::Disagreed(disagreement(self))) }
    }
}

impl<T: Display> Display for Sides<T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "here {}, there {}", self.ours, self.theirs)
    }
}

impl<T: Display> Sides<T> {
    /// The two sides in words, where the other one is a file.
    fn of_file(&self) -> String {
        format!("here {}, in the file {}", self.ours, self.theirs)
    }
}

/// Lower-case hexadecimal digits of `bytes`.
fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_are_in_the_words() {
        let digests = Sides { ours: [0xab; 32], theirs: [5; 32] };
        let (ours, theirs) = ("ab".repeat(32), "05".repeat(32));
        assert_eq!(
            Disagreement::Statement(digests).to_string(),
            format!("statement (the relation, or a public value): here {ours}, there {theirs}")
        );
        assert_eq!(
            Disagreement::FileStatement(digests).to_string(),
            format!(
                "statement of the proof (the relation, or a public value): here {ours}, in the file {theirs}"
            )
        );
        let (inputs, products) = (Sides { ours: 1, theirs: 2 }, Sides { ours: 3, theirs: 4 });
        assert_eq!(
            Error::Disagreed(Disagreement::FileSize { inputs, products }).to_string(),
            "the two sides disagree on the size of the statement: here 1 inputs and 3 multiplications, in \
             the file 2 inputs and 4 multiplications"
        );
    }

    #[test]
    fn who_agrees_goes_on() {
        assert!(Sides { ours: 7, theirs: 7 }.agree(Disagreement::Shares).is_ok());
        let sides = Sides { ours: 7, theirs: 8 };
        let refused = sides.agree(Disagreement::Shares);
        assert!(matches!(refused, Err(Error::Disagreed(Disagreement::Shares(said))) if said == sides));
    }
}
