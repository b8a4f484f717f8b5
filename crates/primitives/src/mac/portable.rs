//! The kernels of [`MacField`](super::MacField) in plain Rust, over any field.

use super::{Holes, MacField, Tagged};
use crate::aes::Aes128;
use crate::arch::{Arch, WEIGHT};
use crate::bits::mask;
use crate::field::{Extension, F128, Field, MOST_WORDS};
use crate::hash::Circular;
use crate::prg::Prg;
use core::ops::Add;
use zeroize::Zeroizing;

/// Parents that are hashed at a time.
const HASHED: usize = 64;

pub(crate) fn grow_leaves<B: Field, E: MacField<B>>(keys: &[Circular], parents: &[F128], leaves: &mut [E]) {
    const { assert!(E::SAMPLE >= 2, "a leaf of one word takes half a hash, by a kernel of its own") };
    assert_eq!((keys.len(), leaves.len()), (E::SAMPLE, 2 * parents.len()));
    if !E::SAMPLE.is_multiple_of(2) {
        return grow_leaves_of_odd(keys, parents, leaves);
    }
    // As many hashes as a leaf takes, side by side.
    let per_leaf = E::SAMPLE / 2;
    let mut blocks = Zeroizing::new([[F128(0); HASHED]; 3]);
    let [hashed, rest @ ..] = &mut *blocks;
    let together = rest.as_flattened_mut();
    for (keys, leaves) in keys.chunks(per_leaf).zip(leaves.chunks_exact_mut(parents.len().max(1))) {
        for (parents, leaves) in parents.chunks(HASHED).zip(leaves.chunks_mut(HASHED)) {
            let hashed = &mut hashed[..parents.len()];
            for (k, key) in keys.iter().enumerate() {
                key.hash(parents, hashed);
                for (i, &block) in hashed.iter().enumerate() {
                    together[per_leaf * i + k] = block;
                }
            }
            E::sample_all(keys[0].permutation().arch(), &together[..per_leaf * parents.len()], leaves);
        }
    }
}

/// Grows leaves where the two leaves of a parent share a hash.
fn grow_leaves_of_odd<E: Field>(keys: &[Circular], parents: &[F128], leaves: &mut [E]) {
    const { assert!(E::SAMPLE <= MOST_WORDS) };
    let mut blocks = Zeroizing::new([[F128(0); HASHED]; MOST_WORDS]);
    let (left, right) = leaves.split_at_mut(parents.len());
    let leaves = left.chunks_mut(HASHED).zip(right.chunks_mut(HASHED));
    for (parents, (left, right)) in parents.chunks(HASHED).zip(leaves) {
        for (key, blocks) in keys.iter().zip(blocks.iter_mut()) {
            key.hash(parents, &mut blocks[..parents.len()]);
        }
        let mut words = Zeroizing::new([0; 2 * MOST_WORDS]);
        for (i, (left, right)) in left.iter_mut().zip(right).enumerate() {
            for (words, blocks) in words.as_chunks_mut().0.iter_mut().zip(blocks.iter()) {
                *words = [blocks[i].0 as u64, (blocks[i].0 >> 64) as u64];
            }
            *left = E::sample(&words[..E::SAMPLE]);
            *right = E::sample(&words[E::SAMPLE..2 * E::SAMPLE]);
        }
    }
}

pub(crate) fn sum_rows<E: Field>(nodes: &[E], sums: &mut [E]) {
    assert!(!sums.is_empty() && nodes.len().is_multiple_of(sums.len()));
    sums.fill(E::ZERO);
    for row in nodes.chunks_exact(sums.len()) {
        sums.iter_mut().zip(row).for_each(|(sum, node)| *sum += *node);
    }
}

pub(crate) fn sample_all<E: Field>(blocks: &[F128], out: &mut [E]) {
    assert!(2 * blocks.len() >= E::SAMPLE * out.len());
    for (i, out) in out.iter_mut().enumerate() {
        let mut words = [0; MOST_WORDS];
        for (word, n) in words[..E::SAMPLE].iter_mut().zip(i * E::SAMPLE..) {
            *word = (blocks[n / 2].0 >> (64 * (n % 2))) as u64;
        }
        *out = E::sample(&words[..E::SAMPLE]);
    }
}

pub(crate) fn sum_generated<B: Field>(
    arch: Arch,
    keys: &[F128],
    skip: u64,
    sums: &mut [B],
    weighed: &mut [B],
) {
    assert!(sums.len() == weighed.len() && keys.len() <= 1 << 8);
    sums.fill(B::ZERO);
    weighed.fill(B::ZERO);
    let mut blocks = Zeroizing::new(vec![F128(0); (B::SAMPLE * sums.len()).div_ceil(2)]);
    let mut elements = Zeroizing::new(vec![B::ZERO; sums.len()]);
    // From the last key on: what is summed so far is added once for each place further down.
    for (y, key) in keys.iter().enumerate().rev() {
        Prg::new(arch, *key).skip(skip).fill(&mut blocks);
        sample_all(&blocks, &mut elements);
        for ((sum, weighed), element) in sums.iter_mut().zip(weighed.iter_mut()).zip(elements.iter()) {
            *sum += *element;
            if y > 0 {
                *weighed += *sum;
            }
        }
    }
}

pub(crate) fn weigh<B: Field, E: Extension<B>>(chi: &[E], rows: &[Tagged<B, E>]) -> (E, E) {
    assert_eq!(chi.len(), rows.len());
    let mut sums = (E::ZERO, E::ZERO);
    for (&chi, row) in chi.iter().zip(rows) {
        sums.0 += chi * row.mac;
        sums.1 += chi.scale(row.value);
    }
    sums
}

pub(crate) fn inner_product<B: Field, E: Extension<B>>(a: &[Tagged<B, E>], b: &[Tagged<B, E>]) -> (E, E, B) {
    assert_eq!(a.len(), b.len());
    let mut sums = (E::ZERO, E::ZERO, B::ZERO);
    for (a, b) in a.iter().zip(b) {
        sums.0 += a.mac * b.mac;
        sums.1 += b.mac.scale(a.value) + a.mac.scale(b.value);
        sums.2 += a.value * b.value;
    }
    sums
}

pub(crate) fn linear<B: Field, E: Extension<B>>(factors: &[B], rows: &[Tagged<B, E>]) -> Tagged<B, E> {
    assert_eq!(factors.len(), rows.len());
    factors.iter().zip(rows).fold(Tagged::ZERO, |sum, (&factor, row)| sum + row.scale(factor))
}

pub(crate) fn products<B: Field, E: Extension<B>>(
    triples: &[[Tagged<B, E>; 3]],
    constant: &mut [E],
    linear: &mut [E],
) {
    assert_eq!((triples.len(), triples.len()), (constant.len(), linear.len()));
    for (([a, b, c], constant), linear) in triples.iter().zip(constant).zip(linear) {
        *constant = a.mac * b.mac;
        *linear = b.mac.scale(a.value) + a.mac.scale(b.value) - c.mac;
    }
}

pub(crate) fn verifier_sums<E: Field>(chi: &[E], triples: &[[E; 3]]) -> (E, E) {
    assert_eq!(chi.len(), triples.len());
    let mut sums = (E::ZERO, E::ZERO);
    for (&chi, &[a, b, c]) in chi.iter().zip(triples) {
        sums.0 += chi * (a * b);
        sums.1 += chi * c;
    }
    sums
}

pub(crate) fn correct<B: Field, E: Extension<B>>(keys: &mut [E], corrections: &[B], delta: E) {
    assert_eq!(keys.len(), corrections.len());
    keys.iter_mut().zip(corrections).for_each(|(key, c)| *key += delta.scale(*c));
}

pub(crate) fn puncture<B: Field, E: Extension<B>>(
    leaves: &[E],
    holes: Holes<Tagged<B, E>>,
    rows: &mut [Tagged<B, E>],
) {
    let trees = holes.row.len();
    assert_eq!((leaves.len(), holes.left.len(), holes.right.len()), (rows.len(), trees, trees));
    assert!(trees > 0 && rows.len().is_multiple_of(2 * trees));
    let half = rows.len() / 2;
    for (side, holed) in [holes.left, holes.right].into_iter().enumerate() {
        let rows = rows[side * half..][..half].chunks_exact_mut(trees);
        for (y, (rows, leaves)) in rows.zip(leaves[side * half..].chunks_exact(trees)).enumerate() {
            for g in 0..trees {
                let difference = holes.row[g] ^ y as u64;
                let here = mask(!(difference | difference.wrapping_neg()) >> 63);
                rows[g] =
                    Tagged { value: holed[g].value.masked(here), mac: leaves[g] + holed[g].mac.masked(here) };
            }
        }
    }
}

/// Rows whose entries are drawn at a time.
const ENCODED: usize = 64;

pub(crate) fn encode<T: Copy + Add<Output = T>>(matrix: &Aes128, first: u64, table: &[T], rows: &mut [T]) {
    assert!(first.is_multiple_of(2) && !table.is_empty() && table.len() <= 1 << 26);
    let size = table.len() as u64;
    let mut blocks = [F128(0); ENCODED * WEIGHT / 4];
    let mut places = [0; ENCODED * WEIGHT];
    let mut block = first as u128 * WEIGHT as u128 / 4;
    for rows in rows.chunks_mut(ENCODED) {
        matrix.counter(block, &mut blocks);
        block += blocks.len() as u128;
        for (places, block) in places.as_chunks_mut::<4>().0.iter_mut().zip(&blocks) {
            for (i, place) in places.iter_mut().enumerate() {
                *place = ((u64::from((block.0 >> (32 * i)) as u32) * size) >> 32) as u32;
            }
        }
        for (row, places) in rows.iter_mut().zip(places.as_chunks::<WEIGHT>().0) {
            *row = places.iter().fold(*row, |sum, &place| sum + table[place as usize]);
        }
    }
}
