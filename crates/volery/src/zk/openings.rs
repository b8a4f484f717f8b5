//! The running digest of the MACs, or keys, of wires that are asserted to be zero, and whose
//! keys are their MACs.

use volery_primitives::Field;

/// One proof's digest.
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
