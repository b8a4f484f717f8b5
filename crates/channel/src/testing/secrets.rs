//! A test that no branch and no address depends on a secret, shown by valgrind's memcheck: docs/constant-time.md says
//! of what, and what that leaves open.
//!
//! A program of its own, without the usual harness: it starts itself under valgrind, once for each case.

use crate::channel::Link;
use std::collections::VecDeque;
use std::path::Path;
use std::process::{Command, ExitCode, exit};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;
use std::{env, fs, hint, io, iter, panic, thread};
use volery_primitives::arch::Arch;
use volery_primitives::arch::memcheck::{findings, hide, is_watching, publish};

/// One run on secrets.
pub struct Case {
    name: &'static str,
    /// The instruction sets, of those that valgrind has, that it is tried on.
    archs: &'static [&'static str],
    is_slow: bool,
    run: fn(Arch),
}

/// The instruction sets that valgrind knows.
pub const BOTH: &[&str] = &["portable", "aesni"];
pub const AESNI: &[&str] = &["aesni"];
pub const PORTABLE: &[&str] = &["portable"];

/// A case of each run of the test.
pub const fn case(name: &'static str, archs: &'static [&'static str], run: fn(Arch)) -> Case {
    Case { name, archs, is_slow: false, run }
}

/// A case that is run by `--ignored`.
pub const fn slow(name: &'static str, archs: &'static [&'static str], run: fn(Arch)) -> Case {
    Case { name, archs, is_slow: true, run }
}

/// Runs the cases that are asked for, the longest of which come first. Logs go to `folder`.
pub fn main(cases: &[Case], folder: &str) -> ExitCode {
    let (filter, slow) = wanted(env::args().skip(1));
    if is_watching() {
        return watched(cases, &filter);
    }
    let skipped = |why: &str| {
        println!("SKIPPED, nothing is shown of constant time: {why}");
        ExitCode::SUCCESS
    };
    if checks_overflow() {
        return skipped("what ships is another build than this one; take --release");
    }
    if !cfg!(target_arch = "x86_64") || Command::new("valgrind").arg("--version").output().is_err() {
        return skipped("it takes valgrind, on x86-64");
    }
    let chosen = cases.iter().filter(|case| slow || !case.is_slow);
    let names = chosen.flat_map(|case| case.archs.iter().map(|arch| format!("{}/{arch}", case.name)));
    let names: VecDeque<String> = names.filter(|name| name.contains(&filter)).collect();
    if names.is_empty() || all_pass(names, Path::new(folder)) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Whether arithmetic that overflows is an error in this build: it branches on what it computes.
fn checks_overflow() -> bool {
    panic::set_hook(Box::new(|_| {}));
    let overflowed = panic::catch_unwind(|| hint::black_box(u8::MAX) + 1);
    drop(panic::take_hook());
    overflowed.is_err()
}

/// The part of names, and whether slow cases are asked for, from what the usual harness takes.
fn wanted(mut arguments: impl Iterator<Item = String>) -> (String, bool) {
    let (mut filter, mut slow) = (String::new(), false);
    while let Some(argument) = arguments.next() {
        match &*argument {
            "--ignored" => slow = true,
            "--list" => exit(0),
            "--test-threads" | "--skip" | "--format" | "--color" | "--logfile" | "-Z" => {
                drop(arguments.next())
            }
            flag if flag.starts_with('-') => {}
            _ => filter = argument,
        }
    }
    (filter, slow)
}

/// Runs this program under valgrind for each of `names`, as many at a time as there are cores.
fn all_pass(names: VecDeque<String>, folder: &Path) -> bool {
    let (names, passed) = (Mutex::new(names), Mutex::new(true));
    let worker = || {
        while let Some(name) = { names.lock().unwrap().pop_front() } {
            if !passes(&name, folder) {
                *passed.lock().unwrap() = false;
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(worker);
        }
    });
    passed.into_inner().unwrap()
}

/// Runs the case `name` in a process of its own, and tells what was found.
fn passes(name: &str, folder: &Path) -> bool {
    let started = Instant::now();
    let log = folder.join(format!("secrets-{}.log", name.replace('/', "-")));
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--error-limit=no", "--num-callers=20", "--leak-check=no"]);
    valgrind.env("RUST_BACKTRACE", "0").arg(format!("--log-file={}", log.display()));
    let output = valgrind.arg(env::current_exe().unwrap()).arg(name).output().unwrap();
    let seconds = started.elapsed().as_secs_f64();
    if output.status.success() {
        println!("{name}: {} ({seconds:.1} s)", String::from_utf8_lossy(&output.stdout).trim());
        return true;
    }
    println!("{name} FAILED: {} ({seconds:.1} s); all of it in {}", output.status, log.display());
    println!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let log = fs::read_to_string(&log).unwrap_or_default();
    // What is said of a place, from its "at" on; what was to be found aside.
    let places = log.lines().filter(|line| line.contains(" at 0x") && !line.contains("secrets"));
    places.take(40).for_each(|line| println!("{line}"));
    false
}

/// Runs the case `name` under valgrind, after the controls, without which silence would mean nothing.
fn watched(cases: &[Case], name: &str) -> ExitCode {
    let (case, arch) = name.split_once('/').unwrap_or((name, "portable"));
    let Some(case) = cases.iter().find(|one| one.name == case) else {
        println!("there is no case `{name}`");
        return ExitCode::FAILURE;
    };
    let Ok(arch) = Arch::from_name(arch) else {
        println!("not on this machine");
        return ExitCode::SUCCESS;
    };
    controls();
    (case.run)(arch);
    match findings() - EXPECTED.load(Relaxed) {
        0 => {
            println!("no branch and no address depends on a secret");
            ExitCode::SUCCESS
        }
        found => {
            println!("{found} times a branch or an address depended on a secret");
            ExitCode::FAILURE
        }
    }
}

/// Leaks are found, and values that are published do not count.
fn controls() {
    let (mut secret, table) = ([1, 2], [3; 256]);
    let leak = |secret: &[u8]| drop(hint::black_box(branch(secret)));
    assert_eq!(findings_of(|| leak(&secret)), 0, "nothing is secret yet");
    hide(&mut secret);
    leaks("a branch on a secret", || leak(&secret));
    leaks("a secret address", || {
        let _: u8 = hint::black_box(hint::black_box(&table)[usize::from(secret[1])]);
    });
    publish(&secret);
    assert_eq!(findings_of(|| leak(&secret)), 0, "nothing is secret any more");
}

/// The number of findings that were to be found, and were.
static EXPECTED: AtomicU64 = AtomicU64::new(0);

/// Demands that `f` leaks.
pub fn leaks(what: &str, f: impl FnOnce()) {
    let found = findings_of(f);
    assert!(found > 0, "memcheck finds nothing where it should: {what}");
    EXPECTED.fetch_add(found, Relaxed);
}

fn findings_of(f: impl FnOnce()) -> u64 {
    let before = findings();
    f();
    findings() - before
}

/// Branches on a secret.
#[inline(never)]
pub fn branch(secret: &[u8]) -> String {
    if secret[0] == 1 { "one".to_owned() } else { iter::repeat_n('x', 3).collect() }
}

/// A link whose messages become public where they are sent.
pub struct Said<L> {
    pub link: L,
    /// Whether they do.
    pub public: bool,
}

impl<L> Said<L> {
    fn mark(&self, bytes: &[u8]) {
        if self.public {
            publish(bytes);
        }
    }
}

impl<L: Link> Link for Said<L> {
    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.mark(bytes);
        self.link.send(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.link.flush()
    }
    fn recv(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        self.link.recv(bytes)
    }
}

impl io::Write for Said<Vec<u8>> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.mark(bytes);
        self.link.write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
