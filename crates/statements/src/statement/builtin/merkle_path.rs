//! Knowledge of a leaf of a Merkle tree, and not which.

use super::{Described, Ports, check_range, holes, in_turn, numbers};
use crate::statement::Port;
use volery_channel::error::Result;
use volery_circuit::Backend;
use volery_gadgets::gadget::{Bit, Compression, merkle_path, sha256_node};
use volery_primitives::F2;

/// Name with keys and defaults, and what it states.
pub(super) const LISTED: (&str, &str) = (
    "merkle-path?depth=20&holes=0",
    "the prover knows a `leaf` of 64 bytes that is in the Merkle tree of 2^`depth` leaves with the root `root`, made \
     as that of merkle-root, but not where: at `place`, with `siblings` beside its way, 32 bytes each, from the lowest",
);

/// The deepest tree: the place stays a small input.
const DEEPEST: u64 = 64;

/// Bytes of a leaf, and of a node.
const LEAF: u64 = 64;
const NODE: u64 = 32;

/// The statement.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::statement) struct MerklePath {
    depth: u64,
    /// Whether bits between words are polynomials, rather than gates.
    pub(super) holes: bool,
}

impl MerklePath {
    pub(super) fn parse(name: &str, parameters: &str) -> Result<Self> {
        let [depth, by_holes] = numbers(name, parameters, [("depth", 20), ("holes", 0)])?;
        check_range(name, "depth", depth, 1..=DEEPEST)?;
        Ok(Self { depth, holes: holes(name, by_holes)? })
    }

    /// Pushes the statement, with a compression function for `holes` as they are.
    pub(super) fn run<B: Backend<F = F2>, C: Compression<B>>(
        &self,
        b: &mut B,
        ports: &mut impl Ports<B>,
    ) -> Result<()> {
        let leaf = ports.bytes(b, 0, 0..LEAF)?;
        let mut place = vec![Bit::Public(false); self.depth as usize];
        for level in in_turn(self.depth) {
            place[level as usize] = ports.input(b, 1, level)?;
        }
        let siblings = (0..self.depth).map(|i| ports.bytes(b, 2, NODE * i..NODE * (i + 1)));
        let siblings = siblings.collect::<Result<Vec<_>>>()?;
        let leaf = sha256_node::<B, C>(b, &leaf)?;
        let root = merkle_path(b, leaf, &siblings, &place, |b, left, right| {
            sha256_node::<B, C>(b, &left.concat(right))
        })?;
        ports.give(b, 0, root.number())
    }
}

impl Described for MerklePath {
    fn canonical(&self) -> String {
        let holes = if self.holes { "&holes=1" } else { "" };
        format!("merkle-path?depth={}{holes}", self.depth)
    }

    fn version(&self) -> u32 {
        1
    }

    fn ports(&self) -> (Vec<Port>, Vec<Port>) {
        let inputs = vec![
            Port::new("leaf", 8 * LEAF),
            Port::new("place", self.depth),
            Port::new("siblings", 8 * NODE * self.depth),
        ];
        (inputs, vec![Port::public("root", 256)])
    }
}

#[cfg(test)]
mod tests {
    use crate::statement::builtin::trial::{Trial, changed};

    const INITIAL: [u32; 8] = [
        0x6a09_e667,
        0xbb67_ae85,
        0x3c6e_f372,
        0xa54f_f53a,
        0x510e_527f,
        0x9b05_688c,
        0x1f83_d9ab,
        0x5be0_cd19,
    ];

    /// A node by an outside implementation.
    fn node(block: &[u8]) -> Vec<u8> {
        let mut state = INITIAL;
        sha2::block_api::compress256(&mut state, &[block.try_into().unwrap()]);
        state.map(u32::to_be_bytes).as_flattened().to_vec()
    }

    #[test]
    fn leaves_at_all_places() {
        let leaves: Vec<Vec<u8>> = (0..4).map(|i| (0..64).map(|byte| byte ^ (i << 5)).collect()).collect();
        let nodes: Vec<_> = leaves.iter().map(|leaf| node(leaf)).collect();
        let pairs = [[0, 1], [2, 3]].map(|[a, b]| node(&[&nodes[a][..], &nodes[b]].concat()));
        let root = node(&pairs.concat());
        for holes in ["", "&holes=1"] {
            for place in 0..4_usize {
                let siblings = [&nodes[place ^ 1][..], &pairs[(place / 2) ^ 1]].concat();
                let bits = format!("0b{}{}", place & 1, place >> 1);
                let trial = Trial::new(&format!("merkle-path?depth=2{holes}"))
                    .with("leaf", &leaves[place])
                    .with_bits("place", &bits)
                    .with("siblings", &siblings)
                    .with("root", &root);
                trial.run().unwrap();
                let turned = format!("0b{}{}", place & 1 ^ 1, place >> 1);
                trial.clone().with_bits("place", &turned).refuse("root");
                trial.clone().with("siblings", &changed(&siblings, 40)).refuse("root");
                trial.with("leaf", &changed(&leaves[place], 63)).refuse("root");
            }
        }
    }
}
