//! The skeleton of a file: all of it but long values of tensors, which stay in the file and are read from there.
//!
//! Networks are mostly weights. A skeleton is what there would be if their values lay beside the file, in a file that is
//! the same one: an ONNX file as any other, with the values' places in the place of the values.

use crate::model::MOST_BYTES;
use crate::protobuf::{Written, refuse};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use volery_channel::error::{Error, Result};

/// The least bytes of values that stay in the file.
const LEAST: u64 = 1 << 18;

/// The number of `ModelProto.graph`, of `GraphProto.initializer`, and of `TensorProto.raw_data`.
const WAY: [u64; 3] = [7, 5, 9];

/// The skeleton of the file at `path`, whose folder is where its values are looked for; the whole file, where it cannot be
/// named as one beside.
///
/// # Errors
/// `Invalid` where it cannot be read, is too large, or is cut short.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>> {
    let unread = |why: io::Error| Error::invalid(format!("it cannot be read: {why}"));
    let file = File::open(path).map_err(unread)?;
    let about = file.metadata().map_err(unread)?;
    if about.len() > MOST_BYTES as u64 {
        return Err(Error::invalid(format!("it has {} bytes, and {MOST_BYTES} are the most", about.len())));
    }
    let name = path.file_name().and_then(|name| name.to_str());
    let name = name.filter(|name| !name.contains(['\\', ':']));
    let is_link = path.symlink_metadata().map_err(unread)?.is_symlink();
    let Some(name) = name.filter(|_| about.is_file() && !is_link) else {
        let mut all = Vec::new();
        file.take(MOST_BYTES as u64 + 1).read_to_end(&mut all).map_err(unread)?;
        return Ok(all);
    };
    let mut source = Source { file: BufReader::new(file), at: 0, length: about.len(), name };
    source.message(about.len(), &WAY).map(|written| written.0)
}

/// A file that is read from its begin to its end.
struct Source<'n> {
    file: BufReader<File>,
    at: u64,
    length: u64,
    name: &'n str,
}

impl Source<'_> {
    /// The message up to `end`, without the values that the numbers of `way` lead to.
    fn message(&mut self, end: u64, way: &[u64]) -> Result<Written> {
        let mut written = Written::default();
        while self.at < end {
            let tag = self.varint(end)?;
            let (number, kind) = (tag >> 3, tag & 7);
            let length = match kind {
                0 => {
                    written = written.number(number, self.varint(end)?);
                    continue;
                }
                1 => 8,
                2 => self.varint(end)?,
                5 => 4,
                // Whoever reads the skeleton says what is wrong.
                _ => 0,
            };
            if length > end - self.at {
                return Err(refuse(self.at as usize, "the file may have been cut short"));
            }
            written = match way {
                [next, rest @ ..] if kind == 2 && number == *next && !rest.is_empty() => {
                    written.bytes(number, self.message(self.at + length, rest)?.0)
                }
                [next] if kind == 2 && number == *next && length >= LEAST => {
                    let from = self.at;
                    self.skip(length)?;
                    self.beside(written, (from, length))
                }
                _ if kind == 2 => written.bytes(number, self.bytes(length)?),
                _ => written.raw(tag, &self.bytes(length)?),
            };
        }
        Ok(written)
    }

    /// Says that a tensor's values lie in this file.
    fn beside(&self, written: Written, (from, length): (u64, u64)) -> Written {
        let entries = [
            ("location", self.name.to_owned()),
            ("offset", from.to_string()),
            ("length", length.to_string()),
        ];
        let entry = |written: Written, (key, value): (&str, String)| {
            written.bytes(13, Written::default().bytes(1, key).bytes(2, value).0)
        };
        entries.into_iter().fold(written, entry).number(14, 1)
    }

    fn varint(&mut self, end: u64) -> Result<u64> {
        let (begin, mut number) = (self.at, 0u64);
        for i in 0..10 {
            let byte = if self.at < end { self.byte()? } else { break };
            if i == 9 && byte > 1 {
                break;
            }
            number |= u64::from(byte & 127) << (7 * i);
            if byte < 128 {
                return Ok(number);
            }
        }
        Err(refuse(begin as usize, "a number does not end: the file may have been cut short"))
    }

    fn byte(&mut self) -> Result<u8> {
        let next = self.file.fill_buf().map(|bytes| bytes.first().copied());
        let byte = next.and_then(|byte| byte.ok_or_else(|| io::ErrorKind::UnexpectedEof.into()));
        let byte = byte.map_err(|why| self.unread(&why))?;
        self.file.consume(1);
        self.at += 1;
        Ok(byte)
    }

    fn bytes(&mut self, length: u64) -> Result<Vec<u8>> {
        // As many as the file has.
        let mut bytes = vec![0; length as usize];
        self.file.read_exact(&mut bytes).map_err(|why| self.unread(&why))?;
        self.at += length;
        Ok(bytes)
    }

    fn skip(&mut self, length: u64) -> Result<()> {
        self.at += length;
        debug_assert!(self.at <= self.length);
        self.file.seek(SeekFrom::Start(self.at)).map(drop).map_err(|why| self.unread(&why))
    }

    fn unread(&self, why: &io::Error) -> Error {
        refuse(self.at as usize, format!("it cannot be read: {why}"))
    }
}
