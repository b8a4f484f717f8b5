//! Words, integers and arrays of which any bits are public and the others on wires: what folds
//! must not change values.

use super::{Array, Bit, Signed, Word};
use crate::testing::{Evaluation, bit_value, evaluation, signed_value, value};
use proptest::prelude::*;
use volery_primitives::F2;

/// `value` in N bits, of which those that are set in `wires` are on wires.
fn mixed<const N: usize>(value: u128, wires: u128) -> Word<F2, N> {
    Word::new(core::array::from_fn(|i| {
        let bit = value >> i & 1 == 1;
        if wires >> i & 1 == 1 { Bit::Wire(bit.into()) } else { Bit::Public(bit) }
    }))
}

fn wrap<const N: usize>(value: i128) -> i128 {
    value << (128 - N) >> (128 - N)
}

/// Two operands, each with its wires.
type Operands = [(u128, u128); 2];

fn check_words<const N: usize>([x, y]: Operands) {
    let b: &mut Evaluation = &mut evaluation();
    let (p, q) = (mixed::<N>(x.0, x.1), mixed::<N>(y.0, y.1));
    let mask = u128::MAX >> (128 - N);
    let (x, y) = (x.0 & mask, y.0 & mask);
    let (quotient, remainder) = p.div_rem(b, &q).unwrap();
    let (low, high) = p.mul_wide(b, &q).unwrap();
    // The product of words of up to 64 bits.
    let product = x.wrapping_mul(y);
    let results = [
        (p.add(b, &q).unwrap(), x.wrapping_add(y)),
        (p.sub(b, &q).unwrap(), x.wrapping_sub(y)),
        (p.mul(b, &q).unwrap(), product),
        (low, product),
        (high, product >> N),
        (quotient, x.checked_div(y).unwrap_or(mask)),
        (p.div(b, &q).unwrap(), x.checked_div(y).unwrap_or(mask)),
        (remainder, x.checked_rem(y).unwrap_or(x)),
        (p.and(b, &q).unwrap(), x & y),
        (p.neg(b).unwrap(), x.wrapping_neg()),
        (p.neg_where(b, q.bits()[0]).unwrap(), if y & 1 == 1 { x.wrapping_neg() } else { x }),
        (p.min(b, &q).unwrap(), x.min(y)),
        (p.max(b, &q).unwrap(), x.max(y)),
        (Word::select(b, q.bits()[0], &p, &q).unwrap(), if y & 1 == 1 { x } else { y }),
        (Word::sum(b, &[p, q, p, q, q]).unwrap(), x.wrapping_mul(2).wrapping_add(y.wrapping_mul(3))),
        (p.shift_left_by(b, &q).unwrap(), if y < 128 { x << y } else { 0 }),
        (p.shift_right_by(b, &q).unwrap(), if y < 128 { x >> y } else { 0 }),
    ];
    for (i, (result, expected)) in results.into_iter().enumerate() {
        assert_eq!(value(result), expected & mask, "{i} {x} {y}");
        assert!(result.is_public() || !p.is_public() || !q.is_public());
    }
    let turn = (y % N as u128) as usize;
    let turned = p.rotate_left(turn);
    assert_eq!(value(p.rotate_left_by(b, &q).unwrap()), value(turned));
    assert_eq!(value(turned.rotate_right_by(b, &q).unwrap()), x);
    let bits = [
        (p.equal(b, &q).unwrap(), x == y),
        (p.is_zero(b).unwrap(), x == 0),
        (p.less_than(b, &q).unwrap(), x < y),
        (p.at_most(b, &q).unwrap(), x <= y),
    ];
    for (i, (result, expected)) in bits.into_iter().enumerate() {
        assert_eq!(bit_value(result), expected, "{i} {x} {y}");
    }
}

fn check_signed<const N: usize>([x, y]: Operands) {
    let b: &mut Evaluation = &mut evaluation();
    let (word_p, word_q) = (mixed::<N>(x.0, x.1), mixed::<N>(y.0, y.1));
    let (p, q) = (Signed::from_word(word_p), Signed::from_word(word_q));
    let unsigned_y = value(word_q);
    let (x, y) = (wrap::<N>(x.0 as i128), wrap::<N>(y.0 as i128));
    let (quotient, remainder) = p.div_rem(b, &q).unwrap();
    let (product, overflow) = p.overflowing_mul(b, &q).unwrap();
    let by_zero = if x < 0 { 1 } else { -1 };
    let results = [
        (p.add(b, &q).unwrap(), x.wrapping_add(y)),
        (p.sub(b, &q).unwrap(), x.wrapping_sub(y)),
        (p.neg(b).unwrap(), x.wrapping_neg()),
        (p.abs(b).unwrap(), x.wrapping_abs()),
        (p.mul(b, &q).unwrap(), x.wrapping_mul(y)),
        (product, x.wrapping_mul(y)),
        (quotient, x.checked_div(y).unwrap_or(by_zero)),
        (p.div(b, &q).unwrap(), x.checked_div(y).unwrap_or(by_zero)),
        (remainder, x.checked_rem(y).unwrap_or(x)),
        (p.min(b, &q).unwrap(), x.min(y)),
        (p.max(b, &q).unwrap(), x.max(y)),
        (p.shift_right_by(b, &word_q).unwrap(), x >> unsigned_y.min(127)),
    ];
    for (i, (result, expected)) in results.into_iter().enumerate() {
        assert_eq!(signed_value(result), wrap::<N>(expected), "{i} {x} {y}");
    }
    assert_eq!(signed_value(p.resize::<20>()), wrap::<20>(x));
    let bits = [
        (overflow, x.wrapping_mul(y) != wrap::<N>(x.wrapping_mul(y))),
        (p.equal(b, &q).unwrap(), x == y),
        (p.less_than(b, &q).unwrap(), x < y),
        (p.at_most(b, &q).unwrap(), x <= y),
    ];
    for (i, (result, expected)) in bits.into_iter().enumerate() {
        assert_eq!(bit_value(result), expected, "{i} {x} {y}");
    }
}

/// All pairs of words of N bits, each with any wires.
fn all<const N: usize>(check: impl Fn(Operands)) {
    let of = |number: u128, place: usize| number >> (place * N) & (u128::MAX >> (128 - N));
    for number in 0..1 << (4 * N) {
        check([(of(number, 0), of(number, 1)), (of(number, 2), of(number, 3))]);
    }
}

#[test]
fn small_words_fold_as_they_compute() {
    all::<1>(check_words::<1>);
    all::<2>(check_words::<2>);
    all::<3>(check_words::<3>);
}

#[test]
fn small_signed_integers_fold_as_they_compute() {
    all::<1>(check_signed::<1>);
    all::<2>(check_signed::<2>);
    all::<3>(check_signed::<3>);
}

#[test]
fn small_sums_fold_as_they_compute() {
    let b: &mut Evaluation = &mut evaluation();
    for number in 0..1u128 << 16 {
        let word = |place: usize| (number >> (4 * place) & 3, number >> (4 * place + 2) & 3);
        let words = [0, 1, 2, 3].map(|place| mixed::<2>(word(place).0, word(place).1));
        let expected = [0, 1, 2, 3].map(|place| word(place).0).iter().sum::<u128>() & 3;
        assert_eq!(value(Word::sum(b, &words).unwrap()), expected);
    }
}

#[test]
fn arrays_at_places_that_are_partly_public() {
    let b: &mut Evaluation = &mut evaluation();
    for (len, at, wires) in (0..8 * 16 * 16).map(|all| (all >> 8, all >> 4 & 15, all & 15)) {
        let index = mixed::<4>(at, wires);
        let mut array: Array<_, 5> = (0..len).map(|i| mixed(i, 0b10101)).collect();
        assert_eq!(bit_value(array.contains(b, &index).unwrap()), at < len);
        if at < len {
            assert_eq!(value(array.read_unchecked(b, &index).unwrap()), at);
        }
        for enable in [Bit::Wire((at < len).into()), Bit::Public(at < len)] {
            array.write_where(b, enable, &index, &mixed(30, wires)).unwrap();
            for (i, &word) in (0..).zip(array.iter()) {
                assert_eq!(value(word), if i == at { 30 } else { i });
            }
        }
    }
}

proptest! {
    #[test]
    fn words_fold_as_they_compute(x: [u64; 2], y: [u64; 2], small in 0..64u32) {
        let wide = |x: [u64; 2]| (u128::from(x[0]), u128::from(x[1]));
        let y = [y[0] >> small, y[1]];
        check_words::<8>([wide(x), wide(y)]);
        check_words::<64>([wide(x), wide(y)]);
        check_signed::<8>([wide(x), wide(y)]);
        check_signed::<64>([wide(x), wide(y)]);
    }
}
