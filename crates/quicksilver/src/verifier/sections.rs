//! Over any field, over F_2 with short MACs: corrections come by sections of a block, and where E is short the
//! verifier tosses a coin for each batch.

use super::waves::{Mapped, Taken};
use super::{Commitments, Lengths, Turn, Verifier};
use crate::arithmetic::{BLOCKS, SLOTS, Sections, slots};
use crate::polynomial::KeySums;
use crate::slots::Memory;
use crate::waves::{self, Drawn, Fill, Keys, Mapping, Maps, Rows, SumsOf, WideWaves};
use crate::{TILE, challenge, more_than_counted, polynomial, single_challenge};
use volery_channel::channel::Channel;
use volery_channel::error::{Error, Misbehaviour, Result};
use volery_channel::pool::Task;
use volery_channel::random::Random;
use volery_circuit::stream::Map;
use volery_primitives::arch::Arch;
use volery_primitives::prg::Seed;
use volery_primitives::{F128, Field, MacField};
use volery_proof::verdict::by_transcript;
use volery_vole::macs::FieldMacs;
use volery_vole::vole::BoxedVole;
use volery_vole::vole::subfield::{Coefficients, Delta, Key};
use zeroize::Zeroizing;

/// The verifier's state of commitments.
pub struct Kept<B: Field, E: MacField<B>> {
    sections: Sections<B>,
    /// The source of its coins.
    random: Random,
    /// The coin of the batch.
    coin: Option<Coin<E>>,
    /// The functions that were mapped.
    pub(crate) maps: Maps<Keys<FieldMacs<B, E>>>,
}

impl<B: Field, E: MacField<B>> Kept<B, E> {
    /// The state before the first section; `random` is for coins.
    fn new(random: &mut Random) -> Self {
        let random = Random::from_seed(&random.bytes());
        Self { sections: Sections::default(), random, coin: None, maps: Maps::default() }
    }
}

/// The challenge of a batch.
struct Coin<E> {
    /// The seeds that are to be sent, where they are a coin of the verifier.
    tossed: Option<[F128; 2]>,
    seeds: [Seed; 2],
    /// The number of the next product's coefficient.
    products: u64,
    /// Gives the coefficients of further polynomials, unless a turn has it, behind which no other is until that is done.
    polynomials: Option<Fill<E>>,
}

impl<'a, B: Field, E: MacField<B>> Verifier<'a, FieldMacs<B, E>> {
    /// A verification over `channel` with shares from `vole` under `delta`; `random` is for its coins.
    pub fn new(
        channel: &'a mut Channel,
        vole: BoxedVole<Key<E>>,
        arch: Arch,
        delta: &'a Delta<B, E>,
        random: &mut Random,
    ) -> Self {
        Self::over(Turn::with(channel), vole, arch, delta, Kept::new(random))
    }

    /// A half of a verification, whose turn is still to come.
    pub(crate) fn half(
        vole: BoxedVole<Key<E>>,
        arch: Arch,
        delta: &'a Delta<B, E>,
        random: &mut Random,
    ) -> Self {
        Self::half_over(vole, arch, delta, Kept::new(random))
    }

    /// Opens the next section, in a block of its own where the last one is used up, and receives its
    /// corrections, which go on the keys at once. From here on its batch has a challenge. Fig. 4, 4 to 6.
    fn next_section(&mut self) -> Result<()> {
        let sections = &mut self.kept.sections;
        if sections.end() == self.block.len() {
            self.vole.block(&mut self.channel, &mut self.block)?;
            sections.drawn += 1;
            self.done = 0;
        }
        sections.follow(self.done, self.block.len(), self.lengths.as_ref());
        self.channel.recv_elements(&mut sections.corrections)?;
        let keys = &mut self.block.rows_mut()[sections.range()];
        E::correct(self.arch, keys, &sections.corrections, self.delta.value());
        self.find_coin();
        self.open = true;
        Ok(())
    }

    /// Makes sure that the batch has a challenge, once the corrections of a part of it have arrived.
    fn find_coin(&mut self) {
        if self.kept.coin.is_none() {
            let random = &mut self.kept.random;
            let tossed = (!by_transcript::<E>()).then(|| [random.word(), random.word()]);
            let seeds = tossed.map_or_else(|| challenge(&mut self.channel), |tossed| tossed.map(Seed::from));
            let (arch, mut polynomials) = (self.arch, Coefficients::<B>::new(self.arch, seeds[1]));
            let polynomials: Fill<E> = Box::new(move |chi| polynomials.fill(arch, chi));
            self.kept.coin = Some(Coin { tossed, seeds, products: 0, polynomials: Some(polynomials) });
        }
    }

    /// The coefficients of a turn of a map, whose corrections have arrived: their seed, and the number of the first.
    pub(super) fn coefficients_of_turn(&mut self, shares: usize) -> (Seed, u64) {
        self.kept.sections.pass_over(shares);
        self.find_coin();
        let coin = self.kept.coin.as_mut().expect("it was found");
        let first = coin.products;
        coin.products += shares.next_multiple_of(2) as u64;
        (coin.seeds[0], first)
    }

    /// Counts a block that was drawn for a map. Says whether a batch ends with it, where batches go by their number.
    pub(super) fn count_block(&mut self) -> Option<bool> {
        let drawn = &mut self.kept.sections.drawn;
        *drawn += 1;
        (!by_transcript::<E>()).then(|| drawn.is_multiple_of(BLOCKS))
    }

    /// Fills the slots used, each of which is that of a witness element.
    #[cold]
    #[inline(never)]
    fn fill_slots(&mut self) {
        let one = *self.one;
        self.slots.fill(self.block.rows(self.done).iter().map(|key| [*key, one, *key]));
    }

    /// Combines the products of the used slots. Fig. 4, 7.
    fn take_up(&mut self) {
        let count = self.slots.next();
        if count == 0 {
            return self.slots.end();
        }
        let coin = self.kept.coin.as_mut().expect("tossed before the section's first slot");
        let (arch, [seed, _], first) = (self.arch, coin.seeds, coin.products);
        // Where sections end early, the rest of a block of coefficients stays unused.
        coin.products += count.next_multiple_of(2) as u64;
        self.done += count;
        if !self.slots.are_filled() {
            self.slots.end();
            self.committed += count as u64;
            return self.weighing.pass_over(count as u64);
        }
        self.weigh_products(move |used| {
            let mut coefficients = Coefficients::<B>::new(arch, seed).from::<E>(first);
            let mut chi = [E::ZERO; SLOTS];
            let mut sums = Zeroizing::new([E::ZERO; 2]);
            for used in used.chunks(SLOTS) {
                let chi = &mut chi[..used.len()];
                coefficients.fill(arch, chi);
                let (products, keys) = E::verifier_sums(arch, chi, used);
                sums[0] += products;
                sums[1] += keys;
            }
            sums
        });
    }

    /// Ends the section, and the batch with it where it is its last one.
    fn end_section(&mut self) -> Result<()> {
        self.take_up();
        if !core::mem::take(&mut self.open) {
            return Ok(());
        }
        let sections = &mut self.kept.sections;
        if sections.corrections_from(self.done).iter().any(|correction| *correction != B::ZERO) {
            return Err(Error::Misbehaved(Misbehaviour::UnusedShares));
        }
        if let Some(lengths) = &mut self.lengths {
            lengths.end_section(self.done - sections.start());
            sections.cut(self.done);
        }
        let ends_batch = sections.ends_batch::<E>(self.block.len());
        self.report();
        if ends_batch { self.close_batch() } else { Ok(()) }
    }

    /// Sends the coin of the batch, all of whose corrections have arrived.
    pub(super) fn close_batch(&mut self) -> Result<()> {
        self.coefficients = 0;
        match self.kept.coin.take().and_then(|coin| coin.tossed) {
            Some(tossed) => {
                self.channel.send_coin(&tossed)?;
                self.channel.flush()
            }
            None => Ok(()),
        }
    }
}

impl<B: Field, E: MacField<B>> Commitments for FieldMacs<B, E> {
    type Kept = Kept<B, E>;

    fn verifier<'a>(
        channel: &'a mut Channel,
        vole: BoxedVole<Key<E>>,
        arch: Arch,
        delta: &'a Delta<B, E>,
        random: &mut Random,
    ) -> Verifier<'a, Self> {
        Verifier::<Self>::new(channel, vole, arch, delta, random)
    }

    fn next_slots(verifier: &mut Verifier<'_, Self>) -> Result<()> {
        verifier.take_up();
        if verifier.done == verifier.kept.sections.end() {
            verifier.end_section()?;
            verifier.next_section()?;
        }
        let left = verifier.kept.sections.end() - verifier.done;
        assert!(left > 0, "a block of shares");
        let count = left.min(slots(&verifier.pool));
        verifier.slots.begin_empty(count);
        Ok(())
    }

    #[inline(always)]
    fn fill_slots(verifier: &mut Verifier<'_, Self>) {
        if !verifier.slots.are_filled() {
            verifier.fill_slots();
        }
    }

    /// Leaves the slot empty where it can: the product with one is zero under any key.
    #[inline(always)]
    fn commit(verifier: &mut Verifier<'_, Self>) -> E {
        let number = verifier.done + verifier.slots.next();
        let key = verifier.block.row(number);
        if verifier.slots.are_filled() {
            *verifier.slots.slot() = [key, *verifier.one, key];
        } else {
            verifier.slots.leave_empty(1);
        }
        key
    }

    fn commit_some(verifier: &mut Verifier<'_, Self>, keys: &mut [E]) -> usize {
        if verifier.slots.are_filled() {
            keys[0] = Self::commit(verifier);
            return 1;
        }
        let number = verifier.done + verifier.slots.next();
        let count = verifier.slots.left().min(keys.len());
        keys[..count].copy_from_slice(&verifier.block.rows(number)[..count]);
        verifier.slots.leave_empty(count);
        count
    }

    fn end_batch(verifier: &mut Verifier<'_, Self>) -> Result<()> {
        verifier.end_section()?;
        verifier.close_batch()
    }

    /// Ends section and batch. The section's other shares stay unused.
    fn end_early(verifier: &mut Verifier<'_, Self>) -> Result<()> {
        Self::end_batch(verifier)?;
        verifier.done = verifier.kept.sections.end();
        Ok(())
    }

    fn widen(kept: &mut Kept<B, E>, wide: WideWaves) {
        kept.maps.wide = Some(wide);
    }

    fn map(verifier: &mut Verifier<'_, Self>, map: Map<'_, B, E>) -> Result<Option<Zeroizing<Vec<E>>>> {
        super::waves::map(verifier, map)
    }

    fn end_turn(verifier: &mut Verifier<'_, Self>) -> Result<()> {
        verifier.end_section()?;
        verifier.lengths.iter_mut().for_each(Lengths::end_turn);
        Ok(())
    }

    fn add(verifier: &mut Verifier<'_, Self>, polynomials: polynomial::Keys<E>) {
        let Verifier { kept, sums, arch, .. } = verifier;
        let coin = kept.coin.as_mut().expect("tossed where a section is open");
        sums.weigh::<B>(*arch, &polynomials, coin.polynomials.as_mut().expect("no turn is under way"));
    }

    fn add_computed(
        verifier: &mut Verifier<'_, Self>,
        [vectors, lanes]: [usize; 2],
        compute: impl FnOnce() -> Vec<polynomial::Keys<E>> + Send + 'static,
    ) {
        let coin = verifier.kept.coin.as_mut().expect("tossed where a section is open");
        let fill = coin.polynomials.as_mut().expect("no turn is under way");
        let mut chi = vec![E::ZERO; vectors * lanes];
        chi.chunks_exact_mut(lanes).for_each(fill);
        let arch = verifier.arch;
        verifier.computing.push(verifier.pool.run(move || {
            let mut sums = KeySums::default();
            for (polynomials, chi) in compute().iter().zip(chi.chunks_exact(lanes)) {
                sums.weigh::<B>(arch, polynomials, |to| to.copy_from_slice(chi));
            }
            sums
        }));
        verifier.gather_computed(verifier.pool.ahead());
    }

    fn challenge(verifier: &mut Verifier<'_, Self>, what: &'static str) -> Result<Seed> {
        if by_transcript::<E>() {
            return Ok(single_challenge(&mut verifier.channel, what));
        }
        let seed = verifier.kept.random.word();
        verifier.channel.send_coin(&[seed])?;
        verifier.channel.flush()?;
        Ok(seed.into())
    }
}

impl<B: Field, E: MacField<B>> Mapped for FieldMacs<B, E> {
    const SUMS: SumsOf<Keys<Self>> = column_sums::<B, E>;

    fn maps(kept: &mut Kept<B, E>) -> &mut Maps<Keys<Self>> {
        &mut kept.maps
    }

    fn is_between_blocks(verifier: &Verifier<'_, Self>) -> bool {
        verifier.done + verifier.slots.next() == verifier.block.len()
    }

    fn end_block(verifier: &mut Verifier<'_, Self>) -> Result<()> {
        verifier.end_section()
    }

    fn begin_block(verifier: &mut Verifier<'_, Self>, spare: Rows<E>) -> Result<Drawn<E>> {
        let (shares, rows) = verifier.vole.begin_block(&mut verifier.channel, spare)?;
        if shares == 0 {
            return Err(verifier.steps.fail(more_than_counted()));
        }
        Ok(Drawn { shares, rows: waves::Fresh::Task(rows), ends_batch: verifier.count_block() })
    }

    fn turns_on_device(
        verifier: &mut Verifier<'_, Self>,
        mapping: &mut Mapping<'_, Keys<Self>>,
    ) -> Result<()> {
        if !E::BY_DEVICES {
            unreachable!("no device walks over these values");
        }
        verifier.elements_on_device(mapping)
    }

    fn take_turn(verifier: &mut Verifier<'_, Self>, turn: &waves::Turn<Task<Rows<E>>>) -> Result<Taken<E>> {
        let (mut corrections, mut bits) = (Vec::new(), Vec::new());
        // Where blocks have whole bytes of bits these are put on keys as they have arrived.
        let by_bits = B::BITS == 1 && turn.lengths().all(|length| length.is_multiple_of(8));
        if by_bits {
            bits.resize(turn.shares / 8, 0);
            verifier.channel.recv(&mut bits)?;
        } else {
            corrections.resize(turn.shares, B::ZERO);
            verifier.channel.recv_elements(&mut corrections)?;
        }
        let (arch, (seed, first)) = (verifier.arch, verifier.coefficients_of_turn(turn.shares));
        let coin = verifier.kept.coin.as_mut().expect("it was found");
        let polynomials = coin.polynomials.take().expect("a batch has one turn of a map at a time");
        let mut at = 0;
        // The key of one is Δ.
        let correct = move |rows: &mut [E], one| {
            let count = rows.len();
            if by_bits {
                E::correct_by_bits(arch, rows, &bits[at / 8..][..count / 8], one);
            } else {
                E::correct(arch, rows, &corrections[at..at + count], one);
            }
            at += count;
        };
        let mut coefficients = Coefficients::<B>::new(arch, seed).from::<E>(first);
        let products: Fill<E> = Box::new(move |chi| coefficients.fill(arch, chi));
        Ok(Taken { correct: Box::new(correct), fill: [products, polynomials] })
    }

    fn go_on(verifier: &mut Verifier<'_, Self>, fill: Fill<E>) {
        if let Some(coin) = &mut verifier.kept.coin {
            coin.polynomials = Some(fill);
        }
    }

    fn end_of_turn(verifier: &mut Verifier<'_, Self>, ends_batch: bool) -> Result<()> {
        if ends_batch { verifier.close_batch() } else { Ok(()) }
    }

    fn stay_at_end(verifier: &mut Verifier<'_, Self>) {
        verifier.done = verifier.block.len();
        verifier.kept.sections.stay_at_end(verifier.done);
        verifier.open = true;
    }

    fn resume(verifier: &mut Verifier<'_, Self>, rows: Rows<E>) -> Result<()> {
        *verifier.block.rows_mut() = rows;
        verifier.done = 0;
        verifier.kept.sections.begin_block();
        Ok(())
    }
}

/// Σ χ·k_a·k_b and Σ χ·k_c over columns of keys.
fn column_sums<B: Field, E: MacField<B>>(
    arch: Arch,
    chi: &[E],
    columns: [&[E]; 3],
    triples: &mut Memory<E>,
) -> (E, E) {
    if triples.capacity() < chi.len() {
        // What has to move would leave a copy behind.
        *triples = Zeroizing::new(Vec::with_capacity(TILE));
    }
    E::verifier_column_sums(arch, chi, columns, triples)
}
