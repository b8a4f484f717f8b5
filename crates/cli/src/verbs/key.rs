//! `key`: who this party is.

use crate::verbs::args::{KeyNew, KeyShow};
use serde_json::json;
use std::io::ErrorKind;
use std::path::Path;
use volery::Error;
use volery::channel::{Identity, SecretKey};
use volery_cli::failure::{Failure, Result};
use volery_cli::keys;
use volery_cli::print::{notice, result};

/// `volery key new`.
pub(crate) fn new(typed: &KeyNew) -> Result<()> {
    let path = match &typed.out {
        Some(path) => path.clone(),
        None => {
            let path = keys::default_path()?;
            make_folder(&path)?;
            path
        }
    };
    let key = SecretKey::generate()?;
    key.write_new(&path).map_err(|why| {
        let place = path.display();
        match why {
            Error::Io { source, .. } if source.kind() == ErrorKind::AlreadyExists => {
                let show = if typed.out.is_some() { format!(" {place}") } else { String::new() };
                Failure::usage(format_args!(
                    "{place}: there is a file, which may be a key that others know: `volery key show{show}` \
                     prints its identity; remove it by hand, or name another file by --out"
                ))
            }
            Error::Io { source, .. } => {
                Failure::usage(format_args!("{place}: the key cannot be written: {source}"))
            }
            why => why.into(),
        }
    })?;
    if !typed.json {
        notice(format_args!("the key is in {}: keep it to yourself, and tell others this:", path.display()));
    }
    print(key.identity(), &path, typed.json)
}

/// `volery key show`.
pub(crate) fn show(typed: &KeyShow) -> Result<()> {
    let path = typed.file.clone().map_or_else(keys::default_path, Ok)?;
    let key = keys::read(typed.file.as_deref())?;
    print(key.identity(), &path, typed.json)
}

fn print(identity: Identity, path: &Path, json: bool) -> Result<()> {
    if json {
        result(json!({"identity": identity.to_string(), "file": path.display().to_string()}))
    } else {
        result(identity)
    }
}

/// Makes the folder of the key, which its owner alone may look into.
fn make_folder(path: &Path) -> Result<()> {
    let Some(folder) = path.parent() else { return Ok(()) };
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
        .create(folder)
        .map_err(|why| Failure::usage(format_args!("{}: the folder cannot be made: {why}", folder.display())))
}
