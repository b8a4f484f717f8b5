//! Maps of polynomials alone: as calls, with the same names where they fail, and with no lane that is not checked.

use super::random::{By, Dealt, run};
use crate::polynomial::MOST;
use volery_channel::error::{Error, Rejection, Result};
use volery_circuit::{Circuit, Polynomials, Returned};
use volery_primitives::{F2, F61, F61x2, F64, F65537, F65537x4, Field};
use volery_vole::macs::{BitMacs, FieldMacs};

/// The polynomials of a lane, of degrees two, four and one, in two wires that carry one.
const POLYNOMIALS: [&str; 3] = ["the square", "the fourth power", "the difference"];

/// Polynomials on some lanes, `times` times, with an assertion before and one behind.
#[derive(Clone, Copy)]
struct Rows {
    lanes: usize,
    times: usize,
    mapped: bool,
}

fn row<B: Polynomials>(b: &mut B, lane: usize, of: &[B::Wire]) -> Result<Returned<B::Wire>> {
    let minus = -B::F::ONE;
    let (x, y) = (b.vector(&of[..1]), b.vector(&of[1..]));
    let square = b.combination(&[(&x, &x)], &[(minus, &y)], B::F::ZERO)?;
    let y_squared = b.product(&y, &y)?;
    let fourth = b.product(&y_squared, &y_squared)?;
    let fourth = b.combination(&[], &[(B::F::ONE, &fourth), (minus, &x)], B::F::ZERO)?;
    b.assert_zeroes(square, format_args!("{} of lane {lane}", POLYNOMIALS[0]))?;
    b.assert_zeroes(fourth, format_args!("{} of lane {lane}", POLYNOMIALS[1]))?;
    let public = b.public(&[minus]);
    let y = b.product(&public, &y)?;
    let difference = b.sum(&x, &y);
    b.assert_zeroes(difference, format_args!("{} of lane {lane}", POLYNOMIALS[2]))?;
    Ok(Returned::default())
}

impl<B: Polynomials> Circuit<B> for Rows {
    fn run(&self, b: &mut B) -> Result<()> {
        let minus_one = b.constant(-B::F::ONE);
        let is_one = |b: &mut B, name| {
            let element = b.witness()?;
            let difference = b.add(element, minus_one);
            b.assert_zero(difference, name)
        };
        is_one(b, "the element before")?;
        for _ in 0..self.times {
            let columns = (0..2 * self.lanes).map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
            if self.mapped {
                b.map(b"row", self.lanes, &columns, row)?;
            } else {
                for lane in 0..self.lanes {
                    row(b, lane, &[columns[lane], columns[self.lanes + lane]])?;
                }
            }
        }
        is_one(b, "the element behind")
    }
}

impl Rows {
    /// A witness with zeroes at these places, and ones elsewhere.
    fn witness<F: Field>(&self, zeroes: &[usize]) -> Vec<F> {
        let count = 2 + 2 * self.lanes * self.times;
        (0..count).map(|i| if zeroes.contains(&i) { F::ZERO } else { F::ONE }).collect()
    }
}

fn by(block: usize, threads: [usize; 2]) -> By {
    By { block, lag: 3, ahead: 1 << 15, early: 0, threads, lies: Vec::new(), goes_on: false }
}

fn come_to_what_calls_come_to<M: Dealt>() {
    for (lanes, times) in [(2, 3), (65, 1), (512, 2), (1300, 1)] {
        let mapped = Rows { lanes, times, mapped: true };
        let witness = mapped.witness::<M::F>(&[]);
        let (proved, verified, sent) = run::<M>(&mapped, &witness, &by(1024, [1, 1]));
        let gates = verified.unwrap();
        assert_eq!(gates, proved.unwrap());
        let (_, verified, again) = run::<M>(&mapped, &witness, &by(1024, [3, 2]));
        assert!(verified.unwrap() == gates && again == sent, "{lanes} lanes");
        let called = Rows { mapped: false, ..mapped };
        assert_eq!(run::<M>(&called, &witness, &by(1024, [1, 1])).1.unwrap(), gates);
    }
}

#[test]
fn maps_of_polynomials_come_to_what_calls_come_to() {
    come_to_what_calls_come_to::<BitMacs>();
    come_to_what_calls_come_to::<FieldMacs<F2, F64>>();
    come_to_what_calls_come_to::<FieldMacs<F61, F61>>();
    come_to_what_calls_come_to::<FieldMacs<F61, F61x2>>();
    come_to_what_calls_come_to::<FieldMacs<F65537, F65537x4>>();
}

/// The first in the order of calls is named, also where that is found out later than of one behind it.
fn failures_are_named<M: Dealt>() {
    let statement = Rows { lanes: 700, times: 2, mapped: true };
    let (x, y) = (|lane: usize| 1 + lane, |lane: usize| 701 + lane);
    for (zeroes, name) in [
        (&[x(0)][..], "the square of lane 0"),
        (&[y(699)], "the square of lane 699"),
        (&[y(601), x(600), 1400 + x(3), 2801], "the square of lane 600"),
        (&[1400 + x(513), 2801], "the square of lane 513"),
        (&[2801], "the element behind"),
        (&[0, x(4)], "the element before"),
    ] {
        for threads in [1, 3] {
            let witness = statement.witness::<M::F>(zeroes);
            let error = run::<M>(&statement, &witness, &by(1024, [threads, 1])).0.unwrap_err().to_string();
            assert!(error.contains(name), "{error}: {name}");
        }
    }
}

#[test]
fn the_first_assertion_that_fails_is_named() {
    failures_are_named::<BitMacs>();
    failures_are_named::<FieldMacs<F61, F61>>();
    failures_are_named::<FieldMacs<F61, F61x2>>();
}

/// One who goes on is refused, whichever lane is wrong.
fn each_lane_is_checked<M: Dealt>() {
    let statement = Rows { lanes: 530, times: 1, mapped: true };
    for lane in [0, 1, 511, 512, 529] {
        for place in [1 + lane, 531 + lane] {
            let by = By { goes_on: true, ..by(512, [1 + lane % 3, 1 + lane % 2]) };
            let verified = run::<M>(&statement, &statement.witness(&[place]), &by).1;
            let Err(Error::Rejected(why)) = verified else { panic!("{place}: {verified:?}") };
            assert!(matches!(why, Rejection::ProductsAndPolynomials), "{place}: {why:?}");
        }
    }
}

#[test]
fn a_polynomial_that_is_not_zero_in_any_lane_is_found() {
    each_lane_is_checked::<BitMacs>();
    each_lane_is_checked::<FieldMacs<F2, F64>>();
    each_lane_is_checked::<FieldMacs<F61, F61>>();
    each_lane_is_checked::<FieldMacs<F61, F61x2>>();
}

/// A batch ends early behind as many coefficients as elsewhere, and then goes on.
fn crowds_end_batches<M: Dealt>() {
    let statement = Rows { lanes: MOST / 7 + 600, times: 1, mapped: true };
    let witness = statement.witness::<M::F>(&[]);
    let (proved, verified, sent) = run::<M>(&statement, &witness, &by(1 << 17, [1, 1]));
    let gates = verified.unwrap();
    assert_eq!(gates, proved.unwrap());
    let (_, verified, again) = run::<M>(&statement, &witness, &by(1 << 17, [2, 3]));
    assert!(verified.unwrap() == gates && again == sent);
    let wrong = statement.witness::<M::F>(&[statement.lanes]);
    let verified = run::<M>(&statement, &wrong, &By { goes_on: true, ..by(1 << 17, [2, 1]) }).1;
    assert!(matches!(verified, Err(Error::Rejected(_))), "{verified:?}");
}

#[test]
fn a_crowd_of_polynomials_ends_a_batch() {
    crowds_end_batches::<BitMacs>();
    crowds_end_batches::<FieldMacs<F61, F61>>();
    crowds_end_batches::<FieldMacs<F61, F61x2>>();
}
