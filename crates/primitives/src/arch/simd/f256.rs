//! Values of F_{2^8} beside MACs of F_{2^128}, and their images there.

use super::Simd;
use super::sums::Unreduced;
use super::trees::{ENCODED, INDEX_BLOCKS, draw_offsets};
use crate::aes::Aes128;
use crate::arch::WEIGHT;
use crate::arch::f256::{Map, Row};
use crate::arch::portable::f256 as portable;
use crate::arch::prime::Gate;
use crate::field::{F128, F256, IMAGES, REDUCTION};
use core::mem::offset_of;
use zeroize::Zeroizing;

/// Bytes of a lane.
const BYTES: usize = 16;

/// Bytes of the widest vector.
const MOST: usize = 64;

/// Byte i of lane l of vector k becomes byte k of lane l of vector i.
#[inline(always)]
unsafe fn transpose<V: Simd>(mut x: [V; BYTES]) -> [V; BYTES] {
    // SAFETY: the caller upholds the condition of `Simd`.
    unsafe {
        // Each round moves the eight bits of a byte's address, those of the vector first, round by one.
        for _ in 0..4 {
            let mut y = x;
            for i in 0..BYTES / 2 {
                (y[2 * i], y[2 * i + 1]) = x[i].interleave8(x[i + BYTES / 2]);
            }
            x = y;
        }
    }
    x
}

/// The tables of `map`: for each byte of an image the summands of the low and the high four bits of an
/// element.
#[inline(always)]
unsafe fn tables<V: Simd>(map: &Map) -> [[V; BYTES]; 2] {
    // SAFETY: the caller upholds the condition of `Simd`.
    unsafe {
        let mut tables = [[V::splat(F128(0)); BYTES]; 2];
        for (half, table) in tables.iter_mut().enumerate() {
            for bit in 0..4 {
                let image = V::splat(map[4 * half + bit]);
                for place in 0..1 << bit {
                    table[1 << bit | place] = table[place].xor(image);
                }
            }
            *table = transpose(*table);
        }
        tables
    }
}

/// The images of 16·LANES elements: vector k has those of element k of each lane.
#[inline(always)]
unsafe fn images<V: Simd>(tables: &[[V; BYTES]; 2], elements: *const F256) -> [V; BYTES] {
    // SAFETY: the caller upholds the condition of `Simd`, and that there are so many elements.
    unsafe {
        let mask = V::splat(F128(u128::MAX / 0xff * 0x0f));
        let elements = V::load(elements.cast());
        let (low, high) = (elements.and(mask), elements.shr::<4>().and(mask));
        let mut images = [low; BYTES];
        for (i, image) in images.iter_mut().enumerate() {
            *image = tables[0][i].shuffle8(low).xor(tables[1][i].shuffle8(high));
        }
        transpose(images)
    }
}

/// Writes the images of 16·LANES elements to `out`, in the order of the elements.
#[inline(always)]
unsafe fn images_of<V: Simd>(tables: &[[V; BYTES]; 2], elements: &[F256; MOST], out: &mut [F128; MOST]) {
    // SAFETY: the caller upholds the condition of `Simd`; no vector is longer.
    unsafe {
        for (k, images) in images(tables, elements.as_ptr()).into_iter().enumerate() {
            images.scatter(out.as_mut_ptr().add(k), BYTES);
        }
    }
}

#[inline(always)]
pub(in crate::arch) unsafe fn add_images<V: Simd>(map: &Map, elements: &[F256], out: &mut [F128]) {
    let group = BYTES * V::LANES;
    if elements.len() < BYTES {
        // Tables take as long as that.
        return portable::add_images(map, elements, out);
    }
    // SAFETY: the caller upholds the condition of `Simd` and that the lengths are equal.
    unsafe {
        let tables = tables::<V>(map);
        for (elements, out) in elements.chunks(group).zip(out.chunks_mut(group)) {
            if elements.len() == group {
                for (k, images) in images(&tables, elements.as_ptr()).into_iter().enumerate() {
                    let at = out.as_mut_ptr().add(k);
                    V::gather(at, BYTES).xor(images).scatter(at, BYTES);
                }
            } else {
                let (mut bytes, mut sums) =
                    (Zeroizing::new([F256(0); MOST]), Zeroizing::new([F128(0); MOST]));
                bytes[..elements.len()].copy_from_slice(elements);
                images_of(&tables, &bytes, &mut sums);
                for (out, sum) in out.iter_mut().zip(sums.iter()) {
                    *out ^= *sum;
                }
            }
        }
    }
}

/// MACs of LANES rows that are `stride` rows apart.
#[inline(always)]
unsafe fn load_macs<V: Simd>(rows: *const Row, stride: usize) -> V {
    const { assert!(size_of::<Row>() == 2 * BYTES && offset_of!(Row, mac) == BYTES) };
    // SAFETY: the caller's.
    unsafe { V::gather(rows.cast::<F128>().add(1), 2 * stride) }
}

#[inline(always)]
unsafe fn weigh_at<V: Simd>(
    chi: *const F128,
    rows: *const Row,
    images: *const F128,
    sums: &mut [Unreduced<V>; 2],
) {
    // SAFETY: the caller upholds the condition of `Simd`, and that there are LANES of each.
    unsafe {
        let chi = V::load(chi);
        sums[0].add_product(chi, load_macs(rows, 1));
        sums[1].add_product(chi, V::load(images));
    }
}

#[inline(always)]
pub(in crate::arch) unsafe fn weigh<V: Simd>(chi: &[F128], rows: &[Row]) -> (F128, F128) {
    let group = BYTES * V::LANES;
    let (mut bytes, mut images) = (Zeroizing::new([F256(0); MOST]), Zeroizing::new([F128(0); MOST]));
    // SAFETY: the caller upholds the condition of `Simd` and that the lengths are equal.
    unsafe {
        let tables = tables::<V>(&IMAGES);
        let (mut wide, mut single) = ([Unreduced::<V>::zero(); 2], [Unreduced::<V::One>::zero(); 2]);
        for (chi, rows) in chi.chunks(group).zip(rows.chunks(group)) {
            for (byte, row) in bytes.iter_mut().zip(rows) {
                *byte = row.value;
            }
            images_of(&tables, &bytes, &mut images);
            let (length, chi, rows, images) = (rows.len(), chi.as_ptr(), rows.as_ptr(), images.as_ptr());
            let whole = length - length % V::LANES;
            for i in (0..whole).step_by(V::LANES) {
                weigh_at(chi.add(i), rows.add(i), images.add(i), &mut wide);
            }
            for i in whole..length {
                weigh_at(chi.add(i), rows.add(i), images.add(i), &mut single);
            }
        }
        (wide[0].fold() ^ single[0].fold(), wide[1].fold() ^ single[1].fold())
    }
}

/// The products of LANES gates, given the images of their factors.
#[inline(always)]
unsafe fn products_at<V: Simd>(
    gates: *const Gate<Row>,
    images: [*const F128; 2],
    constant: *mut F128,
    linear: *mut F128,
) {
    let rows: *const Row = gates.cast();
    // SAFETY: the caller upholds the condition of `Simd`, and that there are LANES of each.
    unsafe {
        let tail = V::splat(F128(REDUCTION));
        let (a, b, c) = (load_macs::<V>(rows, 3), load_macs(rows.add(1), 3), load_macs(rows.add(2), 3));
        let (mut square, mut cross) = (Unreduced::zero(), Unreduced::zero());
        square.add_product(a, b);
        cross.add_product(b, V::load(images[0]));
        cross.add_product(a, V::load(images[1]));
        square.reduce(tail).store(constant);
        cross.reduce(tail).xor(c).store(linear);
    }
}

#[inline(always)]
pub(in crate::arch) unsafe fn products<V: Simd>(
    gates: &[Gate<Row>],
    constant: &mut [F128],
    linear: &mut [F128],
) {
    let group = BYTES * V::LANES;
    let mut bytes = Zeroizing::new([[F256(0); MOST]; 2]);
    let mut images = Zeroizing::new([[F128(0); MOST]; 2]);
    let outputs = constant.chunks_mut(group).zip(linear.chunks_mut(group));
    // SAFETY: the caller upholds the condition of `Simd` and that the lengths are equal.
    unsafe {
        let tables = tables::<V>(&IMAGES);
        for (gates, (constant, linear)) in gates.chunks(group).zip(outputs) {
            for (i, [a, b, _]) in gates.iter().enumerate() {
                (bytes[0][i], bytes[1][i]) = (a.value, b.value);
            }
            for factor in 0..2 {
                images_of(&tables, &bytes[factor], &mut images[factor]);
            }
            let images = [images[0].as_ptr(), images[1].as_ptr()];
            let (length, gates) = (gates.len(), gates.as_ptr());
            let (constant, linear) = (constant.as_mut_ptr(), linear.as_mut_ptr());
            let whole = length - length % V::LANES;
            for i in (0..whole).step_by(V::LANES) {
                let images = [images[0].add(i), images[1].add(i)];
                products_at::<V>(gates.add(i), images, constant.add(i), linear.add(i));
            }
            for i in whole..length {
                let images = [images[0].add(i), images[1].add(i)];
                products_at::<V::One>(gates.add(i), images, constant.add(i), linear.add(i));
            }
        }
    }
}

#[inline(always)]
pub(in crate::arch) unsafe fn encode_tagged<V: Simd>(
    matrix: &Aes128,
    first: u64,
    table: &[Row],
    rows: &mut [Row],
) {
    let mut block = first as u128 * WEIGHT as u128 / 4;
    let mut blocks = [F128(0); INDEX_BLOCKS];
    for rows in rows.chunks_mut(ENCODED) {
        // SAFETY: the caller upholds the condition of `Simd` and that the offsets fit 32 bits.
        unsafe {
            let offsets = draw_offsets::<V, _>(matrix, block, table, &mut blocks);
            for (j, row) in rows.iter_mut().enumerate() {
                let (mut mac, mut value) = (load_macs::<V::One>(row, 1), row.value.0);
                for i in 0..WEIGHT {
                    let entry = table.as_ptr().byte_add(*offsets.add(WEIGHT * j + i) as usize);
                    mac = mac.xor(load_macs(entry, 1));
                    // Of plain reads the compiler makes gathers.
                    value ^= (&raw const (*entry).value).read_volatile().0;
                }
                row.value = F256(value);
                mac.store(&raw mut row.mac);
            }
        }
        block += INDEX_BLOCKS as u128;
    }
}
