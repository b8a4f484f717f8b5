//! Advice on settings that would be worth as much as is asked for.

use crate::failure::Called;
use crate::fields::Field;
use volery::{CheckedBy, Checking, Options, settings};

/// The most bits of statistical security that a proof as in `options` has, over whichever correlations may be
/// chosen.
pub(super) fn most_bits(field: Field, options: &Options) -> volery::Result<u32> {
    let choices = match options.correlations {
        Some(given) => vec![given],
        None => field.correlations(),
    };
    let size = options.size.unwrap_or_default();
    let bits = choices.into_iter().map(|choice| field.statistical_bits(options, choice, size));
    bits.collect::<volery::Result<Vec<_>>>().map(|bits| bits.into_iter().max().unwrap_or(0))
}

/// Advice to take another check, where there are others and one gives as many bits as `asked` for.
pub(super) fn or_check(field: Field, options: &Options, asked: u32) -> String {
    if !options.system().facts().triples {
        return String::new();
    }
    let checking: Checking = options.method.of();
    let enough = |by: &CheckedBy| {
        let method = Checking { by: Some(*by), ..checking }.into();
        most_bits(field, &Options { method, ..options.clone() }).is_ok_and(|bits| bits >= asked)
    };
    // Those that send least come last.
    let mut enough = CheckedBy::ALL.into_iter().rev().filter(enough);
    enough.next().map_or(String::new(), |by| format!(", or take --checked-by {by}"))
}

/// Advice to take a larger extension of `field`, where one is `enough`.
pub(super) fn or_take(field: Field, enough: impl Fn(Field) -> bool) -> impl Fn(Called) -> String {
    let mut extensions = settings().iter().filter(|other| other.wires() == field.wires());
    let larger = extensions.find(|other| enough(**other)).map(|other| other.name());
    move |called| match &larger {
        Some(name) => format!(", or take {} {name}", called.name("field")),
        None => String::new(),
    }
}
