//! Faults: ends of a run that its program did not ask for.

use std::fmt;

/// A fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The kind of the fault.
    pub kind: Kind,
    /// The address of the instruction.
    pub pc: u32,
    /// The address that was accessed or jumped to, or the word that is no instruction.
    pub about: u32,
}

/// The kind of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A word that is no instruction of RV32IM.
    Illegal,
    /// An instruction at an address that holds none.
    Fetch,
    /// A load where there is no memory.
    Load,
    /// A store where there is no memory, or it cannot be written to.
    Store,
    /// An access at an address that is no multiple of its width.
    Misaligned,
    /// `ebreak`, in which failed assertions of some libraries end.
    Break,
    /// `fence.i`, behind which instructions would be run that the program has stored.
    SelfModifying,
}

impl Kind {
    /// All kinds of faults.
    pub const ALL: [Self; 7] = [
        Self::Illegal,
        Self::Fetch,
        Self::Load,
        Self::Store,
        Self::Misaligned,
        Self::Break,
        Self::SelfModifying,
    ];

    /// The name of the kind.
    pub fn name(self) -> &'static str {
        match self {
            Self::Illegal => "illegal",
            Self::Fetch => "fetch",
            Self::Load => "load",
            Self::Store => "store",
            Self::Misaligned => "misaligned",
            Self::Break => "ebreak",
            Self::SelfModifying => "self-modifying",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let about = self.about;
        match self.kind {
            Kind::Illegal => write!(f, "illegal: {about:#010x} is no instruction of RV32IM"),
            Kind::Fetch => write!(f, "fetch: there is no instruction at {about:#x}"),
            Kind::Load => write!(f, "load: there is no memory at {about:#x}"),
            Kind::Store => write!(f, "store: there is no memory that can be written to at {about:#x}"),
            Kind::Misaligned => write!(f, "misaligned: {about:#x} is no multiple of the access's width"),
            Kind::Break => f.write_str("ebreak: the program stops itself, as by a failed assertion"),
            Kind::SelfModifying => f.write_str(
                "self-modifying: fence.i is for instructions that a program has stored, and only those of its \
                 file are run",
            ),
        }
    }
}
