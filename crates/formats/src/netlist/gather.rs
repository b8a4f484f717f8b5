//! Any circuit of gates as a netlist, to be written as a file.

use super::logic::{Gate, Literal, Logic};
use crate::Order;
use crate::written::not_a_gate;
use core::fmt::Display;
use volery_channel::error::{Error, Result};
use volery_circuit::Backend;
use volery_circuit::stream::{Executor, GatesAlone};
use volery_primitives::{F2, Field};

/// A port of the file that is written.
#[derive(Clone, Debug)]
pub(crate) struct Named {
    pub(crate) name: String,
    pub(crate) width: u64,
}

impl Named {
    /// The names of its bits.
    fn bits(&self) -> impl Iterator<Item = String> + '_ {
        let name =
            move |bit| if self.width == 1 { self.name.clone() } else { format!("{}[{bit}]", self.name) };
        (0..self.width).map(name)
    }
}

/// The circuit that `push` pushes, with ports of these names, of which it must set every output bit. What it
/// asserts by itself are constraints.
///
/// # Errors
/// `Invalid` where it is too large, and for a value that the prover would hint; those of `push`.
pub(crate) fn gather(
    inputs: &[Named],
    outputs: &[Named],
    order: &dyn Fn(usize) -> Order,
    push: impl FnOnce(&mut Gathering) -> Result<()>,
) -> Result<Logic> {
    let widths = |ports: &[Named]| ports.iter().map(|port| port.width).sum::<u64>();
    let count = |ports: &[Named]| u32::try_from(widths(ports)).ok().filter(|bits| *bits < MOST);
    let (Some(in_bits), Some(out_bits)) = (count(inputs), count(outputs)) else { return Err(too_large()) };
    let mut first = 0;
    let mut places: Vec<Order> = Vec::new();
    for (port, named) in inputs.iter().enumerate() {
        places.push(Box::new(order(port).map(move |bit| first + bit)));
        first += named.width;
    }
    let mut first = 0;
    let begins = outputs.iter().map(|port| {
        first += port.width;
        first - port.width
    });
    let mut gathering = Gathering {
        logic: Logic { inputs: in_bits, ..Logic::default() },
        inputs: Box::new(places.into_iter().flatten()),
        begins: begins.collect(),
        outputs: vec![None; out_bits as usize],
        full: false,
    };
    push(&mut gathering)?;
    if gathering.full {
        return Err(too_large());
    }
    let mut logic = gathering.logic;
    logic.outputs = gathering.outputs.into_iter().map(|output| output.expect("every bit is set")).collect();
    logic.input_names = (0..).zip(inputs.iter().flat_map(Named::bits)).collect();
    logic.output_names = (0..).zip(outputs.iter().flat_map(Named::bits)).collect();
    Ok(logic)
}

/// Nodes that a file may have: formats have three gates for an XOR, and a bit for a negation.
const MOST: u32 = u32::MAX / 8;

#[cold]
fn too_large() -> Error {
    Error::invalid(
        "the circuit has more than 2^29 inputs, outputs or gates, which is too much for such a file",
    )
}

/// The backend that keeps its gates.
pub(crate) struct Gathering {
    logic: Logic,
    /// The places of the inputs, as they are read.
    inputs: Order,
    /// The place of the first bit of each output.
    begins: Vec<u64>,
    outputs: Vec<Option<Literal>>,
    /// Gates are left out, since there are too many.
    full: bool,
}

impl Gathering {
    fn gate(&mut self, xor: bool, a: Literal, b: Literal) -> Literal {
        match Gate::folded(xor, a, b) {
            Ok(literal) => literal,
            Err(_) if self.logic.first_gate() as usize + self.logic.gates.len() >= MOST as usize => {
                self.full = true;
                Literal::ZERO
            }
            Err(gate) => {
                self.logic.gates.push(gate);
                Literal::of(self.logic.first_gate() + self.logic.gates.len() as u32 - 1)
            }
        }
    }
}

impl Backend for Gathering {
    type F = F2;
    type Wire = Literal;

    fn constant(&mut self, c: F2) -> Literal {
        Literal::ZERO.flip(c.to_bool())
    }

    fn add(&mut self, a: Literal, b: Literal) -> Literal {
        let negated = a.negated() ^ b.negated();
        self.gate(true, a.flip(a.negated()), b.flip(b.negated())).flip(negated)
    }

    fn scale(&mut self, a: Literal, c: F2) -> Literal {
        if c == F2::ONE { a } else { Literal::ZERO }
    }

    fn witness(&mut self) -> Result<Literal> {
        let input = self.inputs.next().ok_or_else(|| not_a_gate("reads a witness beside its inputs"))?;
        Ok(Literal::of(1 + input as u32))
    }

    fn hint(&mut self, _: &[Literal], _: impl Fn(&[F2]) -> F2 + Send + Sync + 'static) -> Result<Literal> {
        Err(not_a_gate("lets the prover hint values"))
    }

    fn mul(&mut self, a: Literal, b: Literal) -> Result<Literal> {
        let product = self.gate(false, a, b);
        if self.full { Err(too_large()) } else { Ok(product) }
    }

    fn assert_zero(&mut self, a: Literal, _: impl Display) -> Result<()> {
        self.logic.constraints.push(a.flip(true));
        Ok(())
    }

    fn output(&mut self, port: usize, place: u64, wire: Literal) -> Result<()> {
        self.outputs[(self.begins[port] + place) as usize] = Some(wire);
        Ok(())
    }
}

impl Executor for Gathering {
    type Beyond = GatesAlone;
}
