//! One line for arguments that could not be understood.
//!
//! The parser's own messages repeat what was typed, which may be a private value in the wrong place. Here only the
//! names of options and verbs are shown.

use crate::failure::Failure;
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};
use std::ffi::OsStr;

/// What `circuit` has.
const CIRCUIT_VERBS: &str = "circuit info RELATION, circuit export RELATION and circuit list";

/// The failure that `error` amounts to, where `verb` is the first word behind the name of the program.
pub(crate) fn explain(error: &Error, verb: &OsStr) -> Failure {
    let option = strings(error, ContextKind::InvalidArg);
    let option = option.iter().map(|text| name_of(text)).collect::<Vec<_>>().join(", ");
    let line = match error.kind() {
        ErrorKind::UnknownArgument if option.is_empty() => {
            "an argument stands where none is expected (it is not shown, since it may be private)".into()
        }
        ErrorKind::UnknownArgument => format!("there is no {option} here{}", suggestion(error)),
        ErrorKind::InvalidSubcommand if verb == "circuit" => {
            format!("there is no such verb: there are {CIRCUIT_VERBS}")
        }
        ErrorKind::InvalidSubcommand => format!("there is no such verb{}", suggestion(error)),
        ErrorKind::MissingRequiredArgument if verb == "bench" && option == "<NAME>" => {
            "bench: what to measure is missing: `volery bench --list` shows what there is".into()
        }
        ErrorKind::MissingRequiredArgument => format!("missing: {option}"),
        ErrorKind::ArgumentConflict => {
            let prior = strings(error, ContextKind::PriorArg);
            match prior.first().map(|prior| name_of(prior)) {
                Some(prior) if prior != option => {
                    format!("{option} and {prior} exclude each other: give one")
                }
                _ => format!("{option} is given twice: give it once"),
            }
        }
        ErrorKind::InvalidValue => format!("{option} needs a value"),
        ErrorKind::TooManyValues | ErrorKind::NoEquals => format!("{option} takes no value"),
        ErrorKind::InvalidUtf8 => "an argument is not in UTF-8".into(),
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand
            if verb == "circuit" =>
        {
            format!("a verb is missing behind circuit: there are {CIRCUIT_VERBS}")
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand => {
            "a verb is missing: demo, prove, verify, check, circuit, bench or doctor".into()
        }
        _ => "the arguments make no sense".into(),
    };
    Failure::usage(format_args!("{line}: see `volery --help`, or --help behind a verb"))
}

fn strings(error: &Error, kind: ContextKind) -> Vec<String> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => vec![text.clone()],
        Some(ContextValue::Strings(texts)) => texts.clone(),
        _ => Vec::new(),
    }
}

/// The name of the option in `text`, without what was given with it; nothing where `text` is no option.
fn name_of(text: &str) -> String {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).unwrap_or(text.len());
    match text.strip_prefix("--") {
        Some(_) => text[..end].into(),
        // What the parser itself writes of an argument without a name: `<NAME>`.
        None if text.starts_with('<') => {
            text.split('>').next().map_or(String::new(), |name| format!("{name}>"))
        }
        None => text.chars().take(2).filter(|_| text.starts_with('-')).collect(),
    }
}

fn suggestion(error: &Error) -> String {
    let named = [ContextKind::SuggestedArg, ContextKind::SuggestedSubcommand]
        .into_iter()
        .flat_map(|kind| strings(error, kind))
        .next();
    named.map_or(String::new(), |name| format!(" (did you mean {name}?)"))
}
