//! The rules of a plan, checked in the clear against the records of a session.

use crate::error::{Error, Place, Refusal, Result, Why};
use crate::opening::{Opening, Part, Planned};
use crate::recording::{Recording, Side};
use crate::tls::{ALERT, APPLICATION_DATA, HANDSHAKE, MOST_CONTENT, Record, Session};

/// Checks the rules of a plan, and that it is by the session's cipher suite.
pub(super) fn check_plan(recording: &Recording, session: &Session<'_>, opening: &Opening) -> Result<()> {
    if opening.hash_keys.suite() != session.suite {
        return Err(Refusal::of_prover(Place::Opening, Why::OtherSuite).into());
    }
    for side in [Side::Client, Side::Server] {
        let (plan, records) = (opening.plan(side), session.records(side));
        for (sequence, planned) in plan.iter().enumerate() {
            let refuse = |why| Refusal::of_prover(Place::Data { side, sequence }, why);
            let record = records.get(sequence).ok_or_else(|| refuse(Why::NoSuchRecord))?;
            check_record(planned, record).map_err(refuse)?;
            check_use(side, sequence, plan).map_err(refuse)?;
        }
        let of_stream = |why| Refusal::of_prover(Place::Stream(side), why);
        if side == Side::Client && plan.len() != records.len() {
            return Err(of_stream(Why::LeftOut).into());
        }
        if !plan.iter().any(|planned| planned.kind == APPLICATION_DATA) {
            return Err(of_stream(Why::NoData).into());
        }
    }
    // The client's last data passed before the server's first.
    let last = opening.client.iter().rposition(|planned| planned.kind == APPLICATION_DATA);
    let first = opening.server.iter().position(|planned| planned.kind == APPLICATION_DATA);
    let (last, first) = (last.expect("there is data"), first.expect("there is data"));
    if recording.passed_before(session.client[last].end(), session.server[first].start()) {
        return Ok(());
    }
    let place = Place::Data { side: Side::Server, sequence: first };
    Err(Error::Refused(Refusal::of(Side::Server, place, Why::TooEarly)))
}

/// Whether lengths and parts of a record fit it.
fn check_record(planned: &Planned, record: &Record<'_>) -> Result<(), Why> {
    let (length, inner) = (usize::from(planned.length), record.ciphertext().len());
    if inner > MOST_CONTENT + 1 {
        return Err(Why::ContentLength(inner - 1));
    }
    // The type takes a byte; only data may be empty (RFC 8446 section 5.1).
    if length >= inner || length == 0 && planned.kind != APPLICATION_DATA {
        return Err(Why::ContentLength(length));
    }
    let ends = planned.parts.iter().flatten().map(Part::end);
    if ends.max().is_some_and(|end| end > length) { Err(Why::PartBehind) } else { Ok(()) }
}

/// Whether a record may be what the plan of its side says.
fn check_use(side: Side, sequence: usize, plan: &[Planned]) -> Result<(), Why> {
    let Planned { kind, parts, .. } = &plan[sequence];
    let is_last = sequence + 1 == plan.len();
    match (side, *kind) {
        (_, APPLICATION_DATA) if parts.is_some() => Ok(()),
        (Side::Client, APPLICATION_DATA) => Err(Why::NotOpened),
        (Side::Client, ALERT) if is_last && parts.is_none() => Ok(()),
        (Side::Server, _) if is_last => Err(Why::NotOpened),
        (Side::Server, APPLICATION_DATA | HANDSHAKE) if parts.is_none() => Ok(()),
        (_, kind) => Err(Why::ContentType(kind)),
    }
}
