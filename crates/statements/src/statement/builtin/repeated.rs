//! Several instances of a built-in statement: one function on as many lanes.

use super::{Builtin, Described, Instance, LIST, OnWires, Recording, Stated, in_turn, numbers};
use crate::statement::{Port, Value};
use core::ops::Range;
use volery_channel::error::{Error, Result};
use volery_circuit::{Backend as _, Returned};
use volery_primitives::{F2, Field as _};

/// The key that asks for several, of any built-in statement of gates.
const KEY: &str = "count";

/// The most instances, and the most bits of their values.
const MOST: u64 = 1 << 24;
const LONGEST: u64 = 1 << 30;

/// Instances that are one map: enough for all threads, and so few that their public bits take little memory.
const TOGETHER: usize = 2048;

/// The bits of the ports of an instance from which on it is pushed by itself: as a function all its wires would
/// be held at once.
const LARGE: u64 = 1 << 16;

/// The statement that each instance holds. A port has the values of all, the first one's first as bytes print.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::statement) struct Repeated {
    count: u64,
    of: Box<Builtin>,
    /// The ports of one.
    inputs: Vec<Port>,
    outputs: Vec<Port>,
}

impl Repeated {
    /// Takes `count` out of the parameters of the statement `name`, if it is there and no key of its own: the
    /// others, and how many instances there are to be.
    pub(super) fn count(name: &str, parameters: &str) -> Result<(String, u64)> {
        let own = |(listed, _): &(&str, &str)| {
            let (listed, keys) = listed.split_once('?').unwrap_or((listed, ""));
            listed == name && keys.split('&').any(|key| key.starts_with("count="))
        };
        if LIST.iter().any(own) {
            return Ok((parameters.into(), 1));
        }
        let is_count = |pair: &&str| pair.split_once('=').is_some_and(|(key, _)| key == KEY);
        let (counts, others): (Vec<_>, Vec<_>) = parameters.split('&').partition(is_count);
        let [count] = numbers(name, &counts.join("&"), [(KEY, 1)])?;
        if count == 0 || count > MOST {
            return Err(Error::invalid(format!(
                "builtin:{name} with count={count}: choose from 1 to {MOST} instances"
            )));
        }
        Ok((others.join("&"), count))
    }

    /// A statement in so many instances.
    pub(super) fn new(of: Builtin, count: u64) -> Result<Self> {
        let name = of.canonical();
        if of.disjunction().is_some() || matches!(of, Builtin::Algebra(_)) {
            return Err(Error::invalid(format!(
                "builtin:{name} has one instance: leave out {KEY}, which is for hashes, ciphers, trees and the like"
            )));
        }
        let (inputs, outputs) = of.ports();
        let bits = inputs.iter().chain(&outputs).map(|port| port.width).sum::<u64>();
        if bits > LONGEST / count {
            return Err(Error::invalid(format!(
                "builtin:{name} with count={count} has more than 2^30 bits of values: take fewer instances"
            )));
        }
        Ok(Self { count, of: Box::new(of), inputs, outputs })
    }

    /// The statement of one, and how many there are.
    pub(in crate::statement) fn of(&self) -> (&Builtin, u64) {
        (&self.of, self.count)
    }

    /// The place of bit `bit` of `width` in the values of all instances.
    fn place(&self, instance: u64, width: u64, bit: u64) -> u64 {
        (self.count - 1 - instance) * width + bit
    }
}

impl Described for Repeated {
    fn canonical(&self) -> String {
        let of = self.of.canonical();
        let joined = if of.contains('?') { '&' } else { '?' };
        format!("{of}{joined}{KEY}={}", self.count)
    }

    fn version(&self) -> u32 {
        self.of.version()
    }

    fn ports(&self) -> (Vec<Port>, Vec<Port>) {
        let all = |ports: &[Port]| {
            ports.iter().map(|port| Port { width: port.width * self.count, ..port.clone() }).collect()
        };
        (all(&self.inputs), all(&self.outputs))
    }
}

impl Repeated {
    /// The bits of the private values of all instances, in the order in which they are read: instance by instance.
    pub(in crate::statement) fn stream<'v>(&'v self, values: &'v [Value]) -> impl Iterator<Item = F2> + 'v {
        (0..self.count).flat_map(move |instance| {
            values.iter().flat_map(move |value| {
                let width = value.width() / self.count;
                in_turn(width).map(move |bit| value.bit(self.place(instance, width, bit)))
            })
        })
    }

    /// The part of a value that is an instance's.
    pub(in crate::statement) fn part(&self, instance: u64, value: &Value) -> Value {
        let width = value.width() / self.count;
        let mut part = Value::zeros(width);
        (0..width).for_each(|bit| part.set(bit, value.bit(self.place(instance, width, bit))));
        part
    }

    /// Puts an instance's part into a value.
    pub(in crate::statement) fn put(&self, instance: u64, part: &Value, value: &mut Value) {
        let width = part.width();
        (0..width).for_each(|bit| value.set(self.place(instance, width, bit), part.bit(bit)));
    }

    /// Pushes all instances.
    pub(super) fn run(&self, b: &mut Recording<'_, '_>, all: Stated<'_>) -> Result<()> {
        let ports = self.inputs.iter().chain(&self.outputs);
        if ports.map(|port| port.width).sum::<u64>() > LARGE {
            return (0..self.count).try_for_each(|instance| self.run_alone(b, &all, instance));
        }
        (0..self.count).step_by(TOGETHER).try_for_each(|first| {
            let last = self.count.min(first + TOGETHER as u64);
            b.scope(|b| self.run_together(b, &all, first..last))
        })
    }

    /// Pushes one instance, whose values are as they would be if it were alone.
    fn run_alone(&self, b: &mut Recording<'_, '_>, all: &Stated<'_>, instance: u64) -> Result<()> {
        let parts = |values: &[Option<Value>]| {
            values.iter().map(|value| Some(self.part(instance, value.as_ref()?))).collect::<Vec<_>>()
        };
        let (inputs, outputs) = (parts(all.inputs.1), parts(all.outputs.1));
        b.scope(|b| {
            let instance = Some(Instance { number: instance as usize, on_wires: None });
            let (inputs, outputs) = ((&self.inputs[..], &inputs[..]), (&self.outputs[..], &outputs[..]));
            self.of.run(b, Stated { inputs, outputs, instance }, None)
        })
    }

    /// Pushes the function of one instance, for several.
    fn run_together(&self, b: &mut Recording<'_, '_>, all: &Stated<'_>, instances: Range<u64>) -> Result<()> {
        let lanes = (instances.end - instances.start) as usize;
        // Public bits are arguments, so that all instances have one function.
        let bits = [F2::ZERO, F2::ONE].map(|bit| b.constant(bit));
        let (mut columns, mut begins) = (Vec::new(), Vec::new());
        let inputs = self.inputs.iter().zip(all.inputs.1).map(|(port, value)| (port, value, port.public));
        let outputs = self.outputs.iter().zip(all.outputs.1).map(|(port, value)| (port, value, false));
        for (port, value, public) in inputs.chain(outputs) {
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
        let key = format!("instance of {} {begins:?}", self.of.canonical());
        let first = instances.start as usize;
        let mapped = b.map(key.as_bytes(), lanes, &columns, |b, lane, wires| {
            let on_wires = Some(OnWires { wires, inputs: of_inputs, outputs: of_outputs });
            let instance = Some(Instance { number: first + lane, on_wires });
            let (inputs, outputs) = ((&self.inputs[..], all.inputs.1), (&self.outputs[..], all.outputs.1));
            self.of.run(b, Stated { inputs, outputs, instance }, None)?;
            Ok(Returned::default())
        });
        mapped.map(drop)
    }
}
