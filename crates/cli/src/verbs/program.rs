//! Runs of programs: in the clear, and proved.

mod ending;
mod exchange;
mod load;
mod proof;
pub(crate) mod run;
mod steps;

pub(crate) use proof::{prove, verify};
