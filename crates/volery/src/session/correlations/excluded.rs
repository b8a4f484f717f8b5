//! Correlations that are no choice, because they are worth less than what is asked for.

use crate::error::Result;
use crate::session::Setting;

/// The correlations of a setting that are worth too little for a statement, each by its place in
/// [`Setting::correlations`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::session) struct Excluded(u32);

impl Excluded {
    /// None of them.
    pub(in crate::session) const NONE: Self = Self(0);

    /// The correlations over `S` that are not `enough`.
    ///
    /// # Errors
    /// Those of `enough`.
    pub(in crate::session) fn of<S: Setting>(
        mut enough: impl FnMut(S::Correlations) -> Result<bool>,
    ) -> Result<Self> {
        let mut excluded = Self::NONE;
        for (place, correlations) in S::correlations().into_iter().enumerate() {
            if !enough(correlations)? {
                excluded.0 |= 1 << place;
            }
        }
        Ok(excluded)
    }

    /// The correlations that either party excludes.
    pub(super) fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The correlations that are left over `S`, with their places.
    pub(super) fn rest<S: Setting>(self) -> impl Iterator<Item = (usize, S::Correlations)> {
        S::correlations().into_iter().enumerate().filter(move |(place, _)| self.0 >> place & 1 == 0)
    }

    /// The correlations that are left over `S`, those with the most traffic first.
    pub(in crate::session) fn left<S: Setting>(self) -> impl Iterator<Item = S::Correlations> {
        self.rest::<S>().map(|(_, correlations)| correlations)
    }

    /// The set in two hexadecimal digits, if there are any.
    pub(super) fn text(self) -> Option<String> {
        (self != Self::NONE).then(|| format!("{:02x}", self.0))
    }

    /// The set of this text over `S`: some correlations, and not all.
    pub(super) fn parse<S: Setting>(text: &str) -> Option<Self> {
        let excluded = Self(u32::from_str_radix(text, 16).ok()?);
        let all = (1 << S::correlations().len()) - 1;
        let some = (1..all).contains(&excluded.0) && excluded.text().as_deref() == Some(text);
        some.then_some(excluded)
    }
}

#[cfg(test)]
mod tests;
