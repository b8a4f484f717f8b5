//! Keccak-f[1600] and the hash functions built on it (FIPS 202).

mod gates;
mod holes;
#[cfg(test)]
mod tests;

use super::hash::Hash;
use super::{Bytes, Gates, Holes, Word};
use core::array;
use core::marker::PhantomData;
use volery_channel::error::Result;
use volery_circuit::{Backend, Polynomials, Wires};
use volery_primitives::F2;

type Lane<W> = Word<W, 64>;

/// Bits of a lane.
const LANE: usize = 64;

const ROUNDS: usize = 24;

/// Bytes of the state.
const WIDTH: usize = 200;

/// Lanes of a plane, and planes of the state.
const SIDE: usize = 5;

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

/// The moves of ρ and π, FIPS 202 sections 3.2.2 and 3.2.3: for each lane, the lane that comes there, and the
/// bits by which it is turned. The lane at (x, y) goes to (y, 2x + 3y).
const MOVES: [(usize, usize); SIDE * SIDE] = {
    let mut moves = [(0, 0); SIDE * SIDE];
    let (mut x, mut y) = (1, 0);
    let mut t = 0;
    while t < SIDE * SIDE - 1 {
        let from = x + SIDE * y;
        (x, y) = (y, (2 * x + 3 * y) % SIDE);
        moves[x + SIDE * y] = (from, (t + 1) * (t + 2) / 2 % LANE);
        t += 1;
    }
    moves
};

/// A way to compute Keccak-f\[1600\], FIPS 202 section 3.3: by [`Gates`], or with [`Holes`].
pub trait Permutation<B: Backend<F = F2>> {
    /// Permutes `state`, whose lane (x, y) is at x + 5y. Gives so many `planes` of the result, the lanes of
    /// one y each, or all of them.
    ///
    /// # Errors
    /// Those of the backend.
    fn permute(b: &mut B, state: &[Word<B::Wire, 64>; 25], planes: usize) -> Result<Vec<Word<B::Wire, 64>>>;
}

/// A sponge: a state that absorbs strings of bytes, and from which bytes are squeezed. `P` says how to
/// permute it.
pub struct Sponge<W, P = Gates> {
    /// Lane (x, y) at x + 5y.
    state: [Lane<W>; SIDE * SIDE],
    /// Bytes of the state that input is added to, and that output is taken from.
    rate: usize,
    /// Bits that follow the input, and the first of the padding.
    suffix: u8,
    /// Bytes of the state that are used up.
    used: usize,
    permutation: PhantomData<P>,
}

impl<W: Copy, P> Clone for Sponge<W, P> {
    fn clone(&self) -> Self {
        Self { permutation: PhantomData, ..*self }
    }
}

impl<W: Copy, P> Wires<W> for Sponge<W, P> {
    fn each(&self, take: &mut dyn FnMut(W)) {
        self.state.each(take);
    }
}

impl<W: Copy> Sponge<W> {
    /// An empty one, whose `capacity` bytes of the state input and output leave alone. `suffix` is what
    /// follows the input, from its lowest bit, up to the first bit of the padding: 0x06 in SHA-3, 0x1f in
    /// SHAKE, 0x01 in the Keccak that came before.
    ///
    /// # Panics
    /// Where the capacity is not below 200.
    pub fn new(capacity: usize, suffix: u8) -> Self {
        Self::empty(capacity, suffix)
    }

    /// SHAKE128.
    pub fn shake128() -> Self {
        Self::new(32, 0x1f)
    }

    /// SHAKE256.
    pub fn shake256() -> Self {
        Self::new(64, 0x1f)
    }

    /// A sponge that goes on with holes.
    pub fn with_holes(self) -> Sponge<W, Holes> {
        let Self { state, rate, suffix, used, .. } = self;
        Sponge { state, rate, suffix, used, permutation: PhantomData }
    }
}

impl<W: Copy, P> Sponge<W, P> {
    fn empty(capacity: usize, suffix: u8) -> Self {
        assert!(capacity < WIDTH, "a capacity of {capacity} bytes");
        let state = [Word::public(0); SIDE * SIDE];
        Self { state, rate: WIDTH - capacity, suffix, used: 0, permutation: PhantomData }
    }

    /// Appends `piece` to the input: 38,400 ANDs or fewer, or with holes 8,000 committed bits, each time that
    /// it fills the rate.
    ///
    /// # Errors
    /// Those of the backend.
    pub fn absorb<B: Backend<F = F2, Wire = W>>(&mut self, b: &mut B, piece: &Bytes<W>) -> Result<()>
    where
        P: Permutation<B>,
    {
        for byte in piece.iter() {
            self.add(b, self.used, byte);
            self.used += 1;
            if self.used == self.rate {
                self.permute(b)?;
                self.used = 0;
            }
        }
        Ok(())
    }

    /// Ends the input, and gives `length` bytes: 38,400 ANDs or fewer for each of the rate's, full or not;
    /// with holes 8,000 committed bits, but the last time 6,400 and 320 for each 40 bytes, full or not.
    ///
    /// # Errors
    /// Those of the backend.
    pub fn squeeze<B: Backend<F = F2, Wire = W>>(mut self, b: &mut B, length: usize) -> Result<Bytes<W>>
    where
        P: Permutation<B>,
    {
        self.add(b, self.used, &Word::public(self.suffix.into()));
        self.add(b, self.rate - 1, &Word::public(0x80));
        let mut bytes = Vec::with_capacity(length);
        while bytes.len() < length {
            let taken = self.rate.min(length - bytes.len());
            let lanes = if bytes.len() + taken < length {
                self.permute(b)?;
                self.state.to_vec()
            } else {
                P::permute(b, &self.state, taken.div_ceil(SIDE * LANE / 8))?
            };
            bytes.extend((0..taken).map(|at| {
                let bits = lanes[at / 8].bits();
                Word::new(array::from_fn(|i| bits[at % 8 * 8 + i]))
            }));
        }
        Ok(bytes.into_iter().collect())
    }

    fn permute<B: Backend<F = F2, Wire = W>>(&mut self, b: &mut B) -> Result<()>
    where
        P: Permutation<B>,
    {
        let lanes = P::permute(b, &self.state, SIDE)?;
        self.state = *lanes.first_chunk().expect("all planes");
        Ok(())
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

/// A hash function whose digest has 32 bytes, with so much after the message: of a message that comes piece
/// by piece ([`Hash`]).
pub struct Keccak<W, P, const SUFFIX: u8>(Sponge<W, P>);

/// SHA3-256 of a message that comes piece by piece ([`Hash`]). `P` says how to permute the state.
pub type Sha3_256<W, P = Gates> = Keccak<W, P, 0x06>;

/// Keccak-256, from before FIPS 202 and as Ethereum uses it, of a message that comes piece by piece
/// ([`Hash`]). `P` says how to permute the state.
pub type Keccak256<W, P = Gates> = Keccak<W, P, 0x01>;

/// Bytes of the state that a digest of 32 leaves alone.
const CAPACITY: usize = 64;

impl<W: Copy, P, const SUFFIX: u8> Default for Keccak<W, P, SUFFIX> {
    fn default() -> Self {
        Self(Sponge::empty(CAPACITY, SUFFIX))
    }
}

impl<W: Copy, P, const SUFFIX: u8> Clone for Keccak<W, P, SUFFIX> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<W: Copy, P, const SUFFIX: u8> Wires<W> for Keccak<W, P, SUFFIX> {
    fn each(&self, take: &mut dyn FnMut(W)) {
        self.0.each(take);
    }
}

impl<B: Backend<F = F2>, P: Permutation<B>, const SUFFIX: u8> Hash<B> for Keccak<B::Wire, P, SUFFIX> {
    const BLOCK: usize = WIDTH - CAPACITY;
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
    Sha3_256::<_, Gates>::digest(b, message)
}

/// The SHA3-256 digest of `message`, 32 bytes, with holes: 6,720 committed bits for its last block, and 8,000
/// for each of 136 bytes before, in polynomials of degree 9.
///
/// # Errors
/// Those of [`Polynomials::product`].
pub fn sha3_256_with_holes<B: Polynomials<F = F2>>(
    b: &mut B,
    message: &Bytes<B::Wire>,
) -> Result<Bytes<B::Wire>> {
    Sha3_256::<_, Holes>::digest(b, message)
}
