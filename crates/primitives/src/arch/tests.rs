//! Every instruction set equals its portable twin, on lengths around every vector and batch edge.

use super::*;
use crate::field::Field;
use crate::prg::Prg;

const LENGTHS: [usize; 16] = [0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 31, 32, 33, 63, 130];

fn random(seed: u128, length: usize) -> Vec<F128> {
    let mut out = vec![F128::ZERO; length];
    Prg::new(Arch::PORTABLE, F128(seed)).fill(&mut out);
    out
}

/// Calls `kernel` with every accelerated instruction set and with the portable one, and compares.
fn agree<T: PartialEq + core::fmt::Debug>(what: &str, kernel: impl Fn(Arch) -> T) {
    let expected = kernel(Arch::PORTABLE);
    for arch in Arch::available() {
        assert_eq!(kernel(arch), expected, "{what} on {}", arch.name());
    }
}

#[test]
fn names_are_found_and_unknown_ones_refused() {
    for arch in Arch::available() {
        assert_eq!(Arch::from_name(arch.name()), Ok(arch));
    }
    assert!(Arch::from_name("mmx").unwrap_err().contains("portable"));
    assert!(Arch::available().contains(&Arch::detect()));
}

#[test]
fn encrypt_and_counter() {
    for length in LENGTHS {
        agree("encrypt", |arch| {
            let mut blocks = random(1, length);
            Aes128::new(arch, F128(3)).encrypt(&mut blocks);
            blocks
        });
        agree("counter", |arch| {
            let mut blocks = random(2, length);
            Aes128::new(arch, F128(3)).counter((9 << 64) + 5, &mut blocks);
            blocks
        });
    }
}

#[test]
fn folded_leaves() {
    for k in 3..=8 {
        for blocks in [1, 3, 4, 6, 8, 13] {
            agree("fold_leaves", |arch| {
                let leaves = random(k as u128, 1 << k);
                let (mut total, mut planes) = (random(1, blocks), random(2, k * blocks));
                fold_leaves(&Aes128::new(arch, F128(4)), &leaves, 77, &mut total, &mut planes);
                (total, planes)
            });
        }
    }
}

#[test]
fn sums_of_products() {
    for length in LENGTHS {
        let [chi, a, b] = [1, 2, 3].map(|seed| random(seed, length));
        let triples: Vec<Triple> = random(4, 3 * length).as_chunks().0.to_vec();
        agree("dot", |arch| dot(arch, &a, &b));
        agree("prover_sums", |arch| prover_sums(arch, &chi, &triples));
        agree("verifier_sums", |arch| verifier_sums(arch, &chi, &triples));
    }
}

#[test]
fn extreme_products() {
    let all = [F128(u128::MAX); 9];
    let top = [F128(1 << 127); 9];
    agree("dot", |arch| dot(arch, &all, &top));
    agree("prover_sums", |arch| prover_sums(arch, &all, &[[top[0], all[0], all[0]]; 9]));
}

#[test]
fn transposes() {
    for blocks in [1, 2, 3, 4, 5, 8, 11] {
        let columns = random(blocks as u128, 128 * blocks);
        agree("transpose", |arch| {
            let mut rows = vec![F128::ZERO; 128 * blocks];
            transpose(arch, &columns, &mut rows);
            rows
        });
        let mut rows = vec![F128::ZERO; 128 * blocks];
        transpose(Arch::PORTABLE, &columns, &mut rows);
        for (p, j, b) in [(0, 0, 0), (127, 3, blocks - 1), (5, 127, blocks / 2), (64, 63, 0)] {
            assert_eq!(rows[128 * b + j].0 >> p & 1, columns[p * blocks + b].0 >> j & 1);
        }
    }
}

#[test]
#[should_panic(expected = "wrap")]
fn a_counter_may_not_wrap() {
    Aes128::new(Arch::PORTABLE, F128(0)).counter(u64::MAX.into(), &mut [F128::ZERO; 2]);
}
