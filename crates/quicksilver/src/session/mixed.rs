//! Statements over two fields, by QuickSilver.
//!
//! One handshake names both fields and both correlations. Then each half is set up, the one over F_2 first,
//! with a global key of its own; and one verdict is told for both.

use crate::conversion::{self, Both, Prover, Verifier};
use crate::session::Analysed;
use crate::traffic::masks;
use core::marker::PhantomData;
use core::sync::atomic::Ordering::Relaxed;
use volery_channel::channel::{Carried, Channel, HANDSHAKE};
use volery_channel::error::{Disagreement, Error, Result, Sides};
use volery_channel::pool::Pool;
use volery_channel::random::Random;
use volery_circuit::stream::MixedStreamed;
use volery_circuit::{Clear, MixedCircuit, MixedCount, MixedShape, Size, check_mixed, widest};
use volery_primitives::{F2, Field, MacField};
use volery_proof::binary::Binary;
use volery_proof::clear::MixedStatement;
use volery_proof::correlations::{Choice, Correlations, Demand, Excluded, Use};
use volery_proof::estimate::Estimate;
use volery_proof::facts::SettingFacts;
use volery_proof::options::{Options, Security};
use volery_proof::over::Over;
use volery_proof::report::{Details, Report};
use volery_proof::run::{
    Agreement, Outcome, ProofRun, enough, fresh, refuse_without_coins, searched_offline,
};
use volery_proof::setting::{Registered, Setting};
use volery_proof::system::System;
use volery_proof::verdict::{Accepted, VERDICT};
use volery_proof::witness::{Reread, Stream};
use volery_vole::macs::{BitMacs, FieldMacs};
use volery_vole::vole::{BoxedVole, Share};

/// A statement that can be proved over F_2 and the field `B` with MACs in `E`: whatever implements
/// [`MixedCircuit`] for all of them.
pub trait ProvableMixed<B: Field, E: MacField<B>> {
    /// Pushes it into a prover.
    ///
    /// # Errors
    /// Those of the prover and of the statement.
    fn push_to_prover(&self, prover: &mut Prover<'_, B, E>) -> Result<()>;

    /// Pushes it into a verifier.
    ///
    /// # Errors
    /// Those of the verifier and of the statement.
    fn push_to_verifier(&self, verifier: &mut Verifier<'_, B, E>) -> Result<()>;

    /// Checks the statement in the clear: see [`check_mixed`].
    ///
    /// # Errors
    /// As for [`check_mixed`].
    fn evaluate(&self, bits: Stream<'_, F2>, numbers: Stream<'_, B>) -> Result<()>;

    /// The shape of the statement, and where it is asked for, its digest, as [`MixedShape::fingerprint`] has
    /// it.
    ///
    /// # Errors
    /// `Invalid` where the statement is malformed.
    fn count(&self, fingerprinted: bool) -> Result<(MixedShape, Option<[u8; 32]>)>;
}

impl<B: Field, E: MacField<B>, C> ProvableMixed<B, E> for C
where
    C: for<'a> MixedCircuit<Prover<'a, B, E>> + for<'a> MixedCircuit<Verifier<'a, B, E>>,
    C: for<'w> MixedCircuit<(Clear<'w, F2>, Clear<'w, B>)> + MixedCircuit<MixedCount<B>>,
{
    fn push_to_prover(&self, prover: &mut Prover<'_, B, E>) -> Result<()> {
        self.run(prover)
    }
    fn push_to_verifier(&self, verifier: &mut Verifier<'_, B, E>) -> Result<()> {
        self.run(verifier)
    }
    fn evaluate(&self, bits: Stream<'_, F2>, numbers: Stream<'_, B>) -> Result<()> {
        check_mixed(self, bits, numbers)
    }
    fn count(&self, fingerprinted: bool) -> Result<(MixedShape, Option<[u8; 32]>)> {
        if fingerprinted {
            MixedShape::fingerprint(self).map(|(shape, digest)| (shape, Some(digest)))
        } else {
            Ok((MixedShape::of(self)?, None))
        }
    }
}

/// QuickSilver over F_2 and the field `B`, whatever the extension of the latter's MACs, as it is compiled here for
/// streams of gates: those of [`prove_mixed`] and [`verify_mixed`].
pub trait WithBits<B: Field>: Sync {
    /// Proves that a witness of bits and one of numbers satisfy `statement`.
    ///
    /// # Errors
    /// As for [`prove_mixed`].
    fn prove(
        &self,
        statement: &dyn MixedStatement<B>,
        witness: (&dyn Reread<F2>, &dyn Reread<B>),
        channel: &mut Channel,
        options: &Options,
    ) -> Result<Report>;

    /// Verifies `statement`.
    ///
    /// # Errors
    /// As for [`verify_mixed`].
    fn verify(
        &self,
        statement: &dyn MixedStatement<B>,
        channel: &mut Channel,
        options: &Options,
    ) -> Result<(Accepted, Report)>;

    /// About what a session of a statement of this shape sends, counted from what it needs.
    ///
    /// # Errors
    /// `Invalid` where no correlations offer the usual security for it.
    fn traffic(&self, shape: &MixedShape) -> Result<Estimate>;
}

/// A statement that is streams of gates and nothing else.
struct Streams<'s, B: Field>(&'s dyn MixedStatement<B>);

impl<B: Field, E: MacField<B>> ProvableMixed<B, E> for Streams<'_, B> {
    fn push_to_prover(&self, prover: &mut Prover<'_, B, E>) -> Result<()> {
        MixedStreamed(self.0).run(prover)
    }
    fn push_to_verifier(&self, verifier: &mut Verifier<'_, B, E>) -> Result<()> {
        MixedStreamed(self.0).run(verifier)
    }
    fn evaluate(&self, bits: Stream<'_, F2>, numbers: Stream<'_, B>) -> Result<()> {
        self.0.check(bits, numbers)
    }
    fn count(&self, fingerprinted: bool) -> Result<(MixedShape, Option<[u8; 32]>)> {
        if fingerprinted {
            self.0.fingerprint().map(|(shape, digest)| (shape, Some(digest)))
        } else {
            Ok((self.0.count()?, None))
        }
    }
}

/// QuickSilver over F_2 and `B` with MACs in `E`.
pub(super) struct OfTwoFields<B, E>(PhantomData<fn() -> (B, E)>);

impl<B, E> OfTwoFields<B, E> {
    pub(super) const NEW: Self = Self(PhantomData);
}

impl<B: Field, E: MacField<B>> WithBits<B> for OfTwoFields<B, E>
where
    Over<B, E>: Registered,
{
    fn prove(
        &self,
        statement: &dyn MixedStatement<B>,
        (bits, numbers): (&dyn Reread<F2>, &dyn Reread<B>),
        channel: &mut Channel,
        options: &Options,
    ) -> Result<Report> {
        prove_mixed::<B, E>(&Streams(statement), bits, numbers, channel, options)
    }

    fn verify(
        &self,
        statement: &dyn MixedStatement<B>,
        channel: &mut Channel,
        options: &Options,
    ) -> Result<(Accepted, Report)> {
        verify_mixed::<B, E>(&Streams(statement), channel, options)
    }

    fn traffic(&self, shape: &MixedShape) -> Result<Estimate> {
        traffic::<B, E>(shape)
    }
}

/// The halves of a proof over two fields.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Converted {
    /// The gates of each half, and what was converted.
    pub both: Both,
    /// The sources of each half's correlations, those over F_2 first.
    pub correlations: [Correlations; 2],
}

impl Details for Converted {}

/// Proves that `bits` and `numbers` are a witness that satisfies `circuit`, a statement over F_2 and `B` with
/// MACs in `E`, by QuickSilver: `prove_mixed::<F61, F61>(…)`. Correlations over F_2 are SoftSpoken's; those
/// that `options` name are taken over the field that has them.
///
/// # Errors
/// As for `prove_over`; `Invalid` where `B` has characteristic two.
pub fn prove_mixed<B: Field, E: MacField<B>>(
    circuit: &(impl ProvableMixed<B, E> + ?Sized),
    bits: impl IntoIterator<Item = F2> + Clone,
    numbers: impl IntoIterator<Item = B> + Clone,
    channel: &mut Channel,
    options: &Options,
) -> Result<Report>
where
    Over<B, E>: Registered,
{
    let settled = Settled::over::<B, E>(circuit.count(options.statement.is_none())?, options)?;
    if options.check {
        circuit.evaluate(bits.read(), numbers.read())?;
    }
    let (pool, random) = (Pool::new(options.threads)?, &mut fresh(options)?);
    channel.share_work(&pool);
    settled.open(channel, random, options)?.prove(|run| {
        let voles = (
            Binary::ends().prover_end(settled.bits, run.channel, options.arch, run.random)?,
            Over::<B, E>::ends().prover_end(settled.numbers, run.channel, options.arch, run.random)?,
        );
        let voles = settled.expect(voles);
        run.begin();
        let witness = (bits.read(), numbers.read());
        let prover = Prover::<B, E>::new(run.channel, voles, options.arch, witness, run.random);
        let mut prover = prover.share_work(&pool).report_to(options.progress.as_deref());
        circuit.push_to_prover(&mut prover)?;
        prover.finish().map(|both| settled.outcome(both, options))
    })
}

/// Verifies that the prover at the other end of `channel` knows a witness for `circuit`, a statement over F_2
/// and `B`, as [`prove_mixed`] proves it, and tells it the verdict.
///
/// # Errors
/// As for `verify_over`; `Invalid` where `B` has characteristic two.
pub fn verify_mixed<B: Field, E: MacField<B>>(
    circuit: &(impl ProvableMixed<B, E> + ?Sized),
    channel: &mut Channel,
    options: &Options,
) -> Result<(Accepted, Report)>
where
    Over<B, E>: Registered,
{
    let settled = Settled::over::<B, E>(circuit.count(options.statement.is_none())?, options)?;
    let (pool, random) = (Pool::new(options.threads)?, &mut fresh(options)?);
    channel.share_work(&pool);
    settled.open(channel, random, options)?.verify(options, |run| {
        let (channel, arch) = (&mut *run.channel, options.arch);
        let delta = Binary::delta(run.random);
        let bits = Binary::ends().verifier_end(settled.bits, channel, arch, &delta, run.random)?;
        let other = Over::<B, E>::delta(run.random);
        let numbers =
            Over::<B, E>::ends().verifier_end(settled.numbers, channel, arch, &other, run.random)?;
        let voles = settled.expect((bits, numbers));
        run.begin();
        let verifier = Verifier::<B, E>::new(run.channel, voles, arch, (&delta, &other), run.random);
        let mut verifier = verifier.share_work(&pool).report_to(options.progress.as_deref());
        circuit.push_to_verifier(&mut verifier)?;
        let (accepted, both) = verifier.finish()?;
        // More gates than were counted may be worth less.
        settled.offered_to(&both, options)?;
        Ok((accepted, settled.outcome(both, options)))
    })
}

/// About what a session of a statement of this shape sends over the correlations that it takes where none are
/// named. Corrections end with each turn, and there are at most so many rounds: so it may be less, or more by
/// some hundred bytes a turn.
fn traffic<B: Field, E: MacField<B>>(shape: &MixedShape) -> Result<Estimate>
where
    Over<B, E>: Registered,
{
    let Settled { sizes: [bits, numbers], bits: by_bits, numbers: by_numbers, .. } =
        Settled::over::<B, E>((*shape, Some([0; 32])), &Options::default())?;
    let bits = BitMacs::traffic(by_bits, bits, None);
    let numbers = FieldMacs::<B, E>::traffic(by_numbers, numbers, None);
    // One handshake, and one verdict.
    let but = |two: Carried, once: Carried| Carried {
        prover: two.prover - once.prover,
        verifier: two.verifier - once.verifier,
    };
    let setup = but(bits.setup + numbers.setup, HANDSHAKE);
    Ok(Estimate { setup, total: but(bits.total + numbers.total, HANDSHAKE + VERDICT) })
}

/// Refuses other systems.
fn allowed(options: &Options) -> Result<()> {
    match options.system() {
        System::QUICKSILVER => Ok(()),
        other => Err(Error::invalid(format!(
            "a statement over two fields is proved over a link by {}, and not by {other}",
            System::QUICKSILVER
        ))),
    }
}

/// Refuses fields that bits are not converted to.
fn convertible<B: Field>() -> Result<()> {
    if widest::<B>() > 0 {
        return Ok(());
    }
    Err(Error::invalid(format!(
        "bits are converted to integers modulo a prime above 16, and not to {}",
        B::name()
    )))
}

/// The correlations over F_2 for a half of this size, of which shallow trees may be worth `enough`, and those
/// that are named and for the other fields.
fn over_bits(
    options: &Options,
    size: Size,
    enough: impl FnOnce(Correlations) -> bool,
) -> (Correlations, Option<Correlations>) {
    let [shallow, deep] = [Correlations::SOFTSPOKEN4, Correlations::SOFTSPOKEN8];
    let few = size.commitments <= Binary::SMALL_STATEMENT || bandwidth(options) < SHALLOW;
    match options.correlations {
        Some(named) if named == shallow || named == deep => (named, None),
        named => (if few || !enough(shallow) { deep } else { shallow }, named),
    }
}

/// The correlations over `setting` that are fastest for a half of this size, of those with which the whole is
/// worth so many bits; where it never is, those with which it is worth most.
fn over_numbers(
    setting: &dyn SettingFacts,
    options: &Options,
    size: Size,
    asked: u32,
    worth: &dyn Fn(Correlations) -> u32,
) -> Correlations {
    let excluded = Excluded::of(setting, &mut |correlations| worth(correlations) >= asked);
    let demand = Demand { shares: size.commitments, purpose: Use::Proof };
    let fastest = Choice::usually(setting, demand, excluded, bandwidth(options));
    let best = || setting.correlations().into_iter().max_by_key(|one| worth(*one));
    fastest.map(|choice| choice.correlations).or_else(best).expect("each field has some")
}

fn bandwidth(options: &Options) -> f64 {
    options.bandwidth.unwrap_or(BANDWIDTH)
}

/// The facts of a statement before any message.
struct Settled {
    halves: Halves,
    statement: [u8; 32],
    /// The sizes on which the soundness of each half depends, at most.
    sizes: [Size; 2],
    rounds: u64,
    bits: Correlations,
    numbers: Correlations,
}

/// The settings of both halves.
#[derive(Clone, Copy)]
struct Halves {
    bits: &'static dyn SettingFacts,
    numbers: &'static dyn SettingFacts,
    /// The security of each half in bits: see [`Analysed::statistical_bits`].
    worth: [fn(Correlations, Size) -> u32; 2],
    /// The security of both halves together, over so many rounds: see [`conversion::security`].
    security: fn([u32; 2], u64) -> u32,
}

impl Halves {
    /// −log2 of the soundness error of a statement of such sizes over these correlations, floored.
    fn worth(&self, [bits, numbers]: [Correlations; 2], sizes: [Size; 2], rounds: u64) -> u32 {
        let (bits, numbers) = (self.worth[0](bits, sizes[0]), self.worth[1](numbers, sizes[1]));
        (self.security)([bits, numbers], rounds)
    }
}

/// The speed of a link by which correlations are chosen where nothing is said of it, in Mbit/s.
const BANDWIDTH: f64 = 10_000.0;

/// The speed from which on the traffic of SoftSpoken's shallow trees costs less than the work of deep ones.
const SHALLOW: f64 = 1_000.0;

impl Settled {
    /// The settings of a statement of this shape, and of this digest where `options` name none, over F_2 and
    /// `B` with MACs in `E`.
    fn over<B: Field, E: MacField<B>>(
        (shape, digest): (MixedShape, Option<[u8; 32]>),
        options: &Options,
    ) -> Result<Self>
    where
        Over<B, E>: Registered,
    {
        allowed(options)?;
        convertible::<B>()?;
        let (bits, numbers) = (Binary::facts(), Over::<B, E>::facts());
        let worth = [BitMacs::statistical_bits, FieldMacs::<B, E>::statistical_bits];
        let halves = Halves { bits, numbers, worth, security: conversion::security::<E> };
        let statement = options.statement.or(digest).expect("one of them");
        Self::new(
            halves,
            statement,
            conversion::sizes::<B, E>(&shape),
            conversion::rounds::<B>(&shape),
            options,
        )
    }

    fn new(
        halves: Halves,
        statement: [u8; 32],
        sizes: [Size; 2],
        rounds: u64,
        options: &Options,
    ) -> Result<Self> {
        let setting = halves.numbers;
        refuse_without_coins(options, setting.non_interactive(), || searched_offline(&setting.name()))?;
        let asked = options.asked_security(setting.security())?;
        let worth = |bits, numbers| halves.worth([bits, numbers], sizes, rounds);
        let any = setting.correlations();
        let enough = |bits| any.iter().any(|numbers| worth(bits, *numbers) >= asked);
        let (bits, named) = over_bits(options, sizes[0], enough);
        let numbers = match named {
            Some(named) => setting.named(named.name())?,
            None => over_numbers(setting, options, sizes[1], asked, &|numbers| worth(bits, numbers)),
        };
        let settled = Self { halves, statement, sizes, rounds, bits, numbers };
        settled.offer(settled.sizes, settled.rounds, options)?;
        Ok(settled)
    }

    /// The correlations of both halves, as both parties call them.
    fn correlations(&self) -> [Correlations; 2] {
        [self.bits, self.numbers]
    }

    /// −log2 of the soundness error of a statement of such sizes, floored.
    fn statistical_bits(&self, sizes: [Size; 2], rounds: u64) -> u32 {
        self.halves.worth(self.correlations(), sizes, rounds)
    }

    /// Refuses where less statistical security is offered than asked for.
    fn offer(&self, sizes: [Size; 2], rounds: u64, options: &Options) -> Result<()> {
        let asked = options.asked_security(self.halves.numbers.security())?;
        let offered = self.statistical_bits(sizes, rounds);
        enough(asked, offered, || {
            let ([bits, numbers], setting) = (self.correlations(), self.halves.numbers.name());
            format!(
                "over f2 by {bits} and {setting} by {numbers} a statement of this size has {offered}: ask for \
                 fewer, or take a larger extension"
            )
        })
    }

    /// The sizes and rounds of a proof, where they are more than was counted.
    fn sizes_with(&self, both: &Both) -> ([Size; 2], u64) {
        let [bits, numbers] = self.sizes;
        let sizes = [bits.or_more(both.bits.size()), numbers.or_more(both.numbers.size())];
        (sizes, self.rounds.max(both.rounds.rounds))
    }

    /// Refuses a proof of more than was counted, where it is worth less.
    fn offered_to(&self, both: &Both, options: &Options) -> Result<()> {
        let (sizes, rounds) = self.sizes_with(both);
        self.offer(sizes, rounds, options)
    }

    /// Has both ends expect as much as was counted.
    fn expect<S: Share, T: Share>(
        &self,
        (mut over_bits, mut over_numbers): (BoxedVole<S>, BoxedVole<T>),
    ) -> (BoxedVole<S>, BoxedVole<T>) {
        let ([bits, numbers], halves) = (self.sizes, self.halves);
        over_bits.expect(bits.commitments, masks(bits, halves.bits.degree()).in_all());
        over_numbers.expect(numbers.commitments, masks(numbers, halves.numbers.degree()).in_all());
        (over_bits, over_numbers)
    }

    /// Shakes hands on all of it.
    fn open<'r>(
        &self,
        channel: &'r mut Channel,
        random: &'r mut Random,
        options: &Options,
    ) -> Result<ProofRun<'r>> {
        let [bits, numbers] = self.correlations();
        let (field, statement) =
            (&format!("{} {}", self.halves.bits.name(), self.halves.numbers.name()), self.statement);
        let agreement = &Agreement {
            protocol: SYSTEM,
            field,
            parameters: &format!("{bits} {numbers}"),
            lanes: 0,
            statement,
        };
        ProofRun::open(channel, random, options, agreement, &mut |_, theirs| {
            Sides { ours: agreement.parameters.to_owned(), theirs }.agree(Disagreement::OfTwoFields)
        })
    }

    /// The outcome of a proof that did this.
    fn outcome(&self, both: Both, options: &Options) -> Outcome {
        let (sizes, rounds) = self.sizes_with(&both);
        let computational = [
            self.halves.bits.computational_bits(self.bits, sizes[0]),
            self.halves.numbers.computational_bits(self.numbers, sizes[1]),
        ];
        let security = Security {
            computational: computational.into_iter().min().expect("two"),
            statistical: self.statistical_bits(sizes, rounds),
        };
        let gates = both.bits.and(&both.numbers);
        if let Some(progress) = &options.progress {
            progress.store(gates.mul, Relaxed);
        }
        let converted = Converted { both, correlations: self.correlations() };
        Outcome::of(System::QUICKSILVER, gates, security).with(converted)
    }
}

/// The system's name in a handshake on a statement over two fields.
const SYSTEM: &str = "quicksilver of two fields";
