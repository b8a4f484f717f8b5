//! Whole runs of statements that are proved: what crosses is values with MACs, and keys.

use crate::worker::run_over;
use crate::{Abort, Coordinator, Fault, Handle, Launch, Launcher, Outcome, Work, Worker};
use core::marker::PhantomData;
use std::io;
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, Scope};
use std::time::Duration;
use volery::channel::{Link, Listener, Party, SecretKey, pipe};
use volery::circuit::{PortValue, Relation, Value, Values, Written};
use volery::error::Result;
use volery::{AnyClaim, AnySetting, AnyStatement, Binary, Options, Over};
use volery_primitives::F61;
use zeroize::Zeroizing;

/// Settings, as if they were found by their names.
const BITS: &dyn AnySetting = &PhantomData::<Binary>;
const ELEMENTS: &dyn AnySetting = &PhantomData::<Over<F61>>;

const TIMEOUT: Duration = Duration::from_secs(20);
/// How long a worker waits; one whose coordinator has ended before it came tries to reach it for so long.
const PATIENCE: Duration = Duration::from_secs(8);

/// A link to a coordinator that ends after so many messages.
struct Mortal(Option<Box<dyn Link>>, usize);

impl Mortal {
    fn link(&mut self) -> io::Result<&mut Box<dyn Link>> {
        self.0.as_mut().ok_or_else(|| io::ErrorKind::BrokenPipe.into())
    }
}

impl Link for Mortal {
    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.link()?.send(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        if self.1 == 0 {
            self.0 = None;
        }
        self.1 = self.1.saturating_sub(1);
        self.link()?.flush()
    }
    fn recv(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        self.link()?.recv(bytes)
    }
}

/// Workers that are threads: what each does may differ from shard to shard.
struct Threads<'s, 'e> {
    scope: &'s Scope<'s, 'e>,
    work: &'e (dyn Fn(usize) -> Work<'e> + Sync),
    party: Party,
    key: Zeroizing<String>,
    mortal: Option<(usize, usize)>,
    ended: Sender<(usize, Result<(), Abort>)>,
}

impl Launcher for Threads<'_, '_> {
    fn launch(&mut self, launch: Launch, handle: &Handle) -> Result<()> {
        let Launch { shard, coordinator, .. } = launch;
        let left = self.mortal.take_if(|(mortal, _)| *mortal == shard).map(|(_, left)| left);
        let worker = Worker {
            party: self.party,
            shard,
            key: SecretKey::from_pem(self.key.as_bytes())?,
            coordinator: coordinator.to_string(),
            listen: None,
            host: None,
            timeout: PATIENCE,
            peak: || None,
        };
        let (work, handle, ended) = (self.work, handle.clone(), self.ended.clone());
        self.scope.spawn(move || {
            let result = run_over(&worker, &work(shard), &mut |_, _| {}, |link| match left {
                Some(left) => Box::new(Mortal(Some(link), left)),
                None => link,
            });
            let why = result.as_ref().map_or_else(ToString::to_string, |()| "it is done".into());
            let _ = ended.send((shard, result));
            handle.exited(shard, why);
        });
        Ok(())
    }
}

/// One party.
struct Side<'e> {
    work: &'e (dyn Fn(usize) -> Work<'e> + Sync),
    /// The first worker of this shard dies after so many messages.
    mortal: Option<(usize, usize)>,
}

impl Side<'_> {
    fn run(&self, link: impl Link + 'static) -> (Result<Outcome, Abort>, Option<u32>, Vec<usize>) {
        let listener = Listener::bind("127.0.0.1:0").unwrap();
        let work = (self.work)(0);
        let (mut coordinator, worth) = work.coordinator(SecretKey::generate().unwrap(), listener, 8).unwrap();
        coordinator.timeout = TIMEOUT;
        coordinator.at_once = 2;
        coordinator.listens = work.party() == Party::Verifier;
        let (sender, ended) = channel();
        let key = coordinator.key.to_pem();
        let outcome = thread::scope(|scope| {
            let (work, party, mortal) = (self.work, work.party(), self.mortal);
            let mut threads = Threads { scope, work, party, key, mortal, ended: sender };
            Coordinator::run(coordinator, link, Some(&mut threads), &mut |_| {})
        });
        let worth = *worth.lock().unwrap();
        (outcome, worth, ended.iter().filter_map(|(shard, ended)| ended.is_err().then_some(shard)).collect())
    }
}

type Ran = (Result<Outcome, Abort>, Option<u32>, Vec<usize>);

fn run(prover: Side<'_>, verifier: Side<'_>) -> [Ran; 2] {
    let (here, there) = pipe(TIMEOUT);
    thread::scope(|scope| {
        let proving = scope.spawn(move || prover.run(here));
        let verified = verifier.run(there);
        [proving.join().unwrap(), verified]
    })
}

fn options() -> Options {
    Options { seed: Some([7; 32]), check: false, ..Options::default() }
}

fn stated(setting: &dyn AnySetting, spec: &str, public: &[(&str, &str)]) -> Box<dyn AnyStatement> {
    let mut relation = setting.open(spec, None).unwrap();
    for (name, value) in public {
        relation.public().read(name, Written::Text(value.as_bytes())).unwrap();
    }
    relation.state().unwrap()
}

/// A tree over eight leaves: the statement of its root, and who knows these leaves.
fn tree(first: u8) -> (Box<dyn AnyStatement>, Box<dyn AnyClaim>) {
    let text = |first: u8| {
        let bytes = (0..64 << 3).map(|i| if i == 0 { first } else { (i * 7 % 251) as u8 });
        format!("0x{}", bytes.map(|byte| format!("{byte:02x}")).collect::<String>())
    };
    let spec = "builtin:merkle-root?depth=3";
    let mut values = Values::new();
    values.insert("leaves", Value::from_text(text(0).as_bytes()).unwrap()).unwrap();
    let root = Relation::open(spec, None).unwrap().evaluate(values).unwrap().remove(0).to_text();
    let public = [("root", &*root)];
    let mut claimed = stated(BITS, spec, &public);
    claimed.private().read("leaves", Written::Text(text(first).as_bytes())).unwrap();
    (stated(BITS, spec, &public), claimed.claim().unwrap())
}

fn product() -> (Box<dyn AnyStatement>, Box<dyn AnyClaim>) {
    let (spec, public) = ("builtin:matmul?rows=4&inner=2&columns=2", [("c", "5,2,11,4,17,6,23,8")]);
    let mut claimed = stated(ELEMENTS, spec, &public);
    for (name, value) in [("a", "1,2,3,4,5,6,7,8"), ("b", "1,0,2,1")] {
        claimed.private().read(name, Written::Text(value.as_bytes())).unwrap();
    }
    (stated(ELEMENTS, spec, &public), claimed.claim().unwrap())
}

#[test]
fn statements_by_name_are_proved_in_shards() {
    for (setting, (statement, claim), shards) in [(BITS, tree(0), 4), (ELEMENTS, product(), 3)] {
        let proves = |_| Work::prove(setting, &*claim, shards, options()).unwrap();
        let verifies = |_| Work::verify(setting, &*statement, shards, options()).unwrap();
        // The same where a worker is given the share of its shard alone.
        let shares = |shard| {
            let share = claim.share(shards, shard).unwrap();
            Work::prove_share(setting, &*statement, shards, share, options()).unwrap()
        };
        accepted(&proves, &verifies, shards);
        accepted(&shares, &verifies, shards);
    }
}

fn accepted<'e>(
    proves: &'e (dyn Fn(usize) -> Work<'e> + Sync),
    verifies: &'e (dyn Fn(usize) -> Work<'e> + Sync),
    shards: usize,
) {
    let side = |work| Side { work, mortal: None };
    let [(proved, none, lost), (verified, worth, gone)] = run(side(proves), side(verifies));
    let (proved, verified) = (proved.unwrap(), verified.unwrap());
    assert_eq!((proved.run, proved.shards.len()), (verified.run, shards));
    assert!(lost.is_empty() && gone.is_empty() && none.is_none());
    assert!(worth.unwrap() >= 40);
    let mul = |outcome: &Outcome| outcome.shards.iter().map(|shard| shard.figures.mul).sum::<u64>();
    assert_eq!(mul(&proved), mul(&verified));
    assert!(verified.shards.iter().all(|shard| shard.attempts == 1 && shard.figures.setup_bytes > 0));
}

/// The third word of a worker that is launched is said while its session runs, or behind it.
#[test]
fn who_loses_a_worker_proves_its_shard_again_alone() {
    let (statement, claim) = tree(0);
    let setting = BITS;
    let proves = |_| Work::prove(setting, &*claim, 4, options()).unwrap();
    let verifies = |_| Work::verify(setting, &*statement, 4, options()).unwrap();
    for (party, left) in [(Party::Prover, 2), (Party::Prover, 3), (Party::Verifier, 2), (Party::Verifier, 3)]
    {
        let mortal = |of| (party == of).then_some((1, left));
        let prover = Side { work: &proves, mortal: mortal(Party::Prover) };
        let verifier = Side { work: &verifies, mortal: mortal(Party::Verifier) };
        let [(proved, ..), (verified, worth, _)] = run(prover, verifier);
        let (proved, verified) = (proved.unwrap(), verified.unwrap());
        let attempts =
            |outcome: &Outcome| outcome.shards.iter().map(|shard| shard.attempts).collect::<Vec<_>>();
        assert_eq!(attempts(&proved), attempts(&verified));
        let others = [0, 2, 3].map(|shard| verified.shards[shard].attempts);
        assert_eq!(others, [1; 3]);
        assert!(verified.shards[1].attempts <= 2 && worth.unwrap() >= 40);
    }
}

#[test]
fn a_lie_in_one_shard_ends_all() {
    let (statement, claim) = tree(1);
    let setting = BITS;
    let proves = |_| Work::prove(setting, &*claim, 4, options()).unwrap();
    let verifies = |_| Work::verify(setting, &*statement, 4, options()).unwrap();
    let side = |work| Side { work, mortal: None };
    let [(proved, ..), (verified, worth, _)] = run(side(&proves), side(&verifies));
    let (proved, verified) = (proved.unwrap_err(), verified.unwrap_err());
    // The prover's own worker may be the first to see that a bit of the root is another.
    assert!(matches!(proved.fault, Fault::Rejected | Fault::Unsatisfied), "{proved}");
    assert!(matches!(verified.fault, Fault::Rejected | Fault::Peer), "{verified}");
    assert!(worth.is_none());
    // The verifier's worker loses its coordinator while it is told, or before: whatever it is that the run ends
    // with, it ends.
    for left in [2, 4] {
        let verifier = Side { work: &verifies, mortal: Some((3, left)) };
        let [(proved, ..), (verified, worth, _)] = run(side(&proves), verifier);
        assert!(proved.is_err() && verified.is_err() && worth.is_none());
    }
}

#[test]
fn another_statement_is_no_part_of_a_run() {
    let ((statement, claim), (_, other)) = (tree(0), tree(0));
    let setting = BITS;
    let verifies = |_| Work::verify(setting, &*statement, 4, options()).unwrap();
    // In all shards: the coordinators do not agree.
    let fewer = |_| Work::prove(setting, &*claim, 3, options()).unwrap();
    let side = |work| Side { work, mortal: None };
    let [(proved, ..), (verified, ..)] = run(side(&fewer), side(&verifies));
    for abort in [proved.unwrap_err(), verified.unwrap_err()] {
        assert_eq!(abort.fault, Fault::Peer, "{abort}");
    }
    // In one: its worker is turned away by its own coordinator.
    let mixed = |shard| Work::prove(setting, &*other, if shard == 2 { 3 } else { 4 }, options()).unwrap();
    let [(proved, ..), (verified, worth, _)] = run(side(&mixed), side(&verifies));
    let proved = proved.unwrap_err();
    assert_eq!((proved.fault, proved.shard), (Fault::Own, Some(2)), "{proved}");
    assert!(verified.is_err() && worth.is_none());
}
