//! Statements in shards: coordinators, and workers that are killed.

use crate::kit::*;
use serde_json::Value;
use std::path::Path;
use std::time::{Duration, Instant};
use tempfile::TempDir;

const TREE: &str = "builtin:merkle-root?depth=2";

/// A statement about leaves, and what the prover knows.
struct Tree {
    folder: TempDir,
    relation: String,
    root: String,
}

impl Tree {
    /// A tree of four leaves, by [`TREE`].
    fn new() -> Self {
        Self::of_depth(2)
    }

    fn of_depth(depth: u32) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let leaves: Vec<u8> = (0..64 << depth).map(|i| (i * 37 % 251) as u8).collect();
        std::fs::write(folder.path().join("leaves"), leaves).expect("written");
        let relation = format!("builtin:merkle-root?depth={depth}");
        let mut tree = Self { folder, relation, root: String::new() };
        let root = volery(&["circuit", "eval", &tree.relation, "--input", &tree.leaves()]).expect(0);
        tree.root = root.out.trim_end().into();
        tree
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().expect("UTF-8").into()
    }

    fn leaves(&self) -> String {
        format!("leaves=@{}", self.path("leaves"))
    }

    /// `verbs` on the statement, and what comes after.
    fn party(&self, verbs: &[&str], more: &[&str]) -> Vec<String> {
        let own = if verbs.contains(&"prove") { vec!["--private".into(), self.leaves()] } else { vec![] };
        let line = [verbs, &["--relation", &self.relation, "--public", &self.root, "--timeout", "20"], more]
            .concat();
        line.into_iter().map(str::to_owned).chain(own).collect()
    }

    /// The coordinators of both sides in four shards, the verifier first.
    fn sides(&self, ours: &[&str], theirs: &[&str]) -> [Running; 2] {
        let start = |verb, at: &[&str], more: &[&str]| {
            let line = self.party(&["cluster", verb], &[&["--shards", "4", "--json"], at, more].concat());
            Running::start(&line.iter().map(String::as_str).collect::<Vec<_>>(), b"", &[])
        };
        let verifier = start("verify", &["--listen", "127.0.0.1:0"], ours);
        let prover = start("prove", &["--connect", &verifier.address], theirs);
        [verifier, prover]
    }

    /// Runs both sides with the same options.
    fn run(&self, more: &[&str]) -> [Running; 2] {
        self.sides(more, more)
    }

    /// Runs a prover that does not look whether it is right.
    fn lies(&self) -> [Running; 2] {
        self.sides(&[], &["--no-check"])
    }

    fn key(&self, name: &str) -> String {
        let path = self.path(name);
        if !Path::new(&path).exists() {
            volery(&["key", "new", "--out", &path]).expect(0);
        }
        path
    }

    /// A worker that nobody but this test starts.
    fn worker(&self, verb: &str, shard: &str, coordinator: &str, key: &str) -> Running {
        let more = ["--shard", shard, "--coordinator", coordinator, "--run-key", key, "--json"];
        let line = self.party(&[verb], &more);
        Running::start(&line.iter().map(String::as_str).collect::<Vec<_>>(), b"", &[])
    }
}

fn attempts(report: &Value) -> Vec<u64> {
    let shards = report["shards"].as_array().expect("shards");
    shards.iter().map(|shard| shard["attempts"].as_u64().expect("a number")).collect()
}

#[test]
fn both_sides_report_every_shard() {
    let tree = Tree::new();
    for more in [&["--workers", "1"][..], &["--workers", "3", "--threads", "1", "--vole", "tiny"]] {
        let [verifier, prover] = tree.run(more).map(|side| side.end().expect(0).json());
        for (report, role) in [(&verifier, "verifier"), (&prover, "prover")] {
            assert_keys(report, &KEYS);
            assert_eq!((&report["verdict"], &report["role"]), (&"accepted".into(), &role.into()));
            assert_eq!(attempts(report), [1; 4]);
            let parts = report["shards"].as_array().expect("shards");
            let sum = |of: &str| {
                parts.iter().map(|shard| shard.pointer(of).unwrap().as_u64().unwrap()).sum::<u64>()
            };
            assert_eq!(report["gates"]["mul"], sum("/gates/mul"));
            assert_eq!(report["inputs"], sum("/inputs"));
            assert!(parts.iter().all(|shard| shard["seconds"]["setup"].as_f64() > Some(0.0)));
            assert!(
                parts.iter().all(|shard| shard["peak_rss_bytes"].as_u64().is_none_or(|peak| peak < 64 << 20))
            );
        }
        for same in ["statement", "run", "gates", "restarts"] {
            assert_eq!(verifier[same], prover[same], "{same}");
        }
        assert_eq!(verifier["bytes"]["received"], prover["bytes"]["sent"]);
        assert_eq!(verifier["security"], prover["security"]);
    }
}

/// Workers that others start, as with Kubernetes or Slurm: each is told its number, and starts when it is
/// placed.
#[test]
fn others_may_start_the_workers() {
    let tree = Tree::new();
    let (ours, theirs) = (tree.key("verifier"), tree.key("prover"));
    let start = |verb, key: &str, more: &[&str]| {
        let line =
            tree.party(&["cluster", verb], &[&["--shards", "4", "--json", "--run-key", key], more].concat());
        Running::start(&line.iter().map(String::as_str).collect::<Vec<_>>(), b"", &[])
    };
    // The verifier's says where it listens once its statement is settled, the prover's where workers join.
    let verifier = start("verify", &ours, &["--listen", "127.0.0.1:0"]);
    let prover = start("prove", &theirs, &["--connect", &verifier.address]);
    let mut workers = vec![];
    // In any order; and one of another run is no worker of this one.
    let stranger = tree.worker("verify", "1/4", &verifier.join, &theirs);
    for shard in ["3/4", "1/4", "0/4", "2/4"] {
        workers.push(tree.worker("verify", shard, &verifier.join, &ours));
        workers.push(tree.worker("prove", shard, &prover.join, &theirs));
    }
    for worker in workers {
        let report = worker.end().expect(0).json();
        assert_eq!((&report["verdict"], &report["shards"]), (&"accepted".into(), &4.into()));
    }
    assert_eq!(attempts(&prover.end().expect(0).json()), [1; 4]);
    assert_eq!(attempts(&verifier.end().expect(0).json()), [1; 4]);
    stranger.end().refused(3, &["joining the coordinator"]);
}

/// The processes that this one has started, by their numbers.
#[cfg(target_os = "linux")]
fn children(of: u32) -> Vec<u32> {
    let parent = |pid: u32| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse::<u32>().ok()
    };
    let all = std::fs::read_dir("/proc").expect("processes").flatten();
    let pids = all.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(|pid| parent(*pid) == Some(of)).collect()
}

/// Kills worker number `nth` of those that this coordinator starts, as soon as it is seen; false where the run
/// has ended before.
#[cfg(target_os = "linux")]
fn kill_worker(side: &mut Running, nth: usize) -> bool {
    let mut seen = std::collections::BTreeSet::new();
    while side.is_running() {
        for pid in children(side.id()) {
            if seen.insert(pid) && seen.len() == nth {
                let killed = std::process::Command::new("kill").args(["-9", &pid.to_string()]).status();
                return killed.expect("kill is there").success();
            }
        }
        std::thread::yield_now();
    }
    false
}

#[cfg(target_os = "linux")]
#[test]
fn killed_workers_cost_their_shard_alone() {
    let tree = Tree::new();
    for (side, nth) in [(0, 1), (1, 4)] {
        let mut sides = tree.run(&["--workers", "2"]);
        let killed = kill_worker(&mut sides[side], nth);
        let [verifier, prover] = sides.map(|side| side.end().expect(0).json());
        assert_eq!(attempts(&verifier), attempts(&prover));
        // It may have been lost before it began, or behind its end.
        let again = attempts(&verifier).iter().filter(|attempts| **attempts > 1).count();
        assert!(again <= usize::from(killed) && verifier["restarts"].as_u64() <= Some(1), "{verifier}");
    }
}

/// Whether there is such a process. Nobody may have asked yet how one has ended.
#[cfg(target_os = "linux")]
fn runs(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"));
    stat.is_ok_and(|stat| !stat.rsplit(')').next().is_some_and(|rest| rest.starts_with(" Z")))
}

/// A worker of this side that has had its order, and looks after its coordinator in a thread of its own, beside its
/// first and the one for signals; none where the run has ended before.
#[cfg(target_os = "linux")]
fn watching_worker(side: &mut Running) -> Option<u32> {
    let watching =
        |pid: &u32| std::fs::read_dir(format!("/proc/{pid}/task")).is_ok_and(|threads| threads.count() > 2);
    while side.is_running() {
        if let Some(pid) = children(side.id()).into_iter().find(watching) {
            return Some(pid);
        }
        std::thread::yield_now();
    }
    None
}

/// A worker that is stopped does not outlive its coordinator either.
#[cfg(target_os = "linux")]
#[test]
fn stopped_workers_end_with_their_coordinator() {
    let tree = Tree::new();
    for killed in 0..2 {
        let stopped = loop {
            let mut sides = tree.run(&["--workers", "2"]);
            let worker = watching_worker(&mut sides[killed]);
            if let Some(pid) = worker {
                let sent = std::process::Command::new("kill").args(["-STOP", &pid.to_string()]).status();
                if sent.expect("kill is there").success() {
                    sides[killed].kill();
                    let _ = sides.map(Running::end);
                    break pid;
                }
            }
            let _ = sides.map(Running::end);
        };
        let killed = Instant::now();
        while runs(stopped) {
            assert!(
                killed.elapsed() < Duration::from_secs(30),
                "the worker {stopped} has outlived its coordinator"
            );
            std::thread::yield_now();
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn killed_coordinators_end_the_run_and_all_workers() {
    let tree = Tree::new();
    for killed in 0..2 {
        let mut sides = tree.run(&["--workers", "2"]);
        while sides[killed].is_running() && children(sides[killed].id()).is_empty() {
            std::thread::yield_now();
        }
        let orphans = children(sides[killed].id());
        sides[killed].kill();
        let [verifier, prover] = sides.map(Running::end);
        let left = if killed == 0 { prover } else { verifier };
        left.refused(3, &["peer"]);
        while orphans.iter().any(|pid| runs(*pid)) {
            std::thread::yield_now();
        }
    }
}

#[test]
fn what_is_no_run_is_refused() {
    let tree = Tree::new();
    let refused = |verbs: &[&str], more: &[&str], words: &[&str]| {
        let line = tree.party(verbs, more);
        volery(&line.iter().map(String::as_str).collect::<Vec<_>>()).refused(2, words);
    };
    let listen = ["--listen", "127.0.0.1:0"];
    refused(&["cluster", "verify"], &listen, &["--shards"]);
    refused(
        &["cluster", "verify"],
        &[&["--shards", "9"], &listen[..]].concat(),
        &["does not fall into 9 shards"],
    );
    refused(&["cluster", "verify"], &[&["--shards", "0"], &listen[..]].concat(), &["--shards 0", "from 1"]);
    refused(&["cluster", "verify"], &["--shards", "4"], &["--listen or --connect"]);
    let other = ["--shards", "4", "--system", "wolverine", "--listen", "127.0.0.1:0"];
    refused(&["cluster", "verify"], &other, &["--system", "proves no shards"]);
    let none = tree.path("none");
    refused(
        &["cluster", "prove"],
        &["--shards", "4", "--run-key", &none, listen[0], listen[1]],
        &["--run-key", "no key"],
    );
    let key = tree.key("run");
    let worker = |shard| ["--shard", shard, "--coordinator", "127.0.0.1:1", "--run-key", &*key];
    refused(&["prove"], &worker("4/4"), &["--shard 4/4", "from 0 to N - 1"]);
    refused(&["verify"], &worker("one"), &["--shard one", "I/N"]);
    refused(&["verify"], &["--shard", "0/4"], &["--coordinator"]);
    let public = &tree.root;
    let line = ["cluster", "verify", "--relation", "builtin:aes128", "--public", public, "--shards", "2"];
    volery(&[&line[..], &listen].concat()).refused(2, &["--public"]);
    // The witness is checked before anybody is asked.
    std::fs::write(tree.path("leaves"), [0; 4 * 64]).expect("written");
    refused(&["cluster", "prove"], &["--shards", "4", "--connect", "127.0.0.1:1"], &["root["]);
}

#[test]
fn sides_that_want_other_runs_disagree() {
    let tree = Tree::new();
    for (ours, theirs) in [(["--shards", "4"], ["--shards", "2"]), (["--restarts", "3"], ["--restarts", "4"])]
    {
        let start = |verb, own: [&str; 2], more: [&str; 2]| {
            let shards: &[&str] = if own[0] == "--shards" { &[] } else { &["--shards", "4"] };
            let line = tree.party(&["cluster", verb], &[shards, &own, &more].concat());
            Running::start(&line.iter().map(String::as_str).collect::<Vec<_>>(), b"", &[])
        };
        let verifier = start("verify", ours, ["--listen", "127.0.0.1:0"]);
        let prover = start("prove", theirs, ["--connect", &verifier.address]);
        for ended in [verifier.end(), prover.end()] {
            ended.refused(3, &["shards"]);
        }
    }
}

/// Workers of something else are turned away by the coordinator, which goes on with others.
#[test]
fn workers_that_are_for_something_else_are_turned_away() {
    let tree = Tree::new();
    let key = tree.key("run");
    let line = tree.party(&["cluster", "verify"], &["--shards", "4", "--listen", "127.0.0.1:0"]);
    let line: Vec<_> = line.iter().map(String::as_str).chain(["--json", "--run-key", &key]).collect();
    let verifier = Running::start(&line, b"", &[]);
    let prover = tree.party(&["cluster", "prove"], &["--shards", "4", "--connect", &verifier.address]);
    let prover = Running::start(&prover.iter().map(String::as_str).collect::<Vec<_>>(), b"", &[]);
    let worker = |verb, shard| tree.worker(verb, shard, &verifier.join, &key).end();
    worker("verify", "1/2").refused(2, &["shard 1", "another number of shards"]);
    worker("prove", "1/4").refused(2, &["for the other party"]);
    let zeros = format!("root=0x{}", "0".repeat(64));
    let other = ["verify", "--relation", TREE, "--public", &zeros, "--timeout", "20"];
    volery(&[&other[..], &["--shard", "1/4", "--coordinator", &verifier.join, "--run-key", &key]].concat())
        .refused(2, &["another statement than its coordinator"]);
    let workers = [0, 1, 2, 3].map(|i| tree.worker("verify", &format!("{i}/4"), &verifier.join, &key));
    for worker in workers {
        worker.end().expect(0);
    }
    prover.end().expect(0);
    let verifier = verifier.end().expect(0);
    assert_eq!(attempts(&verifier.json()), [1; 4]);
    assert_eq!(verifier.err.matches("was turned away").count(), 3, "{}", verifier.err);
}

#[test]
fn a_worker_without_a_coordinator_gives_up() {
    let tree = Tree::new();
    let key = tree.key("run");
    let closed = std::net::TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    let closed = closed.expect("a free port").to_string();
    let gives_up = |coordinator: &str| {
        let own = ["--shard", "0/4", "--coordinator", coordinator, "--run-key", &key, "--timeout", "1"];
        let line = ["verify", "--relation", TREE, "--public", &tree.root];
        volery(&[&line[..], &own].concat()).refused(3, &["joining the coordinator"]);
    };
    // Beside each other, since each waits.
    std::thread::scope(|scope| {
        scope.spawn(|| gives_up(&closed));
        gives_up("name.invalid:7001");
    });
}

/// Runs a prover with one leaf that is another.
fn lie(tree: &Tree) {
    let mut leaves = std::fs::read(tree.path("leaves")).expect("read");
    leaves[0] ^= 1;
    std::fs::write(tree.path("leaves"), leaves).expect("written");
}

#[test]
fn a_lie_in_one_shard_ends_all() {
    let tree = Tree::new();
    lie(&tree);
    let [verifier, prover] = tree.lies().map(Running::end);
    // The prover's own worker may be the first to see that the root is another, and give up.
    assert!(matches!(verifier.code, Some(1 | 3)), "{verifier:?}");
    assert!(matches!(prover.code, Some(1 | 2)), "{prover:?}");
}

/// Nanoseconds that this process has been at work.
#[cfg(target_os = "linux")]
fn worked(pid: u32) -> Option<u64> {
    let schedule = std::fs::read_to_string(format!("/proc/{pid}/schedstat")).ok()?;
    schedule.split_whitespace().next()?.parse().ok()
}

/// Kills worker number `nth` of this coordinator, or where that is 0 itself, once it has worked so many
/// nanoseconds; false where it ends before.
#[cfg(target_os = "linux")]
fn kill_after(side: &mut Running, nth: usize, nanoseconds: u64) -> bool {
    let mut seen = vec![];
    while side.is_running() {
        for pid in children(side.id()) {
            if !seen.contains(&pid) {
                seen.push(pid);
            }
        }
        let victim = if nth == 0 { Some(side.id()) } else { seen.get(nth - 1).copied() };
        let Some(victim) = victim else { continue };
        match worked(victim) {
            Some(worked) if worked < nanoseconds => std::thread::yield_now(),
            None => return false,
            Some(_) => {
                let killed = std::process::Command::new("kill").args(["-9", &victim.to_string()]).status();
                return killed.expect("kill is there").success();
            }
        }
    }
    false
}

/// One of either side is killed at a moment that a seed chooses: the verdict is right, or there is none.
#[cfg(target_os = "linux")]
#[test]
#[ignore = "slow"]
fn whoever_is_killed_no_verdict_is_wrong() {
    let (honest, lying) = (Tree::of_depth(7), Tree::of_depth(7));
    lie(&lying);
    let mut state = 25_u64;
    let mut below = |bound: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % bound
    };
    let (mut again, mut given_up) = (0, 0);
    for turn in 0..60 {
        let (side, lies) = (turn % 2, turn % 5 == 4);
        // Every third time it is a coordinator.
        let nth = if turn % 3 == 0 { 0 } else { 1 + below(4) as usize };
        // A worker needs some 50 ms for its set-up, and as many for its gates; a coordinator a tenth.
        let nanoseconds = below(if nth == 0 { 12_000_000 } else { 110_000_000 });
        let mut sides = if lies { lying.lies() } else { honest.run(&["--workers", "2"]) };
        let killed = kill_after(&mut sides[side], nth, nanoseconds);
        let [verifier, prover] = sides.map(Running::end);
        let told = format!("{turn}: {verifier:?} {prover:?}");
        if lies {
            assert!(verifier.code != Some(0) && prover.code != Some(0), "{told}");
        } else if nth == 0 && killed {
            let left = if side == 0 { &prover } else { &verifier };
            assert!(matches!(left.code, Some(0 | 3)), "{told}");
            given_up += u32::from(left.code == Some(3));
        } else {
            let [verifier, prover] = [verifier, prover].map(|side| side.expect(0).json());
            assert_eq!(attempts(&verifier), attempts(&prover), "{told}");
            let more: u64 = attempts(&verifier).iter().map(|attempts| attempts - 1).sum();
            assert!(more <= u64::from(killed), "{told}");
            again += more;
        }
    }
    // Some end before, as the machine is fast; not most.
    assert!(again >= 5 && given_up >= 5, "{again} {given_up}");
}
