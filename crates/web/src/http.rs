//! HTTP/1.1 (RFC 9112) over a [skeleton](crate::skeleton): whole messages, read strictly, some of whose values are
//! hidden.
//!
//! What makes the structure of a message is shown: line ends, names of fields, colons, the start line but for words of a
//! request's target, and the values of fields that say how long the message is or what it is of. A hidden value has no
//! byte below 0x20, and so ends no line, and a hidden word ends nothing: where the bytes of a head are shown or of these
//! two, the verifier walks exactly the lines that the server wrote or read. In a body any byte may be hidden, but for
//! those that frame its chunks.
//!
//! **Deviations** from RFC 9112, each stricter, so that whoever stands between client and server reads the same: lines
//! end in CR and LF alone (section 2.2 lets a bare LF do), no line is folded (5.2), nothing stands between a name and
//! its colon; a response has a length or is chunked, never both or neither (6.3), chunks have no extensions and no
//! trailers (7.1), and there is none with 1xx, 204, 205, 206 or 304; nothing follows a message. Content has no
//! coding. Requests have no body.

use crate::opened::Span;
use crate::opening::Hidden;
use crate::skeleton::{Byte, text};
use core::ops::Range;

/// The most fields of a head.
const MOST_FIELDS: usize = 128;

/// Fields of a response whose values decide what its body is, or say how old it is: always shown.
pub const ALWAYS_SHOWN: [&str; 10] = [
    "age",
    "connection",
    "content-encoding",
    "content-length",
    "content-range",
    "content-type",
    "date",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// A head of a message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Head {
    /// The start line as text, with a mark for each word of a request's target that is hidden.
    pub start: String,
    /// The fields, in their order.
    pub fields: Vec<Field>,
}

/// A field of a head.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// The name, in lower case.
    pub name: String,
    /// The value, without blanks around it.
    pub value: Vec<Byte>,
}

impl Field {
    /// Whether all of the value is shown.
    pub fn is_shown(&self) -> bool {
        self.value.iter().all(|byte| byte.shown().is_some())
    }

    /// The value, where all of it is shown, and is UTF-8.
    pub fn shown(&self) -> Option<String> {
        let shown: Option<Vec<u8>> = self.value.iter().map(|byte| byte.shown()).collect();
        shown.and_then(|shown| String::from_utf8(shown).ok())
    }
}

/// A request without a body.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Request {
    /// The method.
    pub method: String,
    /// The target, in origin form: shown, and of words that are hidden.
    pub target: Vec<Byte>,
    /// The head.
    pub head: Head,
}

/// A response.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Response {
    /// The status.
    pub status: u16,
    /// The head.
    pub head: Head,
    /// The body, without chunks.
    pub body: Vec<Byte>,
    /// The places of the body in the data: of its pieces, in their order.
    pub pieces: Vec<Range<usize>>,
    /// The places in the body at which its pieces begin.
    begins: Vec<usize>,
}

/// Reasons for which bytes are no message that proves something: the place of the byte, and the rule.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}{why}", place(*at, why))]
pub struct Malformed {
    /// The number of the byte, from 0.
    pub at: usize,
    /// The rule that it breaks.
    pub why: Rule,
}

/// The place before a rule, if the rule is not one of a message as a whole.
fn place(at: usize, why: &Rule) -> String {
    match why {
        Rule::Twice(_)
        | Rule::NotAllowed(_)
        | Rule::Value(_)
        | Rule::FieldHidden(_)
        | Rule::Length
        | Rule::StartLine
        | Rule::Status(_) => String::new(),
        _ => format!("byte {at}: "),
    }
}

/// A rule of HTTP/1.1 as it is read here.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Rule {
    /// The message goes on.
    #[error("the message ends early")]
    Short,
    /// Something follows.
    #[error("something follows the message")]
    Long,
    /// A byte that makes structure is hidden.
    #[error("it is hidden, and has to be shown there")]
    Hidden,
    /// A line ends otherwise than by CR and LF.
    #[error("a line ends in CR and LF alone")]
    LineEnd,
    /// A byte may not stand there.
    #[error("the byte {0:#04x} may not stand there")]
    Byte(u8),
    /// A line is not `name: value`.
    #[error("it is no field: a name, a colon, a value")]
    Field,
    /// More fields than a head may have.
    #[error("there are more than {MOST_FIELDS} fields")]
    Fields,
    /// The first line is malformed.
    #[error("the first line is malformed")]
    StartLine,
    /// A field stands there twice.
    #[error("the field {0} stands there twice")]
    Twice(String),
    /// A field must not be there.
    #[error("the field {0} must not be there")]
    NotAllowed(String),
    /// A field has another value than it may have.
    #[error("the field {0} has a value that it may not have")]
    Value(String),
    /// A field is hidden that has to be shown.
    #[error("the field {0} has to be shown")]
    FieldHidden(String),
    /// The length of the body is not said, or twice.
    #[error("the response has to say how long it is, by a length or by chunks")]
    Length,
    /// The status is one of a response that proves nothing by itself.
    #[error("a response of status {0} is none that can be proved")]
    Status(u16),
    /// A chunk is malformed.
    #[error("a chunk is malformed")]
    Chunk,
}

/// Whether a byte may stand in a name (RFC 9110 section 5.6.2).
const fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'!' | b'#'..=b'\'' | b'*' | b'+' | b'-' | b'.' | b'^'..=b'`' | b'|' | b'~')
}

/// Bytes that are still to be read.
struct Lines<'b> {
    bytes: &'b [Byte],
    at: usize,
}

impl<'b> Lines<'b> {
    const fn new(bytes: &'b [Byte]) -> Self {
        Self { bytes, at: 0 }
    }

    const fn wrong(&self, why: Rule) -> Malformed {
        Malformed { at: self.at, why }
    }

    /// The next line, without its end. Its bytes are shown, or hidden values.
    fn line(&mut self) -> Result<&'b [Byte], Malformed> {
        let begin = self.at;
        loop {
            match self.bytes.get(self.at) {
                None => return Err(self.wrong(Rule::Short)),
                Some(Byte::Any | Byte::Hidden(Hidden::Whole | Hidden::Digits | Hidden::Read)) => {
                    return Err(self.wrong(Rule::Hidden));
                }
                Some(Byte::Shown(b'\r')) => break,
                Some(Byte::Shown(b'\n')) => return Err(self.wrong(Rule::LineEnd)),
                Some(Byte::Shown(byte @ (0..0x20 | 0x7f))) if *byte != b'\t' => {
                    return Err(self.wrong(Rule::Byte(*byte)));
                }
                Some(Byte::Shown(_) | Byte::Hidden(Hidden::Value | Hidden::Word)) => self.at += 1,
            }
        }
        let line = &self.bytes[begin..self.at];
        match self.bytes.get(self.at + 1) {
            Some(Byte::Shown(b'\n')) => {}
            Some(_) => return Err(self.wrong(Rule::LineEnd)),
            None => return Err(self.wrong(Rule::Short)),
        }
        self.at += 2;
        Ok(line)
    }

    /// The next line, of which all bytes are shown: ASCII alone.
    fn shown(&mut self) -> Result<String, Malformed> {
        let begin = self.at;
        let line = self.line()?;
        let shown = (begin..).zip(line).map(|(at, byte)| match byte.shown() {
            Some(byte) if byte.is_ascii() => Ok(char::from(byte)),
            Some(byte) => Err(Malformed { at, why: Rule::Byte(byte) }),
            None => Err(Malformed { at, why: Rule::Hidden }),
        });
        shown.collect()
    }

    /// The fields of a head, behind its start line.
    fn head(&mut self, start: String) -> Result<Head, Malformed> {
        let mut fields = Vec::new();
        loop {
            let begin = self.at;
            let line = self.line()?;
            if line.is_empty() {
                return Ok(Head { start, fields });
            }
            if fields.len() == MOST_FIELDS {
                return Err(Malformed { at: begin, why: Rule::Fields });
            }
            let colon = line.iter().position(|byte| *byte == Byte::Shown(b':'));
            let (name, value) = line.split_at(colon.ok_or(Malformed { at: begin, why: Rule::Field })?);
            let mut lower = String::new();
            for (at, byte) in (begin..).zip(name) {
                match byte.shown() {
                    Some(byte) if is_token(byte) => lower.push(byte.to_ascii_lowercase().into()),
                    Some(byte) => return Err(Malformed { at, why: Rule::Byte(byte) }),
                    None => return Err(Malformed { at, why: Rule::Hidden }),
                }
            }
            if lower.is_empty() {
                return Err(Malformed { at: begin, why: Rule::Field });
            }
            fields.push(Field { name: lower, value: trim(&value[1..]).to_vec() });
        }
    }

    fn end(&self) -> Result<(), Malformed> {
        if self.at == self.bytes.len() { Ok(()) } else { Err(self.wrong(Rule::Long)) }
    }

    /// The next `length` bytes, of any kind.
    fn take(&mut self, length: usize) -> Result<&'b [Byte], Malformed> {
        let rest = &self.bytes[self.at..];
        let taken = rest.get(..length).ok_or(Malformed { at: self.bytes.len(), why: Rule::Short })?;
        self.at += length;
        Ok(taken)
    }
}

/// A value without the shown blanks around it.
fn trim(mut value: &[Byte]) -> &[Byte] {
    let is_blank = |byte: &Byte| matches!(byte, Byte::Shown(b' ' | b'\t'));
    while let [first, rest @ ..] = value
        && is_blank(first)
    {
        value = rest;
    }
    while let [rest @ .., last] = value
        && is_blank(last)
    {
        value = rest;
    }
    value
}

/// The one value of a field, where it is there.
fn only<'h>(head: &'h Head, name: &str) -> Result<Option<&'h Field>, Rule> {
    let mut found = head.fields.iter().filter(|field| field.name == name);
    let first = found.next();
    if found.next().is_some() { Err(Rule::Twice(name.into())) } else { Ok(first) }
}

/// Reads a request without a body, and nothing behind it.
///
/// # Errors
/// The first byte that breaks a rule.
pub fn request(bytes: &[Byte]) -> Result<Request, Malformed> {
    let mut lines = Lines::new(bytes);
    let at_start = |why| Malformed { at: 0, why };
    let start = lines.line()?;
    let mut words = start.split(|byte| *byte == Byte::Shown(b' '));
    let (method, target, version) = (words.next(), words.next(), words.next());
    let (Some(method), Some(target), Some(version), None) = (method, target, version, words.next()) else {
        return Err(at_start(Rule::StartLine));
    };
    let shown = |bytes: &[Byte]| -> Result<String, Malformed> {
        let each = bytes.iter().map(|byte| byte.shown().map(char::from));
        each.collect::<Option<_>>().ok_or_else(|| at_start(Rule::StartLine))
    };
    let (method, version) = (shown(method)?, shown(version)?);
    // In origin form: no absolute target, and no fragment.
    let is_of_target = |byte: &Byte| match byte {
        Byte::Shown(byte) => matches!(byte, 0x21..0x7f) && *byte != b'#',
        Byte::Hidden(class) => *class == Hidden::Word,
        Byte::Any => false,
    };
    let is_target = target.first() == Some(&Byte::Shown(b'/')) && target.iter().all(is_of_target);
    if version != "HTTP/1.1"
        || method.is_empty()
        || !method.bytes().all(|byte| byte.is_ascii_uppercase())
        || !is_target
    {
        return Err(at_start(Rule::StartLine));
    }
    let target = target.to_vec();
    let head = lines.head(text(start))?;
    lines.end()?;
    for (i, field) in head.fields.iter().enumerate() {
        if head.fields[..i].iter().any(|before| before.name == field.name) {
            return Err(at_start(Rule::Twice(field.name.clone())));
        }
    }
    Ok(Request { method, target, head })
}

/// Whether a response of this status can prove something by itself.
pub(crate) const fn is_provable(status: u16) -> bool {
    matches!(status, 200..600) && !matches!(status, 204 | 205 | 206 | 304)
}

/// Reads the response to a request that was no HEAD, and nothing behind it.
///
/// # Errors
/// The first byte that breaks a rule.
pub fn response(bytes: &[Byte]) -> Result<Response, Malformed> {
    let mut lines = Lines::new(bytes);
    let start = lines.shown()?;
    let head = lines.head(start)?;
    let at_start = |why| Malformed { at: 0, why };
    let line = head.start.as_bytes();
    let status = match line {
        [b'H', b'T', b'T', b'P', b'/', b'1', b'.', b'1', b' ', digits @ ..] => {
            let (digits, reason) = digits.split_at_checked(3).ok_or_else(|| at_start(Rule::StartLine))?;
            let is_number = digits.iter().all(u8::is_ascii_digit) && matches!(reason, [] | [b' ', ..]);
            if !is_number {
                return Err(at_start(Rule::StartLine));
            }
            digits.iter().fold(0, |number, digit| 10 * number + u16::from(digit - b'0'))
        }
        _ => return Err(at_start(Rule::StartLine)),
    };
    if !is_provable(status) {
        return Err(at_start(Rule::Status(status)));
    }
    for field in &head.fields {
        if ALWAYS_SHOWN.contains(&&field.name[..]) && !field.is_shown() {
            return Err(at_start(Rule::FieldHidden(field.name.clone())));
        }
        if ["trailer", "upgrade", "content-range"].contains(&&field.name[..]) {
            return Err(at_start(Rule::NotAllowed(field.name.clone())));
        }
    }
    let value = |name: &str| only(&head, name).map(|field| field.and_then(Field::shown)).map_err(at_start);
    if value("content-encoding")?.is_some_and(|coding| !coding.eq_ignore_ascii_case("identity")) {
        return Err(at_start(Rule::Value("content-encoding".into())));
    }
    value("content-type")?;
    let pieces = match (value("content-length")?, value("transfer-encoding")?) {
        (Some(length), None) => {
            let is_number =
                !length.is_empty() && length.len() < 10 && length.bytes().all(|byte| byte.is_ascii_digit());
            let wrong = || at_start(Rule::Value("content-length".into()));
            let length = if is_number { length.parse().map_err(|_| wrong())? } else { return Err(wrong()) };
            let begin = lines.at;
            lines.take(length)?;
            core::iter::once(begin..begin + length).collect()
        }
        (None, Some(coding)) if coding.eq_ignore_ascii_case("chunked") => chunks(&mut lines)?,
        (None, Some(_)) => return Err(at_start(Rule::Value("transfer-encoding".into()))),
        (Some(_), Some(_)) | (None, None) => return Err(at_start(Rule::Length)),
    };
    lines.end()?;
    let body = pieces.iter().flat_map(|piece| &bytes[piece.clone()]).copied().collect();
    let begins = pieces.iter().scan(0, |end, piece| {
        let begin = *end;
        *end += piece.len();
        Some(begin)
    });
    Ok(Response { status, head, body, begins: begins.collect(), pieces })
}

/// The places of the data of chunks (RFC 9112 section 7.1).
fn chunks(lines: &mut Lines<'_>) -> Result<Vec<Range<usize>>, Malformed> {
    let mut pieces = Vec::new();
    loop {
        let at = lines.at;
        let line = lines.shown()?;
        let is_size = !line.is_empty() && line.len() < 8 && line.bytes().all(|byte| byte.is_ascii_hexdigit());
        let size = usize::from_str_radix(&line, 16).ok().filter(|_| is_size);
        let size = size.ok_or(Malformed { at, why: Rule::Chunk })?;
        let begin = lines.at;
        lines.take(size)?;
        pieces.push(begin..begin + size);
        // The end of the chunk's data; behind the last one, that of the trailers, of which there are none.
        let at = lines.at;
        if !lines.shown()?.is_empty() {
            return Err(Malformed { at, why: Rule::Chunk });
        }
        if size == 0 {
            return Ok(pieces);
        }
    }
}

/// Progress of a response whose bytes come piece by piece: for a client that reads until all is there. No byte is looked
/// at again for each piece.
#[derive(Default)]
pub struct Progress {
    /// The place from which the next search goes on.
    at: usize,
    body: Option<Framing>,
}

/// The way in which a response says where it ends.
#[derive(Clone, Copy)]
enum Framing {
    /// The end, at this place.
    Until(usize),
    /// The next chunk begins where the search goes on.
    Chunks,
}

impl Progress {
    /// Whether a response, of which so much has come, says that it is all there. One that is malformed is over, too:
    /// there is nothing to wait for. The bytes are those of the call before, and more.
    pub fn is_complete(&mut self, bytes: &[u8]) -> bool {
        let framing = match self.body {
            Some(framing) => framing,
            None => {
                let Some(end) = bytes[self.at..].windows(4).position(|four| four == b"\r\n\r\n") else {
                    let line_end = |at: &usize| bytes[*at] == b'\n' && (*at == 0 || bytes[at - 1] != b'\r');
                    let is_malformed = (self.at..bytes.len()).any(|at| line_end(&at));
                    self.at = bytes.len().saturating_sub(3);
                    return is_malformed;
                };
                self.at += end + 4;
                let framing = self.framing(&bytes[..self.at]);
                let Some(framing) = framing else { return true };
                *self.body.insert(framing)
            }
        };
        match framing {
            Framing::Until(end) => bytes.len() >= end,
            Framing::Chunks => self.chunks(bytes),
        }
    }

    /// How the body is framed that follows this head, if anything can be waited for.
    fn framing(&self, head: &[u8]) -> Option<Framing> {
        let shown: Vec<_> = head.iter().map(|byte| Byte::Shown(*byte)).collect();
        // A head without its body is short, if nothing else is wrong with it.
        let Err(Malformed { why: Rule::Short, .. }) = response(&shown) else { return None };
        let mut lines = Lines::new(&shown);
        let start = lines.shown().ok()?;
        let head = lines.head(start).ok()?;
        let length = only(&head, "content-length").ok()?.and_then(Field::shown);
        match length {
            Some(length) => Some(Framing::Until(self.at + length.parse::<usize>().ok()?)),
            None => Some(Framing::Chunks),
        }
    }

    /// Whether the chunks are all there.
    fn chunks(&mut self, bytes: &[u8]) -> bool {
        while let Some(rest) = bytes.get(self.at..) {
            // A size of seven digits at most, and the end of its line.
            let Some(end) = rest.iter().take(9).position(|byte| *byte == b'\n') else {
                return rest.len() >= 9;
            };
            let digits = rest[..end].strip_suffix(b"\r").and_then(|digits| core::str::from_utf8(digits).ok());
            let size = digits.and_then(|digits| usize::from_str_radix(digits, 16).ok());
            let Some(size) = size else { return true };
            let next = self.at + end + 1 + size + 2;
            if size == 0 {
                return bytes.len() >= next;
            }
            self.at = next;
        }
        false
    }
}

/// Hidden values for the fields whose names, in lower case, `is_hidden` is of, in the bytes of a head: but for blanks
/// around them, and tabs, which no hidden value has.
pub fn value_spans(head: &[u8], is_hidden: &dyn Fn(&str) -> bool) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut begin = 0;
    for line in head.split_inclusive(|byte| *byte == b'\n') {
        let colon = line.iter().position(|byte| *byte == b':');
        if let Some(colon) = colon
            && is_hidden(&String::from_utf8_lossy(&line[..colon]).to_ascii_lowercase())
        {
            let is_value = |byte: &u8| !byte.is_ascii_whitespace();
            let value = &line[colon + 1..];
            if let (Some(first), Some(last)) =
                (value.iter().position(is_value), value.iter().rposition(is_value))
            {
                let from = begin + colon + 1;
                let mut at = from + first;
                for run in value[first..=last].split(|byte| *byte < 0x20) {
                    if !run.is_empty() {
                        spans.push(Span::hidden(at..at + run.len(), Hidden::Value));
                    }
                    at += run.len() + 1;
                }
            }
        }
        begin += line.len();
    }
    spans
}

impl Response {
    /// The field that says what the content is, with parameters, in lower case; empty where there is none.
    pub(crate) fn content(&self) -> String {
        let field = self.head.fields.iter().find(|field| field.name == "content-type");
        field.and_then(|field| field.shown()).unwrap_or_default().to_ascii_lowercase()
    }

    /// The type of the content, without parameters, where the response says one.
    pub fn content_type(&self) -> Option<String> {
        let essence =
            self.content().split(';').next().unwrap_or_default().trim_matches([' ', '\t']).to_owned();
        (!essence.is_empty()).then_some(essence)
    }

    /// The places in the data of a range of the body, which chunks may cut.
    pub fn places(&self, range: Range<usize>) -> Vec<Range<usize>> {
        let first = self.begins.partition_point(|begin| *begin <= range.start).saturating_sub(1);
        let mut places = Vec::new();
        for (begin, piece) in self.begins[first..].iter().zip(&self.pieces[first..]) {
            if *begin >= range.end {
                break;
            }
            let (from, to) = (range.start.max(*begin), range.end.min(begin + piece.len()));
            if from < to {
                places.push(piece.start + from - begin..piece.start + to - begin);
            }
        }
        places
    }
}

impl Head {
    /// The head as text for people.
    pub fn text(&self) -> String {
        let field = |field: &Field| format!("\n{}: {}", field.name, text(&field.value));
        self.start.clone() + &self.fields.iter().map(field).collect::<String>()
    }
}

#[cfg(test)]
mod tests;
