//! No branch and no address depends on the handshake secret of a web proof, nor on what the proof hides, shown by
//! valgrind's memcheck: docs/constant-time.md says of what, and what that leaves open.
//!
//! The secret is marked as undefined, and so are the keys and the hidden bytes that follow from it and from what was
//! recorded.

use std::process::ExitCode;
use std::thread;
use std::time::Duration;
use volery::channel::{Channel, Party, pipe};
use volery::circuit::stream::Source;
use volery::{Arch, Correlations, F2, Options, System};
use volery_channel::testing::secrets::{self, AESNI, BOTH, Case, Said, case, leaks, slow};
use volery_primitives::arch::memcheck::hide;
use volery_web::tls::{Secret, Suite};
use volery_web::{Form, Statement, sample};

/// Longer than a party works before it says something, slow as it is here.
const TIMEOUT: Duration = Duration::from_secs(600);

/// The longest first.
const CASES: &[Case] = &[
    case("web-proof", AESNI, |arch| proof(arch, Form::Mixed)),
    case("web-check", AESNI, check),
    slow("web-proof-gates", BOTH, |arch| proof(arch, Form::Gates)),
    slow("web-proof-holes", BOTH, |arch| proof(arch, Form::Holes)),
];

fn main() -> ExitCode {
    secrets::main(CASES, env!("CARGO_TARGET_TMPDIR"))
}

/// The handshake secret of the session.
const SECRET: [u8; 32] = [5; 32];

/// The statement, which is public, and the secret, which is not.
fn hidden(suite: Suite, form: Form) -> (Statement, Secret) {
    let statement = sample::hiding_statement(&Secret::new(SECRET), suite, form);
    let mut secret = SECRET;
    hide(&mut secret);
    (statement, Secret::new(secret))
}

/// The statement is checked without its gates: each hidden byte is decrypted, and compared with what it has to be.
fn check(_: Arch) {
    for suite in [Suite::ChaCha20, Suite::Aes128] {
        let (statement, secret) = hidden(suite, Form::Gates);
        statement.check(&secret).unwrap();
        // The control: a branch on what is derived.
        leaks("the secret is one", || assert!(!format!("{:?}", secret.bytes()).is_empty()));
    }
}

/// Runs both parties of the proof, which both draw all of their randomness of a seed that is secret, too.
fn proof(arch: Arch, form: Form) {
    let (statement, secret) = hidden(Suite::Aes128, form);
    let source: &dyn Source<F2> = &statement;
    let seeded = |seed: u8| {
        let mut seed = [seed; 32];
        hide(&mut seed);
        let options = Options::by(System::QUICKSILVER).with_correlations(Correlations::TINY);
        Options { arch, seed: Some(seed), check: false, ..options }
    };
    let (proving, verifying) = (seeded(1), seeded(2));
    let (here, there) = pipe(TIMEOUT);
    let (here, there) = (Said { link: here, public: true }, Said { link: there, public: true });
    thread::scope(|scope| {
        let prover = scope.spawn(move || {
            let mut channel = Channel::new(Party::Prover, here);
            volery::prove(source, Statement::witness(&secret), &mut channel, &proving).unwrap();
        });
        let mut channel = Channel::new(Party::Verifier, there);
        let _accepted = volery::verify(source, &mut channel, &verifying).unwrap();
        prover.join().unwrap();
    });
}
