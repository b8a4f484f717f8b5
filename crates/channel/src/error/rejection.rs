//! Why a proof is not believed.

use super::Misbehaviour;

/// The check that decided against the proof.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Rejection {
    /// The verifier alone knows why: it says so to the prover, and no more.
    #[error("the verifier did not accept")]
    ByVerifier,
    /// The prover broke the message format or a consistency check after a coin of the verifier, when it could
    /// foresee the verdict: no better than one that leaves then.
    #[error("after a coin the peer misbehaved: {0}")]
    MisbehavedAfterCoin(Misbehaviour),
    /// All checks have passed, but the verdict could not be recorded.
    #[error("the verdict was not recorded")]
    NotRecorded,
    /// A shard of a statement in shards was not accepted, or depends on others than those that count.
    #[error("not every shard of the statement was accepted")]
    Shards,
    /// A product of wires is wrong, or the check that it takes part in.
    #[error("the check of products failed")]
    Products,
    /// A product or a polynomial is wrong, for which one check stands.
    #[error("the check of products and polynomials failed")]
    ProductsAndPolynomials,
    /// Something else was opened than the assertions, the outputs of the circuit among them, demand.
    #[error("an asserted value is not what the statement demands")]
    Assertions,
    /// The answer is not the label of a true output, or was not committed to before the garbling was opened.
    #[error("the prover does not know what the garbled circuit gives for a true statement")]
    GarbledOutput,
    /// The opened views do not give what the prover committed to first, or their outputs are not zero.
    #[error("the parties did not run the circuit as was said first, or not on zeros")]
    Views,
    /// The opened views do not give what the prover said of the check of products.
    #[error("a product is wrong, or what was opened of it")]
    OpenedProducts,
    /// A correction of a value in a proof is encoded as no prover does.
    #[error("a correction is not in canonical form")]
    NonCanonicalCorrection,
    /// Another element of a field in a proof is encoded as no prover does.
    #[error("a field element is not in canonical form")]
    NonCanonicalElement,
    /// Bits follow the last correction of a segment.
    #[error("bits follow the end of the corrections")]
    BitsBehindCorrections,
    /// The file is no proof at all.
    #[error("the file does not begin as a proof of volery does")]
    NotAProof,
    /// A choice in the header of the file is encoded as no prover does.
    #[error("the header of the proof is not in canonical form")]
    NonCanonicalHeader,
    /// The label in the header of the file is longer than any may be.
    #[error("the label of the proof is too long")]
    LabelTooLong,
    /// The label in the header of the file is not UTF-8.
    #[error("the label of the proof is no text")]
    LabelNotText,
    /// The proof's opening is not the one that its last challenge, a hash of all that it says, asks for.
    #[error("the proof does not answer the challenge that follows from it")]
    LastChallenge,
    /// The file was cut.
    #[error("the proof ends too early")]
    EndsEarly,
    /// Something was added to the file.
    #[error("bytes follow the end of the proof")]
    BytesBehindProof,
}
