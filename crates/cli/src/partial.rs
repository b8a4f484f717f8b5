//! A file that is there whole, or as it was before.

use crate::failure::{Failure, Result};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The file that is being written. Held while it is put in place, too.
static UNFINISHED: Mutex<Option<PathBuf>> = Mutex::new(None);

fn unfinished() -> MutexGuard<'static, Option<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the file that is being written, and lets no other be put in place: for the one who ends the process.
pub fn stop() {
    let unfinished = unfinished();
    if let Some(path) = &*unfinished {
        let _ = std::fs::remove_file(path);
    }
    std::mem::forget(unfinished);
}

/// A file under another name until it is whole; removed where it never is.
pub struct Partial {
    path: PathBuf,
    partial: PathBuf,
    out: BufWriter<File>,
}

impl Partial {
    /// Begins a file that `option` names, beside its place.
    pub fn create(option: &str, path: &Path) -> Result<Self> {
        let unwritten = |why: io::Error| {
            Failure::usage(format_args!("{option}: {} cannot be written: {why}", path.display()))
        };
        // Whatever else has this name, such as a device, would be gone.
        if std::fs::metadata(path).is_ok_and(|there| !there.is_file()) {
            return Err(Failure::usage(format_args!("{option}: {} is not a regular file", path.display())));
        }
        let mut partial = path.as_os_str().to_owned();
        partial.push(format!(".{}.partial", std::process::id()));
        let partial = PathBuf::from(partial);
        let mut unfinished = unfinished();
        // What has this name already, such as a link that somebody laid there, is left alone.
        let created = File::options().write(true).create_new(true).open(&partial);
        let out = BufWriter::new(created.map_err(unwritten)?);
        *unfinished = Some(partial.clone());
        Ok(Self { path: path.into(), partial, out })
    }

    /// Puts the file in its place.
    pub fn finish(mut self) -> io::Result<()> {
        self.out.flush()?;
        let mut unfinished = unfinished();
        std::fs::rename(&self.partial, &self.path)?;
        *unfinished = None;
        Ok(())
    }
}

impl Write for Partial {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        if let Some(path) = unfinished().take() {
            let _ = std::fs::remove_file(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).expect("a folder");
        entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8")).collect()
    }

    #[test]
    fn files_are_there_whole_or_as_before() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("proof");
        let write = |text: &[u8]| {
            let mut partial = Partial::create("--out", &path).expect("created");
            partial.write_all(text).expect("written");
            partial
        };
        drop(write(b"nothing comes of it"));
        assert!(names(folder.path()).is_empty());
        write(b"first").finish().expect("in place");
        drop(write(b"second"));
        assert_eq!(
            (names(folder.path()), std::fs::read(&path).expect("read")),
            (vec!["proof".into()], b"first".into())
        );
        let refused = Partial::create("--out", folder.path()).err().expect("refused");
        assert!(refused.line.contains("not a regular file"), "{refused:?}");
    }
}
