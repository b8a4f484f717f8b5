//! Gadgets held against the vectors of Project Wycheproof, which has the corner cases that others got wrong:
//! `vectors/wycheproof`.

use super::{Bytes, Gcm, Hkdf, Sha256, bits_of, hmac};
use crate::testing::{Case, cases, evaluate};
use volery_channel::error::{Error, Result};
use volery_circuit::stream::{Handle, Recorder};
use volery_primitives::F2;

/// Demands that `ended` is how a case has it: where it is invalid, by the assertion of this name.
#[track_caller]
fn check<const N: usize>(case: &Case<N>, ended: Result<()>, name: &str) {
    match ended {
        Ok(()) => assert!(case.is_valid, "{}", case.number),
        Err(Error::Unsatisfied(found)) => {
            assert!(!case.is_valid && found.starts_with(name), "{}: {found}", case.number);
        }
        Err(error) => panic!("{}: {error}", case.number),
    }
}

#[test]
fn codes_are_those_of_the_vectors() {
    for case in cases(include_str!("../../../../vectors/wycheproof/hmac_sha256.txt")) {
        let [key, message, code] = &case.values;
        let ended = evaluate(bits_of(&[&key[..], message].concat()), |b| {
            let (key, message) = (Bytes::witness(b, key.len())?, Bytes::witness(b, message.len())?);
            hmac::<Sha256<_>, _>(b, &key, &message)?.assert_equal(b, code, "code")
        });
        check(&case, ended, "code");
    }
}

#[test]
fn expansions_are_those_of_the_vectors() {
    for case in cases(include_str!("../../../../vectors/wycheproof/hkdf_sha256.txt")) {
        let [material, salt, information, length, expanded] = &case.values;
        let length = usize::from(u16::from_be_bytes(length[..].try_into().unwrap()));
        let ended = evaluate(bits_of(&[&material[..], salt].concat()), |b| {
            let (material, salt) = (Bytes::witness(b, material.len())?, Bytes::witness(b, salt.len())?);
            let key = Hkdf::<Sha256<_>>::extract(b, &salt, &material)?;
            let expansion =
                Hkdf::<Sha256<_>>::new(b, &key)?.expand(b, &Bytes::public(information), length)?;
            expansion.assert_equal(b, expanded, "expansion")
        });
        // No assertion, but a length beyond any.
        match ended {
            Err(Error::Invalid(why)) => assert!(!case.is_valid && why.contains("8160 bytes at most")),
            ended => check(&case, ended, "expansion"),
        }
    }
}

/// The plaintext of a ciphertext under a key and a nonce, with associated data, and the tag that it has.
type Open = fn(&mut Recorder<'_, F2>, [&Bytes<Handle>; 4]) -> Result<(Bytes<Handle>, Bytes<Handle>)>;

/// Opens all cases of a file. Key and nonce are secret; what is sent is public, as where it is recorded.
fn open_all(text: &'static str, open: Open) {
    for case in cases(text) {
        let [key, nonce, associated, plaintext, ciphertext, tag] = &case.values;
        let ended = evaluate(bits_of(&[&key[..], nonce].concat()), |b| {
            let (key, nonce) = (Bytes::witness(b, key.len())?, Bytes::witness(b, nonce.len())?);
            let (associated, ciphertext) = (Bytes::public(associated), Bytes::public(ciphertext));
            let (opened, expected) = open(b, [&key, &nonce, &associated, &ciphertext])?;
            expected.assert_equal(b, tag, "tag")?;
            opened.assert_equal(b, plaintext, "plaintext")
        });
        check(&case, ended, "tag");
    }
}

#[test]
fn texts_are_opened_by_galois_mode() {
    let text = include_str!("../../../../vectors/wycheproof/aes_128_gcm.txt");
    open_all(text, |b, [key, nonce, associated, text]| Gcm::new(b, key)?.decrypt(b, nonce, associated, text));
}
