//! Loops over elements and over axes; sums of products are [`crate::bilinear`]'s.

use super::Integers;
use crate::operator::places::{Stretch, expand, ordered};
use crate::operator::{Cube, Window};

/// Combines values of a shape with others, which are broadcast to it.
pub(super) fn combine(
    values: &mut [i64],
    shape: &[usize],
    others: &[i64],
    other: &[usize],
    with: impl Fn(i64, i64) -> i64,
) {
    let mut left = values;
    expand(other, shape).stretches(others, &mut |stretch| {
        let values;
        (values, left) = core::mem::take(&mut left).split_at_mut(stretch.length());
        match stretch {
            Stretch::Row(row) => values.iter_mut().zip(row).for_each(|(a, b)| *a = with(*a, *b)),
            Stretch::Repeated(b, _) => values.iter_mut().for_each(|a| *a = with(*a, b)),
            Stretch::Every(step, source) => {
                values.iter_mut().zip(source.iter().step_by(step)).for_each(|(a, b)| *a = with(*a, *b));
            }
            Stretch::Each(each, _) => values.iter_mut().zip(each).for_each(|(a, b)| *a = with(*a, b)),
        }
    });
}

/// Values along some axes made into one.
pub(super) fn reduce(
    values: &[i64],
    shape: &[usize],
    axes: &[usize],
    with: impl Fn(i64, i64) -> i64,
) -> Integers {
    let moved;
    let (mut source, mut inner) = (values, 1);
    if axes.windows(2).all(|pair| pair[0] + 1 == pair[1]) {
        // Axes that follow one another are one, which stays where it is.
        inner = axes.last().map_or(1, |&last| shape[last + 1..].iter().product());
    } else {
        let order: Vec<usize> =
            (0..shape.len()).filter(|i| !axes.contains(i)).chain(axes.iter().copied()).collect();
        moved = Integers::from(ordered(shape, &order).apply(&[values], values.len()));
        source = &moved;
    }
    let width: usize = axes.iter().map(|&axis| shape[axis]).product();
    let mut reduced = Integers::from(vec![0; values.len() / width]);
    for (reduced, block) in reduced.chunks_exact_mut(inner).zip(source.chunks_exact(width * inner)) {
        let (first, others) = block.split_at(inner);
        reduced.copy_from_slice(first);
        if let [one] = reduced {
            *one = others.iter().fold(*one, |all, value| with(all, *value));
            continue;
        }
        for row in others.chunks_exact(inner) {
            reduced.iter_mut().zip(row).for_each(|(all, value)| *all = with(*all, *value));
        }
    }
    reduced
}

/// The maximum of each window of each plane; padding is never one.
pub(super) fn max_pool(source: &[i64], shape: &[usize], window: &Window, output: &[usize]) -> Vec<i64> {
    let cube = Cube::new(window, &output[2..], &shape[2..]);
    let (plane, output_plane): (usize, usize) = (shape[2..].iter().product(), output[2..].iter().product());
    let mut maxima = vec![i64::MIN; output.iter().product()];
    for (maxima, source) in maxima.chunks_exact_mut(output_plane).zip(source.chunks_exact(plane)) {
        cube.rows(|row| {
            let met = source[row.place..].iter().step_by(cube.stride());
            for (most, value) in maxima[row.windows].iter_mut().zip(met) {
                *most = (*most).max(*value);
            }
        });
    }
    maxima
}

/// The place of the first of the largest.
pub(super) fn first_maximum(row: &[i64]) -> i64 {
    let mut best = (row[0], 0);
    for (i, &value) in (0..).zip(row) {
        best = if value > best.0 { (value, i) } else { best };
    }
    best.1
}
