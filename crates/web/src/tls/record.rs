//! Records (RFC 8446 section 5), as they lie in the stream of a side.

use super::reader::Reader;
use crate::error::{Place, Refusal, Why};
use crate::recording::Side;

/// Types of records and of contents.
pub(crate) const CHANGE_CIPHER_SPEC: u8 = 20;
pub(crate) const ALERT: u8 = 21;
pub(crate) const HANDSHAKE: u8 = 22;
pub(crate) const APPLICATION_DATA: u8 = 23;

/// Bytes before the fragment of a record.
pub(crate) const HEAD: usize = 5;
/// Bytes of a tag.
pub(crate) const TAG: usize = 16;
/// The most bytes of a content (section 5.1).
pub(crate) const MOST_CONTENT: usize = 1 << 14;
/// The most bytes that protection adds to a content (section 5.2).
const MOST_ADDED: usize = 256;

/// A record in the stream of a side.
#[derive(Clone, Copy, Debug)]
pub struct Record<'r> {
    bytes: &'r [u8],
    /// The bytes of the stream up to its end.
    end: usize,
    /// The records before it.
    pub(crate) number: usize,
}

impl<'r> Record<'r> {
    pub(crate) const fn kind(&self) -> u8 {
        self.bytes[0]
    }

    /// The five bytes before the fragment, which a tag covers, too.
    pub fn head(&self) -> [u8; HEAD] {
        *self.bytes.first_chunk().expect("a record")
    }

    /// All bytes behind the head.
    pub(crate) fn fragment(&self) -> &'r [u8] {
        &self.bytes[HEAD..]
    }

    /// The ciphertext of a protected record, without its tag: one byte at least.
    pub fn ciphertext(&self) -> &'r [u8] {
        &self.fragment()[..self.fragment().len() - TAG]
    }

    /// The tag of a protected record.
    pub fn tag(&self) -> [u8; TAG] {
        *self.bytes.last_chunk().expect("a tag")
    }

    /// The bytes of the stream before it.
    pub const fn start(&self) -> usize {
        self.end - self.bytes.len()
    }

    /// The bytes of the stream up to its end.
    pub const fn end(&self) -> usize {
        self.end
    }
}

/// Cuts the stream of `side` into records. What follows the server's last whole record is left out: the server may
/// have been stopped there, and no claim reaches so far.
pub(crate) fn records(side: Side, stream: &[u8]) -> Result<Vec<Record<'_>>, Refusal> {
    let mut records = Vec::new();
    let mut reader = Reader::new(stream);
    while !reader.is_empty() {
        let start = stream.len() - reader.rest().len();
        let number = records.len();
        match record(side, number, &mut reader) {
            Ok(()) => {}
            Err(Why::Short) if side == Side::Server => break,
            Err(why) => return Err(Refusal::of(side, Place::Record { side, number }, why)),
        }
        let end = stream.len() - reader.rest().len();
        records.push(Record { bytes: &stream[start..end], end, number });
    }
    Ok(records)
}

/// Passes over one record.
fn record(side: Side, number: usize, reader: &mut Reader<'_>) -> Result<(), Why> {
    let (kind, version) = (reader.u8()?, reader.u16()?);
    let fragment = reader.vector16()?.rest();
    let lengths = match kind {
        CHANGE_CIPHER_SPEC => 1..=1,
        ALERT => 2..=2,
        HANDSHAKE => 1..=MOST_CONTENT,
        APPLICATION_DATA => TAG + 1..=MOST_CONTENT + MOST_ADDED,
        _ => return Err(Why::RecordType(kind)),
    };
    // A first hello may have an older version on it.
    let is_first = side == Side::Client && number == 0 && kind == HANDSHAKE;
    if version != 0x0303 && !(is_first && version == 0x0301) {
        return Err(Why::RecordVersion(version));
    }
    if !lengths.contains(&fragment.len()) {
        return Err(Why::RecordLength(fragment.len()));
    }
    match (kind, fragment) {
        (CHANGE_CIPHER_SPEC, [1]) | (HANDSHAKE | APPLICATION_DATA, _) => Ok(()),
        (ALERT, [_, description]) => Err(Why::Alert(*description)),
        _ => Err(Why::RecordType(kind)),
    }
}
