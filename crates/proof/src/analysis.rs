//! Cost and soundness of proofs over correlations: what both parties work out before the first message.

use crate::correlations::{Choice, Correlations, Demand, Excluded, Use};
use crate::estimate::Estimate;
use crate::facts::SettingFacts;
use crate::options::Options;
use volery_channel::channel::Channel;
use volery_channel::error::{Error, Result};
use volery_circuit::{Shape, Size};

/// Cost and soundness of proofs by one system over one setting, with what options say of the system.
///
/// # Panics
/// Its methods do where they are given correlations of another setting: names go through
/// [`SettingFacts::named`] first.
pub trait Analysis {
    /// The setting.
    fn setting(&self) -> &'static dyn SettingFacts;

    /// The statistical security that is asked for where nothing is said, in bits.
    fn usual_security(&self) -> u32 {
        self.setting().security()
    }

    /// The protocol's name in a handshake on a statement of this size, or a shard, where it is not the system's.
    fn protocol(&self, _: Option<Size>, _in_shards: bool) -> Option<&'static str> {
        None
    }

    /// The means of a check, and `with` behind it, for errors; empty where a system has but one.
    fn means(&self) -> String {
        String::new()
    }

    /// The use that is made of shares.
    fn purpose(&self) -> Use;

    /// The size of a statement with these gates.
    fn size(&self, shape: &Shape) -> Size;

    /// The shares that a statement of this size takes: those that commit to its values, and what checks them.
    fn shares(&self, size: Size) -> u64;

    /// The shares that a statement of this size draws, where it draws all of them ahead.
    fn drawn(&self, size: Size) -> u64;

    /// The shares for masks that come beside those.
    fn masks(&self, size: Size) -> u64;

    /// The degree of the check, which both parties have to agree on; zero where there is none.
    fn degree_of_check(&self, size: Size) -> u64;

    /// −log2 of the soundness error of a statement of this size over these correlations, floored.
    fn statistical_bits(&self, correlations: Correlations, size: Size) -> u32;

    /// The computational security of such a proof in bits.
    fn computational_bits(&self, correlations: Correlations, size: Size) -> u32 {
        self.setting().computational_bits(correlations, size)
    }

    /// The traffic of a session of one statement with these gates, which comes to this choice; see
    /// [`Estimate::measured`]. Inputs are taken to come before all gates.
    fn traffic(&self, choice: Choice, shape: &Shape) -> Estimate;

    /// Demands that the peer wants what the handshake does not tell, once for a session.
    ///
    /// # Errors
    /// `Disagreed` where it does not; link errors.
    fn agree(&self, _: &mut Channel) -> Result<()> {
        Ok(())
    }
}

impl dyn Analysis + '_ {
    /// The statistical security that is asked for, in bits.
    ///
    /// # Errors
    /// `Invalid` where it convinces nobody.
    pub fn asked(&self, options: &Options) -> Result<u32> {
        options.asked_security(self.usual_security())
    }

    /// The fastest correlations for a statement of this size over a link of so many Mbit/s each way, of those
    /// that are worth what is asked for.
    ///
    /// # Errors
    /// `Invalid` where none are.
    pub fn choose(&self, options: &Options, size: Size, bandwidth: f64) -> Result<Choice> {
        let worth = |correlations| self.statistical_bits(correlations, size);
        let excluded = excluded(self.setting(), self.asked(options)?, "statement", &worth)?;
        let demand = Demand { shares: self.shares(size), purpose: self.purpose() };
        Ok(Choice::usually(self.setting(), demand, excluded, bandwidth).expect("not all are excluded"))
    }
}

/// The correlations of `setting` that are worth less than `asked`, each being worth so many bits.
///
/// # Errors
/// `Invalid` where all are.
pub fn excluded(
    setting: &dyn SettingFacts,
    asked: u32,
    what: &str,
    worth: &dyn Fn(Correlations) -> u32,
) -> Result<Excluded> {
    let excluded = Excluded::of(setting, &mut |correlations| worth(correlations) >= asked);
    if excluded.left(setting).next().is_some() {
        return Ok(excluded);
    }
    let all = setting.correlations().into_iter().map(|one| (worth(one), one));
    // Of those that are worth the same the first.
    let best = all.reduce(|best, one| if one.0 > best.0 { one } else { best });
    let (most, best) = best.expect("each setting has some");
    Err(Error::invalid(format!(
        "{asked} bits of statistical security were asked for, and no correlations over {} give more than {most} to \
         a {what} of this size, which {best} does: ask for {most} or fewer, or take a larger extension",
        setting.name()
    )))
}
