//! The prover's side.

use super::{
    Both, Pairs, Rounds, SUBSETS, coins, factors, most_pairs, places, quotient, repetitions, subset_sums,
};
use crate::arithmetic;
use crate::memory::Party;
use crate::turns::Turn;
use core::fmt::Display;
use core::sync::atomic::AtomicU64;
use volery_channel::channel::Channel;
use volery_channel::error::{Error, Result};
use volery_channel::pool::Pool;
use volery_channel::random::Random;
use volery_circuit::{Backend, Mixed, check_width, nothing_asserted};
use volery_primitives::arch::Arch;
use volery_primitives::{F2, F128, Field, MacField, Tag as _, bits};
use volery_vole::macs::{BitMacs, FieldMacs, Macs, Values};
use volery_vole::vole::{BoxedVole, Mac, subfield};
use zeroize::Zeroizing;

/// The halves of a statement over F_2 and `B`, of which one has the channel.
pub(super) struct Two<'a, B: Field, E: MacField<B>> {
    pub(super) bits: crate::Prover<'a>,
    pub(super) numbers: arithmetic::Prover<'a, B, E>,
}

impl<'a, B: Field, E: MacField<B>> Two<'a, B, E> {
    #[inline]
    fn bits(&mut self) -> Result<&mut crate::Prover<'a>> {
        if !self.bits.has_turn() {
            self.bits.begin_turn(self.numbers.end_turn()?);
        }
        Ok(&mut self.bits)
    }

    #[inline]
    fn numbers(&mut self) -> Result<&mut arithmetic::Prover<'a, B, E>> {
        if !self.numbers.has_turn() {
            self.numbers.begin_turn(self.bits.end_turn()?);
        }
        Ok(&mut self.numbers)
    }
}

/// The conversions between two halves, on the prover's side.
pub(super) struct Between<B: Field, E: MacField<B>> {
    arch: Arch,
    /// The source of masks.
    random: Random,
    pairs: Pairs<F128, E::Tag>,
    rounds: Rounds,
    /// K, the number of parities.
    pub(super) repetitions: u32,
    /// The most pairs of a round.
    pub(super) most: usize,
    /// 2^k for each bit of the widest word.
    places: Vec<B>,
    /// Puts a quotient modulo p where its lowest bit should be, as a cheating prover might.
    #[cfg(test)]
    pub(super) explains: bool,
}

/// Proves the statement over F_2 and `B` that is pushed into it.
pub struct Prover<'a, B: Field, E: MacField<B>> {
    pub(super) halves: Two<'a, B, E>,
    pub(super) between: Between<B, E>,
}

/// The bit in the lowest place, as an element of `B`.
fn element<B: Field>(bit: u128) -> B {
    B::ONE.masked(bits::mask(bit as u64))
}

impl<'a, B: Field, E: MacField<B>> Prover<'a, B, E> {
    /// A proof over `channel` with shares over both fields, whose witnesses are read from `bits` and
    /// `numbers`; masks are drawn from `random`. In the VOLE over F_2 the verifier must say nothing after its
    /// set-up.
    pub fn new(
        channel: &'a mut Channel,
        voles: (BoxedVole<Mac>, BoxedVole<subfield::Mac<B, E>>),
        arch: Arch,
        (bits, numbers): (
            impl IntoIterator<Item = F2, IntoIter: 'a>,
            impl IntoIterator<Item = B, IntoIter: 'a>,
        ),
        random: &mut Random,
    ) -> Self {
        let mut bits = crate::Prover::half(voles.0, arch, bits);
        bits.begin_turn(Turn::with(channel));
        let numbers = arithmetic::Prover::half(voles.1, arch, numbers);
        Self { halves: Two { bits, numbers }, between: Between::new(arch, random) }
    }

    /// Hands out to `pool` what gates need not wait for.
    pub fn share_work(self, pool: &Pool) -> Self {
        let Two { bits, numbers } = self.halves;
        Self { halves: Two { bits: bits.share_work(pool), numbers: numbers.share_work(pool) }, ..self }
    }

    /// Adds the multiplications of both halves to `progress`, if any, as they are done.
    pub fn report_to(self, progress: Option<&'a AtomicU64>) -> Self {
        let Two { bits, numbers } = self.halves;
        Self { halves: Two { bits: bits.report_to(progress), numbers: numbers.report_to(progress) }, ..self }
    }

    /// Sends what remains. The verdict is the caller's to wait for.
    ///
    /// # Errors
    /// `Unsatisfied` where an assertion failed, and then the proof is not completed; `Invalid` where the
    /// circuit asserted nothing, left a part of a witness unread or met with an error before; link errors.
    pub fn finish(mut self) -> Result<Both> {
        let halves = &mut self.halves;
        if halves.bits.asserted() + halves.numbers.asserted() == 0 {
            return Err(nothing_asserted());
        }
        self.between.end_round(halves)?;
        halves.bits()?.forget_all()?;
        halves.numbers()?.forget_all()?;
        // Not by either half, so that it does not show in which one.
        if let Some(name) = halves.bits.take_failure().or(halves.numbers.take_failure()) {
            return Err(Error::Unsatisfied(name));
        }
        let Two { mut bits, numbers } = self.halves;
        let (numbers, _, turn) = numbers.finish_turn()?;
        bits.begin_turn(turn);
        let (bits, _, _) = bits.finish_turn()?;
        Ok(Both { bits, numbers, rounds: self.between.rounds })
    }
}

impl<B: Field, E: MacField<B>> Between<B, E> {
    fn new(arch: Arch, random: &mut Random) -> Self {
        Self {
            arch,
            random: Random::from_seed(&random.bytes()),
            pairs: Pairs::default(),
            rounds: Rounds::default(),
            repetitions: repetitions::<E>(),
            most: most_pairs::<B>(),
            places: places(),
            #[cfg(test)]
            explains: false,
        }
    }

    /// Commits over B to bits that are committed to over F_2; the pairs wait for the end of their round.
    fn copies(&mut self, halves: &mut Two<'_, B, E>, lines: &[F128]) -> Result<Zeroizing<Vec<E::Tag>>> {
        let mut copies = Zeroizing::new(Vec::with_capacity(lines.len()));
        let half = halves.numbers()?;
        for line in lines {
            copies.push(half.commit_to_bit(element(BitMacs::value(*line).to_word()))?);
        }
        self.pairs.extend(lines, &copies, self.most);
        Ok(copies)
    }

    /// The number Σ 2^k·b_k.
    fn word(&self, bits: &[E::Tag]) -> E::Tag {
        FieldMacs::<B, E>::linear(self.arch, &self.places[..bits.len()], bits)
    }

    /// Shows that the open pairs are the same in both fields, if there are any.
    fn end_round(&mut self, halves: &mut Two<'_, B, E>) -> Result<()> {
        let n = self.pairs.len();
        if n == 0 {
            return Ok(());
        }
        let (arch, count) = (self.arch, self.repetitions);
        // 1.
        let masks = Zeroizing::new(self.random.word().0);
        let half = halves.bits()?;
        let mut lines = Zeroizing::new(Vec::with_capacity(count as usize));
        for place in 0..count {
            lines.push(half.commit_to(F2::low_bit(*masks >> place))?);
        }
        let half = halves.numbers()?;
        let mut copies = Zeroizing::new(Vec::with_capacity(count as usize));
        for place in 0..count {
            copies.push(half.commit_to_bit(element(*masks >> place))?);
        }
        self.pairs.extend(&lines, &copies, self.most);
        // 2. The section of the other half has ended with its turn.
        let seed = halves.numbers()?.challenge(SUBSETS)?;
        let coins = coins(arch, seed, n, count);
        // 3.
        let parities = BitMacs::combine(arch, &coins, &self.pairs.bits);
        let z = parities.value.0;
        let half = halves.bits()?;
        half.say(&z.to_le_bytes()[..count.div_ceil(8) as usize])?;
        half.open_zero(&parities.mac);
        // 4.
        let sums = subset_sums(&coins, &self.pairs.numbers, count);
        let bits = quotient::<B>(n);
        let factors = factors::<B>(bits);
        #[cfg(test)]
        let explains = self.explains;
        let half = halves.numbers()?;
        for (place, sum) in (0..count).zip(&*sums) {
            let z = z >> place & 1;
            let q = Zeroizing::new((sum.value().to_integer().low() as u64).wrapping_sub(z as u64) >> 1);
            let mut line = Zeroizing::new(Vec::with_capacity(2 + bits as usize));
            line.extend([*sum, FieldMacs::<B, E>::constant(element(z))]);
            for place in 0..bits {
                let bit = element((*q >> place).into());
                #[cfg(test)]
                let bit = match (explains, place) {
                    (false, _) => bit,
                    (true, 0) => (sum.value() - element(z)) * (B::ONE + B::ONE).invert(),
                    (true, _) => B::ZERO,
                };
                line.push(half.commit_to_bit(bit)?);
            }
            half.open_zero(&FieldMacs::<B, E>::linear(arch, &factors, &line).mac());
        }
        self.pairs.clear();
        self.rounds.rounds += 1;
        Ok(())
    }

    /// The number that these bits are: see [`Mixed::number`].
    fn number(&mut self, halves: &mut Two<'_, B, E>, bits: &[F128]) -> Result<E::Tag> {
        check_width::<B>(bits.len())?;
        if self.pairs.len() + bits.len() > self.most {
            self.end_round(halves)?;
        }
        self.rounds.conversions.number(bits.len());
        let copies = self.copies(halves, bits)?;
        Ok(self.word(&copies))
    }

    /// The bits of these numbers: see [`Mixed::bits_of`].
    fn bits_of(
        &mut self,
        halves: &mut Two<'_, B, E>,
        numbers: &[E::Tag],
        width: usize,
        name: &dyn Display,
    ) -> Result<Vec<F128>> {
        check_width::<B>(width)?;
        let (mut rest, mut all) = (numbers, Vec::with_capacity(numbers.len() * width));
        while !rest.is_empty() {
            let room = (self.most - self.pairs.len()) / width;
            if room == 0 {
                self.end_round(halves)?;
                continue;
            }
            let (now, later) = rest.split_at(room.min(rest.len()));
            self.rounds.conversions.bits(now.len(), width);
            let (start, half) = (all.len(), halves.bits()?);
            for number in now {
                let word = Zeroizing::new(number.value().to_integer());
                for place in 0..width {
                    all.push(half.commit_to(F2::low_bit(word.bit(place as u32).into()))?);
                }
            }
            let copies = self.copies(halves, &all[start..])?;
            for (number, bits) in now.iter().zip(copies.chunks_exact(width)) {
                let word = self.word(bits);
                halves.numbers()?.assert_zero(word - *number, name)?;
            }
            rest = later;
        }
        Ok(all)
    }
}

impl<'a, B: Field, E: MacField<B>> Mixed for Prover<'a, B, E> {
    type Bits = crate::Prover<'a>;
    type Numbers = arithmetic::Prover<'a, B, E>;

    #[inline]
    fn bits(&mut self) -> Result<&mut Self::Bits> {
        self.halves.bits()
    }
    #[inline]
    fn numbers(&mut self) -> Result<&mut Self::Numbers> {
        self.halves.numbers()
    }
    fn number(&mut self, bits: &[F128]) -> Result<E::Tag> {
        self.between.number(&mut self.halves, bits)
    }
    fn bits_of(&mut self, numbers: &[E::Tag], width: usize, name: &dyn Display) -> Result<Vec<F128>> {
        self.between.bits_of(&mut self.halves, numbers, width, name)
    }
}
