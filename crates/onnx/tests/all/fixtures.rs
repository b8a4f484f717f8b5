//! Networks that the Python package quantised, and every integer of its numpy reference for one input.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use volery_onnx::{Network, Options};

/// A tensor of a reference.
struct Record {
    name: String,
    exponent: i32,
    shape: Vec<usize>,
    integers: Vec<i64>,
}

/// The next `N` bytes of a file.
fn take<const N: usize>(bytes: &mut &[u8]) -> [u8; N] {
    let (taken, rest) = bytes.split_first_chunk().expect("a whole record");
    *bytes = rest;
    *taken
}

fn records(mut bytes: &[u8]) -> Vec<Record> {
    let bytes = &mut bytes;
    let mut records = vec![];
    while !bytes.is_empty() {
        let length = u16::from_le_bytes(take(bytes)).into();
        let (name, rest) = bytes.split_at(length);
        *bytes = rest;
        let exponent = i32::from_le_bytes(take(bytes));
        let [rank] = take(bytes);
        let shape: Vec<usize> = (0..rank).map(|_| u32::from_le_bytes(take(bytes)) as usize).collect();
        let integers = (0..shape.iter().product()).map(|_| i64::from_le_bytes(take(bytes))).collect();
        records.push(Record { name: String::from_utf8(name.into()).unwrap(), exponent, shape, integers });
    }
    records
}

/// The folder of the fixtures.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

/// The inputs of a network in a file of values.
pub(crate) fn inputs_of(network: &Network<'_>, values: &Path) -> HashMap<String, Vec<i64>> {
    let records = records(&fs::read(values).unwrap());
    let inputs = network.inputs.iter().map(|&input| {
        let name = network.tensors[input].name;
        let record = records.iter().find(|record| record.name == name).unwrap();
        (name.to_string(), record.integers.clone())
    });
    inputs.collect()
}

/// Runs the network of a fixture, and compares every tensor.
fn compare(folder: &Path, name: &str) -> usize {
    let file = fs::read(folder.join(format!("{name}.q.onnx"))).unwrap();
    let network = Network::open(&file, &Options::default()).unwrap();
    let values = folder.join(format!("{name}.values"));
    let (records, inputs) = (records(&fs::read(&values).unwrap()), inputs_of(&network, &values));
    let mut expected = records.iter();
    let outputs = network.run(&inputs, &mut |tensor, integers| {
        let record =
            expected.next().unwrap_or_else(|| panic!("{name}: {} is not in the reference", tensor.name));
        let said = (&*record.name, record.exponent, &*record.shape);
        assert_eq!(said, (tensor.name, tensor.exponent, &*tensor.shape), "{name}");
        assert!(record.integers == integers, "{name}: {} differs", tensor.name);
    });
    let outputs = outputs.unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(outputs.len(), network.outputs.len());
    assert!(expected.next().is_none(), "{name}: tensors are missing");
    records.len()
}

/// Compares all networks of a folder: their number, and that of tensors.
fn compare_all(folder: &Path) -> [usize; 2] {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let names: Vec<String> = files.filter_map(|name| Some(name.strip_suffix(".values")?.into())).collect();
    [names.len(), names.iter().map(|name| compare(folder, name)).sum()]
}

#[test]
fn every_integer_is_that_of_the_reference() {
    let [networks, tensors] = compare_all(&folder());
    assert!(networks >= 4 && tensors > 50, "{tensors} tensors of {networks} networks");
}

/// Larger networks, of a folder that `VOLERY_NETWORKS` names.
#[test]
fn every_integer_of_networks_elsewhere_is_that_of_the_reference() {
    match std::env::var_os("VOLERY_NETWORKS") {
        Some(folder) => println!("{:?} networks and tensors are compared", compare_all(folder.as_ref())),
        None => println!("VOLERY_NETWORKS names no folder: nothing is compared"),
    }
}
