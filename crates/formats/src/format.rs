//! Formats of files, and which of them a file shows.

use crate::bristol::open_regular;
use crate::{R1cs, Sieve, sieve};
use core::str::FromStr;
use std::io::{ErrorKind, Read};
use volery_channel::error::{Error, Result};
use volery_primitives::{F2, F61, Field};

/// How a relation is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Bristol Fashion, or the older Bristol Format: which of them shows in the file.
    BristolFashion,
    /// AIGER, written in bytes; read, it may be either kind, which shows in the file.
    Aiger,
    /// AIGER, written in text; read, it may be either kind.
    AigerText,
    /// BLIF.
    Blif,
    /// Constraints of circom, `.r1cs`.
    R1cs,
    /// SIEVE Circuit-IR in text.
    Sieve,
    /// A quantised network, `.q.onnx`.
    Onnx,
}

impl FromStr for Format {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        match name {
            "bristol-fashion" | "bristol" => Ok(Self::BristolFashion),
            "aiger" | "aig" => Ok(Self::Aiger),
            "aag" => Ok(Self::AigerText),
            "blif" => Ok(Self::Blif),
            "r1cs" => Ok(Self::R1cs),
            "sieve" => Ok(Self::Sieve),
            "onnx" => Ok(Self::Onnx),
            _ => Err(Error::invalid(format!(
                "there is no format {name:?}; there are bristol-fashion, which covers the older bristol too, aiger, \
                 aag, blif, r1cs, sieve and onnx"
            ))),
        }
    }
}

impl Format {
    /// The format that the begin of the file at `path` shows.
    ///
    /// # Errors
    /// `Invalid` where there is no such file, or its format is unknown.
    pub fn of(path: &str) -> Result<Self> {
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
        if begin.starts_with(ONNX) {
            return Ok(Format::Onnx);
        }
        if begin.starts_with(b"wtns") {
            return Err(Error::invalid(format!(
                "{path} is a witness of circom, and no relation: that is the .r1cs file of its circuit"
            )));
        }
        // The first byte of the first line that is no comment of the format.
        let first = |comment: &[u8]| {
            let mut lines = begin.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii_start);
            lines.find(|line| !line.is_empty() && !line.starts_with(comment)).map(|line| line[0])
        };
        match (first(b"#"), first(b"//")) {
            (Some(b'.'), _) => Ok(Format::Blif),
            (_, Some(byte)) if byte.is_ascii_digit() => Ok(Format::BristolFashion),
            _ => Err(Error::invalid(format!(
                "{path} shows no format that is known: a Bristol circuit begins with its number of gates, AIGER with \
             \"aag\" or \"aig\", BLIF with \".model\", R1CS with \"r1cs\", SIEVE with \"version\", and ONNX with its version as a byte"
            ))),
        }
    }

    /// The field of the file at `path`, which is in this format, by [`Field::NAME`].
    ///
    /// # Errors
    /// `Invalid` where there is no such file, or it is malformed.
    pub fn field(self, path: &str) -> Result<String> {
        match self {
            Self::BristolFashion | Self::Aiger | Self::AigerText | Self::Blif => Ok(F2::NAME.into()),
            Self::Onnx => Ok(F61::NAME.into()),
            Self::R1cs => R1cs::field_of(path),
            Self::Sieve => Sieve::field_of(path),
        }
    }
}

/// The begin of an ONNX file: its first field is the version.
const ONNX: &[u8] = &[8];

/// Bytes that are looked at, comments included.
const BEGIN: u64 = 1 << 16;
