//! How accesses are told apart, and what proofs of them come to: what both parties know of a memory.
//!
//! Accesses of an **epoch** have the times 1, 2, …; what a cell holds has the time of the access that put it
//! there, 0 at the epoch's start. An epoch ends when it has as many accesses as the memory has cells, or
//! [`Parameters::shortest`] where these are fewer: then each cell is shown once, and that is the next one's start. So
//! what has to be kept is bounded by the cells, and showing them costs little for each access.

use crate::Argued;
use crate::memory::{Sizes, is_binary};
use volery_primitives::{Field, U256};

/// Parameters of epochs: how accesses, lookups, numbers in ranges and permutations fall into them, and how
/// much of one is computed together. Both parties, and whoever counts, have the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// The accesses of an epoch of a small memory.
    pub(crate) shortest: u64,
    /// Accesses whose times are ordered side by side, and have the same number of bits over F_2: a power of two.
    pub(crate) tile: u64,
    /// Timestamp differences that are looked up whole, in an epoch of their own, which may end at any access
    /// of the memory's epoch.
    pub(crate) gaps: u64,
    /// The bits of the longest limbs of numbers in ranges.
    pub(crate) limb: u32,
    /// Lookups of limbs behind which their epoch ends.
    pub(crate) ranged: u64,
    /// The number of words of permutations from which on their epoch ends.
    pub(crate) permuted: u64,
    /// Factors of a product, whose polynomials stay in the cache.
    pub factors: usize,
    /// Fractions of a sum, whose polynomials stay in the cache.
    pub fractions: usize,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            shortest: 1 << 18,
            tile: 256,
            gaps: 1 << 19,
            limb: 16,
            ranged: 9 << 17,
            permuted: 1 << 16,
            factors: 1 << 12,
            fractions: 1 << 12,
        }
    }
}

impl Parameters {
    /// The parameters of tests, whose epochs end after a few accesses.
    #[doc(hidden)]
    pub const SHORT: Self = Self {
        shortest: 1 << 6,
        tile: 16,
        gaps: 48,
        limb: 8,
        ranged: 40,
        permuted: 1 << 5,
        factors: 1 << 7,
        fractions: 1 << 5,
    };
}

/// The most accesses of an epoch.
const LONGEST: u64 = 1 << 22;

/// Epochs of a memory whose timestamp differences are cut into two limbs each. Later ones are looked up
/// whole, in a table that is too long for few accesses.
const LIMBED: u64 = 2;

/// Factors between two commitments to a running product.
pub const fn factors(binary: bool) -> usize {
    if binary { 63 } else { 9 }
}

/// Lookups between two commitments to a running sum.
pub const LOOKUPS: usize = 8;

/// The highest degree of the polynomials that order timestamps over F_2.
const ORDER: u32 = 11;

/// The parameters of a memory that do not change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Cells, and their width.
    pub sizes: Sizes,
    /// How accesses fall into epochs.
    pub parameters: Parameters,
    binary: bool,
    /// The most accesses of an epoch.
    pub epoch: u64,
    /// The bits of each of the two limbs of a timestamp difference.
    pub limb: u32,
}

impl Layout {
    /// The layout of a memory over `F` of these sizes.
    pub fn new<F: Field>(sizes: Sizes, parameters: Parameters) -> Self {
        let binary = is_binary::<F>();
        let mut epoch = (sizes.cells as u64).clamp(parameters.shortest, LONGEST);
        if !binary {
            epoch = apart(epoch, (-F::ONE).to_integer().saturated());
        }
        let limb = limb(epoch);
        let gaps = 1_u128 << (2 * limb);
        assert!(
            binary || U256::from(gaps + u128::from(epoch)) <= (-F::ONE).to_integer(),
            "gaps that are times of later accesses"
        );
        Self { sizes, parameters, binary, epoch, limb }
    }

    /// The bits of the timestamps that access number `time`, from 1 on, may read, over F_2.
    pub fn time_bits(&self, time: u64) -> u32 {
        u64::BITS - ((time.max(1) - 1) | (self.parameters.tile - 1)).leading_zeros()
    }

    /// The bits of the timestamps at the end of an epoch of `accesses` accesses.
    pub fn last_bits(&self, accesses: u64) -> u32 {
        self.time_bits(accesses + 1)
    }

    /// Whether access number `time` is the last whose timestamp is ordered together with those before.
    pub fn ends_tile(&self, time: u64) -> bool {
        time & (self.parameters.tile - 1) == 0
    }

    /// The pieces in which the bits of a timestamp are ordered, and the bits of each but the last.
    pub fn pieces(bits: u32) -> (u32, u32) {
        let pieces = bits.div_ceil(ORDER);
        (pieces, bits.div_ceil(pieces))
    }

    /// The bits of timestamp differences that are looked up whole, once `ended` epochs have ended, or `None`
    /// where they are cut.
    pub fn whole_gaps(&self, ended: u64) -> Option<u32> {
        let bits = 2 * self.limb;
        (!self.binary && ended >= LIMBED && 1 << bits <= self.parameters.shortest).then_some(bits)
    }

    /// The cost of access number `time`; `whole` says how its timestamp difference is shown.
    fn access(&self, time: u64, put_where: bool, whole: bool) -> Argued {
        let width = self.sizes.width as u64;
        let mul = if put_where { width } else { 0 };
        if !self.binary {
            return Argued { values: width + 1 + u64::from(!whole), mul, ..Argued::default() };
        }
        let bits = self.time_bits(time);
        let (pieces, length) = Self::pieces(bits);
        Argued {
            values: width + u64::from(bits + pieces - 1),
            mul,
            polynomials: u64::from(pieces),
            // Pieces but the first take up what the one below comes to.
            degree: u64::from(length) + u64::from(pieces > 1),
            ..Argued::default()
        }
    }

    /// The cost of the end of an epoch, but for timestamp differences that are looked up whole.
    fn end(&self, accesses: u64, whole: bool) -> Argued {
        let Sizes { cells, width } = self.sizes;
        let (cells, width) = (cells as u64, width as u64);
        let pairs = accesses + cells;
        let equal = equality(pairs, self.binary);
        if self.binary {
            let values = cells * (width + u64::from(self.last_bits(accesses)));
            return Argued { values, tuples: pairs, longest: pairs, epochs: 1, ..equal };
        }
        let tuples = self.degree(accesses, whole);
        let (counts, argued) =
            if whole { (0, equal) } else { (1 << self.limb, equal.and(sums(2 * accesses))) };
        let values = cells * (width + 1) + counts;
        Argued { values, tuples, longest: tuples, epochs: 1, ..argued }
    }

    /// The degree, in the challenge, of the polynomial that is to be zero at the end of an epoch.
    pub fn degree(&self, accesses: u64, whole: bool) -> u64 {
        let pairs = accesses + self.sizes.cells as u64;
        if self.binary || whole { pairs } else { pairs + 4 * accesses + (1 << self.limb) }
    }
}

/// The accesses of an epoch, no more than `epoch`, over a field whose largest number is `last`: gaps and times must not
/// meet modulo p, nor lookups be p times the same.
fn apart(epoch: u64, last: u64) -> u64 {
    let epoch = epoch.min(last / 4).max(1);
    let gaps = 1 << (2 * limb(epoch));
    // Limbs of a bit less are those of a quarter, which is less than the epoch was.
    if gaps + epoch > last { gaps / 4 } else { epoch }
}

/// The bits of each of two limbs of numbers below `epoch`.
const fn limb(epoch: u64) -> u32 {
    (u64::BITS - (epoch - 1).leading_zeros()).div_ceil(2)
}

/// The cost of the equality of two products of `count` factors.
pub(crate) fn equality(count: u64, binary: bool) -> Argued {
    let factors = factors(binary) as u64;
    let between = 2 * (count.div_ceil(factors).max(1) - 1);
    Argued { wide: between, wide_polynomials: between + 1, degree: factors + 1, ..Argued::default() }
}

/// The cost of a sum of `count` fractions.
pub(crate) fn sums(count: u64) -> Argued {
    let blocks = count.div_ceil(LOOKUPS as u64);
    let wide = blocks.saturating_sub(1);
    Argued { wide, wide_polynomials: blocks, degree: LOOKUPS as u64 + 1, ..Argued::default() }
}

/// A memory as it is counted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Epochs {
    pub(crate) layout: Layout,
    /// Accesses of this epoch.
    accesses: u64,
    /// Epochs before it.
    ended: u64,
    /// The table of timestamp differences that are looked up whole.
    gaps: Option<Looked>,
}

impl Epochs {
    pub(crate) fn new(layout: Layout) -> Self {
        Self { layout, accesses: 0, ended: 0, gaps: None }
    }

    /// The cost of the next access, with the end of its epoch where it is the last one.
    pub(crate) fn access<F: Field>(&mut self, put_where: bool) -> Argued {
        self.accesses += 1;
        let access = self.layout.access(self.accesses, put_where, self.gaps.is_some());
        let gap = self.gaps.as_mut().map(|gaps| gaps.look_up(1, 0)).unwrap_or_default();
        let access = access.and(gap);
        if self.accesses < self.layout.epoch {
            return access;
        }
        let end = self.end_epoch();
        if let (None, Some(bits)) = (self.gaps, self.layout.whole_gaps(self.ended)) {
            self.gaps = Some(Looked::gaps::<F>(bits, &self.layout.parameters));
        }
        access.and(end)
    }

    /// The cost of the end of the epoch, where it has accesses.
    fn end_epoch(&mut self) -> Argued {
        match core::mem::take(&mut self.accesses) {
            0 => Argued::default(),
            accesses => {
                self.ended += 1;
                self.layout.end(accesses, self.gaps.is_some())
            }
        }
    }

    /// The cost of the end of the memory.
    pub(crate) fn end(&mut self) -> Argued {
        let gaps = self.gaps.as_mut().map(Looked::end).unwrap_or_default();
        self.end_epoch().and(gaps)
    }
}

/// A table as it is counted.
#[derive(Clone, Copy, Debug)]
pub struct Looked {
    rows: u64,
    /// The lookups of this epoch, and the most.
    lookups: u64,
    most: u64,
}

/// The most lookups of an epoch, and the most elements of their rows.
const MOST_LOOKUPS: u64 = 1 << 20;
const MOST_ELEMENTS: u64 = 1 << 20;

/// Tables of fewer rows, whose counts take little, have epochs of half as many elements.
const FEW_ROWS: usize = 1 << 13;

impl Looked {
    /// A table of `rows` rows, each of `length` elements.
    pub fn new<F: Field>(rows: usize, length: usize) -> Self {
        let elements = (-F::ONE).to_integer().saturated();
        let waiting = if rows < FEW_ROWS { MOST_ELEMENTS / 2 } else { MOST_ELEMENTS };
        let most = MOST_LOOKUPS.min(waiting / length as u64).min(elements / 2);
        Self { rows: rows as u64, lookups: 0, most: most.max(1) }
    }

    /// The table of timestamp differences of `bits` bits.
    pub fn gaps<F: Field>(bits: u32, parameters: &Parameters) -> Self {
        let looked = Self::new::<F>(1 << bits, 1);
        Self { most: looked.most.min(parameters.gaps), ..looked }
    }

    /// The table of limbs of `bits` bits, whose epochs end with those of all limbs.
    pub fn limbs(bits: u32) -> Self {
        Self { rows: 1 << bits, lookups: 0, most: u64::MAX }
    }

    /// Whether the epoch ends with the lookup that has just been counted.
    pub fn is_full(&self) -> bool {
        self.lookups == self.most
    }

    /// The lookups of this epoch.
    pub fn count(&self) -> u64 {
        self.lookups
    }

    /// How many more lookups the epoch may have: at least one.
    pub fn left(&self) -> u64 {
        self.most - self.lookups
    }

    /// Counts lookups, no more than are left.
    pub fn add(&mut self, lookups: u64) {
        assert!(lookups <= self.left());
        self.lookups += lookups;
    }

    /// Counts lookups of a value of `value` elements, with the ends of the epochs that they fill.
    pub(crate) fn look_up(&mut self, lookups: u64, value: usize) -> Argued {
        let mut argued = Argued { values: lookups * value as u64, ..Argued::default() };
        let mut behind = lookups;
        while behind > 0 {
            let run = behind.min(self.left());
            self.add(run);
            behind -= run;
            if self.is_full() {
                argued = argued.and(self.end());
            }
        }
        argued
    }

    /// The degree, in the challenge, of the polynomial that is to be zero at the end of an epoch.
    pub fn degree(&self) -> u64 {
        2 * self.lookups + self.rows
    }

    /// The cost of the end of the epoch, where it has lookups.
    pub fn end(&mut self) -> Argued {
        if self.lookups == 0 {
            return Argued::default();
        }
        let tuples = self.degree();
        let lookups = core::mem::take(&mut self.lookups);
        Argued { values: self.rows, tuples, longest: tuples, epochs: 1, ..sums(lookups) }
    }

    /// The cost of the end of epochs of several tables at one challenge, where any has lookups.
    pub(crate) fn end_together<'t>(tables: impl Iterator<Item = &'t mut Self>) -> Argued {
        let ends = tables.map(Self::end).fold(Argued::default(), Argued::and);
        Argued { epochs: ends.epochs.min(1), ..ends }
    }
}

/// Permutations as they are counted. Those of an epoch are one multiset, each with its number in its words.
#[derive(Clone, Copy, Debug)]
pub struct Permuted {
    /// Words of this epoch, and the number from which on it ends.
    words: u64,
    most: u64,
}

impl Permuted {
    /// No permutation, in epochs that end by `parameters`.
    pub fn new(parameters: &Parameters) -> Self {
        Self { words: 0, most: parameters.permuted }
    }

    /// Counts a permutation of `words` words, and says whether the epoch ends with it.
    pub fn add(&mut self, words: u64) -> bool {
        self.words += words;
        self.words >= self.most
    }

    /// The degree, in the challenge, of the polynomial that is to be zero at the end of the epoch.
    pub fn degree(&self) -> u64 {
        self.words
    }

    /// Ends the epoch, and gives its cost.
    pub fn end<F: Field>(&mut self) -> Argued {
        match core::mem::take(&mut self.words) {
            0 => Argued::default(),
            words => {
                let equal = equality(words, is_binary::<F>());
                Argued { tuples: words, longest: words, epochs: 1, ..equal }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use volery_primitives::F61;

    #[test]
    fn gaps_and_times_are_apart() {
        // Around each power of four, where an epoch may be a number more than two limbs have room for.
        let around = |power: u32| (0..9).map(move |more| (4 << (2 * power)) + more - 2);
        for last in (2..2000).chain((3..11).flat_map(around)).chain([65_536, 4 * 65_537, u64::MAX]) {
            for wanted in [1, 2, 64, 1000, 1 << 16, LONGEST] {
                let epoch = apart(wanted, last);
                let gaps = 1 << (2 * limb(epoch));
                assert!(
                    (1..=wanted).contains(&epoch) && gaps >= epoch && gaps + epoch <= last,
                    "{wanted} of {last}"
                );
            }
        }
        assert_eq!((apart(LONGEST, 65_536), apart(LONGEST, u64::MAX)), (16_384, LONGEST));
    }

    /// Epochs of lookups end by the elements of rows, too, of short tables at half as many: each of 2^18 leaves
    /// four of them, and a longer row than all that may wait, one.
    #[test]
    fn few_lookups_of_long_rows_wait() {
        for (length, most) in [(1, 1 << 20), (2, 1 << 19), (8, 1 << 17), (1 << 18, 4), (1 << 21, 1)] {
            for (rows, most) in [(FEW_ROWS, most), (FEW_ROWS - 1, (most / 2).max(1))] {
                let mut looked = Looked::new::<F61>(rows, length);
                for _ in 0..2 {
                    let ends = (1..=most).filter(|_| looked.look_up(1, 0).epochs > 0).count();
                    assert_eq!((ends, looked.count()), (1, 0), "{rows} rows of {length}");
                }
                let mut together = looked;
                let singly =
                    (0..3 * most / 2).map(|_| looked.look_up(1, 3)).fold(Argued::default(), Argued::and);
                assert_eq!(together.look_up(3 * most / 2, 3), singly, "{rows} rows of {length}");
                assert_eq!(together.count(), looked.count());
            }
        }
    }
}
