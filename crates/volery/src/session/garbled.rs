//! Sessions of the systems that garble.

use super::binary::{Binary, EXPANSION_BITS, GROUP_BITS};
use super::single::{Single, settle};
use super::{Options, Report, Security, Setting, Stream, System};
use crate::channel::Channel;
use crate::circuit::{Branch, Circuit, Clause, Clauses, Clear, Count, Shape, clauses as of_clauses};
use crate::error::{Disagreement, Error, Result};
use crate::garble::exchange;
use crate::garble::privacy_free::{self, Evaluator, Garbler};
use crate::garble::seeds::Seeds;
use crate::zk::{Accepted, jko, recv_verdict, stack, tell};
use volery_primitives::hash::Construction;
use volery_primitives::{F2, Field};

/// A circuit that can be garbled. Whatever implements [`Circuit`] for every backend over F_2 is one.
pub trait Garbled: for<'a> Circuit<Garbler<'a>> {}

impl<C: for<'a> Circuit<Garbler<'a>>> Garbled for C {}

/// A circuit that can be garbled, and evaluated so. Whatever implements [`Circuit`] for every backend over F_2 is one.
pub trait Evaluated: Garbled + for<'a> Circuit<Evaluator<'a>> {}

impl<C: Garbled + for<'a> Circuit<Evaluator<'a>>> Evaluated for C {}

/// Clauses that can be garbled. Whatever implements [`Clauses`] for every backend over F_2, and may be shared by threads,
/// is that.
pub trait GarbledClauses: for<'a> Clauses<Garbler<'a>> + Sync {}

impl<C: for<'a> Clauses<Garbler<'a>> + Sync> GarbledClauses for C {}

/// Clauses that can be garbled, and evaluated so. Whatever implements [`Clauses`] for every backend over F_2, and may be
/// shared by threads, is that.
pub trait EvaluatedClauses: GarbledClauses + for<'a> Clauses<Evaluator<'a>> {}

impl<C: GarbledClauses + for<'a> Clauses<Evaluator<'a>>> EvaluatedClauses for C {}

/// How circuits are garbled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Garbling {
    /// The hash of the gates; both parties must agree on it.
    pub construction: Construction,
    /// How the seeds of a stack are transferred; both parties must agree on it.
    pub seeds: Seeds,
    /// Threads that garble the clauses of a stack, each with a buffer of the largest of them.
    pub threads: usize,
    /// Whether the prover of a stack does the same work whichever clause holds, which takes more than twice as long: for
    /// a verifier that could tell by the time it takes.
    pub fixed_work: bool,
}

impl Default for Garbling {
    fn default() -> Self {
        Self { construction: Construction::default(), seeds: Seeds::default(), threads: 1, fixed_work: false }
    }
}

/// What a proof with so many ANDs is worth, if that is enough.
fn security(options: &Options, system: System, gates: u64) -> Result<Security> {
    let (asked, statistical) = (options.security.unwrap_or(Binary::SECURITY), exchange::security());
    if statistical < asked {
        return Err(Error::invalid(format!(
            "{asked} bits of statistical security were asked for, and {system} gives {statistical}: ask for fewer"
        )));
    }
    let hash = privacy_free::security(options.garbling.construction, gates);
    let computational = GROUP_BITS.min(EXPANSION_BITS).min(hash) as u32;
    Ok(Security { computational, statistical })
}

fn jko_terms<'a>(options: &'a Options, shape: &'a Shape) -> jko::Terms<'a> {
    let Options { arch, garbling, progress, .. } = options;
    jko::Terms { arch: *arch, construction: garbling.construction, shape, progress: progress.as_deref() }
}

/// Proves by JKO, as [`super::prove`] says.
pub(super) fn prove<W, C>(circuit: &C, witness: W, channel: &mut Channel, options: &Options) -> Result<Report>
where
    W: IntoIterator<Item = F2>,
    C: Circuit<Clear<F2, W::IntoIter>> + Circuit<Count<F2>> + Evaluated,
{
    let (shape, statement) = settle(circuit, options)?;
    let values = Clear::inputs(circuit, witness, shape.inputs_by_gates() as usize)?;
    let terms = jko_terms(options, &shape);
    let parameters = options.garbling.construction.name();
    terms.check()?;
    let gates = terms.gates();
    let security = security(options, System::Jko, gates.mul)?;
    let mut run = Single::open(
        channel,
        options,
        (System::Jko, F2::NAME),
        (Disagreement::Garbling, parameters),
        (statement, gates),
        security,
    )?;
    let prover = jko::Prover::new(run.channel, terms, values, &mut run.random)?;
    run.begin();
    prover.prove(run.channel, circuit, &mut run.random)?;
    recv_verdict(run.channel)?;
    Ok(run.close())
}

/// Verifies by JKO, as [`super::verify`] says.
pub(super) fn verify<C>(circuit: &C, channel: &mut Channel, options: &Options) -> Result<(Accepted, Report)>
where
    C: Circuit<Count<F2>> + Garbled,
{
    let (shape, statement) = settle(circuit, options)?;
    let terms = jko_terms(options, &shape);
    let parameters = options.garbling.construction.name();
    terms.check()?;
    let gates = terms.gates();
    let security = security(options, System::Jko, gates.mul)?;
    let mut run = Single::open(
        channel,
        options,
        (System::Jko, F2::NAME),
        (Disagreement::Garbling, parameters),
        (statement, gates),
        security,
    )?;
    let verdict = jko::Verifier::new(run.channel, terms, &mut run.random).and_then(|verifier| {
        run.begin();
        verifier.verify(run.channel, circuit, &mut run.random)
    });
    let accepted = tell(run.channel, verdict)?;
    Ok((accepted, run.close()))
}

fn stack_terms<'a>(options: &'a Options, shapes: &'a [Shape]) -> stack::Terms<'a> {
    let Options { arch, garbling, progress, .. } = options;
    stack::Terms {
        arch: *arch,
        construction: garbling.construction,
        seeds: garbling.seeds,
        shapes,
        threads: garbling.threads,
        fixed_work: garbling.fixed_work,
        progress: progress.as_deref(),
    }
}

fn stack_parameters(garbling: &Garbling) -> String {
    format!("{}, seeds by {}", garbling.construction.name(), garbling.seeds.name())
}

/// Proves by a stack, as [`super::prove_one_of`] says.
pub(super) fn prove_one_of<'w, W, C>(
    clauses: &C,
    (chosen, witness): (usize, W),
    channel: &mut Channel,
    options: &Options,
) -> Result<Report>
where
    W: IntoIterator<Item = F2, IntoIter = Stream<'w>> + Clone,
    C: Clauses<Clear<F2, Stream<'w>>> + Clauses<Count<F2>> + EvaluatedClauses,
{
    let (shapes, statement) = settle_clauses(clauses, options)?;
    if options.garbling.fixed_work {
        (0..clauses.count()).filter(|clause| *clause != chosen).for_each(|clause| {
            evaluate_in_vain(clauses, clause, witness.clone());
        });
    }
    let count = shapes[chosen].inputs_by_gates() as usize;
    let values = Clear::inputs(&Clause::new(clauses, chosen), witness, count)?;
    let terms = stack_terms(options, &shapes);
    let parameters = stack_parameters(&options.garbling);
    terms.check()?;
    let gates = terms.gates();
    let security = security(options, System::Stack, gates.mul)?;
    let mut run = Single::open(
        channel,
        options,
        (System::Stack, F2::NAME),
        (Disagreement::Garbling, &parameters),
        (statement, gates),
        security,
    )?;
    let prover = stack::Prover::new(run.channel, terms, (chosen, &values), &mut run.random)?;
    run.begin();
    prover.prove(run.channel, clauses, &mut run.random)?;
    recv_verdict(run.channel)?;
    Ok(run.close())
}

/// Evaluates a clause in the clear on a witness of another, with zeros behind it, whatever comes of it: the work that the
/// chosen clause takes.
fn evaluate_in_vain<'w, W, C>(clauses: &C, clause: usize, witness: W)
where
    W: IntoIterator<IntoIter = Stream<'w>>,
    C: Clauses<Clear<F2, Stream<'w>>>,
{
    let endless: Stream<'w> = Box::new(witness.into_iter().chain(core::iter::repeat(F2::ZERO)));
    let mut clear = Clear::new(endless);
    // Assertions are collected, so that none ends it.
    let _ = clauses.run(clause, &mut Branch::collecting(&mut clear));
}

/// Verifies by a stack, as [`super::verify_one_of`] says.
pub(super) fn verify_one_of<C>(
    clauses: &C,
    channel: &mut Channel,
    options: &Options,
) -> Result<(Accepted, Report)>
where
    C: Clauses<Count<F2>> + GarbledClauses,
{
    let (shapes, statement) = settle_clauses(clauses, options)?;
    let terms = stack_terms(options, &shapes);
    let parameters = stack_parameters(&options.garbling);
    terms.check()?;
    let gates = terms.gates();
    let security = security(options, System::Stack, gates.mul)?;
    let mut run = Single::open(
        channel,
        options,
        (System::Stack, F2::NAME),
        (Disagreement::Garbling, &parameters),
        (statement, gates),
        security,
    )?;
    let verdict = stack::Verifier::new(run.channel, terms, &mut run.random).and_then(|verifier| {
        run.begin();
        verifier.verify(run.channel, clauses, &mut run.random)
    });
    let accepted = tell(run.channel, verdict)?;
    Ok((accepted, run.close()))
}

/// The gates of the clauses, and the name of all: the given one, or that of their gates.
fn settle_clauses<C: Clauses<Count<F2>>>(clauses: &C, options: &Options) -> Result<(Vec<Shape>, [u8; 32])> {
    match options.statement {
        Some(digest) => Ok((of_clauses::shapes(clauses)?, digest)),
        None => of_clauses::fingerprint(clauses),
    }
}
