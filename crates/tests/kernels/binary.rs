//! Fields of characteristic two, by their definition.

use crate::laws::check_field;
use proptest::prelude::*;
use volery_primitives::field::{F48, F64, F96, F160};
use volery_primitives::{CheckField, F128};

/// The coefficients of an element, that of X^0 first.
fn coefficients<F: CheckField>(element: F) -> Vec<bool> {
    let mut bytes = vec![0; F::ENCODED];
    element.write(&mut bytes);
    bytes.iter().flat_map(|byte| (0..8).map(move |bit| byte >> bit & 1 == 1)).collect()
}

/// The product by the definition: shift, reduce, add; `tail` are the exponents below the
/// degree of the modulus.
fn schoolbook<F: CheckField>(a: F, b: F, tail: &[usize]) -> Vec<bool> {
    let (mut shifted, b) = (coefficients(a), coefficients(b));
    let mut sum = vec![false; shifted.len()];
    for b in b {
        for (sum, &shifted) in sum.iter_mut().zip(&shifted) {
            *sum ^= b & shifted;
        }
        shifted.rotate_right(1);
        let out = core::mem::take(&mut shifted[0]);
        for &exponent in tail {
            shifted[exponent] ^= out;
        }
    }
    sum
}

/// Rabin: X^d + tail is irreducible where X^(2^d) = X, and X^(2^(d/p)) - X is invertible for each prime p
/// dividing d. The inverse is sought in the ring, which might not be a field: it is a proof where it is one.
fn irreducible<F: CheckField>() {
    let d = F::SIZE_BITS;
    let x = F::point(1);
    let conjugate = |times| (0..times).fold(x, |x, _| x * x);
    assert_eq!(conjugate(d), x);
    for p in [2, 3, 5].into_iter().filter(|p| d.is_multiple_of(*p)) {
        let difference = conjugate(d / p) - x;
        assert_eq!(difference * difference.inverse(), F::UNIT, "{} over 2^{}", F::LABEL, d / p);
    }
}

fn field<F: CheckField>() {
    let ones = F::read(&vec![0xff; F::ENCODED]).expect("all encodings are canonical");
    let mut top = vec![0; F::ENCODED];
    top[F::ENCODED - 1] = 0x80;
    let top = F::read(&top).expect("all encodings are canonical");
    let odd = F::uniform(&[0x0123_4567_89ab_cdef, 0x0f1e_2d3c_4b5a_6978, 0x1122_3344_5566_7788]);
    check_field::<F>(&[F::default(), F::UNIT, F::point(1), ones, top, odd]);
    irreducible::<F>();
}

#[test]
fn f48() {
    field::<F48>();
}

#[test]
fn f64() {
    field::<F64>();
}

#[test]
fn f96() {
    field::<F96>();
}

#[test]
fn f160() {
    field::<F160>();
}

#[test]
fn f128_is_irreducible() {
    irreducible::<F128>();
}

proptest! {
    #[test]
    fn products_agree(a: [u64; 3], b: [u64; 3]) {
        fn agree<F: CheckField>(a: &[u64], b: &[u64], tail: &[usize]) {
            let (a, b) = (F::uniform(a), F::uniform(b));
            assert_eq!(coefficients(a * b), schoolbook(a, b, tail), "{}", F::LABEL);
        }
        agree::<F48>(&a, &b, &[5, 3, 2, 0]);
        agree::<F64>(&a, &b, &[4, 3, 1, 0]);
        agree::<F96>(&a, &b, &[10, 9, 6, 0]);
        agree::<F128>(&a, &b, &[7, 2, 1, 0]);
        agree::<F160>(&a, &b, &[5, 3, 2, 0]);
    }
}
