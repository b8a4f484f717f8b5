//! Files of a scripted session: one that holds, and others with one thing wrong each.

use super::*;
use crate::client::Fetched;
use crate::opening::{Choice, Planned, Said};
use crate::policy::{AllowedField, Policy, Unwanted, Wanted};
use crate::record::Signer;
use crate::session::Signing;
use crate::tls::script::{self, Data, NAME, Script};
use crate::tls::{Roots, Suite};
use crate::tunnel::Limits;
use std::io::Cursor;
use std::net::SocketAddr;
use std::sync::LazyLock;
use std::time::Instant;
use volery::channel::SecretKey;
use volery::error::{Disagreement, Rejection};
use zeroize::Zeroizing;

const ANSWER: &[u8] =
    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nDate: Sun, 17 Mar 2030 17:46:40 GMT\r\n\
    Content-Length: 7\r\n\r\n{\"a\":5}";

/// The time of the sessions, which is that of their answer's date.
const TIMES: [u64; 2] = [1_900_000_000, 1_900_000_002];

static ROOTS: LazyLock<Roots> = LazyLock::new(script::roots);
static KEY: LazyLock<SecretKey> = LazyLock::new(|| SecretKey::generate().unwrap());
static POLICY: LazyLock<Policy> = LazyLock::new(|| policy("/a", "$.a"));

fn policy(target: &str, reveal: &str) -> Policy {
    Policy::new(Wanted {
        host: NAME.into(),
        port: 443,
        suites: vec![Suite::default()],
        target: target.into(),
        fields: vec![AllowedField { name: "cookie".into(), may_hide: true }],
        shown_fields: vec![],
        status: vec![200],
        content_type: None,
        reveal: vec![reveal.parse().unwrap()],
        claims: vec![],
        program: None,
        choose: Default::default(),
    })
    .unwrap()
}

fn terms(policy: &Policy) -> Terms<'_> {
    let (limits, signing) = (Limits::default(), Signing::Nothing);
    Terms { policy, roots: &ROOTS, limits, form: Form::Gates, signing }
}

fn asking() -> Asking<'static> {
    Asking {
        roots: &ROOTS,
        words: &[],
        fields: &[],
        choice: Choice::none(),
        show: &|_| vec![],
        confirm: &|_| true,
    }
}

/// A session, recorded at these times. Signatures of its server differ each time.
fn kept(times: [u64; 2]) -> Kept {
    answered(b"id=1", &[ANSWER], times)
}

/// A session in which a request with this cookie was answered so, in these records.
fn answered(cookie: &[u8], answer: &[&[u8]], times: [u64; 2]) -> Kept {
    let request = POLICY.request(&[("cookie", cookie)]).unwrap();
    let mut data = vec![Data::new(Side::Client, 23, &request)];
    data.extend(answer.iter().map(|part| Data::new(Side::Server, 23, part)));
    of(Script { data, ..Script::default() }.write().recording, times)
}

/// A session with this recording, at these times.
fn of(recording: Recording, times: [u64; 2]) -> Kept {
    let record = signed(&KEY, &recording, times);
    let secret = Script::default().secret;
    Kept { fetched: Fetched { recording, secret, response: Zeroizing::new(vec![]) }, record }
}

fn address() -> SocketAddr {
    SocketAddr::from(([192, 0, 2, 7], 443))
}

/// A record that names no prover.
fn signed(key: &SecretKey, recording: &Recording, times: [u64; 2]) -> SignedRecord {
    let prover = Identity::from_bytes([8; 32]);
    let mut signer = Signer { key, service: "balance", prover, keep: &mut |_| Ok(()) };
    signer.sign(&POLICY, recording, (address(), times), false).unwrap()
}

/// The file that all is well with.
static FILE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut out = Cursor::new(vec![]);
    kept(TIMES).write(&terms(&POLICY), &Options::default(), &asking(), &mut out).unwrap();
    out.into_inner()
});

/// The part of it before its proof.
fn bundle() -> Bundle {
    Bundle::read(&mut &FILE[..], [usize::MAX; 2]).unwrap()
}

/// The proof of that file.
fn proof() -> Vec<u8> {
    FILE[bundle().to_bytes().len()..].to_vec()
}

fn verified(file: &[u8]) -> Result<FileVerdict> {
    verify(&mut &file[..], &[KEY.identity()], &terms(&POLICY), &Options::default())
}

#[track_caller]
fn refused(file: &[u8]) -> (Place, Why) {
    of_refusal(verified(file))
}

#[track_caller]
fn of_refusal(ended: Result<FileVerdict>) -> (Place, Why) {
    match ended.map(drop) {
        Err(Error::Refused(refusal)) => (refusal.at, refusal.why),
        other => panic!("{other:?}"),
    }
}

/// A file with this part before the proof, and the true proof.
fn with(bundle: &Bundle) -> Vec<u8> {
    [bundle.to_bytes(), proof()].concat()
}

/// A file is verified at any time, as of when its record was made, by the policy of whoever has it.
#[test]
fn files_are_verified() {
    let verdict = verified(&FILE).unwrap();
    assert_eq!(verdict.exchange.revealed[0].text, "5");
    assert_eq!(verdict.exchange.hidden()[0], ["cookie"]);
    assert_eq!((verdict.freshness.date, verdict.record.record.times), (Some(TIMES[0]), TIMES));
    assert_eq!((&verdict.record.record.service[..], verdict.record.record.address), ("balance", address()));
    assert_eq!(verdict.certificate, script::bank().0[0]);
    assert!(verdict.report.security.computational >= 120);
    // The relay is one of several.
    let others = [Identity::from_bytes([1; 32]), KEY.identity()];
    let from = &mut &bundle().to_bytes()[..];
    let ended = verify(from, &others, &terms(&POLICY), &Options::default()).map(drop);
    assert!(matches!(ended, Err(Error::Proof(volery::Error::Rejected(_)))), "{ended:?}");
    // Nobody says yes, and nothing is written.
    let mut out = Cursor::new(vec![]);
    let no = Asking { confirm: &|_| false, ..asking() };
    let ended = kept(TIMES).write(&terms(&POLICY), &Options::default(), &no, &mut out);
    assert!(ended.map(drop).unwrap_err().to_string().contains("nothing is opened"));
    assert!(out.into_inner().is_empty());
}

/// Records that name no prover are refused by whoever wants it named.
#[test]
fn records_name_provers_where_that_is_wanted() {
    let terms = Terms { signing: Signing::RecordOfProver, ..terms(&POLICY) };
    let refused = of_refusal(verify(&mut &FILE[..], &[KEY.identity()], &terms, &Options::default()));
    assert_eq!(refused, (Place::SignedRecord, Why::OtherProver));
}

/// Records that nobody believes, or that are of something else.
#[test]
fn records_are_those_of_the_relay() {
    let verify = |relays: &[Identity], policy: &Policy| {
        of_refusal(verify(&mut &FILE[..], relays, &terms(policy), &Options::default()))
    };
    let (other, relay) = (SecretKey::generate().unwrap(), KEY.identity());
    for relays in [&[][..], &[other.identity()]] {
        assert_eq!(verify(relays, &POLICY), (Place::SignedRecord, Why::Relay(relay)));
    }
    // Somebody else's record, by the relay's name.
    let mut forged = bundle();
    forged.record = SignedRecord { relay, ..signed(&other, &forged.recording, TIMES) };
    assert_eq!(refused(&with(&forged)), (Place::SignedRecord, Why::RelaySignature));
    // Signed bytes in another order, and each of them changed.
    let mut changed = bundle();
    changed.record.record.recording.lengths.reverse();
    let digest = &mut changed.record.record.recording;
    core::mem::swap(&mut digest.up, &mut digest.down);
    let signed = changed.record.check(&[relay], &POLICY, &changed.recording, Whose::Prover);
    let Err(Error::Refused(refusal)) = signed else { panic!("checked") };
    assert_eq!(refusal.why, Why::RelaySignature);
    let length = 18 + bundle().record.to_bytes().len();
    for place in 18..length {
        let mut file = FILE.clone();
        file[place] ^= 1;
        let (at, why) = refused(&file);
        let of_record = matches!(why, Why::Relay(_) | Why::RelaySignature) && at == Place::SignedRecord;
        let of_form = matches!(why, Why::NotCanonical | Why::Short | Why::Long | Why::Beyond { .. });
        assert!(of_record || of_form, "{place}: {at}: {why}");
    }
    // Under another policy it proves nothing, whatever it would show.
    let policies = [policy("/b", "$.a"), policy("/a", "$.b")];
    for other in &policies {
        assert_eq!(verify(&[relay], other), (Place::SignedRecord, Why::OtherPolicy));
        // Nor is a file written that nobody would accept.
        let mut out = Cursor::new(vec![]);
        let written = kept(TIMES).write(&terms(other), &Options::default(), &asking(), &mut out);
        assert!(written.is_err_and(|why| why.to_string().contains("of another policy")));
    }
    let elsewhere = Policy::new(Wanted {
        host: "other.example".into(),
        port: 443,
        suites: vec![Suite::default()],
        target: "/a".into(),
        fields: vec![],
        shown_fields: vec![],
        status: vec![200],
        content_type: None,
        reveal: vec![],
        claims: vec![],
        program: None,
        choose: Default::default(),
    });
    let (at, why) = verify(&[relay], &elsewhere.unwrap());
    assert_eq!((at, why), (Place::SignedRecord, Why::OtherHost(NAME.into())));
}

/// A record fixes the recording, and its order.
#[test]
fn recordings_are_those_of_the_record() {
    let (recording, order) = (bundle().recording, bundle().recording.order().to_vec());
    let [up, mut down] = [Side::Client, Side::Server].map(|side| recording.stream(side).to_vec());
    *down.last_mut().unwrap() ^= 1;
    let other = of(Recording::ordered(up, down, order).unwrap(), TIMES);
    let both = Bundle { record: other.record.clone(), ..bundle() };
    assert_eq!(refused(&with(&both)), (Place::SignedRecord, Why::OtherRecording));
    let both = Bundle { recording: other.fetched.recording, ..bundle() };
    assert_eq!(refused(&with(&both)), (Place::SignedRecord, Why::OtherRecording));
    // What was changed in both fits no tag of the session, of which the proof is.
    let both = Bundle { record: other.record, ..both };
    let ended = verified(&with(&both)).map(drop);
    assert!(matches!(ended, Err(Error::Proof(volery::Error::Disagreed(Disagreement::FileLabel(_))))));
    let begin = 18 + bundle().record.to_bytes().len();
    let [up, down] = [Side::Client, Side::Server].map(|side| bundle().recording.stream(side).len());
    let passages = bundle().recording.order().len();
    for place in [begin + up - 1, begin + up + down - 1] {
        let mut file = FILE.clone();
        file[place] ^= 1;
        assert_eq!(refused(&file), (Place::SignedRecord, Why::OtherRecording));
    }
    // The first passage ends before, or is of the other side, or of none.
    let order = begin + up + down;
    let mut file = FILE.clone();
    file[order + 4] -= 1;
    assert_eq!(refused(&file), (Place::SignedRecord, Why::OtherRecording));
    for side in [1, 2] {
        let mut file = FILE.clone();
        file[order] = side;
        assert_eq!(refused(&file), (Place::Order, Why::NotCanonical));
    }
    assert!(passages > 2);
}

/// Certificates, and the age of the answer, are looked at as of the record.
#[test]
fn times_are_those_of_the_record() {
    let at = |seconds: u64| [seconds, seconds + 2];
    let ends = |times: [u64; 2]| {
        let kept = of(bundle().recording, times);
        // Its prover finds it first.
        let mut out = Cursor::new(vec![]);
        let written = kept.write(&terms(&POLICY), &Options::default(), &asking(), &mut out);
        let written = written.map(drop).unwrap_err().to_string();
        (written, verified(&with(&Bundle { record: kept.record, ..bundle() })).map(drop).unwrap_err())
    };
    for seconds in [0, TIMES[0] * 2] {
        let (written, Error::Refused(refusal)) = ends(at(seconds)) else { panic!("not refused") };
        assert!(matches!(refusal.why, Why::Chain(_)), "{refusal}");
        assert_eq!(written, refusal.to_string());
    }
    let (written, Error::Unwanted(Unwanted::Stale(stale))) = ends(at(TIMES[0] + 400)) else {
        panic!("fresh")
    };
    assert_eq!(stale.to_string(), "its Date is 400 s from the clock, and 300 s are allowed");
    assert!(written.contains(&stale.to_string()));
}

/// A proof is of one file: of its label, its opening, its record.
#[test]
fn proofs_are_of_their_file() {
    let head = bundle().to_bytes().len();
    let label = head + FILE[head..].windows(15).position(|part| part == b"volery web file").unwrap();
    // Its words are changed.
    let mut file = FILE.clone();
    file[label + 30] ^= 1;
    let ended = verified(&file).map(drop);
    assert!(
        matches!(ended, Err(Error::Proof(volery::Error::Disagreed(Disagreement::FileLabel(_))))),
        "{ended:?}"
    );
    // What is opened is another thing, which is true, too: with its own label, its own digest, and neither.
    let mut other = bundle();
    for part in other.opening.server[0].parts.iter_mut().flatten() {
        let Said::Shown(shown) = &mut part.said else { continue };
        if let Some(at) = shown.windows(2).position(|two| two == b"OK") {
            shown[at] = b'N';
        }
    }
    let file = with(&other);
    let ended = verified(&file).map(drop);
    assert!(
        matches!(ended, Err(Error::Proof(volery::Error::Disagreed(Disagreement::FileLabel(_))))),
        "{ended:?}"
    );
    let terms = in_file(&terms(&POLICY));
    let Checked { statement, .. } =
        Checked::of(&other.recording, &other.opening, &terms, times(&other.record)).unwrap();
    let options = other.options(&terms, &statement, &Options::default());
    let mut file = file;
    file[label..label + options.label.len()].copy_from_slice(options.label.as_bytes());
    let ended = verified(&file).map(drop);
    assert!(
        matches!(ended, Err(Error::Proof(volery::Error::Disagreed(Disagreement::FileStatement(_))))),
        "{ended:?}"
    );
    file[label - 36..label - 4].copy_from_slice(&options.statement.unwrap());
    let ended = verified(&file).map(drop);
    assert!(matches!(ended, Err(Error::Proof(volery::Error::Rejected(_)))), "{ended:?}");
}

/// No byte of an opening can be another one.
#[test]
fn openings_are_those_of_the_proof() {
    let end = bundle().to_bytes().len();
    for place in (end - bundle().opening.to_bytes().len()..end).step_by(16) {
        let mut file = FILE.clone();
        file[place] ^= 1;
        let ended = verified(&file).map(drop);
        let is_found = match &ended {
            Err(Error::Refused(_) | Error::Unwanted(_)) => true,
            Err(Error::Proof(volery::Error::Disagreed(why))) => matches!(why, Disagreement::FileLabel(_)),
            _ => false,
        };
        assert!(is_found, "{place}: {ended:?}");
    }
}

/// A file that ends early is refused wherever it does, as is one that goes on.
#[test]
fn files_are_whole() {
    let record = bundle().record.to_bytes().len();
    let [up, down] = [Side::Client, Side::Server].map(|side| bundle().recording.stream(side).len());
    let order = PASSAGE * bundle().recording.order().len();
    let opening = bundle().opening.to_bytes().len();
    let mut end = 0;
    for part in [16, 2, record, up, down, order, 4, opening] {
        for length in [end, end + 1, end + part / 2, end + part - 1] {
            let why = if end == 0 { Why::NoFile } else { Why::Short };
            assert_eq!(refused(&FILE[..length]), (Place::File, why), "{length}");
        }
        end += part;
    }
    assert_eq!(end, bundle().to_bytes().len());
    for length in [end, end + 1, end + 16, end + 100, end + 500] {
        let ended = verified(&FILE[..length]).map(drop);
        assert!(
            matches!(ended, Err(Error::Proof(volery::Error::Rejected(Rejection::EndsEarly)))),
            "{length}: {ended:?}"
        );
    }
}

/// A file is read whole, to its last byte, and not beyond: each takes as long as a proof.
#[test]
#[ignore = "slow"]
fn proofs_are_whole() {
    for file in [FILE[..FILE.len() - 1].to_vec(), [&FILE[..], &[0]].concat()] {
        let ended = verified(&file).map(drop);
        assert!(matches!(ended, Err(Error::Proof(volery::Error::Rejected(_)))), "{ended:?}");
    }
}

/// Lengths that a file says are bounded before anything is read for them.
#[test]
fn lengths_are_bounded() {
    let beyond = |ended: Result<FileVerdict>| match of_refusal(ended) {
        (Place::File, Why::Beyond { what, .. }) => what,
        other => panic!("{other:?}"),
    };
    let limited = |change: fn(&mut Limits)| {
        let mut terms = terms(&POLICY);
        change(&mut terms.limits);
        beyond(verify(&mut &FILE[..], &[KEY.identity()], &terms, &Options::default()))
    };
    assert_eq!(limited(|limits| limits.up = 100), "bytes of the client");
    assert_eq!(limited(|limits| limits.down = 100), "bytes of the server");
    let mut file = FILE.clone();
    file[16..18].fill(0xff);
    assert_eq!(beyond(verified(&file)), "bytes of the record");
    let mut endless = bundle();
    endless.record.record.passages = u32::MAX;
    let read = |bundle: &Bundle| match Bundle::read(&mut &bundle.to_bytes()[..], [1 << 20; 2]) {
        Err(Error::Refused(Refusal { at: Place::File, why: Why::Beyond { what, .. }, .. })) => what,
        other => panic!("{:?}", other.map(drop)),
    };
    assert_eq!(read(&endless), "passages");
    let begin = bundle().to_bytes().len() - bundle().opening.to_bytes().len() - 4;
    let mut file = FILE.clone();
    file[begin..begin + 4].fill(0xff);
    assert_eq!(beyond(verified(&file)), "bytes of the opening");
    // Contents that are longer than all records.
    let mut long = bundle();
    long.opening.server[0] = Planned { length: u16::MAX, kind: 23, parts: None };
    assert_eq!(refused(&with(&long)), (Place::Opening, Why::PartBehind));
}

/// A file of a request of 1 KB and an answer of 2 KB has half a megabyte. Prints what it takes.
#[test]
#[ignore = "slow"]
fn files_are_short() {
    let body = format!("{{\"a\":5,\"text\":\"{}\"}}", "x".repeat(1_880));
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    let kept = answered(&[b'c'; 880], &[head.as_bytes(), body.as_bytes()], TIMES);
    let mut out = Cursor::new(vec![]);
    let began = Instant::now();
    kept.write(&terms(&POLICY), &Options::default(), &asking(), &mut out).unwrap();
    let (file, proved) = (out.into_inner(), began.elapsed());
    let began = Instant::now();
    let verdict = verified(&file).unwrap();
    println!("{} bytes, proved in {proved:?}, verified in {:?}", file.len(), began.elapsed());
    assert!(verdict.exchange.response.body.len() > 1_900 && file.len() < 650_000, "{}", file.len());
}
