//! A session as its client has it: with the handshake secret, which opens all of its records.

use crate::error::{Place, Refusal, Result, Why};
use crate::opening::{Opening, Planned, Shown};
use crate::recording::{Recording, Side};
use crate::tls::{
    APPLICATION_DATA, Expected, HANDSHAKE, HandshakeSecrets, Keys, Schedule, Secret, Session, content,
    hello_hash, verify,
};
use core::ops::Range;
use zeroize::Zeroizing;

/// The type of the message by which keys change (RFC 8446 section 4.6.3).
const KEY_UPDATE: u8 = 24;

/// A session with its contents. They are the prover's, and have no `Debug`.
pub struct Opened<'r> {
    session: Session<'r>,
    secrets: HandshakeSecrets,
    hash_keys: [[u8; 16]; 2],
    contents: [Vec<Content>; 2],
}

/// The content of a record, and its type.
struct Content {
    kind: u8,
    bytes: Zeroizing<Vec<u8>>,
}

impl<'r> Opened<'r> {
    /// Opens the session in `recording` by `secret`, the handshake secret, and verifies it as the verifier will: so
    /// whatever that would refuse is known before anything is opened to it.
    ///
    /// # Errors
    /// Those of [`verify`]; `Refused` where keys change, or a record does not open.
    pub fn new(recording: &'r Recording, secret: &Secret, expected: &Expected<'_>) -> Result<Self> {
        let schedule = Schedule::new(secret, &hello_hash(recording, expected.name)?);
        let secrets = HandshakeSecrets {
            client: schedule.client_handshake.clone(),
            server: schedule.server_handshake.clone(),
        };
        let session = verify(recording, &secrets, expected)?;
        let keys = schedule.application(&session.finished_hash);
        let hash_keys = keys.each_ref().map(Keys::hash_key);
        let [client, server] = &keys;
        let contents = [open(&session, Side::Client, client)?, open(&session, Side::Server, server)?];
        Ok(Self { session, secrets, hash_keys, contents })
    }

    /// The verified session.
    pub const fn session(&self) -> &Session<'r> {
        &self.session
    }

    /// The application data of a side, from all its records.
    pub fn data(&self, side: Side) -> Zeroizing<Vec<u8>> {
        let data = || self.contents(side).iter().filter(|content| content.kind == APPLICATION_DATA);
        let length = data().map(|content| content.bytes.len()).sum();
        let mut all = Zeroizing::new(Vec::with_capacity(length));
        data().for_each(|content| all.extend_from_slice(&content.bytes));
        all
    }

    fn contents(&self, side: Side) -> &[Content] {
        &self.contents[usize::from(side == Side::Server)]
    }

    /// The opening that shows these ranges of the application data of the client and of the server, and nothing else.
    /// All data of the client is covered, and the server's records up to the last one with data.
    ///
    /// # Panics
    /// Where a range reaches beyond the data.
    pub fn opening(&self, client: &[Range<usize>], server: &[Range<usize>]) -> Opening {
        let last = self.contents(Side::Server).iter().rposition(|content| content.kind == APPLICATION_DATA);
        let upto = last.map_or(0, |last| last + 1);
        let mut plan = plan(&self.contents(Side::Server)[..upto], server);
        // Of data that shows nothing the type is enough, but for the last, whose tag covers it.
        for planned in plan.iter_mut().rev().skip(1) {
            planned.shown.take_if(|shown| shown.is_empty());
        }
        Opening {
            secrets: self.secrets.clone(),
            hash_keys: self.hash_keys,
            client: self::plan(self.contents(Side::Client), client),
            server: plan,
        }
    }
}

/// Opens the records of one side: those of the server up to where its keys change, from where on none is claimed.
fn open(session: &Session<'_>, side: Side, keys: &Keys) -> Result<Vec<Content>> {
    let mut contents = Vec::new();
    for (sequence, record) in session.records(side).iter().enumerate() {
        let refuse = |why| Refusal::of(side, Place::Data { side, sequence }, why);
        let inner = keys.open(sequence as u64, record).map_err(refuse)?;
        let (kind, bytes) = content(&inner).map_err(refuse)?;
        if kind == HANDSHAKE && bytes.first() == Some(&KEY_UPDATE) {
            return Err(refuse(Why::KeyUpdate).into());
        }
        contents.push(Content { kind, bytes: Zeroizing::new(bytes.to_vec()) });
    }
    Ok(contents)
}

/// The plan of records with these contents, which shows `ranges` of the data in them.
fn plan(contents: &[Content], ranges: &[Range<usize>]) -> Vec<Planned> {
    let mut ranges: Vec<_> = ranges.iter().filter(|range| !range.is_empty()).cloned().collect();
    ranges.sort_by_key(|range| range.start);
    // Those that touch are one.
    ranges.dedup_by(|next, before| {
        let touch = next.start <= before.end;
        if touch {
            before.end = before.end.max(next.end);
        }
        touch
    });
    let mut begin = 0;
    let mut plan = Vec::new();
    for Content { kind, bytes } in contents {
        let length = bytes.len() as u16;
        if *kind != APPLICATION_DATA {
            plan.push(Planned { length, kind: *kind, shown: None });
            continue;
        }
        let end = begin + bytes.len();
        let within = ranges.iter().map(|range| range.start.max(begin)..range.end.min(end));
        let shown = within.filter(|range| !range.is_empty()).map(|range| {
            let range = range.start - begin..range.end - begin;
            Shown { start: range.start as u16, bytes: bytes[range].to_vec() }
        });
        plan.push(Planned { length, kind: *kind, shown: Some(shown.collect()) });
        begin = end;
    }
    assert!(ranges.last().is_none_or(|range| range.end <= begin), "a range beyond the data");
    plan
}
