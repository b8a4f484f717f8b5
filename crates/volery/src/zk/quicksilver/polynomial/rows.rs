//! Rows of wires side by side, as kernels read them.

use zeroize::{DefaultIsZeroes, Zeroizing};

/// Room for rows that is used again and again, and wiped at the end.
pub(in super::super) struct Rows<R: DefaultIsZeroes>(Zeroizing<Vec<R>>);

impl<R: DefaultIsZeroes> Default for Rows<R> {
    fn default() -> Self {
        Self(Zeroizing::default())
    }
}

impl<R: DefaultIsZeroes> Rows<R> {
    /// The rows that `rows` gives.
    pub(in super::super) fn fill(&mut self, rows: impl ExactSizeIterator<Item = R>) -> &[R] {
        if self.0.capacity() < rows.len() {
            // What has to move would leave a copy behind.
            self.0 = Zeroizing::new(Vec::with_capacity(rows.len()));
        }
        self.0.clear();
        self.0.extend(rows);
        &self.0
    }
}
