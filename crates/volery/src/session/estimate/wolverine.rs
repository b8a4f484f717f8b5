//! Traffic of sessions by Wolverine.

use super::Estimate;
use crate::circuit::Shape;
use crate::error::Result;
use crate::session::wolverine::{AGREED, terms};
use crate::session::{Choice, Options, Setting};
use crate::zk::wolverine::traffic;

impl Estimate {
    /// The traffic of a session of one statement with these gates, which comes to this choice, by Wolverine,
    /// where `options` say the rest; see [`Estimate::measured`]. Inputs are taken to come before all gates.
    ///
    /// # Errors
    /// `Invalid` where the options make no sense.
    pub fn wolverine<S: Setting>(
        choice: Choice<S::Correlations>,
        shape: &Shape,
        options: &Options,
    ) -> Result<Self> {
        let terms = terms::<S>(options)?;
        let (proof, shares) = traffic::proof::<S::Macs>(&terms, shape);
        let expected = choice.is_made().then_some(shares);
        let [set_up, drawn] = S::share_traffic(choice.correlations, shares, expected);
        Ok(Self::of(set_up + AGREED, drawn + proof))
    }
}
