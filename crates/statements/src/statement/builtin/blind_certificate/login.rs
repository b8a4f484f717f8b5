//! The line by which a client of SMTP logs in: `AUTH PLAIN ` (RFC 4954), the base64 of its
//! credentials (RFC 4616), CRLF.

use volery_channel::error::Result;
use volery_circuit::Backend;
use volery_gadgets::gadget::{Bit, Bytes, Word, base64_decode};
use volery_primitives::F2;

const COMMAND: &[u8] = b"AUTH PLAIN ";
const END: &[u8] = b"\r\n";

/// Bytes of the longest user name, and of the room that it has in a certificate.
pub(super) const IDENTITY: usize = 64;

/// The number of bytes of the line with `credentials` bytes of credentials.
pub(super) fn line_bytes(credentials: u64) -> u64 {
    (COMMAND.len() + END.len()) as u64 + 4 * credentials.div_ceil(3)
}

/// The user name and password of a login line.
pub(super) struct Login<W> {
    /// The user name, padded by NUL.
    pub(super) user: Bytes<W>,
    /// Whether the line is as it should be; else the user name means nothing.
    pub(super) valid: Bit<W>,
}

impl<W: Copy> Login<W> {
    /// Reads `line`, which has so many bytes of `credentials`: NUL, a user name, NUL and a password. Neither
    /// name nor password is empty or has a NUL in it, and the name has 64 bytes at most.
    ///
    /// # Errors
    /// `Invalid` where the line has another length; those of [`Backend::mul`].
    pub(super) fn read<B: Backend<F = F2, Wire = W>>(
        b: &mut B,
        line: &Bytes<W>,
        credentials: usize,
    ) -> Result<Self> {
        let text = COMMAND.len()..line.len() - END.len();
        let command = line.slice(0..text.start).equal(b, &Bytes::public(COMMAND))?;
        let end = line.slice(text.end..line.len()).equal(b, &Bytes::public(END))?;
        let framed = command.and(b, end)?;
        let (credentials, is_base64) = base64_decode(b, &line.slice(text), credentials)?;
        let (user, is_plain) = split(b, &credentials)?;
        let valid = framed.and(b, is_base64)?;
        Ok(Self { user, valid: valid.and(b, is_plain)? })
    }
}

/// The user name in credentials, padded, and whether they have one and a password.
fn split<W: Copy, B: Backend<F = F2, Wire = W>>(
    b: &mut B,
    credentials: &Bytes<W>,
) -> Result<(Bytes<W>, Bit<W>)> {
    let last = credentials.len() - 1;
    let mut user = Vec::with_capacity(IDENTITY);
    let mut valid = credentials.byte(0).is_zero(b)?;
    // Whether the user name has not ended before the byte at `at`.
    let mut inside = Bit::Public(true);
    for (at, byte) in credentials.iter().enumerate().skip(1) {
        let is_nul = byte.is_zero(b)?;
        let other = is_nul.not(b);
        // The NUL that ends the name is what it is padded by.
        if user.len() < IDENTITY {
            user.push(byte.and(b, &Word::new([inside; 8]))?);
        }
        let allowed = match at {
            // Else one of the two is empty.
            1 => other,
            _ if at == last => other,
            // Beyond the end there is no other NUL.
            _ => inside.or(b, other)?,
        };
        valid = valid.and(b, allowed)?;
        inside = inside.and(b, other)?;
        if at == IDENTITY + 1 {
            let ended = inside.not(b);
            valid = valid.and(b, ended)?;
        }
    }
    let ended = inside.not(b);
    let valid = valid.and(b, ended)?;
    user.resize(IDENTITY, Word::public(0));
    Ok((user.into_iter().collect(), valid))
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine;
    use base64::prelude::BASE64_STANDARD;
    use volery_gadgets::testing::{bit_value, evaluation, secret, value};

    /// The user name that the gates read.
    fn read(line: &[u8], credentials: usize) -> Option<Vec<u8>> {
        let line = line.iter().map(|&byte| secret(byte.into())).collect();
        let login = Login::read(&mut evaluation(), &line, credentials).unwrap();
        assert_eq!(login.user.len(), IDENTITY);
        bit_value(login.valid).then(|| login.user.iter().map(|byte| value(*byte) as u8).collect())
    }

    fn line(credentials: &[u8]) -> Vec<u8> {
        let line = [COMMAND, BASE64_STANDARD.encode(credentials).as_bytes(), END].concat();
        assert_eq!(line.len() as u64, line_bytes(credentials.len() as u64));
        line
    }

    fn of(credentials: &[u8]) -> Option<Vec<u8>> {
        read(&line(credentials), credentials.len())
    }

    fn padded(user: &[u8]) -> Option<Vec<u8>> {
        let mut user = user.to_vec();
        user.resize(IDENTITY, 0);
        Some(user)
    }

    #[test]
    fn user_names_are_read() {
        assert_eq!(of(b"\0u\0p"), padded(b"u"));
        assert_eq!(of(b"\0ann@mail.example\0secret"), padded(b"ann@mail.example"));
        assert_eq!(of(b"\0ann@mail.example\0s"), padded(b"ann@mail.example"));
        assert_eq!(of("\0ännchen\0pässwörd".as_bytes()), padded("ännchen".as_bytes()));
        for length in [1, 62, 63, 64] {
            let user = vec![b'x'; length];
            for password in [1, 2, 80] {
                assert_eq!(of(&[b"\0", &user[..], b"\0", &vec![b'y'; password]].concat()), padded(&user));
            }
        }
    }

    #[test]
    fn wrong_credentials_are_none() {
        let long = |length: usize| [b"\0", &vec![b'x'; length][..], b"\0password"].concat();
        for wrong in [
            &b"authorized\0user\0password"[..],
            b"\0\0password",
            b"\0user\0",
            b"\0user",
            b"user\0pass",
            b"\0us\0er\0password",
            b"\0user\0pass\0word",
            b"\0user\0password\0",
            b"\0user\0\0",
            b"\0\0\0\0",
            &long(65),
            &long(66),
            &long(200),
        ] {
            assert_eq!(of(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn wrong_lines_are_none() {
        let right = line(b"\0user\0password");
        for at in (0..11).chain(right.len() - 2..right.len()) {
            let mut wrong = right.clone();
            wrong[at] ^= 32;
            assert_eq!(read(&wrong, 14), None, "{at}");
        }
        for character in [b'=', b'\r', b'-', 0, 200] {
            let mut wrong = right.clone();
            wrong[13] = character;
            assert_eq!(read(&wrong, 14), None, "{character}");
        }
    }
}
