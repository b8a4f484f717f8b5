//! The bytes on the wire of seeded runs, pinned: a refactoring may not change them, and a change of the protocol must
//! (its commit begins with `wire:`).

mod kit;

use kit::{ABC, Anywhere, network, preimage, run_honestly, seeded};
use volery::{Arch, Correlations, Depth, F2, Options};

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
        let four = options(Correlations::SoftSpoken(Depth::Four));
        let eight = options(Correlations::SoftSpoken(Depth::Eight));
        assert_eq!(
            tape(&network, &state, &four),
            "02bb0c680742132d82a07bc73c381d6c",
            "network, {}",
            arch.name()
        );
        assert_eq!(
            tape(&network, &state, &eight),
            "f2499af74b48b9fb751ad974ac8e1df5",
            "network, {}",
            arch.name()
        );
        assert_eq!(
            tape(&preimage, &message, &eight),
            "497a6c61d75a0fa0d5f37c0eebed3b54",
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
