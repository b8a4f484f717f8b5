//! Reading and writing proof files.

use std::io::{ErrorKind, Read, Seek, Write};
use volery_channel::error::{Error, Rejection, Result};

/// A place for a proof whose first bytes are known last.
pub trait Sink: Write + Seek {}

impl<T: Write + Seek + ?Sized> Sink for T {}

/// Fills `bytes` from a proof.
///
/// # Errors
/// `Rejected` where it ends before; `Io`.
pub fn read_proof(from: &mut dyn Read, bytes: &mut [u8]) -> Result<()> {
    from.read_exact(bytes).map_err(|why| match why.kind() {
        ErrorKind::UnexpectedEof => Error::Rejected(Rejection::EndsEarly),
        _ => Error::io("reading the proof")(why),
    })
}

/// Demands the end of the proof.
///
/// # Errors
/// `Rejected` where something does; `Io`.
pub fn expect_end(from: &mut dyn Read) -> Result<()> {
    let mut byte = [0];
    loop {
        return match from.read(&mut byte) {
            Ok(0) => Ok(()),
            Ok(_) => Err(Error::Rejected(Rejection::BytesBehindProof)),
            Err(why) if why.kind() == ErrorKind::Interrupted => continue,
            Err(why) => Err(Error::io("reading the proof")(why)),
        };
    }
}

/// The error of a proof that cannot be written.
pub fn unwritten(why: std::io::Error) -> Error {
    Error::io("writing the proof")(why)
}
