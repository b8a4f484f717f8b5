//! Bilinear forms of two lists of wires: products of matrices and convolutions.
//!
//! Each entry of the result is a sum of products of an entry of the first list with one of the second. That a
//! third list is the result is shown at two random vectors: weighed by them, the entries of each list collapse
//! into a few linear forms, whose inner product is all that is left to prove.

use super::{Entries, Matrix, Polynomials};
use core::fmt::Display;
use core::iter;
use volery_channel::error::{Error, Result};
use volery_primitives::Field;
use zeroize::{DefaultIsZeroes, Zeroizing};

/// A bilinear form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bilinear {
    /// Products of matrices.
    Matrices(Matrices),
    /// A convolution.
    Convolution(Convolution),
}

/// The sizes of pairs of matrices that have products. All lie one after the other, row by row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Matrices {
    /// The number of pairs.
    pub groups: usize,
    /// The rows of a first matrix, and of a product.
    pub rows: usize,
    /// The columns of a first matrix, and the rows of a second one.
    pub inner: usize,
    /// The columns of a second matrix, and of a product.
    pub columns: usize,
    /// Whether the second ones are given column by column.
    pub by_columns: bool,
}

/// The sizes of a convolution, which sums over channels and taps: y[o, p] = Σ x[c, q]·w[o, c, t], where the taps t
/// of each axis relate places p of the result to places q of the first list.
///
/// The first list has the order image, group, channel, place; the second one group, output, channel, tap, or group,
/// channel, output, tap where the convolution is transposed; the result image, group, output, place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Convolution {
    /// The images, which are convolved with the same second list.
    pub images: usize,
    /// The groups of channels, each with outputs of its own.
    pub groups: usize,
    /// The channels of a group.
    pub channels: usize,
    /// The outputs of a group.
    pub outputs: usize,
    /// The axes of space, the slowest first.
    pub axes: Vec<ConvolvedAxis>,
    /// Whether it is transposed: taps then lead from places of the first list to those of the result.
    pub transposed: bool,
}

/// An axis of a convolution: tap t leads from place p to place p·step + t·dilation − before, if there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConvolvedAxis {
    /// The places of the first list.
    pub input: usize,
    /// The places of the result.
    pub output: usize,
    /// The taps.
    pub taps: usize,
    /// The step of the places that taps lead from.
    pub step: usize,
    /// The distance of two taps.
    pub dilation: usize,
    /// The padding before the first place.
    pub before: usize,
}

/// A function of an entry of the result, and the places in both lists of the products that it is the sum of.
pub type EachEntry<'e> = &'e mut dyn FnMut(usize, &[(usize, usize)]) -> Result<()>;

/// The lists of a form: the first, the second, which may be public, and the result.
pub type Lists<'l, F, W> = (&'l [W], Entries<'l, F, W>, &'l [W]);

/// The most entries of a list, and the most axes.
const MOST: u64 = 1 << 32;
const MOST_AXES: usize = 3;

impl ConvolvedAxis {
    /// The pairs of places of the first list and of the result that tap `t` relates.
    fn pairs(self, transposed: bool, t: usize) -> impl Iterator<Item = (usize, usize)> {
        let (from, to) = if transposed { (self.input, self.output) } else { (self.output, self.input) };
        let tap = t * self.dilation;
        (0..from).filter_map(move |p| {
            let place = (p * self.step + tap).checked_sub(self.before).filter(|place| *place < to)?;
            Some(if transposed { (p, place) } else { (place, p) })
        })
    }
}

impl Convolution {
    fn inputs(&self) -> usize {
        self.axes.iter().map(|axis| axis.input).product()
    }

    fn places(&self) -> usize {
        self.axes.iter().map(|axis| axis.output).product()
    }

    fn taps(&self) -> usize {
        self.axes.iter().map(|axis| axis.taps).product()
    }

    /// The pairs of places of the first list and of the result that tap number `tap` relates.
    fn pairs(&self, tap: usize) -> Vec<(usize, usize)> {
        let (mut pairs, mut rest) = (vec![(0, 0)], tap);
        let mut taps = Vec::with_capacity(self.axes.len());
        for axis in self.axes.iter().rev() {
            taps.push(rest % axis.taps);
            rest /= axis.taps;
        }
        for (axis, t) in self.axes.iter().zip(taps.into_iter().rev()) {
            let of_axis: Vec<_> = axis.pairs(self.transposed, t).collect();
            let behind = |&(i, o): &(usize, usize)| {
                let of_axis = of_axis.clone().into_iter();
                of_axis.map(move |(input, output)| (i * axis.input + input, o * axis.output + output))
            };
            pairs = pairs.iter().flat_map(behind).collect();
        }
        pairs
    }
}

impl Bilinear {
    /// The product of two matrices.
    pub fn product<T>(a: &Matrix<'_, T>, b: &Matrix<'_, T>) -> Self {
        let (rows, inner, columns) = (a.rows().len(), a.columns(), b.columns());
        Self::Matrices(Matrices { groups: 1, rows, inner, columns, by_columns: false })
    }

    /// The numbers of entries of the first list, of the second one, and of the result.
    pub fn lengths(&self) -> [usize; 3] {
        match self {
            &Self::Matrices(Matrices { groups, rows, inner, columns, .. }) => {
                [rows * inner, inner * columns, rows * columns].map(|entries| groups * entries)
            }
            Self::Convolution(of) => {
                let Convolution { images, groups, channels, outputs, .. } = *of;
                [
                    images * groups * channels * of.inputs(),
                    groups * outputs * channels * of.taps(),
                    images * groups * outputs * of.places(),
                ]
            }
        }
    }

    /// Demands that lists of these lengths are the form's.
    ///
    /// # Panics
    /// Where they are not.
    pub fn check(&self, lengths: [usize; 3]) {
        assert_eq!(self.lengths(), lengths, "entries of both factors and of the product");
    }

    /// Demands that the form makes sense: for sizes from elsewhere.
    ///
    /// # Errors
    /// `Invalid` where a size is 0, a list has more than 2^32 entries, or so many places are met by so many taps.
    pub fn validate(&self) -> Result<()> {
        let few = |sizes: &[usize]| {
            let entries = sizes.iter().try_fold(1u64, |entries, size| entries.checked_mul(*size as u64));
            entries.is_some_and(|entries| (1..=MOST).contains(&entries))
        };
        let good = match self {
            &Self::Matrices(Matrices { groups, rows, inner, columns, .. }) => {
                [[rows, inner], [inner, columns], [rows, columns]].iter().all(|[a, b]| few(&[groups, *a, *b]))
            }
            Self::Convolution(Convolution { images, groups, channels, outputs, axes, .. }) => {
                let of = |each: fn(&ConvolvedAxis) -> usize, others: [usize; 3]| {
                    few(&axes.iter().map(each).chain(others).collect::<Vec<_>>())
                };
                let offsets = |axis: &ConvolvedAxis| {
                    few(&[axis.input.max(axis.output), axis.step])
                        && few(&[axis.taps, axis.dilation])
                        && axis.before as u64 <= MOST
                };
                axes.len() <= MOST_AXES
                    && axes.iter().all(offsets)
                    && of(|axis| axis.input, [*images, *groups, *channels])
                    && of(|axis| axis.taps, [*groups, *outputs, *channels])
                    && of(|axis| axis.taps.saturating_mul(axis.input.max(axis.output)), [*images, 1, 1])
                    && of(|axis| axis.output, [*images, *groups, *outputs])
            }
        };
        if good { Ok(()) } else { Err(Error::invalid(format!("a bilinear form of such sizes: {self:?}"))) }
    }

    /// The products that make up each entry of the result: calls `each` with the entry, and pairs of places in the
    /// first list and in the second one.
    ///
    /// # Errors
    /// Those of `each`.
    pub fn entries(&self, each: EachEntry<'_>) -> Result<()> {
        let mut products = Vec::new();
        match self {
            &Self::Matrices(Matrices { groups, rows, inner, columns, by_columns }) => {
                for (i, j) in (0..groups * rows).flat_map(|i| (0..columns).map(move |j| (i, j))) {
                    let matrix = i / rows * inner * columns;
                    let place = |k| if by_columns { j * inner + k } else { k * columns + j };
                    products.clear();
                    products.extend((0..inner).map(|k| (i * inner + k, matrix + place(k))));
                    each(i * columns + j, &products)?;
                }
            }
            Self::Convolution(of) => {
                let Convolution { images, groups, channels, outputs, transposed, .. } = *of;
                let (inputs, places, taps) = (of.inputs(), of.places(), of.taps());
                let mut at = vec![Vec::new(); places];
                for tap in 0..taps {
                    of.pairs(tap).into_iter().for_each(|(input, place)| at[place].push((input, tap)));
                }
                for entry in 0..images * groups * outputs * places {
                    let (place, output) = (entry % places, entry / places % outputs);
                    let image_and_group = entry / places / outputs;
                    let group = image_and_group % groups;
                    products.clear();
                    for channel in 0..channels {
                        let of_first = (image_and_group * channels + channel) * inputs;
                        let of_second = match transposed {
                            false => (group * outputs + output) * channels + channel,
                            true => (group * channels + channel) * outputs + output,
                        };
                        let pair = |(input, tap)| (of_first + input, of_second * taps + tap);
                        products.extend(at[place].iter().copied().map(pair));
                    }
                    each(entry, &products)?;
                }
            }
        }
        Ok(())
    }

    /// The number of products in all entries of the result, and of the entries that have any.
    pub fn products(&self) -> [u64; 2] {
        match self {
            &Self::Matrices(Matrices { groups, rows, inner, columns, .. }) => {
                let entries = if inner > 0 { groups * rows * columns } else { 0 };
                [(entries * inner) as u64, entries as u64]
            }
            Self::Convolution(of) => {
                // Axes do not depend on each other.
                let (mut pairs, mut any) = (1, 1);
                for axis in &of.axes {
                    let mut meets = vec![false; axis.output];
                    let mut of_axis = 0;
                    for (_, place) in (0..axis.taps).flat_map(|tap| axis.pairs(of.transposed, tap)) {
                        meets[place] = true;
                        of_axis += 1;
                    }
                    pairs *= of_axis;
                    any *= meets.iter().filter(|meets| **meets).count() as u64;
                }
                let outputs = (of.images * of.groups * of.outputs) as u64;
                [pairs * outputs * of.channels as u64, any * outputs]
            }
        }
    }

    /// The lengths of the two vectors by which the result is weighed: u for its rows or places, and v for its columns
    /// or outputs, which is another one for each group.
    pub fn vectors(&self) -> [usize; 2] {
        match self {
            Self::Matrices(of) => [of.rows, of.groups * of.columns],
            Self::Convolution(of) => [of.images * of.places(), of.groups * of.outputs],
        }
    }

    /// The linear forms of the first list, weighed by `u`: for each group of each channel, or column, and tap.
    /// `weigh` combines entries with as many coefficients.
    pub fn of_first<E: Field, T: DefaultIsZeroes, R>(
        &self,
        u: &[E],
        first: &[T],
        weigh: &dyn Fn(&[E], &[T]) -> R,
    ) -> Vec<R> {
        match self {
            &Self::Matrices(Matrices { groups, rows, inner, .. }) => {
                let mut forms = Vec::with_capacity(groups * inner);
                for group in 0..groups {
                    let matrix = &first[group * rows * inner..][..rows * inner];
                    forms.extend(by_columns(matrix, inner, &|column: &[T]| weigh(u, column)));
                }
                forms
            }
            Self::Convolution(of) => {
                let (inputs, places, taps) = (of.inputs(), of.places(), of.taps());
                let (images, channels) = (of.images, of.groups * of.channels);
                // The entries of a channel one behind the other, in all images.
                let mut of_channels = Zeroizing::new(Vec::new());
                if images > 1 {
                    of_channels.reserve_exact(first.len());
                    for at in
                        (0..channels).flat_map(|channel| (0..images).map(move |i| i * channels + channel))
                    {
                        of_channels.extend_from_slice(&first[at * inputs..][..inputs]);
                    }
                }
                let entries = if images > 1 { &of_channels[..] } else { first };
                let mut forms: Vec<_> = iter::repeat_with(|| None).take(channels * taps).collect();
                let mut spread = vec![E::ZERO; images * inputs];
                for tap in 0..taps {
                    // What a place of the first list adds to by this tap, in each image.
                    spread.fill(E::ZERO);
                    for (input, place) in of.pairs(tap) {
                        for image in 0..images {
                            spread[image * inputs + input] += u[image * places + place];
                        }
                    }
                    for (channel, entries) in entries.chunks_exact(images * inputs).enumerate() {
                        forms[channel * taps + tap] = Some(weigh(&spread, entries));
                    }
                }
                forms.into_iter().map(|form| form.expect("one for each")).collect()
            }
        }
    }

    /// The entries of the second list that one linear form has.
    fn weighed(&self) -> usize {
        match self {
            Self::Matrices(of) => of.columns.max(1),
            Self::Convolution(of) => of.outputs.max(1),
        }
    }

    /// The linear forms of the second list, weighed by `v`, beside those of the first one.
    pub fn of_second<E: Field, T: DefaultIsZeroes, R>(
        &self,
        v: &[E],
        second: &[T],
        weigh: &dyn Fn(&[E], &[T]) -> R,
    ) -> Vec<R> {
        // As long as all of them from the begin.
        let mut forms = Vec::with_capacity(second.len() / self.weighed());
        match self {
            &Self::Matrices(Matrices { inner, columns, by_columns: given_so, .. }) => {
                for (matrix, v) in second.chunks(inner * columns).zip(v.chunks(columns)) {
                    if given_so {
                        forms.extend(by_columns(matrix, inner, &|row: &[T]| weigh(v, row)));
                    } else {
                        forms.extend(matrix.chunks(columns).map(|row| weigh(v, row)));
                    }
                }
            }
            Self::Convolution(of) => {
                let (taps, channels, outputs) = (of.taps(), of.channels, of.outputs);
                for (second, v) in second.chunks(outputs * channels * taps).zip(v.chunks(outputs)) {
                    if of.transposed {
                        for of_channel in second.chunks(outputs * taps) {
                            forms.extend(by_columns(of_channel, taps, &|tap: &[T]| weigh(v, tap)));
                        }
                    } else {
                        forms.extend(by_columns(second, channels * taps, &|of_tap: &[T]| weigh(v, of_tap)));
                    }
                }
            }
        }
        forms
    }

    /// The linear forms of the result, and a coefficient for each: their combination is what the inner product of the
    /// forms of both factors has to be.
    pub fn of_result<E: Field, T, R>(
        &self,
        [u, v]: [&[E]; 2],
        result: &[T],
        weigh: &dyn Fn(&[E], &[T]) -> R,
    ) -> (Vec<E>, Vec<R>) {
        match self {
            &Self::Matrices(Matrices { groups, rows, columns, .. }) => {
                let of_group = |i: usize| &v[i / rows * columns..][..columns];
                let forms = result.chunks(columns.max(1)).enumerate().map(|(i, row)| weigh(of_group(i), row));
                ((0..groups).flat_map(|_| u.iter().copied()).collect(), forms.collect())
            }
            Self::Convolution(of) => {
                let (places, outputs) = (of.places(), of.groups * of.outputs);
                let of_image = |i: usize| &u[i / outputs * places..][..places];
                let forms = result.chunks(places).enumerate().map(|(i, entries)| weigh(of_image(i), entries));
                ((0..of.images).flat_map(|_| v.iter().copied()).collect(), forms.collect())
            }
        }
    }

    /// The form in words, for [`Bilinear::read`].
    pub(crate) fn words(&self) -> Vec<u64> {
        match self {
            Self::Matrices(Matrices { groups, rows, inner, columns, by_columns }) => {
                let sizes = [*groups, *rows, *inner, *columns].map(|size| size as u64);
                iter::once(u64::from(*by_columns)).chain(sizes).collect()
            }
            Self::Convolution(Convolution { images, groups, channels, outputs, axes, transposed }) => {
                let sizes = [*images, *groups, *channels, *outputs];
                let axes = axes.iter().flat_map(|axis| {
                    let ConvolvedAxis { input, output, taps, step, dilation, before } = *axis;
                    [input, output, taps, step, dilation, before]
                });
                let sizes = sizes.into_iter().chain(axes).map(|size| size as u64);
                iter::once(2 + u64::from(*transposed)).chain(sizes).collect()
            }
        }
    }

    /// The form that these words are of.
    pub(crate) fn read(words: &[u64]) -> Self {
        let (&kind, sizes) = words.split_first().expect("the words of a form");
        let ([one, two, three, four], axes) = sizes.split_first_chunk::<4>().expect("as it was written");
        let [one, two, three, four] = [*one, *two, *three, *four].map(|size| size as usize);
        if kind < 2 {
            let [groups, rows, inner, columns] = [one, two, three, four];
            return Self::Matrices(Matrices { groups, rows, inner, columns, by_columns: kind == 1 });
        }
        let axis = |axis: &[u64; 6]| {
            let [input, output, taps, step, dilation, before] = axis.map(|size| size as usize);
            ConvolvedAxis { input, output, taps, step, dilation, before }
        };
        let axes = axes.as_chunks().0.iter().map(axis).collect();
        let [images, groups, channels, outputs] = [one, two, three, four];
        Self::Convolution(Convolution { images, groups, channels, outputs, axes, transposed: kind == 3 })
    }
}

/// Columns that are gathered at a time, for whole cache lines.
const GATHERED: usize = 32;

/// Applies `weigh` to each column of a matrix of so many `columns`.
pub fn by_columns<T: DefaultIsZeroes, R>(entries: &[T], columns: usize, weigh: &dyn Fn(&[T]) -> R) -> Vec<R> {
    let length = entries.len() / columns.max(1);
    let mut gathered = Zeroizing::new(vec![T::default(); GATHERED.min(columns) * length]);
    let mut weighed = Vec::with_capacity(columns);
    for first in (0..columns).step_by(GATHERED) {
        let count = GATHERED.min(columns - first);
        for (i, row) in entries.chunks_exact(columns).enumerate() {
            for (j, entry) in row[first..][..count].iter().enumerate() {
                gathered[j * length + i] = *entry;
            }
        }
        weighed.extend((0..count).map(|j| weigh(&gathered[j * length..][..length])));
    }
    weighed
}

/// Demands that `result` is that of a form, entry by entry, as inner products: for systems that cannot draw random
/// vectors after all three. `name` is printed with the number of the entry that fails.
///
/// # Errors
/// Those of `backend`.
///
/// # Panics
/// Where the lengths do not fit.
pub fn assert_bilinear_entries<B: Polynomials + ?Sized>(
    backend: &mut B,
    form: &Bilinear,
    (first, second, result): Lists<'_, B::F, B::Wire>,
    name: &dyn Display,
) -> Result<()> {
    form.check([first.len(), second.len(), result.len()]);
    let (mut xs, mut ys) = (Zeroizing::new(Vec::new()), Zeroizing::new(Vec::new()));
    let mut factors = Vec::new();
    form.entries(&mut |entry, products| {
        xs.clear();
        xs.extend(products.iter().map(|(x, _)| first[*x]));
        let sum = match second {
            Entries::Public(second) => {
                factors.clear();
                factors.extend(products.iter().map(|(_, y)| second[*y]));
                let sum = backend.linear(&factors, &xs);
                backend.vector(&[sum])
            }
            Entries::Wires(second) => {
                ys.clear();
                ys.extend(products.iter().map(|(_, y)| second[*y]));
                backend.inner_product(&xs, &ys)?
            }
        };
        let negated = backend.scale(result[entry], -B::F::ONE);
        let negated = backend.vector(&[negated]);
        let difference = backend.sum(&sum, &negated);
        backend.assert_zeroes(difference, format_args!("{name}[{entry}]"))
    })
}
