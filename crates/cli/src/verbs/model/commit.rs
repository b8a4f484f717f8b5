//! `model commit`: the digest of a network's weights.

use super::run::weights;
use super::{open, read};
use crate::verbs::args::ModelCommit;
use serde_json::json;
use sha2::{Digest, Sha256};
use volery_cli::failure::{Failure, Result};
use volery_cli::print::{self, hex, table};
use volery_cli::values::Reader;
use volery_onnx::SALT_BYTES;

/// The options of the salt, and of weights.
const SALT: &str = "--salt";
const WEIGHTS: &str = "--weights";

/// `volery model commit`.
pub(crate) fn commit(typed: &ModelCommit) -> Result<()> {
    let file = read(&typed.network)?;
    let mut network = open(&typed.network, &file)?;
    if let Some(path) = &typed.weights {
        let weights = weights(path, &network).map_err(|why| why.at(WEIGHTS))?;
        network = network.with_weights(&weights).map_err(|why| Failure::from(why).at(WEIGHTS))?;
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
