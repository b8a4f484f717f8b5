//! Proofs of its own that an executor of a stream has.

/// The records that a stream may hold beyond gates. The [recorder](super::Recorder) writes the gates of all
/// else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Argues {
    /// Memories.
    pub memories: bool,
    /// Tables.
    pub tables: Tables,
    /// Assertions that numbers are in a range.
    pub ranges: bool,
    /// Permutations.
    pub permutations: bool,
    /// Polynomials.
    pub polynomials: Polynomials,
    /// Wires that cross from one shard to another.
    pub crossings: bool,
}

/// The tables for which there is a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tables {
    /// No tables.
    None,
    /// Tables over F_2 whose keys are the numbers of their rows.
    Numbered,
    /// All tables.
    All,
}

/// The polynomials for which there is a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Polynomials {
    /// No polynomials.
    None,
    /// Inner products of wires, as wires, and products of matrices.
    Sums,
    /// All polynomials, in vectors.
    All,
}

impl Argues {
    /// No proof but for gates.
    pub const NOTHING: Self = Self {
        memories: false,
        tables: Tables::None,
        ranges: false,
        permutations: false,
        polynomials: Polynomials::None,
        crossings: false,
    };

    /// A proof for everything.
    pub const EVERYTHING: Self = Self {
        memories: true,
        tables: Tables::All,
        ranges: true,
        permutations: true,
        polynomials: Polynomials::All,
        crossings: true,
    };
}
