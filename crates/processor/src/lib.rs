//! Runs of ordinary programs for RV32IM: in the clear, and as statements that are proved.
//!
//! There is one reader of files, one decoder and one interpreter, [`Machine`], over what stands for words:
//! [`Plain`] numbers, or [`Bits`] on wires of a circuit, of which those that both parties know cost nothing.
//! Each module imports only those of the lines above its own, and
//! `crates/cli/tests/cli/rooms.rs` reads the imports.
//! ```text
//! decode  elf                  instructions, programs as they are linked
//! fault  program               how a run ends, a program with its instructions
//! words                        what words are
//! memory  observe              what is stored; who watches
//! machine                      the interpreter, and its calls
//! bits  step                   words on wires; runs row by row
//! run                          what is proved of a run
//! ```
#![forbid(unsafe_code)]

mod bits;
mod decode;
mod elf;
mod fault;
mod machine;
mod memory;
mod observe;
mod program;
mod run;
mod step;
mod words;

pub use bits::{Bits, MOST_ANDS, Private, Value};
pub use decode::{Alu, Condition, Instruction, Op, Sign, Width, decode};
pub use elf::{Elf, LOWEST, MOST_BYTES, MOST_MEMORY, Place, Segment, Symbols, section};
pub use fault::{Fault, Kind};
pub use machine::{End, Inputs, Machine, Misaligned, Room, Stop};
pub use observe::{Nobody, Observer, Profile, Trace};
pub use program::{Layout, Program};
pub use run::{Advice, Claim, Claimed, Demand, Ended, Examined, Run, Told};
pub use step::{Choices, Goal, Known, Steps};
pub use words::{Each, Plain, Words};
