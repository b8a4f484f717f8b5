//! Each kernel in plain Rust: the specification that every instruction set must equal.

use super::Triple;
use crate::aes::Aes128;
use crate::field::{Extension, F128, Field};

/// Blocks handed to the cipher at a time.
const BATCH: usize = 64;

pub(super) fn encrypt(key: &Aes128, blocks: &mut [F128]) {
    let mut buffer = [aes::Block::default(); BATCH];
    for blocks in blocks.chunks_mut(BATCH) {
        let buffer = &mut buffer[..blocks.len()];
        for (bytes, block) in buffer.iter_mut().zip(&*blocks) {
            *bytes = block.to_bytes().into();
        }
        aes::cipher::BlockCipherEncrypt::encrypt_blocks(key.portable(), buffer);
        for (bytes, block) in buffer.iter().zip(blocks) {
            *block = F128::from_bytes((*bytes).into());
        }
    }
}

pub(super) fn counter(key: &Aes128, start: u128, out: &mut [F128]) {
    for (i, block) in out.iter_mut().enumerate() {
        *block = F128(start + i as u128);
    }
    encrypt(key, out);
}

pub(super) fn fold_leaves(
    key: &Aes128,
    leaves: &[F128],
    start: u128,
    total: &mut [F128],
    planes: &mut [F128],
) {
    let blocks = total.len();
    total.fill(F128::ZERO);
    planes.fill(F128::ZERO);
    let mut outputs = vec![F128::ZERO; blocks];
    for (y, &leaf) in leaves.iter().enumerate() {
        let input = |b: usize| leaf ^ F128(start + b as u128);
        for (b, output) in outputs.iter_mut().enumerate() {
            *output = input(b);
        }
        encrypt(key, &mut outputs);
        for (b, &output) in outputs.iter().enumerate() {
            let output = output ^ input(b);
            total[b] ^= output;
            for (m, plane) in planes.chunks_exact_mut(blocks).enumerate() {
                if y >> m & 1 == 1 {
                    plane[b] ^= output;
                }
            }
        }
    }
}

pub(super) fn dot(a: &[F128], b: &[F128]) -> F128 {
    a.iter().zip(b).map(|(&a, &b)| a * b).sum()
}

pub(super) fn prover_sums(coefficients: &[F128], triples: &[Triple]) -> (F128, F128) {
    let mut sums = (F128::ZERO, F128::ZERO);
    for (&chi, &[a, b, c]) in coefficients.iter().zip(triples) {
        sums.0 += chi * (a * b);
        sums.1 += chi * (b.scale(a.bit0()) + a.scale(b.bit0()) + c);
    }
    sums
}

pub(super) fn verifier_sums(coefficients: &[F128], triples: &[Triple]) -> (F128, F128) {
    let mut sums = (F128::ZERO, F128::ZERO);
    for (&chi, &[a, b, c]) in coefficients.iter().zip(triples) {
        sums.0 += chi * (a * b);
        sums.1 += chi * c;
    }
    sums
}

pub(super) fn transpose(columns: &[F128], rows: &mut [F128]) {
    let blocks = rows.len() / 128;
    for (block, rows) in rows.chunks_exact_mut(128).enumerate() {
        for (p, row) in rows.iter_mut().enumerate() {
            *row = columns[p * blocks + block];
        }
        // Swap the off-diagonal halves of ever smaller squares.
        let mut half = 64;
        let mut low = u128::MAX >> 64;
        while half > 0 {
            for i in (0..128).filter(|i| i & half == 0) {
                let swap = ((rows[i].0 >> half) ^ rows[i + half].0) & low;
                rows[i].0 ^= swap << half;
                rows[i + half].0 ^= swap;
            }
            half /= 2;
            low ^= low << half;
        }
    }
}
