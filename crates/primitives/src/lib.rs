//! Arithmetic, fixed permutations and the kernels that make them fast.
//!
//! This is the only crate of volery that may say `unsafe`, and only under [`arch`]. Nothing here knows
//! a peer, a circuit or a protocol: slices go in, slices come out. Each kernel has one safe signature,
//! a portable twin that is also its specification, and one function per instruction set, chosen once
//! per batch by [`Arch`].
#![deny(unsafe_code)]

pub mod aes;
pub mod arch;
pub mod bits;
pub mod check;
pub mod field;
pub mod hash;
pub mod integer;
pub mod lanes;
pub mod mac;
pub mod prg;
pub mod secret;

pub use arch::{Arch, has_tls_instructions};
pub use check::CheckField;
pub use field::{
    Bls12381, Bn254, ChoiceError, Extension, F2, F48, F61, F61x2, F64, F96, F128, F160, F256, F65537,
    F65537x4, Field, Goldilocks, Goldilocksx2, MOST_WORDS, Q32, Q32x2, RuntimeExtension, RuntimePrime,
    RuntimePrime256,
};
pub use integer::U256;
pub use lanes::Lanes;
pub use mac::{MacField, Tag, Tagged};
pub use secret::SecretVec;
