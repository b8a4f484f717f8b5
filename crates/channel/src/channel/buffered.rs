//! A link that gathers small messages, for a stream on which calls are costly.

use super::{Directions, Link, PARTING, Receiving, Sending};
use std::io;
use std::ops::Range;
use std::time::{Duration, Instant};

/// Bytes gathered before they go to the stream, and bytes read from it at once: enough for a few messages of
/// a streaming proof, so that a system call is rare, and few enough to stay in the second-level cache.
pub(super) const BUFFER: usize = 128 << 10;

/// A handle on a stream of bytes on which few calls are better than many. Each direction may have one of its own.
pub(super) trait Stream: Clone + Send + 'static {
    /// The longest wait.
    fn timeout(&self) -> Duration;

    /// Sets the longest wait.
    fn set_timeout(&mut self, timeout: Duration) -> io::Result<()>;

    /// Hands over all of `bytes`.
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Reads some bytes, at least one: a peer that has closed is an error.
    fn read_some(&mut self, bytes: &mut [u8]) -> io::Result<usize>;

    /// Ends the sending direction.
    fn end(&mut self) -> io::Result<()>;

    /// Ends both directions at once: whoever reads is told.
    fn abort(&mut self);
}

/// A link over a stream.
pub(super) struct Buffered<S> {
    pub(super) stream: S,
    outgoing: Vec<u8>,
    incoming: Box<[u8]>,
    /// The part of `incoming` that was read from the stream and not received yet.
    ready: Range<usize>,
}

impl<S: Stream> Buffered<S> {
    pub(super) fn new(stream: S) -> Self {
        Self {
            stream,
            outgoing: Vec::with_capacity(BUFFER),
            incoming: vec![0; BUFFER].into_boxed_slice(),
            ready: 0..0,
        }
    }

    /// The next `N` bytes, which stay to be received.
    pub(super) fn peek<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let deadline = Instant::now() + self.stream.timeout();
        self.incoming.copy_within(self.ready.clone(), 0);
        self.ready = 0..self.ready.len();
        while self.ready.len() < N {
            if deadline < Instant::now() {
                return Err(too_slow());
            }
            self.ready.end += self.stream.read_some(&mut self.incoming[self.ready.end..])?;
        }
        Ok(*self.incoming.first_chunk().expect("as many are ready"))
    }

    /// Ends the link: see [`Link::close`]. A peer that is slow to close is taken to be gone.
    pub(super) fn close(&mut self) -> io::Result<()> {
        let timeout = self.stream.timeout();
        self.stream.set_timeout(PARTING.min(timeout))?;
        self.flush()?;
        let nothing_follows = core::mem::take(&mut self.ready).is_empty()
            && (self.stream.end().is_err() || self.stream.read_some(&mut self.incoming).is_err());
        if nothing_follows { Ok(()) } else { Err(followed()) }
    }

    /// Splits it: see [`Link::split`].
    pub(super) fn split(self) -> Directions {
        let sending = Self { outgoing: self.outgoing, ..Self::new(self.stream.clone()) };
        let receiving = Self { outgoing: Vec::new(), ..self };
        Directions { sending: Box::new(Half(sending)), receiving: Box::new(Half(receiving)) }
    }
}

/// The error of a link on which something follows the end of the session.
pub(super) fn followed() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "bytes follow the end of the session")
}

/// A link of which one direction is used.
struct Half<S>(Buffered<S>);

impl<S: Stream> Sending for Half<S> {
    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.send(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
    fn end(&mut self) -> io::Result<()> {
        self.0.flush()?;
        self.0.stream.end()
    }
    fn abort(&mut self) {
        self.0.stream.abort();
    }
    fn set_timeout(&mut self, timeout: Duration) -> io::Result<()> {
        self.0.stream.set_timeout(timeout)
    }
}

impl<S: Stream> Receiving for Half<S> {
    fn ready(&self) -> usize {
        self.0.ready()
    }
    fn recv(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        self.0.recv(bytes)
    }
    fn timeout(&self) -> Duration {
        self.0.stream.timeout()
    }
    fn set_timeout(&mut self, timeout: Duration) -> io::Result<()> {
        self.0.stream.set_timeout(timeout)
    }
}

/// The error of a wait that took too long.
pub(super) fn too_slow() -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, "the peer was too slow, or silent")
}

impl<S: Stream> Link for Buffered<S> {
    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.outgoing.len() + bytes.len() > BUFFER {
            self.flush()?;
        }
        if bytes.len() >= BUFFER {
            return self.stream.write_all(bytes);
        }
        self.outgoing.extend_from_slice(bytes);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        let written = self.stream.write_all(&self.outgoing);
        self.outgoing.clear();
        written
    }

    fn ready(&self) -> usize {
        self.ready.len()
    }

    fn recv(&mut self, mut bytes: &mut [u8]) -> io::Result<()> {
        let mut deadline = None;
        while !bytes.is_empty() {
            if self.ready.is_empty() {
                // A peer that drips bytes is as good as silent.
                if *deadline.get_or_insert_with(|| Instant::now() + self.stream.timeout()) < Instant::now() {
                    return Err(too_slow());
                }
                if bytes.len() >= BUFFER {
                    let read = self.stream.read_some(bytes)?;
                    bytes = &mut bytes[read..];
                    continue;
                }
                self.ready = 0..self.stream.read_some(&mut self.incoming)?;
            }
            let take = bytes.len().min(self.ready.len());
            bytes[..take].copy_from_slice(&self.incoming[self.ready.start..self.ready.start + take]);
            self.ready.start += take;
            bytes = &mut bytes[take..];
        }
        Ok(())
    }
}
