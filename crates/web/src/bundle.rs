//! Files for others: what a web server said, as anybody can check it who knows the relay's key.
//!
//! **Relation.** Whoever believes a relay, and accepts a file of its record, knows of one connection what the
//! relay itself would have known that had verified the session: that of the [`record`], at the
//! times of that, under the verifier's own policy, roots and pins. In the place of the relay's own recording
//! stands the one in the file, which the record fixes; in the place of a proof in turns one by VOLE in the
//! head.
//!
//! | part | bytes | checked |
//! |---|---|---|
//! | `volery web file`, version 1 | 15 + 1 | |
//! | [signed record](crate::record), behind its length | 2 + n | relay, signature, name, policy |
//! | what the client sent, what the server sent, of the record's lengths | n | the limits of the policy, and the record's digests |
//! | the order in which they passed: for each passage its side, 0 for the client, and the bytes of that side up to its end | 5 each | likewise |
//! | [opening](crate::opening), behind its length | 4 + n | as in a session, but at the times of the record |
//! | proof, of the label and the statement below | | by `volery` |
//!
//! Numbers are big-endian. The proof's **label** is `volery web file 1`, and by their names the digests,
//! SHA-256 in hexadecimal, of the signed record, of the recording's digest, and of the opening. The digest of
//! its statement is of `volery web file statement 1`, a zero, the same three, that of the policy, and that of
//! the [statement](crate::statement), of AES and SHA-256 with holes ([`Form::Holes`]): so a proof is of one file, and its
//! challenges depend on all of it.
//!
//! **What a file does not say.** It is as good as the relay's word on who was at the other end of the path,
//! and when. It can be copied: whoever shows it need not be its prover, unless the record names that one. Of
//! one record its prover can make many files, which show different things, all of them true, and all under
//! the policy of the record.
//!
//! **What is revealed.** The recording, which is encrypted, and what is opened of it in any session: SHTS,
//! CHTS, and keys of hashes; to whoever has the file.

use crate::error::{Error, Place, Refusal, Result, Whose, Why};
use crate::freshness::Freshness;
use crate::opening::Opening;
use crate::policy::Exchange;
use crate::record::{self, Kept, SignedRecord};
use crate::recording::{Passage, Recording, Side};
use crate::session::{Asking, Checked, Signing, Stated, Terms, Time, confirmed};
use crate::statement::{Form, Statement};
use crate::tls::Suite;
use crate::tunnel::most_opening;
use core::time::Duration;
use sha2::{Digest, Sha256};
use std::io::{Read, Seek, Write};
use volery::channel::Identity;
use volery::circuit::stream::Source;
use volery::{Accepted, F2, Options, Report};

/// The first bytes, with the version.
const MAGIC: [u8; 16] = *b"volery web file\x01";
/// The begin of what the statement's digest is of.
const DOMAIN: &[u8] = b"volery web file statement 1\0";
/// Bytes of a passage.
const PASSAGE: usize = 5;

/// The part of a file before its proof. Nothing of it is believed.
pub struct Bundle {
    /// The record, with the relay that is to have signed it.
    pub record: SignedRecord,
    /// The recording.
    pub recording: Recording,
    /// The values that the prover opens.
    pub opening: Opening,
}

/// The outcome of who verifies a file, which says what the server answered.
pub struct FileVerdict {
    /// The request and the response, as far as they are shown.
    pub exchange: Exchange,
    /// The age of the answer, as it says itself: no further from the times of the record than the terms
    /// allow.
    pub freshness: Freshness,
    /// The record, by a relay that is believed.
    pub record: SignedRecord,
    /// The cipher suite of the session.
    pub suite: Suite,
    /// The server's certificate, in DER.
    pub certificate: Vec<u8>,
    /// The proof's own verdict, without which there is none.
    pub accepted: Accepted,
    /// The proof's report.
    pub report: Report,
}

/// The terms of a statement in a file, whose form is always the same.
fn in_file<'t>(terms: &Terms<'t>) -> Terms<'t> {
    Terms { form: Form::Holes, ..*terms }
}

/// The times of a record.
fn times(record: &SignedRecord) -> [Time; 2] {
    record.record.times.map(|seconds| Time::since_unix_epoch(Duration::from_secs(seconds)))
}

impl Kept {
    /// Writes a file to `out`, from its place on, in which is shown what `asking` says, once that is
    /// confirmed. `out` should be buffered.
    ///
    /// # Errors
    /// `Refused` and `Invalid` where the session proves nothing, or not what the policy wants, or was not
    /// confirmed, before a byte is written; `Io` and `Proof` where writing fails.
    pub fn write(
        &self,
        terms: &Terms<'_>,
        options: &Options,
        asking: &Asking<'_>,
        out: &mut (impl Write + Seek),
    ) -> Result<(Exchange, Report)> {
        let terms = &in_file(terms);
        if terms.policy.digest() != self.record.record.policy {
            return Err(Error::invalid("the record is of another policy: nobody would accept the file"));
        }
        let stated = Stated::of(&self.fetched, terms, times(&self.record), asking)?;
        let Stated { opening, exchange, statement } = stated;
        confirmed(&exchange, asking)?;
        let (record, recording) = (self.record.clone(), self.fetched.recording.clone());
        let bundle = Bundle { record, recording, opening };
        out.write_all(&bundle.to_bytes()).map_err(Error::io("writing the file"))?;
        let options = bundle.options(terms, &statement, options);
        let report = volery::prove_to_file(
            &statement as &dyn Source<F2>,
            Statement::witness(&self.fetched.secret),
            out,
            &options,
        )?;
        Ok((exchange, report))
    }
}

/// Verifies a file, by the record of one of these relays. What is more than the terms' limits allow is not
/// read. `from` should be buffered.
///
/// # Errors
/// `Refused` where the file is none, is not whole, is of another relay, or proves nothing; `Unwanted` where
/// it is not what the policy wants; `Proof` where the proof fails; `Io`.
pub fn verify(
    from: &mut (impl Read + Send),
    relays: &[Identity],
    terms: &Terms<'_>,
    options: &Options,
) -> Result<FileVerdict> {
    let terms = &in_file(terms);
    let (up, down) = (terms.limits.up, terms.limits.down);
    let bundle = Bundle::read_checked(from, [up, down], &mut |record| {
        record.check_signature(relays, Whose::Prover)?;
        if terms.signing == Signing::RecordOfProver && record.record.prover.is_none() {
            return Err(in_place(Place::SignedRecord, Why::OtherProver));
        }
        Ok(())
    })?;
    let Bundle { record, recording, opening } = &bundle;
    record.check_connection(terms.policy, recording, Whose::Prover)?;
    let checked = Checked::of(recording, opening, terms, times(record))?;
    let Checked { suite, certificate, exchange, freshness, statement } = checked;
    let options = bundle.options(terms, &statement, options);
    let (accepted, report) = volery::verify_from(&statement as &dyn Source<F2>, from, &options)?;
    let record = bundle.record;
    Ok(FileVerdict { exchange, freshness, record, suite, certificate, accepted, report })
}

impl Bundle {
    /// Reads the part of a file before its proof, in which each side has at most so many bytes. Nothing is
    /// allocated for a number that no bytes stand behind.
    ///
    /// # Errors
    /// `Refused` where it is no such file, is not whole, or has more; `Io`.
    pub fn read(from: &mut dyn Read, most: [usize; 2]) -> Result<Self> {
        Self::read_checked(from, most, &mut |_| Ok(()))
    }

    /// Reads it where `check` takes its record: before anything behind that is read.
    fn read_checked(
        from: &mut dyn Read,
        most: [usize; 2],
        check: &mut dyn FnMut(&SignedRecord) -> Result<()>,
    ) -> Result<Self> {
        if take::<16>(from).map_err(|error| of_magic(error, Why::NoFile))? != MAGIC {
            return Err(in_place(Place::File, Why::NoFile));
        }
        let length = u16::from_be_bytes(take(from)?).into();
        bound("bytes of the record", length, record::MOST as u64)?;
        let record = SignedRecord::from_bytes(&bytes(from, length)?);
        let record = record.map_err(|why| in_place(Place::SignedRecord, why))?;
        check(&record)?;
        let [up, down] = record.record.recording.lengths;
        bound("bytes of the client", up, most[0] as u64)?;
        bound("bytes of the server", down, most[1] as u64)?;
        let (up, down) = (bytes(from, up)?, bytes(from, down)?);
        // No passage is empty.
        let passages = u64::from(record.record.passages);
        bound("passages", passages, (up.len() + down.len()) as u64)?;
        let order = bytes(from, passages * PASSAGE as u64)?;
        let order = order.chunks(PASSAGE).map(passage).collect::<Result<_, _>>()?;
        let recording = Recording::ordered(up, down, order)?;
        let length = u32::from_be_bytes(take(from)?).into();
        bound("bytes of the opening", length, most_opening(&recording)? as u64)?;
        let opening = Opening::from_bytes(&bytes(from, length)?)?;
        for side in [Side::Client, Side::Server] {
            // What is said to stand in records is no longer than they are.
            let contents =
                opening.plan(side).iter().map(|planned| usize::from(planned.length)).sum::<usize>();
            if contents > recording.stream(side).len() {
                return Err(in_place(Place::Opening, Why::PartBehind));
            }
        }
        Ok(Self { record, recording, opening })
    }

    /// The bytes before the proof.
    pub fn to_bytes(&self) -> Vec<u8> {
        let Self { record, recording, opening } = self;
        let (record, opening) = (record.to_bytes(), opening.to_bytes());
        let mut all = MAGIC.to_vec();
        all.extend((record.len() as u16).to_be_bytes());
        all.extend(record);
        all.extend(recording.stream(Side::Client));
        all.extend(recording.stream(Side::Server));
        for Passage { side, end, .. } in recording.order() {
            all.push((*side == Side::Server).into());
            all.extend((*end as u32).to_be_bytes());
        }
        all.extend((opening.len() as u32).to_be_bytes());
        all.extend(opening);
        all
    }

    /// The options of a proof of `statement`, which is about this opening.
    fn options(&self, terms: &Terms<'_>, statement: &Statement, options: &Options) -> Options {
        let opening: [u8; 32] = Sha256::digest(self.opening.to_bytes()).into();
        let recording: [u8; 32] = Sha256::digest(self.recording.digest().to_bytes()).into();
        let all = [self.record.digest(), recording, opening];
        let digest = Sha256::new_with_prefix(DOMAIN).chain_update(all.as_flattened());
        let digest = digest.chain_update(terms.policy.digest()).chain_update(statement.digest());
        let [record, recording, opening] = all.map(|digest| hex(&digest));
        let label = format!("volery web file 1\nrecord {record}\nrecording {recording}\nopening {opening}");
        Options { statement: Some(digest.finalize().into()), label, ..options.clone() }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A refusal of a part of a file, which is its prover's doing.
fn in_place(at: Place, why: Why) -> Error {
    Refusal { at, why, whose: Whose::Prover }.into()
}

/// The error of a file that ends within its first bytes, where `why` is what that means.
fn of_magic(error: Error, why: Why) -> Error {
    if matches!(error, Error::Refused(_)) { in_place(Place::File, why) } else { error }
}

/// Demands that there are no more of something than there may be.
fn bound(what: &'static str, found: u64, most: u64) -> Result<()> {
    if found > most { Err(in_place(Place::File, Why::Beyond { what, found, most })) } else { Ok(()) }
}

/// The next bytes of a file, for which there is no room before they are there.
fn bytes(from: &mut dyn Read, length: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(length).read_to_end(&mut bytes).map_err(Error::io("reading the file"))?;
    if bytes.len() as u64 == length { Ok(bytes) } else { Err(in_place(Place::File, Why::Short)) }
}

fn take<const N: usize>(from: &mut dyn Read) -> Result<[u8; N]> {
    Ok(bytes(from, N as u64)?.try_into().expect("as many"))
}

/// The passage with these bytes.
fn passage(bytes: &[u8]) -> Result<Passage> {
    let [side, end @ ..] = *bytes.first_chunk::<PASSAGE>().expect("as many");
    let side = match side {
        0 => Side::Client,
        1 => Side::Server,
        _ => return Err(in_place(Place::Order, Why::NotCanonical)),
    };
    Ok(Passage { side, end: u32::from_be_bytes(end) as usize, millis: 0 })
}

#[cfg(test)]
mod tests;
