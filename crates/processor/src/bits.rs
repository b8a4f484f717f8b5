//! Words in a circuit over F_2: what both parties know is a number, and everything else 32 bits, of which
//! some may be known still.
//!
//! An operation on numbers costs nothing. One with a secret operand is the gadget for it: bits that are known
//! fold, by what both parties know alone. Additions and what is larger are functions of the recorder, so that
//! their gates are recorded once for each pattern of known bits.
//!
//! Wires are `Copy` and words move freely among registers and memory, so nobody knows when one dies. Secret
//! words lie in an arena, a word is the number of its place there, and once so many have been made the
//! machine tells which live: wires that no living word has are forgotten. So memory is what the program
//! keeps, twice at most, whatever the length of the run.

mod arithmetic;

use crate::decode::{Alu, Condition, Sign, Width};
use crate::words::{Each, Words, plain};
use core::array;
use volery::circuit::Backend;
use volery::circuit::gadget::{Bit, Word};
use volery::circuit::stream::{Handle, Recorder};
use volery::{Error, F2, Result};

/// 32 bits, least significant first.
pub(crate) type Wide = Word<Handle, 32>;

/// A word: a number that both parties know, or the place of a secret one.
#[derive(Clone, Copy, Debug)]
pub enum Value {
    /// Known to both.
    Public(u32),
    /// Known to the prover alone.
    Secret(u32),
}

/// Words on wires that are recorded.
pub struct Bits<'b, 'r> {
    backend: &'b mut Recorder<'r, F2>,
    arena: Vec<Option<Wide>>,
    /// Places of the arena that are free.
    free: Vec<u32>,
    /// Words that may be made until the next look at which live.
    room: usize,
    private_left: usize,
    /// What is to be given out.
    expected: &'b [u8],
}

/// So many words are made between two looks at which live, or as many as live.
const ROOM: usize = 2048;

impl<'b, 'r> Bits<'b, 'r> {
    /// Words of a run that takes `private` bytes of private input, and gives out `expected`.
    pub fn new(backend: &'b mut Recorder<'r, F2>, private: usize, expected: &'b [u8]) -> Self {
        Self { backend, arena: Vec::new(), free: Vec::new(), room: ROOM, private_left: private, expected }
    }

    /// Asserts that `word` is `expected`, as what `name` says.
    ///
    /// # Errors
    /// Those of the backend.
    pub fn assert_equal(&mut self, word: Value, expected: u32, name: &str) -> Result<()> {
        let word = self.wide(word);
        self.backend.scope(|b| word.assert_equal(b, &Wide::public(expected.into()), name))
    }

    /// Takes what is left of the private input.
    ///
    /// # Errors
    /// Those of the backend.
    pub fn take_rest(&mut self) -> Result<()> {
        for _ in 0..8 * core::mem::take(&mut self.private_left) {
            self.backend.scope(|b| b.witness().map(drop))?;
        }
        Ok(())
    }

    /// The bits of `word`.
    #[inline]
    fn wide(&self, word: Value) -> Wide {
        match word {
            Value::Public(value) => Wide::public(value.into()),
            Value::Secret(place) => self.arena[place as usize].expect("a word that lives"),
        }
    }

    /// What stands for these bits.
    #[inline]
    fn keep(&mut self, word: Wide) -> Value {
        if let Some(value) = known(word.bits()) {
            return Value::Public(value);
        }
        self.room = self.room.saturating_sub(1);
        match self.free.pop() {
            Some(place) => {
                self.arena[place as usize] = Some(word);
                Value::Secret(place)
            }
            None => {
                self.arena.push(Some(word));
                Value::Secret(
                    u32::try_from(self.arena.len() - 1).expect("fewer words than there are addresses"),
                )
            }
        }
    }
}

/// The number that `bits` are, least significant first, if both parties know it.
fn known(bits: &[Bit<Handle>]) -> Option<u32> {
    bits.iter().rev().try_fold(0, |value, bit| match bit {
        Bit::Public(bit) => Some(value << 1 | u32::from(*bit)),
        Bit::Wire(_) => None,
    })
}

impl Words for Bits<'_, '_> {
    type Word = Value;

    #[inline]
    fn public(&mut self, value: u32) -> Value {
        Value::Public(value)
    }

    #[inline]
    fn value(&self, word: Value) -> Option<u32> {
        match word {
            Value::Public(value) => Some(value),
            Value::Secret(_) => None,
        }
    }

    #[inline]
    fn alu(&mut self, alu: Alu, a: Value, b: Value) -> Result<Value> {
        if let (Value::Public(a), Value::Public(b)) = (a, b) {
            return Ok(Value::Public(plain::alu(alu, a, b)));
        }
        let (a, b) = (self.wide(a), self.wide(b));
        let word = arithmetic::alu(self.backend, alu, a, b)?;
        Ok(self.keep(word))
    }

    fn holds(&mut self, condition: Condition, a: Value, b: Value) -> Option<bool> {
        if let (Value::Public(a), Value::Public(b)) = (a, b) {
            return Some(plain::holds(condition, a, b));
        }
        // It may be known whatever the secret bits are, as that a byte is below 256.
        arithmetic::holds(condition, &self.wide(a), &self.wide(b))
    }

    fn part(&mut self, word: Value, at: u32, width: Width, sign: Sign) -> Value {
        if let Value::Public(word) = word {
            return Value::Public(plain::part(word, at, width, sign));
        }
        let bits = *self.wide(word).bits();
        let (from, length) = (8 * at as usize, 8 * width.bytes() as usize);
        let above = match sign {
            Sign::Signed => bits[from + length - 1],
            Sign::Unsigned => Bit::Public(false),
        };
        self.keep(Wide::new(array::from_fn(|i| if i < length { bits[from + i] } else { above })))
    }

    fn with_part(&mut self, word: Value, at: u32, width: Width, part: Value) -> Value {
        if let (Value::Public(word), Value::Public(part)) = (word, part) {
            return Value::Public(plain::with_part(word, at, width, part));
        }
        let (word, part) = (*self.wide(word).bits(), *self.wide(part).bits());
        let from = 8 * at as usize;
        let taken = from..from + 8 * width.bytes() as usize;
        self.keep(Wide::new(array::from_fn(|i| if taken.contains(&i) { part[i - from] } else { word[i] })))
    }

    fn private_left(&self) -> usize {
        self.private_left
    }

    fn private(&mut self, width: Width) -> Result<Value> {
        self.private_left -= width.bytes() as usize;
        let mut bits = [Bit::Public(false); 32];
        for bit in &mut bits[..8 * width.bytes() as usize] {
            *bit = Bit::witness(self.backend)?;
        }
        Ok(self.keep(Wide::new(bits)))
    }

    fn output(&mut self, word: Value, width: Width, before: usize) -> Result<()> {
        let end = before + width.bytes() as usize;
        let expected = self.expected.get(before..end);
        let expected = expected
            .ok_or_else(|| Error::Unsatisfied(format!("an output of {} bytes", self.expected.len())))?;
        let word = self.wide(word);
        self.backend.scope(|b| {
            for (i, byte) in expected.iter().enumerate() {
                for (j, bit) in word.bits()[8 * i..8 * i + 8].iter().enumerate() {
                    let expected = Bit::Public(byte >> j & 1 == 1);
                    bit.assert_equal(b, expected, format_args!("byte {} of the output", before + i))?;
                }
            }
            Ok(())
        })
    }

    #[inline]
    fn crowded(&self) -> bool {
        self.room == 0
    }

    fn collect(&mut self, each: &Each<'_, Value>) {
        let mut lives = vec![false; self.arena.len()];
        each(&mut |word| {
            if let Value::Secret(place) = word {
                lives[place as usize] = true;
            }
        });
        // Words share wires, as the parts of one do.
        let mut held = Vec::<bool>::new();
        let living = self.arena.iter().zip(&lives).filter(|(_, lives)| **lives);
        for wire in living.clone().filter_map(|(word, _)| word.as_ref()).flat_map(wires) {
            let slot = wire.slot() as usize;
            if slot >= held.len() {
                held.resize(2 * slot + 64, false);
            }
            held[slot] = true;
        }
        let mut forgotten = Vec::new();
        for (place, lives) in lives.iter().enumerate().rev() {
            if *lives {
                continue;
            }
            if let Some(word) = self.arena[place].take() {
                self.free.push(place as u32);
                for wire in wires(&word) {
                    if !held.get(wire.slot() as usize).copied().unwrap_or(false) {
                        forgotten.push(wire);
                    }
                }
            }
        }
        self.backend.forget(&forgotten);
        let living = self.arena.len() - self.free.len();
        self.room = living.max(ROOM);
    }
}

fn wires(word: &Wide) -> impl Iterator<Item = Handle> {
    word.bits().iter().filter_map(|bit| match bit {
        Bit::Wire(wire) => Some(*wire),
        Bit::Public(_) => None,
    })
}
