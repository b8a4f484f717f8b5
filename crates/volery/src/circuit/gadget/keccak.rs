//! Keccak-f[1600] and the hash functions built on it (FIPS 202).

use super::hash::Hash;
use super::{Bytes, Word};
use crate::circuit::Backend;
use crate::error::Result;
use core::array;
use volery_primitives::F2;

type Lane<W> = Word<W, 64>;

const ROUNDS: usize = 24;

/// Bytes of the state.
const WIDTH: usize = 200;

/// The constants of ι, FIPS 202 section 3.2.5: bit 2^j - 1 of round i is the one that a shift
/// register shows at 7i + j.
const IOTA: [u64; ROUNDS] = {
    let mut constants = [0; ROUNDS];
    let mut register: u8 = 1;
    let mut at = 0;
    while at < 7 * ROUNDS {
        constants[at / 7] |= ((register & 1) as u64) << ((1 << (at % 7)) - 1);
        register = (register << 1) ^ ((register >> 7) * 0x71);
        at += 1;
    }
    constants
};

/// A sponge: a state that takes up strings of bytes, and then gives as many bytes as are asked for.
#[derive(Clone)]
pub struct Sponge<W> {
    /// Lane (x, y) at x + 5y.
    state: [Lane<W>; 25],
    /// Bytes of the state that input is added to, and that output is taken from.
    rate: usize,
    /// Bits that follow the input, and the first of the padding.
    suffix: u8,
    /// Bytes of the state that are used up.
    used: usize,
}

impl<W: Copy> Sponge<W> {
    /// An empty one, whose `capacity` bytes of the state input and output leave alone. `suffix` is what
    /// follows the input, from its lowest bit, up to the first bit of the padding: 0x06 in SHA-3, 0x1f in
    /// SHAKE, 0x01 in the Keccak that came before.
    ///
    /// # Panics
    /// Where the capacity is not below 200.
    pub fn new(capacity: usize, suffix: u8) -> Self {
        assert!(capacity < WIDTH, "a capacity of {capacity} bytes");
        Self { state: [Word::public(0); 25], rate: WIDTH - capacity, suffix, used: 0 }
    }

    /// SHAKE128.
    pub fn shake128() -> Self {
        Self::new(32, 0x1f)
    }

    /// SHAKE256.
    pub fn shake256() -> Self {
        Self::new(64, 0x1f)
    }

    /// Appends `piece` to the input: 38,400 ANDs or fewer each time that it fills the rate.
    ///
    /// # Errors
    /// Those of [`Backend::mul`].
    pub fn absorb<B: Backend<F = F2, Wire = W>>(&mut self, b: &mut B, piece: &Bytes<W>) -> Result<()> {
        for byte in piece.iter() {
            self.add(b, self.used, byte);
            self.used += 1;
            if self.used == self.rate {
                permute(b, &mut self.state)?;
                self.used = 0;
            }
        }
        Ok(())
    }

    /// Ends the input, and gives `length` bytes: 38,400 ANDs or fewer for each of the rate's, full or not.
    ///
    /// # Errors
    /// Those of [`Backend::mul`].
    pub fn squeeze<B: Backend<F = F2, Wire = W>>(mut self, b: &mut B, length: usize) -> Result<Bytes<W>> {
        self.add(b, self.used, &Word::public(self.suffix.into()));
        self.add(b, self.rate - 1, &Word::public(0x80));
        let mut bytes = Vec::with_capacity(length);
        while bytes.len() < length {
            permute(b, &mut self.state)?;
            let taken = self.rate.min(length - bytes.len());
            bytes.extend((0..taken).map(|at| {
                let bits = self.state[at / 8].bits();
                Word::new(array::from_fn(|i| bits[at % 8 * 8 + i]))
            }));
        }
        Ok(bytes.into_iter().collect())
    }

    /// Adds `byte` to that of the state at `at`.
    fn add<B: Backend<F = F2, Wire = W>>(&mut self, b: &mut B, at: usize, byte: &Word<W, 8>) {
        let lane = &mut self.state[at / 8];
        let mut bits = *lane.bits();
        for (bit, other) in bits[at % 8 * 8..].iter_mut().zip(byte.bits()) {
            *bit = bit.xor(b, *other);
        }
        *lane = Word::new(bits);
    }
}

/// SHA3-256 of a message that comes piece by piece ([`Hash`]).
#[derive(Clone)]
pub struct Sha3_256<W>(Sponge<W>);

impl<W: Copy> Default for Sha3_256<W> {
    fn default() -> Self {
        Self(Sponge::new(64, 0x06))
    }
}

impl<B: Backend<F = F2>> Hash<B> for Sha3_256<B::Wire> {
    const BLOCK: usize = WIDTH - 64;
    const DIGEST: usize = 32;

    fn update(&mut self, b: &mut B, piece: &Bytes<B::Wire>) -> Result<()> {
        self.0.absorb(b, piece)
    }

    fn finish(self, b: &mut B) -> Result<Bytes<B::Wire>> {
        self.0.squeeze(b, 32)
    }
}

/// The SHA3-256 digest of `message`, 32 bytes: 38,400 ANDs or fewer for each block of 136 bytes.
///
/// # Errors
/// Those of [`Backend::mul`].
pub fn sha3_256<B: Backend<F = F2>>(b: &mut B, message: &Bytes<B::Wire>) -> Result<Bytes<B::Wire>> {
    Sha3_256::digest(b, message)
}

/// Keccak-f[1600], FIPS 202 section 3.3: an AND for each bit and round.
fn permute<B: Backend<F = F2>>(b: &mut B, state: &mut [Lane<B::Wire>; 25]) -> Result<()> {
    *state = b.scope(|b| {
        let mut state = *state;
        for constant in IOTA {
            state = b.scope(|b| {
                round(b, &mut state)?;
                // ι
                state[0] = state[0].xor(b, &Word::public(constant.into()));
                Ok(state)
            })?;
        }
        Ok(state)
    })?;
    Ok(())
}

/// A round of Keccak-f[1600] but for its constant.
fn round<B: Backend<F = F2>>(b: &mut B, state: &mut [Lane<B::Wire>; 25]) -> Result<()> {
    // θ
    let columns: [Lane<B::Wire>; 5] =
        array::from_fn(|x| (1..5).fold(state[x], |sum, y| sum.xor(b, &state[x + 5 * y])));
    let sums: [Lane<B::Wire>; 5] =
        array::from_fn(|x| columns[(x + 4) % 5].xor(b, &columns[(x + 1) % 5].rotate_left(1)));
    for (i, lane) in state.iter_mut().enumerate() {
        *lane = lane.xor(b, &sums[i % 5]);
    }
    // ρ and π: what is at (x, y) turns, and goes to (y, 2x + 3y).
    let mut moved = *state;
    let (mut x, mut y) = (1, 0);
    for t in 0..24 {
        let turned = state[x + 5 * y].rotate_left((t + 1) * (t + 2) / 2);
        (x, y) = (y, (2 * x + 3 * y) % 5);
        moved[x + 5 * y] = turned;
    }
    // χ
    for (i, lane) in state.iter_mut().enumerate() {
        let row = i - i % 5;
        let next = moved[row + (i + 1) % 5].not(b);
        let both = next.and(b, &moved[row + (i + 2) % 5])?;
        *lane = moved[i].xor(b, &both);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuit::gadget::bits_of;
    use crate::circuit::stream::Streamed;
    use crate::circuit::{Circuit, Clear, Shape};
    use sha3::Digest;
    use sha3::digest::{ExtendableOutput, Update, XofReader};

    struct Preimage {
        length: usize,
        digest: [u8; 32],
    }

    impl<B: Backend<F = F2>> Circuit<B> for Preimage {
        fn run(&self, b: &mut B) -> Result<()> {
            let message = Bytes::witness(b, self.length)?;
            sha3_256(b, &message)?.assert_equal(b, &self.digest, "digest")
        }
    }

    #[test]
    fn all_paddings_agree_with_an_outside_implementation() {
        for length in [0, 1, 7, 8, 134, 135, 136, 137, 271, 272, 300] {
            let message: Vec<u8> = (0..length).map(|i| (i * 37 + 11) as u8).collect();
            let mut digest: [u8; 32] = sha3::Sha3_256::digest(&message).into();
            let mut clear = Clear::new(bits_of(&message));
            Streamed(&Preimage { length, digest }).run(&mut clear).unwrap();
            clear.finish().unwrap();
            digest[0] ^= 1;
            assert!(Streamed(&Preimage { length, digest }).run(&mut Clear::new(bits_of(&message))).is_err());
        }
    }

    /// SHA3-256 of "abc", of the examples that NIST publishes with FIPS 202.
    #[test]
    fn published_vector() {
        let digest = [0x3a98_5da7_4fe2_25b2_045c_172d_6bd3_90bd, 0x855f_086e_3e9d_525b_46bf_e245_1143_1532];
        let digest: Vec<u8> = digest.into_iter().flat_map(u128::to_be_bytes).collect();
        let mut clear = Clear::<F2>::new(core::iter::empty());
        let result = sha3_256(&mut clear, &Bytes::public(b"abc")).unwrap();
        result.assert_equal(&mut clear, &digest, "digest").unwrap();
    }

    #[test]
    fn sponges_agree_with_an_outside_implementation() {
        let message = [5; 50];
        let mut expected = [[0; 400]; 2];
        let mut outside = sha3::Shake128::default();
        outside.update(&message);
        outside.finalize_xof().read(&mut expected[0]);
        let mut outside = sha3::Shake256::default();
        outside.update(&message);
        outside.finalize_xof().read(&mut expected[1]);
        for (mut sponge, expected) in [Sponge::shake128(), Sponge::shake256()].into_iter().zip(expected) {
            let mut clear = Clear::new(bits_of(&message));
            let b = &mut clear;
            for _ in 0..5 {
                let piece = Bytes::witness(b, 10).unwrap();
                sponge.absorb(b, &piece).unwrap();
            }
            sponge.squeeze(b, 400).unwrap().assert_equal(b, &expected, "output").unwrap();
        }
    }

    struct Permutation;

    impl<B: Backend<F = F2>> Circuit<B> for Permutation {
        fn run(&self, b: &mut B) -> Result<()> {
            let mut state = [Word::public(0); 25];
            for lane in &mut state {
                *lane = Word::witness(b)?;
            }
            permute(b, &mut state)
        }
    }

    #[test]
    fn ands_are_pinned() {
        assert_eq!(Shape::of::<F2>(&Permutation).unwrap().mul, 38_400);
        let ands = |length| Shape::of::<F2>(&Preimage { length, digest: [0; 32] }).unwrap().mul;
        assert_eq!([32, 135, 136].map(ands), [38_400, 38_400, 76_800]);
    }
}
