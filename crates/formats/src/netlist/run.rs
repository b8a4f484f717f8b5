//! Pushing a netlist into a backend, step by step.
//!
//! Each wire that is made here is on one place at a time, and forgotten where nothing reads it again. So what
//! a recorder holds is the live wires of a step, and the state.

use super::logic::{Latch, Start};
use super::plan::{PlacePlan, Sink};
use super::ports::Bus;
use super::{Initial, Netlist, PinBit};
use core::fmt::Display;
use volery_channel::error::Result;
use volery_circuit::Backend;
use volery_gadgets::gadget::Bit::{self, Public, Wire};
use volery_primitives::{F2, Field};

impl Netlist {
    /// Pushes the circuit into `backend`: takes a bit for each input from `input`, where gates with public
    /// ones cost nothing, pushes the gates, and hands each output bit to `output`. Inputs and outputs come in
    /// the order of their ports, step by step. What the file demands of every step is asserted, under names that end
    /// in `whose`.
    ///
    /// # Errors
    /// `Invalid` where the circuit is too large; those of the backend, of `input` and of `output`, unchanged.
    pub fn run<B: Backend<F = F2>>(
        &self,
        backend: &mut B,
        whose: &dyn Display,
        mut input: impl FnMut(&mut B, PinBit) -> Result<Bit<B::Wire>>,
        mut output: impl FnMut(&mut B, PinBit, Bit<B::Wire>) -> Result<()>,
    ) -> Result<()> {
        let plans = self.plans()?;
        let places = plans.iter().map(|plan| plan.places).max().unwrap_or(0);
        let mut run = NetlistRun {
            b: backend,
            plan: &plans[0],
            places: vec![Public(false); places],
            constants: [None; 2],
        };
        let logic = &self.logic;
        // Where the sinks of each kind begin.
        let bad_states = logic.outputs.len();
        let constraints = bad_states + logic.bad.len();
        let next_states = constraints + logic.constraints.len();

        let mut state = Vec::with_capacity(logic.latches.len());
        let mut free = 0;
        for latch in &logic.latches {
            state.push(match first(latch, self.options.init) {
                Some(bit) => Public(bit),
                None => {
                    free += 1;
                    input(run.b, PinBit { port: 0, bit: free - 1, number: free - 1 })?
                }
            });
        }
        let mut ports = [usize::from(free > 0), 0];
        let mut any_bad = vec![Public(false); logic.bad.len()];
        let steps = self.options.steps.unwrap_or(1);
        for step in 0..steps {
            let last = step + 1 == steps;
            if last && let Some(plan) = plans.last() {
                run.plan = plan;
            }
            for bus in &self.inputs {
                for at in bus.pins(ports[0]) {
                    let value = input(run.b, at)?;
                    run.enter(at.number as usize, value);
                }
                ports[0] += 1;
            }
            for (number, &value) in state.iter().enumerate() {
                run.enter(logic.inputs as usize + number, value);
            }
            run.operations()?;
            for number in 0..logic.constraints.len() {
                let fails = run.negated(constraints + number).wire(run.b);
                let name = logic.constraint_names.get(&(number as u32));
                let name = name.map_or_else(|| number.to_string(), Clone::clone);
                run.b.assert_zero(fails, format_args!("constraint {name} in step {step}{whose}"))?;
                run.b.forget(&[fails]);
            }
            if self.options.any_bad {
                for (number, any) in any_bad.iter_mut().enumerate() {
                    *any = run.or_sink(*any, bad_states + number)?;
                }
            }
            let outputs = self.outputs.iter().map(|bus| (bus, 0, false));
            let bad = self.bad.iter().map(|bus| (bus, bad_states, self.options.any_bad));
            for (bus, first, any) in outputs.chain(bad) {
                if any && !last {
                    continue;
                }
                for at in bus.pins(ports[1]) {
                    if any {
                        output(run.b, at, any_bad[at.number as usize])?;
                        continue;
                    }
                    let sink = first + at.number as usize;
                    let value = run.sink(sink);
                    output(run.b, at, value)?;
                    run.leave(sink, value);
                }
                ports[1] += 1;
            }
            if !last {
                for (number, value) in state.iter_mut().enumerate() {
                    *value = run.own(next_states + number);
                }
                run.clear();
            }
        }
        Ok(())
    }
}

impl Bus {
    /// The bits of the bus, where it is port number `port`.
    fn pins(&self, port: usize) -> impl Iterator<Item = PinBit> + '_ {
        (0..).zip(&self.bits).map(move |(bit, &number)| PinBit { port, bit, number: number.into() })
    }
}

/// The first value of a latch, where it is known.
pub(super) fn first(latch: &Latch, init: Initial) -> Option<bool> {
    match (init, latch.start) {
        (Initial::Zero, _) => Some(false),
        (Initial::File, Start::Bit(bit)) => Some(bit),
        (Initial::File, Start::Free) | (Initial::Private | Initial::Public, _) => None,
    }
}

struct NetlistRun<'a, B: Backend<F = F2>> {
    b: &'a mut B,
    plan: &'a PlacePlan,
    places: Vec<Bit<B::Wire>>,
    /// The wires of zero and one, where there are.
    constants: [Option<B::Wire>; 2],
}

impl<B: Backend<F = F2>> NetlistRun<'_, B> {
    /// Puts the value of an input or a latch where it is read, or forgets it.
    fn enter(&mut self, leaf: usize, value: Bit<B::Wire>) {
        match (self.plan.leaves[leaf], value) {
            (Some(place), _) => self.places[place as usize] = value,
            (None, Wire(wire)) => self.b.forget(&[wire]),
            (None, Public(_)) => {}
        }
    }

    fn operations(&mut self) -> Result<()> {
        let plan = self.plan;
        for operation in &plan.operations {
            let [(a, a_last), (b, b_last)] = operation.operands();
            let (x, y) = (self.places[a], self.places[b]);
            let value = match (x, y) {
                (Wire(x), Wire(y)) if operation.is_product() => Wire(self.b.mul(x, y)?),
                (Wire(x), Wire(y)) => Wire(self.b.add(x, y)),
                _ if operation.is_product() => self.fold(x, y),
                _ => self.add(x, y),
            };
            if let (true, Wire(wire)) = (a_last, x) {
                self.b.forget(&[wire]);
            }
            if let (true, Wire(wire)) = (b_last, y) {
                self.b.forget(&[wire]);
            }
            self.places[operation.out()] = value;
        }
        Ok(())
    }

    /// The product of two bits, one of which is public.
    fn fold(&mut self, x: Bit<B::Wire>, y: Bit<B::Wire>) -> Bit<B::Wire> {
        match (x, y) {
            (Public(true), other) | (other, Public(true)) => self.copy(other),
            _ => Public(false),
        }
    }

    /// `any`, which is not needed any more, or sink number `sink`: on a wire of its own.
    fn or_sink(&mut self, any: Bit<B::Wire>, sink: usize) -> Result<Bit<B::Wire>> {
        let any = match any {
            Public(true) => return Ok(any),
            Public(false) => return Ok(self.own(sink)),
            Wire(any) => any,
        };
        let now = self.sink(sink);
        let or = match now {
            Public(true) => {
                self.b.forget(&[any]);
                Public(true)
            }
            Public(false) => Wire(any),
            Wire(bit) => {
                let both = self.b.mul(any, bit)?;
                let one = self.b.add(any, bit);
                let or = self.b.add(one, both);
                self.b.forget(&[any, both, one]);
                Wire(or)
            }
        };
        self.leave(sink, now);
        Ok(or)
    }

    /// The sum of two bits, always on a wire of its own if on any.
    fn add(&mut self, x: Bit<B::Wire>, y: Bit<B::Wire>) -> Bit<B::Wire> {
        match (x, y) {
            (Public(x), Public(y)) => Public(x ^ y),
            (Wire(wire), Public(bit)) | (Public(bit), Wire(wire)) => {
                let constant = *self.constants[usize::from(bit)]
                    .get_or_insert_with(|| self.b.constant(if bit { F2::ONE } else { F2::ZERO }));
                Wire(self.b.add(wire, constant))
            }
            (Wire(x), Wire(y)) => Wire(self.b.add(x, y)),
        }
    }

    fn copy(&mut self, value: Bit<B::Wire>) -> Bit<B::Wire> {
        self.add(value, Public(false))
    }

    /// The value of sink number `sink`.
    fn sink(&mut self, sink: usize) -> Bit<B::Wire> {
        match self.plan.sinks[sink] {
            Sink::Constant(bit) => Public(bit),
            Sink::At(place, false) => self.places[place as usize],
            Sink::At(place, true) => self.add(self.places[place as usize], Public(true)),
        }
    }

    /// The negation of a sink, on a wire of its own.
    fn negated(&mut self, sink: usize) -> Bit<B::Wire> {
        match self.plan.sinks[sink] {
            Sink::Constant(bit) => Public(!bit),
            Sink::At(place, negated) => self.add(self.places[place as usize], Public(!negated)),
        }
    }

    /// The value of a sink on a wire of its own: two latches may take the same value.
    fn own(&mut self, sink: usize) -> Bit<B::Wire> {
        match self.plan.sinks[sink] {
            Sink::Constant(bit) => Public(bit),
            Sink::At(place, negated) => self.add(self.places[place as usize], Public(negated)),
        }
    }

    /// Forgets the value of a sink that was made for it alone.
    fn leave(&mut self, sink: usize, value: Bit<B::Wire>) {
        if let (Sink::At(_, true), Wire(wire)) = (self.plan.sinks[sink], value) {
            self.b.forget(&[wire]);
        }
    }

    /// Forgets what the sinks hold, and with it the step.
    fn clear(&mut self) {
        for sink in &self.plan.sinks {
            if let Sink::At(place, _) = *sink
                && let Wire(wire) = core::mem::replace(&mut self.places[place as usize], Public(false))
            {
                self.b.forget(&[wire]);
            }
        }
    }
}
