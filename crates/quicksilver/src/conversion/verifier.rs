//! The verifier's side.

use super::{
    Both, Pairs, Rounds, SUBSETS, coins, factors, most_pairs, places, quotient, repetitions, subset_sums,
};
use crate::arithmetic;
use crate::memory::Party;
use crate::turns::Turn;
use core::fmt::Display;
use core::sync::atomic::AtomicU64;
use volery_channel::channel::Channel;
use volery_channel::error::{Error, Misbehaviour, Result};
use volery_channel::pool::Pool;
use volery_channel::random::Random;
use volery_circuit::{Backend, Mixed, check_width, nothing_asserted};
use volery_primitives::arch::{Arch, dot};
use volery_primitives::{F128, Field, MacField};
use volery_proof::verdict::{Accepted, earlier};
use volery_vole::macs::{BitMacs, Macs};
use volery_vole::vole::{BoxedVole, Delta, Key, subfield};
use zeroize::Zeroizing;

/// The halves of a statement over F_2 and `B`, of which one has the channel.
pub(super) struct Two<'a, B: Field, E: MacField<B>> {
    pub(super) bits: crate::Verifier<'a>,
    pub(super) numbers: arithmetic::Verifier<'a, B, E>,
}

impl<'a, B: Field, E: MacField<B>> Two<'a, B, E> {
    #[inline]
    fn bits(&mut self) -> Result<&mut crate::Verifier<'a>> {
        if !self.bits.has_turn() {
            self.bits.begin_turn(self.numbers.end_turn()?);
        }
        Ok(&mut self.bits)
    }

    #[inline]
    fn numbers(&mut self) -> Result<&mut arithmetic::Verifier<'a, B, E>> {
        if !self.numbers.has_turn() {
            self.numbers.begin_turn(self.bits.end_turn()?);
        }
        Ok(&mut self.numbers)
    }
}

/// The conversions between two halves, on the verifier's side.
pub(super) struct Between<'a, B: Field, E: MacField<B>> {
    arch: Arch,
    /// The key of the half over F_2.
    delta: &'a Delta,
    pairs: Pairs<F128, E>,
    rounds: Rounds,
    /// K, the number of parities.
    pub(super) repetitions: u32,
    /// The most pairs of a round.
    pub(super) most: usize,
    /// 2^k for each bit of the widest word.
    places: Vec<B>,
}

/// Verifies the statement over F_2 and `B` that is pushed into it.
pub struct Verifier<'a, B: Field, E: MacField<B>> {
    pub(super) halves: Two<'a, B, E>,
    pub(super) between: Between<'a, B, E>,
}

impl<'a, B: Field, E: MacField<B>> Verifier<'a, B, E> {
    /// A verification over `channel` with shares over both fields, under these global keys; `random` is for
    /// its coins. In the VOLE over F_2 the verifier must say nothing after its set-up.
    pub fn new(
        channel: &'a mut Channel,
        voles: (BoxedVole<Key>, BoxedVole<subfield::Key<E>>),
        arch: Arch,
        deltas: (&'a Delta, &'a subfield::Delta<B, E>),
        random: &mut Random,
    ) -> Self {
        let mut bits = crate::Verifier::half(voles.0, arch, deltas.0);
        bits.begin_turn(Turn::with(channel));
        let numbers = arithmetic::Verifier::half(voles.1, arch, deltas.1, random);
        Self { halves: Two { bits, numbers }, between: Between::new(arch, deltas.0) }
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

    /// Receives what remains and decides. The prover is not told here.
    ///
    /// # Errors
    /// `Rejected` or `Misbehaved` where a check fails; `Invalid` where the circuit asserted nothing or met
    /// with an error before; link errors.
    pub fn finish(mut self) -> Result<(Accepted, Both)> {
        let halves = &mut self.halves;
        if halves.bits.asserted() + halves.numbers.asserted() == 0 {
            return Err(nothing_asserted());
        }
        self.between.end_round(halves)?;
        halves.bits()?.forget_all()?;
        halves.numbers()?.forget_all()?;
        let Two { mut bits, numbers } = self.halves;
        let (turn, of_numbers) = numbers.finish_turn()?;
        bits.begin_turn(turn);
        let (of_numbers, (_, of_bits)) = earlier(of_numbers, bits.finish_turn())?;
        // Which of the two has failed must not show: both have been read, or their peer is gone.
        let (_, numbers, _) = of_numbers?;
        let (accepted, bits, _) = of_bits?;
        Ok((accepted, Both { bits, numbers, rounds: self.between.rounds }))
    }
}

impl<'d, B: Field, E: MacField<B>> Between<'d, B, E> {
    fn new(arch: Arch, delta: &'d Delta) -> Self {
        Self {
            arch,
            delta,
            pairs: Pairs::default(),
            rounds: Rounds::default(),
            repetitions: repetitions::<E>(),
            most: most_pairs::<B>(),
            places: places(),
        }
    }

    /// The keys over B of bits that are committed to over F_2; the pairs wait for the end of their round.
    fn copies(&mut self, halves: &mut Two<'_, B, E>, keys: &[F128]) -> Result<Zeroizing<Vec<E>>> {
        let mut copies = Zeroizing::new(Vec::with_capacity(keys.len()));
        let half = halves.numbers()?;
        for _ in keys {
            copies.push(half.commit_to_bit()?);
        }
        self.pairs.extend(keys, &copies, self.most);
        Ok(copies)
    }

    /// The key of Σ 2^k·b_k.
    fn word(&self, bits: &[E]) -> E {
        E::combine(self.arch, &self.places[..bits.len()], bits)
    }

    /// Checks that the open pairs are the same in both fields, if there are any.
    fn end_round(&mut self, halves: &mut Two<'_, B, E>) -> Result<()> {
        let n = self.pairs.len();
        if n == 0 {
            return Ok(());
        }
        let (arch, count) = (self.arch, self.repetitions);
        // 1.
        let half = halves.bits()?;
        let mut keys = Zeroizing::new(Vec::with_capacity(count as usize));
        for _ in 0..count {
            keys.push(half.commit_to()?);
        }
        let half = halves.numbers()?;
        let mut copies = Zeroizing::new(Vec::with_capacity(count as usize));
        for _ in 0..count {
            copies.push(half.commit_to_bit()?);
        }
        self.pairs.extend(&keys, &copies, self.most);
        // 2. The section of the other half has ended with its turn.
        let seed = halves.numbers()?.challenge(SUBSETS)?;
        let coins = coins(arch, seed, n, count);
        // 3.
        let (keys, delta) = (dot(arch, &coins, &self.pairs.bits), BitMacs::delta(self.delta));
        let half = halves.bits()?;
        let mut z = [0; 16];
        half.hear(&mut z[..count.div_ceil(8) as usize])?;
        let z = u128::from_le_bytes(z);
        if z > u128::MAX >> (128 - count) {
            return Err(half.fail(Error::Misbehaved(Misbehaviour::FurtherBits)));
        }
        half.open_zero(&(keys + F128(z) * delta));
        // 4.
        let sums = subset_sums(&coins, &self.pairs.numbers, count);
        let bits = quotient::<B>(n);
        let factors = factors::<B>(bits);
        let half = halves.numbers()?;
        for (place, sum) in (0..count).zip(&*sums) {
            let z = if z >> place & 1 == 1 { B::ONE } else { B::ZERO };
            let mut line = Zeroizing::new(Vec::with_capacity(2 + bits as usize));
            line.extend([*sum, half.constant(z)]);
            for _ in 0..bits {
                line.push(half.commit_to_bit()?);
            }
            half.open_zero(&E::combine(arch, &factors, &line));
        }
        self.pairs.clear();
        self.rounds.rounds += 1;
        Ok(())
    }

    /// The key of the number that these bits are: see [`Mixed::number`].
    fn number(&mut self, halves: &mut Two<'_, B, E>, bits: &[F128]) -> Result<E> {
        check_width::<B>(bits.len())?;
        if self.pairs.len() + bits.len() > self.most {
            self.end_round(halves)?;
        }
        self.rounds.conversions.number(bits.len());
        let copies = self.copies(halves, bits)?;
        Ok(self.word(&copies))
    }

    /// The keys of the bits of these numbers: see [`Mixed::bits_of`].
    fn bits_of(
        &mut self,
        halves: &mut Two<'_, B, E>,
        numbers: &[E],
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
            for _ in 0..now.len() * width {
                all.push(half.commit_to()?);
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

impl<'a, B: Field, E: MacField<B>> Mixed for Verifier<'a, B, E> {
    type Bits = crate::Verifier<'a>;
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
        self.between.number(&mut self.halves, bits)
    }
    fn bits_of(&mut self, numbers: &[E], width: usize, name: &dyn Display) -> Result<Vec<F128>> {
        self.between.bits_of(&mut self.halves, numbers, width, name)
    }
}
