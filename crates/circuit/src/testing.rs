//! Names that tests and examples share.

/// The names by which a user of the library knows what examples take.
pub mod volery {
    pub use volery_channel::error::{Error, Result};
    pub use volery_primitives::{F2, F61, Field};

    /// Statements, and who walks them.
    pub mod circuit {
        pub use crate::*;
    }

    pub use circuit::{Backend, Circuit};

    /// Runs `circuit` in the clear.
    ///
    /// # Errors
    /// Those of [`circuit::Clear`].
    pub fn check<'w, C: Circuit<circuit::Clear<'w, F>>, F: Field>(
        circuit: &C,
        witness: impl IntoIterator<Item = F, IntoIter: 'w>,
    ) -> Result<()> {
        let mut clear = circuit::Clear::new(witness);
        circuit.run(&mut clear)?;
        clear.finish()
    }
}
