//! Parties in the prover's head: proofs as files, and over a link.

use crate::kit::{ABC, Ended, LIMBO_KEYS, PREIMAGE, Running, assert_values, preimage, session, volery};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const MESSAGE: [&str; 2] = ["--private", "message=text:abc"];

/// A folder for proofs.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).expect("a folder");
        let mut names: Vec<_> =
            entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8")).collect();
        names.sort();
        names
    }

    /// Writes a proof about `abc`.
    fn prove(&self, name: &str, more: &[&str]) -> Ended {
        let path = self.path(name);
        let out = ["--out", text(&path), "--json"];
        volery(&preimage("prove", &[&MESSAGE[..], &out, more].concat()))
    }

    /// Verifies `bytes` as a proof about `abc`.
    fn verify(&self, bytes: &[u8], more: &[&str]) -> Ended {
        let path = self.path("given");
        std::fs::write(&path, bytes).expect("written");
        verify(&path, more)
    }
}

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// Verifies a file as a proof about `abc`.
fn verify(path: &Path, more: &[&str]) -> Ended {
    volery(&preimage("verify", &[&["--proof", text(path), "--json"], more].concat()))
}

#[test]
fn proofs_are_files() {
    let folder = Folder::new();
    for (i, (more, parties, security)) in [
        (&["--system", "limbo"][..], 64, 128),
        (&["--system", "limbo", "--prefer", "speed", "--security", "100"], 16, 100),
        (
            &[
                "--parties",
                "8",
                "--challenges",
                "independent",
                "--compression",
                "8",
                "--check-field",
                "64",
                "--most-work",
                "8",
            ],
            8,
            128,
        ),
        (&["--views", "parties", "--parties", "4", "--threads", "2"], 4, 128),
    ]
    .into_iter()
    .enumerate()
    {
        let name = format!("proof{i}");
        let proved = folder.prove(&name, more).expect(0).json();
        let path = folder.path(&name);
        let asked = security.to_string();
        let verified =
            verify(&path, &["--security", &asked, "--threads", "2", "--most-work", "8"]).expect(0).json();
        for (object, role, way) in [(&proved, "prover", "sent"), (&verified, "verifier", "received")] {
            assert_values(object, &LIMBO_KEYS);
            assert_values(object, &["/role"]);
            assert_values(object, &[&format!("/seconds/{role}")]);
            let verdict = if role == "verifier" { Value::from("accepted") } else { Value::Null };
            assert_eq!(object["verdict"], verdict);
            assert_eq!((&object["role"], &object["system"]), (&role.into(), &"limbo".into()));
            assert_eq!(object["simulation"]["parties"], parties);
            assert!(object["security"]["statistical_bits"].as_u64() >= Some(security), "{object}");
            let length = std::fs::metadata(&path).expect("there").len();
            assert_eq!((&object["bytes"][way], &object["rounds"]), (&length.into(), &0.into()));
            assert!(object["proof_bytes"].as_u64() < Some(length), "{object}");
        }
        for key in ["statement", "simulation", "proof_bytes", "soundness_note", "gates", "security"] {
            assert_eq!(proved[key], verified[key], "{key}");
        }
        assert_eq!(verified["label"], format!("{}\n{ABC}", PREIMAGE[1]));
    }
    assert_eq!(folder.names(), ["proof0", "proof1", "proof2", "proof3"]);
    let info = volery(&["circuit", "info", PREIMAGE[1], "--json"]).expect(0).json();
    let proved = folder.prove("proof4", &["--system", "limbo", "--prefer", "size"]).expect(0).json();
    assert_eq!(info["limbo"]["file_bytes"]["size"], proved["proof_bytes"]);
    let table = volery(&preimage("verify", &["--proof", text(&folder.path("proof0"))])).expect(0).out;
    for words in
        ["verdict      accepted", "file         ", "repetitions, a check over 2^160", "label        builtin:"]
    {
        assert!(table.contains(words), "{words} is missing in {table}");
    }
    // A proof is not bound to who made it, nor to when: it is replaced by another, and each has its own
    // coins.
    let before = std::fs::read(folder.path("proof0")).expect("read");
    folder.prove("proof0", &["--force", "--system", "limbo"]).expect(0);
    let after = std::fs::read(folder.path("proof0")).expect("read");
    assert!(before.len() == after.len() && before != after);
}

/// Files over f2 are by voleith where nothing else is asked for.
#[test]
fn usual_files_are_short() {
    let folder = Folder::new();
    let info = volery(&["circuit", "info", PREIMAGE[1], "--json"]).expect(0).json();
    for (i, (more, trees)) in [
        (&[][..], 11),
        (&["--prefer", "speed"], 15),
        (&["--trees", "13", "--grind", "6", "--threads", "2"], 13),
        (&["--system", "voleith", "--security", "100"], 11),
    ]
    .into_iter()
    .enumerate()
    {
        let name = format!("proof{i}");
        let proved = folder.prove(&name, more).expect(0).json();
        let path = folder.path(&name);
        let asked = if more.contains(&"100") { "100" } else { "124" };
        let verified = verify(&path, &["--security", asked]).expect(0).json();
        let length = std::fs::metadata(&path).expect("there").len();
        for (object, role, way) in [(&proved, "prover", "sent"), (&verified, "verifier", "received")] {
            assert_values(object, &["/statement", "/soundness_note", "/trees/bits", "/trees/grinding"]);
            assert_eq!((&object["role"], &object["system"]), (&role.into(), &"voleith".into()));
            assert_eq!((&object["trees"]["trees"], &object["rounds"]), (&trees.into(), &0.into()));
            assert_eq!((&object["bytes"][way], object["vole"].is_null()), (&length.into(), true));
        }
        assert_eq!(verified["label"], format!("{}\n{ABC}", PREIMAGE[1]));
        if let Some(preference) = [Some("balanced"), Some("speed"), None, None][i] {
            let foretold = info["voleith"]["file_bytes"][preference].as_u64().expect("a number");
            // The header with a label, and one without.
            assert_eq!(proved["proof_bytes"].as_u64(), Some(foretold - 100));
            assert!(length < 60_000, "{length} bytes");
        }
    }
    let table = volery(&preimage("verify", &["--proof", text(&folder.path("proof0"))])).expect(0).out;
    for words in
        ["verdict      accepted", "trees        11 trees over", "bits ground", "label        builtin:"]
    {
        assert!(table.contains(words), "{words} is missing in {table}");
    }
    let holes = ["--relation", "builtin:sha256-preimage?length=3&holes=1", "--public", ABC];
    let out = folder.path("holes");
    let prove = [&["prove"], &holes[..], &MESSAGE, &["--prefer", "speed", "--out", text(&out)]].concat();
    volery(&prove).expect(0);
    volery(&[&["verify"], &holes[..], &["--proof", text(&out)]].concat()).expect(0);
    assert!(std::fs::metadata(&out).expect("there").len() < 20_000);
    // Files alone, and bits alone.
    let nowhere = ["--system", "voleith", "--connect", "127.0.0.1:1"];
    volery(&preimage("verify", &nowhere)).refused(2, &["--system", "proves in files", "take quicksilver"]);
    volery(&["demo", "--system", "voleith"]).refused(2, &["--system", "proves in files"]);
    volery(&["demo", "--trees", "9"])
        .refused(2, &["--trees: quicksilver deals no trees", "--system voleith"]);
    let prove = |more: &[&str]| folder.prove("no", more);
    prove(&["--system", "voleith", "--parties", "16"])
        .refused(2, &["--parties: voleith simulates no parties"]);
    prove(&["--system", "limbo", "--grind", "3"]).refused(2, &["--grind: limbo deals no trees"]);
    prove(&["--trees", "0"]).refused(2, &["--trees: write a number from 1 to 40"]);
    prove(&["--system", "voleith", "--security", "125"]).refused(2, &["125 bits", "voleith gives 124"]);
    prove(&["--field", "f61x2", "--system", "voleith"]).refused(2, &["voleith is over f2"]);
    verify(&folder.path("proof0"), &["--trees", "11"]).refused(2, &["--trees: the file says"]);
    assert!(!folder.names().contains(&"no".to_string()));
}

/// Several at a time: by name, all of a folder, or one that comes by standard input.
#[test]
fn many_proofs_are_verified_at_once() {
    let folder = Folder::new();
    let names = ["a", "b", "c"];
    folder.prove("a", &["--prefer", "speed"]).expect(0);
    folder.prove("b", &["--trees", "14"]).expect(0);
    folder.prove("c", &["--system", "limbo", "--prefer", "speed"]).expect(0);
    let paths = names.map(|name| text(&folder.path(name)).to_owned());
    let each: Vec<&str> = paths.iter().flat_map(|path| ["--proof", path]).collect();
    let verify =
        |given: &[&str]| volery(&preimage("verify", &[given, &["--json", "--threads", "2"]].concat()));
    for given in [&each[..], &["--proof", text(folder.0.path())]] {
        let object = verify(given).expect(0).json();
        assert_eq!((&object["verdict"], &object["accepted"]), (&"accepted".into(), &3.into()));
        let proofs = object["proofs"].as_array().expect("an array");
        let systems: Vec<_> = proofs.iter().map(|proof| proof["system"].as_str().expect("text")).collect();
        assert_eq!(systems, ["voleith", "voleith", "limbo"]);
        assert!(proofs.iter().zip(&paths).all(|(proof, path)| proof["file"] == **path));
    }
    let proof = std::fs::read(folder.path("a")).expect("read");
    let by_input =
        |bytes: &[u8]| Running::start(&preimage("verify", &["--proof", "-", "--json"]), bytes, &[]).end();
    assert_eq!(by_input(&proof).expect(0).json()["proofs"][0]["file"], "-");
    by_input(&proof[1..]).refused(1, &["--proof -", "does not begin"]);
    // One that is wrong is named, and the others are verified all the same.
    std::fs::write(folder.path("b"), &proof[..proof.len() - 1]).expect("written");
    let object =
        verify(&each).refused(1, &["2 of 3 proofs are accepted", &paths[1], "ends too early"]).json();
    assert_eq!((&object["accepted"], &object["proofs"][1]["verdict"]), (&2.into(), &"rejected".into()));
    assert!(object["proofs"][1]["error"].as_str().is_some_and(|why| why.contains("ends too early")));
    // What is no proof at all, and comes first, does not hide that. Nor do names make lines of their own.
    let strange = "a\nvolery: 3 of 3 proofs are accepted\u{1b}[8m\u{202e}";
    std::fs::create_dir(folder.path(strange)).expect("a folder within the folder");
    let ended = verify(&["--proof", text(folder.0.path())]);
    let object = ended.refused(1, &["2 of 4 proofs are accepted", "is a folder", "ends too early"]).json();
    let verdicts = object["proofs"].as_array().expect("an array").iter().map(|proof| &proof["verdict"]);
    let expected = [json!("accepted"), Value::Null, json!("rejected"), json!("accepted")];
    assert_eq!(verdicts.cloned().collect::<Vec<_>>(), expected);
    let ended = volery(&preimage("verify", &["--proof", text(folder.0.path())]));
    ended.refused(1, &["volery: 3 of 3 proofs are accepted [8m  is a folder"]);
}

#[test]
fn files_that_prove_nothing_are_rejected() {
    let folder = Folder::new();
    folder.prove("proof", &["--prefer", "speed"]).expect(0);
    let proof = std::fs::read(folder.path("proof")).expect("read");
    let path = text(&folder.path("proof")).to_owned();

    // About something else.
    let wrong = ABC.replace("0xba", "0xbb");
    let other = ["verify", PREIMAGE[0], PREIMAGE[1], "--public", &wrong, "--proof", &path];
    let words = [
        "--proof",
        "disagree on the statement",
        "in the file",
        "by its own words",
        PREIMAGE[1],
        "0xba7816bf",
    ];
    volery(&other).refused(3, &words);
    let longer =
        ["verify", "--relation", "builtin:sha256-preimage?length=4", "--public", ABC, "--proof", &path];
    volery(&longer).refused(3, &["disagree on the statement"]);
    // Worth too little.
    folder.prove("cheap", &["--security", "100"]).expect(0);
    verify(&folder.path("cheap"), &[]).refused(
        3,
        &["at least 120 bits of security", "this proof is worth 100", "accept it by --security 100"],
    );
    verify(&folder.path("cheap"), &["--security", "100"]).expect(0);

    // Cut, extended, or changed anywhere.
    let rejected = |bytes: &[u8], words: &str| {
        let object = folder.verify(bytes, &[]).refused(1, &["--proof", "rejected", words]).json();
        assert_eq!((&object["verdict"], &object["role"]), (&"rejected".into(), &"verifier".into()));
    };
    for length in [0, 5, 40, 90, 200, proof.len() / 2, proof.len() - 1] {
        rejected(&proof[..length], "ends too early");
    }
    rejected(&[&proof[..], &[0]].concat(), "follow the end");
    for place in (200..proof.len()).step_by(proof.len() / 12) {
        let mut changed = proof.clone();
        changed[place] ^= 0x10;
        rejected(&changed, "");
    }
    let mut changed = proof.clone();
    changed[0] ^= 1;
    rejected(&changed, "does not begin");
    changed[0] ^= 1;
    changed[12] ^= 4;
    folder.verify(&changed, &[]).refused(3, &["version of proof files", "the version that made it"]);
    folder.verify(&proof, &[]).expect(0);
}

#[test]
fn failed_runs_leave_no_files() {
    let folder = Folder::new();
    let out = folder.path("proof");
    let prove = |private: &str, out: &Path, more: &[&str]| {
        volery(&preimage("prove", &[&["--private", private, "--out", text(out)], more].concat()))
    };
    prove("message=text:abd", &out, &[]).refused(2, &["digest[2] does not hold"]);
    prove("message=text:abcd", &out, &[]).refused(2, &["32 bits"]);
    prove("message=text:abc", &out, &["--repetitions", "3"]).refused(2, &["3 repetitions do not give"]);
    assert!(folder.names().is_empty());
    prove("message=text:abc", folder.0.path(), &[]).refused(2, &["--out", "not a regular file"]);
    prove("message=text:abc", &folder.path("no/such/folder"), &[])
        .refused(2, &["--out", "cannot be written"]);
    verify(&out, &[]).refused(2, &["--proof", "cannot be read"]);
    let there = folder.path("there");
    std::fs::write(&there, "precious").expect("written");
    prove("message=text:abc", &there, &[]).refused(2, &["--out", "there is a file", "--force"]);
    assert_eq!(std::fs::read(&there).expect("read"), b"precious");
    prove("message=text:abc", &there, &["--force"]).expect(0);
    verify(&there, &[]).expect(0);
    let empty = folder.path("empty");
    std::fs::create_dir(&empty).expect("made");
    verify(&empty, &[]).refused(2, &["--proof", "no file lies in"]);
}

/// Ctrl-C takes what is written with it, and so does SIGTERM.
#[cfg(unix)]
#[test]
fn interrupted_provers_leave_no_files() {
    let folder = Folder::new();
    let out = folder.path("proof");
    let leaves = folder.path("leaves");
    std::fs::write(&leaves, vec![7; 64 << 10]).expect("written");
    // Long enough to be interrupted; the root does not matter, since the check comes later than the file.
    let root = format!("root=0x{}", "00".repeat(32));
    let leaves = format!("leaves=@{}", text(&leaves));
    let relation = ["--relation", "builtin:merkle-root?depth=10", "--public", &root, "--private", &leaves];
    let prove = [&["prove"], &relation[..], &["--out", text(&out), "--json"]].concat();
    for signal in ["-INT", "-TERM"] {
        let running = Running::start(&prove, b"", &[]);
        let started = std::time::Instant::now();
        while folder.names() == ["leaves"] {
            assert!(started.elapsed().as_secs() < 60, "no file was begun");
            std::thread::yield_now();
        }
        let kill = std::process::Command::new("kill").args([signal, &running.id().to_string()]).status();
        assert!(kill.expect("kill").success());
        running.end().refused(130, &["interrupted"]);
        assert_eq!(folder.names(), ["leaves"]);
    }
}

/// A pipe that nobody writes to, and devices without end.
#[cfg(unix)]
#[test]
fn nobody_waits_for_files_without_end() {
    let folder = Folder::new();
    let pipe = folder.path("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo").success());
    let pipe = text(&pipe);
    let [value, endless] = [format!("digest=@{pipe}"), "digest=@/dev/zero".into()];
    let verify = |public: &str, proof: &str| {
        let statement = ["verify", PREIMAGE[0], PREIMAGE[1], "--public", public, "--proof", proof];
        volery(&[&statement[..], &["--timeout", "0.2"]].concat())
    };
    for (public, proof) in [(ABC, pipe), (pipe, "x"), (&value, "x")] {
        verify(public, proof).refused(2, &[pipe, "nothing came for 0.2 s", "--timeout"]);
    }
    verify(&endless, "x").refused(2, &["--public", "digest", "/dev/zero", "more than 65536 bytes"]);
    verify(ABC, "/dev/zero").refused(1, &["does not begin"]);
}

/// A proof through a pipe is one, too.
#[cfg(unix)]
#[test]
fn proofs_come_through_pipes() {
    let folder = Folder::new();
    folder.prove("proof", &["--prefer", "speed"]).expect(0);
    let (pipe, proof) = (folder.path("pipe"), std::fs::read(folder.path("proof")).expect("read"));
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo").success());
    let statement = preimage("verify", &["--proof", text(&pipe), "--json"]);
    let running = Running::start(&statement, b"", &[]);
    std::fs::write(&pipe, &proof).expect("written");
    running.end().expect(0);
}

#[test]
fn words_of_provers_are_called_that() {
    let folder = Folder::new();
    let table =
        |name: &str| volery(&preimage("verify", &["--proof", text(&folder.path(name))])).expect(0).out;
    folder.prove("own", &["--prefer", "speed", "--label", "signed by the bank"]).expect(0);
    let verified = verify(&folder.path("own"), &[]).expect(0).json();
    assert_eq!((&verified["label"], &verified["prover_words"]), (&Value::Null, &"signed by the bank".into()));
    assert!(table("own").contains("prover_words signed by the bank (not verified)"), "{}", table("own"));
    folder.prove("same", &["--prefer", "speed"]).expect(0);
    let verified = verify(&folder.path("same"), &[]).expect(0).json();
    assert_eq!(verified["label"], format!("{}\n{ABC}", PREIMAGE[1]));
    assert!(verified["prover_words"].is_null() && !table("same").contains("prover_words"));
    let long = "a".repeat((1 << 16) + 1);
    folder.prove("long", &["--label", &long]).refused(2, &["--label: 65537 bytes"]);
    let nowhere = ["--label", "x", "--connect", "127.0.0.1:1"];
    volery(&preimage("prove", &[&MESSAGE[..], &nowhere].concat())).refused(2, &["--label", "exclude"]);
}

/// The folders of the prover's machine are nobody's business.
#[test]
fn labels_have_no_folders() {
    let folder = Folder::new();
    let [circuit, proof] = [folder.path("private-name"), folder.path("proof")];
    std::fs::create_dir(&circuit).expect("made");
    let circuit = circuit.join("and.txt");
    std::fs::write(&circuit, "1 3\n2 1 1\n1 1\n\n2 1 0 1 2 AND\n").expect("written");
    let statement = ["--relation", text(&circuit), "--public", "out0=0b1"];
    let private = ["--private", "in0=0b1", "--private", "in1=0b1", "--out", text(&proof)];
    volery(&[&["prove"], &statement[..], &private].concat()).expect(0);
    let bytes = std::fs::read(&proof).expect("read");
    assert!(!String::from_utf8_lossy(&bytes).contains("private-name"));
    let verified = volery(&[&["verify"], &statement[..], &["--proof", text(&proof), "--json"]].concat());
    let label = verified.expect(0).json()["label"].clone();
    assert!(label.as_str().is_some_and(|label| label.starts_with("and.txt\nout0=")), "{label}");
}

#[test]
fn files_that_ask_for_too_much_are_refused() {
    let folder = Folder::new();
    let proof = folder.path("proof");
    let power = ["--field", "f61x2", "--relation", "builtin:power?exponent=5", "--public", "y=32"];
    let prove = |more: &[&str]| {
        let out = ["--private", "x=2", "--force", "--out", text(&proof)];
        volery(&[&["prove"], &power[..], &out, more].concat())
    };
    let verify =
        |more: &[&str]| volery(&[&["verify"], &power[..], &["--proof", text(&proof)], more].concat());
    let most = ["--parties", "256", "--views", "parties"];
    prove(&most).refused(2, &["times the work or memory", "wish for fewer parties"]);
    assert!(folder.names().is_empty());
    prove(&[&most[..], &["--most-work", "1000"]].concat()).expect(0);
    verify(&[]).refused(3, &["work of the proof: here at most 4 times", "allow it by --most-work"]);
    verify(&["--most-work", "1000"]).expect(0);
    verify(&["--most-work", "0"]).refused(2, &["--most-work: write a number from 1"]);
    // Whatever a stranger wrote in the place of the views: nothing behind the header is read.
    prove(&["--prefer", "size", "--label", "x"]).expect(0);
    let mut bytes = std::fs::read(&proof).expect("read")[..119].to_vec();
    bytes[65] = 1;
    std::fs::write(&proof, &bytes).expect("written");
    verify(&[]).refused(3, &["work of the proof"]);
    let nowhere = ["--system", "limbo", "--most-work", "9", "--connect", "127.0.0.1:1"];
    volery(&preimage("verify", &nowhere)).refused(2, &["--most-work", "for files"]);
}

#[test]
fn files_and_peers_exclude_each_other() {
    let prove = |more: &[&str]| volery(&preimage("prove", &[&MESSAGE[..], more].concat()));
    let check = |more: &[&str]| volery(&preimage("verify", more));
    let nowhere = ["--connect", "127.0.0.1:1"];
    prove(&["--out", "x", nowhere[0], nowhere[1]]).refused(2, &["--out", "--connect", "exclude each other"]);
    check(&["--proof", "x", "--listen", "127.0.0.1:0"])
        .refused(2, &["--proof", "--listen", "exclude each other"]);
    for system in ["quicksilver", "jko", "stack"] {
        let words = [system, "makes no files", "--system limbo"];
        prove(&["--out", "x", "--system", system]).refused(2, &[&["--out"], &words[..]].concat());
        check(&["--proof", "x", "--system", system]).refused(2, &[&["--proof"], &words[..]].concat());
    }
    prove(&[]).refused(2, &["--listen or --connect", "--out"]);
    check(&["--out", "x"]).refused(2, &["there is no --out here"]);
    check(&["--proof", "x", "--parties", "16"]).refused(2, &["--parties: the file says"]);
    prove(&["--out", "x", "--bandwidth", "5"]).refused(2, &["--bandwidth"]);
    prove(&["--out", "x", "--security", "129"]).refused(2, &["129 bits", "limbo gives 128"]);
    let two = ["--relation", PREIMAGE[1], "--out", "x"];
    let over = [&two[..], &["--field", "f61"]].concat();
    prove(&over).refused(2, &["one of several is of bits"]);
}

/// One of several relations: which one, neither the file tells nor its length.
#[test]
fn one_of_several_relations_in_a_file() {
    let folder = Folder::new();
    let hello = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
    let five = "builtin:sha256-preimage?length=5";
    let [abc, hello] = [format!("1.{ABC}"), format!("2.digest=0x{hello}")];
    let stated =
        ["--relation", PREIMAGE[1], "--relation", five, "--public", &abc, "--public", &hello, "--json"];
    for system in ["voleith", "limbo"] {
        let files =
            [("first", "1.message=text:abc"), ("second", "2.message=text:hello")].map(|(name, known)| {
                let path = folder.path(&format!("{system}-{name}"));
                let known = ["--private", known, "--out", text(&path), "--system", system];
                let made = volery(&[&["prove"], &stated[..], &known].concat()).expect(0).json();
                assert_eq!((&made["clauses"], &made["system"]), (&2.into(), &system.into()));
                path
            });
        let [one, two] = files.each_ref().map(|path| std::fs::read(path).expect("read").len());
        assert_eq!(one, two);
        for path in &files {
            let read =
                volery(&[&["verify"], &stated[..], &["--proof", text(path)]].concat()).expect(0).json();
            assert_eq!((&read["verdict"], &read["clauses"]), (&"accepted".into(), &2.into()));
            let label = format!("{}\n{ABC}\nor\n{five}\n{}", PREIMAGE[1], &hello[2..]);
            assert_eq!((&read["label"], &read["prover_words"]), (&label.into(), &Value::Null));
        }
        // Many at once, and another order, which is another statement; so is one of the two alone.
        let both =
            [&["verify"], &stated[..], &["--proof", text(&files[0]), "--proof", text(&files[1])]].concat();
        assert_eq!(volery(&both).expect(0).json()["accepted"], 2);
        let alone = volery(&preimage("verify", &["--proof", text(&files[0])]));
        alone.refused(3, &["by its own words it is of"]);
        let turned =
            ["verify", "--relation", five, "--relation", PREIMAGE[1], "--public", &hello[2..], "--public"];
        let turned = turned.map(str::to_owned).into_iter().chain([format!("2.{ABC}")]);
        let turned: Vec<_> = turned.chain(["--proof".into(), text(&files[0]).into()]).collect();
        let turned: Vec<_> =
            turned.iter().map(|word| word.replace("digest=0x2cf2", "1.digest=0x2cf2")).collect();
        let turned: Vec<_> = turned.iter().map(String::as_str).collect();
        volery(&turned).refused(3, &["statement"]);
    }
    // What holds of neither is proved of none, and leaves no file.
    let wrong =
        ["--private", "2.message=text:hallo", "--out", text(&folder.path("wrong"))].map(str::to_owned);
    let wrong: Vec<_> = wrong.iter().map(String::as_str).collect();
    volery(&[&["prove"], &stated[..], &wrong].concat()).refused(2, &["relation 2"]);
    assert!(folder.names().iter().all(|name| name != "wrong"));
}

/// Neither side holds the proof of a million ANDs, nor any of them the circuit.
#[test]
fn memory_does_not_grow_with_the_file() {
    files_take_no_memory(3_000, 1_000_000, 1_400_000);
}

/// Neither side holds the proof of 4 million ANDs, of 6 MB.
#[test]
#[ignore = "slow"]
fn memory_does_not_grow_with_a_long_file() {
    files_take_no_memory(12_000, 4_100_000, 5_700_000);
}

/// A message of so many bytes, of at least so many ANDs, and bytes of the file.
fn files_take_no_memory(length: usize, gates: u64, bytes: u64) {
    let folder = Folder::new();
    let [small, large] = [60, length].map(|length| {
        let (message, proof) = (vec![b'v'; length], folder.path("proof"));
        let path = folder.path("message");
        std::fs::write(&path, &message).expect("written");
        let digest: String = Sha256::digest(&message).iter().map(|byte| format!("{byte:02x}")).collect();
        let (private, digest) = (format!("message=@{}", text(&path)), format!("digest=0x{digest}"));
        let relation = format!("builtin:sha256-preimage?length={length}");
        let stated = ["--relation", &relation, "--public", &digest, "--json", "--threads", "1"];
        let known = ["--private", &private, "--out", text(&proof)];
        let made = volery(&[&["prove"], &stated[..], &known].concat()).expect(0).json();
        let read = volery(&[&["verify"], &stated[..], &["--proof", text(&proof)]].concat()).expect(0).json();
        std::fs::remove_file(&proof).expect("there");
        [made, read]
    });
    for (small, large) in small.iter().zip(&large) {
        assert!(large["gates"]["mul"].as_u64() > Some(gates), "{large}");
        assert!(large["proof_bytes"].as_u64() > Some(bytes), "{large}");
        let peaks = [small, large].map(|object| object["peak_rss_bytes"].as_u64());
        if let [Some(small), Some(large)] = peaks {
            assert!(
                large < small + small / 10 + 2_000_000 && small < 64_000_000,
                "{small} bytes, then {large}"
            );
        }
    }
}

#[test]
fn files_over_a_larger_field() {
    let folder = Folder::new();
    let path = folder.path("power");
    let power = ["--relation", "builtin:power?exponent=5", "--public", "y=32"];
    let over = |field| [&power[..], &["--field", field]].concat();
    let prove = [&["prove"], &over("f61x2")[..], &["--private", "x=2", "--out", text(&path)]].concat();
    let made = volery(&[&prove[..], &["--json"]].concat());
    assert_eq!(made.code, Some(0), "{made:?}");
    let verify = |field, more: &[&str]| {
        volery(&[&["verify"], &over(field)[..], &["--proof", text(&path)], more].concat())
    };
    assert_eq!(verify("f61x2", &[]).code, Some(0));
    verify("f61", &[]).refused(3, &["the field of the proof", "give its --field"]);
    let other = ["prove", "--field", "f61x2", "--relation", power[1], "--public", "y=33", "--private", "x=2"];
    let other = volery(&[&other[..], &["--out", text(&folder.path("wrong"))]].concat());
    assert_eq!((other.code, folder.names()), (Some(2), vec!["power".to_string()]));
}

#[test]
fn options_of_limbo_are_for_limbo() {
    for (option, value, wrong, why) in [
        ("--prefer", "size", "fast", "speed, balanced, size"),
        ("--parties", "16", "17", "no power of two"),
        ("--repetitions", "9", "0", "from 1 to 256"),
        ("--compression", "8", "1", "from 2 to 512"),
        ("--check-field", "64", "63", "48, 64, 96, 128, 160"),
        ("--challenges", "identical", "other", "identical, independent"),
        ("--views", "parties", "cube", "hypercube, parties"),
        ("--most-work", "9", "0", "from 1 to 1000000"),
    ] {
        let others = [option, "quicksilver simulates no parties", "--system limbo"];
        volery(&["demo", option, value]).refused(2, &others);
        volery(&["demo", "--system", "limbo", option, wrong]).refused(2, &[option, why]);
    }
    for (option, value) in [("--gate-hash", "tmmo"), ("--seeds", "tree"), ("--vole", "l2")] {
        volery(&["demo", "--system", "limbo", option, value]).refused(2, &[option, "limbo"]);
    }
    volery(&["demo", "--system", "limbo", "--non-interactive"]).refused(2, &["--non-interactive", "file"]);
    // Before anybody is contacted.
    let nowhere = ["--system", "limbo", "--connect", "127.0.0.1:1"];
    let verify = |more: &[&str]| volery(&preimage("verify", &[&nowhere[..], more].concat()));
    verify(&["--repetitions", "3"]).refused(2, &["3 repetitions do not give"]);
    verify(&["--challenges", "independent"]).refused(2, &["for files"]);
}

/// Two processes; both must ask for the same.
#[test]
fn coins_are_tossed_over_a_link() {
    for (more, parties) in [(&[][..], 64), (&["--parties", "16", "--views", "parties", "--threads", "2"], 16)]
    {
        let more = [&["--system", "limbo", "--json"], more].concat();
        let [verifier, prover] =
            session(&preimage("verify", &more), &preimage("prove", &[&MESSAGE[..], &more[..]].concat()));
        let (verifier, prover) = (verifier.expect(0).json(), prover.expect(0).json());
        for object in [&verifier, &prover] {
            assert_values(object, &LIMBO_KEYS);
            assert_values(object, &["/role"]);
            assert_eq!(object["verdict"], "accepted");
            assert_eq!(
                (&object["simulation"]["parties"], &object["simulation"]["challenges"]),
                (&parties.into(), &"identical".into())
            );
            assert!(object["security"]["statistical_bits"].as_u64() >= Some(40) && object["vole"].is_null());
        }
        assert_values(&verifier, &["/seconds/verifier"]);
        assert_values(&prover, &["/seconds/prover"]);
        assert_eq!(prover["bytes"]["sent"], verifier["bytes"]["received"]);
        assert!(prover["bytes"]["sent"].as_u64() > prover["proof_bytes"].as_u64(), "{prover}");
    }
    let limbo = ["--system", "limbo"];
    let verify = preimage("verify", &[&limbo[..], &["--parties", "32"]].concat());
    for ended in session(&verify, &preimage("prove", &[&MESSAGE[..], &limbo].concat())) {
        ended.refused(3, &["disagree on the parameters of the simulation", "start both sides with the same"]);
    }
}
