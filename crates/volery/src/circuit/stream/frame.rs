//! Slots while gates are recorded: which are taken, and by which values.

use super::block::{Block, Op, number};
use core::cell::RefCell;
use std::rc::Rc;
use volery_primitives::Field;
use zeroize::DefaultIsZeroes;

/// Slots from here on are not given: their numbers have other meanings.
const LAST_SLOT: u32 = u32::MAX - 8;

/// So many wires of open scopes may have been forgotten before they are left out of the list of them.
const FORGOTTEN: usize = 4096;

/// A wire of the [`Recorder`](super::Recorder): a slot, and which of its values.
#[derive(Clone, Copy, Default)]
pub struct Handle {
    pub(super) slot: u32,
    pub(super) stamp: u32,
}

impl DefaultIsZeroes for Handle {}

impl Handle {
    /// The place of its value, which no other live wire has: for whoever counts who holds a wire, and
    /// [forgets](crate::circuit::Backend::forget) it when nobody does.
    pub fn slot(self) -> u32 {
        self.slot
    }
}

/// A vector of the [`Recorder`](super::Recorder).
#[derive(Clone)]
pub struct VectorHandle(pub(super) Rc<VectorSlot>);

pub(super) struct VectorSlot {
    pub(super) slot: u32,
    pub(super) lanes: usize,
    pub(super) degree: usize,
    /// Where the slot goes in the end; it is that of the frame.
    pub(super) left: Rc<RefCell<Vec<u32>>>,
}

impl Drop for VectorSlot {
    fn drop(&mut self) {
        self.left.borrow_mut().push(self.slot);
    }
}

/// What is recorded into one block: the statement, block after block, or one function.
pub(super) struct Frame<F> {
    pub(super) block: Block<F>,
    /// For each slot the stamp of its value.
    pub(super) stamps: Vec<u32>,
    pub(super) first_stamp: u32,
    /// Slots that are free, in the statement; a function's are planned in the end.
    pub(super) free: Vec<u32>,
    /// The wires that were made in open scopes, and where in this list those of each scope begin.
    pub(super) taken: Vec<Handle>,
    pub(super) scopes: Vec<usize>,
    /// The length of that list from which on it is looked through for wires that were forgotten.
    long: usize,
    /// For each slot the last scope behind which it was kept, and the number of those that have ended.
    kept: Vec<u32>,
    ended: u32,
    pub(super) free_vectors: Vec<u32>,
    pub(super) left_vectors: Rc<RefCell<Vec<u32>>>,
    /// The words that the functions take which the block calls.
    pub(super) called: usize,
    /// Whether the block, or a function that it calls, names memories or tables.
    pub(super) names_memories: bool,
}

impl<F: Field> Frame<F> {
    pub(super) fn new(first_stamp: u32) -> Self {
        Self {
            block: Block::default(),
            stamps: Vec::new(),
            first_stamp,
            free: Vec::new(),
            taken: Vec::new(),
            scopes: Vec::new(),
            long: FORGOTTEN,
            kept: Vec::new(),
            ended: 0,
            free_vectors: Vec::new(),
            left_vectors: Rc::default(),
            called: 0,
            names_memories: false,
        }
    }

    /// A slot for a new value.
    #[inline(always)]
    pub(super) fn take(&mut self) -> Handle {
        let slot = match self.free.pop() {
            Some(slot) => slot,
            None => {
                self.stamps.push(self.first_stamp);
                let slots = u32::try_from(self.stamps.len()).ok().filter(|slots| *slots < LAST_SLOT);
                slots.expect("fewer than 2^32 live wires: put scopes around what a loop does") - 1
            }
        };
        let wire = Handle { slot, stamp: self.stamps[slot as usize] };
        if !self.scopes.is_empty() {
            self.taken.push(wire);
        }
        wire
    }

    /// Slots for so many new values: those that are free, and then new ones.
    pub(super) fn take_many(&mut self, count: usize) -> Vec<Handle> {
        let mut wires = Vec::with_capacity(count);
        let rest = self.free.len().saturating_sub(count);
        for slot in self.free.drain(rest..).rev() {
            wires.push(Handle { slot, stamp: self.stamps[slot as usize] });
        }
        if !self.scopes.is_empty() {
            self.taken.extend_from_slice(&wires);
        }
        for _ in wires.len()..count {
            wires.push(self.take());
        }
        wires
    }

    /// The slot of `wire`.
    ///
    /// # Panics
    /// Where it has been given again.
    #[inline(always)]
    pub(super) fn slot(&self, wire: Handle) -> u32 {
        live(&self.stamps, wire)
    }

    pub(super) fn slots(&self, wires: &[Handle]) -> Vec<u32> {
        wires.iter().map(|wire| self.slot(*wire)).collect()
    }

    /// Adds a list of the slots of `wires` to the block, run by run.
    pub(super) fn list(&mut self, wires: &[Handle]) {
        self.list_all(&[wires]);
    }

    /// The same of several lists, one after the other.
    pub(super) fn list_all(&mut self, lists: &[&[Handle]]) {
        let words = &mut self.block.words;
        let count = words.len();
        words.push(0);
        for wires in lists {
            let mut rest = *wires;
            while let Some(first) = rest.first() {
                let first = live(&self.stamps, *first);
                let slots = first..;
                let stamps = &self.stamps[first as usize..];
                let next = |((wire, stamp), slot): &((&Handle, &u32), u32)| {
                    wire.slot == *slot && wire.stamp == **stamp
                };
                let length = rest.iter().zip(stamps).zip(slots).take_while(next).count();
                // One after the other, which is no call.
                words.push(first);
                words.push(number(length));
                rest = &rest[length..];
            }
        }
        words[count] = number((words.len() - count) / 2);
    }

    /// Ends the innermost scope, of whose wires `kept` live on.
    pub(super) fn end_scope(&mut self, kept: &[Handle]) {
        let begin = self.scopes.pop().expect("an open scope");
        self.kept.resize(self.stamps.len(), 0);
        self.ended = self.ended.wrapping_add(1);
        for wire in kept {
            self.kept[live(&self.stamps, *wire) as usize] = self.ended;
        }
        // In reverse, so that slots are taken again in order.
        for place in (begin..self.taken.len()).rev() {
            let wire = self.taken[place];
            if self.kept[wire.slot as usize] != self.ended {
                self.give(wire);
            }
        }
        // What lives on is of the scope around this one.
        let mut end = begin;
        if !self.scopes.is_empty() {
            for place in begin..self.taken.len() {
                let wire = self.taken[place];
                if self.kept[wire.slot as usize] == self.ended {
                    self.taken[end] = wire;
                    end += 1;
                }
            }
        }
        self.taken.truncate(end);
    }

    /// Gives the slot of `wire` again, if it is still that of this wire.
    pub(super) fn give(&mut self, wire: Handle) {
        let stamp = &mut self.stamps[wire.slot as usize];
        if *stamp == wire.stamp {
            *stamp = stamp.wrapping_add(1);
            self.free.push(wire.slot);
        }
    }

    /// Gives the slots of wires that nobody wants any more, in reverse, so that they are taken again in
    /// order. A scope that goes on for long does not remember them.
    pub(super) fn forget(&mut self, wires: &[Handle]) {
        wires.iter().rev().for_each(|wire| self.give(*wire));
        if self.taken.len() < self.long {
            return;
        }
        let begin = self.scopes.last().copied().unwrap_or(0);
        let mut end = begin;
        for place in begin..self.taken.len() {
            let wire = self.taken[place];
            if self.stamps[wire.slot as usize] == wire.stamp {
                self.taken[end] = wire;
                end += 1;
            }
        }
        self.taken.truncate(end);
        self.long = 2 * end + FORGOTTEN;
    }

    /// A slot for a new vector.
    pub(super) fn take_vector(&mut self, lanes: usize, degree: usize) -> VectorHandle {
        for slot in self.left_vectors.take() {
            self.block.push(Op::Drop, 0, slot, 0);
            self.free_vectors.push(slot);
        }
        let slot = self.free_vectors.pop().unwrap_or_else(|| {
            self.block.vectors += 1;
            self.block.vectors - 1
        });
        VectorHandle(Rc::new(VectorSlot { slot, lanes, degree, left: self.left_vectors.clone() }))
    }

    /// The slot of `vector`.
    ///
    /// # Panics
    /// Where it is of another function.
    pub(super) fn vector(&self, vector: &VectorHandle) -> u32 {
        assert!(Rc::ptr_eq(&vector.0.left, &self.left_vectors), "a vector that is not of this function");
        vector.0.slot
    }
}

/// The slot of `wire`, as [`Frame::slot`].
#[inline(always)]
pub(super) fn live(stamps: &[u32], wire: Handle) -> u32 {
    let live = stamps.get(wire.slot as usize) == Some(&wire.stamp);
    assert!(live, "a wire that is not of this function, or whose scope has ended");
    wire.slot
}

#[cfg(test)]
mod tests {
    use super::*;
    use volery_primitives::F2;

    #[test]
    fn a_long_scope_does_not_remember_what_was_forgotten() {
        let mut frame = Frame::<F2>::new(1);
        frame.scopes.push(0);
        let kept: Vec<_> = (0..100).map(|_| frame.take()).collect();
        for _ in 0..10 * FORGOTTEN {
            let wires = frame.take_many(3);
            frame.forget(&wires);
        }
        assert!(
            frame.taken.len() <= frame.long && frame.long <= 2 * 103 + FORGOTTEN,
            "{}",
            frame.taken.len()
        );
        // Those that live are still this scope's.
        assert!(frame.taken.iter().zip(&kept).all(|(taken, kept)| taken.slot() == kept.slot()));
        frame.end_scope(&kept[..1]);
        assert_eq!((frame.free.len(), frame.stamps.len()), (102, 103));
    }
}
