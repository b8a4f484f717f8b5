//! Sessions of TLS 1.3 (RFC 8446), verified from a recording by whoever forwarded them.
//!
//! **Relation.** The verifier has the bytes of both directions, and the prover's SHTS and CHTS, the handshake traffic
//! secrets. It accepts where the server at the other end holds a key that a chain of certificates gives to the name,
//! and both sides have finished the handshake; what it gives on is h1 = H(CH..SH), h2 = H(CH..server Finished), and
//! the records behind the handshake of either side, whose contents it does not know.
//!
//! | step | who | message | bytes | checked |
//! |---|---|---|---|---|
//! | 1 | client | ClientHello | up to 16 k | version 1.3, this name alone, http/1.1 alone, the suites of the policy in its order, extensions of a list |
//! | 2 | server | \[HelloRetryRequest\] | 0.1 k | once; then step 1 again, alike but for what RFC 8446 section 4.1.2 names |
//! | 3 | server | ServerHello | 0.1–1.2 k | suite and group that were offered, the suite of step 2, no pre-shared key |
//! | 4 | server | EncryptedExtensions, \[CertificateRequest\], Certificate, CertificateVerify, Finished, under SHTS | 1–6 k | each tag; http/1.1; chain, name and dates; signature; code |
//! | 5 | client | \[Certificate that is empty\], Finished, under CHTS | 58–90 | tag; code |
//! | 6 | both | application data | | type 23 alone; contents by the proof |
//!
//! *ChangeCipherSpec* (section 5) is dropped between the first hello of a side and its Finished, and refused elsewhere.
//!
//! **Why SHTS is the server's.** Its flight is fixed by the recording. Opened under another secret it would have to
//! carry a signature of the server over other messages of this hello, whose random is fresh, so that either the
//! signature is forged, or SHA-256 collides, or the key streams agree on thousands of bits. From there the proof goes
//! on: HS is what SHTS is derived of, and all other keys follow from HS and h2.
//!
//! **Deviations.** Extensions of the hellos are those of a list, where RFC 8446 has peers ignore what they do not
//! know: what an extension does that this module does not know might void the proof (resumption without certificate,
//! encrypted hello, raw keys, another transport). Values that are reserved so that nobody knows them (RFC 8701) may
//! stand there. Several identities, client certificates and post-handshake authentication are refused. Suites are
//! TLS_AES_128_GCM_SHA256 and TLS_CHACHA20_POLY1305_SHA256, of which a policy says which are offered.
//!
//! **What an abort leaks.** Nothing is sent here. SHTS and CHTS, which the prover opens once the connection is closed,
//! give away the handshake, in which no content stands: the server's certificate, extensions, and both codes. They are
//! outputs of HKDF under labels of their own, and tell nothing of HS or of keys of content.

mod certificate;
mod handshake;
mod hello;
mod keys;
mod protection;
mod reader;
mod record;
#[cfg(test)]
pub(crate) mod script;
mod suite;
#[cfg(test)]
mod tests;

pub use certificate::Roots;
pub(crate) use certificate::check_chain;
pub(crate) use handshake::hellos;
pub use handshake::{Expected, HandshakeSecrets, Session, verify};
pub(crate) use keys::Schedule;
pub use keys::Secret;
pub(crate) use protection::{HASH_KEY, Keys, content};
pub(crate) use reader::Reader;
pub use record::Record;
pub(crate) use record::records;
pub(crate) use record::{ALERT, APPLICATION_DATA, HANDSHAKE, MOST_CONTENT};
pub use suite::Suite;
pub(crate) use suite::names;
