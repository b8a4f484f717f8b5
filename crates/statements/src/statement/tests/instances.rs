//! Instances of a circuit file: they say what as many statements say, under the names of one and its number.

use super::*;
use tempfile::TempDir;

/// `z` is the sum of the words of 3 bits `x` and 2 bits `y` without its carry, and `c` whether `x` is odd; `x` is
/// never 7.
const BLIF: &str = ".model m\n.inputs x[0] x[1] x[2] y[0] y[1]\n.outputs z[0] z[1] c\n\
    .names x[0] y[0] z[0]\n10 1\n01 1\n.names x[0] y[0] carry\n11 1\n\
    .names x[1] y[1] t\n10 1\n01 1\n.names t carry z[1]\n10 1\n01 1\n.names x[0] x[2] c\n1- 1\n.end\n";

/// A latch that `d` turns, before which it is zero where that is one: a constraint of each step.
const AIGER: &str =
    "aag 5 1 1 1 3 0 1\n2\n4 10\n10\n7\n6 4 2\n8 5 3\n10 9 7\ni0 d\nl0 state\no0 q\nc0 turned\n";

struct Files(TempDir);

impl Files {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [("small", SMALL), ("m.blif", BLIF.as_bytes()), ("t.aag", AIGER.as_bytes())] {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        Self(folder)
    }

    fn try_open(&self, spec: &str) -> Result<Relation> {
        Relation::open(self.0.path().join(spec).to_str().unwrap(), None)
    }

    fn open(&self, spec: &str) -> Relation {
        self.try_open(spec).unwrap()
    }
}

/// Numbers of so many bits one behind the other, the first one highest, in bits from the first wire on.
fn joined(width: u32, numbers: &[u128]) -> String {
    let all = numbers.iter().fold(0, |all, number| all << width | number);
    let bits = (0..width as usize * numbers.len()).map(|i| if all >> i & 1 == 1 { '1' } else { '0' });
    format!("0b{}", bits.collect::<String>())
}

/// Outputs of a circuit for inputs with these widths and values.
fn outputs(relation: &Relation, given: &[(&str, String)]) -> Vec<String> {
    let given: Vec<_> = given.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let bits = |value: &Value| {
        let bits = (0..value.width()).map(|i| if value.bit(i).to_bool() { '1' } else { '0' });
        format!("0b{}", bits.collect::<String>())
    };
    relation.evaluate(values(&given)).unwrap().iter().map(bits).collect()
}

/// Inputs of a circuit with their widths, outputs likewise, and a value of each input for each of five instances.
struct Case {
    spec: &'static str,
    inputs: &'static [(&'static str, u32)],
    outputs: &'static [(&'static str, u32)],
    values: &'static [[u128; 5]],
}

const CASES: [Case; 3] = [
    Case {
        spec: "small",
        inputs: &[("in0", 5), ("in1", 3)],
        outputs: &[("out0", 5), ("out1", 1)],
        values: &[[3, 31, 0, 17, 6], [7, 1, 4, 3, 5]],
    },
    Case {
        spec: "m.blif",
        inputs: &[("x", 3), ("y", 2)],
        outputs: &[("z", 2), ("c", 1)],
        values: &[[1, 5, 2, 7, 0], [3, 2, 1, 0, 3]],
    },
    Case {
        spec: "t.aag?steps=2&init=private",
        inputs: &[("state", 1), ("d@0", 1), ("d@1", 1)],
        outputs: &[("q@0", 1), ("q", 1)],
        values: &[[0, 1, 0, 1, 0], [1, 0, 0, 0, 1], [0, 0, 1, 0, 0]],
    },
];

#[test]
fn they_say_what_as_many_statements_say() {
    let files = Files::new();
    for Case { spec, inputs, outputs: out, values } in CASES {
        let one = files.open(spec);
        let joiner = if spec.contains('?') { '&' } else { '?' };
        for count in [1, 2, 5] {
            // Five are three maps.
            let lanes = if count == 5 { "&lanes=2" } else { "" };
            let open = || files.open(&format!("{spec}{joiner}count={count}{lanes}"));
            let all: Vec<_> = inputs
                .iter()
                .zip(values)
                .map(|((name, width), values)| (*name, joined(*width, &values[..count])))
                .collect();
            // What each gives alone, and so all of them.
            let mut expected = vec![String::new(); out.len()];
            for lane in (0..count).rev() {
                let alone = inputs.iter().zip(values);
                let alone: Vec<_> = alone
                    .map(|((name, width), values)| (*name, joined(*width, &values[lane..=lane])))
                    .collect();
                for (expected, bits) in expected.iter_mut().zip(outputs(&one, &alone)) {
                    expected.push_str(&bits[2..]);
                }
            }
            let expected: Vec<_> = expected.into_iter().map(|bits| format!("0b{bits}")).collect();
            assert_eq!(outputs(&open(), &all), expected, "{spec} {count}");

            let private: Vec<_> = all.iter().map(|(name, value)| (*name, value.as_str())).collect();
            let public: Vec<_> =
                out.iter().map(|(name, _)| *name).zip(expected.iter().map(String::as_str)).collect();
            check(open(), &public, &private).unwrap();
            // Public inputs are those of each instance, too.
            check(open(), &[&public[..], &private[1..]].concat(), &private[..1]).unwrap();

            // One bit that is wrong is one instance's.
            for (port, (name, width)) in out.iter().enumerate() {
                for lane in 0..count {
                    let (place, bit) =
                        (2 + (count - 1 - lane) * *width as usize + *width as usize - 1, width - 1);
                    let mut wrong = expected[port].clone().into_bytes();
                    wrong[place] ^= 1;
                    let wrong = String::from_utf8(wrong).unwrap();
                    let why = refused(open(), &[(name, &wrong)], &private);
                    let of =
                        if count == 1 { String::new() } else { format!(" of instance {lane} does not hold") };
                    assert!(why.contains(&format!("{name}[{bit}]")) && why.contains(&of), "{why}");
                }
            }
            let (shape, shape_of_one) = (open().shape().unwrap(), one.shape().unwrap());
            assert_eq!(shape.mul, shape_of_one.mul * count as u64);
            let (examined, warnings) = open().examine().unwrap();
            assert_eq!((examined.mul, warnings), (shape.mul, one.examine().unwrap().1));
        }
    }
}

/// A constraint of the file is each instance's, too.
#[test]
fn constraints_are_named_with_their_instance() {
    let files = Files::new();
    for (spec, of) in
        [("t.aag?steps=2&count=3&init=private", " of instance 1"), ("t.aag?steps=2&init=private", "")]
    {
        let state = if of.is_empty() { "0b0" } else { "0b000" };
        let (first, second) = if of.is_empty() { ("0b1", "0b1") } else { ("0b010", "0b010") };
        let out = format!("0b{}", "0".repeat(first.len() - 2));
        let why =
            refused(files.open(spec), &[("q", &out)], &[("state", state), ("d@0", first), ("d@1", second)]);
        assert!(why.contains(&format!("constraint turned in step 1{of}")), "{why}");
    }
}

/// Instances with ports of more than 2^16 bits are pushed one by one, to the same end.
#[test]
fn large_instances_are_pushed_one_by_one() {
    let width = 70_000;
    let text = format!("1 {}\n1 {width}\n1 1\n\n2 1 0 {} {width} AND\n", width + 1, width - 1);
    let files = Files::new();
    std::fs::write(files.0.path().join("wide"), text).unwrap();
    let bits = |ends: [[char; 2]; 2]| {
        // The last instance stands first.
        let of = |[first, last]: [char; 2]| format!("{first}{}{last}", "0".repeat(width - 2));
        format!("0b{}{}", of(ends[1]), of(ends[0]))
    };
    let private = bits([['1', '1'], ['0', '1']]);
    let open = || files.open("wide?count=2");
    check(open(), &[("out0", "0b01")], &[("in0", &private)]).unwrap();
    check(open(), &[("out0", "0b01"), ("in0", &private)], &[]).unwrap();
    let why = refused(open(), &[("out0", "0b11")], &[("in0", &private)]);
    assert!(why.contains("out0[0] (wire 70000) of instance 1 does not hold"), "{why}");
    let why = refused(open(), &[("out0", "0b00")], &[("in0", &private)]);
    assert!(why.contains("of instance 0"), "{why}");
}

#[test]
fn a_count_is_part_of_the_statement() {
    let files = Files::new();
    for spec in ["small?", "m.blif?", "t.aag?steps=2&"] {
        let identity = |count: u32| files.open(&format!("{spec}count={count}")).identity();
        let one = files.open(&spec[..spec.len() - 1]).identity();
        assert_eq!(identity(1), one);
        assert!(one != identity(2) && identity(2) != identity(3));
        let in_lanes = |lanes: u32| files.open(&format!("{spec}count=2&lanes={lanes}")).identity();
        assert!(in_lanes(2048) == identity(2) && in_lanes(4) != identity(2));
    }
    assert_eq!(
        files.open("t.aag?steps=2&count=3").identity(),
        files.open("t.aag?count=3&steps=2").identity()
    );
    assert_eq!(
        files.open("m.blif?count=4").ands_in_file(),
        files.open("m.blif").ands_in_file().map(|ands| 4 * ands)
    );
    for (spec, words) in [
        ("small?count=0", "small with count=0: choose from 1 to 16777216 instances"),
        ("small?count=16777217", "choose from 1 to 16777216 instances"),
        ("small?count=", "with count=\"\": write a decimal number"),
        ("m.blif?count=-1", "write a decimal number"),
        ("m.blif?count=2&count=2", "given count twice"),
        ("m.blif?count=2&lanes=3", "lanes=3: choose an even number from 2 to 65536"),
        ("m.blif?count=2&lanes=0", "lanes=0: choose an even number"),
        ("small?lanes=4", "the options of a Bristol circuit are"),
        ("m.blif?counts=2", "there are count, steps, init, bad and plain"),
        ("small?count=2&plain", "the options of a Bristol circuit are ?count=N"),
    ] {
        let why = files.try_open(spec).unwrap_err().to_string();
        assert!(why.contains(words), "{words:?} is missing in {why:?}");
    }
    let steps = files.try_open("t.aag?steps=1000&count=1000000").unwrap_err().to_string();
    assert!(steps.contains("more than 2^30 bits of values: take fewer instances"), "{steps}");
    let relation = files.open("t.aag?steps=2&count=3");
    for why in [
        relation.export(Format::Blif, &mut Vec::new()).unwrap_err(),
        relation.trace("trace", b"").err().unwrap(),
    ] {
        assert!(why.to_string().contains("a circuit file with count=3 has 3 instances: "), "{why}");
    }
    assert!(relation.split(2).err().unwrap().to_string().contains("does not fall into 2 shards"));
}
