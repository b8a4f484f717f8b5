//! Reports of proofs.

pub mod text;

use crate::correlations::Choice;
use crate::options::Security;
use crate::system::System;
use crate::verdict::Gates;
use core::any::Any;
use core::fmt;
use std::sync::Arc;
use std::time::Duration;
use volery_channel::channel::Traffic;

/// The report of a proof.
#[derive(Clone, Debug)]
pub struct Report {
    /// The digest of the statement that both parties agreed on.
    pub statement: [u8; 32],
    /// The proof system.
    pub system: System,
    /// The gates of the proof.
    pub gates: Gates,
    /// The source of its correlations, and why that one, if it took any over one field.
    pub choice: Option<Choice>,
    /// Details that are told of proofs by this system alone, if any are.
    pub details: Option<Arc<dyn Details>>,
    /// The worth of the proof.
    pub security: Security,
    /// All that was carried for this statement, the handshake included.
    pub traffic: Traffic,
    /// The part of it that was carried before the first gate.
    pub setup_traffic: Traffic,
    /// Everything before the first gate.
    pub setup: Duration,
    /// The time from there to the verdict.
    pub online: Duration,
}

impl Report {
    /// The report with what was carried in so much time to set up before its statement was known.
    pub(crate) fn after(self, traffic: Traffic, setup: Duration) -> Self {
        Self {
            traffic: self.traffic.and(traffic),
            setup_traffic: self.setup_traffic.and(traffic),
            setup: self.setup + setup,
            ..self
        }
    }

    /// The details, where they are of this kind.
    pub fn of<D: Details>(&self) -> Option<&D> {
        let details: &dyn Any = &**self.details.as_ref()?;
        details.downcast_ref()
    }
}

/// Details of proofs by one system and not by others: a struct of its own, of which whoever prints reports
/// needs to know no more.
pub trait Details: Any + fmt::Debug + Send + Sync {
    /// Facts by name, for programs that read reports.
    fn facts(&self, _report: &Report) -> Vec<(&'static str, Fact)> {
        Vec::new()
    }

    /// Lines of a table, and what each of them is of; prover and verifier worked so long, where that is known.
    fn lines(&self, _report: &Report, _work: [Option<Duration>; 2]) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// How long the party of `report` worked, where that is not the time that passed.
    fn work(&self, _report: &Report) -> Option<Duration> {
        None
    }

    /// Details of this proof and the `next` one of a session together, where they are not those of the first.
    fn and(&self, _next: &dyn Details) -> Option<Arc<dyn Details>> {
        None
    }
}

/// A fact in a report.
#[derive(Clone, Debug, PartialEq)]
pub enum Fact {
    /// Nothing, where there is none for this proof.
    None,
    /// A number.
    Number(u64),
    /// Words, or a name.
    Text(String),
    /// Several facts, in this order.
    List(Vec<Fact>),
    /// Several facts by their names, in this order.
    Group(Vec<(&'static str, Fact)>),
}

impl From<u64> for Fact {
    fn from(number: u64) -> Self {
        Self::Number(number)
    }
}

impl From<u32> for Fact {
    fn from(number: u32) -> Self {
        Self::Number(number.into())
    }
}

impl From<&str> for Fact {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<String> for Fact {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl<T: Into<Fact>> From<Option<T>> for Fact {
    fn from(fact: Option<T>) -> Self {
        fact.map_or(Self::None, Into::into)
    }
}
