//! Settings of wolverine's checks.

use super::system::{not_of, those};
use crate::args;
use crate::failure::{Failure, Result, one_of};
use crate::fields::Field;
use volery::circuit::Size;
use volery::{CheckedBy, Checking, LONGEST_BLOCK, Method, Options, System};

/// How products are checked by `system`, if it has a choice.
pub(super) fn checking(field: Field, typed: &args::Checking, system: System) -> Result<Option<Method>> {
    if let (Some(option), true) = (typed.given(), !system.facts().triples) {
        return Err(not_of(option, system, "has a check of its own", &those(|facts| facts.triples)));
    }
    let mut checking = Checking::default();
    if let Some(name) = &typed.checked_by {
        one_of("--checked-by", name, &CheckedBy::ALL.map(CheckedBy::name))?;
        checking.by = Some(name.parse()?);
        possible(field, checking, false).map_err(|why| why.at("--checked-by"))?;
    }
    if let Some(text) = &typed.block {
        let block = text.parse().ok().filter(|block| (1..=LONGEST_BLOCK).contains(block));
        checking.block = Some(block.ok_or_else(|| {
            Failure::usage(format_args!(
                "--block: write a number of multiplications from 1 to {LONGEST_BLOCK}"
            ))
        })?);
        possible(field, checking, false).map_err(|why| why.at("--block"))?;
    }
    Ok(system.facts().triples.then(|| checking.into()))
}

/// Refuses checks that the library does not have over the field.
pub(super) fn possible(field: Field, checking: Checking, non_interactive: bool) -> Result<()> {
    let options = Options { non_interactive, ..Options::by(checking) };
    let mut correlations = field.correlations().into_iter();
    correlations.try_for_each(|choice| {
        field.statistical_bits(&options, choice, Size::default()).map(drop).map_err(Failure::from)
    })
}
