//! Misbehaviour of a peer, which an honest one never shows.

/// A breach of the message format or of a consistency check, by the peer. In words "it" is the peer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Misbehaviour {
    /// The first bytes are not those of volery: something else listens there, or connects.
    #[error("it does not speak volery's protocol")]
    NotVolery,
    /// The peer's hello is neither a prover's nor a verifier's.
    #[error("its first message names no role")]
    NoRole,
    /// The peer proposes correlations that this setting does not have, or no proposal at all.
    #[error("it proposes correlations that do not exist")]
    UnknownCorrelations,
    /// The peer proposes a number of lanes that no wave has.
    #[error("it proposes waves of a number of lanes that is no power of two from 64 to 65536")]
    Lanes,
    /// An element of a field in any message is encoded as no honest peer does.
    #[error("a field element is not in canonical form")]
    NonCanonicalElement,
    /// Bits follow the last one of a message of bits.
    #[error("there are more bits than it should send")]
    FurtherBits,
    /// A point of the base transfers is encoded as no honest peer does, or is none.
    #[error("a base OT point is not canonically encoded")]
    NonCanonicalPoint,
    /// A point of the base transfers is the identity, of which the keys are known to everybody.
    #[error("a base OT point is the identity")]
    IdentityPoint,
    /// The trees by which oblivious transfers begin are not what one honest peer grows.
    #[error("the check of its punctured trees failed")]
    PuncturedTrees,
    /// The rows by which oblivious transfers are extended do not belong to one string of choices.
    #[error("the check of its correlated transfers failed")]
    CorrelatedTransfers,
    /// The peer corrects its choice in transfers behind the last.
    #[error("it corrects transfers that do not exist")]
    UnknownTransfers,
    /// The correlations that others are extended from do not belong to one vector of values.
    #[error("the check of its base correlations failed")]
    BaseCorrelations,
    /// The verifier's trees of an extension are not what one honest verifier grows.
    #[error("the check of its trees failed")]
    Trees,
    /// The prover's noise in an extension is not what it said.
    #[error("the check of its noise failed")]
    Noise,
    /// The verifier's key in a shard is not that of the shards that wires come from, or one party has ends of
    /// wires that the other has not.
    #[error(
        "its end of the wires that come in from other shards is not what this side has, or its key is another"
    )]
    OtherKey,
    /// The link to the verifier ended while it had to show that its key is that of other shards. Nothing
    /// tells whether it could have.
    #[error("it went when it had to show that its key is that of the other shards")]
    KeyNotShown,
    /// The prover sends what is no query: a word that is none, or values that the relation has not.
    #[error("what it sends in the place of a query is none")]
    NoQuery,
    /// Corrections of shares that commit to nothing are not zero.
    #[error("it corrects shares that commit to nothing")]
    UnusedShares,
    /// The secret that a verifier opened is not the one that it garbled and transferred by.
    #[error("what it garbled is not what it says")]
    Garbling,
    /// A coin that a verifier opened is not the one that it was committed to.
    #[error("a coin is not the one that it was committed to")]
    Coin,
    /// The two sides do not have the same bytes at the end: the peer sent others than arrived here, or others
    /// arrived there. Somebody, or something, on the way changed them.
    #[error(
        "it has not sent, or not received, the same bytes as this side: somebody on the way changed them"
    )]
    OtherBytes,
    /// A message about a run in shards is malformed, or longer than any may be.
    #[error("it said something about shards that makes no sense")]
    MalformedWord,
    /// A message about a run in shards must not be sent at this point.
    #[error("it said something about shards out of turn")]
    OutOfTurn,
    /// Something followed the verdict.
    #[error("it sent something behind the end of the session, or somebody on the way did")]
    BytesBehindEnd,
    /// The verifier's last byte stands for no verdict.
    #[error("its verdict is neither yes nor no")]
    Verdict,
}
