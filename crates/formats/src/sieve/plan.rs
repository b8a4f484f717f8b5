//! When each wire of a statement is read for the last time: so a run holds the wires that are still to be
//! read, also where the file deletes none.
//!
//! When a relation is opened it is read forwards to be checked, with two bits a wire where numbers are near
//! each other; and where many wires are set at once by its own account, once more, part by part from the last
//! one to the first, each held against the digest that it had before. Going backwards, a wire that is read
//! and is not known to be needed is read for the last time, and one that is set and is not needed is never
//! read. What is kept of that is one bit for each time that a wire is read or set, in the order of the text,
//! in which runs take them. Wires of functions, and those that refer to memories, are not planned: the ends
//! of these are gates.

use super::changed;
use super::header::Type;
use super::marks::Marks;
use super::reader::{Reader, Stretch};
use super::scope::Scope;
use super::text::Text;
use std::sync::Arc;
use volery_channel::error::Result;

/// When a plan is made, and in which parts.
#[derive(Clone, Copy)]
pub(super) struct Planning {
    /// The number of wires that may be set at once without a plan.
    pub(super) unplanned: u64,
    /// The least bytes of a part of the text.
    pub(super) part: u64,
    /// Whether it is made of relations over two fields alone.
    pub(super) of_two: bool,
}

/// The limits from which on wires are planned: without a plan they may take some 25 MB. Planning takes as
/// long as checking the text.
pub(super) const PLANNING: Planning = Planning { unplanned: 1 << 19, part: 1 << 20, of_two: false };

/// The bytes that a plan has at most for each byte of the text, for each wire that is set at once without it,
/// which is less than such a wire takes, and beside that.
const MOST_TO_BYTE: u64 = 64;
const MOST_TO_WIRE: u64 = 24;
const MOST_BESIDE: u64 = 1 << 20;

/// For each time that a wire is read or set, whether nobody reads it any more.
#[derive(Debug)]
pub(super) struct WirePlan {
    parts: Vec<TextPart>,
    /// For each type whether its wires are planned.
    planned: Arc<[bool]>,
}

/// The bits of a part of the text.
#[derive(Debug)]
struct TextPart {
    bits: Box<[u64]>,
    length: u64,
}

/// Wires that are read or set, one after the other, with numbers in a row.
pub(super) struct WireRun {
    kind: u8,
    set: bool,
    first: u64,
    count: u64,
}

/// The wires that a part of the text reads and sets, in its order.
pub(super) struct Trace {
    planned: Arc<[bool]>,
    runs: Vec<WireRun>,
}

/// The place of a run in a plan.
pub(super) struct Follow {
    plan: Arc<WirePlan>,
    /// The part, and the word of it, that come next.
    part: usize,
    word: usize,
    /// The rest of the word at hand, and its number of bits.
    bits: u64,
    left: u32,
    /// Slots of wires that nobody reads behind this line, with their types.
    pub(super) last: Vec<(u8, u32)>,
}

impl WirePlan {
    /// The plan of the text of the file `name`, of these parts, the last of which ends at `end`: `open` reads
    /// it from one byte up to another. `reader` has read all of it. None, where it took far more than the text
    /// has bytes, as lines of a few bytes may set millions of wires, or more than the wires that it saves.
    ///
    /// # Errors
    /// Where the text cannot be read, or is not the one that was read before.
    pub(super) fn new<'s>(
        reader: &mut Reader<'s>,
        name: &str,
        (stretches, end): (&[Stretch], u64),
        open: impl Fn(u64, u64) -> Result<Text<'s>>,
    ) -> Result<Option<Self>> {
        let planned: Arc<[bool]> =
            reader.header.types.iter().map(|kind| !matches!(kind, Type::Plugin(_))).collect();
        let most = 8 * ((MOST_TO_BYTE * end).min(MOST_TO_WIRE * reader.scope.most()) + MOST_BESIDE);
        reader.trace(Scope::traced(Trace { planned: planned.clone(), runs: Vec::new() }));
        let mut needed: Vec<Marks> = planned.iter().map(|_| Marks::default()).collect();
        let (mut parts, mut end, mut bits) = (Vec::new(), end, 0u64);
        for &Stretch { begin, digest } in stretches.iter().rev() {
            reader.text = open(begin, end)?;
            let runs = reader.part(end - begin);
            if reader.text.finish()? != (end - begin, digest) {
                return Err(changed(name));
            }
            let runs = runs?;
            bits = runs.iter().fold(bits, |sum, run| sum.saturating_add(run.count));
            if bits > most {
                return Ok(None);
            }
            parts.push(TextPart::new(&runs, &mut needed));
            end = begin;
        }
        parts.reverse();
        Ok(Some(Self { parts, planned }))
    }
}

impl TextPart {
    /// The bits of what is read and set here; behind it, the wires of `needed` are read.
    fn new(runs: &[WireRun], needed: &mut [Marks]) -> Self {
        let length: u64 = runs.iter().map(|run| run.count).sum();
        let mut bits = vec![0; length.div_ceil(64) as usize];
        let mut at = length;
        for run in runs.iter().rev() {
            let needed = &mut needed[run.kind as usize];
            for id in (0..run.count).rev().map(|place| run.first + place) {
                at -= 1;
                let last = if run.set { !needed.clear(id) } else { needed.set(id) };
                bits[(at / 64) as usize] |= u64::from(last) << (at % 64);
            }
        }
        Self { bits: bits.into(), length }
    }
}

impl Trace {
    /// Notes that a wire is read, or `set`.
    #[inline]
    pub(super) fn note(&mut self, kind: u8, id: u64, set: bool) {
        if !self.planned[kind as usize] {
            return;
        }
        match self.runs.last_mut() {
            Some(run)
                if (run.kind, run.set) == (kind, set) && run.first.checked_add(run.count) == Some(id) =>
            {
                run.count += 1;
            }
            _ => self.runs.push(WireRun { kind, set, first: id, count: 1 }),
        }
    }

    /// Takes the wires that were noted so far.
    pub(super) fn take(&mut self) -> Vec<WireRun> {
        core::mem::take(&mut self.runs)
    }
}

impl Follow {
    /// The place at the begin of a plan.
    pub(super) fn new(plan: Arc<WirePlan>) -> Self {
        Self { plan, part: 0, word: 0, bits: 0, left: 0, last: Vec::new() }
    }

    /// Whether wires of this type are planned.
    #[inline(always)]
    pub(super) fn is_planned(&self, kind: u8) -> bool {
        // A file that has changed may declare more types.
        self.plan.planned.get(kind as usize).is_some_and(|planned| *planned)
    }

    /// Whether the wire of this type that is read or set next is not read any more. Behind the end of the
    /// plan none is known to be: the text is then another one, which is found at its end.
    #[inline(always)]
    pub(super) fn is_last(&mut self, kind: u8) -> bool {
        if !self.is_planned(kind) {
            return false;
        }
        if self.left == 0 {
            self.refill();
        }
        let last = self.bits & 1 == 1;
        self.bits >>= 1;
        self.left = self.left.saturating_sub(1);
        last
    }

    #[cold]
    fn refill(&mut self) {
        while let Some(part) = self.plan.parts.get(self.part) {
            if let Some(bits) = part.bits.get(self.word) {
                let rest = part.length - 64 * self.word as u64;
                (self.bits, self.left) = (*bits, rest.min(64) as u32);
                self.word += 1;
                return;
            }
            (self.part, self.word) = (self.part + 1, 0);
        }
    }
}
