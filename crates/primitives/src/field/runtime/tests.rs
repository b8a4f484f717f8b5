use super::barrett::Barrett;
use super::quartic::Quartic;
use super::*;
use crate::arch::Arch;
use crate::field::F128;
use crate::prg::Prg;

/// The prime that these tests choose: one process has one. It is 3 modulo 4, the case where c is not zero.
const CHOSEN: u64 = (1 << 60) - 93;

/// Primes of all lengths that may be chosen, of both classes modulo 4, the least and the largest of all among
/// them; and short ones, which the arithmetic holds for, too.
const PRIMES: [u64; 17] = [
    3,
    5,
    7,
    101,
    65_537,
    (1 << 30) + 3,
    (1 << 31) - 1,
    2_013_265_921,
    (1 << 32) - 5,
    (1 << 33) - 9,
    (1 << 40) - 87,
    1_099_511_627_791,
    (1 << 50) - 27,
    CHOSEN,
    1_152_921_504_606_847_009,
    2_305_843_009_213_693_921,
    (1 << 61) - 1,
];

fn words(seed: u128, count: usize) -> Vec<u64> {
    let mut blocks = vec![F128::ZERO; count.div_ceil(2)];
    Prg::new(Arch::PORTABLE, F128(seed)).fill(&mut blocks);
    blocks.iter().flat_map(|block| [block.0 as u64, (block.0 >> 64) as u64]).take(count).collect()
}

#[test]
fn primes_are_known_from_others() {
    let sieved = |n: u64| n > 1 && (2..n).take_while(|d| d * d <= n).all(|d| !n.is_multiple_of(d));
    for n in (0..5000).chain(1_000_000..1_000_500) {
        assert_eq!(is_prime(n), sieved(n), "{n}");
    }
    assert!(PRIMES.into_iter().all(is_prime));
    // Carmichael numbers, strong pseudoprimes to the first bases, squares and products of two primes.
    let others = [
        561,
        41_041,
        825_265,
        3_215_031_751,
        3_474_749_660_383,
        341_550_071_728_321,
        3_825_123_056_546_413_051 >> 1,
        ((1 << 30) - 35) * ((1 << 30) - 35),
        ((1 << 30) - 35) * ((1 << 30) + 3),
        (1 << 60) - 91,
    ];
    for n in others {
        assert!(!is_prime(n), "{n}");
    }
}

#[test]
fn arithmetic_is_that_of_integers() {
    for p in PRIMES {
        let modulo = Barrett::new(p);
        let mut samples = vec![0, 1, 2 % p, p / 2, p - 2, p - 1];
        samples.extend(words(p.into(), 40).iter().map(|word| word % p));
        let wide_p = u128::from(p);
        for &a in &samples {
            for &b in &samples {
                let [x, y] = [a, b].map(u128::from);
                assert_eq!(u128::from(modulo.sum(a, b)), (x + y) % wide_p);
                assert_eq!(u128::from(modulo.difference(a, b)), (wide_p + x - y) % wide_p);
                assert_eq!(u128::from(modulo.product(a, b)), x * y % wide_p);
            }
            assert_eq!(modulo.product(a, modulo.inverse(a)), u64::from(a != 0));
        }
        // All that the reduction takes: from both ends, at multiples of p and beside them, and between.
        let most = (wide_p << 64) - 1;
        let between = words(u128::from(p) << 1, 4000);
        let between = between.chunks(2).map(|two| u128::from(two[0]) << 64 | u128::from(two[1]));
        let multiples = between.clone().map(|t| t % most / wide_p * wide_p);
        let edges = [0, 1, wide_p - 1, wide_p, most - 1, most, 8 * (wide_p - 1) * (wide_p - 1)];
        for t in edges.into_iter().chain(between.map(|t| t % most)).chain(multiples.clone()) {
            assert_eq!(u128::from(modulo.reduce(t.min(most))), t.min(most) % wide_p, "{t} modulo {p}");
        }
        for t in multiples {
            assert_eq!(modulo.reduce(t + wide_p - 1), p - 1);
        }
    }
}

#[test]
fn digits_are_those_of_the_fraction() {
    for p in PRIMES {
        let base = Barrett::new(p);
        for words in words(5, 20).chunks_exact(5).chain([&[0; 5][..], &[u64::MAX; 5]]) {
            let words: [u64; 5] = words.try_into().unwrap();
            let digits: [u64; 4] = base.digits(words);
            // The first digit is ⌊p·fraction⌋, of which the first 128 bits decide but for a carry.
            let top = u128::from(words[3]).wrapping_mul(p.into()) >> 64;
            let first = (u128::from(words[4]) * u128::from(p) + top) >> 64;
            assert_eq!(u128::from(digits[3]), first);
            assert!(digits.iter().all(|digit| *digit < p));
        }
        assert_eq!(base.digits([0, 1 << 63]), [p / 2]);
        // A half is ½(p − 1), ½(p − 1), … in base p.
        assert_eq!(base.digits([0, 0, 0, 0, 1 << 63]), [p / 2; 4]);
    }
}

/// `base` to the power p.
fn to_the_p(field: Quartic, base: [u64; 4]) -> [u64; 4] {
    let p = field.base().modulus();
    (0..u64::BITS - p.leading_zeros()).rev().fold([1, 0, 0, 0], |power, bit| {
        let square = field.product(power, power);
        if p >> bit & 1 == 1 { field.product(square, base) } else { square }
    })
}

#[test]
fn extensions_are_fields() {
    for p in PRIMES {
        let base = Barrett::new(p);
        let field = Quartic::new(base);
        let (u, v) = field.parts();
        let y = [0, 1 % p, 0, 0];
        let square = field.product(y, y);
        assert_eq!(field.product(square, square), [v, 0, u, 0]);
        // Y^4 − uY^2 − v is irreducible, as Y is a root that p^4 takes to itself and p^2 does not.
        let once = to_the_p(field, y);
        let twice = to_the_p(field, once);
        let whole = to_the_p(field, to_the_p(field, twice));
        assert_eq!(whole, y, "over {p}");
        assert_ne!(twice, y, "over {p}");

        let mut samples = vec![[0; 4], [1, 0, 0, 0], y, [p - 1; 4], [0, 0, p - 1, 0], [0, 0, 0, 1]];
        samples.extend(words(7, 24).chunks(4).map(|four| [0, 1, 2, 3].map(|i: usize| four[i] % p)));
        for &a in &samples {
            assert_eq!(field.shifted(a), field.product(a, y));
            let one = [u64::from(a != [0; 4]), 0, 0, 0];
            assert_eq!(field.product(a, field.inverse(a)), one, "over {p}");
            for &b in &samples {
                assert_eq!(field.product(a, b), by_definition(field, a, b), "over {p}");
                for &c in &samples {
                    assert_eq!(field.product(a, field.product(b, c)), field.product(field.product(a, b), c));
                }
            }
        }
    }
}

/// The product, each coefficient by itself.
fn by_definition(field: Quartic, a: [u64; 4], b: [u64; 4]) -> [u64; 4] {
    let (base, (u, v)) = (field.base(), field.parts());
    let mut powers = [0; 7];
    for i in 0..4 {
        for j in 0..4 {
            powers[i + j] = base.sum(powers[i + j], base.product(a[i], b[j]));
        }
    }
    for i in (4..7).rev() {
        powers[i - 2] = base.sum(powers[i - 2], base.product(u, powers[i]));
        powers[i - 4] = base.sum(powers[i - 4], base.product(v, powers[i]));
    }
    [powers[0], powers[1], powers[2], powers[3]]
}

#[test]
fn one_prime_is_chosen() {
    assert_eq!(RuntimePrime::choose(CHOSEN + 2), Err(ChoiceError::Composite));
    for prime in [65_537, (1 << 30) - 35] {
        assert_eq!(RuntimePrime::choose(prime), Err(ChoiceError::Short));
    }
    for long in [(1 << 61) - 1, (1 << 61) + 15, u64::MAX] {
        assert_eq!(RuntimePrime::choose(long), Err(ChoiceError::Long));
    }
    assert_eq!(RuntimePrime::choose(CHOSEN), Ok(()));
    assert_eq!(RuntimePrime::choose(CHOSEN), Ok(()));
    let other = RuntimePrime::choose((1 << 31) - 1);
    assert_eq!(other, Err(ChoiceError::Taken(CHOSEN)));
    assert!(other.unwrap_err().to_string().contains("the prime 1152921504606846883, and modulo one"));
    assert_eq!(RuntimePrime::modulus(), Some(CHOSEN));
    assert_eq!((RuntimePrime::name(), RuntimePrime::bits()), ("1152921504606846883", 60));
}
