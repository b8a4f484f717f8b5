use super::*;
use volery_channel::error::Error;
use volery_circuit::stream::Streamed;
use volery_circuit::testing::Faulty;
use volery_circuit::{Circuit, Clear, Shape};
use volery_primitives::hash::elements::expanded;
use volery_primitives::{F2, F61, F128};

/// Each computes one element of three from the witness and the public 5 and 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gadget {
    Add,
    AddPublic,
    Sub,
    SubPublic,
    PublicSub,
    Neg,
    Mul,
    MulPublic,
    Vanish,
    Square,
    Power(u64),
    Inverse,
    IsZero,
    Equals,
    EqualsItself,
    Select,
    Sum,
    Product,
    InnerProduct,
    Linear,
    LinearMap,
    Polynomial,
    PublicPolynomial,
}

use Gadget::*;

/// The gadgets with their multiplications, additions, scalings and hints where the characteristic is odd.
const ALL: [(Gadget, [u64; 4]); 29] = [
    (Add, [0, 1, 0, 0]),
    (AddPublic, [0, 1, 0, 0]),
    (Sub, [0, 1, 1, 0]),
    (SubPublic, [0, 1, 0, 0]),
    (PublicSub, [0, 1, 1, 0]),
    (Neg, [0, 0, 1, 0]),
    (Mul, [1, 0, 0, 0]),
    (MulPublic, [0, 0, 1, 0]),
    (Vanish, [0, 0, 0, 0]),
    (Square, [1, 0, 0, 0]),
    (Power(0), [0, 0, 0, 0]),
    (Power(1), [0, 0, 0, 0]),
    (Power(2), [1, 0, 0, 0]),
    (Power(5), [3, 0, 0, 0]),
    (Power(255), [14, 0, 0, 0]),
    (Power(1 << 63), [63, 0, 0, 0]),
    (Power(u64::MAX), [126, 0, 0, 0]),
    (Inverse, [1, 1, 0, 1]),
    (IsZero, [2, 1, 1, 1]),
    (Equals, [2, 2, 2, 1]),
    (EqualsItself, [2, 2, 2, 1]),
    (Select, [2, 3, 1, 0]),
    (Sum, [0, 3, 0, 0]),
    (Product, [2, 0, 1, 0]),
    (InnerProduct, [2, 2, 1, 0]),
    (Linear, [0, 1, 2, 0]),
    (LinearMap, [1, 3, 5, 0]),
    (Polynomial, [2, 2, 0, 0]),
    (PublicPolynomial, [1, 2, 1, 0]),
];

/// Asserts that a gadget comes to `expected` on three witness elements.
struct Case<F> {
    gadget: Gadget,
    expected: F,
}

fn five<F: Field>() -> F {
    (0..5).map(|_| F::ONE).sum()
}

impl<B: Backend> Circuit<B> for Case<B::F> {
    fn run(&self, b: &mut B) -> Result<()> {
        let (x, y, z) = (Element::witness(b)?, Element::witness(b)?, Element::witness(b)?);
        let (c, zero, one) = (Public(five::<B::F>()), Element::ZERO, Element::ONE);
        let all = [x, c, y, zero, z];
        let result = match self.gadget {
            Add => x.add(b, y),
            AddPublic => c.add(b, x).add(b, zero),
            Sub => x.sub(b, y),
            SubPublic => x.sub(b, c),
            PublicSub => c.sub(b, x),
            Neg => x.neg(b),
            Mul => x.mul(b, y)?,
            MulPublic => c.mul(b, x)?.mul(b, one)?,
            Vanish => x.mul(b, zero)?,
            Square => x.square(b)?,
            Power(exponent) => x.power(b, exponent)?,
            Inverse => x.inverse(b, "inverse")?,
            IsZero => x.is_zero(b)?,
            Equals => x.equals(b, y)?,
            EqualsItself => x.equals(b, x)?,
            Select => {
                z.assert_bit(b, "z")?;
                z.select(b, x, y)?
            }
            Sum => Element::sum(b, all),
            Product => Element::product(b, [x, c, y, z])?,
            InnerProduct => Element::inner_product(b, &all, &[y, x, z, z, zero])?,
            Linear => Element::linear(b, &[five(), B::F::ONE, B::F::ZERO], &[x, y, z])?,
            LinearMap => {
                let (zero, one) = (B::F::ZERO, B::F::ONE);
                let rows = Element::linear_map(b, &[five(), zero, -one, one, five(), five()], &[x, y, z])?;
                Element::product(b, rows)?
            }
            Polynomial => x.polynomial(b, [c, y, z].into_iter())?,
            PublicPolynomial => x.polynomial(b, [c, one, c].into_iter())?,
        };
        result.assert_equal(b, Public(self.expected), "result")
    }
}

/// The plain result of a gadget.
fn plain<F: Field>(gadget: Gadget, [x, y, z]: [F; 3]) -> F {
    let c = five::<F>();
    let bit = |holds: bool| if holds { F::ONE } else { F::ZERO };
    match gadget {
        Add => x + y,
        AddPublic => x + c,
        Sub => x - y,
        SubPublic => x - c,
        PublicSub => c - x,
        Neg => -x,
        Mul => x * y,
        MulPublic => x * c,
        Vanish => F::ZERO,
        Square => x * x,
        Power(exponent) => (0..64).rev().fold(F::ONE, |power, i| {
            let square = power * power;
            if exponent >> i & 1 == 1 { square * x } else { square }
        }),
        Inverse => x.invert(),
        IsZero => bit(x == F::ZERO),
        Equals => bit(x == y),
        EqualsItself => F::ONE,
        Select => {
            if z == F::ONE {
                x
            } else {
                y
            }
        }
        Sum => x + c + y + z,
        Product => x * c * y * z,
        InnerProduct => x * y + c * x + y * z,
        Linear => c * x + y,
        LinearMap => (c * x - z) * (x + c * y + c * z),
        Polynomial => c + y * x + z * x * x,
        PublicPolynomial => c + x + c * x * x,
    }
}

fn check<F: Field>(gadget: Gadget, witness: [F; 3], expected: F) -> Result<()> {
    let mut clear = Clear::new(witness);
    Streamed(&Case { gadget, expected }).run(&mut clear)?;
    clear.finish()
}

fn gadgets_compute<F: Field>() {
    let mut random = expanded::<F>([1; 32]);
    let mut next = move || random.next().expect("without end");
    for (gadget, _) in ALL {
        for i in 0..20 {
            let (x, y) = (next(), if i % 5 == 0 { F::ZERO } else { next() });
            let z = if gadget == Select { [F::ZERO, F::ONE][i % 2] } else { next() };
            for witness in [[x, y, z], [y, x, z], [x, x, z]] {
                if gadget == Inverse && witness[0] == F::ZERO {
                    continue;
                }
                let right = plain(gadget, witness);
                check(gadget, witness, right).unwrap_or_else(|why| panic!("{gadget:?}: {why}"));
                let refused = check(gadget, witness, right + F::ONE).unwrap_err().to_string();
                assert!(refused.contains(": result does not hold"), "{gadget:?}: {refused}");
            }
        }
    }
}

#[test]
fn gadgets_compute_as_the_field_does() {
    gadgets_compute::<F61>();
    gadgets_compute::<F128>();
    gadgets_compute::<F2>();
}

#[test]
fn gadgets_have_their_gates() {
    for (gadget, gates) in ALL {
        let shape = Shape::of::<F61>(&Case { gadget, expected: F61::ZERO }).unwrap();
        assert_eq!([shape.mul, shape.add, shape.scale, shape.inputs - 3], gates, "{gadget:?}");
    }
    // In characteristic two differences are sums.
    let shape = Shape::of::<F128>(&Case { gadget: Equals, expected: F128::ZERO }).unwrap();
    assert_eq!([shape.mul, shape.add, shape.scale], [2, 2, 0]);
}

#[test]
fn zero_has_no_inverse() {
    let why = check(Inverse, [F61::ZERO; 3], F61::ZERO).unwrap_err().to_string();
    assert!(why.contains(": inverse does not hold"), "{why}");
}

#[test]
fn others_than_bits_are_refused() {
    for z in [F61::new(2), -F61::ONE] {
        let why = check(Select, [z; 3], z).unwrap_err().to_string();
        assert!(why.contains(": z does not hold"), "{why}");
    }
}

#[test]
fn lengths_must_fit() {
    let b = &mut Clear::<F61>::new([]);
    let (one, three) = (Element::ONE, [Element::ONE; 3]);
    let cases = [
        (Element::inner_product(b, &three, &[one]).err(), "of 3 and 1 elements"),
        (Element::linear(b, &[F61::ONE], &three).err(), "1 coefficients for 3 elements"),
        (Element::linear_map(b, &[F61::ONE; 5], &three).err(), "5 entries for 3 elements"),
        (Element::linear_map(b, &[], &[]).err(), "0 entries for 0 elements"),
    ];
    for (refused, word) in cases {
        let why = refused.unwrap().to_string();
        assert!(why.contains(word), "{word:?} is missing in {why:?}");
    }
}

/// Demands that the witness element has `bits` bits, then that they are those of `expected`.
struct Range {
    bits: u32,
    expected: u128,
}

impl<B: Backend> Circuit<B> for Range {
    fn run(&self, b: &mut B) -> Result<()> {
        let x = Element::witness(b)?;
        let bits = x.bits(b, self.bits, "x in range")?;
        assert_eq!(bits.len(), self.bits as usize);
        for (i, bit) in bits.iter().enumerate() {
            let expected = if self.expected >> i & 1 == 1 { Element::ONE } else { Element::ZERO };
            bit.assert_equal(b, expected, format_args!("bit {i}"))?;
        }
        let again = Element::from_bits(b, &bits)?;
        again.assert_equal(b, x, "x again")
    }
}

#[test]
fn ranges_hold_their_numbers_and_no_others() {
    for bits in [0, 1, 2, 3, 31, 59, 60] {
        let check = |x: F61| Streamed(&Range { bits, expected: x.to_word() }).run(&mut Clear::new([x]));
        let mut inside: Vec<u64> = expanded::<F61>([2; 32]).take(8).map(|x| x.get() % (1 << bits)).collect();
        inside.extend([0, (1 << bits) - 1]);
        for x in inside {
            check(F61::new(x)).unwrap();
        }
        for outside in [F61::new(1 << bits), F61::new((1 << bits) + 5), -F61::ONE, F61::place(60)] {
            let why = check(outside).unwrap_err().to_string();
            assert!(why.contains(": x in range does not hold"), "{bits}: {why}");
        }
    }
    let why = Streamed(&Range { bits: 3, expected: 4 }).run(&mut Clear::new([F61::new(5)])).unwrap_err();
    assert!(why.to_string().contains(": bit 0 does not hold"), "{why}");
}

#[test]
fn a_range_has_a_multiplication_for_each_bit() {
    for bits in 1..=60 {
        let shape = Shape::of::<F61>(&Range { bits, expected: 0 }).unwrap();
        assert_eq!((shape.mul, shape.inputs, shape.depth), (u64::from(bits), u64::from(bits), 1));
    }
}

#[test]
fn ranges_without_meaning_are_refused() {
    let refused = |run: Result<()>| match run {
        Err(Error::Invalid(why)) => why,
        other => panic!("{other:?}"),
    };
    let why = refused(Streamed(&Range { bits: 61, expected: 1 }).run(&mut Clear::new([F61::ONE])));
    assert!(why.contains("x in range: ") && why.contains("modulus of f61: choose at most 60 bits"), "{why}");
    let why = refused(Streamed(&Range { bits: 3, expected: 1 }).run(&mut Clear::new([F128::ONE])));
    assert!(why.contains("elements of f128 are not integers"), "{why}");
    let why = refused(Streamed(&Range { bits: 0, expected: 1 }).run(&mut Clear::new([F2::ONE])));
    assert!(why.contains("elements of f2 are not integers"), "{why}");
}

#[test]
fn public_elements_cost_nothing_and_are_asserted() {
    let b = &mut Clear::<F61>::new([]);
    let (x, y): (Element<_, F61>, _) = (Public(F61::new(6)), Public(F61::new(11)));
    let results = [
        x.add(b, y),
        x.sub(b, y),
        x.mul(b, y).unwrap(),
        x.power(b, 3).unwrap(),
        x.is_zero(b).unwrap(),
        x.equals(b, x).unwrap(),
        y.inverse(b, "inverse").unwrap().mul(b, y).unwrap(),
    ];
    let expected = [F61::new(17), -F61::new(5), F61::new(66), F61::new(216), F61::ZERO, F61::ONE, F61::ONE];
    for (result, expected) in results.into_iter().zip(expected) {
        assert!(matches!(result, Public(c) if c == expected));
    }
    let bits = y.bits(b, 4, "y").unwrap();
    assert!(bits.iter().zip([1, 1, 0, 1]).all(|(bit, c)| matches!(bit, Public(x) if x.get() == c)));
    let why = y.assert_range(b, 3, "y").unwrap_err().to_string();
    assert!(why.contains(": y does not hold"), "{why}");
    let why = y.assert_bit(b, "bit").unwrap_err().to_string();
    assert!(why.contains(": bit does not hold"), "{why}");
}

#[test]
fn wrong_products_and_hints_are_found() {
    let element = F61::new(0b10110);
    for (gadget, gates) in ALL {
        let witness = if gadget == Select { [element, F61::ZERO, F61::ONE] } else { [element; 3] };
        let (case, first) = (Case { gadget, expected: plain(gadget, witness) }, gates[0] + gates[3]);
        for until in 0..first {
            let run = Streamed(&case).run(&mut Faulty::new(witness, until));
            // Zero times any hint is zero.
            let harmless = until == 0 && matches!(gadget, Equals | EqualsItself);
            assert_eq!(run.is_ok(), harmless, "{gadget:?}: {until}");
        }
    }
    let range = Range { bits: 6, expected: element.to_word() };
    for until in 0..11 {
        let refused = Streamed(&range).run(&mut Faulty::new([element], until)).unwrap_err().to_string();
        assert!(refused.contains(": x in range"), "{until}: {refused}");
    }
    Streamed(&range).run(&mut Faulty::new([element], 11)).unwrap();
}
