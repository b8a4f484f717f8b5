//! A link with a limit of bytes, and of time.

use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};
use volery::channel::{Link, Tls};

/// How long a prover has to close its end.
const PARTING: Duration = Duration::from_secs(2);

/// Counts of the bytes carried, for who watches.
#[derive(Default)]
pub(crate) struct Carried {
    pub(crate) sent: AtomicU64,
    pub(crate) received: AtomicU64,
}

/// `link` for one session.
pub(crate) struct Limited {
    link: Tls,
    carried: Arc<Carried>,
    /// Bytes left, both ways together.
    left: u64,
    deadline: Instant,
    /// The longest single wait.
    silence: Duration,
}

impl Limited {
    pub(crate) fn new(
        link: Tls,
        carried: Arc<Carried>,
        bytes: u64,
        time: Duration,
        silence: Duration,
    ) -> Self {
        Self { link, carried, left: bytes, deadline: Instant::now() + time, silence }
    }

    /// Counts `bytes`, and bounds the next wait by what time is left.
    fn spend(&mut self, bytes: usize) -> io::Result<()> {
        let Some(left) = self.left.checked_sub(bytes as u64) else { return Err(over("bytes")) };
        self.left = left;
        let time = self.deadline.saturating_duration_since(Instant::now());
        if time.is_zero() {
            return Err(over("time"));
        }
        // Near its end waits grow shorter; before, the socket has its timeout already.
        if time < self.silence { self.link.set_timeout(time) } else { Ok(()) }
    }

    /// The error of a wait: that it had the rest of the session's time, where that is so.
    fn waited(&self, why: io::Error) -> io::Error {
        let silent = matches!(why.kind(), ErrorKind::TimedOut | ErrorKind::WouldBlock);
        if silent && Instant::now() >= self.deadline { over("time") } else { why }
    }
}

/// The error of a session that has used up what its terms gave it.
fn over(what: &str) -> io::Error {
    io::Error::new(ErrorKind::TimedOut, format!("the session has used up its {what}"))
}

impl Link for Limited {
    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.spend(bytes.len())?;
        self.carried.sent.fetch_add(bytes.len() as u64, Relaxed);
        self.link.send(bytes).map_err(|why| self.waited(why))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.link.flush().map_err(|why| self.waited(why))
    }

    fn ready(&self) -> usize {
        self.link.ready()
    }

    fn recv(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        self.spend(bytes.len())?;
        self.link.recv(bytes).map_err(|why| self.waited(why))?;
        self.carried.received.fetch_add(bytes.len() as u64, Relaxed);
        Ok(())
    }

    fn binding(&self) -> Option<[u8; 32]> {
        self.link.binding()
    }

    fn close(&mut self) -> io::Result<()> {
        // Whoever has its verdict and does not go is not waited for.
        self.link.set_timeout(PARTING.min(self.silence))?;
        self.link.close()
    }
}
