//! The same by Wolverine.

use super::Estimate;
use crate::circuit::Shape;
use crate::error::Result;
use crate::session::wolverine::{AGREED, terms};
use crate::session::{Options, Setting};
use crate::zk::wolverine::traffic;

impl Estimate {
    /// What a session of one statement with these gates sends by Wolverine over these correlations,
    /// where they were given and `options` say the rest; see [`Estimate::measured`]. Inputs are taken to
    /// come before all gates.
    ///
    /// # Errors
    /// `Invalid` where the options make no sense.
    pub fn wolverine<S: Setting>(
        correlations: S::Correlations,
        shape: &Shape,
        options: &Options,
    ) -> Result<Self> {
        let terms = terms::<S>(options)?;
        let (proof, shares) = traffic::proof::<S::Macs>(&terms, shape);
        let [set_up, drawn] = S::share_traffic(correlations, shares, None);
        Ok(Self::of(set_up + AGREED, drawn + proof))
    }
}

#[cfg(test)]
mod tests;
