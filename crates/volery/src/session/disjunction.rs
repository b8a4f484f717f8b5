//! One of several clauses: by a system that knows disjunctions, or as one circuit of all.

use crate::session::compiled::{Named, find, quicksilver};
use crate::session::files::{files, verify_any};
use std::io::Read;
use volery_channel::channel::Channel;
use volery_channel::error::{Error, Result};
use volery_circuit::stream::{ClauseSource, ClauseStream, Source};
use volery_circuit::{Alternatives, Clause, OneOf, clauses as of_clauses};
use volery_primitives::F2;
use volery_proof::binary::Binary;
use volery_proof::options::Options;
use volery_proof::reading::Sink;
use volery_proof::report::Report;
use volery_proof::system::{Claim, one_claim};
use volery_proof::verdict::Accepted;
use volery_proof::witness::{Reread, Stream};
use volery_quicksilver::session::QuicksilverOver;
use volery_quicksilver::session::direct::{ProvableClauses, Stated};

/// Proves that one of `clauses` holds, and not which: that number `chosen` does with `witness`. By
/// quicksilver the largest clause is all that is committed to, and by a stack all that is sent of them; other
/// systems prove all of them, gate by gate.
///
/// # Errors
/// `Unsatisfied` or `Invalid` before a byte is sent, where the witness or a clause is wrong, or there is no
/// clause of this number; otherwise those of [`prove`](crate::prove).
pub fn prove_one_of(
    clauses: &(impl ProvableClauses<Binary> + ?Sized),
    chosen: usize,
    witness: impl IntoIterator<Item = F2> + Clone,
    channel: &mut Channel,
    options: &Options,
) -> Result<Report> {
    prove_one_of_over::<Binary>(clauses, chosen, witness, channel, options)
}

/// Proves one of several clauses over any field: see [`prove_one_of`].
///
/// # Errors
/// As for [`prove_one_of`].
pub fn prove_one_of_over<S: Named>(
    clauses: &(impl ProvableClauses<S> + ?Sized),
    chosen: usize,
    witness: impl IntoIterator<Item = S::F> + Clone,
    channel: &mut Channel,
    options: &Options,
) -> Result<Report> {
    let stated = Stated::<S>::of(clauses);
    exists(stated.source, chosen)?;
    if let Some(system) = compiled(stated.source, options) {
        let claims: &[Claim<'_, S::F>] = &[(chosen, &witness)];
        return system.prove_claims(stated, claims, channel, options);
    }
    prove_clause::<S>(stated.source, chosen, &witness, channel, options)
}

/// Proves one of several clauses with a witness of any kind.
fn prove_clause<S: Named>(
    clauses: &dyn ClauseSource<S::F>,
    chosen: usize,
    witness: &dyn Reread<S::F>,
    channel: &mut Channel,
    options: &Options,
) -> Result<Report> {
    exists(clauses, chosen)?;
    let system = find::<S>(options.system())?;
    if let Some(system) = system.clauses().filter(|_| !is_whole(clauses, options)) {
        return system.prove_one_of(clauses, chosen, witness, channel, options);
    }
    if is_whole(clauses, options) {
        let source: &dyn Source<S::F> = &Clause::new(clauses, 0);
        return system.prove(source, witness, channel, options);
    }
    as_one::<S>(clauses, chosen, witness, |all, witness| system.prove(all, witness, channel, options))
}

/// Demands that there is a clause of this number.
fn exists(clauses: &dyn Alternatives, chosen: usize) -> Result<()> {
    let count = clauses.count();
    if chosen < count {
        return Ok(());
    }
    Err(Error::invalid(format!("there is no clause number {chosen}, counted from 0, of {count}")))
}

/// Proves all clauses as one circuit, whose witness is that of the chosen one and zeros for the others.
fn as_one<S: Named>(
    clauses: &dyn ClauseSource<S::F>,
    chosen: usize,
    witness: &dyn Reread<S::F>,
    prove: impl FnOnce(&dyn Source<S::F>, &dyn Reread<S::F>) -> Result<Report>,
) -> Result<Report> {
    let one_of = OneOf(clauses);
    let shapes = of_clauses::shapes(&ClauseStream::new(clauses))?;
    let all = one_of.witness(&shapes, chosen, witness);
    // All clauses are evaluated, whichever holds. Where none does, its own says by name what is wrong.
    prove(&one_of, &all).map_err(|error| match error {
        Error::Unsatisfied(_) => {
            let own: Stream<'_, S::F> = witness.read();
            S::clear().check(&Clause::new(clauses, chosen), own).err().unwrap_or(error)
        }
        error => error,
    })
}

/// Writes a proof that one of `clauses` holds to `out`, as [`prove_to_file`](crate::prove_to_file) does of a
/// statement, and of which one is not told: that number `chosen` does with `witness`. All of them are proved,
/// gate by gate.
///
/// # Errors
/// As for [`prove_to_file`](crate::prove_to_file); `Invalid` where there is no clause of this number.
pub fn prove_one_of_to_file(
    clauses: &dyn ClauseSource,
    chosen: usize,
    witness: impl IntoIterator<Item = F2> + Clone,
    out: &mut dyn Sink,
    options: &Options,
) -> Result<Report> {
    exists(clauses, chosen)?;
    let system = files::<Binary>(options)?;
    as_one::<Binary>(clauses, chosen, &witness, |all, witness| {
        system.prove_to_file(all, witness, out, options)
    })
}

/// Reads a proof that somebody knows a witness for one of `clauses`, as
/// [`verify_from`](crate::verify_from) does of a statement.
///
/// # Errors
/// As for [`verify_from`](crate::verify_from).
pub fn verify_one_of_from(
    clauses: &dyn ClauseSource,
    proof: &mut (dyn Read + Send),
    options: &Options,
) -> Result<(Accepted, Report)> {
    verify_any::<Binary>(&OneOf(clauses), proof, options)
}

/// QuickSilver, which takes clauses that are compiled for it, where options name it and there are several.
fn compiled<S: Named>(
    clauses: &dyn ClauseSource<S::F>,
    options: &Options,
) -> Option<&'static dyn QuicksilverOver<S>> {
    quicksilver::<S>(options.system()).filter(|_| !is_whole(clauses, options))
}

/// Whether the only clause is a statement as any other, which nothing is hidden of and no tape is held for.
fn is_whole(clauses: &dyn Alternatives, options: &Options) -> bool {
    let facts = options.system().facts();
    clauses.count() == 1 && facts.clauses && !facts.of_clauses
}

/// Verifies that the prover at the other end of `channel` knows a witness for one of `clauses`, and
/// tells it the verdict.
///
/// # Errors
/// Those of [`verify`](crate::verify).
pub fn verify_one_of(
    clauses: &(impl ProvableClauses<Binary> + ?Sized),
    channel: &mut Channel,
    options: &Options,
) -> Result<(Accepted, Report)> {
    verify_one_of_over::<Binary>(clauses, channel, options)
}

/// Verifies one of several clauses over any field: see [`verify_one_of`].
///
/// # Errors
/// Those of [`verify`](crate::verify).
pub fn verify_one_of_over<S: Named>(
    clauses: &(impl ProvableClauses<S> + ?Sized),
    channel: &mut Channel,
    options: &Options,
) -> Result<(Accepted, Report)> {
    let stated = Stated::<S>::of(clauses);
    if let Some(system) = compiled(stated.source, options) {
        return system.verify_claims(stated, 1, channel, options);
    }
    verify_clause::<S>(stated.source, channel, options)
}

/// Proves claims, each of which is that one of `clauses` holds, and not which: that of this number does with this
/// witness. By quicksilver alone: one set-up, one check for all, and a challenge for as many claims as have 2^20
/// commitments and 2^24 gates together. The prover evaluates all of them before it says a word, and holds what it
/// commits to.
///
/// # Errors
/// As for [`prove_one_of`]; `Invalid` where there is no claim, or by another system.
pub fn prove_each_of_over<S: Named>(
    clauses: &(impl ProvableClauses<S> + ?Sized),
    claims: &[(usize, impl IntoIterator<Item = S::F> + Clone)],
    channel: &mut Channel,
    options: &Options,
) -> Result<Report> {
    let stated = Stated::<S>::of(clauses);
    claims.iter().try_for_each(|(chosen, _)| exists(stated.source, *chosen))?;
    let claims: Vec<Claim<'_, S::F>> =
        claims.iter().map(|(chosen, witness)| (*chosen, witness as &dyn Reread<S::F>)).collect();
    if let Some(system) = quicksilver::<S>(options.system()) {
        return system.prove_claims(stated, &claims, channel, options);
    }
    let system = find::<S>(options.system())?;
    let of_clauses = system.clauses().ok_or_else(|| one_claim(options.system()))?;
    of_clauses.prove_each_of(stated.source, &claims, channel, options)
}

/// Verifies that the prover at the other end of `channel` knows a witness for one of `clauses` for each of so many
/// claims, and tells it the verdict.
///
/// # Errors
/// As for [`verify_one_of`]; `Invalid` where there is no claim, or by another system.
pub fn verify_each_of_over<S: Named>(
    clauses: &(impl ProvableClauses<S> + ?Sized),
    claims: usize,
    channel: &mut Channel,
    options: &Options,
) -> Result<(Accepted, Report)> {
    let stated = Stated::<S>::of(clauses);
    if let Some(system) = quicksilver::<S>(options.system()) {
        return system.verify_claims(stated, claims, channel, options);
    }
    let system = find::<S>(options.system())?;
    let of_clauses = system.clauses().ok_or_else(|| one_claim(options.system()))?;
    of_clauses.verify_each_of(stated.source, claims, channel, options)
}

/// Verifies one of several clauses, whatever states them.
fn verify_clause<S: Named>(
    clauses: &dyn ClauseSource<S::F>,
    channel: &mut Channel,
    options: &Options,
) -> Result<(Accepted, Report)> {
    let system = find::<S>(options.system())?;
    if let Some(system) = system.clauses().filter(|_| !is_whole(clauses, options)) {
        return system.verify_one_of(clauses, channel, options);
    }
    if is_whole(clauses, options) {
        let source: &dyn Source<S::F> = &Clause::new(clauses, 0);
        return system.verify(source, channel, options);
    }
    let source: &dyn Source<S::F> = &OneOf(clauses);
    system.verify(source, channel, options)
}
