//! Products of words modulo 2^N over F_2, with holes: the rows that are added, and their
//! carries, are polynomials.
//!
//! Booth's recoding halves the rows: x is the sum of d_i·4^i with the digits d_i = -2x_{2i+1} + x_{2i} +
//! x_{2i-1}. So row i is d_i·y shifted by 2i bits, and -z is the complement of z plus one:
//!
//! - `one` = x_{2i} + x_{2i-1}, where the digit is odd, and `two` = (x_{2i+1} + x_{2i})(1 + `one`), where it
//!   is ±2;
//! - row = `one`·y + `two`·2y + `minus`, of degree 3, where `minus` = x_{2i+1} complements all bits from 2i
//!   on. It is added once more at bit 2i: for all rows together, that is one more word, of degree 1.
//!
//! The prover commits to the sum of each four rows, from bit 8g on, and to the product. Commitments for a
//! product of 32 bits beside those to x and y, the highest degree, and the prover's multiplications of 128
//! bits (a·b + a + b for each product of degrees a and b), by what is added in one piece:
//!
//! | rows | in pieces of | committed | degree | multiplications |
//! |---|---|---|---|---|
//! | gate by gate ([`Word::mul`]) | | 993 | 2 | 3,000 |
//! | 32, of x_i·y | 4 | 176 | 11 | 12,400 |
//! | 32, of x_i·y | 8 | 112 | 22 | 23,200 |
//! | 16, of digits | 2 | 176 | 12 | 7,500 |
//! | **16, of digits** | **4** | **112** | **15** | **12,300** |
//! | 16, of digits | 5, 5 and 6 | 98 | 24 | 15,800 |
//! | 16, of digits | 8 | 80 | 33 | 29,000 |
//!
//! With x and y these are 176 bits. The literature has 4N = 128 for each of many products, and 3N = 96, which
//! commit to nothing but x, y and the product, with polynomials of a degree up to 8N².

use super::adder::{Addend, Words, assert_sum};
use super::{Bit, Word};
use volery_channel::error::{Error, Result};
use volery_circuit::Polynomials;
use volery_primitives::{F2, Field};

/// Rows that are added without a commitment in between.
const ROWS: usize = 4;

/// Products that are computed side by side: enough that the fixed cost of a vector matters little.
const SIDE_BY_SIDE: usize = 16;

/// `xs[i] · ys[i]` modulo 2^N for each i, with holes: 112 committed bits for each where N is 32, in
/// polynomials of a degree up to 15. Where both factors are public, so is the product. N is from 2 to 128.
///
/// ```
/// # use volery_gadgets::testing::volery;
/// use volery::circuit::gadget::{Word, products_with_holes};
/// use volery::circuit::{Circuit, Polynomials};
/// use volery_primitives::F2;
///
/// /// "I know so many factors of this number modulo 2^32, two and two."
/// struct Factors {
///     number: u32,
///     pairs: usize,
/// }
///
/// impl<B: Polynomials<F = F2>> Circuit<B> for Factors {
///     fn run(&self, b: &mut B) -> volery::Result<()> {
///         let read = |b: &mut B| (0..self.pairs).map(|_| Word::witness(b)).collect::<volery::Result<Vec<_>>>();
///         let (xs, ys) = (read(b)?, read(b)?);
///         let number = Word::<_, 32>::public(self.number.into());
///         let products = products_with_holes(b, &xs, &ys)?;
///         products.iter().try_for_each(|product| product.assert_equal(b, &number, "product"))
///     }
/// }
/// ```
///
/// # Errors
/// `Invalid` where there are not as many `xs` as `ys`; those of [`Polynomials::product`].
pub fn products_with_holes<B: Polynomials<F = F2>, const N: usize>(
    b: &mut B,
    xs: &[Word<B::Wire, N>],
    ys: &[Word<B::Wire, N>],
) -> Result<Vec<Word<B::Wire, N>>> {
    const { assert!(1 < N && N <= 128) };
    if xs.len() != ys.len() {
        return Err(Error::invalid(format!(
            "products of {} and {} words: give as many of both",
            xs.len(),
            ys.len()
        )));
    }
    let known = |i: &usize| xs[*i].is_public() && ys[*i].is_public();
    let (public, secret): (Vec<_>, Vec<_>) = (0..xs.len()).partition(known);
    let mut products = vec![Word::public(0); xs.len()];
    for i in public {
        products[i] = xs[i].mul(b, &ys[i])?;
    }
    for places in secret.chunks(SIDE_BY_SIDE) {
        let mut wires = |words: &[Word<B::Wire, N>]| {
            let bits = places.iter().flat_map(|&i| *words[i].bits());
            bits.map(|bit| bit.wire(b)).collect::<Vec<_>>()
        };
        let (xs, ys) = (wires(xs), wires(ys));
        let product = multiply::<B, N>(b, &xs, &ys)?;
        for (&i, bits) in places.iter().zip(product.chunks_exact(N)) {
            products[i] = Word::new(core::array::from_fn(|bit| Bit::Wire(bits[bit])));
        }
    }
    Ok(products)
}

/// The products of words of `N` bits side by side.
fn multiply<B: Polynomials<F = F2>, const N: usize>(
    b: &mut B,
    xs: &[B::Wire],
    ys: &[B::Wire],
) -> Result<Vec<B::Wire>> {
    let words = Words { count: xs.len() / N, width: N };
    let hinted = b.hints(&[xs, ys].concat(), words.count * (sums(N) + N), |values| {
        let (xs, ys) = values.split_at(values.len() / 2);
        hint::<N>(xs, ys)
    })?;
    let (mut sums, product) = hinted.split_at(words.count * sums(N));
    let x = b.vector(xs);
    let y = b.vector(ys);
    let digits = Digits::new(b, words, &x)?;
    let minus = words.lanes(|word, bit| (bit % 2 == 0 && bit + 1 < N).then(|| word * N + bit + 1));
    let mut addends = vec![Addend { vector: b.gather(&x, &minus), degree: 1 }];
    for low in (0..N).step_by(2 * ROWS) {
        let part = Words { width: N - low, ..words };
        let rows = (low / 2..(low / 2 + ROWS).min(N.div_ceil(2)))
            .map(|row| Ok(Addend { vector: digits.row(b, part, &y, row)?, degree: 3 }))
            .collect::<Result<Vec<_>>>()?;
        let (sum, rest) = sums.split_at(words.count * part.width);
        sums = rest;
        let sum = b.vector(sum);
        match <[_; 1]>::try_from(rows) {
            Ok([row]) => {
                let difference = b.sum(&row.vector, &sum);
                b.assert_zeroes(difference, "a row of a product")?;
            }
            Err(rows) => assert_sum(b, part, rows, false, &sum, "rows of a product")?,
        }
        let shifted = words.lanes(|word, bit| bit.checked_sub(low).map(|bit| word * part.width + bit));
        addends.push(Addend { vector: b.gather(&sum, &shifted), degree: 1 });
    }
    let result = b.vector(product);
    assert_sum(b, words, addends, false, &result, "a product")?;
    Ok(product.to_vec())
}

/// The bits of the sums of rows, for one product.
fn sums(width: usize) -> usize {
    (0..width).step_by(2 * ROWS).map(|low| width - low).sum()
}

/// The digits of words side by side, N/2 for each word, rounded up.
struct Digits<V> {
    words: Words,
    one: V,
    two: V,
    minus: V,
}

impl<V> Digits<V> {
    /// The digits of `x`.
    fn new<B: Polynomials<F = F2, Vector = V>>(b: &mut B, words: Words, x: &V) -> Result<Self> {
        let Words { count, width } = words;
        let digits = Words { count, width: width.div_ceil(2) };
        let bit = |word, bit| (bit < width).then_some(word * width + bit);
        let low = digits.lanes(|word, i| (2 * i).checked_sub(1).and_then(|low| bit(word, low)));
        let low = b.gather(x, &low);
        let middle = b.gather(x, &digits.lanes(|word, i| bit(word, 2 * i)));
        let minus = b.gather(x, &digits.lanes(|word, i| bit(word, 2 * i + 1)));
        let one = b.sum(&middle, &low);
        let unequal = b.sum(&minus, &middle);
        let public_one = b.public(&[F2::ONE]);
        let even = b.sum(&one, &public_one);
        let two = b.product(&unequal, &even)?;
        Ok(Self { words, one, two, minus })
    }

    /// Row `i` of the products with `y`, in the highest bits of each word: as many as `part` has.
    fn row<B: Polynomials<F = F2, Vector = V>>(&self, b: &mut B, part: Words, y: &V, i: usize) -> Result<V> {
        let width = self.words.width;
        // How far a bit of the part is above the row's lowest.
        let above = |bit: usize| (width - part.width + bit).checked_sub(2 * i);
        let digit = |word| word * width.div_ceil(2) + i;
        let everywhere = part.lanes(|word, _| Some(digit(word)));
        let one = b.gather(&self.one, &everywhere);
        let two = b.gather(&self.two, &everywhere);
        let minus = b.gather(&self.minus, &part.lanes(|word, bit| above(bit).map(|_| digit(word))));
        let once = b.gather(y, &part.lanes(|word, bit| above(bit).map(|bit| word * width + bit)));
        let twice = part.lanes(|word, bit| above(bit)?.checked_sub(1).map(|bit| word * width + bit));
        let twice = b.gather(y, &twice);
        let odd = b.product(&one, &once)?;
        let even = b.product(&two, &twice)?;
        let multiple = b.sum(&odd, &minus);
        Ok(b.sum(&even, &multiple))
    }
}

/// The prover's commitments for words side by side: the sums of rows by their lowest bit, and the products.
fn hint<const N: usize>(xs: &[F2], ys: &[F2]) -> Vec<F2> {
    let number = |bits: &[F2]| bits.iter().rev().fold(0, |number, bit| number << 1 | bit.to_word());
    let xs: Vec<u128> = xs.chunks_exact(N).map(number).collect();
    let ys: Vec<u128> = ys.chunks_exact(N).map(number).collect();
    let mut bits = Vec::with_capacity(xs.len() * (sums(N) + N));
    let mut push = |value: u128, width| bits.extend((0..width).map(|i| F2::low_bit(value >> i)));
    for low in (0..N).step_by(2 * ROWS) {
        for (x, y) in xs.iter().zip(&ys) {
            // All ones where a bit of x is one.
            let mask = |bit: usize| if bit < N { F2::low_bit(x >> bit).mask() } else { 0 };
            let rows = (low..(low + 2 * ROWS).min(N)).step_by(2).map(|at| {
                let (minus, middle, below) = (mask(at + 1), mask(at), if at > 0 { mask(at - 1) } else { 0 });
                let one = middle ^ below;
                let two = (minus ^ middle) & !one;
                ((one & y | two & y << 1) ^ minus) << (at - low)
            });
            push(rows.fold(0, u128::wrapping_add), N - low);
        }
    }
    xs.iter().zip(&ys).for_each(|(x, y)| push(x.wrapping_mul(*y), N));
    bits
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use volery_circuit::stream::Streamed;
    use volery_circuit::testing::Faulty;
    use volery_circuit::{Circuit, Clear, Shape};

    /// Products of witness words, all factors first.
    struct Products<const N: usize> {
        expected: Vec<u128>,
    }

    impl<B: Polynomials<F = F2>, const N: usize> Circuit<B> for Products<N> {
        fn run(&self, b: &mut B) -> Result<()> {
            let mut read = || (0..self.expected.len()).map(|_| Word::witness(b)).collect::<Result<Vec<_>>>();
            let (xs, ys) = (read()?, read()?);
            let products = products_with_holes::<B, N>(b, &xs, &ys)?;
            for (product, &expected) in products.iter().zip(&self.expected) {
                product.assert_equal(b, &Word::public(expected), "product")?;
            }
            Ok(())
        }
    }

    /// The witness that multiplies `xs` by `ys`.
    fn witness<const N: usize>(xs: &[u128], ys: &[u128]) -> Vec<F2> {
        let words = xs.iter().chain(ys);
        words.flat_map(|word| (0..N).map(move |i| F2::low_bit(word >> i))).collect()
    }

    fn check<const N: usize>(xs: &[u128], ys: &[u128], expected: Vec<u128>) -> Result<()> {
        let mut clear = Clear::new(witness::<N>(xs, ys));
        Streamed(&Products::<N> { expected }).run(&mut clear)?;
        clear.finish()
    }

    /// Products of all words in which the first factor is one of every `step`, or the last.
    fn small_products<const N: usize>(step: usize) {
        for x in (0..1 << N).step_by(step).chain([(1 << N) - 1]) {
            for y in 0..1 << N {
                check::<N>(&[x], &[y], vec![(x * y) & ((1 << N) - 1)]).unwrap();
            }
        }
    }

    #[test]
    fn small_words_of_all_widths() {
        small_products::<2>(1);
        small_products::<3>(1);
        small_products::<5>(1);
        small_products::<8>(11);
    }

    #[test]
    #[ignore = "slow"]
    fn all_bytes_are_multiplied() {
        small_products::<8>(1);
    }

    proptest! {
        #[test]
        fn wide_words_of_many_widths(x: u128, y: u128) {
            check::<9>(&[x], &[y], vec![x.wrapping_mul(y)]).unwrap();
            check::<31>(&[x], &[y], vec![x.wrapping_mul(y)]).unwrap();
            check::<64>(&[x], &[y], vec![x.wrapping_mul(y)]).unwrap();
            check::<128>(&[x], &[y], vec![x.wrapping_mul(y)]).unwrap();
        }

        #[test]
        #[ignore = "slow"]
        fn more_products_side_by_side(
            factors in proptest::collection::vec((any::<u32>(), any::<u32>()), 1..40),
            wrong: usize,
            bit in 0..32u32,
        ) {
            check_side_by_side(&factors, wrong, bit);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn products_side_by_side(
            factors in proptest::collection::vec((any::<u32>(), any::<u32>()), 1..40),
            wrong: usize,
            bit in 0..32u32,
        ) {
            check_side_by_side(&factors, wrong, bit);
        }
    }

    /// Asserts that all products hold, and that this bit of one of them is found where it is wrong.
    fn check_side_by_side(factors: &[(u32, u32)], wrong: usize, bit: u32) {
        let xs: Vec<u128> = factors.iter().map(|&(x, _)| x.into()).collect();
        let ys: Vec<u128> = factors.iter().map(|&(_, y)| y.into()).collect();
        let mut products: Vec<u128> = factors.iter().map(|&(x, y)| x.wrapping_mul(y).into()).collect();
        check::<32>(&xs, &ys, products.clone()).unwrap();
        products[wrong % factors.len()] ^= 1 << bit;
        let refused = check::<32>(&xs, &ys, products).unwrap_err().to_string();
        assert!(refused.contains(&format!(" product[{bit}] ")), "{refused}");
    }

    #[test]
    fn corner_cases() {
        for x in [0, 1, 2, 3, 0x5555_5555, 0xaaaa_aaaa, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff_u32] {
            for y in [0, 1, 0x8000_0000, 0xffff_ffff_u32] {
                check::<32>(&[x.into()], &[y.into()], vec![x.wrapping_mul(y).into()]).unwrap();
            }
        }
    }

    #[test]
    fn a_prover_has_one_choice_of_hints() {
        assert_one_choice(5);
    }

    #[test]
    #[ignore = "slow"]
    fn a_prover_has_one_choice_of_hints_for_all_factors() {
        assert_one_choice(1);
    }

    /// Asserts it for one pair of factors of every `step`, the first and the last among them.
    fn assert_one_choice(step: usize) {
        // Four bits of the rows' sum and four of the product: the pattern of those that are wrong.
        for (x, y) in (0..256).step_by(step).map(|both| (both & 15, both >> 4)) {
            for pattern in 0..256 {
                let mut faulty = Faulty::with_pattern(witness::<4>(&[x], &[y]), 0, pattern);
                let expected = vec![(x * y) & 15 ^ u128::from(pattern >> 4)];
                let outcome = Streamed(&Products::<4> { expected }).run(&mut faulty);
                assert_eq!(outcome.is_ok(), pattern == 0, "{x} {y} {pattern}");
            }
        }
    }

    #[test]
    fn each_wrong_hint_is_caught() {
        let (x, y) = ([0x1234_5678, 0xfedc_ba98], [0x9abc_def1, 0x0f1e_2d3c]);
        let expected: Vec<u128> =
            x.iter().zip(&y).map(|(x, y): (&u128, &u128)| (x * y) & u128::from(u32::MAX)).collect();
        let run = |until| {
            let mut faulty = Faulty::new(witness::<32>(&x, &y), until);
            let outcome = Streamed(&Products::<32> { expected: expected.clone() }).run(&mut faulty);
            outcome.err().map(|refused| refused.to_string())
        };
        for until in 0..2 * 112 {
            let refused = run(until).expect("a wrong hint");
            let place = if until < 160 { " rows of a product[" } else { " a product[" };
            assert!(refused.contains(place), "{until}: {refused}");
        }
        assert_eq!(run(2 * 112), None);
    }

    #[test]
    fn commitments_are_pinned() {
        let shape = |count| Shape::of::<F2>(&Products::<32> { expected: vec![0; count] }).unwrap();
        for count in [1, 16, 33] {
            let shape = shape(count);
            assert_eq!((shape.inputs, shape.mul, shape.degree), (count as u64 * (64 + 112), 0, 15));
            assert_eq!(shape.polynomials, count as u64 * 112);
        }
    }

    #[test]
    fn public_factors_cost_nothing() {
        let mut clear = Clear::<F2>::new(core::iter::empty());
        let zero = Word::<_, 32>::public(0).bits().map(|bit| Bit::Wire(bit.wire(&mut clear)));
        let (xs, ys) = ([Word::public(7), Word::new(zero), Word::public(3)], [6, 5, 4].map(Word::public));
        let products = products_with_holes::<_, 32>(&mut clear, &xs, &ys).unwrap();
        assert_eq!(products.iter().map(Word::is_public).collect::<Vec<_>>(), [true, false, true]);
        for (product, expected) in products.iter().zip([42, 0, 12]) {
            product.assert_equal(&mut clear, &Word::public(expected), "product").unwrap();
        }
        assert!(products_with_holes(&mut clear, &xs, &ys[..2]).is_err());
    }
}
