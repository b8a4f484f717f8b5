//! A quantised network: integers, each tensor with an exponent, and what is computed of them exactly.
//!
//! The integer `a` of a tensor with exponent `e` stands for `a · 2^−e`. Tensors that are **held** fit 16 bits;
//! **sums** are exact, below 2^59, and never stored by a proof; between the two stand [`Step::Requantise`], which
//! rounds, and [`Step::Table`]. [`Step::Wide`] makes **wide** tensors, of the leading bits of a sum. What a file has to be is
//! `crates/onnx/FORMAT.md`, format 1; whatever else it has is refused by name.

mod exact;
mod identity;
mod read;
mod weights;
mod wide;

pub(crate) use read::{APART, WEIGHTS};
pub use weights::{SALT_BYTES, Weight, hashed_bytes, hashed_label};

use crate::graph::Graph;
use crate::operator::{Places, Window};
use core::fmt::{self, Display};
use volery_channel::pool::Pool;
pub use wide::{POWER_BITS, Parts, Power, WideTable};
use zeroize::Zeroizing;

/// The bits of a held integer.
pub const HELD_BITS: u32 = 16;

/// The magnitude that no held integer passes.
const HELD_BOUND: u64 = 1 << (HELD_BITS - 1);

/// The least bound that a sum may not reach: q · 2^32 + r is then unique modulo 2^61 − 1.
pub const SUM_LIMIT: u64 = 1 << 59;

/// The bits of an integer that is a factor.
pub const FACTOR_BITS: u32 = 24;

/// The longest shift of a rounding.
pub const LONGEST_SHIFT: u32 = 32;

/// The version of the format of files.
pub const FORMAT: &str = "1";

/// A quantised network.
pub struct Network<'f> {
    /// The graph that it is of, which has the values of weights.
    pub(crate) graph: Graph<'f>,
    /// The tensors; layers, inputs and outputs name them by their places here.
    pub tensors: Vec<Quantity<'f>>,
    /// The layers, each behind those it depends on.
    pub layers: Vec<Layer<'f>>,
    /// The tables.
    pub tables: Vec<Table<'f>>,
    /// The tables of leading bits.
    pub wides: Vec<WideTable<'f>>,
    /// The inputs.
    pub inputs: Vec<usize>,
    /// The outputs.
    pub outputs: Vec<usize>,
    weights: Vec<Weight<'f>>,
    /// Whether the file has no values of weights.
    is_apart: bool,
    /// The values of weights that are apart.
    given: Option<Zeroizing<Vec<i32>>>,
    identity: [u8; 32],
    /// The threads that runs share.
    pub(crate) pool: Pool,
}

impl<'f> Network<'f> {
    /// The names of the outputs: as in the graph, and not as what was rounded for them.
    pub fn output_names(&self) -> impl Iterator<Item = &'f str> + '_ {
        self.graph.outputs.iter().map(|&output| self.graph.tensors[output].name)
    }

    /// How often each tensor is read, as an output too.
    pub(crate) fn readers(&self) -> Vec<usize> {
        let mut readers = vec![0; self.tensors.len()];
        for &read in self.layers.iter().flat_map(|layer| &layer.inputs).chain(&self.outputs) {
            readers[read] += 1;
        }
        readers
    }

    /// Shares the work of runs with the threads of `pool`. What a run makes does not depend on their number.
    pub fn share_work(&mut self, pool: &Pool) {
        self.pool = pool.clone();
    }
}

/// A tensor of integers.
#[derive(Clone, Debug)]
pub struct Quantity<'f> {
    /// The name in the file.
    pub name: &'f str,
    /// The shape.
    pub shape: Vec<usize>,
    /// The exponent: the integer `a` stands for `a · 2^−exponent`.
    pub exponent: i32,
    /// The kind.
    pub kind: Kind,
    /// The largest magnitude that public data allows.
    pub bound: u64,
    /// The degree in what a prover commits to: 2 at most.
    pub degree: u32,
    /// The tensor of the graph whose entries are those of a constant, at other places where it was moved.
    pub(crate) origin: Option<usize>,
}

impl Quantity<'_> {
    /// The number of integers.
    pub fn count(&self) -> usize {
        self.shape.iter().product()
    }

    /// The bound where it is a factor: of weights, whose entries are looked at, by 24 bits.
    pub(crate) fn factor_bound(&self) -> u64 {
        match self.kind {
            Kind::Weight => self.bound.min(1 << (FACTOR_BITS - 1)),
            _ => self.bound,
        }
    }
}

/// A kind of tensors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Integers of 16 bits that a proof holds.
    Held,
    /// Exact sums.
    Sum,
    /// Constants that may be secret.
    Weight,
    /// Constants that belong to the graph.
    Public,
    /// Results of a table, before they have an exponent.
    LookedUp,
    /// Results of a table of leading bits: integers of more than 16 bits that a proof holds.
    Wide,
    /// Indices: an output, or an input that names rows.
    Index,
}

/// A step of the computation.
#[derive(Debug)]
pub struct Layer<'f> {
    /// The name of the node.
    pub name: &'f str,
    /// The operator in the file.
    pub operator: &'f str,
    /// The step.
    pub step: Step,
    /// The tensors that it reads.
    pub inputs: Vec<usize>,
    /// The tensor that it makes.
    pub output: usize,
}

impl Display for Layer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "node {:?} ({})", self.name, self.operator)
    }
}

/// A kind of layers. Inputs of unlike exponents are multiplied by powers of two first, an entry of `shifts` each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The integers as they are, of an input or of a table.
    Same,
    /// Rounding to 16 bits: ⌊(a + 2^(shift − 1)) / 2^shift⌋, and `a` itself where the shift is 0.
    Requantise {
        /// The shift.
        shift: u32,
    },
    /// A function by a table: [`Network::tables`] has it at this place.
    Table(usize),
    /// A function by a power and leading bits.
    Wide {
        /// The place of the table in [`Network::wides`].
        table: usize,
        /// The powers of the base, from the zeroth on.
        powers: Vec<Power>,
    },
    /// Rows of the first input, by indices that are the second.
    Rows,
    /// A sum.
    Add {
        /// Shifts of the two.
        shifts: Vec<u32>,
    },
    /// A difference.
    Subtract {
        /// Shifts of the two.
        shifts: Vec<u32>,
    },
    /// A product, element by element.
    Multiply,
    /// A bilinear form of the first two inputs, and a bias if there is a third.
    Bilinear {
        /// The form.
        form: Bilinear,
        /// Shifts of the form and of the bias; none without a bias.
        shifts: Vec<u32>,
    },
    /// Sums over axes.
    Sum {
        /// The axes, ascending.
        axes: Vec<usize>,
    },
    /// Elements are moved.
    Move {
        /// The move.
        places: Places,
        /// Shifts of the inputs.
        shifts: Vec<u32>,
    },
    /// Maxima of windows.
    MaxPool(Window),
    /// Maxima over axes.
    ReduceMaximum {
        /// The axes, ascending.
        axes: Vec<usize>,
    },
    /// Maxima of several tensors, element by element.
    Maximum,
    /// The index of the first maximum along an axis.
    ArgMax {
        /// The axis.
        axis: usize,
    },
}

/// A bilinear form: each entry of the output is a sum of products.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bilinear {
    /// Matrix products over the last two dimensions, broadcast over the others.
    MatMul {
        /// Whether the second is transposed.
        transposed: bool,
    },
    /// A convolution.
    Conv {
        /// The window.
        window: Window,
        /// The groups of channels.
        groups: usize,
    },
    /// A transposed convolution.
    ConvTranspose {
        /// The window.
        window: Window,
        /// The groups of channels.
        groups: usize,
    },
}

impl Bilinear {
    /// The most products in a sum, for inputs of these shapes.
    pub fn products(&self, first: &[usize], second: &[usize]) -> usize {
        match self {
            Self::MatMul { .. } => first.last().copied().unwrap_or(1),
            Self::Conv { .. } => second[1..].iter().product(),
            Self::ConvTranspose { window, groups } => first[1] / groups * window.taps(),
        }
    }
}

/// A function of one variable: of each key its value.
#[derive(Debug)]
pub struct Table<'f> {
    /// The name.
    pub name: &'f str,
    /// The values for the keys from the least on: −2^(bits − 1).
    pub values: Vec<i16>,
}

impl Table<'_> {
    /// The bits of a key.
    pub fn bits(&self) -> u32 {
        self.values.len().trailing_zeros()
    }
}
