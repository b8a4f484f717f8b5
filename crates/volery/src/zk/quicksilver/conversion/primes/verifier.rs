//! The verifier's side.

use super::All;
use crate::channel::Channel;
use crate::circuit::{Mixed, TwoPrimes, nothing_asserted};
use crate::error::Result;
use crate::pool::Pool;
use crate::random::Random;
use crate::vole::{BoxedVole, Delta, Key, subfield};
use crate::zk::Accepted;
use crate::zk::quicksilver::conversion::verifier::{Between, Halves};
use crate::zk::quicksilver::memory::Party;
use crate::zk::quicksilver::turns::Turn;
use crate::zk::quicksilver::{self, arithmetic};
use core::fmt::Display;
use core::sync::atomic::AtomicU64;
use volery_primitives::arch::Arch;
use volery_primitives::{F128, Field, MacField};

/// Shares over F_2, and over fields whose MACs are in `E` and `G`.
type Voles<E, G> = (BoxedVole<Key>, BoxedVole<subfield::Key<E>>, BoxedVole<subfield::Key<G>>);

/// The three halves, of which one has the channel.
pub(super) struct Three<'a, B: Field, E: MacField<B>, C: Field, G: MacField<C>> {
    pub(super) bits: quicksilver::Verifier<'a>,
    pub(super) numbers: arithmetic::Verifier<'a, B, E>,
    pub(super) others: arithmetic::Verifier<'a, C, G>,
}

impl<'a, B: Field, E: MacField<B>, C: Field, G: MacField<C>> Three<'a, B, E, C, G> {
    /// Ends the turn of whichever has it.
    fn end_turn(&mut self) -> Result<Turn<'a>> {
        if self.bits.has_turn() {
            self.bits.end_turn()
        } else if self.numbers.has_turn() {
            self.numbers.end_turn()
        } else {
            self.others.end_turn()
        }
    }

    #[inline]
    fn bits(&mut self) -> Result<&mut quicksilver::Verifier<'a>> {
        if !self.bits.has_turn() {
            let turn = self.end_turn()?;
            self.bits.begin_turn(turn);
        }
        Ok(&mut self.bits)
    }

    #[inline]
    fn numbers(&mut self) -> Result<&mut arithmetic::Verifier<'a, B, E>> {
        if !self.numbers.has_turn() {
            let turn = self.end_turn()?;
            self.numbers.begin_turn(turn);
        }
        Ok(&mut self.numbers)
    }

    #[inline]
    fn others(&mut self) -> Result<&mut arithmetic::Verifier<'a, C, G>> {
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
    fn bits(&mut self) -> Result<&mut quicksilver::Verifier<'a>> {
        self.0.bits()
    }
    fn numbers(&mut self) -> Result<&mut arithmetic::Verifier<'a, B, E>> {
        self.0.numbers()
    }
}

/// The bits and the others.
struct WithOthers<'t, 'a, B: Field, E: MacField<B>, C: Field, G: MacField<C>>(&'t mut Three<'a, B, E, C, G>);

impl<'a, B: Field, E: MacField<B>, C: Field, G: MacField<C>> Halves<'a, C, G>
    for WithOthers<'_, 'a, B, E, C, G>
{
    fn bits(&mut self) -> Result<&mut quicksilver::Verifier<'a>> {
        self.0.bits()
    }
    fn numbers(&mut self) -> Result<&mut arithmetic::Verifier<'a, C, G>> {
        self.0.others()
    }
}

/// Verifies the statement over F_2, `B` and `C` that is pushed into it.
pub struct Verifier<'a, B: Field, E: MacField<B>, C: Field, G: MacField<C>> {
    pub(super) halves: Three<'a, B, E, C, G>,
    pub(super) between: (Between<'a, B, E>, Between<'a, C, G>),
}

impl<'a, B: Field, E: MacField<B>, C: Field, G: MacField<C>> Verifier<'a, B, E, C, G> {
    /// A verification over `channel` with shares over all fields, under these global keys; `random` is for its
    /// coins. In the VOLE over F_2 the verifier must say nothing after its set-up.
    pub fn new(
        channel: &'a mut Channel,
        voles: Voles<E, G>,
        arch: Arch,
        deltas: (&'a Delta, &'a subfield::Delta<B, E>, &'a subfield::Delta<C, G>),
        random: &mut Random,
    ) -> Self {
        let mut bits = quicksilver::Verifier::half(voles.0, arch, deltas.0);
        bits.begin_turn(Turn::with(channel));
        let numbers = arithmetic::Verifier::half(voles.1, arch, deltas.1, random);
        let others = arithmetic::Verifier::half(voles.2, arch, deltas.2, random);
        let between = (Between::new(arch, deltas.0), Between::new(arch, deltas.0));
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

    /// Receives what remains and decides. The prover is not told here.
    ///
    /// # Errors
    /// As for [`conversion::Verifier::finish`](super::super::Verifier::finish).
    pub fn finish(mut self) -> Result<(Accepted, All)> {
        let halves = &mut self.halves;
        if halves.bits.asserted() + halves.numbers.asserted() + halves.others.asserted() == 0 {
            return Err(nothing_asserted());
        }
        self.between.0.end_round(&mut WithNumbers(halves))?;
        self.between.1.end_round(&mut WithOthers(halves))?;
        halves.bits()?.forget_all()?;
        halves.others()?.forget_all()?;
        halves.numbers()?.forget_all()?;
        // 2.
        let Three { mut bits, numbers, mut others } = self.halves;
        let (turn, of_numbers) = numbers.finish_turn()?;
        others.begin_turn(turn);
        let (turn, of_others) = others.finish_turn()?;
        bits.begin_turn(turn);
        let (_, of_bits) = bits.finish_turn()?;
        // Which of them has failed must not show, and by now all have been read.
        let ((_, numbers, _), (_, others, _)) = (of_numbers?, of_others?);
        let (accepted, bits, _) = of_bits?;
        let rounds = [self.between.0.rounds, self.between.1.rounds];
        Ok((accepted, All { bits, numbers, others, rounds }))
    }
}

impl<'a, B: Field, E: MacField<B>, C: Field, G: MacField<C>> Mixed for Verifier<'a, B, E, C, G> {
    type Bits = quicksilver::Verifier<'a>;
    type Numbers = arithmetic::Verifier<'a, B, E>;

    #[inline]
    fn bits(&mut self) -> Result<&mut Self::Bits> {
        self.halves.bits()
    }
    #[inline]
    fn numbers(&mut self) -> Result<&mut Self::Numbers> {
        self.halves.numbers()
    }
    fn number(&mut self, bits: &[F128]) -> Result<E> {
        self.between.0.number(&mut WithNumbers(&mut self.halves), bits)
    }
    fn bits_of(&mut self, numbers: &[E], width: usize, name: &dyn Display) -> Result<Vec<F128>> {
        self.between.0.bits_of(&mut WithNumbers(&mut self.halves), numbers, width, name)
    }
}

impl<'a, B: Field, E: MacField<B>, C: Field, G: MacField<C>> TwoPrimes for Verifier<'a, B, E, C, G> {
    type Others = arithmetic::Verifier<'a, C, G>;

    #[inline]
    fn others(&mut self) -> Result<&mut Self::Others> {
        self.halves.others()
    }
    fn other(&mut self, bits: &[F128]) -> Result<G> {
        self.between.1.number(&mut WithOthers(&mut self.halves), bits)
    }
    fn bits_of_others(&mut self, others: &[G], width: usize, name: &dyn Display) -> Result<Vec<F128>> {
        self.between.1.bits_of(&mut WithOthers(&mut self.halves), others, width, name)
    }
}
