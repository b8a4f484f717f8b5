//! `model commit`: the digest of a network's weights, or a linear commitment to them.

use super::run::weights;
use super::split::write;
use super::{open, read};
use crate::verbs::args::ModelCommit;
use serde_json::json;
use sha2::{Digest, Sha256};
use std::io::Write;
use std::path::Path;
use volery::Field as _;
use volery::circuit::Npy;
use volery_cli::failure::{Failure, Result, one_of};
use volery_cli::partial::{self, Old};
use volery_cli::preimage::random_bytes;
use volery_cli::print::{self, hex, table, things};
use volery_cli::values::Reader;
use volery_onnx::{Committed, Network, SALT_BYTES};
use zeroize::Zeroizing;

/// The options of the hash, the salt, weights, and the file to write.
const HASH: &str = "--hash";
const SALT: &str = "--salt";
const WEIGHTS: &str = "--weights";
const OUT: &str = "--out";

/// The names of what commits to weights.
const HASHES: [&str; 2] = ["sha256", "linear"];

/// `volery model commit`.
pub(crate) fn commit(typed: &ModelCommit) -> Result<()> {
    one_of(HASH, &typed.hash, &HASHES)?;
    let file = read(&typed.network)?;
    let mut network = open(&typed.network, &file)?;
    if let Some(path) = &typed.weights {
        let weights = weights(path, &network).map_err(|why| why.at(WEIGHTS))?;
        network = network.with_weights(&weights).map_err(|why| Failure::from(why).at(WEIGHTS))?;
    }
    if typed.hash == HASHES[1] {
        return linear(typed, &network);
    }
    if typed.out.is_some() {
        return Err(Failure::usage(format_args!("{OUT} is for {HASH} {}: leave it out", HASHES[1])));
    }
    let salt = Reader::default().bytes(SALT, &typed.salt, SALT_BYTES)?;
    let Ok(salt) = <&[u8; SALT_BYTES]>::try_from(&salt[..]) else {
        return Err(Failure::usage(format_args!(
            "{SALT} has {} bytes, and takes {SALT_BYTES}: draw them for this model alone, and keep them secret",
            salt.len()
        )));
    };
    let mut hash = Sha256::new();
    network
        .hashed(salt, |bytes| hash.update(bytes))
        .map_err(|why| Failure::from(why).at(typed.network.display()))?;
    let model = format!("0x{}", hex(&hash.finalize()));
    let identity = hex(&network.identity());
    if typed.json {
        return print::result(json!({"identity": identity, "model": model}));
    }
    print::result(table(&[("model", model), ("identity", identity)]))
}

/// Draws a salt, and writes it and the linear commitment.
fn linear(typed: &ModelCommit, network: &Network<'_>) -> Result<()> {
    if !typed.experimental {
        return Err(Failure::usage(format_args!(
            "{HASH} {} is experimental: {}. Take it by --experimental, or leave {HASH} out",
            typed.hash,
            Committed::EXPERIMENTAL
        )));
    }
    let Some(out) = &typed.out else {
        return Err(Failure::usage(format_args!("missing: {OUT}, the file to write the commitment to")));
    };
    let (path, old) = (Path::new(&typed.salt), Old::by_force(typed.force));
    if path == out {
        return Err(Failure::usage(format_args!("{SALT} and {OUT} are one file: name two")));
    }
    // Neither is written where the other cannot be.
    partial::free(SALT, path, old)?;
    partial::free(OUT, out, old)?;
    let bytes = random_bytes(2 * Committed::SALT_NUMBERS)?;
    let salt: Zeroizing<Vec<i16>> =
        Zeroizing::new(bytes.as_chunks().0.iter().map(|number| i16::from_le_bytes(*number)).collect());
    let model = Committed::commitment(network, &salt)
        .map_err(|why| Failure::from(why).at(typed.network.display()))?;
    write(SALT, path, old, true, |file| {
        file.write_all(&Npy::head("<i2", &[salt.len()]))?;
        file.write_all(&bytes)
    })?;
    write(OUT, out, old, false, |file| {
        file.write_all(&Npy::head("<u8", &[model.len()]))?;
        model.iter().try_for_each(|element| file.write_all(&element.to_integer().low().to_le_bytes()[..8]))
    })?;
    let identity = hex(&network.identity());
    let [out, path] = [out.as_path(), path].map(|path| path.display().to_string());
    if typed.json {
        let model = json!({"file": out, "elements": model.len()});
        let salt = json!({"file": path, "count": salt.len()});
        return print::result(json!({"identity": identity, "model": model, "salt": salt}));
    }
    print::result(table(&[
        ("model", format!("{out} ({}, for both parties)", things(model.len() as u64, "element"))),
        ("salt", format!("{path} ({}, for the prover alone)", things(salt.len() as u64, "integer"))),
        ("identity", identity),
    ]))
}
