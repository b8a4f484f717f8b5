//! Evaluation of a relation, in the clear.

use super::builtin::{Ports, Recording};
use super::instances::Instances;
use super::relation::Source as Kind;
use super::{Port, Relation, Value, Values};
use volery_channel::error::{Error, Result};
use volery_circuit::stream::{Handle, Recorder, Source, Streamed};
use volery_circuit::{Backend as _, Branch, Circuit as _, Clear};
use volery_gadgets::gadget::Bit;
use volery_primitives::F2;

impl Relation {
    /// The outputs where the inputs have these values, in the order of [`Relation::outputs`]: what somebody
    /// who knows all inputs would make public.
    ///
    /// # Errors
    /// `Invalid` where an input has no value or one of another width, for a name that is no input, and
    /// where the relation is not made of gates alone; `Unsatisfied` where the relation asserts something by
    /// itself that does not hold.
    pub fn evaluate(&self, mut inputs: Values) -> Result<Vec<Value>> {
        let mut values = Vec::new();
        for port in self.inputs() {
            let missing = || Error::invalid(format!("{} has no value: give one", port.name));
            let absent = || port.optional.then(|| Value::zeros(port.width));
            values.push(inputs.take(port)?.or_else(absent).ok_or_else(missing)?);
        }
        if let Some(name) = inputs.names().next() {
            return Err(Error::invalid(format!("the relation has no input {name}: leave it out")));
        }
        match &self.instances {
            Some(instances) => self.evaluate_each(instances, &values),
            None => self.evaluate_one(&values),
        }
    }

    /// The outputs of all instances.
    fn evaluate_each(&self, instances: &Instances, inputs: &[Value]) -> Result<Vec<Value>> {
        let mut outputs = self.outputs().iter().map(|port| Value::zeros(port.width)).collect::<Vec<_>>();
        for instance in 0..instances.number() {
            let parts: Vec<_> = inputs.iter().map(|value| instances.part(instance, value)).collect();
            for (part, all) in self.evaluate_one(&parts)?.iter().zip(&mut outputs) {
                instances.put(instance, part, all);
            }
        }
        Ok(outputs)
    }

    /// The outputs of one instance.
    fn evaluate_one(&self, values: &[Value]) -> Result<Vec<Value>> {
        let (_, outputs) = self.ports_of_one();
        let mut outputs: Vec<_> = outputs.iter().map(|port| Value::zeros(port.width)).collect();
        let witness = self.witness_of_one(values);
        let bits: Box<dyn Iterator<Item = F2> + '_> = Box::new(witness.bits());
        let mut clear = Clear::new(bits);
        Streamed(&Open(self)).run(&mut clear)?;
        for &(port, bit, value) in clear.outputs() {
            outputs[port].set(bit, value);
        }
        Ok(outputs)
    }
}

/// One instance of a relation whose inputs are all on wires, those that have to be public too, and whose outputs come
/// out.
pub(super) struct Open<'a>(pub(super) &'a Relation);

impl Open<'_> {
    /// The bits of input `port` in the order in which they are read.
    pub(super) fn order(&self, port: usize) -> Box<dyn Iterator<Item = u64>> {
        self.0.order(self.0.inputs()[port].width)
    }
}

impl Source<F2> for Open<'_> {
    fn record(&self, recorder: &mut Recorder<'_, F2>) -> Result<()> {
        if let Kind::File(file) = &self.0.source {
            return file.record_on_wires(recorder);
        }
        let b = &mut Branch::asserting(recorder);
        match &self.0.source {
            Kind::Builtin(builtin) => builtin.gates(b, &mut OnWires(self.0.ports_of_one().0), None),
            Kind::Netlist(netlist) => netlist.run(
                b,
                &"",
                |b, _| Bit::witness(b),
                |b, at, bit| {
                    let wire = bit.wire(b);
                    b.output(at.port, at.bit, wire)
                },
            ),
            Kind::File(_) => unreachable!("recorded above"),
            Kind::Bristol(circuit) => {
                circuit.run(b, |b, _| b.witness(), |b, at, wire| b.output(at.port, at.bit, wire))
            }
        }
    }
}

/// The ports of a relation, all of them on wires.
struct OnWires<'a>(&'a [Port]);

impl<'b, 'r> Ports<Recording<'b, 'r>> for OnWires<'_> {
    fn inputs(&self) -> &[Port] {
        self.0
    }

    fn input(&mut self, b: &mut Recording<'b, 'r>, _: usize, _: u64) -> Result<Bit<Handle>> {
        Bit::witness(b)
    }

    fn output(&mut self, b: &mut Recording<'b, 'r>, port: usize, bit: u64, value: Bit<Handle>) -> Result<()> {
        let value = value.wire(b);
        b.output(port, bit, value)
    }
}
