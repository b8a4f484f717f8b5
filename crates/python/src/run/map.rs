//! Functions on lanes: each runs once, for all of them.

use crate::errors::invalid;
use crate::kinds::Kind;
use crate::run::pass::Pass;
use crate::run::types::sized;
use crate::run::wire::{Operand, Wire, array_of};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use std::sync::Arc;

/// Calls a function on the items of arrays, lane by lane: in lane i it gets item i of each. What it returns, one
/// value, a tuple of several or none, is returned as arrays with an item for each lane.
///
/// No lane depends on another, and the function is run once for all of them: so it is recorded once, and a system
/// that can proves many lanes at a time. It takes values of outside only as items of arrays, but for memories and
/// tables, which may be accessed, and are made outside.
///
/// `volery.witness(name, kind)` in it asks for a private input of each lane. The value that is given for the name is
/// a list of those, one for each lane; they are taken lane by lane, as if the function were called in a loop. An
/// assertion that does not hold is told with its lane, `lanes` of `volery.Unsatisfied`.
#[pyfunction]
#[pyo3(signature = (function, /, *arrays), text_signature = "(function, /, *arrays)")]
pub(crate) fn map(function: &Bound<'_, PyAny>, arrays: &Bound<'_, PyTuple>) -> PyResult<Py<PyAny>> {
    let (py, pass) = (function.py(), Pass::current()?);
    if !function.is_callable() {
        let kind = function.get_type().name()?;
        return Err(PyTypeError::new_err(format!("volery.map takes a function first, and this is {kind}")));
    }
    let arrays = arrays.iter().map(|array| values(&pass, &array)).collect::<PyResult<Vec<_>>>()?;
    let mut lanes = None;
    let mut items = Vec::with_capacity(arrays.len());
    for array in &arrays {
        let Some((length, item)) = array.kind.items() else {
            return Err(PyTypeError::new_err(format!("volery.map over {}, which has no items", array.kind)));
        };
        if *lanes.get_or_insert(length) != length {
            let kinds: Vec<_> = arrays.iter().map(|array| array.kind.to_string()).collect();
            return Err(invalid(format!(
                "volery.map over {}: all have as many items, one for each lane",
                kinds.join(" and ")
            )));
        }
        items.push((array.id, item));
    }
    let lanes = lanes.filter(|lanes| *lanes > 0);
    let lanes =
        lanes.ok_or_else(|| invalid("volery.map over no lanes: arrays with items say how many there are"))?;

    let (inside, items) = pass.open_map(py, lanes, &items)?;
    let ran = inside.enter(|| -> PyResult<_> {
        let returned = function.call1(PyTuple::new(py, items)?)?;
        let results = Results::of(&inside, &returned)?;
        let array =
            |kind: &Kind| sized(kind.clone(), lanes, |count| Kind::Array(Arc::new(kind.clone()), count));
        let kinds = results.wires.iter().map(|one| Ok((one.id, one.kind.clone(), array(&one.kind)?)));
        let kinds = kinds.collect::<PyResult<Vec<_>>>()?;
        Ok((pass.close_map(&inside, &kinds)?, results.is_one))
    });
    match ran {
        Ok((arrays, true)) => {
            let array = arrays.into_iter().next().expect("one result");
            Ok(Py::new(py, array)?.into_any())
        }
        Ok((arrays, false)) if arrays.is_empty() => Ok(py.None()),
        Ok((arrays, false)) => Ok(PyTuple::new(py, arrays)?.into_any().unbind()),
        Err(why) => {
            inside.drop_map();
            Err(why)
        }
    }
}

/// A value with items, or one made of a list of values.
fn values<'py>(pass: &Arc<Pass>, array: &Bound<'py, PyAny>) -> PyResult<Operand<'py>> {
    if let Ok(wire) = array.cast::<Wire>() {
        let wire = wire.borrow();
        pass.beside(&wire.pass)?;
        return Ok(Operand::Wire(wire));
    }
    let is_list = array.is_instance_of::<PyList>() || array.is_instance_of::<PyTuple>();
    let Some(items) = array.extract::<Vec<PyRef<'_, Wire>>>().ok().filter(|_| is_list) else {
        let kind = array.get_type().name()?;
        return Err(PyTypeError::new_err(format!(
            "volery.map takes arrays, or lists of values, and this is {kind}: of public ones write \
             Array[Word[32], 10](…)"
        )));
    };
    if items.is_empty() {
        return Err(invalid("volery.map over no lanes: arrays with items say how many there are"));
    }
    let array = array_of(array.py(), &items)?;
    pass.beside(&array.pass)?;
    Ok(Operand::Made(array))
}

/// Values that the function gives in one lane.
struct Results<'py> {
    wires: Vec<PyRef<'py, Wire>>,
    /// Whether it is a value, and no tuple of some.
    is_one: bool,
}

impl<'py> Results<'py> {
    fn of(inside: &Arc<Pass>, returned: &Bound<'py, PyAny>) -> PyResult<Self> {
        let is_tuple = returned.is_instance_of::<PyTuple>() || returned.is_instance_of::<PyList>();
        let values = match returned {
            returned if returned.is_none() => Vec::new(),
            returned if is_tuple => returned.try_iter()?.collect::<PyResult<_>>()?,
            returned => vec![returned.clone()],
        };
        let mut wires = Vec::with_capacity(values.len());
        for value in &values {
            let Ok(wire) = value.cast::<Wire>() else {
                let kind = value.get_type().name()?;
                return Err(PyTypeError::new_err(format!(
                    "the function of volery.map returns values, and this is {kind}: a public one is written Word[8](3)"
                )));
            };
            let wire = wire.borrow();
            inside.beside(&wire.pass)?;
            wires.push(wire);
        }
        Ok(Self { wires, is_one: !is_tuple && !returned.is_none() })
    }
}
