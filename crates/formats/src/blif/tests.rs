use super::*;
use crate::netlist::{Latch, Literal, Start};
use proptest::prelude::*;
use std::collections::HashMap;

fn error(text: &str) -> String {
    match read("x.blif", text.as_bytes()) {
        Err(Error::Invalid(why)) => why,
        other => panic!("{other:?} came of {text}"),
    }
}

/// Inputs, latches and gates of a circuit, for these values of the former two.
fn nodes(logic: &Logic, leaves: &[bool]) -> Vec<bool> {
    let mut bits = [&[false], leaves].concat();
    for gate in &logic.gates {
        let [a, b] = gate.operands().map(|literal| at(&bits, literal));
        bits.push(if gate.is_xor() { a ^ b } else { a & b });
    }
    bits
}

fn at(bits: &[bool], literal: Literal) -> bool {
    bits[literal.node() as usize] ^ literal.negated()
}

fn outputs(logic: &Logic, leaves: &[bool]) -> Vec<bool> {
    let bits = nodes(logic, leaves);
    logic.outputs.iter().map(|output| at(&bits, *output)).collect()
}

fn combinations(count: usize) -> impl Iterator<Item = Vec<bool>> {
    (0..1u32 << count).map(move |all| (0..count).map(|i| all >> i & 1 == 1).collect())
}

/// The outputs of the first model of a text, by nothing but the description of the format: each signal is
/// asked for by its name.
struct ByTheBook {
    models: Vec<(String, Vec<Vec<String>>)>,
}

impl ByTheBook {
    fn new(text: &str) -> Self {
        let mut models: Vec<(String, Vec<Vec<String>>)> = Vec::new();
        for line in text.replace("\\\n", " ").lines() {
            let words: Vec<String> =
                line.split('#').next().unwrap().split_whitespace().map(String::from).collect();
            match words.first().map(String::as_str) {
                None => {}
                Some(".model") => models.push((words[1].clone(), Vec::new())),
                Some(_) => models.last_mut().unwrap().1.push(words),
            }
        }
        Self { models }
    }

    fn list(&self, model: usize, word: &str) -> Vec<String> {
        let lines = self.models[model].1.iter().filter(|line| line[0] == word);
        lines.flat_map(|line| line[1..].to_vec()).collect()
    }

    fn value(&self, model: usize, name: &str, inputs: &HashMap<String, bool>) -> bool {
        if let Some(value) = inputs.get(name) {
            return *value;
        }
        let lines = &self.models[model].1;
        for (at, line) in lines.iter().enumerate() {
            if line[0] == ".names" && line.last().unwrap() == name {
                let of = &line[1..line.len() - 1];
                let bits: Vec<bool> = of.iter().map(|name| self.value(model, name, inputs)).collect();
                let rows = lines[at + 1..].iter().take_while(|row| !row[0].starts_with('.'));
                let mut kind = true;
                let mut any = false;
                for row in rows {
                    kind = row.last().unwrap() == "1";
                    let mask = if of.is_empty() { "" } else { &row[0] };
                    any |= mask.chars().zip(&bits).all(|(c, bit)| c == '-' || (c == '1') == *bit);
                }
                return any == kind;
            }
            if line[0] == ".subckt" {
                let inner = self.models.iter().position(|(name, _)| *name == line[1]).unwrap();
                let pairs: Vec<_> = line[2..].iter().map(|word| word.split_once('=').unwrap()).collect();
                let formals = self.list(inner, ".inputs");
                let output = pairs
                    .iter()
                    .find(|(formal, actual)| *actual == name && !formals.contains(&(*formal).into()));
                if let Some((formal, _)) = output {
                    let given = pairs.iter().filter(|(formal, _)| formals.contains(&(*formal).into()));
                    let given =
                        given.map(|(formal, actual)| ((*formal).into(), self.value(model, actual, inputs)));
                    return self.value(inner, formal, &given.collect());
                }
            }
        }
        panic!("{name} is not set")
    }

    fn outputs(&self, inputs: &[bool]) -> Vec<bool> {
        let names = self.list(0, ".inputs");
        assert_eq!(names.len(), inputs.len());
        let inputs: HashMap<_, _> = names.into_iter().zip(inputs.iter().copied()).collect();
        self.list(0, ".outputs").iter().map(|name| self.value(0, name, &inputs)).collect()
    }
}

/// Demands that a text means the same by the book, and gives its gates.
fn check(text: &str) -> Logic {
    let logic = read("x", text.as_bytes()).unwrap_or_else(|why| panic!("{why} of {text}"));
    let book = ByTheBook::new(text);
    for inputs in combinations(logic.inputs as usize) {
        assert_eq!(outputs(&logic, &inputs), book.outputs(&inputs), "{inputs:?} of {text}");
    }
    logic
}

const ADDER: &str = "# two bits\n.model add2\n.inputs a[0] a[1] \\\n  b[0] b[1]\n.outputs s[0] s[1] s[2]\n\
    .subckt full a=a[1] b=b[1] c=carry s=s[1] out=s[2]\n.subckt full c=$false a=a[0] b=b[0] s=s[0] out=carry\n\
    .names $false\n.end\n\n.model full\n.inputs a b c\n.outputs s out\n.subckt odd x=a y=b z=either\n\
    .subckt odd x=either y=c z=s\n.names a b c out # a majority\n11- 1\n1-1 1\n-11 1\n.end\n\
    .model odd\n.inputs x y\n.outputs z\n.names x y z\n11 0\n00 0\n.end\n";

#[test]
fn models_are_put_into_each_other() {
    let logic = check(ADDER);
    assert_eq!(logic.input_names.values().collect::<Vec<_>>(), ["a[0]", "a[1]", "b[0]", "b[1]"]);
    assert_eq!(logic.output_names[&2], "s[2]");
    // Windows, no end, no model, and what says nothing of gates.
    let crlf = read("x", ADDER.replace('\n', "\r\n").as_bytes()).unwrap();
    assert_eq!(crlf, logic);
    let bare = ".inputs a b\n.outputs y\n.attr src 1\n.names a b y\n.cname and\n.end\n"
        .replace(".cname", "11 1\n.cname");
    assert_eq!(outputs(&read("x", bare.as_bytes()).unwrap(), &[true, true]), [true]);
}

#[test]
fn tables_are_what_they_cover() {
    for (table, inputs) in [
        (".names y\n", 0),
        (".names y\n1\n", 0),
        (".names y\n0\n", 0),
        (".names a y\n1 1\n", 1),
        (".names a y\n0 1\n", 1),
        (".names a y\n- 1\n", 1),
        (".names a y\n- 0\n", 1),
        (".names a b y\n", 2),
        (".names a b y\n01 1\n10 1\n", 2),
        (".names a b y\n00 0\n", 2),
        (".names a a y\n01 1\n", 1),
        (".names a b c y\n1-0 1\n011 1\n", 3),
        (".names a b c d e f g h y\n1------- 1\n-0110--- 1\n------01 1\n", 8),
        (".names a b c d e f g h y\n1------- 0\n-0110--- 0\n------01 0\n", 8),
        (".names a b c d e f g y\n", 7),
        (".names x y\n0 1\n.names y2\n.names a x\n1 1\n", 1),
    ] {
        let names = &["a", "b", "c", "d", "e", "f", "g", "h"][..inputs].join(" ");
        check(&format!(".model m\n.inputs {names}\n.outputs y\n{table}.end\n"));
    }
    // Outputs that are inputs.
    check(".model m\n.inputs a b\n.outputs b a\n.end\n");
}

/// All functions of three inputs, and many of more, take few ANDs.
#[test]
fn tables_take_few_ands() {
    let ands = |inputs: usize, function: u64| {
        let mut text = String::new();
        for row in (0..1u64 << inputs).filter(|row| function >> row & 1 == 1) {
            let bits: String = (0..inputs).map(|i| if row >> i & 1 == 1 { '1' } else { '0' }).collect();
            text += &format!("{bits} 1\n");
        }
        let names = &["a", "b", "c", "d", "e", "f"][..inputs].join(" ");
        check(&format!(".model m\n.inputs {names}\n.outputs y\n.names {names} y\n{text}.end\n")).ands()
    };
    let most = |inputs: usize| (0..1u64 << (1 << inputs)).map(|function| ands(inputs, function)).max();
    assert_eq!([1, 2, 3].map(most), [Some(0), Some(1), Some(2)]);
    let mut number = 1u64;
    let mut random = || {
        number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        number >> 20 ^ number << 40
    };
    let four: Vec<u64> = (0..400).map(|_| ands(4, random() & 0xffff)).collect();
    assert!(four.iter().all(|ands| *ands <= 4) && four.iter().filter(|ands| **ands == 4).count() < 80);
    assert!((0..60).all(|_| ands(5, random() & 0xffff_ffff) <= 7));
    assert!((0..20).all(|_| ands(6, random()) <= 15));
    // A majority, a MUX, a product of all, a parity and a product.
    assert_eq!((ands(3, 0xe8), ands(3, 0xca), ands(4, 0x8000), ands(4, 0x6996 ^ 0x8888)), (1, 1, 3, 1));
}

/// Splits of a function of six inputs are looked at in two places, and so of five: those are eight functions of
/// four inputs at most, each with twenty splits into functions of three.
#[test]
fn tables_of_six_inputs_take_bounded_work() {
    let inputs: Vec<Literal> = (1..7).map(Literal::of).collect();
    let mut number = 7u64;
    for _ in 0..50 {
        let mut builder = table::Builder::new(7);
        number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let function = number ^ number >> 29;
        let rows: Vec<[u8; 6]> = (0..64u8)
            .filter(|row| function >> row & 1 == 1)
            .map(|row| core::array::from_fn(|i| b'0' + (row >> i & 1)))
            .collect();
        let rows: Vec<&[u8]> = rows.iter().map(|row| &row[..]).collect();
        builder.table(&inputs, &rows);
        assert!(builder.splits() <= 1 + 4 + 16 * (1 + 2 * 20), "{}", builder.splits());
    }
}

#[test]
fn latches_keep_what_they_are() {
    let text = ".model m\n.inputs clk d\n.outputs q r s\n.latch d q re clk 0\n.latch q r re clk 1\n\
        .latch n s re clk 2\n.latch s t re clk\n.names s n\n0 1\n.end\n";
    let logic = read("x", text.as_bytes()).unwrap();
    let l = Literal;
    let expected = [(4, Start::Bit(false)), (6, Start::Bit(true)), (11, Start::Free), (10, Start::Free)];
    assert_eq!(logic.latches, expected.map(|(next, start)| Latch { next: l(next), start }));
    assert_eq!(logic.outputs, [l(6), l(8), l(10)]);
    let bare = text.replace("re clk ", "").replace("re clk", "");
    assert_eq!(read("x", bare.as_bytes()).unwrap().latches, logic.latches);
    // One clock has another name in each model, and two clocks may have one.
    let models = |first: &str, second: &str| {
        format!(
            ".model m\n.inputs a c d\n.outputs y\n.subckt p i=a o=b {first}\n.subckt q i=b o=y {second}\n\
             .model p\n.inputs i clk\n.outputs o\n.latch i o re clk 0\n\
             .model q\n.inputs i ck\n.outputs o\n.latch i o re ck 0\n"
        )
    };
    assert_eq!(read("x", models("clk=c", "ck=c").as_bytes()).unwrap().latches.len(), 2);
    assert!(error(&models("clk=c", "ck=d")).contains("another clock"));
    // In a model each use has latches of its own.
    let twice = ".model m\n.inputs a\n.outputs y\n.subckt delay i=a o=b\n.subckt delay i=b o=y\n\
        .model delay\n.inputs i\n.outputs o\n.latch i o 0\n";
    let logic = read("x", twice.as_bytes()).unwrap();
    assert_eq!(logic.latches.len(), 2);
    assert!(logic.latches.iter().any(|latch| latch.next == l(2)));
}

#[test]
fn malformations_are_named_with_their_line() {
    let in_model = |body: &str| format!(".model m\n.inputs a b\n.outputs y\n{body}\n.end\n");
    let with_y = |body: &str| in_model(&format!(".names a y\n1 1\n{body}"));
    let part = |line: &str| format!("{}.model p\n.inputs i\n.outputs o\n.names i o\n1 1\n", in_model(line));
    let wide = format!(".names {}y", "a ".repeat(5000));
    #[rustfmt::skip]
    let cases: &[(&str, &[&str])] = &[
        ("", &["line 1", "no model", "BLIF?"]),
        ("# nothing\n", &["no model"]),
        (".model\n", &["line 1", "one name"]),
        (".model a b\n", &["line 1", "one name"]),
        (".model m\n.outputs y\n.names y\n.end\n.names z\n", &["line 5", ".names stands behind .end"]),
        (".model m\n.outputs y\n", &["line 1", "nothing sets output y"]),
        (".model m\n.outputs y\n.names y\n.model m\n", &["line 4", "a model m stands in line 1 already"]),
        (".model m\n.outputs y\n.names x\\\n y\n1 1\n.end \\", &["line 6", "to go on"]),
        (".model m\n.outputs y\n.names y \0\n", &["line 3", "a byte 0"]),
        (&in_model(".names"), &["line 4", "the inputs of the table"]),
        (&in_model(&wide), &["line 4", "a table of 5000 inputs"]),
        (&in_model(".names a y\n1 1\n1"), &["line 6", "a row of the table of line 4", "its 1 inputs"]),
        (&in_model(".names a y\n11 1"), &["line 5", "a row of the table of line 4"]),
        (&in_model(".names a y\n2 1"), &["line 5", "a row"]),
        (&in_model(".names a y\n1 x"), &["line 5", "a row"]),
        (&in_model(".names a y\n1 1 1"), &["line 5", "a row"]),
        (&in_model(".names y\n1 1"), &["line 5", "its 0 inputs"]),
        (&in_model(".names a b y\n1 - 1"), &["line 5", "a row"]),
        (&in_model(".names a y\n1 1\n0 0"), &["line 6", "have to have one output"]),
        (&in_model(".names c y\n1 1"), &["line 4", "c is read here, and nothing sets it"]),
        (&with_y(".names b y\n1 1"), &["line 6", "y is set here, and line 4 sets it"]),
        (&with_y(".names b a\n1 1"), &["line 6", "a is set here, and it is an input"]),
        (&with_y(".latch a b"), &["line 6", "b is set here, and it is an input"]),
        (&with_y(".latch a c\n.names b c\n1 1"), &["c is set here, and line"]),
        (&with_y(".latch c d"), &["line 6", "c is read here, and nothing sets it"]),
        (&in_model(".names y y\n1 1"), &["line 4", "reads itself through y, which line 4 sets"]),
        (&in_model(".names a z y\n11 1\n.names y z\n1 1"), &["line 6", "through y, which line 4 sets", "latch"]),
        (&with_y(".names q p\n1 1\n.names p q\n1 1"), &["a cycle needs a latch"]),
        (&with_y(".latch a"), &["line 6", "write .latch"]),
        (&with_y(".latch a q re"), &["line 6", "re is no first value"]),
        (&with_y(".latch a q 4"), &["line 6", "4 is no first value"]),
        (&with_y(".latch a q ah b 0"), &["line 6", "not ah"]),
        (&with_y(".latch a q re b 0 0"), &["line 6", "write .latch"]),
        (&with_y(".latch a q re b\n.latch a r fe b"), &["line 7", "another clock than that of line 6, or its other"]),
        (&with_y(".latch a q re b\n.latch a r re a"), &["line 7", "another clock", "follow one"]),
        (&with_y(".names a b g\n11 1\n.latch a q re g"), &["line 8", "follows g, which is no input", "gates it"]),
        (&with_y(".latch a q re c"), &["line 6", "follows c, which is no input"]),
        (&with_y(".inputs c c"), &["line 6", "c stands among these twice"]),
        (&with_y(".outputs y"), &["line 6", "y stands among these twice"]),
        (&with_y(".gate and2 a=a"), &["line 6", ".gate is not read, a gate of a library"]),
        (&with_y(".exdc"), &["line 6", "leave them out"]),
        (&with_y(".search other.blif"), &["line 6", "another file"]),
        (&with_y(".subckt2"), &["line 6", ".subckt2 is not read: there are .model"]),
        (&with_y(".end\n.end"), &["line 7", ".end stands behind .end"]),
        (&in_model("11 1"), &["line 4", "11 is not read: a row of a table stands behind its .names"]),
        (&part(".subckt"), &["line 4", "write .subckt"]),
        (&part(".subckt q i=a o=y"), &["line 4", "there is no model q"]),
        (&part(".subckt p i o=y"), &["line 4", "i is not of the form FORMAL=ACTUAL"]),
        (&part(".subckt p i= o=y"), &["line 4", "i= is not"]),
        (&part(".subckt p x=a i=a o=y"), &["line 4", "model p has no input or output x"]),
        (&part(".subckt p i=a i=b o=y"), &["line 4", "i is connected twice"]),
        (&part(".subckt p o=y"), &["line 4", "input i of model p is not connected"]),
        (&part(".subckt p i=y o=y"), &["reads itself"]),
        (&part(".subckt p i=a o=b"), &["line 9", "o is set here, and it is an input"]),
        (&part(".subckt p i=a o=y\n.subckt p i=b o=y"), &["o is set here, and line"]),
        (&part(".subckt m a=a b=b y=y"), &["line 4", "model m is made of itself"]),
    ];
    for (text, words) in cases {
        let why = error(text);
        assert!(why.starts_with("x.blif, line "), "{why}");
        for word in *words {
            assert!(why.contains(word), "{word:?} is missing in {why:?} of {text}");
        }
        assert!(why.len() < 400, "{why}");
    }
}

/// Sixty lines that double sixty times.
#[test]
fn what_a_file_comes_to_is_counted_first() {
    let mut text = String::new();
    for depth in 0..60 {
        text += &format!(".model m{depth}\n.inputs i\n.outputs o\n");
        let next = depth + 1;
        text += &format!(".subckt m{next} i=i o=x\n.subckt m{next} i=x o=o\n.end\n");
    }
    text += ".model m60\n.inputs i\n.outputs o\n.names i o\n0 1\n.end\n";
    let why = error(&text);
    assert!(why.contains("signals and gates") && why.contains("too much"), "{why}");
    // Few signals, and many rows of many inputs.
    let mut wide = String::new();
    for depth in 0..19 {
        let next = depth + 1;
        wide += &format!(".model m{depth}\n.inputs a b\n.outputs o\n.subckt m{next} a=a b=b o=x\n");
        wide += &format!(".subckt m{next} a=x b=b o=o\n.end\n");
    }
    let (inputs, row) = ("a b ".repeat(2048), "1".repeat(4096));
    wide += &format!(".model m19\n.inputs a b\n.outputs o\n.names {inputs}o\n{row} 1\n{row} 1\n.end\n");
    let why = error(&wide);
    assert!(why.contains("too much for a file of this length"), "{why}");
    // In the midst of it all is well.
    let small = text[text.find(".model m50").unwrap()..].to_owned();
    assert_eq!(outputs(&read("x", small.as_bytes()).unwrap(), &[true]), [true]);
    // A chain of models takes no stack.
    let mut chain = String::new();
    for depth in 0..3000 {
        let next = depth + 1;
        chain += &format!(".model m{depth}\n.inputs i\n.outputs o\n.subckt m{next} i=i o=o\n");
    }
    chain += ".model m3000\n.inputs i\n.outputs o\n.names i o\n0 1\n.end\n";
    assert_eq!(outputs(&read("x", chain.as_bytes()).unwrap(), &[true]), [false]);
    let mut tables = String::from(".model m\n.inputs s0\n.outputs s100000\n");
    for number in (0..100_000).rev() {
        tables += &format!(".names s{number} s{}\n0 1\n", number + 1);
    }
    assert_eq!(outputs(&read("x", tables.as_bytes()).unwrap(), &[true]), [true]);
}

/// A table: the nets that it reads, its rows, and their output.
type Random = (Vec<prop::sample::Index>, Vec<Vec<u8>>, bool);

/// Tables on inputs and on each other by number, what comes out, and their order.
fn random() -> impl Strategy<Value = (Vec<Random>, Vec<prop::sample::Index>, u64)> {
    let row = proptest::collection::vec(0..3u8, 8);
    let rows = proptest::collection::vec(row, 0..5);
    let table = (proptest::collection::vec(any::<prop::sample::Index>(), 0..8), rows, any::<bool>());
    let outputs = proptest::collection::vec(any::<prop::sample::Index>(), 1..4);
    (proptest::collection::vec(table, 1..8), outputs, any::<u64>())
}

proptest! {
    #[test]
    fn random_tables_mean_what_they_say((tables, ends, shuffled) in random()) {
        let mut names: Vec<String> = (0..4).map(|i| format!("i{i}")).collect();
        let mut blocks = Vec::new();
        for (number, (inputs, rows, covered)) in tables.iter().enumerate() {
            let inputs: Vec<String> = inputs.iter().map(|of| names[of.index(names.len())].clone()).collect();
            let name = format!("t{number}");
            let mut block = format!(".names {} {name}\n", inputs.join(" "));
            for row in rows {
                let kinds = row[..inputs.len()].iter().map(|kind| ['0', '1', '-'][usize::from(*kind)]);
                let row: String = kinds.collect();
                block += &format!("{row} {}\n", u8::from(*covered));
            }
            blocks.push(block);
            names.push(name);
        }
        for i in (1..blocks.len()).rev() {
            blocks.swap(i, (shuffled.rotate_left(9 * i as u32) % (i as u64 + 1)) as usize);
        }
        let mut ends: Vec<_> = ends.iter().map(|of| names[of.index(names.len())].clone()).collect();
        ends.sort();
        ends.dedup();
        check(&format!(".model m\n.inputs i0 i1 i2 i3\n.outputs {}\n{}.end\n", ends.join(" "), blocks.concat()));
    }

    #[test]
    fn mutations_do_no_harm(
        edits in proptest::collection::vec((any::<prop::sample::Index>(), 0..5u8, any::<u8>()), 1..6),
    ) {
        let mut text = ADDER.as_bytes().to_vec();
        for (at, kind, byte) in edits {
            let at = at.index(text.len());
            match kind {
                0 => text[at] = byte,
                1 => text.insert(at, b" \n.01-=\\#"[usize::from(byte) % 9]),
                2 => text.truncate(at.max(1)),
                3 => {
                    // A line twice.
                    let line = text[at..].iter().copied().take_while(|byte| *byte != b'\n');
                    let line: Vec<u8> = line.collect();
                    text.splice(at..at, line.into_iter().chain([b'\n']));
                }
                _ => drop(text.remove(at)),
            }
            if text.is_empty() {
                text.push(byte);
            }
        }
        let _ = read("x", &text);
    }
}
