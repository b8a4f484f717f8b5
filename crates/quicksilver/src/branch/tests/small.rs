//! Over an extension of 2^8 elements, where chance shows: what is accepted by it, and what is opened.

use super::super::join::Factors;
use super::super::{KeyReplay, Replay, Replayed};
use super::*;
use crate::slots::Triple;
use core::iter::Sum;
use core::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub, SubAssign};
use volery_primitives::prg::{Prg, Seed};
use volery_primitives::{Extension, Field, Lanes, Tagged, U256};
use volery_vole::macs::{Macs, Values};
use volery_vole::vole::{Share, vope};
use zeroize::{DefaultIsZeroes, Zeroizing};

/// An element of F_2[X]/(X^8 + X^4 + X^3 + X + 1).
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
struct Small(u8);

impl DefaultIsZeroes for Small {}

/// The products of all pairs.
static PRODUCTS: [[u8; 256]; 256] = {
    let mut products = [[0; 256]; 256];
    let mut number = 0;
    while number < 256 * 256 {
        let (mut a, b, mut product, mut bit) = (number as u8, number >> 8, 0, 0);
        while bit < 8 {
            product ^= a * (b >> bit & 1) as u8;
            a = (a << 1) ^ (0x1b * (a >> 7));
            bit += 1;
        }
        products[b][number % 256] = product;
        number += 1;
    }
    products
};

// Sums are those of polynomials with coefficients in F_2.
#[allow(clippy::suspicious_arithmetic_impl)]
impl Add for Small {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }
}
#[allow(clippy::suspicious_arithmetic_impl)]
impl Sub for Small {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + other
    }
}
impl Neg for Small {
    type Output = Self;
    fn neg(self) -> Self {
        self
    }
}
impl Mul for Small {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self(PRODUCTS[usize::from(self.0)][usize::from(other.0)])
    }
}
impl AddAssign for Small {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}
impl SubAssign for Small {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}
impl MulAssign for Small {
    fn mul_assign(&mut self, other: Self) {
        *self = *self * other;
    }
}
impl Sum for Small {
    fn sum<I: Iterator<Item = Self>>(terms: I) -> Self {
        terms.fold(Self(0), |sum, term| sum + term)
    }
}
impl From<F2> for Small {
    fn from(bit: F2) -> Self {
        Self(bit.to_word() as u8)
    }
}

impl Field for Small {
    const ZERO: Self = Self(0);
    const ONE: Self = Self(1);
    const BITS: u32 = 8;
    const BINARY: bool = true;
    const NAME: &'static str = "small";
    const SAMPLE: usize = 1;

    fn invert(self) -> Self {
        (0..254).fold(Self::ONE, |power, _| power * self)
    }
    fn to_integer(self) -> U256 {
        u128::from(self.0).into()
    }
    fn from_integer(integer: U256) -> Option<Self> {
        u8::try_from(integer.saturated()).ok().map(Self)
    }
    fn sample(words: &[u64]) -> Self {
        Self(words[0] as u8)
    }
    fn place(bit: u32) -> Self {
        Self(1 << bit)
    }
    fn masked(self, mask: u64) -> Self {
        Self(self.0 & mask as u8)
    }
}

impl Extension<F2> for Small {
    const DEGREE: u32 = 8;

    fn scale(self, scalar: F2) -> Self {
        self * scalar.into()
    }
    fn pack(coordinates: &[Self]) -> Self {
        let terms = coordinates.iter().enumerate();
        terms.map(|(i, &coordinate)| coordinate * Self(1 << i)).sum()
    }
}

impl Lanes<F2> for Small {
    fn add_products(_: Arch, a: &[Self], b: &[Self], sums: &mut [Self]) {
        sums.iter_mut().zip(a.iter().zip(b)).for_each(|(sum, (&a, &b))| *sum += a * b);
    }
    fn add_scaled(_: Arch, a: &[Self], factors: &[F2], sums: &mut [Self]) {
        sums.iter_mut().zip(a.iter().zip(factors)).for_each(|(sum, (a, &b))| *sum += a.scale(b));
    }
    fn dot(_: Arch, a: &[Self], b: &[Self]) -> Self {
        a.iter().zip(b).map(|(&a, &b)| a * b).sum()
    }
    fn combine(_: Arch, factors: &[F2], a: &[Self]) -> Self {
        a.iter().zip(factors).map(|(a, &b)| a.scale(b)).sum()
    }
}

/// Bits under MACs of 8 bits.
enum SmallMacs {}

struct SmallShare;
struct SmallKey;

impl Share for SmallShare {
    type Row = Tagged<F2, Small>;
}
impl Share for SmallKey {
    type Row = Small;
}

impl Values for SmallMacs {
    type F = F2;
    type E = Small;
    type Tag = Tagged<F2, Small>;

    fn value(tag: Self::Tag) -> F2 {
        tag.value
    }
    fn mac(tag: Self::Tag) -> Small {
        tag.mac
    }
    fn corrected(tag: Self::Tag, value: F2) -> Self::Tag {
        Tagged { value, ..tag }
    }
}

impl Macs for SmallMacs {
    type Mac = SmallShare;
    type Key = SmallKey;
    type Delta = Small;

    const TAG: usize = 2;

    fn store(_: Self::Tag, _: &mut Vec<u8>) {
        unreachable!("nothing crosses")
    }
    fn load(_: &[u8]) -> Option<Self::Tag> {
        unreachable!("nothing crosses")
    }

    fn delta(delta: &Small) -> Small {
        *delta
    }
    fn one(delta: &Small) -> Small {
        *delta
    }
    fn constant(value: F2) -> Self::Tag {
        Tagged { value, mac: Small(0) }
    }
    fn scale(tag: Self::Tag, factor: F2) -> Self::Tag {
        tag.scale(factor)
    }
    fn linear(_: Arch, factors: &[F2], tags: &[Self::Tag]) -> Self::Tag {
        tags.iter().zip(factors).fold(Tagged::ZERO, |sum, (tag, &factor)| sum + tag.scale(factor))
    }
    fn correct(_: Arch, _: &mut [Small], _: &[F2], _: Small) {
        unreachable!("nothing is sent")
    }
    fn inner_product(_: Arch, a: &[Self::Tag], b: &[Self::Tag]) -> (Small, Small, F2) {
        let (mut constant, mut linear, mut value) = (Small(0), Small(0), F2::ZERO);
        for (a, b) in a.iter().zip(b) {
            constant += a.mac * b.mac;
            linear += a.mac.scale(b.value) + b.mac.scale(a.value);
            value += a.value * b.value;
        }
        (constant, linear, value)
    }
    fn coefficients(arch: Arch, seed: Seed) -> impl FnMut(&mut [Small]) {
        let mut prg = Prg::new(arch, seed);
        move |chi| {
            let mut words = vec![F128::ZERO; chi.len()];
            prg.fill(&mut words);
            chi.iter_mut().zip(words).for_each(|(chi, word)| *chi = Small(word.0 as u8));
        }
    }
    fn guess() -> f64 {
        (-8f64).exp2()
    }
    fn likeliest() -> f64 {
        (-8f64).exp2()
    }
    fn likeliest_value() -> f64 {
        0.5
    }
}

impl Replayed for SmallMacs {
    fn owed(_: Arch, chi: &[Small], triples: &[Triple<Self::Tag>]) -> Zeroizing<[Small; 3]> {
        let mut sums = [Small(0); 3];
        for (&chi, [a, b, c]) in chi.iter().zip(triples) {
            sums[0] += chi * a.mac * b.mac;
            sums[1] += chi * (a.mac.scale(b.value) + b.mac.scale(a.value) - c.mac);
            sums[2] += chi.scale(a.value * b.value - c.value);
        }
        Zeroizing::new(sums)
    }
    fn owed_keys(_: Arch, chi: &[Small], triples: &[Triple<Small>]) -> Zeroizing<[Small; 2]> {
        let mut sums = [Small(0); 2];
        for (&chi, &[a, b, c]) in chi.iter().zip(triples) {
            sums[0] += chi * a * b;
            sums[1] += chi * c;
        }
        Zeroizing::new(sums)
    }
}

/// The polynomials of all clauses for this tape, the lowest coefficients first, after a check that the
/// verifier has their values.
fn polynomials(clauses: &Several, tape: &[F2], random: &mut Random) -> Vec<Zeroizing<Vec<Small>>> {
    let shapes = of_clauses::shapes(clauses).unwrap();
    let plan = Plan::new(&shapes, 1).unwrap();
    assert_eq!(tape.len(), plan.slots);
    let mut small = || Small(random.word().0 as u8);
    let delta = small();
    let tags: Vec<_> = tape.iter().map(|&value| Tagged { value, mac: small() }).collect();
    let keys: Vec<_> = tags.iter().map(|tag| tag.mac + delta.scale(tag.value)).collect();
    let seeds = [random.word(), random.word()].map(Seed::from);
    let mut replay = Replay::<SmallMacs>::new(Arch::PORTABLE, seeds, plan.degree);
    let mut checked = KeyReplay::<SmallMacs>::new(Arch::PORTABLE, seeds, [delta, delta], plan.degree);
    let polynomial = |clause: usize| {
        let slots = shapes[clause].size().commitments;
        let polynomial = replay.polynomial(&tags, slots, |b| Clause::new(clauses, clause).run(b)).unwrap();
        let at_delta = checked.polynomial(&keys, slots, |b| Clause::new(clauses, clause).run(b)).unwrap();
        let value = polynomial.iter().rev().fold(Small(0), |value, &next| value * delta + next);
        assert_eq!(value, *at_delta, "clause {clause}");
        polynomial
    };
    (0..shapes.len()).map(polynomial).collect()
}

/// Clauses with all that a clause may have.
fn various(count: usize) -> Several {
    let kind = |i| match i % 4 {
        0 => plain(4),
        1 => Kind { bits: 3, degree: 3, matrix: false },
        2 => Kind { bits: 5, degree: 0, matrix: true },
        _ => Kind { bits: 3, degree: 2, matrix: true },
    };
    Several((0..count).map(kind).collect())
}

/// The highest coefficient of the clause that holds is always zero, and that of another with 2^-8.
#[test]
fn both_parties_have_the_same_polynomials() {
    let random = &mut Random::from_seed(&[1; 32]);
    let clauses = various(8);
    let shapes = of_clauses::shapes(&clauses).unwrap();
    let (mut zero, mut all) = (0, 0);
    for round in 0..100 {
        let chosen = round % 8;
        let found = polynomials(&clauses, &clauses.tape(chosen, &shapes), random);
        for (clause, polynomial) in found.iter().enumerate() {
            let highest = *polynomial.last().unwrap();
            assert!(clause != chosen || highest == Small(0), "clause {clause}");
            all += usize::from(clause != chosen);
            zero += usize::from(clause != chosen && highest == Small(0));
        }
    }
    assert!(zero > 0 && zero < 4 * all / 256, "{zero} of {all}");
}

/// For a tape for which no clause holds: B in the 2^8 of the extension, and hardly less.
#[test]
fn no_clause_passes_but_by_the_bound() {
    no_clause_passes(4000, &[2]);
    no_clause_passes(1500, &[8]);
}

#[test]
#[ignore = "slow"]
fn no_clause_passes_but_by_the_bound_in_many_rounds() {
    no_clause_passes(16_000, &[2, 8]);
}

fn no_clause_passes(rounds: usize, counts: &[usize]) {
    for &count in counts {
        let random = &mut Random::from_seed(&[2; 32]);
        let clauses = various(count);
        let shapes = of_clauses::shapes(&clauses).unwrap();
        let mut accepted = 0;
        for round in 0..rounds {
            // One of a clause's own slots is wrong, but for the number: a copy, or a product.
            let own = round % count;
            let mut tape = clauses.tape(own, &shapes);
            let first = clauses.number();
            let slot = first + round / count % (shapes[own].size().commitments as usize - first);
            tape[slot] += F2::ONE;
            let found = polynomials(&clauses, &tape, random);
            let product = found.iter().fold(Small::ONE, |product, one| product * *one.last().unwrap());
            accepted += usize::from(product == Small(0));
        }
        let (rate, bound) = (accepted as f64 / rounds as f64, count as f64 / 256.0);
        assert!(rate < bound + 0.006 && rate > bound / 2.0, "{rate} of {count}, bound {bound}");
    }
}

/// A prover that knows the coefficients before the tape finds two errors that cancel.
#[test]
fn coefficients_that_are_known_early_forge() {
    let clauses = Several(vec![plain(12), plain(12)]);
    let shapes = of_clauses::shapes(&clauses).unwrap();
    let honest = clauses.tape(0, &shapes);
    let forged = (1..1 << 12).find(|errors: &u32| {
        let mut tape = honest.clone();
        // The copies of the bits, each of which is owed by itself, and a factor of the product.
        (0..12).filter(|i| errors >> i & 1 == 1).for_each(|i| tape[1 + 3 * i + 1] += F2::ONE);
        let found = polynomials(&clauses, &tape, &mut Random::from_seed(&[3; 32]));
        *found[0].last().unwrap() == Small(0)
    });
    let errors = forged.expect("one of so many cancels");
    let mut tape = honest;
    (0..12).filter(|i| errors >> i & 1 == 1).for_each(|i| tape[1 + 3 * i + 1] += F2::ONE);
    // With others it fails.
    let passed = (0..64).filter(|&seed| {
        let found = polynomials(&clauses, &tape, &mut Random::from_seed(&[100 + seed; 32]));
        *found[0].last().unwrap() == Small(0)
    });
    assert!(passed.count() <= 3);
}

/// The opened coefficients above the lowest are uniform, whichever clause holds.
#[test]
fn what_is_opened_does_not_depend_on_the_clause() {
    opened_coefficients_are_uniform(256 * 12);
}

#[test]
#[ignore = "slow"]
fn what_is_opened_hardly_depends_on_the_clause() {
    opened_coefficients_are_uniform(256 * 40);
}

fn opened_coefficients_are_uniform(rounds: u32) {
    let clauses = various(4);
    let shapes = of_clauses::shapes(&clauses).unwrap();
    let random = &mut Random::from_seed(&[4; 32]);
    for chosen in [0, 3] {
        let tape = clauses.tape(chosen, &shapes);
        let mut seen: Vec<[u32; 256]> = Vec::new();
        for _ in 0..rounds {
            let mut factors = Factors::default();
            for polynomial in polynomials(&clauses, &tape, random) {
                factors.take(&polynomial);
            }
            let mut product = factors.close(None);
            assert_eq!(product.pop(), Some(Small(0)));
            let mut small = || Small(random.word().0 as u8);
            let lines: Vec<_> = (0..vope::lines(product.len() - 1)).map(|_| (small(), small())).collect();
            let mask = vope::polynomial(product.len() - 1, &lines);
            seen.resize(product.len(), [0; 256]);
            for ((seen, &sum), &mask) in seen.iter_mut().zip(&*product).zip(&*mask) {
                seen[usize::from((sum + mask).0)] += 1;
            }
        }
        // U_0 is what the others and the verifier's own value make it.
        for (power, seen) in seen.iter().enumerate().skip(1) {
            let expected = f64::from(rounds) / 256.0;
            let squares: f64 = seen.iter().map(|&count| (f64::from(count) - expected).powi(2)).sum();
            // 255 degrees of freedom: 5 deviations, and what a mask of few elements is from uniform.
            assert!(
                squares / expected < 255.0 + 5.0 * 23.0,
                "clause {chosen}, U_{power}: {}",
                squares / expected
            );
        }
    }
}
