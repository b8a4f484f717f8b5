//! A program with its instructions decoded, and where its memory lies.

use crate::decode::{Instruction, decode};
use crate::elf::{Elf, MOST_MEMORY, Symbols};
use volery::{Error, Result};

/// Bytes of a page: memory is there, or can be written to, by pages.
pub(crate) const PAGE: u32 = 4096;

/// Bytes between heap and stack that are not there, as Linux keeps them free by default: a frame that has no room
/// on the stack is a fault, if it is no larger, and no write into the heap.
pub(crate) const GUARD: u32 = 256 * PAGE;

/// The most bytes of instructions that a file may have.
const MOST_TEXT: usize = 64 << 20;

/// A program that can be run as often as asked.
#[derive(Debug)]
pub struct Program {
    pub(crate) elf: Elf,
    /// Instructions of each executable segment.
    pub(crate) text: Vec<Text>,
    digest: [u8; 32],
}

/// Instructions in a row.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    /// The address of the first.
    pub(crate) base: u32,
    pub(crate) code: Vec<Instruction>,
}

/// The memory that a program has beside its segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Bytes behind its last segment, which `brk` gives out.
    pub heap: u32,
    /// Bytes of its stack, which lies above that, with a megabyte between them that is not there.
    pub stack: u32,
}

impl Default for Layout {
    fn default() -> Self {
        Self { heap: 32 << 10, stack: 64 << 10 }
    }
}

/// A range of addresses that are there; whole pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    pub(crate) begin: u64,
    pub(crate) end: u64,
    pub(crate) writable: bool,
}

impl Program {
    /// The program in a file.
    ///
    /// # Errors
    /// Those of [`Elf::read`]; `Invalid` where it has too many instructions.
    pub fn read(file: &[u8]) -> Result<Self> {
        let elf = Elf::read(file)?;
        let executable = || elf.segments.iter().filter(|segment| segment.executable);
        let bytes: usize = executable().map(|segment| segment.bytes.len()).sum();
        if bytes > MOST_TEXT {
            return Err(Error::invalid(format!(
                "the program has {bytes} bytes of instructions, and {MOST_TEXT} is the most"
            )));
        }
        // In 64 bits: a segment may begin within the last word of all.
        let base = |address: u32| u64::from(address).next_multiple_of(4);
        let words = |bytes: &[u8], address: u32| {
            // What is not a whole word at either end is no instruction.
            let skipped = (base(address) - u64::from(address)) as usize;
            let bytes = bytes.get(skipped..).unwrap_or_default().as_chunks::<4>().0.to_vec();
            bytes.into_iter().map(u32::from_le_bytes)
        };
        let text = executable().map(|segment| {
            let base = base(segment.address);
            let code = words(&segment.bytes, segment.address)
                .zip((base..).step_by(4))
                .map(|(word, address)| decode(word, address as u32));
            // Where it is no address, no instruction follows.
            Text { base: u32::try_from(base).unwrap_or(u32::MAX - 3), code: code.collect() }
        });
        let text = text.collect();
        Ok(Self { text, digest: *blake3::hash(file).as_bytes(), elf })
    }

    /// The names of its functions.
    pub fn symbols(&self) -> &Symbols {
        &self.elf.symbols
    }

    /// The address of its first instruction.
    pub fn entry(&self) -> u32 {
        self.elf.entry
    }

    /// The hash of its file.
    pub fn digest(&self) -> &[u8; 32] {
        &self.digest
    }

    /// The instruction at `address`, if there is one.
    pub fn instruction(&self, address: u32) -> Option<&Instruction> {
        let text =
            self.text.iter().find(|text| address.wrapping_sub(text.base) / 4 < text.code.len() as u32)?;
        text.code.get((address.wrapping_sub(text.base) / 4) as usize)
    }

    /// The number of its instructions.
    pub fn instructions(&self) -> usize {
        self.text.iter().map(|text| text.code.len()).sum()
    }

    /// The bytes of memory that the program can write to, by `layout`.
    ///
    /// # Errors
    /// `Invalid` where all of its memory is too large, or has no room.
    pub fn writable(&self, layout: Layout) -> Result<u64> {
        let windows = self.windows(layout)?;
        Ok(windows.iter().filter(|window| window.writable).map(|window| window.end - window.begin).sum())
    }

    /// The windows of memory by `layout`: of segments, of the heap, and of the stack.
    ///
    /// # Errors
    /// `Invalid` where they are too large, or have no room.
    pub(crate) fn windows(&self, layout: Layout) -> Result<Vec<Window>> {
        let up = |address: u64| address.next_multiple_of(PAGE.into());
        let more = u64::from(layout.heap) + u64::from(layout.stack);
        if more > MOST_MEMORY {
            return Err(Error::invalid(format!(
                "heap and stack have {more} bytes, and {MOST_MEMORY} is the most: ask for less by --memory \
                 and --stack"
            )));
        }
        let begin = up(self.elf.end());
        let heap = Window { begin, end: begin + up(layout.heap.into()), writable: true };
        let stack = heap.end + u64::from(GUARD);
        let stack = Window { begin: stack, end: stack + up(layout.stack.into()), writable: true };
        // The top of the stack is an address, too.
        if stack.end >= 1 << 32 {
            return Err(Error::invalid(format!(
                "the program ends at {:#x}, and heap and stack have no room behind it: link it lower, or ask \
                 for less by --memory and --stack",
                self.elf.end()
            )));
        }
        let segments = self.elf.segments.iter().map(|segment| Window {
            begin: u64::from(segment.address) / u64::from(PAGE) * u64::from(PAGE),
            end: up(segment.end()),
            writable: segment.writable,
        });
        Ok(segments.chain([heap, stack]).collect())
    }
}
