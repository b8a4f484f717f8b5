//! "I know transfers between these accounts after which the first one holds so much, and none was overdrawn."
//!
//! `cargo run --release -p example ledger`

use std::thread;
use std::time::Duration;
use volery::channel::{Channel, Party, pipe};
use volery::circuit::{Cells, Circuit, Machine, Put};
use volery::{Error, F61, Field, Options, Over, Result, check, prove_over, verify_over};

/// The statement, which both parties know: what accounts hold at first, how many transfers there are, and
/// what the first account holds in the end.
struct Ledger {
    start: Vec<F61>,
    transfers: usize,
    end: F61,
}

/// Bits of an amount, and of what an account may hold.
const BITS: u32 = 40;

impl<B: Machine<F = F61>> Circuit<B> for Ledger {
    fn run(&self, b: &mut B) -> Result<()> {
        let mut accounts = b.memory(Cells::Public(&self.start), 1)?;
        for i in 0..self.transfers {
            let [from, to, amount] = [b.witness()?, b.witness()?, b.witness()?];
            b.assert_within(&[amount], BITS, &format_args!("amount {i}"))?;

            let before = b.access(&mut accounts, &[from], Put::Same, &format_args!("payer {i}"))?;
            let less = b.scale(amount, -F61::ONE);
            let after = b.add(before[0], less);
            b.assert_within(&[after], BITS, &format_args!("enough for transfer {i}"))?;
            b.access(&mut accounts, &[from], Put::Word(&[after]), &"payer")?;

            let before = b.access(&mut accounts, &[to], Put::Same, &format_args!("payee {i}"))?;
            let after = b.add(before[0], amount);
            b.assert_within(&[after], BITS, &format_args!("room for transfer {i}"))?;
            b.access(&mut accounts, &[to], Put::Word(&[after]), &"payee")?;
        }
        let first = b.constant(F61::ZERO);
        let last = b.access(&mut accounts, &[first], Put::Same, &"the first account")?;
        let expected = b.constant(-self.end);
        let difference = b.add(last[0], expected);
        b.assert_zero(difference, "what the first account holds")?;
        b.close(accounts)
    }
}

fn number(number: u64) -> F61 {
    F61::from_word(number.into()).expect("a number below 2^61 - 1")
}

/// Checks, proves and verifies it.
pub fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let start = (0..1000).map(|account| number(100 + account)).collect();
    let ledger = Ledger { start, transfers: 3, end: number(100 + 400) };
    // Who pays whom, and how much.
    let transfers = [[7, 999, 50], [999, 3, 1100], [3, 0, 400]];
    let witness: Vec<F61> = transfers.concat().into_iter().map(number).collect();

    check(&ledger, witness.clone())?;
    let overdrawn = [[7, 999, 50], [999, 3, 1150], [3, 0, 400]];
    let refused = check(&ledger, overdrawn.concat().into_iter().map(number)).expect_err("1149 are there");
    assert!(matches!(&refused, Error::Unsatisfied(name) if name == "enough for transfer 1"));
    println!("{refused}");

    let (here, there) = pipe(Duration::from_secs(10));
    let report = thread::scope(|parties| {
        let prover = parties.spawn(|| {
            let mut channel = Channel::new(Party::Prover, here);
            prove_over::<Over<F61>>(&ledger, witness, &mut channel, &Options::default())
        });
        let mut channel = Channel::new(Party::Verifier, there);
        let (_accepted, report) = verify_over::<Over<F61>>(&ledger, &mut channel, &Options::default())?;
        prover.join().expect("the prover does not panic")?;
        Ok::<_, Error>(report)
    })?;
    println!("accepted: {} bytes received", report.traffic.received);
    Ok(())
}
