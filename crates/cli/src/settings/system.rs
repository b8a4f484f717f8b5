//! Which proof system is asked for, and what has no part in it.

use crate::args::Protocol;
use crate::failure::{Failure, Result, one_of};
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

/// That `option`, which is one of `others`, has no part in `system`.
pub(super) fn not_of(option: &str, system: System, why: &str, others: &str) -> Failure {
    Failure::usage(format_args!("{option}: {system} {why}: leave it out, or take --system {others}"))
}

/// The system that is asked for, or this one.
pub fn system(typed: &Protocol, otherwise: System) -> Result<System> {
    let Some(name) = &typed.system else { return Ok(otherwise) };
    one_of("--system", name, &System::ALL.map(System::name))?;
    Ok(System::ALL.into_iter().find(|system| system.name() == name).unwrap_or(otherwise))
}

/// The system of a party whose proof is a file where `file` names the option that says so.
pub fn system_of_party(typed: &Protocol, file: Option<&'static str>) -> Result<System> {
    let Some(option) = file else { return system(typed, System::default()) };
    let system = system(typed, System::LIMBO)?;
    if system.facts().simulates {
        Ok(system)
    } else {
        Err(not_of(option, system, "makes no files", &those(|facts| facts.simulates)))
    }
}
