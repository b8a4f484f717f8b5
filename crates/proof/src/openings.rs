//! The running digest that opens asserted wires as zero: of their MACs at the prover, and of their keys,
//! which are equal then, at the verifier.

use volery_primitives::Field;
use zeroize::Zeroizing;

/// The elements that are hashed at a time: enough of the hash's chunks for the widest instructions.
const AT_ONCE: usize = 1024;

/// The digest of one proof.
pub struct Openings(blake3::Hasher);

impl Openings {
    /// The openings of a system whose `context` is used for nothing else.
    pub fn new(context: &'static str) -> Self {
        Self(blake3::Hasher::new_derive_key(context))
    }

    /// Absorbs the MAC or key of the next wire.
    pub fn absorb<E: Field>(&mut self, element: &E) {
        self.0.update(&element.to_integer().to_bytes()[..E::DIGESTED]);
    }

    /// Absorbs the MACs or keys of the next wires, as one after the other, but faster.
    pub fn absorb_each<E: Field>(&mut self, elements: impl IntoIterator<Item = E>) {
        let mut some = Zeroizing::new(Vec::with_capacity(AT_ONCE * E::DIGESTED));
        for element in elements {
            some.extend_from_slice(&element.to_integer().to_bytes()[..E::DIGESTED]);
            if some.len() == AT_ONCE * E::DIGESTED {
                self.0.update(&some);
                some.clear();
            }
        }
        self.0.update(&some);
    }

    /// Absorbs the wires of `others`, by their digest: for who goes through some of a statement's wires elsewhere.
    pub fn absorb_all(&mut self, others: &Self) {
        self.0.update(&others.digest());
    }

    /// The digest of all wires so far.
    pub fn digest(&self) -> [u8; 32] {
        self.0.finalize().into()
    }
}
