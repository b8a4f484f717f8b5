//! Proofs that are files: `prove --out` and `verify --proof`.

use crate::verbs::args;
use crate::verbs::given::{claim, statement};
use serde_json::json;
use sha2::{Digest, Sha256};
use std::io::{BufReader, Read};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use volery::channel::Party;
use volery::error::Disagreement;
use volery::{AnyStatement, Error, LONGEST_LABEL, Method, Options};
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

/// The longest value that stands in a label as it is, in characters.
const LONGEST_VALUE: usize = 100;

/// The most bytes of a file before its proof.
const HEAD: u64 = LONGEST_LABEL as u64 + 1024;

/// The most characters of a label in an error.
const SHOWN: usize = 400;

/// `volery prove` to the file at `path`.
pub(crate) fn prove(typed: &args::Prove, path: &Path, settings: &Settings, started: Instant) -> Result<()> {
    one_relation(&typed.public.relation, OUT)?;
    let claim = claim(settings.field, &typed.public, &typed.private, Reader::waiting(settings.timeout))?;
    let mut options = settings.options(claim.statement().digest(), None)?;
    let words = words(typed.label.as_deref(), &typed.public.relation[0], claim.statement())?;
    match &mut options.method {
        Method::Limbo(simulation) => simulation.label = words,
        Method::Voleith(head) => head.label = words,
        _ => {}
    }
    no_stream(OUT, path, "written to")?;
    let mut file = Partial::create(OUT, path, Old::by_force(typed.force))?;
    let progress = watch(&mut options, settings);
    let report = claim.prove_to_file(&mut file, &options);
    drop(progress);
    let report = report.map_err(|why| of_file(OUT, path, why))?;
    file.finish()?;
    let mut outcome = Outcome::new(settings, Some(Party::Prover), &[report], started);
    outcome.verified = false;
    outcome.warnings = claim.statement().warnings();
    outcome.more("file", json!(path.display().to_string()), one_line(path.display()));
    outcome.print(settings.json)
}

/// `volery verify` of the file at `path`.
pub(crate) fn verify(typed: &args::Verify, path: &Path, settings: &Settings, started: Instant) -> Result<()> {
    one_relation(&typed.public.relation, PROOF)?;
    let statement = statement(settings.field, &typed.public, &mut Reader::waiting(settings.timeout))?;
    let mut options = settings.options(statement.digest(), None)?;
    no_stream(PROOF, path, "read from")?;
    let unread = |why| Failure::usage(format_args!("{PROOF}: {} cannot be read: {why}", path.display()));
    let mut file = BufReader::new(waiting::open(path, settings.timeout).map_err(unread)?);
    let mut head = Vec::new();
    (&mut file).take(HEAD).read_to_end(&mut head).map_err(unread)?;
    let label = volery::read_label(&mut &head[..]).ok().filter(|label| !label.is_empty());
    let progress = watch(&mut options, settings);
    let verified = statement.verify_from(&mut head.chain(file), &options);
    drop(progress);
    let (_accepted, report) = verified.map_err(|why| refused(path, why, label.as_deref()))?;
    let mut outcome = Outcome::new(settings, Some(Party::Verifier), &[report], started);
    outcome.warnings = statement.warnings();
    outcome.more("file", json!(path.display().to_string()), one_line(path.display()));
    // What a stranger wrote is not verified: only what this side says itself of the statement is.
    let ours = self::label(&typed.public.relation[0], &*statement);
    let (same, theirs) = match label {
        Some(label) if label == ours => (Some(label), None),
        other => (None, other),
    };
    if let Some(theirs) = &theirs {
        outcome.more("prover_words", json!(theirs), format!("{} (not verified)", shown(theirs)));
    }
    outcome.more("label", json!(same), same.as_deref().map_or_else(|| "-".into(), shown));
    outcome.print(settings.json)
}

/// Why the file at `path` is not accepted, and what it says itself that it is of, where that may be why.
fn refused(path: &Path, why: Error, label: Option<&str>) -> Failure {
    let of_statement = matches!(
        why,
        Error::Disagreed(
            Disagreement::FileStatement(_)
                | Disagreement::FileSize { .. }
                | Disagreement::FileCommitments { .. }
        )
    );
    let failure = of_file(PROOF, path, why);
    match label.filter(|_| of_statement) {
        Some(label) => Failure {
            line: format!("{}; by its own words it is of: {}", failure.line, shown(label)),
            ..failure
        },
        None => failure,
    }
}

/// Refuses the name that stands for a standard stream elsewhere.
fn no_stream(option: &str, path: &Path, way: &str) -> Result<()> {
    if path.as_os_str() != "-" {
        return Ok(());
    }
    Err(Failure::usage(format_args!(
        "{option} -: a proof is {way} a file, and no standard stream: give the path of a file (./- for \
         one of that name)"
    )))
}

/// Refuses several relations.
pub(crate) fn one_relation(relations: &[String], option: &str) -> Result<()> {
    match relations {
        [_] => Ok(()),
        _ => Err(Failure::usage(format_args!(
            "{option}: one of several relations is not proved in a file: give one --relation, or a peer"
        ))),
    }
}

/// Shows how far the work has come.
fn watch(options: &mut Options, settings: &Settings) -> Progress {
    let done = Arc::<Counter>::default();
    *options = done.counting(options.clone());
    Progress::start(Watched { done, meter: None, unit: "gates", total: None }, settings.quiet)
}

/// What went wrong with a file, and what to do.
pub(crate) fn of_file(option: &str, path: &Path, why: Error) -> Failure {
    let place = format!("{option} {}", path.display());
    match why {
        Error::Io { doing, source } => Failure::usage(format_args!("{place}: {doing}: {source}")),
        Error::Disagreed(_) | Error::Rejected(_) => Failure::from(why).at(place),
        why => why.into(),
    }
}

/// What the prover says of the statement: what it `typed`, or the label.
fn words(typed: Option<&str>, relation: &str, statement: &dyn AnyStatement) -> Result<String> {
    match typed {
        None => Ok(label(relation, statement)),
        Some(text) if text.len() <= LONGEST_LABEL => Ok(text.into()),
        Some(text) => Err(Failure::usage(format_args!(
            "--label: {} bytes, and at most {LONGEST_LABEL} are allowed: write less",
            text.len()
        ))),
    }
}

/// The name of a relation, without the folders that it lies in: they are nobody's business.
fn name(relation: &str) -> &str {
    if relation.starts_with(BUILTIN) {
        return relation;
    }
    Path::new(relation).file_name().and_then(|name| name.to_str()).unwrap_or("circuit")
}

/// What the name of a relation begins with that is no file.
const BUILTIN: &str = "builtin:";

/// The statement in words: the name of the relation, and the public values, a line each.
fn label(relation: &str, statement: &dyn AnyStatement) -> String {
    let mut label = name(relation).to_owned();
    for (port, text) in statement.public() {
        let value = if text.len() > LONGEST_VALUE {
            let (width, unit) = (port.width, statement.unit());
            format!("({width} {unit}s, written with the SHA-256 {})", hex(&Sha256::digest(text)))
        } else {
            text
        };
        label.push_str(&format!("\n{}={value}", port.name));
    }
    let mut end = label.len().min(LONGEST_LABEL);
    while !label.is_char_boundary(end) {
        end -= 1;
    }
    label.truncate(end);
    label
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
    use volery::circuit::Written;

    #[test]
    fn labels_name_the_statement() {
        let of = |spec: &str, public: &[(&str, &[u8])]| {
            let mut relation = volery::setting("f2").expect("a field").open(spec, None).expect("built in");
            for (name, bytes) in public {
                relation.public().read(name, Written::Content(bytes, None)).expect("once");
            }
            label(spec, &*relation.state().expect("fits"))
        };
        let spec = "builtin:sha256-preimage?length=2";
        let short = of(spec, &[("digest", &[0xab; 32])]);
        assert_eq!(short, format!("{spec}\ndigest=0x{}", "ab".repeat(32)));
        let spec = "builtin:sha256-preimage?length=200";
        let long = of(spec, &[("digest", &[0xab; 32]), ("message", &[7; 200])]);
        assert!(long.contains("\nmessage=(1600 bits, written with the SHA-256 "), "{long}");
        assert_eq!(name("/home/alice/secret/aes.txt"), "aes.txt");
        assert_eq!((name("aes.txt"), name(spec), name("..")), ("aes.txt", spec, "circuit"));
        assert_eq!(shown("a\nb\u{1b}[1m"), "a, b[1m");
        assert_eq!(shown(&"x".repeat(500)).chars().count(), SHOWN + 1);
    }
}
