//! Traces of model checkers, `.aiw`, as private values.

use std::ffi::OsString;
use std::io::Read;
use std::path::Path;
use std::time::Duration;
use volery_cli::failure::{Failure, Result};
use volery_cli::values::{PRIVATE, is_value};
use volery_cli::waiting;
use zeroize::Zeroizing;

/// The most bytes of a trace.
const LONGEST: u64 = 1 << 30;

/// The bytes at its begin that tell whether it is one.
const BEGIN: usize = 1 << 12;

/// The text of a file that is a trace; none where it is something else, which is for others to read.
pub(crate) fn trace(argument: &OsString) -> Result<Option<Zeroizing<Vec<u8>>>> {
    let path = Path::new(argument);
    if is_value(argument) || !path.is_file() {
        return Ok(None);
    }
    let unread = |why| Failure::usage(why).at(path.display()).at(PRIVATE);
    let file = waiting::open(path, Duration::from_secs(1)).map_err(unread)?;
    // What grows leaves a copy behind.
    let length = file.length().unwrap_or(LONGEST).min(LONGEST) as usize;
    let mut text = Zeroizing::new(Vec::with_capacity(length + 1));
    let mut file = file.take(LONGEST);
    file.by_ref().take(BEGIN as u64).read_to_end(&mut text).map_err(unread)?;
    if !begins(&text) {
        return Ok(None);
    }
    file.read_to_end(&mut text).map_err(unread)?;
    Ok(Some(text))
}

/// Whether a file that begins so is a trace, and has no names: its first line is a status, or values of latches.
fn begins(begin: &[u8]) -> bool {
    let mut lines = begin.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii_end);
    let first = lines.find(|line| !line.starts_with(b"c") || line.contains(&b'='));
    first.is_some_and(|line| !line.is_empty() && line.iter().all(|byte| matches!(byte, b'0'..=b'2' | b'x')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traces_are_told_by_their_first_line() {
        for trace in ["1\nb0\n0\n", "c by hand\n1\r\nb0\n", "00x1\n01\n", "2\n"] {
            assert!(begins(trace.as_bytes()), "{trace}");
        }
        for other in ["", "a=0b1\n", "c=0b1\n1\n", "# c\na=0b1\n", "secret\n", "wtns\x02\0\0\0", "{\"a\": 1}"]
        {
            assert!(!begins(other.as_bytes()), "{other}");
        }
    }
}
