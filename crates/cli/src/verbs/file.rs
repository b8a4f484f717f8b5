//! Proofs that are files: `prove --out` and `verify --proof`.

use crate::verbs::args;
use crate::verbs::disjunction::{self, Disjunction};
use crate::verbs::given::{claim, statement};
use crate::verbs::subject::{Stated, Subject};
use serde_json::json;
use std::io::{BufReader, Read};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use volery::channel::Party;
use volery::error::Disagreement;
use volery::{Error, LONGEST_LABEL, Options, Report};
use volery_cli::failure::{Failure, Result, is_format, one_line};
use volery_cli::partial::{Old, Partial};
use volery_cli::print::hex;
use volery_cli::progress::{Counter, Progress, Watched};
use volery_cli::report::Outcome;
use volery_cli::settings::Settings;
use volery_cli::values::Reader;
use volery_cli::waiting;

/// The options that name the file.
pub(crate) const OUT: &str = "--out";
pub(crate) const PROOF: &str = "--proof";

/// The most bytes of a file before its proof.
const HEAD: u64 = LONGEST_LABEL as u64 + 1024;

/// The most characters of a label in an error.
const SHOWN: usize = 400;

/// `volery prove` to the file at `path`.
pub(crate) fn prove(typed: &args::Prove, path: &Path, settings: &Settings, started: Instant) -> Result<()> {
    let reader = Reader::waiting(settings.timeout);
    if disjunction::several(settings.field, &typed.public) {
        let (claim, chosen) = disjunction::claim_of_one(typed, reader, settings.quiet)?;
        let subject = claim.subject(&typed.public.relation);
        return write((typed, path), settings, started, subject, |file, options| {
            Ok((claim.prove_to_file(chosen, file, options)?, claim.warnings()))
        });
    }
    let claim = claim(settings.field, &typed.public, &typed.private, reader)?;
    let subject = Subject::of(&typed.public.relation[0], claim.statement());
    write((typed, path), settings, started, subject, |file, options| {
        Ok((claim.prove_to_file(file, options)?, claim.statement().warnings()))
    })
}

/// Has `prove` write a file, and tells of it. Its warnings are known when all gates were gone through.
fn write(
    (typed, path): (&args::Prove, &Path),
    settings: &Settings,
    started: Instant,
    subject: Subject,
    prove: impl FnOnce(&mut Partial, &Options) -> volery::Result<(Report, Vec<String>)>,
) -> Result<()> {
    let mut options = settings.options(subject.digest, None)?;
    let words = words(typed.label.as_deref(), &subject.label)?;
    options.label = words;
    no_stream(OUT, path, "written to")?;
    let mut file = Partial::create(OUT, path, Old::by_force(typed.force))?;
    let progress = watch(&mut options, settings);
    let proved = prove(&mut file, &options);
    drop(progress);
    let (report, warnings) = proved.map_err(|why| of_file(OUT, path, why))?;
    file.finish()?;
    let mut outcome = Outcome::new(settings, Some(Party::Prover), &[report], started);
    outcome.verified = false;
    outcome.warnings = warnings;
    subject.tell(&mut outcome);
    outcome.more("file", json!(path.display().to_string()), one_line(path.display()));
    outcome.print(settings.json)
}

/// `volery verify` of the file at `path`.
pub(crate) fn verify(typed: &args::Verify, path: &Path, settings: &Settings, started: Instant) -> Result<()> {
    let (subject, statement) = stated(typed, settings)?;
    let mut options = settings.options(subject.digest, None)?;
    no_stream(PROOF, path, "read from")?;
    let unread = |why| Failure::usage(format_args!("{PROOF}: {} cannot be read: {why}", path.display()));
    let mut file = BufReader::new(waiting::open(path, settings.timeout).map_err(unread)?);
    let mut head = Vec::new();
    (&mut file).take(HEAD).read_to_end(&mut head).map_err(unread)?;
    let label = volery::read_label(&mut &head[..]).ok().filter(|label| !label.is_empty());
    let progress = watch(&mut options, settings);
    let verified = statement.verify_from(&mut head.chain(file), &options);
    drop(progress);
    let (_accepted, report) = verified.map_err(|why| refused(path, why, &subject, label.as_deref()))?;
    let mut outcome = Outcome::new(settings, Some(Party::Verifier), &[report], started);
    outcome.warnings = statement.warnings();
    subject.tell(&mut outcome);
    outcome.more("file", json!(path.display().to_string()), one_line(path.display()));
    // What a stranger wrote is not verified: only what this side says itself of the statement is.
    let (same, theirs) = match label {
        Some(label) if label == subject.label => (Some(label), None),
        other => (None, other),
    };
    if let Some(theirs) = &theirs {
        outcome.more("prover_words", json!(theirs), format!("{} (not verified)", shown(theirs)));
    }
    outcome.more("label", json!(same), same.as_deref().map_or_else(|| "-".into(), shown));
    outcome.print(settings.json)
}

/// Why the file at `path` is not accepted, and what it says itself that it is of, where that may be why.
fn refused(path: &Path, why: Error, subject: &Subject, label: Option<&str>) -> Failure {
    let of_statement = matches!(
        why,
        Error::Disagreed(
            Disagreement::FileStatement(_)
                | Disagreement::FileSize { .. }
                | Disagreement::FileCommitments { .. }
        )
    );
    let mut failure = of_file(PROOF, path, why);
    if of_statement && subject.of_two {
        let shown_elsewhere = hex(&subject.digest);
        failure.line += &format!("; both as over one field, and over two the one here is {shown_elsewhere}");
    }
    if let Some(label) = label.filter(|_| of_statement) {
        failure.line += &format!("; by its own words it is of: {}", shown(label));
    }
    failure
}

/// Refuses the name that stands for a standard stream elsewhere.
pub(crate) fn no_stream(option: &str, path: &Path, way: &str) -> Result<()> {
    if path.as_os_str() != "-" {
        return Ok(());
    }
    Err(Failure::usage(format_args!(
        "{option} -: a proof is {way} a file, and no standard stream: give the path of a file (./- for \
         one of that name)"
    )))
}

/// The statement that files are to be about.
///
/// # Errors
/// Where it is malformed.
pub(crate) fn stated(typed: &args::Verify, settings: &Settings) -> Result<(Subject, Box<dyn Stated>)> {
    let mut reader = Reader::waiting(settings.timeout);
    if disjunction::several(settings.field, &typed.public) {
        let disjunction = Disjunction::new(&typed.public, &mut reader)?;
        return Ok((disjunction.subject(&typed.public.relation), Box::new(disjunction)));
    }
    let statement = statement(settings.field, &typed.public, &mut reader)?;
    Ok((Subject::of(&typed.public.relation[0], &*statement), Box::new(statement)))
}

/// Shows how far the work has come.
fn watch(options: &mut Options, settings: &Settings) -> Progress {
    let done = Arc::<Counter>::default();
    *options = done.counting(options.clone());
    Progress::start(Watched { done, meter: None, unit: "gates", total: None }, settings.quiet)
}

/// The failure of a file, with advice.
pub(crate) fn of_file(option: &str, path: &Path, why: Error) -> Failure {
    let place = format!("{option} {}", path.display());
    match why {
        Error::Io { doing, source } => Failure::usage(format_args!("{place}: {doing}: {source}")),
        Error::Disagreed(_) | Error::Rejected(_) => Failure::from(why).at(place),
        why => why.into(),
    }
}

/// The prover's words on the statement: those it `typed`, or the label.
fn words(typed: Option<&str>, label: &str) -> Result<String> {
    match typed {
        None => Ok(label.into()),
        Some(text) if text.len() <= LONGEST_LABEL => Ok(text.into()),
        Some(text) => Err(Failure::usage(format_args!(
            "--label: {} bytes, and at most {LONGEST_LABEL} are allowed: write less",
            text.len()
        ))),
    }
}

/// A label on one line, and not too long.
fn shown(label: &str) -> String {
    let one_line = label.replace('\n', ", ");
    let mut text: String =
        one_line.chars().filter(|c| !c.is_control() && !is_format(*c)).take(SHOWN).collect();
    if one_line.chars().count() > SHOWN {
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_shown_on_a_line() {
        assert_eq!(shown("a\nb\u{1b}[1m"), "a, b[1m");
        assert_eq!(shown(&"x".repeat(500)).chars().count(), SHOWN + 1);
    }
}
