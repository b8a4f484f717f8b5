//! AES-128 of secret keys and blocks (FIPS 197), 32 ANDs for each byte that is substituted, or 8 committed bits
//! and 16 polynomials of degree 2; and its modes, gate by gate.

mod ctr;
mod field;
mod gcm;
mod ghash;
mod inverses;
mod substitution;
#[cfg(test)]
mod tests;

pub use ctr::Ctr;
pub use gcm::Gcm;

use super::{Bit, Bytes, Gates, Word, function_on_words_of_each};
use core::array;
use core::marker::PhantomData;
use substitution::substitute;
use volery_channel::error::{Error, Result};
use volery_circuit::Backend;
use volery_primitives::F2;

type Byte<W> = Word<W, 8>;

/// Bytes of a block, and of a key.
pub(super) const BLOCK: usize = 16;

const ROUNDS: usize = 10;

/// A block, column by column.
type Block<W> = [Byte<W>; BLOCK];

/// A way to substitute bytes, SubBytes of FIPS 197 section 5.1.1: by [`Gates`], or with
/// [`Holes`](super::Holes).
pub trait SubBytes<B: Backend<F = F2>> {
    /// The name of the function of all rounds of a block, where they are recorded.
    const ROUNDS: &'static str;
    /// The name of the function of what of the rounds depends on a block's number, likewise.
    const COUNTED: &'static str;

    /// The bytes that stand for `bytes`.
    ///
    /// # Errors
    /// Those of the backend.
    fn substitute(b: &mut B, bytes: &[Word<B::Wire, 8>]) -> Result<Vec<Word<B::Wire, 8>>>;
}

impl<B: Backend<F = F2>> SubBytes<B> for Gates {
    const ROUNDS: &'static str = "rounds of AES-128";
    const COUNTED: &'static str = "rounds of AES-128 by a number";

    fn substitute(b: &mut B, bytes: &[Byte<B::Wire>]) -> Result<Vec<Byte<B::Wire>>> {
        bytes.iter().map(|byte| substitute(b, byte)).collect()
    }
}

/// AES-128 under one key. `S` says how to substitute bytes.
pub struct Aes128<W, S = Gates> {
    /// The key of each round, and before them that of the begin.
    keys: [Block<W>; ROUNDS + 1],
    substitution: PhantomData<S>,
}

impl<W: Clone, S> Clone for Aes128<W, S> {
    fn clone(&self) -> Self {
        Self { keys: self.keys.clone(), substitution: PhantomData }
    }
}

impl<W: Copy> Aes128<W> {
    /// Expands `key`, 16 bytes: 1,280 ANDs.
    ///
    /// # Errors
    /// `Invalid` where the key has another length; those of [`Backend::mul`].
    pub fn new<B: Backend<F = F2, Wire = W>>(b: &mut B, key: &Bytes<W>) -> Result<Self> {
        Self::expand(b, key)
    }
}

impl<W: Copy, S> Aes128<W, S> {
    /// Expands `key`, 16 bytes: 1,280 ANDs, or with holes 320 committed bits.
    ///
    /// # Errors
    /// `Invalid` where the key has another length; those of the backend.
    pub fn expand<B: Backend<F = F2, Wire = W>>(b: &mut B, key: &Bytes<W>) -> Result<Self>
    where
        S: SubBytes<B>,
    {
        let mut keys = [sixteen(key, "a key of AES-128")?; ROUNDS + 1];
        let mut constant = 1;
        for round in 1..=ROUNDS {
            let before = keys[round - 1];
            // The last column, turned by a byte.
            let column = S::substitute(b, &[before[13], before[14], before[15], before[12]])?;
            let mut column = *column.first_chunk::<4>().expect("as many");
            column[0] = column[0].xor(b, &Word::public(u128::from(constant)));
            constant = field::mul(constant, 2);
            for (i, byte) in keys[round].iter_mut().enumerate() {
                column[i % 4] = column[i % 4].xor(b, &before[i]);
                *byte = column[i % 4];
            }
        }
        Ok(Self { keys, substitution: PhantomData })
    }

    /// The ciphertext of one block, 16 bytes: 5,120 ANDs, or with holes 1,280 committed bits.
    ///
    /// # Errors
    /// `Invalid` where `block` has another length; those of the backend.
    pub fn encrypt<B: Backend<F = F2, Wire = W>>(&self, b: &mut B, block: &Bytes<W>) -> Result<Bytes<W>>
    where
        S: SubBytes<B>,
    {
        let block = sixteen(block, "a block of AES-128")?;
        let mut encrypted = self.encrypt_each(b, &[block])?;
        Ok(encrypted.remove(0))
    }

    /// The ciphertext of each block: many are one map.
    fn encrypt_each<B: Backend<F = F2, Wire = W>>(
        &self,
        b: &mut B,
        blocks: &[Block<W>],
    ) -> Result<Vec<Bytes<W>>>
    where
        S: SubBytes<B>,
    {
        // Where blocks are public, as counters are, what goes into the rounds is not.
        let states: Vec<_> = blocks.iter().map(|block| add(b, block, &self.keys[0])).collect();
        let words = states.iter().map(|state| [&state[..], self.keys[1..].as_flattened()].concat());
        let encrypted = function_on_words_of_each(b, S::ROUNDS, words, |b, words| {
            let (state, keys) = words.split_first_chunk::<BLOCK>().expect("a block");
            let state = S::substitute(b, state)?;
            let state = state.first_chunk().expect("as many");
            Ok(rounds::<B, S>(b, *state, keys.as_chunks().0)?.to_vec())
        })?;
        Ok(encrypted.into_iter().map(|block| block.into_iter().collect()).collect())
    }

    /// The ciphertexts of `nonce` with each of `numbers` behind it: those with the same upper 24 bits share what does
    /// not depend on the last byte, and many are one map.
    fn encrypt_numbered<B: Backend<F = F2, Wire = W>>(
        &self,
        b: &mut B,
        nonce: &[Byte<W>; 12],
        numbers: &[u32],
    ) -> Result<Vec<Bytes<W>>>
    where
        S: SubBytes<B>,
    {
        let mut encrypted = Vec::with_capacity(numbers.len());
        for numbers in numbers.chunk_by(|one, next| one >> 8 == next >> 8) {
            for numbers in numbers.chunks(TOGETHER) {
                encrypted.extend(self.encrypt_alike(b, nonce, numbers)?);
            }
        }
        Ok(encrypted)
    }

    /// The ciphertexts of `nonce` with each of `numbers` behind it, which differ in their last byte alone. Of the first
    /// round that byte is substituted for each, and of the second the column that it goes to: 133 bytes of 160.
    fn encrypt_alike<B: Backend<F = F2, Wire = W>>(
        &self,
        b: &mut B,
        nonce: &[Byte<W>; 12],
        numbers: &[u32],
    ) -> Result<Vec<Bytes<W>>>
    where
        S: SubBytes<B>,
    {
        let [first, ..] = numbers else { return Ok(Vec::new()) };
        let number = first.to_be_bytes();
        let shared: [_; BLOCK - 1] =
            array::from_fn(|i| nonce.get(i).copied().unwrap_or_else(|| Word::public(number[i - 12].into())));
        let shared: Vec<_> = shared.iter().zip(&self.keys[0]).map(|(byte, key)| byte.xor(b, key)).collect();
        let mut state = [Word::public(0); BLOCK];
        state[..BLOCK - 1].copy_from_slice(&S::substitute(b, &shared)?);
        // The last byte is the last of the first column from now on, and the other columns are all blocks'.
        let turned = turn(&state);
        let mut others = Vec::with_capacity(BLOCK - 4);
        for (column, key) in turned.as_chunks::<4>().0.iter().zip(self.keys[1].as_chunks::<4>().0).skip(1) {
            others.extend(mix(b, column).iter().zip(key).map(|(byte, key)| byte.xor(b, key)));
        }
        let others = S::substitute(b, &others)?;
        let lasts: Vec<_> = numbers
            .iter()
            .map(|number| Word::public(u128::from(*number as u8)).xor(b, &self.keys[0][BLOCK - 1]))
            .collect();
        let words = lasts.into_iter().map(|last| {
            [&[last], &turned[..3], &others, &self.keys[1][..4], self.keys[2..].as_flattened()].concat()
        });
        let encrypted = function_on_words_of_each(b, S::COUNTED, words, |b, words| {
            let (first, rest) = words.split_first_chunk::<4>().expect("a column");
            let (others, rest) = rest.split_first_chunk::<12>().expect("three columns");
            let (key, keys) = rest.split_first_chunk::<4>().expect("the key of a column");
            let last = S::substitute(b, &first[..1])?[0];
            let column = mix(b, &[first[1], first[2], first[3], last]);
            let column: [_; 4] = array::from_fn(|i| column[i].xor(b, &key[i]));
            let column = S::substitute(b, &column)?;
            let state = array::from_fn(|i| if i < 4 { column[i] } else { others[i - 4] });
            Ok(rounds::<B, S>(b, state, keys.as_chunks().0)?.to_vec())
        })?;
        Ok(encrypted.into_iter().map(|block| block.into_iter().collect()).collect())
    }

    /// `message` with the key stream of counter mode added (SP 800-38A section 6.5): encrypts and decrypts.
    /// The first block of the stream is the ciphertext of `counter`, 16 bytes, and of these the last four
    /// count on modulo 2^32, as in GCM: 4,256 ANDs for each block of the message, full or not, and 864 for those with the
    /// same upper 24 bits of these four bytes. Eight blocks or more of these are one map ([`Backend::map`]).
    ///
    /// # Errors
    /// `Invalid` where `counter` has another length, or its last four bytes are not public; those
    /// of [`Backend::mul`].
    pub fn count<B: Backend<F = F2, Wire = W>>(
        &self,
        b: &mut B,
        counter: &Bytes<W>,
        message: &Bytes<W>,
    ) -> Result<Bytes<W>>
    where
        S: SubBytes<B>,
    {
        let counter = sixteen(counter, "a counter of AES-128")?;
        let mut number = 0;
        let (nonce, last) = counter.split_first_chunk().expect("more than a nonce");
        for byte in last {
            number = number << 8 | u32::from(value(byte)?);
        }
        let pieces: Vec<_> = (0..message.len())
            .step_by(BLOCK)
            .map(|start| message.slice(start..message.len().min(start + BLOCK)))
            .collect();
        let mut out = Vec::with_capacity(message.len());
        let mut rest = &pieces[..];
        while !rest.is_empty() {
            // All that have the same upper bits.
            let alike = TOGETHER - number as usize % TOGETHER;
            let (pieces, behind) = rest.split_at(alike.min(rest.len()));
            rest = behind;
            let numbers: Vec<_> = (0..pieces.len() as u32).map(|i| number.wrapping_add(i)).collect();
            number = number.wrapping_add(pieces.len() as u32);
            let streams = self.encrypt_numbered(b, nonce, &numbers)?;
            for (piece, stream) in pieces.iter().zip(streams) {
                out.extend(piece.xor(b, &stream.slice(0..piece.len()))?.iter().copied());
            }
        }
        Ok(out.into_iter().collect())
    }
}

/// The blocks that are one map, which may differ in the last byte of their numbers: enough for all threads, and so few
/// that their keys, which each is given, take little memory.
const TOGETHER: usize = 1 << 8;

/// Row r, the bytes r mod 4, turned by r columns: ShiftRows, FIPS 197 section 5.1.2.
fn turn<W: Copy>(state: &Block<W>) -> Block<W> {
    array::from_fn(|i| state[(i + 4 * (i % 4)) % BLOCK])
}

/// The state after the last rounds, each with its key, from where bytes have been substituted in the first of them.
fn rounds<B: Backend<F = F2>, S: SubBytes<B>>(
    b: &mut B,
    mut state: Block<B::Wire>,
    keys: &[Block<B::Wire>],
) -> Result<Block<B::Wire>> {
    let (last, keys) = keys.split_last().expect("a round");
    for key in keys {
        state = turn(&state);
        for column in state.as_chunks_mut::<4>().0 {
            *column = mix(b, column);
        }
        state = add(b, &state, key);
        let substituted = S::substitute(b, &state)?;
        state = *substituted.first_chunk().expect("as many");
    }
    state = turn(&state);
    Ok(add(b, &state, last))
}

/// The bytes of a string that has 16; `what` it is.
fn sixteen<W: Copy>(bytes: &Bytes<W>, what: &str) -> Result<Block<W>> {
    let bytes: Vec<_> = bytes.iter().copied().collect();
    let wrong = |bytes: Vec<_>| Error::invalid(format!("{what} has 16 bytes, and not {}", bytes.len()));
    bytes.try_into().map_err(wrong)
}

/// The value of a public byte of a counter.
fn value<W: Copy>(byte: &Byte<W>) -> Result<u8> {
    byte.bits().iter().rev().try_fold(0, |value, bit| match bit {
        Bit::Public(bit) => Ok(value << 1 | u8::from(*bit)),
        Bit::Wire(_) => Err(Error::invalid("the last four bytes of a counter of AES-128 are not public")),
    })
}

fn add<B: Backend<F = F2>>(b: &mut B, x: &Block<B::Wire>, y: &Block<B::Wire>) -> Block<B::Wire> {
    array::from_fn(|i| x[i].xor(b, &y[i]))
}

/// MixColumns, FIPS 197 section 5.1.3: each byte becomes the sum of the others, twice
/// itself and twice the next.
fn mix<B: Backend<F = F2>>(b: &mut B, column: &[Byte<B::Wire>; 4]) -> [Byte<B::Wire>; 4] {
    let [x, y, z, last] = column;
    let all = x.xor(b, y).xor(b, z).xor(b, last);
    array::from_fn(|i| {
        let both = column[i].xor(b, &column[(i + 1) % 4]);
        let twice = double(b, &both);
        column[i].xor(b, &all).xor(b, &twice)
    })
}

/// `byte` times the field's X.
fn double<B: Backend<F = F2>>(b: &mut B, byte: &Byte<B::Wire>) -> Byte<B::Wire> {
    let mut bits = *byte.rotate_left(1).bits();
    let carry = bits[0];
    for (i, bit) in bits.iter_mut().enumerate().skip(1) {
        if field::MODULUS >> i & 1 == 1 {
            *bit = bit.xor(b, carry);
        }
    }
    Word::new(bits)
}
