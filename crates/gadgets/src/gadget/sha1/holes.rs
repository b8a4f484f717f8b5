//! The compression function with holes.
//!
//! The prover commits to the word a of each round and to the digest, 2,720 bits a block instead of 10,955
//! ANDs; the message schedule is linear. Each is a sum whose carries are polynomials
//! ([`adder`](super::super::adder)):
//!
//! | word | is the sum of | degree |
//! |---|---|---|
//! | a, where f is Ch or Maj | a turned, f(b, c, d), e, K_t, W_t | 8 |
//! | a, where f is a parity | the same | 6 |
//! | the digest | a word of the chaining value, one of the last round | 2 |
//!
//! All words are hinted at once, so that rounds of one f run side by side in the lanes.

use super::{ROUND, ROUNDS, Sha1Compression, expand};
use crate::gadget::adder::{Addend, Words, assert_sum};
use crate::gadget::hash::fips_180::Word32;
use crate::gadget::{Bit, Gates, Holes, Word, function_of_words};
use core::array;
use volery_channel::error::Result;
use volery_circuit::Polynomials;
use volery_primitives::F2;

/// Bits of a word.
const WIDTH: usize = 32;

/// Words of the state.
const STATE: usize = 5;

/// Words that are computed: each round's a, then the chaining value.
pub(super) const COMPUTED: usize = ROUNDS + STATE;

/// Rounds side by side, which have one f.
const SIDE_BY_SIDE: usize = 10;

/// The bits by which the words of the state were turned to the left since each was a: a, b, c, d, e.
const TURNED: [usize; STATE] = [0, 0, 30, 30, 30];

impl<B: Polynomials<F = F2>> Sha1Compression<B> for Holes {
    fn compress_sha1(
        b: &mut B,
        state: &[Word32<B::Wire>; 5],
        block: &[Word32<B::Wire>; 16],
    ) -> Result<[Word32<B::Wire>; 5]> {
        let words = [&state[..], block].concat();
        if words.iter().all(Word::is_public) {
            return Gates::compress_sha1(b, state, block);
        }
        let digest = function_of_words(b, "SHA-1 compression with holes", &words, |b, words| {
            let (state, block) = words.split_first_chunk().expect("five words of state");
            Ok(compress(b, state, block.first_chunk().expect("a block"), |_, word| word)?.to_vec())
        })?;
        Ok(*digest.first_chunk().expect("five words"))
    }
}

/// Compresses one block. The prover commits to the result of `alter` for each computed word, by its number.
pub(super) fn compress<B: Polynomials<F = F2>>(
    b: &mut B,
    state: &[Word32<B::Wire>; 5],
    block: &[Word32<B::Wire>; 16],
    alter: impl Fn(usize, u32) -> u32 + Send + Sync + 'static,
) -> Result<[Word32<B::Wire>; 5]> {
    let of = wires(b, &[&state[..], block].concat());
    let hinted = b.hints(&of, WIDTH * COMPUTED, move |values| {
        let words: Vec<u32> = values.chunks_exact(WIDTH).map(number).collect();
        let (state, block) = words.split_first_chunk().expect("five words of state");
        let computed = evaluate(*state, block, &alter);
        computed.iter().flat_map(|word| (0..WIDTH).map(move |i| F2::low_bit((word >> i).into()))).collect()
    })?;
    let hinted: Vec<_> = hinted.chunks_exact(WIDTH).map(word).collect();
    let (new, result) = hinted.split_at(ROUNDS);
    // In the order in which they are computed, as they were then: those before round 0 are e, d, c, b, a.
    let before = (0..STATE).rev().map(|i| state[i].rotate_right(TURNED[i]));
    let all: Vec<_> = before.chain(new.iter().copied()).collect();
    let mut schedule = block.to_vec();
    let mut last = *block;
    for t in 16..ROUNDS {
        last[t % 16] = expand(b, &last, t);
        schedule.push(last[t % 16]);
    }
    for t in (0..ROUNDS).step_by(SIDE_BY_SIDE) {
        assert_rounds(b, &schedule, &all, t)?;
    }
    let behind: Vec<_> = (0..STATE).map(|i| all[ROUNDS + STATE - 1 - i].rotate_left(TURNED[i])).collect();
    let addends = [&state[..], &behind].map(|words| Addend { vector: vector(b, words), degree: 1 });
    let sum = vector(b, result);
    assert_sum(b, Words { count: STATE, width: WIDTH }, addends, false, &sum, "chaining value")?;
    Ok(*result.first_chunk().expect("five words"))
}

/// Demands that the words a of some rounds from `t` on follow from those before. In `all` that of round t is
/// at place t + 5.
fn assert_rounds<B: Polynomials<F = F2>>(
    b: &mut B,
    schedule: &[Word32<B::Wire>],
    all: &[Word32<B::Wire>],
    t: usize,
) -> Result<()> {
    let words = Words { count: SIDE_BY_SIDE, width: WIDTH };
    let turned = |i: usize, by: usize| -> Vec<_> {
        all[t + i..][..SIDE_BY_SIDE].iter().map(|word| word.rotate_left(by)).collect()
    };
    let [e, d, c, b0, a] =
        [(0, 30), (1, 30), (2, 30), (3, 0), (4, 5)].map(|(i, by)| vector(b, &turned(i, by)));
    let sum = vector(b, &turned(5, 0));
    let mixed = match t / 20 {
        // ch = b(c + d) + d
        0 => {
            let either = b.sum(&c, &d);
            let chosen = b.product(&b0, &either)?;
            b.sum(&chosen, &d)
        }
        // maj = (b + c)(b + d) + b
        2 => {
            let left = b.sum(&b0, &c);
            let right = b.sum(&b0, &d);
            let both = b.product(&left, &right)?;
            b.sum(&both, &b0)
        }
        _ => {
            let two = b.sum(&b0, &c);
            b.sum(&two, &d)
        }
    };
    let degree = if matches!(t / 20, 0 | 2) { 2 } else { 1 };
    let constants = b.public(&words.lanes(|_, bit| F2::low_bit((ROUND[t / 20] >> bit).into())));
    let of_schedule = vector(b, &schedule[t..][..SIDE_BY_SIDE]);
    let addends = [(constants, 0), (a, 1), (e, 1), (of_schedule, 1), (mixed, degree)];
    let addends = addends.map(|(vector, degree)| Addend { vector, degree });
    assert_sum(b, words, addends, false, &sum, format_args!("a from round {t} on"))
}

fn vector<B: Polynomials<F = F2>>(b: &mut B, words: &[Word32<B::Wire>]) -> B::Vector {
    let wires = wires(b, words);
    b.vector(&wires)
}

/// The bits of `words` on wires, in order.
fn wires<B: Polynomials<F = F2>>(b: &mut B, words: &[Word32<B::Wire>]) -> Vec<B::Wire> {
    words.iter().flat_map(|word| *word.bits()).map(|bit| bit.wire(b)).collect()
}

fn word<W: Copy>(bits: &[W]) -> Word32<W> {
    Word::new(array::from_fn(|bit| Bit::Wire(bits[bit])))
}

fn number(bits: &[F2]) -> u32 {
    bits.iter().rev().fold(0, |number, bit| number << 1 | bit.to_word() as u32)
}

/// The words that a compression computes, where each goes on with what `alter` makes of it.
fn evaluate(state: [u32; STATE], block: &[u32], alter: &impl Fn(usize, u32) -> u32) -> [u32; COMPUTED] {
    let mut computed = [0; COMPUTED];
    let mut schedule = [0; ROUNDS];
    schedule[..16].copy_from_slice(block);
    for t in 16..ROUNDS {
        let [x, y, z, first] = [3, 8, 14, 16].map(|by| schedule[t - by]);
        schedule[t] = (x ^ y ^ z ^ first).rotate_left(1);
    }
    let mut s = state;
    for t in 0..ROUNDS {
        let [a, b, c, d, e] = s;
        let mixed = match t / 20 {
            0 => b & (c ^ d) ^ d,
            2 => (b ^ c) & (b ^ d) ^ b,
            _ => b ^ c ^ d,
        };
        let sum = [a.rotate_left(5), mixed, e, ROUND[t / 20], schedule[t]];
        let sum = sum.iter().fold(0, |sum: u32, &word| sum.wrapping_add(word));
        computed[t] = alter(t, sum);
        s = [computed[t], a, b.rotate_left(30), c, d];
    }
    for i in 0..STATE {
        computed[ROUNDS + i] = alter(ROUNDS + i, state[i].wrapping_add(s[i]));
    }
    computed
}
