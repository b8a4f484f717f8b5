//! Punctured trees: all leaves for one party, all but one for the other.
//!
//! τ trees of depth k, 128/k of them where all of F_{2^128} is to be named, or of any k bits each. The dealer
//! (the base OT's sender) knows every leaf; the puncturer, whose base choices were the complement of the bits
//! of α_i, knows all leaves of tree i but the one at α_i. The consistency check is that of Roy,
//! "SoftSpokenOT", CRYPTO 2022.
//!
//! | from | message | bytes |
//! |---|---|---|
//! | dealer | corrections C_{i,j,b} = K_{i,j,b} ⊕ (xor of the side-b nodes of level j), for levels 2…k | 32·(k−1)·τ |
//! | dealer | t_i = ⊕_y s_{i,y}, the sum of the leaves' check halves | 32·τ |
//! | dealer | H(all s_{i,y} in order) | 32 |
//!
//! Level 1 needs no correction: its two nodes are the base keys K_{i,1,0} and K_{i,1,1} themselves. Levels
//! count from the root, and level j follows bit k−j of α, so that leaf y is the y-th from the left. A leaf
//! is hashed into its working half r and its check half s, so that opening the sum of the latter says
//! nothing about the former.
//!
//! What an abort leaks: a dealer that sends a wrong correction on one side learns one bit of α where the
//! puncturer goes on, and is caught with probability 1/2 for each. Surviving α form an affine set, so that
//! guessing the rest is as hard as before: the caller treats a failed check as the end of Δ.

use super::base::{Chosen, Pairs, TRANSFERS};
use crate::commit::ggm::{self, Tree};
use subtle::{ConditionallySelectable, ConstantTimeEq};
use volery_channel::channel::Channel;
use volery_channel::error::{Error, Misbehaviour, Result};
use volery_primitives::hash::Digest;
use volery_primitives::secret::verdict;
use volery_primitives::{F128, U256};
use zeroize::Zeroizing;

/// The leaves of all trees, tree by tree, `2^k` each.
pub type Leaves = Zeroizing<Vec<F128>>;

/// The check half of a leaf.
type Half = [u8; 32];

/// The working and the check half of each leaf.
fn halves(tree: &Tree, depth: usize, nodes: &[F128]) -> (Leaves, Zeroizing<Vec<Half>>) {
    let mut working = Zeroizing::new(Vec::with_capacity(nodes.len()));
    let mut check = Zeroizing::new(Vec::with_capacity(nodes.len()));
    for &node in nodes {
        let both: [u8; 48] = tree.hash(depth, node);
        let (r, s) = both.split_at(16);
        working.push(F128::from_bytes(*r.first_chunk().expect("16 bytes")));
        check.push(*s.first_chunk().expect("32 bytes"));
    }
    (working, check)
}

fn xor(a: &mut Half, b: &Half) {
    a.iter_mut().zip(b).for_each(|(a, b)| *a ^= b);
}

fn check_digest(sid: &[u8; 32]) -> Digest {
    Digest::new("volery pprf v1, check").field(sid)
}

/// The dealer's side: grows all trees of depth `k` from the base keys.
///
/// # Errors
/// Link errors.
pub fn deal(channel: &mut Channel, pairs: &Pairs, k: usize) -> Result<Leaves> {
    let sid = channel.checkpoint("pprf");
    let mut leaves = Zeroizing::new(Vec::with_capacity((pairs.len() / k) << k));
    let mut corrections = Vec::new();
    let mut sums = Vec::new();
    let mut digest = check_digest(&sid);
    for (i, keys) in pairs.chunks_exact(k).enumerate() {
        let tree = Tree::new(sid, i);
        let mut nodes = Zeroizing::new(keys[0].to_vec());
        for level in 2..=k {
            nodes = tree.children(level - 1, &nodes);
            for (b, key) in keys[level - 1].iter().enumerate() {
                corrections.push(*key ^ ggm::side(&nodes, b));
            }
        }
        let (working, check) = halves(&tree, k, &nodes);
        let mut sum = [0; 32];
        for half in check.iter() {
            xor(&mut sum, half);
            digest = digest.field(half);
        }
        sums.extend_from_slice(&sum);
        leaves.extend_from_slice(&working);
    }
    channel.send_words(&corrections)?;
    channel.send(&sums)?;
    channel.send(&digest.finish::<32>())?;
    Ok(leaves)
}

/// The puncturer's side: `keys` are the base keys it chose by the complement of `delta`'s bits, as
/// [`choices`] says, k for each tree. The leaf at α_i is zero in tree i; time does not depend on α.
///
/// # Errors
/// `Misbehaved` where the trees are inconsistent; link errors.
pub fn puncture(channel: &mut Channel, keys: &Chosen, delta: impl Into<U256>, k: usize) -> Result<Leaves> {
    let sid = channel.checkpoint("pprf");
    let delta = Zeroizing::new(delta.into());
    let trees = keys.len() / k;
    let mut corrections = vec![F128::default(); 2 * (k - 1) * trees];
    let mut sums = vec![0; 32 * trees];
    channel.recv_words(&mut corrections)?;
    channel.recv(&mut sums)?;
    let expected: [u8; 32] = channel.recv_array()?;

    let mut leaves = Zeroizing::new(Vec::with_capacity(trees << k));
    let mut digest = check_digest(&sid);
    for (i, keys) in keys.chunks_exact(k).enumerate() {
        let alpha = slice(*delta, i, k);
        let corrections = &corrections[2 * (k - 1) * i..][..2 * (k - 1)];
        let tree = Tree::new(sid, i);
        let nodes = tree.punctured(&opened(keys, corrections, alpha), alpha);
        let (mut working, mut check) = halves(&tree, k, &nodes);

        // What is missing at α is the sum of the others and t_i.
        let mut missing: Zeroizing<Half> = Zeroizing::new(*sums[32 * i..].first_chunk().expect("32 bytes"));
        for (y, half) in check.iter().enumerate() {
            let known = (y as u64).ct_ne(&alpha);
            missing.iter_mut().zip(half).for_each(|(m, h)| m.conditional_assign(&(*m ^ h), known));
        }
        for (y, (r, s)) in working.iter_mut().zip(check.iter_mut()).enumerate() {
            let hole = (y as u64).ct_eq(&alpha);
            r.0.conditional_assign(&0, hole);
            s.iter_mut().zip(missing.iter()).for_each(|(s, m)| s.conditional_assign(m, hole));
            digest = digest.field(s);
        }
        leaves.extend_from_slice(&working);
    }
    if verdict(digest.finish::<32>().ct_eq(&expected)) {
        Ok(leaves)
    } else {
        Err(Error::Misbehaved(Misbehaviour::PuncturedTrees))
    }
}

/// The sums that open the levels: in each, of the nodes on the side of the path's sibling.
fn opened(keys: &[F128], corrections: &[F128], alpha: u64) -> Zeroizing<Vec<F128>> {
    let mut sums = Zeroizing::new(keys.to_vec());
    let levels = sums.iter_mut().rev().zip(0..);
    // From the lowest level up, whose turn is bit 0 of α; the first has no correction.
    for ((sum, bit), pair) in levels.zip(corrections.as_chunks::<2>().0.iter().rev()) {
        let turn = alpha >> bit & 1;
        sum.0 ^= u128::conditional_select(&pair[1].0, &pair[0].0, turn.ct_eq(&1));
    }
    sums
}

/// α_i: the i-th slice of `k` bits of Δ.
pub fn slice(delta: impl Into<U256>, i: usize, k: usize) -> u64 {
    (delta.into() >> (k * i) as u32).low() as u64 & ((1 << k) - 1)
}

/// The base choices of a puncturer: transfer k·i + (j−1) is for level j of tree i, and asks for the
/// sibling of the path.
pub fn choices(delta: F128, k: usize) -> F128 {
    F128(choices_among(delta.into(), k, TRANSFERS).low())
}

/// The base choices of a puncturer of `transfers`/k trees, in the order of [`choices`].
pub fn choices_among(delta: U256, k: usize, transfers: usize) -> U256 {
    let mut choices = U256::ZERO;
    for i in 0..transfers / k {
        for level in 1..=k {
            let turn = slice(delta, i, k) >> (k - level) & 1;
            choices |= U256::from(1 - turn) << (k * i + level - 1) as u32;
        }
    }
    choices
}

/// Bytes that the dealer of so many trees of depth k sends.
pub(crate) const fn traffic(k: usize, trees: usize) -> u64 {
    (32 * (k - 1) * trees + 32 * trees + 32) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use volery_channel::channel::{Flip, Party, Tape, pipe};
    use volery_channel::random::Random;

    const DELTA: F128 = F128(0x8123_4567_89ab_cdef_fedc_ba98_7654_3211);

    /// Runs both sides over ideal base transfers, with one bit of the dealer's messages flipped where asked.
    fn run(k: usize, delta: F128, seed: u8, flip: Option<Flip>) -> (Leaves, Result<Leaves>) {
        let mut random = Random::from_seed(&[seed; 32]);
        let pairs: Pairs = Zeroizing::new((0..TRANSFERS).map(|_| [random.word(), random.word()]).collect());
        let chosen = choices(delta, k);
        let keys: Chosen =
            Zeroizing::new((0..TRANSFERS).map(|i| pairs[i][(chosen.0 >> i & 1) as usize]).collect());
        let (dealer, puncturer) = pipe(Duration::from_secs(10));
        let mut dealer = Channel::new(Party::Prover, Tape::new(dealer, flip).0);
        let mut puncturer = Channel::new(Party::Verifier, puncturer);
        std::thread::scope(|scope| {
            let dealing = scope.spawn(move || {
                let leaves = deal(&mut dealer, &pairs, k).unwrap();
                dealer.flush().unwrap();
                leaves
            });
            let punctured = puncture(&mut puncturer, &keys, delta, k);
            (dealing.join().unwrap(), punctured)
        })
    }

    #[test]
    fn all_leaves_but_one_agree() {
        for k in [4, 8] {
            let (all, punctured) = run(k, DELTA, 1, None);
            let punctured = punctured.unwrap();
            assert_eq!(all.len(), (TRANSFERS / k) << k);
            for (place, (a, p)) in all.iter().zip(punctured.iter()).enumerate() {
                let hole = slice(DELTA, place >> k, k) == (place & ((1 << k) - 1)) as u64;
                assert_eq!(*p, if hole { F128(0) } else { *a });
            }
        }
    }

    /// A wrong sum or digest is always caught, a wrong correction on one side with probability 1/2: where the
    /// puncturer uses that side.
    #[test]
    fn tampering_is_caught() {
        for seed in 0..8 {
            let caught = |flip| run(4, DELTA, seed, Some(flip)).1.is_err();
            assert!(caught(Flip { message: 1, bit: 37 * seed as usize }));
            assert!(caught(Flip { message: 2, bit: 11 * seed as usize }));
        }
        // Tree 2 has α = 2 = 0b0010: at level 2 it turns left, and the correction of the right side is used.
        let at = |b: usize| Flip { message: 0, bit: 128 * (2 * 3 * 2 + b) + 5 };
        assert_eq!(slice(DELTA, 2, 4), 2);
        assert!(run(4, DELTA, 1, Some(at(1))).1.is_err());
        assert!(run(4, DELTA, 1, Some(at(0))).1.is_ok());
    }

    #[test]
    fn corrections_are_caught_half_of_the_time() {
        let mut random = Random::from_seed(&[9; 32]);
        let survived = (0..64).filter(|_| {
            let flip = Flip { message: 0, bit: 128 * 7 };
            run(4, random.word(), 3, Some(flip)).1.is_ok()
        });
        assert!((16..=48).contains(&survived.count()));
    }
}
