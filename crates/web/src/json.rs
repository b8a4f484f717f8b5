//! JSON (RFC 8259) over a [skeleton](crate::skeleton): a whole text, read strictly, some of whose strings and digits are
//! hidden.
//!
//! Whatever makes structure is shown: quotes, backslashes and what they escape, brackets, commas, colons, signs, points,
//! exponents, literals. A byte that is hidden in a string is none of quote, backslash and control, and one that is hidden
//! in a number is a digit. So by induction over tokens this parser walks exactly the text that the server wrote: no
//! hidden byte can end, open or escape anything where it stands.
//!
//! No object has a key twice. Of a key that is hidden this is seen by its length: it has no escapes, and is refused where
//! a shown key of the same object has as many bytes. So a path of shown keys leads to one value, or to none.
//!
//! **Deviations** from RFC 8259, each stricter: at most 31 levels; no key twice; surrogates in pairs alone; what is shown
//! of a string that is shown whole is UTF-8. Of hidden bytes from 0x80 on nothing is checked: they are never structure.

mod reader;

use crate::opening::Hidden;
use crate::skeleton::Byte;
use core::fmt::{self, Display};
use core::ops::Range;
use core::str::FromStr;
use reader::Reader;

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
}

/// A step from a value to one within it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    /// The value of a key, which is shown.
    Key(String),
    /// The value of a key that is hidden.
    HiddenKey,
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
    /// A hidden key may be one that is shown.
    #[error("a hidden key is as long as one that is shown, and may be the same")]
    HiddenKey,
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

    /// The path to a value, as one writes it, but for what is hidden of it.
    fn path(&self, number: usize) -> String {
        let Some(Within { parent, step }) = &self.values[number].within else { return "$".into() };
        let before = self.path(*parent);
        let is_name = |name: &str| !name.is_empty() && !name.contains(['.', '[', '"', ']', '*', ' ']);
        match step {
            Step::Key(name) if is_name(name) => format!("{before}.{name}"),
            Step::Key(name) => format!("{before}[\"{name}\"]"),
            Step::HiddenKey => format!("{before}[hidden]"),
            Step::Index(index) => format!("{before}[{index}]"),
        }
    }

    /// Paths to strings with escapes that are at none of `shown`, nor within: no class hides these escapes.
    pub fn escapes(&self, text: &[Byte], shown: &[Path]) -> Vec<String> {
        let are_shown = self.are_within(shown);
        let values = self.values.iter().zip(are_shown).enumerate().filter(|(_, (_, is_shown))| !is_shown);
        let has_escapes = |value: &Value| text[value.range.clone()].contains(&Byte::Shown(b'\\'));
        let strings = values.filter(|(_, (value, _))| value.kind == Kind::String && has_escapes(value));
        strings.map(|(number, _)| self.path(number)).collect()
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

    /// The values that are at one of `paths`, or within it: true for each that is.
    fn are_within(&self, paths: &[Path]) -> Vec<bool> {
        let mut are_within = vec![false; self.values.len()];
        for path in paths {
            if let Some(number) = self.number(path) {
                are_within[number] = true;
            }
        }
        for (number, value) in self.values.iter().enumerate() {
            if let Some(Within { parent, .. }) = &value.within {
                are_within[number] |= are_within[*parent];
            }
        }
        are_within
    }
}

/// A part of a text that is to be hidden.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HiddenPart {
    /// The places of its bytes.
    pub range: Range<usize>,
    /// The way in which it is hidden.
    pub hidden: Hidden,
}

/// The parts of a text by which all strings and numbers are hidden that are at none of `shown`, nor within. Keys,
/// literals, escapes, signs, points and exponents stay shown.
///
/// # Errors
/// Those of [`Json::read`].
pub fn hide(text: &[u8], shown: &[Path]) -> Result<Vec<HiddenPart>, Malformed> {
    let json = Json::read(&text.iter().map(|byte| Byte::Shown(*byte)).collect::<Vec<_>>())?;
    let are_shown = json.are_within(shown);
    let mut parts = Vec::new();
    for (value, _) in json.values.iter().zip(are_shown).filter(|(_, is_shown)| !is_shown) {
        let mut hide = |range: Range<usize>, hidden| {
            if !range.is_empty() {
                parts.push(HiddenPart { range, hidden });
            }
        };
        let Range { start, end } = value.range;
        match value.kind {
            Kind::String => {
                let mut begin = start + 1;
                let mut at = begin;
                while at < end - 1 {
                    if text[at] == b'\\' {
                        hide(begin..at, Hidden::Text);
                        at += if text[at + 1] == b'u' { 6 } else { 2 };
                        begin = at;
                    } else {
                        at += 1;
                    }
                }
                hide(begin..end - 1, Hidden::Text);
            }
            Kind::Number => {
                let mut begin = start;
                for (at, byte) in (start..end).zip(&text[start..end]) {
                    if matches!(byte, b'e' | b'E') {
                        hide(begin..at, Hidden::Digits);
                        begin = end;
                        break;
                    }
                    if !byte.is_ascii_digit() {
                        hide(begin..at, Hidden::Digits);
                        begin = at + 1;
                    }
                }
                hide(begin..end, Hidden::Digits);
            }
            Kind::Object | Kind::Array | Kind::Literal => {}
        }
    }
    Ok(parts)
}

#[cfg(test)]
mod tests;
