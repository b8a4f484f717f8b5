//! One of several clauses, before the first message: which are evaluated, and the name of all.

use crate::options::Options;
use crate::witness::{Reread, Stream};
use volery_channel::error::{Error, Result};
use volery_circuit::stream::ClauseStream;
use volery_circuit::{Clause, Clear, Evaluated, Shape, clauses as of_clauses};
use volery_primitives::Field;
use volery_primitives::secret::verdict;
use zeroize::Zeroizing;

/// A clause takes more or fewer slots, or has a higher degree, than when it was counted.
pub fn other_than_counted() -> Error {
    Error::invalid("a clause has other gates than when it was counted: it must push the same ones each time")
}

/// Clauses that are evaluated in the clear before the first message.
pub struct Evaluation<'a, F: Field> {
    /// The clauses.
    pub clauses: &'a ClauseStream<'a, F>,
    /// The gates of each.
    pub shapes: &'a [Shape],
    /// The values of each that are kept.
    pub counts: &'a [usize],
    /// Whether these are all that a prover commits to, or witness and hints alone.
    pub products: bool,
}

impl<F: Field> Evaluation<'_, F> {
    /// The values with which clause number `chosen` holds. Where work is fixed, all clauses are evaluated for
    /// it.
    ///
    /// # Errors
    /// `Unsatisfied` where it does not hold; `Invalid` where the witness has another length, or a clause is
    /// not as it was counted.
    pub fn values(
        &self,
        chosen: usize,
        witness: &dyn Reread<F>,
        fixed_work: bool,
    ) -> Result<Zeroizing<Vec<F>>> {
        if fixed_work && let Some(values) = self.values_among_all(chosen, witness)? {
            return Ok(values);
        }
        let (clause, count) = (Clause::new(self.clauses, chosen), self.counts[chosen]);
        let values = if self.products {
            Clear::commitments(&clause, witness.read(), count)?
        } else {
            Clear::inputs(&clause, witness.read(), count)?
        };
        if values.len() == count { Ok(values) } else { Err(other_than_counted()) }
    }

    /// The values of the chosen clause, found by as much work for each clause; nothing where it does not
    /// hold.
    fn values_among_all(&self, chosen: usize, witness: &dyn Reread<F>) -> Result<Option<Zeroizing<Vec<F>>>> {
        // Their copy is made here, so that the memory that each clause takes is left to the next.
        let mut values = Zeroizing::new(Vec::with_capacity(self.most()));
        let mut holds = false;
        let length = self.each(witness, &mut |clause, evaluated| {
            if clause == chosen {
                values.extend_from_slice(&evaluated.values);
                holds = evaluated.holds;
            }
        })?;
        let fits = length == Some(self.shapes[chosen].witness as usize);
        Ok((fits && verdict(holds)).then_some(values))
    }

    /// Evaluates all clauses in their order, each of them to its end and on as much of `witness` as it reads,
    /// with zeros behind it. Nothing here knows which of them is chosen. The length of the witness, where
    /// it is not longer than that of any clause.
    fn each(
        &self,
        witness: &dyn Reread<F>,
        take: &mut dyn FnMut(usize, &Evaluated<F>),
    ) -> Result<Option<usize>> {
        let longest = self.shapes.iter().map(|shape| shape.witness as usize).max().unwrap_or(0);
        let mut padded = Zeroizing::new(Vec::with_capacity(longest));
        let mut elements = witness.read().fuse();
        padded.extend(elements.by_ref().take(longest));
        let length = elements.next().is_none().then_some(padded.len());
        padded.resize(longest, F::ZERO);
        let most = self.most();
        for (clause, (shape, count)) in self.shapes.iter().zip(self.counts).enumerate() {
            let own: Stream<'_, F> = Box::new(padded[..shape.witness as usize].iter().copied());
            let evaluated = Clear::evaluated(&Clause::new(self.clauses, clause), own, (most, self.products))?;
            if evaluated.values.len() != *count {
                return Err(other_than_counted());
            }
            take(clause, &evaluated);
        }
        Ok(length)
    }

    /// The most values of a clause.
    fn most(&self) -> usize {
        self.counts.iter().copied().max().unwrap_or(0)
    }
}

/// The gates of the clauses, and the name of all: the given one, or that of their gates.
pub(crate) fn settle_clauses<F: Field>(
    clauses: &ClauseStream<'_, F>,
    options: &Options,
) -> Result<(Vec<Shape>, [u8; 32])> {
    match options.statement {
        Some(digest) => Ok((of_clauses::shapes(clauses)?, digest)),
        None => of_clauses::fingerprint(clauses),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::iter::repeat_n;
    use volery_circuit::{Alternatives, Backend, Branch, Clauses, Entries, Matrix, Polynomials};
    use volery_primitives::{F2, F61};

    /// The element of a witness at this place: of no two clauses the same ones.
    fn element<F: Field>(clause: usize, place: usize) -> F {
        if place % 3 == clause { F::ONE } else { F::ZERO }
    }

    /// The length of a matrix.
    const SIDE: usize = 4;

    /// "I know these elements": by products and assertions, by a product of matrices, and by a polynomial.
    struct Three;

    impl Three {
        const LENGTHS: [usize; 3] = [5, SIDE * SIDE, 7];

        fn witness<F: Field>(clause: usize) -> Vec<F> {
            (0..Self::LENGTHS[clause]).map(|place| element(clause, place)).collect()
        }
    }

    impl Alternatives for Three {
        fn count(&self) -> usize {
            3
        }
    }

    impl<B: Polynomials> Clauses<B> for Three {
        fn run(&self, clause: usize, b: &mut Branch<'_, B>) -> Result<()> {
            let known: Vec<B::F> = Self::witness(clause);
            let x = known.iter().map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
            match clause {
                0 => {
                    for (x, known) in x.into_iter().zip(known) {
                        let copy = b.hint(&[x], |x| x[0])?;
                        let square = b.mul(x, copy)?;
                        let minus = b.constant(-known);
                        let difference = b.add(square, minus);
                        b.assert_zero(difference, "element")?;
                    }
                    Ok(())
                }
                1 => {
                    let entry =
                        |i, j| (0..SIDE).map(|k| known[i * SIDE + k] * known[k * SIDE + j]).sum::<B::F>();
                    let square: Vec<_> = (0..SIDE * SIDE).map(|at| entry(at / SIDE, at % SIDE)).collect();
                    let x = Matrix::new(&x, SIDE);
                    b.assert_matrix_product(x, x, Entries::Public(&square), "square")
                }
                _ => {
                    let x = b.vector(&x);
                    let minus: Vec<_> = known.iter().map(|known| -*known).collect();
                    let minus = b.public(&minus);
                    let square = b.product(&x, &x)?;
                    b.commit(&square)?;
                    let difference = b.sum(&square, &minus);
                    b.assert_zeroes(difference, "elements")
                }
            }
        }
    }

    /// The evaluation keeps and compares the same whichever clause holds, and ends at no failure.
    fn whichever_holds<F: Field>() {
        let clauses = &ClauseStream::<F>::new(&Three);
        let shapes = &of_clauses::shapes(clauses).unwrap();
        for products in [false, true] {
            let count =
                |shape: &Shape| if products { shape.size().commitments } else { shape.inputs_by_gates() };
            let counts: &Vec<_> = &shapes.iter().map(|shape| count(shape) as usize).collect();
            let evaluation = Evaluation { clauses, shapes, counts, products };
            for chosen in 0..3 {
                let witness = Three::witness::<F>(chosen);
                let mut done = Vec::new();
                let length = evaluation.each(&witness, &mut |clause, evaluated| {
                    assert_eq!(evaluated.holds, clause == chosen);
                    done.push((clause, evaluated.values.len(), evaluated.compared));
                });
                assert_eq!(length.unwrap(), Some(witness.len()));
                let rows = SIDE as u64 * u64::from(64_u32.div_ceil(F::bits()) + 1);
                assert_eq!(done, [(0, counts[0], 5), (1, counts[1], rows), (2, counts[2], 7)]);

                let values = |fixed_work| evaluation.values(chosen, &witness, fixed_work).unwrap();
                assert!(*values(true) == *values(false));
            }
        }
    }

    #[test]
    fn fixed_work_does_not_depend_on_the_clause() {
        whichever_holds::<F2>();
        whichever_holds::<F61>();
    }

    /// A clause that does not hold is named by what fails, as where only this clause is evaluated.
    #[test]
    fn what_does_not_hold_is_named() {
        let clauses = &ClauseStream::<F61>::new(&Three);
        let shapes = &of_clauses::shapes(clauses).unwrap();
        let counts: Vec<_> = shapes.iter().map(|shape| shape.size().commitments as usize).collect();
        let evaluated = |counts: &[usize], witness: &Vec<F61>, fixed_work| {
            let evaluation = Evaluation { clauses, shapes, counts, products: true };
            evaluation.values(0, witness, fixed_work).map(drop).unwrap_err()
        };
        let right = Three::witness(0);
        for fixed_work in [false, true] {
            let wrong = vec![F61::ONE; right.len()];
            let error = evaluated(&counts, &wrong, fixed_work);
            assert!(matches!(error, Error::Unsatisfied(name) if name == "element"));
            let error = evaluated(&counts, &right[1..].to_vec(), fixed_work).to_string();
            assert!(error.contains("element") || error.contains("too short"), "{error}");
            for more in [1, 100] {
                let long = right.iter().copied().chain(repeat_n(F61::ZERO, more)).collect();
                let error = evaluated(&counts, &long, fixed_work).to_string();
                assert!(error.contains("too long"), "{error}");
            }
            // It has been counted as another.
            for other in [counts[0] - 1, counts[0] + 1] {
                let error = evaluated(&[other, counts[1], counts[2]], &right, fixed_work).to_string();
                assert!(error.contains("when it was counted"), "{error}");
            }
        }
    }
}
