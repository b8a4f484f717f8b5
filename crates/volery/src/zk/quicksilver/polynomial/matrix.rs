//! Products of matrices at two random vectors.

use crate::circuit::{Entries, Matrix};
use core::iter;
use volery_primitives::arch::Arch;
use volery_primitives::{Field, Lanes};
use zeroize::{DefaultIsZeroes, Zeroizing};

/// Columns that are gathered at a time, for whole cache lines.
const GATHERED: usize = 32;

/// The two vectors: u for the rows of A, v for the columns of B.
pub(in super::super) struct Vectors<E> {
    u: Vec<E>,
    v: Vec<E>,
}

impl<E: Field> Vectors<E> {
    /// Both from `fill`, first u and then v.
    pub(in super::super) fn new<W>(a: &Matrix<W>, b: &Matrix<W>, mut fill: impl FnMut(&mut [E])) -> Self {
        let [u, v] = [a.rows().len(), b.columns()].map(|length| {
            let mut vector = vec![E::ZERO; length];
            fill(&mut vector);
            vector
        });
        Self { u, v }
    }

    /// `uᵀ·A·B·v - uᵀ·C·v` as the prover knows it: the coefficients of a polynomial of degree two, the lowest
    /// first. `row` turns a wire into what `weigh` gives `Σ χ·mac` and `Σ χ·value` of.
    pub(in super::super) fn polynomial<B: Field, W: Copy, R: DefaultIsZeroes>(
        &self,
        arch: Arch,
        (a, b, c): (Matrix<W>, Matrix<W>, Entries<B, W>),
        row: impl Fn(W) -> R + Copy,
        weigh: impl Fn(Arch, &[E], &[R]) -> (E, E),
    ) -> [E; 3]
    where
        E: Lanes<B>,
    {
        let columns = b.columns();
        let left = by_columns(&a, row, |column| weigh(arch, &self.u, column));
        let right = by_rows(b.entries(), columns, row, |row| weigh(arch, &self.v, row));
        let ((left_macs, left_values), (right_macs, right_values)) = (apart(left), apart(right));
        let mut linear = E::dot(arch, &left_values, &right_macs) + E::dot(arch, &left_macs, &right_values);
        let mut value = E::dot(arch, &left_values, &right_values);
        match c {
            Entries::Public(c) => value -= self.of_public(arch, c),
            Entries::Wires(c) => {
                let (macs, values) = apart(by_rows(c, columns, row, |row| weigh(arch, &self.v, row)));
                linear -= E::dot(arch, &self.u, &macs);
                value -= E::dot(arch, &self.u, &values);
            }
        }
        [E::dot(arch, &left_macs, &right_macs), linear, value]
    }

    /// The same at Δ: of degree two.
    pub(in super::super) fn at<B: Field, W: Copy>(
        &self,
        delta: E,
        arch: Arch,
        (a, b, c): (Matrix<W>, Matrix<W>, Entries<B, W>),
        key: impl Fn(W) -> E + Copy,
    ) -> E
    where
        E: Lanes<B>,
    {
        let columns = b.columns();
        let left = by_columns(&a, key, |column| E::dot(arch, &self.u, column));
        let right = by_rows(b.entries(), columns, key, |row| E::dot(arch, &self.v, row));
        let product = match c {
            Entries::Public(c) => self.of_public(arch, c) * delta,
            Entries::Wires(c) => {
                let keys = Zeroizing::new(by_rows(c, columns, key, |row| E::dot(arch, &self.v, row)));
                E::dot(arch, &self.u, &keys)
            }
        };
        E::dot(arch, &Zeroizing::new(left), &Zeroizing::new(right)) - product * delta
    }

    /// `uᵀ·C·v`.
    fn of_public<B: Field>(&self, arch: Arch, c: &[B]) -> E
    where
        E: Lanes<B>,
    {
        let images: Vec<E> = c.chunks_exact(self.v.len()).map(|row| E::combine(arch, row, &self.v)).collect();
        E::dot(arch, &self.u, &images)
    }
}

/// `weigh` of each row of a matrix with so many columns.
fn by_rows<W: Copy, R: DefaultIsZeroes, T>(
    entries: &[W],
    columns: usize,
    row: impl Fn(W) -> R,
    weigh: impl Fn(&[R]) -> T,
) -> Vec<T> {
    let mut rows = Zeroizing::new(vec![R::default(); columns]);
    let weighed = entries.chunks_exact(columns).map(|entries| {
        iter::zip(&mut *rows, entries).for_each(|(to, from)| *to = row(*from));
        weigh(&rows)
    });
    weighed.collect()
}

/// `weigh` of each column.
fn by_columns<W: Copy, R: DefaultIsZeroes, T>(
    matrix: &Matrix<W>,
    row: impl Fn(W) -> R,
    weigh: impl Fn(&[R]) -> T,
) -> Vec<T> {
    let length = matrix.rows().len();
    let mut columns = Zeroizing::new(vec![R::default(); GATHERED * length]);
    let mut weighed = Vec::with_capacity(matrix.columns());
    for first in (0..matrix.columns()).step_by(GATHERED) {
        let gathered = GATHERED.min(matrix.columns() - first);
        for (i, entries) in matrix.rows().enumerate() {
            for (j, entry) in entries[first..][..gathered].iter().enumerate() {
                columns[j * length + i] = row(*entry);
            }
        }
        weighed.extend((0..gathered).map(|j| weigh(&columns[j * length..][..length])));
    }
    weighed
}

/// Pairs as two vectors.
fn apart<E: Field>(pairs: Vec<(E, E)>) -> (Zeroizing<Vec<E>>, Zeroizing<Vec<E>>) {
    let (first, second) = Zeroizing::new(pairs).iter().copied().unzip();
    (Zeroizing::new(first), Zeroizing::new(second))
}
