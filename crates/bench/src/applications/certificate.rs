//! A login to a mail server by TLS 1.2, for `builtin:blind-certificate`.

use super::{values, yes};
use aes_gcm::aead::{Aead, Payload};
use aes_gcm::{Aes128Gcm, KeyInit, Nonce};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hmac::{Hmac, Mac};
use sha2::{Digest, Sha256};
use volery::circuit::Values;
use volery::random::Random;

/// Bytes of the parts that the statement's parameters of the same names say.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub credentials: usize,
    pub reply: usize,
    pub before: usize,
    pub after: usize,
}

/// The statement's defaults.
pub(super) const SHAPE: Shape = Shape { credentials: 140, reply: 37, before: 300, after: 6700 };

const USER: &[u8] = b"ann@mail.example";

/// Bytes that the user name has in a certificate.
const IDENTITY: usize = 64;

/// The begin of a Finished message.
const FINISHED: [u8; 4] = [20, 0, 0, 12];

/// The types of records.
const HANDSHAKE: u8 = 22;
const DATA: u8 = 23;

/// The public and the private values of a statement that is valid, of a session with a random premaster
/// secret.
///
/// # Errors
/// None, but those of a name that is given twice.
///
/// # Panics
/// Where the credentials have no room for the user name and a password, which takes 19 bytes, or the reply
/// none for its code.
pub fn sample(random: &mut Random, shape: Shape) -> volery::Result<(Values, Values)> {
    let mut bytes = |length| -> Vec<u8> {
        std::iter::repeat_with(|| random.bytes::<32>()).flatten().take(length).collect()
    };
    let (premaster, salt) = (bytes(48), bytes(16));
    let (client_random, server_random) = (bytes(32), bytes(32));
    let (finished_hash, before, after) = (bytes(32), bytes(shape.before), bytes(shape.after));

    let randoms = [&client_random[..], &server_random].concat();
    let master = expand(&premaster, "master secret", &randoms, 48);
    let turned = [&server_random[..], &client_random].concat();
    let keys = expand(&master, "key expansion", &turned, 40);
    let verify_data = expand(&master, "client finished", &finished_hash, 12);
    let (client, server) = ((&keys[..16], &keys[32..36]), (&keys[16..32], &keys[36..40]));

    let (finished, first_tag) = seal(client, 0, HANDSHAKE, &[&FINISHED[..], &verify_data].concat());
    let (login, second_tag) = seal(client, 2, DATA, &login(shape.credentials));
    let (reply, third_tag) = seal(server, 2, DATA, &reply(shape.reply));

    let mut identity = [0; IDENTITY];
    identity[..USER.len()].copy_from_slice(USER);
    let certificate = Sha256::digest([&before[..], &identity, &after].concat());
    let commitment = Sha256::digest([&premaster[..], &salt].concat());
    let mut public = values([
        ("randoms", &randoms[..]),
        ("finished_hash", &finished_hash),
        ("finished", &finished),
        ("login", &login),
        ("reply", &reply),
        ("before", &before),
        ("after", &after),
        ("commitment", &commitment),
        ("tags", &[first_tag, second_tag, third_tag].concat()),
        ("certificate", &certificate),
    ])?;
    public.insert("valid", yes())?;
    Ok((public, values([("premaster", &premaster[..]), ("salt", &salt)])?))
}

/// The line that logs the user in, with `credentials` bytes of credentials.
fn login(credentials: usize) -> Vec<u8> {
    let mut plain = [b"\0", USER, b"\0"].concat();
    assert!(credentials > plain.len(), "no room for a password in {credentials} bytes");
    plain.resize(credentials, b'p');
    format!("AUTH PLAIN {}\r\n", BASE64_STANDARD.encode(plain)).into_bytes()
}

/// The answer that lets the user in, of `length` bytes.
fn reply(length: usize) -> Vec<u8> {
    let mut reply = b"235".to_vec();
    assert!(length >= reply.len(), "no room for a code in {length} bytes");
    reply.resize(length, b' ');
    reply
}

/// A record without its tag, explicit nonce first, and the tag (RFC 5288).
fn seal((key, fixed): (&[u8], &[u8]), sequence: u64, kind: u8, plaintext: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let explicit = sequence.to_be_bytes();
    let length = (plaintext.len() as u16).to_be_bytes();
    let associated = [&explicit[..], &[kind, 3, 3], &length].concat();
    let nonce: [u8; 12] = [fixed, &explicit].concat().try_into().expect("4 and 8 bytes");
    let cipher = Aes128Gcm::new_from_slice(key).expect("16 bytes");
    let payload = Payload { msg: plaintext, aad: &associated };
    let sealed = cipher.encrypt(&Nonce::from(nonce), payload).expect("a record is short");
    let (ciphertext, tag) = sealed.split_at(plaintext.len());
    ([&explicit[..], ciphertext].concat(), tag.to_vec())
}

/// The pseudorandom function of TLS 1.2 (RFC 5246 section 5).
fn expand(secret: &[u8], label: &str, seed: &[u8], length: usize) -> Vec<u8> {
    let seed = [label.as_bytes(), seed].concat();
    let (mut out, mut chained) = (Vec::new(), seed.clone());
    while out.len() < length {
        chained = code(secret, &[&chained]);
        out.extend(code(secret, &[&chained, &seed]));
    }
    out.truncate(length);
    out
}

/// HMAC-SHA256 of the pieces of a message.
fn code(key: &[u8], pieces: &[&[u8]]) -> Vec<u8> {
    let mut mac = <Hmac<Sha256> as hmac::KeyInit>::new_from_slice(key).expect("keys of any length");
    pieces.iter().for_each(|piece| mac.update(piece));
    mac.finalize().into_bytes().to_vec()
}
