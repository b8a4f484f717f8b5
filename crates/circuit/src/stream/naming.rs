//! Names of assertions, which the stream leaves out.

use super::{Argues, Recorder, Source};
use core::fmt;
use volery_primitives::Field;

/// The name of assertion number `number` of a statement, counted from 0. When it is displayed, the statement
/// is gone through to find it.
pub(super) struct Name<'s, F> {
    pub(super) source: &'s dyn Source<F>,
    /// The proofs for which its gates were recorded.
    pub(super) argues: Argues,
    pub(super) number: u64,
}

impl<F: Field> fmt::Display for Name<'_, F> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        // Functions that are known are passed by: they say how many assertions they have.
        let functions = self.source.functions().unwrap_or_default();
        let mut recorder = Recorder::naming(self.number, self.argues, &functions);
        // It ends in an error where the name is found.
        let _ = self.source.record(&mut recorder);
        match recorder.into_name() {
            Some(name) => f.write_str(&name),
            None => write!(f, "assertion {}", self.number),
        }
    }
}
