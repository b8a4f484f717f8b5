//! "I know the preimage of one of these digests", and not of which: stacked, so that one hash is all
//! that is sent.
//!
//! `cargo run --release -p example either`

use std::thread;
use std::time::Duration;
use volery::channel::{Channel, Party, pipe};
use volery::circuit::clauses::{find, shapes};
use volery::circuit::gadget::{Bytes, bits_of, sha256};
use volery::circuit::{Alternatives, Backend, Branch, Clauses};
use volery::{Error, F2, Options, Result, System, prove_one_of, verify_one_of};

/// Digests of messages of 32 bytes: what both parties know.
struct Either {
    digests: Vec<[u8; 32]>,
}

impl Alternatives for Either {
    fn count(&self) -> usize {
        self.digests.len()
    }

    // All clauses have the same gates but for a constant, so that they are counted once.
    fn like(&self, _: usize) -> usize {
        0
    }
}

impl<B: Backend<F = F2>> Clauses<B> for Either {
    fn run(&self, clause: usize, b: &mut Branch<'_, B>) -> Result<()> {
        let message = Bytes::witness(b, 32)?;
        let digest = sha256(b, &message)?;
        digest.assert_equal(b, &self.digests[clause], "digest")
    }
}

/// SHA-256 of 32 bytes of `ff`, and two digests whose preimages nobody knows here.
fn statement() -> Either {
    let known = [
        0xaf, 0x96, 0x13, 0x76, 0x0f, 0x72, 0x63, 0x5f, 0xbd, 0xb4, 0x4a, 0x5a, 0x0a, 0x63, 0xc3, 0x9f, 0x12,
        0xaf, 0x30, 0xf9, 0x50, 0xa6, 0xee, 0x5c, 0x97, 0x1b, 0xe1, 0x88, 0xe8, 0x9c, 0x40, 0x51,
    ];
    Either { digests: vec![[1; 32], known, [2; 32]] }
}

/// Proves it by `system`, and gives the bytes that went to the prover.
fn run(system: System) -> Result<u64> {
    let (here, there) = pipe(Duration::from_secs(60));
    let options = Options::by(system);
    let prover = thread::spawn({
        let options = options.clone();
        move || {
            let witness: Vec<F2> = bits_of(&[0xff; 32]).collect();
            let clause = find(&statement(), witness.clone())?;
            let mut channel = Channel::new(Party::Prover, here);
            prove_one_of(&statement(), clause, witness, &mut channel, &options)
        }
    });
    let mut channel = Channel::new(Party::Verifier, there);
    let (_accepted, report) = verify_one_of(&statement(), &mut channel, &options)?;
    prover.join().expect("the prover does not panic")?;
    Ok(report.traffic.sent)
}

/// Proves it by a stack and by one garbled circuit of all, and shows that another message satisfies no
/// clause.
pub fn main() -> Result<()> {
    let ands = shapes(&statement())?[0].mul;
    let [stacked, together] = [run(System::STACK)?, run(System::JKO)?];
    println!(
        "one of {} digests of {ands} ANDs: {stacked} bytes stacked, {together} not",
        statement().count()
    );
    let other: Vec<F2> = bits_of(&[0xfe; 32]).collect();
    match find(&statement(), other) {
        Err(Error::Unsatisfied(what)) => println!("another message: {what} does not hold"),
        _ => panic!("another message has another digest"),
    }
    Ok(())
}
