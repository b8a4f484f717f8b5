//! Proofs that are accepted.

use crate::kit::{ABC, KEYS, PREIMAGE, Running, assert_keys, preimage, session, start_listening, volery};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use volery_onnx::Network;

#[test]
fn either_role_may_listen() {
    let prove = preimage("prove", &["--private", "message=text:abc", "--json"]);
    let verify = preimage("verify", &["--json"]);
    let [verifier, prover] = session(&verify, &prove);
    let [prover_too, verifier_too] = session(&prove, &verify);
    for (prover, verifier) in [(prover, verifier), (prover_too, verifier_too)] {
        let (prover, verifier) = (prover.expect(0).json(), verifier.expect(0).json());
        for (object, role) in [(&prover, "prover"), (&verifier, "verifier")] {
            assert_keys(object, &KEYS);
            assert_eq!((&object["verdict"], &object["role"]), (&"accepted".into(), &role.into()));
            assert!(object["peak_rss_bytes"].as_u64().is_none_or(|bytes| bytes < 64_000_000), "{object}");
        }
        assert_eq!(prover["bytes"]["sent"], verifier["bytes"]["received"]);
        assert_eq!(prover["bytes"]["received"], verifier["bytes"]["sent"]);
        assert_eq!(prover["statement"], verifier["statement"]);
        assert_eq!(prover["gates"], verifier["gates"]);
    }
}

/// One function on many lanes: its memory is that of some waves, whatever their number.
#[test]
fn maps_take_little_memory() {
    const LENGTH: usize = 5;
    let [one, few, many] = [1, 40, 400].map(|count| {
        let messages: Vec<u8> = (0..LENGTH * count).map(|i| (i * i / 3 + i) as u8).collect();
        let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let digests = messages.chunks(LENGTH).map(|message| hex(&Sha256::digest(message)));
        let relation = format!("builtin:sha256-preimage?length={LENGTH}&count={count}");
        let digest = format!("digest=0x{}", digests.collect::<String>());
        let message = format!("message=0x{}", hex(&messages));
        let stated =
            ["--relation", &relation, "--public", &digest, "--threads", "2", "--vole", "tiny", "--json"];
        let [verify, prove] = [vec!["verify"], vec!["prove", "--private", &message]];
        let [verify, prove] = [verify, prove].map(|verb| [&verb[..1], &stated, &verb[1..]].concat());
        session(&verify, &prove).map(|run| run.expect(0).json()["peak_rss_bytes"].as_u64())
    });
    for ((one, few), many) in one.into_iter().zip(few).zip(many) {
        if let (Some(one), Some(few), Some(many)) = (one, few, many) {
            // Against one lane alone, since how much a program itself takes differs between machines.
            let most = 24_000_000;
            assert!(few < one + most && many < few + 16_000_000, "{one}, {few}, {many} bytes");
        }
    }
}

/// Each choice of correlations, over kernels that differ from side to side; and `circuit info` foretells
/// every byte.
#[test]
fn estimates_are_what_runs_send() {
    let info = volery(&["circuit", "info", PREIMAGE[1], "--json"]).expect(0).json();
    for vole in ["softspoken4", "softspoken8", "tiny"] {
        let verify = preimage("verify", &["--vole", vole, "--listen", "127.0.0.1:0"]);
        let verifier = Running::start(&verify, b"", &[("VOLERY_ARCH", "portable")]);
        let address = verifier.address.clone();
        let more = ["--vole", vole, "--private", "message=text:abc", "--connect", &address, "--json"];
        let prover = Running::start(&preimage("prove", &more), b"", &[]).end().expect(0).json();
        let table = verifier.end().expect(0).out;
        assert!(table.contains("accepted") && table.contains(vole), "{table}");
        let estimates = info["estimates"].as_array().expect("an array");
        let estimate = estimates.iter().find(|estimate| estimate["vole"] == vole).expect("this choice");
        assert_eq!(estimate["bytes"], prover["bytes"]);
        assert_eq!(info["gates"]["mul"], prover["gates"]["mul"]);
        assert_eq!(info["inputs"], prover["inputs"]);
    }
}

#[test]
fn values_come_from_files_and_standard_input() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str, content: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, content).expect("written");
        path.to_str().expect("UTF-8").to_owned()
    };
    let message = format!("message=@{}", path("message", "abc"));
    let public = path("public", &format!("# known to both\n{ABC}\n"));
    let private = path("private", "message = 0x616263\n");
    let relation = ["--relation", PREIMAGE[1], "--public", &public];
    // 0x616263 from its least significant bit on.
    let bits = "message=0b110001100100011010000110";
    for (private, input) in [(message.as_str(), ""), (&private, ""), ("message=-", "abc"), (bits, "")] {
        let verifier = start_listening(&[&["verify"], &relation[..]].concat());
        let given = [&relation[..], &["--private", private]].concat();
        Running::start(&[&["check"], &given[..]].concat(), input.as_bytes(), &[]).end().expect(0);
        let prove = [&["prove"], &given[..], &["--connect", &verifier.address]].concat();
        Running::start(&prove, input.as_bytes(), &[]).end().expect(0);
        verifier.end().expect(0);
    }
}

#[test]
fn demo_tells_its_story() {
    let story = volery(&["demo"]).expect(0);
    for word in ["SHA-256", "prover", "verifier", "verdict      accepted"] {
        assert!(story.out.contains(word), "{story:?}");
    }
    assert_eq!(story.err, "");
    let object = volery(&["demo", "--json", "--vole", "softspoken4"]).expect(0).json();
    assert_keys(&object, &KEYS);
    assert_eq!((&object["role"], &object["verdict"]), (&Value::Null, &"accepted".into()));
    assert!(object["bytes"]["sent"].as_u64() > object["bytes"]["received"].as_u64());
}

/// Two processes, over fields and with values of every kind.
#[test]
fn polynomials_are_proved_between_processes() {
    let cases: [(&str, &str, &[&str], &[&str]); 4] = [
        ("f61", "inner-product?length=3", &["z=32"], &["x=1,2,3", "y=4,5,6"]),
        ("f2", "inner-product?length=4", &["z=0b1"], &["x=0b1100", "y=0b0101"]),
        ("goldilocksx2", "matmul?rows=2&inner=2&columns=2", &["c=19,22,43,50"], &["a=1,2,3,4", "b=5,6,7,8"]),
        ("q32", "sis?rows=1&columns=4&bound=1", &["matrix=5,6,7,8", "t=-10"], &["s=1,0,-1,-1"]),
    ];
    for (field, builtin, public, private) in cases {
        let relation = format!("builtin:{builtin}");
        let statement = |verb| {
            let values = public.iter().flat_map(|value| ["--public", value]);
            let start = [verb, "--field", field, "--relation", &relation, "--json"];
            start.into_iter().chain(values).map(String::from).collect::<Vec<_>>()
        };
        let mut prove = statement("prove");
        prove.extend(private.iter().flat_map(|value| ["--private".into(), (*value).into()]));
        let (prove, verify): (Vec<_>, Vec<_>) =
            (prove.iter().map(String::as_str).collect(), statement("verify"));
        let verify: Vec<_> = verify.iter().map(String::as_str).collect();
        for ended in session(&verify, &prove) {
            let object = ended.expect(0).json();
            assert_eq!((&object["verdict"], &object["field"]), (&"accepted".into(), &field.into()));
        }
    }
}

/// A network whose weights are committed to, over two fields; and one whose weights are others.
#[test]
fn committed_models_are_proved_between_processes() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../onnx/tests/fixtures/dense.q.onnx");
    let relation = &format!("{path}?model=sha256");
    let file = std::fs::read(path).expect("a fixture");
    let network = Network::open(&file, &Default::default()).expect("a network");
    let values = network.weight_values().expect("weights");
    let written = |values: &[i32]| values.iter().map(i32::to_string).collect::<Vec<_>>().join(",");
    let weights = &written(&values);
    let salt = "42".repeat(32);
    let mut hash = Sha256::new();
    network.hashed(&[0x42; 32], |bytes| hash.update(bytes)).expect("weights");
    let digest: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    let said = volery(&["model", "commit", path, "--salt", &format!("0x{salt}"), "--json"]).expect(0).json();
    assert_eq!(said["model"], format!("0x{digest}"));
    let (model, salt) = (format!("model=0x{digest}"), format!("salt=0x{salt}"));
    let named = ["--field", "f61", "--relation", relation];
    let public = ["--public", &model, "--public", "class=0"];
    let private = ["--private", "x=118,14,3,-47,128,95,-32,81,-113", "--private", &salt, "--private"];
    let with = |weights: &str| [&private[..], &[&format!("weights={weights}")]].concat().join(" ");
    let claim = |verb: &str, weights: &str| -> Vec<String> {
        let start = [&[verb, "--json"], &named[..], &public[..]].concat().join(" ");
        let all = if verb == "verify" { start } else { format!("{start} {}", with(weights)) };
        all.split(' ').map(String::from).collect()
    };
    let run = |verb: &str, weights: &str| {
        let claim = claim(verb, weights);
        volery(&claim.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let digest_of_statement = run("check", weights).expect(0).json()["statement"].clone();
    // Another weight, of which the model says the same; and one of too many bits.
    let changed =
        |change: i32| written(&[&values[..values.len() - 1], &[values[values.len() - 1] + change]].concat());
    let other = changed(1);
    run("check", &other).refused(2, &["does not satisfy", "model["]);
    let short = network.weights().iter().find(|weight| weight.bits < 32).expect("a factor");
    let mut longer = values.to_vec();
    longer[short.at] = 1 << (short.bits - 1);
    let why = [&format!("number {}", short.at)[..], &format!("{} bits", short.bits)];
    run("check", &written(&longer)).refused(2, &why);
    // The salt counts, and so does what the digest says that it is of.
    let salted = claim("check", weights).join(" ").replace("salt=0x42", "salt=0x43");
    volery(&salted.split(' ').collect::<Vec<_>>()).refused(2, &["does not satisfy", "model["]);
    let info = volery(&[&["circuit", "info", relation, "--json"], &named[..2]].concat()).expect(0).json();
    assert_eq!(info["field"], "f2 f61");
    let port = |name: &str, kind: &str, size: u64, public: bool| json!({"name": name, kind: size, "public": public, "optional": false});
    assert_eq!(info["ports"]["outputs"][2], port("model", "bits", 256, true));
    assert_eq!(info["ports"]["inputs"][1], port("weights", "elements", values.len() as u64, false));
    let (prove, verify) = (claim("prove", weights), claim("verify", weights));
    let [prove, verify] = [&prove, &verify].map(|typed| typed.iter().map(String::as_str).collect::<Vec<_>>());
    let bits = network.weights().iter().map(|weight| weight.count as u32 * weight.bits).sum::<u32>();
    for ended in session(&verify, &prove) {
        let object = ended.expect(0).json();
        assert_eq!((&object["verdict"], &object["field"]), (&"accepted".into(), &"f2 f61".into()));
        assert_eq!(object["statement"], digest_of_statement);
        assert_eq!(object["conversions"], json!({"to_numbers": values.len(), "to_bits": 0, "bits": bits}));
        let bytes = |of: &Value, kind: &str| of[kind].as_u64().expect("a number");
        let (found, foretold) = (&object["bytes"], &info["estimates"][0]["bytes"]);
        let found = bytes(found, "sent") + bytes(found, "received");
        let foretold = bytes(foretold, "sent") + bytes(foretold, "received");
        assert!(found.abs_diff(foretold) < foretold / 5, "{found} of {foretold} bytes");
    }
    // A prover that is not careful is found out.
    let (mut prove, verify) = (claim("prove", &other), claim("verify", weights));
    prove.push("--no-check".into());
    let [prove, verify] = [&prove, &verify].map(|typed| typed.iter().map(String::as_str).collect::<Vec<_>>());
    let [verified, proved] = session(&verify, &prove);
    proved.refused(2, &["model["]);
    assert_ne!(verified.code, Some(0));
    run("prove", weights).refused(2, &["--listen or --connect"]);
}

/// A network with a linear commitment to its weights, which both sides ask for as an experimental one.
#[test]
fn linear_commitments_are_proved_between_processes() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../onnx/tests/fixtures/dense.q.onnx");
    let files = tempfile::tempdir().expect("a folder");
    let name = |name: &str| files.path().join(name).to_str().expect("UTF-8").to_string();
    let (salt, model, experimental) = (name("salt.npy"), name("model.npy"), "--experimental");
    let commit = ["model", "commit", path, "--hash", "linear", "--salt", &salt, "--out", &model, "--json"];
    volery(&commit).refused(2, &["linear is experimental", experimental]);
    let said = volery(&[&commit[..], &[experimental]].concat()).expect(0).json();
    assert_eq!((&said["model"]["elements"], &said["salt"]["count"]), (&1536.into(), &9216.into()));
    volery(&[&commit[..], &[experimental]].concat()).refused(2, &["--salt", "--force"]);

    let file = std::fs::read(path).expect("a fixture");
    let network = Network::open(&file, &Default::default()).expect("a network");
    let mut weights = network.weight_values().expect("weights");
    let mut written = |change: i32| {
        weights[0] += change;
        weights.iter().map(i32::to_string).collect::<Vec<_>>().join(",")
    };
    let [right, wrong] = [0, 1].map(|change| format!("weights={}", written(change)));
    let (relation, model, salt) =
        (format!("{path}?model=linear"), format!("model=@{model}"), format!("salt=@{salt}"));
    let stated = ["--relation", &relation, "--public", &model, "--public", "class=0", "--no-check", "--json"];
    let private = ["--private", "x=118,14,3,-47,128,95,-32,81,-113", "--private", &salt, "--private"];
    let verify = [&["verify"], &stated[..6], &stated[7..], &[experimental]].concat();
    let prove = |weights| [&["prove"], &stated[..], &private, &[weights, experimental]].concat();
    volery(&[&verify[..verify.len() - 1], &["--listen", "127.0.0.1:0"]].concat())
        .refused(2, &["?model=linear is experimental", experimental]);
    let info = volery(&["circuit", "info", &relation, "--json"]).expect(0).json();
    for ended in session(&verify, &prove(&right)) {
        let object = ended.expect(0).json();
        assert_eq!((&object["verdict"], &object["field"]), (&"accepted".into(), &"f61".into()));
        let both = |of: &Value| ["sent", "received"].iter().filter_map(|way| of[way].as_u64()).sum::<u64>();
        let (found, foretold) = (both(&object["bytes"]), both(&info["estimates"][1]["bytes"]));
        assert!(found.abs_diff(foretold) < foretold / 20, "{found} of {foretold} bytes");
    }
    let [verified, proved] = session(&verify, &prove(&wrong));
    proved.refused(2, &["model["]);
    assert_ne!(verified.code, Some(0));
}

/// Settings that either side gives for the link, or for the correlations, count for both; the reason is
/// shown.
#[test]
fn auto_is_settled_by_both() {
    let network = ["--vole", "tiny"];
    let prove = preimage("prove", &["--private", "message=text:abc", "--bandwidth", "10", "--json"]);
    for (more, vole, reason) in
        [(&[][..], "softspoken8", "the statement is small"), (&network, "tiny", "as asked")]
    {
        for ended in session(&preimage("verify", &[&["--json"], more].concat()), &prove) {
            let object = ended.expect(0).json();
            assert_eq!((&object["vole"], &object["vole_reason"]), (&vole.into(), &reason.into()));
        }
    }
    let [verifier, _] = session(&preimage("verify", &[]), &prove);
    let table = verifier.expect(0).out;
    assert!(table.contains("correlations softspoken8, the statement is small"), "{table}");
}

#[test]
fn doctor_knows_the_machine() {
    let object = volery(&["doctor", "--json"]).expect(0).json();
    assert_keys(&object, &["/version", "/arch", "/archs", "/cores", "/cpu_features", "/kernel_nanoseconds"]);
    assert!(object["loopback_bytes_per_second"].as_f64() > Some(0.0));
    let archs = object["archs"].as_array().expect("an array");
    let next = &object["next_arch"];
    if next.is_null() {
        assert!(!cfg!(target_arch = "x86_64") || archs.contains(&"vaes512".into()), "{object}");
        assert!(!cfg!(target_arch = "aarch64") || archs.contains(&"neon".into()), "{object}");
    } else {
        assert!(!archs.contains(&next["arch"]) && next["missing"][0].is_string(), "{object}");
    }
    let table = volery(&["doctor"]).expect(0).out;
    assert_eq!(
        table.contains(
            "
missing "
        ),
        !next.is_null(),
        "{table}"
    );
    assert!(
        ["an AES block", "half-tree", "wan, encoded", "over f61"].iter().all(|name| table.contains(name)),
        "{table}"
    );
}
