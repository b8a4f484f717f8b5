//! Sums of products in 64 bits, by rows, so that a compiler makes vectors of them.

use crate::operator::Window;
use crate::operator::places::{broadcast, expand};

/// Adds `factor` times a row to sums.
fn add_row(sums: &mut [i64], row: &[i64], factor: i64) {
    for (sum, value) in sums.iter_mut().zip(row) {
        *sum += factor * value;
    }
}

/// Rows of the second matrix that are added up for all rows of the first while they are in the cache.
const BLOCK: usize = 64;

/// Matrix products over the last two dimensions, broadcast over the others; a vector is a row on the left and a
/// column on the right. `sums` are zero before.
pub(super) fn mat_mul(
    a: &[i64],
    a_shape: &[usize],
    b: &[i64],
    b_shape: &[usize],
    transposed: bool,
    sums: &mut [i64],
) {
    let as_row = [1, a_shape[0]];
    let as_column = [b_shape[0], 1];
    let a_shape = if a_shape.len() == 1 { &as_row[..] } else { a_shape };
    let b_shape = if b_shape.len() == 1 { &as_column[..] } else { b_shape };
    let (a_outer, &[m, k]) = a_shape.split_last_chunk().expect("two dimensions");
    let (b_outer, &[rows, columns]) = b_shape.split_last_chunk().expect("two dimensions");
    let n = if transposed { rows } else { columns };
    let outer = broadcast(&[a_outer, b_outer]).expect("shapes that fit");
    // Which matrix of each is taken for each of the outputs.
    let choices = |own: &[usize]| {
        let numbers: Vec<usize> = (0..own.iter().product()).collect();
        expand(own, &outer).apply(&[&numbers], outer.iter().product())
    };
    let pairs = choices(a_outer).into_iter().zip(choices(b_outer));
    for (sums, (i, j)) in sums.chunks_exact_mut(m * n).zip(pairs) {
        let (a, b) = (&a[i * m * k..][..m * k], &b[j * k * n..][..k * n]);
        if transposed {
            for (sums, row) in sums.chunks_exact_mut(n).zip(a.chunks_exact(k)) {
                for (sum, column) in sums.iter_mut().zip(b.chunks_exact(k)) {
                    *sum = row.iter().zip(column).map(|(a, b)| a * b).sum();
                }
            }
            continue;
        }
        for begin in (0..k).step_by(BLOCK) {
            let end = k.min(begin + BLOCK);
            for (sums, row) in sums.chunks_exact_mut(n).zip(a.chunks_exact(k)) {
                for (factor, row) in row[begin..end].iter().zip(b[begin * n..].chunks_exact(n)) {
                    add_row(sums, row, *factor);
                }
            }
        }
    }
}

/// A direction of convolutions.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Spread {
    /// An output is a sum over a window of the source.
    Gathered,
    /// A place of the source adds to a window of outputs.
    Scattered,
}

/// A window over three dimensions of space, the first of which may have one place.
struct Cube {
    kernel: [usize; 3],
    strides: [usize; 3],
    dilations: [usize; 3],
    before: [usize; 3],
    /// The lengths of the source.
    source: [usize; 3],
    /// The lengths of the output.
    output: [usize; 3],
}

impl Cube {
    fn new(window: &Window, source: &[usize], output: &[usize]) -> Self {
        // Dimensions of one place and one tap are no rows: left out, they leave a longer one last.
        let kept = |axis: &usize| {
            let i = *axis;
            [source[i], output[i], window.kernel[i]] != [1; 3] || window.before[i] > 0
        };
        let kept: Vec<usize> = (0..source.len()).filter(kept).collect();
        let cube = |lengths: &[usize], missing: usize| {
            let mut cube = [missing; 3];
            for (length, axis) in cube[3 - kept.len()..].iter_mut().zip(&kept) {
                *length = lengths[*axis];
            }
            cube
        };
        Self {
            kernel: cube(&window.kernel, 1),
            strides: cube(&window.strides, 1),
            dilations: cube(&window.dilations, 1),
            before: cube(&window.before, 0),
            source: cube(source, 1),
            output: cube(output, 1),
        }
    }

    /// The place that a tap of the window at `at` meets, if it is none in padding.
    fn place(&self, axis: usize, at: usize, tap: usize, length: usize) -> Option<usize> {
        let place = (at * self.strides[axis] + tap * self.dilations[axis]).checked_sub(self.before[axis])?;
        (place < length).then_some(place)
    }

    /// The windows of `count` along the last axis whose tap meets one of `length` places.
    fn met(&self, tap: usize, count: usize, length: usize) -> core::ops::Range<usize> {
        let (stride, offset) = (self.strides[2], tap * self.dilations[2]);
        let first = self.before[2].saturating_sub(offset).div_ceil(stride);
        let last = (length + self.before[2]).saturating_sub(offset).div_ceil(stride);
        first.min(count)..last.min(count).max(first.min(count))
    }
}

/// A convolution; `sums` are zero before.
#[expect(clippy::too_many_arguments, reason = "two tensors with their shapes")]
pub(super) fn conv(
    spread: Spread,
    source: &[i64],
    shape: &[usize],
    weights: &[i64],
    weights_shape: &[usize],
    window: &Window,
    groups: usize,
    output: &[usize],
    sums: &mut [i64],
) {
    let window = Cube::new(window, &shape[2..], &output[2..]);
    let (space, out) = (window.source, window.output);
    let (plane, out_plane): (usize, usize) = (space.iter().product(), out.iter().product());
    let (channels, outputs, taps) = (shape[1], output[1], window.kernel.iter().product::<usize>());
    let (per_group, outputs_per_group) = (channels / groups, outputs / groups);
    for (i, sums) in sums.chunks_exact_mut(out_plane).enumerate() {
        let (batch, o) = (i / outputs, i % outputs);
        let group = o / outputs_per_group;
        for c in 0..per_group {
            let channel = group * per_group + c;
            let source = &source[(batch * channels + channel) * plane..][..plane];
            // By output and input, or by input and output.
            let kernel = match spread {
                Spread::Gathered => o * weights_shape[1] + c,
                Spread::Scattered => channel * weights_shape[1] + o % outputs_per_group,
            };
            let weights = &weights[kernel * taps..][..taps];
            match spread {
                Spread::Gathered => gather(&window, source, weights, sums),
                Spread::Scattered => scatter(&window, source, weights, sums),
            }
        }
    }
}

/// Adds what a kernel finds in each window of a source.
fn gather(window: &Cube, source: &[i64], weights: &[i64], sums: &mut [i64]) {
    let ([_, kh, kw], space, out) = (window.kernel, window.source, window.output);
    for (tap, &weight) in weights.iter().enumerate() {
        let (td, th, tw) = (tap / (kh * kw), tap / kw % kh, tap % kw);
        let met = window.met(tw, out[2], space[2]);
        let Some(first) = met.clone().next() else { continue };
        let from = window.place(2, first, tw, space[2]).expect("a tap that meets a place");
        for d in 0..out[0] {
            let Some(from_d) = window.place(0, d, td, space[0]) else { continue };
            for h in 0..out[1] {
                let Some(from_h) = window.place(1, h, th, space[1]) else { continue };
                let row = &source[(from_d * space[1] + from_h) * space[2]..][..space[2]][from..];
                let sums = &mut sums[(d * out[1] + h) * out[2]..][met.clone()];
                match window.strides[2] {
                    1 => add_row(sums, row, weight),
                    stride => {
                        for (sum, value) in sums.iter_mut().zip(row.iter().step_by(stride)) {
                            *sum += weight * value;
                        }
                    }
                }
            }
        }
    }
}

/// Adds each place of a source, times a kernel, to its window of sums.
fn scatter(window: &Cube, source: &[i64], weights: &[i64], sums: &mut [i64]) {
    let ([_, kh, kw], space, out) = (window.kernel, window.source, window.output);
    for (tap, &weight) in weights.iter().enumerate() {
        let (td, th, tw) = (tap / (kh * kw), tap / kw % kh, tap % kw);
        let met = window.met(tw, space[2], out[2]);
        let Some(first) = met.clone().next() else { continue };
        let to = window.place(2, first, tw, out[2]).expect("a tap that meets a place");
        for d in 0..space[0] {
            let Some(to_d) = window.place(0, d, td, out[0]) else { continue };
            for h in 0..space[1] {
                let Some(to_h) = window.place(1, h, th, out[1]) else { continue };
                let row = &source[(d * space[1] + h) * space[2]..][met.clone()];
                let sums = &mut sums[(to_d * out[1] + to_h) * out[2]..][..out[2]][to..];
                for (sum, value) in sums.iter_mut().step_by(window.strides[2]).zip(row) {
                    *sum += weight * value;
                }
            }
        }
    }
}

/// The maximum of each window of each plane; padding is never one.
pub(super) fn max_pool(source: &[i64], shape: &[usize], window: &Window, output: &[usize]) -> Vec<i64> {
    let window = Cube::new(window, &shape[2..], &output[2..]);
    let (space, out) = (window.source, window.output);
    let (plane, out_plane): (usize, usize) = (space.iter().product(), out.iter().product());
    let mut maxima = vec![i64::MIN; output.iter().product()];
    let [kd, kh, kw] = window.kernel;
    for (maxima, source) in maxima.chunks_exact_mut(out_plane).zip(source.chunks_exact(plane)) {
        for tap in 0..kd * kh * kw {
            let (td, th, tw) = (tap / (kh * kw), tap / kw % kh, tap % kw);
            let met = window.met(tw, out[2], space[2]);
            let Some(first) = met.clone().next() else { continue };
            let from = window.place(2, first, tw, space[2]).expect("a tap that meets a place");
            for d in 0..out[0] {
                let Some(from_d) = window.place(0, d, td, space[0]) else { continue };
                for h in 0..out[1] {
                    let Some(from_h) = window.place(1, h, th, space[1]) else { continue };
                    let row = &source[(from_d * space[1] + from_h) * space[2]..][..space[2]][from..];
                    let maxima = &mut maxima[(d * out[1] + h) * out[2]..][met.clone()];
                    for (most, value) in maxima.iter_mut().zip(row.iter().step_by(window.strides[2])) {
                        *most = (*most).max(*value);
                    }
                }
            }
        }
    }
    maxima
}
