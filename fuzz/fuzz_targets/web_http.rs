//! Any message, some of whose bytes are hidden: a request or a response, or neither; and what is hidden is no structure.
#![no_main]

use libfuzzer_sys::fuzz_target;
use volery_web::http::{request, response};
use volery_web::opening::Hidden;
use volery_web::skeleton::Byte;

/// Bytes from 0x80 on stand for hidden ones.
fn skeleton(bytes: &[u8]) -> Vec<Byte> {
    let byte = |byte: &u8| match byte {
        0x80..0xc0 => Byte::Hidden(Hidden::Value),
        0xc0.. => Byte::Any,
        shown => Byte::Shown(*shown),
    };
    bytes.iter().map(byte).collect()
}

fuzz_target!(|bytes: &[u8]| {
    let skeleton = skeleton(bytes);
    if let Ok(read) = request(&skeleton) {
        // Any other value in the place of a hidden one leaves all else as it is.
        let other: Vec<_> = skeleton.iter().map(|byte| byte.shown().unwrap_or(b':')).map(Byte::Shown).collect();
        let other = request(&other).expect("the same lines");
        assert_eq!((&read.target, read.head.fields.len()), (&other.target, other.head.fields.len()));
        assert!(read.head.fields.iter().zip(&other.head.fields).all(|(one, other)| one.name == other.name));
    }
    if let Ok(read) = response(&skeleton) {
        let other: Vec<_> = skeleton.iter().map(|byte| byte.shown().unwrap_or(b'\"')).map(Byte::Shown).collect();
        let other = response(&other).expect("the same lines");
        assert_eq!((read.status, read.pieces), (other.status, other.pieces));
    }
});
