use super::*;
use proptest::prelude::*;
use volery_circuit::{Circuit, Clear, Shape};
use volery_primitives::Field;

/// All inputs private; no output asserted.
impl<B: Backend<F = F2>> Circuit<B> for Bristol {
    fn run(&self, backend: &mut B) -> Result<()> {
        self.run(backend, |b, _| b.witness(), |_, _, _| Ok(()))
    }
}

fn open(text: &[u8]) -> Result<Bristol> {
    Bristol::from_bytes("a.txt", text)
}

/// The output bits, for input bits in wire order.
fn evaluate(text: &[u8], input: &str) -> Result<String> {
    let mut bits = input.bytes().map(|bit| F2::from(bit == b'1'));
    let mut clear = Clear::<F2>::new(std::iter::empty());
    let mut output = String::new();
    let bristol = open(text)?;
    bristol.run(
        &mut clear,
        |_, _| Ok(bits.next().expect("one for each input wire")),
        |_, _, value| {
            output.push(if value == F2::ONE { '1' } else { '0' });
            Ok(())
        },
    )?;
    Ok(output)
}

fn error(text: &[u8]) -> String {
    let count = open(text).and_then(|bristol| Shape::of::<F2>(&bristol));
    match count {
        Err(Error::Invalid(why)) => why,
        other => panic!("{other:?} came of {}", text.escape_ascii()),
    }
}

/// A circuit of the inputs' xor, their and, and the negation of the and.
const SMALL: &str = "3 5\n2 1 1\n1 2\n\n2 1 0 1 3 XOR\n2 1 0 1 2 AND\n1 1 2 4 INV\n";

#[test]
fn gates_mean_what_they_say() {
    for (input, output) in [("00", "01"), ("01", "11"), ("10", "11"), ("11", "00")] {
        assert_eq!(evaluate(SMALL.as_bytes(), input).unwrap(), output);
        let old = "2 4\n1 1 1\n2 1 0 1 2 AND\n1 1 2 3 INV";
        assert_eq!(evaluate(old.as_bytes(), input).unwrap(), output[1..]);
    }
    let rest = "4 10\n1 4\n2 2 4\n4 2 0 1 2 3 6 7 MAND\n1 1 1 4 EQ\n1 1 0 5 EQ\n1 1 0 8 EQW\n";
    assert_eq!(error(rest.as_bytes()), "a.txt: no gate sets output wire 9: add the gate that does");
    let rest = format!("{rest}2 1 8 4 9 XOR\n").replace("4 10", "5 10");
    assert_eq!(evaluate(rest.as_bytes(), "1011").unwrap(), "101010");
}

#[test]
fn layout_is_free() {
    let crlf = SMALL.replace('\n', "\r\n");
    let spread = format!("\n\n{}", SMALL.replace('\n', " \t\n\n").replace(' ', "  "));
    let noted = format!("// by hand\n\n  //{}", SMALL.replace('\n', "\n// 2 1 0 1 3 XOR\n"))
        .replacen("//3 5", "//\n3 5", 1);
    for text in [crlf.as_str(), &spread, SMALL.trim_end(), &noted, noted.trim_end()] {
        assert_eq!(evaluate(text.as_bytes(), "10").unwrap(), "11", "{text:?}");
    }
}

/// A circuit is the same statement on every system; a carriage return elsewhere is another text.
#[test]
fn line_ends_do_not_change_the_digest() {
    let digest = |text: &str| *open(text.as_bytes()).unwrap().digest();
    let crlf = SMALL.replace('\n', "\r\n");
    assert_eq!(digest(&crlf), digest(SMALL));
    // Reads end within a line end, or between two.
    for pad in ["", " "] {
        let long = |end: &str| format!("{}{pad}{}", SMALL.replace('\n', end), end.repeat(200_000));
        assert_eq!(digest(&long("\r\n")), digest(&long("\n")));
    }
    let spread = format!("{}\n{}", "\r".repeat(200_001), &SMALL);
    assert_ne!(digest(&spread), digest(&format!("\n{SMALL}")));
    assert_eq!(digest(&format!("{SMALL}\r")), digest(&format!("{crlf}\r")));
    assert_ne!(digest(&format!("{SMALL}\r")), digest(SMALL));
}

#[test]
fn old_format_may_have_one_input() {
    let bristol = open(b"1 2\n1 0 1\n1 1 0 1 INV\n").unwrap();
    assert_eq!((bristol.dialect(), bristol.inputs(), bristol.outputs()), (Dialect::Old, &[1][..], &[1][..]));
    assert_eq!(open(SMALL.as_bytes()).unwrap().dialect(), Dialect::Fashion);
}

#[test]
fn malformations_are_named_with_their_line() {
    const HEAD: &str = "1 3\n1 2\n1 1\n";
    let long = format!("{HEAD}{} MAND", " 1".repeat(1 << 20));
    let gate = |line: &str| format!("{HEAD}{line}\n");
    #[rustfmt::skip]
    let cases: &[(&str, &[&str])] = &[
        ("", &["line 1", "truncated"]),
        ("\n\n", &["line 3", "truncated"]),
        ("1 3\n", &["line 2", "input", "truncated"]),
        ("// 1 3\n", &["line 2", "truncated"]),
        ("/ 1 3\n", &["line 1", "\"/\""]),
        (&gate("// a\n2 1 0 1 2 XO"), &["line 5", "unknown gate"]),
        (&gate("2 1 0 1 2 XOR // a"), &["line 4", "stands after the gate"]),
        ("hello world\n", &["line 1", "\"hello\"", "Bristol circuit?"]),
        ("1 3 5\n1 2\n1 1\n", &["line 1", "two numbers"]),
        ("1 3\n2 2\n1 1\n2 1 0 1 2 XOR\n", &["line 2", "2 inputs are announced", "1 widths"]),
        ("1 3\n1 2\n2 1\n2 1 0 1 2 XOR\n", &["line 3", "2 outputs are announced"]),
        ("1 3\n1 0\n1 1\n2 1 0 1 2 XOR\n", &["line 2", "input 0 has no wires"]),
        ("1 3\n0 2 1\n2 1 0 1 2 XOR\n", &["line 2", "at least one wire"]),
        ("1 3\n1 2\n2 1 0 1 2 XOR\n", &["line 2", "old format"]),
        ("1 3\n1 4\n1 1\n2 1 0 1 2 XOR\n", &["line 1", "4 input wires", "3 wires"]),
        ("1 3\n1 2\n1 4\n2 1 0 1 2 XOR\n", &["line 1", "4 output wires"]),
        ("1 3\n2 18446744073709551615 1\n1 1\n", &["line 2", "too large"]),
        ("1 3\n3 9999999999999999999 9999999999999999999 1\n1 1\n", &["line 1", "2^64"]),
        ("1000000000000000000 3\n1 2\n1 1\n2 1 0 1 2 XOR\n", &["line 1", "1000000000000000000 gates", "truncated"]),
        ("1 1000000000000000000\n1 2\n1 1\n2 1 0 1 2 XOR\n", &["line 1", "1000000000000000000 wires"]),
        ("1 1000000000000000000\n1 999999999999999999\n1 1\n2 1 0 1 2 XOR\n", &["line 1", "unused input wires"]),
        ("99999999999999999999 3\n1 2\n1 1\n", &["line 1", "too large"]),
        ("2 3\n1 2\n1 1\n2 1 0 1 2 XOR\n", &["line 5", "ends after 1 of the 2 gates"]),
        ("1 3\n1 2\n1 1\n2 1 0 1 2 XOR\n\n2 1 0 1 2 XOR\n", &["line 6", "after the last of the 1 gates"]),
        ("1 3\n1 2\n1 1\n2 1 0 1 2 XOR\n\0\n", &["line 5", "after the last"]),
        (&gate("2 1 0 1 2 XO"), &["line 4", "unknown gate \"XO\"", "EQW"]),
        (&gate("2 1 0 1 2 xor"), &["line 4", "unknown gate"]),
        (&gate("2 1 0 1 2"), &["line 4", "name", "truncated"]),
        (&gate("2 1 0 1"), &["line 4", "ends too early"]),
        (&gate("2 1 0 1 XOR"), &["line 4", "\"XOR\" stands where a number"]),
        (&gate("2 1 0 1 1 2 XOR"), &["line 4", "more wires"]),
        (&gate("1 1 0 2 XOR"), &["line 4", "XOR takes 2 inputs", "not 1 and 1"]),
        (&gate("2 1 0 1 2 INV"), &["line 4", "INV takes 1 input and"]),
        (&gate("2 2 0 1 1 2 AND"), &["line 4", "AND takes 2 inputs"]),
        (&gate("2 1 0 1 2 XOR x"), &["line 4", "\"x\" stands after"]),
        (&gate("2 1 0 2 2 XOR"), &["line 4", "wire 2 is used before it is set"]),
        (&gate("2 1 0 1 1 XOR"), &["line 4", "wire 1 is set twice"]),
        (&gate("2 1 0 3 2 XOR"), &["line 4", "wire 3 is out of range"]),
        (&gate("2 1 0 1 3 AND"), &["line 4", "wire 3 is out of range"]),
        (&gate("2 1 0 18446744073709551616 2 XOR"), &["line 4", "too large"]),
        (&gate("2 1 0 -1 2 XOR"), &["line 4", "\"-1\""]),
        (&gate("2 1 0 0x1 2 XOR"), &["line 4", "\"0x1\""]),
        (&gate("9999999999999999999 9999999999999999999 0 1 2 MAND"), &["line 4", "\"MAND\" stands where"]),
        (&gate("3 1 0 1 1 2 MAND"), &["line 4", "MAND takes 2n"]),
        (&gate("0 0 MAND  "), &["line 4", "MAND takes 2n"]),
        (&gate("1 1 2 2 EQ"), &["line 4", "constant 0 or 1, not 2"]),
        ("1 3\n1 1 1\n1 1 0 2 EQW\n", &["line 3", "unknown gate \"EQW\"", "old Bristol format"]),
        ("1 4\n1 1 1\n4 2 0 1 0 1 2 3 MAND\n", &["line 3", "unknown gate \"MAND\""]),
        ("2 4\n1 2\n1 1\n2 1 0 1 3 XOR\n4 2 0 1 2 1 2 2 MAND\n", &["line 5", "wire 2 is used before"]),
        ("1 4\n1 2\n1 1\n2 1 0 1 2 XOR\n", &["output wire 3", "no gate"]),
        (&long, &["line 4", "longer than 1048576 bytes"]),
    ];
    for (text, words) in cases {
        let why = error(text.as_bytes());
        for word in *words {
            assert!(why.contains(word), "{word:?} is missing in {why:?}");
        }
        assert!(why.len() < 400, "{why}");
    }
    let bytes = error(b"1 3\n1 2\n1 1\n2 1 0 1 2 \xff\xfe\n");
    assert!(bytes.contains(r#"line 4: unknown gate "\xff\xfe""#), "{bytes}");
}

#[test]
fn errors_of_the_backend_pass() {
    let bristol = open(SMALL.as_bytes()).unwrap();
    let mut clear = Clear::<F2>::new([F2::ONE; 2]);
    let refused = bristol.run(&mut clear, |b, _| b.witness(), |b, at, w| b.assert_zero(w, at.wire));
    assert!(matches!(refused, Ok(())), "xor and nand of ones are zero");
    let mut clear = Clear::<F2>::new([F2::ONE, F2::ZERO]);
    let refused = bristol.run(&mut clear, |b, _| b.witness(), |b, at, w| b.assert_zero(w, at.wire));
    assert!(matches!(refused, Err(Error::Unsatisfied(name)) if name == "3"));
}

#[test]
fn a_changed_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.txt");
    std::fs::write(&path, SMALL).unwrap();
    let bristol = Bristol::open(&path).unwrap();
    Shape::of::<F2>(&bristol).unwrap();
    for changed in [SMALL.replace("XOR", "AND"), format!("{SMALL}\n"), SMALL.replace("1 2\n", "2 1\n")] {
        std::fs::write(&path, changed).unwrap();
        let refused = Shape::of::<F2>(&bristol);
        assert!(matches!(&refused, Err(Error::Invalid(why)) if why.contains("changed")), "{refused:?}");
    }
    assert!(Bristol::open(folder.path()).unwrap_err().to_string().contains("not a regular file"));
    assert!(
        Bristol::open(folder.path().join("b.txt")).unwrap_err().to_string().contains("b.txt cannot be read")
    );
}

#[test]
fn lines_may_cross_blocks() {
    let gates = 40_000;
    let mut text = format!("{gates} {}\n1 2\n1 1\n", gates + 2);
    for gate in 0..gates {
        text += &format!("2 1 {} {gate} {} XOR\n", gate + 1, gate + 2);
    }
    assert!(text.len() > 5 << 17);
    // Fibonacci modulo 2 has period 3.
    let expected = if (gates + 1) % 3 == 0 { "0" } else { "1" };
    assert_eq!(evaluate(text.as_bytes(), "01").unwrap(), expected);
    let wide = 20_000;
    let wires: String = (0..3 * wide).map(|wire| format!(" {wire}")).collect();
    let text = format!("1 {}\n2 {wide} {wide}\n1 {wide}\n{} {wide}{wires} MAND\n", 3 * wide, 2 * wide);
    assert_eq!(evaluate(text.as_bytes(), &"1".repeat(2 * wide)).unwrap(), "1".repeat(wide));
}

/// The wires for which a run would reserve memory.
fn table_bound(text: &[u8]) -> u64 {
    open(text).map_or(0, |bristol| bristol.header.wires)
}

proptest! {
    #[test]
    fn random_bytes_do_no_harm(text in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = open(&text).and_then(|bristol| Shape::of::<F2>(&bristol));
    }

    #[test]
    fn random_circuit_text_does_no_harm(text in "([0-9]{1,2} |[0-9]{18}|XOR|AND|INV|EQW?|MAND|\n){0,60}") {
        let text = text.as_bytes();
        prop_assert!(table_bound(text) <= text.len() as u64 + header::SPARE_INPUTS);
        let _ = open(text).and_then(|bristol| Shape::of::<F2>(&bristol));
    }

    #[test]
    fn mutations_do_no_harm(
        edits in proptest::collection::vec((any::<prop::sample::Index>(), 0..4u8, any::<u8>()), 1..5)
    ) {
        let mut text = SMALL.as_bytes().to_vec();
        for (at, kind, byte) in edits {
            let at = at.index(text.len());
            match kind {
                0 => text[at] = byte,
                1 => text.insert(at, b'0' + byte % 10),
                2 => text.truncate(at.max(1)),
                _ => drop(text.remove(at)),
            }
            if text.is_empty() { text.push(byte); }
        }
        prop_assert!(table_bound(&text) <= text.len() as u64 + header::SPARE_INPUTS);
        let _ = open(&text).and_then(|bristol| Shape::of::<F2>(&bristol));
    }
}
