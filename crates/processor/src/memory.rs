//! Memory by pages, which are made where they are touched first.

use crate::elf::Segment;
use crate::program::{PAGE, Window};
use crate::words::Words;
use std::array;
use zeroize::Zeroize;

/// Words of a page.
const WORDS: usize = PAGE as usize / 4;

/// Pages of a folder, and folders.
const FOLDER: usize = 1024;

/// Words at addresses that are multiples of four.
pub(crate) struct Memory<'p, T: Zeroize> {
    folders: Box<[Option<Box<Folder<T>>>; FOLDER]>,
    windows: Vec<Window>,
    segments: &'p [Segment],
    pages: u64,
}

type Folder<T> = [Option<Box<Page<T>>>; FOLDER];

struct Page<T> {
    writable: bool,
    words: [T; WORDS],
}

impl<'p, T: Copy + Zeroize> Memory<'p, T> {
    /// The memory that begins with `segments`, and has zeros elsewhere in `windows`.
    pub(crate) fn new(segments: &'p [Segment], windows: Vec<Window>) -> Self {
        Self { folders: Box::new(array::from_fn(|_| None)), windows, segments, pages: 0 }
    }

    /// Pages that were touched.
    pub(crate) fn pages(&self) -> u64 {
        self.pages
    }

    /// Bytes of pages in a window that were touched.
    pub(crate) fn touched_in(&self, window: Window) -> u64 {
        let pages = (window.begin..window.end).step_by(PAGE as usize);
        let is_there = |address: &u64| {
            let (folder, page, _) = split(*address as u32);
            self.folders[folder].as_ref().is_some_and(|folder| folder[page].is_some())
        };
        pages.filter(is_there).count() as u64 * u64::from(PAGE)
    }

    /// The word that holds `address`, if there is memory.
    #[inline(always)]
    pub(crate) fn load<W: Words<Word = T>>(&mut self, words: &mut W, address: u32) -> Option<T> {
        let (folder, page, word) = split(address);
        if let Some(folder) = &self.folders[folder]
            && let Some(page) = &folder[page]
        {
            return Some(page.words[word]);
        }
        self.touch(words, address).map(|page| page.words[word])
    }

    /// The word that holds `address`, to be replaced, if there is memory that can be written to.
    #[inline(always)]
    pub(crate) fn place<W: Words<Word = T>>(&mut self, words: &mut W, address: u32) -> Option<&mut T> {
        let (folder, page, word) = split(address);
        // Twice, since what is found here lives until the end.
        let there = self.folders[folder].as_ref().is_some_and(|folder| folder[page].is_some());
        if !there {
            self.touch(words, address)?;
        }
        let page = self.folders[folder].as_mut()?[page].as_mut()?;
        page.writable.then(|| &mut page.words[word])
    }

    /// Each word of pages that were touched.
    pub(crate) fn each(&self, take: &mut dyn FnMut(T)) {
        for page in self.folders.iter().flatten().flat_map(|folder| folder.iter()).flatten() {
            page.words.iter().for_each(|word| take(*word));
        }
    }

    /// Makes the page of `address`, if it is in a window.
    #[cold]
    #[inline(never)]
    fn touch<W: Words<Word = T>>(&mut self, words: &mut W, address: u32) -> Option<&mut Page<T>> {
        let begin = u64::from(address / PAGE * PAGE);
        let mut found = self.windows.iter().filter(|window| (window.begin..window.end).contains(&begin));
        let writable = found.clone().any(|window| window.writable);
        found.next()?;
        let mut content = [0; PAGE as usize];
        for segment in self.segments {
            // Where the file's bytes of the segment and the page meet.
            let from = u64::from(segment.address);
            let to = from + segment.bytes.len() as u64;
            let (low, high) = (from.max(begin), to.min(begin + u64::from(PAGE)));
            if low < high {
                let bytes = &segment.bytes[(low - from) as usize..(high - from) as usize];
                content[(low - begin) as usize..(high - begin) as usize].copy_from_slice(bytes);
            }
        }
        let content = content.as_chunks::<4>().0;
        let page = Page { writable, words: array::from_fn(|i| words.public(u32::from_le_bytes(content[i]))) };
        self.pages += 1;
        let (folder, place, _) = split(address);
        let folder = self.folders[folder].get_or_insert_with(|| Box::new(array::from_fn(|_| None)));
        Some(folder[place].insert(Box::new(page)))
    }
}

impl<T: Zeroize> Drop for Memory<'_, T> {
    fn drop(&mut self) {
        let folders = self.folders.iter_mut().flatten();
        folders.flat_map(|folder| folder.iter_mut()).flatten().for_each(|page| page.words.zeroize());
    }
}

/// The folder, the page within it, and the word within that.
#[inline(always)]
fn split(address: u32) -> (usize, usize, usize) {
    ((address >> 22) as usize, (address >> 12) as usize % FOLDER, (address >> 2) as usize % WORDS)
}
