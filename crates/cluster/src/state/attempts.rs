//! An attempt at a shard: opened, begun, lost or accepted.

use super::super::abort::{Abort, Fault};
use super::super::order::{Begin, Order};
use super::super::plan::{Crossing, Feed};
use super::super::word::Word;
use super::{Action, Change, Doing, Shard, State, Terms, Verdict};
use volery::channel::Party;

impl State {
    /// Ends the attempt at a shard, without a fault of the peer.
    pub(super) fn lose(&mut self, shard: usize, why: String, out: &mut Vec<Action>) {
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
    pub(super) fn clear(&mut self, shard: usize, why: String, out: &mut Vec<Action>) {
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
    pub(super) fn advance(&mut self, shard: usize, out: &mut Vec<Action>) {
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
    pub(super) fn launch(&mut self, shard: usize, out: &mut Vec<Action>) {
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
    pub(super) fn accept(&mut self, shard: usize, out: &mut Vec<Action>) {
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
    pub(super) fn open(&mut self, out: &mut Vec<Action>) {
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

    /// Whether all that enters it is there.
    pub(super) fn is_fed(&self, shard: usize) -> bool {
        let mut feeds = self.terms.plan.parts[shard].feeds.iter();
        feeds.all(|feed| self.shards[feed.from].accepted.is_some())
    }
}
