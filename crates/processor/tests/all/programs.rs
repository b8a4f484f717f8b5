//! The programs of `examples/programs`, as they are checked in.

use crate::kit::{ands, check, run};
use volery_processor::{Claim, Ended, Kind, Profile, Program, Run, Told, Trace};

macro_rules! program {
    ($name:literal) => {
        Program::read(include_bytes!(concat!("../../../../examples/programs/", $name, ".elf")))
            .expect("a program")
    };
}

fn ends(program: &Program, public: &[u8], private: &[u8]) -> Ended {
    run(program, public, private).expect("it ends")
}

fn hex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).expect("digits")).collect()
}

#[test]
fn sha256() {
    let program = program!("sha256");
    let digests = [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
        ),
    ];
    for (message, digest) in digests {
        let ended = ends(&program, &[], message.as_bytes());
        assert_eq!((ended.claim.output.clone(), ended.claim.end), (hex(digest), Told::Exit(0)));
        check(&program, &[], message.as_bytes(), ended.claim).expect("it holds");
    }
    // Little more than the gadget takes, 22,271 for a block.
    let abc = ends(&program, &[], b"abc").claim;
    assert_eq!(ands(&program, &[], abc).expect("a statement"), 22_496);
}

#[test]
fn aes() {
    let program = program!("aes");
    let (key, block) = (hex("000102030405060708090a0b0c0d0e0f"), hex("00112233445566778899aabbccddeeff"));
    let ended = ends(&program, &block, &key);
    assert_eq!(ended.claim.output, hex("69c4e0d86a7b0430d8cdb78070b4c55a"));
    check(&program, &block, &key, ended.claim).expect("it holds");
    assert_eq!(ends(&program, &block, &key[1..]).claim.end, Told::Exit(2));
}

#[test]
fn crc32() {
    let program = program!("crc32");
    let ended = ends(&program, &[], b"123456789");
    assert_eq!(ended.claim.output, 0xcbf4_3926u32.to_le_bytes());
    check(&program, &[], b"123456789", ended.claim).expect("it holds");
}

/// Amounts are added up, and nothing else is a number: 200 ANDs or so for a byte.
#[test]
fn total() {
    let program = program!("total");
    let lines = "EUR\n2026-10-01,refund,1200\n2026-10-15,salary,";
    for (text, code) in [
        (format!("{lines}8800\n"), 0),
        (format!("{lines}8799\n"), 1),
        (format!("{lines}8799 \n"), 1),
        (format!("{lines}8800"), 1),
        (format!("{lines}x8800\n99999,\n"), 0),
        (format!("{lines}99999999999\n"), 1),
        (format!("{lines}16777215\n").repeat(130), 1),
        ("EUR".into(), 1),
    ] {
        let ended = ends(&program, &[], text.as_bytes());
        let Claim { output, end, .. } = ended.claim.clone();
        assert_eq!((&output[..], end), (&b"EUR"[..], Told::Exit(code)), "{text:.60}");
        if text.len() < 100 {
            check(&program, &[], text.as_bytes(), ended.claim).expect("it holds");
        }
    }
    let text = format!("{lines}8800\n");
    let ands = ands(&program, &[], ends(&program, &[], text.as_bytes()).claim).expect("a statement");
    assert_eq!((text.len(), ands), (50, 10_014));
}

#[test]
fn quicksort() {
    let program = program!("quicksort");
    let mut state = 1u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state as i32
    };
    for count in [1, 2, 7, 8, 9, 100, 1024] {
        let mut numbers: Vec<i32> = (0..count).map(|_| next()).collect();
        let private: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        let ended = ends(&program, &[], &private);
        numbers.sort_unstable();
        assert_eq!(ended.claim.output, numbers[count / 2].to_le_bytes());
    }
    let told = crate::kit::why(check(
        &program,
        &[],
        &[1; 64],
        Claim { private: 64, output: vec![1; 4], end: Told::Exit(0) },
    ));
    assert!(told.contains("a branch depends on the private input") && told.contains("sort"), "{told}");
}

#[test]
fn json() {
    let program = program!("json");
    let amounts = [
        (r#"{"amount": -42}"#, -42),
        (r#" {"a":[{"amount":1},true,null,"\"amount\": 7\u00e9"], "amount" :77 , "b":{} }"#, 77),
        (r#"{"amoun":5,"amounts":6,"amount":8.25e1}"#, 8),
    ];
    for (document, amount) in amounts {
        let claim = ends(&program, &[], document.as_bytes()).claim;
        assert_eq!(
            (&claim.output[..], claim.end),
            (&i32::to_le_bytes(amount)[..], Told::Exit(0)),
            "{document}"
        );
    }
    for (document, code) in [
        ("", 1),
        ("{", 1),
        (r#"{"amount":}"#, 1),
        (r#"{"amount":1}x"#, 1),
        (r#"{"a":"\"#, 1),
        (r#"["\u12g4"]"#, 1),
        ("[1,]", 1),
        ("[[[]]]", 3),
        (r#"{"a":{"amount":1}}"#, 3),
    ] {
        assert_eq!(ends(&program, &[], document.as_bytes()).claim.end, Told::Exit(code), "{document}");
    }
    let deep = "[".repeat(65);
    assert_eq!(ends(&program, &[], deep.as_bytes()).claim.end, Told::Exit(1));
}

#[test]
fn regex() {
    let program = program!("regex");
    for (pattern, text, matches) in [
        ("abc", "abc", true),
        ("abc", "abcd", false),
        ("a.c", "axc", true),
        ("ab*c", "ac", true),
        ("ab*c", "abbbc", true),
        ("ab+c", "ac", false),
        ("ab?c", "abbc", false),
        (".*foo.*", "a foo b", true),
        ("[a-c0-9]+x", "a1c9x", true),
        ("[a-c0-9]+x", "d1x", false),
        ("[a-z0-9-]+@[a-z]+.[a-z]+", "foo-123@bar.com", true),
        ("", "", true),
    ] {
        let end = ends(&program, pattern.as_bytes(), text.as_bytes()).claim.end;
        assert_eq!(end, Told::Exit(u32::from(!matches)), "{pattern} {text}");
    }
}

#[test]
fn mate() {
    let program = program!("mate");
    let back_rank = b"......k......ppp........................................R.....K.";
    let scholar = b"r.bqkb.rpppp.ppp..n..n......p..Q..B.P...........PPPP.PPPRNB.K.NR";
    for (position, mv, code) in [
        (back_rank, b"a1a8", 0),
        (back_rank, b"a1a7", 1),
        (back_rank, b"a1b2", 2),
        (back_rank, b"g8h8", 2),
        (back_rank, b"a1a9", 2),
        (scholar, b"h5f7", 0),
        (scholar, b"h5e5", 1),
    ] {
        let end = ends(&program, position, mv).claim.end;
        assert_eq!(end, Told::Exit(code), "{}", String::from_utf8_lossy(mv));
    }
}

#[test]
fn parser() {
    let program = program!("parser");
    let good = ends(&program, &[], b"C\x01\x00xD\x02\x00\x0a\x0b").claim;
    assert_eq!((&good.output[..], good.end), (&21u32.to_le_bytes()[..], Told::Exit(0)));
    assert_eq!(ends(&program, &[], b"D\x41\x00").claim.end, Told::Exit(1));
    for length in [0xfffd, 0xfffe, 0xffffu16] {
        let [low, high] = length.to_le_bytes();
        assert_eq!(ends(&program, &[], &[b'D', low, high]).claim.end, Told::Fault(Kind::Store));
    }
}

#[test]
fn sudoku() {
    let program = program!("sudoku");
    let puzzle = b"530070000600195000098000060800060003400803001700020006060000280000419005000080079";
    let solution = b"534678912672195348198342567859761423426853791713924856961537284287419635345286179";
    let right = ends(&program, puzzle, solution).claim;
    assert_eq!(right.end, Told::Exit(0));
    check(&program, puzzle, solution, right.clone()).expect("it holds");
    for at in 0..81 {
        let mut wrong = *solution;
        wrong[at] = b'1' + (wrong[at] - b'0') % 9;
        assert_eq!(ends(&program, puzzle, &wrong).claim.end, Told::Exit(1), "{at}");
        assert!(check(&program, puzzle, &wrong, right.clone()).is_err());
    }
    // A solution of another puzzle.
    assert_eq!(ends(&program, &[b'9'; 81], solution).claim.end, Told::Exit(1));
    assert_eq!(ends(&program, puzzle, &solution[1..]).claim.end, Told::Exit(2));
}

#[test]
fn machine() {
    let program = program!("machine");
    let input: Vec<u8> = [5u32, 7].iter().flat_map(|number| number.to_le_bytes()).collect();
    // v0 = input; v1 = input; while v0: v2 += v1, v0 -= 1.
    let code = [
        10, 6, 0, 10, 6, 1, // both inputs
        5, 0, 7, 2, // on, if v0
        0, 0, // the end, where not
        5, 2, 5, 1, 2, 6, 2, // v2 += v1
        5, 0, 1, 1, 3, 6, 0, // v0 -= 1
        1, 1, 7, 0xe8, // back
    ];
    let ended = ends(&program, &input, &code);
    let mut variables = [0u8; 32];
    variables[4] = 7;
    variables[8] = 35;
    assert_eq!((&ended.claim.output[..], ended.claim.end), (&variables[..], Told::Exit(0)));
    for (code, exit) in [(&[2u8][..], 3), (&[1, 1, 1, 0, 9], 4), (&[11], 5), (&[1, 1, 7, 100], 3), (&[], 3)] {
        assert_eq!(ends(&program, &[], code).claim.end, Told::Exit(exit), "{code:?}");
    }
}

#[test]
fn runs_can_be_watched() {
    let program = program!("sha256");
    let locate = |address| program.symbols().place(address);
    let run = Run::new(&program, crate::kit::inputs(&[]), &locate);
    let mut profile = Profile::new(&program);
    let cycles = run.in_the_clear(b"abc", &mut profile).expect("it ends").cycles;
    let functions = profile.functions();
    // The call that ends it is not counted.
    assert_eq!(functions.iter().map(|(_, count)| count).sum::<u64>(), cycles - 1);
    assert!(functions[0].0 == "block" || functions[0].0 == "main", "{functions:?}");
    let mut lines = Vec::new();
    let mut trace = Trace::new(&program, &mut lines);
    run.in_the_clear(b"abc", &mut trace).expect("it ends");
    trace.finish().expect("written");
    let text = String::from_utf8(lines).expect("UTF-8");
    assert_eq!(text.lines().count() as u64, cycles - 1);
    let first = text.lines().next().expect("a line");
    assert!(first.contains("1 0x10000 (_start)") && first.contains("gp = 0x"), "{first}");
}
