//! One of several clauses, over F_2: several relations, or what one relation is made of that claims one of
//! several things.

mod values;

use crate::verbs::args::{Check, Private, Prove, Public, Verify};
use crate::verbs::given::reach;
use crate::verbs::session::{CHECKING, COUNTING, Counted, Session};
use std::time::Instant;
use volery::channel::Party;
use volery::circuit::stream::{ClauseSource, Recorder, StreamedClauses};
use volery::circuit::{Alternatives, AnyOf, Branch, Clause, OneOf, Shape, Statement, Witness};
use volery::{Binary, F2, Setting, System};
use volery_cli::failure::{Failure, Result};
use volery_cli::fields::{Field, is_boolean};
use volery_cli::link::Reach;
use volery_cli::progress::Progress;
use volery_cli::report::Outcome;
use volery_cli::settings::Settings;
use volery_cli::values::Reader;

/// Whether there are several relations, of which one holds.
pub(crate) fn several(field: Field, public: &Public) -> bool {
    is_boolean(field) && public.relation.len() > 1
}

/// Whether clauses are proved, and not one statement as a whole.
pub(crate) fn stated(field: Field, public: &Public, system: System) -> bool {
    several(field, public) || (is_boolean(field) && system.facts().of_clauses)
}

/// `volery prove` of one of several clauses.
pub(crate) fn prove(typed: &Prove, settings: &Settings, started: Instant) -> Result<()> {
    let reach = reach(&typed.peer)?;
    let claim = claim(&typed.public, &typed.private)?;
    let chosen = match claim.clause {
        Some(clause) if typed.no_check => clause,
        _ => {
            let _announced = Progress::announce(CHECKING, settings.quiet);
            claim.find()?
        }
    };
    let Claim { disjunction, witness, .. } = claim;
    let mut session = disjunction.open(settings, &reach, Party::Prover)?;
    let (channel, options) = (&mut session.channel, &session.options);
    let report = volery::prove_one_of(&disjunction, chosen, witness.bits(), channel, options)?;
    drop(session);
    disjunction.print(Outcome::new(settings, Some(Party::Prover), &[report], started), settings.json)
}

/// `volery verify` of one of several clauses.
pub(crate) fn verify(typed: &Verify, settings: &Settings, started: Instant) -> Result<()> {
    let reach = reach(&typed.peer)?;
    let disjunction = Disjunction::new(&typed.public, &mut Reader::default())?;
    let mut session = disjunction.open(settings, &reach, Party::Verifier)?;
    let (_accepted, report) = volery::verify_one_of(&disjunction, &mut session.channel, &session.options)?;
    drop(session);
    disjunction.print(Outcome::new(settings, Some(Party::Verifier), &[report], started), settings.json)
}

/// `volery check` of one of several relations: the digest of all, and their number.
pub(crate) fn check(typed: &Check) -> Result<([u8; 32], u64)> {
    let claim = claim(&typed.public, &typed.private)?;
    let _announced = Progress::announce(CHECKING, false);
    claim.find()?;
    Ok((claim.disjunction.digest(), claim.disjunction.count() as u64))
}

/// What is stated clause by clause.
enum Disjunction {
    /// The clauses of a statement, which share its witness.
    Parts(Box<Statement>),
    /// Several statements, each of them a clause with a witness of its own.
    Any(AnyOf),
}

impl Disjunction {
    /// What both parties know.
    fn new(typed: &Public, reader: &mut Reader) -> Result<Self> {
        if let [_] = &typed.relation[..] {
            return Ok(Self::Parts(values::statement(typed, reader)?.into()));
        }
        Ok(Self::Any(AnyOf::new(values::statements(typed, reader)?)?))
    }

    fn digest(&self) -> [u8; 32] {
        match self {
            Self::Parts(statement) => statement.digest(),
            Self::Any(any) => any.digest(),
        }
    }

    /// Reaches the peer, once the gates are counted: a malformed file is found before anybody waits.
    fn open(&self, settings: &Settings, reach: &Reach, party: Party) -> Result<Session> {
        let counted = if settings.system().facts().of_clauses {
            let _announced = Progress::announce(COUNTING, settings.quiet);
            let shapes = StreamedClauses(self).shapes()?;
            let all: u64 = shapes.iter().map(Shape::mul_by_gates).sum();
            // What a prover garbles before its answer and what it garbles after it are all clauses together;
            // with fixed work each of the two is.
            let work = if settings.method.stacking().is_some_and(|stacking| stacking.fixed_work) {
                2 * all
            } else {
                all
            };
            Counted { size: Default::default(), work: Some(work) }
        } else {
            let all = OneOf(self as &dyn ClauseSource);
            Counted::of(&|| Binary::compiled().count(&all), settings, party)?
        };
        Session::open(settings, reach, party, self.digest(), Some(counted))
    }

    /// Prints what was accepted.
    fn print(&self, mut outcome: Outcome, json: bool) -> Result<()> {
        outcome.clauses = Some(self.count() as u64);
        outcome.print(json)
    }
}

impl Alternatives for Disjunction {
    fn count(&self) -> usize {
        match self {
            Self::Parts(statement) => statement.count(),
            Self::Any(any) => any.count(),
        }
    }
    fn like(&self, clause: usize) -> usize {
        match self {
            Self::Parts(statement) => statement.like(clause),
            Self::Any(any) => any.like(clause),
        }
    }
}

impl ClauseSource for Disjunction {
    fn record_clause(&self, clause: usize, branch: &mut Branch<'_, Recorder<'_, F2>>) -> volery::Result<()> {
        match self {
            Self::Parts(statement) => statement.record_clause(clause, branch),
            Self::Any(any) => any.record_clause(clause, branch),
        }
    }
}

/// What a prover says it knows.
struct Claim {
    disjunction: Disjunction,
    /// The clause that holds, where that shows in the values.
    clause: Option<usize>,
    witness: Witness,
}

impl Claim {
    /// The clause that holds, evaluated in the clear.
    fn find(&self) -> Result<usize> {
        let Some(number) = self.clause else {
            return Ok(StreamedClauses(&self.disjunction).find(&self.witness)?);
        };
        let clause = Clause::new(&self.disjunction as &dyn ClauseSource, number);
        let held = Binary::compiled().check(&clause, Box::new(self.witness.bits()));
        held.map_err(|why| match &self.disjunction {
            Disjunction::Parts(_) => why.into(),
            Disjunction::Any(_) => Failure::from(why).at(values::place(number)),
        })?;
        Ok(number)
    }
}

/// The statement, and what the prover knows of it.
fn claim(public: &Public, private: &Private) -> Result<Claim> {
    let mut reader = Reader::default();
    if let [_] = &public.relation[..] {
        let statement = values::statement(public, &mut reader)?;
        let witness = values::witness(&statement, private, &mut reader)?;
        let clause = (statement.count() == 1).then_some(0);
        return Ok(Claim { disjunction: Disjunction::Parts(statement.into()), clause, witness });
    }
    let any = AnyOf::new(values::statements(public, &mut reader)?)?;
    let (number, witness) = values::witness_of_one(any.statements(), private, &mut reader)?;
    Ok(Claim { disjunction: Disjunction::Any(any), clause: Some(number), witness })
}
