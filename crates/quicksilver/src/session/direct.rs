//! Statements that are compiled for QuickSilver alone.
//!
//! All systems execute a statement's stream of gates. QuickSilver does, too; but over the settings that are
//! [`MONOMORPHIC`](Registered::MONOMORPHIC) it runs a copy of a Rust statement that is compiled into whoever states
//! it, which saves an eighth of the time and takes long to compile.

use crate::branch::{KeyReplay, Replay};
use crate::session::{OverMacs, Registered, Supported};
use crate::{ProverUnder, VerifierUnder};
use volery_channel::error::Result;
use volery_circuit::stream::{ClauseSource, Source, Stream as Gates};
use volery_circuit::{Branch, Circuit, Clauses};

/// A statement that can be proved over `S`. Whatever implements [`Circuit`] for every backend over the field
/// is one: systems execute its stream of gates, but QuickSilver runs a copy that is compiled for it alone
/// where the setting is [`MONOMORPHIC`](Registered::MONOMORPHIC). So is a `dyn Source<S::F>`: nothing is
/// compiled for it but the recording.
pub trait Provable<S: Supported> {
    /// The statement as a stream of gates.
    fn source(&self) -> &dyn Source<S::F>;

    /// The copy that is compiled for QuickSilver, if there is one: the same gates in the same
    /// order as the source.
    fn direct(&self) -> Option<&dyn Direct<S>>;
}

/// A statement compiled for both backends of QuickSilver.
pub trait Direct<S: OverMacs> {
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

impl<S: OverMacs, C> Direct<S> for C
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

impl<S: Supported, C: Source<S::F> + Direct<S>> Provable<S> for C {
    fn source(&self) -> &dyn Source<S::F> {
        self
    }
    fn direct(&self) -> Option<&dyn Direct<S>> {
        // Not `then_some`: of two branches on a constant, only one is compiled.
        if S::MONOMORPHIC { Some(self) } else { None }
    }
}

impl<S: Supported> Provable<S> for dyn Source<S::F> + '_ {
    fn source(&self) -> &dyn Source<S::F> {
        self
    }
    fn direct(&self) -> Option<&dyn Direct<S>> {
        None
    }
}

/// Clauses that can be proved over `S`, as a statement is by [`Provable`]: whatever implements [`Clauses`] for
/// every backend over the field, and a `dyn ClauseSource<S::F>`.
pub trait ProvableClauses<S: Supported> {
    /// The clauses as streams of gates.
    fn source(&self) -> &dyn ClauseSource<S::F>;

    /// The copy that is compiled for QuickSilver, if there is one: the same gates in the same
    /// order as the source.
    fn direct(&self) -> Option<&dyn DirectClauses<S>>;
}

/// Clauses compiled for both backends that run them over a tape.
pub trait DirectClauses<S: OverMacs>: Sync {
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

impl<S: OverMacs, C: Sync> DirectClauses<S> for C
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

impl<S: Supported, C: ClauseSource<S::F> + DirectClauses<S>> ProvableClauses<S> for C {
    fn source(&self) -> &dyn ClauseSource<S::F> {
        self
    }
    fn direct(&self) -> Option<&dyn DirectClauses<S>> {
        if S::MONOMORPHIC { Some(self) } else { None }
    }
}

impl<S: Supported> ProvableClauses<S> for dyn ClauseSource<S::F> + '_ {
    fn source(&self) -> &dyn ClauseSource<S::F> {
        self
    }
    fn direct(&self) -> Option<&dyn DirectClauses<S>> {
        None
    }
}

/// Clauses on their way to a prover or a verifier.
pub struct Stated<'s, S: OverMacs> {
    /// The clauses as streams of gates.
    pub source: &'s dyn ClauseSource<S::F>,
    /// The copy that is compiled for QuickSilver, if there is one.
    pub direct: Option<&'s dyn DirectClauses<S>>,
}

impl<'s, S: OverMacs> Stated<'s, S> {
    /// `clauses`.
    pub fn of(clauses: &'s (impl ProvableClauses<S> + ?Sized)) -> Self
    where
        S: Registered,
    {
        Self { source: clauses.source(), direct: clauses.direct() }
    }

    /// Clauses that are streams of gates and nothing else.
    pub fn streamed(source: &'s dyn ClauseSource<S::F>) -> Self {
        Self { source, direct: None }
    }
}

/// A statement on its way to a prover or a verifier.
pub struct Proposition<'s, S: OverMacs> {
    /// The statement as a stream of gates.
    pub stream: Gates<'s, S::F>,
    direct: Option<&'s dyn Direct<S>>,
}

impl<'s, S: OverMacs> Proposition<'s, S> {
    /// `circuit`.
    pub fn of(circuit: &'s (impl Provable<S> + ?Sized)) -> Self
    where
        S: Registered,
    {
        let stream = Gates::new(circuit.source());
        // A map is walked lane by lane where it is compiled, and many lanes at a time where it is recorded: so
        // statements that map go by their streams. What cannot be counted ends in its error there.
        let maps = || stream.maps().unwrap_or(true);
        let direct = circuit.direct().filter(|_| !maps());
        Self { stream, direct }
    }

    /// A statement that `direct` pushes, and no stream does.
    pub(super) fn by(stream: &'s dyn Source<S::F>, direct: &'s dyn Direct<S>) -> Self {
        Self { stream: Gates::new(stream), direct: Some(direct) }
    }

    /// A statement that is a stream of gates and nothing else.
    pub fn streamed(source: &'s dyn Source<S::F>) -> Self {
        Self { stream: Gates::new(source), direct: None }
    }

    /// Pushes it into QuickSilver's prover.
    pub fn push_to_prover(&self, prover: &mut ProverUnder<'_, S::Macs>) -> Result<()> {
        match self.direct {
            Some(direct) => direct.push_to_prover(prover),
            None => self.stream.run(prover),
        }
    }

    /// Pushes it into QuickSilver's verifier.
    pub fn push_to_verifier(&self, verifier: &mut VerifierUnder<'_, S::Macs>) -> Result<()> {
        match self.direct {
            Some(direct) => direct.push_to_verifier(verifier),
            None => self.stream.run(verifier),
        }
    }
}
