//! Several instances of a program: one function on as many lanes.

use super::builtin::{Instance, OnWires, Recording, Stated};
use super::{Given, Port, Value};
use core::ops::Range;
use volery_channel::error::{Error, Result};
use volery_circuit::port::{COUNT, Repeat};
use volery_circuit::{Backend as _, Returned};
use volery_primitives::{F2, Field as _};

/// The most bits of the values of all instances.
const LONGEST: u64 = 1 << 30;

/// The bits of the ports of an instance from which on it is pushed by itself: as a function all its wires would
/// be held at once.
const LARGE: u64 = 1 << 16;

/// How many instances there are of a program. A port has the values of all, the first one's first as bytes print.
#[derive(Debug)]
pub(super) struct Instances {
    count: Repeat,
    /// The ports of one.
    inputs: Vec<Port>,
    outputs: Vec<Port>,
}

impl Instances {
    /// Makes so many instances of the program that is called `what`, and has these ports.
    ///
    /// # Errors
    /// `Invalid` where their values are too long.
    pub(super) fn new(what: &str, count: Repeat, inputs: Vec<Port>, outputs: Vec<Port>) -> Result<Self> {
        let bits = inputs.iter().chain(&outputs).map(|port| port.width).sum::<u64>();
        if bits > LONGEST / count.instances {
            return Err(Error::invalid(format!(
                "{what} with {COUNT}={} has more than 2^30 bits of values: take fewer instances",
                count.instances
            )));
        }
        Ok(Self { count, inputs, outputs })
    }

    /// The number of instances.
    pub(super) fn number(&self) -> u64 {
        self.count.instances
    }

    /// The name, with its options, of a program of one with the number of instances.
    pub(super) fn named(&self, one: &str) -> String {
        self.count.named(one)
    }

    /// The inputs and outputs of one.
    pub(super) fn of_one(&self) -> (&[Port], &[Port]) {
        (&self.inputs, &self.outputs)
    }

    /// The inputs and outputs of all.
    pub(super) fn ports(&self) -> (Vec<Port>, Vec<Port>) {
        let all = |ports: &[Port]| {
            ports.iter().map(|port| Port { width: port.width * self.number(), ..port.clone() }).collect()
        };
        (all(&self.inputs), all(&self.outputs))
    }

    /// The place of bit `bit` of `width` in the values of all instances.
    fn place(&self, instance: u64, width: u64, bit: u64) -> u64 {
        (self.number() - 1 - instance) * width + bit
    }

    /// The bits of the private values of all instances, in the order in which they are read: instance by instance,
    /// and of each port of one in the order that `order` gives for its width.
    pub(super) fn stream<'v>(
        &'v self,
        values: &'v [Value],
        order: impl Fn(u64) -> Box<dyn Iterator<Item = u64>> + Copy + 'v,
    ) -> impl Iterator<Item = F2> + 'v {
        (0..self.number()).flat_map(move |instance| {
            values.iter().flat_map(move |value| {
                let width = value.width() / self.number();
                order(width).map(move |bit| value.bit(self.place(instance, width, bit)))
            })
        })
    }

    /// The part of a value that is an instance's.
    pub(super) fn part(&self, instance: u64, value: &Value) -> Value {
        let width = value.width() / self.number();
        let mut part = Value::zeros(width);
        (0..width).for_each(|bit| part.set(bit, value.bit(self.place(instance, width, bit))));
        part
    }

    /// Puts an instance's part into a value.
    pub(super) fn put(&self, instance: u64, part: &Value, value: &mut Value) {
        let width = part.width();
        (0..width).for_each(|bit| value.set(self.place(instance, width, bit), part.bit(bit)));
    }

    /// Pushes all instances, each by `run`: those of a program of this identity as one function, unless one is too
    /// large, or there is no identity.
    ///
    /// # Errors
    /// Those of `run`, and of the backend.
    pub(super) fn run(
        &self,
        b: &mut Recording<'_, '_>,
        all: Given<'_, Value>,
        identity: Option<&[u8]>,
        run: &dyn Fn(&mut Recording<'_, '_>, Stated<'_>) -> Result<()>,
    ) -> Result<()> {
        let bits = self.inputs.iter().chain(&self.outputs).map(|port| port.width).sum::<u64>();
        let Some(identity) = identity.filter(|_| bits <= LARGE) else {
            return (0..self.number()).try_for_each(|instance| self.run_alone(b, all, instance, run));
        };
        (0..self.number()).step_by(self.count.lanes as usize).try_for_each(|first| {
            let last = self.number().min(first + self.count.lanes);
            b.scope(|b| self.run_together(b, all, (first..last, identity), run))
        })
    }

    /// Pushes one instance, whose values are as they would be if it were alone.
    fn run_alone(
        &self,
        b: &mut Recording<'_, '_>,
        (inputs, outputs): Given<'_, Value>,
        instance: u64,
        run: &dyn Fn(&mut Recording<'_, '_>, Stated<'_>) -> Result<()>,
    ) -> Result<()> {
        let parts = |values: &[Option<Value>]| {
            values.iter().map(|value| Some(self.part(instance, value.as_ref()?))).collect::<Vec<_>>()
        };
        let (inputs, outputs) = (parts(inputs), parts(outputs));
        b.scope(|b| {
            let instance = Some(Instance { number: instance as usize, on_wires: None });
            let (inputs, outputs) = ((&self.inputs[..], &inputs[..]), (&self.outputs[..], &outputs[..]));
            run(b, Stated { inputs, outputs, instance })
        })
    }

    /// Pushes the function of one instance, for several.
    fn run_together(
        &self,
        b: &mut Recording<'_, '_>,
        (inputs, outputs): Given<'_, Value>,
        (instances, identity): (Range<u64>, &[u8]),
        run: &dyn Fn(&mut Recording<'_, '_>, Stated<'_>) -> Result<()>,
    ) -> Result<()> {
        let lanes = (instances.end - instances.start) as usize;
        // Public bits are arguments, so that all instances have one function.
        let bits = [F2::ZERO, F2::ONE].map(|bit| b.constant(bit));
        let (mut columns, mut begins) = (Vec::new(), Vec::new());
        let of_inputs = self.inputs.iter().zip(inputs).map(|(port, value)| (port, value, port.public));
        let of_outputs = self.outputs.iter().zip(outputs).map(|(port, value)| (port, value, false));
        for (port, value, public) in of_inputs.chain(of_outputs) {
            if value.is_none() && !public {
                begins.push(None);
                continue;
            }
            begins.push(Some(columns.len() / lanes));
            for bit in 0..port.width {
                columns.extend(instances.clone().map(|instance| {
                    let place = self.place(instance, port.width, bit);
                    // Gates are counted where no values are given yet.
                    bits[usize::from(value.as_ref().is_some_and(|value| value.bit(place).to_bool()))]
                }));
            }
        }
        let (of_inputs, of_outputs) = begins.split_at(self.inputs.len());
        // Which ports are public is all that functions differ by: no value is looked at.
        let key = [b"instance of ", identity, format!(" {begins:?}").as_bytes()].concat();
        let first = instances.start as usize;
        let mapped = b.map(&key, lanes, &columns, |b, lane, wires| {
            let on_wires = Some(OnWires { wires, inputs: of_inputs, outputs: of_outputs });
            let instance = Some(Instance { number: first + lane, on_wires });
            let (inputs, outputs) = ((&self.inputs[..], inputs), (&self.outputs[..], outputs));
            run(b, Stated { inputs, outputs, instance })?;
            Ok(Returned::default())
        });
        mapped.map(drop)
    }
}
