//! A server asked for more than a threshold: the example of price discrimination of DECO (Zhang, Maram,
//! Malvai, Goldfeder, Juels, "DECO: Liberating Web Data Using Decentralized Oracles for TLS", 2020), for
//! a record of TLS 1.3.
//!
//! **Proved.** The prover knows a key and a salt whose SHA-256 digest is `commitment`, such that under this
//! key `tag` is the AES-128-GCM tag of `ciphertext` with `nonce` and the head of a record of TLS 1.3 as
//! associated data. Where `dearer` is one, the record is application data, its content is an object of JSON
//! with a price, and this price is above `threshold` cents. [`Object`] says what is read as the price: the
//! one number under the key `"price"` at the top level, with up to eight digits before the point and two
//! behind it. Whatever is read otherwise makes `dearer` zero: no price or two, a price in quotes, below zero,
//! with an exponent, with a blank in it or more digits, more brackets that open than close or fewer, and more
//! than 15 levels. Braces and square brackets count alike.
//!
//! **Public.** Nonce, ciphertext, threshold and outputs: of the record only its length, and whether `dearer`.
//!
//! **Assumed.** That the record is one that the server sent, which the statement cannot show: whoever knows a
//! key makes any record. In DECO the prover and the verifier share the keys until the prover has committed,
//! by `commitment` here, and the verifier holds nonce, ciphertext and tag; only then does the verifier hand
//! over its share. So the verifier has to know that `commitment` is to the key of this session, that it came
//! first, which server the session was with, and what was asked of it. `salt` is uniform.
//!
//! **Not proved.** That the object is JSON beyond what is read of it: the server is trusted to write JSON. So
//! `{"a":[},"price":1}` has a price, and so has `{"a":1 2,"price":1}`: brackets of both kinds count alike,
//! and no number but the price is looked at.
//! The head of an answer in HTTP, which has to be in records of its own. Escapes are not decoded, so that
//! `"pric\u0065"` is another key. Padding behind the content, which TLS 1.3 allows, makes `dearer` zero.
//!
//! The default length of 272 bytes, 17 blocks of the cipher, takes 146,808 ANDs; the paper's
//! circuit has about 163,000.

mod character;
mod decimal;
mod object;
#[cfg(test)]
mod tests;

use super::{Described, Ports, check_range, numbers};
use crate::statement::Port;
use object::Object;
use volery_channel::error::Result;
use volery_circuit::Backend;
use volery_gadgets::gadget::{Bytes, Gcm, Word, sha256};
use volery_primitives::F2;

/// Name with keys and defaults, and what it states.
pub(super) const LISTED: (&str, &str) = (
    "price-discrimination?length=272",
    "the prover knows a `key` with a `salt` that `commitment` is the SHA-256 digest of, under which a TLS 1.3 record of \
     `length` bytes has the AES-128-GCM tag `tag`; and, if `dearer`, the record is an object of JSON whose number \
     under \"price\" is above `threshold` cents, if what is not read of it is JSON: other numbers, and whether \
     brackets match in kind",
);

/// The record's bytes, without the tag: at least those of `{}` and of its type, and at most
/// what TLS 1.3 allows.
const LENGTHS: core::ops::RangeInclusive<u64> = 3..=(1 << 14) + 1;

/// The type that ends the content of a record of application data, RFC 8446 section 5.2.
const APPLICATION_DATA: u128 = 23;

/// Bytes of a tag.
const TAG: u16 = 16;

/// The statement.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::statement) struct PriceDiscrimination {
    /// Bytes of the ciphertext: those of the object and one for the type.
    length: u64,
}

impl PriceDiscrimination {
    pub(super) fn parse(name: &str, parameters: &str) -> Result<Self> {
        let [length] = numbers(name, parameters, [("length", 272)])?;
        check_range(name, "length", length, LENGTHS)?;
        Ok(Self { length })
    }

    /// Pushes the statement.
    pub(super) fn run<B: Backend<F = F2>>(&self, b: &mut B, ports: &mut impl Ports<B>) -> Result<()> {
        let key = ports.bytes(b, 0, 0..16)?;
        let salt = ports.bytes(b, 1, 0..16)?;
        let nonce = ports.bytes(b, 2, 0..12)?;
        let ciphertext = ports.bytes(b, 3, 0..self.length)?;
        let threshold: Vec<_> = ports.bytes(b, 4, 0..4)?.number().collect();

        let commitment = sha256(b, &key.concat(&salt))?;
        ports.give(b, 0, commitment.number())?;
        let gcm = Gcm::new(b, &key)?;
        let (record, tag) = gcm.decrypt(b, &nonce, &Bytes::public(&self.head()), &ciphertext)?;
        ports.give(b, 1, tag.number())?;

        let (kind, content) = (record.byte(record.len() - 1), record.slice(0..record.len() - 1));
        let is_data = kind.equal(b, &Word::public(APPLICATION_DATA))?;
        let (price, has_price) = Object::read(b, &content)?;
        let threshold = decimal::of_binary(b, &threshold)?;
        // Digit by digit, decimals compare like the numbers that their bits make.
        let above = threshold.less_than(b, &price)?;
        let valid = is_data.and(b, has_price)?;
        let dearer = valid.and(b, above)?;
        ports.output(b, 2, 0, dearer)
    }

    /// The head of the record, RFC 8446 section 5.2: its outer type, version and length.
    fn head(&self) -> [u8; 5] {
        let [high, low] = (self.length as u16 + TAG).to_be_bytes();
        [23, 3, 3, high, low]
    }
}

impl Described for PriceDiscrimination {
    fn canonical(&self) -> String {
        format!("price-discrimination?length={}", self.length)
    }

    fn version(&self) -> u32 {
        4
    }

    fn ports(&self) -> (Vec<Port>, Vec<Port>) {
        let inputs = vec![
            Port::new("key", 128),
            Port::new("salt", 128),
            Port::public("nonce", 96),
            Port::public("ciphertext", 8 * self.length),
            Port::public("threshold", 32),
        ];
        let outputs =
            vec![Port::public("commitment", 256), Port::public("tag", 128), Port::public("dearer", 1)];
        (inputs, outputs)
    }
}
