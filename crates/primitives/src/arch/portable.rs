//! Each kernel in plain Rust: the specification that every instruction set must equal.

pub(super) mod binary;
pub(super) mod f256;
pub(super) mod f61;
pub(super) mod f61x2;
pub(super) mod f64;
pub(super) mod gates;
mod matrix;
pub(super) mod prime;
pub(super) mod q32;
mod search;

pub(super) use matrix::{add_masked_row, add_row, add_tile};
pub(super) use search::search;

use super::{Punctures, Triple, WEIGHT};
use crate::aes::Aes128;
use crate::field::{Extension, F2, F128, Field};
use crate::hash::feed_forward;
use crate::lanes::Pair;

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

pub(super) fn hash(key: &Aes128, blocks: &[F128], out: &mut [F128]) {
    out.copy_from_slice(blocks);
    feed_forward(out, |blocks| encrypt(key, blocks));
}

pub(super) fn grow_with(key: &Aes128, nodes: &mut [F128], keep: F128, punctures: Option<Punctures>) {
    grow(key, nodes);
    nodes.iter_mut().for_each(|node| node.0 &= keep.0);
    if let Some(punctures) = punctures {
        puncture(nodes, punctures);
    }
}

fn grow(key: &Aes128, nodes: &mut [F128]) {
    let (left, right) = nodes.split_at_mut(nodes.len() / 2);
    right.copy_from_slice(left);
    feed_forward(left, |blocks| encrypt(key, blocks));
    right.iter_mut().zip(left).for_each(|(right, left)| *right ^= *left);
}

pub(super) fn sum_rows(nodes: &[F128], sums: &mut [F128]) {
    sums.fill(F128::ZERO);
    for row in nodes.chunks_exact(sums.len()) {
        sums.iter_mut().zip(row).for_each(|(sum, node)| *sum ^= *node);
    }
}

pub(super) fn puncture(nodes: &mut [F128], Punctures { row, left, right }: Punctures) {
    let (lefts, rights) = nodes.split_at_mut(nodes.len() / 2);
    let pairs = lefts.chunks_exact_mut(row.len()).zip(rights.chunks_exact_mut(row.len()));
    for (y, (lefts, rights)) in pairs.enumerate() {
        for g in 0..row.len() {
            let difference = (row[g].0 ^ (y as u128 | (y as u128) << 64)) as u64;
            // All ones where the difference is zero, without a branch.
            let here = F2::low_bit(u128::from((difference | difference.wrapping_neg()) >> 63) ^ 1);
            lefts[g] ^= left[g].scale(here);
            rights[g] ^= right[g].scale(here);
        }
    }
}

pub(super) fn encode(key: &Aes128, first: u64, table: &[F128], rows: &mut [F128]) {
    let mut block = first as u128 * WEIGHT as u128 / 4;
    for rows in rows.chunks_mut(2) {
        let mut words = [F128::ZERO; 2 * WEIGHT / 4];
        counter(key, block, &mut words);
        let word = |i: usize| (words[i / 4].0 >> (32 * (i % 4))) as u32;
        for (j, row) in rows.iter_mut().enumerate() {
            for i in 0..WEIGHT {
                *row ^= table[((u64::from(word(WEIGHT * j + i)) * table.len() as u64) >> 32) as usize];
            }
        }
        block += words.len() as u128;
    }
}

pub(super) fn weigh(coefficients: &[F128], words: &[F128]) -> (F128, F128) {
    let mut sums = (F128::ZERO, F128::ZERO);
    for (&chi, &word) in coefficients.iter().zip(words) {
        sums.0 += chi * word;
        sums.1 += chi.scale(word.bit0());
    }
    sums
}

pub(super) fn dot(a: &[F128], b: &[F128]) -> F128 {
    a.iter().zip(b).map(|(&a, &b)| a * b).sum()
}

pub(super) fn inner_product(a: &[F128], b: &[F128]) -> (F128, F128) {
    let mut sums = (F128::ZERO, F128::ZERO);
    for (&a, &b) in a.iter().zip(b) {
        sums.0 += a * b;
        sums.1 += b.scale(a.bit0()) + a.scale(b.bit0());
    }
    sums
}

pub(super) fn combine(factors: &[F2], a: &[F128]) -> F128 {
    factors.iter().zip(a).map(|(&factor, a)| a.scale(factor)).sum()
}

pub(super) fn add_products(a: &[F128], b: &[F128], sums: &mut [F128]) {
    for ((&a, &b), sum) in a.iter().zip(b).zip(sums) {
        *sum += a * b;
    }
}

pub(super) fn add_scaled(a: &[F128], factors: &[F2], sums: &mut [F128]) {
    for ((a, &factor), sum) in a.iter().zip(factors).zip(sums) {
        *sum += a.scale(factor);
    }
}

pub(super) fn add_sums(products: &[Pair<'_, F128, F128>], scaled: &[Pair<'_, F128, F2>], sums: &mut [F128]) {
    products.iter().for_each(|(a, b)| add_products(a, b, sums));
    for (a, factors) in scaled {
        match factors {
            [factor] => sums.iter_mut().zip(*a).for_each(|(sum, a)| *sum += a.scale(*factor)),
            factors => add_scaled(a, factors, sums),
        }
    }
}

pub(super) fn set_sums(products: &[Pair<'_, F128, F128>], scaled: &[Pair<'_, F128, F2>], sums: &mut [F128]) {
    sums.fill(F128::ZERO);
    add_sums(products, scaled, sums);
}

pub(super) fn multiply(a: &[F128], b: &[F128], out: &mut [F128]) {
    for ((&a, &b), out) in a.iter().zip(b).zip(out) {
        *out = a * b;
    }
}

pub(super) fn add_where(bits: &[u8], one: F128, rows: &mut [F128]) {
    for (i, row) in rows.iter_mut().enumerate() {
        *row += one.scale(F2::low_bit((bits[i / 8] >> (i % 8)).into()));
    }
}

pub(super) fn prover_sums(coefficients: &[F128], triples: &[Triple]) -> (F128, F128) {
    prover_sums_of(coefficients, triples.iter().copied())
}

pub(super) fn prover_column_sums(chi: &[F128], a: &[F128], b: &[F128], c: &[F128]) -> (F128, F128) {
    prover_sums_of(chi, rows(a, b, c))
}

fn prover_sums_of(coefficients: &[F128], triples: impl Iterator<Item = Triple>) -> (F128, F128) {
    let mut sums = (F128::ZERO, F128::ZERO);
    for (&chi, [a, b, c]) in coefficients.iter().zip(triples) {
        sums.0 += chi * (a * b);
        sums.1 += chi * (b.scale(a.bit0()) + a.scale(b.bit0()) + c);
    }
    sums
}

/// Triples that stand in columns.
fn rows<'a>(a: &'a [F128], b: &'a [F128], c: &'a [F128]) -> impl Iterator<Item = Triple> {
    a.iter().zip(b).zip(c).map(|((&a, &b), &c)| [a, b, c])
}

pub(super) fn verifier_column_sums(chi: &[F128], a: &[F128], b: &[F128], c: &[F128]) -> (F128, F128) {
    verifier_sums_of(chi, rows(a, b, c))
}

pub(super) fn add_rows(words: &mut [F128], [out, a, b]: [usize; 3], count: usize) {
    for i in 0..count {
        words[out + i] = words[a + i] + words[b + i];
    }
}

pub(super) fn verifier_sums(coefficients: &[F128], triples: &[Triple]) -> (F128, F128) {
    verifier_sums_of(coefficients, triples.iter().copied())
}

fn verifier_sums_of(coefficients: &[F128], triples: impl Iterator<Item = Triple>) -> (F128, F128) {
    let mut sums = (F128::ZERO, F128::ZERO);
    for (&chi, [a, b, c]) in coefficients.iter().zip(triples) {
        sums.0 += chi * (a * b);
        sums.1 += chi * c;
    }
    sums
}

pub(super) fn triple_sums(coefficients: &[F128], triples: &[Triple]) -> [F128; 3] {
    let mut sums = [F128::ZERO; 3];
    for (&chi, triple) in coefficients.iter().zip(triples) {
        for (sum, &column) in sums.iter_mut().zip(triple) {
            *sum += chi * column;
        }
    }
    sums
}

pub(super) fn opened_sums(coefficients: &[F128], triples: &[Triple], left: &[F2], right: &[F2]) -> [F128; 3] {
    let mut sums = [F128::ZERO; 3];
    for (i, (&chi, &[x, y, z])) in coefficients.iter().zip(triples).enumerate() {
        for (sum, column) in sums.iter_mut().zip([x, y, z + x.scale(right[i]) + y.scale(left[i])]) {
            *sum += chi * column;
        }
    }
    sums
}

pub(super) fn bit_products(rows: &[F128], columns: &[F128], blocks: usize, out: &mut [F128]) {
    let count = rows.len() / blocks;
    for (column, out) in columns.chunks_exact(blocks).zip(out.chunks_exact_mut(count.max(1))) {
        for (row, out) in rows.chunks_exact(blocks).zip(out) {
            for (row, column) in row.iter().zip(column) {
                out.0 ^= row.0 & column.0;
            }
        }
    }
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
