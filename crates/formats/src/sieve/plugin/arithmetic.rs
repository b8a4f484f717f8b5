//! Elements of a prime field as integers below its modulus.
//!
//! Of a division the prover hints the quotient q and the remainder r of a and b, with r < b and q·b + r = a
//! in the field. As integers q·b + r = a + w·p. If no two bits, i of q and j of b, have i + j ≥ L, where p
//! has L bits, then q·b + r < 3·2^L ≤ 6·p, and so w < 6; and as p is odd, w is zero where both sides are the
//! same modulo 8.

use super::Bound;
use crate::sieve::body::{NONE, hint};
use crate::sieve::number::Element;
use crate::sieve::scope::Scope;

/// The results of a function that is bound to an operation of `extended_arithmetic`.
pub(super) fn compute(scope: &mut Scope, bound: &Bound<'_>, operation: &str) -> Result<Vec<u32>, String> {
    if bound.binary {
        return Err("it is for fields of odd primes".into());
    }
    let bits = bound.field.size().bits();
    match (operation, &bound.ins[..], &bound.outs()[..]) {
        ("bit_decompose", [x], [out]) if x.len() == 1 && *out == bits => Ok(decompose(scope, bound, x[0])),
        ("bit_decompose", ..) => Err(format!("it takes one wire, and gives {bits}")),
        ("less_than", [a, b], [1]) if a.len() == 1 && b.len() == 1 => {
            Ok(vec![less(scope, bound, a[0], b[0])])
        }
        ("less_than_equal", [a, b], [1]) if a.len() == 1 && b.len() == 1 => {
            let greater = less(scope, bound, b[0], a[0]);
            Ok(vec![not(scope, bound, greater)])
        }
        ("division", [a, b], [1, 1]) if a.len() == 1 && b.len() == 1 => {
            if bits < 7 {
                return Err("it is for fields of 64 elements or more".into());
            }
            Ok(divide(scope, bound, a[0], b[0]))
        }
        ("division", ..) => Err("it takes two lists of one wire, and gives two".into()),
        _ => Err("it takes two lists of one wire, and gives one".into()),
    }
}

/// `1 - bit`.
fn not(scope: &mut Scope, bound: &Bound<'_>, bit: u32) -> u32 {
    let minus = scope.mul_constant(bound.kind, bit, bound.minus_one());
    scope.add_constant(bound.kind, minus, bound.element(1))
}

/// The bits of `x`, the most significant first, which are those of a number below the modulus.
fn decompose(scope: &mut Scope, bound: &Bound<'_>, x: u32) -> Vec<u32> {
    let kind = bound.kind;
    let bits = scope.hint(kind, hint::BITS, &[x], bound.field.size().bits() as u32);
    let two = bound.element(2);
    let mut sum = bits[0];
    for &bit in &bits[1..] {
        let doubled = scope.mul_constant(kind, sum, two);
        sum = scope.add(kind, doubled, bit);
    }
    bits.iter().for_each(|&bit| scope.assert_product(kind, (bit, bit), bit, bound.line));
    let minus = scope.mul_constant(kind, sum, bound.minus_one());
    let difference = scope.add(kind, x, minus);
    scope.assert_zero(kind, difference, bound.line);
    reduced(scope, bound, &bits);
    bits
}

/// Demands that the number of `bits` is below the modulus, which has as many.
fn reduced(scope: &mut Scope, bound: &Bound<'_>, bits: &[u32]) {
    let kind = bound.kind;
    let most = bound.minus_one();
    let modulus: Element = bound.field.size().to_element().expect("checked when it was bound");
    let is_one = |of: &Element, place: usize| of[place / 64] >> (place % 64) & 1 == 1;
    if (0..bits.len()).all(|place| is_one(&modulus, place)) {
        // All ones are the modulus itself: they are not as many as there are.
        let sum = bits[1..].iter().fold(bits[0], |sum, &bit| scope.add(kind, sum, bit));
        let zeros = scope.add_constant(kind, sum, bound.minus([0; 4], bits.len() as u64));
        let inverse = scope.hint(kind, hint::INVERSE, &[zeros], 2)[0];
        let one = scope.constant(kind, bound.element(1));
        scope.assert_product(kind, (zeros, inverse), one, bound.line);
        return;
    }
    // Whether the bits so far exceed those of the largest element.
    let mut over = scope.constant(kind, [0; 4]);
    for (place, &bit) in bits.iter().rev().enumerate() {
        let product = scope.mul(kind, bit, over);
        over = if is_one(&most, place) {
            product
        } else {
            let sum = scope.add(kind, bit, over);
            let minus = scope.mul_constant(kind, product, bound.minus_one());
            scope.add(kind, sum, minus)
        };
    }
    scope.assert_zero(kind, over, bound.line);
}

/// Whether `a` is less than `b`.
fn less(scope: &mut Scope, bound: &Bound<'_>, a: u32, b: u32) -> u32 {
    let [a, b] = [a, b].map(|x| decompose(scope, bound, x));
    less_of(scope, bound, &a, &b)
}

/// The bit that says whether the first of two numbers, given by these bits, is the smaller one.
fn less_of(scope: &mut Scope, bound: &Bound<'_>, a: &[u32], b: &[u32]) -> u32 {
    let kind = bound.kind;
    let minus_two = bound.minus([0; 4], 2);
    let mut less = scope.constant(kind, [0; 4]);
    for (&a, &b) in a.iter().zip(b).rev() {
        // Where the bits differ, that of `b` tells.
        let both = scope.mul(kind, a, b);
        let twice = scope.mul_constant(kind, both, minus_two);
        let sum = scope.add(kind, a, b);
        let differ = scope.add(kind, sum, twice);
        let minus = scope.mul_constant(kind, less, bound.minus_one());
        let change = scope.add(kind, b, minus);
        let changed = scope.mul(kind, differ, change);
        less = scope.add(kind, less, changed);
    }
    less
}

/// Quotient and remainder: see above.
fn divide(scope: &mut Scope, bound: &Bound<'_>, a: u32, b: u32) -> Vec<u32> {
    let (kind, line) = (bound.kind, bound.line);
    let made = scope.hint(kind, hint::QUOTIENT, &[a, b], 2);
    let [q, r] = made[..] else { unreachable!("two were asked for") };
    let less_r = scope.mul_constant(kind, r, bound.minus_one());
    let product = scope.add(kind, a, less_r);
    scope.assert_product(kind, (q, b), product, line);
    let [a, b, q, r] = [a, b, q, r].map(|x| decompose(scope, bound, x));
    let is_less = less_of(scope, bound, &r, &b);
    let off = scope.add_constant(kind, is_less, bound.minus_one());
    scope.assert_zero(kind, off, line);
    // Whether b has a bit as high as this one: from the highest on, as many as are above a bit of q.
    let mut high = b[0];
    for (i, &bit) in q.iter().rev().enumerate().skip(1) {
        scope.assert_product(kind, (bit, high), NONE, line);
        let next = b[i];
        let both = scope.mul(kind, high, next);
        let minus = scope.mul_constant(kind, both, bound.minus_one());
        let sum = scope.add(kind, high, next);
        high = scope.add(kind, sum, minus);
    }
    // q·b + r - a modulo 8, by the lowest three bits of each: at most 24, and no less than -7.
    let low = |bits: &[u32], place: usize| bits[bits.len() - 1 - place];
    let mut sum = scope.constant(kind, [0; 4]);
    for place in 0..3 {
        let x: Vec<u32> = (0..=place).map(|i| low(&q, i)).collect();
        let y: Vec<u32> = (0..=place).map(|i| low(&b, place - i)).collect();
        let products = scope.inner(kind, &x, &y);
        let minus = scope.mul_constant(kind, low(&a, place), bound.minus_one());
        let digit = scope.add(kind, products, low(&r, place));
        let digit = scope.add(kind, digit, minus);
        let term = scope.mul_constant(kind, digit, bound.element(1 << place));
        sum = scope.add(kind, sum, term);
    }
    let [eight, sixteen, most] = [8, 16, 24].map(|less| {
        let minus = bound.minus([0; 4], less);
        scope.add_constant(kind, sum, minus)
    });
    let [left, right] = [(sum, eight), (sixteen, most)].map(|(x, y)| scope.mul(kind, x, y));
    scope.assert_product(kind, (left, right), NONE, line);
    vec![made[0], made[1]]
}
