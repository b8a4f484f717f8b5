//! Commitments: what is fixed now and opened later, all of it or all but one place.

pub mod ggm;
