//! Initial memory, and the places of its cells.

use super::class::{OF_STREAM, READ_ONLY, STREAMS};
use super::rom::{Rom, hidden, number, register};
use crate::program::{Layout, PAGE, Program};
use volery::{Error, Result};

/// Memory before the first row, and the streams of public input and output.
#[derive(Clone, Debug)]
pub(super) struct Image {
    /// The address of the lowest byte: addresses of cells count from here.
    low: u32,
    /// Whether the pages from there on are there, and can be written to.
    pages: Vec<Page>,
    /// Words, where pages are there.
    words: Vec<u32>,
    /// Public input and output, each filled up to words.
    streams: Vec<u32>,
    /// The address of the output among those of streams, and its length.
    output: (u32, usize),
    /// The length of the public input.
    input: usize,
    /// The addresses of the heap, and of the top of the stack.
    pub(super) heap: (u32, u32),
    stack: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Page {
    Absent,
    ReadOnly,
    Writable,
}

/// A cell of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cell {
    Register(usize),
    /// A word of memory by number.
    Memory(usize),
    /// A word of a stream by number.
    Stream(usize),
}

/// The most bytes between the lowest and the highest address of memory: they are fewer than the addresses below
/// those of streams.
const MOST_SPAN: u64 = STREAMS;

/// The most bytes of public input and output together.
const MOST_STREAMS: usize = 1 << 24;

impl Image {
    /// The image of `program`, which is given `input` and gives out `output`.
    ///
    /// # Errors
    /// `Invalid` where its memory is spread too far, or the streams are too long.
    pub(super) fn new(program: &Program, layout: Layout, input: &[u8], output: &[u8]) -> Result<Self> {
        let windows = program.windows(layout)?;
        let low = windows.iter().map(|window| window.begin).min().unwrap_or_default();
        let high = windows.iter().map(|window| window.end).max().unwrap_or_default();
        if high - low > MOST_SPAN {
            return Err(Error::invalid(format!(
                "the program's memory spans {} bytes from {low:#x} to {high:#x}, and {MOST_SPAN} is the most: link \
                 its segments closer, or ask for less by --memory and --stack",
                high - low
            )));
        }
        if input.len() + output.len() > MOST_STREAMS {
            return Err(Error::invalid(format!(
                "public input and output of {} bytes, and {MOST_STREAMS} is the most",
                input.len() + output.len()
            )));
        }
        let mut pages = vec![Page::Absent; ((high - low) / u64::from(PAGE)) as usize];
        for window in &windows {
            let of = |address: u64| ((address - low) / u64::from(PAGE)) as usize;
            for page in &mut pages[of(window.begin)..of(window.end)] {
                if window.writable {
                    *page = Page::Writable;
                } else if *page == Page::Absent {
                    *page = Page::ReadOnly;
                }
            }
        }
        let mut bytes = vec![0; (high - low) as usize];
        for segment in &program.elf.segments {
            let at = (u64::from(segment.address) - low) as usize;
            bytes[at..at + segment.bytes.len()].copy_from_slice(&segment.bytes);
        }
        let [.., heap, stack] = windows[..] else { unreachable!("both are there") };
        let mut streams = words(input);
        let begin = STREAMS as u32 + 4 * streams.len() as u32;
        streams.extend(words(output));
        Ok(Self {
            low: low as u32,
            pages,
            words: words(&bytes),
            streams,
            output: (begin, output.len()),
            input: input.len(),
            heap: (heap.begin as u32, heap.end as u32),
            stack: stack.end as u32,
        })
    }

    /// `i`, an immediate of an access, where addresses count from the lowest.
    pub(super) fn offset(&self, i: u32) -> u32 {
        i.wrapping_sub(self.low)
    }

    /// The addresses that are there, or that can be written to.
    pub(super) fn ranges(&self, writable: bool) -> Vec<(u64, u64)> {
        let mut ranges: Vec<(u64, u64)> = Vec::new();
        for (i, page) in self.pages.iter().enumerate() {
            if *page == Page::Absent || (writable && *page == Page::ReadOnly) {
                continue;
            }
            let begin = u64::from(self.low) + i as u64 * u64::from(PAGE);
            match ranges.last_mut() {
                Some(last) if last.1 == begin => last.1 += u64::from(PAGE),
                _ => ranges.push((begin, begin + u64::from(PAGE))),
            }
        }
        ranges
    }

    /// The addresses behind the public input, and behind the output.
    pub(super) fn ends(&self) -> [u32; 2] {
        [STREAMS as u32 + self.input as u32, self.output.0 + self.output.1 as u32]
    }

    /// The cell at an address.
    pub(super) fn cell(&self, address: u64) -> Option<Cell> {
        if let Some(number) = number(address) {
            return (address == register(number as u32)).then_some(Cell::Register(number));
        }
        if address >= STREAMS {
            let word = (address - STREAMS).checked_sub(OF_STREAM as u64)?;
            let word = word.is_multiple_of(4).then_some((word / 4) as usize)?;
            return (word < self.streams.len()).then_some(Cell::Stream(word));
        }
        let page = self.pages.get((address / u64::from(PAGE)) as usize)?;
        let expected = match page {
            Page::Absent => return None,
            Page::ReadOnly => READ_ONLY as u64,
            Page::Writable => 0,
        };
        (address % 4 == expected).then_some(Cell::Memory((address / 4) as usize))
    }

    /// Whether the word that a load reads at `address`, a multiple of four, is in a page that is only read.
    pub(super) fn is_read_only(&self, address: u64) -> bool {
        self.pages.get((address / u64::from(PAGE)) as usize) == Some(&Page::ReadOnly)
    }

    /// The words of all registers at first.
    pub(super) fn registers(&self, rom: &Rom) -> Vec<u32> {
        let mut registers = vec![0; hidden::CONSTANTS as usize];
        registers[2] = self.stack;
        registers[hidden::INPUT as usize] = STREAMS as u32;
        registers[hidden::OUTPUT as usize] = self.output.0;
        registers[hidden::BREAK as usize] = self.heap.0;
        registers.extend(rom.constants());
        registers
    }

    /// The words of memory and of streams.
    pub(super) fn content(&self) -> (&[u32], &[u32]) {
        (&self.words, &self.streams)
    }

    /// Each cell's address, and the word in it at first: addresses grow.
    pub(super) fn cells(&self, rom: &Rom) -> Vec<(u64, u32)> {
        let page = PAGE as usize / 4;
        let memory = self.words.iter().enumerate().filter_map(|(i, word)| {
            let address = 4 * i as u64;
            match self.pages[i / page] {
                Page::Absent => None,
                Page::ReadOnly => Some((address + READ_ONLY as u64, *word)),
                Page::Writable => Some((address, *word)),
            }
        });
        let of_stream = |i: usize| STREAMS + 4 * i as u64 + OF_STREAM as u64;
        let streams = self.streams.iter().enumerate().map(|(i, word)| (of_stream(i), *word));
        let registers = self.registers(rom).into_iter().enumerate();
        let registers = registers.map(|(i, word)| (register(i as u32), word));
        memory.chain(streams).chain(registers).collect()
    }
}

/// Bytes in words, of which the last is filled up with zeros.
fn words(bytes: &[u8]) -> Vec<u32> {
    let word = |chunk: &[u8]| {
        let mut word = [0; 4];
        word[..chunk.len()].copy_from_slice(chunk);
        u32::from_le_bytes(word)
    };
    bytes.chunks(4).map(word).collect()
}
