//! Gates that were read, with slots in the place of wires.

use super::number::Element;

/// The operation of a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Op {
    /// `out` is constant `a`.
    Constant,
    /// `out` is the sum of `a` and `b`.
    Add,
    /// `out` is the product of `a` and `b`.
    Mul,
    /// `out` is `a` plus constant `b`.
    AddConstant,
    /// `out` is `a` times constant `b`.
    MulConstant,
    /// The list at `b` is the next public values.
    Public,
    /// The list at `b` is the next private values.
    Private,
    /// `out` is a value of its own, equal to `a`.
    Copy,
    /// `a` is zero; `b` is the place of a line number among the words.
    Assert,
    /// The end of slot `a`, which nobody reads any more.
    Forget,
    /// Function `a`; at `b` the number of the line, a list of the arguments, and one of the results.
    Call,
    /// Function `a`, so many times; at `b` the number of the line, how many times, the wires of the counter
    /// plus one, or zero where there is none, then how many lists there are: for each the first slot, its
    /// length in each turn, and what it is, as [`of`] says.
    Loop,
    /// Values that the prover computes, as [`hint`] `out` says; at `b` lists of the arguments and of the
    /// results.
    Hint,
    /// `out` is the inner product of the two lists at `b`.
    Inner,
    /// The inner product of the two lists at `b` is zero; before them stands the number of the line.
    AssertInner,
    /// The lists at `b` are permutations of each other; before them stand the number of the line and how many
    /// wires a word has.
    Permutation,
    /// `out` is one where `a` is zero, and else zero; of words alone.
    IsZero,
    /// Values of type `a` become values of this type; at `b` the number of the line, one where what does not
    /// fit is cut, and lists of both.
    Convert,
    /// `out` is a memory; at `b` how many cells it has, how many wires an address and a word, and a list of
    /// what all of them hold.
    Memory,
    /// Memory `a` is read; at `b` the number of the line, and lists of the address and of the result.
    Read,
    /// Memory `a` is written; at `b` the number of the line, and lists of the address and of the word.
    Write,
    /// The product of `a` and the slot at `b` is zero, or what `out` has, if that is a slot; behind that slot
    /// stands the number of the line.
    AssertProduct,
}

/// No slot.
pub(super) const NONE: u32 = u32::MAX;

/// Kinds of a loop's lists.
pub(super) mod of {
    /// Arguments that are the same each time.
    pub(in super::super) const ENVIRONMENT: u32 = 0;
    /// Arguments, the same number in each turn.
    pub(in super::super) const INPUT: u32 = 1;
    /// Results, the same number in each turn.
    pub(in super::super) const OUTPUT: u32 = 2;
}

/// Functions that a prover computes of other values.
pub(super) mod hint {
    /// The inverse, or zero of zero; then one where it was zero, and else zero.
    pub(in super::super) const INVERSE: u32 = 0;
    /// The bits of a number, the most significant first.
    pub(in super::super) const BITS: u32 = 1;
    /// Quotient and remainder of two numbers; of what is divided by zero, zeros.
    pub(in super::super) const QUOTIENT: u32 = 2;
}

/// A gate of a function's body, as data.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gate {
    pub(super) op: Op,
    /// The type of what it makes, and of what it reads.
    pub(super) kind: u8,
    pub(super) out: u32,
    pub(super) a: u32,
    pub(super) b: u32,
}

/// Gates in their order, of a function or of a part of the statement.
#[derive(Clone, Debug, Default)]
pub(super) struct Body {
    pub(super) gates: Vec<Gate>,
    pub(super) words: Vec<u32>,
    pub(super) constants: Vec<Element>,
}

impl Body {
    /// Forgets all gates.
    pub(super) fn clear(&mut self) {
        self.gates.clear();
        self.words.clear();
        self.constants.clear();
    }

    /// About how many gates these are, long ones counted as several.
    #[inline(always)]
    pub(super) fn size(&self) -> usize {
        self.gates.len() + self.words.len() / 16
    }

    /// The room that gates and words take where they are kept; of words a constant has eight.
    pub(super) fn kept(&self) -> usize {
        self.gates.len() + self.words.len() + 8 * self.constants.len()
    }

    #[inline(always)]
    pub(super) fn push(&mut self, op: Op, kind: u8, out: u32, a: u32, b: u32) {
        self.gates.push(Gate { op, kind, out, a, b });
    }

    /// Adds a constant, and gives its place.
    #[inline(always)]
    pub(super) fn constant(&mut self, value: Element) -> u32 {
        self.constants.push(value);
        self.constants.len() as u32 - 1
    }

    /// Adds a number, and gives its place among the words.
    pub(super) fn long(&mut self, number: u64) -> u32 {
        let at = self.words.len() as u32;
        self.words.extend([number as u32, (number >> 32) as u32]);
        at
    }

    /// Adds a list of slots, as the number of its runs and for each run the first and how many.
    pub(super) fn list(&mut self, slots: impl IntoIterator<Item = u32>) -> u32 {
        let at = self.words.len();
        self.words.push(0);
        for slot in slots {
            match self.words[at + 1..].last_chunk_mut() {
                Some([first, length]) if *first + *length == slot => *length += 1,
                _ => self.words.extend([slot, 1]),
            }
        }
        self.words[at] = ((self.words.len() - at) / 2) as u32;
        at as u32
    }

    /// Reads the words from `at` on.
    pub(super) fn read(&self, at: u32) -> Words<'_> {
        Words(&self.words[at as usize..])
    }
}

/// Words that are still to be read.
pub(super) struct Words<'b>(&'b [u32]);

impl<'b> Words<'b> {
    pub(super) fn next(&mut self) -> u32 {
        let (first, rest) = self.0.split_first().expect("a word");
        self.0 = rest;
        *first
    }

    /// A number of two words.
    pub(super) fn long(&mut self) -> u64 {
        u64::from(self.next()) | u64::from(self.next()) << 32
    }

    /// A list of slots.
    pub(super) fn list(&mut self) -> impl Iterator<Item = u32> + use<'b> {
        self.runs().iter().flat_map(|&[first, length]| first..first + length)
    }

    /// The runs of a list of slots: the first, and how many.
    pub(super) fn runs(&mut self) -> &'b [[u32; 2]] {
        let runs = self.next() as usize;
        let (list, rest) = self.0.split_at(2 * runs);
        self.0 = rest;
        list.as_chunks().0
    }
}

/// Values that are read from streams: of which type, and how many in a row. Of a function they are kept in
/// their order, as arguments of its calls; of the statement one count for each type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Reads {
    runs: Vec<(u8, u64)>,
    /// Whether the values of a type are one run, wherever they stand.
    summed: bool,
}

/// The runs of a function that are kept: where types alternate more often, the function is refused.
const MOST_RUNS: usize = 1 << 16;

/// The error for more values than can be counted.
const UNCOUNTED: &str = "more than 2^64 values are read from a stream";

impl Reads {
    /// An empty list of reads of which only the number for each type is kept.
    pub(super) fn summed() -> Self {
        Self { runs: Vec::new(), summed: true }
    }

    /// Appends `count` values of type `kind`.
    ///
    /// # Errors
    /// Where they cannot be counted, or alternate too often: in which words.
    #[inline]
    pub(super) fn push(&mut self, kind: u8, count: u64) -> Result<(), &'static str> {
        if count == 0 {
            return Ok(());
        }
        let last = if self.summed {
            self.runs.iter().position(|run| run.0 == kind)
        } else {
            self.runs.len().checked_sub(1).filter(|last| self.runs[*last].0 == kind)
        };
        match last {
            Some(at) => {
                let run = &mut self.runs[at].1;
                *run = run.checked_add(count).ok_or(UNCOUNTED)?;
            }
            None if self.runs.len() < MOST_RUNS => self.runs.push((kind, count)),
            None => return Err("a function reads values of several types by turns, too often to be counted"),
        }
        Ok(())
    }

    /// Adds all reads of `other`, `times` times.
    ///
    /// # Errors
    /// As for [`Reads::push`].
    pub(super) fn repeat(&mut self, other: &Self, times: u64) -> Result<(), &'static str> {
        // In any order, or in one run, all turns are one.
        let (turns, each) = if self.summed || other.runs.len() == 1 { (1, times) } else { (times, 1) };
        if !other.runs.is_empty() {
            for _ in 0..turns {
                for &(kind, count) in &other.runs {
                    self.push(kind, count.checked_mul(each).ok_or(UNCOUNTED)?)?;
                }
            }
        }
        Ok(())
    }

    /// Types, and how many of each in a row.
    pub(super) fn runs(&self) -> impl Iterator<Item = (u8, u64)> + '_ {
        self.runs.iter().copied()
    }

    /// How many values of a type there are.
    pub(super) fn count(&self, kind: u8) -> u64 {
        self.runs().filter(|run| run.0 == kind).fold(0, |sum, run| sum.saturating_add(run.1))
    }
}
