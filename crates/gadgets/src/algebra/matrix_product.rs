//! The product of two secret matrices.

use std::sync::Arc;
use volery_channel::error::{Error, Result};
use volery_circuit::{Circuit, Entries, Matrix, Polynomials};
use volery_primitives::Field;
use volery_primitives::hash::elements::{Expanded, absorb, expanded};

/// The sizes of two matrices that have a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dimensions {
    /// The rows of the left matrix and of the product.
    pub rows: usize,
    /// The columns of the left matrix, and the rows of the right one.
    pub inner: usize,
    /// The columns of the right matrix and of the product.
    pub columns: usize,
}

/// How it is shown that a matrix is the product of two others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reduction {
    /// Random vectors, drawn after all three are fixed, where the proof system can draw them: quadratic time.
    #[default]
    Random,
    /// An inner product for each entry: cubic time.
    InnerProducts,
}

/// "I know two matrices whose product is this": or, where the product is secret, three that are so related.
///
/// The witness is the left matrix, the right one and, where it is secret, the product, each row by row.
///
/// ```
/// # use volery_gadgets::testing::volery;
/// use volery::circuit::{Clear, Dimensions, MatrixProduct, Reduction};
/// use volery::{Circuit, F61};
///
/// let dimensions = Dimensions { rows: 5, inner: 7, columns: 3 };
/// let product = MatrixProduct::<F61>::product_of(dimensions, [7; 32]);
/// let statement = MatrixProduct::new(dimensions, Some(&product), Reduction::Random)?;
/// let mut clear = Clear::new(statement.witness([7; 32]));
/// statement.run(&mut clear)?;
/// clear.finish()?;
/// # Ok::<(), volery::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatrixProduct<'a, F> {
    dimensions: Dimensions,
    product: Option<&'a [F]>,
    reduction: Reduction,
}

/// The most entries of a matrix.
const MOST: usize = 1 << 32;

impl<'a, F: Field> MatrixProduct<'a, F> {
    /// The statement about matrices of these dimensions whose product is `product`, row by row, or
    /// `None` where it is secret.
    ///
    /// # Errors
    /// `Invalid` for matrices of no entries or of more than 2^32, and where `product` has
    /// another number of them.
    pub fn new(dimensions: Dimensions, product: Option<&'a [F]>, reduction: Reduction) -> Result<Self> {
        let Dimensions { rows, inner, columns } = dimensions;
        let sizes = [(rows, inner), (inner, columns), (rows, columns)];
        if !sizes.iter().all(|(a, b)| a.checked_mul(*b).is_some_and(|entries| (1..=MOST).contains(&entries)))
        {
            return Err(Error::invalid(format!(
                "a product of matrices of {rows}×{inner} and {inner}×{columns} entries: choose from 1 to 2^32 entries"
            )));
        }
        if let Some(entries) = product.map(<[F]>::len).filter(|entries| *entries != rows * columns) {
            return Err(Error::invalid(format!(
                "a product of {rows}×{columns} entries, and {entries} for it"
            )));
        }
        Ok(Self { dimensions, product, reduction })
    }

    /// The sizes.
    pub fn dimensions(&self) -> Dimensions {
        self.dimensions
    }

    /// A digest of the statement and its field.
    pub fn digest(&self) -> [u8; 32] {
        let Dimensions { rows, inner, columns } = self.dimensions;
        let mut hasher = blake3::Hasher::new_derive_key("volery matrix product v1");
        for size in [rows, inner, columns] {
            hasher.update(&(size as u64).to_le_bytes());
        }
        hasher.update(&[u8::from(self.reduction == Reduction::Random), u8::from(self.product.is_some())]);
        absorb(&mut hasher, self.product.unwrap_or_default());
        hasher.update(F::name().as_bytes());
        hasher.finalize().into()
    }

    /// Matrices that are expanded from `seed`, in the order in which they are read. They satisfy the
    /// statement where its product is secret, or [`MatrixProduct::product_of`] the same seed.
    ///
    /// The left matrix is pseudo-random. The right one is a product of two pseudo-random matrices, and its
    /// rank is at most 4: so the product takes no longer to compute than to write. What a proof costs does
    /// not depend on entries.
    pub fn witness(&self, seed: [u8; 32]) -> impl Iterator<Item = F> + Clone + use<F> {
        let Dimensions { rows, inner, columns } = self.dimensions;
        let Source { left, right, elements } = Source::new(self.dimensions, seed);
        let entry = move |i: usize| dot(&left[i / columns], &right[i % columns]);
        let product = if self.product.is_none() { Self::product_of(self.dimensions, seed) } else { vec![] };
        elements.take(rows * inner).chain((0..inner * columns).map(entry)).chain(product)
    }

    /// The product of the matrices that are expanded from `seed`, row by row.
    pub fn product_of(dimensions: Dimensions, seed: [u8; 32]) -> Vec<F> {
        let Dimensions { rows, columns, .. } = dimensions;
        let Source { left, right, mut elements } = Source::new(dimensions, seed);
        let mut product = Vec::with_capacity(rows * columns);
        for _ in 0..rows {
            let mut image = [F::ZERO; RANK];
            for (row, entry) in left.iter().zip(elements.by_ref()) {
                for (sum, &factor) in image.iter_mut().zip(row) {
                    *sum += entry * factor;
                }
            }
            product.extend(right.iter().map(|column| dot(&image, column)));
        }
        product
    }
}

/// The highest rank of an expanded right matrix.
const RANK: usize = 4;

/// A right matrix whose entry at row i and column j is `<left[i], right[j]>`, and the entries of a left one.
struct Source<F> {
    left: Arc<[[F; RANK]]>,
    right: Arc<[[F; RANK]]>,
    elements: Expanded<F>,
}

impl<F: Field> Source<F> {
    fn new(dimensions: Dimensions, seed: [u8; 32]) -> Self {
        let mut elements = expanded::<F>(seed);
        let mut factor = |length: usize| {
            let mut next = || elements.next().expect("without end");
            (0..length).map(|_| core::array::from_fn(|_| next())).collect()
        };
        let (left, right) = (factor(dimensions.inner), factor(dimensions.columns));
        Self { left, right, elements }
    }
}

fn dot<F: Field>(a: &[F; RANK], b: &[F; RANK]) -> F {
    a.iter().zip(b).map(|(&a, &b)| a * b).sum()
}

impl<B: Polynomials> Circuit<B> for MatrixProduct<'_, B::F> {
    fn run(&self, b: &mut B) -> Result<()> {
        push(b, self.dimensions, (self.product, "c"), self.reduction, |b, _, _| b.witness())
    }
}

/// Pushes the statement about matrices whose entries `wire` gives: by 0 for the left, 1 for the right and 2
/// for the product where it is secret, and the place. Assertions are on entries of what the product is named.
pub fn push<B: Polynomials>(
    b: &mut B,
    dimensions: Dimensions,
    (product, name): (Option<&[B::F]>, &str),
    reduction: Reduction,
    mut wire: impl FnMut(&mut B, usize, usize) -> Result<B::Wire>,
) -> Result<()> {
    let Dimensions { rows, inner, columns } = dimensions;
    let mut wires = |b: &mut B, matrix: usize, entries: usize| {
        (0..entries).map(|i| wire(b, matrix, i)).collect::<Result<Vec<_>>>()
    };
    let left = wires(b, 0, rows * inner)?;
    let mut right = wires(b, 1, inner * columns)?;
    let secret = if product.is_none() { wires(b, 2, rows * columns)? } else { vec![] };
    let product = product.map_or(Entries::Wires(&secret[..]), Entries::Public);
    if reduction == Reduction::Random {
        return b.assert_matrix_product(
            Matrix::new(&left, inner),
            Matrix::new(&right, columns),
            product,
            name,
        );
    }
    right = (0..columns).flat_map(|j| right.iter().skip(j).step_by(columns)).copied().collect();
    for (i, row) in left.chunks_exact(inner).enumerate() {
        for (j, column) in right.chunks_exact(inner).enumerate() {
            let computed = b.inner_product(row, column)?;
            let expected = match product {
                Entries::Public(entries) => b.public(&[-entries[i * columns + j]]),
                Entries::Wires(entries) => {
                    let negated = b.scale(entries[i * columns + j], -B::F::ONE);
                    b.vector(&[negated])
                }
            };
            let difference = b.sum(&computed, &expected);
            b.assert_zeroes(difference, format_args!("{name}[{i}][{j}]"))?;
        }
    }
    Ok(())
}
