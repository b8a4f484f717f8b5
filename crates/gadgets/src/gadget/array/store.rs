//! Arrays that are looked at word by word where they are small, and memories where they are not.

use super::Array;
use crate::gadget::{Bit, Word};
use core::fmt::Display;
use volery_channel::error::Result;
use volery_circuit::{Cells, Memories, Put, address_width};
use volery_primitives::F2;

/// Words of N bits that are read and written at secret indices; their number is public. They lie in an
/// [`Array`], or in a memory where their accesses cost less that way.
pub struct Store<B: Memories<F = F2>, const N: usize>(Held<B, N>);

enum Held<B: Memories<F = F2>, const N: usize> {
    Array(Array<B::Wire, N>),
    /// A memory, with the number of its words.
    Memory(B::Memory, usize),
}

/// The bits that an access to a memory commits to beside its word, and the end of an epoch for each word:
/// some 20 bits of its timestamp, and its part of running products.
const BESIDE: u128 = 30;

/// Whether `accesses` accesses to `words` words of `bits` bits cost less in a memory, in a proof system that
/// has a proof for it. Others look at all words each time, in either form.
fn is_large(words: usize, bits: usize, accesses: usize) -> bool {
    let [words, bits, accesses] = [words, bits, accesses].map(|number| number as u128);
    let scanned = accesses * words.saturating_sub(1) * bits;
    (accesses + words) * (bits + BESIDE) < scanned
}

impl<B: Memories<F = F2>, const N: usize> Store<B, N> {
    /// The words of `array`, for about `accesses` accesses. A memory is made outside of functions.
    ///
    /// # Errors
    /// Those of [`Memories::memory`].
    pub fn new(b: &mut B, array: Array<B::Wire, N>, accesses: usize) -> Result<Self> {
        let len = array.len();
        if !is_large(len, N, accesses) {
            return Ok(Self(Held::Array(array)));
        }
        let bits = || array.iter().flat_map(|word| *word.bits());
        let memory = if array.iter().all(Word::is_public) {
            let bits: Vec<F2> = bits().map(|bit| F2::from(matches!(bit, Bit::Public(true)))).collect();
            b.memory(Cells::Public(&bits), N)?
        } else {
            let mut wires = Vec::with_capacity(len * N);
            for bit in bits() {
                wires.push(bit.wire(b));
            }
            b.memory(Cells::Wires(&wires), N)?
        };
        Ok(Self(Held::Memory(memory, len)))
    }

    /// The number of words.
    pub fn len(&self) -> usize {
        match &self.0 {
            Held::Array(array) => array.len(),
            Held::Memory(_, len) => *len,
        }
    }

    /// Whether there are no words.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether it is a memory.
    pub fn is_memory(&self) -> bool {
        matches!(self.0, Held::Memory(..))
    }

    /// The word at `index`, and demands that there is one, under the name `{name}: index below {len}`.
    ///
    /// # Errors
    /// Those of [`Array::read`] and [`Memories::access`].
    pub fn read<const M: usize>(
        &mut self,
        b: &mut B,
        index: &Word<B::Wire, M>,
        name: impl Display,
    ) -> Result<Word<B::Wire, N>> {
        match &mut self.0 {
            Held::Array(array) => array.read(b, index, name),
            Held::Memory(memory, len) => access(b, (memory, *len), index, Put::Same, &name),
        }
    }

    /// Puts `word` at `index`, and demands that there is such a place, under the name
    /// `{name}: index below {len}`.
    ///
    /// # Errors
    /// Those of [`Array::write`] and [`Memories::access`].
    pub fn write<const M: usize>(
        &mut self,
        b: &mut B,
        index: &Word<B::Wire, M>,
        word: &Word<B::Wire, N>,
        name: impl Display,
    ) -> Result<()> {
        self.write_where(b, Bit::Public(true), index, word, name)
    }

    /// Puts `word` at `index` where `enable` is one, and demands that there is such a place even where it is
    /// zero, under the name `{name}: index below {len}`.
    ///
    /// # Errors
    /// Those of [`Array::write`] and [`Memories::access`].
    pub fn write_where<const M: usize>(
        &mut self,
        b: &mut B,
        enable: Bit<B::Wire>,
        index: &Word<B::Wire, M>,
        word: &Word<B::Wire, N>,
        name: impl Display,
    ) -> Result<()> {
        match &mut self.0 {
            Held::Array(array) => {
                array.assert_contains(b, index, name)?;
                array.write_where(b, enable, index, word)
            }
            Held::Memory(memory, len) => {
                let wires = word.bits().map(|bit| bit.wire(b));
                let put = match enable {
                    Bit::Public(true) => Put::Word(&wires[..]),
                    Bit::Public(false) => Put::Same,
                    Bit::Wire(enable) => Put::Where(enable, &wires[..]),
                };
                access::<B, N, M>(b, (memory, *len), index, put, &name).map(drop)
            }
        }
    }

    /// Ends the store. One that is left open is closed when the proof ends.
    ///
    /// # Errors
    /// Those of [`Memories::close`].
    pub fn close(self, b: &mut B) -> Result<()> {
        match self.0 {
            Held::Array(_) => Ok(()),
            Held::Memory(memory, _) => b.close(memory),
        }
    }
}

/// Accesses a memory of `words` words at an index of any width.
fn access<B: Memories<F = F2>, const N: usize, const M: usize>(
    b: &mut B,
    (memory, len): (&mut B::Memory, usize),
    index: &Word<B::Wire, M>,
    put: Put<'_, B::Wire>,
    name: &dyn Display,
) -> Result<Word<B::Wire, N>> {
    let name = format_args!("{name}: index below {len}");
    let bits = address_width::<F2>(len);
    // An index that is too large in its lower bits already is asserted by the access.
    let above = index.bits().get(bits..).unwrap_or_default();
    for bit in above.iter().filter(|bit| !matches!(bit, Bit::Public(false))) {
        let wire = bit.wire(b);
        b.assert_zero(wire, name)?;
    }
    let mut address = Vec::with_capacity(bits);
    for bit in 0..bits {
        let bit = index.bits().get(bit).copied().unwrap_or(Bit::Public(false));
        address.push(bit.wire(b));
    }
    let word = b.access(memory, &address, put, &name)?;
    Ok(Word::new(core::array::from_fn(|i| Bit::Wire(word[i]))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{evaluate, shape};
    use volery_channel::error::Error;
    use volery_primitives::Field;

    /// Indices and words: writes where a bit is one, and reads what is there then.
    fn perform<B: Memories<F = F2>>(
        b: &mut B,
        accesses: usize,
        steps: &[(u128, bool, u128)],
    ) -> Result<bool> {
        let array: Array<_, 9> = (0..70).map(|i| Word::public(300 + i)).collect();
        let mut plain: Vec<u128> = (300..370).collect();
        let mut store = Store::new(b, array, accesses)?;
        assert_eq!((store.len(), store.is_empty()), (70, false));
        let is_memory = store.is_memory();
        let zero = b.hint(&[], |_| F2::ZERO)?;
        for &(index, enable, word) in steps {
            let secret = |b: &mut B, bit: bool| {
                let bit = b.constant(F2::from(bit));
                Bit::Wire(b.add(zero, bit))
            };
            let mut bits = [Bit::Public(false); 11];
            for (i, bit) in bits.iter_mut().enumerate() {
                *bit = secret(b, index >> i & 1 == 1);
            }
            let index_word = Word::new(bits);
            let where_one = secret(b, enable);
            store.write_where(b, where_one, &index_word, &Word::public(word), "words")?;
            // A statement is recorded to the end of a block, even where it has failed.
            let Some(expected) = plain.get_mut(index as usize) else { continue };
            if enable {
                *expected = word;
            }
            let read = store.read(b, &index_word, "words")?;
            read.assert_equal(b, &Word::public(*expected), "what is read")?;
            store.write(b, &Word::<_, 64>::public(3), &Word::public(5), "the fourth")?;
            plain[3] = 5;
        }
        store.close(b)?;
        Ok(is_memory)
    }

    const STEPS: [(u128, bool, u128); 6] =
        [(0, true, 1), (69, false, 2), (69, true, 3), (3, true, 4), (3, false, 9), (64, true, 511)];

    #[test]
    fn both_are_arrays() {
        for (accesses, expected) in [(0, false), (1, false), (18, true), (1000, true)] {
            evaluate([], |b| perform(b, accesses, &STEPS).map(|is_memory| assert_eq!(is_memory, expected)))
                .unwrap();
            for index in [70, 127, 128 + 5, 1024] {
                let outside = evaluate([], |b| perform(b, accesses, &[(index, false, 1)]).map(drop));
                let Err(Error::Unsatisfied(name)) = outside else { panic!("{index}: {outside:?}") };
                assert_eq!(name, "words: index below 70");
            }
        }
    }

    #[test]
    fn small_ones_cost_what_arrays_cost() {
        let array = shape(|b| {
            let array = Array::<_, 8>::witness(b, 9)?;
            let index = Word::<_, 16>::witness(b)?;
            array.read(b, &index, "array").map(drop)
        });
        let store = |len| {
            shape(move |b| {
                let array = Array::<_, 8>::witness(b, len)?;
                let index = Word::<_, 16>::witness(b)?;
                Store::new(b, array, 1)?.read(b, &index, "array").map(drop)
            })
        };
        assert_eq!(store(9), array);
        assert_eq!((store(9).argued.tuples, store(500).argued.tuples), (0, 0));
        assert!(is_large(500, 8, 60) && is_large(1 << 20, 32, 1 << 10) && !is_large(4, 8, 1 << 30));
    }
}
