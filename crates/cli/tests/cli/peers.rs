//! Peers that disagree, misbehave, cheat, fall silent or die.

use crate::kit::{PREIMAGE, Running, preimage, session, start_connecting, start_listening, volery};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::time::Duration;
use volery::channel::{Channel, Party, Tcp};
use volery::circuit::{Relation, Shape, Statement, Value, Values};
use volery::{Error, F2, Options, System};

const MESSAGE: [&str; 2] = ["--private", "message=text:abc"];
/// Systems whose provers commit to values one by one.
const CORRELATED: [System; 2] = [System::QUICKSILVER, System::WOLVERINE];
const TIMEOUT: Duration = Duration::from_secs(20);

#[test]
fn disagreements_are_named_on_both_sides() {
    let prove = preimage("prove", &MESSAGE);
    let other = preimage("verify", &[]).iter().map(|a| a.replace("length=3", "length=4")).collect::<Vec<_>>();
    let other: Vec<&str> = other.iter().map(String::as_str).collect();
    let prove_vole = preimage("prove", &[MESSAGE[0], MESSAGE[1], "--vole", "softspoken4"]);
    let verify_vole = preimage("verify", &["--vole", "tiny"]);
    let verify_json = preimage("verify", &["--json"]);
    let roles = "start one with `prove` and the other with `verify`";
    for (listening, connecting, what, advice) in [
        (&other[..], &prove[..], "disagree on the statement", "give both sides the same --relation"),
        (&verify_vole, &prove_vole, "disagree on the correlations", "give both the same --vole"),
        (&prove, &prove, "disagree on the roles", roles),
        (&verify_json, &verify_json, "disagree on the roles", roles),
    ] {
        for ended in session(listening, connecting) {
            ended.refused(3, &[what, "here", "there", advice]);
        }
    }
}

#[test]
fn other_versions_are_named() {
    let verifier = start_listening(&preimage("verify", &[]));
    let mut peer = TcpStream::connect(&verifier.address).expect("connected");
    peer.write_all(b"volery\0\0\xff\0\0\0").expect("sent");
    verifier.end().refused(3, &["disagree on the protocol version", "install the same version on both"]);
}

#[test]
fn garbage_is_refused() {
    let strange = "does not speak volery's protocol";
    let cases = [
        (&b"GET / HTTP/1.1\r\nHost: volery\r\n\r\n"[..], strange),
        (&[0xff; 4096], strange),
        (b"volery\0\0\xfe\0\0\0", "disagree on the protocol version"),
        (b"volery", "no peer connected"),
    ];
    // Beside each other, since each waits.
    let refused = |(garbage, why): (&[u8], &str)| {
        // Who does not begin as volery does is no peer: it waits for one until the timeout.
        let verify = preimage("verify", &["--json", "--listen", "127.0.0.1:0", "--timeout", "1"]);
        let verifier = Running::start(&verify, b"", &[]);
        let mut peer = TcpStream::connect(&verifier.address).expect("connected");
        peer.write_all(garbage).expect("sent");
        peer.shutdown(Shutdown::Write).expect("closed");
        let object = verifier.end().refused(3, &[why]).json();
        assert!(object["verdict"].is_null() && object["error"].is_string(), "{object}");
        // Whatever the peer said first, it hears no more than the hello.
        let mut heard = Vec::new();
        let _ = peer.read_to_end(&mut heard);
        assert!(heard.len() <= 12 + 176, "{} bytes", heard.len());
    };
    std::thread::scope(|scope| {
        for case in cases {
            scope.spawn(move || refused(case));
        }
    });
}

#[test]
fn silence_ends_at_the_timeout() {
    let soon = ["--timeout", "1"];
    let nobody = preimage("verify", &["--listen", "127.0.0.1:0", soon[0], soon[1]]);
    // Beside each other, since each waits.
    std::thread::scope(|scope| {
        scope.spawn(|| volery(&nobody).refused(3, &["no peer connected", "1 s (--timeout)"]));
        scope.spawn(|| {
            let verifier = Running::start(&nobody, b"", &[]);
            let _silent = TcpStream::connect(&verifier.address).expect("connected");
            verifier.end().refused(3, &["no peer connected", "--timeout"]);
        });
        let silent = TcpListener::bind("127.0.0.1:0").expect("bound");
        let address = silent.local_addr().expect("an address").to_string();
        let prove = preimage("prove", &[MESSAGE[0], MESSAGE[1], "--connect", &address, soon[0], soon[1]]);
        volery(&prove).refused(3, &["too slow, or silent"]);
        drop(silent);
        volery(&prove).refused(3, &[&address, "start the other side"]);
    });
}

/// The prover dies after the set-up, in the midst of its messages.
#[test]
fn the_death_of_a_peer_is_noticed() {
    let verifier = start_listening(&preimage("verify", &[]));
    let relay = TcpListener::bind("127.0.0.1:0").expect("bound");
    let address = relay.local_addr().expect("an address").to_string();
    let mut prover = start_connecting(&preimage("prove", &MESSAGE), &address);
    let (from, _) = relay.accept().expect("accepted");
    let to = TcpStream::connect(&verifier.address).expect("connected");
    let back = (to.try_clone().expect("a handle"), from.try_clone().expect("a handle"));
    let backward = std::thread::spawn(move || {
        let (mut to, mut from) = back;
        let _ = std::io::copy(&mut to, &mut from);
    });
    std::io::copy(&mut from.take(20_000), &mut &to).expect("relayed");
    prover.kill();
    to.shutdown(Shutdown::Both).expect("closed");
    verifier.end().refused(3, &["the peer closed the link"]);
    assert_eq!(prover.end().code.filter(|code| *code == 0), None);
    backward.join().expect("ended");
}

#[cfg(unix)]
#[test]
fn an_interrupt_closes_the_link_at_once() {
    let peer = TcpListener::bind("127.0.0.1:0").expect("bound");
    let address = peer.local_addr().expect("an address").to_string();
    let prover = start_connecting(&preimage("prove", &[MESSAGE[0], MESSAGE[1], "--json"]), &address);
    let (mut link, _) = peer.accept().expect("accepted");
    let mut hello = [0; 12 + 176];
    link.read_exact(&mut hello).expect("its hello");
    let kill = std::process::Command::new("kill").args(["-INT", &prover.id().to_string()]).status();
    assert!(kill.expect("kill runs").success());
    let mut rest = Vec::new();
    link.read_to_end(&mut rest).expect("closed");
    assert!(rest.is_empty());
    let object = prover.end().refused(130, &["interrupted"]).json();
    assert_eq!((&object["exit_code"], &object["role"]), (&130.into(), &"prover".into()));
}

fn statement(digest: &str) -> Statement {
    let mut public = Values::new();
    let digest = Value::from_number_hex(digest.trim_start_matches("digest=")).expect("digits");
    public.insert("digest", digest).expect("once");
    Statement::new(Relation::open(PREIMAGE[1], None).expect("built in"), public).expect("a statement")
}

/// The statement that `volery` is given, and another with the same gates and a digest that differs in one
/// bit.
fn two_statements() -> (Statement, Statement) {
    (statement(PREIMAGE[3]), statement(&PREIMAGE[3].replace("0xba", "0xbb")))
}

/// Options that claim `claimed`, whatever is run.
fn claiming(system: System, claimed: &Statement) -> Options {
    let shape = Shape::of(claimed).expect("counted");
    Options {
        method: system.into(),
        statement: Some(claimed.digest()),
        size: Some(shape.size()),
        check: false,
        ..Options::default()
    }
}

/// A prover that proves another statement than the one it claims is not believed.
#[test]
fn cheating_provers_are_rejected() {
    let (held, claimed) = two_statements();
    let wrong = PREIMAGE[3].replace("0xba", "0xbb");
    for system in CORRELATED {
        let verify = ["verify", PREIMAGE[0], PREIMAGE[1], "--public", &wrong, "--json"];
        let verifier = start_listening(&[&verify[..], &["--system", system.name()]].concat());
        let mut private = Values::new();
        private.insert("message", Value::from_bytes(b"abc")).expect("once");
        let witness: Vec<F2> = held.witness(private).expect("a witness").bits().collect();
        let link = Tcp::connect(&verifier.address, TIMEOUT).expect("connected");
        let mut channel = Channel::new(Party::Prover, link);
        let proved = volery::prove(held.source(), witness, &mut channel, &claiming(system, &claimed));
        assert!(matches!(proved, Err(Error::Rejected(_))), "{system}: {proved:?}");
        // Until it is closed the verifier waits for it to be.
        drop(channel);
        let object = verifier.end().refused(1, &["rejected"]).json();
        assert_eq!(object["verdict"], "rejected");
    }
}

#[test]
fn provers_hear_that_they_were_rejected() {
    let (claimed, other) = two_statements();
    for system in CORRELATED {
        let listener = TcpListener::bind("127.0.0.1:0").expect("bound");
        let address = listener.local_addr().expect("an address").to_string();
        let prove = preimage("prove", &[MESSAGE[0], MESSAGE[1], "--system", system.name(), "--json"]);
        let prover = start_connecting(&prove, &address);
        let link = Tcp::accept(&listener, TIMEOUT).expect("accepted");
        let mut channel = Channel::new(Party::Verifier, link);
        let verified = volery::verify(other.source(), &mut channel, &claiming(system, &claimed));
        assert!(matches!(verified, Err(Error::Rejected(_))), "{system}: {verified:?}");
        let object = prover.end().refused(1, &["rejected"]).json();
        assert_eq!((&object["verdict"], &object["role"]), (&"rejected".into(), &"prover".into()));
    }
}
