//! Ports of statements: named inputs and outputs, and values for them, which may be secret.

mod both;
mod count;
mod elements;
mod file;
mod fixed_point;
mod npy;
mod residues;
mod value;
mod witness;

pub use both::{BothValues, Secrets};
pub use count::{COUNT, LANES, Repeat, check_count, check_lanes};
pub use elements::Elements;
pub use file::{PublicValues, Sequence, StatementFile, ValueStream, sequences};
pub use fixed_point::FixedPoint;
pub use npy::Npy;
pub use residues::{ResiduePort, Residues};
pub use value::{PortValue, ReadValues, Value, Values, Written};
pub use witness::Witness;

use std::path::Path;

/// A named input or output of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    /// The name: `in0`, `in1`, …, `out0`, … in files; words in built-in statements.
    pub name: String,
    /// The width in bits; over other fields than F_2 in elements.
    pub width: u64,
    /// Whether the port has to be public: a statement without its value would say little.
    pub public: bool,
    /// Whether the port may be left without a value, and is zero then.
    pub optional: bool,
    /// The real numbers that its elements stand for, where they do.
    pub fixed_point: Option<FixedPoint>,
}

impl Port {
    /// A port that may be private.
    pub fn new(name: impl Into<String>, width: u64) -> Self {
        Self { name: name.into(), width, public: false, optional: false, fixed_point: None }
    }

    /// A port that has to be public.
    pub fn public(name: impl Into<String>, width: u64) -> Self {
        Self { public: true, ..Self::new(name, width) }
    }
}

/// The names of ports of several kinds.
pub fn listed_of(ports: &[Port]) -> String {
    ports.iter().map(|port| port.name.as_str()).collect::<Vec<_>>().join(", ")
}

/// `count` of `unit`, in words.
pub fn counted(count: u64, unit: &str) -> String {
    if count == 1 { format!("1 {unit}") } else { format!("{count} {unit}s") }
}

/// The path that `spec` names, and what stands behind it.
pub fn with_options(spec: &str) -> (&str, Option<&str>) {
    match spec.rsplit_once('?') {
        Some((path, options)) if !Path::new(spec).exists() => (path, Some(options)),
        _ => (spec, None),
    }
}
