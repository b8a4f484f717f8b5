//! `volery bench`: a program of its own, so that who proves need not install what draws plots.

use crate::verbs::args::Bench;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use volery_cli::failure::{Failure, Result};

/// The name of that program.
const PROGRAM: &str = "volery-bench";

/// Runs it with what was typed, on the standard streams of this process, which ends as it does.
pub(crate) fn bench(typed: &Bench) -> Result<()> {
    let missing = || {
        Failure::usage(format_args!(
            "bench: {PROGRAM} is neither beside this program nor on PATH: install it by `cargo install \
             --path crates/bench --profile dist`, or build it by `cargo build --release -p {PROGRAM}`"
        ))
    };
    let program = find(&std::env::current_exe().unwrap_or_default()).ok_or_else(missing)?;
    let mut command = Command::new(&program);
    command.args(&typed.arguments);
    let why = become_it(&mut command);
    Err(Failure::usage(format_args!("bench: {} cannot be run: {why}", program.display())))
}

/// The path of the program beside `this` one, or else on PATH.
fn find(this: &Path) -> Option<PathBuf> {
    let name = format!("{PROGRAM}{}", std::env::consts::EXE_SUFFIX);
    let path: OsString = std::env::var_os("PATH").unwrap_or_default();
    let beside = this.parent().map(Path::to_owned);
    let folders = beside.into_iter().chain(std::env::split_paths(&path));
    folders.map(|folder| folder.join(&name)).find(|path| path.is_file())
}

/// Puts `command` in the place of this process, so that signals go to it alone. Comes back where it cannot
/// run.
#[cfg(unix)]
fn become_it(command: &mut Command) -> io::Error {
    std::os::unix::process::CommandExt::exec(command)
}

/// Waits for `command`, and ends as it does. Comes back where it cannot run.
#[cfg(not(unix))]
fn become_it(command: &mut Command) -> io::Error {
    match command.status() {
        Ok(status) => std::process::exit(status.code().unwrap_or(volery_cli::failure::Fault::Peer as i32)),
        Err(why) => why,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_beside_this_one_comes_first() {
        let folder = tempfile::tempdir().expect("a folder");
        let this = folder.path().join("volery");
        let beside = folder.path().join(format!("{PROGRAM}{}", std::env::consts::EXE_SUFFIX));
        assert!(find(&this).is_none_or(|found| found != beside));
        std::fs::write(&beside, "").expect("written");
        assert_eq!(find(&this), Some(beside));
    }
}
