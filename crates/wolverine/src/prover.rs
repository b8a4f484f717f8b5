//! The prover's side.

use super::interpolation::{self, At, FURTHER, GROUP, Packed};
use super::opening::{Opening, Pairs, open};
use super::rows::{Source, TILE, Tiles, reserve};
use super::{
    ASSERTED, CHECK, Checked, CheckedBy, OPENING, Plan, Terms, match_gates, match_groups, transcript_seed,
};
use core::fmt::Display;
use core::mem;
use core::ops::Range;
use core::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use volery_channel::channel::Channel;
use volery_channel::error::{Error, Result};
use volery_channel::pool::{Pool, Tasks};
use volery_circuit::stream::{Executor, GatesAlone};
use volery_circuit::{Backend, nothing_asserted, witness_ended, witness_unread};
use volery_primitives::secret::verdict;
use volery_primitives::{Arch, Extension, F128, Field, Tagged};
use volery_proof::openings::Openings;
use volery_proof::verdict::{Gates, Steps, section};
use volery_vole::macs::{Macs, Values, values};
use volery_vole::vole::BoxedVole;
use zeroize::{Zeroize, Zeroizing};

/// Proves the circuit that is pushed into it.
pub struct Prover<'a, M: Macs> {
    checker: Checker<'a, M>,
    steps: Steps,
    witness: Box<dyn Iterator<Item = M::F> + 'a>,
    /// The open section: shares to commit by, the correction of each, and the number of the next to use.
    section: Zeroizing<Vec<M::Tag>>,
    corrections: Vec<M::F>,
    next: usize,
    /// Shares in this block's sections so far.
    sectioned: usize,
    /// The products of this block, and the memory for their check.
    gates: Tiles<M::Tag>,
    checks: Checks<M>,
    groups: Groups<M>,
    openings: Openings,
    counted: Gates,
    checked: Checked,
    /// The name of the first assertion that failed; the peer learns of it at the end.
    failed: Option<String>,
    progress: Option<&'a AtomicU64>,
}

/// The data that check a block's gates. Their memory is used again for the next block.
struct Checks<L: Values> {
    pairs: Pairs<L::F, L::Tag>,
    /// Left and right operands of the gates, and of the triples.
    of_gates: Operands<L::F>,
    of_triples: Operands<L::F>,
}

type Operands<V> = Zeroizing<Vec<[V; 2]>>;

impl<L: Values> Checks<L> {
    fn new() -> Self {
        Self { pairs: Pairs::new(), of_gates: Operands::default(), of_triples: Operands::default() }
    }

    /// δ_α and δ_β of the pairs of these triples.
    fn opened(&self, triples: Range<usize>) -> [Vec<L::F>; 2] {
        let mut opened = [(); 2].map(|()| vec![L::F::ZERO; triples.len()]);
        let matching = &self.pairs.matching;
        let (slots, own) = (&matching.slots[triples.clone()], &self.of_triples[triples]);
        open(matching, &self.of_gates, slots, own, opened.each_mut().map(|opened| &mut opened[..]));
        opened
    }

    /// Notes the operands of the gates that came since the last call.
    fn note(&mut self, gates: &Tiles<L::Tag>) {
        for (before, tile) in gates.since(self.of_gates.len()) {
            reserve(&mut self.of_gates, before + tile.len());
            self.of_gates.extend(tile.iter().map(operands_of::<L>));
        }
    }
}

/// The left and the right operand of a gate.
fn operands_of<L: Values>([x, y, _]: &[L::Tag; 3]) -> [L::F; 2] {
    [L::value(*x), L::value(*y)]
}

/// The check of a block's groups, in memory that serves one block after the other.
struct Groups<M: Macs> {
    /// The further values of products, [`FURTHER`] a group.
    further: Zeroizing<Vec<M::Tag>>,
    /// The groups at ν.
    at_nu: Tiles<Tagged<M::E, M::E>>,
    checks: Checks<Packed<M::E>>,
}

/// The checker of a block, with the channel and the shares of its messages.
struct Checker<'a, M: Macs> {
    channel: &'a mut Channel,
    source: Source<M::Mac>,
    pool: Pool,
    arch: Arch,
    terms: Terms,
}

impl<'a, M: Macs> Prover<'a, M> {
    /// A proof over `channel` on these terms, with shares from `vole`, whose witness is read from `witness`.
    pub fn new(
        channel: &'a mut Channel,
        vole: BoxedVole<M::Mac>,
        arch: Arch,
        terms: Terms,
        witness: impl IntoIterator<Item = M::F, IntoIter: 'a>,
    ) -> Self {
        Self {
            checker: Checker { channel, source: Source::new(vole), pool: Pool::default(), arch, terms },
            steps: Steps::default(),
            witness: Box::new(witness.into_iter()),
            section: Zeroizing::new(Vec::with_capacity(TILE)),
            corrections: Vec::new(),
            next: 0,
            sectioned: 0,
            gates: Tiles::new(),
            checks: Checks::new(),
            groups: Groups { further: Zeroizing::default(), at_nu: Tiles::new(), checks: Checks::new() },
            openings: Openings::new(ASSERTED),
            counted: Gates::default(),
            checked: Checked::new(&terms),
            failed: None,
            progress: None,
        }
    }

    /// Hands out to `pool` what gates need not wait for, and pieces of a block's check.
    pub fn share_work(mut self, pool: &Pool) -> Self {
        self.checker.source.share_work(pool);
        self.checker.pool = pool.clone();
        self
    }

    /// Stores the number of multiplications so far in `progress`, if any, once a section.
    pub fn report_to(mut self, progress: Option<&'a AtomicU64>) -> Self {
        self.progress = progress;
        self
    }

    /// Sends what remains, and gives the VOLE back for the next statement. The verdict is the
    /// caller's to wait for.
    ///
    /// # Errors
    /// `Unsatisfied` where an assertion failed, and then the proof is not completed; `Invalid` where the
    /// circuit asserted nothing or left a part of the witness unread; link errors.
    pub fn finish(mut self) -> Result<(Gates, Checked, BoxedVole<M::Mac>)> {
        if self.counted.assert == 0 {
            return Err(nothing_asserted());
        }
        if self.witness.next().is_some() {
            return Err(witness_unread());
        }
        self.end_block()?;
        if let Some(name) = self.failed {
            return Err(Error::Unsatisfied(name));
        }
        let vole = self.checker.source.check(self.checker.channel)?;
        // Fig. 3, 9.
        self.checker.channel.send(&self.openings.digest())?;
        Ok((self.counted, self.checked, vole))
    }

    /// Commits to `value` by the next share. Fig. 3, 4.
    #[inline(always)]
    fn commit(&mut self, value: M::F) -> Result<M::Tag> {
        if self.next == self.section.len() {
            self.next_section()?;
        }
        let share = self.section[self.next];
        self.corrections[self.next] = value - M::value(share);
        self.next += 1;
        Ok(M::corrected(share, value))
    }

    /// Commits to `value` as the product of `a` and `b`, which it is where the prover is honest. Fig. 3, 5b.
    ///
    /// A call for each gate costs little beside its triples, and spares every statement a copy of this.
    #[inline(never)]
    pub(super) fn multiply(&mut self, a: M::Tag, b: M::Tag, value: M::F) -> Result<M::Tag> {
        if self.gates.len() as u64 == self.checker.terms.block {
            self.end_block()?;
        }
        let c = self.commit(value)?;
        self.gates.push([a, b, c]);
        self.counted.mul += 1;
        Ok(c)
    }

    #[cold]
    #[inline(never)]
    fn next_section(&mut self) -> Result<()> {
        self.steps.begin()?;
        self.end_section()?;
        let length = section(self.sectioned, TILE);
        self.section.resize(length, M::Tag::default());
        // None is there before all are.
        self.next = length;
        self.checker.source.fill(self.checker.channel, &mut self.section)?;
        self.corrections.resize(length, M::F::ZERO);
        self.sectioned += length;
        self.next = 0;
        self.steps.end();
        Ok(())
    }

    /// Sends the section's corrections, and gives unused shares back. Fig. 3, 4 and 5b.
    fn end_section(&mut self) -> Result<()> {
        if self.section.is_empty() {
            return Ok(());
        }
        self.corrections[self.next..].fill(M::F::ZERO);
        self.checker.channel.send_elements(&self.corrections)?;
        self.checker.source.give_back(&self.section[self.next..]);
        self.section.clear();
        self.next = 0;
        if self.checker.terms.by != CheckedBy::Interpolation {
            self.checks.note(&self.gates);
        }
        if let Some(progress) = self.progress {
            progress.store(self.counted.mul, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Checks the products of the block, if there are any.
    #[cold]
    #[inline(never)]
    fn end_block(&mut self) -> Result<()> {
        self.steps.begin()?;
        self.end_section()?;
        self.sectioned = 0;
        let gates = self.gates.len();
        if gates > 0 {
            let plan = self.checker.terms.plan(gates as u64);
            match self.checker.terms.by {
                CheckedBy::Interpolation => self.checker.check_groups(&self.gates, &mut self.groups)?,
                _ => self.checker.check_gates(plan, &mut self.gates, &mut self.checks)?,
            }
            self.gates.clear();
            self.checks.of_gates.clear();
            self.checked.count(gates as u64, plan);
        }
        self.steps.end();
        Ok(())
    }
}

impl<M: Macs> Checker<'_, M> {
    /// Checks each gate by triples of its own.
    fn check_gates(&mut self, plan: Plan, gates: &mut Tiles<M::Tag>, checks: &mut Checks<M>) -> Result<()> {
        let Self { source, arch, terms, .. } = self;
        let (arch, terms) = (*arch, *terms);
        let count = plan.triples(gates.len() as u64) as usize;
        make::<M>(self.channel, count, checks, |channel, rows| {
            source.fill(channel, rows.as_flattened_mut())
        })?;
        let seed = self.seed(!terms.one_way, CHECK)?;
        match_gates(&mut checks.pairs.matching, (&self.pool, arch), seed, &terms, gates.len(), plan);
        self.open::<M>(gates, checks)
    }

    /// Checks groups of gates as gates over the extension. Section III-B, approach 2.
    fn check_groups(&mut self, gates: &Tiles<M::Tag>, groups: &mut Groups<M>) -> Result<()> {
        let Groups { further, at_nu, checks } = groups;
        let count = gates.len().div_ceil(GROUP);
        // Step 2.
        self.further(gates, further)?;
        let degree = <M::E as Extension<M::F>>::degree() as usize;
        let mut rows = Zeroizing::new(Vec::new());
        let source = &mut self.source;
        make::<Packed<M::E>>(self.channel, count, checks, |channel, triples| {
            rows.resize(3 * degree * triples.len(), M::Tag::default());
            source.fill(channel, &mut rows)?;
            let packed = triples.as_flattened_mut().iter_mut().zip(rows.chunks_exact(degree));
            packed.for_each(|(packed, rows)| *packed = pack::<M>(rows));
            Ok(())
        })?;
        let seed = self.seed(!self.terms.one_way, CHECK)?;
        // Step 3.
        let at = At::new::<M::F>(match_groups(&mut checks.pairs.matching, self.arch, seed, count));
        at_nu.clear();
        checks.of_gates.clear();
        let mut further = further.chunks_exact(FURTHER);
        for (_, tile) in gates.iter() {
            for (group, further) in tile.chunks(GROUP).zip(&mut further) {
                let [a, b, c] = columns(group);
                let sum =
                    |weights: &[M::E], tags: &[M::Tag]| M::combine(self.arch, &weights[..tags.len()], tags);
                let product = sum(&at.product, &c) + sum(&at.product[GROUP..], further);
                at_nu.push([sum(&at.factors, &a), sum(&at.factors, &b), product]);
            }
        }
        checks.note(at_nu);
        // Step 4.
        self.open::<Packed<M::E>>(at_nu, checks)
    }

    /// Commits to the further values of the products' polynomials, [`FURTHER`] a group.
    fn further(&mut self, gates: &Tiles<M::Tag>, further: &mut Zeroizing<Vec<M::Tag>>) -> Result<()> {
        let weights = interpolation::further::<M::F>();
        let length = FURTHER * gates.len().div_ceil(GROUP);
        reserve(further, length);
        further.resize(length, M::Tag::default());
        let mut rest = &mut further[..];
        let mut corrections = Vec::new();
        for (_, tile) in gates.iter() {
            let rows;
            (rows, rest) = rest.split_at_mut(FURTHER * tile.len().div_ceil(GROUP));
            self.source.fill(self.channel, rows)?;
            corrections.clear();
            for (group, rows) in tile.chunks(GROUP).zip(rows.chunks_exact_mut(FURTHER)) {
                let [a, b, _] = columns(group);
                for (row, weights) in rows.iter_mut().zip(&weights) {
                    let value =
                        |tags: &[M::Tag]| M::value(M::linear(self.arch, &weights[..tags.len()], tags));
                    let product = value(&a) * value(&b);
                    corrections.push(product - M::value(*row));
                    *row = M::corrected(*row, product);
                }
            }
            self.channel.send_elements(&corrections)?;
        }
        Ok(())
    }

    /// Opens δ_α and δ_β of each gate with its triples, and the sum of MACs that shows both to be right. Fig.
    /// 3, 7 and 8; appendix B, second approach.
    fn open<L: Values<E = M::E>>(&mut self, gates: &mut Tiles<L::Tag>, checks: &mut Checks<L>) -> Result<()> {
        // Tasks open tile by tile, and the operands are theirs meanwhile.
        let [mut left, mut right] = mem::take(&mut checks.pairs.opened);
        let shared = Arc::new(mem::replace(checks, Checks::new()));
        let count = shared.of_triples.len();
        let (mut first, mut tasks) = (0, Tasks::default());
        left.clear();
        right.clear();
        left.reserve_exact(count);
        right.reserve_exact(count);
        loop {
            while first < count && tasks.len() <= self.pool.ahead() {
                let (checks, tile) = (shared.clone(), first..count.min(first + TILE));
                tasks.push(self.pool.run(move || checks.opened(tile)));
                first += TILE;
            }
            let Some([of_left, of_right]) = tasks.next() else { break };
            self.channel.send_elements(&of_left)?;
            self.channel.send_elements(&of_right)?;
            left.extend(of_left);
            right.extend(of_right);
        }
        *checks = Arc::into_inner(shared).expect("all tasks are done");
        checks.pairs.opened = [left, right];
        let [_, coin] = self.terms.coins::<M>();
        let seed = self.seed(coin, OPENING)?;
        let opening = Opening::<L, _>::new(self.arch, seed, gates, &mut checks.pairs);
        let sum = opening.of_tags(&self.pool);
        (*gates, checks.pairs) = opening.given_back();
        self.channel.send_elements(&[sum])
    }

    /// The seed of a challenge: the transcript's, or a coin of the verifier, which has received everything
    /// before.
    fn seed(&mut self, coin: bool, what: &'static str) -> Result<F128> {
        if !coin {
            return Ok(transcript_seed(self.channel, what));
        }
        self.source.catch_up(self.channel)?;
        let mut seed = [F128::ZERO];
        self.channel.recv_words(&mut seed)?;
        self.channel.checkpoint(what);
        Ok(seed[0])
    }
}

/// Makes `count` triples from shares that `fill` draws, and sends the corrections of their products. Fig. 3,
/// 2 and 3.
fn make<L: Values>(
    channel: &mut Channel,
    count: usize,
    checks: &mut Checks<L>,
    mut fill: impl FnMut(&mut Channel, &mut [[L::Tag; 3]]) -> Result<()>,
) -> Result<()> {
    let (triples, operands) = (&mut checks.pairs.triples, &mut checks.of_triples);
    triples.clear();
    reserve(operands, count);
    operands.resize(count, [L::F::ZERO; 2]);
    let mut corrections = vec![L::F::ZERO; TILE.min(count)];
    for noted in operands.chunks_mut(TILE) {
        let tile = triples.extend(noted.len());
        fill(channel, tile)?;
        let corrections = &mut corrections[..tile.len()];
        for ((triple, noted), correction) in tile.iter_mut().zip(noted).zip(&mut *corrections) {
            *noted = operands_of::<L>(triple);
            let (product, z) = (noted[0] * noted[1], &mut triple[2]);
            *correction = product - L::value(*z);
            *z = L::corrected(*z, product);
        }
        channel.send_elements(corrections)?;
    }
    Ok(())
}

/// A value of the extension from shares of its coordinates.
fn pack<M: Macs>(rows: &[M::Tag]) -> Tagged<M::E, M::E> {
    let pack = |coordinate: fn(M::Tag) -> M::E| {
        let coordinates: Zeroizing<Vec<M::E>> =
            Zeroizing::new(rows.iter().map(|&row| coordinate(row)).collect());
        <M::E as Extension<M::F>>::pack(&coordinates)
    };
    Tagged { value: pack(|row| M::value(row).into()), mac: pack(M::mac) }
}

/// The left operands, the right ones and the products of a group.
fn columns<R: Zeroize + Copy>(group: &[[R; 3]]) -> [Zeroizing<Vec<R>>; 3] {
    core::array::from_fn(|i| Zeroizing::new(group.iter().map(|triple| triple[i]).collect()))
}

impl<M: Macs> Backend for Prover<'_, M> {
    type F = M::F;
    type Wire = M::Tag;

    #[inline(always)]
    fn constant(&mut self, c: M::F) -> M::Tag {
        M::constant(c)
    }
    #[inline(always)]
    fn add(&mut self, a: M::Tag, b: M::Tag) -> M::Tag {
        self.counted.add += 1;
        a + b
    }
    #[inline(always)]
    fn scale(&mut self, a: M::Tag, c: M::F) -> M::Tag {
        M::scale(a, c)
    }
    fn witness(&mut self) -> Result<M::Tag> {
        let value = self.witness.next().ok_or_else(|| self.steps.fail(witness_ended()))?;
        self.counted.inputs += 1;
        self.commit(value)
    }
    fn hint(&mut self, of: &[M::Tag], f: impl Fn(&[M::F]) -> M::F + Send + Sync + 'static) -> Result<M::Tag> {
        let values: Zeroizing<Vec<M::F>> = Zeroizing::new(of.iter().map(|&tag| M::value(tag)).collect());
        self.counted.inputs += 1;
        self.commit(f(&values))
    }
    fn hints(
        &mut self,
        of: &[M::Tag],
        count: usize,
        f: impl Fn(&[M::F]) -> Vec<M::F> + Send + Sync + 'static,
    ) -> Result<Vec<M::Tag>> {
        let values = Zeroizing::new(f(&values::<M>(of)));
        assert_eq!(values.len(), count);
        self.counted.inputs += count as u64;
        let mut wires = Vec::with_capacity(count);
        for value in values.iter() {
            wires.push(self.commit(*value)?);
        }
        Ok(wires)
    }
    fn linear(&mut self, factors: &[M::F], wires: &[M::Tag]) -> M::Tag {
        self.counted.add += wires.len().saturating_sub(1) as u64;
        M::linear(self.checker.arch, factors, wires)
    }
    #[inline(always)]
    fn mul(&mut self, a: M::Tag, b: M::Tag) -> Result<M::Tag> {
        self.multiply(a, b, M::value(a) * M::value(b))
    }
    fn assert_zero(&mut self, a: M::Tag, name: impl Display) -> Result<()> {
        // A prover that has no witness ends without a proof, and says so.
        if verdict(M::value(a) != M::F::ZERO) && self.failed.is_none() {
            self.failed = Some(name.to_string());
        }
        self.openings.absorb(&M::mac(a));
        self.counted.assert += 1;
        Ok(())
    }
}

impl<M: Macs> Executor for Prover<'_, M> {
    type Beyond = GatesAlone;
}
