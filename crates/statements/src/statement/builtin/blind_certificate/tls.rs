//! Keys and records of TLS 1.2 (RFC 5246) with AES-128-GCM (RFC 5288).

use volery_channel::error::Result;
use volery_circuit::Backend;
use volery_gadgets::gadget::{Bytes, Gcm, Hmac, Sha256, prf};
use volery_primitives::F2;

/// Bytes of a nonce that a record carries; and those that the keys have.
pub(super) const NONCE: usize = 8;
const FIXED: usize = 4;

/// Bytes of a key.
const KEY: usize = 16;

/// Bytes of a party's random value.
const RANDOM: usize = 32;

/// Bytes of the master secret.
const MASTER: usize = 48;

/// Bytes of a Finished message behind its head.
const VERIFY_DATA: usize = 12;

/// The keys of a session.
pub(super) struct Keys<W> {
    /// The pseudorandom function under the master secret.
    master: Hmac<Sha256<W>>,
    pub(super) client: Sender<W>,
    pub(super) server: Sender<W>,
}

impl<W: Copy> Keys<W> {
    /// Derives the keys from `premaster` and `randoms`, the client's before the server's: 26 compressions of
    /// SHA-256, and two keys of AES-GCM.
    pub(super) fn derive<B: Backend<F = F2, Wire = W>>(
        b: &mut B,
        premaster: &Bytes<W>,
        randoms: &Bytes<W>,
    ) -> Result<Self> {
        let master = prf::<Sha256<_>, _>(b, premaster, b"master secret", randoms, MASTER)?;
        let master = Hmac::<Sha256<_>>::new(b, &master)?;
        let turned = randoms.slice(RANDOM..2 * RANDOM).concat(&randoms.slice(0..RANDOM));
        let block = master.expand(b, b"key expansion", &turned, 2 * (KEY + FIXED))?;
        let mut sender = |at: usize| -> Result<Sender<W>> {
            let (key, fixed) = (KEY * at, 2 * KEY + FIXED * at);
            let cipher = Gcm::new(b, &block.slice(key..key + KEY))?;
            Ok(Sender { cipher, fixed: block.slice(fixed..fixed + FIXED) })
        };
        let (client, server) = (sender(0)?, sender(1)?);
        Ok(Self { master, client, server })
    }

    /// The content of the client's Finished message after messages with the digest `handshake`: five
    /// compressions of SHA-256.
    pub(super) fn client_finished<B: Backend<F = F2, Wire = W>>(
        &self,
        b: &mut B,
        handshake: &Bytes<W>,
    ) -> Result<Bytes<W>> {
        self.master.expand(b, b"client finished", handshake, VERIFY_DATA)
    }
}

/// The keys by which one party protects what it sends.
pub(super) struct Sender<W> {
    cipher: Gcm<W>,
    /// The begin of each nonce.
    fixed: Bytes<W>,
}

impl<W: Copy> Sender<W> {
    /// The plaintext and the tag of a record.
    pub(super) fn open<B: Backend<F = F2, Wire = W>>(
        &self,
        b: &mut B,
        record: &Record<'_, W>,
    ) -> Result<(Bytes<W>, Bytes<W>)> {
        let explicit = record.fragment.slice(0..NONCE);
        let ciphertext = record.fragment.slice(NONCE..record.fragment.len());
        let associated = [
            &record.sequence.to_be_bytes()[..],
            &[record.kind, 3, 3],
            &(ciphertext.len() as u16).to_be_bytes(),
        ];
        let associated = Bytes::public(&associated.concat());
        self.cipher.decrypt(b, &self.fixed.concat(&explicit), &associated, &ciphertext)
    }
}

/// A record without its tag.
pub(super) struct Record<'a, W> {
    /// How many records under the same key there were before.
    sequence: u64,
    /// The content's type.
    kind: u8,
    /// The explicit nonce, and the ciphertext.
    fragment: &'a Bytes<W>,
}

impl<'a, W> Record<'a, W> {
    /// A record with a message of the handshake.
    pub(super) fn handshake(sequence: u64, fragment: &'a Bytes<W>) -> Self {
        Self { sequence, kind: 22, fragment }
    }

    /// A record with application data.
    pub(super) fn data(sequence: u64, fragment: &'a Bytes<W>) -> Self {
        Self { sequence, kind: 23, fragment }
    }
}
