//! A worker: it joins its coordinator, and does attempts at its shard as it is told.

use super::abort::{Abort, Fault};
use super::order::{Begin, Join, Order, Status};
use super::plan::{Done, Shards, Turn};
use super::wire;
use std::io::{self, ErrorKind};
use std::net::{IpAddr, Shutdown, SocketAddr, TcpStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use volery::channel::{Channel, Link, Listener, Party, SecretKey, Tcp, Tls, TlsConfig};
use volery::error::{Error, Result};

/// Between two words to the coordinator while a session runs.
const TICK: Duration = Duration::from_millis(100);
/// The longest single try to connect, after which it is looked whether anybody still wants it.
const TRY: Duration = Duration::from_secs(1);
/// Between two tries.
const PAUSE: Duration = Duration::from_millis(20);
/// The pause between two tries where a name has to be looked up again.
const ABSENT: Duration = Duration::from_millis(500);

/// A worker of a party.
pub struct Worker {
    /// The party of the worker.
    pub party: Party,
    /// The shard that it is for.
    pub shard: usize,
    /// The run key, as its coordinator has it.
    pub key: SecretKey,
    /// The host and the port of its coordinator.
    pub coordinator: String,
    /// The address at which it listens for the other party's worker, if its side listens: one of this
    /// machine, with port 0 for a free one. Where `None`, that by which it reaches its coordinator.
    pub listen: Option<SocketAddr>,
    /// The host by which others reach it, where that is another than the one at which it listens.
    pub host: Option<String>,
    /// The longest wait: for the coordinator to be there, and for the other party's worker at any point.
    pub timeout: Duration,
    /// The most memory that this process has held, where somebody knows.
    pub peak: fn() -> Option<u64>,
}

/// Does the shard of `worker` until it is accepted. `begun` hears of each attempt, and where its multiplications
/// are counted.
///
/// # Errors
/// Why it is not: what its session came to, that the run has ended, or that its coordinator is gone.
pub fn run_worker(
    worker: &Worker,
    shards: &dyn Shards,
    begun: &mut dyn FnMut(u32, &Arc<AtomicU64>),
) -> Result<(), Abort> {
    run_over(worker, shards, begun, |link| link)
}

/// Runs a worker over the link that `wrap` makes of the one to its coordinator.
pub(super) fn run_over(
    worker: &Worker,
    shards: &dyn Shards,
    begun: &mut dyn FnMut(u32, &Arc<AtomicU64>),
    wrap: impl FnOnce(Box<dyn Link>) -> Box<dyn Link>,
) -> Result<(), Abort> {
    let of = |why: Error| Abort::of(&why).of_peer().in_shard(worker.shard);
    let tls = TlsConfig::new(&worker.key, worker.key.identity().into()).map_err(of)?;
    shards.plan().validate().map_err(of)?;
    let parts = &shards.plan().parts;
    let Some(part) = parts.get(worker.shard) else {
        let (shard, all) = (worker.shard, parts.len());
        return Err(Abort::new(Fault::Own, format!("there is no shard {shard}: the statement has {all}")));
    };
    let incoming = part.feeds.iter().map(|feed| feed.bytes.len()).collect();
    let (link, here) = join(worker, &tls).map_err(of)?;
    let (link, secret) = (wrap(Box::new(link)), shards.secret_bytes());
    let mut post = Post { worker, shards, link, here, listens: false, secret, incoming };
    let result = post.run(begun);
    let _ = post.link.close();
    result.map_err(|why| match why {
        Ended::Run(abort) => abort,
        Ended::Error(why) => of(why),
    })
}

/// Reaches the coordinator; the link, and the address of its end here.
fn join(worker: &Worker, tls: &TlsConfig) -> Result<(Tls, IpAddr)> {
    let deadline = Instant::now() + worker.timeout;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let reached = Tcp::connect(&*worker.coordinator, left);
        // What nobody is at yet may have no name, or no way to it, before it is placed.
        let absent = reached.as_ref().is_err_and(|why| why.kind() != ErrorKind::InvalidInput);
        let joined = reached.and_then(|mut tcp| {
            tcp.set_timeout(worker.timeout)?;
            let here = tcp.local_addr()?.ip();
            Ok((tls.connect(tcp)?, here))
        });
        match joined {
            Ok(joined) => return Ok(joined),
            // Where many join at once, some are asked to come again.
            Err(why) if is_passing(&why) && Instant::now() + PAUSE < deadline => std::thread::sleep(PAUSE),
            Err(_) if absent && Instant::now() + ABSENT < deadline => std::thread::sleep(ABSENT),
            Err(source) => return Err(Error::Io { doing: "joining the coordinator", source }),
        }
    }
}

fn is_passing(why: &io::Error) -> bool {
    let kinds = [
        ErrorKind::ConnectionRefused,
        ErrorKind::ConnectionReset,
        ErrorKind::ConnectionAborted,
        ErrorKind::UnexpectedEof,
        ErrorKind::BrokenPipe,
    ];
    kinds.contains(&why.kind())
}

/// How a worker ends that does not end well.
enum Ended {
    /// An end that its coordinator, or its session, tells.
    Run(Abort),
    Error(Error),
}

impl From<Error> for Ended {
    fn from(why: Error) -> Self {
        Self::Error(why)
    }
}

/// A worker that has a coordinator.
struct Post<'a> {
    worker: &'a Worker,
    shards: &'a dyn Shards,
    link: Box<dyn Link>,
    here: IpAddr,
    listens: bool,
    secret: usize,
    incoming: Vec<usize>,
}

/// The result of an attempt, the order that came during it, and the link to the other party where it failed.
type Attempted = (Result<Done, Abort>, Option<Order>, Option<Channel>);

/// A message of a session to the thread that speaks with the coordinator.
enum Said {
    /// The session is rejected, which the other party is told once this was heard, and the coordinator knows.
    Rejecting(Abort, Sender<()>),
    /// The session has ended.
    Ended(Result<Done, Abort>),
}

/// The means to end a session from another thread.
#[derive(Default)]
struct Stop {
    stopped: Arc<AtomicBool>,
    socket: Mutex<Option<TcpStream>>,
}

impl Post<'_> {
    fn run(&mut self, begun: &mut dyn FnMut(u32, &Arc<AtomicU64>)) -> Result<(), Ended> {
        let Worker { party, shard, .. } = *self.worker;
        let join = Status::Join(Join::new(party, self.shards.plan(), shard));
        self.listens = match self.say(&join)? {
            Order::Welcome { listens } => listens,
            Order::Refused(why) => return Err(Ended::Run(Abort::new(Fault::Own, why).in_shard(shard))),
            _ => return Err(wire::malformed().into()),
        };
        loop {
            let listener = if self.listens { Some(self.listener()?) } else { None };
            let address = listener.as_ref().map_or(Ok(String::new()), |listener| self.address(listener))?;
            let begin = loop {
                match self.say(&Status::Waiting { address: address.clone() })? {
                    Order::Wait | Order::Stop => {}
                    Order::Begin(begin) => break begin,
                    order => return self.ended(order),
                }
            };
            let attempt = begin.attempt;
            let (done, mut order, channel) = self.attempt(*begin, listener, begun)?;
            match done {
                Ok(mut done) => {
                    done.figures.peak = (self.worker.peak)().unwrap_or(0);
                    order = match self.say(&Status::Done { attempt, done: Box::new(done) })? {
                        Order::Wait => order,
                        order => Some(order),
                    };
                    loop {
                        match order {
                            None | Some(Order::Wait) => order = Some(self.say(&Status::Resting)?),
                            Some(Order::Stop) => break,
                            Some(order) => return self.ended(order),
                        }
                    }
                }
                Err(abort) => {
                    let ended = matches!(order, Some(Order::End(_)));
                    let failed = Status::Failed { attempt, abort: abort.clone() };
                    let answer = if ended { order } else { Some(self.say(&failed)?) };
                    // The other party hears that it has ended once this one knows.
                    drop(channel);
                    match answer {
                        _ if !abort.is_lost() => return Err(Ended::Run(abort)),
                        _ if ended => return self.ended(Order::End(Err(abort.why))),
                        Some(end @ Order::End(_)) => return self.ended(end),
                        _ => {}
                    }
                }
            }
        }
    }

    /// Says this to the coordinator, and hears its answer.
    fn say(&mut self, status: &Status) -> Result<Order> {
        wire::send(&mut self.link, &status.encode())?;
        let answer = wire::receive(&mut self.link, Order::longest(self.secret, &self.incoming))?;
        Order::decode(&answer, self.secret, &self.incoming)
    }

    /// The end by an order that is to begin nothing.
    fn ended(&self, order: Order) -> Result<(), Ended> {
        match order {
            Order::End(Ok(())) => Ok(()),
            Order::End(Err(why)) => {
                let why = format!("its coordinator has ended the run: {why}");
                Err(Ended::Run(Abort::new(Fault::Peer, why).in_shard(self.worker.shard)))
            }
            _ => Err(wire::malformed().into()),
        }
    }

    /// One attempt, to its end.
    fn attempt(
        &mut self,
        begin: Begin,
        listener: Option<Listener>,
        begun: &mut dyn FnMut(u32, &Arc<AtomicU64>),
    ) -> Result<Attempted> {
        let (attempt, progress, stop) = (begin.attempt, Arc::<AtomicU64>::default(), Stop::default());
        begun(attempt, &progress);
        let (worker, shards) = (self.worker, self.shards);
        let (sender, said) = channel();
        let mut open = None;
        let session = |open: &mut Option<Channel>| {
            let told = sender.clone();
            let watch = Watch { stop: &stop, progress: &progress, said: told };
            let session = || session(worker, shards, begin, listener, watch, open);
            // A session that panics has ended, too; the hook has said why.
            let ended = catch_unwind(AssertUnwindSafe(session)).unwrap_or_else(|_| {
                Err(Abort::new(Fault::Bug, "a bug in volery: see what the worker says on standard error"))
            });
            let _ = sender.send(Said::Ended(ended));
        };
        let (done, order) = std::thread::scope(|scope| {
            // Gone with this closure, before the session is waited for: one that has something to say then hears
            // that nobody listens.
            let said = said;
            scope.spawn(|| session(&mut open));
            let mut order = None;
            loop {
                match said.recv_timeout(TICK) {
                    Ok(Said::Ended(done)) => return Ok((done, order)),
                    Ok(Said::Rejecting(abort, heard)) => {
                        // Where this does not arrive, the other party is not to know either.
                        match self.say(&Status::Failed { attempt, abort }) {
                            Ok(Order::Wait) => {}
                            Ok(told) => order = Some(told),
                            Err(why) => {
                                stop.stop();
                                return Err(why);
                            }
                        }
                        let _ = heard.send(());
                        continue;
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => unreachable!("it says how it ended"),
                }
                match self.say(&Status::Working { attempt, gates: progress.load(Relaxed) }) {
                    Ok(Order::Wait) => {}
                    Ok(told @ (Order::Stop | Order::End(_))) => {
                        stop.stop();
                        order = Some(told);
                    }
                    Ok(_) => {
                        stop.stop();
                        return Err(wire::malformed());
                    }
                    Err(why) => {
                        stop.stop();
                        return Err(why);
                    }
                }
            }
        })?;
        Ok((done, order, open))
    }

    /// A listener for the other party's worker. A new one for each attempt: whoever comes late for another
    /// finds nobody.
    fn listener(&self) -> Result<Listener> {
        let address = self.worker.listen.unwrap_or(SocketAddr::new(self.here, 0));
        Listener::bind(address).map_err(Error::io("listening for the other party's worker"))
    }

    /// The address at which others reach `listener`.
    fn address(&self, listener: &Listener) -> Result<String> {
        let address = listener.local_addr().map_err(Error::io("listening for the other party's worker"))?;
        Ok(match &self.worker.host {
            Some(host) if host.contains(':') => format!("[{host}]:{}", address.port()),
            Some(host) => format!("{host}:{}", address.port()),
            None => address.to_string(),
        })
    }
}

/// The means to watch a session, and to stop it.
struct Watch<'w> {
    stop: &'w Stop,
    progress: &'w Arc<AtomicU64>,
    said: Sender<Said>,
}

/// One attempt, in a thread that another can stop, over a link that is left `open` where it fails.
fn session(
    worker: &Worker,
    shards: &dyn Shards,
    begin: Begin,
    listener: Option<Listener>,
    watch: Watch<'_>,
    open: &mut Option<Channel>,
) -> Result<Done, Abort> {
    let Watch { stop, progress, said } = watch;
    let lost = |source| Abort::of(&Error::Io { doing: "reaching the other party's worker", source });
    let Begin { run, restarts, attempt, peer, address, secret, incoming } = begin;
    let tls = TlsConfig::new(&worker.key, peer.into()).map_err(|why| Abort::of(&why))?;
    let reached = match listener {
        Some(listener) => listener.until(stop.stopped.clone()).accept_tls(&tls, worker.timeout, |_, _| {}),
        None => connect(worker, &tls, &address, stop),
    };
    let link = reached.map_err(lost)?;
    stop.cuts(link.handle().map_err(lost)?);
    let channel = open.insert(Channel::new(worker.party, link));
    let (shard, progress) = (worker.shard, progress.clone());
    let rejecting = Box::new(move |why: &Error| {
        let (heard, hears) = self::channel();
        let _ = said.send(Said::Rejecting(Abort::of(why), heard));
        // Where nobody hears it, the link is cut.
        let _ = hears.recv();
    });
    let turn = Turn { run, shard, attempt, restarts, secret, incoming, progress, rejecting };
    let done = shards.run(turn, channel).map_err(|why| Abort::of(&why))?;
    if let Some(channel) = open.take() {
        channel.close().map_err(|why| Abort::of(&why))?;
    }
    Ok(done)
}

/// Connects to the other party's worker, again and again until it is there.
fn connect(worker: &Worker, tls: &TlsConfig, address: &str, stop: &Stop) -> io::Result<Tls> {
    let deadline = Instant::now() + worker.timeout;
    loop {
        let tried = Tcp::connect(address, TRY.min(worker.timeout));
        match tried {
            Ok(mut tcp) => {
                tcp.set_timeout(worker.timeout)?;
                stop.cuts(tcp.handle()?);
                return tls.connect(tcp);
            }
            Err(why) if stop.is_stopped() || Instant::now() >= deadline => return Err(why),
            Err(_) => std::thread::sleep(PAUSE),
        }
    }
}

impl Stop {
    /// Ends the session, wherever it is.
    fn stop(&self) {
        self.stopped.store(true, Relaxed);
        if let Some(socket) = &*self.socket.lock().unwrap_or_else(PoisonError::into_inner) {
            let _ = socket.shutdown(Shutdown::Both);
        }
    }

    fn is_stopped(&self) -> bool {
        self.stopped.load(Relaxed)
    }

    /// Makes the socket the one whose link a stop ends.
    fn cuts(&self, socket: TcpStream) {
        let mut current = self.socket.lock().unwrap_or_else(PoisonError::into_inner);
        let socket = current.insert(socket);
        if self.is_stopped() {
            let _ = socket.shutdown(Shutdown::Both);
        }
    }
}
