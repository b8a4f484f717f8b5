//! Matrices of wires and of public values.

use super::Polynomials;
use core::fmt::Display;
use volery_channel::error::Result;
use volery_primitives::Field;

/// A matrix, its rows one after the other.
#[derive(Clone, Copy)]
pub struct Matrix<'a, T> {
    entries: &'a [T],
    columns: usize,
}

impl<'a, T> Matrix<'a, T> {
    /// The matrix of `entries` in rows of `columns`.
    ///
    /// # Panics
    /// Where they are no whole number of rows.
    pub fn new(entries: &'a [T], columns: usize) -> Self {
        assert!(
            entries.len().checked_rem(columns) == Some(0),
            "{} entries in rows of {columns}",
            entries.len()
        );
        Self { entries, columns }
    }

    /// The rows.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &'a [T]> + use<'a, T> {
        self.entries.chunks_exact(self.columns)
    }

    /// The entries of a column.
    pub(crate) fn column(&self, j: usize) -> Vec<T>
    where
        T: Copy,
    {
        self.rows().map(|row| row[j]).collect()
    }

    /// All columns, one after the other.
    pub(crate) fn by_columns(&self) -> Vec<Vec<T>>
    where
        T: Copy,
    {
        (0..self.columns).map(|j| self.column(j)).collect()
    }

    /// The length of a row.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// All entries, row by row.
    pub fn entries(&self) -> &'a [T] {
        self.entries
    }
}

/// A matrix that is public or on wires, its rows one after the other.
#[derive(Clone, Copy)]
pub enum Entries<'a, F, W> {
    /// Known to both parties.
    Public(&'a [F]),
    /// Carried by wires.
    Wires(&'a [W]),
}

impl<F, W> Entries<'_, F, W> {
    /// The number of entries.
    pub fn len(&self) -> usize {
        match self {
            Self::Public(entries) => entries.len(),
            Self::Wires(wires) => wires.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Checks that matrices of `a` and `b` have a product with so many entries.
///
/// # Panics
/// Where they have not.
pub fn check_sizes<A, B>(a: &Matrix<A>, b: &Matrix<B>, entries: usize) {
    let (rows, inner) = (a.rows().len(), b.rows().len());
    assert_eq!(a.columns(), inner, "rows of the left matrix are as long as the right one has rows");
    assert_eq!(rows * b.columns(), entries, "entries of the product");
}

/// Demands that the product of two matrices is a third one, entry by entry, as inner products: for systems
/// that cannot draw random vectors after all three.
///
/// # Errors
/// Those of `backend`.
///
/// # Panics
/// Where the sizes do not fit.
pub fn assert_entries<B: Polynomials>(
    backend: &mut B,
    a: Matrix<B::Wire>,
    b: Matrix<B::Wire>,
    c: Entries<B::F, B::Wire>,
    name: &dyn Display,
) -> Result<()> {
    check_sizes(&a, &b, c.len());
    let columns = b.by_columns();
    for (i, row) in a.rows().enumerate() {
        for (j, column) in columns.iter().enumerate() {
            let at = i * columns.len() + j;
            let product = backend.inner_product(row, column)?;
            let expected = match c {
                Entries::Public(c) => backend.public(&[-c[at]]),
                Entries::Wires(c) => {
                    let negated = backend.scale(c[at], -B::F::ONE);
                    backend.vector(&[negated])
                }
            };
            let difference = backend.sum(&product, &expected);
            backend.assert_zeroes(difference, name)?;
        }
    }
    Ok(())
}
