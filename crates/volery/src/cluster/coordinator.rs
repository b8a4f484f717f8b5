//! One party's side of a run: what it hears, from its workers and from the other coordinator, in one queue.

use super::abort::{Abort, Fault};
use super::order::Order;
use super::plan::{Crossing, Figures, Plan, ShardOutcome};
use super::staff::{self, Staff};
use super::state::{Action, Change, Event, Id, State, Terms};
use super::wire::{Reader, Wire as _};
use super::word::{self, Word};
use crate::channel::{Channel, Hello, Identity, Link, Listener, Party, SecretKey, TlsConfig, Traffic};
use crate::error::{Disagreement, Error, Misbehaviour, Rejection, Result, Sides};
use crate::random::Random;
use std::collections::{HashMap, VecDeque};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Between two messages of the coordinator that connects, where there is nothing to say.
const TICK: Duration = Duration::from_millis(20);
/// How long the other one waits for what it may have to say at once.
const AT_ONCE: Duration = Duration::from_millis(2);
/// How long workers have to say how their sessions ended, once the run has.
const SETTLING: Duration = Duration::from_secs(5);
/// The longest name of a system in a hello.
const LONGEST_NAME: usize = 32;
/// The letters of an identity.
const IDENTITY: usize = 65;

/// One party's side of a run.
pub struct Coordinator {
    /// Which party's.
    pub party: Party,
    /// What the run is made of.
    pub plan: Plan,
    /// How a verifier draws the secret of a run, Δ, for that run alone, whose name is given. A prover has none.
    pub secret: Option<Draw>,
    /// The run key, drawn for the run.
    pub key: SecretKey,
    /// Where workers of this party join.
    pub listener: Listener,
    /// Whether this side listened for the other coordinator; its workers then listen for the other's.
    pub listens: bool,
    /// The host of the other coordinator, where this side connected to it: it is that of workers that name no
    /// host.
    pub peer_host: Option<String>,
    /// How many workers there may be at once.
    pub at_once: usize,
    /// How many attempts may be lost in all; both parties must say the same.
    pub restarts: u32,
    /// The longest wait: for the other coordinator, for a worker to say something, and for any worker to join
    /// while none is at work.
    pub timeout: Duration,
    /// What a verifier does once all shards are accepted, before the prover hears that: it has to find that what
    /// workers told makes one verdict, and may keep it.
    pub record: Option<Record>,
    queue: (Sender<Heard>, Receiver<Heard>),
}

/// What a verifier makes of what its workers told, before the prover hears it: where it fails, the proof is
/// rejected.
pub type Record = Box<dyn FnOnce(&Outcome) -> Result<()> + Send>;

/// How the secret of the run of this name is drawn.
pub type Draw = Box<dyn FnOnce(&[u8; 32]) -> Result<Crossing> + Send>;

/// Starts workers, or has them started, somewhere.
pub trait Launcher {
    /// Starts a worker for a shard, which is to join the coordinator: see [`run_worker`](super::run_worker).
    /// Does not wait for it. Whoever starts it calls [`Handle::exited`] once it has ended, however that was.
    ///
    /// # Errors
    /// Where it cannot be started, which ends the run.
    fn launch(&mut self, launch: Launch, handle: &Handle) -> Result<()>;
}

/// A worker that is to be started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launch {
    /// For this shard.
    pub shard: usize,
    /// The attempt that waits for it, from 0.
    pub attempt: u32,
    /// Where it is to join.
    pub coordinator: SocketAddr,
}

/// Tells a coordinator, which runs on another thread, of what happens elsewhere.
#[derive(Clone)]
pub struct Handle(Sender<Heard>);

impl Handle {
    /// The worker that was started for this shard has ended, and why, in words.
    pub fn exited(&self, shard: usize, why: impl Into<String>) {
        let _ = self.0.send(Heard::Event(Event::Exited { shard, why: why.into() }));
    }

    /// Nobody wants the verdict any more.
    pub fn interrupt(&self) {
        let abort = Abort::new(Fault::Interrupted, "interrupted");
        let _ = self.0.send(Heard::Event(Event::End(abort)));
    }
}

/// What a run comes to where every shard is accepted.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The name of the run.
    pub run: [u8; 32],
    /// The digest of the statement.
    pub statement: [u8; 32],
    /// What was told of each shard.
    pub shards: Vec<ShardOutcome>,
    /// How many attempts were lost.
    pub restarts: u32,
    /// What the coordinators said to each other, beside the shards.
    pub traffic: Traffic,
    /// From the agreement of the coordinators to the verdict.
    pub elapsed: Duration,
}

/// What happens in a run, for those who watch.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum News {
    /// The coordinators have agreed on a run.
    Agreed {
        /// Its name.
        run: [u8; 32],
    },
    /// A worker has joined.
    Joined {
        /// For this shard.
        shard: usize,
    },
    /// Somebody who is no worker of this run wanted to join.
    TurnedAway {
        /// Why it was not let.
        why: String,
    },
    /// An attempt may begin, once there are workers.
    Open {
        /// The shard.
        shard: usize,
        /// The attempt, from 0.
        attempt: u32,
    },
    /// It has begun.
    Begun {
        /// The shard.
        shard: usize,
        /// The attempt, from 0.
        attempt: u32,
    },
    /// It goes on.
    Working {
        /// The shard.
        shard: usize,
        /// Multiplications done so far.
        gates: u64,
    },
    /// It was lost, and another will follow.
    Lost {
        /// The shard.
        shard: usize,
        /// The attempt, from 0.
        attempt: u32,
        /// How, in words.
        why: String,
    },
    /// The shard is done.
    Accepted {
        /// The shard.
        shard: usize,
        /// What it took.
        figures: Figures,
    },
}

/// What is in the queue.
pub(super) enum Heard {
    Event(Event),
    Joined { id: Id, shard: usize, orders: Sender<Order> },
    News(News),
}

impl Coordinator {
    /// A coordinator of `party` for a run of `plan`, whose workers join at `listener` by `key`. It connects to
    /// the other one, has as many workers at once as there are shards, and lets as many attempts be lost, and
    /// 16 more; each of these is a field, to be changed.
    pub fn new(party: Party, plan: Plan, key: SecretKey, listener: Listener) -> Self {
        let shards = plan.parts.len();
        Self {
            party,
            plan,
            secret: None,
            key,
            listener,
            listens: false,
            peer_host: None,
            at_once: shards,
            restarts: shards as u32 + 16,
            timeout: Duration::from_secs(60),
            record: None,
            queue: channel(),
        }
    }

    /// What tells this coordinator of things that happen elsewhere.
    pub fn handle(&self) -> Handle {
        Handle(self.queue.0.clone())
    }

    /// Runs to the verdict, with the other coordinator at the end of `peer`. Without a launcher, somebody else
    /// starts workers. `watch` is called on this thread.
    ///
    /// # Errors
    /// Why there is no verdict, or that it is no. All workers then are told to end.
    pub fn run(
        self,
        peer: impl Link + 'static,
        launcher: Option<&mut dyn Launcher>,
        watch: &mut dyn FnMut(&News),
    ) -> Result<Outcome, Abort> {
        self.valid().map_err(|why| Abort::of(&why))?;
        let mut channel = Channel::new(self.party, peer);
        let met = self.meet(&mut channel);
        // A coordinator that is not there any more has cost no shard.
        let (run, theirs, at_once) = met.map_err(|why| Abort::of(&why).of_peer())?;
        watch(&News::Agreed { run });
        let own = |why: Error| Abort::of(&why);
        let secret = self.secret.map_or(Ok(Crossing::default()), |draw| draw(&run)).map_err(own)?;
        let tls = TlsConfig::new(&self.key, self.key.identity().into()).map_err(own)?;
        let unreachable = |why| own(Error::io("looking where workers join")(why));
        let address = self.listener.local_addr().map_err(unreachable)?;
        let plan = Arc::new(self.plan);
        let (queue, heard) = self.queue;
        let staff = Staff::at(
            self.listener,
            tls,
            staff::Post {
                party: self.party,
                plan: plan.clone(),
                listens: self.listens,
                timeout: self.timeout,
            },
            queue.clone(),
        );
        let (words, unsaid) = channel_of_words();
        // For each attempt no more than four are ever said, and one for the run.
        let most = 4 * (plan.parts.len() as u64 + u64::from(self.restarts)) + 1;
        let talk = Talk { words: unsaid, queue: queue.clone(), peer_host: self.peer_host, most };
        let listens = self.listens;
        let talking = std::thread::spawn(move || talk.run(channel, listens));
        let terms = Terms {
            party: self.party,
            plan: (*plan).clone(),
            run,
            peer: theirs,
            secret,
            at_once,
            restarts: self.restarts,
            launches: launcher.is_some(),
            listens,
        };
        let driver = Driver {
            state: State::new(terms),
            run,
            statement: plan.statement,
            heard,
            handle: Handle(queue),
            words: Some(words),
            talking: Some(talking),
            orders: HashMap::new(),
            address,
            timeout: self.timeout,
            record: self.record,
            started: Instant::now(),
        };
        let outcome = driver.run(launcher, watch);
        staff.dismiss();
        outcome
    }

    /// Demands that there is a run to begin.
    fn valid(&self) -> Result<()> {
        self.plan.validate()?;
        if self.system().len() > LONGEST_NAME || self.at_once == 0 {
            return Err(Error::invalid("a run needs a worker, and a system with a short name"));
        }
        Ok(())
    }

    /// The system as a hello has it.
    fn system(&self) -> String {
        format!("{}, in {} shards", self.plan.system, self.plan.parts.len())
    }

    /// Agrees with the other coordinator on a run: its name, the other's run key, how many attempts may be open
    /// at once.
    fn meet(&self, channel: &mut Channel) -> Result<([u8; 32], Identity, usize)> {
        let terms = format!("{} restarts", self.restarts);
        let hello = Hello {
            system: &self.system(),
            field: &self.plan.field,
            parameters: &terms,
            statement: &self.plan.statement,
        };
        let theirs = crate::channel::shake_hands(channel, &hello, &Random::from_system()?.bytes())?;
        Sides { ours: terms, theirs }.agree(Disagreement::InShards)?;
        channel.checkpoint("shards");
        let at_once = u32::try_from(self.at_once).unwrap_or(u32::MAX);
        let card = [self.key.identity().to_string().as_bytes(), &at_once.to_le_bytes()].concat();
        channel.put(&card)?;
        channel.hand_over()?;
        let theirs: [u8; IDENTITY + 4] = channel.recv_array()?;
        let mut reader = Reader(&theirs);
        let identity = str::from_utf8(reader.bytes(IDENTITY)?).ok().and_then(|text| text.parse().ok());
        let identity: Identity = identity.ok_or(Error::Misbehaved(Misbehaviour::MalformedWord))?;
        if identity == self.key.identity() {
            // One that is another party's, too, tells no worker from those of the other side.
            return Err(Error::invalid("both sides have the same run key: let each party make its own"));
        }
        let at_once = self.at_once.min(reader.u32()? as usize).max(1);
        Ok((channel.checkpoint("run"), identity, at_once))
    }
}

fn channel_of_words() -> (Sender<Word>, Receiver<Word>) {
    channel()
}

/// What drives the state.
struct Driver {
    state: State,
    run: [u8; 32],
    statement: [u8; 32],
    heard: Receiver<Heard>,
    handle: Handle,
    /// `None` once nothing follows.
    words: Option<Sender<Word>>,
    talking: Option<JoinHandle<Traffic>>,
    orders: HashMap<Id, Sender<Order>>,
    address: SocketAddr,
    timeout: Duration,
    record: Option<Record>,
    started: Instant,
}

impl Driver {
    fn run(
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

/// The link to the other coordinator.
struct Talk {
    words: Receiver<Word>,
    queue: Sender<Heard>,
    peer_host: Option<String>,
    /// How many words the other may still say.
    most: u64,
}

impl Talk {
    /// Talks until there is nothing left to say, or nobody to talk to.
    fn run(mut self, mut channel: Channel, listens: bool) -> Traffic {
        let talked = if listens { self.answer(&mut channel) } else { self.ask(&mut channel) };
        if let Err(why) = talked {
            let _ = self.queue.send(Heard::Event(Event::Left(Abort::of(&why).of_peer())));
        }
        channel.traffic()
    }

    fn ask(&mut self, channel: &mut Channel) -> Result<()> {
        let mut words = VecDeque::new();
        loop {
            let ends = self.gather(&mut words, TICK);
            if ends && words.is_empty() {
                return Ok(());
            }
            word::send(channel, &mut words)?;
            self.hear(channel)?;
        }
    }

    fn answer(&mut self, channel: &mut Channel) -> Result<()> {
        let mut words = VecDeque::new();
        loop {
            self.hear(channel)?;
            let ends = self.gather(&mut words, AT_ONCE);
            word::send(channel, &mut words)?;
            if ends && words.is_empty() {
                return Ok(());
            }
        }
    }

    /// Takes up what is to be said, which is waited for; whether nothing follows.
    fn gather(&mut self, words: &mut VecDeque<Word>, wait: Duration) -> bool {
        if words.is_empty() {
            match self.words.recv_timeout(wait) {
                Ok(word) => words.push_back(word),
                Err(RecvTimeoutError::Timeout) => return false,
                Err(RecvTimeoutError::Disconnected) => return true,
            }
        }
        loop {
            match self.words.try_recv() {
                Ok(word) => words.push_back(word),
                Err(ended) => return ended == std::sync::mpsc::TryRecvError::Disconnected,
            }
        }
    }

    fn hear(&mut self, channel: &mut Channel) -> Result<()> {
        for mut word in word::receive(channel)? {
            self.most = self.most.checked_sub(1).ok_or(Error::Misbehaved(Misbehaviour::OutOfTurn))?;
            if let (Word::Ready { address, .. }, Some(host)) = (&mut word, &self.peer_host) {
                *address = reachable(address, host);
            }
            // Where nobody listens any more, the run has ended, and so will this.
            let _ = self.queue.send(Heard::Event(Event::Said(word)));
        }
        Ok(())
    }
}

/// The address of a worker, on `host` where it names none itself.
fn reachable(address: &str, host: &str) -> String {
    match address.parse::<SocketAddr>() {
        Ok(named) if named.ip().is_unspecified() => {
            let host = if host.contains(':') { format!("[{host}]") } else { host.to_owned() };
            format!("{host}:{}", named.port())
        }
        _ => address.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_that_names_no_host_is_where_its_coordinator_is() {
        assert_eq!(reachable("0.0.0.0:7", "example.org"), "example.org:7");
        assert_eq!(reachable("[::]:7", "::1"), "[::1]:7");
        assert_eq!(reachable("10.0.0.1:7", "example.org"), "10.0.0.1:7");
        assert_eq!(reachable("worker-3:7", "example.org"), "worker-3:7");
    }
}
