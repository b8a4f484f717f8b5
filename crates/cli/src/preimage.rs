//! The statement of `demo` and `bench sha256`: knowledge of a random message with a given SHA-256 digest.

use crate::failure::Result;
use sha2::{Digest, Sha256};
use volery::circuit::{Relation, Repeat, Statement, Value, Values, Witness};
use volery::random::Random;
use zeroize::Zeroizing;

/// Bytes of the message: the longest that fits one block.
pub const LENGTH: usize = 55;

/// A statement about a fresh random message, which nobody else knows.
pub struct Preimage {
    /// The statement, which both parties know.
    pub statement: Statement,
    /// The witness, which the prover knows.
    pub witness: Witness,
    /// The digest of the message.
    pub digest: [u8; 32],
}

impl Preimage {
    /// A preimage of bytes of the system's randomness.
    ///
    /// # Errors
    /// Where the system gives none.
    pub fn random() -> Result<Self> {
        Self::of(LENGTH as u64, false)
    }

    /// Preimages of so many messages, each of [`LENGTH`] bytes: the statement, and its witness.
    ///
    /// # Errors
    /// Where there is no such statement, or the system gives no randomness.
    pub fn several(count: Repeat) -> Result<(Statement, Witness)> {
        let spec = count.named(&format!("builtin:sha256-preimage?length={LENGTH}"));
        let relation = Relation::open(&spec, None)?;
        let messages = random_bytes(LENGTH * count.instances as usize)?;
        let digests = messages.chunks(LENGTH).flat_map(Sha256::digest).collect::<Vec<_>>();
        let (mut public, mut private) = (Values::new(), Values::new());
        public.insert("digest", Value::from_bytes(&digests))?;
        private.insert("message", Value::from_bytes(&messages))?;
        let statement = Statement::new(relation, public)?;
        let witness = statement.witness(private)?;
        Ok((statement, witness))
    }

    /// A preimage of `length` bytes of the system's randomness, stated by polynomials in the place of gates,
    /// or without.
    ///
    /// # Errors
    /// Where the system gives none, or there is no such statement.
    pub fn of(length: u64, holes: bool) -> Result<Self> {
        let spec = format!("builtin:sha256-preimage?length={length}&holes={}", u8::from(holes));
        let relation = Relation::open(&spec, None)?;
        let message = random_bytes(length as usize)?;
        let digest: [u8; 32] = Sha256::digest(message.as_slice()).into();
        let (mut public, mut private) = (Values::new(), Values::new());
        public.insert("digest", Value::from_bytes(&digest))?;
        private.insert("message", Value::from_bytes(message.as_slice()))?;
        let statement = Statement::new(relation, public)?;
        let witness = statement.witness(private)?;
        Ok(Self { statement, witness, digest })
    }
}

/// Bytes of the system's randomness.
///
/// # Errors
/// Where the system has none.
pub fn random_bytes(length: usize) -> Result<Zeroizing<Vec<u8>>> {
    let (mut bytes, mut random) = (Zeroizing::new(vec![0; length]), Random::from_system()?);
    bytes.iter_mut().for_each(|byte| *byte = random.bytes::<1>()[0]);
    Ok(bytes)
}
