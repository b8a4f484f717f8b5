//! The sessions of RFC 8448, whose clients offer other suites and ask for no protocol: so they are opened step by step.
//! Section 5 has a retry, section 6 a certificate of the client, and section 7 changes of the cipher on both sides.
//! Their bytes are in `vectors/tls/rfc8448.txt`.

use super::super::certificate::{chain, check_signature};
use super::super::handshake::{Flight, HandshakeSecrets, Protected, digest, restarted};
use super::super::hello::ClientHello;
use super::super::keys::{Schedule, Secret};
use super::super::{Expected, Keys, Suite, content, script, verify};
use super::{NAME, Script, refusal};
use crate::error::{Error, Place, Refusal, Whose, Why};
use crate::provider::provider;
use crate::recording::{Recording, Side};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// A session as the RFC has it.
struct Published {
    section: u8,
    recording: Recording,
    /// Digests, secrets and keys, by their names.
    values: BTreeMap<String, Vec<u8>>,
}

/// A session, once it is open.
struct Opened {
    secrets: HandshakeSecrets,
    /// The protected messages of the handshake, the client's and the server's.
    messages: [Vec<Vec<u8>>; 2],
    /// The digest that the server signs.
    signed: [u8; 32],
    /// The types of contents behind the handshake, the client's and the server's.
    kinds: [Vec<u8>; 2],
}

impl Published {
    /// The session of a section.
    fn read(section: u8) -> Self {
        let text = include_str!("../../../../../vectors/tls/rfc8448.txt");
        let (_, text) = text.split_once(&format!("section {section}\n")).unwrap();
        let (text, _) = text.split_once("\n\n").unwrap_or((text, ""));
        let (mut recording, mut values) = (Recording::new(), BTreeMap::new());
        for line in text.replace("\n       ", "").lines() {
            let (name, hex) = line.split_once(' ').unwrap();
            let byte = |i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap();
            let bytes: Vec<_> = (0..hex.len() / 2).map(byte).collect();
            match name {
                "client" => recording.push(Side::Client, &bytes, 0),
                "server" => recording.push(Side::Server, &bytes, 0),
                name => drop(values.insert(name.into(), bytes)),
            }
        }
        Self { section, recording, values }
    }

    /// Demands that a value is what the RFC has under this name.
    #[track_caller]
    fn check(&self, name: &str, value: &[u8]) {
        assert_eq!(value, self.values[name], "section {}: {name}", self.section);
    }

    /// Opens it from the handshake secret: steps 1 to 6, but for what is demanded of hellos and certificates.
    fn open(&self) -> Opened {
        let flight = |side| Flight::new(side, &self.recording).unwrap();
        let (mut client, mut server) = (flight(Side::Client), flight(Side::Server));
        let first = client.hello(1, "ClientHello", false).unwrap();
        let mut transcript = Sha256::new_with_prefix(&first);
        if self.section == 5 {
            transcript = restarted(&first).chain_update(server.hello(2, "ServerHello", false).unwrap());
            transcript.update(client.hello(1, "second ClientHello", true).unwrap());
        }
        transcript.update(server.hello(2, "ServerHello", true).unwrap());
        let hello_hash = digest(&transcript);
        self.check("h1", &hello_hash);
        let handshake = Secret::new(self.values["HS"][..].try_into().unwrap());
        let schedule = Schedule::new(&handshake, &hello_hash);
        self.check("CHTS", schedule.client_handshake.bytes());
        self.check("SHTS", schedule.server_handshake.bytes());

        let asks_for_certificate = self.section == 6;
        let mut signed = [0; 32];
        let mut read = |side: &mut Flight<'_>, secret: &Secret, kinds: &[u8]| {
            let mut flight = Protected::new(side, Suite::Aes128, secret);
            let mut messages = vec![];
            for kind in kinds {
                let message = flight.message(&[*kind], "a message").unwrap();
                match kind {
                    15 if signed == [0; 32] => signed = digest(&transcript),
                    20 => flight.check_finished(&message, secret, &digest(&transcript)).unwrap(),
                    _ => {}
                }
                transcript.update(&message);
                messages.push(message);
            }
            flight.end("Finished").unwrap();
            (messages, digest(&transcript))
        };
        let kinds: [&[u8]; 2] = if asks_for_certificate {
            [&[11, 15, 20], &[8, 13, 11, 15, 20]]
        } else {
            [&[20], &[8, 11, 15, 20]]
        };
        let (of_server, finished_hash) = read(&mut server, &schedule.server_handshake, kinds[1]);
        let (of_client, _) = read(&mut client, &schedule.client_handshake, kinds[0]);
        self.check("h2", &finished_hash);

        let keys = schedule.application(Suite::Aes128, &finished_hash);
        for (name, keys) in ["client", "server"].iter().zip(&keys) {
            let (key, iv) = keys.parts();
            self.check(&format!("{name}-key"), key);
            self.check(&format!("{name}-iv"), &iv);
        }
        let kinds = |side: Flight<'_>, keys: &Keys| {
            let records = side.application_data().unwrap();
            let kind = |(sequence, record)| content(&keys.open(sequence, record).unwrap()).unwrap().0;
            (0..).zip(&records).map(kind).collect()
        };
        let kinds = [kinds(client, &keys[0]), kinds(server, &keys[1])];
        let secrets =
            HandshakeSecrets { client: schedule.client_handshake, server: schedule.server_handshake };
        Opened { secrets, messages: [of_client, of_server], signed, kinds }
    }
}

#[test]
fn published_sessions_open() {
    let sessions: [(u8, [&[u8]; 2]); 4] =
        [(3, [&[23, 21], &[22, 23, 21]]), (5, [&[21], &[21]]), (6, [&[21], &[21]]), (7, [&[21], &[21]])];
    for (section, kinds) in sessions {
        let published = Published::read(section);
        let opened = published.open();
        assert_eq!(opened.kinds, kinds, "section {section}");
        // As a whole it is refused where it offers other suites.
        let roots = script::roots();
        let expected = Expected { name: "server", ..script::expected(&roots) };
        let Err(Error::Refused(refusal)) = verify(&published.recording, &opened.secrets, &expected) else {
            panic!("section {section}")
        };
        assert_eq!((refusal.why, refusal.whose), (Why::Suites(vec![Suite::Aes128]), Whose::Prover));
    }
}

/// Section 6: a server's signature, by the one key that is still long enough.
#[test]
fn a_published_signature_holds() {
    let Opened { messages: [_, server], mut signed, .. } = Published::read(6).open();
    let chain = chain(&server[2][4..]).unwrap();
    let hello = Script::default().write().recording.stream(Side::Client).to_vec();
    let length = usize::from(u16::from_be_bytes([hello[3], hello[4]]));
    let offered = ClientHello::read(&hello[9..5 + length], NAME, &[Suite::Aes128]).unwrap();
    let algorithms = provider().unwrap().signature_verification_algorithms;
    check_signature(&server[3][4..], &chain[0], &signed, &offered, &algorithms).unwrap();
    signed[31] ^= 1;
    let refused = check_signature(&server[3][4..], &chain[0], &signed, &offered, &algorithms).unwrap_err();
    assert!(matches!(refused, Why::Signature(_)), "{refused}");
}

/// Section 6: what its server asks for and its client answers, in a session that is right but for that.
#[test]
fn a_published_certificate_of_a_client_is_refused() {
    let Opened { messages: [client, server], .. } = Published::read(6).open();
    let messages = Box::new(move |name: &str, message: &mut Vec<u8>| match name {
        "CertificateRequest" => message.clone_from(&server[1]),
        "client's Certificate" => *message = client[..2].concat(),
        _ => {}
    });
    let refused = refusal(&Script { asks_for_certificate: true, messages, ..Script::default() });
    let at = Place::Message { side: Side::Client, name: "Certificate" };
    assert_eq!(refused, Refusal { at, why: Why::ClientCertificate, whose: Whose::Prover });
}
