//! Slots during recording: which are in use, and for which values.

use super::block::{Block, Op, number};
use core::cell::RefCell;
use core::mem;
use core::ops::Range;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use volery_primitives::Field;
use zeroize::DefaultIsZeroes;

/// The end of the slots that are given out. Higher numbers have other meanings.
const LAST_SLOT: u32 = u32::MAX - 8;

/// The number of forgotten wires in the list of an open scope from which on the list is tidied.
const FORGOTTEN: usize = 4096;

/// A wire of the [`Recorder`](super::Recorder): a slot, and the stamp of one of the slot's values.
#[derive(Clone, Copy, Default)]
pub struct Handle {
    pub(super) slot: u32,
    pub(super) stamp: u32,
}

impl DefaultIsZeroes for Handle {}

impl Handle {
    /// The slot, which no other live wire has. It serves to count the holders of a wire, and to
    /// [forget](crate::Backend::forget) it when there are none.
    pub fn slot(self) -> u32 {
        self.slot
    }
}

/// A vector of the [`Recorder`](super::Recorder).
#[derive(Clone)]
pub struct VectorHandle(pub(super) Rc<Lanes>);

/// The lanes of a vector.
pub(super) struct Lanes {
    pub(super) count: usize,
    pub(super) degree: usize,
    pub(super) on: On,
}

/// The place of a vector. When the vector ends, its slot or its wires go back to its frame.
pub(super) enum On {
    /// A slot of its own.
    Slot { slot: u32, left: Left<u32> },
    /// Wires, one for each lane.
    Wires { wires: Vec<Handle>, left: Left<Handle> },
}

/// Slots or wires of vectors that have ended.
pub(super) type Left<T> = Rc<RefCell<Vec<T>>>;

impl Drop for On {
    fn drop(&mut self) {
        match self {
            Self::Slot { slot, left } => left.borrow_mut().push(*slot),
            Self::Wires { wires, left } => left.borrow_mut().append(wires),
        }
    }
}

/// A memory of the statement that a function uses cell by cell.
pub(super) struct Imported {
    pub(super) memory: u32,
    /// The cells as the function gets them.
    pub(super) first: Vec<Handle>,
    /// The cells as they are now, if the function has written to them.
    pub(super) now: Option<Vec<Handle>>,
}

/// The recording of one block: the statement, block after block, or one function.
pub(super) struct Frame<F> {
    pub(super) block: Block<F>,
    /// For each slot the stamp of its current value.
    pub(super) stamps: Vec<u32>,
    pub(super) first_stamp: u32,
    /// Free slots, in the statement: single ones, and many in a row. Slots of a function are planned at its end.
    pub(super) free: Vec<u32>,
    ranges: Ranges,
    /// The slots freed so far: while there are no more, a list of wires of this frame is what it was.
    pub(super) freed: u64,
    /// The wires made in open scopes, and the beginning of each scope in this list.
    pub(super) taken: Vec<Handle>,
    pub(super) scopes: Vec<usize>,
    /// The length of that list from which on it is searched for forgotten wires.
    long: usize,
    /// A bit for each slot: whether it is kept behind the scope that ends. They are zero elsewhere.
    kept: Vec<u64>,
    /// For each slot the number of vector lanes on its wire, and whether the lanes alone hold it. The list
    /// ends with the last slot that has any.
    held: Vec<Held>,
    left_wires: Left<Handle>,
    pub(super) free_vectors: Vec<u32>,
    left_vectors: Left<u32>,
    /// The arguments of the function itself, and the memories whose cells are further arguments.
    pub(super) arguments: Vec<Handle>,
    pub(super) cells: Vec<Imported>,
    /// The words of the functions that the block calls.
    pub(super) called: usize,
    /// Whether the block, or a function that it calls, names memories or tables.
    pub(super) names_memories: bool,
    /// Whether the block has, or calls, operations that other backends get as gates.
    pub(super) lowers: bool,
}

/// The vector lanes that are on a wire.
#[derive(Clone, Copy, Default)]
struct Held {
    lanes: u32,
    /// Whether the wire ends with the last of the lanes.
    alone: bool,
}

impl<F: Field> Frame<F> {
    pub(super) fn new(first_stamp: u32) -> Self {
        Self {
            block: Block::default(),
            stamps: Vec::new(),
            first_stamp,
            free: Vec::new(),
            ranges: Ranges::default(),
            freed: 0,
            taken: Vec::new(),
            scopes: Vec::new(),
            long: FORGOTTEN,
            kept: Vec::new(),
            held: Vec::new(),
            left_wires: Rc::default(),
            free_vectors: Vec::new(),
            left_vectors: Rc::default(),
            arguments: Vec::new(),
            cells: Vec::new(),
            called: 0,
            names_memories: false,
            lowers: false,
        }
    }

    /// Takes a slot for a new value.
    #[inline(always)]
    pub(super) fn take(&mut self) -> Handle {
        let slot = match self.free.pop() {
            Some(slot) => slot,
            None => self.next_slot(),
        };
        let wire = Handle { slot, stamp: self.stamps[slot as usize] };
        if !self.scopes.is_empty() {
            self.taken.push(wire);
        }
        wire
    }

    /// A slot where no single one is free.
    fn next_slot(&mut self) -> u32 {
        if let Some((first, length)) = self.ranges.take_some(IN_A_ROW as u32) {
            self.free.extend((first + 1..first + length).rev());
            return first;
        }
        self.stamps.push(self.first_stamp);
        let slots = u32::try_from(self.stamps.len()).ok().filter(|slots| *slots < LAST_SLOT);
        slots.expect("fewer than 2^32 live wires: put scopes around what a loop does") - 1
    }

    /// Takes slots for `count` new values: free ones in a row, if there are as many, any others that are free, or new ones.
    pub(super) fn take_many(&mut self, count: usize) -> Vec<Handle> {
        let mut wires = Vec::with_capacity(count);
        let in_a_row = self.ranges.take(count).map(|first| (first, count as u32));
        let mut some = in_a_row.or_else(|| self.ranges.take_some(number(count)));
        while let Some((first, length)) = some {
            let stamps = &self.stamps[first as usize..][..length as usize];
            wires.extend((first..).zip(stamps).map(|(slot, &stamp)| Handle { slot, stamp }));
            some = self.ranges.take_some(number(count - wires.len()));
        }
        let rest = self.free.len().saturating_sub(count - wires.len());
        for slot in self.free.drain(rest..).rev() {
            wires.push(Handle { slot, stamp: self.stamps[slot as usize] });
        }
        if !self.scopes.is_empty() {
            reserve(&mut self.taken, wires.len());
            self.taken.extend_from_slice(&wires);
        }
        for _ in wires.len()..count {
            wires.push(self.take());
        }
        wires
    }

    /// Takes consecutive slots for `count` new values, which no scope ends.
    pub(super) fn take_apart(&mut self, count: usize) -> Vec<Handle> {
        let first = self.stamps.len();
        self.stamps.resize(first + count, self.first_stamp);
        assert!(self.stamps.len() < LAST_SLOT as usize, "fewer than 2^32 live wires");
        (first..first + count).map(|slot| Handle { slot: slot as u32, stamp: self.first_stamp }).collect()
    }

    /// Names `function`, which is called so often, and gives its number in the block.
    pub(super) fn call(&mut self, function: &Arc<Block<F>>, times: u64) -> u32 {
        let block = &mut self.block;
        block.assertions = block.assertions.saturating_add(times.saturating_mul(function.assertions));
        // Calls in a row are often of one function.
        if !block.functions.last().is_some_and(|last| Arc::ptr_eq(last, function)) {
            block.functions.push(function.clone());
            self.called += function.size();
        }
        number(block.functions.len() - 1)
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

    /// Appends the slots of several lists, one after the other.
    pub(super) fn list_all(&mut self, lists: &[&[Handle]]) {
        let words = &mut self.block.words;
        let count = words.len();
        words.push(0);
        for wires in lists {
            let mut rest = *wires;
            while let Some(first) = rest.first() {
                let first = live(&self.stamps, *first);
                let length = run(&self.stamps[first as usize..], first, rest);
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
        let mut bits = mem::take(&mut self.kept);
        bits.resize(self.stamps.len().div_ceil(64), 0);
        for wire in kept {
            let slot = live(&self.stamps, *wire);
            bits[slot as usize / 64] |= 1 << (slot % 64);
        }
        let is_kept = |wire: &Handle| bits[wire.slot as usize / 64] >> (wire.slot % 64) & 1 == 1;
        let mut taken = mem::take(&mut self.taken);
        for wires in taken[begin..].chunk_by(|one, next| is_kept(one) == is_kept(next)).rev() {
            if !is_kept(&wires[0]) {
                self.give_all(wires);
            }
        }
        // What lives on is of the scope around this one.
        let mut end = begin;
        if !self.scopes.is_empty() {
            for place in begin..taken.len() {
                if is_kept(&taken[place]) {
                    taken[end] = taken[place];
                    end += 1;
                }
            }
        }
        taken.truncate(end);
        kept.iter().for_each(|wire| bits[wire.slot as usize / 64] = 0);
        (self.taken, self.kept) = (taken, bits);
    }

    /// Frees the slot of `wire`, if it still has this wire's value, as soon as no vector is on it.
    pub(super) fn give(&mut self, wire: Handle) {
        if let Some(held) = self.held.get_mut(wire.slot as usize)
            && held.lanes > 0
        {
            held.alone |= self.stamps[wire.slot as usize] == wire.stamp;
            return;
        }
        let stamp = &mut self.stamps[wire.slot as usize];
        if *stamp == wire.stamp {
            *stamp = stamp.wrapping_add(1);
            self.freed += 1;
            self.free.push(wire.slot);
        }
    }

    /// Frees the slots of `wires`, as [`Frame::give`] each: the last one first, so that they are taken again in order.
    fn give_all(&mut self, wires: &[Handle]) {
        if wires.len() < IN_A_ROW || !self.held.is_empty() {
            wires.iter().rev().for_each(|wire| self.give(*wire));
            return;
        }
        let (mut rest, mut short) = (wires, Vec::new());
        while let Some(Handle { slot, stamp }) = rest.first().copied() {
            let stamps = &mut self.stamps[slot as usize..];
            if stamps[0] != stamp {
                rest = &rest[1..];
                continue;
            }
            let length = run(stamps, slot, rest);
            stamps[..length].iter_mut().for_each(|stamp| *stamp = stamp.wrapping_add(1));
            self.freed += length as u64;
            let slots = slot..slot + length as u32;
            if length < IN_A_ROW || self.ranges.ends.len() >= MOST_RANGES {
                short.push(slots);
            } else {
                self.ranges.give(slots);
            }
            rest = &rest[length..];
        }
        self.free.extend(short.into_iter().rev().flat_map(|slots| slots.rev()));
    }

    /// Frees the slots of `wires`. A long scope drops them from its list.
    pub(super) fn forget(&mut self, wires: &[Handle]) {
        self.give_all(wires);
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
        self.long = end + end / 4 + FORGOTTEN;
    }

    /// Takes a slot for a new vector.
    pub(super) fn take_vector(&mut self, count: usize, degree: usize) -> (VectorHandle, u32) {
        for slot in self.left_vectors.take() {
            self.block.push(Op::Drop, 0, slot, 0);
            self.free_vectors.push(slot);
        }
        let slot = self.free_vectors.pop().unwrap_or_else(|| {
            self.block.vectors += 1;
            self.block.vectors - 1
        });
        let on = On::Slot { slot, left: self.left_vectors.clone() };
        (VectorHandle(Rc::new(Lanes { count, degree, on })), slot)
    }

    /// The slot of `vector`.
    ///
    /// # Panics
    /// Where it is of another function.
    pub(super) fn vector(&self, vector: &VectorHandle) -> u32 {
        match &vector.0.on {
            On::Slot { slot, left } if Rc::ptr_eq(left, &self.left_vectors) => *slot,
            _ => panic!("a vector that is not of this function"),
        }
    }

    /// A vector on `wires`, which it holds, whatever else becomes of them.
    pub(super) fn hold(&mut self, wires: Vec<Handle>, degree: usize) -> VectorHandle {
        for wire in self.left_wires.take() {
            let held = &mut self.held[wire.slot as usize];
            held.lanes -= 1;
            if held.lanes == 0 && mem::take(&mut held.alone) {
                self.give(wire);
            }
        }
        for wire in &wires {
            let slot = live(&self.stamps, *wire) as usize;
            if slot >= self.held.len() {
                self.held.resize(self.stamps.len(), Held::default());
            }
            self.held[slot].lanes += 1;
        }
        let (count, left) = (wires.len(), self.left_wires.clone());
        VectorHandle(Rc::new(Lanes { count, degree, on: On::Wires { wires, left } }))
    }

    /// The wires of `vector`, and the lanes whose wires somebody else holds, too. The other wires belong to
    /// the current scope from now on.
    pub(super) fn release(&mut self, vector: &VectorHandle) -> (Vec<Handle>, Vec<usize>) {
        let mut shared = Vec::new();
        for (lane, wire) in vector.wires().iter().enumerate() {
            if !mem::take(&mut self.held[wire.slot as usize].alone) {
                shared.push(lane);
            } else if !self.scopes.is_empty() {
                self.taken.push(*wire);
            }
        }
        (vector.wires().to_vec(), shared)
    }
}

impl VectorHandle {
    /// The wires that the vector is on.
    ///
    /// # Panics
    /// Where it has a slot of its own.
    pub(super) fn wires(&self) -> &[Handle] {
        match &self.0.on {
            On::Wires { wires, .. } => wires,
            On::Slot { .. } => unreachable!("one recorder has vectors of one kind"),
        }
    }
}

/// The fewest free slots in a row that are kept as such.
const IN_A_ROW: usize = 64;

/// The most ranges of free slots: whoever takes slots looks through them.
const MOST_RANGES: usize = 1 << 10;

/// Free slots in a row, so that what is made together lies together.
#[derive(Default)]
struct Ranges {
    /// The end of each range, by its first slot. No two of them touch.
    ends: BTreeMap<u32, u32>,
}

impl Ranges {
    /// Adds free slots.
    fn give(&mut self, mut slots: Range<u32>) {
        if let Some((&first, &end)) = self.ends.range(..slots.start).next_back()
            && end == slots.start
        {
            slots.start = first;
        }
        if let Some(end) = self.ends.remove(&slots.end) {
            slots.end = end;
        }
        self.ends.insert(slots.start, slots.end);
    }

    /// Takes so many slots in a row from the shortest range that has them, and gives the first.
    fn take(&mut self, count: usize) -> Option<u32> {
        let fits = self.ends.iter().filter(|(first, end)| (*end - *first) as usize >= count);
        let (&first, &end) = fits.min_by_key(|(first, end)| *end - *first).filter(|_| count > 0)?;
        self.cut(first, end, count as u32);
        Some(first)
    }

    /// Takes at most `most` slots of the lowest range: the first, and how many.
    fn take_some(&mut self, most: u32) -> Option<(u32, u32)> {
        let (&first, &end) = self.ends.iter().next().filter(|_| most > 0)?;
        let length = most.min(end - first);
        self.cut(first, end, length);
        Some((first, length))
    }

    fn cut(&mut self, first: u32, end: u32, length: u32) {
        self.ends.remove(&first);
        if first + length < end {
            self.ends.insert(first + length, end);
        }
    }
}

/// Makes room in a list for `more` elements: a long one grows by a quarter, since doubled it would have much that is empty.
fn reserve<T>(list: &mut Vec<T>, more: usize) {
    if more > list.capacity() - list.len() {
        list.reserve_exact(more.max(list.len() / 4));
    }
}

/// Wires that are compared without a branch in between.
const TOGETHER: usize = 16;

/// How many of `wires`, from the first on, stand on consecutive slots from `first` on. `stamps` are those
/// slots' stamps.
fn run(stamps: &[u32], first: u32, wires: &[Handle]) -> usize {
    let differs = |wire: &Handle, slot: u32, stamp: u32| (wire.slot ^ slot) | (wire.stamp ^ stamp);
    let (wires_together, _) = wires.as_chunks::<TOGETHER>();
    let (stamps_together, _) = stamps.as_chunks::<TOGETHER>();
    let mut length = 0;
    for (wires, stamps) in wires_together.iter().zip(stamps_together) {
        let slots = first.wrapping_add(length as u32);
        let mut differ = 0;
        for i in 0..TOGETHER {
            differ |= differs(&wires[i], slots.wrapping_add(i as u32), stamps[i]);
        }
        if differ != 0 {
            break;
        }
        length += TOGETHER;
    }
    let rest = wires[length..].iter().zip(&stamps[length..]).zip(first.wrapping_add(length as u32)..);
    length + rest.take_while(|((wire, stamp), slot)| differs(wire, *slot, **stamp) == 0).count()
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

    /// Lists whose runs end in each place, by another slot or where one has been given again.
    #[test]
    fn runs_end_where_slots_are_not_in_a_row() {
        let count = 3 * TOGETHER as u32 + 5;
        for end in 1..count {
            let mut frame = Frame::<F2>::new(1);
            let mut wires = frame.take_many(count as usize);
            frame.list(&wires);
            assert_eq!(frame.block.words, [1, 0, count]);

            frame.block.words.clear();
            wires[end as usize].slot = 0;
            frame.list(&wires);
            let mut words = vec![0, 0, end, 0, 1];
            if end + 1 < count {
                words.extend([end + 1, count - end - 1]);
            }
            words[0] = words.len() as u32 / 2;
            assert_eq!(frame.block.words, words);
        }
    }

    #[test]
    #[should_panic = "whose scope has ended"]
    fn a_slot_that_was_given_again_ends_a_run_of_many() {
        let mut frame = Frame::<F2>::new(1);
        let wires = frame.take_many(2 * TOGETHER);
        frame.give(wires[TOGETHER + 3]);
        frame.list(&wires);
    }

    /// Free slots in a row serve as many values, or more where two rows meet, before any new one.
    #[test]
    fn what_is_made_together_lies_together() {
        let mut frame = Frame::<F2>::new(1);
        let [a, b, c] = [0; 3].map(|_| frame.take_many(1000));
        for (gone, count) in [(vec![&b], 1000), (vec![&a, &b], 2000)] {
            gone.iter().for_each(|wires| frame.forget(wires));
            // Again, which does nothing.
            gone.iter().for_each(|wires| frame.forget(wires));
            let made = frame.take_many(count);
            frame.block.words.clear();
            frame.list(&made);
            assert_eq!(frame.block.words, [1, gone[0][0].slot, count as u32]);
            frame.forget(&made);
        }
        frame.forget(&c);
        let single = frame.take();
        let made = frame.take_many(2999);
        assert!(made.iter().all(|wire| wire.slot != single.slot));
        assert_eq!(frame.stamps.len(), 3000);
    }

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
            frame.taken.len() <= frame.long && frame.long <= 103 + 103 / 4 + FORGOTTEN,
            "{}",
            frame.taken.len()
        );
        // Those that live are still this scope's.
        assert!(frame.taken.iter().zip(&kept).all(|(taken, kept)| taken.slot() == kept.slot()));
        frame.end_scope(&kept[..1]);
        let in_rows: u32 = frame.ranges.ends.iter().map(|(first, end)| end - first).sum();
        assert_eq!((frame.free.len() + in_rows as usize, frame.stamps.len()), (102, 103));
    }
}
