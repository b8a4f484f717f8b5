//! Statements over two fields as statements over one, that of their numbers, which any system over it proves.
//!
//! Bits are the numbers 0 and 1 there, and conversions are sums: see `recorder/bits.rs`. Each private bit, hint over
//! F_2 and bit of a number takes a product beside itself, and each sum of two bits one. All else is as over two
//! fields: the same witnesses satisfy it, whose bits and numbers stand in one list, in the [`Order`] in which the
//! statement reads them.

use super::{Crossing, MixedRecorder, MixedSource, OnlyBits};
use crate::stream::block::{Block, Op};
use crate::stream::interpreter::Interpreter;
use crate::stream::recorder::{Bits, embedded};
use crate::stream::{Argues, Execute, Functions, Recorder, Source};
use core::cell::RefCell;
use core::fmt::Display;
use core::slice::Iter;
use volery_channel::error::Result;
use volery_primitives::{F2, Field};

/// A statement over F_2 and `F` as one over `F` alone.
pub struct OneField<'s, F: Field> {
    source: &'s dyn MixedSource<F>,
    /// The functions over F_2 that were recorded before.
    functions: Functions<F2>,
}

impl<'s, F: Field> OneField<'s, F> {
    /// The statement of `source`.
    pub fn new(source: &'s dyn MixedSource<F>) -> Self {
        Self { source, functions: Functions::default() }
    }

    /// The digest of the statement over one field, by that over two: of it, with the version of what becomes of
    /// bits and with the field.
    pub fn digest(of_two: &[u8; 32]) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_derive_key("volery statement of two fields as one v1");
        hasher.update(of_two);
        hasher.update(F::name().as_bytes());
        hasher.finalize().into()
    }

    /// The order in which it reads its witness.
    ///
    /// # Errors
    /// `Invalid` where the statement is malformed.
    pub fn order(&self) -> Result<Order> {
        let (order, functions) = (RefCell::default(), Functions::default());
        let mut counting = Counting(&order);
        let mut recorder = Recorder::new(&mut counting, &functions);
        let recorded = self.record_in(&mut recorder, Some(&order));
        recorder.finish(recorded)?;
        Ok(order.into_inner())
    }

    /// Records it, or where it is asked for the `order` alone, all but private bits.
    fn record_in(&self, recorder: &mut Recorder<'_, F>, order: Option<&RefCell<Order>>) -> Result<()> {
        recorder.lend(|numbers| {
            let source = OnlyBits(self.source);
            let mut backend = Bits::new(numbers, order);
            let interpreter = RefCell::new(Interpreter::new(&mut backend, &source));
            let mut executor = Shared(&interpreter);
            let mut bits = Recorder::new(&mut executor, &self.functions).of_half();
            let crossing = Shared(&interpreter);
            let recorded =
                self.source.record_mixed(&mut MixedRecorder::new(&mut bits, numbers, Some(&crossing)));
            bits.finish(recorded)
        })
    }
}

impl<F: Field> Source<F> for OneField<'_, F> {
    fn record(&self, recorder: &mut Recorder<'_, F>) -> Result<()> {
        self.record_in(recorder, None)
    }
}

/// The interpreter of bits, which holds their wires.
struct Shared<'i, 'b, 'm, 'r, F: Field>(&'i RefCell<Interpreter<'b, Bits<'m, 'r, F>>>);

impl<F: Field> Execute<F2> for Shared<'_, '_, '_, '_, F> {
    fn argues(&self) -> Argues {
        self.0.borrow().argues()
    }

    fn execute(&mut self, block: &Block<F2>, lent: &[F2]) -> Result<()> {
        let mut interpreter = self.0.borrow_mut();
        let executed = interpreter.execute(block, lent);
        let (backend, wires) = interpreter.parts();
        match executed {
            Ok(()) => backend.forget_all_but(wires),
            Err(_) => backend.abandon(),
        }
        executed
    }
}

impl<F: Field> Crossing for Shared<'_, '_, '_, '_, F> {
    fn number(&self, bits: &[u32], number: u32) -> Result<()> {
        let mut interpreter = self.0.borrow_mut();
        let (backend, wires) = interpreter.parts();
        let word: Vec<_> = bits.iter().map(|slot| wires[*slot as usize]).collect();
        backend.number(&word, number)
    }

    fn bits_of(&self, numbers: &[u32], bits: &[u32], name: &dyn Display) -> Result<()> {
        let mut interpreter = self.0.borrow_mut();
        let made = interpreter.parts().0.bits_of(numbers, bits.len() / numbers.len(), name)?;
        bits.iter().zip(made).for_each(|(slot, bit)| interpreter.put(*slot, bit));
        Ok(())
    }
}

/// The order in which a statement over two fields reads its witness.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Order {
    /// The numbers, and then the bits, that are read in each run.
    runs: Vec<[u64; 2]>,
}

impl Order {
    /// The bits and numbers of a witness as one list over the field of the numbers.
    pub fn join<'w, F: Field>(
        &'w self,
        bits: Box<dyn Iterator<Item = F2> + 'w>,
        numbers: Box<dyn Iterator<Item = F> + 'w>,
    ) -> impl Iterator<Item = F> + 'w {
        Joined { runs: self.runs.iter(), left: [0; 2], bits, numbers }
    }

    pub(in crate::stream) fn bits(&mut self, count: u64) {
        match self.runs.last_mut() {
            Some([_, bits]) => *bits += count,
            None => self.runs.push([0, count]),
        }
    }

    fn numbers(&mut self, count: u64) {
        match self.runs.last_mut() {
            Some([numbers, 0]) => *numbers += count,
            _ if count > 0 => self.runs.push([count, 0]),
            _ => {}
        }
    }
}

/// Two lists that are read in turn. What is left at the end comes last: it is too much.
struct Joined<'w, F> {
    runs: Iter<'w, [u64; 2]>,
    /// The numbers and bits that the run at hand still has.
    left: [u64; 2],
    bits: Box<dyn Iterator<Item = F2> + 'w>,
    numbers: Box<dyn Iterator<Item = F> + 'w>,
}

impl<F: Field> Iterator for Joined<'_, F> {
    type Item = F;

    fn next(&mut self) -> Option<F> {
        while self.left == [0; 2] {
            let Some(run) = self.runs.next() else {
                return self.numbers.next().or_else(|| self.bits.next().map(embedded));
            };
            self.left = *run;
        }
        if self.left[0] > 0 {
            self.left[0] -= 1;
            return self.numbers.next();
        }
        self.left[1] -= 1;
        self.bits.next().map(embedded)
    }
}

/// Counts the numbers that are read.
struct Counting<'o>(&'o RefCell<Order>);

impl<F: Field> Execute<F> for Counting<'_> {
    fn argues(&self) -> Argues {
        Argues::EVERYTHING
    }

    fn execute(&mut self, block: &Block<F>, _: &[F]) -> Result<()> {
        self.0.borrow_mut().numbers(read(block));
        Ok(())
    }
}

/// The elements of the witness that a block reads, functions included.
fn read<F>(block: &Block<F>) -> u64 {
    let count = block.records.iter().map(|record| match record.op {
        Op::Witness => record.a.into(),
        Op::Call => read(&block.functions[record.out as usize]),
        Op::Map => u64::from(record.b) * read(&block.functions[record.out as usize]),
        _ => 0,
    });
    count.sum()
}

#[cfg(test)]
mod tests;
