//! TCP: no delay, large buffers, bounded waits.

use super::buffered::{Buffered, Stream, too_slow};
use super::{Directions, Link};
use socket2::{SockRef, TcpKeepalive};
use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The size of the operating system's buffers that is asked for. It may grant less.
const SOCKET_BUFFER: usize = 4 << 20;
/// The first and the longest pause between two attempts to connect.
const BACK_OFF: (Duration, Duration) = (Duration::from_millis(10), Duration::from_secs(1));

/// A connected TCP link.
pub struct Tcp(Buffered<Socket>);

/// A handle on a connected socket, every wait on which is bounded.
#[derive(Clone)]
pub(super) struct Socket {
    pub(super) stream: Arc<TcpStream>,
    pub(super) timeout: Duration,
}

/// Whether `address`, a host and a port, resolves to nothing but this machine's loopback.
///
/// # Errors
/// Where the address cannot be resolved.
pub fn is_loopback(address: &str) -> io::Result<bool> {
    let mut addresses = address.to_socket_addrs()?.peekable();
    Ok(addresses.peek().is_some() && addresses.all(|address| address.ip().is_loopback()))
}

impl Tcp {
    /// Waits on `listener` for one peer, no longer than `timeout`, which then also bounds every
    /// single wait on the link.
    ///
    /// # Errors
    /// [`io::ErrorKind::TimedOut`] where nobody was there in time; otherwise what the operating system says.
    pub fn accept(listener: &TcpListener, timeout: Duration) -> io::Result<Self> {
        // `accept` has no deadline of its own: poll, which costs nothing beside a set-up.
        listener.set_nonblocking(true)?;
        let deadline = Instant::now() + timeout;
        loop {
            match listener.accept() {
                Ok((stream, _)) => {
                    stream.set_nonblocking(false)?;
                    return Self::new(stream, timeout);
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    if Instant::now() >= deadline {
                        return Err(io::Error::new(io::ErrorKind::TimedOut, "nobody connected"));
                    }
                    std::thread::sleep(Duration::from_millis(2));
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Connects to `address`, trying again with growing pauses while nobody listens there, no longer than
    /// `timeout`, which then also bounds every single wait on the link.
    ///
    /// # Errors
    /// What the operating system said last.
    pub fn connect(address: impl ToSocketAddrs, timeout: Duration) -> io::Result<Self> {
        let deadline = Instant::now() + timeout;
        let addresses: Vec<SocketAddr> = address.to_socket_addrs()?.collect();
        let mut pause = BACK_OFF.0;
        loop {
            let mut last = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
            for address in &addresses {
                let left = deadline.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
                match TcpStream::connect_timeout(address, left) {
                    Ok(stream) => return Self::new(stream, timeout),
                    Err(error) => last = error,
                }
            }
            // Somebody may start listening; a name without a route will not mend.
            let may_mend = matches!(
                last.kind(),
                io::ErrorKind::ConnectionRefused
                    | io::ErrorKind::ConnectionReset
                    | io::ErrorKind::Interrupted
            );
            if !may_mend || Instant::now() + pause >= deadline {
                return Err(last);
            }
            std::thread::sleep(pause);
            pause = (2 * pause).min(BACK_OFF.1);
        }
    }

    /// A link over `stream`, every wait on it bounded by `timeout`.
    ///
    /// # Errors
    /// Where the socket refuses its options.
    pub fn new(stream: TcpStream, timeout: Duration) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        let socket = SockRef::from(&stream);
        // Larger buffers are a wish, and so is noticing a vanished host early.
        let _ = socket.set_send_buffer_size(SOCKET_BUFFER);
        let _ = socket.set_recv_buffer_size(SOCKET_BUFFER);
        let _ = socket.set_tcp_keepalive(&TcpKeepalive::new().with_time(Duration::from_secs(30)));
        let mut socket = Socket { stream: Arc::new(stream), timeout };
        socket.set_timeout(timeout)?;
        Ok(Self(Buffered::new(socket)))
    }

    /// The link, after a check that the peer's first bytes are `greeting`. They stay to be received.
    pub(super) fn greeted(mut self, greeting: &[u8; 8]) -> io::Result<Self> {
        if self.0.peek()? != *greeting {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "it does not speak volery's protocol"));
        }
        Ok(self)
    }

    /// Bounds every single wait by `timeout` from now on.
    ///
    /// # Errors
    /// Where the socket refuses it.
    pub fn set_timeout(&mut self, timeout: Duration) -> io::Result<()> {
        self.0.stream.set_timeout(timeout)
    }

    /// Another handle on the socket, by which another thread can shut it down: a wait for the peer then ends
    /// in an error.
    ///
    /// # Errors
    /// Where the system gives none.
    pub fn handle(&self) -> io::Result<TcpStream> {
        self.0.stream.stream.try_clone()
    }

    /// The address of this end.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.0.stream.stream.local_addr()
    }

    /// The socket, before anything was received.
    #[cfg(feature = "tls")]
    pub(super) fn into_socket(self) -> Socket {
        self.0.stream
    }

    /// Another handle on the socket.
    pub(super) fn socket(&self) -> Socket {
        self.0.stream.clone()
    }
}

impl Link for Tcp {
    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.send(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
    fn ready(&self) -> usize {
        self.0.ready()
    }
    fn recv(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        self.0.recv(bytes)
    }
    fn close(&mut self) -> io::Result<()> {
        self.0.close()
    }
    fn split(self: Box<Self>) -> io::Result<Directions> {
        Ok(self.0.split())
    }
}

impl Stream for Socket {
    fn timeout(&self) -> Duration {
        self.timeout
    }

    fn set_timeout(&mut self, timeout: Duration) -> io::Result<()> {
        self.timeout = timeout;
        self.stream.set_read_timeout(Some(timeout))?;
        self.stream.set_write_timeout(Some(timeout))
    }

    /// Writes all bytes within the timeout. A peer that takes them too slowly is as good as one that takes
    /// none.
    fn write_all(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        let mut deadline = None;
        while !bytes.is_empty() {
            if *deadline.get_or_insert_with(|| Instant::now() + self.timeout) < Instant::now() {
                return Err(too_slow());
            }
            match (&*self.stream).write(bytes) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(length) => bytes = &bytes[length..],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(timed_out(error)),
            }
        }
        Ok(())
    }

    fn read_some(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        loop {
            match (&*self.stream).read(bytes) {
                Ok(0) => {
                    return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the peer closed the link"));
                }
                Ok(length) => return Ok(length),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(timed_out(error)),
            }
        }
    }

    fn end(&mut self) -> io::Result<()> {
        self.stream.shutdown(Shutdown::Write)
    }

    fn abort(&mut self) {
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}

/// Makes a timeout one error: some systems report it as `WouldBlock`.
fn timed_out(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => too_slow(),
        _ => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channel::buffered::BUFFER;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

    const TIMEOUT: Duration = Duration::from_secs(10);

    fn pair() -> (Tcp, Tcp) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let connecting = std::thread::spawn(move || Tcp::connect(&address, TIMEOUT).unwrap());
        (Tcp::accept(&listener, TIMEOUT).unwrap(), connecting.join().unwrap())
    }

    #[test]
    fn bytes_arrive_in_order_around_the_buffer_size() {
        let (mut a, mut b) = pair();
        let sizes = [1, 100, BUFFER - 1, BUFFER, BUFFER + 1, 3 * BUFFER, 5];
        let writer = std::thread::spawn(move || {
            for (i, size) in sizes.into_iter().enumerate() {
                a.send(&vec![i as u8; size]).unwrap();
            }
            a.flush().unwrap();
            a
        });
        for (i, size) in sizes.into_iter().enumerate() {
            let mut received = vec![0xff; size];
            b.recv(&mut received).unwrap();
            assert!(received.iter().all(|&byte| byte == i as u8));
        }
        drop(writer.join().unwrap());
        assert_eq!(b.recv(&mut [0]).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    }

    #[test]
    fn nobody_there_ends_at_the_deadline() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let soon = Duration::from_millis(30);
        assert_eq!(Tcp::accept(&listener, soon).err().unwrap().kind(), io::ErrorKind::TimedOut);
        let address = listener.local_addr().unwrap().to_string();
        drop(listener);
        let error = Tcp::connect(&address, soon).err().unwrap();
        assert_eq!(error.kind(), io::ErrorKind::ConnectionRefused);
    }

    #[test]
    fn a_silent_peer_ends_in_a_timeout() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let _silent = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let mut link = Tcp::accept(&listener, Duration::from_millis(30)).unwrap();
        assert_eq!(link.recv(&mut [0]).unwrap_err().kind(), io::ErrorKind::TimedOut);
    }

    /// A peer that gives or takes a little now and then does not hold the other for ever.
    #[test]
    fn dripping_peers_end_in_a_timeout() {
        let pair = || {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let peer = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            (Tcp::accept(&listener, Duration::from_millis(60)).unwrap(), peer)
        };
        let (mut link, mut peer) = pair();
        peer.set_nodelay(true).unwrap();
        let dripping = std::thread::spawn(move || {
            // Until the other side has had enough of it.
            while peer.write_all(&[1]).is_ok() {
                std::thread::park_timeout(Duration::from_millis(5));
            }
        });
        assert_eq!(link.recv(&mut [0; 1 << 16]).unwrap_err().kind(), io::ErrorKind::TimedOut);
        drop(link);
        dripping.join().unwrap();

        let (mut link, mut peer) = pair();
        let enough = Arc::new(AtomicBool::new(false));
        let ends = enough.clone();
        let sipping = std::thread::spawn(move || {
            // Not what has been sent until then: that takes long to sip.
            while !ends.load(Relaxed) && matches!(peer.read(&mut [0; 1 << 12]), Ok(1..)) {
                std::thread::park_timeout(Duration::from_millis(5));
            }
        });
        let sent = (0..1000).try_for_each(|_| link.send(&[0; BUFFER]));
        assert_eq!(sent.unwrap_err().kind(), io::ErrorKind::TimedOut);
        enough.store(true, Relaxed);
        sipping.join().unwrap();
    }

    #[test]
    fn loopback_is_told_from_the_rest() {
        let local = |address: &str| is_loopback(address).unwrap();
        assert!(local("127.0.0.1:1") && local("[::1]:1") && local("127.9.9.9:1"));
        assert!(!local("0.0.0.0:1") && !local("192.0.2.1:1"));
    }
}
