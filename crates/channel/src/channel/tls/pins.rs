//! The check that a peer shows, and signs with, a pinned key.

use super::{Identity, Peers};
use core::fmt;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, WebPkiSupportedAlgorithms, verify_tls13_signature_with_raw_key};
use rustls::pki_types::{CertificateDer, ServerName, SubjectPublicKeyInfoDer, UnixTime};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::{
    CertificateError, DigitallySignedStruct, DistinguishedName, Error, OtherError, PeerIncompatible,
    SignatureScheme,
};
use std::sync::Arc;

/// The keys that this side accepts.
#[derive(Debug)]
pub(super) struct Pins {
    peers: Peers,
    algorithms: WebPkiSupportedAlgorithms,
}

impl Pins {
    pub(super) fn new(peers: Peers, provider: &CryptoProvider) -> Self {
        Self { peers, algorithms: provider.signature_verification_algorithms }
    }

    pub(super) fn peers(&self) -> &Peers {
        &self.peers
    }

    /// Whether `key`, a SubjectPublicKeyInfo, is pinned.
    fn find(&self, key: &[u8]) -> Result<(), Error> {
        let shown = Identity::from_spki(key);
        if shown.is_some_and(|shown| self.peers.name(shown).is_some()) {
            return Ok(());
        }
        let pinned = self.peers.iter().map(|(identity, name)| match name {
            "" => identity.to_string(),
            name => format!("{name} ({identity})"),
        });
        let why = UnknownKey { shown, pinned: pinned.take(3).collect(), more: self.peers.iter().count() > 3 };
        Err(CertificateError::Other(OtherError(Arc::new(why))).into())
    }

    fn signed(
        &self,
        message: &[u8],
        key: &CertificateDer,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let key = SubjectPublicKeyInfoDer::from(key.as_ref());
        verify_tls13_signature_with_raw_key(message, &key, signature, &self.algorithms)
    }
}

/// The error of a key that is not pinned.
#[derive(Debug)]
pub(super) struct UnknownKey {
    /// The key that was shown; `None` where it is no Ed25519 key.
    shown: Option<Identity>,
    /// The first of the pinned keys.
    pinned: Vec<String>,
    more: bool,
}

impl UnknownKey {
    /// The unknown key that `error` is about, if it is about one.
    pub(super) fn of(error: &Error) -> Option<&Self> {
        match error {
            Error::InvalidCertificate(CertificateError::Other(OtherError(why))) => why.downcast_ref(),
            _ => None,
        }
    }
}

impl fmt::Display for UnknownKey {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.shown {
            Some(shown) => write!(f, "the one at the other end is {shown}")?,
            None => f.write_str("the one at the other end has a key of another kind")?,
        }
        write!(f, ", and pinned is {}{}", self.pinned.join(" or "), if self.more { " or …" } else { "" })
    }
}

impl std::error::Error for UnknownKey {}

/// TLS 1.2 is never offered nor accepted.
fn tls12() -> Result<HandshakeSignatureValid, Error> {
    Err(Error::PeerIncompatible(PeerIncompatible::SupportedVersionsExtensionRequired))
}

impl ServerCertVerifier for Pins {
    fn verify_server_cert(
        &self,
        key: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        self.find(key).map(|()| ServerCertVerified::assertion())
    }
    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        tls12()
    }
    fn verify_tls13_signature(
        &self,
        message: &[u8],
        key: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.signed(message, key, signature)
    }
    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        vec![SignatureScheme::ED25519]
    }
    fn requires_raw_public_keys(&self) -> bool {
        true
    }
}

impl ClientCertVerifier for Pins {
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }
    fn verify_client_cert(
        &self,
        key: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        self.find(key).map(|()| ClientCertVerified::assertion())
    }
    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        tls12()
    }
    fn verify_tls13_signature(
        &self,
        message: &[u8],
        key: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.signed(message, key, signature)
    }
    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        vec![SignatureScheme::ED25519]
    }
    fn requires_raw_public_keys(&self) -> bool {
        true
    }
}
