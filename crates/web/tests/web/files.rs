//! Records that a verifier signs at the end of a connection, and files of them.

use crate::kit::{bank, link, policy, terms, time, wanted};
use crate::{ROOTS, asking};
use std::io::Cursor;
use std::net::{SocketAddr, TcpStream};
use std::sync::LazyLock;
use std::thread;
use std::time::Duration;
use volery::Options;
use volery::channel::{Identity, Pipe, SecretKey};
use volery::error::Disagreement;
use volery_web::bundle;
use volery_web::error::Why;
use volery_web::opening::Choice;
use volery_web::policy::{Choose, Policy, Wanted};
use volery_web::record::{Kept, SignedRecord, Signer};
use volery_web::session::{
    Asking, Clock, Ends, Received, Signing, Terms, Time, keep, prove, receive_and_sign, verify,
};
use volery_web::{Error, Result};

static KEY: LazyLock<SecretKey> = LazyLock::new(|| SecretKey::generate().unwrap());

/// The identity of the prover's link.
const PROVER: Identity = Identity::from_bytes([7; 32]);

fn ends() -> Ends {
    Ends { relay: KEY.identity(), prover: PROVER }
}

fn signed(policy: &Policy, signing: Signing) -> Terms<'_> {
    Terms { signing, ..terms(policy, &ROOTS) }
}

/// The verifier's side, which connects to this server.
fn signing(link: Pipe, terms: &Terms<'_>, server: SocketAddr) -> Result<Received> {
    let mut signer = Signer { key: &KEY, service: "balance", prover: PROVER, keep: &mut |_| Ok(()) };
    let mut connect = || TcpStream::connect(server).map_err(Error::io("connecting"));
    receive_and_sign(link, terms, time, &Options::default(), &mut connect, &mut signer)
}

/// The ends of both sides of a connection of which the prover keeps the record.
fn kept(terms: &Terms<'_>, ends: Ends) -> (Result<Kept>, Result<Received>) {
    let ((here, there), address) = (link(), bank());
    thread::scope(|scope| {
        let verifier = scope.spawn(move || signing(there, terms, address));
        (keep(here, terms, time, &asking(), ends), verifier.join().unwrap())
    })
}

/// A prover keeps a record, opens nothing to who signed it, and proves to others what it wants.
#[test]
fn files_are_made_and_verified() {
    let mine = policy("/balance");
    let terms = signed(&mine, Signing::RecordOfProver);
    let (kept, verifier) = kept(&terms, ends());
    let kept = kept.unwrap();
    let Ok(Received::Kept(record)) = verifier else { panic!("proved") };
    assert_eq!((&*record, record.record.prover), (kept.record(), Some(PROVER)));
    let mut out = Cursor::new(vec![]);
    let (shown, _) = kept.write(&terms, &Options::default(), &asking(), &mut out).unwrap();
    // Others have the policy, and know the relay.
    let file = out.into_inner();
    let others = self::terms(&mine, &ROOTS);
    let verdict = bundle::verify(&mut &file[..], &[KEY.identity()], &others, &Options::default()).unwrap();
    assert_eq!((verdict.exchange, verdict.record), (shown, *record));
}

/// A choice of a file's prover stands apart in it.
#[test]
fn files_say_what_was_chosen() {
    let choose = Choose { reveal: true, claims: true };
    let mine = Policy::new(Wanted { choose, ..wanted("/balance") }).unwrap();
    let terms = signed(&mine, Signing::Record);
    let (kept, _) = kept(&terms, ends());
    let claim = "$.owner matches \"[A-Z].*\"".to_owned();
    let choice = Choice::new(vec!["$.balance".into()], vec![claim.clone()]).unwrap();
    let asking = Asking { choice: &choice, show: &|_| vec![], ..asking() };
    let mut out = Cursor::new(vec![]);
    kept.unwrap().write(&terms, &Options::default(), &asking, &mut out).unwrap();
    let mut file = out.into_inner();
    let verified = |file: &[u8], policy| {
        let terms = self::terms(policy, &ROOTS);
        bundle::verify(&mut &file[..], &[KEY.identity()], &terms, &Options::default())
    };
    let exchange = verified(&file, &mine).unwrap().exchange;
    assert_eq!((exchange.chosen.claims, exchange.claims.len()), (vec![claim.clone()], 0));
    assert_eq!(exchange.chosen.revealed[0].text, "123456789");
    // Nobody changes it.
    let at = file.windows(claim.len()).position(|window| window == claim.as_bytes()).unwrap();
    file[at + claim.len() - 5] = b'B';
    let ended = verified(&file, &mine).map(drop);
    assert!(
        matches!(ended, Err(Error::Proof(volery::Error::Disagreed(Disagreement::FileLabel(_))))),
        "{ended:?}"
    );
}

/// The prover takes no record that is not by the relay that it knows, or names somebody else.
#[test]
fn records_are_checked_before_they_are_kept() {
    let mine = policy("/balance");
    let terms = signed(&mine, Signing::RecordOfProver);
    let refused = |ends| {
        let (kept, verifier) = kept(&terms, ends);
        assert!(verifier.map(drop).unwrap_err().to_string().contains("waiting for the opening"));
        let Err(Error::Refused(refusal)) = kept.map(drop) else { panic!("kept") };
        refusal.why
    };
    assert_eq!(refused(Ends { relay: PROVER, ..ends() }), Why::Relay(KEY.identity()));
    assert_eq!(refused(Ends { prover: KEY.identity(), ..ends() }), Why::OtherProver);
}

/// A record is signed where the terms ask for it alone.
#[test]
fn records_are_as_the_terms_say() {
    let mine = policy("/balance");
    let terms = signed(&mine, Signing::Record);
    let (here, there) = link();
    let mut connect = || -> Result<TcpStream> { panic!("connected to nobody") };
    let refused = verify(there, &terms, time, &Options::default(), &mut connect).map(drop).unwrap_err();
    assert!(refused.to_string().contains("no key to sign it by"), "{refused}");
    let none = signed(&mine, Signing::Nothing);
    let refused = keep(here, &none, time, &asking(), ends()).map(drop).unwrap_err();
    assert!(refused.to_string().contains("has no record signed"), "{refused}");
    // Both sides have to want it.
    let (here, there) = link();
    let nobody = "127.0.0.1:1".parse().unwrap();
    let [verifier, prover] = thread::scope(|scope| {
        let verifier = scope.spawn(|| signing(there, &terms, nobody).map(drop).unwrap_err());
        let prover = prove(here, &none, time, &Options::default(), &asking()).map(drop).unwrap_err();
        [verifier.join().unwrap(), prover].map(|error| error.to_string())
    });
    assert!(verifier.contains("disagree on the record: a signed one here, none there"), "{verifier}");
    assert!(prover.contains("disagree on the record: none here, a signed one there"), "{prover}");
}

/// A record of other times than the prover's own clock says is not kept. A relay that cannot keep a record sends none.
#[test]
fn records_are_of_their_time_and_known_to_their_relay() {
    let mine = policy("/balance");
    let terms = signed(&mine, Signing::Record);
    let late = || Time::since_unix_epoch(Duration::from_secs(1_900_000_301));
    let keep_with = |clock: Clock, is_kept: bool| {
        let ((here, there), address) = (link(), bank());
        thread::scope(|scope| {
            let verifier = scope.spawn(move || {
                let mut keep = |_: &SignedRecord| match is_kept {
                    true => Ok(()),
                    false => Err(Error::invalid("no room for it")),
                };
                let mut signer = Signer { key: &KEY, service: "", prover: PROVER, keep: &mut keep };
                let mut connect = || TcpStream::connect(address).map_err(Error::io("connecting"));
                receive_and_sign(there, &terms, time, &Options::default(), &mut connect, &mut signer)
                    .map(drop)
            });
            let kept = keep(here, &terms, clock, &asking(), ends()).map(drop);
            [kept, verifier.join().unwrap()].map(|ended| ended.map_err(|why| why.to_string()))
        })
    };
    keep_with(time, true)[0].as_ref().unwrap();
    let [prover, _] = keep_with(late, true);
    assert!(prover.unwrap_err().contains("its times are 301 s from this clock, and 300 s are allowed"));
    let [prover, verifier] = keep_with(time, false);
    assert!(prover.is_err() && verifier.unwrap_err().contains("no room for it"));
}

/// A verifier signs, and is proved to all the same.
#[test]
fn records_stand_beside_proofs() {
    let mine = policy("/balance");
    let terms = signed(&mine, Signing::Record);
    let ((here, there), address) = (link(), bank());
    thread::scope(|scope| {
        let verifier = scope.spawn(|| {
            let Received::Opened(unproved) = signing(there, &terms, address).unwrap() else { panic!("kept") };
            unproved.verify()
        });
        let (shown, _) = prove(here, &terms, time, &Options::default(), &asking()).unwrap();
        let seen = verifier.join().unwrap().unwrap().seen;
        let record = seen.record.unwrap();
        assert_eq!((seen.exchange, record.record.prover), (shown, None));
        assert_eq!((record.record.recording, record.record.times), (seen.recording, [1_900_000_000; 2]));
    });
}
