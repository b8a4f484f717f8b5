//! Benches of systems other than QuickSilver.

use crate::kit::{LIMBO_KEYS, assert_values, volery as measure};
use serde_json::Value;

#[test]
fn files_by_voleith_are_measured() {
    for (more, statement, trees) in [
        (&["--prefer", "speed"][..], "sha256", 15),
        (&["--gates", "3_001", "--trees", "14", "--repeat", "2"], "random", 14),
        (&["--length", "100", "--kind", "holes"], "sha256", 11),
    ] {
        let object = measure(&[&["voleith", "--quiet", "--json"], more].concat()).expect(0).json();
        let keys = ["/proof_bytes", "/trees/bits", "/seconds/online", "/peak_rss_bytes", "/soundness_note"];
        assert_values(&object, &keys);
        assert_values(
            &object,
            &["/seconds/prover", "/seconds/verifier", "/runs/0/prover", "/runs/0/verifier"],
        );
        assert_eq!((&object["verdict"], &object["name"]), (&"accepted".into(), &"voleith".into()));
        assert_eq!(
            (&object["parameters"]["statement"], &object["trees"]["trees"]),
            (&statement.into(), &trees.into())
        );
    }
    measure(&["voleith", "--gates", "5", "--length", "9"]).refused(2, &["--length: the statement random"]);
    measure(&["limbo", "--length", "9"]).refused(2, &["bench limbo has no --length"]);
    measure(&["voleith", "--interactive"]).refused(2, &["bench voleith has no --interactive"]);
    measure(&["voleith", "--bandwidth", "5"]).refused(2, &["--bandwidth", "goes over no link"]);
}

/// Limbo's proofs of matrices grow with what is multiplied: n³ gates, n² inner products of n, or one.
#[test]
fn matrices_are_multiplied_by_limbo_in_each_way() {
    let bytes = |kind| {
        let arguments = ["matmul", "--system", "limbo", "--size", "16", "--kind", kind, "--json", "--quiet"];
        let object = measure(&arguments).expect(0).json();
        assert_eq!((&object["verdict"], &object["kind"]), (&"accepted".into(), &kind.into()));
        object["proof_bytes"].as_u64().expect("a proof")
    };
    let [gates, products, random] = ["gates", "inner-product", "random"].map(bytes);
    assert!(random < products && products < gates, "{random}, {products}, {gates}");
}

#[test]
fn limbo_is_measured() {
    let run = |more: &[&str]| {
        let object = measure(&[&["limbo", "--quiet", "--json"], more].concat()).expect(0).json();
        assert_values(&object, &LIMBO_KEYS);
        assert_values(
            &object,
            &["/seconds/prover", "/seconds/verifier", "/peak_rss_bytes", "/parameters/statement"],
        );
        assert_eq!((&object["verdict"], &object["name"]), (&"accepted".into(), &"limbo".into()));
        object
    };
    let file = run(&[]);
    assert_eq!((&file["gates"]["mul"], &file["parameters"]["interactive"]), (&21_653.into(), &false.into()));
    assert_eq!((&file["rounds"], &file["bytes"]["received"]), (&0.into(), &0.into()));
    let coins = run(&["--interactive", "--parties", "16", "--latency", "1"]);
    assert!(coins["rounds"].as_u64() > Some(4) && coins["parameters"]["parties"] == 16, "{coins}");
    assert!(coins["proof_bytes"].as_u64() < file["proof_bytes"].as_u64());
    let random = run(&["--gates", "3_001", "--prefer", "size", "--repeat", "2"]);
    assert_eq!(
        (&random["gates"]["mul"], &random["parameters"]["statement"]),
        (&6002.into(), &"random".into())
    );
    let runs = random["runs"].as_array().expect("an array");
    assert!(
        runs.len() == 2 && runs.iter().all(|run| run["prover"].is_number() && run["verifier"].is_number())
    );
    for bench in [&["boolean", "--gates", "3000"][..], &["stack", "--clauses", "3", "--gates", "500"]] {
        let more = ["--system", "limbo", "--json", "--quiet"];
        let object = measure(&[bench, &more].concat()).expect(0).json();
        assert_values(&object, &["/seconds/prover", "/seconds/verifier", "/proof_bytes"]);
    }
    for (more, words) in [
        (&["limbo", "--statement", "md5"][..], &["--statement", "sha256, random"][..]),
        (&["limbo", "--statement", "sha256", "--gates", "5"], &["--gates: the statement sha256 has its own"]),
        (&["limbo", "--bandwidth", "5"], &["--bandwidth", "--interactive"]),
        (&["limbo", "--system", "jko"], &["bench limbo is by limbo"]),
        (&["limbo", "--interactive", "--challenges", "independent"], &["for files"]),
        (&["boolean", "--interactive"], &["bench boolean has no --interactive"]),
        (&["boolean", "--statement", "random"], &["bench boolean has no --statement"]),
        (&["tables", "--parties", "4"], &["bench tables has no --parties"]),
    ] {
        measure(more).refused(2, words);
    }
}

/// A bench of its own, with QuickSilver over the same correlations beside it.
#[test]
fn wolverine_is_measured() {
    let run = |more: &[&str]| {
        let object = measure(&[&["wolverine", "--quiet", "--json"], more].concat()).expect(0).json();
        assert_eq!((&object["verdict"], &object["name"]), (&"accepted".into(), &"wolverine".into()));
        for key in ["/checked_by", "/block", "/blocks", "/mul_gates_per_second", "/parameters/gates"] {
            assert!(!object.pointer(key).unwrap_or_else(|| panic!("{key} is missing")).is_null(), "{object}");
        }
        object
    };
    let each = |object: &Value, key: &str| {
        let [ours, theirs] = [object, &object["quicksilver"]].map(|of| of[key].as_f64().expect("a number"));
        assert!(ours > theirs && theirs > 0.0, "{key}: {object}");
        ours
    };
    for field in volery::System::WOLVERINE.facts().over {
        let object = run(&["--field", field, "--gates", "20_000", "--block", "5000"]);
        assert_eq!((&object["field"], &object["gates"]["mul"]), (&(*field).into(), &20_000.into()));
        assert_eq!(object["blocks"], 4);
        each(&object, "bytes_per_gate");
        each(&object, if *field == "f2" { "bits_per_gate" } else { "elements_per_gate" });
        assert!(object["quicksilver"]["mul_gates_per_second"].as_f64() > Some(0.0), "{object}");
    }
    let object = run(&["--inputs", "5_000", "--repeat", "2"]);
    assert_eq!((&object["gates"]["mul"], &object["parameters"]["inputs"]), (&2000.into(), &5000.into()));
    assert!(object["inputs"].as_u64() > Some(10_000) && object["bits_per_input"].as_f64() > Some(1.0));
    for check in ["buckets", "interpolation"] {
        let object = run(&["--field", "f65537", "--gates", "3000", "--checked-by", check]);
        assert_eq!(object["checked_by"], check);
    }
    for (more, words) in [
        (&["wolverine", "--system", "quicksilver"][..], &["bench wolverine is by wolverine"][..]),
        (&["wolverine", "--statement", "sha256"], &["bench wolverine has no --statement"]),
        (&["wolverine", "--gates", "0"], &["--gates: "]),
        (&["wolverine", "--inputs", "99999999999999"], &["--inputs: 99999999999999: choose from 0"]),
        (&["sha256", "--inputs", "5"], &["bench sha256 has no --inputs"]),
        (&["tables", "--block", "5"], &["bench tables has no --block"]),
        (&["vole-f2", "--checked-by", "buckets"], &["--checked-by: quicksilver has a check of its own"]),
        (&["holes", "--system", "wolverine"], &["bench holes is by quicksilver"]),
        (
            &["matmul", "--system", "wolverine", "--kind", "random"],
            &["--kind: wolverine multiplies gate by gate"],
        ),
    ] {
        measure(more).refused(2, words);
    }
}

/// The other benches, gate by gate where they have polynomials.
#[test]
fn benches_run_by_wolverine() {
    #[rustfmt::skip]
    let cases: &[(&[&str], u64)] = &[
        (&["sha256"], 21_653),
        (&["arithmetic", "--gates", "3001"], 3001),
        (&["boolean", "--inputs", "3000"], 1000),
        (&["inner-product", "--length", "1_500"], 1500),
        (&["matmul", "--size", "13"], 13 * 13 * 13),
        (&["sis", "--kind", "binary"], 4096),
        (&["sis", "--kind", "ternary"], 2 * 1024),
        (&["merkle", "--depth", "1"], 0),
        (&["stack", "--clauses", "3", "--gates", "300"], 0),
    ];
    for (bench, mul) in cases {
        let more = ["--system", "wolverine", "--quiet", "--json"];
        let object = measure(&[*bench, &more].concat()).expect(0).json();
        assert_eq!((&object["verdict"], &object["system"]), (&"accepted".into(), &"wolverine".into()));
        assert_eq!(object["polynomials"]["count"], 0, "{object}");
        let found = object["gates"]["mul"].as_u64().expect("a number");
        assert!(if *mul > 0 { found == *mul } else { found > 0 }, "{object}");
    }
}

#[test]
fn blocks_are_told() {
    let boolean = ["boolean", "--gates", "3000", "--system", "wolverine", "--block", "1000"];
    let table = measure(&boolean).expect(0).out;
    assert!(
        table.contains("checked      by buckets of ") && table.contains("in 3 blocks of up to 1,000"),
        "{table}"
    );
}
