//! The handshake, message by message: the steps of the module above.

use super::certificate::{self, Roots};
use super::hello::{ClientHello, ServerHello, check_encrypted_extensions};
use super::keys::Secret;
use super::protection::{Keys, content};
use super::reader::Reader;
use super::record::{APPLICATION_DATA, CHANGE_CIPHER_SPEC, HANDSHAKE, Record, records};
use super::suite::Suite;
use crate::error::{Error, Place, Refusal, Result, Whose, Why};
use crate::provider::provider;
use crate::recording::{Recording, Side};
use rustls::pki_types::{ServerName, UnixTime};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// Types of messages (RFC 8446 section 4).
const CLIENT_HELLO: u8 = 1;
const SERVER_HELLO: u8 = 2;
const ENCRYPTED_EXTENSIONS: u8 = 8;
const CERTIFICATE: u8 = 11;
const CERTIFICATE_REQUEST: u8 = 13;
const CERTIFICATE_VERIFY: u8 = 15;
const FINISHED: u8 = 20;
/// The message that stands for a first hello in a transcript with a retry (section 4.4.1).
const MESSAGE_HASH: u8 = 254;

/// The most records that a hello is spread over, and the most bytes of it.
const MOST_RECORDS: usize = 4;
const MOST_HELLO: usize = 1 << 14;
/// The most bytes of the messages of one side behind the hellos.
const MOST_FLIGHT: usize = 1 << 17;

/// The empty Certificate of a client that was asked for one and has none.
const NO_CERTIFICATE: [u8; 8] = [CERTIFICATE, 0, 0, 4, 0, 0, 0, 0];

/// The demands on a session.
#[derive(Clone, Copy)]
pub struct Expected<'e> {
    /// The server's name, in ASCII and lower case.
    pub name: &'e str,
    /// The cipher suites that the client has to offer, in this order.
    pub suites: &'e [Suite],
    /// The authorities that may certify it.
    pub roots: &'e Roots,
    /// The time at which certificates must be valid: when the connection began.
    pub time: UnixTime,
}

/// The secrets that open both flights of a handshake, SHTS and CHTS.
#[derive(Clone)]
pub struct HandshakeSecrets {
    /// CHTS, by which the client's is protected.
    pub client: Secret,
    /// SHTS, by which the server's is.
    pub server: Secret,
}

/// A session whose handshake has been verified.
#[derive(Debug)]
pub struct Session<'r> {
    /// The cipher suite.
    pub suite: Suite,
    /// h1, the digest of the hellos.
    pub hello_hash: [u8; 32],
    /// h2, the digest of all messages up to the server's Finished.
    pub finished_hash: [u8; 32],
    /// The server's own certificate, in DER.
    pub certificate: Vec<u8>,
    /// The records of the client behind its Finished, by their sequence numbers.
    pub client: Vec<Record<'r>>,
    /// The records of the server behind its Finished.
    pub server: Vec<Record<'r>>,
}

impl<'r> Session<'r> {
    /// A session of records alone, without a handshake.
    ///
    /// # Panics
    /// Where the recording has anything else.
    pub(crate) fn of_records(
        recording: &'r Recording,
        suite: Suite,
        hello_hash: [u8; 32],
        finished_hash: [u8; 32],
    ) -> Self {
        let [client, server] = [Side::Client, Side::Server]
            .map(|side| records(side, recording.stream(side)).expect("records of application data"));
        Self { suite, hello_hash, finished_hash, certificate: vec![], client, server }
    }

    /// The records of a side behind its Finished, by their sequence numbers.
    pub fn records(&self, side: Side) -> &[Record<'r>] {
        match side {
            Side::Client => &self.client,
            Side::Server => &self.server,
        }
    }
}

/// Verifies the handshake in `recording` by `secrets`.
///
/// # Errors
/// `Refused` with the message or record that is wrong; `Invalid` where the name is none, or this machine has no
/// cryptography for it.
pub fn verify<'r>(
    recording: &'r Recording,
    secrets: &HandshakeSecrets,
    expected: &Expected<'_>,
) -> Result<Session<'r>> {
    let algorithms = provider()?.signature_verification_algorithms;
    let Hellos { name, mut client, mut server, offered, suite, mut transcript } =
        Hellos::read(recording, expected.name, expected.suites)?;
    let hello_hash = digest(&transcript);

    // Step 4.
    let mut flight = Protected::new(&mut server, suite, &secrets.server);
    let message = flight.message(&[ENCRYPTED_EXTENSIONS], "EncryptedExtensions")?;
    flight.side.refuse("EncryptedExtensions", check_encrypted_extensions(&message[4..], &offered))?;
    transcript.update(&message);
    let mut message = flight.message(&[CERTIFICATE, CERTIFICATE_REQUEST], "Certificate")?;
    let is_requested = message[0] == CERTIFICATE_REQUEST;
    if is_requested {
        flight.side.refuse("CertificateRequest", check_request(&message[4..]))?;
        transcript.update(&message);
        message = flight.message(&[CERTIFICATE], "Certificate")?;
    }
    let certificates = message;
    let chain = flight.side.refuse("Certificate", certificate::chain(&certificates[4..]))?;
    let checked = certificate::check_chain(&chain, expected.roots, &name, expected.time, &algorithms);
    flight.side.refuse("Certificate", checked)?;
    transcript.update(&certificates);
    let message = flight.message(&[CERTIFICATE_VERIFY], "CertificateVerify")?;
    let digest_before = digest(&transcript);
    let checked =
        certificate::check_signature(&message[4..], &chain[0], &digest_before, &offered, &algorithms);
    flight.side.refuse("CertificateVerify", checked)?;
    transcript.update(&message);
    let message = flight.message(&[FINISHED], "Finished")?;
    flight.check_finished(&message, &secrets.server, &digest(&transcript))?;
    flight.end("Finished")?;
    transcript.update(&message);
    let finished_hash = digest(&transcript);

    // Step 5.
    let mut flight = Protected::new(&mut client, suite, &secrets.client);
    if is_requested {
        let message = flight.message(&[CERTIFICATE], "Certificate")?;
        if message != NO_CERTIFICATE {
            return Err(flight.side.at("Certificate", Why::ClientCertificate).into());
        }
        transcript.update(&message);
    }
    let message = flight.message(&[FINISHED], "Finished")?;
    flight.check_finished(&message, &secrets.client, &digest(&transcript))?;
    flight.end("Finished")?;

    // Step 6.
    let certificate = chain[0].to_vec();
    let (client, server) = (client.application_data()?, server.application_data()?);
    Ok(Session { suite, hello_hash, finished_hash, certificate, client, server })
}

/// h1 of a recording, whose hellos stand in the clear, and pass steps 1 to 3.
///
/// # Errors
/// Those of [`verify`]; `Unfinished` at the side whose hello is due.
pub(crate) fn hellos(recording: &Recording, name: &str, suites: &[Suite]) -> Result<[u8; 32]> {
    Ok(digest(&Hellos::read(recording, name, suites)?.transcript))
}

/// A session behind its hellos.
struct Hellos<'r, 'n> {
    name: ServerName<'n>,
    client: Flight<'r>,
    server: Flight<'r>,
    /// The last hello of the client.
    offered: ClientHello,
    /// The suite that the server took.
    suite: Suite,
    /// The transcript of all hellos (RFC 8446 section 4.4.1).
    transcript: Sha256,
}

impl<'r, 'n> Hellos<'r, 'n> {
    /// Steps 1 to 3.
    fn read(recording: &'r Recording, name: &'n str, suites: &[Suite]) -> Result<Self> {
        let server_name = match ServerName::try_from(name) {
            Ok(dns @ ServerName::DnsName(_)) if !name.contains(|c: char| c.is_ascii_uppercase()) => dns,
            _ => return Err(Error::invalid(format!("{name:?} is no name of a server, in lower case"))),
        };
        let mut client = Flight::new(Side::Client, recording)?;
        let mut server = Flight::new(Side::Server, recording)?;
        let mut transcript = Sha256::new();
        let first = client.hello(CLIENT_HELLO, "ClientHello", false)?;
        let mut offered = client.refuse("ClientHello", ClientHello::read(&first[4..], name, suites))?;
        let answer = server.hello(SERVER_HELLO, "ServerHello", false);
        let mut answer = answer.map_err(|why| client.waiting(why))?;
        let hello = server.refuse("ServerHello", ServerHello::read(&answer[4..], &offered))?;
        if hello.is_retry {
            transcript = restarted(&first);
            transcript.update(&answer);
            let name_of_second = "second ClientHello";
            let second = client.hello(CLIENT_HELLO, name_of_second, true)?;
            let again = client.refuse(name_of_second, ClientHello::read(&second[4..], name, suites))?;
            client.refuse(name_of_second, offered.check_second(&again))?;
            offered = again;
            let last = server.hello(SERVER_HELLO, "ServerHello", true);
            answer = last.map_err(|why| client.waiting(why))?;
            let last = server.refuse("ServerHello", ServerHello::read(&answer[4..], &offered))?;
            if last.is_retry {
                return Err(server.at("ServerHello", Why::SecondRetry).into());
            }
            server.refuse("ServerHello", last.check_after(&hello))?;
            transcript.update(&second);
        } else {
            transcript.update(&first);
        }
        transcript.update(&answer);
        Ok(Self { name: server_name, client, server, offered, suite: hello.suite, transcript })
    }
}

/// The transcript behind a first hello that a HelloRetryRequest answers (section 4.4.1).
pub(super) fn restarted(first: &[u8]) -> Sha256 {
    Sha256::new_with_prefix([MESSAGE_HASH, 0, 0, 32]).chain_update(Sha256::digest(first))
}

/// The digest of the messages so far.
pub(super) fn digest(transcript: &Sha256) -> [u8; 32] {
    transcript.clone().finalize().into()
}

/// Demands of a CertificateRequest, without its head, that its context is empty, as it is in a handshake.
fn check_request(body: &[u8]) -> Result<(), Why> {
    let mut reader = Reader::new(body);
    if !reader.vector8()?.is_empty() {
        return Err(Why::NotEmpty);
    }
    reader.vector16()?;
    reader.end()
}

/// The records of a side that are still to be read.
pub(super) struct Flight<'r> {
    side: Side,
    records: Vec<Record<'r>>,
    at: usize,
}

impl<'r> Flight<'r> {
    pub(super) fn new(side: Side, recording: &'r Recording) -> Result<Self> {
        Ok(Self { side, records: records(side, recording.stream(side))?, at: 0 })
    }

    /// A refusal of the message `name`.
    const fn at(&self, name: &'static str, why: Why) -> Refusal {
        Refusal::of(self.side, Place::Message { side: self.side, name }, why)
    }

    fn refuse<T>(&self, name: &'static str, result: Result<T, Why>) -> Result<T, Refusal> {
        result.map_err(|why| self.at(name, why))
    }

    /// A refusal of a record.
    const fn at_record(&self, record: &Record<'_>, why: Why) -> Refusal {
        Refusal::of(self.side, Place::Record { side: self.side, number: record.number }, why)
    }

    /// Passes over changes of the cipher, which mean nothing (section 5).
    fn skip_changes(&mut self) {
        while self.records.get(self.at).is_some_and(|record| record.kind() == CHANGE_CIPHER_SPEC) {
            self.at += 1;
        }
    }

    /// The refusal of a hello of the other side, or of what this one has said while that was due: nothing but changes
    /// of the cipher may stand there.
    fn waiting(&mut self, why: Refusal) -> Refusal {
        self.skip_changes();
        match self.records.get(self.at) {
            Some(record) if why.why == Why::Unfinished => self.at_record(record, Why::BeforeHello),
            _ => why,
        }
    }

    /// The next record, which must be of this type.
    fn next(&mut self, kind: u8) -> Result<Record<'r>, Refusal> {
        let end = Refusal::of(self.side, Place::Stream(self.side), Why::Unfinished);
        let record = *self.records.get(self.at).ok_or(end)?;
        if record.kind() != kind {
            return Err(self.at_record(&record, Why::RecordType(record.kind())));
        }
        self.at += 1;
        Ok(record)
    }

    /// A message in the clear, alone in its records.
    pub(super) fn hello(
        &mut self,
        due: u8,
        name: &'static str,
        after_changes: bool,
    ) -> Result<Vec<u8>, Refusal> {
        if after_changes {
            self.skip_changes();
        }
        let mut message = Vec::new();
        for _ in 0..MOST_RECORDS {
            message.extend_from_slice(self.next(HANDSHAKE)?.fragment());
            let mut reader = Reader::new(&message);
            let Ok(found) = reader.u8() else { continue };
            if found != due {
                return Err(self.at(name, Why::MessageType { due, found }));
            }
            let Ok(length) = reader.u24() else { continue };
            if length > MOST_HELLO {
                return Err(self.at(name, Why::ContentLength(length)));
            }
            match length.cmp(&reader.rest().len()) {
                core::cmp::Ordering::Less => return Err(self.at(name, Why::NotAlone)),
                core::cmp::Ordering::Equal => return Ok(message),
                core::cmp::Ordering::Greater => {}
            }
        }
        Err(self.at(name, Why::Spread(MOST_RECORDS)))
    }

    /// All records that are left.
    pub(super) fn application_data(mut self) -> Result<Vec<Record<'r>>, Refusal> {
        let rest = self.records.split_off(self.at);
        match rest.iter().find(|record| record.kind() != APPLICATION_DATA) {
            Some(record) => Err(self.at_record(record, Why::RecordType(record.kind()))),
            None => Ok(rest),
        }
    }
}

/// Messages of a side that are protected by a handshake traffic secret.
pub(super) struct Protected<'f, 'r> {
    side: &'f mut Flight<'r>,
    keys: Keys,
    sequence: u64,
    /// Bytes that were opened, and not read yet.
    opened: Vec<u8>,
    /// The bytes that were opened.
    total: usize,
}

impl<'f, 'r> Protected<'f, 'r> {
    pub(super) fn new(side: &'f mut Flight<'r>, suite: Suite, secret: &Secret) -> Self {
        Self { side, keys: Keys::new(suite, secret), sequence: 0, opened: Vec::new(), total: 0 }
    }

    /// The next message, which must be of a type that is due.
    pub(super) fn message(&mut self, due: &[u8], name: &'static str) -> Result<Vec<u8>, Refusal> {
        loop {
            let mut reader = Reader::new(&self.opened);
            if let Ok(found) = reader.u8() {
                if !due.contains(&found) {
                    return Err(self.side.at(name, Why::MessageType { due: due[0], found }));
                }
                if reader.vector24().is_ok() {
                    let length = self.opened.len() - reader.rest().len();
                    let rest = self.opened.split_off(length);
                    return Ok(core::mem::replace(&mut self.opened, rest));
                }
            }
            self.open_next()?;
        }
    }

    /// Opens one more record.
    fn open_next(&mut self) -> Result<(), Refusal> {
        // Nothing stands between the parts of a message.
        if self.opened.is_empty() {
            self.side.skip_changes();
        }
        let record = self.side.next(APPLICATION_DATA)?;
        // Whatever does not open, opens under the secret of the session: the prover gave another.
        let of_prover = |why| Refusal { whose: Whose::Prover, ..self.side.at_record(&record, why) };
        let inner = self.keys.open(self.sequence, &record).map_err(of_prover)?;
        self.sequence += 1;
        let (kind, content) = content(&inner).map_err(|why| self.side.at_record(&record, why))?;
        if kind != HANDSHAKE {
            return Err(self.side.at_record(&record, Why::ContentType(kind)));
        }
        self.total += content.len();
        if content.is_empty() || self.total > MOST_FLIGHT {
            return Err(self.side.at_record(&record, Why::ContentLength(content.len())));
        }
        self.opened.extend_from_slice(content);
        Ok(())
    }

    pub(super) fn check_finished(
        &self,
        message: &[u8],
        secret: &Secret,
        transcript: &[u8; 32],
    ) -> Result<(), Refusal> {
        let is_right = message[4..].ct_eq(&secret.finished(transcript));
        if bool::from(is_right) {
            return Ok(());
        }
        let refusal = self.side.at("Finished", Why::Finished);
        Err(Refusal { whose: Whose::Prover, ..refusal })
    }

    /// Demands that the last message, before a change of keys, was the last of its record (section 5.1).
    pub(super) fn end(&self, name: &'static str) -> Result<(), Refusal> {
        if self.opened.is_empty() { Ok(()) } else { Err(self.side.at(name, Why::NotAlone)) }
    }
}
