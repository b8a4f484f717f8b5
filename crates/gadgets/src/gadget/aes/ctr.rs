//! Counter mode where parts of a text are opened, block by block.

use super::{Aes128, BLOCK, Byte, Gates, SubBytes};
use crate::gadget::Bytes;
use core::ops::Range;
use std::collections::BTreeMap;
use volery_channel::error::{Error, Result};
use volery_circuit::Backend;
use volery_primitives::F2;

/// Bytes of a nonce, to which four bytes of a block's number make a counter.
const NONCE: usize = 12;

/// The key stream of counter mode under one key and one nonce (SP 800-38A section 6.5, with the counters of GCM): its
/// block of number n is the ciphertext of the nonce and n. A block costs 4,256 ANDs, those in a row with the same upper
/// 24 bits of their numbers 864 together, and blocks that nobody asks for nothing.
pub struct Ctr<'c, W, S = Gates> {
    cipher: &'c Aes128<W, S>,
    nonce: [Byte<W>; NONCE],
}

impl<'c, W: Copy, S> Ctr<'c, W, S> {
    /// The key stream of `cipher` for `nonce`, 12 bytes.
    ///
    /// # Errors
    /// `Invalid` where the nonce has another length.
    pub fn new(cipher: &'c Aes128<W, S>, nonce: &Bytes<W>) -> Result<Self> {
        let bytes: Vec<_> = nonce.iter().copied().collect();
        let wrong = |bytes: Vec<_>| {
            Error::invalid(format!(
                "a nonce of AES-128 in counter mode has 12 bytes, and not {}",
                bytes.len()
            ))
        };
        Ok(Self { cipher, nonce: bytes.try_into().map_err(wrong)? })
    }

    /// The blocks of these numbers, in their order, 16 bytes each. Eight or more are maps ([`Backend::map`]).
    ///
    /// # Errors
    /// Those of the backend.
    pub fn blocks<B: Backend<F = F2, Wire = W>>(&self, b: &mut B, numbers: &[u32]) -> Result<Vec<Bytes<W>>>
    where
        S: SubBytes<B>,
    {
        self.cipher.encrypt_numbered(b, &self.nonce, numbers)
    }

    /// The parts of `message` at `spans`, which are ranges of its bytes, with the key stream added, where the first
    /// block of the message is that of the number `first`, and others count on modulo 2^32. A block that several
    /// spans touch is computed once, and one that none does is not.
    ///
    /// # Errors
    /// `Invalid` where a span ends behind the message, or before its begin; those of the backend.
    pub fn spans<B: Backend<F = F2, Wire = W>>(
        &self,
        b: &mut B,
        first: u32,
        message: &Bytes<W>,
        spans: &[Range<usize>],
    ) -> Result<Vec<Bytes<W>>>
    where
        S: SubBytes<B>,
    {
        if let Some(span) = spans.iter().find(|span| span.start > span.end || span.end > message.len()) {
            let Range { start, end } = span;
            let length = message.len();
            return Err(Error::invalid(format!(
                "a span from {start} to {end} of a message of {length} bytes"
            )));
        }
        let touched = spans.iter().filter(|span| !span.is_empty());
        let mut places: Vec<_> =
            touched.flat_map(|span| span.start / BLOCK..span.end.div_ceil(BLOCK)).collect();
        places.sort_unstable();
        places.dedup();
        let numbers: Vec<_> = places.iter().map(|place| first.wrapping_add(*place as u32)).collect();
        let stream: BTreeMap<_, _> = places.into_iter().zip(self.blocks(b, &numbers)?).collect();
        let open = |b: &mut B, span: &Range<usize>| {
            let bytes =
                span.clone().map(|at| message.byte(at).xor(b, stream[&(at / BLOCK)].byte(at % BLOCK)));
            bytes.collect()
        };
        Ok(spans.iter().map(|span| open(b, span)).collect())
    }
}
