//! ChaCha20 of secret keys and nonces (RFC 8439 section 2), gate by gate: its gates are sums of words, 31 ANDs each, and
//! fewer where a word is public.
//!
//! A block's number is public, and comes in behind the first sum of the first column. So all that is not behind it in
//! the first two rounds is the same in all blocks of a nonce, and is computed once.

#[cfg(test)]
mod tests;

use super::{Bytes, Word, function_on_words_of_each};
use core::array;
use volery_channel::error::{Error, Result};
use volery_circuit::Backend;
use volery_primitives::F2;

type Word32<W> = Word<W, 32>;

/// The words of a state, row by row (RFC 8439 section 2.3).
type State<W> = [Word32<W>; 16];

/// The words that each state begins with.
const CONSTANTS: [u32; 4] = [0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574];

/// The place of the block's number in a state.
const NUMBER: usize = 12;

/// The places of the words that a round takes together, and those that the next one does (section 2.3).
const COLUMNS: [[usize; 4]; 4] = [[0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15]];
const DIAGONALS: [[usize; 4]; 4] = [[0, 5, 10, 15], [1, 6, 11, 12], [2, 7, 8, 13], [3, 4, 9, 14]];

/// The blocks that are one map: enough for all threads, and so few that what they have in common, which each is given,
/// takes little memory.
const TOGETHER: usize = 1 << 8;

/// ChaCha20 under one key.
#[derive(Clone)]
pub struct ChaCha20<W> {
    key: [Word32<W>; 8],
}

impl<W: Copy> ChaCha20<W> {
    /// ChaCha20 under `key`, 32 bytes: no ANDs.
    ///
    /// # Errors
    /// `Invalid` where the key has another length.
    pub fn new(key: &Bytes<W>) -> Result<Self> {
        Ok(Self { key: words(key, "a key of ChaCha20")? })
    }

    /// The blocks of the key stream for `nonce`, 12 bytes, of these numbers, in their order, 64 bytes each. The first half
    /// of block 0 is the key of a tag, and those from number 1 on encrypt the text (section 2.8).
    ///
    /// 457 ANDs for all of them, and for each 9,942 where its number is odd, one less for each zero that it ends in, and
    /// 9,912 where it is 0. Eight blocks or more are maps ([`Backend::map`]).
    ///
    /// # Errors
    /// `Invalid` where the nonce has another length; those of the backend.
    pub fn blocks<B: Backend<F = F2, Wire = W>>(
        &self,
        b: &mut B,
        nonce: &Bytes<W>,
        numbers: &[u32],
    ) -> Result<Vec<Bytes<W>>> {
        let nonce = words(nonce, "a nonce of ChaCha20")?;
        if numbers.is_empty() {
            return Ok(Vec::new());
        }
        let Common { state, sums } = Common::new(b, &self.key, &nonce)?;
        let mut blocks = Vec::with_capacity(numbers.len());
        for numbers in numbers.chunks(TOGETHER) {
            let inputs = numbers.iter().map(|number| {
                let mut state = state;
                state[NUMBER] = Word::public((*number).into()).xor(b, &state[0]);
                [&state[..], &sums, &self.key, &nonce].concat()
            });
            let inputs: Vec<_> = inputs.collect();
            let mapped =
                function_on_words_of_each(b, "rounds of ChaCha20", inputs.into_iter(), |b, words| {
                    let (state, rest) = words.split_first_chunk().expect("a state");
                    let (sums, rest) = rest.split_first_chunk().expect("two sums");
                    let (key, nonce) = rest.split_first_chunk().expect("a key");
                    rounds(b, *state, sums, key, nonce.first_chunk().expect("a nonce"))
                })?;
            for (mut state, number) in mapped.into_iter().zip(numbers) {
                // Blocks are alike up to here.
                state[NUMBER] = state[NUMBER].add(b, &Word::public((*number).into()))?;
                let bytes = state.iter().flat_map(|word| word.bits().as_chunks::<8>().0.to_vec());
                blocks.push(bytes.map(Word::new).collect());
            }
        }
        Ok(blocks)
    }
}

/// The part of the first two rounds that all blocks of a nonce have in common.
struct Common<W> {
    /// The state behind the first round, but for the first column, of which the first sum alone is there.
    state: State<W>,
    /// The first sums of the second and the third diagonal.
    sums: [Word32<W>; 2],
}

impl<W: Copy> Common<W> {
    fn new<B: Backend<F = F2, Wire = W>>(
        b: &mut B,
        key: &[Word32<W>; 8],
        nonce: &[Word32<W>; 3],
    ) -> Result<Self> {
        let mut state = initial(key, nonce);
        let [first, others @ ..] = COLUMNS;
        state[first[0]] = first_sum(b, &state, first)?;
        others.into_iter().try_for_each(|column| quarter_round(b, &mut state, column))?;
        let [_, second, third, _] = DIAGONALS;
        let sums = [first_sum(b, &state, second)?, first_sum(b, &state, third)?];
        Ok(Self { state, sums })
    }
}

/// All rounds of a block, from what blocks have in common, with the sum of its number and the first word in the number's
/// place; and what is added behind them, but for the number.
fn rounds<B: Backend<F = F2>>(
    b: &mut B,
    mut state: State<B::Wire>,
    sums: &[Word32<B::Wire>; 2],
    key: &[Word32<B::Wire>; 8],
    nonce: &[Word32<B::Wire>; 3],
) -> Result<Vec<Word32<B::Wire>>> {
    state = b.scope(|b| {
        state[NUMBER] = state[NUMBER].xor(b, &state[0]);
        behind_first_sum(b, &mut state, COLUMNS[0])?;
        let [first, second, third, last] = DIAGONALS;
        quarter_round(b, &mut state, first)?;
        for (places, sum) in [second, third].into_iter().zip(sums) {
            state[places[0]] = *sum;
            behind_first_sum(b, &mut state, places)?;
        }
        quarter_round(b, &mut state, last)?;
        Ok(state)
    })?;
    for _ in 1..10 {
        state = b.scope(|b| {
            let all = COLUMNS.into_iter().chain(DIAGONALS);
            all.into_iter().try_for_each(|places| quarter_round(b, &mut state, places))?;
            Ok(state)
        })?;
    }
    state.iter().zip(&initial(key, nonce)).map(|(word, begin)| word.add(b, begin)).collect()
}

/// The state before all rounds, of block 0.
fn initial<W: Copy>(key: &[Word32<W>; 8], nonce: &[Word32<W>; 3]) -> State<W> {
    let constants = CONSTANTS.map(|constant| Word::public(constant.into()));
    let words = [&constants[..], key, &[Word::public(0)], nonce].concat();
    *words.first_chunk().expect("16 words")
}

/// The quarter round of the words at `places` (section 2.1): four sums.
fn quarter_round<B: Backend<F = F2>>(
    b: &mut B,
    state: &mut State<B::Wire>,
    places: [usize; 4],
) -> Result<()> {
    state[places[0]] = first_sum(b, state, places)?;
    behind_first_sum(b, state, places)
}

/// The sum that a quarter round begins with.
fn first_sum<B: Backend<F = F2>>(
    b: &mut B,
    state: &State<B::Wire>,
    [x, y, ..]: [usize; 4],
) -> Result<Word32<B::Wire>> {
    state[x].add(b, &state[y])
}

/// A quarter round from behind its first sum.
fn behind_first_sum<B: Backend<F = F2>>(
    b: &mut B,
    state: &mut State<B::Wire>,
    [x, y, z, last]: [usize; 4],
) -> Result<()> {
    state[last] = state[last].xor(b, &state[x]).rotate_left(16);
    state[z] = state[z].add(b, &state[last])?;
    state[y] = state[y].xor(b, &state[z]).rotate_left(12);
    state[x] = state[x].add(b, &state[y])?;
    state[last] = state[last].xor(b, &state[x]).rotate_left(8);
    state[z] = state[z].add(b, &state[last])?;
    state[y] = state[y].xor(b, &state[z]).rotate_left(7);
    Ok(())
}

/// The words of a string, each from its lowest byte; `what` it is.
fn words<W: Copy, const N: usize>(bytes: &Bytes<W>, what: &str) -> Result<[Word32<W>; N]> {
    let length = bytes.len();
    if length != 4 * N {
        return Err(Error::invalid(format!("{what} has {} bytes, and not {length}", 4 * N)));
    }
    Ok(array::from_fn(|word| Word::new(array::from_fn(|i| bytes.byte(4 * word + i / 8).bits()[i % 8]))))
}
