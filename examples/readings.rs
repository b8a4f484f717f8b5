//! "I know eight readings with this SHA-256 digest, and this is the sum of their squares": the hash over
//! bits, the sum over numbers, and the readings in both.
//!
//! `cargo run --release -p example readings`

use std::thread;
use std::time::Duration;
use volery::channel::{Channel, Party, pipe};
use volery::circuit::gadget::{Bytes, bits_of, sha256};
use volery::circuit::{Backend, Mixed, MixedCircuit};
use volery::{Converted, Error, F61, Options, Result, check_mixed, prove_mixed, verify_mixed};

/// The statement, which both parties know.
struct Readings {
    digest: [u8; 32],
    squares: u64,
}

impl<M> MixedCircuit<M> for Readings
where
    M: Mixed<Numbers: Backend<F = F61>>,
{
    fn run(&self, m: &mut M) -> Result<()> {
        let bits = m.bits()?;
        let readings = Bytes::witness(bits, 8)?;
        let digest = sha256(bits, &readings)?;
        digest.assert_equal(bits, &self.digest, "digest")?;

        let mut sum = m.numbers()?.constant(-F61::new(self.squares));
        for byte in readings.iter() {
            let bits = m.bits()?;
            let byte = byte.bits().map(|bit| bit.wire(bits));
            let reading = m.number(&byte)?;
            let numbers = m.numbers()?;
            let square = numbers.mul(reading, reading)?;
            sum = numbers.add(sum, square);
        }
        m.numbers()?.assert_zero(sum, "sum of squares")
    }
}

const READINGS: [u8; 8] = [31, 41, 59, 26, 53, 58, 97, 93];

/// SHA-256 of them.
const DIGEST: [u8; 32] = [
    0x22, 0xf4, 0x32, 0x21, 0x3c, 0xfe, 0x62, 0xea, 0xf6, 0xaa, 0x48, 0xdb, 0x09, 0x64, 0x90, 0x5e, 0xf1,
    0xf6, 0x21, 0x8e, 0x7e, 0xa2, 0x57, 0xb6, 0x0f, 0xf7, 0x74, 0x82, 0xa7, 0x11, 0x2d, 0xac,
];

/// Checks, proves and verifies it.
pub fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let statement = Readings { digest: DIGEST, squares: 31030 };

    check_mixed(&statement, bits_of(&READINGS), [])?;
    let other = Readings { digest: DIGEST, squares: 31031 };
    let refused = check_mixed(&other, bits_of(&READINGS), []).expect_err("it is one less");
    assert!(matches!(&refused, Error::Unsatisfied(name) if name == "sum of squares"));
    println!("{refused}");

    let (here, there) = pipe(Duration::from_secs(10));
    let report = thread::scope(|parties| {
        let prover = parties.spawn(|| {
            let mut channel = Channel::new(Party::Prover, here);
            let witness = bits_of(&READINGS);
            prove_mixed::<F61, F61>(&statement, witness, [], &mut channel, &Options::default())
        });
        let mut channel = Channel::new(Party::Verifier, there);
        let (_accepted, report) = verify_mixed::<F61, F61>(&statement, &mut channel, &Options::default())?;
        prover.join().expect("the prover does not panic")?;
        Ok::<_, Error>(report)
    })?;
    let converted = report.of::<Converted>().expect("over two fields").both.rounds.conversions;
    println!(
        "accepted: {} words converted, {} bytes received",
        converted.to_numbers, report.traffic.received
    );
    Ok(())
}
