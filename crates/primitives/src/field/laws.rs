//! The laws of fields and extensions, as functions that a new field calls in one line.

#![allow(clippy::eq_op)] // a - a is a law

use super::{Binomial, Extension, F128, Field, Radicand};
use crate::arch::Arch;
use crate::check::{CheckField, portable};
use crate::prg::Prg;
use std::collections::BTreeSet;

/// Zero, one, and the elements whose coordinates are neighbours among `samples`.
pub fn tuples<B: Radicand<N>, const N: usize>(samples: &[B]) -> Vec<Binomial<B, N>> {
    let neighbours = samples.windows(N).map(|window| Binomial(window.try_into().expect("N of them")));
    [Binomial::ZERO, Binomial::ONE].into_iter().chain(neighbours).collect()
}

/// Checks the field axioms on all triples of `samples`, that encodings are canonical, and that the field extends itself.
///
/// # Panics
/// Where a law does not hold.
pub fn field<F: Field>(samples: &[F]) {
    for &a in samples {
        assert_eq!(a + F::ZERO, a);
        assert_eq!(a * F::ONE, a);
        assert_eq!(a * F::ZERO, F::ZERO);
        assert_eq!(a + (-a), F::ZERO);
        assert_eq!(a - a, F::ZERO);
        assert_eq!(a * a.invert(), if a == F::ZERO { F::ZERO } else { F::ONE });
        assert_eq!(F::from_word(a.to_word()), Some(a));
        if F::BITS < 128 {
            assert_eq!(F::from_word(a.to_word() | 1 << F::BITS), None);
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
    for words in [[0; 4], [u64::MAX; 4], [1, 2, 3, 4]] {
        let sample = F::sample(&words[..F::SAMPLE]);
        assert_eq!(F::from_word(sample.to_word()), Some(sample));
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
pub fn extension<B: Field, E: Extension<B>>(base: &[B], samples: &[E]) {
    for &a in base {
        for &b in base {
            assert_eq!(E::from(a) + E::from(b), E::from(a + b));
            assert_eq!(E::from(a) * E::from(b), E::from(a * b));
        }
        for &x in samples {
            assert_eq!(x.scale(a), x * E::from(a));
        }
    }
    let x = if E::DEGREE > 1 { E::pack(&[E::ZERO, E::ONE]) } else { E::ZERO };
    let mut power = E::ONE;
    let mut expected = E::ZERO;
    for (i, &s) in samples.iter().enumerate().take(E::DEGREE as usize) {
        expected += power * s;
        power *= x;
        assert_eq!(E::pack(&samples[..=i]), expected);
    }
}

/// Checks the field axioms of a [`CheckField`] on all triples of `samples`, its encodings and points, and that its
/// kernels equal the portable ones on all instruction sets.
///
/// # Panics
/// Where a law does not hold.
pub fn check_field<F: CheckField>(samples: &[F]) {
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
    assert!(F::WORDS <= 4 && F::SIZE_BITS >= 40 && F::ENCODED * 8 >= F::SIZE_BITS as usize);
    encodings::<F>();
    points::<F>();
    kernels::<F>();
}

fn encoded<F: CheckField>(element: F) -> Vec<u8> {
    let mut bytes = vec![0; F::ENCODED];
    element.write(&mut bytes);
    bytes
}

/// Where encodings are left over, that of p for a coordinate, and the largest, are refused.
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
    let mut words = vec![F128::ZERO; 4 * 70];
    Prg::new(Arch::PORTABLE, F128(7)).fill(&mut words);
    let words: Vec<u64> = words.iter().flat_map(|word| [word.0 as u64, (word.0 >> 64) as u64]).collect();
    let elements: Vec<F> = words.chunks_exact(4).map(F::uniform).collect();
    let (a, b) = elements.split_at(70);
    for arch in Arch::available() {
        for length in 0..=70 {
            let (a, b) = (&a[..length], &b[..length]);
            let [mut out, mut expected] = [0, 0].map(|_| vec![F::UNIT; length]);
            F::multiply(arch, a, b, &mut out);
            portable::multiply(a, b, &mut expected);
            assert_eq!(out, expected, "multiply over {} on {}", F::LABEL, arch.name());
            F::scale_all(arch, a, elements[139], &mut out);
            portable::scale_all(a, elements[139], &mut expected);
            assert_eq!(out, expected, "scale_all over {} on {}", F::LABEL, arch.name());
            let expected = portable::dot_product(a, b);
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
                portable::fold(a, factors, &mut expected);
                assert_eq!(out, expected, "fold by {} over {} on {}", factors.len(), F::LABEL, arch.name());
            }
        }
    }
}
