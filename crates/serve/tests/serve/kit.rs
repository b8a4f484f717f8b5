//! A service in a process, and provers in this one.

use serde_json::Value;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;
use tempfile::TempDir;
use volery::channel::{Channel, Identity, Link, Party, Peers, SecretKey, Tcp, Tls, TlsConfig};
use volery::circuit::Written;
use volery::{AnyClaim, Correlations, Options, setting};
use volery_cli::failure::{Failure, Result};
use volery_cli::service::{self, Named, Terms};

/// Longer than any test waits for what is to come.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(60);

/// SHA-256 of `abc`.
pub(crate) const ABC: &str = "0xba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

/// A statement that fixes all, one that leaves the digest to the prover, and one over another field.
pub(crate) const STATEMENTS: &str = "
[statement.known]
relation = \"builtin:sha256-preimage?length=3\"
public.digest = \"0xba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\"

[statement.any]
relation = \"builtin:sha256-preimage?length=3\"
choose = [\"digest\"]

[statement.linear]
relation = \"builtin:linear?rows=1&columns=2\"
field = \"f61\"
public.matrix = \"3,-1\"
public.b = \"5\"
";

/// A folder with the file of a service, its key, and those of its provers.
pub(crate) struct Folder {
    pub(crate) folder: TempDir,
    pub(crate) provers: Vec<SecretKey>,
    service: Identity,
    /// The part of the file before the peers.
    head: String,
}

impl Folder {
    /// A folder of so many provers, `p0`, `p1`, …, with `more` behind the usual keys of the file.
    pub(crate) fn new(provers: usize, more: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let key = SecretKey::generate().expect("a key");
        key.write_new(&folder.path().join("key")).expect("written");
        let provers: Vec<_> = (0..provers).map(|_| SecretKey::generate().expect("a key")).collect();
        for (i, prover) in provers.iter().enumerate() {
            prover.write_new(&folder.path().join(format!("p{i}"))).expect("written");
        }
        let head =
            "address = \"127.0.0.1:0\"\nkey = \"key\"\ndatabase = \"verdicts.db\"\nlog = \"debug\"\n".into();
        let this = Self { folder, provers, service: key.identity(), head };
        this.write(more);
        this
    }

    /// Keeps verdicts at `place` instead.
    #[cfg(feature = "postgres")]
    pub(crate) fn with_database(mut self, place: &str, more: &str) -> Self {
        self.head = self.head.replace("verdicts.db", place);
        self.write(more);
        self
    }

    /// Writes the file anew, with this behind the usual keys.
    pub(crate) fn write(&self, more: &str) {
        let mut text = format!("{}{more}", self.head);
        for (i, prover) in self.provers.iter().enumerate() {
            text += &format!("\n[[peer]]\nname = \"p{i}\"\nidentity = \"{}\"\n", prover.identity());
        }
        std::fs::write(self.config(), text).expect("written");
    }

    pub(crate) fn config(&self) -> PathBuf {
        self.folder.path().join("serve.toml")
    }

    pub(crate) fn identity(&self) -> Identity {
        self.service
    }

    pub(crate) fn serve(&self) -> Service {
        Service::start(Command::new(crate::PROGRAM).arg("serve").arg(self.config()))
    }

    /// A service that may open so many files.
    pub(crate) fn serve_with_files(&self, files: u32) -> Service {
        let mut shell = Command::new("sh");
        shell.args(["-c", "ulimit -n $0 && exec \"$@\"", &files.to_string(), crate::PROGRAM, "serve"]);
        Service::start(shell.arg(self.config()))
    }

    /// The output of `volery results` with these options.
    pub(crate) fn results(&self, options: &[&str]) -> String {
        let database = self.folder.path().join("verdicts.db");
        let mut program = Command::new(crate::PROGRAM);
        let ended = program.arg("results").arg(database).args(options).output().expect("it runs");
        assert!(ended.status.success(), "{ended:?}");
        String::from_utf8(ended.stdout).expect("UTF-8")
    }

    /// The verdicts, the last one first.
    pub(crate) fn verdicts(&self, options: &[&str]) -> Vec<Value> {
        let lines = self.results(&[&["--json"], options].concat());
        lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }
}

/// A service that runs.
pub(crate) struct Service {
    child: Child,
    lines: Receiver<Value>,
    pub(crate) address: String,
    /// The address at which it can be asked how it fares, if anywhere.
    pub(crate) metrics: Option<String>,
}

impl Service {
    fn start(program: &mut Command) -> Self {
        program.env_remove("RUST_BACKTRACE").stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = program.spawn().expect("it starts");
        let err = BufReader::new(child.stderr.take().expect("piped"));
        let (tell, lines) = channel();
        std::thread::spawn(move || {
            for line in err.lines().map_while(|line| line.ok()) {
                let line = serde_json::from_str(&line).unwrap_or(Value::String(line));
                // Read on, whoever listens: it is not to wait for that.
                let _ = tell.send(line);
            }
        });
        let mut this = Self { child, lines, address: String::new(), metrics: None };
        let mut metrics = None;
        let line = this.find(|line| {
            if said(line, "metrics and health") {
                metrics = line["address"].as_str().map(str::to_owned);
            }
            said(line, "listening")
        });
        this.address = line["address"].as_str().expect("an address").into();
        this.metrics = metrics;
        this
    }

    /// The next line of its log that is so.
    #[track_caller]
    pub(crate) fn find(&self, mut which: impl FnMut(&Value) -> bool) -> Value {
        let mut all = Vec::new();
        loop {
            match self.lines.recv_timeout(TIMEOUT) {
                Ok(line) if which(&line) => return line,
                Ok(line) => all.push(line.to_string()),
                Err(why) => panic!("{why}: it said\n{}", all.join("\n")),
            }
        }
    }

    /// The next line that says this.
    #[track_caller]
    pub(crate) fn says(&self, message: &str) -> Value {
        self.find(|line| said(line, message))
    }

    /// `TERM`, `HUP` or `KILL`.
    pub(crate) fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args(["-s", name, &id]).status().expect("kill runs");
        assert!(sent.success());
    }

    pub(crate) fn end(mut self) -> ExitStatus {
        self.child.wait().expect("waited")
    }

    /// The most memory that it has held.
    pub(crate) fn peak(&self) -> Option<u64> {
        self.memory("VmHWM:")
    }

    /// The memory that it holds.
    pub(crate) fn held(&self) -> Option<u64> {
        self.memory("VmRSS:")
    }

    fn memory(&self, key: &str) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix(key))?;
        line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kibibytes| 1024 * kibibytes)
    }

    /// The text at this path of its metrics.
    pub(crate) fn ask(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(self.metrics.as_ref().expect("metrics")).expect("connected");
        write!(stream, "GET {path} HTTP/1.1\r\nHost: here\r\n\r\n").expect("sent");
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("UTF-8");
        text
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn said(line: &Value, message: &str) -> bool {
    line["message"] == message
}

/// One prover of a service.
#[derive(Clone)]
pub(crate) struct Prover {
    tls: TlsConfig,
    address: String,
    /// How long it waits for the service, and tries to reach it.
    patience: Duration,
}

/// A session that the service has admitted.
pub(crate) struct Admitted {
    pub(crate) id: String,
    link: Box<dyn Link>,
    terms: Terms,
}

/// A link that is cut when so many bytes have gone there: at once, or when the service does it.
struct Cut {
    link: Box<dyn Link>,
    left: usize,
    waits: bool,
}

impl Link for Cut {
    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.link.send(bytes)?;
        self.left = self.left.saturating_sub(bytes.len());
        if self.left > 0 {
            return Ok(());
        }
        self.link.flush()?;
        while self.waits && self.link.recv(&mut [0]).is_ok() {}
        Err(io::ErrorKind::BrokenPipe.into())
    }
    fn flush(&mut self) -> io::Result<()> {
        self.link.flush()
    }
    fn recv(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        self.link.recv(bytes)
    }
    fn binding(&self) -> Option<[u8; 32]> {
        self.link.binding()
    }
}

impl Prover {
    /// A prover with this key.
    pub(crate) fn new(folder: &Folder, key: &SecretKey, service: &Service) -> Self {
        let tls = TlsConfig::new(key, Peers::from(folder.identity())).expect("TLS");
        Self { tls, address: service.address.clone(), patience: TIMEOUT }
    }

    /// The `i`-th of `folder`.
    pub(crate) fn of(folder: &Folder, i: usize, service: &Service) -> Self {
        Self::new(folder, &folder.provers[i], service)
    }

    /// Makes the prover wait no longer than this.
    pub(crate) fn within(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    pub(crate) fn connect(&self) -> Result<Tls> {
        let tcp = Tcp::connect(&self.address, self.patience).map_err(Failure::peer)?;
        self.tls.connect(tcp).map_err(Failure::peer)
    }

    /// Comes to terms on `statement`, with these public values.
    pub(crate) fn begin(&self, statement: &str, public: &[(&str, &str)]) -> Result<Admitted> {
        let mut link = self.connect()?;
        let terms = service::ask(&mut link, statement)?;
        let public: Vec<_> =
            public.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
        let id = service::choose(&mut link, &public)?;
        Ok(Admitted {
            id,
            link: Box::new(link),
            terms: Terms { public: [terms.public, public].concat(), ..terms },
        })
    }

    /// Proves `statement`, of which `name` is `value`; the session.
    pub(crate) fn prove(
        &self,
        statement: &str,
        public: &[(&str, &str)],
        private: (&str, &str),
    ) -> Result<String> {
        self.begin(statement, public)?.prove(private)
    }

    /// Proves that it knows what `abc` is the SHA-256 of.
    pub(crate) fn prove_known(&self) -> Result<String> {
        self.prove("known", &[], ("message", "text:abc"))
    }
}

impl Admitted {
    /// The session over a link that is cut when so many bytes of the proof have gone there.
    pub(crate) fn cut(self, left: usize) -> Self {
        Self { link: Box::new(Cut { link: self.link, left, waits: false }), ..self }
    }

    /// The session over a link that is silent from then on, until the service cuts it.
    pub(crate) fn stall(self, left: usize) -> Self {
        Self { link: Box::new(Cut { link: self.link, left, waits: true }), ..self }
    }

    /// Proves with this private value.
    pub(crate) fn prove(self, private: (&str, &str)) -> Result<String> {
        let terms = self.terms.clone();
        self.claim(&terms.public, private)
    }

    /// Claims the statement that was agreed on, and proves the one of these public values.
    pub(crate) fn claim(self, public: &[(String, String)], (name, value): (&str, &str)) -> Result<String> {
        let Self { id, link, terms } = self;
        let digest = claim(&terms, &terms.public, None)?.0;
        let (_, claimed) = claim(&terms, public, Some((name, value)))?;
        let vole = terms.vole.as_ref().expect("correlations");
        let known = setting(&terms.field)?.correlations();
        let correlations: Option<Correlations> = known.into_iter().find(|one| one.name() == vole);
        let options =
            Options { statement: Some(digest), check: false, seed: Some([7; 32]), ..Options::default() };
        let mut channel = Channel::new(Party::Prover, link);
        claimed.expect("a value").prove(&mut channel, &options.with_correlations(correlations))?;
        channel.close()?;
        Ok(id)
    }
}

/// A digest, and a claim where there is one.
type Claim = ([u8; 32], Option<Box<dyn AnyClaim>>);

/// The digest of the statement, and the claim where there is a private value.
fn claim(terms: &Terms, public: &[(String, String)], private: Option<(&str, &str)>) -> Result<Claim> {
    let Named::Builtin(spec) = &terms.relation else { panic!("a file") };
    let mut relation = setting(&terms.field)?.open(spec, None)?;
    for (name, value) in public {
        relation.public().read(name, Written::Text(value.as_bytes()))?;
    }
    let mut statement = relation.state()?;
    let digest = statement.digest();
    let Some((name, value)) = private else { return Ok((digest, None)) };
    statement.private().read(name, Written::Text(value.as_bytes()))?;
    Ok((digest, Some(statement.claim()?)))
}
