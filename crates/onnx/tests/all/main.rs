//! Networks as files have them: integers of the numpy reference, every operator by hand, errors by name, hostile bytes, weights apart.

mod committed;
mod fixtures;
mod hostile;
mod operators;
mod refused;
mod split;
mod statement;
mod wide;
mod writer;
