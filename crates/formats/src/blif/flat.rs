//! A circuit whose models are expanded: each use of a model has signals of its own.

use super::model::Model;
use super::{Word, invalid};
use std::collections::HashMap;
use volery_channel::error::Result;

/// The driver of a net.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Driver {
    Nothing,
    /// The input of this number.
    Input(u32),
    /// The latch of this number.
    Latch(u32),
    /// The table of this number.
    Table(u32),
}

/// A table or a latch in one use of its model.
#[derive(Clone, Copy)]
pub(super) struct Placed {
    pub(super) model: u32,
    /// The number in the model.
    pub(super) number: u32,
    /// The place in [`Flat::nets`] where the nets of the model's signals begin.
    pub(super) nets: usize,
}

/// All gates of the expanded circuit, and the nets between them.
pub(super) struct Flat {
    pub(super) drivers: Vec<Driver>,
    /// For each use of a model the net of each of its signals.
    pub(super) nets: Vec<u32>,
    pub(super) tables: Vec<Placed>,
    pub(super) latches: Vec<Placed>,
}

/// The number of signals and gates, of some 40 bytes each, that a circuit may have beside [`FOR_A_BYTE`] for
/// each byte of the file; [`MOST`] bounds both.
const SPARE: u64 = 1 << 21;
const FOR_A_BYTE: u64 = 16;
const MOST: u64 = 1 << 30;

impl Flat {
    pub(super) fn new(file: &str, models: &[Model<'_>], length: usize) -> Result<Self> {
        let mut known = HashMap::new();
        for (number, model) in models.iter().enumerate() {
            if let Some(other) = known.insert(model.name, number) {
                let other: &Model<'_> = &models[other];
                let name = Word(model.name);
                return Err(invalid(
                    file,
                    model.line,
                    format_args!("a model {name} stands in line {} already: rename one", other.line),
                ));
            }
        }
        let parts = parts(file, models, &known)?;
        let most = (SPARE + FOR_A_BYTE * length as u64).min(MOST);
        count(file, models, &parts, most)?;
        let mut flat =
            Self { drivers: Vec::new(), nets: Vec::new(), tables: Vec::new(), latches: Vec::new() };
        flat.place_all(file, models, &parts)?;
        flat.one_clock(file, models)?;
        Ok(flat)
    }

    /// Demands that all latches which follow a clock follow the same edge of one input of the circuit: it makes
    /// the steps.
    fn one_clock(&self, file: &str, models: &[Model<'_>]) -> Result<()> {
        let mut first: Option<((bool, u32), u64)> = None;
        for &Placed { model, number, nets } in &self.latches {
            let model = &models[model as usize];
            let latch = &model.latches[number as usize];
            let Some((falls, signal)) = latch.clock else { continue };
            let (net, name) = (self.nets[nets + signal as usize], Word(model.names[signal as usize]));
            if !matches!(self.drivers[net as usize], Driver::Input(_)) {
                return Err(invalid(
                    file,
                    latch.line,
                    format_args!(
                        "the latch follows {name}, which is no input of the circuit: steps are those of a clock that \
                         nothing else makes, so write what gates it as a table in front of the latch"
                    ),
                ));
            }
            let ((other_falls, other), line) = *first.get_or_insert(((falls, net), latch.line));
            if (other_falls, other) != (falls, net) {
                return Err(invalid(
                    file,
                    latch.line,
                    format_args!(
                        "the latch follows another clock than that of line {line}, or its other edge: all have to \
                         follow one, which makes the steps"
                    ),
                ));
            }
        }
        Ok(())
    }

    /// Places the first model and all that it is made of.
    fn place_all(&mut self, file: &str, models: &[Model<'_>], parts: &[Vec<usize>]) -> Result<()> {
        let top = &models[0];
        self.nets.extend(0..top.names.len() as u32);
        self.drivers.resize(top.names.len(), Driver::Nothing);
        for (number, &signal) in (0..).zip(&top.inputs) {
            self.drive(file, models, signal, Driver::Input(number), (top.line, top.names[signal as usize]))?;
        }
        // Models whose tables are placed, and whose parts are not.
        let mut open = vec![(0, 0)];
        while let Some((number, nets)) = open.pop() {
            let model = &models[number];
            let placed = |gate: usize| Placed { model: number as u32, number: gate as u32, nets };
            for (gate, table) in model.tables.iter().enumerate() {
                self.tables.push(placed(gate));
                let driver = Driver::Table(self.tables.len() as u32 - 1);
                let net = self.nets[nets + table.output as usize];
                self.drive(file, models, net, driver, (table.line, model.names[table.output as usize]))?;
            }
            for (gate, latch) in model.latches.iter().enumerate() {
                self.latches.push(placed(gate));
                let driver = Driver::Latch(self.latches.len() as u32 - 1);
                let net = self.nets[nets + latch.output as usize];
                self.drive(file, models, net, driver, (latch.line, model.names[latch.output as usize]))?;
            }
            for (part, &of) in model.parts.iter().zip(&parts[number]) {
                let inner = &models[of];
                let begin = self.nets.len();
                self.nets.resize(begin + inner.names.len(), u32::MAX);
                for &(formal, actual) in &part.connected {
                    let signal = inner.signal(formal).expect("looked up before");
                    self.nets[begin + signal as usize] = self.nets[nets + actual as usize];
                }
                for signal in begin..self.nets.len() {
                    if self.nets[signal] == u32::MAX {
                        self.nets[signal] = self.drivers.len() as u32;
                        self.drivers.push(Driver::Nothing);
                    }
                }
                open.push((of, begin));
            }
        }
        Ok(())
    }

    /// Has `driver` set `net`, which nothing else may.
    fn drive(
        &mut self,
        file: &str,
        models: &[Model<'_>],
        net: u32,
        driver: Driver,
        (line, name): (u64, &[u8]),
    ) -> Result<()> {
        let other = match core::mem::replace(&mut self.drivers[net as usize], driver) {
            Driver::Nothing => return Ok(()),
            Driver::Input(_) => "it is an input".to_owned(),
            Driver::Table(table) => {
                let Placed { model, number, .. } = self.tables[table as usize];
                format!("line {} sets it", models[model as usize].tables[number as usize].line)
            }
            Driver::Latch(latch) => {
                let Placed { model, number, .. } = self.latches[latch as usize];
                format!("line {} sets it", models[model as usize].latches[number as usize].line)
            }
        };
        let name = Word(name);
        Err(invalid(
            file,
            line,
            format_args!("{name} is set here, and {other}, too: each signal is set once"),
        ))
    }
}

/// For each part of each model the model that it is, where what is connected is right.
fn parts(file: &str, models: &[Model<'_>], known: &HashMap<&[u8], usize>) -> Result<Vec<Vec<usize>>> {
    let mut all = Vec::with_capacity(models.len());
    // Stamps of those signals of a model that are connected, by the part that says so last.
    let mut stamps: Vec<Vec<u64>> = models.iter().map(|model| vec![0; model.names.len()]).collect();
    let mut stamp = 0;
    for model in models {
        let mut of = Vec::with_capacity(model.parts.len());
        for part in &model.parts {
            let name = Word(part.model);
            let Some(&number) = known.get(part.model) else {
                return Err(invalid(file, part.line, format_args!("there is no model {name} in the file")));
            };
            let inner = &models[number];
            stamp += 1;
            for (formal, _) in &part.connected {
                let port = inner.signal(formal).filter(|signal| inner.is_port(*signal));
                let formal = Word(formal);
                let Some(connected) = port.map(|signal| &mut stamps[number][signal as usize]) else {
                    let why = format_args!("model {name} has no input or output {formal}");
                    return Err(invalid(file, part.line, why));
                };
                if core::mem::replace(connected, stamp) == stamp {
                    return Err(invalid(file, part.line, format_args!("{formal} is connected twice")));
                }
            }
            if let Some(&input) = inner.inputs.iter().find(|input| stamps[number][**input as usize] != stamp)
            {
                let input = Word(inner.names[input as usize]);
                return Err(invalid(
                    file,
                    part.line,
                    format_args!("input {input} of model {name} is not connected: write {input}=SIGNAL"),
                ));
            }
            of.push(number);
        }
        all.push(of);
    }
    Ok(all)
}

/// Counts signals and gates of the first model and of all that it is made of, before there are any.
fn count(file: &str, models: &[Model<'_>], parts: &[Vec<usize>], most: u64) -> Result<()> {
    #[derive(Clone, Copy)]
    enum Visit {
        Unseen,
        Open,
        Done(u64),
    }
    let mut states = vec![Visit::Unseen; models.len()];
    // A model, which of its parts is looked at next, and what was counted so far.
    let own = |number: usize| models[number].size();
    let mut open = vec![(0, 0, own(0))];
    states[0] = Visit::Open;
    while let Some((number, next, total)) = open.last_mut() {
        if *total > most {
            return Err(invalid(
                file,
                models[0].line,
                format_args!(
                    "the circuit has more than {most} signals and gates, once its models are put into each other: \
                     that is too much for a file of this length"
                ),
            ));
        }
        let Some(&part) = parts[*number].get(*next) else {
            states[*number] = Visit::Done(*total);
            open.pop();
            continue;
        };
        match states[part] {
            Visit::Done(inner) => {
                *total = total.saturating_add(inner);
                *next += 1;
            }
            Visit::Unseen => {
                states[part] = Visit::Open;
                open.push((part, 0, own(part)));
            }
            Visit::Open => {
                let line = models[*number].parts[*next].line;
                let name = Word(models[part].name);
                return Err(invalid(
                    file,
                    line,
                    format_args!("model {name} is made of itself: that has no end"),
                ));
            }
        }
    }
    Ok(())
}
