//! Verdicts in a real PostgreSQL server, which runs for the test alone, on a socket in its folder.

use crate::kit::{Folder, Prover, STATEMENTS};
use std::os::unix::fs::{MetadataExt, chown};
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;
use volery_serve::store::{Filter, Kind, Store, Verdict, open};

/// A server, until it is dropped.
struct Server {
    folder: TempDir,
    programs: PathBuf,
    /// The user and the group that it runs as, where this is root, as which it refuses to.
    other: Option<[u32; 2]>,
}

impl Server {
    /// The server, or nothing, and a word, where none is installed.
    fn start() -> Option<Self> {
        let Some(programs) = installed() else {
            println!("there is no PostgreSQL server here: its test is skipped");
            return None;
        };
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().metadata().expect("there").uid() == 0;
        let other = root.then(|| user("postgres").unwrap_or([65534, 65534]));
        if let Some([user, group]) = other {
            chown(folder.path(), Some(user), Some(group)).expect("chown as root");
        }
        let server = Self { folder, programs, other };
        let socket = format!("-c listen_addresses= -c unix_socket_directories={}", server.path().display());
        server.run("initdb", &["-A", "trust", "-U", "volery", "-E", "UTF8"]);
        server.run("pg_ctl", &["-w", "-l", "/dev/null", "-o", &socket, "start"]);
        Some(server)
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn url(&self) -> String {
        let socket = self.path().to_str().expect("UTF-8").replace('/', "%2F");
        format!("postgresql://volery@{socket}/postgres")
    }

    fn run(&self, program: &str, arguments: &[&str]) {
        assert!(self.try_run(program, arguments), "{program} {arguments:?}");
    }

    /// Whether it ended well.
    fn try_run(&self, program: &str, arguments: &[&str]) -> bool {
        let path = self.programs.join(program);
        let mut command = match self.other {
            Some([user, group]) => {
                let mut command = Command::new("setpriv");
                command.args([&format!("--reuid={user}"), &format!("--regid={group}"), "--clear-groups"]);
                command.arg(path);
                command
            }
            None => Command::new(path),
        };
        command.arg("-D").arg(self.path().join("data")).args(arguments).current_dir(self.path());
        command.stdout(std::process::Stdio::null()).status().expect("it runs").success()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // A test may have stopped it.
        self.try_run("pg_ctl", &["-m", "immediate", "stop"]);
    }
}

/// The folder of the server's programs.
fn installed() -> Option<PathBuf> {
    let debian = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let debian = debian.map(|version| version.path().join("bin"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders = debian.chain(std::env::split_paths(&path));
    folders.find(|folder| ["postgres", "initdb", "pg_ctl"].iter().all(|name| folder.join(name).is_file()))
}

fn user(name: &str) -> Option<[u32; 2]> {
    let users = std::fs::read_to_string("/etc/passwd").ok()?;
    let line = users.lines().find(|line| line.starts_with(&format!("{name}:")))?;
    let mut fields = line.split(':').skip(2);
    Some([fields.next()?.parse().ok()?, fields.next()?.parse().ok()?])
}

fn verdict(i: usize, kind: Kind) -> Verdict {
    Verdict {
        session: format!("{i:032}"),
        began: i as i64,
        ended: 10 * i as i64,
        peer: format!("volery1p{}", i % 2),
        name: "Bob \"the\" O'Prover, of ü".into(),
        statement: "s".into(),
        digest: "00".into(),
        public: "{\"x\":\"0x1\"}".into(),
        system: "quicksilver".into(),
        field: "f2".into(),
        verdict: kind.name().into(),
        reason: String::new(),
        computational: 128,
        statistical: 100,
        sent: 1 << 40,
        received: 2,
    }
}

/// All that a store is asked for.
fn keeps(store: &dyn Store) {
    let all: Vec<_> = (1..=2500).map(|i| verdict(i, Kind::ALL[i % 3])).collect();
    // One of them comes after a record that was signed.
    let signed = Kind::Signed.name().into();
    let before = Verdict { verdict: signed, ended: 1, public: "{}".into(), sent: 0, ..all[7].clone() };
    store.put(&before).expect("kept");
    all.iter().for_each(|verdict| store.put(verdict).expect("kept"));
    assert!(store.put(&all[7]).is_err(), "a session has one verdict");
    let list = |filter: &Filter| {
        let mut found = Vec::new();
        let mut keep = |verdict| {
            found.push(verdict);
            Ok(())
        };
        store.list(filter, &mut keep).expect("listed");
        found
    };
    let listed = list(&Filter::default());
    assert!(listed.iter().eq(all.iter().rev()), "the last one first");
    let filter =
        Filter { peer: "volery1p1".into(), verdict: "rejected".into(), last: Some(3), ..Filter::default() };
    let sessions: Vec<_> = list(&filter).into_iter().map(|verdict| verdict.began).collect();
    assert_eq!(sessions, [2497, 2491, 2485], "of all that are 1 modulo 2 and modulo 3");
    assert_eq!(list(&Filter { since: 24_980, ..Filter::default() }).len(), 3);
    assert_eq!(list(&Filter { statement: "t".into(), ..Filter::default() }).len(), 0);

    let strikes = |since| store.strikes("volery1p0", since).expect("counted");
    let of_peer = all.iter().filter(|verdict| verdict.peer == "volery1p0" && verdict.verdict != "accepted");
    assert_eq!(strikes(0), of_peer.clone().count() as u64);
    assert_eq!(strikes(24_000), of_peer.clone().filter(|verdict| verdict.ended > 24_000).count() as u64);
    store.forgive("volery1p0", 24_500).expect("forgiven");
    assert_eq!(strikes(0), of_peer.filter(|verdict| verdict.ended > 24_500).count() as u64);
}

#[test]
fn both_databases_keep_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("verdicts.db");
    keeps(&*open(file.to_str().expect("UTF-8"), true).expect("opened"));
    let Some(server) = Server::start() else { return };
    keeps(&*open(&server.url(), true).expect("connected"));
}

#[test]
fn a_service_keeps_its_verdicts_in_postgresql() {
    let Some(server) = Server::start() else { return };
    let folder = Folder::new(1, STATEMENTS).with_database(&server.url(), STATEMENTS);
    let service = folder.serve();
    let prover = Prover::of(&folder, 0, &service);
    let sessions = [(); 3].map(|()| prover.prove_known().expect("accepted"));
    let mut kept = Vec::new();
    let store = open(&server.url(), false).expect("connected");
    let mut keep = |verdict: Verdict| {
        kept.push(verdict.session);
        Ok(())
    };
    store.list(&Filter::default(), &mut keep).expect("listed");
    kept.reverse();
    assert_eq!(kept, sessions);

    // Where it is gone nothing is accepted, and nobody is told otherwise.
    drop(store);
    server.run("pg_ctl", &["-m", "immediate", "stop"]);
    let failed = prover.prove_known().expect_err("no verdict can be kept");
    assert!(failed.line.contains("its database does not answer"), "{failed:?}");
}
