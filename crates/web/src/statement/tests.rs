//! Statements of scripted sessions, in the clear: those that are true, and provers that cheat, each found by the rule
//! or the assertion that is there for it.

// Lists of ranges, of which some have one.
#![allow(clippy::single_range_in_vec_init)]

use super::class::{above_nine, below_blank, ends_word};
use super::*;
use crate::claim::Settled;
use crate::error::{Error, Why};
use crate::opened::{Opened, Span};
use crate::opening::{Hidden, Part};
use crate::policy::Policy;
use crate::tls::script::{self, Data, NAME, Script, Written};
use core::ops::Range;
use volery::circuit::Shape;
use volery::circuit::gadget::{Bit, Word};

const REQUEST: &[u8] =
    b"GET /account HTTP/1.1\r\nHost: bank.example\r\nCookie: session=s3cr3t-t0ken-0123\r\n\r\n";
const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n";
const BODY: &[u8] = br#"{"owner":"Alice Ex","balance":123456789}"#;

/// A request, two tickets, a response in two records of which one is padded, and the ends of both sides.
fn data() -> Vec<Data> {
    let of_server = |kind, content| Data::new(Side::Server, kind, content);
    vec![
        of_server(22, &[4, 0, 0, 20]),
        Data { padding: 3, ..Data::new(Side::Client, 23, REQUEST) },
        of_server(22, &[4; 50]),
        Data { padding: 20, ..of_server(23, HEAD) },
        of_server(23, BODY),
        of_server(21, &[1, 0]),
        Data::new(Side::Client, 21, &[1, 0]),
    ]
}

fn written(data: Vec<Data>) -> Written {
    Script { data, ..Script::default() }.write()
}

/// The honest prover's opening, which shows these ranges.
fn open(written: &Written, client: &[Range<usize>], server: &[Range<usize>]) -> Opening {
    let roots = script::roots();
    let expected = script::expected(&roots);
    Opened::new(&written.recording, &written.secret, &expected)
        .unwrap()
        .opening(&shown(client), &shown(server))
}

/// Puts the keys of hashes into an opening that are those of what it opens.
fn rekey(written: &Written, opening: &mut Opening) {
    let plans = [&opening.client[..], &opening.server];
    opening.hash_keys = crate::opened::hash_keys(script::SUITE.get(), &written.keys, plans);
}

fn shown(ranges: &[Range<usize>]) -> Vec<Span> {
    ranges.iter().cloned().map(Span::shown).collect()
}

fn opened(written: &Written) -> Opening {
    open(written, &[0..55], &[0..HEAD.len(), 45..60])
}

/// The verdict on `opening` of a verifier with this recording, about a prover that knows `secret`.
fn verdict_by(written: &Written, opening: &Opening, secret: &Secret, form: Form) -> Result<()> {
    let session = written.verify()?;
    let statement = Statement::new(&written.recording, &session, opening, form)?;
    let ended = statement.check(secret);
    if BY_GATES.get() {
        let by_gates =
            volery::check(&statement, Statement::witness(secret)).map_err(|error| error.to_string());
        match (&ended, &by_gates) {
            (Ok(()), Ok(())) => {}
            // Gates name the bit, too.
            (Err(Error::Proof(volery::Error::Unsatisfied(name))), Err(other)) => {
                let of_bit = format!("{name}[");
                assert!(
                    other.contains(&of_bit) || other.contains(&format!("{name} does")),
                    "{name}, {other}"
                );
            }
            _ => panic!("{ended:?}, by gates {by_gates:?}"),
        }
    }
    ended
}

thread_local! {
    /// Whether gates are asked, too, beside what checks without them.
    static BY_GATES: core::cell::Cell<bool> = const { core::cell::Cell::new(false) };
}

/// All sessions of this file by their gates, too.
#[test]
#[ignore = "slow"]
fn gates_agree_on_all() {
    for suite in Suite::ALL {
        script::SUITE.set(suite);
        BY_GATES.set(true);
        what_is_true_is_believed();
        other_secrets_fail();
        records_stand_where_they_stood();
        changes_of_keys_are_found();
        contents_are_what_they_are();
        claims_hold_of_hidden_digits();
        values_hidden_whole_end_where_they_are_said_to();
    }
}

/// Sessions of this file by the other suite, too.
#[test]
fn all_hold_by_chacha20() {
    script::SUITE.set(Suite::ChaCha20);
    gates_demand_it();
    BY_GATES.set(false);
    what_is_true_is_believed();
    other_secrets_fail();
    records_stand_where_they_stood();
    changes_of_keys_are_found();
    types_alone_would_not_do();
    contents_are_what_they_are();
    openings_have_one_form();
}

/// Provers that cheat in one respect each, by gates: each kind of assertion fails under its name.
#[test]
fn gates_demand_it() {
    BY_GATES.set(true);
    let honest = written(data());
    let opening = opened(&honest);
    verdict(&honest, &opening).unwrap();
    assert!(verdict_by(&honest, &opening, &Secret::new([1; 32]), Form::Gates).is_err());
    let (written, opening) = changed(|opening| (cheats()[0].change)(&mut opening.hash_keys));
    assert_failed(&written, &opening, cheats()[0].found);
    let (written, opening) = rearranged(Side::Server, |records| records.swap(2, 3));
    assert_failed(&written, &opening, "record 2 of the server: its tag");
    let (written, opening) = changed(|opening| opening.server[3].length -= 1);
    assert_failed(&written, &opening, "record 3 of the server: its type");
}

fn verdict(written: &Written, opening: &Opening) -> Result<()> {
    verdict_by(written, opening, &written.secret, Form::Gates)
}

/// The rule that refuses an opening.
#[track_caller]
fn refusal(written: &Written, opening: &Opening) -> Why {
    match verdict(written, opening) {
        Err(Error::Refused(refusal)) => refusal.why,
        ended => panic!("{ended:?}"),
    }
}

/// The assertion that fails.
#[track_caller]
fn failed(written: &Written, opening: &Opening) -> String {
    match verdict(written, opening) {
        Err(Error::Proof(volery::Error::Unsatisfied(name))) => name,
        ended => panic!("{ended:?}"),
    }
}

#[track_caller]
fn assert_failed(written: &Written, opening: &Opening, expected: &str) {
    let name = failed(written, opening);
    assert!(name.contains(expected), "{name}");
}

/// A session of which `opening` is changed by `change`.
fn changed(change: impl FnOnce(&mut Opening)) -> (Written, Opening) {
    let written = written(data());
    let mut opening = opened(&written);
    change(&mut opening);
    (written, opening)
}

/// Has an opening a key for one more record of the client, where it has one for each.
fn open_another(opening: &mut Opening) {
    if let HashKeys::Poly1305([client, _]) = &mut opening.hash_keys {
        client.insert(1, client[0]);
    }
}

#[test]
fn what_is_true_is_believed() {
    let written = written(data());
    let opening = opened(&written);
    assert_eq!((opening.client.len(), opening.server.len()), (2, 4));
    for form in [Form::Gates, Form::Mixed, Form::Holes] {
        verdict_by(&written, &opening, &written.secret, form).unwrap();
    }
    // Nothing is shown, or all is.
    verdict(&written, &open(&written, &[], &[])).unwrap();
    let all = [0..HEAD.len() + 20, HEAD.len() + 20..HEAD.len() + BODY.len()];
    let opening = open(&written, &[0..REQUEST.len()], &all);
    verdict(&written, &opening).unwrap();
    assert_eq!(opening.server[3].parts.as_ref().unwrap()[0].said, Said::Shown(BODY.to_vec()));
    // Of data before the last that shows nothing the type is enough.
    let opening = open(&written, &[], &[60..70]);
    assert!(opening.server[2].parts.is_none() && opening.server[3].parts.is_some());
    verdict(&written, &opening).unwrap();
}

/// Attacks 1: secrets and keys that are not those of the session.
#[test]
fn other_secrets_fail() {
    let written = written(data());
    let opening = opened(&written);
    let mut bytes = *written.secret.bytes();
    bytes[31] ^= 0x80;
    let Err(Error::Proof(error)) = verdict_by(&written, &opening, &Secret::new(bytes), Form::Gates) else {
        panic!()
    };
    assert!(error.to_string().contains("SHTS"), "{error}");
    let with = |change: fn(&mut HashKeys)| changed(|opening| change(&mut opening.hash_keys));
    for Cheat { change, found } in cheats() {
        let (written, opening) = with(*change);
        assert_failed(&written, &opening, found);
    }
    // Keys of the other suite.
    let other = |keys: &mut HashKeys| {
        *keys = match keys {
            HashKeys::Ghash(_) => HashKeys::Poly1305([vec![[0; 16]], vec![[0; 16]; 2]]),
            HashKeys::Poly1305(_) => HashKeys::Ghash([[0; 16]; 2]),
        };
    };
    let (written, opening) = with(other);
    assert_eq!(refusal(&written, &opening), Why::OtherSuite);
}

/// A change of keys of hashes, and the assertion that it fails.
struct Cheat {
    change: fn(&mut HashKeys),
    found: &'static str,
}

const fn cheat(change: fn(&mut HashKeys), found: &'static str) -> Cheat {
    Cheat { change, found }
}

fn cheats() -> &'static [Cheat] {
    const AES: &[Cheat] = &[
        cheat(|keys| of_ghash(keys)[0][3] ^= 4, "H of the client"),
        cheat(|keys| of_ghash(keys)[1][3] ^= 4, "H of the server"),
        cheat(|keys| of_ghash(keys).swap(0, 1), "H of the client"),
    ];
    const CHACHA20: &[Cheat] = &[
        // A bit that the polynomial has not.
        cheat(|keys| of_poly1305(keys)[1][0][3] ^= 0x80, "record 2 of the server: its tag"),
        cheat(|keys| of_poly1305(keys)[0][0][5] ^= 4, "record 0 of the client: its tag"),
        cheat(|keys| of_poly1305(keys)[1][1][5] ^= 4, "record 3 of the server: its tag"),
        cheat(|keys| of_poly1305(keys)[1].swap(0, 1), "record 2 of the server: its tag"),
        cheat(
            |keys| {
                let [client, server] = of_poly1305(keys);
                core::mem::swap(&mut client[0], &mut server[0]);
            },
            "record 0 of the client: its tag",
        ),
    ];
    match script::SUITE.get() {
        Suite::Aes128 => AES,
        Suite::ChaCha20 => CHACHA20,
    }
}

fn of_ghash(keys: &mut HashKeys) -> &mut [[u8; 16]; 2] {
    let HashKeys::Ghash(keys) = keys else { panic!("keys of the other suite") };
    keys
}

fn of_poly1305(keys: &mut HashKeys) -> &mut [Vec<[u8; 16]>; 2] {
    let HashKeys::Poly1305(keys) = keys else { panic!("keys of the other suite") };
    keys
}

/// The records of the honest session, and a recording in which those of one side behind the handshake are others.
fn rearranged(side: Side, change: impl Fn(&mut Vec<Vec<u8>>)) -> (Written, Opening) {
    let mut written = written(data());
    let mut opening = opened(&written);
    let session = written.verify().unwrap();
    let starts: Vec<_> = session.records(side).iter().map(|record| record.start()..record.end()).collect();
    let stream = written.recording.stream(side).to_vec();
    let mut records: Vec<_> = starts.iter().map(|range| stream[range.clone()].to_vec()).collect();
    change(&mut records);
    let begin = stream[..starts[0].start].to_vec();
    let other = match side {
        Side::Client => Side::Server,
        Side::Server => Side::Client,
    };
    let mut recording = Recording::new();
    recording.push(Side::Client, written.recording.stream(Side::Client), 0);
    recording.push(Side::Server, written.recording.stream(Side::Server), 1);
    let mut new = Recording::new();
    let mine = [begin, records.concat()].concat();
    let (up, down) = match side {
        Side::Client => (mine, recording.stream(other).to_vec()),
        Side::Server => (recording.stream(other).to_vec(), mine),
    };
    new.push(Side::Client, &up, 0);
    new.push(Side::Server, &down, 1);
    written.recording = new;
    // Lengths as the records have them, by the plan of the honest prover where it knows them.
    let plan = if side == Side::Client { &mut opening.client } else { &mut opening.server };
    let honest = plan.clone();
    let lengths: Vec<_> = records
        .iter()
        .map(|record| {
            let known = starts.iter().position(|range| stream[range.clone()] == record[..]);
            let known = known.and_then(|at| honest.get(at)).map(|planned| usize::from(planned.length));
            known.unwrap_or(record.len() - 5 - 16 - 1)
        })
        .collect();
    plan.truncate(lengths.len());
    for (planned, length) in plan.iter_mut().zip(lengths) {
        planned.length = length as u16;
        if let Some(parts) = &mut planned.parts {
            parts.clear();
        }
    }
    (written, opening)
}

/// Attacks 2: records in other places.
#[test]
fn records_stand_where_they_stood() {
    // The padded record first, whose padding counts as content here: the tag is what fails.
    let (written, opening) = rearranged(Side::Server, |records| records.swap(2, 3));
    assert_failed(&written, &opening, "record 2 of the server: its tag");
    let (written, mut opening) = rearranged(Side::Server, |records| drop(records.remove(0)));
    opening.server.remove(0);
    let lengths: Vec<_> = opening.server.iter().map(|planned| planned.length).collect();
    assert_eq!(lengths.len(), 3);
    assert!(verdict(&written, &opening).is_err());
    let (written, opening) = rearranged(Side::Server, |records| records.insert(2, records[2].clone()));
    assert_failed(&written, &opening, "record 3 of the server: its tag");
    let (written, mut opening) = rearranged(Side::Client, |records| records.insert(1, records[0].clone()));
    assert_eq!(refusal(&written, &opening), Why::LeftOut);
    opening.client.insert(1, opening.client[0].clone());
    opening.client[2].length = 2;
    open_another(&mut opening);
    assert_failed(&written, &opening, "record 1 of the client: its tag");
    let (written, opening) = rearranged(Side::Client, |records| drop(records.remove(0)));
    assert!(matches!(verdict(&written, &opening), Err(Error::Refused(_)) | Err(Error::Proof(_))));
    // A record of the client among the server's.
    let request = {
        let written = self::written(data());
        let session = written.verify().unwrap();
        let record = session.client[0];
        written.recording.stream(Side::Client)[record.start()..record.end()].to_vec()
    };
    let (written, opening) = rearranged(Side::Server, |records| records[3].clone_from(&request));
    assert_failed(&written, &opening, "record 3 of the server: its tag");
    // The client's first data is said to belong to the handshake, or is left out, or not opened.
    let (written, opening) = changed(|opening| opening.client[0].kind = 22);
    assert_eq!(refusal(&written, &opening), Why::ContentType(22));
    let (written, opening) = changed(|opening| drop(opening.client.pop()));
    assert_eq!(refusal(&written, &opening), Why::LeftOut);
    let (written, opening) = changed(|opening| opening.client[0].parts = None);
    assert_eq!(refusal(&written, &opening), Why::NotOpened);
    // A second request behind an alert, and an alert that is opened, which nobody asks for.
    let mut more = data();
    more.push(Data::new(Side::Client, 23, REQUEST));
    let written = self::written(more);
    assert_eq!(refusal(&written, &opened(&written)), Why::ContentType(21));
    let (written, opening) = changed(|opening| {
        opening.client[1].parts = Some(vec![]);
        open_another(opening);
    });
    assert_eq!(refusal(&written, &opening), Why::ContentType(21));
}

/// Attacks 3: keys that change within what a plan passes over.
#[test]
fn changes_of_keys_are_found() {
    let update = [24, 0, 0, 1, 0];
    for side in [Side::Client, Side::Server] {
        let mut data = data();
        let at = data.iter().position(|data| data.side == side && data.kind == 23).unwrap();
        data.insert(at, Data::new(side, 22, &update));
        let written = written(data);
        let roots = script::roots();
        let expected = script::expected(&roots);
        let Err(Error::Refused(refused)) = Opened::new(&written.recording, &written.secret, &expected) else {
            panic!()
        };
        assert_eq!(refused.why, Why::KeyUpdate);
        // The prover says what an honest one would, if it was a ticket.
        let mut opening = opened(&self::written(self::data()));
        let plan = if side == Side::Client { &mut opening.client } else { &mut opening.server };
        let sequence = if side == Side::Client { 0 } else { 2 };
        plan.insert(sequence, Planned { length: 5, kind: 22, parts: None });
        opening.secrets = written.secrets.clone();
        rekey(&written, &mut opening);
        match side {
            Side::Client => assert_eq!(refusal(&written, &opening), Why::ContentType(22)),
            Side::Server => assert_failed(&written, &opening, "record 3 of the server: its tag"),
        }
    }
}

/// A type byte alone is right behind a hidden change of keys once in 256 times: the tag is what finds it.
#[test]
fn types_alone_would_not_do() {
    let session = |seed: u16| {
        let mut data = data();
        data.truncate(4);
        data[3] = Data::new(Side::Server, 22, &[24, 0, 0, 1, 0]);
        data.push(Data::new(Side::Server, 23, &[7; 15]));
        let mut secret = [5; 32];
        secret[..2].copy_from_slice(&seed.to_be_bytes());
        let secret = Secret::new(secret);
        let written = Script { secret, data, ..Script::default() }.write();
        let session = written.verify().unwrap();
        let first = session.suite.first_block();
        let byte = written.keys[1].stream(3, first)[15] ^ session.server[3].ciphertext()[15];
        (byte == 23).then_some(written)
    };
    let written = (0..1 << 13).find_map(session).expect("one in 256");
    let mut opening = opened(&self::written(data()));
    opening.secrets = written.secrets.clone();
    opening.client.truncate(1);
    let kinds = [(4, 22), (50, 22), (5, 22), (15, 23)];
    opening.server = kinds.map(|(length, kind)| Planned { length, kind, parts: None }).to_vec();
    opening.server[3].parts = Some(vec![]);
    rekey(&written, &mut opening);
    let verified = written.verify().unwrap();
    let mut statement = Statement::new(&written.recording, &verified, &opening, Form::Gates).unwrap();
    let check = |statement: &Statement| statement.check(&written.secret);
    assert!(check(&statement).unwrap_err().to_string().contains("record 3 of the server: its tag"));
    statement.directions[1].records[3].before_text = None;
    check(&statement).unwrap();
}

/// Attacks 4: contents that are longer, shorter, of another type, or another text.
#[test]
fn contents_are_what_they_are() {
    let server = |at: usize, change: fn(&mut Planned)| changed(|opening| change(&mut opening.server[at]));
    let (written, opening) = server(3, |planned| planned.length -= 1);
    assert_failed(&written, &opening, "record 3 of the server: its type");
    let (written, opening) = server(2, |planned| planned.length += 1);
    assert_failed(&written, &opening, "record 2 of the server: its type");
    let shorter = |planned: &mut Planned| {
        planned.length -= 1;
        planned.parts = Some(vec![]);
    };
    let (written, mut opening) = server(2, shorter);
    rekey(&written, &mut opening);
    assert_failed(&written, &opening, "record 2 of the server: its type");
    // Padding that is content, and content that is padding, where the type is said to be zero.
    let (written, opening) = changed(|opening| opening.client[0].length += 3);
    assert_failed(&written, &opening, "record 0 of the client: its type");
    let (written, opening) = server(1, |planned| planned.kind = 23);
    assert_failed(&written, &opening, "record 1 of the server: its type");
    let (written, opening) = server(3, |planned| planned.length += 1);
    assert_eq!(refusal(&written, &opening), Why::ContentLength(BODY.len() + 1));
    let (written, opening) = server(0, |planned| planned.length = 0);
    assert_eq!(refusal(&written, &opening), Why::ContentLength(0));
    let (written, opening) =
        server(3, |planned| planned.parts.as_mut().unwrap()[0].said = Said::Shown(vec![b'x']));
    assert_failed(&written, &opening, "record 3 of the server: what it shows");
    let (written, opening) = changed(|opening| opening.client[0].parts.as_mut().unwrap()[0].start = 1);
    assert_failed(&written, &opening, "record 0 of the client: what it shows");
    let (written, opening) = server(3, |planned| planned.parts.as_mut().unwrap()[0].start = 38);
    assert_eq!(refusal(&written, &opening), Why::PartBehind);
    let (written, opening) = server(3, |planned| planned.parts = None);
    assert_eq!(refusal(&written, &opening), Why::NotOpened);
    let (written, opening) = changed(|opening| opening.server.truncate(2));
    assert_eq!(refusal(&written, &opening), Why::NotOpened);
    let (written, opening) = changed(|opening| opening.server.clear());
    assert_eq!(refusal(&written, &opening), Why::NoData);
    let more = Planned { length: 2, kind: 23, parts: Some(vec![]) };
    let (written, opening) = changed(|opening| opening.server.extend([more.clone(), more]));
    assert_eq!(refusal(&written, &opening), Why::NoSuchRecord);
    let (written, opening) = server(2, |planned| planned.kind = 20);
    assert_eq!(refusal(&written, &opening), Why::ContentType(20));

    // Nothing but zeros; more than a record may have; nothing at all; padding behind nothing.
    let with = |content: &[u8], kind, padding| {
        let mut data = data();
        data[4] = Data { padding, ..Data::new(Side::Server, kind, content) };
        self::written(data)
    };
    let mut opening = opened(&self::written(data()));
    let zeros = with(&[0; 40], 0, 0);
    opening.secrets = zeros.secrets.clone();
    opening.server[3].parts = Some(vec![]);
    rekey(&zeros, &mut opening);
    assert_failed(&zeros, &opening, "record 3 of the server: its type");
    let long = with(&[7; (1 << 14) + 1], 23, 0);
    opening.server[3].length = 1 << 14;
    assert_eq!(refusal(&long, &opening), Why::ContentLength((1 << 14) + 1));
    for padding in [0, 40] {
        let empty = with(b"", 23, padding);
        verdict(&empty, &open(&empty, &[], &[0..5])).unwrap();
    }
}

/// Hidden bytes are of their class: all bytes, without gates, and by gates those at the edges.
#[test]
fn hidden_bytes_are_of_their_class() {
    let roots = script::roots();
    let expected = script::expected(&roots);
    let with = |byte: u8| {
        let mut data = data();
        data[1].content[60] = byte;
        self::written(data)
    };
    let ended = |written: &Written, class| {
        let opened = Opened::new(&written.recording, &written.secret, &expected).unwrap();
        let hidden = [Span::hidden(60..61, class), Span::shown(0..REQUEST.len())];
        let opening = opened.opening(&hidden, &[]);
        assert_eq!(opening.client[0].parts.as_ref().unwrap().len(), 3);
        verdict(written, &opening).map_err(|error| error.to_string())
    };
    let holds = |byte: u8, class| match class {
        Hidden::Value => byte >= 0x20,
        Hidden::Whole | Hidden::Read => true,
        Hidden::Digits => byte.is_ascii_digit(),
        Hidden::Word => byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_',
    };
    let classes = [
        (Hidden::Value, "a hidden value at 60"),
        (Hidden::Whole, "hidden whole"),
        (Hidden::Digits, "a hidden digit at 60"),
        (Hidden::Word, "a hidden word at 60"),
        (Hidden::Read, "that a program reads"),
    ];
    for byte in (0..0x40).chain(0x5a..0x60).chain([0x7f, 0x80, 0xff]) {
        let written = with(byte);
        for (class, name) in classes {
            let ended = ended(&written, class);
            assert_eq!(ended.is_ok(), holds(byte, class), "{byte} {class:?}");
            assert!(ended.is_ok() || ended.is_err_and(|why| why.contains(name)));
        }
    }
    BY_GATES.set(true);
    assert!(ended(&with(0x1f), Hidden::Value).is_err());
}

/// Claims about digits that stay hidden, which two records share: by gates, too.
#[test]
fn claims_hold_of_hidden_digits() {
    let mut data = data();
    // The number lies across the end of a record.
    let (first, second) = BODY.split_at(34);
    data[4].content = first.to_vec();
    data.insert(5, Data::new(Side::Server, 23, second));
    let written = written(data);
    let roots = script::roots();
    let expected = script::expected(&roots);
    let opened = Opened::new(&written.recording, &written.secret, &expected).unwrap();
    let hidden = crate::json::hide(BODY, &[], &["$.balance".parse().unwrap()]).unwrap().into_iter();
    let hidden = hidden
        .map(|part| Span::hidden(HEAD.len() + part.range.start..HEAD.len() + part.range.end, part.hidden));
    let mut spans: Vec<_> = hidden.collect();
    spans.push(Span::shown(0..HEAD.len() + BODY.len()));
    let opening = opened.opening(&[Span::shown(0..REQUEST.len())], &spans);
    let skeleton = crate::skeleton::skeleton(&opening.server);
    let body = &skeleton[HEAD.len()..];
    let json = crate::json::Json::read(body).unwrap();
    let stated = |claims: &[&str]| {
        let comparisons = claims.iter().map(|claim| {
            let claim: crate::claim::Claim = claim.parse().unwrap();
            let Settled::By(comparison) = claim.settle(&json, body).unwrap() else { panic!("{claim}") };
            comparison.map(|at| HEAD.len() + at)
        });
        let comparisons = comparisons.collect::<Vec<_>>();
        let statement = Statement::new(&written.recording, opened.session(), &opening, Form::Gates).unwrap();
        statement.of_body(&opening, &comparisons, &[])
    };
    let check = |claims: &[&str], by_gates: bool| {
        let statement = stated(claims);
        let ended = statement.check(&written.secret).map_err(|error| error.to_string());
        if by_gates {
            let gates = volery::check(&statement, Statement::witness(&written.secret));
            assert_eq!(gates.is_ok(), ended.is_ok(), "{claims:?} {gates:?}");
        }
        ended
    };
    check(&["$.balance >= 123456789", "$.balance < 123456789.5", "$.balance != 0"], true).unwrap();
    check(&["$.balance == 123456789"], false).unwrap();
    for (claim, by_gates) in [
        ("$.balance >= 123456790", true),
        ("$.balance < 123456789.0", false),
        ("$.balance == 123456780", false),
        ("$.balance > 1000000000", false),
    ] {
        let why = check(&[claim], by_gates).unwrap_err();
        assert!(why.contains(&format!("claim {claim} does not hold")), "{why}");
    }
    let digests = [&[][..], &["$.balance > 1"], &["$.balance > 2"], &["$.balance > 1", "$.balance > 2"]];
    let digests = digests.map(|claims| stated(claims).digest());
    assert!((0..4).all(|i| !digests[..i].contains(&digests[i])));
}

/// Values that are hidden whole, in one record and in two, end where a walk over them says: by gates, too.
#[test]
fn values_hidden_whole_end_where_they_are_said_to() {
    let mut data = data();
    let (first, second) = BODY.split_at(14);
    data[4].content = first.to_vec();
    data.insert(5, Data::new(Side::Server, 23, second));
    let written = written(data);
    let roots = script::roots();
    let expected = script::expected(&roots);
    let opened = Opened::new(&written.recording, &written.secret, &expected).unwrap();
    let check = |ranges: &[Range<usize>], by_gates: bool| {
        let in_data = |range: &Range<usize>| HEAD.len() + range.start..HEAD.len() + range.end;
        let mut spans: Vec<_> =
            ranges.iter().map(|range| Span::hidden(in_data(range), Hidden::Whole)).collect();
        spans.push(Span::shown(0..HEAD.len() + BODY.len()));
        let opening = opened.opening(&[Span::shown(0..REQUEST.len())], &spans);
        let pieces: Vec<_> =
            ranges.iter().map(|range| Piece { range: in_data(range), begins: true, ends: true }).collect();
        let statement = Statement::new(&written.recording, opened.session(), &opening, Form::Gates).unwrap();
        let statement = statement.of_body(&opening, &[], &pieces);
        let ended = statement.check(&written.secret).map_err(|error| error.to_string());
        if by_gates {
            let gates = volery::check(&statement, Statement::witness(&written.secret));
            assert_eq!(gates.is_ok(), ended.is_ok(), "{ranges:?} {gates:?}");
        }
        ended
    };
    let at = |text: &str| {
        let begin = BODY.windows(text.len()).position(|window| window == text.as_bytes()).unwrap();
        begin..begin + text.len()
    };
    let owner = at("\"Alice Ex\"");
    assert!(owner.contains(&13) && owner.contains(&14));
    check(&[owner.clone(), at("123456789")], true).unwrap();
    check(core::slice::from_ref(&owner), false).unwrap();
    check(&[at(core::str::from_utf8(BODY).unwrap())], false).unwrap();
    for (range, by_gates) in [
        (at("\"Alice"), true),
        (at("\"Alice Ex\",\"balance\":1"), true),
        (at("9}"), false),
        (at("{\"owner\":"), false),
    ] {
        let why = check(core::slice::from_ref(&range), by_gates).unwrap_err();
        assert!(why.contains("a value that is hidden whole at "), "{why}");
    }
    // What one value leaves open is not closed by the next.
    check(&[owner.start..owner.end - 1, owner.end - 1..owner.end], false).unwrap_err();
}

/// A body that is read as JSON is walked wherever it is hidden whole: over chunks, over records, and one without data.
#[test]
fn what_policies_read_is_walked() {
    let body = br#"{"list":[1,"a]"],"price":5,"tag":"DE"}"#;
    let (first, second) = body.split_at(12);
    let chunk = |bytes: &[u8]| [format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat();
    let head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
    let all = [&head[..], &chunk(first), &chunk(second), b"0\r\n\r\n"].concat();
    let mut data = data();
    let cut = all.windows(2).position(|two| two == b"a]").unwrap();
    data[3].content = all[..cut].to_vec();
    data[4].content = Vec::new();
    data.insert(5, Data::new(Side::Server, 23, &all[cut..]));
    let written = written(data);
    let roots = script::roots();
    let expected = script::expected(&roots);
    let opened = Opened::new(&written.recording, &written.secret, &expected).unwrap();
    let policy = |reveal: &str, claims: &[&str]| {
        let wanted = crate::policy::Wanted {
            host: NAME.into(),
            port: 443,
            suites: vec![Suite::default()],
            target: "/balance".into(),
            fields: vec![],
            shown_fields: vec![],
            status: vec![200],
            content_type: None,
            reveal: reveal.split_whitespace().map(|path| path.parse().unwrap()).collect(),
            claims: claims.iter().map(|claim| claim.parse().unwrap()).collect(),
            program: None,
            choose: Default::default(),
        };
        Policy::new(wanted).unwrap()
    };
    let ended = |policy: &Policy, more: &[Span], by_gates: bool| {
        let mut spans = more.to_vec();
        spans.extend(policy.response_spans(&opened.data(Side::Server)).unwrap());
        let opening = opened.opening(&[Span::shown(0..REQUEST.len())], &spans);
        // The request is not the policy's, and no matter here.
        let response = crate::http::response(&crate::skeleton::skeleton(&opening.server)).unwrap();
        let read = policy.read_body(&response, &opening.choice).map_err(|why| why.to_string())?;
        let statement = Statement::new(&written.recording, opened.session(), &opening, Form::Gates).unwrap();
        let statement = statement.of_body(&opening, &read.comparisons, &read.pieces);
        let ended = statement.check(&written.secret).map_err(|error| error.to_string());
        if by_gates {
            let gates = volery::check(&statement, Statement::witness(&written.secret));
            assert_eq!(gates.is_ok(), ended.is_ok(), "{gates:?}");
        }
        ended.map(|()| read.pieces)
    };
    let at = |text: &str| {
        let begin = all.windows(text.len()).position(|window| window == text.as_bytes()).unwrap();
        begin..begin + text.len()
    };
    let whole = |range: Range<usize>, begins, ends| Piece { range, begins, ends };
    // The list is cut by a chunk, and the end of its string by records.
    let list = [whole(at("[1,\""), true, false), whole(at("a]\"]"), false, true)];
    assert_eq!(first.len(), at("[1,\"").end - at("{\"list").start);
    let found = ended(&policy("$.price", &["$.tag in [\"DE\", \"FR\"]"]), &[], true).unwrap();
    assert_eq!(found, [&list[..], &[whole(at("\"DE\""), true, true)]].concat());
    let refused = ended(&policy("", &["$.tag == \"FR\""]), &[], true).unwrap_err();
    assert!(refused.contains("claim $.tag == \"FR\" does not hold"), "{refused}");
    ended(&policy("", &["$.tag matches \"D[A-Z]\"", "$.price matches \"[1-9]\""]), &[], true).unwrap();
    for claim in ["$.tag matches \"[A-D]+\"", "$.price matches \"[6-9]\""] {
        let refused = ended(&policy("", &[claim]), &[], true).unwrap_err();
        assert!(refused.contains(&format!("claim {claim} does not hold")), "{refused}");
    }
    ended(&policy("", &["$.list[1] == \"a]\"", "$.price < 6"]), &[], false).unwrap();
    let none = ended(&policy("", &["$.other == \"x\""]), &[], false).unwrap_err();
    assert!(none.contains("the claim $.other == \"x\": there is no value"), "{none}");
    // A reader takes the first for one value, and it is none.
    let wide = at("\"DE\"");
    for (span, words, by_gates) in [
        (at("5,\"tag\":\"DE\""), "a value that is hidden whole at", true),
        (wide.start..wide.end - 1, "the byte 0x22 may not stand there", false),
        (at("[1,\"").start + 1..at("[1,\"").end, "the byte 0x61 may not stand there", false),
    ] {
        let spans = [Span::hidden(span.clone(), Hidden::Whole), Span::shown(wide.end - 1..wide.end)];
        let spans = if span.contains(&(wide.end - 1)) { &spans[..1] } else { &spans };
        let ended = ended(&policy("$.list", &[]), spans, by_gates);
        let why = ended.unwrap_err();
        assert!(why.contains(words), "{span:?} {why}");
    }
}

/// The gates of each class on all bytes, and how many they are.
#[test]
fn gates_of_classes_are_those_of_bytes() {
    type Gates = fn(&mut Recorder<'_, F2>, &Word<Handle, 8>) -> volery::Result<Bit<Handle>>;
    struct Of(Gates, u8, bool);
    impl Circuit<Recorder<'_, F2>> for Of {
        fn run(&self, b: &mut Recorder<'_, F2>) -> volery::Result<()> {
            let byte = Word::witness(b)?;
            byte.assert_equal(b, &Word::public(self.1.into()), "byte")?;
            (self.0)(b, &byte)?.assert_equal(b, Bit::Public(self.2), "class")
        }
    }
    type Class = (Gates, fn(u8) -> bool, u64);
    let cases: [Class; 3] = [
        (below_blank, |byte| byte < 0x20, 2),
        (above_nine, |byte| byte & 15 > 9, 2),
        // The highest bit is demanded beside.
        (ends_word, |byte| !matches!(byte & 0x7f, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_'), 19),
    ];
    for (gates, expected, ands) in cases {
        for byte in 0..=255 {
            volery::check(&Of(gates, byte, expected(byte)), bits_of(&[byte])).unwrap();
        }
        assert_eq!(Shape::without_depth::<F2>(&Of(gates, 0, true)).unwrap().mul, ands);
    }
}

/// A server that speaks before it was asked.
#[test]
fn answers_come_behind_requests() {
    let mut early = data();
    early.swap(1, 3);
    let written = written(early);
    assert_eq!(refusal(&written, &opened(&written)), Why::TooEarly);
}

#[test]
fn openings_have_one_form() {
    let (written, opening) = changed(|_| {});
    let bytes = opening.to_bytes();
    let read = Opening::from_bytes(&bytes).unwrap();
    assert_eq!(read.to_bytes(), bytes);
    assert_eq!(
        (&read.client, &read.server, &read.hash_keys),
        (&opening.client, &opening.server, &opening.hash_keys)
    );
    for end in 0..bytes.len() {
        assert!(Opening::from_bytes(&bytes[..end]).is_err(), "{end}");
    }
    // What the prover chose stands last: in order, each once, and as text.
    let begin = &bytes[..bytes.len() - 2];
    let choice = |reveal: &[&str], claims: &[&str]| {
        let list = |texts: &[&str]| {
            let each = texts.iter().flat_map(|text| [&[0, text.len() as u8], text.as_bytes()].concat());
            core::iter::once(texts.len() as u8).chain(each).collect::<Vec<_>>()
        };
        Opening::from_bytes(&[begin, &list(reveal), &list(claims)].concat())
    };
    let chosen = choice(&["$.a", "$.b"], &["$.a > 1"]).unwrap();
    assert_eq!((chosen.choice.reveal().len(), chosen.choice.claims()), (2, &["$.a > 1".to_owned()][..]));
    assert!(chosen.to_bytes().starts_with(begin) && Opening::from_bytes(&chosen.to_bytes()).is_ok());
    for reveal in [&["$.b", "$.a"][..], &["$.a", "$.a"], &["x"; 17]] {
        assert_eq!(choice(reveal, &[]).map(drop).unwrap_err().why, Why::NotCanonical);
    }
    let no_text = Opening::from_bytes(&[begin, &[1, 0, 1, 0xff, 0]].concat());
    assert_eq!(no_text.map(drop).unwrap_err().why, Why::NotCanonical);
    let refused = |bytes: &[u8]| Opening::from_bytes(bytes).map(drop).unwrap_err().why;
    assert_eq!(refused(&[&bytes[..], &[0]].concat()), Why::Long);
    let with = |at: usize, byte: u8| {
        let mut bytes = bytes.clone();
        bytes[at] = byte;
        bytes
    };
    assert_eq!(refused(&with(0, 2)), Why::NotCanonical);
    // Another suite; and the use of the client's first record.
    assert_eq!(refused(&with(2, 2)), Why::NotCanonical);
    let of_hashes = if script::SUITE.get() == Suite::Aes128 { 32 } else { 0 };
    assert_eq!(refused(&with(3 + 64 + of_hashes + 2 + 3, 2)), Why::NotCanonical);
    // Parts that touch are one part.
    let (_, touching) = changed(|opening| {
        let parts = opening.client[0].parts.as_mut().unwrap();
        let start = parts[0].length() as u16;
        parts.push(Part { start, said: Said::Shown(vec![1]) });
    });
    assert_eq!(refused(&touching.to_bytes()), Why::NotCanonical);
    let (_, beyond) = changed(|opening| opening.client[0].length = 40);
    assert_eq!(refused(&beyond.to_bytes()), Why::PartBehind);
    // Whatever is public is in the digest.
    let session = written.verify().unwrap();
    let digest = |opening: &Opening, form| {
        Statement::new(&written.recording, &session, opening, form).unwrap().digest()
    };
    let honest = digest(&opening, Form::Gates);
    assert_ne!(honest, digest(&opening, Form::Holes));
    assert_ne!(honest, digest(&chosen, Form::Gates));
    assert_ne!(honest, digest(&open(&written, &[0..54], &[0..HEAD.len(), 45..60]), Form::Gates));
}

/// A request of 1 KB and an answer of 2 KB, with two tickets before it, all shown: 28 compressions of SHA-256, and 201
/// blocks of AES. How much of the former folds depends on digests, which are public.
#[test]
fn gates_are_pinned() {
    assert_eq!(shape(Suite::Aes128, 1024, 2048, Form::Gates), [1_412_591, 1_412_847]);
    assert_eq!(shape(Suite::ChaCha20, 1024, 2048, Form::Gates), [1_097_508, 1_097_764]);
}

#[test]
#[ignore = "slow"]
fn gates_of_larger_sizes_are_pinned() {
    let (aes, chacha20) = (Suite::Aes128, Suite::ChaCha20);
    for (suite, request, response, form, expected) in [
        (aes, 1024, 16384, Form::Gates, [5_229_423, 5_229_679]),
        (aes, 2048, 131_072, Form::Gates, [36_098_639, 36_098_895]),
        (aes, 1024, 2048, Form::Mixed, [548_527, 764_799]),
        (aes, 1024, 2048, Form::Holes, [0, 367_312]),
        (aes, 1024, 16384, Form::Holes, [0, 1_321_520]),
        (chacha20, 1024, 16384, Form::Gates, [3_324_292, 3_324_548]),
        (chacha20, 2048, 131_072, Form::Gates, [21_439_804, 21_440_060]),
        (chacha20, 1024, 2048, Form::Holes, [548_985, 700_281]),
    ] {
        assert_eq!(shape(suite, request, response, form), expected);
    }
}

/// ANDs, and all that is committed to, of a made-up session in which all data is shown.
fn shape(suite: Suite, request: usize, response: usize, form: Form) -> [u64; 2] {
    let statement = crate::sample::statement(&Secret::new([5; 32]), suite, request, response, form);
    let shape = Shape::without_depth::<F2>(&statement).unwrap();
    [shape.mul, shape.mul + shape.inputs]
}
