//! The constraints that are no linear ones, kept in a few bytes each, so that a file is read once.
//!
//! | bytes | what |
//! |---|---|
//! | 1 or 5 | how many numbers of the file were passed over since the constraint before |
//! | 1 or 5 each | how many terms A, B and C have |
//! | 2 to 9 each | terms: in one byte the number of the factor and how many bytes follow; the wire's distance |
//! | | to that of the term before |

use super::constraint::{Constraint, Term};
use super::factors::Factors;
use super::prime::{Limbs, ONE, Prime};
use std::collections::HashMap;

/// Constraints, written one after the other.
pub(super) struct Writer {
    kept: KeptConstraints,
    /// The numbers of factors.
    numbers: Factors<u32>,
    others: HashMap<Limbs, u32>,
    /// The number of the next constraint, if none is passed over.
    next: u32,
    wire: u32,
    /// The most bytes.
    most: usize,
}

/// Constraints in memory, to be read.
#[derive(Debug)]
pub(super) struct KeptConstraints {
    bytes: Vec<u8>,
    /// Factors by their numbers, one and minus one first.
    factors: Vec<Limbs>,
}

/// The most bytes that are kept, and the most factors that differ. What has more is read from the file anew
/// for each run, to the same effect; but of several instances each is then pushed by itself, which is a part of
/// [what they are](super::instances::INSTANCES_VERSION).
pub(super) const MOST_BYTES: usize = 1 << 25;
const MOST_FACTORS: usize = 1 << 16;

/// The mark of a number that is too long for its byte, and follows.
const LONG: u8 = u8::MAX;
/// The value of the six bits for the number of a factor that stands for one that is too long, and follows.
const LONG_FACTOR: u8 = 63;

/// The bytes of a term that are read at once: as many bytes stand behind the last one, too.
const AHEAD: usize = 8;

impl Writer {
    /// A store of constraints that keeps at most `most` bytes.
    pub(super) fn new(prime: &Prime, most: usize) -> Self {
        let kept = KeptConstraints { bytes: Vec::new(), factors: vec![ONE, prime.minus_one()] };
        Self { kept, numbers: Factors::new(prime, [0, 1]), others: HashMap::new(), next: 0, wire: 0, most }
    }

    /// Adds a constraint, behind those of lower numbers, and tells whether there was room: where there was none
    /// it has a part of the constraint, and is of no use.
    pub(super) fn push(&mut self, constraint: &Constraint) -> bool {
        self.count(constraint.number - self.next);
        self.next = constraint.number + 1;
        for form in &constraint.forms {
            self.count(form.len() as u32);
        }
        for term in constraint.forms.iter().flatten() {
            let (kept, others) = (&mut self.kept, &mut self.others);
            let number = self.numbers.get(&term.factor, |factor| {
                *others.entry(*factor).or_insert_with(|| {
                    kept.factors.push(*factor);
                    kept.factors.len() as u32 - 1
                })
            });
            let distance = zigzag(term.wire.wrapping_sub(self.wire) as i32);
            self.wire = term.wire;
            let length = (distance.checked_ilog2().unwrap_or(0) / 8) as usize;
            let short = number < LONG_FACTOR.into();
            let head = if short { number as u8 } else { LONG_FACTOR };
            let bytes = &mut self.kept.bytes;
            bytes.push(head << 2 | length as u8);
            bytes.extend_from_slice(&distance.to_le_bytes()[..=length]);
            if !short {
                bytes.extend(number.to_le_bytes());
            }
            // One constraint may have all terms of a file.
            if !self.has_room() {
                return false;
            }
        }
        self.has_room()
    }

    fn has_room(&self) -> bool {
        self.kept.bytes.len() + AHEAD <= self.most && self.kept.factors.len() <= MOST_FACTORS
    }

    /// The constraints that were added.
    pub(super) fn end(mut self) -> KeptConstraints {
        self.kept.bytes.extend([0; AHEAD]);
        self.kept.bytes.shrink_to_fit();
        self.kept
    }

    fn count(&mut self, count: u32) {
        match u8::try_from(count) {
            Ok(count) if count < LONG => self.kept.bytes.push(count),
            _ => {
                self.kept.bytes.push(LONG);
                self.kept.bytes.extend(count.to_le_bytes());
            }
        }
    }
}

impl KeptConstraints {
    /// All of them, from the first on.
    pub(super) fn read(&self) -> Reader<'_> {
        Reader { kept: self, at: 0, next: 0, wire: 0 }
    }
}

/// Reads what is kept.
pub(super) struct Reader<'k> {
    kept: &'k KeptConstraints,
    at: usize,
    next: u32,
    wire: u32,
}

impl Reader<'_> {
    /// Reads the next one into `constraint`, and tells whether there is one.
    pub(super) fn next(&mut self, constraint: &mut Constraint) -> bool {
        if self.at + AHEAD >= self.kept.bytes.len() {
            return false;
        }
        constraint.number = self.next + self.count();
        self.next = constraint.number + 1;
        let counts = [(); 3].map(|()| self.count());
        for (terms, count) in constraint.forms.iter_mut().zip(counts) {
            terms.clear();
            terms.extend((0..count).map(|_| self.term()));
        }
        true
    }

    #[inline(always)]
    fn count(&mut self) -> u32 {
        let count = self.kept.bytes[self.at];
        self.at += 1;
        if count == LONG { self.word() } else { count.into() }
    }

    #[cold]
    fn word(&mut self) -> u32 {
        let word = self.kept.bytes[self.at..].first_chunk().expect("a word");
        self.at += 4;
        u32::from_le_bytes(*word)
    }

    #[inline(always)]
    fn term(&mut self) -> Term {
        let ahead = self.kept.bytes[self.at..].first_chunk().expect("bytes behind the last");
        let ahead = u64::from_le_bytes(*ahead);
        let length = ahead & 3;
        let distance = (ahead >> 8) as u32 & u32::MAX >> (24 - 8 * length);
        self.at += length as usize + 2;
        self.wire = self.wire.wrapping_add(unzigzag(distance) as u32);
        let short = (ahead as u8) >> 2;
        let number = if short == LONG_FACTOR { self.word() } else { short.into() };
        Term { factor: self.kept.factors[number as usize], wire: self.wire }
    }
}

/// Small numbers of either sign as small ones.
#[inline(always)]
fn zigzag(number: i32) -> u32 {
    (number << 1 ^ number >> 31) as u32
}

#[inline(always)]
fn unzigzag(number: u32) -> i32 {
    (number >> 1) as i32 ^ -((number & 1) as i32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use volery_primitives::Goldilocks;

    /// Constraints with long forms, far wires and many factors.
    fn constraints() -> Vec<Constraint> {
        let term = |i: u32, wire: u32| Term { factor: [i as u64 % 200 + 1, 0, 0, 0], wire };
        let wires = [0, 1, u32::MAX, 0, 1 << 31, (1 << 31) - 1, 7, 6, 300, 70_000, 20_000_000, 3];
        let far: Vec<_> = wires.iter().zip(0..).map(|(wire, i)| term(i, *wire)).collect();
        let long: Vec<_> = (0..1000).map(|i| term(i, i * i * 3)).collect();
        let minus = Term { factor: Prime::of::<Goldilocks>().minus_one(), wire: 9 };
        let forms = [
            [far.clone(), vec![], vec![term(0, 5)]],
            [vec![minus], long.clone(), long[..255].to_vec()],
            [vec![], vec![], vec![]],
            [long[..254].to_vec(), far, vec![minus; 256]],
        ];
        let numbers = [0, 1, 255, 100_000];
        forms.into_iter().zip(numbers).map(|(forms, number)| Constraint { number, forms }).collect()
    }

    #[test]
    fn what_is_kept_is_read_again() {
        let mut writer = Writer::new(&Prime::of::<Goldilocks>(), MOST_BYTES);
        let constraints = constraints();
        assert!(constraints.iter().all(|constraint| writer.push(constraint)));
        let kept = writer.end();
        for _ in 0..2 {
            let (mut reader, mut read) = (kept.read(), Constraint::default());
            for expected in &constraints {
                assert!(reader.next(&mut read));
                assert_eq!((read.number, &read.forms), (expected.number, &expected.forms));
            }
            assert!(!reader.next(&mut read));
        }
        let none = Writer::new(&Prime::of::<Goldilocks>(), 0).end();
        assert!(!none.read().next(&mut Constraint::default()));
    }

    #[test]
    fn what_is_too_long_is_told() {
        let one = Constraint { number: 0, forms: [vec![], vec![], vec![Term { factor: ONE, wire: 1 }]] };
        for (most, fits) in [(13, false), (14, true)] {
            assert_eq!(Writer::new(&Prime::of::<Goldilocks>(), most).push(&one), fits);
        }
        let mut writer = Writer::new(&Prime::of::<Goldilocks>(), MOST_BYTES);
        let other = |i: u64| Constraint {
            number: i as u32,
            forms: [vec![], vec![], vec![Term { factor: [i + 2, 0, 0, 0], wire: 1 }]],
        };
        let first = (0..).find(|i| !writer.push(&other(*i))).expect("the first beyond");
        assert_eq!(first as usize, MOST_FACTORS - 2);
        // Of a single constraint no more is written than there is room for.
        let long = |count: u64| (0..count).map(|i| Term { factor: [i + 2, 0, 0, 0], wire: 1 }).collect();
        let one = |count| Constraint { number: 0, forms: [vec![], long(count), vec![]] };
        let mut writer = Writer::new(&Prime::of::<Goldilocks>(), 1000);
        assert!(!writer.push(&one(10_000)));
        assert!(writer.kept.bytes.len() < 1010, "{}", writer.kept.bytes.len());
        let mut writer = Writer::new(&Prime::of::<Goldilocks>(), MOST_BYTES);
        assert!(!writer.push(&one(2 * MOST_FACTORS as u64)));
        assert_eq!(writer.kept.factors.len(), MOST_FACTORS + 1);
    }
}
