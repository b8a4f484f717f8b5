//! The proof systems that a session can run.

use crate::error::{Error, Result};
use core::fmt;
use core::str::FromStr;

/// A proof system.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum System {
    /// Commitments by correlations, a bit for each AND: [`crate::zk::quicksilver`]. Over any field.
    #[default]
    QuickSilver,
    /// A garbled circuit, 128 bits for each AND: [`crate::zk::jko`]. Over F_2.
    Jko,
    /// Stacked garbled circuits, 128 bits for each AND of the largest of several clauses: [`crate::zk::stack`]. Over
    /// F_2.
    Stack,
    /// Parties in the prover's head, a bit or an element for each multiplication and repetition, in a conversation or a
    /// file: [`crate::zk::limbo`]. Over any field.
    Limbo,
    /// Commitments by correlations, and triples that check products, 7 bits for each AND, or 2 to 4 elements for each
    /// multiplication: [`crate::zk::wolverine`]. Over any field.
    Wolverine,
}

impl System {
    /// All there are.
    pub const ALL: [Self; 5] = [Self::QuickSilver, Self::Jko, Self::Stack, Self::Limbo, Self::Wolverine];

    /// The name on the wire, in options and in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::QuickSilver => "quicksilver",
            Self::Jko => "jko",
            Self::Stack => "stack",
            Self::Limbo => "limbo",
            Self::Wolverine => "wolverine",
        }
    }
}

impl fmt::Display for System {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for System {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let known = Self::ALL.into_iter().find(|system| system.name() == name);
        known.ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            Error::invalid(format!("there is no proof system `{name}`; there are {names}"))
        })
    }
}
