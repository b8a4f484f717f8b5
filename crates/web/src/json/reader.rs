//! The grammar of RFC 8259, by recursion over values.

use super::{Kind, MOST_LEVELS, Malformed, Rule, Step, Value, Within};
use crate::opening::Hidden;
use crate::skeleton::Byte;
use std::collections::HashSet;

/// A text that is read.
pub(super) struct Reader<'b> {
    bytes: &'b [Byte],
    at: usize,
    levels: usize,
    values: Vec<Value>,
}

impl<'b> Reader<'b> {
    pub(super) const fn new(bytes: &'b [Byte]) -> Self {
        Self { bytes, at: 0, levels: 0, values: Vec::new() }
    }

    /// All values of the text, behind which nothing follows.
    pub(super) fn read(mut self) -> Result<Vec<Value>, Malformed> {
        self.blank();
        self.value(None)?;
        self.blank();
        if self.at < self.bytes.len() { Err(self.wrong(Rule::Long)) } else { Ok(self.values) }
    }

    /// The string that is all of the text.
    pub(super) fn only_string(mut self) -> Option<String> {
        let string = self.string().ok()?;
        (self.at == self.bytes.len()).then_some(string)
    }

    const fn wrong(&self, why: Rule) -> Malformed {
        Malformed { at: self.at, why }
    }

    /// The next byte, which is not passed over.
    fn peek(&self) -> Result<Byte, Malformed> {
        self.bytes.get(self.at).copied().ok_or_else(|| self.wrong(Rule::Short))
    }

    /// The next byte, which has to be shown.
    fn shown(&self) -> Result<u8, Malformed> {
        self.peek()?.shown().ok_or_else(|| self.wrong(Rule::Hidden))
    }

    /// Passes over blanks.
    fn blank(&mut self) {
        while matches!(self.bytes.get(self.at), Some(Byte::Shown(b' ' | b'\t' | b'\n' | b'\r'))) {
            self.at += 1;
        }
    }

    /// Passes over this byte.
    fn take(&mut self, byte: u8) -> Result<(), Malformed> {
        let found = self.shown()?;
        if found != byte {
            return Err(self.wrong(Rule::Byte(found)));
        }
        self.at += 1;
        Ok(())
    }

    fn value(&mut self, within: Option<Within>) -> Result<(), Malformed> {
        let (start, number) = (self.at, self.values.len());
        if self.peek()? == Byte::Hidden(Hidden::Whole) {
            // All of them: whatever follows is shown, or refused.
            self.at +=
                self.bytes[start..].iter().take_while(|byte| **byte == Byte::Hidden(Hidden::Whole)).count();
            self.values.push(Value { within, range: start..self.at, kind: Kind::Hidden });
            return Ok(());
        }
        // The first digit of a number may be hidden.
        let is_digit = self.peek()? == Byte::Hidden(Hidden::Digits);
        let first = if is_digit { b'0' } else { self.shown()? };
        let kind = match first {
            b'{' => Kind::Object,
            b'[' => Kind::Array,
            b'"' => Kind::String,
            b't' | b'f' | b'n' => Kind::Literal,
            b'-' | b'0'..=b'9' => Kind::Number,
            other => return Err(self.wrong(Rule::Byte(other))),
        };
        self.values.push(Value { within, range: start..start, kind });
        match kind {
            Kind::Hidden => unreachable!("it is taken above"),
            Kind::Object => self.object(number)?,
            Kind::Array => self.array(number)?,
            Kind::String => drop(self.string()?),
            Kind::Number => self.number()?,
            Kind::Literal => {
                let word: &[u8] = match first {
                    b't' => b"true",
                    b'f' => b"false",
                    _ => b"null",
                };
                word.iter().try_for_each(|byte| self.take(*byte))?;
            }
        }
        self.values[number].range.end = self.at;
        Ok(())
    }

    /// Whether another level may begin.
    fn level(&self) -> Result<(), Malformed> {
        if self.levels < MOST_LEVELS { Ok(()) } else { Err(self.wrong(Rule::Levels)) }
    }

    fn array(&mut self, parent: usize) -> Result<(), Malformed> {
        self.level()?;
        self.take(b'[')?;
        self.blank();
        if self.shown_is(b']') {
            return self.take(b']');
        }
        for index in 0.. {
            self.within(Within { parent, step: Step::Index(index) })?;
            if !self.goes_on(b']')? {
                break;
            }
        }
        Ok(())
    }

    fn object(&mut self, parent: usize) -> Result<(), Malformed> {
        self.level()?;
        self.take(b'{')?;
        self.blank();
        if self.shown_is(b'}') {
            return self.take(b'}');
        }
        let mut keys = HashSet::new();
        loop {
            let at = self.at;
            let key = self.string()?;
            if !keys.insert(key.clone()) {
                return Err(Malformed { at, why: Rule::Twice(key) });
            }
            let step = Step::Key(key);
            self.blank();
            self.take(b':')?;
            self.blank();
            self.within(Within { parent, step })?;
            if !self.goes_on(b'}')? {
                return Ok(());
            }
        }
    }

    fn shown_is(&self, byte: u8) -> bool {
        self.bytes.get(self.at) == Some(&Byte::Shown(byte))
    }

    /// A value that is one step further.
    fn within(&mut self, within: Within) -> Result<(), Malformed> {
        self.levels += 1;
        self.value(Some(within))?;
        self.levels -= 1;
        self.blank();
        Ok(())
    }

    /// Passes over a comma, or over the end of what is open.
    fn goes_on(&mut self, end: u8) -> Result<bool, Malformed> {
        if self.shown_is(end) {
            self.take(end)?;
            return Ok(false);
        }
        self.take(b',')?;
        self.blank();
        Ok(true)
    }

    /// Passes over a string, all of which is shown: what it stands for.
    fn string(&mut self) -> Result<String, Malformed> {
        self.take(b'"')?;
        let begin = self.at;
        let mut text = Vec::new();
        loop {
            match self.shown()? {
                b'"' => break,
                b'\\' => {
                    let escaped = self.escape()?;
                    text.extend(escaped.encode_utf8(&mut [0; 4]).bytes());
                }
                byte @ 0..0x20 => return Err(self.wrong(Rule::Byte(byte))),
                byte => {
                    text.push(byte);
                    self.at += 1;
                }
            }
        }
        self.at += 1;
        String::from_utf8(text).map_err(|_| Malformed { at: begin, why: Rule::Utf8 })
    }

    /// The character of an escape.
    fn escape(&mut self) -> Result<char, Malformed> {
        self.take(b'\\')?;
        let simple = match self.shown()? {
            byte @ (b'"' | b'\\' | b'/') => byte,
            b'b' => 8,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'u' => {
                self.at += 1;
                let first = self.hex()?;
                if !(0xd800..0xe000).contains(&first) {
                    return char::from_u32(first).ok_or_else(|| self.wrong(Rule::Escape));
                }
                // A pair of surrogates (RFC 8259 section 7).
                self.take(b'\\')?;
                self.take(b'u')?;
                let second = self.hex()?;
                if first >= 0xdc00 || !(0xdc00..0xe000).contains(&second) {
                    return Err(self.wrong(Rule::Escape));
                }
                let joined = 0x10000 + ((first - 0xd800) << 10 | (second - 0xdc00));
                return char::from_u32(joined).ok_or_else(|| self.wrong(Rule::Escape));
            }
            _ => return Err(self.wrong(Rule::Escape)),
        };
        self.at += 1;
        Ok(simple.into())
    }

    /// Four hexadecimal digits.
    fn hex(&mut self) -> Result<u32, Malformed> {
        let mut number = 0;
        for _ in 0..4 {
            let digit = char::from(self.shown()?).to_digit(16).ok_or_else(|| self.wrong(Rule::Escape))?;
            number = number << 4 | digit;
            self.at += 1;
        }
        Ok(number)
    }

    /// Passes over digits, of which hidden ones may be among the shown: at least one.
    fn digits(&mut self, may_hide: bool) -> Result<(), Malformed> {
        let begin = self.at;
        loop {
            match self.bytes.get(self.at) {
                Some(Byte::Shown(b'0'..=b'9')) => {}
                Some(Byte::Hidden(Hidden::Digits)) if may_hide => {}
                _ if self.at > begin => return Ok(()),
                Some(Byte::Shown(byte)) => return Err(self.wrong(Rule::Byte(*byte))),
                Some(_) => return Err(self.wrong(Rule::Hidden)),
                None => return Err(self.wrong(Rule::Short)),
            }
            self.at += 1;
        }
    }

    fn number(&mut self) -> Result<(), Malformed> {
        if self.shown_is(b'-') {
            self.at += 1;
        }
        let begin = self.at;
        self.digits(true)?;
        if self.bytes[begin] == Byte::Shown(b'0') && self.at > begin + 1 {
            return Err(Malformed { at: begin, why: Rule::Zero });
        }
        if self.shown_is(b'.') {
            self.at += 1;
            self.digits(true)?;
        }
        if self.shown_is(b'e') || self.shown_is(b'E') {
            self.at += 1;
            if self.shown_is(b'+') || self.shown_is(b'-') {
                self.at += 1;
            }
            self.digits(false)?;
        }
        Ok(())
    }
}
