//! Calls as rows: what [`crate::machine`] does in a call, by loops over bytes and words.
//!
//! All programs share these rows. They leave no register changed but `a0`. What differs from the interpreter:
//! `writev` has no rows, so that a run that calls it cannot be proved. The length of the private input is
//! secret: where a read returns less than is asked for the input has ended, and all reads behind it return
//! nothing.

use super::class::Class;
use super::micro::{Goal, Writer};
use super::rom::{Advice, Place, Step, To, hidden};
use crate::fault::Kind;
use hidden::{AT, BACK, BREAK, DONE, ENDED, INPUT, LEFT, NOWHERE, OUTPUT, T};

const A0: u32 = 10;
const A1: u32 = 11;
const A2: u32 = 12;
const A7: u32 = 17;

/// The most bytes that one call moves.
const MOST_BYTES: u32 = 0x7fff_f000;

/// Adds the rows of all calls, which begin at `begin`.
pub(super) fn write(writer: &mut Writer<'_>, begin: Place) {
    let back = writer.rom.decided();
    writer.jump(back, [NOWHERE, BACK], 0);
    let mut calls = Calls { writer, back };
    let handlers: Vec<(u32, Place)> = [29, 57, 62, 63, 64, 66, 93, 94, 214]
        .into_iter()
        .map(|number| (number, calls.writer.rom.decided()))
        .collect();
    for &(number, handler) in &handlers {
        calls.writer.put(begin, &[Step::is(A7, number)], To::Place(handler));
        match number {
            29 => calls.returns(handler, -25i32 as u32),
            57 => calls.returns(handler, 0),
            62 => calls.returns(handler, -29i32 as u32),
            63 => calls.read(handler),
            64 => calls.write(handler),
            93 | 94 => calls.exit(handler),
            214 => calls.move_break(handler),
            _ => {}
        }
    }
    let none = calls.writer.rom.decided();
    let numbers: Vec<(u64, u64)> = handlers.iter().map(|(n, _)| (u64::from(*n), u64::from(*n) + 1)).collect();
    calls.writer.outside(begin, A7, &numbers, none);
    calls.returns(none, -38i32 as u32);
}

struct Calls<'w, 'p> {
    writer: &'w mut Writer<'p>,
    back: Place,
}

impl Calls<'_, '_> {
    fn returns(&mut self, place: Place, value: u32) {
        self.writer.put(place, &[Step::add(A0, 0, value)], To::Place(self.back));
    }

    fn exit(&mut self, place: Place) {
        if let Goal::Exit(code) = self.writer.goal {
            self.writer.put(place, &[Step::is(A0, code)], To::Place(self.writer.end));
        }
    }

    fn move_break(&mut self, place: Place) {
        let (begin, end) = self.writer.image.heap;
        let [begin, end] = [begin, end].map(|address| self.writer.constant(address));
        let inside = [Step::less(A0, begin, false), Step::less(end, A0, false), Step::add(BREAK, A0, 0)];
        let back = To::Place(self.back);
        self.writer.put(place, &inside, back);
        let same = Step::add(A0, BREAK, 0);
        self.writer.put(place, &[Step::less(A0, begin, true), same], back);
        self.writer.put(place, &[Step::less(end, A0, true), same], back);
    }

    /// The least of A2, the most bytes of a call, and what `left` holds if that is a register, in LEFT.
    fn length(&mut self, place: Place, left: Option<u32>, to: Place) {
        let most = self.writer.constant(MOST_BYTES);
        let capped = self.writer.rom.place();
        self.writer.put(place, &[Step::less(most, A2, false), Step::add(LEFT, A2, 0)], To::Place(capped));
        self.writer.put(place, &[Step::less(most, A2, true), Step::add(LEFT, most, 0)], To::Place(capped));
        let Some(left) = left else {
            return self.writer.put(capped, &[Step::add(DONE, LEFT, 0)], To::Place(to));
        };
        let whole = [Step::less(left, LEFT, false), Step::add(DONE, LEFT, 0)];
        self.writer.put(capped, &whole, To::Place(to));
        let part = [Step::less(left, LEFT, true), Step::add(LEFT, left, 0), Step::add(DONE, left, 0)];
        self.writer.put(capped, &part, To::Place(to));
    }

    /// A loop from AT on over LEFT bytes, which ends in returning DONE: where it begins, and each time goes on.
    fn bytes(&mut self, stores: bool) -> Place {
        let each = self.writer.rom.decided();
        self.writer.put(each, &[Step::is(LEFT, 0), Step::add(A0, DONE, 0)], To::Place(self.back));
        let kind = if stores { Kind::Store } else { Kind::Load };
        if let Some(end) = self.writer.fault(kind) {
            let (more, ranges) = (self.writer.rom.place(), self.writer.image.ranges(stores));
            self.writer.put(each, &[Step::less(0, LEFT, true)], To::Place(more));
            self.writer.outside(more, AT, &ranges, end);
        }
        each
    }

    /// The steps that end a loop's body, which has moved `by` bytes.
    fn on(by: u32) -> [Step; 2] {
        [Step::add(AT, AT, by), Step::add(LEFT, LEFT, 0u32.wrapping_sub(by))]
    }

    /// The condition that four bytes are left, and the same that any is.
    fn left(&mut self, by: u32) -> Step {
        let one_less = self.writer.constant(by - 1);
        Step::less(one_less, LEFT, true)
    }

    fn read(&mut self, place: Place) {
        let (private, public) = (self.writer.rom.place(), self.writer.rom.place());
        self.descriptors(place, [(0, private), (3, public)]);
        let at = self.writer.image.offset(0);
        let begin = Step::add(AT, A1, 0);

        let each = self.bytes(true);
        let (counted, wanted) = (self.writer.rom.place(), self.writer.rom.place());
        self.writer.put(private, &[begin], To::Place(counted));
        self.length(counted, None, wanted);
        // DONE is what is asked for. An honest prover takes the first that it can: less only where less is
        // left.
        let less = [
            Step::is(ENDED, 0),
            Step::any(LEFT, Advice::Length(DONE)),
            Step::less(LEFT, DONE, true),
            Step::add(DONE, LEFT, 0),
            Step::add(ENDED, 0, 1),
        ];
        self.writer.put(wanted, &less, To::Place(each));
        self.writer.put(wanted, &[Step::is(ENDED, 0)], To::Place(each));
        let nothing = [Step::is(ENDED, 1), Step::add(LEFT, 0, 0), Step::add(DONE, 0, 0)];
        self.writer.put(wanted, &nothing, To::Place(each));
        let word =
            [self.left(4), Step::any(T[1], Advice::Bytes(4)), Step::with(Class::Sw, NOWHERE, [AT, T[1]], at)];
        self.writer.put(each, &[&word[..], &Self::on(4)].concat(), To::Place(each));
        let limit = self.writer.constant(256);
        let byte = [self.left(1), Step::any(T[1], Advice::Bytes(1)), Step::less(T[1], limit, true)];
        let store = self.writer.byte(at, AT, T[1]);
        self.writer.put(each, &[&byte[..], &store, &Self::on(1)].concat(), To::Place(each));

        let each = self.bytes(true);
        let [end, _] = self.writer.image.ends();
        let end = self.writer.constant(end);
        let counted = self.writer.rom.place();
        self.writer.put(public, &[begin, Step::of(Class::Sub, T[2], end, INPUT)], To::Place(counted));
        self.length(counted, Some(T[2]), each);
        let byte = [
            self.left(1),
            Step::of(Class::Lio, T[1], INPUT, 0),
            Step::of(Class::Byte, T[1], T[1], 0),
            Step::add(INPUT, INPUT, 1),
        ];
        self.writer.put(each, &[&byte[..], &store, &Self::on(1)].concat(), To::Place(each));
    }

    fn write(&mut self, place: Place) {
        let (output, message) = (self.writer.rom.place(), self.writer.rom.place());
        self.descriptors(place, [(1, output), (2, message)]);
        let at = self.writer.image.offset(0);
        for (place, compared) in [(output, true), (message, false)] {
            let each = self.bytes(false);
            let counted = self.writer.rom.place();
            self.writer.put(place, &[Step::add(AT, A1, 0)], To::Place(counted));
            self.length(counted, None, each);
            let half = Step::with(Class::Lhalf, T[1], [AT, 0], at);
            let mut steps = vec![self.left(1), half];
            if compared {
                steps.extend([
                    Step::of(Class::Byte, T[1], T[1], 0),
                    Step::of(Class::Lio, T[2], OUTPUT, 0),
                    Step::of(Class::Byte, T[2], T[2], 0),
                    Step::of(Class::Eq, NOWHERE, T[1], T[2]),
                    Step::add(OUTPUT, OUTPUT, 1),
                ]);
            } else {
                let word = [self.left(4), Step::with(Class::Lw, NOWHERE, [AT, 0], at)];
                self.writer.put(each, &[&word[..], &Self::on(4)].concat(), To::Place(each));
            }
            steps.extend(Self::on(1));
            self.writer.put(each, &steps, To::Place(each));
        }
    }

    /// Goes on by the descriptor in A0, or returns that there is no such.
    fn descriptors(&mut self, place: Place, known: [(u32, Place); 2]) {
        for (number, to) in known {
            self.writer.put(place, &[Step::is(A0, number)], To::Place(to));
        }
        let wrong = self.writer.rom.place();
        let known = known.map(|(number, _)| (u64::from(number), u64::from(number) + 1));
        self.writer.outside(place, A0, &known, wrong);
        self.returns(wrong, -9i32 as u32);
    }
}
