//! Inputs that break snippets, and the cost of each.

use super::*;
use proptest::prelude::*;
use volery_gadgets::testing::{ands, bit_value, evaluation, secret};

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

/// The C that a file prints.
fn printed(file: &str) -> String {
    let blocks = file.split("//! ```c\n").skip(1).map(|rest| rest.split("//! ```").next().unwrap());
    blocks.collect::<String>().replace("//!", "")
}

/// `char` is signed on some platforms. So it is only that of texts, and a byte of the input is compared with
/// a character, or handed to what takes an `unsigned char`.
#[test]
fn printed_bytes_have_no_sign() {
    let files = [
        include_str!("allocation.rs"),
        include_str!("parsing.rs"),
        include_str!("specification.rs"),
        include_str!("validation.rs"),
    ];
    for text in files.map(printed) {
        assert!(text.contains("(const char *input)"), "{text}");
        for (at, _) in text.match_indices("char ") {
            let before = text[..at].trim_end();
            assert!(before.ends_with("unsigned") || before.ends_with("const"), "{}", &text[at..]);
        }
        for (at, _) in text.match_indices("input[") {
            let behind = text[at..].split_once(']').unwrap().1;
            let compared = [" == ", " != "].iter().any(|sign| behind.starts_with(sign));
            let taken = ["(unsigned char) ", "unsigned char c = ", "hexadecimal("];
            assert!(compared || taken.iter().any(|taken| text[..at].ends_with(taken)), "{}", &text[at..]);
        }
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

/// The snippets as their headers have them, in Rust: which bytes break them. Memory is a vector, and a place
/// outside of it is the bug.
mod in_rust {
    /// `None` where the code breaks.
    type Broken = Option<()>;

    pub(super) fn breaks(number: u64, input: &[u8; 14]) -> bool {
        let mut text = input.to_vec();
        text.push(0);
        let snippet = [specification, validation, parsing, allocation][number as usize % 4];
        snippet(&text).is_none()
    }

    fn starts(input: &[u8], with: &[u8]) -> Option<bool> {
        for (i, &byte) in with.iter().enumerate() {
            let read = *input.get(i)?;
            if read != byte {
                return Some(false);
            }
        }
        Some(true)
    }

    fn atoi(text: &[u8]) -> Option<i32> {
        let mut i = 0;
        while matches!(*text.get(i)?, b' ' | 9..=13) {
            i += 1;
        }
        let negative = text[i] == b'-';
        i += usize::from(negative || text[i] == b'+');
        let mut value = 0i64;
        while text.get(i)?.is_ascii_digit() {
            value = 10 * value + i64::from(text[i] - b'0');
            i += 1;
        }
        Some(if negative { -value } else { value } as i32)
    }

    fn specification(input: &[u8]) -> Broken {
        if !starts(input, b"small_bo")? && !starts(input, b"large_box")? {
            return Some(());
        }
        let room: usize = match (starts(input, b"small_box")?, starts(input, b"large_box")?) {
            (true, _) => 32,
            (_, true) => 64,
            _ => 0,
        };
        let mut boxed = vec![0u8; room];
        let mut at = 0usize;
        for &c in input[..14].iter().take_while(|&&c| c != 0) {
            at = at.wrapping_mul(31).wrapping_add(c.into()) & room.wrapping_sub(1);
            let cell = boxed.get_mut(at)?;
            *cell = cell.wrapping_add(1);
        }
        Some(())
    }

    fn validation(input: &[u8]) -> Broken {
        let mut name = [0; 16];
        let mut visitors = [0u16; 100];
        let mut n = 0;
        while *input.get(n)? != b':' {
            if !input[n].is_ascii_alphanumeric() || n == 10 {
                return Some(());
            }
            *name.get_mut(n)? = input[n].to_ascii_lowercase();
            n += 1;
        }
        if n == 0 {
            return Some(());
        }
        let age = atoi(&input[n + 1..])?;
        if age > 99 {
            return Some(());
        }
        *visitors.get_mut(usize::try_from(age).ok()?)? += 1;
        Some(())
    }

    fn parsing(input: &[u8]) -> Broken {
        let mut text = [0u8; 16];
        let (mut i, mut n) = (0, 0);
        while *input.get(i)? != 0 {
            i += if input[i] == b'%' {
                input.get(i + 2)?;
                3
            } else {
                1
            };
            *text.get_mut(n)? = 1;
            n += 1;
        }
        Some(())
    }

    fn allocation(input: &[u8]) -> Broken {
        let rows = atoi(input)?;
        let Some(x) = input[..input.iter().position(|&c| c == 0)?].iter().position(|&c| c == b'x') else {
            return Some(());
        };
        let columns = atoi(&input[x + 1..])?;
        let sizes = 1..=16;
        if !sizes.contains(&rows) || !sizes.contains(&columns) {
            return Some(());
        }
        let matrix = vec![0u8; usize::from((rows * columns) as u8)];
        for i in 0..rows.min(columns) {
            matrix.get((i * columns + i) as usize)?;
        }
        for i in (0..rows).step_by(2) {
            matrix.get((i * columns + columns - 1) as usize)?;
        }
        Some(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(25))]

    /// Snippets break as in Rust, whatever bytes a prover chooses, on wires or public.
    #[test]
    fn snippets_break_as_in_rust(
        words in proptest::collection::vec(
            prop_oneof![
                Just("small_bo"), Just("x"), Just("large_box"), Just("a:"), Just("-"), Just("%"), Just("%4"), Just("16"),
                Just(":"), Just(" "), Just("\0"), Just("\u{7f}"), Just("00"), Just("9"), Just("4294967295"), Just("Z")
            ],
            0..9,
        ),
        at in 0..28usize,
        byte: u8,
    ) {
        let mut input = [0; INPUT];
        for (to, from) in input.iter_mut().zip(words.concat().bytes()) {
            *to = from;
        }
        if let Some(changed) = input.get_mut(at) {
            *changed = byte;
        }
        let wires: Bytes<F2> = input.iter().map(|&byte| secret(byte.into())).collect();
        for number in 0..4 {
            let expected = in_rust::breaks(number, &input);
            for input in [&wires, &Bytes::public(&input)] {
                let failed = failure(&mut evaluation(), number, input).unwrap().failed;
                prop_assert_eq!(bit_value(failed), expected, "{}", number);
            }
        }
    }
}
