//! Demands on single bytes, and the gates of classes of hidden ones.

use crate::opening::Hidden;
use core::fmt::Display;
use volery::F2;
use volery::circuit::gadget::{Bit, Word};
use volery::circuit::stream::{Handle, Recorder};

/// A demand on one byte of a plaintext, of which the ciphertext is `sent`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Demand {
    pub(super) sent: u8,
    pub(super) what: What,
}

/// The meaning of a byte of a plaintext.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum What {
    /// The byte is this one, and shown.
    Shown(u8),
    /// The byte is the type of the content.
    Type(u8),
    /// The byte is a zero behind the type.
    Padding,
    /// The byte is hidden, and of this class.
    Hidden(Hidden),
}

impl What {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Shown(_) => "what it shows",
            Self::Type(_) => "its type",
            Self::Padding => "its padding",
            Self::Hidden(Hidden::Value) => "a hidden value",
            Self::Hidden(Hidden::Whole) => "a value that is hidden whole",
            Self::Hidden(Hidden::Digits) => "a hidden digit",
            Self::Hidden(Hidden::Word) => "a hidden word",
            Self::Hidden(Hidden::Read) => "a byte that a program reads",
        }
    }
}

impl Demand {
    /// Whether a byte of the key stream meets it.
    pub(super) fn is_met(self, stream: u8) -> bool {
        let plain = stream ^ self.sent;
        match self.what {
            What::Shown(byte) | What::Type(byte) => plain == byte,
            What::Padding => plain == 0,
            What::Hidden(Hidden::Value) => plain >= 0x20,
            What::Hidden(Hidden::Whole | Hidden::Read) => true,
            What::Hidden(Hidden::Digits) => plain.is_ascii_digit(),
            What::Hidden(Hidden::Word) => is_of_word(plain),
        }
    }

    /// The byte of the plaintext.
    pub(super) fn plain(self, b: &mut Recorder<'_, F2>, stream: &Word<Handle, 8>) -> Word<Handle, 8> {
        stream.xor(b, &Word::public(self.sent.into()))
    }

    /// Demands it of a byte of the key stream.
    pub(super) fn push(
        self,
        b: &mut Recorder<'_, F2>,
        stream: &Word<Handle, 8>,
        name: impl Display,
    ) -> volery::Result<()> {
        let is =
            |b: &mut _, byte: u8| stream.assert_equal(b, &Word::public((byte ^ self.sent).into()), &name);
        let class = match self.what {
            What::Shown(byte) | What::Type(byte) => return is(b, byte),
            What::Padding => return is(b, 0),
            What::Hidden(class) => class,
        };
        if matches!(class, Hidden::Whole | Hidden::Read) {
            // A walk over all of the value's bytes is what demands something, or a program.
            return Ok(());
        }
        let plain = self.plain(b, stream);
        let wrong = match class {
            Hidden::Whole | Hidden::Read => unreachable!("of which single bytes demand nothing"),
            Hidden::Value => below_blank(b, &plain)?,
            Hidden::Word => {
                plain.bits()[7].assert_equal(b, Bit::Public(false), &name)?;
                ends_word(b, &plain)?
            }
            Hidden::Digits => {
                let [.., bit4, bit5, bit6, bit7] = *plain.bits();
                for (bit, expected) in [(bit4, true), (bit5, true), (bit6, false), (bit7, false)] {
                    bit.assert_equal(b, Bit::Public(expected), &name)?;
                }
                above_nine(b, &plain)?
            }
        };
        wrong.assert_equal(b, Bit::Public(false), &name)
    }
}

/// Whether a byte is below 0x20: 2 ANDs.
pub(super) fn below_blank(b: &mut Recorder<'_, F2>, byte: &Word<Handle, 8>) -> volery::Result<Bit<Handle>> {
    let [.., not5, not6, not7] = *byte.not(b).bits();
    not7.and(b, not6)?.and(b, not5)
}

/// Whether a byte is one of a hidden word. Without a branch, as all that is done with hidden bytes.
pub(crate) const fn is_of_word(byte: u8) -> bool {
    let letter = (byte | 0x20).wrapping_sub(b'a') < 26;
    let digit = byte.wrapping_sub(b'0') < 10;
    letter | digit | (byte == b'-') | (byte == b'_')
}

/// Whether a byte below 0x80 is none of a hidden word: 19 ANDs.
pub(super) fn ends_word(b: &mut Recorder<'_, F2>, byte: &Word<Handle, 8>) -> volery::Result<Bit<Handle>> {
    let [bit0, bit1, bit2, bit3, bit4, bit5, bit6, _] = *byte.bits();
    let [not0, not1, not2, not3, not4, not5, ..] = *byte.not(b).bits();
    let (ones, tens) = (bit1.and(b, bit0)?, bit4.and(b, bit3)?);
    // From 0x40 on letters are 1 to 26 in each row of 32, and `_` is 31 of the upper one.
    let (low, high) = (not0.and(b, not1)?, not2.and(b, not3)?);
    let zero = low.and(b, high)?.and(b, not4)?;
    let above = bit2.or(b, ones)?.and(b, tens)?;
    let last = bit2.and(b, ones)?.and(b, tens)?.and(b, not5)?;
    let upper = zero.xor(b, above).xor(b, last);
    // Below, digits are the first ten of 0x30, and `-` is 0x2d.
    let digits = bit5.and(b, bit4)?;
    let over = bit2.or(b, bit1)?.and(b, bit3)?.not(b);
    let is_digit = digits.and(b, over)?;
    let row = bit5.xor(b, digits);
    let (begin, end) = (bit3.and(b, bit2)?, bit0.xor(b, ones));
    let is_dash = row.and(b, begin)?.and(b, end)?;
    let lower = is_digit.xor(b, is_dash).not(b);
    let differs = upper.xor(b, lower).and(b, bit6)?;
    Ok(lower.xor(b, differs))
}

/// Whether the low half of a byte is above nine: 2 ANDs.
pub(super) fn above_nine(b: &mut Recorder<'_, F2>, byte: &Word<Handle, 8>) -> volery::Result<Bit<Handle>> {
    let [_, bit1, bit2, bit3, ..] = *byte.bits();
    bit1.or(b, bit2)?.and(b, bit3)
}
