//! The running hash of all that two parties said.

use super::Party;

/// One BLAKE3 state per direction, because messages may cross: at a point of the protocol each party knows exactly how
/// many bytes went each way, but not in which order they met.
///
/// Bytes are absorbed as a stream. Message lengths are fixed by the handshake and the statement before they are sent,
/// so a position in the stream names a message; a challenge binds both positions.
pub(super) struct Transcript {
    to_verifier: Direction,
    to_prover: Direction,
    challenges: u64,
}

struct Direction {
    hasher: blake3::Hasher,
    position: u64,
}

impl Direction {
    fn new(context: &'static str) -> Self {
        Self { hasher: blake3::Hasher::new_derive_key(context), position: 0 }
    }
}

impl Transcript {
    pub(super) fn new() -> Self {
        Self {
            to_verifier: Direction::new("volery transcript v1, prover to verifier"),
            to_prover: Direction::new("volery transcript v1, verifier to prover"),
            challenges: 0,
        }
    }

    /// Absorbs what `from` sent.
    pub(super) fn absorb(&mut self, from: Party, bytes: &[u8]) {
        let direction = match from {
            Party::Prover => &mut self.to_verifier,
            Party::Verifier => &mut self.to_prover,
        };
        direction.hasher.update(bytes);
        direction.position += bytes.len() as u64;
    }

    /// The challenge at this point. Each has a number of its own, so that two in a row differ.
    pub(super) fn challenge(&mut self, label: &'static str) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_derive_key("volery transcript v1, challenge");
        for direction in [&self.to_verifier, &self.to_prover] {
            hasher.update(direction.hasher.finalize().as_bytes());
            hasher.update(&direction.position.to_le_bytes());
        }
        hasher.update(&self.challenges.to_le_bytes());
        hasher.update(label.as_bytes());
        self.challenges += 1;
        hasher.finalize().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crossing_messages_do_not_matter_but_every_byte_does() {
        let run = |steps: &[(Party, &[u8])]| {
            let mut transcript = Transcript::new();
            steps.iter().for_each(|(from, bytes)| transcript.absorb(*from, bytes));
            transcript.challenge("test")
        };
        let (p, v) = (Party::Prover, Party::Verifier);
        let here = run(&[(p, b"abc"), (v, b"xy")]);
        assert_eq!(here, run(&[(v, b"xy"), (p, b"a"), (p, b"bc")]));
        for other in [
            run(&[(p, b"abd"), (v, b"xy")]),
            run(&[(v, b"abc"), (p, b"xy")]),
            run(&[(p, b"abc"), (v, b"x")]),
            run(&[(p, b"abcx"), (v, b"y")]),
        ] {
            assert_ne!(here, other);
        }
    }

    #[test]
    fn challenges_differ_by_label_and_number() {
        let mut transcript = Transcript::new();
        let first = transcript.challenge("a");
        assert_ne!(first, transcript.challenge("a"));
        assert_ne!(first, Transcript::new().challenge("b"));
        assert_eq!(first, Transcript::new().challenge("a"));
    }
}
