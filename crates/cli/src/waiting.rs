//! Reading files that may keep the reader waiting: named pipes, and devices.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;
use zeroize::Zeroizing;

/// Bytes that are read at once from others than regular files.
const PIECE: usize = 1 << 16;

/// A file, of which each read ends in time.
pub enum Waiting {
    /// A regular one, which keeps nobody waiting.
    Regular(File),
    /// A file that may keep its reader waiting, read by a thread.
    Other {
        /// The pieces of the file, none of them empty, until its end or an error.
        pieces: Receiver<io::Result<Zeroizing<Vec<u8>>>>,
        /// The piece that was read last.
        piece: Zeroizing<Vec<u8>>,
        /// How much of that was taken.
        taken: usize,
        /// The longest wait.
        timeout: Duration,
    },
}

/// Opens the file at `path`. Where it is not a regular one, nobody waits for longer than `timeout` for somebody
/// to open its other end, nor for each piece.
///
/// # Errors
/// Where it cannot be opened; to read it fails with `TimedOut`.
pub fn open(path: &Path, timeout: Duration) -> io::Result<Waiting> {
    let kind = std::fs::metadata(path)?;
    if kind.is_file() || kind.is_dir() {
        return File::open(path).map(Waiting::Regular);
    }
    // A piece waits for its reader, so that a device without end is read no further than that.
    let (sender, pieces) = sync_channel(0);
    let path = PathBuf::from(path);
    std::thread::spawn(move || {
        let mut file = match File::open(path) {
            Ok(file) => file,
            Err(why) => return drop(sender.send(Err(why))),
        };
        loop {
            let mut piece = Zeroizing::new(vec![0; PIECE]);
            let read = match file.read(&mut piece) {
                Ok(0) => return,
                Ok(read) => Ok(read),
                Err(why) if why.kind() == ErrorKind::Interrupted => continue,
                Err(why) => Err(why),
            };
            let last = read.is_err();
            let piece = read.map(|read| {
                piece.truncate(read);
                piece
            });
            if sender.send(piece).is_err() || last {
                return;
            }
        }
    });
    Ok(Waiting::Other { pieces, piece: Zeroizing::default(), taken: 0, timeout })
}

impl Waiting {
    /// The bytes of a regular file.
    pub fn length(&self) -> Option<u64> {
        match self {
            Self::Regular(file) => file.metadata().ok().map(|it| it.len()),
            Self::Other { .. } => None,
        }
    }
}

impl Read for Waiting {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let (pieces, piece, taken, timeout) = match self {
            Self::Regular(file) => return file.read(bytes),
            Self::Other { pieces, piece, taken, timeout } => (pieces, piece, taken, timeout),
        };
        if bytes.is_empty() {
            return Ok(0);
        }
        if *taken == piece.len() {
            match pieces.recv_timeout(*timeout) {
                Ok(next) => (*piece, *taken) = (next?, 0),
                Err(RecvTimeoutError::Disconnected) => return Ok(0),
                Err(RecvTimeoutError::Timeout) => {
                    let why = format!(
                        "nothing came for {} s: see whoever writes it, or give it longer by --timeout",
                        timeout.as_secs_f64()
                    );
                    return Err(io::Error::new(ErrorKind::TimedOut, why));
                }
            }
        }
        let read = bytes.len().min(piece.len() - *taken);
        bytes[..read].copy_from_slice(&piece[*taken..*taken + read]);
        *taken += read;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regular_files_and_devices_are_read() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), "value").expect("written");
        let mut opened = open(file.path(), Duration::ZERO).expect("opened");
        let mut text = String::new();
        opened.read_to_string(&mut text).expect("read");
        assert_eq!((text.as_str(), opened.length()), ("value", Some(5)));
        #[cfg(unix)]
        {
            let zeros = open(Path::new("/dev/zero"), Duration::from_secs(60)).expect("opened");
            let mut read = vec![];
            zeros.take(3 * PIECE as u64 + 1).read_to_end(&mut read).expect("read");
            assert_eq!(read, vec![0; 3 * PIECE + 1]);
            let mut nothing = open(Path::new("/dev/null"), Duration::from_secs(60)).expect("opened");
            assert_eq!(nothing.read(&mut [0; 8]).expect("read"), 0);
        }
        assert!(open(Path::new("/no/such"), Duration::ZERO).is_err());
    }
}
