//! Programs as compilers leave them: ELF files of 32 bits for RISC-V, linked and static.
//!
//! Files are untrusted: each length and offset in a file is compared with the file's own length, or with
//! [`MOST_MEMORY`], before memory is allocated for it.

mod symbols;

pub use symbols::{Place, Symbols, section};

use volery::{Error, Result};

/// The most bytes of a file.
pub const MOST_BYTES: usize = 256 << 20;

/// The most memory that a file may declare, in bytes.
pub const MOST_MEMORY: u64 = 1 << 30;

/// The lowest address of a segment, so that null pointers are no addresses of anything.
pub const LOWEST: u32 = 0x1000;

/// The most segments of a file.
const MOST_SEGMENTS: usize = 1024;

/// A program, as it is loaded.
#[derive(Debug)]
pub struct Elf {
    /// The address of the first instruction.
    pub entry: u32,
    /// The segments by their addresses; they do not overlap.
    pub segments: Vec<Segment>,
    /// The names of functions, as far as the file has them.
    pub symbols: Symbols,
}

/// A part of memory that a file declares.
#[derive(Debug)]
pub struct Segment {
    /// The first address.
    pub address: u32,
    /// The length in bytes, which is not zero; `address + size` is 2^32 at most.
    pub size: u32,
    /// The first bytes; zeros follow.
    pub bytes: Vec<u8>,
    /// Whether instructions are fetched from the segment.
    pub executable: bool,
    /// Whether the segment can be written to.
    pub writable: bool,
}

impl Segment {
    /// The first address behind the segment.
    pub fn end(&self) -> u64 {
        u64::from(self.address) + u64::from(self.size)
    }

    /// Whether the segment holds the byte at `address`.
    pub fn holds(&self, address: u32) -> bool {
        (u64::from(self.address)..self.end()).contains(&address.into())
    }
}

impl Elf {
    /// Reads a file.
    ///
    /// # Errors
    /// `Invalid`, with what is wrong, and the compiler's or linker's option that mends it.
    pub fn read(file: &[u8]) -> Result<Self> {
        if file.len() > MOST_BYTES {
            return Err(refuse(format!("it has more than {MOST_BYTES} bytes")));
        }
        let file = File(file);
        let header = file.part(0, HEADER, "its header")?;
        if header[..4] != *b"\x7fELF" {
            return Err(refuse("it does not begin as one: give the file that a linker has written"));
        }
        let [class, order, version] = [header[4], header[5], header[6]];
        if class != 1 {
            return Err(refuse("it is for 64 bits: compile by -march=rv32im -mabi=ilp32"));
        }
        if order != 1 || version != 1 {
            return Err(refuse("it is not little-endian, of version 1"));
        }
        let machine = file.half(18)?;
        if machine != RISC_V {
            return Err(refuse(format!(
                "it is for machine {machine}, and not RISC-V ({RISC_V}): compile by a compiler for riscv32"
            )));
        }
        match file.half(16)? {
            EXECUTABLE => {}
            SHARED => {
                return Err(refuse("it is to be loaded anywhere: link it by -static -no-pie"));
            }
            _ => return Err(refuse("it is not linked: give the program, and no object file")),
        }
        let flags = file.word(36)?;
        if flags & COMPRESSED != 0 {
            return Err(refuse("it has compressed instructions: compile by -march=rv32im, without c"));
        }
        if flags & FLOATING != 0 {
            return Err(refuse("it passes floating-point numbers in registers: compile by -mabi=ilp32"));
        }
        if flags & EMBEDDED != 0 {
            return Err(refuse("it is for 16 registers: compile by -march=rv32im -mabi=ilp32"));
        }
        let entry = file.word(24)?;
        let mut segments = segments(file, entry)?;
        if !segments.iter().any(|segment| segment.executable) {
            // Some linkers leave out the flags where a script names none.
            if let Some(segment) = segments.iter_mut().find(|segment| segment.holds(entry)) {
                segment.executable = true;
                segment.writable = true;
            }
        }
        let starts = segments.iter().any(|segment| segment.executable && segment.holds(entry));
        if !starts || entry % 4 != 0 {
            return Err(refuse(format!(
                "it begins at {entry:#x}, where no instruction is: see to `_start`, or link by --entry"
            )));
        }
        let symbols = Symbols::read(file, &segments)?;
        Ok(Self { entry, segments, symbols })
    }

    /// The address behind all segments.
    pub fn end(&self) -> u64 {
        self.segments.last().map_or(0, Segment::end)
    }
}

/// The loadable segments.
fn segments(file: File<'_>, entry: u32) -> Result<Vec<Segment>> {
    let (table, size, count) = (file.word(28)?, file.half(42)?, file.half(44)?);
    if count as usize > MOST_SEGMENTS {
        return Err(refuse(format!("it has {count} segments, and {MOST_SEGMENTS} is the most")));
    }
    if count > 0 && size as usize != PROGRAM_HEADER {
        return Err(refuse(format!("its program headers have {size} bytes, and not {PROGRAM_HEADER}")));
    }
    let mut segments = Vec::new();
    let mut memory = 0;
    for i in 0..count {
        let at = u64::from(table) + PROGRAM_HEADER as u64 * u64::from(i);
        let header = file.part(at, PROGRAM_HEADER, "its table of segments")?;
        let field = |i: usize| u32::from_le_bytes(header[4 * i..4 * i + 4].try_into().expect("four bytes"));
        let [kind, offset, address] = [field(0), field(1), field(2)];
        let [length, size, flags] = [field(4), field(5), field(6)];
        match kind {
            LOAD if size > 0 => {}
            DYNAMIC | INTERPRETER => {
                return Err(refuse("it needs a dynamic linker: link it by -static"));
            }
            _ => continue,
        }
        let place = format!("its segment {i} at {address:#x}");
        if length > size {
            return Err(refuse(format!("{place} has {length} bytes in the file, for {size} in memory")));
        }
        let end = u64::from(address) + u64::from(size);
        if end > 1 << 32 {
            return Err(refuse(format!("{place} ends beyond 2^32")));
        }
        if address < LOWEST {
            return Err(refuse(format!(
                "{place} lies below {LOWEST:#x}, where null pointers are caught: link it by \
                 -Ttext=0x10000, or by the linker script of examples/programs"
            )));
        }
        memory += u64::from(size);
        if memory > MOST_MEMORY {
            return Err(refuse(format!("it asks for more than {MOST_MEMORY} bytes of memory")));
        }
        let bytes = file.part(offset.into(), length as usize, &place)?.to_vec();
        let (executable, writable) = (flags & 1 != 0, flags & 2 != 0);
        segments.push(Segment { address, size, bytes, executable, writable });
    }
    segments.sort_by_key(|segment| segment.address);
    if let Some(pair) = segments.windows(2).find(|pair| pair[0].end() > pair[1].address.into()) {
        let [one, other] = [pair[0].address, pair[1].address];
        return Err(refuse(format!("its segments at {one:#x} and {other:#x} overlap")));
    }
    if segments.is_empty() {
        return Err(refuse(format!("it has nothing to load, and begins at {entry:#x}")));
    }
    Ok(segments)
}

/// The bytes of a file. Reading beyond the end is an error.
#[derive(Clone, Copy)]
pub(super) struct File<'f>(&'f [u8]);

impl<'f> File<'f> {
    /// `length` bytes from `at` on.
    pub(super) fn part(self, at: u64, length: usize, what: &str) -> Result<&'f [u8]> {
        let at = usize::try_from(at).ok();
        let part = at.and_then(|at| self.0.get(at..at.checked_add(length)?));
        part.ok_or_else(|| refuse(format!("{what} lies beyond its end: it may have been cut short")))
    }

    pub(super) fn half(self, at: u64) -> Result<u16> {
        let bytes = self.part(at, 2, "its header")?;
        Ok(u16::from_le_bytes(bytes.try_into().expect("two bytes")))
    }

    pub(super) fn word(self, at: u64) -> Result<u32> {
        let bytes = self.part(at, 4, "its header")?;
        Ok(u32::from_le_bytes(bytes.try_into().expect("four bytes")))
    }
}

pub(super) fn refuse(why: impl std::fmt::Display) -> Error {
    Error::invalid(format!("this is no program that can be run: {why}"))
}

/// Bytes of the header, and of a program header.
const HEADER: usize = 52;
const PROGRAM_HEADER: usize = 32;

/// Values of the header's fields, and masks of its flags, by the ELF specification and RISC-V's part of it.
const RISC_V: u16 = 243;
const EXECUTABLE: u16 = 2;
const SHARED: u16 = 3;
const LOAD: u32 = 1;
const DYNAMIC: u32 = 2;
const INTERPRETER: u32 = 3;
const COMPRESSED: u32 = 1;
const FLOATING: u32 = 6;
const EMBEDDED: u32 = 8;
