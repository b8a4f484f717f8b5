//! Circuits of single gates, as tools for hardware write them: read whole, turned into few ANDs, and pushed.
//!
//! Each format has a reader of its own ([`aiger`](super::aiger), [`blif`](super::blif)), which makes a
//! `Logic` of its text. What is done with that is here, once: bits become ports by their names, latches are
//! unrolled for a number of steps, and XORs, MUXes and adders are recognised among ANDs ([`recognise`]). A
//! file is held in 8 bytes a gate and its plan in 12 an operation, which is less than the wires of all its
//! gates would take; wires are held while they are live.

mod cut;
mod emit;
mod gather;
mod logic;
pub(super) mod made;
mod options;
mod plan;
mod ports;
mod recognise;
mod run;
mod trace;

pub(super) use gather::{Named, gather};
pub(super) use logic::{Gate, Latch, Literal, Logic, Names, Start};
pub use options::{Initial, NetlistOptions};
pub(super) use ports::writable;

use self::emit::Operations;
use self::plan::PlacePlan;
use self::ports::{Bus, group};
use self::recognise::Cover;
use super::bristol::open_regular;
use super::{aiger, blif};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::Path;
use std::sync::OnceLock;
use volery_channel::error::{Error, Result};

/// A circuit of single gates, in memory.
#[derive(Debug)]
pub struct Netlist {
    name: String,
    format: &'static str,
    digest: [u8; 32],
    options: NetlistOptions,
    logic: Logic,
    inputs: Vec<Bus>,
    outputs: Vec<Bus>,
    bad: Vec<Bus>,
    plans: OnceLock<Vec<PlacePlan>>,
}

/// A bit of an input or output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PinBit {
    /// The number of the input or output, from 0.
    pub port: usize,
    /// The bit of it, from 0.
    pub bit: u64,
    /// The number of the bit among all inputs, all outputs or all bad states of the file.
    pub number: u64,
}

/// An input or output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pin {
    /// The name; behind it `@` and the number of the step, where there are steps.
    pub name: String,
    /// The width in bits.
    pub width: u64,
    /// Whether it has to be public.
    pub public: bool,
    /// Whether nothing depends on the input, so that it may be left without a value.
    pub optional: bool,
}

/// The most ports that all steps together may have.
const MOST_PORTS: u64 = 1 << 22;

impl Netlist {
    /// The version of the gates that are pushed for a file: where others are, it goes up.
    pub fn version(&self) -> u32 {
        if self.format == "blif" { 2 } else { 1 }
    }

    /// Reads the AIGER file at `path`, of either kind.
    ///
    /// # Errors
    /// `Invalid` where it cannot be read, is no regular file, or is malformed.
    pub fn open_aiger(path: impl AsRef<Path>, options: NetlistOptions) -> Result<Self> {
        let (name, bytes) = read(path.as_ref())?;
        Self::aiger(name, &bytes, options)
    }

    /// An AIGER file in memory, called `name` in errors.
    ///
    /// # Errors
    /// As for [`Netlist::open_aiger`].
    pub fn aiger(name: impl Into<String>, bytes: &[u8], options: NetlistOptions) -> Result<Self> {
        let name = name.into();
        let (logic, format) = aiger::read(&name, bytes)?;
        Self::new(name, format, bytes, logic, options)
    }

    /// Reads the BLIF file at `path`.
    ///
    /// # Errors
    /// As for [`Netlist::open_aiger`].
    pub fn open_blif(path: impl AsRef<Path>, options: NetlistOptions) -> Result<Self> {
        let (name, bytes) = read(path.as_ref())?;
        Self::blif(name, &bytes, options)
    }

    /// A BLIF file in memory, called `name` in errors.
    ///
    /// # Errors
    /// As for [`Netlist::open_aiger`].
    pub fn blif(name: impl Into<String>, bytes: &[u8], options: NetlistOptions) -> Result<Self> {
        let name = name.into();
        let logic = blif::read(&name, bytes)?;
        Self::new(name, "blif", bytes, logic, options)
    }

    /// `aiger`, `aag` where it is AIGER in text, or `blif`.
    pub fn format(&self) -> &'static str {
        self.format
    }

    /// The inputs, in the order in which their bits are taken.
    pub fn inputs(&self) -> Vec<Pin> {
        let public = self.options.init == Initial::Public;
        let state = self.free_latches();
        let state = (state > 0).then(|| Pin { name: "state".into(), width: state, public, optional: false });
        let steps = (0..self.options.steps.unwrap_or(1)).flat_map(|step| {
            let name = move |name: &str| match self.options.steps {
                Some(_) => format!("{name}@{step}"),
                None => name.to_owned(),
            };
            self.inputs.iter().map(move |bus| Pin { optional: !bus.read, ..pin(name(&bus.name), bus) })
        });
        state.into_iter().chain(steps).collect()
    }

    /// The outputs, in the order in which their bits come out. Those of the last step have no number.
    pub fn outputs(&self) -> Vec<Pin> {
        let steps = self.options.steps.unwrap_or(1);
        let each = (0..steps).flat_map(|step| {
            let last = step + 1 == steps;
            let bad = if last || !self.options.any_bad { &self.bad[..] } else { &[] };
            let name = move |name: &str| if last { name.to_owned() } else { format!("{name}@{step}") };
            self.outputs.iter().chain(bad).map(move |bus| pin(name(&bus.name), bus))
        });
        each.collect()
    }

    /// The name of the output that is called `name`, too: what comes out in the last step, as `q@2` of three.
    pub fn last_step(&self, name: &str) -> Option<&str> {
        let step = self.options.steps?.checked_sub(1)?.to_string();
        let name = name.strip_suffix(&step)?.strip_suffix('@')?;
        // By `bad=any` it is no step's.
        let bad = if self.options.any_bad { &[][..] } else { &self.bad };
        let mut outputs = self.outputs.iter().chain(bad).map(|bus| bus.name.as_str());
        outputs.find(|known| *known == name)
    }

    /// The identity of the netlist among all of its format: BLAKE3 of the file, and the options.
    pub fn identity(&self) -> Vec<u8> {
        [&self.digest[..], self.options.canonical().as_bytes()].concat()
    }

    /// The number of ANDs that the file has, in all steps.
    pub fn ands(&self) -> u64 {
        self.logic.ands().saturating_mul(self.options.steps.unwrap_or(1))
    }

    fn new(
        name: String,
        format: &'static str,
        bytes: &[u8],
        logic: Logic,
        options: NetlistOptions,
    ) -> Result<Self> {
        let outputs = logic.outputs.len() + logic.bad.len();
        if outputs == 0 {
            return Err(Error::invalid(format!(
                "{name}: the circuit has no outputs, so that no statement can be made of it"
            )));
        }
        if options.steps.is_none() && !logic.latches.is_empty() {
            return Err(Error::invalid(format!(
                "{name}: the circuit has latches ({}): say for how many steps it runs, by {name}?steps=N",
                logic.latches.len()
            )));
        }
        let bits = |count: usize| count as u32;
        let mut netlist = Self {
            inputs: group(&name, "input", logic.inputs, &logic.input_names, "in")?,
            outputs: group(&name, "output", bits(logic.outputs.len()), &logic.output_names, "out")?,
            bad: group(&name, "bad state", bits(logic.bad.len()), &logic.bad_names, "bad")?,
            digest: blake3::hash(bytes).into(),
            plans: OnceLock::new(),
            name,
            format,
            options,
            logic,
        };
        netlist.rename();
        netlist.check()?;
        let read = netlist.logic.read();
        for bus in &mut netlist.inputs {
            bus.read = bus.bits.iter().any(|&input| read[input as usize]);
        }
        Ok(netlist)
    }

    /// Sets outputs that are the inputs of the same names apart from these, by a `_` behind the name.
    fn rename(&mut self) {
        let Logic { input_names, output_names, outputs, .. } = &self.logic;
        let all = [&self.inputs, &self.outputs, &self.bad].into_iter().flatten();
        let mut known: BTreeSet<_> = all.map(|bus| bus.name.clone()).collect();
        let inputs: BTreeMap<_, _> = self.inputs.iter().map(|bus| (&bus.name, &bus.bits)).collect();
        for bus in &mut self.outputs {
            let Some(bits) = inputs.get(&bus.name) else { continue };
            let is_input = |output: &u32| {
                let input = outputs[*output as usize].node().wrapping_sub(1);
                let same = output_names.get(output).is_some_and(|name| input_names.get(&input) == Some(name));
                same && bits.contains(&input) && !outputs[*output as usize].negated()
            };
            if bus.bits.iter().all(is_input) {
                while known.contains(&bus.name) {
                    bus.name.push('_');
                }
                known.insert(bus.name.clone());
            }
        }
    }

    /// # Errors
    /// `Invalid` where two ports have one name, and where there are too many.
    fn check(&self) -> Result<()> {
        let ports = (self.inputs.len() + self.outputs.len() + self.bad.len()) as u64;
        let steps = self.options.steps.unwrap_or(1);
        if ports.checked_mul(steps).is_none_or(|all| all > MOST_PORTS) {
            return Err(Error::invalid(format!(
                "{}: {steps} steps of {ports} inputs and outputs are more than {MOST_PORTS}: take fewer steps",
                self.name
            )));
        }
        let state = (self.free_latches() > 0).then_some("state");
        let buses = self.inputs.iter().chain(&self.outputs).chain(&self.bad);
        let mut known = BTreeSet::new();
        for name in buses.map(|bus| bus.name.as_str()).chain(state) {
            if known.insert(name) {
                continue;
            }
            let why = match state {
                Some(state) if name == state => {
                    "an input or output is called state, as are the bits with which latches begin: give it another \
                     name"
                        .to_owned()
                }
                _ => format!("two inputs or outputs are called {name}: give each a name of its own"),
            };
            return Err(Error::invalid(format!("{}: {why}", self.name)));
        }
        Ok(())
    }

    fn free_latches(&self) -> u64 {
        self.logic.latches.iter().filter(|latch| run::first(latch, self.options.init).is_none()).count()
            as u64
    }

    /// The operations of a step, which are found when they are needed for the first time; where there are
    /// latches those of the last step come behind, which has no next one.
    fn plans(&self) -> Result<&[PlacePlan]> {
        if let Some(plans) = self.plans.get() {
            return Ok(plans);
        }
        let folded = self.logic.folded();
        let logic = folded.as_ref().unwrap_or(&self.logic);
        let mut plans = vec![self.plan(logic)?];
        if !logic.latches.is_empty() {
            plans.push(self.plan(&logic.without_next())?);
        }
        Ok(self.plans.get_or_init(|| plans))
    }

    fn plan(&self, logic: &Logic) -> Result<PlacePlan> {
        let cover = if self.options.plain { Cover::plain(logic) } else { Cover::recognised(logic) };
        let sums = Operations::new(logic, &cover)?;
        drop(cover);
        Ok(PlacePlan::new(&sums))
    }
}

fn pin(name: String, bus: &Bus) -> Pin {
    Pin { name, width: bus.bits.len() as u64, public: false, optional: false }
}

/// All bytes of the file at `path`, with its name.
fn read(path: &Path) -> Result<(String, Vec<u8>)> {
    let name = path.display().to_string();
    let read = || {
        let file = open_regular(path)?;
        let length = file.metadata()?.len();
        let mut bytes = Vec::new();
        bytes
            .try_reserve_exact(usize::try_from(length).unwrap_or(usize::MAX))
            .map_err(|_| std::io::Error::from(std::io::ErrorKind::OutOfMemory))?;
        file.take(length).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let bytes =
        read().map_err(|why: std::io::Error| Error::invalid(format!("{name} cannot be read: {why}")))?;
    Ok((name, bytes))
}
