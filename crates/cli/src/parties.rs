//! `prove` and `verify`: one party in this process.

use crate::args::{Prove, Verify};
use crate::disjunction;
use crate::failure::Result;
use crate::fields::Stated;
use crate::file::{self, OUT, PROOF};
use crate::link::{Meter, Metered, Reach};
use crate::print;
use crate::progress::{Counter, Progress, Watched};
use crate::report::Outcome;
use crate::settings::{Settings, claim, is_correlated, reach, statement, system_of_party};
use crate::values::Reader;
use std::sync::Arc;
use std::time::Instant;
use volery::channel::{Channel, Party};
use volery::circuit::stream::Source;
use volery::circuit::{Program, Shape, Size};
use volery::{Options, Setting, System};

/// `volery prove`.
pub(crate) fn prove<S: Stated>(typed: &Prove, started: Instant) -> Result<()> {
    let system = system_of_party(&typed.protocol, typed.out.as_ref().map(|_| OUT))?;
    let settings = Settings::<S>::of(system, &typed.protocol, &typed.output)?.over(&typed.hint)?;
    let settings = settings.fixed_work(typed.fixed_work)?;
    if let Some(path) = &typed.out {
        return file::prove::<S>(typed, path, started);
    }
    if disjunction::stated::<S>(&typed.public, settings.system) {
        return disjunction::prove(typed, started);
    }
    let reach = reach(&typed.peer)?;
    let (statement, witness) = claim::<S::Program>(&typed.public, &typed.private)?;
    let known = Known::<S::Program>(&witness);
    if !typed.no_check {
        let _announced = Progress::announce(CHECKING, settings.quiet);
        volery::check(&statement, known)?;
    }
    // The check has walked every gate, and who leaves it out wants no other walk in its place; but for the bound.
    let count = match settings.system {
        system if is_correlated(system) => settings.correlations.is_none() || S::BOUND_BY_SIZE,
        _ => !typed.no_check,
    };
    let counted = count.then(|| Counted::of::<S>(&statement, &settings, Party::Prover)).transpose()?;
    let mut session = Session::open(&settings, &reach, Party::Prover, statement.digest(), counted)?;
    let report = S::prove(&statement, known, &mut session.channel, &session.options)?;
    drop(session);
    let mut outcome = Outcome::new::<S>(Some(Party::Prover), &[report], started);
    outcome.threads = settings.threads();
    print_outcome(&outcome, &settings)
}

/// `volery verify`.
pub(crate) fn verify<S: Stated>(typed: &Verify, started: Instant) -> Result<()> {
    let system = system_of_party(&typed.protocol, typed.proof.as_ref().map(|_| PROOF))?;
    let settings = Settings::<S>::of(system, &typed.protocol, &typed.output)?.over(&typed.hint)?;
    if let Some(path) = &typed.proof {
        return file::verify::<S>(typed, path, started);
    }
    if disjunction::stated::<S>(&typed.public, settings.system) {
        return disjunction::verify(typed, started);
    }
    let reach = reach(&typed.peer)?;
    let statement = statement::<S::Program>(&typed.public, &mut Reader::default())?;
    // A malformed file is found before anybody waits.
    let counted = Counted::of::<S>(&statement, &settings, Party::Verifier)?;
    let mut session = Session::open(&settings, &reach, Party::Verifier, statement.digest(), Some(counted))?;
    let (_accepted, report) = S::verify(&statement, &mut session.channel, &session.options)?;
    drop(session);
    let mut outcome = Outcome::new::<S>(Some(Party::Verifier), &[report], started);
    outcome.threads = settings.threads();
    print_outcome(&outcome, &settings)
}

/// What takes long before a peer is there, where the statement is long.
pub(crate) const CHECKING: &str = "checking the witness in the clear …";
pub(crate) const COUNTING: &str = "counting the gates …";

/// Prints what was accepted.
pub(crate) fn print_outcome(outcome: &Outcome, settings: &Settings<impl Setting>) -> Result<()> {
    if settings.json { print::result(outcome.json()) } else { print::result(outcome.table()) }
}

/// What is known of a proof's gates before it begins.
pub(crate) struct Counted {
    pub(crate) size: Size,
    /// The multiplications that a party does, where that is known, for those who watch.
    pub(crate) work: Option<u64>,
}

impl Counted {
    /// The gates of `source` as `party` does them by the system of `settings`.
    pub(crate) fn of<S: Setting>(
        source: &dyn Source<S::F>,
        settings: &Settings<S>,
        party: Party,
    ) -> Result<Self> {
        let _announced = Progress::announce(COUNTING, settings.quiet);
        let shape = Shape::without_depth(source)?;
        settings.foresee(&shape)?;
        let mul = settings.mul(&shape);
        let work = match settings.system {
            // How often parties are simulated for all repetitions is the library's affair.
            System::Limbo => None,
            // A prover evaluates, and garbles once more to check.
            System::Jko | System::Stack if party == Party::Prover => Some(2 * mul),
            _ => Some(mul),
        };
        Ok(Self { size: settings.size(&shape), work })
    }
}

/// What one party needs once its statement is settled and its peer is there.
pub(crate) struct Session {
    pub(crate) channel: Channel,
    pub(crate) options: Options,
    _progress: Progress,
}

impl Session {
    /// Settles what is to be proposed, then reaches the peer. By the number of gates, where they were counted, both sides
    /// choose the same correlations, where none are given.
    pub(crate) fn open<S: Setting>(
        settings: &Settings<S>,
        reach: &Reach,
        party: Party,
        statement: [u8; 32],
        counted: Option<Counted>,
    ) -> Result<Self> {
        let mut options = settings.options(statement, counted.as_ref().map(|counted| counted.size))?;
        let link = reach.link(settings.timeout)?;
        let (done, meter) = (Arc::<Counter>::default(), Arc::<Meter>::default());
        let channel = Channel::new(party, Metered { link: Box::new(link), meter: meter.clone() });
        options.progress = Some(done.now.clone());
        let progress = Progress::start(
            Watched {
                done,
                meter: Some(meter),
                unit: "gates",
                total: counted.and_then(|counted| counted.work),
            },
            settings.quiet,
        );
        Ok(Self { channel, options, _progress: progress })
    }
}

/// The witness of a program, to be read as often as needed.
pub(crate) struct Known<'a, P: Program>(pub(crate) &'a P::Witness);

impl<P: Program> Clone for Known<'_, P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P: Program> Copy for Known<'_, P> {}

impl<'a, P: Program + 'a> IntoIterator for Known<'a, P> {
    type Item = P::F;
    type IntoIter = Box<dyn Iterator<Item = P::F> + 'a>;

    fn into_iter(self) -> Self::IntoIter {
        Box::new(P::elements(self.0))
    }
}
