//! Polynomials on wires, their highest coefficient first, as swanky's `galois_poly_v0` has them. What it
//! checks at points at random is asserted of each coefficient here.

use super::Bound;
use super::mux::fits;
use crate::sieve::scope::Scope;

/// Demands of three polynomials that the product of the first two is the third; the second has degree one.
pub(super) fn product(scope: &mut Scope, bound: &Bound<'_>) -> Result<Vec<u32>, String> {
    let ([p, factor, product], []) = (&bound.ins[..], &bound.outs()[..]) else {
        return Err("it takes three polynomials, and gives nothing".into());
    };
    if factor.len() != 2 || product.len() != p.len() + 1 {
        return Err(
            "the second polynomial has two coefficients, and the third one more than the first".into()
        );
    }
    let minus = scope.constant(bound.kind, bound.minus_one());
    for (i, &expected) in product.iter().enumerate() {
        let (mut x, mut y) = (vec![expected], vec![minus]);
        if let Some(&coefficient) = p.get(i) {
            x.push(coefficient);
            y.push(factor[0]);
        }
        if let Some(before) = i.checked_sub(1) {
            x.push(p[before]);
            y.push(factor[1]);
        }
        scope.assert_inner(bound.kind, &x, &y, bound.line);
    }
    Ok(Vec::new())
}

/// Demands of a polynomial p, a value c and a polynomial q that p(x - c) is q(x).
pub(super) fn shift(scope: &mut Scope, bound: &Bound<'_>) -> Result<Vec<u32>, String> {
    let ([p, by, shifted], []) = (&bound.ins[..], &bound.outs()[..]) else {
        return Err("it takes a polynomial, a value and a polynomial, and gives nothing".into());
    };
    if by.len() != 1 || shifted.len() != p.len() {
        return Err("the value is one wire, and both polynomials have as many coefficients".into());
    }
    let (kind, length) = (bound.kind, p.len() as u64);
    fits(length.saturating_mul(length).saturating_add(20 * length))?;
    let minus_by = scope.mul_constant(kind, by[0], bound.minus_one());
    // Of Horner's rule at one point, and then of what it leaves, and so on.
    let mut coefficients = p.clone();
    for end in (1..p.len()).rev() {
        for i in 1..=end {
            let term = scope.mul(kind, minus_by, coefficients[i - 1]);
            coefficients[i] = scope.add(kind, coefficients[i], term);
        }
    }
    for (&coefficient, &expected) in coefficients.iter().zip(shifted) {
        let minus = scope.mul_constant(kind, expected, bound.minus_one());
        let difference = scope.add(kind, coefficient, minus);
        scope.assert_zero(kind, difference, bound.line);
    }
    Ok(Vec::new())
}
