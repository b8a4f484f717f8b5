mod files;
mod instances;
mod netlists;
mod recognition;
mod streamed;
mod versions;

use super::*;
use sha2::Digest;
use volery_circuit::stream::Streamed;
use volery_circuit::{Circuit, Clear};
use volery_formats::Bristol;

/// in0 and in1, of 5 and 3 bits: out0 is in0 turned by a bit, out1 the and of the lowest bits.
const SMALL: &[u8] = b"6 14\n2 5 3\n2 5 1\n\
    1 1 4 8 EQW\n1 1 0 9 EQW\n1 1 1 10 EQW\n1 1 2 11 EQW\n1 1 3 12 EQW\n2 1 0 5 13 AND\n";

fn small() -> Relation {
    Relation::bristol(Bristol::from_bytes("small", SMALL).unwrap())
}

/// Names with the texts of their values.
type Given<'a> = &'a [(&'a str, &'a str)];

fn values(given: Given) -> Values {
    let mut values = Values::new();
    for &(name, text) in given {
        let value = if text.starts_with("0b") {
            Value::from_bits_text(text)
        } else if text.starts_with("0x") {
            Value::from_number_hex(text)
        } else {
            Ok(Value::from_bytes(text.as_bytes()))
        };
        values.insert(name, value.unwrap()).unwrap();
    }
    values
}

fn evaluate(statement: &Statement, witness: &Witness) -> Result<()> {
    let mut clear = Clear::new(witness.bits());
    Streamed(statement).run(&mut clear)?;
    clear.finish()
}

/// Checks a statement from the values' texts.
fn check(relation: Relation, public: Given, private: Given) -> Result<()> {
    let statement = Statement::new(relation, values(public))?;
    evaluate(&statement, &statement.witness(values(private))?)
}

fn refused(relation: Relation, public: Given, private: Given) -> String {
    check(relation, public, private).unwrap_err().to_string()
}

#[test]
fn values_agree_in_all_notations() {
    let bits = |value: Value| (0..value.width()).map(|i| value.bit(i)).collect::<Vec<_>>();
    let text = bits(Value::from_bytes(b"abc"));
    assert!(text == bits(Value::from_number_hex("0x616263").unwrap()));
    assert!(text == bits(Value::from_number_hex("616263").unwrap()));
    assert!(text == bits(Value::from_bits_text("0b110001100100011010000110").unwrap()));
    assert!(
        bits(Value::from_number_hex("0xAf9").unwrap())
            == bits(Value::from_bits_text("100111110101").unwrap())
    );
    for (text, why) in [("0x1g", "character 4"), ("0x ", "character 3"), ("+1", "character 1"), ("0x`@", "4")]
    {
        let refused = Value::from_number_hex(text).err().unwrap().to_string();
        assert!(refused.contains(why), "{refused}");
    }
    let refused = Value::from_bits_text("0b012").err().unwrap().to_string();
    assert!(refused.contains("character 5 is neither"), "{refused}");
}

#[test]
fn what_is_written_is_read_again() {
    for text in ["text:", "text:abc", "0x0f", "0b10110", "0b1"] {
        let read = |text: &str| <Value as PortValue>::from_text(text.as_bytes()).unwrap();
        let again = read(&read(text).to_text());
        assert_eq!(again.encoding(), read(text).encoding(), "{text}");
    }
}

#[test]
fn circuit_statements_hold_or_name_the_bit() {
    let private = [("in0", "0b10011"), ("in1", "0b100")];
    check(small(), &[("out0", "0b11001"), ("out1", "0x1")], &private).unwrap();
    check(small(), &[("out0", "0x13"), ("in1", "0b100")], &private[..1]).unwrap();
    check(small(), &[("out1", "0b1"), ("in0", "0x19"), ("in1", "0x1")], &[]).unwrap();
    let why = refused(small(), &[("out0", "0x1b")], &private);
    assert!(why.contains(": out0[3] (wire 11) does not hold"), "{why}");
}

#[test]
fn values_must_fit() {
    #[rustfmt::skip]
    let cases: &[(Given, Given, &[&str])] = &[
        (&[], &[], &["asserts nothing", "out0 (5 bits)"]),
        (&[("in0", "0x00")], &[], &["asserts nothing"]),
        (&[("out2", "0x0")], &[], &["no input or output out2", "in0 (5 bits)", "out1 (1 bit)"]),
        (&[("out0", "0x20")], &[], &["out0 is 5 bits wide, and the number given for it needs more"]),
        (&[("out0", "0x101")], &[], &["out0 is 5 bits", "needs more"]),
        (&[("out0", "0b0001")], &[], &["out0 is 5 bits", "has 4 bits"]),
        (&[("out0", "0b00000000")], &[], &["out0 is 5 bits", "has 8 bits"]),
        (&[("out0", "0x00")], &[("in0", "0x00")], &["in1 has no value"]),
        (&[("out0", "0x00")], &[("in0", "0x00"), ("in1", "0x8")], &["in1 is 3 bits", "needs more"]),
        (&[("out0", "0x00")], &[("in0", "0x00"), ("in1", "0x0"), ("in2", "0x0")], &["no input in2", "private are"]),
        (&[("out0", "0x00"), ("in0", "0x00")], &[("in0", "0x00"), ("in1", "0x0")], &["in0", "public and as private"]),
        (&[("out0", "0x00")], &[("in0", "0x00"), ("in1", "0x0"), ("out1", "0x0")], &["out1 is an output"]),
    ];
    for (public, private, words) in cases {
        let why = refused(small(), public, private);
        for word in *words {
            assert!(why.contains(word), "{word:?} is missing in {why:?}");
        }
    }
    let mut twice = values(&[("in0", "0x00")]);
    let why = twice.insert("in0", Value::from_bytes(b"")).unwrap_err().to_string();
    assert!(why.contains("in0 is given twice"), "{why}");
}

/// A number is the same in decimal and in hexadecimal digits, whatever their count.
#[test]
fn numbers_take_the_width_of_their_port() {
    let fitted = |text: &str, width: u64| {
        let value = <Value as PortValue>::from_text(text.as_bytes()).unwrap();
        value.fit(&Port::new("x", width)).map(|value| value.to_number_hex())
    };
    for (text, width, number) in [
        ("5", 3, "0x5"),
        ("0x5", 40, "0x0000000005"),
        ("0x0005", 3, "0x5"),
        ("0", 1, "0x0"),
        ("007", 12, "0x007"),
        ("255", 8, "0xff"),
        ("65535", 17, "0x0ffff"),
        ("340282366920938463463374607431768211455", 128, "0xffffffffffffffffffffffffffffffff"),
        ("340282366920938463463374607431768211456", 129, "0x100000000000000000000000000000000"),
    ] {
        assert_eq!(fitted(text, width).unwrap(), number, "{text}");
    }
    for (text, width) in
        [("8", 3), ("256", 8), ("0x1ff", 8), ("340282366920938463463374607431768211456", 128)]
    {
        let why = fitted(text, width).unwrap_err().to_string();
        assert!(why.contains(&format!("x is {width} bits wide")) && why.contains("needs more"), "{why}");
    }
    let short = fitted("0x5", 65).unwrap_err().to_string();
    assert!(
        short.contains("x is 65 bits wide, and the value given for it has 4 bits: nothing is padded"),
        "{short}"
    );
    assert_eq!(fitted("0x1000000000000000f", 65).unwrap(), "0x1000000000000000f");
    assert!(fitted("0x1000000000000000f", 64).unwrap_err().to_string().contains("needs more"));
    let read = |text: &str| <Value as PortValue>::from_text(text.as_bytes()).err().unwrap().to_string();
    assert!(read("12f").contains("character 3 is not a decimal digit"));
    assert!(read(&"1".repeat(5000)).contains("more than 4096 decimal digits"));
}

#[test]
fn some_outputs_have_to_be_public() {
    let relation = || Relation::open("builtin:merkle-membership?depth=1", None).unwrap();
    let mut public = Values::new();
    for (root, bytes) in [("root_sha256", 32), ("root_sha1", 20), ("root_sha3", 32)] {
        public.insert(root, Value::from_bytes(&vec![0; bytes])).unwrap();
    }
    let refused = |public: &Values| Statement::new(relation(), public.clone()).err().unwrap().to_string();
    assert!(refused(&public).contains("challenge (128 bits) has to be public: give a public value"));
    public.insert("challenge", Value::from_bytes(&[0; 16])).unwrap();
    assert!(refused(&public).contains("response (128 bits) has to be public: give a public value"));
    public.insert("response", Value::from_bytes(&[0; 16])).unwrap();
    assert!(refused(&public).contains("member (1 bit) has to be public: give a public value"));
    public.insert("member", Value::from_bits_text("1").unwrap()).unwrap();
    Statement::new(relation(), public).unwrap();
}

#[test]
fn errors_keep_secrets() {
    let why = refused(small(), &[("out0", "0x00")], &[("in0", "0xde"), ("in1", "0x0")]);
    assert!(!why.contains("de ") && !why.contains("222"), "{why}");
}

#[test]
fn digests_tell_statements_apart() {
    let digest = |public: Given| Statement::new(small(), values(public)).unwrap().digest();
    let all = [
        digest(&[("out0", "0x00")]),
        digest(&[("out0", "0x01")]),
        digest(&[("out1", "0x0")]),
        digest(&[("out0", "0x00"), ("in1", "0x0")]),
        digest(&[("out0", "0x00"), ("out1", "0x0")]),
        Statement::new(
            Relation::bristol(Bristol::from_bytes("small", [SMALL, b"\n"].concat()).unwrap()),
            values(&[("out0", "0x00")]),
        )
        .unwrap()
        .digest(),
        preimage("length=1", b"a").digest(),
        preimage("length=2", b"a").digest(),
        preimage("length=1&holes=1", b"a").digest(),
        preimage("length=2&holes=1", b"a").digest(),
    ];
    for (i, digest) in all.iter().enumerate() {
        assert!(!all[..i].contains(digest), "{i}");
    }
    assert_eq!(digest(&[("out0", "0x13")]), digest(&[("out0", "0b11001")]));
}

fn preimage(parameters: &str, message: &[u8]) -> Statement {
    let relation = Relation::open(&format!("builtin:sha256-preimage?{parameters}"), None).unwrap();
    let mut public = Values::new();
    public.insert("digest", Value::from_bytes(&sha2::Sha256::digest(message))).unwrap();
    Statement::new(relation, public).unwrap()
}

#[test]
fn the_builtin_circuit_is_sha256() {
    for (length, holes) in [1, 55, 64, 150].into_iter().flat_map(|length| [(length, 0), (length, 1)]) {
        let message: Vec<u8> = (0..length).map(|i| (i * 7 + 1) as u8).collect();
        let statement = preimage(&format!("length={length}&holes={holes}"), &message);
        let witness_of = |message: &[u8]| {
            let mut private = Values::new();
            private.insert("message", Value::from_bytes(message)).unwrap();
            statement.witness(private).unwrap()
        };
        assert_eq!(witness_of(&message).len(), 8 * length as u64);
        evaluate(&statement, &witness_of(&message)).unwrap();
        let mut other = message.clone();
        other[length / 2] ^= 1;
        let why = evaluate(&statement, &witness_of(&other)).unwrap_err().to_string();
        assert!(why.contains(": digest["), "{why}");
    }
    let abc = ("digest", "0xba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    let relation = || Relation::open("builtin:sha256-preimage?length=3", None).unwrap();
    check(relation(), &[abc], &[("message", "abc")]).unwrap();
    check(relation(), &[abc], &[("message", "0x616263")]).unwrap();
    check(relation(), &[abc, ("message", "abc")], &[]).unwrap();
    let why = refused(relation(), &[abc, ("message", "abd")], &[]);
    assert!(why.contains(": digest["), "{why}");
}

#[test]
fn the_builtin_tree_reads_leaves_in_order() {
    let leaves: Vec<u8> = (0..128).map(|i| (i * 11 + 5) as u8).collect();
    let node = |block: &[u8]| {
        let mut state = [
            0x6a09_e667,
            0xbb67_ae85,
            0x3c6e_f372,
            0xa54f_f53a,
            0x510e_527f,
            0x9b05_688c,
            0x1f83_d9ab,
            0x5be0_cd19,
        ];
        sha2::block_api::compress256(&mut state, &[block.try_into().unwrap()]);
        state.map(u32::to_be_bytes).as_flattened().to_vec()
    };
    let root = node(&[node(&leaves[..64]), node(&leaves[64..])].concat());
    for holes in [0, 1] {
        let relation =
            || Relation::open(&format!("builtin:merkle-root?depth=1&holes={holes}"), None).unwrap();
        let mut public = Values::new();
        public.insert("root", Value::from_bytes(&root)).unwrap();
        let statement = Statement::new(relation(), public.clone()).unwrap();
        let witness_of = |leaves: &[u8]| {
            let mut private = Values::new();
            private.insert("leaves", Value::from_bytes(leaves)).unwrap();
            statement.witness(private)
        };
        evaluate(&statement, &witness_of(&leaves).unwrap()).unwrap();
        let swapped = [&leaves[64..], &leaves[..64]].concat();
        let why = evaluate(&statement, &witness_of(&swapped).unwrap()).unwrap_err().to_string();
        assert!(why.contains(": root["), "{why}");
        let why = witness_of(&leaves[1..]).err().unwrap().to_string();
        assert!(
            why.contains("leaves is 1024 bits wide (128 bytes), and")
                && why.contains("has 1016 bits (127 bytes)"),
            "{why}"
        );
        public.insert("leaves", Value::from_bytes(&leaves)).unwrap();
        let public = Statement::new(relation(), public).unwrap();
        evaluate(&public, &public.witness(Values::new()).unwrap()).unwrap();
    }
}

/// Each instance has its part of each value, the first one's first; what does not hold is named with its instance.
#[test]
fn instances_have_values_of_their_own() {
    for holes in [0, 1] {
        let relation = || {
            Relation::open(&format!("builtin:sha256-preimage?count=3&length=2&holes={holes}"), None).unwrap()
        };
        let digests = ["ab", "cd", "ef"].map(sha2::Sha256::digest).concat();
        let digest = Value::from_bytes(&digests);
        let digest = digest.to_number_hex();
        if holes == 0 {
            let evaluated = relation().evaluate(values(&[("message", "abcdef")])).unwrap();
            assert_eq!(evaluated[0].to_number_hex(), digest);
        }
        let digest = ("digest", &digest[..]);
        check(relation(), &[digest], &[("message", "abcdef")]).unwrap();
        check(relation(), &[digest, ("message", "abcdef")], &[]).unwrap();
        for (instance, message) in ["xbcdef", "abcxef", "abcdex"].into_iter().enumerate() {
            for why in [
                refused(relation(), &[digest], &[("message", message)]),
                refused(relation(), &[digest, ("message", message)], &[]),
            ] {
                assert!(why.contains("digest[") && why.contains(&format!("of instance {instance}")), "{why}");
            }
        }
    }
    // An input that is public, of which each instance takes its part.
    let aes = |spec: &str| Relation::open(&format!("builtin:aes128{spec}"), None).unwrap();
    let (key, plaintext) = ("0123456789abcdefFEDCBA9876543210", "instance number zeroand number one.");
    let plaintext = &plaintext[..32];
    let of_one = |at: usize| {
        let part = |text: &'static str| &text[16 * at..16 * at + 16];
        let inputs = aes("").inputs().iter().map(|port| port.name.clone()).collect::<Vec<_>>();
        assert_eq!(inputs.len(), 2);
        aes("").evaluate(values(&[("key", part(key)), ("plaintext", part(plaintext))])).unwrap()
    };
    let both = aes("?count=2").evaluate(values(&[("key", key), ("plaintext", plaintext)])).unwrap();
    let text = |value: &Value| value.to_number_hex();
    let (first, second) = (text(&of_one(0)[0]), text(&of_one(1)[0]));
    assert_eq!(text(&both[0]), format!("{first}{:0>32}", &second[2..]));
    let output = aes("").outputs()[0].name.clone();
    let ciphertext = text(&both[0]);
    check(aes("?count=2"), &[(&output, &ciphertext), ("plaintext", plaintext)], &[("key", key)]).unwrap();

    let one = |spec: &str| Relation::open(spec, None).unwrap().identity();
    assert_eq!(one("builtin:sha256-preimage?count=1"), one("builtin:sha256-preimage"));
    assert_ne!(one("builtin:sha256-preimage?count=2"), one("builtin:sha256-preimage?count=3"));
    for (spec, why) in [
        ("sha256-preimage?count=0", "choose from 1 to 16777216 instances"),
        ("sha256-preimage?count=many", "write a decimal number"),
        ("sha256-preimage?count=2&count=2", "given count twice"),
        ("sha256-preimage?count=16777216&length=64", "has more than 2^30 bits"),
        ("merkle-membership?count=2", "leave out count"),
        ("matmul?count=2", "leave out count"),
    ] {
        let refused = Relation::open(&format!("builtin:{spec}"), None).unwrap_err().to_string();
        assert!(refused.contains(why), "{refused}");
    }
}

#[test]
fn outputs_are_evaluated() {
    let outputs = |relation: &str, given| -> Result<Vec<String>> {
        let outputs = Relation::open(relation, None).unwrap().evaluate(values(given))?;
        Ok(outputs.iter().map(Value::to_number_hex).collect())
    };
    let digest = "0xba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    let preimage = "builtin:sha256-preimage?length=3";
    assert_eq!(outputs(preimage, &[("message", "abc")]).unwrap(), [digest]);
    let bug = outputs("builtin:bug-in-snippets?count=1", &[("input", "small_boERROR\0")]);
    assert_eq!(bug.unwrap(), ["0x1"]);
    let file = small().evaluate(values(&[("in0", "0b10011"), ("in1", "0b100")])).unwrap();
    assert_eq!(file.iter().map(Value::to_number_hex).collect::<Vec<_>>(), ["0x13", "0x1"]);
    let why = |relation, given| outputs(relation, given).unwrap_err().to_string();
    assert!(why(preimage, &[]).contains("message has no value"));
    let all = [("message", "abc"), ("digest", digest)];
    assert!(why(preimage, &all).contains("no input digest"));
    assert!(why("builtin:inner-product", &[]).contains("has no value"));
}

#[test]
fn a_bug_is_claimed_or_what_held_is_listed() {
    let snippets = || Relation::open("builtin:bug-in-snippets?count=2", None).unwrap();
    check(snippets(), &[("bug", "0b1")], &[("input", "small_boERROR\0")]).unwrap();
    let harmless = &[("input", "small_box\0\0\0\0\0")];
    let held = refused(snippets(), &[("bug", "0b1")], harmless);
    assert!(held.contains("bug = 1 (no assertion failed; these held: "), "{held}");
    assert!(held.contains("box: index within its bounds ("), "{held}");
    // That nothing breaks can be stated too.
    check(snippets(), &[("bug", "0b0")], harmless).unwrap();
    let refusal = refused(snippets(), &[("bug", "0b0")], &[("input", "small_boERROR\0")]);
    assert!(refusal.contains(" bug[0] ") && !refusal.contains("ERROR"), "{refusal}");
}

#[test]
fn builtins_describe_themselves() {
    for (spec, _) in Relation::builtins() {
        let spelt = Relation::open(&format!("builtin:{spec}"), None).unwrap();
        let name = spec.split('?').next().unwrap();
        let left_out = Relation::open(&format!("builtin:{name}"), None).unwrap();
        assert_eq!(spelt.identity(), left_out.identity(), "the list shows the defaults");
        assert_eq!(spelt.format_name(), "builtin");
    }
    let relation = Relation::open("builtin:sha256-preimage", None).unwrap();
    assert_eq!(relation.inputs(), [Port::new("message", 440)]);
    assert_eq!(relation.outputs(), [Port::new("digest", 256)]);
    let shape = relation.shape().unwrap();
    assert_eq!((shape.mul, shape.inputs, shape.assert), (21_653, 440, 0));
    let shape = Shape::of(&preimage("length=55", b"")).unwrap();
    assert_eq!((shape.mul, shape.inputs, shape.assert), (21_653, 440, 256));
    let shape = Shape::of(&preimage("holes=1", b"")).unwrap();
    assert_eq!((shape.mul, shape.inputs, shape.degree), (0, 440 + 5888, 10));
    let identity = |spec| Relation::open(spec, None).unwrap().identity();
    assert_eq!(
        identity("builtin:sha256-preimage?holes=1"),
        identity("builtin:sha256-preimage?holes=1&length=55")
    );
}

#[test]
fn bad_relations_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("relation");
    std::fs::write(&path, "revision 2.0.0;").unwrap();
    #[rustfmt::skip]
    let cases = [
        ("builtin:sha255", "no builtin:sha255; there is builtin:sha256-preimage?length=55"),
        ("builtin:", "there is builtin:sha256-preimage"),
        ("builtin:sha256-preimage?size=3", "no key \"size\"; it has length=55, holes=0"),
        ("builtin:sha256-preimage?length=", "decimal number"),
        ("builtin:sha256-preimage?length", "decimal number"),
        ("builtin:sha256-preimage?length=+3", "decimal number"),
        ("builtin:sha256-preimage?length=99999999999999999999", "decimal number"),
        ("builtin:sha256-preimage?length=0", "choose from 1 to 134217728"),
        ("builtin:sha256-preimage?length=134217729", "choose from 1"),
        ("builtin:sha256-preimage?length=3&length=3", "length twice"),
        ("builtin:sha256-preimage?holes=2", "with holes=2: choose 0"),
        ("builtin:merkle-root?depth=0", "with depth=0: choose from 1 to 20"),
        ("builtin:merkle-root?depth=21", "with depth=21: choose from 1 to 20"),
        ("builtin:merkle-root?holes=2", "with holes=2: choose 0"),
        ("builtin:bug-in-snippets?count=0", "with count=0: choose from 1 to 1048576"),
        ("no/such/file", "no/such/file cannot be read"),
        (path.to_str().unwrap(), "no format that is known"),
    ];
    for (spec, word) in cases {
        let why = Relation::open(spec, None).unwrap_err().to_string();
        assert!(why.contains(word), "{word:?} is missing in {why:?}");
    }
    let bristol = "bristol-fashion".parse().unwrap();
    assert!(Relation::open("builtin:sha256-preimage", Some(bristol)).is_err());
    let why = Relation::open(path.to_str().unwrap(), Some(bristol)).unwrap_err().to_string();
    assert!(why.contains("line 1: \"revision\""), "{why}");
    assert!("edif".parse::<Format>().is_err());
}

#[test]
fn parameters_at_their_limits() {
    for spec in [
        "bug-in-snippets?count=0",
        "bug-in-snippets?count=1048577",
        "bug-in-snippets?count=18446744073709551616",
        "bug-in-snippets?count=-1",
        "bug-in-snippets?count=",
        "bug-in-snippets?count",
        "bug-in-snippets?depth=1",
        "merkle-root?depth=0",
        "merkle-root?depth=21",
        "merkle-root?depth=64",
        "merkle-root?depth=4294967297",
        "merkle-root?depth=1&depth=1",
        "merkle-root?holes=2",
        "merkle-root?depth=\u{663}",
    ] {
        let refused = Relation::open(&format!("builtin:{spec}"), None).unwrap_err().to_string();
        assert!(refused.starts_with("builtin:") || refused.contains(" builtin:"), "{refused}");
    }
    for (spec, width) in [
        ("bug-in-snippets?count=1048576", 112),
        ("merkle-root?depth=20", 1 << 29),
        ("merkle-root?depth=1&holes=1", 1 << 10),
    ] {
        assert_eq!(Relation::open(&format!("builtin:{spec}"), None).unwrap().inputs()[0].width, width);
    }
}
