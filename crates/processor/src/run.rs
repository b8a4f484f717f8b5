//! Statement about a run: "there is a private input, of which this program, given this public input, reads so
//! many bytes, ends as claimed and gives out what is claimed".
//!
//! Both parties run the program, the verifier without the private input: so each finds out alone whether
//! what its path and its addresses depend on is public.
//!
//! A run under public control can stand in a larger statement, whose wires are its private input: [`Run::push`]. What
//! such a run will be, whatever stands on them, [`Run::examine`] tells.

use crate::bits::{Bits, Private, Value};
use crate::elf::Place;
use crate::fault::{Fault, Kind};
use crate::machine::{End, Inputs, Machine, Misaligned, Room, Stop};
use crate::observe::{Nobody, Observer};
use crate::program::{Layout, Program, Window};
use crate::step::{Goal, Known, Steps, gone};
use crate::words::{Plain, Words as _};
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::Arc;
use volery::circuit::gadget::Word;
use volery::circuit::stream::{Recorder, Source, Stream};
use volery::{Error, F2, Result};
use zeroize::Zeroizing;

/// How a run has to end to be believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Demand {
    /// An exit by a call, with this code.
    Exit(u32),
    /// An exit by a call, with any code. The code is part of the claim.
    AnyExit,
    /// A fault of any kind.
    Crash,
    /// A fault of this kind.
    CrashBy(Kind),
}

/// How a run ends, as it is claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// An exit by a call, with this code.
    Exit(u32),
    /// A fault of this kind.
    Fault(Kind),
}

impl Demand {
    /// Whether `told` is what is demanded.
    pub fn is_met_by(self, told: Told) -> bool {
        match (self, told) {
            (Self::Exit(demanded), Told::Exit(code)) => demanded == code,
            (Self::CrashBy(demanded), Told::Fault(kind)) => demanded == kind,
            (Self::AnyExit, Told::Exit(_)) | (Self::Crash, Told::Fault(_)) => true,
            _ => false,
        }
    }
}

/// The public claim about a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The bytes of the private input that the program reads, and where a read ends in a fault the one that has
    /// no place: what may follow them is no part of anything.
    pub private: usize,
    /// The bytes that are given out.
    pub output: Vec<u8>,
    /// How it ends.
    pub end: Told,
}

impl Claim {
    /// Has `hasher` tell it from others.
    fn name(&self, hasher: &mut blake3::Hasher) {
        for length in [self.private, self.output.len()] {
            hasher.update(&(length as u64).to_le_bytes());
        }
        hasher.update(&self.output);
        let (kind, value) = match self.end {
            Told::Exit(code) => (0, code),
            Told::Fault(kind) => {
                (1, Kind::ALL.iter().position(|known| *known == kind).expect("one of all") as u32)
            }
        };
        hasher.update(&[kind]);
        hasher.update(&value.to_le_bytes());
    }
}

/// A run, as both parties know it.
pub struct Run<'p> {
    program: &'p Program,
    inputs: Inputs<'p>,
    locate: &'p (dyn Fn(u32) -> Place + Sync),
    gone: Arc<AtomicBool>,
    advice: Advice,
}

/// Words of errors, for whoever can ask for another run.
#[derive(Clone, Copy, Debug)]
pub struct Advice {
    /// The way to allow more instructions.
    pub cycles: &'static str,
    /// The way to have more room on the stack.
    pub stack: &'static str,
    /// The setting under which control has to be public.
    pub control: &'static str,
}

impl Default for Advice {
    fn default() -> Self {
        Self {
            cycles: "allow more by --max-cycles",
            stack: "allow more by --stack, or take less of it",
            control: "with --public-control",
        }
    }
}

/// A run under public control as whoever has not the private input knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Examined {
    /// Instructions.
    pub cycles: u64,
    /// Bytes of output.
    pub output: usize,
    /// ANDs.
    pub ands: u64,
}

/// A run in the clear.
pub struct Ended {
    /// The claim about the run, which holds.
    pub claim: Claim,
    /// The end of the run, and for a fault what happened.
    pub end: End<u32>,
    /// The address of its last instruction.
    pub pc: u32,
    /// Instructions.
    pub cycles: u64,
    /// Bytes of memory that were touched, by whole pages.
    pub touched: u64,
    /// The use of its heap and of its stack.
    pub used: [Room; 2],
    /// The program's messages to the user who runs it.
    pub messages: Zeroizing<Vec<u8>>,
}

impl<'p> Run<'p> {
    /// The run of `program`; errors give addresses as `locate` finds them.
    pub fn new(program: &'p Program, inputs: Inputs<'p>, locate: &'p (dyn Fn(u32) -> Place + Sync)) -> Self {
        Self { program, inputs, locate, gone: Arc::default(), advice: Advice::default() }
    }

    /// The run whose errors give this advice.
    #[must_use]
    pub fn advising(self, advice: Advice) -> Self {
        Self { advice, ..self }
    }

    /// The run whose statements fail once `gone` is true: nobody waits for them any more.
    #[must_use]
    pub fn until(self, gone: Arc<AtomicBool>) -> Self {
        Self { gone, ..self }
    }

    /// The digest of the program's bytes, its memory and its public input, and of how it is run. How far it
    /// may go is each party's own business.
    pub fn digest(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_derive_key(CONTEXT);
        let Inputs { public, layout: Layout { heap, stack }, misaligned, .. } = self.inputs;
        hasher.update(self.program.digest());
        for size in [heap, stack] {
            hasher.update(&size.to_le_bytes());
        }
        hasher.update(&[u8::from(misaligned == Misaligned::Emulate)]);
        hasher.update(public);
        *hasher.finalize().as_bytes()
    }

    /// The digest of the run where it is proved row by row.
    pub fn digest_of_steps(&self) -> [u8; 32] {
        blake3::derive_key(STEPS_CONTEXT, &self.digest())
    }

    /// The digest of the statement that the run ends as claimed, by these steps.
    pub fn digest_of_rows(&self, claim: &Claim, steps: &Steps) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_derive_key(ROWS_CONTEXT);
        hasher.update(&self.digest_of_steps());
        hasher.update(&steps.digest());
        claim.name(&mut hasher);
        *hasher.finalize().as_bytes()
    }

    /// The statement that the run ends as claimed, in `rows` rows, for some private input.
    ///
    /// # Errors
    /// Those of [`Steps::new`]; `Invalid` where misaligned accesses are emulated.
    pub fn steps(&self, claim: &Claim, rows: u64) -> Result<Steps> {
        if self.inputs.misaligned == Misaligned::Emulate {
            return Err(Error::invalid(
                "misaligned accesses are emulated under public control only: leave out --misaligned, or give \
                 --public-control",
            ));
        }
        let goal = match claim.end {
            Told::Exit(code) => Goal::Exit(code),
            Told::Fault(kind) => Goal::Fault(kind),
        };
        let Inputs { public, layout, .. } = self.inputs;
        let known = Known { layout, public, output: &claim.output, goal };
        Ok(Steps::new(self.program, &known, rows)?.until(self.gone.clone()))
    }

    /// Runs the program in the clear, watched by `observer`.
    ///
    /// # Errors
    /// `Invalid` where it does not come to an end within its bounds, with the place.
    pub fn in_the_clear(&self, private: &[u8], observer: &mut impl Observer) -> Result<Ended> {
        let mut machine = Machine::new(self.program, self.inputs, Plain::new(private))?;
        let end = machine.run(observer).map_err(|stop| self.explain(stop, machine.pc()))?;
        let told = match end {
            End::Exit(code) => Told::Exit(code),
            End::Fault(fault) => Told::Fault(fault.kind),
        };
        let output = machine.words.output.to_vec();
        Ok(Ended {
            claim: Claim { private: machine.words.taken(), output, end: told },
            end,
            pc: machine.pc(),
            cycles: machine.cycles(),
            touched: machine.touched(),
            used: machine.used(),
            messages: core::mem::take(&mut machine.words.messages),
        })
    }

    /// Pushes the gates of the run over `private`, with public control: it ends by `end`, and gives out `output`. Gives
    /// its instructions.
    ///
    /// # Errors
    /// `Invalid` where it does not come to an end within its bounds, or what has to be public is not; `Unsatisfied` where
    /// what is public speaks against `end` or `output`; those of the backend.
    pub fn push(
        &self,
        recorder: &mut Recorder<'_, F2>,
        private: Private<'_>,
        output: &[u8],
        end: Told,
    ) -> Result<u64> {
        let ran = self.go_through(recorder, private, Some(output), end);
        ran.map(|ran| ran.cycles).map_err(|stopped| self.explain(stopped.why, stopped.pc))
    }

    /// Goes through the run, with public control, as whoever knows of the private input that it has so many bytes, and
    /// that the run ends by `end`.
    ///
    /// # Errors
    /// As for [`Run::push`].
    pub fn examine(&self, private: usize, end: Told) -> Result<Examined> {
        let unclaimed =
            Unclaimed { run: self, private, end, cycles: AtomicU64::new(0), output: AtomicU64::new(0) };
        let ands = Stream::new(&unclaimed).count()?.mul;
        let Unclaimed { cycles, output, .. } = unclaimed;
        Ok(Examined { cycles: cycles.into_inner(), output: output.into_inner() as usize, ands })
    }

    /// Pushes the gates of the run over `private`, whose output is checked where it is claimed.
    fn go_through(
        &self,
        recorder: &mut Recorder<'_, F2>,
        private: Private<'_>,
        output: Option<&[u8]>,
        end: Told,
    ) -> Result<Ran, Stopped> {
        let words = Bits::new(recorder, private, output);
        let machine = Machine::new(self.program, self.inputs, words);
        let mut machine = machine.map_err(Stopped::by)?.until(self.gone.clone());
        let ended = machine.run(&mut Nobody).map_err(|why| Stopped { why, pc: machine.pc() })?;
        self.demand(&mut machine, private, output, (ended, end)).map_err(Stopped::by)?;
        Ok(Ran { cycles: machine.cycles(), output: machine.given() })
    }

    /// Demands of a run that has ended that it did so by `end`, and gave out all of `output`.
    fn demand(
        &self,
        machine: &mut Machine<'_, Bits<'_, '_>>,
        private: Private<'_>,
        output: Option<&[u8]>,
        (ended, end): (End<Value>, Told),
    ) -> Result<()> {
        if let Some(output) = output
            && machine.given() < output.len()
        {
            return Err(Error::Unsatisfied(format!("an output of {} bytes", output.len())));
        }
        // Else a claim could make work of what nobody reads.
        if let Private::Witness(claimed) = private
            && machine.words.private_left() > 0
        {
            return Err(Error::Unsatisfied(format!("a private input of which {claimed} bytes are read")));
        }
        match (ended, end) {
            (End::Exit(code), Told::Exit(claimed)) => {
                machine.words.assert_equal(code, claimed, "the exit code")
            }
            (End::Fault(fault), Told::Fault(kind)) if fault.kind == kind => {
                machine.words.assert_equal(Value::Public(0), 0, "the end")
            }
            (End::Exit(_), Told::Fault(kind)) => {
                Err(Error::Unsatisfied(format!("an end by the fault `{}`", kind.name())))
            }
            (End::Fault(fault), _) => {
                Err(Error::Unsatisfied(format!("another end than by a fault {}", self.told(fault))))
            }
        }
    }

    /// The statement that it ends as claimed, over F_2 and with public control.
    pub fn claimed(&self, claim: Claim) -> Claimed<'_> {
        Claimed { run: self, claim, cycles: AtomicU64::new(0), is_too_long: AtomicBool::new(false) }
    }

    /// The kind of `fault`, and its place, for a person.
    pub fn told(&self, fault: Fault) -> String {
        let place = (self.locate)(fault.pc);
        let windows = self.program.windows(self.inputs.layout).unwrap_or_default();
        let is_below_stack =
            |[heap, stack]: [Window; 2]| (heap.end..stack.begin).contains(&fault.about.into());
        let accesses = matches!(fault.kind, Kind::Load | Kind::Store);
        let advice = match windows.last_chunk() {
            Some(last) if accesses && is_below_stack(*last) => {
                format!(", which is below the stack: {}", self.advice.stack)
            }
            _ => String::new(),
        };
        format!("at {place}: {fault}{advice}")
    }

    /// The error of a run that stopped at `pc`, for a person.
    fn explain(&self, stop: Stop, pc: u32) -> Error {
        let place = (self.locate)(pc);
        match stop {
            Stop::Error(error) => error,
            Stop::Cycles => Error::invalid(format!(
                "the program has not ended after {} instructions, at {place}: {}",
                self.inputs.cycles, self.advice.cycles
            )),
            Stop::Moved => Error::invalid(format!(
                "at {place} the program has moved more than {} words by calls: {}",
                self.inputs.cycles, self.advice.cycles
            )),
            Stop::Output => Error::invalid(format!(
                "at {place} the program gives out more than {} bytes, which is the most",
                self.inputs.output
            )),
            Stop::Gone => gone(),
            Stop::Secret(what) => Error::invalid(format!(
                "at {place} {what} depends on the private input: {} both sides have to know it, so write that part \
                 without, as `mask & a | ~mask & b` in the place of a branch",
                self.advice.control
            )),
        }
    }
}

/// A run with what is claimed of it: a statement.
pub struct Claimed<'r> {
    run: &'r Run<'r>,
    claim: Claim,
    /// Instructions, once somebody has gone through it.
    cycles: AtomicU64,
    is_too_long: AtomicBool,
}

impl Claimed<'_> {
    /// The claim.
    pub fn claim(&self) -> &Claim {
        &self.claim
    }

    /// Instructions of the run, once somebody has gone through it to its end.
    pub fn cycles(&self) -> u64 {
        self.cycles.load(Ordering::Relaxed)
    }

    /// Whether somebody has gone through the run up to its bounds, and not found its end.
    pub fn is_too_long(&self) -> bool {
        self.is_too_long.load(Ordering::Relaxed)
    }

    /// The digest of the statement: of [`Run::digest`], and of the claim.
    pub fn digest(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_derive_key(CLAIM_CONTEXT);
        hasher.update(&self.run.digest());
        self.claim.name(&mut hasher);
        *hasher.finalize().as_bytes()
    }

    /// The bits that the statement takes of a private input, in its order.
    ///
    /// # Panics
    /// Where the input is shorter than is claimed.
    pub fn witness(&self, private: &[u8]) -> impl Iterator<Item = F2> + Clone {
        private[..self.claim.private]
            .iter()
            .flat_map(|byte| (0..8).map(move |i| F2::from(byte >> i & 1 == 1)))
    }
}

/// The use of the digest of a run.
const CONTEXT: &str = "volery 2026 run of a RISC-V program";
/// The use of the digest of a run in rows, before there are any.
const STEPS_CONTEXT: &str = "volery 2026 run of a RISC-V program, row by row, version 2";
/// The use of the digest of a run in rows, which covers these and what classes ask of them. Its number goes up where
/// it changes how they are proved, in `step::block` and `step::lanes`.
const ROWS_CONTEXT: &str = "volery 2026 claim of a run of a RISC-V program, row by row, version 3";
/// The use of the digest of a statement; its number goes up where the gates of a run change.
const CLAIM_CONTEXT: &str = "volery 2026 claim of a run of a RISC-V program, public control, version 4";

impl Source<F2> for Claimed<'_> {
    fn record(&self, recorder: &mut Recorder<'_, F2>) -> Result<()> {
        let Claim { private, ref output, end } = self.claim;
        let ran = self.run.go_through(recorder, Private::Witness(private), Some(output), end);
        let ran = ran.map_err(|Stopped { why, pc }| {
            let is_too_long = matches!(why, Stop::Cycles | Stop::Moved);
            self.is_too_long.store(is_too_long, Ordering::Relaxed);
            self.run.explain(why, pc)
        })?;
        self.cycles.store(ran.cycles, Ordering::Relaxed);
        Ok(())
    }
}

/// A run of which nothing is claimed but its end, over bytes that are on wires.
struct Unclaimed<'r> {
    run: &'r Run<'r>,
    private: usize,
    end: Told,
    cycles: AtomicU64,
    output: AtomicU64,
}

impl Source<F2> for Unclaimed<'_> {
    fn record(&self, recorder: &mut Recorder<'_, F2>) -> Result<()> {
        let bytes = (0..self.private).map(|_| Word::witness(recorder)).collect::<Result<Vec<_>>>()?;
        let ran = self.run.go_through(recorder, Private::Wires(&bytes), None, self.end);
        let ran = ran.map_err(|stopped| self.run.explain(stopped.why, stopped.pc))?;
        self.cycles.store(ran.cycles, Ordering::Relaxed);
        self.output.store(ran.output as u64, Ordering::Relaxed);
        Ok(())
    }
}

/// A run over wires at its end.
struct Ran {
    cycles: u64,
    /// Bytes of output.
    output: usize,
}

/// A run over wires that stopped before its end, or ended otherwise than was claimed.
struct Stopped {
    why: Stop,
    pc: u32,
}

impl Stopped {
    fn by(why: Error) -> Self {
        Self { why: Stop::Error(why), pc: 0 }
    }
}
