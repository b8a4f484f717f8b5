//! SIEVE relations, proved and verified by two processes, with streams of values.

use crate::kit::{session, volery};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const F61: &str = "field 2305843009213693951";
const F2: &str = "field 2";

/// A stream of these values.
fn stream(kind: &str, field: &str, values: &[u64]) -> String {
    let values: String = values.iter().map(|value| format!("< {value} >;\n")).collect();
    format!("version 2.2.0;\n{kind};\n@type {field};\n@begin\n{values}@end\n")
}

struct Files(TempDir);

impl Files {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    /// The path of a file with this text.
    fn file(&self, name: &str, text: &str) -> String {
        let path = self.0.path().join(name);
        fs::write(&path, text).expect("written");
        path.to_str().expect("UTF-8").to_owned()
    }
}

/// The relation of ours, which takes two public values and six private ones.
fn ours() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/sieve/mux.rel");
    path.to_str().expect("UTF-8").to_owned()
}

#[test]
fn streams_are_proved_over_a_prime() {
    let files = Files::new();
    // Squares with what is added: 0² + 4, 2² + 5, 3² + 6; the first wire is zero, and so the first is chosen.
    let public = files.file("x.ins", &stream("public_input", F61, &[4, 15]));
    let private = files.file("x.wit", &stream("private_input", F61, &[0, 2, 3, 4, 5, 6]));
    let relation = ours();
    let verify = ["verify", "--relation", &relation, "--public-stream", &public, "--json"];
    let prove = |private: &str| {
        let typed =
            ["prove", "--relation", &relation, "--public-stream", &public, "--private-stream", private];
        [&typed[..], &["--json"]].concat().into_iter().map(String::from).collect::<Vec<_>>()
    };
    let typed = prove(&private);
    let typed: Vec<&str> = typed.iter().map(String::as_str).collect();
    let [verified, proved] = session(&verify, &typed).map(|ended| ended.expect(0).json());
    assert_eq!((&verified["verdict"], &verified["statement"]), (&"accepted".into(), &proved["statement"]));
    let wrong = files.file("wrong.wit", &stream("private_input", F61, &[0, 2, 3, 4, 5, 7]));
    let typed = prove(&wrong);
    let typed: Vec<&str> = typed.iter().map(String::as_str).collect();
    volery(&[&typed[..], &["--connect", "127.0.0.1:1"]].concat())
        .refused(2, &["the assertion of line 26 of", "mux.rel does not hold"]);
    let careless = [&typed[..], &["--no-check"]].concat();
    assert_eq!(session(&verify, &careless)[0].code, Some(1));
    // As values of ports, and as a shape.
    let check = ["check", "--relation", &relation, "--public", "public=4,15"];
    volery(&[&check[..], &["--private", "private=0,2,3,4,5,6"]].concat()).expect(0);
    let info = volery(&["circuit", "info", &relation]).expect(0).out;
    for words in ["mux.rel (sieve)", "f61", "public (2 elements, to be public), private (6 elements)"] {
        assert!(info.contains(words), "{words:?} is missing in {info}");
    }
}

/// Messages in the binary form are read, relation and streams.
#[test]
fn messages_are_read() {
    let vector = |name: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/sieve").join(name);
        path.to_str().expect("UTF-8").to_owned()
    };
    let [relation, public, private] =
        ["messages.sieve", "messages.ins.sieve", "messages.wit.sieve"].map(vector);
    let check = ["check", "--relation", &relation];
    let streams = ["--public-stream", &public, "--private-stream", &private];
    volery(&[&check[..], &streams].concat()).expect(0);
    let given = ["--public", "public=45,15", "--private-stream", &private];
    volery(&[&check[..], &given].concat()).refused(2, &["messages.sieve does not hold"]);
    let swapped = ["--public-stream", &private, "--private-stream", &public];
    volery(&[&check[..], &swapped].concat())
        .refused(2, &["this is private_input, and public_input is asked for"]);
}

#[test]
fn relations_over_bits_are_proved_and_converted() {
    let files = Files::new();
    let relation = files.file(
        "x.rel",
        "version 2.1.0;circuit;@type field 2;@type field 2;@begin\n$0 ... $1 <- @private(1);\n\
         $2 <- @mul(1: $0, $1);\n$3 <- @public(1);\n$2 <- @add(1: $2, $3);\n@assert_zero(1: $2);\n@end\n",
    );
    let empty = files.file("empty.ins", &stream("public_input", F2, &[]));
    let public = files.file("x.ins", &stream("public_input", F2, &[1]));
    let private = files.file("x.wit", &stream("private_input", F2, &[1, 1]));
    let none = files.file("empty.wit", &stream("private_input", F2, &[]));
    for system in ["quicksilver", "jko"] {
        let given = ["--relation", &relation, "--public-stream", &empty, "--public-stream", &public];
        let verify = [&["verify", "--system", system][..], &given].concat();
        let prove = [&["prove", "--system", system][..], &given].concat();
        let prove = [&prove[..], &["--private-stream", &none, "--private-stream", &private]].concat();
        session(&verify, &prove).into_iter().for_each(|ended| drop(ended.expect(0)));
    }
    let bristol = files.0.path().join("x.txt").to_str().expect("UTF-8").to_owned();
    volery(&["circuit", "convert", &relation, "--to", "bristol", "--out", &bristol]).expect(0);
    let eval = |bits: &str| {
        let inputs = ["--input", "in0=0b1", "--input", bits];
        volery(&[&["circuit", "eval", &bristol], &inputs[..]].concat()).expect(0).out
    };
    assert_eq!((eval("in1=0b11").trim(), eval("in1=0b01").trim()), ("out0=0x0", "out0=0x1"));
    let back = files.0.path().join("back.rel").to_str().expect("UTF-8").to_owned();
    volery(&["circuit", "convert", &bristol, "--to", "sieve", "--out", &back]).expect(0);
    let check = ["check", "--relation", &back, "--public", "public=0b0", "--private", "private=0b111"];
    volery(&check).expect(0);
    volery(&[&check[..6], &["private=0b101"]].concat()).refused(2, &["the assertion of line"]);
}

/// A program of picozk as it was written by it: its comparisons are over F_2, and it has a memory.
#[test]
fn what_picozk_writes_is_proved() {
    let files = Files::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/sieve/picozk");
    let path = |name: &str| folder.join(name).to_str().expect("UTF-8").to_owned();
    let [relation, numbers, bits] = ["largest.rel", "largest.type0.ins", "largest.type1.ins"].map(path);
    let given = ["--relation", &relation, "--public-stream", &numbers, "--public-stream", &bits, "--json"];
    let verify = [&["verify"][..], &given].concat();
    let [numbers, bits] = ["largest.type0.wit", "largest.type1.wit"].map(path);
    let private = ["--private-stream", &numbers, "--private-stream", &bits];
    let prove = [&["prove"][..], &given, &private].concat();
    let [verified, proved] = session(&verify, &prove).map(|ended| ended.expect(0).json());
    assert_eq!((&verified["verdict"], &verified["statement"]), (&"accepted".into(), &proved["statement"]));
    // A larger number; and the largest one at another place.
    let stream = fs::read_to_string(&numbers).expect("the vector");
    for (is, was) in [("< 42 >", "< 3 >"), ("< 1 >", "< 2 >")] {
        let wrong = files.file("wrong.wit", &stream.replace(was, is));
        let private = ["--private-stream", &wrong, "--private-stream", &bits];
        let prove = [&["prove"][..], &given, &private].concat();
        volery(&[&prove[..], &["--connect", "127.0.0.1:1"]].concat())
            .refused(2, &["the assertion of line", "largest.rel does not hold"]);
        let careless = [&prove[..], &["--no-check"]].concat();
        assert_eq!(session(&verify, &careless)[0].code, Some(1));
    }
}

/// Proof files of the same program, and of a comparison with a public number.
#[test]
fn what_is_over_two_fields_is_proved_in_files() {
    let files = Files::new();
    let vector = |name: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/sieve").join(name);
        path.to_str().expect("UTF-8").to_owned()
    };
    let proof = files.0.path().join("proof").to_str().expect("UTF-8").to_owned();
    let [largest, numbers, bits] = ["largest.rel", "largest.type0.ins", "largest.type1.ins"]
        .map(|name| vector(&format!("picozk/{name}")));
    let [private, no_bits] =
        ["largest.type0.wit", "largest.type1.wit"].map(|name| vector(&format!("picozk/{name}")));
    let public = ["--relation", &largest, "--public-stream", &numbers, "--public-stream", &bits, "--json"];
    let private = ["--private-stream", &private, "--private-stream", &no_bits];
    let stated = volery(&[&["check"], &public[..], &private].concat()).expect(0).json()["statement"].clone();
    let info = volery(&["circuit", "info", &largest, "--json"]).expect(0).json();
    for (prefer, field) in [("balanced", "f61"), ("speed", "f61x2")] {
        let by = ["--prefer", prefer, "--field", field, "--out", &proof, "--force"];
        let proved = volery(&[&["prove"], &public[..], &private, &by].concat()).expect(0).json();
        let checked = [&["verify", "--field", field, "--proof", &proof], &public[..]].concat();
        let verified = volery(&checked).expect(0).json();
        assert_eq!((&verified["verdict"], &verified["system"]), (&"accepted".into(), &"limbo".into()));
        for report in [&proved, &verified] {
            assert_eq!((&report["field"], &report["statement"]), (&format!("f2 {field}").into(), &stated));
        }
        // The forecast is of the shorter field.
        let length = fs::metadata(&proof).expect("a proof").len();
        let foretold = info["limbo"]["file_bytes"][prefer].as_u64().expect("a number");
        assert!(field != "f61" || length.abs_diff(foretold) < foretold / 50, "{length} of {foretold} bytes");
        let whole = fs::read(&proof).expect("a proof");
        for place in [whole.len() / 3, whole.len() - 1] {
            let mut changed = whole.clone();
            changed[place] ^= 1;
            fs::write(&proof, changed).expect("written");
            volery(&checked).refused(1, &["rejected"]);
        }
    }
    assert!(info["limbo"]["link_bytes"].is_null());
    let row = volery(&["circuit", "info", &largest]).expect(0).out;
    assert!(row.contains(" in a file, by --prefer speed, balanced, size; all inputs private"), "{row}");

    // With the number below 1000 it is not said of others.
    let less = vector("less.rel");
    let none = files.file("none.ins", &stream("public_input", F2, &[]));
    let [public, other] =
        [1000, 1001].map(|most| files.file(&format!("{most}.ins"), &stream("public_input", F61, &[most])));
    let given = |public: &str| {
        ["--relation", &less, "--public-stream", public, "--public-stream", &none].map(String::from)
    };
    let run = |verb: &str, public: &str, more: &[&str]| {
        let given = given(public);
        volery(&[&[verb], &given.iter().map(String::as_str).collect::<Vec<_>>()[..], more].concat())
    };
    let fresh = files.0.path().join("fresh").to_str().expect("UTF-8").to_owned();
    for (number, is_less) in [(999, true), (1000, false)] {
        let private = files.file("x.wit", &stream("private_input", F61, &[number]));
        let proved = run(
            "prove",
            &public,
            &["--private-stream", &private, "--out", &fresh, "--force", "--label", "a word"],
        );
        if is_less {
            proved.expect(0);
            assert_eq!(
                run("verify", &public, &["--proof", &fresh, "--json"]).expect(0).json()["prover_words"],
                "a word"
            );
            run("verify", &other, &["--proof", &fresh])
                .refused(3, &["statement", "over two the one here is", "a word"]);
            fs::remove_file(&fresh).expect("there");
        } else {
            proved.refused(2, &["the assertion of line 16 of", "less.rel does not hold"]);
            assert!(!Path::new(&fresh).exists());
        }
    }
    let private = files.file("x.wit", &stream("private_input", F61, &[999]));
    // Nobody waits for what no system proves over a link.
    let limbo = ["--system", "limbo", "--connect", "127.0.0.1:1"];
    let told = ["is proved over a link by quicksilver, and not by limbo"];
    run("prove", &public, &[&limbo[..], &["--private-stream", &private]].concat()).refused(2, &told);
    run("verify", &public, &limbo).refused(2, &told);
    let wolverine = ["--system", "wolverine", "--private-stream", &private, "--out", &fresh];
    run("prove", &public, &wolverine).refused(2, &["wolverine makes no files"]);
    // Over Goldilocks nothing makes files.
    let goldilocks = "field 18446744069414584321";
    let relation = files.file(
        "x.rel",
        &format!(
            "version 2.1.0;circuit;@type {goldilocks};@type field 2;@begin\n$0 <- @private(0);\n@assert_zero(0: $0);\n\
             $0 <- @private(1);\n@assert_zero(1: $0);\n@end\n"
        ),
    );
    for to in [["prove", "--out"], ["verify", "--proof"]] {
        volery(&[&to[..], &[&proof, "--relation", &relation]].concat())
            .refused(2, &["limbo is over f2, f61, f61x2, f65537, and not over goldilocks"]);
    }
    assert!(volery(&["circuit", "info", &relation, "--json"]).expect(0).json()["limbo"].is_null());
}

#[test]
fn relations_over_two_fields_are_proved() {
    let files = Files::new();
    let relation = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/sieve/less.rel");
    let relation = relation.to_str().expect("UTF-8");
    let public = files.file("x.ins", &stream("public_input", F61, &[1000]));
    let none = files.file("none.ins", &stream("public_input", F2, &[]));
    let given = ["--relation", relation, "--public-stream", &public, "--public-stream", &none, "--json"];
    let verify = [&["verify"][..], &given].concat();
    for (number, less) in [(999, true), (1000, false), (1001, false)] {
        let private = files.file("x.wit", &stream("private_input", F61, &[number]));
        let prove = [&["prove"][..], &given, &["--private-stream", &private]].concat();
        if less {
            let [verified, proved] = session(&verify, &prove).map(|ended| ended.expect(0).json());
            assert_eq!(
                (&verified["verdict"], &verified["statement"]),
                (&"accepted".into(), &proved["statement"])
            );
        } else {
            volery(&[&prove[..], &["--connect", "127.0.0.1:1"]].concat())
                .refused(2, &["the assertion of line 16 of", "less.rel does not hold"]);
            let careless = [&prove[..], &["--no-check"]].concat();
            assert_eq!(session(&verify, &careless)[0].code, Some(1));
        }
    }
    let info = volery(&["circuit", "info", relation]).expect(0).out;
    for words in ["less.rel (sieve)", "f2 f61", "public0 (1 element, to be public), private0 (1 element)"] {
        assert!(info.contains(words), "{words:?} is missing in {info}");
    }
    volery(&["circuit", "info", &format!("{relation}?speed")])
        .refused(2, &["the one option of a SIEVE file"]);
    volery(&["circuit", "convert", relation, "--to", "aag"]).refused(2, &["is over F_2 and the field of"]);
}

/// x² modulo 2^61 - 1, and y² modulo 2^31 - 1, which is a word: the sum of both as numbers, and that as a word.
#[test]
fn relations_over_two_primes_are_proved() {
    let files = Files::new();
    let relation = files.file(
        "two.rel",
        "version 2.1.0;circuit;@type field 2305843009213693951;@type field 2147483647;\n\
         @convert(@out: 0:1, @in: 1:1);@convert(@out: 1:1, @in: 0:1);\n@begin\n$0 <- @private(0);\n\
         $1 <- @mul(0: $0, $0);\n$0 <- @private(1);\n$1 <- @mul(1: $0, $0);\n0: $2 <- @convert(1: $1);\n\
         $3 <- @add(0: $1, $2);\n$4 <- @public(0);\n$4 <- @mulc(0: $4, <2305843009213693950>);\n\
         $4 <- @add(0: $3, $4);\n@assert_zero(0: $4);\n1: $2 <- @convert(0: $3, @modulus);\n\
         $3 <- @public(1);\n$3 <- @mulc(1: $3, <2147483646>);\n$3 <- @add(1: $2, $3);\n\
         @assert_zero(1: $3);\n@end\n",
    );
    let (p, q) = ((1_u128 << 61) - 1, (1_u128 << 31) - 1);
    let (x, y) = (123_456_789_123_456_u128, 2_000_000_000);
    let sum = (x * x + y * y % q) % p;
    let given = |public: u128| {
        let sums = [format!("public0={sum}"), format!("public1={public}")];
        let options = ["--relation", &relation, "--public", &sums[0], "--public", &sums[1], "--json"];
        options.map(String::from).to_vec()
    };
    let typed = |verb: &str, public: u128, more: &[&str]| {
        let more = more.iter().map(ToString::to_string);
        [verb.to_owned()].into_iter().chain(given(public)).chain(more).collect::<Vec<_>>()
    };
    let run = |typed: &[String]| volery(&typed.iter().map(String::as_str).collect::<Vec<_>>());
    let proved_by = |verify: &[String], prove: &[String]| {
        let [verify, prove] =
            [verify, prove].map(|typed| typed.iter().map(String::as_str).collect::<Vec<_>>());
        session(&verify, &prove)
    };
    let private = ["--private", &format!("private0={x}"), "--private", &format!("private1={y}")];
    let verify = typed("verify", sum % q, &[]);
    let [verified, proved] =
        proved_by(&verify, &typed("prove", sum % q, &private)).map(|ended| ended.expect(0).json());
    assert_eq!((&verified["verdict"], &verified["statement"]), (&"accepted".into(), &proved["statement"]));
    assert_eq!(verified["field"], "f2 f61");
    // As a file, too, which is of these public values.
    let proof = files.0.path().join("proof").to_str().expect("UTF-8").to_owned();
    run(&typed("prove", sum % q, &[&private[..], &["--out", &proof]].concat())).expect(0);
    let read = |public: u128| run(&typed("verify", public, &["--proof", &proof]));
    assert_eq!(read(sum % q).expect(0).json()["statement"], proved["statement"]);
    read((sum + 1) % q).refused(3, &["the two sides disagree on the statement"]);
    // The word is another one: refused by its line, and by a verifier.
    let wrong = typed("prove", (sum + 1) % q, &private);
    let nowhere = ["--connect", "127.0.0.1:1"].map(String::from);
    run(&[&wrong[..], &nowhere].concat())
        .refused(2, &["the assertion of line 18 of", "two.rel does not hold"]);
    let careless = [&wrong[..], &["--no-check".into()]].concat();
    assert_eq!(proved_by(&typed("verify", (sum + 1) % q, &[]), &careless)[0].code, Some(1));
    // Values are those of the prime, from streams as from options.
    let long = ["--private", "private0=1", "--private", "private1=2147483647"];
    run(&typed("check", 0, &long)).refused(2, &["private1: the number is not below 2147483647"]);
    let streams = [(F61, "x.wit", x), ("field 2147483647", "y.wit", y)]
        .map(|(field, name, value)| files.file(name, &stream("private_input", field, &[value as u64])));
    let streams = ["--private-stream", &streams[0], "--private-stream", &streams[1]];
    run(&typed("check", sum % q, &streams)).expect(0);
    let info = volery(&["circuit", "info", &relation]).expect(0).out;
    let ports = "public1 (1 element, to be public), private0 (1 element), private1 (1 element)";
    for words in ["two.rel (sieve)", "f2 f61", ports, "1,981 multiplications"] {
        assert!(info.contains(words), "{words:?} is missing in {info}");
    }
}

/// One of two small primes has numbers; and where neither goes with bits, no wire is one.
#[test]
fn relations_over_small_primes_are_proved() {
    let files = Files::new();
    // 10 · 12 is 120, and 19 modulo 101; 5 · 7 is 9 modulo 13.
    for (p, q, right, wrong, public) in [
        (127, 101, "private0=10,12", "private0=10,13", "public1=19"),
        (13, 11, "private0=5,7", "private0=5,8", "public1=9"),
    ] {
        let text = format!(
            "version 2.1.0;circuit;@type field {p};@type field {q};@convert(@out: 1:1, @in: 0:1);@begin\n\
             $0 ... $1 <- @private(0);\n$2 <- @mul(0: $0, $1);\n1: $0 <- @convert(0: $2, @modulus);\n\
             $1 <- @public(1);\n$1 <- @mulc(1: $1, <{}>);\n$1 <- @add(1: $0, $1);\n@assert_zero(1: $1);\n@end\n",
            q - 1
        );
        let relation = files.file("small.rel", &text);
        let given = ["--relation", &relation, "--public", public, "--json"];
        let verify = [&["verify"][..], &given].concat();
        let prove = [&["prove", "--private", right][..], &given].concat();
        let [verified, proved] = session(&verify, &prove).map(|ended| ended.expect(0).json());
        assert_eq!(
            (&verified["verdict"], &verified["statement"]),
            (&"accepted".into(), &proved["statement"])
        );
        let wrong = [&["prove", "--no-check", "--private", wrong][..], &given].concat();
        // The prover left, held by a coin or not.
        assert!(matches!(session(&verify, &wrong)[0].code, Some(1 | 3)));
    }
}

/// 0x53 times 0xca is one in the field of AES.
#[test]
fn relations_over_bytes_are_proved() {
    let files = Files::new();
    let relation = files.file(
        "x.rel",
        "version 2.1.0;circuit;@type field 2;@type ext_field 0 8 283;@begin\n$0 <- @private(1);\n\
         $1 <- @public(1);\n$2 <- @mul(1: $0, $1);\n$3 <- @addc(1: $2, <1>);\n@assert_zero(1: $3);\n@end\n",
    );
    let of_bytes = |kind: &str, values: &[u64]| stream(kind, "ext_field 0 8 283", values);
    let public = files.file("x.ins", &of_bytes("public_input", &[0xca]));
    let private = files.file("x.wit", &of_bytes("private_input", &[0x53]));
    let given = ["--relation", &relation, "--public-stream", &public];
    let verify = [&["verify", "--json"], &given[..]].concat();
    let prove = [&["prove", "--json", "--private-stream", &private], &given[..]].concat();
    let [verified, proved] = session(&verify, &prove).map(|ended| ended.expect(0).json());
    assert_eq!((&verified["field"], &verified["statement"]), (&"f256".into(), &proved["statement"]));
    let proof = files.0.path().join("x.proof").to_str().expect("UTF-8").to_owned();
    // Nothing makes files over that field.
    let prove = ["prove", "--out", &proof, "--private-stream", &private];
    volery(&[&prove[..], &given].concat())
        .refused(2, &["limbo is over f2, f61, f61x2, f65537, and not over f256"]);
    let check = [&["check"], &given[..]].concat();
    volery(&[&check[..], &["--private", "private=0x53"]].concat()).expect(0);
    volery(&[&check[..], &["--private", "private=0x52"]].concat())
        .refused(2, &["the assertion of line 6 of", "x.rel does not hold"]);
    let larger = files.file("large.wit", &of_bytes("private_input", &[256]));
    volery(&[&check[..], &["--private-stream", &larger]].concat())
        .refused(2, &["the value is not below 256, the number of elements"]);
    let bits = files.file("bits.wit", &stream("private_input", F2, &[1]));
    volery(&[&check[..], &["--private-stream", &bits]].concat())
        .refused(2, &["bits.wit: it has 1 values, and the relation reads 0 of type 0"]);
    let info = volery(&["circuit", "info", &relation]).expect(0).out;
    for words in ["x.rel (sieve)", "f256", "public (1 element, to be public), private (1 element)"] {
        assert!(info.contains(words), "{words:?} is missing in {info}");
    }
    volery(&[&check[..], &["--private", "private=0x53", "--field", "f61"]].concat())
        .refused(2, &["x.rel is over the field of 256 elements, and not over f61"]);
}

#[test]
fn streams_that_do_not_fit_are_told() {
    let files = Files::new();
    let relation = ours();
    let public = files.file("x.ins", &stream("public_input", F61, &[4, 15]));
    let check = |more: &[&str]| {
        volery(&[&["check", "--relation", &relation, "--public-stream", &public], more].concat())
    };
    let short = files.file("short.wit", &stream("private_input", F61, &[1]));
    check(&["--private-stream", &short])
        .refused(2, &["short.wit: it has 1 values, and the relation reads 6"]);
    let bits = files.file("bits.wit", &stream("private_input", F2, &[1]));
    check(&["--private-stream", &bits]).refused(2, &["bits.wit: it is of field 2, and the relation takes"]);
    check(&["--private-stream", &public])
        .refused(2, &["this is public_input, and private_input is asked for"]);
    check(&["--public-stream", &public]).refused(2, &["takes values of fields no more here"]);
    check(&[]).refused(2, &["private has no value"]);
    volery(&["check", "--relation", "builtin:sha256-preimage?length=1", "--public-stream", &public])
        .refused(2, &["x.ins: the relation takes no streams of values"]);
    let verify = ["verify", "--relation", &relation, "--private-stream", &short, "--listen", "127.0.0.1:0"];
    volery(&verify).refused(2, &["--private-stream"]);
    let packed = files.file("x.gz", "\u{1f}");
    fs::write(&packed, [0x1f, 0x8b, 8, 0]).expect("written");
    volery(&["circuit", "info", &packed]).refused(2, &["it is compressed by gzip: unpack it"]);
    volery(&["circuit", "info", &public]).refused(2, &["this is a stream of values, public_input"]);
    let strict = format!("{relation}?strict");
    volery(&["circuit", "info", &strict]).expect(0);
    volery(&["circuit", "info", &format!("{relation}?speed")])
        .refused(2, &["the one option of a SIEVE file"]);
}
