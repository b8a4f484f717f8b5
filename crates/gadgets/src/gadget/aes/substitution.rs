//! SubBytes (FIPS 197 section 5.1.1) by 32 ANDs: the inverse in a tower of fields, and a map over F_2.
//!
//! With Y^16 = Y + 1 the elements are x·Y + y·Y^16 for x and y of the field of 16 elements. The norm of one,
//! its product with its conjugate y·Y + x·Y^16, is n = x·y + (x + y)²·Y^17, an element of the small field;
//! and its inverse is (y/n)·Y + (x/n)·Y^16. So there are three products in the small field, of nine ANDs
//! each, and an inverse in it, of five (Boyar, Peralta, "A New Combinational Logic Minimization Technique
//! with Applications to Cryptology", SEA 2010).
//!
//! The small field has the basis V·W, V·W², V^4·W, V^4·W² with W of order 3 and V + V^4 = 1. Products by
//! Karatsuba's method in both steps are sums of nine ANDs with a constant factor each, computed below from
//! the field's definition, as all that is linear.

use super::Byte;
use super::field::{mul, trace};
use crate::gadget::{Bit, Word};
use core::array;
use volery_channel::error::Result;
use volery_circuit::Backend;
use volery_primitives::F2;

const W: [u8; 2] = [0xbc, 0xbd];
const V: [u8; 2] = [0x5d, 0x5c];
/// Y and Y^16.
const Y: [u8; 2] = conjugates_of_trace_one();

/// Y in the field whose norm to the small field is chosen by nothing but the order of search.
const fn conjugates_of_trace_one() -> [u8; 2] {
    let mut y = 1;
    loop {
        let mut conjugate = y;
        let mut i = 0;
        while i < 4 {
            conjugate = mul(conjugate, conjugate);
            i += 1;
        }
        if y ^ conjugate == 1 {
            return [y, conjugate];
        }
        y += 1;
    }
}

/// The basis: element 4i + 2j + k is Y_i·V_j·W_k.
const BASIS: [u8; 8] = {
    let mut basis = [0; 8];
    let mut i = 0;
    while i < 8 {
        basis[i] = mul(Y[i / 4], SMALL[i % 4]);
        i += 1;
    }
    basis
};

/// The basis of the small field.
const SMALL: [u8; 4] = [mul(V[0], W[0]), mul(V[0], W[1]), mul(V[1], W[0]), mul(V[1], W[1])];

/// For each element of the basis, the bits of a byte whose sum is its coordinate.
const COORDINATES: [u8; 8] = {
    let mut coordinates = [0; 8];
    let mut i = 0;
    while i < 8 {
        // The sum of the traces of a byte's bits times the dual of the basis's element.
        let dual = dual(i);
        let mut bit = 0;
        while bit < 8 {
            coordinates[i] |= trace(mul(1 << bit, dual)) << bit;
            bit += 1;
        }
        i += 1;
    }
    coordinates
};

/// The element whose product with element `i` of the basis has trace 1, and with the others 0.
const fn dual(i: usize) -> u8 {
    let mut dual = 1;
    loop {
        let mut j = 0;
        while j < 8 && trace(mul(BASIS[j], dual)) == (i == j) as u8 {
            j += 1;
        }
        if j == 8 {
            return dual;
        }
        dual += 1;
    }
}

/// For each of the nine ANDs of a product in the small field its factor: AND 3i + j is of the coordinates in
/// PARTS_i of the step to V, in PARTS_j of the step to W.
const FACTORS: [u8; 9] = {
    let (v, w) = (karatsuba(V), karatsuba(W));
    let mut factors = [0; 9];
    let mut i = 0;
    while i < 9 {
        factors[i] = mul(v[i / 3], w[i % 3]);
        i += 1;
    }
    factors
};

/// The factors of x₀y₀, x₁y₁ and (x₀ + x₁)(y₀ + y₁) in the product of x₀·e₀ + x₁·e₁ and y₀·e₀ + y₁·e₁.
const fn karatsuba([e0, e1]: [u8; 2]) -> [u8; 3] {
    let both = mul(e0, e1);
    [mul(e0, e0) ^ both, mul(e1, e1) ^ both, both]
}

/// The map over F_2 that follows the inverse, without its constant: each bit plus the four that follow.
const fn affine_of(x: u8) -> u8 {
    x ^ x.rotate_left(1) ^ x.rotate_left(2) ^ x.rotate_left(3) ^ x.rotate_left(4)
}

/// The constant of that map.
const CONSTANT: u128 = 0x63;

/// The affine map of a secret byte, its constant included.
pub(super) fn affine<B: Backend<F = F2>>(b: &mut B, x: &Byte<B::Wire>) -> Byte<B::Wire> {
    let turned = (1..=4).fold(*x, |sum, by| sum.xor(b, &x.rotate_left(by)));
    turned.xor(b, &Word::public(CONSTANT))
}

/// The byte that stands for `byte`: 32 ANDs.
pub(super) fn substitute<B: Backend<F = F2>>(b: &mut B, byte: &Byte<B::Wire>) -> Result<Byte<B::Wire>> {
    let [x0, x1, x2, x3, y0, y1, y2, y3] = COORDINATES.map(|bits| sum_of(b, byte.bits(), bits.into()));
    let x = parts(b, [x0, x1, x2, x3]);
    let y = parts(b, [y0, y1, y2, y3]);

    // The norm, whose second term is linear in the coordinates of x + y, the parts of which are at hand.
    let ands = products(b, &x, &y)?;
    let sum = [x0.xor(b, y0), x1.xor(b, y1), x2.xor(b, y2), x3.xor(b, y3)];
    let terms: [Bit<B::Wire>; 13] = array::from_fn(|i| if i < 9 { ands[i] } else { sum[i - 9] });
    let norm = NORM.map(|terms_of| sum_of(b, &terms, terms_of));
    let inverse = invert(b, norm)?;
    let inverse = parts(b, inverse);

    let x_over_norm = products(b, &x, &inverse)?;
    let y_over_norm = products(b, &y, &inverse)?;
    let ands: [Bit<B::Wire>; 18] =
        array::from_fn(|i| if i < 9 { y_over_norm[i] } else { x_over_norm[i - 9] });
    let out = Word::new(OUTPUT.map(|ands_of| sum_of(b, &ands, ands_of)));
    Ok(out.xor(b, &Word::public(CONSTANT)))
}

/// For each coordinate of the norm the terms whose sum it is: nine ANDs, and the four coordinates of x + y.
const NORM: [u32; 4] = {
    let square = mul(Y[0], Y[1]);
    let mut norm = [0; 4];
    let mut i = 0;
    while i < 13 {
        let factor = if i < 9 { FACTORS[i] } else { mul(square, mul(SMALL[i - 9], SMALL[i - 9])) };
        let mut j = 0;
        while j < 4 {
            // An element of the small field is itself times Y + Y^16: its coordinates stand there twice.
            norm[j] |= ((factor & COORDINATES[j]).count_ones() & 1) << i;
            j += 1;
        }
        i += 1;
    }
    norm
};

/// For each bit of the result the ANDs whose sum it is: those of y/n, which stand for multiples of Y, and
/// then those of x/n, which stand for multiples of Y^16.
const OUTPUT: [u32; 8] = {
    let mut output = [0; 8];
    let mut i = 0;
    while i < 18 {
        let factor = affine_of(mul(Y[i / 9], FACTORS[i % 9]));
        let mut bit = 0;
        while bit < 8 {
            output[bit] |= ((factor >> bit & 1) as u32) << i;
            bit += 1;
        }
        i += 1;
    }
    output
};

/// The sums of coordinates that a product multiplies, in the order of [`FACTORS`].
fn parts<B: Backend<F = F2>>(b: &mut B, [x0, x1, x2, x3]: [Bit<B::Wire>; 4]) -> [Bit<B::Wire>; 9] {
    let [x01, x23, x02, x13] = [(x0, x1), (x2, x3), (x0, x2), (x1, x3)].map(|(x, y)| x.xor(b, y));
    let all = x01.xor(b, x23);
    [x0, x1, x01, x2, x3, x23, x02, x13, all]
}

/// The nine ANDs of a product, from the parts of its factors.
fn products<B: Backend<F = F2>>(
    b: &mut B,
    x: &[Bit<B::Wire>; 9],
    y: &[Bit<B::Wire>; 9],
) -> Result<[Bit<B::Wire>; 9]> {
    let mut ands = *x;
    for (x, y) in ands.iter_mut().zip(y) {
        *x = x.and(b, *y)?;
    }
    Ok(ands)
}

/// The inverse in the small field, zero of zero, by five ANDs.
fn invert<B: Backend<F = F2>>(b: &mut B, [x0, x1, x2, x3]: [Bit<B::Wire>; 4]) -> Result<[Bit<B::Wire>; 4]> {
    let x01 = x0.xor(b, x1);
    let x23 = x2.xor(b, x3);
    let x0x2 = x0.and(b, x2)?;
    let low = x3.xor(b, x0x2);
    let high = x1.xor(b, x0x2);
    let y3 = x01.and(b, low)?.xor(b, x1);
    let y1 = high.and(b, x23)?.xor(b, x3);
    let both = low.xor(b, y1);
    let both = x3.and(b, both)?;
    let y0 = both.xor(b, x2).xor(b, y1);
    let last = low.xor(b, both);
    let y2 = y3.and(b, last)?.xor(b, x01);
    Ok([y0, y1, y2, y3])
}

/// The sum of the bits that `of` has a one for.
fn sum_of<B: Backend<F = F2>>(b: &mut B, bits: &[Bit<B::Wire>], of: u32) -> Bit<B::Wire> {
    let taken = bits.iter().enumerate().filter(|(i, _)| of >> i & 1 == 1);
    taken.fold(Bit::Public(false), |sum, (_, bit)| sum.xor(b, *bit))
}
