//! Circuits of gates over F_2, written as SIEVE text, as a stream.
//!
//! The first wires are the public values, those of public inputs and then one for each bit of each output;
//! then come the private ones, those of all other inputs. Each gate has a wire of its own behind these. That
//! an output comes out is an assertion, as is what the circuit asserts by itself.
//!
//! | pushed | written |
//! |---|---|
//! | a sum, a product | `@add`, `@mul` |
//! | a sum with the constant one | `@addc` |
//! | an output, an assertion | `@assert_zero`, of an output that of its sum with the public value |

use crate::Order;
use crate::written::{Lines, Written, not_a_gate};
use core::fmt::Display;
use std::io::Write;
use volery_channel::error::Result;
use volery_circuit::stream::{Executor, GatesAlone};
use volery_circuit::{Backend, Port};
use volery_primitives::{F2, Field};

/// Writes the circuit that `push` pushes, with ports of these names and widths.
///
/// # Errors
/// `Invalid` where `out` takes no more, and for a value that the prover would hint; those of `push`.
pub(crate) fn write(
    out: &mut dyn Write,
    inputs: &[Port],
    outputs: &[Port],
    order: &dyn Fn(usize) -> Order,
    push: impl FnOnce(&mut Writer<'_>) -> Result<()>,
) -> Result<()> {
    let width = |ports: &mut dyn Iterator<Item = &Port>| ports.map(|port| port.width).sum::<u64>();
    let public_inputs = width(&mut inputs.iter().filter(|port| port.public));
    let (public, private) =
        (public_inputs + width(&mut outputs.iter()), width(&mut inputs.iter().filter(|port| !port.public)));
    let (mut next_public, mut next_private, mut next_output) = (0, public, public_inputs);
    let mut orders = Vec::new();
    for (i, port) in inputs.iter().enumerate() {
        let next = if port.public { &mut next_public } else { &mut next_private };
        let first = *next;
        *next += port.width;
        orders.push(order(i).map(move |bit| first + bit));
    }
    let firsts = outputs.iter().map(|port| {
        next_output += port.width;
        next_output - port.width
    });
    let mut writer = Writer {
        outputs: firsts.collect(),
        inputs: Box::new(orders.into_iter().flatten()),
        free: public + private,
        lines: Lines::new(out),
    };
    writer.lines.push(format_args!("version 2.1.0;\ncircuit;\n@type field 2;\n@begin"));
    writer.read("public", 0, public);
    writer.read("private", public, private);
    push(&mut writer)?;
    writer.lines.push(format_args!("@end"));
    writer.lines.flush();
    writer.lines.check()
}

/// The backend that writes its gates.
pub(crate) struct Writer<'a> {
    lines: Lines<'a>,
    /// The wires of the inputs, as they are read.
    inputs: Order,
    /// The first wires of the public values of outputs.
    outputs: Vec<u64>,
    /// The next wire that is free.
    free: u64,
}

/// The most wires that one line reads.
const READ: u64 = 1 << 20;

impl Writer<'_> {
    /// Writes lines that read `count` values.
    fn read(&mut self, what: &str, mut first: u64, mut count: u64) {
        while count > 0 {
            let some = count.min(READ);
            self.lines.push(format_args!("${first} ... ${} <- @{what}(0);", first + some - 1));
            (first, count) = (first + some, count - some);
        }
    }

    fn gate(&mut self, gate: core::fmt::Arguments<'_>) -> Written {
        let wire = self.free;
        self.free += 1;
        self.lines.push(format_args!("${wire} <- {gate};"));
        Written::Wire(wire)
    }

    fn assertion(&mut self, value: Written) {
        match value {
            Written::Wire(wire) => self.lines.push(format_args!("@assert_zero(0: ${wire});")),
            Written::Constant(bit) => {
                let wire = self.gate(format_args!("<{}>", u8::from(bit)));
                self.assertion(wire);
            }
        }
    }
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
            | (Written::Wire(wire), Written::Constant(true)) => {
                self.gate(format_args!("@addc(0: ${wire}, <1>)"))
            }
            (Written::Wire(a), Written::Wire(b)) => self.gate(format_args!("@add(0: ${a}, ${b})")),
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
        self.lines.check()?;
        Ok(match (a, b) {
            (Written::Constant(false), _) | (_, Written::Constant(false)) => Written::Constant(false),
            (Written::Constant(true), wire) | (wire, Written::Constant(true)) => wire,
            (Written::Wire(a), Written::Wire(b)) => self.gate(format_args!("@mul(0: ${a}, ${b})")),
        })
    }

    fn assert_zero(&mut self, a: Written, _: impl Display) -> Result<()> {
        self.assertion(a);
        self.lines.check()
    }

    fn output(&mut self, port: usize, place: u64, wire: Written) -> Result<()> {
        let public = Written::Wire(self.outputs[port] + place);
        let difference = self.add(public, wire);
        self.assertion(difference);
        self.lines.check()
    }
}

impl Executor for Writer<'_> {
    type Beyond = GatesAlone;
}
