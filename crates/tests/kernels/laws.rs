//! The laws of fields and extensions, as functions that a new field calls in one line.

#![allow(clippy::eq_op)] // a - a is a law

use std::collections::BTreeSet;
use volery_primitives::field::{Binomial, Modulus, Prime, Radicand};
use volery_primitives::prg::Prg;
use volery_primitives::{Arch, CheckField, Extension, F128, Field, MOST_WORDS, U256};

/// Checks a prime field and its extension of degree N: the laws below on `samples`, arithmetic by its
/// definition on all pairs of them, and that no integer from p on encodes a coordinate.
///
/// # Panics
/// Where a law does not hold.
pub(crate) fn prime<P: Modulus, const N: usize>(samples: &[Prime<P>])
where
    Prime<P>: Radicand<N>,
{
    field(samples);
    let tuples = tuples(samples);
    field(&tuples);
    extension(samples, &tuples);

    let p: u128 = P::MODULUS.into();
    assert_eq!(P::BITS, p.ilog2() + 1);
    for [a, b] in samples.iter().flat_map(|&a| samples.iter().map(move |&b| [a, b])) {
        let [x, y] = [a, b].map(Prime::to_word);
        assert_eq!((a + b).to_word(), (x + y) % p);
        assert_eq!((a - b).to_word(), (p + x - y) % p);
        assert_eq!((a * b).to_word(), x * y % p);
        assert_eq!((-a).to_word(), (p - x) % p);
    }
    let top = (1 << P::BITS) - 1;
    for word in (p..=top).take(9).chain([p + (top - p) / 2, top]) {
        assert_eq!(Prime::<P>::from_word(word), None);
        for i in 0..N as u32 {
            assert_eq!(Binomial::<Prime<P>, N>::from_word(word << (i * P::BITS)), None);
        }
    }
    let word = (0..N).fold(0, |word, _| word << P::BITS | (p - 1));
    assert_eq!(Binomial::from_word(word), Some(-Binomial([Prime::<P>::ONE; N])));
}

/// Checks that coordinates are sampled as the digits in base p of 128 bits, whose multiples are
/// multiplied out in halves.
///
/// # Panics
/// Where they are not.
pub(crate) fn digits<P: Modulus, const N: usize>(_: Prime<P>)
where
    Prime<P>: Radicand<N>,
{
    let p: u128 = P::MODULUS.into();
    for words in [[0, 0], [u64::MAX; 2], [1, 1 << 63], [0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210]] {
        let mut rest = words.map(u128::from);
        let element = Binomial::<Prime<P>, N>::sample(&words);
        for digit in element.0.iter().rev() {
            let low = rest[0] * p;
            let high = rest[1] * p + (low >> 64);
            rest = [low & u128::from(u64::MAX), high & u128::from(u64::MAX)];
            assert_eq!(digit.to_word(), high >> 64);
        }
        assert_eq!(Prime::<P>::sample(&words), element.0[N - 1]);
    }
    assert_eq!(Prime::<P>::sample(&[0, 1 << 63]).to_word(), p / 2);
}

/// Zero, one, and the elements whose coordinates are neighbours among `samples`.
fn tuples<B: Radicand<N>, const N: usize>(samples: &[B]) -> Vec<Binomial<B, N>> {
    let neighbours = samples.windows(N).map(|window| Binomial(window.try_into().expect("N of them")));
    [Binomial::ZERO, Binomial::ONE].into_iter().chain(neighbours).collect()
}

/// Checks the field axioms on all triples of `samples`, that encodings are canonical, and that the
/// field extends itself.
///
/// # Panics
/// Where a law does not hold.
pub(crate) fn field<F: Field>(samples: &[F]) {
    assert_eq!(F::BINARY, F::ONE + F::ONE == F::ZERO);
    for &a in samples {
        assert_eq!(a + F::ZERO, a);
        assert_eq!(a * F::ONE, a);
        assert_eq!(a * F::ZERO, F::ZERO);
        assert_eq!(a + (-a), F::ZERO);
        assert_eq!(a - a, F::ZERO);
        assert_eq!(a * a.invert(), if a == F::ZERO { F::ZERO } else { F::ONE });
        let encoded = a.to_integer();
        assert_eq!(F::from_integer(encoded), Some(a));
        for bit in F::BITS..256 {
            assert_eq!(F::from_integer(encoded | U256::from(1_u64) << bit), None);
        }
        let mut bytes = vec![0; F::BYTES];
        a.encode(&mut bytes);
        assert_eq!((&bytes[..], F::decode(&bytes)), (&encoded.to_bytes()[..F::BYTES], Some(a)));
        if let Some(word) = encoded.word() {
            assert_eq!(F::from_word(word), Some(a));
        }
        assert_eq!((a.masked(u64::MAX), a.masked(0)), (a, F::ZERO));
        for &b in samples {
            assert_eq!(a + b, b + a);
            assert_eq!(a * b, b * a);
            assert_eq!(a - b, a + (-b));
            let (mut sum, mut difference, mut product) = (a, a, a);
            sum += b;
            difference -= b;
            product *= b;
            assert_eq!((sum, difference, product), (a + b, a - b, a * b));
            for &c in samples {
                assert_eq!((a + b) + c, a + (b + c));
                assert_eq!((a * b) * c, a * (b * c));
                assert_eq!(a * (b + c), a * b + a * c);
            }
        }
    }
    assert_eq!(samples.iter().copied().sum::<F>(), samples.iter().fold(F::ZERO, |s, &a| s + a));
    extension(samples, samples);
    for words in [[0; MOST_WORDS], [u64::MAX; MOST_WORDS], [1, 2, 3, 4, 5]] {
        let sample = F::sample(&words[..F::SAMPLE]);
        assert_eq!(F::from_integer(sample.to_integer()), Some(sample));
    }
    // Places are independent where sums are: each is new, and in a prime field doubles the one before.
    for bit in 1..F::BITS {
        let (last, place) = (F::place(bit - 1), F::place(bit));
        let two = F::ONE + F::ONE;
        assert!(if two == F::ZERO { place != last } else { place == last * two || F::place(0) == F::ONE });
    }
}

/// Checks that `E` extends `B`: the embedding is a homomorphism, `scale` is multiplication, `pack` is linear.
///
/// # Panics
/// Where a law does not hold.
pub(crate) fn extension<B: Field, E: Extension<B>>(base: &[B], samples: &[E]) {
    for &a in base {
        for &b in base {
            assert_eq!(E::from(a) + E::from(b), E::from(a + b));
            assert_eq!(E::from(a) * E::from(b), E::from(a * b));
        }
        for &x in samples {
            assert_eq!(x.scale(a), x * E::from(a));
        }
    }
    let x = if E::degree() > 1 { E::pack(&[E::ZERO, E::ONE]) } else { E::ZERO };
    let mut power = E::ONE;
    let mut expected = E::ZERO;
    for (i, &s) in samples.iter().enumerate().take(E::degree() as usize) {
        expected += power * s;
        power *= x;
        assert_eq!(E::pack(&samples[..=i]), expected);
    }
}

/// Checks the field axioms of a [`CheckField`] on all triples of `samples`, its encodings and points, and
/// that its kernels equal the portable ones on all instruction sets.
///
/// # Panics
/// Where a law does not hold.
pub(crate) fn check_field<F: CheckField>(samples: &[F]) {
    let zero = F::default();
    for &a in samples {
        assert_eq!((a + zero, a * F::UNIT, a * zero), (a, a, zero));
        assert_eq!((a + (-a), a - a), (zero, zero));
        assert_eq!(a * a.inverse(), if a == zero { zero } else { F::UNIT });
        assert_eq!(F::read(&encoded(a)), Some(a));
        assert_eq!((a.keep(u64::MAX), a.keep(0)), (a, zero));
        for &b in samples {
            assert_eq!((a + b, a * b, a - b), (b + a, b * a, a + (-b)));
            let (mut sum, mut difference, mut product) = (a, a, a);
            sum += b;
            difference -= b;
            product *= b;
            assert_eq!((sum, difference, product), (a + b, a - b, a * b));
            for &c in samples {
                assert_eq!((a + b) + c, a + (b + c));
                assert_eq!((a * b) * c, a * (b * c));
                assert_eq!(a * (b + c), a * b + a * c);
            }
        }
    }
    assert_eq!(samples.iter().copied().sum::<F>(), samples.iter().fold(zero, |s, &a| s + a));
    assert!(F::WORDS <= MOST_WORDS && F::SIZE_BITS >= 40 && F::ENCODED * 8 >= F::SIZE_BITS as usize);
    encodings::<F>();
    points::<F>();
    kernels::<F>();
}

fn encoded<F: CheckField>(element: F) -> Vec<u8> {
    let mut bytes = vec![0; F::ENCODED];
    element.write(&mut bytes);
    bytes
}

/// Refuses encodings that are not canonical, where there are any: p for a coordinate, and the largest.
fn encodings<F: CheckField>() {
    if F::UNIT + F::UNIT != F::default() {
        let mut bytes = encoded(-F::UNIT);
        let carries = bytes.iter().take_while(|&&byte| byte == 0xff).count();
        bytes[..carries].fill(0);
        bytes[carries] += 1;
        assert_eq!(F::read(&bytes), None);
        assert_eq!(F::read(&vec![0xff; F::ENCODED]), None);
    }
}

fn points<F: CheckField>() {
    let mut seen = BTreeSet::from([encoded(F::default()), encoded(F::UNIT)]);
    let (first, mut power) = (F::point(1), F::UNIT);
    for index in 1..=1 << 16 {
        power *= first;
        let point = if F::UNIT + F::UNIT == F::default() { power } else { F::point(index) };
        assert!(seen.insert(encoded(point)), "point {index} of {} stands there already", F::LABEL);
        if index < 200 || index.is_power_of_two() {
            assert_eq!(F::point(index), point);
        }
    }
}

fn kernels<F: CheckField>() {
    let mut words = vec![F128::ZERO; MOST_WORDS * 70];
    Prg::new(Arch::PORTABLE, F128(7)).fill(&mut words);
    let words: Vec<u64> = words.iter().flat_map(|word| [word.0 as u64, (word.0 >> 64) as u64]).collect();
    let elements: Vec<F> = words.chunks_exact(MOST_WORDS).map(F::uniform).collect();
    let (a, b) = elements.split_at(70);
    for arch in Arch::available() {
        for length in 0..=70 {
            let (a, b) = (&a[..length], &b[..length]);
            let [mut out, mut expected] = [0, 0].map(|_| vec![F::UNIT; length]);
            F::multiply(arch, a, b, &mut out);
            expected.iter_mut().zip(a.iter().zip(b)).for_each(|(out, (&a, &b))| *out = a * b);
            assert_eq!(out, expected, "multiply over {} on {}", F::LABEL, arch.name());
            F::scale_all(arch, a, elements[139], &mut out);
            expected.iter_mut().zip(a).for_each(|(out, &a)| *out = a * elements[139]);
            assert_eq!(out, expected, "scale_all over {} on {}", F::LABEL, arch.name());
            let expected = a.iter().zip(b).map(|(&a, &b)| a * b).sum::<F>();
            assert_eq!(
                F::dot_product(arch, a, b),
                expected,
                "dot_product over {} on {}",
                F::LABEL,
                arch.name()
            );
            for factors in [1, 2, 3, 4, 5, 8, 17, 32].map(|factors| &elements[100..100 + factors]) {
                let [mut out, mut expected] = [0, 0].map(|_| vec![F::UNIT; length.div_ceil(factors.len())]);
                F::fold(arch, a, factors, &mut out);
                for (out, a) in expected.iter_mut().zip(a.chunks(factors.len())) {
                    *out = a.iter().zip(factors).map(|(&a, &factor)| a * factor).sum();
                }
                assert_eq!(out, expected, "fold by {} over {} on {}", factors.len(), F::LABEL, arch.name());
            }
        }
    }
}
