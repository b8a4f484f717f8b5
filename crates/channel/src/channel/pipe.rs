//! Two ends of a link within one process.

use super::{Directions, Link, Receiving, Sending};
use std::collections::VecDeque;
use std::io::{self, ErrorKind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

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
    way: Arc<Way>,
    /// The way back, whose reader can be told to give up.
    back: Arc<Way>,
    outgoing: Vec<u8>,
    timeout: Duration,
}

/// The receiving direction.
struct From {
    way: Arc<Way>,
    incoming: Vec<u8>,
    read: usize,
    timeout: Duration,
}

/// Packets from one end to the other.
#[derive(Default)]
struct Way {
    on_it: Mutex<OnIt>,
    changed: Condvar,
}

#[derive(Default)]
struct OnIt {
    packets: VecDeque<Vec<u8>>,
    /// Whether no more packets come.
    has_ended: bool,
    /// Whether nobody takes them.
    is_left: bool,
}

impl Way {
    fn on_it(&self) -> MutexGuard<'_, OnIt> {
        self.on_it.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes what is on the way, once it is no longer so that one has to wait, or `timeout` is over.
    fn once<T>(
        &self,
        timeout: Duration,
        waits: fn(&mut OnIt) -> bool,
        change: impl FnOnce(&mut OnIt) -> T,
    ) -> T {
        let waited = self.changed.wait_timeout_while(self.on_it(), timeout, waits);
        let changed = change(&mut waited.unwrap_or_else(PoisonError::into_inner).0);
        self.changed.notify_all();
        changed
    }

    /// Takes a packet.
    fn take(&self, timeout: Duration) -> io::Result<Vec<u8>> {
        let waits = |on_it: &mut OnIt| on_it.packets.is_empty() && !on_it.has_ended;
        self.once(timeout, waits, |on_it| match on_it.packets.pop_front() {
            Some(packet) => Ok(packet),
            None if on_it.has_ended => Err(ErrorKind::UnexpectedEof.into()),
            None => Err(ErrorKind::TimedOut.into()),
        })
    }

    fn end(&self) {
        self.on_it().has_ended = true;
        self.changed.notify_all();
    }
}

/// Two connected ends; every wait on either is bounded by `timeout`.
pub fn pipe(timeout: Duration) -> (Pipe, Pipe) {
    let [there, back] = [Arc::<Way>::default(), Arc::default()];
    let end = |to: &Arc<Way>, from: &Arc<Way>| Pipe {
        to: To { way: to.clone(), back: from.clone(), outgoing: vec![], timeout },
        from: From { way: from.clone(), incoming: vec![], read: 0, timeout },
    };
    (end(&there, &back), end(&back, &there))
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
        let From { way, incoming, read, timeout } = &mut self.from;
        let all_read = core::mem::replace(read, incoming.len()) == incoming.len();
        if all_read && way.take(*timeout).is_err() { Ok(()) } else { Err(ErrorKind::InvalidData.into()) }
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
        let packet = core::mem::take(&mut self.outgoing);
        let waits = |on_it: &mut OnIt| on_it.packets.len() >= DEPTH && !on_it.is_left;
        self.way.once(self.timeout, waits, |on_it| {
            if on_it.is_left || on_it.has_ended {
                return Err(ErrorKind::BrokenPipe.into());
            }
            if on_it.packets.len() >= DEPTH {
                return Err(ErrorKind::TimedOut.into());
            }
            on_it.packets.push_back(packet);
            Ok(())
        })
    }

    fn end(&mut self) -> io::Result<()> {
        self.flush()?;
        self.way.end();
        Ok(())
    }

    fn abort(&mut self) {
        self.way.end();
        self.back.end();
    }

    fn set_timeout(&mut self, timeout: Duration) -> io::Result<()> {
        self.timeout = timeout;
        Ok(())
    }
}

impl Drop for To {
    fn drop(&mut self) {
        self.way.end();
    }
}

impl Receiving for From {
    fn recv(&mut self, mut bytes: &mut [u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            if self.read == self.incoming.len() {
                self.incoming = self.way.take(self.timeout)?;
                self.read = 0;
            }
            let ready = bytes.len().min(self.incoming.len() - self.read);
            bytes[..ready].copy_from_slice(&self.incoming[self.read..self.read + ready]);
            self.read += ready;
            bytes = &mut bytes[ready..];
        }
        Ok(())
    }

    fn timeout(&self) -> Duration {
        self.timeout
    }

    fn set_timeout(&mut self, timeout: Duration) -> io::Result<()> {
        self.timeout = timeout;
        Ok(())
    }
}

impl Drop for From {
    fn drop(&mut self) {
        self.way.on_it().is_left = true;
        self.way.changed.notify_all();
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
