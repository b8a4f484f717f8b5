//! Parameters of a proof, its security and its length by them.
//!
//! A proof simulates n parties τ times and opens all of them but one each time, so that a false
//! claim survives with probability 1/n where it meets no weaker place. The claim about m entries is
//! folded r = max(1, ⌊log_k m⌋) times by the factor k, over a field of 2^l elements; L_0 = m, L_u =
//! ⌈L_{u-1} / k⌉ are the lengths of its vectors. The weaker places are the challenges over that
//! field ([`Parameters::security`]), and l and τ make up for them. Seeds have 128 bits and digests
//! 256, whatever is asked.
//!
//! Fewer repetitions among more parties make a shorter proof and more work, n·τ evaluations; a smaller k a
//! shorter proof and more rounds, each of which is a message where the verifier tosses coins.
//! [`Parameters::choose`] takes for bits, with a field of 2^48, 2^64, 2^96, 2^128 or 2^160 elements, 40 bits
//! of security before a verifier's coins and 128 in a file:
//!
//! | statement | preference | mode | n | k | l | challenges | τ | bytes |
//! |---|---|---|---|---|---|---|---|---|
//! | SHA-256 | Speed | Interactive | 16 | 4 | 64 | Identical | 11 | 37122 |
//! | SHA-256 | Speed | File | 16 | 2 | 160 | Identical | 32 | 117280 |
//! | SHA-256 | Balanced | Interactive | 64 | 4 | 64 | Identical | 7 | 23882 |
//! | SHA-256 | Balanced | File | 64 | 2 | 160 | Identical | 22 | 81364 |
//! | SHA-256 | Size | Interactive | 256 | 2 | 64 | Identical | 6 | 20004 |
//! | SHA-256 | Size | File | 256 | 2 | 160 | Identical | 16 | 59712 |
//! | 2^20 ANDs | Speed | Interactive | 16 | 4 | 64 | Identical | 11 | 1449280 |
//! | 2^20 ANDs | Speed | File | 16 | 2 | 160 | Identical | 32 | 4227680 |
//! | 2^20 ANDs | Balanced | Interactive | 64 | 4 | 64 | Identical | 7 | 922528 |
//! | 2^20 ANDs | Balanced | File | 64 | 2 | 160 | Identical | 22 | 2907264 |
//! | 2^20 ANDs | Size | Interactive | 256 | 2 | 64 | Identical | 6 | 789984 |
//! | 2^20 ANDs | Size | File | 256 | 2 | 160 | Identical | 16 | 2114912 |
//!
//! Both have 512 inputs, and SHA-256 is the published circuit of 22,573 ANDs.

mod choice;
mod load;
mod soundness;
#[cfg(test)]
mod tests;

pub use choice::{Preference, Wishes};
pub use load::{Load, Walk};

use volery_primitives::CheckField;

/// Bits of a seed.
const SEED: u64 = 128;
/// Bits of a digest, of a commitment, and of the salt.
const DIGEST: u64 = 256;
/// The most parties of a repetition.
pub const MOST_PARTIES: u32 = 256;
/// The largest factor of compression.
pub const LARGEST_COMPRESSION: u32 = 512;
/// The most repetitions: more than any security needs that is worth its field.
pub const MOST_REPETITIONS: u32 = 256;
/// The most of anything that [`Demand`] counts.
pub const MOST_ENTRIES: u64 = 1 << 40;
/// The most bits of security, by the lengths of seeds and digests.
pub const MOST_SECURITY: u32 = SEED as u32;

/// How the challenges R and s_1, …, s_r are drawn. Each repetition has a hidden party of its own in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Challenges {
    /// Repetitions share their challenges: values are folded once for all, and a bad challenge is bad for
    /// all.
    Identical,
    /// Each repetition has challenges of its own: a search for bad challenges saves few repetitions with
    /// each.
    Independent,
}

impl Challenges {
    /// All kinds.
    pub const ALL: [Self; 2] = [Self::Identical, Self::Independent];

    /// The name in options and in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Identical => "identical",
            Self::Independent => "independent",
        }
    }
}

/// The source of the challenges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// The verifier, by coins, so that a prover has one attempt. The challenges are
    /// [`Challenges::Identical`].
    Interactive,
    /// A hash, as in a proof that is a file, so that a prover has as many attempts as it can compute.
    File,
}

/// The sizes of a statement that a proof depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Demand {
    /// Values of witness and hints, which are committed to.
    pub inputs: u64,
    /// Results of gates, which are committed to.
    pub products: u64,
    /// m, the length of the vectors whose inner product is claimed: one entry for each product of two values,
    /// t for a gate that is an inner product of length t. 0 where nothing is multiplied, and nothing checked.
    pub entries: u64,
    /// The powers of R that combine the claims, R^0 among them: one more than the degree in R of the
    /// combination of claims, of which not all are true.
    pub claims: u64,
    /// Bits of a committed value: 1 over F_2, at most 256.
    pub value_bits: u32,
}

/// The size of a field that claims are checked over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CheckSize {
    /// l: log2 of the number of elements, rounded down; at least 40.
    pub bits: u32,
    /// Bytes of an encoded element.
    pub bytes: u32,
}

/// The parameters of a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Parameters {
    /// n: the parties of a repetition, a power of two from 2 to [`MOST_PARTIES`].
    pub parties: u32,
    /// k: the factor of each compression, from 2 to [`LARGEST_COMPRESSION`].
    pub compression: u32,
    /// The field of the check.
    pub field: CheckSize,
    /// τ: at most [`MOST_REPETITIONS`].
    pub repetitions: u32,
    /// Whether repetitions share their challenges.
    pub challenges: Challenges,
}

impl Demand {
    /// The demand of a statement whose products are gates of two inputs.
    pub const fn gates(inputs: u64, products: u64, value_bits: u32) -> Self {
        Self { inputs, products, entries: products, claims: products, value_bits }
    }
}

impl CheckSize {
    /// The size of `E`.
    pub const fn of<E: CheckField>() -> Self {
        Self { bits: E::SIZE_BITS, bytes: E::ENCODED as u32 }
    }
}

impl Parameters {
    /// d: log2 of the parties, which is the number of seeds that open all but one.
    pub const fn depth(&self) -> u32 {
        self.parties.ilog2()
    }

    /// r: the compressions of a claim of so many entries.
    pub fn rounds(&self, entries: u64) -> u32 {
        entries.checked_ilog(self.compression.into()).map_or(0, |rounds| rounds.max(1))
    }

    /// L_0, …, L_r: the lengths of the vectors of such a claim, before and after each compression.
    pub fn lengths(&self, entries: u64) -> Vec<u64> {
        let mut lengths = vec![entries];
        for round in 0..self.rounds(entries) as usize {
            lengths.push(lengths[round].div_ceil(self.compression.into()));
        }
        lengths
    }

    /// L_r, the length of the opened vectors.
    pub fn last_length(&self, entries: u64) -> u64 {
        (0..self.rounds(entries)).fold(entries, |length, _| length.div_ceil(self.compression.into()))
    }

    /// The number of corrections in `round`, from 1 to r: the values of a polynomial of degree 2k - 2, and 2k
    /// in the masked last round, at all points but the one that the claim gives.
    pub fn corrections(&self, round: u32, entries: u64) -> u64 {
        let compression = u64::from(self.compression);
        if round == self.rounds(entries) { 2 * compression } else { 2 * compression - 2 }
    }

    /// The field elements of a repetition in a proof: all corrections, and both vectors that are opened.
    pub fn elements(&self, entries: u64) -> u64 {
        match self.rounds(entries) {
            0 => 0,
            rounds => {
                let corrections: u64 = (1..=rounds).map(|round| self.corrections(round, entries)).sum();
                corrections + 2 * self.last_length(entries)
            }
        }
    }

    /// The bits of a proof: salt, first and last digest; and for each repetition the seeds that are opened,
    /// the commitment to the other, the corrections of all committed values, and [`Parameters::elements`].
    pub fn proof_bits(&self, demand: &Demand) -> u64 {
        let values = u64::from(demand.value_bits) * (demand.inputs + demand.products);
        3 * DIGEST + u64::from(self.repetitions) * (8 * self.fixed_bytes(demand) + values)
    }

    /// The bytes of a proof, in which the corrections of inputs and those of products end with a whole
    /// byte in each repetition.
    pub fn proof_bytes(&self, demand: &Demand) -> u64 {
        let bytes = |values: u64| (u64::from(demand.value_bits) * values).div_ceil(8);
        let values = bytes(demand.inputs) + bytes(demand.products);
        3 * DIGEST / 8 + u64::from(self.repetitions) * (self.fixed_bytes(demand) + values)
    }

    /// The bytes of a repetition but for the corrections of committed values.
    fn fixed_bytes(&self, demand: &Demand) -> u64 {
        let elements = u64::from(self.field.bytes) * self.elements(demand.entries);
        (SEED * u64::from(self.depth()) + DIGEST) / 8 + elements
    }
}
