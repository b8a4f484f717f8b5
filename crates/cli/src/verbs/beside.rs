//! Programs of their own that are started by a verb: so that who proves need not build what draws plots, nor a
//! database.

use crate::verbs::args::Passed;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;
use volery_cli::child;
use volery_cli::failure::{Failure, Result};

/// `volery bench`.
pub(crate) fn bench(typed: &Passed) -> Result<()> {
    run("bench", ("volery-bench", "crates/bench"), &typed.arguments)
}

/// `volery serve`.
pub(crate) fn serve(typed: &Passed) -> Result<()> {
    run("serve", SERVE, &with("serve", typed))
}

/// `volery results`.
pub(crate) fn results(typed: &Passed) -> Result<()> {
    run("results", SERVE, &with("results", typed))
}

/// The name of the program that serves, and where it is in the sources.
const SERVE: (&str, &str) = ("volery-serve", "crates/serve");

/// The arguments of `verb`, with all that was typed behind it.
fn with(verb: &str, typed: &Passed) -> Vec<OsString> {
    [OsStr::new(verb)]
        .into_iter()
        .chain(typed.arguments.iter().map(OsString::as_os_str))
        .map(Into::into)
        .collect()
}

/// Runs `program` with `arguments`, on the standard streams of this process, which ends as it does.
fn run(verb: &str, (program, sources): (&str, &str), arguments: &[OsString]) -> Result<()> {
    let missing = || {
        Failure::usage(format_args!(
            "{verb}: {program} is neither beside this program nor on PATH: install it by `cargo install \
             --path {sources} --profile dist`, or build it by `cargo build --release -p {program}`"
        ))
    };
    let path = find(program, &std::env::current_exe().unwrap_or_default()).ok_or_else(missing)?;
    let mut command = Command::new(&path);
    command.args(arguments);
    let why = child::become_it(&mut command);
    Err(Failure::usage(format_args!("{verb}: {} cannot be run: {why}", path.display())))
}

/// The path of `program` beside `this` one, or else on PATH.
fn find(program: &str, this: &Path) -> Option<PathBuf> {
    let name = format!("{program}{}", std::env::consts::EXE_SUFFIX);
    let path: OsString = std::env::var_os("PATH").unwrap_or_default();
    let beside = this.parent().map(Path::to_owned);
    let folders = beside.into_iter().chain(std::env::split_paths(&path));
    folders.map(|folder| folder.join(&name)).find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_beside_this_one_comes_first() {
        let folder = tempfile::tempdir().expect("a folder");
        let this = folder.path().join("volery");
        for program in ["volery-bench", SERVE.0] {
            let beside = folder.path().join(format!("{program}{}", std::env::consts::EXE_SUFFIX));
            assert!(find(program, &this).is_none_or(|found| found != beside));
            std::fs::write(&beside, "").expect("written");
            assert_eq!(find(program, &this), Some(beside));
        }
    }
}
