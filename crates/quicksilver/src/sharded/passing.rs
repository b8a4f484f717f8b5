//! Shards on their way through a backend.

use crate::crossing::{Ends, Outgoing};
use volery_primitives::Tagged;
use volery_proof::setting::Setting;
use volery_vole::macs::Values;

/// The ends of wires that cross between shards over `S`, as a prover holds them.
pub type ProverEnds<S> = Ends<<MacsOf<S> as Values>::Tag, Tagged<ExtensionOf<S>, ExtensionOf<S>>>;

/// The ends of wires that cross between shards over `S`, as a verifier holds them.
pub type VerifierEnds<S> = Ends<ExtensionOf<S>, ExtensionOf<S>>;

type MacsOf<S> = <S as Setting>::Macs;
type ExtensionOf<S> = <MacsOf<S> as Values>::E;

/// A shard on its way through a prover or a verifier.
pub struct Passing<E> {
    /// The wires that come in.
    pub incoming: E,
    /// How much goes out.
    pub outgoing: Outgoing,
    /// The number of the attempt.
    pub attempt: u32,
}
