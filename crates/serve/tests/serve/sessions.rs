//! Outcomes of proofs, and of messages that are none.

use crate::kit::{ABC, Folder, Prover, STATEMENTS, TIMEOUT};
use std::io::Write;
use std::net::TcpStream;
use volery::channel::{Channel, Party, SecretKey};
use volery::circuit::Network;
use volery::{Options, prove};
use volery_cli::failure::Fault;

const MESSAGE: (&str, &str) = ("message", "text:abc");

#[test]
fn proofs_are_accepted_and_their_verdicts_listed() {
    let folder = Folder::new(2, STATEMENTS);
    let service = folder.serve();
    let [one, two] = [0, 1].map(|i| Prover::of(&folder, i, &service));
    let first = one.prove_known().expect("accepted");
    let second = two.prove("any", &[("digest", ABC)], MESSAGE).expect("accepted");
    let third = two.prove("linear", &[], ("x", "2,1")).expect("accepted");

    let verdicts = folder.verdicts(&[]);
    let sessions: Vec<_> =
        verdicts.iter().map(|verdict| verdict["session"].as_str().expect("text")).collect();
    assert_eq!(sessions, [&third, &second, &first]);
    let known = &verdicts[2];
    assert_eq!((&known["name"], &known["statement"]), (&"p0".into(), &"known".into()));
    assert_eq!((&known["verdict"], &known["public"]["digest"]), (&"accepted".into(), &ABC.into()));
    assert_eq!(known["peer"], folder.provers[0].identity().to_string());
    assert_eq!(known["digest"], verdicts[1]["digest"], "the same statement by another name");
    assert!(known["statistical_bits"].as_u64() >= Some(100) && known["received"].as_u64() > Some(10_000));
    assert_eq!(folder.verdicts(&["--peer", "p1", "--statement", "linear"]), verdicts[..1]);
    assert_eq!(folder.verdicts(&["--last", "2"]), verdicts[..2]);
    assert_eq!(folder.verdicts(&["--verdict", "rejected"]), [] as [serde_json::Value; 0]);
    assert_eq!(folder.verdicts(&["--since", "2999"]), [] as [serde_json::Value; 0]);

    let csv = folder.results(&["--csv"]);
    let lines: Vec<_> = csv.lines().collect();
    assert_eq!((lines.len(), lines[0].split(',').next()), (4, Some("session")));
    assert!(lines[3].contains(&format!(",\"{{\"\"digest\"\":\"\"{ABC}\"\"}}\",")), "{}", lines[3]);
    let table = folder.results(&[]);
    assert!(
        table.lines().nth(1).is_some_and(|line| line.contains("linear") && line.contains(&third)),
        "{table}"
    );
}

/// A prover of another statement than the one that was agreed on is rejected, and after that refused until it
/// is forgiven.
#[test]
fn rejections_are_kept_and_count() {
    let folder = Folder::new(2, &format!("{STATEMENTS}\n[limits.peer]\nstrikes = 1\n"));
    let service = folder.serve();
    let [prover, other] = [0, 1].map(|i| Prover::of(&folder, i, &service));
    let wrong = ABC.replace("0xba", "0xbb");
    let lies = prover.begin("any", &[("digest", &wrong)]).expect("admitted");
    let id = lies.id.clone();
    let rejected = lies.claim(&[("digest".into(), ABC.into())], MESSAGE).expect_err("rejected");
    assert_eq!(rejected.fault, Fault::Rejected, "{rejected:?}");
    // It was kept before it was told.
    let verdicts = folder.verdicts(&[]);
    assert_eq!((verdicts.len(), &verdicts[0]["verdict"]), (1, &"rejected".into()));
    assert_eq!((&verdicts[0]["session"], &verdicts[0]["statistical_bits"]), (&id.into(), &0.into()));

    let refused = prover.prove_known().expect_err("refused");
    assert!(refused.line.contains("1 sessions of this peer") && refused.fault == Fault::Peer, "{refused:?}");
    other.prove_known().expect("another peer is not concerned");
    folder.results(&["--forgive", &folder.provers[0].identity().to_string()]);
    prover.prove_known().expect("forgiven");
}

/// A prover that leaves after a coin may have seen that it would be rejected; one that leaves before has tried
/// nothing.
#[test]
fn ends_after_a_coin_count() {
    let folder = Folder::new(1, &format!("{STATEMENTS}\n[limits.peer]\nstrikes = 1\n"));
    let service = folder.serve();
    let prover = Prover::of(&folder, 0, &service);
    let x = ("x", "2,1");
    prover.prove("linear", &[], x).expect("accepted");
    let sent = folder.verdicts(&[])[0]["received"].as_u64().expect("bytes") as usize;
    for early in [1, 200] {
        let cut = prover.begin("linear", &[]).expect("admitted").cut(early).prove(x);
        assert_eq!(cut.expect_err("cut").fault, Fault::Peer);
        service.says("the session came to no verdict");
    }
    // All but the last message, the digest of all bytes.
    let cut = prover.begin("linear", &[]).expect("admitted").cut(sent - 32).prove(x);
    assert_eq!(cut.expect_err("cut").fault, Fault::Peer);
    service.says("not accepted");
    assert_eq!(folder.verdicts(&[])[0]["verdict"], "ended");
    assert!(prover.prove_known().is_err_and(|refused| refused.line.contains("ended before their verdict")));
}

/// A prover that waits until the service ends the session, after a coin, has not tried for nothing.
#[test]
fn used_up_time_after_a_coin_counts() {
    let more = format!("{STATEMENTS}\n[limits.peer]\nstrikes = 1\n");
    let folder = Folder::new(1, &more);
    let service = folder.serve();
    let prover = Prover::of(&folder, 0, &service);
    let x = ("x", "2,1");
    prover.prove("linear", &[], x).expect("accepted");
    let sent = folder.verdicts(&[])[0]["received"].as_u64().expect("bytes") as usize;
    folder.write(&format!("{more}[limits]\nseconds = 1\n"));
    service.signal("HUP");
    service.says("the file was read anew");
    let stalled = prover.begin("linear", &[]).expect("admitted").stall(sent - 32).prove(x);
    assert_eq!(stalled.expect_err("cut").fault, Fault::Peer);
    let line = service.says("not accepted");
    assert!(line["why"].as_str().is_some_and(|why| why.contains("has used up its time")), "{line}");
    let verdicts = folder.verdicts(&[]);
    assert_eq!((verdicts.len(), &verdicts[0]["verdict"]), (2, &"ended".into()));
    let refused = prover.begin("known", &[]).err().expect("refused");
    assert!(refused.line.contains("ended before their verdict"), "{}", refused.line);
}

/// Sessions that run may all come to nothing: beside them there are no more tries than may.
#[test]
fn sessions_that_run_are_tries() {
    let limits = "[limits.peer]\nstrikes = 3\nsessions = 8\n";
    let folder = Folder::new(2, &format!("{STATEMENTS}\n{limits}"));
    let service = folder.serve();
    let [prover, other] = [0, 1].map(|i| Prover::of(&folder, i, &service));
    let wrong = ABC.replace("0xba", "0xbb");
    let begin = || prover.begin("any", &[("digest", &wrong)]);
    let held = [begin(), begin(), begin()].map(|held| held.expect("admitted"));
    let busy = begin().err().expect("a fourth try").line;
    assert!(busy.contains("2 sessions") || busy.contains("3 sessions"), "{busy}");
    assert!(busy.contains("that is as many as may: try again in"), "{busy}");
    for lies in held {
        lies.claim(&[("digest".into(), ABC.into())], MESSAGE).expect_err("rejected");
        service.says("not accepted");
    }
    let refused = begin().err().expect("refused").line;
    assert!(refused.contains("3 sessions of this peer within an hour were rejected"), "{refused}");
    other.prove_known().expect("another peer is not concerned");
}

/// The file of a relation that has changed is not proved under the terms of what it was.
#[test]
fn a_relation_that_has_changed_is_refused() {
    let folder = Folder::new(1, "[statement.and]\nrelation = \"and.txt\"\nchoose = [\"out0\"]\n");
    let circuit = folder.folder.path().join("and.txt");
    let write = |gate: &str| std::fs::write(&circuit, format!("1 3\n2 1 1\n1 1\n\n2 1 0 1 2 {gate}\n"));
    write("AND").expect("written");
    let service = folder.serve();
    let prover = Prover::of(&folder, 0, &service);
    let begin = || prover.begin("and", &[("out0", "0b1")]).map(drop);
    begin().expect("admitted");
    write("XOR").expect("written");
    let refused = begin().expect_err("it is another").line;
    assert!(refused.contains("the file of its relation has changed"), "{refused}");
    service.says("the file of a relation has changed: put it back, or have all read anew by SIGHUP");
    service.signal("HUP");
    service.says("the file was read anew");
    begin().expect("admitted under its own terms");
}

/// A database that is deleted takes no verdicts, which is told.
#[test]
fn nothing_is_accepted_without_a_database() {
    let folder = Folder::new(1, STATEMENTS);
    let service = folder.serve();
    let prover = Prover::of(&folder, 0, &service);
    let held = prover.begin("known", &[]).expect("admitted");
    std::fs::remove_file(folder.folder.path().join("verdicts.db")).expect("deleted");
    held.prove(MESSAGE).expect_err("rejected");
    let line = service.says("a verdict was not kept, and its proof is rejected");
    assert!(line["why"].as_str().is_some_and(|why| why.contains("deleted or replaced")), "{line}");
    let refused = prover.prove_known().expect_err("refused").line;
    assert!(refused.contains("its database does not answer"), "{refused}");
}

/// Rejections count where the database takes no verdict.
#[test]
fn rejections_that_are_not_kept_count() {
    let folder = Folder::new(2, &format!("{STATEMENTS}\n[limits.peer]\nstrikes = 1\n"));
    let service = folder.serve();
    let [prover, other] = [0, 1].map(|i| Prover::of(&folder, i, &service));
    let database = rusqlite::Connection::open(folder.folder.path().join("verdicts.db")).expect("a database");
    let full = "CREATE TRIGGER full BEFORE INSERT ON verdicts BEGIN SELECT RAISE(ABORT, 'full'); END";
    database.execute_batch(full).expect("a trigger");
    let wrong = ABC.replace("0xba", "0xbb");
    let lies = prover.begin("any", &[("digest", &wrong)]).expect("admitted");
    let rejected = lies.claim(&[("digest".into(), ABC.into())], MESSAGE).expect_err("rejected");
    assert_eq!(rejected.fault, Fault::Rejected, "{rejected:?}");
    let line = service.says("a verdict was not kept");
    assert!(line["why"].as_str().is_some_and(|why| why.contains("full")), "{line}");
    // The service lets go of the session after it.
    service.says("not accepted");
    database.execute_batch("DROP TRIGGER full").expect("dropped");
    assert!(folder.verdicts(&[]).is_empty());
    let refused = prover.prove_known().expect_err("refused");
    assert!(refused.line.contains("1 sessions of this peer"), "{refused:?}");
    other.prove_known().expect("another peer is not concerned");
}

#[test]
fn refusals_say_why() {
    let folder = Folder::new(1, STATEMENTS);
    let service = folder.serve();
    let prover = Prover::of(&folder, 0, &service);
    let stranger = Prover::new(&folder, &SecretKey::generate().expect("a key"), &service);
    let refused = stranger.connect().err().expect("refused");
    assert!(refused.line.contains("it does not talk to this side"), "{refused:?}");
    for (statement, public, words) in [
        ("age", &[][..], &["no statement `age`", "any, known, linear"][..]),
        ("known", &[("digest", ABC)], &["digest is not for the prover to choose"]),
        ("any", &[], &["the public value digest is missing"]),
        ("any", &[("digest", "0x12")], &["digest is 256 bits wide"]),
        ("any", &[("digest", "@/etc/passwd")], &["digest"]),
        ("any", &[("digest", ABC), ("digest", ABC)], &["digest"]),
    ] {
        let failure = match prover.begin(statement, public) {
            // Two of one name are one in JSON.
            Ok(_) if public.len() == 2 => continue,
            begun => begun.err().expect("refused"),
        };
        assert_eq!(failure.fault, Fault::Usage, "{failure:?}");
        for word in words {
            assert!(failure.line.contains(word), "{word}: {failure:?}");
        }
    }
    assert!(folder.verdicts(&[]).is_empty(), "none of these was a session");
}

#[test]
fn peers_prove_what_they_may() {
    let folder = Folder::new(0, "");
    let keys = [SecretKey::generate().expect("a key"), SecretKey::generate().expect("a key")];
    let mut more = STATEMENTS.to_owned();
    for (key, statements) in keys.iter().zip(["\"known\"", ""]) {
        more += &format!("[[peer]]\nidentity = \"{}\"\nstatements = [{statements}]\n", key.identity());
    }
    folder.write(&more);
    let service = folder.serve();
    let [one, two] = keys.each_ref().map(|key| Prover::new(&folder, key, &service));
    one.prove_known().expect("accepted");
    let hidden = one.begin("any", &[("digest", ABC)]).err().expect("refused");
    assert!(hidden.line.ends_with("there is known"), "{hidden:?}");
    assert!(two.begin("known", &[]).is_err());
}

/// A plain prover, which begins a proof at once, hears that this is a service.
#[test]
fn a_plain_prover_hears_that_this_is_a_service() {
    let folder = Folder::new(1, STATEMENTS);
    let service = folder.serve();
    let link = Prover::of(&folder, 0, &service).connect().expect("connected");
    let network = Network::new(10).expect("a network");
    let witness: Vec<_> = network.witness([1; 32]).collect();
    let proved = prove(&network, witness, &mut Channel::new(Party::Prover, link), &Options::default());
    let failure = volery_cli::failure::Failure::from(proved.expect_err("no proof"));
    assert!(failure.line.contains("volery prove --statement NAME"), "{failure:?}");
}

/// More silent and garbled connections than are heard at once are in nobody's way.
#[test]
fn strangers_disturb_nobody() {
    let folder = Folder::new(1, &format!("{STATEMENTS}\n[limits]\nconnections = 8\n"));
    let service = folder.serve();
    let prover = Prover::of(&folder, 0, &service);
    let mut open = Vec::new();
    for round in 0..4 {
        for i in 0..20 {
            let mut stream = TcpStream::connect(&service.address).expect("connected");
            stream.set_write_timeout(Some(TIMEOUT)).expect("set");
            match i % 4 {
                0 => {}
                1 => drop(stream.write_all(b"GET / HTTP/1.1\r\n\r\n")),
                2 => drop(stream.write_all(&[0x16, 3, 1, 2])),
                _ => drop(stream.write_all(&[0xff; 4096])),
            }
            open.push(stream);
        }
        prover.prove_known().unwrap_or_else(|why| panic!("round {round}: {why:?}"));
    }
    assert_eq!(folder.verdicts(&["--verdict", "accepted"]).len(), 4);
}
