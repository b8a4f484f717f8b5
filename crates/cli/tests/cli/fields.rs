//! Statements over other fields than F_2.

use crate::kit::{FIELDS, Running, session, start_listening, volery};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

/// An address at which nobody is asked for anything.
const NOWHERE: [&str; 2] = ["--connect", "127.0.0.1:1"];

/// The fifth power of two, which is 32 in characteristic two as well.
const POWER: [&str; 4] = ["--relation", "builtin:power?exponent=5", "--public", "y=32"];
const TWO: [&str; 2] = ["--private", "x=2"];

/// `verb` on the statement about a power over `field`, and what comes after.
fn power<'a>(verb: &'a str, field: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&[verb, "--field", field], &POWER[..], more].concat()
}

#[test]
fn each_field_is_proved_over() {
    for field in &FIELDS[2..] {
        let info = volery(&["circuit", "info", POWER[1], "--field", field, "--json"]).expect(0).json();
        let proof = power("prove", field, &[TWO[0], TWO[1], "--json"]);
        let [verifier, prover] = session(&power("verify", field, &["--json"]), &proof);
        let (prover, verifier) = (prover.expect(0).json(), verifier.expect(0).json());
        for (object, role) in [(&prover, "prover"), (&verifier, "verifier")] {
            assert_eq!((&object["verdict"], &object["role"]), (&"accepted".into(), &role.into()));
            assert_eq!((&object["field"], &object["gates"]["mul"]), (&(*field).into(), &3.into()));
            assert_eq!((&object["vole"], &object["inputs"]), (&"direct".into(), &1.into()), "{object}");
            let bits = object["security"]["statistical_bits"].as_u64().expect("a number");
            let least = if ["f61", "goldilocks", "q32", "f65537"].contains(field) { 40 } else { 100 };
            assert!(bits >= least, "{object}");
        }
        assert_eq!(prover["bytes"]["sent"], verifier["bytes"]["received"]);
        assert_eq!(prover["bytes"]["received"], verifier["bytes"]["sent"]);
        assert_eq!(prover["statement"], verifier["statement"]);
        // `circuit info` foretells every byte.
        let foretold = &info["estimates"][0];
        assert_eq!((&foretold["vole"], &foretold["bytes"]), (&prover["vole"], &prover["bytes"]));
    }
}

/// A preimage, whose wires are bits with MACs of 64 bits.
#[test]
fn bits_have_short_macs_where_they_are_asked_for() {
    let digest = "digest=0xba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    let relation = "builtin:sha256-preimage?length=3";
    let of = |verb| [verb, "--field", "f2x64", "--relation", relation, "--public", digest];
    let private = ["--private", "message=text:abc"];
    let info = volery(&["circuit", "info", relation, "--field", "f2x64", "--json"]).expect(0).json();
    for vole in ["auto", "softspoken4", "tiny"] {
        let more = ["--vole", vole, "--json"];
        let proof = [&of("prove")[..], &more, &private].concat();
        let [verifier, prover] = session(&[&of("verify")[..], &more].concat(), &proof);
        let (prover, verifier) = (prover.expect(0).json(), verifier.expect(0).json());
        assert_eq!((&verifier["verdict"], &verifier["field"]), (&"accepted".into(), &"f2x64".into()));
        let bits = verifier["security"]["statistical_bits"].as_u64().expect("a number");
        assert!((40..=61).contains(&bits), "{verifier}");
        let foretold = info["estimates"].as_array().expect("a list").iter();
        let by = |each: &&Value| each["vole"] == prover["vole"];
        let foretold = foretold.clone().find(by).unwrap_or_else(|| panic!("{info}"));
        assert_eq!(foretold["bytes"], prover["bytes"], "{vole}");
    }
    for (more, words) in [
        (["--security", "64"], "f2x64 gives"),
        (["--vole", "direct"], "there is auto, softspoken4, softspoken8, tiny, l2, mid, wan"),
        (["--system", "jko"], "is over f2, and not over f2x64"),
    ] {
        volery(&[&of("verify")[..], &NOWHERE, &more].concat()).refused(2, &[words]);
    }
    let asked = [&of("verify")[..], &NOWHERE, &["--security", "100"]].concat();
    volery(&asked).refused(2, &["100 bits", "f2x64 gives", "take --field f2"]);
}

#[test]
fn each_field_refuses_a_wrong_witness_by_name() {
    for field in &FIELDS[2..] {
        let wrong = ["--private", "x=3"];
        volery(&power("check", field, &TWO)).expect(0);
        volery(&power("check", field, &wrong)).refused(2, &["does not satisfy the statement: y"]);
        let proof = power("prove", field, &[&wrong[..], &NOWHERE].concat());
        volery(&proof).refused(2, &["does not satisfy the statement: y"]);
    }
    let values = ["--public", "total=300", "--private", "values=44,256"];
    let sum = ["check", "--field", "f61", "--relation", "builtin:range-sum?count=2&bits=8"];
    volery(&[&sum[..], &values].concat()).refused(2, &["values[1] below 2^8"]);
    let unchecked = power("prove", "f61", &["--private", "x=3", "--no-check"]);
    let [verifier, prover] = session(&power("verify", "f61", &["--json"]), &unchecked);
    prover.refused(2, &["does not satisfy the statement: y"]);
    // It left after a coin, which is no accident.
    let words = ["the peer closed the link", "by then the prover could foresee", "taken for a rejection"];
    let object = verifier.refused(1, &words).json();
    assert_eq!((&object["verdict"], &object["counts_against_peer"]), (&"rejected".into(), &true.into()));
}

/// The value of each kind of place, all over a process of either role.
#[test]
fn lists_come_from_arguments_files_and_standard_input() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str, content: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, content).expect("written");
        path.to_str().expect("UTF-8").to_owned()
    };
    let relation = ["--field", "f61", "--relation", "builtin:linear?rows=2&columns=2"];
    let matrix = path("matrix", "# two rows\nmatrix = 1, -1, 0x10, 0\n");
    let public = ["--public", &matrix, "--public", "b=-3,64"];
    let x = format!("x=@{}", path("x", "4,\n 7\n"));
    for (private, input) in [("x=4,7", ""), ("x=0x4,-2305843009213693944", ""), (&x, ""), ("x=-", "4,7\n")] {
        let verifier = start_listening(&[&["verify"], &relation[..], &public].concat());
        let proof = [&["prove"], &relation[..], &public, &["--private", private]].concat();
        let proof = [&proof[..], &["--connect", &verifier.address]].concat();
        Running::start(&proof, input.as_bytes(), &[]).end().expect(0);
        verifier.end().expect(0);
    }
}

#[test]
fn values_that_do_not_fit_say_what_does() {
    let notation = "write decimal digits, or 0x and hexadecimal ones";
    for wrong in ["0X20", "0b10", "text:a", "+3", "0x2g"] {
        let [value, public] = ["x", "y"].map(|name| format!("{name}={wrong}"));
        let check = power("check", "f61", &["--private", &value]);
        volery(&check).refused(2, &["--private: x: character", notation]);
        let check = ["check", "--field", "f61", POWER[0], POWER[1], "--public", &public];
        let ended = volery(&check).refused(2, &["--public: y: character", notation]);
        assert!(!ended.err.contains(wrong), "{ended:?}");
    }
    let check = ["check", "--field", "f61", POWER[0], POWER[1], "--public", "y=33,1"];
    let ended = volery(&check).refused(2, &["--public: y takes 1 element, and", "has 2 elements"]);
    assert!(!ended.err.contains("commas"), "{ended:?}");
    volery(&power("check", "f61", &["--private", "x=1,2"])).refused(2, &["--private: x takes 1 element"]);
    // The same number in both bases, the modulus, and what is longer than all.
    let large = |private: &str| {
        let y = "y=0x240000000000000000000000000000000000000000000000000000000000004";
        volery(&[
            "check",
            "--field",
            "bn254",
            "--relation",
            "builtin:power?exponent=1",
            "--public",
            y,
            "--private",
            private,
        ])
    };
    large("x=0x240000000000000000000000000000000000000000000000000000000000004").expect(0);
    large("x=1017703909312349373839979360427921065116630724600356519878045171944548990980").expect(0);
    let above = "21888242871839275222246405745257275088548364400416034343698204186575808495617";
    large(&format!("x={above}")).refused(2, &["is not below", above, "the modulus of bn254"]);
    large(&format!("x=-{}0", &above[..76])).expect(2);
    large(&format!("x=0x1{}", "0".repeat(64))).refused(2, &["is not below", "the modulus of bn254"]);
    let linear = ["check", "--field", "f61", "--relation", "builtin:linear", "--public", "matrix=1,2"];
    volery(&linear).refused(2, &["--public: matrix takes 6 elements, with commas between them"]);
}

#[test]
fn disagreements_on_the_field_are_named() {
    for (here, there) in [("f61", "f61x2"), ("goldilocks", "f61"), ("f65537", "f256"), ("q32", "f65537")] {
        let sides = session(&power("verify", here, &[]), &power("prove", there, &TWO));
        for (ended, [ours, theirs]) in sides.into_iter().zip([[here, there], [there, here]]) {
            let places = [format!("here {ours}"), format!("there {theirs}")];
            ended.refused(3, &["disagree on the field", &places[0], &places[1], "the same --field"]);
        }
    }
}

#[test]
fn gates_are_one_way_where_the_extension_is_large() {
    for (field, advice) in [("f61", "--field f61x2"), ("goldilocks", "--field goldilocksx2"), ("f65537", "")]
    {
        for (verb, private) in [("prove", &TWO[..]), ("verify", &[])] {
            let asked = power(verb, field, &[private, &NOWHERE, &["--non-interactive"]].concat());
            volery(&asked).refused(2, &["--non-interactive", field, "leave it out", advice]);
        }
    }
    for field in ["f61x2", "f256", "bn254", "bls12-381"] {
        let proof = power("prove", field, &[TWO[0], TWO[1], "--non-interactive"]);
        for ended in session(&power("verify", field, &["--non-interactive"]), &proof) {
            ended.expect(0);
        }
    }
}

/// A peer that is not there would be an error of the network.
#[test]
fn too_much_security_is_refused_before_anything_is_sent() {
    for vole in ["auto", "direct", "l2"] {
        for (verb, private) in [("prove", &TWO[..]), ("verify", &[])] {
            let more = [private, &NOWHERE, &["--vole", vole, "--security", "60"]].concat();
            let ended = volery(&power(verb, "f61", &more));
            ended.refused(2, &["--security: 60 bits", "f61 gives", "ask for fewer, or take --field f61x2"]);
        }
    }
    let more = [&NOWHERE[..], &["--security", "125"]].concat();
    let ended = volery(&power("verify", "f61x2", &more)).refused(2, &["125 bits", "ask for fewer"]);
    assert!(!ended.err.contains("take"), "{ended:?}");
    let proof = power("prove", "f61", &[TWO[0], TWO[1], "--security", "48"]);
    for ended in session(&power("verify", "f61", &["--security", "30", "--insecure-parameters"]), &proof) {
        ended.expect(0);
    }
}

#[test]
fn relations_of_other_fields_say_which_they_need() {
    let adder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/circuits/adder8.txt");
    let adder = adder.to_str().expect("UTF-8");
    #[rustfmt::skip]
    let cases: &[(&[&str], &[&str])] = &[
        (&[adder, "--field", "f61"], &["adder8.txt", "choose the field f2"]),
        (&["builtin:sha256-preimage", "--field", "goldilocks"], &["sha256-preimage is over f2"]),
        (&["builtin:power"], &["builtin:power is over larger fields than f2", "f61"]),
        (&["builtin:factors", "--field", "f256"], &["builtin:factors", "f256"]),
        (&["builtin:sis", "--field", "f256"], &["builtin:sis", "f256"]),
        (&["builtin:sis"], &["builtin:sis is over larger fields than f2"]),
        (&["builtin:nonsense", "--field", "f61"], &["builtin:power", "builtin:linear"]),
        (&["builtin:power", "--field", "f62"], &["--field: no such name", "f61", "f256"]),
    ];
    for (arguments, words) in cases {
        volery(&[&["circuit", "info"], *arguments].concat()).refused(2, words);
    }
    volery(&power("verify", "f2", &NOWHERE)).refused(2, &["larger fields than f2"]);
    let names = "auto, direct, tiny, l2, mid, wan";
    volery(&power("verify", "f61", &["--vole", "softspoken4", NOWHERE[0], NOWHERE[1]])).refused(2, &[names]);
}

#[test]
fn relations_over_fields_are_described() {
    let info = ["circuit", "info", "builtin:polynomial?degree=2", "--field", "f61x2"];
    let object = volery(&[&info[..], &["--json"]].concat()).expect(0).json();
    assert_eq!((&object["field"], &object["gates"]["mul"]), (&"f61x2".into(), &1.into()));
    let coefficients = &object["ports"]["inputs"][0];
    assert_eq!((&coefficients["elements"], &coefficients["public"]), (&3.into(), &true.into()));
    assert_eq!(object["inputs"], 1);
    let estimates = object["estimates"].as_array().expect("an array");
    for system in ["quicksilver", "wolverine"] {
        let its = estimates.iter().filter(|estimate| estimate["system"] == system);
        let names: Vec<_> = its.map(|estimate| &estimate["vole"]).collect();
        assert_eq!(names, ["direct", "tiny", "l2", "mid", "wan"]);
    }
    let table = volery(&info).expect(0).out;
    assert!(table.contains("coefficients (3 elements, to be public)"), "{table}");
    for words in ["f61x2", "a quicksilver prover by direct (auto)", "a wolverine prover by direct", "limbo"] {
        assert!(table.contains(words), "{words} is missing in {table}");
    }
    // Where QuickSilver is alone.
    let info = ["circuit", "info", "builtin:polynomial?degree=2", "--field", "goldilocksx2"];
    let table = volery(&info).expect(0).out;
    assert!(table.contains("a quicksilver prover by direct (auto)"), "{table}");
    assert!(!table.contains("wolverine") && !table.contains("limbo"), "{table}");
}

#[test]
fn polynomials_and_matrices_are_described() {
    for (relation, field, counts, row) in [
        ("builtin:sis?bound=3", "f61", [8, 7, 0], "polynomials  8, of degree 7 at most\n"),
        ("builtin:inner-product", "f2", [1, 2, 0], "polynomials  1, of degree 2 at most\n"),
        ("builtin:matmul", "f256", [0, 2, 1], "matrices     1 product\n"),
        ("builtin:matmul?random=0", "f2", [4, 2, 0], "polynomials  4, of degree 2 at most\n"),
    ] {
        let info = ["circuit", "info", relation, "--field", field];
        let object = volery(&[&info[..], &["--json"]].concat()).expect(0).json();
        let found = [&object["polynomials"], &object["degree"], &object["matrix_products"]];
        assert_eq!(found.map(|count| count.as_u64().expect("a number")), counts, "{object}");
        let table = volery(&info).expect(0).out;
        assert!(table.contains(row), "{table}");
    }
    let table = volery(&["circuit", "info", POWER[1], "--field", "f61"]).expect(0).out;
    assert!(!table.contains("polynomials") && !table.contains("matrices"), "{table}");
}

#[test]
fn products_and_short_solutions_are_checked() {
    let cases: &[(&str, &str, &[&str], &str)] = &[
        ("f61", "sis?columns=3", &["matrix=1,2,3,4,5,6", "t=-2,-2", "s=1,0,-1", "s=1,0,1"], "t[0]"),
        (
            "f65537",
            "sis?columns=3",
            &["matrix=1,2,3,4,5,6", "t=-2,-2", "s=1,0,-1", "s=0,2,-2"],
            "range of s[1]",
        ),
        ("f2", "matmul?rows=1&columns=1", &["a=0b11", "c=0b1", "b=0b10", "b=0b11"], "c[0][0]"),
        ("f256", "inner-product?length=2", &["x=1,0", "z=3", "y=3,4", "y=4,3"], "z"),
    ];
    for (field, relation, values, wrong) in cases {
        let relation = format!("builtin:{relation}");
        let public = ["--public", values[0], "--public", values[1]];
        let check = [&["check", "--field", field, "--relation", &relation], &public[..]].concat();
        volery(&[&check[..], &["--private", values[2]]].concat()).expect(0);
        volery(&[&check[..], &["--private", values[3]]].concat()).refused(2, &["does not satisfy", wrong]);
    }
}

#[test]
fn built_in_statements_say_what_they_state() {
    let names = |object: &Value| -> Vec<String> {
        let all = object["relations"].as_array().expect("an array").iter();
        all.map(|builtin| builtin["relation"].as_str().expect("text").into()).collect()
    };
    let object = volery(&["circuit", "list", "--json"]).expect(0).json();
    let table = volery(&["circuit", "list"]).expect(0).out;
    assert_eq!(names(&object).len(), 13 + 10);
    let mut told = BTreeSet::new();
    for builtin in object["relations"].as_array().expect("an array") {
        let text = |key: &str| builtin[key].as_str().expect("text");
        let field = match text("over") {
            "f2" => "f2",
            // Its parameters are those of one field.
            _ if text("relation").starts_with("builtin:poseidon") => "bn254",
            _ => "f61",
        };
        // Large statements take as many seconds to count as small ones take milliseconds, and state the same.
        let large = [
            ("depth=8", "depth=1"),
            ("depth=26", "depth=1"),
            ("depth=20", "depth=1"),
            ("credentials=140&reply=37&before=300&after=6700", "credentials=4&reply=37&before=1&after=1"),
        ];
        let small =
            large.iter().fold(text("relation").to_owned(), |all, (large, small)| all.replace(large, small));
        let info = ["circuit", "info", &small, "--field", field];
        let described = volery(&[&info[..], &["--json"]].concat()).expect(0).json();
        assert_eq!(described["states"], builtin["states"]);
        let row = format!("states       {}\n", text("states"));
        assert!(table.contains(&row), "{table}");
        // As text once over each field.
        if told.insert(field) {
            assert!(volery(&info).expect(0).out.contains(&row), "{row}");
        }
        assert!(table.contains(text("relation")), "{table}");
    }
    let over = |field| names(&volery(&["circuit", "list", "--field", field, "--json"]).expect(0).json());
    let [preimage, .., vectors, matrices] = &over("f2")[..] else { panic!("{table}") };
    assert_eq!(preimage, "builtin:sha256-preimage?length=55&holes=0");
    assert_eq!(vectors, "builtin:inner-product?length=4");
    assert_eq!(matrices, "builtin:matmul?rows=2&inner=2&columns=2&random=1");
    assert_eq!([over("f2"), over("f61x2")].concat(), names(&object));
    assert_eq!([over("f2"), over("f65537")].concat(), names(&object));
    let adder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/circuits/adder8.txt");
    let info = ["circuit", "info", adder.to_str().expect("UTF-8")];
    assert!(volery(&[&info[..], &["--json"]].concat()).expect(0).json()["states"].is_null());
    assert!(!volery(&info).expect(0).out.contains("states"));
}

#[test]
fn private_elements_are_in_no_output() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("x");
    std::fs::write(&file, "7654321,z%q").expect("written");
    let file = format!("x=@{}", file.to_str().expect("UTF-8"));
    for private in [
        "x=7654321",
        "x=0x7654321",
        "x=-7654321",
        "x=7654321z%q",
        "x=7654321,7654321",
        "x=76543217654321765432176543217654321",
        "y=7654321",
        "7654321",
        &file,
    ] {
        let proof = power("prove", "f61", &[NOWHERE[0], NOWHERE[1], "--json", "--private", private]);
        let check = power("check", "f61", &["--json", "--private", private]);
        for ended in [proof, check].map(|arguments| volery(&arguments).expect(2)) {
            assert!(ended.json()["error"].is_string(), "{ended:?}");
            for secret in ["7654321", "z%q"] {
                assert!(!ended.out.contains(secret) && !ended.err.contains(secret), "{ended:?}");
            }
        }
    }
}
