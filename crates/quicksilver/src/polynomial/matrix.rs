//! Products of matrices at two random vectors.

use volery_circuit::{Entries, Matrix};
use volery_primitives::arch::Arch;
use volery_primitives::{Field, Lanes, Tagged};
use volery_vole::macs::Macs;
use zeroize::{DefaultIsZeroes, Zeroizing};

/// Columns that are gathered at a time, for whole cache lines.
const GATHERED: usize = 32;

/// The two vectors: u for the rows of A, v for the columns of B.
pub(crate) struct Vectors<E> {
    u: Vec<E>,
    v: Vec<E>,
}

impl<E: Field> Vectors<E> {
    /// The vectors from `fill`, first u and then v.
    pub(crate) fn new<W>(a: &Matrix<W>, b: &Matrix<W>, mut fill: impl FnMut(&mut [E])) -> Self {
        let [u, v] = [a.rows().len(), b.columns()].map(|length| {
            let mut vector = vec![E::ZERO; length];
            fill(&mut vector);
            vector
        });
        Self { u, v }
    }

    /// `uᵀ·A·B·v - uᵀ·C·v` as the prover knows it: the coefficients of a polynomial of degree two, the lowest
    /// first.
    pub(crate) fn polynomial<M: Macs<E = E>>(
        &self,
        arch: Arch,
        a: Matrix<M::Tag>,
        b: Matrix<M::Tag>,
        c: Entries<M::F, M::Tag>,
    ) -> [E; 3]
    where
        E: Lanes<M::F>,
    {
        let columns = b.columns();
        let of_rows = |rows| by_rows(rows, columns, |row| M::combine(arch, &self.v, row));
        let (left_values, left_macs) = apart(by_columns(&a, |column| M::combine(arch, &self.u, column)));
        let (right_values, right_macs) = apart(of_rows(b.entries()));
        let mut linear = E::dot(arch, &left_values, &right_macs) + E::dot(arch, &left_macs, &right_values);
        let mut value = E::dot(arch, &left_values, &right_values);
        match c {
            Entries::Public(c) => value -= self.of_public(arch, c),
            Entries::Wires(c) => {
                let (values, macs) = apart(of_rows(c));
                linear -= E::dot(arch, &self.u, &macs);
                value -= E::dot(arch, &self.u, &values);
            }
        }
        [E::dot(arch, &left_macs, &right_macs), linear, value]
    }

    /// The verifier's value `uᵀ·A·B·v - uᵀ·C·v` at Δ, of degree two.
    pub(crate) fn at<B: Field>(&self, delta: E, arch: Arch, a: Matrix<E>, b: Matrix<E>, c: Entries<B, E>) -> E
    where
        E: Lanes<B>,
    {
        let of_rows = |rows| Zeroizing::new(by_rows(rows, b.columns(), |row| E::dot(arch, &self.v, row)));
        let left = Zeroizing::new(by_columns(&a, |column| E::dot(arch, &self.u, column)));
        let product = match c {
            Entries::Public(c) => self.of_public(arch, c) * delta,
            Entries::Wires(c) => E::dot(arch, &self.u, &of_rows(c)),
        };
        E::dot(arch, &left, &of_rows(b.entries())) - product * delta
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

/// Applies `weigh` to each row of a matrix with `columns` columns.
fn by_rows<R, T>(entries: &[R], columns: usize, weigh: impl Fn(&[R]) -> T) -> Vec<T> {
    entries.chunks_exact(columns).map(weigh).collect()
}

/// Applies `weigh` to each column.
fn by_columns<R: DefaultIsZeroes, T>(matrix: &Matrix<R>, weigh: impl Fn(&[R]) -> T) -> Vec<T> {
    let length = matrix.rows().len();
    let mut columns = Zeroizing::new(vec![R::default(); GATHERED * length]);
    let mut weighed = Vec::with_capacity(matrix.columns());
    for first in (0..matrix.columns()).step_by(GATHERED) {
        let gathered = GATHERED.min(matrix.columns() - first);
        for (i, entries) in matrix.rows().enumerate() {
            for (j, entry) in entries[first..][..gathered].iter().enumerate() {
                columns[j * length + i] = *entry;
            }
        }
        weighed.extend((0..gathered).map(|j| weigh(&columns[j * length..][..length])));
    }
    weighed
}

/// Splits values from their MACs.
fn apart<E: Field>(tagged: Vec<Tagged<E, E>>) -> (Zeroizing<Vec<E>>, Zeroizing<Vec<E>>) {
    let (values, macs) = Zeroizing::new(tagged).iter().map(|tag| (tag.value, tag.mac)).unzip();
    (Zeroizing::new(values), Zeroizing::new(macs))
}
