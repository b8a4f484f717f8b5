//! Whether a proof is worth what is asked for.

use super::Settings;
use crate::failure::{Failure, Result};
use crate::fields::{Field, Stated, Visitor};
use volery::circuit::Shape;
use volery::garble::exchange;
use volery::zk::limbo::parameters::MOST_SECURITY;
use volery::zk::limbo::{Domain, Mode, Parameters};
use volery::zk::wolverine::SECURITY;
use volery::{CheckedBy, Checking, Correlations, Field as _, Options, Setting};

/// The bits of security of limbo over a link and in a file, where none are asked for.
pub const LIMBO_SECURITY: [u32; 2] = [40, 128];

impl<S: Setting> Settings<S> {
    /// Refuses what no parties of limbo, or not those that are asked for, can give a circuit of this shape over a link.
    pub fn foresee(&self, shape: &Shape) -> Result<()> {
        if self.system.facts().simulates {
            let security = self.security.unwrap_or(LIMBO_SECURITY[0]);
            let wishes = &self.simulation.wishes;
            let (demand, fields) = (S::Parties::demand(shape), S::Parties::check_fields());
            Parameters::choose(&demand, Mode::Interactive, security, wishes, &fields)?;
        }
        Ok(())
    }

    /// Refuses what no choice of correlations, or not the given one, can offer.
    pub(super) fn offer(&self, options: &Options) -> Result<()> {
        let asked = self.asked();
        if !self.system.facts().correlated {
            let limbo = self.system.facts().simulates;
            let (system, offered) = (self.system, if limbo { MOST_SECURITY } else { exchange::security() });
            return if offered < asked {
                Err(Failure::usage(format_args!(
                    "--security: {asked} bits were asked for, and {system} gives {offered}: ask for fewer"
                )))
            } else {
                Ok(())
            };
        }
        let offered = most_bits::<S>(options).map_err(|why| Failure::from(why).at("--security"))?;
        if offered >= asked {
            return Ok(());
        }
        let by = [self.correlations.map(Correlations::name), self.checking.by.map(CheckedBy::name)];
        let by = by.into_iter().flatten().collect::<Vec<_>>().join(", ");
        let checks = or_check::<S>(options, asked);
        let fields = or_take::<S>(Enough { options, asked });
        Err(Failure::usage(format_args!(
            "--security: {asked} bits {}, and {by}{}{} gives {offered} to a statement of this size: ask for fewer{checks}\
             {fields}",
            if self.security.is_some() { "were asked for" } else { "are asked for where nothing is said" },
            if by.is_empty() { "" } else { " over " },
            S::name()
        )))
    }

    /// The bits of security that are asked for.
    fn asked(&self) -> u32 {
        self.security.unwrap_or(if self.system.facts().triples { SECURITY } else { S::SECURITY })
    }
}

/// The most bits of statistical security that a proof as in `options` has, over whichever correlations may be chosen.
fn most_bits<S: Setting>(options: &Options) -> volery::Result<u32> {
    let choices = options.correlations.map_or_else(S::correlations, |given| vec![given]);
    let size = options.size.unwrap_or_default();
    let bits = choices.into_iter().map(|choice| volery::statistical_bits::<S>(options, choice, size));
    bits.collect::<volery::Result<Vec<_>>>().map(|bits| bits.into_iter().max().unwrap_or(0))
}

/// Advice to take another check, where there are others and one gives as many bits as `asked` for.
fn or_check<S: Setting>(options: &Options, asked: u32) -> String {
    let enough = |by: &CheckedBy| {
        let checking = Checking { by: Some(*by), ..options.checking };
        most_bits::<S>(&Options { checking, ..options.clone() }).is_ok_and(|bits| bits >= asked)
    };
    // Those that send least come last.
    let checks = CheckedBy::ALL.into_iter().rev().filter(|_| options.system.facts().triples);
    let mut enough = checks.filter(enough);
    enough.next().map_or(String::new(), |by| format!(", or take --checked-by {by}"))
}

/// Advice to take a larger extension of the field of `S`, where one is `enough`.
pub(super) fn or_take<S: Setting>(enough: impl Visitor<Output = bool> + Copy) -> String {
    let mut extensions = Field::ALL.into_iter().filter(|field| field.wires() == S::F::NAME);
    let larger = extensions.find(|field| field.visit(enough));
    larger.map_or(String::new(), |field| format!(", or take --field {}", field.name()))
}

/// Whether a proof as in `options`, but over any correlations, has as many bits as `asked` for.
#[derive(Clone, Copy)]
struct Enough<'o> {
    options: &'o Options,
    asked: u32,
}

impl Visitor for Enough<'_> {
    type Output = bool;

    fn visit<S: Stated>(self) -> bool {
        let options = Options { correlations: None, ..self.options.clone() };
        most_bits::<S>(&options).unwrap_or(0) >= self.asked
    }
}

/// Whether gates are one-way there, with challenges from the transcript.
#[derive(Clone, Copy)]
pub(super) struct OneWay;

impl Visitor for OneWay {
    type Output = bool;

    fn visit<S: Stated>(self) -> bool {
        S::NON_INTERACTIVE
    }
}
