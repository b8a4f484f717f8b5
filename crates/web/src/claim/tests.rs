//! Claims that hold and others, settled by shown bytes, in the clear, and by gates.

use super::*;
use crate::opening::Hidden;
use volery::F2;
use volery::circuit::gadget::{Word, bits_of};
use volery::circuit::stream::Recorder;
use volery::circuit::{Backend, Circuit, Shape};

/// The bytes of a number whose digits are hidden.
fn hidden(number: &str) -> Vec<Byte> {
    let byte =
        |byte: u8| if byte.is_ascii_digit() { Byte::Hidden(Hidden::Digits) } else { Byte::Shown(byte) };
    number.bytes().map(byte).collect()
}

fn settle(claim: &str, body: &[Byte]) -> Result<Settled, NoValue> {
    let claim: Claim = claim.parse().unwrap();
    claim.settle(&Json::read(body).unwrap(), body)
}

/// A comparison of bytes, which the prover knows.
struct Of<'c>(&'c Comparison<usize>, usize);

impl Circuit<Recorder<'_, F2>> for Of<'_> {
    fn run(&self, b: &mut Recorder<'_, F2>) -> volery::Result<()> {
        let bytes = (0..self.1).map(|_| Word::witness(b)).collect::<volery::Result<Vec<_>>>()?;
        // Something is asserted of all.
        let zero = b.constant(F2::from(false));
        b.assert_zero(zero, "zero")?;
        self.0.push(b, |at| bytes[at])
    }
}

#[test]
fn numbers_compare_as_numbers() {
    let numbers =
        ["0", "-0", "0.0", "7", "-7", "12", "12.5", "12.50", "-12.5", "99", "100", "0.001", "-0.001"];
    for number in numbers {
        let value: f64 = number.parse().unwrap();
        for bound in numbers {
            let limit: f64 = bound.parse().unwrap();
            for (relation, holds) in [
                ("<", value < limit),
                ("<=", value <= limit),
                ("==", value == limit),
                ("!=", value != limit),
                (">=", value >= limit),
                (">", value > limit),
            ] {
                let claim = format!("$ {relation} {bound}");
                let shown: Vec<_> = number.bytes().map(Byte::Shown).collect();
                assert_eq!(settle(&claim, &shown), Ok(Settled::Publicly(holds)), "{number} {claim}");
                let found = match settle(&claim, &hidden(number)).unwrap() {
                    Settled::Publicly(found) => found,
                    Settled::By(comparison) => {
                        let found = comparison.holds(|at| number.as_bytes()[at]);
                        let circuit = Of(&comparison, number.len());
                        assert_eq!(
                            volery::check(&circuit, bits_of(number.as_bytes())).is_ok(),
                            found,
                            "{claim}"
                        );
                        found
                    }
                };
                assert_eq!(found, holds, "{number} {claim}");
            }
        }
    }
}

#[test]
fn a_bit_is_an_and_at_most() {
    let ands = |relation: &str| {
        let body = hidden("123456");
        let Settled::By(comparison) = settle(&format!("$ {relation} 1000.00"), &body).unwrap() else {
            panic!()
        };
        Shape::without_depth::<F2>(&Of(&comparison, body.len())).unwrap().mul
    };
    // Bits of the bound fold as long as all below are alike.
    assert_eq!(["<", "<=", ">", ">=", "!=", "=="].map(ands), [11, 23, 23, 11, 23, 0]);
}

/// Texts that are hidden whole, shown, or of other lengths; by gates, too.
#[test]
fn texts_are_one_of_some() {
    for (claim, value, holds) in [
        ("$ == \"EUR\"", "\"EUR\"", true),
        ("$ == \"EUR\"", "\"USD\"", false),
        ("$ == \"EUR\"", "\"EURO\"", false),
        ("$ == \"a b\"", "\"a b\"", true),
        ("$ == true", "true", true),
        ("$ == true", "null", false),
        ("$ in [\"DE\", \"FR\", \"CH\", \"USA\"]", "\"CH\"", true),
        ("$ in [\"DE\", \"FR\", \"CH\", \"USA\"]", "\"USA\"", true),
        ("$ in [\"DE\", \"FR\", \"DE\"]", "\"DE\"", true),
        ("$ in [\"DE\", \"FR\"]", "\"CH\"", false),
        ("$ in [false, null]", "null", true),
    ] {
        let shown: Vec<_> = value.bytes().map(Byte::Shown).collect();
        assert_eq!(settle(claim, &shown), Ok(Settled::Publicly(holds)), "{claim} {value}");
        let hidden = vec![Byte::Hidden(Hidden::Whole); value.len()];
        let found = match settle(claim, &hidden).unwrap() {
            Settled::Publicly(found) => found,
            Settled::By(comparison) => {
                let found = comparison.holds(|at| value.as_bytes()[at]);
                let circuit = Of(&comparison, value.len());
                assert_eq!(volery::check(&circuit, bits_of(value.as_bytes())).is_ok(), found, "{claim}");
                found
            }
        };
        assert_eq!(found, holds, "{claim} {value}");
    }
    let hidden = vec![Byte::Hidden(Hidden::Whole); 4];
    let ands = |claim: &str| {
        let Settled::By(comparison) = settle(claim, &hidden).unwrap() else { panic!() };
        Shape::without_depth::<F2>(&Of(&comparison, 4)).unwrap().mul
    };
    assert_eq!(["$ == \"DE\"", "$ in [\"DE\", \"FR\", \"USA\"]"].map(ands), [0, 2 * 31]);
}

#[test]
fn claims_are_refused() {
    for text in [
        "",
        "$",
        "$ > ",
        "$.a>1",
        "$.a > 1e5",
        "$.a > .5",
        "$.a > 5.",
        "$.a = 5",
        "a > 5",
        "$.a > +5",
        "$.a != \"x\"",
        "$.a == \"x",
        "$.a == tru",
        "$.a in []",
        "$.a in [1]",
        "$.a in [[\"x\"]]",
        "$.a == \"x\",\"y\"",
    ] {
        assert!(text.parse::<Claim>().is_err(), "{text}");
    }
    let body = br#"{"a":"1","b":1e5,"c":1}"#.map(Byte::Shown);
    assert_eq!(settle("$.a > 1", &body), Err(NoValue::Kind));
    assert_eq!(settle("$.c == \"1\"", &body), Err(NoValue::NoText));
    assert_eq!(settle("$.b > 1", &body), Err(NoValue::Exponent));
    assert_eq!(settle("$.d > 1", &body), Err(NoValue::Missing));
    let long = vec![Byte::Hidden(Hidden::Digits); 65];
    assert_eq!(settle("$ > 1", &long), Err(NoValue::Digits));
}
