//! Four pieces of C with a bug each, after the stacked-garbling paper (Heath and Kolesnikov, EUROCRYPT 2020,
//! section 7), which does not print its own but for one: "I know an input that breaks one of these".
//!
//! | number | snippet | an input that breaks it |
//! |---|---|---|
//! | 0 | [`specification`]: a box whose kind two comparisons judge differently, CWE-467 | `small_boERROR` |
//! | 1 | [`validation`]: a form whose age is checked on one side only | `bob:-7` |
//! | 2 | [`parsing`]: percent signs that reach beyond the text's end | `thirteenchars%` |
//! | 3 | [`allocation`]: a matrix whose size does not fit its type | `16x16` |
//!
//! The C that each prints means what is proved on every compiler: what is a number is `unsigned char`,
//! whatever the sign of `char` is. Where C leaves it open, `int` wraps, as under `-fwrapv`, and so does what
//! `atoi` reads.
//!
//! All take 14 bytes, a text with zeros behind it, and a zero after them. Each has 70,000 to 91,000 ANDs, as
//! in the paper, most of them for memory at secret indices.

pub mod allocation;
pub mod parsing;
pub mod specification;
#[cfg(test)]
mod tests;
pub mod validation;

use volery_channel::error::{Error, Result};
use volery_circuit::Backend;
use volery_gadgets::code::string::Text;
use volery_gadgets::code::{Assertions, Code, Outcome};
use volery_gadgets::gadget::{Bytes, Word, function};
use volery_primitives::F2;

/// The bytes of the input.
pub const INPUT: usize = 14;

/// The number of different snippets. Higher numbers are copies of these.
pub const SNIPPETS: u64 = 4;

/// Pushes snippet `number` modulo [`SNIPPETS`] on `input` of [`INPUT`] bytes, all of it whatever the others
/// are, and gives whether it breaks.
///
/// # Errors
/// `Invalid` for an input of another length; those of the backend.
pub fn failure<B: Backend<F = F2>>(
    b: &mut B,
    number: u64,
    input: &Bytes<B::Wire>,
) -> Result<Outcome<B::Wire>> {
    if input.len() != INPUT {
        return Err(Error::invalid(format!(
            "the input of a snippet has {} bytes: give {INPUT}, a text with zeros behind it",
            input.len()
        )));
    }
    Code::run(b, |code| {
        let text = input.iter().copied().chain([Word::public(0)]);
        snippet(code, number, &code.array("input", text));
    })
}

/// The outcome of a snippet as a function: clauses that are copies of each other are recorded once, however
/// often each is gone through.
///
/// # Errors
/// Those of [`failure`].
pub fn bug_in_snippet<B: Backend<F = F2>>(
    b: &mut B,
    number: u64,
    input: &Bytes<B::Wire>,
) -> Result<Outcome<B::Wire>> {
    failure_of_one(b, number, input, &mut Assertions::default())
}

/// Pushes `count` snippets on `input` of [`INPUT`] bytes, and gives whether one of them breaks. Memory does
/// not grow with their number.
///
/// # Errors
/// Those of [`failure`].
pub fn bug_in_snippets<B: Backend<F = F2>>(
    b: &mut B,
    count: u64,
    input: &Bytes<B::Wire>,
) -> Result<Outcome<B::Wire>> {
    let mut outcome = Outcome::new();
    // Copies assert what the first does.
    let mut known: [Assertions; SNIPPETS as usize] = Default::default();
    for number in 0..count {
        let one = failure_of_one(b, number, input, &mut known[(number % SNIPPETS) as usize])?;
        outcome.or(b, &one)?;
    }
    Ok(outcome)
}

/// The result of [`failure`], as a function: `assertions` are those of its kind, once it was pushed. They are
/// for the name of a claim, and who asks for a name goes through functions again.
fn failure_of_one<B: Backend<F = F2>>(
    b: &mut B,
    number: u64,
    input: &Bytes<B::Wire>,
    assertions: &mut Assertions,
) -> Result<Outcome<B::Wire>> {
    let bits: Vec<_> = input.iter().flat_map(Word::bits).copied().collect();
    let failed = function(b, &format!("snippet {}", number % SNIPPETS), &bits, |b, bits| {
        let input = bits.as_chunks().0.iter().copied().map(Word::new).collect();
        let one = failure(b, number, &input)?;
        *assertions = one.assertions;
        Ok(vec![one.failed])
    })?;
    Ok(Outcome { failed: failed[0], assertions: assertions.clone() })
}

fn snippet<'c, B: Backend<F = F2>>(code: &'c Code<B>, number: u64, input: &Text<'c, B>) {
    match number % SNIPPETS {
        0 => specification::run(code, input),
        1 => validation::run(code, input),
        2 => parsing::run(code, input),
        _ => allocation::run(code, input),
    }
}
