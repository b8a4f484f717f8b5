//! Work of a party's workers: the shards of a statement, by QuickSilver.

use super::coordinator::Coordinator;
use super::plan::{self, Done, Feed, Figures, Part, Plan, Shards, Turn};
use core::time::Duration;
use std::sync::{Arc, Mutex, PoisonError};
use volery::channel::{Channel, Listener, Party, SecretKey};
use volery::circuit::Announced;
use volery::circuit::stream::ShardSource;
use volery::error::{Error, Rejection, Result};
use volery::sharded::{self, AcceptedShard, Crossing, Place, Run, RunDelta, Verdict};
use volery::{AnyClaim, AnySetting, AnyStatement, Named, Options, Report, System};
use zeroize::Zeroizing;

/// A statement in shards, as a party's workers and its coordinator know it.
pub struct Work<'a> {
    plan: Plan,
    announced: Announced,
    setting: &'static dyn AnySetting,
    options: Options,
    side: Side<'a>,
}

/// The result of one shard's session.
type Ended = (Option<AcceptedShard>, Report, Vec<Crossing>);
/// How a shard is proved.
type Prove<'a> =
    dyn Fn((&Run, Place), Vec<Crossing>, &mut Channel, &Options) -> Result<Ended> + Send + Sync + 'a;
/// How one is verified, under the key of the run.
type Verify<'a> = dyn Fn((&Run, Place), Vec<Crossing>, &RunDelta, &mut Channel, &Options) -> Result<Ended>
    + Send
    + Sync
    + 'a;

enum Side<'a> {
    Prover(Box<Prove<'a>>),
    Verifier(Box<Verify<'a>>),
}

impl Side<'_> {
    fn party(&self) -> Party {
        match self {
            Side::Prover(_) => Party::Prover,
            Side::Verifier(_) => Party::Verifier,
        }
    }
}

/// The statistical security in bits of a run that a verifier accepts. It is there once [`Coordinator::run`]
/// has succeeded.
pub type Worth = Arc<Mutex<Option<u32>>>;

impl<'a> Work<'a> {
    /// Work to verify `statement`, which is over `setting`, in so many shards.
    ///
    /// # Errors
    /// `Invalid` where it does not fall into them, as with the others.
    pub fn verify(
        setting: &'static dyn AnySetting,
        statement: &'a dyn AnyStatement,
        shards: usize,
        options: Options,
    ) -> Result<Self> {
        let in_shards = statement.in_shards(shards)?;
        let side = Side::Verifier(Box::new(move |at, incoming, delta, channel, options| {
            let (accepted, report, given) = statement.verify_shard(at, incoming, delta, channel, options)?;
            Ok((Some(accepted), report, given))
        }));
        Self::new(setting, in_shards.announced, in_shards.digest, options, side)
    }

    /// Work to prove `claim`, which is over `setting`, in so many shards.
    ///
    /// # Errors
    /// As for [`Work::verify`].
    pub fn prove(
        setting: &'static dyn AnySetting,
        claim: &'a dyn AnyClaim,
        shards: usize,
        options: Options,
    ) -> Result<Self> {
        let in_shards = claim.statement().in_shards(shards)?;
        let side = Side::Prover(Box::new(move |at, incoming, channel, options| {
            let (report, given) = claim.prove_shard(at, incoming, channel, options)?;
            Ok((None, report, given))
        }));
        Self::new(setting, in_shards.announced, in_shards.digest, options, side)
    }

    /// Work to prove one shard of `statement` in so many: with its [share](AnyClaim::share) of the witness,
    /// and nothing of the others.
    ///
    /// # Errors
    /// As for [`Work::verify`].
    pub fn prove_share(
        setting: &'static dyn AnySetting,
        statement: &'a dyn AnyStatement,
        shards: usize,
        share: Zeroizing<Vec<u8>>,
        options: Options,
    ) -> Result<Self> {
        let in_shards = statement.in_shards(shards)?;
        let side = Side::Prover(Box::new(move |at, incoming, channel, options| {
            let (report, given) = statement.prove_share(at, incoming, &share, channel, options)?;
            Ok((None, report, given))
        }));
        Self::new(setting, in_shards.announced, in_shards.digest, options, side)
    }

    /// Work to verify `shards` over `S`. `statement` names all of them: see [`Run::statement`].
    ///
    /// # Errors
    /// As for [`Work::verify`].
    pub fn verify_over<S: Named + Sync>(
        shards: &'a (dyn ShardSource<S::F> + Sync),
        statement: [u8; 32],
        options: Options,
    ) -> Result<Self> {
        let side = Side::Verifier(Box::new(move |at, incoming, delta, channel, options| {
            let verified = sharded::verify_shard::<S>(at, shards, incoming, delta, channel, options);
            let (accepted, report, given) = verified?;
            Ok((Some(accepted), report, given))
        }));
        Self::new(S::by_name(), Announced::of(shards)?, statement, options, side)
    }

    /// Work to prove `shards` over `S`, of each of which `witness` gives the witness by its number.
    ///
    /// # Errors
    /// As for [`Work::verify`].
    pub fn prove_over<S: Named + Sync, W: IntoIterator<Item = S::F> + Clone>(
        shards: &'a (dyn ShardSource<S::F> + Sync),
        witness: impl Fn(usize) -> W + Send + Sync + 'a,
        statement: [u8; 32],
        options: Options,
    ) -> Result<Self> {
        let side = Side::Prover(Box::new(move |at: (&Run, Place), incoming, channel, options| {
            let witness = witness(at.1.shard as usize);
            let (report, given) = sharded::prove_shard::<S>(at, shards, incoming, witness, channel, options)?;
            Ok((None, report, given))
        }));
        Self::new(S::by_name(), Announced::of(shards)?, statement, options, side)
    }

    fn new(
        setting: &'static dyn AnySetting,
        announced: Announced,
        statement: [u8; 32],
        options: Options,
        side: Side<'a>,
    ) -> Result<Self> {
        let party = side.party();
        let length = |from, to| setting.crossing_length(party, announced.between(from, to));
        let parts = (0..announced.count()).map(|shard| {
            let feed = |from: &usize| {
                // What leaves a shard is what each of those takes that need it, in order.
                let consumers = announced.consumers(*from).iter();
                let before: usize =
                    consumers.take_while(|to| **to < shard).map(|to| length(*from, *to)).sum();
                Feed { from: *from, bytes: before..before + length(*from, shard) }
            };
            let feeds: Vec<_> = announced.sources(shard).iter().map(feed).collect();
            let outgoing = announced.consumers(shard).iter().map(|to| length(shard, *to)).sum();
            let verdict = match party {
                Party::Prover => 0,
                Party::Verifier => AcceptedShard::length(feeds.len()),
            };
            Part { feeds, outgoing, verdict }
        });
        let parts = parts.collect();
        let plan = Plan { system: System::QUICKSILVER.name(), field: setting.name(), statement, parts };
        Ok(Self { plan, announced, setting, options, side })
    }

    /// The party of these workers.
    pub fn party(&self) -> Party {
        self.side.party()
    }

    /// The wires that cross between the shards.
    pub fn announced(&self) -> &Announced {
        &self.announced
    }

    /// A coordinator for a run, with the fields of [`Coordinator::new`], and restarts in all. A verifier's draws
    /// Δ, and makes one verdict of what workers tell; what it is worth it puts into the second.
    ///
    /// # Errors
    /// `Invalid` where less security is asked for than convinces.
    pub fn coordinator(
        &self,
        key: SecretKey,
        listener: Listener,
        restarts: u32,
    ) -> Result<(Coordinator, Worth)> {
        let worth = Worth::default();
        let mut coordinator = Coordinator::new(self.party(), self.plan.clone(), key, listener);
        coordinator.restarts = restarts;
        if self.party() == Party::Verifier {
            let asked = self.options.asked_security(self.setting.security())?;
            let (plan, setting, options) = (self.plan.clone(), self.setting, self.options.clone());
            coordinator.secret = Some(Box::new(move |id| {
                let delta = setting.run_delta(&run(&plan, *id, restarts), &options)?;
                Ok(plan::Crossing::new(delta.to_bytes()))
            }));
            let (plan, announced, worth) = (self.plan.clone(), self.announced.clone(), worth.clone());
            coordinator.record = Some(Box::new(move |outcome| {
                let mut verdict = Verdict::new(run(&plan, outcome.run, restarts), announced)?;
                for (shard, told) in (0..).zip(&outcome.shards) {
                    let accepted = AcceptedShard::from_bytes(&told.verdict)?;
                    // A worker speaks for its own shard.
                    if accepted.place() != (Place { shard, attempt: told.attempts - 1 }) {
                        return Err(Error::Rejected(Rejection::Shards));
                    }
                    verdict.add(accepted)?;
                }
                let (_accepted, bits) = verdict.finish(asked)?;
                *worth.lock().unwrap_or_else(PoisonError::into_inner) = Some(bits);
                Ok(())
            }));
        }
        Ok((coordinator, worth))
    }
}

/// The run of this name.
fn run(plan: &Plan, id: [u8; 32], restarts: u32) -> Run {
    Run { id, statement: plan.statement, shards: plan.parts.len() as u32, restarts }
}

impl Shards for Work<'_> {
    fn plan(&self) -> &Plan {
        &self.plan
    }

    fn secret_bytes(&self) -> usize {
        match self.party() {
            Party::Prover => 0,
            Party::Verifier => self.setting.delta_bytes(),
        }
    }

    fn run(&self, turn: Turn, channel: &mut Channel) -> Result<Done> {
        let Turn { run: id, shard, attempt, restarts, secret, incoming, progress, rejecting } = turn;
        let run = run(&self.plan, id, restarts);
        let place = Place { shard: shard as u32, attempt };
        let incoming = incoming.iter().map(|crossing| Crossing::from_bytes(crossing.bytes()));
        let incoming = incoming.collect::<Result<Vec<_>>>()?;
        let mut options = Options { progress: Some(progress), ..self.options.clone() };
        let (accepted, report, given) = match &self.side {
            Side::Prover(prove) => prove((&run, place), incoming, channel, &options)?,
            Side::Verifier(verify) => {
                options.record = Some(Arc::new(move |verdict| match verdict {
                    Ok(_) => Ok(()),
                    Err(why) => {
                        rejecting(why);
                        Ok(())
                    }
                }));
                if secret.bytes().len() != self.setting.delta_bytes() {
                    return Err(no_key());
                }
                let delta = self.setting.load_run_delta(&run, secret.bytes())?;
                verify((&run, place), incoming, &delta, channel, &options)?
            }
        };
        let mut outgoing = Zeroizing::new(Vec::with_capacity(self.plan.parts[shard].outgoing));
        given.iter().for_each(|crossing| outgoing.extend_from_slice(&crossing.to_bytes()));
        let verdict = accepted.map(|accepted| accepted.to_bytes()).unwrap_or_default();
        Ok(Done { figures: Figures::of(&report), outgoing: plan::Crossing::new(outgoing), verdict })
    }
}

fn no_key() -> Error {
    Error::invalid("a verifier's worker was given no key of the run by its coordinator")
}

impl Figures {
    /// The figures of a shard's session.
    fn of(report: &Report) -> Self {
        let nanoseconds = |time: Duration| time.as_nanos() as u64;
        let (gates, traffic, setup) = (&report.gates, &report.traffic, &report.setup_traffic);
        Self {
            mul: gates.mul,
            add: gates.add,
            assert: gates.assert,
            inputs: gates.inputs,
            sent: traffic.sent,
            received: traffic.received,
            rounds: traffic.rounds,
            setup_bytes: setup.sent + setup.received,
            setup: nanoseconds(report.setup),
            online: nanoseconds(report.online),
            peak: 0,
            statistical: report.security.statistical.into(),
            computational: report.security.computational.into(),
        }
    }
}
