//! Numbers in ranges: how they are cut into limbs, each of which is looked up among all numbers of its bits.
//!
//! A table of limbs costs its rows, once an epoch, so that long limbs pay where numbers are many, and short ones
//! where they are few. A cut is chosen by what numbers of as many bits there were so far: as many again may
//! come. It is chosen anew whenever they have doubled, so that numbers that come one by one soon have longer limbs,
//! and a cut is seldom searched for.

use super::epochs::{Looked, Parameters};
use crate::Argued;
use std::sync::Arc;
use volery_primitives::Field;

/// Numbers whose limbs are committed to and looked up together: first the highest limb of each, then the next.
pub const TOGETHER: usize = 256;

/// How numbers in ranges are cut into limbs, and when epochs of these end. Both parties, and whoever counts, come
/// to the same.
#[derive(Clone, Debug)]
pub struct Cuts {
    /// The bits of the longest limbs.
    longest: u32,
    /// The lookups of this epoch, and the number from which on it ends.
    lookups: u64,
    most: u64,
    /// The cuts so far, by the bits of numbers.
    kinds: Vec<Kind>,
    /// The bits that limbs had so far: bit i is one where some had i.
    used: u32,
}

/// Numbers of some bits.
#[derive(Clone, Debug)]
struct Kind {
    bits: u32,
    /// How many there were, and from which number on they are cut anew.
    numbers: u64,
    until: u64,
    /// The bits of their limbs, the lowest limb first.
    limbs: Arc<[u32]>,
}

impl Cuts {
    /// No numbers yet, over `F`.
    pub fn new<F: Field>(parameters: &Parameters) -> Self {
        // How often a row is looked up is a number of the field.
        let elements = (-F::ONE).to_integer().saturated();
        let most = parameters.ranged.min(elements / 2);
        Self { longest: parameters.limb, lookups: 0, most, kinds: Vec::new(), used: 0 }
    }

    /// Adds so many numbers of `bits` bits, one at least, and gives the bits of their limbs, the lowest limb
    /// first.
    pub fn add(&mut self, bits: u32, numbers: u64) -> Arc<[u32]> {
        let place = self.kinds.iter().position(|kind| kind.bits == bits).unwrap_or_else(|| {
            self.kinds.push(Kind { bits, numbers: 0, until: 0, limbs: Arc::new([]) });
            self.kinds.len() - 1
        });
        let Self { longest, used, .. } = *self;
        let kind = &mut self.kinds[place];
        kind.numbers += numbers;
        if kind.numbers >= kind.until {
            kind.until = 2 * kind.numbers;
            kind.limbs = cut(bits, kind.numbers, longest, used).into();
            kind.limbs.iter().for_each(|limb| self.used |= 1 << limb);
        }
        kind.limbs.clone()
    }

    /// Counts lookups of limbs, and says whether the epoch ends with them.
    pub fn look_up(&mut self, lookups: u64) -> bool {
        self.lookups += lookups;
        self.is_full()
    }

    /// Whether the epoch ends before further lookups.
    pub fn is_full(&self) -> bool {
        self.lookups >= self.most
    }

    /// Ends the epoch.
    pub fn end(&mut self) {
        self.lookups = 0;
    }
}

/// The cheapest cut of `numbers` numbers of `bits` bits into limbs of at most `longest` bits: the bits of the limbs,
/// the lowest limb first. Limbs of which bit i of `used` tells have a table already; another costs its rows. A limb
/// costs a lookup, which takes about as long as an element, and all but one of a number an element.
fn cut(bits: u32, numbers: u64, longest: u32, used: u32) -> Vec<u32> {
    let rows = |limb: u32| if used >> limb & 1 == 1 { 0 } else { 1 << limb };
    let each = |limbs: u32| numbers.saturating_mul(2 * u64::from(limbs) - 1);
    // Of fewer bits first. A cut is into so many limbs, equal but for a bit; or it begins with a limb of bits that
    // were used.
    let mut best: Vec<(u64, Begin)> = vec![(0, Begin::Equal(0))];
    for total in 1..=bits {
        let equal = (total.div_ceil(longest)..=total).map(|limbs| {
            let (short, long) = (rows(total / limbs), rows(total / limbs + 1));
            let tables = if total.is_multiple_of(limbs) { short } else { short + long };
            (each(limbs).saturating_add(tables), Begin::Equal(limbs))
        });
        let above = (1..=longest.min(total - 1)).filter(|limb| used >> limb & 1 == 1).map(|limb| {
            let (rest, _) = best[(total - limb) as usize];
            (rest.saturating_add(numbers.saturating_mul(2)), Begin::Used(limb))
        });
        let cheapest = equal.chain(above).min_by_key(|(cost, _)| *cost);
        best.push(cheapest.expect("a limb for each bit"));
    }
    let (mut left, mut limbs) = (bits, Vec::new());
    loop {
        match best[left as usize].1 {
            Begin::Used(limb) => {
                limbs.push(limb);
                left -= limb;
            }
            Begin::Equal(count) => {
                limbs.extend((0..count).map(|i| (left + i) / count));
                return limbs;
            }
        }
    }
}

/// The begin of a cut.
#[derive(Clone, Copy)]
enum Begin {
    /// The number of limbs, which are all of it.
    Equal(u32),
    /// The bits of its first limb.
    Used(u32),
}

/// Numbers in ranges as they are counted.
#[derive(Clone, Debug)]
pub(crate) struct Ranges {
    cuts: Cuts,
    /// The tables of limbs so far, each with the bits of one.
    tables: Vec<(u32, Looked)>,
}

impl Ranges {
    pub(crate) fn new<F: Field>(parameters: &Parameters) -> Self {
        Self { cuts: Cuts::new::<F>(parameters), tables: Vec::new() }
    }

    /// The cost of so many numbers of `bits` bits, with the ends of the epochs that they fill.
    pub(crate) fn within(&mut self, numbers: u64, bits: u32) -> Argued {
        let mut argued = Argued::default();
        if numbers == 0 {
            return argued;
        }
        let limbs = self.cuts.add(bits, numbers);
        argued.values = numbers * (limbs.len() as u64 - 1);
        let mut behind = numbers;
        while behind > 0 {
            let run = behind.min(TOGETHER as u64);
            behind -= run;
            for limb in &*limbs {
                self.table(*limb).add(run);
            }
            if self.cuts.look_up(run * limbs.len() as u64) {
                self.cuts.end();
                argued = argued.and(Looked::end_together(self.tables()));
            }
        }
        argued
    }

    /// The table of limbs of so many bits.
    fn table(&mut self, limb: u32) -> &mut Looked {
        let place = self.tables.iter().position(|(bits, _)| *bits == limb).unwrap_or_else(|| {
            self.tables.push((limb, Looked::limbs(limb)));
            self.tables.len() - 1
        });
        &mut self.tables[place].1
    }

    /// The tables of limbs, which end with the statement.
    pub(crate) fn tables(&mut self) -> impl Iterator<Item = &mut Looked> {
        self.tables.iter_mut().map(|(_, table)| table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use volery_primitives::{F61, F65537};

    const LONGEST: u32 = 16;
    const MANY: u64 = 1 << 20;

    /// The cost of a cut.
    fn cost(limbs: &[u32], numbers: u64, used: u32) -> u128 {
        let tables = limbs.iter().fold(0_u32, |tables, limb| tables | 1 << limb);
        let rows = (0..=LONGEST).filter(|limb| (tables & !used) >> limb & 1 == 1).map(|limb| 1 << limb);
        u128::from(numbers) * (2 * limbs.len() as u128 - 1) + rows.sum::<u128>()
    }

    #[test]
    fn many_numbers_have_long_limbs_and_few_short_ones() {
        let cuts: [(u32, u64, u32, &[u32]); 10] = [
            (8, MANY, 0, &[8]),
            (8, 10, 0, &[4, 4]),
            (16, MANY, 0, &[16]),
            (16, 1000, 0, &[8, 8]),
            (16, 1000, 1 << 16, &[16]),
            (22, MANY, 0, &[11, 11]),
            (24, MANY, 0, &[12, 12]),
            (24, 1000, 1 << 16, &[16, 8]),
            (31, MANY, 0, &[15, 16]),
            (32, 1, 0, &[4; 8]),
        ];
        for (bits, numbers, used, limbs) in cuts {
            assert_eq!(cut(bits, numbers, LONGEST, used), limbs, "{numbers} numbers of {bits} bits");
        }
    }

    /// No cut into limbs that are equal but for a bit is cheaper, nor one of the limbs before with another below.
    #[test]
    fn cuts_are_whole_and_cheap() {
        for used in [0, 1 << 16, 1 << 3 | 1 << 11] {
            for bits in (1..=61).chain([127, 253]) {
                for numbers in [1, 7, 1000, 1 << 15, MANY, 1 << 40] {
                    let limbs = cut(bits, numbers, LONGEST, used);
                    assert_eq!(limbs.iter().sum::<u32>(), bits);
                    assert!(limbs.iter().all(|limb| (1..=LONGEST).contains(limb)));
                    let cheapest = cost(&limbs, numbers, used);
                    for count in bits.div_ceil(LONGEST)..=bits {
                        let equal: Vec<u32> = (0..count).map(|i| (bits + i) / count).collect();
                        assert!(cheapest <= cost(&equal, numbers, used), "{numbers} of {bits}: {limbs:?}");
                    }
                    for limb in (1..=LONGEST.min(bits - 1)).filter(|limb| used >> limb & 1 == 1) {
                        let mut with = cut(bits - limb, numbers, LONGEST, used);
                        with.push(limb);
                        assert!(cheapest <= cost(&with, numbers, used), "{numbers} of {bits}: {limbs:?}");
                    }
                }
            }
        }
    }

    /// Numbers that come one by one are cut anew when they have doubled: all that is spent on shorter limbs and
    /// their tables is less than the long ones' table once more.
    #[test]
    fn numbers_one_by_one_soon_have_long_limbs() {
        let mut cuts = Cuts::new::<F61>(&Parameters::default());
        let (mut committed, mut kinds) = (0, 0);
        let mut limbs: Arc<[u32]> = Arc::new([]);
        for _ in 0..MANY {
            let next = cuts.add(16, 1);
            kinds += u32::from(next != limbs);
            limbs = next;
            committed += limbs.len() as u64 - 1;
        }
        let tables: u64 = (1..=LONGEST).filter(|limb| cuts.used >> limb & 1 == 1).map(|limb| 1 << limb).sum();
        assert_eq!((&*limbs, kinds < 6), (&[16][..], true));
        assert!(committed + tables < 2 << 16, "{committed} limbs and {tables} rows");
    }

    /// An epoch ends behind the run of numbers by which it has its lookups, in any calls, before a count could be p.
    #[test]
    fn epochs_end_behind_runs() {
        for (most, run) in [(9 << 17, 256), (9 << 17, 100), (9 << 17, 1)] {
            let mut ranges = Ranges::new::<F61>(&Parameters::default());
            ranges.within(MANY, 16);
            let (mut numbers, mut ends) = (0, 0);
            while ends < 2 {
                ends += ranges.within(run, 16).epochs;
                numbers += run;
                assert_eq!(ends, (MANY + numbers) / most, "{numbers} by {run}");
            }
        }
        let mut small = Ranges::new::<F65537>(&Parameters::default());
        let argued = small.within(1 << 20, 16);
        assert_eq!((argued.epochs, argued.longest), (32, 2 * (1 << 15) + (1 << 16)));
    }
}
