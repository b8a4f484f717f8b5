//! The key by which a party is known, and the file that holds it.

use super::{Identity, provider};
use crate::error::{Error, Result};
use crate::file::open_regular;
use pem_rfc7468::LineEnding;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::sign::{CertifiedKey, SigningKey};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Arc;
use zeroize::Zeroizing;

/// The bytes of an unencrypted PKCS #8 file (RFC 8410) before the seed of an Ed25519 key.
const PKCS8: [u8; 16] = [0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20];
/// The bytes of such a file.
const LENGTH: usize = PKCS8.len() + 32;
/// The label of the file's text, by which other tools know it, too.
const LABEL: &str = "PRIVATE KEY";
/// A length in bytes beyond that of any such text.
const LONGEST: u64 = 4096;

/// The Ed25519 private key of a party.
pub struct SecretKey {
    seed: Zeroizing<[u8; 32]>,
    signing: Arc<dyn SigningKey>,
    identity: Identity,
}

impl SecretKey {
    /// Makes a new key.
    ///
    /// # Errors
    /// Where the operating system has no randomness, or this machine lacks what the link needs.
    pub fn generate() -> Result<Self> {
        let mut seed = Zeroizing::new([0; 32]);
        getrandom::fill(&mut *seed).map_err(|why| Error::Io {
            doing: "asking the operating system for randomness",
            source: why.into(),
        })?;
        Self::from_seed(&seed)
    }

    /// The key that follows from this seed (RFC 8032).
    pub(super) fn from_seed(seed: &[u8; 32]) -> Result<Self> {
        let signing = signing_key(seed)?;
        let identity =
            signing.public_key().and_then(|spki| Identity::from_spki(&spki)).expect("of an Ed25519 key");
        Ok(Self { seed: Zeroizing::new(*seed), signing, identity })
    }

    /// Reads PEM text with an unencrypted Ed25519 key in PKCS #8, such as [`SecretKey::to_pem`] gives.
    ///
    /// # Errors
    /// `Invalid` where it is something else.
    pub fn from_pem(text: &[u8]) -> Result<Self> {
        let mut der = Zeroizing::new([0; LENGTH]);
        let decoded = pem_rfc7468::decode(text.trim_ascii_start(), &mut *der);
        let seed = match decoded {
            Ok((LABEL, bytes)) => {
                bytes.strip_prefix(&PKCS8).and_then(|seed| <&[u8; 32]>::try_from(seed).ok())
            }
            _ => None,
        };
        let none =
            "it holds no Ed25519 private key in PEM, such as `volery key new` writes, or an encrypted one";
        Self::from_seed(seed.ok_or_else(|| Error::invalid(none))?)
    }

    /// The key as PEM text (PKCS #8).
    pub fn to_pem(&self) -> Zeroizing<String> {
        let mut der = Zeroizing::new([0; LENGTH]);
        der[..PKCS8.len()].copy_from_slice(&PKCS8);
        der[PKCS8.len()..].copy_from_slice(&*self.seed);
        Zeroizing::new(pem_rfc7468::encode_string(LABEL, LineEnding::LF, &*der).expect("a short text"))
    }

    /// Reads the key in the file at `path`, which on Unix nobody but its owner may read.
    ///
    /// # Errors
    /// `Io`; `Invalid` where it holds no key, is no regular file, or others may read it.
    pub fn read(path: &Path) -> Result<Self> {
        let unread = || Error::io("reading the key");
        let file = open_regular(path).map_err(unread())?;
        let file = file.ok_or_else(|| Error::invalid("this is no regular file: copy the key to one"))?;
        if others_may_read(&file).map_err(unread())? {
            return Err(Error::invalid("others on this machine may read this key: `chmod 600` it"));
        }
        let mut text = Zeroizing::new(Vec::with_capacity(LONGEST as usize));
        file.take(LONGEST).read_to_end(&mut text).map_err(unread())?;
        Self::from_pem(&text)
    }

    /// Writes the key to a new file at `path`, which on Unix its owner alone may read (mode 0600).
    ///
    /// # Errors
    /// `Io`, where there is a file, too.
    pub fn write_new(&self, path: &Path) -> Result<()> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let written = options.open(path).and_then(|mut file| {
            file.write_all(self.to_pem().as_bytes())?;
            file.sync_all()
        });
        written.map_err(Error::io("writing the key"))
    }

    /// The identity of the party that has this key.
    pub const fn identity(&self) -> Identity {
        self.identity
    }

    /// The key that signs.
    pub(super) fn signing(&self) -> &dyn SigningKey {
        &*self.signing
    }

    /// The signing key for TLS, with the public key in the place of a certificate.
    pub(super) fn certified(&self) -> Arc<CertifiedKey> {
        Arc::new(CertifiedKey::new(vec![self.identity.to_spki().into()], self.signing.clone()))
    }
}

/// The key that signs, of the provider. It takes the bytes of a file, and frees them without wiping them: so it is made
/// once for a key.
fn signing_key(seed: &[u8; 32]) -> Result<Arc<dyn SigningKey>> {
    let der = PrivatePkcs8KeyDer::from([&PKCS8[..], seed].concat());
    let key = provider()?.key_provider.load_private_key(PrivateKeyDer::Pkcs8(der));
    Ok(key.expect("an Ed25519 key of 32 bytes"))
}

#[cfg(unix)]
fn others_may_read(file: &File) -> io::Result<bool> {
    Ok(std::os::unix::fs::MetadataExt::mode(&file.metadata()?) & 0o077 != 0)
}

#[cfg(not(unix))]
fn others_may_read(_: &File) -> io::Result<bool> {
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 8032, section 7.1, test 1.
    const SEED: [u8; 32] = [
        0x9d, 0x61, 0xb1, 0x9d, 0xef, 0xfd, 0x5a, 0x60, 0xba, 0x84, 0x4a, 0xf4, 0x92, 0xec, 0x2c, 0xc4, 0x44,
        0x49, 0xc5, 0x69, 0x7b, 0x32, 0x69, 0x19, 0x70, 0x3b, 0xac, 0x03, 0x1c, 0xae, 0x7f, 0x60,
    ];
    const PUBLIC: [u8; 32] = [
        0xd7, 0x5a, 0x98, 0x01, 0x82, 0xb1, 0x0a, 0xb7, 0xd5, 0x4b, 0xfe, 0xd3, 0xc9, 0x64, 0x07, 0x3a, 0x0e,
        0xe1, 0x72, 0xf3, 0xda, 0xa6, 0x23, 0x25, 0xaf, 0x02, 0x1a, 0x68, 0xf7, 0x07, 0x51, 0x1a,
    ];

    #[test]
    fn the_public_key_is_that_of_the_standard() {
        assert_eq!(SecretKey::from_seed(&SEED).unwrap().identity().to_bytes(), PUBLIC);
    }

    #[test]
    fn text_comes_back_and_other_text_is_refused() {
        let key = SecretKey::from_seed(&SEED).unwrap();
        let text = key.to_pem();
        assert!(
            text.starts_with("-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ1hsZ3v"),
            "{}",
            &text[..40]
        );
        assert_eq!(SecretKey::from_pem(text.as_bytes()).unwrap().identity(), key.identity());
        let crlf = text.replace('\n', "\r\n");
        assert_eq!(SecretKey::from_pem(crlf.as_bytes()).unwrap().identity(), key.identity());
        let others = [
            String::new(),
            "volery".into(),
            text.replace("PRIVATE", "PUBLIC"),
            text.replace("MC4C", "MC4D"),
            text.replace("MC4C", "MC4"),
            text[..text.len() - 30].into(),
        ];
        for other in others {
            assert!(matches!(SecretKey::from_pem(other.as_bytes()), Err(Error::Invalid(_))), "{other}");
        }
    }

    #[test]
    fn files_are_their_owners_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        let key = SecretKey::generate().unwrap();
        key.write_new(&path).unwrap();
        assert_eq!(SecretKey::read(&path).unwrap().identity(), key.identity());
        assert!(matches!(key.write_new(&path), Err(Error::Io { .. })));
        assert_ne!(SecretKey::generate().unwrap().identity(), key.identity());
        #[cfg(unix)]
        {
            let refused = SecretKey::read(Path::new("/dev/null")).err().unwrap().to_string();
            assert!(refused.contains("no regular file"), "{refused}");
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
            std::fs::set_permissions(&path, PermissionsExt::from_mode(0o640)).unwrap();
            let refused = SecretKey::read(&path).err().unwrap().to_string();
            assert!(refused.contains("chmod 600"), "{refused}");
        }
    }
}
