//! Sums of products as bilinear forms, and the functions that find them.

use super::values::{element, integer};
use crate::bilinear::Factor;
use crate::network::Bilinear;
use crate::operator::Window;
use crate::operator::places::{broadcast, expand};
use std::sync::Arc;
use volery_channel::pool::Pool;
use volery_circuit::{Convolution, ConvolvedAxis, Matrices};
use volery_primitives::F61;
use zeroize::Zeroizing;

/// The sums of products of a layer, for some inputs together.
pub(super) struct Sums {
    /// The form.
    pub(super) form: volery_circuit::Bilinear,
    /// The matrices of both lists that are multiplied, where these are not all in their order.
    matrices: [Option<Vec<usize>>; 2],
    /// The sizes of a matrix of each list.
    sizes: [usize; 2],
    /// The function of the clear run, with the shapes of all together.
    kernel: Arc<Kernel>,
}

struct Kernel {
    form: Bilinear,
    shapes: [Vec<usize>; 2],
    /// The magnitudes that no integer of an honest prover passes.
    bounds: [u64; 2],
    output: Vec<usize>,
}

impl Sums {
    /// The sums of a layer whose inputs and output have these shapes, of so many inputs that share the second tensor.
    pub(super) fn new(
        form: &Bilinear,
        [first, second]: [&[usize]; 2],
        output: &[usize],
        bounds: [u64; 2],
        together: usize,
    ) -> Self {
        match form {
            Bilinear::MatMul { transposed } => {
                Self::of_matrices([first, second], *transposed, bounds, together)
            }
            Bilinear::Conv { window, groups } | Bilinear::ConvTranspose { window, groups } => {
                let transposed = matches!(form, Bilinear::ConvTranspose { .. });
                let images = |shape: &[usize]| [&[together * shape[0]], &shape[1..]].concat();
                let axes = window.axes(&first[2..], &output[2..]);
                let (channels, outputs) = (first[1] / groups, output[1] / groups);
                let convolution = Convolution {
                    images: together * first[0],
                    groups: *groups,
                    channels,
                    outputs,
                    axes,
                    transposed,
                };
                let kernel = Kernel {
                    form: form.clone(),
                    shapes: [images(first), second.to_vec()],
                    bounds,
                    output: images(output),
                };
                Self {
                    form: volery_circuit::Bilinear::Convolution(convolution),
                    matrices: [None, None],
                    sizes: [0; 2],
                    kernel: Arc::new(kernel),
                }
            }
        }
    }

    fn of_matrices(
        [first, second]: [&[usize]; 2],
        transposed: bool,
        bounds: [u64; 2],
        together: usize,
    ) -> Self {
        // A vector is a row on the left, and a column on the right.
        let (row, column) = ([1, first[0]], [second[0], 1]);
        let first = if first.len() == 1 { &row[..] } else { first };
        let second = if second.len() == 1 { &column[..] } else { second };
        let (outer, &[rows, inner]) = first.split_last_chunk().expect("two dimensions");
        let (second_outer, &[left, right]) = second.split_last_chunk().expect("two dimensions");
        let columns = if transposed { left } else { right };
        let (sizes, seconds) = ([rows * inner, inner * columns], second_outer.iter().product::<usize>());
        let (matrices, groups, rows) = if seconds == 1 {
            // One matrix for all rows.
            ([None, None], 1, together * outer.iter().product::<usize>() * rows)
        } else {
            let all = broadcast(&[outer, second_outer]).expect("shapes that fit");
            let count = all.iter().product::<usize>();
            let choices = |own: &[usize], differ: bool| {
                let numbers: Vec<usize> = (0..own.iter().product()).collect();
                let of_one = expand(own, &all).apply(&[&numbers], count);
                let step = if differ { numbers.len() } else { 0 };
                Some((0..together).flat_map(|input| of_one.iter().map(move |i| input * step + i)).collect())
            };
            ([choices(outer, true), choices(second_outer, false)], together * count, rows)
        };
        let kernel = Kernel {
            form: Bilinear::MatMul { transposed },
            shapes: [
                vec![groups, rows, inner],
                if transposed { vec![groups, columns, inner] } else { vec![groups, inner, columns] },
            ],
            bounds,
            output: vec![groups, rows, columns],
        };
        let form = Matrices { groups, rows, inner, columns, by_columns: transposed };
        let form = volery_circuit::Bilinear::Matrices(form);
        Self { form, matrices, sizes, kernel: Arc::new(kernel) }
    }

    /// A list of the form, the first or the second one, of the elements of its tensor.
    pub(super) fn list<T: Copy>(&self, side: usize, of: &[T]) -> Vec<T> {
        let Some(matrices) = &self.matrices[side] else { return of.to_vec() };
        let size = self.sizes[side];
        matrices.iter().flat_map(|i| &of[i * size..][..size]).copied().collect()
    }

    /// A hint's function: the sums for the elements of both lists, one behind the other.
    pub(super) fn hint(&self) -> impl Fn(&[F61]) -> Vec<F61> + Send + Sync + 'static {
        let (kernel, [first, ..]) = (self.kernel.clone(), self.form.lengths());
        move |elements| {
            let integers = Zeroizing::new(elements.iter().map(|x| integer(*x)).collect::<Vec<_>>());
            let (x, w) = integers.split_at(first);
            let Kernel { form, shapes, bounds, output } = &*kernel;
            let factor = |side: usize, values| Factor { values, shape: &shapes[side], bound: bounds[side] };
            let sums = form.sums(&Pool::ALONE, &factor(0, x), &factor(1, w), output);
            sums.iter().map(|sum| element(*sum)).collect()
        }
    }
}

impl Window {
    /// The axes of a convolution over places of these lengths.
    fn axes(&self, source: &[usize], output: &[usize]) -> Vec<ConvolvedAxis> {
        (0..source.len())
            .map(|axis| ConvolvedAxis {
                input: source[axis],
                output: output[axis],
                taps: self.kernel[axis],
                step: self.strides[axis],
                dilation: self.dilations[axis],
                before: self.before[axis],
            })
            .collect()
    }
}

/// The elements that each tap of a window meets in planes over space: a column for each tap, with an entry for each
/// place of the output, `None` in padding.
pub(super) fn windows<T: Copy>(
    source: &[T],
    shape: &[usize],
    window: &Window,
    output: &[usize],
) -> Vec<Vec<Option<T>>> {
    let (space, places) = (&shape[2..], &output[2..]);
    let (plane, out_plane) = (space.iter().product::<usize>(), places.iter().product::<usize>());
    // The number along each axis of a number of all.
    let along = |mut number: usize, lengths: &[usize]| {
        let mut along = vec![0; lengths.len()];
        for (axis, length) in along.iter_mut().zip(lengths).rev() {
            *axis = number % length;
            number /= length;
        }
        along
    };
    (0..window.taps())
        .map(|tap| {
            let taps = along(tap, &window.kernel);
            let of_plane: Vec<_> = (0..out_plane)
                .map(|place| {
                    let at = along(place, places);
                    (0..space.len()).try_fold(0, |offset, axis| {
                        let met = window.place(axis, at[axis], taps[axis], space[axis])?;
                        Some(offset * space[axis] + met)
                    })
                })
                .collect();
            let planes = source.chunks_exact(plane);
            planes.flat_map(|plane| of_plane.iter().map(|at| at.map(|at| plane[at]))).collect()
        })
        .collect()
}
