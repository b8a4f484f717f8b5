//! Garbled circuits, and one of several clauses: by all systems, between two processes.

use crate::kit::{ABC, Ended, PREIMAGE, preimage, session, start_connecting, start_listening, volery};
use serde_json::Value;
use std::path::Path;

const SYSTEMS: [&str; 5] = ["quicksilver", "wolverine", "jko", "stack", "limbo"];

/// SHA-256 of `hello`.
const HELLO: &str = "0x2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";

/// An address at which nobody is asked for anything.
const NOWHERE: [&str; 2] = ["--connect", "127.0.0.1:1"];

/// The input that breaks the first of the pieces of code.
const EXPLOIT: &str = "input=0x736d616c6c5f626f4552524f5200";

/// A message of three bytes, one of five, or two numbers with a public sum: arguments of both sides.
fn one_of_three() -> Vec<String> {
    let adder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/circuits/adder8.txt");
    let relations = [PREIMAGE[1], "builtin:sha256-preimage?length=5", adder.to_str().expect("UTF-8")];
    let relations = relations.into_iter().flat_map(|relation| ["--relation".into(), relation.into()]);
    let public = [format!("1.{ABC}"), format!("2.digest={HELLO}"), "out0=0x8d".into()];
    relations.chain(public.into_iter().flat_map(|value| ["--public".into(), value])).collect()
}

/// Values that satisfy each of them.
const WITNESSES: [&[&str]; 3] =
    [&["1.message=text:abc"], &["2.message=text:hello"], &["3.in0=0x5a", "3.in1=0x33"]];

/// `verb` on `statement`, with private values and what comes after.
fn run<'a>(verb: &'a str, statement: &'a [String], private: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    let private = private.iter().flat_map(|value| ["--private", value]);
    let statement = statement.iter().map(String::as_str);
    [verb].into_iter().chain(statement).chain(private).chain(more.iter().copied()).collect()
}

/// The objects of two sides that agree.
#[track_caller]
fn accepted([verifier, prover]: [Ended; 2]) -> Value {
    let (verifier, prover) = (verifier.expect(0).json(), prover.expect(0).json());
    assert_eq!((&verifier["verdict"], &prover["verdict"]), (&"accepted".into(), &"accepted".into()));
    for key in ["system", "statement", "gates", "inputs", "clauses", "vole", "security"] {
        assert_eq!(verifier[key], prover[key], "{key}");
    }
    assert_eq!(prover["bytes"]["sent"], verifier["bytes"]["received"]);
    assert_eq!(prover["bytes"]["received"], verifier["bytes"]["sent"]);
    prover
}

/// The bytes that `circuit info` foretells of a system that garbles.
fn foretold(relation: &str, system: &str) -> Value {
    let info = volery(&["circuit", "info", relation, "--json"]).expect(0).json();
    let estimates = info["estimates"].as_array().expect("an array");
    let estimate = estimates.iter().find(|estimate| estimate["system"] == system).expect("of this system");
    estimate["bytes"].clone()
}

#[test]
fn statements_are_garbled() {
    for more in [&[][..], &["--gate-hash", "tmmo", "--security", "120"]] {
        let more = [&["--system", "jko", "--threads", "2", "--json"], more].concat();
        let prove = preimage("prove", &[&["--private", "message=text:abc"], &more[..]].concat());
        let object = accepted(session(&preimage("verify", &more), &prove));
        assert_eq!((&object["system"], &object["field"]), (&"jko".into(), &"f2".into()));
        assert!(object["vole"].is_null() && object["vole_reason"].is_null(), "{object}");
        assert!(object["clauses"].is_null() && object["threads"] == 2, "{object}");
        assert_eq!(object["bytes"], foretold(PREIMAGE[1], "jko"));
        // Without a check of its own the library's is made, once the peer is there.
        let wrong = preimage("prove", &[&["--private", "message=text:abd"], &more[..]].concat());
        volery(&[&wrong[..], &NOWHERE].concat()).refused(2, &["digest[2] does not hold"]);
        let verifier = start_listening(&preimage("verify", &more));
        let unchecked = [&wrong[..], &["--no-check"]].concat();
        start_connecting(&unchecked, &verifier.address).end().refused(2, &["digest[2] does not hold"]);
        // Who leaves without a word is no peer: the verifier waits for one.
        start_connecting(&prove, &verifier.address).end().expect(0);
        assert!(verifier.end().expect(0).err.contains("still listening"));
    }
}

#[test]
fn demo_runs_on_every_system() {
    for system in SYSTEMS {
        let object = volery(&["demo", "--system", system, "--json"]).expect(0).json();
        assert_eq!((&object["system"], &object["gates"]["mul"]), (&system.into(), &21_653.into()));
        assert_eq!(object["vole"].is_null(), !["quicksilver", "wolverine"].contains(&system));
        assert_eq!(object["clauses"].as_u64(), (system == "stack").then_some(1));
    }
    let object = volery(&["demo", "--system", "stack", "--threads", "2", "--json"]).expect(0).json();
    assert_eq!(object["threads"], 2);
}

/// Each in turn holds, and nothing that is sent or reported depends on which.
#[test]
fn one_of_several_relations_is_proved() {
    let statement = one_of_three();
    let short = ("quicksilver", "f2x64");
    for (system, field) in SYSTEMS.map(|system| (system, "f2")).into_iter().chain([short]) {
        // By wolverine the statement is so large that the bandwidth would be measured, and messages cross.
        let (vole, crossing): (&[_], _) =
            if system == "wolverine" { (&["--vole", "softspoken8"], true) } else { (&[], false) };
        let more = [&["--system", system, "--field", field, "--json"], vole].concat();
        let mut reports = Vec::new();
        // By others those that are not the first.
        for witness in WITNESSES.into_iter().skip(usize::from(system != "quicksilver")) {
            let prove = run("prove", &statement, witness, &more);
            reports.push(accepted(session(&run("verify", &statement, &[], &more), &prove)));
            if system == "quicksilver" {
                volery(&run("check", &statement, witness, &["--field", field])).expect(0);
            }
        }
        for key in ["statement", "gates", "inputs", "bytes", "rounds", "clauses"] {
            let same = reports.iter().all(|report| report[key] == reports[0][key]);
            assert!(same || (crossing && key == "rounds"), "{system}: {key}");
        }
        assert_eq!((&reports[0]["system"], &reports[0]["clauses"]), (&system.into(), &3.into()));
    }
    let check = volery(&run("check", &statement, WITNESSES[1], &["--json"])).expect(0).json();
    assert_eq!((&check["satisfied"], &check["clauses"]), (&true.into(), &3.into()));
    let table = volery(&run("check", &statement, WITNESSES[1], &[])).expect(0).out;
    assert!(table.contains("clauses      3"), "{table}");
}

/// All values of the last two relations are public: a sum that is right, and one that may be.
#[test]
fn a_clause_without_private_values_is_claimed_by_giving_none() {
    let adder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/circuits/adder8.txt");
    let adder = adder.to_str().expect("UTF-8");
    let statement = |relations: &[&str], public: &[&str]| -> Vec<String> {
        let relations = relations.iter().flat_map(|relation| ["--relation", relation]);
        relations.chain(public.iter().flat_map(|value| ["--public", value])).map(String::from).collect()
    };
    let first = format!("1.{ABC}");
    let of = |sum: &str, more: &[&str]| {
        let relations = &[PREIMAGE[1], adder, adder][..if more.is_empty() { 2 } else { 3 }];
        let sum = format!("2.out0={sum}");
        let public = [&[&first[..], "2.in0=0x5a", "2.in1=0x33", &sum][..], more].concat();
        statement(relations, &public)
    };
    let wrong: &[&str] = &["3.in0=0x5a", "3.in1=0x33", "3.out0=0x8e"];
    for system in SYSTEMS {
        let vole: &[_] = if system == "wolverine" { &["--vole", "softspoken8"] } else { &[] };
        let more = [&["--system", system, "--json"], vole].concat();
        let right = of("0x8d", &[]);
        let prove = |private: &[&str]| {
            let prove = run("prove", &right, private, &more);
            accepted(session(&run("verify", &right, &[], &more), &prove))
        };
        let (public, private) = (prove(&[]), prove(WITNESSES[0]));
        for key in ["statement", "gates", "inputs", "bytes", "clauses"] {
            assert_eq!(public[key], private[key], "{system}: {key}");
        }
    }
    // Of two that may hold the prover claims the one that does, also where nothing else is checked.
    let (third, second) = (of("0x8e", &["3.in0=0x5a", "3.in1=0x33", "3.out0=0x8d"]), of("0x8d", wrong));
    for statement in [&third, &second] {
        volery(&run("check", statement, &[], &[])).expect(0);
        for no_check in [&[][..], &["--no-check"]] {
            let prove = run("prove", statement, &[], &[&["--json"], no_check].concat());
            accepted(session(&run("verify", statement, &[], &["--json"]), &prove));
        }
    }
    volery(&run("check", &of("0x8e", &[]), &[], &[])).refused(2, &["relation 2: ", "out0[0] (wire 42)"]);
    let neither = of("0x8e", wrong);
    volery(&run("prove", &neither, &[], &NOWHERE))
        .refused(2, &["does not satisfy the statement: one of 3 clauses"]);
}

#[test]
fn stacks_have_their_options() {
    let statement = one_of_three();
    let both = ["--system", "stack", "--gate-hash", "tmmo", "--seeds", "each", "--json"];
    let verify = run("verify", &statement, &[], &[&both[..], &["--threads", "2"]].concat());
    for witness in WITNESSES {
        let more = [&both[..], &["--threads", "3", "--fixed-work", "--no-check"]].concat();
        let object = accepted(session(&verify, &run("prove", &statement, witness, &more)));
        assert_eq!(object["threads"], 3);
    }
}

/// The clauses of one relation, which share its witness.
#[test]
fn clauses_of_one_relation_are_stacked() {
    let relation = "builtin:bug-in-snippets?count=2";
    let statement: Vec<String> =
        ["--relation", relation, "--public", "bug=0b1", "--json"].map(String::from).into();
    let stack = ["--system", "stack"];
    let verify = run("verify", &statement, &[], &stack);
    let stacked = accepted(session(&verify, &run("prove", &statement, &[EXPLOIT], &stack)));
    assert_eq!((&stacked["clauses"], &stacked["inputs"]), (&2.into(), &224.into()));
    let prove = run("prove", &statement, &[EXPLOIT], &["--system", "jko"]);
    let whole = accepted(session(&run("verify", &statement, &[], &["--system", "jko"]), &prove));
    assert!(whole["clauses"].is_null());
    for (object, system) in [(&stacked, "stack"), (&whole, "jko")] {
        assert_eq!(object["bytes"], foretold(relation, system));
    }
    let info = volery(&["circuit", "info", relation]).expect(0).out;
    assert!(info.contains("clauses      2, each of up to") && info.contains("a stack prover"), "{info}");
    let received = |object: &Value| object["bytes"]["received"].as_u64().expect("a number");
    assert!(received(&stacked) < received(&whole) * 3 / 4, "{stacked} {whole}");
    // No clause holds: that is found beforehand, and needed even where nothing else is checked.
    let harmless = "input=0x000000000000000000000000000a";
    for more in [&stack[..], &["--system", "stack", "--no-check"]] {
        let prove = run("prove", &statement, &[harmless], &[more, &NOWHERE].concat());
        volery(&prove).refused(2, &["does not satisfy the statement: one of 2 clauses"]);
    }
    // That no piece breaks has one clause.
    let statement = statement.iter().map(|text| text.replace("0b1", "0b0")).collect::<Vec<_>>();
    let prove = run("prove", &statement, &[harmless], &stack);
    assert_eq!(accepted(session(&run("verify", &statement, &[], &stack), &prove))["clauses"], 1);
}

#[test]
fn a_clause_that_does_not_hold_is_named_beforehand() {
    let statement = one_of_three();
    for system in SYSTEMS {
        let more = ["--system", system, NOWHERE[0], NOWHERE[1]];
        for (witness, words) in [
            (&["1.message=text:abd"][..], &["relation 1: ", "digest[2] does not hold"][..]),
            (&["3.in0=0x5a", "3.in1=0x34"], &["relation 3: ", "out0[0] (wire 42)"]),
        ] {
            volery(&run("prove", &statement, witness, &more)).refused(2, words);
            let object = volery(&run("check", &statement, witness, &["--json"])).refused(2, words).json();
            assert_eq!(object["satisfied"], false);
        }
    }
}

#[test]
fn values_say_whose_they_are() {
    let statement = one_of_three();
    let cases: [(&[&str], &[&str]); 8] = [
        (&[], &["--private: no values", "1.NAME=VALUE"]),
        (&["message=text:abc"], &["--private: message: ", "as in 1.message"]),
        (
            &["1.message=text:abc", "2.message=text:hello"],
            &["relation 1", "relation 2", "give those of the one"],
        ),
        (&["4.message=text:abc"], &["--private: 4.message: there are relations 1 to 3"]),
        (&["0.message=text:abc"], &["there are relations 1 to 3"]),
        (&["3.in0=0x5a"], &["--private: relation 3: in1 has no value"]),
        (&["3.message=text:abc"], &["--private: relation 3: in0 has no value"]),
        (&["1.message=text:abcd"], &["--private: relation 1: message is 24 bits wide"]),
    ];
    for (private, words) in cases {
        let ended = volery(&run("prove", &statement, private, &NOWHERE)).refused(2, words);
        assert!(!ended.err.contains("616263") && !ended.err.contains("abc"), "{ended:?}");
        volery(&run("check", &statement, private, &[])).refused(2, words);
    }
    let two = ["--relation", PREIMAGE[1], "--relation", "builtin:sha256-preimage?length=5"];
    let cases: [(&[&str], &[&str]); 6] = [
        (&[&ABC.replace("digest", "root")], &["--public: no relation has an input or output root"]),
        (&["3.digest=0x12"], &["--public: 3.digest: there are relations 1 to 2"]),
        (&["1.digest=0x12"], &["--public: relation 1: digest is 256 bits wide"]),
        (&[&format!("1.{ABC}")], &["--public: relation 2: no output is public"]),
        (&[ABC, "2.digest=0x12"], &["--public: relation 2: digest is given twice"]),
        (&[ABC, "2.in0=0x12"], &["--public: relation 2: the relation has no input or output in0"]),
    ];
    for (public, words) in cases {
        let public = public.iter().flat_map(|value| ["--public", value]);
        let verify: Vec<_> = ["verify"].into_iter().chain(two).chain(public).chain(NOWHERE).collect();
        volery(&verify).refused(2, words);
    }
    let wrong = ["verify", "--relation", PREIMAGE[1], "--relation", "builtin:md5", "--public", ABC];
    volery(&[&wrong[..], &NOWHERE].concat()).refused(2, &["relation 2: ", "builtin:md5"]);
    // One relation takes no numbers.
    let numbered = format!("1.{ABC}");
    volery(&["verify", "--relation", PREIMAGE[1], "--public", &numbered, NOWHERE[0], NOWHERE[1]])
        .refused(2, &["no input or output 1.digest"]);
}

/// A value without a number goes to all that have the name; files have lines alike.
#[test]
fn values_of_several_relations_come_from_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str, content: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, content).expect("written");
        path.to_str().expect("UTF-8").to_owned()
    };
    let (public, private) =
        (path("public", &format!("# both\n{ABC}\n")), path("private", "2.message = text:abc"));
    let two = "builtin:sha256-preimage?length=3";
    let statement: Vec<String> =
        ["--relation", two, "--relation", two, "--public", &public].map(String::from).into();
    let verifier = start_listening(&run("verify", &statement, &[], &["--system", "stack"]));
    let more = ["--system", "stack", "--connect", &verifier.address];
    volery(&run("prove", &statement, &[&private], &more)).expect(0);
    verifier.end().expect(0);
}

#[test]
fn disagreements_on_garbling_are_named_on_both_sides() {
    let statement = one_of_three();
    let mut turned = statement.clone();
    turned.swap(1, 3);
    turned[7] = format!("1.digest={HELLO}");
    turned[9] = format!("2.{ABC}");
    let stack = ["--system", "stack"];
    let prove = run("prove", &statement, WITNESSES[0], &stack);
    let verify = |more: &[&'static str]| run("verify", &statement, &[], more);
    let cases = [
        (verify(&["--system", "jko"]), "disagree on the system", "the same --system"),
        (verify(&[]), "disagree on the system", "the same --system"),
        (verify(&["--system", "stack", "--gate-hash", "tmmo"]), "way of garbling", "the same --gate-hash"),
        (verify(&["--system", "stack", "--seeds", "each"]), "way of garbling", "the same --seeds"),
        (run("verify", &turned, &[], &stack), "disagree on the statement", "in the same order"),
    ];
    for (verify, what, advice) in cases {
        for ended in session(&verify, &prove) {
            ended.refused(3, &[what, "here", "there", advice]);
        }
    }
}

#[test]
fn what_has_no_part_in_a_system_is_refused() {
    #[rustfmt::skip]
    let cases: &[(&[&str], &[&str])] = &[
        (&["--system", "jko", "--vole", "tiny"], &["--vole: jko draws no correlations", "--system quicksilver"]),
        (&["--system", "stack", "--non-interactive"], &["--non-interactive: stack", "--system quicksilver"]),
        (&["--system", "jko", "--security", "122"], &["122 bits were asked for", "jko gives 121"]),
        (&["--system", "jko", "--seeds", "tree"], &["--seeds: jko has no clauses", "--system stack"]),
        (&["--system", "jko", "--threads", "none"], &["--threads: write a number from 1"]),
        (&["--system", "jko", "--gate-hash", "md5"], &["--gate-hash: no such name", "mitccrh, tmmo"]),
        (&["--system", "stack", "--seeds", "none"], &["--seeds: no such name", "tree, each"]),
        (&["--system", "stack", "--threads", "0"], &["--threads: write a number from 1"]),
        (&["--gate-hash", "tmmo"], &["--gate-hash: quicksilver garbles no gates", "--system jko or stack"]),
        (&["--seeds", "each"], &["--seeds: quicksilver has no clauses", "--system stack"]),
    ];
    let hints: &[(&[&str], &[&str])] =
        &[(&["--system", "stack", "--bandwidth", "50"], &["--bandwidth: stack", "--system quicksilver"])];
    for (more, words) in cases.iter().chain(hints) {
        volery(&[&preimage("verify", more)[..], &NOWHERE].concat()).refused(2, words);
    }
    for (more, words) in cases {
        volery(&[&["demo"], *more].concat()).refused(2, words);
    }
    for (system, words) in
        [("quicksilver", "quicksilver has no clauses to hide"), ("jko", "jko has no clauses")]
    {
        let more = ["--private", "message=text:abc", "--fixed-work", "--system", system];
        volery(&[&preimage("prove", &more)[..], &NOWHERE].concat()).refused(2, &["--fixed-work: ", words]);
    }
    let field =
        ["--field", "f61", "--relation", "builtin:factors", "--public", "n=15", NOWHERE[0], NOWHERE[1]];
    for system in ["jko", "stack"] {
        volery(&[&["verify", "--system", system], &field[..]].concat())
            .refused(2, &["--system: ", system, "is over f2, and not over f61", "leave it out"]);
    }
    volery(&[&["verify", "--relation", "builtin:factors"], &field[..]].concat())
        .refused(2, &["--relation is given more than once", "one of several is of bits", "give one"]);
}
