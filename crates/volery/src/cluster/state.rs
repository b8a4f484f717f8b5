//! What a coordinator does next, given what it has heard: no link, no clock, no thread.
//!
//! The verifier **opens** attempts, the lowest shard first, and no more at once than both parties have workers;
//! so the two never wait for each other with workers for different shards. An attempt begins here once a worker
//! waits for it on both sides. The first worker of a shard does it; others that join stand by.

use super::abort::{Abort, Fault};
use super::order::{Begin, Order};
use super::plan::{Crossing, Done, Feed, Figures, Plan, ShardOutcome};
use super::word::Word;
use crate::channel::{Identity, Party};
use crate::error::{Error, Misbehaviour};
use std::collections::{HashMap, VecDeque};

/// A worker's number, by the order of joining.
pub(super) type Id = u64;

/// What a coordinator hears.
pub(super) enum Event {
    /// A worker for this shard has joined.
    Joined {
        id: Id,
        shard: usize,
    },
    /// It waits; where workers of this party listen, at this address.
    Waiting {
        id: Id,
        address: String,
    },
    Done {
        id: Id,
        attempt: u32,
        done: Done,
    },
    Failed {
        id: Id,
        attempt: u32,
        abort: Abort,
    },
    /// Its link ended.
    Gone {
        id: Id,
    },
    /// What the launcher started for this shard has ended, and why.
    Exited {
        shard: usize,
        why: String,
    },
    /// From the other coordinator.
    Said(Word),
    /// Its link ended.
    Left(Abort),
    /// Nothing goes on, as somebody here wishes or has found.
    End(Abort),
    /// The verdict is kept.
    Recorded,
}

/// What it is to do.
pub(super) enum Action {
    /// Start a worker.
    Launch {
        shard: usize,
        attempt: u32,
    },
    Tell(Id, Order),
    Say(Word),
    /// Every shard is accepted: keep the verdict, and say so by [`Event::Recorded`].
    Record,
    /// Tell those who watch.
    News(Change),
}

/// What has become of a shard.
#[derive(Clone, Debug)]
pub(super) enum Change {
    Open { shard: usize, attempt: u32 },
    Begun { shard: usize, attempt: u32 },
    Lost { shard: usize, attempt: u32, why: String },
    Accepted { shard: usize, figures: Figures },
}

/// How a run is to go.
pub(super) struct Terms {
    pub(super) party: Party,
    pub(super) plan: Plan,
    pub(super) run: [u8; 32],
    /// The other party's run key.
    pub(super) peer: Identity,
    /// The verifier's secret.
    pub(super) secret: Crossing,
    /// The attempts that may be open at once.
    pub(super) at_once: usize,
    /// The restarts that both have agreed on.
    pub(super) restarts: u32,
    /// Whether workers are to be started here.
    pub(super) launches: bool,
    /// Whether workers of this party listen.
    pub(super) listens: bool,
}

pub(super) struct State {
    terms: Terms,
    shards: Vec<Shard>,
    workers: HashMap<Id, usize>,
    restarts: u32,
    /// Workers that were to be started, beyond one for each shard and restart.
    relaunches: u32,
    accepted: usize,
    ending: Option<Abort>,
    /// Whether that is since the peer gave up, or was lost: what it could foresee then counts against it.
    given_up: bool,
    verdict: Verdict,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    None,
    /// It is being recorded.
    Asked,
    /// The prover was told.
    Said,
    /// Both know it.
    Known,
}

#[derive(Default)]
struct Shard {
    attempt: u32,
    open: bool,
    /// The first does it, the others stand by.
    crew: VecDeque<Worker>,
    /// Started, and not heard to have ended.
    launched: u32,
    /// This side has said that a worker waits.
    said: bool,
    /// The other has, and at which address.
    heard: Option<String>,
    begun: bool,
    ours: Option<Done>,
    theirs: bool,
    accepted: Option<Done>,
    /// Shards that need what leaves this one, and are not accepted yet.
    needed_by: usize,
    /// An attempt was lost, and no other is open yet.
    lost: bool,
    launches: u32,
    /// Why the last attempt, or the last process, ended.
    why: String,
    /// An attempt was lost when the peer could foresee the verdict, and none was accepted since.
    abandoned: Option<Abort>,
}

struct Worker {
    id: Id,
    doing: Doing,
}

#[derive(PartialEq, Eq)]
enum Doing {
    Arriving,
    Waiting {
        address: String,
    },
    Working,
    /// It was told that its attempt is over, and has not said yet how that ended.
    Stopping,
    /// It was told that its attempt is over behind its end, or has said that it failed: it will wait again.
    Returning,
    Resting,
}

impl State {
    pub(super) fn new(terms: Terms) -> Self {
        let mut shards: Vec<Shard> = terms.plan.parts.iter().map(|_| Shard::default()).collect();
        for feed in terms.plan.parts.iter().flat_map(|part| &part.feeds) {
            shards[feed.from].needed_by += 1;
        }
        Self {
            terms,
            shards,
            workers: HashMap::new(),
            restarts: 0,
            relaunches: 0,
            accepted: 0,
            ending: None,
            given_up: false,
            verdict: Verdict::None,
        }
    }

    /// Begins.
    pub(super) fn start(&mut self) -> Vec<Action> {
        let mut actions = Vec::new();
        self.open(&mut actions);
        actions
    }

    /// What became of the run, once nothing is left to do.
    pub(super) fn ended(&self) -> Option<Result<(), Abort>> {
        if let Some(abort) = &self.ending {
            return (!self.is_working()).then(|| Err(abort.clone()));
        }
        (self.verdict == Verdict::Known).then_some(Ok(()))
    }

    /// Whether the run is to end, once workers have said how their sessions did.
    pub(super) fn is_ending(&self) -> bool {
        self.ending.is_some()
    }

    /// Why it is to end, where workers do not say so.
    pub(super) fn give_up(&self) -> Abort {
        self.ending.clone().expect("the run is to end")
    }

    /// What is told of each shard.
    pub(super) fn told(&self) -> Vec<ShardOutcome> {
        let told = |shard: &Shard| {
            let (figures, verdict) = match &shard.accepted {
                Some(done) => (done.figures, done.verdict.clone()),
                None => Default::default(),
            };
            ShardOutcome { figures, attempts: shard.attempt + 1, verdict }
        };
        self.shards.iter().map(told).collect()
    }

    /// How many attempts were lost.
    pub(super) fn restarts(&self) -> u32 {
        self.restarts
    }

    /// Whether some worker is doing its shard.
    pub(super) fn is_working(&self) -> bool {
        let working = |worker: &Worker| matches!(worker.doing, Doing::Working | Doing::Stopping);
        self.shards.iter().any(|shard| shard.crew.iter().any(working))
    }

    /// The shards that are open and have no worker here.
    pub(super) fn missing(&self) -> Vec<usize> {
        let missing = |(_, shard): &(usize, &Shard)| shard.open && shard.crew.is_empty();
        self.shards.iter().enumerate().filter(missing).map(|(i, _)| i).collect()
    }

    /// Takes up `event`.
    pub(super) fn on(&mut self, event: Event) -> Vec<Action> {
        let mut actions = Vec::new();
        let out = &mut actions;
        match event {
            Event::Joined { id, shard } => self.joined(id, shard, out),
            Event::Waiting { id, address } => self.waiting(id, address, out),
            Event::Done { id, attempt, done } => self.done(id, attempt, done, out),
            Event::Failed { id, attempt, abort } => self.failed(id, attempt, abort, out),
            Event::Gone { id } => self.gone(id, out),
            Event::Exited { shard, why } => self.exited(shard, why, out),
            Event::Said(word) => {
                if let Err(why) = self.said(word, out) {
                    self.end(Abort::of(&why), true, out);
                }
            }
            Event::Left(abort) => {
                if self.verdict == Verdict::Said {
                    // It was told, and whether it heard that is its own business.
                    self.verdict = Verdict::Known;
                } else if self.verdict != Verdict::Known {
                    self.end(abort, false, out);
                }
            }
            Event::End(abort) => self.end(abort, true, out),
            Event::Recorded => {
                if self.verdict == Verdict::Asked && self.ending.is_none() {
                    self.verdict = Verdict::Said;
                    out.push(Action::Say(Word::Accepted));
                }
            }
        }
        actions
    }

    fn joined(&mut self, id: Id, shard: usize, out: &mut Vec<Action>) {
        self.workers.insert(id, shard);
        if let Some(why) = &self.ending {
            out.push(Action::Tell(id, Order::End(Err(why.to_string()))));
        } else if self.shards[shard].accepted.is_some() {
            out.push(Action::Tell(id, Order::End(Ok(()))));
        }
        self.shards[shard].crew.push_back(Worker { id, doing: Doing::Arriving });
    }

    fn waiting(&mut self, id: Id, address: String, out: &mut Vec<Action>) {
        let Some((shard, at)) = self.find(id) else { return };
        if let Some(why) = &self.ending {
            out.push(Action::Tell(id, Order::End(Err(why.to_string()))));
        } else if self.shards[shard].accepted.is_some() {
            // It has lost an attempt that the other worker of this shard did again.
            out.push(Action::Tell(id, Order::End(Ok(()))));
        }
        let worker = &mut self.shards[shard].crew[at];
        // What it said before it was told to begin may arrive behind that.
        if worker.doing != Doing::Working {
            worker.doing = Doing::Waiting { address };
        }
        self.advance(shard, out);
    }

    fn done(&mut self, id: Id, attempt: u32, done: Done, out: &mut Vec<Action>) {
        let Some((shard, at)) = self.find(id) else { return };
        let state = &mut self.shards[shard];
        let worker = &mut state.crew[at];
        if worker.doing == Doing::Stopping {
            worker.doing = Doing::Returning;
            return;
        }
        if worker.doing != Doing::Working || attempt != state.attempt {
            return;
        }
        worker.doing = Doing::Resting;
        if self.ending.is_none() {
            state.ours = Some(done);
            out.push(Action::Say(Word::Done { shard: shard as u32, attempt }));
            self.accept(shard, out);
        }
    }

    fn failed(&mut self, id: Id, attempt: u32, abort: Abort, out: &mut Vec<Action>) {
        let Some((shard, at)) = self.find(id) else { return };
        let state = &mut self.shards[shard];
        let worker = &mut state.crew[at];
        let current = worker.doing == Doing::Working && attempt == state.attempt;
        if !matches!(worker.doing, Doing::Working | Doing::Stopping) {
            return;
        }
        worker.doing = Doing::Returning;
        let abort = abort.in_shard(shard);
        // A link that this side has cut says nothing of the peer.
        if abort.counts_against_peer && abort.is_lost() && (current || self.given_up) {
            state.abandoned = Some(abort.clone());
        }
        if !abort.is_lost() || self.given_up {
            self.end(abort, true, out);
        } else if current && self.ending.is_none() {
            self.lose(shard, abort.why, out);
        }
    }

    fn gone(&mut self, id: Id, out: &mut Vec<Action>) {
        let Some((shard, at)) = self.find(id) else { return };
        self.workers.remove(&id);
        let state = &mut self.shards[shard];
        state.crew.remove(at);
        let counted = at == 0 && state.open && (state.said || state.begun) && state.ours.is_none();
        if self.ending.is_some() {
            return;
        }
        if counted && state.accepted.is_none() {
            self.lose(shard, "a worker was lost".into(), out);
        } else {
            self.advance(shard, out);
        }
    }

    fn exited(&mut self, shard: usize, why: String, out: &mut Vec<Action>) {
        let Some(state) = self.shards.get_mut(shard) else { return };
        state.launched = state.launched.saturating_sub(1);
        state.why = why;
        self.advance(shard, out);
    }

    /// Takes up a word of the other coordinator.
    fn said(&mut self, word: Word, out: &mut Vec<Action>) -> Result<(), Error> {
        if self.ending.is_some() {
            return Ok(());
        }
        let prover = self.terms.party == Party::Prover;
        match word {
            Word::Open { shard, attempt } if prover => self.opened(shard as usize, attempt, out),
            Word::Ready { shard, attempt, address } => {
                if !self.is_current(shard, attempt)? {
                    return Ok(());
                }
                let shard = shard as usize;
                let (state, listens) = (&mut self.shards[shard], self.terms.listens);
                // Workers of one side listen, and those of the other do not.
                if state.heard.is_some() || address.is_empty() != listens {
                    return Err(out_of_turn());
                }
                state.heard = Some(address);
                self.advance(shard, out);
                Ok(())
            }
            Word::Done { shard, attempt } => {
                if !self.is_current(shard, attempt)? {
                    return Ok(());
                }
                let shard = shard as usize;
                let state = &mut self.shards[shard];
                if !state.begun || state.theirs {
                    return Err(out_of_turn());
                }
                state.theirs = true;
                self.accept(shard, out);
                Ok(())
            }
            Word::Lost { shard, attempt } if !prover => {
                if self.is_current(shard, attempt)? {
                    self.lose(shard as usize, "the prover has lost its worker, or the link".into(), out);
                }
                Ok(())
            }
            Word::Accepted if prover && self.accepted == self.shards.len() => {
                self.verdict = Verdict::Known;
                out.push(Action::Say(Word::Heard));
                Ok(())
            }
            Word::Heard if !prover && self.verdict == Verdict::Said => {
                self.verdict = Verdict::Known;
                Ok(())
            }
            Word::Abort { rejected } => {
                let abort = match self.terms.party {
                    Party::Prover if rejected => Abort::rejected(),
                    _ => Abort::new(
                        Fault::Peer,
                        format!("the {} has ended the run", self.terms.party.other().name()),
                    ),
                };
                self.end(abort, false, out);
                Ok(())
            }
            _ => Err(out_of_turn()),
        }
    }

    /// Whether this is the attempt under way; false for an earlier one, of which words may still arrive.
    fn is_current(&self, shard: u32, attempt: u32) -> Result<bool, Error> {
        let state = self.shards.get(shard as usize).ok_or_else(out_of_turn)?;
        if attempt < state.attempt || attempt == state.attempt && state.lost {
            return Ok(false);
        }
        if attempt > state.attempt || !state.open || state.accepted.is_some() {
            return Err(out_of_turn());
        }
        Ok(true)
    }

    /// The verifier opens an attempt.
    fn opened(&mut self, shard: usize, attempt: u32, out: &mut Vec<Action>) -> Result<(), Error> {
        if shard >= self.shards.len() {
            return Err(out_of_turn());
        }
        let fed = self.is_fed(shard);
        let state = &self.shards[shard];
        let first = attempt == 0 && !state.open && !state.lost;
        let again = attempt == state.attempt + 1 && (state.open || state.lost);
        if !fed || state.accepted.is_some() || !(first || again) {
            return Err(out_of_turn());
        }
        if again {
            self.restarts += 1;
            if self.restarts > self.terms.restarts {
                return Err(out_of_turn());
            }
            if self.shards[shard].open {
                let why = "the verifier has lost its worker, or the link".into();
                self.clear(shard, why, out);
            }
            self.shards[shard].attempt = attempt;
        }
        (self.shards[shard].open, self.shards[shard].lost) = (true, false);
        out.push(Action::News(Change::Open { shard, attempt }));
        self.advance(shard, out);
        Ok(())
    }

    /// This attempt is over, without a fault of the peer.
    fn lose(&mut self, shard: usize, why: String, out: &mut Vec<Action>) {
        let attempt = self.shards[shard].attempt;
        self.clear(shard, why.clone(), out);
        if self.terms.party == Party::Prover {
            out.push(Action::Say(Word::Lost { shard: shard as u32, attempt }));
            return;
        }
        self.restarts += 1;
        if self.restarts > self.terms.restarts {
            let last = format!(
                "{} attempts were lost, more than both sides allow; the last one: {why}",
                self.restarts
            );
            return self.end(Abort::new(Fault::Lost, last).in_shard(shard), true, out);
        }
        let state = &mut self.shards[shard];
        state.attempt += 1;
        (state.open, state.lost) = (true, false);
        let attempt = state.attempt;
        out.push(Action::Say(Word::Open { shard: shard as u32, attempt }));
        out.push(Action::News(Change::Open { shard, attempt }));
        self.advance(shard, out);
    }

    /// Forgets all of the attempt under way, and ends our worker's part in it.
    fn clear(&mut self, shard: usize, why: String, out: &mut Vec<Action>) {
        let state = &mut self.shards[shard];
        out.push(Action::News(Change::Lost { shard, attempt: state.attempt, why: why.clone() }));
        (state.open, state.said, state.heard, state.begun) = (false, false, None, false);
        (state.ours, state.theirs, state.lost, state.why) = (None, false, true, why);
        if let Some(worker) = state.crew.front_mut() {
            match worker.doing {
                Doing::Working => worker.doing = Doing::Stopping,
                Doing::Resting => worker.doing = Doing::Returning,
                _ => return,
            }
            out.push(Action::Tell(worker.id, Order::Stop));
        }
    }

    /// Does what can be done for the attempt under way.
    fn advance(&mut self, shard: usize, out: &mut Vec<Action>) {
        let state = &mut self.shards[shard];
        if self.ending.is_some() || !state.open || state.begun {
            return;
        }
        let attempt = state.attempt;
        let Some(worker) = state.crew.front_mut() else {
            if self.terms.launches && state.launched == 0 {
                self.launch(shard, out);
            }
            return;
        };
        let Doing::Waiting { address } = &worker.doing else { return };
        if !state.said {
            state.said = true;
            let (shard, address) = (shard as u32, address.clone());
            out.push(Action::Say(Word::Ready { shard, attempt, address }));
        }
        let Some(address) = &state.heard else { return };
        let (id, address) = (worker.id, address.clone());
        worker.doing = Doing::Working;
        state.begun = true;
        let feeds = self.terms.plan.parts[shard].feeds.iter();
        let outgoing = |feed: &Feed| match &self.shards[feed.from].accepted {
            Some(done) => done.outgoing.part(feed.bytes.clone()),
            None => unreachable!("a shard is opened once all that enters it is there"),
        };
        let incoming = feeds.map(outgoing).collect();
        let Terms { run, restarts, peer, secret, .. } = &self.terms;
        let (run, restarts, peer, secret) = (*run, *restarts, *peer, secret.clone());
        let begin = Begin { run, restarts, attempt, peer, address, secret, incoming };
        out.push(Action::Tell(id, Order::Begin(Box::new(begin))));
        out.push(Action::News(Change::Begun { shard, attempt }));
    }

    /// Has a worker started, unless those before have ended too often before they did anything.
    fn launch(&mut self, shard: usize, out: &mut Vec<Action>) {
        let state = &mut self.shards[shard];
        self.relaunches += u32::from(state.launches > 0);
        if self.relaunches > self.terms.restarts {
            let why = format!("its workers do not last: the last one: {}", self.shards[shard].why);
            return self.end(Abort::new(Fault::Own, why).in_shard(shard), true, out);
        }
        (state.launches, state.launched) = (state.launches + 1, 1);
        out.push(Action::Launch { shard, attempt: state.attempt });
    }

    /// The shard is accepted where both say so.
    fn accept(&mut self, shard: usize, out: &mut Vec<Action>) {
        let state = &mut self.shards[shard];
        if state.ours.is_none() || !state.theirs {
            return;
        }
        (state.accepted, state.abandoned) = (state.ours.take(), None);
        self.accepted += 1;
        let figures = state.accepted.as_ref().map(|done| done.figures).unwrap_or_default();
        for worker in &state.crew {
            out.push(Action::Tell(worker.id, Order::End(Ok(()))));
        }
        out.push(Action::News(Change::Accepted { shard, figures }));
        // What nobody needs any more is wiped.
        let mut unneeded = vec![shard];
        for feed in &self.terms.plan.parts[shard].feeds {
            self.shards[feed.from].needed_by -= 1;
            unneeded.push(feed.from);
        }
        for shard in unneeded {
            if let Shard { needed_by: 0, accepted: Some(done), .. } = &mut self.shards[shard] {
                done.outgoing = Crossing::default();
            }
        }
        self.open(out);
    }

    /// Opens what can be, at the verifier.
    fn open(&mut self, out: &mut Vec<Action>) {
        if self.terms.party == Party::Prover || self.ending.is_some() {
            return;
        }
        if self.accepted == self.shards.len() && self.verdict == Verdict::None {
            self.verdict = Verdict::Asked;
            return out.push(Action::Record);
        }
        let is_open = |shard: &&Shard| shard.open && shard.accepted.is_none();
        let mut open = self.shards.iter().filter(is_open).count();
        for shard in 0..self.shards.len() {
            if open >= self.terms.at_once {
                return;
            }
            if self.shards[shard].open || !self.is_fed(shard) {
                continue;
            }
            let state = &mut self.shards[shard];
            state.open = true;
            open += 1;
            out.push(Action::Say(Word::Open { shard: shard as u32, attempt: 0 }));
            out.push(Action::News(Change::Open { shard, attempt: 0 }));
            self.advance(shard, out);
        }
    }

    /// Ends the run: nobody begins anything, and who is in a session says how it ended.
    fn end(&mut self, abort: Abort, say: bool, out: &mut Vec<Action>) {
        if matches!(self.verdict, Verdict::Said | Verdict::Known) {
            // It is accepted, and kept as that: what the prover does behind it changes nothing.
            self.verdict = Verdict::Known;
            return;
        }
        // Who gives up a run, or loses a link too often, after it could foresee a verdict, is convicted by that.
        let abandoned = self.shards.iter().find_map(|shard| shard.abandoned.as_ref());
        let given_up = !abort.counts_against_peer && matches!(abort.fault, Fault::Peer | Fault::Lost);
        let abort = match abandoned.filter(|_| given_up) {
            Some(abandoned) => abandoned.clone(),
            None => abort,
        };
        self.given_up |= given_up && self.ending.is_none();
        let abort = abort.convicting();
        if let Some(before) = &mut self.ending {
            // What convicts the peer counts, whichever came first.
            if abort.counts_against_peer && !before.counts_against_peer {
                *before = abort;
            }
            return;
        }
        if say {
            out.push(Action::Say(Word::Abort { rejected: abort.fault == Fault::Rejected }));
        }
        for worker in self.shards.iter_mut().flat_map(|shard| &mut shard.crew) {
            let order = match worker.doing {
                Doing::Working => {
                    worker.doing = Doing::Stopping;
                    Order::Stop
                }
                Doing::Stopping | Doing::Arriving => continue,
                _ => Order::End(Err(abort.to_string())),
            };
            out.push(Action::Tell(worker.id, order));
        }
        self.ending = Some(abort);
    }

    /// Whether all that enters it is there.
    fn is_fed(&self, shard: usize) -> bool {
        let mut feeds = self.terms.plan.parts[shard].feeds.iter();
        feeds.all(|feed| self.shards[feed.from].accepted.is_some())
    }

    fn find(&self, id: Id) -> Option<(usize, usize)> {
        let shard = *self.workers.get(&id)?;
        let at = self.shards[shard].crew.iter().position(|worker| worker.id == id)?;
        Some((shard, at))
    }
}

fn out_of_turn() -> Error {
    Error::Misbehaved(Misbehaviour::OutOfTurn)
}
