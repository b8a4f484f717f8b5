//! The verifier's side.

use super::interpolation::{At, FURTHER, GROUP, Packed};
use super::opening::{Opening, Pairs};
use super::rows::{Source, TILE, Tiles, reserve};
use super::{
    ASSERTED, CHECK, Checked, CheckedBy, OPENING, Plan, Terms, match_gates, match_groups, transcript_seed,
};
use core::fmt::Display;
use core::sync::atomic::{AtomicU64, Ordering};
use subtle::ConstantTimeEq;
use volery_channel::channel::Channel;
use volery_channel::error::{Error, Misbehaviour, Rejection, Result};
use volery_channel::pool::Pool;
use volery_channel::random::Random;
use volery_circuit::stream::{Executor, GatesAlone};
use volery_circuit::{Backend, nothing_asserted};
use volery_primitives::lanes::Lanes;
use volery_primitives::secret::{sent, verdict};
use volery_primitives::{Arch, Extension, F128, Field};
use volery_proof::openings::Openings;
use volery_proof::verdict::{Accepted, Gates, Steps, earlier, section};
use volery_vole::macs::{Macs, Values};
use volery_vole::vole::BoxedVole;
use volery_vole::vole::subfield::same;
use zeroize::Zeroizing;

/// Verifies the circuit that is pushed into it.
pub struct Verifier<'a, M: Macs> {
    checker: Checker<'a, M>,
    steps: Steps,
    /// The key of one.
    one: Zeroizing<M::E>,
    /// The open section: keys of the prover's next commitments, their corrections, and the number of the next
    /// to use.
    section: Zeroizing<Vec<M::E>>,
    corrections: Vec<M::F>,
    next: usize,
    /// Shares in this block's sections so far.
    sectioned: usize,
    /// The products of this block, and the memory for their check.
    gates: Tiles<M::E>,
    pairs: Pairs<M::F, M::E>,
    groups: Groups<M>,
    openings: Openings,
    counted: Gates,
    checked: Checked,
    progress: Option<&'a AtomicU64>,
}

/// The data that check a block's groups. Their memory is used again for the next block.
struct Groups<M: Macs> {
    /// The keys of the further values of products, [`FURTHER`] a group.
    further: Zeroizing<Vec<M::E>>,
    /// The groups at ν.
    at_nu: Tiles<M::E>,
    pairs: Pairs<M::E, M::E>,
}

/// The checker of blocks, with the channel and the shares of its messages.
struct Checker<'a, M: Macs> {
    channel: &'a mut Channel,
    source: Source<M::Key>,
    pool: Pool,
    arch: Arch,
    terms: Terms,
    delta: Zeroizing<M::E>,
    /// The source of its coins.
    random: Random,
    /// Whether all openings so far were right.
    holds: bool,
}

impl<'a, M: Macs> Verifier<'a, M> {
    /// A verification over `channel` on these terms, with shares from `vole` under `delta`;
    /// `random` is for its coins.
    pub fn new(
        channel: &'a mut Channel,
        vole: BoxedVole<M::Key>,
        arch: Arch,
        terms: Terms,
        delta: &M::Delta,
        random: &mut Random,
    ) -> Self {
        let random = Random::from_seed(&random.bytes());
        let source = Source::new(vole);
        Self {
            steps: Steps::default(),
            one: Zeroizing::new(M::one(delta)),
            checker: Checker {
                channel,
                source,
                pool: Pool::default(),
                arch,
                terms,
                delta: Zeroizing::new(M::delta(delta)),
                random,
                holds: true,
            },
            section: Zeroizing::new(Vec::with_capacity(TILE)),
            corrections: Vec::new(),
            next: 0,
            sectioned: 0,
            gates: Tiles::new(),
            pairs: Pairs::new(),
            groups: Groups { further: Zeroizing::default(), at_nu: Tiles::new(), pairs: Pairs::new() },
            openings: Openings::new(ASSERTED),
            counted: Gates::default(),
            checked: Checked::new(&terms),
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

    /// Receives what remains and decides; gives the VOLE back for the next statement. The
    /// prover is not told here.
    ///
    /// # Errors
    /// `Rejected` or `Misbehaved` where a check fails; `Invalid` where the circuit asserted
    /// nothing; link errors.
    pub fn finish(mut self) -> Result<(Accepted, Gates, Checked, BoxedVole<M::Key>)> {
        if self.counted.assert == 0 {
            return Err(nothing_asserted());
        }
        self.end_block()?;
        // A failed check must not look different to a peer whose last message is still to come: its error waits.
        let decided = match self.checker.source.check(self.checker.channel) {
            Err(error) if error.is_of_link() && self.checker.holds => return Err(error),
            _ if !self.checker.holds => Err(Error::Rejected(Rejection::Products)),
            checked => checked,
        };
        let (decided, openings) = earlier(decided, self.checker.channel.recv_array::<32>())?;
        // Fig. 3, 9.
        let assertions_hold = self.openings.digest().ct_eq(&openings);
        let vole = decided?;
        let accepted = Accepted::only_if(verdict(assertions_hold), Rejection::Assertions)?;
        Ok((accepted, self.counted, self.checked, vole))
    }

    /// The key of the value that the prover commits to by the next share. Fig. 3, 4 and 5b.
    #[inline(always)]
    fn commit(&mut self) -> Result<M::E> {
        if self.next == self.section.len() {
            self.next_section()?;
        }
        let key = self.section[self.next];
        self.next += 1;
        Ok(key)
    }

    /// Draws the next section and receives its corrections, which go on the keys at once.
    #[cold]
    #[inline(never)]
    fn next_section(&mut self) -> Result<()> {
        self.steps.begin()?;
        self.end_section()?;
        let length = section(self.sectioned, TILE);
        self.section.resize(length, M::E::ZERO);
        // None is there before all are.
        self.next = length;
        self.checker.source.fill(self.checker.channel, &mut self.section)?;
        self.corrections.resize(length, M::F::ZERO);
        self.checker.channel.recv_elements(&mut self.corrections)?;
        M::correct(self.checker.arch, &mut self.section, &self.corrections, *self.one);
        self.sectioned += length;
        self.next = 0;
        self.steps.end();
        Ok(())
    }

    /// Gives unused shares back.
    fn end_section(&mut self) -> Result<()> {
        if self.corrections[self.next..].iter().any(|correction| *correction != M::F::ZERO) {
            return Err(Error::Misbehaved(Misbehaviour::UnusedShares));
        }
        if self.section.is_empty() {
            return Ok(());
        }
        self.checker.source.give_back(&self.section[self.next..]);
        self.section.clear();
        self.corrections.clear();
        self.next = 0;
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
            self.checker.holds &= match self.checker.terms.by {
                CheckedBy::Interpolation => {
                    self.checker.check_groups(&self.gates, &mut self.groups, *self.one)?
                }
                _ => self.checker.check_gates(plan, &mut self.gates, &mut self.pairs, *self.one)?,
            };
            self.gates.clear();
            self.checked.count(gates as u64, plan);
        }
        self.steps.end();
        Ok(())
    }
}

impl<M: Macs> Checker<'_, M> {
    /// Checks each gate by triples of its own, and gives whether their opening is right.
    fn check_gates(
        &mut self,
        plan: Plan,
        gates: &mut Tiles<M::E>,
        pairs: &mut Pairs<M::F, M::E>,
        one: M::E,
    ) -> Result<bool> {
        let Self { source, arch, terms, .. } = self;
        let (arch, terms) = (*arch, *terms);
        let count = plan.triples(gates.len() as u64) as usize;
        let fill =
            |channel: &mut Channel, rows: &mut [[M::E; 3]]| source.fill(channel, rows.as_flattened_mut());
        make::<M>(self.channel, count, &mut pairs.triples, fill, |keys, corrections| {
            M::correct(arch, keys, corrections, one);
        })?;
        let seed = self.seed(!terms.one_way, CHECK)?;
        match_gates(&mut pairs.matching, (&self.pool, arch), seed, &terms, gates.len(), plan);
        self.open::<M>(gates, pairs)
    }

    /// Checks groups of gates as gates over the extension. Section III-B, approach 2.
    fn check_groups(&mut self, gates: &Tiles<M::E>, groups: &mut Groups<M>, one: M::E) -> Result<bool> {
        let Groups { further, at_nu, pairs } = groups;
        let count = gates.len().div_ceil(GROUP);
        // Step 2.
        self.further(gates, further, one)?;
        let degree = <M::E as Extension<M::F>>::degree() as usize;
        let mut rows = Zeroizing::new(Vec::new());
        let source = &mut self.source;
        let fill = |channel: &mut Channel, triples: &mut [[M::E; 3]]| {
            rows.resize(3 * degree * triples.len(), M::E::ZERO);
            source.fill(channel, &mut rows)?;
            let packed = triples.as_flattened_mut().iter_mut().zip(rows.chunks_exact(degree));
            packed.for_each(|(packed, rows)| *packed = <M::E as Extension<M::F>>::pack(rows));
            Ok(())
        };
        make::<Packed<M::E>>(self.channel, count, &mut pairs.triples, fill, |keys, corrections| {
            keys.iter_mut().zip(corrections).for_each(|(key, &correction)| *key += one * correction);
        })?;
        let seed = self.seed(!self.terms.one_way, CHECK)?;
        // Step 3.
        let at = At::new::<M::F>(match_groups(&mut pairs.matching, self.arch, seed, count));
        at_nu.clear();
        let mut further = further.chunks_exact(FURTHER);
        for (_, tile) in gates.iter() {
            for (group, further) in tile.chunks(GROUP).zip(&mut further) {
                let [a, b, c]: [Zeroizing<Vec<M::E>>; 3] =
                    core::array::from_fn(|i| Zeroizing::new(group.iter().map(|triple| triple[i]).collect()));
                let sum = |weights: &[M::E], keys: &[M::E]| {
                    <M::E as Lanes<M::F>>::dot(self.arch, &weights[..keys.len()], keys)
                };
                let product = sum(&at.product, &c) + sum(&at.product[GROUP..], further);
                at_nu.push([sum(&at.factors, &a), sum(&at.factors, &b), product]);
            }
        }
        // Step 4.
        self.open::<Packed<M::E>>(at_nu, pairs)
    }

    /// Keys of the further values of the products' polynomials, [`FURTHER`] a group.
    fn further(&mut self, gates: &Tiles<M::E>, further: &mut Zeroizing<Vec<M::E>>, one: M::E) -> Result<()> {
        let length = FURTHER * gates.len().div_ceil(GROUP);
        reserve(further, length);
        further.resize(length, M::E::ZERO);
        let mut rest = &mut further[..];
        let mut corrections = Vec::new();
        for (_, tile) in gates.iter() {
            let keys;
            (keys, rest) = rest.split_at_mut(FURTHER * tile.len().div_ceil(GROUP));
            self.source.fill(self.channel, keys)?;
            corrections.resize(keys.len(), M::F::ZERO);
            self.channel.recv_elements(&mut corrections)?;
            M::correct(self.arch, keys, &corrections, one);
        }
        Ok(())
    }

    /// Receives δ_α and δ_β of each gate with its triples, and the prover's sum of MACs, and gives whether
    /// they are right. Fig. 3, 7 and 8; appendix B, second approach.
    fn open<L: Values<E = M::E>>(
        &mut self,
        gates: &mut Tiles<M::E>,
        pairs: &mut Pairs<L::F, M::E>,
    ) -> Result<bool> {
        let Pairs { triples, opened: [left, right], .. } = pairs;
        left.resize(triples.len(), L::F::ZERO);
        right.resize(triples.len(), L::F::ZERO);
        for (left, right) in left.chunks_mut(TILE).zip(right.chunks_mut(TILE)) {
            self.channel.recv_elements(left)?;
            self.channel.recv_elements(right)?;
        }
        let [_, coin] = self.terms.coins::<M>();
        let seed = self.seed(coin, OPENING)?;
        let opening = Opening::<L, _>::new(self.arch, seed, gates, pairs);
        let expected = opening.of_keys(&self.pool, *self.delta);
        (*gates, *pairs) = opening.given_back();
        let mut sum = [M::E::ZERO];
        self.channel.recv_elements(&mut sum)?;
        Ok(same(sum[0], expected))
    }

    /// The seed of a challenge, after everything that it combines: a coin, or the transcript's.
    fn seed(&mut self, coin: bool, what: &'static str) -> Result<F128> {
        if !coin {
            return Ok(transcript_seed(self.channel, what));
        }
        let seed = self.random.word();
        self.channel.send_coin(&[seed])?;
        self.channel.flush()?;
        self.channel.checkpoint(what);
        // What is permuted by it goes by addresses.
        Ok(sent(seed))
    }
}

/// Makes the keys of `count` triples from shares that `fill` draws, and corrects the keys of their products
/// by `correct`. Fig. 3, 2 and 3.
fn make<L: Values>(
    channel: &mut Channel,
    count: usize,
    triples: &mut Tiles<L::E>,
    mut fill: impl FnMut(&mut Channel, &mut [[L::E; 3]]) -> Result<()>,
    correct: impl Fn(&mut [L::E], &[L::F]),
) -> Result<()> {
    triples.clear();
    let mut corrections = Vec::new();
    let mut products = Zeroizing::new(Vec::with_capacity(TILE.min(count)));
    while triples.len() < count {
        let tile = triples.extend(TILE.min(count - triples.len()));
        fill(channel, tile)?;
        corrections.resize(tile.len(), L::F::ZERO);
        channel.recv_elements(&mut corrections)?;
        products.clear();
        products.extend(tile.iter().map(|[_, _, z]| *z));
        correct(&mut products, &corrections);
        tile.iter_mut().zip(products.iter()).for_each(|([_, _, z], product)| *z = *product);
    }
    Ok(())
}

impl<M: Macs> Backend for Verifier<'_, M> {
    type F = M::F;
    type Wire = M::E;

    #[inline(always)]
    fn constant(&mut self, c: M::F) -> M::E {
        self.one.scale(c)
    }
    #[inline(always)]
    fn add(&mut self, a: M::E, b: M::E) -> M::E {
        self.counted.add += 1;
        a + b
    }
    #[inline(always)]
    fn scale(&mut self, a: M::E, c: M::F) -> M::E {
        a.scale(c)
    }
    fn witness(&mut self) -> Result<M::E> {
        self.counted.inputs += 1;
        self.commit()
    }
    fn hint(&mut self, _: &[M::E], _: impl Fn(&[M::F]) -> M::F + Send + Sync + 'static) -> Result<M::E> {
        self.counted.inputs += 1;
        self.commit()
    }
    fn linear(&mut self, factors: &[M::F], wires: &[M::E]) -> M::E {
        self.counted.add += wires.len().saturating_sub(1) as u64;
        M::linear_keys(self.checker.arch, factors, wires)
    }
    /// Multiplies out of line, as the prover does: a call for each gate.
    #[inline(never)]
    fn mul(&mut self, a: M::E, b: M::E) -> Result<M::E> {
        if self.gates.len() as u64 == self.checker.terms.block {
            self.end_block()?;
        }
        let c = self.commit()?;
        self.gates.push([a, b, c]);
        self.counted.mul += 1;
        Ok(c)
    }
    fn assert_zero(&mut self, a: M::E, _: impl Display) -> Result<()> {
        self.openings.absorb(&a);
        self.counted.assert += 1;
        Ok(())
    }
}

impl<M: Macs> Executor for Verifier<'_, M> {
    type Beyond = GatesAlone;
}
