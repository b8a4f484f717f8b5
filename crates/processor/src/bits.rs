//! Words in a circuit over F_2: what both parties know is a number, and everything else 32 bits, of which
//! some may be known still.
//!
//! An operation on numbers costs nothing. In one with a secret operand bits that are known fold, by what both
//! parties know alone. Sums over F_2, products of bits and shifts are gates, or none; additions and what is
//! larger are the gadgets for them, as functions of the recorder, so that their gates are recorded once for each
//! pattern of known bits.
//!
//! Wires are `Copy` and words move freely among registers and memory, so nobody knows when one dies. Secret
//! words lie in an arena, a word is the number of its place there, and once so many have been made the
//! machine tells which live: wires that no living word has are forgotten. So memory is what the program
//! keeps, twice at most, whatever the length of the run.

mod arithmetic;
mod secret;

use crate::decode::{Alu, Condition, Sign, Width};
use crate::words::{Each, Words, plain};
pub use arithmetic::MOST_ANDS;
use secret::Secret;
use volery::circuit::gadget::{Bit, Word};
use volery::circuit::stream::{Handle, Recorder};
use volery::circuit::{Backend, Wires as _};
use volery::{Error, F2, Field, Result};
use zeroize::Zeroize;

/// A word: a number that both parties know, or the place of a secret one.
#[derive(Clone, Copy, Debug)]
pub enum Value {
    /// Known to both.
    Public(u32),
    /// Known to the prover alone.
    Secret(u32),
}

impl Zeroize for Value {
    fn zeroize(&mut self) {
        *self = Self::Public(0);
    }
}

/// Words on wires that are recorded.
pub struct Bits<'b, 'r> {
    gates: Gates<'b, 'r>,
    /// Secret words, and such as have been.
    arena: Vec<Secret>,
    /// Places of the arena that are free.
    free: Vec<u32>,
    /// Words that may be made until the next look at which live.
    room: usize,
    /// The private input, as far as it is still to be read.
    private: Private<'b>,
    /// The claimed output, if there is a claim.
    expected: Option<&'b [u8]>,
}

/// The private input of a run over wires.
#[derive(Clone, Copy)]
pub enum Private<'b> {
    /// A number of bytes of the witness, which are taken of it where they are read.
    Witness(usize),
    /// Bytes that are on wires already. From the run's beginning on the wires are the run's, which forgets each that no
    /// word and no byte has any more.
    Wires(&'b [Word<Handle, 8>]),
}

impl Private<'_> {
    /// The number of its bytes.
    pub fn length(&self) -> usize {
        match self {
            Self::Witness(length) => *length,
            Self::Wires(bytes) => bytes.len(),
        }
    }
}

/// The recorder of gates, and a wire that carries one, made when it is needed first.
struct Gates<'b, 'r> {
    backend: &'b mut Recorder<'r, F2>,
    one: Option<Handle>,
}

/// The words that are made between two looks at which live, or as many as live, or an eighth of those that
/// are looked at.
const ROOM: usize = 2048;

/// The most ended words that are remembered, beside twice the number of live ones: memory that was touched
/// takes room, whatever is in it.
const MOST_ENDED: usize = 1 << 16;

impl<'b, 'r> Bits<'b, 'r> {
    /// Words of a run that reads of `private`, and gives out `expected`, or whatever it does.
    pub fn new(backend: &'b mut Recorder<'r, F2>, private: Private<'b>, expected: Option<&'b [u8]>) -> Self {
        let gates = Gates { backend, one: None };
        Self { gates, arena: Vec::new(), free: Vec::new(), room: ROOM, private, expected }
    }

    /// Asserts that `word` is `expected`, as what `name` says.
    ///
    /// # Errors
    /// Those of the backend.
    pub fn assert_equal(&mut self, word: Value, expected: u32, name: &str) -> Result<()> {
        let word = self.secret(word);
        self.gates.backend.scope(|b| {
            for i in 0..32 {
                let expected = Bit::Public(expected >> i & 1 == 1);
                word.bit(i).assert_equal(b, expected, name)?;
            }
            Ok(())
        })
    }

    /// The bits of `word`.
    #[inline]
    fn secret(&self, word: Value) -> Secret {
        match word {
            Value::Public(value) => Secret::public(value),
            Value::Secret(place) => self.arena[place as usize],
        }
    }

    /// Keeps the bits of `word`, and gives the value that stands for it.
    #[inline]
    fn keep(&mut self, word: Secret) -> Value {
        if word.known == u32::MAX {
            return Value::Public(word.value);
        }
        self.room = self.room.saturating_sub(1);
        match self.free.pop() {
            Some(place) => {
                self.arena[place as usize] = word;
                Value::Secret(place)
            }
            None => {
                self.arena.push(word);
                Value::Secret(
                    u32::try_from(self.arena.len() - 1).expect("fewer words than there are addresses"),
                )
            }
        }
    }
}

impl Gates<'_, '_> {
    /// A wire that carries one.
    #[inline]
    fn one(&mut self) -> Handle {
        let backend = &mut *self.backend;
        *self.one.get_or_insert_with(|| backend.constant(F2::ONE))
    }
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
        let (one, other);
        let (x, y) = match (a, b) {
            (Value::Public(a), Value::Public(b)) => return Ok(Value::Public(plain::alu(alu, a, b))),
            (Value::Secret(a), Value::Secret(b)) => (&self.arena[a as usize], &self.arena[b as usize]),
            (Value::Public(a), Value::Secret(b)) => {
                one = Secret::public(a);
                (&one, &self.arena[b as usize])
            }
            (Value::Secret(a), Value::Public(b)) => {
                other = Secret::public(b);
                (&self.arena[a as usize], &other)
            }
        };
        let word = self.gates.alu(alu, x, y)?;
        Ok(self.keep(word))
    }

    fn holds(&mut self, condition: Condition, a: Value, b: Value) -> Option<bool> {
        if let (Value::Public(a), Value::Public(b)) = (a, b) {
            return Some(plain::holds(condition, a, b));
        }
        // It may be known whatever the secret bits are, as that a byte is below 256.
        secret::holds(condition, &self.secret(a), &self.secret(b))
    }

    fn part(&mut self, word: Value, at: u32, width: Width, sign: Sign) -> Value {
        match word {
            Value::Public(word) => Value::Public(plain::part(word, at, width, sign)),
            Value::Secret(place) => {
                let part = self.arena[place as usize].part(at, width, sign);
                self.keep(part)
            }
        }
    }

    fn with_part(&mut self, word: Value, at: u32, width: Width, part: Value) -> Value {
        if let (Value::Public(word), Value::Public(part)) = (word, part) {
            return Value::Public(plain::with_part(word, at, width, part));
        }
        let both = self.secret(word).with_part(at, width, &self.secret(part));
        self.keep(both)
    }

    fn private_left(&self) -> usize {
        self.private.length()
    }

    fn private(&mut self, width: Width) -> Result<Value> {
        let bytes = width.bytes() as usize;
        let mut word = Secret::public(0);
        match &mut self.private {
            Private::Witness(left) => {
                *left -= bytes;
                for i in 0..8 * bytes {
                    word.set(i, Bit::witness(self.gates.backend)?);
                }
            }
            Private::Wires(left) => {
                let (read, rest) = left.split_at(bytes);
                *left = rest;
                let bits = read.iter().flat_map(|byte| byte.bits());
                bits.enumerate().for_each(|(i, bit)| word.set(i, *bit));
            }
        }
        Ok(self.keep(word))
    }

    fn output(&mut self, word: Value, width: Width, before: usize) -> Result<()> {
        let Some(expected) = self.expected else { return Ok(()) };
        let end = before + width.bytes() as usize;
        let expected = expected
            .get(before..end)
            .ok_or_else(|| Error::Unsatisfied(format!("an output of {} bytes", expected.len())))?;
        let word = self.secret(word);
        self.gates.backend.scope(|b| {
            for (i, byte) in expected.iter().enumerate() {
                for j in 0..8 {
                    let expected = Bit::Public(byte >> j & 1 == 1);
                    let name = format_args!("byte {} of the output", before + i);
                    word.bit(8 * i + j).assert_equal(b, expected, name)?;
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
        // What is free already is not to be freed again.
        let mut ended = vec![false; self.arena.len()];
        self.free.iter().for_each(|place| ended[*place as usize] = true);
        let mut seen = 0;
        each(&mut |word| {
            seen += 1;
            if let Value::Secret(place) = word {
                lives[place as usize] = true;
            }
        });
        // Words share wires, as the parts of one do.
        let mut slots = Vec::new();
        for (word, _) in self.arena.iter().zip(&lives).filter(|(_, lives)| **lives) {
            word.wires().for_each(|wire| *slot(&mut slots, wire) = Slot::Held);
        }
        if let Private::Wires(unread) = self.private {
            seen += unread.len();
            unread.each(&mut |wire| *slot(&mut slots, wire) = Slot::Held);
        }
        for place in (0..lives.len()).rev().filter(|place| !lives[*place] && !ended[*place]) {
            self.free.push(place as u32);
            for wire in self.arena[place].wires() {
                let slot = slot(&mut slots, wire);
                if matches!(slot, Slot::Nobodys) {
                    *slot = Slot::Left(wire);
                }
            }
        }
        // In the order of their slots, in which these are taken again: lists of wires are written by runs.
        let left = slots.into_iter().filter_map(|slot| match slot {
            Slot::Left(wire) => Some(wire),
            _ => None,
        });
        self.gates.backend.forget(&left.collect::<Vec<_>>());
        // To look at all words costs as much as to make some.
        let living = self.arena.len() - self.free.len();
        self.room = living.max(seen / 8).max(ROOM).min(2 * living + MOST_ENDED);
    }
}

/// The state of the slot of a wire.
#[derive(Clone, Copy)]
enum Slot {
    /// No word has the slot's wire.
    Nobodys,
    /// A word that lives has its wire, or a byte that is still to be read.
    Held,
    /// Words that do not live have its wire.
    Left(Handle),
}

/// The state of the slot of `wire`.
#[inline]
fn slot(slots: &mut Vec<Slot>, wire: Handle) -> &mut Slot {
    let at = wire.slot() as usize;
    if at >= slots.len() {
        slots.resize(2 * at + 64, Slot::Nobodys);
    }
    &mut slots[at]
}
