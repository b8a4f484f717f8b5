//! Command lines that are refused on this side, before anybody is contacted: exit code 2 and one line.

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
    // No coin was told.
    assert_eq!(object["counts_against_peer"], false);
}

/// Misuse is refused before anybody is reached, whatever the system, on either side.
#[test]
fn less_security_than_convinces_takes_an_option_of_its_own() {
    for system in ["quicksilver", "wolverine", "jko", "limbo"] {
        for bits in ["0", "1", "39"] {
            let more = ["--system", system, "--security", bits];
            let words = ["--security: by", "ask for 40 at least", "--insecure-parameters"];
            for verb in [&["prove", "--private", "message=text:abc"][..], &["verify"]] {
                let all = [&preimage(verb[0], &verb[1..])[..], &NOWHERE, &more].concat();
                volery(&all).refused(2, &words);
            }
            volery(&[&["demo"], &more[..]].concat()).refused(2, &words);
        }
        let insecure = ["demo", "--system", system, "--security", "1", "--insecure-parameters", "--json"];
        let object = volery(&insecure).expect(0).json();
        assert_eq!(object["security"]["insecure_parameters"], true, "{object}");
        let usual = volery(&["demo", "--system", system, "--json"]).expect(0).json();
        assert!(usual["security"].get("insecure_parameters").is_none(), "{usual}");
    }
    let few = ["demo", "--system", "limbo", "--security", "1", "--parties", "2", "--insecure-parameters"];
    let object = volery(&[&few[..], &["--json"]].concat()).expect(0).json();
    assert!(object["security"]["statistical_bits"].as_u64() < Some(40), "{object}");
    assert!(volery(&few).expect(0).out.contains("accepted, with insecure parameters"));
    let low = ["--security", "39", "--insecure-parameters"];
    let prove = preimage("prove", &[&["--private", "message=text:abc"][..], &low].concat());
    for ended in session(&preimage("verify", &low), &prove) {
        assert!(ended.expect(0).out.contains("bits statistical, with insecure parameters allowed"));
    }
    // And of a run that fails.
    let failed = [&few[..], &["--repetitions", "no", "--json"]].concat();
    assert_eq!(volery(&failed).expect(2).json()["security"]["insecure_parameters"], true);
}

#[test]
fn help_says_what_a_provers_success_is_worth() {
    let help = volery(&["prove", "--help"]).expect(0).out;
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    for words in [
        "Exit code 0 means that bytes which the verifier seems to have sent say that it accepted",
        "On a plain link, without keys, anybody in between could have said so",
        "the prover left after a coin, when it could foresee the verdict",
    ] {
        assert!(help.contains(words), "{words}");
    }
}

#[test]
fn values_that_do_not_fit_name_both_widths() {
    let prove = |private| volery(&[&preimage("prove", &["--private", private])[..], &NOWHERE].concat());
    prove("message=text:abcd")
        .refused(2, &["--private: message is 24 bits wide", "has 32 bits (4 bytes): nothing is padded"]);
    prove("message=text:abc\n").refused(2, &["has 32 bits (4 bytes): the file ends in a newline"]);
    prove("message=0x1616263")
        .refused(2, &["message is 24 bits wide, and the number given for it needs more"]);
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
    open.end().refused(3, &["no peer connected"]);
    volery(&preimage("verify", &["--connect", "localhost"])).refused(2, &["a host and a port"]);
}

#[test]
fn what_does_not_exist_is_said_to() {
    #[rustfmt::skip]
    let cases: &[(&[&str], &[&str])] = &[
        (&[], &["a verb is missing"]),
        (&["demo", "--timeout", "-1"], &["--timeout", "above 0"]),
        (&["demo", "--vole", "mega"], &["no such name", "softspoken8", "wan"]),
        (&["demo", "--system", "groth16"], &["--system: no such name", "quicksilver", "wolverine"]),
        (&["demo", "--field", "f61"], &["demo is over f2"]),
        (&["demo", "--security", "122"], &["122 bits were asked for", "120"]),
        (&["demo", "--threads", "many"], &["--threads: write a number from 1"]),
        (&["demo", "--timeout", "0"], &["--timeout"]),
        (&["demo", "--timeout", "inf"], &["--timeout"]),
        (&["circuit"], &["a verb is missing", "circuit info", "circuit eval", "circuit list"]),
        (&["circuit", "list", "--field", "f62"], &["--field: no such name", "f61"]),
        (&["circuit", "list", "x"], &["none is expected"]),
        (&["circuit", "import", "x"], &["no such verb", "circuit export"]),
        (&["circuit", "nonsense", "x"], &["no such verb", "circuit info"]),
        (&["circuit", "info", "/no/such/file"], &["/no/such/file"]),
        (&["circuit", "info", "builtin:md5"], &["sha256-preimage"]),
        (&["circuit", "info", "builtin:sha256-preimage", "--format", "edif"], &["bristol-fashion"]),
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

/// First attempts of many are answered with what is wrong, and what to do instead.
#[test]
fn first_attempts_are_answered() {
    let verify = |more: &[&str]| volery(&preimage("verify", more));
    verify(&["--private", "message=text:abc"]).refused(2, &["verify takes no --private", "`volery prove`"]);
    verify(&["--proof", "-"]).refused(1, &["--proof -: ", "ends too early"]);
    verify(&["--proof", "-", "--proof", "-"]).refused(2, &["--proof -: ", "give it once"]);
    let out = ["--private", "message=text:abc", "--out", "-"];
    volery(&preimage("prove", &out)).refused(2, &["--out -: ", "give the path of a file"]);
    verify(&["--public", "nosuch", "--listen", "127.0.0.1:0"])
        .refused(2, &["--public nosuch: neither NAME=VALUE nor a file", "volery circuit info"]);
    verify(&["--listen", ":7777"]).refused(2, &["--listen :7777: the host is missing", "127.0.0.1:7777"]);

    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("given");
    let text = path.to_str().expect("UTF-8");
    for (begin, words) in [
        (&b"\x1f\x8b\x08\x00"[..], "gunzip"),
        (b"r1cs\x01\x00\x00\x00", "byte 8: the number of sections should stand here"),
        (b"aig 1 1 0 1 0\n", "line 2: the file ends"),
        (b"// an adder\nmodule adder(a, b);\n", "it is Verilog"),
        (b"\xef\xbb\xbf1 3\n2 1 1\n1 1\n\n2 1 0 1 2 AND\n", "byte-order mark"),
    ] {
        std::fs::write(&path, begin).expect("written");
        volery(&["circuit", "info", text]).refused(2, &[text, words]);
        volery(&["verify", "--relation", text, NOWHERE[0], NOWHERE[1]]).refused(2, &[text, words]);
    }
}

/// Benches are a program of its own, which need not be there.
#[test]
fn a_missing_program_is_said_to_be() {
    let folder = tempfile::tempdir().expect("a folder");
    let alone = folder.path().join("volery");
    std::fs::copy(crate::PROGRAM, &alone).expect("copied");
    for arguments in [&["bench", "--help"][..], &["bench", "sha256", "--json"], &["bench"]] {
        let mut process = std::process::Command::new(&alone);
        process.args(arguments).env("PATH", folder.path());
        // A process that another test starts may have the copy open until it runs its own program.
        let ended = loop {
            match process.output() {
                Err(why) if why.kind() == std::io::ErrorKind::ExecutableFileBusy => std::thread::yield_now(),
                ended => break ended.expect("it starts"),
            }
        };
        assert_eq!(ended.status.code(), Some(2), "{ended:?}");
        let said = String::from_utf8(ended.stderr).expect("UTF-8");
        for words in
            ["bench: volery-bench is neither", "cargo install --path crates/bench", "-p volery-bench"]
        {
            assert!(said.contains(words), "{said}");
        }
        let object = String::from_utf8(ended.stdout).expect("UTF-8");
        assert_eq!(object.contains("\"exit_code\":2"), arguments.contains(&"--json"), "{object}");
    }
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
