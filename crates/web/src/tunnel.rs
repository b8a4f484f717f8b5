//! The connection to the server, over the link between prover and verifier: the verifier forwards and records it.
//!
//! **Relation.** Both sides have the same recording of one connection, which the verifier made to an address of its own
//! choice, and which is closed before the prover opens anything of it.
//!
//! | step | who | message | bytes |
//! |---|---|---|---|
//! | 0 | both | the protocol, and digests of the [terms](crate::terms), which have to be the other's; behind them the link is two, and the other one has the [proof system](crate::beside) | 157; the prover 158 |
//! | 1 | prover | `Up`: what the server is to have, at first a whole ClientHello | 5 + n |
//! | 2 | verifier | `Down`: what the server said since; or `Ended`, with its last bytes; or `Refused`, with whether that is a refusal (0) or a fault of the server or a link (1), and why | 5 + n |
//! | | | steps 1 and 2 again, as often as the prover wants to read | |
//! | 3 | prover | `Close`: the last bytes for the server | 5 + n |
//! | 4 | verifier | `Closed`, once the connection is: the lengths and SHA-256 of both directions, and SHA-256 of the order in which their bytes passed | 5 + 112 |
//! | 4b | verifier | where the terms ask for it `Record`, a [signed record](crate::record) | 5 + n |
//! | 5 | prover | `Opening`; or, where there was a record, `Kept`: it wants no more than that, and all ends here | 5 + n, 5 |
//! | 6 | verifier | `Opened`, or `Refused`; the prover does not wait for it | 5 + n |
//! | 7 | both | the proof, on the other link | |
//!
//! A message is its kind, one byte, its length, four, and so many bytes. Both sides bound each length beforehand, by the
//! limits of the directions, and that of an opening by the records that there are, and by what a prover may choose.
//!
//! **Checks of the verifier.** Before it connects the ClientHello has passed all that the proof will ask of it; and so
//! has each further hello before it is forwarded (see [`tls`](crate::tls)). A server whose hello does not pass is hung
//! up on. So the link is no open proxy: it goes to the one name and port of the policy, at an address that is public.
//!
//! **Turns.** Directions take turns, since a link has one thread on each side. The verifier gathers what the server says within some milliseconds, so that a turn carries a flight, and a whole response
//! of some kilobytes takes three turns.
//!
//! **What an abort leaks.** Until step 5 the verifier has ciphertext, and the server's name. A link that ends between
//! steps 4 and 7 proves nothing; behind step 5 the verifier knows what was opened.

mod address;
mod relay;

pub use address::{connect, is_public};
pub use relay::{Relayed, relay};

use crate::error::{Error, Place, Refusal, Result, Whose, Why};
use crate::opening::{self, Opening};
use crate::record::{self, SignedRecord};
use crate::recording::{Passage, Recording, RecordingDigest, Side};
use crate::tls::{APPLICATION_DATA, records};
use std::io::{self, ErrorKind, Read, Write};
use std::time::{Duration, Instant};
use volery::channel::Link;

const UP: u8 = 1;
const DOWN: u8 = 2;
const ENDED: u8 = 3;
const REFUSED: u8 = 4;
const CLOSE: u8 = 5;
const CLOSED: u8 = 6;
const OPENING: u8 = 7;
const OPENED: u8 = 8;
const RECORD: u8 = 9;
const KEPT: u8 = 10;

/// The most bytes of a server in one message.
const MOST_DOWN: usize = 1 << 18;
/// The most bytes of a refusal.
const MOST_WHY: usize = 1 << 10;

/// Limits of a connection to a server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The most bytes of TLS to the server.
    pub up: usize,
    /// The most bytes of TLS from it.
    pub down: usize,
    /// The longest time of the connection.
    pub total: Duration,
    /// The longest silence of the server.
    pub silence: Duration,
    /// The most by which the `Date` of an answer may differ from the verifier's clock.
    pub clock: Duration,
    /// The bytes that an answer is expected to have: correlations for as many are set up while the server is asked.
    pub expected: usize,
}

impl Default for Limits {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self {
            up: 1 << 16,
            down: 1 << 22,
            total: seconds(60),
            silence: seconds(20),
            clock: seconds(300),
            expected: 2048,
        }
    }
}

/// The most bytes of an opening about what was recorded: for each record those of its own, and for each byte of its
/// content one, where it is shown, and five that say where a part begins; what a program gives out; and what the prover
/// chooses.
pub(crate) fn most_opening(recording: &Recording) -> Result<usize> {
    let mut most = opening::MOST_FIXED;
    for side in [Side::Client, Side::Server] {
        let records = records(side, recording.stream(side))?;
        let records = records.iter().filter(|record| record.kind() == APPLICATION_DATA);
        most += records.map(|record| opening::OF_RECORD + 6 * (record.ciphertext().len() - 1)).sum::<usize>();
    }
    Ok(most)
}

/// A message on the link.
struct Message {
    kind: u8,
    bytes: Vec<u8>,
}

fn send(link: &mut dyn Link, kind: u8, bytes: &[u8]) -> io::Result<()> {
    let length = u32::try_from(bytes.len()).map_err(|_| io::Error::from(ErrorKind::InvalidInput))?;
    link.send(&[kind])?;
    link.send(&length.to_be_bytes())?;
    link.send(bytes)?;
    link.flush()
}

/// The next message, of one of these kinds, each with the most bytes that it may have.
fn receive(link: &mut dyn Link, kinds: &[(u8, usize)]) -> io::Result<Message> {
    receive_by(link, kinds, None)
}

/// The next message, which has to be there by a deadline, if there is one.
fn receive_by(link: &mut dyn Link, kinds: &[(u8, usize)], deadline: Option<Instant>) -> io::Result<Message> {
    let mut head = [0; 5];
    fill(link, &mut head, deadline)?;
    let [kind, length @ ..] = head;
    let length = u32::from_be_bytes(length) as usize;
    let most = kinds.iter().find(|(due, _)| *due == kind);
    let wrong = |why| io::Error::new(ErrorKind::InvalidData, why);
    let (_, most) = most.ok_or_else(|| wrong("the peer sends a message that is not due"))?;
    if length > *most {
        return Err(wrong("the peer sends a longer message than it may"));
    }
    let mut bytes = vec![0; length];
    fill(link, &mut bytes, deadline)?;
    Ok(Message { kind, bytes })
}

/// Fills all of `bytes`. One wait is the link's to bound; where there is a deadline, it is for no more than a byte, and
/// none begins behind it: so a peer that drips bytes has no more time than one that sends none.
fn fill(link: &mut dyn Link, mut bytes: &mut [u8], deadline: Option<Instant>) -> io::Result<()> {
    let Some(deadline) = deadline else { return link.recv(bytes) };
    while !bytes.is_empty() {
        if Instant::now() > deadline {
            return Err(is_over());
        }
        let (ready, rest) = bytes.split_at_mut(link.ready().clamp(1, bytes.len()));
        link.recv(ready)?;
        bytes = rest;
    }
    Ok(())
}

/// The error of a connection that takes longer than it may, of whichever side's doing.
fn is_over() -> io::Error {
    io::Error::new(ErrorKind::TimedOut, "its time is over")
}

/// The prover's end of the connection to the server.
pub struct Tunnel<'l> {
    link: &'l mut dyn Link,
    /// Bytes for the server that are not sent yet.
    outgoing: Vec<u8>,
    /// Bytes of the server that are not read yet, from `read` on.
    incoming: Vec<u8>,
    read: usize,
    ended: bool,
    /// The passages, as the verifier has them.
    order: Vec<Passage>,
}

impl<'l> Tunnel<'l> {
    /// The end on `link`, behind step 0.
    pub fn new(link: &'l mut dyn Link) -> Self {
        Self { link, outgoing: vec![], incoming: vec![], read: 0, ended: false, order: vec![] }
    }

    /// Notes that bytes of a side have passed in one message.
    fn passed(&mut self, side: Side, bytes: usize) {
        if bytes > 0 {
            let before = self.order.iter().rfind(|passage| passage.side == side);
            let end = before.map_or(0, |passage| passage.end) + bytes;
            self.order.push(Passage { side, end, millis: 0 });
        }
    }

    /// Steps 3 and 4: closes the connection, and compares what both sides have recorded. Gives the recording in the
    /// order that the verifier has, without times.
    ///
    /// # Errors
    /// `Io`; `Refused` where the verifier has recorded something else.
    pub fn close(mut self, recording: &Recording) -> Result<Recording> {
        let doing = "closing the connection to the server";
        send(self.link, CLOSE, &self.outgoing).map_err(Error::io(doing))?;
        self.passed(Side::Client, self.outgoing.len());
        let closed = receive(self.link, &[(CLOSED, RecordingDigest::BYTES)]).map_err(Error::io(doing))?;
        let other = Refusal { at: Place::Stream(Side::Server), why: Why::OtherBytes, whose: Whose::Verifier };
        let [up, down] = [Side::Client, Side::Server].map(|side| recording.stream(side).to_vec());
        let ordered = Recording::ordered(up, down, self.order).map_err(|_| other.clone())?;
        if closed.bytes == ordered.digest().to_bytes() { Ok(ordered) } else { Err(other.into()) }
    }
}

impl Read for Tunnel<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        while self.read == self.incoming.len() && !self.ended {
            // Step 1.
            let outgoing = core::mem::take(&mut self.outgoing);
            send(self.link, UP, &outgoing)?;
            self.passed(Side::Client, outgoing.len());
            let kinds = [(DOWN, MOST_DOWN), (ENDED, MOST_DOWN), (REFUSED, 1 + MOST_WHY)];
            let message = receive(self.link, &kinds)?;
            if message.kind == REFUSED {
                return Err(refused(&message.bytes));
            }
            self.ended = message.kind == ENDED;
            if message.bytes.is_empty() && !self.ended {
                // It would go on for ever.
                return Err(io::Error::new(
                    ErrorKind::InvalidData,
                    "the verifier sends nothing of the server",
                ));
            }
            self.passed(Side::Server, message.bytes.len());
            (self.incoming, self.read) = (message.bytes, 0);
        }
        let ready = &self.incoming[self.read..];
        let length = ready.len().min(bytes.len());
        bytes[..length].copy_from_slice(&ready[..length]);
        self.read += length;
        Ok(length)
    }
}

impl Write for Tunnel<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.outgoing.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    /// Nothing goes before there is something to wait for: a turn has all of it.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A refusal by the verifier, with what it says of why.
#[derive(Debug, thiserror::Error)]
#[error("the verifier refuses: {0}")]
pub struct RefusedByVerifier(String);

/// Whether an error of a link is a [`RefusedByVerifier`].
pub fn is_refusal(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<RefusedByVerifier>())
}

/// A failure at the verifier, of the server or of the way to it.
#[derive(Debug, thiserror::Error)]
#[error("the verifier cannot go on: {0}")]
struct FailedAtVerifier(String);

/// The error of a refusal that the peer has sent.
fn refused(message: &[u8]) -> io::Error {
    let (fault, why) = message.split_first().map_or((0, message), |(fault, why)| (*fault, why));
    // It is shown on a terminal.
    let why = String::from_utf8_lossy(why).chars().filter(|c| !c.is_control()).collect();
    if fault == 0 {
        io::Error::other(RefusedByVerifier(why))
    } else {
        io::Error::other(FailedAtVerifier(why))
    }
}

/// Step 4b: sends the signed record.
///
/// # Errors
/// `Io`.
pub(crate) fn send_record(link: &mut dyn Link, record: &SignedRecord) -> Result<()> {
    send(link, RECORD, &record.to_bytes()).map_err(Error::io("sending the record"))
}

/// Step 4b of the prover: receives the signed record, of which nothing is checked yet.
///
/// # Errors
/// `Io`, where the verifier cannot sign one, too; `Refused` where it is not canonical.
pub(crate) fn receive_record(link: &mut dyn Link) -> Result<SignedRecord> {
    let doing = "waiting for the record";
    let kinds = [(RECORD, record::MOST), (REFUSED, 1 + MOST_WHY)];
    let message = receive(link, &kinds).map_err(Error::io(doing))?;
    if message.kind == REFUSED {
        return Err(Error::io(doing)(refused(&message.bytes)));
    }
    let refuse = |why| Refusal { at: Place::SignedRecord, why, whose: Whose::Verifier };
    Ok(SignedRecord::from_bytes(&message.bytes).map_err(refuse)?)
}

/// Step 5 of a prover that keeps the record and opens nothing.
///
/// # Errors
/// `Io`.
pub(crate) fn send_kept(link: &mut dyn Link) -> Result<()> {
    send(link, KEPT, &[]).map_err(Error::io("ending the session"))
}

/// Step 5: sends the opening.
///
/// # Errors
/// `Io`.
pub fn send_opening(link: &mut dyn Link, opening: &Opening) -> Result<()> {
    send(link, OPENING, &opening.to_bytes()).map_err(Error::io("sending the opening"))
}

/// Step 6 of the prover: the answer to its opening.
///
/// # Errors
/// `Io`, where it is a refusal, too.
pub fn receive_answer(link: &mut dyn Link) -> Result<()> {
    let doing = "waiting for an answer to what was opened";
    let message = receive(link, &[(OPENED, 0), (REFUSED, 1 + MOST_WHY)]).map_err(Error::io(doing))?;
    if message.kind == REFUSED { Err(Error::io(doing)(refused(&message.bytes))) } else { Ok(()) }
}

/// Step 5 of the verifier: receives the opening; `None` where a prover that has a record keeps that.
///
/// # Errors
/// `Io`; `Refused` where it is not canonical, or the recording has no records.
pub(crate) fn receive_opening(
    link: &mut dyn Link,
    recording: &Recording,
    has_record: bool,
) -> Result<Option<Opening>> {
    let kinds = [(OPENING, most_opening(recording)?), (KEPT, 0)];
    let kinds = if has_record { &kinds[..] } else { &kinds[..1] };
    let message = receive(link, kinds).map_err(Error::io("waiting for the opening"))?;
    if message.kind == KEPT { Ok(None) } else { Ok(Some(Opening::from_bytes(&message.bytes)?)) }
}

/// Step 6: says that the opening is one that a proof may be about.
///
/// # Errors
/// `Io`.
pub fn take_opening(link: &mut dyn Link) -> Result<()> {
    send(link, OPENED, &[]).map_err(Error::io("answering the opening"))
}

/// Tells the prover why its session is refused, but for what is the verifier's alone, as far as the link still goes.
pub fn refuse(link: &mut dyn Link, why: &Error) {
    let is_fault = !matches!(why, Error::Refused(_) | Error::Unwanted(_));
    let mut why = why.told();
    let end = (0..=MOST_WHY.min(why.len())).rev().find(|end| why.is_char_boundary(*end));
    why.truncate(end.unwrap_or(0));
    // It may be sending, and hears the answer only where the link is closed in order.
    let _ = send(link, REFUSED, &[&[is_fault.into()], why.as_bytes()].concat()).and_then(|()| link.close());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tls::script::{Data, Script};
    use volery::channel::pipe;

    /// An opening is no longer than what was recorded has room for, whatever the limits are.
    #[test]
    fn openings_are_bounded_by_what_was_recorded() {
        let data = vec![Data::new(Side::Client, 23, b"GET"), Data::new(Side::Server, 23, b"200")];
        let written = Script { data, ..Script::default() }.write();
        let most = most_opening(&written.recording).unwrap();
        assert!(most < opening::MOST_FIXED + 8 * written.recording.stream(Side::Server).len());
        let received = |length: usize| {
            let (mut here, mut there) = pipe(Duration::from_secs(20));
            let head = [&[OPENING][..], &(length as u32).to_be_bytes(), &vec![0; length]].concat();
            here.send(&head).and_then(|()| here.flush()).unwrap();
            receive_opening(&mut there, &written.recording, false).map(drop).unwrap_err()
        };
        assert!(matches!(received(most), Error::Refused(Refusal { why: Why::NotCanonical, .. })));
        assert!(received(most + 1).to_string().contains("longer message than it may"));
        assert!(most_opening(&Recording::new()).unwrap() == opening::MOST_FIXED);
    }
}
