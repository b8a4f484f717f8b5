//! Functions on many lanes at a time: see [`crate::waves`].

mod bits;
mod elements;
