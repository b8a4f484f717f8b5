//! Products that are checked in blocks: by buckets, by sacrifice and by interpolation.

use crate::kit::{PREIMAGE, preimage, session, volery};
use serde_json::Value;

const MESSAGE: [&str; 2] = ["--private", "message=text:abc"];

/// The fifth power of two, which takes three multiplications.
const POWER: [&str; 4] = ["--relation", "builtin:power?exponent=5", "--public", "y=32"];
const TWO: [&str; 2] = ["--private", "x=2"];

/// Other fields than F_2 that it is over.
const FIELDS: [&str; 3] = ["f61", "f61x2", "f65537"];

/// An address at which nobody is asked for anything.
const NOWHERE: [&str; 2] = ["--connect", "127.0.0.1:1"];

/// `verb` on the statement about a power over `field`, by wolverine, and what comes after.
fn power<'a>(verb: &'a str, field: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&[verb, "--system", "wolverine", "--field", field], &POWER[..], more].concat()
}

/// The arguments of a verb on the statement about `abc`, by wolverine.
fn message<'a>(verb: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    preimage(verb, &[&["--system", "wolverine"], more].concat())
}

/// The object of the prover of two sides that agree.
#[track_caller]
fn accepted(verify: &[&str], prove: &[&str]) -> Value {
    let [verifier, prover] = session(verify, prove).map(|ended| ended.expect(0).json());
    assert_eq!((&verifier["verdict"], &prover["verdict"]), (&"accepted".into(), &"accepted".into()));
    for key in [
        "system",
        "statement",
        "gates",
        "vole",
        "security",
        "checked_by",
        "block",
        "bucket",
        "opened",
        "blocks",
    ] {
        assert!(verifier[key] == prover[key] && !prover["system"].is_null(), "{key}: {verifier} {prover}");
    }
    assert_eq!(prover["system"], "wolverine");
    assert_eq!(prover["bytes"]["sent"], verifier["bytes"]["received"]);
    assert_eq!(prover["bytes"]["received"], verifier["bytes"]["sent"]);
    prover
}

#[test]
fn bits_are_checked_by_buckets() {
    for (more, block) in
        [(&[][..], 786_432), (&["--block", "10000"], 10_000), (&["--security", "60"], 262_144)]
    {
        let more = [more, &["--json"]].concat();
        let object = accepted(&message("verify", &more), &message("prove", &[&MESSAGE[..], &more].concat()));
        let number = |key: &str| object[key].as_u64().expect("a number");
        assert_eq!((&object["checked_by"], number("block")), (&"buckets".into(), block));
        let mul = object["gates"]["mul"].as_u64().expect("a number");
        assert_eq!(number("blocks"), mul.div_ceil(block), "{object}");
        assert!(number("bucket") >= 2 && number("opened") >= number("bucket"), "{object}");
        let asked = if more.contains(&"60") { 60 } else { 40 };
        assert!(object["security"]["statistical_bits"].as_u64() >= Some(asked), "{object}");
    }
    let table = volery(&["demo", "--system", "wolverine", "--json"]).expect(0).json();
    assert_eq!(table["checked_by"], "buckets");
}

#[test]
fn elements_are_checked_as_asked() {
    for (field, checks, usual) in [
        ("f61", &["buckets", "sacrifice", "interpolation"][..], "sacrifice"),
        ("f61x2", &["buckets", "sacrifice", "interpolation"], "interpolation"),
        ("f65537", &["buckets", "interpolation"], "interpolation"),
    ] {
        for check in checks {
            let more = ["--checked-by", check, "--block", "2", "--json"];
            let prove = power("prove", field, &[&TWO[..], &more].concat());
            let object = accepted(&power("verify", field, &more), &prove);
            let found = (&object["checked_by"], &object["block"], &object["blocks"], &object["field"]);
            assert_eq!(found, (&(*check).into(), &2.into(), &2.into(), &field.into()));
            assert_eq!(object["bucket"].is_null(), *check != "buckets");
            assert_eq!(object["opened"].is_null(), *check != "buckets");
            assert!(object["security"]["statistical_bits"].as_u64() >= Some(40), "{object}");
        }
        let prove = power("prove", field, &[&TWO[..], &["--json"]].concat());
        assert_eq!(accepted(&power("verify", field, &["--json"]), &prove)["checked_by"], usual);
    }
}

/// Buckets are those of 128 bits where no coins are tossed.
#[test]
fn gates_are_one_way_on_request() {
    let more = ["--non-interactive", "--block", "5000", "--json"];
    let bucket = |more: &[&str]| {
        let prove = message("prove", &[&MESSAGE[..], more].concat());
        accepted(&message("verify", more), &prove)["bucket"].as_u64().expect("a number")
    };
    assert!(bucket(&more) > bucket(&more[1..]));
    let prove = power("prove", "f61x2", &[&TWO[..], &more].concat());
    accepted(&power("verify", "f61x2", &more), &prove);
}

/// `circuit info` foretells every byte.
#[test]
fn estimates_are_what_is_sent() {
    let foretold = |relation: &str, field: &str| {
        let info = volery(&["circuit", "info", relation, "--field", field, "--json"]).expect(0).json();
        let estimates = info["estimates"].as_array().expect("an array").clone();
        move |object: &Value| {
            let its = |estimate: &&Value| ["system", "vole"].iter().all(|key| estimate[*key] == object[*key]);
            let estimate = estimates.iter().find(its).expect("over these correlations");
            assert_eq!(estimate["bytes"], object["bytes"], "{object}");
        }
    };
    let assert_foretold = foretold(PREIMAGE[1], "f2");
    for vole in ["softspoken4", "softspoken8", "tiny"] {
        let more = ["--vole", vole, "--json"];
        let prove = message("prove", &[&MESSAGE[..], &more].concat());
        assert_foretold(&accepted(&message("verify", &more), &prove));
    }
    for field in FIELDS {
        let assert_foretold = foretold(POWER[1], field);
        for vole in ["auto", "tiny"] {
            let more = ["--vole", vole, "--json"];
            let prove = power("prove", field, &[&TWO[..], &more].concat());
            assert_foretold(&accepted(&power("verify", field, &more), &prove));
        }
    }
    let table = volery(&["circuit", "info", PREIMAGE[1]]).expect(0).out;
    assert!(table.contains("a wolverine prover by softspoken8 (auto"), "{table}");
}

/// Polynomials of other systems are multiplied out.
#[test]
fn polynomials_are_proved_gate_by_gate() {
    for (field, builtin, public, private, mul) in [
        ("f2", "inner-product?length=4", "z=0b1", ["x=0b1100", "y=0b0101"], 4),
        ("f61", "inner-product?length=3", "z=32", ["x=1,2,3", "y=4,5,6"], 3),
        ("f65537", "matmul?rows=2&inner=2&columns=2", "c=19,22,43,50", ["a=1,2,3,4", "b=5,6,7,8"], 8),
    ] {
        let relation = format!("builtin:{builtin}");
        let statement = ["--field", field, "--relation", &relation, "--public", public];
        let statement = [&statement[..], &["--system", "wolverine", "--json"]].concat();
        let private = ["--private", private[0], "--private", private[1]];
        let prove = [&["prove"], &statement[..], &private].concat();
        let object = accepted(&[&["verify"], &statement[..]].concat(), &prove);
        assert_eq!((&object["gates"]["mul"], &object["polynomials"]["count"]), (&mul.into(), &0.into()));
        let info = volery(&["circuit", "info", &relation, "--field", field, "--json"]).expect(0).json();
        let estimates = info["estimates"].as_array().expect("an array");
        let mut its = estimates.iter().filter(|estimate| estimate["system"] == "wolverine");
        assert!(its.any(|estimate| estimate["bytes_by_auto"] == object["bytes"]), "{info} {object}");
    }
}

#[test]
fn wrong_witnesses_are_named() {
    let wrong = ["--private", "message=text:abd"];
    volery(&message("prove", &[&wrong[..], &NOWHERE].concat())).refused(2, &["digest[2] does not hold"]);
    let unchecked = message("prove", &[&wrong[..], &["--no-check"]].concat());
    let [verifier, prover] = session(&message("verify", &[]), &unchecked);
    prover.refused(2, &["does not satisfy the statement: digest["]);
    // It left after a coin.
    verifier.refused(1, &["the peer closed the link", "taken for a rejection"]);
    let unchecked = power("prove", "f61", &["--private", "x=3", "--no-check"]);
    let [verifier, prover] = session(&power("verify", "f61", &[]), &unchecked);
    prover.refused(2, &["does not satisfy the statement: y"]);
    verifier.refused(1, &["the peer closed the link", "taken for a rejection"]);
}

#[test]
fn checks_that_cannot_be_are_refused_beforehand() {
    #[rustfmt::skip]
    let cases: &[(&str, &[&str], &[&str])] = &[
        ("f61", &["--checked-by", "cut-and-choose"], &["--checked-by: no such name", "buckets, sacrifice, interpolation"]),
        ("f61", &["--block", "0"], &["--block: write a number", "from 1 to 16777216"]),
        ("f61", &["--block", "16777217"], &["--block: write a number"]),
        ("f61", &["--block", "many"], &["--block: write a number"]),
        ("f61", &["--security", "90"], &["--security: 90 bits were asked for", "f61 gives", "--field f61x2"]),
        ("f65537", &["--checked-by", "sacrifice"], &["--security: 40 bits are asked for", "sacrifice over f65537 gives 1", "--checked-by interpolation"]),
        ("f65537", &["--security", "60"], &["--security: 60 bits were asked for", "f65537 gives"]),
        ("goldilocks", &[], &["--system: wolverine is over f2, f61, f61x2, f65537, q32, and not over goldilocks", "quicksilver"]),
        ("f61", &["--non-interactive"], &["--non-interactive: over f61", "--field f61x2"]),
        ("f61x2", &["--non-interactive", "--checked-by", "sacrifice"], &["--non-interactive: "]),
    ];
    for (field, more, words) in cases {
        for (verb, private) in [("prove", &TWO[..]), ("verify", &[])] {
            volery(&power(verb, field, &[private, *more, &NOWHERE].concat())).refused(2, words);
        }
    }
    for check in ["sacrifice", "interpolation"] {
        let verify = message("verify", &[&["--checked-by", check], &NOWHERE[..]].concat());
        volery(&verify).refused(2, &["--checked-by: ", check, "f2"]);
    }
    let verify = message("verify", &[&["--security", "129"], &NOWHERE[..]].concat());
    volery(&verify).refused(2, &["--security: ", "129", "128 at most"]);
    for system in ["quicksilver", "jko", "stack", "limbo"] {
        for (option, value) in [("--checked-by", "buckets"), ("--block", "1000")] {
            let words = [option, system, "has a check of its own", "--system wolverine"];
            volery(&["demo", "--system", system, option, value]).refused(2, &words);
        }
    }
    for (option, value) in [("--gate-hash", "tmmo"), ("--seeds", "tree"), ("--parties", "4")] {
        volery(&["demo", "--system", "wolverine", option, value]).refused(2, &[option, "wolverine"]);
    }
    volery(&message("prove", &[&MESSAGE[..], &["--out", "x"]].concat()))
        .refused(2, &["--out: wolverine makes no files", "--system limbo"]);
}

#[test]
fn disagreements_on_checks_are_named_on_both_sides() {
    let cases: [(&[&str], &[&str]); 5] = [
        (
            &["--checked-by", "buckets", "--security", "37", "--insecure-parameters"],
            &["--checked-by", "buckets", "--security", "38", "--insecure-parameters"],
        ),
        (&["--block", "1000"], &["--block", "2000"]),
        (&[], &["--block", "2000"]),
        (&["--checked-by", "interpolation"], &["--checked-by", "sacrifice"]),
        (&["--checked-by", "buckets", "--security", "38", "--insecure-parameters"], &[]),
    ];
    for (here, there) in cases {
        let prove = power("prove", "f61", &[&TWO[..], there].concat());
        for ended in session(&power("verify", "f61", here), &prove) {
            ended.refused(
                3,
                &["disagree on", "here", "there", "the same --checked-by, --block and --security"],
            );
        }
    }
    let prove = preimage("prove", &MESSAGE);
    for ended in session(&message("verify", &[]), &prove) {
        ended.refused(3, &["disagree on the system", "the same --system"]);
    }
}
