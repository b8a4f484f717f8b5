//! Wires that end where they are read for the last time: the same gates, and few slots.

use super::memories::with_ram;
use super::*;
use volery_circuit::Count;
use volery_primitives::F61;

fn planned(text: &str, planning: Planning) -> Sieve {
    let source = Source::Bytes(text.as_bytes().into());
    Sieve::planned("x.rel".into(), source, false, planning).unwrap_or_else(|why| panic!("{why}: {text}"))
}

/// The relation, planned whatever it has, in parts of so many bytes; or not at all.
fn opened(text: &str, part: Option<u64>) -> Sieve {
    let sieve = match part {
        Some(part) => planned(text, Planning { unplanned: 0, part, ..PLANNING }),
        None => planned(text, Planning { unplanned: u64::MAX, ..PLANNING }),
    };
    assert_eq!(sieve.survey.plan.is_some(), part.is_some());
    sieve
}

fn fingerprint(sieve: Sieve, public: usize) -> [u8; 32] {
    try_fingerprint(sieve, public).unwrap()
}

fn try_fingerprint(sieve: Sieve, public: usize) -> Result<[u8; 32]> {
    let mut values = Values::<Elements<F61>>::new();
    if public > 0 {
        values.read("public", Written::Encodings(&vec![0; 8 * public])).unwrap();
    }
    let stated = Stated::new::<F61>(sieve, values)?;
    let source: &dyn stream::Source<F61> = &stated;
    Ok(Count::<F61>::fingerprint(&Streamed(source))?.1)
}

/// The slots that the statement takes, and those of wires that are set at its end.
fn slots(sieve: &Sieve) -> (usize, usize) {
    let (text, _) = open(&sieve.name, &sieve.source).unwrap();
    let mut reader = Reader::new(text).unwrap();
    if let Some(plan) = &sieve.survey.plan {
        reader.follow(plan.clone());
    }
    let mut batch = Body::default();
    while reader.next(&mut batch).unwrap() {}
    (reader.slots(), reader.scope.slots.taken())
}

#[test]
fn long_chains_take_few_slots() {
    let mut gates = "$0 ... $9 <- @private();\n".to_owned();
    for i in 10..70_000 {
        gates += &format!("${i} <- @mul(0: ${}, ${});\n", i - 1, i - 10);
    }
    let text = over_f61("", &(gates + "@assert_zero($69999);"));
    // It is in several parts.
    let sieve = planned(&text, Planning { unplanned: 69_999, ..PLANNING });
    assert!(sieve.survey.plan.is_some() && text.len() > 2 << 20);
    assert!(planned(&text, Planning { unplanned: 70_000, ..PLANNING }).survey.plan.is_none());
    let of_two = Planning { unplanned: 0, of_two: true, ..PLANNING };
    assert!(planned(&text, of_two).survey.plan.is_none());
    assert_eq!(slots(&sieve), (11, 0));
    assert_eq!(slots(&opened(&text, None)), (70_000, 70_000));
    assert_eq!(fingerprint(sieve, 0), fingerprint(opened(&text, None), 0));
}

#[test]
fn wires_that_nobody_reads_take_a_slot_for_a_line() {
    let text = over_f61(
        "",
        "$0 <- @private();\n$1 ... $1000 <- @private();\n$2 ... $9 <- $10 ... $17;\n@assert_zero($0);",
    );
    assert_eq!(slots(&opened(&text, Some(1))), (1001, 0));
}

#[test]
fn a_plan_is_no_larger_than_its_text_lets_expect() {
    let text =
        |lines: usize| over_f61("", &("$0 ... $99999 <- @private();\n".repeat(lines) + "@assert_zero($0);"));
    let is_planned =
        |lines| planned(&text(lines), Planning { unplanned: 99_999, ..PLANNING }).survey.plan.is_some();
    assert_eq!([5, 100].map(is_planned), [true, false]);
}

/// Lines at random: all gates that set wires, again or not, by ranges, copies and calls, and deletions.
fn lines(seed: u64) -> String {
    const WIRES: u64 = 24;
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    };
    let mut set = [false; WIRES as usize];
    let mut gates = "@function(f, @out: 0:1, 0:1, @in: 0:1, 0:1)\n$0 <- @mul($2, $3);\n$1 <- $3;\n\
        @assert_zero($2);\n@end\n\
        $0 <- @private();\n"
        .to_owned();
    set[0] = true;
    for line in 0..40 {
        let mut known = || loop {
            let id = next(WIRES);
            if set[id as usize] {
                return id;
            }
        };
        let (a, b) = (known(), known());
        let (out, other, what) = (next(WIRES), next(WIRES), next(12));
        let (low, high) = (out.min(other), out.max(other));
        let made: Vec<u64> = match what {
            0 | 1 => {
                gates += &format!("${out} <- @add(${a}, ${b});\n");
                vec![out]
            }
            2 | 3 => {
                gates += &format!("${out} <- @mul(0: ${a}, ${b});\n");
                vec![out]
            }
            4 => {
                gates += &format!("${out} <- @addc(${a}, <{line}>);\n");
                vec![out]
            }
            5 => {
                gates += &format!("${out} <- <{line}>; // one\n");
                vec![out]
            }
            6 => {
                gates += &format!("${low} ... ${high} <- @private();\n");
                (low..=high).collect()
            }
            7 if low < high => {
                gates += &format!("${low}, ${high} <- ${a}, ${b};\n");
                vec![low, high]
            }
            8 if low < high => {
                gates += &format!("${low}, ${high} <- @call(f, ${a}, ${b});\n");
                vec![low, high]
            }
            9 if a > 0 => {
                gates += &format!("@delete(${a});\n");
                set[a as usize] = false;
                vec![]
            }
            10 => {
                gates +=
                    &format!("@function(g{line})\n$7 <- <1>;\n$7 <- @add($7, $7);\n@end\n@call(g{line});\n");
                vec![]
            }
            _ => {
                gates += &format!("@assert_zero(${a});\n");
                vec![]
            }
        };
        made.iter().for_each(|&id| set[id as usize] = true);
        // One is always set, to be read.
        set[0] = true;
    }
    over_f61("", &(gates + "@assert_zero($0);"))
}

#[test]
fn the_same_gates_are_pushed() {
    for seed in 0..200 {
        let text = lines(seed);
        let expected = fingerprint(opened(&text, None), 0);
        for part in [1, 100, 1 << 20] {
            let sieve = opened(&text, Some(part));
            assert_eq!(slots(&sieve).1, 0, "{text}");
            assert_eq!(fingerprint(sieve, 0), expected, "{text}");
        }
    }
}

/// One relation, with the plan of another.
fn with_plan_of(text: &str, other: &str) -> Sieve {
    let mut sieve = opened(text, Some(1));
    sieve.survey.plan = opened(other, Some(1)).survey.plan;
    sieve
}

/// An assertion is never about an older wire of the same number.
#[test]
fn the_plan_of_another_text_changes_no_gates() {
    let text =
        |out| over_f61("", &format!("$0 ... $1 <- @private();\n${out} <- @mul($1, $1);\n@assert_zero($0);"));
    let why = try_fingerprint(with_plan_of(&text(0), &text(9)), 0).unwrap_err().to_string();
    assert!(why.contains("wire $0 of type 0 is not set here"), "{why}");
    let mut same = 0;
    for seed in 0..100 {
        let text = lines(seed);
        let expected = fingerprint(opened(&text, None), 0);
        if let Ok(made) = try_fingerprint(with_plan_of(&text, &lines(seed + 1000)), 0) {
            assert_eq!(made, expected, "{text}");
            same += 1;
        }
    }
    assert!(same < 100, "no plan was another one");
}

#[test]
fn the_plan_of_fewer_types_is_no_plan() {
    let text = over_f61("", "$0 <- @private();\n$1 <- @mul($0, $0);\n@assert_zero($1);");
    let of_two = text.replace("@begin", &format!("{F61_TYPE}\n@begin")).replace("$0, $0", "1: $0, $0");
    let of_two = of_two.replace("@private()", "@private(1)").replace("zero($1)", "zero(1: $1)");
    let expected = fingerprint(opened(&of_two, None), 0);
    assert_eq!(fingerprint(with_plan_of(&of_two, &text), 0), expected);
}

/// The text is the same when it is read backwards.
#[test]
fn a_text_that_changes_while_it_is_planned_is_found() {
    let text = |last: &str| {
        let mut gates = "$0 <- @private();\n".to_owned();
        (1..50).for_each(|i| gates += &format!("${i} <- @add($0, ${});\n", i - 1));
        over_f61("", &(gates + last + "@assert_zero($49);"))
    };
    let (text, other) = (text("$8 <- @mul($1, $1);\n"), text("$9 <- @mul($1, $1);\n"));
    let plan = |planned: &str| {
        let mut reader = Reader::checking(Text::new("x.rel", Box::new(text.as_bytes())), false, 100).unwrap();
        while reader.next(&mut Body::default()).unwrap() {}
        let (parts, end) = reader.take_parts();
        assert!(parts.len() > 5);
        WirePlan::new(&mut reader, "x.rel", (&parts, end), |from, to| {
            Ok(Text::new("x.rel", Box::new(&planned.as_bytes()[from as usize..to as usize])))
        })
        .map(|plan| plan.is_some())
    };
    assert!(plan(&text).unwrap());
    let cut = text.replace("@mul($1, $1);", "@mul($1, $1)");
    for changed in [&other, &cut] {
        let mut changed = changed.clone();
        while changed.len() < text.len() {
            changed.push(' ');
        }
        let why = plan(&changed).unwrap_err().to_string();
        assert!(why.contains("the file has changed"), "{why}");
    }
}

/// A text of many gates with few wires takes no plan: the bits would be more than the wires.
#[test]
fn a_plan_is_no_larger_than_the_wires_that_it_saves() {
    let text = over_f61("", &("$0 ... $1023 <- @private();\n".repeat(9000) + "@assert_zero($0);"));
    assert!(planned(&text, Planning { unplanned: 0, ..PLANNING }).survey.plan.is_none());
}

/// The end of a memory is gates, which stay where they are.
#[test]
fn memories_end_where_they_are_deleted() {
    let text = with_ram(
        "$0 <- @private();\n$1 <- @call(init, $0);\n$2 <- @call(read, $1, $0);\n$3 <- @mul($2, $2);\n\
         @delete(1: $1);\n$4 <- @call(init, $3);\n$5 <- @call(read, $4, $0);\n@assert_zero($5);\n\
         $6 <- @mul($5, $3);\n@assert_zero($6);",
    );
    let expected = fingerprint(opened(&text, None), 0);
    assert_eq!(fingerprint(opened(&text, Some(1)), 0), expected);
}
