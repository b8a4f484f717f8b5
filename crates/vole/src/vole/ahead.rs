//! Shares that are drawn before they are needed, so that what needs no witness is done before there is one.

use super::{BoxedVole, Early, Rows, Share, Shares, Vole};
use core::mem;
use std::collections::VecDeque;
use volery_channel::channel::Channel;
use volery_channel::error::Result;
use volery_channel::pool::{Pool, Task};

/// A stream whose first blocks are drawn already. It is for one statement.
pub struct Ahead<S: Share> {
    blocks: VecDeque<Shares<S>>,
    vole: BoxedVole<S>,
}

impl<S: Share> Ahead<S> {
    /// Draws `shares` shares of `vole`, or up to a block more.
    ///
    /// # Errors
    /// Those of [`Vole::block`].
    ///
    /// # Panics
    /// Where the peer's messages are received later than `vole` sends its own.
    pub fn new(mut vole: BoxedVole<S>, channel: &mut Channel, shares: u64) -> Result<Self> {
        assert_eq!(vole.lag(), 0);
        let (mut blocks, mut drawn) = (VecDeque::new(), 0);
        while drawn < shares {
            let mut block = Shares::default();
            vole.block(channel, &mut block)?;
            drawn += block.len() as u64;
            blocks.push_back(block);
        }
        channel.flush()?;
        Ok(Self { blocks, vole })
    }
}

impl<S: Share + 'static> Vole for Ahead<S> {
    type Share = S;

    fn share_work(&mut self, pool: &Pool) {
        self.vole.share_work(pool);
    }
    fn block(&mut self, channel: &mut Channel, block: &mut Shares<S>) -> Result<()> {
        match self.blocks.pop_front() {
            Some(next) => *block = next,
            None => self.vole.block(channel, block)?,
        }
        Ok(())
    }
    fn begin_block(&mut self, channel: &mut Channel, spare: Rows<S>) -> Result<(usize, Task<Rows<S>>)> {
        match self.blocks.pop_front() {
            Some(mut next) => Ok((next.len(), Pool::ALONE.run(move || mem::take(next.rows_mut())))),
            None => self.vole.begin_block(channel, spare),
        }
    }
    fn early(&mut self) -> Option<&mut dyn Early<S>> {
        if self.blocks.is_empty() { self.vole.early() } else { None }
    }
    fn ahead(&self) -> usize {
        self.vole.ahead()
    }
    fn check(self: Box<Self>, channel: &mut Channel) -> Result<BoxedVole<S>> {
        self.vole.check(channel)
    }
}
