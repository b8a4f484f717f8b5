//! Private inputs of functions on lanes, whose values come by names, and are read lane by lane.

use pyo3::prelude::*;
use zeroize::Zeroizing;

/// Private inputs that a function on lanes has asked for.
pub(super) enum Input {
    /// `count` numbers of so many bits in each lane: those of all lanes, one lane after the other.
    Values { numbers: Zeroizing<Vec<u128>>, width: u32, count: usize },
    /// Inputs of a function on so many lanes within it.
    Map { lanes: u32, inputs: Vec<Self> },
}

impl Input {
    /// Gives the numbers in lane `lane` of all to `add`, with their width, in the order in which they are read.
    ///
    /// # Errors
    /// Those of `add`.
    pub(super) fn add(&self, lane: usize, add: &mut dyn FnMut(&[u128], u32) -> PyResult<()>) -> PyResult<()> {
        match self {
            Self::Values { numbers, width, count } => add(&numbers[lane * count..][..*count], *width),
            Self::Map { lanes, inputs } => {
                let lanes = *lanes as usize;
                (lane * lanes..(lane + 1) * lanes)
                    .try_for_each(|lane| inputs.iter().try_for_each(|input| input.add(lane, add)))
            }
        }
    }
}
