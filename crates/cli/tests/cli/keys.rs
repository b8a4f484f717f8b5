//! Keys, links between peers that are known, and strangers on the way.

use crate::kit::*;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The private value of the statement about `abc`.
const MESSAGE: [&str; 2] = ["--private", "message=text:abc"];

/// Keys in a folder, and who has them.
struct Keys {
    folder: TempDir,
    identities: Vec<String>,
}

impl Keys {
    fn new(count: usize) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let make = |i: usize| {
            let path = folder.path().join(i.to_string());
            let made = volery(&["key", "new", "--out", path.to_str().expect("UTF-8")]).expect(0);
            assert!(made.err.contains("keep it to yourself"), "{made:?}");
            made.out.trim_end().to_owned()
        };
        let identities = (0..count).map(make).collect();
        Self { folder, identities }
    }

    fn path(&self, i: usize) -> String {
        self.file(&i.to_string()).to_str().expect("UTF-8").into()
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

/// `verb` on the statement about `abc`, by this key and to this peer.
fn party(verb: &str, key: &str, peer: &str, more: &[&str]) -> Vec<String> {
    let own: &[&str] = if verb == "prove" { &MESSAGE } else { &[] };
    let line = [&preimage(verb, own)[..], &["--key", key, "--peer", peer], more].concat();
    line.into_iter().map(str::to_owned).collect()
}

fn borrowed(line: &[String]) -> Vec<&str> {
    line.iter().map(String::as_str).collect()
}

#[test]
fn keys_are_made_once_and_shown() {
    let home = tempfile::tempdir().expect("a folder");
    let home = [("XDG_CONFIG_HOME", home.path().to_str().expect("UTF-8"))];
    let run = |arguments: &[&str]| Running::start(arguments, b"", &home).end();
    run(&["key", "show"]).refused(2, &["there is no key", "volery key new"]);
    let made = run(&["key", "new"]).expect(0);
    let identity = made.out.trim_end();
    assert!(identity.starts_with("volery1") && identity.len() == 65, "{identity}");
    assert_eq!(run(&["key", "show"]).expect(0).out, made.out);
    let object = run(&["key", "show", "--json"]).expect(0).json();
    let file = Path::new(home[0].1).join("volery/key");
    assert_eq!((&object["identity"], &object["file"]), (&identity.into(), &file.to_str().into()));
    run(&["key", "new"]).refused(2, &["there is a file", "key show", "--out"]);
    assert_eq!(run(&["key", "show"]).expect(0).out, made.out);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &Path| path.metadata().expect("there").permissions().mode() & 0o777;
        assert_eq!((mode(&file), mode(file.parent().expect("a folder"))), (0o600, 0o700));
        std::fs::set_permissions(&file, PermissionsExt::from_mode(0o644)).expect("its owner's");
        run(&["key", "show"]).refused(2, &["others on this machine may read", "chmod 600"]);
    }
    std::fs::remove_file(&file).expect("removed");
    std::fs::write(&file, "no key").expect("written");
    run(&["key"]).refused(2, &["key new and key show"]);
    run(&["key", "old"]).refused(2, &["key new and key show"]);
}

#[test]
fn known_peers_prove_whoever_listens() {
    let keys = Keys::new(2);
    let [one, two] = [0, 1].map(|i| &*keys.identities[i]);
    let names = keys.file("names");
    std::fs::write(&names, format!("# of the bank\n{one} Bob  of the bank\n")).expect("written");
    let pinned = ["--peers", names.to_str().expect("UTF-8"), "--json"];
    let path = keys.path(1);
    let verify = [&preimage("verify", &["--key", &path])[..], &pinned].concat();
    let prove = party("prove", &keys.path(0), two, &["--json"]);
    let [verified, proved] = session(&verify, &borrowed(&prove)).map(|ended| ended.expect(0).json());
    assert_eq!(verified["peer"]["identity"], one);
    assert_eq!(verified["peer"]["name"], "Bob  of the bank");
    assert_eq!((&proved["peer"]["identity"], &proved["peer"]["name"]), (&two.into(), &().into()));
    assert_eq!((&proved["link"], &verified["link"]), (&"tls".into(), &"tls".into()));

    let prove = party("prove", &keys.path(0), two, &[]);
    let verify = party("verify", &keys.path(1), one, &[]);
    let [proved, verified] = session(&borrowed(&prove), &borrowed(&verify)).map(|ended| ended.expect(0));
    assert!(proved.out.contains(two) && verified.out.contains(one), "{proved:?} {verified:?}");

    let [verified, _] = session(&preimage("verify", &["--json"]), &preimage("prove", &MESSAGE));
    let object = verified.expect(0).json();
    assert_eq!((&object["link"], &object["peer"]), (&"tcp".into(), &().into()));
}

#[test]
fn other_keys_are_refused_by_name() {
    let keys = Keys::new(3);
    let [one, two, three] = [0, 1, 2].map(|i| &*keys.identities[i]);
    // The verifier pins another: it goes on listening, and the one that it pins comes.
    let verify = party("verify", &keys.path(1), one, &[]);
    let verifier = start_listening(&borrowed(&verify));
    let stranger = party("prove", &keys.path(2), two, &["--json"]);
    let refused = start_connecting(&borrowed(&stranger), &verifier.address).end().refused(3, &[three]);
    assert!(refused.json()["verdict"].is_null());
    let prove = party("prove", &keys.path(0), two, &[]);
    start_connecting(&borrowed(&prove), &verifier.address).end().expect(0);
    let verified = verifier.end().expect(0);
    assert!(verified.err.contains(three) && verified.err.contains("still listening"), "{verified:?}");
    // The prover does: nothing of the statement is sent.
    let verifier = start_listening(&borrowed(&verify));
    let prove = party("prove", &keys.path(0), three, &[]);
    start_connecting(&borrowed(&prove), &verifier.address).end().refused(3, &[two, three, "pinned"]);
    // One side in plain TCP.
    let plain = start_connecting(&preimage("prove", &MESSAGE), &verifier.address).end();
    plain.refused(3, &[]);
    let plainly = start_listening(&preimage("verify", &[]));
    let prove = party("prove", &keys.path(0), two, &["--timeout", "1"]);
    let with_tls = borrowed(&prove);
    let ended = Running::start(&[&with_tls[..], &["--connect", &plainly.address]].concat(), b"", &[]).end();
    ended.refused(3, &["--peer"]);
}

#[test]
fn what_is_typed_wrongly_is_explained() {
    let keys = Keys::new(2);
    let (path, peer) = (keys.path(0), &*keys.identities[1]);
    let listen = ["--listen", "127.0.0.1:0"];
    let run = |more: &[&str]| volery(&[&preimage("verify", &listen)[..], more].concat());
    let wrong = format!("{}q", &peer[..peer.len() - 1]);
    let other = format!("{}p", &peer[..peer.len() - 1]);
    let wrong = if wrong == peer { &other } else { &wrong };
    run(&["--key", &path, "--peer", wrong])
        .refused(2, &["--peer volery1", "a letter of this identity is wrong"]);
    run(&["--key", &path, "--peer", "bob"]).refused(2, &["--peer bob", "begins with volery1"]);
    run(&["--key", &path, "--peer", &path]).refused(2, &["is a file", "--peers"]);
    run(&["--key", &path]).refused(2, &["--key", "--peer"]);
    run(&["--key", "/no/key", "--peer", peer]).refused(2, &["/no/key", "there is no key", "key new --out"]);
    run(&["--key", &path, "--peer", peer, "--insecure-plaintext"]).refused(2, &["exclude each other"]);
    let file = keys.file("peers");
    let named = ["--key", &*path, "--peers", file.to_str().expect("UTF-8")];
    run(&named).refused(2, &["--peers", "cannot be read"]);
    std::fs::write(&file, "# nobody\n").expect("written");
    run(&named).refused(2, &["names nobody"]);
    std::fs::write(&file, format!("{peer}\n\nbob")).expect("written");
    run(&named).refused(2, &["line 3", "begins with volery1"]);
    std::fs::write(&file, "-----BEGIN PRIVATE KEY-----\nMC4=\n-----END PRIVATE KEY-----\n").expect("written");
    let key = file.to_str().expect("UTF-8");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&file, PermissionsExt::from_mode(0o600)).expect("its owner's");
    }
    run(&["--key", key, "--peer", peer]).refused(2, &["no Ed25519 private key"]);
    let out = ["--out", "proof", "--peer", peer];
    volery(&[&preimage("prove", &MESSAGE)[..], &out].concat()).refused(2, &["exclude each other"]);
}

/// A port scan, a health check, and a silent one do not end what listens.
#[test]
fn strangers_do_not_end_a_verifier() {
    let verifier = start_listening(&preimage("verify", &[]));
    let _silent = TcpStream::connect(&verifier.address).expect("connected");
    drop(TcpStream::connect(&verifier.address).expect("connected"));
    let mut check = TcpStream::connect(&verifier.address).expect("connected");
    check.write_all(b"GET /health HTTP/1.1\r\n\r\n").expect("sent");
    check.shutdown(Shutdown::Write).expect("closed");
    assert_eq!(check.read(&mut [0; 1]).unwrap_or(0), 0);
    start_connecting(&preimage("prove", &MESSAGE), &verifier.address).end().expect(0);
    let verified = verifier.end().expect(0);
    assert!(verified.err.contains("still listening"), "{verified:?}");
}

/// All bytes that cross between two known parties, in either direction: nothing of the statement is there.
#[test]
fn nothing_of_the_statement_crosses_in_the_clear() {
    let keys = Keys::new(2);
    let [one, two] = [0, 1].map(|i| &*keys.identities[i]);
    let verifier = start_listening(&borrowed(&party("verify", &keys.path(1), one, &[])));
    let relay = TcpListener::bind("127.0.0.1:0").expect("bound");
    let address = relay.local_addr().expect("an address").to_string();
    let prover = start_connecting(&borrowed(&party("prove", &keys.path(0), two, &["--json"])), &address);
    let (near, _) = relay.accept().expect("accepted");
    let far = TcpStream::connect(&verifier.address).expect("connected");
    let pump = |mut from: TcpStream, mut to: TcpStream| {
        std::thread::spawn(move || {
            let (mut all, mut bytes) = (Vec::new(), vec![0; 1 << 16]);
            while let Ok(length @ 1..) = from.read(&mut bytes) {
                all.extend_from_slice(&bytes[..length]);
                if to.write_all(&bytes[..length]).is_err() {
                    break;
                }
            }
            let _ = to.shutdown(Shutdown::Write);
            all
        })
    };
    let there = pump(near.try_clone().expect("cloned"), far.try_clone().expect("cloned"));
    let back = pump(far, near);
    let proved = prover.end().expect(0).json();
    verifier.end().expect(0);
    let digest: String = proved["statement"].as_str().expect("a digest").into();
    let digest: Vec<u8> =
        (0..32).map(|i| u8::from_str_radix(&digest[2 * i..2 * i + 2], 16).expect("hexadecimal")).collect();
    for all in [there.join().expect("pumped"), back.join().expect("pumped")] {
        assert!(all.len() > 4000);
        let has = |part: &[u8]| all.windows(part.len()).any(|window| window == part);
        assert!(!has(&digest[..8]) && !has(b"quicksilver") && !has(b"volery\0\0") && !has(b"prover"));
        // The group in both hellos.
        assert!(has(&[0x11, 0xec]), "X25519MLKEM768");
    }
}

/// Two networks of their own and a wire between them, where that is allowed: an address beyond loopback is
/// refused without keys, and reached with them.
#[test]
#[ignore = "slow"]
fn two_network_namespaces() {
    let run = |line: &str| {
        let mut words = line.split(' ');
        let mut command = std::process::Command::new(words.next().expect("a program"));
        command.args(words).output().is_ok_and(|output| output.status.success())
    };
    let [a, b] = ["a", "b"].map(|side| format!("volery-{}-{side}", std::process::id()));
    if !run(&format!("ip netns add {a}")) {
        println!("SKIPPED: no network namespace can be made here");
        return;
    }
    let [near, far] = ["near", "far"].map(|end| format!("v{}{end}", std::process::id() % 100_000));
    let made = [
        format!("ip netns add {b}"),
        format!("ip link add {near} netns {a} type veth peer name {far} netns {b}"),
        format!("ip netns exec {a} ip address add 192.0.2.1/30 dev {near}"),
        format!("ip netns exec {b} ip address add 192.0.2.2/30 dev {far}"),
        format!("ip netns exec {a} ip link set {near} up"),
        format!("ip netns exec {b} ip link set {far} up"),
    ];
    let made = made.iter().all(|line| run(line));
    let inside = |namespace: &str, line: &[&str]| {
        let line = [&["netns", "exec", namespace, crate::PROGRAM], line].concat();
        let mut command = std::process::Command::new("ip");
        command.args(line).spawn().expect("it starts")
    };
    let keys = Keys::new(2);
    let [one, two] = [0, 1].map(|i| &*keys.identities[i]);
    let listen = ["--listen", "192.0.2.2:7777", "--timeout", "20"];
    let connect = ["--connect", "192.0.2.2:7777", "--timeout", "20"];
    let code = |mut child: std::process::Child| child.wait().expect("waited").code();
    let codes = made.then(|| {
        let without = code(inside(&b, &[&preimage("verify", &[])[..], &listen].concat()));
        let (verify, prove) =
            (party("verify", &keys.path(1), one, &[]), party("prove", &keys.path(0), two, &[]));
        let verifier = inside(&b, &[&borrowed(&verify)[..], &listen].concat());
        let prover = code(inside(&a, &[&borrowed(&prove)[..], &connect].concat()));
        [without, prover, code(verifier)]
    });
    // The wire goes with them.
    for namespace in [a, b] {
        run(&format!("ip netns delete {namespace}"));
    }
    assert_eq!(codes, Some([Some(2), Some(0), Some(0)]));
}
