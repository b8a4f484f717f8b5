//! All ways to complete a row such that its equations hold.

use super::*;

/// Words of a size, and a prime.
#[derive(Clone, Copy)]
pub(super) struct Small {
    pub(super) size: Size,
    pub(super) prime: u64,
}

impl Small {
    pub(super) fn limb(self) -> u64 {
        self.size.limb() as u64
    }

    pub(super) fn word(self) -> u64 {
        self.size.word() as u64
    }
}

pub(super) fn row(z: Small, entering: &[(Term, u64)]) -> [u64; TERMS] {
    let mut row = [0; TERMS];
    entering.iter().for_each(|(term, value)| row[*term as usize] = *value);
    for word in Term::ALL {
        if let Some([low, high]) = word.limbs() {
            row[word as usize] = row[low as usize] + z.limb() * row[high as usize];
        }
    }
    row
}

/// The limbs on which a form depends, of those that the prover chooses.
fn chosen(form: &Form) -> BTreeSet<u8> {
    let of = |linear: &Linear| linear.terms().map(|(term, _)| term).collect::<Vec<_>>();
    let mut terms = of(&form.linear);
    form.products.iter().for_each(|(_, a, b)| terms.extend(of(a).into_iter().chain(of(b))));
    let limbs = terms.into_iter().flat_map(|term| term.limbs().unwrap_or([term, term]));
    use Term::{C0, C1, S3, S4, S5, S6, S7, S8};
    limbs.filter(|term| [C0, C1, S3, S4, S5, S6, S7, S8].contains(term)).map(|term| term as u8).collect()
}

/// All ways to complete `entering` such that all equations of `class` hold.
pub(super) fn solutions(small: Small, class: Class, entering: &[(Term, u64)]) -> Vec<[u64; TERMS]> {
    let mut equations: Vec<_> = class.equations(small.size).into_iter().flatten().collect();
    equations.sort_by_key(|form| chosen(form).len());
    let (mut rows, mut known) = (vec![row(small, entering)], BTreeSet::new());
    for form in &equations {
        let unknown: BTreeSet<u8> = chosen(form).difference(&known).copied().collect();
        known.extend(&unknown);
        let mut next = Vec::new();
        for start in rows {
            complete(small, form, unknown.clone(), start, &mut next);
        }
        rows = next;
    }
    // Limbs of which no equation speaks are free.
    let free = [Term::C0, Term::C1].into_iter().any(|term| !known.contains(&(term as u8)));
    assert!(!free || matches!(class, Class::Eq | Class::Jalr), "{class:?} leaves its result open");
    rows
}

/// How many values a limb may have: two where it is a bit.
fn most(small: Small, limb: u8) -> u64 {
    if [Term::S7 as u8, Term::S8 as u8].contains(&limb) { 2 } else { small.limb() }
}

fn set(small: Small, row: &mut [u64; TERMS], limb: u8, value: u64) {
    row[limb as usize] = value;
    for word in Term::ALL {
        if let Some([low, high]) = word.limbs()
            && (low as u8 == limb || high as u8 == limb)
        {
            row[word as usize] = row[low as usize] + small.limb() * row[high as usize];
        }
    }
}

/// Takes all values of unknowns that are multiplied by unknowns; and of the others, which are two halves of a
/// sum, those where one half is what the other lacks.
fn complete(
    small: Small,
    form: &Form,
    mut unknown: BTreeSet<u8>,
    row: [u64; TERMS],
    found: &mut Vec<[u64; TERMS]>,
) {
    let (mut z, p) = (Modulo(small.prime), small.prime);
    let limbs = |linear: &Linear| {
        let terms = linear.terms().flat_map(|(term, _)| term.limbs().unwrap_or([term, term]));
        terms.map(|term| term as u8).collect::<BTreeSet<u8>>()
    };
    for (_, a, b) in &form.products {
        let sides = [limbs(a), limbs(b)].map(|side| &side & &unknown);
        if sides.iter().all(|side| !side.is_empty()) {
            let first = *sides[0].first().expect("seen above");
            unknown.remove(&first);
            for value in 0..most(small, first) {
                let mut row = row;
                set(small, &mut row, first, value);
                complete(small, form, unknown.clone(), row, found);
            }
            return;
        }
    }
    let mut value = |row: &[u64; TERMS]| z.form(form, row).expect("numbers");
    let zero = value(&row);
    let slopes: Vec<(u8, u64)> = unknown
        .iter()
        .map(|limb| {
            let mut row = row;
            let one = row[*limb as usize] + 1;
            set(small, &mut row, *limb, one);
            (*limb, (value(&row) + p - zero) % p)
        })
        .collect();
    // Two limbs are enough for one of the halves.
    let (first, second) = slopes.split_at(slopes.len().min(2));
    let halves = [first, second].map(|half| sums(small, half));
    for [before, after] in meeting(&halves, (2 * p - zero) % p, p) {
        let mut row = row;
        for (half, place) in [(first, before), (second, after)] {
            let mut place = place as u64;
            for (limb, _) in half.iter().rev() {
                set(small, &mut row, *limb, place % most(small, *limb));
                place /= most(small, *limb);
            }
        }
        found.push(row);
    }
}

/// All sums of a half modulo the prime: the values of its last limb follow each other.
fn sums(small: Small, half: &[(u8, u64)]) -> Vec<u64> {
    let mut sums = vec![0];
    for &(limb, slope) in half {
        let with = |sum| (0..most(small, limb)).map(move |value| (sum + slope * value) % small.prime);
        sums = sums.into_iter().flat_map(with).collect();
    }
    sums
}

/// All places of a sum of the first half and one of the second that add up to `total` modulo `p`, by the place
/// in the second half.
///
/// Most sums have no partner, which some bits of them tell.
fn meeting([first, second]: &[Vec<u64>; 2], total: u64, p: u64) -> Vec<[usize; 2]> {
    let lacks = |sum: u64| if sum <= total { total - sum } else { total + p - sum };
    let mut some = Filter::new(first.iter().copied());
    let second: Vec<_> = (0..second.len())
        .filter(|place| some.may_have(lacks(second[*place])))
        .map(|place| (lacks(second[place]), place))
        .collect();
    some = Filter::new(second.iter().map(|(sum, _)| *sum));
    let mut first: Vec<_> = (0..first.len())
        .filter(|place| some.may_have(first[*place]))
        .map(|place| (first[place], place))
        .collect();
    first.sort_unstable();
    let mut pairs = Vec::new();
    for (sum, after) in second {
        let of_sum = first[first.partition_point(|(other, _)| *other < sum)..].iter();
        pairs.extend(of_sum.take_while(|(other, _)| *other == sum).map(|(_, before)| [*before, after]));
    }
    pairs
}

/// The low bits of numbers.
struct Filter(Vec<bool>);

impl Filter {
    const LOW: u64 = 1 << 18;

    fn new(numbers: impl Iterator<Item = u64>) -> Self {
        let mut seen = vec![false; Self::LOW as usize];
        numbers.for_each(|number| seen[(number % Self::LOW) as usize] = true);
        Self(seen)
    }

    fn may_have(&self, number: u64) -> bool {
        self.0[(number % Self::LOW) as usize]
    }
}

/// `1 / number`.
pub(super) fn inverse(small: Small, number: u64) -> u64 {
    let (mut base, mut exponent, mut power) = (number, small.prime - 2, 1);
    while exponent > 0 {
        if exponent & 1 == 1 {
            power = power * base % small.prime;
        }
        base = base * base % small.prime;
        exponent >>= 1;
    }
    power
}

#[test]
fn halves_meet_wherever_they_add_up() {
    let p = SMALLEST.prime;
    // Sums that share their low bits, sums that are equal, and both ends of the field.
    let first = [0, 1, p - 1, 5, 5, Filter::LOW + 5, 77].to_vec();
    let second = [0, 1, p - 1, 5, p - 5, Filter::LOW, 77, 0].to_vec();
    for total in [0, 1, 5, 10, p - 1, Filter::LOW + 5, 77, 82] {
        let all = (0..first.len()).flat_map(|i| (0..second.len()).map(move |j| [i, j]));
        let expected: BTreeSet<_> = all.filter(|[i, j]| (first[*i] + second[*j]) % p == total).collect();
        let found = meeting(&[first.clone(), second.clone()], total, p);
        assert_eq!(found.len(), expected.len(), "{total}");
        assert_eq!(BTreeSet::from_iter(found), expected, "{total}");
    }
}
