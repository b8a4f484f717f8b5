//! Statements that need no file.
//!
//! One that is made of gates has a file of its own: name, keys and defaults, one line of what it states,
//! its ports, and `run`, which meets them by [`Ports`] and so serves proofs and exports alike. It joins
//! [`LIST`] and the enum here.

mod aes128;
mod blind_certificate;
mod bug_in_snippets;
mod hmac_sha256;
mod keccak_preimage;
mod merkle_membership;
mod merkle_path;
mod merkle_root;
mod ports;
mod price_discrimination;
mod sha256_preimage;
#[cfg(test)]
mod trial;

pub(super) use ports::{Instance, OnWires, Ports, Stated, in_turn};

use super::algebra::{self, Algebra};
use super::split::{Split, no_shards};
use super::{Port, field};
use aes128::Aes;
use blind_certificate::BlindCertificate;
use bug_in_snippets::BugInSnippets;
use core::array;
use core::ops::RangeInclusive;
use hmac_sha256::Code;
use keccak_preimage::{Function, KeccakPreimage};
use merkle_membership::MerkleMembership;
use merkle_path::MerklePath;
use merkle_root::MerkleRoot;
use price_discrimination::PriceDiscrimination;
use sha256_preimage::Preimage;
use volery_channel::error::{Error, Result};
use volery_circuit::Branch;
use volery_circuit::port::Repeat;
use volery_circuit::stream::{Handle, Recorder};
use volery_gadgets::gadget::{Gates, Holes};
use volery_primitives::F2;

/// Name with keys and defaults, and what it states.
pub(super) const LIST: &[(&str, &str)] = &[
    sha256_preimage::LISTED,
    keccak_preimage::LISTED_SHA3,
    keccak_preimage::LISTED_KECCAK,
    aes128::LISTED,
    hmac_sha256::LISTED,
    merkle_root::LISTED,
    merkle_path::LISTED,
    bug_in_snippets::LISTED,
    merkle_membership::LISTED,
    price_discrimination::LISTED,
    blind_certificate::LISTED,
    algebra::INNER_PRODUCT,
    algebra::MATRIX_PRODUCT,
];

/// The longest vector: its 2^30 bits take 128 MiB as a witness.
const LONGEST_VECTOR: u64 = 1 << 30;

/// A built-in statement with its parameters.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Builtin {
    Preimage(Preimage),
    KeccakPreimage(KeccakPreimage),
    Aes(Aes),
    Code(Code),
    MerkleRoot(MerkleRoot),
    MerklePath(MerklePath),
    BugInSnippets(BugInSnippets),
    MerkleMembership(MerkleMembership),
    PriceDiscrimination(PriceDiscrimination),
    BlindCertificate(BlindCertificate),
    Algebra(Algebra),
}

/// The backend that statements are recorded into: one type for all, so that each is compiled once.
pub(super) type Recording<'b, 'r> = Branch<'b, Recorder<'r, F2>>;

/// The part of a statement that does not depend on who runs it.
pub(super) trait Described {
    /// The name with the parameters, which tells apart any two that differ.
    fn canonical(&self) -> String;

    /// The version of the gates. It goes up whenever other gates are pushed for the same name and values, by
    /// a change here or in a gadget. A table of fingerprints, in the tests of [`super`], tells when.
    fn version(&self) -> u32;

    /// The inputs and outputs.
    fn ports(&self) -> (Vec<Port>, Vec<Port>);

    /// The clauses, where it states that one of several holds.
    fn disjunction(&self) -> Option<Disjunction> {
        None
    }
}

/// The clauses of a statement that claims that one of them holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Disjunction {
    /// The output whose one bit says so where it is one.
    pub(super) claim: usize,
    /// How many clauses there are.
    pub(super) clauses: usize,
    /// How many kinds: clause i has the gates of clause i modulo this.
    pub(super) kinds: usize,
}

impl Builtin {
    /// The one that `spec` names: `NAME` or `NAME?key=value&…`, and how many instances there are to be.
    pub(super) fn parse(spec: &str) -> Result<(Self, Repeat)> {
        let (name, parameters) = spec.split_once('?').unwrap_or((spec, ""));
        let own = |(listed, _): &(&str, &str)| {
            let (listed, keys) = listed.split_once('?').unwrap_or((listed, ""));
            listed == name && keys.split('&').any(|key| key.starts_with("count="))
        };
        if LIST.iter().any(own) {
            return Ok((Self::parse_one(name, parameters)?, Repeat::of(1)));
        }
        let (parameters, count) = Repeat::take(&format!("builtin:{name}"), parameters)?;
        let one = Self::parse_one(name, &parameters)?;
        if count.instances > 1 && (one.disjunction().is_some() || matches!(one, Self::Algebra(_))) {
            return Err(Error::invalid(format!(
                "builtin:{} has one instance: leave out count, which is for hashes, ciphers, trees and the like",
                one.canonical()
            )));
        }
        Ok((one, count))
    }

    fn parse_one(name: &str, parameters: &str) -> Result<Self> {
        match name {
            "sha256-preimage" => Preimage::parse(name, parameters).map(Self::Preimage),
            "sha3-256-preimage" => {
                KeccakPreimage::parse(Function::Sha3, name, parameters).map(Self::KeccakPreimage)
            }
            "keccak256-preimage" => {
                KeccakPreimage::parse(Function::Keccak, name, parameters).map(Self::KeccakPreimage)
            }
            "aes128" => Aes::parse(name, parameters).map(Self::Aes),
            "hmac-sha256" => Code::parse(name, parameters).map(Self::Code),
            "merkle-root" => MerkleRoot::parse(name, parameters).map(Self::MerkleRoot),
            "merkle-path" => MerklePath::parse(name, parameters).map(Self::MerklePath),
            "bug-in-snippets" => BugInSnippets::parse(name, parameters).map(Self::BugInSnippets),
            "merkle-membership" => MerkleMembership::parse(name, parameters).map(Self::MerkleMembership),
            "price-discrimination" => {
                PriceDiscrimination::parse(name, parameters).map(Self::PriceDiscrimination)
            }
            "blind-certificate" => BlindCertificate::parse(name, parameters).map(Self::BlindCertificate),
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

    fn described(&self) -> &dyn Described {
        match self {
            Self::Preimage(statement) => statement,
            Self::KeccakPreimage(statement) => statement,
            Self::Aes(statement) => statement,
            Self::Code(statement) => statement,
            Self::MerkleRoot(statement) => statement,
            Self::MerklePath(statement) => statement,
            Self::BugInSnippets(statement) => statement,
            Self::MerkleMembership(statement) => statement,
            Self::PriceDiscrimination(statement) => statement,
            Self::BlindCertificate(statement) => statement,
            Self::Algebra(algebra) => algebra,
        }
    }

    /// The name with the parameters, which tells apart any two that differ: only `holes=0` is not spelt out.
    pub(super) fn canonical(&self) -> String {
        self.described().canonical()
    }

    /// The version of the gates.
    pub(super) fn version(&self) -> u32 {
        self.described().version()
    }

    /// The inputs and outputs.
    pub(super) fn ports(&self) -> (Vec<Port>, Vec<Port>) {
        self.described().ports()
    }

    /// The clauses, where it states that one of several holds.
    pub(super) fn disjunction(&self) -> Option<Disjunction> {
        self.described().disjunction()
    }

    /// Splits the statement into `shards` shards.
    pub(super) fn split(&self, shards: usize) -> Result<Split> {
        match self {
            Self::MerkleRoot(statement) => statement.split(shards),
            Self::Algebra(algebra) => algebra.split(shards),
            _ => Err(self.no_shards(shards)),
        }
    }

    /// Pushes shard number `shard` of `shards`, and gives the wires that go out.
    pub(super) fn run_shard(
        &self,
        part: (usize, usize),
        b: &mut Recording<'_, '_>,
        mut ports: Stated<'_>,
        incoming: &[Handle],
    ) -> Result<Vec<Handle>> {
        match self {
            Self::MerkleRoot(statement) if statement.holes => {
                statement.run_shard::<_, Holes>(part, b, &mut ports, incoming)
            }
            Self::MerkleRoot(statement) => statement.run_shard::<_, Gates>(part, b, &mut ports, incoming),
            Self::Algebra(algebra) => algebra.run_shard(part, b, (ports.inputs.1, ports.outputs.1), incoming),
            _ => Err(self.no_shards(part.0)),
        }
    }

    fn no_shards(&self, shards: usize) -> Error {
        let name = format!("builtin:{}", self.canonical());
        no_shards(&name, shards, "merkle-root and matmul do, of the built-in ones; prove others as a whole")
    }

    /// Pushes the statement, or that clause of its disjunction.
    pub(super) fn run(
        &self,
        b: &mut Recording<'_, '_>,
        mut ports: Stated<'_>,
        clause: Option<usize>,
    ) -> Result<()> {
        match self {
            Self::Algebra(algebra) => algebra.run(b, ports.inputs.1, ports.outputs.1),
            Self::Preimage(statement) if statement.holes => statement.run::<_, Holes>(b, &mut ports),
            Self::KeccakPreimage(statement) if statement.holes => statement.run::<_, Holes>(b, &mut ports),
            Self::Aes(statement) if statement.holes => statement.run::<_, Holes>(b, &mut ports),
            Self::Code(statement) if statement.holes => statement.run::<_, Holes>(b, &mut ports),
            Self::MerklePath(statement) if statement.holes => statement.run::<_, Holes>(b, &mut ports),
            Self::MerkleRoot(statement) if statement.holes => statement.run::<_, Holes>(b, &mut ports),
            Self::MerkleMembership(statement) if statement.holes => {
                statement.run::<_, Holes>(b, &mut ports, clause)
            }
            _ => self.gates(b, &mut ports, clause),
        }
    }

    /// Pushes the statement, or that clause of its disjunction, if it is made of gates alone.
    ///
    /// # Errors
    /// `Invalid` if it is not; those of the backend.
    pub(super) fn gates<'b, 'r>(
        &self,
        b: &mut Recording<'b, 'r>,
        ports: &mut impl Ports<Recording<'b, 'r>>,
        clause: Option<usize>,
    ) -> Result<()> {
        match self {
            Self::Preimage(statement) if !statement.holes => statement.run::<_, Gates>(b, ports),
            Self::KeccakPreimage(statement) if !statement.holes => statement.run::<_, Gates>(b, ports),
            Self::Aes(statement) if !statement.holes => statement.run::<_, Gates>(b, ports),
            Self::Code(statement) if !statement.holes => statement.run::<_, Gates>(b, ports),
            Self::MerklePath(statement) if !statement.holes => statement.run::<_, Gates>(b, ports),
            Self::MerkleRoot(statement) if !statement.holes => statement.run::<_, Gates>(b, ports),
            Self::BugInSnippets(statement) => statement.run(b, ports, clause),
            Self::MerkleMembership(statement) if !statement.holes => {
                statement.run::<_, Gates>(b, ports, clause)
            }
            Self::PriceDiscrimination(statement) => statement.run(b, ports),
            Self::BlindCertificate(statement) => statement.run(b, ports),
            Self::Preimage(_)
            | Self::KeccakPreimage(_)
            | Self::Aes(_)
            | Self::Code(_)
            | Self::MerkleRoot(_)
            | Self::MerklePath(_)
            | Self::MerkleMembership(_) => Err(self.of_polynomials(": leave out holes=1")),
            Self::Algebra(_) => Err(self.of_polynomials(", and cannot be said in gates: choose another")),
        }
    }

    fn of_polynomials(&self, advice: &str) -> Error {
        Error::invalid(format!("builtin:{} is stated by polynomials{advice}", self.canonical()))
    }
}

/// Whether `holes=value` asks for holes.
fn holes(name: &str, value: u64) -> Result<bool> {
    match value {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(Error::invalid(format!(
            "builtin:{name} with holes={value}: choose 0 for gate by gate, or 1 for holes"
        ))),
    }
}

/// Whether a list of names with keys and descriptions has `name`.
pub(super) fn is_listed(list: &[(&str, &str)], name: &str) -> bool {
    list.iter().any(|(listed, _)| listed.split('?').next() == Some(name))
}

/// Demands that the value of `key` is in `range`, as [`numbers`] gave it for the statement `name`.
fn check_range(name: &str, key: &str, value: u64, range: RangeInclusive<u64>) -> Result<()> {
    if range.contains(&value) {
        return Ok(());
    }
    let (first, last) = range.into_inner();
    Err(Error::invalid(format!("builtin:{name} with {key}={value}: choose from {first} to {last}")))
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
