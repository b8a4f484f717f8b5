//! Sums of products as bilinear forms, and the functions that find them.

use super::values::{element, integer};
use crate::bilinear::Factor;
use crate::network::Bilinear;
use crate::operator::Window;
use crate::operator::places::{broadcast, expand};
use core::ops::Range;
use std::borrow::Cow;
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
    /// The inputs that share the second tensor.
    together: usize,
    /// The outputs, where some of them at a time are a form, too.
    outputs: Option<Outputs>,
}

/// Outputs that each have entries of the second list of their own: channels of a convolution, columns of a matrix.
struct Outputs {
    count: usize,
    /// Entries of the second list for each: in a row, or one in each row.
    entries: usize,
    in_rows: bool,
    /// Entries of the result for each, in a row.
    plane: usize,
}

/// Entries of the second list that are taken together.
const TOGETHER: usize = 1 << 17;

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
                let apart = Outputs {
                    count: outputs,
                    entries: channels * window.taps(),
                    in_rows: true,
                    plane: output[2..].iter().product(),
                };
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
                    together,
                    outputs: Some(apart).filter(|_| *groups == 1 && !transposed),
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
        let apart = Outputs { count: columns, entries: inner, in_rows: transposed, plane: 1 };
        let outputs = Some(apart).filter(|_| seconds == 1);
        let form = Matrices { groups, rows, inner, columns, by_columns: transposed };
        let form = volery_circuit::Bilinear::Matrices(form);
        Self { form, matrices, sizes, kernel: Arc::new(kernel), together, outputs }
    }

    /// The parts that it is taken in: ranges of outputs, or nothing where it is one.
    pub(super) fn parts(&self) -> Option<impl Iterator<Item = Range<usize>>> {
        let outputs = self.outputs.as_ref().filter(|outputs| outputs.count * outputs.entries > TOGETHER)?;
        let (count, some) = (outputs.count, TOGETHER.div_ceil(outputs.entries));
        Some((0..count).step_by(some).map(move |from| from..count.min(from + some)))
    }

    /// The sums of some outputs, where those of all are these of [`Sums::new`]; with their entries of the second list.
    pub(super) fn part<T: Copy>(
        &self,
        [first, second]: [&[usize]; 2],
        output: &[usize],
        (range, list): (&Range<usize>, &[T]),
    ) -> (Self, Vec<T>) {
        let Outputs { count, entries, in_rows, .. } = *self.outputs.as_ref().expect("it has parts");
        let Kernel { form, bounds, .. } = &*self.kernel;
        let some = range.len();
        let (second, output) = match form {
            Bilinear::MatMul { transposed: true } => (vec![some, entries], output.to_vec()),
            Bilinear::MatMul { transposed: false } => (vec![entries, some], output.to_vec()),
            _ => ([&[some], &second[1..]].concat(), [&[output[0], some], &output[2..]].concat()),
        };
        let of = Self::new(form, [first, &second], &output, *bounds, self.together);
        let list = match in_rows {
            true => list[range.start * entries..range.end * entries].to_vec(),
            false => list.chunks_exact(count).flat_map(|row| &row[range.clone()]).copied().collect(),
        };
        (of, list)
    }

    /// Puts a part's result to its place in that of all.
    pub(super) fn place<T: Copy>(&self, range: &Range<usize>, part: &[T], all: &mut [T]) {
        let Outputs { count, plane, .. } = *self.outputs.as_ref().expect("it has parts");
        let parts = part.chunks_exact(range.len() * plane);
        for (image, part) in all.chunks_exact_mut(count * plane).zip(parts) {
            image[range.start * plane..range.end * plane].copy_from_slice(part);
        }
    }

    /// A list of the form, the first or the second one, of the elements of its tensor.
    pub(super) fn list<'t, T: Copy>(&self, side: usize, of: &'t [T]) -> Cow<'t, [T]> {
        let Some(matrices) = &self.matrices[side] else { return of.into() };
        let size = self.sizes[side];
        matrices.iter().flat_map(|i| &of[i * size..][..size]).copied().collect()
    }

    /// A hint's function: the sums for the elements of both lists, one behind the other, or of the first alone, where the
    /// second is public.
    pub(super) fn hint(
        &self,
        pool: Pool,
        second: Option<Vec<i64>>,
    ) -> impl Fn(&[F61]) -> Vec<F61> + Send + Sync + 'static {
        let (kernel, [first, ..]) = (self.kernel.clone(), self.form.lengths());
        move |elements| {
            let integers = Zeroizing::new(elements.iter().map(|x| integer(*x)).collect::<Vec<_>>());
            let (x, w) = integers.split_at(first);
            let w = second.as_deref().unwrap_or(w);
            let Kernel { form, shapes, bounds, output } = &*kernel;
            let factor = |side: usize, values| Factor { values, shape: &shapes[side], bound: bounds[side] };
            let sums = form.sums(&pool, &factor(0, x), &factor(1, w), output);
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

/// The elements that each tap of a window meets in planes over space.
pub(super) struct Windows {
    /// The entries of a plane, and those that there are for it.
    plane: usize,
    places: usize,
    /// For each tap, what it meets in a plane for each place; nothing in padding.
    taps: Vec<Vec<Option<usize>>>,
}

impl Windows {
    /// The taps of a window over a tensor of this shape.
    pub(super) fn new(shape: &[usize], window: &Window, output: &[usize]) -> Self {
        let (space, places) = (&shape[2..], &output[2..]);
        // The number along each axis of a number of all.
        let along = |mut number: usize, lengths: &[usize]| {
            let mut along = vec![0; lengths.len()];
            for (axis, length) in along.iter_mut().zip(lengths).rev() {
                *axis = number % length;
                number /= length;
            }
            along
        };
        let out_plane = places.iter().product();
        let met = |tap: usize| {
            let taps = along(tap, &window.kernel);
            let of_place = |place: usize| {
                let at = along(place, places);
                (0..space.len()).try_fold(0, |offset, axis| {
                    let met = window.place(axis, at[axis], taps[axis], space[axis])?;
                    Some(offset * space[axis] + met)
                })
            };
            (0..out_plane).map(of_place).collect()
        };
        Self { plane: space.iter().product(), places: out_plane, taps: (0..window.taps()).map(met).collect() }
    }

    /// The entries of a plane.
    pub(super) fn plane(&self) -> usize {
        self.plane
    }

    /// The places of a plane, each with the taps around it.
    pub(super) fn places(&self) -> usize {
        self.places
    }

    /// For these places of all planes a column for each tap.
    pub(super) fn columns<T: Copy>(&self, source: &[T], places: Range<usize>) -> Vec<Vec<Option<T>>> {
        let of_tap = |met: &Vec<Option<usize>>| {
            let at =
                |place: usize| Some(source[place / self.places * self.plane + met[place % self.places]?]);
            places.clone().map(at).collect()
        };
        self.taps.iter().map(of_tap).collect()
    }
}
