//! `model`: quantised networks, what they compute, what a proof of them takes, digests of their weights, and sessions of
//! many queries.

mod commit;
mod info;
mod quantise;
mod queries;
mod run;
mod split;

pub(crate) use commit::commit;
pub(crate) use info::info;
pub(crate) use quantise::quantise;
pub(crate) use queries::{prove, verify};
pub(crate) use run::run;
pub(crate) use split::split;

use std::io::Read;
use std::path::Path;
use volery::circuit::FixedPoint;
use volery_cli::failure::{Failure, Result, one_line};
use volery_cli::networks::options;
use volery_cli::print::things;
use volery_cli::waiting;
use volery_onnx::{HELD_BITS, INDEX_BITS, Kind, MOST_BYTES, Model, Network, Quantity};

/// All bytes of the file of a network.
fn read(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = vec![];
    let read =
        waiting::regular(path).and_then(|file| file.take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes));
    read.map_err(|why| Failure::usage(why).at(path.display()))?;
    Ok(bytes)
}

/// The network in `file`, the bytes of the file at `path`.
fn open<'f>(path: &Path, file: &'f [u8]) -> Result<Network<'f>> {
    demand_integers(path, file)?;
    Network::open(file, &options(path)).map_err(|why| Failure::from(why).at(path.display()))
}

/// Refuses a network of floats, with the command that makes one of integers of it.
fn demand_integers(path: &Path, file: &[u8]) -> Result<()> {
    let model = Model::read(file).map_err(|why| Failure::from(why).at(path.display()))?;
    if model.metadata.iter().any(|entry| entry.key.starts_with("volery.")) {
        return Ok(());
    }
    let (name, integers) = (path.display(), path.with_extension("q.onnx"));
    Err(Failure::usage(format_args!(
        "{name}: the network is of floats, and proofs are about integers: make them by `volery model quantise {name} \
         --calibrate SAMPLES.npz --out {}`",
        integers.display()
    )))
}

/// The numbers that an input or an output stands for.
fn numbers(tensor: &Quantity<'_>) -> FixedPoint {
    let (exponent, bits) = match tensor.kind {
        Kind::Index => (0, INDEX_BITS),
        _ => (tensor.exponent, HELD_BITS),
    };
    FixedPoint { exponent, bits, shape: tensor.shape.clone() }
}

/// An input or an output in words.
fn described(tensor: &Quantity<'_>) -> String {
    let Quantity { name, shape, exponent, kind, .. } = tensor;
    let name = one_line(name);
    match kind {
        Kind::Index => format!("{name} (indices, of {shape:?})"),
        _ => {
            let numbers = things(tensor.count() as u64, "number");
            format!("{name} ({numbers} of {shape:?} in steps of 2^{})", -exponent)
        }
    }
}
