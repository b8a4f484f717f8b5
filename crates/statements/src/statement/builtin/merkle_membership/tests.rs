use super::super::trial::{Trial, changed};
use super::*;
use crate::Relation;
use aes::cipher::{BlockCipherEncrypt, KeyInit};
use sha2::Digest;

const INITIAL: [u32; 8] =
    [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];

/// A node by an outside implementation.
fn node(tree: Tree, of: &[u8]) -> Vec<u8> {
    match tree {
        Tree::Sha256 => {
            let mut state = INITIAL;
            sha2::block_api::compress256(&mut state, &[of.try_into().unwrap()]);
            state.map(u32::to_be_bytes).as_flattened().to_vec()
        }
        Tree::Sha1 => sha1::Sha1::digest(of).to_vec(),
        Tree::Sha3 => sha3::Sha3_256::digest(of).to_vec(),
    }
}

const DEPTH: usize = 3;

fn record(at: usize) -> Vec<u8> {
    (0..64).map(|i| (i * 7 + at * 31 + 3) as u8).collect()
}

/// All levels of a tree of 2^DEPTH records, leaves first.
fn levels(tree: Tree) -> Vec<Vec<Vec<u8>>> {
    let mut levels = vec![(0..1 << DEPTH).map(|at| node(tree, &record(at))).collect::<Vec<_>>()];
    for height in 0..DEPTH {
        levels.push(levels[height].chunks(2).map(|pair| node(tree, &pair.concat())).collect());
    }
    levels
}

/// The membership of the record at `at` in `tree` alone, gate by gate: the other roots belong to no tree.
fn member(tree: Tree, at: usize) -> Trial {
    member_by("", tree, at)
}

fn member_by(holes: &str, tree: Tree, at: usize) -> Trial {
    let (levels, record) = (levels(tree), record(at));
    let sibling = |height: usize| {
        let mut sibling = levels[height][(at >> height) ^ 1].clone();
        sibling.resize(32, 0xa5);
        sibling
    };
    let place: String = (0..DEPTH).map(|height| if at >> height & 1 == 1 { '1' } else { '0' }).collect();
    let root = |of: Tree| {
        if of == tree { levels[DEPTH][0].clone() } else { vec![9; of.node_bytes() as usize] }
    };
    let mut response = [77; 16].into();
    aes::Aes128::new_from_slice(&record[48..]).unwrap().encrypt_block(&mut response);
    Trial::new(&format!("merkle-membership?depth=3{holes}"))
        .with("record", &record)
        .with_bits("place", &place)
        .with("siblings", &(0..DEPTH).flat_map(sibling).collect::<Vec<_>>())
        .with("challenge", &[77; 16])
        .with("root_sha256", &root(Tree::Sha256))
        .with("root_sha1", &root(Tree::Sha1))
        .with("root_sha3", &root(Tree::Sha3))
        .with("response", &response)
        .with_bits("member", "1")
}

#[test]
fn a_record_is_in_any_of_the_trees() {
    for (tree, at) in Tree::ALL.into_iter().zip([0, 5, 6]) {
        member(tree, at).run().unwrap();
        member(tree, at).with_bits("member", "0").refuse("member");
    }
}

#[test]
fn with_holes_it_is_the_same() {
    for (tree, at) in Tree::ALL.into_iter().zip([7, 2, 1]) {
        let right = member_by("&holes=1", tree, at);
        right.run().unwrap();
        right.clone().with("record", &changed(&record(at), 0)).refuse("member");
        right.clone().with("siblings", &[3; 32 * DEPTH]).refuse("member");
        right.with("challenge", &[76; 16]).refuse("response");
    }
}

#[test]
fn whoever_is_in_none_is_no_member() {
    for (tree, name) in Tree::ALL.into_iter().zip(["root_sha256", "root_sha1", "root_sha3"]) {
        let right = member(tree, 5);
        let root = &levels(tree)[DEPTH][0];
        right.clone().with(name, &changed(root, 1)).refuse("member");
        right.clone().with(name, &changed(root, 1)).with_bits("member", "0").run().unwrap();
        // A tree of its own for each.
        let place = match tree {
            Tree::Sha256 => "001",
            Tree::Sha1 => "111",
            Tree::Sha3 => "100",
        };
        right.with_bits("place", place).refuse("member");
    }
}

#[test]
fn the_record_answers_the_challenge() {
    let right = member(Tree::Sha3, 2);
    right.clone().with("challenge", &[76; 16]).refuse("response");
    right.clone().with("response", &[0; 16]).refuse("response");
    // The key is part of the record: another one is in no tree, even if it answers.
    let other = changed(&record(2), 50);
    let mut response = [77; 16].into();
    aes::Aes128::new_from_slice(&other[48..]).unwrap().encrypt_block(&mut response);
    right.with("record", &other).with("response", &response).refuse("member");
}

#[test]
fn what_has_to_be_public_is() {
    for port in ["challenge", "root_sha256", "root_sha1", "root_sha3", "response", "member"] {
        let why = member(Tree::Sha1, 1).without(port).statement().err().unwrap().to_string();
        assert!(why.contains(&format!("{port} (")) && why.contains(") has to be public"), "{why}");
    }
}

#[test]
fn ands_are_pinned() {
    let ands = |depth: u64| {
        let relation = Relation::open(&format!("builtin:merkle-membership?depth={depth}"), None).unwrap();
        relation.shape().unwrap().mul
    };
    assert_eq!([1, 26].map(ands), [157_796, 1_941_746]);
    let committed = |depth: u64| {
        let relation = format!("builtin:merkle-membership?depth={depth}&holes=1");
        let size = Relation::open(&relation, None).unwrap().shape().unwrap().size();
        (size.commitments, size.degree)
    };
    assert_eq!([1, 26].map(committed), [(37_088, 10), (443_513, 10)]);
}
