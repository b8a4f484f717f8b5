//! All peers: a thread for each link, from its first byte on, and what signals ask for.
//!
//! Who has not shown yet who it is costs a thread and some buffers for a few seconds. There are so many of
//! these at most, and a new one takes the place of another: of the oldest one from the network that most come
//! from. So whoever connects again and again, and says nothing, is in nobody else's way.

use crate::admission::Admission;
use crate::args::Serve;
use crate::config::{Config, Limits};
use crate::metrics::{self, Metrics};
use crate::session::{self, Shared};
use crate::{log, store};
use rustix::process::{Resource, getrlimit};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use socket2::SockRef;
use std::cmp::Reverse;
use std::collections::{HashMap, VecDeque};
use std::io::{self, ErrorKind};
use std::net::{IpAddr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;
use tracing::{debug, error, info, warn};
use volery::channel::Tcp;
use volery_cli::failure::{Failure, Fault, Result};
use volery_cli::print;

/// How long a wait for the next connection lasts, after which it is looked whether the service goes down.
const LOOK: Duration = Duration::from_millis(100);

/// The errors of the operating system where a process, or the machine, has no more files to open.
const NO_FILES: [i32; 2] = [24, 23];
/// The number of connections that make room then, so that the others may still show who they are.
const A_FEW: u64 = 4;
/// How often that is tried for one.
const TRIES: u32 = 20;
/// The files of a process beside those of links: the database, metrics, relations.
const OWN_FILES: u64 = 64;
/// The files of a session: its link, its database, its relation.
const FILES_OF_SESSION: u64 = 6;

/// `volery serve`.
pub(crate) fn serve(typed: &Serve) -> Result<()> {
    let config = Config::read(&typed.config)?;
    if typed.check {
        return print::result(print::table(&config.lines()));
    }
    log::begin(config.level);
    Service::begin(&typed.config, config)?.run()
}

/// A service that waits for peers.
struct Service {
    path: PathBuf,
    /// The settings at the start that cannot change while it runs.
    begun: [Option<String>; 3],
    shared: Arc<Shared>,
    unknown: Mutex<Unknown>,
    listener: TcpListener,
}

/// Connections that have not shown yet who they are, the oldest first.
#[derive(Default)]
struct Unknown {
    next: u64,
    streams: VecDeque<(u64, IpAddr, TcpStream)>,
}

impl Service {
    fn begin(path: &Path, config: Config) -> Result<Arc<Self>> {
        let store = store::open(&config.database, true)?;
        let failed = |what: &str, address: &str, why: io::Error| {
            Failure::peer(format_args!("{what} {address}: {why}"))
        };
        let bound = TcpListener::bind(&config.address);
        let listener = bound.map_err(|why| failed("address", &config.address, why))?;
        // `accept` has no deadline of its own.
        let timed = SockRef::from(&listener).set_read_timeout(Some(LOOK));
        timed.map_err(|why| failed("address", &config.address, why))?;
        let counted = Arc::<Metrics>::default();
        if let Some(address) = &config.metrics {
            let failed = |why| failed("metrics.address", address, why);
            let listener = TcpListener::bind(address).map_err(failed)?;
            info!(address = %listener.local_addr().map_err(failed)?, "metrics and health");
            metrics::answer(listener, counted.clone()).map_err(failed)?;
        }
        let begun = settled(&config);
        let shared = Arc::new(Shared {
            config: RwLock::new(Arc::new(config)),
            store,
            admission: Arc::<Admission>::default(),
            metrics: counted,
        });
        let service =
            Arc::new(Self { path: path.into(), begun, shared, unknown: Mutex::default(), listener });
        service
            .clone()
            .hear_signals()
            .map_err(|why| Failure::new(Fault::Peer, format_args!("signals: {why}")))?;
        Ok(service)
    }

    /// Serves until it is asked to go down, and the last session has ended.
    fn run(self: Arc<Self>) -> Result<()> {
        let config = self.shared.config();
        let address =
            self.listener.local_addr().map_err(|why| Failure::peer(format_args!("address: {why}")))?;
        for (statement, warning) in config.warnings() {
            warn!(statement, warning, "of a statement");
        }
        if let (most, Some(files)) = strangers(&config.limits) {
            warn!(
                most,
                files, "too few files for limits.connections: raise them by `ulimit -n`, or lower that"
            );
        }
        let (statements, peers) = (config.statements.len(), config.peers.len());
        info!(%address, identity = %config.tls.identity(), statements, peers, "listening");
        drop(config);
        while !self.shared.admission.is_draining() {
            match self.listener.accept() {
                Ok((stream, from)) => self.clone().meet(stream, from),
                Err(why) if matches!(why.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
                Err(why) if matches!(why.kind(), ErrorKind::Interrupted | ErrorKind::ConnectionAborted) => {}
                Err(why) => {
                    warn!(%why, "a connection could not be taken");
                    if lacks_files(&why) {
                        self.unknown().make_room();
                    }
                    std::thread::sleep(LOOK);
                }
            }
        }
        // Whoever connects now hears at once that nobody is there.
        let _ = SockRef::from(&self.listener).shutdown(Shutdown::Both);
        self.unknown().close(0);
        self.shared.admission.idle();
        info!("the last session has ended");
        Ok(())
    }

    /// Serves a connection on a thread of its own.
    fn meet(self: Arc<Self>, stream: TcpStream, from: SocketAddr) {
        let metrics = self.shared.metrics.clone();
        metrics.connections.fetch_add(1, Relaxed);
        let config = self.shared.config();
        let handle = match self.handle(&stream) {
            Ok(handle) => handle,
            Err(why) => {
                warn!(%from, %why, "a connection could not be taken");
                metrics.turned_away.fetch_add(1, Relaxed);
                return;
            }
        };
        let number = self.unknown().enter(handle, from.ip(), strangers(&config.limits).0);
        self.count_unknown();
        let this = self.clone();
        let spawned = std::thread::Builder::new().name("session".into()).spawn(move || {
            let limit = Duration::from_secs(config.limits.handshake_seconds);
            let met = stream.set_nonblocking(false).and_then(|()| Tcp::new(stream, limit));
            let met = met.and_then(|tcp| config.tls.accept(tcp));
            this.unknown().leave(number);
            this.count_unknown();
            match met {
                Ok(link) => session::hear(&this.shared, link),
                Err(why) => {
                    this.shared.metrics.turned_away.fetch_add(1, Relaxed);
                    debug!(%from, %why, "turned away");
                }
            }
        });
        if let Err(why) = spawned {
            warn!(%why, "a connection has no thread");
            self.unknown().leave(number);
            metrics.turned_away.fetch_add(1, Relaxed);
        }
    }

    /// Another handle on `stream`. Where there are no more files, others make room for it.
    fn handle(&self, stream: &TcpStream) -> io::Result<TcpStream> {
        let mut tries = TRIES;
        loop {
            match stream.try_clone() {
                Err(why) if lacks_files(&why) && tries > 0 => {
                    warn!(%why, "connections of strangers make room for another");
                    self.unknown().make_room();
                    std::thread::sleep(LOOK);
                    tries -= 1;
                }
                done => return done,
            }
        }
    }

    fn unknown(&self) -> MutexGuard<'_, Unknown> {
        self.unknown.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn count_unknown(&self) {
        let count = self.unknown().streams.len() as u64;
        self.shared.metrics.unknown.store(count, Relaxed);
    }

    /// Handles signals: the first SIGTERM or Ctrl-C ends the service when the last session has ended, the
    /// second one at once. SIGHUP reads the file again, on a thread of its own, since that may take long.
    fn hear_signals(self: Arc<Self>) -> io::Result<()> {
        let mut signals = Signals::new([SIGTERM, SIGINT, SIGHUP])?;
        // One that comes while the file is read has it read once more.
        let (reload, reloads) = sync_channel(1);
        let this = self.clone();
        let read = move || reloads.iter().for_each(|()| this.reload());
        std::thread::Builder::new().name("reload".into()).spawn(read)?;
        let hear = move || {
            for signal in signals.forever() {
                match signal {
                    SIGHUP => drop(reload.try_send(())),
                    _ if self.shared.admission.is_draining() => {
                        warn!("ended before the last session");
                        std::process::exit(Fault::Interrupted as i32);
                    }
                    _ => {
                        self.shared.metrics.draining.store(true, Relaxed);
                        let said =
                            || info!("no session begins any more, and those that run come to their end");
                        self.shared.admission.drain(said);
                    }
                }
            }
        };
        std::thread::Builder::new().name("signals".into()).spawn(hear).map(drop)
    }

    /// Takes all of the file, or where it makes no sense nothing. Sessions that run keep what they began with.
    fn reload(&self) {
        let [read, refused] = &self.shared.metrics.reloads;
        let path = &self.path;
        let made = catch_unwind(|| Config::read(path));
        match made.unwrap_or_else(|_| Err(Failure::usage("a bug: please report the line above"))) {
            Ok(config) => {
                if settled(&config) != self.begun {
                    warn!("address, database and metrics.address stay as they are until it is started anew");
                }
                let (statements, peers) = (config.statements.len(), config.peers.len());
                self.shared.take(config);
                read.fetch_add(1, Relaxed);
                info!(statements, peers, "the file was read anew");
            }
            Err(why) => {
                refused.fetch_add(1, Relaxed);
                error!(why = why.line, "the file makes no sense, and all stays as it is");
            }
        }
    }
}

/// Whether the process, or the machine, has no more files to open.
fn lacks_files(why: &io::Error) -> bool {
    NO_FILES.iter().any(|code| why.raw_os_error() == Some(*code))
}

/// The most connections that have not shown who they are: as many as are asked for, or as there are files for
/// when each has two, and sessions have theirs; and how many files the process may open, where these are fewer.
fn strangers(limits: &Limits) -> (u64, Option<u64>) {
    let files = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    let kept = OWN_FILES.saturating_add(limits.sessions.saturating_mul(FILES_OF_SESSION));
    let most = (files.saturating_sub(kept) / 2).max(A_FEW);
    if most < limits.connections { (most, Some(files)) } else { (limits.connections, None) }
}

/// The settings that cannot change while it runs.
fn settled(config: &Config) -> [Option<String>; 3] {
    [Some(config.address.clone()), Some(config.database.clone()), config.metrics.clone()]
}

impl Unknown {
    /// Adds one, in the place of another where there are `most`; its number.
    fn enter(&mut self, stream: TcpStream, from: IpAddr, most: u64) -> u64 {
        self.close(most.saturating_sub(1));
        self.next += 1;
        self.streams.push_back((self.next, network(from), stream));
        self.next
    }

    fn leave(&mut self, number: u64) {
        if let Ok(at) = self.streams.binary_search_by_key(&number, |(number, ..)| *number) {
            self.streams.remove(at);
        }
    }

    /// Closes a few.
    fn make_room(&mut self) {
        self.close((self.streams.len() as u64).saturating_sub(A_FEW));
    }

    /// Closes some, so that `left` are left. Their threads see it, and end.
    fn close(&mut self, left: u64) {
        while self.streams.len() as u64 > left {
            let mut networks = HashMap::new();
            for (at, (_, from, _)) in self.streams.iter().enumerate() {
                networks.entry(*from).or_insert((0u64, Reverse(at))).0 += 1;
            }
            // Among those of which there are as many: the one whose oldest is the oldest.
            let oldest = networks.into_values().max().map(|(_, Reverse(at))| at);
            if let Some((_, _, stream)) = oldest.and_then(|at| self.streams.remove(at)) {
                let _ = stream.shutdown(Shutdown::Both);
            }
        }
    }
}

/// The network that is given to one customer: an address, or of IPv6 a half of one.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(six) => IpAddr::V6((six.to_bits() >> 64 << 64).into()),
        four => four,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One that came first stays while others from elsewhere, who are many, come and go.
    #[test]
    fn the_many_make_room() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("bound");
        let address = listener.local_addr().expect("an address");
        let connect = || TcpStream::connect(address).expect("connected");
        let [few, many]: [IpAddr; 2] =
            ["192.0.2.1", "2001:db8::1"].map(|text| text.parse().expect("an address"));
        let mut unknown = Unknown::default();
        let first = unknown.enter(connect(), few, 4);
        for i in 0..10u128 {
            let IpAddr::V6(six) = many else { unreachable!() };
            unknown.enter(connect(), IpAddr::V6((six.to_bits() + i).into()), 4);
        }
        let numbers: Vec<_> = unknown.streams.iter().map(|(number, ..)| *number).collect();
        assert_eq!(numbers, [first, 9, 10, 11]);
        unknown.leave(10);
        unknown.leave(10);
        assert_eq!(unknown.streams.len(), 3);
        for _ in 0..3 {
            unknown.enter(connect(), many, 6);
        }
        unknown.make_room();
        let numbers: Vec<_> = unknown.streams.iter().map(|(number, ..)| *number).collect();
        assert_eq!(numbers, [first, 14]);
        unknown.close(0);
        assert!(unknown.streams.is_empty());
    }

    /// The oldest connection makes room where each is from elsewhere.
    #[test]
    fn the_oldest_makes_room() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("bound");
        let address = listener.local_addr().expect("an address");
        let mut unknown = Unknown::default();
        for i in 0..20 {
            let stream = TcpStream::connect(address).expect("connected");
            unknown.enter(stream, IpAddr::from([192, 0, 2, i]), 8);
        }
        let numbers: Vec<_> = unknown.streams.iter().map(|(number, ..)| *number).collect();
        assert_eq!(numbers, [13, 14, 15, 16, 17, 18, 19, 20]);
    }
}
