use super::*;
use crate::netlist::made::Aig;
use proptest::prelude::*;

fn error(bytes: &[u8]) -> String {
    match read("x.aig", bytes) {
        Err(Error::Invalid(why)) => why,
        other => panic!("{other:?} came of {}", bytes.escape_ascii()),
    }
}

/// Demands that each file is refused with all of its words.
fn refused(cases: &[(&[u8], &[&str])]) {
    for (bytes, words) in cases {
        let why = error(bytes);
        assert!(why.starts_with("x.aig, "), "{why}");
        for word in *words {
            assert!(why.contains(word), "{word:?} is missing in {why:?} of {}", bytes.escape_ascii());
        }
        assert!(why.len() < 400, "{why}");
    }
}

/// The half adder of the format's description, and a toggle flip-flop with enable and reset.
const HALF_ADDER: &[u8] =
    b"aag 7 2 0 2 3\n2\n4\n6\n12\n6 13 15\n12 2 4\n14 3 5\ni0 x\ni1 y\no0 s\no1 c\nc\nhalf adder\n";
const TOGGLE: &[u8] = b"aag 7 2 1 2 4\n2\n4\n6 8\n6\n7\n8 4 10\n10 13 15\n12 2 6\n14 3 7\n";

#[test]
fn the_examples_of_the_format_are_read() {
    let (logic, format) = read("x", HALF_ADDER).unwrap();
    assert_eq!((format, logic.inputs, logic.gates.len()), ("aag", 2, 3));
    assert_eq!(logic.input_names.values().collect::<Vec<_>>(), ["x", "y"]);
    // In text the sum stands before what it reads: gates are sorted.
    let l = Literal;
    assert_eq!(logic.gates, [Gate::and(l(2), l(4)), Gate::and(l(3), l(5)), Gate::and(l(7), l(9))]);
    assert_eq!(logic.outputs, [l(10), l(6)]);
    let binary = b"aig 5 2 0 2 3\n10\n6\n\x02\x02\x03\x02\x01\x02c\n";
    let (same, format) = read("x", binary).unwrap();
    assert_eq!(format, "aiger");
    assert_eq!((same.gates, same.outputs), (logic.gates, logic.outputs));
    let (toggle, _) = read("x", TOGGLE).unwrap();
    assert_eq!(toggle.latches, [Latch { next: l(14), start: Start::Bit(false) }]);
    assert_eq!(toggle.outputs, [l(6), l(7)]);
    assert_eq!(toggle.gates.last(), Some(&Gate::and(l(4), l(12))));
    // The smallest: constants, a wire, an inverter.
    for (text, output) in [("aag 0 0 0 1 0\n0\n", 0), ("aag 0 0 0 1 0\n1\n", 1), ("aag 1 1 0 1 0\n2\n3\n", 3)]
    {
        assert_eq!(read("x", text.as_bytes()).unwrap().0.outputs, [l(output)]);
    }
    assert_eq!(read("x", b"aig 1 1 0 1 0\n3\n").unwrap().0.outputs, [l(3)]);
}

#[test]
fn latches_have_first_values() {
    let text =
        b"aag 5 1 3 1 0 1 2\n4\n2 2 1\n10 3 10\n6 4\n6\n3\n2\n10\nb0 wrong\nc1 holds\nl1 here now\nc0 x\n";
    let (logic, _) = read("x", text).unwrap();
    let starts: Vec<_> = logic.latches.iter().map(|latch| latch.start).collect();
    assert_eq!(starts, [Start::Bit(true), Start::Free, Start::Bit(false)]);
    let next: Vec<_> = logic.latches.iter().map(|latch| latch.next.0).collect();
    assert_eq!(next, [4, 5, 2]);
    let lists = [&logic.outputs, &logic.bad, &logic.constraints]
        .map(|list| list.iter().map(|l| l.0).collect::<Vec<_>>());
    assert_eq!(lists, [vec![8], vec![5], vec![4, 6]]);
    assert_eq!(logic.bad_names[&0], "wrong");
    assert_eq!(logic.constraint_names[&1], "holds");
    let binary = b"aig 4 1 3 1 0 1 2\n4 1\n5 6\n2\n8\n5\n4\n6\nb0 wrong\nc1 holds\nc0 x\n";
    assert_eq!(read("x", binary).unwrap().0, logic);
}

#[test]
fn malformed_headers_are_named() {
    refused(&[
        (b"", &["line 1", "begins with"]),
        (b"aa", &["line 1", "begins with"]),
        (b"\x1f\x8b\x08\x00", &["line 1", "\"aag \" or \"aig \""]),
        (b"aag", &["line 1", "begins with"]),
        (b"aag ", &["line 1", "truncated"]),
        (b"aag 0 0 0 0 0", &["line 1", "ends within the line", "truncated"]),
        (b"aag 0 0 0 0\n", &["line 1", "\"0 0 0 0\"", "5 to 9 numbers"]),
        (b"aag 1 2 3 4 5 6 7 8 9 10\n", &["line 1", "5 to 9 numbers"]),
        (b"aag 0 0 0 0 x\n", &["line 1", "5 to 9 numbers"]),
        (b"aag 0 0 0 0 -1\n", &["line 1", "5 to 9 numbers"]),
        (b"aag 0 0 0 0 0 \n", &["line 1", "one space between"]),
        (b"aag 0  0 0 0 0\n", &["line 1", "one space between"]),
        (b"aag 0 0\t0 0 0\n", &["line 1", r"\t0"]),
        (b"aag 0 0 0 1 0\r\n1\r\n", &["line 1", "CR LF"]),
        (b"aag 0 0 0 0 99999999999999999999\n", &["line 1", "19 digits"]),
        (b"aag 2147483648 0 0 1 0\n1\n", &["line 1", "2^31"]),
        (b"aag 1 1 0 1 1\n2\n2\n4 2 2\n", &["line 1", "1 inputs, 0 latches and 1 ANDs", "1 variables"]),
        (b"aag 9 9999999999999999999 9999999999999999999 1 1\n", &["line 1", "more than the 9 variables"]),
        (b"aig 2 1 0 1 0\n2\n", &["line 1", "the sum of 1 inputs", ", 1"]),
        (b"aag 2000000000 1 0 1 0\n2\n2\n", &["line 1", "1999999999 variables that nothing defines"]),
        (b"aig 2000000000 2000000000 0 1 0\n2\n", &["line 1", "2000000000 inputs"]),
        (
            b"aag 1000000000 1000000000 0 1 0\n2\n",
            &["line 1", "1000000000 inputs", "holds at most 17", "truncated"],
        ),
        (b"aag 1000000000 0 1000000000 1 0\n2\n", &["line 1", "1000000000 latches", "truncated"]),
        (b"aag 1000000000 0 0 1 1000000000\n2\n", &["line 1", "1000000000 ANDs", "truncated"]),
        (b"aig 1000000000 0 0 1 1000000000\n2\n", &["line 1", "1000000000 ANDs", "truncated"]),
        (b"aag 1 0 0 1000000000000000000 0\n2\n", &["line 1", "1000000000000000000 outputs", "truncated"]),
        (b"aag 1 0 0 1 0 1000000000000000000\n2\n", &["line 1", "1000000000000000000 bad states"]),
        (b"aag 1 0 0 1 0 0 9223372036854775808\n2\n", &["line 1", "9223372036854775808 constraints"]),
        (b"aag 1 1 0 1 0 0 0 1 0\n2\n2\n1\n2\n", &["line 1", "1 justice and 0 fairness"]),
        (b"aag 1 1 0 1 0 0 0 0 1\n2\n2\n2\n", &["line 1", "0 justice and 1 fairness", "leave them out"]),
    ]);
}

#[test]
fn malformed_text_is_named_with_its_line() {
    refused(&[
        (b"aag 1 1 0 1 0\n2", &["line 2", "within the line of input 0"]),
        (b"aag 1 1 0 1 0\n2\n", &["line 3", "ends where output 0 should stand"]),
        (b"aag 1 1 0 1 0\n2\n2", &["line 3", "within the line of output 0"]),
        (b"aag 1 1 0 1 0\n3\n2\n", &["line 2", "3 cannot be the literal of an input", "even"]),
        (b"aag 1 1 0 1 0\n0\n2\n", &["line 2", "0 cannot be the literal of an input"]),
        (b"aag 1 1 0 1 0\n1\n2\n", &["line 2", "1 cannot be"]),
        (b"aag 1 1 0 1 0\n4\n2\n", &["line 2", "literal 4 is out of range", "up to 3"]),
        (
            b"aag 2 2 0 1 0\n2\n2\n2\n",
            &["line 3", "variable 1 (literal 2) is defined a second time, as an input"],
        ),
        (b"aag 1 1 0 1 0\n2 \n2\n", &["line 2", "\"2 \"", "one number"]),
        (b"aag 1 1 0 1 0\n\n2\n", &["line 2", "an empty line"]),
        (b"aag 1 1 0 1 0\n2\n2 2\n", &["line 3", "\"2 2\" stands where output 0 should"]),
        (b"aag 1 1 0 1 0\n2\n\0\n", &["line 3", r"\x00"]),
        (b"aag 1 1 0 1 0\n2\n2\r\n", &["line 3", "CR LF"]),
        (b"aag 1 1 0 1 0\n2\n4\n", &["line 3", "literal 4 is out of range"]),
        (b"aag 2 1 0 1 0\n2\n5\n", &["line 3", "literal 5 is read", "variable 2"]),
        (b"aag 2 1 1 1 0\n2\n4\n4\n", &["line 3", "latch 0", "2 to 3 numbers"]),
        (b"aag 2 1 1 1 0\n2\n4 2 0 0\n4\n", &["line 3", "2 to 3 numbers"]),
        (b"aag 2 1 1 1 0\n2\n5 2\n4\n", &["line 3", "5 cannot be the literal of a latch"]),
        (b"aag 2 1 1 1 0\n2\n2 2\n4\n", &["line 3", "defined a second time, as a latch"]),
        (b"aag 2 1 1 1 0\n2\n4 6\n4\n", &["line 3", "literal 6 is out of range"]),
        (b"aag 3 1 1 1 0\n2\n4 6\n4\n", &["line 3", "literal 6 is read", "variable 3"]),
        (b"aag 2 1 1 1 0\n2\n4 2 2\n4\n", &["line 3", "2 is no first value", "own literal 4"]),
        (b"aag 2 1 1 1 0\n2\n4 2 5\n4\n", &["line 3", "5 is no first value"]),
        (b"aag 2 1 0 1 1\n2\n4\n4 2\n", &["line 4", "AND 0", "3 numbers"]),
        (b"aag 2 1 0 1 1\n2\n4\n4 2 2 2\n", &["line 4", "3 numbers"]),
        (b"aag 2 1 0 1 1\n2\n4\n4 2 2", &["line 4", "truncated"]),
        (b"aag 2 1 0 1 1\n2\n4\n5 2 2\n", &["line 4", "5 cannot be the literal of an AND", "even"]),
        (b"aag 2 1 0 1 1\n2\n4\n2 2 2\n", &["line 4", "defined a second time, as an AND"]),
        (b"aag 2 1 0 1 1\n2\n4\n6 2 2\n", &["line 4", "literal 6 is out of range"]),
        (b"aag 2 1 0 1 1\n2\n4\n4 2 6\n", &["line 4", "literal 6 is out of range"]),
        (b"aag 3 1 0 1 1\n2\n4\n4 2 6\n", &["line 4", "literal 6 is read", "variable 3"]),
        (b"aag 2 1 0 1 1\n2\n4\n4 4 2\n", &["line 4", "reads itself through that of line 4", "latch"]),
        (b"aag 3 1 0 1 2\n2\n4\n4 6 2\n6 5 2\n", &["line 5", "reads itself through that of line 4"]),
        (b"aag 1 1 0 1 0\n2\n2\nx\n", &["line 4", "\"x\" stands behind the ANDs"]),
        (b"aag 1 1 0 1 0\n2\n2\n4 2 2\n", &["line 4", "does the first line announce all"]),
        (b"aag 1 1 0 1 0\n2\n2\ni0\n", &["line 4", "\"i0\""]),
        (b"aag 1 1 0 1 0\n2\n2\ni0 \n", &["line 4", "\"i0 \""]),
        (b"aag 1 1 0 1 0\n2\n2\ni0 a\r\n", &["line 4", "CR LF"]),
        (b"aag 1 1 0 1 0\n2\n2\ni0 a\0b\n", &["line 4", "byte 0 in it"]),
        (b"aag 1 1 0 1 0\n2\n2\ni0 a", &["line 4", "truncated"]),
        (b"aag 1 1 0 1 0\n2\n2\ni1 a\n", &["line 4", "input 1 is named, and there are 1"]),
        (b"aag 1 1 0 1 0\n2\n2\nl0 a\n", &["line 4", "latch 0 is named, and there are 0"]),
        (b"aag 1 1 0 1 0\n2\n2\nb0 a\n", &["line 4", "bad state 0 is named"]),
        (b"aag 1 1 0 1 0\n2\n2\nc0 a\n", &["line 4", "constraint 0 is named"]),
        (b"aag 1 1 0 1 0\n2\n2\nj0 a\n", &["line 4", "\"j0 a\""]),
        (b"aag 1 1 0 1 0\n2\n2\no18446744073709551616 a\n", &["line 4", "stands behind"]),
        (b"aag 1 1 0 1 0\n2\n2\no0 a\no0 b\n", &["line 5", "output 0 is named a second time"]),
    ]);
    // Behind a comment stands anything.
    for end in ["c", "c\n", "i0 a\nc\n\0\r\ni9 x"] {
        read("x", format!("aag 1 1 0 1 0\n2\n2\n{end}").as_bytes()).unwrap();
    }
}

#[test]
fn malformed_bytes_are_named_with_their_place() {
    refused(&[
        (b"aig 1 1 0 1 0\n", &["line 2", "output 0"]),
        (b"aig 1 1 0 1 0\n4\n", &["line 2", "literal 4 is out of range", "up to 3"]),
        (b"aig 1 0 1 1 0\n2 3\n2\n", &["line 2", "3 is no first value", "own literal 2"]),
        (b"aig 1 0 1 1 0\n2 0 0\n2\n", &["line 2", "1 to 2 numbers"]),
        (b"aig 2 1 0 1 1\n4\n\x02", &["byte 16", "AND 0", "truncated"]),
        (b"aig 2 1 0 1 1\n4\n\x80\x80", &["byte 16", "AND 0", "truncated"]),
        (b"aig 3 1 0 1 2\n4\n\x02\x00c\n", &["byte 18", "AND 1", "first difference 99"]),
        (b"aig 3 1 0 1 2\n4\n\x02\x00\x02\x80", &["byte 18", "AND 1", "truncated"]),
        (b"aig 2 1 0 1 1\n4\n\x00\x02c\ncccccccccccc", &["byte 16", "first difference is 0", "literal 4"]),
        (b"aig 2 1 0 1 1\n4\n\x05\x00c\ncccccccccccc", &["first difference 5 is more than its literal 4"]),
        (
            b"aig 2 1 0 1 1\n4\n\x02\x03c\ncccccccccccc",
            &["second difference 3 is more than its first operand 2"],
        ),
        (b"aig 2 1 0 1 1\n4\n\x80\x80\x80\x80\x80\x00\x00c\ncccccccc", &["more than 5 bytes"]),
        (b"aig 2 1 0 1 1\n4\n\x02\x80\x80\x80\x80\x80\x00c\ncccccccc", &["more than 5 bytes"]),
        (b"aig 2 1 0 1 1\n4\n\x02\x00\x02\x00", &["byte 18", "truncated"]),
        (b"aig 2 1 0 1 1\n4\n\x02\x00junk\n", &["byte 18", "\"junk\" stands behind the ANDs"]),
        (b"aig 2 1 0 1 1\n4\n\x02\x00i0 a\ni0 b\n", &["byte 23", "input 0 is named a second time"]),
        (b"aig 2 1 0 1 1\n4\n\x02\x00i0 a", &["byte 18", "truncated"]),
    ]);
}

/// Numbers that are announced are bounded by the length of the file before memory is taken for them.
#[test]
fn nothing_is_taken_on_a_headers_word() {
    for kind in ["aag", "aig"] {
        for place in 0..7 {
            let mut counts = [0u64; 7];
            counts[place] = 1_000_000_000;
            counts[0] = if place == 0 || place == 3 || place > 4 { counts[0] } else { 1_000_000_000 };
            let counts = counts.map(|count| format!(" {count}")).concat();
            let why = error(format!("{kind}{counts}\n").as_bytes());
            assert!(why.contains("1000000000"), "{why}");
        }
    }
}

#[test]
fn long_chains_take_no_stack() {
    let count = 200_000u32;
    // From the last to the first: each reads what stands behind it.
    let mut text = format!("aag {} 1 0 1 {count}\n2\n{}\n", count + 1, 2 * (count + 1));
    for own in (2..count + 2).rev() {
        text += &format!("{} {} 3\n", 2 * own, 2 * own - 1);
    }
    let (logic, _) = read("x", text.as_bytes()).unwrap();
    assert_eq!(logic.gates.len(), 200_000);
    assert_eq!(logic.outputs, [Literal(2 * (count + 1))]);
}

proptest! {
    #[test]
    fn both_kinds_agree(
        inputs in 0..4u32,
        latches in proptest::collection::vec((any::<u32>(), 0..3u8), 0..3),
        ands in proptest::collection::vec((any::<u32>(), any::<u32>()), 0..20),
        ends in proptest::collection::vec(any::<u32>(), 6),
        shuffled in any::<u64>(),
    ) {
        let mut aig = Aig::new(inputs);
        let latch = |(own, (_, reset)): (u32, &(u32, u8))| (0, [0, 1, 2 * own][usize::from(*reset)]);
        aig.latches = (inputs + 1..).zip(&latches).map(latch).collect();
        for (a, b) in &ands {
            let below = 2 * (inputs + (aig.latches.len() + aig.ands.len()) as u32 + 1);
            aig.and(a % below, b % below);
        }
        let nodes = inputs + (latches.len() + ands.len()) as u32 + 1;
        aig.latches.iter_mut().zip(&latches).for_each(|(latch, (next, _))| latch.0 = next % (2 * nodes));
        let [a, b, c, d, e, f] = [0, 1, 2, 3, 4, 5].map(|i| ends[i] % (2 * nodes));
        (aig.outputs, aig.bad, aig.constraints) = (vec![a, b, c], vec![d, e], vec![f]);
        aig.symbols = "o1 y\nb0 z\nc\nend".into();
        let (bytes, text) = (aig.bytes(), aig.text());
        let (logic, _) = read("x", &bytes).unwrap();
        prop_assert_eq!(&read("x", &text).unwrap().0, &logic);
        prop_assert_eq!(logic.gates.len(), ands.len());

        // The ANDs in another order are the same up to that.
        let text = String::from_utf8(text).unwrap();
        let mut lines: Vec<&str> = text.lines().collect();
        let first = 1 + inputs as usize + latches.len() + 6;
        let some = &mut lines[first..first + ands.len()];
        for i in (1..some.len()).rev() {
            some.swap(i, (shuffled.rotate_left(7 * i as u32) % (i as u64 + 1)) as usize);
        }
        let (other, _) = read("x", (lines.join("\n")).as_bytes()).unwrap();
        prop_assert_eq!(other.gates.len(), logic.gates.len());
        let run = |logic: &Logic| {
            (0..1u32 << (inputs + latches.len() as u32)).map(|values| {
                let leaf = |node| node > 0 && values >> (node - 1) & 1 == 1;
                let mut bits: Vec<bool> = (0..logic.first_gate()).map(leaf).collect();
                let of = |bits: &[bool], literal: Literal| bits[literal.node() as usize] ^ literal.negated();
                for gate in &logic.gates {
                    let [a, b] = gate.operands();
                    bits.push(of(&bits, a) & of(&bits, b));
                }
                let next = logic.latches.iter().map(|latch| latch.next);
                let ends = logic.outputs.iter().chain(&logic.bad).chain(&logic.constraints);
                let ends = ends.copied().chain(next);
                ends.map(|end| of(&bits, end)).collect::<Vec<_>>()
            }).collect::<Vec<_>>()
        };
        prop_assert_eq!(run(&logic), run(&other));
    }

    #[test]
    fn mutations_do_no_harm(
        binary: bool,
        edits in proptest::collection::vec((any::<prop::sample::Index>(), 0..4u8, any::<u8>()), 1..6),
    ) {
        let bytes = b"aig 6 2 1 2 3 1\n6 1\n10\n6\n12\n\x02\x02\x03\x02\x01\x02i0 x\nc\n";
        let mut bytes = if binary { bytes.to_vec() } else { TOGGLE.to_vec() };
        for (at, kind, byte) in edits {
            let at = at.index(bytes.len());
            match kind {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, b'0' + byte % 10),
                2 => bytes.truncate(at.max(4)),
                _ => drop(bytes.remove(at)),
            }
        }
        if let Ok((logic, _)) = read("x", &bytes) {
            prop_assert!(logic.gates.len() <= bytes.len());
            prop_assert!(u64::from(logic.leaves()) <= 2 * bytes.len() as u64 + header::SPARE);
        }
    }
}
