//! Verdicts are recorded before they are told: those that are accepted, and those that count against the
//! prover.

use crate::kit::{Ones, TIMEOUT, network, seeded};
use std::sync::{Arc, Mutex};
use volery::channel::{Channel, Flip, Link, Party, Tape, pipe, service_hello};
use volery::error::{Disagreement, Rejection};
use volery::{
    Accepted, Correlations, Error, Options, Report, Result, System, prove, prove_one_of, verify,
    verify_one_of,
};

/// How a session ended, and what was sent and recorded in it.
struct Ended {
    proved: Result<Report>,
    verified: Result<(Accepted, Report)>,
    /// How many messages each party sent.
    messages: [usize; 2],
    /// The last one of the verifier.
    last: Vec<u8>,
    /// The records, each a report or an error in words, and how many messages the verifier had sent by then.
    kept: Vec<(usize, Result<Report, String>)>,
}

/// A session by `system`, with a bit of the prover's messages flipped, whose verifier can record, or not.
fn session(system: System, flip: Option<Flip>, works: bool) -> Ended {
    let by = |seed| Options { method: system.into(), ..seeded(seed) };
    let proving = by(1).with_correlations(Correlations::SOFTSPOKEN8);
    let (ones, (network, witness)) = (Ones(vec![3, 5]), network(100));
    let (here, there) = pipe(TIMEOUT);
    let (here, from_prover) = Tape::new(here, flip);
    let (there, from_verifier) = Tape::new(there, None);
    let kept = Arc::new(Mutex::new(Vec::new()));
    let (keeps, sent) = (kept.clone(), from_verifier.clone());
    let record = move |verdict: Result<&Report, &Error>| {
        let verdict = verdict.cloned().map_err(Error::to_string);
        keeps.lock().unwrap().push((sent.messages().len(), verdict));
        if works { Ok(()) } else { Err(Error::io("writing the verdict")(std::io::Error::other("full"))) }
    };
    let verifying = Options { record: Some(Arc::new(record)), ..by(2) };
    let verifying = verifying.with_correlations(Correlations::SOFTSPOKEN8);
    let (proved, verified) = std::thread::scope(|scope| {
        let proving = scope.spawn(|| {
            let channel = &mut Channel::new(Party::Prover, here);
            match system {
                System::STACK => prove_one_of(&ones, 1, ones.witness(1), channel, &proving),
                _ => prove(&network, witness, channel, &proving),
            }
        });
        let channel = &mut Channel::new(Party::Verifier, there);
        let verified = match system {
            System::STACK => verify_one_of(&ones, channel, &verifying),
            _ => verify(&network, channel, &verifying),
        };
        (proving.join().unwrap(), verified)
    });
    let (told, kept) = (from_verifier.messages(), kept.lock().unwrap().clone());
    let messages = [from_prover.messages().len(), told.len()];
    Ended { proved, verified, messages, last: told.last().unwrap().clone(), kept }
}

#[test]
fn verdicts_are_recorded_before_they_are_told() {
    for system in System::TALKING {
        let Ended { proved, verified, messages, last, kept } = session(system, None, true);
        let (proved, verified) = (proved.unwrap(), verified.unwrap().1);
        let [(told, Ok(report))] = &kept[..] else { panic!("{system}: recorded {} times", kept.len()) };
        assert_eq!((*told + 1, last.len(), last[0]), (messages[1], 33, 1), "{system}");
        assert_eq!((report.statement, report.gates), (proved.statement, verified.gates), "{system}");
        assert_eq!(report.security, verified.security, "{system}");
        let (recorded, all) = (report.traffic, verified.traffic);
        assert_eq!((recorded.received, recorded.sent + 33), (all.received, all.sent), "{system}");
    }
}

/// The prover's digest of all bytes is the last check: one bit of it is wrong. That is recorded before it is
/// told, and told whether it was recorded or not.
#[test]
fn rejections_are_recorded_before_they_are_told() {
    for system in System::TALKING {
        let [last, _] = session(system, None, true).messages;
        for works in [true, false] {
            let flip = Flip { message: last - 1, bit: 77 };
            let Ended { proved, verified, messages, last, kept } = session(system, Some(flip), works);
            let why = verified.expect_err("rejected");
            assert!(matches!(why, Error::Misbehaved(_)), "{system}: {why:?}");
            assert!(matches!(proved, Err(Error::Rejected(Rejection::ByVerifier))), "{system}: {proved:?}");
            let [(told, Err(recorded))] = &kept[..] else { panic!("{system}: {} records", kept.len()) };
            assert_eq!((*told + 1, last), (messages[1], vec![0; 33]), "{system}");
            assert_eq!(*recorded, why.to_string(), "{system}");
        }
    }
}

/// A prover that leaves before any coin has tried nothing.
#[test]
fn what_counts_against_nobody_is_not_recorded() {
    let record = |_: Result<&Report, &Error>| panic!("nothing is to be recorded");
    let (here, there) = pipe(TIMEOUT);
    drop(here);
    let options = Options { record: Some(Arc::new(record)), ..seeded(2) };
    let verified = verify(&network(10).0, &mut Channel::new(Party::Verifier, there), &options);
    assert!(matches!(verified, Err(Error::Io { .. })), "{verified:?}");
}

#[test]
fn what_is_not_recorded_is_rejected() {
    for system in System::TALKING {
        let Ended { proved, verified, last, kept, .. } = session(system, None, false);
        assert!(matches!(verified, Err(Error::Rejected(Rejection::NotRecorded))), "{system}: {verified:?}");
        assert!(matches!(proved, Err(Error::Rejected(Rejection::ByVerifier))), "{system}: {proved:?}");
        assert_eq!((last, kept.len()), (vec![0; 33], 1), "{system}");
    }
}

/// A party that begins a proof where a service waits to be asked hears what is there.
#[test]
fn a_service_is_told_from_a_peer() {
    let (network, witness) = network(10);
    let (here, mut there) = pipe(TIMEOUT);
    there.send(&service_hello()).unwrap();
    there.flush().unwrap();
    let proved = prove(&network, witness, &mut Channel::new(Party::Prover, here), &seeded(1));
    assert!(matches!(proved, Err(Error::Disagreed(Disagreement::Service))), "{proved:?}");
}
