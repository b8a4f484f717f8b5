//! Reports of benches.

use crate::kit::{FIELDS, KEYS, assert_keys, volery as measure};
use serde_json::Value;

#[test]
fn benches_report_both_parties() {
    for (arguments, mul) in [(&["boolean", "--gates", "300_001"][..], 300_001), (&["sha256"], 21_653)] {
        let ended = measure(&[arguments, &["--json"]].concat()).expect(0);
        let object = ended.json();
        assert_keys(&object, &KEYS);
        assert_keys(&object, &["/name", "/parameters/vole", "/online_bytes"]);
        assert_eq!(object["gates"]["mul"], mul);
        assert_eq!(object["name"], arguments[0]);
        assert!(object["peak_rss_bytes"].as_u64().is_none_or(|bytes| bytes < 64_000_000), "{object}");
        assert_eq!(ended.err, "");
    }
    let list = measure(&["--list"]).expect(0).out;
    assert!(
        ["boolean", "arithmetic", "sha256", "vole-f2", "vole-f61"].iter().all(|name| list.contains(name)),
        "{list}"
    );
}

/// Gates in lanes are as many, whichever system walks them, and with values before them.
#[test]
fn gates_stand_in_lanes() {
    for more in [
        &["--vole", "softspoken4", "--threads", "2"][..],
        &["--vole", "mid"],
        &["--inputs", "300", "--vole", "softspoken8"],
        &["--system", "wolverine"],
        &["--system", "jko"],
    ] {
        let arguments = [&["boolean", "--gates", "30_011", "--lanes", "100", "--json"], more].concat();
        let object = measure(&arguments).expect(0).json();
        assert_eq!((&object["parameters"]["lanes"], &object["gates"]["mul"]), (&100.into(), &30_011.into()));
        assert_eq!(object["verdict"], "accepted");
    }
}

/// Alone, each party is told again what the other one sent, and comes to the same.
#[test]
fn parties_are_measured_alone() {
    for bench in [
        &["boolean", "--gates", "300000", "--vole", "tiny", "--threads", "2"][..],
        &["boolean", "--gates", "20000", "--vole", "softspoken4", "--repeat", "2", "--threads", "3"],
        &["boolean", "--gates", "300000", "--lanes", "100", "--vole", "tiny", "--threads", "3"],
        &["arithmetic", "--gates", "20000", "--vole", "tiny", "--threads", "2"],
        &["wolverine", "--gates", "20000", "--vole", "tiny", "--threads", "2"],
        &["jko", "--gates", "3000"],
        &["stack", "--clauses", "3", "--gates", "300", "--threads", "2"],
        &["branches", "--clauses", "3", "--gates", "300", "--vole", "tiny"],
        &["branches", "--clauses", "3", "--gates", "300", "--count", "4", "--vole", "tiny"],
        &["limbo", "--statement", "random", "--gates", "3000", "--interactive", "--threads", "2"],
        &["convert", "--count", "100", "--vole", "tiny", "--threads", "2"],
    ] {
        let object = measure(&[bench, &["--replay", "--json"]].concat()).expect(0).json();
        assert_keys(&object, &KEYS);
        for party in ["prover", "verifier"] {
            let alone = &object["alone"][party];
            assert!(alone["online"].as_f64() > Some(0.0), "{object}");
            // What converts has no products.
            let speed = alone["mul_gates_per_second"].as_f64();
            assert_eq!(speed > Some(0.0), bench[0] != "convert", "{object}");
        }
        assert_eq!((&object["verdict"], &object["parameters"]["replay"]), (&"accepted".into(), &true.into()));
    }
    measure(&["boolean", "--replay"]).refused(2, &["--replay", "--vole mid"]);
    for bench in ["vole-f2", "shards"] {
        measure(&[bench, "--replay"]).refused(2, &[&format!("bench {bench} has no --replay")]);
    }
    measure(&["limbo", "--replay"]).refused(2, &["--replay", "--interactive"]);
    let spread = measure(&["vole-f2", "--gates", "300000", "--vole", "tiny", "--threads", "2", "--json"]);
    assert_eq!(spread.expect(0).json()["threads"], 2);
}

#[test]
fn arithmetic_is_measured_over_each_field() {
    // Each that has a name: benches of statements without one have a table of their own of types.
    assert_eq!(volery::settings().iter().map(|setting| setting.name()).collect::<Vec<_>>(), FIELDS);
    for field in FIELDS {
        let arguments = ["arithmetic", "--field", field, "--gates", "301", "--json"];
        let ended = measure(&arguments).expect(0);
        let object = ended.json();
        assert_keys(&object, &KEYS);
        assert_keys(&object, &["/name", "/parameters/vole", "/online_bytes", "/runs"]);
        assert_eq!((&object["field"], &object["name"]), (&field.into(), &"arithmetic".into()));
        assert_eq!((&object["gates"]["mul"], &object["inputs"]), (&301.into(), &256.into()));
        assert!(object["security"]["statistical_bits"].as_u64() >= Some(40), "{object}");
        assert_eq!(ended.err, "");
    }
    let direct = ["arithmetic", "--vole", "direct", "--repeat", "2", "--gates", "500", "--json"];
    let low = [&direct[..], &["--security", "30"]].concat();
    measure(&low).refused(2, &["--security: by 30 bits", "40 at least", "--insecure-parameters"]);
    let object = measure(&[&low[..], &["--insecure-parameters"]].concat()).expect(0).json();
    assert_eq!(object["security"]["insecure_parameters"], true);
    let found = (&object["field"], &object["vole"], &object["gates"]["mul"]);
    assert_eq!(found, (&"f61".into(), &"direct".into(), &1000.into()));
}

/// One field of each kind.
const KINDS: [&str; 5] = ["f2", "f2x64", "f61x2", "f65537", "f256"];

#[test]
fn what_is_more_than_gates_is_measured_over_each_kind_of_field() {
    polynomials_are_measured(&KINDS);
    memories_and_tables_are_measured(&KINDS);
    shards_are_measured(&KINDS);
}

#[test]
#[ignore = "slow"]
fn what_is_more_than_gates_is_measured_over_each_field() {
    polynomials_are_measured(&FIELDS);
    memories_and_tables_are_measured(&FIELDS);
    shards_are_measured(&FIELDS);
}

fn polynomials_are_measured(fields: &[&str]) {
    let run = |name: &str, field: &str, size: [&str; 2]| {
        let arguments = [name, "--field", field, size[0], size[1], "--json"];
        let object = measure(&arguments).expect(0).json();
        assert_keys(&object, &KEYS);
        assert_keys(&object, &["/name", "/parameters/vole", "/online_bytes", "/polynomials/degree"]);
        assert_eq!((&object["field"], &object["name"]), (&field.into(), &name.into()));
        assert_eq!(object["gates"]["mul"], 0);
        object
    };
    for &field in fields {
        let object = run("inner-product", field, ["--length", "100"]);
        assert_eq!((&object["inputs"], &object["polynomials"]["count"]), (&200.into(), &1.into()));
        assert!(object["beyond_committing"].as_f64() > Some(0.0), "{object}");
        let object = run("matmul", field, ["--size", "7"]);
        assert_eq!((&object["inputs"], &object["matrix_products"]), (&98.into(), &1.into()));
    }
    for (kind, field, inputs) in [("ternary", "q32", 1024), ("binary", "f61", 4096)] {
        let object = run("sis", field, ["--kind", kind]);
        assert_eq!(object["inputs"], inputs);
        assert_eq!(object["field"], measure(&["sis", "--kind", kind, "--json"]).expect(0).json()["field"]);
    }
}

fn memories_and_tables_are_measured(fields: &[&str]) {
    let run = |name: &str, field: &str, size: [&str; 4], rate: &str| {
        let arguments = [&[name, "--field", field, "--json"], &size[..]].concat();
        let object = measure(&arguments).expect(0).json();
        assert_keys(&object, &KEYS);
        assert!(object[rate].as_f64() > Some(0.0), "{object}");
    };
    for &field in fields {
        run("ram", field, ["--words", "10", "--accesses", "40"], "accesses_per_second");
        if !matches!(field, "f2" | "f2x64" | "f256") {
            run("lookup", field, ["--bits", "8", "--accesses", "50"], "lookups_per_second");
            run("lookup", field, ["--words", "50", "--accesses", "50"], "lookups_per_second");
        }
    }
    measure(&["lookup", "--field", "f256"]).refused(2, &["--field", "odd"]);
}

#[test]
fn conversions_are_measured_over_each_field() {
    for field in ["f61", "f61x2", "goldilocks", "goldilocksx2", "q32", "f65537"] {
        for kind in ["to-number", "to-bits"] {
            let size = ["--bits", "12", "--count", "70", "--kind", kind];
            let arguments = [&["convert", "--field", field, "--json"], &size[..]].concat();
            let object = measure(&arguments).expect(0).json();
            assert_keys(&object, &KEYS);
            assert!(object["conversions_per_second"].as_f64() > Some(0.0), "{object}");
            assert!(object["bytes_per_conversion"].as_f64() > Some(12.0), "{object}");
            assert_eq!((&object["kind"], &object["conversions"]), (&kind.into(), &70.into()));
        }
    }
    measure(&["convert", "--field", "f256"]).refused(2, &["--field", "characteristic two"]);
    measure(&["convert", "--field", "bn254"]).refused(2, &["--field", "not over bn254"]);
    measure(&["convert", "--bits", "61"]).refused(2, &["--bits", "from 1 to 60"]);
    measure(&["convert", "--kind", "both"]).refused(2, &["--kind", "to-number, to-bits"]);
}

fn shards_are_measured(fields: &[&str]) {
    for field in fields {
        let arguments = ["shards", "--field", field, "--gates", "60", "--shards", "3", "--json"];
        let object = measure(&[&arguments[..], &["--simulate"]].concat()).expect(0).json();
        assert_keys(&object, &KEYS);
        assert_keys(
            &object,
            &["/setup_of_a_shard", "/setup_bytes_of_a_shard", "/run_bits", "/assumed/bytes"],
        );
        assert_eq!((&object["shards"], object["runs"].as_array().map(Vec::len)), (&3.into(), Some(3)));
        assert!((8.0..=128.0).contains(&object["bytes_per_wire"].as_f64().expect("some cross")), "{object}");
        assert_eq!(object["simulated"].as_array().map(Vec::len), Some(5));
    }
    measure(&["shards", "--shards", "0"]).refused(2, &["--shards", "from 1 to 1024"]);
    measure(&["shards", "--system", "wolverine"]).refused(2, &["--system", "quicksilver"]);
}

#[test]
fn holes_spare_commitments() {
    for (kind, count, most, gates) in
        [("sha256", "2", 7000.0, 22_000.0), ("multiplication", "20", 180.0, 1000.0)]
    {
        let arguments = ["holes", "--kind", kind, "--count", count, "--json"];
        let object = measure(&arguments).expect(0).json();
        assert_keys(&object, &KEYS);
        assert_keys(
            &object,
            &["/name", "/kind", "/gate_by_gate/seconds/online", "/gate_by_gate/online_bytes"],
        );
        assert!(object["committed_bits_each"].as_f64() < Some(most), "{object}");
        assert!(object["gate_by_gate"]["committed_bits_each"].as_f64() > Some(gates), "{object}");
    }
}

#[test]
fn correlations_are_drawn_over_each_field() {
    correlations_are_drawn(&FIELDS[2..], &[("direct", "500", 500.0)]);
    correlations_are_drawn(&["f61", "f65537", "f256"], &[("tiny", "20_000", 20_000.0)]);
}

#[test]
#[ignore = "slow"]
fn more_correlations_are_drawn_over_each_field() {
    correlations_are_drawn(&FIELDS[2..], &[("direct", "2_000", 2_000.0), ("tiny", "20_000", 20_000.0)]);
}

/// Draws so many over each field, by these names.
fn correlations_are_drawn(fields: &[&str], all: &[(&str, &str, f64)]) {
    for field in fields {
        // Direct ones cost the same each however many are drawn.
        for &(vole, gates, count) in all {
            let arguments = ["--field", field, "--vole", vole, "--gates", gates, "--json"];
            let object = measure(&[&["vole-f61"], &arguments[..]].concat()).expect(0).json();
            assert_keys(&object, &KEYS);
            assert_eq!((&object["field"], &object["name"]), (&(*field).into(), &"vole-f61".into()));
            let number = |pointer: &str| object.pointer(pointer).and_then(Value::as_f64).expect("a number");
            let drawn = number("/correlations");
            assert!((count..1.25 * count).contains(&drawn), "{object}");
            // Set-up and draws come to all that was sent.
            let all = number("/bytes/sent") + number("/bytes/received");
            assert_eq!(number("/setup_bytes") + number("/online_bytes"), all);
            assert!((8.0 * all / drawn - number("/with_setup/bits_per_correlation")).abs() < 1e-6);
            assert!(number("/with_setup/bits_per_correlation") > number("/bits_per_correlation"));
            let nanoseconds = number("/nanoseconds_per_correlation");
            assert!(nanoseconds < number("/with_setup/nanoseconds_per_correlation"), "{object}");
            assert!(number("/seconds/setup") > 0.0 && object["verdict"].is_null(), "{object}");
        }
    }
}

#[test]
fn correlations_are_drawn_and_checked() {
    for vole in ["softspoken4", "softspoken8", "tiny", "l2"] {
        let arguments = ["vole-f2", "--gates", "500_000", "--vole", vole, "--json"];
        let object = measure(&arguments).expect(0).json();
        assert_keys(&object, &KEYS);
        assert_keys(&object, &["/name", "/online_bytes", "/bytes_per_correlation"]);
        let drawn = object["correlations"].as_u64().expect("a number");
        assert!((500_000..510_000).contains(&drawn), "{object}");
        assert!(object["correlations_per_second"].as_f64() > Some(0.0), "{object}");
        assert!(object["verdict"].is_null() && object["mul_gates_per_second"].is_null(), "{object}");
    }
    let table = measure(&["vole-f2", "--gates", "1000"]).expect(0).out;
    assert!(table.contains("softspoken8, the statement is small"), "{table}");
}

/// Several statements on one set-up: sums, and the seconds of each.
#[test]
fn repeated_statements_share_a_set_up() {
    let run = |repeat: &str| {
        let arguments = ["sha256", "--repeat", repeat, "--vole", "tiny", "--json"];
        measure(&arguments).expect(0).json()
    };
    let (once, thrice) = (run("1"), run("3"));
    assert_eq!(thrice["gates"]["mul"], 3 * once["gates"]["mul"].as_u64().expect("a number"));
    assert_eq!(thrice["runs"].as_array().map(Vec::len), Some(3));
    let sent = |object: &Value| object["bytes"]["sent"].as_u64().expect("a number");
    assert!(sent(&thrice) > sent(&once) && sent(&thrice) < sent(&once) * 3 / 2, "{once} {thrice}");
    let table = measure(&["sha256", "--repeat", "2"]).expect(0).out;
    assert!(table.contains("runs         2, "), "{table}");
}

/// Three round trips and a megabyte take their time; auto knows the bandwidth, and says so.
#[test]
fn shaped_links_are_slow() {
    let arguments = ["boolean", "--gates", "300000", "--bandwidth", "30", "--latency", "20", "--json"];
    let object = measure(&arguments).expect(0).json();
    let reason = object["vole_reason"].as_str().expect("a reason");
    assert!(reason.starts_with("the fastest at 30 Mbit/s, 4"), "{reason}");
    for (pointer, least, most) in [
        ("/mbps/prover_to_verifier", 30.0, 30.0),
        ("/mbps/verifier_to_prover", 30.0, 30.0),
        ("/round_trip", 0.04, 4.0),
        ("/nanoseconds_a_share/prover", 1.0, 1e4),
        ("/nanoseconds_a_share/verifier", 1.0, 1e4),
        ("/expected_seconds", 0.1, 10.0),
        ("/runner_up/seconds", 0.1, 100.0),
    ] {
        let found = object["vole_grounds"].pointer(pointer).and_then(Value::as_f64).expect(pointer);
        assert!((least..=most).contains(&found), "{pointer}: {found}");
    }
    assert_eq!(
        (&object["parameters"]["bandwidth"], &object["parameters"]["latency"]),
        (&30.0.into(), &20.0.into())
    );
    let [sent, received] = ["sent", "received"].map(|way| object["bytes"][way].as_f64().expect("a number"));
    let least = (6.0 * 0.020_f64).max(8.0 * sent.max(received) / 30e6);
    let seconds = &object["seconds"];
    let took = seconds["setup"].as_f64().expect("a number") + seconds["online"].as_f64().expect("a number");
    assert!(took > 0.9 * least, "{took} instead of {least}: {object}");
}

/// Correlations by auto are held against all sets by name, on one link.
#[test]
fn auto_is_held_against_every_set() {
    let arguments = ["auto", "--gates", "300000", "--bandwidth", "200", "--latency", "1", "--json"];
    let object = measure(&arguments).expect(0).json();
    let [link] = &object["links"].as_array().expect("links")[..] else { panic!("{object}") };
    let named = link["by_name"].as_object().expect("all sets");
    assert_eq!(named.len(), 7);
    assert!(named.values().all(|seconds| seconds.as_f64() > Some(0.0)), "{object}");
    let [chosen, fastest] = ["vole", "fastest"].map(|key| link[key].as_str().expect("a name"));
    assert!(named.contains_key(chosen) && named.contains_key(fastest), "{object}");
    assert!(link["ratio"].as_f64() >= Some(1.0), "{object}");
    let reason = link["vole_reason"].as_str().expect("a reason");
    assert!(reason.starts_with("the fastest at ") && reason.contains(" expected, and "), "{reason}");
}

/// Ten times the gates in the same memory.
#[test]
fn memory_does_not_grow_with_the_statement() {
    assert_flat(&["boolean", "--vole", "softspoken4"], ["150_000", "1_500_000"]);
    assert_flat(&["jko"], ["200_000", "2_000_000"]);
}

/// Memory does not grow with iterations where it takes many gates to fill one; three times as many where the
/// program is built for tests.
#[test]
#[ignore = "slow"]
fn memory_does_not_grow_with_iterations() {
    assert_flat(&["jko"], ["1_000_000", "10_000_000"]);
    let large = if cfg!(debug_assertions) { "30_000_000" } else { "100_000_000" };
    assert_flat(&["boolean", "--vole", "l2"], ["10_000_000", large]);
}

/// Runs `bench` with both numbers of gates, where peaks of memory are known.
fn assert_flat(bench: &[&str], gates: [&str; 2]) {
    let peaks = gates.map(|gates| {
        let arguments = [bench, &["--gates", gates, "--quiet", "--json"]].concat();
        measure(&arguments).expect(0).json()["peak_rss_bytes"].as_u64()
    });
    if let [Some(small), Some(large)] = peaks {
        let bench = bench.join(" ");
        assert!(large < small + small / 10 + 2_000_000, "{bench}: {small} bytes, then {large}");
        assert!(small.max(large) <= 64_000_000, "{bench}: {small} bytes, then {large}");
    }
}

/// A run of a program is measured by its cycles, and takes no more memory where it is longer.
#[test]
fn runs_of_programs_are_measured() {
    let run = |length| {
        let public = ["program", "--public-control", "--length", length];
        let bench = [&public[..], &["--vole", "softspoken8", "--quiet", "--json"]].concat();
        let object = measure(&bench).expect(0).json();
        assert_eq!(object["verdict"], "accepted", "{object}");
        assert!(object["cycles_per_second"].as_f64() > Some(0.0), "{object}");
        assert!(
            object["bytes_per_cycle"].as_f64().is_some_and(|bytes| (5.0..20.0).contains(&bytes)),
            "{object}"
        );
        (object["cycles"].as_u64().expect("a number"), object["peak_rss_bytes"].as_u64())
    };
    let (few, small) = run("500");
    let (many, large) = run("4000");
    assert!(7 * few < many && many < 8 * few, "{few} {many}");
    if let Some((small, large)) = small.zip(large) {
        assert!(large < small + small / 10 + 2_000_000, "{small} bytes, then {large}");
    }
    let elf = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/programs/crc32.elf");
    let bench = ["program", "--elf", elf, "--length", "20", "--quiet", "--json"];
    for public in [&["--public-control"][..], &[]] {
        let object = measure(&[&bench[..], public].concat()).expect(0).json();
        assert_eq!(object["verdict"], "accepted", "{object}");
        assert_eq!(object["rows"].is_u64(), public.is_empty(), "{object}");
    }
}

/// Benches of garbled circuits run to their end, and hold no more than the material of the largest clause for
/// each party, beside what the smallest takes.
#[test]
fn garbled_benches_run() {
    assert_garbled(&[
        (&["jko", "--gates", "30000"][..], None, 15_000_000),
        (&["jko", "--gates", "2000", "--gate-hash", "tmmo", "--repeat", "2"], None, 15_000_000),
        (&["stack", "--clauses", "5", "--gates", "3000"], Some(5), 15_000_000),
        (
            &["stack", "--clauses", "5", "--gates", "3000", "--seeds", "each", "--threads", "2"],
            Some(5),
            25_000_000,
        ),
        (&["stack", "--clauses", "2", "--gates", "300", "--system", "quicksilver"], Some(2), 20_000_000),
        // Each party keeps the gates of four functions.
        (&["snippets", "--system", "stack"], Some(4), 75_000_000),
        (&["merkle-membership", "--depth", "1", "--system", "jko"], None, 20_000_000),
        (&["merkle", "--depth", "1", "--system", "jko"], None, 15_000_000),
    ]);
}

#[test]
#[ignore = "slow"]
fn the_largest_garbled_bench_runs() {
    assert_garbled(&[(&["merkle-membership", "--system", "stack"], Some(3), 135_000_000)]);
}

/// Benches of so many clauses, with the most that a party holds.
fn assert_garbled(benches: &[(&[&str], Option<u64>, u64)]) {
    let run = |bench: &[&str]| measure(&[bench, &["--quiet", "--json"]].concat()).expect(0).json();
    let own = run(&["jko", "--gates", "1"])["peak_rss_bytes"].as_u64().unwrap_or(0);
    for &(bench, clauses, most) in benches {
        let object = run(bench);
        assert_eq!(object["verdict"], "accepted", "{object}");
        assert_eq!(object["clauses"].as_u64(), clauses, "{object}");
        assert!(object["gates"]["mul"].as_u64() > Some(0), "{object}");
        assert!(object["peak_rss_bytes"].as_u64().is_none_or(|peak| peak < own + most), "{object}");
        assert!(bench[0] != "jko" || object["garbled_per_second"].as_f64() > Some(0.0), "{object}");
    }
}
