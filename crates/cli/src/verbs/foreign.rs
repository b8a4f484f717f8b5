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
    const STARTS: [(&[u8], &str); 7] = [
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
    words.or_else(|| {
        let text = String::from_utf8_lossy(begin);
        let mut lines = text.lines().map(str::trim_start).filter(|line| {
            !line.is_empty() && !["//", "/*", "*", "(*"].iter().any(|comment| line.starts_with(comment))
        });
        let code = lines.next()?;
        let verilog = ["module ", "`timescale", "`default_nettype", "`include", "`define"];
        verilog
            .iter()
            .any(|word| code.starts_with(word))
            .then_some("it is Verilog: synthesize it to gates, as Yosys does, and write these in AIGER")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_told_by_how_they_begin() {
        let cases: [(&[u8], Option<&str>); 7] = [
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
