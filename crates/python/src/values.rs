//! Values of Python as numbers of a kind.

use crate::built::Facts;
use crate::errors::invalid;
use crate::kinds::Kind;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyByteArray, PyBytes, PyInt, PyString};
use zeroize::Zeroizing;

/// The numbers in the lanes of `value`, which is called `name` and is of `kind`.
///
/// # Errors
/// Where it is of another kind, with both.
pub(crate) fn numbers(
    value: &Bound<'_, PyAny>,
    kind: &Kind,
    facts: Facts,
    name: &str,
) -> PyResult<Zeroizing<Vec<u128>>> {
    let lanes = kind.size() / kind.lane().size().max(1);
    let mut out = Zeroizing::new(Vec::with_capacity(lanes as usize));
    add(value, kind, facts, name, &mut out)?;
    Ok(out)
}

fn add(
    value: &Bound<'_, PyAny>,
    kind: &Kind,
    facts: Facts,
    name: &str,
    out: &mut Zeroizing<Vec<u128>>,
) -> PyResult<()> {
    match kind {
        Kind::Bit | Kind::Word(_) | Kind::Int(_) | Kind::Element => {
            out.push(number(value, kind, facts, name)?);
        }
        Kind::Bytes(length) => {
            let text = bytes(value).map_err(|_| wrong(name, kind, value, "bytes"))?;
            if text.len() != *length as usize {
                return Err(lengths(name, kind, *length, "byte", text.len()));
            }
            out.extend(text.iter().map(|byte| u128::from(*byte)));
        }
        Kind::Array(of, length) => {
            // Arrays of others give lists of plain numbers.
            let value = if value.hasattr("tolist")? { value.call_method0("tolist")? } else { value.clone() };
            if value.is_instance_of::<PyString>() {
                return Err(wrong(name, kind, &value, "a list"));
            }
            let items: Vec<Bound<'_, PyAny>> = value
                .try_iter()
                .map_err(|_| wrong(name, kind, &value, "a list"))?
                .collect::<PyResult<_>>()?;
            if items.len() != *length as usize {
                return Err(lengths(name, kind, *length, "item", items.len()));
            }
            for (i, item) in items.iter().enumerate() {
                add(item, of, facts, &format!("{name}[{i}]"), out)?;
            }
        }
    }
    Ok(())
}

/// The bytes of a string.
fn bytes(value: &Bound<'_, PyAny>) -> PyResult<Zeroizing<Vec<u8>>> {
    if let Ok(text) = value.cast::<PyBytes>() {
        return Ok(Zeroizing::new(text.as_bytes().to_vec()));
    }
    if value.is_instance_of::<PyByteArray>() || value.hasattr("tobytes")? {
        let text = value.py().get_type::<PyBytes>().call1((value,))?;
        return Ok(Zeroizing::new(text.cast::<PyBytes>()?.as_bytes().to_vec()));
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(Zeroizing::new(text.to_str()?.as_bytes().to_vec()));
    }
    Err(PyTypeError::new_err("no bytes"))
}

/// Converts a number.
fn number(value: &Bound<'_, PyAny>, kind: &Kind, facts: Facts, name: &str) -> PyResult<u128> {
    let value = if value.is_instance_of::<PyInt>() || value.is_instance_of::<PyBool>() {
        value.clone()
    } else {
        // What numpy holds one of says what it is as an index.
        value.call_method0("__index__").map_err(|_| wrong(name, kind, value, "an int"))?
    };
    let negative = value.lt(0)?;
    let range = |least: String, most: String| {
        // The number itself may be a secret.
        invalid(format!("{name}: the number given for {kind} is out of its range, {least} to {most}"))
    };
    match kind {
        Kind::Int(width) => {
            let most = i128::MAX >> (128 - width);
            let out = || range((-most - 1).to_string(), most.to_string());
            let number: i128 = value.extract().map_err(|_| out())?;
            if number > most || number < -most - 1 {
                return Err(out());
            }
            Ok(number as u128 & (u128::MAX >> (128 - width)))
        }
        Kind::Element if negative && facts.prime => {
            let size: u128 =
                value.neg()?.extract().map_err(|_| range("0".into(), facts.largest.to_string()))?;
            if size > facts.largest {
                return Err(range(format!("-{}", facts.largest), facts.largest.to_string()));
            }
            Ok(facts.largest - (size - 1))
        }
        _ => {
            let most = match kind {
                Kind::Element => facts.largest,
                kind => u128::MAX >> (128 - kind.size()),
            };
            let out = || range("0".into(), most.to_string());
            let number: u128 = value.extract().map_err(|_| out())?;
            if number > most { Err(out()) } else { Ok(number) }
        }
    }
}

fn wrong(name: &str, kind: &Kind, value: &Bound<'_, PyAny>, wants: &str) -> PyErr {
    let given = value.get_type().name().map_or_else(|_| "something else".into(), |name| name.to_string());
    PyTypeError::new_err(format!("{name}: {kind} takes {wants}, and this is {given}"))
}

fn lengths(name: &str, kind: &Kind, expected: u32, unit: &str, given: usize) -> PyErr {
    let s = |count: usize| if count == 1 { "" } else { "s" };
    invalid(format!(
        "{name} is {kind}, {expected} {unit}{}, and the value given for it has {given} {unit}{}: nothing is \
         padded in silence",
        s(expected as usize),
        s(given)
    ))
}
