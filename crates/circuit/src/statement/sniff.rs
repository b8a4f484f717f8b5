//! How a relation is written, and over which field, by what its file shows.

use super::Format;
use crate::R1cs;
use crate::bristol::open_regular;
use crate::port::with_options;
use crate::sieve;
use std::io::{ErrorKind, Read};
use volery_channel::error::{Error, Result};
use volery_primitives::{F2, Field};

/// The field of the relation that `spec` names, by [`Field::NAME`], where a file shows it: a built-in statement
/// is over the field that is asked for.
///
/// # Errors
/// `Invalid` where there is no such file, or its format is unknown.
pub fn field_of(spec: &str, format: Option<Format>) -> Result<Option<String>> {
    if spec.starts_with("builtin:") {
        return Ok(None);
    }
    let (path, _) = with_options(spec);
    match format.map_or_else(|| sniff(path), Ok)? {
        Format::BristolFashion | Format::Aiger | Format::AigerText | Format::Blif => {
            Ok(Some(F2::NAME.into()))
        }
        Format::R1cs => R1cs::field_of(path).map(Some),
        Format::Sieve => sieve::Sieve::field_of(path).map(Some),
    }
}

/// Bytes that are looked at, comments included.
const BEGIN: u64 = 4096;

/// The format that the begin of the file at `path` shows.
pub(super) fn sniff(path: &str) -> Result<Format> {
    let mut begin = Vec::new();
    // Others may have no begin, or only once.
    open_regular(path.as_ref()).and_then(|file| file.take(BEGIN).read_to_end(&mut begin)).map_err(
        |error| {
            let advice = match error.kind() {
                ErrorKind::NotFound => ": a statement that is built in is builtin:NAME",
                _ => "",
            };
            Error::invalid(format!("{path} cannot be read: {error}{advice}"))
        },
    )?;
    if begin.starts_with(b"aag ") || begin.starts_with(b"aig ") {
        return Ok(Format::Aiger);
    }
    if sieve::begins(&begin) {
        return Ok(Format::Sieve);
    }
    if begin.starts_with(b"r1cs") {
        return Ok(Format::R1cs);
    }
    if begin.starts_with(b"wtns") {
        return Err(Error::invalid(format!(
            "{path} is a witness of circom, and no relation: that is the .r1cs file of its circuit"
        )));
    }
    let mut lines = begin.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii_start);
    if lines
        .find(|line| !line.is_empty() && !line.starts_with(b"#"))
        .is_some_and(|line| line.starts_with(b"."))
    {
        return Ok(Format::Blif);
    }
    match begin.iter().find(|byte| !byte.is_ascii_whitespace()) {
        Some(byte) if byte.is_ascii_digit() => Ok(Format::BristolFashion),
        _ => Err(Error::invalid(format!(
            "{path} shows no format that is known: a Bristol circuit begins with its number of gates, AIGER with \
             \"aag\" or \"aig\", BLIF with \".model\", R1CS with \"r1cs\", and SIEVE with \"version\""
        ))),
    }
}
