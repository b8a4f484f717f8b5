//! Proofs that are accepted.

use crate::kit::{ABC, PREIMAGE, Running, preimage, session, start_listening, volery};
use serde_json::Value;

#[track_caller]
fn assert_keys(object: &Value, keys: &[&str]) {
    for key in keys {
        assert!(object.pointer(key).is_some(), "{key} is missing in {object}");
    }
}

const KEYS: [&str; 22] = [
    "/verdict",
    "/role",
    "/system",
    "/field",
    "/vole",
    "/vole_reason",
    "/statement",
    "/gates/mul",
    "/gates/add",
    "/gates/assert",
    "/inputs",
    "/bytes/sent",
    "/bytes/received",
    "/rounds",
    "/seconds/setup",
    "/seconds/online",
    "/seconds/total",
    "/mul_gates_per_second",
    "/peak_rss_bytes",
    "/threads",
    "/security/computational_bits",
    "/security/statistical_bits",
];

#[test]
fn either_role_may_listen() {
    let prove = preimage("prove", &["--private", "message=text:abc", "--json"]);
    let verify = preimage("verify", &["--json"]);
    let [verifier, prover] = session(&verify, &prove);
    let [prover_too, verifier_too] = session(&prove, &verify);
    for (prover, verifier) in [(prover, verifier), (prover_too, verifier_too)] {
        let (prover, verifier) = (prover.expect(0).json(), verifier.expect(0).json());
        for (object, role) in [(&prover, "prover"), (&verifier, "verifier")] {
            assert_keys(object, &KEYS);
            assert_eq!((&object["verdict"], &object["role"]), (&"accepted".into(), &role.into()));
            assert!(object["peak_rss_bytes"].as_u64().is_none_or(|bytes| bytes < 64_000_000), "{object}");
        }
        assert_eq!(prover["bytes"]["sent"], verifier["bytes"]["received"]);
        assert_eq!(prover["bytes"]["received"], verifier["bytes"]["sent"]);
        assert_eq!(prover["statement"], verifier["statement"]);
        assert_eq!(prover["gates"], verifier["gates"]);
    }
}

/// Each choice of correlations, over kernels that differ from side to side; and `circuit info` foretells every byte.
#[test]
fn estimates_are_what_runs_send() {
    let info = volery(&["circuit", "info", PREIMAGE[1], "--json"]).expect(0).json();
    for vole in ["softspoken4", "softspoken8", "tiny"] {
        let verify = preimage("verify", &["--vole", vole, "--listen", "127.0.0.1:0"]);
        let verifier = Running::start(&verify, b"", &[("VOLERY_ARCH", "portable")]);
        let address = verifier.address.clone();
        let more = ["--vole", vole, "--private", "message=text:abc", "--connect", &address, "--json"];
        let prover = Running::start(&preimage("prove", &more), b"", &[]).end().expect(0).json();
        let table = verifier.end().expect(0).out;
        assert!(table.contains("accepted") && table.contains(vole), "{table}");
        let estimates = info["estimates"].as_array().expect("an array");
        let estimate = estimates.iter().find(|estimate| estimate["vole"] == vole).expect("this choice");
        assert_eq!(estimate["bytes"], prover["bytes"]);
        assert_eq!(info["gates"]["mul"], prover["gates"]["mul"]);
        assert_eq!(info["inputs"], prover["inputs"]);
    }
}

#[test]
fn values_come_from_files_and_standard_input() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str, content: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, content).expect("written");
        path.to_str().expect("UTF-8").to_owned()
    };
    let message = format!("message=@{}", path("message", "abc"));
    let public = path("public", &format!("# known to both\n{ABC}\n"));
    let private = path("private", "message = 0x616263\n");
    let relation = ["--relation", PREIMAGE[1], "--public", &public];
    // 0x616263 from its least significant bit on.
    let bits = "message=0b110001100100011010000110";
    for (private, input) in [(message.as_str(), ""), (&private, ""), ("message=-", "abc"), (bits, "")] {
        let verifier = start_listening(&[&["verify"], &relation[..]].concat());
        let given = [&relation[..], &["--private", private]].concat();
        Running::start(&[&["check"], &given[..]].concat(), input.as_bytes(), &[]).end().expect(0);
        let prove = [&["prove"], &given[..], &["--connect", &verifier.address]].concat();
        Running::start(&prove, input.as_bytes(), &[]).end().expect(0);
        verifier.end().expect(0);
    }
}

#[test]
fn demo_tells_its_story() {
    let story = volery(&["demo"]).expect(0);
    for word in ["SHA-256", "prover", "verifier", "verdict      accepted"] {
        assert!(story.out.contains(word), "{story:?}");
    }
    assert_eq!(story.err, "");
    let object = volery(&["demo", "--json", "--vole", "softspoken4"]).expect(0).json();
    assert_keys(&object, &KEYS);
    assert_eq!((&object["role"], &object["verdict"]), (&Value::Null, &"accepted".into()));
    assert!(object["bytes"]["sent"].as_u64() > object["bytes"]["received"].as_u64());
}

#[test]
fn benches_report_both_parties() {
    for (arguments, mul) in [(&["boolean", "--gates", "300_001"][..], 300_001), (&["sha256"], 21_993)] {
        let ended = volery(&[&["bench"], arguments, &["--json"]].concat()).expect(0);
        let object = ended.json();
        assert_keys(&object, &KEYS);
        assert_keys(&object, &["/name", "/parameters/vole", "/online_bytes"]);
        assert_eq!(object["gates"]["mul"], mul);
        assert_eq!(object["name"], arguments[0]);
        assert!(object["peak_rss_bytes"].as_u64().is_none_or(|bytes| bytes < 64_000_000), "{object}");
        assert_eq!(ended.err, "");
    }
    let list = volery(&["bench", "--list"]).expect(0).out;
    assert!(list.contains("boolean") && list.contains("sha256"), "{list}");
}

/// Twenty times the gates in the same memory.
#[test]
fn memory_does_not_grow_with_the_statement() {
    let peak = |gates: &str| {
        let ended = volery(&["bench", "boolean", "--gates", gates, "--quiet", "--json"]).expect(0);
        ended.json()["peak_rss_bytes"].as_u64()
    };
    if let (Some(small), Some(large)) = (peak("200000"), peak("4000000")) {
        assert!(large < small + 2_000_000, "{small} bytes, then {large}");
    }
}

#[test]
fn doctor_knows_the_machine() {
    let object = volery(&["doctor", "--json"]).expect(0).json();
    assert_keys(&object, &["/version", "/arch", "/archs", "/cores", "/cpu_features", "/kernel_nanoseconds"]);
    assert!(object["loopback_bytes_per_second"].as_f64() > Some(0.0));
    assert!(volery(&["doctor"]).expect(0).out.contains("an AES block"));
}
