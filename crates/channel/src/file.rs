//! Opening files that others have named.

use std::fs::{File, OpenOptions};
use std::io::Result;
use std::path::Path;

/// Opens the file at `path` to read it, or gives `None` where it is no regular one. Nobody waits for the other end of
/// a pipe, whatever takes the place of the file meanwhile.
///
/// # Errors
/// Where it cannot be opened.
pub fn open_regular(path: &Path) -> Result<Option<File>> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    let file = options.open(path)?;
    Ok(file.metadata()?.is_file().then_some(file))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn pipes_and_folders_are_no_files() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        for path in [&pipe, folder.path(), Path::new("/dev/null")] {
            assert!(open_regular(path).unwrap().is_none(), "{}", path.display());
        }
        let file = folder.path().join("file");
        std::fs::write(&file, "of bytes").unwrap();
        assert_eq!(std::io::read_to_string(open_regular(&file).unwrap().unwrap()).unwrap(), "of bytes");
        assert!(open_regular(&folder.path().join("none")).is_err());
    }
}
