use super::*;
mod formats;

use crate::Statement;
use proptest::prelude::*;
use sha2::Digest;
use volery_channel::error::Error;
use volery_circuit::stream::{Recorder, Streamed};
use volery_circuit::{Backend, Circuit, Clear, Port, Shape, Value, Values};
use volery_formats::{Bristol, Order};
use volery_primitives::{F2, Field};

fn exported(relation: &Relation) -> Result<Vec<u8>> {
    let mut file = Vec::new();
    relation.export(Format::BristolFashion, &mut file).map(|()| file)
}

/// Every built-in, with parameters that make it small.
fn builtins() -> impl Iterator<Item = Relation> {
    let small = |spec: &str| {
        let sizes = [("depth=8", "depth=1"), ("depth=26", "depth=1"), ("length=272", "length=12")];
        let certificate =
            [("credentials=140", "credentials=4"), ("before=300&after=6700", "before=1&after=1")];
        let spec = sizes
            .iter()
            .chain(&certificate)
            .fold(spec.to_owned(), |spec, (default, size)| spec.replace(default, size));
        format!("builtin:{spec}")
    };
    let specs = Relation::builtins().iter().map(move |(spec, _)| small(spec));
    specs.chain(["builtin:sha256-preimage?length=70".into()]).map(|spec| Relation::open(&spec, None).unwrap())
}

fn text(bits: &[F2]) -> String {
    bits.iter().map(|bit| if bit.to_bool() { '1' } else { '0' }).collect()
}

/// The output bits of a circuit file for these bits of its inputs.
fn evaluate(file: &Bristol, inputs: &[Vec<F2>]) -> Vec<Vec<F2>> {
    let mut outputs = vec![Vec::new(); file.outputs().len()];
    let mut clear = Clear::<F2>::new(core::iter::empty());
    file.run(
        &mut clear,
        |_, at| Ok(inputs[at.port][at.bit as usize]),
        |_, at, bit| {
            outputs[at.port].push(bit);
            Ok(())
        },
    )
    .unwrap();
    outputs
}

/// Whether the relation has these outputs for these inputs, all of which are private that may be.
fn holds(spec: &Relation, inputs: &[Vec<F2>], outputs: &[Vec<F2>]) -> Result<()> {
    let relation = Relation::open(&format!("builtin:{}", name(spec)), None)?;
    let (mut public, mut private) = (Values::new(), Values::new());
    for (port, bits) in relation.inputs().iter().zip(inputs) {
        let side = if port.public { &mut public } else { &mut private };
        side.insert(&port.name, Value::from_bits_text(&text(bits))?)?;
    }
    for (port, bits) in relation.outputs().iter().zip(outputs) {
        public.insert(&port.name, Value::from_bits_text(&text(bits))?)?;
    }
    let statement = Statement::new(relation, public)?;
    let witness = statement.witness(private)?;
    let mut clear = Clear::new(witness.bits());
    Streamed(&statement).run(&mut clear)?;
    clear.finish()
}

fn name(relation: &Relation) -> String {
    String::from_utf8(crate::Program::identity(relation)).unwrap()
}

#[test]
fn an_exported_builtin_computes_the_same() {
    exported_builtins_compute_the_same(1, MANY);
}

#[test]
#[ignore = "slow"]
fn an_exported_builtin_computes_the_same_on_more_inputs() {
    exported_builtins_compute_the_same(5, u64::MAX);
}

/// The ANDs of a built-in that takes long to compare.
const MANY: u64 = 100_000;

/// Compares on so many inputs, and on one where there are many ANDs, the built-ins of up to `most` of them.
fn exported_builtins_compute_the_same(times: usize, most: u64) {
    // A linear congruence, whose highest bit is random enough.
    let mut state = 1u64;
    let mut bit = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        F2::from(state >> 63 == 1)
    };
    let mut of_gates = 0;
    for relation in builtins() {
        // What has to be public is on wires of the file all the same.
        let expected = Shape::without_depth(&super::super::Bare(&relation)).unwrap().mul;
        if expected > most {
            continue;
        }
        let file = match exported(&relation) {
            Ok(file) => Bristol::from_bytes("exported", file).unwrap(),
            Err(Error::Invalid(why)) => {
                assert!(why.contains(" is stated by polynomials"), "{why}");
                continue;
            }
            Err(why) => panic!("{why}"),
        };
        of_gates += 1;
        let widths = |ports: &[Port]| ports.iter().map(|port| port.width).collect::<Vec<_>>();
        assert_eq!(file.inputs(), widths(relation.inputs()));
        assert_eq!(file.outputs()[..relation.outputs().len()], widths(relation.outputs()));
        let gates = Pushed(|b: &mut Recorder<'_, F2>| file.run(b, |b, _| b.witness(), |_, _, _| Ok(())));
        let ands = Shape::without_depth::<F2>(&gates).unwrap().mul;
        let has_public = relation.inputs().iter().any(|port| port.public);
        assert!(if has_public { ands >= expected } else { ands == expected }, "{}", name(&relation));
        for _ in 0..if expected < 30_000 { times } else { 1 } {
            let bits = |width: &u64| (0..*width).map(|_| bit()).collect();
            let inputs: Vec<Vec<F2>> = file.inputs().iter().map(bits).collect();
            let mut outputs = evaluate(&file, &inputs);
            if outputs.len() > relation.outputs().len() {
                // Random inputs may break what the statement asserts by itself.
                continue;
            }
            holds(&relation, &inputs, &outputs).unwrap();
            let bit = outputs[0].last_mut().unwrap();
            *bit += F2::from(true);
            assert!(matches!(holds(&relation, &inputs, &outputs), Err(Error::Unsatisfied(_))));
        }
    }
    assert!(of_gates >= 6);
}

#[test]
fn sha256_is_exported_as_it_was() {
    let relation = Relation::open("builtin:sha256-preimage?length=3", None).unwrap();
    let file = exported(&relation).unwrap();
    let head: Vec<_> = file.split(|&byte| byte == b'\n').take(4).map(String::from_utf8_lossy).collect();
    assert_eq!(head, ["103664 103688", "1 24", "1 256", ""]);
    let digest: [u8; 32] = sha2::Sha256::digest(&file).into();
    assert_eq!(digest[..8], 0x4526_eaea_0e74_b9cb_u64.to_be_bytes());
}

#[test]
fn holes_and_vectors_are_refused() {
    let refused = |spec: &str| exported(&Relation::open(spec, None).unwrap()).unwrap_err().to_string();
    let holes = refused("builtin:merkle-root?depth=2&holes=1");
    assert!(holes.contains("merkle-root?depth=2&holes=1 is stated by polynomials: leave out"), "{holes}");
    let vectors = refused("builtin:inner-product");
    assert!(vectors.contains("builtin:inner-product?length=4 is stated by polynomials"), "{vectors}");
}

#[test]
fn old_files_become_bristol_fashion() {
    let old = "3 6\n2 1 2\n\n2 1 0 2 3 AND\n2 1 3 1 4 XOR\n1 1 4 5 INV\n";
    let relation = Relation::bristol(Bristol::from_bytes("old", old.as_bytes()).unwrap());
    let new = String::from_utf8(exported(&relation).unwrap()).unwrap();
    assert_eq!(
        new,
        "5 8\n2 2 1\n1 2\n\n2 1 0 2 3 AND\n2 1 3 1 4 XOR\n1 1 4 5 INV\n1 1 4 6 EQW\n1 1 5 7 EQW\n"
    );
    let again = Relation::bristol(Bristol::from_bytes("new", new.as_bytes()).unwrap());
    assert_eq!(again.format_name(), "bristol-fashion");
    assert_eq!(again.shape().unwrap(), relation.shape().unwrap());
}

/// Gates that no relation has.
struct Pushed<F>(F);

impl<F: Fn(&mut Recorder<'_, F2>) -> Result<()>> Circuit<Recorder<'_, F2>> for Pushed<F> {
    fn run(&self, b: &mut Recorder<'_, F2>) -> Result<()> {
        (self.0)(b)
    }
}

/// Writes the circuit of these gates, whose inputs are read from their first bit to their last.
fn write(
    format: Format,
    out: &mut dyn Write,
    inputs: &[(&str, u64)],
    outputs: &[(&str, u64)],
    gates: impl Fn(&mut Recorder<'_, F2>) -> Result<()> + Sync,
) -> Result<()> {
    let ports =
        |ports: &[(&str, u64)]| ports.iter().map(|&(name, width)| Port::new(name, width)).collect::<Vec<_>>();
    let order = |port: usize| -> Order { Box::new(0..inputs[port].1) };
    Export { inputs: &ports(inputs), outputs: &ports(outputs), order: &order, gates: &Pushed(gates) }
        .write(format, out)
}

/// A circuit that asserts something by itself is a circuit with one output more.
#[test]
fn assertions_become_an_output() {
    let mut file = Vec::new();
    write(Format::BristolFashion, &mut file, &[("x", 2), ("z", 1)], &[("sum", 1)], |b| {
        let [x, y, z] = [b.witness()?, b.witness()?, b.witness()?];
        let one = b.constant(F2::ONE);
        let product = b.mul(x, one)?;
        b.assert_zero(product, "x")?;
        let sum = b.add(y, z);
        b.output(0, 0, sum)?;
        b.assert_zero(one, "never")
    })
    .unwrap();
    let expected = "6 9\n2 2 1\n2 1 2\n\n1 1 1 3 EQ\n2 1 0 3 4 AND\n1 1 4 7 EQW\n2 1 1 2 5 XOR\n1 1 5 6 EQW\n1 1 1 8 EQ\n";
    assert_eq!(String::from_utf8(file).unwrap(), expected);
    Bristol::from_bytes("written", expected.as_bytes()).unwrap();
}

#[test]
fn what_no_file_can_say_is_refused() {
    let hint = write(Format::BristolFashion, &mut Vec::new(), &[("x", 1)], &[], |b| {
        let x = b.witness()?;
        b.hint(&[x], |bits| bits[0]).map(drop)
    });
    assert!(hint.unwrap_err().to_string().contains("lets the prover hint values"));
    struct Full;
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let relation = Relation::open("builtin:sha256-preimage", None).unwrap();
    let why = relation.export(Format::BristolFashion, &mut Full).unwrap_err().to_string();
    assert!(why.contains("the circuit cannot be written: "), "{why}");
}

/// The output bits of a file for these input bits, by nothing but the description of the format.
fn by_the_book(file: &str, inputs: &[bool]) -> Vec<bool> {
    let mut lines = file.lines();
    let mut numbers =
        || lines.next().unwrap().split(' ').map(|word| word.parse().unwrap()).collect::<Vec<usize>>();
    let [gates, count] = numbers()[..] else { panic!() };
    let widths = [numbers(), numbers()].map(|widths| {
        assert_eq!(widths[0], widths.len() - 1);
        widths[1..].iter().sum::<usize>()
    });
    assert_eq!(widths[0], inputs.len());
    assert_eq!(lines.next(), Some(""));
    let mut wires: Vec<_> = inputs.iter().copied().map(Some).collect();
    wires.resize(count, None);
    let mut read = 0;
    for line in lines {
        let words: Vec<_> = line.split(' ').collect();
        let number = |i: usize| words[i].parse::<usize>().unwrap();
        let [name, out] = [words[words.len() - 1], words[words.len() - 2]];
        let operands = if name == "XOR" || name == "AND" { 2 } else { 1 };
        assert_eq!((number(0), number(1), words.len()), (operands, 1, operands + 4), "{line}");
        let wire = |i: usize| wires[number(i)].expect("set before");
        let value = match name {
            "XOR" => wire(2) ^ wire(3),
            "AND" => wire(2) & wire(3),
            "INV" => !wire(2),
            "EQW" => wire(2),
            "EQ" => number(2) == 1,
            _ => panic!("{line}"),
        };
        let before = wires[out.parse::<usize>().unwrap()].replace(value);
        assert!(before.is_none(), "{line}");
        read += 1;
    }
    assert_eq!(read, gates);
    wires[count - widths[1]..].iter().map(|wire| wire.expect("no gap")).collect()
}

/// Gates on the inputs and on each other by number, the values that are given out, and
/// those that are asserted.
fn push<B: Backend<F = F2>>(
    b: &mut B,
    mut values: Vec<B::Wire>,
    gates: &[(u8, usize, usize)],
    asserted: &[usize],
) -> Result<Vec<B::Wire>> {
    let at = |values: &[B::Wire], i: usize| values[i % values.len()];
    for &(kind, x, y) in gates {
        let (x, y) = (at(&values, x), at(&values, y));
        values.push(match kind {
            0 | 1 => b.add(x, y),
            2 | 3 => b.mul(x, y)?,
            4 => b.constant(F2::ZERO),
            5 => b.constant(F2::ONE),
            6 => b.scale(x, F2::ZERO),
            _ => b.linear(&[F2::ONE, F2::ZERO, F2::ONE], &[x, x, y]),
        });
    }
    for &i in asserted {
        let value = at(&values, i);
        b.assert_zero(value, "value")?;
    }
    Ok(values)
}

proptest! {
    #[test]
    fn a_file_computes_what_was_pushed(
        inputs: [bool; 5],
        gates in proptest::collection::vec((0..8u8, any::<usize>(), any::<usize>()), 0..30),
        outputs in proptest::collection::vec(any::<usize>(), 2..9),
        asserted in proptest::collection::vec(any::<usize>(), 0..4),
    ) {
        let bits: Vec<F2> = inputs.iter().map(|&bit| bit.into()).collect();
        let mut clear = Clear::<F2>::new(core::iter::empty());
        let values = push(&mut clear, bits.clone(), &gates, &[]).unwrap();
        let of = |i: &usize| values[i % values.len()].to_bool();
        let expected: Vec<_> = outputs.iter().chain(&asserted).map(of).collect();
        let mut file = Vec::new();
        let widths = [("first", 1), ("others", outputs.len() as u64 - 1)];
        write(Format::BristolFashion, &mut file, &[("x", 2), ("y", 3)], &widths, |b| {
            let inputs = (0..5).map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
            let values = push(b, inputs, &gates, &asserted)?;
            // From the last to the first: they have their places whatever their order.
            for (i, value) in outputs.iter().enumerate().rev() {
                let (port, bit) = if i == 0 { (0, 0) } else { (1, i as u64 - 1) };
                b.output(port, bit, values[value % values.len()])?;
            }
            Ok(())
        }).unwrap();
        let text = String::from_utf8(file.clone()).unwrap();
        prop_assert_eq!(&by_the_book(&text, &inputs), &expected);
        let read = evaluate(&Bristol::from_bytes("written", file).unwrap(), &[bits[..2].to_vec(), bits[2..].to_vec()]);
        prop_assert_eq!(read.concat(), expected.into_iter().map(F2::from).collect::<Vec<_>>());
    }
}
