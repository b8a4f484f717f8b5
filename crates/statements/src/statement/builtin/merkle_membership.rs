//! Membership in one of three Merkle trees, which use different hash functions, without saying in which: the
//! example of section 6.1 of the paper on stacked garbling (Heath and Kolesnikov, "Stacked Garbling for
//! Disjunctive Zero-Knowledge Proofs", 2020).
//!
//! **Proved.** The prover knows a record of 64 bytes that is a leaf of at least one of three trees of 2^depth
//! leaves, whose roots are public; and `response` is the AES-128 ciphertext of `challenge` under the last 16
//! bytes of this record, so that whoever hands out challenges can tell later that the same record answers.
//! Where `member` is one, the first half holds.
//!
//! | tree | leaf | inner node |
//! |---|---|---|
//! | SHA-256 | one compression of the record, from the initial value and without padding | the same of both children |
//! | SHA-1 | the digest of the record | the digest of both children, 20 bytes each |
//! | SHA3-256 | the digest of the record | the digest of both children |
//!
//! **Public.** The three roots, the challenge and the response. Neither the record, nor its place, nor the
//! tree is; that the response is a function of the key tells apart members that answer one challenge.
//!
//! **Assumed.** The owners of the trees put in records whose keys only the members know. SHA-1 no longer
//! resists collisions: who hands in a record for its tree may have made another one with the same leaf.
//!
//! **Not proved.** That the record is in one tree only, what its first 48 bytes say, and that
//! the challenge is fresh.
//!
//! The default depth of 26 takes 1,941,746 ANDs, about as many as the paper's circuit, and with holes 443,513
//! committed bits. The place and the siblings serve all three trees, as only one has to have the record.

#[cfg(test)]
mod tests;

use super::{Described, Disjunction, Ports, check_range, holes, in_turn, numbers};
use crate::statement::Port;
use volery_channel::error::Result;
use volery_circuit::Backend;
use volery_gadgets::gadget::{
    Aes128, Bit, Bytes, Compression, Hash, Permutation, Sha1, Sha1Compression, Sha3_256, SubBytes,
    merkle_path, sha256_node,
};
use volery_primitives::F2;

/// Name with keys and defaults, and what it states.
pub(super) const LISTED: (&str, &str) = (
    "merkle-membership?depth=26&holes=0",
    "the prover knows a `record` of 64 bytes that is in one of three Merkle trees of 2^`depth` leaves, made by SHA-256, \
     SHA-1 and SHA3-256, but not in which (`member` = 1); and under the record's last 16 bytes AES-128 encrypts \
     `challenge` to `response`",
);

/// The deepest tree. No tree in use is larger, and the place stays a small input.
const DEEPEST: u64 = 64;

/// Bytes of a record, and where in it the key begins.
const RECORD: u64 = 64;
const KEY: usize = 48;

/// Bytes of a sibling: those of the longest node.
const SIBLING: u64 = 32;

/// The statement.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::statement) struct MerkleMembership {
    depth: u64,
    /// Whether what lies between some words is polynomials, rather than gates.
    pub(super) holes: bool,
}

/// Ways to compute all that the statement is made of.
pub(in crate::statement) trait Ways<B: Backend<F = F2>>:
    Compression<B> + Sha1Compression<B> + Permutation<B> + SubBytes<B>
{
}

impl<B: Backend<F = F2>, C: Compression<B> + Sha1Compression<B> + Permutation<B> + SubBytes<B>> Ways<B>
    for C
{
}

/// A hash function that makes a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tree {
    Sha256,
    Sha1,
    Sha3,
}

impl Tree {
    const ALL: [Self; 3] = [Self::Sha256, Self::Sha1, Self::Sha3];

    /// Bytes of a node.
    fn node_bytes(self) -> u64 {
        match self {
            Self::Sha256 | Self::Sha3 => 32,
            Self::Sha1 => 20,
        }
    }

    /// The node that a record makes, or both children of a node.
    fn node<B: Backend<F = F2>, C: Ways<B>>(self, b: &mut B, of: &Bytes<B::Wire>) -> Result<Bytes<B::Wire>> {
        match self {
            Self::Sha256 => sha256_node::<B, C>(b, of),
            Self::Sha1 => Sha1::<_, C>::digest(b, of),
            Self::Sha3 => Sha3_256::<_, C>::digest(b, of),
        }
    }
}

/// The path of a record in a tree.
struct Path<W> {
    /// The siblings from the lowest level to the highest; shorter nodes take the first bytes of each.
    siblings: Vec<Bytes<W>>,
    /// Whether the node of each level is the right child.
    place: Vec<Bit<W>>,
}

/// Whether the path leads from `record` to `root` in a tree that is made as `tree` says.
fn is_leaf<B: Backend<F = F2>, C: Ways<B>>(
    b: &mut B,
    tree: Tree,
    record: &Bytes<B::Wire>,
    path: &Path<B::Wire>,
    root: &Bytes<B::Wire>,
) -> Result<Bit<B::Wire>> {
    let leaf = tree.node::<B, C>(b, record)?;
    let siblings: Vec<_> =
        path.siblings.iter().map(|sibling| sibling.slice(0..tree.node_bytes() as usize)).collect();
    let node =
        |b: &mut B, left: &Bytes<B::Wire>, right: &Bytes<B::Wire>| tree.node::<B, C>(b, &left.concat(right));
    merkle_path(b, leaf, &siblings, &path.place, node)?.equal(b, root)
}

impl MerkleMembership {
    pub(super) fn parse(name: &str, parameters: &str) -> Result<Self> {
        let [depth, by_holes] = numbers(name, parameters, [("depth", 26), ("holes", 0)])?;
        check_range(name, "depth", depth, 1..=DEEPEST)?;
        Ok(Self { depth, holes: holes(name, by_holes)? })
    }

    /// Pushes the statement, or a clause of it: the membership in one tree, and the response. It is computed
    /// in the ways for `holes` as they are.
    pub(super) fn run<B: Backend<F = F2>, C: Ways<B>>(
        &self,
        b: &mut B,
        ports: &mut impl Ports<B>,
        clause: Option<usize>,
    ) -> Result<()> {
        let record = ports.bytes(b, 0, 0..RECORD)?;
        let mut place = vec![Bit::Public(false); self.depth as usize];
        for level in in_turn(self.depth) {
            place[level as usize] = ports.input(b, 1, level)?;
        }
        let siblings = (0..self.depth).map(|i| ports.bytes(b, 2, SIBLING * i..SIBLING * (i + 1)));
        let path = Path { siblings: siblings.collect::<Result<_>>()?, place };
        let challenge = ports.bytes(b, 3, 0..16)?;

        let key = record.slice(KEY..RECORD as usize);
        let response = Aes128::<_, C>::expand(b, &key)?.encrypt(b, &challenge)?;
        ports.give(b, 0, response.number())?;
        let mut member = Bit::Public(false);
        for (number, tree) in Tree::ALL.into_iter().enumerate() {
            if clause.is_some_and(|clause| clause != number) {
                continue;
            }
            let root = ports.bytes(b, 4 + number, 0..tree.node_bytes())?;
            let is_leaf = is_leaf::<B, C>(b, tree, &record, &path, &root)?;
            member = member.or(b, is_leaf)?;
        }
        ports.output(b, 1, 0, member)
    }
}

impl Described for MerkleMembership {
    fn canonical(&self) -> String {
        let holes = if self.holes { "&holes=1" } else { "" };
        format!("merkle-membership?depth={}{holes}", self.depth)
    }

    fn version(&self) -> u32 {
        1
    }

    fn ports(&self) -> (Vec<Port>, Vec<Port>) {
        let root = |name, tree: Tree| Port::public(name, 8 * tree.node_bytes());
        let inputs = vec![
            Port::new("record", 8 * RECORD),
            Port::new("place", self.depth),
            Port::new("siblings", 8 * SIBLING * self.depth),
            Port::public("challenge", 128),
            root("root_sha256", Tree::Sha256),
            root("root_sha1", Tree::Sha1),
            root("root_sha3", Tree::Sha3),
        ];
        (inputs, vec![Port::public("response", 128), Port::public("member", 1)])
    }

    fn disjunction(&self) -> Option<Disjunction> {
        let clauses = Tree::ALL.len();
        Some(Disjunction { claim: 1, clauses, kinds: clauses })
    }
}
