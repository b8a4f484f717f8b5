//! One of several clauses: by a system that knows disjunctions, or as one circuit of all.

use super::statement::check_stream;
use super::system::find;
use super::{Binary, ForProver, ForVerifier, Options, Report, Reread, Stream};
use crate::channel::Channel;
use crate::circuit::stream::{ClauseSource, ClauseStream, Source, Stream as Gates};
use crate::circuit::{Clause, OneOf, clauses as of_clauses};
use crate::error::{Error, Result};
use crate::zk::Accepted;
use volery_primitives::F2;

/// Proves that one of `clauses` holds, and not which: that number `chosen` does with `witness`. By a stack
/// the largest clause is all that is sent of them; other systems prove all of them, gate by gate.
///
/// # Errors
/// `Unsatisfied` or `Invalid` before a byte is sent, where the witness or a clause is wrong, or there is no
/// clause of this number; otherwise those of [`prove`](crate::prove).
pub fn prove_one_of(
    clauses: &dyn ClauseSource,
    chosen: usize,
    witness: impl IntoIterator<Item = F2> + Clone,
    channel: &mut Channel,
    options: &Options,
) -> Result<Report> {
    prove_clause(clauses, chosen, &witness, channel, options)
}

/// The same, whatever reads the witness.
fn prove_clause(
    clauses: &dyn ClauseSource,
    chosen: usize,
    witness: &dyn Reread<F2>,
    channel: &mut Channel,
    options: &Options,
) -> Result<Report> {
    if chosen >= clauses.count() {
        let count = clauses.count();
        return Err(Error::invalid(format!(
            "there is no clause number {chosen}, counted from 0, of {count}"
        )));
    }
    let system = find::<Binary>(options.system())?;
    if let Some(system) = system.clauses() {
        return system.prove_one_of(clauses, chosen, witness, channel, options);
    }
    let one_of = OneOf(clauses);
    let source: &dyn Source<F2> = &one_of;
    let shapes = of_clauses::shapes(&ClauseStream::new(clauses))?;
    let all = one_of.witness(&shapes, chosen, witness);
    // All clauses are evaluated, whichever holds. Where none does, its own says by name what is wrong.
    system.prove(ForProver::of(source), &all, channel, options).map_err(|error| match error {
        Error::Unsatisfied(_) => {
            let own: Stream<'_, F2> = witness.read();
            check_stream(&Gates::new(&Clause::new(clauses, chosen)), own).err().unwrap_or(error)
        }
        error => error,
    })
}

/// Verifies that the prover at the other end of `channel` knows a witness for one of `clauses`, and
/// tells it the verdict.
///
/// # Errors
/// Those of [`verify`](crate::verify).
pub fn verify_one_of(
    clauses: &dyn ClauseSource,
    channel: &mut Channel,
    options: &Options,
) -> Result<(Accepted, Report)> {
    let system = find::<Binary>(options.system())?;
    if let Some(system) = system.clauses() {
        return system.verify_one_of(clauses, channel, options);
    }
    let source: &dyn Source<F2> = &OneOf(clauses);
    system.verify(ForVerifier::of(source), channel, options)
}
