use super::*;
use volery_circuit::stream::{Recorder, Streamed};
use volery_circuit::testing::Faulty;
use volery_circuit::{Circuit, Clear};
use volery_primitives::{F2, F61, F256, F65537, Goldilocks};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gadget {
    Numbers,
    AtLeast,
    NotNegative,
    Relu,
    Floor,
    FloorRelu,
    Multiply,
    Maximum,
    Argmax,
}

use Gadget::*;

/// A gadget on elements that the prover commits to, and what it has to come to; where there is nothing, all
/// that matters is whether it does.
struct Case<F> {
    fixed: Fixed,
    gadget: Gadget,
    count: usize,
    expected: Vec<F>,
}

impl<F: Field> Case<F> {
    fn push<B: Polynomials<F = F> + Tables>(&self, b: &mut B) -> Result<()> {
        let xs = (0..self.count).map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
        let (left, right) = xs.split_at(self.count / 2);
        let (fixed, name) = (self.fixed, "a number");
        let made = match self.gadget {
            Numbers => fixed.assert_numbers(b, &xs, name).map(|()| vec![])?,
            AtLeast => fixed.at_least(b, left, right, name)?,
            NotNegative => fixed.not_negative(b, &xs, name)?,
            Relu => fixed.relu(b, &xs, name)?,
            Floor => fixed.floor(b, &xs, name)?,
            FloorRelu => fixed.floor_relu(b, &xs, name)?,
            Multiply => fixed.multiply(b, left, right, name)?,
            Maximum => vec![fixed.maximum(b, &xs, name)?],
            Argmax => vec![fixed.argmax(b, &xs, name)?],
        };
        for (made, expected) in made.into_iter().zip(&self.expected) {
            let minus = b.constant(-*expected);
            let difference = b.add(made, minus);
            b.assert_zero(difference, "what it comes to")?;
        }
        Ok(())
    }
}

impl<F: Field> Circuit<Recorder<'_, F>> for Case<F> {
    fn run(&self, b: &mut Recorder<'_, F>) -> Result<()> {
        self.push(b)
    }
}

fn element<F: Field>(integer: i128) -> F {
    let size = F::from_word(integer.unsigned_abs()).unwrap();
    if integer < 0 { -size } else { size }
}

fn elements<F: Field>(integers: &[i128]) -> Vec<F> {
    integers.iter().map(|integer| element(*integer)).collect()
}

fn comes_to<F: Field>(fixed: Fixed, gadget: Gadget, xs: &[i128], expected: &[i128]) -> Result<()> {
    let case = Case { fixed, gadget, count: xs.len(), expected: elements::<F>(expected) };
    let mut clear = Clear::new(elements(xs));
    Streamed(&case).run(&mut clear)?;
    clear.finish()
}

fn agrees<F: Field>() {
    let fixed = Fixed::new::<F>(4, 2).unwrap();
    let holds = |gadget, xs: &[i128], expected: &[i128]| {
        comes_to::<F>(fixed, gadget, xs, expected)
            .unwrap_or_else(|error| panic!("{gadget:?} {xs:?}: {error}"));
    };
    let fails = |gadget, xs: &[i128]| {
        let outcome = comes_to::<F>(fixed, gadget, xs, &[]);
        assert!(matches!(outcome, Err(Error::Unsatisfied(_))), "{gadget:?} {xs:?}: {outcome:?}");
    };
    for x in -40..40_i128 {
        let is_number = (-8..8).contains(&x);
        for (gadget, expected) in
            [(NotNegative, i128::from(x >= 0)), (Relu, x.max(0)), (Maximum, x), (Argmax, 0)]
        {
            match gadget {
                _ if is_number => holds(gadget, &[x], &[expected]),
                NotNegative | Relu => fails(gadget, &[x]),
                _ => {}
            }
        }
        // Products are of six bits.
        let floor = x.div_euclid(4);
        for (gadget, expected) in [(Floor, floor), (FloorRelu, floor.max(0))] {
            if (-8..8).contains(&floor) { holds(gadget, &[x], &[expected]) } else { fails(gadget, &[x]) }
        }
        if !is_number {
            // An element that is none stands for its own, too.
            assert_eq!((fixed.element::<F>(x), fixed.integer::<F>(element(x))), (None, None));
            fails(Numbers, &[0, x]);
            continue;
        }
        assert_eq!(fixed.element::<F>(x), Some(element(x)));
        assert_eq!(fixed.integer::<F>(element(x)), Some(x));
        for y in -8..8_i128 {
            holds(AtLeast, &[x, y], &[(x >= y).into()]);
            let product = (x * y).div_euclid(4);
            if (-8..8).contains(&product) {
                holds(Multiply, &[x, y], &[product])
            } else {
                fails(Multiply, &[x, y])
            }
        }
    }
    comes_to::<F>(fixed, Numbers, &[-8, 7, 0], &[]).unwrap();
    let several: [&[i128]; 5] = [&[-8, 7, 7, 0], &[3; 5], &[-8, -8], &[-1, -3, -2, -1, -7], &[7, -8, 1]];
    for xs in several {
        let largest = xs.iter().max().unwrap();
        let first = xs.iter().position(|x| x == largest).unwrap();
        holds(Maximum, xs, &[*largest]);
        holds(Argmax, xs, &[first as i128]);
        let signs: Vec<i128> = xs.iter().map(|x| (*x >= 0).into()).collect();
        holds(NotNegative, xs, &signs);
    }
    // The widest numbers.
    let wide = Fixed::new::<F>(F::BITS - 2, 1).unwrap();
    let most = (1 << (F::BITS - 3)) - 1;
    comes_to::<F>(wide, AtLeast, &[most, -most - 1], &[1]).unwrap();
    comes_to::<F>(wide, AtLeast, &[-most - 1, most], &[0]).unwrap();
    comes_to::<F>(wide, Argmax, &[-most - 1, most, most], &[1]).unwrap();
    comes_to::<F>(wide, Floor, &[-1, 2 * most + 1, -2 * most - 2], &[-1, most, -most - 1]).unwrap();
}

#[test]
fn gadgets_are_what_integers_say() {
    agrees::<F65537>();
    agrees::<F61>();
    agrees::<Goldilocks>();
}

/// Whether a prover whose first hints are off by `errors` convinces.
fn convinces(case: &Case<F65537>, xs: &[i128], errors: &[F65537]) -> bool {
    case.push(&mut Faulty::with_errors(elements(xs), errors)).is_ok()
}

fn case(gadget: Gadget, count: usize) -> Case<F65537> {
    Case { fixed: Fixed::new::<F65537>(3, 2).unwrap(), gadget, count, expected: vec![] }
}

/// All hints that a prover can give: the right one alone is accepted, and none where there is no result.
#[test]
fn there_is_no_second_solution() {
    let all = || (0..65537).map(|word| F65537::from_word(word).unwrap());
    for (gadget, xs, is_right) in [
        (Floor, &[-7][..], true),
        (Floor, &[16], false),
        (NotNegative, &[-4], true),
        (AtLeast, &[3, -4], true),
    ] {
        let case = case(gadget, xs.len());
        let convincing: Vec<F65537> = all().filter(|error| convinces(&case, xs, &[*error])).collect();
        let expected: &[F65537] = if is_right { &[F65537::ZERO] } else { &[] };
        assert_eq!(convincing, expected, "{gadget:?} {xs:?}");
    }
    // Two hints, and three.
    let near = || (-9..=9).map(element::<F65537>);
    for x in -20..20 {
        let case = case(FloorRelu, 1);
        for errors in near().flat_map(|quotient| near().map(move |sign| [quotient, sign])) {
            // The product with the sign is a commitment of its own.
            let right = errors == [F65537::ZERO; 2] && (-16..16).contains(&x);
            assert_eq!(convinces(&case, &[x], &errors), right, "{x}");
        }
    }
    for xs in [[1, 3, 3], [-4, -4, -4], [3, -4, 3], [-1, 0, -4]] {
        let errors = (0..64).map(|at| [at % 4 - 1, at / 4 % 4 - 1, at / 16 - 1].map(element::<F65537>));
        for (gadget, none) in [(Argmax, [F65537::ZERO; 3]), (Maximum, [F65537::ZERO; 3])] {
            let convincing = errors.clone().filter(|errors| convinces(&case(gadget, 3), &xs, errors));
            assert_eq!(convincing.collect::<Vec<_>>(), [none], "{xs:?}");
        }
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let refused = |outcome: Result<Fixed>, why: &str| {
        let message = outcome.unwrap_err().to_string();
        assert!(message.contains(why), "{message}");
    };
    refused(Fixed::new::<F2>(8, 0), "not integers");
    refused(Fixed::new::<F256>(4, 0), "not integers");
    refused(Fixed::new::<F65537>(1, 0), "choose 2 to 15 bits");
    refused(Fixed::new::<F65537>(16, 0), "choose 2 to 15 bits");
    refused(Fixed::new::<F65537>(15, 2), "at most 16 together");
    refused(Fixed::new::<F61>(30, 31), "at most 60 together");
    refused(Fixed::new::<F61>(30, u32::MAX), "at most 60 together");
    let fixed = Fixed::new::<F61>(30, 30).unwrap();
    assert_eq!((fixed.bits(), fixed.fraction()), (30, 30));
    // A product has 59 bits, and what stands beside it 60.
    fixed.check_products::<F61>(3).unwrap();
    assert!(fixed.check_products::<F61>(4).unwrap_err().to_string().contains("sums of 4 products"));
    assert!(Fixed::new::<F61>(59, 1).unwrap().check_products::<F61>(1).is_err());
    let lengths = comes_to::<F61>(fixed, AtLeast, &[1, 2, 3], &[]).unwrap_err().to_string();
    assert!(lengths.contains("1 numbers and 2 others"), "{lengths}");
    let none = comes_to::<F61>(fixed, Argmax, &[], &[]).unwrap_err().to_string();
    assert!(none.contains("of no numbers"), "{none}");
}

/// Comparisons over a field that is too small for them would have two results, and roundings many.
#[test]
fn numbers_of_a_larger_field_are_refused() {
    let fixed = Fixed::new::<F61>(16, 10).unwrap();
    for gadget in [Numbers, AtLeast, NotNegative, Relu, Floor, FloorRelu, Multiply, Maximum, Argmax] {
        let why = comes_to::<F65537>(fixed, gadget, &[1, 2], &[]).unwrap_err().to_string();
        assert!(why.contains("over f65537") || why.contains("modulus"), "{gadget:?}: {why}");
    }
}
