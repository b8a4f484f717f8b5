//! HKDF (RFC 5869) over the HMAC of any hash function, and the labels by which TLS 1.3 expands (RFC 8446 section
//! 7.1).
//!
//! A key costs two blocks of the hash function, and each digest's length of what is expanded one block for each that
//! the information takes, and one more. With SHA-256 a label of TLS with a digest for its context is one block, and
//! so all that TLS 1.3 derives by one label takes two, where the label has 12 bytes at most.

use super::{Bytes, Hash, Hmac};
use volery_channel::error::{Error, Result};
use volery_circuit::Backend;
use volery_primitives::F2;

/// Bytes before each label (RFC 8446 section 7.1).
const PREFIX: &[u8] = b"tls13 ";

/// HKDF under one pseudorandom key, which serves all that is expanded from it.
#[derive(Clone)]
pub struct Hkdf<H>(Hmac<H>);

impl<H> Hkdf<H> {
    /// HKDF under the pseudorandom `key`, which was extracted before: two blocks of the hash function.
    ///
    /// # Errors
    /// Those of the backend.
    pub fn new<B: Backend<F = F2>>(b: &mut B, key: &Bytes<B::Wire>) -> Result<Self>
    where
        H: Hash<B>,
    {
        Hmac::new(b, key).map(Self)
    }

    /// Extracts a pseudorandom key, as long as a digest, from `material` (RFC 5869 section 2.2).
    ///
    /// # Errors
    /// Those of the backend.
    pub fn extract<B: Backend<F = F2>>(
        b: &mut B,
        salt: &Bytes<B::Wire>,
        material: &Bytes<B::Wire>,
    ) -> Result<Bytes<B::Wire>>
    where
        H: Hash<B>,
    {
        Hmac::<H>::new(b, salt)?.of(b, material)
    }

    /// Expands the key to `length` bytes for `info` (RFC 5869 section 2.3).
    ///
    /// # Errors
    /// `Invalid` where that is more than 255 digests; those of the backend.
    pub fn expand<B: Backend<F = F2>>(
        &self,
        b: &mut B,
        info: &Bytes<B::Wire>,
        length: usize,
    ) -> Result<Bytes<B::Wire>>
    where
        H: Hash<B>,
    {
        if length > 255 * H::DIGEST {
            let most = 255 * H::DIGEST;
            return Err(Error::invalid(format!("HKDF gives {most} bytes at most, and not {length}")));
        }
        let mut out = Bytes::public(&[]);
        let mut before = Bytes::public(&[]);
        for counter in 1..=length.div_ceil(H::DIGEST) {
            before = self.0.of(b, &before.concat(info).concat(&Bytes::public(&[counter as u8])))?;
            out = out.concat(&before);
        }
        Ok(out.slice(0..length))
    }

    /// HKDF-Expand-Label (RFC 8446 section 7.1): `length` bytes for `label`, which stands without its prefix
    /// `tls13 `, and `context`.
    ///
    /// # Errors
    /// `Invalid` where label or context are longer than the RFC has it, or `length` is; those of the backend.
    pub fn expand_label<B: Backend<F = F2>>(
        &self,
        b: &mut B,
        label: &[u8],
        context: &Bytes<B::Wire>,
        length: usize,
    ) -> Result<Bytes<B::Wire>>
    where
        H: Hash<B>,
    {
        let wrong = |what| Error::invalid(format!("{what} of TLS 1.3 is longer than any may be"));
        let length_bytes = u16::try_from(length).map_err(|_| wrong("an expansion"))?.to_be_bytes();
        let label_length = u8::try_from(PREFIX.len() + label.len()).map_err(|_| wrong("a label"))?;
        let context_length = u8::try_from(context.len()).map_err(|_| wrong("a context"))?;
        let head = [&length_bytes, &[label_length][..], PREFIX, label, &[context_length]].concat();
        self.expand(b, &Bytes::public(&head).concat(context), length)
    }
}

#[cfg(test)]
mod tests;
