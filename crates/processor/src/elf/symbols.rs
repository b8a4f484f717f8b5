//! The names of functions, for messages about a run. Nothing that is proved depends on them.

use super::{File, Result, Segment, refuse};
use std::fmt;

/// The functions of a program, by their addresses.
#[derive(Debug, Default)]
pub struct Symbols(Vec<(u32, String)>);

/// An address, as a person finds it: its function, and how far into it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The address.
    pub address: u32,
    /// The function and the bytes from its beginning, where the file has names.
    pub function: Option<(String, u32)>,
    /// The line of a source file, where somebody has found it.
    pub line: Option<String>,
}

impl Symbols {
    /// The functions in executable `segments`; none where the file is stripped.
    pub(super) fn read(file: File<'_>, segments: &[Segment]) -> Result<Self> {
        let (table, size, count) = (file.word(32)?, file.half(46)?, file.half(48)?);
        let mut found = Vec::new();
        if table == 0 || size as usize != SECTION {
            return Ok(Self::default());
        }
        let section = |number: u32| -> Result<[u32; 10]> {
            let at = u64::from(table) + u64::from(number) * SECTION as u64;
            let header = file.part(at, SECTION, "its table of sections")?;
            Ok(std::array::from_fn(|i| {
                u32::from_le_bytes(header[4 * i..4 * i + 4].try_into().expect("four bytes"))
            }))
        };
        for number in 0..u32::from(count) {
            let [_, kind, _, _, offset, length, link, ..] = section(number)?;
            if kind != SYMBOLS {
                continue;
            }
            if link >= count.into() {
                return Err(refuse("its symbols have their names in no section"));
            }
            let [.., names_at, names_length, _, _, _, _] = section(link)?;
            let names = file.part(names_at.into(), names_length as usize, "its table of names")?;
            let table = file.part(offset.into(), length as usize, "its table of symbols")?;
            for symbol in table.as_chunks::<SYMBOL>().0.iter().take(MOST_SYMBOLS) {
                let word = |at: usize| u32::from_le_bytes(symbol[at..at + 4].try_into().expect("four bytes"));
                let (name, value, kind) = (word(0), word(4), symbol[12] & 15);
                let in_code = segments.iter().any(|segment| segment.executable && segment.holds(value));
                if !in_code || !matches!(kind, NO_TYPE | FUNCTION) {
                    continue;
                }
                let name = names.get(name as usize..).unwrap_or_default();
                // Cut before its end is looked for, which in a file that lies is far away.
                let name = &name[..name.len().min(LONGEST_NAME)];
                let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
                let name: String = String::from_utf8_lossy(name)
                    .chars()
                    .map(|c| if c.is_control() { '?' } else { c })
                    .collect();
                // Compilers mark places within functions by such names.
                if name.is_empty() || name.starts_with(['$', '.']) {
                    continue;
                }
                found.push((value, kind != FUNCTION, name));
            }
            // A file has one such table: were there more, each could name the same symbols again.
            break;
        }
        // Of several at one address a function comes first, and then what sorts first.
        found.sort();
        found.dedup_by_key(|(address, ..)| *address);
        Ok(Self(found.into_iter().map(|(address, _, name)| (address, name)).collect()))
    }

    /// The number of the function that holds `address`, by which it is the same for all of its addresses.
    pub fn number(&self, address: u32) -> Option<usize> {
        self.0.partition_point(|(begin, _)| *begin <= address).checked_sub(1)
    }

    /// The name of function number `number`.
    pub fn name(&self, number: usize) -> &str {
        &self.0[number].1
    }

    /// The addresses around `address` that are in the same function, or in none.
    pub fn range(&self, address: u32) -> std::ops::Range<u32> {
        let behind = self.0.partition_point(|(begin, _)| *begin <= address);
        let begin = |at: usize| self.0.get(at).map(|(begin, _)| *begin);
        behind.checked_sub(1).and_then(begin).unwrap_or(0)..begin(behind).unwrap_or(u32::MAX)
    }

    /// The place of `address` in the source.
    pub fn place(&self, address: u32) -> Place {
        let function = self.number(address).map(|number| {
            let (begin, name) = &self.0[number];
            (name.clone(), address - begin)
        });
        Place { address, function, line: None }
    }
}

/// The content of the section called `name` of an ELF file of 32 bits, where it has one: what debuggers read.
pub fn section<'f>(file: &'f [u8], name: &str) -> Option<&'f [u8]> {
    let file = File(file);
    let (table, count, names) = (file.word(32).ok()?, file.half(48).ok()?, file.half(50).ok()?);
    let header =
        |number: u16, at: u64| file.word(u64::from(table) + u64::from(number) * SECTION as u64 + at).ok();
    let content = |number: u16| {
        let length = header(number, 20)? as usize;
        file.part(header(number, 16)?.into(), length, "a section").ok()
    };
    let names = content(names)?;
    let called = |number: &u16| {
        let begin = header(*number, 0).and_then(|at| names.get(at as usize..)).unwrap_or_default();
        begin.strip_prefix(name.as_bytes()).is_some_and(|rest| rest.first() == Some(&0))
    };
    content((0..count).find(called)?)
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.address)?;
        match (&self.function, &self.line) {
            (None, None) => Ok(()),
            (Some((name, 0)), None) => write!(f, " ({name})"),
            (Some((name, offset)), None) => write!(f, " ({name}+{offset:#x})"),
            (None, Some(line)) => write!(f, " ({line})"),
            (Some((name, offset)), Some(line)) => write!(f, " ({name}+{offset:#x}, {line})"),
        }
    }
}

const SECTION: usize = 40;
const SYMBOL: usize = 16;
const SYMBOLS: u32 = 2;
const NO_TYPE: u8 = 0;
const FUNCTION: u8 = 2;

/// The most symbols that are looked at.
const MOST_SYMBOLS: usize = 1 << 20;

/// The most bytes of a name that are kept.
const LONGEST_NAME: usize = 256;
