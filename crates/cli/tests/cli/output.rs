//! Private values in no output, and one JSON object in every case.

use crate::kit::{PREIMAGE, preimage, session, volery};
use serde_json::Value;

/// 24 bits that would stand out, as text and as the digits of a number.
const SECRET: [&str; 2] = ["z%q", "7a2571"];

#[track_caller]
fn assert_keeps_secrets(arguments: &[&str]) {
    let ended = volery(arguments);
    assert_ne!(ended.code, Some(70), "{ended:?}");
    for secret in SECRET {
        assert!(!ended.out.contains(secret) && !ended.err.contains(secret), "{arguments:?}: {ended:?}");
    }
    if arguments.contains(&"--json") && ended.code != Some(0) {
        let object = ended.json();
        assert!(object["error"].is_string() && object["verdict"].is_null(), "{object}");
    }
}

#[test]
fn private_values_are_in_no_output() {
    let nowhere = ["--connect", "127.0.0.1:1", "--json"];
    for private in [
        "message=text:z%q",
        "message=0x7a2571",
        "message=7a2571",
        "message=0x7a2571z%q",
        "message=0b7a2571",
        "message=text:z%qz%q",
        "message=text:",
        "massage=0x7a2571",
        "z%q",
        "7a2571",
    ] {
        assert_keeps_secrets(&[&preimage("prove", &["--private", private])[..], &nowhere].concat());
        assert_keeps_secrets(&preimage("check", &["--private", private, "--json"]));
        assert_keeps_secrets(&preimage("verify", &["--private", private, "--json"]));
        assert_keeps_secrets(&preimage("prove", &["--privat", private, "--json"]));
        assert_keeps_secrets(&preimage("prove", &["--timeout", private, "--json"]));
        assert_keeps_secrets(&preimage("prove", &[private, "--json"]));
        assert_keeps_secrets(&preimage("prove", &["-p", private]));
        let joined = format!("--privat={private}");
        assert_keeps_secrets(&preimage("prove", &[&joined, "--json"]));
        assert_keeps_secrets(&[private, "--json"]);
    }
    let twice = ["--private", "message=text:z%q", "--private", "message=text:z%q"];
    assert_keeps_secrets(&[&preimage("prove", &twice)[..], &nowhere].concat());
}

#[test]
fn private_values_are_in_no_output_of_proofs() {
    let digest = "digest=0x6d9d1f23d0d9e5a4b6bc8c1a39ac5b9e7d0a45e6cf4fa5d5ad2f9bb1e1a6f3b7";
    let relation = [PREIMAGE[0], PREIMAGE[1], "--public", digest];
    let prove = [&["prove"], &relation[..], &["--private", "message=text:z%q", "--no-check"]].concat();
    for ended in session(&[&["verify"], &relation[..]].concat(), &prove) {
        assert_ne!(ended.code, Some(0));
        assert!(SECRET.iter().all(|secret| !ended.err.contains(secret)), "{ended:?}");
    }
    let prove = preimage("prove", &["--private", "message=text:abc"]);
    for ended in session(&preimage("verify", &[]), &prove) {
        let ended = ended.expect(0);
        assert!(!ended.out.contains("616263") && !ended.out.contains("text:abc"), "{ended:?}");
    }
}

/// Settings that a failed run never came to are null.
#[test]
fn failures_invent_nothing() {
    let wrong = "digest=0x6d9d1f23d0d9e5a4b6bc8c1a39ac5b9e7d0a45e6cf4fa5d5ad2f9bb1e1a6f3b7";
    let relation = [PREIMAGE[0], PREIMAGE[1], "--public", wrong];
    let evaluated = [&["check"], &relation[..], &["--private", "message=text:abc", "--json"]].concat();
    let unread = ["check", "--relation", "/no/such/file", "--json"];
    for (arguments, satisfied) in
        [(&evaluated[..], false.into()), (&unread, Value::Null), (&["check", "--json"], Value::Null)]
    {
        let object = volery(arguments).expect(2).json();
        let keys: Vec<&str> = object.as_object().expect("an object").keys().map(String::as_str).collect();
        assert_eq!(keys, ["satisfied", "statement", "warnings", "error", "exit_code"]);
        assert_eq!((&object["satisfied"], &object["exit_code"]), (&satisfied, &2.into()));
    }
    for (arguments, system) in [
        (&["circuit", "info", "/no/such/file", "--json"][..], Value::Null),
        (&["demo", "--system", "groth16", "--json"], Value::Null),
        (&["demo", "--system", "limbo", "--security", "200", "--json"], "limbo".into()),
        (&["demo", "--security", "200", "--json"], "quicksilver".into()),
    ] {
        let object = volery(arguments).expect(2).json();
        assert_eq!((&object["system"], &object["verdict"]), (&system, &Value::Null), "{object}");
        assert_eq!(object["threads"].is_null(), arguments[0] == "circuit", "{object}");
    }
}

#[test]
fn help_shows_examples_and_exit_codes() {
    for (arguments, words) in [
        (&["--help"][..], &["demo", "Exit codes", "130", "VOLERY_ARCH"][..]),
        (
            &["prove", "--help"],
            &["Examples", "text:", "0x", "--insecure-plaintext", "Exit codes", "standard input"],
        ),
        (
            &["verify", "--help"],
            &[
                "Examples",
                "--listen",
                "2.NAME=VALUE",
                "largest",
                "mitccrh",
                "--seeds",
                "--proof",
                "--views",
                "--block",
            ],
        ),
        (&["prove", "-h"], &["--system", "jko", "wolverine", "--fixed-work", "--threads", "--checked-by"]),
        (&["help", "bench"], &["volery-bench", "cargo install --path crates/bench"]),
        (&["help"], &["demo", "Exit codes"]),
        (&["help", "prove"], &["Examples", "--insecure-plaintext"]),
        (&["--version"], &["volery"]),
    ] {
        let help = volery(arguments).expect(0).out;
        assert!(words.iter().all(|word| help.contains(word)), "{help}");
    }
}

/// A program whose reader has left, or whose output has no place, is not a program that panics.
#[cfg(unix)]
#[test]
fn closed_outputs_are_no_panics() {
    let script = |text: &str| {
        let volery = crate::PROGRAM;
        let status = std::process::Command::new("sh").args(["-c", text, volery]).status().expect("sh");
        status.code()
    };
    assert_eq!(script("\"$0\" demo --json >&- 2>&-"), Some(0));
    let left = "exit $({ { \"$0\" circuit info builtin:sha256-preimage; echo $? >&3; } | true; } 3>&1)";
    assert_eq!(script(left), Some(0));
    if std::path::Path::new("/dev/full").exists() {
        assert_eq!(script("\"$0\" demo >/dev/full 2>/dev/null"), Some(2));
    }
}
