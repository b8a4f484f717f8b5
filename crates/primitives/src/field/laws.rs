//! The laws of fields and extensions, as functions that a new field calls in one line.

#![allow(clippy::eq_op)] // a - a is a law

use super::{Binomial, Extension, Field, Radicand};

/// Zero, one, and the elements whose coordinates are neighbours among `samples`.
pub fn tuples<B: Radicand<N>, const N: usize>(samples: &[B]) -> Vec<Binomial<B, N>> {
    let neighbours = samples.windows(N).map(|window| Binomial(window.try_into().expect("N of them")));
    [Binomial::ZERO, Binomial::ONE].into_iter().chain(neighbours).collect()
}

/// Checks the field axioms on all triples of `samples`, and that encodings are canonical.
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
