//! The running hash of all messages of two parties.

use super::Party;

/// One BLAKE3 state per direction, because messages may cross: at a point of the protocol each party knows
/// exactly how many bytes went each way, but not in which order they met.
///
/// A message enters as its length and its digest, so that long messages are hashed many lanes at a time. Both
/// parties cut the stream alike: what one sends by one call, the other receives by one.
///
/// A **checkpoint** is a point where each party has received all that the other has sent: it fixes the
/// positions of both directions. A **challenge** to one party binds the last checkpoint and all that this
/// party has said by now; what the other one says meanwhile may still be on its way.
pub(super) struct Transcript {
    to_verifier: Direction,
    to_prover: Direction,
    checkpoint: [u8; 32],
    checkpoints: u64,
    /// The begin of the hash of every challenge.
    challenge: blake3::Hasher,
}

struct Direction {
    hasher: blake3::Hasher,
    position: u64,
    challenges: u64,
}

/// The digest of a message.
pub(super) fn digest(bytes: &[u8]) -> [u8; 32] {
    blake3::hash(bytes).into()
}

impl Direction {
    fn new(context: &'static str) -> Self {
        Self { hasher: blake3::Hasher::new_derive_key(context), position: 0, challenges: 0 }
    }

    /// The hash of everything so far, and the number of draws from it.
    fn state(&self) -> [u8; 48] {
        let mut state = [0; 48];
        state[..32].copy_from_slice(self.hasher.finalize().as_bytes());
        state[32..40].copy_from_slice(&self.position.to_le_bytes());
        state[40..].copy_from_slice(&self.challenges.to_le_bytes());
        state
    }
}

impl Transcript {
    /// The transcript of a link, which begins with the link's binding.
    pub(super) fn over(binding: Option<[u8; 32]>) -> Self {
        let checkpoint = binding.map_or([0; 32], |binding| {
            blake3::derive_key("volery transcript v1, binding of the link", &binding)
        });
        Self {
            to_verifier: Direction::new("volery transcript v1, prover to verifier"),
            to_prover: Direction::new("volery transcript v1, verifier to prover"),
            checkpoint,
            checkpoints: 0,
            challenge: blake3::Hasher::new_derive_key("volery transcript v1, challenge"),
        }
    }

    fn said_by(&mut self, party: Party) -> &mut Direction {
        match party {
            Party::Prover => &mut self.to_verifier,
            Party::Verifier => &mut self.to_prover,
        }
    }

    /// Absorbs a message of `from`, of so many bytes.
    pub(super) fn absorb(&mut self, from: Party, length: u64, digest: &[u8; 32]) {
        let direction = self.said_by(from);
        direction.hasher.update(&length.to_le_bytes());
        direction.hasher.update(digest);
        direction.position += length;
    }

    /// Fixes the positions of both directions, and gives the digest of everything so far. Checkpoints are
    /// numbered, so that two in a row differ.
    pub(super) fn checkpoint(&mut self, label: &'static str) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_derive_key("volery transcript v1, meeting");
        hasher.update(&self.checkpoint);
        hasher.update(&self.to_verifier.state());
        hasher.update(&self.to_prover.state());
        hasher.update(&self.checkpoints.to_le_bytes());
        hasher.update(label.as_bytes());
        self.checkpoints += 1;
        self.checkpoint = hasher.finalize().into();
        self.checkpoint
    }

    /// The challenge to `party` after all its messages so far. Challenges are numbered, so that two in a row
    /// differ.
    pub(super) fn challenge(&mut self, party: Party, label: &'static str) -> [u8; 32] {
        let mut hasher = self.challenge.clone();
        hasher.update(&self.checkpoint);
        hasher.update(party.name().as_bytes());
        let direction = self.said_by(party);
        hasher.update(&direction.state());
        hasher.update(label.as_bytes());
        direction.challenges += 1;
        hasher.finalize().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Party::{Prover as P, Verifier as V};

    fn say(transcript: &mut Transcript, from: Party, bytes: &[u8]) {
        transcript.absorb(from, bytes.len() as u64, &digest(bytes));
    }

    fn after(steps: &[(Party, &[u8])]) -> Transcript {
        let mut transcript = Transcript::over(None);
        steps.iter().for_each(|(from, bytes)| say(&mut transcript, *from, bytes));
        transcript
    }

    #[test]
    fn crossing_messages_do_not_matter_but_every_byte_does() {
        let checkpoint = |steps: &[(Party, &[u8])]| after(steps).checkpoint("test");
        let here = checkpoint(&[(P, b"abc"), (V, b"xy")]);
        assert_eq!(here, checkpoint(&[(V, b"xy"), (P, b"abc")]));
        for other in [
            checkpoint(&[(V, b"xy"), (P, b"a"), (P, b"bc")]),
            checkpoint(&[(P, b"abd"), (V, b"xy")]),
            checkpoint(&[(V, b"abc"), (P, b"xy")]),
            checkpoint(&[(P, b"abc"), (V, b"x")]),
            checkpoint(&[(P, b"abcx"), (V, b"y")]),
        ] {
            assert_ne!(here, other);
        }
    }

    #[test]
    fn a_challenge_binds_what_its_party_said_and_the_last_checkpoint() {
        let challenge = |before: &[u8], said: &[u8], other: &[u8]| {
            let mut transcript = after(&[(V, before)]);
            transcript.checkpoint("test");
            say(&mut transcript, P, said);
            say(&mut transcript, V, other);
            transcript.challenge(P, "test")
        };
        let here = challenge(b"v", b"p", b"");
        assert_eq!(here, challenge(b"v", b"p", b"still on its way"));
        assert_ne!(here, challenge(b"v", b"q", b""));
        assert_ne!(here, challenge(b"w", b"p", b""));
    }

    #[test]
    fn a_link_shows_in_every_challenge() {
        let on = |link| {
            let mut transcript = Transcript::over(link);
            (transcript.challenge(P, "test"), transcript.checkpoint("test"), transcript.challenge(V, "test"))
        };
        let links = [None, Some([0; 32]), Some([1; 32])].map(on);
        for (i, one) in links.iter().enumerate() {
            for two in &links[..i] {
                assert!(one.0 != two.0 && one.1 != two.1 && one.2 != two.2);
            }
        }
        assert_eq!(on(Some([1; 32])), links[2]);
    }

    #[test]
    fn challenges_differ_by_party_label_and_number() {
        let mut transcript = Transcript::over(None);
        let first = transcript.challenge(P, "a");
        assert_ne!(first, transcript.challenge(P, "a"));
        assert_ne!(first, Transcript::over(None).challenge(P, "b"));
        assert_ne!(first, Transcript::over(None).challenge(V, "a"));
        assert_eq!(first, Transcript::over(None).challenge(P, "a"));
        assert_ne!(Transcript::over(None).checkpoint("a"), Transcript::over(None).checkpoint("b"));
        assert_ne!(transcript.checkpoint("a"), transcript.checkpoint("a"));
    }
}
