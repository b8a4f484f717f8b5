//! TLS 1.3 between two parties that know each other's public keys.
//!
//! | step | who | message | bytes |
//! |---|---|---|---|
//! | 1 | connecting | ClientHello: X25519MLKEM768 share, raw public keys (RFC 7250) only | 1.4 k |
//! | 2 | listening | ServerHello; encrypted: its key, a request for the other's, a signature, Finished | 1.5 k |
//! | 3 | connecting | encrypted: its key, a signature, Finished | 0.2 k |
//! | 4 | listening | encrypted: one byte, once it has found the key to be one that it pins | 23 |
//!
//! There are no certificates and no names: each side pins the other's Ed25519 key, and refuses any other
//! before it says more. So neither has sent a byte of its statement before both keys have passed: the
//! connecting side waits for step 4, without which it could not tell in TLS 1.3 that its own was refused. One
//! version, one group, one suite are offered and accepted, TLS_AES_256_GCM_SHA384 and the hybrid of X25519
//! and ML-KEM-768, so that there is nothing to downgrade to; nothing is resumed, and there is no early data.
//! Who records a session cannot read it later by a quantum computer, nor by stealing keys.
//!
//! The **binding** is 32 bytes that TLS exports (RFC 8446, section 7.5) and that begin the transcript of the
//! proof: each challenge depends on this one link, so that messages of a proof are worth nothing over another.
//!
//! The provider of the cryptography is graviola: no C, assembly that is proven correct in part (the crate's README
//! weighs it). It needs a machine of 2015 or later; elsewhere a link is refused.
//!
//! Whoever listens shows its public key to whoever connects; the connecting side's is encrypted to the
//! listener. Lengths and times of messages are seen by all.

mod identity;
mod key;
mod peers;
mod pins;
mod signature;

pub use identity::{Identity, NoIdentity};
pub use key::SecretKey;
pub use peers::Peers;
pub use signature::SIGNATURE;

use super::buffered::{BUFFER, Buffered, Stream, too_slow};
use super::tcp::{Socket, Tcp};
use super::{Directions, Link};
use crate::error::{Error, Result};
use pins::{Pins, UnknownKey};
use rustls::client::{AlwaysResolvesClientRawPublicKeys, Resumption};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{ServerName, UnixTime};
use rustls::server::{AlwaysResolvesServerRawPublicKeys, NoServerSessionStorage};
use rustls::time_provider::TimeProvider;
use rustls::version::TLS13;
use rustls::{AlertDescription, CipherSuite, ClientConfig, ClientConnection, Connection, NamedGroup};
use rustls::{ServerConfig, ServerConnection};
use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The name of the protocol above in TLS (ALPN).
const PROTOCOL: &[u8] = b"volery";
/// The label of the binding (RFC 5705).
const BINDING: &[u8] = b"EXPORTER-volery-binding";
/// The byte by which the listening side says that it accepts the other's key.
const WELCOME: u8 = 1;

/// A party's configuration of TLS: its own key, and those of its peers.
#[derive(Clone)]
pub struct TlsConfig {
    ours: Identity,
    pins: Arc<Pins>,
    client: Arc<ClientConfig>,
    server: Arc<ServerConfig>,
}

impl TlsConfig {
    /// The configuration of a party with this `key` that talks to `peers` and nobody else.
    ///
    /// # Errors
    /// `Invalid` where there are none, or this machine lacks what the cryptography needs.
    pub fn new(key: &SecretKey, peers: Peers) -> Result<Self> {
        if peers.is_empty() {
            return Err(Error::invalid("a link by TLS needs the identity of a peer, and there is none"));
        }
        let provider = provider()?;
        let (pins, certified) = (Arc::new(Pins::new(peers, &provider)), key.certified());
        let versions = "the provider has TLS 1.3";
        let mut client = ClientConfig::builder_with_details(provider.clone(), Arc::new(Timeless))
            .with_protocol_versions(&[&TLS13])
            .expect(versions)
            .dangerous()
            .with_custom_certificate_verifier(pins.clone())
            .with_client_cert_resolver(Arc::new(AlwaysResolvesClientRawPublicKeys::new(certified.clone())));
        client.resumption = Resumption::disabled();
        client.enable_sni = false;
        client.alpn_protocols = vec![PROTOCOL.into()];
        let mut server = ServerConfig::builder_with_details(provider, Arc::new(Timeless))
            .with_protocol_versions(&[&TLS13])
            .expect(versions)
            .with_client_cert_verifier(pins.clone())
            .with_cert_resolver(Arc::new(AlwaysResolvesServerRawPublicKeys::new(certified)));
        server.session_storage = Arc::new(NoServerSessionStorage {});
        server.send_tls13_tickets = 0;
        server.alpn_protocols = vec![PROTOCOL.into()];
        Ok(Self { ours: key.identity(), pins, client: Arc::new(client), server: Arc::new(server) })
    }

    /// The identity of this party.
    pub const fn identity(&self) -> Identity {
        self.ours
    }

    /// The peers whose keys it accepts.
    pub fn peers(&self) -> &Peers {
        self.pins.peers()
    }

    /// Shakes hands over `tcp`, a connection that this side made.
    ///
    /// # Errors
    /// [`ErrorKind::PermissionDenied`] where a side refuses the other's key; otherwise what the link, or the
    /// peer, did wrong.
    pub fn connect(&self, tcp: Tcp) -> io::Result<Tls> {
        let name = ServerName::try_from("volery").expect("a name");
        let connection = ClientConnection::new(self.client.clone(), name).map_err(io::Error::other)?;
        let mut tls = self.shake_hands(connection.into(), tcp)?;
        let mut welcome = [0];
        tls.recv(&mut welcome)?;
        if welcome != [WELCOME] {
            return Err(io::Error::new(ErrorKind::InvalidData, "it does not speak volery's protocol"));
        }
        Ok(tls)
    }

    /// Shakes hands over `tcp`, a connection that the peer made.
    ///
    /// # Errors
    /// As for [`TlsConfig::connect`].
    pub fn accept(&self, tcp: Tcp) -> io::Result<Tls> {
        let connection = ServerConnection::new(self.server.clone()).map_err(io::Error::other)?;
        let mut tls = self.shake_hands(connection.into(), tcp)?;
        tls.send(&[WELCOME])?;
        tls.flush()?;
        Ok(tls)
    }

    fn shake_hands(&self, connection: Connection, tcp: Tcp) -> io::Result<Tls> {
        let socket = tcp.into_socket();
        let outgoing = Outgoing { socket: socket.clone(), records: vec![], broken: false };
        let shared = Arc::new(Shared { connection: Mutex::new(connection), outgoing: Mutex::new(outgoing) });
        let mut records = Records {
            shared: shared.clone(),
            socket,
            incoming: vec![0; BUFFER].into_boxed_slice(),
            ready: 0..0,
            ours: self.ours,
        };
        let deadline = Instant::now() + records.socket.timeout();
        while shared.connection().is_handshaking() {
            if deadline < Instant::now() {
                return Err(too_slow());
            }
            shared.deliver()?;
            if shared.connection().is_handshaking() {
                records.take_up()?;
            }
        }
        shared.deliver()?;
        let mut binding = [0; 32];
        let connection = shared.connection();
        let exported = connection.export_keying_material(&mut binding, BINDING, None);
        exported.map_err(io::Error::other)?;
        let key = connection.peer_certificates().and_then(<[_]>::first);
        let peer = key.and_then(|key| Identity::from_spki(key)).expect("a key that was found to be pinned");
        drop(connection);
        Ok(Tls { buffered: Buffered::new(records), peer, binding })
    }
}

/// The clock of links. Keys that are pinned have no dates, and nothing is resumed, so that no handshake depends
/// on what this machine takes the time to be, be it before 1970.
#[derive(Debug)]
struct Timeless;

impl TimeProvider for Timeless {
    fn current_time(&self) -> Option<UnixTime> {
        Some(UnixTime::since_unix_epoch(Duration::ZERO))
    }
}

/// A link by TLS.
pub struct Tls {
    buffered: Buffered<Records>,
    peer: Identity,
    binding: [u8; 32],
}

impl Tls {
    /// The identity at the other end.
    pub const fn peer(&self) -> Identity {
        self.peer
    }

    /// The group by which keys were exchanged.
    #[cfg(test)]
    fn group(&self) -> Option<NamedGroup> {
        self.buffered.stream.shared.connection().negotiated_key_exchange_group().map(|group| group.name())
    }

    /// Another handle on the socket: see [`Tcp::handle`].
    ///
    /// # Errors
    /// Where the system gives none.
    pub fn handle(&self) -> io::Result<TcpStream> {
        self.buffered.stream.socket.stream.try_clone()
    }

    /// Bounds every single wait by `timeout` from now on.
    ///
    /// # Errors
    /// Where the socket refuses it.
    pub fn set_timeout(&mut self, timeout: Duration) -> io::Result<()> {
        self.buffered.stream.socket.set_timeout(timeout)
    }
}

impl Link for Tls {
    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.buffered.send(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.buffered.flush()
    }
    fn ready(&self) -> usize {
        self.buffered.ready()
    }
    fn recv(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        self.buffered.recv(bytes)
    }
    fn binding(&self) -> Option<[u8; 32]> {
        Some(self.binding)
    }
    fn close(&mut self) -> io::Result<()> {
        self.buffered.close()
    }
    fn split(self: Box<Self>) -> io::Result<Directions> {
        Ok(self.buffered.split())
    }
}

/// TLS over a socket: a handle, of which one thread reads, and one writes.
struct Records {
    shared: Arc<Shared>,
    /// The handle that is read from.
    socket: Socket,
    /// Bytes read from the socket, of which the `ready` ones are still to be given to the connection: that
    /// takes 4 kB at a time, and a system call reads more.
    incoming: Box<[u8]>,
    ready: std::ops::Range<usize>,
    ours: Identity,
}

/// The state that all handles have in common. Nobody waits for the peer and holds the connection.
struct Shared {
    connection: Mutex<Connection>,
    /// Taken before the connection, so that records leave in the order in which they were made.
    outgoing: Mutex<Outgoing>,
}

/// The way of records to the peer.
struct Outgoing {
    socket: Socket,
    records: Vec<u8>,
    /// Whether a message could not be sent.
    broken: bool,
}

impl Outgoing {
    /// Sends all records. After a failure nothing is sent any more, since the peer could not tell it from
    /// what was lost.
    fn deliver(&mut self) -> io::Result<()> {
        if self.records.is_empty() {
            return Ok(());
        }
        if self.broken {
            return Err(ErrorKind::BrokenPipe.into());
        }
        let written = self.socket.write_all(&self.records);
        self.records.clear();
        self.broken = written.is_err();
        written
    }
}

impl Shared {
    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn outgoing(&self) -> MutexGuard<'_, Outgoing> {
        self.outgoing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends all that the connection has to say, once `say` has said more, and gives back what it did.
    fn say<T>(&self, say: impl FnOnce(&mut Connection) -> io::Result<T>) -> io::Result<T> {
        let mut outgoing = self.outgoing();
        let mut connection = self.connection();
        let said = say(&mut connection)?;
        while connection.wants_write() {
            connection.write_tls(&mut outgoing.records)?;
        }
        drop(connection);
        outgoing.deliver().map(|()| said)
    }

    fn deliver(&self) -> io::Result<()> {
        self.say(|_| Ok(()))
    }
}

impl Drop for Shared {
    /// Ends the link, as TLS wants it.
    fn drop(&mut self) {
        let _ = self.say(|connection| {
            connection.send_close_notify();
            Ok(())
        });
    }
}

impl Records {
    /// Gives some bytes of the peer to the connection.
    fn take_up(&mut self) -> io::Result<()> {
        if self.ready.is_empty() {
            self.ready = 0..self.socket.read_some(&mut self.incoming)?;
        }
        let mut unread = &self.incoming[self.ready.clone()];
        let mut connection = self.shared.connection();
        self.ready.start += connection.read_tls(&mut unread)?;
        let processed = connection.process_new_packets();
        // An answer to a change of keys; or the peer is told why, if it still listens.
        let answers = connection.wants_write();
        drop(connection);
        let delivered = if answers { self.shared.deliver() } else { Ok(()) };
        processed.map_err(|why| explained(why, self.ours))?;
        delivered
    }
}

impl Clone for Records {
    /// A handle for the other direction, which has read nothing.
    fn clone(&self) -> Self {
        let Self { shared, socket, ours, .. } = self;
        let (shared, socket, ours) = (shared.clone(), socket.clone(), *ours);
        Self { shared, socket, incoming: Box::default(), ready: 0..0, ours }
    }
}

impl Stream for Records {
    fn timeout(&self) -> Duration {
        self.socket.timeout()
    }

    fn set_timeout(&mut self, timeout: Duration) -> io::Result<()> {
        self.socket.set_timeout(timeout)
    }

    fn write_all(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        let deadline = Instant::now() + self.timeout();
        while !bytes.is_empty() {
            // A peer that takes them too slowly is as good as one that takes none.
            if deadline < Instant::now() {
                self.shared.outgoing().broken = true;
                return Err(too_slow());
            }
            let taken = self.shared.say(|connection| connection.writer().write(bytes))?;
            bytes = &bytes[taken..];
        }
        Ok(())
    }

    fn read_some(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let deadline = Instant::now() + self.timeout();
        loop {
            match self.shared.connection().reader().read(bytes) {
                Ok(0) => return Err(io::Error::new(ErrorKind::UnexpectedEof, "the peer closed the link")),
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                read => return read,
            }
            if deadline < Instant::now() {
                return Err(too_slow());
            }
            self.take_up()?;
        }
    }

    fn end(&mut self) -> io::Result<()> {
        self.shared.say(|connection| {
            connection.send_close_notify();
            Ok(())
        })
    }

    fn abort(&mut self) {
        self.socket.abort();
    }
}

/// The error of TLS in words of this protocol.
fn explained(why: rustls::Error, ours: Identity) -> io::Error {
    use AlertDescription as Alert;
    let refused = |why: String| io::Error::new(ErrorKind::PermissionDenied, why);
    let other = |why: String| io::Error::new(ErrorKind::InvalidData, why);
    if let Some(unknown) = UnknownKey::of(&why) {
        return refused(unknown.to_string());
    }
    match why {
        rustls::Error::AlertReceived(Alert::CertificateUnknown | Alert::AccessDenied) => refused(format!(
            "it does not talk to this side, which is {ours}: have that identity pinned there, or take the key \
             that is"
        )),
        rustls::Error::AlertReceived(Alert::DecryptError) | rustls::Error::InvalidCertificate(_) => {
            refused("the one at the other end does not have the key that it shows".into())
        }
        rustls::Error::AlertReceived(
            Alert::ProtocolVersion
            | Alert::HandshakeFailure
            | Alert::UnsupportedCertificate
            | Alert::NoApplicationProtocol,
        )
        | rustls::Error::PeerIncompatible(_) => other(format!(
            "it does not offer TLS 1.3 with X25519MLKEM768, TLS_AES_256_GCM_SHA384 and raw public keys ({why})"
        )),
        rustls::Error::InvalidMessage(_) => {
            other(format!("it does not speak TLS: does it use plain TCP? ({why})"))
        }
        why => other(format!("TLS failed: {why}")),
    }
}

/// The cryptography that links use.
fn provider() -> Result<Arc<CryptoProvider>> {
    if !volery_primitives::has_tls_instructions() {
        return Err(Error::invalid(
            "this machine cannot make links by TLS, for which an x86-64 one needs AES, PCLMULQDQ, AVX2, BMI2 \
             and ADX (as since 2015), and an arm64 one AES, PMULL and SHA-2: go through an encrypted tunnel",
        ));
    }
    let mut provider = implementation();
    provider.cipher_suites.retain(|suite| suite.suite() == CipherSuite::TLS13_AES_256_GCM_SHA384);
    provider.kx_groups.retain(|group| group.name() == NamedGroup::X25519MLKEM768);
    Ok(Arc::new(provider))
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn implementation() -> CryptoProvider {
    rustls_graviola::default_provider()
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn implementation() -> CryptoProvider {
    unreachable!("another machine has no instructions for it")
}

#[cfg(test)]
mod tests;
