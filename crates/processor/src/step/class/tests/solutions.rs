//! All ways to complete a row such that its equations hold.

use super::*;
use std::collections::HashMap;

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
    // All sums of a half, each with its limbs.
    let sums = |half: &[(u8, u64)]| {
        let mut sums = vec![(0, Vec::new())];
        for (limb, slope) in half {
            let with = |(sum, limbs): (u64, Vec<u64>)| {
                (0..most(small, *limb)).map(move |value| {
                    let limbs = limbs.iter().copied().chain([value]).collect::<Vec<_>>();
                    ((sum + slope * value) % p, limbs)
                })
            };
            sums = sums.into_iter().flat_map(with).collect();
        }
        sums
    };
    // Two limbs are enough for one of them.
    let (first, second) = slopes.split_at(slopes.len().min(2));
    let mut by_sum: HashMap<u64, Vec<Vec<u64>>> = HashMap::new();
    for (sum, limbs) in sums(first) {
        by_sum.entry(sum).or_default().push(limbs);
    }
    for (sum, after) in sums(second) {
        for before in by_sum.get(&((2 * p - zero - sum) % p)).into_iter().flatten() {
            let mut row = row;
            let values = before.iter().chain(&after);
            slopes.iter().zip(values).for_each(|((limb, _), value)| set(small, &mut row, *limb, *value));
            found.push(row);
        }
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
