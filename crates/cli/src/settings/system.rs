//! Which proof system is asked for, and what has no part in it.

use crate::args::Protocol;
use crate::failure::{Failure, Result, one_of};
use volery::System;

/// Whether it draws correlations.
pub fn is_correlated(system: System) -> bool {
    matches!(system, System::QuickSilver | System::Wolverine)
}

/// Those that do.
pub(super) const CORRELATED: &str = "quicksilver or wolverine";

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
    match system(typed, System::Limbo)? {
        System::Limbo => Ok(System::Limbo),
        other => Err(not_of(option, other, "makes no files", System::Limbo.name())),
    }
}
