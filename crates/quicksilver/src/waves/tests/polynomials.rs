//! Polynomials within maps: as those of calls, with the same names where they fail; and lies in any of them.

use super::super::TURN_OF_POLYNOMIALS;
use super::random::{By, Dealt, POLYNOMIALS, polynomials, run};
use volery_channel::error::{Error, Rejection, Result};
use volery_channel::random::Random;
use volery_circuit::{Circuit, Polynomials, Returned};
use volery_primitives::{F2, F61, F61x2, F64, F65537, F65537x4, Field};
use volery_vole::macs::{BitMacs, FieldMacs};

/// Rounds of polynomials on each of some lanes, with others before and behind. The witness is a value, that of each
/// lane's argument, and then of each lane the same again for each round.
#[derive(Clone, Copy, Debug)]
struct Rounds {
    lanes: usize,
    rounds: usize,
    mapped: bool,
}

impl Rounds {
    fn lane<B: Polynomials>(&self, b: &mut B, lane: usize, [x, mut y]: [B::Wire; 2]) -> Result<B::Wire> {
        for _ in 0..self.rounds {
            y = polynomials(b, [x, y], lane)?;
        }
        Ok(y)
    }

    fn shares(&self) -> u64 {
        (self.lanes * self.rounds * POLYNOMIALS) as u64
    }

    fn witness<F: Field>(&self, random: &mut Random) -> Vec<F> {
        let mut value = || F::from_integer((random.word().0 as u64 & 1).into()).expect("a bit");
        let first = value();
        let lanes = (0..self.lanes).map(|_| value()).collect::<Vec<_>>();
        let again = lanes.iter().flat_map(|value| vec![*value; self.rounds]);
        [first].into_iter().chain(lanes.iter().copied()).chain(again).collect()
    }
}

impl<B: Polynomials> Circuit<B> for Rounds {
    fn run(&self, b: &mut B) -> Result<()> {
        let first = b.witness()?;
        let mut columns = (0..self.lanes).map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
        columns.extend(vec![first; self.lanes]);
        let square = b.hint(&[first], |of| of[0] * of[0])?;
        b.assert_product(first, first, square, "the square before")?;
        let results = if self.mapped {
            let mapped = b.map(b"rounds", self.lanes, &columns, |b, lane, of| {
                Ok(Returned { wires: vec![self.lane(b, lane, [of[0], of[1]])?], public: vec![] })
            });
            mapped?.wires
        } else {
            (0..self.lanes).map(|lane| self.lane(b, lane, [columns[lane], first])).collect::<Result<_>>()?
        };
        let vector = b.vector(&results);
        let squares = b.product(&vector, &vector)?;
        let made = b.commit(&squares)?;
        b.assert_product(results[0], results[0], made[0], "the square behind")
    }
}

fn by(block: usize, threads: [usize; 2]) -> By {
    By { block, lag: 3, ahead: 1 << 15, early: 0, threads, lies: Vec::new(), goes_on: false }
}

fn come_to_what_calls_come_to<M: Dealt>() {
    for (lanes, rounds, block) in [(2, 1, 130), (7, 30, 1024), (65, 9, 130), (300, 2, 1024)] {
        let mapped = Rounds { lanes, rounds, mapped: true };
        let witness = mapped.witness::<M::F>(&mut Random::from_seed(&[lanes as u8; 32]));
        let (proved, verified, sent) = run::<M>(&mapped, &witness, &by(block, [1, 1]));
        let gates = verified.unwrap_or_else(|error| panic!("{mapped:?}, {block}: {error}"));
        assert_eq!(gates, proved.unwrap());
        let called = Rounds { mapped: false, ..mapped };
        assert_eq!(gates, run::<M>(&called, &witness, &by(block, [1, 1])).1.unwrap());
        let (_, verified, again) = run::<M>(&mapped, &witness, &by(block, [3, 2]));
        assert!(verified.unwrap() == gates && again == sent, "{mapped:?}, {block}");
    }
}

#[test]
fn polynomials_in_maps_come_to_those_of_calls() {
    come_to_what_calls_come_to::<BitMacs>();
    come_to_what_calls_come_to::<FieldMacs<F2, F64>>();
    come_to_what_calls_come_to::<FieldMacs<F61, F61>>();
    come_to_what_calls_come_to::<FieldMacs<F61, F61x2>>();
    come_to_what_calls_come_to::<FieldMacs<F65537, F65537x4>>();
}

/// Each share in turn: an element, whose assertion is no polynomial, a product, and both values of a commitment.
fn each_lie_is_rejected<M: Dealt>() {
    let statement = Rounds { lanes: 9, rounds: 3, mapped: true };
    let witness = statement.witness::<M::F>(&mut Random::from_seed(&[4; 32]));
    let mut by_polynomials = 0;
    for lie in 0..statement.shares() {
        let block = if lie % 2 == 0 { 130 } else { 192 };
        let by = By { lies: vec![lie], ..by(block, [1 + lie as usize % 3, 1]) };
        let Err(Error::Rejected(why)) = run::<M>(&statement, &witness, &by).1 else { panic!("share {lie}") };
        by_polynomials += usize::from(matches!(why, Rejection::ProductsAndPolynomials));
    }
    // All but the elements, of which some are wrong in no product.
    assert!(by_polynomials >= 9 * 3 * (POLYNOMIALS - 1), "{by_polynomials}");
    let by = By { lies: vec![statement.shares()], ..by(192, [1, 1]) };
    run::<M>(&statement, &witness, &by).1.unwrap();
}

#[test]
fn a_lie_in_any_share_of_polynomials_is_rejected() {
    each_lie_is_rejected::<BitMacs>();
    each_lie_is_rejected::<FieldMacs<F2, F64>>();
    each_lie_is_rejected::<FieldMacs<F61, F61x2>>();
}

/// Lies around the ends of turns, which are shorter than those of other maps.
fn lies_at_seams_are_rejected<M: Dealt>() {
    let statement = Rounds { lanes: 400, rounds: 16, mapped: true };
    let witness = statement.witness::<M::F>(&mut Random::from_seed(&[5; 32]));
    for seam in [TURN_OF_POLYNOMIALS as u64, 2 * TURN_OF_POLYNOMIALS as u64, statement.shares()] {
        for lie in [seam - 1, seam] {
            let verdict = run::<M>(&statement, &witness, &By { lies: vec![lie], ..by(1024, [2, 1]) }).1;
            let is_rejected = matches!(verdict, Err(Error::Rejected(_)));
            // Behind all shares there is nothing to lie about.
            assert_eq!(is_rejected, lie < statement.shares(), "share {lie}");
        }
    }
}

#[test]
fn a_lie_at_the_seams_of_turns_is_rejected() {
    lies_at_seams_are_rejected::<BitMacs>();
    lies_at_seams_are_rejected::<FieldMacs<F61, F61x2>>();
}

/// Assertions on a witness element w of each lane, each of which holds where w is zero: a product, and vectors of
/// several lanes; the kinds differ in what fails of them.
#[derive(Clone, Copy)]
struct Zeroes(usize);

impl<B: Polynomials> Circuit<B> for Zeroes {
    fn run(&self, b: &mut B) -> Result<()> {
        b.map(b"zeroes", self.0, &[], |b, lane, _| {
            let (w, v) = (b.witness()?, b.witness()?);
            let one = b.constant(B::F::ONE);
            // Its polynomials are computed behind the product, and named before it.
            let vector = b.vector(&[v, w, v]);
            let cubes = b.product(&vector, &vector)?;
            b.assert_zeroes(cubes, format_args!("the squares of lane {lane}"))?;
            b.assert_product(w, one, v, format_args!("the product of lane {lane}"))?;
            b.assert_zeroes(vector, format_args!("the wires of lane {lane}"))?;
            b.assert_zero(w, format_args!("the wire of lane {lane}"))?;
            Ok(Returned::default())
        })?;
        Ok(())
    }
}

fn failures_are_named<M: Dealt>() {
    let lanes = 100;
    let statement = Zeroes(lanes);
    let witness = |ones: &[usize]| -> Vec<M::F> {
        (0..2 * lanes).map(|i| if ones.contains(&i) { M::F::ONE } else { M::F::ZERO }).collect()
    };
    run::<M>(&statement, &witness(&[]), &by(130, [1, 1])).1.unwrap();
    for (ones, name) in [
        (&[140][..], "the squares of lane 70[1]"),
        (&[141], "the squares of lane 70[0]"),
        (&[199, 140], "the squares of lane 70[1]"),
        (&[199, 3, 2], "the squares of lane 1[0]"),
    ] {
        let error = run::<M>(&statement, &witness(ones), &by(130, [2, 1])).0.unwrap_err().to_string();
        assert!(error.contains(name), "{error}: {name}");
        // One who goes on is refused.
        let by = By { goes_on: true, ..by(130, [1, 1]) };
        let verified = run::<M>(&statement, &witness(ones), &by).1;
        assert!(matches!(verified, Err(Error::Rejected(_))), "{verified:?}");
    }
}

#[test]
fn the_first_polynomial_that_is_not_zero_is_named() {
    failures_are_named::<BitMacs>();
    failures_are_named::<FieldMacs<F2, F64>>();
    failures_are_named::<FieldMacs<F61, F61>>();
    failures_are_named::<FieldMacs<F61, F61x2>>();
}

/// A polynomial that nothing else asserts, wrong in one lane: whichever coefficient it has.
#[derive(Clone, Copy)]
struct Alone {
    lanes: usize,
    rounds: usize,
    by_vectors: bool,
}

impl<B: Polynomials> Circuit<B> for Alone {
    fn run(&self, b: &mut B) -> Result<()> {
        b.map(b"alone", self.lanes, &[], |b, lane, _| {
            for _ in 0..self.rounds {
                let (x, y) = (b.witness()?, b.witness()?);
                if self.by_vectors {
                    let (left, right) = (b.vector(&[x, y]), b.vector(&[y, x]));
                    let product = b.product(&left, &right)?;
                    b.assert_zeroes(product, format_args!("lane {lane}"))?;
                } else {
                    let zero = b.constant(B::F::ZERO);
                    b.assert_product(x, y, zero, format_args!("lane {lane}"))?;
                }
            }
            Ok(Returned::default())
        })?;
        Ok(())
    }
}

fn each_polynomial_is_checked<M: Dealt>(by_vectors: bool) {
    for (lanes, rounds, block) in [(9, 3, 130), (70, 40, 1024), (300, 1, 192)] {
        let statement = Alone { lanes, rounds, by_vectors };
        let count = lanes * rounds;
        let witness = |wrong: Option<usize>| -> Vec<M::F> {
            let pair = |i: usize| [M::F::ONE, if wrong == Some(i) { M::F::ONE } else { M::F::ZERO }];
            (0..count).flat_map(pair).collect()
        };
        run::<M>(&statement, &witness(None), &by(block, [1, 1])).1.unwrap();
        let step = (count / 5).max(1);
        for wrong in (0..count).step_by(step).chain([count - 1]) {
            let by = By { goes_on: true, ..by(block, [1 + wrong % 3, 1 + wrong % 2]) };
            let verified = run::<M>(&statement, &witness(Some(wrong)), &by).1;
            assert!(
                matches!(verified, Err(Error::Rejected(Rejection::ProductsAndPolynomials))),
                "{wrong}: {verified:?}"
            );
        }
    }
}

#[test]
fn a_polynomial_that_is_not_zero_is_found_by_its_check_alone() {
    for by_vectors in [false, true] {
        each_polynomial_is_checked::<BitMacs>(by_vectors);
        each_polynomial_is_checked::<FieldMacs<F2, F64>>(by_vectors);
        each_polynomial_is_checked::<FieldMacs<F61, F61>>(by_vectors);
        each_polynomial_is_checked::<FieldMacs<F61, F61x2>>(by_vectors);
    }
}
