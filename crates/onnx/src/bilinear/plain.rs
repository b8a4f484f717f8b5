//! The forms in 64 bits, row by row. `sums` are zero before.

use super::{Channels, Matrices};
use crate::operator::Met;
use volery_primitives::Arch;
use volery_primitives::arch::matrix::{add_masked_row, add_row};
use zeroize::Zeroizing;

/// Rows of the second matrix that are added up for all rows of the first while they are in the cache.
const BLOCK: usize = 64;

pub(super) fn multiply(matrices: &Matrices, first: &[i64], second: &[i64], sums: &mut [i64]) {
    let arch = Arch::detect();
    let &Matrices { depth, columns, transposed, .. } = matrices;
    matrices.each(first, second, sums, |first, second, sums| {
        if transposed {
            for (sums, row) in sums.chunks_exact_mut(columns).zip(first.chunks_exact(depth)) {
                for (sum, column) in sums.iter_mut().zip(second.chunks_exact(depth)) {
                    let products = row.iter().zip(column).map(|(a, b)| a.wrapping_mul(*b));
                    *sum = products.fold(0, i64::wrapping_add);
                }
            }
            return;
        }
        for begin in (0..depth).step_by(BLOCK) {
            let end = depth.min(begin + BLOCK);
            for (sums, factors) in sums.chunks_exact_mut(columns).zip(first.chunks_exact(depth)) {
                let rows = second[begin * columns..].chunks_exact(columns);
                for (factor, row) in factors[begin..end].iter().zip(rows) {
                    add_row(arch, *factor, row, sums);
                }
            }
        }
    });
}

/// Windows that are gone through side by side, and taps of which is known at a time what they meet.
const LANES: usize = 512;
const TAPS: usize = 64;

/// An output is a sum over a window of the source.
pub(super) fn gather(channels: &Channels, source: &[i64], weights: &[i64], sums: &mut [i64]) {
    let arch = Arch::detect();
    let &Channels { ref cube, groups, sources, outputs, plane, output_plane, .. } = channels;
    let mut row = Zeroizing::new([0; LANES]);
    let batches = source.chunks_exact(groups * sources * plane);
    for (source, sums) in batches.zip(sums.chunks_exact_mut(groups * outputs * output_plane)) {
        let blocks = (0..output_plane).step_by(LANES);
        let blocks = blocks.flat_map(|first| (0..cube.taps()).step_by(TAPS).map(move |tap| (first, tap)));
        for (first, tap) in blocks {
            let windows = first..output_plane.min(first + LANES);
            let taps = tap..cube.taps().min(tap + TAPS);
            let met: Vec<Met<LANES>> = taps.clone().map(|tap| cube.met(tap, windows.clone())).collect();
            for (channel, source) in source.chunks_exact(plane).enumerate() {
                let (group, channel) = (channel / sources, channel % sources);
                for (tap, met) in taps.clone().zip(&met) {
                    let outputs = (group * outputs..(group + 1) * outputs).map(|output| {
                        let weight = weights[(output * sources + channel) * cube.taps() + tap];
                        (weight, output * output_plane + first)
                    });
                    match met {
                        Met::Run { lanes, from, mask } => {
                            let (source, mask) = (&source[*from..][..lanes.len()], &mask[lanes.clone()]);
                            for (weight, at) in outputs {
                                add_masked_row(arch, weight, source, mask, &mut sums[at..][lanes.clone()]);
                            }
                        }
                        Met::Places(_) => {
                            met.read(source, &mut row, |value| value);
                            for (weight, at) in outputs {
                                let count = windows.len();
                                add_row(arch, weight, &row[..count], &mut sums[at..][..count]);
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A place of the source adds to a window of outputs.
pub(super) fn scatter(channels: &Channels, source: &[i64], weights: &[i64], sums: &mut [i64]) {
    let &Channels { ref cube, outputs, plane, output_plane, .. } = channels;
    channels.each(source, weights, sums, |kernels, batches| {
        for (source, sums) in batches {
            let kernels = kernels.chunks_exact(outputs * cube.taps());
            for (source, kernels) in source.chunks_exact(plane).zip(kernels) {
                let kernels = kernels.chunks_exact(cube.taps());
                for (sums, kernel) in sums.chunks_exact_mut(output_plane).zip(kernels) {
                    cube.rows(|row| {
                        let (sums, weight) = (&mut sums[row.place..], kernel[row.tap]);
                        for (sum, value) in sums.iter_mut().step_by(cube.stride()).zip(&source[row.windows]) {
                            *sum = sum.wrapping_add(weight.wrapping_mul(*value));
                        }
                    });
                }
            }
        }
    });
}
