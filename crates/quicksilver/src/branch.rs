//! One of several clauses, at the price of the largest: a **tape** of commitments that every clause is run
//! over. Yang, Heath, Hazay, Kolesnikov and Venkitasubramaniam, CCS 2023 (eprint 2023/1257), with another end:
//! the clauses' polynomials are joined by their product.
//!
//! Relation kept on every slot of the tape, as on every wire: **k = m + w·Δ**. A clause's *slots* are the
//! values that a prover of it alone commits to, in their order: witness, hints, products, and values of
//! polynomials. n is the most that a clause has, D the highest degree of their polynomials, two at least.
//!
//! A claim may be made **many times** over the same clauses, R, each with a clause and a tape of its own.
//!
//! | | from | message | bytes |
//! |---|---|---|---|
//! | 1 | prover | n commitments for each claim as in [`super`]: the slots of the clause that holds, with zeros behind them | as those |
//! | | | the batch ends; what is left of its block stays unused | |
//! | 2 | verifier | a seed, where E is short; else the transcript's | 16; 0 |
//! | 4 | prover | commitments to w_1, w_2, …, one for each group of clauses but the last, for each claim | r each |
//! | | | 1 to 4 for the claims that are left, where there are more than tapes are held at once | |
//! | | prover | U_0, …, U_{d-1} in the place of U and V, with d = G·D, and one more where there are w_k | d·b' |
//!
//! 1. The prover evaluates its clause in the clear before the first message, and commits to the tape.
//! 2. χ comes after all of the tape: a coefficient for each product, and each assertion or value of a
//!    polynomial, of a clause, the same ones for all clauses.
//! 3. Both run **every** clause over the tape, whose next slot is what it commits to: a product owes a·b − c,
//!    an assertion its wire, a commitment the polynomial minus its slot. p_i = Σ χ·owed, at degree D. The prover
//!    has the coefficients, the verifier p_i(Δ). The highest coefficient of the clause that holds is zero; the
//!    others are run on what means nothing to them.
//! 4. The product of all highest coefficients is zero: for each group of G clauses the product of their
//!    polynomials with w_{k-1} has w_k as its highest coefficient, which is committed to as an element of E
//!    packed from r shares, and the last one has none. These polynomials join the check of [`super`] as any
//!    other: with coefficients drawn after the w_k; where there is but one group, with one from the seed of 2
//!    for each claim.
//!
//! G follows from the number of clauses and D alone (`group`): it is about √B/2, for which masks of higher
//! degree and further w_k cost least together.
//!
//! **Deviations.** Robin commits to inputs and both operands of each product, and shows which clause it is by
//! the MACs of a vector. LogRobin's path of log B bits is shorter only for very many clauses of few gates.
//! Products of matrices are checked entry by entry: random vectors would have to be drawn in each clause.
//!
//! **Soundness**: where no clause holds for the tape, each p_i is wrong, and its highest coefficient is zero
//! with probability 1/|E|: **B/|E|** together, and **R·B/|E|** for R claims: which share χ, since each is wrong
//! by itself, and not the coefficients by which they are joined. Otherwise one of the groups' polynomials is
//! wrong, whose degree is d: (d + 1)·2^-127 over F_2 with MACs of 128 bits, elsewhere d + 2 guesses at Δ, and
//! what cancels. Both are counted in [`super::security`] and [`super::arithmetic::security`]. A clause asserts
//! something, or is refused.
//!
//! **Zero knowledge**: nothing of any p_i is opened; w_k and the tape are committed to, and the sum is masked as
//! ever. Lengths depend on n, B and D alone, and all clauses are run, whichever holds. But the time of step 1
//! is that of one clause, or of one for each claim: it lies before the first message, and where the verifier could
//! measure it, all clauses are to be evaluated ([`Options::fixed_work`](volery_proof::Options::fixed_work)).
//!
//! **Abort**: as in [`super`]. A prover whose witness fails closes before the first message.
//!
//! **Memory**: a wire for each slot of the largest clause, on both sides, and D elements, or one, for each
//! clause; of many claims that of as many as have 2^20 slots together, as many coefficients of groups, and 2^24
//! gates to be run, or of one. **Work**: a commitment for each slot, and for each product of each clause the gates around it and
//! its place in the check, by all threads: clauses do not wait for each other.

mod join;
mod replay;
#[cfg(test)]
mod tests;

pub(super) use join::{Factors, Keyed};
pub use replay::{KeyReplay, Replay, Replayed};

use super::degree_of_check;
use core::ops::Range;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;
use volery_channel::error::{Error, Result};
use volery_circuit::{HIGHEST_DEGREE, Shape, Size};
use volery_primitives::prg::Seed;
use volery_primitives::{Arch, Extension, F2, F128, Field};
use volery_vole::macs::Macs;

/// Runs of clauses between two reports of progress, after which threads join: as many as have [`GATES`]
/// gates, but at least so many, and at most [`MOST`].
const FEWEST: usize = 64;
const GATES: u64 = 1 << 16;
const MOST: usize = 1 << 12;

/// The most values held for the claims of one challenge, where there are several claims: slots, or results of
/// groups.
const HELD: usize = 1 << 20;
/// Gates that are run over their tapes without a message from either party.
const SILENT: u64 = 1 << 24;

/// The label of a challenge to the tape.
pub(super) const TAPE: &str = "quicksilver clauses";

/// The public plan of clauses that are run over a tape.
pub struct Plan<'s> {
    /// The gates of each clause.
    pub(super) shapes: &'s [Shape],
    /// n, the slots of a tape.
    pub(super) slots: usize,
    /// D, the highest degree of a clause.
    pub(super) degree: usize,
    /// G, the clauses of a group.
    pub(super) group: usize,
    /// Threads that run clauses.
    pub(super) threads: usize,
    /// R, the number of claims.
    pub(super) claims: usize,
    /// The claims of one challenge.
    pub(super) held: usize,
}

impl<'s> Plan<'s> {
    /// The plan for clauses of these shapes.
    ///
    /// # Errors
    /// `Invalid` where there are none.
    pub fn new(shapes: &'s [Shape], threads: usize) -> Result<Self> {
        let slots = shapes.iter().map(|shape| shape.size().commitments).max();
        let slots = slots.ok_or_else(|| Error::invalid("no clauses, of which none can hold"))? as usize;
        let degree = degree_of_check(shapes.iter().map(|shape| shape.degree).max().unwrap_or(0));
        Ok(Self { shapes, slots, degree, group: group(shapes.len(), degree), threads, claims: 1, held: 1 })
    }

    /// The plan for `claims` claims.
    ///
    /// # Errors
    /// `Invalid` where there is none, or more are committed to than are ever counted.
    pub fn of_claims(self, claims: usize) -> Result<Self> {
        let joined = joined(self.shapes.len(), self.degree, self.group) + 1;
        let of_one = self.slots.max(self.groups() * joined).max(self.shapes.len());
        if claims == 0 || claims.checked_mul(of_one).is_none_or(|all| all > 1 << 48) {
            return Err(Error::invalid(format!(
                "{claims} claims: make one at least, and fewer than that together"
            )));
        }
        let gates: u64 = self.shapes.iter().map(|shape| shape.size().commitments).sum();
        let held = (HELD / of_one.max(1)).min((SILENT / gates.max(1)) as usize);
        Ok(Self { claims, held: held.clamp(1, claims), ..self })
    }

    /// Runs of clauses that are done before progress is told.
    pub(super) fn window(&self) -> usize {
        let gates: u64 = self.shapes.iter().map(|shape| shape.mul).sum();
        let runs = GATES * self.shapes.len() as u64 / gates.max(1);
        (runs.min(MOST as u64) as usize).max(FEWEST)
    }

    /// The slots of a tape.
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// The sizes on which the proof's soundness and its messages depend, where MACs are in `E`.
    pub fn size<B: Field, E: Extension<B>>(&self) -> Size {
        let (groups, claims) = (self.groups() as u64, self.claims as u64);
        let late = claims * (groups - 1) * u64::from(E::degree());
        let commitments = claims * self.slots as u64 + late;
        Size {
            commitments,
            inputs: commitments,
            polynomials: claims * groups,
            degree: joined(self.shapes.len(), self.degree, self.group) as u64,
            clauses: claims * self.shapes.len() as u64,
            late,
            // The first challenge is counted with the clauses.
            epochs: self.claims.div_ceil(self.held) as u64 - 1,
            ..Size::default()
        }
    }

    /// The groups of a claim.
    pub(super) fn groups(&self) -> usize {
        self.shapes.len().div_ceil(self.group)
    }

    /// The sizes under such MACs.
    pub fn size_over<M: Macs>(&self) -> Size {
        self.size::<M::F, M::E>()
    }

    /// The multiplications of the runs `range`: of each claim's clauses, the first claim's first.
    pub(super) fn products(&self, range: Range<usize>) -> u64 {
        range.map(|run| self.shapes[run % self.shapes.len()].mul).sum()
    }

    /// Runs `work` for each number of `range`, on all threads, and gives the results in order.
    pub(super) fn each<T: Send>(
        &self,
        range: Range<usize>,
        work: &(dyn Fn(&Queue<T>) -> Result<()> + Sync),
    ) -> Result<Vec<T>> {
        let threads = self.threads.min(range.len()).max(1);
        let queue = Queue::new(range);
        by_threads(threads, &|| work(&queue))?;
        let made = queue.made.into_inner().expect("no thread panicked");
        Ok(made.into_iter().map(|made| made.expect("all were taken")).collect())
    }
}

/// The numbers of runs that are still to be done, and the results of the others.
pub(super) struct Queue<T> {
    range: Range<usize>,
    next: AtomicUsize,
    made: Mutex<Vec<Option<T>>>,
}

impl<T> Queue<T> {
    fn new(range: Range<usize>) -> Self {
        let made = Mutex::new(range.clone().map(|_| None).collect());
        Self { next: AtomicUsize::new(range.start), range, made }
    }

    /// The next run, which is this thread's.
    pub(super) fn take(&self) -> Option<usize> {
        let run = self.next.fetch_add(1, Ordering::Relaxed);
        (run < self.range.end).then_some(run)
    }

    /// Stores the result of a run.
    pub(super) fn put(&self, run: usize, made: T) {
        let mut all = self.made.lock().expect("no thread panicked");
        all[run - self.range.start] = Some(made);
    }
}

/// Calls `work` on `threads` threads. It is not generic, so that it is compiled once.
fn by_threads(threads: usize, work: &(dyn Fn() -> Result<()> + Sync)) -> Result<()> {
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let mut ended = work();
        for other in others {
            ended = ended.and(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        ended
    })
}

/// The sizes on which the soundness and the messages of a proof over F_2 depend, of one of clauses of these
/// shapes.
///
/// # Errors
/// `Invalid` where there are none.
pub fn size(shapes: &[Shape]) -> Result<Size> {
    Ok(Plan::new(shapes, 1)?.size::<F2, F128>())
}

/// G: how many clauses make a group, given their number and degree. A w_k costs the r shares of one line, and
/// a degree of the check the shares of two lines.
fn group(clauses: usize, degree: usize) -> usize {
    let lines = |group: &usize| clauses.div_ceil(*group) + 2 * joined(clauses, degree, *group);
    (1..=clauses.min(HIGHEST_DEGREE / degree).max(1)).min_by_key(lines).expect("one at least")
}

/// d: the degree of the polynomial of a group.
fn joined(clauses: usize, degree: usize, group: usize) -> usize {
    degree * group.min(clauses) + usize::from(clauses > group)
}

/// The seeds of coefficients for products and for all else, and the coefficients of the polynomials of claims
/// that have one group only.
pub(super) fn split<M: Macs>(arch: Arch, challenge: Seed, alone: usize) -> ([Seed; 2], Vec<M::E>) {
    let [products, others, last] = challenge.split();
    let mut only = vec![M::E::ZERO; alone];
    M::coefficients(arch, last)(&mut only);
    ([products, others], only)
}
