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
//! **What is public** is the graph: shapes, exponents, tables, constants that it names public, and weights that stand in
//! the file. Values that need more bits than they have are an assertion that fails, by the name of its node.

mod form;
mod layers;
mod maxima;
mod step;
mod values;
mod wide;

use crate::graph::Options;
use crate::network::{HELD_BITS, Kind, Network, Quantity};
use layers::{INDEX_BITS, Layers, Weights};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::{fs, iter};
pub use values::integer;
use volery_channel::error::{Error, Result};
use volery_circuit::port::{FixedPoint, PublicValues, Repeat};
use volery_circuit::stream::Recorder;
use volery_circuit::{Machine, Port, StatementFile};
#[cfg(doc)]
use volery_circuit::{Memories, Polynomials};
use volery_primitives::F61;

/// The version of the gates.
const VERSION: u32 = 1;

/// The most entries of a tensor, of all inputs together.
const MOST: usize = 1 << 28;

/// Weights that are hashed at a time.
const HASHED: usize = 1 << 12;

/// The input that has the weights, one tensor after the other, in the order of the file.
pub const WEIGHTS: &str = "weights";

/// The output that has the place of the largest of each row of the network's one output.
pub const CLASS: &str = "class";

/// A quantised network in a file, as a statement about its inputs, its weights and its outputs.
#[derive(Debug)]
pub struct Statement {
    file: Vec<u8>,
    options: Options,
    /// The inputs that the network is applied to, one after the other.
    count: usize,
    /// Whether the weights are an input, and not those of the file.
    apart: bool,
    identity: Vec<u8>,
    /// The identity of the graph, and the numbers and bits of its weights.
    graph: ([u8; 32], Vec<(usize, u32)>),
    inputs: Vec<Port>,
    outputs: Vec<Port>,
}

impl Statement {
    /// The network of the file at `path`, with these options behind its name: `weights=private` for weights that are an
    /// input, though they stand in the file, and `count=N` for N inputs of each name.
    ///
    /// # Errors
    /// `Invalid` where the file cannot be read, or is not a quantised network, with its place, node or tensor; and for an
    /// option that there is not.
    pub fn open(path: impl AsRef<Path>, options: Option<&str>) -> Result<Self> {
        let path = path.as_ref();
        let name = path.display().to_string();
        let file = fs::read(path).map_err(|why| Error::invalid(format!("{name} cannot be read: {why}")))?;
        Self::from_bytes((&name, file), path.parent().map(Path::to_path_buf), options)
    }

    /// The network of [`Statement::open`] with weights that are an input: for who shows what they are.
    ///
    /// # Errors
    /// As there.
    pub fn open_apart(path: impl AsRef<Path>, options: Option<&str>) -> Result<Self> {
        let mut this = Self::open(path, options)?;
        if !this.apart {
            this = Self::of(this.file, this.options, (this.count, true))?;
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

    /// Pushes the gates with weights on wires in the place of the input [`WEIGHTS`]. The caller has shown that each has its
    /// bits; nobody else holds the wires, which are forgotten once they are read.
    ///
    /// # Errors
    /// As for [`StatementFile::record`].
    ///
    /// # Panics
    /// Where they are another number.
    pub fn push_with<B: Machine<F = F61>>(
        &self,
        b: &mut B,
        weights: Vec<B::Wire>,
        values: PublicValues<'_, F61>,
    ) -> Result<()> {
        let network = self.network()?;
        assert_eq!(weights.len(), network.weight_count(), "a wire for each weight");
        Layers::push(b, &network, (self.count, Weights::Wires(weights)), values)
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
        let apart = match &others[..] {
            "" => false,
            "weights=private" => true,
            other => {
                return Err(Error::invalid(format!(
                    "{name}?{other}: the options of a network are ?weights=private, for weights that are an input, and \
                     &count=N, for N inputs"
                )));
            }
        };
        let options = Options { folder, ..Options::default() };
        Self::of(file, options, (count.instances as usize, apart)).map_err(|why| match why {
            Error::Invalid(why) => Error::invalid(format!("{name}: {why}")),
            other => other,
        })
    }

    /// The statement of a file that was read.
    fn of(file: Vec<u8>, options: Options, (count, apart): (usize, bool)) -> Result<Self> {
        let network = Network::open(&file, &options)?;
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
        let apart = apart || network.lacks_weights();
        if apart {
            inputs.push(Port::new(WEIGHTS, network.weight_count() as u64));
        }
        let held = |output: usize| network.tensors[output].kind == Kind::Held;
        // Called as in the graph, and not as what was rounded for it.
        let named = network.graph.outputs.iter().map(|&output| network.graph.tensors[output].name);
        let mut outputs: Vec<_> =
            named.zip(&network.outputs).map(|(name, &output)| tensor(name, output)).collect();
        if let &[output] = &network.outputs[..]
            && held(output)
            && outputs[0].name != CLASS
        {
            outputs.push(port(
                CLASS,
                network.tensors[output].count() / network.tensors[output].shape.last().copied().unwrap_or(1),
            ));
        }
        demand_names(inputs.iter().chain(&outputs))?;
        demand_sizes(&network, count)?;
        let identity = identity(&network, count, apart)?;
        let weights = network.weights().iter().map(|weight| (weight.count, weight.bits)).collect();
        let graph = (network.identity(), weights);
        Ok(Self { options, count, apart, identity, graph, inputs, outputs, file })
    }

    /// The network, once more.
    ///
    /// # Errors
    /// `Invalid` where what lies beside the file is another than it was.
    fn network(&self) -> Result<Network<'_>> {
        let network = Network::open(&self.file, &self.options)?;
        if identity(&network, self.count, self.apart)? != self.identity {
            return Err(Error::invalid("what lies beside the network's file has changed: open it again"));
        }
        Ok(network)
    }
}

/// The digest of a network, with its weights where they are public, and of how it is stated.
fn identity(network: &Network<'_>, count: usize, apart: bool) -> Result<Vec<u8>> {
    let mut hasher = blake3::Hasher::new_derive_key("volery statement of a network v1");
    hasher.update(&network.identity()).update(&(count as u64).to_le_bytes()).update(&[u8::from(apart)]);
    if !apart {
        for some in network.weight_values()?.chunks(HASHED) {
            let bytes: Vec<_> = some.iter().flat_map(|weight| weight.to_le_bytes()).collect();
            hasher.update(&bytes);
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

/// Demands that the tensors of all inputs together are within reason.
fn demand_sizes(network: &Network<'_>, count: usize) -> Result<()> {
    let large = network.tensors.iter().find(|tensor| {
        tensor
            .shape
            .iter()
            .try_fold(count, |all, length| all.checked_mul(*length))
            .is_none_or(|all| all > MOST)
    });
    match large {
        None => Ok(()),
        Some(tensor) => Err(Error::invalid(format!(
            "tensor {:?} of the shape {:?} has more than {MOST} entries for count={count}: state fewer inputs at a time",
            tensor.name, tensor.shape
        ))),
    }
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
        let weights = if self.apart { Weights::Input } else { Weights::OfFile };
        Layers::push(b, &network, (self.count, weights), values)
    }
}
