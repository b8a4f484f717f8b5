//! Blocks of gates as data.

use crate::Bilinear;
use std::sync::Arc;

/// The operation of a record: see the table of the [module](super).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Op {
    /// A wire that carries a constant.
    Constant,
    /// A sum.
    Add,
    /// A product.
    Mul,
    /// A product with a constant.
    Scale,
    /// A sum of products with constants.
    Linear,
    /// Sums of products with constants, row by row.
    LinearRows,
    /// Elements of the witness.
    Witness,
    /// Values that the prover computes.
    Hint,
    /// An assertion.
    Assert,
    /// An output.
    Output,
    /// A call of a function.
    Call,
    /// Calls of a function, one for each lane.
    Map,
    /// A vector of constants.
    Public,
    /// A vector of wires.
    Vector,
    /// A sum of vectors.
    Sum,
    /// A product of vectors, lane by lane.
    Product,
    /// A sum of products of vectors, products of vectors with constants, and a constant.
    Combination,
    /// A choice of lanes.
    Gather,
    /// The sum of all lanes.
    Total,
    /// An inner product of wires.
    Inner,
    /// Wires that carry the lanes of a vector.
    Commit,
    /// An assertion on each lane of a vector.
    AssertZeroes,
    /// An inner product of wires, on a wire.
    SumOfProducts,
    /// An assertion on a product of wires.
    AssertProduct,
    /// An assertion on a product of matrices.
    AssertMatrix,
    /// An assertion on a bilinear form.
    AssertBilinear,
    /// The end of a vector.
    Drop,
    /// A memory.
    Memory,
    /// An access to a memory.
    Access,
    /// Accesses to a memory, row by row.
    AccessRows,
    /// The end of a memory.
    Close,
    /// A table.
    Table,
    /// A lookup in a table.
    LookUp,
    /// Lookups in a table, row by row.
    LookUpRows,
    /// An assertion on numbers.
    Within,
    /// An assertion on two lists of words.
    Permutation,
    /// Wires from earlier shards.
    Incoming,
    /// Wires for later shards.
    Outgoing,
}

/// The `out` of [`Op::AssertZeroes`] where the vector is read again.
pub(super) const KEPT: u32 = 1;

/// The `b` of [`Op::Linear`] where the factors stand in no block, and are lent to whoever executes it.
pub const LENT: u32 = u32::MAX;

/// A gate, or an operation beyond gates, in 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// The operation.
    pub op: Op,
    /// The slot of the result.
    pub out: u32,
    /// The first operand.
    pub a: u32,
    /// The second operand.
    pub b: u32,
}

/// The function of a hint: from the values of its arguments to those of its results. Only provers call it.
pub type HintFunction<F> = Arc<dyn Fn(&[F]) -> Vec<F> + Send + Sync>;

/// Gates in their order, with what their records refer to.
#[derive(Clone)]
pub struct Block<F> {
    /// The gates.
    pub records: Vec<Record>,
    /// Lists of slots, and other numbers.
    pub words: Vec<u32>,
    /// Public values.
    pub constants: Vec<F>,
    /// The functions of hints.
    pub hints: Vec<HintFunction<F>>,
    /// The functions that are called.
    pub functions: Vec<Arc<Block<F>>>,
    /// The number of slots for wires that the block takes.
    pub slots: u32,
    /// The number of slots for vectors that the block takes.
    pub vectors: u32,
    /// The number of arguments, where the block is a function.
    pub arguments: u32,
    /// The place in `words` of the list of results, where the block is a function.
    pub results: u32,
    /// The number of assertions, those of called functions included.
    pub assertions: u64,
    /// The words by which this format of sums is shorter than two for each term and one more. A block's end
    /// counts them in, since it shows on the wire over two fields, and must not depend on the format.
    pub(super) spared: usize,
}

impl<F> Default for Block<F> {
    fn default() -> Self {
        Self {
            records: Vec::new(),
            words: Vec::new(),
            constants: Vec::new(),
            hints: Vec::new(),
            functions: Vec::new(),
            slots: 0,
            vectors: 0,
            arguments: 0,
            results: 0,
            assertions: 0,
            spared: 0,
        }
    }
}

impl<F> Block<F> {
    /// The block's size in words of 32 bits.
    pub(super) fn size(&self) -> usize {
        let constants = self.constants.len() * size_of::<F>().div_ceil(4);
        4 * self.records.len() + self.words.len() + self.spared + constants
    }

    /// The words and constants of the block's lists.
    pub(super) fn listed(&self) -> usize {
        self.words.len() + self.spared + self.constants.len()
    }

    /// Notes a sum of `terms` terms whose list begins at word `at`.
    pub(super) fn spare(&mut self, terms: usize, at: u32) {
        self.spared += 2 * terms + 1 - (self.words.len() - at as usize);
    }

    /// Forgets all gates.
    pub(super) fn clear(&mut self) {
        self.records.clear();
        self.words.clear();
        self.constants.clear();
        self.hints.clear();
        self.functions.clear();
        self.assertions = 0;
        self.spared = 0;
    }

    /// Whether it has no gates.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Adds a gate.
    #[inline(always)]
    pub(super) fn push(&mut self, op: Op, out: u32, a: u32, b: u32) {
        self.records.push(Record { op, out, a, b });
    }

    /// Adds a constant, and gives its place.
    #[inline(always)]
    pub(super) fn constant(&mut self, c: F) -> u32 {
        let at = self.next_constant();
        self.constants.push(c);
        at
    }

    /// The place of the constant that is added next.
    #[inline(always)]
    pub(super) fn next_constant(&self) -> u32 {
        number(self.constants.len())
    }

    /// The place of the word that is added next.
    #[inline(always)]
    pub(super) fn next_word(&self) -> u32 {
        number(self.words.len())
    }

    /// Adds a list of slots.
    pub(super) fn list(&mut self, slots: impl IntoIterator<Item = u32>) {
        let count = self.words.len();
        self.words.push(0);
        let (mut first, mut length) = (0, 0);
        for slot in slots {
            if length > 0 && first + length == slot {
                length += 1;
                continue;
            }
            if length > 0 {
                self.words.extend([first, length]);
            }
            (first, length) = (slot, 1);
        }
        if length > 0 {
            self.words.extend([first, length]);
        }
        self.words[count] = number((self.words.len() - count) / 2);
    }

    /// Reads the words from place `at` on.
    pub(super) fn read(&self, at: u32) -> Words<'_> {
        Words { words: &self.words[at as usize..] }
    }
}

/// Makes `number` a word.
///
/// # Panics
/// Where it takes more: what wraps around would be another gate.
#[inline(always)]
pub(super) fn number(number: usize) -> u32 {
    u32::try_from(number).expect("fewer than 2^32 of each in a function: call smaller ones")
}

/// The words of a bilinear form, as a block has them: the halves of each.
pub(super) fn words_of(form: &Bilinear) -> Vec<u32> {
    form.words().into_iter().flat_map(|word| [word as u32, (word >> 32) as u32]).collect()
}

/// The bilinear form of these words.
pub(super) fn form_of(words: &[u32]) -> Bilinear {
    let halves = words.as_chunks().0.iter();
    let words: Vec<_> = halves.map(|[low, high]| u64::from(*low) | u64::from(*high) << 32).collect();
    Bilinear::read(&words)
}

/// Words that are still to be read.
#[derive(Clone, Copy)]
pub(super) struct Words<'b> {
    words: &'b [u32],
}

impl<'b> Words<'b> {
    /// The next word.
    pub(super) fn next(&mut self) -> u32 {
        let (first, rest) = self.words.split_first().expect("a word");
        self.words = rest;
        *first
    }

    /// The next `count` words.
    pub(super) fn take(&mut self, count: u32) -> &'b [u32] {
        let (taken, rest) = self.words.split_at(count as usize);
        self.words = rest;
        taken
    }

    /// The next list.
    pub(super) fn list(&mut self) -> List<'b> {
        let runs = self.next();
        List { runs: self.take(2 * runs).as_chunks().0 }
    }
}

/// A list of slots: runs, each with its first slot and its length.
#[derive(Clone, Copy)]
pub(super) struct List<'b> {
    pub(super) runs: &'b [[u32; 2]],
}

impl<'b> List<'b> {
    /// The slots in order.
    pub(super) fn iter(self) -> Slots<'b> {
        Slots { runs: self.runs, next: 0, end: 0 }
    }

    /// The slots as columns, each of one for each of `lanes`.
    pub(super) fn columns(self, lanes: u32) -> Columns {
        Columns { slots: self.iter().collect(), lanes: lanes as usize }
    }

    /// The number of slots.
    pub(super) fn len(self) -> usize {
        self.runs.iter().map(|[_, length]| *length as usize).sum()
    }
}

/// Columns of slots, one behind the other.
pub(super) struct Columns {
    slots: Vec<u32>,
    lanes: usize,
}

impl Columns {
    /// The number of columns.
    pub(super) fn ports(&self) -> usize {
        self.slots.len() / self.lanes.max(1)
    }

    /// The slots of one lane as runs of a list.
    pub(super) fn runs(&self, lane: usize) -> Vec<[u32; 2]> {
        self.of(lane).map(|slot| [slot, 1]).collect()
    }

    /// The slots of one lane.
    pub(super) fn of(&self, lane: usize) -> impl Iterator<Item = u32> {
        self.slots.iter().skip(lane).step_by(self.lanes).copied()
    }
}

/// The slots of a list.
pub(super) struct Slots<'b> {
    /// The runs behind the current one.
    runs: &'b [[u32; 2]],
    next: u32,
    end: u32,
}

impl Iterator for Slots<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        if self.next == self.end {
            let ([first, length], rest) = self.runs.split_first()?;
            (self.runs, self.next, self.end) = (rest, *first, first + length);
        }
        self.next += 1;
        Some(self.next - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_back_and_runs_are_one() {
        let mut block = Block::<()>::default();
        for (slots, runs) in [(vec![], 0), (vec![7], 1), (vec![0, 1, 2], 1), (vec![5, 4, 5, 6, 0], 3)] {
            let at = block.next_word();
            block.list(slots.iter().copied());
            let list = block.read(at).list();
            assert_eq!((list.iter().collect::<Vec<_>>(), list.runs.len()), (slots, runs));
        }
        assert_eq!(size_of::<Record>(), 16);
    }
}
