use super::super::trial::{Trial, changed};
use super::*;
use crate::Relation;
use aes_gcm::aead::{Aead, Payload};
use aes_gcm::{Aes128Gcm, KeyInit};
use proptest::prelude::*;
use sha2::Digest;
use volery_gadgets::testing::{bit_value, evaluation, secret, value};

/// The price that the gates read.
fn read(text: &[u8]) -> Option<u64> {
    let b = &mut evaluation();
    let text = text.iter().map(|&byte| secret(byte.into())).collect();
    let (price, valid) = Object::read(b, &text).unwrap();
    bit_value(valid).then(|| format!("{:x}", value(price)).parse().unwrap())
}

/// The price in cents that a plain program reads.
fn plain(text: &[u8]) -> Option<u64> {
    let at = |i: usize| text.get(i).copied();
    let is_white = |byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
    let skip_white =
        |i: usize| i + text[i.min(text.len())..].iter().take_while(|&&byte| is_white(byte)).count();
    let digits = |i: usize| text[i.min(text.len())..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number = |i: usize| {
        let whole = digits(i);
        let mut end = i + whole;
        let mut cents =
            std::str::from_utf8(&text[i..end]).ok()?.parse::<u64>().ok().filter(|&n| n < 100_000_000)?;
        let mut places = 0;
        if at(end) == Some(b'.') {
            places = digits(end + 1);
            for &digit in text[end + 1..].iter().take(places).take(3) {
                cents = 10 * cents + u64::from(digit - b'0');
            }
            end += 1 + places;
            if !(1..=2).contains(&places) {
                return None;
            }
        }
        let behind = skip_white(end);
        let follows = at(behind).is_some_and(|byte| byte == b',' || byte == b'}');
        follows.then_some((cents * [100, 10, 1][places], end))
    };
    let (mut depth, mut price, mut i) = (1, None, 1);
    if at(0) != Some(b'{') {
        return None;
    }
    while let Some(byte) = at(i) {
        i += 1;
        match byte {
            _ if depth == 0 && !is_white(byte) => return None,
            b'"' => {
                let begin = i;
                while at(i)? != b'"' {
                    i += if at(i) == Some(b'\\') { 2 } else { 1 };
                }
                let string = &text[begin..i];
                i += 1;
                let colon = skip_white(i);
                if depth == 1 && string == b"price" && at(colon) == Some(b':') {
                    let (cents, end) = number(skip_white(colon + 1))?;
                    if price.replace(cents).is_some() {
                        return None;
                    }
                    i = end;
                }
            }
            b'{' | b'[' if depth == 15 => return None,
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            _ => {}
        }
    }
    price.filter(|_| depth == 0)
}

/// Texts, and the price in each.
const EXPECTED: &[(&str, Option<u64>)] = &[
    (r#"{"price":7}"#, Some(700)),
    (r#"{"price":0}"#, Some(0)),
    (r#"{"price":7.5}"#, Some(750)),
    (r#"{"price": 12.34}"#, Some(1234)),
    (r#"{"a":1,"price":12.34,"b":[1,2]}"#, Some(1234)),
    (r#"{"price":99999999.99}"#, Some(9_999_999_999)),
    (r#"{"price":12345678 , "b":2}  "#, Some(1_234_567_800)),
    ("{\n\t\"price\" : 12.30\r\n}\n", Some(1230)),
    (r#"{"price":00000000012}"#, Some(1200)),
    // Elsewhere than under the key at the top level.
    (r#"{"a":"\"price\":9","price":1}"#, Some(100)),
    (r#"{"a":"\"price\":9"}"#, None),
    (r#"{"a":"\\","price":3}"#, Some(300)),
    (r#"{"a":"\\\"","price":3}"#, Some(300)),
    (r#"{"a":"\\\",\"price\":3"}"#, None),
    (r#"{"a":"price","b":1}"#, None),
    (r#"{"a":"price","price":5}"#, Some(500)),
    (r#"{"a":{"price":9}}"#, None),
    (r#"{"a":{"price":9},"price":2}"#, Some(200)),
    (r#"{"a":[{"price":9},"price"],"price":2}"#, Some(200)),
    (r#"{"a":"}","price":2}"#, Some(200)),
    (r#"{"xprice":9}"#, None),
    (r#"{"pricex":9}"#, None),
    (r#"{"Price":9}"#, None),
    (r#"{"pri ce":9}"#, None),
    (r#"{"\"price":9}"#, None),
    (r#"{"\\"price":9}"#, None),
    (r#"{"pric\u0065":9}"#, None),
    (r#"{}"#, None),
    // Two keys.
    (r#"{"price":9,"price":9}"#, None),
    (r#"{"price":9,"price" : 9}"#, None),
    (r#"{"price":9,"price":null}"#, None),
    // Other numbers.
    (r#"{"price":123456789}"#, None),
    (r#"{"price":1000000000000000000000}"#, None),
    (r#"{"price":1.234}"#, None),
    (r#"{"price":1.}"#, None),
    (r#"{"price":.5}"#, None),
    (r#"{"price":1.2.3}"#, None),
    (r#"{"price":-5}"#, None),
    (r#"{"price":+5}"#, None),
    (r#"{"price":5e3}"#, None),
    (r#"{"price":5.5E3}"#, None),
    (r#"{"price":"5"}"#, None),
    (r#"{"price":null}"#, None),
    (r#"{"price":[5]}"#, None),
    (r#"{"price":}"#, None),
    (r#"{"price":5]"#, None),
    (r#"{"price":1 2}"#, None),
    (r#"{"price":1 .5}"#, None),
    (r#"{"price":1. 5}"#, None),
    (r#"{"price":1.5  0}"#, None),
    (r#"{"price":1 "a":2}"#, None),
    (r#"{"price":1 [],"a":2}"#, None),
    (r#"{"price":1 ]"#, None),
    ("{\"a\":2,\"price\":1 \t\r\n }", Some(100)),
    ("{\"price\":1 \n,\"a\":1 2}", Some(100)),
    // Brackets count, whatever their kinds.
    (r#"{"a":[},"price":1}"#, Some(100)),
    (r#"{"a":{]],"price":1}"#, None),
    (r#"{"price":1,"a":2]"#, Some(100)),
    // No object, or more than one.
    (r#"["price",1]"#, None),
    (r#" {"price":1}"#, None),
    (r#"{"price":1"#, None),
    (r#"{"price":1}}"#, None),
    (r#"{"price":1}{"price":1}"#, None),
    (r#"{"a":1},{"price":1}"#, None),
    (r#"{"price":1},"a":2"#, None),
    (r#"{"a":[[[[[[[[[[[[[[]]]]]]]]]]]]]],"price":1}"#, Some(100)),
    (r#"{"a":[[[[[[[[[[[[[[[]]]]]]]]]]]]]]],"price":1}"#, None),
    (r#"{"a":[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]],"price":1}"#, None),
];

#[test]
fn the_price_is_what_it_should_be() {
    for &(text, price) in EXPECTED {
        assert_eq!(read(text.as_bytes()), price, "{text}");
        assert_eq!(plain(text.as_bytes()), price, "{text}");
    }
}

/// Pieces of texts that are JSON more or less.
const PIECES: &[&str] = &[
    "\"price\"",
    ":",
    "\"price\":",
    " ",
    "12",
    "0",
    "7.5",
    ".",
    ",",
    "{",
    "}",
    "[",
    "]",
    "\"",
    "\\",
    "\"a\":1,",
    "\\\"",
    "\"b\":\"\\\\\",",
    "\n",
    "price",
    "e5",
    "-",
    "\"c\":{\"price\":1},",
    "\"price\":3.99,",
    "\"price\" : 20 ,",
];

proptest! {
    #[test]
    fn gates_read_what_a_plain_program_reads(
        pieces in proptest::collection::vec(0..PIECES.len(), 0..12),
        ends in "[}]?[ \n]?",
    ) {
        let text: String = pieces.into_iter().map(|piece| PIECES[piece]).collect();
        let text = format!("{{{text}{ends}");
        prop_assert_eq!(read(text.as_bytes()), plain(text.as_bytes()), "{}", text);
    }

    #[test]
    fn prices_in_objects_are_read(
        members in proptest::collection::vec(
            prop_oneof!["\"[a-z\\\\\\\\ ]{0,5}x\":[0-9]{1,3}", "\"[{}\\[\\]:,]{0,4}\":\"price\"", "\"n\":\\{\"price\":[0-9]\\}"],
            0..5,
        ),
        at in 0..6_usize,
        cents in 0..10_000_000_000_u64,
    ) {
        let mut members = members;
        let at = at.min(members.len());
        members.insert(at, format!("\"price\":{}.{:02}", cents / 100, cents % 100));
        let text = format!("{{{}}}", members.join(","));
        prop_assert_eq!(read(text.as_bytes()), Some(cents), "{}", text);
    }
}

const KEY: [u8; 16] = *b"sixteen byte key";

/// The statement about a record with `content`, which is padded by white space to 40 bytes, and `kind`.
fn record(content: &str, kind: u8, threshold: u32, dearer: bool) -> Trial {
    let (salt, nonce) = ([0x5a; 16], [7; 12]);
    let plaintext = [format!("{content:39}").as_bytes(), &[kind]].concat();
    let payload = Payload { msg: &plaintext, aad: &[23, 3, 3, 0, 56] };
    let sealed = Aes128Gcm::new_from_slice(&KEY).unwrap().encrypt(&nonce.into(), payload).unwrap();
    let (ciphertext, tag) = sealed.split_at(40);
    Trial::new("price-discrimination?length=40")
        .with("key", &KEY)
        .with("salt", &salt)
        .with("nonce", &nonce)
        .with("ciphertext", ciphertext)
        .with("threshold", &threshold.to_be_bytes())
        .with("commitment", &sha2::Sha256::digest([KEY, salt].concat()))
        .with("tag", tag)
        .with_bits("dearer", if dearer { "1" } else { "0" })
}

const OFFER: &str = r#"{"item":"pen","price":12.99}"#;

#[test]
fn a_price_is_above_a_threshold_or_not() {
    for (threshold, dearer) in [(0, true), (1298, true), (1299, false), (1300, false), (u32::MAX, false)] {
        record(OFFER, 23, threshold, dearer).run().unwrap();
        record(OFFER, 23, threshold, !dearer).refuse("dearer");
    }
    let most = r#"{"price":42949672.96}"#;
    record(most, 23, u32::MAX, true).run().unwrap();
    record(r#"{"price":"12.99"}"#, 23, 0, false).run().unwrap();
    // The rest of a handshake is no application data.
    record(OFFER, 22, 0, false).run().unwrap();
    record(OFFER, 22, 0, true).refuse("dearer");
    record(OFFER, 0, 0, true).refuse("dearer");
}

#[test]
fn every_value_is_bound() {
    let right = record(OFFER, 23, 1000, true);
    right.run().unwrap();
    right.clone().with("key", &changed(&KEY, 3)).refuse("commitment");
    right.clone().with("salt", &changed(&[0x5a; 16], 15)).refuse("commitment");
    right.clone().with("commitment", &[0; 32]).refuse("commitment");
    let other = changed(&KEY, 3);
    let commitment = sha2::Sha256::digest([&other[..], &[0x5a; 16]].concat());
    right.clone().with("key", &other).with("commitment", &commitment).refuse("tag");
    right.clone().with("nonce", &[8; 12]).refuse("tag");
    right.clone().with("ciphertext", &[1; 40]).refuse("tag");
    right.clone().with("tag", &[0; 16]).refuse("tag");
    right.with("threshold", &2000_u32.to_be_bytes()).refuse("dearer");
}

#[test]
fn what_has_to_be_public_is() {
    for port in ["nonce", "ciphertext", "threshold", "commitment", "tag", "dearer"] {
        let why = record(OFFER, 23, 0, true).without(port).statement().err().unwrap().to_string();
        assert!(why.contains(&format!("{port} (")) && why.contains(") has to be public"), "{why}");
    }
    let why = Relation::open("builtin:price-discrimination?length=2", None).err().unwrap().to_string();
    assert!(why.contains("with length=2: choose from 3 to 16385"), "{why}");
}

#[test]
fn ands_are_pinned() {
    let ands = |length: u64| {
        let relation =
            Relation::open(&format!("builtin:price-discrimination?length={length}"), None).unwrap();
        relation.shape().unwrap().mul
    };
    assert_eq!([40, 272].map(ands), [52_359, 146_808]);
}
