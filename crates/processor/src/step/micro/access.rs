//! Loads and stores as rows, and how they fail.

use super::Writer;
use crate::decode::{Sign, Width};
use crate::fault::Kind;
use crate::step::class::Class;
use crate::step::rom::hidden::{NOWHERE, T};
use crate::step::rom::{Place, Step, To};

impl Writer<'_> {
    /// Writes steps by which accesses at `a + i` end the run by a fault, `width` bytes each, that can be made
    /// in `ranges`.
    pub(super) fn access_faults(&mut self, place: Place, width: Width, [a, i]: [u32; 2], stores: bool) {
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

    pub(super) fn load(
        &mut self,
        place: Place,
        (width, sign): (Width, Sign),
        [d, a]: [u32; 2],
        i: u32,
        next: To,
    ) {
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

    pub(super) fn store(&mut self, place: Place, width: Width, [a, b]: [u32; 2], i: u32, next: To) {
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
    pub(in super::super) fn byte(&self, at: u32, a: u32, value: u32) -> Vec<Step> {
        vec![
            Step::with(Class::Lhalf, T[0], [a, 0], at),
            Step::of(Class::Putb, T[0], T[0], value),
            Step::with(Class::Shalf, NOWHERE, [a, T[0]], at),
        ]
    }
}
