//! Parts of statements: elements of any field, and over F_2 bits, words, integers, arrays, byte strings, hash
//! functions, Merkle trees, ciphers and base64.
//!
//! ```
//! # use volery_gadgets::testing::volery;
//! use volery::circuit::gadget::{Bytes, sha256};
//! use volery::circuit::{Backend, Circuit};
//! use volery_primitives::F2;
//!
//! struct Preimage {
//!     digest: [u8; 32],
//! }
//!
//! impl<B: Backend<F = F2>> Circuit<B> for Preimage {
//!     fn run(&self, b: &mut B) -> volery::Result<()> {
//!         let message = Bytes::witness(b, 32)?;
//!         let digest = sha256(b, &message)?;
//!         digest.assert_equal(b, &self.digest, "digest")
//!     }
//! }
//! ```
//! Where a proof system pays for what it commits to, and not for polynomials in it
//! ([`Polynomials`](volery_circuit::Polynomials)), [`sha256_with_holes`], [`sha3_256_with_holes`] and
//! [`products_with_holes`] state the same as [`sha256`], [`sha3_256`] and [`Word::mul`] with a fraction of
//! the commitments.
//!
//! A gate with a public operand costs nothing: it folds into its other operand. Within a word the
//! least significant bit comes first, and within a string the first byte; a witness is read in that
//! order ([`bits_of`]).
//!
//! Over other fields an [`Element`] takes the place of the bit:
//!
//! ```
//! # use volery_gadgets::testing::volery;
//! use volery::circuit::gadget::Element;
//! use volery::circuit::{Backend, Circuit};
//!
//! /// "I know two numbers of 20 bits, and this is the sum of their squares."
//! struct Squares<F> {
//!     sum: F,
//! }
//!
//! impl<B: Backend> Circuit<B> for Squares<B::F> {
//!     fn run(&self, b: &mut B) -> volery::Result<()> {
//!         let mut sum = Element::ZERO;
//!         for name in ["x", "y"] {
//!             let x = Element::witness(b)?;
//!             x.assert_range(b, 20, format_args!("{name} below 2^20"))?;
//!             let square = x.square(b)?;
//!             sum = sum.add(b, square);
//!         }
//!         sum.assert_equal(b, Element::Public(self.sum), "sum")
//!     }
//! }
//! ```
//! [`Poseidon`] hashes them, an [`Ajtai`] commits to short ones, and [`Edwards`] has points of curves as coordinates.
//! A [`Fixed`] says how numbers of a fixed point are written, rounds and compares them.

mod adder;
mod aes;
mod ajtai;
mod array;
mod base64;
mod bit;
mod bytes;
mod chacha20;
mod edwards;
mod element;
mod fixed;
mod function;
mod hash;
mod hkdf;
mod hmac;
mod keccak;
mod merkle;
#[cfg(test)]
mod mixed;
mod modular;
mod poseidon;
mod product;
mod sha1;
mod sha256;
mod signed;
mod word;
#[cfg(test)]
mod wycheproof;

pub use aes::{Aes128, Ctr, Gcm, SubBytes};
pub use ajtai::Ajtai;
pub use array::{Array, Store};
pub use base64::{base64_decode, base64_encode};
pub use bit::Bit;
pub use bytes::{Bytes, bits_of};
pub use chacha20::ChaCha20;
pub use edwards::{Edwards, EdwardsPoint};
pub use element::Element;
pub use fixed::Fixed;
pub use function::function;
pub(crate) use function::{function_of_words, function_on_words_of_each};
pub use hash::Hash;
pub use hkdf::Hkdf;
pub use hmac::{Hmac, hmac, prf};
pub use keccak::{Keccak, Keccak256, Permutation, Sha3_256, Sponge, sha3_256, sha3_256_with_holes};
pub use merkle::{TREE_LANES, merkle_path, merkle_root, sha256_node, sha256_tree, sha256_tree_in_lanes};
pub use modular::Modulus;
pub use poseidon::Poseidon;
pub use product::products_with_holes;
pub use sha1::{Sha1, Sha1Compression, sha1};
pub use sha256::{Compression, Gates, Holes, Sha256, sha256, sha256_of_elements, sha256_with_holes};
pub use signed::Signed;
pub use word::Word;
