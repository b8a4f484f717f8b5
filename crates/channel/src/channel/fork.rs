//! Two links over one, for two protocols that run beside each other.
//!
//! | bytes | what |
//! |---|---|
//! | 1 | the link of the two, 0 or 1 |
//! | 3 | how many bytes of it follow, at most [`FRAME`], least significant first |
//! | n | these |
//!
//! A frame goes out where a protocol flushes, or has gathered as much as one holds. Whoever waits for bytes of its link,
//! when nobody reads, reads frames, and keeps those of the other link for whom they are: up to [`AHEAD`] bytes, beyond
//! which it leaves them to the socket until they are received.
//!
//! Both links have the binding of the one below, so that challenges of either are worth nothing elsewhere; who runs the
//! same protocol over both tells them apart by its first message.

use super::buffered::followed;
use super::{Directions, Link, Receiving, Sending};
use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

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
    receiving: Mutex<Box<dyn Receiving>>,
    arrived: Mutex<Arrived>,
    changed: Condvar,
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
    let shared = Arc::new(Shared {
        sending: Mutex::new(sending),
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
        if of > 1 || length > FRAME {
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

    /// Fills all of `bytes` with what comes of a link.
    fn receive(&self, own: usize, mut bytes: &mut [u8]) -> io::Result<()> {
        let mut arrived = self.arrived();
        while !bytes.is_empty() {
            let taken = arrived.bytes[own].read(bytes)?;
            bytes = &mut bytes[taken..];
            if taken > 0 {
                // The other may have waited for room.
                self.changed.notify_all();
            } else if let Some((kind, why)) = &arrived.ended {
                return Err(io::Error::new(*kind, why.clone()));
            } else if arrived.is_read || arrived.bytes[1 - own].len() > AHEAD {
                arrived = self.changed.wait(arrived).unwrap_or_else(PoisonError::into_inner);
            } else {
                arrived.is_read = true;
                drop(arrived);
                let read = self.read();
                arrived = self.arrived();
                arrived.is_read = false;
                if let Err(why) = &read {
                    arrived.ended = Some((why.kind(), why.to_string()));
                }
                self.changed.notify_all();
            }
        }
        Ok(())
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

impl Fork {
    /// Sends what was gathered as a frame.
    fn hand_over(&mut self) -> io::Result<MutexGuard<'_, Box<dyn Sending>>> {
        let mut sending = held(&self.shared.sending);
        if !self.outgoing.is_empty() {
            let [a, b, c, _] = u32::try_from(self.outgoing.len()).expect("a frame").to_le_bytes();
            sending.send(&[self.own as u8, a, b, c])?;
            sending.send(&self.outgoing)?;
            self.outgoing.clear();
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
        self.hand_over()?.flush()
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

    /// Ends both links.
    fn close(&mut self) -> io::Result<()> {
        self.hand_over()?.end()?;
        let nothing_follows = self.shared.arrived().bytes.iter().all(VecDeque::is_empty);
        let ended = held(&self.shared.receiving).ended();
        if nothing_follows { ended } else { Err(followed()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channel::pipe;
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

    /// Bytes of the other link are kept for it, and found at the end.
    #[test]
    fn what_is_not_received_is_told() {
        let [[mut one, other], [mut to_one, mut to_other]] = forks();
        to_other.send(b"for the other").and_then(|()| to_other.flush()).unwrap();
        to_one.send(b"for one").and_then(|()| to_one.flush()).unwrap();
        one.recv(&mut [0; 7]).unwrap();
        assert_eq!(other.ready(), 13);
        let closing = thread::spawn(move || to_one.close().and(to_other.flush()));
        assert_eq!(one.close().unwrap_err().kind(), ErrorKind::InvalidData);
        drop(closing.join().unwrap());
    }

    /// An end that one link meets is the other's, too; and frames of no link are refused.
    #[test]
    fn an_end_is_that_of_both() {
        let [here, there] = forks();
        let waiting = here.map(|mut link| thread::spawn(move || link.recv(&mut [0]).unwrap_err().kind()));
        drop(there);
        assert!(waiting.into_iter().all(|thread| thread.join().unwrap() == ErrorKind::UnexpectedEof));
        for head in [[2, 1, 0, 0], [0, 1, 0, 1]] {
            let (here, mut there) = pipe(Duration::from_secs(10));
            there.send(&head).and_then(|()| there.flush()).unwrap();
            let [mut one, _other] = fork(Box::new(here)).unwrap();
            assert_eq!(one.recv(&mut [0]).unwrap_err().kind(), ErrorKind::InvalidData);
        }
    }
}
