//! One shard's part of a witness, as it is cut out of the whole.

use super::Claimed;
use core::ops::Range;
use volery_proof::witness::{Reread, Stream};
use volery_statements::Program;

/// A shard's part of a witness, within the whole.
pub(super) struct Cut<'c, S: super::WithProgram> {
    pub(super) of: &'c Claimed<S>,
    pub(super) places: Vec<Range<u64>>,
}

impl<S: super::WithProgram> Reread<S::F> for Cut<'_, S> {
    fn read(&self) -> Stream<'_, S::F> {
        let part = |places: &Range<u64>| {
            let elements = S::Program::elements(&self.of.witness).skip(places.start as usize);
            elements.take((places.end - places.start) as usize)
        };
        Box::new(self.places.iter().flat_map(part))
    }
}

/// How many elements there are at `places`.
pub(super) fn count(places: &[Range<u64>]) -> usize {
    places.iter().map(|places| (places.end - places.start) as usize).sum()
}
