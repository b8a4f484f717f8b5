//! Statements in shards, by QuickSilver: many sessions, one statement, one key.
//!
//! A [`Sharded`](volery_circuit::Sharded) statement is proved shard by shard, each in a session of its own
//! between a worker of the prover and one of the verifier, wherever these are. All workers of the verifier hold
//! one Δ, drawn for this [`Run`] alone, so that what two workers hold for a wire, **k = m + w·Δ**, is as good in
//! any other shard: wires cross from worker to worker of one party ([`Crossing`]) and take no byte between the
//! parties. Whoever moves these, and the [`RunDelta`], encrypts them: they are as secret as the witness, or Δ.
//!
//! | from | message | bytes | when |
//! |---|---|---|---|
//! | both | handshake: its statement is a digest of the run, the shard, the attempt, the shards and attempts that wires come from, the whole statement, and all that is announced | as ever | first |
//! | | those of a set-up, fresh, under the run's Δ; those of the proof | as ever | |
//! | | one key for this shard and those that wires come from ([`crate::crossing`]) | 96 and more, or none | behind the last gate |
//! | | end and verdict | 65 | last |
//!
//! A shard of another run, another shard, another attempt or another statement is a
//! [`Disagreement::Shard`] before the first byte of a proof. Wires are handed
//! over when the shard that gives them has been accepted, and by the prover when it has heard so. The
//! [`Verdict`] is one for all: each shard accepted, once for all its consumers.
//!
//! # Why one Δ is safe
//!
//! **What a verifier lets out of Δ.** In each set-up and proof the verifier compares something that depends on
//! Δ with what the prover has said, and goes on where they are equal: rows of transfers, base correlations,
//! trees, products, assertions, the check of one key. Each such check passes for the keys of some set, which
//! the prover chooses by how it deviates: all keys where it is honest, 2^-c of them where it guesses c bits.
//! What else it says that depends on Δ is masked by what was never used (corrections of trees, keys of their
//! own set-up), or is the digest of more than the 100 bits of a whole Δ (trees over F_2), or a commitment that
//! opens to what the prover has said. Base transfers hide their choices whatever is known of other transfers
//! by the same choices; the points and leaves are fresh, and every hash names its session. Nothing that is
//! public is a function of Δ alone.
//!
//! **One path.** Fix all coins but Δ. A check that fails ends its attempt, *and the run*, even where the link has
//! ended before its error is due ([`volery_proof::verdict::earlier`]): nothing under this Δ is accepted any more. A
//! link that ends before a check can be computed takes an attempt, and nobody learns anything of Δ. So until the
//! end there is one way on which all checks pass, whatever the number of set-ups, their order, or how many run at
//! once; on it the checks of all attempts are at known sets of keys, and the run goes on to the end only where Δ is
//! in all of them. Guesses of c bits in one set-up and c' others in another survive with 2^-(c + c'), as if they
//! had been made in one; so a prover that makes N set-ups gains nothing from any of them but its own error, and a
//! false statement is accepted with the sum of the errors of all attempts at most ([`security`]): their roots of a
//! wrong polynomial, forged MACs, coefficients that cancel, values that meet under χ. With N shards and R further
//! attempts, each worth b bits, that is b − log2(N + R). A shard is refused where its own bits are fewer than asked
//! for by that much: over 2^61 − 1, where they are some 49, a run with more than some hundred attempts takes a
//! larger extension.
//!
//! **Attempts.** A shard whose link ends may be tried again, under a fresh set-up: R times at most in a run,
//! which both parties know. An attempt that was abandoned after a coin counts as any: its error is in the sum,
//! whether the prover liked the coin or not. Any other error ends the run for whoever meets it: no shard of it
//! may be begun again, and Δ is forgotten. What a worker finds has to be known to its party before the prover
//! knows: [`Options::record`] is called before a verdict is told, and a worker that fails to write it down has
//! rejected. Where a worker is lost between the two, whoever can bring that about knows more than the sum allows
//! for: see `volery-cluster`. For an error see [`may_try_again`].
//!
//! **All consumers take one attempt.** Where a shard is proved again after others have taken its wires, these
//! may not carry the same values again: so all that took the earlier ones are proved again, too. The digest of
//! a shard names the attempts that its wires come from, and the verdict refuses where they are not those that
//! count.
//!
//! **For the prover.** A verifier whose workers hold *different* keys would learn linear functions of wires that
//! cross. So each shard checks that its key is that of the shards before it; a verifier with two passes with
//! probability 1/|E| a link ([`privacy`]). All else is as in any session: corrections are masked by values of
//! its own set-up, the check by lines of it.
//!
//! Set-ups are no smaller for being many: trees, transfers and noise are drawn for each, from the system's
//! randomness. The noise of an LPN set is the prover's and does not depend on Δ; that N sets of a kind are
//! solved together costs log2 N bits of its estimate at most, as for N sessions of anybody.

mod bound;
mod crossing;
mod delta;
mod passing;
mod run;
#[cfg(test)]
mod tests;
mod verdict;

pub use bound::{privacy, security};
pub use crossing::Crossing;
pub use delta::RunDelta;
pub use passing::{Passing, ProverEnds, VerifierEnds};
pub use run::{Place, Run, may_try_again};
pub use verdict::{AcceptedShard, Verdict};

use crate::crossing::{LINES, Outgoing};
use crate::session::direct::Proposition;
use crate::session::{OverMacs, Quicksilver, Supported, over, prover, verifier};
use bound::headroom;
use crossing::{OfProver, OfVerifier, give, take};
use volery_channel::channel::{Channel, Party};
use volery_channel::error::{Disagreement, Error, Result};
use volery_circuit::Announced;
use volery_circuit::crossing::Carried;
use volery_circuit::stream::{Shard, ShardSource};
use volery_proof::options::Options;
use volery_proof::report::Report;
use volery_proof::session::{Proved, ProverGates, Verified, VerifierGates, Within};
use volery_proof::system::System;
use volery_proof::witness::Reread;
use volery_vole::macs::Values;

/// Proves one shard of `shards` to the verifier's worker at the other end of `channel`: `witness` is this
/// shard's alone, and `incoming` what came from each shard that it takes wires of, in any order. What goes out,
/// for each shard that takes wires of this one, is worth something where all of this has succeeded.
///
/// # Errors
/// As for `prove_over`; `Invalid` where the system is not QuickSilver, the run has other
/// shards, or what comes in is not what was announced; `Misbehaved` where the verifier does not show that its
/// key is that of the shards before. Which of them end the run says [`may_try_again`].
pub fn prove_shard<S: Supported>(
    (run, place): (&Run, Place),
    shards: &dyn ShardSource<S::F>,
    incoming: Vec<Crossing>,
    witness: impl IntoIterator<Item = S::F> + Clone,
    channel: &mut Channel,
    options: &Options,
) -> Result<(Report, Vec<Crossing>)> {
    let witness: &dyn Reread<S::F> = &witness;
    prove_any::<S>((run, place), shards, incoming, witness, channel, options)
}

/// Proves a shard, as [`prove_shard`] does, with a witness of any kind.
pub fn prove_any<S: Supported>(
    at: (&Run, Place),
    shards: &dyn ShardSource<S::F>,
    incoming: Vec<Crossing>,
    witness: &dyn Reread<S::F>,
    channel: &mut Channel,
    options: &Options,
) -> Result<(Report, Vec<Crossing>)> {
    over::<S>().prove_shard(at, shards, incoming, witness, channel, options)
}

/// Proves a shard, compiled for whoever calls it: see [`prove_any`].
pub(super) fn prove_here<S: OverMacs>(
    (run, place): (&Run, Place),
    shards: &dyn ShardSource<S::F>,
    incoming: Vec<Crossing>,
    witness: &dyn Reread<S::F>,
    channel: &mut Channel,
    options: &Options,
) -> Result<(Report, Vec<Crossing>)> {
    let announced = run.announced(place, shards, options)?;
    let here = Here { run, place, announced: &announced };
    let (ends, attempts) = take::<S, OfProver>(&here, incoming)?;
    let source = Shard::new(shards, &announced, place.number());
    let statement = Proposition::<S>::streamed(&source);
    if options.check {
        let values = ends.wires.iter().map(|wire| S::Macs::value(*wire)).collect::<Vec<_>>();
        let outgoing = announced.outgoing(place.number());
        S::clear().check_shard(&statement.stream, witness.read(), Carried::new(values.into()), outgoing)?;
    }
    let options = here.options(options, Party::Prover, &attempts);
    let mut given = None;
    let gates: ProverGates<'_, S> = Box::new(|channel, vole, work| {
        let Passing { incoming, outgoing, attempt } = here.passing(ends);
        let mut prover = prover::<S>(channel, vole, work, witness).for_shard(incoming, outgoing, attempt);
        statement.push_to_prover(&mut prover)?;
        let (gates, vole, ends) = prover.finish_shard()?;
        given = Some(ends);
        Ok(Proved { gates, details: None, vole })
    });
    let mut end = Quicksilver::<S>::prover_end(channel, options).within(here.within::<S>());
    let report = end.prove(&statement.stream, witness, gates).map_err(of_shard)?;
    Ok((report, give::<S, OfProver>(&here, &given.expect("it is proved"))))
}

/// Verifies one shard of `shards`, as [`prove_shard`] proves it, under the run's `delta`, and tells the prover
/// the verdict.
///
/// # Errors
/// As for `verify_over`; `Invalid` as for [`prove_shard`], and where `delta` is of another
/// run or setting; `Misbehaved` where the prover holds other ends of what comes in. Which of them end the run
/// says [`may_try_again`].
pub fn verify_shard<S: Supported>(
    at: (&Run, Place),
    shards: &dyn ShardSource<S::F>,
    incoming: Vec<Crossing>,
    delta: &RunDelta,
    channel: &mut Channel,
    options: &Options,
) -> Result<(AcceptedShard, Report, Vec<Crossing>)> {
    over::<S>().verify_shard(at, shards, incoming, delta, channel, options)
}

/// Verifies a shard, compiled for whoever calls it: see [`verify_shard`].
pub(super) fn verify_here<S: OverMacs>(
    (run, place): (&Run, Place),
    shards: &dyn ShardSource<S::F>,
    incoming: Vec<Crossing>,
    delta: &RunDelta,
    channel: &mut Channel,
    options: &Options,
) -> Result<(AcceptedShard, Report, Vec<Crossing>)> {
    let announced = run.announced(place, shards, options)?;
    let here = Here { run, place, announced: &announced };
    let (ends, attempts) = take::<S, OfVerifier>(&here, incoming)?;
    let source = Shard::new(shards, &announced, place.number());
    let statement = Proposition::<S>::streamed(&source);
    let delta = delta.of::<S>(run)?;
    let options = here.options(options, Party::Verifier, &attempts);
    let mut given = None;
    let gates: VerifierGates<'_, S> = Box::new(|channel, vole, work, secrets| {
        let Passing { incoming, outgoing, attempt } = here.passing(ends);
        // The salt of a shard is the first that is drawn.
        let salt = secrets.random.bytes();
        let verifier = verifier::<S>(channel, vole, work, secrets);
        let mut verifier = verifier.for_shard(incoming, outgoing, (attempt, salt));
        statement.push_to_verifier(&mut verifier)?;
        let (accepted, gates, vole, ends) = verifier.finish_shard()?;
        given = Some(ends);
        Ok(Verified { accepted, gates, details: None, vole })
    });
    let mut end = Quicksilver::<S>::verifier_end(channel, options).within(here.within::<S>(), delta);
    let (accepted, report) = end.verify(&statement.stream, gates).map_err(of_shard)?;
    let given = given.expect("it is verified");
    let accepted = AcceptedShard::new(accepted, &here, &report, attempts);
    Ok((accepted, report, give::<S, OfVerifier>(&here, &given)))
}

/// The run and the place of a shard.
struct Here<'r> {
    run: &'r Run,
    place: Place,
    announced: &'r Announced,
}

impl Here<'_> {
    /// The options of this shard's session: those given, for a statement of its own.
    fn options(&self, options: &Options, party: Party, attempts: &[u32]) -> Options {
        Options {
            statement: Some(self.run.shard_digest(self.place, self.announced, attempts)),
            size: None,
            // It was evaluated with what comes in.
            check: false,
            seed: options.seed.map(|seed| self.run.seed(&seed, self.place, party)),
            ..options.clone()
        }
    }

    fn passing<E>(&self, incoming: E) -> Passing<E> {
        let shard = self.place.number();
        let (wires, shards) = (self.announced.outgoing(shard), self.announced.consumers(shard).len());
        Passing { incoming, outgoing: Outgoing { wires, shards }, attempt: self.place.attempt }
    }

    fn within<S: OverMacs>(&self) -> Within {
        let shard = self.place.number();
        let lines = self.announced.sources(shard).len() + LINES * self.announced.consumers(shard).len();
        Within { lines: lines as u64 * S::facts().degree(), bits: self.headroom() }
    }

    fn headroom(&self) -> u32 {
        headroom(self.run.shards, self.run.restarts)
    }
}

/// An error of a shard's session, in which the two sides disagree on more than a statement.
fn of_shard(error: Error) -> Error {
    match error {
        Error::Disagreed(Disagreement::Statement(sides)) => Error::Disagreed(Disagreement::Shard(sides)),
        error => error,
    }
}

/// Demands that the system is the one that proves shards.
fn check_system(options: &Options) -> Result<()> {
    if options.system() == System::QUICKSILVER {
        return Ok(());
    }
    Err(Error::invalid(format!(
        "shards are proved by {}, and not by {}: no other system has wires that are worth anything in another \
         session",
        System::QUICKSILVER,
        options.system()
    )))
}
