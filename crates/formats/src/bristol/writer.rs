//! Bristol Fashion, written as a stream.
//!
//! The head announces how many gates follow, so that a circuit is pushed twice: once to be counted, once to
//! be written. No gate is kept. Each gate has a wire of its own, numbered in order behind those of the
//! inputs, and the outputs are copies on the last wires:
//!
//! | pushed | written |
//! |---|---|
//! | a sum, a product | `XOR`, `AND` |
//! | a sum with the constant one | `INV` |
//! | a sum with the constant zero, a scaling | nothing |
//! | a constant, where it is no operand of those | `EQ`, once for each of the two |
//! | an output, an assertion | `EQW`, or `EQ` where it is constant |
//!
//! The format knows no assertions. They become one output more, behind the others, where there are any: a bit
//! each, in order, which is zero where the assertion holds.

use crate::Order;
use crate::written::{Lines, Written, not_a_gate};
use core::fmt::Display;
use std::io::Write;
use volery_channel::error::Result;
use volery_circuit::Backend;
use volery_circuit::stream::{Executor, GatesAlone};
use volery_primitives::{F2, Field};

/// Writes the circuit that `push` pushes, with ports of these widths, of which it must set every output bit.
///
/// # Errors
/// `Invalid` where `out` takes no more, and for a value that the prover would hint; those of `push`.
pub(crate) fn write(
    out: &mut dyn Write,
    inputs: &[u64],
    outputs: &[u64],
    order: &dyn Fn(usize) -> Order,
    push: impl Fn(&mut Writer<'_>) -> Result<()>,
) -> Result<()> {
    let mut count = Writer::new(inputs, outputs, order, Layout::default(), None);
    push(&mut count)?;
    let layout = count.layout(outputs);
    let mut head = Lines::new(out);
    let failures = (layout.assertions > 0).then_some(layout.assertions);
    head.push(format_args!("{} {}", layout.gates, layout.wires));
    for widths in [inputs.to_vec(), outputs.iter().copied().chain(failures).collect()] {
        let list = widths.iter().map(|width| format!(" {width}")).collect::<String>();
        head.push(format_args!("{}{list}", widths.len()));
    }
    head.push(format_args!(""));
    let mut writer = Writer::new(inputs, outputs, order, layout, Some(head));
    push(&mut writer)?;
    assert!(writer.layout(outputs) == layout, "the circuit is the same each time");
    let mut lines = writer.lines.expect("those that are written");
    lines.flush();
    lines.check()
}

/// The numbers that the head announces.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Layout {
    gates: u64,
    wires: u64,
    assertions: u64,
    /// The first wire of the outputs.
    outputs: u64,
}

/// The backend that writes its gates, or only counts them.
pub(crate) struct Writer<'a> {
    /// The writer of lines, or `None` where gates are only counted.
    lines: Option<Lines<'a>>,
    /// The wires of the inputs, as they are read.
    inputs: Box<dyn Iterator<Item = u64>>,
    /// The first wires of the outputs, and last that of the assertions.
    outputs: Vec<u64>,
    /// The next wire that is free.
    free: u64,
    gates: u64,
    assertions: u64,
    /// Bits of outputs that were set.
    set: u64,
    /// The wires of zero and one, where there are.
    constants: [Option<u64>; 2],
}

impl<'a> Writer<'a> {
    fn new(
        inputs: &[u64],
        outputs: &[u64],
        order: &dyn Fn(usize) -> Order,
        layout: Layout,
        lines: Option<Lines<'a>>,
    ) -> Self {
        let (first, free) = places(inputs, 0);
        let orders: Vec<Order> = (0..inputs.len()).map(order).collect();
        let inputs = first.into_iter().zip(orders);
        let inputs = Box::new(inputs.flat_map(|(first, order)| order.map(move |bit| first + bit)));
        let (mut outputs, assertions) = places(outputs, layout.outputs);
        outputs.push(assertions);
        Self { lines, inputs, outputs, free, gates: 0, assertions: 0, set: 0, constants: [None; 2] }
    }

    /// The layout of the gates pushed so far, whose outputs have these widths.
    fn layout(&self, outputs: &[u64]) -> Layout {
        let set = outputs.iter().sum();
        assert_eq!(self.set, set, "every bit of every output is set once");
        Layout {
            gates: self.gates,
            wires: self.free + set + self.assertions,
            assertions: self.assertions,
            outputs: self.free,
        }
    }

    fn copy(&mut self, value: Written, to: u64) {
        match value {
            Written::Constant(bit) => self.line(&[bit.into()], to, "EQ"),
            Written::Wire(wire) => self.line(&[wire], to, "EQW"),
        }
    }

    /// A gate of these operands on a wire of its own, whose number it gives.
    fn gate<const N: usize>(&mut self, operands: [u64; N], name: &str) -> u64 {
        let wire = self.free;
        self.free += 1;
        self.line(&operands, wire, name);
        wire
    }

    /// The number of a wire that carries `value`.
    fn number(&mut self, value: Written) -> u64 {
        match value {
            Written::Wire(wire) => wire,
            Written::Constant(bit) => {
                let wire = self.constants[usize::from(bit)].unwrap_or_else(|| self.gate([bit.into()], "EQ"));
                self.constants[usize::from(bit)] = Some(wire);
                wire
            }
        }
    }

    fn line(&mut self, operands: &[u64], to: u64, name: &str) {
        self.gates += 1;
        let Some(lines) = &mut self.lines else { return };
        for number in [operands.len() as u64, 1].iter().chain(operands).chain([&to]) {
            lines.decimal(*number);
            lines.add(" ");
        }
        lines.add(name);
        lines.end();
    }

    /// # Errors
    /// `Invalid` where not all of it could be written.
    fn written(&self) -> Result<()> {
        self.lines.as_ref().map_or(Ok(()), Lines::check)
    }
}

/// The first wires of ports of these widths, where those of the first begin at `first`, and the
/// first wire behind them.
fn places(widths: &[u64], first: u64) -> (Vec<u64>, u64) {
    let mut next = first;
    let place = |&width: &u64| {
        let place = next;
        next += width;
        place
    };
    let places = widths.iter().map(place).collect();
    (places, next)
}

impl Backend for Writer<'_> {
    type F = F2;
    type Wire = Written;

    fn constant(&mut self, c: F2) -> Written {
        c.into()
    }

    fn add(&mut self, a: Written, b: Written) -> Written {
        match (a, b) {
            (Written::Constant(a), Written::Constant(b)) => Written::Constant(a ^ b),
            (Written::Constant(false), wire) | (wire, Written::Constant(false)) => wire,
            (Written::Constant(true), Written::Wire(wire))
            | (Written::Wire(wire), Written::Constant(true)) => Written::Wire(self.gate([wire], "INV")),
            (Written::Wire(a), Written::Wire(b)) => Written::Wire(self.gate([a, b], "XOR")),
        }
    }

    fn scale(&mut self, a: Written, c: F2) -> Written {
        if c == F2::ONE { a } else { Written::Constant(false) }
    }

    fn witness(&mut self) -> Result<Written> {
        let input = self.inputs.next();
        input.map(Written::Wire).ok_or_else(|| not_a_gate("reads a witness beside its inputs"))
    }

    fn hint(&mut self, _: &[Written], _: impl Fn(&[F2]) -> F2 + Send + Sync + 'static) -> Result<Written> {
        Err(not_a_gate("lets the prover hint values"))
    }

    fn mul(&mut self, a: Written, b: Written) -> Result<Written> {
        self.written()?;
        let operands = [self.number(a), self.number(b)];
        Ok(Written::Wire(self.gate(operands, "AND")))
    }

    fn assert_zero(&mut self, a: Written, _: impl Display) -> Result<()> {
        let place = self.outputs.last().expect("that of the assertions") + self.assertions;
        self.assertions += 1;
        self.copy(a, place);
        self.written()
    }

    fn output(&mut self, port: usize, place: u64, wire: Written) -> Result<()> {
        self.set += 1;
        self.copy(wire, self.outputs[port] + place);
        self.written()
    }
}

impl Executor for Writer<'_> {
    type Beyond = GatesAlone;
}
