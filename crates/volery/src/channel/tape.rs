//! A link that records what is sent through it, and can flip one bit of it: for tests.

use super::Link;
use std::io;
use std::sync::{Arc, Mutex};

/// What went through a [`Tape`], message by message; shared with the test that made it.
#[derive(Clone, Default)]
pub struct Recording(Arc<Mutex<Vec<Vec<u8>>>>);

impl Recording {
    /// The messages sent so far, in order.
    pub fn messages(&self) -> Vec<Vec<u8>> {
        self.0.lock().expect("no test thread panics with the lock held").clone()
    }
}

/// Which bit to flip: bit `bit` (modulo the message's length in bits) of the message with number `message`.
#[derive(Clone, Copy, Debug)]
pub struct Flip {
    /// The message, counted from zero in order of sending.
    pub message: usize,
    /// The bit within it.
    pub bit: usize,
}

/// Wraps a link; a message is what one call to [`Link::send`] carries.
pub struct Tape<L> {
    link: L,
    recording: Recording,
    flip: Option<Flip>,
}

impl<L> Tape<L> {
    /// Records what is sent over `link`, after changing what `flip` says.
    pub fn new(link: L, flip: Option<Flip>) -> (Self, Recording) {
        let recording = Recording::default();
        (Self { link, recording: recording.clone(), flip }, recording)
    }
}

impl<L: Link> Link for Tape<L> {
    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut bytes = bytes.to_vec();
        let mut messages = self.recording.0.lock().expect("no test thread panics with the lock held");
        if let Some(flip) = self.flip
            && flip.message == messages.len()
            && !bytes.is_empty()
        {
            let bit = flip.bit % (8 * bytes.len());
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        messages.push(bytes.clone());
        drop(messages);
        self.link.send(&bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.link.flush()
    }

    fn recv(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        self.link.recv(bytes)
    }
}
