//! Reaching the peer, by TLS or plain TCP, and counting what goes there.

use crate::failure::{Failure, Result};
use crate::print::notice;
use std::net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use std::{fmt, io};
use volery::channel::{Identity, Link, Listener, SecretKey, Shaped, Tcp, Tls, TlsConfig};

/// The most strangers that are reported one by one.
const TOLD: u32 = 5;

/// The way to reach the peer.
pub enum Reach {
    /// Wait for it at this address.
    Listen(String),
    /// Connects to this address.
    Connect(String),
}

/// The way to the peer.
pub struct Way {
    reach: Reach,
    /// The addresses of the name when it was found to be loopback, or not: asked again it may have others.
    addresses: Vec<SocketAddr>,
    /// The configuration of TLS; none in plain TCP.
    tls: Option<TlsConfig>,
}

/// A link to the peer.
pub struct Reached {
    /// The link.
    pub link: Box<dyn Link>,
    /// The identity at the other end, and the name by which it is pinned, which may be empty; nobody knows in
    /// plain TCP.
    pub peer: Option<(Identity, String)>,
    /// Another handle on the socket, to shut it down by, where the system gives one.
    pub handle: Option<TcpStream>,
}

/// An observer of what happens while a peer is waited for, who may stop it.
pub trait Meanwhile {
    /// Announces that the peer is waited for at this address.
    fn listening(&mut self, at: SocketAddr);
    /// Tells a user about anything else.
    fn say(&mut self, what: fmt::Arguments<'_>);
    /// Whether nobody is waited for any more, once it is true.
    fn stop(&self) -> Arc<AtomicBool>;
}

/// Says it on standard error, and never stops.
struct Aloud;

impl Meanwhile for Aloud {
    fn listening(&mut self, at: SocketAddr) {
        notice(format_args!("listening on {at}"));
    }
    fn say(&mut self, what: fmt::Arguments<'_>) {
        notice(what);
    }
    fn stop(&self) -> Arc<AtomicBool> {
        Arc::default()
    }
}

impl Reach {
    /// The option by which it is given, and the address.
    fn typed(&self) -> (&'static str, &str) {
        match self {
            Self::Listen(address) => ("--listen", address),
            Self::Connect(address) => ("--connect", address),
        }
    }

    /// The addresses that the name stands for.
    ///
    /// # Errors
    /// Where it is none.
    fn resolve(&self) -> Result<Vec<SocketAddr>> {
        let (option, address) = self.typed();
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
        let resolved = address.to_socket_addrs().map_err(|why| {
            Failure::peer(format_args!("{option} {address}: {why}: correct the name, or give a number"))
        })?;
        Ok(resolved.collect())
    }
}

impl Way {
    /// The way to `reach` by TLS, where keys are given, or in plain TCP, which has to be `insecure` beyond
    /// this machine.
    ///
    /// # Errors
    /// Where it is not, or the address is none.
    pub fn new(reach: Reach, tls: Option<TlsConfig>, insecure: bool) -> Result<Self> {
        let addresses = reach.resolve()?;
        if addresses.iter().all(|address| address.ip().is_loopback()) || tls.is_some() || insecure {
            return Ok(Self { reach, addresses, tls });
        }
        let (option, address) = reach.typed();
        Err(Failure::usage(format_args!(
            "{option} {address}: this is not loopback, and without keys whoever is on the way can read and \
             change all of it: run `volery key new` on both machines, and give each the identity that the \
             other prints, by `--peer volery1…` (or on a network that you trust --insecure-plaintext)"
        )))
    }

    /// Reaches the peer within `timeout`, which then also bounds every wait for it.
    ///
    /// # Errors
    /// Where it is not there in time, or by TLS another than it should be.
    pub fn link(&self, timeout: Duration) -> Result<Reached> {
        self.link_by(timeout, &mut Aloud)
    }

    /// Connects to the peer. `meanwhile` is told what happens.
    ///
    /// # Errors
    /// As for [`Way::link`], and where it was stopped.
    pub fn link_by(&self, timeout: Duration, meanwhile: &mut dyn Meanwhile) -> Result<Reached> {
        match &self.reach {
            Reach::Listen(address) => self.listen(address, timeout, meanwhile),
            Reach::Connect(address) => self.connect(address, timeout),
        }
    }

    fn listen(&self, address: &str, timeout: Duration, meanwhile: &mut dyn Meanwhile) -> Result<Reached> {
        let failed = |why: io::Error| Failure::peer(format_args!("--listen {address}: {why}"));
        let listener = Listener::bind(&self.addresses[..]).map_err(failed)?.until(meanwhile.stop());
        meanwhile.listening(listener.local_addr().map_err(failed)?);
        let (mut others, mut last) = (0, None);
        let turned_away = |from: SocketAddr, why: io::Error| {
            others += 1;
            let last = last.insert(format!("{from} was turned away: {why}"));
            match others {
                ..TOLD => meanwhile.say(format_args!("volery: {last}: still listening")),
                TOLD => {
                    meanwhile.say(format_args!("volery: {last}: still listening, and others are not told of"))
                }
                _ => {}
            }
        };
        let reached = match &self.tls {
            Some(tls) => listener.accept_tls(tls, timeout, turned_away).map(|link| Reached::by(tls, link)),
            None => listener.accept(timeout, turned_away).map(Reached::plainly),
        };
        reached.map_err(|why| {
            let seconds = timeout.as_secs_f64();
            let last = last.map_or(String::new(), |last| format!("; {last}"));
            Failure::peer(format_args!("--listen {address}: {why} within {seconds} s (--timeout){last}"))
        })
    }

    fn connect(&self, address: &str, timeout: Duration) -> Result<Reached> {
        let tcp = Tcp::connect(&self.addresses[..], timeout).map_err(|why| {
            Failure::peer(format_args!(
                "--connect {address}: {why} (tried for up to {} s): start the other side there with --listen",
                timeout.as_secs_f64()
            ))
        })?;
        let Some(tls) = &self.tls else { return Ok(Reached::plainly(tcp)) };
        tls.connect(tcp).map(|link| Reached::by(tls, link)).map_err(|why| {
            let advice = match why.kind() {
                io::ErrorKind::PermissionDenied => "",
                _ => ": see what the other side says, and whether it was given --peer, too",
            };
            Failure::peer(format_args!("--connect {address}: {why}{advice}"))
        })
    }
}

impl Reached {
    fn plainly(tcp: Tcp) -> Self {
        let handle = tcp.handle().ok();
        Self { link: Box::new(tcp), peer: None, handle }
    }

    fn by(tls: &TlsConfig, link: Tls) -> Self {
        let peer = link.peer();
        let name = tls.peers().name(peer).unwrap_or_default().to_owned();
        let handle = link.handle().ok();
        Self { link: Box::new(link), peer: Some((peer, name)), handle }
    }
}

/// Two connected ends on the loopback device, and their addresses.
pub fn loopback(timeout: Duration) -> Result<[(Tcp, SocketAddr); 2]> {
    let made = || -> io::Result<_> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let connecting = TcpStream::connect(listener.local_addr()?)?;
        let (accepted, theirs) = listener.accept()?;
        let ours = accepted.local_addr()?;
        Ok([(Tcp::new(connecting, timeout)?, theirs), (Tcp::new(accepted, timeout)?, ours)])
    };
    made().map_err(|why| Failure::peer(format_args!("connecting two sockets on 127.0.0.1: {why}")))
}

/// The properties of a link between two parties in this process.
#[derive(Clone, Copy, Default)]
pub struct Shape {
    /// The bandwidth in Mbit/s, each way.
    pub bandwidth: Option<f64>,
    /// Each way.
    pub latency: Duration,
    /// Whether it is by TLS, which then is at full speed.
    pub tls: bool,
}

impl Shape {
    /// Two ends of such a link, as it is where nothing is asked for.
    ///
    /// # Errors
    /// Where the system, or this machine, does not allow it.
    pub fn ends(self, timeout: Duration) -> Result<[Box<dyn Link>; 2]> {
        let [(here, _), (there, _)] = loopback(timeout)?;
        if self.tls {
            return self.by_tls(here, there);
        }
        if self.bandwidth.is_none() && self.latency.is_zero() {
            return Ok([Box::new(here), Box::new(there)]);
        }
        let failed = |why| Failure::peer(format_args!("limiting the link: {why}"));
        let shaped = |tcp| Shaped::new(tcp, self.bandwidth, self.latency).map_err(failed);
        Ok([Box::new(shaped(here)?), Box::new(shaped(there)?)])
    }

    fn by_tls(self, here: Tcp, there: Tcp) -> Result<[Box<dyn Link>; 2]> {
        let (ours, theirs) = (SecretKey::generate()?, SecretKey::generate()?);
        let connecting = TlsConfig::new(&ours, theirs.identity().into())?;
        let listening = TlsConfig::new(&theirs, ours.identity().into())?;
        let failed = |why| Failure::peer(format_args!("TLS over loopback: {why}"));
        std::thread::scope(|scope| {
            let there = scope.spawn(move || listening.accept(there));
            let here = connecting.connect(here).map_err(failed)?;
            let there = there.join().expect("TLS does not panic").map_err(failed)?;
            Ok([Box::new(here) as Box<dyn Link>, Box::new(there)])
        })
    }
}

/// Bytes carried so far, for those who watch.
#[derive(Default)]
pub struct Meter {
    /// Bytes to the peer.
    pub sent: AtomicU64,
    /// Bytes from the peer.
    pub received: AtomicU64,
}

/// A link that keeps a [`Meter`].
pub struct Metered {
    /// The link that carries the bytes.
    pub link: Box<dyn Link>,
    /// The counter of the link's bytes.
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

    fn binding(&self) -> Option<[u8; 32]> {
        self.link.binding()
    }

    fn close(&mut self) -> io::Result<()> {
        self.link.close()
    }
}
