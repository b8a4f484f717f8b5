//! All solutions of every class over small words: what leaves a row is a function of what enters it, and the one
//! that it should be.

mod solutions;

use super::*;
use crate::step::form::{Algebra, TERMS};
use crate::step::plain::Modulo;
use solutions::{Small, inverse, row, solutions};
use std::collections::BTreeSet;

/// Words of 16 bits. The prime lies between the third and the fourth power of a limb, as 2^61 − 1 does.
const SMALL: Small = Small { size: Size(8), prime: (1 << 31) - 1 };
const P: u64 = SMALL.prime;
const L: u64 = 1 << 8;
const W: u64 = 1 << 16;

/// Words of 8 bits, for classes that have no products of words. What keeps the two parts of an equation apart
/// has places of its own, which do not become fewer: so the prime is above the fourth power of a limb.
const SMALLEST: Small = Small { size: Size(4), prime: (1 << 19) - 1 };

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
fn expect(class: Class, words: [u64; 4], expected: Option<(Option<u64>, Option<u64>)>) {
    expect_of(SMALL, class, words, expected);
}

/// Expects a result of words of this size.
fn expect_of(
    small: Small,
    class: Class,
    [a, b, o, i]: [u64; 4],
    expected: Option<(Option<u64>, Option<u64>)>,
) {
    let limb = small.limb();
    use Term::{A0, A1, B0, B1, I, O0, O1};
    let entering = [
        (A0, a % limb),
        (A1, a / limb),
        (B0, b % limb),
        (B1, b / limb),
        (O0, o % limb),
        (O1, o / limb),
        (I, i),
    ];
    let mut z = Modulo(small.prime);
    let solutions = solutions(small, class, &entering);
    let mut outcome = |row: &[u64; TERMS]| {
        let writes = !matches!(class, Class::Eq | Class::Jalr);
        // Over small words there are no bits for read-only cells to tell apart: they are part of it.
        let accessed = match class {
            Class::Jalr => Some(base(small.size)),
            _ => class.accessed(small.size).map(|address| match class {
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
fn expect_accesses(small: Small, classes: &[Class], [a, b, o, i]: [u64; 4]) {
    let (l, sum) = (small.limb(), (a + i) % small.word());
    let (place, half, byte) = (sum & !3, sum >> 1 & 1, sum & 1);
    let loaded = if half == 1 { b / l } else { b % l } + l * byte;
    let stored = if half == 1 { o % l + b % l * l } else { b % l + o / l * l };
    for class in classes {
        let expected = match class {
            Class::Lw | Class::Sw => (sum % 4 == 0).then_some((Some(b), Some(place))),
            Class::Shalf => Some((Some(stored), Some(place))),
            Class::Jalr => (sum & 2 == 0).then_some((None, Some(place))),
            _ => Some((Some(loaded), Some(place))),
        };
        expect_of(small, *class, [a, b, o, i], expected);
    }
}

/// The classes of loads, stores and jumps.
const ACCESSES: [Class; 6] = [Class::Lw, Class::Sw, Class::Shalf, Class::Lhalf, Class::Lio, Class::Jalr];

#[test]
fn accesses_of_the_smallest_words_have_one_result() {
    for a in (0..SMALLEST.word()).step_by(5) {
        for i in [0, 7, 0xfe] {
            expect_accesses(SMALLEST, &ACCESSES, [a, 0xa5 ^ a, 0x3c, i]);
        }
    }
}

#[test]
#[ignore = "slow"]
fn accesses_have_one_address_and_one_result() {
    for [a, i] in [[0, 0], [W - 1, 2], [0x1235, 4], [7, 4], [0x1234, W - 4]] {
        expect_accesses(SMALL, &ACCESSES, [a, 0xabcd, 0x4321, i]);
    }
}

#[test]
fn bytes_have_one_result() {
    let h = SMALL.size.byte() as u64;
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

/// The numbers by which bytes with their operation are looked up.
fn triples(size: Size) -> Vec<u64> {
    let (byte, apart) = (size.byte() as u64, size.apart() as u64);
    let pairs = (0..byte).flat_map(|x| (0..byte).map(move |y| (x, y)));
    pairs.map(|(x, y)| x + apart * y + apart * apart * (x & y)).collect()
}

#[test]
fn logic_of_the_smallest_words_has_one_result() {
    let pairs = (0..SMALLEST.limb()).flat_map(|a| (0..SMALLEST.limb()).map(move |b| (a, b)));
    // Each limb has an equation of its own: the high ones are others.
    expect_logic(SMALLEST, pairs.map(|(a, b)| (a + 16 * (15 - b), b + 16 * (a ^ b))));
}

#[test]
#[ignore = "slow"]
fn logic_has_one_result() {
    expect_logic(SMALL, words(3).into_iter().flat_map(|a| words(2).into_iter().map(move |b| (a, b))));
}

/// Asserts that of two words each operation on bits has one result.
fn expect_logic(small: Small, words: impl Iterator<Item = (u64, u64)>) {
    use Term::{A0, A1, B0, B1, C0, C1, S3, S4, S5, S6};
    let (mut z, p, l, table) = (Modulo(small.prime), small.prime, small.limb(), triples(small.size));
    let all: BTreeSet<u64> = table.iter().copied().collect();
    assert_eq!(all.len(), table.len());
    for (a, b) in words {
        for (class, expected) in [(Class::And, a & b), (Class::Or, a | b), (Class::Xor, a ^ b)] {
            for (k, form) in class.equations(small.size).into_iter().flatten().enumerate() {
                let mut start = row(small, &[(A0, a % l), (A1, a / l), (B0, b % l), (B1, b / l)]);
                let (low, high, c) = if k == 0 { (S3, S4, C0) } else { (S5, S6, C1) };
                let mut results = BTreeSet::new();
                // Linear in the result and in both triples: the result is tried, and one triple solved for.
                let mut at = |row: &[u64; TERMS]| z.form(&form, row).expect("numbers");
                for value in 0..l {
                    start[c as usize] = value;
                    start[low as usize] = 0;
                    let zero = at(&start);
                    start[low as usize] = 1;
                    let slope = (at(&start) + p - zero) % p;
                    let inverse = inverse(small, slope);
                    start[low as usize] = 0;
                    for upper in &table {
                        start[high as usize] = *upper;
                        let triple = (p - at(&start)) % p * inverse % p;
                        if all.contains(&triple) {
                            results.insert(value);
                        }
                    }
                }
                let limb = if k == 0 { expected % l } else { expected / l };
                assert_eq!(results, BTreeSet::from([limb]), "{class:?} of {a} and {b}");
            }
        }
    }
}

/// An unsplit product, and a quotient without a bound, would let wrong results through.
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
