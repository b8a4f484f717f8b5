//! Operators beside loops as ONNX defines them, on what the fixtures do not have: a network of one node each.

use crate::statement::Case;
use crate::writer::{Bytes, Net, integer, integers};
use std::collections::HashMap;
use volery_channel::pool::Pool;
use volery_onnx::{Network, Options, Quantity};

/// Integers by chance, of 12 bits, the same each time.
fn random(count: usize, mut seed: u64) -> Vec<i64> {
    let next = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as i64 % 2048 - 1024
    };
    core::iter::repeat_with(next).take(count).collect()
}

fn lengths(shape: &[usize]) -> Vec<i64> {
    shape.iter().map(|&length| length as i64).collect()
}

/// The integers that a node makes of a first input `x`, which is rounded before, and what `more` adds beside.
fn made(
    operator: &str,
    x: &[usize],
    inputs: &str,
    attributes: &[Bytes],
    more: impl FnOnce(&mut Net),
) -> Made {
    let source = random(x.iter().product(), 1);
    made_of(&source, 1, operator, x, inputs, attributes, more)
}

/// The integers that a node makes of some that are multiplied by a public factor first; see [`made`].
fn made_of(
    source: &[i64],
    factor: i32,
    operator: &str,
    x: &[usize],
    inputs: &str,
    attributes: &[Bytes],
    more: impl FnOnce(&mut Net),
) -> Made {
    let mut net = Net::new();
    net.input("in", &lengths(x));
    if factor == 1 {
        net.round("in", "x", 0);
    } else {
        net.round("in", "held", 0);
        net.weight("factor", &[], &[factor], 0, true);
        net.node("Mul", "held factor", "x", &[]);
    }
    more(&mut net);
    net.node(operator, inputs, "made", attributes);
    net.round("made", "out", -12);
    net.output("out");
    let file = net.file();
    let network = Network::open(&file, &Options::default()).unwrap();
    let inputs = HashMap::from([("in".to_string(), source.to_vec())]);
    let mut found = None;
    let run = network.run(&inputs, &mut |tensor, integers| {
        if tensor.name == "made" {
            found = Some(Made { shape: tensor.shape.clone(), integers: integers.to_vec() });
        }
    });
    // What a factor makes large may be beyond the output.
    assert!(run.is_ok() || factor != 1);
    if run.is_ok() {
        Case::new(file.clone(), &inputs, "weights=private", 1).holds().unwrap();
    }
    found.unwrap()
}

/// A factor by which sums are larger than a floating-point number has room for, for all that the bounds tell.
const LARGE: i32 = 1 << 23;

struct Made {
    shape: Vec<usize>,
    integers: Vec<i64>,
}

/// All coordinates of a shape, in row-major order.
fn all(shape: &[usize]) -> Vec<Vec<usize>> {
    let mut coordinates = vec![vec![]];
    for &length in shape {
        let longer = |at: Vec<usize>| (0..length).map(move |i| [&at[..], &[i]].concat());
        coordinates = coordinates.into_iter().flat_map(longer).collect();
    }
    coordinates
}

fn offset(shape: &[usize], at: &[usize]) -> usize {
    shape.iter().zip(at).fold(0, |offset, (length, at)| offset * length + at)
}

/// Compares a convolution with the definition, by both kernels.
fn check_convolution(x: &[usize], w: &[usize], groups: usize, steps: [&[usize]; 3], transposed: bool) {
    let [strides, dilations, pads] = steps;
    let weights: Vec<i32> = random(w.iter().product(), 2).iter().map(|&value| value as i32).collect();
    let outputs = if transposed { w[1] * groups } else { w[0] };
    let biases: Vec<i32> = (0..outputs as i32).collect();
    let attributes = [
        integer("group", groups as i64),
        integers("strides", &lengths(strides)),
        integers("dilations", &lengths(dilations)),
        integers("pads", &lengths(pads)),
    ];
    let operator = if transposed { "ConvTranspose" } else { "Conv" };
    let source = random(x.iter().product(), 1);
    let [found, large] = [1, LARGE].map(|factor| {
        made_of(&source, factor, operator, x, "x w b", &attributes, |net| {
            net.weight("w", &lengths(w), &weights, 3, factor != 1);
            net.weight("b", &[outputs as i64], &biases, 2, false);
        })
    });
    // By the definition: each place of the smaller side meets one of the larger by each tap.
    let mut sums = vec![0; found.integers.len()];
    let (small, large_side) = if transposed { (x, &*found.shape) } else { (&*found.shape, x) };
    let places = all(&small[2..]);
    for kernel in all(w) {
        let (o, c) = if transposed {
            (kernel[0] / (w[0] / groups) * w[1] + kernel[1], kernel[0])
        } else {
            (kernel[0], kernel[0] / (w[0] / groups) * w[1] + kernel[1])
        };
        let weight = i64::from(weights[offset(w, &kernel)]);
        for at in &places {
            let place = |i: usize| (at[i] * strides[i] + kernel[2 + i] * dilations[i]).checked_sub(pads[i]);
            let met: Option<Vec<usize>> =
                (0..at.len()).map(|i| place(i).filter(|&place| place < large_side[2 + i])).collect();
            let Some(met) = met else { continue };
            let (from, to) = if transposed { (at, &met) } else { (&met, at) };
            for batch in 0..x[0] {
                let from = offset(&x[2..], from) + (batch * x[1] + c) * x[2..].iter().product::<usize>();
                let plane: usize = found.shape[2..].iter().product();
                sums[offset(&found.shape[2..], to) + (batch * outputs + o) * plane] += source[from] * weight;
            }
        }
    }
    let channel = |place: usize| place / found.shape[2..].iter().product::<usize>() % outputs;
    let with_bias =
        |factor: i64| (0..).zip(&sums).map(|(i, sum)| sum * factor + 2 * channel(i) as i64).collect();
    let expected: [Vec<i64>; 2] = [1, LARGE.into()].map(with_bias);
    assert!(
        [&expected[0], &expected[1]] == [&found.integers, &large.integers],
        "{operator} of {x:?} by {w:?}"
    );
}

#[test]
fn convolutions_are_sums_over_their_windows() {
    check_convolution(&[2, 2, 7], &[4, 1, 3], 2, [&[2], &[2], &[1, 3]], false);
    check_convolution(&[1, 3, 5, 6], &[2, 3, 2, 3], 1, [&[1, 3], &[2, 1], &[0, 2, 1, 1]], false);
    check_convolution(
        &[1, 2, 3, 4, 5],
        &[2, 2, 2, 1, 3],
        1,
        [&[1, 2, 2], &[1, 1, 1], &[1, 0, 1, 0, 1, 1]],
        false,
    );
    // One place, which the only window does not meet.
    check_convolution(&[1, 1, 1, 4], &[1, 1, 1, 1], 1, [&[3, 1], &[1, 1], &[1, 0, 1, 0]], false);
    check_convolution(&[2, 4, 5], &[4, 2, 3], 2, [&[2], &[2], &[1, 0]], true);
    check_convolution(&[1, 2, 3, 4], &[2, 3, 2, 3], 1, [&[2, 1], &[1, 2], &[0, 1, 1, 0]], true);
    check_convolution(
        &[1, 2, 2, 2, 3],
        &[2, 1, 2, 2, 2],
        2,
        [&[1, 2, 3], &[1, 1, 1], &[0, 0, 0, 1, 1, 1]],
        true,
    );
}

/// Enough channels that windows are packed: of fewer than a tile, and of more than some.
#[test]
fn convolutions_of_many_channels_are_packed() {
    check_convolution(&[1, 8, 5, 21], &[9, 8, 3, 3], 1, [&[1, 1], &[1, 1], &[1, 1, 1, 1]], false);
    check_convolution(&[2, 16, 7], &[16, 8, 3], 2, [&[2], &[2], &[1, 3]], false);
    check_convolution(
        &[1, 13, 3, 2, 3],
        &[5, 13, 2, 1, 3],
        1,
        [&[1; 3], &[1; 3], &[1, 0, 1, 0, 1, 1]],
        false,
    );
    check_convolution(&[2, 8, 3, 3], &[8, 8, 1, 1], 1, [&[1, 1], &[1, 1], &[0; 4]], false);
    // More products than are summed as floating-point numbers, and than are packed at a time.
    check_convolution(&[1, 350, 3], &[3, 350, 3], 1, [&[1], &[1], &[1, 1]], false);
    // More windows than are gone through side by side, each with its own kernels.
    check_convolution(&[1, 2, 3, 200], &[2, 1, 3, 2], 2, [&[1, 1], &[1, 1], &[1, 0, 1, 1]], false);
    check_convolution(&[2, 8, 5], &[8, 8, 3], 1, [&[2], &[2], &[1, 0]], true);
    check_convolution(&[1, 16, 3, 4], &[16, 8, 2, 3], 2, [&[2, 1], &[1, 2], &[0, 1, 1, 0]], true);
}

#[test]
fn matrices_are_broadcast() {
    for (a, b) in [
        (&[2, 1, 3, 4][..], &[5, 4, 2][..]),
        (&[4], &[3, 4, 2]),
        (&[2, 3, 4], &[4]),
        (&[4], &[4]),
        (&[2, 4, 1], &[1, 17]),
        (&[7, 300], &[300, 18]),
    ] {
        let weights: Vec<i32> = random(b.iter().product(), 3).iter().map(|&value| value as i32).collect();
        let source = random(a.iter().product(), 1);
        let [found, large] = [1, LARGE].map(|factor| {
            made_of(&source, factor, "MatMul", a, "x w", &[], |net| {
                net.weight("w", &lengths(b), &weights, 0, factor != 1);
            })
        });
        // Columns and rows that vectors are given, and outer places by their lengths.
        let a2 = if a.len() == 1 { vec![1, a[0]] } else { a.to_vec() };
        let b2 = if b.len() == 1 { vec![b[0], 1] } else { b.to_vec() };
        let rank = a2.len().max(b2.len());
        let padded = |shape: &[usize]| [&vec![1; rank - shape.len()][..], shape].concat();
        let (a2, b2) = (padded(&a2), padded(&b2));
        let mut full: Vec<usize> = (0..rank - 2).map(|i| a2[i].max(b2[i])).collect();
        full.extend([a2[rank - 2], b2[rank - 1]]);
        let sums: Vec<i64> = all(&full)
            .iter()
            .map(|at| {
                let outer =
                    |shape: &[usize]| (0..rank - 2).map(|i| at[i].min(shape[i] - 1)).collect::<Vec<_>>();
                let i = offset(&a2, &[&outer(&a2)[..], &[at[rank - 2], 0]].concat());
                let j = offset(&b2, &[&outer(&b2)[..], &[0, at[rank - 1]]].concat());
                let product = |k: usize| source[i + k] * i64::from(weights[j + k * b2[rank - 1]]);
                (0..a2[rank - 1]).map(product).sum()
            })
            .collect();
        assert!(sums == found.integers, "{a:?} by {b:?}");
        assert!(sums.iter().map(|sum| sum * i64::from(LARGE)).eq(large.integers), "{a:?} by {b:?}");
    }
}

#[test]
fn matrices_are_transposed() {
    for (rows, depth) in [(1, 9), (5, 9), (7, 1)] {
        let (source, weights) = (random(rows * depth, 1), random(18 * depth, 3));
        let narrow: Vec<i32> = weights.iter().map(|&value| value as i32).collect();
        for factor in [1, LARGE] {
            let attributes = [integer("transB", 1)];
            let found = made_of(&source, factor, "Gemm", &[rows, depth], "x w", &attributes, |net| {
                net.weight("w", &[18, depth as i64], &narrow, 0, factor != 1);
            });
            let sum = |place: usize| -> i64 {
                let (row, column) = (place / 18 * depth, place % 18 * depth);
                (0..depth).map(|k| source[row + k] * weights[column + k] * i64::from(factor)).sum()
            };
            assert!(found.integers.into_iter().eq((0..rows * 18).map(sum)), "{rows} rows of {depth}");
        }
    }
}

/// Sums that are the largest of those by floating-point numbers, and the least of those that are not.
#[test]
fn sums_are_exact_at_the_limit_of_numbers() {
    for (depth, weight) in [(2, -32_768), (2, 32_768), (2, 32_769), (300, 256), (300, 257)] {
        let source = vec![-32_768; 4 * depth];
        let found = made_of(&source, 1 << 20, "MatMul", &[4, depth], "x w", &[], |net| {
            net.weight("w", &[depth as i64, 3], &vec![weight; 3 * depth], 0, true);
        });
        assert_eq!(found.integers, [(-(depth as i64) * i64::from(weight)) << 35; 12]);
    }
}

/// Products in several parts, of steps and of columns, by any number of threads.
#[test]
fn threads_make_the_same_sums() {
    let (rows, depth, columns) = (4, 2_050, 150);
    let mut net = Net::new();
    net.input("in", &[rows, depth]);
    net.round("in", "x", 0);
    let weights: Vec<i32> = (0..(depth * columns) as i32).map(|i| i % 911 - 455).collect();
    net.weight("w", &[depth, columns], &weights, 0, false);
    net.node("MatMul", "x w", "made", &[]);
    net.round("made", "out", -14);
    net.output("out");
    let file = net.file();
    let mut network = Network::open(&file, &Options::default()).unwrap();
    let source = random((rows * depth) as usize, 1);
    let (depth, columns) = (depth as usize, columns as usize);
    let mut expected = vec![0; rows as usize * columns];
    for (sums, row) in expected.chunks_exact_mut(columns).zip(source.chunks_exact(depth)) {
        for (factor, weights) in row.iter().zip(weights.chunks_exact(columns)) {
            sums.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += factor * i64::from(*weight));
        }
    }
    let inputs = HashMap::from([("in".to_string(), source)]);
    for threads in [1, 2, 5] {
        network.share_work(&Pool::of(threads));
        let check = &mut |tensor: &Quantity<'_>, integers: &[i64]| {
            assert!(tensor.name != "made" || integers == expected, "{threads} threads");
        };
        network.run(&inputs, check).unwrap();
    }
}

#[test]
fn elements_are_moved() {
    let source = random(24, 1);
    let take = |places: &[usize]| places.iter().map(|&place| source[place]).collect::<Vec<_>>();
    let found = made("Slice", &[4, 6], "x s e - t", &[], |net| {
        net.constant("s", &[2], &[1, -5]);
        net.constant("e", &[2], &[i64::MAX, -1]);
        net.constant("t", &[2], &[2, 3]);
    });
    assert_eq!((found.shape, found.integers), (vec![2, 2], take(&[7, 10, 19, 22])));
    let found =
        made("Gather", &[4, 6], "x i", &[integer("axis", 1)], |net| net.constant("i", &[2, 1], &[-1, 0]));
    assert_eq!(found.shape, [4, 2, 1]);
    assert_eq!(found.integers, take(&[5, 0, 11, 6, 17, 12, 23, 18]));
    let found = made("Transpose", &[2, 3, 4], "x", &[integers("perm", &[2, 0, 1])], |_| {});
    let expected: Vec<usize> =
        all(&[4, 2, 3]).iter().map(|at| offset(&[2, 3, 4], &[at[1], at[2], at[0]])).collect();
    assert_eq!((found.shape, found.integers), (vec![4, 2, 3], take(&expected)));
    let found = made("Expand", &[3, 1], "x s", &[], |net| net.constant("s", &[3], &[2, 1, 2]));
    assert_eq!((found.shape, found.integers), (vec![2, 3, 2], take(&[0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2])));
    let found = made("Pad", &[3], "x p", &[], |net| net.constant("p", &[2], &[1, 2]));
    assert_eq!(found.integers, [0, source[0], source[1], source[2], 0, 0]);
    let found = made("Concat", &[2, 2], "w x", &[integer("axis", 1)], |net| {
        net.weight("w", &[2, 1], &[5, 6], -1, false)
    });
    assert_eq!(found.integers, [10, source[0], source[1], 12, source[2], source[3]]);
}

#[test]
fn tensors_that_are_read_again_are_kept() {
    let found = made("Mul", &[2, 3], "b a", &[], |net| {
        net.node("Add", "x x", "a", &[]);
        net.node("Sub", "a x", "b", &[]);
    });
    assert!(random(6, 1).iter().map(|x| x * 2 * x).eq(found.integers));
}

#[test]
fn axes_are_summed_and_compared() {
    let source = random(24, 1);
    let rows = |make: fn(i64, i64) -> i64| {
        let of = |at: &[usize], i: usize| source[offset(&[2, 3, 4], &[i, at[0], at[1]])];
        all(&[3, 4]).iter().map(|at| make(of(at, 0), of(at, 1))).collect::<Vec<_>>()
    };
    let axes = |net: &mut Net| net.constant("a", &[1], &[0]);
    assert_eq!(made("ReduceSum", &[2, 3, 4], "x a", &[], axes).integers, rows(|a, b| a + b));
    let found = made("ReduceMax", &[2, 3, 4], "x a", &[integer("keepdims", 0)], axes);
    assert_eq!((found.shape, found.integers), (vec![3, 4], rows(i64::max)));
    let outer = |net: &mut Net| net.constant("a", &[2], &[0, 2]);
    let sum = |row: usize| (0..8).map(|i| source[i / 4 * 12 + row * 4 + i % 4]).sum();
    assert!(made("ReduceSum", &[2, 3, 4], "x a", &[], outer).integers.into_iter().eq((0..3).map(sum)));
    // Padding is below all.
    let pads = [integers("kernel_shape", &[2]), integers("pads", &[1, 1]), integers("strides", &[2])];
    let found = made("MaxPool", &[1, 1, 4], "x", &pads, |_| {});
    assert_eq!(found.integers, [source[0], source[1].max(source[2]), source[3]]);
}

/// Counts of a network by hand, as a proof would have them.
#[test]
fn what_a_network_takes_is_counted() {
    let mut net = Net::new();
    net.input("in", &[1, 8]);
    net.round("in", "x", 0);
    net.weight("w", &[8, 4], &[3; 32], 12, false);
    net.node("MatMul", "x w", "sums", &[]);
    net.round("sums", "h", 0);
    let rows: Vec<u8> = (-32_768..=32_767i16).flat_map(|key| key.max(0).to_le_bytes()).collect();
    net.field(5, crate::writer::tensor("volery.table/Relu", crate::writer::INT16, &[65_536], &rows));
    net.node_of("volery.table", "Relu", "h", "looked", &[]);
    net.round("looked", "y", 0);
    net.constant("a", &[1], &[1]);
    net.node("ReduceMax", "y a", "most", &[]);
    net.output("most");
    let file = net.file();
    let network = Network::open(&file, &Options::default()).unwrap();
    let info = network.info();
    let total = info.total;
    assert_eq!((total.sums, total.products, total.terms, total.roundings), (4, 32, 8 + 32 + 4, 4));
    // The input with its range; quotient, remainder and its range; the table; the maximum of four.
    assert_eq!((total.elements, total.ranges, total.lookups, total.maxima), (8 + 8 + 4 + 1, 8 + 4 + 4, 4, 1));
    assert_eq!((info.weights, info.publics, info.tables["Relu"], info.rows), (32, 0, 4, 65_536 * 2));
    // 8 · 2^15 · 2^23.
    assert_eq!(info.layers.iter().find(|layer| layer.name == "sums").unwrap().bits, 42);
    let inputs = HashMap::from([("in".to_string(), vec![-2000; 8])]);
    assert_eq!(*network.run(&inputs, &mut |_, _| {}).unwrap()[0], [0]);
    let inputs = HashMap::from([("in".to_string(), network.quantise("in", &[2000.4; 8]).unwrap().to_vec())]);
    assert_eq!(*network.run(&inputs, &mut |_, _| {}).unwrap()[0], [(2000 * 24 + 2048) / 4096]);
}
