//! The garbler's secret, and all that follows from it.

use volery_channel::channel::Channel;
use volery_channel::error::Result;
use volery_channel::random::Random;
use volery_primitives::F128;
use volery_primitives::arch::Arch;
use volery_primitives::hash::{Construction, Digest, GateHash};
use zeroize::{Zeroize, ZeroizeOnDrop};

/// The public parameters of a garbled circuit, which is a function of them, the circuit, its number and its
/// seed.
#[derive(Clone, Copy)]
pub struct Key {
    /// The instruction set of the kernels.
    pub arch: Arch,
    /// The hash of the gates.
    pub construction: Construction,
    /// The salt of gates and labels, which is public and fresh for each proof: what could be computed
    /// beforehand is of no use under it.
    pub salt: F128,
}

impl Key {
    /// The hash of the gates of circuit number `clause`.
    pub(super) fn hash(&self, clause: usize) -> GateHash {
        GateHash::new(self.arch, self.construction, self.salt, (clause as u128) << 40)
    }
}

/// The public terms of a proof, known to both parties before anything is garbled.
#[derive(Clone, Copy)]
pub struct Session {
    /// A digest of the statement, both nonces and the parameters.
    pub sid: [u8; 32],
    /// The instruction set of the kernels.
    pub arch: Arch,
    /// The hash of the gates.
    pub construction: Construction,
}

impl Session {
    /// The key of what is garbled under the `salt` that the garbler tells.
    pub fn key(&self, salt: F128) -> Key {
        Key { arch: self.arch, construction: self.construction, salt }
    }
}

/// 256 random bits of the garbler, fresh for each proof. Salt, seeds and the rest follow from them, so that a
/// party that learns them can garble again, and compare.
#[derive(Zeroize, ZeroizeOnDrop)]
pub struct Secret([u8; 32]);

impl Secret {
    /// A fresh secret.
    pub fn random(random: &mut Random) -> Self {
        Self(random.bytes())
    }

    fn derive(&self, session: &Session, what: &[u8], number: usize) -> F128 {
        let digest = Digest::new("volery garbling v1, of the secret");
        F128::from_bytes(digest.field(&self.0).field(&session.sid).field(what).number(number as u64).finish())
    }

    /// The salt of gates and labels, which is sent before the messages of the transfers.
    pub fn salt(&self, session: &Session) -> F128 {
        self.derive(session, b"salt", 0)
    }

    /// The seed of a circuit that is garbled alone, or of each clause where these are not
    /// the leaves of a tree.
    pub fn seed(&self, session: &Session, clause: usize) -> F128 {
        self.derive(session, b"seed", clause)
    }

    /// The root of the tree of seeds.
    pub fn root(&self, session: &Session) -> F128 {
        self.derive(session, b"root", 0)
    }

    /// The key of retrieval: the value sent in place of the seed of the clause that is not garbled. The
    /// papers' "proof of retrieval".
    pub fn retrieval(&self, session: &Session) -> F128 {
        self.derive(session, b"proof of retrieval", 0)
    }

    /// Reveals the secret to the peer.
    ///
    /// # Errors
    /// Link errors.
    pub fn send(&self, channel: &mut Channel) -> Result<()> {
        channel.send(&self.0)
    }

    /// Receives the secret that the peer reveals.
    ///
    /// # Errors
    /// Link errors.
    pub fn recv(channel: &mut Channel) -> Result<Self> {
        channel.recv_array().map(Self)
    }
}
