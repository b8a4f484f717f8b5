//! The assertion that a prover names where its statement does not hold.

/// An assertion that has failed.
pub struct Failure {
    /// The assertions on values that the prover has made before.
    pub before: u64,
    pub name: Name,
}

/// The name of an assertion, as far as it is known.
pub enum Name {
    Known(String),
    /// The number that it has in the statement: of one that a task has computed.
    Number(u64),
}

/// The first assertion that has failed, if one has.
#[derive(Default)]
pub(crate) struct FirstFailure(Option<Failure>);

impl FirstFailure {
    /// Whether one behind so many assertions would be the first.
    pub(crate) fn may_be(&self, before: u64) -> bool {
        self.0.as_ref().is_none_or(|first| before < first.before)
    }

    /// Notes an assertion that has failed, if none did that comes before it.
    pub(crate) fn note(&mut self, failure: Failure) {
        if self.may_be(failure.before) {
            self.0 = Some(failure);
        }
    }

    /// Finds its name, if only its number is known.
    pub(crate) fn find_name(&mut self, name: impl FnOnce(u64) -> String) {
        if let Some(Failure { name: found @ Name::Number(_), .. }) = &mut self.0
            && let Name::Number(number) = *found
        {
            *found = Name::Known(name(number));
        }
    }

    /// Takes its name.
    pub(crate) fn take(&mut self) -> Option<String> {
        self.0.take().map(|failure| match failure.name {
            Name::Known(name) => name,
            Name::Number(number) => format!("assertion {number}"),
        })
    }
}
