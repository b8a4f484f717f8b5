//! A quantised network as a statement: "I know an input, and weights, of which the network makes these outputs".
//!
//! | tensor | what a prover commits to | what is shown |
//! |---|---|---|
//! | input | 16 bits an element | its range |
//! | weight, where they are private | as many bits as its type, 24 where it is a factor | its range |
//! | sum of products | the sum, an element of 2^61 − 1 | [`Polynomials::assert_bilinear`]: by random vectors, a few products |
//! | product of two tensors | the product | a polynomial of degree 2 each |
//! | rounding of a to q | q | a − q·2^s is in [−2^(s − 1), 2^(s − 1)), and q in its 16 bits, or the key of a table |
//! | function | its value | that key and value are a row of the table |
//! | function of a sum V by leading bits | a power d, leading bits m, their values, limbs | V = m·d + ρ with 0 ≤ ρ < d, and rows of two tables |
//! | row that an index names | the row | that a memory has it there ([`Memories`]) |
//! | maximum m of xᵢ | m | 0 ≤ m − xᵢ < 2^16, and Π(m − xᵢ) = 0 |
//! | sums, differences, moves, constant factors | nothing | nothing: they are linear |
//!
//! **Exact.** A sum is below 2^59 by its public bound, and q·2^s + r is below 2^48: so both are one integer where they
//! are one element, and q is the only one. A shift below 16 is made 16 where the sum, times a power of two, is still below
//! 2^59; where it is not, another integer might be the same element.
//!
//! **In a session** the weights can be committed to once, for many queries: one statement reads them, shows their
//! bits and hands on their wires, and each query takes them in the place of the input, layer by layer.
//!
//! **What is public** is the graph: shapes, exponents, tables, constants that it names public, and weights that stand in
//! the file. Values that need more bits than they have are an assertion that fails, by the name of its node.

mod form;
mod layers;
mod maxima;
mod step;
mod values;
mod wide;

use crate::graph::Options;
use crate::network::{HELD_BITS, Kind, Network, Quantity, Step};
use crate::run::Integers;
use crate::skeleton;
use crate::stored::Folder;
use core::fmt::Display;
use form::Sums;
pub use layers::INDEX_BITS;
use layers::{Layers, Weights};
use std::collections::{HashMap, HashSet};
use std::iter;
use std::path::{Path, PathBuf};
pub(crate) use step::signed;
pub(crate) use values::element;
pub use values::{encoded, integer};
use volery_channel::error::{Error, Result};
use volery_circuit::port::{FixedPoint, PublicValues, Repeat};
use volery_circuit::stream::Recorder;
use volery_circuit::{Machine, Port, StatementFile};
#[cfg(doc)]
use volery_circuit::{Memories, Polynomials};
use volery_primitives::{F61, SecretVec};
use zeroize::Zeroize;

/// The version of the gates.
const VERSION: u32 = 3;

/// The most entries of a tensor, of all inputs together.
const MOST: usize = 1 << 28;

/// The most entries of all tensors that are there at a time.
const LIVE: usize = 1 << 30;

/// Weights that are hashed at a time.
const HASHED: usize = 1 << 12;

/// The input that has the weights, one tensor after the other, in the order of the file.
pub const WEIGHTS: &str = "weights";

/// The output that has the place of the largest of each row of the network's one output.
pub const CLASS: &str = "class";

/// The part of a statement that is one in a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// All of it.
    Whole,
    /// The claim that there are weights of their bits, which are handed on.
    Weights,
    /// The claim of what the network makes of inputs, by weights that another statement has handed on.
    Query,
}

/// How a network is stated.
#[derive(Clone, Copy, Debug)]
struct Form {
    /// The inputs that the network is applied to, one after the other.
    count: usize,
    /// Whether the weights are an input, and not those of the file.
    apart: bool,
    part: Part,
}

/// A quantised network in a file, as a statement about its inputs, its weights and its outputs.
#[derive(Debug)]
pub struct Statement {
    file: Vec<u8>,
    options: Options,
    form: Form,
    identity: Vec<u8>,
    /// The identity of the graph, and the numbers and bits of its weights.
    graph: ([u8; 32], Vec<(usize, u32)>),
    inputs: Vec<Port>,
    outputs: Vec<Port>,
}

impl Statement {
    /// The network of the file at `path`, with these options behind its name: `weights=private` for weights that are an
    /// input, though they stand in the file; `count=N` for N inputs of each name; and `part=weights` or `part=query` for
    /// one of the statements of a session, whose weights are private.
    ///
    /// # Errors
    /// `Invalid` where the file cannot be read, or is not a quantised network, with its place, node or tensor; and for an
    /// option that there is not.
    pub fn open(path: impl AsRef<Path>, options: Option<&str>) -> Result<Self> {
        let path = path.as_ref();
        let name = path.display().to_string();
        let file = skeleton::read(path).map_err(|why| named(&name, why))?;
        // That of a name alone is empty, and no folder.
        let folder = path.parent().map(|folder| folder.join("."));
        Self::from_bytes((&name, file), folder, options)
    }

    /// The network of [`Statement::open`] with weights that are an input: for who shows what they are.
    ///
    /// # Errors
    /// As there.
    pub fn open_apart(path: impl AsRef<Path>, options: Option<&str>) -> Result<Self> {
        let mut this = Self::open(path, options)?;
        if !this.form.apart {
            this = Self::of(this.file, this.options, Form { apart: true, ..this.form })?;
        }
        Ok(this)
    }

    /// The identity of the network, whatever its weights and the number of inputs.
    pub fn graph_identity(&self) -> [u8; 32] {
        self.graph.0
    }

    /// The number of entries of each weight, in the order of the input [`WEIGHTS`], and the bits of each.
    pub fn weight_bits(&self) -> impl Iterator<Item = (usize, u32)> + '_ {
        self.graph.1.iter().copied()
    }

    /// The number of weights that `part=weights` hands on, and `part=query` takes.
    pub fn carried(&self) -> usize {
        self.weight_bits().map(|(count, _)| count).sum()
    }

    /// Pushes the gates with weights on wires in the place of the input [`WEIGHTS`]: `gives` makes those of the weight of this
    /// number, in the order of the list, and has shown that they have their bits. Nobody else holds the wires, which are
    /// forgotten once they are read.
    ///
    /// # Errors
    /// As for [`StatementFile::record`], and those of `gives`.
    pub fn push_with<B: Machine<F = F61>>(
        &self,
        b: &mut B,
        mut gives: impl FnMut(&mut B, usize) -> Result<Vec<B::Wire>>,
        values: PublicValues<'_, F61>,
    ) -> Result<()> {
        let network = self.network()?;
        Layers::push(b, &network, (self.form.count, Weights::By(&mut gives)), values)
    }

    /// The network of a file that is called `name`, and was read; values that lie beside it are in `folder`.
    ///
    /// # Errors
    /// As for [`Statement::open`].
    pub fn from_bytes(
        (name, file): (&str, Vec<u8>),
        folder: Option<PathBuf>,
        options: Option<&str>,
    ) -> Result<Self> {
        let (others, count) = match options {
            Some(options) if options.contains("lanes=") => {
                return Err(Error::invalid(format!(
                    "{name}?{options}: the inputs of a network are taken together, and not in lanes: leave lanes out"
                )));
            }
            Some(options) => Repeat::take(name, options)?,
            None => (String::new(), Repeat::of(1)),
        };
        let (apart, part) = match &others[..] {
            "" => (false, Part::Whole),
            "weights=private" => (true, Part::Whole),
            "part=weights" if count.instances == 1 => (true, Part::Weights),
            "part=query" => (true, Part::Query),
            "part=weights" => {
                return Err(Error::invalid(format!(
                    "{name}?part=weights: weights are the same for all inputs: leave count out"
                )));
            }
            other => {
                return Err(Error::invalid(format!(
                    "{name}?{other}: the options of a network are ?weights=private, for weights that are an input, \
                     ?part=weights and ?part=query, for the statements of a session, and &count=N, for N inputs"
                )));
            }
        };
        let options = Options { folder: folder.map(Folder::from), ..Options::default() };
        Self::of(file, options, Form { count: count.instances as usize, apart, part }).map_err(
            |why| match why {
                Error::Invalid(why) => Error::invalid(format!("{name}: {why}")),
                other => other,
            },
        )
    }

    /// The statement of a file that was read.
    fn of(file: Vec<u8>, options: Options, form: Form) -> Result<Self> {
        let network = Network::open(&file, &options)?;
        let form = Form { apart: form.apart || network.lacks_weights(), ..form };
        let Form { count, apart, part } = form;
        let port = |name: &str, width: usize| Port::new(name, (width * count) as u64);
        // Values may be written as the real numbers that they stand for.
        let numbers = |tensor: &Quantity<'_>| {
            let (shape, index) = (tensor.shape.iter().copied(), tensor.kind == Kind::Index);
            let shape = iter::once(count).filter(|count| *count > 1).chain(shape).collect();
            let (exponent, bits) = if index { (0, INDEX_BITS) } else { (tensor.exponent, HELD_BITS) };
            Some(FixedPoint { exponent, bits, shape })
        };
        let tensor = |name: &str, tensor: usize| {
            let tensor = &network.tensors[tensor];
            Port { fixed_point: numbers(tensor), ..port(name, tensor.count()) }
        };
        let input = |&input: &usize| tensor(network.tensors[input].name, input);
        let mut inputs: Vec<_> = network.inputs.iter().map(input).collect();
        if part == Part::Weights {
            inputs.clear();
        }
        if apart && part != Part::Query {
            inputs.push(Port::new(WEIGHTS, network.weight_count() as u64));
        }
        let named = network.output_names().zip(&network.outputs);
        let mut outputs: Vec<_> = named.map(|(name, &output)| tensor(name, output)).collect();
        if let Some(row) = network.class_of() {
            outputs.push(port(CLASS, network.tensors[network.outputs[0]].count() / row));
        }
        if part == Part::Weights {
            outputs.clear();
        }
        demand_names(inputs.iter().chain(&outputs))?;
        demand_sizes(&network, count)?;
        let identity = identity(&network, form)?;
        let weights = network.weights().iter().map(|weight| (weight.count, weight.bits)).collect();
        let graph = (network.identity(), weights);
        Ok(Self { options, form, identity, graph, inputs, outputs, file })
    }

    /// The network, once more: what lies beside its file is what it was when its identity was found.
    ///
    /// # Errors
    /// Those of reading it.
    fn network(&self) -> Result<Network<'_>> {
        Network::open(&self.file, &self.options)
    }

    /// Whether a run of the network on what is public and what is in the witness says what is public of its outputs.
    ///
    /// # Errors
    /// Those of the run.
    fn runs(&self, values: PublicValues<'_, F61>, witness: &mut dyn Iterator<Item = F61>) -> Result<bool> {
        let mut network = self.network()?;
        let mut given = self.inputs.iter().zip(values.inputs).map(|(port, public)| {
            // As long as all from the begin: what grows leaves copies behind.
            let mut integers = Vec::with_capacity(port.width as usize);
            match public {
                Some(values) => integers.extend((0..port.width).map(|place| integer(values.element(place)))),
                None => integers.extend(witness.take(port.width as usize).map(integer)),
            }
            (port, SecretVec::from(integers))
        });
        let inputs: Vec<_> = given.by_ref().take(network.inputs.len()).collect();
        if let Some((_, weights)) = given.next() {
            if network.lacks_weights() {
                network = network.with_weights(&weights)?;
            } else if !network
                .weight_values()?
                .iter()
                .map(|&weight| i64::from(weight))
                .eq(weights.iter().copied())
            {
                return Ok(false);
            }
        }
        drop(given);
        if witness.next().is_some() {
            return Ok(false);
        }
        for run in 0..self.form.count {
            let of_run = |(port, integers): &(&Port, SecretVec<i64>)| {
                let length = integers.len() / self.form.count;
                (port.name.clone(), integers[run * length..][..length].to_vec())
            };
            let mut inputs: HashMap<_, _> = inputs.iter().map(of_run).collect();
            let answer = network.answer(&inputs);
            inputs.values_mut().for_each(Zeroize::zeroize);
            let answer = answer?;
            for ((_, integers), public) in answer.iter().zip(values.outputs) {
                let Some(public) = public else { continue };
                let first = run * integers.len();
                let is_said = |(i, said): (usize, &i64)| public.element((first + i) as u64) == element(*said);
                if !integers.iter().enumerate().all(is_said) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}

impl<'f> Network<'f> {
    /// The entries of a row of which [`CLASS`] is the place of the largest, where a statement has that output.
    fn class_of(&self) -> Option<usize> {
        let [output] = self.outputs[..] else { return None };
        let tensor = &self.tensors[output];
        let has_one = tensor.kind == Kind::Held && self.output_names().all(|name| name != CLASS);
        has_one.then(|| tensor.shape.last().copied().unwrap_or(1))
    }

    /// Runs the network, as [`Network::run`] does, and returns what a [`Statement`] calls its outputs, by their names.
    ///
    /// # Errors
    /// As for [`Network::run`].
    pub fn answer(&self, inputs: &HashMap<String, Vec<i64>>) -> Result<Vec<(String, Integers)>> {
        let outputs = self.run(inputs, &mut |_, _| {})?;
        let mut answers: Vec<_> = self.output_names().map(str::to_owned).zip(outputs).collect();
        if let Some(row) = self.class_of() {
            // The first of several.
            let place =
                |row: &[i64]| (0..row.len()).rev().max_by_key(|i| row[*i]).expect("a row has entries");
            let places: Vec<_> = answers[0].1.chunks_exact(row).map(|row| place(row) as i64).collect();
            answers.push((CLASS.into(), places.into()));
        }
        Ok(answers)
    }
}

/// An error of the file that is called `name`.
fn named(name: &str, why: Error) -> Error {
    match why {
        Error::Invalid(why) => Error::invalid(format!("{name}: {why}")),
        other => other,
    }
}

/// The digest of a network, with its weights where they are public, and of how it is stated.
fn identity(network: &Network<'_>, Form { count, apart, part }: Form) -> Result<Vec<u8>> {
    let mut hasher = blake3::Hasher::new_derive_key("volery statement of a network v1");
    hasher.update(&network.identity()).update(&(count as u64).to_le_bytes()).update(&[u8::from(apart)]);
    match part {
        Part::Whole => {}
        Part::Weights => {
            hasher.update(b"weights");
        }
        Part::Query => {
            hasher.update(b"query");
        }
    }
    if !apart {
        for i in 0..network.weights().len() {
            for some in network.values_of(i)?.chunks(HASHED) {
                let bytes: Vec<_> = some.iter().flat_map(|weight| weight.to_le_bytes()).collect();
                hasher.update(&bytes);
            }
        }
    }
    Ok(hasher.finalize().as_bytes().to_vec())
}

/// Demands that ports have names of their own, since values are given by them.
fn demand_names<'p>(ports: impl Iterator<Item = &'p Port>) -> Result<()> {
    let mut names = HashSet::new();
    for port in ports {
        if !names.insert(&port.name) {
            return Err(Error::invalid(format!(
                "two of the inputs and outputs are called {:?} ({WEIGHTS:?} and {CLASS:?} are names of the statement): \
                 rename the network's",
                port.name
            )));
        }
    }
    Ok(())
}

/// Demands that the tensors of all inputs together are within reason: each, what layers make of it on the way, and all that
/// are there at a time.
fn demand_sizes(network: &Network<'_>, count: usize) -> Result<()> {
    let of = |factors: &[usize]| factors.iter().try_fold(count, |all, factor| all.checked_mul(*factor));
    let large = |what: &dyn Display| {
        Err(Error::invalid(format!(
            "{what} for count={count}: state fewer inputs at a time, or a smaller network"
        )))
    };
    for Quantity { name, shape, .. } in &network.tensors {
        if of(shape).is_none_or(|entries| entries > MOST) {
            return large(&format_args!(
                "tensor {name:?} of the shape {shape:?} has more than {MOST} entries"
            ));
        }
    }
    let mut left = network.readers();
    let mut live: usize = network.inputs.iter().map(|&input| count * network.tensors[input].count()).sum();
    for layer in &network.layers {
        let shape = |i: usize| &network.tensors[layer.inputs[i]].shape[..];
        let output = &network.tensors[layer.output];
        let most = match &layer.step {
            Step::MaxPool(window) => of(&[output.count(), window.taps()]),
            Step::Maximum => of(&[output.count(), layer.inputs.len()]),
            Step::Bilinear { form, .. } => {
                // Of all inputs: whichever tensors differ between them.
                let sums = Sums::new(form, [shape(0), shape(1)], &output.shape, [0; 2], count);
                sums.form.validate().ok().and_then(|()| sums.form.lengths().into_iter().max())
            }
            _ => Some(0),
        };
        if most.is_none_or(|entries| entries > MOST) {
            return large(&format_args!("{layer} takes more than {MOST} entries"));
        }
        live += count * output.count();
        if live > LIVE {
            return large(&format_args!("more than {LIVE} entries are there at {layer}"));
        }
        for &input in &layer.inputs {
            left[input] -= 1;
            if left[input] == 0 && network.tensors[input].origin.is_none() {
                live -= count * network.tensors[input].count();
            }
        }
    }
    Ok(())
}

impl StatementFile<F61> for Statement {
    fn format_name(&self) -> &'static str {
        "onnx"
    }
    fn identity(&self) -> Vec<u8> {
        self.identity.clone()
    }
    fn version(&self) -> u32 {
        VERSION
    }
    fn inputs(&self) -> Vec<Port> {
        self.inputs.clone()
    }
    fn outputs(&self) -> Vec<Port> {
        self.outputs.clone()
    }
    fn record(&self, b: &mut Recorder<'_, F61>, values: PublicValues<'_, F61>) -> Result<()> {
        let network = self.network()?;
        let weights = match self.form {
            Form { part: Part::Weights, .. } => {
                let weights = values.inputs.first().copied().flatten();
                return Layers::hand_on(b, &network, weights);
            }
            Form { part: Part::Query, .. } => Weights::Carried,
            Form { apart: true, .. } => Weights::Input,
            Form { apart: false, .. } => Weights::OfFile,
        };
        Layers::push(b, &network, (self.form.count, weights), values)
    }
    fn is_satisfied(&self, values: PublicValues<'_, F61>, witness: &mut dyn Iterator<Item = F61>) -> bool {
        self.form.part == Part::Whole && self.runs(values, witness).unwrap_or(false)
    }
}
