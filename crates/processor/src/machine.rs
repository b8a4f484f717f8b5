//! The interpreter: one hart of RV32IM, whatever its words are.

mod access;
mod calls;

use crate::decode::{Instruction, Op, Width};
use crate::fault::{Fault, Kind};
use crate::memory::Memory;
use crate::observe::Observer;
use crate::program::{Layout, Program, Text, Window};
use crate::words::Words;
use core::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use volery::{Error, Result};
use zeroize::Zeroize;

/// A program that runs.
pub struct Machine<'p, W: Words> {
    /// The arithmetic of its words.
    pub words: W,
    pc: u32,
    cycles: u64,
    /// Words and bytes that calls have moved, which are no instructions, and work as these are.
    moved: u64,
    /// The registers that exist, and one that nobody reads; as many as indices of six bits need no bound.
    registers: [W::Word; 64],
    memory: Memory<'p, W::Word>,
    text: &'p [Text],
    /// The address that `mret` goes to.
    after: W::Word,
    public: &'p [u8],
    public_taken: usize,
    heap: Window,
    stack: Window,
    /// The program break, the end of its heap, and the highest that it has asked for.
    at_break: u32,
    asked: u32,
    given: usize,
    limits: Limits,
    misaligned: Misaligned,
    /// The cycles at which it looks up from its work.
    pause: u64,
    gone: Arc<AtomicBool>,
}

/// The use of a window of memory, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// The window's.
    pub there: u64,
    /// The bytes of pages that were touched.
    pub touched: u64,
    /// The most that `brk` was asked for.
    pub asked: u64,
}

/// Cycles between two looks at whether anybody waits for the end of a run.
const UNSEEN: u64 = 1 << 14;

/// The public input of a run, and its bounds.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'p> {
    /// The bytes that descriptor 3 reads.
    pub public: &'p [u8],
    /// The memory of the program.
    pub layout: Layout,
    /// The outcome of accesses at an address that is no multiple of their width.
    pub misaligned: Misaligned,
    /// The most instructions, and the most words that calls move.
    pub cycles: u64,
    /// The most bytes of output.
    pub output: usize,
}

/// The outcome of an access at an address that is no multiple of its width.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Misaligned {
    /// A fault, as on small processors.
    #[default]
    Fault,
    /// An access byte by byte, as on larger ones.
    Emulate,
}

#[derive(Clone, Copy)]
struct Limits {
    cycles: u64,
    output: usize,
}

/// How a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End<T> {
    /// An exit by a call, with this code.
    Exit(T),
    /// An end by a fault.
    Fault(Fault),
}

/// The reason why a run does not come to an end.
#[derive(Debug)]
pub enum Stop {
    /// The run has had all its cycles.
    Cycles,
    /// Calls have moved as many words as the run may have cycles.
    Moved,
    /// The run has given out more than it may.
    Output,
    /// Something has to be known to both parties, and depends on the private input.
    Secret(&'static str),
    /// Nobody waits for the end of the run any more.
    Gone,
    /// The backend's.
    Error(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

/// The outcome of a step: the end of the run, if it is one.
type Step<T> = Result<Option<End<T>>, Stop>;

impl<'p, W: Words> Machine<'p, W> {
    /// `program` before its first instruction: all registers are zero, but for the stack pointer.
    ///
    /// # Errors
    /// `Invalid` where its memory has no room.
    pub fn new(program: &'p Program, inputs: Inputs<'p>, mut words: W) -> Result<Self> {
        let windows = program.windows(inputs.layout)?;
        let [.., heap, stack] = windows[..] else { unreachable!("both are there") };
        let mut registers = [words.public(0); 64];
        registers[2] = words.public(stack.end as u32);
        Ok(Self {
            pc: program.elf.entry,
            cycles: 0,
            moved: 0,
            registers,
            memory: Memory::new(&program.elf.segments, windows),
            text: &program.text,
            after: words.public(0),
            words,
            public: inputs.public,
            public_taken: 0,
            heap,
            stack,
            at_break: heap.begin as u32,
            asked: heap.begin as u32,
            given: 0,
            limits: Limits { cycles: inputs.cycles, output: inputs.output },
            misaligned: inputs.misaligned,
            pause: 0,
            gone: Arc::default(),
        })
    }

    /// The machine that stops once `gone` is true.
    #[must_use]
    pub fn until(mut self, gone: Arc<AtomicBool>) -> Self {
        self.gone = gone;
        self
    }

    /// The address of the instruction that comes next, or has ended the run.
    pub fn pc(&self) -> u32 {
        self.pc
    }

    /// Instructions so far.
    pub fn cycles(&self) -> u64 {
        self.cycles
    }

    /// Bytes of memory that were touched, by whole pages.
    pub fn touched(&self) -> u64 {
        self.memory.pages() * u64::from(crate::program::PAGE)
    }

    /// The heap and the stack, as far as they were used.
    pub fn used(&self) -> [Room; 2] {
        let room = |window: Window, asked| Room {
            there: window.end - window.begin,
            touched: self.memory.touched_in(window),
            asked,
        };
        [room(self.heap, u64::from(self.asked) - self.heap.begin), room(self.stack, 0)]
    }

    /// Bytes of output so far.
    pub fn given(&self) -> usize {
        self.given
    }

    /// Runs the program to its end, watched by `observer`.
    ///
    /// # Errors
    /// Why it does not come to one; [`Machine::pc`] is then the instruction.
    pub fn run(&mut self, observer: &mut impl Observer) -> Result<End<W::Word>, Stop> {
        let mut part = 0;
        loop {
            let pc = self.pc;
            let instruction = loop {
                let text = &self.text[part];
                let offset = pc.wrapping_sub(text.base);
                match text.code.get((offset / 4) as usize) {
                    Some(instruction) if offset.is_multiple_of(4) => break *instruction,
                    _ => match self.text_of(pc) {
                        Ok(found) => part = found,
                        Err(fault) => return Ok(End::Fault(fault)),
                    },
                }
            };
            if self.cycles >= self.pause {
                self.look_up()?;
            }
            self.cycles += 1;
            if let Some(end) = self.step(instruction)? {
                self.pc = pc;
                return Ok(end);
            }
            observer.executed(pc, &instruction, || self.words.value(self.registers[place(instruction.rd)]));
            if self.words.crowded() {
                self.collect();
            }
        }
    }

    /// Whether the run may go on, and how long until this is asked again.
    #[cold]
    fn look_up(&mut self) -> Result<(), Stop> {
        if self.cycles >= self.limits.cycles {
            return Err(Stop::Cycles);
        }
        self.pause = self.limits.cycles.min(self.cycles.saturating_add(UNSEEN));
        self.is_waited_for()
    }

    fn is_waited_for(&self) -> Result<(), Stop> {
        if self.gone.load(Ordering::Relaxed) { Err(Stop::Gone) } else { Ok(()) }
    }

    /// The text that holds `pc`.
    #[cold]
    fn text_of(&self, pc: u32) -> Result<usize, Fault> {
        let holds = |text: &Text| pc.wrapping_sub(text.base) / 4 < text.code.len() as u32;
        let found = self.text.iter().position(holds).filter(|_| pc.is_multiple_of(4));
        found.ok_or(Fault { kind: Kind::Fetch, pc, about: pc })
    }

    /// Executes `instruction`, at the address where the machine stands.
    #[inline(always)]
    fn step(&mut self, instruction: Instruction) -> Step<W::Word> {
        let Instruction { op, rd, rs1, rs2, immediate } = instruction;
        let pc = self.pc;
        let mut next = pc.wrapping_add(4);
        match op {
            Op::Register(alu) => {
                let (a, b) = (self.registers[place(rs1)], self.registers[place(rs2)]);
                self.registers[place(rd)] = self.words.alu(alu, a, b)?;
            }
            Op::Immediate(alu) => {
                let b = self.words.public(immediate);
                self.registers[place(rd)] = self.words.alu(alu, self.registers[place(rs1)], b)?;
            }
            Op::Constant => self.registers[place(rd)] = self.words.public(immediate),
            Op::Branch(condition) => {
                let (a, b) = (self.registers[place(rs1)], self.registers[place(rs2)]);
                let holds = self.words.holds(condition, a, b);
                if holds.ok_or(Stop::Secret("a branch"))? {
                    next = immediate;
                }
            }
            Op::Jump => {
                self.registers[place(rd)] = self.words.public(next);
                next = immediate;
            }
            Op::JumpRegister => {
                // Before the link is written, which may be to the same register.
                let target = self.known(rs1, "the target of a jump")?.wrapping_add(immediate) & !1;
                self.registers[place(rd)] = self.words.public(next);
                next = target;
            }
            Op::Load(width, sign) => {
                let address = self.known(rs1, "the address of a load")?.wrapping_add(immediate);
                if address % width.bytes() != 0 {
                    match self.load_bytes(address, width, sign) {
                        Ok(loaded) => self.registers[place(rd)] = loaded,
                        Err(fault) => return Ok(Some(End::Fault(fault))),
                    }
                } else {
                    let Some(word) = self.memory.load(&mut self.words, address) else {
                        return self.fault(Kind::Load, address);
                    };
                    let loaded = match width {
                        Width::Word => word,
                        _ => self.words.part(word, address % 4, width, sign),
                    };
                    self.registers[place(rd)] = loaded;
                }
            }
            Op::Store(width) => {
                let address = self.known(rs1, "the address of a store")?.wrapping_add(immediate);
                if address % width.bytes() != 0 {
                    if let Err(fault) = self.store_bytes(address, width, self.registers[place(rs2)]) {
                        return Ok(Some(End::Fault(fault)));
                    }
                } else if !self.store(address, width, self.registers[place(rs2)]) {
                    return self.fault(Kind::Store, address);
                }
            }
            Op::Fence => {}
            Op::Call => match self.call()? {
                None => {}
                ended => return Ok(ended),
            },
            Op::Break => return self.fault(Kind::Break, pc),
            Op::FenceInstructions => return self.fault(Kind::SelfModifying, pc),
            Op::Illegal => return self.fault(Kind::Illegal, immediate),
            Op::Control => self.registers[place(rd)] = self.words.public(0),
            Op::SetReturn => {
                self.after = self.registers[place(rs1)];
                self.registers[place(rd)] = self.words.public(0);
            }
            Op::Return => {
                next = self.words.value(self.after).ok_or(Stop::Secret("the target of a jump"))? & !1;
            }
        }
        self.pc = next;
        Ok(None)
    }

    /// The value of a register that both parties have to know, as what `what` is.
    #[inline(always)]
    fn known(&self, register: u8, what: &'static str) -> Result<u32, Stop> {
        self.words.value(self.registers[place(register)]).ok_or(Stop::Secret(what))
    }

    /// The end by a fault of the instruction where the machine stands.
    #[cold]
    fn fault(&self, kind: Kind, about: u32) -> Step<W::Word> {
        Ok(Some(End::Fault(Fault { kind, pc: self.pc, about })))
    }

    #[cold]
    fn collect(&mut self) {
        let (registers, memory, after) = (&self.registers, &self.memory, self.after);
        self.words.collect(&|take| {
            registers.iter().for_each(|word| take(*word));
            take(after);
            memory.each(take);
        });
    }
}

impl<W: Words> Drop for Machine<'_, W> {
    fn drop(&mut self) {
        self.registers.zeroize();
        self.after.zeroize();
    }
}

/// The place of a register, which the compiler knows to be one of 64.
#[inline(always)]
fn place(register: u8) -> usize {
    usize::from(register % 64)
}
