//! Warnings about statements that prove less than they seem to.

use crate::kit::{Ended, PREIMAGE, preimage, session, volery};
use serde_json::{Value, json};

/// `out0` is one, and `out1` the product of both bits.
const CIRCUIT: &str = "2 4\n1 2\n2 1 1\n\n1 1 1 2 EQ\n2 1 0 1 3 AND\n";

const NO_PRIVATE: &str = "output out0 depends on no private input, so that its value says nothing about them";
const NO_ASSERTION: &str =
    "no assertion depends on a private value, so that all of them satisfy the statement, or none";
const ALL_PUBLIC: &str = "all inputs are public, so that anybody can tell whether the statement holds";

/// Demands these warnings, once each on standard error, and in JSON.
#[track_caller]
fn assert_warned(ended: Ended, warnings: &[&str]) -> Value {
    let ended = ended.expect(0);
    let told: Vec<_> = ended.err.lines().filter_map(|line| line.strip_prefix("volery: warning: ")).collect();
    assert_eq!(told, warnings, "{ended:?}");
    let object = ended.json();
    assert_eq!(object["warnings"], json!(warnings));
    object
}

#[test]
fn what_says_nothing_of_private_values_is_named() {
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), CIRCUIT).expect("written");
    let relation = ["--relation", file.path().to_str().expect("UTF-8"), "--json"];
    let private = ["--private", "in0=0b11"];
    let (one, other) = (["--public", "out0=0b1"], ["--public", "out1=0b1"]);
    let info = volery(&["circuit", "info", relation[1], "--json"]);
    let info = assert_warned(info, &["output out0 depends on no input: it is constant"]);
    assert_eq!((&info["gates"]["mul"], &info["gates"]["constant"]), (&1.into(), &1.into()));
    for (public, private, warnings) in [
        (&[one][..], &private[..], &[NO_ASSERTION, NO_PRIVATE][..]),
        (&[one, other], &private, &[NO_PRIVATE]),
        (&[other], &private, &[]),
        (&[other, ["--public", "in0=0b11"]], &[], &[ALL_PUBLIC]),
    ] {
        let of = |verb, more: &[&'static str]| -> Vec<&str> {
            [verb].into_iter().chain(relation).chain(public.concat()).chain(more.iter().copied()).collect()
        };
        assert_warned(volery(&[&of("check", &[])[..], private].concat()), warnings);
        // The last prover goes through the gates for the proof alone.
        let ways: [[&[&str]; 2]; 4] = [
            [&[], &[]],
            [&["--system", "jko"], &[]],
            [&["--system", "wolverine", "--vole", "softspoken8"], &[]],
            [&["--vole", "softspoken8"], &["--no-check"]],
        ];
        for [both, prover] in ways {
            let prove = [&of("prove", both)[..], private, prover].concat();
            for ended in session(&of("verify", both), &prove) {
                assert_warned(ended, warnings);
            }
        }
        let folder = tempfile::tempdir().expect("a folder");
        let proof = folder.path().join("proof");
        let proof = proof.to_str().expect("UTF-8");
        assert_warned(volery(&[&of("prove", &[])[..], private, &["--out", proof]].concat()), warnings);
        assert_warned(volery(&[&of("verify", &[])[..], &["--proof", proof]].concat()), warnings);
    }
}

/// Built in, over another field, or one of several.
#[test]
fn public_inputs_alone_are_named_everywhere() {
    let check = preimage("check", &["--json", "--public", "message=text:abc"]);
    assert_warned(volery(&check), &[ALL_PUBLIC]);
    assert_warned(volery(&preimage("check", &["--json", "--private", "message=text:abc"])), &[]);
    let field = ["check", "--json", "--field", "f61", "--relation", "builtin:factors", "--public", "n=15"];
    assert_warned(volery(&[&field[..], &["--public", "a=3", "--public", "b=5"]].concat()), &[ALL_PUBLIC]);
    let clauses = preimage("check", &["--json", "--relation", PREIMAGE[1], "--public", "2.message=text:abc"]);
    let second = format!("relation 2: {ALL_PUBLIC}");
    assert_warned(volery(&clauses), &[&second]);
    let info = volery(&["circuit", "info", PREIMAGE[1], "--json"]);
    assert_warned(info, &[]);
}
