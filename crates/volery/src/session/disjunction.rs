//! One of several clauses: stacked, or as one circuit of all.

use super::garbled::{self, EvaluatedClauses, GarbledClauses};
use super::{Options, Report, Setting, SimulatedClauses, System, check, prove, verify};
use crate::channel::Channel;
use crate::circuit::{Clause, Clauses, Clear, Count, OneOf, clauses as of_clauses};
use crate::error::{Error, Result};
use crate::session::Binary;
use crate::zk::Accepted;
use crate::zk::wolverine::{self, BitMacs};
use core::marker::PhantomData;
use volery_primitives::F2;

/// A witness as the clauses of [`prove_one_of`] read it: one type for all, so that a statement is compiled once for each
/// backend.
pub type Stream<'w> = Box<dyn Iterator<Item = F2> + 'w>;

/// A witness that is read through a [`Stream`].
#[derive(Clone)]
struct Streamed<'w, W>(W, PhantomData<Stream<'w>>);

impl<'w, W: IntoIterator<Item = F2, IntoIter: 'w>> IntoIterator for Streamed<'w, W> {
    type Item = F2;
    type IntoIter = Stream<'w>;

    fn into_iter(self) -> Stream<'w> {
        Box::new(self.0.into_iter())
    }
}

/// Proves that one of `clauses` holds, and not which: that number `chosen` does with `witness`. By a stack the largest
/// clause is all that is sent of them; other systems prove all of them, gate by gate.
///
/// # Errors
/// `Unsatisfied` or `Invalid` before a byte is sent, where the witness or a clause is wrong, or there is no clause of this
/// number; otherwise those of [`prove`].
pub fn prove_one_of<'w, W, C>(
    clauses: &C,
    chosen: usize,
    witness: W,
    channel: &mut Channel,
    options: &Options,
) -> Result<Report>
where
    W: IntoIterator<Item = F2, IntoIter: 'w> + Clone,
    C: Clauses<Clear<F2, Stream<'w>>>
        + Clauses<Count<F2>>
        + for<'a> Clauses<<Binary as Setting>::Prover<'a>>
        + for<'a> Clauses<wolverine::Prover<'a, BitMacs>>
        + EvaluatedClauses
        + SimulatedClauses,
{
    if chosen >= clauses.count() {
        let count = clauses.count();
        return Err(Error::invalid(format!(
            "there is no clause number {chosen}, counted from 0, of {count}"
        )));
    }
    let own = Streamed(witness.clone(), PhantomData);
    if options.system == System::Stack {
        return garbled::prove_one_of(clauses, (chosen, own), channel, options);
    }
    let one_of = OneOf(clauses);
    let all = one_of.witness(&of_clauses::shapes(clauses)?, chosen, witness);
    // All clauses are evaluated, whichever holds. Where none does, its own says by name what is wrong.
    prove(&one_of, Streamed(all, PhantomData), channel, options).map_err(|error| match error {
        Error::Unsatisfied(_) => check(&Clause::new(clauses, chosen), own).err().unwrap_or(error),
        error => error,
    })
}

/// Verifies that the prover at the other end of `channel` knows a witness for one of `clauses`, and tells it the verdict.
///
/// # Errors
/// Those of [`verify`].
pub fn verify_one_of<C>(clauses: &C, channel: &mut Channel, options: &Options) -> Result<(Accepted, Report)>
where
    C: Clauses<Count<F2>>
        + for<'a> Clauses<<Binary as Setting>::Verifier<'a>>
        + for<'a> Clauses<wolverine::Verifier<'a, BitMacs>>
        + GarbledClauses
        + SimulatedClauses,
{
    if options.system == System::Stack {
        return garbled::verify_one_of(clauses, channel, options);
    }
    verify(&OneOf(clauses), channel, options)
}
