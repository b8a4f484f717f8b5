//! The compression function with holes.
//!
//! The prover commits to the words a and e of each round, to those of the message schedule and to the digest.
//! Each is a sum of words that are linear in commitments, and of ch and maj of these, and all carries are
//! polynomials ([`adder`](super::super::adder)):
//!
//! | word | is the sum of | degree | multiplications a bit |
//! |---|---|---|---|
//! | W_t | σ₁(W_{t-2}), W_{t-7}, σ₀(W_{t-15}), W_{t-16} | 5 | 19 |
//! | e | d, h, Σ₁(e), ch(e, f, g), K_t, W_t | 10 | 65 |
//! | a | the next e, Σ₀(a), maj(a, b, c), -d | 6 | 28 |
//! | the digest | a word of the chaining value, one of the last round | 2 | 3 |
//!
//! Multiplications are the prover's, of 128 bits: a·b + a + b for a product of degrees a and b, as one factor
//! of each of a + b is a bit. As the parties also pay for commitments, in time and in traffic, these are the
//! alternatives, for each block:
//!
//! | committed | bits | degree | multiplications |
//! |---|---|---|---|
//! | all ANDs ([`Gates`]) | 22,271 | 2 | 66,800 |
//! | W, a, e, ch and maj | 9,984 | 8 | 173,000 |
//! | W, a, e and e - d, which a starts from too | 7,936 | 8 | 167,000 |
//! | W, a, e and the carries of the first three words of e | 7,936 | 8 | 186,000 |
//! | W, a, e and d + h + K + W | 7,936 | 5 | 165,000 |
//! | **W, a, e** | **5,888** | **10** | **220,000** |
//!
//! Each 2,048 bits less are 205 µs less at 10 Mbit/s and some 50 µs of the parties' work, against the 80 µs
//! that 55,000 multiplications take.
//!
//! All words are hinted at once, so that what is asserted of rounds need not wait for the rounds before: they
//! run side by side in the lanes.

use super::{Compression, Gates, LOWER_0, LOWER_1, ROUND, UPPER_0, UPPER_1, Word32, gates};
use crate::gadget::adder::{Addend, Words, assert_sum};
use crate::gadget::{Bit, Word, function_of_words};
use core::array;
use volery_channel::error::Result;
use volery_circuit::Polynomials;
use volery_primitives::{F2, Field};

/// Bits of a word.
const WIDTH: usize = 32;

const ROUNDS: usize = ROUND.len();

/// Words of the schedule that are not those of the block.
const EXPANDED: usize = ROUNDS - 16;

/// Words that are computed: the schedule's, then each round's e, then each round's a,
/// then the chaining value.
const COMPUTED: usize = EXPANDED + 2 * ROUNDS + 8;

/// Rounds, or words of the schedule, side by side: enough that the fixed cost of a vector matters little, and
/// few enough for vectors to stay in cache.
const SIDE_BY_SIDE: usize = 8;

/// Compression with holes: words are committed to, and the bits of sums in between are polynomials.
pub enum Holes {}

impl<B: Polynomials<F = F2>> Compression<B> for Holes {
    const BLOCK: &'static str = "sha256 of a block with holes";

    fn compress(
        b: &mut B,
        state: &[Word32<B::Wire>; 8],
        block: &[Word32<B::Wire>; 16],
    ) -> Result<[Word32<B::Wire>; 8]> {
        let words = [&state[..], block].concat();
        let digest = function_of_words(b, "SHA-256 compression with holes", &words, |b, words| {
            let (state, block) = words.split_first_chunk().expect("eight words of state");
            Ok(compress(b, state, block.first_chunk().expect("a block"), |_, word| word)?.to_vec())
        })?;
        Ok(*digest.first_chunk().expect("eight words"))
    }
}

/// Compresses one block. The prover commits to the result of `alter` for each computed word, by its number.
pub(super) fn compress<B: Polynomials<F = F2>>(
    b: &mut B,
    state: &[Word32<B::Wire>; 8],
    block: &[Word32<B::Wire>; 16],
    alter: impl Fn(usize, u32) -> u32 + Send + Sync + 'static,
) -> Result<[Word32<B::Wire>; 8]> {
    let public_block = block.iter().all(Word::is_public);
    if public_block && state.iter().all(Word::is_public) {
        return Gates::compress(b, state, block);
    }
    let initial = wires(b, state);
    let mut schedule = wires(b, block);
    if public_block {
        // Padding: both parties know the whole schedule.
        let mut words = *block;
        for t in 16..ROUNDS {
            words[t % 16] = gates::expand(b, &words, t)?;
            schedule.extend(wires(b, &words[t % 16..][..1]));
        }
    }
    let known = schedule.len() / WIDTH - 16;
    let of = [&initial[..], &schedule[..16 * WIDTH]].concat();
    let hinted = b.hints(&of, WIDTH * (COMPUTED - known), move |values| {
        let words: Vec<u32> = values.chunks_exact(WIDTH).map(number).collect();
        let (state, block) = words.split_at(8);
        let computed = evaluate(state, block, &alter);
        computed[known..]
            .iter()
            .flat_map(|word| (0..WIDTH).map(move |i| F2::low_bit((word >> i).into())))
            .collect()
    })?;
    let (expanded, rounds) = hinted.split_at(WIDTH * (EXPANDED - known));
    schedule.extend_from_slice(expanded);
    let (new_e, rounds) = rounds.split_at(WIDTH * ROUNDS);
    let (new_a, result) = rounds.split_at(WIDTH * ROUNDS);
    // In the order in which they are computed: those before round 0 are h, g, f, e and d, c, b, a.
    let before = |places: [usize; 4]| places.map(|i| &initial[WIDTH * i..][..WIDTH]).concat();
    let e = [&before([7, 6, 5, 4])[..], new_e].concat();
    let a = [&before([3, 2, 1, 0])[..], new_a].concat();

    let maps = Maps::new();
    if !public_block {
        for t in (16..ROUNDS).step_by(SIDE_BY_SIDE) {
            assert_schedule(b, &maps, &schedule, t)?;
        }
    }
    for t in (0..ROUNDS).step_by(SIDE_BY_SIDE) {
        assert_rounds(b, &maps, &schedule, &e, &a, t)?;
    }
    // The last words in the order of the chaining value.
    let last = |words: &[B::Wire]| {
        let words = words.chunks_exact(WIDTH).rev().take(4);
        words.flatten().copied().collect::<Vec<_>>()
    };
    let addends = [initial, [last(&a), last(&e)].concat()];
    let addends = addends.map(|wires| Addend { vector: b.vector(&wires), degree: 1 });
    let sum = b.vector(result);
    assert_sum(b, Words { count: 8, width: WIDTH }, addends, false, &sum, "chaining value")?;
    Ok(array::from_fn(|i| Word::new(array::from_fn(|bit| Bit::Wire(result[WIDTH * i + bit])))))
}

/// Demands that words `t` to `t` + 7 of the schedule follow from those before.
fn assert_schedule<B: Polynomials<F = F2>>(
    b: &mut B,
    maps: &Maps,
    schedule: &[B::Wire],
    t: usize,
) -> Result<()> {
    let [sum, middle, first] = [0, 7, 16].map(|by| words_from(b, schedule, t - by));
    let late = xor_of(b, side_by_side(schedule, t - 2), &maps.lower_1);
    let early = xor_of(b, side_by_side(schedule, t - 15), &maps.lower_0);
    let addends = [late, middle, early, first].map(|vector| Addend { vector, degree: 1 });
    assert_sum(b, Maps::WORDS, addends, false, &sum, format_args!("schedule from {t} on"))
}

/// Demands that the words e and a of rounds `t` to `t` + 7 follow from those before. In the lists of these
/// the words of round t are at place t + 4.
fn assert_rounds<B: Polynomials<F = F2>>(
    b: &mut B,
    maps: &Maps,
    schedule: &[B::Wire],
    e: &[B::Wire],
    a: &[B::Wire],
    t: usize,
) -> Result<()> {
    let word = words_from(b, schedule, t);
    let sigma1 = xor_of(b, side_by_side(e, t + 3), &maps.upper_1);
    let sigma0 = xor_of(b, side_by_side(a, t + 3), &maps.upper_0);
    let [h, g, f, e, next_e] = array::from_fn(|i| words_from(b, e, t + i));
    let [d, c, b0, a, next_a] = array::from_fn(|i| words_from(b, a, t + i));
    let constants = Maps::WORDS.lanes(|i, bit| F2::low_bit((ROUND[t + i] >> bit).into()));
    let constants = b.public(&constants);

    // ch = e(f + g) + g
    let either = b.sum(&f, &g);
    let chosen = b.product(&e, &either)?;
    let ch = b.sum(&chosen, &g);
    let addends = [(constants, 0), (d.clone(), 1), (h, 1), (sigma1, 1), (word, 1), (ch, 2)];
    let addends = addends.map(|(vector, degree)| Addend { vector, degree });
    assert_sum(b, Maps::WORDS, addends, false, &next_e, format_args!("e from round {t} on"))?;

    // maj = (a + b)(a + c) + a
    let left = b.sum(&a, &b0);
    let right = b.sum(&a, &c);
    let both = b.product(&left, &right)?;
    let maj = b.sum(&both, &a);
    // -d is the complement of d plus one.
    let one = b.public(&[F2::ONE]);
    let minus_d = b.sum(&d, &one);
    let addends = [(minus_d, 1), (next_e, 1), (sigma0, 1), (maj, 2)];
    let addends = addends.map(|(vector, degree)| Addend { vector, degree });
    assert_sum(b, Maps::WORDS, addends, true, &next_a, format_args!("a from round {t} on"))
}

/// The words of `wires` from number `at` on, as many as run side by side.
fn words_from<B: Polynomials<F = F2>>(b: &mut B, wires: &[B::Wire], at: usize) -> B::Vector {
    b.vector(side_by_side(wires, at))
}

fn side_by_side<W>(wires: &[W], at: usize) -> &[W] {
    &wires[WIDTH * at..][..WIDTH * SIDE_BY_SIDE]
}

/// For each lane another, or none.
type Map = Vec<Option<usize>>;

/// The bits that Σ and σ add, for words side by side.
struct Maps {
    upper_0: [Map; 3],
    upper_1: [Map; 3],
    lower_0: [Map; 3],
    lower_1: [Map; 3],
}

impl Maps {
    const WORDS: Words = Words { count: SIDE_BY_SIDE, width: WIDTH };

    fn new() -> Self {
        let rotation = |by| Self::WORDS.lanes(|word, bit| Some(word * WIDTH + (bit + by) % WIDTH));
        let shift = |by| Self::WORDS.lanes(|word, bit| (bit + by < WIDTH).then(|| word * WIDTH + bit + by));
        let lower = |([x, y], z): ([usize; 2], usize)| [rotation(x), rotation(y), shift(z)];
        Self {
            upper_0: UPPER_0.map(rotation),
            upper_1: UPPER_1.map(rotation),
            lower_0: lower(LOWER_0),
            lower_1: lower(LOWER_1),
        }
    }
}

/// The sum of what `maps` make of `words`: on wires, where sums are cheaper than of vectors.
fn xor_of<B: Polynomials<F = F2>>(b: &mut B, words: &[B::Wire], [x, y, z]: &[Map; 3]) -> B::Vector {
    let mut sums = Vec::with_capacity(words.len());
    for ((x, y), z) in x.iter().zip(y).zip(z) {
        let mut terms = [x, y, z].into_iter().flatten().map(|lane| words[*lane]);
        let first = terms.next().expect("rotations have no gaps");
        sums.push(terms.fold(first, |sum, term| b.add(sum, term)));
    }
    b.vector(&sums)
}

/// The bits of `words` on wires, in order.
fn wires<B: Polynomials<F = F2>>(b: &mut B, words: &[Word32<B::Wire>]) -> Vec<B::Wire> {
    words.iter().flat_map(|word| *word.bits()).map(|bit| bit.wire(b)).collect()
}

fn number(bits: &[F2]) -> u32 {
    bits.iter().rev().fold(0, |number, bit| number << 1 | bit.to_word() as u32)
}

/// The words that a compression computes, where each goes on with what `alter` makes of it.
fn evaluate(state: &[u32], block: &[u32], alter: &impl Fn(usize, u32) -> u32) -> [u32; COMPUTED] {
    let mut computed = [0; COMPUTED];
    let mut set = |number: usize, word| {
        computed[number] = alter(number, word);
        computed[number]
    };
    let upper = |word: u32, by: [usize; 3]| by.iter().fold(0, |sum, &by| sum ^ word.rotate_right(by as u32));
    let lower = |word: u32, (by, shift): ([usize; 2], usize)| {
        by.iter().fold(word >> shift, |sum, &by| sum ^ word.rotate_right(by as u32))
    };
    let sum = |words: &[u32]| words.iter().fold(0, |sum: u32, &word| sum.wrapping_add(word));

    let mut schedule = [0; ROUNDS];
    schedule[..16].copy_from_slice(block);
    for t in 16..ROUNDS {
        let [late, middle, early, first] = [2, 7, 15, 16].map(|by| schedule[t - by]);
        let word = sum(&[lower(late, LOWER_1), middle, lower(early, LOWER_0), first]);
        schedule[t] = set(t - 16, word);
    }
    let mut s: [u32; 8] = array::from_fn(|i| state[i]);
    for t in 0..ROUNDS {
        let [a, b, c, d, e, f, g, h] = s;
        let (ch, maj) = (e & (f ^ g) ^ g, (a ^ b) & (a ^ c) ^ a);
        let next_e = sum(&[d, h, upper(e, UPPER_1), ch, ROUND[t], schedule[t]]);
        let next_e = set(EXPANDED + t, next_e);
        let next_a = sum(&[next_e, upper(a, UPPER_0), maj, d.wrapping_neg()]);
        let next_a = set(EXPANDED + ROUNDS + t, next_a);
        s = [next_a, a, b, c, next_e, e, f, g];
    }
    for i in 0..8 {
        set(EXPANDED + 2 * ROUNDS + i, state[i].wrapping_add(s[i]));
    }
    computed
}
