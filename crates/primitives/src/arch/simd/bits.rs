//! Products of bit matrices, and elements that bits choose.

use super::Simd;
use crate::bits::spread;
use crate::field::F128;

/// Rows, and columns, whose products are summed at the same time: as many as leave room for a few operands in
/// the smallest register file.
const ROWS: usize = 4;
const COLUMNS: usize = 2;

#[inline(always)]
pub(in crate::arch) unsafe fn bit_products<V: Simd>(
    rows: &[F128],
    columns: &[F128],
    blocks: usize,
    out: &mut [F128],
) {
    let (height, width) = (rows.len() / blocks, columns.len() / blocks);
    let (whole_height, whole_width) = (height / ROWS * ROWS, width / COLUMNS * COLUMNS);
    // SAFETY: the caller upholds the condition of `Simd`; the places below are within the matrices.
    unsafe {
        let mut column = 0;
        while column < whole_width {
            let mut row = 0;
            while row < whole_height {
                square::<V, ROWS, COLUMNS>(rows, columns, blocks, [row, column], out, height);
                row += ROWS;
            }
            while row < height {
                square::<V, 1, COLUMNS>(rows, columns, blocks, [row, column], out, height);
                row += 1;
            }
            column += COLUMNS;
        }
        while column < width {
            let mut row = 0;
            while row < whole_height {
                square::<V, ROWS, 1>(rows, columns, blocks, [row, column], out, height);
                row += ROWS;
            }
            while row < height {
                square::<V, 1, 1>(rows, columns, blocks, [row, column], out, height);
                row += 1;
            }
            column += 1;
        }
    }
}

/// The products of `R` rows and `C` columns from the `place` of their first on.
#[inline(always)]
unsafe fn square<V: Simd, const R: usize, const C: usize>(
    rows: &[F128],
    columns: &[F128],
    blocks: usize,
    place: [usize; 2],
    out: &mut [F128],
    height: usize,
) {
    let (rows, columns) =
        (&rows[place[0] * blocks..][..R * blocks], &columns[place[1] * blocks..][..C * blocks]);
    let (rows, columns) = (rows.as_ptr(), columns.as_ptr());
    // SAFETY: the caller upholds the condition of `Simd`; every block is below `blocks`, in
    // R rows and C columns.
    unsafe {
        let mut sums = [[V::splat(F128(0)); R]; C];
        let mut block = 0;
        while block + V::LANES <= blocks {
            let mut left = [V::splat(F128(0)); R];
            for (r, left) in left.iter_mut().enumerate() {
                *left = V::load(rows.add(r * blocks + block));
            }
            for (c, sums) in sums.iter_mut().enumerate() {
                let right = V::load(columns.add(c * blocks + block));
                for (sum, left) in sums.iter_mut().zip(&left) {
                    *sum = sum.xor(left.and(right));
                }
            }
            block += V::LANES;
        }
        for (c, sums) in sums.iter().enumerate() {
            for (r, sum) in sums.iter().enumerate() {
                let mut total = sum.fold().0;
                for block in block..blocks {
                    total ^= (*rows.add(r * blocks + block)).0 & (*columns.add(c * blocks + block)).0;
                }
                out[(place[1] + c) * height + place[0] + r].0 ^= total;
            }
        }
    }
}

#[inline(always)]
pub(in crate::arch) unsafe fn add_rows<V: Simd>(words: &mut [F128], [out, a, b]: [usize; 3], count: usize) {
    // SAFETY: the caller upholds the condition of `Simd` and that each of the three has `count` words.
    unsafe {
        let words = words.as_mut_ptr();
        let [out, a, b] = [out, a, b].map(|from| words.add(from));
        let whole = count - count % V::LANES;
        for i in (0..whole).step_by(V::LANES) {
            V::load(a.add(i)).xor(V::load(b.add(i))).store(out.add(i));
        }
        for i in whole..count {
            V::One::load(a.add(i)).xor(V::One::load(b.add(i))).store(out.add(i));
        }
    }
}

#[inline(always)]
pub(in crate::arch) unsafe fn add_where<V: Simd>(bits: &[u8], one: F128, rows: &mut [F128]) {
    let (whole, rest) = rows.as_chunks_mut::<8>();
    // SAFETY: the caller upholds the condition of `Simd` and that there is a bit for each row; a chunk is
    // eight lanes.
    unsafe {
        let one_in_each = V::splat(one);
        for (rows, bits) in whole.iter_mut().zip(bits) {
            let (bytes, rows) = (spread(*bits), rows.as_mut_ptr());
            for i in (0..8).step_by(V::LANES) {
                let added = V::masks(bytes.as_ptr().add(i)).and(one_in_each);
                V::load(rows.add(i)).xor(added).store(rows.add(i));
            }
        }
        if let Some(bits) = bits.get(whole.len()) {
            let one = V::One::splat(one);
            for (row, bit) in rest.iter_mut().zip(spread(*bits)) {
                V::One::load(row).xor(V::One::masks(&bit).and(one)).store(row);
            }
        }
    }
}
