//! "I know 16 bytes with this SHA-256 digest": one statement, checked, proved and verified over TCP.
//!
//! `cargo run --release -p example preimage`

use std::net::TcpListener;
use std::thread;
use std::time::Duration;
use volery::channel::{Channel, Party, Tcp};
use volery::circuit::gadget::{Bytes, bits_of, sha256};
use volery::circuit::{Backend, Circuit};
use volery::{Error, F2, Options, Result, check, prove, verify};

/// The statement, which both parties know.
struct Preimage {
    digest: [u8; 32],
}

impl<B: Backend<F = F2>> Circuit<B> for Preimage {
    fn run(&self, b: &mut B) -> Result<()> {
        let message = Bytes::witness(b, 16)?;
        let digest = sha256(b, &message)?;
        digest.assert_equal(b, &self.digest, "digest")
    }
}

/// SHA-256 of `attack at dawn !`.
const DIGEST: [u8; 32] = [
    0x17, 0x69, 0x07, 0x87, 0xe8, 0x4c, 0xe9, 0x7e, 0x2f, 0x2a, 0xb9, 0x4e, 0x73, 0xa7, 0xd2, 0x3f, 0x23,
    0xff, 0x99, 0xe7, 0xf7, 0xb7, 0xe6, 0x50, 0xd6, 0xcb, 0x5b, 0x83, 0xfc, 0x7e, 0xc3, 0x69,
];

/// Checks, proves and verifies it.
pub fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let statement = Preimage { digest: DIGEST };

    // In the clear, before anybody is asked: a wrong message is refused here, by the name of what it fails.
    check(&statement, bits_of(b"attack at dawn !"))?;
    let refused = check(&statement, bits_of(b"attack at noon !"));
    assert!(matches!(refused, Err(Error::Unsatisfied(_))));

    // Two parties; on two machines each would have one half of this.
    let wait = Duration::from_secs(10);
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let prover = thread::spawn(move || {
        let statement = Preimage { digest: DIGEST };
        let link = Tcp::connect(address, wait).expect("the verifier listens");
        let mut channel = Channel::new(Party::Prover, link);
        prove(&statement, bits_of(b"attack at dawn !"), &mut channel, &Options::default())
    });
    let mut channel = Channel::new(Party::Verifier, Tcp::accept(&listener, wait)?);
    let (_accepted, report) = verify(&statement, &mut channel, &Options::default())?;
    prover.join().expect("the prover does not panic")?;

    println!(
        "accepted: {} ANDs, {} bytes received, {} bits of security",
        report.gates.mul, report.traffic.received, report.security.statistical
    );
    Ok(())
}
