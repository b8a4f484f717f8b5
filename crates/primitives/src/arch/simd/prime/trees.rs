//! Trees, their leaves, and elements that random words make.

use super::halves::splat;
use super::layout::{load, load_all, store, store_all};
use super::{Halves, MOST, portable, whole};
use crate::arch::prime::Coordinates;
use crate::arch::simd::Simd;
use crate::field::F128;
use crate::mac::{Holes, Tagged};
use zeroize::Zeroizing;

#[inline(always)]
pub(in crate::arch) unsafe fn sample_all<V: Simd, B: Halves, E: Coordinates<B, N>, const N: usize>(
    blocks: &[F128],
    out: &mut [E],
) {
    let whole = whole::<V>(out.len());
    let first: *mut B = out.as_mut_ptr().cast();
    let elements = if E::SAMPLE == 2 { whole } else { N * whole };
    for i in (0..elements).step_by(2 * V::LANES) {
        // SAFETY: the caller upholds the condition of `Simd`, and that there are words enough: two for each
        // element, or for each of its coordinates.
        unsafe {
            let blocks = blocks.as_ptr().add(i);
            let (low, high) = V::load(blocks).part(V::load(blocks.add(V::LANES)));
            if E::SAMPLE == 2 {
                store_all::<V, B, N>(B::draw(low, high), first.add(N * i), N);
            } else {
                store_all::<V, B, 1>(B::draw(low, high), first.add(i), 1);
            }
        }
    }
    portable::sample_all(&blocks[whole * E::SAMPLE / 2..], &mut out[whole..]);
}

/// The sums of trees `g` to `g + 2·LANES`.
#[inline(always)]
unsafe fn sum_rows_at<V: Simd, B: Halves, E: Coordinates<B, N>, const N: usize>(
    nodes: &[E],
    trees: usize,
    g: usize,
    sums: *mut E,
) {
    // SAFETY: the caller upholds the condition of `Simd`, that g + 2·LANES <= trees, which divides the
    // length, and that `sums` is valid for 2·LANES elements.
    unsafe {
        let mut sum = [splat::<V>(0); N];
        for at in (g..nodes.len()).step_by(trees) {
            let node: *const B = nodes.as_ptr().add(at).cast();
            let node = load_all::<V, B, N>(node, N);
            for n in 0..N {
                sum[n] = B::plus(sum[n], node[n]);
            }
        }
        store_all::<V, B, N>(sum, sums.cast(), N);
    }
}

#[inline(always)]
pub(in crate::arch) unsafe fn sum_rows<V: Simd, B: Halves, E: Coordinates<B, N>, const N: usize>(
    nodes: &[E],
    sums: &mut [E],
) {
    let (trees, vector) = (sums.len(), 2 * V::LANES);
    // SAFETY: the caller upholds the condition of `Simd` and that the lengths divide.
    unsafe {
        if trees.is_multiple_of(vector) {
            for g in (0..trees).step_by(vector) {
                sum_rows_at::<V, B, E, N>(nodes, trees, g, sums.as_mut_ptr().add(g));
            }
        } else if vector.is_multiple_of(trees) && nodes.len().is_multiple_of(vector) {
            // Several rows to a vector.
            let mut several = [E::ZERO; MOST];
            sum_rows_at::<V, B, E, N>(nodes, vector, 0, several.as_mut_ptr());
            portable::sum_rows(&several[..vector], sums);
        } else {
            portable::sum_rows(nodes, sums);
        }
    }
}

/// Punctures the leaves of the 2·LANES trees from `g` on, or where there are fewer, several rows of all.
#[inline(always)]
unsafe fn puncture_at<V: Simd, B: Halves, E: Coordinates<B, N>, const N: usize>(
    leaves: &[E],
    holes: &Holes<Tagged<B, E>>,
    rows: &mut [Tagged<B, E>],
    g: usize,
) {
    let (trees, half) = (holes.row.len(), rows.len() / 2);
    let (leaves, rows): (*const B, *mut B) = (leaves.as_ptr().cast(), rows.as_mut_ptr().cast());
    let (mut place, mut target) = ([0; MOST], [0; MOST]);
    let mut hole = Zeroizing::new([[Tagged::ZERO; MOST]; 2]);
    for i in 0..2 * V::LANES {
        let tree = (g + i) % trees;
        (place[i], target[i]) = ((g + i) as u64, holes.row[tree] * trees as u64 + tree as u64);
        (hole[0][i], hole[1][i]) = (holes.left[tree], holes.right[tree]);
    }
    let step = trees.max(2 * V::LANES);
    // SAFETY: the caller upholds the condition of `Simd`, and that the step divides the half, and vectors the
    // trees or trees the vectors.
    unsafe {
        let target: V = V::load(target.as_ptr().cast());
        for (side, hole) in hole.iter().enumerate() {
            let hole: *const B = hole.as_ptr().cast();
            let (value, mac) = (load::<V, B>(hole, N + 1), load_all::<V, B, N>(hole.add(1), N + 1));
            let mut place: V = V::load(place.as_ptr().cast());
            for at in (side * half + g..(side + 1) * half).step_by(step) {
                let here = place.equal(target);
                place = place.add(splat(step as u64));
                let mut leaf = load_all::<V, B, N>(leaves.add(N * at), N);
                for n in 0..N {
                    leaf[n] = B::plus(leaf[n], here.and(mac[n]));
                }
                let row = rows.add((N + 1) * at);
                store(here.and(value), row, N + 1);
                store_all(leaf, row.add(1), N + 1);
            }
        }
    }
}

#[inline(always)]
pub(in crate::arch) unsafe fn puncture<V: Simd, B: Halves, E: Coordinates<B, N>, const N: usize>(
    leaves: &[E],
    holes: Holes<Tagged<B, E>>,
    rows: &mut [Tagged<B, E>],
) {
    let (trees, half) = (holes.row.len(), rows.len() / 2);
    let vector = 2 * V::LANES;
    let several = vector.is_multiple_of(trees) && half.is_multiple_of(vector);
    if !several && !trees.is_multiple_of(vector) {
        return portable::puncture(leaves, holes, rows);
    }
    for g in (0..trees).step_by(vector) {
        // SAFETY: the caller upholds the condition of `Simd` and that the lengths fit.
        unsafe { puncture_at::<V, B, E, N>(leaves, &holes, rows, g) };
    }
}
