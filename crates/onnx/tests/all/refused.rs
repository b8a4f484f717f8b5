//! Networks that are refused, or runs that end: each error says which node or tensor, what is wrong, and what to do.

use crate::writer::{Bytes, FLOAT, INT8, INT16, INT32, Net, integer, integers, tensor};
use std::collections::HashMap;
use volery_channel::error::{Error, Result};
use volery_onnx::{Graph, Model, Network, Options};

/// A network whose input `x` is rounded, with exponent 0.
fn begun() -> Net {
    let mut net = Net::new();
    net.input("in", &[1, 4]);
    net.round("in", "x", 0);
    net
}

fn graph(net: &Net, options: &Options) -> Result<Vec<Vec<usize>>> {
    let file = net.file();
    let graph = Graph::build(Model::read(&file)?, options)?;
    Ok(graph.outputs.iter().map(|&output| graph.tensors[output].shape.clone()).collect())
}

fn network(net: &Net) -> Result<()> {
    let file = net.file();
    Network::open(&file, &Options::default()).map(|_| ())
}

#[track_caller]
fn assert_refused<T>(result: Result<T>, parts: &[&str]) {
    let Err(Error::Invalid(why)) = result else { panic!("not refused: {parts:?}") };
    assert!(parts.iter().all(|part| why.contains(part)), "{why}\nwithout one of {parts:?}");
}

/// Refused as a quantised network, after `add` has been there.
#[track_caller]
fn refused(add: impl FnOnce(&mut Net), parts: &[&str]) {
    let mut net = begun();
    add(&mut net);
    assert_refused(network(&net), parts);
}

#[test]
fn graphs_are_refused_by_name() {
    let refused = |operator: &str, attributes: &[Bytes], parts: &[&str]| {
        let mut net = begun();
        net.node(operator, "x", "n", attributes);
        assert_refused(graph(&net, &Options::default()), &[&["node \"n\"", operator], parts].concat());
    };
    let branch = Bytes::default().bytes(1, "then_branch").number(20, 5).bytes(6, []);
    refused("If", &[branch], &["control flow", "export"]);
    refused("StringNormalizer", &[], &["strings"]);
    refused("NonZero", &[], &["shape depends on values"]);
    refused("Wavelet", &[], &["is not supported"]);
    refused("Transpose", &[integer("turn", 1)], &["attribute \"turn\""]);
    refused("Transpose", &[integers("perm", &[0, 0])], &["axis 0 twice"]);
    refused("Conv", &[], &["has 1 inputs"]);
    refused("MaxPool", &[integers("kernel_shape", &[2])], &["do not fit"]);
    refused("Squeeze", &[integers("axes", &[1])], &["axis 1 of [1, 4]"]);

    let of = |change: fn(&mut Net)| {
        let mut net = begun();
        change(&mut net);
        graph(&net, &Options::default())
    };
    assert_refused(of(|net| net.opset = 24), &["opset 24", "9 to 23"]);
    assert_refused(of(|net| net.opset = 8), &["opset 8"]);
    assert_refused(
        of(|net| net.node_of("com.microsoft", "Gelu", "x", "n", &[])),
        &["\"n\"", "\"com.microsoft\""],
    );
    assert_refused(
        of(|net| net.node("Add", "x later", "n", &[])),
        &["\"n\"", "\"later\", which is no tensor"],
    );
    assert_refused(of(|net| net.constant("x", &[1], &[0])), &["two tensors named", "\"x\""]);
    assert_refused(
        of(|net| {
            net.node("Add", "x later", "n", &[]);
            net.node("Transpose", "x", "later", &[]);
        }),
        &["\"n\"", "which a later node makes", "topologically"],
    );
    assert_refused(of(|net| net.node("Reshape", "x x", "n", &[])), &["\"n\"", "\"x\"", "dynamic shapes"]);
    assert_refused(
        of(|net| {
            net.constant("s", &[2], &[3, -1]);
            net.node("Reshape", "x s", "n", &[]);
        }),
        &["\"n\"", "[3, -1]", "number of elements"],
    );
    assert_refused(of(|net| net.output("absent")), &["output \"absent\"", "by no node"]);
}

#[test]
fn open_dimensions_are_given_by_name() {
    let mut net = Net::new();
    net.open_input("in", "batch");
    net.node("Transpose", "in", "out", &[]);
    net.output("out");
    let given = |dimensions: &[(&str, usize)], shapes: &[(&str, Vec<usize>)]| {
        let named = |name: &&str| name.to_string();
        let dimensions = dimensions.iter().map(|(name, length)| (named(name), *length)).collect();
        let shapes = shapes.iter().map(|(name, shape)| (named(name), shape.clone())).collect();
        graph(&net, &Options { dimensions, shapes, folder: None })
    };
    assert_refused(given(&[], &[]), &["input \"in\"", "open dimension \"batch\"", "give batch="]);
    assert_eq!(given(&[("batch", 3)], &[]).unwrap(), [[2, 3]]);
    assert_eq!(given(&[], &[("in", vec![5, 2])]).unwrap(), [[2, 5]]);
    assert_refused(given(&[("batch", 3), ("tokens", 1)], &[]), &["no open dimension", "\"tokens\""]);
    assert_refused(given(&[("batch", 3)], &[("in", vec![4, 2])]), &["length 3 in dimension 0"]);
    assert_refused(given(&[], &[("in", vec![4, 3])]), &["length 2 in dimension 1"]);
}

/// Shapes that are asked for, cut, joined and counted with are constants.
#[test]
fn shapes_are_folded() {
    let mut net = Net::new();
    net.opset = 11;
    net.input("in", &[2, 3, 4]);
    net.node("Shape", "in", "shape", &[]);
    net.constant("zero", &[], &[0]);
    net.node("Gather", "shape zero", "first", &[]);
    net.node("Unsqueeze", "first", "row", &[integers("axes", &[0])]);
    net.constant("two", &[1], &[2]);
    net.node("Mul", "row two", "double", &[]);
    net.constant("open", &[1], &[-1]);
    net.node("Concat", "double open", "asked", &[integer("axis", 0)]);
    net.node("Cast", "asked", "cast", &[integer("to", 7)]);
    net.node("Reshape", "in cast", "out", &[]);
    net.output("out");
    assert_eq!(graph(&net, &Options::default()).unwrap(), [[4, 6]]);
    let file = net.file();
    let graph = Graph::build(Model::read(&file).unwrap(), &Options::default()).unwrap();
    assert_eq!(graph.nodes.len(), 1);
}

#[test]
fn networks_are_refused_by_name() {
    let with = |change: fn(&mut Net)| {
        let mut net = begun();
        change(&mut net);
        network(&net)
    };
    let float = |net: &mut Net| {
        net.format = None;
        net.node("BatchNormalization", "x", "n", &[]);
    };
    assert_refused(with(float), &["not quantised", "volery model quantise"]);
    assert_refused(with(|net| net.format = Some("2")), &["format \"2\"", "reads 1"]);
    assert_refused(with(|net| net.opset = 20), &["opset 20", "21"]);
    refused(|net| net.node("Relu", "x", "n", &[]), &["node \"n\" (Relu)", "quantised"]);
    refused(|net| net.node("Transpose", "in", "n", &[]), &["input \"in\"", "one QuantizeLinear"]);
    refused(
        |net| net.node("Transpose", "x.rounded", "n", &[]),
        &["\"n\"", "\"x.rounded\"", "DequantizeLinear alone"],
    );
    refused(|net| net.output("x.rounded"), &["output \"x.rounded\"", "neither held"]);
    refused(
        |net| {
            net.field(5, tensor("s", FLOAT, &[], &0.3f32.to_le_bytes()));
            net.node("QuantizeLinear", "x s x.zero", "n", &[]);
        },
        &["\"n\"", "scale 0.3", "power of two"],
    );
    refused(
        |net| {
            net.field(5, tensor("z", INT16, &[], &[1, 0]));
            net.node("QuantizeLinear", "x x.scale z", "n", &[]);
        },
        &["\"n\"", "zero point \"z\""],
    );
    refused(
        |net| {
            net.field(5, tensor("s", FLOAT, &[1], &1f32.to_le_bytes()));
            net.node("DequantizeLinear", "x.rounded s", "n", &[]);
        },
        &["\"n\"", "\"s\"", "one number"],
    );
    refused(
        |net| {
            net.field(5, tensor("s", FLOAT, &[], &2f32.to_le_bytes()));
            net.node("DequantizeLinear", "x.rounded s", "n", &[]);
        },
        &["\"n\"", "another scale"],
    );
    refused(|net| net.round("x", "n", 1), &["\"n.rounded\"", "shift of -1"]);
    // A product of ones doubles its exponent, by 2^26 of them around 2^32.
    refused(
        |net| {
            net.field(5, tensor("s", FLOAT, &[], &(-64f32).exp2().to_le_bytes()));
            net.field(5, tensor("volery.public/p", INT8, &[], &[1]));
            net.node("DequantizeLinear", "volery.public/p s", "p0", &[]);
            for i in 0..26 {
                net.node("Mul", &format!("p{i} p{i}"), &format!("p{}", i + 1), &[]);
            }
            net.node("Mul", "x p26", "n", &[]);
        },
        &["\"p7\"", "exponent 8192", "4096"],
    );
    refused(|net| net.round("x", "n", -33), &["\"n.rounded\"", "shift of 33"]);
    refused(
        |net| {
            net.node("Mul", "x x", "m", &[]);
            net.node("Mul", "m x", "n", &[]);
        },
        &["\"n\"", "sum of products already"],
    );
    refused(
        |net| {
            net.node("Add", "x x", "m", &[]);
            net.constant("a", &[1], &[1]);
            net.node("ReduceMax", "m a", "n", &[]);
        },
        &["\"n\"", "\"m\"", "not held"],
    );
    refused(
        |net| {
            net.round("x", "y", -1);
            net.node("Max", "x y", "n", &[]);
        },
        &["\"n\"", "several scales"],
    );
    refused(|net| net.node("ReduceSum", "x", "n", &[]), &["\"n\"", "no axes"]);
    refused(|net| net.node_of("volery.table", "F", "x", "n", &[]), &["\"n\" (F)"]);
    refused(
        |net| {
            net.field(5, tensor("volery.table/F", INT16, &[300], &[0; 600]));
            net.node_of("volery.table", "F", "x", "l", &[]);
            net.round("l", "n", 0);
        },
        &["\"l\"", "table of the shape [300]"],
    );
    let table = |net: &mut Net| {
        net.field(5, tensor("volery.table/F", INT16, &[256], &[0; 512]));
        net.node_of("volery.table", "F", "x", "l", &[]);
    };
    refused(table, &["\"l\"", "one QuantizeLinear alone"]);
    refused(
        |net| {
            table(net);
            net.node("Transpose", "l", "n", &[]);
        },
        &["\"n\"", "\"l\"", "looked up"],
    );
    refused(
        |net| {
            net.constant("s", &[2], &[0, 0]);
            net.constant("e", &[2], &[1, -9]);
            net.constant("t", &[2], &[1, -1]);
            net.constant("a", &[2], &[0, 1]);
            net.node("Slice", "x s e a t", "n", &[]);
        },
        &["\"n\"", "below 0"],
    );
}

/// Bounds are of public data: types of weights, and entries of public constants.
#[test]
fn sums_stay_below_their_limit() {
    // 4 · 2^15 · 2^23 · 2^18 is 2^58, and twice that too large.
    let of = |public: i32, weight: i32| {
        let mut net = begun();
        net.weight("p", &[], &[public], 0, true);
        net.weight("w", &[4, 1], &[weight; 4], 0, false);
        net.node("MatMul", "x w", "m", &[]);
        net.node("Mul", "m p", "n", &[]);
        network(&net)
    };
    of(1 << 18, (1 << 23) - 1).unwrap();
    of(-(1 << 18), -(1 << 23)).unwrap();
    assert_refused(of(1 << 19, 0), &["\"n\" (Mul)", "below 2^59"]);
    assert_refused(of(1, 1 << 23), &["\"m\" (MatMul)", "8388608 in \"w.stored\"", "24 bits"]);
    // Aligned, 2^15 · 2^43 is 2^58, and a sum of two such is too large; of one it is not.
    let aligned = |exponent: i32, count: i64| {
        let mut net = begun();
        net.weight("w", &[1], &[1], exponent, true);
        net.node("Add", "x w", "n", &[]);
        if count == 2 {
            net.node("Add", "n x", "m", &[]);
        }
        network(&net)
    };
    aligned(43, 1).unwrap();
    assert_refused(aligned(43, 2), &["\"m\"", "below 2^59"]);
    assert_refused(aligned(44, 1), &["\"n\"", "\"x", "2^44", "passes 2^59"]);
    assert_refused(aligned(120, 1), &["\"n\"", "passes 2^59"]);
    let mut net = begun();
    net.field(5, tensor("w", INT8, &[4, 1], &[0x80; 4]));
    net.node("DequantizeLinear", "w x.scale", "v", &[]);
    net.node("MatMul", "x v", "m", &[]);
    net.output("m");
    assert_refused(network(&net), &["output \"m\"", "neither held"]);
}

#[test]
fn values_that_overflow_are_named() {
    let mut net = begun();
    net.weight("w", &[4], &[1, 1, 5, 3], 0, false);
    net.node("Mul", "x w", "m", &[]);
    net.round("m", "y", -1);
    net.field(5, tensor("volery.table/F", INT16, &[256], &[0; 512]));
    net.node_of("volery.table", "F", "y", "l", &[]);
    net.round("l", "out", 0);
    net.output("out");
    let file = net.file();
    let network = Network::open(&file, &Options::default()).unwrap();
    let run = |input: [i64; 4]| {
        let inputs = HashMap::from([("in".to_string(), input.to_vec())]);
        network.run(&inputs, &mut |_, _| {}).map(|_| ())
    };
    run([253, -257, 50, -85]).unwrap();
    let unsatisfied = |input, parts: &[&str]| {
        let Err(Error::Unsatisfied(why)) = run(input) else { panic!("{input:?}") };
        assert!(parts.iter().all(|part| why.contains(part)), "{why}");
    };
    unsatisfied([0, 0, 13_108, 0], &["\"y.rounded\"", "16 bits", "32770 at [0, 2]", "17 bits", "3 too far"]);
    unsatisfied(
        [0, 0, -13_108, -32_768],
        &["\"y.rounded\"", "-49152 at [0, 3]", "17 bits", "16384 too far", "as 2"],
    );
    unsatisfied([255, 0, 0, 85], &["the key of node \"l\" (F)", "8 bits", "128 at [0, 0]", "9 bits"]);
    unsatisfied([0, 32_768, 0, 0], &["input \"in\"", "32768 at [0, 1]"]);
    for (numbers, part) in [([f64::NAN; 4], "NaN"), ([0.0, 0.0, 4e9, 0.0], "4000000000 at [0, 2]")] {
        assert_refused(network.quantise("in", &numbers), &["input \"in\"", part]);
    }
    assert_eq!(*network.quantise("in", &[0.5, -0.5, -0.51, 32_767.4]).unwrap(), [1, 0, -1, 32_767]);
    assert_refused(network.quantise("x", &[0.0]), &["no input \"x\"", "\"in\""]);
    assert_refused(network.run(&HashMap::new(), &mut |_, _| {}), &["input \"in\" is missing"]);
}

#[test]
fn data_beside_a_file_stays_in_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("model");
    std::fs::create_dir(&inner).unwrap();
    std::fs::write(folder.path().join("outside"), [1; 64]).unwrap();
    std::fs::write(inner.join("data"), [1; 64]).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("../outside", inner.join("link")).unwrap();
    let read = |location: &str, offset: &str, length: &str| {
        let entry = |key: &str, value: &str| Bytes::default().bytes(1, key).bytes(2, value);
        let stored = [("location", location), ("offset", offset), ("length", length)].iter().fold(
            Bytes::default().number(1, 2).number(2, INT32).bytes(8, "w").number(14, 1),
            |stored, (key, value)| stored.bytes(13, entry(key, value).0),
        );
        let mut net = begun();
        net.field(5, stored);
        let file = net.file();
        let graph = Graph::build(Model::read(&file)?, &Options::default())?;
        let Some(volery_onnx::Constant::Stored(stored)) = graph
            .tensors
            .iter()
            .find(|tensor| tensor.name == "w")
            .and_then(|tensor| tensor.constant.as_ref())
        else {
            panic!("a tensor with values")
        };
        stored.integers(Some(&inner.clone().into()))
    };
    assert_eq!(read("data", "56", "8").unwrap(), [0x0101_0101; 2]);
    for location in ["../outside", "/etc/passwd", "a/../../outside", "c:\\x", ""] {
        assert_refused(read(location, "0", "8"), &["\"w\"", "the folder of the ONNX file alone"]);
    }
    #[cfg(unix)]
    assert_refused(read("link", "0", "8"), &["\"w\"", "a link that leads out"]);
    assert_refused(read(".", "0", "8"), &["\"w\""]);
    assert_refused(read("absent", "0", "8"), &["\"w\"", "cannot be read"]);
    assert_refused(read("data", "57", "8"), &["\"w\"", "takes 8 bytes, and has 7"]);
    assert_refused(read("data", "0", "9"), &["\"w\"", "takes 8 bytes, and has 9"]);
    assert_refused(read("data", "18446744073709551615", "8"), &["\"w\"", "has 0"]);
    assert_refused(read("data", "-1", "8"), &["\"w\"", "\"-1\" as the offset"]);
}
