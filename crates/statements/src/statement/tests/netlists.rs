//! Statements of AIGER files: ports, steps, public values, and what is pinned.

use super::*;
use volery_circuit::Count;
use volery_circuit::stream::StreamedClauses;
use volery_formats::{Netlist, NetlistOptions};

/// `y = x[0] ∧ x[1]`, and `z = ¬x[1]`.
const GATE: &str = "aag 3 2 0 2 1\n2\n4\n6\n5\n6 4 2\ni0 x[0]\ni1 x[1]\no0 y\no1 z\n";

/// Latch `q` toggles where `on` is one, which is never while `off` is; `rising` where it is about to be one.
const TOGGLE: &str = "aag 7 2 1 1 4 1 1\n2\n4\n6 11\n6\n12\n15\n8 6 3\n10 9 13\n12 7 2\n14 4 2\n\
    i0 on\ni1 off\nl0 state\no0 q\nb0 rising\nc0 one_of_both\n";

fn netlist(text: &str, options: &str) -> Result<Relation> {
    let options =
        if options.is_empty() { NetlistOptions::default() } else { NetlistOptions::parse(options)? };
    Netlist::aiger("x.aag", text.as_bytes(), options).map(Relation::netlist)
}

fn open(text: &str, options: &str) -> Relation {
    netlist(text, options).unwrap()
}

fn names(ports: &[Port]) -> Vec<String> {
    ports.iter().map(|port| format!("{}:{}", port.name, port.width)).collect()
}

/// A latch that is set by `d`, and bad where it and `d` are one: no outputs, and two bad states.
const BAD: &str = "aag 4 1 1 0 2 2\n2\n4 2 0\n6\n8\n6 4 2\n8 5 2\ni0 d\nb0 twice\nb1 first\n";

#[test]
fn bad_states_of_all_steps_are_one() {
    let relation = open(BAD, "steps=3&bad=any");
    assert_eq!(names(relation.outputs()), ["twice:1", "first:1"]);
    for (d, twice, first) in [([0, 1, 1], 1, 1), ([1, 0, 1], 0, 1), ([0, 0, 0], 0, 0), ([1, 1, 0], 1, 1)] {
        let bits = d.map(|bit: u8| format!("0b{bit}"));
        let private: Vec<_> =
            ["d@0", "d@1", "d@2"].into_iter().zip(bits.iter().map(String::as_str)).collect();
        for wrong in [false, true] {
            let twice = format!("0b{}", twice ^ u8::from(wrong));
            let first = format!("0b{first}");
            let public = &[("twice", &*twice), ("first", &*first)];
            let relation = open(BAD, "steps=3&bad=any");
            assert_eq!(check(relation, public, &private).is_err(), wrong, "{d:?}");
        }
    }
}

/// All steps of an output are the last one, too.
#[test]
fn one_value_may_be_for_all_steps() {
    let private = [("on@*", "0b1"), ("off@*", "0b0")];
    let always = |value| check(open(TOGGLE, "steps=2&init=zero"), &[("q@*", value)], &private);
    assert!(always("0b0").is_err() && always("0b1").is_err());
    let never = [("on@*", "0b0"), private[1]];
    check(open(TOGGLE, "steps=2&init=zero"), &[("q@*", "0b0")], &never).unwrap();
}

/// Errors name a file with an open latch that calls its output as the bits of latches are called.
#[test]
fn ports_called_state_are_named() {
    let why = netlist("aag 1 0 1 1 0\n2 2 2\n2\no0 state\n", "steps=1").unwrap_err().to_string();
    assert!(why.contains("called state, as are the bits with which latches begin"), "{why}");
}

/// Comments as abc writes them, behind the letter at once, end a file.
#[test]
fn comments_end_a_file() {
    let text = "aag 3 2 0 1 1\n2\n4\n6\n6 4 2\ncn\u{0}\u{0}\u{4}top\nwritten by hand\n";
    assert_eq!(open(text, "").outputs().len(), 1);
}

#[test]
fn names_are_ports() {
    let gate = open(GATE, "");
    assert_eq!(
        (names(gate.inputs()), names(gate.outputs())),
        (vec!["x:2".into()], vec!["y:1".into(), "z:1".into()])
    );
    assert_eq!(gate.format_name(), "aag");
    let outputs = gate.evaluate(values(&[("x", "0b10")])).unwrap();
    assert_eq!(outputs.iter().map(Value::to_number_hex).collect::<Vec<_>>(), ["0x0", "0x1"]);
    check(open(GATE, ""), &[("y", "0b1"), ("z", "0b0")], &[("x", "0b11")]).unwrap();
    assert!(refused(open(GATE, ""), &[("y", "0b1")], &[("x", "0b01")]).contains(": y[0] does not hold"));
}

#[test]
fn ports_of_one_name_are_refused() {
    let twice = |text: &str| netlist(text, "").unwrap_err().to_string();
    let both = GATE.replace("o1 z", "o1 x");
    assert!(twice(&both).contains("two inputs or outputs are called x"), "{}", twice(&both));
    assert!(twice(&GATE.replace("o1 z", "o1 y")).contains("outputs 0 and 1 are both called y"));
    assert!(twice("aag 1 1 0 0 0\n2\n").contains("has no outputs"));
}

/// An input that is passed on under its own name is set apart, and an output that only has its name is refused.
#[test]
fn outputs_may_be_inputs_of_the_same_names() {
    let blif = |text: &str| {
        Netlist::blif("x.blif", text.as_bytes(), NetlistOptions::default()).map(Relation::netlist)
    };
    let aag = "aag 3 2 0 2 1\n2\n4\n2\n6\n6 2 4\ni0 a\ni1 b\no0 a\no1 y\n";
    let text = ".model m\n.inputs a b\n.outputs a y\n.names a b y\n11 1\n.end\n";
    for open in
        [&|| netlist(aag, "").unwrap() as Relation, &|| blif(text).unwrap()] as [&dyn Fn() -> Relation; 2]
    {
        assert_eq!(names(open().inputs()), ["a:1", "b:1"]);
        assert_eq!(names(open().outputs()), ["a_:1", "y:1"]);
        check(open(), &[("y", "0b1")], &[("a", "0b1"), ("b", "0b1")]).unwrap();
        check(open(), &[("y", "0b1"), ("a", "0b1")], &[("b", "0b1")]).unwrap();
        check(open(), &[("y", "0b0"), ("a_", "0b1")], &[("a", "0b1"), ("b", "0b0")]).unwrap();
        assert!(check(open(), &[("a_", "0b1")], &[("a", "0b0"), ("b", "0b0")]).is_err());
    }
    let wide = ".model m\n.inputs a[0] a[1] a_\n.outputs a[0] a[1]\n.end\n";
    assert_eq!(names(blif(wide).unwrap().outputs()), ["a__:2"]);
    for other in [aag.replace("2\n4\n2\n", "2\n4\n3\n"), aag.replace("2\n4\n2\n", "2\n4\n4\n")] {
        let why = netlist(&other, "").unwrap_err().to_string();
        assert!(why.contains("two inputs or outputs are called a"), "{why}");
    }
}

/// The last step's output has a number as those before have, too.
#[test]
fn the_last_step_has_both_names() {
    let private = [("on@*", "0b1"), ("off@*", "0b0")];
    // It toggles from zero in each step.
    for (steps, last, value) in [(1, "q@0", "0b0"), (2, "q@1", "0b1"), (3, "q@2", "0b0")] {
        let relation = || open(TOGGLE, &format!("steps={steps}"));
        let statement = |name: &str| Statement::new(relation(), values(&[(name, value)])).unwrap();
        assert_eq!(statement(last).digest(), statement("q").digest());
        check(relation(), &[(last, value)], &private).unwrap();
        let both =
            Statement::new(relation(), values(&[(last, value), ("q", value)])).err().unwrap().to_string();
        assert!(both.contains(&format!("{last} and q are the same")), "{both}");
    }
    let unknown = |options: &str, name: &str| {
        let refused = Statement::new(open(TOGGLE, options), values(&[(name, "0b0")])).err().unwrap();
        assert!(refused.to_string().contains(&format!("no input or output {name}")), "{refused}");
    };
    unknown("steps=2", "q@2");
    unknown("steps=2", "on@2");
    // A bad state of any step is none of the last.
    unknown("steps=2&bad=any", "rising@1");
}

/// Traces by the description of the format, and as ABC writes them, are values of inputs.
#[test]
fn traces_are_values() {
    let of = |options: &str, text: &str| -> Result<Vec<(String, String)>> {
        let values = open(TOGGLE, options).trace("x.aiw", text.as_bytes())?;
        Ok(values.into_iter().map(|(name, value)| (name, value.to_number_hex())).collect())
    };
    let named = |values: &[(&str, &str)]| -> Vec<(String, String)> {
        values.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect()
    };
    let two = named(&[("on@0", "0x1"), ("off@0", "0x0"), ("on@1", "0x0"), ("off@1", "0x1")]);
    for text in [
        "1\nb0\n0\n10\n01\n.\n",
        "c by hand\n1\nb0\nb1\nx\n10\nc 1\n01\n.\nc end\n",
        "0\n10\n01# DONE",
        "0\r\n1x\r\nx1\r\n",
    ] {
        assert_eq!(of("steps=2", text).unwrap(), two, "{text}");
    }
    assert_eq!(of("steps=1&init=private", "1\nb0\n1\n01\n.\n").unwrap()[0], ("state".into(), "0x1".into()));
    assert_eq!(of("steps=1&init=public", "1\nb0\n1\n01\n.\n").unwrap()[0].0, "on@0");
    let gate = open(GATE, "").trace("x.aiw", b"1\nb0\n\n10\n.\n").unwrap();
    assert_eq!((&*gate[0].0, gate[0].1.to_number_hex()), ("x", "0x1".into()));
    for (options, text, words) in [
        (
            "steps=2",
            "1\nb0\n0\n10\n.\n",
            "has 1 steps, and the circuit is to run for 2: give the circuit as x.aag?steps=1",
        ),
        ("steps=1", "1\nb0\n0\n10\n11\n.\n", "x.aag?steps=2"),
        ("steps=1", "0\nb0\n.\n", "x.aiw, line 1: no state is reached"),
        ("steps=1", "2\nb0\n", "line 1: no state is reached"),
        ("steps=1", "1\nb0\n1\n10\n.\n", "line 3: latch 0 begins with another value"),
        ("steps=1", "1\nb0\n00\n10\n.\n", "line 3: 2 values stand here, and the circuit has 1 latches"),
        ("steps=1", "1\nb0\n0\n1\n.\n", "line 4: 1 values stand here, and the circuit has 2 inputs"),
        ("steps=1", "1\nb0\n0\n12\n.\n", "line 4: a line of inputs has 0, 1 and x"),
        ("steps=1", "1\nb0\n0\n10\n.\n1\nb0\n", "line 6: a second trace"),
        ("steps=1", "", "line 1: 0 values stand here"),
    ] {
        let why = of(options, text).unwrap_err().to_string();
        assert!(why.contains(words), "{words:?} is missing in {why:?}");
    }
}

#[test]
fn latches_run_for_steps() {
    let why = netlist(TOGGLE, "").unwrap_err().to_string();
    assert!(why.contains("has latches (1)") && why.contains("x.aag?steps=N"), "{why}");
    let two = open(TOGGLE, "steps=2");
    assert_eq!(names(two.inputs()), ["on@0:1", "off@0:1", "on@1:1", "off@1:1"]);
    assert_eq!(names(two.outputs()), ["q@0:1", "rising@0:1", "q:1", "rising:1"]);
    assert_eq!(names(open(TOGGLE, "steps=2&bad=any").outputs()), ["q@0:1", "q:1", "rising:1"]);
    let public: Given = &[("q@0", "0b0"), ("q", "0b1"), ("rising", "0b0")];
    let private = [("on@0", "0b1"), ("off@0", "0b0"), ("on@1", "0b1"), ("off@1", "0b0")];
    check(open(TOGGLE, "steps=2"), public, &private).unwrap();
    let other = [("on@0", "0b0"), private[1], private[2], private[3]];
    assert!(refused(open(TOGGLE, "steps=2"), public, &other).contains(": q[0] does not hold"));
    let relation = open(TOGGLE, "steps=2&init=zero");
    assert_eq!(relation.examine().unwrap().1, Vec::<String>::new(), "q@0 is constant, and nobody minds");
    let one = open(TOGGLE, "steps=1&init=zero").examine().unwrap().1;
    assert_eq!(one, ["output q depends on no input: it is constant"]);
    // What the file demands of every step is not asked for, and holds all the same.
    let wrong = [private[0], private[1], ("on@1", "0b1"), ("off@1", "0b1")];
    let why = refused(open(TOGGLE, "steps=2"), public, &wrong);
    assert!(why.contains(": constraint one_of_both in step 1 does not hold"), "{why}");
}

#[test]
fn latches_begin_as_asked() {
    let state = |options: &str, state: &str| {
        let relation = open(TOGGLE, options);
        let port = relation.inputs()[0].clone();
        assert_eq!((&*port.name, port.width), ("state", 1));
        let private = [("state", state), ("on@0", "0b0"), ("off@0", "0b0")];
        if port.public {
            check(relation, &[("q", "0b1"), private[0]], &private[1..])
        } else {
            check(relation, &[("q", "0b1")], &private)
        }
    };
    for options in ["steps=1&init=private", "steps=1&init=public"] {
        state(options, "0b1").unwrap();
        assert!(matches!(state(options, "0b0"), Err(Error::Unsatisfied(_))));
    }
    let missing = refused(open(TOGGLE, "steps=1&init=public"), &[("q", "0b1")], &[]);
    assert!(missing.contains("state (1 bit) has to be public"), "{missing}");
    // A latch that the file leaves open.
    let open_latch = TOGGLE.replace("6 11\n", "6 11 6\n");
    assert_eq!(names(open(&open_latch, "steps=1").inputs())[0], "state:1");
    assert_eq!(names(open(&open_latch, "steps=1&init=zero").inputs())[0], "on@0:1");
    let one = TOGGLE.replace("6 11\n", "6 11 1\n");
    let q = |options: &str| {
        let relation = open(&one, options);
        let given = values(&[("on@0", "0b0"), ("off@0", "0b0")]);
        relation.evaluate(given).unwrap()[0].to_number_hex()
    };
    assert_eq!((q("steps=1"), q("steps=1&init=zero")), ("0x1".into(), "0x0".into()));
}

#[test]
fn options_must_make_sense() {
    for (options, words) in [
        ("steps=0", "steps=0: write steps=N"),
        ("steps=-1", "steps=-1"),
        ("steps=18446744073709551616", "from 1 on"),
        ("steps", "steps=: write"),
        ("steps=1&steps=1", "steps is given twice"),
        ("init=one", "init=one: write init=file, zero, private or public"),
        ("bad=first", "bad=first: write bad=last or any"),
        ("plain=2", "plain=2: write plain=0 or 1"),
        ("depth=1", "no option \"depth\""),
        ("", "no option \"\""),
        ("steps=10000000000", "10000000000 steps of 4 inputs and outputs are more than 4194304"),
        ("steps=18446744073709551615", "take fewer steps"),
    ] {
        let why = NetlistOptions::parse(options)
            .and_then(|options| Netlist::aiger("x.aag", TOGGLE.as_bytes(), options));
        let why = why.unwrap_err().to_string();
        assert!(why.contains(words), "{words:?} is missing in {why:?}");
    }
}

#[test]
fn files_are_told_by_their_content() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (gate, toggle) = (file("gate", GATE), file("toggle", TOGGLE));
    assert_eq!(Relation::open(&gate, None).unwrap().format_name(), "aag");
    for format in ["aiger", "aig", "aag"] {
        Relation::open(&gate, Some(format.parse().unwrap())).unwrap();
    }
    assert_eq!(Relation::open(&format!("{toggle}?steps=3"), None).unwrap().inputs().len(), 6);
    // A file of the whole name is that file.
    let whole = file("toggle?steps=3", GATE);
    assert_eq!(Relation::open(&whole, None).unwrap().inputs().len(), 1);
    let bristol = file("small", str::from_utf8(SMALL).unwrap());
    for (spec, format, words) in [
        (format!("{bristol}?steps=3"), None, "the options of a Bristol circuit are ?count=N"),
        (bristol.clone(), Some("aiger"), "an AIGER file begins with"),
        (gate.clone(), Some("bristol"), "line 1: \"aag\""),
        (format!("{toggle}?speed=3"), None, "?speed=3: there is no option"),
        (format!("{gate}.no?steps=3"), None, "gate.no cannot be read"),
    ] {
        let format = format.map(|format| format.parse().unwrap());
        let why = Relation::open(&spec, format).unwrap_err().to_string();
        assert!(why.contains(words), "{words:?} is missing in {why:?}");
    }
    let blif =
        file("blif", &format!("# {}\n\n.model m\n.inputs a\n.outputs y\n.latch a y 1\n", "x".repeat(300)));
    let relation = Relation::open(&format!("{blif}?steps=1"), None).unwrap();
    let evaluated = relation.evaluate(values(&[("a@0", "0b0")])).unwrap();
    assert_eq!((relation.format_name(), evaluated[0].to_number_hex()), ("blif", "0x1".into()));
    assert!(Relation::open(&gate, Some(Format::Blif)).is_err());
    let relation = Relation::open(&gate, None).unwrap();
    assert!(Program::split(&relation, 2).unwrap_err().to_string().contains("as a whole"));
}

#[test]
fn public_values_spare_gates() {
    let ands = |public: Given| {
        let statement = Statement::new(open(GATE, ""), values(public)).unwrap();
        Shape::without_depth(statement.source()).unwrap().mul
    };
    assert_eq!(ands(&[("y", "0b1")]), 1);
    assert_eq!(ands(&[("y", "0b1"), ("x", "0b11")]), 0);
    // The first state is known, and so is what follows from it.
    let steps = |options: &str| open(TOGGLE, options).shape().unwrap().mul;
    assert!(steps("steps=1") < steps("steps=1&init=private"));
    let private = |count: u64| steps(&format!("steps={count}&init=private"));
    assert_eq!(steps("steps=9") - steps("steps=8"), private(5) - private(4));
    // Nobody asks for what comes behind the last step.
    let kept = |count: u64| {
        let text = "aag 3 1 1 1 1\n2\n4 6\n4\n6 4 2\n";
        open(text, &format!("steps={count}&init=private")).shape().unwrap().mul
    };
    assert_eq!((kept(1), kept(2), kept(9)), (0, 1, 8));
}

/// Clauses of one file are alike where all public values are, and are proved as one of several.
#[test]
fn netlists_are_clauses() {
    let statement = |z: &str| {
        let public = values(&[("y", "0b0"), ("z", z)]);
        Statement::new(open(GATE, ""), public).unwrap()
    };
    let any = AnyOf::new(vec![statement("0b0"), statement("0b1")]).unwrap();
    assert_eq!(volery_circuit::Alternatives::like(&any, 1), 0);
    let witness = statement("0b1").witness(values(&[("x", "0b10")])).unwrap();
    assert_eq!(StreamedClauses(&any).find(&witness).unwrap(), 1);
    let witness = statement("0b1").witness(values(&[("x", "0b11")])).unwrap();
    assert!(StreamedClauses(&any).find(&witness).is_err());
}

/// Demands of a file on each step are among the assertions, where these are collected.
#[test]
fn steps_are_clauses() {
    let statement = |q: &str| {
        let public = values(&[("q", q), ("rising@0", "0b1")]);
        Statement::new(open(TOGGLE, "steps=3&init=private"), public).unwrap()
    };
    let any = AnyOf::new(vec![statement("0b0"), statement("0b1")]).unwrap();
    let find = |given: Given| {
        let witness = statement("0b1")
            .witness(values(&[&[("state", "0b0"), ("on@2", "0b0")], given].concat()))
            .unwrap();
        StreamedClauses(&any).find(&witness)
    };
    assert_eq!(find(&[("on@*", "0b1"), ("off@*", "0b0")]).unwrap(), 0);
    assert_eq!(find(&[("on@0", "0b1"), ("on@1", "0b0"), ("off@*", "0b0")]).unwrap(), 1);
    // Neither holds: nothing rises at first, or both inputs are one in the midst.
    assert!(find(&[("on@*", "0b0"), ("off@*", "0b0")]).is_err());
    assert!(find(&[("on@*", "0b1"), ("off@1", "0b1"), ("off@*", "0b0")]).is_err());
}

/// Two builds that read a file in other ways have to disagree: where one of these changes, `Netlist::version`
/// goes up.
#[test]
fn gates_of_netlists_are_pinned() {
    let pinned_of = |relation: Relation| {
        let mut public = Values::new();
        for port in relation.outputs() {
            public.insert(&port.name, Value::zeros(port.width)).unwrap();
        }
        let statement = Statement::new(relation, public).unwrap();
        let gates = Count::fingerprint(&Streamed(&statement)).unwrap().1;
        let hex = |bytes: [u8; 32]| bytes[..8].iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        (hex(statement.digest()), hex(gates))
    };
    let pinned = |text: &str, options: &str| pinned_of(open(text, options));
    let blif = ".inputs a[0] a[1] a[2]\n.outputs y\n.names a[0] a[1] a[2] y\n11- 1\n1-1 1\n-11 1\n";
    let blif = Netlist::blif("x", blif.as_bytes(), NetlistOptions::default()).unwrap();
    assert_eq!(blif.version(), 2);
    let blif = pinned_of(Relation::netlist(blif));
    let adder = include_str!("../../../../../vectors/aiger/adder8.aag");
    let found: Vec<_> = [
        (GATE, ""),
        (TOGGLE, "steps=3"),
        (TOGGLE, "steps=3&bad=any&init=private"),
        (adder, ""),
        (adder, "plain"),
    ]
    .map(|(text, options)| pinned(text, options))
    .into_iter()
    .collect();
    let found = [found, vec![blif]].concat();
    assert_eq!(Program::version(&open(GATE, "")), Some(1));
    let expected = [
        ("41679ebfc69dc88a", "05bb457ec82807b6"),
        ("90c9c652180e2de6", "babdf35c326e261c"),
        ("517ce3f5ee3e09f3", "5f933ab69c49f8f7"),
        ("50e6378bffcfb42e", "c17a36aaa5ac0ac7"),
        ("254c9971c687bbef", "096dd0228e7dd82c"),
        ("269e4a277c609830", "738b19ef25d87b4d"),
    ];
    let found: Vec<_> = found.iter().map(|(digest, gates)| (&**digest, &**gates)).collect();
    assert_eq!(found, expected);
}
