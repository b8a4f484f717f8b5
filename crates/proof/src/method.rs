//! Proof system that a session is to use, and its own choices.

use crate::system::System;
use core::any::Any;
use core::fmt;
use std::sync::Arc;

/// Choices that a proof system leaves to its caller: a struct of its own, of which its room alone knows more.
pub trait Choices: Any + fmt::Debug + Send + Sync {
    /// The system that they are of.
    fn system(&self) -> System;
}

/// A proof system, with what is its own to choose. Made of a [`System`], by which all is as usual, or of its
/// [`Choices`].
#[derive(Clone, Default, Debug)]
pub struct Method {
    system: System,
    choices: Option<Arc<dyn Choices>>,
}

impl Method {
    /// The proof system.
    pub fn system(&self) -> System {
        self.system
    }

    /// The choices of the system, or the usual ones where none of this kind were made.
    pub fn of<C: Choices + Clone + Default>(&self) -> C {
        let chosen = self.choices.as_deref().and_then(|choices| {
            let choices: &dyn Any = choices;
            choices.downcast_ref::<C>()
        });
        chosen.cloned().unwrap_or_default()
    }
}

impl From<System> for Method {
    fn from(system: System) -> Self {
        Self { system, choices: None }
    }
}

impl<C: Choices> From<C> for Method {
    fn from(choices: C) -> Self {
        Self { system: choices.system(), choices: Some(Arc::new(choices)) }
    }
}
