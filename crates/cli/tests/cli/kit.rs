//! Running the program that is tested, and reading what it says.

use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;

/// SHA-256 of `abc`.
pub(crate) const ABC: &str = "digest=0xba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

/// Relation and digest of a statement about a message of three bytes.
pub(crate) const PREIMAGE: [&str; 4] = ["--relation", "builtin:sha256-preimage?length=3", "--public", ABC];

/// The names of `--field`.
pub(crate) const FIELDS: [&str; 11] = [
    "f2",
    "f2x64",
    "f61",
    "f61x2",
    "goldilocks",
    "goldilocksx2",
    "q32",
    "f65537",
    "f256",
    "bn254",
    "bls12-381",
];

/// Keys that every report of a session has.
pub(crate) const KEYS: [&str; 22] = [
    "/verdict",
    "/role",
    "/system",
    "/field",
    "/vole",
    "/vole_reason",
    "/statement",
    "/gates/mul",
    "/gates/add",
    "/gates/assert",
    "/inputs",
    "/bytes/sent",
    "/bytes/received",
    "/rounds",
    "/seconds/setup",
    "/seconds/online",
    "/seconds/total",
    "/mul_gates_per_second",
    "/peak_rss_bytes",
    "/threads",
    "/security/computational_bits",
    "/security/statistical_bits",
];

/// Keys that every proof by limbo reports.
pub(crate) const LIMBO_KEYS: [&str; 10] = [
    "/statement",
    "/proof_bytes",
    "/repetitions",
    "/soundness_note",
    "/seconds/online",
    "/bytes/sent",
    "/simulation/parties",
    "/simulation/compression",
    "/simulation/check_field_bits",
    "/simulation/challenges",
];

/// Demands that `object` has all of `keys`.
#[track_caller]
pub(crate) fn assert_keys(object: &Value, keys: &[&str]) {
    for key in keys {
        assert!(object.pointer(key).is_some(), "{key} is missing in {object}");
    }
}

/// Demands that `object` has all of `keys`, and that none of them is null.
#[track_caller]
pub(crate) fn assert_values(object: &Value, keys: &[&str]) {
    for key in keys {
        assert!(object.pointer(key).is_some_and(|value| !value.is_null()), "{key} is missing in {object}");
    }
}

/// A process that has ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ended {
    /// Demands an exit code.
    #[track_caller]
    pub(crate) fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self:?}");
        self
    }

    /// Demands a failure of one line that has all of `words`.
    #[track_caller]
    pub(crate) fn refused(self, code: i32, words: &[&str]) -> Self {
        let ended = self.expect(code);
        let line = ended.err.lines().last().unwrap_or_default();
        assert!(line.starts_with("volery: "), "{ended:?}");
        for word in words {
            assert!(line.contains(word), "{word:?} is missing in {line:?}");
        }
        ended
    }

    /// The object in the last line of standard output.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        let line = self.out.lines().last().unwrap_or_default();
        serde_json::from_str(line).unwrap_or_else(|why| panic!("{why}: {self:?}"))
    }
}

/// A process that runs. Killed where a test gives up.
pub(crate) struct Running {
    child: Child,
    /// The address at which it listens, if it was asked to.
    pub(crate) address: String,
    /// The address at which its workers join, if others start them.
    pub(crate) join: String,
    out: Option<JoinHandle<String>>,
    err: Option<JoinHandle<String>>,
}

impl Running {
    /// Starts the program with these arguments, and gives it `input`.
    pub(crate) fn start(arguments: &[&str], input: &[u8], environment: &[(&str, &str)]) -> Self {
        let mut command = Command::new(crate::PROGRAM);
        command.args(arguments).envs(environment.iter().copied()).env_remove("RUST_BACKTRACE");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        // Whoever does not read it has closed it.
        let _ = child.stdin.take().expect("piped").write_all(input);
        let mut out = child.stdout.take().expect("piped");
        let mut err = BufReader::new(child.stderr.take().expect("piped"));
        let mut first = String::new();
        // What it says of itself before anything happens: a line for each.
        let mut said = |given: bool, before: &str| {
            let mut line = String::new();
            if given {
                err.read_line(&mut line).expect("a line");
                first.push_str(&line);
            }
            line.strip_prefix(before).unwrap_or_default().trim().to_owned()
        };
        let joined = arguments.first() == Some(&"cluster") && arguments.contains(&"--run-key");
        let join = said(joined, "workers join at ");
        let worker = arguments.contains(&"--shard");
        let address = said(arguments.contains(&"--listen") && !worker, "listening on ");
        let read_out = move || {
            let mut text = String::new();
            out.read_to_string(&mut text).expect("UTF-8");
            text
        };
        let read_err = move || {
            err.read_to_string(&mut first).expect("UTF-8");
            first
        };
        let (out, err) = (std::thread::spawn(read_out), std::thread::spawn(read_err));
        Self { child, address, join, out: Some(out), err: Some(err) }
    }

    /// Waits for its end.
    pub(crate) fn end(mut self) -> Ended {
        let code = self.child.wait().expect("waited").code();
        let read = |text: &mut Option<JoinHandle<String>>| text.take().expect("once").join().expect("read");
        Ended { code, out: read(&mut self.out), err: read(&mut self.err) }
    }

    /// Ends it without notice.
    pub(crate) fn kill(&mut self) {
        let _ = self.child.kill();
    }

    /// Whether it has not ended yet.
    pub(crate) fn is_running(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// The number by which the system knows it.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs the program to its end.
pub(crate) fn volery(arguments: &[&str]) -> Ended {
    Running::start(arguments, b"", &[]).end()
}

/// Starts the first with `--listen` and the second with `--connect` to it, and waits for both.
pub(crate) fn session(listening: &[&str], connecting: &[&str]) -> [Ended; 2] {
    let listening = start_listening(listening);
    let connecting = start_connecting(connecting, &listening.address);
    [listening.end(), connecting.end()]
}

/// Starts it with `--listen` on a free port.
pub(crate) fn start_listening(arguments: &[&str]) -> Running {
    let arguments = [arguments, &["--listen", "127.0.0.1:0", "--timeout", "20"]].concat();
    Running::start(&arguments, b"", &[])
}

/// Starts it with `--connect`.
pub(crate) fn start_connecting(arguments: &[&str], address: &str) -> Running {
    Running::start(&[arguments, &["--connect", address, "--timeout", "20"]].concat(), b"", &[])
}

/// `verb` on the statement about `abc`, and what comes after.
pub(crate) fn preimage<'a>(verb: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&[verb], &PREIMAGE[..], more].concat()
}
