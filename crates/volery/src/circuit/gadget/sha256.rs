//! SHA-256 of a string of public length (FIPS 180-4).
//!
//! Padding and the initial chaining value are public constants of the circuit. Were they witness, as they are inputs
//! of the compression circuits in circulation, the prover could choose a chaining value and so need no preimage.

use super::{Bit, Bytes, Word};
use crate::circuit::Backend;
use crate::error::Result;
use core::array;
use volery_primitives::F2;

type Word32<W> = Word<W, 32>;

/// Bytes of a block.
const BLOCK: usize = 64;

/// The initial chaining value, FIPS 180-4 section 5.3.3.
const INITIAL: [u32; 8] =
    [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];

/// The round constants, FIPS 180-4 section 4.2.2.
#[rustfmt::skip]
const ROUND: [u32; 64] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
    0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
    0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
    0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
    0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
    0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
];

/// The SHA-256 digest of `message`, 32 bytes: 22,573 ANDs or fewer for each block of 64 bytes.
///
/// # Errors
/// Those of [`Backend::mul`].
pub fn sha256<B: Backend<F = F2>>(b: &mut B, message: &Bytes<B::Wire>) -> Result<Bytes<B::Wire>> {
    let mut sha = Sha256::new();
    sha.update(b, message)?;
    sha.finish(b)
}

/// SHA-256 of a message that comes piece by piece: holds one block.
pub struct Sha256<W> {
    state: [Word32<W>; 8],
    /// The begin of the next block, less than [`BLOCK`] bytes.
    pending: Vec<Word<W, 8>>,
    /// Bytes of the message so far.
    length: u64,
}

impl<W: Copy> Default for Sha256<W> {
    fn default() -> Self {
        Self::new()
    }
}

impl<W: Copy> Sha256<W> {
    /// The digest of the empty message, to be continued.
    pub fn new() -> Self {
        let state = INITIAL.map(|word| Word::public(word.into()));
        Self { state, pending: Vec::with_capacity(BLOCK), length: 0 }
    }

    /// Appends `piece` to the message.
    ///
    /// # Errors
    /// Those of [`Backend::mul`].
    pub fn update<B: Backend<F = F2, Wire = W>>(&mut self, b: &mut B, piece: &Bytes<W>) -> Result<()> {
        self.length += piece.len() as u64;
        for &byte in piece.iter() {
            self.push(b, byte)?;
        }
        Ok(())
    }

    /// The digest of the message, 32 bytes.
    ///
    /// # Errors
    /// Those of [`Backend::mul`].
    pub fn finish<B: Backend<F = F2, Wire = W>>(mut self, b: &mut B) -> Result<Bytes<W>> {
        self.push(b, Word::public(0x80))?;
        while self.pending.len() != BLOCK - 8 {
            self.push(b, Word::public(0))?;
        }
        for byte in (8 * self.length).to_be_bytes() {
            self.push(b, Word::public(byte.into()))?;
        }
        let bytes_of = |word: &Word32<W>| {
            let bits = *word.bits();
            [24, 16, 8, 0].map(|low| Word::new(array::from_fn(|i| bits[low + i])))
        };
        Ok(self.state.iter().flat_map(bytes_of).collect())
    }

    fn push<B: Backend<F = F2, Wire = W>>(&mut self, b: &mut B, byte: Word<W, 8>) -> Result<()> {
        self.pending.push(byte);
        if self.pending.len() == BLOCK {
            let words = array::from_fn(|i| big_endian(&self.pending[4 * i..4 * i + 4]));
            self.state = compress(b, &self.state, words)?;
            self.pending.clear();
        }
        Ok(())
    }
}

/// The word of four bytes, most significant byte first.
fn big_endian<W: Copy>(bytes: &[Word<W, 8>]) -> Word32<W> {
    Word::new(array::from_fn(|i| bytes[3 - i / 8].bits()[i % 8]))
}

/// One compression, FIPS 180-4 section 6.2.2. Each ch, maj and carry is one AND.
fn compress<B: Backend<F = F2>>(
    b: &mut B,
    state: &[Word32<B::Wire>; 8],
    block: [Word32<B::Wire>; 16],
) -> Result<[Word32<B::Wire>; 8]> {
    // The last 16 words of the message schedule, W_t at index t mod 16.
    let mut schedule = block;
    let mut s = *state;
    for (t, &constant) in ROUND.iter().enumerate() {
        if t >= 16 {
            schedule[t % 16] = expand(b, &schedule, t)?;
        }
        let [a, b0, c, d, e, f, g, h] = s;
        let sigma1 = rotations(b, &e, [6, 11, 25]);
        let sigma0 = rotations(b, &a, [2, 13, 22]);
        let ch = choose(b, &e, &f, &g)?;
        let maj = majority(b, &a, &b0, &c)?;
        // A sum with a constant has fewer ANDs, and the first rounds have more constants the earlier these meet.
        let t1 = h.add(b, &Word::public(constant.into()))?;
        let t1 = t1.add(b, &sigma1)?.add(b, &ch)?.add(b, &schedule[t % 16])?;
        let t2 = sigma0.add(b, &maj)?;
        s = [t1.add(b, &t2)?, a, b0, c, d.add(b, &t1)?, e, f, g];
    }
    let mut sum = *state;
    for (sum, word) in sum.iter_mut().zip(&s) {
        *sum = sum.add(b, word)?;
    }
    Ok(sum)
}

/// `W_t` from the 16 words before it.
fn expand<B: Backend<F = F2>>(
    b: &mut B,
    schedule: &[Word32<B::Wire>; 16],
    t: usize,
) -> Result<Word32<B::Wire>> {
    let before = |by: usize| &schedule[(t - by) % 16];
    let (early, late) = (before(15), before(2));
    let sigma0 = early.rotate_right(7).xor(b, &early.rotate_right(18)).xor(b, &early.shift_right(3));
    let sigma1 = late.rotate_right(17).xor(b, &late.rotate_right(19)).xor(b, &late.shift_right(10));
    sigma1.add(b, before(7))?.add(b, &sigma0)?.add(b, before(16))
}

/// The xor of three rotations of `word`.
fn rotations<B: Backend<F = F2>>(b: &mut B, word: &Word32<B::Wire>, by: [usize; 3]) -> Word32<B::Wire> {
    let [x, y, z] = by.map(|by| word.rotate_right(by));
    x.xor(b, &y).xor(b, &z)
}

fn choose<B: Backend<F = F2>>(
    b: &mut B,
    bits: &Word32<B::Wire>,
    yes: &Word32<B::Wire>,
    no: &Word32<B::Wire>,
) -> Result<Word32<B::Wire>> {
    let mut out = *bits.bits();
    for (i, bit) in out.iter_mut().enumerate() {
        *bit = bit.select(b, yes.bits()[i], no.bits()[i])?;
    }
    Ok(Word::new(out))
}

fn majority<B: Backend<F = F2>>(
    b: &mut B,
    x: &Word32<B::Wire>,
    y: &Word32<B::Wire>,
    z: &Word32<B::Wire>,
) -> Result<Word32<B::Wire>> {
    let mut out = *x.bits();
    for (i, bit) in out.iter_mut().enumerate() {
        *bit = Bit::majority(b, *bit, y.bits()[i], z.bits()[i])?;
    }
    Ok(Word::new(out))
}

#[cfg(test)]
mod tests {
    use super::super::bits_of;
    use super::*;
    use crate::circuit::{Circuit, Clear, Count};
    use sha2::Digest;

    struct Preimage {
        length: usize,
        digest: [u8; 32],
    }

    impl<B: Backend<F = F2>> Circuit<B> for Preimage {
        fn run(&self, b: &mut B) -> Result<()> {
            let message = Bytes::witness(b, self.length)?;
            let digest = sha256(b, &message)?;
            digest.assert_equal(b, &self.digest, "digest")
        }
    }

    fn check(message: &[u8], digest: [u8; 32]) -> Result<()> {
        let mut clear = Clear::new(bits_of(message));
        Preimage { length: message.len(), digest }.run(&mut clear)?;
        clear.finish()
    }

    fn digest_of(hex: &str) -> [u8; 32] {
        array::from_fn(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap())
    }

    /// The examples that NIST publishes with FIPS 180-4.
    #[test]
    fn published_vectors() {
        let vectors = [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
            ),
        ];
        for (message, digest) in vectors {
            check(message.as_bytes(), digest_of(digest)).unwrap();
        }
    }

    #[test]
    fn all_paddings_agree_with_an_outside_implementation() {
        for length in [1, 54, 55, 56, 57, 63, 64, 65, 119, 120, 128, 200] {
            let message: Vec<u8> = (0..length).map(|i| (i * 37 + 11) as u8).collect();
            let mut digest: [u8; 32] = sha2::Sha256::digest(&message).into();
            check(&message, digest).unwrap();
            digest[29] ^= 2;
            let refused = check(&message, digest).unwrap_err().to_string();
            assert!(refused.contains(" digest[17] does not hold"), "{refused}");
        }
    }

    /// One compression from a constant or a secret chaining value.
    struct Compression {
        from_initial: bool,
    }

    impl<B: Backend<F = F2>> Circuit<B> for Compression {
        fn run(&self, b: &mut B) -> Result<()> {
            let mut state = INITIAL.map(|word| Word::public(word.into()));
            if !self.from_initial {
                for word in &mut state {
                    *word = Word::witness(b)?;
                }
            }
            let mut block = [Word::public(0); 16];
            for word in &mut block {
                *word = Word::witness(b)?;
            }
            compress(b, &state, block).map(drop)
        }
    }

    #[test]
    fn ands_of_a_circuit_are_pinned() {
        let compression = |from_initial| Count::<F2>::shape(&Compression { from_initial }).unwrap();
        assert_eq!((compression(true).mul, compression(true).add), (22_204, 93_974));
        assert_eq!((compression(false).mul, compression(false).add), (22_573, 95_557));
        let ands = |length| Count::<F2>::shape(&Preimage { length, digest: [0; 32] }).unwrap().mul;
        assert_eq!([0, 32, 55, 64, 128].map(ands), [0, 21_302, 21_993, 39_634, 62_245]);
    }
}
