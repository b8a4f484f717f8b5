//! Functions of wide values, and rows that an input names: beside their definitions, refused by name, and counted.

use crate::writer::{INT16, INT32, INT64, Net, integer, tensor};
use std::collections::HashMap;
use volery_channel::error::{Error, Result};
use volery_onnx::{Info, Network, Options};

/// A network of one function of a wide value, whose input `x` is rounded with exponent 0.
fn wide(values: &[i32], powers: &[[i64; 2]]) -> Net {
    let mut net = Net::new();
    net.input("in", &[1, 4]);
    net.round("in", "x", 0);
    net.wide_table("F", values);
    net.constant("p", &[powers.len() as i64, 2], powers.as_flattened());
    net.node_of("volery.wide", "F", "x x.scale p", "w", &[]);
    net
}

/// The integers of a tensor for those of the input `in`.
fn made(net: &Net, name: &str, inputs: &[(&str, &[i64])]) -> Result<Vec<i64>> {
    let file = net.file();
    let network = Network::open(&file, &Options::default())?;
    let inputs: HashMap<_, _> =
        inputs.iter().map(|(name, values)| (name.to_string(), values.to_vec())).collect();
    let mut found = vec![];
    network.run(&inputs, &mut |tensor, integers| {
        if tensor.name == name {
            found = integers.to_vec();
        }
    })?;
    Ok(found)
}

fn info(net: &Net) -> Info {
    let file = net.file();
    Network::open(&file, &Options::default()).unwrap().info()
}

#[track_caller]
fn refused(net: &Net, parts: &[&str]) {
    let file = net.file();
    let Err(Error::Invalid(why)) = Network::open(&file, &Options::default()) else {
        panic!("not refused: {parts:?}")
    };
    assert!(parts.iter().all(|part| why.contains(part)), "{why}\nwithout one of {parts:?}");
}

#[track_caller]
fn unsatisfied(result: Result<Vec<i64>>, parts: &[&str]) {
    let Err(Error::Unsatisfied(why)) = result else { panic!("satisfied: {parts:?}") };
    assert!(parts.iter().all(|part| why.contains(part)), "{why}\nwithout one of {parts:?}");
}

/// T[⌊V / β^k⌋ − m₀] · w + a, at both ends of each power.
#[test]
fn wide_values_have_leading_bits_and_a_power() {
    for (rows, base) in [(128, 2i64), (384, 4)] {
        let values: Vec<i32> = (0..rows).map(|row| 7 * row - 1000).collect();
        let net = wide(&values, &[[0, 0], [3, 5], [-2, 9]]);
        let expected = |value: i64, power: u32, [factor, summand]: [i64; 2]| {
            i64::from(values[(value / base.pow(power)) as usize - 128]) * factor + summand
        };
        let (first, end) = (128 * base, 128 * base.pow(3));
        let at = [first, first * base - 1, first * base, end - 1];
        let powers = [(1, [3, 5]), (1, [3, 5]), (2, [-2, 9]), (2, [-2, 9])];
        let all: Vec<i64> = at.iter().zip(powers).map(|(&v, (k, power))| expected(v, k, power)).collect();
        assert_eq!(made(&net, "w", &[("in", &at)]).unwrap(), all);
        for value in [first - 1, end, 0, -first] {
            let read = format!("node \"w\" (F) reads values from {first} to {end}");
            unsatisfied(
                made(&net, "w", &[("in", &[first, first, value, first])]),
                &[&read, &format!("it is {value} at [0, 2]"), "has no power"],
            );
        }
    }
}

/// A function may be named as an operator is that computes shapes, or reads rows.
#[test]
fn functions_have_any_name() {
    for name in ["Shape", "Div", "Gather", "Cast"] {
        let mut net = wide(&[3; 128], &[[1, 0]]);
        net.field(5, tensor(&format!("volery.table/{name}"), INT16, &[256], &[1; 512]));
        net.node_of("volery.table", name, "x", "l", &[]);
        net.round("l", "y", 0);
        net.wide_table(name, &[5; 128]);
        net.node_of("volery.wide", name, "x x.scale p", "n", &[]);
        let tables = info(&net).tables;
        assert_eq!((tables[name], tables["wide/F"], tables[&format!("wide/{name}")]), (4, 4, 4));
    }
}

#[test]
fn functions_of_wide_values_are_refused_by_name() {
    let powers = [[1, 0]; 3];
    refused(&wide(&[0; 64], &powers), &["\"w\" (F)", "table of the shape [64]"]);
    refused(&wide(&[0; 3 << 15], &powers), &["table of the shape [98304]"]);
    refused(&wide(&[0; 160], &powers), &["table of the shape [160]"]);
    refused(&wide(&[0; 128], &[]), &["powers \"p\" of the shape [0, 2]"]);
    refused(&wide(&[0; 128], &[[1, 0]; 50]), &["\"p\" of the shape [50, 2]", "[49, 2]"]);
    refused(&wide(&[0; 1 << 15], &[[1, 0]; 45]), &["[44, 2]"]);
    refused(&wide(&[0; 3 << 14], &[[1, 0]; 24]), &["[23, 2]"]);
    refused(&wide(&[0; 128], &[[0, 0]]), &["\"p\"", "factor is 0"]);
    refused(&wide(&[0; 128], &[[0, 0], [1, 0], [0, 0]]), &["\"p\"", "not among the first"]);
    let largest = |values: &[i32], power| wide(values, &[power]);
    refused(&largest(&[1; 128], [1 << 59, 0]), &["\"w\"", "below 2^59"]);
    refused(&largest(&[i32::MIN; 128], [1 << 28, 0]), &["below 2^59"]);
    refused(&largest(&[1; 128], [1, i64::MIN]), &["below 2^59"]);
    assert!(info(&largest(&[1; 128], [(1 << 59) - 8, 7])).layers.iter().any(|layer| layer.bits == 59));
    let of = |inputs: &str, change: fn(&mut Net)| {
        let mut net = wide(&[0; 128], &powers);
        net.node_of("volery.wide", "G", inputs, "n", &[]);
        change(&mut net);
        net
    };
    refused(&of("x x.scale p", |_| {}), &["\"n\" (G)", "no table", "volery.wide/G"]);
    refused(&of("x x.scale", |_| {}), &["\"n\" (G)", "has 2 inputs"]);
    let with = |inputs: &str| {
        let mut net = wide(&[0; 128], &powers);
        net.node_of("volery.wide", "F", inputs, "n", &[]);
        net
    };
    refused(&with("x x.scale x.zero"), &["\"n\"", "has no powers"]);
    refused(&with("x p p"), &["\"n\"", "no initialiser of float32"]);
    refused(&with("in x.scale p"), &["input \"in\"", "one QuantizeLinear"]);
    let mut net = with("x x.scale p");
    net.node("Max", "w x", "m", &[]);
    refused(&net, &["\"m\"", "\"w\"", "not held"]);
    let mut net = with("x x.scale p");
    net.output("w");
    refused(&net, &["output \"w\"", "neither held"]);
    // A factor of degree 1.
    let mut net = with("x x.scale p");
    net.node("Mul", "w x", "once", &[]);
    net.node("Mul", "once x", "twice", &[]);
    refused(&net, &["\"twice\"", "sum of products already"]);
}

/// Rows of `w`, which an input names.
fn rows(axis: i64) -> Net {
    let mut net = Net::new();
    net.typed_input("at", INT64, &[2, 1]);
    net.weight("w", &[3, 2], &[1, -2, 30, 40, 500, 600], 0, false);
    net.node("Gather", "w at", "e", &[integer("axis", axis)]);
    net
}

#[test]
fn rows_are_named_by_an_input() {
    let net = rows(-2);
    assert_eq!(made(&net, "e", &[("at", &[2, 0])]).unwrap(), [500, 600, 1, -2]);
    for index in [3, -1, i64::MIN, i64::MAX] {
        unsatisfied(
            made(&net, "e", &[("at", &[0, index])]),
            &[
                "the index of node \"e\" (Gather) is one of 3 rows",
                &format!("{index} at [1, 0]"),
                "names none",
            ],
        );
    }
    let file = net.file();
    let network = Network::open(&file, &Options::default()).unwrap();
    assert_eq!(*network.quantise("at", &[2.0, 70_000.0]).unwrap(), [2, 70_000]);
    for number in [0.5, -1.0, f64::NAN, 3e9] {
        let Err(Error::Invalid(why)) = network.quantise("at", &[0.0, number]) else { panic!("{number}") };
        assert!(why.contains("\"at\"") && why.contains("at [1, 0]") && why.contains("no index"), "{why}");
    }
    refused(&rows(1), &["\"e\"", "by another axis"]);
    let with = |operator: &str, inputs: &str, change: fn(&mut Net)| {
        let mut net = rows(0);
        change(&mut net);
        net.node(operator, inputs, "n", &[]);
        net
    };
    refused(&with("Transpose", "at", |_| {}), &["\"n\"", "\"at\"", "Gather alone"]);
    refused(&with("Gather", "w e", |_| {}), &["\"n\"", "\"e\", which are no integers"]);
    refused(&with("Gather", "w none", |net| net.typed_input("none", INT32, &[0])), &["input \"none\""]);
    refused(
        &with("Gather", "m at", |net| net.node("Mul", "w w", "m", &[])),
        &["\"n\"", "rows of a sum of products"],
    );
    let mut net = rows(0);
    net.node("ArgMax", "e", "i", &[]);
    refused(&net, &["\"i\"", "\"e\"", "not held"]);
    let mut net = rows(0);
    net.output("at");
    refused(&net, &["output \"at\""]);
}

#[test]
fn what_wide_values_and_rows_take_is_counted() {
    let totals = |net: &Net| {
        let total = info(net).total;
        (total.elements, total.ranges, total.lookups)
    };
    // Four values of the input, with their ranges; of each the leading bits and what is looked up.
    assert_eq!(totals(&wide(&[1; 128], &[[1, 0]])), (4 + 4 * 2, 4, 4));
    // The power and its factor, one limb of each remainder, of which one is a linear combination; the product.
    assert_eq!(totals(&wide(&[1; 128], &[[2, 0], [1, 0]])), (4 + 4 * 6, 4 + 4 * 2, 4 * 2));
    // A summand, and three limbs.
    assert_eq!(totals(&wide(&[1; 384], &[[1, 7]; 18])), (4 + 4 * 11, 4 + 4 * 6, 4 * 2));
    // One-hot rows of three.
    let mut net = rows(0);
    net.round("e", "y", 0);
    let info = info(&net);
    assert_eq!((info.total.elements, info.total.ranges, info.weights), (2 * 3 + 4, 4, 6));
    let mut table = wide(&[1; 384], &[[1, 0]; 2]);
    table.round("w", "y", 0);
    assert_eq!((info_rows(&table), totals(&table).0), (384 + 65_536, 4 + 4 * 6));
}

fn info_rows(net: &Net) -> u64 {
    info(net).rows
}
