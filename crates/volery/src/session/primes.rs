//! Statements over F_2 and two prime fields, by QuickSilver: as [`super::mixed`], with a third half.

use super::correlations::Correlations;
use super::mixed::{allowed, convertible, over_bits, over_numbers};
use super::single::fresh;
use super::{
    Binary, BitCorrelations, Details, FieldCorrelations, Options, Over, Registered, Report, Reread, Security,
    Setting, Stream, System,
};
use crate::channel::{Channel, Hello, Traffic, shake_hands};
use crate::circuit::{Clear, MixedCircuit, PrimesCount, PrimesShape, Size, check_primes};
use crate::error::{Disagreement, Error, Result, Sides};
use crate::pool::Pool;
use crate::random::Random;
use crate::vole::{BoxedVole, Share};
use crate::zk::quicksilver::conversion::primes::{self, All, Prover, Verifier};
use crate::zk::quicksilver::traffic::masks;
use crate::zk::{Accepted, recv_end, recv_verdict, tell};
use core::sync::atomic::Ordering::Relaxed;
use std::time::Instant;
use volery_primitives::{Extension, F2, F128, Field, MacField};

/// What can be proved over F_2, the field `B` with MACs in `E`, and `C` with MACs in `G`: whatever implements
/// [`MixedCircuit`] for all of them.
pub trait ProvablePrimes<B: Field, E: MacField<B>, C: Field, G: MacField<C>> {
    /// Pushes it into a prover.
    ///
    /// # Errors
    /// Those of the prover and of the statement.
    fn push_to_prover(&self, prover: &mut Prover<'_, B, E, C, G>) -> Result<()>;

    /// Pushes it into a verifier.
    ///
    /// # Errors
    /// Those of the verifier and of the statement.
    fn push_to_verifier(&self, verifier: &mut Verifier<'_, B, E, C, G>) -> Result<()>;

    /// As [`check_primes`].
    ///
    /// # Errors
    /// As for [`check_primes`].
    fn evaluate(&self, bits: Stream<'_, F2>, numbers: Stream<'_, B>, others: Stream<'_, C>) -> Result<()>;

    /// Its shape, and where it is asked for, its digest, as [`PrimesShape::fingerprint`] has it.
    ///
    /// # Errors
    /// `Invalid` where the statement is malformed.
    fn count(&self, fingerprinted: bool) -> Result<(PrimesShape, Option<[u8; 32]>)>;
}

impl<B: Field, E: MacField<B>, C: Field, G: MacField<C>, S> ProvablePrimes<B, E, C, G> for S
where
    S: for<'a> MixedCircuit<Prover<'a, B, E, C, G>> + for<'a> MixedCircuit<Verifier<'a, B, E, C, G>>,
    S: for<'w> MixedCircuit<(Clear<'w, F2>, Clear<'w, B>, Clear<'w, C>)> + MixedCircuit<PrimesCount<B, C>>,
{
    fn push_to_prover(&self, prover: &mut Prover<'_, B, E, C, G>) -> Result<()> {
        self.run(prover)
    }
    fn push_to_verifier(&self, verifier: &mut Verifier<'_, B, E, C, G>) -> Result<()> {
        self.run(verifier)
    }
    fn evaluate(&self, bits: Stream<'_, F2>, numbers: Stream<'_, B>, others: Stream<'_, C>) -> Result<()> {
        check_primes(self, bits, numbers, others)
    }
    fn count(&self, fingerprinted: bool) -> Result<(PrimesShape, Option<[u8; 32]>)> {
        if fingerprinted {
            PrimesShape::fingerprint(self).map(|(shape, digest)| (shape, Some(digest)))
        } else {
            Ok((PrimesShape::of(self)?, None))
        }
    }
}

/// What a proof over F_2 and two prime fields did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConvertedPrimes {
    /// The gates of each half, and what was converted.
    pub all: All,
    /// Where the correlations of each came from: over F_2, and over the fields of numbers and others.
    pub correlations: [Correlations; 3],
}

/// Proves that `bits`, `numbers` and `others` are a witness that satisfies `circuit`, a statement over F_2, `B`
/// with MACs in `E` and `C` with MACs in `G`, by QuickSilver: `prove_primes::<F61, F61, Goldilocks,
/// Goldilocks>(…)`. Correlations over F_2 are SoftSpoken's; those that `options` name are taken over both other
/// fields.
///
/// # Errors
/// As for [`prove_over`](crate::prove_over); `Invalid` where `B` or `C` has characteristic two.
pub fn prove_primes<B: Field, E: MacField<B>, C: Field, G: MacField<C>>(
    circuit: &(impl ProvablePrimes<B, E, C, G> + ?Sized),
    (bits, numbers, others): (
        impl IntoIterator<Item = F2> + Clone,
        impl IntoIterator<Item = B> + Clone,
        impl IntoIterator<Item = C> + Clone,
    ),
    channel: &mut Channel,
    options: &Options,
) -> Result<Report>
where
    Over<B, E>: Registered,
    Over<C, G>: Registered,
{
    let settled = Settled::<B, E, C, G>::new(circuit.count(options.statement.is_none())?, options)?;
    if options.check {
        circuit.evaluate(bits.read(), numbers.read(), others.read())?;
    }
    let mut run = settled.open(channel, options)?;
    let Run { settled, random, .. } = &mut run;
    let voles = (
        Binary::compiled().prover_end(settled.bits, channel, options.arch, random)?,
        Over::<B, E>::compiled().prover_end(settled.numbers, channel, options.arch, random)?,
        Over::<C, G>::compiled().prover_end(settled.others, channel, options.arch, random)?,
    );
    let voles = settled.expect(voles);
    run.begin(channel);
    let witness = (bits.read(), numbers.read(), others.read());
    let prover = Prover::<B, E, C, G>::new(channel, voles, options.arch, witness, &mut run.random);
    let mut prover = prover.share_work(&run.pool).report_to(options.progress.as_deref());
    circuit.push_to_prover(&mut prover)?;
    let all = prover.finish()?;
    recv_verdict(channel)?;
    Ok(run.report(channel, all, options))
}

/// Verifies that the prover at the other end of `channel` knows a witness for `circuit`, as [`prove_primes`]
/// proves it, and tells it the verdict.
///
/// # Errors
/// As for [`verify_over`](crate::verify_over); `Invalid` where `B` or `C` has characteristic two.
pub fn verify_primes<B: Field, E: MacField<B>, C: Field, G: MacField<C>>(
    circuit: &(impl ProvablePrimes<B, E, C, G> + ?Sized),
    channel: &mut Channel,
    options: &Options,
) -> Result<(Accepted, Report)>
where
    Over<B, E>: Registered,
    Over<C, G>: Registered,
{
    let settled = Settled::<B, E, C, G>::new(circuit.count(options.statement.is_none())?, options)?;
    let mut run = settled.open(channel, options)?;
    let verdict = decide(circuit, &mut run, channel, options);
    let verdict = recv_end(channel, verdict);
    let verdict = options.recorded(verdict, |(_, all)| run.report(channel, *all, options));
    let (accepted, all) = tell(channel, verdict)?;
    Ok((accepted, run.report(channel, all, options)))
}

fn decide<B: Field, E: MacField<B>, C: Field, G: MacField<C>>(
    circuit: &(impl ProvablePrimes<B, E, C, G> + ?Sized),
    run: &mut Run<B, E, C, G>,
    channel: &mut Channel,
    options: &Options,
) -> Result<(Accepted, All)>
where
    Over<B, E>: Registered,
    Over<C, G>: Registered,
{
    let (Run { settled, random, .. }, arch) = (&mut *run, options.arch);
    let delta = Binary::delta(random);
    let bits = Binary::compiled().verifier_end(settled.bits, channel, arch, &delta, random)?;
    let of_numbers = Over::<B, E>::delta(random);
    let over = Over::<B, E>::compiled();
    let numbers = over.verifier_end(settled.numbers, channel, arch, &of_numbers, random)?;
    let of_others = Over::<C, G>::delta(random);
    let over = Over::<C, G>::compiled();
    let others = over.verifier_end(settled.others, channel, arch, &of_others, random)?;
    let voles = settled.expect((bits, numbers, others));
    run.begin(channel);
    let deltas = (&delta, &of_numbers, &of_others);
    let verifier = Verifier::<B, E, C, G>::new(channel, voles, arch, deltas, &mut run.random);
    let mut verifier = verifier.share_work(&run.pool).report_to(options.progress.as_deref());
    circuit.push_to_verifier(&mut verifier)?;
    let (accepted, all) = verifier.finish()?;
    // More gates than were counted may be worth less.
    run.settled.offered_to(&all, options)?;
    Ok((accepted, all))
}

/// What is known of a statement before anything is said.
struct Settled<B: Field, E: MacField<B>, C: Field, G: MacField<C>>
where
    Over<B, E>: Registered,
    Over<C, G>: Registered,
{
    statement: [u8; 32],
    /// What the soundness of each half depends on, at most.
    sizes: [Size; 3],
    rounds: [u64; 2],
    bits: BitCorrelations,
    numbers: <Over<B, E> as Setting>::Correlations,
    others: <Over<C, G> as Setting>::Correlations,
}

impl<B: Field, E: MacField<B>, C: Field, G: MacField<C>> Settled<B, E, C, G>
where
    Over<B, E>: Registered,
    Over<C, G>: Registered,
{
    fn new((shape, digest): (PrimesShape, Option<[u8; 32]>), options: &Options) -> Result<Self> {
        allowed(options)?;
        convertible::<B, E>(options)?;
        convertible::<C, G>(options)?;
        let statement = options.statement.or(digest).expect("one of them");
        let sizes = primes::sizes::<B, E, C, G>(&shape);
        let rounds = primes::most_rounds::<B, C>(&shape);
        let asked = Self::asked(options)?;
        let worth = |bits, numbers, others| Self::worth((bits, numbers, others), sizes, rounds);
        let best = |bits, numbers| {
            let others = Over::<C, G>::correlations().into_iter();
            others.map(|others| worth(bits, numbers, others)).max().expect("each field has some")
        };
        let any = Over::<B, E>::correlations();
        let enough = |bits| any.iter().any(|numbers| best(bits, *numbers) >= asked);
        let (bits, named) = over_bits(options, sizes[0], enough);
        let (numbers, others) = match named {
            Some(named) => (named.over::<Over<B, E>>()?, named.over::<Over<C, G>>()?),
            None => {
                let numbers = over_numbers::<B, E>(options, sizes[1], asked, |numbers| best(bits, numbers))?;
                let worth = |others| worth(bits, numbers, others);
                (numbers, over_numbers::<C, G>(options, sizes[2], asked, worth)?)
            }
        };
        let settled = Self { statement, sizes, rounds, bits, numbers, others };
        settled.offer(sizes, rounds, options)?;
        Ok(settled)
    }

    /// All three, as both parties call them.
    fn correlations(&self) -> [Correlations; 3] {
        [self.bits.into(), self.numbers.into(), self.others.into()]
    }

    fn name() -> String {
        format!("{} {} {}", Binary::name(), Over::<B, E>::name(), Over::<C, G>::name())
    }

    /// −log2 of the soundness error of a statement of such sizes, floored.
    fn statistical_bits(&self, sizes: [Size; 3], rounds: [u64; 2]) -> u32 {
        Self::worth((self.bits, self.numbers, self.others), sizes, rounds)
    }

    /// [`Settled::statistical_bits`] over these correlations.
    fn worth(
        (bits, numbers, others): (BitCorrelations, FieldCorrelations, FieldCorrelations),
        sizes: [Size; 3],
        rounds: [u64; 2],
    ) -> u32 {
        let halves = [
            Binary::statistical_bits(bits, sizes[0]),
            Over::<B, E>::statistical_bits(numbers, sizes[1]),
            Over::<C, G>::statistical_bits(others, sizes[2]),
        ];
        primes::security::<E, G>(halves, rounds)
    }

    /// The statistical security that is asked for, in bits.
    fn asked(options: &Options) -> Result<u32> {
        options.asked_security(Over::<B, E>::SECURITY.min(Over::<C, G>::SECURITY))
    }

    /// Refuses where less statistical security is offered than asked for.
    fn offer(&self, sizes: [Size; 3], rounds: [u64; 2], options: &Options) -> Result<u32> {
        let asked = Self::asked(options)?;
        let offered = self.statistical_bits(sizes, rounds);
        if offered >= asked {
            return Ok(offered);
        }
        Err(Error::invalid(format!(
            "{asked} bits of statistical security were asked for, and over {} by {} a statement of this size has {offered}: \
             ask for fewer, or take larger extensions",
            Self::name(),
            self.correlations().map(|of| of.to_string()).join(" ")
        )))
    }

    /// The sizes and rounds of a proof, where they are more than was counted.
    fn sizes_with(&self, all: &All) -> ([Size; 3], [u64; 2]) {
        let [bits, numbers, others] = self.sizes;
        let sizes = [
            bits.or_more(all.bits.size()),
            numbers.or_more(all.numbers.size()),
            others.or_more(all.others.size()),
        ];
        let [first, second] = [0, 1].map(|of| self.rounds[of].max(all.rounds[of].rounds));
        (sizes, [first, second])
    }

    /// Refuses a proof of more than was counted, where it is worth less.
    fn offered_to(&self, all: &All, options: &Options) -> Result<u32> {
        let (sizes, rounds) = self.sizes_with(all);
        self.offer(sizes, rounds, options)
    }

    /// Has all ends expect as much as was counted.
    fn expect<S: Share, T: Share, U: Share>(
        &self,
        (mut over_bits, mut over_numbers, mut over_others): (BoxedVole<S>, BoxedVole<T>, BoxedVole<U>),
    ) -> (BoxedVole<S>, BoxedVole<T>, BoxedVole<U>) {
        let [bits, numbers, others] = self.sizes;
        let degree = <F128 as Extension<F2>>::DEGREE.into();
        over_bits.expect(bits.commitments, masks(bits, degree).in_all());
        over_numbers.expect(numbers.commitments, masks(numbers, E::DEGREE.into()).in_all());
        over_others.expect(others.commitments, masks(others, G::DEGREE.into()).in_all());
        (over_bits, over_numbers, over_others)
    }

    /// Shakes hands on all of it.
    fn open(self, channel: &mut Channel, options: &Options) -> Result<Run<B, E, C, G>> {
        let (before, started) = (channel.traffic(), Instant::now());
        let pool = Pool::new(options.threads)?;
        let mut random = fresh(options)?;
        let parameters = self.correlations().map(|of| of.to_string()).join(" ");
        let field = Self::name();
        let hello =
            Hello { system: SYSTEM, field: &field, parameters: &parameters, statement: &self.statement };
        let theirs = shake_hands(channel, &hello, &random.bytes())?;
        Sides { ours: parameters, theirs }.agree(Disagreement::OfTwoFields)?;
        channel.checkpoint("statement");
        if let Some(progress) = &options.progress {
            progress.store(0, Relaxed);
        }
        let setup_traffic = Traffic::default();
        Ok(Run { settled: self, random, pool, before, setup_traffic, started, begun: started })
    }
}

/// What the system is called in a handshake on such a statement.
const SYSTEM: &str = "quicksilver of three fields";

/// A statement on its way.
struct Run<B: Field, E: MacField<B>, C: Field, G: MacField<C>>
where
    Over<B, E>: Registered,
    Over<C, G>: Registered,
{
    settled: Settled<B, E, C, G>,
    random: Random,
    pool: Pool,
    before: Traffic,
    setup_traffic: Traffic,
    started: Instant,
    begun: Instant,
}

impl<B: Field, E: MacField<B>, C: Field, G: MacField<C>> Run<B, E, C, G>
where
    Over<B, E>: Registered,
    Over<C, G>: Registered,
{
    /// The set-up is done; gates follow.
    fn begin(&mut self, channel: &Channel) {
        self.begun = Instant::now();
        self.setup_traffic = channel.traffic().since(self.before);
    }

    fn report(&self, channel: &Channel, all: All, options: &Options) -> Report {
        let settled = &self.settled;
        let (sizes, rounds) = settled.sizes_with(&all);
        let computational = [
            Binary::computational_bits(settled.bits, sizes[0]),
            Over::<B, E>::computational_bits(settled.numbers, sizes[1]),
            Over::<C, G>::computational_bits(settled.others, sizes[2]),
        ];
        let gates = all.bits.and(&all.numbers).and(&all.others);
        if let Some(progress) = &options.progress {
            progress.store(gates.mul, Relaxed);
        }
        let correlations = settled.correlations();
        Report {
            statement: settled.statement,
            system: System::QUICKSILVER,
            gates,
            details: Details::ConvertedPrimes(ConvertedPrimes { all, correlations }),
            security: Security {
                computational: computational.into_iter().min().expect("three"),
                statistical: settled.statistical_bits(sizes, rounds),
            },
            traffic: channel.traffic().since(self.before),
            setup_traffic: self.setup_traffic,
            setup: self.begun - self.started,
            online: self.begun.elapsed(),
        }
    }
}
