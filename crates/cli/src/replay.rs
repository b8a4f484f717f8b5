//! Measuring one party alone: the other's messages are recorded, and played to it again.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use volery::channel::Link;

/// Bytes that are read or written at a time.
const BUFFER: usize = 1 << 20;

/// A link that keeps what it receives.
pub(crate) struct Recorded {
    link: Box<dyn Link>,
    record: BufWriter<File>,
}

/// A peer that plays recorded messages, and drops what is sent to it.
pub(crate) struct Replayed {
    record: BufReader<File>,
}

impl Recorded {
    /// A link over `link` that keeps what it receives in `record`.
    pub(crate) fn new(link: Box<dyn Link>, record: File) -> Self {
        Self { link, record: BufWriter::with_capacity(BUFFER, record) }
    }
}

impl Replayed {
    /// The messages in `record`, from its first byte on.
    ///
    /// # Errors
    /// Where the file cannot be read.
    pub(crate) fn new(mut record: File) -> io::Result<Self> {
        record.rewind()?;
        Ok(Self { record: BufReader::with_capacity(BUFFER, record) })
    }
}

impl Link for Recorded {
    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.link.send(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.link.flush()
    }

    fn ready(&self) -> usize {
        self.link.ready()
    }

    fn recv(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        self.link.recv(bytes)?;
        self.record.write_all(bytes)
    }

    fn binding(&self) -> Option<[u8; 32]> {
        self.link.binding()
    }

    fn close(&mut self) -> io::Result<()> {
        self.link.close()
    }
}

impl Link for Replayed {
    fn send(&mut self, _: &[u8]) -> io::Result<()> {
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn recv(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        self.record.read_exact(bytes)
    }

    fn close(&mut self) -> io::Result<()> {
        Ok(())
    }
}
