//! JSON (RFC 8259) over a [skeleton](crate::skeleton): a whole text, read strictly, some of whose values are hidden whole,
//! and some of whose digits are hidden.
//!
//! Whatever makes structure is shown, but within values that are hidden whole: quotes, brackets, commas, colons, keys,
//! signs, points, exponents, literals. A byte that is hidden in a number is a digit. Bytes of a value that is hidden whole
//! stand where a value begins, and a walk over them ends where that value does
//! ([`statement`](crate::statement)), where a text is one of JSON at all: that a text with such values is, is the
//! server's word. So by induction over tokens this parser walks the text that the server wrote. (Where it finds an array
//! of one value that is hidden whole, that may be blanks, in an array of none.)
//!
//! No object has a key twice, so that a path leads to one value, or to none: keys are shown, but for those within values
//! that are hidden whole, into which no path leads.
//!
//! **Deviations** from RFC 8259, each stricter: at most 31 levels; no key twice; surrogates in pairs alone; what is shown
//! of a string is UTF-8.

mod reader;

use crate::opening::Hidden;
use crate::skeleton::Byte;
use core::fmt::{self, Display};
use core::ops::Range;
use core::str::FromStr;
use reader::Reader;
use std::collections::HashSet;

/// The most levels of arrays and objects.
const MOST_LEVELS: usize = 31;

/// A text that has been read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Json {
    /// All values, each before those within it.
    pub values: Vec<Value>,
}

/// A value within a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Value {
    /// The value that it stands in, and the step from there; the whole stands in none.
    pub within: Option<Within>,
    /// The places of its bytes.
    pub range: Range<usize>,
    /// The kind of the value.
    pub kind: Kind,
}

/// The place of a value in another. Paths are not kept: of each value that would be as much as its depth.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Within {
    /// The number of the value that it stands in.
    pub parent: usize,
    /// The step from there.
    pub step: Step,
}

/// A kind of values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// An object.
    Object,
    /// An array.
    Array,
    /// A string.
    String,
    /// A number.
    Number,
    /// One of `true`, `false` and `null`.
    Literal,
    /// A value that is hidden whole, of any kind.
    Hidden,
}

/// A step from a value to one within it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    /// The value of a key, which is shown.
    Key(String),
    /// The element of an array, from 0.
    Index(usize),
}

/// Reasons for which bytes are no text that proves something: the place, and the rule.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("byte {at}: {why}")]
pub struct Malformed {
    /// The number of the byte, from 0.
    pub at: usize,
    /// The rule that it breaks.
    pub why: Rule,
}

/// A rule of JSON as it is read here.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Rule {
    /// The text goes on.
    #[error("the text ends early")]
    Short,
    /// Something follows.
    #[error("something follows the text")]
    Long,
    /// A byte that makes structure is hidden, or is hidden in another way.
    #[error("it is hidden, and has to be shown there, or hidden in another way")]
    Hidden,
    /// A byte may not stand there.
    #[error("the byte {0:#04x} may not stand there")]
    Byte(u8),
    /// An escape is none.
    #[error("an escape is malformed")]
    Escape,
    /// A string is no UTF-8.
    #[error("a string is no UTF-8")]
    Utf8,
    /// A number has a zero before its first digit.
    #[error("a number begins with a zero")]
    Zero,
    /// Too many levels.
    #[error("there are more than {MOST_LEVELS} levels")]
    Levels,
    /// A key stands twice in an object.
    #[error("the key {0:?} stands twice")]
    Twice(String),
}

/// A path to a value: `$`, and behind it `.name`, `["any name"]` or `[number]`, as often as need be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Path {
    text: String,
    steps: Vec<Step>,
}

impl Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for Path {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong =
            || format!("{text:?} is no path: write $.name, $[\"any name\"] or $[0], one behind the other");
        let mut rest = text.strip_prefix('$').ok_or_else(wrong)?;
        let mut steps = Vec::new();
        while !rest.is_empty() {
            if let Some(name) = rest.strip_prefix('.') {
                let end = name.find(['.', '[']).unwrap_or(name.len());
                let is_name = end > 0 && !name[..end].contains(['"', ']', '*', ' ']);
                steps.push(Step::Key(is_name.then(|| name[..end].into()).ok_or_else(wrong)?));
                rest = &name[end..];
            } else if let Some(quoted) = rest.strip_prefix("[\"") {
                let end = quoted.find("\"]").ok_or_else(wrong)?;
                steps.push(Step::Key(quoted[..end].into()));
                rest = &quoted[end + 2..];
            } else {
                let number = rest.strip_prefix('[').ok_or_else(wrong)?;
                let end = number.find(']').ok_or_else(wrong)?;
                let is_number = number[..end].bytes().all(|byte| byte.is_ascii_digit());
                let index = number[..end].parse().ok().filter(|_| is_number).ok_or_else(wrong)?;
                steps.push(Step::Index(index));
                rest = &number[end + 1..];
            }
        }
        Ok(Self { text: text.into(), steps })
    }
}

impl Json {
    /// Reads a text, and nothing behind it.
    ///
    /// # Errors
    /// The first byte that breaks a rule.
    pub fn read(bytes: &[Byte]) -> Result<Self, Malformed> {
        Ok(Self { values: Reader::new(bytes).read()? })
    }

    /// The value at a path of shown keys, if there is one.
    pub fn at(&self, path: &Path) -> Option<&Value> {
        Some(&self.values[self.number(path)?])
    }

    /// The number of the value at a path.
    fn number(&self, path: &Path) -> Option<usize> {
        let mut parent = 0;
        for step in &path.steps {
            let end = self.values[parent].range.end;
            // Those within it follow it.
            let later = (parent + 1..).zip(self.values.get(parent + 1..)?);
            let mut inner = later.take_while(|(_, value)| value.range.start < end);
            let is_next = |within: &Within| within.parent == parent && within.step == *step;
            parent = inner.find(|(_, value)| value.within.as_ref().is_some_and(is_next))?.0;
        }
        Some(parent)
    }
}

/// The string that a text of JSON stands for, with its quotes and nothing else.
pub(crate) fn string(text: &str) -> Option<String> {
    Reader::new(&text.bytes().map(Byte::Shown).collect::<Vec<_>>()).only_string()
}

/// A part of a text that is to be hidden.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HiddenPart {
    /// The places of its bytes.
    pub range: Range<usize>,
    /// The way in which it is hidden.
    pub hidden: Hidden,
}

/// The parts of a text that hide all of it but the values at `shown`, and the way to them and to those at `claimed`:
/// brackets, commas, colons and keys. Of numbers that are claimed digits are hidden; all other values are hidden whole.
///
/// # Errors
/// Those of [`Json::read`].
pub fn hide(text: &[u8], shown: &[Path], claimed: &[Path]) -> Result<Vec<HiddenPart>, Malformed> {
    let json = Json::read(&text.iter().map(|byte| Byte::Shown(*byte)).collect::<Vec<_>>())?;
    let numbers = |paths: &[Path]| paths.iter().filter_map(|path| json.number(path)).collect::<HashSet<_>>();
    let (shown, claimed) = (numbers(shown), numbers(claimed));
    let mut leads = vec![false; json.values.len()];
    for number in shown.iter().chain(&claimed) {
        let mut within = &json.values[*number].within;
        while let Some(Within { parent, .. }) = within {
            leads[*parent] = true;
            within = &json.values[*parent].within;
        }
    }
    let mut parts = Vec::new();
    let mut at = 0;
    for (number, Value { range, kind, .. }) in json.values.iter().enumerate() {
        // What is shown or hidden whole holds those within it.
        if range.start < at || leads[number] && !shown.contains(&number) {
            continue;
        }
        at = range.end;
        if shown.contains(&number) {
            continue;
        }
        if claimed.contains(&number) && *kind == Kind::Number {
            parts.extend(runs_of_digits(text, range.clone()));
        } else {
            parts.push(HiddenPart { range: range.clone(), hidden: Hidden::Whole });
        }
    }
    Ok(parts)
}

/// The runs of digits of a number, before its exponent.
fn runs_of_digits(text: &[u8], range: Range<usize>) -> Vec<HiddenPart> {
    let number = &text[range.clone()];
    let end = number.iter().position(|byte| matches!(byte, b'e' | b'E')).unwrap_or(number.len());
    let mut begin = range.start;
    let mut runs = Vec::new();
    for run in number[..end].chunk_by(|one, next| one.is_ascii_digit() == next.is_ascii_digit()) {
        let of_run = begin..begin + run.len();
        begin = of_run.end;
        if run[0].is_ascii_digit() {
            runs.push(HiddenPart { range: of_run, hidden: Hidden::Digits });
        }
    }
    runs
}

#[cfg(test)]
mod tests;
