//! Polynomials in committed values: QuickSilver, CCS 2021, section 3.2 and figure 5, and
//! matrices by random vectors.
//!
//! A committed value is a line m + w·X, of which the verifier has the value at Δ, its key. A polynomial of
//! degree h in such values is then a polynomial p in X of degree h **with the value as its highest
//! coefficient**: the prover holds its coefficients ([`Vector`]), the verifier **p(Δ)** ([`Keys`]). Sums and
//! products are local. Where the degrees of two terms differ, the lower one is multiplied by a power of X, so
//! that both values stand at the same place (the paper's degree-separated form).
//!
//! | from | message | bytes | figure 5 |
//! |---|---|---|---|
//! | prover | with [`Polynomials::commit`](volery_circuit::Polynomials::commit), the value as any other | as those | 3 |
//! | verifier | seeds of a batch's coefficients, where E is short | as those of its gates | 5a |
//! | verifier | seed of the vectors of bilinear forms that wait, where E is short | 16 | |
//! | prover | U_0, …, U_{d-1} in the place of U and V | d·b' | 5b |
//!
//! That a polynomial is zero means that p has degree h - 1. It is checked together with the products of its
//! batch, which are such polynomials of degree two: with coefficients χ drawn after all commitments of the
//! batch, which is the one that is open when the polynomial is asserted. Sums run on for each degree h by
//! itself. At the end all are multiplied by X^{d-h}, where d is the highest degree, masked by one polynomial
//! of degree d - 1 (`vole/vope.rs`), and opened: the verifier compares with its own value at Δ (5c). So a
//! false value stands at X^d, out of reach of what is opened.
//!
//! A product of matrices A·B = C is checked at two random vectors: u·A and B·v have lines in E as committed values
//! have, and uᵀ·A·B·v - uᵀ·C·v is one polynomial of degree two (Freivalds). A convolution is, too: u weighs places
//! of the result, v its outputs, and what is left is the inner product of the linear forms that u makes of the first
//! factor by each channel and tap, and v of the second ([`Bilinear`](volery_circuit::Bilinear)). A second factor that
//! is public has forms that both parties know: the polynomial is that of constants, whose MACs are zero. Forms wait, with
//! copies of their wires, until they have 2^21 entries or the proof ends: then all commitments so far are sent, and
//! the vectors of all of them are drawn from one seed. The batch ends there, its rest stays unused; the sum of the
//! polynomials is added to those that are weighed, since each form has random vectors of its own.
//!
//! **Soundness**: at most d of the Δ make an opened polynomial of degree d - 1 equal to one of degree d. What
//! a wrong polynomial adds for a random χ cancels as what a wrong product adds; what wrong forms that
//! wait for one challenge add cancels with probability 2/|E|, as a polynomial of degree two in all u and v. The bounds stand in
//! [`super::security`] and [`super::arithmetic::security`].
//!
//! **Zero knowledge**: U_1, …, U_{d-1} are masked by coefficients that are uniform up to (d - 2)/|E|, for all
//! that a verifier may choose, and U_0 is then what its own keys determine.
//!
//! **Memory**: the prover keeps the coefficients of a batch's polynomials until its challenge is drawn; so a
//! batch with many ends early (`MOST`). Where challenges are coins, several batches wait ([`super::arithmetic`]).
//! Within a map that commits they do not, and are bounded by its commitments (`waves.rs`).
//!
//! **Maps of polynomials alone** ([`Vectorized`]) are computed by tasks, a part of the lanes in each. They belong to the
//! batch that is open when they are handed out: all their wires were committed to before. Coefficients go part by part,
//! in it vector by vector, and of that lane by lane: the verifier draws them as it hands out, and the prover once
//! the batch has its challenge, before which it waits for the tasks. So the lanes of a part are of the protocol. A
//! batch with many coefficients ends behind a part, with 2^15 more or those of a lane. In a proof file, whose
//! length is that of calls, and in a half of a proof each lane is called.
//!
//! What a vector leaves behind is the next one's of its size, and wiped where none takes it (`buffers`).

mod bilinear;
mod buffers;
mod prover;
mod vectors;
mod verifier;

pub(super) use bilinear::Forms;
pub(super) use buffers::{Buffers, Lent};
pub use prover::Vector;
pub(super) use prover::{Computed, Lower, Pending, Sums, VectorBuffers};
pub(crate) use vectors::{KeyVectors, TagVectors};
pub use verifier::Keys;
pub(super) use verifier::{KeySums, power};

use volery_circuit::Size;
use volery_circuit::accounting::CROWD;
#[cfg(doc)]
use volery_circuit::stream::Vectorized;

/// Coefficients of polynomials after which a batch ends.
pub(super) const MOST: usize = CROWD;

/// How many asserted products of wires are computed together.
pub(super) const TOGETHER: usize = 256;

/// The most batches that end early in a statement of this size.
pub fn early_ends(size: Size) -> u64 {
    let coefficients = size.polynomials.saturating_mul(degree_of_check(size.degree) as u64);
    size.matrices + size.epochs + u64::from(size.clauses > 0) + coefficients / MOST as u64
}

/// The degree of the check of a statement whose polynomials have `degree` or less: products have two.
pub fn degree_of_check(degree: u64) -> usize {
    (degree as usize).max(2)
}
