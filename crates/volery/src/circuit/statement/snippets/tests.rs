//! Which inputs break which snippet, and what that costs.

use super::*;
use crate::circuit::gadget::evaluation::{ands, bit_value, evaluation, secret};

fn bytes(text: &str) -> Bytes<F2> {
    let padded = text.bytes().chain(core::iter::repeat(0)).take(INPUT);
    padded.map(|byte| secret(byte.into())).collect()
}

fn breaks(number: u64, text: &str) -> bool {
    bit_value(failure(&mut evaluation(), number, &bytes(text)).unwrap().failed)
}

#[test]
fn each_snippet_has_its_bug() {
    let exploits = ["small_boERROR", "bob:-7", "thirteenchars%", "16x16"];
    for (number, exploit) in (0..).zip(exploits) {
        let broken: Vec<_> = (0..4).filter(|&snippet| breaks(snippet, exploit)).collect();
        assert_eq!(broken, [number], "{exploit}");
        assert!(breaks(number + 4, exploit));
    }
}

#[test]
fn ordinary_inputs_break_nothing() {
    for text in [
        "",
        "small_box",
        "small_boxes",
        "large_box:1",
        "small_b",
        "medium",
        "bob:42",
        "Al1ce:099",
        "bob:100",
        "bob",
        "a%41b%42",
        "fourteen chars",
        ":",
        ":7",
        "3x4",
        "16x15",
        "1x1",
        "16x17",
        "x",
        "x16",
        "0x5",
    ] {
        for number in 0..4 {
            assert!(!breaks(number, text), "{number} {text:?}");
        }
    }
}

#[test]
fn ands_are_pinned() {
    let count = |number| {
        ands(move |b| {
            let input = Bytes::witness(b, INPUT)?;
            failure(b, number, &input).map(drop)
        })
    };
    let counts = [74_258, 80_557, 90_233, 80_434];
    assert_eq!([0, 1, 2, 3].map(count), counts);
    // Copies run in full.
    let copies = ands(|b| {
        let input = Bytes::witness(b, INPUT)?;
        bug_in_snippets(b, 8, &input).map(drop)
    });
    assert_eq!(copies, 2 * counts.iter().sum::<u64>() + 7);
}

#[test]
fn one_bug_is_enough() {
    let b = &mut evaluation();
    let found = bug_in_snippets(b, 5, &bytes("bob:-7")).unwrap();
    found.assert_failed(b).unwrap();
    let none = bug_in_snippets(b, 5, &bytes("bob:7")).unwrap();
    let refused = none.assert_failed(b).unwrap_err().to_string();
    assert!(refused.contains("no assertion failed; these held: "), "{refused}");
    for name in ["box: index", "visitors: index", "input: index", "matrix: index"] {
        assert!(refused.contains(name), "{refused}");
    }
    assert_eq!(refused.matches("visitors: index").count(), 1);
    assert!(bug_in_snippets(b, 1, &Bytes::public(b"short")).is_err());
}
