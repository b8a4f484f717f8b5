//! Tensors of a graph, by name and shape; constants have values.

use crate::stored::{Element, Stored};

/// A tensor of a graph.
#[derive(Debug)]
pub struct Tensor<'f> {
    /// The name.
    pub name: &'f str,
    /// The type of elements.
    pub element: Element,
    /// The shape.
    pub shape: Vec<usize>,
    /// The values, where it is constant.
    pub constant: Option<Constant<'f>>,
}

/// The values of a constant.
#[derive(Debug)]
pub enum Constant<'f> {
    /// Values as the file has them.
    Stored(Stored<'f>),
    /// Integers, as they were computed.
    Folded(Vec<i64>),
    /// Real numbers, of an attribute.
    Floats(Vec<f64>),
}

impl Tensor<'_> {
    /// The number of elements.
    pub fn count(&self) -> usize {
        self.shape.iter().product()
    }
}
