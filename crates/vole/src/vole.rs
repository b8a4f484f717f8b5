//! Vector oblivious linear evaluation: the prover's values under the verifier's key.
//!
//! For a value x of the prover, with MAC m, and the verifier's key k and global key Δ,
//!
//! > **k = m + x·Δ**
//!
//! and this sign is the only one in the library (in the literature it flips with the author). Sums of shares
//! are shares of sums. The verifier is the *sender* of the transfers underneath, since it holds Δ; the prover
//! is their *receiver*.
//!
//! Over F_2 with MACs of 128 bits, bit 0 of Δ is one and bit 0 of every key is zero, so that the MAC's bit 0 is
//! the value itself: a share is one word on both sides, and adding shares is one xor. [`subfield`] has shares of
//! any other field, and of F_2 with MACs of 64 bits.

mod ahead;
pub mod cot;
pub mod device;
pub mod extend;
mod half_tree;
#[doc(hidden)]
pub mod ideal;
pub mod lpn;
pub mod sample;
mod single_point;
pub mod subfield;
pub mod vope;

pub use ahead::Ahead;

use core::ops::Add;
use device::{Expander, Tile};
use std::sync::Arc;
use volery_channel::channel::Channel;
use volery_channel::error::Result;
use volery_channel::pool::{Pool, Task};
use volery_channel::random::Random;
use volery_primitives::secret::verdict;
use volery_primitives::{Extension, F2, F128, Field};
use zeroize::{DefaultIsZeroes, Zeroize, Zeroizing};

/// The prover's share of a bit: its MAC, with the bit itself in bit 0.
#[derive(Clone, Copy, Default)]
#[repr(transparent)]
pub struct Mac(pub(crate) F128);

impl DefaultIsZeroes for Mac {}

/// The verifier's share of a bit.
#[derive(Clone, Copy, Default)]
#[repr(transparent)]
pub struct Key(pub(crate) F128);

impl DefaultIsZeroes for Key {}

/// The verifier's global key: bit 0 is one. Wiped on drop.
pub struct Delta(Zeroizing<F128>);

impl Delta {
    /// A fresh key.
    pub fn random(random: &mut Random) -> Self {
        Self(Zeroizing::new(F128(random.word().0 | 1)))
    }

    /// The 16 bytes that store the key.
    // For systems and stores of set-ups in other crates.
    #[doc(hidden)]
    pub fn to_bytes(&self) -> Zeroizing<[u8; 16]> {
        Zeroizing::new(self.0.to_bytes())
    }

    /// The key that these bytes store, if they store any.
    // For systems and stores of set-ups in other crates.
    #[doc(hidden)]
    pub fn from_bytes(bytes: &[u8; 16]) -> Option<Self> {
        let value = Zeroizing::new(F128::from_bytes(*bytes));
        verdict(value.bit0() == F2::ONE).then_some(Self(value))
    }

    /// The field element.
    #[inline(always)]
    pub(crate) fn value(&self) -> F128 {
        *self.0
    }

    /// Whether `keys` belong to `macs`, share by share: k = m + x·Δ. For benches and tests, which hold both
    /// ends.
    pub fn relates(&self, macs: &Shares<Mac>, keys: &Shares<Key>) -> bool {
        let mut pairs = macs.rows(0).iter().zip(keys.rows(0));
        macs.len() == keys.len() && pairs.all(|(mac, key)| *key == *mac ^ self.0.scale(mac.bit0()))
    }
}

/// A party's share of one value.
pub trait Share {
    /// The form of a share in long vectors; sums of rows are rows of sums.
    type Row: DefaultIsZeroes + Add<Output = Self::Row> + Send + Sync + 'static;
}

impl Share for Mac {
    type Row = F128;
}

impl Share for Key {
    type Row = F128;
}

/// The rows of shares in bulk. Wiped on drop.
pub type Rows<S> = Zeroizing<Vec<<S as Share>::Row>>;

/// Shares in bulk. Wiped on drop.
pub struct Shares<S: Share> {
    rows: Rows<S>,
}

impl<S: Share> Default for Shares<S> {
    fn default() -> Self {
        Self { rows: Zeroizing::default() }
    }
}

impl<S: Share> Shares<S> {
    /// The number of shares.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no shares.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Adds `block`'s shares in turn to these [`LEAST_BLOCK`] ones: sums of shares are shares. An empty
    /// `self` stands for zeroes.
    pub fn fold(&mut self, block: &Self) {
        self.rows.resize(LEAST_BLOCK, S::Row::default());
        for rows in block.rows.chunks(LEAST_BLOCK) {
            self.rows.iter_mut().zip(rows).for_each(|(sum, row)| *sum = *sum + *row);
        }
    }

    /// The rows from share `from` on.
    // For systems and stores of set-ups in other crates.
    #[doc(hidden)]
    pub fn rows(&self, from: usize) -> &[S::Row] {
        &self.rows[from..]
    }

    /// The row of share number `number`.
    ///
    /// # Panics
    /// Where there is none.
    // For systems and stores of set-ups in other crates.
    #[doc(hidden)]
    #[inline(always)]
    pub fn row(&self, number: usize) -> S::Row {
        self.rows[number]
    }

    /// All rows, one for each share.
    // For systems and stores of set-ups in other crates.
    #[doc(hidden)]
    pub fn rows_mut(&mut self) -> &mut Rows<S> {
        &mut self.rows
    }
}

impl<S: Share> Zeroize for Shares<S> {
    fn zeroize(&mut self) {
        self.rows.zeroize();
    }
}

/// The shares of the shortest block: as many as mask one check over F_{2^128}.
pub const LEAST_BLOCK: usize = 128;

/// A party's end of a stream of random shares. Both ends get blocks of the same lengths in the same order; a
/// share is used once.
pub trait Vole {
    /// [`Mac`] for the prover and [`Key`] for the verifier over F_2.
    type Share: Share;

    /// Hands out to `pool`, from here on, all work that can be shared.
    fn share_work(&mut self, _: &Pool) {}

    /// Replaces `block` by the next shares: an even number, [`LEAST_BLOCK`] or more, or as few as the
    /// statement still takes where the stream ends with it.
    ///
    /// # Errors
    /// `Misbehaved`, or those of the link.
    fn block(&mut self, channel: &mut Channel, block: &mut Shares<Self::Share>) -> Result<()>;

    /// Draws the next block as [`Vole::block`] does, but leaves to a task what takes no message. Gives its
    /// length, too. `spare` is memory that is of no use to the caller.
    ///
    /// # Errors
    /// As for [`Vole::block`].
    fn begin_block(
        &mut self,
        channel: &mut Channel,
        spare: Rows<Self::Share>,
    ) -> Result<(usize, Task<Rows<Self::Share>>)> {
        let mut block = Shares { rows: spare };
        self.block(channel, &mut block)?;
        Ok((block.len(), Pool::ALONE.run(move || block.rows)))
    }

    /// Says whether blocks can be [drawn](Vole::begin_tile) for this device, which takes what it is to hold from here on.
    fn expand_by(&mut self, _device: &Arc<dyn Expander>) -> bool {
        false
    }

    /// Draws the next block for the device, and gives its length and its tile.
    ///
    /// # Errors
    /// As for [`Vole::block`]; `Device`.
    ///
    /// # Panics
    /// Where blocks cannot be drawn so.
    fn begin_tile(&mut self, _: &mut Channel) -> Result<(usize, Tile)> {
        unreachable!("no device expands these shares")
    }

    /// The rows of the last tile that was drawn for the device, where these are asked for after all.
    ///
    /// # Panics
    /// Where none was.
    fn rows_of_tile(&mut self) -> Rows<Self::Share> {
        unreachable!("no device expands these shares")
    }

    /// Gives this end, if it can draw blocks ahead of their messages: where these need none of the peer's.
    fn early(&mut self) -> Option<&mut dyn Early<Self::Share>> {
        None
    }

    /// The shares that are best drawn ahead of their use, so that further threads have work. Both ends say the
    /// same. They are few where what was drawn leaves the caches before it is used.
    fn ahead(&self) -> usize {
        1 << 16
    }

    /// Announces that both parties expect to draw no more than `shares` shares, and then `masks` for masks.
    /// Allowed before the first draw; more may be drawn.
    fn expect(&mut self, _shares: u64, _masks: u64) {}

    /// Declares that the last `count` shares of the last block are never used. A stream that ends with its
    /// statement gives as many others.
    fn skip(&mut self, _: usize) {}

    /// The number of blocks by which the peer's messages may be received late: those of its block n are
    /// received before block n + `lag` is drawn, by [`Vole::block`] itself where [`Vole::receive`] has not
    /// yet.
    fn lag(&self) -> usize {
        0
    }

    /// Receives the peer's messages for its first block that is still to be received. For callers whose peer
    /// sends other messages between its blocks, which must be received in order.
    ///
    /// # Errors
    /// `Misbehaved`, or those of the link.
    fn receive(&mut self, _: &mut Channel) -> Result<()> {
        Ok(())
    }

    /// Ends a statement: the prover's end proves, and the verifier's checks, that all shares so far were
    /// consistent. The next block is for the next statement.
    ///
    /// # Errors
    /// `Misbehaved` where they were not, and Δ must not be used again: the stream is gone. Link errors.
    fn check(self: Box<Self>, channel: &mut Channel) -> Result<BoxedVole<Self::Share>>;
}

/// An end of a stream that can draw blocks ahead of their messages. Nothing is drawn otherwise until these are sent.
pub trait Early<S: Share> {
    /// The shares that are best drawn so, for the threads that there are: none where there are no further ones.
    fn shares(&self) -> usize;

    /// Draws the next block, of one share at least, as [`Vole::begin_block`] does, but sends nothing.
    fn begin_block(&mut self, spare: Rows<S>) -> (usize, Task<Rows<S>>);

    /// Sends the messages of the first block that was drawn so, and for which nothing was sent yet.
    ///
    /// # Errors
    /// Those of the link.
    ///
    /// # Panics
    /// Where there is none.
    fn send(&mut self, channel: &mut Channel) -> Result<()>;
}

/// Any stream of shares `S`.
pub type BoxedVole<S> = Box<dyn Vole<Share = S>>;

/// Empties `memory`, and makes room for so many. Where that moves it, its old place is wiped.
fn empty<T: Zeroize>(memory: &mut Zeroizing<Vec<T>>, room: usize) {
    if memory.capacity() < room {
        *memory = Zeroizing::new(Vec::with_capacity(room));
    }
    memory.clear();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_shares_are_shares() {
        let mut random = Random::from_seed(&[1; 32]);
        let delta = Delta::random(&mut random);
        let (mut macs, mut keys) = (Shares::<Mac>::default(), Shares::<Key>::default());
        let (mut mac_sums, mut key_sums) = (Shares::default(), Shares::default());
        for _ in 0..3 {
            macs.rows_mut().resize(1000, F128::ZERO);
            keys.rows_mut().resize(1000, F128::ZERO);
            for (mac, key) in macs.rows_mut().iter_mut().zip(keys.rows_mut().iter_mut()) {
                *key = F128(random.word().0 & !1);
                *mac = *key ^ delta.value().scale(random.word().bit0());
            }
            mac_sums.fold(&macs);
            key_sums.fold(&keys);
        }
        assert_eq!(mac_sums.len(), LEAST_BLOCK);
        assert!(delta.relates(&mac_sums, &key_sums) && delta.relates(&macs, &keys));
        macs.rows_mut()[999] ^= F128(1 << 99);
        assert!(!delta.relates(&macs, &keys) && !delta.relates(&macs, &key_sums));
    }
}
