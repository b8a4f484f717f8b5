//! GHASH (SP 800-38D section 6.4): a polynomial in a key, over the field of 2^128 elements.
//!
//! An element is a word whose bit i is its coefficient of X^i, the i-th bit of a block from its first byte's
//! most significant. Squares are linear, so even powers of the key are free.
//!
//! The hash of n blocks is Σ c_j·H^j for j from 1 to n. Where the c_j are public, their products with powers
//! of H are linear, and for any s, a power of two, the sum is Σ_r H^r·(Σ_i c_(si+r)·(H^i)^s) for r below s
//! and i up to n/s: it needs the odd powers of H up to n/s, and s - 1 products by Horner's rule. That is some
//! √(2n) products in all, where Horner's rule alone takes n.

use super::{BLOCK, Word};
use crate::gadget::{Bit, Bytes, function_of_words};
use core::array;
use volery_channel::error::Result;
use volery_circuit::Backend;
use volery_primitives::F2;

/// An element.
type Element<W> = Word<W, WIDTH>;

const WIDTH: usize = 8 * BLOCK;

/// The exponents of the modulus below 128.
const MODULUS: [usize; 4] = [0, 1, 2, 7];

/// The hash of `blocks` under `key`, all of 16 bytes. Where all the blocks are public, a product of [`mul`]
/// for each of the [`products`]; else one for each block at most.
pub(super) fn ghash<B: Backend<F = F2>>(
    b: &mut B,
    key: &Bytes<B::Wire>,
    blocks: &[Bytes<B::Wire>],
) -> Result<Bytes<B::Wire>> {
    let key = element(key);
    let blocks: Vec<_> = blocks.iter().map(element).collect();
    let sum = if blocks.iter().all(Word::is_public) {
        public_blocks(b, &key, &blocks)?
    } else {
        let mut sum = Word::public(0);
        for block in &blocks {
            let next = sum.xor(b, block);
            sum = mul(b, &next, &key)?;
        }
        sum
    };
    Ok(block(&sum))
}

/// The hash of public blocks, as the header has it.
fn public_blocks<B: Backend<F = F2>>(
    b: &mut B,
    key: &Element<B::Wire>,
    blocks: &[Element<B::Wire>],
) -> Result<Element<B::Wire>> {
    let log =
        (0..usize::BITS).min_by_key(|log| products(blocks.len(), *log)).expect("a range that is not empty");
    let stride = 1 << log;
    // Powers of the key, from 0 on.
    let mut powers = vec![Word::public(1)];
    for i in 1..=blocks.len() / stride {
        powers.push(match i {
            1 => *key,
            i if i % 2 == 0 => square(b, &powers[i / 2]),
            i => mul(b, &powers[i - 1], key)?,
        });
    }
    for power in &mut powers {
        for _ in 0..log {
            *power = square(b, power);
        }
    }
    let mut sum = Word::public(0);
    for r in (0..stride).rev() {
        sum = mul(b, &sum, key)?;
        for (i, power) in powers.iter().enumerate() {
            // c_j belongs to the block that j - 1 others follow.
            let j = stride * i + r;
            if (1..=blocks.len()).contains(&j) {
                let term = mul(b, &blocks[blocks.len() - j], power)?;
                sum = sum.xor(b, &term);
            }
        }
    }
    Ok(sum)
}

/// The number of products in the hash of `blocks` public blocks, for s = 2^log.
fn products(blocks: usize, log: u32) -> usize {
    let highest = blocks >> log;
    (highest.saturating_sub(1)) / 2 + (1usize << log).min(blocks + 1) - 1
}

/// `x · y`: 3^7 = 2,187 ANDs by Karatsuba's method, and none where either is public.
fn mul<B: Backend<F = F2>>(
    b: &mut B,
    x: &Element<B::Wire>,
    y: &Element<B::Wire>,
) -> Result<Element<B::Wire>> {
    if x.is_public() || y.is_public() {
        // Each public factor would be a function of its own.
        let product = karatsuba(b, x.bits(), y.bits())?;
        return Ok(reduce(b, product));
    }
    let product = function_of_words(b, "product of GHASH", &[*x, *y], |b, words| {
        let product = karatsuba(b, words[0].bits(), words[1].bits())?;
        Ok(vec![reduce(b, product)])
    })?;
    Ok(product[0])
}

/// The coefficients of the product of two polynomials of as many coefficients, a power of two.
fn karatsuba<B: Backend<F = F2>>(
    b: &mut B,
    x: &[Bit<B::Wire>],
    y: &[Bit<B::Wire>],
) -> Result<Vec<Bit<B::Wire>>> {
    if let ([x], [y]) = (x, y) {
        return Ok(vec![x.and(b, *y)?]);
    }
    let half = x.len() / 2;
    let ((x0, x1), (y0, y1)) = (x.split_at(half), y.split_at(half));
    let x_both = add(b, x0, x1);
    let y_both = add(b, y0, y1);
    let low = karatsuba(b, x0, y0)?;
    let high = karatsuba(b, x1, y1)?;
    let middle = karatsuba(b, &x_both, &y_both)?;
    let middle = add(b, &middle, &low);
    let middle = add(b, &middle, &high);
    let mut product = [&low[..], &[Bit::Public(false)], &high].concat();
    for (bit, middle) in product[half..].iter_mut().zip(middle) {
        *bit = bit.xor(b, middle);
    }
    Ok(product)
}

fn add<B: Backend<F = F2>>(b: &mut B, x: &[Bit<B::Wire>], y: &[Bit<B::Wire>]) -> Vec<Bit<B::Wire>> {
    x.iter().zip(y).map(|(x, y)| x.xor(b, *y)).collect()
}

/// `x²`, which is linear.
fn square<B: Backend<F = F2>>(b: &mut B, x: &Element<B::Wire>) -> Element<B::Wire> {
    let mut bits = vec![Bit::Public(false); 2 * WIDTH - 1];
    for (i, bit) in x.bits().iter().enumerate() {
        bits[2 * i] = *bit;
    }
    reduce(b, bits)
}

/// The element that `polynomial`, of any degree, is modulo the field's.
fn reduce<B: Backend<F = F2>>(b: &mut B, mut polynomial: Vec<Bit<B::Wire>>) -> Element<B::Wire> {
    for i in (WIDTH..polynomial.len()).rev() {
        let bit = polynomial[i];
        for exponent in MODULUS {
            let low = &mut polynomial[i - WIDTH + exponent];
            *low = low.xor(b, bit);
        }
    }
    Word::new(array::from_fn(|i| polynomial[i]))
}

/// The element that a block stands for.
fn element<W: Copy>(block: &Bytes<W>) -> Element<W> {
    let bytes: Vec<_> = block.iter().collect();
    Word::new(array::from_fn(|i| bytes[i / 8].bits()[7 - i % 8]))
}

/// The block that stands for an element.
fn block<W: Copy>(element: &Element<W>) -> Bytes<W> {
    (0..BLOCK).map(|at| Word::new(array::from_fn(|i| element.bits()[8 * at + 7 - i]))).collect()
}

#[cfg(test)]
mod tests {
    use super::products;

    #[test]
    fn products_grow_as_a_square_root() {
        let fewest = |blocks| (0..20).map(|log| products(blocks, log)).min().unwrap();
        assert_eq!([0, 1, 2, 3, 5, 9, 17, 66, 1026].map(fewest), [0, 0, 0, 1, 1, 2, 4, 10, 46]);
    }
}
