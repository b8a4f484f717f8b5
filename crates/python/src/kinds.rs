//! Kinds of a circuit's values, as Python sees them.

use std::fmt;
use std::sync::Arc;

/// The most bits of a word.
pub(crate) const WIDEST: u32 = 128;

/// The kind of a value.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Kind {
    /// A bit, over F_2.
    Bit,
    /// A number modulo 2^n, over F_2.
    Word(u32),
    /// A number of n bits in two's complement, over F_2.
    Int(u32),
    /// An element of a larger field.
    Element,
    /// A string of this many bytes, over F_2.
    Bytes(u32),
    /// An array of this many values of one kind.
    Array(Arc<Self>, u32),
}

impl Kind {
    /// The elements of the field that a value takes.
    pub(crate) fn size(&self) -> u32 {
        match self {
            Self::Bit | Self::Element => 1,
            Self::Word(width) | Self::Int(width) => *width,
            Self::Bytes(length) => 8 * length,
            Self::Array(of, length) => of.size() * length,
        }
    }

    /// The kind of what operators apply to, value by value: of an array its items, however deep.
    pub(crate) fn lane(&self) -> Self {
        match self {
            Self::Bytes(_) => Self::Word(8),
            Self::Array(of, _) => of.lane(),
            other => other.clone(),
        }
    }

    /// The kind with another kind in its lanes.
    pub(crate) fn with_lane(&self, lane: &Self) -> Self {
        match self {
            Self::Bytes(length) if *lane == Self::Word(8) => Self::Bytes(*length),
            Self::Bytes(length) => Self::Array(Arc::new(lane.clone()), *length),
            Self::Array(of, length) => Self::Array(Arc::new(of.with_lane(lane)), *length),
            _ => lane.clone(),
        }
    }

    /// Whether it is made of bits, and so of circuits over F_2.
    pub(crate) fn is_of_bits(&self) -> bool {
        self.lane() != Self::Element
    }

    /// The length, and the kind of an item, where it has items.
    pub(crate) fn items(&self) -> Option<(u32, Self)> {
        match self {
            Self::Word(width) | Self::Int(width) => Some((*width, Self::Bit)),
            Self::Bytes(length) => Some((*length, Self::Word(8))),
            Self::Array(of, length) => Some((*length, (**of).clone())),
            Self::Bit | Self::Element => None,
        }
    }

    /// The kind of an array of `count` such items.
    pub(crate) fn of_items(&self, count: u32) -> Self {
        match self {
            // A part of a number has no sign.
            Self::Word(_) | Self::Int(_) => Self::Word(count),
            Self::Bytes(_) => Self::Bytes(count),
            Self::Array(of, _) => Self::Array(of.clone(), count),
            Self::Bit | Self::Element => self.clone(),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bit => write!(f, "Bit"),
            Self::Word(width) => write!(f, "Word[{width}]"),
            Self::Int(width) => write!(f, "Int[{width}]"),
            Self::Element => write!(f, "Element"),
            Self::Bytes(length) => write!(f, "Bytes[{length}]"),
            Self::Array(of, length) => write!(f, "Array[{of}, {length}]"),
        }
    }
}
