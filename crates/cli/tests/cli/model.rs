//! Quantised networks: split, looked at and run in the clear.

use crate::kit::*;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use volery::circuit::Npy;

/// The path of a network of `volery-onnx`'s tests.
fn fixture(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../onnx/tests/fixtures");
    folder.join(format!("{name}.q.onnx")).to_str().expect("UTF-8").into()
}

/// A folder for files of a test.
struct Files(TempDir);

impl Files {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The path of a file, as an argument.
    fn name(&self, name: &str) -> String {
        self.path(name).to_str().expect("UTF-8").into()
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        std::fs::write(self.path(name), content).expect("written");
        self.name(name)
    }

    /// An array of floats.
    fn array(&self, name: &str, shape: &[usize], numbers: &[f32]) -> String {
        let numbers: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.write(name, [&Npy::head("<f4", shape)[..], &numbers].concat())
    }

    /// The graph and the weights of a network.
    fn split(&self, network: &str) -> [String; 2] {
        let parts = ["net.arch.onnx", "net.weights.npy"].map(|name| self.name(name));
        volery(&["model", "split", network, "--public", &parts[0], "--weights", &parts[1]]).expect(0);
        parts
    }
}

const INPUT: &str = "x=1.0,0.5,0.25,-1.0,0.0,0.0,0.0,0.0,0.0";

#[test]
fn networks_are_split_and_run() {
    let (files, network) = (Files::new(), fixture("dense"));
    let [graph, weights] = [files.name("a.onnx"), files.name("w.npy")];
    let split = ["model", "split", &network, "--public", &graph, "--weights", &weights, "--json"];
    let object = volery(&split).expect(0).json();
    assert_eq!(object["weights"]["count"], 269, "{object}");
    let array = std::fs::read(&weights).expect("read");
    assert_eq!(Npy::read(&array).expect("an array").shape(), [269]);
    let info = |network: &str| volery(&["model", "info", network, "--json"]).expect(0).json();
    let [whole, public] = [&network, &graph].map(|network| info(network));
    assert_eq!(whole["identity"], object["identity"]);
    for key in ["/identity", "/inputs", "/outputs", "/total", "/tables", "/public", "/weights", "/layers"] {
        assert!(whole.pointer(key).is_some() && whole.pointer(key) == public.pointer(key), "{key}");
    }
    assert_eq!((&whole["weights_apart"], &public["weights_apart"]), (&false.into(), &true.into()));
    // A run of both, with the input in each way that it can be written.
    let expected = volery(&["model", "run", &network, "--input", INPUT]).expect(0).out;
    assert_eq!(expected, "logits/q=1.109375,0.15625,-0.25,-0.875,0.59375\n");
    let numbers = [1.0, 0.5, 0.25, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    let array = format!("x=@{}", files.array("x.npy", &[1, 9], &numbers));
    let stacked = format!("x=@{}", files.array("y.npy", &[9], &numbers));
    let lines = files.write("values", INPUT);
    for input in [&array, &stacked, &lines, "x=128,64,32,-128,0,0,0,0,0"] {
        let apart = ["model", "run", &graph, "--weights", &weights, "--input", input];
        assert_eq!(volery(&apart).expect(0).out, expected, "{input}");
    }
    let object = volery(&["model", "run", &network, "--input", INPUT, "--json"]).expect(0).json();
    assert_eq!(object["outputs"]["logits/q"]["integers"], serde_json::json!([71, 10, -16, -56, 38]));
    assert_eq!((&object["satisfied"], &object["outputs"]["logits/q"]["exponent"]), (&true.into(), &6.into()));
}

#[test]
fn a_network_is_told_of() {
    let told = volery(&["model", "info", &fixture("convolution"), "--layers"]).expect(0).out;
    for words in [
        "x (168 numbers of [1, 3, 8, 7] in steps of 2^-6)",
        "logits/q (3 numbers of [1, 3] in steps of 2^-8), class (indices, of [1])",
        "12 QuantizeLinear, 4 Conv, 1 HardSwish",
        "HardSwish (1,024 rows, 64 lookups)",
        "GlobalAveragePool = 0.0625",
        "156 of 16 bits, 16 of 24 bits, 11 of 32 bits, in this file",
    ] {
        assert!(told.contains(words), "{words}: {told}");
    }
    let line = told.lines().find(|line| line.starts_with("c1/Conv ")).expect("a layer");
    let words: Vec<_> = line.split_whitespace().collect();
    assert_eq!(words[1..], ["Conv", "[1,", "4,", "4,", "4]", "21", "35", "64", "0", "0", "0"]);
    assert!(!volery(&["model", "info", &fixture("convolution")]).expect(0).out.contains("c1/Conv "));
}

#[test]
fn overflows_are_failed_checks() {
    let large = "x=255.0,255.0,255.0,255.0,255.0,255.0,255.0,255.0,255.0";
    let run = ["model", "run", &fixture("dense"), "--input", large, "--json"];
    let object =
        volery(&run).refused(2, &["the key of node \"r1/Relu\"", "10 bits", "with more room"]).json();
    assert_eq!(object["satisfied"], false, "{object}");
    let short = ["model", "run", &fixture("dense"), "--input", "x=0.5", "--json"];
    let object = volery(&short).refused(2, &["--input: input \"x\" is of the shape [1, 9]"]).json();
    assert!(object["satisfied"].is_null(), "{object}");
}

#[test]
fn what_does_not_fit_is_named() {
    let (files, network) = (Files::new(), fixture("dense"));
    let [graph, weights] = files.split(&network);
    let run = |more: &[&str]| volery(&[&["model", "run", &graph], more].concat());
    run(&[]).refused(2, &["the weights are apart from this graph", "--weights"]);
    let with = |more: &[&str]| run(&[&["--weights", &weights], more].concat());
    with(&[]).refused(2, &["input \"x\" is missing"]);
    with(&["--input", "z=1"]).refused(2, &["--input: z is no input of the network: there is x"]);
    with(&["--input", INPUT, "--input", INPUT]).refused(2, &["x is given twice"]);
    with(&["--input", "x=256.0"]).refused(2, &["x: the number needs more than 16 bits"]);
    let turned = format!("x=@{}", files.array("x.npy", &[9, 1], &[0.0; 9]));
    with(&["--input", &turned])
        .refused(2, &["x.npy: the .npy array is of the shape [9, 1]", "[1, 9] is taken"]);
    let floats = files.array("floats.npy", &[269], &[0.0; 269]);
    run(&["--weights", &floats]).refused(2, &["--weights: ", "has floats, and weights are integers"]);
    let few = files.write("few.npy", [&Npy::head("|i1", &[3])[..], &[0; 3]].concat());
    run(&["--weights", &few]).refused(2, &["--weights: the network has 269 weights, and 3"]);
    let many = files.write("many.npy", vec![0; 1 << 16]);
    run(&["--weights", &many]).refused(2, &["more bytes than 269 weights take"]);
    run(&["--weights", &graph]).refused(2, &["the .npy array does not begin as one"]);
    let whole = ["model", "run", &network, "--weights", &weights];
    volery(&whole).refused(2, &["--weights: the network has its weights: give none"]);
    volery(&["model", "info", &files.name("absent")]).refused(2, &["absent: ", "No such file"]);
    let text = files.write("text", "no network");
    volery(&["model", "info", &text]).refused(2, &["text: the network cannot be read, at byte"]);
    // A network of floats: a version, and an empty graph.
    let floats = files.write("net.onnx", [8, 10, 0x3a, 0]);
    for verb in ["info", "run"] {
        let words = ["the network is of floats", "volery model quantise", "net.q.onnx`"];
        volery(&["model", verb, &floats]).refused(2, &words);
    }
}

#[test]
fn files_that_are_there_stay() {
    let (files, network) = (Files::new(), fixture("series"));
    let [graph, weights] = files.split(&network);
    let split = |public: &str, weights: &str, more: &[&str]| {
        volery(&[&["model", "split", &network, "--public", public, "--weights", weights], more].concat())
    };
    let there = ["there is a file of this name", "--force"];
    split(&graph, &files.name("new"), &[]).refused(2, &there);
    split(&files.name("new"), &weights, &[]).refused(2, &there);
    split(&graph, &graph, &["--force"]).refused(2, &["--public and --weights are one file"]);
    assert!(!files.path("new").exists());
    std::fs::write(&graph, "old").expect("written");
    split(&graph, &weights, &["--force"]).expect(0);
    assert!(std::fs::read(&graph).expect("read").len() > 3);
    let again = ["model", "split", &graph, "--public", &files.name("p"), "--weights", &files.name("w")];
    volery(&again).refused(2, &["the network is split already"]);
}

#[test]
fn models_are_misused_in_words() {
    let all = "model run, model commit, model prove and model verify";
    volery(&["model"]).refused(2, &["a verb is missing behind model", all]);
    volery(&["model", "train"]).refused(2, &["there is no such verb", all]);
    volery(&["model", "split", "net.q.onnx"]).refused(2, &["missing: --public, --weights"]);
    volery(&["model", "run"]).refused(2, &["missing: <NETWORK>"]);
    let help = volery(&["model", "quantise", "--help"]).expect(0).out;
    assert!(help.contains("VOLERY_PYTHON") && help.contains("crates/python[onnx]"), "{help}");
}

#[test]
fn integers_are_made_by_python() {
    let files = Files::new();
    let quantise =
        ["model", "quantise", "-net.onnx", "--calibrate", "s.npz", "--out", "q.onnx", "--until", "y"];
    let missing = [&quantise[..2], &["net.onnx"], &quantise[3..], &["--python", "/no/such"]].concat();
    volery(&missing).refused(2, &["/no/such cannot be run", "install Python 3.10 or later", "VOLERY_PYTHON"]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let python = files.write("python", "#!/bin/sh\nshift 2\nprintf '%s\\n' \"$@\"\nexit 7\n");
        std::fs::set_permissions(&python, PermissionsExt::from_mode(0o700)).expect("changed");
        let typed = [&quantise[..2], &quantise[3..], &["--force", "--json", "--", "-net.onnx"]].concat();
        let ended = Running::start(&typed, b"", &[("VOLERY_PYTHON", &python)]).end().expect(7);
        let passed: Vec<_> = ended.out.lines().collect();
        let options = ["--calibrate=s.npz", "--out=q.onnx", "--room=4", "--bits=16", "--until=y"];
        let expected = [&["quantise"], &options[..], &["--force", "--json", "--", "-net.onnx"]].concat();
        assert_eq!(passed, expected);
    }
}

#[test]
fn a_session_answers_queries() {
    let (files, network) = (Files::new(), fixture("dense"));
    let [graph, weights] = files.split(&network);
    let verifier = start_listening(&["model", "verify", &graph, "--json"]);
    let large = format!("x={}", ["255.0"; 9].join(","));
    let queries = format!("{INPUT}\n\n# a comment\n{large}\n{INPUT}\n");
    let prove = ["model", "prove", &graph, "--weights", &weights, "--connect", &verifier.address, "--json"];
    let proved = Running::start(&prove, queries.as_bytes(), &[]).end();
    let proved = proved.refused(2, &["1 of 3 queries were left out"]);
    assert!(proved.err.contains("query 2: the witness does not satisfy"), "{proved:?}");
    let verified = verifier.end().expect(0);
    assert_eq!((&verified.json()["queries"], &verified.json()["role"]), (&2.into(), &"verifier".into()));
    for (ended, numbers) in [(proved, [1, 3]), (verified, [1, 2])] {
        let lines: Vec<serde_json::Value> =
            ended.out.lines().take(2).map(|line| serde_json::from_str(line).expect("JSON")).collect();
        for (line, number) in lines.iter().zip(numbers) {
            assert_eq!((&line["query"], &line["values"]["class"][0]), (&number.into(), &0.into()), "{line}");
        }
    }
    // Both have to show the same.
    let verifier = start_listening(&["model", "verify", &graph, "--show", "logits"]);
    let prove = ["model", "prove", &network, "--input", INPUT, "--connect", &verifier.address];
    volery(&prove).refused(3, &["disagree on the statement"]);
    verifier.end().refused(3, &["disagree on the statement"]);
    // Whoever asks nothing is told nothing.
    let verifier = start_listening(&["model", "verify", &graph]);
    let prove = ["model", "prove", &network, "--connect", &verifier.address];
    volery(&prove).expect(0);
    verifier.end().refused(3, &["without a query"]);
    // As many as leave the bits that are asked for.
    let verifier = start_listening(&["model", "verify", &graph, "--security", "47"]);
    let prove = ["model", "prove", &network, "--security", "47", "--connect", &verifier.address];
    let queries = format!("{INPUT}\n").repeat(5);
    let proved = Running::start(&prove, queries.as_bytes(), &[]).end();
    proved.refused(2, &["47 bits of statistical security were asked for"]);
    assert!(verifier.end().code != Some(0));
    let linear = format!("{graph}?model=linear");
    let experimental = ["model", "verify", &linear, "--listen", "127.0.0.1:0"];
    volery(&experimental).refused(2, &["is experimental"]);
    let other = ["model", "verify", &graph, "--show", "logit", "--listen", "127.0.0.1:0"];
    volery(&other).refused(2, &["--show", "no input or output logit", "logits, class"]);
}
