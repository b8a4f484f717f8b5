//! Instructions as rows.

mod access;
mod arithmetic;

use super::calls;
use super::class::Class;
use super::image::Image;
use super::rom::{HALT, Place, Rom, Step, To, hidden};
use crate::decode::{Condition, Instruction, Op};
use crate::fault::Kind;
use crate::program::Program;
use hidden::{AFTER, BACK, NOWHERE, OUTPUT, T};

/// How a run has to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// An exit by a call, with this code.
    Exit(u32),
    /// A fault of this kind.
    Fault(Kind),
    /// A fault of any kind. The kind stays secret.
    AnyFault,
}

/// Makes the rows of a program.
pub(super) struct Writer<'p> {
    pub(super) rom: Rom,
    program: &'p Program,
    pub(super) image: &'p Image,
    pub(super) goal: Goal,
    /// The place where calls begin.
    calls: Place,
    /// The place where a run ends that may: what it gave out is complete there.
    pub(super) end: Place,
}

impl<'p> Writer<'p> {
    /// The rows of `program`, whose output ends at the address `given` of its stream.
    pub(super) fn write(program: &'p Program, image: &'p Image, goal: Goal, given: u32) -> Rom {
        let mut rom = Rom::default();
        let (calls, end) = (rom.decided(), rom.place());
        let mut writer = Self { rom, program, image, goal, calls, end };
        writer.rom.put(HALT, &[Step::add(NOWHERE, 0, 0)], To::Place(HALT));
        writer.rom.put(end, &[Step::is(OUTPUT, given)], To::Place(HALT));
        for text in &program.text {
            for (instruction, place) in text.code.iter().zip((text.base..).step_by(4)) {
                writer.instruction(instruction, place);
            }
        }
        calls::write(&mut writer, calls);
        writer.rom
    }

    /// Adds a way to do what is done at `place`.
    pub(super) fn put(&mut self, place: Place, steps: &[Step], to: To) {
        self.rom.put(place, steps, to);
    }

    /// The place that a fault leads to, if it may end the run.
    pub(super) fn fault(&self, kind: Kind) -> Option<Place> {
        let is_goal = self.goal == Goal::AnyFault || self.goal == Goal::Fault(kind);
        is_goal.then_some(self.end)
    }

    /// The place that a jump to `address` leads to, which both parties know.
    fn to(&self, address: u32) -> Option<To> {
        let inside = self.program.instruction(address).is_some() && address.is_multiple_of(4);
        if inside { Some(To::Place(address.into())) } else { self.fault(Kind::Fetch).map(To::Place) }
    }

    /// The register of a constant.
    pub(super) fn constant(&mut self, value: u32) -> u32 {
        self.rom.constant(value)
    }

    fn instruction(&mut self, instruction: &Instruction, pc: u32) {
        let Instruction { op, rd, rs1, rs2, immediate } = *instruction;
        let [d, a, b] = [rd, rs1, rs2].map(u32::from);
        let place = Place::from(pc);
        let next = self.to(pc.wrapping_add(4));
        if let Op::Branch(condition) = op {
            return self.branch(place, condition, [a, b], immediate, next);
        }
        let Some(next) = next else { return self.last(instruction, pc) };
        match op {
            Op::Register(alu) => self.alu(alu, place, [d, a, b], next),
            Op::Immediate(alu) => self.immediate(alu, place, [d, a], immediate, next),
            Op::Constant => self.put(place, &[Step::add(d, 0, immediate)], next),
            Op::Fence => self.put(place, &[Step::add(NOWHERE, 0, 0)], next),
            Op::Load(width, sign) => self.load(place, (width, sign), [d, a], immediate, next),
            Op::Store(width) => self.store(place, width, [a, b], immediate, next),
            Op::Control => self.put(place, &[Step::add(d, 0, 0)], next),
            Op::SetReturn => self.put(place, &[Step::add(AFTER, a, 0), Step::add(d, 0, 0)], next),
            _ => self.last(instruction, pc),
        }
    }

    /// An instruction that does not go on at the next.
    fn last(&mut self, instruction: &Instruction, pc: u32) {
        let Instruction { op, rd, rs1, immediate, .. } = *instruction;
        let (d, a): (u32, u32) = (rd.into(), rs1.into());
        let (place, next) = (Place::from(pc), pc.wrapping_add(4));
        let kind = match op {
            Op::Jump => {
                if let Some(to) = self.to(immediate) {
                    self.put(place, &[Step::add(d, 0, next)], to);
                }
                return;
            }
            Op::JumpRegister => return self.jump(place, [d, a], immediate),
            Op::Return => return self.jump(place, [NOWHERE, AFTER], 0),
            Op::Call => {
                self.put(place, &[Step::add(BACK, 0, next)], To::Place(self.calls));
                return;
            }
            Op::Break => Kind::Break,
            Op::FenceInstructions => Kind::SelfModifying,
            Op::Illegal => Kind::Illegal,
            // Nothing is behind it, but what it accesses may not be there either.
            Op::Load(width, _) => return self.access_faults(place, width, [a, immediate], false),
            Op::Store(width) => return self.access_faults(place, width, [a, immediate], true),
            // The last instruction of a segment, behind which there is none.
            _ => return,
        };
        if let Some(end) = self.fault(kind) {
            self.put(place, &[Step::add(NOWHERE, 0, 0)], To::Place(end));
        }
    }

    /// A branch, which leads to `target` or goes on at `next`, if it may.
    fn branch(
        &mut self,
        place: Place,
        condition: Condition,
        [a, b]: [u32; 2],
        target: u32,
        next: Option<To>,
    ) {
        let taken = self.to(target);
        let mut put = |step: Step, to: Option<To>| {
            if let Some(to) = to {
                self.rom.put(place, &[step], to);
            }
        };
        let compare = |class: Class, less: u32| Step::with(class, NOWHERE, [a, b], less);
        match condition {
            Condition::Eq | Condition::Ne => {
                let (equal, other) = if condition == Condition::Eq { (taken, next) } else { (next, taken) };
                put(Step::of(Class::Eq, NOWHERE, a, b), equal);
                put(Step::less(a, b, true), other);
                put(Step::less(b, a, true), other);
            }
            Condition::Lt | Condition::Ge | Condition::Ltu | Condition::Geu => {
                let signed = matches!(condition, Condition::Lt | Condition::Ge);
                let class = if signed { Class::Lt } else { Class::Ltu };
                let not = matches!(condition, Condition::Ge | Condition::Geu);
                let (less, other) = if not { (next, taken) } else { (taken, next) };
                put(compare(class, 1), less);
                put(compare(class, 0), other);
            }
        }
    }

    /// A jump to where a register says.
    pub(super) fn jump(&mut self, place: Place, [d, a]: [u32; 2], immediate: u32) {
        let link = Step::add(d, 0, (place as u32).wrapping_add(4));
        let go = |a: u32| Step::with(Class::Jalr, NOWHERE, [a, 0], immediate);
        if d == NOWHERE {
            self.put(place, &[go(a)], To::Itself);
        } else if d == a {
            // The register is read before the link is written.
            self.put(place, &[Step::add(T[0], a, 0), link, go(T[0])], To::Itself);
        } else {
            self.put(place, &[link, go(a)], To::Itself);
        }
        let Some(end) = self.fault(Kind::Fetch) else { return };
        let (even, low) = (self.constant(!1), self.constant(3));
        let target = self.rom.place();
        let steps = [Step::add(T[0], a, immediate), Step::of(Class::And, T[0], T[0], even)];
        self.put(place, &steps, To::Place(target));
        let odd = [Step::of(Class::And, T[1], T[0], low), Step::less(0, T[1], true)];
        self.put(target, &odd, To::Place(end));
        let texts = self.program.text.iter();
        let texts =
            texts.map(|text| (u64::from(text.base), u64::from(text.base) + 4 * text.code.len() as u64));
        self.outside(target, T[0], &texts.collect::<Vec<_>>(), end);
    }

    /// Writes steps that prove that the word in `register` lies in none of `ranges`, which are in order and
    /// do not overlap.
    pub(super) fn outside(&mut self, place: Place, register: u32, ranges: &[(u64, u64)], to: Place) {
        let mut behind = 0;
        let ends = [(1 << 32, 1 << 32)];
        for (begin, end) in ranges.iter().chain(&ends) {
            if behind < *begin {
                let mut steps = Vec::new();
                if behind > 0 {
                    steps.push(Step::less(register, self.rom.constant(behind as u32), false));
                }
                if *begin < 1 << 32 {
                    steps.push(Step::less(register, self.rom.constant(*begin as u32), true));
                }
                self.put(place, &steps, To::Place(to));
            }
            behind = *end;
        }
    }
}
