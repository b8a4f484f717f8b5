//! QuickSilver over F_2: Yang, Sarkar, Weng, Wang, CCS 2021 (eprint 2021/076), figure 4, online
//! phase non-interactive.
//!
//! Relation kept on every wire: **k = m + w·Δ** over F_{2^128}, where the prover holds the value w and its
//! MAC m, the verifier the key k and Δ ([`volery_vole::vole`]). All messages but the verdict, and those of the
//! VOLE, go from the prover to the verifier.
//!
//! | message | bytes | figure 4 |
//! |---|---|---|
//! | those of the VOLE's next block of n shares | its own | 2 |
//! | corrections: bit i is the committed value ⊕ the value of share i, zero where share i commits to nothing | n/8 | 4, 5 |
//! | those of the VOLE's check | its own | |
//! | U_0 = U, U_1 = V, …, U_{d-1}, digest of the MACs of all asserted wires | 16·d + 32 | 7b, 8; fig. 5, 5b |
//! | digest of all bytes ([`volery_proof::verdict`]) | 32 | |
//! | verdict and digest (from the verifier) | 33 | |
//!
//! A **batch** is one block of the VOLE, or some of them in a map (`waves`): the prover draws it, commits to
//! witness bits and products until it is used up, and sends its corrections. Only then both draw the batch's challenge from the transcript, so
//! that the coefficients χ_i, one independent AES output for each product, come after every value they
//! combine (7a; independent instead of powers, as the paper allows after Theorem 4.2). A challenge has more
//! bits than one coefficient, so that wrong values cannot be made for known ones ([`Seed`]). The sums run on
//! over all batches, masked once at the end by a VOPE correlation packed from 128 shares that commit to
//! nothing (3): U = Σχ·A₀ + A₀*, V = Σχ·A₁ + A₁*, and the verifier checks U + V·Δ = Σχ·B + B* (7c), with A₀ =
//! m_a·m_b, A₁ = w_a·m_b + w_b·m_a + m_c, B = k_a·k_b + k_c·Δ.
//!
//! A witness element is checked along with the products, as the product of itself and the public one: so a
//! share, its correction and its place in the check have one number, and a gate writes one slot.
//!
//! Products are polynomials of degree d = 2; those of higher degrees share the check ([`polynomial`]).
//!
//! An asserted wire carries zero, so that its key is its MAC: the digest of the MACs must be the
//! digest of the keys (8).
//!
//! **Soundness**: a false statement is accepted with probability at most (d + 1)·2^-127 + b·2^-128 plus the
//! error of the VOLE's check, for each transcript that the prover tries: at most d of the 2^127 keys Δ solve
//! the equation of a wrong polynomial of degree d, which is two for products, one guess of Δ forges an
//! asserted MAC, and in each of b batches wrong ones cancel with probability 2^-128: the prover, who sees
//! each challenge before the next, may go on until they do. Bilinear forms add 2·2^-128 a challenge.
//! [`security`] computes it. Offline the prover may try transcripts, each for a hash: that multiplies the
//! last two terms only.
//!
//! **Zero knowledge**: corrections are masked by the uniform values of shares used once, V by A₁*, and U is
//! then what the verifier's own keys determine; so is the digest. What a verifier could do to the VOLE is
//! argued there ([`volery_vole::ot::softspoken`], [`volery_vole::vole::extend`]). A prover whose witness fails an
//! assertion goes on to the end and then closes: where it failed does not show,
//! but for the time that finding its name takes.
//!
//! **Abort**: an error ends the proof for whoever meets it, even where a circuit swallows it. The checks of
//! products, assertions and correlations are told after the last message has arrived, or the link has ended, and
//! in one bit. The prover learns from it only whether its own cheating was lucky, and Δ ends with the session.
//! Corrections of shares that commit to nothing are refused at the end of their batch: whether there are any
//! depends on the prover alone.
//!
//! **Budget** in nanoseconds a gate, prover / verifier, each alone on a core of a shared and noisy Zen 3
//! machine (VAES-256, 512 KB of second-level cache; some 3.4 cycles to the nanosecond), against the recorded
//! messages of the other, from a sampling profile of the circuit of `bench boolean` with 2·10^7 gates, set-up
//! included:
//!
//! | stage | mid | softspoken4 |
//! |---|---|---|
//! | the circuit's places, and its gates: copies, xors, one slot for each product | 6.8 / 7.8 | 7.2 / 6.8 |
//! | encoding: indices, and 10 random reads of a 2.2 MB table | 17.6 / 19.1 | |
//! | trees: grown to be fixed and checked, and to be drawn | 5.2 / 4.1 | |
//! | expansion of leaves, transpose | | 6.9 / 6.5 |
//! | checks of correlations and of products: coefficients | 1.9 / 2.1 | 1.0 / 0.9 |
//! | check of correlations: sums | 1.6 / 1.2 | 1.2 / 1.3 |
//! | check of products: sums | 4.7 / 4.2 | 4.1 / 4.2 |
//! | corrections packed, or put on the keys | 0.5 / 0.6 | 1.2 / 0.3 |
//! | transcript | 1.2 / 1.1 | 2.5 / 2.0 |
//! | copies, the rest | 3.5 / 2.9 | 2.3 / 3.5 |
//! | in all | 43.0 / 43.1 | 26.4 / 25.5 |
//!
//! The reads are slower the more else uses the third-level cache: alone they are 12 at `mid`, and 27 and more
//! with the 8.5 MB table of `wan`.

#![forbid(unsafe_code)]

pub mod arithmetic;
pub mod branch;
pub mod conversion;
mod coordinates;
pub mod crossing;
mod failure;
mod memory;
pub mod polynomial;
mod prover;
pub mod session;
pub mod sharded;
mod slots;
mod traffic;
mod turns;
mod verifier;
pub mod voleith;
mod waves;

pub use polynomial::{Keys, Vector};

use crate::session::Analysed;
pub use polynomial::{degree_of_check, early_ends};
use volery_channel::channel::{Channel, Party};
use volery_channel::error::{Error, Result};
use volery_circuit::{Arguing, Shape, Size};
use volery_primitives::prg::Seed;
use volery_primitives::{Extension, F2, F128};
use volery_proof::verdict::Gates;
use volery_vole::macs::{BitMacs, Macs};
use volery_vole::vole::LEAST_BLOCK;

/// How both parties commit to values under such MACs, and run clauses over a tape of them.
pub trait Committed: prover::Commitments + verifier::Commitments + branch::Replayed + Analysed {}

impl<M: prover::Commitments + verifier::Commitments + branch::Replayed + Analysed> Committed for M {}

pub use verifier::Commitments as KeyCommitments;

/// A prover of the circuit that is pushed into it, over values under the MACs `M`.
pub type ProverUnder<'a, M> = prover::Prover<'a, M>;

/// A verifier of the circuit that is pushed into it, over keys of the MACs `M`.
pub type VerifierUnder<'a, M> = verifier::Verifier<'a, M>;

/// A prover of the circuit over F_2 that is pushed into it.
pub type Prover<'a> = prover::Prover<'a, BitMacs>;

/// A verifier of the circuit over F_2 that is pushed into it.
pub type Verifier<'a> = verifier::Verifier<'a, BitMacs>;

/// How many batches a statement has before blocks have their full length, its last batch included.
const FIRST_BATCHES: u64 = 6;

// A line that masks the check takes a share for each coordinate of the extension.
const _: () = assert!(<F128 as Extension<F2>>::DEGREE as usize <= LEAST_BLOCK);

/// The statistical security of a proof in bits, floored: −log2 of the soundness error for one transcript
/// of a statement of this size, over a VOLE whose check has `vole` bits, and which comes to blocks of
/// `block` shares after a few.
pub fn security(size: Size, block: usize, vole: f64) -> u32 {
    let keys = (degree_of_check(size.degree) + 1) as f64;
    let batches = FIRST_BATCHES + size.commitments / block as u64 + 2 * early_ends(size);
    let cancelling = (batches + 2 * size.matrices + size.clauses + size.tuples) as f64;
    let error = keys * (-127f64).exp2() + cancelling * (-128f64).exp2() + (-vole).exp2();
    (-error.log2()).floor() as u32
}

/// The sizes on which the soundness of a proof of a statement of this shape depends. A file's proof has
/// others, since it looks at memories cell by cell.
pub fn size<M: Macs>(shape: &Shape) -> Size {
    if !memory::is_argued::<M::F>() {
        return shape.size();
    }
    let degree = <M::E as Extension<M::F>>::degree().into();
    shape.size_with(Arguing { degree, challenges: memory::repetitions::<M::E>() })
}

/// The challenge to all that the prover has committed to so far: the seeds of coefficients for products,
/// and for polynomials.
fn challenge(channel: &mut Channel) -> [Seed; 2] {
    Seed::two_of_challenge(&channel.challenge(Party::Prover, "quicksilver batch"))
}

/// Coefficients that are drawn at a time: a tile of them and its triples stays in the first-level cache.
const TILE: usize = 256;

/// The labels of seeds that are drawn between two batches: the vectors of bilinear forms, an epoch's
/// coefficients.
const FORMS: &str = "quicksilver bilinear forms";
const EPOCH: &str = "quicksilver epoch";

/// One seed that nobody could foresee before the prover's latest commitment, where challenges are the
/// transcript's. Nothing may be committed to between this and the end of the batch.
fn single_challenge(channel: &mut Channel, what: &'static str) -> Seed {
    Seed::of_challenge(&channel.challenge(Party::Prover, what))
}

/// The result of one party at the end of a proof whose masks were drawn first.
struct Finished<S> {
    gates: Gates,
    /// The sums of the check: those of the prover with the mask, or of the verifier without.
    sums: S,
    /// The digest of asserted wires.
    asserted: [u8; 32],
}

/// Demands that the check has this degree.
fn expect_degree(degree: usize, gates: &Gates) -> Result<()> {
    match degree_of_check(gates.degree) {
        found if found == degree => Ok(()),
        found => Err(Error::invalid(format!(
            "the statement has polynomials of degree {found}, and of degree {degree} when it was counted: it must \
             push the same gates each time"
        ))),
    }
}

/// The error of a statement that commits to more values than it did when it was counted.
fn more_than_counted() -> Error {
    Error::invalid(
        "the statement commits to more values than when it was counted: it must push the same gates each time",
    )
}

/// The label of the digest of asserted wires.
const ASSERTED: &str = "volery quicksilver v1, asserted wires";

#[cfg(test)]
mod tests;
