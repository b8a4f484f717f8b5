//! Slots that hold the values of wires: numbers of wires may be sparse, and slots are dense.

use super::pages::{Page, Pages};

/// Wires of a page.
pub(super) const PAGE: u64 = 64;

/// A wire that was deleted, where that is remembered.
const GONE: u32 = u32::MAX;

/// The wires of one type that are set, with their slots.
#[derive(Default)]
pub(super) struct Wires {
    pages: Pages<SlotPage>,
    /// How many are set, or remembered.
    used: usize,
}

/// Wires in a row.
struct SlotPage {
    /// For each its slot plus one, zero where it is not set, or [`GONE`].
    slots: [u32; PAGE as usize],
    /// How many are not zero.
    used: u32,
}

impl Default for SlotPage {
    fn default() -> Self {
        Self { slots: [0; PAGE as usize], used: 0 }
    }
}

impl Page for SlotPage {
    fn is_empty(&self) -> bool {
        self.used == 0
    }
}

impl Wires {
    /// The entry of wire `id`: its slot plus one, or zero.
    #[inline(always)]
    fn entry(&self, id: u64) -> u32 {
        self.pages.of(id).map_or(0, |row| row.slots[(id % PAGE) as usize])
    }

    /// The slot of wire `id`, if it is set.
    #[inline(always)]
    pub(super) fn get(&self, id: u64) -> Option<u32> {
        let entry = self.entry(id);
        if entry == 0 || entry == GONE { None } else { Some(entry - 1) }
    }

    /// Whether wire `id` was deleted, and this was remembered.
    pub(super) fn is_gone(&self, id: u64) -> bool {
        self.entry(id) == GONE
    }

    /// How many wires are set, those included of which is remembered that they were deleted.
    pub(super) fn used(&self) -> usize {
        self.used
    }

    /// Puts wire `id` into `slot`, and gives the slot that it had.
    #[inline(always)]
    pub(super) fn set(&mut self, id: u64, slot: u32) -> Option<u32> {
        self.put(id, slot + 1)
    }

    /// Deletes wire `id`, which may never have been set in this scope, and remembers that.
    pub(super) fn bury(&mut self, id: u64) -> Option<u32> {
        self.put(id, GONE)
    }

    #[inline(always)]
    fn put(&mut self, id: u64, entry: u32) -> Option<u32> {
        let row = self.pages.make(id);
        let old = core::mem::replace(&mut row.slots[(id % PAGE) as usize], entry);
        row.used += u32::from(old == 0);
        self.used += usize::from(old == 0);
        if old == 0 || old == GONE { None } else { Some(old - 1) }
    }

    /// Forgets wire `id`, and gives the slot that it had.
    #[inline]
    pub(super) fn remove(&mut self, id: u64) -> Option<u32> {
        let old = self.pages.change(id, |row| {
            let old = core::mem::take(&mut row.slots[(id % PAGE) as usize]);
            row.used -= u32::from(old != 0);
            old
        })?;
        self.used -= usize::from(old != 0);
        if old == 0 || old == GONE { None } else { Some(old - 1) }
    }

    /// The slots of all wires that are set.
    #[cfg(test)]
    fn count(&self) -> usize {
        self.pages.all().flat_map(|row| row.slots).filter(|slot| *slot != 0 && *slot != GONE).count()
    }
}

/// Slots of a frame, counted by the wires that share them.
#[derive(Default)]
pub(super) struct Slots {
    /// The number of slots that are always taken, and not counted.
    kept: u32,
    holders: Vec<u32>,
    free: Vec<u32>,
}

impl Slots {
    /// A pool of slots behind the first `kept`, which stay taken.
    pub(super) fn behind(kept: u32) -> Self {
        Self { kept, ..Self::default() }
    }

    /// A slot for a new value, with one holder.
    #[inline(always)]
    pub(super) fn take(&mut self) -> u32 {
        match self.free.pop() {
            Some(slot) => {
                self.holders[(slot - self.kept) as usize] = 1;
                slot
            }
            None => {
                self.holders.push(1);
                self.kept + self.holders.len() as u32 - 1
            }
        }
    }

    /// Slots in a row, behind all others.
    pub(super) fn take_row(&mut self, count: u32) -> u32 {
        let first = self.len() as u32;
        self.holders.resize(self.holders.len() + count as usize, 1);
        first
    }

    /// Counts one holder more.
    #[inline(always)]
    pub(super) fn hold(&mut self, slot: u32) {
        if slot >= self.kept {
            let holders = &mut self.holders[(slot - self.kept) as usize];
            *holders = holders.checked_add(1).expect("no more than the wires that may be set");
        }
    }

    /// Counts one holder less, and says whether that was the last, and the slot is free.
    #[inline(always)]
    pub(super) fn leave(&mut self, slot: u32) -> bool {
        if slot < self.kept {
            return false;
        }
        let holders = &mut self.holders[(slot - self.kept) as usize];
        *holders -= 1;
        let last = *holders == 0;
        if last {
            self.free.push(slot);
        }
        last
    }

    /// How many are held.
    #[cfg(test)]
    pub(super) fn taken(&self) -> usize {
        self.holders.iter().filter(|holders| **holders > 0).count()
    }

    /// How many there are, free ones included.
    pub(super) fn len(&self) -> usize {
        self.kept as usize + self.holders.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sparse_numbers_take_no_more_than_dense_ones() {
        let mut wires = Wires::default();
        let ids = |i: u64| [i, i << 32, u64::MAX - i];
        for i in 1..5000 {
            for id in ids(i) {
                assert_eq!((wires.get(id), wires.set(id, i as u32)), (None, None), "{id}");
            }
        }
        assert_eq!((wires.used(), wires.set(1, 1), wires.used()), (3 * 4999, Some(1), 3 * 4999));
        for i in 1..5000 {
            assert!(ids(i).iter().all(|id| wires.get(*id) == Some(i as u32)));
        }
        let [near, _, pages, _] = wires.pages.sizes();
        assert!(near < 64 * pages + 257);
        for i in 1..5000 {
            assert!(ids(i).iter().all(|id| wires.remove(*id) == Some(i as u32) && wires.get(*id).is_none()));
        }
        let [_, far, pages, free] = wires.pages.sizes();
        assert_eq!((wires.count(), wires.used(), far, free), (0, 0, 0, pages));
        assert_eq!(
            (wires.bury(7), wires.is_gone(7), wires.get(7), wires.remove(7)),
            (None, true, None, None)
        );
    }

    #[test]
    fn wires_that_are_far_apart_take_few_blocks() {
        let mut wires = Wires::default();
        let ids: Vec<u64> = (0..10_000).map(|i| i << 15).collect();
        ids.iter().for_each(|id| assert_eq!(wires.set(*id, 1), None));
        let [near, far, pages, _] = wires.pages.sizes();
        assert_eq!((pages, far + wires.pages.blocks()), (10_000, 10_000));
        assert!(wires.pages.blocks() <= pages / 32 + 64 && near <= 4 * pages + (1 << 14));
        assert!(ids.iter().all(|id| wires.get(*id) == Some(1) && wires.remove(*id) == Some(1)));
        assert_eq!((wires.pages.blocks(), wires.pages.sizes()[1]), (0, 0));
        // Those in a row take a block for its pages.
        (0..1 << 21).for_each(|id| assert_eq!(wires.set(id, 1), None));
        let [_, far, pages, _] = wires.pages.sizes();
        assert!(wires.pages.blocks() == 64 && far == 0 && pages == 1 << 15);
    }

    #[test]
    fn a_slot_is_free_when_nobody_holds_it() {
        let mut slots = Slots::behind(2);
        let slot = slots.take();
        slots.hold(slot);
        assert_eq!(
            (slot, slots.leave(2), slots.leave(2), slots.take(), slots.take_row(3)),
            (2, false, true, 2, 3)
        );
        assert_eq!(slots.len(), 6);
    }
}
