//! The header of an array: a dictionary in Python's notation.

/// The most dimensions.
const MOST_DIMENSIONS: usize = 32;

/// The three entries of a header.
pub(super) struct Header<'f> {
    /// The type of numbers, as numpy calls it.
    pub(super) descr: &'f str,
    /// Whether the first dimension is the innermost.
    pub(super) fortran: bool,
    pub(super) shape: Vec<usize>,
}

impl<'f> Header<'f> {
    /// Reads a dictionary of Python with these entries, each once, in any order.
    pub(super) fn parse(text: &'f [u8]) -> Result<Self, String> {
        let text = str::from_utf8(text).map_err(|_| "has a header that is no text")?;
        let mut rest = Rest(text.trim_ascii());
        let (mut descr, mut fortran, mut shape) = (None, None, None);
        rest.expect('{')?;
        while !rest.skip('}') {
            let key = rest.quoted()?;
            rest.expect(':')?;
            let twice = match key {
                "descr" if rest.0.starts_with(['[', '(']) => {
                    return Err("is of records with several fields: save one of them, x['name']".into());
                }
                "descr" => descr.replace(rest.quoted()?).is_some(),
                "fortran_order" => fortran.replace(rest.truth()?).is_some(),
                "shape" => shape.replace(rest.lengths()?).is_some(),
                _ => return Err("has a header with another entry than descr, fortran_order, shape".into()),
            };
            if twice {
                return Err(format!("has {key} twice in its header"));
            }
            if !rest.skip(',') {
                rest.expect('}')?;
                break;
            }
        }
        match (descr, fortran, shape, rest.0) {
            (Some(descr), Some(fortran), Some(shape), "") => Ok(Self { descr, fortran, shape }),
            _ => {
                Err("has a header without one of descr, fortran_order, shape, or with more behind it".into())
            }
        }
    }
}

/// The rest of a header.
struct Rest<'f>(&'f str);

impl<'f> Rest<'f> {
    /// Takes `c` off, and white space around it, where it stands there.
    fn skip(&mut self, c: char) -> bool {
        let rest = self.0.trim_ascii_start().strip_prefix(c);
        self.0 = rest.unwrap_or(self.0).trim_ascii_start();
        rest.is_some()
    }

    fn expect(&mut self, c: char) -> Result<(), String> {
        if self.skip(c) { Ok(()) } else { Err(format!("has a header without {c:?} where it is to be")) }
    }

    /// Takes a text in quotes off; none of those that mean something here has a quote within.
    fn quoted(&mut self) -> Result<&'f str, String> {
        let quote = if self.0.starts_with('"') { '"' } else { '\'' };
        self.expect(quote)?;
        let (text, rest) = self.0.split_once(quote).ok_or("has a header with a quote that does not end")?;
        self.0 = rest.trim_ascii_start();
        Ok(text)
    }

    fn truth(&mut self) -> Result<bool, String> {
        for (word, truth) in [("True", true), ("False", false)] {
            if let Some(rest) = self.0.strip_prefix(word) {
                self.0 = rest.trim_ascii_start();
                return Ok(truth);
            }
        }
        Err("has neither True nor False as fortran_order".into())
    }

    fn lengths(&mut self) -> Result<Vec<usize>, String> {
        self.expect('(')?;
        let mut lengths = vec![];
        while !self.skip(')') {
            let end = self.0.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.0.len());
            let (digits, rest) = self.0.split_at(end);
            let length = digits.parse().map_err(|_| "has a shape that is none")?;
            if lengths.len() == MOST_DIMENSIONS {
                return Err(format!("has more than {MOST_DIMENSIONS} dimensions"));
            }
            lengths.push(length);
            self.0 = rest;
            if !self.skip(',') {
                self.expect(')')?;
                break;
            }
        }
        Ok(lengths)
    }
}
