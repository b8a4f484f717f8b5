//! Knowledge of all leaves of a Merkle tree.

use super::{Described, Ports, holes, numbers};
use crate::statement::Port;
use crate::statement::split::{Part, Split, no_shards, piece};
use volery_channel::error::{Error, Result};
use volery_circuit::port::{LANES, check_lanes};
use volery_circuit::{Backend, Need};
use volery_gadgets::gadget::{
    Bit, Bytes, Compression, TREE_LANES, Word, merkle_root, sha256_node, sha256_tree_in_lanes,
};
use volery_primitives::F2;

/// Name with keys and defaults, and what it states.
pub(super) const LISTED: (&str, &str) = (
    "merkle-root?depth=8&holes=0&lanes=512",
    "the prover knows `leaves`, 2^`depth` of 64 bytes one after the other, whose Merkle tree has the root `root`; each \
     leaf and each pair of nodes is one compression of SHA-256, from its initial value and without padding; `lanes` leaves are hashed together, for devices some thousands",
);

/// The deepest tree: its leaves are 64 MiB.
const DEEPEST: u64 = 20;

/// Bytes of a leaf.
const LEAF: u64 = 64;

/// Bits of a node.
const ROOT: u64 = 256;
/// Levels of blocks beyond one for each shard, where these are no power of two.
const SPARE: u32 = 3;

/// The statement.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::statement) struct MerkleRoot {
    depth: u32,
    /// Leaves that are hashed together.
    lanes: u64,
    /// Whether bits between words are polynomials, rather than gates.
    pub(super) holes: bool,
}

impl MerkleRoot {
    pub(super) fn parse(name: &str, parameters: &str) -> Result<Self> {
        let [depth, by_holes, lanes] =
            numbers(name, parameters, [("depth", 8), ("holes", 0), (LANES, TREE_LANES)])?;
        if !(1..=DEEPEST).contains(&depth) {
            return Err(Error::invalid(format!(
                "builtin:{name} with depth={depth}: choose from 1 to {DEEPEST}"
            )));
        }
        check_lanes(&format!("builtin:{name}"), lanes)?;
        Ok(Self { depth: depth as u32, lanes, holes: holes(name, by_holes)? })
    }

    /// Pushes the statement, with a compression function for `holes` as they are.
    pub(super) fn run<B: Backend<F = F2>, C: Compression<B>>(
        &self,
        b: &mut B,
        ports: &mut impl Ports<B>,
    ) -> Result<()> {
        let leaf = |b: &mut B, place| ports.bytes(b, 0, LEAF * place..LEAF * (place + 1));
        let root = sha256_tree_in_lanes::<B, C>(b, self.depth, self.lanes, leaf)?;
        ports.give(b, 0, root.number())
    }
}

/// The tree in `shards` shards, two or more: all but the last hash leaves, and the last what is above. Blocks
/// are subtrees of as many leaves each, whose roots cross.
impl MerkleRoot {
    /// The depth of the tree above the blocks, of which there are some for each shard that hashes leaves, so
    /// that these have about as many.
    fn above(&self, shards: usize) -> Result<u32> {
        let parts = shards as u64 - 1;
        let leaves = 1_u64 << self.depth;
        if parts > leaves {
            let name = format!("builtin:{}", self.canonical());
            let why = format!("it has {leaves} leaves, and one shard is for what is above them");
            return Err(no_shards(&name, shards, &why));
        }
        let least = parts.next_power_of_two().ilog2();
        Ok(if parts.is_power_of_two() { least } else { (least + SPARE).min(self.depth) })
    }

    pub(super) fn split(&self, shards: usize) -> Result<Split> {
        let (above, parts) = (self.above(shards)?, shards as u64 - 1);
        let block = (8 * LEAF) << (self.depth - above);
        let hashing = (0..parts).map(|part| {
            let blocks = piece(1 << above, parts, part);
            let outgoing = (ROOT * (blocks.end - blocks.start)) as usize;
            Part { needs: vec![], outgoing, reads: vec![(0, block * blocks.start..block * blocks.end)] }
        });
        let mut all: Vec<Part> = hashing.collect();
        let roots = |(from, part): (usize, &Part)| Need { from, wires: 0..part.outgoing };
        let needs = all.iter().enumerate().map(roots).collect();
        all.push(Part { needs, ..Part::default() });
        Ok(Split::of(all))
    }

    /// Pushes a shard: the roots of its blocks go out, or come in.
    pub(super) fn run_shard<B: Backend<F = F2>, C: Compression<B>>(
        &self,
        (shards, shard): (usize, usize),
        b: &mut B,
        ports: &mut impl Ports<B>,
        incoming: &[B::Wire],
    ) -> Result<Vec<B::Wire>> {
        let above = self.above(shards)?;
        let below = self.depth - above;
        if shard + 1 == shards {
            let (roots, _) = incoming.as_chunks::<{ ROOT as usize }>();
            let root = merkle_root(
                b,
                above,
                |_, place| {
                    let (bytes, _) = roots[place as usize].as_chunks::<8>();
                    Ok(bytes.iter().map(|byte| Word::new(byte.map(Bit::Wire))).collect::<Bytes<_>>())
                },
                |b, left, right| sha256_node::<B, C>(b, &left.concat(right)),
            )?;
            ports.give(b, 0, root.number())?;
            return Ok(Vec::new());
        }
        let mut outgoing = Vec::new();
        for block in piece(1 << above, shards as u64 - 1, shard as u64) {
            b.open_scope();
            let first = block << below;
            let leaf = |b: &mut B, place| {
                let at = LEAF * (first + place);
                ports.bytes(b, 0, at..at + LEAF)
            };
            let root = sha256_tree_in_lanes::<B, C>(b, below, self.lanes, leaf)?;
            let wires: Vec<_> = root.iter().flat_map(|byte| *byte.bits()).map(|bit| bit.wire(b)).collect();
            b.close_scope(&wires);
            outgoing.extend(wires);
        }
        Ok(outgoing)
    }
}

impl Described for MerkleRoot {
    fn canonical(&self) -> String {
        let holes = if self.holes { "&holes=1" } else { "" };
        let lanes = if self.lanes == TREE_LANES { String::new() } else { format!("&{LANES}={}", self.lanes) };
        format!("merkle-root?depth={}{holes}{lanes}", self.depth)
    }

    fn version(&self) -> u32 {
        4
    }

    fn ports(&self) -> (Vec<Port>, Vec<Port>) {
        (vec![Port::new("leaves", (8 * LEAF) << self.depth)], vec![Port::new("root", 256)])
    }
}
