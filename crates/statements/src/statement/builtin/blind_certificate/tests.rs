use super::super::trial::{Trial, changed};
use super::*;
use crate::Relation;
use aes_gcm::aead::{Aead, Payload};
use aes_gcm::{Aes128Gcm, KeyInit};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hmac::Mac;
use sha2::Digest;

const LOGIN: &[u8] = b"\0ann@mail.example\0correct horse";
const REPLY: &[u8] = b"235 2.7.0 Accepted\r\n";
const SALT: [u8; 16] = [0x3c; 16];

fn hmac(key: &[u8], message: &[u8]) -> Vec<u8> {
    let mut mac = <hmac::Hmac<sha2::Sha256> as hmac::KeyInit>::new_from_slice(key).unwrap();
    mac.update(message);
    mac.finalize().into_bytes().to_vec()
}

/// RFC 5246 section 5.
fn expand(secret: &[u8], label: &str, seed: &[u8], length: usize) -> Vec<u8> {
    let seed = [label.as_bytes(), seed].concat();
    let (mut out, mut chained) = (Vec::new(), seed.clone());
    while out.len() < length {
        chained = hmac(secret, &chained);
        out.extend(hmac(secret, &[&chained[..], &seed].concat()));
    }
    out.truncate(length);
    out
}

fn some_bytes(length: usize, start: usize) -> Vec<u8> {
    (0..length).map(|i| (i * 59 + start) as u8).collect()
}

/// The messages of a session's parties.
#[derive(Clone)]
struct Transcript {
    premaster: Vec<u8>,
    credentials: Vec<u8>,
    reply: Vec<u8>,
    /// The user name in the certificate.
    user: Vec<u8>,
    /// The first bytes of the client's Finished message.
    head: [u8; 4],
    /// Added to the content of the client's Finished message.
    mask: u8,
    /// The sequence number and the type of the login's record.
    login_as: (u64, u8),
}

fn transcript() -> Transcript {
    Transcript {
        premaster: some_bytes(48, 3),
        credentials: LOGIN.to_vec(),
        reply: REPLY.to_vec(),
        user: b"ann@mail.example".to_vec(),
        head: FINISHED_HEAD,
        mask: 0,
        login_as: (2, 23),
    }
}

impl Transcript {
    fn trial(&self) -> Trial {
        let (client_random, server_random) = (some_bytes(32, 100), some_bytes(32, 200));
        let randoms = [&client_random[..], &server_random].concat();
        let master = expand(&self.premaster, "master secret", &randoms, 48);
        let turned = [&server_random[..], &client_random].concat();
        let block = expand(&master, "key expansion", &turned, 40);
        let finished_hash: [u8; 32] = sha2::Sha256::digest(b"all messages of the handshake").into();

        // The record without its tag, and the tag.
        let seal = |party: usize, (sequence, kind): (u64, u8), plaintext: &[u8]| {
            let explicit = (1000 + sequence).to_be_bytes();
            let nonce: [u8; 12] = [&block[32 + 4 * party..][..4], &explicit].concat().try_into().unwrap();
            let length = (plaintext.len() as u16).to_be_bytes();
            let aad = [&sequence.to_be_bytes()[..], &[kind, 3, 3], &length].concat();
            let cipher = Aes128Gcm::new_from_slice(&block[16 * party..][..16]).unwrap();
            let sealed = cipher.encrypt(&nonce.into(), Payload { msg: plaintext, aad: &aad }).unwrap();
            let (ciphertext, tag) = sealed.split_at(plaintext.len());
            ([&explicit[..], ciphertext].concat(), tag.to_vec())
        };
        let mut verify_data = expand(&master, "client finished", &finished_hash, 12);
        verify_data[11] ^= self.mask;
        let finished = seal(0, (0, 22), &[&self.head[..], &verify_data].concat());
        let line = format!("AUTH PLAIN {}\r\n", BASE64_STANDARD.encode(&self.credentials));
        let login = seal(0, self.login_as, line.as_bytes());
        let reply = seal(1, (2, 23), &self.reply);

        let mut identity = self.user.clone();
        identity.resize(64, 0);
        let (before, after) = (some_bytes(30, 1), some_bytes(70, 2));
        let certificate = sha2::Sha256::digest([&before[..], &identity, &after].concat());
        let (credentials, answer) = (self.credentials.len(), self.reply.len());
        let spec = format!("blind-certificate?credentials={credentials}&reply={answer}&before=30&after=70");
        Trial::new(&spec)
            .with("premaster", &self.premaster)
            .with("salt", &SALT)
            .with("randoms", &randoms)
            .with("finished_hash", &finished_hash)
            .with("finished", &finished.0)
            .with("login", &login.0)
            .with("reply", &reply.0)
            .with("before", &before)
            .with("after", &after)
            .with("commitment", &sha2::Sha256::digest([&self.premaster[..], &SALT].concat()))
            .with("tags", &[finished.1, login.1, reply.1].concat())
            .with("certificate", &certificate)
            .with_bits("valid", "1")
    }
}

#[test]
fn a_session_gives_a_certificate() {
    transcript().trial().run().unwrap();
    transcript().trial().with_bits("valid", "0").refuse("valid");
    let (user, password) = ([b'u'; 64], [b'p'; 70]);
    let credentials = [b"\0", &user[..], b"\0", &password].concat();
    Transcript { credentials, user: user.to_vec(), ..transcript() }.trial().run().unwrap();
}

#[test]
fn another_user_gets_none() {
    users_get_none(&[b"ann@mail.exampl"]);
}

#[test]
#[ignore = "slow"]
fn no_other_user_gets_any() {
    users_get_none(&[b"bob@mail.example", b"ann@mail.example\0c", b""]);
}

fn users_get_none(users: &[&[u8]]) {
    for user in users {
        Transcript { user: user.to_vec(), ..transcript() }.trial().refuse("certificate");
    }
}

fn is_not_valid(session: &Transcript) {
    session.trial().refuse("valid");
    session.trial().with_bits("valid", "0").run().unwrap();
}

/// A session of other credentials, and the user name in its certificate.
fn login(credentials: &[u8], user: &[u8]) -> Transcript {
    Transcript { credentials: credentials.to_vec(), user: user.to_vec(), ..transcript() }
}

#[test]
fn what_is_not_a_login_is_not_valid() {
    is_not_valid(&Transcript { mask: 1, ..transcript() });
    is_not_valid(&Transcript { reply: b"535 5.7.8 Denied\r\n".to_vec(), ..transcript() });
    is_not_valid(&login(b"\0an\0n\0correct horse", b"an"));
}

#[test]
#[ignore = "slow"]
fn nothing_that_is_not_a_login_is_valid() {
    is_not_valid(&Transcript { head: [20, 0, 0, 13], ..transcript() });
    is_not_valid(&login(b"\0\0correct horse", b""));
    is_not_valid(&login(b"\0ann\0", b"ann"));
    is_not_valid(&login(b"eve\0ann\0correct horse", b"ve"));
    let long = [b'u'; 65];
    is_not_valid(&login(&[b"\0", &long[..], b"\0p"].concat(), &long[..64]));
}

#[test]
fn values_are_bound() {
    let right = transcript().trial();
    right.clone().with("premaster", &changed(&transcript().premaster, 47)).refuse("commitment");
    right.clone().with("tags", &[0; 48]).refuse("tags");
    right.clone().with("finished_hash", &[0; 32]).refuse("valid");
    right.with("after", &[0; 70]).refuse("certificate");
}

#[test]
#[ignore = "slow"]
fn every_value_is_bound() {
    let right = transcript().trial();
    let premaster = changed(&transcript().premaster, 47);
    right.clone().with("salt", &[0; 16]).refuse("commitment");
    let commitment = sha2::Sha256::digest([&premaster[..], &SALT].concat());
    right.clone().with("premaster", &premaster).with("commitment", &commitment).refuse("tags");
    let statement = right.statement().unwrap();
    for name in ["randoms", "finished", "login", "reply"] {
        let port = statement.relation().inputs().iter().find(|input| input.name == name).unwrap();
        right.clone().with(name, &vec![0; port.width as usize / 8]).refuse("tags");
    }
    right.clone().with("before", &[0; 30]).refuse("certificate");
    right.with("certificate", &[0; 32]).refuse("certificate");
    // A record of another place or type has another tag.
    for login_as in [(1, 23), (3, 23), (2, 22)] {
        Transcript { login_as, ..transcript() }.trial().refuse("tags");
    }
}

#[test]
fn what_has_to_be_public_is() {
    let all = transcript().trial();
    let statement = all.statement().unwrap();
    assert_eq!(
        statement.private_ports().map(|port| &port.name[..]).collect::<Vec<_>>(),
        ["premaster", "salt"]
    );
    let relation = statement.relation();
    for port in relation.inputs().iter().skip(2).chain(relation.outputs()) {
        let why = all.clone().without(&port.name).statement().err().unwrap().to_string();
        assert!(why.contains(&format!("{} (", port.name)) && why.contains(") has to be public"), "{why}");
    }
}

#[test]
fn ands_are_pinned() {
    let ands = |after: u64| {
        let relation = Relation::open(&format!("builtin:blind-certificate?after={after}"), None).unwrap();
        relation.shape().unwrap().mul
    };
    assert_eq!([2500, 6700].map(ands), [1_429_230, 2_479_222]);
}
