//! SHA-256 over a prime field: bits are elements that are zero or one, and sums of words linear.
//!
//! The prover commits, for each block, to the bits of the message's words, of the other words of the schedule, of e and a
//! in each round and of the chaining value behind it, each with the bits of what it goes beyond 2^32. What is asserted
//! depends on these alone, so that all rounds of all blocks are lanes of one map, and words of the schedule of another:
//!
//! | word | and so many bits beyond | is the sum of | degree |
//! |---|---|---|---|
//! | W_t | 2 | σ₁(W_{t-2}), W_{t-7}, σ₀(W_{t-15}), W_{t-16} | 3 |
//! | e | 3 | d, h, Σ₁(e), ch(e, f, g), K_t, W_t | 3 |
//! | a | 3 | the same without d, Σ₀(a), maj(a, b, c) | 3 |
//! | the chaining value | 1 | a word of the one before, one of the last round | 1 |
//!
//! With bits x, y, z: xor(x, y) = x·(1 − 2y) + y; ch = z + x·(y − z); maj = yz + x·xor(y, z), where yz is half of
//! y + z − xor(y, z).
//!
//! **Nothing wraps**: both sides of a sum are integers below 2^36, and the field has a larger prime; so they are equal
//! as integers, and a word with what is beyond it has one sequence of bits. Each committed bit is asserted to be one.
//! A block takes 6,888 elements.

use super::{INITIAL, LOWER_0, LOWER_1, ROUND, UPPER_0, UPPER_1};
use core::fmt::Display;
use core::ops::Range;
use core::{array, iter};
use volery_channel::error::{Error, Result};
use volery_circuit::{Polynomials, Returned, prime_field};
use volery_primitives::{Field, U256};
use zeroize::Zeroizing;

/// Bits of a word.
const WIDTH: usize = 32;
/// Bytes of a block.
const BLOCK: usize = 64;
/// Words of a block, and rounds.
const WORDS: usize = 16;
const ROUNDS: usize = ROUND.len();

/// Words that are committed to together, for each block: how many, and the bits that each is beyond 2^32.
struct Group {
    words: usize,
    beyond: usize,
    /// The bits of a block's words before these.
    before: usize,
}

impl Group {
    const fn behind(before: &Self, words: usize, beyond: usize) -> Self {
        Self { words, beyond, before: before.before + before.words * (WIDTH + before.beyond) }
    }
}

const MESSAGE: Group = Group { words: WORDS, beyond: 0, before: 0 };
const SCHEDULE: Group = Group::behind(&MESSAGE, ROUNDS - WORDS, 2);
const OF_E: Group = Group::behind(&SCHEDULE, ROUNDS, 3);
const OF_A: Group = Group::behind(&OF_E, ROUNDS, 3);
const CHAINING: Group = Group::behind(&OF_A, 8, 1);

/// Bits of a block's words.
const COMMITTED: usize = Group::behind(&CHAINING, 0, 0).before;

/// Blocks that are hinted, and asserted, together.
const TOGETHER: usize = 16;

/// Lanes of a vector that is no map's.
const VECTOR: usize = 1 << 12;

/// The SHA-256 digest of a message of bytes, each an element that is an integer from 0 to 255, as bytes likewise. That the
/// message's are bytes is asserted.
///
/// # Errors
/// `Invalid` over a field that is not of a prime above 2^37; else those of `b`.
pub fn sha256_of_elements<B: Polynomials>(
    b: &mut B,
    message: &[B::Wire],
    name: impl Display,
) -> Result<Vec<B::Wire>> {
    if prime_field::<B::F>()? < U256::from(1_u64 << 37) {
        return Err(Error::invalid(format!(
            "SHA-256 of elements over {}: take a field of a prime above 2^37",
            B::F::name()
        )));
    }
    let bits = 8 * message.len() as u64;
    let zeroes = BLOCK - 1 - (message.len() + 8) % BLOCK;
    let padding = [&[0x80][..], &vec![0; zeroes], &bits.to_be_bytes()].concat();
    let mut message = message.to_vec();
    message.extend(padding.into_iter().map(|byte| b.constant(number(byte.into()))));
    let mut chaining: Vec<_> = INITIAL
        .iter()
        .flat_map(|word| (0..WIDTH).map(move |i| word >> i & 1))
        .map(|bit| b.constant(number(bit.into())))
        .collect();
    for blocks in message.chunks(BLOCK * TOGETHER) {
        let key = format!("{} blocks of sha256 over elements", blocks.len() / BLOCK);
        b.open_scope();
        let behind = b.call(key.as_bytes(), &[&chaining, blocks].concat(), |b, given| {
            let (chaining, blocks) = given.split_at(8 * WIDTH);
            Ok(Returned { wires: compress(b, chaining, blocks, &name)?, public: Vec::new() })
        })?;
        chaining = behind.wires;
        b.close_scope(&chaining);
    }
    // From the highest byte of the first word on.
    let bytes = chaining.chunks_exact(WIDTH).flat_map(|word| word.chunks_exact(8).rev());
    let places: Vec<_> = (0..8).map(B::F::place).collect();
    Ok(bytes.map(|bits| b.linear(&places, bits)).collect())
}

/// An integer below 2^37.
fn number<F: Field>(integer: u64) -> F {
    F::from_word(integer.into()).expect("an integer below the prime")
}

/// Asserts what a chaining value and some blocks of bytes make: the bits of the chaining value behind them.
fn compress<B: Polynomials>(
    b: &mut B,
    chaining: &[B::Wire],
    blocks: &[B::Wire],
    name: &dyn Display,
) -> Result<Vec<B::Wire>> {
    let lanes = blocks.len() / BLOCK;
    let committed = b.hints(&[chaining, blocks].concat(), COMMITTED * lanes, fill::<B::F>)?;
    let made = |group| Words::of(&committed, &group, lanes);
    let [message, schedule, e, a, ended] = [MESSAGE, SCHEDULE, OF_E, OF_A, CHAINING].map(made);
    assert_bits(b, message.bits.iter().chain(&ended.bits), name)?;
    assert_bytes(b, blocks, &message, name)?;

    let words = message.then(&schedule);
    let before = words.values(b);
    let all = WORDS * lanes..ROUNDS * lanes;
    let back = |by: usize| all.start - by * lanes..all.end - by * lanes;
    let mut columns = Vec::new();
    [2, 15].iter().for_each(|by| words.push(&mut columns, 0..WIDTH, back(*by)));
    [7, 16, 0].iter().for_each(|by| columns.extend_from_slice(&before[back(*by)]));
    words.push(&mut columns, 0..WIDTH, all.clone());
    schedule.push(&mut columns, WIDTH..WIDTH + SCHEDULE.beyond, 0..all.len());
    map(b, b"word of the schedule of sha256", all.len(), (&columns, name), |lane, of| lane.schedule(of))?;

    // The chaining value of a block is what the one before it has made: d, c, b, a, and h, g, f, e before the first round.
    let chained = Words::chained(chaining, &ended, lanes);
    let (of_a, of_e) = (chained.reversed(0..4, lanes).then(&a), chained.reversed(4..8, lanes).then(&e));
    let [value_a, value_e] = [&of_a, &of_e].map(|words| words.values(b));
    let rounds = ROUNDS * lanes;
    let at = |round: usize| round * lanes..round * lanes + rounds;
    let mut columns = Vec::new();
    for words in [&of_a, &of_e] {
        [3, 2, 1].iter().for_each(|round| words.push(&mut columns, 0..WIDTH, at(*round)));
    }
    let values = [(&value_a, 2), (&value_a, 1), (&value_a, 0), (&value_a, 4)];
    let values = values.into_iter().chain([(&value_e, 1), (&value_e, 0), (&value_e, 4), (&before, 0)]);
    values.for_each(|(words, round)| columns.extend_from_slice(&words[at(round)]));
    for constant in ROUND {
        let constant = b.constant(number(constant.into()));
        columns.extend(iter::repeat_n(constant, lanes));
    }
    [&a, &e].iter().for_each(|words| words.push(&mut columns, 0..WIDTH + OF_A.beyond, 0..rounds));
    map(b, b"round of sha256", rounds, (&columns, name), |lane, of| lane.round(of))?;

    // What the last rounds have made, and what was there before, with what is beyond.
    let last = |words: &[B::Wire]| -> Vec<B::Wire> {
        (0..4).flat_map(|i| words[(ROUNDS + 3 - i) * lanes..][..lanes].to_vec()).collect()
    };
    let last = [last(&value_a), last(&value_e)].concat();
    let [before, behind] = [&chained, &ended].map(|words| words.values(b));
    let one = B::F::ONE;
    let factors = [one, one, -one, -B::F::place(WIDTH as u32)];
    let differences = b.linear_rows(&factors, &[&before, &last, &behind, &ended.bits[WIDTH]]);
    assert_all_zero(b, &differences, format_args!("{name}: a chaining value"))?;
    let last = |word: usize| (0..WIDTH).map(move |bit| (word, bit));
    Ok((0..8).flat_map(last).map(|(word, bit)| ended.bits[bit][(word + 1) * lanes - 1]).collect())
}

/// Calls a function of polynomials on each of some lanes.
fn map<B: Polynomials>(
    b: &mut B,
    key: &[u8],
    lanes: usize,
    (columns, name): (&[B::Wire], &dyn Display),
    function: impl Fn(&mut Engine<'_, B>, &[B::Vector]) -> Result<()>,
) -> Result<()> {
    b.map(key, lanes, columns, |b, lane, wires| {
        let vectors: Vec<_> = wires.iter().map(|wire| b.vector(&[*wire])).collect();
        let name = format!("{name}, lane {lane}");
        function(&mut Engine { b, name: &name }, &vectors)?;
        Ok(Returned::default())
    })?;
    Ok(())
}

fn assert_all_zero<B: Polynomials>(b: &mut B, wires: &[B::Wire], name: impl Display) -> Result<()> {
    for wires in wires.chunks(VECTOR) {
        let vector = b.vector(wires);
        b.assert_zeroes(vector, &name)?;
    }
    Ok(())
}

/// Asserts that each wire carries zero or one.
fn assert_bits<'w, B: Polynomials<Wire: 'w>>(
    b: &mut B,
    columns: impl Iterator<Item = &'w Vec<B::Wire>>,
    name: &dyn Display,
) -> Result<()> {
    for bits in columns.flat_map(|bits| bits.chunks(VECTOR)) {
        let bits = b.vector(bits);
        let zero = b.combination(&[(&bits, &bits)], &[(-B::F::ONE, &bits)], B::F::ZERO)?;
        b.assert_zeroes(zero, format_args!("{name}: a bit"))?;
    }
    Ok(())
}

/// Asserts that the words of a message are those of its bytes.
fn assert_bytes<B: Polynomials>(
    b: &mut B,
    blocks: &[B::Wire],
    message: &Words<B::Wire>,
    name: &dyn Display,
) -> Result<()> {
    let lanes = blocks.len() / BLOCK;
    let factors: Vec<_> = (0..8).map(B::F::place).chain([-B::F::ONE]).collect();
    for place in 0..4 {
        // In the order of words: those of the first word of each block first.
        let bytes: Vec<_> = (0..WORDS)
            .flat_map(|word| blocks[4 * word + 3 - place..].iter().step_by(BLOCK).copied())
            .collect();
        debug_assert_eq!(bytes.len(), WORDS * lanes);
        let bits = message.bits[8 * place..][..8].iter();
        let columns: Vec<_> = bits.chain([&bytes]).map(|column| &column[..]).collect();
        let differences = b.linear_rows(&factors, &columns);
        assert_all_zero(b, &differences, format_args!("{name}: a byte"))?;
    }
    Ok(())
}

/// Words of each block: for each bit, those of the first word of all blocks, then those of the second, and so on.
struct Words<W> {
    bits: Vec<Vec<W>>,
}

impl<W: Copy> Words<W> {
    /// The words of a group.
    fn of(committed: &[W], &Group { words, beyond, before }: &Group, lanes: usize) -> Self {
        let bits =
            committed[before * lanes..][..words * (WIDTH + beyond) * lanes].chunks_exact(words * lanes);
        Self { bits: bits.map(<[W]>::to_vec).collect() }
    }

    /// The chaining values before blocks: the first is given, and behind it come those that blocks have made.
    fn chained(first: &[W], ended: &Self, lanes: usize) -> Self {
        let bit = |i: usize| {
            let word = |word: usize| {
                iter::once(first[word * WIDTH + i])
                    .chain(ended.bits[i][word * lanes..][..lanes - 1].iter().copied())
            };
            (0..8).flat_map(word).collect()
        };
        Self { bits: (0..WIDTH).map(bit).collect() }
    }

    /// Some of the words, the last one first.
    fn reversed(&self, words: Range<usize>, lanes: usize) -> Self {
        let of = |bits: &Vec<W>| {
            words.clone().rev().flat_map(|word| bits[word * lanes..][..lanes].to_vec()).collect()
        };
        Self { bits: self.bits.iter().map(of).collect() }
    }

    /// The words of both, those of `others` behind, without what is beyond.
    fn then(&self, others: &Self) -> Self {
        let both = self.bits.iter().zip(&others.bits).take(WIDTH);
        Self { bits: both.map(|(these, others)| [&these[..], others].concat()).collect() }
    }

    /// Adds columns of these bits, of some words of blocks.
    fn push(&self, columns: &mut Vec<W>, bits: Range<usize>, words: Range<usize>) {
        bits.for_each(|bit| columns.extend_from_slice(&self.bits[bit][words.clone()]));
    }

    /// The integers that the words are, without what is beyond.
    fn values<B: Polynomials<Wire = W>>(&self, b: &mut B) -> Vec<W> {
        let places: Vec<_> = (0..WIDTH as u32).map(B::F::place).collect();
        let columns: Vec<_> = self.bits[..WIDTH].iter().map(|bits| &bits[..]).collect();
        b.linear_rows(&places, &columns)
    }
}

/// The bits that a prover commits to for a chaining value, in bits, and blocks, in bytes, as [`Words`] of each group.
fn fill<F: Field>(given: &[F]) -> Vec<F> {
    // Where the prover is not honest they are no bits and bytes.
    let low = |element: &F| element.to_integer().low() as u32;
    let (chaining, blocks) = given.split_at(8 * WIDTH);
    let lanes = blocks.len() / BLOCK;
    let bits = |word: usize| (0..WIDTH).fold(0, |all, i| all | (low(&chaining[word * WIDTH + i]) & 1) << i);
    let mut chaining: Zeroizing<[u32; 8]> = Zeroizing::new(array::from_fn(bits));
    let mut committed = vec![F::ZERO; COMMITTED * lanes];
    for (lane, block) in blocks.chunks_exact(BLOCK).enumerate() {
        let mut put = |&Group { words, beyond, before }: &Group, place: usize, word: u64| {
            for i in 0..WIDTH + beyond {
                committed[(before + i * words + place) * lanes + lane] = number(word >> i & 1);
            }
            word as u32
        };
        let mut words = Zeroizing::new([0_u32; ROUNDS]);
        for (t, bytes) in block.chunks_exact(4).enumerate() {
            let word = bytes.iter().fold(0, |word, byte| word << 8 | u64::from(low(byte) & 0xff));
            words[t] = put(&MESSAGE, t, word);
        }
        for t in WORDS..ROUNDS {
            let sigma = |word: u32, ([r, s], shift): ([usize; 2], usize)| {
                word.rotate_right(r as u32) ^ word.rotate_right(s as u32) ^ word >> shift
            };
            let terms =
                [sigma(words[t - 2], LOWER_1), words[t - 7], sigma(words[t - 15], LOWER_0), words[t - 16]];
            words[t] = put(&SCHEDULE, t - WORDS, terms.iter().map(|term| u64::from(*term)).sum());
        }
        let mut state = chaining.clone();
        for (t, (word, constant)) in words.iter().zip(ROUND).enumerate() {
            let [a, b, c, d, e, f, g, h] = *state;
            let upper =
                |word: u32, by: [usize; 3]| by.iter().fold(0, |sum, by| sum ^ word.rotate_right(*by as u32));
            let of_both = [h, upper(e, UPPER_1), e & f ^ !e & g, constant, *word];
            let of_both: u64 = of_both.iter().map(|term| u64::from(*term)).sum();
            let of_a = u64::from(upper(a, UPPER_0)) + u64::from(a & b ^ a & c ^ b & c);
            let next_e = put(&OF_E, t, of_both + u64::from(d));
            *state = [put(&OF_A, t, of_both + of_a), a, b, c, next_e, e, f, g];
        }
        for (i, (word, state)) in chaining.iter_mut().zip(*state).enumerate() {
            *word = put(&CHAINING, i, u64::from(*word) + u64::from(state));
        }
    }
    committed
}

/// The polynomials of one lane.
struct Engine<'b, B> {
    b: &'b mut B,
    name: &'b dyn Display,
}

impl<B: Polynomials> Engine<'_, B> {
    /// A word of the schedule: the bits of W_{t-2} and W_{t-15}, W_{t-7}, W_{t-16}, and W_t with its bits.
    fn schedule(&mut self, of: &[B::Vector]) -> Result<()> {
        let (two, rest) = of.split_at(WIDTH);
        let (fifteen, rest) = rest.split_at(WIDTH);
        let ([seven, sixteen, word], bits) = rest.split_first_chunk().expect("three words");
        let upper = self.xors(two, LOWER_1.0, (LOWER_1.1, false))?;
        let lower = self.xors(fifteen, LOWER_0.0, (LOWER_0.1, false))?;
        self.bits(bits)?;
        self.sum(&[&upper, seven, &lower, sixteen], word, &bits[WIDTH..])
    }

    /// A round: the bits of a, b, c, e, f and g, the words b, c, d, the next a, g, h, the next e, W and K, and the bits
    /// of the next a and e.
    fn round(&mut self, of: &[B::Vector]) -> Result<()> {
        let (words, rest) = of.split_at(6 * WIDTH);
        let [a, b, c, e, f, g] = array::from_fn(|i| &words[i * WIDTH..][..WIDTH]);
        let ([of_b, of_c, d, next_a, of_g, h, next_e, word, constant], bits) =
            rest.split_first_chunk().expect("nine words");
        let (bits_a, bits_e) = bits.split_at(WIDTH + OF_A.beyond);
        let rotated = self.xors(e, [UPPER_1[0], UPPER_1[1]], (UPPER_1[2], true))?;
        let chosen = self.choice(e, f, (g, of_g))?;
        let terms = [h, &rotated, &chosen, word, constant].map(|term| (B::F::ONE, term));
        let of_both = self.b.combination(&[], &terms, B::F::ZERO)?;
        self.bits(bits)?;
        self.sum(&[&of_both, d], next_e, &bits_e[WIDTH..])?;
        let rotated = self.xors(a, [UPPER_0[0], UPPER_0[1]], (UPPER_0[2], true))?;
        let majority = self.majority(a, (b, of_b), (c, of_c))?;
        self.sum(&[&of_both, &rotated, &majority], next_a, &bits_a[WIDTH..])
    }

    /// Asserts that bits are such.
    fn bits(&mut self, bits: &[B::Vector]) -> Result<()> {
        for bit in bits {
            let zero = self.b.combination(&[(bit, bit)], &[(-B::F::ONE, bit)], B::F::ZERO)?;
            self.b.assert_zeroes(zero, format_args!("{}: a bit", self.name))?;
        }
        Ok(())
    }

    /// Asserts that a word with the bits beyond it is a sum.
    fn sum(&mut self, terms: &[&B::Vector], word: &B::Vector, beyond: &[B::Vector]) -> Result<()> {
        let one = B::F::ONE;
        let terms = terms.iter().map(|term| (one, *term)).chain([(-one, word)]);
        let beyond = (WIDTH as u32..).zip(beyond).map(|(i, bit)| (-B::F::place(i), bit));
        let zero = self.b.combination(&[], &terms.chain(beyond).collect::<Vec<_>>(), B::F::ZERO)?;
        self.b.assert_zeroes(zero, format_args!("{}: a sum", self.name))
    }

    /// 2^i·xor(x, y).
    fn xor(&mut self, i: usize, x: &B::Vector, y: &B::Vector) -> Result<B::Vector> {
        let place = B::F::place(i as u32);
        let scaled = self.b.combination(&[], &[(-place - place, y)], place)?;
        self.b.combination(&[(x, &scaled)], &[(place, y)], B::F::ZERO)
    }

    /// The word that is the xor of a word rotated by each of two numbers, and by a third, or shifted by that.
    fn xors(&mut self, bits: &[B::Vector], by: [usize; 2], third: (usize, bool)) -> Result<B::Vector> {
        let (shift, rotates) = third;
        let at = |i: usize, by: usize| (i + by) % WIDTH;
        let (mut two, mut signs) = (Vec::with_capacity(WIDTH), Vec::with_capacity(WIDTH));
        let minus_two = -(B::F::ONE + B::F::ONE);
        for i in 0..WIDTH {
            let [x, y] = by.map(|by| &bits[at(i, by)]);
            two.push(self.xor(i, x, y)?);
            signs.push(self.b.combination(&[], &[(minus_two, &bits[at(i, shift)])], B::F::ONE)?);
        }
        let (mut products, mut terms) = (Vec::with_capacity(WIDTH), Vec::with_capacity(WIDTH));
        for (i, (two, sign)) in two.iter().zip(&signs).enumerate() {
            if rotates || i + shift < WIDTH {
                products.push((two, sign));
                terms.push((B::F::place(i as u32), &bits[at(i, shift)]));
            } else {
                terms.push((B::F::ONE, two));
            }
        }
        self.b.combination(&products, &terms, B::F::ZERO)
    }

    /// The word of the bits of y where those of x are one, and of z elsewhere.
    fn choice(
        &mut self,
        x: &[B::Vector],
        y: &[B::Vector],
        (z, of_z): (&[B::Vector], &B::Vector),
    ) -> Result<B::Vector> {
        let mut differences = Vec::with_capacity(WIDTH);
        for (i, (y, z)) in (0..).zip(y.iter().zip(z)) {
            let place = B::F::place(i);
            differences.push(self.b.combination(&[], &[(place, y), (-place, z)], B::F::ZERO)?);
        }
        let products: Vec<_> = x.iter().zip(&differences).collect();
        self.b.combination(&products, &[(B::F::ONE, of_z)], B::F::ZERO)
    }

    /// The word of the bits that two of three words have.
    fn majority(
        &mut self,
        x: &[B::Vector],
        (y, of_y): (&[B::Vector], &B::Vector),
        (z, of_z): (&[B::Vector], &B::Vector),
    ) -> Result<B::Vector> {
        let mut xors = Vec::with_capacity(WIDTH);
        for i in 0..WIDTH {
            xors.push(self.xor(i, &y[i], &z[i])?);
        }
        let half = (B::F::ONE + B::F::ONE).invert();
        let products: Vec<_> = x.iter().zip(&xors).collect();
        let terms = xors.iter().map(|xor| (-half, xor)).chain([(half, of_y), (half, of_z)]);
        self.b.combination(&products, &terms.collect::<Vec<_>>(), B::F::ZERO)
    }
}
