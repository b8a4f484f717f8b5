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
            What::Hidden(Hidden::Whole) => true,
            What::Hidden(Hidden::Digits) => plain.is_ascii_digit(),
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
        if class == Hidden::Whole {
            // A walk over all of the value's bytes is what demands something.
            return Ok(());
        }
        let plain = self.plain(b, stream);
        let wrong = match class {
            Hidden::Whole => unreachable!("of which single bytes demand nothing"),
            Hidden::Value => below_blank(b, &plain)?,
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

/// Whether the low half of a byte is above nine: 2 ANDs.
pub(super) fn above_nine(b: &mut Recorder<'_, F2>, byte: &Word<Handle, 8>) -> volery::Result<Bit<Handle>> {
    let [_, bit1, bit2, bit3, ..] = *byte.bits();
    bit1.or(b, bit2)?.and(b, bit3)
}
