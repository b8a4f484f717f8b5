//! The product of the clauses' polynomials, group by group.

use core::mem;
use volery_primitives::{Field, Tagged};
use zeroize::Zeroizing;

/// The prover's side: coefficients, the lowest first.
pub(crate) struct Factors<E: Field> {
    product: Zeroizing<Vec<E>>,
    count: usize,
}

impl<E: Field> Default for Factors<E> {
    fn default() -> Self {
        Self { product: Zeroizing::new(vec![E::ONE]), count: 0 }
    }
}

impl<E: Field> Factors<E> {
    /// Multiplies by the polynomial of a clause, and gives the number of factors.
    pub(crate) fn take(&mut self, polynomial: &[E]) -> usize {
        self.multiply(polynomial);
        self.count += 1;
        self.count
    }

    /// Closes the group: its product, times the line m + w·X of the groups before. The next group begins at
    /// one.
    pub(crate) fn close(&mut self, before: Option<Tagged<E, E>>) -> Zeroizing<Vec<E>> {
        if let Some(line) = before {
            self.multiply(&[line.mac, line.value]);
        }
        mem::take(self).product
    }

    fn multiply(&mut self, factor: &[E]) {
        let mut product = Zeroizing::new(vec![E::ZERO; self.product.len() + factor.len() - 1]);
        for (i, &a) in self.product.iter().enumerate() {
            for (sum, &b) in product[i..].iter_mut().zip(factor) {
                *sum += a * b;
            }
        }
        self.product = product;
    }
}

/// The verifier's side: the value at Δ, and the degree.
pub(crate) struct Keyed<E: Field> {
    product: Zeroizing<E>,
    degree: usize,
    count: usize,
}

impl<E: Field> Default for Keyed<E> {
    fn default() -> Self {
        Self { product: Zeroizing::new(E::ONE), degree: 0, count: 0 }
    }
}

impl<E: Field> Keyed<E> {
    /// Multiplies by the polynomial of a clause at Δ, of this degree, and gives the number of factors.
    pub(crate) fn take(&mut self, polynomial: E, degree: usize) -> usize {
        *self.product *= polynomial;
        self.degree += degree;
        self.count += 1;
        self.count
    }

    /// Closes the group: its product, times the key of the groups before, and its degree. The next group
    /// begins at one.
    pub(crate) fn close(&mut self, before: Option<E>) -> (E, usize) {
        if let Some(key) = before {
            *self.product *= key;
            self.degree += 1;
        }
        let closed = mem::take(self);
        (*closed.product, closed.degree)
    }
}
