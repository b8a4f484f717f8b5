//! Pages of what is held of wires, found by their numbers: these may be sparse, and of any size.

use super::wires::PAGE;
use std::collections::HashMap;

/// Pages that a block of the directory is for.
const BLOCK: usize = 512;

/// The numbers that bound the directory: it may have a block for so many pages, and so many blocks more.
/// Wires that are far apart would take a block each.
const PAGES_TO_BLOCK: usize = 32;
const MOST_BESIDE: usize = 64;

/// The contents of [`PAGE`] wires in a row; by default, nothing.
pub(super) trait Page: Default {
    /// Whether no entry of the page holds anything.
    fn is_empty(&self) -> bool;
}

/// Pages in a directory of blocks where numbers are near each other, and found by their hash where they are
/// not, so that memory is that of the wires of which something is held, whatever their numbers.
#[derive(Default)]
pub(super) struct Pages<P> {
    near: Vec<Option<Box<Block>>>,
    far: HashMap<u64, u32>,
    pages: Vec<P>,
    free: Vec<u32>,
    /// How many blocks have pages.
    blocks: usize,
    /// A block without pages, for the next one that is needed.
    spare: Option<Box<Block>>,
}

/// The places among all of [`BLOCK`] pages in a row, plus one, or zero.
struct Block {
    places: [u32; BLOCK],
    /// How many are not zero.
    used: u32,
}

impl<P: Page> Pages<P> {
    #[inline(always)]
    fn place(&self, number: u64) -> Option<u32> {
        if let Some(Some(block)) = self.near.get((number / BLOCK as u64) as usize) {
            let place = block.places[(number % BLOCK as u64) as usize];
            if place > 0 {
                return Some(place - 1);
            }
        }
        if self.far.is_empty() { None } else { self.far.get(&number).copied() }
    }

    /// The page of wire `id`, if anything is held of one of its wires.
    #[inline(always)]
    pub(super) fn of(&self, id: u64) -> Option<&P> {
        self.place(id / PAGE).map(|place| &self.pages[place as usize])
    }

    /// The page of wire `id`, of which something is going to be held.
    #[inline(always)]
    pub(super) fn make(&mut self, id: u64) -> &mut P {
        let place = match self.place(id / PAGE) {
            Some(place) => place,
            None => self.new_page(id / PAGE),
        };
        &mut self.pages[place as usize]
    }

    #[cold]
    fn new_page(&mut self, number: u64) -> u32 {
        let place = self.free.pop().unwrap_or_else(|| {
            self.pages.push(P::default());
            self.pages.len() as u32 - 1
        });
        let block = number / BLOCK as u64;
        // A directory as long as a few times what pages take.
        let pages = self.pages.len();
        let most = (64 * pages + 256).min(4 * pages + (1 << 14));
        let is_there = |block: u64| matches!(self.near.get(block as usize), Some(Some(_)));
        let is_near =
            block < most as u64 && (is_there(block) || self.blocks < pages / PAGES_TO_BLOCK + MOST_BESIDE);
        if is_near {
            let block = block as usize;
            if block >= self.near.len() {
                self.near.resize_with(block + 1, || None);
            }
            let (spare, blocks) = (&mut self.spare, &mut self.blocks);
            let block = self.near[block].get_or_insert_with(|| {
                *blocks += 1;
                spare.take().unwrap_or_else(|| Box::new(Block { places: [0; BLOCK], used: 0 }))
            });
            block.places[(number % BLOCK as u64) as usize] = place + 1;
            block.used += 1;
        } else {
            self.far.insert(number, place);
        }
        place
    }

    /// Changes the page of wire `id`, if there is one, by `f`, and forgets it once it is empty.
    #[inline]
    pub(super) fn change<T>(&mut self, id: u64, f: impl FnOnce(&mut P) -> T) -> Option<T> {
        let number = id / PAGE;
        let place = self.place(number)?;
        let page = &mut self.pages[place as usize];
        let result = f(page);
        if page.is_empty() {
            self.forget(number, place);
        }
        Some(result)
    }

    fn forget(&mut self, number: u64, place: u32) {
        self.free.push(place);
        if let Some(near) = self.near.get_mut((number / BLOCK as u64) as usize)
            && let Some(block) = near
        {
            let entry = &mut block.places[(number % BLOCK as u64) as usize];
            if *entry > 0 {
                *entry = 0;
                block.used -= 1;
                if block.used == 0 {
                    self.spare = near.take();
                    self.blocks -= 1;
                }
                return;
            }
        }
        self.far.remove(&number);
    }

    /// How many blocks have pages.
    #[cfg(test)]
    pub(super) fn blocks(&self) -> usize {
        self.near.iter().flatten().count()
    }

    /// All pages, those included that are empty.
    #[cfg(test)]
    pub(super) fn all(&self) -> impl Iterator<Item = &P> {
        self.pages.iter()
    }

    /// The lengths of the directories, near and far, and how many pages there are, and of these free ones.
    #[cfg(test)]
    pub(super) fn sizes(&self) -> [usize; 4] {
        [self.near.len(), self.far.len(), self.pages.len(), self.free.len()]
    }
}
