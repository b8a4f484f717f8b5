//! Arithmetic as rows: what takes several, and what has alternatives by signs, amounts and zeroes.

use super::Writer;
use crate::decode::Alu;
use crate::step::class::Class;
use crate::step::rom::hidden::{NOWHERE, T};
use crate::step::rom::{Advice, Place, Step, To};

impl Writer<'_> {
    pub(super) fn immediate(&mut self, alu: Alu, place: Place, [d, a]: [u32; 2], i: u32, next: To) {
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

    pub(super) fn alu(&mut self, alu: Alu, place: Place, [d, a, b]: [u32; 3], next: To) {
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

    /// The rows that leave a quotient in T1 and a remainder in T0, of unsigned words, and what is asked of
    /// both.
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
}
