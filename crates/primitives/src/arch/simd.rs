//! The kernels over vectors of 128-bit lanes, written once for every width.
//!
//! Lanes are independent: they hold consecutive elements, and nothing crosses from one to another but the last xor of
//! a sum. Every function here is inlined into one with the right `target_feature`; that is the one condition under
//! which the operations of [`Simd`] may be called. Loops stand open: a closure that is not inlined would keep the
//! intrinsics from being inlined into it, at twenty times the cost.

use super::{Punctures, Triple, WEIGHT};
use crate::aes::Aes128;
use crate::field::F128;

/// A vector of 128-bit lanes.
///
/// # Safety
/// Every method may be called only where the CPU has the instructions of the implementing vector.
pub(super) trait Simd: Copy {
    /// Lanes in a vector.
    const LANES: usize;
    /// The vector of one lane, for the ends of slices.
    type One: Simd;

    /// Reads `LANES` elements; `from` must be valid for that.
    unsafe fn load(from: *const F128) -> Self;
    /// Writes `LANES` elements; `to` must be valid for that.
    unsafe fn store(self, to: *mut F128);
    /// Reads lane l from `from + l·stride`, each of which must be valid.
    unsafe fn gather(from: *const F128, stride: usize) -> Self;
    /// Writes lane l to `to + l·stride`, each of which must be valid.
    unsafe fn scatter(self, to: *mut F128, stride: usize);
    /// The same element in every lane.
    unsafe fn splat(element: F128) -> Self;
    /// `start, start + 1, …`; the low 64 bits must not overflow.
    unsafe fn count(start: u128) -> Self;
    unsafe fn xor(self, other: Self) -> Self;
    unsafe fn and(self, other: Self) -> Self;
    /// All ones in the 64-bit halves that are equal, zero in the others.
    unsafe fn equal(self, other: Self) -> Self;
    /// Each lane with its 64-bit halves swapped.
    unsafe fn swap_halves(self) -> Self;
    /// All ones in the lanes whose lowest bit is set, zero in the others.
    unsafe fn bit0_mask(self) -> Self;
    unsafe fn aes_round(self, key: Self) -> Self;
    unsafe fn aes_last(self, key: Self) -> Self;
    /// Carry-less product of the 64-bit halves that `HALVES` names, as PCLMULQDQ does.
    unsafe fn clmul<const HALVES: i32>(self, other: Self) -> Self;
    /// Each lane shifted up by 64 bits.
    unsafe fn up64(self) -> Self;
    /// Each lane shifted down by 64 bits.
    unsafe fn down64(self) -> Self;
    /// Each 64-bit half shifted up.
    unsafe fn shl<const BITS: u32>(self) -> Self;
    /// Each 64-bit half shifted down.
    unsafe fn shr<const BITS: u32>(self) -> Self;
    /// In each lane: the low half of `self`, then the low half of `other`.
    unsafe fn low_halves(self, other: Self) -> Self;
    /// In each lane: the high half of `self`, then the high half of `other`.
    unsafe fn high_halves(self, other: Self) -> Self;
    /// The xor of all lanes.
    unsafe fn fold(self) -> F128;
}

/// Vectors in flight: enough to hide the latency of an AES round, few enough for the register file.
const FLIGHT: usize = 8;

#[inline(always)]
unsafe fn round_keys<V: Simd>(key: &Aes128) -> [V; 11] {
    // SAFETY: the caller upholds the condition of `Simd`.
    unsafe {
        let mut keys = [V::splat(F128(0)); 11];
        for (key, round) in keys.iter_mut().zip(key.rounds()) {
            *key = V::splat(*round);
        }
        keys
    }
}

#[inline(always)]
unsafe fn aes<V: Simd, const N: usize>(keys: &[V; 11], blocks: &mut [V; N]) {
    // SAFETY: the caller upholds the condition of `Simd`.
    unsafe {
        for block in blocks.iter_mut() {
            *block = block.xor(keys[0]);
        }
        for key in &keys[1..10] {
            for block in blocks.iter_mut() {
                *block = block.aes_round(*key);
            }
        }
        for block in blocks.iter_mut() {
            *block = block.aes_last(keys[10]);
        }
    }
}

/// `blocks[i] = AES(input(i))`, where `input(i)` gives a vector of the inputs i, i+1, ….
#[inline(always)]
unsafe fn encrypt_from<V: Simd>(
    key: &Aes128,
    out: &mut [F128],
    input: impl Fn(usize, *const F128) -> V,
    single: impl Fn(usize, *const F128) -> V::One,
) {
    let length = out.len();
    let out = out.as_mut_ptr();
    let mut i = 0;
    // SAFETY: the caller upholds the condition of `Simd`; every access stays below `length`.
    unsafe {
        let keys = round_keys::<V>(key);
        while i + FLIGHT * V::LANES <= length {
            let mut blocks: [V; FLIGHT] =
                core::array::from_fn(|f| input(i + f * V::LANES, out.add(i + f * V::LANES)));
            aes(&keys, &mut blocks);
            for (f, block) in blocks.into_iter().enumerate() {
                block.store(out.add(i + f * V::LANES));
            }
            i += FLIGHT * V::LANES;
        }
        let keys = round_keys::<V::One>(key);
        while i < length {
            let mut block = [single(i, out.add(i))];
            aes(&keys, &mut block);
            block[0].store(out.add(i));
            i += 1;
        }
    }
}

#[inline(always)]
pub(super) unsafe fn encrypt<V: Simd>(key: &Aes128, blocks: &mut [F128]) {
    // SAFETY: the caller upholds the condition of `Simd`; `at` is valid for a load wherever it is for the store.
    unsafe { encrypt_from::<V>(key, blocks, |_, at| V::load(at), |_, at| V::One::load(at)) }
}

#[inline(always)]
pub(super) unsafe fn counter<V: Simd>(key: &Aes128, start: u128, out: &mut [F128]) {
    // SAFETY: the caller upholds the condition of `Simd`, and checked that the counter does not overflow.
    unsafe {
        let input = |i: usize, _| V::count(start + i as u128);
        encrypt_from::<V>(key, out, input, |i, _| V::One::count(start + i as u128))
    }
}

/// Leaves folded in registers before partial sums go to memory, and its logarithm.
const LEAVES: usize = 8;
const LOW_PLANES: usize = 3;

#[inline(always)]
pub(super) unsafe fn fold_leaves<V: Simd>(
    key: &Aes128,
    leaves: &[F128],
    start: u128,
    total: &mut [F128],
    planes: &mut [F128],
) {
    let blocks = total.len();
    let whole = blocks - blocks % V::LANES;
    // SAFETY: the caller upholds the condition of `Simd`; the vectors at b cover total[b..b+LANES] and the same range
    // of each plane, which end at `blocks`.
    unsafe {
        let keys = round_keys::<V>(key);
        for b in (0..whole).step_by(V::LANES) {
            fold_leaves_at(&keys, leaves, start, b, total, planes);
        }
        let keys = round_keys::<V::One>(key);
        for b in whole..blocks {
            fold_leaves_at(&keys, leaves, start, b, total, planes);
        }
    }
}

#[inline(always)]
unsafe fn fold_leaves_at<V: Simd>(
    keys: &[V; 11],
    leaves: &[F128],
    start: u128,
    b: usize,
    total: &mut [F128],
    planes: &mut [F128],
) {
    let blocks = total.len();
    debug_assert!(b + V::LANES <= blocks);
    // SAFETY: the caller upholds the condition of `Simd`, and that b + LANES <= blocks.
    unsafe {
        let zero = V::splat(F128(0));
        let count = V::count(start + b as u128);
        let mut low = [zero; LOW_PLANES];
        let mut sums = [zero; 256 / LEAVES];
        let groups = leaves.len() / LEAVES;
        for (sum, leaves) in sums.iter_mut().zip(leaves.as_chunks::<LEAVES>().0) {
            let inputs = |y: usize| V::splat(leaves[y]).xor(count);
            let mut g: [V; LEAVES] = core::array::from_fn(inputs);
            aes(keys, &mut g);
            for (y, g) in g.iter_mut().enumerate() {
                *g = g.xor(inputs(y));
            }
            let (g01, g23, g45, g67) = (g[0].xor(g[1]), g[2].xor(g[3]), g[4].xor(g[5]), g[6].xor(g[7]));
            let high = g45.xor(g67);
            low[0] = low[0].xor(g[1].xor(g[3])).xor(g[5].xor(g[7]));
            low[1] = low[1].xor(g23).xor(g67);
            low[2] = low[2].xor(high);
            *sum = g01.xor(g23).xor(high);
        }
        debug_assert!(planes.len() == blocks * (LOW_PLANES + groups.ilog2() as usize));
        let planes = planes.as_mut_ptr();
        let plane = |m: usize| planes.add(m * blocks + b);
        for (m, low) in low.into_iter().enumerate() {
            low.store(plane(m));
        }
        for m in (0..groups.ilog2() as usize).rev() {
            let half = 1 << m;
            let mut sum = zero;
            for x in 0..half {
                sum = sum.xor(sums[half + x]);
                sums[x] = sums[x].xor(sums[half + x]);
            }
            sum.store(plane(LOW_PLANES + m));
        }
        sums[0].store(total.as_mut_ptr().add(b));
    }
}

/// σ(x): the halves swapped, and the former high one added to the new one.
#[inline(always)]
unsafe fn orthomorphism<V: Simd>(x: V, high: V) -> V {
    // SAFETY: the caller upholds the condition of `Simd`.
    unsafe { x.swap_halves().xor(x.and(high)) }
}

#[inline(always)]
unsafe fn grow_at<V: Simd, const N: usize>(keys: &[V; 11], nodes: *mut F128, parents: usize, i: usize) {
    // SAFETY: the caller upholds the condition of `Simd`, that i + N·LANES <= parents and that `nodes` is valid for
    // twice as many.
    unsafe {
        let high = V::splat(F128(u128::MAX << 64));
        let mut parent = [high; N];
        let mut input = [high; N];
        for n in 0..N {
            parent[n] = V::load(nodes.add(i + n * V::LANES));
            input[n] = orthomorphism(parent[n], high);
        }
        let mut left = input;
        aes(keys, &mut left);
        for n in 0..N {
            let left = left[n].xor(input[n]);
            left.store(nodes.add(i + n * V::LANES));
            left.xor(parent[n]).store(nodes.add(parents + i + n * V::LANES));
        }
    }
}

#[inline(always)]
pub(super) unsafe fn grow<V: Simd>(key: &Aes128, nodes: &mut [F128]) {
    let parents = nodes.len() / 2;
    let nodes = nodes.as_mut_ptr();
    let mut i = 0;
    // SAFETY: the caller upholds the condition of `Simd` and that the length is even; i stays within the parents.
    unsafe {
        let keys = round_keys::<V>(key);
        while i + FLIGHT * V::LANES <= parents {
            grow_at::<V, FLIGHT>(&keys, nodes, parents, i);
            i += FLIGHT * V::LANES;
        }
        while i + V::LANES <= parents {
            grow_at::<V, 1>(&keys, nodes, parents, i);
            i += V::LANES;
        }
        let keys = round_keys::<V::One>(key);
        while i < parents {
            grow_at::<V::One, 1>(&keys, nodes, parents, i);
            i += 1;
        }
    }
}

#[inline(always)]
unsafe fn sum_rows_at<V: Simd>(nodes: &[F128], g: usize, sums: &mut [F128]) {
    let trees = sums.len();
    // SAFETY: the caller upholds the condition of `Simd` and that g + LANES <= trees, which divides the length.
    unsafe {
        let mut sum = V::splat(F128(0));
        for row in 0..nodes.len() / trees {
            sum = sum.xor(V::load(nodes.as_ptr().add(row * trees + g)));
        }
        sum.store(sums.as_mut_ptr().add(g));
    }
}

#[inline(always)]
pub(super) unsafe fn sum_rows<V: Simd>(nodes: &[F128], sums: &mut [F128]) {
    // SAFETY: the caller upholds the condition of `Simd` and that the lengths divide.
    unsafe {
        let whole = sums.len() - sums.len() % V::LANES;
        for g in (0..whole).step_by(V::LANES) {
            sum_rows_at::<V>(nodes, g, sums);
        }
        for g in whole..sums.len() {
            sum_rows_at::<V::One>(nodes, g, sums);
        }
    }
}

#[inline(always)]
unsafe fn puncture_at<V: Simd>(nodes: *mut F128, rows: usize, g: usize, p: Punctures) {
    let trees = p.row.len();
    // SAFETY: the caller upholds the condition of `Simd`, that g + LANES <= trees and that `nodes` is valid for
    // 2·rows·trees.
    unsafe {
        let target = V::load(p.row.as_ptr().add(g));
        let (left, right) = (V::load(p.left.as_ptr().add(g)), V::load(p.right.as_ptr().add(g)));
        for row in 0..rows {
            let here = V::splat(F128(row as u128 | (row as u128) << 64)).equal(target);
            let at = nodes.add(row * trees + g);
            V::load(at).xor(here.and(left)).store(at);
            let at = at.add(rows * trees);
            V::load(at).xor(here.and(right)).store(at);
        }
    }
}

#[inline(always)]
pub(super) unsafe fn puncture<V: Simd>(nodes: &mut [F128], p: Punctures) {
    let trees = p.row.len();
    let rows = nodes.len() / (2 * trees);
    let nodes = nodes.as_mut_ptr();
    // SAFETY: the caller upholds the condition of `Simd` and that the lengths divide.
    unsafe {
        let whole = trees - trees % V::LANES;
        for g in (0..whole).step_by(V::LANES) {
            puncture_at::<V>(nodes, rows, g, p);
        }
        for g in whole..trees {
            puncture_at::<V::One>(nodes, rows, g, p);
        }
    }
}

/// Rows that are encoded on one buffer of indices, and the 128-bit blocks of that buffer.
const ENCODED: usize = 64;
const INDEX_BLOCKS: usize = ENCODED * WEIGHT / 4;

#[inline(always)]
pub(super) unsafe fn encode<V: Simd>(key: &Aes128, first: u64, table: &[F128], rows: &mut [F128]) {
    let size = table.len() as u64;
    let table = table.as_ptr();
    let mut block = first as u128 * WEIGHT as u128 / 4;
    let mut blocks = [F128(0); INDEX_BLOCKS];
    for rows in rows.chunks_mut(ENCODED) {
        // SAFETY: the caller upholds the condition of `Simd`. A word w is mapped to the byte offset of the entry
        // w·size >> 32, which is below `size`; `encode` in arch.rs bounds the table to 2^27 entries, so that the
        // offset fits 32 bits.
        unsafe {
            counter::<V>(key, block, &mut blocks);
            let words: *mut u32 = blocks.as_mut_ptr().cast();
            for i in 0..4 * INDEX_BLOCKS {
                let word = words.add(i);
                *word = ((u64::from(*word) * size) >> 32) as u32 * 16;
            }
            for (j, row) in rows.iter_mut().enumerate() {
                let row: *mut F128 = row;
                let mut sum = V::One::load(row);
                for i in 0..WEIGHT {
                    sum = sum.xor(V::One::load(table.byte_add(*words.add(WEIGHT * j + i) as usize)));
                }
                sum.store(row);
            }
        }
        block += INDEX_BLOCKS as u128;
    }
}

/// A sum of 256-bit products, before reduction.
#[derive(Clone, Copy)]
struct Unreduced<V> {
    low: V,
    middle: V,
    high: V,
}

impl<V: Simd> Unreduced<V> {
    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: the caller upholds the condition of `Simd`.
        let zero = unsafe { V::splat(F128(0)) };
        Self { low: zero, middle: zero, high: zero }
    }

    /// Adds a·b.
    #[inline(always)]
    unsafe fn add_product(&mut self, a: V, b: V) {
        // SAFETY: the caller upholds the condition of `Simd`.
        unsafe {
            self.low = self.low.xor(a.clmul::<0x00>(b));
            self.high = self.high.xor(a.clmul::<0x11>(b));
            self.middle = self.middle.xor(a.clmul::<0x01>(b).xor(a.clmul::<0x10>(b)));
        }
    }

    /// The sum over all lanes, reduced.
    #[inline(always)]
    unsafe fn fold(self) -> F128 {
        // SAFETY: the caller upholds the condition of `Simd`.
        let (low, middle, high) = unsafe { (self.low.fold().0, self.middle.fold().0, self.high.fold().0) };
        F128::reduce(low ^ (middle << 64), high ^ (middle >> 64))
    }
}

/// a·b in each lane, reduced.
#[inline(always)]
unsafe fn product<V: Simd>(a: V, b: V) -> V {
    // SAFETY: the caller upholds the condition of `Simd`.
    unsafe {
        let middle = a.clmul::<0x01>(b).xor(a.clmul::<0x10>(b));
        let low = a.clmul::<0x00>(b).xor(middle.up64());
        let high = a.clmul::<0x11>(b).xor(middle.down64());
        // Fold the 64-bit limbs 3 and then 2 with X^128 = X^7 + X^2 + X + 1.
        let fold = V::splat(F128(crate::field::REDUCTION));
        let third = high.clmul::<0x01>(fold);
        let low = low.xor(third.up64());
        let high = high.xor(third.down64());
        low.xor(high.clmul::<0x00>(fold))
    }
}

#[inline(always)]
pub(super) unsafe fn dot<V: Simd>(a: &[F128], b: &[F128]) -> F128 {
    let (length, a, b) = (a.len(), a.as_ptr(), b.as_ptr());
    // SAFETY: the caller upholds the condition of `Simd` and that the lengths are equal; indices stay below `length`.
    unsafe {
        let mut wide = Unreduced::<V>::zero();
        let mut single = Unreduced::<V::One>::zero();
        let whole = length - length % V::LANES;
        for i in (0..whole).step_by(V::LANES) {
            wide.add_product(V::load(a.add(i)), V::load(b.add(i)));
        }
        for i in whole..length {
            single.add_product(V::One::load(a.add(i)), V::One::load(b.add(i)));
        }
        wide.fold() ^ single.fold()
    }
}

#[inline(always)]
unsafe fn weigh_at<V: Simd>(i: usize, chi: &[F128], words: &[F128], sum: &mut Unreduced<V>, bits: &mut V) {
    // SAFETY: the caller upholds the condition of `Simd`, that both lengths are equal and that i + LANES is in range.
    unsafe {
        let (chi, word) = (V::load(chi.as_ptr().add(i)), V::load(words.as_ptr().add(i)));
        sum.add_product(chi, word);
        *bits = bits.xor(word.bit0_mask().and(chi));
    }
}

#[inline(always)]
pub(super) unsafe fn weigh<V: Simd>(chi: &[F128], words: &[F128]) -> (F128, F128) {
    // SAFETY: as in `dot`; the caller checked that both lengths are equal.
    unsafe {
        let (mut wide, mut single) = (Unreduced::<V>::zero(), Unreduced::<V::One>::zero());
        let (mut wide_bits, mut single_bits) = (V::splat(F128(0)), V::One::splat(F128(0)));
        let whole = chi.len() - chi.len() % V::LANES;
        for i in (0..whole).step_by(V::LANES) {
            weigh_at(i, chi, words, &mut wide, &mut wide_bits);
        }
        for i in whole..chi.len() {
            weigh_at(i, chi, words, &mut single, &mut single_bits);
        }
        (wide.fold() ^ single.fold(), wide_bits.fold() ^ single_bits.fold())
    }
}

/// The columns a, b and c of the triples from number i on.
#[inline(always)]
unsafe fn load_triples<V: Simd>(triples: &[Triple], i: usize) -> [V; 3] {
    debug_assert!(i + V::LANES <= triples.len());
    // SAFETY: the caller upholds the condition of `Simd` and that i + LANES is in range.
    unsafe {
        let at = triples.as_ptr().add(i).cast::<F128>();
        [V::gather(at, 3), V::gather(at.add(1), 3), V::gather(at.add(2), 3)]
    }
}

#[inline(always)]
unsafe fn prover_sums_at<V: Simd>(i: usize, chi: &[F128], triples: &[Triple], sums: &mut [Unreduced<V>; 2]) {
    // SAFETY: the caller upholds the condition of `Simd`, that both lengths are equal and that i + LANES is in range.
    unsafe {
        let [a, b, c] = load_triples::<V>(triples, i);
        let chi = V::load(chi.as_ptr().add(i));
        let cross = a.bit0_mask().and(b).xor(b.bit0_mask().and(a)).xor(c);
        sums[0].add_product(chi, product(a, b));
        sums[1].add_product(chi, cross);
    }
}

#[inline(always)]
pub(super) unsafe fn prover_sums<V: Simd>(chi: &[F128], triples: &[Triple]) -> (F128, F128) {
    // SAFETY: as in `dot`; the caller checked that both lengths are equal.
    unsafe {
        let mut wide = [Unreduced::<V>::zero(); 2];
        let mut single = [Unreduced::<V::One>::zero(); 2];
        let whole = chi.len() - chi.len() % V::LANES;
        for i in (0..whole).step_by(V::LANES) {
            prover_sums_at(i, chi, triples, &mut wide);
        }
        for i in whole..chi.len() {
            prover_sums_at(i, chi, triples, &mut single);
        }
        (wide[0].fold() ^ single[0].fold(), wide[1].fold() ^ single[1].fold())
    }
}

#[inline(always)]
unsafe fn verifier_sums_at<V: Simd>(
    i: usize,
    chi: &[F128],
    triples: &[Triple],
    sums: &mut [Unreduced<V>; 2],
) {
    // SAFETY: the caller upholds the condition of `Simd`, that both lengths are equal and that i + LANES is in range.
    unsafe {
        let [a, b, c] = load_triples::<V>(triples, i);
        let chi = V::load(chi.as_ptr().add(i));
        sums[0].add_product(chi, product(a, b));
        sums[1].add_product(chi, c);
    }
}

#[inline(always)]
pub(super) unsafe fn verifier_sums<V: Simd>(chi: &[F128], triples: &[Triple]) -> (F128, F128) {
    // SAFETY: as in `dot`; the caller checked that both lengths are equal.
    unsafe {
        let mut wide = [Unreduced::<V>::zero(); 2];
        let mut single = [Unreduced::<V::One>::zero(); 2];
        let whole = chi.len() - chi.len() % V::LANES;
        for i in (0..whole).step_by(V::LANES) {
            verifier_sums_at(i, chi, triples, &mut wide);
        }
        for i in whole..chi.len() {
            verifier_sums_at(i, chi, triples, &mut single);
        }
        (wide[0].fold() ^ single[0].fold(), wide[1].fold() ^ single[1].fold())
    }
}

#[inline(always)]
pub(super) unsafe fn transpose<V: Simd>(columns: &[F128], rows: &mut [F128]) {
    let (blocks, rows) = (rows.len() / 128, rows.as_mut_ptr());
    // SAFETY: the caller upholds the condition of `Simd` and that the lengths are equal multiples of 128.
    unsafe {
        let whole = blocks - blocks % V::LANES;
        for block in (0..whole).step_by(V::LANES) {
            transpose_at::<V>(block, columns, rows);
        }
        for block in whole..blocks {
            transpose_at::<V::One>(block, columns, rows);
        }
    }
}

/// Swaps the upper right with the lower left quarter of a square of 2·J bits, in each of its copies along the lanes.
#[inline(always)]
unsafe fn swap<V: Simd, const J: u32>(upper: &mut V, lower: &mut V) {
    // SAFETY: the caller upholds the condition of `Simd`.
    unsafe {
        // The low J bits of every 2·J.
        let low = V::splat(F128(u128::MAX / ((1u128 << J) + 1)));
        let moved = upper.shr::<J>().xor(*lower).and(low);
        *upper = upper.xor(moved.shl::<J>());
        *lower = lower.xor(moved);
    }
}

/// Transposes `LANES` squares of 128 x 128 bits, from block `block` on: rounds for squares of 128 down to 2 bits, in
/// passes that keep 8 vectors in registers.
#[inline(always)]
unsafe fn transpose_at<V: Simd>(block: usize, columns: &[F128], rows: *mut F128) {
    let blocks = columns.len() / 128;
    // SAFETY: the caller upholds the condition of `Simd`; block + LANES <= blocks, so that column p is read within
    // p·blocks..(p+1)·blocks, and the rows written are those of the blocks block..block+LANES.
    unsafe {
        let mut m = [V::splat(F128(0)); 128];
        for i in 0..16 {
            let at = |t: usize| i + 16 * t;
            let mut x: [V; 8] =
                core::array::from_fn(|t| V::load(columns.as_ptr().add(at(t) * blocks + block)));
            for t in 0..4 {
                (x[t], x[t + 4]) = (x[t].low_halves(x[t + 4]), x[t].high_halves(x[t + 4]));
            }
            let [x0, x1, x2, x3, x4, x5, x6, x7] = &mut x;
            swap::<V, 32>(x0, x2);
            swap::<V, 32>(x1, x3);
            swap::<V, 32>(x4, x6);
            swap::<V, 32>(x5, x7);
            swap::<V, 16>(x0, x1);
            swap::<V, 16>(x2, x3);
            swap::<V, 16>(x4, x5);
            swap::<V, 16>(x6, x7);
            for (t, x) in x.into_iter().enumerate() {
                m[at(t)] = x;
            }
        }
        for i in (0..128).step_by(16).flat_map(|i| [i, i + 1]) {
            let at = |t: usize| i + 2 * t;
            let mut x: [V; 8] = core::array::from_fn(|t| m[at(t)]);
            let [x0, x1, x2, x3, x4, x5, x6, x7] = &mut x;
            swap::<V, 8>(x0, x4);
            swap::<V, 8>(x1, x5);
            swap::<V, 8>(x2, x6);
            swap::<V, 8>(x3, x7);
            swap::<V, 4>(x0, x2);
            swap::<V, 4>(x1, x3);
            swap::<V, 4>(x4, x6);
            swap::<V, 4>(x5, x7);
            swap::<V, 2>(x0, x1);
            swap::<V, 2>(x2, x3);
            swap::<V, 2>(x4, x5);
            swap::<V, 2>(x6, x7);
            for (t, x) in x.into_iter().enumerate() {
                m[at(t)] = x;
            }
        }
        for (i, pair) in m.as_chunks_mut::<2>().0.iter_mut().enumerate() {
            let [upper, lower] = pair;
            swap::<V, 1>(upper, lower);
            upper.scatter(rows.add(128 * block + 2 * i), 128);
            lower.scatter(rows.add(128 * block + 2 * i + 1), 128);
        }
    }
}
