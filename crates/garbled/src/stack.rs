//! Stacked garbling: zero knowledge of one of m clauses, with the traffic of the largest. Heath and
//! Kolesnikov, EUROCRYPT 2020 (eprint 2020/136), over JKO ([`jko`](super::jko), which is the case of
//! one clause, streamed).
//!
//! The verifier garbles every clause from a seed of its own and sends the **sum** of their materials. The
//! prover has the seeds of all clauses but its own, garbles those again, and takes them out of the sum: what
//! is left is its clause, which it evaluates. Which one that is, the verifier does not see, and the prover
//! cannot evaluate more than one.
//!
//! | | from | message | bytes |
//! |---|---|---|---|
//! | 1, 2 | both | [`committing`] transfers: of the seeds ([`seeds`]), then of n inputs, the most that a clause has | as there |
//! | 3 | verifier | the salt of gates and labels | 16 |
//! | 3 | verifier | the messages of the transfers, encrypted: those of the seeds; and for input j the pair (Σ_i W_{i,j}^0, Σ_i W_{i,j}^1) over the clauses that have it | 32·(seeds + n) |
//! | 3 | verifier | Σ_i material of clause i, shorter ones filled up with zeros: A blocks, the most ANDs that a clause has, in pieces | 16·A |
//! | 4 | prover | commitment to Y | 32 |
//! | 5 | verifier | secret S; Δ and K of the transfers | 80 |
//! | 6 | prover | Y and the nonce of its commitment, if all of 3 follows from S | 48 |
//! | | prover | digest of all bytes ([`volery_proof::verdict`]) | 32 |
//! | | verifier | verdict, digest of all bytes | 33 |
//!
//! Y is the sum of all clauses' outputs and of the key of retrieval ([`seeds`]). Each clause has an offset
//! Δ_i, labels and tweaks of its own. The prover's inputs are those of its clause with zeros behind them.
//!
//! **The prover**, whose clause is t, holds one buffer of A blocks: it adds the materials of the others as
//! it garbles them, then the sum that it receives, and evaluates clause t from the beginning of it. After
//! 5 it garbles clause t onto the buffer too. That all of it is zero then, and both messages of all
//! transfers are those that follow from S, shows that the whole sum is right: what it garbled itself
//! before, it garbled from seeds that it compares now. So it garbles each clause once and evaluates one,
//! less than without a stack.
//!
//! **Soundness**: give a prover all seeds but one. All but this clause's part of the sum it can then compute,
//! and Y needs its output: so that it must have an input which satisfies it, or break the garbling
//! ([`jko`](super::jko)). A prover that takes all seeds lacks the key of retrieval; one that takes the proof
//! of retrieval several times lacks more than one output, and cannot even take the materials of these clauses
//! apart. Inputs and choice are fixed in 2, before any material is sent. In numbers it is that of JKO.
//!
//! **Zero knowledge** is that of JKO, and t is among the choices. What the prover does before 4 must not
//! depend on what it decrypts, so that it looks at the ends of shorter clauses only after 5. It may take
//! longer for one clause than for another: where the verifier could measure that, [`Terms::fixed_work`] makes
//! the prover garble all clauses before 4 and again before 6, and evaluate all of them, whatever t is (and in
//! the clear before the first byte); it takes more than twice as long.
//!
//! **Deviations**: seeds as leaves of a punctured tree, by default; a digest of labels for many outputs; and
//! the transfers of [`committing`].
//!
//! [`committing`]: volery_vole::ot::committing
//! [`seeds`]: crate::garble::seeds

mod garbling;
mod prover;
mod verifier;

pub use prover::Prover;
pub use verifier::Verifier;

use crate::garble::privacy_free::MOST_GATES;
use crate::garble::seeds::Seeds;
use crate::garble::{self, Session};
use core::sync::atomic::AtomicU64;
use volery_channel::channel::{Carried, Channel};
use volery_channel::error::{Error, Result};
use volery_circuit::{Shape, nothing_asserted};
use volery_primitives::arch::Arch;
use volery_primitives::hash::Construction;
use volery_proof::verdict::{Gates, VERDICT};

/// The most clauses of a stack: their numbers stand in the tweaks of gates.
pub const MOST_CLAUSES: usize = 1 << 20;

/// Public terms of a proof, known to both parties before it begins, and settings of this party alone.
#[derive(Clone, Copy)]
pub struct Terms<'a> {
    /// The instruction set of the kernels.
    pub arch: Arch,
    /// The hash of the gates.
    pub construction: Construction,
    /// How seeds are transferred.
    pub seeds: Seeds,
    /// The gates of each clause.
    pub shapes: &'a [Shape],
    /// Threads that garble clauses.
    pub threads: usize,
    /// Whether the prover works as much for any clause, so that its time does not tell which holds.
    pub fixed_work: bool,
    /// A counter of the ANDs that are garbled, for those who watch.
    pub progress: Option<&'a AtomicU64>,
}

impl Terms<'_> {
    fn session(&self, channel: &mut Channel) -> Session {
        Session { sid: channel.checkpoint("stack"), arch: self.arch, construction: self.construction }
    }

    /// m, the number of clauses.
    fn clauses(&self) -> usize {
        self.shapes.len()
    }

    /// n: the most inputs of a clause.
    fn inputs(&self) -> usize {
        self.shapes.iter().map(Shape::inputs_by_gates).max().unwrap_or(0) as usize
    }

    /// A: the most ANDs of a clause, for which there is material.
    fn material(&self) -> usize {
        self.shapes.iter().map(Shape::mul_by_gates).max().unwrap_or(0) as usize
    }

    /// The gates of all clauses, as both parties report them.
    pub fn gates(&self) -> Gates {
        let all = self.shapes.iter().map(Gates::by_gates);
        all.fold(Gates::default(), |sum, one| Gates {
            inputs: sum.inputs + one.inputs,
            mul: sum.mul + one.mul,
            add: sum.add + one.add,
            assert: sum.assert + one.assert,
            ..sum
        })
    }

    /// Refuses what cannot be stacked.
    ///
    /// # Errors
    /// `Invalid` where there are no clauses or too many, one asserts nothing, or one is too large.
    pub fn check(&self) -> Result<()> {
        if self.clauses() == 0 || self.clauses() > MOST_CLAUSES {
            let count = self.clauses();
            return Err(Error::invalid(format!(
                "a stack of {count} clauses: choose from 1 to {MOST_CLAUSES}"
            )));
        }
        if self.shapes.iter().any(|shape| shape.mul_by_gates() > MOST_GATES) {
            return Err(Error::invalid("a clause has more than 2^40 multiplications: divide it"));
        }
        if self.shapes.iter().any(|shape| shape.assert == 0) {
            return Err(nothing_asserted());
        }
        Ok(())
    }
}

/// Bytes of a proof of one of such clauses: up to its first gate, and from there on.
pub fn traffic(shapes: &[Shape], seeds: Seeds) -> [Carried; 2] {
    let most = |of: fn(&Shape) -> u64| shapes.iter().map(of).max().unwrap_or(0);
    let transfers = seeds.transfers(shapes.len()) as u64 + most(Shape::inputs_by_gates);
    let [set_up, garbled] = garble::traffic(transfers, most(Shape::mul_by_gates));
    [set_up, garbled + VERDICT]
}

#[cfg(test)]
mod tests;
