//! Names of wires, `.sym`: a line `label,wire,component,name` for each label.

use super::R1cs;
use super::constraint::Constraint;
use super::input::Source;
use crate::bristol::open_regular;
use crate::netlist::writable;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;
use volery_channel::error::{Error, Result};

/// A file of symbols, and what was looked up in it.
#[derive(Debug)]
pub(super) struct Symbols {
    name: String,
    pub(super) source: Source,
    /// BLAKE3 of the file.
    digest: [u8; 32],
    /// Names of public wires, by which values may be given: those of wires that are the same, too.
    public: BTreeMap<String, u32>,
    /// For each public wire, from 1 on, the name of its label.
    names: Vec<String>,
}

/// The longest line that is read, in bytes.
const LONGEST_LINE: u64 = 1 << 16;

/// The names of a constraint's wires that are shown.
const SHOWN: usize = 3;

/// A line.
struct Symbol<'a> {
    label: u64,
    /// The signal's wire, or `None` where the signal was simplified away.
    wire: Option<u32>,
    name: &'a [u8],
}

impl R1cs {
    /// Takes names from the file of symbols at `path`.
    ///
    /// # Errors
    /// `Invalid` with the line where it is malformed, or where it is of another circuit.
    pub fn with_symbols(self, path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        self.with(path.display().to_string(), path.into())
    }

    /// Takes names from a file in memory, called `name` in errors.
    ///
    /// # Errors
    /// As for [`R1cs::with_symbols`].
    pub fn with_symbols_of(self, name: impl Into<String>, bytes: impl Into<Arc<[u8]>>) -> Result<Self> {
        self.with(name.into(), Source::Bytes(bytes.into()))
    }

    fn with(mut self, name: String, source: Source) -> Result<Self> {
        let (last, wires) = (self.header.public(), self.header.wires);
        let labels = self.labels()?;
        // What has its label here is this circuit's. Other labels are of signals that are the same as one that has.
        let mut named = vec![false; labels.len()];
        named[0] = true;
        let (mut public, mut names) = (BTreeMap::new(), vec![String::new(); last as usize]);
        let mut symbols =
            Symbols { name, source, digest: [0; 32], public: BTreeMap::new(), names: Vec::new() };
        let digest = symbols.each(|line, symbol| {
            let Some(wire) = symbol.wire else { return Ok(()) };
            if wire >= wires {
                return Err(Error::invalid(format!(
                    "{}, line {line}: there is no wire {wire} in {}, which has {wires}: give the symbols of this circuit",
                    symbols.name, self.name
                )));
            }
            let own = labels[wire as usize] == symbol.label;
            named[wire as usize] |= own;
            if !(1..=last).contains(&wire) {
                return Ok(());
            }
            let name = writable(symbol.name);
            let first = *public.entry(name.clone()).or_insert(wire);
            if first != wire {
                return Err(Error::invalid(format!(
                    "{}, line {line}: {name} is the name of public wires {first} and {wire}: give each a name of its own",
                    symbols.name
                )));
            }
            if own {
                names[wire as usize - 1] = name;
            }
            Ok(())
        })?;
        if let Some(wire) = named.iter().position(|named| !named) {
            return Err(Error::invalid(format!(
                "{}: label {} is that of wire {wire} in {}, and no line has both: give the symbols of this circuit",
                symbols.name, labels[wire], self.name
            )));
        }
        (symbols.public, symbols.names, symbols.digest) = (public, names, digest);
        self.symbols = Some(symbols);
        Ok(self)
    }

    /// The names of public outputs and inputs, in the order of their wires: those of the symbols, or `out0`,
    /// …, `in0`, ….
    pub fn public_names(&self) -> Vec<String> {
        match &self.symbols {
            Some(symbols) => symbols.names.clone(),
            None => self.plain_names(),
        }
    }

    /// Whether signals have the names of a file of symbols.
    pub fn has_symbols(&self) -> bool {
        self.symbols.is_some()
    }

    /// `out0`, …, `in0`, …, whether there are symbols or not.
    pub fn plain_names(&self) -> Vec<String> {
        let outputs = (0..self.header.outputs).map(|i| format!("out{i}"));
        outputs.chain((0..self.header.inputs).map(|i| format!("in{i}"))).collect()
    }

    /// The number of the public signal of this name among all, if there is one: by any name that the symbols
    /// have for it, or `out0`, ….
    pub fn public_number(&self, name: &str) -> Option<usize> {
        let known = self.symbols.as_ref().and_then(|symbols| symbols.public.get(name));
        let number = |text: &str, count: u32| {
            let number: u32 = text.parse().ok()?;
            (number < count && number.to_string() == text).then_some(number)
        };
        let Self { header, .. } = self;
        let plain = || match (name.strip_prefix("out"), name.strip_prefix("in")) {
            (Some(text), _) => number(text, header.outputs),
            (_, Some(text)) => number(text, header.inputs).map(|number| header.outputs + number),
            _ => None,
        };
        known.map(|wire| wire - 1).or_else(plain).map(|number| number as usize)
    }

    /// The constraint as an error shows it, by the names of its wires, or their numbers; never fails, since
    /// it must not hide that error.
    pub(super) fn describe(&self, number: u32) -> String {
        let wires = self.wires_of(number).unwrap_or_default();
        let shown = &wires[..wires.len().min(SHOWN)];
        let mut names = self.names_of(shown);
        let name = |wire: &u32| names.remove(wire).unwrap_or_else(|| format!("wire {wire}"));
        let mut list = shown.iter().map(name).collect::<Vec<_>>().join(", ");
        let others = wires.len() - shown.len();
        if others > 0 {
            list += &format!(" and {others} other{}", if others == 1 { "" } else { "s" });
        }
        let of = if list.is_empty() { String::new() } else { format!(" ({list})") };
        format!("constraint {number} of {}{of}", self.name)
    }

    /// The wires of a constraint, each once: those of a linear one in their order, and those of another in the
    /// order of its forms from C on.
    ///
    /// # Errors
    /// `Invalid` where they are not held, and the file is not the one that was opened.
    fn wires_of(&self, number: u32) -> Result<Vec<u32>> {
        if let Some(k) = self.linear.of_number(number) {
            return Ok(self.linear.wires(k).iter().copied().filter(|wire| *wire != 0).collect());
        }
        let mut constraints = self.constraints()?;
        let mut constraint = Constraint::default();
        let mut wires = Vec::new();
        while constraints.next(&mut constraint)? {
            if constraint.number == number {
                for term in constraint.forms.iter().rev().flatten() {
                    if term.wire != 0 && !wires.contains(&term.wire) && wires.len() < 1000 {
                        wires.push(term.wire);
                    }
                }
                break;
            }
        }
        constraints.end()?;
        Ok(wires)
    }

    /// The names of these wires, as far as there are symbols, and files are those that were opened.
    fn names_of(&self, wires: &[u32]) -> BTreeMap<u32, String> {
        let Some(symbols) = &self.symbols else { return BTreeMap::new() };
        let is_public = |wire: &u32| (1..=self.header.public()).contains(wire);
        let known = wires.iter().copied().filter(is_public);
        let mut names: BTreeMap<_, _> =
            known.map(|wire| (wire, symbols.names[wire as usize - 1].clone())).collect();
        let others: BTreeSet<u32> = wires.iter().copied().filter(|wire| !is_public(wire)).collect();
        names.extend(self.names_in(symbols, &others).unwrap_or_default());
        names
    }

    /// The names that the file of symbols has for these wires.
    ///
    /// # Errors
    /// `Invalid` where one of both files is not the one that was opened.
    fn names_in(&self, symbols: &Symbols, wires: &BTreeSet<u32>) -> Result<BTreeMap<u32, String>> {
        let mut names = BTreeMap::new();
        if wires.is_empty() {
            return Ok(names);
        }
        let labels = self.labels()?;
        let digest = symbols.each(|_, symbol| {
            if let Some(wire) = symbol.wire
                && wires.contains(&wire)
                && labels[wire as usize] == symbol.label
            {
                names.insert(wire, writable(symbol.name));
            }
            Ok(())
        })?;
        if digest == symbols.digest { Ok(names) } else { Err(super::changed(&symbols.name)) }
    }
}

impl Symbols {
    /// Gives each line, with its number from 1, to `take`, and gives the digest of the file.
    fn each(&self, mut take: impl FnMut(u64, Symbol<'_>) -> Result<()>) -> Result<[u8; 32]> {
        let unread = |why| Error::invalid(format!("{} cannot be read: {why}", self.name));
        let mut source: Box<dyn BufRead + '_> = match &self.source {
            Source::Bytes(bytes) => Box::new(&bytes[..]),
            Source::Path(path) => Box::new(BufReader::new(open_regular(path).map_err(unread)?)),
        };
        let (mut line, mut hash) = (Vec::new(), blake3::Hasher::new());
        for number in 1.. {
            line.clear();
            source.by_ref().take(LONGEST_LINE + 1).read_until(b'\n', &mut line).map_err(unread)?;
            if line.is_empty() {
                break;
            }
            hash.update(&line);
            let invalid = |why: &str| Error::invalid(format!("{}, line {number}: {why}", self.name));
            if line.len() as u64 > LONGEST_LINE {
                return Err(invalid("the line has more than 65536 bytes"));
            }
            let text = line.trim_ascii_end();
            if text.is_empty() {
                continue;
            }
            let symbol = parse(text).ok_or_else(|| {
                invalid("a line is LABEL,WIRE,COMPONENT,NAME, all of them numbers but the last: is this a .sym file?")
            })?;
            take(number, symbol)?;
        }
        Ok(hash.finalize().into())
    }
}

fn parse(line: &[u8]) -> Option<Symbol<'_>> {
    let mut fields = line.splitn(4, |byte| *byte == b',');
    let mut next = || fields.next();
    let [label, wire, component] = [next()?, next()?, next()?].map(str::from_utf8);
    let name = fields.next().filter(|name| !name.is_empty())?;
    component.ok()?.parse::<u64>().ok()?;
    let wire = wire.ok()?;
    let wire = if wire == "-1" { None } else { Some(wire.parse().ok()?) };
    Some(Symbol { label: label.ok()?.parse().ok()?, wire, name })
}
