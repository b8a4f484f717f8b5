//! The bytes on the wire of seeded runs, pinned: a refactoring may not change them, and a change of the protocol must
//! (its commit begins with `wire:`).

mod kit;

use kit::{ABC, Anywhere, network, preimage, run_honestly, seeded};
use volery::{Arch, Correlations, F2, Options};

/// A digest of all messages of both parties, with their boundaries.
fn tape<C: Anywhere>(circuit: &C, witness: &[F2], options: &Options) -> String {
    let session = run_honestly(circuit, witness, options);
    assert!(session.verified.is_ok());
    let mut hasher = blake3::Hasher::new();
    for record in [session.from_prover, session.from_verifier] {
        for message in record.messages() {
            hasher.update(&(message.len() as u64).to_le_bytes());
            hasher.update(&message);
        }
    }
    hasher.finalize().to_hex()[..32].to_string()
}

#[test]
fn pinned() {
    let (preimage, message) = preimage(b"abc", ABC);
    let (network, state) = network(20_000);
    for arch in Arch::available() {
        let options = |correlations| Options { correlations: Some(correlations), arch, ..seeded(42) };
        let four = options(Correlations::SoftSpoken4);
        let eight = options(Correlations::SoftSpoken8);
        assert_eq!(
            tape(&network, &state, &four),
            "6b5a36f4ad98f55b2742c99709cbb3f3",
            "network, {}",
            arch.name()
        );
        assert_eq!(
            tape(&network, &state, &eight),
            "d95271400babaaa72b71cd477ca2c9db",
            "network, {}",
            arch.name()
        );
        assert_eq!(
            tape(&preimage, &message, &eight),
            "d08e262270b073a888de7b93c89e8876",
            "preimage, {}",
            arch.name()
        );
    }
}

#[test]
fn other_seeds_give_other_tapes() {
    let (network, state) = network(10);
    assert_ne!(tape(&network, &state, &seeded(1)), tape(&network, &state, &seeded(2)));
}
