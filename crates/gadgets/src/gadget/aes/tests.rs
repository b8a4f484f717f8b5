use super::*;
use crate::gadget::{Holes, bits_of};
use crate::testing::{ands, evaluate};
use aes::cipher::{BlockCipherEncrypt, KeyInit};
use aes_gcm::aead::{Aead, Payload};
use volery_circuit::stream::{Handle, Recorder, Stream};
use volery_circuit::{Circuit, Shape};

/// A circuit that a closure pushes.
struct Of<T>(T);

impl<B: Backend<F = F2>, T: Fn(&mut B) -> Result<()>> Circuit<B> for Of<T> {
    fn run(&self, b: &mut B) -> Result<()> {
        (self.0)(b)
    }
}

fn some_bytes(length: usize, seed: u8) -> Vec<u8> {
    (0..length).map(|i| (i as u8).wrapping_mul(37) ^ seed.wrapping_mul(i as u8 | 11)).collect()
}

#[test]
fn all_bytes_are_substituted_as_in_the_standard() {
    for byte in 0..=255 {
        // By definition: the inverse is the power 254, and the map is written out bit by bit.
        let inverse = (0..254).fold(1, |power, _| field::mul(power, byte));
        let expected: u8 = (0..8).fold(0x63, |sum, i| {
            let bits = [0, 4, 5, 6, 7].map(|by| inverse >> ((i + by) % 8) & 1);
            sum ^ bits.iter().fold(0, |sum, bit| sum ^ bit) << i
        });
        let substituted = evaluate(bits_of(&[byte]), |b| {
            let word = Word::witness(b)?;
            let result = substitute(b, &word)?;
            result.assert_equal(b, &Word::public(expected.into()), &byte)?;
            let result = substitute(b, &Word::public(byte.into()))?;
            assert!(result.is_public());
            result.assert_equal(b, &Word::public(expected.into()), &byte)
        });
        substituted.unwrap();
    }
}

/// Committed inverses substitute bytes as gates do, on wires and public, and side by side.
#[test]
fn all_bytes_are_substituted_by_inverses() {
    let all: Vec<u8> = (0..=255).collect();
    let expected = evaluate(vec![], |b| {
        let bytes: Vec<Byte<_>> = all.iter().map(|byte| Word::public((*byte).into())).collect();
        let gates = <Gates as SubBytes<_>>::substitute(b, &bytes)?;
        let holes = <Holes as SubBytes<_>>::substitute(b, &bytes)?;
        gates.iter().zip(&holes).try_for_each(|(gates, holes)| gates.assert_equal(b, holes, "public"))
    });
    expected.unwrap();
    let substituted = evaluate(bits_of(&all), |b| {
        let mut bytes = all.iter().map(|_| Word::witness(b)).collect::<Result<Vec<Byte<_>>>>()?;
        // Some are public among those that are not.
        bytes[5] = Word::public(5);
        let gates = <Gates as SubBytes<_>>::substitute(b, &bytes)?;
        let holes = <Holes as SubBytes<_>>::substitute(b, &bytes)?;
        gates.iter().zip(&holes).try_for_each(|(gates, holes)| gates.assert_equal(b, holes, "secret"))
    });
    substituted.unwrap();
}

/// Any other byte in the place of the inverse of any byte is refused.
#[test]
fn wrong_inverses_are_refused() {
    for x in [0_u8, 1, 2, 0x53, 0xff] {
        for by in 1..=255 {
            let refused = evaluate(bits_of(&[7, x, 9]), |b| {
                let bytes = (0..3).map(|_| Word::witness(b)).collect::<Result<Vec<Byte<_>>>>()?;
                let alter = move |number, inverse| if number == 1 { inverse ^ by } else { inverse };
                inverses::substitute(b, &bytes, alter).map(drop)
            });
            let why = refused.unwrap_err().to_string();
            assert!(why.contains("bits of inverses"), "{x}, {by}: {why}");
        }
    }
}

/// Encrypts a witness block under a witness key.
fn check_block(key: &[u8], block: &[u8], expected: &[u8]) {
    let encrypted = evaluate(bits_of(&[key, block].concat()), |b| {
        let key = Bytes::witness(b, 16)?;
        let block = Bytes::witness(b, 16)?;
        let cipher = Aes128::new(b, &key)?;
        let result = cipher.encrypt(b, &block)?;
        result.assert_equal(b, expected, "ciphertext")?;
        let by_inverses = Aes128::<_, Holes>::expand(b, &key)?;
        let result = by_inverses.encrypt(b, &block)?;
        result.assert_equal(b, expected, "ciphertext by inverses")
    });
    encrypted.unwrap();
}

/// FIPS 197, appendices B and C.1.
#[test]
fn published_blocks() {
    let bytes = |number: u128| number.to_be_bytes();
    check_block(
        &bytes(0x2b7e1516_28aed2a6_abf71588_09cf4f3c),
        &bytes(0x3243f6a8_885a308d_313198a2_e0370734),
        &bytes(0x3925841d_02dc09fb_dc118597_196a0b32),
    );
    check_block(
        &bytes(0x00010203_04050607_08090a0b_0c0d0e0f),
        &bytes(0x00112233_44556677_8899aabb_ccddeeff),
        &bytes(0x69c4e0d8_6a7b0430_d8cdb780_70b4c55a),
    );
}

#[test]
fn blocks_agree_with_an_outside_implementation() {
    for seed in 0..20 {
        let (key, block) = (some_bytes(16, seed), some_bytes(16, seed ^ 0x55));
        let mut expected = aes::Block::try_from(&block[..]).unwrap();
        aes::Aes128::new_from_slice(&key).unwrap().encrypt_block(&mut expected);
        check_block(&key, &block, &expected);
    }
}

#[test]
fn ands_of_blocks_are_pinned() {
    fn keyed(b: &mut Recorder<'_, F2>, length: usize) -> Result<Aes128<Handle>> {
        let key = Bytes::witness(b, length)?;
        Aes128::new(b, &key)
    }
    assert_eq!(ands(|b| keyed(b, 16).map(drop)), 40 * 32);
    let block = ands(|b| {
        let block = Bytes::witness(b, 16)?;
        keyed(b, 16)?.encrypt(b, &block).map(drop)
    });
    assert_eq!(block, 200 * 32);
    let by_inverses = Of(|b: &mut Recorder<'_, F2>| {
        let (key, block) = (Bytes::witness(b, 16)?, Bytes::public(&[7; 16]));
        let result = Aes128::<_, Holes>::expand(b, &key)?.encrypt(b, &block)?;
        result.assert_equal(b, &[0; 16], "ciphertext")
    });
    let shape = Shape::of(&by_inverses).unwrap();
    assert_eq!((shape.size().commitments, shape.size().degree, shape.mul), (1728, 2, 0));
    let short = Of(|b: &mut Recorder<'_, F2>| keyed(b, 15).map(drop));
    let refused = Shape::of(&short).unwrap_err().to_string();
    assert!(refused.contains("a key of AES-128 has 16 bytes, and not 15"), "{refused}");
}

/// Adds the key stream of counter mode to a text, by an outside implementation.
fn counted(key: &[u8], counter: u128, text: &[u8]) -> Vec<u8> {
    let cipher = aes::Aes128::new_from_slice(key).unwrap();
    let pieces = text.chunks(16).zip(0u32..).flat_map(|(piece, at)| {
        let number = (counter as u32).wrapping_add(at);
        let mut block = aes::Block::from((counter >> 32 << 32 | u128::from(number)).to_be_bytes());
        cipher.encrypt_block(&mut block);
        piece.iter().zip(block).map(|(byte, by)| byte ^ by).collect::<Vec<_>>()
    });
    pieces.collect()
}

/// Blocks of counter mode: those of SP 800-38A appendix F.5.1, which are few, and many, which are mapped, of which the
/// last is a part, and the counter ends in between.
#[test]
fn counter_mode_agrees_with_an_outside_implementation() {
    let bytes = |words: &[u128]| words.iter().flat_map(|word| word.to_be_bytes()).collect::<Vec<_>>();
    let key = bytes(&[0x2b7e1516_28aed2a6_abf71588_09cf4f3c]);
    let counter = 0xf0f1f2f3_f4f5f6f7_f8f9fafb_fcfdfeff;
    let text = bytes(&[
        0x6bc1bee2_2e409f96_e93d7e11_7393172a,
        0xae2d8a57_1e03ac9c_9eb76fac_45af8e51,
        0x30c81c46_a35ce411_e5fbc119_1a0a52ef,
        0xf69f2445_df4f9b17_ad2b417b_e66c3710,
    ]);
    let expected = bytes(&[
        0x874d6191_b620e326_1bef6864_990db6ce,
        0x9806f66b_7970fdff_8617187b_b9fffdff,
        0x5ae4df3e_dbd5d35e_5b4f0902_0db03eab,
        0x1e031dda_2fbe03d1_792170a0_f3009cee,
    ]);
    assert_eq!(counted(&key, counter, &text), expected);
    let check = |counter: u128, text: &[u8]| {
        let expected = counted(&key, counter, text);
        let agreed = evaluate(bits_of(&[&key, text].concat()), |b| {
            let (key, text) = (Bytes::witness(b, 16)?, Bytes::witness(b, text.len())?);
            let counter = Bytes::public(&counter.to_be_bytes());
            let result = Aes128::new(b, &key)?.count(b, &counter, &text)?;
            result.assert_equal(b, &expected, "text")?;
            let result = Aes128::<_, Holes>::expand(b, &key)?.count(b, &counter, &text)?;
            result.assert_equal(b, &expected, "text by inverses")
        });
        agreed.unwrap();
    };
    check(counter, &text);
    for length in [0, 1, 7 * 16, 7 * 16 + 1, 8 * 16, TOGETHER * 16 + 17] {
        check(counter | 0xffff_fff9, &some_bytes(length, 8));
    }
}

/// Maps take as many ANDs as blocks one by one, and are there from eight blocks on, unless blocks differ in
/// bits that are public and spare gates; of a public key nothing is left.
#[test]
fn blocks_of_counter_mode_are_mapped_where_they_are_many() {
    fn text<S: for<'r> SubBytes<Recorder<'r, F2>>>(
        b: &mut Recorder<'_, F2>,
        key: &Bytes<Handle>,
        blocks: usize,
    ) -> Result<()> {
        let message = Bytes::public(&vec![7; 16 * blocks]);
        let counter = [[0xff; 12].as_slice(), &[0, 0, 1, 2]].concat();
        Aes128::<_, S>::expand(b, key)?.count(b, &Bytes::public(&counter), &message).map(drop)
    }
    let secret = |b: &mut Recorder<'_, F2>| Bytes::witness(b, 16);
    for blocks in [1, 7, 8, 9, TOGETHER + 3] {
        let gates = Of(|b: &mut Recorder<'_, F2>| {
            let key = secret(b)?;
            text::<Gates>(b, &key, blocks)
        });
        // From number 258 on some differ in the upper bits.
        let alike = if blocks > 254 { 2 } else { 1 };
        let expected = 1280 + 864 * alike + 4256 * blocks as u64;
        assert_eq!(Shape::without_depth::<F2>(&gates).unwrap().mul, expected);
        assert_eq!(Stream::new(&gates).maps().unwrap(), blocks >= 8, "{blocks}");
        let inverses = Of(|b: &mut Recorder<'_, F2>| {
            let key = secret(b)?;
            text::<Holes>(b, &key, blocks)
        });
        assert_eq!(Stream::new(&inverses).maps().unwrap(), blocks >= 8, "{blocks}");
    }
    // Half of the key is public: the half that the counter's number is added to, or the other one.
    for number_is_public in [false, true] {
        let half = |blocks: usize| {
            Of(move |b: &mut Recorder<'_, F2>| {
                let (secret, public) = (Bytes::witness(b, 8)?, Bytes::public(&[3; 8]));
                let key = if number_is_public { secret.concat(&public) } else { public.concat(&secret) };
                text::<Gates>(b, &key, blocks)
            })
        };
        assert_eq!(Stream::new(&half(20)).maps().unwrap(), !number_is_public);
        let ands = |blocks| Shape::without_depth::<F2>(&half(blocks)).unwrap().mul;
        let of_one = ands(2) - ands(1);
        assert!(of_one < 5120);
        assert_eq!(ands(20) - ands(1), 19 * of_one);
    }
    let public = Of(|b: &mut Recorder<'_, F2>| text::<Gates>(b, &Bytes::public(&[3; 16]), 20));
    assert_eq!(Shape::without_depth::<F2>(&public).unwrap().mul, 0);
}

/// Checks Galois mode with the key on wires, and the text where told.
fn check_gcm(associated: usize, length: usize, public_text: bool) {
    let (key, nonce) = (some_bytes(16, 7), some_bytes(12, 9));
    let (associated, plaintext) = (some_bytes(associated, 1), some_bytes(length, 3));
    let cipher = aes_gcm::Aes128Gcm::new_from_slice(&key).unwrap();
    let outside = aes_gcm::Nonce::try_from(&nonce[..]).unwrap();
    let sealed = cipher.encrypt(&outside, Payload { msg: &plaintext, aad: &associated }).unwrap();
    let (ciphertext, tag) = sealed.split_at(length);

    let texts = if public_text { vec![] } else { [ciphertext, &plaintext].concat() };
    let agreed = evaluate(bits_of(&[&key[..], &texts].concat()), |b| {
        let key = Bytes::witness(b, 16)?;
        let gcm = Gcm::new(b, &key)?;
        let (nonce, associated) = (Bytes::public(&nonce), Bytes::public(&associated));
        let text = |b: &mut _, text: &[u8]| {
            if public_text { Ok(Bytes::public(text)) } else { Bytes::witness(b, text.len()) }
        };
        let text_of_cipher = text(b, ciphertext)?;
        let (opened, opened_tag) = gcm.decrypt(b, &nonce, &associated, &text_of_cipher)?;
        opened.assert_equal(b, &plaintext, "plaintext")?;
        opened_tag.assert_equal(b, tag, "tag")?;
        let plain_text = text(b, &plaintext)?;
        let (sealed, sealed_tag) = gcm.encrypt(b, &nonce, &associated, &plain_text)?;
        sealed.assert_equal(b, ciphertext, "ciphertext")?;
        sealed_tag.assert_equal(b, tag, "tag")
    });
    agreed.unwrap();
}

#[test]
fn galois_mode_agrees_with_an_outside_implementation() {
    for (associated, length) in [(0, 0), (13, 1), (0, 16), (20, 17), (16, 32), (5, 100), (13, 300), (40, 0)] {
        check_gcm(associated, length, true);
        check_gcm(associated, length, false);
    }
    // Powers of the key by each stride.
    for (associated, length) in [(0, 1024), (100, 1039), (2000, 40)] {
        check_gcm(associated, length, true);
    }
}

/// Galois mode where only lengths are public.
#[test]
fn galois_mode_with_all_on_wires() {
    for (associated, length) in [(0, 0), (17, 0), (3, 33)] {
        let (key, nonce) = (some_bytes(16, 2), some_bytes(12, 4));
        let (associated, plaintext) = (some_bytes(associated, 6), some_bytes(length, 8));
        let cipher = aes_gcm::Aes128Gcm::new_from_slice(&key).unwrap();
        let outside = aes_gcm::Nonce::try_from(&nonce[..]).unwrap();
        let sealed = cipher.encrypt(&outside, Payload { msg: &plaintext, aad: &associated }).unwrap();
        let (ciphertext, tag) = sealed.split_at(length);
        let strings = [&key[..], &nonce, &associated, ciphertext];
        let agreed = evaluate(bits_of(&strings.concat()), |b| {
            let [key, nonce, associated, ciphertext] =
                strings.map(|string| Bytes::witness(b, string.len()).unwrap());
            let gcm = Gcm::new(b, &key)?;
            let (opened, opened_tag) = gcm.decrypt(b, &nonce, &associated, &ciphertext)?;
            opened.assert_equal(b, &plaintext, "plaintext")?;
            opened_tag.assert_equal(b, tag, "tag")
        });
        agreed.unwrap();
    }
}

#[test]
fn ands_of_galois_mode_are_pinned() {
    let opened = |length: usize, public: bool| {
        ands(|b| {
            let key = Bytes::witness(b, 16)?;
            let gcm = Gcm::new(b, &key)?;
            let text = if public { Bytes::public(&vec![3; length]) } else { Bytes::witness(b, length)? };
            let (nonce, associated) = (Bytes::public(&[1; 12]), Bytes::public(&[2; 13]));
            gcm.decrypt(b, &nonce, &associated, &text).map(drop)
        })
    };
    // One expansion, a block for the key of the hash, one for the tag and those of the text; then products.
    let blocks = |blocks: u64| 1280 + 2 * 5120 + if blocks > 0 { 864 + 4256 * blocks } else { 0 };
    assert_eq!(opened(0, true), blocks(0));
    assert_eq!(opened(16, true), blocks(1) + 2187);
    assert_eq!(opened(1024, true), blocks(64) + 10 * 2187);
    assert_eq!(opened(16, false), blocks(1) + 2 * 2187);
}

/// Parts of a text in Galois mode, and what checks its tag.
struct Opened {
    parts: Vec<Bytes<Handle>>,
    hash: Bytes<Handle>,
    pad: Bytes<Handle>,
}

/// The pieces of Galois mode that are opened one by one: parts of the text, whose blocks are paid for once, the key of
/// the hash and what a tag adds to it.
#[test]
fn parts_of_a_text_are_opened() {
    let (key, nonce, text) = (some_bytes(16, 7), some_bytes(12, 9), some_bytes(300, 3));
    let cipher = aes_gcm::Aes128Gcm::new_from_slice(&key).unwrap();
    let outside = aes_gcm::Nonce::try_from(&nonce[..]).unwrap();
    let sealed = cipher.encrypt(&outside, Payload { msg: &text, aad: &[] }).unwrap();
    let (ciphertext, tag) = sealed.split_at(text.len());
    let block = aes::Aes128::new_from_slice(&key).unwrap();
    let mut hash_key = aes::Block::default();
    block.encrypt_block(&mut hash_key);
    let spans = [3..17, 299..300, 5..5, 16..33, 0..0, 100..260];
    fn open<S: for<'r> SubBytes<Recorder<'r, F2>>>(
        b: &mut Recorder<'_, F2>,
        (nonce, ciphertext): (&[u8], &[u8]),
        spans: &[core::ops::Range<usize>],
    ) -> Result<Opened> {
        let key = Bytes::witness(b, 16)?;
        let (gcm, nonce) = (Gcm::<_, S>::expand(b, &key)?, Bytes::public(nonce));
        let parts = gcm.stream(&nonce)?.spans(b, 2, &Bytes::public(ciphertext), spans)?;
        Ok(Opened { parts, hash: gcm.hash_key().clone(), pad: gcm.pad(b, &nonce)? })
    }
    let opened = evaluate(bits_of(&[&key[..], &key].concat()), |b| {
        for holes in [false, true] {
            let sealed = (&nonce[..], ciphertext);
            let Opened { parts, hash, pad } =
                if holes { open::<Holes>(b, sealed, &spans)? } else { open::<Gates>(b, sealed, &spans)? };
            for (part, span) in parts.iter().zip(&spans) {
                part.assert_equal(b, &text[span.clone()], "part")?;
            }
            hash.assert_equal(b, &hash_key, "key of the hash")?;
            let lengths = [0_u64, 8 * text.len() as u64].map(u64::to_be_bytes).concat();
            let blocks: Vec<_> = ciphertext
                .chunks(16)
                .chain([&lengths[..]])
                .map(|block| {
                    let mut padded = [0; 16];
                    padded[..block.len()].copy_from_slice(block);
                    Bytes::public(&padded)
                })
                .collect();
            let ghash = ghash::ghash(b, &Bytes::public(&hash_key), &blocks)?;
            pad.xor(b, &ghash)?.assert_equal(b, tag, "tag")?;
        }
        Ok(())
    });
    opened.unwrap();
    // Blocks 0 to 2, 6 to 16 and 18, the pad, the hash's key, and the expansion.
    let cost = |spans: &[core::ops::Range<usize>]| {
        ands(|b| open::<Gates>(b, (&nonce, ciphertext), spans).map(drop)) - 1280 - 2 * 5120
    };
    assert_eq!(cost(&spans), 864 + 15 * 4256);
    assert_eq!(cost(&[]), 0);
    let refused = |span| {
        evaluate(bits_of(&key), |b| {
            open::<Gates>(b, (&nonce, ciphertext), &[core::ops::Range::clone(&span)]).map(drop)
        })
    };
    assert!(refused(7..301).unwrap_err().to_string().contains("from 7 to 301 of a message of 300 bytes"));
    let short = evaluate(bits_of(&key), |b| open::<Gates>(b, (&nonce[1..], ciphertext), &[]).map(drop));
    assert!(short.unwrap_err().to_string().contains("has 12 bytes, and not 11"));
}
