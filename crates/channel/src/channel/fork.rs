//! Two links over one, for two protocols that run beside each other.
//!
//! | bytes | what |
//! |---|---|
//! | 1 | the link of the two, 0 or 1 |
//! | 3 | how many bytes of it follow, at most [`FRAME`], least significant first |
//! | n | these |
//!
//! A frame goes out where a protocol flushes, or has gathered as much as one holds, and is never empty. Whoever waits for
//! bytes of its link, when nobody reads, reads frames, and keeps those of the other link for whom they are: up to
//! [`AHEAD`] bytes, beyond which it leaves them to the socket until they are received. Each wait is as long as one on
//! the link below, whatever comes for the other link meanwhile; and what ends one of the two ends both.
//!
//! Both links have the binding of the one below, so that challenges of either are worth nothing elsewhere; who runs the
//! same protocol over both tells them apart by its first message.

use super::buffered::{followed, too_slow};
use super::{Directions, Link, PARTING, Receiving, Sending};
use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The most bytes of a frame.
const FRAME: usize = 64 << 10;
/// The bytes in front of them.
const HEAD: usize = 4;
/// The most bytes of a link that are kept while the other one is waited for.
const AHEAD: usize = 1 << 20;

/// One of two links over one.
pub struct Fork {
    shared: Arc<Shared>,
    /// The place of this one among the two.
    own: usize,
    outgoing: Vec<u8>,
    binding: Option<[u8; 32]>,
}

/// The link below, which both have.
struct Shared {
    sending: Mutex<Box<dyn Sending>>,
    /// Whether a frame was cut short: the peer could not tell another from its rest.
    is_broken: AtomicBool,
    receiving: Mutex<Box<dyn Receiving>>,
    arrived: Mutex<Arrived>,
    changed: Condvar,
    /// The longest wait for bytes of a link.
    timeout: Duration,
}

/// The bytes that have been received of either link.
#[derive(Default)]
struct Arrived {
    bytes: [VecDeque<u8>; 2],
    /// Whether nobody wants them any more.
    are_gone: [bool; 2],
    /// Whether somebody reads frames.
    is_read: bool,
    /// Why nothing comes any more.
    ended: Option<(ErrorKind, String)>,
}

/// Two links over `link`; the peer has to do the same at the same point.
///
/// # Errors
/// [`ErrorKind::Unsupported`] where its directions cannot be taken apart.
pub fn fork(link: Box<dyn Link>) -> io::Result<[Fork; 2]> {
    let binding = link.binding();
    let Directions { sending, receiving } = link.split()?;
    let timeout = receiving.timeout();
    let shared = Arc::new(Shared {
        timeout,
        sending: Mutex::new(sending),
        is_broken: AtomicBool::new(false),
        receiving: Mutex::new(receiving),
        arrived: Mutex::default(),
        changed: Condvar::new(),
    });
    Ok([0, 1].map(|own| Fork { shared: shared.clone(), own, outgoing: vec![], binding }))
}

impl Shared {
    fn arrived(&self) -> MutexGuard<'_, Arrived> {
        held(&self.arrived)
    }

    /// Reads a frame, and keeps it for its link.
    fn read(&self) -> io::Result<()> {
        let mut receiving = held(&self.receiving);
        let mut head = [0; HEAD];
        receiving.recv(&mut head)?;
        let [of, length @ ..] = head;
        let length = length.iter().rev().fold(0, |length, byte| length << 8 | usize::from(*byte));
        if of > 1 || !(1..=FRAME).contains(&length) {
            return Err(io::Error::new(ErrorKind::InvalidData, "the peer does not speak of two links"));
        }
        let mut bytes = vec![0; length];
        receiving.recv(&mut bytes)?;
        drop(receiving);
        let mut arrived = self.arrived();
        if !arrived.are_gone[usize::from(of)] {
            arrived.bytes[usize::from(of)].extend(bytes);
        }
        Ok(())
    }

    /// Waits until something has changed: until a frame has come, which this thread reads if nobody else does, or the
    /// end of both links, or `deadline`, which ends them.
    fn wait<'s>(
        &'s self,
        mut arrived: MutexGuard<'s, Arrived>,
        own: usize,
        deadline: Instant,
    ) -> MutexGuard<'s, Arrived> {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            arrived.end(&too_slow());
        } else if arrived.is_read || arrived.bytes[1 - own].len() > AHEAD {
            let waited = self.changed.wait_timeout(arrived, left);
            return waited.unwrap_or_else(PoisonError::into_inner).0;
        } else {
            arrived.is_read = true;
            drop(arrived);
            let read = self.read();
            arrived = self.arrived();
            arrived.is_read = false;
            if let Err(why) = &read {
                arrived.end(why);
            }
        }
        self.changed.notify_all();
        arrived
    }

    /// Fills all of `bytes` with what comes of a link.
    fn receive(&self, own: usize, mut bytes: &mut [u8]) -> io::Result<()> {
        let deadline = Instant::now() + self.timeout;
        let mut arrived = self.arrived();
        while !bytes.is_empty() {
            let taken = arrived.bytes[own].read(bytes)?;
            bytes = &mut bytes[taken..];
            if taken > 0 {
                // The other may have waited for room.
                self.changed.notify_all();
            } else if let Some((kind, why)) = &arrived.ended {
                return Err(io::Error::new(*kind, why.clone()));
            } else {
                arrived = self.wait(arrived, own, deadline);
            }
        }
        Ok(())
    }
}

impl Arrived {
    /// Ends both links; the first reason is the one that counts.
    fn end(&mut self, why: &io::Error) {
        self.ended.get_or_insert_with(|| (why.kind(), why.to_string()));
    }
}

/// A handle by which a thread gives both links up, and those that wait on them are told.
#[derive(Clone)]
pub struct Abort(Arc<Shared>);

impl Abort {
    /// Gives both links up.
    pub fn abort(&self) {
        let why = io::Error::new(ErrorKind::ConnectionAborted, "this side has given the link up");
        self.0.arrived().end(&why);
        self.0.changed.notify_all();
        held(&self.0.sending).abort();
    }
}

impl Fork {
    /// A handle by which another thread gives both links up.
    pub fn abort_handle(&self) -> Abort {
        Abort(self.shared.clone())
    }

    /// Sends what was gathered as a frame.
    fn hand_over(&mut self) -> io::Result<MutexGuard<'_, Box<dyn Sending>>> {
        let mut sending = held(&self.shared.sending);
        if self.shared.is_broken.load(Relaxed) {
            return Err(ErrorKind::BrokenPipe.into());
        }
        if !self.outgoing.is_empty() {
            let [a, b, c, _] = u32::try_from(self.outgoing.len()).expect("a frame").to_le_bytes();
            let sent = sending.send(&[self.own as u8, a, b, c]).and_then(|()| sending.send(&self.outgoing));
            self.outgoing.clear();
            self.shared.is_broken.store(sent.is_err(), Relaxed);
            sent?;
        }
        Ok(sending)
    }
}

impl Link for Fork {
    fn send(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while self.outgoing.len() + bytes.len() > FRAME {
            let (now, later) = bytes.split_at(FRAME - self.outgoing.len());
            self.outgoing.extend_from_slice(now);
            drop(self.hand_over()?);
            bytes = later;
        }
        self.outgoing.extend_from_slice(bytes);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        let shared = self.shared.clone();
        let flushed = self.hand_over()?.flush();
        shared.is_broken.fetch_or(flushed.is_err(), Relaxed);
        flushed
    }

    fn ready(&self) -> usize {
        self.shared.arrived().bytes[self.own].len()
    }

    fn recv(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        self.shared.receive(self.own, bytes)
    }

    fn binding(&self) -> Option<[u8; 32]> {
        self.binding
    }

    /// Ends the sending direction of both links, and waits until the peer has ended its own, or is gone.
    fn close(&mut self) -> io::Result<()> {
        self.hand_over()?.end()?;
        let (shared, own) = (&self.shared, self.own);
        let patience = PARTING.min(shared.timeout);
        let deadline = Instant::now() + patience;
        let mut arrived = shared.arrived();
        // A thread that reads for the other link has its own patience, and is waited for no longer than this.
        if !arrived.is_read {
            held(&shared.receiving).set_timeout(patience)?;
        }
        while arrived.ended.is_none() && arrived.bytes[own].is_empty() && Instant::now() < deadline {
            arrived = shared.wait(arrived, own, deadline);
        }
        let nothing_follows = arrived.bytes[own].is_empty();
        arrived.bytes[own].clear();
        if nothing_follows { Ok(()) } else { Err(followed()) }
    }
}

impl Drop for Fork {
    /// Leaves the other link to itself.
    fn drop(&mut self) {
        let mut arrived = self.shared.arrived();
        arrived.are_gone[self.own] = true;
        arrived.bytes[self.own].clear();
        self.shared.changed.notify_all();
    }
}

/// The contents of a lock, which no thread leaves half-way.
fn held<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channel::{Tcp, pipe};
    use std::io::Write;
    use std::net::{TcpListener, TcpStream};
    use std::thread;
    use std::time::Duration;

    /// Two forks over a pipe.
    fn forks() -> [[Fork; 2]; 2] {
        let (here, there) = pipe(Duration::from_secs(10));
        [fork(Box::new(here)).unwrap(), fork(Box::new(there)).unwrap()]
    }

    /// Bytes go both ways on both links at once, whichever of them is read first, and around the size of a frame.
    #[test]
    fn both_links_carry_at_once() {
        let sizes = [1, 100, FRAME - 1, FRAME, FRAME + 1, 3 * FRAME, 5];
        let run = |mut link: Fork, tag: u8| {
            move || {
                for size in sizes {
                    link.send(&vec![tag; size]).unwrap();
                    link.flush().unwrap();
                    let mut bytes = vec![0; size];
                    link.recv(&mut bytes).unwrap();
                    assert!(bytes.iter().all(|byte| *byte == tag));
                }
                link
            }
        };
        let threads = forks().map(|ends| {
            let [one, other] = ends;
            [thread::spawn(run(one, 1)), thread::spawn(run(other, 2))]
        });
        let [here, there] = threads.map(|ends| ends.map(|end| end.join().unwrap()));
        let closing = thread::spawn(move || {
            let [mut one, _other] = there;
            one.close()
        });
        let [_one, mut other] = here;
        other.close().unwrap();
        closing.join().unwrap().unwrap();
    }

    /// Bytes of the other link are kept for it; those of its own that nobody received are told at the end, once.
    #[test]
    fn what_is_not_received_is_told() {
        let [[mut one, other], [mut to_one, mut to_other]] = forks();
        to_other.send(b"for the other").and_then(|()| to_other.flush()).unwrap();
        to_one.send(b"for one, and more").and_then(|()| to_one.flush()).unwrap();
        one.recv(&mut [0; 7]).unwrap();
        assert_eq!((one.ready(), other.ready()), (10, 13));
        let closing = thread::spawn(move || to_one.close());
        assert_eq!(one.close().unwrap_err().kind(), ErrorKind::InvalidData);
        one.close().unwrap();
        closing.join().unwrap().unwrap();
    }

    /// An end that one link meets is the other's, too; and frames of no link, or of nothing, are refused.
    #[test]
    fn an_end_is_that_of_both() {
        let [here, there] = forks();
        let waiting = here.map(|mut link| thread::spawn(move || link.recv(&mut [0]).unwrap_err().kind()));
        drop(there);
        assert!(waiting.into_iter().all(|thread| thread.join().unwrap() == ErrorKind::UnexpectedEof));
        for head in [[2, 1, 0, 0], [0, 1, 0, 1], [1, 0, 0, 0]] {
            let (here, mut there) = pipe(Duration::from_secs(10));
            there.send(&head).and_then(|()| there.flush()).unwrap();
            let [mut one, _other] = fork(Box::new(here)).unwrap();
            assert_eq!(one.recv(&mut [0]).unwrap_err().kind(), ErrorKind::InvalidData);
        }
    }

    /// A peer that fills the other link, or drips bytes of it, holds nobody for longer than a wait may be, nor does one
    /// that says nothing hold a thread that is told to give up.
    #[test]
    fn waits_end_whatever_the_other_link_has() {
        let short = Duration::from_millis(100);
        let ends = |timeout| {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let there = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            let here = Tcp::new(listener.accept().unwrap().0, timeout).unwrap();
            (fork(Box::new(here)).unwrap(), there)
        };
        let ([mut one, _other], mut there) = ends(short);
        let filling = thread::spawn(move || {
            let frame = [&[1, 0, 0, 1][..], &[7; FRAME]].concat();
            while there.write_all(&frame).is_ok() {}
        });
        assert_eq!(one.recv(&mut [0]).unwrap_err().kind(), ErrorKind::TimedOut);
        drop((one, _other));
        filling.join().unwrap();

        let ([mut one, _other], mut there) = ends(short);
        let dripping = thread::spawn(move || {
            while there.write_all(&[1, 1, 0, 0, 7]).is_ok() {
                thread::park_timeout(Duration::from_millis(5));
            }
        });
        assert_eq!(one.recv(&mut [0]).unwrap_err().kind(), ErrorKind::TimedOut);
        drop((one, _other));
        dripping.join().unwrap();

        let ([mut one, other], _there) = ends(Duration::from_secs(20));
        let abort = other.abort_handle();
        let waiting = thread::spawn(move || one.recv(&mut [0]).unwrap_err());
        abort.abort();
        waiting.join().unwrap();
    }
}
