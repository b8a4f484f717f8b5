//! "I know the birth date in this commitment, and whoever was born then is at least 18 today."
//!
//! `cargo run --release -p example age`

use std::array;
use std::thread;
use std::time::Duration;
use volery::channel::{Channel, Party, pipe};
use volery::circuit::gadget::{Array, Bytes, Word, bits_of, sha256};
use volery::circuit::{Backend, Circuit, Shape};
use volery::{Error, F2, Options, Result, check, prove, verify};

/// The statement, which both parties know.
struct Adult {
    /// SHA-256 of a [`record`], from somebody who has seen a passport.
    commitment: [u8; 32],
    /// Year, month and day.
    today: (u16, u8, u8),
}

/// The days of the months, of which none has the number 0.
const DAYS: [u8; 13] = [0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

impl<B: Backend<F = F2>> Circuit<B> for Adult {
    fn run(&self, b: &mut B) -> Result<()> {
        let record = Bytes::witness(b, 20)?;
        let digest = sha256(b, &record)?;
        digest.assert_equal(b, &self.commitment, "commitment")?;

        // Day, month and year are bytes of one number, and a later date is a larger one.
        let date: Word<_, 32> = Word::new(array::from_fn(|i| record.byte(i / 8).bits()[i % 8]));
        let (year, month, day) = self.today;
        let birthday = number(year - 18, month, day);
        let adult = date.at_most(b, &Word::public(birthday.into()))?;
        adult.assert_true(b, "at least 18 years old")?;

        // Whoever signed the commitment may have been careless.
        let (day, month) = (record.byte(0), record.byte(1));
        let days: Array<_, 8> = DAYS.iter().map(|&days| Word::public(days.into())).collect();
        let days = days.read(b, month, "month")?;
        // Day 0 becomes 255, which no month has.
        let before = day.sub(b, &Word::public(1))?;
        let exists = before.less_than(b, &days)?;
        exists.assert_true(b, "a day of the month")
    }
}

/// A date as a number: a later one is larger.
fn number(year: u16, month: u8, day: u8) -> u32 {
    u32::from(year) << 16 | u32::from(month) << 8 | u32::from(day)
}

/// The bytes that are committed to: day, month and year, the lower byte first, and a salt, without which a
/// verifier could try all dates.
fn record(year: u16, month: u8, day: u8) -> [u8; 20] {
    let salt = 0x5b1e_9d40_c372_7fa8_e604_1bd9_5382_ac6f_u128.to_be_bytes();
    let mut record = [0; 20];
    record[..4].copy_from_slice(&number(year, month, day).to_le_bytes());
    record[4..].copy_from_slice(&salt);
    record
}

/// SHA-256 of `record(1990, 5, 17)`.
const COMMITMENT: [u8; 32] = [
    0xe5, 0xc0, 0x94, 0x86, 0x90, 0x7e, 0x9a, 0xf6, 0x91, 0x96, 0x4b, 0x98, 0xb4, 0xea, 0xf1, 0x52, 0xcf,
    0xca, 0x62, 0x83, 0xb4, 0x0e, 0xec, 0x41, 0x78, 0x67, 0x34, 0x02, 0xbb, 0x39, 0x99, 0x6d,
];

/// Counts, checks, proves and verifies it.
pub fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let statement = Adult { commitment: COMMITMENT, today: (2026, 11, 22) };
    let record = record(1990, 5, 17);

    let ands = Shape::of::<F2>(&statement)?.mul;
    println!("{ands} ANDs");

    // Before the day itself, the same commitment proves nothing.
    check(&statement, bits_of(&record))?;
    let earlier = Adult { today: (2008, 5, 16), ..statement };
    let refused = check(&earlier, bits_of(&record)).expect_err("17 years old");
    assert!(matches!(refused, Error::Unsatisfied(_)));
    println!("{refused}");
    check(&Adult { today: (2008, 5, 17), ..statement }, bits_of(&record))?;

    let (here, there) = pipe(Duration::from_secs(10));
    let report = thread::scope(|parties| {
        let prover = parties.spawn(|| {
            let mut channel = Channel::new(Party::Prover, here);
            prove(&statement, bits_of(&record), &mut channel, &Options::default())
        });
        let mut channel = Channel::new(Party::Verifier, there);
        let (_accepted, report) = verify(&statement, &mut channel, &Options::default())?;
        prover.join().expect("the prover does not panic")?;
        Ok::<_, Error>(report)
    })?;
    println!("accepted: {} bytes received", report.traffic.received);
    Ok(())
}
