//! JKO: zero knowledge from one garbled circuit. Jawurek, Kerschbaum and Orlandi, CCS 2013, with garbling
//! without privacy ([`privacy_free`](crate::garble::privacy_free)) after Frederiksen, Nielsen and
//! Orlandi, EUROCRYPT 2015.
//!
//! The verifier garbles the statement, the prover gets labels of its inputs by oblivious transfer, evaluates,
//! and holds in the end a string that only a satisfying input leads to. Before it shows that string, the
//! verifier opens all it did, and the prover garbles the circuit once more: a verifier that garbled anything
//! else learns nothing.
//!
//! | | from | message | bytes |
//! |---|---|---|---|
//! | 1, 2 | both | [`committing`] transfers of n inputs, witness and hints: base transfers, trees, U, check, choices | as there |
//! | 3 | verifier | the salt of gates and labels | 16 |
//! | 3 | verifier | the pairs (W_j^0, W_j^0 ⊕ Δ) of all inputs, encrypted for the transfers | 32·n |
//! | 3 | verifier | the material: one block for each of A ANDs, in pieces | 16·A |
//! | 4 | prover | commitment to the output Y | 32 |
//! | 5 | verifier | secret S; Δ and K of the transfers | 80 |
//! | 6 | prover | Y and the nonce of its commitment, if all of 3 follows from S | 48 |
//! | | prover | digest of all bytes ([`volery_proof::verdict`]) | 32 |
//! | | verifier | verdict, digest of all bytes | 33 |
//!
//! All that the verifier sends in 3 is a function of S and of the transfers, so that the prover checks it
//! all: the salt, **both** labels of every input exactly as they were encrypted (with Δ, which K ties to the
//! base transfers), every ciphertext of the material by its digest, and its own Y.
//!
//! **Memory**: nobody holds the circuit or its material. The prover's choices are witness and hints, which it
//! learns by evaluating the statement in the clear beforehand; it holds 34 bytes for each and 32 more while
//! it checks, and the verifier 48.
//!
//! **Soundness**: the choices are fixed in 2, before the first byte of material is sent, so that soundness of
//! the garbling need not be adaptive; who answers without a satisfying input has found the label of a value
//! that the circuit did not come to, which breaks the hash of the gates, or guessed 128 bits. To this adds
//! the error of the transfers' check ([`security`](crate::garble::exchange::security)). The answer is
//! committed to before S is opened.
//!
//! **Zero knowledge**: the choices are hidden by the transfers. Until 5 the prover goes on in one
//! way whatever labels and ciphertexts it got; it commits to what came out. After 5 it answers only
//! where the verifier knew the answer, since it follows from S, or closes the link, for whatever
//! reason in the same way.
//!
//! **An abort** of the prover tells the verifier that it was found out; and of a prover that leaves after 5
//! the verifier says that it was rejected, since by then it knows whether its answer would be right. One of
//! the verifier tells a prover nothing about S: it has none of it before 5, and everything after.
//!
//! **Time**: the prover's delay before 4 and 6 depends on the circuit alone, not on the inputs. Each of the
//! two is that of one walk over the circuit, during which the verifier hears nothing.
//!
//! **Deviations**: the transfers' extension is SoftSpoken's ([`committing`]); many outputs take a digest of
//! their labels instead of a tree of ANDs. S and Δ are spent by one proof; each makes its own base transfers.
//!
//! [`committing`]: volery_vole::ot::committing

mod prover;
mod verifier;

pub use prover::Prover;
pub use verifier::Verifier;

use crate::garble::labels::Labels;
use crate::garble::privacy_free::MOST_GATES;
use crate::garble::{self, Key, Session};
use core::sync::atomic::AtomicU64;
use volery_channel::channel::{Carried, Channel};
use volery_channel::error::{Error, Result};
use volery_circuit::{Shape, nothing_asserted};
use volery_primitives::F128;
use volery_primitives::arch::Arch;
use volery_primitives::hash::Construction;
use volery_proof::verdict::{Gates, VERDICT};
use zeroize::Zeroizing;

/// Public terms of a proof, known to both parties before it begins.
#[derive(Clone, Copy)]
pub struct Terms<'a> {
    /// The instruction set of the kernels.
    pub arch: Arch,
    /// The hash of the gates.
    pub construction: Construction,
    /// The gates of the circuit.
    pub shape: &'a Shape,
    /// A counter of the ANDs that are garbled or evaluated, for those who watch.
    pub progress: Option<&'a AtomicU64>,
}

impl Terms<'_> {
    /// n, the inputs. There is a transfer for each.
    fn inputs(&self) -> usize {
        self.shape.inputs_by_gates() as usize
    }

    fn session(&self, channel: &mut Channel) -> Session {
        Session { sid: channel.checkpoint("jko"), arch: self.arch, construction: self.construction }
    }

    /// Refuses what cannot be garbled.
    ///
    /// # Errors
    /// `Invalid` where the circuit asserts nothing, or has more than 2^40 ANDs.
    pub fn check(&self) -> Result<()> {
        if self.shape.mul_by_gates() > MOST_GATES {
            return Err(Error::invalid("the statement has more than 2^40 multiplications: divide it"));
        }
        if self.shape.assert == 0 {
            return Err(nothing_asserted());
        }
        Ok(())
    }

    /// The gates, as both parties report them.
    pub fn gates(&self) -> Gates {
        Gates::by_gates(self.shape)
    }
}

/// Bytes of a proof of a statement with these gates: up to its first gate, and from there on.
pub fn traffic(shape: &Shape) -> [Carried; 2] {
    let [set_up, garbled] = garble::traffic(shape.inputs_by_gates(), shape.mul_by_gates());
    [set_up, garbled + VERDICT]
}

/// The pairs of labels of the first `count` inputs of the circuit with this seed.
fn pairs(key: &Key, seed: F128, count: usize) -> Zeroizing<Vec<[F128; 2]>> {
    let labels = Labels::new(key, seed);
    let delta = labels.delta();
    Zeroizing::new(labels.take(count).map(|label| [label, label ^ delta]).collect())
}

#[cfg(test)]
mod tests;
