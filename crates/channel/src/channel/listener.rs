//! Waiting for a peer where anybody may connect.

use super::Tcp;
use super::handshake::MAGIC;
#[cfg(feature = "tls")]
use super::tls::{Tls, TlsConfig};
use std::collections::VecDeque;
use std::io::{self, ErrorKind};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// The time within which a peer must show that it is one.
const GREETING: Duration = Duration::from_secs(10);
/// The most links that are asked to show that they are a peer at once. The next one takes the place of the
/// oldest.
const MOST: usize = 64;
/// The pause between two looks at who has connected.
const POLL: Duration = Duration::from_millis(2);

/// A socket that waits for a peer. Others that connect (a port scan, a health check, a silent client) are
/// turned away while the rest are heard.
pub struct Listener {
    socket: TcpListener,
    /// Whether the wait is to end.
    stop: Arc<AtomicBool>,
}

impl Listener {
    /// Waits at `address`.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn bind(address: impl ToSocketAddrs) -> io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        // `accept` has no deadline of its own: poll, which costs nothing beside a set-up.
        listener.set_nonblocking(true)?;
        Ok(Self { socket: listener, stop: Arc::default() })
    }

    /// The address at which it waits.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    /// A listener whose wait ends with [`ErrorKind::Interrupted`] once `stop` is true.
    #[must_use]
    pub fn until(self, stop: Arc<AtomicBool>) -> Self {
        Self { stop, ..self }
    }

    /// Waits no longer than `timeout` for a link that begins as volery does, in plain TCP; `timeout` then
    /// also bounds every single wait on the link. `turned_away` is told of others that connected, and what
    /// was wrong.
    ///
    /// # Errors
    /// [`ErrorKind::TimedOut`] where nobody was there in time.
    pub fn accept(
        &self,
        timeout: Duration,
        turned_away: impl FnMut(SocketAddr, io::Error),
    ) -> io::Result<Tcp> {
        self.first(timeout, |tcp| tcp.greeted(&MAGIC), turned_away)
    }

    /// Accepts a peer by TLS, one whose key `tls` pins.
    ///
    /// # Errors
    /// As for [`Listener::accept`].
    #[cfg(feature = "tls")]
    pub fn accept_tls(
        &self,
        tls: &TlsConfig,
        timeout: Duration,
        turned_away: impl FnMut(SocketAddr, io::Error),
    ) -> io::Result<Tls> {
        let tls = tls.clone();
        self.first(timeout, move |tcp| tls.accept(tcp), turned_away)
    }

    /// Gives each peer whose key `tls` pins to `heard`, one after the other, until the wait ends: see
    /// [`Listener::until`]. Each wait on their links is bounded by `timeout`.
    #[cfg(feature = "tls")]
    pub fn accept_all_tls(
        &self,
        tls: &TlsConfig,
        timeout: Duration,
        turned_away: impl FnMut(SocketAddr, io::Error),
        mut heard: impl FnMut(Tls),
    ) {
        let tls = tls.clone();
        let greet = move |tcp| tls.accept(tcp);
        let all = |mut link: Tls| {
            // Who is gone already is nobody to hear.
            if link.wait(timeout).is_ok() {
                heard(link);
            }
            ControlFlow::<()>::Continue(())
        };
        let _ = self.each(GREETING.min(timeout), greet, turned_away, || self.is_stopped(), all);
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// The first link that `greet` accepts.
    fn first<L: Patient>(
        &self,
        timeout: Duration,
        greet: impl FnOnce(Tcp) -> io::Result<L> + Clone + Send + 'static,
        turned_away: impl FnMut(SocketAddr, io::Error),
    ) -> io::Result<L> {
        let deadline = Instant::now() + timeout;
        let late = || Instant::now() >= deadline;
        let ended = || late() || self.is_stopped();
        let found = self.each(GREETING.min(timeout), greet, turned_away, ended, ControlFlow::Break);
        match found {
            Some(mut link) => {
                link.wait(timeout)?;
                Ok(link)
            }
            None if late() => Err(io::Error::new(ErrorKind::TimedOut, "no peer connected")),
            None => Err(io::Error::new(ErrorKind::Interrupted, "stopped waiting for a peer")),
        }
    }

    /// Gives each link that `greet` accepts to `heard`, until that has enough, or until `ended`. Each is
    /// asked on a thread of its own, which ends with it or within `greeting`; dropping the receiver closes
    /// those that come too late.
    fn each<L: Patient, T>(
        &self,
        greeting: Duration,
        greet: impl FnOnce(Tcp) -> io::Result<L> + Clone + Send + 'static,
        mut turned_away: impl FnMut(SocketAddr, io::Error),
        ended: impl Fn() -> bool,
        mut heard: impl FnMut(L) -> ControlFlow<T>,
    ) -> Option<T> {
        let (greeted, links) = channel();
        let (mut asked, mut next) = (VecDeque::new(), 0_u64);
        loop {
            match links.recv_timeout(POLL) {
                Ok((number, _, Ok(link))) => {
                    asked.retain(|(other, _)| *other != number);
                    if let ControlFlow::Break(enough) = heard(link) {
                        return Some(enough);
                    }
                }
                Ok((number, from, Err(why))) => {
                    asked.retain(|(other, _)| *other != number);
                    turned_away(from, why);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => unreachable!("this end sends, too"),
            }
            if ended() {
                return None;
            }
            let (stream, from) = match self.socket.accept() {
                Ok(accepted) => accepted,
                // Nothing is here, or one that was is gone: time goes on.
                Err(why) if !lacks_files(&why) => continue,
                Err(_) => {
                    make_room(&mut asked);
                    continue;
                }
            };
            let handle = match stream.try_clone() {
                Ok(handle) => handle,
                Err(why) => {
                    turned_away(from, why);
                    make_room(&mut asked);
                    continue;
                }
            };
            if asked.len() == MOST {
                make_room(&mut asked);
            }
            let (greet, greeted) = (greet.clone(), greeted.clone());
            next += 1;
            let number = next;
            asked.push_back((number, handle));
            let asking = move || {
                let link = blocking(stream).and_then(|stream| Tcp::new(stream, greeting)).and_then(greet);
                // Where another was the first, nobody listens, and the link is closed.
                let _ = greeted.send((number, from, link));
            };
            if let Err(why) = std::thread::Builder::new().name("greeting".into()).spawn(asking) {
                asked.pop_back();
                turned_away(from, why);
            }
        }
    }
}

/// Closes the oldest of those that are asked to show that they are a peer.
fn make_room(asked: &mut VecDeque<(u64, TcpStream)>) {
    if let Some((_, oldest)) = asked.pop_front() {
        let _ = oldest.shutdown(Shutdown::Both);
    }
}

/// Whether this process, or the machine, has no more files to open: `EMFILE` and `ENFILE`.
fn lacks_files(why: &io::Error) -> bool {
    cfg!(unix) && matches!(why.raw_os_error(), Some(24 | 23))
}

fn blocking(stream: TcpStream) -> io::Result<TcpStream> {
    stream.set_nonblocking(false)?;
    Ok(stream)
}

/// A link whose waits can be made longer.
trait Patient: Send + 'static {
    /// Bounds every single wait by `timeout`.
    fn wait(&mut self, timeout: Duration) -> io::Result<()>;
}

impl Patient for Tcp {
    fn wait(&mut self, timeout: Duration) -> io::Result<()> {
        self.set_timeout(timeout)
    }
}

#[cfg(feature = "tls")]
impl Patient for Tls {
    fn wait(&mut self, timeout: Duration) -> io::Result<()> {
        self.set_timeout(timeout)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channel::Link;
    use std::io::{Read, Write};

    const TIMEOUT: Duration = Duration::from_secs(10);

    /// Three that are no peer, one of them silent, connect first.
    #[test]
    fn strangers_are_turned_away_and_the_peer_is_heard() {
        let listener = Listener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let silent = TcpStream::connect(address).unwrap();
        drop(TcpStream::connect(address).unwrap());
        let mut other = TcpStream::connect(address).unwrap();
        other.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
        let mut peer = None;
        let mut reasons = Vec::new();
        let link = listener.accept(TIMEOUT, |_, why| {
            reasons.push(why.to_string());
            if reasons.len() == 2 {
                let mut stream = TcpStream::connect(address).unwrap();
                stream.write_all(&MAGIC).unwrap();
                stream.write_all(b"more").unwrap();
                peer = Some(stream);
            }
        });
        let mut link = link.unwrap();
        let mut heard = [0; 12];
        link.recv(&mut heard).unwrap();
        assert_eq!(heard, *b"volery\0\0more");
        reasons.sort();
        assert_eq!(reasons, ["it does not speak volery's protocol", "the peer closed the link"]);
        drop(silent);
        // The other was told nothing.
        drop(link);
        assert_eq!(other.read(&mut [0; 1]).unwrap_or(0), 0);
    }

    /// More that are silent than are heard at once.
    #[test]
    fn the_silent_make_room() {
        let listener = Listener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let _silent: Vec<_> = (0..MOST + 9).map(|_| TcpStream::connect(address).unwrap()).collect();
        let mut peer = TcpStream::connect(address).unwrap();
        peer.write_all(&MAGIC).unwrap();
        let mut turned_away = 0;
        assert!(listener.accept(TIMEOUT, |_, _| turned_away += 1).is_ok());
        assert!(turned_away <= 10, "{turned_away}");
    }

    #[test]
    fn a_wait_can_be_stopped() {
        let stop = Arc::new(AtomicBool::new(true));
        let listener = Listener::bind("127.0.0.1:0").unwrap().until(stop);
        let ended = listener.accept(TIMEOUT, |_, _| {}).err().unwrap();
        assert_eq!(ended.kind(), ErrorKind::Interrupted);
    }

    #[test]
    fn strangers_alone_end_at_the_deadline() {
        let listener = Listener::bind("127.0.0.1:0").unwrap();
        let _silent = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let ended = listener.accept(Duration::from_millis(50), |_, _| {}).err().unwrap();
        assert_eq!(ended.kind(), ErrorKind::TimedOut);
    }
}
