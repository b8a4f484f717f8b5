//! Whole proofs over a link: a server, a verifier that forwards to it, and a prover.
// Elsewhere there is no cryptography for it.
#![cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]

mod files;
mod kit;
mod programs;

use kit::{RESPONSE, bank, link, policy, roots, run, run_at, server, terms, time};
use std::cell::RefCell;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::ops::Range;
use std::sync::LazyLock;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;
use volery::channel::{Link as _, Pipe, Receiving, Sending, fork};
use volery::{Correlations, Options};
use volery_web::beside::Proving;
use volery_web::client::{Request, fetch};
use volery_web::error::Whose;
use volery_web::freshness::Freshness;
use volery_web::opening::{Choice, HashKeys, Said};
use volery_web::policy::{Choose, Exchange, Policy};
use volery_web::session::{Asking, Terms, Time, prove, verify};
use volery_web::tls::{Expected, Roots, Suite};
use volery_web::tunnel::{Limits, Tunnel, receive_answer, send_opening};
use volery_web::{Error, Form, Opened, Opening, Side, Statement};

const COOKIE: &[(&str, &[u8])] = &[("cookie", b"id=s3cr3t")];

/// The balance alone.
#[allow(clippy::single_range_in_vec_init)]
fn balance(body: &[u8]) -> Vec<Range<usize>> {
    let at = body.windows(9).position(|part| part == b"\"balance\"").unwrap_or(0);
    vec![at..body.len()]
}

static ROOTS: LazyLock<Roots> = LazyLock::new(roots);

fn yes(_: &Exchange) -> bool {
    true
}

fn asking<'a>() -> Asking<'a> {
    Asking {
        roots: &ROOTS,
        words: &[],
        fields: COOKIE,
        choice: Choice::none(),
        show: &balance,
        confirm: &yes,
    }
}

/// A request is made, and its answer proved in part: what is shown arrives, and nothing else.
#[test]
fn a_balance_is_proved() {
    let policy = policy("/balance");
    let address = bank();
    let ended = run(&policy, &policy, &asking(), address);
    let (shown, report) = ended.proved.unwrap();
    let verdict = ended.verified.unwrap();
    assert_eq!((&verdict.seen.exchange, verdict.seen.address), (&shown, address));
    assert!(verdict.seen.closed >= verdict.seen.opened && report.gates.mul > 600_000);
    let text = volery_web::skeleton::text(&verdict.seen.exchange.response.body);
    assert_eq!(text, "‹20 hidden›\"balance\":123456789}");
    let [request, response] = verdict.seen.exchange.heads();
    assert!(
        request.ends_with("\ncookie: ‹9 hidden›") && response.contains("\nset-cookie: ‹12 hidden›"),
        "{request}{response}"
    );
}

/// A claim is proved by the other suite, which the policy has first, and the server takes; a lie about the key of a tag
/// is found by the proof.
#[test]
fn a_claim_is_proved_by_chacha20() {
    let policy = |claims: &[&str]| {
        let suites = vec![Suite::ChaCha20, Suite::Aes128];
        let claims = claims.iter().map(|claim| claim.parse().unwrap()).collect();
        Policy::new(volery_web::policy::Wanted { suites, claims, ..kit::wanted("/balance") }).unwrap()
    };
    let mine = policy(&["$.balance >= 100000000.00"]);
    let ended = run(&mine, &mine, &Asking { show: &|_| vec![], ..asking() }, bank());
    let (verdict, (shown, _)) = (ended.verified.unwrap(), ended.proved.unwrap());
    assert_eq!((verdict.seen.suite, verdict.seen.exchange), (Suite::ChaCha20, shown));
    let [_, verified] = crafted(&policy(&[]), (RESPONSE, &[]), |opening| {
        let HashKeys::Poly1305([_, server]) = &mut opening.hash_keys else {
            panic!("keys of the other suite")
        };
        server[0][0] ^= 1;
    });
    assert!(matches!(verified, Error::Proof(volery::Error::Rejected(_))), "{verified}");
}

/// The prover believes neither the authorities of the policy, whose author relays the connection, nor a key that the
/// policy does not pin: the request is not sent.
#[test]
fn nothing_is_sent_to_a_server_that_is_not_believed() {
    let mine = policy("/balance");
    let ended = |own: &Roots, demanded: &Roots| {
        let mut server = Counted { stream: TcpStream::connect(bank()).unwrap(), sent: vec![] };
        let asking = Asking { roots: own, ..asking() };
        let ended = volery_web::session::preview(&mut server, &terms(&mine, demanded), time, &asking);
        // A hello, and an alert with its ChangeCipherSpec.
        assert!(server.sent.iter().skip(1).sum::<usize>() < 40, "{:?}", server.sent);
        ended.map(drop).unwrap_err().to_string()
    };
    let other = Roots::from_pem(include_bytes!("../certificates/other-root.pem")).unwrap();
    let refused = ended(&other, &ROOTS);
    assert!(refused.contains("invalid peer certificate: UnknownIssuer"), "{refused}");
    let refused = ended(&ROOTS, &other);
    assert!(refused.contains("UnknownIssuer; that is the doing of the server"), "{refused}");
    let refused = ended(&ROOTS, &roots().pinned(vec![[0; 32]]));
    assert!(refused.contains("pin"), "{refused}");
}

/// A connection, with the lengths of what was sent over it.
struct Counted {
    stream: TcpStream,
    sent: Vec<usize>,
}

impl Read for Counted {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        self.stream.read(bytes)
    }
}

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.sent.push(bytes.len());
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.stream.flush()
    }
}

/// The age of an answer is reported, and is not more than the terms allow by the verifier's clock, whatever the prover's
/// says.
#[test]
fn answers_are_as_old_as_they_say() {
    let mine = policy("/balance");
    let head = "Date: Sun, 17 Mar 2030 17:44:40 GMT\r\nAge: 100\r\nSet-Cookie";
    let text = String::from_utf8(RESPONSE.to_vec()).unwrap().replace("Set-Cookie", head);
    let dated = || server(include_bytes!("../certificates/bank.pem"), text.clone().into());
    let verdict = run(&mine, &mine, &asking(), dated()).verified.unwrap();
    let Freshness { date, age } = verdict.seen.freshness;
    assert_eq!((date, age), (Some(1_900_000_000 - 120), Some(100)));
    let late = || Time::since_unix_epoch(Duration::from_secs(1_900_000_400));
    let [proved, verified] = run_at([time, late], &mine, &mine, &asking(), dated()).errors();
    assert!(verified.contains("its Date is 520 s from the clock, and 300 s are allowed"), "{verified}");
    assert!(proved.contains("the verifier refuses"), "{proved}");
}

/// Nothing is opened where something is wrong before; and who refuses says why.
#[test]
fn what_proves_nothing_is_refused() {
    let mine = policy("/balance");
    let with = |response: &str| server(include_bytes!("../certificates/bank.pem"), response.into());
    // The server.
    let text = String::from_utf8(RESPONSE.to_vec()).unwrap();
    for (response, why) in [
        (text.replace("200 OK", "500 Oops"), "status 500"),
        (text.replace("application/json", "text/html"), "not of the type application/json"),
        (text.replace("Content-Type", "Content-Encoding: gzip\r\nContent-Type"), "content-encoding"),
        (
            text.replace("Set-Cookie", "Date: Sun, 17 Mar 2030 17:36:40 GMT\r\nSet-Cookie"),
            "600 s from the clock",
        ),
        (text.replace("Content-Length: 40", "Content-Length: 41"), "ends early"),
    ] {
        let [proved, verified] = run(&mine, &mine, &asking(), with(&response)).errors();
        assert!(proved.contains(why), "{proved}");
        assert!(verified.contains("waiting for the opening"), "{verified}");
    }
    let long = format!("HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n{}", "a".repeat(99_999));
    let [_, verified] = run(&mine, &mine, &asking(), with(&long)).errors();
    assert!(verified.contains("the server sends more than it may"), "{verified}");
    let other = server(include_bytes!("../certificates/other.pem"), RESPONSE.to_vec());
    let [proved, _] = run(&mine, &mine, &asking(), other).errors();
    assert!(proved.starts_with("the session with the server: invalid peer certificate"), "{proved}");
    // The prover does not want to.
    let no = Asking { confirm: &|_| false, ..asking() };
    let [proved, verified] = run(&mine, &mine, &no, bank()).errors();
    assert!(proved.contains("nothing is opened") && verified.contains("waiting for the opening"), "{proved}");
    // The verifier wants something else: both say so before anybody connects to the server.
    let nobody = SocketAddr::from(([127, 0, 0, 1], 1));
    for ended in run(&mine, &policy("/other"), &asking(), nobody).errors() {
        assert!(ended.starts_with("the two sides disagree on the policy: "), "{ended}");
        assert!(ended.contains("the prover has to take the verifier's"), "{ended}");
    }
}

/// Peers that send what is not due, or more than they may, or nothing.
#[test]
fn messages_are_those_that_are_due() {
    let (mine, roots) = (policy("/balance"), roots());
    let greeting = terms(&mine, &roots).greeting();
    let unconnected = |first: &[u8]| {
        let (mut here, there) = link();
        thread::scope(|scope| {
            let verifier = scope.spawn(|| {
                let mut connect =
                    || -> Result<TcpStream, Error> { panic!("connected before the hello had passed") };
                verify(there, &terms(&mine, &roots), time, &options(), &mut connect).map(drop).unwrap_err()
            });
            let head = ((first.len() as u32) << 8).to_le_bytes();
            here.send(&greeting).and_then(|()| here.send(&[1])).and_then(|()| here.send(&head)).unwrap();
            here.send(first).and_then(|()| here.flush()).unwrap();
            here.recv(&mut vec![0; greeting.len()]).unwrap();
            drop(here);
            verifier.join().unwrap()
        })
    };
    let message = |kind: u8, bytes: &[u8]| [&[kind][..], &(bytes.len() as u32).to_be_bytes(), bytes].concat();
    assert!(unconnected(&[]).to_string().contains("waiting for the prover"));
    assert!(unconnected(&message(7, &[])).to_string().contains("not due"));
    assert!(unconnected(&[1, 0, 0, 0x40, 1]).to_string().contains("longer message than it may"));
    for first in [&b""[..], b"GET / HTTP/1.1\r\n\r\n", &[22, 3, 1, 0, 9, 1], &[22, 3, 1, 0, 4, 1, 0, 0, 0]] {
        let refused = unconnected(&message(1, first));
        assert!(matches!(refused, Error::Refused(_)), "{refused}");
    }
    let (mut here, there) = link();
    here.send(b"another protocol").and_then(|()| here.flush()).unwrap();
    let mut connect = || -> Result<TcpStream, Error> { panic!("connected to nobody") };
    let refused = verify(there, &terms(&mine, &roots), time, &options(), &mut connect);
    assert!(refused.map(drop).unwrap_err().to_string().contains("does not speak of web proofs"));
    // A hello for another server, or by other suites.
    let hello = |wanted: volery_web::policy::Wanted| {
        let (here, mut there) = link();
        let (other, roots) = (Policy::new(wanted).unwrap(), kit::roots());
        let theirs = other.clone();
        let prover = thread::spawn(move || {
            let asking = Asking { fields: &[], ..asking() };
            let _ = prove(here, &terms(&other, &roots), time, &options(), &asking);
        });
        let greeting = terms(&theirs, &kit::roots()).greeting();
        there.send(&greeting).and_then(|()| there.flush()).unwrap();
        there.recv(&mut vec![0; greeting.len() + 1]).unwrap();
        let [mut there, _] = fork(Box::new(there)).unwrap();
        let mut head = [0; 5];
        there.recv(&mut head).unwrap();
        let mut hello = vec![0; u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize];
        there.recv(&mut hello).unwrap();
        drop(there);
        prover.join().unwrap();
        hello
    };
    let wanted = || kit::wanted("/");
    let elsewhere = hello(volery_web::policy::Wanted { host: "evil.example".into(), ..wanted() });
    let otherwise = hello(volery_web::policy::Wanted { suites: Suite::ALL.to_vec(), ..wanted() });
    for (hello, why) in [
        (elsewhere, "the name that it asks for is not bank.example"),
        (otherwise, "not those of the policy, in this order: TLS_AES_128_GCM_SHA256"),
    ] {
        let refused = unconnected(&message(1, &hello)).to_string();
        assert!(refused.contains(why), "{refused}");
    }

    // A verifier that says what is not due, refuses, or has recorded something else.
    let answered = |answers: &[Vec<u8>]| {
        let (here, mut there) = link();
        there.send(&greeting).and_then(|()| there.flush()).unwrap();
        let [mut there, _] = fork(Box::new(there)).unwrap();
        answers.iter().for_each(|answer| there.send(answer).unwrap());
        there.flush().unwrap();
        let ended = prove(here, &terms(&mine, &roots), time, &options(), &asking());
        drop(there);
        ended.map(drop).unwrap_err().to_string()
    };
    assert!(answered(&[message(6, &[0; 112])]).contains("not due"));
    assert!(answered(&[vec![2, 0, 4, 0, 1]]).contains("longer message than it may"));
    assert!(
        answered(&[message(4, b"\0no such server\x1b[2J")])
            .contains("the verifier refuses: no such server[2J")
    );
    assert!(answered(&[message(2, &[])]).contains("sends nothing of the server"));
    assert!(answered(&[message(3, &[])]).contains("shaking hands with the server"));
}

/// A claim about a number that stays hidden.
#[test]
fn a_claim_is_proved() {
    let claiming = |claim: &str| {
        let wanted = kit::wanted("/balance");
        let claims = vec![claim.parse().unwrap()];
        volery_web::policy::Policy::new(volery_web::policy::Wanted { claims, ..wanted }).unwrap()
    };
    let mine = claiming("$.balance >= 100000000.00");
    let asking = Asking { show: &|_| vec![], ..asking() };
    let verdict = run(&mine, &mine, &asking, bank()).verified.unwrap();
    assert_eq!(verdict.seen.exchange.claims, ["$.balance >= 100000000.00"]);
    let text = volery_web::skeleton::text(&verdict.seen.exchange.response.body);
    assert_eq!(text, "{\"owner\":‹10 hidden›,\"balance\":‹9 hidden›}");
    let more = claiming("$.balance > 123456789");
    let [proved, _] = run(&more, &more, &asking, bank()).errors();
    assert!(proved.contains("claim $.balance > 123456789 does not hold"), "{proved}");
    let other = claiming("$.owner > 1");
    let [proved, _] = run(&other, &other, &asking, bank()).errors();
    assert!(proved.contains("the value is no number"), "{proved}");
}

/// A prover shows and claims more than it has to, and the verifier knows whose choice that is; where the policy lets it
/// choose nothing, it does not.
#[test]
fn provers_choose_more() {
    let claims = vec!["$.balance >= 1".parse().unwrap()];
    let wanted = volery_web::policy::Wanted { claims, ..kit::wanted("/balance") };
    let choose = Choose { reveal: true, claims: true };
    let mine = Policy::new(volery_web::policy::Wanted { choose, ..wanted.clone() }).unwrap();
    let more = "$.balance matches \"[0-9]{9}\"".to_owned();
    let choice = Choice::new(vec!["$.owner".into()], vec![more.clone()]).unwrap();
    let asking = Asking { show: &|_| vec![], choice: &choice, ..asking() };
    let ended = run(&mine, &mine, &asking, bank());
    let exchange = ended.verified.unwrap().seen.exchange;
    assert_eq!(exchange, ended.proved.unwrap().0);
    assert_eq!(exchange.claims, ["$.balance >= 1"]);
    assert_eq!(exchange.chosen.claims, [more]);
    let shown = &exchange.chosen.revealed[0];
    assert_eq!((&shown.path[..], &shown.text[..], exchange.revealed.len()), ("$.owner", "\"Alice Ex\"", 0));
    // Nothing is opened, or what is opened is refused.
    let strict = Policy::new(wanted).unwrap();
    let [proved, verified] = run(&strict, &strict, &asking, bank()).errors();
    assert!(
        proved.contains("paths of its own choice") && verified.contains("waiting for the opening"),
        "{proved}"
    );
    let [_, verified] = crafted(&strict, (RESPONSE, &[]), |opening| opening.choice = choice.clone());
    assert!(verified.to_string().contains("paths of its own choice"), "{verified}");
}

/// A word of the target stays hidden, and the server reads it.
#[test]
fn words_of_targets_are_hidden() {
    let wanted = volery_web::policy::Wanted { target: "/of/{hidden}?as={hidden}".into(), ..kit::wanted("/") };
    let mine = volery_web::policy::Policy::new(wanted).unwrap();
    let asking = Asking { words: &[b"A-17", b"me"], ..asking() };
    let exchange = run(&mine, &mine, &asking, bank()).verified.unwrap().seen.exchange;
    assert_eq!(exchange.request.head.start, "GET /of/‹4 hidden›?as=‹2 hidden› HTTP/1.1");
    assert_eq!(exchange.hidden()[0], ["target", "cookie"]);
    for words in [&[&b"A-17"[..]][..], &[b"..", b"me"]] {
        let [proved, _] = run(&mine, &mine, &Asking { words, ..asking }, bank()).errors();
        assert!(proved.contains("words of the target") || proved.contains("a hidden word"), "{proved}");
    }
}

/// Values that nobody asks for are hidden with all that is in them. Ranges are for bodies of which
/// nothing else is said.
#[test]
fn values_are_hidden_whole() {
    let body = "{\"owner\":{\"a\":\"\\u0418\\u0432\"},\"b\":\"\\n\"}";
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length";
    let answer = format!("{head}: {}\r\n\r\n{body}", body.len());
    let reveal = vec!["$.b".parse().unwrap()];
    let wanted = volery_web::policy::Wanted { reveal, ..kit::wanted("/balance") };
    let mine = volery_web::policy::Policy::new(wanted).unwrap();
    let preview = |asking: &Asking<'_>| {
        let address = server(include_bytes!("../certificates/bank.pem"), answer.clone().into());
        let mut server = TcpStream::connect(address).unwrap();
        volery_web::session::preview(&mut server, &terms(&mine, &ROOTS), time, asking)
    };
    let nothing = |_: &[u8]| vec![];
    let asking = Asking { show: &nothing, ..asking() };
    let text = volery_web::skeleton::text(&preview(&asking).unwrap().response.body);
    assert_eq!(text, "{\"owner\":‹20 hidden›,\"b\":\"\\n\"}");
    let refused = preview(&Asking { show: &balance, ..asking }).map(drop).unwrap_err().to_string();
    assert!(refused.contains("no body that is read as JSON"), "{refused}");
}

/// A server that sends no more, or is gone, and what of its answer was there before.
#[test]
fn servers_end_as_they_like() {
    let mine = policy("/balance");
    let (bank, text) =
        (include_bytes!("../certificates/bank.pem"), String::from_utf8(RESPONSE.to_vec()).unwrap());
    // It says how long the answer is, and ends its side with that, or goes on to half of it.
    let [_, verified] = run(&mine, &mine, &asking(), server(bank, text[..text.len() - 1].into())).errors();
    assert!(verified.contains("waiting for the opening"), "{verified}");
    let gone = |handle: fn(TcpStream)| {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        thread::spawn(move || handle(listener.accept().unwrap().0));
        run(&mine, &mine, &asking(), address).errors()
    };
    // It closes with a hello that is still to be read, which resets the connection; or takes it and closes in order.
    for handle in [drop as fn(TcpStream), |mut stream| drop(stream.read(&mut [0; 1 << 14]))] {
        let [proved, verified] = gone(handle);
        assert!(proved.contains("the server: ") && !verified.is_empty(), "{proved} {verified}");
    }
}

/// Opens the session with a server that answers by `response` as `craft` makes its opening, with the rest as an honest
/// prover does it, whose program gives out `output`; gives how both sides end.
fn crafted(
    mine: &Policy,
    (response, output): (&'static [u8], &[u8]),
    craft: impl Fn(&mut Opening),
) -> [Error; 2] {
    let (here, there) = link();
    let address = server(include_bytes!("../certificates/bank.pem"), response.to_vec());
    let terms = terms(mine, &ROOTS);
    thread::scope(|scope| {
        let verifier = scope.spawn(move || {
            let mut connect = || TcpStream::connect(address).map_err(Error::io("connecting"));
            verify(there, &terms, time, &Options::default(), &mut connect).map(drop).unwrap_err()
        });
        let [mut here, beside] = terms.begin(here, true).unwrap();
        let proving = Proving::start(beside, &terms, &Options::default()).unwrap();
        let mut tunnel = Tunnel::new(&mut here);
        let (bytes, name, time) = (mine.request(COOKIE).unwrap(), mine.host(), time());
        let (suites, most) = (mine.suites(), terms.limits.down);
        let request = Request { name, suites, own: &ROOTS, demanded: &ROOTS, time, bytes: &bytes, most };
        let fetched = fetch(&request, &mut tunnel, &mut |so_far| so_far.len() == response.len()).unwrap();
        tunnel.close(&fetched.recording).unwrap();
        let expected = Expected { name, suites, roots: &ROOTS, time };
        let opened = Opened::new(&fetched.recording, &fetched.secret, &expected).unwrap();
        let spans = mine.response_spans(&opened.data(Side::Server)).unwrap();
        let mut opening = opened.opening(&mine.request_spans(&opened.data(Side::Client)), &spans);
        opening.output = output.to_vec();
        // A statement has the same gates, and the prover takes those of the truth, which it can go through.
        let state = |opening: &Opening| {
            let (session, form) = (opened.session(), Form::Gates);
            let statement = Statement::new(&fetched.recording, session, opening, form).unwrap();
            match mine.program() {
                Some(program) => statement.of_program(opening, program),
                None => statement,
            }
        };
        let truth = state(&opening);
        craft(&mut opening);
        let statement = state(&opening);
        send_opening(&mut here, &opening).unwrap();
        let digest = terms.digest_with(&statement);
        proving.begin(truth, digest, &fetched.secret);
        let proved = receive_answer(&mut here).and_then(|()| proving.end());
        drop(here);
        [proved.map(drop).unwrap_err(), verifier.join().unwrap()]
    })
}

/// Provers that lie about a session that was fetched in good order: what the policy reads convicts them, or the proof.
#[test]
fn crafted_openings_are_rejected() {
    let mine = policy("/balance");
    let crafted = |craft: &dyn Fn(&mut Opening)| crafted(&mine, (RESPONSE, &[]), craft);
    let shown = |opening: &mut Opening, from: &[u8], to: &[u8]| {
        let parts = opening.client.iter_mut().chain(&mut opening.server);
        for part in parts.flat_map(|planned| planned.parts.iter_mut().flatten()) {
            let Said::Shown(bytes) = &mut part.said else { continue };
            if let Some(at) = bytes.windows(from.len()).position(|window| window == from) {
                bytes[at..at + from.len()].copy_from_slice(to);
            }
        }
    };
    // Another request, and another status.
    for (from, to) in [(&b"/balance"[..], &b"/another"[..]), (b" 200 ", b" 500 ")] {
        let [proved, verified] = crafted(&|opening| shown(opening, from, to));
        assert!(matches!(verified, Error::Unwanted(_)), "{verified}");
        assert!(proved.to_string().contains("the verifier refuses"), "{proved}");
    }
    // The opening of another session, which says the same.
    let other = RefCell::new(None);
    crafted(&|opening| {
        other.replace(Some(opening.clone()));
        shown(opening, b" 200 ", b" 500 ");
    });
    let [proved, verified] = crafted(&|opening| *opening = other.take().unwrap());
    assert!(matches!(&verified, Error::Refused(why) if why.whose == Whose::Prover), "{verified}");
    assert!(proved.to_string().contains("the verifier refuses"), "{proved}");
    // What the policy would take, but is not what was said.
    let [_, verified] = crafted(&|opening| shown(opening, b"200 OK", b"200 No"));
    assert!(matches!(verified, Error::Proof(volery::Error::Rejected(_))), "{verified}");
}

/// A preview shows what a verifier would see, and asks none.
#[test]
fn previews_need_no_verifier() {
    let (mine, roots) = (policy("/balance"), roots());
    let preview = |address: SocketAddr| {
        let mut server = TcpStream::connect(address).unwrap();
        volery_web::session::preview(&mut server, &terms(&mine, &roots), time, &asking())
    };
    let exchange = preview(bank()).unwrap();
    assert_eq!(volery_web::skeleton::text(&exchange.response.body), "‹20 hidden›\"balance\":123456789}");
    let gzip = String::from_utf8(RESPONSE.to_vec())
        .unwrap()
        .replace("Content-Type", "Content-Encoding: gzip\r\nContent-Type");
    let why = preview(server(include_bytes!("../certificates/bank.pem"), gzip.into())).map(drop).unwrap_err();
    assert!(why.to_string().contains("content-encoding"), "{why}");
}

/// Somebody between the two, who changes messages of the tunnel, and a bit in a frame of the prover's set-up, and cuts the
/// link behind some messages: gives their kinds.
fn between(
    prover: Pipe,
    verifier: Pipe,
    (messages, flipped): (usize, Option<usize>),
    change: impl Fn(&mut Vec<u8>) + Sync,
) -> Vec<u8> {
    let [mut from_prover, mut from_verifier] = [prover, verifier].map(|link| Box::new(link).split().unwrap());
    // Both begin.
    let ([mut of_prover, mut of_verifier], [here, there]) =
        ([vec![0; 158], vec![0; 157]], [&mut from_prover, &mut from_verifier]);
    here.receiving.recv(&mut of_prover).and_then(|()| there.sending.send(&of_prover)).unwrap();
    there.receiving.recv(&mut of_verifier).and_then(|()| here.sending.send(&of_verifier)).unwrap();
    there.sending.flush().and_then(|()| here.sending.flush()).unwrap();
    let kinds = Mutex::new(vec![]);
    let passes = |message: &mut Vec<u8>| {
        let mut kinds = kinds.lock().unwrap();
        change(message);
        let passes = kinds.len() < messages;
        if passes {
            kinds.push(message[0]);
        }
        passes
    };
    let (here, there) = (from_prover, from_verifier);
    thread::scope(|scope| {
        let passes = &passes;
        scope.spawn(move || pass(here.receiving, there.sending, flipped, passes));
        scope.spawn(move || pass(there.receiving, here.sending, None, passes));
    });
    kinds.into_inner().unwrap()
}

/// Passes frames of two links on, those of the tunnel message by message, until one does not pass.
fn pass(
    mut from: Box<dyn Receiving>,
    mut to: Box<dyn Sending>,
    flipped: Option<usize>,
    passes: &dyn Fn(&mut Vec<u8>) -> bool,
) -> Option<()> {
    let (mut gathered, mut frames) = (vec![], 0);
    let mut send = |of: u8, bytes: &[u8]| {
        let length = (bytes.len() as u32).to_le_bytes();
        to.send(&[of, length[0], length[1], length[2]])
            .and_then(|()| to.send(bytes))
            .and_then(|()| to.flush())
    };
    loop {
        let mut head = [0; 4];
        from.recv(&mut head).ok()?;
        let [of, length @ ..] = head;
        let mut bytes = vec![0; u32::from_le_bytes([length[0], length[1], length[2], 0]) as usize];
        from.recv(&mut bytes).ok()?;
        if of != 0 {
            if flipped == Some(frames) {
                *bytes.last_mut().unwrap() ^= 1;
            }
            frames += 1;
            send(of, &bytes).ok()?;
            continue;
        }
        gathered.extend(bytes);
        while let Some(length) =
            gathered.get(1..5).map(|length| u32::from_be_bytes(*length.first_chunk().unwrap()))
            && let Some(message) = gathered.get(..5 + length as usize)
        {
            let mut message = message.to_vec();
            gathered.drain(..message.len());
            if !passes(&mut message) {
                return None;
            }
            send(0, &message).ok()?;
        }
    }
}

/// Runs both sides with somebody between them.
fn run_with(messages: usize, change: impl Fn(&mut Vec<u8>) + Send + Sync) -> ([Error; 2], Vec<u8>) {
    run_within(Duration::from_secs(20), (messages, None), change)
}

/// Options by which nothing is measured, so that both sides do the same whenever a test runs.
fn options() -> Options {
    Options::default().with_correlations(Correlations::TINY)
}

/// A whole proof where the connection lasts so long.
fn run_within(
    total: Duration,
    messages: (usize, Option<usize>),
    change: impl Fn(&mut Vec<u8>) + Send + Sync,
) -> ([Error; 2], Vec<u8>) {
    let (mine, roots) = (policy("/balance"), roots());
    let address = bank();
    let ((here, there), (to_verifier, verifiers)) = (link(), link());
    let terms = terms(&mine, &roots);
    let limits = Limits { total, ..terms.limits };
    let terms = &Terms { limits, ..terms };
    thread::scope(|scope| {
        let verifier = scope.spawn(move || {
            let mut connect = || TcpStream::connect(address).map_err(Error::io("connecting"));
            verify(verifiers, terms, time, &options(), &mut connect).map(drop).unwrap_err()
        });
        let between = scope.spawn(move || between(there, to_verifier, messages, change));
        let proved = prove(here, terms, time, &options(), &asking()).map(drop).unwrap_err();
        ([proved, verifier.join().unwrap()], between.join().unwrap())
    })
}

/// A prover that cheats in the set-up is told so, though all else is as it should be, and what the tunnel says is that it
/// has left.
#[test]
fn cheats_in_the_set_up_count() {
    let counts = |flipped| {
        let ([_, verified], kinds) = run_within(Duration::from_secs(20), (100, Some(flipped)), |_| {});
        !kinds.contains(&7) && matches!(verified, Error::Proof(why) if why.counts_against_peer())
    };
    // Of the transfers' messages some are checked before anything is opened, and the others with the proof.
    let found = (0..8).map(counts).filter(|counts| *counts).count();
    assert!(found >= 2, "{found}");
}

/// A link that ends behind any message ends both sides with an error of the link, and before the connection is closed
/// nothing has been opened.
#[test]
fn links_end_anywhere() {
    // Behind six messages at the earliest comes the opening.
    for messages in 0..=6 {
        let ([proved, verified], kinds) = run_with(messages, |_| {});
        let of_link =
            |error: &Error| matches!(error, Error::Io { .. } | Error::Proof(volery::Error::Io { .. }));
        assert!(of_link(&proved) && of_link(&verified), "{messages}: {proved} {verified}");
        assert!(!kinds.contains(&7), "{kinds:?}");
    }
}

/// Certificates are looked at as of when the connection was made, however long both sides waited for each other.
#[test]
fn times_are_those_of_the_connection() {
    static IS_MADE: AtomicBool = AtomicBool::new(false);
    // Before that, certificates are not valid yet.
    let clock =
        || if IS_MADE.load(Ordering::Relaxed) { time() } else { Time::since_unix_epoch(Duration::ZERO) };
    let (mine, roots, address) = (policy("/balance"), roots(), bank());
    let (terms, (here, there)) = (terms(&mine, &roots), link());
    thread::scope(|scope| {
        let verifier = scope.spawn(|| {
            let mut connect = || {
                IS_MADE.store(true, Ordering::Relaxed);
                TcpStream::connect(address).map_err(Error::io("connecting"))
            };
            verify(there, &terms, clock, &Options::default(), &mut connect).map(drop)
        });
        prove(here, &terms, time, &Options::default(), &asking()).map(drop).unwrap();
        verifier.join().unwrap().unwrap();
    });
}

/// A connection ends with its time, however long the prover waits with its close.
#[test]
fn a_connection_ends_in_time() {
    let ([_, verified], kinds) = run_within(Duration::from_millis(400), (100, None), |message| {
        if message[0] == 5 {
            thread::sleep(Duration::from_millis(500));
        }
    });
    assert!(verified.to_string().contains("its time is over"), "{verified}");
    assert!(!kinds.contains(&6), "{kinds:?}");
}

/// A relay that changes what it forwards ends the session with the server: no more is sent, and nothing is opened.
#[test]
fn what_is_forwarded_is_not_changed() {
    for kind in [1, 2] {
        let ([proved, verified], kinds) = run_with(100, |message| {
            if message[0] == kind {
                *message.last_mut().unwrap() ^= 1;
            }
        });
        let of_server = proved.to_string().contains("server") || matches!(proved, Error::Io { .. });
        assert!(of_server && !verified.to_string().is_empty(), "{proved} {verified}");
        assert!(!kinds.contains(&7) && !kinds.contains(&6), "{kinds:?}");
    }
}

/// A verifier that changes its recording is noticed before anything is opened.
#[test]
fn recordings_are_compared() {
    // The length of what the client sent, and the digests of both directions and of their order.
    for place in [5 + 7, 5 + 16, 5 + 48, 5 + 80] {
        let ([proved, _], kinds) = run_with(100, |message| {
            if message[0] == 6 {
                message[place] ^= 1;
            }
        });
        assert!(proved.to_string().contains("the verifier has recorded other bytes"), "{proved}");
        assert!(kinds.contains(&6) && !kinds.contains(&7), "{kinds:?}");
    }
}
