//! Whether a proof is worth what is asked for.

use super::Settings;
use super::advice::{most_bits, or_check, or_take};
use super::simulation::LIMBO_SECURITY;
use crate::failure::{Failure, Result};
use volery::circuit::Shape;
use volery::garble::exchange;
use volery::zk::limbo::parameters::MOST_SECURITY;
use volery::zk::limbo::{Mode, Parameters};
use volery::zk::voleith;
use volery::zk::wolverine::SECURITY;
use volery::{CheckedBy, Checking, Correlations, Options, Simulation};

impl Settings {
    /// Refuses what no parties of limbo, or not those that are asked for, can give a circuit of this shape
    /// over a link.
    pub fn foresee(&self, shape: &Shape) -> Result<()> {
        if self.system().facts().simulates {
            let Simulation { wishes, .. } = self.method.of();
            let security = self.security.unwrap_or(LIMBO_SECURITY[0]);
            let (demand, fields) = (self.field.demand(shape), self.field.check_fields());
            Parameters::choose(&demand, Mode::Interactive, security, &wishes, &fields)?;
        }
        Ok(())
    }

    /// Refuses what no choice of correlations, or not the given one, can offer.
    pub(super) fn offer(&self, options: &Options) -> Result<()> {
        let asked = self.asked();
        if !self.system().facts().correlated {
            let (system, facts) = (self.system(), self.system().facts());
            let offered = match (facts.simulates, facts.talks) {
                (true, _) => MOST_SECURITY,
                (false, true) => exchange::security(),
                (false, false) => voleith::parameters::MOST_SECURITY,
            };
            return if offered < asked {
                Err(Failure::usage(format_args!(
                    "{asked} bits were asked for, and {system} gives {offered}: ask for fewer"
                ))
                .of("security"))
            } else {
                Ok(())
            };
        }
        let offered = most_bits(self.field, options).map_err(|why| Failure::from(why).of("security"))?;
        if offered >= asked {
            return Ok(());
        }
        let checked = self.method.of::<Checking>().by;
        let by = [self.correlations.map(Correlations::name), checked.map(CheckedBy::name)];
        let by = by.into_iter().flatten().collect::<Vec<_>>().join(", ");
        let checks = or_check(self.field, options, asked);
        let over_any = options.clone().with_correlations(None);
        let fields = or_take(self.field, |other| most_bits(other, &over_any).unwrap_or(0) >= asked);
        Err(Failure::naming(|called| {
            format!(
                "{asked} bits {}, and {by}{}{} gives {offered} to a statement of this size: ask for fewer{}{}",
                if self.security.is_some() { "were asked for" } else { "are asked for where nothing is said" },
                if by.is_empty() { "" } else { " over " },
                self.field.name(),
                called.advice(&checks),
                fields(called)
            )
        })
        .of("security"))
    }

    /// The bits of security that are asked for.
    pub fn asked(&self) -> u32 {
        self.security.unwrap_or(if self.system().facts().triples { SECURITY } else { self.field.security() })
    }
}
