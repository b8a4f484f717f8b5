//! Parts that statements are made of: words, hashes, ciphers, trees, fixed point; programs as in C; and algebra.
//!
//! A gadget takes a [`Backend`](volery_circuit::Backend) and wires, pushes gates, and gives wires back. This crate
//! promises nothing to others: use `volery`.
#![forbid(unsafe_code)]

pub mod algebra;
pub mod code;
pub mod gadget;
#[doc(hidden)]
pub mod testing;

pub use algebra::{Bound, Dimensions, InnerProduct, MatrixProduct, Reduction, ShortSolution};
