//! All solutions of every class over words of 16 bits, modulo 2^31 − 1: what leaves a row is a function of
//! what enters it, and the one that it should be.

use super::*;
use crate::step::form::{Algebra, TERMS};
use crate::step::plain::Modulo;
use std::collections::{BTreeSet, HashMap};

/// Words of 16 bits. The prime lies between the third and the fourth power of a limb, as 2^61 − 1 does.
const SMALL: Size = Size(8);
const P: u64 = (1 << 31) - 1;
const L: u64 = 1 << 8;
const W: u64 = 1 << 16;

fn row(entering: &[(Term, u64)]) -> [u64; TERMS] {
    let mut row = [0; TERMS];
    entering.iter().for_each(|(term, value)| row[*term as usize] = *value);
    for word in Term::ALL {
        if let Some([low, high]) = word.limbs() {
            row[word as usize] = row[low as usize] + L * row[high as usize];
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
fn solutions(class: Class, entering: &[(Term, u64)]) -> Vec<[u64; TERMS]> {
    let mut equations: Vec<_> = class.equations(SMALL).into_iter().flatten().collect();
    equations.sort_by_key(|form| chosen(form).len());
    let (mut rows, mut known) = (vec![row(entering)], BTreeSet::new());
    for form in &equations {
        let unknown: BTreeSet<u8> = chosen(form).difference(&known).copied().collect();
        known.extend(&unknown);
        let mut next = Vec::new();
        for start in rows {
            complete(form, unknown.clone(), start, &mut next);
        }
        rows = next;
    }
    // Limbs of which no equation speaks are free.
    let free = [Term::C0, Term::C1].into_iter().any(|term| !known.contains(&(term as u8)));
    assert!(!free || matches!(class, Class::Eq | Class::Jalr), "{class:?} leaves its result open");
    rows
}

/// How many values a limb may have: two where it is a bit.
fn most(limb: u8) -> u64 {
    if [Term::S7 as u8, Term::S8 as u8].contains(&limb) { 2 } else { L }
}

fn set(row: &mut [u64; TERMS], limb: u8, value: u64) {
    row[limb as usize] = value;
    for word in Term::ALL {
        if let Some([low, high]) = word.limbs()
            && (low as u8 == limb || high as u8 == limb)
        {
            row[word as usize] = row[low as usize] + L * row[high as usize];
        }
    }
}

/// Takes all values of unknowns that are multiplied by unknowns; and of the others, which are two halves of a
/// sum, those where one half is what the other lacks.
fn complete(form: &Form, mut unknown: BTreeSet<u8>, row: [u64; TERMS], found: &mut Vec<[u64; TERMS]>) {
    let mut z = Modulo(P);
    let limbs = |linear: &Linear| {
        let terms = linear.terms().flat_map(|(term, _)| term.limbs().unwrap_or([term, term]));
        terms.map(|term| term as u8).collect::<BTreeSet<u8>>()
    };
    for (_, a, b) in &form.products {
        let sides = [limbs(a), limbs(b)].map(|side| &side & &unknown);
        if sides.iter().all(|side| !side.is_empty()) {
            let first = *sides[0].first().expect("seen above");
            unknown.remove(&first);
            for value in 0..most(first) {
                let mut row = row;
                set(&mut row, first, value);
                complete(form, unknown.clone(), row, found);
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
            set(&mut row, *limb, one);
            (*limb, (value(&row) + P - zero) % P)
        })
        .collect();
    // All sums of a half, each with its limbs.
    let sums = |half: &[(u8, u64)]| {
        let mut sums = vec![(0, Vec::new())];
        for (limb, slope) in half {
            let with = |(sum, limbs): (u64, Vec<u64>)| {
                (0..most(*limb)).map(move |value| {
                    let limbs = limbs.iter().copied().chain([value]).collect::<Vec<_>>();
                    ((sum + slope * value) % P, limbs)
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
        for before in by_sum.get(&((2 * P - zero - sum) % P)).into_iter().flatten() {
            let mut row = row;
            let values = before.iter().chain(&after);
            slopes.iter().zip(values).for_each(|((limb, _), value)| set(&mut row, *limb, *value));
            found.push(row);
        }
    }
}

fn power(mut base: u64, mut exponent: u64) -> u64 {
    let mut power = 1;
    while exponent > 0 {
        if exponent & 1 == 1 {
            power = power * base % P;
        }
        base = base * base % P;
        exponent >>= 1;
    }
    power
}

/// Words over edges and some others.
fn words(count: usize) -> Vec<u64> {
    let edges = [0, 1, W - 1, W / 2, W / 2 - 1, W - 2, L, L - 1, 2, 3, L + 1, 0x80, 0x7f];
    let mut seed = 7u64;
    let others = core::iter::from_fn(|| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        Some((seed >> 40) % W)
    });
    edges.into_iter().chain(others).take(count).collect()
}

/// Asserts that with these words, of `a`, `b`, `o`, and `i`, what is written and accessed is `expected`, or
/// that there is no solution.
fn expect(class: Class, [a, b, o, i]: [u64; 4], expected: Option<(Option<u64>, Option<u64>)>) {
    use Term::{A0, A1, B0, B1, I, O0, O1};
    let entering = [(A0, a % L), (A1, a / L), (B0, b % L), (B1, b / L), (O0, o % L), (O1, o / L), (I, i)];
    let mut z = Modulo(P);
    let solutions = solutions(class, &entering);
    let mut outcome = |row: &[u64; TERMS]| {
        let writes = !matches!(class, Class::Eq | Class::Jalr);
        // Over small words there are no bits for read-only cells to tell apart: they are part of it.
        let accessed = match class {
            Class::Jalr => Some(base(SMALL)),
            _ => class.accessed(SMALL).map(|address| match class {
                Class::Lw => address - Term::S8 * READ_ONLY,
                Class::Lhalf => address - Term::S6 * READ_ONLY,
                Class::Lio => address - Linear::constant(OF_STREAM),
                _ => address,
            }),
        };
        let written = row[Term::C as usize];
        (writes.then_some(written), accessed.map(|address| z.linear(&address, row).expect("numbers")))
    };
    let outcomes: BTreeSet<_> = solutions.iter().map(&mut outcome).collect();
    let expected: BTreeSet<_> = expected.into_iter().collect();
    assert_eq!(outcomes, expected, "{class:?} of a = {a}, b = {b}, o = {o}, i = {i}");
}

fn signed(word: u64) -> i64 {
    if word >= W / 2 { word as i64 - W as i64 } else { word as i64 }
}

#[test]
fn sums_and_comparisons_have_one_result() {
    for a in words(8) {
        for b in words(7) {
            let written = |value: u64| Some((Some(value % W), None));
            expect(Class::Add, [a, b, 0, 0], written(a + b));
            expect(Class::Add, [a, 0, 0, b], written(a + b));
            expect(Class::Sub, [a, b, 0, 0], written(a + W - b));
            for i in 0..2 {
                let holds = |less: bool| (less == (i == 1)).then_some((Some(i), None));
                expect(Class::Ltu, [a, b, 0, i], holds(a < b));
            }
            expect(Class::Select, [a, b, 0, a], written(b));
            expect(Class::Select, [a, b, 0, (a + 1) % W], None);
            expect(Class::Eq, [a, b, 0, 0], (a == b).then_some((None, None)));
        }
    }
}

#[test]
fn signed_comparisons_have_one_result() {
    for (a, b) in words(8).into_iter().flat_map(|a| words(7).into_iter().map(move |b| (a, b))) {
        for i in 0..2 {
            let less = signed(a) < signed(b);
            expect(Class::Lt, [a, b, 0, i], (less == (i == 1)).then_some((Some(i), None)));
        }
    }
}

#[test]
fn products_have_one_result() {
    for (a, b) in words(20).into_iter().zip(words(20).into_iter().rev()) {
        expect(Class::Mul, [a, b, 0, 0], Some((Some(a * b % W), None)));
        expect(Class::Mulhu, [a, b, 0, 0], Some((Some(a * b / W), None)));
    }
}

#[test]
fn quotients_leave_what_they_leave() {
    for (a, b) in words(9).into_iter().flat_map(|a| words(9).into_iter().map(move |b| (a, b))) {
        let quotient = a.checked_div(b).unwrap_or(W - 1);
        for o in [quotient, quotient.saturating_sub(1), (quotient + 1) % W, a] {
            // Any word that is left: that it is below b is a row of its own.
            let left = a as i64 - (o * b) as i64;
            let fits = left >= 0 && o * (b / L) < L;
            expect(Class::Div, [a, b, o, 0], fits.then_some((Some(left as u64), None)));
        }
        // Of a true quotient the product with the high limb is one.
        assert!(b == 0 || quotient * (b / L) < L);
    }
}

/// Asserts what accesses to the sum of `a` and `i` find and leave.
fn expect_accesses(classes: &[Class], [a, b, o, i]: [u64; 4]) {
    let (sum, place) = ((a + i) % W, ((a + i) % W) & !3);
    let (half, byte) = (sum >> 1 & 1, sum & 1);
    let loaded = if half == 1 { b / L } else { b % L } + L * byte;
    let stored = if half == 1 { o % L + b % L * L } else { b % L + o / L * L };
    for class in classes {
        let expected = match class {
            Class::Lw | Class::Sw => (sum % 4 == 0).then_some((Some(b), Some(place))),
            Class::Shalf => Some((Some(stored), Some(place))),
            Class::Jalr => (sum & 2 == 0).then_some((None, Some(place))),
            _ => Some((Some(loaded), Some(place))),
        };
        expect(*class, [a, b, o, i], expected);
    }
}

#[test]
fn words_have_one_address_and_one_result() {
    expect_accesses(&[Class::Lw, Class::Sw], [0x1234, 0xabcd, 5, W - 4]);
}

#[test]
#[ignore = "slow"]
fn accesses_have_one_address_and_one_result() {
    use Class::{Jalr, Lhalf, Lio, Lw, Shalf, Sw};
    for [a, i] in [[0, 0], [W - 1, 2], [0x1235, 4], [7, 4]] {
        expect_accesses(&[Lw, Sw, Shalf, Lhalf, Lio, Jalr], [a, 0xabcd, 0x4321, i]);
    }
}

#[test]
fn bytes_have_one_result() {
    let h = SMALL.byte() as u64;
    for (half, other) in (0..L).step_by(7).zip((0..h).cycle()) {
        for which in 0..2 {
            let a = half + L * which;
            let byte = if which == 1 { half / h } else { half % h };
            expect(Class::Byte, [a, 0, 0, 0], Some((Some(byte), None)));
            let put = if which == 1 { half % h + other * h } else { half / h * h + other };
            expect(Class::Putb, [a, other, 0, 0], Some((Some(put), None)));
        }
    }
}

/// What bytes with their operation are looked up as.
fn triples(size: Size) -> Vec<u64> {
    let (byte, apart) = (size.byte() as u64, size.apart() as u64);
    let pairs = (0..byte).flat_map(|x| (0..byte).map(move |y| (x, y)));
    pairs.map(|(x, y)| x + apart * y + apart * apart * (x & y)).collect()
}

#[test]
#[ignore = "slow"]
fn logic_has_one_result() {
    let (mut z, table) = (Modulo(P), triples(SMALL));
    let all: BTreeSet<u64> = table.iter().copied().collect();
    assert_eq!(all.len(), table.len());
    for (a, b) in words(3).into_iter().flat_map(|a| words(2).into_iter().map(move |b| (a, b))) {
        for (class, expected) in [(Class::And, a & b), (Class::Or, a | b), (Class::Xor, a ^ b)] {
            for (k, form) in class.equations(SMALL).into_iter().flatten().enumerate() {
                use Term::{A0, A1, B0, B1, C0, C1, S3, S4, S5, S6};
                let mut start = row(&[(A0, a % L), (A1, a / L), (B0, b % L), (B1, b / L)]);
                let (low, high, c) = if k == 0 { (S3, S4, C0) } else { (S5, S6, C1) };
                let mut results = BTreeSet::new();
                // Linear in the result and in both triples: the result is tried, and one triple solved for.
                let mut at = |row: &[u64; TERMS]| z.form(&form, row).expect("numbers");
                for value in 0..L {
                    start[c as usize] = value;
                    start[low as usize] = 0;
                    let zero = at(&start);
                    start[low as usize] = 1;
                    let slope = (at(&start) + P - zero) % P;
                    let inverse = power(slope, P - 2);
                    start[low as usize] = 0;
                    for upper in &table {
                        start[high as usize] = *upper;
                        let triple = (P - at(&start)) % P * inverse % P;
                        if all.contains(&triple) {
                            results.insert(value);
                        }
                    }
                }
                let limb = if k == 0 { expected % L } else { expected / L };
                assert_eq!(results, BTreeSet::from([limb]), "{class:?} of {a} and {b}");
            }
        }
    }
}

/// What an unsplit product, and a quotient without a bound, would let through.
#[test]
fn what_is_left_out_is_missed() {
    let (mut products, mut quotients) = (0, 0);
    for (a, b) in words(40).into_iter().zip(words(40).into_iter().rev()) {
        let others = (0..W).filter(|high| (a * b + P * 4 - W * high) % P < W).count();
        products += usize::from(others > 1);
        let left = |q: u64| (a + P * 8 - q * b % P) % P;
        quotients += usize::from((0..W).filter(|q| left(*q) < b).count() > 1);
    }
    assert!(products > 5 && quotients > 5, "{products} and {quotients}");
}
