//! Gates in order, each behind what it reads.

use super::flat::{Driver, Flat, Placed};
use super::model::{Model, Table};
use super::table::Builder;
use super::{Word, invalid};
use crate::netlist::{Latch, Literal, Logic, Names, writable};
use volery_channel::error::Result;

/// The circuit whose gates `flat` has.
pub(super) fn logic(file: &str, models: &[Model<'_>], flat: &Flat) -> Result<Logic> {
    let top = &models[0];
    let leaves = (top.inputs.len() + flat.latches.len()) as u32;
    let mut sorter = Sorter {
        file,
        models,
        flat,
        literals: vec![None; flat.drivers.len()],
        open: vec![false; flat.drivers.len()],
        builder: Builder::new(leaves + 1),
        operands: Vec::new(),
    };
    for (net, driver) in flat.drivers.iter().enumerate() {
        sorter.literals[net] = match *driver {
            Driver::Input(input) => Some(Literal::of(1 + input)),
            Driver::Latch(latch) => Some(Literal::of(1 + top.inputs.len() as u32 + latch)),
            Driver::Table(_) | Driver::Nothing => None,
        };
    }
    for table in 0..flat.tables.len() as u32 {
        sorter.table(table)?;
    }
    let mut outputs = Vec::with_capacity(top.outputs.len());
    let mut output_names = Names::new();
    for (number, &signal) in (0..).zip(&top.outputs) {
        let name = top.names[signal as usize];
        let literal = sorter.literals[flat.nets[signal as usize] as usize];
        outputs.push(literal.ok_or_else(|| {
            invalid(
                file,
                top.line,
                format_args!("nothing sets output {}: add the table that does", Word(name)),
            )
        })?);
        output_names.insert(number, writable(name));
    }
    let mut latches = Vec::with_capacity(flat.latches.len());
    for &Placed { model, number, nets } in &flat.latches {
        let model = &models[model as usize];
        let latch = &model.latches[number as usize];
        let name = model.names[latch.next as usize];
        let next = sorter.literals[flat.nets[nets + latch.next as usize] as usize];
        let next = next.ok_or_else(|| unset(file, latch.line, name))?;
        latches.push(Latch { next, start: latch.start });
    }
    let input_name = |(number, &signal): (u32, &u32)| (number, writable(top.names[signal as usize]));
    Ok(Logic {
        inputs: top.inputs.len() as u32,
        latches,
        gates: sorter.builder.gates,
        outputs,
        input_names: (0..).zip(&top.inputs).map(input_name).collect(),
        output_names,
        ..Logic::default()
    })
}

#[cold]
fn unset(file: &str, line: u64, name: &[u8]) -> volery_channel::error::Error {
    let name = Word(name);
    invalid(file, line, format_args!("{name} is read here, and nothing sets it: no input, table or latch"))
}

struct Sorter<'a> {
    file: &'a str,
    models: &'a [Model<'a>],
    flat: &'a Flat,
    /// The literal of each net, once it is known.
    literals: Vec<Option<Literal>>,
    /// Nets whose tables wait for others.
    open: Vec<bool>,
    builder: Builder,
    operands: Vec<Literal>,
}

impl<'a> Sorter<'a> {
    fn at(&self, table: u32) -> (&'a Model<'a>, &'a Table, usize) {
        let Placed { model, number, nets } = self.flat.tables[table as usize];
        let model = &self.models[model as usize];
        (model, &model.tables[number as usize], nets)
    }

    fn net(&self, table: u32) -> usize {
        let (_, at, nets) = self.at(table);
        self.flat.nets[nets + at.output as usize] as usize
    }

    /// Builds the table, after the tables that it reads.
    fn table(&mut self, table: u32) -> Result<()> {
        if self.literals[self.net(table)].is_some() {
            return Ok(());
        }
        // A table, and which of its operands is looked at next.
        let mut waiting = vec![(table, 0)];
        let net = self.net(table);
        self.open[net] = true;
        while let Some((table, next)) = waiting.last_mut() {
            let (table, (model, at, nets)) = (*table, self.at(*table));
            let Some(&operand) = model.operands[at.operands.clone()].get(*next) else {
                self.build(model, at, nets);
                let net = self.net(table);
                self.open[net] = false;
                waiting.pop();
                continue;
            };
            *next += 1;
            let net = self.flat.nets[nets + operand as usize] as usize;
            if self.literals[net].is_some() {
                continue;
            }
            let Driver::Table(below) = self.flat.drivers[net] else {
                return Err(unset(self.file, at.line, model.names[operand as usize]));
            };
            if self.open[net] {
                let (_, other, _) = self.at(below);
                let name = Word(model.names[operand as usize]);
                return Err(invalid(
                    self.file,
                    at.line,
                    format_args!(
                        "the table reads itself through {name}, which line {} sets: a cycle needs a latch in it",
                        other.line
                    ),
                ));
            }
            self.open[net] = true;
            waiting.push((below, 0));
        }
        Ok(())
    }

    fn build(&mut self, model: &Model<'_>, table: &Table, nets: usize) {
        let literal = |signal: &u32| {
            self.literals[self.flat.nets[nets + *signal as usize] as usize].expect("it was waited for")
        };
        self.operands.clear();
        self.operands.extend(model.operands[table.operands.clone()].iter().map(literal));
        let rows = &model.rows[table.rows.clone()];
        let made = self.builder.table(&self.operands, rows).flip(!table.covered);
        self.literals[self.flat.nets[nets + table.output as usize] as usize] = Some(made);
    }
}
