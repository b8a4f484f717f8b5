//! Sessions that a test writes message by message, right but for what it changes. The handshake secret is chosen, and
//! shares of keys mean nothing: no verifier can look at them.

use super::certificate::Roots;
use super::hello::RETRY;
use super::keys::{Schedule, Secret};
use super::protection::Keys;
use super::suite::Suite;
use super::{Expected, HandshakeSecrets};
use crate::provider::provider;
use crate::recording::{Recording, Side};
use core::cell::Cell;
use core::time::Duration;
use rustls::SignatureScheme;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, UnixTime};
use sha2::{Digest, Sha256};

/// The files that `make.py` made.
macro_rules! file {
    ($name:literal) => {
        &include_bytes!(concat!("../../tests/certificates/", $name))[..]
    };
}

/// The name of the server.
pub(crate) const NAME: &str = "bank.example";

thread_local! {
    /// The cipher suite of the sessions of a test.
    pub(crate) static SUITE: Cell<Suite> = const { Cell::new(Suite::Aes128) };
}

/// The root that certifies it.
pub(crate) fn roots() -> Roots {
    Roots::from_pem(file!("root.pem")).unwrap()
}

/// A day of 2030, at which the certificates are valid that are to be.
pub(crate) fn time() -> UnixTime {
    UnixTime::since_unix_epoch(Duration::from_secs(1_900_000_000))
}

/// The demands on a session by whoever believes these roots.
pub(crate) fn expected(roots: &Roots) -> Expected<'_> {
    let suites = match SUITE.get() {
        Suite::Aes128 => &[Suite::Aes128],
        Suite::ChaCha20 => &[Suite::ChaCha20],
    };
    Expected { name: NAME, suites, roots, time: time() }
}

/// The certificate in a file of PEM.
pub(crate) fn certificate(pem: &[u8]) -> Vec<u8> {
    CertificateDer::from_pem_slice(pem).unwrap().to_vec()
}

/// The server's chain and key.
pub(crate) fn bank() -> (Vec<Vec<u8>>, &'static [u8]) {
    (vec![certificate(file!("bank.pem")), certificate(file!("between.pem"))], file!("bank.key"))
}

/// Bytes behind their length, of so many bytes.
pub(crate) fn vector(width: usize, bytes: &[u8]) -> Vec<u8> {
    [&(bytes.len() as u32).to_be_bytes()[4 - width..], bytes].concat()
}

/// A message of the handshake.
pub(crate) fn message(kind: u8, body: &[u8]) -> Vec<u8> {
    [&[kind][..], &vector(3, body)].concat()
}

/// A record in the clear.
pub(crate) fn plain(kind: u8, fragment: &[u8]) -> Vec<u8> {
    [&[kind, 3, 3][..], &vector(2, fragment)].concat()
}

type Extensions = Vec<(u16, Vec<u8>)>;

fn encode(extensions: &Extensions) -> Vec<u8> {
    let one = |(kind, body): &(u16, Vec<u8>)| [&kind.to_be_bytes()[..], &vector(2, body)].concat();
    vector(2, &extensions.iter().flat_map(one).collect::<Vec<_>>())
}

/// A hello of either side, but for its random value.
#[derive(Clone)]
pub(crate) struct Hello {
    pub(crate) version: u16,
    pub(crate) session_id: Vec<u8>,
    pub(crate) suites: Vec<u16>,
    pub(crate) compression: Vec<u8>,
    pub(crate) extensions: Extensions,
}

impl Hello {
    /// Puts an extension in the place of the one of its type, or behind all.
    pub(crate) fn set(&mut self, kind: u16, body: &[u8]) {
        match self.extensions.iter_mut().find(|(found, _)| *found == kind) {
            Some((_, old)) => *old = body.to_vec(),
            None => self.extensions.push((kind, body.to_vec())),
        }
    }

    fn client(&self) -> Vec<u8> {
        let suites: Vec<u8> = self.suites.iter().flat_map(|suite| suite.to_be_bytes()).collect();
        let body = [
            &self.version.to_be_bytes()[..],
            &[7; 32],
            &vector(1, &self.session_id),
            &vector(2, &suites),
            &vector(1, &self.compression),
            &encode(&self.extensions),
        ];
        message(1, &body.concat())
    }

    fn server(&self, random: &[u8; 32]) -> Vec<u8> {
        let body = [
            &self.version.to_be_bytes()[..],
            random,
            &vector(1, &self.session_id),
            &self.suites[0].to_be_bytes(),
            &self.compression,
            &encode(&self.extensions),
        ];
        message(2, &body.concat())
    }
}

/// A content of a record behind the handshake.
#[derive(Clone)]
pub(crate) struct Data {
    pub(crate) side: Side,
    pub(crate) kind: u8,
    pub(crate) content: Vec<u8>,
    pub(crate) padding: usize,
}

impl Data {
    pub(crate) fn new(side: Side, kind: u8, content: &[u8]) -> Self {
        Self { side, kind, content: content.to_vec(), padding: 0 }
    }
}

/// Changes messages or records by their names.
type Change<'s> = Box<dyn Fn(&str, &mut Vec<u8>) + 's>;

/// A session to be written.
pub(crate) struct Script<'s> {
    pub(crate) secret: Secret,
    pub(crate) client: Hello,
    /// A request of the server for another hello, and the client's.
    pub(crate) retry: Option<(Hello, Hello)>,
    pub(crate) server: Hello,
    pub(crate) encrypted_extensions: Extensions,
    pub(crate) asks_for_certificate: bool,
    pub(crate) chain: Vec<Vec<u8>>,
    pub(crate) key: &'static [u8],
    pub(crate) scheme: SignatureScheme,
    /// The most bytes of a record of the handshake.
    pub(crate) piece: usize,
    pub(crate) data: Vec<Data>,
    /// Changes each message before it enters the transcript.
    pub(crate) messages: Change<'s>,
    /// Changes all bytes that a side sends before, or at, a change of its keys.
    pub(crate) records: Change<'s>,
}

/// A session as its relay and its client have it.
pub(crate) struct Written {
    pub(crate) recording: Recording,
    pub(crate) secrets: HandshakeSecrets,
    /// The handshake secret.
    pub(crate) secret: Secret,
    /// The keys of content, the client's first.
    pub(crate) keys: [Keys; 2],
    pub(crate) hello_hash: [u8; 32],
    pub(crate) finished_hash: [u8; 32],
}

impl Default for Script<'_> {
    fn default() -> Self {
        let share = |group: [u8; 2]| [&group[..], &vector(2, &[9; 32])].concat();
        let client = Hello {
            version: 0x0303,
            session_id: vec![5; 32],
            suites: vec![SUITE.get().number()],
            compression: vec![0],
            extensions: vec![
                (0, vector(2, &[&[0][..], &vector(2, NAME.as_bytes())].concat())),
                (10, vector(2, &[0, 0x1d, 0, 0x17])),
                (13, vector(2, &[4, 3, 8, 4, 8, 7, 4, 1])),
                (16, vector(2, &vector(1, b"http/1.1"))),
                (43, vector(1, &[3, 4])),
                (45, vector(1, &[1])),
                (51, vector(2, &share([0, 0x1d]))),
            ],
        };
        let server = Hello { extensions: vec![(43, vec![3, 4]), (51, share([0, 0x1d]))], ..client.clone() };
        let (chain, key) = bank();
        Self {
            secret: Secret::new(core::array::from_fn(|i| i as u8 * 7 + 1)),
            client,
            retry: None,
            server,
            encrypted_extensions: vec![(16, vector(2, &vector(1, b"http/1.1")))],
            asks_for_certificate: false,
            chain,
            key,
            scheme: SignatureScheme::ECDSA_NISTP256_SHA256,
            piece: 1 << 14,
            data: vec![],
            messages: Box::new(|_, _| {}),
            records: Box::new(|_, _| {}),
        }
    }
}

impl Script<'_> {
    /// Hellos of a retry by which the client has to take the group secp256r1.
    pub(crate) fn with_retry(mut self) -> Self {
        let mut request = self.server.clone();
        request.extensions = vec![(43, vec![3, 4]), (51, vec![0, 0x17]), (44, vector(2, b"a cookie"))];
        let share = [&[0, 0x17][..], &vector(2, &[4; 65])].concat();
        let mut second = self.client.clone();
        second.set(51, &vector(2, &share));
        second.set(44, &vector(2, b"a cookie"));
        self.server.set(51, &share);
        self.retry = Some((request, second));
        self
    }

    /// Writes the session.
    pub(crate) fn write(&self) -> Written {
        let mut transcript = Sha256::new();
        let mut recording = Recording::new();
        let mut millis = 0;
        let mut send = |recording: &mut Recording, side, what: &str, mut bytes: Vec<u8>| {
            (self.records)(what, &mut bytes);
            millis += 1;
            recording.push(side, &bytes, millis);
        };
        let changed = |name: &str, mut message: Vec<u8>| {
            (self.messages)(name, &mut message);
            message
        };
        let split = |message: &[u8]| message.chunks(self.piece).flat_map(|piece| plain(22, piece)).collect();

        let hello = changed("ClientHello", self.client.client());
        send(&mut recording, Side::Client, "ClientHello", split(&hello));
        if let Some((request, second)) = &self.retry {
            let request = changed("HelloRetryRequest", request.server(&RETRY));
            transcript.update([254, 0, 0, 32]);
            transcript.update(Sha256::digest(&hello));
            transcript.update(&request);
            send(&mut recording, Side::Server, "HelloRetryRequest", split(&request));
            let second = changed("second ClientHello", second.client());
            transcript.update(&second);
            send(&mut recording, Side::Client, "second ClientHello", split(&second));
        } else {
            transcript.update(&hello);
        }
        let hello = changed("ServerHello", self.server.server(&[8; 32]));
        transcript.update(&hello);
        send(&mut recording, Side::Server, "ServerHello", split(&hello));
        let digest = |transcript: &Sha256| -> [u8; 32] { transcript.clone().finalize().into() };
        let hello_hash = digest(&transcript);
        let schedule = Schedule::new(&self.secret, &hello_hash);
        let secrets = HandshakeSecrets {
            client: schedule.client_handshake.clone(),
            server: schedule.server_handshake.clone(),
        };

        let suite = Suite::of_number(self.server.suites[0]).unwrap_or_default();
        let mut flight = vec![];
        let mut add = |transcript: &mut Sha256, name, message: Vec<u8>| {
            let message = changed(name, message);
            transcript.update(&message);
            flight.extend(message);
        };
        add(&mut transcript, "EncryptedExtensions", message(8, &encode(&self.encrypted_extensions)));
        if self.asks_for_certificate {
            add(&mut transcript, "CertificateRequest", message(13, &[0, 0, 8, 0, 13, 0, 4, 0, 2, 4, 3]));
        }
        let chain: Vec<u8> =
            self.chain.iter().flat_map(|der| [vector(3, der), vec![0, 0]].concat()).collect();
        add(&mut transcript, "Certificate", message(11, &[vec![0], vector(3, &chain)].concat()));
        let signed = [&[b' '; 64][..], b"TLS 1.3, server CertificateVerify\0", &digest(&transcript)].concat();
        let key = provider().unwrap().key_provider;
        let key = key.load_private_key(PrivateKeyDer::from_pem_slice(self.key).unwrap()).unwrap();
        let signature =
            key.choose_scheme(&[self.scheme]).expect("a scheme of the key").sign(&signed).unwrap();
        let scheme = u16::from(self.scheme).to_be_bytes();
        let body = [&scheme[..], &vector(2, &signature)].concat();
        add(&mut transcript, "CertificateVerify", message(15, &body));
        let code = secrets.server.finished(&digest(&transcript));
        add(&mut transcript, "Finished", message(20, &code));
        let finished_hash = digest(&transcript);
        let protect = |secret: &Secret, flight: &[u8]| -> Vec<u8> {
            let keys = Keys::new(suite, secret);
            (0..).zip(flight.chunks(self.piece)).flat_map(|(i, piece)| keys.seal(i, 22, piece, 0)).collect()
        };
        send(&mut recording, Side::Server, "flight", protect(&secrets.server, &flight));

        let mut flight = vec![];
        if self.asks_for_certificate {
            let certificate = changed("client's Certificate", message(11, &[0, 0, 0, 0]));
            transcript.update(&certificate);
            flight.extend(certificate);
        }
        let code = secrets.client.finished(&digest(&transcript));
        flight.extend(changed("client's Finished", message(20, &code)));
        send(&mut recording, Side::Client, "client's flight", protect(&secrets.client, &flight));

        let keys = schedule.application(suite, &finished_hash);
        let (mut traffic, mut current) = (schedule.traffic(&finished_hash), keys.clone());
        let mut sequences = [0, 0];
        for Data { side, kind, content, padding } in &self.data {
            let at = usize::from(*side == Side::Server);
            let record = current[at].seal(sequences[at], *kind, content, *padding);
            sequences[at] += 1;
            if (*kind, content.first()) == (22, Some(&24)) {
                traffic[at] = traffic[at].updated();
                (current[at], sequences[at]) = (Keys::new(suite, &traffic[at]), 0);
            }
            send(&mut recording, *side, "data", record);
        }
        Written { recording, secrets, secret: self.secret.clone(), keys, hello_hash, finished_hash }
    }
}

impl Written {
    /// Verifies it by the root, at the time at which all is valid.
    pub(crate) fn verify(&self) -> crate::error::Result<super::Session<'_>> {
        super::verify(&self.recording, &self.secrets, &expected(&roots()))
    }
}

pub(crate) use file;
