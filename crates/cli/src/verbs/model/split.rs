//! `model split`: the public graph of a network, and its weights.

use super::{demand_integers, options, read};
use crate::verbs::args::ModelSplit;
use serde_json::json;
use std::io::Write;
use std::path::Path;
use volery::circuit::Npy;
use volery_cli::failure::{Failure, Result};
use volery_cli::partial::{self, Old, Partial};
use volery_cli::print::{self, hex, table, things};
use volery_onnx::{Network, Split};

/// The options that name the files to write.
const PUBLIC: &str = "--public";
const WEIGHTS: &str = "--weights";

/// `volery model split`.
pub(crate) fn split(typed: &ModelSplit) -> Result<()> {
    let file = read(&typed.network)?;
    demand_integers(&typed.network, &file)?;
    let old = Old::by_force(typed.force);
    if typed.public == typed.weights {
        return Err(Failure::usage(format_args!("{PUBLIC} and {WEIGHTS} are one file: name two")));
    }
    // Neither is written where the other cannot be.
    partial::free(PUBLIC, &typed.public, old)?;
    partial::free(WEIGHTS, &typed.weights, old)?;
    let options = options(&typed.network);
    let Split { graph, weights } =
        Split::of(&file, &options).map_err(|why| Failure::from(why).at(typed.network.display()))?;
    let identity = hex(&Network::open(&graph, &options)?.identity());
    write(WEIGHTS, &typed.weights, old, true, |out| {
        out.write_all(&Npy::head("<i4", &[weights.len()]))?;
        weights.iter().try_for_each(|weight| out.write_all(&weight.to_le_bytes()))
    })?;
    write(PUBLIC, &typed.public, old, false, |out| out.write_all(&graph))?;
    let count = weights.len();
    let [public, apart] = [&typed.public, &typed.weights].map(|path| path.display().to_string());
    if typed.json {
        let weights = json!({"file": apart, "count": count});
        let public = json!({"file": public, "bytes": graph.len()});
        return print::result(json!({"identity": identity, "public": public, "weights": weights}));
    }
    print::result(table(&[
        ("public", format!("{public} ({}, for both parties)", things(graph.len() as u64, "byte"))),
        ("weights", format!("{apart} ({}, for the prover alone)", things(count as u64, "integer"))),
        ("identity", identity),
    ]))
}

/// Fills the file at `path`, which an option names, and which others may not read where it is secret.
pub(super) fn write(
    option: &'static str,
    path: &Path,
    old: Old,
    secret: bool,
    fill: impl FnOnce(&mut Partial) -> std::io::Result<()>,
) -> Result<()> {
    let create = if secret { Partial::create_secret } else { Partial::create };
    let mut out = create(option, path, old)?;
    fill(&mut out).map_err(|why| {
        Failure::usage(format_args!("{option} {}: cannot be written: {why}", path.display()))
    })?;
    out.finish()
}
