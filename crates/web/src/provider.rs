//! The cryptography of TLS, the one that links use.

use crate::error::{Error, Result};
use crate::tls::Suite;
use rustls::crypto::CryptoProvider;

/// The provider of keys, suites and signatures.
///
/// # Errors
/// `Invalid` where this machine has not what its assembly takes.
pub(crate) fn provider() -> Result<CryptoProvider> {
    if !volery_primitives::has_tls_instructions() {
        return Err(Error::invalid(
            "this machine cannot speak TLS, for which an x86-64 one needs AES, PCLMULQDQ, AVX2, BMI2 and ADX (as \
             since 2015), and an arm64 one AES, PMULL and SHA-2",
        ));
    }
    Ok(implementation())
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn implementation() -> CryptoProvider {
    rustls_graviola::default_provider()
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn implementation() -> CryptoProvider {
    unreachable!("another machine has no instructions for it")
}

/// The provider's implementation of a suite.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) fn implementation_of(suite: Suite) -> &'static rustls::Tls13CipherSuite {
    let suite = match suite {
        Suite::Aes128 => rustls_graviola::suites::TLS13_AES_128_GCM_SHA256,
        Suite::ChaCha20 => rustls_graviola::suites::TLS13_CHACHA20_POLY1305_SHA256,
    };
    suite.tls13().expect("a suite of TLS 1.3")
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) fn implementation_of(_: Suite) -> &'static rustls::Tls13CipherSuite {
    unreachable!("another machine has no instructions for it")
}
