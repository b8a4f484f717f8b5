//! Authorities that a prover believes: its own, whatever a verifier's policy demands beside them. Whoever relays the
//! connection may be the author of that policy, and would name an authority of its own.

use crate::error::{Error, Result};
use crate::tls::Roots;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The places at which systems keep a bundle of authorities, in PEM.
const BUNDLES: [&str; 6] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
    "/usr/local/share/certs/ca-root-nss.crt",
];

/// The end of a certificate in PEM.
const END: &str = "-----END CERTIFICATE-----";

/// The authorities in the file at `path`.
///
/// # Errors
/// `Invalid` where it cannot be read, or is no PEM of certificates.
pub fn of_file(path: &Path) -> Result<Roots> {
    Roots::from_pem(&read(path)?)
}

/// The authorities of this system: those of the file that `SSL_CERT_FILE` names, or of the first bundle that is there.
/// What of it is no certificate that can be used is left out.
///
/// # Errors
/// `Invalid` where there is none.
pub fn of_system() -> Result<Roots> {
    of_bundles(std::env::var_os("SSL_CERT_FILE"), &BUNDLES)
}

fn of_bundles(named: Option<OsString>, usual: &[&str]) -> Result<Roots> {
    let path = named.map(PathBuf::from);
    let path = path.or_else(|| usual.iter().map(PathBuf::from).find(|path| path.is_file()));
    let path = path.ok_or_else(|| Error::invalid("this system has no file of authorities where usual"))?;
    let text = String::from_utf8_lossy(&read(&path)?).into_owned();
    let is_usable = |certificate: &&str| Roots::from_pem(certificate.as_bytes()).is_ok();
    let usable: String = text.split_inclusive(END).filter(is_usable).collect();
    Roots::from_pem(usable.as_bytes()).map_err(|why| Error::invalid(format!("{}: {why}", path.display())))
}

fn read(path: &Path) -> Result<Vec<u8>> {
    let bytes = std::fs::read(path);
    bytes.map_err(|why| Error::invalid(format!("{}: it cannot be read: {why}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bundles_are_read() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/certificates/");
        let root = format!("{folder}root.pem");
        assert!(of_bundles(None, &["/no/such", &root]).is_ok());
        assert!(of_bundles(Some("/no/such".into()), &[&root]).is_err());
        assert!(of_bundles(None, &["/no/such"]).is_err());
        assert!(of_file(Path::new(&format!("{folder}bank.key"))).is_err());
    }
}
