//! Bytes of strangers: no file makes the reader panic, or allocate what is not there.

use crate::writer::{Bytes, INT16, Net, integer, integers, tensor};
use std::fs;
use std::path::Path;
use volery_channel::error::{Error, Result};
use volery_onnx::{Graph, Model, Network, Options};

fn read(file: &[u8]) -> Result<usize> {
    let network = Network::open(file, &Options::default())?;
    Ok(network.info().layers.len())
}

#[track_caller]
fn assert_refused(file: &[u8], part: &str) {
    let Err(Error::Invalid(why)) = read(file) else { panic!("not refused: {part}") };
    assert!(why.contains(part), "{why}\nwithout {part}");
}

#[test]
fn a_file_that_is_cut_or_changed_is_read_or_refused() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/series.q.onnx");
    let file = fs::read(path).unwrap();
    assert!(read(&file).unwrap() > 5);
    // What is cut off is a field that is missing, or a length that lies.
    let whole = (0..file.len()).filter(|&length| read(&file[..length]).is_ok()).count();
    assert!(whole < 10, "{whole}");
    let mut changed = file.clone();
    let mut accepted = 0;
    for i in 0..file.len() {
        for bits in [1, 0x80, 0xff] {
            changed[i] ^= bits;
            accepted += usize::from(read(&changed).is_ok());
            changed[i] ^= bits;
        }
    }
    // Of weights, and of names.
    assert!(accepted > 100 && accepted < 3 * file.len(), "{accepted}");
}

#[test]
fn lengths_of_a_file_are_not_believed() {
    let with = |change: &dyn Fn(&mut Net)| {
        let mut net = Net::new();
        net.input("in", &[1, 4]);
        net.round("in", "x", 0);
        change(&mut net);
        net.file()
    };
    assert_refused(&[0x3a, 0xff, 0xff, 0xff, 0xff, 0x7f], "may have been cut short");
    assert_refused(&[0x08, 0xff], "a number does not end");
    assert_refused(&[0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2], "a number does not end");
    assert_refused(&[0x0b], "no wire type 3");
    assert_refused(b"", "no IR version");
    assert_refused(&Bytes::default().number(1, 10).number(1, 10).0, "field 1 stands twice");
    assert_refused(
        &with(&|net| net.field(5, tensor("w", INT16, &[1 << 40, 1 << 40], &[]))),
        "elements are the most",
    );
    assert_refused(
        &with(&|net| net.field(5, tensor("w", INT16, &[1 << 40, 0, 1 << 40], &[]))),
        "elements are the most",
    );
    assert_refused(&with(&|net| net.field(5, tensor("w", INT16, &[-1], &[]))), "a length below 0");
    assert_refused(
        &with(&|net| net.field(5, tensor("w", INT16, &[1; 9], &[0; 2]))),
        "more than 8 dimensions",
    );
    assert_refused(&with(&|net| net.field(5, tensor("w", INT16, &[2], &[0; 3]))), "has 3 bytes, and 4");
    assert_refused(&with(&|net| net.field(5, tensor("w", 8, &[0], &[]))), "type string");
    assert_refused(&with(&|net| net.node(&"x".repeat(5000), "x", "n", &[])), "a text has 5000 bytes");
    let asked = |shape: &[i64]| {
        let shape = shape.to_vec();
        with(&move |net| {
            net.constant("s", &[shape.len() as i64], &shape);
            net.node("Expand", "x s", "n", &[]);
        })
    };
    assert_refused(&asked(&[1 << 62, 4]), "elements are the most");
    assert_refused(&asked(&[1 << 32, 1]), "elements are the most");
    // A constant that a kilobyte makes long is none.
    let file = with(&|net| {
        net.constant("c", &[1], &[7]);
        net.constant("s", &[1], &[1 << 30]);
        net.node("Expand", "c s", "n", &[]);
    });
    let graph = Graph::build(Model::read(&file).unwrap(), &Options::default()).unwrap();
    assert!(graph.nodes.iter().any(|node| node.name == "n"));
    assert_refused(&asked(&[-1, 1]), "asks for the shape");
    let pads = [i64::MIN, i64::MAX, 1 << 62];
    for pad in pads {
        let file = with(&|net| {
            net.constant("p", &[4], &[0, pad, 0, 1]);
            net.node("Pad", "x p", "n", &[]);
        });
        assert!(read(&file).is_err());
    }
    // One that would ask for a gigabyte of shapes by a kilobyte of nodes.
    let file = with(&|net| {
        net.constant("s", &[1], &[1 << 20]);
        for i in 0..20 {
            net.node(
                "ConstantOfShape",
                "s",
                &format!("n{i}"),
                &[Bytes::default().bytes(1, "value").number(20, 4).bytes(5, tensor("", 7, &[1], &[0; 8]).0)],
            );
        }
    });
    assert_refused(&file, "pass 4194304 integers in all");
    let windows = [integers("kernel_shape", &[1 << 16; 3]), integers("pads", &[65_535; 6])];
    let file = with(&|net| {
        net.constant("s", &[5], &[1, 1, 2, 2, 1]);
        net.node("Reshape", "x s", "y", &[]);
        net.node("MaxPool", "y", "n", &windows);
    });
    assert_refused(&file, "elements are the most");
    let file = with(&|net| net.node("ArgMax", "x", "n", &[integer("axis", i64::MIN)]));
    assert_refused(&file, "the axis -9223372036854775808 of 2");
}
