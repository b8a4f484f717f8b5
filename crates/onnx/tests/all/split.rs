//! Networks whose weights are apart: the same integers, one identity, and nothing of the weights in the public graph.

use crate::writer::{Bytes, FLOAT, INT8, INT16, INT32, INT64, Net, integer, integers, tensor};
use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;
use volery_channel::error::{Error, Result};
use volery_onnx::{Model, Network, Options, Split};

fn open(file: &[u8]) -> Result<Network<'_>> {
    Network::open(file, &Options::default())
}

fn split(file: &[u8]) -> Result<Split> {
    Split::of(file, &Options::default())
}

#[track_caller]
fn assert_refused<T>(result: Result<T>, parts: &[&str]) {
    let Err(Error::Invalid(why)) = result else { panic!("not refused: {parts:?}") };
    assert!(parts.iter().all(|part| why.contains(part)), "{why}\nwithout one of {parts:?}");
}

/// Every integer of a run, with some input.
fn trace(network: &Network<'_>) -> Vec<Vec<i64>> {
    let input = |&input: &usize| {
        let tensor = &network.tensors[input];
        (tensor.name.to_string(), (0..tensor.count() as i64).map(|i| i * 37 % 201 - 100).collect())
    };
    let inputs: HashMap<_, _> = network.inputs.iter().map(input).collect();
    let mut trace = vec![];
    network.run(&inputs, &mut |_, integers| trace.push(integers.to_vec())).unwrap();
    trace
}

fn widened(weights: &[i32]) -> Vec<i64> {
    weights.iter().map(|&weight| weight.into()).collect()
}

#[test]
fn a_graph_with_its_weights_is_the_network() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let mut identities = HashSet::new();
    for name in ["attention", "convolution", "dense", "series"] {
        let file = fs::read(folder.join(format!("{name}.q.onnx"))).unwrap();
        let (network, parts) = (open(&file).unwrap(), split(&file).unwrap());
        let graph = open(&parts.graph).unwrap();
        assert_eq!(graph.identity(), network.identity(), "{name}");
        assert!(identities.insert(graph.identity()), "{name}");
        assert_eq!(
            (graph.info().total, graph.info().weights),
            (network.info().total, network.info().weights)
        );
        let bounds = |network: &Network<'_>| -> Vec<u64> {
            network.tensors.iter().map(|tensor| tensor.bound).collect()
        };
        assert_eq!(bounds(&graph), bounds(&network), "{name}");
        assert_eq!(parts.weights.len(), network.weight_count(), "{name}");
        // Functions, by which others run the tables, stay.
        let functions = |file| Model::read(file).unwrap().functions.len();
        assert_eq!(functions(&parts.graph), functions(&file), "{name}");
        assert!(network.weight_count() > 0 && !network.lacks_weights() && graph.lacks_weights());
        assert_refused(graph.run(&HashMap::new(), &mut |_, _| {}), &["weights are apart"]);
        assert_refused(graph.weight_values(), &["weights are apart"]);
        let whole = graph.with_weights(&widened(&parts.weights)).unwrap();
        assert_eq!(trace(&whole), trace(&network), "{name}");
        assert_eq!(*whole.weight_values().unwrap(), *parts.weights);
        assert_eq!(whole.identity(), network.identity());
        assert_refused(whole.with_weights(&[]), &["has its weights"]);
        assert_refused(split(&parts.graph), &["split already"]);
    }
}

/// A network with a weight of each width, one of which has two scales and one is moved before it is a factor.
fn several() -> Net {
    let mut net = Net::new();
    net.input("in", &[1, 4]);
    net.round("in", "x", 0);
    let stored = |net: &mut Net, name: &str, kind, shape: &[i64], raw: &[u8]| {
        net.field(5, tensor(name, kind, shape, raw));
        net.node("DequantizeLinear", &format!("{name} x.scale"), &format!("{name}.real"), &[]);
    };
    let narrow = |numbers: &[i16]| numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<_>>();
    let wide = |numbers: &[i32]| numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<_>>();
    stored(&mut net, "bias", INT32, &[4], &wide(&[0, 1 << 30, -(1 << 30), 0]));
    stored(&mut net, "eight", INT8, &[4], &[1, 0xff, 2, 0]);
    stored(&mut net, "sixteen", INT16, &[1, 4], &narrow(&[3, -4, 5, -300]));
    stored(&mut net, "factor", INT32, &[4, 1], &wide(&[-(1 << 23), (1 << 23) - 1, 7, 0]));
    stored(&mut net, "volery.public/p", INT32, &[], &wide(&[9]));
    net.field(5, tensor("half", FLOAT, &[], &0.5_f32.to_le_bytes()));
    net.node("DequantizeLinear", "eight half", "eight.half", &[]);
    net.node("Transpose", "factor.real", "moved", &[]);
    net.node("Mul", "x moved", "a", &[]);
    net.node("Add", "a bias.real", "b", &[]);
    net.node("Add", "x eight.real", "c", &[]);
    net.node("Add", "c eight.half", "d", &[]);
    net.node("Add", "d sixteen.real", "e", &[]);
    net.node("Mul", "e volery.public/p.real", "f", &[]);
    net.round("b", "g", -20);
    net.round("f", "h", -3);
    net.output("g");
    net.output("h");
    net
}

#[test]
fn weights_are_listed_in_the_order_of_the_file() {
    let file = several().file();
    let parts = split(&file).unwrap();
    let graph = open(&parts.graph).unwrap();
    for network in [&open(&file).unwrap(), &graph] {
        let listed: Vec<_> = network.weights().iter().map(|w| (w.name, w.at, w.count, w.bits)).collect();
        let expected = [("bias", 0, 4, 32), ("eight", 4, 4, 8), ("sixteen", 8, 4, 16), ("factor", 12, 4, 24)];
        assert_eq!(listed, expected);
        let of = |name: &str| network.tensors.iter().position(|tensor| tensor.name == name).unwrap();
        assert_eq!(network.weight_of(of("sixteen")).unwrap().range(), 8..12);
        assert!(network.weight_of(of("volery.public/p")).is_none() && network.weight_of(of("b")).is_none());
    }
    let weights = widened(&parts.weights);
    assert_eq!(weights[..8], [0, 1 << 30, -(1 << 30), 0, 1, -1, 2, 0]);
    assert_eq!(weights[8..], [3, -4, 5, -300, -(1 << 23), (1 << 23) - 1, 7, 0]);
    let with = |i: usize, value: i64| {
        let mut weights = weights.clone();
        weights[i] = value;
        open(&parts.graph).unwrap().with_weights(&weights)
    };
    for (i, name, bits) in [(1, "bias", 32), (7, "eight", 8), (8, "sixteen", 16), (13, "factor", 24)] {
        let half = 1_i64 << (bits - 1);
        for value in [half - 1, -half] {
            assert_eq!(with(i, value).unwrap().weight_values().unwrap()[i], value as i32);
        }
        let (place, bits) = (format!("entry {} of the weight {name:?}", i % 4), format!("than {bits} bits"));
        for value in [half, -half - 1] {
            assert_refused(with(i, value), &[&place, &bits]);
        }
    }
    for (count, told) in [(15, "16 weights, and 15"), (17, "16 weights, and 17")] {
        let given: Vec<_> = weights.iter().cycle().take(count).copied().collect();
        assert_refused(open(&parts.graph).unwrap().with_weights(&given), &[told]);
    }
}

/// Secrets in whatever a network does not need: none is in the public graph.
#[test]
fn public_graphs_tell_nothing_of_weights() {
    let secret = b"whatever stands here is secret";
    let mut net = several();
    let plain = split(&net.file()).unwrap().graph;
    net.metadata.push(("author", "whatever stands here is secret"));
    net.field(5, tensor("unread", INT8, &[secret.len() as i64], secret));
    let value = Bytes::default().bytes(1, "value").number(20, 4);
    let constant = value.bytes(5, tensor("", INT8, &[secret.len() as i64], secret).0);
    net.node("Constant", "", "unread_constant", &[constant]);
    net.field(10, Bytes(secret.to_vec()));
    net.field(13, Bytes::default().bytes(1, "whatever stands here is secret"));
    let mut node = Bytes::default().bytes(1, "x").bytes(2, "n").bytes(3, "n").bytes(4, "Transpose");
    node = node.bytes(6, secret).bytes(9, Bytes::default().bytes(1, secret).0);
    net.field(1, node.bytes(5, integers("perm", &[0, 1]).bytes(13, secret).0));
    net.field(5, tensor("axes", INT64, &[1], &[0; 8]).bytes(12, secret));
    net.node("ReduceSum", "x axes", "m", &[]);
    // Training, a function that nobody calls, and documentation of the whole.
    let function = Bytes::default().bytes(1, "F").bytes(10, "volery.table").bytes(8, secret);
    let file = Bytes(net.file()).bytes(20, secret).bytes(25, function.0).bytes(6, secret).0;
    let parts = split(&file).unwrap();
    assert!(file.windows(secret.len()).any(|bytes| bytes == secret));
    assert!(!parts.graph.windows(secret.len()).any(|bytes| bytes == secret));
    // Values of weights are not in it either, and public ones are.
    assert!(!plain.windows(4).any(|bytes| bytes == (1_i32 << 30).to_le_bytes()));
    assert!(plain.windows(4).any(|bytes| bytes == 9_i32.to_le_bytes()));
}

#[test]
fn what_cannot_be_split_is_named() {
    let refused = |change: &dyn Fn(&mut Net), parts: &[&str]| {
        let mut net = several();
        change(&mut net);
        assert_refused(split(&net.file()), parts);
    };
    let value = Bytes::default().bytes(1, "value").number(20, 4).bytes(5, tensor("", INT8, &[4], &[7; 4]).0);
    let constant = |net: &mut Net| {
        net.node("Constant", "", "k", core::slice::from_ref(&value));
        net.node("DequantizeLinear", "k x.scale", "k.real", &[]);
    };
    refused(&constant, &["the weight \"k\" stands in a node"]);
    let zero = |net: &mut Net| {
        net.field(5, tensor("z", INT8, &[], &[0]));
        net.node("DequantizeLinear", "z x.scale", "z.real", &[]);
        net.node("DequantizeLinear", "eight x.scale z", "n", &[]);
    };
    refused(&zero, &["one of its weights is more than that", "zero point \"z\""]);
    let beside = |net: &mut Net| {
        let entry = Bytes::default().bytes(1, "location").bytes(2, "data");
        let stored = Bytes::default().number(1, 1).number(2, INT64).bytes(8, "far").number(14, 1);
        net.field(5, stored.bytes(13, entry.0));
    };
    refused(&beside, &["\"far\", which is no weight", "save the network as one file"]);
    refused(&|net| net.metadata.push(("volery.weights", "elsewhere")), &["volery.weights \"elsewhere\""]);
    refused(&|net| net.metadata.push(("volery.weights", "apart")), &["\"bias\" of the file", "to be apart"]);
    let apart = |change: &dyn Fn(&mut Net)| {
        let mut net = Net::new();
        net.metadata.push(("volery.weights", "apart"));
        net.input("in", &[1, 4]);
        net.round("in", "x", 0);
        net.typed_input("w", INT8, &[4]);
        net.node("DequantizeLinear", "w x.scale", "v", &[]);
        change(&mut net);
        open(&net.file()).map(drop)
    };
    apart(&|_| {}).unwrap();
    assert_refused(apart(&|net| net.typed_input("u", INT16, &[4])), &["weight \"u\"", "read by no node"]);
    assert_refused(apart(&|net| net.input("late", &[4])), &["\"late\"", "behind weights"]);
    assert_refused(apart(&|net| net.typed_input("u", INT64, &[4])), &["\"u\"", "behind weights"]);
    assert_refused(apart(&|net| net.node("Transpose", "w", "n", &[])), &["\"w\"", "a weight, which"]);
    assert_refused(apart(&|net| net.output("w")), &["output \"w\"", "neither held"]);
    let public = |net: &mut Net| {
        net.typed_input("volery.public/p", INT8, &[4]);
        net.node("DequantizeLinear", "volery.public/p x.scale", "n", &[]);
    };
    assert_refused(apart(&public), &["\"volery.public/p\"", "public by its name"]);
    let mut net = Net::new();
    net.typed_input("w", INT8, &[4]);
    assert_refused(open(&net.file()).map(drop), &["input \"w\"", "to be of floats"]);
}

/// Networks that differ in one thing that a proof depends on.
#[test]
fn what_is_proved_is_in_the_identity() {
    let mut known: HashMap<[u8; 32], String> = HashMap::new();
    let mut add = |what: &str, build: &dyn Fn(&mut Net)| {
        let mut net = Net::new();
        net.input("in", &[2, 2, 4, 4]);
        net.round("in", "x", 0);
        build(&mut net);
        let file = net.file();
        let identity = open(&file).unwrap_or_else(|why| panic!("{what}: {why}")).identity();
        let public = split(&file).unwrap_or_else(|why| panic!("{what}: {why}")).graph;
        assert_eq!(open(&public).unwrap().identity(), identity, "{what}");
        if let Some(other) = known.insert(identity, what.into()) {
            panic!("{what} is {other}");
        }
    };
    add("nothing", &|_| {});
    add("an output", &|net| net.output("x"));
    for shape in [[2, 2, 4, 5], [2, 4, 2, 4]] {
        add(&format!("{shape:?}"), &|net| net.input_of("more", &shape, 0));
    }
    add("another input", &|net| net.input_of("other", &[2, 2, 4, 5], 0));
    add("an exponent", &|net| net.input_of("more", &[2, 2, 4, 5], 1));
    for order in ["x y", "y x", "y"] {
        add(order, &|net| {
            net.round("x", "y", -1);
            order.split(' ').for_each(|output| net.output(output));
        });
    }
    for [first, second] in [["y", "z"], ["z", "y"]] {
        add(first, &|net| {
            net.round("x", first, -1);
            net.round("x", second, -2);
            net.output("y");
        });
    }
    for [first, second] in [["y", "z"], ["z", "y"]] {
        add(&format!("outputs {first} {second}"), &|net| {
            net.round("x", first, -1);
            net.round("x", second, -2);
            net.output(first);
            net.output(second);
        });
    }
    add("another shift", &|net| net.round("x", "y", -2));
    for name in ["more", "most"] {
        add(name, &|net| net.input_of(name, &[1], 0));
    }
    for node in [
        "Add x x",
        "Sub x x",
        "Mul x x",
        "Max x x",
        "MatMul x x",
        "Transpose x",
        "Add x y",
        "Add y x",
        "Max y x",
        "Concat x x axis=0",
        "Concat x x axis=1",
        "ArgMax x axis=0",
        "ArgMax x axis=1",
        "ArgMax x axis=0 keepdims=0",
        "ArgMax x axis=1 keepdims=0",
        "Gather x zero axis=0",
        "Gather x zero axis=1",
        "Gather x one axis=0",
        "Expand x whole",
        "Reshape x joined",
        "ReduceSum x zero",
        "ReduceSum x one",
        "ReduceSum x zero keepdims=0",
        "ReduceSum x one keepdims=0",
        "ReduceMax x zero keepdims=0",
        "ReduceMax x one keepdims=0",
        "Slice x zero one zero",
        "Slice x one two zero",
        "Slice x zero one one",
        "Slice x zero four two two",
        "Slice x zero four two one",
        "Slice x one four two two",
        "MaxPool x w=2",
        "MaxPool x w=1",
        "MaxPool x w=2 p=0",
        "MaxPool x w=2 p=1",
        "MaxPool x w=2 p=2",
        "MaxPool x w=2 d=2",
        "MaxPool x w=3",
        "MaxPool x w=2 s=2",
    ] {
        add(node, &|net| {
            for (name, numbers) in [
                ("zero", &[0][..]),
                ("one", &[1]),
                ("two", &[2]),
                ("four", &[4]),
                ("whole", &[2, 2, 4, 4]),
                ("joined", &[2, 2, 16]),
            ] {
                net.constant(name, &[numbers.len() as i64], numbers);
            }
            net.round("x", "y", 0);
            let (attributes, words): (Vec<&str>, _) = node.split(' ').partition(|word| word.contains('='));
            let attribute = |text: &&str| {
                let (name, number) = text.split_once('=').unwrap();
                let number = number.parse().unwrap();
                match name {
                    "w" => integers("kernel_shape", &[2, number]),
                    "s" => integers("strides", &[1, number]),
                    "d" => integers("dilations", &[1, number]),
                    "p" => {
                        let mut pads = [0; 4];
                        pads[number as usize] = 1;
                        integers("pads", &pads)
                    }
                    _ => integer(name, number),
                }
            };
            let attributes: Vec<Bytes> = attributes.iter().map(attribute).collect();
            net.node(words[0], &words[1..].join(" "), "n", &attributes);
        });
    }
    let dequantised = |net: &mut Net, name: &str, kind: i64, shape: &[i64], entry: u8, exponent: i32| {
        let count = shape.iter().product::<i64>() as usize;
        let width = match kind {
            INT8 => 1,
            INT16 => 2,
            _ => 4,
        };
        let mut entries = vec![0; count * width];
        entries.iter_mut().step_by(width).for_each(|byte| *byte = entry);
        net.field(5, tensor(name, kind, shape, &entries));
        let scale = format!("{name}.scale");
        net.field(5, tensor(&scale, FLOAT, &[], &(-exponent as f32).exp2().to_le_bytes()));
        net.node("DequantizeLinear", &format!("{name} {scale}"), &format!("{name}.real"), &[]);
    };
    for (name, kind, shape, entry, exponent) in [
        ("w", INT8, &[4][..], 0, 0),
        ("w", INT16, &[4], 0, 0),
        ("w", INT32, &[4], 0, 0),
        ("w", INT8, &[1, 4], 0, 0),
        ("w", INT8, &[4], 0, 1),
        ("w", INT8, &[4], 0, -1),
        ("volery.public/p", INT8, &[4], 1, 0),
        ("volery.public/p", INT8, &[4], 2, 0),
        ("volery.public/p", INT8, &[4, 1], 2, 0),
    ] {
        for operator in ["Add", "Mul"] {
            add(&format!("{operator} {name} {kind} {shape:?} {entry} {exponent}"), &|net| {
                dequantised(net, name, kind, shape, entry, exponent);
                net.node(operator, &format!("x {name}.real"), "n", &[]);
            });
        }
    }
    // Which of two weights, and where each stands in the list.
    for (order, read) in [("u v", "u v"), ("v u", "u v"), ("u v", "u v u"), ("u v", "u v v")] {
        add(&format!("{order}, {read}"), &|net| {
            let mut names: Vec<_> = order.split(' ').collect();
            names.iter().for_each(|name| net.field(5, tensor(name, INT8, &[4], &[0; 4])));
            names = read.split(' ').collect();
            for (i, name) in names.iter().enumerate() {
                net.node("DequantizeLinear", &format!("{name} x.scale"), &format!("r{i}"), &[]);
                net.node("Mul", &format!("x r{i}"), &format!("n{i}"), &[]);
            }
        });
    }
    for (operator, attribute, numbers) in [
        ("Conv", "strides", &[][..]),
        ("Conv", "strides", &[2, 1]),
        ("Conv", "strides", &[1, 2]),
        ("Conv", "dilations", &[1, 2]),
        ("Conv", "pads", &[1, 0, 0, 0]),
        ("Conv", "pads", &[0, 0, 1, 0]),
        ("ConvTranspose", "pads", &[1, 0, 0, 0]),
        ("ConvTranspose", "pads", &[0, 0, 1, 0]),
        ("ConvTranspose", "strides", &[]),
        ("ConvTranspose", "strides", &[2, 1]),
    ] {
        add(&format!("{operator} {attribute} {numbers:?}"), &|net| {
            dequantised(net, "w", INT8, &[2, 2, 2, 2], 0, 0);
            let attributes = if numbers.is_empty() { vec![] } else { vec![integers(attribute, numbers)] };
            net.node(operator, "x w.real", "n", &attributes);
        });
    }
    for (rows, group) in [(2, 1), (2, 2), (4, 2)] {
        add(&format!("{rows} kernels in {group}"), &|net| {
            dequantised(net, "w", INT8, &[rows, 2 / group, 1, 1], 0, 0);
            net.node("Conv", "x w.real", "n", &[integer("group", group)]);
        });
    }
    for (transposed, shape) in [(0, [4, 4]), (1, [4, 4]), (0, [4, 3])] {
        add(&format!("Gemm {transposed} {shape:?}"), &|net| {
            dequantised(net, "w", INT8, &shape, 0, 0);
            net.constant("s", &[2], &[16, 4]);
            net.node("Reshape", "x s", "y", &[]);
            net.node("Gemm", "y w.real", "n", &[integer("transB", transposed)]);
        });
    }
    for (row, rows, used) in [(0, 256, "F"), (1, 256, "F"), (0, 512, "F"), (1, 256, "G")] {
        add(&format!("a table of {rows}, {row}, {used}"), &|net| {
            for (name, first) in [("F", row), ("G", 7)] {
                let mut values = vec![0; 2 * rows];
                values[0] = first;
                net.field(5, tensor(&format!("volery.table/{name}"), INT16, &[rows as i64], &values));
            }
            for (i, name) in ["F", "G", used].iter().enumerate() {
                net.node_of("volery.table", name, "x", &format!("l{i}"), &[]);
                net.round(&format!("l{i}"), &format!("n{i}"), 0);
            }
        });
    }
    assert!(known.len() > 80, "{}", known.len());
}

/// Names that mean nothing, values of weights and how a file has its bytes are no part of an identity.
#[test]
fn what_is_not_proved_is_not_in_the_identity() {
    let of = |names: &str, weight: &[u8; 4], more: &dyn Fn(&mut Net)| {
        let mut net = Net::new();
        let n = |name: &str| format!("{names}{name}");
        net.input("in", &[1, 4]);
        net.round("in", &n("x"), 0);
        net.field(5, tensor(&n("w"), INT8, &[4], weight));
        net.field(5, tensor(&format!("volery.public/{names}"), INT8, &[4], &[1, 2, 3, 4]));
        net.field(5, tensor(&format!("volery.table/{names}F"), INT16, &[256], &[1; 512]));
        for (stored, real) in [(n("w"), "v"), (format!("volery.public/{names}"), "p")] {
            net.node("DequantizeLinear", &format!("{stored} {}", n("x.scale")), &n(real), &[]);
        }
        net.node("Mul", &format!("{} {}", n("x"), n("v")), &n("m"), &[]);
        net.node("Add", &format!("{} {}", n("m"), n("p")), &n("a"), &[]);
        net.round(&n("a"), &n("y"), 0);
        net.node_of("volery.table", &format!("{names}F"), &n("y"), &n("l"), &[]);
        net.round(&n("l"), "out", 0);
        net.output("out");
        more(&mut net);
        open(&net.file()).unwrap().identity()
    };
    let identity = of("", &[1; 4], &|_| {});
    assert_eq!(of("other/", &[1; 4], &|_| {}), identity);
    assert_eq!(of("", &[2; 4], &|_| {}), identity);
    assert_eq!(of("", &[1; 4], &|net| net.metadata.push(("author", "somebody"))), identity);
    assert_eq!(of("", &[1; 4], &|net| net.constant("unread", &[1], &[7])), identity);
    assert_ne!(of("", &[1; 4], &|net| net.node("Transpose", "y", "z", &[])), identity);
}
