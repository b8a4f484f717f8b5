//! A link with a limit of bytes, and of time.

use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};
use volery::channel::{Directions, Link, Receiving, Sending, Tls};

/// How long a prover has to close its end.
const PARTING: Duration = Duration::from_secs(2);

/// Counts of the bytes carried, for who watches.
#[derive(Default)]
pub(crate) struct Carried {
    pub(crate) sent: AtomicU64,
    pub(crate) received: AtomicU64,
}

/// `link` for one session; or a direction of it.
pub(crate) struct Limited<L = Tls> {
    link: L,
    bounds: Arc<Bounds>,
}

/// The bounds of a session, both directions together.
struct Bounds {
    carried: Arc<Carried>,
    bytes: u64,
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
        let bounds = Bounds { carried, bytes, deadline: Instant::now() + time, silence };
        Self { link, bounds: Arc::new(bounds) }
    }
}

impl<L> Limited<L> {
    /// Says how long a wait may be for so many further bytes, where that is less than usual.
    fn bound(&self, bytes: usize) -> io::Result<Option<Duration>> {
        let Bounds { carried, bytes: most, deadline, silence } = &*self.bounds;
        let before = carried.sent.load(Relaxed) + carried.received.load(Relaxed);
        if before + bytes as u64 > *most {
            return Err(over("bytes"));
        }
        let time = deadline.saturating_duration_since(Instant::now());
        if time.is_zero() {
            return Err(over("time"));
        }
        // Near its end waits grow shorter; before, the socket has its timeout already.
        Ok((time < *silence).then_some(time))
    }

    /// The error of a wait: that it had the rest of the session's time, where that is so.
    fn waited(&self, why: io::Error) -> io::Error {
        let silent = matches!(why.kind(), ErrorKind::TimedOut | ErrorKind::WouldBlock);
        if silent && Instant::now() >= self.bounds.deadline { over("time") } else { why }
    }
}

/// The error of a session that has used up what its terms gave it.
fn over(what: &str) -> io::Error {
    io::Error::new(ErrorKind::TimedOut, format!("the session has used up its {what}"))
}

impl Link for Limited {
    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        if let Some(time) = self.bound(bytes.len())? {
            self.link.set_timeout(time)?;
        }
        self.bounds.carried.sent.fetch_add(bytes.len() as u64, Relaxed);
        self.link.send(bytes).map_err(|why| self.waited(why))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.link.flush().map_err(|why| self.waited(why))
    }

    fn ready(&self) -> usize {
        self.link.ready()
    }

    fn recv(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        if let Some(time) = self.bound(bytes.len())? {
            self.link.set_timeout(time)?;
        }
        self.link.recv(bytes).map_err(|why| self.waited(why))?;
        self.bounds.carried.received.fetch_add(bytes.len() as u64, Relaxed);
        Ok(())
    }

    fn binding(&self) -> Option<[u8; 32]> {
        self.link.binding()
    }

    fn close(&mut self) -> io::Result<()> {
        // Whoever has its verdict and does not go is not waited for.
        self.link.set_timeout(PARTING.min(self.bounds.silence))?;
        self.link.close()
    }

    fn split(self: Box<Self>) -> io::Result<Directions> {
        let Self { link, bounds } = *self;
        let Directions { sending, receiving } = Box::new(link).split()?;
        Ok(Directions {
            sending: Box::new(Limited { link: sending, bounds: bounds.clone() }),
            receiving: Box::new(Limited { link: receiving, bounds }),
        })
    }
}

impl Sending for Limited<Box<dyn Sending>> {
    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        if let Some(time) = self.bound(bytes.len())? {
            self.link.set_timeout(time)?;
        }
        self.bounds.carried.sent.fetch_add(bytes.len() as u64, Relaxed);
        self.link.send(bytes).map_err(|why| self.waited(why))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.link.flush().map_err(|why| self.waited(why))
    }

    fn end(&mut self) -> io::Result<()> {
        self.link.end()
    }

    fn abort(&mut self) {
        self.link.abort();
    }

    fn set_timeout(&mut self, timeout: Duration) -> io::Result<()> {
        self.link.set_timeout(timeout)
    }
}

impl Receiving for Limited<Box<dyn Receiving>> {
    fn ready(&self) -> usize {
        self.link.ready()
    }

    fn recv(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        if let Some(time) = self.bound(bytes.len())? {
            self.link.set_timeout(time)?;
        }
        self.link.recv(bytes).map_err(|why| self.waited(why))?;
        self.bounds.carried.received.fetch_add(bytes.len() as u64, Relaxed);
        Ok(())
    }

    fn timeout(&self) -> Duration {
        self.link.timeout()
    }

    fn set_timeout(&mut self, timeout: Duration) -> io::Result<()> {
        self.link.set_timeout(timeout)
    }
}
