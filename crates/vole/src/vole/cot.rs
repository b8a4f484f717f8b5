//! Shares of bits straight from correlated transfers: the receiver's row t is the MAC of its bit u, the
//! sender's row q the key, since q = t ⊕ u·Δ.

use super::{BoxedVole, Delta, Key, Mac, Rows, Shares, Vole};
use crate::ot::softspoken::{Depth, Receiver, Sender};
use volery_channel::channel::Channel;
use volery_channel::error::Result;
use volery_channel::pool::{Pool, Task};
use volery_channel::random::Random;
use volery_primitives::Arch;

/// The prover's end over SoftSpoken.
pub struct Prover {
    receiver: Receiver,
}

impl Prover {
    /// Sets up with trees of `depth`.
    ///
    /// # Errors
    /// `Misbehaved`, or those of the link.
    pub fn new(channel: &mut Channel, arch: Arch, depth: Depth, random: &mut Random) -> Result<Self> {
        Ok(Self { receiver: Receiver::new(channel, arch, depth, random)? })
    }
}

impl Vole for Prover {
    type Share = Mac;

    fn share_work(&mut self, pool: &Pool) {
        self.receiver.share_work(pool);
    }
    fn expect(&mut self, shares: u64, masks: u64) {
        self.receiver.expect(shares.saturating_add(masks));
    }
    fn block(&mut self, channel: &mut Channel, block: &mut Shares<Mac>) -> Result<()> {
        self.receiver.extend(channel, block.rows_mut())
    }
    fn begin_block(&mut self, channel: &mut Channel, spare: Rows<Mac>) -> Result<(usize, Task<Rows<Mac>>)> {
        self.receiver.begin(channel, spare)
    }
    fn check(mut self: Box<Self>, channel: &mut Channel) -> Result<BoxedVole<Mac>> {
        self.receiver.check(channel)?;
        Ok(self)
    }
}

/// The verifier's end over SoftSpoken.
pub struct Verifier {
    sender: Sender,
}

impl Verifier {
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
        Ok(Self { sender: Sender::new(channel, arch, depth, delta.value(), random)? })
    }
}

impl Vole for Verifier {
    type Share = Key;

    fn share_work(&mut self, pool: &Pool) {
        self.sender.share_work(pool);
    }
    fn expect(&mut self, shares: u64, masks: u64) {
        self.sender.expect(shares.saturating_add(masks));
    }
    fn block(&mut self, channel: &mut Channel, block: &mut Shares<Key>) -> Result<()> {
        self.sender.extend(channel, block.rows_mut())
    }
    fn begin_block(&mut self, channel: &mut Channel, spare: Rows<Key>) -> Result<(usize, Task<Rows<Key>>)> {
        self.sender.begin(channel, spare)
    }
    fn check(self: Box<Self>, channel: &mut Channel) -> Result<BoxedVole<Key>> {
        Ok(Box::new(Self { sender: self.sender.check(channel)? }))
    }
}
