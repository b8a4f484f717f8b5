//! Operators that move elements and compute nothing: each element of the output is one of an input, or zero.
//!
//! One description serves the shapes of constants, the run over integers and later wires: whatever is moved.

mod stretches;

pub(crate) use stretches::Stretch;

use super::call::Call;
use crate::stored::count;
use volery_channel::error::Result;

/// A move of elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Places {
    /// All elements in their order: another shape alone.
    Same,
    /// Elements by an axis each of the output, whose places in the source add up.
    Select(Vec<Axis>),
    /// Inputs one after the other, as rows of the first: of each this many elements in turn.
    Concat(Vec<usize>),
}

/// An axis of an output: which elements of the source its coordinates stand for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    /// The length in the output.
    pub length: usize,
    /// The elements of the source between two along its axis.
    stride: usize,
    /// The length of the source's axis; a place beyond it is padding, and zero.
    source: usize,
    /// The places.
    places: Along,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Along {
    /// Evenly.
    Steps { start: i64, step: i64 },
    /// One after the other, as a list has them.
    Listed(Vec<usize>),
}

impl Axis {
    /// The offset in the source of the element at `coordinate`, or none in padding.
    fn offset(&self, coordinate: usize) -> Option<usize> {
        let place = match &self.places {
            Along::Steps { start, step } => usize::try_from(start + step * coordinate as i64).ok()?,
            Along::Listed(list) => list[coordinate],
        };
        (place < self.source).then_some(place * self.stride)
    }

    fn whole(length: usize, stride: usize) -> Self {
        Self { length, stride, source: length, places: Along::Steps { start: 0, step: 1 } }
    }
}

impl Places {
    /// Whether an axis is gone along backwards.
    pub(crate) fn reverses(&self) -> bool {
        self.axes().iter().any(|axis| matches!(axis.places, Along::Steps { step: ..0, .. }))
    }

    /// Whether elements at an end of an axis are left out.
    pub(crate) fn cuts(&self) -> bool {
        self.axes().iter().any(|axis| match axis.places {
            Along::Steps { start, .. } => start > 0 || start + (axis.length as i64) < axis.source as i64,
            Along::Listed(_) => false,
        })
    }

    /// Hands numbers to `out` that no other move has.
    pub(crate) fn describe(&self, out: &mut dyn FnMut(i64)) {
        let mut length = |length: usize| out(length as i64);
        match self {
            Self::Same => length(0),
            Self::Concat(widths) => [1, widths.len()].iter().chain(widths).for_each(|&width| length(width)),
            Self::Select(axes) => {
                [2, axes.len()].into_iter().for_each(&mut length);
                for Axis { length, stride, source, places } in axes {
                    [length, stride, source].into_iter().for_each(|&length| out(length as i64));
                    match places {
                        Along::Steps { start, step } => [0, *start, *step].into_iter().for_each(&mut *out),
                        Along::Listed(list) => {
                            [1, list.len()].iter().chain(list).for_each(|&place| out(place as i64));
                        }
                    }
                }
            }
        }
    }

    fn axes(&self) -> &[Axis] {
        if let Self::Select(axes) = self { axes } else { &[] }
    }

    /// The output, of `count` elements, of values in row-major order.
    pub fn apply<T: Copy + Default>(&self, inputs: &[&[T]], count: usize) -> Vec<T> {
        let mut output = Vec::with_capacity(count);
        match self {
            Self::Concat(widths) => {
                for row in 0..count.checked_div(widths.iter().sum()).unwrap_or(0) {
                    for (input, width) in inputs.iter().zip(widths) {
                        output.extend_from_slice(&input[row * width..][..*width]);
                    }
                }
            }
            _ => self.stretches(inputs[0], &mut |stretch| match stretch {
                Stretch::Row(row) => output.extend_from_slice(row),
                Stretch::Repeated(value, length) => output.resize(output.len() + length, value),
                Stretch::Every(step, source) => output.extend(source.iter().step_by(step)),
                Stretch::Each(each, _) => output.extend(each),
            }),
        }
        output
    }
}

/// Elements of a source between two along each of its axes.
pub(crate) fn strides(shape: &[usize]) -> Vec<usize> {
    let mut strides = vec![1; shape.len()];
    for i in (1..shape.len()).rev() {
        strides[i - 1] = strides[i] * shape[i];
    }
    strides
}

/// The axes that leave all in its place.
fn whole(shape: &[usize]) -> Vec<Axis> {
    shape.iter().zip(strides(shape)).map(|(&length, stride)| Axis::whole(length, stride)).collect()
}

/// The shape that a broadcast of `shapes` has, if they fit.
pub(crate) fn broadcast(shapes: &[&[usize]]) -> Option<Vec<usize>> {
    let rank = shapes.iter().map(|shape| shape.len()).max()?;
    (0..rank)
        .map(|i| {
            let lengths = shapes.iter().filter_map(|shape| Some(shape[i.checked_sub(rank - shape.len())?]));
            let mut length = 1;
            for one in lengths {
                if one != length && one != 1 {
                    if length != 1 {
                        return None;
                    }
                    length = one;
                }
            }
            Some(length)
        })
        .collect()
}

/// The move that makes a tensor of `source` one of `shape`, which it is broadcast to.
pub(crate) fn expand(source: &[usize], shape: &[usize]) -> Places {
    if source == shape {
        return Places::Same;
    }
    let skipped = shape.len() - source.len();
    let from = whole(source);
    let axes = shape.iter().enumerate().map(|(i, &length)| match i.checked_sub(skipped) {
        Some(i) if source[i] == length => from[i].clone(),
        _ => Axis { length, stride: 0, source: 1, places: Along::Steps { start: 0, step: 0 } },
    });
    Places::Select(axes.collect())
}

/// The move that brings the axes of `shape` into an order.
pub(crate) fn ordered(shape: &[usize], order: &[usize]) -> Places {
    if order.is_sorted() {
        return Places::Same;
    }
    let axes = whole(shape);
    Places::Select(order.iter().map(|&axis| axes[axis].clone()).collect())
}

/// An output with its shape.
pub(super) struct Moved {
    pub places: Places,
    pub shape: Vec<usize>,
}

/// The outputs of a node that moves elements; none where its operator does something else.
pub(super) fn read(call: &Call<'_, '_>) -> Result<Option<Vec<Moved>>> {
    let same = |shape| Ok(Some(vec![Moved { places: Places::Same, shape }]));
    let selected = |axes: Vec<Axis>| {
        let shape = axes.iter().map(|axis| axis.length).collect();
        Ok(Some(vec![Moved { places: Places::Select(axes), shape }]))
    };
    let shape = || call.shape(0);
    match call.operator() {
        "Identity" | "Dropout" => {
            if call.operator() == "Dropout" {
                // Both speak of training, and a mode is refused below.
                call.pass("ratio");
                call.pass("seed");
                if call.constant(2)?.is_some_and(|mode| mode != [0]) {
                    return Err(call.refuse("is in training mode: export the network for inference"));
                }
            }
            same(shape()?.to_vec())
        }
        "Reshape" => same(reshape(call)?),
        "Flatten" => {
            let shape = shape()?;
            let axis = call.integer("axis", 1)?;
            let axis = if axis == shape.len() as i64 { shape.len() } else { call.axis(axis, shape.len())? };
            same(vec![shape[..axis].iter().product(), shape[axis..].iter().product()])
        }
        "Squeeze" => {
            let shape = shape()?;
            let axes = call.list("axes", 1)?.map(|axes| call.axes(&axes, shape.len())).transpose()?;
            if let Some(axes) = &axes
                && let Some(axis) = axes.iter().find(|&&axis| shape[axis] != 1)
            {
                return Err(call.refuse(format!("squeezes axis {axis} of {shape:?}, whose length is not 1")));
            }
            let is_kept = |i: usize| axes.as_ref().map_or(shape[i] != 1, |axes| !axes.contains(&i));
            same((0..shape.len()).filter(|&i| is_kept(i)).map(|i| shape[i]).collect())
        }
        "Unsqueeze" => {
            let mut left = shape()?.iter();
            let axes = call.demand_list("axes", 1)?;
            let rank = left.len() + axes.len();
            let axes = call.axes(&axes, rank)?;
            same((0..rank).map(|i| if axes.contains(&i) { 1 } else { *left.next().unwrap_or(&1) }).collect())
        }
        "Transpose" => {
            let axes = whole(shape()?);
            let order = match call.integers("perm")? {
                Some(order) => call.axes(order, axes.len())?,
                None => (0..axes.len()).rev().collect(),
            };
            if order.len() != axes.len() {
                return Err(call.refuse(format!("permutes {} axes of {}", order.len(), axes.len())));
            }
            selected(order.iter().map(|&i| axes[i].clone()).collect())
        }
        "Slice" => selected(slice(call)?),
        "Split" => split(call).map(Some),
        "Expand" => {
            let source = shape()?;
            let asked = call.lengths(1)?;
            let shape = broadcast(&[source, &asked])
                .ok_or_else(|| call.refuse(format!("cannot expand {source:?} to {asked:?}")))?;
            same_or_expanded(call, source, shape)
        }
        "Pad" => selected(pad(call)?),
        "Gather" => gather(call),
        "Concat" => concat(call),
        _ => Ok(None),
    }
}

fn same_or_expanded(call: &Call<'_, '_>, source: &[usize], shape: Vec<usize>) -> Result<Option<Vec<Moved>>> {
    call.check(&shape)?;
    Ok(Some(vec![Moved { places: expand(source, &shape), shape }]))
}

fn reshape(call: &Call<'_, '_>) -> Result<Vec<usize>> {
    let source = call.shape(0)?;
    let total: usize = source.iter().product();
    let asked = call.demand_constant(1)?;
    let keeps_zeros = call.integer("allowzero", 0)? != 0;
    let mut shape = vec![];
    let mut open = None;
    for (i, &length) in asked.iter().enumerate() {
        shape.push(match length {
            -1 if open.is_none() => {
                open = Some(i);
                1
            }
            0 if !keeps_zeros && i < source.len() => source[i],
            _ => usize::try_from(length)
                .map_err(|_| call.refuse(format!("asks for the shape {asked:?} of {source:?}")))?,
        });
    }
    let known = count(&shape).map_err(|why| call.refuse(format!("asks for a shape that {why}")))?;
    if let Some(i) = open {
        shape[i] = total.checked_div(known).unwrap_or(0);
    }
    if shape.iter().product::<usize>() != total {
        return Err(
            call.refuse(format!("makes {asked:?} of {source:?}, which has another number of elements"))
        );
    }
    Ok(shape)
}

fn slice(call: &Call<'_, '_>) -> Result<Vec<Axis>> {
    let source = call.shape(0)?;
    let mut selected = whole(source);
    let starts = call.demand_list("starts", 1)?;
    let ends = call.demand_list("ends", 2)?;
    let axes = match call.list("axes", 3)? {
        Some(axes) => call.axes(&axes, source.len())?,
        None => (0..starts.len()).collect(),
    };
    let steps = call.constant(4)?.unwrap_or_else(|| vec![1; starts.len()]);
    if [ends.len(), axes.len(), steps.len()] != [starts.len(); 3]
        || axes.iter().any(|&axis| axis >= source.len())
    {
        return Err(call.refuse("has not as many starts as ends, axes and steps"));
    }
    for (i, &axis) in axes.iter().enumerate() {
        let (length, step) = (source[axis] as i64, steps[i]);
        let within = |place: i64| if place < 0 { place.saturating_add(length) } else { place };
        let (start, end) = (within(starts[i]), within(ends[i]));
        let (start, count) = match step {
            1.. => {
                let (start, end) = (start.clamp(0, length), end.clamp(0, length));
                (start, (end - start).max(0).unsigned_abs().div_ceil(step.unsigned_abs()))
            }
            0 => return Err(call.refuse("has a step of 0")),
            _ => {
                let (start, end) = (start.clamp(-1, length - 1), end.clamp(-1, length - 1));
                (start, (start - end).max(0).unsigned_abs().div_ceil(step.unsigned_abs()))
            }
        };
        let stride = selected[axis].stride;
        // Steps between elements stay within the source, whatever one is where there is no second element.
        selected[axis] = Axis {
            length: count as usize,
            stride,
            source: source[axis],
            places: Along::Steps { start, step },
        };
    }
    Ok(selected)
}

fn split(call: &Call<'_, '_>) -> Result<Vec<Moved>> {
    let source = call.shape(0)?;
    let axis = call.axis(call.integer("axis", 0)?, source.len())?;
    let parts = call.outputs();
    let _ = call.integer("num_outputs", 0)?;
    let lengths = match call.list("split", 1)? {
        Some(lengths) => lengths,
        None => {
            let each = source[axis].div_ceil(parts);
            let begins = (0..parts).map(|i| (i * each).min(source[axis]));
            begins.map(|begin| each.min(source[axis] - begin) as i64).collect()
        }
    };
    let sum = lengths.iter().try_fold(0i64, |sum, &length| sum.checked_add(length));
    if lengths.len() != parts || lengths.iter().any(|&length| length < 0) || sum != Some(source[axis] as i64)
    {
        return Err(call.refuse(format!("splits {} into {lengths:?}, for {parts} outputs", source[axis])));
    }
    let mut start = 0;
    let moved = lengths.iter().map(|&length| {
        let mut axes = whole(source);
        axes[axis].length = length as usize;
        axes[axis].places = Along::Steps { start, step: 1 };
        start += length;
        let shape = axes.iter().map(|axis| axis.length).collect();
        Moved { places: Places::Select(axes), shape }
    });
    Ok(moved.collect())
}

fn pad(call: &Call<'_, '_>) -> Result<Vec<Axis>> {
    let source = call.shape(0)?;
    match call.text("mode", "constant")? {
        "constant" => {}
        mode => {
            return Err(
                call.refuse(format!("has the mode {mode:?}: only \"constant\", by zeros, is supported"))
            );
        }
    }
    if call.float("value", 0.0)? != 0.0 || !call.is_zero(2)? {
        return Err(call.refuse("pads by something else than zeros: that is not supported"));
    }
    let pads = call.demand_list("pads", 1)?;
    let axes = match call.constant(3)? {
        Some(axes) => call.axes(&axes, source.len())?,
        None => (0..source.len()).collect(),
    };
    if pads.len() != 2 * axes.len() {
        return Err(call.refuse(format!("has {} pads for {} axes", pads.len(), axes.len())));
    }
    let mut selected = whole(source);
    for (i, &axis) in axes.iter().enumerate() {
        let (before, after) = (pads[i], pads[axes.len() + i]);
        let length = before
            .checked_add(after)
            .and_then(|pad| usize::try_from(pad.checked_add(source[axis] as i64)?).ok());
        let length = length.filter(|_| before.checked_neg().is_some());
        selected[axis].length = length.ok_or_else(|| call.refuse(format!("pads {source:?} by {pads:?}")))?;
        selected[axis].places = Along::Steps { start: -before, step: 1 };
    }
    call.check(&selected.iter().map(|axis| axis.length).collect::<Vec<_>>())?;
    // A start is then no further from 0 than an output is long, or a source.
    Ok(selected)
}

fn gather(call: &Call<'_, '_>) -> Result<Option<Vec<Moved>>> {
    let source = call.shape(0)?;
    let axis = call.axis(call.integer("axis", 0)?, source.len())?;
    let length = source[axis];
    let indices = call.demand_constant(1)?;
    let list = indices.iter().map(|&index| {
        let place = if index < 0 { index + length as i64 } else { index };
        let place = usize::try_from(place).ok().filter(|&place| place < length);
        place.ok_or_else(|| call.refuse(format!("gathers element {index} of {length}")))
    });
    let list: Vec<usize> = list.collect::<Result<_>>()?;
    let mut axes = whole(source);
    axes[axis].length = list.len();
    axes[axis].places = Along::Listed(list);
    let shape = [&source[..axis], call.shape(1)?, &source[axis + 1..]].concat();
    call.check(&shape)?;
    Ok(Some(vec![Moved { places: Places::Select(axes), shape }]))
}

fn concat(call: &Call<'_, '_>) -> Result<Option<Vec<Moved>>> {
    let first = call.shape(0)?;
    let axis = call.axis(call.integer("axis", 1)?, first.len())?;
    let (mut shape, mut widths, mut length) = (first.to_vec(), vec![], 0usize);
    for i in 0..call.inputs() {
        let one = call.shape(i)?;
        let fits = one.len() == first.len() && (0..one.len()).all(|k| k == axis || one[k] == first[k]);
        if !fits {
            return Err(call.refuse(format!("joins {one:?} with {first:?} along axis {axis}")));
        }
        length += one[axis];
        widths.push(one[axis..].iter().product());
    }
    shape[axis] = length;
    Ok(Some(vec![Moved { places: Places::Concat(widths), shape }]))
}
