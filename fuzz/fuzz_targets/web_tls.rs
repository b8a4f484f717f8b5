//! Any bytes of both sides, and any secrets: a recording is verified or refused, and bounds nothing by what it says.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;
use std::time::Duration;
use rustls_pki_types::UnixTime;
use volery_web::recording::{Recording, Side};
use volery_web::tls::{Expected, HandshakeSecrets, Roots, Secret, Suite, verify};

static ROOTS: LazyLock<Roots> = LazyLock::new(|| {
    Roots::from_pem(include_bytes!("../../crates/web/tests/certificates/root.pem")).expect("a certificate")
});

fuzz_target!(|input: (u16, &[u8])| {
    let (cut, bytes) = input;
    let (up, down) = bytes.split_at(usize::from(cut).min(bytes.len()));
    let mut recording = Recording::new();
    recording.push(Side::Client, up, 0);
    recording.push(Side::Server, down, 1);
    let secrets = HandshakeSecrets { client: Secret::new([1; 32]), server: Secret::new([2; 32]) };
    let time = UnixTime::since_unix_epoch(Duration::from_secs(1_900_000_000));
    let expected = Expected { name: "bank.example", suites: &Suite::ALL, roots: &ROOTS, time };
    // Nobody knows secrets by which a flight opens.
    assert!(verify(&recording, &secrets, &expected).is_err());
});
