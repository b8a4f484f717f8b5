//! Files that make no sense are refused with the line.

use crate::kit::{Folder, STATEMENTS};
use std::process::Command;

/// Exit code, standard output and standard error of `--check`.
fn check(folder: &Folder) -> (Option<i32>, String, String) {
    let mut program = Command::new(crate::PROGRAM);
    let ended = program.arg("serve").arg("--check").arg(folder.config()).output().expect("it runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (ended.status.code(), text(ended.stdout), text(ended.stderr))
}

#[test]
fn what_a_file_comes_to_is_shown() {
    let folder = Folder::new(1, STATEMENTS);
    let (code, out, err) = check(&folder);
    assert_eq!(code, Some(0), "{err}");
    for words in
        ["known: quicksilver over f2 with ", "linear: quicksilver over f61", " multiplications, at most "]
    {
        assert!(out.contains(words), "{words}: {out}");
    }
    assert!(out.contains(&folder.identity().to_string()), "{out}");
    assert!(!folder.folder.path().join("verdicts.db").exists(), "nothing is made");
}

/// A pipe in the place of a file is refused, and nobody waits for who writes to it.
#[test]
fn pipes_are_no_files() {
    let folder = Folder::new(1, &format!("{STATEMENTS}\n[statement.s]\nrelation = \"r\"\n"));
    let pipe = |name: &str| {
        let path = folder.folder.path().join(name);
        let _ = std::fs::remove_file(&path);
        let made = Command::new("mkfifo").args(["-m", "600"]).arg(path).status();
        assert!(made.expect("mkfifo").success());
    };
    // Each before the one before is looked at.
    for (name, words) in
        [("r", "not a regular file"), ("key", "no regular file"), ("serve.toml", "not a regular file")]
    {
        pipe(name);
        let (code, _, err) = check(&folder);
        assert!(code == Some(2) && err.contains(words) && err.contains(name), "{name}: {err}");
    }
}

/// A policy in a table, whose roots lie beside the file.
const WEB: &str = "host = \"bank.example\"\nroots = \"root.pem\"\nrequest = \"GET /balance\"\n";

/// Puts the roots there.
fn put_roots(folder: &Folder) {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../web/tests/certificates/root.pem");
    std::fs::copy(root, folder.folder.path().join("root.pem")).expect("copied");
}

/// A policy stands in the table, or in a file of its own.
#[test]
fn web_proofs_are_read() {
    let folder =
        Folder::new(1, &format!("[web.here]\n{WEB}vole = \"tiny\"\n[web.there]\npolicy = \"there.toml\"\n"));
    put_roots(&folder);
    std::fs::write(folder.folder.path().join("there.toml"), WEB).expect("written");
    let (code, out, err) = check(&folder);
    assert_eq!(code, Some(0), "{err}");
    for words in
        ["here: quicksilver over f2 with tiny, /balance of bank.example", "there: quicksilver over f2, "]
    {
        assert!(out.contains(words), "{words}: {out}");
    }
}

#[test]
fn mistakes_are_named_with_their_line() {
    let folder = Folder::new(1, STATEMENTS);
    put_roots(&folder);
    let known = "[statement.s]\nrelation = \"builtin:sha256-preimage?length=3\"\n";
    let fixed = format!("{known}public.digest = \"{}\"\n", crate::kit::ABC);
    #[rustfmt::skip]
    let cases = [
        ("colour = 1\n".into(), "serve.toml:5:1: unknown field `colour`"),
        ("log = 1\n".into(), "serve.toml:5:1: duplicate key"),
        (String::new(), "serve.toml: there is no statement"),
        ("[web.w]\nhost = \"a.example\"\n".into(), "serve.toml:5:1: web.w: missing field `roots`"),
        (format!("[web.w]\n{WEB}limit = 1\n"), "serve.toml:5:1: web.w: unknown field `limit`"),
        (format!("[web.w]\n{WEB}status = 200\n"), "web.w: invalid type: integer `200`, expected a sequence, in `status`"),
        (format!("[web.w]\n{WEB}reveal = [\"a\"]\n"), "is no path"),
        (format!("[web.w]\n{WEB}policy = \"w.toml\"\n"), "web.w: host: it stands beside `policy`"),
        ("[web.w]\npolicy = \"w.toml\"\n".into(), "w.toml: it cannot be read"),
        (format!("[web.w]\n{}", WEB.replace("root.pem", "no.pem")), "no.pem: it cannot be read"),
        (format!("[web.w]\n{WEB}vole = \"mega\"\n"), "web.w: vole: no such name"),
        (format!("[web.w]\n{WEB}[limits]\nmemory = 30000000\n"), "more than limits.memory of the service, 30000000: allow fewer"),
        (format!("[web.w]\n{WEB}[limits]\ngates = 1000\n"), "ANDs, which is more than limits.gates of the service"),
        (format!("{fixed}[web.s]\n{WEB}"), "web.s: a statement has this name"),
        (known.into(), "serve.toml:5:1: statement.s: public: no output is public"),
        (format!("{known}public.digest = \"0x12\"\n"), "digest is 256 bits wide"),
        (format!("{fixed}choose = [\"digest\"]\n"), "`digest` is given twice"),
        (format!("{fixed}public.x = \"1\"\n"), "the relation has no `x`: there is message, digest"),
        (format!("{fixed}system = \"groth16\"\n"), "statement.s: system: no such name: there is quicksilver"),
        (format!("{fixed}system = \"stack\"\n"), "one of several clauses"),
        (format!("{fixed}vole = \"mega\"\n"), "vole: no such name"),
        (format!("{fixed}security = 127\n"), "127 bits were asked for"),
        (format!("{fixed}bandwidth = 0\n"), "bandwidth: write a number"),
        ("[statement.s]\nrelation = \"no.txt\"\n".into(), "no.txt cannot be read"),
        (format!("{fixed}[limits]\ngates = 1000\n"), "more than limits.gates, 1000: raise that"),
        (format!("{fixed}[limits]\nbytes = 1000\n"), "more than limits.bytes, 1000"),
        (format!("{fixed}[limits]\nmemory = 1000\n"), "more than limits.memory, 1000"),
        (format!("{fixed}[limits]\nsessions = 0\n"), "serve.toml:9:12: limits.sessions: 0 lets nobody"),
        (format!("{fixed}[limits]\nsessions = -1\n"), "serve.toml:9:12: "),
        (format!("{fixed}[metrics]\naddress = \"0.0.0.0:9\"\n"), "serve.toml:9:11: metrics.address: this is not loopback"),
        (format!("{fixed}[[peer]]\nidentity = \"volery1qq\"\n"), "serve.toml:9:12: peer.identity: a letter"),
        (format!("{fixed}[[peer]]\nidentity = \"{}\"\nstatements = [\"t\"]\n", folder.identity()),
         "serve.toml:10:15: peer.statements: there is no statement `t`: there is s"),
    ];
    for (more, words) in cases {
        folder.write(&more);
        let (code, _, err) = check(&folder);
        assert_eq!(code, Some(2), "{more}\n{err}");
        assert!(err.starts_with("volery: ") && err.contains(words), "{words}\n{more}\n{err}");
        assert_eq!(err.lines().count(), 1, "{err}");
    }
    let none = Folder::new(0, STATEMENTS);
    let (code, _, err) = check(&none);
    assert!(code == Some(2) && err.contains("nobody may connect"), "{err}");
}
