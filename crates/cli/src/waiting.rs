//! Reading files that may keep the reader waiting: named pipes, devices, and standard input.
//!
//! However its bytes are spread, such a file has so much time for each 64 KiB of them: what drips is not
//! waited for without end, and what is long has the time that it takes.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};
use volery_channel::file::open_regular;
use zeroize::Zeroizing;

/// Bytes that are read at once from others than regular files, and that must come within a timeout.
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
        /// The longest wait for each `PIECE` of bytes.
        timeout: Duration,
        /// The time that is left to wait for these.
        left: Duration,
        /// The number of these that have come.
        came: usize,
    },
}

/// Opens the file at `path`, which must be a regular one: to open a pipe may take for ever.
///
/// # Errors
/// Where it cannot be opened, or is none.
pub fn regular(path: &Path) -> io::Result<File> {
    open_regular(path)?.ok_or_else(|| io::Error::other("not a regular file: copy it to one"))
}

/// Opens the file at `path`. Where it is not a regular one, nobody waits for longer than `timeout` for somebody
/// to open its other end and write the first 64 KiB, nor for each that follows.
///
/// # Errors
/// Where it cannot be opened; to read it fails with `TimedOut`.
pub fn open(path: &Path, timeout: Duration) -> io::Result<Waiting> {
    let kind = std::fs::metadata(path)?;
    if kind.is_file() || kind.is_dir() {
        return File::open(path).map(Waiting::Regular);
    }
    let path = PathBuf::from(path);
    Ok(stream(move || File::open(path), timeout))
}

/// A stream that `open` opens on another thread, to be read as by [`open`]: for a standard stream.
pub fn stream<R: Read>(open: impl FnOnce() -> io::Result<R> + Send + 'static, timeout: Duration) -> Waiting {
    // A piece waits for its reader, so that a device without end is read no further than that.
    let (sender, pieces) = sync_channel(0);
    std::thread::spawn(move || {
        let mut file = match open() {
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
    Waiting::Other { pieces, piece: Zeroizing::default(), taken: 0, timeout, left: timeout, came: 0 }
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
        let (pieces, piece, taken, timeout, left, came) = match self {
            Self::Regular(file) => return file.read(bytes),
            Self::Other { pieces, piece, taken, timeout, left, came } => {
                (pieces, piece, taken, timeout, left, came)
            }
        };
        if bytes.is_empty() {
            return Ok(0);
        }
        if *taken == piece.len() {
            let asked = Instant::now();
            let next = pieces.recv_timeout(*left);
            // What its reader does in between is no wait.
            *left = left.saturating_sub(asked.elapsed());
            match next {
                Ok(next) => {
                    (*piece, *taken) = (next?, 0);
                    *came += piece.len();
                    if *came >= PIECE {
                        (*left, *came) = (*timeout, 0);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return Ok(0),
                Err(RecvTimeoutError::Timeout) => {
                    let seconds = timeout.as_secs_f64();
                    let what = match *came {
                        0 => format!("nothing came for {seconds} s"),
                        came => format!("{came} bytes came within {seconds} s, and {PIECE} must, or the end"),
                    };
                    let why = format!("{what}: see whoever writes it, or give it longer by --timeout");
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

    /// A stream that drips, each byte within the timeout, has no more time than one that is silent; one that flows
    /// has as much again for each piece.
    #[test]
    fn drips_are_not_waited_for() {
        struct Drips(usize, Duration);
        impl Read for Drips {
            fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
                std::thread::sleep(self.1);
                let read = bytes.len().min(self.0);
                bytes[..read].fill(7);
                Ok(read)
            }
        }
        let [pause, timeout] = [30, 100].map(Duration::from_millis);
        let begun = Instant::now();
        let mut read = vec![];
        let why = stream(move || Ok(Drips(1, pause)), timeout).read_to_end(&mut read).expect_err("it drips");
        assert_eq!(why.kind(), ErrorKind::TimedOut);
        assert!(
            why.to_string().contains("bytes came within 0.1 s") && why.to_string().contains("--timeout"),
            "{why}"
        );
        assert!(read.len() <= 3 && begun.elapsed() < Duration::from_secs(20), "{} bytes", read.len());
        let mut flows =
            stream(move || Ok(Drips(PIECE, pause)), Duration::from_secs(60)).take(5 * PIECE as u64);
        read.clear();
        flows.read_to_end(&mut read).expect("read");
        assert_eq!(read, vec![7; 5 * PIECE]);
    }

    #[test]
    #[cfg(unix)]
    fn what_must_be_regular_is() {
        assert!(
            regular(Path::new("/dev/null")).is_err_and(|why| why.to_string().contains("not a regular file"))
        );
        assert!(regular(Path::new("/no/such")).is_err_and(|why| why.kind() == ErrorKind::NotFound));
    }
}
