//! What is refused on this side, before anybody is contacted: exit code 2 and one line.

use crate::kit::{ABC, PREIMAGE, Running, preimage, session, volery};

/// An address at which nobody is asked for anything.
const NOWHERE: [&str; 2] = ["--connect", "127.0.0.1:1"];

#[test]
fn wrong_witnesses_are_named_before_anybody_is_contacted() {
    let prove = preimage("prove", &["--private", "message=text:abd"]);
    volery(&[&prove[..], &NOWHERE].concat()).refused(2, &["does not satisfy the statement: digest["]);
    let wrong = ABC.replace("0xba", "0xbb");
    let relation = [PREIMAGE[0], PREIMAGE[1], "--public", &wrong, "--private", "message=text:abc"];
    volery(&[&["prove"], &relation[..], &NOWHERE].concat()).refused(2, &["digest[248] does not hold"]);
    volery(&[&["check"], &relation[..]].concat()).refused(2, &["digest[248] does not hold"]);
    volery(&preimage("check", &["--private", "message=text:abc"])).expect(0);
}

#[test]
fn unchecked_witnesses_fail_on_the_way() {
    let prove = preimage("prove", &["--private", "message=text:abd", "--no-check", "--json"]);
    let [verifier, prover] = session(&preimage("verify", &["--json"]), &prove);
    let object = prover.refused(2, &["digest["]).json();
    assert!(object["verdict"].is_null() && object["error"].is_string(), "{object}");
    let object = verifier.refused(3, &["the peer closed the link"]).json();
    assert!(object["verdict"].is_null() && object["role"] == "verifier", "{object}");
}

#[test]
fn values_that_do_not_fit_name_both_widths() {
    let prove = |private| volery(&[&preimage("prove", &["--private", private])[..], &NOWHERE].concat());
    prove("message=text:abcd")
        .refused(2, &["--private: message is 24 bits wide", "has 32 bits (4 bytes): nothing is padded"]);
    prove("message=text:abc\n").refused(2, &["has 32 bits (4 bytes): the file ends in a newline"]);
    prove("message=0x61626").refused(2, &["message is 24 bits wide", "has 20 bits"]);
    prove("other=0x61").refused(2, &["message has no value"]);
    prove("digest=0x61").refused(2, &["message has no value"]);
    let verify = ["verify", PREIMAGE[0], PREIMAGE[1], "--public", "digest=0x12"];
    volery(&[&verify[..], &NOWHERE].concat())
        .refused(2, &["--public: digest is 256 bits wide", "has 8 bits"]);
}

#[test]
fn plain_text_stays_on_this_machine() {
    for (option, address) in [
        ("--connect", "192.0.2.1:7000"),
        ("--listen", "0.0.0.0:0"),
        ("--listen", "[::]:0"),
        ("--connect", "0.0.0.0:7000"),
    ] {
        volery(&preimage("verify", &[option, address])).refused(2, &[address, "--insecure-plaintext"]);
    }
    let open = Running::start(
        &preimage("verify", &["--listen", "0.0.0.0:0", "--insecure-plaintext", "--timeout", "0.2"]),
        b"",
        &[],
    );
    assert!(open.address.starts_with("0.0.0.0:"), "{}", open.address);
    open.end().refused(3, &["nobody connected"]);
    volery(&preimage("verify", &["--connect", "localhost"])).refused(2, &["a host and a port"]);
}

#[test]
fn what_does_not_exist_is_said_to() {
    #[rustfmt::skip]
    let cases: &[(&[&str], &[&str])] = &[
        (&[], &["a verb is missing"]),
        (&["bench", "groth16"], &["bench: no such name", "boolean", "wolverine"]),
        (&["bench", "merkle", "--depth", "0"], &["--depth: 0: choose from 1"]),
        (&["bench", "merkle", "--kind", "sha256"], &["--kind: no such name"]),
        (&["bench", "snippets", "--count", "0"], &["count=0: choose from 1"]),
        (&["bench", "matmul", "--gates", "3"], &["bench matmul has no --gates"]),
        (&["bench", "matmul", "--size", "0"], &["--size: ", "0×0"]),
        (&["bench", "matmul", "--size", "1000000"], &["--size: ", "2^32"]),
        (&["bench", "inner-product", "--size", "3"], &["bench inner-product has no --size"]),
        (&["bench", "inner-product", "--length", "0"], &["--length: ", "choose from 1"]),
        (&["bench", "sis", "--kind", "quaternary"], &["--kind", "ternary, binary"]),
        (&["bench", "sis", "--field", "f256"], &["--field: ", "f256"]),
        (&["bench", "sis", "--length", "3"], &["bench sis has no --length"]),
        (&["bench", "holes", "--kind", "ternary"], &["--kind", "sha256, multiplication"]),
        (&["bench", "holes", "--count", "0"], &["--count: 0", "choose from 1"]),
        (&["bench", "holes", "--field", "f61"], &["bench holes is over f2"]),
        (&["bench", "nonsense"], &["no such name"]),
        (&["bench"], &["missing", "bench --list"]),
        (&["bench", "sha256", "--gates", "3"], &["no --gates"]),
        (&["bench", "boolean", "--gates", "many"], &["--gates"]),
        (&["bench", "boolean", "--gates", "-5"], &["--gates", "whole number"]),
        (&["demo", "--timeout", "-1"], &["--timeout", "above 0"]),
        (&["bench", "boolean", "--gates", "0"], &["--gates: ", "0 gates"]),
        (&["bench", "vole-f2", "--gates", "0"], &["--gates: 0 correlations"]),
        (&["bench", "vole-f2", "--repeat", "2"], &["no --repeat"]),
        (&["bench", "sha256", "--repeat", "0"], &["--repeat"]),
        (&["bench", "sha256", "--bandwidth", "0"], &["--bandwidth", "Mbit/s"]),
        (&["bench", "sha256", "--latency", "1e9"], &["--latency"]),
        (&["demo", "--vole", "mega"], &["no such name", "softspoken8", "wan"]),
        (&["demo", "--system", "groth16"], &["--system: no such name", "quicksilver", "wolverine"]),
        (&["demo", "--field", "f61"], &["demo is over f2"]),
        (&["bench", "sha256", "--field", "f61"], &["bench sha256 is over f2"]),
        (&["bench", "boolean", "--field", "f64"], &["no such name", "goldilocksx2", "q32"]),
        (&["bench", "boolean", "--field", "f61"], &["not over f61", "bench arithmetic"]),
        (&["bench", "vole-f2", "--field", "f61"], &["not over f61", "bench vole-f61"]),
        (&["bench", "vole-f61", "--field", "f2"], &["not over f2", "bench vole-f2"]),
        (&["bench", "vole-f61", "--gates", "0"], &["--gates: 0 correlations"]),
        (&["bench", "vole-f2", "--security", "40"], &["--security: bench vole-f2 proves nothing", "for proofs"]),
        (&["bench", "vole-f61", "--security", "no"], &["--security: bench vole-f61 proves nothing"]),
        (&["bench", "vole-f2", "--non-interactive"], &["--non-interactive: bench vole-f2", "for proofs"]),
        (&["bench", "vole-f61", "--non-interactive"], &["--non-interactive: bench vole-f61", "for proofs"]),
        (&["bench", "arithmetic", "--gates", "18446744073709551615"], &["--gates: ", "choose from 1 to 2^60"]),
        (&["bench", "arithmetic", "--gates", "0"], &["--gates: ", "0 multiplications"]),
        (&["bench", "arithmetic", "--vole", "softspoken4"], &["auto, direct, tiny, l2, mid, wan"]),
        (&["bench", "boolean", "--vole", "direct"], &["auto, softspoken4"]),
        (&["bench", "arithmetic", "--security", "60"], &["60 bits", "f61 gives 4", "--field f61x2"]),
        (&["bench", "arithmetic", "--security", "100", "--field", "f65537"], &["f65537 gives", "ask for fewer"]),
        (&["demo", "--security", "122"], &["122 bits were asked for", "120"]),
        (&["demo", "--threads", "many"], &["--threads: write a number from 1"]),
        (&["demo", "--timeout", "0"], &["--timeout"]),
        (&["demo", "--timeout", "inf"], &["--timeout"]),
        (&["circuit"], &["a verb is missing", "circuit info", "circuit list"]),
        (&["circuit", "list", "--field", "f62"], &["--field: no such name", "f61"]),
        (&["circuit", "list", "x"], &["none is expected"]),
        (&["circuit", "import", "x"], &["no such verb", "circuit export"]),
        (&["circuit", "nonsense", "x"], &["no such verb", "circuit info"]),
        (&["circuit", "info", "/no/such/file"], &["/no/such/file"]),
        (&["circuit", "info", "builtin:md5"], &["sha256-preimage"]),
        (&["circuit", "info", "builtin:sha256-preimage", "--format", "sieve"], &["bristol-fashion"]),
        (&["verify", "--relation", "a", "--relation", "b", "--connect", "127.0.0.1:1"], &["relation 1: a cannot be read"]),
        (&["verify", "--relation", "a"], &["--listen or --connect"]),
    ];
    for (arguments, words) in cases {
        volery(arguments).refused(2, words);
    }
    Running::start(&["demo"], b"", &[("VOLERY_ARCH", "")]).end().expect(0);
    let arch = Running::start(&["demo"], b"", &[("VOLERY_ARCH", "mmx")]).end();
    arch.refused(2, &["VOLERY_ARCH", "no `mmx`", "portable"]);
}

/// Opening a pipe waits for somebody who writes to it.
#[cfg(unix)]
#[test]
fn relations_are_regular_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let pipe = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    for path in [pipe.to_str(), folder.path().to_str()].map(|path| path.expect("UTF-8")) {
        for format in [&[][..], &["--format", "bristol"]] {
            let info = [&["circuit", "info", path], format].concat();
            volery(&info).refused(2, &[path, "not a regular file"]);
        }
    }
}
