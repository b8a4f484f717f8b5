//! Garbling without privacy: half gates of one ciphertext (Zahur, Rosulek and Evans, EUROCRYPT 2015, after
//! Frederiksen, Nielsen and Orlandi, EUROCRYPT 2015) over a tweakable circular correlation robust hash.
//!
//! Relation kept on every wire: the garbler holds the label **W^0** of zero, the label of one is W^0 ⊕ Δ, and
//! the evaluator holds the value v with its label **L = W^0 ⊕ v·Δ**. The evaluator knows all values: the
//! circuit hides nothing from it, and binds it to them.
//!
//! | gate | garbler | evaluator |
//! |---|---|---|
//! | input j | W_j^0, the j-th of [`Labels`](super::labels::Labels) | L_j and its bit, both from outside |
//! | constant v | W^0 = v·Δ | L = 0 |
//! | a ⊕ b | W_a^0 ⊕ W_b^0 | L_a ⊕ L_b |
//! | AND number g | h₀ = H(W_a^0, t), h₁ = H(W_a^0 ⊕ Δ, t); the ciphertext is h₀ ⊕ h₁ ⊕ W_b^0, and W^0 = h₀ | L = H(L_a, t) ⊕ v_a·(ciphertext ⊕ L_b) |
//! | assertion that a is zero | digests W_a^0 | digests L_a |
//!
//! The tweak t is i·2^40 + g for circuit number i of a stack: it is never used twice under a salt. Values
//! stand beside the labels, not in their low bits, so that no bit of a label is spent and wrong labels cannot
//! steer the evaluator, who selects by a mask.
//!
//! The **output** is one string of 128 bits however many wires are asserted: the digest of their labels, all
//! of zero. To make it the evaluator needs W_a^0 for each asserted wire; where one carries a one it has
//! W_a^0 ⊕ Δ, and not Δ. (Stacked garbling: instead of a tree of ANDs.)
//!
//! Hashes are a [`Construction`]: MITCCRH under a salt that the garbler draws afresh for each proof, which is
//! told before the material and cannot be computed for beforehand; or TMMO under the same salt.

mod evaluator;
mod garbler;
mod maps;
#[cfg(test)]
mod tests;

pub use evaluator::{Active, Evaluator, Inputs};
pub use garbler::{Complete, Garbler};

use volery_primitives::F128;
use volery_primitives::hash::Construction;
use zeroize::Zeroize;

/// The most ANDs of one circuit: the tweak of the next circuit comes after.
pub const MOST_GATES: u64 = 1 << 40;

/// The computational security of so many gates under one salt, in bits: −log2 of what each evaluation of AES
/// that an attacker makes is worth to it. After the bounds of Guo, Katz, Wang and Yu (S&P 2020; with Weng,
/// CRYPTO 2020), up to their constants, for which two bits are taken off: under MITCCRH each key is used for
/// one gate; under TMMO all gates share one, and each more of them helps.
pub fn security(construction: Construction, gates: u64) -> f64 {
    match construction {
        Construction::MultiInstance => 126.0,
        Construction::Tweakable => 126.0 - (gates.max(1) as f64).log2(),
    }
}

/// The running digest of the labels of asserted wires.
struct Output(blake3::Hasher);

impl Output {
    /// The digest of no label yet, for circuit number `clause`.
    fn new(clause: usize) -> Self {
        let mut hasher = blake3::Hasher::new_derive_key("volery garbling v1, output");
        hasher.update(&(clause as u64).to_le_bytes());
        Self(hasher)
    }

    fn assert(&mut self, label: F128) {
        self.0.update(&label.to_bytes());
    }

    fn finish(&self) -> F128 {
        let mut label = [0; 16];
        self.0.finalize_xof().fill(&mut label);
        F128::from_bytes(label)
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}
