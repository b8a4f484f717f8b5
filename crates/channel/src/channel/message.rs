//! Messages with their digests in the transcript, which tasks may make.

use super::{Party, transcript};
use crate::pool::{Pool, Task};
use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};
use transcript::Transcript;

/// A message; one that is to be sent has its digest in the transcript, which a task may have made for a thread that
/// does nothing but send.
#[derive(Default)]
pub struct Message {
    bytes: Arc<Vec<u8>>,
    digest: Option<[u8; 32]>,
}

impl Message {
    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn digest(&self) -> [u8; 32] {
        self.digest.unwrap_or_else(|| transcript::digest(&self.bytes))
    }
}

/// A message to be sent.
impl From<Vec<u8>> for Message {
    fn from(bytes: Vec<u8>) -> Self {
        Self { digest: Some(transcript::digest(&bytes)), bytes: Arc::new(bytes) }
    }
}

/// The memory of a message, or none while a task has it.
impl From<Message> for Vec<u8> {
    fn from(message: Message) -> Self {
        Arc::into_inner(message.bytes).unwrap_or_default()
    }
}

/// A challenge that was asked for, and may not be drawn yet.
#[must_use]
pub struct Deferred(Arc<OnceLock<[u8; 32]>>);

impl Deferred {
    /// The challenge, if it was drawn.
    pub fn get(&self) -> Option<&[u8; 32]> {
        self.0.get()
    }
}

/// The end of the peer's stream, in its order, that the transcript has not absorbed.
#[derive(Default)]
pub(super) struct Pending {
    steps: VecDeque<Step>,
    /// The number of messages among them.
    messages: usize,
}

enum Step {
    /// A message of so many bytes, and what makes its digest.
    Message(u64, Task<[u8; 32]>),
    Challenge(&'static str, Arc<OnceLock<[u8; 32]>>),
}

impl Pending {
    /// Appends a message of these bytes, whose digest is made by `pool`.
    pub(super) fn push(&mut self, bytes: Vec<u8>, pool: &Pool) -> Message {
        let bytes = Arc::new(bytes);
        let (length, hashed) = (bytes.len() as u64, bytes.clone());
        self.steps.push_back(Step::Message(length, pool.run(move || transcript::digest(&hashed))));
        self.messages += 1;
        Message { bytes, digest: None }
    }

    /// Appends a challenge to the peer.
    pub(super) fn challenge(&mut self, label: &'static str) -> Deferred {
        let drawn = Arc::default();
        self.steps.push_back(Step::Challenge(label, Arc::clone(&drawn)));
        Deferred(drawn)
    }

    /// Absorbs messages until so many are left, and draws the challenges before them.
    pub(super) fn settle(&mut self, transcript: &mut Transcript, peer: Party, left: usize) {
        while self.messages > left || matches!(self.steps.front(), Some(Step::Challenge(..))) {
            match self.steps.pop_front().expect("a message") {
                Step::Message(length, digest) => {
                    self.messages -= 1;
                    transcript.absorb(peer, length, &digest.wait());
                }
                Step::Challenge(label, drawn) => {
                    let challenge = transcript.challenge(peer, label);
                    drawn.set(challenge).expect("drawn once");
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channel::{Channel, Playback};

    /// Draws a verifier's challenges after each of a prover's messages, some of which are received as messages whose
    /// digests are made by tasks, and the rest at once; then one to itself, and a checkpoint.
    fn drawn(threads: usize, late: impl Fn(usize) -> bool) -> Vec<[u8; 32]> {
        const LENGTHS: [usize; 9] = [1, 70_000, 16, 3, 40_000, 0, 5_000, 5_000, 1];
        let said = (0..LENGTHS.iter().sum()).map(|at: usize| (at % 251) as u8).collect::<Vec<_>>();
        let mut channel = Channel::new(Party::Verifier, Playback::new(said));
        channel.share_work(&Pool::of(threads));
        let mut asked = Vec::new();
        for (at, length) in LENGTHS.into_iter().enumerate() {
            if late(at) {
                let message = channel.recv_message(length, vec![7; 100]).unwrap();
                assert_eq!(message.bytes().len(), length);
                asked.push(channel.defer_challenge("test"));
            } else {
                channel.recv(&mut vec![0; length]).unwrap();
                asked.push(Deferred(Arc::new(channel.challenge(Party::Prover, "test").into())));
            }
            channel.send(&[at as u8]).unwrap();
        }
        let at_once = [channel.challenge(Party::Verifier, "test"), channel.checkpoint("test")];
        let asked = asked.into_iter().map(|later| *later.get().expect("drawn by the checkpoint"));
        asked.chain(at_once).collect()
    }

    #[test]
    fn challenges_are_the_same_whenever_they_are_drawn() {
        let expected = drawn(1, |_| false);
        for threads in [1, 2, 3, 16] {
            for late in 0..1 << 9 {
                if threads > 1 && late % 7 != 3 {
                    continue;
                }
                assert_eq!(drawn(threads, |at| late >> at & 1 == 1), expected, "{threads} threads, {late:b}");
            }
        }
    }

    /// Challenges are drawn at once where there are no further threads.
    #[test]
    fn nothing_is_put_off_by_one_thread() {
        let mut channel = Channel::new(Party::Verifier, Playback::new(vec![1; 20]));
        let _ = channel.recv_message(20, Vec::new()).unwrap();
        assert!(channel.defer_challenge("test").get().is_some());
    }

    /// A challenge is there once it is needed, and a channel has only those that were asked of it.
    #[test]
    fn challenges_are_drawn_on_demand() {
        let mut channels = [1, 2].map(|_| Channel::new(Party::Verifier, Playback::new(vec![1; 20])));
        channels[0].share_work(&Pool::of(2));
        let _ = channels[0].recv_message(20, Vec::new()).unwrap();
        let later = channels[0].defer_challenge("test");
        assert!(later.get().is_none());
        channels[1].recv(&mut [0; 20]).unwrap();
        assert_eq!(channels[0].draw(&later), channels[1].challenge(Party::Prover, "test"));
        assert!(later.get().is_some());
    }

    #[test]
    #[should_panic = "asked of this channel"]
    fn challenges_of_another_channel_are_refused() {
        let mut channels = [1, 2].map(|_| Channel::new(Party::Verifier, Playback::new(vec![1; 20])));
        channels[0].share_work(&Pool::of(2));
        let _ = channels[0].recv_message(20, Vec::new()).unwrap();
        let later = channels[0].defer_challenge("test");
        channels[1].draw(&later);
    }
}
