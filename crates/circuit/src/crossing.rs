//! Crossings: wires that come in from another part of the statement, and wires that go out to one.
//!
//! A statement that is proved in [shards](super::Sharded) hands wires on from one to the next. Only a proof
//! system whose wires are worth as much in another session has them; everybody else refuses.

use super::{Backend, Scans};
use std::sync::Arc;
use volery_channel::error::{Error, Result};
use zeroize::{DefaultIsZeroes, Zeroizing};

/// A backend of a shard, to which wires come in and from which wires go out.
pub trait Crossings: Backend {
    /// The next `count` wires that come in from earlier shards, in the order in which they were announced.
    ///
    /// # Errors
    /// `Invalid` where fewer are left, this is no shard, or this backend knows none.
    fn incoming(&mut self, count: usize) -> Result<Vec<Self::Wire>>;

    /// Sends `wires` out, to later shards.
    ///
    /// # Errors
    /// `Invalid` where more go out than were announced, this is no shard, or this backend knows none.
    fn outgoing(&mut self, wires: &[Self::Wire]) -> Result<()>;
}

/// Errors: a backend that looks at all words of a memory has no wires that mean anything elsewhere.
impl<B: Scans> Crossings for B {
    fn incoming(&mut self, _: usize) -> Result<Vec<B::Wire>> {
        Err(no_shard())
    }
    fn outgoing(&mut self, _: &[B::Wire]) -> Result<()> {
        Err(no_shard())
    }
}

/// The error of wires that cross where nothing does.
pub fn no_shard() -> Error {
    Error::invalid(
        "wires cross from another statement here, or to another, and this is no proof of a shard, nor of a statement \
         behind another: prove it by quicksilver, shard by shard or in one session, or as a whole",
    )
}

/// One party's wires that cross, as several statements may take them. Wiped where nobody has them any more.
pub type Carried<W> = Arc<Zeroizing<Vec<W>>>;

/// One party's wires that come in, and those that go out. Wiped on drop.
pub struct Crossing<W: DefaultIsZeroes> {
    incoming: Carried<W>,
    taken: usize,
    outgoing: Zeroizing<Vec<W>>,
    /// The number of wires that go out.
    announced: usize,
}

impl<W: DefaultIsZeroes> Crossing<W> {
    /// A crossing where `incoming` wires come in, and `announced` will go out.
    pub fn new(incoming: Carried<W>, announced: usize) -> Self {
        // Of its full length from the beginning: what grows leaves copies behind.
        let outgoing = Zeroizing::new(Vec::with_capacity(announced));
        Self { incoming, taken: 0, outgoing, announced }
    }

    /// Takes the next wires that come in.
    ///
    /// # Errors
    /// `Invalid` where there are fewer.
    pub fn incoming(&mut self, count: usize) -> Result<Vec<W>> {
        let left = &self.incoming[self.taken..];
        let Some(wires) = left.get(..count) else {
            return Err(Error::invalid(format!(
                "the shard takes {count} more wires that come in, and {} of those announced are left: announce \
                 as many as it takes",
                left.len()
            )));
        };
        self.taken += count;
        Ok(wires.to_vec())
    }

    /// Notes the next wires that go out.
    ///
    /// # Errors
    /// `Invalid` where they are more than were announced.
    pub fn outgoing(&mut self, wires: &[W]) -> Result<()> {
        if wires.len() > self.announced - self.outgoing.len() {
            return Err(other_than_announced(self.outgoing.len() + wires.len(), self.announced));
        }
        self.outgoing.extend_from_slice(wires);
        Ok(())
    }

    /// Demands that a shard which ends here has taken all that come in, and has given all that go out.
    ///
    /// # Errors
    /// `Invalid` where it has not.
    pub fn check_end(&self) -> Result<()> {
        if self.taken < self.incoming.len() {
            return Err(Error::invalid(format!(
                "the shard takes {} of the {} wires that come in: it must take all that were announced",
                self.taken,
                self.incoming.len()
            )));
        }
        if self.outgoing.len() < self.announced {
            return Err(other_than_announced(self.outgoing.len(), self.announced));
        }
        Ok(())
    }

    /// Gives all wires that go out, at the end of the shard.
    ///
    /// # Errors
    /// As for [`Crossing::check_end`].
    pub fn finish(mut self) -> Result<Carried<W>> {
        self.check_end()?;
        Ok(core::mem::take(&mut self.outgoing).into())
    }
}

fn other_than_announced(found: usize, announced: usize) -> Error {
    Error::invalid(format!("the shard gives {found} wires, and {announced} were announced: announce as many"))
}
