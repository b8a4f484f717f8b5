//! Tags and key streams held against the vectors of Project Wycheproof: `vectors/wycheproof`.

use super::*;
use volery_gadgets::testing::cases;

/// Demands that texts are those of the vectors, and that a tag fits where its sum with a hash is the `pad` of the block
/// before them.
fn check(suite: Suite, text: &'static str, pad: impl Fn(&Keys, [&[u8]; 3]) -> bool) {
    for case in cases(text) {
        let [key, nonce, associated, plaintext, ciphertext, tag] = &case.values;
        let mut keys = Keys { suite, key: [0; 32], iv: nonce[..].try_into().unwrap() };
        keys.key[..suite.key()].copy_from_slice(key);
        assert_eq!(pad(&keys, [associated, ciphertext, tag]), case.is_valid, "{}", case.number);
        let stream = (suite.first_block()..).flat_map(|number| keys.stream(0, number).to_vec());
        assert!(ciphertext.iter().zip(stream).map(|(sent, byte)| sent ^ byte).eq(plaintext.iter().copied()));
    }
}

#[test]
fn tags_and_texts_by_aes_are_those_of_the_vectors() {
    let text = include_str!("../../../../../vectors/wycheproof/aes_128_gcm.txt");
    check(Suite::Aes128, text, |keys, [associated, ciphertext, tag]| {
        let hash = ghash(&keys.hash_key(0), associated, ciphertext);
        hash.iter().zip(tag).map(|(hash, tag)| hash ^ tag).eq(keys.stream(0, 1).iter().copied())
    });
}

#[test]
fn tags_and_texts_by_chacha20_are_those_of_the_vectors() {
    let text = include_str!("../../../../../vectors/wycheproof/chacha20_poly1305.txt");
    check(Suite::ChaCha20, text, |keys, [associated, ciphertext, tag]| {
        let mut key = [0; 32];
        key[..HASH_KEY].copy_from_slice(&keys.hash_key(0));
        let hash = u128::from_le_bytes(poly1305(&key, associated, ciphertext));
        let pad = u128::from_le_bytes(tag.try_into().unwrap()).wrapping_sub(hash);
        keys.stream(0, 0)[HASH_KEY..32] == pad.to_le_bytes()
    });
}
