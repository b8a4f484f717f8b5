//! No branch and no address depends on a secret, shown by valgrind's memcheck: docs/constant-time.md says of
//! what, and what that leaves open.
//!
//! Both parties run here under memcheck, with their witness and all of their randomness marked as undefined,
//! and so what they compute from it: Δ, MACs, keys, seeds, choices, masks. What a party sends is public from
//! then on. Memcheck reports each branch and each address that depends on the rest, as Langley's ctgrind
//! does.
//!
//! A program of its own, without the usual harness: it starts itself under valgrind, once for each case.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::process::{Command, ExitCode, exit};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};
use std::{fs, hint, io, iter, thread};
use volery::channel::{Channel, Link, Party, Pipe, pipe};
use volery::circuit::stream::Source;
use volery::circuit::{
    Arithmetic, Backend, Circuit, Network, Polynomials, Relation, Returned, Statement, Value, Values,
};
use volery::{
    Arch, Binary, Bn254, Correlations, F2, F61, F61x2, Field, Goldilocks, Named, Options, Over, Result,
    ShortBinary, System, prove_over, prove_to_over, verify_from_over, verify_over,
};
use volery_primitives::arch::memcheck::{findings, hide, is_watching, publish};

/// Longer than a party works before it says something, slow as it is here.
const TIMEOUT: Duration = Duration::from_secs(600);

/// One run of both parties.
struct Case {
    name: &'static str,
    /// The instruction sets, of those that valgrind has, that it is tried on.
    archs: &'static [&'static str],
    slow: bool,
    run: fn(Arch),
}

const BOTH: &[&str] = &["portable", "aesni"];
const AESNI: &[&str] = &["aesni"];
const PORTABLE: &[&str] = &["portable"];

/// The longest first.
const CASES: &[Case] = &[
    case("quicksilver-f61-tiny", AESNI, |arch| {
        elements::<F61, F61>(System::QUICKSILVER, Correlations::TINY, arch)
    }),
    case("quicksilver-f2-tiny", AESNI, |arch| bits(System::QUICKSILVER, Correlations::TINY, arch)),
    case("controls", AESNI, sessions_that_leak),
    case("limbo-f61", PORTABLE, |arch| elements::<F61, F61>(System::LIMBO, None, arch)),
    case("limbo-f2", AESNI, |arch| bits(System::LIMBO, None, arch)),
    case("limbo-f2-file", AESNI, |arch| file(System::LIMBO, arch)),
    case("voleith-f2-file", AESNI, |arch| file(System::VOLEITH, arch)),
    case("voleith-f2-holes", AESNI, |arch| {
        let public = [
            ("plaintext", "0x00112233445566778899aabbccddeeff"),
            ("ciphertext", "0x69c4e0d86a7b0430d8cdb78070b4c55a"),
        ];
        holes("aes128?holes=1", ("key", "0x000102030405060708090a0b0c0d0e0f"), &public, arch);
    }),
    case("quicksilver-f2x64-tiny", AESNI, |arch| short(2_000, Correlations::TINY, arch)),
    slow("quicksilver-f2x64-tiny-portable", PORTABLE, |arch| short(2_000, Correlations::TINY, arch)),
    slow("quicksilver-f2x64-softspoken4", BOTH, |arch| short(2_000, Correlations::SOFTSPOKEN4, arch)),
    slow("quicksilver-f2-softspoken4", PORTABLE, |arch| {
        bits(System::QUICKSILVER, Correlations::SOFTSPOKEN4, arch)
    }),
    slow("limbo-f61-aesni", AESNI, |arch| elements::<F61, F61>(System::LIMBO, None, arch)),
    slow("limbo-f2-portable", PORTABLE, |arch| bits(System::LIMBO, None, arch)),
    slow("quicksilver-f61-tiny-portable", PORTABLE, |arch| {
        elements::<F61, F61>(System::QUICKSILVER, Correlations::TINY, arch)
    }),
    slow("quicksilver-f2-refilled", BOTH, |arch| {
        network(110_000, System::QUICKSILVER, Correlations::TINY, arch)
    }),
    slow("quicksilver-f61-direct", BOTH, |arch| {
        elements::<F61, F61>(System::QUICKSILVER, Correlations::DIRECT, arch);
    }),
    slow("quicksilver-f61-polynomials", BOTH, |arch| {
        let options = by(System::QUICKSILVER, Correlations::DIRECT, arch);
        session::<Over<F61>>(&Squares(40), &[F61::ONE; 80], options);
    }),
    slow("wolverine-f2-tiny", BOTH, |arch| bits(System::WOLVERINE, Correlations::TINY, arch)),
    slow("wolverine-f61-tiny", BOTH, |arch| {
        elements::<F61, F61>(System::WOLVERINE, Correlations::TINY, arch)
    }),
    slow("quicksilver-bn254-direct", AESNI, |arch| {
        elements::<Bn254, Bn254>(System::QUICKSILVER, Correlations::DIRECT, arch);
    }),
    slow("quicksilver-f61x2", BOTH, |arch| {
        elements::<F61, F61x2>(System::QUICKSILVER, Correlations::TINY, arch)
    }),
    slow("quicksilver-goldilocks", AESNI, |arch| {
        elements::<Goldilocks, Goldilocks>(System::QUICKSILVER, Correlations::TINY, arch);
    }),
    slow("voleith-f2-keccak", AESNI, |arch| {
        let digest = "0x3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532";
        holes("sha3-256-preimage?length=3&holes=1", ("message", "0x616263"), &[("digest", digest)], arch);
    }),
    slow("jko", AESNI, |arch| bits(System::JKO, None, arch)),
];

const fn case(name: &'static str, archs: &'static [&'static str], run: fn(Arch)) -> Case {
    Case { name, archs, slow: false, run }
}

const fn slow(name: &'static str, archs: &'static [&'static str], run: fn(Arch)) -> Case {
    Case { name, archs, slow: true, run }
}

fn main() -> ExitCode {
    let (filter, slow) = wanted(std::env::args().skip(1));
    if is_watching() {
        return watched(&filter);
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
    let chosen = CASES.iter().filter(|case| slow || !case.slow);
    let names = chosen.flat_map(|case| case.archs.iter().map(|arch| format!("{}/{arch}", case.name)));
    let names: VecDeque<String> = names.filter(|name| name.contains(&filter)).collect();
    if names.is_empty() {
        return ExitCode::SUCCESS;
    }
    if all_pass(names) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Whether arithmetic that overflows is an error in this build: it branches on what it computes.
fn checks_overflow() -> bool {
    std::panic::set_hook(Box::new(|_| {}));
    let overflowed = std::panic::catch_unwind(|| hint::black_box(u8::MAX) + 1);
    drop(std::panic::take_hook());
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
fn all_pass(names: VecDeque<String>) -> bool {
    let (names, passed) = (Mutex::new(names), Mutex::new(true));
    let worker = || {
        while let Some(name) = { names.lock().unwrap().pop_front() } {
            if !passes(&name) {
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
fn passes(name: &str) -> bool {
    let started = Instant::now();
    let log =
        PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("secrets-{}.log", name.replace('/', "-")));
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--error-limit=no", "--num-callers=20", "--leak-check=no"]);
    valgrind.env("RUST_BACKTRACE", "0").arg(format!("--log-file={}", log.display()));
    let output = valgrind.arg(std::env::current_exe().unwrap()).arg(name).output().unwrap();
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
fn watched(name: &str) -> ExitCode {
    let (case, arch) = name.split_once('/').unwrap_or((name, "portable"));
    let Some(case) = CASES.iter().find(|one| one.name == case) else {
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

/// Secrets come as far as to the peer, and to the hints of a statement.
fn sessions_that_leak(arch: Arch) {
    let options = Options { arch, ..Options::by(System::LIMBO) };
    let run = |leaks, public| both::<Binary>(&Square { leaks }, &[F2::ONE], &options, public);
    run(false, [true, true]);
    leaks("what the prover says depends on its secrets", || run(false, [false, true]));
    leaks("what the verifier says depends on its secrets", || run(false, [true, false]));
    leaks("the witness is secret", || run(true, [true, true]));
}

/// The number of findings that were to be found, and were.
static EXPECTED: AtomicU64 = AtomicU64::new(0);

/// `f` must leak.
fn leaks(what: &str, f: impl FnOnce()) {
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
fn branch(secret: &[u8]) -> String {
    if secret[0] == 1 { "one".to_owned() } else { iter::repeat_n('x', 3).collect() }
}

/// "I know a bit that is its square", and where said its prover branches on it.
struct Square {
    leaks: bool,
}

impl<B: Backend<F = F2>> Circuit<B> for Square {
    fn run(&self, b: &mut B) -> Result<()> {
        let x = b.witness()?;
        let leaks = self.leaks;
        let copy = b.hint(&[x], move |x| {
            let odd = leaks && branch(&[x[0].to_bool().into()]).is_empty();
            if odd { F2::ZERO } else { x[0] }
        })?;
        let square = b.mul(x, copy)?;
        let difference = b.add(square, x);
        b.assert_zero(difference, "square")
    }
}

/// Polynomials alone on each of some lanes: that numbers are squares of others.
struct Squares(usize);

impl<B: Polynomials> Circuit<B> for Squares {
    fn run(&self, b: &mut B) -> Result<()> {
        let columns = (0..2 * self.0).map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
        b.map(b"squares", self.0, &columns, |b, _, of| {
            let (x, y) = (b.vector(&of[..1]), b.vector(&of[1..]));
            let difference = b.combination(&[(&x, &x)], &[(-B::F::ONE, &y)], B::F::ZERO)?;
            b.assert_zeroes(difference, "a square")?;
            Ok(Returned::default())
        })?;
        Ok(())
    }
}

fn bits(system: System, correlations: impl Into<Option<Correlations>>, arch: Arch) {
    network(2_000, system, correlations, arch);
}

fn network(gates: u64, system: System, correlations: impl Into<Option<Correlations>>, arch: Arch) {
    over_bits::<Binary>(gates, by(system, correlations, arch));
}

/// Bits under MACs of 64 bits.
fn short(gates: u64, correlations: Correlations, arch: Arch) {
    over_bits::<ShortBinary>(gates, by(System::QUICKSILVER, correlations, arch));
}

fn over_bits<S: Named<F = F2>>(gates: u64, options: Options) {
    let network = Network::new(gates).unwrap();
    let witness: Vec<F2> = network.witness([7; 32]).collect();
    session::<S>(&network, &witness, options);
}

fn elements<F: Field, E>(system: System, correlations: impl Into<Option<Correlations>>, arch: Arch)
where
    Over<F, E>: Named<F = F>,
{
    let network = Arithmetic::<F>::new(300).unwrap();
    let witness: Vec<F> = network.witness([7; 32]).collect();
    session::<Over<F, E>>(&network, &witness, by(system, correlations, arch));
}

/// Settings with which a prover goes through its witness both before and during the proof.
fn by(system: System, correlations: impl Into<Option<Correlations>>, arch: Arch) -> Options {
    Options { arch, ..Options::by(system).with_correlations(correlations) }
}

fn session<S: Named>(circuit: &dyn Source<S::F>, witness: &[S::F], options: Options) {
    both::<S>(circuit, witness, &options, [true; 2]);
}

/// Runs both parties on secrets; `public` says for each whether what it sends is marked as such.
fn both<S: Named>(circuit: &dyn Source<S::F>, witness: &[S::F], options: &Options, public: [bool; 2]) {
    let mut witness = witness.to_vec();
    hide(&mut witness);
    let (proving, verifying) = (seeded(options, 1), seeded(options, 2));
    let (here, there) = pipe(TIMEOUT);
    let (here, there) = (Said { link: here, public: public[0] }, Said { link: there, public: public[1] });
    thread::scope(|scope| {
        let prover = scope.spawn(move || {
            let mut channel = Channel::new(Party::Prover, here);
            prove_over::<S>(circuit, witness, &mut channel, &proving).unwrap();
        });
        let mut channel = Channel::new(Party::Verifier, there);
        let _accepted = verify_over::<S>(circuit, &mut channel, &verifying).unwrap();
        prover.join().unwrap();
    });
}

/// The options with randomness that is secret.
fn seeded(options: &Options, seed: u8) -> Options {
    let mut seed = [seed; 32];
    hide(&mut seed);
    Options { seed: Some(seed), ..options.clone() }
}

fn file(system: System, arch: Arch) {
    let network = Network::new(2_000).unwrap();
    written(&network, network.witness([7; 32]).collect(), by(system, None, arch));
}

/// A file about a built-in statement, whose hints are computed of the private value.
fn holes(spec: &str, (port, secret): (&str, &str), public: &[(&str, &str)], arch: Arch) {
    let number = |text: &str| Value::from_number_hex(text).unwrap();
    let mut values = Values::new();
    public.iter().for_each(|(port, text)| values.insert(*port, number(text)).unwrap());
    let relation = Relation::open(&format!("builtin:{spec}"), None).unwrap();
    let statement = Statement::new(relation, values).unwrap();
    let mut private = Values::new();
    private.insert(port, number(secret)).unwrap();
    let witness = statement.witness(private).unwrap().bits().collect();
    written(statement.source(), witness, by(System::VOLEITH, None, arch));
}

/// A file, and whoever reads it, who has no secrets.
fn written(circuit: &dyn Source<F2>, mut witness: Vec<F2>, options: Options) {
    hide(&mut witness);
    let mut file = Said { link: vec![], public: true };
    prove_to_over::<Binary>(circuit, witness, &mut file, &seeded(&options, 1)).unwrap();
    let _accepted = verify_from_over::<Binary>(circuit, &mut &file.link[..], &options).unwrap();
}

/// A link whose messages become public where they are sent.
struct Said<L> {
    link: L,
    public: bool,
}

impl<L> Said<L> {
    fn mark(&self, bytes: &[u8]) {
        if self.public {
            publish(bytes);
        }
    }
}

impl Link for Said<Pipe> {
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
