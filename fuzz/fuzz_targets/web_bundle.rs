//! Any bytes of a file for others: what is read has those bytes alone, is printed, and is nobody's record.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;
use volery::Options;
use volery::channel::Identity;
use volery_web::bundle::{Bundle, verify};
use volery_web::policy::{Policy, Wanted};
use volery_web::session::{Signing, Terms};
use volery_web::skeleton::{skeleton, text};
use volery_web::tls::{Roots, Suite};
use volery_web::tunnel::Limits;
use volery_web::{Form, SignedRecord};

static ROOTS: LazyLock<Roots> = LazyLock::new(|| {
    Roots::from_pem(include_bytes!("../../crates/web/tests/certificates/root.pem")).expect("a certificate")
});

static POLICY: LazyLock<Policy> = LazyLock::new(|| {
    let wanted = Wanted {
        host: "bank.example".into(),
        port: 443,
        suites: vec![Suite::default()],
        target: "/balance".into(),
        fields: vec![],
        shown_fields: vec![],
        status: vec![200],
        content_type: None,
        reveal: vec![],
        claims: vec![],
        program: None,
        choose: Default::default(),
    };
    Policy::new(wanted).expect("a policy")
});

fuzz_target!(|bytes: &[u8]| {
    if let Ok(record) = SignedRecord::from_bytes(bytes) {
        assert_eq!(record.to_bytes(), bytes);
    }
    let mut rest = bytes;
    let Ok(bundle) = Bundle::read(&mut rest, [1 << 12; 2]) else { return };
    let read = bundle.to_bytes();
    assert_eq!(read, bytes[..bytes.len() - rest.len()]);
    text(&skeleton(&bundle.opening.client));
    text(&skeleton(&bundle.opening.server));
    // Nobody knows the key of this relay.
    let terms = Terms {
        policy: &POLICY,
        roots: &ROOTS,
        limits: Limits::default(),
        form: Form::Gates,
        signing: Signing::Nothing,
    };
    let relay = [Identity::from_bytes([7; 32])];
    assert!(verify(&mut &bytes[..], &relay, &terms, &Options::default()).is_err());
});
