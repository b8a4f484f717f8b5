//! Several statements on one set-up, and wires that one hands on to those behind it.
//!
//! All statements of a session are under one Δ. So a wire that one of them hands on is as good in each behind it: the
//! prover keeps its value and MAC, the verifier its key, **k = m + w·Δ** holds on, and nothing is said of it. Unlike
//! [shards](crate::sharded), statements that take such wires need not show that their key is the same: it is that of
//! the end. An error ends the session, and so all that was kept.
//!
//! For the verifier, the error of a session is the sum of those of its statements, since a check that fails ends it: as
//! for shards ([`crate::sharded`], "one path").

use super::{OverMacs, ProvesCompiled, VerifiesCompiled, prove_next, prover, verifier, verify_next};
use crate::crossing::{Ends, Outgoing};
use crate::session::direct::Proposition;
use volery_channel::channel::Channel;
use volery_channel::error::Result;
use volery_circuit::Size;
use volery_circuit::crossing::Carried;
use volery_circuit::stream::{Source, Stream};
use volery_proof::report::Report;
use volery_proof::session::{Proved, ProverEnd, ProverGates, Verified, VerifierEnd, VerifierGates};
use volery_proof::setting::Setting;
use volery_proof::system::{ProvesMany, VerifiesMany};
use volery_proof::verdict::Accepted;
use volery_proof::witness::Reread;
use volery_vole::macs::Values;
use zeroize::{DefaultIsZeroes, Zeroizing};

/// Several statements on one set-up, by one party.
pub(super) struct Many<E, W: DefaultIsZeroes> {
    end: E,
    /// The wires that the next statement takes.
    carried: Carried<W>,
    /// The wires that it hands on, if any.
    hands_on: Option<usize>,
}

impl<E, W: DefaultIsZeroes> Many<E, W> {
    /// Statements over this end of a link.
    pub(super) fn over(end: E) -> Self {
        Self { end, carried: Carried::default(), hands_on: None }
    }

    /// The ends of the wires that the next statement takes, and how many it hands on; nothing where no wires cross.
    fn crossing<L: DefaultIsZeroes>(&self) -> Option<(Ends<W, L>, Outgoing)> {
        let crosses = self.hands_on.is_some() || !self.carried.is_empty();
        crosses.then(|| {
            let incoming = Ends { wires: self.carried.clone(), lines: Zeroizing::default() };
            (incoming, Outgoing { wires: self.hands_on.unwrap_or(0), shards: 0 })
        })
    }

    /// Keeps what a statement has handed on.
    fn keep(&mut self, given: Option<Carried<W>>) {
        if let (Some(_), Some(given)) = (self.hands_on.take(), given) {
            self.carried = given;
        }
    }
}

type Tag<S> = <<S as Setting>::Macs as Values>::Tag;
type Key<S> = <<S as Setting>::Macs as Values>::E;

impl<S: OverMacs> Many<ProverEnd<'_, S>, Tag<S>> {
    /// Checks the next statement in the clear.
    fn check_next(&mut self, stream: &Stream<'_, S::F>, witness: &dyn Reread<S::F>) -> Result<()> {
        let Self { end, carried, hands_on } = self;
        end.check(|clear| {
            if hands_on.is_none() && carried.is_empty() {
                return clear.check_stream(stream, witness.read());
            }
            let values = carried.iter().map(|wire| S::Macs::value(*wire)).collect::<Vec<_>>();
            clear.check_shard(stream, witness.read(), Carried::new(values.into()), hands_on.unwrap_or(0))
        })
    }
}

impl<S: OverMacs> ProvesMany<S::F> for Many<ProverEnd<'_, S>, Tag<S>> {
    fn prepare(&mut self, name: [u8; 32], size: Size) -> Result<()> {
        self.end.prepare(name, size)
    }

    fn name_next(&mut self, digest: [u8; 32], size: Option<Size>) {
        self.end.name_next(digest, size);
    }

    fn channel(&mut self) -> &mut Channel {
        self.end.channel()
    }

    fn carry(&mut self, wires: usize) -> Result<()> {
        self.hands_on = Some(wires);
        Ok(())
    }

    fn check(&mut self, statement: &dyn Source<S::F>, witness: &dyn Reread<S::F>) -> Result<()> {
        self.check_next(&Stream::new(statement), witness)
    }

    fn prove(&mut self, statement: &dyn Source<S::F>, witness: &dyn Reread<S::F>) -> Result<Report> {
        self.prove_compiled(&Proposition::streamed(statement), witness)
    }
}

impl<S: OverMacs> ProvesCompiled<S> for Many<ProverEnd<'_, S>, Tag<S>> {
    fn prove_compiled(
        &mut self,
        statement: &Proposition<'_, S>,
        witness: &dyn Reread<S::F>,
    ) -> Result<Report> {
        let Some((incoming, outgoing)) = self.crossing() else {
            return prove_next(&mut self.end, statement, witness);
        };
        if self.end.checks() {
            self.check_next(&statement.stream, witness)?;
        }
        let mut given = None;
        let gates: ProverGates<'_, S> = Box::new(|channel, vole, work| {
            let mut prover = prover::<S>(channel, vole, work, witness).for_shard(incoming, outgoing, 0);
            statement.push_to_prover(&mut prover)?;
            let (gates, vole, ends) = prover.finish_shard()?;
            given = Some(ends.wires);
            Ok(Proved { gates, details: None, vole })
        });
        let report = self.end.prove_checked(&statement.stream, gates)?;
        self.keep(given);
        Ok(report)
    }
}

impl<S: OverMacs> VerifiesMany<S::F> for Many<VerifierEnd<'_, S>, Key<S>> {
    fn prepare(&mut self, name: [u8; 32], size: Size) -> Result<()> {
        self.end.prepare(name, size)
    }

    fn name_next(&mut self, digest: [u8; 32], size: Option<Size>) {
        self.end.name_next(digest, size);
    }

    fn channel(&mut self) -> &mut Channel {
        self.end.channel()
    }

    fn carry(&mut self, wires: usize) -> Result<()> {
        self.hands_on = Some(wires);
        Ok(())
    }

    fn verify(&mut self, statement: &dyn Source<S::F>) -> Result<(Accepted, Report)> {
        self.verify_compiled(&Proposition::streamed(statement))
    }
}

impl<S: OverMacs> VerifiesCompiled<S> for Many<VerifierEnd<'_, S>, Key<S>> {
    fn verify_compiled(&mut self, statement: &Proposition<'_, S>) -> Result<(Accepted, Report)> {
        let Some((incoming, outgoing)) = self.crossing() else {
            return verify_next(&mut self.end, statement);
        };
        let mut given = None;
        let gates: VerifierGates<'_, S> = Box::new(|channel, vole, work, secrets| {
            // No lines are compared, for which alone there is a salt: the key is that of this end.
            let salt = secrets.random.bytes();
            let verifier = verifier::<S>(channel, vole, work, secrets);
            let mut verifier = verifier.for_shard(incoming, outgoing, (0, salt));
            statement.push_to_verifier(&mut verifier)?;
            let (accepted, gates, vole, ends) = verifier.finish_shard()?;
            given = Some(ends.wires);
            Ok(Verified { accepted, gates, details: None, vole })
        });
        let (accepted, report) = self.end.verify(&statement.stream, gates)?;
        self.keep(given);
        Ok((accepted, report))
    }
}
