//! Programs that are run, and runs that are proved.

use crate::kit::{KEYS, assert_keys, assert_values, session, volery};
use serde_json::{Value, json};

macro_rules! program {
    ($name:literal) => {
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/programs/", $name, ".elf")
    };
}

/// The SHA-256 of `abc`.
const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

#[test]
fn a_run_in_the_clear_tells_all_of_it() {
    let run = ["run", "--program", program!("sha256"), "--private-input", "text:abc"];
    let table = volery(&run).expect(0).out;
    assert!(table.contains("exit code 0") && table.contains(&format!("0x{ABC}")), "{table}");
    let object = volery(&[&run[..], &["--public-control", "--json"]].concat()).expect(0).json();
    assert_eq!(
        (&object["ended"], &object["exit_code"], &object["output"]),
        (&json!("exit"), &json!(0), &json!(ABC))
    );
    assert_eq!(object["public_control"]["mul"], json!(22_496));
    assert_values(
        &object,
        &["/cycles", "/cycles_per_second", "/memory_bytes", "/place/function", "/seconds/running"],
    );
    assert_eq!(object["private_input"], json!({"length": 3, "read": 3}));
    let profile = volery(&[&run[..], &["--profile", "--json"]].concat()).expect(0).json();
    let counts = profile["profile"].as_array().expect("functions").iter().map(|function| &function["cycles"]);
    let sum: u64 = counts.map(|count| count.as_u64().expect("a number")).sum();
    assert_eq!(json!(sum + 1), profile["cycles"]);
}

#[test]
fn a_crash_is_told_with_its_line() {
    let run = ["run", "--program", program!("parser"), "--private-input", "0x44ffff"];
    let table = volery(&run).expect(0).out;
    assert!(
        table.contains("(main+") && table.contains(", parser.c:17): store: there is no memory"),
        "{table}"
    );
    let object = volery(&[&run[..], &["--json"]].concat()).expect(0).json();
    assert_eq!(
        (&object["ended"], &object["exit_code"], &object["fault"]),
        (&json!("fault"), &Value::Null, &json!("store"))
    );
    assert_eq!(object["place"]["line"], json!("parser.c:17"));
}

#[test]
fn a_trace_has_a_line_for_each_instruction() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("trace");
    let trace = file.to_str().expect("UTF-8");
    let run =
        ["run", "--program", program!("json"), "--private-input", "text:{}", "--json", "--trace", trace];
    let cycles = volery(&run).expect(0).json()["cycles"].as_u64().expect("a number");
    let text = std::fs::read_to_string(&file).expect("a trace");
    assert_eq!(text.lines().count() as u64 + 1, cycles);
    assert!(text.lines().any(|line| line.contains("(value") && line.contains("addi sp, sp, -")), "{text}");
}

#[test]
fn runs_that_cannot_be_are_refused() {
    let sha256 = program!("sha256");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/programs/sha256.c");
    let refused: [(&[&str], &str); 12] = [
        (&["--program", "/no/such"], "--program /no/such: "),
        (&["--program", source], "it does not begin as one: give the file that a linker has written"),
        (&["--program", sha256, "--private-input", "z%q"], "--private-input: write text:"),
        (
            &["--program", sha256, "--private-input", "0x123"],
            "--private-input: behind 0x write two hexadecimal digits",
        ),
        (&["--program", sha256, "--private-input", "@/no/such"], "--private-input: /no/such: "),
        (
            &["--program", sha256, "--private-input", "-", "--public-input", "-"],
            "standard input is asked for twice",
        ),
        (&["--program", sha256, "--max-cycles", "1000"], "has not ended after 1000 instructions, at 0x1"),
        (&["--program", sha256, "--max-cycles", "0"], "--max-cycles: write a number of instructions"),
        (&["--program", sha256, "--memory", "4G"], "--memory: write a number of bytes below 4G"),
        (&["--program", sha256, "--stack", "2G"], "ask for less by --memory and --stack"),
        (&["--private-input", "text:"], "--program"),
        (
            &["--program", program!("quicksort"), "--private-input", "text:abcdefgh", "--public-control"],
            "quicksort.c:",
        ),
    ];
    for (arguments, words) in refused {
        let ended = volery(&[&["run"], arguments].concat()).refused(2, &[words]);
        assert!(!ended.err.contains("z%q"), "{ended:?}");
    }
    let keys = ["/ended", "/error", "/exit_code", "/fault", "/output", "/cycles"];
    assert_keys(&volery(&["run", "--program", "/no/such", "--json"]).expect(2).json(), &keys);
}

const RUN: [&str; 3] = ["--program", program!("sha256"), "--public-control"];

#[test]
fn a_run_is_proved() {
    let verify = [&["verify"], &RUN[..], &["--json"]].concat();
    let prove = [&["prove"], &RUN[..], &["--private-input", "text:abc", "--json"]].concat();
    let proofs = [session(&verify, &prove), session(&prove, &verify)];
    for object in proofs.into_iter().flatten().map(|ended| ended.expect(0).json()) {
        assert_keys(&object, &KEYS);
        assert_eq!((&object["verdict"], &object["output"]), (&json!("accepted"), &json!(ABC)));
        assert_eq!(
            (&object["ended"], &object["exit_code"], &object["fault"]),
            (&json!("exit"), &json!(0), &Value::Null)
        );
        assert_eq!((&object["gates"]["mul"], &object["inputs"]), (&json!(22_496), &json!(24)));
        assert_eq!((&object["cycles"], &object["private_input"]), (&json!(5_711), &json!(3)));
    }
}

/// A run whose branches and addresses depend on what is secret. Which correlations are fastest is measured, and
/// what they send differs: here they are the same each time.
const SECRET: [&str; 4] = ["--program", program!("quicksort"), "--vole", "tiny"];

#[test]
fn a_run_with_secret_control_is_proved() {
    let verify = [&["verify"], &SECRET[..], &["--json"]].concat();
    let prove = |input: &'static str, more: &[&'static str]| {
        [&["prove"], &SECRET[..], &["--private-input", input, "--json"], more].concat()
    };
    let mut sizes = Vec::new();
    // Of another path and another length.
    for input in ["0x0500000003000000ffffffff09000000", "0x0100000002000000"] {
        let ended = session(&verify, &prove(input, &[]));
        for object in ended.map(|ended| ended.expect(0).json()) {
            assert_keys(&object, &KEYS);
            assert_eq!((&object["verdict"], &object["field"]), (&json!("accepted"), &json!("f61")));
            assert_eq!((&object["exit_code"], &object["cycles"]), (&json!(0), &json!(4_096)));
            sizes.push(object["bytes"].clone());
        }
    }
    assert_eq!(sizes[..2], sizes[2..]);
    let padded = session(
        &[&verify[..], &["--max-cycles", "1500"]].concat(),
        &prove("0x0100000002000000", &["--max-cycles", "1500"]),
    );
    for object in padded.map(|ended| ended.expect(0).json()) {
        assert_eq!(object["cycles"], json!(1_500));
    }
    let [verifier, prover] =
        session(&[&verify[..], &["--max-cycles", "1500"]].concat(), &prove("0x0100000002000000", &[]));
    verifier.refused(3, &["a run of 4096 rows, and 1500 is the most: allow more by --max-cycles"]);
    prover.refused(3, &["is longer than it allows"]);
}

/// A prover's claim is work for its verifier before anything is proved: as much as that allows, and it is the prover
/// that asked for more.
#[test]
fn claims_are_bounded_by_who_verifies() {
    let prove = [&["prove"], &RUN[..], &["--private-input", "text:abc"]].concat();
    let bounds: [(&[&str], &str); 2] = [
        (
            &["--max-private-input", "2"],
            "a private input of 3 bytes, and 2 is the most: allow more by --max-private-input",
        ),
        (
            &["--max-cycles", "5000"],
            "what the prover claims: the program has not ended after 5000 instructions",
        ),
    ];
    for (bound, words) in bounds {
        let verify = [&["verify"], &RUN[..], bound].concat();
        let [verifier, prover] = session(&verify, &prove);
        verifier.refused(3, &[words, bound[0]]);
        prover.refused(3, &["is longer than it allows"]);
    }
    for verify in [&["--max-private-input", "3"], &["--max-cycles", "5711"]] {
        for ended in session(&[&["verify"], &RUN[..], verify].concat(), &prove) {
            ended.expect(0);
        }
    }
}

#[test]
fn a_crash_is_proved_without_its_path() {
    let parser = ["--program", program!("parser"), "--exit", "crash"];
    let verify = [&["verify"], &parser[..], &["--json"]].concat();
    let prove = [&["prove"], &parser[..], &["--private-input", "0x44ffff", "--json"]].concat();
    for object in session(&verify, &prove).map(|ended| ended.expect(0).json()) {
        assert_eq!((&object["verdict"], &object["ended"]), (&json!("accepted"), &json!("fault")));
    }
}

#[test]
fn other_systems_prove_runs_too() {
    for system in ["wolverine", "jko"] {
        let verify = [&["verify"], &RUN[..], &["--system", system]].concat();
        let prove = [&["prove"], &RUN[..], &["--private-input", "text:abc", "--system", system]].concat();
        for ended in session(&verify, &prove) {
            assert!(ended.expect(0).out.contains(ABC));
        }
    }
}

#[test]
fn an_end_and_an_output_can_be_demanded() {
    let puzzle = "text:530070000600195000098000060800060003400803001700020006060000280000419005000080079";
    let solution = "text:534678912672195348198342567859761423426853791713924856961537284287419635345286179";
    let wrong = "text:534678912672195348198342567859761423426853791713924856961537284287419635345286178";
    let sudoku = ["--program", program!("sudoku"), "--public-control", "--public-input", puzzle];
    let verify = |more: &[&'static str]| [&["verify"], &sudoku[..], more].concat();
    let prove = |input: &'static str, more: &[&'static str]| {
        [&["prove"], &sudoku[..], &["--private-input", input], more].concat()
    };
    for ended in session(&verify(&[]), &prove(solution, &[])) {
        ended.expect(0);
    }
    // What the prover's own run says against it is found before anybody is there.
    let alone =
        |more: &[&'static str]| volery(&[&prove(wrong, more)[..], &["--connect", "127.0.0.1:1"]].concat());
    alone(&[]).refused(2, &["by exit code 1, and exit code 0 was demanded by --exit"]);
    alone(&["--exit", "crash"]).refused(2, &["by exit code 1, and a fault was demanded by --exit"]);
    alone(&["--exit", "1", "--output", "text:x"]).refused(2, &["gives out something else than --output"]);
    for ended in session(&verify(&["--exit", "any"]), &prove(wrong, &["--exit", "1"])) {
        assert!(ended.expect(0).out.contains("exit_code     1"));
    }
    let [verifier, prover] = session(&verify(&[]), &prove(wrong, &["--exit", "any"]));
    verifier.refused(1, &["the prover claims exit code 1, and exit code 0 was demanded by --exit"]);
    prover.refused(1, &["it demands another end of the run: agree on --exit"]);
    let [verifier, prover] = session(&verify(&["--output", "0x00"]), &prove(solution, &[]));
    verifier.refused(1, &["the prover claims another output than --output"]);
    prover.refused(1, &["it demands another output of the run"]);
}

#[test]
fn both_sides_have_the_same_run() {
    let prove = [&["prove"], &RUN[..], &["--private-input", "text:abc"]].concat();
    let others: [&[&str]; 4] = [
        &["verify", "--program", program!("sha256")],
        &["verify", "--program", program!("crc32"), "--public-control"],
        &["verify", "--program", program!("sha256"), "--public-control", "--public-input", "text:x"],
        &["verify", "--program", program!("sha256"), "--public-control", "--stack", "128K"],
    ];
    for verify in others {
        for ended in session(verify, &prove) {
            ended.refused(
                3,
                &["the other side has another --program, --public-input, --memory, --stack, --misaligned or"],
            );
        }
    }
    for ended in session(&prove, &prove) {
        ended.refused(3, &["both sides prove: start one of them by verify"]);
    }
    let relation = crate::kit::preimage("verify", &[]);
    for ended in session(&relation, &prove) {
        assert_ne!(ended.code, Some(0), "{ended:?}");
    }
}

#[test]
fn what_runs_do_not_take_is_refused() {
    let refused: [(&[&str], &[&str]); 14] = [
        (
            &["prove", RUN[0], RUN[1], "--field", "f2", "--connect", "127.0.0.1:1"],
            &["--field: a run with secret control is over f61"],
        ),
        (
            &["prove", RUN[0], RUN[1], "--system", "wolverine", "--connect", "127.0.0.1:1"],
            &["--system: wolverine has no memory"],
        ),
        (
            &["prove", RUN[0], RUN[1], "--misaligned", "emulate", "--connect", "127.0.0.1:1"],
            &["misaligned accesses are emulated under public control only"],
        ),
        (
            &["prove", RUN[0], RUN[1], "--max-cycles", "100", "--connect", "127.0.0.1:1"],
            &["has not ended after 100"],
        ),
        // Rows are counted before the peer is there: that would take days.
        (
            &["prove", RUN[0], RUN[1], "--max-cycles", "1000000000000", "--connect", "127.0.0.1:1"],
            &["--max-cycles: 1000000000000 rows, and 4294967296 is the most"],
        ),
        (
            &["verify", RUN[0], RUN[1], "--max-cycles", "4294967297", "--connect", "127.0.0.1:1"],
            &["--max-cycles: 4294967297 rows, and 4294967296 is the most"],
        ),
        (
            &["verify", RUN[0], RUN[1], RUN[2], "--max-private-input", "1T", "--connect", "127.0.0.1:1"],
            &["--max-private-input: write a number of bytes"],
        ),
        (
            &["prove", RUN[0], RUN[1], RUN[2], "--field", "f61", "--connect", "127.0.0.1:1"],
            &["--field", "is over f2"],
        ),
        (
            &["prove", RUN[0], RUN[1], RUN[2], "--system", "stack", "--connect", "127.0.0.1:1"],
            &["--system: stack"],
        ),
        (
            &["prove", RUN[0], RUN[1], RUN[2], "--out", "/tmp/none"],
            &["--out: a run of a program is proved to a verifier"],
        ),
        (&["prove", RUN[0], RUN[1], RUN[2]], &["--listen or --connect"]),
        (
            &["prove", RUN[0], RUN[1], RUN[2], "--exit", "crash=never", "--connect", "127.0.0.1:1"],
            &["--exit: write"],
        ),
        (&["prove", RUN[0], RUN[1], RUN[2], "--relation", "x", "--connect", "127.0.0.1:1"], &["--relation"]),
        (&["verify", RUN[0], RUN[1], "--private-input", "text:x"], &["only the prover has it"]),
    ];
    for (arguments, words) in refused {
        volery(arguments).refused(2, words);
    }
}
