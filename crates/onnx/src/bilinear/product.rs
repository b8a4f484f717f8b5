//! Products of two matrices, by tiles of rows and columns.
//!
//! Both are packed as the kernel reads them: some lines side by side, one number of each for each step along them. The
//! first is packed whole; of the second some columns at a time, so that what a convolution reads many times is never
//! there as a whole. The thread that asks packs, and others multiply as well.

use super::zeros;
use crate::operator::{Cube, Met};
use core::ops::Range;
use std::sync::Arc;
use volery_channel::pool::Pool;
use volery_primitives::arch::matrix::{COLUMNS, LIMIT, ROWS, add_tile, number};
use volery_primitives::{Arch, SecretVec};

/// Steps whose products are summed in floating-point numbers: as many as the nearest cache has room for.
const STEPS: usize = 256;

/// Steps that are packed at a time.
const MOST_STEPS: usize = 1 << 10;

/// Numbers of the second matrix that are packed at a time, in panels of columns of which there are so many.
const PACKED: usize = 1 << 17;
const FEWEST_PANELS: usize = 4;
const MOST_PANELS: usize = 32;

/// Products of a task.
const TASK: usize = 1 << 23;

/// Whether sums of `products` products are exact here, for factors of these bounds.
pub(super) fn is_exact(products: usize, first: u64, second: u64) -> bool {
    let product = first.saturating_mul(second);
    first.max(second).max(product.saturating_mul(products.min(STEPS) as u64)) <= LIMIT
}

/// Lines of a matrix within a tensor: rows of the first, or columns of the second.
pub(super) struct Lines<'v> {
    pub(super) values: &'v [i64],
    /// Elements between two lines.
    pub(super) apart: usize,
    /// Elements between two steps along a line.
    pub(super) step: usize,
}

impl Lines<'_> {
    /// Packs `steps` of `lines`, in panels of N.
    fn pack<const N: usize>(&self, lines: Range<usize>, steps: Range<usize>, panels: &mut [f64]) {
        let panels = panels.as_chunks_mut::<N>().0.chunks_exact_mut(steps.len());
        for (panel, first) in panels.zip(lines.clone().step_by(N)) {
            let count = N.min(lines.end - first);
            let values = &self.values[first * self.apart + steps.start * self.step..];
            if self.apart == 1 {
                for (k, numbers) in panel.iter_mut().enumerate() {
                    for (to, value) in numbers.iter_mut().zip(&values[k * self.step..][..count]) {
                        *to = number(*value);
                    }
                }
                continue;
            }
            for lane in 0..count {
                let line = values[lane * self.apart..].iter().step_by(self.step);
                for (numbers, value) in panel.iter_mut().zip(line) {
                    numbers[lane] = number(*value);
                }
            }
        }
    }
}

/// Columns of the second matrix.
pub(super) enum Columns<'v> {
    Lines(Lines<'v>),
    /// The elements that windows meet, of each channel by each tap.
    Windows {
        source: &'v [i64],
        cube: &'v Cube,
    },
}

impl Columns<'_> {
    /// Packs `steps` of `columns`.
    fn pack(&self, columns: Range<usize>, steps: Range<usize>, panels: &mut [f64]) {
        let (source, cube) = match self {
            Self::Lines(lines) => return lines.pack::<COLUMNS>(columns, steps, panels),
            Self::Windows { source, cube } => (source, cube),
        };
        let (taps, plane) = (cube.taps(), cube.plane());
        let panels = panels.as_chunks_mut().0.chunks_exact_mut(steps.len());
        for (panel, first) in panels.zip(columns.clone().step_by(COLUMNS)) {
            let windows = first..columns.end.min(first + COLUMNS);
            for tap in 0..taps {
                // The first step of this tap.
                let begin = (steps.start + taps - 1 - tap) / taps * taps + tap;
                if begin >= steps.end {
                    continue;
                }
                let met: Met<COLUMNS> = cube.met(tap, windows.clone());
                let channels = source[begin / taps * plane..].chunks_exact(plane);
                for (numbers, channel) in panel[begin - steps.start..].iter_mut().step_by(taps).zip(channels)
                {
                    met.read(channel, numbers, number);
                }
            }
        }
    }
}

/// Rows of the first matrix, packed.
pub(super) struct Rows {
    packed: Arc<SecretVec<f64>>,
    count: usize,
    /// The products in a sum.
    depth: usize,
}

/// A part of a product: panels of rows by columns.
struct Part {
    panels: Range<usize>,
    columns: Range<usize>,
    /// Tiles, by panels of rows and then of columns.
    sums: SecretVec<i64>,
}

impl Rows {
    pub(super) fn pack(lines: &Lines<'_>, count: usize, depth: usize) -> Self {
        let mut packed = zeros(count.next_multiple_of(ROWS) * depth);
        lines.pack::<ROWS>(0..count, 0..depth, &mut packed);
        Self { packed: Arc::new(packed), count, depth }
    }

    /// Adds the products with `count` columns to `sums`, by rows.
    pub(super) fn add_products(&self, pool: &Pool, columns: &Columns<'_>, count: usize, sums: &mut [i64]) {
        self.each_product(pool, columns, count, |row, columns, products| {
            for (sum, product) in sums[row * count..][columns].iter_mut().zip(products) {
                *sum = sum.wrapping_add(*product);
            }
        });
    }

    /// Hands sums for some columns of a row to `each`, which adds them to others of the same.
    pub(super) fn each_product(
        &self,
        pool: &Pool,
        columns: &Columns<'_>,
        count: usize,
        mut each: impl FnMut(usize, Range<usize>, &[i64]),
    ) {
        let depth = self.depth;
        let panels = self.count.div_ceil(ROWS);
        let most = depth.clamp(1, MOST_STEPS);
        let width = (PACKED / (COLUMNS * most)).clamp(FEWEST_PANELS, MOST_PANELS) * COLUMNS;
        let height = (TASK / (ROWS * width * most)).clamp(1, panels);
        let blocks = (0..depth).step_by(most).flat_map(|step| {
            let steps = step..depth.min(step + most);
            (0..count).step_by(width).map(move |column| (steps.clone(), column..count.min(column + width)))
        });
        let tasks = blocks.flat_map(|(steps, block)| {
            let mut packed = zeros(block.len().next_multiple_of(COLUMNS) * steps.len());
            columns.pack(block.clone(), steps.clone(), &mut packed);
            let (rows, packed) = (self.packed.clone(), Arc::new(packed));
            (0..panels).step_by(height).map(move |panel| {
                let (rows, packed) = (rows.clone(), packed.clone());
                let (columns, steps) = (block.clone(), steps.clone());
                move || {
                    let panels = panel..panels.min(panel + height);
                    let rows = &rows[panels.start * ROWS * depth..panels.end * ROWS * depth];
                    let sums = multiply(rows, depth, &packed, steps);
                    Part { panels, columns, sums }
                }
            })
        });
        for Part { panels, columns, sums } in pool.results(tasks) {
            let width = columns.len().div_ceil(COLUMNS);
            for (i, tile) in sums.as_chunks::<COLUMNS>().0.chunks_exact(ROWS).enumerate() {
                let row = (panels.start + i / width) * ROWS;
                let column = columns.start + i % width * COLUMNS;
                let columns = column..columns.end.min(column + COLUMNS);
                for (row, sums) in (row..self.count).zip(tile) {
                    each(row, columns.clone(), &sums[..columns.len()]);
                }
            }
        }
    }
}

/// The tiles of panels of rows by panels of columns, which are packed for `steps` alone.
fn multiply(rows: &[f64], depth: usize, columns: &[f64], steps: Range<usize>) -> SecretVec<i64> {
    let arch = Arch::detect();
    let mut sums = zeros(rows.len() / depth * (columns.len() / steps.len()));
    let (rows, columns) = (rows.as_chunks().0, columns.as_chunks().0);
    let width = columns.len() / steps.len();
    for begin in steps.clone().step_by(STEPS) {
        let count = STEPS.min(steps.end - begin);
        for (j, column) in columns.chunks_exact(steps.len()).enumerate() {
            let column = &column[begin - steps.start..][..count];
            let tiles = sums.as_chunks_mut().0.as_chunks_mut().0;
            for (row, tile) in rows.chunks_exact(depth).zip(tiles[j..].iter_mut().step_by(width)) {
                add_tile(arch, &row[begin..][..count], column, tile);
            }
        }
    }
    sums
}
