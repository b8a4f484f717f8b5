//! Statements by name and from files, with their values.
//!
//! A [`Relation`] is a program over F_2, built in or read from a file; a [`FieldRelation`] one over another field;
//! and a [`Statement`] either of them with its public values. This crate promises nothing to others: use `volery`.
#![forbid(unsafe_code)]

mod generated;
mod statement;

pub use generated::{Arithmetic, Network, Parts, Reversible, Turned};
pub use statement::snippets;
pub use statement::{
    AnyOf, FieldRelation, Format, Given, Part, Program, Relation, Split, SplitStatement, Statement, field_of,
};
pub use statement::{OfTwo, StatedOfTwo};
