//! Statements that need no file.

use super::algebra::{self, Algebra};
use super::{Port, Value, field};
use crate::circuit::Polynomials;
use crate::circuit::gadget::{Bit, Bytes, Compression, Hash, Sha256, Word};
use crate::error::{Error, Result};
use core::array;
use volery_primitives::F2;

/// Name with keys and defaults, and what it states.
pub(super) const LIST: &[(&str, &str)] = &[
    (
        "sha256-preimage?length=55&holes=0",
        "the prover knows a message of `length` bytes whose SHA-256 digest is `digest`",
    ),
    algebra::INNER_PRODUCT,
    algebra::MATRIX_PRODUCT,
];

/// The longest message, in bytes: its 2^30 bits take 128 MiB as a witness.
const LONGEST: u64 = 1 << 27;

/// The longest vector, which takes as much.
const LONGEST_VECTOR: u64 = 1 << 30;

/// Bytes of a message that are read at once.
const PIECE: u64 = 64;

/// A built-in statement with its parameters.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Builtin {
    Sha256Preimage {
        /// Bytes of the message.
        length: u64,
        /// Whether bits between words are polynomials, rather than gates.
        holes: bool,
    },
    Algebra(Algebra),
}

impl Builtin {
    /// The one that `spec` names: `NAME` or `NAME?key=value&…`.
    pub(super) fn parse(spec: &str) -> Result<Self> {
        let (name, parameters) = spec.split_once('?').unwrap_or((spec, ""));
        match name {
            "sha256-preimage" => {
                let [length, holes] = numbers(name, parameters, [("length", 55), ("holes", 0)])?;
                if length == 0 || length > LONGEST {
                    return Err(Error::invalid(format!(
                        "builtin:{name} with length={length}: choose from 1 to {LONGEST} bytes"
                    )));
                }
                let holes = match holes {
                    0 => false,
                    1 => true,
                    _ => {
                        return Err(Error::invalid(format!(
                            "builtin:{name} with holes={holes}: choose 0 for gate by gate, or 1 for holes"
                        )));
                    }
                };
                Ok(Self::Sha256Preimage { length, holes })
            }
            _ if is_listed(LIST, name) => {
                let algebra = Algebra::parse::<F2>(name, parameters, LONGEST_VECTOR)?;
                Ok(Self::Algebra(algebra.expect("listed")))
            }
            _ if is_listed(field::LIST, name) => Err(Error::invalid(format!(
                "builtin:{name} is over larger fields than f2: choose one, such as f61"
            ))),
            _ => {
                let known: Vec<_> = LIST.iter().map(|(name, _)| format!("builtin:{name}")).collect();
                Err(Error::invalid(format!(
                    "there is no builtin:{name}; there is {} (with the defaults shown)",
                    known.join(", ")
                )))
            }
        }
    }

    /// The name with the parameters, which tells apart any two that differ: only `holes=0` is not spelt out.
    pub(super) fn canonical(&self) -> String {
        match self {
            Self::Algebra(algebra) => algebra.canonical(),
            Self::Sha256Preimage { length, holes: false } => format!("sha256-preimage?length={length}"),
            Self::Sha256Preimage { length, holes: true } => {
                format!("sha256-preimage?length={length}&holes=1")
            }
        }
    }

    /// The inputs and outputs.
    pub(super) fn ports(&self) -> (Vec<Port>, Vec<Port>) {
        match self {
            Self::Sha256Preimage { length, .. } => {
                (vec![Port::new("message", 8 * length)], vec![Port::new("digest", 256)])
            }
            Self::Algebra(algebra) => algebra.ports(),
        }
    }

    /// Pushes the statement, with the inputs and outputs that are public.
    pub(super) fn run<B: Polynomials<F = F2>>(
        &self,
        b: &mut B,
        inputs: &[Option<Value>],
        outputs: &[Option<Value>],
    ) -> Result<()> {
        match *self {
            Self::Algebra(ref algebra) => algebra.run(b, inputs, outputs),
            Self::Sha256Preimage { length, holes: false } => {
                preimage(b, Sha256::new(), length, &inputs[0], &outputs[0])
            }
            Self::Sha256Preimage { length, holes: true } => {
                preimage(b, Sha256::with_holes(), length, &inputs[0], &outputs[0])
            }
        }
    }
}

/// Pushes the digest of a message, where `sha` has read nothing.
fn preimage<B: Polynomials<F = F2>, C: Compression<B>>(
    b: &mut B,
    mut sha: Sha256<B::Wire, C>,
    length: u64,
    message: &Option<Value>,
    digest: &Option<Value>,
) -> Result<()> {
    let mut read = 0;
    while read < length {
        let piece = PIECE.min(length - read);
        let bytes = match message {
            None => Bytes::witness(b, piece as usize)?,
            Some(message) => {
                message.packed().iter().rev().skip(read as usize).take(piece as usize).map(public).collect()
            }
        };
        sha.update(b, &bytes)?;
        read += piece;
    }
    let result = sha.finish(b)?;
    match digest {
        None => Ok(()),
        Some(expected) => {
            let expected: [u8; 32] = array::from_fn(|i| expected.packed()[31 - i]);
            result.assert_equal(b, &expected, "digest")
        }
    }
}

fn public<W: Copy>(byte: &u8) -> Word<W, 8> {
    Word::new(array::from_fn(|i| Bit::Public(byte >> i & 1 == 1)))
}

/// Whether a list of names with keys and descriptions has `name`.
pub(super) fn is_listed(list: &[(&str, &str)], name: &str) -> bool {
    list.iter().any(|(listed, _)| listed.split('?').next() == Some(name))
}

/// The values of `keys`, each with its default, in a text `key=value&…`.
pub(super) fn numbers<const N: usize>(name: &str, text: &str, keys: [(&str, u64); N]) -> Result<[u64; N]> {
    let mut values = [None; N];
    for pair in text.split('&').filter(|pair| !pair.is_empty()) {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        let Some(at) = keys.iter().position(|(known, _)| *known == key) else {
            let known: Vec<_> = keys.iter().map(|(key, default)| format!("{key}={default}")).collect();
            let known = match known.len() {
                0 => "none".into(),
                _ => format!("{} (with the defaults shown)", known.join(", ")),
            };
            return Err(Error::invalid(format!("builtin:{name} has no key {key:?}; it has {known}")));
        };
        let digits = value.bytes().all(|byte| byte.is_ascii_digit());
        let number = value.parse().ok().filter(|_| digits).ok_or_else(|| {
            Error::invalid(format!("builtin:{name} with {key}={value:?}: write a decimal number"))
        })?;
        if values[at].replace(number).is_some() {
            return Err(Error::invalid(format!("builtin:{name} is given {key} twice: give it once")));
        }
    }
    Ok(array::from_fn(|i| values[i].unwrap_or(keys[i].1)))
}
