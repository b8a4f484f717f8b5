//! Two ends of a link within one process.

use super::{Directions, Link, Receiving, Sending};
use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::time::{Duration, Instant};

/// Bytes gathered before they are handed over.
const PACKET: usize = 1 << 16;
/// Packets on their way at most. Beyond them the sender waits.
const DEPTH: usize = 64;

/// One end of an in-memory link.
pub struct Pipe {
    to: To,
    from: From,
}

/// The sending direction.
struct To {
    /// The other end's, or `None` once it has ended.
    peer: Option<SyncSender<Vec<u8>>>,
    outgoing: Vec<u8>,
    timeout: Duration,
}

/// The receiving direction.
struct From {
    peer: Receiver<Vec<u8>>,
    incoming: Vec<u8>,
    read: usize,
    timeout: Duration,
}

/// Two connected ends; every wait on either is bounded by `timeout`.
pub fn pipe(timeout: Duration) -> (Pipe, Pipe) {
    let (to_second, from_first) = sync_channel(DEPTH);
    let (to_first, from_second) = sync_channel(DEPTH);
    let end = |to, from| Pipe {
        to: To { peer: Some(to), outgoing: vec![], timeout },
        from: From { peer: from, incoming: vec![], read: 0, timeout },
    };
    (end(to_second, from_second), end(to_first, from_first))
}

impl Link for Pipe {
    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.to.send(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }

    fn recv(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        self.from.recv(bytes)
    }

    fn close(&mut self) -> io::Result<()> {
        self.to.end()?;
        self.from.ended()
    }

    fn split(self: Box<Self>) -> io::Result<Directions> {
        Ok(Directions { sending: Box::new(self.to), receiving: Box::new(self.from) })
    }
}

impl Sending for To {
    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.outgoing.extend_from_slice(bytes);
        if self.outgoing.len() >= PACKET { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.outgoing.is_empty() {
            return Ok(());
        }
        let Some(peer) = &self.peer else { return Err(io::ErrorKind::BrokenPipe.into()) };
        let deadline = Instant::now() + self.timeout;
        let mut packet = core::mem::take(&mut self.outgoing);
        loop {
            match peer.try_send(packet) {
                Ok(()) => return Ok(()),
                Err(TrySendError::Disconnected(_)) => return Err(io::ErrorKind::BrokenPipe.into()),
                Err(TrySendError::Full(_)) if Instant::now() > deadline => {
                    return Err(io::ErrorKind::TimedOut.into());
                }
                Err(TrySendError::Full(back)) => packet = back,
            }
            std::thread::yield_now();
        }
    }

    fn end(&mut self) -> io::Result<()> {
        self.flush()?;
        self.peer = None;
        Ok(())
    }

    fn set_timeout(&mut self, timeout: Duration) -> io::Result<()> {
        self.timeout = timeout;
        Ok(())
    }
}

impl Receiving for From {
    fn recv(&mut self, mut bytes: &mut [u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            if self.read == self.incoming.len() {
                self.incoming = self.peer.recv_timeout(self.timeout).map_err(|error| match error {
                    RecvTimeoutError::Timeout => io::ErrorKind::TimedOut,
                    RecvTimeoutError::Disconnected => io::ErrorKind::UnexpectedEof,
                })?;
                self.read = 0;
            }
            let ready = bytes.len().min(self.incoming.len() - self.read);
            bytes[..ready].copy_from_slice(&self.incoming[self.read..self.read + ready]);
            self.read += ready;
            bytes = &mut bytes[ready..];
        }
        Ok(())
    }

    fn ended(&mut self) -> io::Result<()> {
        let all_read = core::mem::replace(&mut self.read, self.incoming.len()) == self.incoming.len();
        if all_read && self.peer.recv_timeout(self.timeout).is_err() {
            return Ok(());
        }
        Err(io::ErrorKind::InvalidData.into())
    }

    fn set_timeout(&mut self, timeout: Duration) -> io::Result<()> {
        self.timeout = timeout;
        Ok(())
    }
}

/// Runs both parties of a test, the prover on a thread of its own, and gives both results. Each takes its link
/// with it.
pub fn side_by_side<P: Send, V>(prover: impl FnOnce() -> P + Send, verifier: impl FnOnce() -> V) -> (P, V) {
    // Threads are started in code that is compiled once, not for each pair of parties.
    fn start(prover: &mut (dyn FnMut() + Send), verifier: &mut dyn FnMut()) {
        std::thread::scope(|scope| {
            scope.spawn(prover);
            verifier();
        });
    }
    let (mut prover, mut verifier) = (Some(prover), Some(verifier));
    let (mut proved, mut verified) = (None, None);
    start(&mut || proved = prover.take().map(|prover| prover()), &mut || {
        verified = verifier.take().map(|verifier| verifier());
    });
    (proved.expect("the prover has ended"), verified.expect("the verifier has ended"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_arrive_in_order_whatever_the_packets() {
        let (mut a, mut b) = pipe(Duration::from_secs(5));
        let sent: Vec<u8> = (0..200_000u32).map(|i| i as u8).collect();
        let expected = sent.clone();
        let writer = std::thread::spawn(move || {
            sent.chunks(777).for_each(|piece| a.send(piece).unwrap());
            a.flush().unwrap();
        });
        let mut received = vec![0; expected.len()];
        received.chunks_mut(1001).for_each(|piece| b.recv(piece).unwrap());
        writer.join().unwrap();
        assert_eq!(received, expected);
        assert_eq!(b.recv(&mut [0]).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    }

    #[test]
    fn silence_ends_in_a_timeout() {
        let (mut a, _b) = pipe(Duration::from_millis(1));
        assert_eq!(a.recv(&mut [0]).unwrap_err().kind(), io::ErrorKind::TimedOut);
    }
}
