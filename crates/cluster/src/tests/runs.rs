//! Whole runs over TLS on loopback, whose workers are threads.

use super::shards::{Dummy, misbehaves, tree};
use crate::order::{Join, Order, Status};
use crate::worker::run_over;
use crate::{
    Abort, Coordinator, Crossing, Done, Fault, Figures, Handle, Launch, Launcher, News, Outcome, Worker,
    run_worker, wire,
};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;
use volery::channel::{Channel, Hello, Link, Listener, Party, SecretKey, Tcp, TlsConfig, pipe, shake_hands};
use volery::error::{Error, Rejection, Result};

const TIMEOUT: Duration = Duration::from_secs(20);
/// For workers whose coordinators die before they join.
const HASTE: Duration = Duration::from_secs(2);

/// A link that ends after so many messages, as that of a process that is killed.
struct Mortal {
    link: Option<Box<dyn Link>>,
    left: usize,
}

impl Mortal {
    fn link(&mut self) -> io::Result<&mut Box<dyn Link>> {
        self.link.as_mut().ok_or_else(|| io::ErrorKind::BrokenPipe.into())
    }
}

impl Link for Mortal {
    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.link()?.send(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        if self.left == 0 {
            self.link = None;
        }
        self.left = self.left.saturating_sub(1);
        self.link()?.flush()
    }
    fn recv(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        self.link()?.recv(bytes)
    }
}

/// One party, whose workers are threads.
struct Side {
    coordinator: Coordinator,
    shards: Arc<Dummy>,
    /// The first worker of this shard dies after so many messages.
    mortal: Option<(usize, usize)>,
    /// How long a worker looks for its coordinator, which may be gone.
    patience: Duration,
    /// The outcomes of workers.
    ended: Sender<(usize, Result<(), Abort>)>,
    news: Vec<News>,
}

fn side(party: Party, ended: &Sender<(usize, Result<(), Abort>)>) -> Side {
    let listener = Listener::bind("127.0.0.1:0").unwrap();
    let mut coordinator = Coordinator::new(party, tree(), SecretKey::generate().unwrap(), listener);
    coordinator.timeout = TIMEOUT;
    coordinator.at_once = 2;
    coordinator.listens = party == Party::Verifier;
    if party == Party::Verifier {
        coordinator.secret = Some(Box::new(|_| Ok(Crossing::new(vec![9; super::shards::WIRE].into()))));
    }
    let shards = Arc::new(Dummy::new(party, &tree()));
    Side { coordinator, shards, mortal: None, patience: TIMEOUT, ended: ended.clone(), news: vec![] }
}

struct Threads {
    shards: Arc<Dummy>,
    key: String,
    mortal: Option<(usize, usize)>,
    patience: Duration,
    ended: Sender<(usize, Result<(), Abort>)>,
    launched: Vec<usize>,
}

fn worker(shards: &Dummy, shard: usize, coordinator: SocketAddr, key: &str) -> Worker {
    Worker {
        party: shards.party,
        shard,
        key: SecretKey::from_pem(key.as_bytes()).unwrap(),
        coordinator: coordinator.to_string(),
        listen: None,
        host: None,
        timeout: TIMEOUT,
        peak: || Some(1 << 20),
    }
}

impl Launcher for Threads {
    fn launch(&mut self, launch: Launch, handle: &Handle) -> Result<()> {
        let Launch { shard, coordinator, .. } = launch;
        self.launched.push(shard);
        let left = self.mortal.take_if(|(mortal, _)| *mortal == shard).map(|(_, left)| left);
        let (shards, handle, ended) = (self.shards.clone(), handle.clone(), self.ended.clone());
        let worker = Worker { timeout: self.patience, ..worker(&shards, shard, coordinator, &self.key) };
        std::thread::spawn(move || {
            let result = run_over(&worker, &*shards, &mut |_, _| {}, |link| match left {
                Some(left) => Box::new(Mortal { link: Some(link), left }),
                None => link,
            });
            let _ = ended.send((shard, result));
            handle.exited(shard, "it has ended");
        });
        Ok(())
    }
}

impl Side {
    fn run(mut self, peer: impl Link + 'static) -> (Result<Outcome, Abort>, Told) {
        let mut threads = Threads {
            shards: self.shards.clone(),
            key: self.coordinator.key.to_pem().to_string(),
            mortal: self.mortal,
            patience: self.patience,
            ended: self.ended,
            launched: vec![],
        };
        let news = &mut self.news;
        let outcome = self.coordinator.run(peer, Some(&mut threads), &mut |told| news.push(told.clone()));
        let turns = std::mem::take(&mut *self.shards.turns.lock().unwrap());
        (outcome, Told { launched: threads.launched, news: self.news, turns })
    }
}

/// The records of a side.
struct Told {
    launched: Vec<usize>,
    news: Vec<News>,
    turns: Vec<(usize, u32)>,
}

/// Runs both sides over a pipe, after `change`, with links as `wrap` makes them; and gives what all workers
/// came to.
#[allow(clippy::type_complexity)]
fn run(
    change: impl FnOnce(&mut Side, &mut Side),
    wrap: impl FnOnce([Box<dyn Link>; 2]) -> [Box<dyn Link>; 2],
) -> ([(Result<Outcome, Abort>, Told); 2], Vec<(usize, Result<(), Abort>)>) {
    let (sender, ended) = channel();
    let (mut prover, mut verifier) = (side(Party::Prover, &sender), side(Party::Verifier, &sender));
    drop(sender);
    change(&mut prover, &mut verifier);
    let (here, there) = pipe(TIMEOUT);
    let [here, there] = wrap([Box::new(here), Box::new(there)]);
    let sides = std::thread::scope(|scope| {
        let proving = scope.spawn(move || prover.run(here));
        let verified = verifier.run(there);
        [proving.join().unwrap(), verified]
    });
    // Every worker ends.
    (sides, ended.iter().collect())
}

#[test]
fn all_shards_are_done_once_and_what_crosses_arrives() {
    let ([(proved, prover), (verified, verifier)], workers) = run(|_, _| {}, |links| links);
    let (proved, verified) = (proved.unwrap(), verified.unwrap());
    assert_eq!((proved.run, &proved.shards), (verified.run, &verified.shards));
    let figures = |mul| Figures { mul, statistical: 40, peak: 1 << 20, ..Figures::default() };
    let expected: Vec<_> = (0..4).map(figures).collect();
    assert_eq!(verified.shards.iter().map(|shard| shard.figures).collect::<Vec<_>>(), expected);
    assert!(verified.shards.iter().all(|shard| shard.attempts == 1) && verified.restarts == 0);
    for side in [&prover, &verifier] {
        assert_eq!(side.launched.len(), 4);
        assert_eq!(side.turns.len(), 4);
    }
    assert!(workers.len() == 8 && workers.iter().all(|(_, ended)| ended.is_ok()), "{workers:?}");
    assert!(verifier.news.contains(&News::Accepted { shard: 3, figures: figures(3) }));
}

/// A worker is killed before each of its messages: its shard alone is done again.
#[test]
fn killed_workers_cost_their_shard_alone() {
    let mut killed = 0;
    for party in [Party::Prover, Party::Verifier] {
        for left in 0..6 {
            // It says that it joins, waits, is done and rests; what comes between is up to the machine, and so is
            // whether it has to rest. Where it was too quick it is tried again.
            let mut tries = if left < 4 { 50 } else { 1 };
            loop {
                let mortal = |prover: &mut Side, verifier: &mut Side| {
                    let side = if party == Party::Prover { prover } else { verifier };
                    side.mortal = Some((1, left));
                };
                let ([(proved, prover), (verified, verifier)], workers) = run(mortal, |links| links);
                let (proved, verified) = (proved.unwrap(), verified.unwrap());
                assert_eq!(proved.shards, verified.shards);
                for side in [prover, verifier] {
                    let again: Vec<_> = side.turns.iter().filter(|(shard, _)| *shard != 1).collect();
                    assert_eq!(again.len(), 3, "{again:?}");
                }
                let ended = workers.iter().filter(|(_, ended)| ended.is_err()).count();
                killed += ended;
                tries -= 1;
                if ended > 0 || tries == 0 {
                    break;
                }
            }
        }
    }
    assert!(killed >= 8, "{killed}");
}

/// The link between the coordinators ends at some message: both runs end, and all workers do.
#[test]
fn killed_coordinators_end_the_run() {
    let (mut ended, mut whole) = (0, 0);
    for left in [0, 1, 2, 3, 5, 8, 11, 40] {
        let mortal = |[prover, verifier]: [Box<dyn Link>; 2]| -> [Box<dyn Link>; 2] {
            [prover, Box::new(Mortal { link: Some(verifier), left })]
        };
        let hasty = |prover: &mut Side, verifier: &mut Side| {
            (prover.patience, verifier.patience) = (HASTE, HASTE);
        };
        let ([(proved, _), (verified, _)], _) = run(hasty, mortal);
        whole += u32::from(proved.is_ok() && verified.is_ok());
        // A verdict that did not arrive is no verdict.
        assert!(proved.is_err() || verified.is_ok());
        if let Err(abort) = proved {
            assert_eq!(abort.fault, Fault::Peer, "{abort}");
            ended += 1;
        }
    }
    assert!(ended >= 5 && ended + whole == 8, "{ended}, {whole}");
}

#[test]
fn a_silent_coordinator_ends_the_run_in_time() {
    let (here, there) = pipe(Duration::from_millis(200));
    let silent = std::thread::spawn(move || {
        let mut channel = Channel::new(Party::Prover, there);
        let hello = Hello {
            system: "dummy, in 4 shards",
            field: "f2",
            parameters: "20 restarts",
            lanes: 0,
            statement: &[7; 32],
        };
        shake_hands(&mut channel, &hello, &[0; 32]).unwrap();
        let identity = SecretKey::generate().unwrap().identity().to_string();
        channel.send(&[identity.as_bytes(), &[2, 0, 0, 0]].concat()).unwrap();
        channel.flush().unwrap();
        channel
    });
    let (sender, ended) = channel();
    let mut side = side(Party::Verifier, &sender);
    drop(sender);
    side.coordinator.timeout = Duration::from_secs(3);
    let (outcome, _) = side.run(here);
    let abort = outcome.unwrap_err();
    assert!(abort.fault == Fault::Peer && !abort.counts_against_peer, "{abort}");
    assert!(ended.iter().all(|(_, ended)| ended.is_err()));
    drop(silent.join().unwrap());
}

#[test]
fn coordinators_that_want_something_else_disagree() {
    type Change = fn(&mut Side);
    let changes: [(Change, &str); 4] = [
        (|side| side.coordinator.plan.statement = [8; 32], "statement"),
        (
            |side| drop(side.coordinator.plan.parts.pop()),
            "system: here dummy, in 4 shards, there dummy, in 3 shards",
        ),
        (|side| side.coordinator.restarts = 3, "run in shards: here 20 restarts, there 3 restarts"),
        (|side| side.coordinator.plan.field = "f61".into(), "field"),
    ];
    for (change, why) in changes {
        let ([(proved, _), (verified, _)], _) = run(|prover, _| change(prover), |links| links);
        let (proved, verified) = (proved.unwrap_err(), verified.unwrap_err());
        assert!(proved.fault == Fault::Peer && verified.why.contains(why), "{verified}");
    }
}

/// An abort in one shard ends all workers, on both sides: a check fails, or the peer misbehaves, or the
/// witness does.
#[test]
fn one_abort_aborts_all() {
    let ([(proved, _), (verified, _)], workers) = run(
        |prover, _| {
            Arc::get_mut(&mut prover.shards).unwrap().deviation = |turn, _| {
                turn.attempt += u32::from(turn.shard == 2);
                Ok(())
            }
        },
        |links| links,
    );
    let (proved, verified) = (proved.unwrap_err(), verified.unwrap_err());
    assert_eq!((proved.fault, verified.fault), (Fault::Rejected, Fault::Rejected));
    assert_eq!((verified.shard, verified.counts_against_peer), (Some(2), true));
    assert!(!proved.counts_against_peer);
    assert!(workers.iter().any(|(shard, ended)| *shard == 2 && ended.is_err()));

    let ([(proved, _), (verified, _)], _) =
        run(|_, verifier| Arc::get_mut(&mut verifier.shards).unwrap().deviation = misbehaves, |links| links);
    let (proved, verified) = (proved.unwrap_err(), verified.unwrap_err());
    assert!(verified.counts_against_peer && verified.fault == Fault::Peer, "{verified}");
    assert_eq!(proved.fault, Fault::Peer, "{proved}");

    let ([(proved, _), (verified, _)], _) = run(
        |prover, _| {
            Arc::get_mut(&mut prover.shards).unwrap().deviation = |_, _| Err(Error::Unsatisfied("it".into()));
        },
        |links| links,
    );
    let (proved, verified) = (proved.unwrap_err(), verified.unwrap_err());
    assert_eq!((proved.fault, verified.fault), (Fault::Unsatisfied, Fault::Peer));
    // Why is the prover's own business.
    assert!(!verified.counts_against_peer && !verified.why.contains("satisf"), "{verified}");
}

/// A prover that leaves in one shard once it could foresee the verdict is counted, whatever its coordinator
/// says.
#[test]
fn who_leaves_after_a_coin_is_counted() {
    let ([_, (verified, _)], _) = run(
        |prover, verifier| {
            Arc::get_mut(&mut prover.shards).unwrap().deviation = |turn, channel| match turn.shard {
                1 => {
                    channel.recv_array::<1>()?;
                    Err(Error::Unsatisfied("the coin is not liked".into()))
                }
                _ => Ok(()),
            };
            Arc::get_mut(&mut verifier.shards).unwrap().deviation = |turn, channel| {
                if turn.shard == 1 {
                    channel.hold_peer();
                    channel.send(&[1])?;
                    channel.flush()?;
                }
                Ok(())
            };
        },
        |links| links,
    );
    let verified = verified.unwrap_err();
    assert!(verified.counts_against_peer && verified.fault == Fault::Rejected, "{verified}");
    assert_eq!(verified.shard, Some(1));
}

#[test]
fn a_verdict_that_is_not_kept_is_none() {
    let ([(proved, _), (verified, _)], _) = run(
        |_, verifier| {
            verifier.coordinator.record = Some(Box::new(|outcome| {
                let told = |shard: usize| outcome.shards[shard].verdict == [shard as u8];
                assert!((0..4).all(told));
                Err(Error::Rejected(Rejection::NotRecorded))
            }));
        },
        |links| links,
    );
    assert_eq!(proved.unwrap_err().fault, Fault::Rejected);
    assert!(!verified.unwrap_err().counts_against_peer);
}

/// Joins as a worker and says what it likes.
fn stranger(address: SocketAddr, key: &str, frames: &[Vec<u8>]) -> Result<Order> {
    let key = SecretKey::from_pem(key.as_bytes()).unwrap();
    let tls = TlsConfig::new(&key, key.identity().into())?;
    let tcp = Tcp::connect(address, TIMEOUT).map_err(Error::io("connecting"))?;
    let mut link: Box<dyn Link> = Box::new(tls.connect(tcp).map_err(Error::io("TLS"))?);
    let mut last = Err(Error::invalid("nothing was said"));
    for frame in frames {
        link.send(frame).and_then(|()| link.flush()).map_err(Error::io("sending"))?;
        last = Order::decode(&wire::receive(&mut link, 1 << 20)?, 0, &[0]);
    }
    last
}

/// Other keys, statements, roles, lengths and orders of messages: whoever says so is turned away or dropped, and
/// the run goes on without it.
#[test]
fn strangers_are_no_workers() {
    struct Meddling(Threads, Sender<&'static str>);
    impl Launcher for Meddling {
        fn launch(&mut self, launch: Launch, handle: &Handle) -> Result<()> {
            if launch.shard == 0 {
                let framed = |body: &[u8]| [&(body.len() as u32).to_le_bytes(), body].concat();
                let said = |status: Status| framed(&status.encode());
                let join = |party, shard| Join::new(party, &tree(), shard);
                let ours = || said(Status::Join(join(Party::Prover, 0)));
                let (at, key) = (launch.coordinator, self.0.key.clone());
                let other = SecretKey::generate()?.to_pem().to_string();
                let why = |frames: &[Vec<u8>]| stranger(at, &key, frames);
                assert!(stranger(at, &other, &[ours()]).is_err(), "a foreign key");
                let refused = |join: Join| {
                    assert!(matches!(why(&[said(Status::Join(join))]), Ok(Order::Refused(_))));
                };
                refused(join(Party::Verifier, 0));
                refused(Join { statement: [8; 32], ..join(Party::Prover, 0) });
                refused(Join { shards: 5, ..join(Party::Prover, 0) });
                refused(Join { shard: 4, ..join(Party::Prover, 0) });
                refused(Join { version: 9, ..join(Party::Prover, 0) });
                for frames in [
                    vec![framed(&[])],
                    vec![framed(&[9; 40])],
                    vec![(1_u32 << 31).to_le_bytes().to_vec()],
                    vec![said(Status::Resting)],
                ] {
                    assert!(why(&frames).is_err());
                }
                // What is said by one that joined costs its place, and no more.
                let done = |length| {
                    let outgoing = Crossing::new(vec![0; length].into());
                    let done = Done { figures: Figures::default(), outgoing, verdict: vec![0] };
                    said(Status::Done { attempt: 0, done: Box::new(done) })
                };
                for lie in [done(31), done(33), done(1 << 20), said(Status::Join(join(Party::Prover, 1)))] {
                    assert!(why(&[ours(), lie]).is_err());
                }
                assert!(matches!(why(&[ours(), done(32)]), Ok(Order::Wait)), "before it began");
                self.1.send("all").unwrap();
            }
            self.0.launch(launch, handle)
        }
    }
    let (sender, ended) = channel();
    let (mut prover, verifier) = (side(Party::Prover, &sender), side(Party::Verifier, &sender));
    drop(sender);
    let (told, strangers) = channel();
    let (here, there) = pipe(TIMEOUT);
    std::thread::scope(|scope| {
        let verifying = scope.spawn(move || verifier.run(there));
        let mut meddling = Meddling(
            Threads {
                shards: prover.shards.clone(),
                key: prover.coordinator.key.to_pem().to_string(),
                mortal: None,
                patience: TIMEOUT,
                ended: prover.ended.clone(),
                launched: vec![],
            },
            told,
        );
        let news = &mut prover.news;
        let outcome = prover.coordinator.run(here, Some(&mut meddling), &mut |told| news.push(told.clone()));
        outcome.unwrap();
        let turned_away = news.iter().filter(|told| matches!(told, News::TurnedAway { .. })).count();
        assert!(turned_away >= 10, "{turned_away}");
        drop((meddling, prover.ended));
        verifying.join().unwrap().0.unwrap();
    });
    assert_eq!(strangers.recv(), Ok("all"));
    assert!(ended.iter().all(|(_, ended)| ended.is_ok()));
}

/// A worker of the right key whose statement or number is another hears why.
#[test]
fn workers_of_another_run_hear_why() {
    let listener = Listener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let key = SecretKey::generate().unwrap();
    let text = key.to_pem().to_string();
    let mut coordinator = Coordinator::new(Party::Prover, tree(), key, listener);
    coordinator.timeout = TIMEOUT;
    let handle = coordinator.handle();
    let (sender, _ended) = channel();
    let verifier = side(Party::Verifier, &sender);
    let (here, there) = pipe(TIMEOUT);
    std::thread::scope(|scope| {
        scope.spawn(move || verifier.run(there));
        let running = scope.spawn(move || coordinator.run(here, None, &mut |_| {}));
        let mut other = Dummy::new(Party::Prover, &tree());
        other.plan.statement = [1; 32];
        let abort = run_worker(&worker(&other, 0, address, &text), &other, &mut |_, _| {}).unwrap_err();
        assert!(abort.fault == Fault::Own && abort.why.contains("another statement"), "{abort}");
        let same = Dummy::new(Party::Prover, &tree());
        let abort = run_worker(&worker(&same, 4, address, &text), &same, &mut |_, _| {}).unwrap_err();
        assert!(abort.why.contains("there is no shard 4"), "{abort}");
        handle.interrupt();
        assert_eq!(running.join().unwrap().unwrap_err().fault, Fault::Interrupted);
    });
}
