//! Trees and what comes of their leaves: expansion, growth, encoding.

use super::{FLIGHT, Simd, aes, counter, round_keys};
use crate::aes::Aes128;
use crate::arch::{MOST_TREES, Punctures, WEIGHT};
use crate::field::{F64, F128};
use zeroize::Zeroize;

/// Leaves folded in registers before partial sums go to memory, and its logarithm.
const LEAVES: usize = 8;
const LOW_PLANES: usize = 3;

/// The most leaves of a tree, in groups of [`LEAVES`].
const MOST: usize = 256 / LEAVES;

#[inline(always)]
pub(in super::super) unsafe fn fold_leaves<V: Simd>(
    key: &Aes128,
    leaves: &[F128],
    start: u128,
    total: &mut [F128],
    planes: &mut [F128],
) {
    // SAFETY: the caller's.
    unsafe {
        if leaves.len() == 2 * LEAVES {
            // Few sums, which stay in registers.
            fold_groups::<V, 2>(key, leaves, start, total, planes);
        } else {
            fold_groups::<V, MOST>(key, leaves, start, total, planes);
        }
    }
}

/// Folds up to `G` groups of leaves.
#[inline(always)]
unsafe fn fold_groups<V: Simd, const G: usize>(
    key: &Aes128,
    leaves: &[F128],
    start: u128,
    total: &mut [F128],
    planes: &mut [F128],
) {
    let blocks = total.len();
    let whole = blocks - blocks % V::LANES;
    // What the cipher's inputs are in the sums: each sums an even number of them, so that counts cancel.
    let mut inputs = [F128(0); 9];
    let (in_total, in_planes) = inputs.split_first_mut().expect("nine");
    for (y, leaf) in leaves.iter().enumerate() {
        *in_total ^= *leaf;
        for (m, sum) in in_planes.iter_mut().enumerate() {
            if y >> m & 1 == 1 {
                *sum ^= *leaf;
            }
        }
    }
    // SAFETY: the caller upholds the condition of `Simd`; the vectors at b cover total[b..b+LANES] and the
    // same range of each plane, which end at `blocks`.
    unsafe {
        let keys = round_keys::<V>(key);
        for b in (0..whole).step_by(V::LANES) {
            fold_leaves_at::<V, G>(&keys, leaves, &inputs, start, b, total, planes);
        }
        let keys = round_keys::<V::One>(key);
        for b in whole..blocks {
            fold_leaves_at::<V::One, G>(&keys, leaves, &inputs, start, b, total, planes);
        }
    }
    // Sums of secret leaves.
    inputs.zeroize();
}

#[inline(always)]
unsafe fn fold_leaves_at<V: Simd, const G: usize>(
    keys: &[V; 11],
    leaves: &[F128],
    inputs: &[F128; 9],
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
        let mut sums = [zero; G];
        let groups = leaves.len() / LEAVES;
        for (sum, leaves) in sums.iter_mut().zip(leaves.as_chunks::<LEAVES>().0) {
            let mut g = [count; LEAVES];
            for (g, leaf) in g.iter_mut().zip(leaves) {
                *g = g.xor(V::splat(*leaf));
            }
            aes(keys, &mut g);
            let (g01, g23, g45, g67) = (g[0].xor(g[1]), g[2].xor(g[3]), g[4].xor(g[5]), g[6].xor(g[7]));
            let high = g45.xor(g67);
            low[0] = low[0].xor(g[1].xor(g[3])).xor(g[5].xor(g[7]));
            low[1] = low[1].xor(g23).xor(g67);
            low[2] = low[2].xor(high);
            *sum = g01.xor(g23).xor(high);
        }
        debug_assert!(planes.len() == blocks * (LOW_PLANES + groups.ilog2() as usize));
        let planes = planes.as_mut_ptr();
        for (m, low) in low.into_iter().enumerate() {
            low.xor(V::splat(inputs[1 + m])).store(planes.add(m * blocks + b));
        }
        for m in (0..groups.ilog2() as usize).rev() {
            let half = 1 << m;
            let mut sum = zero;
            for x in 0..half {
                sum = sum.xor(sums[half + x]);
                sums[x] = sums[x].xor(sums[half + x]);
            }
            let m = LOW_PLANES + m;
            sum.xor(V::splat(inputs[1 + m])).store(planes.add(m * blocks + b));
        }
        sums[0].xor(V::splat(inputs[0])).store(total.as_mut_ptr().add(b));
    }
}

/// σ(x): the halves swapped, and the former high one added to the new one.
#[inline(always)]
pub(super) unsafe fn orthomorphism<V: Simd>(x: V, high: V) -> V {
    // SAFETY: the caller upholds the condition of `Simd`.
    unsafe { x.swap_halves().xor(x.and(high)) }
}

/// Corrections for the children of the nodes of a level, node by node, which repeat after a period.
struct Changes {
    period: usize,
    /// The place of the node whose children change, in both 64-bit halves.
    place: [F128; MOST_TREES],
    left: [F128; MOST_TREES],
    right: [F128; MOST_TREES],
}

impl Changes {
    /// The corrections in `punctures`, over a period of at least `least` nodes, both powers of two.
    fn new(least: usize, punctures: &Punctures) -> Self {
        let trees = punctures.row.len();
        let nothing = [F128(0); MOST_TREES];
        let period = trees.max(least);
        let mut changes = Self { period, place: nothing, left: nothing, right: nothing };
        for i in 0..period {
            let g = i % trees;
            let place = (punctures.row[g].0 as u64 * trees as u64 + g as u64) as u128;
            changes.place[i] = F128(place | place << 64);
            (changes.left[i], changes.right[i]) = (punctures.left[g], punctures.right[g]);
        }
        changes
    }
}

impl Drop for Changes {
    fn drop(&mut self) {
        for secrets in [&mut self.place, &mut self.left, &mut self.right] {
            secrets[..self.period].zeroize();
        }
    }
}

/// Constants by which all vectors of a level are grown.
struct Growth<'a, V> {
    keys: [V; 11],
    keep: V,
    changes: Option<&'a Changes>,
}

#[inline(always)]
unsafe fn in_both_halves<V: Simd>(number: usize) -> V {
    // SAFETY: the caller upholds the condition of `Simd`.
    unsafe { V::splat(F128(number as u128 | (number as u128) << 64)) }
}

#[inline(always)]
unsafe fn grow_at<V: Simd, const N: usize, const CHANGE: bool>(
    growth: &Growth<V>,
    nodes: *mut F128,
    parents: usize,
    i: usize,
) {
    // SAFETY: the caller upholds the condition of `Simd`, that i + N·LANES <= parents and that `nodes` is
    // valid for twice as many. Both i and the period are multiples of N·LANES, so that the changes to these
    // nodes lie side by side within a period.
    unsafe {
        let high = V::splat(F128(u128::MAX << 64));
        let mut parent = [high; N];
        let mut input = [high; N];
        for n in 0..N {
            parent[n] = V::load(nodes.add(i + n * V::LANES));
            input[n] = orthomorphism(parent[n], high);
        }
        let mut left = input;
        aes(&growth.keys, &mut left);
        let lanes = V::count(0);
        let mut number = in_both_halves::<V>(i).add(lanes.xor(lanes.up64()));
        for n in 0..N {
            let left = left[n].xor(input[n]);
            let mut children = [left.and(growth.keep), left.xor(parent[n]).and(growth.keep)];
            if let (true, Some(changes)) = (CHANGE, growth.changes) {
                let at = i % changes.period + n * V::LANES;
                let here = number.equal(V::load(changes.place.as_ptr().add(at)));
                children[0] = children[0].xor(here.and(V::load(changes.left.as_ptr().add(at))));
                children[1] = children[1].xor(here.and(V::load(changes.right.as_ptr().add(at))));
                number = number.add(in_both_halves(V::LANES));
            }
            children[0].store(nodes.add(i + n * V::LANES));
            children[1].store(nodes.add(parents + i + n * V::LANES));
        }
    }
}

#[inline(always)]
unsafe fn grow_level<V: Simd, const CHANGE: bool>(
    key: &Aes128,
    nodes: &mut [F128],
    keep: F128,
    changes: Option<&Changes>,
) {
    let parents = nodes.len() / 2;
    let nodes = nodes.as_mut_ptr();
    let mut i = 0;
    // SAFETY: the caller upholds the condition of `Simd` and that the length is even; i stays within the
    // parents.
    unsafe {
        let growth = Growth { keys: round_keys::<V>(key), keep: V::splat(keep), changes };
        while i + FLIGHT * V::LANES <= parents {
            grow_at::<V, FLIGHT, CHANGE>(&growth, nodes, parents, i);
            i += FLIGHT * V::LANES;
        }
        while i + V::LANES <= parents {
            grow_at::<V, 1, CHANGE>(&growth, nodes, parents, i);
            i += V::LANES;
        }
        let growth = Growth { keys: round_keys::<V::One>(key), keep: V::One::splat(keep), changes };
        while i < parents {
            grow_at::<V::One, 1, CHANGE>(&growth, nodes, parents, i);
            i += 1;
        }
    }
}

#[inline(always)]
pub(in super::super) unsafe fn grow_with<V: Simd>(
    key: &Aes128,
    nodes: &mut [F128],
    keep: F128,
    punctures: Option<Punctures>,
) {
    const { assert!(FLIGHT * V::LANES <= MOST_TREES) };
    // SAFETY: the caller's.
    unsafe {
        match punctures {
            None => grow_level::<V, false>(key, nodes, keep, None),
            Some(punctures) => {
                let changes = Changes::new(FLIGHT * V::LANES, &punctures);
                grow_level::<V, true>(key, nodes, keep, Some(&changes));
            }
        }
    }
}

#[inline(always)]
unsafe fn hash_at<V: Simd, const N: usize>(keys: &[V; 11], blocks: *const F128, out: *mut F128) {
    // SAFETY: the caller upholds the condition of `Simd`, and that both are valid for N·LANES blocks.
    unsafe {
        let high = V::splat(F128(u128::MAX << 64));
        let mut input = [high; N];
        for (n, input) in input.iter_mut().enumerate() {
            *input = orthomorphism(V::load(blocks.add(n * V::LANES)), high);
        }
        let mut hash = input;
        aes(keys, &mut hash);
        for n in 0..N {
            hash[n].xor(input[n]).store(out.add(n * V::LANES));
        }
    }
}

#[inline(always)]
pub(in super::super) unsafe fn hash<V: Simd>(key: &Aes128, blocks: &[F128], out: &mut [F128]) {
    let (length, blocks, out) = (out.len(), blocks.as_ptr(), out.as_mut_ptr());
    let mut i = 0;
    // SAFETY: the caller upholds the condition of `Simd` and that there are as many blocks.
    unsafe {
        let keys = round_keys::<V>(key);
        while i + FLIGHT * V::LANES <= length {
            hash_at::<V, FLIGHT>(&keys, blocks.add(i), out.add(i));
            i += FLIGHT * V::LANES;
        }
        let keys = round_keys::<V::One>(key);
        while i < length {
            hash_at::<V::One, 1>(&keys, blocks.add(i), out.add(i));
            i += 1;
        }
    }
}

#[inline(always)]
unsafe fn sum_rows_at<V: Simd>(nodes: &[F128], g: usize, sums: &mut [F128]) {
    let trees = sums.len();
    // SAFETY: the caller upholds the condition of `Simd` and that g + LANES <= trees,
    // which divides the length.
    unsafe {
        let mut sum = V::splat(F128(0));
        for row in 0..nodes.len() / trees {
            sum = sum.xor(V::load(nodes.as_ptr().add(row * trees + g)));
        }
        sum.store(sums.as_mut_ptr().add(g));
    }
}

#[inline(always)]
pub(in super::super) unsafe fn sum_rows<V: Simd>(nodes: &[F128], sums: &mut [F128]) {
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
    // SAFETY: the caller upholds the condition of `Simd`, that g + LANES <= trees and that `nodes` is
    // valid for 2·rows·trees.
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
pub(in super::super) unsafe fn puncture<V: Simd>(nodes: &mut [F128], p: Punctures) {
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
pub(super) const ENCODED: usize = 64;
pub(super) const INDEX_BLOCKS: usize = ENCODED * WEIGHT / 4;

/// Fills `blocks` with the byte offsets in `table` of the entries that [`ENCODED`] rows sum, in 32 bits each,
/// drawn from block number `block` of the counter on. Such an offset must fit.
#[inline(always)]
pub(super) unsafe fn draw_offsets<V: Simd, T>(
    key: &Aes128,
    block: u128,
    table: &[T],
    blocks: &mut [F128; INDEX_BLOCKS],
) -> *const u32 {
    // Of 32 bits, as the compiler is to know: the product of two such words is one instruction.
    let size = u64::from(table.len() as u32);
    // SAFETY: the caller upholds the condition of `Simd`; a block is four words.
    unsafe {
        counter::<V>(key, block, blocks);
        let words: *mut u32 = blocks.as_mut_ptr().cast();
        for i in 0..4 * INDEX_BLOCKS {
            // The place `w·size >> 32` of word w is below the size.
            let word = words.add(i);
            *word = ((u64::from(*word) * size) >> 32) as u32 * size_of::<T>() as u32;
        }
        words
    }
}

/// The byte offsets in a table of the entries that rows sum, drawn by flights of blocks.
struct Offsets<V> {
    keys: [V; 11],
    /// The number of the next blocks.
    count: V,
    /// The number of the table's entries, in both halves.
    size: V,
}

impl<V: Simd> Offsets<V> {
    /// Flights of which [`ENCODED`] rows take the offsets.
    const FLIGHTS: usize = INDEX_BLOCKS / (FLIGHT * V::LANES);

    #[inline(always)]
    unsafe fn new(key: &Aes128, block: u128, size: usize) -> Self {
        const { assert!(INDEX_BLOCKS.is_multiple_of(FLIGHT * V::LANES)) };
        let size = size as u128;
        // SAFETY: the caller upholds the condition of `Simd`.
        unsafe {
            Self {
                keys: round_keys::<V>(key),
                count: V::count(block),
                size: V::splat(F128(size << 64 | size)),
            }
        }
    }

    /// Draws flight number `flight` of `offsets`, of a table of `T`.
    #[inline(always)]
    unsafe fn draw<T>(&mut self, flight: usize, offsets: &mut [F128; INDEX_BLOCKS]) {
        debug_assert!(flight < Self::FLIGHTS);
        // SAFETY: the caller upholds the condition of `Simd`, and that the flight is below `FLIGHTS`.
        unsafe {
            let step = V::splat(F128(V::LANES as u128));
            let high = V::splat(F128((u128::MAX >> 96) << 32 | (u128::MAX >> 96) << 96));
            let mut blocks = [step; FLIGHT];
            for block in blocks.iter_mut() {
                *block = self.count;
                self.count = self.count.add(step);
            }
            aes(&self.keys, &mut blocks);
            let to = offsets.as_mut_ptr().add(flight * FLIGHT * V::LANES);
            for (f, words) in blocks.into_iter().enumerate() {
                // The place `w·size >> 32` of word w is below the size, 2^27 at most.
                let even = words.multiply32(self.size).shr::<32>();
                let odd = words.shr::<32>().multiply32(self.size).and(high);
                let places = even.xor(odd);
                let offsets = match size_of::<T>() {
                    8 => places.shl::<3>(),
                    16 => places.shl::<4>(),
                    _ => unreachable!(),
                };
                offsets.store(to.add(f * V::LANES));
            }
        }
    }
}

/// Rows that entries are asked for ahead. More at once than the buffers between two caches hold would wait
/// for each other.
const AHEAD: usize = 32;

/// Entries of a table, and how they are summed.
///
/// # Safety
/// Every method may be called only under the condition of [`Simd`].
pub(in super::super) trait Entry<V: Simd>: Sized {
    /// The bytes of a table from which on its entries are asked for ahead: that pays where they come from
    /// memory or from a cache that cores share, and costs more than it gains where they are nearer.
    const FAR: usize;
    /// A sum in a register.
    type Sum;
    /// The sum that is only `entry`, which must be valid.
    unsafe fn load(entry: *const Self) -> Self::Sum;
    /// Adds `entry`, which must be valid.
    unsafe fn add(sum: Self::Sum, entry: *const Self) -> Self::Sum;
    /// Writes the sum; `to` must be valid for that.
    unsafe fn store(sum: Self::Sum, to: *mut Self);
}

impl<V: Simd> Entry<V> for F128 {
    const FAR: usize = 4 << 20;
    type Sum = V::One;

    #[inline(always)]
    unsafe fn load(entry: *const Self) -> V::One {
        // SAFETY: the caller's.
        unsafe { V::One::load(entry) }
    }
    #[inline(always)]
    unsafe fn add(sum: V::One, entry: *const Self) -> V::One {
        // SAFETY: the caller's.
        unsafe { sum.xor(V::One::load(entry)) }
    }
    #[inline(always)]
    unsafe fn store(sum: V::One, to: *mut Self) {
        // SAFETY: the caller's.
        unsafe { sum.store(to) }
    }
}

impl<V: Simd> Entry<V> for F64 {
    // The processor looks ahead far enough by itself: a row takes few instructions, if none ask.
    const FAR: usize = usize::MAX;
    type Sum = F64;

    #[inline(always)]
    unsafe fn load(entry: *const Self) -> F64 {
        // SAFETY: the caller's.
        unsafe { entry.read() }
    }
    #[inline(always)]
    unsafe fn add(sum: F64, entry: *const Self) -> F64 {
        // Of plain reads the compiler makes gathers, which take more than twice as long.
        // SAFETY: the caller's.
        sum + unsafe { entry.read_volatile() }
    }
    #[inline(always)]
    unsafe fn store(sum: F64, to: *mut Self) {
        // SAFETY: the caller's.
        unsafe { to.write(sum) }
    }
}

/// Reads at random places wait for the caches, AES does not: so that the processor has both at hand, the
/// offsets of the next rows are drawn a flight at a time among the rows that are encoded.
#[inline(always)]
pub(in super::super) unsafe fn encode<V: Simd, T: Entry<V>>(
    key: &Aes128,
    first: u64,
    table: &[T],
    rows: &mut [T],
) {
    let block = first as u128 * WEIGHT as u128 / 4;
    let mut buffers = [[F128(0); INDEX_BLOCKS]; 2];
    let [mut now, mut next] = buffers.each_mut();
    // SAFETY: the caller upholds the condition of `Simd`; `encode` in arch.rs and in f64.rs bounds the table
    // to 2^27 entries, so that offsets fit 32 bits.
    unsafe {
        let mut draw = Offsets::<V>::new(key, block, table.len());
        let flights = Offsets::<V>::FLIGHTS;
        let far = size_of_val(table) > T::FAR;
        for flight in 0..flights {
            draw.draw::<T>(flight, now);
        }
        let mut chunks = rows.chunks_mut(ENCODED).peekable();
        while let Some(rows) = chunks.next() {
            let [offsets, coming]: [*const u32; 2] = [now.as_ptr().cast(), next.as_ptr().cast()];
            let last = chunks.peek().is_none();
            for flight in 0..flights {
                if !last {
                    draw.draw::<T>(flight, next);
                }
                let [start, end] = [flight, flight + 1].map(|flight| ENCODED * flight / flights);
                for j in start..end.min(rows.len()) {
                    if far {
                        // Of the next rows those are drawn already that stand AHEAD of these.
                        let ahead = j + AHEAD;
                        let of_row = match ahead.checked_sub(ENCODED) {
                            None => offsets.add(WEIGHT * ahead),
                            Some(ahead) => coming.add(WEIGHT * ahead),
                        };
                        for i in 0..WEIGHT {
                            V::prefetch(table.as_ptr().byte_add(*of_row.add(i) as usize).cast());
                        }
                    }
                    let row = rows.as_mut_ptr().add(j);
                    let mut sum = T::load(row);
                    for i in 0..WEIGHT {
                        let entry = table.as_ptr().byte_add(*offsets.add(WEIGHT * j + i) as usize);
                        sum = T::add(sum, entry);
                    }
                    T::store(sum, row);
                }
            }
            core::mem::swap(&mut now, &mut next);
        }
    }
}
