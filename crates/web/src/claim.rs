//! Claims about numbers of a body of JSON that stay hidden: `PATH RELATION NUMBER`, such as `$.balance >= 1000.00`.
//!
//! Sign, point and the number of digits are public, as the skeleton shows them. So a claim is settled by the signs alone,
//! or it compares two strings of decimal digits of one length, of which one is public. Of digits the lower four bits
//! are their values, and strings of these compare as binary numbers do: at one AND at most for each bit of a digit.
//! That hidden digits are digits is proved where they are hidden.

use crate::json::{Json, Kind, Path};
use crate::skeleton::Byte;
use core::cmp::Ordering;
use core::fmt::{self, Display};
use core::str::FromStr;
use volery::F2;
use volery::circuit::gadget::{Bit, Word};
use volery::circuit::stream::{Handle, Recorder};

/// The most digits of a claim's number, and of a value that one is about.
const MOST_DIGITS: usize = 64;

/// A claim about the number at a path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    text: String,
    path: Path,
    relation: Relation,
    bound: Decimal<u8>,
}

/// A relation of numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Relation {
    Less,
    AtMost,
    Equal,
    Different,
    AtLeast,
    More,
}

impl Relation {
    /// The relation of the negatives.
    const fn turned(self) -> Self {
        match self {
            Self::Less => Self::More,
            Self::AtMost => Self::AtLeast,
            Self::AtLeast => Self::AtMost,
            Self::More => Self::Less,
            same => same,
        }
    }

    /// Whether it holds of two numbers that stand so.
    const fn holds(self, order: Ordering) -> bool {
        match self {
            Self::Less => order.is_lt(),
            Self::AtMost => order.is_le(),
            Self::Equal => order.is_eq(),
            Self::Different => order.is_ne(),
            Self::AtLeast => order.is_ge(),
            Self::More => order.is_gt(),
        }
    }
}

/// A decimal number: its sign, and its digits before and behind the point.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Decimal<D> {
    is_negative: bool,
    whole: Vec<D>,
    part: Vec<D>,
}

/// A digit of a value, by the place of its byte in the body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Digit<P> {
    /// A digit that is public.
    Known(u8),
    /// A hidden digit, at this place.
    At(P),
}

/// A comparison of as many digits, hidden ones among them, with public ones.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Comparison<P> {
    /// The claim, as it was written.
    pub(crate) claim: String,
    relation: Relation,
    pub(crate) digits: Vec<Digit<P>>,
    bound: Vec<u8>,
}

/// A claim, as far as the shown bytes settle it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Settled {
    /// The shown bytes decide it.
    Publicly(bool),
    /// The part of it that is for the circuit.
    By(Comparison<usize>),
}

/// Reasons for which a claim is about nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoNumber {
    /// No value is there.
    #[error("there is no value")]
    Missing,
    /// Another kind of value is there.
    #[error("the value is no number")]
    Kind,
    /// The number has an exponent.
    #[error("the number has an exponent, which a claim does not take")]
    Exponent,
    /// The number has too many digits.
    #[error("the number has more than {MOST_DIGITS} digits")]
    Digits,
}

impl Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for Claim {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong =
            || format!("{text:?} is no claim: write $.path >= 12.50, or another of <, <=, ==, !=, >=, >");
        let (before, number) = text.rsplit_once(' ').ok_or_else(wrong)?;
        let (path, relation) = before.rsplit_once(' ').ok_or_else(wrong)?;
        let relation = match relation {
            "<" => Relation::Less,
            "<=" => Relation::AtMost,
            "==" => Relation::Equal,
            "!=" => Relation::Different,
            ">=" => Relation::AtLeast,
            ">" => Relation::More,
            _ => return Err(wrong()),
        };
        let (is_negative, number) = number.strip_prefix('-').map_or((false, number), |number| (true, number));
        let (whole, part) =
            number.split_once('.').map_or((number, None), |(whole, part)| (whole, Some(part)));
        let digits = |text: &str| -> Result<Vec<u8>, String> {
            let is_number =
                (1..=MOST_DIGITS).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
            is_number.then(|| text.bytes().map(|byte| byte - b'0').collect()).ok_or_else(wrong)
        };
        let (whole, part) = (digits(whole)?, part.map_or(Ok(vec![]), digits)?);
        // Zero has no sign.
        let is_negative = is_negative && whole.iter().chain(&part).any(|digit| *digit != 0);
        let bound = Decimal { is_negative, whole, part };
        Ok(Self { text: text.into(), path: path.trim().parse()?, relation, bound })
    }
}

impl Claim {
    /// The path to the number.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Settles the claim as far as the shown bytes of a body do.
    pub(crate) fn settle(&self, json: &Json, body: &[Byte]) -> Result<Settled, NoNumber> {
        let value = json.at(&self.path).ok_or(NoNumber::Missing)?;
        if value.kind != Kind::Number {
            return Err(NoNumber::Kind);
        }
        let mut number = Decimal { is_negative: false, whole: vec![], part: vec![] };
        let mut is_part = false;
        for at in value.range.clone() {
            let digit = match body[at] {
                Byte::Shown(b'-') => {
                    number.is_negative = true;
                    continue;
                }
                Byte::Shown(b'.') => {
                    is_part = true;
                    continue;
                }
                Byte::Shown(digit @ b'0'..=b'9') => Digit::Known(digit - b'0'),
                Byte::Shown(_) => return Err(NoNumber::Exponent),
                // The reader of JSON lets nothing else stand there.
                Byte::Hidden(_) | Byte::Any => Digit::At(at),
            };
            if is_part { number.part.push(digit) } else { number.whole.push(digit) }
        }
        if number.whole.len().max(number.part.len()) > MOST_DIGITS {
            return Err(NoNumber::Digits);
        }
        Ok(self.compare(number))
    }

    fn compare(&self, number: Decimal<Digit<usize>>) -> Settled {
        let is_zero = self.bound.whole.iter().chain(&self.bound.part).all(|digit| *digit == 0);
        // A number that is not negative is above all that are; one with a sign may be zero, too.
        let relation = match (number.is_negative, self.bound.is_negative) {
            (false, true) => return Settled::Publicly(self.relation.holds(Ordering::Greater)),
            (true, false) if !is_zero => return Settled::Publicly(self.relation.holds(Ordering::Less)),
            (true, _) => self.relation.turned(),
            (false, false) => self.relation,
        };
        let whole = number.whole.len().max(self.bound.whole.len());
        let part = number.part.len().max(self.bound.part.len());
        let digits = padded(&number.whole, &number.part, (whole, part), Digit::Known(0));
        let bound = padded(&self.bound.whole, &self.bound.part, (whole, part), 0);
        let known: Option<Vec<u8>> = digits
            .iter()
            .map(|digit| match digit {
                Digit::Known(digit) => Some(*digit),
                Digit::At(_) => None,
            })
            .collect();
        match known {
            Some(known) => Settled::Publicly(relation.holds(known.cmp(&bound))),
            None => Settled::By(Comparison { claim: self.text.clone(), relation, digits, bound }),
        }
    }
}

/// The digits of a number of so many before and behind the point.
fn padded<D: Clone>(whole: &[D], part: &[D], (before, behind): (usize, usize), zero: D) -> Vec<D> {
    let mut digits = vec![zero.clone(); before - whole.len()];
    digits.extend_from_slice(whole);
    digits.extend_from_slice(part);
    digits.resize(before + behind, zero);
    digits
}

impl<P: Copy> Comparison<P> {
    /// The comparison with other names for its places.
    pub(crate) fn map<Q>(self, mut place: impl FnMut(P) -> Q) -> Comparison<Q> {
        let Self { claim, relation, digits, bound } = self;
        let digits = digits.into_iter().map(|digit| match digit {
            Digit::Known(digit) => Digit::Known(digit),
            Digit::At(at) => Digit::At(place(at)),
        });
        Comparison { claim, relation, digits: digits.collect(), bound }
    }

    /// Whether it holds, where `byte` gives the bytes at places.
    pub(crate) fn holds(&self, byte: impl Fn(P) -> u8) -> bool {
        // From the first digit on, without a branch on any: what differs first decides.
        let (mut below, mut above) = (false, false);
        for (digit, bound) in self.digits.iter().zip(&self.bound) {
            let digit = match digit {
                Digit::Known(digit) => *digit,
                Digit::At(at) => byte(*at) & 15,
            };
            let undecided = !(below | above);
            below |= undecided & (digit < *bound);
            above |= undecided & (digit > *bound);
        }
        match self.relation {
            Relation::Less => below,
            Relation::AtMost => !above,
            Relation::Equal => !(below | above),
            Relation::Different => below | above,
            Relation::AtLeast => !below,
            Relation::More => above,
        }
    }

    /// Demands it, where `byte` gives the bytes at places.
    pub(crate) fn push(
        &self,
        b: &mut Recorder<'_, F2>,
        byte: impl Fn(P) -> Word<Handle, 8>,
    ) -> volery::Result<()> {
        let name = format!("claim {}", self.claim);
        // From the lowest bit of the last digit.
        let mut bits = Vec::with_capacity(4 * self.digits.len());
        for (digit, bound) in self.digits.iter().zip(&self.bound).rev() {
            let word = match digit {
                Digit::Known(digit) => Word::public((*digit).into()),
                Digit::At(at) => byte(*at),
            };
            bits.extend((0..4).map(|i| (word.bits()[i], bound >> i & 1 == 1)));
        }
        if self.relation == Relation::Equal {
            return bits.iter().try_for_each(|(bit, bound)| bit.assert_equal(b, Bit::Public(*bound), &name));
        }
        // Whether the number is below the bound, above it, or another, by the bits so far.
        let (mut below, mut above, mut other) = (Bit::Public(false), Bit::Public(false), Bit::Public(false));
        for (bit, bound) in bits {
            let differs = if bound { bit.not(b) } else { bit };
            match self.relation {
                Relation::Less | Relation::AtLeast if bound => below = differs.or(b, below)?,
                Relation::Less | Relation::AtLeast => {
                    let same = differs.not(b);
                    below = same.and(b, below)?;
                }
                Relation::More | Relation::AtMost if bound => above = bit.and(b, above)?,
                Relation::More | Relation::AtMost => above = bit.or(b, above)?,
                Relation::Equal | Relation::Different => other = differs.or(b, other)?,
            }
        }
        let (bit, expected) = match self.relation {
            Relation::Less => (below, true),
            Relation::AtLeast => (below, false),
            Relation::More => (above, true),
            Relation::AtMost => (above, false),
            Relation::Equal | Relation::Different => (other, true),
        };
        bit.assert_equal(b, Bit::Public(expected), name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opening::Hidden;
    use volery::circuit::gadget::bits_of;
    use volery::circuit::{Backend, Circuit, Shape};

    /// The bytes of a number whose digits are hidden.
    fn hidden(number: &str) -> Vec<Byte> {
        let byte =
            |byte: u8| if byte.is_ascii_digit() { Byte::Hidden(Hidden::Digits) } else { Byte::Shown(byte) };
        number.bytes().map(byte).collect()
    }

    fn settle(claim: &str, body: &[Byte]) -> Result<Settled, NoNumber> {
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

    #[test]
    fn claims_are_refused() {
        for text in
            ["", "$", "$ > ", "$.a>1", "$.a > 1e5", "$.a > .5", "$.a > 5.", "$.a = 5", "a > 5", "$.a > +5"]
        {
            assert!(text.parse::<Claim>().is_err(), "{text}");
        }
        let body = br#"{"a":"1","b":1e5,"c":1}"#.map(Byte::Shown);
        assert_eq!(settle("$.a > 1", &body), Err(NoNumber::Kind));
        assert_eq!(settle("$.b > 1", &body), Err(NoNumber::Exponent));
        assert_eq!(settle("$.d > 1", &body), Err(NoNumber::Missing));
        let long = vec![Byte::Hidden(Hidden::Digits); 65];
        assert_eq!(settle("$ > 1", &long), Err(NoNumber::Digits));
    }
}
