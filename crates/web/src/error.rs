//! Errors of a web proof: what was wrong, where, and whose doing it is.

use crate::policy::Unwanted;
use crate::recording::Side;
use crate::tls::{Suite, names};
use core::fmt::{self, Display};
use core::net::IpAddr;
use std::io;
use volery::channel::Identity;

/// The error that ends a web proof.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The session with the server, or what the prover opened of it, is none that proves something.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// A connection failed, closed or stayed silent.
    #[error("{doing}: {source}")]
    Io {
        /// The activity that failed, in words.
        doing: &'static str,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The client's TLS ended the session with the server.
    #[error("the session with the server: {0}")]
    Tls(#[from] rustls::Error),
    /// The caller's values or this machine are no good for it.
    #[error("{0}")]
    Invalid(String),
    /// The server's name has an address that a verifier does not connect to.
    #[error("{name} has the address {address}: {rule}")]
    Address {
        /// The name.
        name: String,
        /// The address, which is the verifier's own knowledge.
        address: IpAddr,
        /// The rule that it breaks.
        rule: &'static str,
    },
    /// The prover shows something else than the verifier's policy wants.
    #[error(transparent)]
    Unwanted(#[from] Unwanted),
    /// The two sides have different terms; nothing was revealed.
    #[error(transparent)]
    Disagreed(#[from] Disagreement),
    /// The proof itself.
    #[error(transparent)]
    Proof(#[from] volery::Error),
}

/// A result whose error is [`enum@Error`].
pub type Result<T, E = Error> = core::result::Result<T, E>;

impl Error {
    /// An [`Error::Invalid`] that says `why`.
    pub fn invalid(why: impl Into<String>) -> Self {
        Self::Invalid(why.into())
    }

    /// The error as the other side is told it: without what this side's resolver says.
    pub(crate) fn told(&self) -> String {
        match self {
            Self::Address { name, rule, .. } => format!("the address of {name}: {rule}"),
            why => why.to_string(),
        }
    }

    /// Makes an I/O error an [`Error::Io`] that says what was being done.
    pub fn io(doing: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { doing, source }
    }
}

/// Terms that the two sides have differently: they are the verifier's choice.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "the two sides disagree on the {what}: {here} here, {there} there; the prover has to take the verifier's policy \
     and roots, as they are, and both the same version"
)]
pub struct Disagreement {
    /// The part of the terms.
    pub what: &'static str,
    /// The terms of this side, in short.
    pub here: String,
    /// The other side's.
    pub there: String,
}

/// A session that proves nothing: where, why, and whose doing that is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// The place of what is refused.
    pub at: Place,
    /// The rule that it breaks.
    pub why: Why,
    /// The party by whose doing it breaks it.
    pub whose: Whose,
}

impl Refusal {
    /// A refusal of what the prover did: of what its client sent, or what it says of the session.
    pub(crate) const fn of_prover(at: Place, why: Why) -> Self {
        Self { at, why, whose: Whose::Prover }
    }

    /// A refusal of what came from a side of the connection.
    pub(crate) const fn of(side: Side, at: Place, why: Why) -> Self {
        let whose = match side {
            Side::Client => Whose::Prover,
            Side::Server => Whose::Server,
        };
        Self { at, why, whose }
    }
}

impl Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { at, why, whose } = self;
        write!(f, "{at}: {why}; that is the doing of the {whose}")
    }
}

impl core::error::Error for Refusal {}

/// The party by whose doing a session proves nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Whose {
    /// The prover, or the client that speaks for it.
    Prover,
    /// The server, which need not have done anything wrong: much that servers may do cannot be proved.
    Server,
    /// The verifier, or whoever is on the way to it.
    Verifier,
}

impl Display for Whose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Prover => "prover",
            Self::Server => "server",
            Self::Verifier => "verifier",
        })
    }
}

/// A place in a session.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Place {
    /// A record, counted from 0 among all that a side sent.
    Record {
        /// The side that sent it.
        side: Side,
        /// The number of the record.
        number: usize,
    },
    /// A record behind the handshake, counted from 0 by its sequence number.
    Data {
        /// The side that sent it.
        side: Side,
        /// The sequence number of the record.
        sequence: usize,
    },
    /// A message of the handshake.
    Message {
        /// The side that sent it.
        side: Side,
        /// The name of the message in RFC 8446.
        name: &'static str,
    },
    /// The stream of a side as a whole.
    Stream(Side),
    /// The values that the prover opened.
    Opening,
    /// The record that a relay signed.
    SignedRecord,
    /// The order in which the bytes of both sides passed.
    Order,
    /// A file for others.
    File,
}

impl Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Record { side, number } => write!(f, "record {number} of the {side}, from the begin"),
            Self::Data { side, sequence } => {
                write!(f, "record {sequence} of the {side}, behind the handshake")
            }
            Self::Message { side, name } => write!(f, "{name} of the {side}"),
            Self::Stream(side) => write!(f, "what the {side} sent"),
            Self::Opening => f.write_str("what the prover opened"),
            Self::SignedRecord => f.write_str("the relay's record"),
            Self::Order => f.write_str("the order of the recording"),
            Self::File => f.write_str("the file"),
        }
    }
}

/// The rule that a session breaks.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Why {
    /// A length reaches beyond what is there.
    #[error("it ends early")]
    Short,
    /// Bytes follow the last that belongs there.
    #[error("bytes follow its end")]
    Long,
    /// A record has a type that may not stand there.
    #[error("a record of type {0} may not stand there")]
    RecordType(u8),
    /// The version of a record is none that TLS 1.3 writes.
    #[error("a record of TLS 1.3 has no version {0:#06x}")]
    RecordVersion(u16),
    /// The length of a record is none that it may have.
    #[error("a record of its type may not have {0} bytes")]
    RecordLength(usize),
    /// A side sent an alert in the clear, which ends a session.
    #[error("it is an alert, number {0}")]
    Alert(u8),
    /// Another message stands where one is due.
    #[error("a message of type {found} stands where one of type {due} is due")]
    MessageType {
        /// The type that is due.
        due: u8,
        /// The one that stands there.
        found: u8,
    },
    /// A message before a change of keys ends within a record (RFC 8446 section 5.1).
    #[error("something stands behind it in its record, where keys change")]
    NotAlone,
    /// More records than a hello may take.
    #[error("it is spread over more than {0} records")]
    Spread(usize),
    /// The version of TLS is another one.
    #[error("the version of TLS is not 1.3")]
    Version,
    /// Compression of TLS 1.2 is offered or taken.
    #[error("compression is not allowed")]
    Compression,
    /// The server does not repeat the session's identifier.
    #[error("it does not repeat the client's session identifier")]
    SessionId,
    /// The client offers other cipher suites than the policy has, or in another order.
    #[error("the cipher suites that it offers are not those of the policy, in this order: {}", names(.0))]
    Suites(Vec<Suite>),
    /// A cipher suite that the client did not offer, or after a retry another one than that was for.
    #[error("the cipher suite {0:#06x} was not offered, or is not that of the retry")]
    Suite(u16),
    /// The prover opens the records by another cipher suite.
    #[error("it is by another cipher suite than the session")]
    OtherSuite,
    /// An extension that is not allowed: what it does may void the proof.
    #[error("the extension {} is not allowed", extension(*.0))]
    Extension(u16),
    /// An extension stands there twice.
    #[error("the extension {} stands there twice", extension(*.0))]
    Twice(u16),
    /// An extension is missing.
    #[error("the extension {} is missing", extension(*.0))]
    Missing(u16),
    /// An extension is malformed.
    #[error("the extension {} is malformed", extension(*.0))]
    Malformed(u16),
    /// Server name indication differs from the host.
    #[error("the name that it asks for is not {0}")]
    ServerName(String),
    /// The application protocol is another one.
    #[error("the application protocol is not http/1.1")]
    Protocol,
    /// The group of the key exchange was not offered.
    #[error("the group {0:#06x} of the key exchange was not offered")]
    Group(u16),
    /// A second HelloRetryRequest.
    #[error("it asks for a second retry")]
    SecondRetry,
    /// The second hello differs from the first where it may not (RFC 8446 section 4.1.2).
    #[error("it differs from the first hello where it may not")]
    RetryDiffers,
    /// The tag of a record does not fit.
    #[error("its tag does not fit the secret that was opened")]
    Tag,
    /// The plaintext of a record has no type.
    #[error("its plaintext has nothing but zeros")]
    NoType,
    /// The plaintext of a record has another type than is due.
    #[error("its content is of type {0}, which is not due there")]
    ContentType(u8),
    /// The plaintext of a handshake record is empty, or too long.
    #[error("its content has {0} bytes")]
    ContentLength(usize),
    /// The handshake asks for what cannot be proved, or is not due.
    #[error("a context or a list that must be empty is not")]
    NotEmpty,
    /// The client has a certificate.
    #[error("the client shows a certificate, which would be revealed")]
    ClientCertificate,
    /// The server sent no certificate, or too many.
    #[error("it has {0} certificates")]
    Certificates(usize),
    /// The chain of certificates does not hold.
    #[error("the chain of certificates does not hold: {0}")]
    Chain(String),
    /// No key of the path is pinned.
    #[error("the chain of certificates has none of the pinned keys")]
    Pin,
    /// The certificate is of another name.
    #[error("the certificate is of another name: {0}")]
    CertificateName(String),
    /// The scheme of a signature is none of TLS 1.3, or was not offered.
    #[error("the signature scheme {0:#06x} is not allowed, or was not offered")]
    Scheme(u16),
    /// The signature over the handshake does not hold.
    #[error("the signature does not fit: {0}")]
    Signature(String),
    /// A Finished message does not fit.
    #[error("its code does not fit the messages before it")]
    Finished,
    /// Bytes of an opening are not what any honest prover writes.
    #[error("it is not written in canonical form")]
    NotCanonical,
    /// The plan has more records than were recorded.
    #[error("it is in the plan, but not in the recording")]
    NoSuchRecord,
    /// The plan leaves out records of the client, which may be another request.
    #[error("the plan does not have all records behind the handshake")]
    LeftOut,
    /// The plan has no data of a side.
    #[error("the plan has no application data")]
    NoData,
    /// A record that has to be opened is not.
    #[error("it is not opened, and its tag is not checked, as it has to be there")]
    NotOpened,
    /// More records than an opening has numbers for.
    #[error("it has {0} records, more than an opening has room for")]
    Records(usize),
    /// A part reaches beyond the content.
    #[error("something is said of more than its content")]
    PartBehind,
    /// The server answered before the request had passed.
    #[error("it was on its way before all that the client sent had passed the relay")]
    TooEarly,
    /// The two recordings differ.
    #[error("the verifier has recorded other bytes than went over the connection here, or in another order")]
    OtherBytes,
    /// The keys change, which no proof follows.
    #[error("it is a KeyUpdate, which a proof cannot follow")]
    KeyUpdate,
    /// The client goes on before the server's hello has come.
    #[error("it goes on before the server's hello, to which nothing can be said yet")]
    BeforeHello,
    /// The stream ends within the handshake.
    #[error("it ends within the handshake")]
    Unfinished,
    /// A record is by a relay that nobody named.
    #[error("it is said to be by {0}, which is not the relay that is believed")]
    Relay(Identity),
    /// The signature of a record does not fit.
    #[error("its signature does not fit: it was changed, or is by another than it says")]
    RelaySignature,
    /// A record is of another server.
    #[error("it is of another server, {0}")]
    OtherHost(String),
    /// A record is of another policy.
    #[error("it is of another policy than the one that is given")]
    OtherPolicy,
    /// A record names another prover, or one where none is to be named.
    #[error("it does not name the prover as the terms have it")]
    OtherProver,
    /// A record says when the connection was, and the prover's clock has another time.
    #[error("its times are {off} s from this clock, and {allowed} s are allowed")]
    OtherTimes {
        /// The seconds between both.
        off: u64,
        /// The seconds that the terms allow.
        allowed: u64,
    },
    /// A record is of another connection than the recording.
    #[error("it is of another recording")]
    OtherRecording,
    /// Bytes are no file of a web proof.
    #[error("it is no file of a web proof, or of another version")]
    NoFile,
    /// A file has more of something than is allowed.
    #[error("it has {found} {what}, and {most} are allowed")]
    Beyond {
        /// The things that are counted.
        what: &'static str,
        /// The number that there are.
        found: u64,
        /// The number that there may be.
        most: u64,
    },
}

/// The number of an extension, with its name where it has one.
fn extension(number: u16) -> String {
    let name = match number {
        0 => "server_name",
        10 => "supported_groups",
        13 => "signature_algorithms",
        16 => "application_layer_protocol_negotiation",
        19 => "client_certificate_type",
        20 => "server_certificate_type",
        27 => "compress_certificate",
        33 => "tls_cert_with_extern_psk",
        34 => "delegated_credential",
        41 => "pre_shared_key",
        42 => "early_data",
        43 => "supported_versions",
        44 => "cookie",
        49 => "post_handshake_auth",
        51 => "key_share",
        57 => "quic_transport_parameters",
        0xfe0d => "encrypted_client_hello",
        _ => return number.to_string(),
    };
    format!("{number} ({name})")
}
