//! Bilinear forms of integers, exactly: for a run, and for a prover that fills in sums.
//!
//! All are products of matrices. Where the bounds of both inputs allow it, and a matrix is read often enough to be
//! packed, they are computed by tiles of floating-point numbers, none of which is rounded
//! (`volery_primitives::arch::matrix`); else by plain loops in 64 bits. Shapes and bounds alone decide, which are
//! public. Integers may be secret: loops neither branch on them nor skip zeros, and copies are wiped. An integer
//! beyond its bound makes sums wrong, and nothing worse.

mod plain;
mod product;

use crate::network::Bilinear;
use crate::operator::places::{broadcast, expand};
use crate::operator::{Cube, Window};
use product::{Columns, Lines, Rows};
use volery_channel::pool::Pool;
use volery_primitives::SecretVec;
use volery_primitives::arch::advise_huge_pages;

/// An input of a bilinear form.
pub(crate) struct Factor<'v> {
    /// The integers, in row-major order.
    pub(crate) values: &'v [i64],
    /// The shape.
    pub(crate) shape: &'v [usize],
    /// The magnitude that no integer passes.
    pub(crate) bound: u64,
}

/// Rows of the first matrix for which it pays to pack the second.
const FEWEST_ROWS: usize = 3;

/// Pairs of channels that a tap joins for which it pays to pack what windows meet.
const FEWEST_PAIRS: usize = 64;

impl Bilinear {
    /// The sums of products that make an output of the shape `output`, in row-major order. They do not depend on the
    /// number of threads.
    pub(crate) fn sums(
        &self,
        pool: &Pool,
        first: &Factor<'_>,
        second: &Factor<'_>,
        output: &[usize],
    ) -> SecretVec<i64> {
        let mut sums = zeros(output.iter().product());
        let products = self.products(first.shape, second.shape);
        let is_exact = product::is_exact(products, first.bound, second.bound);
        let (x, w) = (first.values, second.values);
        match self {
            Self::MatMul { transposed } => {
                let matrices = Matrices::new(first.shape, second.shape, *transposed);
                match is_exact && matrices.rows >= FEWEST_ROWS {
                    true => matrices.multiply(pool, x, w, &mut sums),
                    false => plain::multiply(&matrices, x, w, &mut sums),
                }
            }
            Self::Conv { window, groups } => {
                let channels = Channels::new(window, *groups, first.shape, output, false);
                match is_exact && channels.outputs >= FEWEST_ROWS && channels.pairs() >= FEWEST_PAIRS {
                    true => channels.gather(pool, x, w, &mut sums),
                    false => plain::gather(&channels, x, w, &mut sums),
                }
            }
            Self::ConvTranspose { window, groups } => {
                let channels = Channels::new(window, *groups, first.shape, output, true);
                match is_exact && channels.pairs() >= FEWEST_PAIRS {
                    true => channels.scatter(pool, x, w, &mut sums),
                    false => plain::scatter(&channels, x, w, &mut sums),
                }
            }
        }
        sums
    }
}

/// Zeros, in huge pages where the system grants them.
fn zeros<T: Copy + Default + zeroize::DefaultIsZeroes>(length: usize) -> SecretVec<T> {
    let mut zeros = vec![T::default(); length];
    advise_huge_pages(&mut zeros);
    SecretVec::from(zeros)
}

/// Products of matrices over the last two dimensions, broadcast over the others; a vector is a row on the left and a
/// column on the right.
struct Matrices {
    rows: usize,
    depth: usize,
    columns: usize,
    /// Whether the second matrices stand by columns.
    transposed: bool,
    /// The matrices of the two inputs that make each of the output.
    pairs: Vec<(usize, usize)>,
}

impl Matrices {
    fn new(first: &[usize], second: &[usize], transposed: bool) -> Self {
        let (as_row, as_column) = ([1, first[0]], [second[0], 1]);
        let first = if first.len() == 1 { &as_row[..] } else { first };
        let second = if second.len() == 1 { &as_column[..] } else { second };
        let (first_outer, &[rows, depth]) = first.split_last_chunk().expect("two dimensions");
        let (second_outer, &[last_but_one, last]) = second.split_last_chunk().expect("two dimensions");
        let columns = if transposed { last_but_one } else { last };
        let outer = broadcast(&[first_outer, second_outer]).expect("shapes that fit");
        let count: usize = outer.iter().product();
        if second_outer.iter().all(|&length| length == 1) {
            // Rows of all matrices meet the same one.
            return Self { rows: count * rows, depth, columns, transposed, pairs: vec![(0, 0)] };
        }
        let choices = |own: &[usize]| {
            let numbers: Vec<usize> = (0..own.iter().product()).collect();
            expand(own, &outer).apply(&[&numbers], count)
        };
        let pairs = choices(first_outer).into_iter().zip(choices(second_outer)).collect();
        Self { rows, depth, columns, transposed, pairs }
    }

    /// Hands each two matrices, with the sums that they make, to `each`.
    fn each(
        &self,
        first: &[i64],
        second: &[i64],
        sums: &mut [i64],
        mut each: impl FnMut(&[i64], &[i64], &mut [i64]),
    ) {
        let &Self { rows, depth, columns, .. } = self;
        for (sums, (i, j)) in sums.chunks_exact_mut(rows * columns).zip(&self.pairs) {
            let second = &second[j * depth * columns..][..depth * columns];
            each(&first[i * rows * depth..][..rows * depth], second, sums);
        }
    }

    fn multiply(&self, pool: &Pool, first: &[i64], second: &[i64], sums: &mut [i64]) {
        let &Self { rows, depth, columns, transposed, .. } = self;
        self.each(first, second, sums, |first, second, sums| {
            let rows = Rows::pack(&Lines { values: first, apart: depth, step: 1 }, rows, depth);
            let (apart, step) = if transposed { (depth, 1) } else { (1, columns) };
            let second = Columns::Lines(Lines { values: second, apart, step });
            rows.add_products(pool, &second, columns, sums);
        });
    }
}

/// The channels of a convolution, in groups.
struct Channels {
    cube: Cube,
    groups: usize,
    /// The channels of a group in the source, and in the output.
    sources: usize,
    outputs: usize,
    /// The places of a channel in the source, and in the output.
    plane: usize,
    output_plane: usize,
}

impl Channels {
    fn new(window: &Window, groups: usize, source: &[usize], output: &[usize], transposed: bool) -> Self {
        let (windows, space) = if transposed { (source, output) } else { (output, source) };
        Self {
            cube: Cube::new(window, &windows[2..], &space[2..]),
            groups,
            sources: source[1] / groups,
            outputs: output[1] / groups,
            plane: source[2..].iter().product(),
            output_plane: output[2..].iter().product(),
        }
    }

    /// The pairs of channels of a group that a tap joins.
    fn pairs(&self) -> usize {
        self.sources * self.outputs
    }

    /// Hands each group its kernels, and the parts of the source and of the sums that are its own.
    fn each(
        &self,
        source: &[i64],
        weights: &[i64],
        sums: &mut [i64],
        mut each: impl FnMut(&[i64], &mut dyn Iterator<Item = (&[i64], &mut [i64])>),
    ) {
        for (group, kernels) in weights.chunks_exact(self.pairs() * self.cube.taps()).enumerate() {
            let sources = source.chunks_exact(self.sources * self.plane);
            let sums = sums.chunks_exact_mut(self.outputs * self.output_plane);
            each(kernels, &mut sources.zip(sums).skip(group).step_by(self.groups));
        }
    }

    /// Adds up products where an output is a sum over a window of the source.
    fn gather(&self, pool: &Pool, source: &[i64], weights: &[i64], sums: &mut [i64]) {
        let depth = self.sources * self.cube.taps();
        self.each(source, weights, sums, |kernels, batches| {
            let rows = Rows::pack(&Lines { values: kernels, apart: depth, step: 1 }, self.outputs, depth);
            for (source, sums) in batches {
                let columns = match self.cube.is_point() {
                    true => Columns::Lines(Lines { values: source, apart: 1, step: self.plane }),
                    false => Columns::Windows { source, cube: &self.cube },
                };
                rows.add_products(pool, &columns, self.output_plane, sums);
            }
        });
    }

    /// Adds up products where a place of the source adds to a window of outputs.
    fn scatter(&self, pool: &Pool, source: &[i64], weights: &[i64], sums: &mut [i64]) {
        let taps = self.cube.taps();
        let count = self.outputs * taps;
        self.each(source, weights, sums, |kernels, batches| {
            let rows = Rows::pack(&Lines { values: kernels, apart: 1, step: count }, count, self.sources);
            for (source, sums) in batches {
                let columns = Columns::Lines(Lines { values: source, apart: 1, step: self.plane });
                rows.each_product(pool, &columns, self.plane, |row, windows, products| {
                    let sums = &mut sums[row / taps * self.output_plane..][..self.output_plane];
                    let mut products = products.iter();
                    self.cube.places(row % taps, windows, |place| {
                        if let (Some(product), Some(place)) = (products.next(), place) {
                            sums[place] = sums[place].wrapping_add(*product);
                        }
                    });
                });
            }
        });
    }
}
