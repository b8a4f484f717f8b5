//! Instructions as rows.

use super::calls;
use super::class::Class;
use super::image::Image;
use super::rom::{Advice, HALT, Place, Rom, Step, To, hidden};
use crate::decode::{Alu, Condition, Instruction, Op, Sign, Width};
use crate::fault::Kind;
use crate::program::Program;
use hidden::{AFTER, BACK, NOWHERE, OUTPUT, T};

/// How a run has to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// By a call, with this code.
    Exit(u32),
    /// By a fault of this kind.
    Fault(Kind),
    /// By a fault of any kind, which is not told.
    AnyFault,
}

/// Makes the rows of a program.
pub(super) struct Writer<'p> {
    pub(super) rom: Rom,
    program: &'p Program,
    pub(super) image: &'p Image,
    pub(super) goal: Goal,
    /// Where calls begin.
    calls: Place,
    /// Where a run ends that may: what it gave out is complete there.
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

    /// Where a fault leads, if it may end the run.
    pub(super) fn fault(&self, kind: Kind) -> Option<Place> {
        let is_goal = self.goal == Goal::AnyFault || self.goal == Goal::Fault(kind);
        is_goal.then_some(self.end)
    }

    /// Where a jump to `address` leads, which both parties know.
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
            Op::FenceInstructions | Op::Modified => Kind::SelfModifying,
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

    fn immediate(&mut self, alu: Alu, place: Place, [d, a]: [u32; 2], i: u32, next: To) {
        match (alu, i) {
            (Alu::Add, _) => self.put(place, &[Step::add(d, a, i)], next),
            (Alu::Sll | Alu::Srl | Alu::Sra, 0) => self.put(place, &[Step::add(d, a, 0)], next),
            (Alu::Sll, _) => {
                let power = self.constant(1 << i);
                self.put(place, &[Step::of(Class::Mul, d, a, power)], next);
            }
            (Alu::Srl | Alu::Sra, _) => {
                let power = self.constant(1 << (32 - i));
                self.shift_right(alu == Alu::Sra, place, [d, a, power], next);
            }
            _ => {
                let b = self.constant(i);
                self.alu(alu, place, [d, a, b], next);
            }
        }
    }

    /// `d` is the high word of `a · power`, a power of two, `a` being signed or not.
    fn shift_right(&mut self, signed: bool, place: Place, [d, a, power]: [u32; 3], next: To) {
        if !signed {
            return self.put(place, &[Step::of(Class::Mulhu, d, a, power)], next);
        }
        let high = |d: u32| Step::of(Class::Mulhu, d, a, power);
        self.put(place, &[Step::negative(a, false), high(d)], next);
        let correct = Step::of(Class::Sub, d, T[5], power);
        self.put(place, &[Step::negative(a, true), high(T[5]), correct], next);
    }

    fn alu(&mut self, alu: Alu, place: Place, [d, a, b]: [u32; 3], next: To) {
        let of = |class: Class| Step::of(class, d, a, b);
        let class = match alu {
            Alu::Add => Class::Add,
            Alu::Sub => Class::Sub,
            Alu::And => Class::And,
            Alu::Or => Class::Or,
            Alu::Xor => Class::Xor,
            Alu::Mul => Class::Mul,
            Alu::Mulhu => Class::Mulhu,
            Alu::Slt | Alu::Sltu => {
                let class = if alu == Alu::Slt { Class::Lt } else { Class::Ltu };
                for less in 0..2 {
                    self.put(place, &[Step::with(class, d, [a, b], less)], next);
                }
                return;
            }
            Alu::Sll | Alu::Srl | Alu::Sra => return self.shift(alu, place, [d, a, b], next),
            Alu::Mulh | Alu::Mulhsu => return self.high(alu == Alu::Mulh, place, [d, a, b], next),
            Alu::Divu | Alu::Remu => return self.divide(alu == Alu::Divu, place, [d, a, b], next),
            Alu::Div | Alu::Rem => return self.divide_signed(alu == Alu::Div, place, [d, a, b], next),
        };
        self.put(place, &[of(class)], next);
    }

    /// A shift by a register: one alternative for each number.
    fn shift(&mut self, alu: Alu, place: Place, [d, a, b]: [u32; 3], next: To) {
        let (mask, chosen) = (self.constant(31), self.rom.place());
        self.put(place, &[Step::of(Class::And, T[0], b, mask)], To::Place(chosen));
        let shifted = self.rom.place();
        for by in 0..32 {
            let power = match (alu, by) {
                (Alu::Sll, _) => 1 << by,
                (_, 0) => {
                    self.put(chosen, &[Step::is(T[0], 0), Step::add(d, a, 0)], next);
                    continue;
                }
                _ => 1 << (32 - by),
            };
            let power = self.constant(power);
            let choose = Step::with(Class::Select, T[1], [T[0], power], by);
            self.put(chosen, &[choose], To::Place(shifted));
        }
        match alu {
            Alu::Sll => self.put(shifted, &[Step::of(Class::Mul, d, a, T[1])], next),
            _ => self.shift_right(alu == Alu::Sra, shifted, [d, a, T[1]], next),
        }
    }

    /// The high word of a product of a signed number with one that is signed or not.
    fn high(&mut self, both: bool, place: Place, [d, a, b]: [u32; 3], next: To) {
        for [left, right] in [[false, false], [false, true], [true, false], [true, true]] {
            if right && !both {
                continue;
            }
            let mut steps = vec![Step::negative(a, left)];
            if both {
                steps.push(Step::negative(b, right));
            }
            let mut corrections = Vec::new();
            if left {
                corrections.push(b);
            }
            if right {
                corrections.push(a);
            }
            let to = |i: usize| if i == corrections.len() { d } else { T[0] };
            steps.push(Step::of(Class::Mulhu, to(0), a, b));
            for (i, of) in corrections.iter().enumerate() {
                steps.push(Step::of(Class::Sub, to(i + 1), T[0], *of));
            }
            self.put(place, &steps, next);
        }
    }

    /// The rows that leave a quotient in T1 and a remainder in T0, of unsigned words, and what is asked of both.
    fn division(quotient: bool, [a, b]: [u32; 2]) -> Vec<Step> {
        let mut steps = vec![Step::any(T[0], Advice::Quotient(a, b))];
        if quotient {
            steps.push(Step::add(T[1], T[0], 0));
        }
        steps.extend([Step::of(Class::Div, T[0], a, b), Step::less(T[0], b, true)]);
        steps
    }

    fn divide(&mut self, quotient: bool, place: Place, [d, a, b]: [u32; 3], next: To) {
        self.by_zero(quotient, place, [d, a, b], next);
        let mut steps = Self::division(quotient, [a, b]);
        steps.push(Step::add(d, T[usize::from(quotient)], 0));
        self.put(place, &steps, next);
    }

    fn by_zero(&mut self, quotient: bool, place: Place, [d, a, b]: [u32; 3], next: To) {
        let result = if quotient { Step::add(d, 0, u32::MAX) } else { Step::add(d, a, 0) };
        self.put(place, &[Step::of(Class::Eq, NOWHERE, b, 0), result], next);
    }

    fn divide_signed(&mut self, quotient: bool, place: Place, [d, a, b]: [u32; 3], next: To) {
        self.by_zero(quotient, place, [d, a, b], next);
        for [left, right] in [[false, false], [false, true], [true, false], [true, true]] {
            let mut steps = vec![Step::negative(a, left), Step::negative(b, right)];
            let mut magnitude = |of: u32, negative: bool, place: u32| {
                if negative {
                    steps.push(Step::of(Class::Sub, place, 0, of));
                }
                if negative { place } else { of }
            };
            let operands = [magnitude(a, left, T[2]), magnitude(b, right, T[3])];
            steps.extend(Self::division(quotient, operands));
            let result = T[usize::from(quotient)];
            let negative = if quotient { left != right } else { left };
            steps.push(if negative { Step::of(Class::Sub, d, 0, result) } else { Step::add(d, result, 0) });
            self.put(place, &steps, next);
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

    /// What proves that the word in `register` lies in none of `ranges`, which are in order and do not overlap.
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

    /// Where accesses at `a + i` end the run by a fault, `width` bytes each, that can be made in `ranges`.
    fn access_faults(&mut self, place: Place, width: Width, [a, i]: [u32; 2], stores: bool) {
        let kind = if stores { Kind::Store } else { Kind::Load };
        let low = width.bytes() - 1;
        if let (Some(end), 1..) = (self.fault(Kind::Misaligned), low) {
            let mask = self.constant(low);
            let bits = Step::of(Class::And, T[1], T[0], mask);
            self.put(place, &[Step::add(T[0], a, i), bits, Step::less(0, T[1], true)], To::Place(end));
        }
        if let Some(end) = self.fault(kind) {
            let accessed = self.rom.place();
            let mut steps = vec![Step::add(T[0], a, i)];
            if low > 0 {
                let mask = self.constant(low);
                steps.extend([Step::of(Class::And, T[1], T[0], mask), Step::is(T[1], 0)]);
            }
            self.put(place, &steps, To::Place(accessed));
            let ranges = self.image.ranges(stores);
            self.outside(accessed, T[0], &ranges, end);
        }
    }

    fn load(&mut self, place: Place, (width, sign): (Width, Sign), [d, a]: [u32; 2], i: u32, next: To) {
        let at = self.image.offset(i);
        let half = Step::with(Class::Lhalf, T[0], [a, 0], at);
        let limit = |writer: &mut Self, bits: u32, below: bool| {
            let constant = writer.constant(1 << bits);
            Step::less(T[0], constant, below)
        };
        match (width, sign) {
            (Width::Word, _) => self.put(place, &[Step::with(Class::Lw, d, [a, 0], at)], next),
            (Width::Byte, Sign::Unsigned) => {
                self.put(place, &[half, Step::of(Class::Byte, d, T[0], 0)], next);
            }
            (Width::Byte, Sign::Signed) => {
                let loaded = self.rom.place();
                self.put(place, &[half, Step::of(Class::Byte, T[0], T[0], 0)], To::Place(loaded));
                let (positive, negative) = (limit(self, 7, true), limit(self, 7, false));
                self.put(loaded, &[positive, Step::add(d, T[0], 0)], next);
                self.put(loaded, &[negative, Step::add(d, T[0], 0xffff_ff00)], next);
            }
            (Width::Half, Sign::Unsigned) => {
                let whole = limit(self, 16, true);
                self.put(place, &[half, whole, Step::add(d, T[0], 0)], next);
            }
            (Width::Half, Sign::Signed) => {
                let loaded = self.rom.place();
                self.put(place, &[half], To::Place(loaded));
                let (positive, negative) = (limit(self, 15, true), limit(self, 15, false));
                let whole = limit(self, 16, true);
                self.put(loaded, &[positive, Step::add(d, T[0], 0)], next);
                self.put(loaded, &[negative, whole, Step::add(d, T[0], 0xffff_0000)], next);
            }
        }
        self.access_faults(place, width, [a, i], false);
    }

    fn store(&mut self, place: Place, width: Width, [a, b]: [u32; 2], i: u32, next: To) {
        let at = self.image.offset(i);
        let half = Step::with(Class::Lhalf, T[0], [a, 0], at);
        match width {
            Width::Word => self.put(place, &[Step::with(Class::Sw, NOWHERE, [a, b], at)], next),
            Width::Half => {
                let limit = self.constant(1 << 16);
                let stored = Step::with(Class::Shalf, NOWHERE, [a, b], at);
                self.put(place, &[half, Step::less(T[0], limit, true), stored], next);
            }
            Width::Byte => {
                let mask = self.constant(255);
                let low = Step::of(Class::And, T[1], b, mask);
                let steps = self.byte(at, a, T[1]);
                self.put(place, &[&[low][..], &steps].concat(), next);
            }
        }
        self.access_faults(place, width, [a, i], true);
    }

    /// Stores the byte in `value` at `a + at`.
    pub(super) fn byte(&self, at: u32, a: u32, value: u32) -> Vec<Step> {
        vec![
            Step::with(Class::Lhalf, T[0], [a, 0], at),
            Step::of(Class::Putb, T[0], T[0], value),
            Step::with(Class::Shalf, NOWHERE, [a, T[0]], at),
        ]
    }
}
