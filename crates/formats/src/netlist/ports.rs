//! Ports, made of the names of single bits.

use super::logic::Names;
use std::collections::{BTreeMap, BTreeSet};
use volery_channel::error::{Error, Result};

/// Bits that are given as one value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bus {
    pub(super) name: String,
    /// The numbers of its bits among the inputs, or the like, bit 0 first.
    pub(super) bits: Vec<u32>,
    /// Whether anything reads one of its bits, if it is an input.
    pub(super) read: bool,
}

/// The ports of `count` bits: `a[0]`, `a[1]`, … are the port `a`, and so they are from another number on.
/// What has a name of another kind is a port of one bit, and all bits without a name are one, `unnamed`.
/// Ports are in the order of their first bits.
///
/// # Errors
/// `Invalid` where two of the `things` have one name.
pub(super) fn group(file: &str, things: &str, count: u32, names: &Names, unnamed: &str) -> Result<Vec<Bus>> {
    let mut known = BTreeMap::new();
    for (number, name) in names {
        if let Some(other) = known.insert(name.as_str(), *number) {
            return Err(Error::invalid(format!(
                "{file}: {things}s {other} and {number} are both called {name}: give each a name of its own"
            )));
        }
    }
    let mut buses: BTreeMap<&str, BTreeMap<u64, u32>> = BTreeMap::new();
    for (&number, name) in names {
        if let Some((base, index)) = indexed(name).filter(|(base, _)| !known.contains_key(base)) {
            buses.entry(base).or_default().insert(index, number);
        }
    }
    let whole = |bits: &BTreeMap<u64, u32>| {
        let [first, last] = [bits.first_key_value(), bits.last_key_value()].map(|bit| *bit.expect("a bit").0);
        last - first == bits.len() as u64 - 1
    };
    buses.retain(|_, bits| whole(bits));
    let mut ports = Vec::new();
    let mut grouped = BTreeSet::new();
    for (base, bits) in buses {
        grouped.extend(bits.values().copied());
        ports.push(Bus { name: base.to_owned(), bits: bits.into_values().collect(), read: true });
    }
    let single = names.iter().filter(|(number, _)| !grouped.contains(number));
    ports.extend(single.map(|(&number, name)| Bus { name: name.clone(), bits: vec![number], read: true }));
    let mut name = unnamed.to_owned();
    while ports.iter().any(|port| port.name == name) {
        name.push('_');
    }
    let rest: Vec<u32> = (0..count).filter(|number| !names.contains_key(number)).collect();
    if !rest.is_empty() {
        ports.push(Bus { name, bits: rest, read: true });
    }
    ports.sort_by_key(|port| port.bits.iter().copied().min());
    Ok(ports)
}

/// Base and index of a name such as `a[3]`.
fn indexed(name: &str) -> Option<(&str, u64)> {
    let (base, index) = name.strip_suffix(']')?.rsplit_once('[')?;
    let number = index.parse().ok()?;
    // Neither signs nor zeroes in front, so that each number is written in one way.
    (!base.is_empty() && index == format!("{number}")).then_some((base, number))
}

/// The name that stands in a file as one that can be written as `NAME=VALUE`: other characters become `_`.
pub(crate) fn writable(name: &[u8]) -> String {
    let of_a_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_-[].$:".contains(&byte);
    name.iter().map(|&byte| if of_a_name(byte) { byte.into() } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grouped(names: &[&str]) -> Result<Vec<(String, Vec<u32>)>> {
        let named = (0..).zip(names).filter(|(_, name)| !name.is_empty());
        let named: Names = named.map(|(i, name)| (i, (*name).to_owned())).collect();
        let ports = group("x.aig", "input", names.len() as u32, &named, "in")?;
        Ok(ports.into_iter().map(|port| (port.name, port.bits)).collect())
    }

    #[test]
    fn bits_of_one_name_are_a_port() {
        #[rustfmt::skip]
        type Ports<'a> = &'a [(&'a str, &'a [u32])];
        let cases: &[(&[&str], Ports<'_>)] = &[
            (&["a[0]", "a[1]", "b", ""], &[("a", &[0, 1]), ("b", &[2]), ("in", &[3])]),
            (&["", "", ""], &[("in", &[0, 1, 2])]),
            (&["a[1]", "b[0]", "a[0]"], &[("a", &[2, 0]), ("b", &[1])]),
            (&["a[7]", "a[8]"], &[("a", &[0, 1])]),
            (&["a[0]", "a[2]"], &[("a[0]", &[0]), ("a[2]", &[1])]),
            (&["a[0]", "a", "a[1]"], &[("a[0]", &[0]), ("a", &[1]), ("a[1]", &[2])]),
            (
                &["a[00]", "a[+1]", "[0]", "a[18446744073709551616]"],
                &[("a[00]", &[0]), ("a[+1]", &[1]), ("[0]", &[2]), ("a[18446744073709551616]", &[3])],
            ),
            (&["in", "", "m[0][1]", "m[0][0]"], &[("in", &[0]), ("in_", &[1]), ("m[0]", &[3, 2])]),
            (&["a[18446744073709551615]", "a[0]"], &[("a[18446744073709551615]", &[0]), ("a[0]", &[1])]),
        ];
        for (names, ports) in cases {
            let expected: Vec<_> =
                ports.iter().map(|(name, bits)| ((*name).to_owned(), bits.to_vec())).collect();
            assert_eq!(grouped(names).unwrap(), expected, "{names:?}");
        }
        let twice = grouped(&["x", "y", "x"]).unwrap_err().to_string();
        assert!(twice.contains("inputs 0 and 2 are both called x"), "{twice}");
        assert_eq!(writable("acc[0] r=\u{e9}".as_bytes()), "acc[0]_r___");
    }
}
