//! Clauses garbled onto one another.

use super::Terms;
use crate::garble::Key;
use crate::garble::labels::Labels;
use crate::garble::material::Stacking;
use crate::garble::privacy_free::Garbler;
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use volery_channel::error::Result;
use volery_channel::pool::Pool;
use volery_circuit::{Clause, Clauses};
use volery_primitives::{F2, F128, Field};
use zeroize::Zeroizing;

/// The clauses whose material is added. Where work is fixed the others are garbled too, in vain, so that
/// nobody sees which are added.
#[derive(Clone, Copy)]
pub(super) enum Which {
    All,
    AllBut(usize),
    Only(usize),
}

impl Which {
    fn counts(self, clause: usize) -> bool {
        match self {
            Self::All => true,
            Self::AllBut(one) => clause != one,
            Self::Only(one) => clause == one,
        }
    }
}

/// Garbles clauses from their seeds onto `stack`, and gives the sum of their output labels.
///
/// # Errors
/// `Invalid` where a clause is not as it was counted, or malformed.
pub(super) fn garble<C>(
    terms: &Terms,
    key: &Key,
    clauses: &C,
    which: Which,
    seeds: &[F128],
    stack: &mut [F128],
) -> Result<F128>
where
    C: for<'a> Clauses<Garbler<'a>> + Sync,
{
    let threads = terms.threads.min(terms.clauses()).max(1);
    let next = AtomicUsize::new(0);
    let worker = |stack: &mut [F128]| -> Result<F128> {
        let mut outputs = F128::ZERO;
        loop {
            let clause = next.fetch_add(1, Relaxed);
            if clause >= terms.clauses() {
                return Ok(outputs);
            }
            let counts = which.counts(clause);
            if counts || terms.fixed_work {
                outputs.0 ^= one(terms, key, clauses, (clause, seeds[clause]), stack, counts)?.0
                    & F2::from(counts).mask();
            }
        }
    };
    if threads == 1 {
        return worker(stack);
    }
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads)
            .map(|_| {
                scope.spawn(|| {
                    let mut shard = Zeroizing::new(vec![F128::ZERO; terms.material()]);
                    worker(&mut shard).map(|outputs| (shard, outputs))
                })
            })
            .collect();
        let mut outputs = worker(stack)?;
        for other in others {
            let (shard, theirs) = other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
            stack.iter_mut().zip(shard.iter()).for_each(|(sum, block)| *sum ^= *block);
            outputs ^= theirs;
        }
        Ok(outputs)
    })
}

/// Garbles one clause, in vain where it is not to be added, and gives its output label.
fn one<C>(
    terms: &Terms,
    key: &Key,
    clauses: &C,
    (clause, seed): (usize, F128),
    stack: &mut [F128],
    counts: bool,
) -> Result<F128>
where
    C: for<'a> Clauses<Garbler<'a>>,
{
    let shape = &terms.shapes[clause];
    let mut sink = Stacking::onto(&mut stack[..shape.mul_by_gates() as usize], counts);
    let circuit = Clause::new(clauses, clause);
    Garbler::garble(key, (clause, seed), &circuit, &mut sink, terms.progress, &Pool::ALONE)?.of(shape)
}

/// The pairs of labels of all inputs, summed over the chosen clauses. Clause i has as many inputs as its
/// shape says.
pub(super) fn labels(terms: &Terms, key: &Key, which: Which, seeds: &[F128]) -> Zeroizing<Vec<[F128; 2]>> {
    let mut sums = Zeroizing::new(vec![[F128::ZERO; 2]; terms.inputs()]);
    for (clause, (&seed, shape)) in seeds.iter().zip(terms.shapes).enumerate() {
        let counts = which.counts(clause);
        if !counts && !terms.fixed_work {
            continue;
        }
        let mask = F2::from(counts).mask();
        let labels = Labels::new(key, seed);
        let delta = labels.delta();
        for (sum, label) in sums.iter_mut().take(shape.inputs_by_gates() as usize).zip(labels) {
            sum[0].0 ^= label.0 & mask;
            sum[1].0 ^= (label.0 ^ delta.0) & mask;
        }
    }
    sums
}
