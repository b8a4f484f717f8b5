//! Proofs of one of several clauses, of bits: several relations, or one relation that claims one of several
//! things.

mod values;

use crate::verbs::args::{Check, Private, Prove, Public, Verify};
use crate::verbs::circom;
use crate::verbs::given::way;
use crate::verbs::session::{CHECKING, COUNTING, Counted, Session};
use crate::verbs::streams;
use crate::verbs::subject::{self, BUILTIN, Stated, Subject};
use std::io::Read;
use std::time::Instant;
use volery::channel::Party;
use volery::circuit::stream::{ClauseSource, StreamedClauses};
use volery::circuit::{
    Alternatives as _, AnyOf, Clause, OneOf, Port, PortValue as _, Relation, Shape, Size, Statement,
    StreamKind, Witness,
};
use volery::zk::quicksilver::branch;
use volery::{Accepted, Binary, Named as _, Options, Report, ShortBinary, Sink, System};
use volery_cli::failure::{Failure, Result};
use volery_cli::fields::{Field, has_bits, is_boolean};
use volery_cli::link::Way;
use volery_cli::progress::Progress;
use volery_cli::report::Outcome;
use volery_cli::settings::{Settings, wait};
use volery_cli::values::Reader;

/// Whether there are several relations, of which one holds.
pub(crate) fn several(field: Field, public: &Public) -> bool {
    has_bits(field) && public.relation.len() > 1
}

/// Whether clauses are proved, and not one statement as a whole.
pub(crate) fn stated(field: Field, public: &Public, system: System) -> bool {
    let facts = system.facts();
    several(field, public)
        || (has_bits(field) && (facts.of_clauses || (facts.clauses && has_clauses(public))))
}

/// Whether the only relation is one that may claim one of several things. Those that are files do not.
fn has_clauses(public: &Public) -> bool {
    let [relation] = &public.relation[..] else { return false };
    relation.starts_with(BUILTIN)
        && Relation::open(relation, None).is_ok_and(|relation| relation.has_clauses())
}

/// Makes the claim that one of several clauses holds, with the one that does.
pub(crate) fn claim_of_one(typed: &Prove, reader: Reader, quiet: bool) -> Result<(Claim, usize)> {
    let claim = claim(&typed.public, &typed.private, reader)?;
    let chosen = claim.chosen(typed.no_check, typed.fixed_work, quiet)?;
    Ok((claim, chosen))
}

/// `volery prove` of one of several clauses.
pub(crate) fn prove(typed: &Prove, settings: &Settings, started: Instant) -> Result<()> {
    let way = way(&typed.peer)?;
    let (claim, chosen) = claim_of_one(typed, Reader::waiting(settings.timeout), settings.quiet)?;
    let Claim { disjunction, witness, .. } = claim;
    let mut session = disjunction.open(settings, &way, Party::Prover)?;
    let (channel, options) = (&mut session.channel, &session.options);
    let (clauses, witness) = (&*disjunction.clauses, witness.bits());
    let report = if is_boolean(settings.field) {
        volery::prove_one_of(clauses, chosen, witness, channel, options)?
    } else {
        volery::prove_one_of_over::<ShortBinary>(clauses, chosen, witness, channel, options)?
    };
    disjunction.print(session.close(settings, report, started)?, settings.json)
}

/// `volery verify` of one of several clauses.
pub(crate) fn verify(typed: &Verify, settings: &Settings, started: Instant) -> Result<()> {
    let way = way(&typed.peer)?;
    let disjunction = Disjunction::new(&typed.public, &mut Reader::waiting(settings.timeout))?;
    let mut session = disjunction.open(settings, &way, Party::Verifier)?;
    let (channel, options) = (&mut session.channel, &session.options);
    let (_accepted, report) = if is_boolean(settings.field) {
        volery::verify_one_of(&*disjunction.clauses, channel, options)?
    } else {
        volery::verify_one_of_over::<ShortBinary>(&*disjunction.clauses, channel, options)?
    };
    disjunction.print(session.close(settings, report, started)?, settings.json)
}

/// `volery check` of one of several relations: the digest of all, their number, and warnings.
pub(crate) fn check(typed: &Check) -> Result<([u8; 32], u64, Vec<String>)> {
    let claim = claim(&typed.public, &typed.private, Reader::waiting(wait(&typed.timeout)?))?;
    let _announced = Progress::announce(CHECKING, false);
    claim.find()?;
    let Disjunction { clauses, digest, warnings, .. } = claim.disjunction;
    Ok((digest, clauses.count() as u64, warnings))
}

/// A disjunction: the clauses of a statement, which share its witness, or several statements, each of them a
/// clause with a witness of its own.
pub(crate) struct Disjunction {
    clauses: Box<dyn ClauseSource>,
    digest: [u8; 32],
    /// The public values of each of several statements, as a label has them.
    values: Vec<Vec<(Port, String)>>,
    /// Sentences on the parts that prove nothing, as far as that shows without a look at the gates.
    warnings: Vec<String>,
}

impl Disjunction {
    /// The disjunction, as both parties know it.
    pub(crate) fn new(typed: &Public, reader: &mut Reader) -> Result<Self> {
        streams::refuse(&typed.public_stream, StreamKind::Public)?;
        circom::refuse_public(typed)?;
        if let [_] = &typed.relation[..] {
            return values::statement(typed, reader).map(Self::from);
        }
        Ok(AnyOf::new(values::statements(typed, reader)?)?.into())
    }

    /// The words of a file about the disjunction, whose statements are about these relations.
    pub(crate) fn subject(&self, relations: &[String]) -> Subject {
        let of_one = |(relation, values): (&String, &Vec<(Port, String)>)| {
            subject::label(relation, values.iter().map(|(port, text)| (port, text.clone())), "bit")
        };
        let labels: Vec<_> = relations.iter().zip(&self.values).map(of_one).collect();
        Subject {
            digest: self.digest,
            label: subject::cut(labels.join("\nor\n")),
            clauses: Some(self.clauses.count() as u64),
            of_two: false,
        }
    }

    /// Reaches the peer, once the gates are counted: a malformed file is found before anybody waits.
    fn open(&self, settings: &Settings, way: &Way, party: Party) -> Result<Session> {
        let facts = settings.system().facts();
        let counted = if facts.clauses && (facts.of_clauses || self.clauses.count() > 1) {
            let _announced = Progress::announce(COUNTING, settings.quiet);
            let shapes = StreamedClauses(&*self.clauses).shapes()?;
            let all: u64 = shapes.iter().map(Shape::mul_by_gates).sum();
            // What a prover garbles before its answer and what it garbles after it are all clauses together;
            // with fixed work each of the two is.
            let work = if facts.of_clauses && settings.fixed_work { 2 * all } else { all };
            let size = if facts.of_clauses { Size::default() } else { branch::size(&shapes)? };
            Counted { size, work: Some(work) }
        } else if facts.clauses {
            let only = Clause::new(&*self.clauses, 0);
            Counted::of(&|| Binary::compiled().count(&only), settings, party)?
        } else {
            let all = OneOf(&*self.clauses);
            Counted::of(&|| Binary::compiled().count(&all), settings, party)?
        };
        Session::open(settings, way, party, self.digest, Some(counted))
    }

    /// Prints what was accepted.
    fn print(self, mut outcome: Outcome, json: bool) -> Result<()> {
        outcome.clauses = Some(self.clauses.count() as u64);
        outcome.warnings = self.warnings;
        outcome.print(json)
    }
}

impl From<Statement> for Disjunction {
    fn from(statement: Statement) -> Self {
        let warnings = statement.warnings();
        Self { digest: statement.digest(), clauses: Box::new(statement), values: Vec::new(), warnings }
    }
}

impl From<AnyOf> for Disjunction {
    fn from(any: AnyOf) -> Self {
        let warnings = any.statements().iter().enumerate().flat_map(|(number, statement)| {
            let warnings = statement.warnings();
            warnings.into_iter().map(move |warning| format!("{}: {warning}", values::place(number)))
        });
        let warnings = warnings.collect();
        let of_one = |statement: &Statement| {
            statement.public().map(|(port, value)| (port.clone(), value.to_text())).collect()
        };
        let values = any.statements().iter().map(of_one).collect();
        Self { digest: any.digest(), values, clauses: Box::new(any), warnings }
    }
}

impl Stated for Disjunction {
    fn verify_from(
        &self,
        proof: &mut (dyn Read + Send),
        options: &Options,
    ) -> volery::Result<(Accepted, Report)> {
        volery::verify_one_of_from(&*self.clauses, proof, options)
    }
    fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }
}

/// A disjunction, and the witness that a prover says it knows.
pub(crate) struct Claim {
    disjunction: Disjunction,
    /// The clause that holds, where that shows in the values.
    clause: Option<usize>,
    witness: Witness,
}

impl Claim {
    /// The words of a file about the claim, whose statements are about these relations.
    pub(crate) fn subject(&self, relations: &[String]) -> Subject {
        self.disjunction.subject(relations)
    }

    pub(crate) fn warnings(&self) -> Vec<String> {
        self.disjunction.warnings.clone()
    }

    /// Proves the claim to a file, by [`volery::prove_one_of_to_file`].
    ///
    /// # Errors
    /// As for [`volery::prove_one_of_to_file`].
    pub(crate) fn prove_to_file(
        &self,
        chosen: usize,
        out: &mut dyn Sink,
        options: &Options,
    ) -> volery::Result<Report> {
        let clauses = &*self.disjunction.clauses;
        volery::prove_one_of_to_file(clauses, chosen, self.witness.bits(), out, options)
    }

    /// The clause that holds: evaluated in the clear, or as the caller says. With fixed work the time of this
    /// does not tell which it is.
    fn chosen(&self, no_check: bool, fixed_work: bool, quiet: bool) -> Result<usize> {
        let clauses = &*self.disjunction.clauses;
        let alike = fixed_work && clauses.count() > 1;
        match self.clause {
            // Before the first message all of them are evaluated in any case, this one too.
            Some(clause) if no_check || alike => return Ok(clause),
            _ => {}
        }
        let _announced = Progress::announce(CHECKING, quiet);
        if alike { Ok(StreamedClauses(clauses).find_among_all(&self.witness)?) } else { self.find() }
    }

    /// The clause that holds, evaluated in the clear.
    fn find(&self) -> Result<usize> {
        let clauses = &*self.disjunction.clauses;
        let Some(number) = self.clause else { return Ok(StreamedClauses(clauses).find(&self.witness)?) };
        let held = Binary::compiled().check(&Clause::new(clauses, number), Box::new(self.witness.bits()));
        held.map_err(|why| match clauses.count() {
            1 => why.into(),
            _ => Failure::from(why).at(values::place(number)),
        })?;
        Ok(number)
    }
}

/// The statement, and what the prover knows of it.
fn claim(public: &Public, private: &Private, mut reader: Reader) -> Result<Claim> {
    streams::refuse(&public.public_stream, StreamKind::Public)?;
    streams::refuse(&private.private_stream, StreamKind::Private)?;
    circom::refuse_public(public)?;
    circom::refuse_private(private)?;
    if let [_] = &public.relation[..] {
        let statement = values::statement(public, &mut reader)?;
        let witness = values::witness(&statement, private, &mut reader)?;
        let clause = (statement.count() == 1).then_some(0);
        return Ok(Claim { disjunction: statement.into(), clause, witness });
    }
    let any = AnyOf::new(values::statements(public, &mut reader)?)?;
    let (clause, witness) = values::witness_of_one(any.statements(), private, &mut reader)?;
    Ok(Claim { disjunction: any.into(), clause, witness })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use volery::circuit::stream::Recorder;
    use volery::circuit::{Alternatives, Backend as _, Branch, Value, Values};
    use volery::{F2, Field as _};

    /// Clauses that hold where a byte is their number, and count how often one is evaluated to its end.
    #[derive(Clone, Default)]
    struct Numbers {
        recorded: Arc<AtomicUsize>,
        evaluated: Arc<AtomicUsize>,
    }

    impl Alternatives for Numbers {
        fn count(&self) -> usize {
            5
        }
    }

    impl ClauseSource for Numbers {
        fn record_clause(&self, clause: usize, b: &mut Branch<'_, Recorder<'_, F2>>) -> volery::Result<()> {
            self.recorded.fetch_add(1, Ordering::Relaxed);
            for bit in 0..8 {
                let (read, number) = (b.witness()?, b.constant(F2::from(clause >> bit & 1 == 1)));
                let difference = b.add(read, number);
                b.assert_zero(difference, "the number")?;
            }
            let evaluated = self.evaluated.clone();
            b.hint(&[], move |_| {
                evaluated.fetch_add(1, Ordering::Relaxed);
                F2::ZERO
            })
            .map(drop)
        }
    }

    /// A claim whose private value is this byte.
    fn claim_of(clauses: &Numbers, byte: u8, clause: Option<usize>) -> Claim {
        let relation = Relation::open("builtin:sha256-preimage?length=1", None).expect("built in");
        let mut values = Values::new();
        values.insert("digest", Value::from_bytes(&[0; 32])).expect("once");
        let statement = Statement::new(relation, values).expect("fits");
        let mut values = Values::new();
        values.insert("message", Value::from_bytes(&[byte])).expect("once");
        let witness = statement.witness(values).expect("fits");
        let disjunction = Disjunction {
            clauses: Box::new(clauses.clone()),
            digest: [0; 32],
            values: Vec::new(),
            warnings: Vec::new(),
        };
        Claim { disjunction, clause, witness }
    }

    /// How many clauses were gone through, and evaluated to their ends, before number `byte` was found.
    fn counted(byte: u8, clause: Option<usize>, fixed_work: bool) -> [usize; 2] {
        let clauses = Numbers::default();
        let claim = claim_of(&clauses, byte, clause);
        let chosen = claim.chosen(false, fixed_work, true).expect("one holds");
        assert_eq!(chosen, usize::from(byte));
        [clauses.recorded, clauses.evaluated].map(|count| count.load(Ordering::Relaxed))
    }

    #[test]
    fn with_fixed_work_a_clause_is_found_by_as_much() {
        for byte in 0..5 {
            assert_eq!(counted(byte, None, true), [5, 5]);
            assert_eq!(counted(byte, Some(byte.into()), true), [0, 0]);
            // Without, it ends at the one that holds.
            assert_eq!(counted(byte, None, false)[1], 1);
            assert_eq!(counted(byte, Some(byte.into()), false), [1, 1]);
        }
        let none = claim_of(&Numbers::default(), 5, None).chosen(false, true, true).expect_err("none holds");
        assert!(none.line.contains("one of 5 clauses"), "{}", none.line);
    }
}
