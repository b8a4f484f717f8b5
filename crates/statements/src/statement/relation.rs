//! The public program of a statement.

use super::builtin::{self, Builtin, Disjunction, Recording, Stated, in_turn};
use super::instances::Instances;
use super::split::no_shards;
use super::{Given, Port, Program, Split, Value, Witness, no_steps};
use volery_channel::error::{Error, Result};
use volery_circuit::port;
use volery_circuit::port::{Repeat, StatementFile, sequences, with_options};
use volery_circuit::stream::{Handle, Recorder};
use volery_circuit::{Branch, Shape, ValueStream};
use volery_formats::{Bristol, Dialect, Format, Netlist, NetlistOptions, Pin};
use volery_gadgets::gadget::Bit;
use volery_primitives::F2;

/// A public program: a circuit file or a built-in statement, with nothing said about its values.
#[derive(Debug)]
pub struct Relation {
    pub(super) source: Source,
    inputs: Vec<Port>,
    outputs: Vec<Port>,
    /// The instances, where there are several of what the source says.
    pub(super) instances: Option<Instances>,
}

/// The gates of a circuit from which on its instances are pushed one by one: as a function all of them would be
/// held.
const LARGE: u64 = 1 << 20;

/// The version of what several instances of a circuit are that is identified by its gates.
const INSTANCES_VERSION: u32 = 1;

#[derive(Debug)]
pub(super) enum Source {
    Bristol(Bristol),
    Netlist(Box<Netlist>),
    Builtin(Builtin),
    File(Box<dyn StatementFile<F2>>),
}

impl Relation {
    /// The relation at a path, in `format` or in the one that its content shows, or
    /// `builtin:NAME?key=value&key=value`, where keys left out take their defaults. Behind the path of an
    /// AIGER or BLIF file may stand `?key=value&key=value`, too, as [`NetlistOptions::parse`] reads it, and behind
    /// that of a SIEVE file `?strict`, unless there is a file of the whole name. `count=N` among them, of any that is
    /// made of gates, asks for N instances, whose values stand one behind the other, and `lanes=L` beside it for maps of
    /// as many.
    ///
    /// # Errors
    /// `Invalid` where there is no such file or built-in, or its head or parameters make no sense. The gates
    /// of a file are not looked at: [`Relation::shape`] does that.
    pub fn open(spec: &str, format: Option<Format>) -> Result<Self> {
        if let Some(builtin) = spec.strip_prefix("builtin:") {
            if format.is_some() {
                return Err(Error::invalid(format!(
                    "{spec} is built in: a format is for files, leave it out"
                )));
            }
            let (builtin, count) = Builtin::parse(builtin)?;
            let (inputs, outputs) = builtin.ports();
            let name = format!("builtin:{}", builtin.canonical());
            let one = Self { source: Source::Builtin(builtin), inputs, outputs, instances: None };
            return one.repeated(&name, count);
        }
        let (path, options) = with_options(spec);
        let format = format.map_or_else(|| Format::of(path), Ok)?;
        if let Some(file) = format.open(spec, path, options)? {
            return Ok(Self::file(file));
        }
        let (options, count) = match options {
            None => (None, Repeat::of(1)),
            Some(options) => {
                let (others, count) = Repeat::take(path, options)?;
                (Some(others).filter(|others| others == options || !others.is_empty()), count)
            }
        };
        let one = match (format, options) {
            (Format::BristolFashion, None) => Self::bristol(Bristol::open(path)?),
            (Format::BristolFashion, Some(_)) => {
                return Err(Error::invalid(format!(
                    "{spec}: the options of a Bristol circuit are ?count=N, for N instances of it, and &lanes=L"
                )));
            }
            (format, options) => {
                let options = options
                    .map_or_else(|| Ok(NetlistOptions::default()), |text| NetlistOptions::parse(&text));
                let options = options.map_err(|why| Error::invalid(format!("{spec}: {why}")))?;
                let open = if format == Format::Blif { Netlist::open_blif } else { Netlist::open_aiger };
                Self::netlist(open(path, options)?)
            }
        };
        one.repeated(path, count)
    }

    /// Makes so many instances of the relation, which is called `what`.
    fn repeated(self, what: &str, count: Repeat) -> Result<Self> {
        if count.instances == 1 {
            return Ok(self);
        }
        let instances = Instances::new(what, count, self.inputs, self.outputs)?;
        let (inputs, outputs) = instances.ports();
        Ok(Self { source: self.source, inputs, outputs, instances: Some(instances) })
    }

    /// The relation of a circuit that is already open.
    pub fn bristol(circuit: Bristol) -> Self {
        let ports = |kind: &str, widths: &[u64]| {
            widths.iter().enumerate().map(|(i, &width)| Port::new(format!("{kind}{i}"), width)).collect()
        };
        let (inputs, outputs) = (ports("in", circuit.inputs()), ports("out", circuit.outputs()));
        Self { source: Source::Bristol(circuit), inputs, outputs, instances: None }
    }

    /// The relation of a netlist.
    pub fn netlist(netlist: Netlist) -> Self {
        let ports = |pins: Vec<Pin>| {
            let port =
                |Pin { name, width, public, optional }| Port { public, optional, ..Port::new(name, width) };
            pins.into_iter().map(port).collect()
        };
        let (inputs, outputs) = (ports(netlist.inputs()), ports(netlist.outputs()));
        Self { source: Source::Netlist(Box::new(netlist)), inputs, outputs, instances: None }
    }

    /// The relation of a file that asserts something by itself.
    pub fn file(file: Box<dyn StatementFile<F2>>) -> Self {
        let (inputs, outputs) = (file.inputs(), file.outputs());
        Self { source: Source::File(file), inputs, outputs, instances: None }
    }

    /// The programs that [`Relation::open`] knows by `builtin:`: name with keys and defaults, and one line of
    /// description.
    pub fn builtins() -> &'static [(&'static str, &'static str)] {
        builtin::LIST
    }

    /// `bristol-fashion`, `bristol`, `aiger`, `aag`, `blif` or `builtin`.
    pub fn format_name(&self) -> &'static str {
        match &self.source {
            Source::Bristol(circuit) => match circuit.dialect() {
                Dialect::Fashion => "bristol-fashion",
                Dialect::Old => "bristol",
            },
            Source::Netlist(netlist) => netlist.format(),
            Source::Builtin(_) => "builtin",
            Source::File(file) => file.format_name(),
        }
    }

    /// The inputs, each of which a statement makes public or private.
    pub fn inputs(&self) -> &[Port] {
        &self.inputs
    }

    /// The outputs, which a statement may assert.
    pub fn outputs(&self) -> &[Port] {
        &self.outputs
    }

    /// The inputs and outputs of one instance.
    pub(super) fn ports_of_one(&self) -> (&[Port], &[Port]) {
        match &self.instances {
            Some(instances) => instances.of_one(),
            None => (&self.inputs, &self.outputs),
        }
    }

    /// The gates by kind, where all inputs are private that may be, those that have to be public are zero,
    /// and no output is asserted.
    ///
    /// # Errors
    /// `Invalid` where the file is malformed.
    pub fn shape(&self) -> Result<Shape> {
        Program::shape(self)
    }

    /// The clauses, if the relation states that one of several holds.
    pub(super) fn disjunction(&self) -> Option<Disjunction> {
        match &self.source {
            Source::Bristol(_) | Source::Netlist(_) | Source::File(_) => None,
            Source::Builtin(builtin) => builtin.disjunction(),
        }
    }

    /// Whether gates with a public input are spared, so that there are other gates where
    /// its value is another.
    pub(super) fn folds(&self) -> bool {
        !matches!(self.source, Source::Bristol(_) | Source::Builtin(Builtin::Algebra(_)))
    }

    /// Records the program as [`Program::record`] does, or that clause of its disjunction. Into a branch in
    /// both cases: the gates are compiled once.
    pub(super) fn push(
        &self,
        b: &mut Branch<'_, Recorder<'_, F2>>,
        inputs: &[Option<Value>],
        outputs: &[Option<Value>],
        clause: Option<usize>,
    ) -> Result<()> {
        if let Some(instances) = &self.instances {
            let gates = match &self.source {
                Source::Bristol(circuit) => circuit.gates(),
                Source::Netlist(netlist) => netlist.ands(),
                Source::Builtin(_) | Source::File(_) => 0,
            };
            let identity = (gates < LARGE).then(|| self.identity_of_one());
            return instances
                .run(b, (inputs, outputs), identity.as_deref(), &|b, ports| self.push_one(b, ports, None));
        }
        let (inputs, outputs) = ((&self.inputs[..], inputs), (&self.outputs[..], outputs));
        self.push_one(b, Stated { inputs, outputs, instance: None }, clause)
    }

    fn push_one(&self, b: &mut Recording<'_, '_>, ports: Stated<'_>, clause: Option<usize>) -> Result<()> {
        match &self.source {
            Source::Bristol(circuit) => circuit.run(
                b,
                |b, at| Ok(ports.file_input(b, at.port, at.bit)?.wire(b)),
                |b, at, wire| {
                    let place = format_args!(" (wire {})", at.wire);
                    ports.file_output(b, (at.port, at.bit), Bit::Wire(wire), place)
                },
            ),
            Source::Netlist(netlist) => netlist.run(
                b,
                &ports.whose(),
                |b, at| ports.file_input(b, at.port, at.bit),
                |b, at, bit| ports.file_output(b, (at.port, at.bit), bit, ""),
            ),
            Source::Builtin(builtin) => builtin.run(b, ports, clause),
            Source::File(file) => file.record_clause(b, &sequences(ports.inputs.1)),
        }
    }

    fn identity_of_one(&self) -> Vec<u8> {
        match &self.source {
            Source::Bristol(circuit) => circuit.digest().to_vec(),
            Source::Netlist(netlist) => netlist.identity(),
            Source::Builtin(builtin) => builtin.canonical().into_bytes(),
            Source::File(file) => file.identity(),
        }
    }

    /// The places of the bits of an input of one instance in the order in which [`Program::record`] reads them.
    pub(super) fn order(&self, width: u64) -> Box<dyn Iterator<Item = u64>> {
        match self.source {
            Source::Bristol(_)
            | Source::Netlist(_)
            | Source::File(_)
            | Source::Builtin(Builtin::Algebra(_)) => Box::new(0..width),
            Source::Builtin(_) => Box::new(in_turn(width)),
        }
    }

    /// The witness of one instance.
    pub(super) fn witness_of_one(&self, values: &[Value]) -> Witness {
        let bits = values.iter().map(Value::width).sum();
        let mut witness = Witness::with_capacity(bits);
        let turn = match &self.source {
            Source::Builtin(Builtin::Algebra(algebra)) => algebra.turn(),
            _ => usize::MAX,
        };
        let mut streams: Vec<_> = values.iter().map(|value| (self.order(value.width()), value)).collect();
        while witness.len() < bits {
            for (order, value) in &mut streams {
                order.by_ref().take(turn).for_each(|bit| witness.push(value.bit(bit)));
            }
        }
        witness
    }

    /// The error of what a statement of several instances cannot do.
    pub(super) fn of_several(&self, instances: &Instances, advice: &str) -> Error {
        let what = match &self.source {
            Source::Builtin(builtin) => format!("builtin:{}", instances.named(&builtin.canonical())),
            _ => format!("a circuit file with count={}", instances.number()),
        };
        Error::invalid(format!("{what} has {} instances: {advice}", instances.number()))
    }
}

impl Program for Relation {
    type F = F2;
    type Value = Value;
    type Witness = Witness;

    fn builtins() -> &'static [(&'static str, &'static str)] {
        Self::builtins()
    }
    fn open(spec: &str, format: Option<Format>) -> Result<Self> {
        Self::open(spec, format)
    }
    fn of_file(file: Box<dyn StatementFile<F2>>) -> Self {
        Self::file(file)
    }
    fn inputs(&self) -> &[Port] {
        self.inputs()
    }
    fn outputs(&self) -> &[Port] {
        self.outputs()
    }
    fn format_name(&self) -> &'static str {
        self.format_name()
    }

    fn identity(&self) -> Vec<u8> {
        match (&self.source, &self.instances) {
            (Source::Builtin(builtin), Some(instances)) => instances.named(&builtin.canonical()).into_bytes(),
            (_, Some(instances)) => [self.identity_of_one(), instances.named("").into_bytes()].concat(),
            (_, None) => self.identity_of_one(),
        }
    }

    fn version(&self) -> Option<u32> {
        match &self.source {
            // Its digest is that of its gates.
            Source::Bristol(_) => self.instances.as_ref().map(|_| INSTANCES_VERSION),
            Source::Netlist(netlist) => Some(netlist.version()),
            Source::Builtin(builtin) => Some(builtin.version()),
            Source::File(file) => Some(file.version()),
        }
    }

    fn witness(&self, values: Vec<Value>) -> Witness {
        let Some(instances) = &self.instances else { return self.witness_of_one(&values) };
        let mut witness = Witness::with_capacity(values.iter().map(Value::width).sum());
        instances.stream(&values, |width| self.order(width)).for_each(|bit| witness.push(bit));
        witness
    }

    fn elements(witness: &Witness) -> impl Iterator<Item = F2> {
        witness.bits()
    }

    fn record(
        &self,
        b: &mut Recorder<'_, F2>,
        inputs: &[Option<Value>],
        outputs: &[Option<Value>],
    ) -> Result<()> {
        match &self.source {
            Source::File(file) => {
                let (inputs, outputs) = (sequences(inputs), sequences(outputs));
                file.record(b, port::PublicValues { inputs: &inputs, outputs: &outputs })
            }
            _ => self.push(&mut Branch::asserting(b), inputs, outputs, None),
        }
    }

    fn split(&self, shards: usize) -> Result<Split> {
        match &self.source {
            Source::Bristol(_) | Source::Netlist(_) | Source::File(_) => {
                Err(no_shards("a circuit file", shards, "prove it as a whole"))
            }
            Source::Builtin(_) if self.instances.is_some() => {
                Err(no_shards("a statement of several instances", shards, "prove it as a whole"))
            }
            Source::Builtin(builtin) => builtin.split(shards),
        }
    }

    fn record_shard(
        &self,
        part: (usize, usize),
        b: &mut Recorder<'_, F2>,
        incoming: &[Handle],
        (inputs, outputs): Given<'_, Value>,
    ) -> Result<Vec<Handle>> {
        let Source::Builtin(builtin) = &self.source else {
            return Err(no_shards("a circuit file", part.0, "prove it as a whole"));
        };
        let ports =
            Stated { inputs: (&self.inputs, inputs), outputs: (&self.outputs, outputs), instance: None };
        builtin.run_shard(part, &mut Branch::asserting(b), ports, incoming)
    }

    fn examine(&self) -> Result<(Shape, Vec<String>)> {
        self.examine()
    }

    fn clauses(&self) -> Result<Vec<Shape>> {
        self.clauses()
    }

    fn streams(&self) -> Vec<ValueStream> {
        match &self.source {
            Source::File(file) => file.streams(),
            Source::Bristol(_) | Source::Netlist(_) | Source::Builtin(_) => Vec::new(),
        }
    }

    fn ands_in_file(&self) -> Option<u64> {
        match &self.source {
            Source::Netlist(netlist) => {
                let instances = self.instances.as_ref().map_or(1, Instances::number);
                Some(netlist.ands().saturating_mul(instances))
            }
            Source::Bristol(_) | Source::Builtin(_) | Source::File(_) => None,
        }
    }

    fn last_step(&self, name: &str) -> Option<&str> {
        match &self.source {
            Source::Netlist(netlist) => netlist.last_step(name),
            Source::Bristol(_) | Source::Builtin(_) | Source::File(_) => None,
        }
    }

    fn trace(&self, name: &str, text: &[u8]) -> Result<Vec<(String, Value)>> {
        match &self.source {
            Source::Netlist(netlist) => match &self.instances {
                Some(instances) => Err(self.of_several(instances, "a trace is of one")),
                None => netlist.trace(name, text),
            },
            Source::Bristol(_) | Source::Builtin(_) | Source::File(_) => Err(no_steps(name)),
        }
    }

    fn asserts(&self) -> bool {
        matches!(&self.source, Source::File(file) if file.outputs().is_empty())
    }
}
