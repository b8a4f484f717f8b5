//! Constraint systems of circom, proved and verified by two processes over both fields.

use crate::kit::{session, volery};
use std::fs;
use std::path::Path;

/// A file of ours.
fn ours(file: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/r1cs");
    folder.join(file).to_str().expect("UTF-8").to_owned()
}

/// The path of what holds this in `folder`.
fn written(folder: &Path, name: &str, content: &[u8]) -> String {
    let path = folder.join(name);
    fs::write(&path, content).expect("written");
    path.to_str().expect("UTF-8").to_owned()
}

/// `verb`, the relation of a circuit modulo a prime of circom, and more.
fn typed<'a>(verb: &'a str, relation: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&[verb, "--relation", relation, "--json"], more].concat()
}

#[test]
fn circuits_are_proved_over_their_fields() {
    // Half of an odd number is another in each field.
    let fields = [
        ("goldilocks", "goldilocks", "9223372034707294788"),
        ("bn128", "bn254", "10944121435919637611123202872628637544274182200208017171849102093287904250436"),
    ];
    for (prime, field, half) in fields {
        let range = format!("[\"1764\",\"{half}\",\"18\"]");
        for (circuit, public) in [("range", &range[..]), ("select", "[\"165\",\"11\",\"22\",\"33\",\"44\"]")]
        {
            let relation = ours(&format!("{circuit}-{prime}.r1cs"));
            let (wtns, sym) = (ours(&format!("{circuit}-{prime}.wtns")), ours(&format!("{circuit}.sym")));
            let folder = tempfile::tempdir().expect("a folder");
            let list = folder.path().join("public.json");
            fs::write(&list, public).expect("written");
            let list = list.to_str().expect("UTF-8");
            let verify = typed("verify", &relation, &["--public", list]);
            let prove = typed("prove", &relation, &["--witness", &wtns, "--symbols", &sym]);
            let [verified, proved] = session(&verify, &prove).map(|ended| ended.expect(0).json());
            assert_eq!(verified["verdict"], "accepted");
            assert_eq!(verified["field"], field);
            assert_eq!(verified["statement"], proved["statement"]);
        }
    }
}

#[test]
fn public_values_have_names() {
    let (relation, wtns, sym) = (ours("range-bn128.r1cs"), ours("range-bn128.wtns"), ours("range.sym"));
    let named =
        ["--witness", &wtns, "--symbols", &sym, "--public", "main.least=0x12", "--public", "out0=1764"];
    let check = volery(&typed("check", &relation, &named)).expect(0);
    assert!(check.err.contains("volery: public by the witness: main.half=1094412"), "{}", check.err);
    let other = ["--witness", &wtns, "--symbols", &sym, "--public", "main.least=17"];
    volery(&typed("check", &relation, &other))
        .refused(2, &["--public says main.least=17, and the witness has 18"]);
    volery(&typed("check", &relation, &["--witness", &wtns, "--public", "main.least=18"]))
        .refused(2, &["no input or output main.least"]);
    volery(&typed("verify", &relation, &["--listen", "127.0.0.1:0", "--public", "out0=1764"]))
        .refused(2, &["out1 (1 element) has to be public"]);
    let listen = ["--listen", "127.0.0.1:0", "--symbols", &sym, "--public", "out0=1764"];
    volery(&typed("verify", &relation, &listen)).refused(2, &["main.half (out1) has to be public"]);
    let unknown = [&listen[..], &["--public", "main.most=1"]].concat();
    volery(&typed("verify", &relation, &unknown))
        .refused(2, &["there is no public signal main.most; there are main.square, main.half, main.least"]);
    let info = volery(&["circuit", "info", &relation, "--symbols", &sym]).expect(0).out;
    assert!(info.contains("main.square is out0 (1 element, to be public), main.half is out1"), "{info}");
    let chain = ours("chain.sym");
    volery(&typed("check", &relation, &["--witness", &wtns, "--symbols", &chain]))
        .refused(2, &["--symbols: ", "give the symbols of this circuit"]);
}

/// A file of circom modulo Goldilocks' prime, of two sections.
fn file(magic: &[u8], version: u32, sections: [&[u8]; 2]) -> Vec<u8> {
    let mut bytes = [magic, &version.to_le_bytes(), &2u32.to_le_bytes()].concat();
    for (kind, section) in (1u32..).zip(sections) {
        bytes.extend(kind.to_le_bytes());
        bytes.extend((section.len() as u64).to_le_bytes());
        bytes.extend(section);
    }
    bytes
}

/// The length of an element, and the prime.
fn goldilocks() -> Vec<u8> {
    [&8u32.to_le_bytes()[..], &0xffff_ffff_0000_0001_u64.to_le_bytes()].concat()
}

/// `out = a·b`, of wires that are 1, out, a and b.
fn product() -> Vec<u8> {
    let counts = [4u32, 1, 0, 2].map(u32::to_le_bytes).concat();
    let header = [&goldilocks()[..], &counts, &4u64.to_le_bytes(), &1u32.to_le_bytes()].concat();
    let form = |wire: u32| [&1u32.to_le_bytes()[..], &wire.to_le_bytes(), &1u64.to_le_bytes()].concat();
    file(b"r1cs", 1, [&header, &[form(2), form(3), form(1)].concat()])
}

/// A witness of these factors.
fn factors(a: u64, b: u64) -> Vec<u8> {
    let header = [&goldilocks()[..], &4u32.to_le_bytes()].concat();
    file(b"wtns", 2, [&header, &[1, a * b, a, b].map(u64::to_le_bytes).concat()])
}

/// Several instances have a witness and a list of public values each, and say which of them fails.
#[test]
fn instances_have_witnesses_of_their_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let written = |name, content: &[u8]| written(folder.path(), name, content);
    let relation = written("product.r1cs", &product()) + "?count=2";
    let [first, second] =
        [(5, 7, "a.wtns"), (6, 9, "b.wtns")].map(|(a, b, name)| written(name, &factors(a, b)));
    let [of_first, of_second] =
        [(br#"["35"]"#, "a.json"), (br#"["54"]"#, "b.json")].map(|(list, name)| written(name, list));
    let both = ["--witness", &first, "--witness", &second];
    let lists = ["--public", &of_first, "--public", &of_second];
    let [verified, proved] = session(&typed("verify", &relation, &lists), &typed("prove", &relation, &both))
        .map(|ended| ended.expect(0).json());
    assert_eq!(verified["verdict"], "accepted");
    assert_eq!(verified["statement"], proved["statement"]);

    let check = |more: &[&[&str]]| volery(&typed("check", &relation, &more.concat()));
    let told = check(&[&both]).expect(0).err;
    assert!(told.contains("public by the witness: out0=35,54"), "{told}");
    check(&[&both, &lists]).expect(0);
    check(&[&both, &["--public", "out0=35,54"]]).expect(0);
    for swapped in
        [["--public", &of_second, "--public", &of_first], ["--public", "out0=54,35", "--timeout", "9"]]
    {
        check(&[&both, &swapped])
            .refused(2, &["--public says out0=54 of instance 0, and the witness has 35"]);
    }
    check(&[&["--witness", &first]])
        .refused(2, &["--witness: 1 file for 2 instances: give --witness once for each"]);
    check(&[&both, &lists[..2]]).refused(2, &["1 list of public signals for 2 instances"]);
    let wrong = written("wrong.json", br#"["18446744069414584321"]"#);
    check(&[&both, &lists[..2], &["--public", &wrong]]).refused(2, &["a.json and 1 more: ", "out0"]);
    let mut wrong = factors(6, 9);
    *wrong.last_mut().expect("bytes") ^= 1;
    let wrong = written("wrong.wtns", &wrong);
    check(&[&["--witness", &first, "--witness", &wrong]]).refused(2, &["constraint ", "of instance 1"]);

    let eval = volery(&[&["circuit", "eval", &relation], &both[..]].concat()).expect(0).out;
    assert_eq!(eval, "out0=35,54\n");
    let info = volery(&["circuit", "info", &relation]).expect(0).out;
    assert!(info.contains("2, and of each of them:"), "{info}");
    volery(&["circuit", "convert", &relation, "--to", "sieve"])
        .refused(2, &["has 2 instances: a file is of one, without count"]);
    volery(&typed("check", &(relation.clone() + "&strict=1"), &both))
        .refused(2, &["the options of constraints are ?count=N"]);
}

#[test]
fn wrong_witnesses_name_the_constraint() {
    let relation = ours("select-goldilocks.r1cs");
    let file = fs::read(ours("select-goldilocks.wtns")).expect("read");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("wrong.wtns");
    let wtns = path.to_str().expect("UTF-8");
    let sym = ours("select.sym");
    let check = |bytes: &[u8], words: &[&str]| {
        fs::write(&path, bytes).expect("written");
        volery(&typed("check", &relation, &["--witness", wtns, "--symbols", &sym])).refused(2, words);
    };
    // The last value is that of the last wire.
    let mut wrong = file.clone();
    *wrong.last_mut().expect("bytes") ^= 1;
    check(&wrong, &["constraint ", "select-goldilocks.r1cs (", "main.", "does not hold"]);
    check(&file[..file.len() - 1], &["is the file truncated?"]);
    check(&fs::read(ours("select-bn128.wtns")).expect("read"), &["modulo the prime bn128"]);
    check(&fs::read(ours("chain-goldilocks.wtns")).expect("read"), &["52 values", "has 17 wires"]);
}

#[test]
fn what_comes_out_of_a_witness_is_told() {
    let (relation, wtns, sym) = (ours("range-bn128.r1cs"), ours("range-bn128.wtns"), ours("range.sym"));
    let eval = |more: &[&str]| volery(&[&["circuit", "eval", &relation], more].concat());
    let text = eval(&["--witness", &wtns]).expect(0).out;
    let half = "10944121435919637611123202872628637544274182200208017171849102093287904250436";
    assert_eq!(text, format!("out0=1764\nout1={half}\nin0=18\n"));
    let text = eval(&["--witness", &wtns, "--symbols", &sym]).expect(0).out;
    assert_eq!(text, format!("main.square=1764\nmain.half={half}\nmain.least=18\n"));
    let told = eval(&["--witness", &wtns, "--json"]).expect(0).json();
    assert_eq!((&told["satisfied"], &told["outputs"]["out0"]), (&true.into(), &"1764".into()));
    assert_eq!(told["inputs"], serde_json::json!({"in0": "18"}));
    // In the order of their wires, by their names.
    let told = eval(&["--witness", &wtns, "--symbols", &sym, "--json"]).expect(0).json();
    let names = |of: &str| told[of].as_object().expect("an object").keys().cloned().collect::<Vec<_>>();
    assert_eq!(
        (names("outputs"), names("inputs")),
        (vec!["main.square".into(), "main.half".into()], vec!["main.least".into()])
    );
    let values = ["main.square", "main.half"].map(|name| told["outputs"][name].clone());
    assert_eq!((values, &told["inputs"]["main.least"]), (["1764", half].map(Into::into), &"18".into()));

    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("wrong.wtns");
    let mut wrong = fs::read(&wtns).expect("read");
    // The lowest byte of the last wire's value.
    let last = wrong.len() - 32;
    wrong[last] ^= 1;
    fs::write(&path, wrong).expect("written");
    let wrong = path.to_str().expect("UTF-8");
    eval(&["--witness", wrong, "--symbols", &sym])
        .refused(2, &["--witness: ", "constraint ", "range-bn128.r1cs (", "main.", "does not hold"]);
    eval(&[]).refused(2, &["range-bn128.r1cs: an .r1cs file", "give a witness by --witness"]);
    eval(&["--input", "in0=18"]).refused(2, &["--input: values in an .r1cs file", "by --witness"]);
    // Of the file the prime, which stands before six counts and the labels of 23 wires.
    let mut composite = fs::read(ours("range-goldilocks.r1cs")).expect("read");
    let at = composite.len() - (12 + 8 * 23) - 36;
    assert_eq!(composite[at..at + 8], 0xffff_ffff_0000_0001_u64.to_le_bytes());
    composite[at..at + 8].copy_from_slice(&9u64.to_le_bytes());
    let composite = written(folder.path(), "composite.r1cs", &composite);
    let wtns = ours("range-goldilocks.wtns");
    for verb in [&["circuit", "eval", &composite][..], &["check", "--relation", &composite]] {
        volery(&[verb, &["--witness", &wtns]].concat())
            .refused(2, &["the relation is over 9: there is no setting modulo 9: it is not a prime"]);
    }
    let builtin = ["circuit", "eval", "builtin:aes128", "--witness", &wtns];
    volery(&builtin).refused(2, &["--witness belongs to a relation that is an .r1cs file"]);
}

#[test]
fn files_in_the_wrong_place_are_named() {
    let (relation, wtns) = (ours("chain-bn128.r1cs"), ours("chain-bn128.wtns"));
    volery(&typed("check", &wtns, &[])).refused(2, &["is a witness of circom, and no relation"]);
    volery(&typed("check", &relation, &["--field", "goldilocks", "--witness", &wtns]))
        .refused(2, &["is over bn254, and not over goldilocks"]);
    volery(&typed("check", &relation, &["--witness", &relation])).refused(2, &["begins with \"r1cs\""]);
    volery(&typed("check", "builtin:aes128", &["--witness", &wtns]))
        .refused(2, &["--witness belongs to a relation that is an .r1cs file"]);
    volery(&typed("check", &relation, &["--private-json", "x.json"])).refused(2, &["--witness-generator"]);
    let several = ["--relation", "builtin:aes128", "--witness", &wtns];
    volery(&typed("check", "builtin:aes128", &several)).refused(2, &["--witness belongs to a relation"]);
    let several = ["--relation", "builtin:aes128", "--symbols", &wtns];
    volery(&typed("check", "builtin:aes128", &several)).refused(2, &["--symbols belongs to a relation"]);
    volery(&typed("check", &relation, &["--public", &wtns])).refused(2, &["--public: ", "by --witness"]);
    volery(&typed("check", &relation, &["--public", "out0=1", "--private", &ours("chain.json")]))
        .refused(2, &["--private: ", "by --private-json"]);
    volery(&typed("verify", &relation, &["--witness", &wtns]))
        .refused(2, &["verify takes no --witness", "`volery prove`"]);
    volery(&typed("check", &format!("{relation}?steps=3"), &[]))
        .refused(2, &["the options of constraints are ?count=N"]);
}

#[cfg(unix)]
#[test]
fn generators_make_witnesses() {
    use std::os::unix::fs::PermissionsExt;
    let relation = ours("chain-goldilocks.r1cs");
    let folder = tempfile::tempdir().expect("a folder");
    let script = folder.path().join("a generator");
    let text =
        format!("#!/bin/sh\necho 'made of '\"$1\" >&2\ncp '{}' \"$2\"\n", ours("chain-goldilocks.wtns"));
    fs::write(&script, text).expect("written");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o700)).expect("set");
    let inputs = ours("chain.json");
    let command = format!("'{}'", script.display());
    let more = ["--private-json", &inputs, "--witness-generator", &command];
    let made = volery(&typed("check", &relation, &more)).expect(0);
    assert!(made.err.contains("witness generator: made of "), "{}", made.err);
    let more = ["--private-json", &inputs, "--witness-generator", "false"];
    volery(&typed("check", &relation, &more))
        .refused(2, &["--witness-generator: the witness generator ended with exit status: 1"]);
    let more = ["--private-json", &inputs, "--witness-generator", "tail -f /dev/null", "--timeout", "0.1"];
    volery(&typed("check", &relation, &more)).refused(2, &["did not end within 0.1 s", "--timeout"]);
}

#[test]
fn info_tells_what_constraints_come_to() {
    let told = volery(&["circuit", "info", &ours("chain-bn128.r1cs"), "--json"]).expect(0).json();
    assert_eq!(told["format"], "r1cs");
    assert_eq!(told["field"], "bn254");
    assert_eq!(told["r1cs"]["constraints"], 48);
    assert_eq!(told["r1cs"]["linear"], 24);
    let text = volery(&["circuit", "info", &ours("range-goldilocks.r1cs")]).expect(0);
    assert!(text.out.contains("23, of which 5 are linear"), "{}", text.out);
    let folder = tempfile::tempdir().expect("a folder");
    let info = |relation: &str, more: &[&str]| {
        volery(&[&["circuit", "info", relation, "--format", "r1cs"], more].concat())
    };
    let relation = ours("range-goldilocks.r1cs");
    assert_eq!(info(&relation, &[]).expect(0).out, text.out);
    let zipped = written(folder.path(), "x.r1cs.gz", b"\x1f\x8b\x08\0\0\0\0\0");
    info(&zipped, &[]).refused(2, &["begins with", "gunzip"]);
    let check = typed("check", &zipped, &["--format", "r1cs"]);
    volery(&check).refused(2, &["begins with", "gunzip"]);
    info(&format!("{relation}?steps=3"), &[]).refused(2, &["the options of constraints are ?count=N"]);
    // Another field is told by the head: what stands behind it is not read.
    let mut malformed = fs::read(&relation).expect("read");
    malformed[24..28].fill(0xff);
    let malformed = written(folder.path(), "malformed.r1cs", &malformed);
    info(&malformed, &["--field", "f61"]).refused(2, &["is over goldilocks, and not over f61"]);
    info(&malformed, &[]).refused(2, &["constraint 0"]);
}
