//! Waiting for a peer where anybody may connect.

use super::Tcp;
use super::handshake::MAGIC;
#[cfg(feature = "tls")]
use super::tls::{Tls, TlsConfig};
use std::io::{self, ErrorKind};
use std::net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Who has not shown within this time that it is a peer is none.
const GREETING: Duration = Duration::from_secs(10);
/// So many may be asked at once who they are; others wait.
const MOST: usize = 64;
/// Between two looks at who has connected.
const POLL: Duration = Duration::from_millis(2);

/// A socket that waits for a peer. Whoever else connects, a port scan, a health check, somebody silent, is
/// turned away while others are heard.
pub struct Listener(TcpListener);

impl Listener {
    /// Waits at `address`.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn bind(address: impl ToSocketAddrs) -> io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        // `accept` has no deadline of its own: poll, which costs nothing beside a set-up.
        listener.set_nonblocking(true)?;
        Ok(Self(listener))
    }

    /// Where it waits.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }

    /// Waits no longer than `timeout` for one that begins as volery does, in plain TCP; `timeout` then also
    /// bounds every single wait on the link. `turned_away` hears who else connected, and what was wrong.
    ///
    /// # Errors
    /// [`ErrorKind::TimedOut`] where nobody was there in time; otherwise what the operating system says.
    pub fn accept(
        &self,
        timeout: Duration,
        turned_away: impl FnMut(SocketAddr, io::Error),
    ) -> io::Result<Tcp> {
        self.first(timeout, |tcp| tcp.greeted(&MAGIC), turned_away)
    }

    /// The same by TLS, for one whose key `tls` pins.
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

    /// The first that `greet` makes a link of. Each is asked on a thread of its own, which ends with it or in
    /// `GREETING`; dropping the receiver closes those that come too late.
    fn first<L: Patient>(
        &self,
        timeout: Duration,
        greet: impl FnOnce(Tcp) -> io::Result<L> + Clone + Send + 'static,
        mut turned_away: impl FnMut(SocketAddr, io::Error),
    ) -> io::Result<L> {
        let deadline = Instant::now() + timeout;
        let (greeted, links) = channel();
        let mut asked = 0;
        loop {
            match links.recv_timeout(POLL) {
                Ok((_, Ok(link))) => {
                    let mut link: L = link;
                    link.wait(timeout)?;
                    return Ok(link);
                }
                Ok((from, Err(why))) => {
                    asked -= 1;
                    turned_away(from, why);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => unreachable!("this end sends, too"),
            }
            if Instant::now() >= deadline {
                return Err(io::Error::new(ErrorKind::TimedOut, "no peer connected"));
            }
            if asked == MOST {
                continue;
            }
            let (stream, from) = match self.0.accept() {
                Ok(connected) => connected,
                Err(error) if is_of_one_connection(&error) => continue,
                Err(error) => return Err(error),
            };
            let (greet, greeted) = (greet.clone(), greeted.clone());
            asked += 1;
            std::thread::Builder::new().name("greeting".into()).spawn(move || {
                let link = blocking(stream)
                    .and_then(|stream| Tcp::new(stream, GREETING.min(timeout)))
                    .and_then(greet);
                // Where another was the first, nobody listens, and the link is closed.
                let _ = greeted.send((from, link));
            })?;
        }
    }
}

fn blocking(stream: TcpStream) -> io::Result<TcpStream> {
    stream.set_nonblocking(false)?;
    Ok(stream)
}

/// Whether what `accept` ends with is nothing, or the fault of one who was about to connect.
fn is_of_one_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::WouldBlock
            | ErrorKind::Interrupted
            | ErrorKind::ConnectionAborted
            | ErrorKind::ConnectionReset
    )
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

    #[test]
    fn strangers_alone_end_at_the_deadline() {
        let listener = Listener::bind("127.0.0.1:0").unwrap();
        let _silent = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let ended = listener.accept(Duration::from_millis(50), |_, _| {}).err().unwrap();
        assert_eq!(ended.kind(), ErrorKind::TimedOut);
    }
}
