//! Recordings of a connection by its relay: the bytes of both directions, and the order in which they came.

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
    /// SHA-256 of what the client sent.
    pub up: [u8; 32],
    /// SHA-256 of what the server sent.
    pub down: [u8; 32],
}

impl Recording {
    /// The recording of a connection that carried nothing yet.
    pub fn new() -> Self {
        Self::default()
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

    /// The digests of both streams.
    pub fn digest(&self) -> RecordingDigest {
        let of = |stream: &[u8]| Sha256::digest(stream).into();
        RecordingDigest { up: of(&self.up), down: of(&self.down) }
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
}
