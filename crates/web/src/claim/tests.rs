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
        "$.a matches x",
        "$.a matches \"x\", \"y\"",
        "$.a matches \"(\"",
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

/// Whether a value matches, in the clear and by gates, where all of it is hidden whole.
fn matches(claim: &Claim, value: &[u8]) -> bool {
    let body = vec![Byte::Hidden(Hidden::Whole); value.len()];
    found(claim.settle(&Json::read(&body).unwrap(), &body).unwrap(), value)
}

/// Whether what is settled holds of a value, in the clear and by gates.
fn found(settled: Settled, value: &[u8]) -> bool {
    match settled {
        Settled::Publicly(found) => found,
        Settled::By(comparison) => {
            let found = comparison.holds(|at| value[at]);
            let by_gates = volery::check(&Of(&comparison, value.len()), bits_of(value));
            assert_eq!(by_gates.is_ok(), found, "{} of {}", comparison.claim, value.escape_ascii());
            found
        }
    }
}

fn of_expression(expression: &str) -> Result<Claim, String> {
    format!("$ matches {}", serde_json::Value::from(expression)).parse()
}

/// Values that match as a whole, hidden whole, by their digits, or shown; and others.
#[test]
fn values_match_expressions_as_a_whole() {
    for (expression, value, holds) in [
        ("DE[0-9]{20}", "\"DE12345678901234567890\"", true),
        ("DE[0-9]{20}", "\"DE1234567890123456789x\"", false),
        ("DE[0-9]{20}", "\"DE1234567890123456789\"", false),
        ("DE[0-9]{20}", "\"xDE12345678901234567890\"", false),
        ("[a-z.]+@example\\.com", "\"al.ice@example.com\"", true),
        ("[a-z.]+@example\\.com", "\"al.ice@exampleXcom\"", false),
        ("[a-z.]+@example\\.com", "\"@example.com\"", false),
        // Whichever comes first decides nothing.
        ("a|ab", "\"ab\"", true),
        ("(a+?)(ab)?", "\"aab\"", true),
        ("(?i)eur|usd", "\"uSd\"", true),
        // No byte leads on from one of three states, and a bit is what others leave of their sum.
        ("p(x0|y1)|q(y0|x1)|r(z0|[xy]1)", "\"qx1\"", true),
        ("p(x0|y1)|q(y0|x1)|r(z0|[xy]1)", "\"pz1\"", false),
        // Texts are as they are written.
        (".", "\"\\u00e9\"", false),
        ("a\\\\\"b", "\"a\\\"b\"", true),
        ("..", "\"é\"", true),
        ("é", "\"é\"", true),
        ("(?u:[a-zé]).", "\"éa\"", true),
        ("(?u).", "\"é\"", true),
        ("", "\"\"", true),
        // Of a number and a literal, and no quotes of the expression are those of a string.
        ("[0-9]+", "12", true),
        ("[0-9]+", "\"12\"", true),
        ("[0-9]+", "-12", false),
        ("-?[0-9]+\\.[0-9]{2}", "-12.50", true),
        ("true|null", "null", true),
        ("true|null", "false", false),
        ("\"a\"", "\"a\"", false),
        ("(?s).*", "[1]", false),
        ("(?s).*", "{}", false),
        ("(?s).*", "\"\"", true),
        ("(?s).*", "1e5", true),
    ] {
        let claim = of_expression(expression).unwrap();
        assert_eq!(matches(&claim, value.as_bytes()), holds, "{expression} of {value}");
        let shown: Vec<_> = value.bytes().map(Byte::Shown).collect();
        match value.starts_with(['[', '{']) {
            true => assert_eq!(claim.settle(&Json::read(&shown).unwrap(), &shown), Err(NoValue::Nested)),
            false => {
                let settled = claim.settle(&Json::read(&shown).unwrap(), &shown);
                assert_eq!(settled, Ok(Settled::Publicly(holds)), "{expression} of {value}");
            }
        }
        if value.starts_with(|first: char| first == '-' || first.is_ascii_digit()) && !value.contains('e') {
            let digits = hidden(value);
            let settled = claim.settle(&Json::read(&digits).unwrap(), &digits).unwrap();
            assert_eq!(found(settled, value.as_bytes()), holds, "{expression} of {value}");
        }
    }
}

/// Numbers below a bound.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        // Of Knuth's MMIX.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    /// An expression over few letters.
    fn expression(&mut self, levels: usize) -> String {
        let kind = if levels == 0 { self.below(5) } else { self.below(10) };
        match kind {
            0 => ".".into(),
            1 => ["[a-c]", "[^b]", "[0-9]", "[^a-c]"][self.below(4)].into(),
            2..=4 => ["a", "b", "ab", "7"][self.below(4)].into(),
            5 => format!("({}|{})", self.expression(levels - 1), self.expression(levels - 1)),
            6 => {
                format!("({}){}", self.expression(levels - 1), ["*", "+", "?", "{2}", "{1,3}"][self.below(5)])
            }
            _ => format!("{}{}", self.expression(levels - 1), self.expression(levels - 1)),
        }
    }
}

/// Random expressions and texts, by another library.
#[test]
fn expressions_match_as_elsewhere() {
    let mut numbers = Numbers(1);
    let (mut texts, mut matched) = (0, 0);
    for _ in 0..150 {
        let expression = numbers.expression(3);
        let claim = of_expression(&expression).unwrap();
        let other = elsewhere(&expression);
        for i in 0..30 {
            let text: Vec<_> = (0..numbers.below(7)).map(|_| b"abc7\n\xff"[numbers.below(6)]).collect();
            let (value, holds) = match i % 10 {
                0 => (text.clone(), text.iter().all(|byte| *byte == b'7') && !text.is_empty()),
                _ => ([b"\"", &text[..], b"\""].concat(), true),
            };
            let holds = holds && other.is_match(&text);
            let What::Matches(automaton) = &claim.what else { panic!() };
            assert_eq!(
                automaton.takes(value.iter().copied()),
                holds,
                "{expression} {}",
                value.escape_ascii()
            );
            if i < 2 && !value.is_empty() {
                assert_eq!(matches(&claim, &value), holds, "{expression} {}", value.escape_ascii());
            }
            (texts, matched) = (texts + 1, matched + usize::from(holds));
        }
    }
    assert!(texts == 4500 && matched > 200, "{matched}");
}

/// All bytes at some places of a value, by gates.
#[test]
fn gates_of_expressions_are_those_of_bytes() {
    for (expression, value, at) in
        [("[a-z.]+@x", "\"ab@x\"", 2), ("(a[0-9]|[x-z]a|é)b|[!-~]{2}c", "\"a7b\"", 1)]
    {
        let claim = of_expression(expression).unwrap();
        let other = elsewhere(&format!("\"(?:{expression})\""));
        for byte in 0..=255 {
            let mut value = value.as_bytes().to_vec();
            value[at] = byte;
            assert_eq!(matches(&claim, &value), other.is_match(&value), "{}", value.escape_ascii());
        }
    }
}

/// The expression of another library, that matches as a whole.
fn elsewhere(expression: &str) -> regex::bytes::Regex {
    let whole = format!("\\A(?:{expression})\\z");
    regex::bytes::RegexBuilder::new(&whole).unicode(false).build().unwrap()
}

/// The ANDs of a value of so many bytes, and the most that are foretold.
fn ands_of_expression(expression: &str, bytes: usize) -> (u64, u64) {
    let claim = of_expression(expression).unwrap();
    let body = vec![Byte::Hidden(Hidden::Whole); bytes];
    let Settled::By(comparison) = claim.settle(&Json::read(&body).unwrap(), &body).unwrap() else { panic!() };
    (Shape::without_depth::<F2>(&Of(&comparison, bytes)).unwrap().mul, claim.most_ands())
}

#[test]
fn gates_of_expressions_are_pinned() {
    for (expression, bytes, ands) in [
        ("DE[0-9]{20}", 24, 40),
        ("[a-z.]+@example\\.com", 24, 10 * 12),
        ("(19|20)[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])", 12, 24),
        (".*@.*", 22, 299),
        ("JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC", 5, 72),
    ] {
        let (found, most) = ands_of_expression(expression, bytes);
        assert!(found == ands && found <= most, "{expression}: {found}, {most}");
    }
}

/// Expressions beyond bounds, and values that are.
#[test]
fn expressions_are_bounded() {
    for (expression, words) in [
        ("^a", "leave ^, $ and"),
        ("a\\b", "leave ^, $ and"),
        ("(a", "unclosed group"),
        ("[é]", "Unicode"),
        ("a{254}", "more than 256 states"),
        ("[ab]*a[ab]{9}", "more than 256 states"),
        ("(a{1000}){1000}", "more than 256 states"),
        ("[ab]*a[ab]{30}", "more than 256 states"),
        (&"(".repeat(60), "unclosed group"),
        (&format!("{}a{}", "(".repeat(60), ")".repeat(60)), "nest"),
        (&"a".repeat(1025), "more than 1024 bytes"),
    ] {
        let why = of_expression(expression).unwrap_err();
        assert!(why.contains(words), "{expression}: {why}");
    }
    assert!(of_expression("a{253}").is_ok() && of_expression("[ab]*a[ab]{6}").is_ok());
    let claim = of_expression("(?s).*").unwrap();
    let body = |length: usize| {
        let body = vec![Byte::Hidden(Hidden::Whole); length];
        claim.settle(&Json::read(&body).unwrap(), &body)
    };
    assert!(matches!(body(1024), Ok(Settled::By(_))));
    assert_eq!(body(1025), Err(NoValue::Long));
}
