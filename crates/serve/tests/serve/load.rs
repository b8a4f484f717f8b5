//! Many sessions at once, and strangers beside them.

use crate::kit::{Folder, Prover, STATEMENTS};
use socket2::{Domain, Socket, Type};
use std::io::Write;
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::Instant;

/// A connection of a stranger, which comes from another address than provers do, where there is one.
fn from_elsewhere(address: &str) -> Option<TcpStream> {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).ok()?;
    if cfg!(target_os = "linux") {
        socket.bind(&"127.0.0.2:0".parse::<SocketAddr>().expect("an address").into()).ok()?;
    }
    socket.connect(&address.parse::<SocketAddr>().expect("an address").into()).ok()?;
    Some(socket.into())
}

/// Proves `sessions` times, `at_once` at a time, beside so many connections of strangers.
fn loaded(sessions: usize, at_once: usize, strangers: usize) {
    let limits = format!(
        "[limits]\nsessions = {at_once}\nmemory = 8000000000\nconnections = 128\n[limits.peer]\nsessions = {at_once}\n\
         waiting = {at_once}\nsessions_per_hour = 100000\n[metrics]\naddress = \"127.0.0.1:0\"\n"
    );
    let folder = Folder::new(4, &format!("{STATEMENTS}\n{limits}"));
    let service = folder.serve();
    Prover::of(&folder, 0, &service).prove_known().expect("accepted");
    let first = service.peak();
    let (next, ended, waited) = (AtomicUsize::new(0), AtomicBool::new(false), AtomicUsize::new(0));
    let started = Instant::now();
    std::thread::scope(|scope| {
        let garbage = scope.spawn(|| {
            let mut open = Vec::new();
            let mut made = 0;
            while made < strangers && !ended.load(Relaxed) {
                let Some(mut stream) = from_elsewhere(&service.address) else { continue };
                if made % 2 == 0 {
                    let _ = stream.write_all(&[0xff; 100]);
                }
                open.push(stream);
                made += 1;
                if open.len() == 500 {
                    open.clear();
                }
            }
            made
        });
        let provers: Vec<_> = (0..at_once)
            .map(|i| {
                let prover = Prover::of(&folder, i % 4, &service);
                let (next, waited) = (&next, &waited);
                scope.spawn(move || {
                    while next.fetch_add(1, Relaxed) < sessions {
                        // The service may not have seen yet that a session before has ended.
                        while let Err(why) = prover.prove_known() {
                            assert!(why.line.contains("already"), "{why:?}");
                            waited.fetch_add(1, Relaxed);
                        }
                    }
                })
            })
            .collect();
        provers.into_iter().for_each(|prover| prover.join().expect("all are accepted"));
        let seconds = started.elapsed().as_secs_f64();
        if strangers > 1000 {
            // All of them, at whatever pace.
            assert_eq!(garbage.join().expect("no panic"), strangers);
        } else {
            ended.store(true, Relaxed);
            garbage.join().expect("no panic");
        }
        println!("{sessions} sessions, {at_once} at once: {seconds:.1} s, {} refusals", waited.load(Relaxed));
    });
    assert_eq!(folder.verdicts(&["--verdict", "accepted"]).len(), sessions + 1);
    assert!(service.ask("/metrics").contains(&format!("verdict=\"accepted\"}} {}", sessions + 1)));
    if let (Some(first), Some(peak)) = (first, service.peak()) {
        let each = peak.saturating_sub(first) / at_once as u64;
        println!("memory: {first} bytes after one session, {peak} at most, {each} each");
        assert!(each < 20_000_000, "{each} bytes for each session");
    }
}

/// Strangers who sit there leave files for a peer, be those that a process may open even or odd.
#[test]
fn strangers_leave_files_for_a_peer() {
    for files in [64, 65] {
        let folder = Folder::new(1, &format!("{STATEMENTS}\n[limits]\nhandshake_seconds = 3600\n"));
        let service = folder.serve_with_files(files);
        let strangers: Vec<_> = (0..100).filter_map(|_| from_elsewhere(&service.address)).collect();
        assert_eq!(strangers.len(), 100);
        Prover::of(&folder, 0, &service).prove_known().expect("accepted");
        let line = service.says("accepted");
        assert_eq!(line["peer"], folder.provers[0].identity().to_string());
    }
}

#[test]
fn sessions_at_once_are_all_accepted() {
    loaded(24, 6, 200);
}

#[test]
#[ignore = "slow"]
fn a_thousand_sessions_beside_ten_thousand_strangers() {
    loaded(1000, 50, 10_000);
}
