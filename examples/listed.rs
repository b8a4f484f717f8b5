//! "I know a ticket of this public list, and one that is not on it is none of mine."
//!
//! `cargo run --release -p example listed [ENTRIES]`

use std::thread;
use std::time::Duration;
use volery::channel::{Channel, Party, pipe};
use volery::circuit::{Circuit, Machine, Rows};
use volery::{Error, F61, Field, Options, Over, Result, check, prove_over, verify_over};

/// The statement, which both parties know: a list, how many entries of it the prover knows, and their sum.
struct Listed {
    list: Vec<F61>,
    known: usize,
    sum: F61,
}

impl<B: Machine<F = F61>> Circuit<B> for Listed {
    fn run(&self, b: &mut B) -> Result<()> {
        // A table of keys without values: a set.
        let mut list = b.table(Rows { key: 1, value: 0, entries: &self.list })?;
        let mut sum = b.constant(-self.sum);
        for i in 0..self.known {
            let ticket = b.witness()?;
            b.look_up(&mut list, &[ticket], &format_args!("ticket {i} is on the list"))?;
            sum = b.add(sum, ticket);
        }
        b.assert_zero(sum, "the sum of the tickets")
    }
}

/// Ticket number `i`: odd ones, in no order that anybody would see.
fn ticket(i: u64) -> F61 {
    let number = i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 5;
    F61::from_word(u128::from(number | 1)).expect("a number of 59 bits")
}

/// Checks, proves and verifies it.
pub fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let entries = std::env::args().nth(2).and_then(|entries| entries.parse().ok()).unwrap_or(2000);
    // Each ticket once.
    let mut list: Vec<F61> = (0..entries).map(ticket).collect();
    list.sort_by_key(|ticket| ticket.to_word());
    list.dedup();
    let witness: Vec<F61> = [3, entries / 2, entries - 1].map(ticket).to_vec();
    let listed = Listed { list, known: witness.len(), sum: witness.iter().copied().sum() };

    check(&listed, witness.clone())?;
    // The sum is the same, and these tickets are not on the list.
    let others = [witness[0] + F61::ONE, witness[1] - F61::ONE, witness[2]];
    let refused = check(&listed, others.to_vec()).expect_err("even numbers");
    assert!(matches!(&refused, Error::Unsatisfied(name) if name == "ticket 0 is on the list"));
    println!("{refused}");

    let (here, there) = pipe(Duration::from_secs(60));
    let report = thread::scope(|parties| {
        let prover = parties.spawn(|| {
            let mut channel = Channel::new(Party::Prover, here);
            prove_over::<Over<F61>>(&listed, witness, &mut channel, &Options::default())
        });
        let mut channel = Channel::new(Party::Verifier, there);
        let (_accepted, report) = verify_over::<Over<F61>>(&listed, &mut channel, &Options::default())?;
        prover.join().expect("the prover does not panic")?;
        Ok::<_, Error>(report)
    })?;
    println!("accepted: {} entries, {} bytes received", listed.list.len(), report.traffic.received);
    Ok(())
}
