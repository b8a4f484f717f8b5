//! Settings of the parties that are simulated, or of trees.

use super::system::{not_of, those};
use crate::args;
use crate::failure::{Failure, Result, one_of};
use crate::fields::Field;
use volery::zk::limbo::parameters::{LARGEST_COMPRESSION, MOST_PARTIES, MOST_REPETITIONS};
use volery::zk::limbo::{Aggregation, Challenges, Preference, Wishes};
use volery::zk::voleith;
use volery::zk::voleith::parameters::{MOST_GRINDING, MOST_TREES};
use volery::{InTheHead, MOST_WORK, Method, Simulation, System};

/// The kinds of challenges by their names.
pub const CHALLENGES: [(&str, Challenges); 2] = [
    (Challenges::Identical.name(), Challenges::Identical),
    (Challenges::Independent.name(), Challenges::Independent),
];
/// The preferences by their names.
pub const PREFERENCES: [(&str, Preference); 3] =
    [("speed", Preference::Speed), ("balanced", Preference::Balanced), ("size", Preference::Size)];

/// The preferences for trees.
pub const TREES: [(&str, voleith::Preference); 3] = [
    ("speed", voleith::Preference::Speed),
    ("balanced", voleith::Preference::Balanced),
    ("size", voleith::Preference::Size),
];

/// The bits of security of limbo over a link and in a file, where none are asked for.
pub const LIMBO_SECURITY: [u32; 2] = [40, 128];

/// The most that a verifier can allow.
const MOST_TIMES: u32 = 1_000_000;

/// How parties are simulated by `system`, if they are.
pub(super) fn simulation(field: Field, typed: &args::Simulation, system: System) -> Result<Option<Method>> {
    if !system.facts().simulates {
        if let Some(option) = typed.of_parties() {
            return Err(not_of(option, system, "simulates no parties", &those(|facts| facts.simulates)));
        }
        if system == System::VOLEITH {
            return Ok(None);
        }
        return match (typed.of_trees(), typed.given()) {
            (Some(option), _) => Err(not_of(option, system, "deals no trees", System::VOLEITH.name())),
            (None, Some(option)) => {
                Err(not_of(option, system, "simulates no parties", &those(|facts| facts.simulates)))
            }
            (None, None) => Ok(None),
        };
    }
    if let Some(option) = typed.of_trees() {
        return Err(not_of(option, system, "deals no trees", System::VOLEITH.name()));
    }
    let parties = number("--parties", &typed.parties, 2..=MOST_PARTIES)?;
    if let Some(parties) = parties.filter(|parties| !parties.is_power_of_two()) {
        return Err(Failure::usage(format_args!(
            "--parties: {parties} is no power of two: take one from 2 to {MOST_PARTIES}"
        )));
    }
    let fields = field.check_fields().into_iter().map(|field| (field.bits.to_string(), field.bits));
    let fields: Vec<_> = fields.collect();
    let fields: Vec<_> = fields.iter().map(|(name, bits)| (name.as_str(), *bits)).collect();
    let wishes = Wishes {
        preference: among("--prefer", &typed.prefer, &PREFERENCES)?.unwrap_or_default(),
        parties,
        compression: number("--compression", &typed.compression, 2..=LARGEST_COMPRESSION)?,
        field_bits: among("--check-field", &typed.check_field, &fields)?,
        challenges: among("--challenges", &typed.challenges, &CHALLENGES)?,
        repetitions: number("--repetitions", &typed.repetitions, 1..=MOST_REPETITIONS)?,
    };
    let views = Aggregation::ALL.map(|views| (views.name(), views));
    let aggregation = among("--views", &typed.views, &views)?.unwrap_or_default();
    Ok(Some(Simulation { wishes, aggregation }.into()))
}

/// How trees are dealt, where `system` does.
pub(super) fn in_the_head(typed: &args::Simulation, system: System) -> Result<Option<Method>> {
    if system != System::VOLEITH {
        return Ok(None);
    }
    let wishes = voleith::Wishes {
        preference: among("--prefer", &typed.prefer, &TREES)?.unwrap_or_default(),
        trees: number("--trees", &typed.trees, 1..=MOST_TREES)?,
        grinding: number("--grind", &typed.grind, 0..=MOST_GRINDING)?,
    };
    Ok(Some(InTheHead { wishes }.into()))
}

/// The most that a file may ask of its verifier.
pub(super) fn most_work(typed: &args::Simulation) -> Result<u32> {
    Ok(number("--most-work", &typed.most_work, 1..=MOST_TIMES)?.unwrap_or(MOST_WORK))
}

/// The number that `typed` writes, if it is given.
fn number(option: &str, typed: &Option<String>, range: std::ops::RangeInclusive<u32>) -> Result<Option<u32>> {
    let Some(text) = typed else { return Ok(None) };
    let number = text.parse().ok().filter(|number| range.contains(number));
    number.map(Some).ok_or_else(|| {
        let (least, most) = range.into_inner();
        Failure::usage(format_args!("{option}: write a number from {least} to {most}"))
    })
}

/// The value whose name was `typed`, if one is given.
fn among<T: Copy>(option: &str, typed: &Option<String>, all: &[(&str, T)]) -> Result<Option<T>> {
    let Some(name) = typed else { return Ok(None) };
    one_of(option, name, &all.iter().map(|(name, _)| *name).collect::<Vec<_>>())?;
    Ok(all.iter().find(|(known, _)| known == name).map(|(_, value)| *value))
}
