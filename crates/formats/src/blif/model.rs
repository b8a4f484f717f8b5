//! Models, as they stand in the file.

use super::lines::Lines;
use super::{Word, invalid};
use crate::netlist::Start;
use core::ops::Range;
use std::collections::HashMap;
use volery_channel::error::Result;

/// A model, whose signals have numbers.
pub(super) struct Model<'a> {
    pub(super) name: &'a [u8],
    pub(super) line: u64,
    numbers: HashMap<&'a [u8], u32>,
    pub(super) names: Vec<&'a [u8]>,
    pub(super) inputs: Vec<u32>,
    pub(super) outputs: Vec<u32>,
    /// For each signal up to the last port whether it is among inputs, and among outputs.
    ports: Vec<[bool; 2]>,
    pub(super) tables: Vec<Table>,
    /// The inputs of all tables.
    pub(super) operands: Vec<u32>,
    /// The rows of all tables: for each input 0, 1 or -.
    pub(super) rows: Vec<&'a [u8]>,
    pub(super) latches: Vec<Latch>,
    pub(super) parts: Vec<Part<'a>>,
}

/// The list of ports that a name stands in.
#[derive(Clone, Copy)]
enum Ports {
    In,
    Out,
}

/// A table.
pub(super) struct Table {
    pub(super) line: u64,
    pub(super) operands: Range<usize>,
    pub(super) output: u32,
    pub(super) rows: Range<usize>,
    /// The value of what rows cover.
    pub(super) covered: bool,
}

/// A latch.
pub(super) struct Latch {
    pub(super) line: u64,
    pub(super) next: u32,
    pub(super) output: u32,
    pub(super) start: Start,
    /// Whether it goes with the falling edge, and of which signal, where the file says so.
    pub(super) clock: Option<(bool, u32)>,
}

/// A use of another model, with its signals and ours.
pub(super) struct Part<'a> {
    pub(super) line: u64,
    pub(super) model: &'a [u8],
    pub(super) connected: Vec<(&'a [u8], u32)>,
}

/// Directives that are read and say nothing about gates.
const IGNORED: [&[u8]; 14] = [
    b".cname",
    b".attr",
    b".param",
    b".area",
    b".delay",
    b".wire_load_slope",
    b".wire",
    b".input_arrival",
    b".default_input_arrival",
    b".output_required",
    b".default_output_required",
    b".input_drive",
    b".default_input_drive",
    b".default_max_input_load",
];

/// The most inputs of a table.
const MOST_INPUTS: usize = 1 << 12;

impl<'a> Model<'a> {
    fn new(name: &'a [u8], line: u64) -> Self {
        Self {
            name,
            line,
            numbers: HashMap::new(),
            names: Vec::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            ports: Vec::new(),
            tables: Vec::new(),
            operands: Vec::new(),
            rows: Vec::new(),
            latches: Vec::new(),
            parts: Vec::new(),
        }
    }

    /// Adds an input or an output.
    fn port(&mut self, file: &str, line: u64, name: &'a [u8], kind: Ports) -> Result<()> {
        let number = self.number(name);
        self.ports.resize(self.names.len().max(self.ports.len()), [false; 2]);
        if core::mem::replace(&mut self.ports[number as usize][kind as usize], true) {
            let why = format_args!("{} stands among these twice: name it once", Word(name));
            return Err(invalid(file, line, why));
        }
        match kind {
            Ports::In => self.inputs.push(number),
            Ports::Out => self.outputs.push(number),
        }
        Ok(())
    }

    /// Whether the signal is an input or an output.
    pub(super) fn is_port(&self, signal: u32) -> bool {
        self.ports.get(signal as usize).is_some_and(|kinds| kinds.contains(&true))
    }

    /// The size of all its tables, about: gates, and bytes that are read of rows.
    pub(super) fn size(&self) -> u64 {
        let of = |table: &Table| match (table.operands.len() as u64, table.rows.len() as u64) {
            (inputs @ 0..=6, _) => 1 + (1 << inputs),
            (inputs, rows) => 1 + inputs + inputs.saturating_mul(rows),
        };
        let tables = self.tables.iter().map(of).fold(0, u64::saturating_add);
        tables.saturating_add((self.names.len() + self.latches.len()) as u64 + 1)
    }

    /// The number of the signal of this name, where there is one.
    pub(super) fn signal(&self, name: &[u8]) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    fn number(&mut self, name: &'a [u8]) -> u32 {
        let next = self.names.len() as u32;
        let number = *self.numbers.entry(name).or_insert(next);
        if number == next {
            self.names.push(name);
        }
        number
    }
}

/// All models of a file, at least one.
pub(super) fn read<'a>(lines: &mut Lines<'a>) -> Result<Vec<Model<'a>>> {
    let mut models: Vec<Model<'a>> = Vec::new();
    // Whether what follows belongs to the last model.
    let mut open = false;
    while let Some(words) = lines.next()? {
        let words = words.to_vec();
        let (file, line) = (lines.file, lines.line);
        let rest = &words[1..];
        if words[0] == b".model" {
            let [name] = rest else {
                return Err(invalid(file, line, "write .model and one name"));
            };
            models.push(Model::new(name, line));
            open = true;
            continue;
        }
        if !open && models.is_empty() {
            models.push(Model::new(b"", line));
            open = true;
        }
        let Some(model) = models.last_mut().filter(|_| open) else {
            let word = Word(words[0]);
            return Err(invalid(file, line, format_args!("{word} stands behind .end: begin a .model first")));
        };
        match words[0] {
            b".inputs" | b".outputs" => {
                let ports = if words[0] == b".inputs" { Ports::In } else { Ports::Out };
                for &name in rest {
                    model.port(file, line, name, ports)?;
                }
            }
            b".names" => {
                let Some((&output, inputs)) = rest.split_last() else {
                    return Err(invalid(file, line, "write .names, the inputs of the table and its output"));
                };
                table(lines, model, inputs, output)?;
            }
            b".latch" => {
                let latch = latch(lines.file, line, model, rest)?;
                model.latches.push(latch);
            }
            b".subckt" => {
                let Some((&name, rest)) = rest.split_first() else {
                    return Err(invalid(
                        file,
                        line,
                        "write .subckt, a model, and FORMAL=ACTUAL for its signals",
                    ));
                };
                let mut connected = Vec::with_capacity(rest.len());
                for word in rest {
                    let at = word.iter().position(|&byte| byte == b'=');
                    let split = at.map(|at| (&word[..at], &word[at + 1..]));
                    let Some((formal, actual)) =
                        split.filter(|(formal, actual)| !formal.is_empty() && !actual.is_empty())
                    else {
                        let word = Word(word);
                        return Err(invalid(
                            file,
                            line,
                            format_args!("{word} is not of the form FORMAL=ACTUAL"),
                        ));
                    };
                    connected.push((formal, model.number(actual)));
                }
                model.parts.push(Part { line, model: name, connected });
            }
            b".end" => open = false,
            word if IGNORED.contains(&word) => {}
            word => return Err(unknown(file, line, word)),
        }
    }
    if models.is_empty() {
        return Err(invalid(lines.file, 1, "no model stands in the file: is this BLIF?"));
    }
    Ok(models)
}

#[cold]
fn unknown(file: &str, line: u64, word: &[u8]) -> volery_channel::error::Error {
    let why = match word {
        b".gate" | b".mlatch" => ", a gate of a library: write the circuit with .names and .latch",
        b".exdc" => ", conditions under which outputs do not matter: leave them out",
        b".search" => ", another file: put its models into this one",
        b".conn" => ": write a table of one input",
        b".start_kiss" => ", a table of states: encode them first",
        b".blackbox" => ", a model without gates: put its gates into the file",
        [b'0' | b'1' | b'-', ..] => ": a row of a table stands behind its .names",
        _ => ": there are .model, .inputs, .outputs, .names, .latch, .subckt and .end",
    };
    invalid(file, line, format_args!("{} is not read{why}", Word(word)))
}

/// Reads the rows of a table.
fn table<'a>(
    lines: &mut Lines<'a>,
    model: &mut Model<'a>,
    inputs: &[&'a [u8]],
    output: &'a [u8],
) -> Result<()> {
    let (file, line) = (lines.file, lines.line);
    if inputs.len() > MOST_INPUTS {
        let count = inputs.len();
        return Err(invalid(
            file,
            line,
            format_args!("a table of {count} inputs: {MOST_INPUTS} is the most"),
        ));
    }
    let first = model.operands.len();
    for name in inputs {
        let number = model.number(name);
        model.operands.push(number);
    }
    let output = model.number(output);
    let first_row = model.rows.len();
    let mut covered = None;
    while let Some(words) = lines.next()? {
        if words[0].starts_with(b".") {
            lines.back();
            break;
        }
        let (row, value): (&[u8], &[u8]) = match *words {
            [value] if inputs.is_empty() => (b"", value),
            [row, value] if !inputs.is_empty() => (row, value),
            _ => (b"", b""),
        };
        let good = row.len() == inputs.len() && row.iter().all(|byte| b"01-".contains(byte));
        let value = match value {
            b"0" if good => false,
            b"1" if good => true,
            _ => {
                return Err(invalid(
                    file,
                    lines.line,
                    format_args!(
                        "a row of the table of line {line} has 0, 1 or - for each of its {} inputs, a blank, and 0 \
                         or 1 for its output",
                        inputs.len()
                    ),
                ));
            }
        };
        if *covered.get_or_insert(value) != value {
            return Err(invalid(
                file,
                lines.line,
                format_args!("all rows of the table of line {line} have to have one output, 0 or 1"),
            ));
        }
        model.rows.push(row);
    }
    let (operands, rows) = (first..model.operands.len(), first_row..model.rows.len());
    model.tables.push(Table { line, operands, output, rows, covered: covered.unwrap_or(true) });
    Ok(())
}

/// The edge and the clock by which a latch goes.
type Clock<'a> = Option<(&'a [u8], &'a [u8])>;

fn latch<'a>(file: &str, line: u64, model: &mut Model<'a>, words: &[&'a [u8]]) -> Result<Latch> {
    let (next, output, by, start): (_, _, Clock<'a>, &[u8]) = match *words {
        [next, output] => (next, output, None, b"3"),
        [next, output, start] => (next, output, None, start),
        [next, output, edge, clock] => (next, output, Some((edge, clock)), b"3"),
        [next, output, edge, clock, start] => (next, output, Some((edge, clock)), start),
        _ => return Err(invalid(file, line, "write .latch IN OUT [re|fe CLOCK] [0|1|2|3]")),
    };
    if let Some((edge, _)) = by.filter(|(edge, _)| ![&b"re"[..], b"fe"].contains(edge)) {
        let edge = Word(edge);
        return Err(invalid(
            file,
            line,
            format_args!(
                "a latch goes with the edges re or fe of a clock, not {edge}: there is no step otherwise"
            ),
        ));
    }
    let start = match start {
        b"0" => Start::Bit(false),
        b"1" => Start::Bit(true),
        b"2" | b"3" => Start::Free,
        _ => {
            let start = Word(start);
            return Err(invalid(
                file,
                line,
                format_args!("{start} is no first value of a latch: write 0, 1, 2 or 3"),
            ));
        }
    };
    let clock = by.map(|(edge, clock)| (edge == b"fe", model.number(clock)));
    Ok(Latch { line, next: model.number(next), output: model.number(output), start, clock })
}
