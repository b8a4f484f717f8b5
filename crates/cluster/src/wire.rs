//! Numbers, texts and frames, as they are written and read.

use volery::channel::{Channel, Link};
use volery::error::{Error, Misbehaviour, Result};
use zeroize::Zeroizing;

/// A carrier of frames.
pub(super) trait Wire {
    fn put(&mut self, bytes: &[u8]) -> Result<()>;
    fn take(&mut self, bytes: &mut [u8]) -> Result<()>;
    fn hand_over(&mut self) -> Result<()>;
}

impl Wire for Channel {
    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.send(bytes)
    }
    fn take(&mut self, bytes: &mut [u8]) -> Result<()> {
        self.recv(bytes)
    }
    fn hand_over(&mut self) -> Result<()> {
        self.flush()
    }
}

impl Wire for Box<dyn Link> {
    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.send(bytes).map_err(Error::io("sending within the party"))
    }
    fn take(&mut self, bytes: &mut [u8]) -> Result<()> {
        self.recv(bytes).map_err(Error::io("waiting for one of this party"))
    }
    fn hand_over(&mut self) -> Result<()> {
        self.flush().map_err(Error::io("sending within the party"))
    }
}

/// Sends one frame, and hands it over.
pub(super) fn send(wire: &mut impl Wire, body: &[u8]) -> Result<()> {
    let length = u32::try_from(body.len()).expect("a frame that the plan bounds");
    wire.put(&length.to_le_bytes())?;
    wire.put(body)?;
    wire.hand_over()
}

/// Receives one frame of no more than `most` bytes.
pub(super) fn receive(wire: &mut impl Wire, most: usize) -> Result<Zeroizing<Vec<u8>>> {
    let mut length = [0; 4];
    wire.take(&mut length)?;
    let length = u32::from_le_bytes(length) as usize;
    if length > most {
        return Err(malformed());
    }
    let mut body = Zeroizing::new(vec![0; length]);
    wire.take(&mut body)?;
    Ok(body)
}

/// The error of a malformed message.
pub(super) fn malformed() -> Error {
    Error::Misbehaved(Misbehaviour::MalformedWord)
}

/// Bytes that are written; all of them are wiped, since some are secret.
pub(super) struct Writer(Zeroizing<Vec<u8>>);

impl Writer {
    /// Room for so many, by which nothing moves.
    pub(super) fn of(kind: u8, room: usize) -> Self {
        let mut bytes = Zeroizing::new(Vec::with_capacity(room + 1));
        bytes.push(kind);
        Self(bytes)
    }
    pub(super) fn u8(mut self, number: u8) -> Self {
        self.0.push(number);
        self
    }
    pub(super) fn u32(self, number: u32) -> Self {
        self.bytes(&number.to_le_bytes())
    }
    pub(super) fn u64(self, number: u64) -> Self {
        self.bytes(&number.to_le_bytes())
    }
    /// A text of at most 255 bytes.
    pub(super) fn name(self, text: &str) -> Self {
        let length = u8::try_from(text.len()).expect("a short text");
        self.u8(length).bytes(text.as_bytes())
    }
    pub(super) fn bytes(mut self, bytes: &[u8]) -> Self {
        assert!(self.0.len() + bytes.len() <= self.0.capacity(), "secrets would be left behind");
        self.0.extend_from_slice(bytes);
        self
    }
    pub(super) fn end(self) -> Zeroizing<Vec<u8>> {
        self.0
    }
}

/// Bytes that are read; whoever wrote them is not trusted.
pub(super) struct Reader<'a>(pub(super) &'a [u8]);

impl<'a> Reader<'a> {
    pub(super) fn bytes(&mut self, length: usize) -> Result<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(length).ok_or_else(malformed)?;
        self.0 = rest;
        Ok(bytes)
    }
    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        Ok(self.bytes(N)?.try_into().expect("so many"))
    }
    pub(super) fn u8(&mut self) -> Result<u8> {
        Ok(self.array::<1>()?[0])
    }
    pub(super) fn u32(&mut self) -> Result<u32> {
        Ok(u32::from_le_bytes(self.array()?))
    }
    pub(super) fn u64(&mut self) -> Result<u64> {
        Ok(u64::from_le_bytes(self.array()?))
    }
    /// A printable text of at most 255 bytes.
    pub(super) fn name(&mut self) -> Result<String> {
        let length = self.u8()?;
        let text = str::from_utf8(self.bytes(length.into())?).map_err(|_| malformed())?;
        if text.chars().any(char::is_control) {
            return Err(malformed());
        }
        Ok(text.to_owned())
    }
    /// All that is left, as a printable text.
    pub(super) fn text(&mut self) -> Result<String> {
        let text = str::from_utf8(core::mem::take(&mut self.0)).map_err(|_| malformed())?;
        Ok(text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect())
    }
    /// Demands that nothing is left.
    pub(super) fn end(self) -> Result<()> {
        if self.0.is_empty() { Ok(()) } else { Err(malformed()) }
    }
}
