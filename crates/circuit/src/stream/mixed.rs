//! Statements over two fields as two streams of gates, and what goes from one to the other.
//!
//! Each half has a recorder of its own, whose blocks are executed in the half's backend when they are full,
//! and before a word or a number crosses. So a statement over two fields is compiled once, as others are.

mod one_field;

use super::block::Block;
use super::interpreter::{Interpreter, Kept};
use super::recorder::ended;
use super::{Argues, Execute, Executor, Functions, Handle, Recorder, Source};
use crate::{Backend, BitWire, Mixed, MixedCircuit, NumberWire};
use core::cell::{RefCell, RefMut};
use core::fmt::Display;
pub use one_field::{OneField, Order};
use volery_channel::error::{Error, Result};
use volery_primitives::{F2, Field};

/// A statement over F_2 and `F` that can be recorded. It pushes the same gates in the same order as often as
/// asked.
pub trait MixedSource<F: Field>: Sync {
    /// Pushes every gate into `both`.
    ///
    /// # Errors
    /// Those of whoever executes the gates, and `Invalid` where the statement is malformed.
    fn record_mixed(&self, both: &mut MixedRecorder<'_, '_, '_, F>) -> Result<()>;
}

/// Records gates of both halves.
pub struct MixedRecorder<'m, 'r, 's, F: Field> {
    bits: &'m mut Recorder<'s, F2>,
    numbers: &'m RefCell<Recorder<'r, F>>,
    /// The recorder of numbers, unless bits have the turn, which may be recorded there, too.
    turn: Option<RefMut<'m, Recorder<'r, F>>>,
    /// The executor of conversions. There is none where the name of an assertion is searched for, and nothing
    /// is executed.
    crossing: Option<&'m dyn Crossing>,
}

/// The holder of both halves' wires, which converts between them by their slots.
trait Crossing {
    /// Converts a word of bits, the least significant first, to the number in slot `number`.
    fn number(&self, bits: &[u32], number: u32) -> Result<()>;

    /// Converts numbers, one at least, to bits, as many for each, the least significant first and those of the first number first.
    fn bits_of(&self, numbers: &[u32], bits: &[u32], name: &dyn Display) -> Result<()>;
}

impl<'m, 'r, 's, F: Field> MixedRecorder<'m, 'r, 's, F> {
    fn new(
        bits: &'m mut Recorder<'s, F2>,
        numbers: &'m RefCell<Recorder<'r, F>>,
        crossing: Option<&'m dyn Crossing>,
    ) -> Self {
        Self { bits, numbers, turn: None, crossing }
    }

    /// The recorder of bits.
    pub fn bits(&mut self) -> &mut Recorder<'s, F2> {
        self.turn = None;
        self.bits
    }

    /// The recorder of numbers.
    pub fn numbers(&mut self) -> &mut Recorder<'r, F> {
        self.turn.get_or_insert_with(|| self.numbers.borrow_mut())
    }

    /// The number of these bits: see [`Mixed::number`].
    ///
    /// # Errors
    /// As there.
    pub fn number(&mut self, bits: &[Handle]) -> Result<Handle> {
        let slots = self.bits.slots(bits);
        let number = self.numbers().fresh();
        if let Some(crossing) = self.crossing {
            self.execute()?;
            let place = self.numbers().slots(&[number])[0];
            self.turn = None;
            crossing.number(&slots, place)?;
        }
        Ok(number)
    }

    /// The bits of each of `numbers`: see [`Mixed::bits_of`].
    ///
    /// # Errors
    /// As there.
    pub fn bits_of(&mut self, numbers: &[Handle], width: usize, name: &dyn Display) -> Result<Vec<Handle>> {
        if numbers.is_empty() {
            return Ok(Vec::new());
        }
        let slots = self.numbers().slots(numbers);
        let bits: Vec<_> = (0..width * numbers.len()).map(|_| self.bits.fresh()).collect();
        if let Some(crossing) = self.crossing {
            self.execute()?;
            self.turn = None;
            crossing.bits_of(&slots, &self.bits.slots(&bits), name)?;
        }
        Ok(bits)
    }

    /// Has all gates so far executed.
    fn execute(&mut self) -> Result<()> {
        self.bits().execute()?;
        self.numbers().execute()
    }
}

/// Gates of either half are executed before one of the other is recorded, in the order of the statement: so the
/// same messages are sent as where the statement runs in both backends itself, if it asks for no half without pushing
/// gates there.
impl<'r, 's, F: Field> Mixed for MixedRecorder<'_, 'r, 's, F> {
    type Bits = Recorder<'s, F2>;
    type Numbers = Recorder<'r, F>;

    fn bits(&mut self) -> Result<&mut Recorder<'s, F2>> {
        MixedRecorder::numbers(self).execute()?;
        Ok(MixedRecorder::bits(self))
    }
    fn numbers(&mut self) -> Result<&mut Recorder<'r, F>> {
        MixedRecorder::bits(self).execute()?;
        Ok(MixedRecorder::numbers(self))
    }
    fn number(&mut self, bits: &[Handle]) -> Result<Handle> {
        MixedRecorder::number(self, bits)
    }
    fn bits_of(&mut self, numbers: &[Handle], width: usize, name: &dyn Display) -> Result<Vec<Handle>> {
        MixedRecorder::bits_of(self, numbers, width, name)
    }
}

/// A statement over two fields as two streams of gates: the [`MixedCircuit`] of every lender of their
/// backends.
pub struct MixedStreamed<'s, F>(pub &'s dyn MixedSource<F>);

/// The state of both halves while they are executed.
struct State<'m, M: Mixed> {
    mixed: &'m mut M,
    bits: Kept<M::Bits>,
    numbers: Kept<M::Numbers>,
    /// The error that ended the execution, in whichever half or between them.
    failed: Option<Error>,
}

impl<M: Mixed> State<'_, M> {
    /// Does one thing, unless an earlier one has failed: what would follow a failure, in either half, fails for
    /// reasons of its own, which say nothing of the peer.
    fn attempt(&mut self, act: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        if self.failed.is_none()
            && let Err(error) = act(self)
        {
            self.failed = Some(error);
        }
        if self.failed.is_none() { Ok(()) } else { Err(ended()) }
    }
}

/// The half over F_2.
struct Bits<'s, 'm, M: Mixed>(&'s RefCell<State<'m, M>>, &'s dyn Source<F2>);
struct Numbers<'s, 'm, M: Mixed>(&'s RefCell<State<'m, M>>, &'s dyn Source<<M::Numbers as Backend>::F>);

/// Executes `block` in `backend`, on its half's state.
///
/// # Panics
/// Where the backend has other proofs than its kind: the recorder was told those of the kind, since asking for a
/// half gives it the turn.
fn execute<B: Executor>(
    backend: &mut B,
    kept: &mut Kept<B>,
    source: &dyn Source<B::F>,
    (block, lent): (&Block<B::F>, &[B::F]),
) -> Result<()> {
    let argues = backend.argues();
    assert!(argues == B::proofs(), "halves have the proofs of their kind");
    let mut interpreter = Interpreter::resumed(backend, source, argues, core::mem::take(kept));
    let executed = interpreter.execute(block, lent);
    *kept = interpreter.suspended();
    executed
}

impl<M: Mixed> Execute<F2> for Bits<'_, '_, M> {
    fn argues(&self) -> Argues {
        M::Bits::proofs()
    }

    fn execute(&mut self, block: &Block<F2>, lent: &[F2]) -> Result<()> {
        let mut state = self.0.borrow_mut();
        state.attempt(|state| execute(state.mixed.bits()?, &mut state.bits, self.1, (block, lent)))
    }
}

impl<M: Mixed> Execute<<M::Numbers as Backend>::F> for Numbers<'_, '_, M> {
    fn argues(&self) -> Argues {
        M::Numbers::proofs()
    }

    fn execute(
        &mut self,
        block: &Block<<M::Numbers as Backend>::F>,
        lent: &[<M::Numbers as Backend>::F],
    ) -> Result<()> {
        let mut state = self.0.borrow_mut();
        state.attempt(|state| execute(state.mixed.numbers()?, &mut state.numbers, self.1, (block, lent)))
    }
}

impl<M: Mixed> Crossing for RefCell<State<'_, M>> {
    fn number(&self, bits: &[u32], number: u32) -> Result<()> {
        self.borrow_mut().attempt(|state| {
            let word: Vec<BitWire<M>> = bits.iter().map(|slot| state.bits.wire(*slot)).collect();
            let made = state.mixed.number(&word)?;
            state.numbers.put(number, made);
            Ok(())
        })
    }

    fn bits_of(&self, numbers: &[u32], bits: &[u32], name: &dyn Display) -> Result<()> {
        self.borrow_mut().attempt(|state| {
            let width = bits.len() / numbers.len();
            let numbers: Vec<NumberWire<M>> = numbers.iter().map(|slot| state.numbers.wire(*slot)).collect();
            let made = state.mixed.bits_of(&numbers, width, name)?;
            bits.iter().zip(made).for_each(|(slot, wire)| state.bits.put(*slot, wire));
            Ok(())
        })
    }
}

impl<M: Mixed> MixedCircuit<M> for MixedStreamed<'_, <M::Numbers as Backend>::F> {
    fn run(&self, mixed: &mut M) -> Result<()> {
        let state = State { mixed, bits: Kept::default(), numbers: Kept::default(), failed: None };
        let state = RefCell::new(state);
        let (of_bits, of_numbers) = (OnlyBits(self.0), OnlyNumbers(self.0));
        let (mut bits, mut numbers) = (Bits(&state, &of_bits), Numbers(&state, &of_numbers));
        let functions = (Functions::default(), Functions::default());
        let mut bits = Recorder::new(&mut bits, &functions.0).of_half();
        let numbers = RefCell::new(Recorder::new(&mut numbers, &functions.1).of_half());
        let recorded = self.0.record_mixed(&mut MixedRecorder::new(&mut bits, &numbers, Some(&state)));
        let finished = bits.finish(recorded).and_then(|()| numbers.into_inner().finish(Ok(())));
        state.into_inner().failed.map_or(finished, Err)
    }
}

/// One half of a statement, to find the names of its assertions.
struct OnlyBits<'s, F>(&'s dyn MixedSource<F>);
struct OnlyNumbers<'s, F>(&'s dyn MixedSource<F>);

/// Executes nothing.
struct Nothing;

impl<F: Field> Execute<F> for Nothing {
    fn argues(&self) -> Argues {
        Argues::EVERYTHING
    }

    fn execute(&mut self, _: &Block<F>, _: &[F]) -> Result<()> {
        Ok(())
    }
}

impl<F: Field> Source<F2> for OnlyBits<'_, F> {
    fn record(&self, bits: &mut Recorder<'_, F2>) -> Result<()> {
        let (mut nothing, functions) = (Nothing, Functions::default());
        let numbers = RefCell::new(Recorder::new(&mut nothing, &functions));
        self.0.record_mixed(&mut MixedRecorder::new(bits, &numbers, None))
    }
}

impl<F: Field> Source<F> for OnlyNumbers<'_, F> {
    fn record(&self, numbers: &mut Recorder<'_, F>) -> Result<()> {
        let (mut nothing, functions) = (Nothing, Functions::default());
        let mut bits = Recorder::new(&mut nothing, &functions);
        numbers.lend(|numbers| self.0.record_mixed(&mut MixedRecorder::new(&mut bits, numbers, None)))
    }
}

#[cfg(test)]
mod tests;
