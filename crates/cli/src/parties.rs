//! `prove` and `verify`: one party in this process.

use crate::args::{Prove, Verify};
use crate::failure::Result;
use crate::fields::Stated;
use crate::link::{Meter, Metered, Reach};
use crate::print;
use crate::progress::{Counter, Progress, Watched};
use crate::report::Outcome;
use crate::settings::{Settings, claim, reach, statement};
use crate::values::Reader;
use std::sync::Arc;
use std::time::Instant;
use volery::channel::{Channel, Party};
use volery::circuit::{Count, Program, Shape, Statement};
use volery::{Options, Setting};

/// `volery prove`.
pub(crate) fn prove<S: Stated>(typed: &Prove, started: Instant) -> Result<()> {
    let settings = Settings::<S>::new(&typed.protocol, &typed.output)?.over(&typed.hint)?;
    let reach = reach(&typed.peer)?;
    let (statement, witness) = claim::<S::Program>(&typed.public, &typed.private)?;
    let known = Known::<S::Program>(&witness);
    if !typed.no_check {
        let _announced = Progress::announce(CHECKING, settings.quiet);
        volery::check(&statement, known)?;
    }
    // The check has walked every gate, and who leaves it out wants no other walk in its place; but for the bound.
    let count = settings.correlations.is_none() || S::BOUND_BY_SIZE;
    let mut session = Session::open(&settings, &reach, &statement, Party::Prover, count)?;
    let report = volery::prove_over::<S, _, _>(&statement, known, &mut session.channel, &session.options)?;
    drop(session);
    print_outcome(&Outcome::new::<S>(Some(Party::Prover), &[report], started), &settings)
}

/// `volery verify`.
pub(crate) fn verify<S: Stated>(typed: &Verify, started: Instant) -> Result<()> {
    let settings = Settings::<S>::new(&typed.protocol, &typed.output)?.over(&typed.hint)?;
    let reach = reach(&typed.peer)?;
    let statement = statement::<S::Program>(&typed.public, &mut Reader::default())?;
    // A malformed file is found before anybody waits.
    let mut session = Session::open(&settings, &reach, &statement, Party::Verifier, true)?;
    let (_accepted, report) =
        volery::verify_over::<S, _>(&statement, &mut session.channel, &session.options)?;
    drop(session);
    print_outcome(&Outcome::new::<S>(Some(Party::Verifier), &[report], started), &settings)
}

/// What takes long before a peer is there, where the statement is long.
pub(crate) const CHECKING: &str = "checking the witness in the clear …";
pub(crate) const COUNTING: &str = "counting the gates …";

/// Prints what was accepted.
pub(crate) fn print_outcome(outcome: &Outcome, settings: &Settings<impl Setting>) -> Result<()> {
    if settings.json { print::result(outcome.json()) } else { print::result(outcome.table()) }
}

/// What one party needs once its statement is settled and its peer is there.
struct Session {
    channel: Channel,
    options: Options,
    _progress: Progress,
}

impl Session {
    /// Settles what is to be proposed, then reaches the peer. The gates are counted if `count` says so; by their number
    /// both sides choose the same correlations, where none are given.
    fn open<S: Stated>(
        settings: &Settings<S>,
        reach: &Reach,
        statement: &Statement<S::Program>,
        party: Party,
        count: bool,
    ) -> Result<Self> {
        let shape = if count {
            let _announced = Progress::announce(COUNTING, settings.quiet);
            Some(Count::<S::F>::shape(statement)?)
        } else {
            None
        };
        let mut options = settings.options(statement.digest(), shape.as_ref().map(Shape::size))?;
        let link = reach.link(settings.timeout)?;
        let (done, meter) = (Arc::<Counter>::default(), Arc::<Meter>::default());
        let channel = Channel::new(party, Metered { link: Box::new(link), meter: meter.clone() });
        options.progress = Some(done.now.clone());
        let progress = Progress::start(
            Watched { done, meter, unit: "gates", total: shape.map(|shape| shape.mul) },
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
