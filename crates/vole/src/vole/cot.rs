//! Shares of bits straight from correlated transfers: the receiver's row t is the MAC of its bit u, the
//! sender's row q the key, since q = t ⊕ u·Δ. Of rows of 64 bits the lowest is the bit alone, and no part of its MAC.

use super::{BoxedVole, Delta, Early, Key, Rows, Share, Shares, Vole, subfield};
use crate::ot::softspoken::{Depth, LONGEST, Receiver, Row, Sender};
use core::marker::PhantomData;
use volery_channel::channel::Channel;
use volery_channel::error::Result;
use volery_channel::pool::{Pool, Task};
use volery_channel::random::Random;
use volery_primitives::{Arch, F2, F64};

/// The blocks by which the prover may be behind with coins: the verifier sends nothing else.
const LAG: usize = 64;

/// The shares within which the prover waits for no coin.
pub const WINDOW: usize = LAG * LONGEST;

/// The prover's end over SoftSpoken.
pub struct Prover<S: Share<Row: Row>> {
    receiver: Receiver<S::Row>,
    share: PhantomData<fn() -> S>,
}

impl<S: Share<Row: Row>> Prover<S> {
    /// Sets up with trees of `depth`.
    ///
    /// # Errors
    /// `Misbehaved`, or those of the link.
    pub fn new(channel: &mut Channel, arch: Arch, depth: Depth, random: &mut Random) -> Result<Self> {
        Ok(Self { receiver: Receiver::new(channel, arch, depth, random)?, share: PhantomData })
    }
}

impl<S: Share<Row: Row> + 'static> Vole for Prover<S> {
    type Share = S;

    fn share_work(&mut self, pool: &Pool) {
        self.receiver.share_work(pool);
    }
    fn expect(&mut self, shares: u64, masks: u64) {
        // Where sections are parts of blocks, these go by what was drawn alone.
        if !S::Row::COINS {
            self.receiver.expect(shares.saturating_add(masks));
        }
    }
    fn block(&mut self, channel: &mut Channel, block: &mut Shares<S>) -> Result<()> {
        self.receiver.extend(channel, block.rows_mut())
    }
    fn begin_block(&mut self, channel: &mut Channel, spare: Rows<S>) -> Result<(usize, Task<Rows<S>>)> {
        self.receiver.begin(channel, spare)
    }
    fn early(&mut self) -> Option<&mut dyn Early<S>> {
        Some(self)
    }
    fn lag(&self) -> usize {
        if S::Row::COINS { LAG } else { 0 }
    }
    fn check(mut self: Box<Self>, channel: &mut Channel) -> Result<BoxedVole<S>> {
        self.receiver.check(channel)?;
        Ok(self)
    }
}

impl<S: Share<Row: Row>> Early<S> for Prover<S> {
    fn shares(&self) -> usize {
        self.receiver.early()
    }
    fn begin_block(&mut self, spare: Rows<S>) -> (usize, Task<Rows<S>>) {
        self.receiver.draw(spare)
    }
    fn send(&mut self, channel: &mut Channel) -> Result<()> {
        self.receiver.send(channel)
    }
}

/// The verifier's end over SoftSpoken.
pub struct Verifier<S: Share<Row: Row>> {
    sender: Sender<S::Row>,
    share: PhantomData<fn() -> S>,
}

impl<S: Share<Row: Row>> Verifier<S> {
    fn under(
        channel: &mut Channel,
        arch: Arch,
        depth: Depth,
        delta: S::Row,
        random: &mut Random,
    ) -> Result<Self> {
        Ok(Self { sender: Sender::new(channel, arch, depth, delta, random)?, share: PhantomData })
    }
}

impl Verifier<Key> {
    /// Sets up under `delta` with trees of `depth`.
    ///
    /// # Errors
    /// `Misbehaved`, or those of the link.
    pub fn new(
        channel: &mut Channel,
        arch: Arch,
        depth: Depth,
        delta: &Delta,
        random: &mut Random,
    ) -> Result<Self> {
        Self::under(channel, arch, depth, delta.value(), random)
    }
}

impl Verifier<subfield::Key<F64>> {
    /// Sets up under a `delta` of 64 bits with trees of `depth`.
    ///
    /// # Errors
    /// `Misbehaved`, or those of the link.
    pub fn short(
        channel: &mut Channel,
        arch: Arch,
        depth: Depth,
        delta: &subfield::Delta<F2, F64>,
        random: &mut Random,
    ) -> Result<Self> {
        Self::under(channel, arch, depth, delta.value(), random)
    }
}

impl<S: Share<Row: Row> + 'static> Vole for Verifier<S> {
    type Share = S;

    fn share_work(&mut self, pool: &Pool) {
        self.sender.share_work(pool);
    }
    fn expect(&mut self, shares: u64, masks: u64) {
        if !S::Row::COINS {
            self.sender.expect(shares.saturating_add(masks));
        }
    }
    fn block(&mut self, channel: &mut Channel, block: &mut Shares<S>) -> Result<()> {
        self.sender.extend(channel, block.rows_mut())
    }
    fn begin_block(&mut self, channel: &mut Channel, spare: Rows<S>) -> Result<(usize, Task<Rows<S>>)> {
        self.sender.begin(channel, spare)
    }
    fn check(self: Box<Self>, channel: &mut Channel) -> Result<BoxedVole<S>> {
        Ok(Box::new(Self { sender: self.sender.check(channel)?, share: PhantomData }))
    }
}
