//! The first message of either side (RFC 8446 section 4.1).

use super::reader::Reader;
use super::suite::Suite;
use crate::error::Why;

/// Extensions of a client that may stand there. None of them lets a session do without a certificate, hides a part
/// of the hello, or changes what records are.
const CLIENT_EXTENSIONS: [u16; 20] = [
    SERVER_NAME,
    5, // status_request
    GROUPS,
    11, // ec_point_formats
    SCHEMES,
    PROTOCOL,
    18,                 // signed_certificate_timestamp
    PADDING,            // of the hello
    22,                 // encrypt_then_mac, of TLS 1.2
    23,                 // extended_master_secret, of TLS 1.2
    28,                 // record_size_limit
    35,                 // session_ticket, of TLS 1.2
    VERSIONS,           // supported_versions
    COOKIE,             // in a second hello
    45,                 // psk_key_exchange_modes, by which servers send tickets
    47,                 // certificate_authorities
    50,                 // signature_algorithms_cert
    KEY_SHARE,          // or another one of the second hello
    58,                 // ticket_request
    RENEGOTIATION_INFO, // of TLS 1.2
];

pub(crate) const SERVER_NAME: u16 = 0;
pub(crate) const GROUPS: u16 = 10;
pub(crate) const SCHEMES: u16 = 13;
pub(crate) const PROTOCOL: u16 = 16;
const PADDING: u16 = 21;
pub(crate) const VERSIONS: u16 = 43;
pub(crate) const COOKIE: u16 = 44;
pub(crate) const KEY_SHARE: u16 = 51;
const RENEGOTIATION_INFO: u16 = 0xff01;

/// The version of TLS 1.3, and the one that its messages begin with.
const VERSION: u16 = 0x0304;
const LEGACY_VERSION: u16 = 0x0303;

/// A value among suites that says that the client does not renegotiate (RFC 5746).
const NO_RENEGOTIATION: u16 = 0x00ff;

/// The random value of a ServerHello that is a HelloRetryRequest (section 4.1.3): SHA-256 of that name.
pub(crate) const RETRY: [u8; 32] = [
    0xcf, 0x21, 0xad, 0x74, 0xe5, 0x9a, 0x61, 0x11, 0xbe, 0x1d, 0x8c, 0x02, 0x1e, 0x65, 0xb8, 0x91, 0xc2,
    0xa2, 0x11, 0x16, 0x7a, 0xbb, 0x8c, 0x5e, 0x07, 0x9e, 0x09, 0xe2, 0xc8, 0xa8, 0x33, 0x9c,
];

/// The protocol that both sides must name.
const HTTP: &[u8] = b"http/1.1";

/// A value that is reserved so that nobody knows it (RFC 8701).
const fn is_reserved(number: u16) -> bool {
    number & 0x0f0f == 0x0a0a && number >> 8 == number & 0xff
}

/// An extension: its type and its body.
type Extension<'r> = (u16, &'r [u8]);

/// The extensions of a message, none of which stands there twice.
fn extensions<'r>(reader: &mut Reader<'r>) -> Result<Vec<Extension<'r>>, Why> {
    let mut list = reader.vector16()?;
    let mut extensions: Vec<Extension<'r>> = Vec::new();
    while !list.is_empty() {
        let (kind, body) = (list.u16()?, list.vector16()?.rest());
        if extensions.iter().any(|(before, _)| *before == kind) {
            return Err(Why::Twice(kind));
        }
        extensions.push((kind, body));
    }
    Ok(extensions)
}

/// The body of an extension, read by `read`, which must take all of it.
fn read<'r, T>(
    extensions: &[Extension<'r>],
    kind: u16,
    read: impl FnOnce(&mut Reader<'r>) -> Result<T, Why>,
) -> Result<T, Why> {
    let (_, body) = extensions.iter().find(|(found, _)| *found == kind).ok_or(Why::Missing(kind))?;
    let mut reader = Reader::new(body);
    let value = read(&mut reader)?;
    reader.end()?;
    Ok(value)
}

/// Names the extension in which bytes are malformed.
fn within<T>(kind: u16, result: Result<T, Why>) -> Result<T, Why> {
    result.map_err(|why| if matches!(why, Why::Short | Why::Long) { Why::Malformed(kind) } else { why })
}

/// A protocol list with http/1.1 and nothing else.
fn only_http(reader: &mut Reader<'_>) -> Result<(), Why> {
    let mut list = reader.vector16()?;
    let first = list.vector8()?;
    if first.rest() == HTTP && list.is_empty() { Ok(()) } else { Err(Why::Protocol) }
}

/// A client's hello.
pub(crate) struct ClientHello {
    random: [u8; 32],
    session_id: Vec<u8>,
    suites: Vec<u16>,
    /// Types and bodies.
    extensions: Vec<(u16, Vec<u8>)>,
    groups: Vec<u16>,
    /// The groups of which it has a share.
    shares: Vec<u16>,
    /// The schemes of signatures.
    pub(crate) schemes: Vec<u16>,
}

impl ClientHello {
    /// The hello in `body`, a message without its head, that asks for `name` and offers `due`, in this order.
    pub(crate) fn read(body: &[u8], name: &str, due: &[Suite]) -> Result<Self, Why> {
        let mut reader = Reader::new(body);
        if reader.u16()? != LEGACY_VERSION {
            return Err(Why::Version);
        }
        let random = reader.array()?;
        let session_id = reader.vector8()?.rest();
        if session_id.len() > 32 {
            return Err(Why::SessionId);
        }
        let suites = reader.vector16()?.numbers()?;
        let offered = suites.iter().filter(|suite| **suite != NO_RENEGOTIATION && !is_reserved(**suite));
        if !offered.copied().eq(due.iter().map(|suite| suite.number())) {
            return Err(Why::Suites(due.to_vec()));
        }
        if reader.vector8()?.rest() != [0] {
            return Err(Why::Compression);
        }
        let extensions = extensions(&mut reader)?;
        reader.end()?;
        let is_allowed = |kind| CLIENT_EXTENSIONS.contains(&kind) || is_reserved(kind);
        if let Some((kind, _)) = extensions.iter().find(|(kind, _)| !is_allowed(*kind)) {
            return Err(Why::Extension(*kind));
        }

        let versions = read(&extensions, VERSIONS, |reader| reader.vector8()?.numbers());
        if !within(VERSIONS, versions)?.contains(&VERSION) {
            return Err(Why::Version);
        }
        let asked = read(&extensions, SERVER_NAME, |reader| {
            let mut list = reader.vector16()?;
            let (kind, asked) = (list.u8()?, list.vector16()?.rest());
            list.end()?;
            Ok(kind == 0 && asked == name.as_bytes())
        });
        if !within(SERVER_NAME, asked)? {
            return Err(Why::ServerName(name.into()));
        }
        within(PROTOCOL, read(&extensions, PROTOCOL, only_http))?;
        let numbers = |kind| within(kind, read(&extensions, kind, |reader| reader.vector16()?.numbers()));
        let (groups, schemes) = (numbers(GROUPS)?, numbers(SCHEMES)?);
        let shares = read(&extensions, KEY_SHARE, |reader| {
            let mut list = reader.vector16()?;
            let mut shares = Vec::new();
            while !list.is_empty() {
                shares.push(list.u16()?);
                list.vector16()?;
            }
            Ok(shares)
        });
        let shares = within(KEY_SHARE, shares)?;
        let session_id = session_id.to_vec();
        let extensions = extensions.into_iter().map(|(kind, body)| (kind, body.to_vec())).collect();
        Ok(Self { random, session_id, suites, extensions, groups, shares, schemes })
    }

    /// Whether it offers an extension.
    fn offers(&self, kind: u16) -> bool {
        self.extensions.iter().any(|(offered, _)| *offered == kind)
    }

    /// Demands that `second`, which answers a HelloRetryRequest, differs where it may alone (section 4.1.2).
    pub(crate) fn check_second(&self, second: &Self) -> Result<(), Why> {
        let may_change = [KEY_SHARE, COOKIE, PADDING];
        let others = |hello: &Self| {
            let others = hello.extensions.iter().filter(|(kind, _)| !may_change.contains(kind));
            others.cloned().collect::<Vec<_>>()
        };
        let same = self.random == second.random
            && self.session_id == second.session_id
            && self.suites == second.suites
            && others(self) == others(second);
        if same { Ok(()) } else { Err(Why::RetryDiffers) }
    }
}

/// A server's hello, or its request for another of the client.
pub(crate) struct ServerHello {
    /// Whether it is a HelloRetryRequest.
    pub(crate) is_retry: bool,
    pub(crate) suite: Suite,
    group: Option<u16>,
}

impl ServerHello {
    /// The hello in `body`, a message without its head, that answers `client`.
    pub(crate) fn read(body: &[u8], client: &ClientHello) -> Result<Self, Why> {
        let mut reader = Reader::new(body);
        if reader.u16()? != LEGACY_VERSION {
            return Err(Why::Version);
        }
        let is_retry = reader.array()? == RETRY;
        if reader.vector8()?.rest() != client.session_id {
            return Err(Why::SessionId);
        }
        let suite = reader.u16()?;
        let compression = reader.u8()?;
        // A hello of TLS 1.2 need not have any.
        if reader.is_empty() {
            return Err(Why::Version);
        }
        let extensions = extensions(&mut reader)?;
        reader.end()?;
        let version = within(VERSIONS, read(&extensions, VERSIONS, Reader::u16));
        if version.map_err(|why| if why == Why::Missing(VERSIONS) { Why::Version } else { why })? != VERSION {
            return Err(Why::Version);
        }
        let offered = Suite::of_number(suite).filter(|_| client.suites.contains(&suite));
        let suite = offered.ok_or(Why::Suite(suite))?;
        if compression != 0 {
            return Err(Why::Compression);
        }
        let allowed: &[u16] = if is_retry { &[VERSIONS, KEY_SHARE, COOKIE] } else { &[VERSIONS, KEY_SHARE] };
        if let Some((kind, _)) = extensions.iter().find(|(kind, _)| !allowed.contains(kind)) {
            return Err(Why::Extension(*kind));
        }
        let group = read(&extensions, KEY_SHARE, |reader| {
            let group = reader.u16()?;
            if !is_retry {
                reader.vector16()?;
            }
            Ok(group)
        });
        let group = match within(KEY_SHARE, group) {
            Ok(group) => Some(group),
            Err(Why::Missing(_)) if is_retry => None,
            Err(why) => return Err(why),
        };
        let offered = if is_retry { &client.groups } else { &client.shares };
        if let Some(other) = group.filter(|group| !offered.contains(group)) {
            return Err(Why::Group(other));
        }
        Ok(Self { is_retry, suite, group })
    }

    /// Demands that this hello takes up the suite of a retry, and the group that it asked for (section 4.1.4).
    pub(crate) fn check_after(&self, retry: &Self) -> Result<(), Why> {
        if self.suite != retry.suite {
            return Err(Why::Suite(self.suite.number()));
        }
        match (self.group, retry.group) {
            (Some(group), Some(asked)) if group != asked => Err(Why::Group(group)),
            _ => Ok(()),
        }
    }
}

/// Extensions that a server may answer in EncryptedExtensions: of a name, of groups, of the protocol, of sizes, of
/// tickets.
const ENCRYPTED_EXTENSIONS: [u16; 5] = [SERVER_NAME, GROUPS, PROTOCOL, 28, 58];

/// Demands that `body`, EncryptedExtensions without its head, answers `client` by http/1.1 and no surprises.
pub(crate) fn check_encrypted_extensions(body: &[u8], client: &ClientHello) -> Result<(), Why> {
    let mut reader = Reader::new(body);
    let extensions = extensions(&mut reader)?;
    reader.end()?;
    let is_allowed = |kind: &u16| ENCRYPTED_EXTENSIONS.contains(kind) && client.offers(*kind);
    if let Some((kind, _)) = extensions.iter().find(|(kind, _)| !is_allowed(kind)) {
        return Err(Why::Extension(*kind));
    }
    within(PROTOCOL, read(&extensions, PROTOCOL, only_http))
}
