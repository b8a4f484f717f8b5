//! Links for tests: one that records what is sent through it and can flip one bit of it, and one
//! that plays a record.

use super::Link;
use std::io;
use std::sync::{Arc, Mutex};

/// The messages that went through a [`Tape`], one by one; shared with the test that made it.
#[derive(Clone, Default)]
pub struct Recording(Arc<Mutex<Vec<Vec<u8>>>>);

impl Recording {
    /// The messages sent so far, in order.
    pub fn messages(&self) -> Vec<Vec<u8>> {
        self.0.lock().expect("no test thread panics with the lock held").clone()
    }
}

/// A bit to flip: bit `bit` (modulo the message's length in bits) of message number `message`.
#[derive(Clone, Copy, Debug)]
pub struct Flip {
    /// The message, counted from zero in order of sending.
    pub message: usize,
    /// The bit within it.
    pub bit: usize,
}

/// A link that records what is sent; a message is what one call to [`Link::send`] carries.
pub struct Tape<L> {
    link: L,
    recording: Recording,
    flip: Option<Flip>,
}

impl<L> Tape<L> {
    /// A tape over `link`, which flips a bit on the way where `flip` says so, and its recording.
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

    fn close(&mut self) -> io::Result<()> {
        self.link.close()
    }
}

/// A link whose peer sends recorded, or made-up, bytes. What is sent to it is dropped.
pub struct Playback {
    bytes: Vec<u8>,
    read: usize,
}

impl Playback {
    /// A peer that sends `bytes` and then closes.
    pub fn new(bytes: Vec<u8>) -> Self {
        Self { bytes, read: 0 }
    }
}

impl Link for Playback {
    fn send(&mut self, _: &[u8]) -> io::Result<()> {
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn recv(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        let ready = self.bytes.get(self.read..self.read + bytes.len()).ok_or(io::ErrorKind::UnexpectedEof)?;
        bytes.copy_from_slice(ready);
        self.read += bytes.len();
        Ok(())
    }
}
