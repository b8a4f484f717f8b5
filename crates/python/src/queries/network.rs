//! The file of a network, its weights and inputs, and the claims that are made of them.

use crate::errors::{Result, Trouble};
use crate::party::array;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::HashMap;
use std::fmt::Display;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use volery::circuit::{Npy, Port};
use volery::{AnyClaim, Error, Queries};
use volery_cli::failure::Failure;
use volery_cli::networks::{self, options};
use volery_cli::partial::{self, Old, Partial};
use volery_cli::print::hex;
use volery_cli::waiting;
use volery_onnx::{MOST_BYTES, Network, Split};
use zeroize::{Zeroize, Zeroizing};

/// The arrays of a query, each as numpy would write it to a file, by the names of inputs; without a name for the only one.
pub(super) type Given = Vec<(Option<String>, Zeroizing<Vec<u8>>)>;

/// Reads the arrays of a query.
pub(super) fn given(inputs: &Bound<'_, PyDict>) -> PyResult<Given> {
    let one = |(name, value): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
        let content =
            array(&value)?.ok_or_else(|| PyTypeError::new_err("an input is an array of numbers"))?;
        Ok((name.extract()?, content))
    };
    inputs.iter().map(one).collect()
}

/// The weights of a network, where they are apart from its file.
pub(super) enum Weights {
    File(PathBuf),
    /// The bytes of an array, as numpy would write it to a file.
    Array(Zeroizing<Vec<u8>>),
}

impl Weights {
    /// The array, or the path of one.
    pub(super) fn read(given: &Bound<'_, PyAny>) -> PyResult<Self> {
        match array(given)? {
            Some(content) => Ok(Self::Array(content)),
            None => given.extract().map(Self::File),
        }
    }

    /// The list that the network takes.
    fn list(&self, network: &Network<'_>) -> Result<Zeroizing<Vec<i64>>, Failure> {
        let count = network.weight_count();
        let read;
        let content = match self {
            Self::Array(content) => content,
            Self::File(path) => {
                let most = Npy::most_bytes(count as u64);
                read = read_whole(path, most)?;
                if read.len() as u64 > most {
                    let why = format_args!("more bytes than {count} weights take");
                    return Err(Failure::usage(why).at(path.display()));
                }
                &read
            }
        };
        let at = |why: &dyn Display| match self {
            Self::Array(_) => Failure::usage(why),
            Self::File(path) => Failure::usage(why).at(path.display()),
        };
        let array = Npy::read(content).map_err(|why| at(&why))?;
        let integers =
            array.integers().ok_or_else(|| at(&"the array has floats, and weights are integers"))?;
        let mut list = Zeroizing::new(Vec::with_capacity(integers.len()));
        // Whatever is beyond 64 bits is beyond those of a weight.
        list.extend(integers.map(|integer| i64::try_from(integer).unwrap_or(i64::MAX)));
        Ok(list)
    }
}

/// All bytes of the file at `path`, up to one more than `most`.
fn read_whole(path: &Path, most: u64) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let read = waiting::regular(path).and_then(|file| {
        // What grows leaves copies behind.
        let length = file.metadata()?.len().min(most);
        let mut bytes = Zeroizing::new(Vec::with_capacity(usize::try_from(length).unwrap_or_default() + 1));
        file.take(most + 1).read_to_end(&mut bytes)?;
        Ok(bytes)
    });
    read.map_err(|why| Failure::usage(why).at(path.display()))
}

/// All bytes of the file of a network.
pub(super) fn read(path: &Path) -> Result<Zeroizing<Vec<u8>>> {
    Ok(read_whole(path, MOST_BYTES as u64)?)
}

/// The network in `file`, the bytes of the file at `path`, with the weights of elsewhere, where they are apart.
pub(super) fn whole<'f>(path: &Path, file: &'f [u8], weights: Option<&Weights>) -> Result<Network<'f>> {
    let network = Network::open(file, &options(path));
    let network = network.map_err(|why| Failure::from(why).at(path.display()))?;
    match weights {
        Some(weights) => {
            let of = |why: Failure| why.at("--weights");
            let list = weights.list(&network).map_err(of)?;
            Ok(network.with_weights(&list).map_err(|why| of(why.into()))?)
        }
        None if network.lacks_weights() => {
            let why =
                "the weights are apart from this graph: give those that were split from it by --weights";
            Err(Failure::usage(why).at(path.display()).into())
        }
        None => Ok(network),
    }
}

/// Splits the network at a path into its public graph and its weights, two files of these names, which replace others where
/// they may: the identity of both, in hexadecimal digits.
#[pyfunction]
pub(crate) fn split_network(
    py: Python<'_>,
    path: PathBuf,
    public: PathBuf,
    weights: PathBuf,
    force: bool,
) -> PyResult<String> {
    py.detach(|| split(&path, &public, &weights, Old::by_force(force))).map_err(|why| why.raised(py, None))
}

fn split(path: &Path, public: &Path, weights: &Path, old: Old) -> Result<String> {
    let [of_public, of_weights] = ["--public", "--weights"];
    let file = read(path)?;
    if public == weights {
        return Err(
            Failure::usage(format_args!("{of_public} and {of_weights} are one file: name two")).into()
        );
    }
    // Neither is written where the other cannot be.
    partial::free(of_public, public, old)?;
    partial::free(of_weights, weights, old)?;
    let options = options(path);
    let split = Split::of(&file, &options).map_err(|why| Failure::from(why).at(path.display()))?;
    let identity = hex(&Network::open(&split.graph, &options)?.identity());
    write(of_weights, weights, old, true, |out| {
        out.write_all(&Npy::head("<i4", &[split.weights.len()]))?;
        split.weights.iter().try_for_each(|weight| out.write_all(&weight.to_le_bytes()))
    })?;
    write(of_public, public, old, false, |out| out.write_all(&split.graph))?;
    Ok(identity)
}

/// Fills the file at `path`, which `option` names, and which others may not read where it is secret.
fn write(
    option: &'static str,
    path: &Path,
    old: Old,
    secret: bool,
    fill: impl FnOnce(&mut Partial) -> io::Result<()>,
) -> Result<()> {
    let create = if secret { Partial::create_secret } else { Partial::create };
    let mut out = create(option, path, old)?;
    let filled = fill(&mut out);
    filled.map_err(|why| Failure::usage(why).at("cannot be written").at(path.display()).at(option))?;
    Ok(out.finish()?)
}

/// The claim of what the network makes of these inputs.
///
/// # Errors
/// `Invalid` where they are not its inputs, `Unsatisfied` where a value needs more bits than it has.
pub(super) fn claim(queries: &Queries, network: &Network<'_>, given: &Given) -> Result<Box<dyn AnyClaim>> {
    let inputs = Integers::of(queries.query()?.inputs(), given)?;
    Ok(networks::claim(queries, network, &inputs.0)?)
}

/// The integers of a query's inputs, by their names.
struct Integers(HashMap<String, Vec<i64>>);

impl Drop for Integers {
    fn drop(&mut self) {
        self.0.values_mut().for_each(Zeroize::zeroize);
    }
}

impl Integers {
    /// The integers that `given` stands for, as values of these ports.
    fn of(ports: &[Port], given: &Given) -> Result<Self> {
        let mut integers = Self(HashMap::new());
        let names = || ports.iter().map(|port| &port.name[..]).collect::<Vec<_>>().join(", ");
        for (name, content) in given {
            let port = match (name, ports) {
                (None, [port]) => Some(port),
                (None, _) => {
                    let names = names();
                    return Err(refused(format!(
                        "the inputs are {names}: give a dictionary with an array for each"
                    )));
                }
                (Some(name), _) => ports.iter().find(|port| port.name == *name),
            };
            let Some(port) = port else {
                let (name, names) = (name.as_deref().unwrap_or_default(), names());
                return Err(refused(format!("{name} is no input of the network: there is {names}")));
            };
            let (name, numbers) = (&port.name, port.fixed_point.as_ref().expect("an input is of numbers"));
            let array = Npy::read(content).map_err(|why| refused(format!("input {name}: {why}")))?;
            let (is, reads) = (array.shape(), &numbers.shape[..]);
            if without_ones(is) != without_ones(reads) {
                let [given, taken] = [is, reads].map(|shape| shape.iter().product::<usize>());
                let advice =
                    if given == taken { ": transpose it, or reshape it if its order is this" } else { "" };
                return Err(refused(format!(
                    "input {name} has the shape {is:?}, and the network reads {reads:?}{advice}"
                )));
            }
            let read = numbers.read(content).map_err(|why| refused(format!("input {name}: {why}")))?;
            integers.0.insert(name.clone(), read.to_vec());
        }
        Ok(integers)
    }
}

/// A shape but for the ones that it begins with: a batch of one is none.
fn without_ones(shape: &[usize]) -> &[usize] {
    &shape[shape.iter().take_while(|length| **length == 1).count()..]
}

fn refused(why: String) -> Trouble {
    Error::invalid(why).into()
}
