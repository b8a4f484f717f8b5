//! A session as its client has it: with the handshake secret, which opens all of its records.

use crate::error::{Place, Refusal, Result, Why};
use crate::opening::{Choice, HashKeys, Hidden, Opening, Part, Planned, Said};
use crate::recording::{Recording, Side};
use crate::tls::{
    APPLICATION_DATA, Expected, HANDSHAKE, HandshakeSecrets, Keys, Schedule, Secret, Session, Suite, content,
    hellos, verify,
};
use core::ops::Range;
use zeroize::Zeroizing;

/// The type of the message by which keys change (RFC 8446 section 4.6.3).
const KEY_UPDATE: u8 = 24;

/// A session with its contents. They are the prover's, and have no `Debug`.
pub struct Opened<'r> {
    session: Session<'r>,
    secrets: HandshakeSecrets,
    keys: [Keys; 2],
    contents: [Vec<Content>; 2],
}

/// A range of the application data of a side, and what is to be said of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Span {
    /// The places of its bytes.
    pub range: Range<usize>,
    /// The class by which they are hidden; where `None`, they are shown.
    pub hidden: Option<Hidden>,
}

impl Span {
    /// A range that is shown.
    pub const fn shown(range: Range<usize>) -> Self {
        Self { range, hidden: None }
    }

    /// A range that is hidden by a class.
    pub const fn hidden(range: Range<usize>, class: Hidden) -> Self {
        Self { range, hidden: Some(class) }
    }
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
        let schedule = Schedule::new(secret, &hellos(recording, expected.name, expected.suites)?);
        let secrets = HandshakeSecrets {
            client: schedule.client_handshake.clone(),
            server: schedule.server_handshake.clone(),
        };
        let session = verify(recording, &secrets, expected)?;
        let keys = schedule.application(session.suite, &session.finished_hash);
        Self::of(session, secrets, keys)
    }

    /// Opens the records of a verified session by the keys of content.
    pub(crate) fn of(session: Session<'r>, secrets: HandshakeSecrets, keys: [Keys; 2]) -> Result<Self> {
        let [client, server] = &keys;
        let contents = [open(&session, Side::Client, client)?, open(&session, Side::Server, server)?];
        Ok(Self { session, secrets, keys, contents })
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

    /// The opening that says this of the application data of the client and of the server, and nothing else. All data
    /// of the client is covered, and the server's records up to the last one with data. What several spans have in
    /// common belongs to the first.
    ///
    /// # Panics
    /// Where a span reaches beyond the data.
    pub fn opening(&self, client: &[Span], server: &[Span]) -> Opening {
        let last = self.contents(Side::Server).iter().rposition(|content| content.kind == APPLICATION_DATA);
        let upto = last.map_or(0, |last| last + 1);
        let mut plan = plan(&self.contents(Side::Server)[..upto], server);
        // Of data that shows nothing the type is enough, but for the last, whose tag covers it.
        for planned in plan.iter_mut().rev().skip(1) {
            planned.parts.take_if(|parts| parts.is_empty());
        }
        let client = self::plan(self.contents(Side::Client), client);
        let hash_keys = hash_keys(self.session.suite, &self.keys, [&client, &plan]);
        let (secrets, output, choice) = (self.secrets.clone(), Vec::new(), Choice::default());
        Opening { secrets, hash_keys, client, server: plan, output, choice }
    }
}

/// The keys of the hashes of the records that plans open, by the keys of both sides.
pub(crate) fn hash_keys(suite: Suite, keys: &[Keys; 2], plans: [&[Planned]; 2]) -> HashKeys {
    let [client, server] = keys;
    let of_opened = |keys: &Keys, plan: &[Planned]| {
        let opened = (0..).zip(plan).filter(|(_, planned)| planned.parts.is_some());
        opened.map(|(sequence, _)| keys.hash_key(sequence)).collect()
    };
    match suite {
        Suite::Aes128 => HashKeys::Ghash([client.hash_key(0), server.hash_key(0)]),
        Suite::ChaCha20 => HashKeys::Poly1305([of_opened(client, plans[0]), of_opened(server, plans[1])]),
    }
}

/// Opens the records of one side: those of the server up to where its keys change, from where on none is claimed.
fn open(session: &Session<'_>, side: Side, keys: &Keys) -> Result<Vec<Content>> {
    let records = session.records(side).len();
    if records > u16::MAX.into() {
        return Err(Refusal::of(side, Place::Stream(side), Why::Records(records)).into());
    }
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

/// The plan of records with these contents, which says this of the data in them.
fn plan(contents: &[Content], spans: &[Span]) -> Vec<Planned> {
    let data = contents.iter().filter(|content| content.kind == APPLICATION_DATA);
    let mut said = vec![None; data.map(|content| content.bytes.len()).sum()];
    for Span { range, hidden } in spans.iter().rev() {
        said[range.clone()].fill(Some(*hidden));
    }
    let mut said = &said[..];
    let mut plan = Vec::new();
    for Content { kind, bytes } in contents {
        let length = bytes.len() as u16;
        if *kind != APPLICATION_DATA {
            plan.push(Planned { length, kind: *kind, parts: None });
            continue;
        }
        let (of_record, rest) = said.split_at(bytes.len());
        said = rest;
        let mut parts = Vec::new();
        let mut start = 0;
        for run in of_record.chunk_by(|one, next| one == next) {
            let end = start + run.len();
            let said = run[0].map(|hidden| match hidden {
                None => Said::Shown(bytes[start..end].to_vec()),
                Some(class) => Said::Hidden(class, run.len() as u16),
            });
            parts.extend(said.map(|said| Part { start: start as u16, said }));
            start = end;
        }
        plan.push(Planned { length, kind: *kind, parts: Some(parts) });
    }
    plan
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    /// An answer of one byte to a record may have more records than an opening has numbers for.
    #[test]
    fn records_beyond_number_are_refused() {
        let mut recording = Recording::new();
        let record = [&[23, 3, 3, 0, 18][..], &[0; 18]].concat();
        recording.push(Side::Server, &record.repeat(1 << 16), 0);
        let session = Session::of_records(&recording, Suite::default(), [0; 32], [0; 32]);
        let schedule = Schedule::new(&Secret::new([7; 32]), &[0; 32]);
        let secrets = HandshakeSecrets {
            client: schedule.client_handshake.clone(),
            server: schedule.server_handshake.clone(),
        };
        let keys = schedule.application(session.suite, &[0; 32]);
        let opened = Opened::of(session, secrets, keys);
        let Err(Error::Refused(refusal)) = opened.map(drop) else { panic!("opened, or another error") };
        assert_eq!(refusal.why, Why::Records(1 << 16));
    }
}
