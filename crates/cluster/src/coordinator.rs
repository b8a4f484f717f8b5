//! One party's side of a run: what it hears, from its workers and from the other coordinator, in one queue.

mod driver;
mod talk;

use super::abort::{Abort, Fault};
use super::order::Order;
use super::plan::{Crossing, Figures, Plan, ShardOutcome};
use super::staff::{self, Staff};
use super::state::{Event, Id, State, Terms};
use super::wire::{Reader, Wire as _};
use driver::Driver;
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::{Duration, Instant};
use talk::Talk;
use volery::channel::{Channel, Hello, Identity, Link, Listener, Party, SecretKey, TlsConfig, Traffic};
use volery::error::{Disagreement, Error, Misbehaviour, Result, Sides};
use volery::random::Random;

/// The longest name of a system in a hello.
const LONGEST_NAME: usize = 32;
/// The letters of an identity.
const IDENTITY: usize = 65;

/// One party's side of a run.
pub struct Coordinator {
    /// The party of this side.
    pub party: Party,
    /// The plan of the run.
    pub plan: Plan,
    /// How a verifier draws the secret of a run, Δ, for that run alone, whose name is given. A prover has none.
    pub secret: Option<Draw>,
    /// The run key, drawn for the run.
    pub key: SecretKey,
    /// The listener that workers of this party join at.
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
    /// Records the verdict of a verifier once all shards are accepted, before the prover hears that: it has
    /// to find that what workers told makes one verdict, and may keep it.
    pub record: Option<Record>,
    queue: (Sender<Heard>, Receiver<Heard>),
}

/// Records a verifier's verdict, by what its workers told, before the prover hears it: where it fails, the
/// proof is rejected.
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
    /// The address at which it is to join.
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

/// The outcome of a run where every shard is accepted.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The name of the run.
    pub run: [u8; 32],
    /// The digest of the statement.
    pub statement: [u8; 32],
    /// The outcomes of the shards.
    pub shards: Vec<ShardOutcome>,
    /// How many attempts were lost.
    pub restarts: u32,
    /// The traffic between the coordinators, beside the shards.
    pub traffic: Traffic,
    /// The time from the agreement of the coordinators to the verdict.
    pub elapsed: Duration,
}

/// An event of a run, for those who watch.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum News {
    /// The coordinators have agreed on a run.
    Agreed {
        /// The name of the run.
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
    /// The attempt has begun.
    Begun {
        /// The shard.
        shard: usize,
        /// The attempt, from 0.
        attempt: u32,
    },
    /// The attempt goes on.
    Working {
        /// The shard.
        shard: usize,
        /// Multiplications done so far.
        gates: u64,
    },
    /// The attempt was lost, and another will follow.
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
        /// The counts and times of the shard.
        figures: Figures,
    },
}

/// An entry of the queue.
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
            queue: mpsc::channel(),
        }
    }

    /// The handle by which this coordinator hears of things that happen elsewhere.
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
        let (words, unsaid) = mpsc::channel();
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
            lanes: 0,
            statement: &self.plan.statement,
        };
        let theirs =
            volery::channel::shake_hands(channel, &hello, &Random::from_system()?.bytes())?.parameters;
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
