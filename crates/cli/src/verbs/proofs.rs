//! Many proofs of one statement: `verify --proof` several times, of a folder, or of standard input.

use crate::verbs::args;
use crate::verbs::file::{PROOF, of_file, stated};
use crate::verbs::subject::Stated;
use serde_json::{Value, json};
use std::io::{BufReader, Read, stdin};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use volery::{Options, Report};
use volery_cli::failure::{Failure, Fault, Result};
use volery_cli::print::{self, seconds, table};
use volery_cli::settings::Settings;
use volery_cli::waiting;

/// The name that stands for standard input.
const STANDARD_INPUT: &str = "-";

/// How many of those that are not accepted are named without `--json`.
const NAMED: usize = 8;

/// Whether these are other than one file.
pub(crate) fn are_many(proofs: &[PathBuf]) -> bool {
    match proofs {
        [one] => one.as_os_str() == STANDARD_INPUT || one.is_dir(),
        several => several.len() > 1,
    }
}

/// `volery verify` of all of them, as many at a time as there are threads.
pub(crate) fn verify(typed: &args::Verify, settings: &Settings, started: Instant) -> Result<()> {
    let files = files(&typed.proof)?;
    let (subject, statement) = stated(typed, settings)?;
    let options = settings.options(subject.digest, None)?;
    let workers = settings.threads.get().min(files.len());
    let threads = NonZeroUsize::new(settings.threads.get() / workers).unwrap_or(NonZeroUsize::MIN);
    let options = Options { threads, ..options };
    let next = AtomicUsize::new(0);
    let verified: Vec<Mutex<Option<Result<Report>>>> = files.iter().map(|_| Mutex::new(None)).collect();
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some((path, slot)) = {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    files.get(at).zip(verified.get(at))
                } {
                    let report = one(&*statement, path, (&options, settings));
                    *slot.lock().expect("no verifier panics with it") = Some(report);
                }
            });
        }
    });
    let verified =
        verified.into_iter().map(|slot| slot.into_inner().expect("as above").expect("each is verified"));
    let verified: Vec<_> = files.iter().zip(verified).collect();
    print::warn(&statement.warnings());
    let accepted = verified.iter().filter(|(_, report)| report.is_ok()).count();
    let mut object = json!({
        "verdict": (accepted == files.len()).then_some("accepted"),
        "accepted": accepted,
        "proofs": verified.iter().map(|(path, report)| described(path, report)).collect::<Vec<_>>(),
        "seconds": {"total": started.elapsed().as_secs_f64()},
    });
    let count = files.len();
    let others: Vec<_> = verified.into_iter().filter_map(|(_, report)| report.err()).collect();
    let lines: Vec<_> = others.iter().map(|why| why.line.clone()).collect();
    // One that is rejected says how the process ends, or else the first that is not accepted.
    let is_rejected = |why: &Failure| why.fault == Fault::Rejected;
    let worst = others.iter().position(is_rejected).unwrap_or(0);
    match others.into_iter().nth(worst) {
        Some(why) => {
            let mut line = format!(
                "{accepted} of {count} proofs are accepted; {}",
                lines[..lines.len().min(NAMED)].join("; ")
            );
            if let Some(more) = lines.len().checked_sub(NAMED).filter(|more| *more > 0) {
                line.push_str(&format!("; and {more} more are not (--json names all)"));
            }
            object["verdict"] = json!(is_rejected(&why).then_some("rejected"));
            (object["error"], object["exit_code"]) = (json!(line), json!(why.fault as u8));
            Err(Failure { line, ..why }.with(object))
        }
        None if settings.json => print::result(object),
        None => print::result(table(&[
            ("verdict", "accepted".into()),
            ("proofs", count.to_string()),
            ("total", seconds(started.elapsed().as_secs_f64())),
        ])),
    }
}

/// The files: those of a folder by their names, which are all that lie in it and begin with no dot. What is no
/// file there is none that could be verified, and stays among them.
fn files(typed: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in typed {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let unread = |why| Failure::usage(format_args!("{PROOF}: {} cannot be read: {why}", path.display()));
        let entries = path.read_dir().map_err(unread)?;
        let mut found = entries
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<Result<Vec<_>, _>>()
            .map_err(unread)?;
        let hidden =
            |path: &Path| path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
        found.retain(|path| !hidden(path));
        if found.is_empty() {
            return Err(Failure::usage(format_args!("{PROOF}: no file lies in {}", path.display())));
        }
        found.sort();
        files.extend(found);
    }
    if files.iter().filter(|path| path.as_os_str() == STANDARD_INPUT).count() > 1 {
        return Err(Failure::usage(format_args!("{PROOF} -: standard input is one proof: give it once")));
    }
    Ok(files)
}

/// Verifies one.
fn one(statement: &dyn Stated, path: &Path, (options, settings): (&Options, &Settings)) -> Result<Report> {
    let unread = |why| Failure::usage(format_args!("{PROOF}: {} cannot be read: {why}", path.display()));
    if path.is_dir() {
        return Err(Failure::usage(format_args!(
            "{PROOF}: {} is a folder within a folder: give it by itself",
            path.display()
        )));
    }
    let mut file: Box<dyn Read + Send> = if path.as_os_str() == STANDARD_INPUT {
        Box::new(BufReader::new(waiting::stream(|| Ok(stdin()), settings.timeout)))
    } else {
        Box::new(BufReader::new(waiting::open(path, settings.timeout).map_err(unread)?))
    };
    let verified = statement.verify_from(&mut file, options);
    verified.map(|(_accepted, report)| report).map_err(|why| of_file(PROOF, path, why))
}

/// The JSON object of one file.
fn described(path: &Path, report: &Result<Report>) -> Value {
    let file = path.display().to_string();
    match report {
        Ok(report) => json!({
            "file": file,
            "verdict": "accepted",
            "system": report.system.name(),
            "bytes": report.traffic.received,
            "security": {
                "computational_bits": report.security.computational,
                "statistical_bits": report.security.statistical,
            },
        }),
        Err(why) => {
            let verdict = (why.fault == Fault::Rejected).then_some("rejected");
            json!({"file": file, "verdict": verdict, "error": why.line})
        }
    }
}
