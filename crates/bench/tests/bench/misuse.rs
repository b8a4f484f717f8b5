//! Command lines that are refused before anything is measured: exit code 2 and one line.

use crate::kit::volery as measure;

#[test]
fn what_does_not_exist_is_said_to() {
    #[rustfmt::skip]
    let cases: &[(&[&str], &[&str])] = &[
        (&["groth16"], &["bench: no such name", "boolean", "wolverine"]),
        (&["program", "--elf", "/no/such"], &["--elf /no/such: "]),
        (&["merkle", "--depth", "0"], &["--depth: 0: choose from 1"]),
        (&["merkle", "--kind", "sha256"], &["--kind: no such name"]),
        (&["snippets", "--count", "0"], &["count=0: choose from 1"]),
        (&["matmul", "--gates", "3"], &["bench matmul has no --gates"]),
        (&["matmul", "--size", "0"], &["--size: ", "0×0"]),
        (&["matmul", "--size", "1000000"], &["--size: ", "2^32"]),
        (&["inner-product", "--size", "3"], &["bench inner-product has no --size"]),
        (&["inner-product", "--length", "0"], &["--length: ", "choose from 1"]),
        (&["sis", "--kind", "quaternary"], &["--kind", "ternary, binary"]),
        (&["sis", "--field", "f256"], &["--field: ", "f256"]),
        (&["sis", "--length", "3"], &["bench sis has no --length"]),
        (&["holes", "--kind", "ternary"], &["--kind", "sha256, multiplication"]),
        (&["holes", "--count", "0"], &["--count: 0", "choose from 1"]),
        (&["holes", "--field", "f61"], &["bench holes is over f2"]),
        (&["nonsense"], &["no such name"]),
        (&[], &["missing", "bench --list"]),
        (&["sha256", "--gates", "3"], &["no --gates"]),
        (&["boolean", "--gates", "many"], &["--gates"]),
        (&["boolean", "--gates", "-5"], &["--gates", "whole number"]),
        (&["boolean", "--gates", "0"], &["--gates: ", "0 gates"]),
        (&["boolean", "--gates", "0", "--lanes", "4"], &["--gates: ", "0 gates"]),
        (&["boolean", "--lanes", "0"], &["--lanes: 0: choose from 1 to 65536"]),
        (&["boolean", "--lanes", "65537"], &["--lanes: 65537: choose from 1 to 65536"]),
        (&["boolean", "--gates", "30", "--lanes", "31"], &["--lanes: 31 lanes of 30 gates", "more --gates"]),
        (&["boolean", "--lanes", "-1"], &["--lanes: write a whole number"]),
        (&["arithmetic", "--lanes", "0"], &["--lanes: 0: choose from 1 to 65536"]),
        (&["jko", "--lanes", "4"], &["bench jko has no --lanes"]),
        (&["vole-f2", "--gates", "0"], &["--gates: 0 correlations"]),
        (&["vole-f2", "--gates", "18446744073709551615"], &["--gates: ", "choose from 1 to 2^40"]),
        (&["vole-f61", "--gates", "1099511627777"], &["--gates: ", "choose from 1 to 2^40", "a day"]),
        (&["vole-f2", "--repeat", "2"], &["no --repeat"]),
        (&["sha256", "--repeat", "0"], &["--repeat"]),
        (&["sha256", "--bandwidth", "0"], &["--bandwidth", "Mbit/s"]),
        (&["sha256", "--latency", "1e9"], &["--latency"]),
        (&["sha256", "--field", "q32"], &["bench sha256 is over f2, f2x64 and f61"]),
        (&["sha256", "--field", "f61", "--count", "3"], &["--count and --lanes", "--length"]),
        (&["sha256", "--length", "3"], &["--length", "55 bytes"]),
        (&["boolean", "--field", "f64"], &["no such name", "goldilocksx2", "q32"]),
        (&["boolean", "--field", "f61"], &["not over f61", "bench arithmetic"]),
        (&["vole-f2", "--field", "f61"], &["not over f61", "bench vole-f61"]),
        (&["vole-f61", "--field", "f2"], &["not over f2", "bench vole-f2"]),
        (&["vole-f61", "--gates", "0"], &["--gates: 0 correlations"]),
        (&["vole-f2", "--security", "40"], &["--security: bench vole-f2 proves nothing", "for proofs"]),
        (&["vole-f61", "--security", "no"], &["--security: bench vole-f61 proves nothing"]),
        (&["vole-f61", "--insecure-parameters"], &["--insecure-parameters: bench vole-f61 proves nothing"]),
        (&["vole-f2", "--non-interactive"], &["--non-interactive: bench vole-f2", "for proofs"]),
        (&["vole-f61", "--non-interactive"], &["--non-interactive: bench vole-f61", "for proofs"]),
        (&["arithmetic", "--gates", "18446744073709551615"], &["--gates: ", "choose from 1 to 2^60"]),
        (&["arithmetic", "--gates", "0"], &["--gates: ", "0 multiplications"]),
        (&["arithmetic", "--vole", "softspoken4"], &["auto, direct, tiny, l2, mid, wan"]),
        (&["boolean", "--vole", "direct"], &["auto, softspoken4"]),
        (&["arithmetic", "--security", "60"], &["60 bits", "f61 gives 4", "--field f61x2"]),
        (&["arithmetic", "--security", "100", "--field", "f65537"], &["f65537 gives", "ask for fewer"]),
        (&["holes", "--system", "jko"], &["--system: ", "quicksilver, and not by jko"]),
        (&["arithmetic", "--gates", "100", "--non-interactive"], &["over f61"]),
    ];
    for (arguments, words) in cases {
        measure(arguments).refused(2, words);
    }
}

#[test]
fn help_shows_examples() {
    for (arguments, words) in [
        (&["--help"][..], &["--gates", "--list", "vole-f61 --bandwidth 100", "direct       about 490"][..]),
        (&["-h"], &["--vole", "auto takes what the peer asks"]),
    ] {
        let help = measure(arguments).expect(0).out;
        assert!(words.iter().all(|word| help.contains(word)), "{help}");
    }
}

#[test]
fn benches_are_listed() {
    let object = measure(&["--list", "--json"]).expect(0).json();
    let benches = object["benches"].as_array().expect("an array");
    assert!(benches.iter().any(|row| row["name"] == "boolean"), "{object}");
    assert!(benches.iter().all(|row| row["what"].is_string()), "{object}");
}
