//! Programs and inputs as they are given.

use super::ending;
use crate::verbs::args::Ways;
use addr2line::Context;
use addr2line::gimli::{Dwarf, EndianSlice, LittleEndian, SectionId};
use std::path::Path;
use volery_cli::failure::{Failure, Result, one_of};
use volery_cli::values::Reader;
use volery_processor::{Inputs, Layout, MOST_BYTES, Misaligned, Place, Program, section};
use zeroize::Zeroizing;

/// The option that names a program.
pub(super) const PROGRAM: &str = "--program";

/// The most bytes of an input of a program.
pub(super) const MOST_INPUT: usize = 1 << 30;

/// The most bytes of a program's output.
const MOST_OUTPUT: usize = 16 << 20;

/// The values of `--misaligned`.
const FAULT: &str = "fault";
const EMULATE: &str = "emulate";

/// The most instructions of a run of this side's own, where nothing is said.
const MOST_CYCLES: u64 = 10_000_000_000;

/// The most instructions or rows of a run that a peer claims, where nothing is said: it takes work to count
/// them, some tenths of a microsecond for a row, and some microseconds for an instruction on secret words.
pub(super) const MOST_CLAIMED: u64 = 1 << 26;

/// A program and its file.
pub(super) struct Loaded {
    file: Vec<u8>,
    pub(super) program: Program,
    public: Zeroizing<Vec<u8>>,
    layout: Layout,
    misaligned: Misaligned,
    /// The value of `--max-cycles`.
    pub(super) cycles: Option<u64>,
}

impl Loaded {
    /// Loads the program that was typed.
    pub(super) fn of(path: &Path, typed: &Ways, reader: &mut Reader) -> Result<Self> {
        let at = |why: Failure| why.at(format_args!("{PROGRAM} {}", path.display()));
        let length = std::fs::metadata(path).map_err(|why| at(Failure::usage(why)))?.len();
        if length > MOST_BYTES as u64 {
            return Err(at(Failure::usage(format_args!(
                "it has {length} bytes, and {MOST_BYTES} is the most"
            ))));
        }
        let file = std::fs::read(path).map_err(|why| at(Failure::usage(why)))?;
        let program = Program::read(&file).map_err(|why| at(why.into()))?;
        let public = match &typed.public_input {
            Some(text) => reader.bytes("--public-input", text, MOST_INPUT)?,
            None => Zeroizing::default(),
        };
        let usual = Layout::default();
        let layout = Layout {
            heap: size("--memory", typed.memory.as_deref(), usual.heap)?,
            stack: size("--stack", typed.stack.as_deref(), usual.stack)?,
        };
        one_of("--misaligned", &typed.misaligned, &[FAULT, EMULATE])?;
        let misaligned = if typed.misaligned == EMULATE { Misaligned::Emulate } else { Misaligned::Fault };
        let cycles = typed.max_cycles.as_ref().map(|text| {
            text.parse().ok().filter(|cycles| *cycles > 0).ok_or_else(|| {
                Failure::usage("--max-cycles: write a number of instructions, such as 1000000")
            })
        });
        let cycles = cycles.transpose()?;
        Ok(Self { file, program, public, layout, misaligned, cycles })
    }

    /// The public input of its run, and the run's bounds.
    pub(super) fn inputs(&self) -> Inputs<'_> {
        let Self { ref public, layout, misaligned, cycles, .. } = *self;
        let cycles = cycles.unwrap_or(MOST_CYCLES);
        Inputs { public, layout, misaligned, cycles, output: MOST_OUTPUT }
    }

    /// The inputs of a run that a peer claims, whose end is looked for before anything is proved.
    pub(super) fn inputs_of_claim(&self) -> Inputs<'_> {
        Inputs { cycles: self.cycles.unwrap_or(MOST_CLAIMED), ..self.inputs() }
    }

    /// The place of `address`, with its line of source where the file has debug information.
    pub(super) fn place(&self, address: u32) -> Place {
        Place { line: self.line(address), ..self.program.symbols().place(address) }
    }

    fn line(&self, address: u32) -> Option<String> {
        let load = |id: SectionId| -> std::result::Result<_, addr2line::gimli::Error> {
            Ok(EndianSlice::new(section(&self.file, id.name()).unwrap_or_default(), LittleEndian))
        };
        let context = Context::from_dwarf(Dwarf::load(load).ok()?).ok()?;
        let found = context.find_location(address.into()).ok()??;
        let name = found.file?.rsplit('/').next()?.to_owned();
        Some(format!("{}:{}", ending::shown(&name), found.line?))
    }
}

/// A number of bytes.
pub(super) fn size(option: &str, text: Option<&str>, usual: u32) -> Result<u32> {
    let Some(text) = text else { return Ok(usual) };
    let (digits, factor) = match text.as_bytes().last().map(u8::to_ascii_uppercase) {
        Some(b'K') => (&text[..text.len() - 1], 1 << 10),
        Some(b'M') => (&text[..text.len() - 1], 1 << 20),
        Some(b'G') => (&text[..text.len() - 1], 1 << 30),
        _ => (text, 1),
    };
    let size = digits.parse::<u32>().ok().and_then(|number| number.checked_mul(factor));
    size.ok_or_else(|| {
        Failure::usage(format_args!("{option}: write a number of bytes below 4G, such as 65536, 64K or 1M"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        let read = |text| size("--memory", Some(text), 7).map_err(|why| why.line);
        assert_eq!(read("12"), Ok(12));
        assert_eq!((read("64K"), read("1m"), read("3G")), (Ok(65_536), Ok(1 << 20), Ok(3 << 30)));
        assert_eq!(size("--memory", None, 7).expect("the usual one"), 7);
        for wrong in ["", "K", "-1", "4G", "1.5M", "4294967296", "64KB"] {
            assert!(
                read(wrong).expect_err("refused").contains("--memory: write a number of bytes"),
                "{wrong}"
            );
        }
    }
}
