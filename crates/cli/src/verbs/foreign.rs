//! Files given as relations that are none: recognised by how they begin, with advice.

use std::fs::File;
use std::io::Read;
use volery::Error;
use volery_cli::failure::Failure;

/// Bytes that are looked at.
const BEGIN: u64 = 512;

/// The failure to open what `spec` names, behind whose path may stand options: with advice, if there is some.
pub(crate) fn advised(spec: &str, why: Error) -> Failure {
    let path = spec.rsplit_once('?').map_or(spec, |(path, _)| path);
    match advice(spec).or_else(|| advice(path)) {
        Some(advice) => Failure::usage(format_args!("{why}: {advice}")),
        None => why.into(),
    }
}

/// Advice on the file at `path`, where it is one of those that are often mistaken for a circuit; in words for
/// the end of an error.
fn advice(path: &str) -> Option<&'static str> {
    let mut begin = Vec::new();
    // Others may have no begin, or only once.
    let regular = std::fs::metadata(path).is_ok_and(|file| file.is_file());
    regular.then(|| File::open(path).ok()?.take(BEGIN).read_to_end(&mut begin).ok()).flatten()?;
    of(&begin)
}

/// Advice on a file that begins so.
fn of(begin: &[u8]) -> Option<&'static str> {
    const STARTS: [(&[u8], &str); 8] = [
        (b"zkey", "it is a key of snarkjs for another proof system: give the .r1cs file of its circuit"),
        (b"\x1f\x8b", "it is compressed by gzip: unpack it with `gunzip`, and give what comes out"),
        (
            b"PK\x03\x04",
            "it is a ZIP archive: unpack it with `unzip`, and give a circuit file of what is in it",
        ),
        (b"\xfd7zXZ", "it is compressed by xz: unpack it with `unxz`, and give what comes out"),
        (b"\xef\xbb\xbf", "it begins with a byte-order mark: save it as plain text without one"),
        (b"\xff\xfe", "it begins with a byte-order mark of UTF-16: save it as plain text without one"),
        (b"\xfe\xff", "it begins with a byte-order mark of UTF-16: save it as plain text without one"),
        (b"\x28\xb5\x2f\xfd", "it is compressed by zstd: unpack it with `unzstd`, and give what comes out"),
    ];
    let words = STARTS.iter().find(|(start, _)| begin.starts_with(start)).map(|(_, words)| *words);
    words.or_else(|| text(&String::from_utf8_lossy(begin)))
}

/// Advice on a text that begins so: by its first line of code, or in JSON by a key.
fn text(begin: &str) -> Option<&'static str> {
    const CODE: [(&[&str], &str); 3] = [
        (
            &["module ", "`timescale", "`default_nettype", "`include", "`define"],
            "it is Verilog: synthesize it to gates, as Yosys does, and write these in AIGER",
        ),
        (
            &["pragma circom", "template ", "include \""],
            "it is source of circom: compile it by `circom FILE --r1cs --sym --wasm`, and give the .r1cs file",
        ),
        (
            &["INPUT(", "OUTPUT("],
            "it is a netlist in .bench: convert it by `abc -c 'read_bench FILE; strash; write_aiger x.aig'`, and give \
             that",
        ),
    ];
    const KEYS: [(&str, &str); 5] = [
        (
            "\"noir_version\"",
            "it is an artefact of Noir, whose circuits (ACIR) are not read: write the statement in a language that \
             compiles to .r1cs, such as circom, or to SIEVE",
        ),
        ("\"n8\"", "it is an .r1cs file in JSON, as snarkjs exports it: give the .r1cs file itself"),
        (
            "\"nConstraints\"",
            "it is an .r1cs file in JSON, as snarkjs exports it: give the .r1cs file itself",
        ),
        ("\"protocol\"", "it is a proof or a key of snarkjs: give the .r1cs file of its circuit"),
        ("\"pi_a\"", "it is a proof of snarkjs: give the .r1cs file of its circuit"),
    ];
    let begin = begin.trim_start();
    if begin.starts_with('{') {
        return KEYS.iter().find(|(key, _)| begin.contains(key)).map(|(_, words)| *words);
    }
    if begin.starts_with('[') {
        return Some(
            "it is a list in JSON: where snarkjs exported it of a witness, give the .wtns file by --witness, and public \
             values, public.json, by --public",
        );
    }
    let code = begin.lines().map(str::trim_start).find(|line| {
        !line.is_empty() && !["//", "/*", "*", "(*", "#"].iter().any(|comment| line.starts_with(comment))
    })?;
    let known = CODE.iter().find(|(words, _)| words.iter().any(|word| code.starts_with(word)));
    known.map(|(_, words)| *words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_told_by_how_they_begin() {
        let cases: [(&[u8], Option<&str>); 15] = [
            (b"zkey\x01\0\0\0", Some("give the .r1cs file")),
            (b"// c\npragma circom 2.0.0;\n", Some("circom FILE --r1cs --sym")),
            (b"# c17\n\nINPUT(1)\n", Some("read_bench")),
            (b"{\"noir_version\":\"1.0.0\",\"hash\":1", Some("Noir")),
            (b"{\n \"n8\": 32,\n \"prime\": \"21", Some("the .r1cs file itself")),
            (b"{\n \"protocol\": \"groth16\"", Some("snarkjs")),
            (b"[\n \"1\",\n \"33\"", Some("the .wtns file by --witness")),
            (b"{\"a\": 1}", None),
            (b"\x1f\x8b\x08\x00", Some("gunzip")),
            (b"\xef\xbb\xbf3 5\n", Some("byte-order mark")),
            (b"// adder\n\n/* of\n * bits */\nmodule adder(a, b);", Some("Verilog")),
            (b"`timescale 1ns/1ps\n", Some("Verilog")),
            (b"3 5\n1 1\n1 1\n", None),
            (b"modules\n", None),
            (b"", None),
        ];
        for (begin, words) in cases {
            let said = of(begin);
            assert_eq!(said.is_some(), words.is_some(), "{begin:?}");
            assert!(said.zip(words).is_none_or(|(said, words)| said.contains(words)), "{begin:?}");
        }
    }
}
