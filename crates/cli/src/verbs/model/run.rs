//! `model run`: a quantised network in the clear.

use super::{numbers, open, read};
use crate::verbs::args::ModelRun;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::io::Read;
use std::path::Path;
use volery::Error;
use volery::circuit::{FixedPoint, Npy, ReadValues, Written};
use volery_cli::failure::{Failure, Result, one_line};
use volery_cli::print;
use volery_cli::progress::Progress;
use volery_cli::values::Reader;
use volery_cli::waiting;
use volery_onnx::{Kind, Network, Quantity};
use zeroize::Zeroizing;

/// The options of inputs, and of weights.
pub(super) const INPUT: &str = "--input";
const WEIGHTS: &str = "--weights";

/// `volery model run`.
pub(crate) fn run(typed: &ModelRun) -> Result<()> {
    let file = read(&typed.network)?;
    let network = whole(&typed.network, &file, typed.weights.as_deref())?;
    let mut reader = Reader::default();
    let mut inputs = Inputs::of(&network, &mut reader);
    reader.read(INPUT, &typed.input, &mut inputs)?;
    let announced = Progress::announce("running the network", false);
    let outputs = network.run(&inputs.integers, &mut |_, _| {});
    drop(announced);
    let outputs = outputs.map_err(|why| match why {
        Error::Unsatisfied(_) => Failure::from(why),
        why => Failure::from(why).at(INPUT),
    })?;
    let outputs = network.outputs.iter().map(|&output| &network.tensors[output]).zip(&outputs);
    if typed.json {
        let outputs = outputs.map(|(tensor, integers)| (tensor.name.into(), object(tensor, integers)));
        return print::json(&json!({"satisfied": true, "outputs": outputs.collect::<Map<_, _>>()}));
    }
    let lines =
        outputs.map(|(tensor, integers)| format!("{}={}", one_line(tensor.name), text(tensor, integers)));
    print::result(lines.collect::<Vec<_>>().join("\n"))
}

/// The network in `file`, the bytes of the file at `path`, with the weights in another file, where they are apart.
pub(super) fn whole<'f>(path: &Path, file: &'f [u8], apart: Option<&Path>) -> Result<Network<'f>> {
    let network = open(path, file)?;
    if let Some(path) = apart {
        let weights = weights(path, &network).map_err(|why| why.at(WEIGHTS))?;
        return network.with_weights(&weights).map_err(|why| Failure::from(why).at(WEIGHTS));
    }
    if network.lacks_weights() {
        return Err(Failure::usage(format_args!(
            "{}: the weights are apart from this graph: give the file that `volery model split` wrote by {WEIGHTS}",
            path.display()
        )));
    }
    Ok(network)
}

/// The weights in the file at `path`, an array.
pub(super) fn weights(path: &Path, network: &Network<'_>) -> Result<Zeroizing<Vec<i64>>> {
    let most = Npy::most_bytes(network.weight_count() as u64);
    let mut content = Zeroizing::new(vec![]);
    let read = waiting::regular(path).and_then(|file| {
        // What grows leaves copies behind.
        let length = file.metadata()?.len().min(most);
        content.reserve_exact(usize::try_from(length).unwrap_or_default() + 1);
        file.take(most + 1).read_to_end(&mut content)
    });
    read.map_err(|why| Failure::usage(why).at(path.display()))?;
    let of = |why: &dyn core::fmt::Display| Failure::usage(why).at(path.display());
    if content.len() as u64 > most {
        return Err(of(&format_args!("more bytes than {} weights take", network.weight_count())));
    }
    let array = Npy::read(&content).map_err(|why| of(&why))?;
    let integers =
        array.integers().ok_or_else(|| of(&"the .npy array has floats, and weights are integers"))?;
    // Whatever is beyond 64 bits is beyond those of a weight.
    let narrow = |integer: i128| i64::try_from(integer).unwrap_or(i64::MAX);
    let mut weights = Zeroizing::new(Vec::with_capacity(integers.len()));
    weights.extend(integers.map(narrow));
    Ok(weights)
}

/// Inputs of a network as they are read.
pub(super) struct Inputs {
    ports: HashMap<String, FixedPoint>,
    pub(super) integers: HashMap<String, Vec<i64>>,
}

impl Inputs {
    /// No values of the network's inputs yet, of which `reader` takes no more than each has.
    pub(super) fn of(network: &Network<'_>, reader: &mut Reader) -> Self {
        let mut ports = HashMap::new();
        for &input in &network.inputs {
            let tensor = &network.tensors[input];
            reader.limit(tensor.name, tensor.count() as u64, "element");
            ports.insert(tensor.name.into(), numbers(tensor));
        }
        Self { ports, integers: HashMap::new() }
    }
}

impl ReadValues for Inputs {
    fn read(&mut self, name: &str, written: Written<'_>) -> volery::Result<()> {
        let Some(port) = self.ports.get(name) else {
            let mut names: Vec<_> = self.ports.keys().map(String::as_str).collect();
            names.sort_unstable();
            let names = names.join(", ");
            return Err(Error::invalid(format!("{name} is no input of the network: there is {names}")));
        };
        let (bytes, path) = match written {
            Written::Text(bytes) => (bytes, None),
            Written::Content(bytes, path) => (bytes, path),
            Written::Encodings(_) => unreachable!("encodings are of streams, which networks have none of"),
        };
        let place = path.map_or(String::new(), |path| format!("{}: ", path.display()));
        let integers = port.read(bytes).map_err(|why| Error::invalid(format!("{name}: {place}{why}")))?;
        match self.integers.insert(name.into(), integers.to_vec()) {
            None => Ok(()),
            Some(_) => Err(Error::invalid(format!("{name} is given twice: give each value once"))),
        }
    }
}

/// An output as JSON.
fn object(tensor: &Quantity<'_>, integers: &[i64]) -> Value {
    match tensor.kind {
        Kind::Index => json!({"shape": tensor.shape, "integers": integers}),
        _ => json!({"shape": tensor.shape, "exponent": tensor.exponent, "integers": integers}),
    }
}

/// An output as a value is written: indices, or numbers with a decimal point.
fn text(tensor: &Quantity<'_>, integers: &[i64]) -> String {
    let unit = f64::from(-tensor.exponent).exp2();
    let number = |&integer: &i64| match tensor.kind {
        Kind::Index => integer.to_string(),
        _ => {
            let number = (integer as f64 * unit).to_string();
            if number.contains('.') { number } else { number + ".0" }
        }
    };
    integers.iter().map(number).collect::<Vec<_>>().join(",")
}
