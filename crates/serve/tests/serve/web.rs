//! Web proofs: the service forwards connections to web servers of this process.
// Elsewhere there is no cryptography for it.
#![cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]

use crate::cli::volery;
use crate::kit::{Folder, Prover, STATEMENTS, Service};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, Stream};
use serde_json::Value;
use socket2::SockRef;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};
use volery::Options;
use volery::channel::{Directions, Identity, Link, Sending};
use volery_cli::failure::Failure;
use volery_cli::service::{self, Named};
use volery_web::file::File;
use volery_web::opening::Choice;
use volery_web::roots;
use volery_web::session::{self, Asking, Ends};
use volery_web::tls::Roots;

const RESPONSE: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 40\r\n\r\n\
    {\"owner\":\"Alice Ex\",\"balance\":123456789}";

/// The certificates of the web proofs' own tests.
fn certificates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../web/tests/certificates")
}

/// Has `serve` serve each connection on a thread of its own.
fn listen(serve: impl Fn(TcpStream) + Send + Sync + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("bound");
    let address = listener.local_addr().expect("an address");
    let serve = Arc::new(serve);
    thread::spawn(move || {
        for socket in listener.incoming().map_while(Result::ok) {
            let serve = serve.clone();
            thread::spawn(move || serve(socket));
        }
    });
    address
}

/// A server of `bank.example`, which answers each request so.
fn bank(response: &'static [u8]) -> SocketAddr {
    let chain = ["bank.pem", "between.pem"]
        .map(|name| CertificateDer::from_pem_file(certificates().join(name)).expect("a certificate"));
    let key = PrivateKeyDer::from_pem_file(certificates().join("bank.key")).expect("a key");
    let mut config = ServerConfig::builder_with_provider(Arc::new(rustls_graviola::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(chain.to_vec(), key)
        .expect("a key of the certificate");
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    let config = Arc::new(config);
    listen(move |mut socket| {
        let mut connection = ServerConnection::new(config.clone()).expect("a connection");
        let mut stream = Stream::new(&mut connection, &mut socket);
        let (mut request, mut piece) = (Vec::new(), [0; 256]);
        while !request.ends_with(b"\r\n\r\n") {
            let Ok(read @ 1..) = stream.read(&mut piece) else { return };
            request.extend(&piece[..read]);
        }
        let _ = stream.write_all(response).and_then(|()| stream.flush());
        connection.send_close_notify();
        let _ = connection.write_tls(&mut socket);
        let _ = socket.read(&mut [0; 64]);
    })
}

/// A server that takes up a hello, and resets the connection.
fn resetting() -> SocketAddr {
    listen(|mut socket| {
        let _ = socket.read(&mut [0; 1024]);
        let _ = SockRef::from(&socket).set_linger(Some(Duration::ZERO));
    })
}

/// A server that says nothing.
fn silent() -> SocketAddr {
    listen(|mut socket| while socket.read(&mut [0; 1024]).is_ok_and(|read| read > 0) {})
}

/// The policy for the server at `address`, with `more` lines.
fn policy(address: SocketAddr, more: &str) -> String {
    let root = certificates().join("root.pem");
    format!(
        "host = \"bank.example\"\naddress = \"{address}\"\nroots = \"{}\"\nrequest = \"GET /balance\"\n\
         fields = [\"cookie?\"]\nlimits = {{ up = 16384, down = 32768, seconds = 60, silence = 20 }}\n{more}",
        root.display()
    )
}

const CLAIM: &str = "claims = [\"$.balance >= 1000.00\"]\nreveal = [\"$.balance\"]\n";

/// A prover of web proofs, and its policy.
struct Asks {
    prover: Prover,
    file: File,
    choice: Choice,
    show: fn(&[u8]) -> Vec<Range<usize>>,
}

impl Asks {
    fn new(folder: &Folder, i: usize, service: &Service, policy: &str) -> Self {
        let file = File::parse(policy, &|name| std::fs::read(name)).expect("a policy");
        Self { prover: Prover::of(folder, i, service), file, choice: Choice::default(), show: |_| Vec::new() }
    }

    /// Has the service admit a session about the web proof `name`: the link, and the session.
    fn admitted(&self, name: &str) -> Result<(Box<dyn Link>, String), Failure> {
        let mut link = self.prover.connect()?;
        let terms = service::ask(&mut link, name)?;
        assert!(matches!(&terms.relation, Named::Web { host, .. } if host == "bank.example"), "{terms:?}");
        let id = service::choose(&mut link, &[])?;
        Ok((Box::new(link), id))
    }

    fn asking<'a>(&'a self, roots: &'a Roots) -> Asking<'a> {
        const COOKIE: &[(&str, &[u8])] = &[("cookie", b"id=s3cr3t")];
        Asking {
            roots,
            words: &[],
            fields: COOKIE,
            choice: &self.choice,
            show: &self.show,
            confirm: &|_| true,
        }
    }

    /// Proves the web proof `name`, over a link that `change` may change; the session.
    fn prove(
        &self,
        name: &str,
        change: impl FnOnce(Box<dyn Link>) -> Box<dyn Link>,
    ) -> Result<String, Failure> {
        let (link, id) = self.admitted(name)?;
        let (roots, options) = (own_roots(), Options::default());
        let terms = self.file.terms();
        let proved = session::prove(change(link), &terms, session::now, &options, &self.asking(&roots));
        proved.map(|_| id).map_err(volery_cli::web::failure)
    }

    /// Proves `balance`.
    fn prove_balance(&self) -> Result<String, Failure> {
        self.prove("balance", |link| link)
    }
}

/// The authorities that provers believe.
fn own_roots() -> Roots {
    roots::of_file(&certificates().join("root.pem")).expect("roots")
}

/// A link on which a bit of the opening is flipped; and its sending direction, once it is two.
struct Flipping<L>(L);

impl Link for Flipping<Box<dyn Link>> {
    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.send(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
    fn recv(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        self.0.recv(bytes)
    }
    fn binding(&self) -> Option<[u8; 32]> {
        self.0.binding()
    }
    fn split(self: Box<Self>) -> io::Result<Directions> {
        let directions = self.0.split()?;
        Ok(Directions { sending: Box::new(Flipping(directions.sending)), ..directions })
    }
}

impl Sending for Flipping<Box<dyn Sending>> {
    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut bytes = bytes.to_vec();
        // Behind its kind and its length; frames of the other link do not begin so.
        if let [7, 0, _, _, _, ..] = bytes[..]
            && bytes.len() > 45
        {
            bytes[45] ^= 1;
        }
        self.0.send(&bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
    fn end(&mut self) -> io::Result<()> {
        self.0.end()
    }
    fn abort(&mut self) {
        self.0.abort();
    }
    fn set_timeout(&mut self, timeout: Duration) -> io::Result<()> {
        self.0.set_timeout(timeout)
    }
}

/// The file of a service with the web proof `balance`, and others.
fn file(balance: &str, others: &[(&str, String)], limits: &str) -> String {
    let mut text = format!("[web.balance]\n{balance}");
    for (name, policy) in others {
        text += &format!("[web.{name}]\n{policy}");
    }
    text + limits
}

/// Several at once through one service: one is accepted, others have a server that resets or says nothing, an answer that
/// is not what the policy wants, or other terms. A prover that opens what is not true of its session is rejected, and
/// nobody else has a strike.
#[test]
fn sessions_at_once_end_each_by_its_own() {
    let mine = policy(bank(RESPONSE), &format!("{CLAIM}choose = [\"claims\"]\n"));
    let resets = policy(resetting(), "");
    let says_nothing = policy(silent(), "").replace("silence = 20", "silence = 1");
    let poor = policy(bank(b"HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n"), "");
    let others = [("resets", resets.clone()), ("silent", says_nothing.clone()), ("poor", poor.clone())];
    let limits = "[limits.peer]\nstrikes = 1\n";
    let folder = Folder::new(6, &format!("{STATEMENTS}{}", file(&mine, &others, limits)));
    let service = folder.serve();
    let asks = |i, policy: &str| Asks::new(&folder, i, &service, policy);
    thread::scope(|scope| {
        let mut good = asks(0, &mine);
        let more = "$.owner matches \"[A-Z].*\"";
        good.choice = Choice::new(vec![], vec![more.into()]).expect("a claim");
        let good = scope.spawn(move || good.prove_balance());
        let ends = [
            ("resets", resets, "the server: unexpected end of file"),
            ("silent", says_nothing, "the server is silent"),
            ("poor", poor.clone(), "status 500"),
            ("balance", policy(resetting(), "claims = [\"$.balance >= 1.00\"]\n"), "disagree on the policy"),
        ];
        let mut others = 1..;
        let ends = ends.map(|(name, policy, words)| {
            let asks = asks(others.next().expect("another"), &policy);
            (words, scope.spawn(move || asks.prove(name, |link| link)))
        });
        for (words, ended) in ends {
            let why = ended.join().expect("no panic").expect_err("it is no proof");
            assert!(why.line.contains(words), "{words}: {why:?}");
        }
        let id = good.join().expect("no panic").expect("accepted");
        let verdicts = folder.verdicts(&[]);
        assert_eq!((verdicts.len(), &verdicts[0]["session"]), (1, &id.into()), "{verdicts:?}");
        let (verdict, web) = (&verdicts[0], &verdicts[0]["public"]["web"]);
        assert_eq!((&verdict["verdict"], &verdict["statement"]), (&"accepted".into(), &"balance".into()));
        assert_eq!(
            (&web["revealed"]["$.balance"], &web["host"]),
            (&"123456789".into(), &"bank.example".into())
        );
        assert_eq!(
            (&web["claims"], &web["chosen"]["claims"]),
            (&["$.balance >= 1000.00"].into(), &[more].into())
        );
        assert!(web["address"].is_string() && web["certificate_sha256"].is_string(), "{web}");
        assert!(!verdict.to_string().contains("s3cr3t"), "{verdict}");
    });
    let cheats = asks(5, &mine);
    let refused = cheats.prove("balance", |link| Box::new(Flipping(link)));
    assert!(refused.is_err_and(|why| why.line.contains("the doing of the prover")));
    let line = service.says("not accepted");
    assert_eq!((&line["verdict"], &line["name"]), (&"rejected".into(), &"p5".into()), "{line}");
    let refused = cheats.prove_balance().expect_err("refused");
    assert!(refused.line.contains("1 sessions of this peer within an hour"), "{refused:?}");
    assert_eq!(folder.verdicts(&["--verdict", "rejected"])[0]["public"], serde_json::json!({}));
}

/// The identity of a prover that no record names.
const ANYBODY: Identity = Identity::from_bytes([7; 32]);

/// A service signs records under its own name, and keeps that it did. They are no verdict.
#[test]
fn records_are_signed_and_kept() {
    let mine = policy(bank(RESPONSE), "record = true\n");
    let folder = Folder::new(1, &file(&mine, &[], "[limits.peer]\nstrikes = 1\n"));
    let service = folder.serve();
    let asks = Asks::new(&folder, 0, &service, &mine);
    for _ in 0..2 {
        let (link, id) = asks.admitted("balance").expect("admitted");
        let ends = Ends { relay: folder.identity(), prover: ANYBODY };
        let (roots, terms) = (own_roots(), asks.file.terms());
        let kept = session::keep(link, &terms, session::now, &asks.asking(&roots), ends).expect("a record");
        let record = &kept.record().record;
        assert_eq!((&record.service[..], record.prover), ("balance", None));
        service.says("a record is signed");
        service.says("the prover keeps its record");
        let verdict = &folder.verdicts(&["--verdict", "signed"])[0];
        assert_eq!((&verdict["session"], &verdict["security"]), (&id.into(), &Value::Null));
        let told = &verdict["public"]["web"]["record"];
        assert_eq!(told["relay"], folder.identity().to_string());
        assert_eq!(told["id"].as_str().map(str::len), Some(2 * record.id.len()));
    }
    // A prover that does not say so is known to have it, no later than it has.
    let (link, id) = asks.admitted("balance").expect("admitted");
    let ends = Ends { relay: ANYBODY, prover: ANYBODY };
    let (roots, terms) = (own_roots(), asks.file.terms());
    assert!(session::keep(link, &terms, session::now, &asks.asking(&roots), ends).is_err());
    assert_eq!(folder.verdicts(&["--verdict", "signed"])[0]["session"], id);
    service.says("the prover got its record, and left");
    // What is proved takes its place.
    let id = asks.prove_balance().expect("accepted");
    let verdict = &folder.verdicts(&["--verdict", "accepted"])[0];
    assert_eq!((&verdict["session"], verdict["public"]["web"]["record"].is_object()), (&id.into(), true));
    assert_eq!(folder.verdicts(&[]).len(), 4);
}

/// The command line asks for a web proof by its name, and is told where the name is of another kind of statement.
#[test]
fn volery_proves_to_a_service() {
    let folder = Folder::new(1, "");
    let mine = policy(bank(RESPONSE), CLAIM);
    std::fs::write(folder.folder.path().join("balance.toml"), mine).expect("written");
    folder.write(&format!("{STATEMENTS}[web.balance]\npolicy = \"balance.toml\"\nvole = \"tiny\"\n"));
    let service = folder.serve();
    let (identity, root) = (folder.identity().to_string(), certificates().join("root.pem"));
    let peer = ["--connect", &service.address, "--peer", &identity, "--key", "p0"];
    let web = ["web", "prove", "--policy", "balance.toml", "--roots", root.to_str().expect("UTF-8")];
    let run = |words: &[&str]| {
        let ended = volery(&folder, &[words, &peer].concat());
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        (ended.status.code(), text(ended.stdout), text(ended.stderr))
    };
    let (code, out, err) =
        run(&[&web[..], &["--statement", "balance", "--header", "cookie=text:id=s3cr3t", "--yes", "--json"]]
            .concat());
    assert_eq!(code, Some(0), "{err}");
    assert!(err.contains("the answer of bank.example to GET /balance"), "{err}");
    let proved: Value = serde_json::from_str(&out).expect("JSON");
    let verdict = &folder.verdicts(&[])[0];
    assert_eq!((&verdict["verdict"], &verdict["session"]), (&"accepted".into(), &proved["session"]));
    assert_eq!(proved["vole"], "tiny");
    // The verifier's has more: the address, the times, the digests.
    let kept = &verdict["public"]["web"];
    let same = proved["web"].as_object().expect("an object").iter().all(|(key, value)| kept[key] == *value);
    assert!(same && kept["recording"].is_object(), "{kept}\n{proved}");
    let (code, _, err) = run(&[&web[..], &["--yes"]].concat());
    assert!(code == Some(3) && err.contains("a service wants one to be asked for by its name"), "{err}");
    for (words, line) in [
        (&["prove", "--statement", "balance"][..], "prove it by `volery web prove`"),
        (&[&web[..], &["--statement", "known", "--yes"]].concat(), "prove it by `volery prove`"),
        (&[&web[..], &["--statement", "none", "--yes"]].concat(), "there is any, balance, known, linear"),
        (&[&web[..], &["--statement", "balance", "--vole", "l2"]].concat(), "--vole: the service takes tiny"),
    ] {
        let (code, _, err) = run(words);
        assert!(code == Some(2) && err.contains(line), "{line}: {err}");
    }
}

/// Proves a balance `sessions` times, `at_once` at a time, and looks at memory.
fn loaded(sessions: usize, at_once: usize) {
    let mine = policy(bank(RESPONSE), CLAIM);
    let limits = format!(
        "[limits]\nsessions = {at_once}\nmemory = 8000000000\n[limits.peer]\nsessions = {at_once}\nwaiting = {at_once}\n"
    );
    let folder = Folder::new(4, &file(&mine, &[], &limits));
    let service = folder.serve();
    let (next, started) = (AtomicUsize::new(0), Instant::now());
    let run = |until: usize| {
        thread::scope(|scope| {
            for i in 0..at_once {
                let (asks, next) = (Asks::new(&folder, i % 4, &service, &mine), &next);
                scope.spawn(move || {
                    while next.fetch_add(1, Relaxed) < until {
                        // The service may not have seen yet that a session before has ended.
                        while let Err(why) = asks.prove_balance() {
                            assert!(why.line.contains("already"), "{why:?}");
                        }
                    }
                });
            }
        });
        next.store(until, Relaxed);
        [service.held(), service.peak()].map(Option::unwrap_or_default)
    };
    let [first, early] = run(2 * at_once);
    let [last, late] = run(sessions);
    println!("{sessions} sessions, {at_once} at once: {:.1} s", started.elapsed().as_secs_f64());
    println!(
        "memory: {first} bytes held and {early} at most after {}, {last} and {late} at the end",
        2 * at_once
    );
    assert_eq!(folder.verdicts(&["--verdict", "accepted"]).len(), sessions);
    // What a session leaves behind would be there many times.
    assert!(late < early + early / 2 + (16 << 20), "{early} {late}");
}

#[test]
#[ignore = "slow"]
fn two_hundred_sessions_leave_nothing_behind() {
    loaded(200, 20);
}

/// An answer of JSON with a value in every second byte, which are all hidden: nothing takes more memory. More of it is
/// shown than is kept.
#[test]
#[ignore = "slow"]
fn memory_is_as_foretold() {
    let body = format!("[1{}]", ",1".repeat(1 << 20));
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    let response = [head, body].concat().into_bytes().leak();
    let mine = policy(bank(response), "reveal = [\"$[0]\"]\n");
    let mine = mine.replace("down = 32768", "down = 2200000");
    let folder = Folder::new(1, &file(&mine, &[], ""));
    let service = folder.serve();
    let before = service.peak().unwrap_or_default();
    let asks = Asks::new(&folder, 0, &service, &mine);
    let refused = asks.prove_balance().expect_err("refused");
    assert!(refused.line.contains("more than the 1048576 bytes that are kept"), "{refused:?}");
    let held = service.peak().unwrap_or_default() - before;
    let foretold = asks.file.terms().most_memory();
    println!("{held} bytes, of {foretold} that are foretold beside the proof");
    assert!(held <= foretold, "{held} {foretold}");
    assert!(folder.verdicts(&[]).is_empty());
}
