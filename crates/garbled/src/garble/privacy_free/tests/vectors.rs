//! `vectors/garbling`, which another program has made.

use super::*;
use crate::garble::material::Digested;
use std::path::Path;
use volery_circuit::Backend;
use volery_formats::Bristol;

/// The circuit of a file, with public outputs, or the chain of products that `vectors/README.md` describes.
enum Known {
    File(Bristol, u64),
    Chain(usize, u64),
}

impl<B: Backend<F = F2>> Circuit<B> for Known {
    fn run(&self, b: &mut B) -> Result<()> {
        let assert = |b: &mut B, wire, value: u64, i: u64| {
            let value = b.constant(F2::low_bit((value >> i).into()));
            let difference = b.add(wire, value);
            b.assert_zero(difference, format_args!("output {i}"))
        };
        match self {
            Self::File(circuit, value) => {
                circuit.run(b, |b, _| b.witness(), |b, at, wire| assert(b, wire, *value, at.bit))
            }
            Self::Chain(length, value) => {
                let mut x = (0..8).map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
                for i in 0..*length {
                    let product = b.mul(x[i], x[i + 3])?;
                    x.push(b.add(product, x[i + 7]));
                }
                (0..8).try_for_each(|i| assert(b, x[length + i], *value, i as u64))
            }
        }
    }
}

/// A string of 16 bytes, the lowest first.
fn block(hex: &str) -> F128 {
    F128(u128::from_str_radix(hex, 16).expect("hexadecimal digits").swap_bytes())
}

/// Checks every case of a file, and counts them.
fn check(name: &str, circuit: impl Fn(u64) -> Known) -> usize {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/garbling");
    let text = std::fs::read_to_string(folder.join(name)).expect("a file of vectors");
    let cases: Vec<&str> = text.split_terminator("\n\n").collect();
    for case in &cases {
        let all = |name: &str| -> Vec<&str> {
            let pairs = case.lines().filter_map(|line| line.split_once(' '));
            pairs.filter(|(of, _)| *of == name).map(|(_, value)| value).collect()
        };
        let one = |name: &str| *all(name).first().unwrap_or_else(|| panic!("no {name} in {case}"));
        let construction =
            Construction::ALL.into_iter().find(|how| how.name() == one("construction")).unwrap();
        let value = u64::from_str_radix(&one("value")[2..], 16).unwrap();
        let (seed, clause) = (block(one("seed")), one("clause").parse().unwrap());
        for arch in Arch::available() {
            let key = Key { arch, construction, salt: block(one("salt")) };
            let labels = Labels::new(&key, seed);
            assert_eq!(labels.delta(), block(one("delta")));
            let inputs = all("label");
            assert!(!inputs.is_empty());
            assert!(labels.zip(inputs).all(|(label, known)| label == block(known)), "{case}");
            let mut kept = KeptMaterial::default();
            let output =
                Garbler::garble(&key, (clause, seed), &circuit(value), &mut kept, None, &Pool::ALONE)
                    .unwrap()
                    .output;
            assert_eq!(output, block(one("output")), "{case}");
            assert_eq!(kept.0.len().to_string(), one("blocks"));
            assert_eq!(kept.0[0], block(one("first")), "{case}");
            assert_eq!(*kept.0.last().unwrap(), block(one("last")), "{case}");
            let mut digest = Digested::new();
            kept.0.chunks(100).for_each(|piece| digest.take(piece).unwrap());
            assert_eq!(blake3::Hash::from(digest.finish()).to_hex().as_str(), one("digest"), "{case}");
        }
    }
    cases.len()
}

#[test]
fn known_garbled_circuits() {
    let adder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/circuits/adder8.txt");
    assert_eq!(check("adder8.txt", |value| Known::File(Bristol::open(&adder).unwrap(), value)), 4);
    assert_eq!(check("chain.txt", |value| Known::Chain(1100, value)), 2);
}
