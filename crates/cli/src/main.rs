//! The command line of volery.
fn main() {}
