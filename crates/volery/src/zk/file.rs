//! Reading what is to be a proof.

use crate::error::{Error, Rejection, Result};
use std::io::{ErrorKind, Read};

/// Fills `bytes` from a proof.
///
/// # Errors
/// `Rejected` where it ends before; `Io`.
pub(crate) fn read_proof(from: &mut dyn Read, bytes: &mut [u8]) -> Result<()> {
    from.read_exact(bytes).map_err(|why| match why.kind() {
        ErrorKind::UnexpectedEof => Error::Rejected(Rejection::EndsEarly),
        _ => Error::io("reading the proof")(why),
    })
}

/// Nothing may follow.
///
/// # Errors
/// `Rejected` where something does; `Io`.
pub(crate) fn expect_end(from: &mut dyn Read) -> Result<()> {
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
