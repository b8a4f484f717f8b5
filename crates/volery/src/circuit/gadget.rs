//! Bits, words and byte strings over any backend that speaks F_2, and SHA-256 on top of them.
//!
//! ```
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
//! A gate with a public operand costs nothing: it folds into its other operand. Within a word the least significant
//! bit comes first, and within a string the first byte; a witness is read in that order ([`bits_of`]).

mod bit;
mod bytes;
mod sha256;
mod word;

pub use bit::Bit;
pub use bytes::{Bytes, bits_of};
pub use sha256::{Sha256, sha256};
pub use word::Word;
