//! `circuit export`: a relation as a circuit file.

use crate::verbs::args::Export;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::Path;
use volery::circuit::{Format, Relation};
use volery_cli::failure::{Failure, Result};
use volery_cli::print;

/// `volery circuit export`.
pub(crate) fn export(typed: &Export) -> Result<()> {
    let format: Format = typed.format.parse()?;
    let relation = Relation::open(&typed.relation, None)?;
    let write = |out: &mut dyn Write| Ok(relation.export(format, out)?);
    match typed.out.as_deref() {
        None => print::stream(write),
        Some(path) => to_file(path, write),
    }
}

/// Writes all of a file at `path`, or leaves there what there was.
fn to_file(path: &Path, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    let unwritable = |why: std::io::Error| Failure::usage(why).at(path.display());
    if path.metadata().is_ok_and(|known| !known.is_file()) {
        // A device or a pipe, whose place no file can take.
        let mut file = OpenOptions::new().write(true).open(path).map_err(unwritable)?;
        return write(&mut file);
    }
    let name = path.file_name().ok_or_else(|| Failure::usage("--out: write the path of a file"))?;
    let mut partial = name.to_owned();
    partial.push(".partial");
    let partial = path.with_file_name(partial);
    let mut file = File::create(&partial).map_err(unwritable)?;
    let written = write(&mut file).and_then(|()| fs::rename(&partial, path).map_err(unwritable));
    if written.is_err() {
        let _ = fs::remove_file(&partial);
    }
    written
}
