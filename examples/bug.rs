//! "I know an input that breaks this code", which shows nobody how.
//!
//! `cargo run --release -p example bug`
//!
//! The code reads a text with its length before it, such as `5:hello`, and gives the mean of its characters:
//!
//! ```c
//! int mean(const char *input) {
//!     unsigned char text[8];
//!     size_t n = (size_t) (unsigned char) input[0] - '0';
//!     if (n == 0 || n > sizeof text || input[1] != ':')
//!         return -1;
//!     int sum = 0;
//!     size_t i = 0;
//!     while (i < n) {
//!         text[i] = input[2 + i];
//!         sum += text[i];
//!         i++;
//!     }
//!     text[n] = 0;
//!     return sum / (int) n;
//! }
//! ```

use std::thread;
use std::time::Duration;
use volery::channel::{Channel, Party, pipe};
use volery::circuit::code::string::Text;
use volery::circuit::code::{Code, Int};
use volery::circuit::gadget::{Bytes, bits_of};
use volery::circuit::{Backend, Circuit, Shape};
use volery::{Error, F2, Options, Result, check, prove, verify};

fn mean<'c, B: Backend<F = F2>>(code: &'c Code<B>, input: &Text<'c, B>) -> Int<'c, B> {
    code.function(code.int(0), |function| {
        let text = code.zeros::<8>("text", 8);
        let n = input.at(0).size() - '0';
        let wrong = n.is_zero() | n.gt(8) | input.at(1).ne(':');
        code.when(wrong, || function.return_(code.int(-1)));
        let sum = code.var(code.int(0));
        let i = code.var(code.size(0));
        code.while_(
            8,
            || i.get().lt(n),
            || {
                text.set_at(i.get(), input.at(i.get() + 2));
                sum.update(|sum| sum + text.at(i.get()).int());
                i.update(|i| i + 1);
            },
        );
        text.set_at(n, '\0');
        function.return_(sum.get() / n.int());
    })
}

/// The statement, which both parties know: the code, and that its input has ten bytes.
struct Breaks;

impl<B: Backend<F = F2>> Circuit<B> for Breaks {
    fn run(&self, b: &mut B) -> Result<()> {
        let input = Bytes::witness(b, 10)?;
        let outcome = Code::run(b, |code| {
            mean(code, &code.bytes("input", &input));
        })?;
        outcome.assert_failed(b)
    }
}

/// Checks, proves and verifies it.
pub fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    println!("{} ANDs", Shape::of::<F2>(&Breaks)?.mul);

    // An input that is handled well is no proof.
    let refused = check(&Breaks, bits_of(b"5:hello\0\0\0")).expect_err("nothing breaks");
    assert!(matches!(refused, Error::Unsatisfied(_)));
    println!("{refused}");

    // All eight bytes of the text are taken: the zero at its end goes beyond.
    let exploit = b"8:elephant";
    check(&Breaks, bits_of(exploit))?;

    let (here, there) = pipe(Duration::from_secs(10));
    let report = thread::scope(|parties| {
        let prover = parties.spawn(|| {
            let mut channel = Channel::new(Party::Prover, here);
            prove(&Breaks, bits_of(exploit), &mut channel, &Options::default())
        });
        let mut channel = Channel::new(Party::Verifier, there);
        let (_accepted, report) = verify(&Breaks, &mut channel, &Options::default())?;
        prover.join().expect("the prover does not panic")?;
        Ok::<_, Error>(report)
    })?;
    println!("accepted: {} bytes received", report.traffic.received);
    Ok(())
}
