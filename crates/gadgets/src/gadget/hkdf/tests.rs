use super::*;
use crate::gadget::{Gcm, Holes, Sha256, bits_of};
use crate::testing::{ands, evaluate};

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len() / 2).map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap()).collect()
}

/// RFC 5869, appendices A.1 to A.3: with salt and information, with more of both than a block has, and with neither.
#[test]
fn published_vectors() {
    let vectors = [
        (
            vec![0x0b; 22],
            (0..=0x0c).collect(),
            (0xf0..=0xf9).collect(),
            "077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5",
            "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865",
        ),
        (
            (0..=0x4f).collect(),
            (0x60..=0xaf).collect(),
            (0xb0..=0xff).collect::<Vec<u8>>(),
            "06a6b88c5853361a06104c9ceb35b45cef760014904671014a193f40c15fc244",
            "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09\
             da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87",
        ),
        (
            vec![0x0b; 22],
            vec![],
            vec![],
            "19ef24a32c717b167f33a91d6f648bdf96596776afdb6377ac434c1c293ccb04",
            "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8",
        ),
    ];
    for (material, salt, info, key, expanded) in &vectors {
        let (salt, expanded): (&Vec<u8>, _) = (salt, bytes(expanded));
        let agreed = evaluate(bits_of(&[&material[..], salt].concat()), |b| {
            let material = Bytes::witness(b, material.len())?;
            let salt = Bytes::witness(b, salt.len())?;
            let extracted = Hkdf::<Sha256<_>>::extract(b, &salt, &material)?;
            extracted.assert_equal(b, &bytes(key), "key")?;
            let hkdf = Hkdf::<Sha256<_>>::new(b, &extracted)?;
            let out = hkdf.expand(b, &Bytes::public(info), expanded.len())?;
            out.assert_equal(b, &expanded, "expanded")?;
            let hkdf = Hkdf::<Sha256<_, Holes>>::new(b, &extracted)?;
            hkdf.expand(b, &Bytes::public(info), expanded.len())?.assert_equal(b, &expanded, "with holes")
        });
        agreed.unwrap();
    }
}

#[test]
fn lengths_are_bounded() {
    let refused = |label: usize, context: usize, length| {
        let tried = evaluate(bits_of(&[0]), |b| {
            Bytes::witness(b, 1)?.assert_equal(b, &[0], "byte")?;
            let hkdf = Hkdf::<Sha256<_>>::new(b, &Bytes::public(&[1; 32]))?;
            hkdf.expand_label(b, &vec![7; label], &Bytes::public(&vec![7; context]), length).map(drop)
        });
        tried.map_err(|error| error.to_string())
    };
    refused(249, 255, 33).unwrap();
    assert!(refused(250, 0, 32).unwrap_err().starts_with("a label"));
    assert!(refused(0, 256, 32).unwrap_err().starts_with("a context"));
    assert!(refused(0, 0, 255 * 32 + 1).unwrap_err().contains("8160 bytes at most"));
    assert!(refused(0, 0, 1 << 16).unwrap_err().starts_with("an expansion"));
}

/// RFC 8448 section 3: from the handshake secret to a record that the client sent.
#[test]
fn a_published_session() {
    let hello = bytes("860c06edc07858ee8e78f0e7428c58edd6b43f2ca3e6e95f02ed063cf0e1cad8");
    let finished = bytes("9608102a0f1ccc6db6250b7b7e417b1a000eaada3daae4777a7686c9ff83df13");
    let empty = bytes("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    let secret = bytes("1dc826e93606aa6fdc0aadc12f741b01046aa6b99f691ed221a9f0ca043fbeac");
    let record = bytes(
        "1703030043a23f7054b62c94d0affafe8228ba55cbefacea42f914aa66bcab3f2b9819a8a5b46b395bd54a9a20441e2b62974e1f5a62\
         92a2977014bd1e3deae63aeebb21694915e4",
    );
    let content: Vec<u8> = (0..50).chain([23]).collect();
    let opened = evaluate(bits_of(&secret), |b| {
        let secret = Bytes::witness(b, 32)?;
        let hkdf = Hkdf::<Sha256<_>>::new(b, &secret)?;
        let server = hkdf.expand_label(b, b"s hs traffic", &Bytes::public(&hello), 32)?;
        let expected = bytes("b67b7d690cc16c4e75e54213cb2d37b4e9c912bcded9105d42befd59d391ad38");
        server.assert_equal(b, &expected, "SHTS")?;
        let derived = hkdf.expand_label(b, b"derived", &Bytes::public(&empty), 32)?;
        let master = Hkdf::<Sha256<_>>::extract(b, &derived, &Bytes::public(&[0; 32]))?;
        let hkdf = Hkdf::<Sha256<_>>::new(b, &master)?;
        let client = hkdf.expand_label(b, b"c ap traffic", &Bytes::public(&finished), 32)?;
        let hkdf = Hkdf::<Sha256<_>>::new(b, &client)?;
        let none = Bytes::public(&[]);
        let (key, iv) = (hkdf.expand_label(b, b"key", &none, 16)?, hkdf.expand_label(b, b"iv", &none, 12)?);
        key.assert_equal(b, &bytes("17422dda596ed5d9acd890e3c63f5051"), "key")?;
        iv.assert_equal(b, &bytes("5b78923dee08579033e523d9"), "iv")?;
        let gcm = Gcm::new(b, &key)?;
        let (head, ciphertext) = (Bytes::public(&record[..5]), Bytes::public(&record[5..56]));
        let (text, tag) = gcm.decrypt(b, &iv, &head, &ciphertext)?;
        text.assert_equal(b, &content, "content")?;
        tag.assert_equal(b, &record[56..], "tag")
    });
    opened.unwrap();
}

/// A label of TLS with a digest for its context is one block, and one for the outer hash.
#[test]
fn ands_of_a_label_are_pinned() {
    let of = |label: &'static [u8], context: usize| {
        ands(|b| {
            let key = Bytes::witness(b, 32)?;
            let hkdf = Hkdf::<Sha256<_>>::new(b, &key)?;
            hkdf.expand_label(b, label, &Bytes::public(&vec![0; context]), 32).map(drop)
        }) - 2 * 21_317
    };
    let label = of(b"c ap traffic", 32);
    assert!(label < 2 * 22_271, "{label}");
    // One byte more is a second block.
    assert!(of(b"c ap traffic+", 32) > label + 15_000);
    assert_eq!([label, of(b"key", 0)], [37_255, 37_266]);
}
