//! Proof system that is asked for, and options that have no part in it.

use crate::args::Protocol;
use crate::failure::{Called, Failure, Result, one_named};
use crate::fields::{Field, is_boolean};
use volery::zk::voleith::parameters::MOST_SECURITY;
use volery::{Facts, System};

/// The systems of which `which` is so, as a text: `jko or stack`.
pub(super) fn those(which: fn(&Facts) -> bool) -> String {
    let names: Vec<_> =
        System::ALL.iter().filter(|system| which(system.facts())).map(|system| system.name()).collect();
    match names.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => names.concat(),
    }
}

/// The failure where `option`, which is one of `others`, has no part in `system`.
pub(super) fn not_of(option: &str, system: System, why: &str, others: &str) -> Failure {
    Failure::usage(format_args!("{option}: {system} {why}: leave it out, or take --system {others}"))
}

/// The failure where an option, which may be a key, has no part in `system`.
pub(super) fn no_part(option: &str, system: System, why: &str, others: &str) -> Failure {
    let take = |called: Called| format!("{} {others}", called.name("system"));
    Failure::naming(|called| format!("{system} {why}: leave it out, or take {}", take(called))).of(option)
}

/// The system that is asked for, or this one, to talk to a peer by.
///
/// # Errors
/// Where there is none of that name, or it makes files alone.
pub fn system(typed: &Protocol, otherwise: System) -> Result<System> {
    let system = named(typed, otherwise)?;
    if system.facts().talks {
        Ok(system)
    } else {
        Err(Failure::naming(|called| {
            let files = called.advice(", or give --out or --proof");
            format!("{system} proves in files: for a link take quicksilver, which sends less{files}")
        })
        .of("system"))
    }
}

/// The system that is asked for, or this one.
pub fn named(typed: &Protocol, otherwise: System) -> Result<System> {
    let Some(name) = &typed.system else { return Ok(otherwise) };
    one_named("system", name, &System::ALL.map(System::name))?;
    Ok(System::ALL.into_iter().find(|system| system.name() == name).unwrap_or(otherwise))
}

/// The system of a party over `field`, if that is known, whose proof is a file where `file` names the option
/// that says so.
///
/// # Errors
/// Where there is none of the name that is asked for, or it makes no files, or files alone.
pub fn system_of_party(typed: &Protocol, field: Option<Field>, file: Option<&'static str>) -> Result<System> {
    let Some(option) = file else { return system(typed, System::default()) };
    let system = named(typed, usual_for_files(typed, field))?;
    if system.facts().files {
        Ok(system)
    } else {
        Err(not_of(option, system, "makes no files", &those(|facts| facts.files)))
    }
}

/// The system of files where none is asked for: the one with the shortest of them that can do what is.
fn usual_for_files(typed: &Protocol, field: Option<Field>) -> System {
    let bits = field.is_some_and(is_boolean);
    let security = typed.security.as_deref().and_then(|bits| bits.parse().ok()).unwrap_or(0);
    let by_parties = typed.simulation.of_parties().is_some() || security > MOST_SECURITY;
    if bits && !by_parties { System::VOLEITH } else { System::LIMBO }
}
