//! The walk over a value of JSON that is hidden whole, byte by byte: whether it is in a string, behind a backslash of
//! one, and how many brackets are open. A text of JSON that is walked so from where a value begins, with blanks before
//! it at most, is at the end of that value, or in blanks behind it, where
//! 1. no bracket closes that the walk has not seen open, and no comma stands outside of all brackets and strings, so
//!    that it does not go on to what follows the value;
//! 2. at its end no bracket and no string is open, so that the value's are all behind it;
//! 3. what follows is shown, and is a blank, a comma, a bracket that closes, or the end of the text: so no number and no
//!    literal goes on there, and the value is no longer to come. The reader of JSON sees to that.
//!
//! Brackets of both kinds count alike, and 31 at most are open: the text is one of JSON, as its server says that it is.

use volery::F2;
use volery::circuit::gadget::{Bit, Word};
use volery::circuit::stream::{Handle, Recorder};
use volery::circuit::{Backend as _, Wires};

/// The bits of the number of open brackets.
const BITS: usize = 5;

/// A walk over bytes that the prover knows.
#[derive(Clone, Copy, Default)]
pub(super) struct Known {
    in_string: bool,
    is_escaped: bool,
    open: u8,
}

impl Known {
    /// Goes over a byte: false where it may not stand there. Without a branch, as all that is done with hidden bytes.
    pub(super) fn step(&mut self, byte: u8) -> bool {
        let outside = !self.in_string;
        // The brackets of both kinds differ in one bit.
        let opens = outside & (byte | 0x20 == b'{');
        let closes = outside & (byte | 0x20 == b'}');
        let comma = outside & (byte == b',');
        let none = self.open == 0;
        let wrong = (closes | comma) & none | opens & (self.open == (1 << BITS) - 1);
        self.open = self.open.wrapping_add(opens.into()).wrapping_sub(closes.into());
        let turns = (byte == b'"') & !self.is_escaped;
        self.is_escaped = self.in_string & (byte == b'\\') & !self.is_escaped;
        self.in_string ^= turns;
        !wrong
    }

    /// Whether a value may end here.
    pub(super) fn ends(self) -> bool {
        !self.in_string & (self.open == 0)
    }
}

/// A walk by gates: 32 ANDs a byte.
#[derive(Clone, Copy)]
pub(super) struct Walk {
    in_string: Bit<Handle>,
    is_escaped: Bit<Handle>,
    /// The number of open brackets, its lowest bit first.
    open: [Bit<Handle>; BITS],
}

impl Wires<Handle> for Walk {
    fn each(&self, take: &mut dyn FnMut(Handle)) {
        [&[self.in_string, self.is_escaped], &self.open[..]].concat().each(take);
    }
}

impl Default for Walk {
    fn default() -> Self {
        let no = Bit::Public(false);
        Self { in_string: no, is_escaped: no, open: [no; BITS] }
    }
}

/// A byte as the walk takes it.
struct Token {
    quote: Bit<Handle>,
    backslash: Bit<Handle>,
    comma: Bit<Handle>,
    opens: Bit<Handle>,
    closes: Bit<Handle>,
}

impl Token {
    /// The byte's: 16 ANDs.
    fn of(b: &mut Recorder<'_, F2>, byte: &Word<Handle, 8>) -> volery::Result<Self> {
        let [bit0, bit1, bit2, bit3, bit4, bit5, bit6, _] = *byte.bits();
        let [not0, _, _, _, not4, not5, _, not7] = *byte.not(b).bits();
        // Of bits 1 and 2 the second alone, and the first alone.
        let both = bit1.and(b, bit2)?;
        let (two, four) = (bit1.xor(b, both), bit2.xor(b, both));
        // Brackets and the backslash are 01x1 1xxx: [ and { end in 011, ] and } in 101, and the backslash, 0101 1100, in
        // 100.
        let upper = not7.and(b, bit6)?;
        let row = bit4.and(b, bit3)?;
        let row = upper.and(b, row)?;
        let (of_open, of_close) = (row.and(b, two)?, row.and(b, four)?);
        let (opens, closes) = (of_open.and(b, bit0)?, of_close.and(b, bit0)?);
        let backslash = of_close.xor(b, closes).and(b, not5)?;
        // The quote is 0010 0010, and the comma 0010 1100.
        let row = bit5.and(b, not4)?;
        let lower = not7.xor(b, upper);
        let row = lower.and(b, row)?;
        let eight = bit3.and(b, not0)?;
        let none = not0.xor(b, eight);
        let (of_quote, of_comma) = (row.and(b, two)?, row.and(b, four)?);
        let (quote, comma) = (of_quote.and(b, none)?, of_comma.and(b, eight)?);
        Ok(Self { quote, backslash, comma, opens, closes })
    }
}

impl Walk {
    /// The walk over one byte more, the sum of `stream` and `sent`, which may stand there. All other wires are forgotten,
    /// those of this walk, too.
    pub(super) fn step(
        self,
        b: &mut Recorder<'_, F2>,
        stream: &Word<Handle, 8>,
        sent: u8,
        name: impl core::fmt::Display,
    ) -> volery::Result<Self> {
        let next = b.scope(|b| {
            let byte = stream.xor(b, &Word::public(sent.into()));
            self.next(b, &byte, name)
        })?;
        b.forget(&self.wires());
        Ok(next)
    }

    fn next(
        mut self,
        b: &mut Recorder<'_, F2>,
        byte: &Word<Handle, 8>,
        name: impl core::fmt::Display,
    ) -> volery::Result<Self> {
        let Token { quote, backslash, comma, opens, closes } = Token::of(b, byte)?;
        let outside = self.in_string.not(b);
        let (opens, closes) = (opens.and(b, outside)?, closes.and(b, outside)?);
        let comma = comma.and(b, outside)?;
        // No two of these hold at once. A one is added or taken away, which carries where bits are ones or zeros.
        let mut carry = opens.xor(b, closes);
        let mut some = Bit::Public(false);
        for bit in &mut self.open {
            some = bit.or(b, some)?;
            let carries = bit.xor(b, closes).and(b, carry)?;
            *bit = bit.xor(b, carry);
            carry = carries;
        }
        let none = some.not(b);
        let alone = comma.and(b, none)?;
        carry.xor(b, alone).assert_equal(b, Bit::Public(false), name)?;
        let not_escaped = self.is_escaped.not(b);
        let turns = quote.and(b, not_escaped)?;
        let escapes = backslash.and(b, self.in_string)?;
        self.is_escaped = escapes.and(b, not_escaped)?;
        self.in_string = self.in_string.xor(b, turns);
        Ok(self)
    }

    /// Whether no byte was gone over.
    pub(super) fn is_at_begin(&self) -> bool {
        self.wires().is_empty()
    }

    /// Demands that a value may end here.
    pub(super) fn end(self, b: &mut Recorder<'_, F2>, name: impl core::fmt::Display) -> volery::Result<()> {
        let mut bits = core::iter::once(self.in_string).chain(self.open);
        bits.try_for_each(|bit| bit.assert_equal(b, Bit::Public(false), &name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use volery::circuit::gadget::bits_of;
    use volery::circuit::{Circuit, Shape};

    /// A walk over so many bytes, which the prover knows.
    struct Over(usize);

    impl Circuit<Recorder<'_, F2>> for Over {
        fn run(&self, b: &mut Recorder<'_, F2>) -> volery::Result<()> {
            let mut walk = Walk::default();
            for at in 0..self.0 {
                let byte = Word::witness(b)?;
                walk = walk.step(b, &byte, 0, at)?;
            }
            walk.end(b, "its end")
        }
    }

    fn known(text: &[u8]) -> bool {
        let mut walk = Known::default();
        text.iter().all(|byte| walk.step(*byte)) & walk.ends()
    }

    /// Whether a walk ends well, by gates and without: on texts that are values, and on all that are not quite.
    #[test]
    fn walks_end_where_values_do() {
        let deep = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
        for (text, ends) in [
            ("0", true),
            ("-1.5e3 ", true),
            ("null", true),
            ("\"\"", true),
            ("\"a,]}\\\"[{\\\\\"", true),
            (" {\"a\":[1,2,{}],\"b\":\"]\"}\n", true),
            ("[\"\\u005d\",\"|\\\\\"]", true),
            (&deep(31), true),
            (&deep(32), false),
            ("1,2", false),
            ("],1,[", false),
            ("1]", false),
            ("}", false),
            ("[1", false),
            ("\"", false),
            ("\"\\\"", false),
            ("\"a\",\"b\"", false),
            ("\"a\\\\\",", false),
            ("[1],", false),
            ("{\"a\":1},", false),
        ] {
            assert_eq!(known(text.as_bytes()), ends, "{text}");
            let by_gates = volery::check(&Over(text.len()), bits_of(text.as_bytes()));
            assert_eq!(by_gates.is_ok(), ends, "{text}");
        }
        assert_eq!(Shape::without_depth::<F2>(&Over(1000)).unwrap().mul.div_ceil(1000), 32);
    }

    /// All bytes in all states that few bytes lead to.
    #[test]
    fn gates_go_as_bytes_do() {
        for before in [&b""[..], b"[", b"\"", b"\"\\", b"[\"", b"[[\"\\"] {
            for byte in 0..=255 {
                for after in [&b""[..], b"]", b"\"", b"\"]", b"]]", b"\"\"]]"] {
                    let text = [before, &[byte], after].concat();
                    let by_gates = volery::check(&Over(text.len()), bits_of(&text));
                    assert_eq!(by_gates.is_ok(), known(&text), "{}", text.escape_ascii());
                }
            }
        }
    }
}
