//! The server's certificates, and its signature over the handshake (RFC 8446 sections 4.4.2 and 4.4.3).

use super::hello::ClientHello;
use super::reader::Reader;
use crate::error::{Error, Result, Why};
use rustls::crypto::WebPkiSupportedAlgorithms;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, TrustAnchor, UnixTime};
use sha2::{Digest, Sha256};
use webpki::{EndEntityCert, KeyUsage, anchor_from_trusted_cert, spki_for_anchor};

/// The most certificates of a chain: public ones have four, and each costs whoever looks for a path.
const MOST_CERTIFICATES: usize = 10;

/// Extensions of a certificate's entry: OCSP, and timestamps of certificate transparency.
const ENTRY_EXTENSIONS: [u16; 2] = [5, 18];

/// The begin of what a server signs, before the digest of the messages (section 4.4.3).
const CONTEXT: &[u8] = b"TLS 1.3, server CertificateVerify\0";

/// The authorities that a verifier believes, and the keys that it insists on.
#[derive(Clone, Debug)]
pub struct Roots {
    anchors: Vec<TrustAnchor<'static>>,
    /// SHA-256 of public keys (SubjectPublicKeyInfo), of which the path has to have one; none where any will do.
    pins: Vec<[u8; 32]>,
}

impl Roots {
    /// The certificates of a PEM text.
    ///
    /// # Errors
    /// `Invalid` where there is none, or one is malformed.
    pub fn from_pem(text: &[u8]) -> Result<Self> {
        let anchor = |certificate: Result<CertificateDer<'static>, _>| {
            let certificate = certificate.map_err(|error| Error::invalid(format!("roots: {error}")))?;
            let anchor = anchor_from_trusted_cert(&certificate);
            let anchor = anchor.map_err(|error| Error::invalid(format!("roots: a certificate: {error}")))?;
            Ok(anchor.to_owned())
        };
        let roots: Vec<_> = CertificateDer::pem_slice_iter(text).map(anchor).collect::<Result<_>>()?;
        if roots.is_empty() {
            return Err(Error::invalid("roots: there is no certificate in PEM"));
        }
        Ok(Self { anchors: roots, pins: vec![] })
    }

    /// The roots, where the path to them has to have one of the keys with these digests: the server's own, that of an
    /// authority between, or the root's.
    #[must_use]
    pub fn pinned(self, pins: Vec<[u8; 32]>) -> Self {
        Self { pins, ..self }
    }

    /// Digests of the authorities, and of the pins, in whatever order they were given.
    pub(crate) fn digests(&self) -> [[u8; 32]; 2] {
        let anchor = |anchor: &TrustAnchor<'_>| -> [u8; 32] {
            let constraints = anchor.name_constraints.as_deref();
            let parts =
                [&anchor.subject[..], &anchor.subject_public_key_info, constraints.unwrap_or_default()];
            let mut digest = Sha256::new_with_prefix([constraints.is_some().into()]);
            for part in parts {
                digest.update((part.len() as u64).to_be_bytes());
                digest.update(part);
            }
            digest.finalize().into()
        };
        [self.anchors.iter().map(anchor).collect(), self.pins.clone()].map(|mut all: Vec<_>| {
            all.sort_unstable();
            Sha256::digest(all.as_flattened()).into()
        })
    }

    /// The roots in the form that a client of TLS takes.
    pub(crate) fn store(&self) -> rustls::RootCertStore {
        rustls::RootCertStore { roots: self.anchors.clone() }
    }
}

/// The certificates of a Certificate message, without its head: the server's own first.
pub(crate) fn chain(body: &[u8]) -> Result<Vec<CertificateDer<'_>>, Why> {
    let mut reader = Reader::new(body);
    if !reader.vector8()?.is_empty() {
        return Err(Why::NotEmpty);
    }
    let mut list = reader.vector24()?;
    reader.end()?;
    let mut chain = Vec::new();
    while !list.is_empty() {
        chain.push(CertificateDer::from(list.vector24()?.rest()));
        let mut extensions = list.vector16()?;
        while !extensions.is_empty() {
            let kind = extensions.u16()?;
            extensions.vector16()?;
            if !ENTRY_EXTENSIONS.contains(&kind) {
                return Err(Why::Extension(kind));
            }
        }
        if chain.len() > MOST_CERTIFICATES {
            return Err(Why::Certificates(chain.len()));
        }
    }
    if chain.is_empty() { Err(Why::Certificates(0)) } else { Ok(chain) }
}

/// Whether the chain leads to one of `roots`, is of `name`, and is valid at `time` for a server.
pub(crate) fn check_chain(
    chain: &[CertificateDer<'_>],
    roots: &Roots,
    name: &ServerName<'_>,
    time: UnixTime,
    algorithms: &WebPkiSupportedAlgorithms,
) -> Result<(), Why> {
    let wrong = |error: webpki::Error| Why::Chain(error.to_string());
    let own = EndEntityCert::try_from(&chain[0]).map_err(wrong)?;
    let usage = KeyUsage::server_auth();
    let path = own.verify_for_usage(algorithms.all, &roots.anchors, &chain[1..], time, usage, None, None);
    let path = path.map_err(wrong)?;
    let between = path.intermediate_certificates().map(|certificate| certificate.subject_public_key_info());
    let keys = [own.subject_public_key_info(), spki_for_anchor(path.anchor())].into_iter().chain(between);
    let digests: Vec<[u8; 32]> = keys.map(|key| Sha256::digest(&key).into()).collect();
    if !roots.pins.is_empty() && !digests.iter().any(|digest| roots.pins.contains(digest)) {
        return Err(Why::Pin);
    }
    own.verify_is_valid_for_subject_name(name).map_err(|error| Why::CertificateName(error.to_string()))
}

/// Whether a CertificateVerify message, without its head, signs messages with the digest `transcript`, by a scheme of
/// TLS 1.3 that the client offered.
pub(crate) fn check_signature(
    body: &[u8],
    own: &CertificateDer<'_>,
    transcript: &[u8; 32],
    offered: &ClientHello,
    algorithms: &WebPkiSupportedAlgorithms,
) -> Result<(), Why> {
    let mut reader = Reader::new(body);
    let (scheme, signature) = (reader.u16()?, reader.vector16()?.rest());
    reader.end()?;
    let known = algorithms.mapping.iter().find(|(known, _)| u16::from(*known) == scheme);
    // PKCS #1 v1.5 and SHA-1 are for certificates alone (section 4.2.3).
    let is_of_signatures = scheme & 0xff != 0x01 && scheme >> 8 != 0x02;
    let (_, algorithms) =
        known.filter(|_| is_of_signatures && offered.schemes.contains(&scheme)).ok_or(Why::Scheme(scheme))?;
    let signed = [&[b' '; 64], CONTEXT, transcript].concat();
    let own = EndEntityCert::try_from(own).map_err(|error| Why::Chain(error.to_string()))?;
    // The first is the one whose curve the scheme names.
    let verified = own.verify_signature(algorithms[0], &signed, signature);
    verified.map_err(|error| Why::Signature(error.to_string()))
}
