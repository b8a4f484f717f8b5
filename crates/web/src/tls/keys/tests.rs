//! Codes held against the vectors of Project Wycheproof: `vectors/wycheproof`.

use super::*;
use volery_gadgets::testing::cases;

#[test]
fn codes_are_those_of_the_vectors() {
    let mut tried = 0;
    for case in cases(include_str!("../../../../../vectors/wycheproof/hmac_sha256.txt")) {
        let [key, message, expected] = &case.values;
        let Ok(key) = key[..].try_into() else { continue };
        let mut code = Secret::new(key).code();
        code.update(message);
        assert_eq!(code.finalize().into_bytes()[..] == expected[..], case.is_valid, "{}", case.number);
        tried += 1;
    }
    assert!(tried > 10);
}
