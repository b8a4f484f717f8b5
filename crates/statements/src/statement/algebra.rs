//! Built-in statements about vectors and matrices, over F_2 and over other fields.

#[cfg(test)]
mod tests;

use super::builtin::{Described, numbers};
use super::split::{Part, Split, no_shards, piece};
use super::{Elements, Given, Port, Value};
use std::borrow::Cow;
use volery_channel::error::{Error, Result};
use volery_circuit::{Need, Polynomials};
use volery_gadgets::algebra::{inner_product, matrix_product, short_solution};
use volery_gadgets::{Bound, Dimensions, Reduction};
use volery_primitives::{F2, Field};

/// Names with keys and defaults, and what they state.
pub(super) const INNER_PRODUCT: (&str, &str) = (
    "inner-product?length=4",
    "the prover knows `x` and `y`, vectors of `length`, whose inner product is `z`",
);
pub(super) const MATRIX_PRODUCT: (&str, &str) = (
    "matmul?rows=2&inner=2&columns=2&random=1",
    "the prover knows `a`, of `rows` × `inner` entries, one row after the other, and `b`, of `inner` × `columns`, whose \
     product is `c`; compared by random vectors, or with random=0 entry by entry",
);
pub(super) const SHORT_SOLUTION: (&str, &str) = (
    "sis?rows=2&columns=8&bound=1",
    "the prover knows `s`, integers from -`bound` to `bound`, or with bound=0 bits, which the public `matrix`, of \
     `rows` one after the other, maps to `t`; in prime fields",
);

/// The most entries of a matrix: both parties hold one of wires.
const MOST_ENTRIES: u64 = 1 << 24;

/// A statement of linear algebra, with its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Algebra {
    InnerProduct { length: u64 },
    MatrixProduct { dimensions: Dimensions, reduction: Reduction },
    ShortSolution { rows: usize, columns: usize, bound: Bound },
}

/// A value that is a list of elements.
pub(super) trait List<F: Field> {
    /// Element `i`.
    fn at(&self, i: u64) -> F;

    /// All elements.
    fn all(&self) -> Cow<'_, [F]>;
}

impl List<F2> for Value {
    fn at(&self, i: u64) -> F2 {
        self.bit(i)
    }
    fn all(&self) -> Cow<'_, [F2]> {
        (0..self.width()).map(|i| self.bit(i)).collect()
    }
}

impl<F: Field> List<F> for Elements<F> {
    fn at(&self, i: u64) -> F {
        self.as_slice()[i as usize]
    }
    fn all(&self) -> Cow<'_, [F]> {
        self.as_slice().into()
    }
}

impl Described for Algebra {
    fn canonical(&self) -> String {
        match self {
            Self::InnerProduct { length } => format!("inner-product?length={length}"),
            Self::MatrixProduct { dimensions: Dimensions { rows, inner, columns }, reduction } => {
                let random = u8::from(*reduction == Reduction::Random);
                format!("matmul?rows={rows}&inner={inner}&columns={columns}&random={random}")
            }
            Self::ShortSolution { rows, columns, bound } => {
                let bound = match bound {
                    Bound::Binary => &0,
                    Bound::Within(bound) => bound,
                };
                format!("sis?rows={rows}&columns={columns}&bound={bound}")
            }
        }
    }

    fn version(&self) -> u32 {
        match self {
            Self::InnerProduct { .. } | Self::MatrixProduct { .. } | Self::ShortSolution { .. } => 1,
        }
    }

    fn ports(&self) -> (Vec<Port>, Vec<Port>) {
        let port = |name, width: usize| Port::new(name, width as u64);
        match *self {
            Self::InnerProduct { length } => {
                (vec![Port::new("x", length), Port::new("y", length)], vec![port("z", 1)])
            }
            Self::MatrixProduct { dimensions: Dimensions { rows, inner, columns }, .. } => {
                (vec![port("a", rows * inner), port("b", inner * columns)], vec![port("c", rows * columns)])
            }
            Self::ShortSolution { rows, columns, .. } => {
                let matrix = Port::public("matrix", (rows * columns) as u64);
                (vec![matrix, port("s", columns)], vec![port("t", rows)])
            }
        }
    }
}

impl Algebra {
    /// The one of this name, if there is one; `longest` is the most elements of a vector that streams.
    pub(super) fn parse<F: Field>(name: &str, parameters: &str, longest: u64) -> Result<Option<Self>> {
        let refused = |why: String| Error::invalid(format!("builtin:{name} {why}"));
        let size = |size: u64| usize::try_from(size).unwrap_or(usize::MAX);
        let fit =
            |a: u64, b: u64| a.checked_mul(b).is_some_and(|entries| (1..=MOST_ENTRIES).contains(&entries));
        Ok(Some(match name {
            "inner-product" => {
                let [length] = numbers(name, parameters, [("length", 4)])?;
                if length == 0 || length > longest {
                    return Err(refused(format!("with length={length}: choose from 1 to {longest}")));
                }
                Self::InnerProduct { length }
            }
            "matmul" => {
                let keys = [("rows", 2), ("inner", 2), ("columns", 2), ("random", 1)];
                let [rows, inner, columns, random] = numbers(name, parameters, keys)?;
                if !fit(rows, inner) || !fit(inner, columns) || !fit(rows, columns) {
                    return Err(refused(format!(
                        "with rows={rows}&inner={inner}&columns={columns}: choose matrices of 1 to {MOST_ENTRIES} \
                         entries"
                    )));
                }
                let dimensions = Dimensions { rows: size(rows), inner: size(inner), columns: size(columns) };
                let reduction = match random {
                    0 => Reduction::InnerProducts,
                    1 => Reduction::Random,
                    _ => return Err(refused(format!("with random={random}: choose 0 or 1"))),
                };
                Self::MatrixProduct { dimensions, reduction }
            }
            "sis" => {
                let keys = [("rows", 2), ("columns", 8), ("bound", 1)];
                let [rows, columns, bound] = numbers(name, parameters, keys)?;
                if !fit(rows, columns) {
                    return Err(refused(format!(
                        "with rows={rows}&columns={columns}: choose from 1 to {MOST_ENTRIES} entries"
                    )));
                }
                let bound = match size(bound) {
                    0 => Bound::Binary,
                    bound => Bound::Within(bound),
                };
                bound.check::<F>().map_err(|why| Error::invalid(format!("builtin:{name}: {why}")))?;
                Self::ShortSolution { rows: size(rows), columns: size(columns), bound }
            }
            _ => return Ok(None),
        }))
    }

    /// How many elements of a private input are read before the next input has its turn.
    pub(super) fn turn(&self) -> usize {
        match self {
            Self::InnerProduct { .. } => inner_product::CHUNK as usize,
            Self::MatrixProduct { .. } | Self::ShortSolution { .. } => usize::MAX,
        }
    }

    /// How it falls into `shards` shards, two or more: a product of matrices into its right factor, which
    /// crosses to all others, and blocks of rows.
    pub(super) fn split(&self, shards: usize) -> Result<Split> {
        let Dimensions { rows, inner, columns } = self.in_blocks(shards)?;
        let (right, parts) = (inner * columns, shards as u64 - 1);
        let mut all = vec![Part { needs: vec![], outgoing: right, reads: vec![(1, 0..right as u64)] }];
        all.extend((0..parts).map(|part| {
            let block = piece(rows as u64, parts, part);
            let places = block.start * inner as u64..block.end * inner as u64;
            Part { needs: vec![Need { from: 0, wires: 0..right }], outgoing: 0, reads: vec![(0, places)] }
        }));
        Ok(Split::of(all))
    }

    fn in_blocks(&self, shards: usize) -> Result<Dimensions> {
        let refused = |why: &str| no_shards(&format!("builtin:{}", self.canonical()), shards, why);
        match self {
            Self::MatrixProduct { dimensions, .. } if shards - 1 > dimensions.rows => {
                let why = format!("it has {} rows, and one shard is for the right matrix", dimensions.rows);
                Err(refused(&why))
            }
            Self::MatrixProduct { dimensions, .. } => Ok(*dimensions),
            _ => Err(refused("matmul does, of those about vectors and matrices; prove others as a whole")),
        }
    }

    /// Pushes shard number `shard` of `shards`, and gives the wires that go out.
    pub(super) fn run_shard<B: Polynomials, V: List<B::F>>(
        &self,
        (shards, shard): (usize, usize),
        b: &mut B,
        (inputs, outputs): Given<'_, V>,
        incoming: &[B::Wire],
    ) -> Result<Vec<B::Wire>> {
        let Dimensions { rows, inner, columns } = self.in_blocks(shards)?;
        let wire = |b: &mut B, port: usize, i: usize| match &inputs[port] {
            Some(value) => Ok(b.constant(value.at(i as u64))),
            None => b.witness(),
        };
        let Some(part) = shard.checked_sub(1) else {
            return (0..inner * columns).map(|i| wire(b, 1, i)).collect();
        };
        let block = piece(rows as u64, shards as u64 - 1, part as u64);
        let (first, count) = (block.start as usize, (block.end - block.start) as usize);
        let product: Vec<B::F> = match &outputs[0] {
            Some(value) => (first * columns..(first + count) * columns).map(|i| value.at(i as u64)).collect(),
            None => vec![B::F::ZERO; count * columns],
        };
        let Self::MatrixProduct { reduction, .. } = *self else { unreachable!("refused above") };
        let name = format!("c[{}..{}]", block.start, block.end);
        let dimensions = Dimensions { rows: count, inner, columns };
        matrix_product::push(
            b,
            dimensions,
            (Some(&product), &name),
            reduction,
            |b, matrix, i| match matrix {
                0 => wire(b, 0, first * inner + i),
                _ => Ok(incoming[i]),
            },
        )?;
        Ok(Vec::new())
    }

    /// Pushes the statement, with the inputs and outputs that are public. Where the gates of a program
    /// without values are counted, the output is zero.
    pub(super) fn run<B: Polynomials, V: List<B::F>>(
        &self,
        b: &mut B,
        inputs: &[Option<V>],
        outputs: &[Option<V>],
    ) -> Result<()> {
        let wire = |b: &mut B, port: usize, i: u64| match &inputs[port] {
            Some(value) => Ok(b.constant(value.at(i))),
            None => b.witness(),
        };
        let output = |width: usize| match &outputs[0] {
            Some(value) => value.all(),
            None => vec![B::F::ZERO; width].into(),
        };
        match *self {
            Self::InnerProduct { length } => inner_product::push(b, length, output(1)[0], wire, |_| ()),
            Self::MatrixProduct { dimensions, reduction } => {
                let product = output(dimensions.rows * dimensions.columns);
                let wire = |b: &mut B, matrix: usize, i: usize| wire(b, matrix, i as u64);
                matrix_product::push(b, dimensions, (Some(&product), "c"), reduction, wire)
            }
            Self::ShortSolution { rows, columns, bound } => {
                // Most elements are neither zero nor one.
                let matrix = match &inputs[0] {
                    Some(matrix) => matrix.all(),
                    None => vec![B::F::place(1); rows * columns].into(),
                };
                let image = output(rows);
                let equations = matrix.chunks_exact(columns).zip(image.iter().copied());
                short_solution::push(b, columns, equations, bound, |b, i| wire(b, 1, i as u64))
            }
        }
    }
}
