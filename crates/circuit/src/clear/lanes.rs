//! A function on many lanes at a time, in the clear.

use crate::stream::straight::{Kind, StraightLine};
use crate::stream::{Map, OneLane, Vectorized};
use crate::{Clear, witness_ended};
use volery_channel::error::{Error, Result};
use volery_primitives::Field;
use volery_primitives::secret::verdict;
use zeroize::Zeroizing;

/// The lanes that are evaluated at a time: a gate's loop over them takes no test.
const LANES: usize = 64;

/// The most bytes of their values, which are to stay in the second-level cache.
const MOST_BYTES: usize = 1 << 21;

/// A value for each lane.
type Column<F> = [F; LANES];

/// Whether lanes are worth more than calls, and every gate has a meaning here: outputs have none.
pub(crate) fn fits<F>(line: &StraightLine<F>) -> bool {
    let of_gates = line.extent.count == 0 && line.polynomials.is_empty();
    let bytes = (line.slots + line.witness as usize) * size_of::<Column<F>>();
    of_gates && line.outputs == 0 && bytes <= MOST_BYTES
}

/// Evaluates a function on all lanes, and gives the columns of results.
///
/// # Errors
/// `Unsatisfied` with the name of the first assertion that fails in the order of calls; where the witness ends.
pub(super) fn evaluate<F: Field>(
    line: &StraightLine<F>,
    map: &Map<'_, F, F>,
    witness: &mut dyn Iterator<Item = F>,
) -> Result<Zeroizing<Vec<F>>> {
    let mut results = Zeroizing::new(vec![F::ZERO; line.results.len() * map.lanes]);
    let columns = |count: usize| Zeroizing::new(vec![F::ZERO; count * LANES]);
    let mut chunk = Chunk {
        line,
        lanes: 0,
        short: None,
        values: columns(line.slots),
        witness: columns(line.witness as usize),
        failed: None,
    };
    for start in (0..map.lanes).step_by(LANES) {
        let lanes = LANES.min(map.lanes - start);
        chunk.read(lanes, witness);
        for (slot, column) in map.arguments.chunks_exact(map.lanes).enumerate() {
            chunk.values[slot * LANES..][..lanes].copy_from_slice(&column[start..start + lanes]);
        }
        chunk.evaluate();
        if let Some((lane, number)) = chunk.failed {
            let number = (start + lane) as u64 * line.assertions + number;
            return Err(Error::Unsatisfied((map.name)(number)));
        }
        if chunk.short.is_some() {
            return Err(witness_ended());
        }
        for (column, slot) in results.chunks_exact_mut(map.lanes).zip(&line.results) {
            column[start..start + lanes].copy_from_slice(&chunk.values[*slot as usize * LANES..][..lanes]);
        }
    }
    Ok(results)
}

/// Evaluates a function of polynomials on all lanes.
///
/// # Errors
/// `Unsatisfied` with the name of the first assertion that fails in the order of calls.
pub(super) fn evaluate_polynomials<F: Field>(
    by: &mut Clear<'_, F>,
    function: &Vectorized<F>,
    map: &Map<'_, F, F>,
) -> Result<()> {
    let (mut memory, assertions) = (OneLane::default(), function.degrees.len());
    for lanes in function.parts(map.lanes) {
        let columns = Vectorized::columns(map, &lanes);
        let (mut failed, mut number) = (None, 0);
        function.compute(by, &mut memory, &columns, |_, values| {
            let values = Zeroizing::new(values);
            // Where one fails nothing is proved.
            let lane = values.iter().position(|value| verdict(*value != F::ZERO));
            failed = failed.into_iter().chain(lane.map(|lane| (lane, number))).min();
            number += 1;
        });
        if let Some((lane, number)) = failed {
            let number = (lanes.start + lane) * assertions + number;
            return Err(Error::Unsatisfied((map.name)(number as u64)));
        }
    }
    Ok(())
}

/// Some lanes of a function.
struct Chunk<'l, F: Field> {
    line: &'l StraightLine<F>,
    /// The lanes that go on: where an assertion fails or the witness ends, calls would come to none behind.
    lanes: usize,
    /// The lane within which the witness ends, and the elements that it has.
    short: Option<(usize, u32)>,
    /// The values, slot by slot.
    values: Zeroizing<Vec<F>>,
    /// The witness, element by element.
    witness: Zeroizing<Vec<F>>,
    /// The lane of the first assertion that failed in the order of calls, and its number in it.
    failed: Option<(usize, u64)>,
}

impl<F: Field> Chunk<'_, F> {
    /// Reads the witness of `lanes` lanes, or as much as there is.
    fn read(&mut self, lanes: usize, witness: &mut dyn Iterator<Item = F>) {
        self.lanes = lanes;
        for lane in 0..lanes {
            for element in 0..self.line.witness as usize {
                let Some(value) = witness.next() else {
                    (self.lanes, self.short) = (lane + 1, Some((lane, element as u32)));
                    return;
                };
                self.witness[element * LANES + lane] = value;
            }
        }
    }

    fn column(&self, slot: u32) -> Column<F> {
        *self.values[slot as usize * LANES..].first_chunk().expect("slots of the function")
    }

    fn put(&mut self, slot: u32, column: Column<F>) {
        self.values[slot as usize * LANES..][..LANES].copy_from_slice(&column);
    }

    fn evaluate(&mut self) {
        for step in &self.line.steps {
            let made = match step.kind {
                Kind::Add => {
                    let (mut sum, b) = (self.column(step.a), self.column(step.b));
                    for (sum, b) in sum.iter_mut().zip(&b) {
                        *sum += *b;
                    }
                    sum
                }
                Kind::Mul | Kind::Scale => {
                    let factors = match step.kind {
                        Kind::Mul => self.column(step.b),
                        _ => [self.line.constants[step.b as usize]; LANES],
                    };
                    let mut product = self.column(step.a);
                    for (product, factor) in product.iter_mut().zip(&factors) {
                        *product *= *factor;
                    }
                    product
                }
                Kind::Constant => [self.line.constants[step.a as usize]; LANES],
                Kind::Witness => {
                    if let Some((lane, elements)) = self.short
                        && step.a >= elements
                    {
                        self.lanes = self.lanes.min(lane);
                    }
                    *self.witness[step.a as usize * LANES..].first_chunk().expect("elements of it")
                }
                Kind::Hint => {
                    self.hint(step.a as usize);
                    continue;
                }
                // It has its value.
                Kind::Commit => continue,
                Kind::Assert => {
                    self.assert(step.a, step.out);
                    continue;
                }
                Kind::AssertProduct | Kind::Polynomials => unreachable!("they are called"),
            };
            self.put(step.out, made);
        }
    }

    fn assert(&mut self, slot: u32, number: u32) {
        let values = &self.values[slot as usize * LANES..][..self.lanes];
        // Where one fails nothing is proved.
        if let Some(lane) = values.iter().position(|value| verdict(*value != F::ZERO)) {
            self.failed = Some((lane, number.into()));
            self.lanes = lane;
        }
    }

    /// Puts the values of a hint on the slots of its results.
    fn hint(&mut self, number: usize) {
        let hint = &self.line.hints[number];
        let mut of = Zeroizing::new(vec![F::ZERO; hint.of.len()]);
        let mut made = Zeroizing::new(vec![F::ZERO; hint.results.len() * LANES]);
        for lane in 0..self.lanes {
            for (value, slot) in of.iter_mut().zip(&hint.of) {
                *value = self.values[*slot as usize * LANES + lane];
            }
            let results = Zeroizing::new((hint.function)(&of));
            assert_eq!(results.len(), hint.results.len());
            made.chunks_exact_mut(LANES).zip(&*results).for_each(|(column, value)| column[lane] = *value);
        }
        for (column, slot) in made.chunks_exact(LANES).zip(&hint.results) {
            self.values[*slot as usize * LANES..][..LANES].copy_from_slice(column);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::stream::Streamed;
    use crate::{Backend, Circuit, Clear, Polynomials, Returned};
    use core::marker::PhantomData;
    use volery_channel::error::Result;
    use volery_primitives::{F2, F61, F128, F256, Field};

    /// Gates of every kind on each of some lanes, on its number and two elements of the witness, of which the first
    /// is one, and the second too, less a hint that is zero.
    struct Gates<F>(usize, PhantomData<F>);

    impl<F: Field, B: Backend<F = F>> Circuit<B> for Gates<F> {
        fn run(&self, b: &mut B) -> Result<()> {
            let one = b.constant(F::ONE);
            let columns =
                (0..self.0).map(|lane| b.scale(one, F::from_word(lane as u128 % 2).unwrap_or(F::ZERO)));
            let columns = columns.collect::<Vec<_>>();
            let made = b.map(b"gates", self.0, &columns, |b, lane, of| {
                let first = b.witness()?;
                let one = b.constant(F::ONE);
                let less = b.linear(&[F::ONE, -F::ONE], &[first, one]);
                b.assert_zero(less, format_args!("the first of lane {lane}"))?;
                let hinted = b.hints(&[first, of[0]], 2, |of| vec![of[0] * of[1] - of[1], of[1]])?;
                let product = b.mul(of[0], hinted[1])?;
                let second = b.witness()?;
                let sum = b.linear(&[F::ONE, -F::ONE, F::ONE], &[second, one, hinted[0]]);
                b.assert_zero(sum, format_args!("the second of lane {lane}"))?;
                Ok(Returned { wires: vec![hinted[1], b.add(product, sum)], public: vec![] })
            })?;
            for (lane, column) in columns.iter().enumerate() {
                // The number of a lane is zero or one, and so its own square.
                let difference = b.linear(&[F::ONE, -F::ONE], &[made.wires[lane], made.wires[self.0 + lane]]);
                b.assert_zero(difference, format_args!("the results of lane {lane}"))?;
                let difference = b.linear(&[F::ONE, -F::ONE], &[made.wires[lane], *column]);
                b.assert_zero(difference, format_args!("the number of lane {lane}"))?;
            }
            Ok(())
        }
    }

    fn agrees<F: Field>() {
        for lanes in [1, 2, 63, 64, 65, 200] {
            let statement = Gates::<F>(lanes, PhantomData);
            let run = |witness: &[F]| {
                let [direct, streamed] = [false, true].map(|streamed| {
                    let mut clear = Clear::new(witness.to_vec());
                    let run = if streamed {
                        Streamed(&statement).run(&mut clear)
                    } else {
                        statement.run(&mut clear)
                    };
                    run.and_then(|()| Ok((clear.compared, clear.finish()?)))
                        .map_err(|error| error.to_string())
                });
                assert_eq!(direct, streamed, "{lanes} lanes");
                streamed
            };
            let holds = vec![F::ONE; 2 * lanes];
            run(&holds).unwrap();
            for wrong in [0, lanes - 1, lanes, 2 * lanes - 1] {
                let mut witness = holds.clone();
                witness[wrong] = F::ZERO;
                assert!(run(&witness).unwrap_err().contains(&format!("of lane {}", wrong / 2)));
                // Of two that fail the first in the order of lanes, though it is the second of its own.
                witness[2 * lanes - 2] = F::ZERO;
                run(&witness).unwrap_err();
            }
            run(&holds[..2 * lanes - 1]).unwrap_err();
            // What fails before the witness ends is told.
            let mut short = holds[..2 * lanes - 1].to_vec();
            short[2 * lanes - 2] = F::ZERO;
            assert!(run(&short).unwrap_err().contains("the first of lane"));
            run(&holds[..2 * (lanes - 1)]).unwrap_err();
            run(&[&holds[..], &[F::ONE]].concat()).unwrap_err();
        }
    }

    /// Polynomials alone on each of some lanes: two elements of the witness are one, and the second is the first's
    /// square.
    struct Squares(usize);

    impl<B: Polynomials> Circuit<B> for Squares {
        fn run(&self, b: &mut B) -> Result<()> {
            let columns = (0..2 * self.0).map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
            b.map(b"squares", self.0, &columns, |b, lane, of| {
                let (x, y) = (b.vector(&of[..1]), b.vector(&of[1..]));
                let minus = -B::F::ONE;
                let square = b.combination(&[(&x, &x)], &[(minus, &y)], B::F::ZERO)?;
                b.assert_zeroes(square, format_args!("the square of lane {lane}"))?;
                let public = b.public(&[minus]);
                let one = b.sum(&x, &public);
                b.assert_zeroes(one, format_args!("the first of lane {lane}"))?;
                Ok(Returned::default())
            })?;
            Ok(())
        }
    }

    #[test]
    fn polynomials_come_to_what_calls_come_to() {
        for lanes in [1, 2, 511, 512, 1300] {
            let statement = Squares(lanes);
            let run = |wrong: &[usize]| {
                let mut witness = vec![F61::ONE; 2 * lanes];
                wrong.iter().for_each(|place| witness[*place] = F61::ZERO);
                let [direct, streamed] = [false, true].map(|streamed| {
                    let mut clear = Clear::new(witness.clone());
                    let run = if streamed {
                        Streamed(&statement).run(&mut clear)
                    } else {
                        statement.run(&mut clear)
                    };
                    run.and_then(|()| Ok((clear.compared, clear.finish()?)))
                        .map_err(|error| error.to_string())
                });
                assert_eq!(direct, streamed, "{lanes} lanes");
                direct
            };
            assert_eq!(run(&[]).unwrap().0, 2 * lanes as u64);
            // The square of zero is zero.
            assert!(
                run(&[lanes - 1, 2 * lanes - 1])
                    .unwrap_err()
                    .contains(&format!("first of lane {}", lanes - 1))
            );
            // Of two lanes the first is named, though the second fails in an assertion before.
            assert!(run(&[0, lanes, 2 * lanes - 1]).unwrap_err().contains("the first of lane 0"));
            assert!(run(&[2 * lanes - 1]).unwrap_err().contains("the square of lane"));
        }
    }

    #[test]
    fn lanes_come_to_what_calls_come_to() {
        agrees::<F2>();
        agrees::<F61>();
        agrees::<F128>();
        agrees::<F256>();
    }
}
