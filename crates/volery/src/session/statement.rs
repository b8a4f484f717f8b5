//! Statements of sessions, behind pointers: so that proof systems are compiled without any statement.

use super::Setting;
use crate::circuit::stream::{
    ClauseSource, Functions, Recorder, Shard, ShardSource, Source, Stream as Gates,
};
use crate::circuit::{Announced, Branch, Circuit, Clauses, Clear, nothing_asserted};
use crate::error::Result;
use crate::zk::quicksilver::branch::{KeyReplay, Replay};
use crate::zk::quicksilver::{ProverUnder, VerifierUnder};
use std::sync::Arc;
use volery_primitives::Field;
use zeroize::Zeroizing;

/// A statement that can be proved over `S`. Whatever implements [`Circuit`] for every backend over the field
/// is one: systems execute its stream of gates, but QuickSilver runs a copy that is compiled for it alone
/// where the setting is [`MONOMORPHIC`](Setting::MONOMORPHIC). So is a `dyn Source<S::F>`: nothing is
/// compiled for it but the recording.
pub trait Provable<S: Setting> {
    /// The statement as a stream of gates.
    fn source(&self) -> &dyn Source<S::F>;

    /// The copy that is compiled for QuickSilver, if there is one: the same gates in the same
    /// order as the source.
    fn direct(&self) -> Option<&dyn Direct<S>>;
}

/// A statement compiled for both backends of QuickSilver.
pub trait Direct<S: Setting> {
    /// Pushes it into the prover.
    ///
    /// # Errors
    /// Those of the prover.
    fn push_to_prover(&self, prover: &mut ProverUnder<'_, S::Macs>) -> Result<()>;

    /// Pushes it into the verifier.
    ///
    /// # Errors
    /// Those of the verifier.
    fn push_to_verifier(&self, verifier: &mut VerifierUnder<'_, S::Macs>) -> Result<()>;
}

impl<S: Setting, C> Direct<S> for C
where
    C: for<'a> Circuit<ProverUnder<'a, S::Macs>> + for<'a> Circuit<VerifierUnder<'a, S::Macs>>,
{
    fn push_to_prover(&self, prover: &mut ProverUnder<'_, S::Macs>) -> Result<()> {
        self.run(prover)
    }
    fn push_to_verifier(&self, verifier: &mut VerifierUnder<'_, S::Macs>) -> Result<()> {
        self.run(verifier)
    }
}

impl<S: Setting, C: Source<S::F> + Direct<S>> Provable<S> for C {
    fn source(&self) -> &dyn Source<S::F> {
        self
    }
    fn direct(&self) -> Option<&dyn Direct<S>> {
        // Not `then_some`: of two branches on a constant, only one is compiled.
        if S::MONOMORPHIC { Some(self) } else { None }
    }
}

impl<S: Setting> Provable<S> for dyn Source<S::F> + '_ {
    fn source(&self) -> &dyn Source<S::F> {
        self
    }
    fn direct(&self) -> Option<&dyn Direct<S>> {
        None
    }
}

/// Clauses that can be proved over `S`, as a statement is by [`Provable`]: whatever implements [`Clauses`] for
/// every backend over the field, and a `dyn ClauseSource<S::F>`.
pub trait ProvableClauses<S: Setting> {
    /// The clauses as streams of gates.
    fn source(&self) -> &dyn ClauseSource<S::F>;

    /// The copy that is compiled for QuickSilver, if there is one: the same gates in the same
    /// order as the source.
    fn direct(&self) -> Option<&dyn DirectClauses<S>>;
}

/// Clauses compiled for both backends that run them over a tape.
pub trait DirectClauses<S: Setting>: Sync {
    /// Pushes a clause into a prover's branch.
    ///
    /// # Errors
    /// As for [`Clauses::run`].
    fn replay(&self, clause: usize, branch: &mut Branch<'_, Replay<'_, S::Macs>>) -> Result<()>;

    /// Pushes a clause into a verifier's branch.
    ///
    /// # Errors
    /// As for [`Clauses::run`].
    fn replay_keys(&self, clause: usize, branch: &mut Branch<'_, KeyReplay<'_, S::Macs>>) -> Result<()>;
}

impl<S: Setting, C: Sync> DirectClauses<S> for C
where
    C: for<'t> Clauses<Replay<'t, S::Macs>> + for<'t> Clauses<KeyReplay<'t, S::Macs>>,
{
    fn replay(&self, clause: usize, branch: &mut Branch<'_, Replay<'_, S::Macs>>) -> Result<()> {
        self.run(clause, branch)
    }
    fn replay_keys(&self, clause: usize, branch: &mut Branch<'_, KeyReplay<'_, S::Macs>>) -> Result<()> {
        self.run(clause, branch)
    }
}

impl<S: Setting, C: ClauseSource<S::F> + DirectClauses<S>> ProvableClauses<S> for C {
    fn source(&self) -> &dyn ClauseSource<S::F> {
        self
    }
    fn direct(&self) -> Option<&dyn DirectClauses<S>> {
        if S::MONOMORPHIC { Some(self) } else { None }
    }
}

impl<S: Setting> ProvableClauses<S> for dyn ClauseSource<S::F> + '_ {
    fn source(&self) -> &dyn ClauseSource<S::F> {
        self
    }
    fn direct(&self) -> Option<&dyn DirectClauses<S>> {
        None
    }
}

/// Clauses on their way to a prover or a verifier.
pub struct Stated<'s, S: Setting> {
    /// The clauses as streams of gates.
    pub source: &'s dyn ClauseSource<S::F>,
    pub(super) direct: Option<&'s dyn DirectClauses<S>>,
}

impl<'s, S: Setting> Stated<'s, S> {
    /// `clauses`.
    pub fn of(clauses: &'s (impl ProvableClauses<S> + ?Sized)) -> Self {
        Self { source: clauses.source(), direct: clauses.direct() }
    }
}

/// A statement on its way to a proof system.
pub struct Proposition<'s, S: Setting> {
    /// The statement as a stream of gates.
    pub stream: Gates<'s, S::F>,
    direct: Option<&'s dyn Direct<S>>,
}

impl<'s, S: Setting> Proposition<'s, S> {
    /// `circuit`.
    pub fn of(circuit: &'s (impl Provable<S> + ?Sized)) -> Self {
        Self { stream: Gates::new(circuit.source()), direct: circuit.direct() }
    }

    /// A statement that `direct` pushes, and no stream does.
    pub(super) fn by(stream: &'s dyn Source<S::F>, direct: &'s dyn Direct<S>) -> Self {
        Self { stream: Gates::new(stream), direct: Some(direct) }
    }

    /// A statement that is a stream of gates and nothing else.
    pub(super) fn streamed(source: &'s dyn Source<S::F>) -> Self {
        Self { stream: Gates::new(source), direct: None }
    }

    /// Pushes it into QuickSilver's prover.
    pub(super) fn push_to_prover(&self, prover: &mut ProverUnder<'_, S::Macs>) -> Result<()> {
        match self.direct {
            Some(direct) => direct.push_to_prover(prover),
            None => self.stream.run(prover),
        }
    }

    /// Pushes it into QuickSilver's verifier.
    pub(super) fn push_to_verifier(&self, verifier: &mut VerifierUnder<'_, S::Macs>) -> Result<()> {
        match self.direct {
            Some(direct) => direct.push_to_verifier(verifier),
            None => self.stream.run(verifier),
        }
    }
}

/// The elements of a witness.
pub type Stream<'w, F> = Box<dyn Iterator<Item = F> + 'w>;

/// A witness that is read as often as a session needs: whatever gives its elements and can be cloned.
pub trait Reread<F> {
    /// The elements, from the first.
    fn read(&self) -> Stream<'_, F>;
}

impl<F, W: IntoIterator<Item = F> + Clone> Reread<F> for W {
    fn read(&self) -> Stream<'_, F> {
        Box::new(self.clone().into_iter())
    }
}

impl<'w, F> IntoIterator for &'w (dyn Reread<F> + 'w) {
    type Item = F;
    type IntoIter = Stream<'w, F>;

    fn into_iter(self) -> Stream<'w, F> {
        self.read()
    }
}

/// Evaluates `circuit` on `witness` in the clear.
///
/// # Errors
/// `Unsatisfied` with the name of the first assertion that fails; `Invalid` where the witness is too short or
/// too long, or the circuit asserts nothing or is malformed.
pub fn check<F, W, C>(circuit: &C, witness: W) -> Result<()>
where
    F: Field,
    W: IntoIterator<Item = F>,
    C: Source<F> + ?Sized,
{
    let witness: Stream<'_, F> = Box::new(witness.into_iter());
    check_stream(&Gates::new(&By(circuit)), witness)
}

/// A statement behind a thin pointer.
struct By<'c, C: ?Sized>(&'c C);

impl<F: Field, C: Source<F> + ?Sized> Source<F> for By<'_, C> {
    fn record(&self, recorder: &mut Recorder<'_, F>) -> Result<()> {
        self.0.record(recorder)
    }
    fn functions(&self) -> Option<Arc<Functions<F>>> {
        self.0.functions()
    }
}

/// Checks a stream of gates in the clear: see [`check`].
pub(super) fn check_stream<F: Field>(stream: &Gates<'_, F>, witness: Stream<'_, F>) -> Result<()> {
    let mut clear = Clear::new(witness);
    stream.run(&mut clear)?;
    clear.finish()
}

/// Evaluates all shards in the clear, one after the other, of each of which `witness` gives the witness: no
/// more than that of one, and what crosses, is there at a time.
///
/// # Errors
/// As for [`check_stream`].
pub(super) fn check_shards<'w, F: Field>(
    shards: &dyn ShardSource<F>,
    witness: &dyn Fn(usize) -> Stream<'w, F>,
) -> Result<()> {
    let announced = Announced::of(shards)?;
    let mut given: Vec<Zeroizing<Vec<F>>> = Vec::with_capacity(announced.count());
    let mut compared = 0;
    for shard in 0..announced.count() {
        let needs = announced.needs(shard).iter();
        let incoming = needs.flat_map(|need| &given[need.from][need.wires.clone()]).copied().collect();
        let mut clear = Clear::shard(witness(shard), Zeroizing::new(incoming), announced.outgoing(shard));
        Gates::new(&Shard::new(shards, &announced, shard)).run(&mut clear)?;
        let (outgoing, compares) = clear.finish_shard()?;
        compared += compares;
        given.push(outgoing);
        for from in announced.sources(shard) {
            if announced.consumers(*from).last() == Some(&shard) {
                given[*from] = Zeroizing::default();
            }
        }
    }
    if compared == 0 { Err(nothing_asserted()) } else { Ok(()) }
}
