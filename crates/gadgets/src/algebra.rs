//! Statements about vectors and matrices of any size: inner products, products of matrices, and short
//! solutions of linear equations.
//!
//! They are what built-in statements of these names push, and what `bench` proves.

pub mod inner_product;
pub mod matrix_product;
pub mod short_solution;
#[cfg(test)]
mod tests;

pub use inner_product::InnerProduct;
pub use matrix_product::{Dimensions, MatrixProduct, Reduction};
pub use short_solution::{Bound, ShortSolution};
