//! AIGER files, proved and verified by two processes, with and without latches.

use crate::kit::{Running, preimage, session, start_connecting, start_listening, volery};
use std::path::Path;

/// The relation of a file of ours, and behind it these options.
fn ours(file: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/aiger");
    folder.join(file).to_str().expect("UTF-8").to_owned()
}

/// The arguments of a verb with all of `values`, written `public|private`, each `name=0b… name=0b…`.
fn typed<'a>(verb: &'a str, relation: &'a str, public: &'a str, private: &'a str) -> Vec<&'a str> {
    let each = |option: &'static str, values: &'a str| {
        values.split_whitespace().flat_map(move |value| [option, value])
    };
    let all = [verb, "--relation", relation, "--json"].into_iter();
    all.chain(each("--public", public)).chain(each("--private", private)).collect()
}

#[test]
fn adders_are_proved_in_both_encodings() {
    for (file, system) in
        [("adder8.aig", "quicksilver"), ("adder8.aag", "quicksilver"), ("adder8.aig", "jko")]
    {
        let relation = ours(file);
        let (public, private) = ("sum=0b10110001 cout=0b0", "a=0b01011010 b=0b11001100 cin=0b0");
        let by = ["--system", system];
        let verify = [&typed("verify", &relation, public, "")[..], &by].concat();
        let prove = |private| [&typed("prove", &relation, public, private)[..], &by].concat();
        let [verified, proved] = session(&verify, &prove(private)).map(|ended| ended.expect(0).json());
        assert_eq!(verified["verdict"], "accepted");
        assert_eq!(verified["statement"], proved["statement"]);
        assert_eq!(verified["gates"]["mul"], 8);
        // The prover sees that its values do not do; where it does not look, the verifier does.
        let wrong = private.replace("a=0b0", "a=0b1");
        volery(&[&prove(&wrong)[..], &["--connect", "127.0.0.1:1"]].concat())
            .refused(2, &["sum[0] does not hold"]);
        let careless = [&prove(&wrong)[..], &["--no-check"]].concat();
        // One who evaluates before it says a word leaves the verifier waiting for another.
        let waits = ["--listen", "127.0.0.1:0", "--timeout", "1"];
        let listening = Running::start(&[&verify[..], &waits].concat(), b"", &[]);
        let proved = start_connecting(&careless, &listening.address).end();
        proved.refused(2, &["sum[0] does not hold"]);
        assert_ne!(listening.end().code, Some(0));
    }
}

#[test]
fn both_sides_have_to_read_one_file_alike() {
    let prove = |relation: &str, more: &[&str]| {
        let typed = typed("prove", relation, "cout=0b1", "a=0b11111111 b=0b10000000 cin=0b0");
        [&typed[..], more].concat().into_iter().map(String::from).collect::<Vec<_>>()
    };
    let relation = ours("adder8.aig");
    let verify = typed("verify", &relation, "cout=0b1", "");
    for other in [ours("adder8.aag"), format!("{relation}?plain")] {
        let listening = start_listening(&verify);
        let prove = prove(&other, &["--connect", &listening.address, "--timeout", "20"]);
        let prove: Vec<&str> = prove.iter().map(String::as_str).collect();
        volery(&prove).refused(3, &["statement"]);
        assert_eq!(listening.end().code, Some(3));
    }
}

/// A counter is proved to become full without saying when it counted.
#[test]
fn bad_states_are_reached_in_so_many_steps() {
    for file in ["counter3.aig", "counter3.aag"] {
        let relation = ours(&format!("{file}?steps=8"));
        let given = "clear@*=0b0 on@3=0b0 on@*=0b1";
        let verify = typed("verify", &relation, "full=0b1", "");
        let prove = typed("prove", &relation, "full=0b1", given);
        let [verified, _] = session(&verify, &prove).map(|ended| ended.expect(0).json());
        assert_eq!(verified["verdict"], "accepted");
        let check = |relation: &str, private: &str| volery(&typed("check", relation, "full=0b1", private));
        check(&relation, "clear@*=0b0 on@*=0b1").refused(2, &["full[0] does not hold"]);
        check(&relation, "clear@*=0b1 on@*=0b1").refused(2, &["constraint sane in step 0"]);
        check(&format!("{}&bad=any", relation), "clear@*=0b0 on@*=0b1").expect(0);
        let state = ours(&format!("{file}?steps=1&init=private"));
        check(&state, "state=0b111 clear@0=0b0 on@0=0b0").expect(0);
        check(&state, "state=0b011 clear@0=0b0 on@0=0b0").refused(2, &["full[0]"]);
        volery(&typed(
            "check",
            &state.replace("private", "public"),
            "full=0b1 state=0b111",
            "clear@0=0b0 on@0=0b0",
        ))
        .expect(0);
    }
}

/// A counter of three bits begins with one, and is full in the eighth step where it counts in all but one of
/// those before.
#[test]
fn traces_are_private_values() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.aiw");
    let trace = path.to_str().expect("UTF-8");
    let relation = ours("counter3.aig?steps=8");
    let check = |text: &str, more: &[&str]| {
        std::fs::write(&path, text).expect("written");
        volery(&[&typed("check", &relation, "full=0b1", "")[..], &["--private", trace], more].concat())
    };
    let first = "100";
    let counts = format!("1\nb0\n{first}\n{}.\n", "x01\n".repeat(8));
    check(&counts, &[]).refused(2, &["full[0] does not hold"]);
    let pauses = format!("1\nb0\n{first}\n{}x00\n{}.\n", "x01\n".repeat(3), "x01\n".repeat(4));
    check(&pauses, &[]).expect(0);
    check(&pauses, &["--public", "on@3=0b0"]).expect(0);
    check(&pauses, &["--public", "on@3=0b1"])
        .refused(2, &["on@3 is public, and has another value in the trace"]);
    check(&pauses, &["--private", "on@3=0b0"]).refused(2, &["on@3 is given twice"]);
    check(&pauses.replace("b0", "secret"), &[]).refused(2, &["x.aiw, line 2"]);
    let other = ours("adder8.aig");
    volery(&[&typed("check", &other, "cout=0b1", "")[..], &["--private", trace]].concat())
        .refused(2, &["line 2"]);
    let preimage = preimage("check", &["--private", trace]);
    volery(&preimage).refused(2, &["a trace of a model checker, and these are for circuits in AIGER"]);
}

#[test]
fn circuits_are_shown_and_evaluated() {
    let relation = ours("adder8.aig");
    let info = volery(&["circuit", "info", &relation]).expect(0).out;
    for words in [
        "adder8.aig (aiger)",
        "a (8 bits), b (8 bits), cin (1 bit)",
        "sum (8 bits), cout (1 bit)",
        "8 multiplications",
        "72 ANDs of the file, of which 64 are saved",
    ] {
        assert!(info.contains(words), "{words:?} is missing in {info}");
    }
    let json = |relation: &str| volery(&["circuit", "info", relation, "--json"]).expect(0).json();
    let object = json(&relation);
    assert_eq!((&object["ands_in_file"], &object["ands_saved"]), (&72.into(), &64.into()));
    let plain = json(&format!("{relation}?plain"));
    assert!(plain["gates"]["mul"].as_u64() > Some(30), "{plain}");
    let counter = ours("counter3.aag?steps=2");
    let object = json(&counter);
    let optional = |port: &serde_json::Value| port["optional"] == true;
    let ports = object["ports"]["inputs"].as_array().expect("ports");
    let names: Vec<_> = ports.iter().filter(|port| optional(port)).map(|port| &port["name"]).collect();
    assert_eq!(names, ["clk@0", "clk@1"]);
    assert!(
        volery(&["circuit", "info", &counter])
            .expect(0)
            .out
            .contains("clk@0 … clk@1 (1 bit each, which nothing reads)")
    );
    let inputs = ["--input", "on@*=0b1", "--input", "clear@*=0b0"];
    let eval = volery(&[&["circuit", "eval", &counter, "--format", "aiger"], &inputs[..]].concat()).expect(0);
    assert_eq!(eval.out.trim_end(), "count@0=0x1\nfull@0=0x0\ncount=0x2\nfull=0x0");
}

#[test]
fn what_is_wrong_is_said_before_anybody_waits() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.aig");
    let text = path.to_str().expect("UTF-8");
    let whole = std::fs::read(ours("adder8.aig")).expect("ours");
    let cases: [(&[u8], &str); 4] = [
        (&whole[..200], "byte 1"),
        (b"aag 1 1 0 0 0\n2\n", "the circuit has no outputs"),
        (b"aag 1 1 0 1 0\r\n2\r\n2\r\n", "line 1: the line ends in CR LF"),
        (b"aag 1 0 1 1 0\n2 3\n2\n", "x.aig?steps=N"),
    ];
    for (bytes, words) in cases {
        std::fs::write(&path, bytes).expect("written");
        for verb in
            [&["circuit", "info", text][..], &["verify", "--relation", text, "--listen", "127.0.0.1:0"]]
        {
            let ended = volery(verb).refused(2, &["x.aig", words]);
            assert!(!ended.err.contains("listening"), "{ended:?}");
        }
    }
    std::fs::write(&path, b"\x1f\x8b\x08\x00").expect("written");
    for more in [&[][..], &["--format", "aiger"]] {
        volery(&[&["circuit", "info", text], more].concat()).refused(2, &["gunzip"]);
    }
    volery(&["circuit", "info", &format!("{}?speed=1", ours("adder8.aig"))])
        .refused(2, &["no option \"speed\""]);
}

/// A counter of two bits, whose next state is a model of its own.
const COUNTER: &str = ".model counter\n.inputs clk on\n.outputs n[0] n[1]\n.latch m0 n[0] re clk 0\n.latch m1 n[1] re clk 0\n\
    .subckt half a=n[0] b=on s=m0 c=carry\n.subckt half a=n[1] b=carry s=m1\n.end\n\
    .model half\n.inputs a b\n.outputs s c\n.names a b s\n11 0\n00 0\n.names a b c\n11 1\n.end\n";

#[test]
fn blif_is_proved_as_well() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("counter.blif");
    std::fs::write(&path, COUNTER).expect("written");
    let relation = format!("{}?steps=4", path.to_str().expect("UTF-8"));
    let verify = typed("verify", &relation, "n=0b01", "");
    let prove = |private| typed("prove", &relation, "n=0b01", private);
    let right = "on@*=0b1 on@2=0b0";
    let [verified, proved] = session(&verify, &prove(right)).map(|ended| ended.expect(0).json());
    assert_eq!((&verified["verdict"], &verified["statement"]), (&"accepted".into(), &proved["statement"]));
    let wrong = [&prove("on@*=0b1")[..], &["--no-check"]].concat();
    let [verified, proved] = session(&verify, &wrong);
    proved.refused(2, &["n[0] does not hold"]);
    assert_ne!(verified.code, Some(0));
    let info = volery(&["circuit", "info", &relation, "--format", "blif", "--json"]).expect(0).json();
    assert_eq!(info["format"], "blif");
    std::fs::write(&path, COUNTER.replace(".names a b c", ".names c b c")).expect("written");
    volery(&["circuit", "info", &relation]).refused(2, &["counter.blif, line 15", "reads itself through c"]);
}

/// Conversions from format to format, and back: the circuit is the same, and costs the same.
#[test]
fn circuits_are_converted() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let formats = ["aiger", "aag", "blif", "bristol-fashion"];
    let mut before = ours("adder8.aag");
    for (number, format) in (0..).zip(formats.into_iter().cycle().take(6)) {
        let after = path(&format!("{number}.{format}"));
        let verb = if number % 2 == 0 { ["convert", "--to"] } else { ["export", "--format"] };
        volery(&["circuit", verb[0], &before, verb[1], format, "--out", &after]).expect(0);
        let info = volery(&["circuit", "info", &after, "--json"]).expect(0).json();
        assert_eq!((&info["format"], &info["gates"]["mul"]), (&format.into(), &8.into()), "{info}");
        // Bristol Fashion forgets names.
        let names =
            if number < 3 { ["a", "b", "cin", "sum", "cout"] } else { ["in0", "in1", "in2", "out0", "out1"] };
        let inputs = [(names[0], "0b01011010"), (names[1], "0b11001101"), (names[2], "0b1")];
        let inputs: Vec<String> = inputs.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let given: Vec<&str> = inputs.iter().flat_map(|input| ["--input", input]).collect();
        let eval = volery(&[&["circuit", "eval", &after], &given[..]].concat()).expect(0);
        assert_eq!(eval.out.trim_end(), format!("{}=0x0e\n{}=0x1", names[3], names[4]), "{after}");
        before = after;
    }
    volery(&["circuit", "convert", "builtin:inner-product", "--to", "aiger"])
        .refused(2, &["stated by polynomials"]);
    volery(&["circuit", "convert", &before, "--to", "verilog"])
        .refused(2, &["no format \"verilog\"", "blif"]);
}
