//! Honest provers of every number of clauses; tapes and joints that are altered; what lengths depend on.

mod claims;
mod fields;
mod small;

use super::*;
use crate::{Prover, Verifier, security};
use core::sync::atomic::AtomicU64;
use std::time::Duration;
use volery_channel::channel::{Channel, Flip, Party, Recording, Tape, pipe, side_by_side};
use volery_channel::error::{Error, Rejection};
use volery_channel::random::Random;
use volery_circuit::{
    Alternatives, Backend, Branch, Circuit, Clause, Clauses, Clear, Entries, Matrix, Polynomials,
    clauses as of_clauses,
};
use volery_proof::verdict::{Accepted, Gates};
use volery_vole::macs::BitMacs;
use volery_vole::vole::{Delta, ideal};

/// Shares in a block of the ideal dealer.
const BLOCK: usize = 192;

/// Clauses of so many bits each: that of number i holds for ones behind the bits of i.
struct Several(Vec<Kind>);

#[derive(Clone, Copy)]
struct Kind {
    bits: usize,
    /// The degree of a polynomial that is committed to and asserted, and whether there is a matrix product.
    degree: usize,
    matrix: bool,
}

const fn plain(bits: usize) -> Kind {
    Kind { bits, degree: 0, matrix: false }
}

impl Several {
    /// Clauses of different lengths, so many.
    fn of(count: usize) -> Self {
        Self((0..count).map(|i| plain(3 + 7 * i % 20)).collect())
    }

    fn number(&self) -> usize {
        self.0.len().next_power_of_two().ilog2() as usize
    }

    fn witness(&self, clause: usize) -> Vec<F2> {
        let number = (0..self.number()).map(|bit| F2::from(clause >> bit & 1 == 1));
        number.chain(core::iter::repeat_n(F2::ONE, self.0[clause].bits)).collect()
    }

    /// The tape of a clause, with zeros to the length of the longest.
    fn tape(&self, clause: usize, shapes: &[Shape]) -> Vec<F2> {
        let count = shapes[clause].size().commitments as usize;
        let all = shapes.iter().map(|shape| shape.size().commitments).max().unwrap() as usize;
        let tape = Clear::commitments(&Clause::new(self, clause), self.witness(clause), count).unwrap();
        assert_eq!(tape.len(), count);
        tape.iter().copied().chain(core::iter::repeat_n(F2::ZERO, all - count)).collect()
    }
}

impl Alternatives for Several {
    fn count(&self) -> usize {
        self.0.len()
    }
}

impl<B: Polynomials<F = F2>> Clauses<B> for Several {
    fn run(&self, clause: usize, b: &mut Branch<'_, B>) -> Result<()> {
        let Kind { bits, degree, matrix } = self.0[clause];
        let one = b.constant(F2::ONE);
        for bit in 0..self.number() {
            let (read, expected) = (b.witness()?, b.constant(F2::from(clause >> bit & 1 == 1)));
            let difference = b.add(read, expected);
            b.assert_zero(difference, "the number")?;
        }
        let mut all = one;
        let mut read = Vec::new();
        for _ in 0..bits {
            let bit = b.witness()?;
            let copy = b.hint(&[bit], |bit| bit[0])?;
            let zero = b.add(bit, copy);
            b.assert_zero(zero, "copy")?;
            all = b.mul(all, copy)?;
            read.push(copy);
        }
        let zero = b.linear(&[F2::ONE, F2::ONE], &[all, one]);
        b.assert_zero(zero, "product")?;
        if degree > 0 {
            let x = b.vector(&read);
            let mut power = x.clone();
            for _ in 1..degree {
                power = b.product(&power, &x)?;
            }
            let committed = b.commit(&power)?;
            let ones = b.public(&[F2::ONE]);
            let difference = b.sum(&power, &ones);
            b.assert_zeroes(difference, "power")?;
            let zero = b.add(committed[0], one);
            b.assert_zero(zero, "committed power")?;
        }
        if matrix {
            let row = Matrix::new(&read, read.len());
            let column = Matrix::new(&read, 1);
            let parity = [F2::from(read.len() % 2 == 1)];
            b.assert_matrix_product(row, column, Entries::Public(&parity), "row by column")?;
            let parity = [b.constant(parity[0])];
            b.assert_matrix_product(row, column, Entries::Wires(&parity), "row by column")?;
        }
        Ok(())
    }
}

/// The outcome of a proof: the verifier's verdict, and the prover's messages.
struct Outcome {
    verdict: Result<Gates>,
    sent: Recording,
    size: Size,
    /// The multiplications that the prover told those who watch.
    progress: u64,
}

/// Runs both ends over the dealer: the prover commits to this tape, and lies on wherever it has to, with w_k
/// by `joint`.
fn run_by(
    clauses: &Several,
    tape: Vec<F2>,
    (threads, flip): (usize, Option<Flip>),
    joint: impl FnMut(usize, F128) -> F128 + Send,
) -> Outcome {
    let shapes = &of_clauses::shapes(clauses).unwrap();
    let (here, there) = pipe(Duration::from_secs(20));
    let (here, sent) = Tape::new(here, flip);
    let mut proving = Channel::new(Party::Prover, here);
    let mut verifying = Channel::new(Party::Verifier, there);
    let progress = &AtomicU64::new(0);
    let prover = move || {
        let plan = Plan::new(shapes, threads).unwrap();
        let vole = Box::new(ideal::Prover::new(3, BLOCK));
        let prover = Prover::new(&mut proving, vole, Arch::detect(), tape);
        let mut prover = prover.report_to(Some(progress));
        let proved = prover.one_of_by(&plan, clauses, joint).and_then(|()| {
            prover.lie();
            prover.finish().map(drop)
        });
        // The verifier may be gone already.
        let _ = proved.and_then(|()| proving.flush());
    };
    let verifier = move || {
        let plan = Plan::new(shapes, 1).unwrap();
        let delta = Delta::random(&mut Random::from_seed(&[5; 32]));
        let vole = Box::new(ideal::Verifier::new(3, BLOCK, &delta));
        let mut verifier = Verifier::new(&mut verifying, vole, Arch::detect(), &delta);
        verifier.one_of(&plan, clauses)?;
        verifier.finish().map(|(Accepted { .. }, gates, _)| gates)
    };
    let verdict = side_by_side(prover, verifier).1;
    let size = Plan::new(shapes, 1).unwrap().size::<F2, F128>();
    Outcome { verdict, sent, size, progress: progress.load(Ordering::Relaxed) }
}

fn run(clauses: &Several, tape: Vec<F2>) -> Outcome {
    run_by(clauses, tape, (1, None), |_, highest| highest)
}

fn is_rejected(verdict: &Result<Gates>) -> bool {
    matches!(verdict, Err(Error::Rejected(Rejection::ProductsAndPolynomials)))
}

#[test]
fn whichever_holds_is_accepted() {
    for count in [1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 64, 65, 130] {
        let clauses = Several::of(count);
        let shapes = of_clauses::shapes(&clauses).unwrap();
        let mut lengths = None;
        for chosen in [0, 1, count / 2, count - 1] {
            let chosen = chosen.min(count - 1);
            for threads in [1, 3] {
                let tape = clauses.tape(chosen, &shapes);
                let Outcome { verdict, sent, size, progress } =
                    run_by(&clauses, tape, (threads, None), |_, highest| highest);
                let gates = verdict.unwrap_or_else(|error| panic!("{chosen} of {count}: {error}"));
                assert_eq!(gates.size(), size, "{count}");
                assert_eq!(gates.mul, shapes.iter().map(|shape| shape.mul).sum::<u64>());
                assert_eq!((gates.clauses, progress), (count as u64, gates.mul));
                // No length depends on which.
                let all: Vec<usize> = sent.messages().iter().map(Vec::len).collect();
                assert_eq!(*lengths.get_or_insert_with(|| all.clone()), all);
            }
        }
    }
}

#[test]
fn polynomials_and_matrices_inside_of_clauses() {
    for degree in [1, 2, 3, 5, 64, 128] {
        let mut kinds = vec![plain(9), Kind { bits: 6, degree, matrix: false }];
        kinds.extend([Kind { bits: 5, degree: 0, matrix: true }, Kind { bits: 4, degree, matrix: true }]);
        let clauses = Several(kinds);
        let shapes = of_clauses::shapes(&clauses).unwrap();
        for chosen in 0..4 {
            let tape = clauses.tape(chosen, &shapes);
            let Outcome { verdict, size, .. } = run(&clauses, tape.clone());
            assert_eq!(verdict.unwrap().size(), size, "degree {degree}");
            // With another number it may be the tape of another clause.
            for slot in clauses.number()..shapes[chosen].size().commitments as usize {
                let mut tape = tape.clone();
                tape[slot] += F2::ONE;
                assert!(is_rejected(&run(&clauses, tape).verdict), "degree {degree}, {chosen}, {slot}");
            }
        }
    }
}

/// A tape that is altered anywhere is rejected, but for slots behind its own, of which it is free, and the
/// number, with which it may be that of another clause.
#[test]
fn a_tape_that_is_altered_anywhere_is_rejected() {
    for count in [1, 2, 5, 16, 31] {
        let clauses = Several::of(count);
        let shapes = of_clauses::shapes(&clauses).unwrap();
        for chosen in [0, count / 2, count - 1] {
            let tape = clauses.tape(chosen, &shapes);
            let own = shapes[chosen].size().commitments as usize;
            for slot in clauses.number()..tape.len() {
                let mut tape = tape.clone();
                tape[slot] += F2::ONE;
                let verdict = run(&clauses, tape).verdict;
                assert_eq!(is_rejected(&verdict), slot < own, "{chosen} of {count}, slot {slot}");
                assert_eq!(verdict.is_ok(), slot >= own);
            }
        }
    }
}

/// Joints that are altered are rejected, even where what joins two groups is zero, or the product of some
/// other factors.
#[test]
fn joints_that_are_altered_are_rejected() {
    let clauses = Several::of(31);
    let shapes = of_clauses::shapes(&clauses).unwrap();
    let groups = 31usize.div_ceil(Plan::new(&shapes, 1).unwrap().group);
    assert!(groups > 3);
    for chosen in [Some(0), Some(15), Some(30), None] {
        let tape = match chosen {
            Some(chosen) => clauses.tape(chosen, &shapes),
            None => vec![F2::ONE; clauses.tape(0, &shapes).len()],
        };
        for altered in 0..groups - 1 {
            for by in 0..3 {
                let mut joints = 0;
                let joint = |_, highest: F128| {
                    joints += 1;
                    match (joints - 1 == altered, by) {
                        (false, _) => highest,
                        (true, 0) => F128::ZERO,
                        (true, 1) => highest + F128::ONE,
                        (true, _) => F128(7),
                    }
                };
                let verdict = run_by(&clauses, tape.clone(), (1, None), joint).verdict;
                // A zero in the place of a zero is none.
                let group = 31usize.div_ceil(groups);
                let honest = by == 0 && chosen.is_some_and(|chosen| chosen / group <= altered);
                assert_eq!(verdict.is_ok(), honest, "{chosen:?}, joint {altered} by {by}");
                assert!(honest || is_rejected(&verdict));
            }
        }
    }
}

/// A flipped bit in any message is rejected, in slots that nobody reads, too: what the transcript has at the
/// challenge is the whole tape.
#[test]
fn a_flipped_bit_in_any_message_is_rejected() {
    for count in [3, 16] {
        let clauses = Several::of(count);
        let shapes = of_clauses::shapes(&clauses).unwrap();
        let tape = clauses.tape(0, &shapes);
        let messages = run(&clauses, tape.clone()).sent.messages();
        for (message, bytes) in messages.iter().enumerate() {
            for bit in (0..8 * bytes.len()).step_by(11) {
                let flip = Some(Flip { message, bit });
                let verdict = run_by(&clauses, tape.clone(), (1, flip), |_, highest| highest).verdict;
                assert!(verdict.is_err(), "message {message}, bit {bit}");
            }
        }
    }
}

/// Either party refuses clauses that were counted as others.
fn refuses(counted: &Several, other: &Several) {
    let refused = |error: Error| assert!(error.to_string().contains("when it was counted"), "{error}");
    let shapes = of_clauses::shapes(counted).unwrap();
    let plan = Plan::new(&shapes, 1).unwrap();
    let (here, _there) = pipe(Duration::from_secs(20));
    let mut channel = Channel::new(Party::Prover, here);
    let vole = Box::new(ideal::Prover::new(3, BLOCK));
    let tape = counted.tape(0, &shapes);
    let mut prover = Prover::new(&mut channel, vole, Arch::detect(), tape);
    refused(prover.one_of(&plan, other).unwrap_err());
    // And the proof has ended.
    assert!(prover.finish().is_err());

    let keys = vec![F128::ONE; plan.slots];
    let seeds = [1, 2].map(|seed| Seed::from(F128(seed)));
    let mut replay = KeyReplay::<BitMacs>::new(Arch::detect(), seeds, [F128::ONE; 2], plan.degree);
    let slots = shapes[0].size().commitments;
    refused(replay.polynomial(&keys, slots, |b| Clause::new(other, 0).run(b)).unwrap_err());
}

/// A clause that has grown since it was counted, one that has shrunk, and one of a higher degree.
#[test]
fn clauses_that_are_not_as_counted_are_refused() {
    let counted = Several(vec![plain(5), plain(9)]);
    for bits in [4, 6, 30] {
        refuses(&counted, &Several(vec![plain(bits), plain(9)]));
    }
    let of = |degree| Several(vec![Kind { bits: 5, degree, matrix: false }, plain(9)]);
    for (counted, degree) in [(1, 3), (2, 3), (2, 128), (5, 6)] {
        refuses(&of(counted), &of(degree));
    }
}

#[test]
fn groups_are_as_cheap_as_can_be() {
    for (clauses, degree, expected) in
        [(1, 2, 1), (2, 2, 1), (15, 2, 2), (64, 2, 4), (1000, 2, 16), (1 << 22, 2, 64)]
    {
        let found = group(clauses, degree);
        let cost = |group: usize| clauses.div_ceil(group) + 2 * joined(clauses, degree, group);
        assert!((1..=clauses.min(64)).all(|other| cost(found) <= cost(other)));
        assert!(found.abs_diff(expected) <= 1, "{clauses}: {found}");
    }
    for degree in 2..=HIGHEST_DEGREE {
        assert!(joined(1 << 20, degree, group(1 << 20, degree)) <= HIGHEST_DEGREE + 1);
    }
}

/// B in the 2^128 of the extension, and the keys that an error of degree d leaves.
#[test]
fn the_bound_counts_clauses_and_degrees() {
    let clauses = |clauses| Size { clauses, ..Size::default() };
    assert_eq!(security(clauses(1 << 20), 4096, f64::INFINITY), 107);
    assert_eq!(security(clauses(1 << 30), 4096, f64::INFINITY), 97);
    let degree = Size { degree: 129, polynomials: 1, ..clauses(2) };
    assert_eq!(security(degree, 4096, f64::INFINITY), 119);
}
