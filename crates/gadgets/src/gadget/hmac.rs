//! HMAC over any hash function (RFC 2104), and what TLS 1.2 derives keys by.

use super::{Bytes, Hash, Word};
use volery_channel::error::Result;
use volery_circuit::Backend;
use volery_primitives::F2;

/// HMAC under a key, in the middle of a message.
///
/// A copy goes on from the same place: one that has no message yet serves for all messages under its key, and
/// spares each of them two blocks of the hash function.
#[derive(Clone)]
pub struct Hmac<H> {
    inner: H,
    outer: H,
}

impl<H> Hmac<H> {
    /// The code of the empty message under `key`, of any length, to be continued: two blocks of the hash
    /// function, and the digest of the key where it is longer than a block.
    ///
    /// # Errors
    /// Those of the backend.
    pub fn new<B: Backend<F = F2>>(b: &mut B, key: &Bytes<B::Wire>) -> Result<Self>
    where
        H: Hash<B>,
    {
        let key = if key.len() > H::BLOCK { H::digest(b, key)? } else { key.clone() };
        let key = key.concat(&Bytes::public(&vec![0; H::BLOCK - key.len()]));
        let mut hashes = [0x36, 0x5c].map(|pad| (H::default(), Word::public(pad)));
        for (hash, pad) in &mut hashes {
            let block = key.iter().map(|byte| byte.xor(b, pad)).collect();
            hash.update(b, &block)?;
        }
        let [(inner, _), (outer, _)] = hashes;
        Ok(Self { inner, outer })
    }

    /// Appends `piece` to the message.
    ///
    /// # Errors
    /// Those of the backend.
    pub fn update<B: Backend<F = F2>>(&mut self, b: &mut B, piece: &Bytes<B::Wire>) -> Result<()>
    where
        H: Hash<B>,
    {
        self.inner.update(b, piece)
    }

    /// The code of the message, as long as a digest.
    ///
    /// # Errors
    /// Those of the backend.
    pub fn finish<B: Backend<F = F2>>(mut self, b: &mut B) -> Result<Bytes<B::Wire>>
    where
        H: Hash<B>,
    {
        let digest = self.inner.finish(b)?;
        self.outer.update(b, &digest)?;
        self.outer.finish(b)
    }

    /// The code of the message so far, with `piece` behind it. Other messages may go on from here as well.
    ///
    /// # Errors
    /// Those of the backend.
    pub fn of<B: Backend<F = F2>>(&self, b: &mut B, piece: &Bytes<B::Wire>) -> Result<Bytes<B::Wire>>
    where
        H: Hash<B>,
    {
        let mut code = self.clone();
        code.update(b, piece)?;
        code.finish(b)
    }

    /// The first `length` bytes of the pseudorandom function of TLS 1.2 (RFC 5246 section 5) under the key,
    /// for the empty message so far.
    ///
    /// # Errors
    /// Those of the backend.
    pub fn expand<B: Backend<F = F2>>(
        &self,
        b: &mut B,
        label: &[u8],
        seed: &Bytes<B::Wire>,
        length: usize,
    ) -> Result<Bytes<B::Wire>>
    where
        H: Hash<B>,
    {
        let seed = Bytes::public(label).concat(seed);
        let mut out = Bytes::public(&[]);
        let mut chained = seed.clone();
        while out.len() < length {
            chained = self.of(b, &chained)?;
            let piece = self.of(b, &chained.concat(&seed))?;
            out = out.concat(&piece);
        }
        Ok(out.slice(0..length))
    }
}

/// The code of `message` under `key`, as `hmac::<Sha256<_>, _>(b, &key, &message)`.
///
/// # Errors
/// Those of the backend.
pub fn hmac<H: Hash<B>, B: Backend<F = F2>>(
    b: &mut B,
    key: &Bytes<B::Wire>,
    message: &Bytes<B::Wire>,
) -> Result<Bytes<B::Wire>> {
    Hmac::<H>::new(b, key)?.of(b, message)
}

/// The first `length` bytes of the pseudorandom function of TLS 1.2 (RFC 5246 section 5), as
/// `prf::<Sha256<_>, _>(b, &secret, b"master secret", &seed, 48)`.
///
/// [`Hmac::expand`] serves several labels under one secret.
///
/// # Errors
/// Those of the backend.
pub fn prf<H: Hash<B>, B: Backend<F = F2>>(
    b: &mut B,
    secret: &Bytes<B::Wire>,
    label: &[u8],
    seed: &Bytes<B::Wire>,
    length: usize,
) -> Result<Bytes<B::Wire>> {
    Hmac::<H>::new(b, secret)?.expand(b, label, seed, length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gadget::{Holes, Sha1, Sha3_256, Sha256, bits_of};
    use crate::testing::evaluate;
    use hmac::{KeyInit, Mac};
    use volery_circuit::stream::Recorder;
    use volery_circuit::{Circuit, Polynomials, Shape};

    fn some_bytes(length: usize) -> Vec<u8> {
        (0..length).map(|i| (i * 73 + 5) as u8).collect()
    }

    fn check<H>(outside: impl Fn(&[u8], &[u8]) -> Vec<u8>)
    where
        H: for<'r> Hash<Recorder<'r, F2>>,
    {
        for (key, message) in [(0, 0), (16, 50), (64, 10), (65, 70), (136, 3), (137, 140)] {
            let (key, message) = (some_bytes(key), some_bytes(message));
            let expected = outside(&key, &message);
            let agreed = evaluate(bits_of(&[&key[..], &message].concat()), |b| {
                let wires = [key.len(), message.len()].map(|length| Bytes::witness(b, length).unwrap());
                hmac::<H, _>(b, &wires[0], &wires[1])?.assert_equal(b, &expected, "code")
            });
            agreed.unwrap();
        }
    }

    fn code<M: Mac + KeyInit>(key: &[u8], message: &[u8]) -> Vec<u8> {
        let mut mac = <M as KeyInit>::new_from_slice(key).unwrap();
        mac.update(message);
        mac.finalize().into_bytes().to_vec()
    }

    #[test]
    fn codes_agree_with_an_outside_implementation() {
        check::<Sha1<_>>(code::<hmac::Hmac<sha1::Sha1>>);
        check::<Sha256<_>>(code::<hmac::Hmac<sha2::Sha256>>);
        check::<Sha256<_, Holes>>(code::<hmac::Hmac<sha2::Sha256>>);
        check::<Sha3_256<_>>(code::<hmac::SimpleHmac<sha3::Sha3_256>>);
    }

    /// The vector that was published on the mailing list of the TLS working group for P_SHA256.
    #[test]
    fn published_key_block() {
        let bytes = |words: &[u128]| words.iter().flat_map(|word| word.to_be_bytes()).collect::<Vec<_>>();
        let secret = bytes(&[0x9bbe_436b_a940_f017_b176_5284_9a71_db35]);
        let seed = bytes(&[0xa0ba_9f93_6cda_3118_27a6_f796_ffd5_198c]);
        let expected = bytes(&[
            0xe3f2_29ba_727b_e17b_8d12_2620_557c_d453,
            0xc2aa_b21d_07c3_d495_329b_52d4_e61e_db5a,
            0x6b30_1791_e90d_35c9_c9a4_6b4e_14ba_f9af,
            0x0fa0_22f7_077d_ef17_abfd_3797_c056_4bab,
            0x4fbc_9166_6e9d_ef9b_97fc_e34f_7967_89ba,
            0xa480_82d1_22ee_42c5_a72e_5a51_10ff_f701,
            0x8734_7b66,
        ]);
        let expected = [&expected[..96], &expected[108..]].concat();
        let agreed = evaluate(bits_of(&secret), |b| {
            let secret = Bytes::witness(b, 16)?;
            let out = prf::<Sha256<_>, _>(b, &secret, b"test label", &Bytes::public(&seed), 100)?;
            out.assert_equal(b, &expected, "key block")
        });
        agreed.unwrap();
    }

    /// Codes of some messages of a block at most under one key.
    struct Codes<H> {
        messages: usize,
        hash: core::marker::PhantomData<H>,
    }

    impl<B: Polynomials<F = F2>, H: Hash<B>> Circuit<B> for Codes<H> {
        fn run(&self, b: &mut B) -> Result<()> {
            let key = Bytes::witness(b, 32)?;
            let message = Bytes::witness(b, 32)?;
            let keyed = Hmac::<H>::new(b, &key)?;
            (0..self.messages).try_for_each(|_| keyed.of(b, &message).map(drop))
        }
    }

    #[test]
    fn a_key_is_expanded_once() {
        fn ands<H: for<'r> Hash<Recorder<'r, F2>> + Sync>(messages: usize) -> u64 {
            Shape::without_depth::<F2>(&Codes::<H> { messages, hash: core::marker::PhantomData }).unwrap().mul
        }
        let sha256 = [0, 1, 2].map(ands::<Sha256<_>>);
        assert_eq!(sha256, [42_634, 85_358, 128_082]);
        let sha3 = [0, 1, 2].map(ands::<Sha3_256<_>>);
        assert_eq!(sha3, [2 * 38_400, 4 * 38_400, 6 * 38_400]);
    }
}
