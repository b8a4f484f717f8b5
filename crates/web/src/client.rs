//! The prover's client: TLS by rustls, with what its proof needs kept. It speaks over any connection, which is the
//! verifier's relay where a proof is to come of it.
//!
//! The handshake secret is what rustls never gives away. It is taken where it is made: the one call of HKDF-Extract
//! with a salt, in a session without pre-shared key, is that of RFC 8446 section 7.1 which makes it. So the suites that
//! are offered have an HKDF of our own around the provider's, which leaves the secret in a slot of the thread that drives
//! the connection.
//!
//! Offered are TLS 1.3, the suites of the policy, http/1.1, and for the key exchange the hybrid of X25519 and ML-KEM-768
//! first, so that whoever records the connection cannot read it later by a quantum computer. Nothing is resumed, no
//! ticket is asked for, there is no early data and no certificate of the client.
//!
//! The relay may be the author of the policy. So the client believes its own authorities alone, and those of the policy,
//! with its pins, are demanded beside them: both while the handshake goes on, before any of the request is sent.

use crate::error::{Error, Place, Refusal, Result, Why};
use crate::provider::{implementation_of, provider};
use crate::recording::{Recording, Side};
use crate::tls::{Roots, Secret, Suite, check_chain};
use core::cell::RefCell;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{Resumption, TicketRequest, WebPkiServerVerifier};
use rustls::crypto::hmac::Tag;
use rustls::crypto::tls13::{Hkdf, HkdfExpander, OkmBlock};
use rustls::crypto::{ActiveKeyExchange, WebPkiSupportedAlgorithms};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::time_provider::TimeProvider;
use rustls::version::TLS13;
use rustls::{
    CertificateError, ClientConfig, ClientConnection, DigitallySignedStruct, NamedGroup, OtherError,
    SignatureScheme, SupportedCipherSuite, Tls13CipherSuite,
};
use std::io::{self, Read, Write};
use std::sync::{Arc, LazyLock};
use std::time::Instant;
use zeroize::Zeroizing;

/// A request, and of whom it is made.
pub struct Request<'a> {
    /// The server's name, in ASCII and lower case.
    pub name: &'a str,
    /// The cipher suites that are offered, the best first.
    pub suites: &'a [Suite],
    /// The authorities that the client itself believes.
    pub own: &'a Roots,
    /// The authorities, and keys, that it has to be certified by in addition, as the verifier will demand.
    pub demanded: &'a Roots,
    /// The time at which certificates must be valid.
    pub time: UnixTime,
    /// The bytes that are sent.
    pub bytes: &'a [u8],
    /// The most bytes of TLS that the server may send.
    pub most: usize,
}

/// A connection to the server, or to the relay.
pub trait Connection: Read + Write {}

impl<T: Read + Write> Connection for T {}

/// A session that has ended, as its client has it.
pub struct Fetched {
    /// All that went over the connection.
    pub recording: Recording,
    /// HS, the handshake secret.
    pub secret: Secret,
    /// The application data that came.
    pub response: Zeroizing<Vec<u8>>,
}

/// Sends a request over `connection`, and reads until `is_complete` says of what has come that it is all, or the
/// server ends the session; then says so to the server. The connection is left open: whoever made it closes it.
///
/// # Errors
/// `Tls` where the session with the server fails, its certificate included; `Io`; `Invalid` where the server sends
/// more than it may, or this machine cannot speak TLS.
pub fn fetch(
    request: &Request<'_>,
    connection: &mut dyn Connection,
    is_complete: &mut dyn FnMut(&[u8]) -> bool,
) -> Result<Fetched> {
    let name = ServerName::try_from(request.name.to_string());
    let name = name.map_err(|_| Error::invalid(format!("{:?} is no name of a server", request.name)))?;
    let mut tls = ClientConnection::new(Arc::new(config(request)?), name)?;
    let mut wire = Wire { connection, recording: Recording::new(), began: Instant::now() };
    // Never moved, so that wiping it wipes all of it.
    let mut response = Zeroizing::new(Vec::with_capacity(request.most));
    let _emptied = Emptied::new();
    let mut is_sent = false;
    let mut is_over = false;
    loop {
        while tls.wants_write() {
            tls.write_tls(&mut wire).map_err(Error::io("sending to the server"))?;
        }
        wire.flush().map_err(Error::io("sending to the server"))?;
        if is_over {
            break;
        }
        if !tls.is_handshaking() && !is_sent {
            is_sent = true;
            tls.writer().write_all(request.bytes).map_err(Error::io("sending to the server"))?;
            continue;
        }
        let read = tls.read_tls(&mut wire).map_err(Error::io("waiting for the server"))?;
        if wire.recording.stream(Side::Server).len() > request.most {
            return Err(Error::invalid(format!("the server sends more than {} bytes", request.most)));
        }
        let state = match tls.process_new_packets() {
            Ok(state) => state,
            Err(error) => {
                // The server is told why, if it still listens.
                let _ = tls.write_tls(&mut wire);
                return Err(of_tls(error));
            }
        };
        let begin = response.len();
        let mut piece = Zeroizing::new(vec![0; state.plaintext_bytes_to_read()]);
        tls.reader().read_exact(&mut piece).map_err(Error::io("reading what the server said"))?;
        response.extend_from_slice(&piece);
        is_over = state.peer_has_closed() || read == 0 || begin < response.len() && is_complete(&response);
        if is_over {
            if tls.is_handshaking() {
                return Err(Error::io("shaking hands with the server")(io::ErrorKind::UnexpectedEof.into()));
            }
            tls.send_close_notify();
        }
    }
    let secret =
        SLOT.take().ok_or_else(|| Error::invalid("the session had no handshake secret of its own"))?;
    Ok(Fetched { recording: wire.recording, secret, response })
}

/// A connection that is recorded as it is used.
struct Wire<'c> {
    connection: &'c mut dyn Connection,
    recording: Recording,
    began: Instant,
}

impl Wire<'_> {
    fn push(&mut self, side: Side, bytes: &[u8]) {
        let millis = u32::try_from(self.began.elapsed().as_millis()).unwrap_or(u32::MAX);
        self.recording.push(side, bytes, millis);
    }
}

impl Read for Wire<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.connection.read(bytes)?;
        self.push(Side::Server, &bytes[..read]);
        Ok(read)
    }
}

impl Write for Wire<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.connection.write(bytes)?;
        self.push(Side::Client, &bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.connection.flush()
    }
}

/// The configuration of one request.
fn config(request: &Request<'_>) -> Result<ClientConfig> {
    let mut provider = provider()?;
    provider.cipher_suites = request.suites.iter().map(|suite| kept(*suite)).collect();
    provider.kx_groups.sort_by_key(|group| group.name() != NamedGroup::X25519MLKEM768);
    let provider = Arc::new(provider);
    let own =
        WebPkiServerVerifier::builder_with_provider(Arc::new(request.own.store()), provider.clone()).build();
    let own = own.map_err(|why| Error::invalid(format!("roots: {why}")))?;
    let algorithms = provider.signature_verification_algorithms;
    let verifier = Demanding { own, demanded: request.demanded.clone(), algorithms };
    let mut config = ClientConfig::builder_with_details(provider, Arc::new(FixedTime(request.time)))
        .with_protocol_versions(&[&TLS13])?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    config.resumption = Resumption::disabled();
    config.enable_early_data = false;
    config.send_ticket_request = Some(TicketRequest { new_session_count: 0, resumption_count: 0 });
    Ok(config)
}

/// Checks of the server's certificate: those of any client, by its own authorities, and then those that the verifier
/// will make.
#[derive(Debug)]
struct Demanding {
    own: Arc<WebPkiServerVerifier>,
    demanded: Roots,
    algorithms: WebPkiSupportedAlgorithms,
}

impl ServerCertVerifier for Demanding {
    fn verify_server_cert(
        &self,
        own: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let verified = self.own.verify_server_cert(own, between, name, ocsp, now)?;
        let chain = [core::slice::from_ref(own), between].concat();
        check_chain(&chain, &self.demanded, name, now, &self.algorithms)
            .map_err(|why| CertificateError::Other(OtherError(Arc::new(Undemanded(why)))))?;
        Ok(verified)
    }

    /// Refuses: there is no TLS 1.2 here.
    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Err(rustls::Error::PeerIncompatible(rustls::PeerIncompatible::ServerDoesNotSupportTls12Or13))
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.own.verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.own.supported_verify_schemes()
    }
}

/// A certificate that is good for the client, and not for the policy.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Undemanded(Why);

/// The error by which a session ends, as the verifier would tell of a certificate that it demands another for.
fn of_tls(error: rustls::Error) -> Error {
    if let rustls::Error::InvalidCertificate(CertificateError::Other(OtherError(other))) = &error
        && let Some(Undemanded(why)) = other.downcast_ref()
    {
        let at = Place::Message { side: Side::Server, name: "Certificate" };
        return Refusal::of(Side::Server, at, why.clone()).into();
    }
    error.into()
}

/// The time of a request, at which its proof looks at certificates, too.
#[derive(Debug)]
struct FixedTime(UnixTime);

impl TimeProvider for FixedTime {
    fn current_time(&self) -> Option<UnixTime> {
        Some(self.0)
    }
}

/// A suite as it is offered, with an HKDF that keeps the handshake secret.
fn kept(suite: Suite) -> SupportedCipherSuite {
    static ALL: LazyLock<[Tls13CipherSuite; 2]> = LazyLock::new(|| {
        Suite::ALL.map(|suite| {
            let Tls13CipherSuite { common, aead_alg, .. } = implementation_of(suite);
            let common = rustls::crypto::CipherSuiteCommon { ..*common };
            Tls13CipherSuite { common, hkdf_provider: &Keeping, aead_alg: *aead_alg, quic: None }
        })
    });
    SupportedCipherSuite::Tls13(&LazyLock::force(&ALL)[suite as usize])
}

thread_local! {
    /// The handshake secret of the connection that this thread drives.
    static SLOT: RefCell<Option<Secret>> = const { RefCell::new(None) };
}

/// The slot for one connection: empty before it, and behind it, however that ends.
struct Emptied;

impl Emptied {
    fn new() -> Self {
        SLOT.take();
        Self
    }
}

impl Drop for Emptied {
    fn drop(&mut self) {
        SLOT.take();
    }
}

/// The provider's HKDF with SHA-256, that of either suite, which keeps the one secret that is extracted under a salt.
struct Keeping;

impl Keeping {
    fn inner(&self) -> &'static dyn Hkdf {
        implementation_of(Suite::Aes128).hkdf_provider
    }
}

impl Hkdf for Keeping {
    fn extract_from_zero_ikm(&self, salt: Option<&[u8]>) -> Box<dyn HkdfExpander> {
        self.inner().extract_from_zero_ikm(salt)
    }

    fn extract_from_secret(&self, salt: Option<&[u8]>, secret: &[u8]) -> Box<dyn HkdfExpander> {
        let Some(salt) = salt else { return self.inner().extract_from_secret(salt, secret) };
        // RFC 5869 section 2.2.
        let extracted = self.inner().hmac_sign(&OkmBlock::new(salt), secret);
        let bytes: Zeroizing<[u8; 32]> =
            Zeroizing::new(extracted.as_ref().try_into().expect("a digest of SHA-256"));
        SLOT.set(Some(Secret::new(*bytes)));
        self.inner().expander_for_okm(&OkmBlock::new(&bytes[..]))
    }

    fn extract_from_kx_shared_secret(
        &self,
        salt: Option<&[u8]>,
        exchange: Box<dyn ActiveKeyExchange>,
        peer: &[u8],
    ) -> Result<Box<dyn HkdfExpander>, rustls::Error> {
        let shared = exchange.complete_for_tls_version(peer, &TLS13)?;
        Ok(self.extract_from_secret(salt, shared.secret_bytes()))
    }

    fn expander_for_okm(&self, okm: &OkmBlock) -> Box<dyn HkdfExpander> {
        self.inner().expander_for_okm(okm)
    }

    fn hmac_sign(&self, key: &OkmBlock, message: &[u8]) -> Tag {
        self.inner().hmac_sign(key, message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tls::script;

    /// A server that is gone once the keys are exchanged.
    struct Gone;

    impl Read for Gone {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            SLOT.set(Some(Secret::new([1; 32])));
            Err(io::ErrorKind::ConnectionReset.into())
        }
    }

    impl Write for Gone {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn no_secret_outlives_its_connection() {
        let (roots, time) = (script::roots(), script::time());
        let (name, suites) = (script::NAME, &Suite::ALL);
        let request = Request { name, suites, own: &roots, demanded: &roots, time, bytes: b"", most: 100 };
        assert!(fetch(&request, &mut Gone, &mut |_| true).is_err());
        assert!(SLOT.take().is_none());
    }
}
