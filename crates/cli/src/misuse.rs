//! One line for arguments that could not be understood.
//!
//! The parser's own messages repeat what was typed, which may be a private value in the wrong place. Here
//! only the names of options and verbs are shown.

use crate::failure::Failure;
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};

/// The failure that `error` amounts to: in the words of the program that has any for this kind and the name
/// of this option, or else in general ones. `help` says where help is found.
pub(crate) fn explain(
    error: &Error,
    words: impl FnOnce(ErrorKind, &str) -> Option<String>,
    help: &str,
) -> Failure {
    let option = strings(error, ContextKind::InvalidArg);
    let option = option.iter().map(|text| name_of(text)).collect::<Vec<_>>().join(", ");
    let line = words(error.kind(), &option).unwrap_or_else(|| general(error, &option));
    Failure::usage(format_args!("{line}: see {help}"))
}

/// The words for an error in either program.
fn general(error: &Error, option: &str) -> String {
    match error.kind() {
        ErrorKind::UnknownArgument if option.is_empty() => {
            "an argument stands where none is expected (it is not shown, since it may be private)".into()
        }
        ErrorKind::UnknownArgument => format!("there is no {option} here{}", suggestion(error)),
        ErrorKind::InvalidSubcommand => format!("there is no such verb{}", suggestion(error)),
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
        _ => "the arguments make no sense".into(),
    }
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
