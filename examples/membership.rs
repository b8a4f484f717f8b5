//! "I am one of the members under this root", which tells nobody which.
//!
//! `cargo run --release -p example membership`

use std::thread;
use std::time::Duration;
use volery::channel::{Channel, Party, pipe};
use volery::circuit::gadget::{Bit, Bytes, Gates, Word, bits_of, sha256_tree};
use volery::circuit::{Backend, Circuit, Clear, Shape};
use volery::{Error, F2, Options, Result, check, prove, verify};

/// The statement, which both parties know.
struct Member {
    /// The tree has 2^depth leaves.
    depth: u32,
    root: [u8; 32],
}

impl<B: Backend<F = F2>> Circuit<B> for Member {
    fn run(&self, b: &mut B) -> Result<()> {
        let record = Bytes::witness(b, 64)?;
        let mut node = compress(b, &record)?;
        for _ in 0..self.depth {
            let is_right = Bit::witness(b)?;
            let sibling = Bytes::witness(b, 32)?;
            let left = select(b, is_right, &sibling, &node)?;
            // What is not on the left of the two.
            let right = left.xor(b, &node)?.xor(b, &sibling)?;
            node = compress(b, &left.concat(&right))?;
        }
        node.assert_equal(b, &self.root, "root")
    }
}

/// The node of a leaf of 64 bytes, or of two children of 32: that of a tree of this leaf alone.
fn compress<B: Backend<F = F2>>(b: &mut B, block: &Bytes<B::Wire>) -> Result<Bytes<B::Wire>> {
    sha256_tree::<B, Gates>(b, 0, |_, _| Ok(block.clone()))
}

/// `yes` where `bit` is one, `no` where it is zero.
fn select<B: Backend<F = F2>>(
    b: &mut B,
    bit: Bit<B::Wire>,
    yes: &Bytes<B::Wire>,
    no: &Bytes<B::Wire>,
) -> Result<Bytes<B::Wire>> {
    yes.iter().zip(no.iter()).map(|(yes, no)| Word::select(b, bit, yes, no)).collect()
}

/// The root over `leaves`, which are public here: each gate folds, and nothing is pushed.
fn root(leaves: &[[u8; 64]]) -> Result<[u8; 32]> {
    let b = &mut Clear::new([]);
    let depth = leaves.len().ilog2();
    let root = sha256_tree::<_, Gates>(b, depth, |_, place| Ok(Bytes::public(&leaves[place as usize])))?;
    let mut bytes = [0; 32];
    for (byte, word) in bytes.iter_mut().zip(root.iter()) {
        for (i, bit) in word.bits().iter().enumerate() {
            *byte |= u8::from(matches!(bit, Bit::Public(true))) << i;
        }
    }
    Ok(bytes)
}

/// The witness of the member at `place`: its record, then for each level which child the node is, and the
/// other child.
fn witness(leaves: &[[u8; 64]], place: usize) -> Result<Vec<F2>> {
    let mut witness: Vec<_> = bits_of(&leaves[place]).collect();
    for level in 0..leaves.len().ilog2() {
        let node = place >> level;
        witness.push(F2::from(node % 2 == 1));
        let sibling = (node ^ 1) << level;
        witness.extend(bits_of(&root(&leaves[sibling..sibling + (1 << level)])?));
    }
    Ok(witness)
}

/// The records of eight members, filled with spaces.
fn leaves() -> Vec<[u8; 64]> {
    let records = (0..8).map(|number| format!("{:<64}", format!("member {number}")));
    records.map(|record| record.into_bytes().try_into().expect("64 bytes")).collect()
}

/// Makes a tree, and checks, proves and verifies that somebody is in it.
pub fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let leaves = leaves();
    let statement = Member { depth: 3, root: root(&leaves)? };
    let hexadecimal: String = statement.root.iter().map(|byte| format!("{byte:02x}")).collect();
    println!("root 0x{hexadecimal}");
    println!("{} ANDs", Shape::of::<F2>(&statement)?.mul);

    // All members convince by the same statement.
    for place in 0..8 {
        check(&statement, witness(&leaves, place)?)?;
    }
    let mut stranger = witness(&leaves, 5)?;
    stranger[0] += F2::from(true);
    let refused = check(&statement, stranger).expect_err("no record of a member");
    assert!(matches!(refused, Error::Unsatisfied(_)));
    println!("{refused}");

    let (here, there) = pipe(Duration::from_secs(10));
    let secret = witness(&leaves, 5)?;
    let report = thread::scope(|parties| {
        let prover = parties.spawn(|| {
            let mut channel = Channel::new(Party::Prover, here);
            prove(&statement, secret, &mut channel, &Options::default())
        });
        let mut channel = Channel::new(Party::Verifier, there);
        let (_accepted, report) = verify(&statement, &mut channel, &Options::default())?;
        prover.join().expect("the prover does not panic")?;
        Ok::<_, Error>(report)
    })?;
    println!("accepted: {} bytes received", report.traffic.received);
    Ok(())
}
