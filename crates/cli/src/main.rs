//! The command line of volery.
#![forbid(unsafe_code)]

fn main() {}
