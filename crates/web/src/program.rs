//! Programs that read the body of an answer, where a policy names one: an ordinary program for RV32IM
//! ([`volery_processor`]), whose private input is the body, whole and behind its chunks, and whose output is shown.
//!
//! A run is in the [statement](crate::statement) gate by gate, over the wires that carry the body there, with public
//! control: both parties go through the program alike, the verifier without a byte of the body, so that no branch and no
//! address depends on one. What the verifier learns is the output, and that the exit code is 0; the path, and how many
//! bytes are read, follow from the body's length alone, which it knows. So there is no trace that a prover could make
//! up: its output alone is claimed, in the [opening](crate::opening).
//!
//! The prover finds out that control is public before it runs the program on its body. Else how long that takes, which
//! shows in when it goes on or leaves, would tell of the body.

use crate::error::{Error, Result};
use sha2::{Digest, Sha256};
use std::sync::Arc;
use volery::F2;
use volery::circuit::gadget::Word;
use volery::circuit::stream::{Handle, Recorder};
use volery_processor::{
    Advice, End, Examined, Inputs, Layout, MOST_ANDS, Misaligned, Nobody, Private, Program, Run, Told,
};
use zeroize::Zeroizing;

/// The most bytes that a program gives out.
pub const MOST_OUTPUT: usize = u16::MAX as usize;
/// The most instructions of a run where a policy says nothing, and the most words that its calls move.
pub const USUAL_CYCLES: u64 = 1_000_000;
/// The most instructions that a policy may allow.
pub const MOST_CYCLES: u64 = 1 << 32;

/// Bytes that a party holds for a word of a program's memory, if the word is secret: it is kept twice at most, its bits
/// on wires.
const HELD_OF_WORD: u64 = 2048;

/// The end of a run that a policy takes.
const END: Told = Told::Exit(0);

/// A program that reads the body of an answer.
#[derive(Clone, Debug)]
pub struct BodyProgram {
    program: Arc<Program>,
    sha256: [u8; 32],
    /// The bytes of memory that it can write to.
    writable: u64,
    cycles: u64,
}

impl PartialEq for BodyProgram {
    fn eq(&self, other: &Self) -> bool {
        (self.sha256, self.cycles) == (other.sha256, other.cycles)
    }
}

impl Eq for BodyProgram {}

/// A body that a program has read, as it is shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReadByProgram {
    /// SHA-256 of the program's file.
    pub sha256: [u8; 32],
    /// The bytes that the program gave out.
    pub output: Vec<u8>,
    /// Instructions of the run, which follow from the length of the body.
    pub instructions: u64,
    /// ANDs of the run, which follow from that, too.
    pub ands: u64,
}

impl BodyProgram {
    /// The program in a file, an ELF as linkers write it, which may take so many instructions.
    ///
    /// # Errors
    /// `Invalid` where it is none.
    pub fn new(file: &[u8], cycles: u64) -> Result<Self> {
        let invalid = |why: volery::Error| Error::invalid(why.to_string());
        let program = Program::read(file).map_err(invalid)?;
        let writable = program.writable(Layout::default()).map_err(invalid)?;
        if !(1..=MOST_CYCLES).contains(&cycles) {
            return Err(Error::invalid(format!("a program takes from 1 to {MOST_CYCLES} cycles")));
        }
        Ok(Self { program: Arc::new(program), sha256: Sha256::digest(file).into(), writable, cycles })
    }

    /// SHA-256 of the file.
    pub const fn sha256(&self) -> &[u8; 32] {
        &self.sha256
    }

    /// A digest of the program, of how it is run, and how far.
    pub(crate) fn digest(&self) -> [u8; 32] {
        let run = self.with_run(|run| run.digest());
        let cycles = self.cycles.to_be_bytes();
        Sha256::new().chain_update(self.sha256).chain_update(run).chain_update(cycles).finalize().into()
    }

    /// The most ANDs of a run.
    pub(crate) const fn most_ands(&self) -> u64 {
        MOST_ANDS.saturating_mul(self.cycles)
    }

    /// The most bytes that a party holds for the program's memory.
    pub(crate) fn most_memory(&self) -> u64 {
        // An instruction, or a move of a call, writes one word at most.
        HELD_OF_WORD * (self.writable / 4).min(2 * self.cycles)
    }

    /// Goes through the run on a body of so many bytes, as whoever knows none of them.
    ///
    /// # Errors
    /// Those of [`Run::examine`].
    pub(crate) fn examine(&self, length: usize) -> volery::Result<Examined> {
        self.with_run(|run| run.examine(length, END))
    }

    /// Runs the program on `body`: its output.
    ///
    /// # Errors
    /// `Unsatisfied` where it ends otherwise than it has to; `Invalid` where it comes to no end.
    pub(crate) fn run(&self, body: &[u8]) -> volery::Result<Zeroizing<Vec<u8>>> {
        self.with_run(|run| {
            let ended = run.in_the_clear(body, &mut Nobody)?;
            let output = Zeroizing::new(ended.claim.output);
            let why = match ended.end {
                _ if ended.claim.end == END => return Ok(output),
                End::Exit(code) => format!("exit code {}", code as i32),
                End::Fault(fault) => format!("a fault {}", run.told(fault)),
            };
            let name = format!("exit code 0 of the program, which ended by {why},");
            Err(volery::Error::Unsatisfied(name))
        })
    }

    /// Pushes the gates of the run on `body`, which gives out `output`. The wires of the body are the run's.
    pub(crate) fn push(
        &self,
        b: &mut Recorder<'_, F2>,
        body: &[Word<Handle, 8>],
        output: &[u8],
    ) -> volery::Result<()> {
        self.with_run(|run| run.push(b, Private::Wires(body), output, END)).map(drop)
    }

    fn with_run<T>(&self, act: impl FnOnce(&Run<'_>) -> T) -> T {
        let inputs = Inputs {
            public: &[],
            layout: Layout::default(),
            misaligned: Misaligned::Fault,
            cycles: self.cycles,
            output: MOST_OUTPUT,
        };
        let locate = |address| self.program.symbols().place(address);
        let advice = Advice {
            cycles: "allow more by `cycles` under `limits` of the policy",
            stack: "take less of it",
            control: "in a web proof",
        };
        act(&Run::new(&self.program, inputs, &locate).advising(advice))
    }
}

#[cfg(test)]
pub(crate) mod tests;
