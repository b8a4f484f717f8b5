//! Claims about values of a body of JSON that stay hidden: about numbers `PATH RELATION NUMBER`, such as `$.balance >=
//! 1000.00`, about strings and literals `PATH == TEXT` and `PATH in [TEXT, …]`, such as `$.country in ["DE", "FR"]`,
//! and about any of these `PATH matches "EXPRESSION"`, such as `$.iban matches "DE[0-9]{20}"`.
//!
//! A value that is one of some texts is hidden whole, and compared with those that are as long, byte by byte, as they are
//! written: `"A"` is not `"\u0041"`. One text is free; of several, each takes an AND less than it has bits. How long the
//! value is stays visible, and so which of some texts of different lengths it is.
//!
//! A value that matches a regular expression does so as a whole: what stands between the quotes of a string, as it is
//! written, or all of a number or a literal. The expression is a string of JSON, in which a backslash is written twice.
//! It is an automaton of bounded size (`automaton`), and a walk over the bytes of the value, whose number stays visible
//! (`layers`).
//!
//! Of a number sign, point and the number of digits are public, as the skeleton shows them. So a claim is settled by the signs alone,
//! or it compares two strings of decimal digits of one length, of which one is public. Of digits the lower four bits
//! are their values, and strings of these compare as binary numbers do: at one AND at most for each bit of a digit.
//! That hidden digits are digits is proved where they are hidden.

mod automaton;
mod bytes;
mod comparison;
mod layers;

use crate::json::{self, Json, Kind, Path, Value};
use crate::skeleton::Byte;
use automaton::Automaton;
pub use comparison::Comparison;
use comparison::{Compared, Relation, Symbol};
use core::cmp::Ordering;
use core::fmt::{self, Display};
use core::str::FromStr;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The most digits of a claim's number, and of a value that one is about.
const MOST_DIGITS: usize = 64;

/// The most texts of a claim, and the most bytes of one.
const MOST_TEXTS: usize = 1024;
const MOST_BYTES: usize = 1024;

/// The most bytes of a value that is to match an expression.
const MOST_MATCHED: usize = 1024;

/// A claim about the value at a path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    text: String,
    path: Path,
    what: What,
}

/// A thing that is claimed of a value.
#[derive(Clone, PartialEq, Eq, Debug)]
enum What {
    /// A number is so to this one.
    Number(Relation, Decimal<u8>),
    /// A string or a literal is one of these, as they are written; no two are the same.
    OneOf(Vec<Vec<u8>>),
    /// A string, a number or a literal matches an expression as a whole.
    Matches(Arc<Automaton>),
}

/// A decimal number: its sign, and its digits before and behind the point.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Decimal<D> {
    is_negative: bool,
    whole: Vec<D>,
    part: Vec<D>,
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
pub enum NoValue {
    /// No value is there.
    #[error("there is no value")]
    Missing,
    /// Another kind of value is there.
    #[error("the value is no number whose digits are hidden or shown")]
    Kind,
    /// Another kind of value is there.
    #[error("the value is neither a string nor a literal")]
    NoText,
    /// Another kind of value is there.
    #[error("the value is an object or an array, which match no expression")]
    Nested,
    /// The value has too many bytes.
    #[error("the value has more than the {MOST_MATCHED} bytes of which an expression is proved")]
    Long,
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
        let wrong = || {
            format!(
                "{text:?} is no claim: write $.path >= 12.50, or another of <, <=, ==, !=, >=, >; or $.path == \"text\", \
                 $.path in [\"one\", \"other\"], or $.path matches \"expression\""
            )
        };
        // Names in a path may have blanks.
        let ends = text.match_indices(' ').map(|(at, _)| text.split_at(at));
        let mut path = ends.filter_map(|(path, rest)| Some((path.parse::<Path>().ok()?, rest.trim_start())));
        let (path, rest) = path.next_back().ok_or_else(wrong)?;
        let (relation, value) = rest.split_once(' ').ok_or_else(wrong)?;
        let value = value.trim();
        let what = match (relation, value.as_bytes().first()) {
            ("matches", _) => {
                let expression = json::string(value).ok_or_else(wrong)?;
                let automaton = Automaton::of(&expression).map_err(|why| format!("{text:?}: {why}"))?;
                What::Matches(automaton.into())
            }
            ("in", Some(b'[')) => What::OneOf(texts(value).ok_or_else(wrong)?),
            ("==", Some(b'"' | b't' | b'f' | b'n')) => {
                What::OneOf(texts(&format!("[{value}]")).filter(|texts| texts.len() == 1).ok_or_else(wrong)?)
            }
            _ => What::Number(relation.parse().map_err(|()| wrong())?, value.parse().map_err(|()| wrong())?),
        };
        Ok(Self { text: text.into(), path, what })
    }
}

impl FromStr for Relation {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Ok(match text {
            "<" => Self::Less,
            "<=" => Self::AtMost,
            "==" => Self::Equal,
            "!=" => Self::Different,
            ">=" => Self::AtLeast,
            ">" => Self::More,
            _ => return Err(()),
        })
    }
}

impl FromStr for Decimal<u8> {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (is_negative, number) = text.strip_prefix('-').map_or((false, text), |number| (true, number));
        let (whole, part) =
            number.split_once('.').map_or((number, None), |(whole, part)| (whole, Some(part)));
        let digits = |text: &str| -> Result<Vec<u8>, ()> {
            let is_number =
                (1..=MOST_DIGITS).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
            is_number.then(|| text.bytes().map(|byte| byte - b'0').collect()).ok_or(())
        };
        let (whole, part) = (digits(whole)?, part.map_or(Ok(vec![]), digits)?);
        // Zero has no sign.
        let is_negative = is_negative && whole.iter().chain(&part).any(|digit| *digit != 0);
        Ok(Self { is_negative, whole, part })
    }
}

/// The strings and literals of an array of JSON, as they are written, each once.
fn texts(array: &str) -> Option<Vec<Vec<u8>>> {
    let json = Json::read(&array.bytes().map(Byte::Shown).collect::<Vec<_>>()).ok()?;
    let (_, values) = json.values.split_first()?;
    let is_text =
        |value: &Value| matches!(value.kind, Kind::String | Kind::Literal) && value.range.len() <= MOST_BYTES;
    if values.is_empty() || values.len() > MOST_TEXTS || !values.iter().all(is_text) {
        return None;
    }
    let texts: BTreeSet<_> =
        values.iter().map(|value| array.as_bytes()[value.range.clone()].to_vec()).collect();
    Some(texts.into_iter().collect())
}

impl Claim {
    /// Whether it is about an expression, which takes long to read.
    pub(crate) const fn is_expression(&self) -> bool {
        matches!(self.what, What::Matches(_))
    }

    /// The path to the value.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The bytes of its texts where they are held: as they are written, and twice in what is compared; or of its
    /// automaton, and of the layers of that.
    pub(crate) fn bytes(&self) -> u64 {
        match &self.what {
            What::Number(..) => 0,
            What::OneOf(texts) => texts.iter().map(|text| 3 * (text.len() as u64 + 32)).sum(),
            What::Matches(automaton) => layers::most_bytes(automaton, MOST_MATCHED),
        }
    }

    /// The most ANDs that it takes.
    pub(crate) fn most_ands(&self) -> u64 {
        match &self.what {
            What::Number(..) => 2 * 4 * MOST_DIGITS as u64,
            What::OneOf(texts) => texts.iter().map(|text| 8 * text.len() as u64).sum(),
            What::Matches(automaton) => layers::most_ands(automaton, MOST_MATCHED),
        }
    }

    /// Settles the claim as far as the shown bytes of a body do.
    pub(crate) fn settle(&self, json: &Json, body: &[Byte]) -> Result<Settled, NoValue> {
        let value = json.at(&self.path).ok_or(NoValue::Missing)?;
        match &self.what {
            What::Number(relation, bound) => self.settle_number(value, body, (*relation, bound)),
            What::OneOf(texts) => self.settle_text(value, body, texts),
            What::Matches(automaton) => self.settle_match(value, body, automaton),
        }
    }

    fn settle_match(
        &self,
        value: &Value,
        body: &[Byte],
        automaton: &Arc<Automaton>,
    ) -> Result<Settled, NoValue> {
        let hidden = match value.kind {
            Kind::Object | Kind::Array => return Err(NoValue::Nested),
            Kind::Hidden => [0, 255],
            // Of a string and a literal no byte is hidden, and of a number digits.
            Kind::String | Kind::Literal | Kind::Number => [b'0', b'9'],
        };
        if value.range.len() > MOST_MATCHED {
            return Err(NoValue::Long);
        }
        let symbol = |at: usize| body[at].shown().map_or(Symbol::At(at), Symbol::Known);
        let bytes = value.range.clone().map(symbol).collect();
        let compared = Compared::Automaton { automaton: automaton.clone(), bytes, hidden };
        let comparison = Comparison { claim: self.text.clone(), compared };
        Ok(comparison.settled().map_or_else(|| Settled::By(comparison), Settled::Publicly))
    }

    fn settle_text(&self, value: &Value, body: &[Byte], texts: &[Vec<u8>]) -> Result<Settled, NoValue> {
        let texts = texts.iter().filter(|text| text.len() == value.range.len()).cloned().collect::<Vec<_>>();
        match value.kind {
            Kind::Hidden if texts.is_empty() => Ok(Settled::Publicly(false)),
            Kind::Hidden => {
                let compared = Compared::Texts { places: value.range.clone().collect(), texts };
                Ok(Settled::By(Comparison { claim: self.text.clone(), compared }))
            }
            Kind::String | Kind::Literal => {
                let shown: Option<Vec<u8>> =
                    body[value.range.clone()].iter().map(|byte| byte.shown()).collect();
                Ok(Settled::Publicly(shown.is_some_and(|shown| texts.contains(&shown))))
            }
            Kind::Object | Kind::Array | Kind::Number => Err(NoValue::NoText),
        }
    }

    fn settle_number(
        &self,
        value: &Value,
        body: &[Byte],
        claimed: (Relation, &Decimal<u8>),
    ) -> Result<Settled, NoValue> {
        if value.kind != Kind::Number {
            return Err(NoValue::Kind);
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
                Byte::Shown(digit @ b'0'..=b'9') => Symbol::Known(digit - b'0'),
                Byte::Shown(_) => return Err(NoValue::Exponent),
                // The reader of JSON lets nothing else stand there.
                Byte::Hidden(_) | Byte::Any => Symbol::At(at),
            };
            if is_part { number.part.push(digit) } else { number.whole.push(digit) }
        }
        if number.whole.len().max(number.part.len()) > MOST_DIGITS {
            return Err(NoValue::Digits);
        }
        Ok(self.compare(number, claimed))
    }

    fn compare(
        &self,
        number: Decimal<Symbol<usize>>,
        (relation, bound): (Relation, &Decimal<u8>),
    ) -> Settled {
        let is_zero = bound.whole.iter().chain(&bound.part).all(|digit| *digit == 0);
        // A number that is not negative is above all that are; one with a sign may be zero, too.
        let relation = match (number.is_negative, bound.is_negative) {
            (false, true) => return Settled::Publicly(relation.holds(Ordering::Greater)),
            (true, false) if !is_zero => return Settled::Publicly(relation.holds(Ordering::Less)),
            (true, _) => relation.turned(),
            (false, false) => relation,
        };
        let whole = number.whole.len().max(bound.whole.len());
        let part = number.part.len().max(bound.part.len());
        let digits = padded(&number.whole, &number.part, (whole, part), Symbol::Known(0));
        let bound = padded(&bound.whole, &bound.part, (whole, part), 0);
        let known: Option<Vec<u8>> = digits
            .iter()
            .map(|digit| match digit {
                Symbol::Known(digit) => Some(*digit),
                Symbol::At(_) => None,
            })
            .collect();
        match known {
            Some(known) => Settled::Publicly(relation.holds(known.cmp(&bound))),
            None => {
                let compared = Compared::Digits { relation, digits, bound };
                Settled::By(Comparison { claim: self.text.clone(), compared })
            }
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

#[cfg(test)]
mod tests;
