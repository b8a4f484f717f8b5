//! Proof system that a session is to use, and its own choices.

use super::correlations::Correlations;
use super::{InTheHead, Simulation, Stacking, System};
use crate::zk::wolverine::Checking;
use volery_primitives::hash::Construction;

/// A proof system, with what is its own to choose.
#[derive(Clone, Debug)]
pub enum Method {
    /// [`crate::zk::quicksilver`].
    Quicksilver(Drawing),
    /// [`crate::zk::wolverine`], and how it checks products.
    Wolverine(Drawing, Checking),
    /// [`crate::zk::jko`], by the hash of the gates, on which both parties must agree.
    Jko(Construction),
    /// [`crate::zk::stack`].
    Stack(Stacking),
    /// [`crate::zk::limbo`].
    Limbo(Simulation),
    /// [`crate::zk::voleith`], for files.
    Voleith(InTheHead),
    /// A system of no library, which has nothing here to choose. Made by [`From<System>`](System).
    Other(System),
}

/// How correlations are drawn.
#[derive(Clone, Copy, Default, Debug)]
pub struct Drawing {
    /// Where they come from; what the peer says, or what is fastest, where `None`. By name: the set of that
    /// name is the setting's.
    pub correlations: Option<Correlations>,
    /// The bandwidth of the link in Mbit/s each way, for that choice; measured where `None` and it matters.
    pub bandwidth: Option<f64>,
    /// Whether a prover of one of several clauses by QuickSilver evaluates all of them before its first message,
    /// whichever holds: for a verifier that could tell by the time it takes.
    pub fixed_work: bool,
}

impl Method {
    /// The proof system.
    pub fn system(&self) -> System {
        match self {
            Self::Quicksilver(_) => System::QUICKSILVER,
            Self::Wolverine(..) => System::WOLVERINE,
            Self::Jko(_) => System::JKO,
            Self::Stack(_) => System::STACK,
            Self::Limbo(_) => System::LIMBO,
            Self::Voleith(_) => System::VOLEITH,
            Self::Other(system) => *system,
        }
    }

    /// How it draws correlations, if it does.
    pub fn drawing(&self) -> Option<&Drawing> {
        match self {
            Self::Quicksilver(drawing) | Self::Wolverine(drawing, _) => Some(drawing),
            _ => None,
        }
    }

    /// [`Method::drawing`], to be changed.
    pub fn drawing_mut(&mut self) -> Option<&mut Drawing> {
        match self {
            Self::Quicksilver(drawing) | Self::Wolverine(drawing, _) => Some(drawing),
            _ => None,
        }
    }

    /// The hash of its gates, if it garbles any.
    pub fn construction(&self) -> Option<Construction> {
        match self {
            Self::Jko(construction) | Self::Stack(Stacking { construction, .. }) => Some(*construction),
            _ => None,
        }
    }

    /// How it stacks clauses, if it does.
    pub fn stacking(&self) -> Option<&Stacking> {
        if let Self::Stack(stacking) = self { Some(stacking) } else { None }
    }

    /// How it checks products, if it is Wolverine.
    pub fn checking(&self) -> Option<&Checking> {
        if let Self::Wolverine(_, checking) = self { Some(checking) } else { None }
    }

    /// How it simulates parties, if it does.
    pub fn simulation(&self) -> Option<&Simulation> {
        if let Self::Limbo(simulation) = self { Some(simulation) } else { None }
    }

    /// How its files are made, if it is VOLE in the head.
    pub fn in_the_head(&self) -> Option<&InTheHead> {
        if let Self::Voleith(head) = self { Some(head) } else { None }
    }
}

impl Default for Method {
    fn default() -> Self {
        Self::Quicksilver(Drawing::default())
    }
}

impl From<System> for Method {
    fn from(system: System) -> Self {
        let all = [
            Self::Quicksilver(Drawing::default()),
            Self::Wolverine(Drawing::default(), Checking::default()),
            Self::Jko(Construction::default()),
            Self::Stack(Stacking::default()),
            Self::Limbo(Simulation::default()),
            Self::Voleith(InTheHead::default()),
        ];
        all.into_iter().find(|method| method.system() == system).unwrap_or(Self::Other(system))
    }
}
