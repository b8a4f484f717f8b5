//! A certificate on an e-mail identity that its authority never sees, after "Blind Certificate Authorities"
//! (Wang, Asharov, Pass, Ristenpart, shelat, 2019), for TLS 1.2 with AES-128-GCM.
//!
//! A user logs in to a mail server by SMTP over TLS, and the authority relays the connection: it has all that
//! either side sent, but no keys. Then the user proves who logged in, and the authority signs a certificate
//! of which it sees the digest.
//!
//! **Proved.** The prover knows a premaster secret and a salt whose SHA-256 digest is `commitment`, such that
//! under the keys which TLS 1.2 derives of it with `randoms` (RFC 5246 sections 6.3 and 8.1) `tags` are the
//! tags of the records `finished`, `login` and `reply`, which are the client's first and third and the
//! server's third. Where `valid` is one,
//! - `finished` is the client's Finished message, for the handshake with the digest `finished_hash`;
//! - `login` is a line `AUTH PLAIN ` with the base64 (RFC 4616) of no authorisation identity, a user name of
//!   1 to 64 bytes and a password, which is not empty, all told apart by NUL;
//! - `reply` begins with `235`: the server let the user in;
//! - `certificate` is the SHA-256 digest of `before`, the user name padded by NUL to 64 bytes, and `after`.
//!
//! **Public.** The records without their plaintexts, each with its explicit nonce before the ciphertext as on
//! the wire, `randoms`, the client's before the server's, the handshake's digest, the certificate but for the
//! name, and the outputs. So the authority learns how long user name and password are together, and nothing
//! else of the password. But the name is hidden only as far as it is hard to guess: with `before` and `after`
//! names can be tried against `certificate`.
//!
//! **Assumed.** The authority has seen which server it is that it relays to, and that this server signed the
//! handshake; what it relayed is what it puts into `finished_hash` and the records. The user gave
//! `commitment` before it sent `finished`, so that it could not choose among secrets afterwards; AES-GCM
//! alone commits to no key, but to meet the tag and the format of a record as short as `finished` under two
//! keys takes 2^128 trials. The reply, which the authority has from the server itself, shows that the keys
//! are those of the session. `salt` is uniform.
//!
//! **Not proved.** Anything on the server's Finished message and on other records, such as the greeting;
//! sessions with the extended master secret of RFC 7627 derive other keys. That the user name is an address
//! or belongs to no one else: that is the server's business. `valid` says nothing on `before` and `after`,
//! which the authority made or has looked at.
//!
//! The default sizes take 2,479,222 ANDs. They leave room for keys and signatures against quantum computers;
//! with 2,500 bytes behind the name, as many certificates have, it is 1,429,230.

mod login;
#[cfg(test)]
mod tests;
mod tls;

use super::{Described, Ports, check_range, numbers};
use crate::statement::Port;
use login::Login;
use tls::{Keys, Record};
use volery_channel::error::Result;
use volery_circuit::Backend;
use volery_gadgets::gadget::{Bit, Bytes, Hash, Sha256, sha256};
use volery_primitives::F2;

/// Name with keys and defaults, and what it states.
pub(super) const LISTED: (&str, &str) = (
    "blind-certificate?credentials=140&reply=37&before=300&after=6700",
    "the prover knows the `premaster` secret of a session by TLS 1.2 in whose records somebody logged in to a mail server, \
     by `credentials` bytes of name and password (`valid` = 1); and `certificate` is the SHA-256 digest of `before`, \
     the name and `after`",
);

/// Bytes of the premaster secret: that of RSA, or of the curve P-384.
const PREMASTER: u64 = 48;

/// Bytes of the head, and of the whole, of the client's Finished message.
const FINISHED_HEAD: [u8; 4] = [20, 0, 0, 12];
const FINISHED: u64 = 16;

/// The first bytes of the answer to a login that is accepted (RFC 4954 section 6).
const ACCEPTED: &[u8] = b"235";

/// The statement.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::statement) struct BlindCertificate {
    /// Bytes of user name and password with two NULs.
    credentials: u64,
    /// Bytes of the reply.
    reply: u64,
    /// Bytes of the certificate before the identity.
    before: u64,
    /// The number of bytes behind the certificate.
    after: u64,
}

/// The session's inputs, as they are read.
struct Session<W> {
    premaster: Bytes<W>,
    salt: Bytes<W>,
    randoms: Bytes<W>,
    finished_hash: Bytes<W>,
    finished: Bytes<W>,
    login: Bytes<W>,
    reply: Bytes<W>,
}

/// The parts of the session that its secrets open.
struct OpenedSession<W> {
    /// The tags of the three records, one after the other.
    tags: Bytes<W>,
    /// The user name, padded.
    user: Bytes<W>,
    /// Whether all is as it should be; else the user name means nothing.
    valid: Bit<W>,
}

impl BlindCertificate {
    pub(super) fn parse(name: &str, parameters: &str) -> Result<Self> {
        let keys = [("credentials", 140), ("reply", 37), ("before", 300), ("after", 6700)];
        let [credentials, reply, before, after] = numbers(name, parameters, keys)?;
        // A line of SMTP with AUTH has up to 12,288 bytes, and a record of TLS up to 2^14.
        check_range(name, "credentials", credentials, 4..=9000)?;
        check_range(name, "reply", reply, 3..=1 << 14)?;
        check_range(name, "before", before, 1..=1 << 20)?;
        check_range(name, "after", after, 1..=1 << 20)?;
        Ok(Self { credentials, reply, before, after })
    }

    /// Pushes the statement.
    pub(super) fn run<B: Backend<F = F2>>(&self, b: &mut B, ports: &mut impl Ports<B>) -> Result<()> {
        let inputs = self.ports().0;
        let mut all = (0..).zip(&inputs).map(|(port, input)| ports.bytes(b, port, 0..input.width / 8));
        let mut next = || all.next().expect("as many inputs as ports");
        let session = Session {
            premaster: next()?,
            salt: next()?,
            randoms: next()?,
            finished_hash: next()?,
            finished: next()?,
            login: next()?,
            reply: next()?,
        };
        let (before, after) = (next()?, next()?);
        drop(all);

        let commitment = sha256(b, &session.premaster.concat(&session.salt))?;
        ports.give(b, 0, commitment.number())?;
        let opened = self.open(b, &session)?;
        ports.give(b, 1, opened.tags.number())?;
        let mut certificate = Sha256::new();
        for part in [&before, &opened.user, &after] {
            certificate.update(b, part)?;
        }
        let certificate = certificate.finish(b)?;
        ports.give(b, 2, certificate.number())?;
        ports.output(b, 3, 0, opened.valid)
    }

    /// Decrypts the records, and reads them.
    fn open<B: Backend<F = F2>>(
        &self,
        b: &mut B,
        session: &Session<B::Wire>,
    ) -> Result<OpenedSession<B::Wire>> {
        let keys = Keys::derive(b, &session.premaster, &session.randoms)?;
        let verify_data = keys.client_finished(b, &session.finished_hash)?;
        let (finished, finished_tag) = keys.client.open(b, &Record::handshake(0, &session.finished))?;
        let (login, login_tag) = keys.client.open(b, &Record::data(2, &session.login))?;
        let (reply, reply_tag) = keys.server.open(b, &Record::data(2, &session.reply))?;
        let tags = finished_tag.concat(&login_tag).concat(&reply_tag);

        let expected = Bytes::public(&FINISHED_HEAD).concat(&verify_data);
        let is_finished = finished.equal(b, &expected)?;
        let login = Login::read(b, &login, self.credentials as usize)?;
        let accepted = reply.slice(0..ACCEPTED.len()).equal(b, &Bytes::public(ACCEPTED))?;
        let logged_in = login.valid.and(b, accepted)?;
        let valid = is_finished.and(b, logged_in)?;
        Ok(OpenedSession { tags, user: login.user, valid })
    }
}

impl Described for BlindCertificate {
    fn canonical(&self) -> String {
        let Self { credentials, reply, before, after } = self;
        format!("blind-certificate?credentials={credentials}&reply={reply}&before={before}&after={after}")
    }

    fn version(&self) -> u32 {
        3
    }

    fn ports(&self) -> (Vec<Port>, Vec<Port>) {
        let record = |name, bytes| Port::public(name, 8 * (tls::NONCE as u64 + bytes));
        let inputs = vec![
            Port::new("premaster", 8 * PREMASTER),
            Port::new("salt", 128),
            Port::public("randoms", 512),
            Port::public("finished_hash", 256),
            record("finished", FINISHED),
            record("login", login::line_bytes(self.credentials)),
            record("reply", self.reply),
            Port::public("before", 8 * self.before),
            Port::public("after", 8 * self.after),
        ];
        let outputs = vec![
            Port::public("commitment", 256),
            Port::public("tags", 3 * 128),
            Port::public("certificate", 256),
            Port::public("valid", 1),
        ];
        (inputs, outputs)
    }
}
