//! What would be worth as much as is asked for.

use crate::fields::{Field, Stated, Visitor};
use volery::{CheckedBy, Checking, Field as _, Method, Options, Setting};

/// The most bits of statistical security that a proof as in `options` has, over whichever correlations may be
/// chosen.
pub(super) fn most_bits<S: Setting>(options: &Options) -> volery::Result<u32> {
    let choices = match options.method.drawing().and_then(|drawing| drawing.correlations) {
        Some(given) => vec![given.over::<S>()?],
        None => S::correlations(),
    };
    let size = options.size.unwrap_or_default();
    let bits = choices.into_iter().map(|choice| volery::statistical_bits::<S>(options, choice, size));
    bits.collect::<volery::Result<Vec<_>>>().map(|bits| bits.into_iter().max().unwrap_or(0))
}

/// Advice to take another check, where there are others and one gives as many bits as `asked` for.
pub(super) fn or_check<S: Setting>(options: &Options, asked: u32) -> String {
    let Method::Wolverine(drawing, checking) = options.method else { return String::new() };
    let enough = |by: &CheckedBy| {
        let method = Method::Wolverine(drawing, Checking { by: Some(*by), ..checking });
        most_bits::<S>(&Options { method, ..options.clone() }).is_ok_and(|bits| bits >= asked)
    };
    // Those that send least come last.
    let mut enough = CheckedBy::ALL.into_iter().rev().filter(enough);
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
pub(super) struct Enough<'o> {
    pub(super) options: &'o Options,
    pub(super) asked: u32,
}

impl Visitor for Enough<'_> {
    type Output = bool;

    fn visit<S: Stated>(self) -> bool {
        let options = self.options.clone().with_correlations(None);
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
