//! Words of the other coordinator.

use super::super::abort::{Abort, Fault};
use super::super::word::Word;
use super::{Action, Change, State, Verdict};
use volery::channel::Party;
use volery::error::{Error, Misbehaviour};

impl State {
    /// Takes up a word of the other coordinator.
    pub(super) fn said(&mut self, word: Word, out: &mut Vec<Action>) -> Result<(), Error> {
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
}

fn out_of_turn() -> Error {
    Error::Misbehaved(Misbehaviour::OutOfTurn)
}
