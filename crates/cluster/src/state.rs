//! State of a coordinator, and its next actions, by what it has heard: no link, no clock, no thread.
//!
//! The verifier **opens** attempts, the lowest shard first, and no more at once than both parties have workers;
//! so the two never wait for each other with workers for different shards. An attempt begins here once a worker
//! waits for it on both sides. The first worker of a shard does it; others that join stand by.

mod attempts;
mod peer;

use super::abort::{Abort, Fault};
use super::order::Order;
use super::plan::{Crossing, Done, Figures, Plan, ShardOutcome};
use super::word::Word;
use std::collections::{HashMap, VecDeque};
use volery::channel::{Identity, Party};

/// A worker's number, by the order of joining.
pub(super) type Id = u64;

/// An event that a coordinator hears of.
pub(super) enum Event {
    /// A worker for this shard has joined.
    Joined {
        id: Id,
        shard: usize,
    },
    /// The worker waits; where workers of this party listen, at this address.
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
    /// The worker's link ended.
    Gone {
        id: Id,
    },
    /// The process that the launcher started for this shard has ended, and why.
    Exited {
        shard: usize,
        why: String,
    },
    /// A word of the other coordinator.
    Said(Word),
    /// The other coordinator's link ended.
    Left(Abort),
    /// The run is to end, as somebody here wishes or has found.
    End(Abort),
    /// The verdict is kept.
    Recorded,
}

/// An action of the coordinator.
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

/// A change of a shard.
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
    /// The verdict is being recorded.
    Asked,
    /// The prover was told.
    Said,
    /// The verdict is known to both.
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
    /// Whether this side has said that a worker waits.
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
    /// The worker was told that its attempt is over, and has not said yet how that ended.
    Stopping,
    /// The worker was told that its attempt is over behind its end, or has said that it failed: it will wait
    /// again.
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

    /// The outcome of the run, once nothing is left to do.
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

    /// The outcomes of the shards.
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

    /// The shards that are open, not done, and have no worker here.
    pub(super) fn missing(&self) -> Vec<usize> {
        let missing =
            |(_, shard): &(usize, &Shard)| shard.open && shard.accepted.is_none() && shard.crew.is_empty();
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

    fn find(&self, id: Id) -> Option<(usize, usize)> {
        let shard = *self.workers.get(&id)?;
        let at = self.shards[shard].crew.iter().position(|worker| worker.id == id)?;
        Some((shard, at))
    }
}
