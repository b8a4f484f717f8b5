use super::*;
use crate::gadget::bits_of;
use crate::testing::evaluate;
use ::chacha20::cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};
use volery_circuit::stream::{Handle, Stream};
use volery_circuit::{Circuit, Shape};

/// Blocks of a key and a nonce on wires.
struct Blocks<'n>(&'n [u32]);

impl<B: Backend<F = F2>> Circuit<B> for Blocks<'_> {
    fn run(&self, b: &mut B) -> Result<()> {
        blocks(b, self.0).map(drop)
    }
}

fn blocks<B: Backend<F = F2>>(b: &mut B, numbers: &[u32]) -> Result<Vec<Bytes<B::Wire>>> {
    let (key, nonce) = (Bytes::witness(b, 32)?, Bytes::witness(b, 12)?);
    ChaCha20::new(&key)?.blocks(b, &nonce, numbers)
}

/// Demands that these are blocks of the key stream of `key` for `nonce`.
fn check(key: &[u8], nonce: &[u8], expected: &[(u32, Vec<u8>)]) {
    let numbers: Vec<_> = expected.iter().map(|(number, _)| *number).collect();
    let agreed = evaluate(bits_of(&[key, nonce].concat()), |b| {
        let found = blocks(b, &numbers)?;
        assert_eq!(found.len(), numbers.len());
        for (found, (number, block)) in found.iter().zip(expected) {
            found.assert_equal(b, block, number)?;
        }
        // Of what is public all folds.
        let public =
            ChaCha20::new(&Bytes::<Handle>::public(key))?.blocks(b, &Bytes::public(nonce), &numbers)?;
        for (found, (number, block)) in public.iter().zip(expected) {
            assert!(found.iter().all(Word::is_public));
            found.assert_equal(b, block, number)?;
        }
        Ok(())
    });
    agreed.unwrap();
}

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len() / 2).map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap()).collect()
}

/// RFC 8439, section 2.3.2, and vectors 1 and 2 of appendix A.1.
#[test]
fn published_blocks() {
    let counting: Vec<u8> = (0..32).collect();
    let block = "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4ed2826446079faa0914c2d705d98b02a2b5129cd1de16\
                 4eb9cbd083e8a2503c4e";
    check(&counting, &bytes("000000090000004a00000000"), &[(1, bytes(block))]);

    let zeros = [0; 32];
    let first = "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7da41597c5157488d7724e03fb8d84a376a43b8f41518\
                 a11cc387b669b2ee6586";
    let second = "9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed29b721769ce64e43d57133b074d839d531ed1f28510a\
                  fb45ace10a1f4b794d6f";
    check(&zeros, &[0; 12], &[(1, bytes(second)), (0, bytes(first))]);
}

#[test]
fn blocks_agree_with_an_outside_implementation() {
    let key: Vec<u8> = (0..32).map(|i: u8| i.wrapping_mul(37) ^ 5).collect();
    let nonce: Vec<u8> = (0..12).map(|i: u8| i.wrapping_mul(91) ^ 17).collect();
    let block = |number: u32| {
        let mut cipher = ::chacha20::ChaCha20::new_from_slices(&key, &nonce).unwrap();
        cipher.seek(u64::from(number) * 64);
        let mut block = vec![0; 64];
        cipher.apply_keystream(&mut block);
        (number, block)
    };
    check(&key, &nonce, &[block(u32::MAX - 1), block(0), block(1 << 16)]);
    // Many are a map.
    check(&key, &nonce, &(0..9).map(block).collect::<Vec<_>>());
}

#[test]
fn ands_of_blocks_are_pinned() {
    let of = |numbers: &[u32]| Shape::without_depth::<F2>(&Blocks(numbers)).unwrap().mul;
    assert_eq!(of(&[]), 0);
    assert_eq!(of(&[0]), 457 + 9912);
    assert_eq!(of(&[1]), 457 + 9942);
    assert_eq!(of(&[0, 1, 2]), 457 + 9912 + 9942 + 9941);
    let numbers: Vec<_> = (0..TOGETHER as u32 + 1).map(|i| 2 * i + 1).collect();
    for length in [7, 8, TOGETHER + 1] {
        assert_eq!(of(&numbers[..length]), 457 + 9942 * length as u64);
        assert_eq!(Stream::new(&Blocks(&numbers[..length])).maps().unwrap(), length >= 8);
    }
}

#[test]
fn lengths_are_bounded() {
    let refused = |key: usize, nonce: usize| {
        let tried = evaluate(bits_of(&vec![0; key + nonce]), |b| {
            let (key, nonce) = (Bytes::witness(b, key)?, Bytes::witness(b, nonce)?);
            ChaCha20::new(&key)?.blocks(b, &nonce, &[0]).map(drop)
        });
        tried.unwrap_err().to_string()
    };
    assert!(refused(31, 12).contains("a key of ChaCha20 has 32 bytes, and not 31"));
    assert!(refused(32, 13).contains("a nonce of ChaCha20 has 12 bytes, and not 13"));
}
