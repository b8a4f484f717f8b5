//! "I know what so many people earn: the median is this, and so many of them earn at least that, before and
//! after a raise."
//!
//! `cargo run --release -p example median`

use std::thread;
use std::time::Duration;
use volery::channel::{Channel, Party, pipe};
use volery::circuit::gadget::Fixed;
use volery::circuit::{Circuit, Machine};
use volery::{Error, F61, Field, Options, Over, Result, check, prove_over, verify_over};

/// The statement, which both parties know, in cents where it is an amount.
struct Survey {
    people: usize,
    median: i128,
    threshold: i128,
    /// How many earn the threshold or more, first and with a raise.
    above: [u64; 2],
}

/// The factor 1.035 by which each income is multiplied, as a number with 10 bits of fraction: ⌊1.035 · 2^10⌋.
const RAISE: i128 = 1059;

impl<B: Machine<F = F61>> Circuit<B> for Survey {
    fn run(&self, b: &mut B) -> Result<()> {
        // Signed integers of 28 bits, which stand for themselves times 2^-10 where something is rounded.
        let cents = Fixed::new::<F61>(28, 10)?;
        let public = |amount: i128| cents.element::<F61>(amount).expect("an amount of 28 bits");

        let pay = (0..self.people).map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
        cents.assert_numbers(b, &pay, "pay of 28 bits")?;
        let sorted = cents.sorted(b, &pay, 1, "pay in order")?;
        let expected = b.constant(-public(self.median));
        let difference = b.add(sorted[self.people / 2], expected);
        b.assert_zero(difference, "the median")?;

        let raise = vec![b.constant(public(RAISE)); self.people];
        let raised = cents.multiply(b, &pay, &raise, "pay with a raise")?;
        let threshold = vec![b.constant(public(self.threshold)); self.people];
        for (pay, above) in [(pay, self.above[0]), (raised, self.above[1])] {
            let reaches = cents.at_least(b, &pay, &threshold, "at least the threshold")?;
            let mut count = b.constant(-public(above.into()));
            for bit in reaches {
                count = b.add(count, bit);
            }
            b.assert_zero(count, "how many earn so much")?;
        }
        Ok(())
    }
}

/// Checks, proves and verifies it.
pub fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let amounts = [310_000, 250_050, 999_999, 289_999, 290_000, 281_000, 120_000];
    let witness: Vec<F61> = amounts.map(|amount| F61::from_word(amount).expect("a small number")).to_vec();
    let survey = Survey { people: 7, median: 289_999, threshold: 290_000, above: [3, 5] };

    check(&survey, witness.clone())?;
    let other = Survey { median: 290_000, ..survey };
    let refused = check(&other, witness.clone()).expect_err("another median");
    assert!(matches!(&refused, Error::Unsatisfied(name) if name == "the median"));
    println!("{refused}");

    let (here, there) = pipe(Duration::from_secs(10));
    let report = thread::scope(|parties| {
        let prover = parties.spawn(|| {
            let mut channel = Channel::new(Party::Prover, here);
            prove_over::<Over<F61>>(&survey, witness, &mut channel, &Options::default())
        });
        let mut channel = Channel::new(Party::Verifier, there);
        let (_accepted, report) = verify_over::<Over<F61>>(&survey, &mut channel, &Options::default())?;
        prover.join().expect("the prover does not panic")?;
        Ok::<_, Error>(report)
    })?;
    println!("accepted: {} bytes received", report.traffic.received);
    Ok(())
}
