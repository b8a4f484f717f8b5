//! Knowledge of a message with a given SHA-256 digest.

use super::{Described, Ports, holes, numbers};
use crate::statement::Port;
use volery_channel::error::{Error, Result};
use volery_circuit::{Backend, Wires as _};
use volery_gadgets::gadget::{Compression, Hash, Sha256};
use volery_primitives::F2;

/// Name with keys and defaults, and what it states.
pub(super) const LISTED: (&str, &str) = (
    "sha256-preimage?length=55&holes=0",
    "the prover knows a message of `length` bytes whose SHA-256 digest is `digest`",
);

/// The longest message, in bytes: its 2^30 bits take 128 MiB as a witness.
const LONGEST: u64 = 1 << 27;

/// Bytes of a message that are read at once.
const PIECE: u64 = 64;

/// The statement.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::statement) struct Preimage {
    /// Bytes of the message.
    length: u64,
    /// Whether bits between words are polynomials, rather than gates.
    pub(super) holes: bool,
}

impl Preimage {
    pub(super) fn parse(name: &str, parameters: &str) -> Result<Self> {
        let [length, by_holes] = numbers(name, parameters, [("length", 55), ("holes", 0)])?;
        if length == 0 || length > LONGEST {
            return Err(Error::invalid(format!(
                "builtin:{name} with length={length}: choose from 1 to {LONGEST} bytes"
            )));
        }
        Ok(Self { length, holes: holes(name, by_holes)? })
    }

    /// Pushes the statement, with a compression function for `holes` as they are.
    pub(super) fn run<B: Backend<F = F2>, C: Compression<B>>(
        &self,
        b: &mut B,
        ports: &mut impl Ports<B>,
    ) -> Result<()> {
        let mut sha = Sha256::<_, C>::default();
        let mut read = 0;
        while read < self.length {
            let end = self.length.min(read + PIECE);
            let before = sha.wires();
            sha = b.scope(|b| {
                let piece = ports.bytes(b, 0, read..end)?;
                sha.update(b, &piece)?;
                Ok(sha)
            })?;
            if end < self.length {
                b.forget(&before);
            }
            read = end;
        }
        let digest = sha.finish(b)?;
        ports.give(b, 0, digest.number())
    }
}

impl Described for Preimage {
    fn canonical(&self) -> String {
        let holes = if self.holes { "&holes=1" } else { "" };
        format!("sha256-preimage?length={}{holes}", self.length)
    }

    fn version(&self) -> u32 {
        1
    }

    fn ports(&self) -> (Vec<Port>, Vec<Port>) {
        (vec![Port::new("message", 8 * self.length)], vec![Port::new("digest", 256)])
    }
}
