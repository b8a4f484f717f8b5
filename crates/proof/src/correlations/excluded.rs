//! Correlations that are no choice, because they are worth less than what is asked for.

use super::Correlations;
use crate::facts::SettingFacts;

/// The correlations of a setting that are worth too little for a statement, each by its place in
/// [`SettingFacts::correlations`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Excluded(u32);

impl Excluded {
    /// None of them.
    pub const NONE: Self = Self(0);

    /// The correlations of `setting` that are not `enough`.
    pub fn of(setting: &dyn SettingFacts, enough: &mut dyn FnMut(Correlations) -> bool) -> Self {
        let mut excluded = Self::NONE;
        for (place, correlations) in setting.correlations().into_iter().enumerate() {
            if !enough(correlations) {
                excluded.0 |= 1 << place;
            }
        }
        excluded
    }

    /// The correlations that either party excludes.
    pub fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The correlations of `setting` that are left, with their places.
    pub fn rest(self, setting: &dyn SettingFacts) -> impl Iterator<Item = (usize, Correlations)> {
        setting.correlations().into_iter().enumerate().filter(move |(place, _)| self.0 >> place & 1 == 0)
    }

    /// The correlations of `setting` that are left, those with the most traffic first.
    pub fn left(self, setting: &dyn SettingFacts) -> impl Iterator<Item = Correlations> {
        self.rest(setting).map(|(_, correlations)| correlations)
    }

    /// The set in two hexadecimal digits, if there are any.
    pub fn text(self) -> Option<String> {
        (self != Self::NONE).then(|| format!("{:02x}", self.0))
    }

    /// The set of this text over `setting`: some correlations, and not all.
    pub fn parse(setting: &dyn SettingFacts, text: &str) -> Option<Self> {
        let excluded = Self(u32::from_str_radix(text, 16).ok()?);
        let all = (1 << setting.correlations().len()) - 1;
        let some = (1..all).contains(&excluded.0) && excluded.text().as_deref() == Some(text);
        some.then_some(excluded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::binary::Binary;
    use crate::over::Over;
    use crate::setting::Setting as _;
    use volery_primitives::F61;

    #[test]
    fn what_is_excluded_is_read_back() {
        type S = Over<F61>;
        for mask in 1..31 {
            let text = Excluded(mask).text().unwrap();
            assert_eq!(Excluded::parse(S::facts(), &text), Some(Excluded(mask)));
        }
        assert_eq!(Excluded::NONE.text(), None);
        // None, all, of another setting, or in other words.
        for nonsense in ["", "00", "1f", "20", "1", "001", "0A", "+1", "-1", "x"] {
            assert_eq!(Excluded::parse(S::facts(), nonsense), None, "{nonsense}");
        }
        assert!(Excluded::parse(Binary::facts(), "1f").is_some());
    }
}
