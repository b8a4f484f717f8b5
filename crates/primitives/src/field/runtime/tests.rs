use super::barrett::Barrett;
use super::montgomery::{self, Montgomery};
use super::quartic::Quartic;
use super::*;
use crate::arch::Arch;
use crate::field::{F61, F128};
use crate::prg::Prg;
use num_bigint::BigUint;

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

/// Primes below 2^30, whose extensions are packed: the least, those with the longest search for a polynomial, one
/// beside each power of two where a lane gets longer, and the largest of all.
const SMALL: [u64; 21] = [
    3,
    5,
    7,
    11,
    13,
    17,
    19,
    37,
    97,
    101,
    127,
    257,
    613,
    2053,
    32_771,
    65_537,
    65_539,
    1_048_583,
    50_331_653,
    (1 << 29) + 11,
    (1 << 30) - 35,
];

/// A polynomial over F_p, lowest coefficient first and the highest not zero.
type Polynomial = Vec<u64>;

/// The remainder of a division by definition, one coefficient after the other.
fn remainder(mut of: Polynomial, by: &[u64], p: u64) -> Polynomial {
    let inverse = Barrett::new(p).inverse(by[by.len() - 1]);
    while of.len() >= by.len() {
        let factor = u128::from(of[of.len() - 1]) * u128::from(inverse) % u128::from(p);
        let from = of.len() - by.len();
        for (of, by) in of[from..].iter_mut().zip(by) {
            let less = u128::from(*by) * factor % u128::from(p);
            *of = ((u128::from(*of) + u128::from(p) - less) % u128::from(p)) as u64;
        }
        of.truncate(of.iter().rposition(|coefficient| *coefficient != 0).map_or(0, |last| last + 1));
    }
    of
}

/// The product of two polynomials modulo a third one, by definition.
fn product_modulo(a: &[u64], b: &[u64], modulus: &[u64], p: u64) -> Polynomial {
    let mut product = vec![0; (a.len() + b.len()).saturating_sub(1)];
    for (i, a) in a.iter().enumerate() {
        for (j, b) in b.iter().enumerate() {
            product[i + j] =
                ((u128::from(product[i + j]) + u128::from(*a) * u128::from(*b)) % u128::from(p)) as u64;
        }
    }
    product.truncate(product.iter().rposition(|coefficient| *coefficient != 0).map_or(0, |last| last + 1));
    remainder(product, modulus, p)
}

/// The polynomial of an element.
fn polynomial(field: Packed, words: [u64; 4]) -> Polynomial {
    let coordinates = field.unpacked(words);
    let length = coordinates.iter().rposition(|coordinate| *coordinate != 0).map_or(0, |last| last + 1);
    coordinates[..length].to_vec()
}

/// The modulus of the extension.
fn modulus_of(field: Packed, p: u64) -> Polynomial {
    let (degree, k, a) = field.parts();
    let mut modulus = vec![0; degree + 1];
    (modulus[0], modulus[degree]) = (p - 1, 1);
    modulus[k] = p - a;
    modulus
}

/// Rabin's test as it is stated for any degree, and the number of elements.
#[test]
fn small_primes_have_extensions_that_are_large_fields() {
    for p in SMALL {
        assert!(is_prime(p));
        let field = Packed::new(Barrett::new(p));
        let degree = field.degree();
        assert!(BigUint::from(p).pow(degree as u32).bits() > 128, "{degree} over {p}");
        assert!(degree <= packed::MOST && degree as u32 * (p.ilog2() + 1) <= 244);
        let modulus = modulus_of(field, p);
        let to_the_p = |x: &Polynomial| {
            (0..p.ilog2()).rev().fold(x.clone(), |power, bit| {
                let square = product_modulo(&power, &power, &modulus, p);
                if p >> bit & 1 == 1 { product_modulo(&square, x, &modulus, p) } else { square }
            })
        };
        let x = vec![0, 1];
        let mut power = x.clone();
        for i in 1..=degree {
            power = to_the_p(&power);
            if i < degree && degree.is_multiple_of(i) {
                // No factor has a degree that divides i: X^(p^i) − X has none in common.
                let mut difference = power.clone();
                difference.resize(difference.len().max(2), 0);
                difference[1] = (difference[1] + p - 1) % p;
                difference.truncate(difference.iter().rposition(|c| *c != 0).expect("not X") + 1);
                let (mut a, mut b) = (modulus.clone(), difference);
                while !b.is_empty() {
                    (a, b) = (b.clone(), remainder(a, &b, p));
                }
                assert_eq!(a.len(), 1, "over {p}");
            }
        }
        assert_eq!(power, x, "over {p}");
    }
}

#[test]
fn packed_arithmetic_is_that_of_polynomials() {
    for p in SMALL {
        let base = Barrett::new(p);
        let field = Packed::new(base);
        let (degree, modulus) = (field.degree(), modulus_of(field, p));
        let mut of = |seed: u128| {
            let mut coordinates = [0; packed::MOST];
            let random = words(seed, degree);
            coordinates.iter_mut().zip(random).for_each(|(coordinate, word)| *coordinate = word % p);
            field.packed(&coordinates)
        };
        let mut largest = [0; packed::MOST];
        largest[..degree].fill(p - 1);
        let mut samples: Vec<_> = (0..5).map(&mut of).collect();
        samples.extend([
            [0; 4],
            [1, 0, 0, 0],
            field.with(1, 1),
            field.with(degree - 1, p - 1),
            field.packed(&largest),
        ]);
        let mut one = [0; 4];
        one[0] = 1;
        for &a in &samples {
            assert_eq!(field.packed(&field.unpacked(a)), a);
            assert_eq!(
                field.product(a, field.inverse(a)),
                if a == [0; 4] { [0; 4] } else { one },
                "over {p}"
            );
            assert_eq!(field.shifted(a), field.product(a, field.with(1, 1)));
            for spacing in [p.ilog2() + 1, 244 / degree as u32] {
                let encoded = field.encoded(a, spacing);
                assert_eq!(field.decoded(encoded, spacing), Some(a));
                for (i, coordinate) in (0..degree as u32).zip(field.unpacked(a)) {
                    let others = encoded.overflowing_sub(U256::from(coordinate) << (i * spacing)).0;
                    // From p on, and beyond the last.
                    if spacing > p.ilog2() + 1 || !(p + 1).is_power_of_two() {
                        let above = others | U256::from(p) << (i * spacing);
                        assert_eq!(field.decoded(above, spacing), None, "over {p}");
                    }
                }
                let beyond = encoded | U256::from(1_u64) << (degree as u32 * spacing);
                assert_eq!(field.decoded(beyond, spacing), None, "over {p}");
            }
            for scalar in [0, 1, 2, p - 1, p / 2] {
                assert_eq!(field.scaled(a, scalar), field.product(a, [scalar, 0, 0, 0]));
            }
            for &b in &samples {
                let product = product_modulo(&polynomial(field, a), &polynomial(field, b), &modulus, p);
                assert_eq!(polynomial(field, field.product(a, b)), product, "over {p}");
                let [x, y] = [a, b].map(|element| field.unpacked(element));
                let sum = core::array::from_fn(|i| (x[i] + y[i]) % p);
                let difference = core::array::from_fn(|i| (x[i] + p - y[i]) % p);
                assert_eq!(field.unpacked(field.sum(a, b)), sum, "over {p}");
                assert_eq!(field.unpacked(field.difference(a, b)), difference, "over {p}");
            }
        }
        // A half is ½(p − 1), ½(p − 1), … in base p.
        let halves = field.unpacked(field.digits([0, 0, 0, 0, 1 << 63]));
        assert!(halves[..degree].iter().all(|digit| *digit == p / 2));
        assert!(field.unpacked(field.digits([u64::MAX; 5]))[..degree].iter().all(|digit| *digit == p - 1));
        // Numbers have different elements.
        let numbers = (0..3000).map(|number| field.numbered(number));
        assert_eq!(numbers.collect::<std::collections::BTreeSet<_>>().len(), 3000);
    }
}

#[test]
fn one_prime_is_chosen() {
    assert_eq!(RuntimePrime::choose(CHOSEN + 2), Err(ChoiceError::Composite));
    for small in [0, 1, 4, 65_538] {
        assert_eq!(RuntimePrime::choose(small), Err(ChoiceError::Composite));
    }
    assert_eq!(RuntimePrime::choose(2), Err(ChoiceError::Two));
    for long in [(1 << 61) - 1, (1 << 61) + 15, u64::MAX] {
        assert_eq!(RuntimePrime::choose(long), Err(ChoiceError::Long));
    }
    assert_eq!(RuntimePrime::choose(CHOSEN), Ok(()));
    assert_eq!(RuntimePrime::choose(CHOSEN), Ok(()));
    let other = RuntimePrime::choose((1 << 31) - 1);
    assert_eq!(other, Err(ChoiceError::Taken(CHOSEN.into())));
    assert!(other.unwrap_err().to_string().contains("the prime 1152921504606846883, and modulo one"));
    assert_eq!(RuntimePrime::modulus(), Some(CHOSEN));
    assert_eq!((RuntimePrime::name(), RuntimePrime::bits()), ("1152921504606846883", 60));
}

/// The integer that decimal digits write.
fn integer(digits: &str) -> U256 {
    digits.bytes().fold(U256::ZERO, |number, digit| number.mul_add(10, u64::from(digit - b'0')).0)
}

/// The least that there is, 2^64 − 59, 2^89 − 1, 2^107 − 1, 2^127 − 1, the order of Ed25519, the coordinates of
/// Curve25519, the coordinates and the order of P-256 and of secp256k1, and the largest prime below 2^256.
fn long_primes() -> [U256; 12] {
    [
        "2305843009213693967",
        "18446744073709551557",
        "618970019642690137449562111",
        "162259276829213363391578010288127",
        "170141183460469231731687303715884105727",
        "7237005577332262213973186563042994240857116359379907606001950938285454250989",
        "57896044618658097711785492504343953926634992332820282019728792003956564819949",
        "115792089210356248762697446949407573530086143415290314195533631308867097853951",
        "115792089210356248762697446949407573529996955224135760342422259061068512044369",
        "115792089237316195423570985008687907853269984665640564039457584007908834671663",
        "115792089237316195423570985008687907852837564279074904382605163141518161494337",
        "115792089237316195423570985008687907853269984665640564039457584007913129639747",
    ]
    .map(integer)
}

#[test]
fn long_primes_are_known_from_others() {
    for p in long_primes().into_iter().chain(PRIMES.map(U256::from)) {
        assert!(montgomery::is_prime(p), "{p}");
    }
    for n in 0..3000_u64 {
        assert_eq!(montgomery::is_prime(n.into()), is_prime(n), "{n}");
    }
    let big = |number: U256| BigUint::from_bytes_le(&number.to_bytes());
    let product = |a: U256, b: U256| integer(&(big(a) * big(b)).to_string());
    let [.., p, q] = *long_primes().first_chunk::<5>().expect("more");
    // Squares, products of two primes, Fermat numbers, and a Carmichael number: (6k + 1)(12k + 1)(18k + 1) of primes.
    let fermat = |log: u32| U256::from(1_u64) << (1 << log) | U256::from(1_u64);
    let k = (1_u64 << 30..).find(|k| [6, 12, 18].into_iter().all(|six| is_prime(six * k + 1))).unwrap();
    let carmichael = product(product((6 * k + 1).into(), (12 * k + 1).into()), (18 * k + 1).into());
    for composite in [product(p, p), product(p, q), fermat(6), fermat(7), carmichael, U256::MAX] {
        assert!(!montgomery::is_prime(composite), "{composite}");
    }
}

#[test]
fn long_arithmetic_is_that_of_integers() {
    let big = |limbs: [u64; 4]| BigUint::from_bytes_le(&U256::from_limbs(limbs).to_bytes());
    for p in long_primes() {
        let (modulo, number) = (Montgomery::new(p), big(p.limbs()));
        let less = |one: u64| p.overflowing_sub(one.into()).0.limbs();
        let mut samples = vec![[0; 4], [1, 0, 0, 0], less(1), less(2), (p >> 1).limbs()];
        samples.extend(words(p.low(), 40).chunks(4).map(|four| modulo.reduce(four.try_into().unwrap(), 0)));
        for &a in &samples {
            for &b in &samples {
                assert_eq!(big(modulo.sum(a, b)), (big(a) + big(b)) % &number);
                assert_eq!(big(modulo.difference(a, b)), (&number + big(a) - big(b)) % &number);
                assert_eq!(big(modulo.product(a, b)), big(a) * big(b) % &number);
            }
            let fermat = modulo.power(a, p.overflowing_sub(1_u64.into()).0);
            assert_eq!(fermat, [u64::from(a != [0; 4]), 0, 0, 0]);
        }
        for five in words(9, 200).chunks(5).chain([&[u64::MAX; 5][..], &[0; 5]]) {
            let (low, above) = (five[..4].try_into().unwrap(), five[4]);
            let wide = big(low) + (BigUint::from(above) << 256);
            assert_eq!(big(modulo.reduce(low, above)), wide % &number);
        }
    }
}

#[test]
fn one_long_prime_is_chosen() {
    let [_, _, other, _, chosen, ..] = long_primes();
    assert_eq!(RuntimePrime256::choose(F61::MODULUS.into()), Err(ChoiceError::Short(61)));
    assert_eq!(RuntimePrime256::choose(U256::MAX), Err(ChoiceError::Composite));
    for _ in 0..2 {
        assert_eq!(RuntimePrime256::choose(chosen), Ok(()));
    }
    assert_eq!(RuntimePrime256::choose(other), Err(ChoiceError::Taken(chosen)));
    assert_eq!((RuntimePrime256::name(), RuntimePrime256::bits()), (&*chosen.to_string(), 127));
}
