//! A file that is there whole, or as it was before.

use crate::failure::{Failure, Result};
use std::fs::{File, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The file that is being written. Held while it is put in place, too.
static UNFINISHED: Mutex<Option<PathBuf>> = Mutex::new(None);

/// The folder for files that are to stay no longer than this process.
static FOLDER: Mutex<Option<PathBuf>> = Mutex::new(None);

fn unfinished() -> MutexGuard<'static, Option<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the file that is being written, and lets no other be put in place: for the one who ends the
/// process.
pub fn stop() {
    let unfinished = unfinished();
    if let Some(path) = &*unfinished {
        let _ = std::fs::remove_file(path);
    }
    std::mem::forget(unfinished);
    if let Some(path) = &*folder() {
        let _ = std::fs::remove_dir_all(path);
    }
}

fn folder() -> MutexGuard<'static, Option<PathBuf>> {
    FOLDER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A folder that nobody else can look into, which is removed with all that is in it; one at a time.
pub struct Folder {
    path: PathBuf,
}

impl Folder {
    /// A new one, among the temporary files of the system.
    ///
    /// # Errors
    /// Where there can be none.
    pub fn create() -> Result<Self> {
        let mut kept = folder();
        for _ in 0..100 {
            // Nobody can foresee the name, and lay something else there.
            let path = std::env::temp_dir().join(format!("volery-{:016x}", RandomState::new().hash_one(())));
            match private_folder(&path) {
                Ok(()) => {
                    *kept = Some(path.clone());
                    return Ok(Self { path });
                }
                Err(why) if why.kind() == io::ErrorKind::AlreadyExists => {}
                Err(why) => {
                    return Err(Failure::usage(format_args!("{} cannot be made: {why}", path.display())));
                }
            }
        }
        let folder = std::env::temp_dir();
        Err(Failure::usage(format_args!("{}: a hundred names are taken there", folder.display())))
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// An empty file that no folder has, where the system can remove one that is open: it ends with its handle.
///
/// # Errors
/// Where there can be none.
pub fn nameless() -> io::Result<File> {
    let folder = Folder::create().map_err(|why| io::Error::other(why.line))?;
    File::options().read(true).write(true).create_new(true).open(folder.path().join("rows"))
}

#[cfg(unix)]
fn private_folder(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    std::fs::DirBuilder::new().mode(0o700).create(path)
}

#[cfg(not(unix))]
fn private_folder(path: &Path) -> io::Result<()> {
    std::fs::create_dir(path)
}

impl Drop for Folder {
    fn drop(&mut self) {
        let mut kept = folder();
        if kept.as_ref() == Some(&self.path) {
            *kept = None;
        }
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

/// The fate of a file that is there already.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Old {
    /// The file stays, and a run that would replace it is refused.
    Stays,
    /// The file is replaced in one step.
    Goes,
}

impl Old {
    /// The fate by whether `--force` was given.
    pub fn by_force(given: bool) -> Self {
        if given { Self::Goes } else { Self::Stays }
    }
}

/// A file under another name until it is whole; removed where it never is.
pub struct Partial {
    /// The option that names the file.
    option: &'static str,
    path: PathBuf,
    partial: PathBuf,
    old: Old,
    out: BufWriter<File>,
}

impl Partial {
    /// Begins a file that `option` names, beside its place.
    ///
    /// # Errors
    /// Where it cannot be written, or what is in its place is not to be replaced.
    pub fn create(option: &'static str, path: &Path, old: Old) -> Result<Self> {
        Self::create_by(option, path, (old, &mut File::options()))
    }

    /// Begins a file, likewise, which on Unix its owner alone may read (mode 0600).
    ///
    /// # Errors
    /// As for [`Partial::create`].
    pub fn create_secret(option: &'static str, path: &Path, old: Old) -> Result<Self> {
        let mut options = File::options();
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        Self::create_by(option, path, (old, &mut options))
    }

    fn create_by(option: &'static str, path: &Path, (old, options): (Old, &mut OpenOptions)) -> Result<Self> {
        free(option, path, old)?;
        let mut partial = path.as_os_str().to_owned();
        partial.push(format!(".{}.partial", std::process::id()));
        let partial = PathBuf::from(partial);
        let mut unfinished = unfinished();
        // What has this name already, such as a link that somebody laid there, is left alone.
        let created = options.write(true).create_new(true).open(&partial);
        let out = BufWriter::new(created.map_err(|why| unwritten(option, path, why))?);
        *unfinished = Some(partial.clone());
        Ok(Self { option, path: path.into(), partial, old, out })
    }

    /// Puts the file in its place.
    ///
    /// # Errors
    /// As for [`Partial::create`].
    pub fn finish(mut self) -> Result<()> {
        let flushed = self.out.flush();
        flushed.map_err(|why| unwritten(self.option, &self.path, why))?;
        // Much may have come to its place since, and a renamed file goes over it; but through no link.
        free(self.option, &self.path, self.old)?;
        let mut unfinished = unfinished();
        std::fs::rename(&self.partial, &self.path).map_err(|why| unwritten(self.option, &self.path, why))?;
        *unfinished = None;
        Ok(())
    }
}

/// Refuses a place in which something is that is not to be replaced: for who writes several files, or none.
///
/// # Errors
/// As for [`Partial::create`].
pub fn free(option: &str, path: &Path, old: Old) -> Result<()> {
    let Ok(there) = std::fs::symlink_metadata(path) else { return Ok(()) };
    let why = if there.is_symlink() {
        "this is a link, which nothing is written through: name the file itself, or remove the link"
    } else if !there.is_file() {
        // Whatever else has this name, such as a device, would be gone.
        "not a regular file"
    } else if old == Old::Stays {
        "there is a file of this name: take another name, or give --force to replace it"
    } else {
        return Ok(());
    };
    Err(Failure::usage(format_args!("{option} {}: {why}", path.display())))
}

fn unwritten(option: &str, path: &Path, why: io::Error) -> Failure {
    Failure::usage(format_args!("{option} {}: cannot be written: {why}", path.display()))
}

impl Write for Partial {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Seek for Partial {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.out.seek(to)
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        let mut unfinished = unfinished();
        if unfinished.as_ref() == Some(&self.partial) {
            *unfinished = None;
            let _ = std::fs::remove_file(&self.partial);
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
            let mut partial = Partial::create("--out", &path, Old::Goes).expect("created");
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
        for (path, old, why) in [
            (folder.path(), Old::Goes, "not a regular file"),
            (&path, Old::Stays, "give --force to replace it"),
        ] {
            let refused = Partial::create("--out", path, old).err().expect("refused");
            assert!(refused.line.contains(why), "{refused:?}");
        }
        #[cfg(unix)]
        nothing_is_written_through_links();
    }

    /// Neither through a link to a file nor through one to nothing, also where it comes while the file is
    /// written. Not a test by itself, since there is one unfinished file in a process.
    #[cfg(unix)]
    fn nothing_is_written_through_links() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().expect("a folder");
        let (path, other) = (folder.path().join("proof"), folder.path().join("other"));
        let mut partial = Partial::create("--out", &path, Old::Goes).expect("created");
        partial.write_all(b"proof").expect("written");
        symlink(&other, &path).expect("linked");
        let refused = partial.finish().expect_err("refused");
        assert!(refused.line.contains("this is a link"), "{refused:?}");
        std::fs::write(&other, "precious").expect("written");
        assert!(Partial::create("--out", &path, Old::Goes).is_err());
        assert_eq!(std::fs::read(&other).expect("read"), b"precious");
        assert_eq!(names(folder.path()).len(), 2);
    }
}
