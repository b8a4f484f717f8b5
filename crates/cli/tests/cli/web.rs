//! Web proofs by the command line: a web server, a verifier that forwards to it, and a prover.

use crate::kit::*;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, Stream};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::sync::Arc;
use std::thread;

const RESPONSE: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 40\r\n\r\n\
    {\"owner\":\"Alice Ex\",\"balance\":123456789}";

/// Serves `bank.example`, as often as it is asked.
fn server() -> SocketAddr {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../web/tests/certificates");
    let chain =
        ["bank.pem", "between.pem"].map(|name| CertificateDer::from_pem_file(folder.join(name)).unwrap());
    let key = PrivateKeyDer::from_pem_file(folder.join("bank.key")).unwrap();
    let mut config = ServerConfig::builder_with_provider(Arc::new(rustls_graviola::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain.to_vec(), key)
        .unwrap();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for socket in listener.incoming() {
            let mut socket = socket.unwrap();
            let mut connection = ServerConnection::new(config.clone()).unwrap();
            let mut stream = Stream::new(&mut connection, &mut socket);
            let mut request = Vec::new();
            let mut piece = [0; 256];
            while !request.ends_with(b"\r\n\r\n") {
                let Ok(read @ 1..) = stream.read(&mut piece) else { break };
                request.extend(&piece[..read]);
            }
            let _ = stream.write_all(RESPONSE).and_then(|()| stream.flush());
        }
    });
    address
}

/// The authority that certifies it.
fn root() -> String {
    concat!(env!("CARGO_MANIFEST_DIR"), "/../web/tests/certificates/root.pem").into()
}

/// A policy for that server in a folder, with `more` lines.
fn policy(folder: &Path, address: SocketAddr, more: &str) -> String {
    let text = format!(
        "host = \"bank.example\"\naddress = \"{address}\"\nroots = \"{}\"\nrequest = \"GET /balance\"\n\
         fields = [\"cookie?\"]\ntype = \"application/json\"\n{more}",
        root()
    );
    let path = folder.join("balance.toml");
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().into()
}

#[test]
fn a_balance_is_proved() {
    let folder = tempfile::tempdir().unwrap();
    let policy = policy(folder.path(), server(), "");
    let cookie = folder.path().join("cookie.txt");
    std::fs::write(&cookie, "id=s3cr3t\n").unwrap();
    let header = format!("cookie=@{}", cookie.display());
    let root = root();
    let prove = [
        "web", "prove", "--roots", &root, "--policy", &policy, "--header", &header, "--show", "20..40",
        "--json",
    ];
    let verify = ["web", "verify", "--policy", &policy, "--json"];
    // Nobody says yes, and nothing is opened.
    let [verifier, prover] = session(&verify, &prove);
    let prover = prover.refused(2, &["not confirmed", "nothing is opened"]);
    assert!(
        prover.err.contains("cookie: ‹9 hidden›") && prover.err.contains("‹20 hidden›\"balance\":123456789}"),
        "{prover:?}"
    );
    verifier.refused(3, &["waiting for the opening"]);

    let [verifier, prover] = session(&verify, &[&prove[..], &["--yes"]].concat());
    let object = verifier.expect(0).json();
    assert_eq!(object["verdict"], "accepted");
    let web = &object["web"];
    assert_eq!((&web["request"], &web["status"]), (&"GET /balance HTTP/1.1".into(), &200.into()));
    assert_eq!(web["shown"][0]["text"], "\"balance\":123456789}");
    assert_eq!((&web["shown"][0]["at"], &web["hidden"]["request"][0]), (&20.into(), &"cookie".into()));
    assert_eq!((&web["read_as"], &web["host"]), (&"bytes".into(), &"bank.example".into()));
    assert_eq!(web["suite"], "TLS_AES_128_GCM_SHA256");
    assert!(web["certificate_sha256"].as_str().unwrap().len() == 64 && web["opened"].is_u64(), "{web}");
    assert!(!verifier_text(&object).contains("s3cr3t"));
    assert_eq!(prover.expect(0).json()["web"]["body"], web["body"]);
}

/// Values at paths, where strings and digits beside them are hidden.
#[test]
fn values_of_json_are_revealed() {
    let folder = tempfile::tempdir().unwrap();
    let policy = policy(folder.path(), server(), "reveal = [\"$.balance\"]\n");
    // Before any verifier is asked.
    let preview =
        volery(&["web", "prove", "--roots", &root(), "--policy", &policy, "--preview"]).expect(0).out;
    assert!(
        preview.contains("GET /balance HTTP/1.1\n")
            && preview.ends_with("‹10 hidden›,\"balance\":123456789}\n"),
        "{preview}"
    );
    let verify = ["web", "verify", "--policy", &policy, "--json"];
    let [verifier, prover] =
        session(&verify, &["web", "prove", "--roots", &root(), "--policy", &policy, "--yes"]);
    let object = verifier.expect(0).json();
    assert_eq!(object["web"]["revealed"]["$.balance"], "123456789");
    assert_eq!(object["web"]["body"], "{\"owner\":‹10 hidden›,\"balance\":123456789}");
    assert_eq!(object["web"]["read_as"], "json");
    assert!(
        prover.expect(0).out.contains("bank.example: GET /balance HTTP/1.1 → 200: $.balance is 123456789")
    );
    volery(&["web", "prove", "--roots", &root(), "--policy", &policy, "--preview", "--show-all"])
        .refused(2, &["the policy reads the answer as JSON"]);
}

/// A program reads the whole body: what it gives out is shown, and what its path takes is told before anything is opened.
#[test]
fn programs_read_bodies() {
    let (folder, address) = (tempfile::tempdir().unwrap(), server());
    let programs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/programs");
    let of = |name: &str, more: &str| {
        policy(folder.path(), address, &format!("program = \"{programs}/{name}.elf\"\n{more}"))
    };
    let root = root();
    let preview = |policy: &str, more: &[&str]| {
        volery(&[&["web", "prove", "--roots", &root, "--policy", policy, "--preview"], more].concat())
    };
    let mine = of("crc32", "");
    let shown = preview(&mine, &[]).expect(0).out;
    for line in [
        "\n\n‹40 hidden›\n\nand that the program ",
        "… takes it, and gives out 0x",
        ", with exit code 0\nits SHA-256 is ",
        "ANDs: that follows from the 40 bytes of the body, whatever they are\n",
    ] {
        assert!(shown.contains(line), "{shown}");
    }
    preview(&mine, &["--show-all"]).refused(2, &["a program reads the answer"]);
    let verify = ["web", "verify", "--policy", &mine, "--json"];
    let [verifier, prover] =
        session(&verify, &["web", "prove", "--roots", &root, "--policy", &mine, "--yes", "--json"]);
    let web = verifier.expect(0).json()["web"].clone();
    let program = &web["program"];
    assert_eq!(
        (&web["read_as"], &web["body"], &program["exit_code"]),
        (&"program".into(), &"‹40 hidden›".into(), &0.into())
    );
    let output = program["output"].as_str().unwrap();
    assert!(shown.contains(&format!("gives out 0x{output},")) && output.len() == 8, "{shown} {output}");
    assert_eq!(prover.expect(0).json()["web"]["program"], *program);
    // Before anything is opened.
    preview(&of("total", ""), &[]).refused(2, &["exit code 0 of the program, which ended by exit code 1,"]);
    preview(&of("json", ""), &[])
        .refused(2, &["(space+0x34) a branch", "in a web proof both sides have to know it"]);
    preview(&of("crc32", "limits = { cycles = 100 }\n"), &[])
        .refused(2, &["not ended after 100 instructions"]);
}

/// A claim about a value that stays hidden, and one that does not hold.
#[test]
fn claims_are_proved_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let address = server();
    let policy_of = |claim: &str| policy(folder.path(), address, &format!("claims = [\"{claim}\"]\n"));
    let mine = policy_of("$.balance >= 1000.00");
    let verify = ["web", "verify", "--policy", &mine, "--json"];
    let [verifier, prover] =
        session(&verify, &["web", "prove", "--roots", &root(), "--policy", &mine, "--yes", "--json"]);
    let web = verifier.expect(0).json()["web"].clone();
    assert_eq!(
        (&web["claims"][0], &web["body"]),
        (&"$.balance >= 1000.00".into(), &"{\"owner\":‹10 hidden›,\"balance\":‹9 hidden›}".into())
    );
    prover.expect(0);
    let preview = volery(&["web", "prove", "--roots", &root(), "--policy", &mine, "--preview"]).expect(0).out;
    assert!(preview.ends_with("\nand that $.balance >= 1000.00\n"), "{preview}");
    let more = policy_of("$.balance < 5");
    let [_, prover] = session(
        &["web", "verify", "--policy", &more],
        &["web", "prove", "--roots", &root(), "--policy", &more, "--yes"],
    );
    prover.refused(2, &["claim $.balance < 5 does not hold"]);
}

/// A prover's own choice stands apart, and may be refused.
#[test]
fn provers_add_what_they_may() {
    let folder = tempfile::tempdir().unwrap();
    let address = server();
    let policy_of = |choose: &str| policy(folder.path(), address, &format!("choose = {choose}\n"));
    let mine = policy_of("[\"reveal\", \"claims\"]");
    let claim = "$.balance matches \"12[0-9]*\"";
    let root = root();
    let prove =
        ["web", "prove", "--roots", &root, "--policy", &mine, "--reveal", "$.owner", "--claim", claim];
    let preview = volery(&[&prove[..], &["--preview"]].concat()).expect(0).out;
    assert!(
        preview.ends_with(&format!("by the prover's own choice: $.owner is \"Alice Ex\", {claim}\n")),
        "{preview}"
    );
    let verify = ["web", "verify", "--policy", &mine, "--json"];
    let [verifier, prover] = session(&verify, &[&prove[..], &["--yes"]].concat());
    let web = verifier.expect(0).json()["web"].clone();
    let chosen = serde_json::json!({"revealed": {"$.owner": "\"Alice Ex\""}, "claims": [claim]});
    assert_eq!(
        (&web["chosen"], &web["body"]),
        (&chosen, &"{\"owner\":\"Alice Ex\",\"balance\":‹9 hidden›}".into())
    );
    assert!(web["claims"] == serde_json::json!([]) && web["revealed"] == serde_json::json!({}), "{web}");
    assert!(prover.expect(0).out.contains("→ 200: by the prover's own choice: $.owner is"));
    let prove = |policy: &str, more: &[&str]| {
        volery(&[&["web", "prove", "--policy", policy, "--roots", &root, "--preview"], more].concat())
    };
    prove(&mine, &["--claim", "$.balance > 999999999"])
        .refused(2, &["claim $.balance > 999999999 does not hold"]);
    prove(&mine, &["--claim", "$.balance ~ 1"]).refused(2, &["--claim", "is no claim"]);
    prove(&mine, &["--claim", "$.owner matches \"a{999}\""]).refused(2, &["more than 256 states"]);
    prove(&mine, &["--reveal", "owner"]).refused(2, &["--reveal", "is no path"]);
    prove(&mine, &["--show-all"]).refused(2, &["reads the answer as JSON"]);
    let less = policy_of("[\"reveal\"]");
    prove(&less, &["--claim", claim]).refused(2, &["adds claims of its own choice", "`choose` names"]);
}

/// A request that has no policy: what a verifier would see of its answer, and the policy by which it does.
#[test]
fn policies_are_written_of_previews() {
    let folder = tempfile::tempdir().unwrap();
    let (address, root) = (server(), root());
    let path = folder.path().join("new.toml").to_str().unwrap().to_owned();
    let at = address.to_string();
    let claim = "$.owner matches \"[A-Z][a-z]+ [\\\\w]+\"";
    let sketch =
        ["web", "prove", "--url", "https://bank.example/balance", "--address", &at, "--roots", &root];
    let sketch =
        [&sketch[..], &["--header", "cookie=text:id=s3cr3t", "--claim", claim, "--preview"]].concat();
    let preview = volery(&[&sketch[..], &["--write-policy", &path]].concat()).expect(0).out;
    assert!(
        preview.contains("cookie: ‹9 hidden›") && preview.ends_with(&format!("\nand that {claim}\n")),
        "{preview}"
    );
    let policy = [
        "web",
        "prove",
        "--policy",
        &path,
        "--roots",
        &root,
        "--header",
        "cookie=text:id=s3cr3t",
        "--preview",
    ];
    assert_eq!(volery(&policy).expect(0).out, preview);
    let written = std::fs::read_to_string(&path).unwrap();
    assert!(
        written.contains("fields = [\"cookie?\"]\n") && written.contains("type = \"application/json\""),
        "{written}"
    );
    volery(&[&sketch[..], &["--write-policy", &path]].concat()).refused(2, &["give --force to replace it"]);
    volery(&[&sketch[..], &["--write-policy", "-"]].concat()).refused(2, &["give the path of a file"]);
    volery(&[&sketch[..], &["--reveal", "$.name"]].concat()).refused(2, &["no value at $.name"]);
    volery(&[&sketch[..4], &["--connect", "127.0.0.1:1"]].concat())
        .refused(2, &["--url: a proof takes the policy"]);
    volery(&["web", "prove", "--url", "http://bank.example", "--preview", "--roots", &root])
        .refused(2, &["write https://"]);
    volery(&["web", "prove", "--preview"]).refused(2, &["--policy"]);
}

/// Exit code 3, and not 1, for a server that is not there, at the prover, too.
#[test]
fn ends_are_by_fault() {
    let folder = tempfile::tempdir().unwrap();
    let policy = policy(folder.path(), "127.0.0.1:1".parse().unwrap(), "");
    let prove = ["web", "prove", "--roots", &root(), "--policy", &policy, "--yes"];
    let [verifier, prover] = session(&["web", "verify", "--policy", &policy], &prove);
    verifier.refused(3, &["connecting to the server"]);
    prover.refused(3, &["the verifier cannot go on: connecting to the server"]);
}

/// Files that differ are noticed on both sides, before the server is asked.
#[test]
fn other_policies_are_told_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let nobody = "127.0.0.1:1".parse().unwrap();
    let mine = policy(folder.path(), nobody, "");
    let elsewhere = tempfile::tempdir().unwrap();
    let other = policy(elsewhere.path(), nobody, "reveal = [\"$.balance\"]\n");
    let prove = ["web", "prove", "--roots", &root(), "--policy", &other, "--yes"];
    for ended in session(&["web", "verify", "--policy", &mine], &prove) {
        ended.refused(3, &["disagree on the policy", "here", "there", "take the verifier's"]);
    }
}

/// A key in a folder, and its identity.
fn key(folder: &Path, name: &str) -> [String; 2] {
    let path = folder.join(name).to_str().unwrap().to_owned();
    let identity = volery(&["key", "new", "--out", &path]).expect(0).out.trim().to_owned();
    [path, identity]
}

/// A prover keeps the record that a relay signs, and writes a file, which others verify without either.
#[test]
fn files_are_for_others() {
    let folder = tempfile::tempdir().unwrap();
    let policy = policy(folder.path(), server(), "reveal = [\"$.balance\"]\nrecord = \"prover\"\n");
    let [relay, prover] = ["relay", "prover"].map(|name| key(folder.path(), name));
    let file = folder.path().join("balance.proof").to_str().unwrap().to_owned();
    let root = root();
    let prove =
        ["web", "prove", "--roots", &root, "--policy", &policy, "--yes", "--key", &prover[0], "--json"];
    let prove = [&prove[..], &["--peer", &relay[1], "--out", &file]].concat();
    let verify = ["web", "verify", "--policy", &policy, "--key", &relay[0], "--peer", &prover[1], "--json"];
    let [verifier, prover_ended] = session(&verify, &prove);
    let written = prover_ended.expect(0).json();
    let signed = verifier.expect(0).json();
    assert_eq!((&signed["verdict"], &signed["web"]["record"]["prover"]), (&().into(), &(&*prover[1]).into()));
    assert_eq!((&written["verdict"], &written["system"]), (&().into(), &"voleith".into()));
    assert_eq!(written["web"]["record"], signed["web"]["record"]);

    let verified = |relay: &str, policy: &str, file: &str| {
        volery(&["web", "verify", file, "--relay", relay, "--policy", policy, "--json"])
    };
    let object = verified(&relay[1], &policy, &file).expect(0).json();
    let web = &object["web"];
    assert_eq!(
        (&object["verdict"], &web["revealed"]["$.balance"]),
        (&"accepted".into(), &"123456789".into())
    );
    assert_eq!(
        (&web["record"], &web["opened"]),
        (&signed["web"]["record"], &signed["web"]["record"]["opened"])
    );
    assert_eq!(web["body"], "{\"owner\":‹10 hidden›,\"balance\":123456789}");
    let text = volery(&["web", "verify", &file, "--relay", &relay[1], "--policy", &policy]).expect(0).out;
    assert!(text.contains("$.balance is 123456789") && text.contains(&prover[1]), "{text}");

    // Whoever only asks for it on the command line has one, too, which names nobody.
    let unnamed = folder.path().join("unnamed.toml").to_str().unwrap().to_owned();
    std::fs::write(&unnamed, std::fs::read_to_string(&policy).unwrap().replace("record = ", "# ")).unwrap();
    let prove =
        prove.iter().map(|typed| if *typed == policy { &unnamed } else { *typed }).collect::<Vec<_>>();
    let verify = verify.map(|typed| if typed == policy { &unnamed } else { typed });
    let [verifier, prover_ended] =
        session(&[&verify[..], &["--record"]].concat(), &[&prove[..], &["--force"]].concat());
    prover_ended.expect(0);
    assert!(verifier.expect(0).json()["web"]["record"]["prover"].is_null());
    verified(&relay[1], &unnamed, &file).expect(0);
    verified(&relay[1], &policy, &file).refused(1, &["it does not name the prover as the terms have it"]);

    // Nobody believes what it says of itself.
    let shown = volery(&["web", "show", &file]).expect(0).out;
    assert!(
        shown.starts_with("not checked") && shown.contains(&relay[1]) && shown.contains("GET /balance"),
        "{shown}"
    );
    let shown = volery(&["web", "show", &file, "--json"]).expect(0).json();
    assert_eq!((&shown["checked"], &shown["verdict"]), (&false.into(), &().into()));
    verified(&prover[1], &policy, &file).refused(1, &["the relay's record: it is said to be by", &relay[1]]);
    let other = std::fs::read_to_string(&unnamed).unwrap().replace("/balance", "/other");
    let elsewhere = folder.path().join("other.toml").to_str().unwrap().to_owned();
    std::fs::write(&elsewhere, other).unwrap();
    verified(&relay[1], &elsewhere, &file).refused(1, &["of another policy than the one that is given"]);
    let bytes = std::fs::read(&file).unwrap();
    let cut = folder.path().join("cut").to_str().unwrap().to_owned();
    for (length, words) in [
        (0, "it is no file of a web proof"),
        (100, "the file: it ends early"),
        (bytes.len() - 1, "the proof ends too early"),
    ] {
        std::fs::write(&cut, &bytes[..length]).unwrap();
        verified(&relay[1], &unnamed, &cut).refused(1, &[&cut, words]);
    }
    volery(&["web", "show", &cut]).expect(0);

    // A file is written over on purpose alone, and before anybody is asked.
    volery(&[&prove[..], &["--connect", "127.0.0.1:1"]].concat()).refused(2, &["give --force to replace it"]);
    volery(&["web", "verify", &file, "--policy", &policy]).refused(2, &["--relay is missing"]);
    verified("volery1", &policy, &file).refused(2, &["--relay: a letter of this identity is wrong"]);
    verified(&relay[1], &policy, "no-such").refused(2, &["no-such: it cannot be read"]);
    let plain = ["web", "verify", "--policy", &policy, "--listen", "127.0.0.1:0"];
    volery(&plain).refused(2, &["--peer is missing: a record is signed"]);
    let plain =
        ["web", "prove", "--roots", &root, "--policy", &policy, "--out", &cut, "--connect", "127.0.0.1:1"];
    volery(&[&plain[..], &["--force"]].concat()).refused(2, &["--peer is missing: a record is signed"]);
}

fn verifier_text(object: &serde_json::Value) -> String {
    object.to_string()
}

#[test]
fn misuse_is_refused_before_anybody_is_reached() {
    let folder = tempfile::tempdir().unwrap();
    let policy = policy(folder.path(), "127.0.0.1:1".parse().unwrap(), "");
    let prove = |more: &[&str]| {
        volery(&[&["web", "prove", "--policy", &policy, "--connect", "127.0.0.1:1"], more].concat())
    };
    prove(&["--header", "x-user=text:a"]).refused(2, &["the policy has no field x-user"]);
    prove(&["--header", "cookie=text:a\r\nb"]).refused(2, &["ends its line"]);
    prove(&["--header", "cookie"]).refused(2, &["--header: write NAME=VALUE"]);
    prove(&["--show", "5..5"]).refused(2, &["write FROM..TO"]);
    prove(&["--roots", "no-such.pem"]).refused(2, &["--roots: no-such.pem: it cannot be read"]);
    prove(&["--system", "limbo"]).refused(2, &["--system", "quicksilver"]);
    volery(&["web", "verify", "--policy", "no-such.toml", "--listen", "127.0.0.1:0"])
        .refused(2, &["no-such.toml: it cannot be read"]);
    let plain =
        volery(&["web", "verify", "--policy", &policy, "--listen", "127.0.0.1:0", "--insecure-plaintext"]);
    plain.refused(2, &["--insecure-plaintext", "takes a link with keys", "nothing binds the connection"]);
    prove(&["--insecure-plaintext"]).refused(2, &["--insecure-plaintext", "takes a link with keys"]);
    volery(&["web"]).refused(2, &["web prove, web verify and web show"]);
}
