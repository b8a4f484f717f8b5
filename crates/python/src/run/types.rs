//! Kinds of values as Python writes them: `Word[32]`, `Array[Bytes[4], 10]`.

use crate::errors::invalid;
use crate::kinds::{Kind, WIDEST};
use crate::run::pass::Pass;
use crate::run::wire::Wire;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The most elements of a value.
const LARGEST: u64 = 1 << 28;

/// A kind of value.
#[pyclass(frozen, eq, module = "volery", name = "Type", from_py_object)]
#[derive(Clone, PartialEq)]
pub(crate) struct Type(pub(crate) Kind);

#[pymethods]
impl Type {
    /// A public value of this kind, in a function that runs.
    fn __call__(&self, value: &Bound<'_, PyAny>) -> PyResult<Wire> {
        Pass::current()?.constant(value, &self.0)
    }
    fn __repr__(&self) -> String {
        self.0.to_string()
    }
    /// The form that `pickle` keeps: the name of its family, and the arguments in brackets.
    fn __reduce__(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let family = |name: &str, of: Bound<'_, PyAny>| -> PyResult<Py<PyAny>> {
            let family = py.import("volery")?.getattr(name)?;
            let call = py.import("operator")?.getattr("getitem")?;
            Ok((call, (family, of)).into_pyobject(py)?.into_any().unbind())
        };
        let number = |count: u32| count.into_pyobject(py).map(Bound::into_any);
        match &self.0 {
            Kind::Bit | Kind::Element => {
                let call = py.import("volery._volery")?.getattr("kind_named")?;
                Ok((call, (self.0.to_string(),)).into_pyobject(py)?.into_any().unbind())
            }
            Kind::Word(width) => family("Word", number(*width)?),
            Kind::Int(width) => family("Int", number(*width)?),
            Kind::Bytes(length) => family("Bytes", number(*length)?),
            Kind::Array(of, length) => {
                family("Array", (Self((**of).clone()), *length).into_pyobject(py)?.into_any())
            }
        }
    }
    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.0.hash(&mut hasher);
        hasher.finish()
    }
    /// The bits, or elements of a field, of a value.
    #[getter]
    fn size(&self) -> u32 {
        self.0.size()
    }
}

impl From<Type> for Kind {
    fn from(kind: Type) -> Self {
        kind.0
    }
}

/// A kind without brackets, by its name.
#[pyfunction]
pub(crate) fn kind_named(name: &str) -> PyResult<Type> {
    [Kind::Bit, Kind::Element]
        .into_iter()
        .find(|kind| kind.to_string() == name)
        .map(Type)
        .ok_or_else(|| invalid(format!("no kind of value is called {name}")))
}

/// A kind that has a width, or a length, in brackets.
#[pyclass(frozen, module = "volery")]
pub(crate) struct Family(pub(crate) &'static str);

#[pymethods]
impl Family {
    fn __getitem__(&self, of: &Bound<'_, PyAny>) -> PyResult<Type> {
        let small = |count: u32, most: u32| {
            if count == 0 || count > most {
                return Err(invalid(format!("{}[{count}]: a width is from 1 to {most}", self.0)));
            }
            Ok(count)
        };
        Ok(Type(match self.0 {
            "Word" => Kind::Word(small(of.extract()?, WIDEST)?),
            "Int" => Kind::Int(small(of.extract()?, WIDEST)?),
            "Bytes" => sized(Kind::Word(8), of.extract()?, Kind::Bytes)?,
            _ => {
                let parts = of.cast::<PyTuple>().ok().filter(|parts| parts.len() == 2);
                let parts = parts.ok_or_else(|| PyTypeError::new_err("write Array[Word[32], 10]"))?;
                let item: Type = parts.get_item(0)?.extract()?;
                let item = item.0;
                sized(item.clone(), parts.get_item(1)?.extract()?, |count| {
                    Kind::Array(Arc::new(item), count)
                })?
            }
        }))
    }
    fn __repr__(&self) -> &'static str {
        self.0
    }
    /// The form that `pickle` keeps: its name.
    fn __reduce__(&self) -> &'static str {
        self.0
    }
}

/// The kind that `make` makes of so many items.
///
/// # Errors
/// Where the value is too large.
pub(super) fn sized(item: Kind, count: u32, make: impl FnOnce(u32) -> Kind) -> PyResult<Kind> {
    if u64::from(item.size()) * u64::from(count) > LARGEST {
        return Err(invalid(format!("{count} of {item}: more than 2^28 elements in one value")));
    }
    Ok(make(count))
}
