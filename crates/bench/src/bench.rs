//! Benches: rows of the table, and requests to them.

use crate::args::Typed;
use std::time::Instant;
use volery::System;
use volery_cli::failure::{Failure, Result};
use volery_cli::fields::{self, ARITHMETIC, BOOLEAN, Field, has_bits};
use volery_cli::settings;

/// A row.
pub struct Bench {
    pub name: &'static str,
    /// The options that say how large it is, and what it is of.
    pub(crate) options: &'static [&'static str],
    /// The options of links and proofs that it takes.
    pub(crate) takes: Takes,
    pub(crate) over: Fields,
    /// The systems by which it can run; the first is where none is asked for.
    pub systems: &'static [System],
    /// A line on what it measures, for those who look for one.
    pub says: &'static str,
    pub(crate) run: fn(&Run) -> Result<()>,
}

/// The options, of those that most benches have, that a bench takes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Takes {
    /// All of these options.
    All,
    /// The options of correlations: it proves nothing.
    Correlations,
    /// No options of links and proofs: it runs other benches.
    NoProof,
}

/// The fields over which a bench runs.
#[derive(Clone, Copy)]
pub(crate) enum Fields {
    /// F_2 alone, by its usual MACs.
    Bits,
    /// F_2, whatever its MACs.
    AnyBits,
    /// F_2, and another bench over larger fields.
    BitsElse(&'static str),
    /// Any but F_2, which another bench is over; the usual one is that of arithmetic.
    ElementsElse(&'static str),
    /// Any, and by default what this says.
    Any(fn(&Typed) -> Result<&'static str>),
}

/// A request to a bench.
pub(crate) struct Run<'a> {
    pub(crate) bench: &'static Bench,
    pub(crate) typed: &'a Typed,
    /// The start of the process.
    pub(crate) started: Instant,
    /// The whole table, for the one that runs others.
    pub(crate) table: &'static [Bench],
}

impl Run<'_> {
    /// Refuses what this bench does not take, and runs it.
    pub(crate) fn run(&self) -> Result<()> {
        self.options()?;
        self.field()?;
        (self.bench.run)(self)
    }

    /// Refuses an option that is none of this bench.
    fn options(&self) -> Result<()> {
        let (Bench { name, options, takes, .. }, typed) = (self.bench, self.typed);
        let refuse =
            |option: &str| Err(Failure::usage(format_args!("bench {name} has no {option}: leave it out")));
        let of_one = typed.of_one_bench();
        if let Some(option) = of_one.into_iter().find(|option| !options.contains(option)) {
            return refuse(option);
        }
        let protocol = &typed.protocol;
        match takes {
            Takes::All => Ok(()),
            Takes::NoProof => typed.of_links_and_proofs().first().map_or(Ok(()), |option| refuse(option)),
            Takes::Correlations if typed.repeat.is_some() => refuse("--repeat"),
            Takes::Correlations if typed.replay => refuse("--replay"),
            Takes::Correlations => {
                let of_proofs = [
                    ("--security", protocol.security.is_some()),
                    ("--insecure-parameters", protocol.insecure_parameters),
                    ("--non-interactive", protocol.non_interactive),
                ];
                match of_proofs.into_iter().find(|(_, given)| *given) {
                    Some((option, _)) => Err(Failure::usage(format_args!(
                        "{option}: bench {name} proves nothing, and it is for proofs: leave it out"
                    ))),
                    None => Ok(()),
                }
            }
        }
    }

    /// The field over which it is to run: its own, or the one that is asked for where it has a choice.
    pub(crate) fn field(&self) -> Result<Field> {
        let (name, given) = (self.bench.name, self.typed.protocol.field.as_deref());
        let asked = |usual: &str| {
            let field = fields::named(given.unwrap_or(usual))?;
            let name = field.name();
            if volery::settings().iter().all(|known| known.name() != name) {
                return Err(Failure::usage(format_args!(
                    "--field: no bench is over {name}: choose a field with another name than its prime"
                )));
            }
            Ok(field)
        };
        let (field, boolean, other) = match self.bench.over {
            Fields::Bits => return fields::boolean(&format!("bench {name}"), given),
            Fields::AnyBits => {
                let field = asked(BOOLEAN)?;
                if has_bits(field) {
                    return Ok(field);
                }
                return Err(Failure::usage(format_args!(
                    "--field: bench {name} is over f2, or over f2x64, with MACs of 64 bits: choose one of these"
                )));
            }
            Fields::Any(usual) => return asked(usual(self.typed)?),
            Fields::BitsElse(other) => (asked(BOOLEAN)?, true, other),
            Fields::ElementsElse(other) => (asked(ARITHMETIC)?, false, other),
        };
        if has_bits(field) == boolean {
            return Ok(field);
        }
        let given = field.name();
        Err(Failure::usage(format_args!("--field: bench {name} is not over {given}: see bench {other}")))
    }

    /// The system by which it is to run: the one that is asked for, if it is among its own, or the first of
    /// these.
    pub(crate) fn system(&self) -> Result<System> {
        let Bench { name, systems, .. } = self.bench;
        let system = settings::named(&self.typed.protocol, systems[0])?;
        if systems.contains(&system) {
            return Ok(system);
        }
        let its: Vec<_> = systems.iter().map(|system| system.name()).collect();
        Err(Failure::usage(format_args!(
            "--system: bench {name} is by {}, and not by {system}",
            its.join(", ")
        )))
    }
}
