//! Every field by its laws, and every kernel of it by its formula, on all instruction sets. What needs a private
//! item of `volery-primitives` is tested there, beside it.

mod binary;
mod fields;
mod laws;
mod mac;
