//! Leaves, tags and products over the field of 2^64 elements, whose lowest bit may be a value: a lane is two
//! elements.

use super::Simd;
use super::f61::splat;
use super::leaves::Leaf;
use super::transpose::swap;
use crate::arch::f64::Triple;
use crate::arch::portable::f64 as portable;
use crate::field::{F2, F64, F128};

impl Leaf for F64 {
    #[inline(always)]
    unsafe fn of<V: Simd>(halves: V) -> V {
        // SAFETY: the caller's.
        unsafe { macs(halves) }
    }
}

/// The MACs of tags.
#[inline(always)]
unsafe fn macs<V: Simd>(tags: V) -> V {
    // SAFETY: the caller upholds the condition of `Simd`.
    unsafe { tags.and(splat(!1)) }
}

/// All ones in the halves whose lowest bit is set, zero in the others.
#[inline(always)]
unsafe fn bit0_masks<V: Simd>(x: V) -> V {
    // SAFETY: the caller upholds the condition of `Simd`.
    unsafe { splat::<V>(0).sub(x.and(splat(1))) }
}

/// Elements of one load.
///
/// # Safety
/// Every method may be called only under the condition of [`Simd`].
trait Part {
    type Vector: Simd;
    /// How many there are.
    const COUNT: usize;
    /// Reads `COUNT` elements; `from` must be valid for that. Halves beyond are zero.
    unsafe fn load(from: *const F64) -> Self::Vector;
    /// Writes `COUNT` elements; `to` must be valid for that.
    unsafe fn store(elements: Self::Vector, to: *mut F64);
    /// Reads the columns of `COUNT` triples; `from` must be valid for that.
    unsafe fn load_triples(from: *const Triple) -> [Self::Vector; 3];
    /// All ones in the halves whose factor is one; `from` must be valid for `COUNT` factors.
    unsafe fn masks(from: *const F2) -> Self::Vector;
}

/// Two elements in each lane.
struct Whole<V>(V);

impl<V: Simd> Part for Whole<V> {
    type Vector = V;
    const COUNT: usize = 2 * V::LANES;

    #[inline(always)]
    unsafe fn load(from: *const F64) -> V {
        // SAFETY: the caller's.
        unsafe { V::load(from.cast()) }
    }
    #[inline(always)]
    unsafe fn store(elements: V, to: *mut F64) {
        // SAFETY: the caller's.
        unsafe { elements.store(to.cast()) }
    }
    #[inline(always)]
    unsafe fn load_triples(from: *const Triple) -> [V; 3] {
        // SAFETY: the caller's.
        unsafe { V::load_triples(from.cast()) }
    }
    #[inline(always)]
    unsafe fn masks(from: *const F2) -> V {
        const { assert!(V::LANES <= 4 && size_of::<F2>() == 1) };
        // SAFETY: the caller's; an `F2` is a byte that is zero or one.
        unsafe {
            let mut bytes = 0_u64;
            core::ptr::copy_nonoverlapping(from.cast(), (&raw mut bytes).cast::<u8>(), 2 * V::LANES);
            // Lane l takes bytes 2·l and 2·l + 1.
            let ones = u64::MAX / 0xff;
            let mut places = [F128(0); 4];
            for (l, place) in (0..).zip(&mut places) {
                place.0 = u128::from((2 * l + 1) * ones) << 64 | u128::from(2 * l * ones);
            }
            splat::<V>(bytes).shuffle8(V::load(places.as_ptr())).equal(splat(ones))
        }
    }
}

/// One element, in the high half of a lane.
struct Last<V>(V);

impl<V: Simd> Part for Last<V> {
    type Vector = V;
    const COUNT: usize = 1;

    #[inline(always)]
    unsafe fn load(from: *const F64) -> V {
        const { assert!(V::LANES == 1) };
        // SAFETY: the caller's.
        unsafe { V::load_high(from.cast()) }
    }
    #[inline(always)]
    unsafe fn store(elements: V, to: *mut F64) {
        // SAFETY: the caller's.
        unsafe { *to = F64::new((elements.fold().0 >> 64) as u64) }
    }
    #[inline(always)]
    unsafe fn load_triples(from: *const Triple) -> [V; 3] {
        let from: *const F64 = from.cast();
        // SAFETY: the caller's.
        unsafe { [Self::load(from), Self::load(from.add(1)), Self::load(from.add(2))] }
    }
    #[inline(always)]
    unsafe fn masks(from: *const F2) -> V {
        // SAFETY: the caller's; an `F2` is a byte that is zero or one.
        unsafe { V::masks(from.cast()) }
    }
}

/// Calls `$at(i, …)` for the parts of `$length` elements, which begin at i.
macro_rules! each {
    ($length:expr, $at:ident($($argument:expr),*)) => {{
        let length: usize = $length;
        let (wide, pairs) = (length - length % Whole::<V>::COUNT, length - length % Whole::<V::One>::COUNT);
        for i in (0..wide).step_by(Whole::<V>::COUNT) {
            $at::<Whole<V>>(i, $($argument),*);
        }
        for i in (wide..pairs).step_by(Whole::<V::One>::COUNT) {
            $at::<Whole<V::One>>(i, $($argument),*);
        }
        if pairs < length {
            $at::<Last<V::One>>(pairs, $($argument),*);
        }
    }};
}

/// The sums over all lanes of what `$at(i, …, sums)` adds to `$count` sums for each part.
macro_rules! sum {
    ($length:expr, $count:literal, $at:ident($($argument:expr),*)) => {{
        let length: usize = $length;
        let (wide, pairs) = (length - length % Whole::<V>::COUNT, length - length % Whole::<V::One>::COUNT);
        let (mut sums, mut single) = ([splat::<V>(0); $count], [splat::<V::One>(0); $count]);
        for i in (0..wide).step_by(Whole::<V>::COUNT) {
            $at::<Whole<V>>(i, $($argument,)* &mut sums);
        }
        for i in (wide..pairs).step_by(Whole::<V::One>::COUNT) {
            $at::<Whole<V::One>>(i, $($argument,)* &mut single);
        }
        if pairs < length {
            $at::<Last<V::One>>(pairs, $($argument,)* &mut single);
        }
        let mut total = [0; $count];
        for ((total, sum), single) in total.iter_mut().zip(sums).zip(single) {
            *total = sum.fold().0 ^ single.fold().0;
        }
        total
    }};
}

/// `x · X^64` for polynomials of at most 124 bits, modulo that of the field.
const fn wrap(x: u128) -> u128 {
    const { assert!(F64::TAIL == 0x1b) };
    x ^ x << 1 ^ x << 3 ^ x << 4
}

/// The element that a sum of products is.
#[inline(always)]
fn reduce(sum: u128) -> F64 {
    let once = u128::from(sum as u64) ^ wrap(sum >> 64);
    F64::new((once ^ wrap(once >> 64)) as u64)
}

/// The sum of the two elements in a lane.
#[inline(always)]
fn both(halves: u128) -> F64 {
    F64::new((halves ^ halves >> 64) as u64)
}

/// Polynomials of four bits, times X^64, one in each byte.
const WRAPPED: F128 = {
    let (mut bytes, mut i) = (0, 16);
    while i > 0 {
        i -= 1;
        bytes = bytes << 8 | wrap(i);
    }
    F128(bytes)
};

/// The products of the low and of the high halves.
#[inline(always)]
unsafe fn unreduced<V: Simd>(a: V, b: V) -> [V; 2] {
    // SAFETY: the caller upholds the condition of `Simd`.
    unsafe { [a.clmul::<0x00>(b), a.clmul::<0x11>(b)] }
}

/// a·b in each half.
#[inline(always)]
unsafe fn product<V: Simd>(a: V, b: V) -> V {
    // SAFETY: the caller upholds the condition of `Simd`.
    unsafe {
        let ([low, high], tail) = (unreduced(a, b), splat(F64::TAIL));
        let (low_once, high_once) = (low.clmul::<0x11>(tail), high.clmul::<0x11>(tail));
        // Four bits are above X^64 once more.
        let rest = V::splat(WRAPPED).shuffle8(low_once.high_halves(high_once));
        low.xor(low_once).low_halves(high.xor(high_once)).xor(rest)
    }
}

/// Adds the products of all halves to the sums in all of a lane.
#[inline(always)]
unsafe fn add_unreduced<V: Simd>(sum: &mut V, a: V, b: V) {
    // SAFETY: the caller upholds the condition of `Simd`.
    unsafe {
        let [low, high] = unreduced(a, b);
        *sum = sum.xor(low).xor(high);
    }
}

#[inline(always)]
unsafe fn sum_rows_at<P: Part>(g: usize, nodes: &[F64], trees: usize, sums: *mut F64) {
    // SAFETY: the caller upholds the condition of `Simd` and that g + COUNT <= trees, which divides the
    // length.
    unsafe {
        let mut sum = splat(0);
        for at in (g..nodes.len()).step_by(trees) {
            sum = P::load(nodes.as_ptr().add(at)).xor(sum);
        }
        P::store(sum, sums.add(g));
    }
}

#[inline(always)]
pub(in crate::arch) unsafe fn sum_rows<V: Simd>(nodes: &[F64], sums: &mut [F64]) {
    let (trees, sums) = (sums.len(), sums.as_mut_ptr());
    // SAFETY: the caller upholds the condition of `Simd` and that the lengths divide.
    unsafe { each!(trees, sum_rows_at(nodes, trees, sums)) }
}

#[inline(always)]
unsafe fn puncture_at<P: Part>(
    g: usize,
    leaves: *const F64,
    row: &[u64],
    holes: [*const F64; 2],
    rows: *mut F64,
    half: usize,
) {
    let trees = row.len();
    // SAFETY: the caller upholds the condition of `Simd`, that g + COUNT <= trees and that `leaves` and
    // `rows` are valid for 2·half·trees.
    unsafe {
        let target = P::load(row.as_ptr().add(g).cast());
        let [left, right] = holes.map(|tags| P::load(tags.add(g)));
        for y in 0..half {
            let here = splat::<P::Vector>(y as u64).equal(target);
            for (at, hole) in [(y * trees + g, left), ((half + y) * trees + g, right)] {
                P::store(P::load(leaves.add(at)).xor(here.and(hole)), rows.add(at));
            }
        }
    }
}

#[inline(always)]
pub(in crate::arch) unsafe fn puncture<V: Simd>(
    leaves: &[F64],
    row: &[u64],
    left: &[F64],
    right: &[F64],
    rows: &mut [F64],
) {
    let half = rows.len() / (2 * row.len());
    let (leaves, holes, rows) = (leaves.as_ptr(), [left.as_ptr(), right.as_ptr()], rows.as_mut_ptr());
    // SAFETY: the caller upholds the condition of `Simd` and that the lengths fit.
    unsafe { each!(row.len(), puncture_at(leaves, row, holes, rows, half)) }
}

#[inline(always)]
unsafe fn weigh_at<P: Part>(i: usize, chi: *const F64, tags: *const F64, sums: &mut [P::Vector; 2]) {
    // SAFETY: the caller upholds the condition of `Simd` and that COUNT elements are there from i on.
    unsafe {
        let (chi, tags) = (P::load(chi.add(i)), P::load(tags.add(i)));
        add_unreduced(&mut sums[0], chi, macs(tags));
        sums[1] = sums[1].xor(bit0_masks(tags).and(chi));
    }
}

#[inline(always)]
pub(in crate::arch) unsafe fn weigh<V: Simd>(chi: &[F64], tags: &[F64]) -> (F64, F64) {
    // SAFETY: the caller upholds the condition of `Simd` and that the lengths are equal.
    let [macs, values] = unsafe { sum!(chi.len(), 2, weigh_at(chi.as_ptr(), tags.as_ptr())) };
    (reduce(macs), both(values))
}

/// `w_a·m_b + w_b·m_a` of tags, given their MACs.
#[inline(always)]
unsafe fn cross<V: Simd>([a, b]: [V; 2], [mac_a, mac_b]: [V; 2]) -> V {
    // SAFETY: the caller upholds the condition of `Simd`.
    unsafe { bit0_masks(a).and(mac_b).xor(bit0_masks(b).and(mac_a)) }
}

#[inline(always)]
unsafe fn inner_product_at<P: Part>(i: usize, a: *const F64, b: *const F64, sums: &mut [P::Vector; 2]) {
    // SAFETY: as in `weigh_at`.
    unsafe {
        let tags = [P::load(a.add(i)), P::load(b.add(i))];
        let macs = [macs(tags[0]), macs(tags[1])];
        add_unreduced(&mut sums[0], macs[0], macs[1]);
        sums[1] = sums[1].xor(cross(tags, macs));
    }
}

#[inline(always)]
pub(in crate::arch) unsafe fn inner_product<V: Simd>(a: &[F64], b: &[F64]) -> (F64, F64) {
    // SAFETY: as in `weigh`.
    let [products, crossed] = unsafe { sum!(a.len(), 2, inner_product_at(a.as_ptr(), b.as_ptr())) };
    (reduce(products), both(crossed))
}

#[inline(always)]
unsafe fn combine_at<P: Part>(i: usize, factors: *const F2, a: *const F64, sums: &mut [P::Vector; 1]) {
    // SAFETY: as in `weigh_at`.
    unsafe { sums[0] = sums[0].xor(P::masks(factors.add(i)).and(P::load(a.add(i)))) }
}

#[inline(always)]
pub(in crate::arch) unsafe fn combine<V: Simd>(factors: &[F2], a: &[F64]) -> F64 {
    // SAFETY: as in `weigh`.
    let [sum] = unsafe { sum!(a.len(), 1, combine_at(factors.as_ptr(), a.as_ptr())) };
    both(sum)
}

#[inline(always)]
unsafe fn add_products_at<P: Part>(i: usize, a: *const F64, b: *const F64, sums: *mut F64) {
    // SAFETY: as in `weigh_at`.
    unsafe {
        let product = product(P::load(a.add(i)), P::load(b.add(i)));
        P::store(P::load(sums.add(i)).xor(product), sums.add(i));
    }
}

#[inline(always)]
pub(in crate::arch) unsafe fn add_products<V: Simd>(a: &[F64], b: &[F64], sums: &mut [F64]) {
    let (a, b, length, sums) = (a.as_ptr(), b.as_ptr(), sums.len(), sums.as_mut_ptr());
    // SAFETY: as in `weigh`.
    unsafe { each!(length, add_products_at(a, b, sums)) }
}

#[inline(always)]
unsafe fn add_scaled_at<P: Part>(i: usize, a: *const F64, factors: *const F2, sums: *mut F64) {
    // SAFETY: as in `weigh_at`.
    unsafe {
        let scaled = P::masks(factors.add(i)).and(P::load(a.add(i)));
        P::store(P::load(sums.add(i)).xor(scaled), sums.add(i));
    }
}

#[inline(always)]
pub(in crate::arch) unsafe fn add_scaled<V: Simd>(a: &[F64], factors: &[F2], sums: &mut [F64]) {
    let (a, factors, length, sums) = (a.as_ptr(), factors.as_ptr(), sums.len(), sums.as_mut_ptr());
    // SAFETY: as in `weigh`.
    unsafe { each!(length, add_scaled_at(a, factors, sums)) }
}

#[inline(always)]
unsafe fn correct_at<P: Part>(i: usize, keys: *mut F64, corrections: *const F2, delta: u64) {
    // SAFETY: as in `weigh_at`.
    unsafe {
        let scaled = P::masks(corrections.add(i)).and(splat(delta));
        P::store(P::load(keys.add(i)).xor(scaled), keys.add(i));
    }
}

#[inline(always)]
pub(in crate::arch) unsafe fn correct<V: Simd>(keys: &mut [F64], corrections: &[F2], delta: F64) {
    let (length, keys) = (keys.len(), keys.as_mut_ptr());
    // SAFETY: as in `weigh`.
    unsafe { each!(length, correct_at(keys, corrections.as_ptr(), delta.get())) }
}

/// Writes the products of `COUNT` gates at i, whose tags are the columns.
#[inline(always)]
unsafe fn store_products<P: Part>(i: usize, [a, b, c]: [P::Vector; 3], constant: *mut F64, linear: *mut F64) {
    // SAFETY: as in `weigh_at`.
    unsafe {
        let factors = [macs(a), macs(b)];
        P::store(product(factors[0], factors[1]), constant.add(i));
        P::store(cross([a, b], factors).xor(macs(c)), linear.add(i));
    }
}

#[inline(always)]
unsafe fn products_at<P: Part>(i: usize, triples: *const Triple, constant: *mut F64, linear: *mut F64) {
    // SAFETY: as in `weigh_at`.
    unsafe { store_products::<P>(i, P::load_triples(triples.add(i)), constant, linear) }
}

#[inline(always)]
pub(in crate::arch) unsafe fn products<V: Simd>(
    triples: &[Triple],
    constant: &mut [F64],
    linear: &mut [F64],
) {
    let (constant, linear) = (constant.as_mut_ptr(), linear.as_mut_ptr());
    // SAFETY: as in `weigh`.
    unsafe { each!(triples.len(), products_at(triples.as_ptr(), constant, linear)) }
}

#[inline(always)]
unsafe fn load_columns<P: Part>(i: usize, columns: [*const F64; 3]) -> [P::Vector; 3] {
    // SAFETY: as in `weigh_at`.
    unsafe { columns.map(|column| P::load(column.add(i))) }
}

#[inline(always)]
unsafe fn column_products_at<P: Part>(
    i: usize,
    columns: [*const F64; 3],
    constant: *mut F64,
    linear: *mut F64,
) {
    // SAFETY: as in `weigh_at`.
    unsafe { store_products::<P>(i, load_columns::<P>(i, columns), constant, linear) }
}

#[inline(always)]
pub(in crate::arch) unsafe fn column_products<V: Simd>(
    a: &[F64],
    b: &[F64],
    c: &[F64],
    constant: &mut [F64],
    linear: &mut [F64],
) {
    let columns = [a, b, c].map(<[F64]>::as_ptr);
    let (constant, linear) = (constant.as_mut_ptr(), linear.as_mut_ptr());
    // SAFETY: as in `weigh`.
    unsafe { each!(a.len(), column_products_at(columns, constant, linear)) }
}

/// Adds χ·a·b to the first two sums, of which the second is yet to be multiplied by X^64, and χ·c to the
/// third. Thus nothing is reduced on the way.
#[inline(always)]
unsafe fn add_verifier_terms<V: Simd>(chi: V, [a, b, c]: [V; 3], sums: &mut [V; 3]) {
    // SAFETY: the caller upholds the condition of `Simd`.
    unsafe {
        let [low, high] = unreduced(a, b);
        sums[0] = sums[0].xor(low.clmul::<0x00>(chi)).xor(high.clmul::<0x10>(chi));
        sums[1] = sums[1].xor(low.clmul::<0x01>(chi)).xor(high.clmul::<0x11>(chi));
        add_unreduced(&mut sums[2], chi, c);
    }
}

#[inline(always)]
fn reduce_verifier_sums([low, high, linear]: [u128; 3]) -> (F64, F64) {
    (reduce(low ^ u128::from(reduce(high).get()) << 64), reduce(linear))
}

#[inline(always)]
unsafe fn verifier_sums_at<P: Part>(
    i: usize,
    chi: *const F64,
    triples: *const Triple,
    sums: &mut [P::Vector; 3],
) {
    // SAFETY: as in `weigh_at`.
    unsafe { add_verifier_terms(P::load(chi.add(i)), P::load_triples(triples.add(i)), sums) }
}

#[inline(always)]
pub(in crate::arch) unsafe fn verifier_sums<V: Simd>(chi: &[F64], triples: &[Triple]) -> (F64, F64) {
    // SAFETY: as in `weigh`.
    let sums = unsafe { sum!(chi.len(), 3, verifier_sums_at(chi.as_ptr(), triples.as_ptr())) };
    reduce_verifier_sums(sums)
}

#[inline(always)]
unsafe fn verifier_column_sums_at<P: Part>(
    i: usize,
    chi: *const F64,
    columns: [*const F64; 3],
    sums: &mut [P::Vector; 3],
) {
    // SAFETY: as in `weigh_at`.
    unsafe { add_verifier_terms(P::load(chi.add(i)), load_columns::<P>(i, columns), sums) }
}

#[inline(always)]
pub(in crate::arch) unsafe fn verifier_column_sums<V: Simd>(
    chi: &[F64],
    a: &[F64],
    b: &[F64],
    c: &[F64],
) -> (F64, F64) {
    let columns = [a, b, c].map(<[F64]>::as_ptr);
    // SAFETY: as in `weigh`.
    reduce_verifier_sums(unsafe { sum!(chi.len(), 3, verifier_column_sums_at(chi.as_ptr(), columns)) })
}

#[inline(always)]
pub(in crate::arch) unsafe fn add_where<V: Simd>(bits: &[u8], delta: F64, rows: &mut [F64]) {
    let places: [u64; 8] = [1, 2, 4, 8, 16, 32, 64, 128];
    let (whole, rest) = rows.as_chunks_mut::<8>();
    // SAFETY: the caller upholds the condition of `Simd` and that there is a bit for each row; a vector is at
    // most a chunk.
    unsafe {
        let one: V = splat(delta.get());
        for (rows, bits) in whole.iter_mut().zip(bits) {
            let bits: V = splat((*bits).into());
            for i in (0..8).step_by(2 * V::LANES) {
                let (place, at) = (V::load(places.as_ptr().add(i).cast()), rows.as_mut_ptr().add(i).cast());
                V::load(at).xor(bits.and(place).equal(place).and(one)).store(at);
            }
        }
    }
    portable::add_where(&bits[whole.len()..], delta, rest);
}

#[inline(always)]
unsafe fn add_rows_at<P: Part>(i: usize, out: *mut F64, a: *const F64, b: *const F64) {
    // SAFETY: as in `weigh_at`.
    unsafe { P::store(P::load(a.add(i)).xor(P::load(b.add(i))), out.add(i)) }
}

#[inline(always)]
pub(in crate::arch) unsafe fn add_rows<V: Simd>(words: &mut [F64], [out, a, b]: [usize; 3], count: usize) {
    // SAFETY: the caller upholds the condition of `Simd` and that each of the three has `count` words.
    unsafe {
        let words = words.as_mut_ptr();
        let [out, a, b] = [out, a, b].map(|from| words.add(from));
        each!(count, add_rows_at(out, a, b))
    }
}

#[inline(always)]
pub(in crate::arch) unsafe fn transpose<V: Simd>(columns: &[F128], rows: &mut [F64]) {
    let (blocks, rows) = (rows.len() / 128, rows.as_mut_ptr().cast());
    // SAFETY: the caller upholds the condition of `Simd` and that there are two rows to a block.
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

/// Transposes the two squares of 64 x 64 bits in each of `LANES` blocks from number `block` on, in two passes
/// that keep 8 vectors in registers.
#[inline(always)]
unsafe fn transpose_at<V: Simd>(block: usize, columns: &[F128], rows: *mut F128) {
    let blocks = columns.len() / 64;
    // SAFETY: the caller upholds the condition of `Simd`; block + LANES <= blocks, so that column p is read
    // within p·blocks..(p+1)·blocks, and the rows written, two to a lane, are those of the blocks
    // block..block+LANES.
    unsafe {
        let mut m = [splat::<V>(0); 64];
        for i in 0..8 {
            let mut x = [m[0]; 8];
            for (t, x) in x.iter_mut().enumerate() {
                *x = V::load(columns.as_ptr().add((i + 8 * t) * blocks + block));
            }
            swap_rounds::<V, 32, 16, 8>(&mut x);
            for (t, x) in x.into_iter().enumerate() {
                m[i + 8 * t] = x;
            }
        }
        for (i, x) in m.as_chunks_mut::<8>().0.iter_mut().enumerate() {
            swap_rounds::<V, 4, 2, 1>(x);
            for t in 0..4 {
                let (even, odd) = (x[2 * t], x[2 * t + 1]);
                let to = rows.add(64 * block + 4 * i + t);
                even.low_halves(odd).scatter(to, 64);
                even.high_halves(odd).scatter(to.add(32), 64);
            }
        }
    }
}

/// Three rounds, for squares of 2·A, 2·B and 2·C bits.
#[inline(always)]
unsafe fn swap_rounds<V: Simd, const A: u32, const B: u32, const C: u32>(x: &mut [V; 8]) {
    let [x0, x1, x2, x3, x4, x5, x6, x7] = x;
    // SAFETY: the caller upholds the condition of `Simd`.
    unsafe {
        swap::<V, A>(x0, x4);
        swap::<V, A>(x1, x5);
        swap::<V, A>(x2, x6);
        swap::<V, A>(x3, x7);
        swap::<V, B>(x0, x2);
        swap::<V, B>(x1, x3);
        swap::<V, B>(x4, x6);
        swap::<V, B>(x5, x7);
        swap::<V, C>(x0, x1);
        swap::<V, C>(x2, x3);
        swap::<V, C>(x4, x5);
        swap::<V, C>(x6, x7);
    }
}
