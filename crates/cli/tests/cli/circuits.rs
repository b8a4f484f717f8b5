//! Circuit files with known outputs, ours and published ones, proved and verified by two processes.

use crate::kit::{session, volery};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Proves that secret inputs lead to the outputs in `values`, written `in0=0x… out0=0x…`.
fn prove(path: &Path, values: &str) {
    let relation = ["--relation", path.to_str().expect("UTF-8")];
    let given = |prefix: &str, option: &'static str| -> Vec<String> {
        let values = values.split_whitespace().filter(|value| value.starts_with(prefix));
        values.flat_map(|value| [option.to_owned(), value.to_owned()]).collect()
    };
    let (public, private) = (given("out", "--public"), given("in", "--private"));
    let public: Vec<&str> = relation.into_iter().chain(public.iter().map(String::as_str)).collect();
    let private: Vec<&str> = private.iter().map(String::as_str).collect();
    let verify = [&["verify", "--json"], &public[..]].concat();
    let proof = [&["prove", "--json"], &public[..], &private].concat();
    let [verifier, prover] = session(&verify, &proof).map(|ended| ended.expect(0).json());
    assert_eq!(verifier["statement"], prover["statement"]);
    let info = volery(&["circuit", "info", relation[1], "--json"]).expect(0).json();
    assert_eq!(info["gates"]["mul"], prover["gates"]["mul"]);
    let estimates = info["estimates"].as_array().expect("an array");
    assert!(estimates.iter().any(|estimate| estimate["bytes_by_auto"] == prover["bytes"]), "{info} {prover}");
}

#[test]
fn our_circuits_are_proved() {
    let vectors = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors");
    let table = std::fs::read_to_string(vectors.join("README.md")).expect("vectors/README.md");
    for row in table.lines().filter(|line| line.contains("=0x")) {
        let [_, file, values, _] = row.split('|').collect::<Vec<_>>()[..] else { panic!("{row}") };
        prove(&vectors.join("circuits").join(file.trim()), values);
    }
}

/// Instances of a file are proved together: what they send is foreseen, and what is wrong is told with its instance.
#[test]
fn instances_of_a_circuit_are_proved() {
    let vectors = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/circuits");
    let adder = vectors.join("adder8.txt");
    prove(&vectors.join("adder8.txt?count=3"), "in0=0x5aff01 in1=0x330102 out0=0x8d0003");
    let relation = format!("{}?count=3", adder.to_str().expect("UTF-8"));
    for system in ["wolverine", "limbo", "jko"] {
        let given = ["--system", system, "--relation", &relation, "--public", "out0=0x8d0003"];
        let known = ["--private", "in0=0x5aff01", "--private", "in1=0x330102"];
        let sides = session(&[&["verify"], &given[..]].concat(), &[&["prove"], &given[..], &known].concat());
        for ended in sides {
            ended.expect(0);
        }
    }
    let values = ["--public", "out0=0x8d0004", "--private", "in0=0x5aff01", "--private", "in1=0x330102"];
    volery(&[&["check", "--relation", &relation], &values[..]].concat())
        .refused(2, &["out0[0] (wire 42) of instance 2 does not hold"]);
    let mul = |spec: &str| {
        let info = volery(&["circuit", "info", spec, "--json"]).expect(0).json();
        (info["gates"]["mul"].as_u64(), info["ports"]["inputs"][0]["width"].as_u64())
    };
    let (one, three) = (mul(adder.to_str().expect("UTF-8")), mul(&relation));
    assert_eq!(three, (one.0.map(|mul| 3 * mul), one.1.map(|width| 3 * width)));
    volery(&["circuit", "info", &relation.replace("=3", "=0")]).refused(2, &["choose from 1 to 16777216"]);
    let eval = ["circuit", "eval", &relation, "--input", "in0=0x5aff01", "--input", "in1=0x330102"];
    assert_eq!(volery(&eval).expect(0).out.trim_end(), "out0=0x8d0003");
}

/// Comments may stand above the head, and between gates.
#[test]
fn comments_are_no_circuit() {
    let file = tempfile::NamedTempFile::new().expect("a file");
    let text =
        "// source: by hand\n// edit: none\n\n2 4\n2 1 1\n1 2\n\n2 1 0 1 2 XOR\n// carry\n2 1 0 1 3 AND\n";
    std::fs::write(file.path(), text).expect("written");
    prove(file.path(), "in0=0x1 in1=0x1 out0=0x2");
}

/// The folder of published circuits: `VOLERY_CIRCUITS`, or `shared/circuits` beside the repository.
fn published() -> Option<PathBuf> {
    let folder = std::env::var_os("VOLERY_CIRCUITS").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/circuits"),
        PathBuf::from,
    );
    if !folder.is_dir() {
        // Not by eprintln, which is only shown of tests that fail.
        let _ = writeln!(
            std::io::stderr(),
            "skipped: no folder {}; set VOLERY_CIRCUITS to one with the circuits",
            folder.display()
        );
        return None;
    }
    Some(folder)
}

#[test]
fn published_circuits_are_proved() {
    let Some(folder) = published() else { return };
    let block = format!("0x61626380{}18", "0".repeat(118));
    let initial = "0x6a09e667bb67ae853c6ef372a54ff53a510e527f9b05688c1f83d9ab5be0cd19";
    let digest = "0xba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    prove(&folder.join("sha256.txt"), &format!("in0={block} in1={initial} out0={digest}"));
    prove(
        &folder.join("aes_128.txt"),
        "in0=0x2b7e151628aed2a6abf7158809cf4f3c in1=0x6bc1bee22e409f96e93d7e117393172a \
         out0=0x3ad77bb40d7a3660a89ecaf32466ef97",
    );
}

/// The lowest bit of a sum is wrong: the message says on which wire of the file.
#[test]
fn failures_name_the_place_in_the_file() {
    let vectors = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/circuits/adder8.txt");
    let path = vectors.to_str().expect("UTF-8");
    let values = ["--public", "out0=0x8c", "--private", "in0=0x5a", "--private", "in1=0x33"];
    volery(&[&["check", "--relation", path], &values[..]].concat()).refused(2, &["out0[0] (wire 42)"]);
}

/// Malformed files are found before anybody is waited for, whatever else is given.
#[test]
fn malformed_files_are_found_before_anybody_waits() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("half.txt");
    // The second gate reads a wire that nothing has written.
    std::fs::write(&path, "2 4\n1 1\n1 1\n\n1 1 0 1 INV\n2 1 1 2 3 AND\n").expect("written");
    let relation = ["--relation", path.to_str().expect("UTF-8"), "--public", "out0=0b1"];
    for vole in [&[][..], &["--vole", "tiny"]] {
        for (verb, more) in [("verify", &[][..]), ("prove", &["--private", "in0=0b1"])] {
            for reach in [["--listen", "127.0.0.1:0"], ["--connect", "127.0.0.1:1"]] {
                let arguments = [&[verb], &relation[..], more, &reach, vole].concat();
                let ended = volery(&arguments).refused(2, &["half.txt, line 6"]);
                assert!(!ended.err.contains("listening"), "{ended:?}");
            }
        }
    }
}

#[test]
fn exported_circuits_are_checked_like_the_statement() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("sha256.txt");
    let path = path.to_str().expect("UTF-8");
    let builtin = "builtin:sha256-preimage?length=3";
    let export = ["circuit", "export", builtin, "--format", "bristol-fashion"];
    let file = volery(&[&export[..], &["--out", path]].concat()).expect(0);
    assert_eq!(file.out, "");
    let again = [&export[..], &["--out", path]].concat();
    volery(&again).refused(2, &[path, "--force"]);
    volery(&[&again[..], &["--force"]].concat()).expect(0);
    let printed = volery(&export).expect(0).out;
    assert_eq!(std::fs::read_to_string(path).expect("written"), printed);
    let digest = "out0=0xba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    let check = ["check", "--relation", path, "--public", digest, "--private"];
    volery(&[&check[..], &["in0=text:abc"]].concat()).expect(0);
    volery(&[&check[..], &["in0=text:abd"]].concat()).refused(2, &["out0["]);
    let mul =
        |relation| volery(&["circuit", "info", relation, "--json"]).expect(0).json()["gates"]["mul"].clone();
    assert_eq!(mul(path), mul(builtin));
    let left: Vec<_> = std::fs::read_dir(&folder).expect("a folder").collect();
    assert_eq!(left.len(), 1, "nothing else is left: {left:?}");
}

#[test]
fn outputs_are_printed_as_values_that_can_be_given() {
    let eval = ["circuit", "eval", "builtin:sha256-preimage?length=3", "--input", "message=text:abc"];
    let digest = "0xba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(volery(&eval).expect(0).out.trim_end(), format!("digest={digest}"));
    let json = volery(&[&eval[..], &["--json"]].concat()).expect(0).json();
    assert_eq!(json["outputs"]["digest"], digest);
    volery(&eval[..3]).refused(2, &["message has no value: give one"]);
    let holes = "builtin:sha256-preimage?length=3&holes=1";
    volery(&["circuit", "eval", holes, eval[3], eval[4]]).refused(2, &["leave out holes=1"]);
}

#[test]
fn exports_that_cannot_be_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.txt");
    let path = path.to_str().expect("UTF-8");
    let cases: [(&[&str], &[&str]); 5] = [
        (&["builtin:inner-product", "--out", path], &["inner-product?length=4 is stated by polynomials"]),
        (&["builtin:merkle-root?holes=1", "--out", path], &["polynomials: leave out holes=1"]),
        (&["builtin:nothing"], &["there is no builtin:nothing"]),
        (&["builtin:sha256-preimage", "--format", "edif"], &["there is no format \"edif\""]),
        (&["builtin:sha256-preimage", "--out", "/no/such/x.txt"], &["/no/such/x.txt: "]),
    ];
    for (arguments, words) in cases {
        volery(&[&["circuit", "export"], arguments].concat()).refused(2, words);
    }
    assert_eq!(std::fs::read_dir(&folder).expect("a folder").count(), 0);
}
