//! The kind in text: variables have any numbers, and ANDs any order.

use super::header::Header;
use super::{Latch, Lines, Literal, Logic, latch, literal};
use crate::netlist::Gate;
use volery_channel::error::{Error, Result};

/// No node: the variable is not defined.
const NONE: u32 = u32::MAX;

/// Reads all but the names.
pub(super) fn read(lines: &mut Lines<'_>, header: &Header) -> Result<Logic> {
    let most = header.most();
    let mut variables = Variables { nodes: vec![NONE; header.variables as usize + 1], next: 1 };
    variables.nodes[0] = 0;
    for number in 0..header.inputs {
        let ([own], _) = lines.numbers::<1>(1, format_args!("input {number}"))?;
        variables.define(lines, own, most, "an input")?;
    }
    let mut latches: Vec<(Latch, u64)> = Vec::with_capacity(header.latches as usize);
    for number in 0..header.latches {
        let what = format_args!("latch {number}, its literal, next state and first value,");
        let ([own, next, reset], count) = lines.numbers::<3>(2, what)?;
        variables.define(lines, own, most, "a latch")?;
        latches.push((latch(lines, own, [next, reset], count - 1, most)?, lines.number()));
    }
    let mut list = |count: u64, what: &str| -> Result<(Vec<Literal>, u64)> {
        let first = lines.number() + 1;
        let mut literals = Vec::with_capacity(count as usize);
        for number in 0..count {
            let ([value], _) = lines.numbers::<1>(1, format_args!("{what} {number}"))?;
            literals.push(literal(lines, value, most)?);
        }
        Ok((literals, first))
    };
    let lists = [
        list(header.outputs, "output")?,
        list(header.bad, "bad state")?,
        list(header.constraints, "constraint")?,
    ];
    let ands = Ands::read(lines, header, &mut variables)?;
    let (gates, ranks) = ands.sorted(lines.file, &variables)?;

    let first_gate = (header.inputs + header.latches + 1) as u32;
    // Gates have been defined in the order of the file, and may stand in another.
    let node = |literal: Literal, line: u64| {
        let node = variables.node(lines.file, literal, line)?;
        let ranked = node.checked_sub(first_gate).and_then(|gate| ranks.get(gate as usize));
        Ok::<_, Error>(Literal::of(ranked.map_or(node, |rank| first_gate + rank)).flip(literal.negated()))
    };
    let latches = latches
        .into_iter()
        .map(|(latch, line)| Ok(Latch { next: node(latch.next, line)?, ..latch }))
        .collect::<Result<_>>()?;
    let mut resolved = lists.into_iter().map(|(literals, first)| {
        (first..).zip(literals).map(|(line, literal)| node(literal, line)).collect::<Result<Vec<_>>>()
    });
    let mut next = || resolved.next().expect("three lists");
    let (outputs, bad, constraints) = (next()?, next()?, next()?);
    let inputs = header.inputs as u32;
    Ok(Logic { inputs, latches, gates, outputs, bad, constraints, ..Logic::default() })
}

/// The node of each variable that is defined.
struct Variables {
    nodes: Vec<u32>,
    /// The next node.
    next: u32,
}

impl Variables {
    #[inline(always)]
    fn define(&mut self, lines: &Lines<'_>, own: u64, most: u64, what: &str) -> Result<()> {
        let literal = literal(lines, own, most)?;
        if literal.negated() || literal.is_constant() {
            return Err(lines.invalid(format_args!(
                "{own} cannot be the literal of {what}: write an even number from 2 on, twice the variable"
            )));
        }
        let node = &mut self.nodes[literal.node() as usize];
        if *node != NONE {
            return Err(lines.invalid(format_args!(
                "variable {} (literal {own}) is defined a second time, as {what}: define it once",
                literal.node()
            )));
        }
        *node = self.next;
        self.next += 1;
        Ok(())
    }

    /// The node of a literal that is read on this line.
    #[inline(always)]
    fn node(&self, file: &str, literal: Literal, line: u64) -> Result<u32> {
        match self.nodes[literal.node() as usize] {
            NONE => Err(undefined(file, literal, line)),
            node => Ok(node),
        }
    }
}

#[cold]
fn undefined(file: &str, literal: Literal, line: u64) -> Error {
    Error::invalid(format!(
        "{file}, line {line}: literal {} is read, and no input, latch or AND defines variable {}",
        literal.0,
        literal.node()
    ))
}

/// The ANDs in the order of the file.
struct Ands {
    operands: Vec<[Literal; 2]>,
    /// The node of the first.
    first: u32,
    /// The line of the first.
    line: u64,
}

impl Ands {
    fn read(lines: &mut Lines<'_>, header: &Header, variables: &mut Variables) -> Result<Self> {
        let most = header.most();
        let (first, line) = (variables.next, lines.number() + 1);
        let mut operands = Vec::with_capacity(header.ands as usize);
        for number in 0..header.ands {
            let what = format_args!("AND {number}, its literal and two operands,");
            let ([own, a, b], _) = lines.numbers::<3>(3, what)?;
            variables.define(lines, own, most, "an AND")?;
            operands.push([literal(lines, a, most)?, literal(lines, b, most)?]);
        }
        Ok(Self { operands, first, line })
    }

    /// The gates, each behind its operands, and where there each of them stands, in the order of the file;
    /// nothing where that is the same order.
    fn sorted(&self, file: &str, variables: &Variables) -> Result<(Vec<Gate>, Vec<u32>)> {
        let mut nodes = Vec::with_capacity(self.operands.len());
        let mut in_order = true;
        for (line, operands) in (self.line..).zip(&self.operands) {
            let own = self.first + nodes.len() as u32;
            let [a, b] = *operands;
            let read = [variables.node(file, a, line)?, variables.node(file, b, line)?];
            in_order &= read[0] < own && read[1] < own;
            nodes.push([0, 1].map(|i| Literal::of(read[i]).flip(operands[i].negated())));
        }
        if in_order {
            return Ok((nodes.into_iter().map(|[a, b]| Gate::and(a, b)).collect(), Vec::new()));
        }
        let order = self.order(file, &nodes)?;
        let mut ranks = vec![0; nodes.len()];
        for (rank, &gate) in (0..).zip(&order) {
            ranks[gate as usize] = rank;
        }
        let ranked = |literal: Literal| match literal.node().checked_sub(self.first) {
            Some(gate) => Literal::of(self.first + ranks[gate as usize]).flip(literal.negated()),
            None => literal,
        };
        let gates = order.iter().map(|&gate| {
            let [a, b] = nodes[gate as usize].map(ranked);
            Gate::and(a, b)
        });
        Ok((gates.collect(), ranks))
    }

    /// The gates in an order in which each stands behind its operands.
    fn order(&self, file: &str, nodes: &[[Literal; 2]]) -> Result<Vec<u32>> {
        #[derive(Clone, Copy, PartialEq)]
        enum Visit {
            Unseen,
            Open,
            Done,
        }
        let mut states = vec![Visit::Unseen; nodes.len()];
        let mut order = Vec::with_capacity(nodes.len());
        // A gate, and which of its operands is looked at next.
        let mut open: Vec<(u32, u8)> = Vec::new();
        for root in 0..nodes.len() as u32 {
            if states[root as usize] == Visit::Unseen {
                states[root as usize] = Visit::Open;
                open.push((root, 0));
            }
            while let Some((gate, operand)) = open.last_mut() {
                let here = *gate as usize;
                let Some(literal) = nodes[here].get(usize::from(*operand)) else {
                    states[here] = Visit::Done;
                    order.push(*gate);
                    open.pop();
                    continue;
                };
                *operand += 1;
                let Some(below) = literal.node().checked_sub(self.first) else { continue };
                match states[below as usize] {
                    Visit::Done => {}
                    Visit::Unseen => {
                        states[below as usize] = Visit::Open;
                        open.push((below, 0));
                    }
                    Visit::Open => {
                        let line = self.line + here as u64;
                        return Err(Error::invalid(format!(
                            "{file}, line {line}: the AND reads itself through that of line {}: a cycle needs a \
                             latch in it",
                            self.line + u64::from(below)
                        )));
                    }
                }
            }
        }
        Ok(order)
    }
}
