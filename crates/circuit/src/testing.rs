//! Names that tests and examples share.

mod circuits;
mod faulty;

#[cfg(test)]
pub(crate) use circuits::Dice;
pub use circuits::{Arbitrary, Several, strings};
pub use faulty::Faulty;

use crate::stream::{Recorder, Stream, Streamed};
use crate::{Circuit, Count, Shape};
use volery_primitives::Field;

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

/// Asserts that the gates have the same fingerprint directly and by the stream, being the same on the same
/// wires in the same order.
///
/// # Panics
/// Where they are not.
#[track_caller]
pub fn assert_streamed<F: Field, C: Circuit<Count<F>> + for<'r> Circuit<Recorder<'r, F>> + Sync>(
    circuit: &C,
) {
    let direct = Count::fingerprint(circuit).unwrap();
    assert_eq!(Count::fingerprint(&Streamed(circuit)).unwrap(), direct);
    let without_depth = Shape { depth: 0, ..direct.0 };
    assert_eq!(Stream::new(circuit).count().unwrap(), without_depth);
    // By two recorders, too.
    assert_eq!(Count::fingerprint(&Streamed(&Streamed(circuit))).unwrap(), direct);
}
