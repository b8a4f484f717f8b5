//! What each party proposes in the handshake, and what two proposals come to.

use super::measured::Measured;
use super::{Choice, Correlations, Demand, Pace, Reason, Use};
use crate::channel::Channel;
use crate::error::{Disagreement, Error, Misbehaviour, Result, Sides};
use crate::session::Setting;

/// What a party proposes in its first message.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(in crate::session) enum Proposal<C> {
    /// These and no others.
    Firm(C),
    /// Whatever is fastest, for so many shares and a check of such a degree, zero where there is none, and where
    /// known so many Mbit/s.
    Auto { shares: u64, degree: u64, bandwidth: Option<f64> },
}

impl<C: Copy + PartialEq + Into<Correlations>> Proposal<C> {
    /// The text on the wire, at most 32 bytes: a name, or `auto`, the shares, the degree, and the bandwidth,
    /// zero where unknown.
    pub(in crate::session) fn text(self) -> String {
        match self {
            Self::Firm(correlations) => correlations.into().name().into(),
            Self::Auto { shares, degree, bandwidth } => {
                let mbps = bandwidth.map_or(0, |mbps| mbps.clamp(1.0, 9e6) as u32);
                format!("auto {} {} {mbps}", shares.min(10u64.pow(15) - 1), degree.min(999))
            }
        }
    }

    /// Whether it may take measuring to settle it.
    pub(in crate::session) fn compares<S: Setting<Correlations = C>>(self) -> bool {
        matches!(self, Self::Auto { shares, .. } if S::small(shares).is_none())
    }

    fn parse<S: Setting<Correlations = C>>(text: &str) -> Result<Self> {
        if let Ok(correlations) = Correlations::named::<S>(text) {
            return Ok(Self::Firm(correlations));
        }
        let unknown = || Error::Misbehaved(Misbehaviour::UnknownCorrelations);
        let mut words = text.split(' ');
        let auto = words.next();
        let mut number = || words.next().and_then(|word| word.parse::<u64>().ok()).ok_or_else(unknown);
        let (shares, degree, mbps) = (number()?, number()?, number()?);
        if auto != Some("auto") || words.next().is_some() || mbps > 9_000_000 {
            return Err(unknown());
        }
        Ok(Self::Auto { shares, degree, bandwidth: (mbps > 0).then_some(mbps as f64) })
    }

    /// What the two proposals come to. A firm one prevails; the smaller bandwidth counts; where it matters,
    /// both measure how fast they are, and the link.
    ///
    /// # Errors
    /// `Disagreed` where both are firm and differ, or count different statements; `Misbehaved` where `theirs`
    /// makes no sense; link errors.
    pub(in crate::session) fn resolve<S: Setting<Correlations = C>>(
        self,
        theirs: &str,
        purpose: Use,
        channel: &mut Channel,
        paces: &[Pace],
    ) -> Result<Choice<C>> {
        let given = |correlations| Ok(Choice { correlations, reason: Reason::Given });
        // Both as the other side sees them.
        let (shares, bandwidths) = match (Self::parse::<S>(&self.text())?, Self::parse::<S>(theirs)?) {
            (Self::Firm(ours), Self::Firm(theirs)) if ours != theirs => {
                let names = Sides { ours: ours.into().name(), theirs: theirs.into().name() };
                return Err(Error::Disagreed(Disagreement::Correlations(names)));
            }
            (Self::Firm(firm), _) | (_, Self::Firm(firm)) => return given(firm),
            (Self::Auto { shares: a, .. }, Self::Auto { shares: b, .. }) if a != b => {
                return Err(Error::Disagreed(Disagreement::Shares(Sides { ours: a, theirs: b })));
            }
            (Self::Auto { degree: a, .. }, Self::Auto { degree: b, .. }) if a != b => {
                return Err(Error::Disagreed(Disagreement::Degree(Sides { ours: a, theirs: b })));
            }
            (Self::Auto { shares, bandwidth: a, .. }, Self::Auto { bandwidth: b, .. }) => (shares, [a, b]),
        };
        if let Some(correlations) = S::small(shares) {
            return Ok(Choice { correlations, reason: Reason::Small });
        }
        let bandwidth = bandwidths.into_iter().flatten().reduce(f64::min);
        let Measured { paces: [proving, verifying], line } = Measured::exchange(channel, paces, bandwidth)?;
        Ok(Choice::of::<S>(Demand { shares, purpose }, [&proving, &verifying], line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::{Binary, BitCorrelations};

    #[test]
    fn names_are_read_back_and_fit_the_hello() {
        for correlations in Binary::ALL {
            assert_eq!(Correlations::from(correlations).over::<Binary>().unwrap(), correlations);
        }
        for bandwidth in [None, Some(f64::INFINITY), Some(f64::NAN), Some(-1.0), Some(70.9)] {
            let text = Proposal::<BitCorrelations>::Auto { shares: 1 << 60, degree: 129, bandwidth }.text();
            assert!(text.len() <= 32, "{text}");
            assert_eq!(Proposal::parse::<Binary>(&text).unwrap().text(), text);
        }
        for nonsense in [
            "",
            "auto",
            "auto 1",
            "auto 1 2",
            "auto 1 2 x",
            "auto 1 2 3 4",
            "auto -1 2 3",
            "auto 1 2 9999999999",
            "x 1 2 3",
        ] {
            assert!(Proposal::parse::<Binary>(nonsense).is_err(), "{nonsense}");
        }
        assert!(Correlations::named::<Binary>("mega").unwrap_err().to_string().contains("softspoken4"));
    }
}
