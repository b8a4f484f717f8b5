//! Moves as loops go through them: by as many elements at a time as follow one another evenly.

use super::{Along, Axis, Places};

/// Elements of an output that follow one another.
pub(crate) enum Stretch<'s, T> {
    /// Neighbours in the source.
    Row(&'s [T]),
    /// One element, so many times.
    Repeated(T, usize),
    /// Each so many elements of the source one.
    Every(usize, &'s [T]),
    /// Elements one by one, so many.
    Each(&'s mut dyn Iterator<Item = T>, usize),
}

impl<T> Stretch<'_, T> {
    pub(crate) fn length(&self) -> usize {
        match self {
            Self::Row(row) => row.len(),
            Self::Every(step, source) => source.len().div_ceil(*step),
            Self::Repeated(_, length) | Self::Each(_, length) => *length,
        }
    }
}

impl Places {
    /// Hands the elements of an output of one input to `each`, in their order.
    pub(crate) fn stretches<T: Copy + Default>(&self, source: &[T], each: &mut dyn FnMut(Stretch<'_, T>)) {
        let axes = match self {
            Self::Same => return each(Stretch::Row(source)),
            Self::Select(axes) if axes.iter().all(|axis| axis.length > 0) => axes,
            Self::Select(_) => return,
            Self::Concat(_) => unreachable!("one input is not joined with others"),
        };
        let mut joined = vec![Axis::whole(1, 0)];
        for axis in axes {
            match joined.last().and_then(|outer| outer.join(axis)) {
                Some(both) => *joined.last_mut().expect("an axis") = both,
                None => joined.push(axis.clone()),
            }
        }
        let (last, outer) = joined.split_last().expect("an axis");
        walk(source, outer, last, Some(0), each);
    }
}

impl Axis {
    /// The offset of the first element, and the elements between two, where all go upwards evenly and none is padding.
    fn even(&self) -> Option<(usize, usize)> {
        let Along::Steps { start, step } = self.places else { return None };
        let step = if self.length == 1 { 0 } else { usize::try_from(step).ok()? };
        let start = usize::try_from(start).ok()?;
        let last = start + step * (self.length - 1);
        (last < self.source).then_some((start * self.stride, step * self.stride))
    }

    /// One axis for this and the next one, where both together go evenly.
    fn join(&self, inner: &Self) -> Option<Self> {
        let ((start, outer_step), (inner_start, inner_step)) = (self.even()?, inner.even()?);
        let step = if inner.length == 1 { outer_step } else { inner_step };
        let joins = self.length == 1 || outer_step == step * inner.length;
        let places = Along::Steps { start: (start + inner_start) as i64, step: step as i64 };
        joins.then(|| Self { length: self.length * inner.length, stride: 1, source: usize::MAX, places })
    }
}

fn walk<T: Copy + Default>(
    source: &[T],
    outer: &[Axis],
    last: &Axis,
    at: Option<usize>,
    each: &mut dyn FnMut(Stretch<'_, T>),
) {
    if let Some((axis, inner)) = outer.split_first() {
        for coordinate in 0..axis.length {
            let at = at.and_then(|at| Some(at + axis.offset(coordinate)?));
            walk(source, inner, last, at, each);
        }
        return;
    }
    let length = last.length;
    match (at, last.even()) {
        (None, _) => each(Stretch::Repeated(T::default(), length)),
        (Some(at), Some((start, 0))) => each(Stretch::Repeated(source[at + start], length)),
        (Some(at), Some((start, 1))) => each(Stretch::Row(&source[at + start..][..length])),
        (Some(at), Some((start, step))) => {
            each(Stretch::Every(step, &source[at + start..][..(length - 1) * step + 1]));
        }
        (Some(at), None) => {
            let element = |i| last.offset(i).map_or_else(T::default, |offset| source[at + offset]);
            each(Stretch::Each(&mut (0..length).map(element), length));
        }
    }
}
