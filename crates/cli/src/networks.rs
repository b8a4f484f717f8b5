//! Claims about a network of secret weights, for sessions of many queries.

use crate::failure::{Failure, Result, refuse_experimental};
use crate::fields::Field;
use std::collections::HashMap;
use std::path::Path;
use volery::circuit::Written;
use volery::{AnyClaim, F61, Queries};
use volery_onnx::{CLASS, Network, Options, WEIGHTS, encoded, integer};

/// Settings of the file of a network at `path`.
pub fn options(path: &Path) -> Options {
    Options { folder: path.parent().map(|folder| folder.join(".").into()), ..Options::default() }
}

/// Queries to the network that `spec` names, in each of which the values of `show` are public; where it names none that
/// is the class, or all outputs where there is no class.
///
/// # Errors
/// Where there is no such network, input or output, and where the relation is experimental.
pub fn queries(field: Field, spec: &str, show: &[String]) -> Result<Queries> {
    refuse_experimental(spec, false)?;
    let mut public = show.to_vec();
    if public.is_empty() {
        let relation = field.open(&format!("{spec}?part=query"), None)?;
        let outputs = relation.outputs().iter().map(|port| port.name.clone());
        let (class, others) = outputs.partition::<Vec<_>, _>(|name| name == CLASS);
        public = if class.is_empty() { others } else { class };
    }
    Queries::of(field, spec, &public).map_err(Failure::from)
}

/// The claim that there are weights of their bits: those of the network.
///
/// # Errors
/// Where the network lacks them.
pub fn of_weights(queries: &Queries, network: &Network<'_>) -> volery::Result<Box<dyn AnyClaim>> {
    let weights = network.weight_values()?;
    let mut statement = queries.common()?.state()?;
    let bytes = encoded(weights.iter().map(|weight| i64::from(*weight)));
    statement.private().read(WEIGHTS, Written::Encodings(&bytes))?;
    statement.claim()
}

/// The claim of what the network makes of inputs, by their names.
///
/// # Errors
/// `Invalid` where they are not its inputs, `Unsatisfied` where a value needs more bits than it has.
pub fn claim(
    queries: &Queries,
    network: &Network<'_>,
    inputs: &HashMap<String, Vec<i64>>,
) -> volery::Result<Box<dyn AnyClaim>> {
    let outputs = network.answer(inputs)?;
    let mut relation = queries.query()?;
    let is_shown = |name: &str| queries.public().iter().any(|shown| shown == name);
    let inputs = inputs.iter().map(|(name, integers)| (name, &integers[..]));
    let (shown, hidden): (Vec<_>, Vec<_>) = inputs.partition(|(name, _)| is_shown(name));
    let outputs = outputs.iter().map(|(name, integers)| (name, &integers[..]));
    for (name, integers) in outputs.filter(|(name, _)| is_shown(name)).chain(shown) {
        relation.public().read(name, Written::Encodings(&encoded(integers.iter().copied())))?;
    }
    let mut statement = relation.state()?;
    for (name, integers) in hidden {
        statement.private().read(name, Written::Encodings(&encoded(integers.iter().copied())))?;
    }
    statement.claim()
}

/// The integers of a public value's encoding.
pub fn decoded(encoding: &[u8]) -> Vec<i64> {
    let word = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("8 bytes"));
    encoding.chunks_exact(8).map(|bytes| integer(F61::new(word(bytes)))).collect()
}
