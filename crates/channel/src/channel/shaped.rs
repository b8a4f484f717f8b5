//! A TCP link that is slowed down, for benches of proofs over slower networks than there are.
//!
//! Each end shapes what it sends. Bytes are cut into packets; packet i **departs** when the one before has
//! departed and its own bits have passed at the given rate, and is written to the socket no earlier than the
//! latency after that. So neither the rate nor the latency depends on how exactly the system sleeps: who
//! wakes up late catches up, by at most `BURST`, the depth of the token bucket.
//!
//! Sending is asynchronous, as on a real network: a thread takes packets from a queue as long as a socket
//! buffer and what is on its way at the given rate, and a sender waits only where the queue is full. Flushing
//! hands over, and does not wait for delivery.
//!
//! What it does not model: loss and what TCP makes of it, a growing window, headers (the rate is that of
//! payload), other traffic, or a bottleneck that both directions share. Beyond the queue there are the
//! buffers of the real sockets, into which a packet passes when its time has come, whether the receiver reads
//! or not: they stand for the receiver's.

use super::buffered::{Stream, too_slow};
use super::tcp::Socket;
use super::{Link, Tcp};
use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The bytes of a packet, at most.
const PACKET: usize = 16 << 10;
/// Bytes that the queue holds beside those on their way: a socket buffer.
const QUEUE: usize = 4 << 20;
/// The rate in Mbit/s that the queue of a link without a limit is sized for, and the queue's largest size.
const UNLIMITED: (f64, usize) = (10_000.0, 32 << 20);
/// The time on the wire that a late pump may catch up.
const BURST: Duration = Duration::from_millis(5);

/// One end of a TCP link whose sending is limited in rate and delayed.
pub struct Shaped {
    tcp: Tcp,
    timeout: Duration,
    outgoing: Vec<u8>,
    shared: Arc<Shared>,
    pump: Option<JoinHandle<()>>,
}

/// The state that the sender and the pump share.
struct Shared {
    queue: Mutex<Queue>,
    capacity: usize,
    /// Signals that the queue was filled, or that the link is closing. An idle pump waits for it.
    filled: Condvar,
    /// Signals that the queue was drained, or that the pump has ended. A sender without room waits for it.
    drained: Condvar,
    /// Signals that the link is closing. The pump waits for it while a packet's time has not come.
    closed: Condvar,
}

#[derive(Default)]
struct Queue {
    packets: VecDeque<Packet>,
    bytes: usize,
    /// The time at which the pump gives up, set when the link is dropped.
    close_by: Option<Instant>,
    /// The error that the pump has ended with.
    failed: Option<(io::ErrorKind, String)>,
}

struct Packet {
    bytes: Vec<u8>,
    handed_over: Instant,
}

/// The times at which packets are delivered.
struct Pace {
    seconds_per_byte: f64,
    latency: Duration,
    /// The time at which the last packet departed.
    departed: Instant,
}

impl Shaped {
    /// Sends over `tcp` at most `mbps` million bits per second, each delayed by `latency`.
    ///
    /// # Errors
    /// Where the operating system grants no thread.
    pub fn new(tcp: Tcp, mbps: Option<f64>, latency: Duration) -> io::Result<Self> {
        let socket = tcp.socket();
        let timeout = socket.timeout;
        let bytes_per_second = |mbps: f64| mbps * 1e6 / 8.0;
        let under_way = bytes_per_second(mbps.unwrap_or(UNLIMITED.0)) * latency.as_secs_f64();
        let shared = Arc::new(Shared {
            queue: Mutex::default(),
            capacity: QUEUE + (under_way as usize).min(UNLIMITED.1),
            filled: Condvar::new(),
            drained: Condvar::new(),
            closed: Condvar::new(),
        });
        let seconds_per_byte = mbps.map_or(0.0, |mbps| bytes_per_second(mbps).recip());
        let pace = Pace { seconds_per_byte, latency, departed: Instant::now() };
        let pumped = shared.clone();
        let pump = std::thread::Builder::new().name("shaped link".into());
        let pump = pump.spawn(move || pumped.pump(socket, pace))?;
        Ok(Self { tcp, timeout, outgoing: Vec::new(), shared, pump: Some(pump) })
    }
}

impl Link for Shaped {
    fn send(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            if self.outgoing.capacity() < PACKET {
                self.outgoing.reserve_exact(PACKET);
            }
            let (now, later) = bytes.split_at(bytes.len().min(PACKET - self.outgoing.len()));
            self.outgoing.extend_from_slice(now);
            bytes = later;
            if self.outgoing.len() == PACKET {
                self.flush()?;
            }
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.outgoing.is_empty() {
            return self.shared.lock().result();
        }
        self.shared.hand_over(core::mem::take(&mut self.outgoing), self.timeout)
    }

    fn ready(&self) -> usize {
        self.tcp.ready()
    }

    fn recv(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        self.tcp.recv(bytes).map_err(|error| match self.shared.lock().result() {
            // A peer that heard nothing says nothing.
            Err(why) if error.kind() == io::ErrorKind::TimedOut => why,
            _ => error,
        })
    }
}

impl Drop for Shaped {
    /// Delivers what was sent, as far as the link's timeout allows.
    fn drop(&mut self) {
        let _ = self.flush();
        self.shared.lock().close_by = Some(Instant::now() + self.timeout);
        self.shared.filled.notify_all();
        self.shared.closed.notify_all();
        if let Some(pump) = self.pump.take() {
            let _ = pump.join();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a packet into the queue once it has room.
    fn hand_over(&self, bytes: Vec<u8>, timeout: Duration) -> io::Result<()> {
        let full = |queue: &mut Queue| queue.bytes >= self.capacity && queue.failed.is_none();
        let waited = self.drained.wait_timeout_while(self.lock(), timeout, full);
        let (mut queue, _) = waited.unwrap_or_else(PoisonError::into_inner);
        queue.result()?;
        if queue.bytes >= self.capacity {
            return Err(too_slow());
        }
        queue.bytes += bytes.len();
        queue.packets.push_back(Packet { bytes, handed_over: Instant::now() });
        drop(queue);
        self.filled.notify_one();
        Ok(())
    }

    /// Delivers packets until the link is dropped and all are delivered, or it fails.
    fn pump(&self, mut socket: Socket, mut pace: Pace) {
        while let Some(packet) = self.take() {
            let length = packet.bytes.len();
            let delivered = self
                .wait_until(pace.delivery(&packet, Instant::now()))
                .and_then(|()| socket.write_all(&packet.bytes));
            let mut queue = self.lock();
            queue.bytes -= length;
            if let Err(why) = delivered {
                queue.failed = Some((why.kind(), why.to_string()));
                queue.packets.clear();
            }
            let failed = queue.failed.is_some();
            drop(queue);
            self.drained.notify_one();
            if failed {
                return;
            }
        }
    }

    /// The next packet, if there will be one.
    fn take(&self) -> Option<Packet> {
        let idle = |queue: &mut Queue| queue.packets.is_empty() && queue.close_by.is_none();
        let waited = self.filled.wait_while(self.lock(), idle);
        waited.unwrap_or_else(PoisonError::into_inner).packets.pop_front()
    }

    /// Waits until `time`, unless the link has to end before.
    fn wait_until(&self, time: Instant) -> io::Result<()> {
        let mut queue = self.lock();
        loop {
            let until = queue.close_by.map_or(time, |close_by| close_by.min(time));
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return if until < time { Err(io::ErrorKind::TimedOut.into()) } else { Ok(()) };
            }
            queue = self.closed.wait_timeout(queue, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Queue {
    /// The error that the pump failed with, if it did.
    fn result(&self) -> io::Result<()> {
        self.failed.as_ref().map_or(Ok(()), |(kind, why)| Err(io::Error::new(*kind, why.clone())))
    }
}

impl Pace {
    /// The time at which `packet`, the next one, is delivered, if it is taken from the queue `now`.
    fn delivery(&mut self, packet: &Packet, now: Instant) -> Instant {
        // Time that passed unused cannot be used later, but for a burst.
        let earliest = now.checked_sub(self.latency + BURST).unwrap_or(now);
        let starts = self.departed.max(packet.handed_over).max(earliest);
        self.departed = starts + Duration::from_secs_f64(packet.bytes.len() as f64 * self.seconds_per_byte);
        self.departed + self.latency
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{TcpListener, TcpStream};

    const TIMEOUT: Duration = Duration::from_secs(10);

    fn pair(mbps: Option<f64>, latency: Duration, timeout: Duration) -> (Shaped, Shaped) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let here = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let there = listener.accept().unwrap().0;
        let end = |stream| Shaped::new(Tcp::new(stream, timeout).unwrap(), mbps, latency).unwrap();
        (end(here), end(there))
    }

    /// Sends `length` bytes in pieces of many sizes; the time until all have arrived, in order.
    fn transfer(mut from: Shaped, mut to: Shaped, length: usize) -> Duration {
        let byte = |i: usize| (i as u32).wrapping_mul(0x9e37_79b9).to_be_bytes()[0];
        let started = Instant::now();
        let writer = std::thread::spawn(move || {
            let bytes: Vec<u8> = (0..length).map(byte).collect();
            let (mut rest, mut size) = (&bytes[..], 1);
            while !rest.is_empty() {
                let (piece, later) = rest.split_at(size.min(rest.len()));
                from.send(piece).unwrap();
                rest = later;
                size = (3 * size + 1) % 50_021 + 1;
            }
            // What was not flushed is delivered where the link is dropped.
        });
        let mut received = vec![0; length];
        received.chunks_mut(70_001).for_each(|piece| to.recv(piece).unwrap());
        let took = started.elapsed();
        assert!(received.iter().enumerate().all(|(i, &received)| received == byte(i)));
        writer.join().unwrap();
        assert_eq!(to.recv(&mut [0]).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        took
    }

    /// Packets leave one after the other: a pump that wakes up late catches up by a burst, and no more.
    #[test]
    fn packets_leave_one_after_the_other() {
        let started = Instant::now();
        let ms = |ms| started + Duration::from_millis(ms);
        // A packet of a millisecond.
        let packet = |at| Packet { bytes: vec![0; 12_500], handed_over: ms(at) };
        let latency = Duration::from_millis(20);
        let mut pace = Pace { seconds_per_byte: 8e-8, latency, departed: started };
        for (handed_over, now, delivered) in [
            (0, 0, 21),
            (0, 21, 22),
            // Late by two.
            (0, 25, 23),
            (0, 25, 24),
            // Nothing was there to send.
            (100, 100, 121),
            (100, 121, 122),
            // Late by 57, of which no more than five are made up for.
            (100, 180, 176),
            (100, 180, 177),
        ] {
            assert_eq!(pace.delivery(&packet(handed_over), ms(now)), ms(delivered));
        }
    }

    /// 3 MB at 100 Mbit/s take 240 ms. A machine that is busy may take longer, most of the
    /// time, never shorter.
    #[test]
    fn the_rate_is_kept() {
        let (mbps, length) = (100.0, 3_000_000);
        let expected = 8.0 * length as f64 / mbps / 1e6;
        for _ in 0..40 {
            let (from, to) = pair(Some(mbps), Duration::ZERO, TIMEOUT);
            let took = transfer(from, to, length).as_secs_f64();
            assert!(took > 0.9 * expected, "{took} s instead of {expected}");
            if took < 1.1 * expected {
                return;
            }
        }
        panic!("always slower than {expected} s");
    }

    #[test]
    fn without_a_rate_it_is_not_held_back() {
        let (from, to) = pair(None, Duration::from_millis(1), TIMEOUT);
        assert!(transfer(from, to, 20_000_000) < Duration::from_secs(5));
    }

    #[test]
    fn a_round_trip_takes_twice_the_latency() {
        let latency = Duration::from_millis(100);
        let (mut a, mut b) = pair(Some(1000.0), latency, TIMEOUT);
        let started = Instant::now();
        a.send(b"there").unwrap();
        a.flush().unwrap();
        assert!(started.elapsed() < latency, "flushing waits for delivery");
        b.recv(&mut [0; 5]).unwrap();
        assert!(started.elapsed() >= latency);
        b.send(b"back").unwrap();
        b.flush().unwrap();
        a.recv(&mut [0; 4]).unwrap();
        let took = started.elapsed();
        assert!(took >= 2 * latency && took < 10 * latency, "{took:?}");
    }

    /// Neither side waits for the other: many messages are on their way at once.
    #[test]
    fn messages_overlap_in_flight() {
        let latency = Duration::from_millis(20);
        let (mut a, mut b) = pair(None, latency, TIMEOUT);
        let started = Instant::now();
        for _ in 0..100 {
            a.send(&[7; 100]).unwrap();
            a.flush().unwrap();
        }
        b.recv(&mut [0; 10_000]).unwrap();
        assert!(started.elapsed() < 50 * latency);
    }

    #[test]
    fn a_closed_peer_is_an_error_for_both_directions() {
        let (mut a, b) = pair(Some(1000.0), Duration::from_millis(1), TIMEOUT);
        drop(b);
        assert_eq!(a.recv(&mut [0]).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        let mut sent = Ok(());
        for _ in 0..1000 {
            sent = a.send(&[0; PACKET]).and_then(|()| a.flush());
            if sent.is_err() {
                break;
            }
        }
        let kind = sent.expect_err("nobody is there").kind();
        assert!(matches!(kind, io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset), "{kind}");
    }

    /// A queue that does not move ends in an error, and then in a drop that does not wait for ever.
    #[test]
    fn waits_are_bounded() {
        let timeout = Duration::from_millis(50);
        let (mut a, mut b) = pair(Some(1.0), Duration::ZERO, timeout);
        let started = Instant::now();
        assert_eq!(b.recv(&mut [0]).unwrap_err().kind(), io::ErrorKind::TimedOut);
        let piece = vec![0; QUEUE + PACKET];
        let sent = a.send(&piece).and_then(|()| a.send(&piece));
        // At 1 Mbit/s a packet leaves every 130 ms.
        assert_eq!(sent.unwrap_err().kind(), io::ErrorKind::TimedOut);
        drop(a);
        assert!(started.elapsed() < Duration::from_secs(5));
    }
}
