//! Requests beyond a limit are refused in words, and those within go on.

use crate::kit::{Folder, Prover, STATEMENTS};
use volery_cli::failure::Fault;

#[test]
fn sessions_at_once_are_bounded() {
    let limits = "[limits]\nsessions = 2\n[limits.peer]\nsessions = 1\n";
    let folder = Folder::new(3, &format!("{STATEMENTS}\n{limits}"));
    let service = folder.serve();
    let [one, two, three] = [0, 1, 2].map(|i| Prover::of(&folder, i, &service));
    let first = one.begin("known", &[]).expect("admitted");
    let refused = one.begin("known", &[]).err().expect("refused");
    assert!(
        refused.line.contains("1 sessions of this peer") && refused.line.contains("try again in"),
        "{refused:?}"
    );
    assert_eq!(refused.fault, Fault::Peer);
    let second = two.begin("known", &[]).expect("admitted");
    let refused = three.begin("known", &[]).err().expect("refused");
    assert!(refused.line.contains("2 sessions run already"), "{refused:?}");
    for held in [first, second] {
        held.prove(("message", "text:abc")).expect("accepted");
    }
    // The service lets go of a session once it has seen the link close.
    service.says("accepted");
    service.says("accepted");
    while three.prove_known().is_err_and(|refused| refused.line.contains("run already")) {}
    assert_eq!(folder.verdicts(&["--peer", "p2"]).len(), 1);
}

#[test]
fn sessions_of_an_hour_are_bounded() {
    let folder = Folder::new(1, &format!("{STATEMENTS}\n[limits.peer]\nsessions_per_hour = 2\n"));
    let service = folder.serve();
    let prover = Prover::of(&folder, 0, &service);
    prover.prove_known().expect("accepted");
    prover.prove_known().expect("accepted");
    let refused = prover.prove_known().expect_err("refused");
    assert!(refused.line.contains("2 sessions within an hour"), "{refused:?}");
}

/// Values that make no sense cost the service some work, too: they are tries as any others.
#[test]
fn refused_tries_count() {
    let folder = Folder::new(1, &format!("{STATEMENTS}\n[limits.peer]\nsessions_per_hour = 2\n"));
    let service = folder.serve();
    let prover = Prover::of(&folder, 0, &service);
    for words in ["digest is 256 bits wide", "digest is 256 bits wide", "2 sessions within an hour"] {
        let refused = prover.begin("any", &[("digest", "0x12")]).err().expect("refused");
        assert!(refused.line.contains(words), "{refused:?}");
    }
}

/// A session that is silent for too long, or takes longer than it may, is ended.
#[test]
fn silent_sessions_end() {
    let folder = Folder::new(1, &format!("{STATEMENTS}\n[limits]\nsilence_seconds = 1\nseconds = 1\n"));
    let service = folder.serve();
    let prover = Prover::of(&folder, 0, &service);
    let held = prover.begin("known", &[]).expect("admitted");
    let line = service.says("the session came to no verdict");
    assert_eq!(line["session"], held.id);
    let late = held.prove(("message", "text:abc"));
    assert!(late.is_err());
    assert!(folder.verdicts(&[]).is_empty(), "it had not said a word of the proof");
}

/// Links of a peer that are no session are few: some wait, as many are told that these do, and no more is
/// said.
#[test]
fn links_of_a_peer_are_bounded() {
    let folder = Folder::new(2, &format!("{STATEMENTS}\n[limits.peer]\nwaiting = 1\n"));
    let service = folder.serve();
    let [one, two] = [0, 1].map(|i| Prover::of(&folder, i, &service));
    // It has its terms, so that it is known to wait.
    let mut waits = one.connect().expect("connected");
    volery_cli::service::ask(&mut waits, "known").expect("terms");
    let refused = one.begin("known", &[]).err().expect("refused");
    assert!(refused.line.contains("1 links of this peer wait already"), "{refused:?}");
    // Of many at once that say nothing, each is refused or dropped.
    let silent: Vec<_> = (0..8).map(|_| one.connect().expect("connected")).collect();
    let line = service.says("the link ended before a session");
    assert!(line["why"].as_str().is_some_and(|why| why.contains("refused already")), "{line}");
    two.prove_known().expect("another peer is not concerned");
    drop((waits, silent));
}

/// Messages of a peer do not fill the log.
#[test]
fn refusals_are_short() {
    let folder = Folder::new(1, STATEMENTS);
    let service = folder.serve();
    let prover = Prover::of(&folder, 0, &service);
    let long = "x".repeat(60_000);
    let refused = prover.begin(&long, &[]).err().expect("refused");
    assert!(refused.line.contains("64 bytes at most"), "{refused:?}");
    let refused = prover.begin("any", &[(&long, "1")]).err().expect("refused");
    assert!(refused.line.starts_with("the service refuses: xxx") && refused.line.len() < 600, "{refused:?}");
    let line = service.says("a session is refused");
    assert!(line["why"].as_str().is_some_and(|why| why.len() == 512), "{line}");
}
