//! Relations that have names or files, and the values of their ports.

use crate::errors::{Trouble, invalid};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyByteArray, PyBytes, PyDict, PyFloat, PyInt, PyString};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::ffi::OsString;
use volery::circuit::{FixedPoint, Npy, Port, ReadValues, Written};
use volery::{AnyClaim, AnyRelation, AnyStatement};
use volery_cli::failure::refuse_experimental;
use volery_cli::fields::Field;
use volery_cli::values::Reader;
use zeroize::Zeroizing;

/// The relation that `spec` names.
pub(super) fn open(py: Python<'_>, field: Field, spec: &str) -> PyResult<Box<dyn AnyRelation>> {
    refuse_experimental(spec, false).map_err(|why| Trouble::from(why).raised(py, None))?;
    field.open(spec, None).map_err(|why| raised(py, why))
}

/// A relation with its public values.
pub(crate) fn statement(
    py: Python<'_>,
    field: Field,
    spec: &str,
    public: &Bound<'_, PyAny>,
) -> PyResult<Box<dyn AnyStatement>> {
    let mut relation = open(py, field, spec)?;
    let takes = |port: Port| {
        let unit = relation.unit_of(&port.name);
        (port.name, Takes { width: Some(port.width), unit })
    };
    let ports: HashMap<_, _> = ports(&*relation).into_iter().map(takes).collect();
    let other = Takes { width: None, unit: relation.unit() };
    read(public, "public", |name| ports.get(name).copied().unwrap_or(other), relation.public())?;
    relation.state().map_err(|why| raised(py, why))
}

/// A statement with the private values that the relation's ports take.
pub(crate) fn claim(
    py: Python<'_>,
    mut statement: Box<dyn AnyStatement>,
    private: &Bound<'_, PyAny>,
) -> PyResult<Box<dyn AnyClaim>> {
    let named = private.cast::<PyDict>().map(|given| given.keys().iter().collect()).unwrap_or_default();
    let named: Vec<Bound<'_, PyAny>> = named;
    let names = named.iter().map(|name| name.extract()).collect::<PyResult<Vec<String>>>()?;
    let units: HashMap<_, _> = names.iter().map(|name| (name.as_str(), statement.unit_of(name))).collect();
    read(private, "private", |name| Takes { width: None, unit: units[name] }, statement.private())?;
    statement.claim().map_err(|why| raised(py, why))
}

fn raised(py: Python<'_>, why: volery::Error) -> PyErr {
    Trouble::from(why).raised(py, None)
}

fn ports(relation: &dyn AnyRelation) -> Vec<Port> {
    relation.inputs().iter().chain(relation.outputs()).cloned().collect()
}

/// The number of bits or elements that a port takes, where that is known.
#[derive(Clone, Copy)]
struct Takes {
    width: Option<u64>,
    unit: &'static str,
}

/// Reads each value of a dictionary, or what a list has as it is typed on the command line.
fn read(
    given: &Bound<'_, PyAny>,
    what: &str,
    takes: impl Fn(&str) -> Takes,
    values: &mut dyn ReadValues,
) -> PyResult<()> {
    let Ok(given) = given.cast::<PyDict>() else {
        let typed: Vec<OsString> = given.extract()?;
        let read = Reader::default().read(&format!("--{what}"), &typed, values);
        return read.map_err(|why| Trouble::from(why).raised(given.py(), None));
    };
    for (name, value) in given.iter() {
        let name: String = name.extract()?;
        let Takes { width, unit } = takes(&name);
        let written = text(&value, &name, width, unit)?;
        let read = match &written {
            Typed::Text(text) => values.read(&name, Written::Text(text)),
            Typed::Bytes(bytes) => values.read(&name, Written::Content(bytes, None)),
        };
        read.map_err(|why| invalid(format!("{what}: {why}")))?;
    }
    Ok(())
}

/// A value as it is typed.
enum Typed {
    Text(Zeroizing<Vec<u8>>),
    Bytes(Zeroizing<Vec<u8>>),
}

/// A value of Python as it would be on the command line: over F_2 bytes, a number, or bits in the order of
/// wires; over other fields numbers. A string is bytes over F_2, and elsewhere the text that would be typed.
fn text(value: &Bound<'_, PyAny>, name: &str, width: Option<u64>, unit: &str) -> PyResult<Typed> {
    let of_bits = unit == "bit";
    if let Ok(text) = value.cast::<PyString>() {
        let text = Zeroizing::new(text.to_str()?.as_bytes().to_vec());
        return Ok(if of_bits { Typed::Bytes(text) } else { Typed::Text(text) });
    }
    if value.is_instance_of::<PyBytes>() || value.is_instance_of::<PyByteArray>() {
        let bytes = Zeroizing::new(value.extract::<Vec<u8>>()?);
        if of_bits {
            return Ok(Typed::Bytes(bytes));
        }
        return Err(PyTypeError::new_err(format!("{name}: elements are numbers, and this is bytes")));
    }
    if value.is_instance_of::<PyInt>() && !value.is_instance_of::<PyBool>() {
        return number(value, name, width, of_bits);
    }
    if !of_bits && let Some(array) = array(value)? {
        return Ok(Typed::Bytes(array));
    }
    // An array of bytes is the string of them.
    let bytes_of = of_bits && value.hasattr("dtype")? && value.getattr("dtype")?.str()?.to_str()? == "uint8";
    if bytes_of {
        let bytes: Vec<u8> = value.call_method0("tobytes")?.extract()?;
        return Ok(Typed::Bytes(Zeroizing::new(bytes)));
    }
    let list = if value.hasattr("tolist")? {
        value.call_method0("ravel").unwrap_or_else(|_| value.clone()).call_method0("tolist")?
    } else {
        value.clone()
    };
    let mut out = Zeroizing::new(if of_bits { b"0b".to_vec() } else { Vec::new() });
    if !of_bits && let Ok(number) = list.cast::<PyFloat>() {
        return Ok(Typed::Bytes(floats(&[], [number.value()])));
    }
    let Ok(items) = list.try_iter() else {
        if of_bits && list.is_instance_of::<PyBool>() {
            out.push(b'0' + u8::from(list.is_truthy()?));
            return Ok(Typed::Text(out));
        }
        let kind = value.get_type().name()?;
        return Err(PyTypeError::new_err(format!(
            "{name}: an int, a float, bytes, a str, a list or an array, and this is {kind}"
        )));
    };
    for (i, item) in items.enumerate() {
        let item = item?;
        if of_bits {
            let bit: u8 = item.extract().ok().filter(|bit| *bit < 2).ok_or_else(|| {
                invalid(format!("{name}[{i}]: a list over f2 is of bits in the order of wires, 0 and 1"))
            })?;
            out.push(b'0' + bit);
        } else if item.is_instance_of::<PyFloat>() {
            // All of them are real numbers then, as numpy has it.
            let numbers = Zeroizing::new(list.extract::<Vec<f64>>()?);
            return Ok(Typed::Bytes(floats(&[numbers.len()], numbers.iter().copied())));
        } else {
            let digits = Zeroizing::new(item.str()?.to_str()?.to_owned());
            if i > 0 {
                out.push(b',');
            }
            out.extend_from_slice(digits.as_bytes());
        }
    }
    Ok(Typed::Text(out))
}

/// An array of integers or floats, as numpy would write it to a file; none where it is something else.
pub(crate) fn array(value: &Bound<'_, PyAny>) -> PyResult<Option<Zeroizing<Vec<u8>>>> {
    let Ok(kind) = value.getattr("dtype").and_then(|kind| kind.getattr("str")) else { return Ok(None) };
    let kind = kind.str()?;
    let kind = kind.to_str()?;
    if !kind.get(1..2).is_some_and(|kind| "iuf".contains(kind)) {
        return Ok(None);
    }
    let shape: Vec<usize> = value.getattr("shape")?.extract()?;
    let numbers = value.call_method0("tobytes")?;
    Ok(Some(Zeroizing::new([&Npy::head(kind, &shape)[..], numbers.cast::<PyBytes>()?.as_bytes()].concat())))
}

/// Floats as numpy would write them to a file.
fn floats(shape: &[usize], numbers: impl IntoIterator<Item = f64>) -> Zeroizing<Vec<u8>> {
    let head = Npy::head("<f8", shape);
    let length = head.len() + 8 * shape.iter().product::<usize>();
    let mut bytes = Zeroizing::new(Vec::with_capacity(length));
    bytes.extend_from_slice(&head);
    numbers.into_iter().for_each(|number| bytes.extend_from_slice(&number.to_le_bytes()));
    bytes
}

/// A number: over F_2 in as many digits as its port takes.
fn number(value: &Bound<'_, PyAny>, name: &str, width: Option<u64>, of_bits: bool) -> PyResult<Typed> {
    if !of_bits {
        let digits = Zeroizing::new(value.str()?.to_str()?.to_owned());
        return Ok(Typed::Text(Zeroizing::new(digits.as_bytes().to_vec())));
    }
    if value.lt(0)? {
        return Err(invalid(format!("{name}: the number is below zero, and a port takes none that is")));
    }
    let takes: u64 = value.call_method0("bit_length")?.extract()?;
    let width = width.unwrap_or(takes.max(1));
    if takes > width {
        return Err(invalid(format!(
            "{name} is {width} bits wide, and the number given for it takes {takes}"
        )));
    }
    let digits = value.call_method1("__format__", (format!("0{}x", width.div_ceil(4)),))?;
    let digits = Zeroizing::new(digits.extract::<String>()?);
    Ok(Typed::Text(Zeroizing::new([b"0x", digits.as_bytes()].concat())))
}

/// The facts of a relation, as JSON.
pub(super) fn told(relation: &dyn AnyRelation) -> volery::Result<Value> {
    let (shape, warnings) = relation.examine()?;
    let ports = |ports: &[Port]| -> Vec<Value> {
        ports
            .iter()
            .map(|port| {
                let unit = relation.unit_of(&port.name);
                let mut told =
                    json!({"name": port.name, "width": port.width, "unit": unit, "public": port.public});
                if let Some(FixedPoint { exponent, shape, .. }) = &port.fixed_point {
                    (told["exponent"], told["shape"]) = ((*exponent).into(), shape.clone().into());
                }
                told
            })
            .collect()
    };
    Ok(json!({
        "format": relation.format_name(),
        "unit": relation.unit(),
        "inputs": ports(relation.inputs()),
        "outputs": ports(relation.outputs()),
        "gates": {"mul": shape.mul, "add": shape.add, "assert": shape.assert},
        "warnings": warnings,
    }))
}
