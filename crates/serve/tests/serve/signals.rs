//! Effects of SIGTERM and SIGHUP.

use crate::kit::{Folder, Prover, STATEMENTS};
use std::process::Command;

/// A session that has begun comes to its end, and no other begins.
#[test]
fn term_drains() {
    let folder = Folder::new(1, &format!("{STATEMENTS}\n[metrics]\naddress = \"127.0.0.1:0\"\n"));
    let service = folder.serve();
    let prover = Prover::of(&folder, 0, &service);
    assert!(service.ask("/health").starts_with("HTTP/1.1 200"));
    let held = prover.begin("known", &[]).expect("admitted");
    // A link that has come to no terms yet is refused.
    let mut link = prover.connect().expect("connected");
    service.signal("TERM");
    service.says("no session begins any more, and those that run come to their end");
    assert!(service.ask("/health").starts_with("HTTP/1.1 503"));
    let refused = volery_cli::service::ask(&mut link, "known")
        .and_then(|_| volery_cli::service::choose(&mut link, &[]))
        .expect_err("refused");
    assert!(refused.line.contains("it goes down"), "{refused:?}");
    // Until it is closed the service waits for it to be.
    drop(link);
    held.prove(("message", "text:abc")).expect("accepted");
    service.says("the last session has ended");
    assert_eq!(service.end().code(), Some(0));
    assert_eq!(folder.verdicts(&[]).len(), 1);
}

#[test]
fn a_second_term_ends_at_once() {
    let folder = Folder::new(1, STATEMENTS);
    let service = folder.serve();
    let _held = Prover::of(&folder, 0, &service).begin("known", &[]).expect("admitted");
    service.signal("TERM");
    service.says("no session begins any more, and those that run come to their end");
    service.signal("TERM");
    assert_eq!(service.end().code(), Some(130));
}

/// A file that takes for ever to read is in nobody's way: here a pipe that nobody writes to.
#[test]
fn term_is_heard_while_the_file_is_read() {
    let folder = Folder::new(1, STATEMENTS);
    let service = folder.serve();
    std::fs::remove_file(folder.config()).expect("removed");
    assert!(Command::new("mkfifo").arg(folder.config()).status().expect("mkfifo runs").success());
    // The third one is dropped: one is read, and one waits.
    (0..3).for_each(|_| service.signal("HUP"));
    Prover::of(&folder, 0, &service).prove_known().expect("accepted");
    service.signal("TERM");
    service.says("the last session has ended");
    assert_eq!(service.end().code(), Some(0));
}

#[test]
fn hup_reads_the_file_anew() {
    let folder = Folder::new(1, STATEMENTS);
    let service = folder.serve();
    let prover = Prover::of(&folder, 0, &service);
    let held = prover.begin("known", &[]).expect("admitted");

    folder.write("nonsense = 1\n");
    service.signal("HUP");
    let line = service.says("the file makes no sense, and all stays as it is");
    assert!(line["why"].as_str().is_some_and(|why| why.contains("serve.toml:5:1: unknown field")), "{line}");
    prover.prove_known().expect("all stays as it is");

    folder.write(&STATEMENTS.replace("statement.known", "statement.other"));
    service.signal("HUP");
    service.says("the file was read anew");
    prover.prove("other", &[], ("message", "text:abc")).expect("accepted");
    assert!(prover.begin("known", &[]).is_err());
    held.prove(("message", "text:abc")).expect("it goes on as it began");
}

/// A link that has its terms, and begins when they hold no more, does not begin.
#[test]
fn hup_holds_for_links_that_are_no_session_yet() {
    let folder = Folder::new(2, STATEMENTS);
    let service = folder.serve();
    let [one, two] = [0, 1].map(|i| Prover::of(&folder, i, &service));
    let mut links = [&one, &one, &one, &two].map(|prover| prover.connect().expect("connected"));
    for (link, name) in links.iter_mut().zip(["known", "any", "linear", "known"]) {
        volery_cli::service::ask(link, name).expect("terms");
    }
    let others = STATEMENTS.replace("statement.any", "statement.other").replace("3,-1", "3,-2");
    folder.write(&others);
    // The second prover is forgotten.
    let text = std::fs::read_to_string(folder.config()).expect("read");
    let at = text.rfind("[[peer]]").expect("two peers");
    std::fs::write(folder.config(), &text[..at]).expect("written");
    service.signal("HUP");
    service.says("the file was read anew");
    let digest = [("digest".to_owned(), crate::kit::ABC.to_owned())];
    let heard = links.iter_mut().zip([&[][..], &digest, &[], &[]]);
    let heard: Vec<_> = heard.map(|(link, public)| volery_cli::service::choose(link, public)).collect();
    let [Ok(_), Err(any), Err(linear), Err(known)] = &heard[..] else { panic!("{heard:?}") };
    for gone in [any, known] {
        assert!(gone.line.contains("may not prove this statement any more"), "{gone:?}");
    }
    assert!(linear.line.contains("its terms have changed since: try again in 1 s"), "{linear:?}");
}
