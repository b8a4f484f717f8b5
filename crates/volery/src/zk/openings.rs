//! The running digest that opens asserted wires as zero: of their MACs at the prover, and of their keys,
//! which are equal then, at the verifier.

use volery_primitives::Field;

/// The digest of one proof.
pub(crate) struct Openings(blake3::Hasher);

impl Openings {
    /// The openings of a system whose `context` is used for nothing else.
    pub(crate) fn new(context: &'static str) -> Self {
        Self(blake3::Hasher::new_derive_key(context))
    }

    pub(crate) fn absorb<E: Field>(&mut self, element: &E) {
        self.0.update(&element.to_integer().to_bytes()[..E::DIGESTED]);
    }

    pub(crate) fn digest(&self) -> [u8; 32] {
        self.0.finalize().into()
    }
}
