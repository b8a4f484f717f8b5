//! Calls: what a program asks for by `ecall`, as Linux and newlib number it.
//!
//! | number | call | what it does |
//! |---|---|---|
//! | 93, 94 | `exit(code)` | ends the run |
//! | 63 | `read(descriptor, buffer, length)` | 0 is the private input, 3 the public one |
//! | 64 | `write(descriptor, buffer, length)` | 1 is the output, 2 what only the prover sees |
//! | 66 | `writev(descriptor, vectors, count)` | the same of several buffers |
//! | 214 | `brk(address)` | moves the end of the heap, and tells where it is |
//! | 57, 62, 29 | `close`, `lseek`, `ioctl` | 0; not possible on pipes; no terminal |
//! | others | | not there |
//!
//! Where a buffer is not in memory, a call ends in the fault of an access. All arguments but bytes that are
//! read and written, and an exit code, are known to both parties. Each word that a call moves counts against
//! the limit of cycles, apart from these.

use super::{End, Machine, Step, Stop};
use crate::decode::{Sign, Width};
use crate::fault::Kind;
use crate::program::PAGE;
use crate::words::Words;

const EXIT: u32 = 93;
const EXIT_GROUP: u32 = 94;
const READ: u32 = 63;
const WRITE: u32 = 64;
const WRITE_VECTORS: u32 = 66;
const BREAK: u32 = 214;
const CLOSE: u32 = 57;
const SEEK: u32 = 62;
const CONTROL: u32 = 29;

/// Numbers that calls return where they fail, as Linux has them.
const BAD_DESCRIPTOR: u32 = -9i32 as u32;
const INVALID: u32 = -22i32 as u32;
const NO_TERMINAL: u32 = -25i32 as u32;
const NO_SEEKING: u32 = -29i32 as u32;
const NO_CALL: u32 = -38i32 as u32;

/// Registers of the arguments and the number.
const A0: u8 = 10;
const A1: u8 = 11;
const A2: u8 = 12;
const A7: u8 = 17;

/// The most buffers of one call.
const MOST_VECTORS: u32 = 1024;

/// The most bytes that one call moves, as Linux has it.
const MOST_BYTES: u32 = 0x7fff_f000;

impl<W: Words> Machine<'_, W> {
    /// Executes a call.
    pub(super) fn call(&mut self) -> Step<W::Word> {
        let number = self.known(A7, "the number of a call")?;
        let result = match number {
            EXIT | EXIT_GROUP => return Ok(Some(End::Exit(self.registers[usize::from(A0)]))),
            READ | WRITE => {
                let descriptor = self.known(A0, "a descriptor")?;
                let buffer = self.known(A1, "the address of a buffer")?;
                let length = self.known(A2, "the length of a buffer")?.min(MOST_BYTES);
                let moved = if number == READ {
                    self.read(descriptor, buffer, length)
                } else {
                    self.write(descriptor, buffer, length)
                };
                match moved {
                    Ok(moved) => moved,
                    Err(CallEnd::Fault(kind, address)) => return self.fault(kind, address),
                    Err(CallEnd::Stop(stop)) => return Err(stop),
                }
            }
            WRITE_VECTORS => match self.write_vectors() {
                Ok(moved) => moved,
                Err(CallEnd::Fault(kind, address)) => return self.fault(kind, address),
                Err(CallEnd::Stop(stop)) => return Err(stop),
            },
            BREAK => {
                let asked = self.known(A0, "the end of the heap")?;
                self.asked = self.asked.max(asked);
                if (self.heap.begin..=self.heap.end).contains(&asked.into()) {
                    self.at_break = asked;
                }
                self.at_break
            }
            CLOSE => 0,
            SEEK => NO_SEEKING,
            CONTROL => NO_TERMINAL,
            _ => NO_CALL,
        };
        self.registers[usize::from(A0)] = self.words.public(result);
        Ok(None)
    }

    /// Brings bytes of an input to `buffer`.
    fn read(&mut self, descriptor: u32, buffer: u32, length: u32) -> Result<u32, CallEnd> {
        let left = match descriptor {
            0 => self.words.private_left(),
            3 => self.public.len() - self.public_taken,
            _ => return Ok(BAD_DESCRIPTOR),
        };
        let length = length.min(u32::try_from(left).unwrap_or(MOST_BYTES));
        for (address, width) in pieces(buffer, length) {
            self.moves(1)?;
            if self.memory.place(&mut self.words, address).is_none() {
                // The byte that has no place is claimed as read: else a verifier's read would be short, and
                // return.
                if descriptor == 0 {
                    self.words.private(Width::Byte)?;
                }
                return Err(CallEnd::Fault(Kind::Store, address));
            }
            let word = if descriptor == 0 {
                self.words.private(width)?
            } else {
                let mut word = [0; 4];
                let end = self.public_taken + width.bytes() as usize;
                word[..width.bytes() as usize].copy_from_slice(&self.public[self.public_taken..end]);
                self.public_taken = end;
                self.words.public(u32::from_le_bytes(word))
            };
            self.store(address, width, word);
            if self.words.crowded() {
                self.collect();
            }
        }
        Ok(length)
    }

    /// Gives out bytes of `buffer`.
    fn write(&mut self, descriptor: u32, buffer: u32, length: u32) -> Result<u32, CallEnd> {
        if !matches!(descriptor, 1 | 2) {
            return Ok(BAD_DESCRIPTOR);
        }
        if descriptor == 1 && length as usize > self.limits.output - self.given {
            return Err(CallEnd::Stop(Stop::Output));
        }
        if descriptor == 2 && !self.words.hears() {
            return self.look_over(buffer, length);
        }
        for (address, width) in pieces(buffer, length) {
            self.moves(1)?;
            let word = self.memory.load(&mut self.words, address);
            let word = word.ok_or(CallEnd::Fault(Kind::Load, address))?;
            let word = self.words.part(word, address % 4, width, Sign::Unsigned);
            if descriptor == 1 {
                self.words.output(word, width, self.given)?;
                self.given += width.bytes() as usize;
            } else {
                self.words.message(word, width);
            }
            if self.words.crowded() {
                self.collect();
            }
        }
        Ok(length)
    }

    /// Reads the bytes of a [`Self::write`] whose output goes nowhere: they have to be there all the same.
    fn look_over(&mut self, buffer: u32, length: u32) -> Result<u32, CallEnd> {
        let mut done = 0;
        while done < length {
            let at = buffer.wrapping_add(done);
            if self.memory.load(&mut self.words, at).is_none() {
                self.moves(1)?;
                return Err(CallEnd::Fault(Kind::Load, at));
            }
            // Memory is there by pages.
            let here = (length - done).min(PAGE - at % PAGE);
            let bytes = (at.wrapping_neg() % 4).min(here);
            self.moves(bytes + (here - bytes) / 4 + (here - bytes) % 4)?;
            done += here;
        }
        Ok(length)
    }

    /// Counts words or bytes that are moved: otherwise a call could take endless work in one cycle.
    #[inline]
    fn moves(&mut self, count: u32) -> Result<(), Stop> {
        self.moved += u64::from(count);
        if self.moved > self.limits.cycles { Err(Stop::Moved) } else { self.is_waited_for() }
    }

    /// Gives out bytes of several buffers.
    fn write_vectors(&mut self) -> Result<u32, CallEnd> {
        let descriptor = self.known(A0, "a descriptor")?;
        let vectors = self.known(A1, "the address of buffers")?;
        let count = self.known(A2, "the number of buffers")?;
        if count > MOST_VECTORS {
            return Ok(INVALID);
        }
        let mut written = 0u32;
        for i in 0..count {
            self.moves(1)?;
            let mut field = |at: u32| {
                let address = vectors.wrapping_add(8 * i + at);
                if address % 4 != 0 {
                    return Err(CallEnd::Fault(Kind::Misaligned, address));
                }
                let word = self.memory.load(&mut self.words, address);
                let word = word.ok_or(CallEnd::Fault(Kind::Load, address))?;
                Ok(self.words.value(word).ok_or(Stop::Secret("the place of a buffer"))?)
            };
            let (buffer, length) = (field(0)?, field(4)?);
            if length > MOST_BYTES - written {
                return Ok(INVALID);
            }
            match self.write(descriptor, buffer, length)? {
                BAD_DESCRIPTOR => return Ok(BAD_DESCRIPTOR),
                more => written += more,
            }
        }
        Ok(written)
    }
}

/// How a call ends that does not return.
enum CallEnd {
    Fault(Kind, u32),
    Stop(Stop),
}

impl<E: Into<Stop>> From<E> for CallEnd {
    fn from(why: E) -> Self {
        Self::Stop(why.into())
    }
}

/// `length` bytes from `address` on, as words where they are whole, and bytes.
fn pieces(address: u32, length: u32) -> impl Iterator<Item = (u32, Width)> {
    let mut done = 0;
    std::iter::from_fn(move || {
        let (at, left) = (address.wrapping_add(done), length - done);
        let width = match left {
            0 => return None,
            4.. if at % 4 == 0 => Width::Word,
            _ => Width::Byte,
        };
        done += width.bytes();
        Some((at, width))
    })
}
