//! Proposals of correlations in the handshake, and the choice that follows from two of them.

use super::measured::Measured;
use super::{Choice, Correlations, Demand, Excluded, Pace, Reason, Use};
use crate::facts::SettingFacts;
use volery_channel::channel::Channel;
use volery_channel::error::{Disagreement, Error, Misbehaviour, Result, Sides};

/// A proposal of a party in its first message.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Proposal {
    /// One kind of correlations, and no other.
    Firm(Correlations),
    /// The correlations that are fastest for a statement.
    Auto(Automatic),
}

/// A party's facts of a statement for which the fastest correlations are to be taken.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Automatic {
    /// The shares that it takes.
    pub shares: u64,
    /// The degree of its check, zero where there is none.
    pub degree: u64,
    /// The bandwidth in Mbit/s, where it is known.
    pub bandwidth: Option<f64>,
    /// The correlations that are worth less than the party asks for.
    pub excluded: Excluded,
}

impl Proposal {
    /// The text on the wire, at most 32 bytes: a name, or `auto`, the shares, the degree, the bandwidth, zero
    /// where unknown, and what is excluded, where anything is.
    pub fn text(self) -> String {
        match self {
            Self::Firm(correlations) => correlations.name().into(),
            Self::Auto(Automatic { shares, degree, bandwidth, excluded }) => {
                let (shares, degree) = (shares.min(10u64.pow(12) - 1), degree.min(999));
                let mbps = bandwidth.map_or(0, |mbps| mbps.clamp(1.0, 9e6) as u32);
                let excluded = excluded.text().map_or(String::new(), |excluded| format!(" {excluded}"));
                format!("auto {shares} {degree} {mbps}{excluded}")
            }
        }
    }

    /// Whether it may take measuring to settle it.
    pub fn compares(self, setting: &dyn SettingFacts) -> bool {
        matches!(self, Self::Auto(Automatic { shares, .. }) if setting.small(shares).is_none())
    }

    fn parse(setting: &dyn SettingFacts, text: &str) -> Result<Self> {
        if let Ok(correlations) = setting.named(text) {
            return Ok(Self::Firm(correlations));
        }
        let unknown = || Error::Misbehaved(Misbehaviour::UnknownCorrelations);
        let mut words = text.split(' ');
        let auto = words.next();
        let mut number = || words.next().and_then(|word| word.parse::<u64>().ok()).ok_or_else(unknown);
        let (shares, degree, mbps) = (number()?, number()?, number()?);
        let excluded =
            words.next().map(|word| Excluded::parse(setting, word).ok_or_else(unknown)).transpose()?;
        if auto != Some("auto") || words.next().is_some() || mbps > 9_000_000 {
            return Err(unknown());
        }
        let (bandwidth, excluded) = ((mbps > 0).then_some(mbps as f64), excluded.unwrap_or(Excluded::NONE));
        Ok(Self::Auto(Automatic { shares, degree, bandwidth, excluded }))
    }

    /// The choice by the two proposals. A firm one prevails. Otherwise what either party excludes is
    /// excluded, and the smaller bandwidth counts; where it matters, both measure how fast they are, and the
    /// link.
    ///
    /// # Errors
    /// `Disagreed` where both are firm and differ, count different statements, or exclude everything together;
    /// `Misbehaved` where `theirs` makes no sense; link errors.
    pub fn resolve(
        self,
        setting: &dyn SettingFacts,
        theirs: &str,
        purpose: Use,
        channel: &mut Channel,
        paces: &[Pace],
    ) -> Result<Choice> {
        let given = |correlations| Ok(Choice { correlations, reason: Reason::Given });
        // Both as the other side sees them.
        let (ours, theirs) = match (Self::parse(setting, &self.text())?, Self::parse(setting, theirs)?) {
            (Self::Firm(ours), Self::Firm(theirs)) if ours != theirs => return Err(apart(ours, theirs)),
            (Self::Firm(firm), _) | (_, Self::Firm(firm)) => return given(firm),
            (Self::Auto(ours), Self::Auto(theirs)) => (ours, theirs),
        };
        Sides { ours: ours.shares, theirs: theirs.shares }.agree(Disagreement::Shares)?;
        Sides { ours: ours.degree, theirs: theirs.degree }.agree(Disagreement::Degree)?;
        let (shares, excluded) = (ours.shares, ours.excluded.or(theirs.excluded));
        let choice = if setting.small(shares).is_some() {
            Choice::small(setting, shares, excluded)
        } else {
            let bandwidth = [ours.bandwidth, theirs.bandwidth].into_iter().flatten().reduce(f64::min);
            let Measured { paces: [proving, verifying], line } =
                Measured::exchange(channel, paces, bandwidth)?;
            Choice::of(setting, Demand { shares, purpose }, excluded, [&proving, &verifying], line)
        };
        // Parties who count the same statement exclude what is worth less than each asks for, so that what the
        // one leaves is among what the other does.
        choice.ok_or_else(|| {
            let [ours, theirs] = [ours, theirs].map(|side| side.excluded.left(setting).next());
            apart(ours.expect("not all"), theirs.expect("not all"))
        })
    }
}

/// The disagreement of two sides that would each take something else.
fn apart(ours: Correlations, theirs: Correlations) -> Error {
    let names = Sides { ours: ours.name(), theirs: theirs.name() };
    Error::Disagreed(Disagreement::Correlations(names))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::binary::Binary;
    use crate::setting::Setting as _;

    #[test]
    fn names_are_read_back_and_fit_the_hello() {
        let setting = Binary::facts();
        for correlations in setting.correlations() {
            assert_eq!(setting.named(correlations.name()).unwrap(), correlations);
        }
        let last = |kept| Excluded::of(setting, &mut |one| one == kept);
        for bandwidth in [None, Some(f64::INFINITY), Some(f64::NAN), Some(-1.0), Some(70.9)] {
            for excluded in [Excluded::NONE, last(Correlations::WAN), last(Correlations::SOFTSPOKEN4)] {
                let auto = Automatic { shares: 1 << 60, degree: u64::MAX, bandwidth, excluded };
                let text = Proposal::Auto(auto).text();
                assert!(text.len() <= 32, "{text}");
                assert_eq!(Proposal::parse(setting, &text).unwrap().text(), text);
            }
        }
        for nonsense in [
            "",
            "auto",
            "auto 1",
            "auto 1 2",
            "auto 1 2 x",
            "auto 1 2 3 4",
            "auto 1 2 3 00",
            "auto 1 2 3 7f",
            "auto 1 2 3 01 2",
            "auto -1 2 3",
            "auto 1 2 9999999999",
            "x 1 2 3",
        ] {
            assert!(Proposal::parse(setting, nonsense).is_err(), "{nonsense}");
        }
        assert!(Correlations::named::<Binary>("mega").unwrap_err().to_string().contains("softspoken4"));
    }
}
