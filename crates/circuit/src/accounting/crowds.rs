//! How often polynomials crowd together: a proof that keeps their coefficients until some values were committed
//! to ends such a batch early.

use crate::{Scan, Shape};

/// The number of coefficients that makes a crowd, not counting the highest of each polynomial.
pub const CROWD: usize = 1 << 17;

/// The number of values in a batch.
pub const BATCH: usize = 1 << 13;

/// The batches of a statement, as they follow each other.
#[derive(Clone, Copy, Default)]
pub(super) struct Crowds {
    /// The values of the batch that is open.
    values: u64,
    coefficients: u64,
    crowds: u64,
}

impl Crowds {
    /// Counts values that are committed to.
    pub(super) fn commit(&mut self, count: u64) {
        self.values += count;
        if self.values > BATCH as u64 {
            self.values = (self.values - 1) % BATCH as u64 + 1;
            self.coefficients = 0;
        }
    }

    /// Counts polynomials that are to be zero, or committed to.
    pub(super) fn vanish(&mut self, lanes: usize, degree: usize) {
        self.coefficients += lanes as u64 * degree.max(1) as u64;
        if self.coefficients >= CROWD as u64 {
            self.crowds += 1;
            self.end();
        }
    }

    /// Ends the batch, for a product of matrices.
    pub(super) fn end(&mut self) {
        (self.values, self.coefficients) = (0, 0);
    }

    /// The crowds of a statement of this shape. They are a bound, where memories and tables are looked at row
    /// by row, of whose order nothing is known here.
    pub(super) fn of(self, shape: &Shape) -> u64 {
        let in_order = shape.scanned == Scan::default();
        let most = shape.polynomials.saturating_mul(shape.degree.max(2)) / CROWD as u64;
        if in_order { self.crowds } else { most }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_begin_anew_behind_their_values() {
        let (batch, crowd) = (BATCH as u64, CROWD);
        let crowds_of = |steps: &[(u64, usize)]| {
            let mut crowds = Crowds::default();
            for (values, coefficients) in steps {
                crowds.commit(*values);
                crowds.vanish(*coefficients, 1);
            }
            crowds.crowds
        };
        assert_eq!(crowds_of(&[(1, crowd - 1)]), 0);
        assert_eq!(crowds_of(&[(1, crowd)]), 1);
        assert_eq!(crowds_of(&[(1, crowd - 1), (batch - 1, 1)]), 1);
        assert_eq!(crowds_of(&[(1, crowd - 1), (batch, 1)]), 0);
        assert_eq!(crowds_of(&[(batch, crowd - 1), (0, 1), (batch, 1)]), 1);
        assert_eq!(crowds_of(&[(batch, crowd - 1), (1, crowd - 1), (batch, crowd - 1)]), 0);
        // Behind a crowd another batch is open.
        assert_eq!(crowds_of(&[(5, crowd), (batch, crowd - 1), (1, 1), (1, crowd)]), 2);
        assert_eq!(crowds_of(&[(3 * batch + 1, crowd - 1), (batch - 1, 1)]), 1);
        // Polynomials of degree zero have a coefficient, too.
        let mut crowds = Crowds::default();
        crowds.vanish(crowd, 0);
        assert_eq!(crowds.crowds, 1);
    }
}
