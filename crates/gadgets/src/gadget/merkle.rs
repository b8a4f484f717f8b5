//! Merkle trees, depth first: of a tree of 2^d leaves, d + 1 nodes are held, or some hundreds in all where many are
//! hashed at once. And the path of one leaf, whose place is secret.

use super::hash::fips_180::{block_of, bytes_of};
use super::sha256::sha256_of_block;
use super::{Bit, Bytes, Compression, Word};
use volery_channel::error::Result;
use volery_circuit::{Backend, Returned, Wires};
use volery_primitives::F2;

/// The root of the binary tree whose `2^depth` leaves `leaf` computes, from the first to the last, and whose
/// inner nodes `node` computes of their left and their right child, as soon as both are there.
///
/// # Errors
/// Those of `leaf` and `node`.
///
/// # Panics
/// Where `depth` is 64 or more.
pub fn merkle_root<B: Backend, N: Wires<B::Wire>>(
    b: &mut B,
    depth: u32,
    mut leaf: impl FnMut(&mut B, u64) -> Result<N>,
    mut node: impl FnMut(&mut B, &N, &N) -> Result<N>,
) -> Result<N> {
    assert!(depth < u64::BITS, "more leaves than can be counted");
    subtree(b, depth, 0, &mut leaf, &mut node)
}

/// The root of the tree of `depth` levels whose first leaf has number `first`.
fn subtree<B: Backend, N: Wires<B::Wire>>(
    b: &mut B,
    depth: u32,
    first: u64,
    leaf: &mut impl FnMut(&mut B, u64) -> Result<N>,
    node: &mut impl FnMut(&mut B, &N, &N) -> Result<N>,
) -> Result<N> {
    b.scope(|b| {
        let Some(below) = depth.checked_sub(1) else { return leaf(b, first) };
        let left = subtree(b, below, first, leaf, node)?;
        let right = subtree(b, below, first + (1 << below), leaf, node)?;
        node(b, &left, &right)
    })
}

/// The root of the tree of `2^depth` leaves of 64 bytes each, which `leaf` gives, where each leaf and each
/// inner node is one compression of SHA-256: `2^(depth + 1) - 1` in all. Gate by gate each is 21,890 ANDs,
/// with holes 5,888 committed bits.
///
/// A leaf's bytes, or those of both children, are one block that is compressed from the standard initial
/// value, and there is no block of padding. All that is hashed has one length and the depth is public, so
/// that who finds two lists of leaves with one root has found a collision of the compression function from
/// that value; for the same reason nothing needs to tell leaves from inner nodes.
///
/// # Errors
/// Those of `leaf` and of the backend.
///
/// # Panics
/// Where `depth` is 64 or more, or a leaf has not 64 bytes.
pub fn sha256_tree<B: Backend<F = F2>, C: Compression<B>>(
    b: &mut B,
    depth: u32,
    leaf: impl FnMut(&mut B, u64) -> Result<Bytes<B::Wire>>,
) -> Result<Bytes<B::Wire>> {
    sha256_tree_in_lanes::<B, C>(b, depth, TREE_LANES, leaf)
}

/// The leaves that [`sha256_tree`] compresses together: enough for all threads, and so few that their blocks take
/// little memory.
pub const TREE_LANES: u64 = 512;

/// The root as of [`sha256_tree`], where so many leaves are compressed together, by one map with as many inner
/// nodes or fewer. All their blocks are held, some 20 KB for each leaf: so many pay where a device walks maps.
///
/// # Errors
/// As for [`sha256_tree`].
///
/// # Panics
/// As for [`sha256_tree`], and where `lanes` is zero or odd.
pub fn sha256_tree_in_lanes<B: Backend<F = F2>, C: Compression<B>>(
    b: &mut B,
    depth: u32,
    lanes: u64,
    mut leaf: impl FnMut(&mut B, u64) -> Result<Bytes<B::Wire>>,
) -> Result<Bytes<B::Wire>> {
    assert!(depth < u64::BITS, "more leaves than can be counted");
    assert!(lanes > 0 && lanes.is_multiple_of(2), "leaves are hashed in pairs");
    let count = 1 << depth;
    // Those of each height, from the leaves on, whose parents are to come.
    let mut nodes = vec![Vec::<Node<B::Wire>>::new(); depth as usize + 1];
    let mut first = 0;
    while nodes[depth as usize].is_empty() {
        let places = first..count.min(first + lanes);
        first = places.end;
        let mut blocks = Vec::new();
        let mut parents = vec![0; depth as usize];
        for (children, parents) in nodes.iter_mut().zip(&mut parents) {
            let pairs = children.as_chunks::<2>().0;
            *parents = pairs.len();
            blocks.extend(pairs.iter().map(|[left, right]| block_of_children(left, right)));
            children.drain(..2 * pairs.len());
        }
        let inner = blocks.len();
        let made = b.scope(|b| {
            for place in places {
                blocks.push(block_of(&leaf(b, place)?));
            }
            compress_all::<B, C>(b, &blocks)
        })?;
        b.forget(&blocks[..inner].wires());
        let mut made = made.into_iter();
        for (nodes, parents) in nodes[1..].iter_mut().zip(parents) {
            nodes.extend(made.by_ref().take(parents));
        }
        nodes[0].extend(made);
    }
    Ok(bytes_of(&nodes[depth as usize][0]))
}

/// The compression of each block: by one map, if there are several and no bit is public, whose gates would be
/// spared.
fn compress_all<B: Backend<F = F2>, C: Compression<B>>(
    b: &mut B,
    blocks: &[Block<B::Wire>],
) -> Result<Vec<Node<B::Wire>>> {
    let is_wire = |bit: &Bit<B::Wire>| matches!(bit, Bit::Wire(_));
    if blocks.len() > 1 && blocks.iter().flatten().all(|word| word.bits().iter().all(is_wire)) {
        return compress_each::<B, C>(b, blocks);
    }
    blocks.iter().map(|block| sha256_of_block::<B, C>(b, block)).collect()
}

/// The compression of each block, by one map.
fn compress_each<B: Backend<F = F2>, C: Compression<B>>(
    b: &mut B,
    blocks: &[Block<B::Wire>],
) -> Result<Vec<Node<B::Wire>>> {
    let lanes = blocks.len();
    let mut columns = vec![B::Wire::default(); 512 * lanes];
    for (lane, block) in blocks.iter().enumerate() {
        let bits = block.iter().flat_map(|word| *word.bits());
        for (place, bit) in columns[lane..].iter_mut().step_by(lanes).zip(bits) {
            *place = bit.wire(b);
        }
    }
    let nodes = b.map(C::BLOCK.as_bytes(), lanes, &columns, |b, _, of| {
        let (words, _) = of.as_chunks::<32>();
        let block = core::array::from_fn(|i| Word::new(words[i].map(Bit::Wire)));
        let node = sha256_of_block::<B, C>(b, &block)?;
        let wires = node.iter().flat_map(|word| *word.bits()).map(|bit| bit.wire(b)).collect();
        Ok(Returned { wires, public: Vec::new() })
    })?;
    let of = |lane: usize| {
        let word = |i: usize| {
            Word::new(core::array::from_fn(|j| Bit::Wire(nodes.wires[(32 * i + j) * lanes + lane])))
        };
        core::array::from_fn(word)
    };
    Ok((0..lanes).map(of).collect())
}

/// The block of two nodes.
fn block_of_children<W: Copy>(left: &Node<W>, right: &Node<W>) -> Block<W> {
    core::array::from_fn(|i| if i < 8 { left[i] } else { right[i - 8] })
}

type Block<W> = [Word<W, 32>; 16];
type Node<W> = [Word<W, 32>; 8];

/// The leaf or inner node of [`sha256_tree`] that `block` of 64 bytes makes: one compression of SHA-256 from
/// its initial value, without padding.
///
/// # Errors
/// Those of the backend.
///
/// # Panics
/// Where `block` has not 64 bytes.
pub fn sha256_node<B: Backend<F = F2>, C: Compression<B>>(
    b: &mut B,
    block: &Bytes<B::Wire>,
) -> Result<Bytes<B::Wire>> {
    let node = sha256_of_block::<B, C>(b, &block_of(block))?;
    Ok(bytes_of(&node))
}

/// The root over the node `leaf`, where `siblings` are its neighbours from the lowest level to the highest,
/// and it is the right child of level i where bit i of `place` is one. `node` computes inner nodes of their
/// left and their right child. For each level 8 ANDs for each byte of a node, and those of `node`.
///
/// # Errors
/// `Invalid` where a sibling is not as long as the node beside it; those of `node` and of the backend.
///
/// # Panics
/// Where there are not as many siblings as bits of the place.
pub fn merkle_path<B: Backend<F = F2>>(
    b: &mut B,
    leaf: Bytes<B::Wire>,
    siblings: &[Bytes<B::Wire>],
    place: &[Bit<B::Wire>],
    mut node: impl FnMut(&mut B, &Bytes<B::Wire>, &Bytes<B::Wire>) -> Result<Bytes<B::Wire>>,
) -> Result<Bytes<B::Wire>> {
    assert_eq!(siblings.len(), place.len());
    siblings.iter().zip(place).try_fold(leaf, |below, (sibling, &right)| {
        let difference = below.xor(b, sibling)?;
        let bytes = difference.iter().map(|byte| byte.and(b, &Word::new([right; 8])));
        let swapped = bytes.collect::<Result<Bytes<_>>>()?;
        let left = below.xor(b, &swapped)?;
        let right = sibling.xor(b, &swapped)?;
        node(b, &left, &right)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gadget::{Gates, Holes, bits_of};
    use sha2::block_api::compress256;
    use volery_circuit::stream::Streamed;
    use volery_circuit::{Circuit, Clear, Polynomials, Shape};

    /// A node by its name, without wires.
    struct Name(String);

    impl<W> Wires<W> for Name {
        fn each(&self, _: &mut dyn FnMut(W)) {}
    }

    /// The calls that are made for a tree of strings.
    fn walk(depth: u32) -> (String, Vec<String>) {
        let calls = core::cell::RefCell::new(Vec::new());
        let note = |text: String| {
            calls.borrow_mut().push(text.clone());
            Ok(Name(text))
        };
        let mut b = Clear::<F2>::new(core::iter::empty());
        let root = merkle_root(
            &mut b,
            depth,
            |_, place| note(place.to_string()),
            |_, left: &Name, right| note(format!("({} {})", left.0, right.0)),
        );
        (root.unwrap().0, calls.into_inner())
    }

    #[test]
    fn trees_are_walked_depth_first() {
        assert_eq!(walk(0), ("0".into(), vec!["0".into()]));
        let (root, calls) = walk(2);
        assert_eq!(root, "((0 1) (2 3))");
        assert_eq!(calls, ["0", "1", "(0 1)", "2", "3", "(2 3)", "((0 1) (2 3))"]);
        let (root, calls) = walk(6);
        assert_eq!((calls.len(), calls.last()), (127, Some(&root)));
    }

    /// The root of secret leaves.
    struct Tree {
        depth: u32,
        lanes: u64,
        holes: bool,
        root: [u8; 32],
    }

    impl<B: Polynomials<F = F2>> Circuit<B> for Tree {
        fn run(&self, b: &mut B) -> Result<()> {
            let leaf = |b: &mut B, _| Bytes::witness(b, 64);
            let root = if self.holes {
                sha256_tree_in_lanes::<B, Holes>(b, self.depth, self.lanes, leaf)?
            } else {
                sha256_tree_in_lanes::<B, Gates>(b, self.depth, self.lanes, leaf)?
            };
            root.assert_equal(b, &self.root, "root")
        }
    }

    /// The root by an outside implementation, level by level.
    fn root_of(leaves: &[u8]) -> [u8; 32] {
        let mut level = leaves.to_vec();
        loop {
            let initial = crate::gadget::sha256::INITIAL;
            let hashed = level.as_chunks::<64>().0.iter().map(|block| {
                let mut state = initial;
                compress256(&mut state, &[*block]);
                state.map(u32::to_be_bytes)
            });
            let nodes: Vec<_> = hashed.collect();
            level = nodes.as_flattened().as_flattened().to_vec();
            if let Ok(root) = level[..].try_into() {
                return root;
            }
        }
    }

    #[test]
    fn roots_agree_with_an_outside_implementation() {
        for (depth, lanes, holes) in
            [(0, 512, false), (1, 512, false), (1, 512, true), (3, 4, false), (3, 2, true), (7, 6, false)]
        {
            let leaves: Vec<u8> = (0..64 << depth).map(|i: u64| (i * i / 7 + i) as u8).collect();
            let mut tree = Tree { depth, lanes, holes, root: root_of(&leaves) };
            let run = |tree: &Tree| {
                let mut clear = Clear::new(bits_of(&leaves));
                Streamed(tree).run(&mut clear).and_then(|()| clear.finish())
            };
            run(&tree).unwrap();
            tree.root[31] ^= 4;
            assert!(depth > 3 || run(&tree).unwrap_err().to_string().contains(" root[2] "));
        }
    }

    #[test]
    fn a_node_is_one_compression() {
        for depth in [0, 3] {
            let shape = |holes| Shape::of::<F2>(&Tree { depth, lanes: 4, holes, root: [0; 32] }).unwrap();
            let (leaves, nodes) = (1 << depth, (2 << depth) - 1);
            assert_eq!(shape(false).mul, nodes * 21_890);
            assert_eq!((shape(true).mul, shape(true).inputs), (0, leaves * 512 + nodes * 5888));
        }
    }

    /// The leaf at `place` under a root.
    struct Leaf {
        place: u64,
        siblings: Vec<Vec<u8>>,
        root: [u8; 32],
    }

    impl<B: Backend<F = F2>> Circuit<B> for Leaf {
        fn run(&self, b: &mut B) -> Result<()> {
            let leaf = Bytes::witness(b, 64)?;
            let leaf = sha256_node::<B, Gates>(b, &leaf)?;
            let siblings = self.siblings.iter().map(|_| Bytes::witness(b, 32)).collect::<Result<Vec<_>>>()?;
            let place = siblings.iter().map(|_| Bit::witness(b)).collect::<Result<Vec<_>>>()?;
            let root = merkle_path(b, leaf, &siblings, &place, |b, left, right| {
                sha256_node::<B, Gates>(b, &left.concat(right))
            })?;
            root.assert_equal(b, &self.root, "root")
        }
    }

    #[test]
    fn paths_lead_to_the_root_of_the_tree() {
        let leaves: Vec<u8> = (0..64 * 8).map(|i: u32| (i * i / 5 + i) as u8).collect();
        let all = leaves.as_chunks::<64>().0;
        let subtree =
            |height: usize, at: usize| root_of(all[at << height..(at + 1) << height].as_flattened());
        for (place, record) in all.iter().enumerate() {
            let siblings = (0..3).map(|height| subtree(height, (place >> height) ^ 1).to_vec()).collect();
            let leaf = Leaf { place: place as u64, siblings, root: root_of(&leaves) };
            let run = |leaf: &Leaf, other: u64| {
                let bytes = [&record[..], &leaf.siblings.concat()].concat();
                let bits = (0..3).map(|i| F2::low_bit(u128::from((leaf.place ^ other) >> i)));
                let mut clear = Clear::new(bits_of(&bytes).chain(bits).collect::<Vec<_>>());
                Streamed(leaf).run(&mut clear).and_then(|()| clear.finish())
            };
            run(&leaf, 0).unwrap();
            for other in [1, 2, 4] {
                assert!(run(&leaf, other).unwrap_err().to_string().contains(" root["));
            }
        }
        let leaf = Leaf { place: 0, siblings: vec![vec![]; 3], root: [0; 32] };
        assert_eq!(Shape::without_depth::<F2>(&leaf).unwrap().mul, 4 * 21_890 + 3 * 256);
    }
}
