//! The prover's side.

use super::All;
use crate::channel::Channel;
use crate::circuit::{Mixed, TwoPrimes, nothing_asserted};
use crate::error::{Error, Result};
use crate::pool::Pool;
use crate::random::Random;
use crate::vole::{BoxedVole, Mac};
use crate::zk::quicksilver::conversion::prover::{Between, Halves};
use crate::zk::quicksilver::memory::Party;
use crate::zk::quicksilver::turns::Turn;
use crate::zk::quicksilver::{self, arithmetic};
use core::fmt::Display;
use core::sync::atomic::AtomicU64;
use volery_primitives::arch::Arch;
use volery_primitives::{F2, F128, Field, MacField, Tagged};

/// Shares over F_2, over `B` and over `C`.
type Voles<B, E, C, G> = (BoxedVole<Mac>, BoxedVole<Tagged<B, E>>, BoxedVole<Tagged<C, G>>);

/// The three halves, of which one has the channel.
pub(super) struct Three<'a, B: Field, E: MacField<B>, C: Field, G: MacField<C>> {
    pub(super) bits: quicksilver::Prover<'a>,
    pub(super) numbers: arithmetic::Prover<'a, B, E>,
    pub(super) others: arithmetic::Prover<'a, C, G>,
}

impl<'a, B: Field, E: MacField<B>, C: Field, G: MacField<C>> Three<'a, B, E, C, G> {
    /// Ends the turn of whichever has it.
    fn end_turn(&mut self) -> Result<Turn<'a>> {
        if self.bits.has_turn() {
            self.bits.end_turn()
        } else if self.numbers.has_turn() {
            self.numbers.end_turn_heard()
        } else {
            self.others.end_turn_heard()
        }
    }

    #[inline]
    fn bits(&mut self) -> Result<&mut quicksilver::Prover<'a>> {
        if !self.bits.has_turn() {
            let turn = self.end_turn()?;
            self.bits.begin_turn(turn);
        }
        Ok(&mut self.bits)
    }

    #[inline]
    fn numbers(&mut self) -> Result<&mut arithmetic::Prover<'a, B, E>> {
        if !self.numbers.has_turn() {
            let turn = self.end_turn()?;
            self.numbers.begin_turn(turn);
        }
        Ok(&mut self.numbers)
    }

    #[inline]
    fn others(&mut self) -> Result<&mut arithmetic::Prover<'a, C, G>> {
        if !self.others.has_turn() {
            let turn = self.end_turn()?;
            self.others.begin_turn(turn);
        }
        Ok(&mut self.others)
    }
}

/// The bits and the numbers of them.
struct WithNumbers<'t, 'a, B: Field, E: MacField<B>, C: Field, G: MacField<C>>(&'t mut Three<'a, B, E, C, G>);

impl<'a, B: Field, E: MacField<B>, C: Field, G: MacField<C>> Halves<'a, B, E>
    for WithNumbers<'_, 'a, B, E, C, G>
{
    fn bits(&mut self) -> Result<&mut quicksilver::Prover<'a>> {
        self.0.bits()
    }
    fn numbers(&mut self) -> Result<&mut arithmetic::Prover<'a, B, E>> {
        self.0.numbers()
    }
}

/// The bits and the others.
struct WithOthers<'t, 'a, B: Field, E: MacField<B>, C: Field, G: MacField<C>>(&'t mut Three<'a, B, E, C, G>);

impl<'a, B: Field, E: MacField<B>, C: Field, G: MacField<C>> Halves<'a, C, G>
    for WithOthers<'_, 'a, B, E, C, G>
{
    fn bits(&mut self) -> Result<&mut quicksilver::Prover<'a>> {
        self.0.bits()
    }
    fn numbers(&mut self) -> Result<&mut arithmetic::Prover<'a, C, G>> {
        self.0.others()
    }
}

/// Proves the statement over F_2, `B` and `C` that is pushed into it.
pub struct Prover<'a, B: Field, E: MacField<B>, C: Field, G: MacField<C>> {
    pub(super) halves: Three<'a, B, E, C, G>,
    pub(super) between: (Between<B, E>, Between<C, G>),
}

impl<'a, B: Field, E: MacField<B>, C: Field, G: MacField<C>> Prover<'a, B, E, C, G> {
    /// A proof over `channel` with shares over all fields, whose witnesses are read from these streams; masks are
    /// drawn from `random`. In the VOLE over F_2 the verifier must say nothing after its set-up.
    pub fn new(
        channel: &'a mut Channel,
        voles: Voles<B, E, C, G>,
        arch: Arch,
        (bits, numbers, others): (
            impl IntoIterator<Item = F2, IntoIter: 'a>,
            impl IntoIterator<Item = B, IntoIter: 'a>,
            impl IntoIterator<Item = C, IntoIter: 'a>,
        ),
        random: &mut Random,
    ) -> Self {
        let mut bits = quicksilver::Prover::half(voles.0, arch, bits);
        bits.begin_turn(Turn::with(channel));
        let numbers = arithmetic::Prover::half(voles.1, arch, numbers);
        let others = arithmetic::Prover::half(voles.2, arch, others);
        let between = (Between::new(arch, random), Between::new(arch, random));
        Self { halves: Three { bits, numbers, others }, between }
    }

    /// Hands out to `pool` what gates need not wait for.
    pub fn share_work(self, pool: &Pool) -> Self {
        let Three { bits, numbers, others } = self.halves;
        let halves = Three {
            bits: bits.share_work(pool),
            numbers: numbers.share_work(pool),
            others: others.share_work(pool),
        };
        Self { halves, ..self }
    }

    /// Adds the multiplications of all halves to `progress`, if any, as they are done.
    pub fn report_to(self, progress: Option<&'a AtomicU64>) -> Self {
        let Three { bits, numbers, others } = self.halves;
        let halves = Three {
            bits: bits.report_to(progress),
            numbers: numbers.report_to(progress),
            others: others.report_to(progress),
        };
        Self { halves, ..self }
    }

    /// Sends what remains. The verdict is the caller's to wait for.
    ///
    /// # Errors
    /// As for [`conversion::Prover::finish`](super::super::Prover::finish).
    pub fn finish(mut self) -> Result<All> {
        let halves = &mut self.halves;
        if halves.bits.asserted() + halves.numbers.asserted() + halves.others.asserted() == 0 {
            return Err(nothing_asserted());
        }
        self.between.0.end_round(&mut WithNumbers(halves))?;
        self.between.1.end_round(&mut WithOthers(halves))?;
        halves.bits()?.forget_all()?;
        halves.others()?.forget_all()?;
        halves.numbers()?.forget_all()?;
        // Not by any half, so that it does not show in which one.
        let failed = halves.bits.take_failure().or(halves.numbers.take_failure());
        if let Some(name) = failed.or(halves.others.take_failure()) {
            return Err(Error::Unsatisfied(name));
        }
        // 2.
        let Three { mut bits, numbers, mut others } = self.halves;
        let (numbers, _, turn) = numbers.finish_turn()?;
        others.begin_turn(turn);
        let (others, _, turn) = others.finish_turn()?;
        bits.begin_turn(turn);
        let (bits, _, _) = bits.finish_turn()?;
        Ok(All { bits, numbers, others, rounds: [self.between.0.rounds, self.between.1.rounds] })
    }
}

impl<'a, B: Field, E: MacField<B>, C: Field, G: MacField<C>> Mixed for Prover<'a, B, E, C, G> {
    type Bits = quicksilver::Prover<'a>;
    type Numbers = arithmetic::Prover<'a, B, E>;

    #[inline]
    fn bits(&mut self) -> Result<&mut Self::Bits> {
        self.halves.bits()
    }
    #[inline]
    fn numbers(&mut self) -> Result<&mut Self::Numbers> {
        self.halves.numbers()
    }
    fn number(&mut self, bits: &[F128]) -> Result<Tagged<B, E>> {
        self.between.0.number(&mut WithNumbers(&mut self.halves), bits)
    }
    fn bits_of(&mut self, numbers: &[Tagged<B, E>], width: usize, name: &dyn Display) -> Result<Vec<F128>> {
        self.between.0.bits_of(&mut WithNumbers(&mut self.halves), numbers, width, name)
    }
}

impl<'a, B: Field, E: MacField<B>, C: Field, G: MacField<C>> TwoPrimes for Prover<'a, B, E, C, G> {
    type Others = arithmetic::Prover<'a, C, G>;

    #[inline]
    fn others(&mut self) -> Result<&mut Self::Others> {
        self.halves.others()
    }
    fn other(&mut self, bits: &[F128]) -> Result<Tagged<C, G>> {
        self.between.1.number(&mut WithOthers(&mut self.halves), bits)
    }
    fn bits_of_others(
        &mut self,
        others: &[Tagged<C, G>],
        width: usize,
        name: &dyn Display,
    ) -> Result<Vec<F128>> {
        self.between.1.bits_of(&mut WithOthers(&mut self.halves), others, width, name)
    }
}
