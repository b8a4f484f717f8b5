//! Constants that nodes make of shapes and of other constants.

use crate::operator::call::{Call, MOST_FOLDED};
use crate::operator::places;
use crate::stored::{Element, count};
use crate::tensor::{Constant, Tensor};
use volery_channel::error::{Error, Result};

/// The integers of all inputs of a node that moves them, if they are constants that are small.
pub(super) fn moved(call: &Call<'_, '_>) -> Result<Option<Vec<Vec<i64>>>> {
    // What says where elements go is constant anyhow.
    let moved = if call.operator() == "Concat" { call.inputs() } else { 1 };
    let mut constants = vec![];
    for i in 0..moved {
        let tensor = call.input(i)?;
        if tensor.constant.is_none() || tensor.element.is_float() || tensor.count() > MOST_FOLDED {
            return Ok(None);
        }
        constants.push(call.demand_constant(i)?);
    }
    Ok(Some(constants))
}

/// A constant that comes of a node.
pub(super) struct Folded<'f> {
    pub(super) element: Element,
    pub(super) shape: Vec<usize>,
    pub(super) values: Constant<'f>,
}

/// The constant that a node computes of shapes and small constants, and does not only move.
pub(super) fn fold<'f>(call: &Call<'_, 'f>) -> Result<Option<Folded<'f>>> {
    if call.outputs() != 1 {
        return Ok(None);
    }
    let folded =
        |element, shape, values| Ok(Some(Folded { element, shape, values: Constant::Folded(values) }));
    match call.operator() {
        "Shape" => {
            let shape = call.shape(0)?;
            let place = |at: i64| {
                (if at < 0 { at.saturating_add(shape.len() as i64) } else { at }).clamp(0, shape.len() as i64)
            };
            let (start, end) = (place(call.integer("start", 0)?), place(call.integer("end", i64::MAX)?));
            call.finish()?;
            let part = shape.get(start as usize..end as usize).unwrap_or_default();
            folded(Element::Int64, vec![part.len()], part.iter().map(|&length| length as i64).collect())
        }
        "Size" => folded(Element::Int64, vec![], vec![call.input(0)?.count() as i64]),
        "ConstantOfShape" => {
            let shape = call.lengths(0)?;
            let value = call.tensor("value")?;
            let (element, value) = match value {
                Some(value) if value.element.is_float() => return Ok(None),
                Some(value) if value.count() == 1 => (value.element, value.integers(None)?[0]),
                Some(_) => return Err(call.refuse("has a value that is not one number")),
                None => return Ok(None),
            };
            let count: usize = shape.iter().product();
            if count > MOST_FOLDED {
                return Err(call.refuse(format!("makes {count} integers, and {MOST_FOLDED} is the most")));
            }
            folded(element, shape, vec![value; count])
        }
        "Cast" => {
            let source = call.input(0)?;
            let to = Element::of(call.integer("to", 0)?)
                .map_err(|kind| call.refuse(format!("casts to type {kind}, which is not supported")))?;
            call.pass("saturate");
            if source.constant.is_none() || source.element.is_float() || to.is_float() {
                return Ok(None);
            }
            let values = call.demand_constant(0)?;
            if let Some(value) = values.iter().find(|value| !to.holds(**value)) {
                return Err(call.refuse(format!("casts {value} to a type that does not hold it")));
            }
            folded(to, source.shape.clone(), values)
        }
        "Add" | "Sub" | "Mul" | "Div" => {
            let (a, b) = (call.input(0)?, call.input(1)?);
            let is_number = |tensor: &Tensor<'_>| {
                tensor.constant.is_some() && tensor.element == Element::Int64 && tensor.count() <= MOST_FOLDED
            };
            if !is_number(a) || !is_number(b) {
                return Ok(None);
            }
            let Some(shape) = places::broadcast(&[&a.shape, &b.shape]) else { return Ok(None) };
            let count = count(&shape).ok().filter(|&count| count <= MOST_FOLDED);
            let count = count.ok_or_else(|| call.refuse("computes a constant that is too large"))?;
            let of = |i: usize, tensor: &Tensor<'_>| {
                Ok::<_, Error>(
                    places::expand(&tensor.shape, &shape).apply(&[&*call.demand_constant(i)?], count),
                )
            };
            let compute = match call.operator() {
                "Add" => i64::checked_add,
                "Sub" => i64::checked_sub,
                "Mul" => i64::checked_mul,
                _ => i64::checked_div,
            };
            let values: Option<Vec<i64>> =
                of(0, a)?.into_iter().zip(of(1, b)?).map(|(a, b)| compute(a, b)).collect();
            let values = values.ok_or_else(|| call.refuse("computes a constant beyond 64 bits"))?;
            folded(Element::Int64, shape, values)
        }
        _ => Ok(None),
    }
}
