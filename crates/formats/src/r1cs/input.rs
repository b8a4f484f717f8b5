//! Files of sections, which are read more than once: where each section is, and its bytes in their order.

use crate::bristol::open_regular;
use core::fmt::Display;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use volery_channel::error::{Error, Result};
use zeroize::Zeroizing;

/// A file by its path, or its bytes.
#[derive(Clone, Debug)]
pub(super) enum Source {
    Path(PathBuf),
    Bytes(Arc<[u8]>),
}

pub(super) trait Seekable: Read + Seek {}

impl<T: Read + Seek> Seekable for T {}

/// Bytes asked of a file at once: few enough to stay in the cache until they are parsed, and enough for a hash
/// of many chunks at a time.
const BUFFER: usize = 128 << 10;

/// An open file, read by pieces through a buffer.
pub(super) struct Input<'a> {
    name: &'a str,
    source: Box<dyn Seekable + 'a>,
    /// Wiped, since a witness goes through it, too.
    buffer: Zeroizing<Vec<u8>>,
    /// The part of the buffer that is still to be taken.
    begin: usize,
    end: usize,
    /// The offset in the file of what is taken next, and behind what nothing may be taken.
    at: u64,
    limit: u64,
    /// Behind what nothing is read.
    until: u64,
    pub(super) length: u64,
    /// The hash of all that was read, where it is asked for.
    hash: Option<blake3::Hasher>,
}

impl Source {
    /// Opens it under the `name` that errors say.
    pub(super) fn open<'a>(&'a self, name: &'a str) -> Result<Input<'a>> {
        let open = || -> io::Result<(Box<dyn Seekable + 'a>, u64)> {
            match self {
                Self::Bytes(bytes) => Ok((Box::new(Cursor::new(&bytes[..])), bytes.len() as u64)),
                Self::Path(path) => {
                    let file = open_regular(path)?;
                    let length = file.metadata()?.len();
                    Ok((Box::new(file), length))
                }
            }
        };
        let (source, length) =
            open().map_err(|why| Error::invalid(format!("{name} cannot be read: {why}")))?;
        Ok(Input::new(name, source, length))
    }
}

impl From<&Path> for Source {
    fn from(path: &Path) -> Self {
        Self::Path(path.to_owned())
    }
}

impl<'a> Input<'a> {
    /// All `length` bytes of `source`.
    pub(super) fn new(name: &'a str, source: Box<dyn Seekable + 'a>, length: u64) -> Self {
        let buffer = Zeroizing::new(vec![0; BUFFER]);
        Self {
            name,
            source,
            buffer,
            begin: 0,
            end: 0,
            at: 0,
            limit: length,
            until: length,
            length,
            hash: None,
        }
    }

    /// The next `count` bytes, which are few.
    pub(super) fn take(&mut self, count: usize, what: impl Display) -> Result<&[u8]> {
        if self.end - self.begin < count || self.left() < count as u64 {
            self.fill(count, what)?;
        }
        let begin = self.begin;
        self.begin += count;
        self.at += count as u64;
        Ok(&self.buffer[begin..begin + count])
    }

    /// The next items of `size` bytes, which are few: of `most` of them as many as are at hand, and one at
    /// least.
    pub(super) fn take_some(&mut self, size: usize, most: usize, what: impl Display) -> Result<&[u8]> {
        if self.end - self.begin < size {
            self.fill(size, what)?;
        }
        // What is at hand may be of the next section, too: it is for the caller that as many are left.
        debug_assert!((size * most) as u64 <= self.left());
        self.take(((self.end - self.begin) / size).min(most) * size, "")
    }

    #[cold]
    fn fill(&mut self, count: usize, what: impl Display) -> Result<()> {
        debug_assert!(count <= BUFFER);
        if self.limit - self.at < count as u64 {
            return Err(self.invalid(format_args!(
                "{what} should stand here, and {} are left: is the file truncated?",
                bytes(self.limit - self.at)
            )));
        }
        self.buffer.copy_within(self.begin..self.end, 0);
        (self.begin, self.end) = (0, self.end - self.begin);
        let whole = (self.until - self.at).min(BUFFER as u64) as usize;
        while self.end < count {
            match self.source.read(&mut self.buffer[self.end..whole]) {
                Ok(0) => return Err(self.invalid("the file ends here, and was longer when it was opened")),
                Ok(read) => {
                    if let Some(hash) = &mut self.hash {
                        hash.update(&self.buffer[self.end..self.end + read]);
                    }
                    self.end += read;
                }
                Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
                Err(why) => return Err(self.invalid(why)),
            }
        }
        Ok(())
    }

    /// The next number of 32 bits.
    pub(super) fn word(&mut self, what: impl Display) -> Result<u32> {
        let bytes = self.take(4, what)?;
        Ok(u32::from_le_bytes(bytes.try_into().expect("four bytes")))
    }

    /// The next number of 64 bits.
    pub(super) fn long(&mut self, what: impl Display) -> Result<u64> {
        let bytes = self.take(8, what)?;
        Ok(u64::from_le_bytes(bytes.try_into().expect("eight bytes")))
    }

    /// Goes to a part of the file, and takes nothing beyond that part.
    pub(super) fn go_to(&mut self, begin: u64, length: u64) -> Result<()> {
        let end = begin + length;
        self.source
            .seek(SeekFrom::Start(begin))
            .map_err(|why| Error::invalid(format!("{} cannot be read: {why}", self.name)))?;
        (self.begin, self.end, self.at, self.limit, self.until) = (0, 0, begin, end, end);
        Ok(())
    }

    /// Goes to the beginning of the file, all of which is hashed as it is read.
    pub(super) fn begin_hashed(&mut self) -> Result<()> {
        self.hash = Some(blake3::Hasher::new());
        self.go_to(0, self.length)
    }

    /// Goes on to a later part of the file, reading all before it, and takes nothing beyond that part until
    /// the next call.
    pub(super) fn go_on_to(&mut self, section: Section) -> Result<()> {
        self.limit = section.begin;
        while self.left() > 0 {
            self.take(self.left().min(BUFFER as u64) as usize, "what lies between sections")?;
        }
        self.limit = section.begin + section.length;
        Ok(())
    }

    /// Reads on to the end of the file, and gives the digest of all bytes since [`Input::begin_hashed`].
    pub(super) fn whole_digest(&mut self) -> Result<[u8; 32]> {
        self.go_on_to(Section { begin: self.length, length: 0 })?;
        Ok(self.hash.take().expect("hashed").finalize().into())
    }

    /// The offset of what is taken next.
    pub(super) fn at(&self) -> u64 {
        self.at
    }

    /// The bytes that are left of the part of the file.
    pub(super) fn left(&self) -> u64 {
        self.limit - self.at
    }

    /// The error of a file that is not what it was.
    #[cold]
    pub(super) fn changed(&self) -> Error {
        super::changed(self.name)
    }

    /// An error at what is taken next.
    #[cold]
    pub(super) fn invalid(&self, why: impl Display) -> Error {
        self.invalid_at(self.at, why)
    }

    /// An error at that byte of the file.
    #[cold]
    pub(super) fn invalid_at(&self, at: u64, why: impl Display) -> Error {
        Error::invalid(format!("{}, byte {at}: {why}", self.name))
    }
}

/// The most sections of a file, of which circom writes five: the buffer is filled anew for each.
const MOST_SECTIONS: u32 = 1 << 10;

/// The places of the sections whose kinds are asked for.
pub(super) struct Sections<const N: usize> {
    asked: [Option<Section>; N],
    /// All of them, each with its type, in the order of the file.
    all: Vec<(u32, Section)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Section {
    pub(super) begin: u64,
    pub(super) length: u64,
}

impl<const N: usize> Sections<N> {
    /// Finds the sections of types 1 to N in a file that begins with `magic` and `version`; others are
    /// skipped.
    ///
    /// # Errors
    /// `Invalid` where the file begins with something else, a section occurs twice, or lengths do not fit.
    pub(super) fn find(input: &mut Input<'_>, magic: &[u8; 4], version: u32) -> Result<Self> {
        let begin = input.take(4, "the first four bytes")?;
        if begin != magic {
            let begin = begin.escape_ascii().to_string();
            return Err(input.invalid_at(
                0,
                format_args!("the file begins with \"{begin}\", and not with \"{}\"", magic.escape_ascii()),
            ));
        }
        let found = input.word("the version")?;
        if found != version {
            return Err(input.invalid_at(
                4,
                format_args!("version {found} of the format, and {version} is the one that is read"),
            ));
        }
        let count = input.word("the number of sections")?;
        if count > MOST_SECTIONS {
            return Err(input.invalid_at(
                8,
                format_args!(
                    "{count} sections are announced, and more than {MOST_SECTIONS} are not read: is this a file of \
                     circom?"
                ),
            ));
        }
        let (mut sections, mut all) = ([None; N], Vec::new());
        let mut at = input.at;
        for _ in 0..count {
            input.go_to(at, input.length - at)?;
            let kind = input.word("the type of a section")?;
            let length = input.long("the length of a section")?;
            let section = Section { begin: at + 12, length };
            if length > input.left() {
                return Err(input.invalid_at(
                    at,
                    format_args!(
                        "section {kind} is to have {}, and {} are left: is the file truncated?",
                        bytes(length),
                        bytes(input.left())
                    ),
                ));
            }
            if let Some(place) = (kind as usize).checked_sub(1).and_then(|kind| sections.get_mut(kind))
                && place.replace(section).is_some()
            {
                return Err(input.invalid_at(at, format_args!("a second section of type {kind}")));
            }
            all.push((kind, section));
            at = section.begin + length;
        }
        if at != input.length {
            return Err(input.invalid_at(
                at,
                format_args!(
                    "{} stand behind the last of {count} sections: is the number of sections right?",
                    bytes(input.length - at)
                ),
            ));
        }
        Ok(Self { asked: sections, all })
    }

    /// Reads the file once more, from its first byte on, with `visit` for each section, and gives the digest of
    /// all of it. What was found before is held against what is hashed.
    ///
    /// # Errors
    /// `Invalid` where the file has changed; those of `visit`.
    pub(super) fn read_through<'a>(
        &self,
        input: &mut Input<'a>,
        magic: &[u8; 4],
        version: u32,
        mut visit: impl FnMut(u32, &mut Input<'a>) -> Result<()>,
    ) -> Result<[u8; 32]> {
        input.begin_hashed()?;
        let head = [u32::from_le_bytes(*magic), version, self.all.len() as u32];
        for expected in head {
            if input.word("the head of the file")? != expected {
                return Err(input.changed());
            }
        }
        for &(kind, section) in &self.all {
            input.go_on_to(Section { begin: section.begin - 12, length: 12 })?;
            let found = (input.word("the type of a section")?, input.long("the length of a section")?);
            if found != (kind, section.length) {
                return Err(input.changed());
            }
            input.go_on_to(section)?;
            visit(kind, input)?;
        }
        input.whole_digest()
    }

    /// The section of `kind`, if there is one.
    pub(super) fn get(&self, kind: usize) -> Option<Section> {
        self.asked[kind - 1]
    }

    /// The section of `kind`, which has to be there.
    pub(super) fn of(&self, kind: usize, what: &str, input: &Input<'_>) -> Result<Section> {
        self.get(kind).ok_or_else(|| {
            Error::invalid(format!(
                "{}: the file has no section {kind}, {what}: is it truncated?",
                input.name
            ))
        })
    }
}

/// `count` of bytes, in words.
pub(super) fn bytes(count: u64) -> String {
    if count == 1 { "1 byte".into() } else { format!("{count} bytes") }
}
