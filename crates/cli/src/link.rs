//! Reaching the peer over TCP, and counting what goes there.

use crate::failure::{Failure, Result};
use crate::print::notice;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use volery::channel::{Link, Shaped, Tcp, is_loopback};

/// How to reach the peer.
pub enum Reach {
    /// Wait for it at this address.
    Listen(String),
    /// Connect to it.
    Connect(String),
}

impl Reach {
    /// Refuses whatever leaves this machine, unless `insecure` allows it.
    pub fn permit(&self, insecure: bool) -> Result<()> {
        let (option, address) = match self {
            Self::Listen(address) => ("--listen", address),
            Self::Connect(address) => ("--connect", address),
        };
        let port = address.rsplit_once(':').and_then(|(_, port)| port.parse::<u16>().ok());
        if port.is_none() {
            return Err(Failure::usage(format_args!(
                "{option} {address}: write a host and a port, such as 127.0.0.1:7000 or [::1]:7000"
            )));
        }
        if let Some(port) = address.strip_prefix(':') {
            return Err(Failure::usage(format_args!(
                "{option} {address}: the host is missing: write 127.0.0.1:{port} for this machine, or a \
                 host's name or number and :{port} for another network"
            )));
        }
        let loopback = is_loopback(address).map_err(|why| {
            Failure::peer(format_args!("{option} {address}: {why}: correct the name, or give a number"))
        })?;
        if loopback || insecure {
            return Ok(());
        }
        Err(Failure::usage(format_args!(
            "{option} {address}: this is not loopback, and plain TCP can be read and changed on its way: \
             go through an encrypted tunnel (such as ssh -L) on 127.0.0.1, or give --insecure-plaintext \
             on a network that you trust"
        )))
    }

    /// Reaches the peer within `timeout`, which then also bounds every wait for it.
    pub fn link(&self, timeout: Duration) -> Result<Tcp> {
        match self {
            Self::Listen(address) => {
                let failed = |why: io::Error| Failure::peer(format_args!("--listen {address}: {why}"));
                let listener = TcpListener::bind(address).map_err(failed)?;
                notice(format_args!("listening on {}", listener.local_addr().map_err(failed)?));
                Tcp::accept(&listener, timeout).map_err(|why| {
                    let seconds = timeout.as_secs_f64();
                    Failure::peer(format_args!("--listen {address}: {why} within {seconds} s (--timeout)"))
                })
            }
            Self::Connect(address) => Tcp::connect(address, timeout).map_err(|why| {
                Failure::peer(format_args!(
                    "--connect {address}: {why} (tried for up to {} s): start the other side there with \
                     --listen",
                    timeout.as_secs_f64()
                ))
            }),
        }
    }
}

/// Two connected ends on the loopback device, and their addresses.
pub fn loopback(timeout: Duration) -> Result<[(Tcp, SocketAddr); 2]> {
    let made = || -> io::Result<_> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let connecting = std::net::TcpStream::connect(listener.local_addr()?)?;
        let (accepted, theirs) = listener.accept()?;
        let ours = accepted.local_addr()?;
        Ok([(Tcp::new(connecting, timeout)?, theirs), (Tcp::new(accepted, timeout)?, ours)])
    };
    made().map_err(|why| Failure::peer(format_args!("connecting two sockets on 127.0.0.1: {why}")))
}

/// How a link between two parties in this process is made worse.
#[derive(Clone, Copy, Default)]
pub struct Shape {
    /// In Mbit/s, each way.
    pub bandwidth: Option<f64>,
    /// Each way.
    pub latency: Duration,
}

impl Shape {
    /// The link over `tcp`, as it is where nothing is asked for.
    pub fn over(self, tcp: Tcp) -> Result<Box<dyn Link>> {
        if self.bandwidth.is_none() && self.latency.is_zero() {
            return Ok(Box::new(tcp));
        }
        let failed = |why| Failure::peer(format_args!("limiting the link: {why}"));
        Ok(Box::new(Shaped::new(tcp, self.bandwidth, self.latency).map_err(failed)?))
    }
}

/// Bytes carried so far, for those who watch.
#[derive(Default)]
pub struct Meter {
    /// To the peer.
    pub sent: AtomicU64,
    /// From the peer.
    pub received: AtomicU64,
}

/// A link that keeps a [`Meter`].
pub struct Metered {
    /// What carries them.
    pub link: Box<dyn Link>,
    /// What counts them.
    pub meter: Arc<Meter>,
}

impl Link for Metered {
    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.meter.sent.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        self.link.send(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.link.flush()
    }

    fn ready(&self) -> usize {
        self.link.ready()
    }

    fn recv(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        self.link.recv(bytes)?;
        self.meter.received.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        Ok(())
    }
}
