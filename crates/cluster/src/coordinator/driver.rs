//! Does what the state of a run says, and tells it what happens.

use super::super::abort::{Abort, Fault};
use super::super::order::Order;
use super::super::state::{Action, Change, Event, Id, State};
use super::super::word::Word;
use super::{Handle, Heard, Launch, Launcher, News, Outcome, Record};
use std::collections::{HashMap, VecDeque};
use std::net::SocketAddr;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use volery::channel::Traffic;
use volery::error::{Error, Rejection, Result};

/// How long workers have to say how their sessions ended, once the run has.
const SETTLING: Duration = Duration::from_secs(5);

/// The driver of the state.
pub(super) struct Driver {
    pub(super) state: State,
    pub(super) run: [u8; 32],
    pub(super) statement: [u8; 32],
    pub(super) heard: Receiver<Heard>,
    pub(super) handle: Handle,
    /// `None` once nothing follows.
    pub(super) words: Option<Sender<Word>>,
    pub(super) talking: Option<JoinHandle<Traffic>>,
    pub(super) orders: HashMap<Id, Sender<Order>>,
    pub(super) address: SocketAddr,
    pub(super) timeout: Duration,
    pub(super) record: Option<Record>,
    pub(super) started: Instant,
}

impl Driver {
    /// Runs to the verdict, or to its end.
    pub(super) fn run(
        mut self,
        mut launcher: Option<&mut dyn Launcher>,
        watch: &mut dyn FnMut(&News),
    ) -> Result<Outcome, Abort> {
        let mut todo: VecDeque<Action> = self.state.start().into();
        let mut last = Instant::now();
        let mut settled = None;
        let ended = loop {
            while let Some(action) = todo.pop_front() {
                let event = self.act(action, &mut launcher, watch);
                todo.extend(event.into_iter().flat_map(|event| self.state.on(event)));
            }
            if let Some(ended) = self.state.ended() {
                break ended;
            }
            if self.state.is_ending() {
                // Who does not say how its session ended is not waited for.
                let until = *settled.get_or_insert_with(|| Instant::now() + SETTLING.min(self.timeout));
                if Instant::now() >= until {
                    break Err(self.state.give_up());
                }
            }
            if self.state.is_working() {
                last = Instant::now();
            } else if last.elapsed() >= self.timeout {
                todo.extend(self.state.on(Event::End(self.nobody_joined())));
                continue;
            }
            let wait = Duration::from_millis(200).min(self.timeout / 4);
            let heard = match self.heard.recv_timeout(wait) {
                Ok(heard) => heard,
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => unreachable!("this end sends, too"),
            };
            match heard {
                Heard::News(news) => watch(&news),
                Heard::Joined { id, shard, orders } => {
                    last = Instant::now();
                    watch(&News::Joined { shard });
                    self.orders.insert(id, orders);
                    todo.extend(self.state.on(Event::Joined { id, shard }));
                }
                Heard::Event(event) => {
                    if !matches!(event, Event::Said(_)) {
                        last = Instant::now();
                    }
                    if let Event::Gone { id } = &event {
                        self.orders.remove(id);
                    }
                    todo.extend(self.state.on(event));
                }
            }
        };
        self.finish(ended)
    }

    /// Does it; what is to be heard of that at once.
    fn act(
        &mut self,
        action: Action,
        launcher: &mut Option<&mut dyn Launcher>,
        watch: &mut dyn FnMut(&News),
    ) -> Option<Event> {
        match action {
            Action::Launch { shard, attempt } => {
                let launch = Launch { shard, attempt, coordinator: self.address };
                let launched = launcher.as_mut().map(|launcher| launcher.launch(launch, &self.handle));
                return launched?.err().map(|why| Event::End(Abort::of(&why).in_shard(shard)));
            }
            Action::Tell(id, order) => {
                if let Some(orders) = self.orders.get(&id) {
                    let _ = orders.send(order);
                }
            }
            Action::Say(word) => {
                if let Some(words) = &self.words {
                    let _ = words.send(word);
                }
            }
            Action::Record => {
                let recorded = self.record.take().map(|record| record(&self.outcome(Traffic::default())));
                return Some(match recorded {
                    Some(Err(_)) => Event::End(Abort::of(&Error::Rejected(Rejection::NotRecorded))),
                    _ => Event::Recorded,
                });
            }
            Action::News(change) => watch(&match change {
                Change::Open { shard, attempt } => News::Open { shard, attempt },
                Change::Begun { shard, attempt } => News::Begun { shard, attempt },
                Change::Lost { shard, attempt, why } => News::Lost { shard, attempt, why },
                Change::Accepted { shard, figures } => News::Accepted { shard, figures },
            }),
        }
        None
    }

    /// Has everybody hear how it ended.
    fn finish(mut self, ended: Result<(), Abort>) -> Result<Outcome, Abort> {
        for orders in self.orders.values() {
            let _ = orders.send(Order::End(ended.as_ref().map(|_| ()).map_err(ToString::to_string)));
        }
        // The last word is said before the link is closed.
        self.words = None;
        let talked = self.talking.take().and_then(|talking| talking.join().ok()).unwrap_or_default();
        // Workers that hear it end well, too.
        let until = Instant::now() + SETTLING.min(self.timeout);
        while !self.orders.is_empty() {
            let left = until.saturating_duration_since(Instant::now());
            match self.heard.recv_timeout(left) {
                Ok(Heard::Event(Event::Gone { id })) => drop(self.orders.remove(&id)),
                Ok(_) => {}
                Err(_) => break,
            }
        }
        ended.map(|()| self.outcome(talked))
    }

    fn outcome(&self, traffic: Traffic) -> Outcome {
        Outcome {
            run: self.run,
            statement: self.statement,
            shards: self.state.told(),
            restarts: self.state.restarts(),
            traffic,
            elapsed: self.started.elapsed(),
        }
    }

    fn nobody_joined(&self) -> Abort {
        let seconds = self.timeout.as_secs_f64();
        let missing: Vec<_> = self.state.missing().iter().map(ToString::to_string).collect();
        let why = match &missing[..] {
            [] => format!("nothing was heard of any worker for {seconds} s, here or there"),
            [one] => format!("no worker has joined for shard {one} within {seconds} s"),
            _ => format!("no workers have joined for shards {} within {seconds} s", missing.join(", ")),
        };
        Abort::new(Fault::Peer, why)
    }
}
