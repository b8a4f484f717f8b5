//! Knowledge of all leaves of a Merkle tree.

use super::{Described, Ports, holes, numbers};
use crate::circuit::Backend;
use crate::circuit::gadget::{Compression, sha256_tree};
use crate::circuit::statement::Port;
use crate::error::{Error, Result};
use volery_primitives::F2;

/// Name with keys and defaults, and what it states.
pub(super) const LISTED: (&str, &str) = (
    "merkle-root?depth=8&holes=0",
    "the prover knows `leaves`, 2^`depth` of 64 bytes one after the other, whose Merkle tree has the root `root`; each \
     leaf and each pair of nodes is one compression of SHA-256, from its initial value and without padding",
);

/// The deepest tree: its leaves are 64 MiB.
const DEEPEST: u64 = 20;

/// Bytes of a leaf.
const LEAF: u64 = 64;

/// The statement.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::circuit::statement) struct MerkleRoot {
    depth: u32,
    /// Whether bits between words are polynomials, rather than gates.
    pub(super) holes: bool,
}

impl MerkleRoot {
    pub(super) fn parse(name: &str, parameters: &str) -> Result<Self> {
        let [depth, by_holes] = numbers(name, parameters, [("depth", 8), ("holes", 0)])?;
        if !(1..=DEEPEST).contains(&depth) {
            return Err(Error::invalid(format!(
                "builtin:{name} with depth={depth}: choose from 1 to {DEEPEST}"
            )));
        }
        Ok(Self { depth: depth as u32, holes: holes(name, by_holes)? })
    }

    /// Pushes the statement, with a compression function for `holes` as they are.
    pub(super) fn run<B: Backend<F = F2>, C: Compression<B>>(
        &self,
        b: &mut B,
        ports: &mut impl Ports<B>,
    ) -> Result<()> {
        let leaf = |b: &mut B, place| ports.bytes(b, 0, LEAF * place..LEAF * (place + 1));
        let root = sha256_tree::<B, C>(b, self.depth, leaf)?;
        ports.give(b, 0, root.number())
    }
}

impl Described for MerkleRoot {
    fn canonical(&self) -> String {
        let holes = if self.holes { "&holes=1" } else { "" };
        format!("merkle-root?depth={}{holes}", self.depth)
    }

    fn version(&self) -> u32 {
        1
    }

    fn ports(&self) -> (Vec<Port>, Vec<Port>) {
        (vec![Port::new("leaves", (8 * LEAF) << self.depth)], vec![Port::new("root", 256)])
    }
}
