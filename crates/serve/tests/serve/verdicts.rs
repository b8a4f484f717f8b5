//! No verdict is told that is not kept, whenever the process dies.

use crate::kit::{Folder, Prover, STATEMENTS};
use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::mpsc::channel;
use std::time::Duration;

/// Provers at once.
const PROVERS: usize = 3;

/// Kills the service `kills` times while provers prove to it one proof after the other.
fn killed(kills: u64) {
    let limits = "[limits.peer]\nsessions_per_hour = 100000\nstrikes = 100000\n";
    let folder = Folder::new(PROVERS, &format!("{STATEMENTS}\n{limits}"));
    let told = Mutex::new(HashSet::new());
    // A fixed sequence of moments.
    let mut state = 1u64;
    for _ in 0..kills {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let service = folder.serve();
        let (tell, accepted) = channel();
        std::thread::scope(|scope| {
            for i in 0..PROVERS {
                // Whoever comes when the service is gone tries to reach it for so long.
                let prover = Prover::of(&folder, i, &service).within(Duration::from_secs(20));
                let (tell, told) = (tell.clone(), &told);
                scope.spawn(move || {
                    // Until the service is gone.
                    while let Ok(session) = prover.prove_known() {
                        assert!(told.lock().expect("no panic").insert(session), "a session was told twice");
                        let _ = tell.send(());
                    }
                });
            }
            drop(tell);
            accepted.recv_timeout(crate::kit::TIMEOUT).expect("a first verdict");
            std::thread::park_timeout(Duration::from_micros((state >> 33) % 30_000));
            service.signal("KILL");
        });
        assert!(!service.end().success());
    }
    let kept: Vec<_> = folder.verdicts(&["--verdict", "accepted"]);
    let kept: Vec<_> = kept.iter().map(|verdict| verdict["session"].as_str().expect("text")).collect();
    let sessions: HashSet<_> = kept.iter().copied().collect();
    assert_eq!(kept.len(), sessions.len(), "kept twice");
    let told = told.into_inner().expect("no panic");
    assert!(told.len() as u64 >= kills);
    let lost: Vec<_> = told.iter().filter(|session| !sessions.contains(session.as_str())).collect();
    assert!(lost.is_empty(), "told, and not kept: {lost:?}");
    println!("{kills} kills: {} verdicts told, {} kept", told.len(), kept.len());
}

#[test]
fn verdicts_outlive_kills() {
    killed(4);
}

#[test]
#[ignore = "slow"]
fn verdicts_outlive_200_kills() {
    killed(200);
}
