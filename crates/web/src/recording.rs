//! Recordings of a connection by its relay: the bytes of both directions, and the order in which they came.

use crate::error::{Place, Refusal, Why};
use core::fmt::{self, Display};
use sha2::{Digest, Sha256};

/// A side of the connection to the server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// The prover's client, whose bytes go up.
    Client,
    /// The server, whose bytes come down.
    Server,
}

impl Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Client => "client",
            Self::Server => "server",
        })
    }
}

/// Bytes of one side that passed a relay at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Passage {
    /// The side that sent them.
    pub side: Side,
    /// The bytes of that side that had passed by then, these included.
    pub end: usize,
    /// The time since the connection began, in milliseconds.
    pub millis: u32,
}

/// The recording of one connection: what each side sent, and when it passed the relay. Nothing of it is secret to
/// whoever forwards it; its contents are encrypted but for the first two messages.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Recording {
    up: Vec<u8>,
    down: Vec<u8>,
    order: Vec<Passage>,
}

/// The digests of a recording, by which two parties find whether they have the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RecordingDigest {
    /// The lengths of what the client sent, and of what the server sent.
    pub lengths: [u64; 2],
    /// SHA-256 of what the client sent.
    pub up: [u8; 32],
    /// SHA-256 of what the server sent.
    pub down: [u8; 32],
    /// SHA-256 of the order in which they passed: for each passage its side, 0 for the client, and the bytes of
    /// that side up to its end, in eight bytes. Times are left out, which differ.
    pub order: [u8; 32],
}

impl RecordingDigest {
    /// The bytes of one.
    pub(crate) const BYTES: usize = 2 * 8 + 3 * 32;

    /// The lengths, big-endian, and the three digests.
    pub(crate) fn to_bytes(self) -> [u8; Self::BYTES] {
        let Self { lengths, up, down, order } = self;
        let all = [lengths.map(u64::to_be_bytes).as_flattened(), &up, &down, &order].concat();
        all.try_into().expect("as many")
    }

    /// The digest with these bytes.
    pub(crate) fn from_bytes(bytes: &[u8; Self::BYTES]) -> Self {
        let (lengths, digests) = bytes.split_at(16);
        let length = |at: usize| u64::from_be_bytes(*lengths[8 * at..].first_chunk().expect("as many"));
        let digest = |at: usize| *digests[32 * at..].first_chunk().expect("as many");
        Self { lengths: [length(0), length(1)], up: digest(0), down: digest(1), order: digest(2) }
    }
}

impl Recording {
    /// The recording of a connection that carried nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The recording of these bytes of either side, which passed in this order.
    ///
    /// # Errors
    /// A refusal of the prover, who has it from a relay, where the order is not of these bytes.
    pub(crate) fn ordered(up: Vec<u8>, down: Vec<u8>, order: Vec<Passage>) -> Result<Self, Refusal> {
        let mut ends = [0; 2];
        for Passage { side, end, .. } in &order {
            let before = core::mem::replace(&mut ends[usize::from(*side == Side::Server)], *end);
            if before >= *end {
                return Err(Refusal::of_prover(Place::Order, Why::NotCanonical));
            }
        }
        if ends != [up.len(), down.len()] {
            return Err(Refusal::of_prover(Place::Order, Why::NotCanonical));
        }
        Ok(Self { up, down, order })
    }

    /// Appends bytes that passed. Whoever forwards bounds their number.
    pub fn push(&mut self, side: Side, bytes: &[u8], millis: u32) {
        if bytes.is_empty() {
            return;
        }
        let stream = match side {
            Side::Client => &mut self.up,
            Side::Server => &mut self.down,
        };
        stream.extend_from_slice(bytes);
        self.order.push(Passage { side, end: stream.len(), millis });
    }

    /// All that a side sent.
    pub fn stream(&self, side: Side) -> &[u8] {
        match side {
            Side::Client => &self.up,
            Side::Server => &self.down,
        }
    }

    /// The passages, in their order.
    pub fn order(&self) -> &[Passage] {
        &self.order
    }

    /// Whether all of the client's first `up` bytes had passed before the server's byte at `down`, counted from 0,
    /// did.
    pub fn passed_before(&self, up: usize, down: usize) -> bool {
        let first = |side, bytes: usize| self.order.iter().position(|p| p.side == side && p.end >= bytes);
        let sent = if up == 0 { Some(0) } else { first(Side::Client, up) };
        // One that never passed is later than all.
        let received = first(Side::Server, down + 1).unwrap_or(self.order.len());
        sent.is_some_and(|sent| sent < received)
    }

    /// The digests of both streams, and of their order.
    pub fn digest(&self) -> RecordingDigest {
        let of = |stream: &[u8]| Sha256::digest(stream).into();
        let mut order = Sha256::new();
        for Passage { side, end, .. } in &self.order {
            order.update([(*side == Side::Server).into()]);
            order.update((*end as u64).to_be_bytes());
        }
        let lengths = [&self.up, &self.down].map(|stream| stream.len() as u64);
        RecordingDigest { lengths, up: of(&self.up), down: of(&self.down), order: order.finalize().into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_passed_before_what() {
        let mut recording = Recording::new();
        recording.push(Side::Client, b"abc", 0);
        recording.push(Side::Server, b"", 1);
        recording.push(Side::Server, b"de", 2);
        recording.push(Side::Client, b"f", 3);
        recording.push(Side::Server, b"g", 4);
        assert_eq!((recording.stream(Side::Client), recording.order().len()), (&b"abcf"[..], 4));
        assert!(
            recording.passed_before(3, 0) && recording.passed_before(4, 2) && recording.passed_before(0, 0)
        );
        assert!(!recording.passed_before(4, 1) && !recording.passed_before(5, 2));
        assert!(recording.passed_before(4, 7));
    }

    #[test]
    fn orders_are_of_their_bytes() {
        let ordered = |ends: &[(Side, usize)]| {
            let order = ends.iter().map(|(side, end)| Passage { side: *side, end: *end, millis: 0 });
            Recording::ordered(b"abc".to_vec(), b"de".to_vec(), order.collect())
        };
        use Side::{Client, Server};
        let mut recording = Recording::new();
        recording.push(Client, b"abc", 0);
        recording.push(Server, b"de", 9);
        let same = ordered(&[(Client, 3), (Server, 2)]).unwrap();
        assert_eq!(same.digest(), recording.digest());
        let digest = same.digest();
        assert_eq!(RecordingDigest::from_bytes(&digest.to_bytes()), digest);
        assert_ne!(ordered(&[(Server, 2), (Client, 3)]).unwrap().digest(), digest);
        let wrong: [&[(Side, usize)]; 6] = [
            &[],
            &[(Client, 3)],
            &[(Client, 3), (Server, 3)],
            &[(Client, 4), (Server, 2)],
            &[(Client, 0), (Client, 3), (Server, 2)],
            &[(Client, 3), (Client, 3), (Server, 2)],
        ];
        for order in wrong {
            let refused = ordered(order).unwrap_err();
            assert_eq!((refused.at, refused.why), (Place::Order, Why::NotCanonical));
        }
    }
}
