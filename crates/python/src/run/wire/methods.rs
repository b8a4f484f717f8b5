//! Methods of values.

use super::{Wire, join};
use crate::errors::invalid;
use crate::kinds::{Kind, WIDEST};
use crate::run::types::Type;
use crate::tape::{Binary, Op, Unary};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use std::sync::Arc;

impl Wire {
    /// The item at a secret index; demands that there is one.
    pub(super) fn picked(&self, py: Python<'_>, index: &Self, name: Option<&str>) -> PyResult<Self> {
        self.same_run(index)?;
        let Some((length, of)) = self.kind.items() else {
            return Err(PyTypeError::new_err(format!("{} has no items", self.kind)));
        };
        if length == 0 || !matches!(index.kind, Kind::Word(_) | Kind::Element) {
            return Err(PyTypeError::new_err(format!("{} at an index that is {}", self.kind, index.kind)));
        }
        if !self.pass.facts.boolean {
            // There the array becomes a memory.
            self.pass.outside_maps("an item at a secret index of an array of elements")?;
        }
        let name = self.pass.name(py, Some(name.unwrap_or("an index of the array")))?;
        let width = of.size();
        self.pass.emit(py, of, |out| Op::Pick { out, a: self.id, index: index.id, width, name })
    }

    fn width_of(&self, what: &str) -> PyResult<u32> {
        match self.kind.lane() {
            Kind::Word(width) | Kind::Int(width) => Ok(width),
            other => Err(PyTypeError::new_err(format!("{other} has no {what}: words have"))),
        }
    }
}

#[pymethods]
impl Wire {
    /// The kind of value.
    #[getter]
    fn r#type(&self) -> Type {
        Type(self.kind.clone())
    }

    /// The number in so many bits, with zeroes above, or for an Int with its sign.
    fn widen(&self, bits: u32, py: Python<'_>) -> PyResult<Self> {
        let width = self.width_of(".widen")?;
        if bits < width || bits > WIDEST {
            return Err(invalid(format!(
                "{} in {bits} bits: at least {width}, and at most {WIDEST}",
                self.kind
            )));
        }
        let (operator, lane) = match self.kind.lane() {
            Kind::Int(_) => (Unary::WidenSigned, Kind::Int(bits)),
            _ => (Unary::Widen, Kind::Word(bits)),
        };
        let kind = self.kind.with_lane(&lane);
        self.unary(py, operator, bits, kind)
    }

    /// The bits as a number with a sign.
    fn signed(&self, py: Python<'_>) -> PyResult<Self> {
        let width = self.width_of(".signed")?;
        self.as_kind(py, self.kind.with_lane(&Kind::Int(width)))
    }

    /// The bits as a number without a sign.
    fn unsigned(&self, py: Python<'_>) -> PyResult<Self> {
        let width = self.width_of(".unsigned")?;
        self.as_kind(py, self.kind.with_lane(&Kind::Word(width)))
    }

    /// The word turned towards its most significant end.
    fn rotate_left(&self, by: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.turned(by, true)
    }

    /// The word turned towards its least significant end.
    fn rotate_right(&self, by: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.turned(by, false)
    }

    /// The bytes of a word, most significant first, or least where `order` is "little".
    #[pyo3(signature = (order = "big"))]
    fn bytes(&self, order: &str, py: Python<'_>) -> PyResult<Self> {
        let width = self.width_of(".bytes")?;
        if self.kind != self.kind.lane() || width % 8 != 0 {
            return Err(PyTypeError::new_err(format!("{} is no whole number of bytes", self.kind)));
        }
        let count = width / 8;
        self.cut(
            py,
            Kind::Bytes(count),
            if is_big(order)? { (width - 8, -8, count, 8) } else { (0, 8, count, 8) },
        )
    }

    /// The number that bytes are, most significant first, or least where `order` is "little".
    #[pyo3(signature = (order = "big"))]
    fn word(&self, order: &str, py: Python<'_>) -> PyResult<Self> {
        let Kind::Bytes(count) = self.kind else {
            return Err(PyTypeError::new_err(format!("{} has no .word: bytes have", self.kind)));
        };
        if count == 0 || 8 * count > WIDEST {
            return Err(invalid(format!("{} as a word: 1 to {} bytes are", self.kind, WIDEST / 8)));
        }
        let kind = Kind::Word(8 * count);
        self.cut(py, kind, if is_big(order)? { (8 * count - 8, -8, count, 8) } else { (0, 8, count, 8) })
    }

    /// The bits: of words all, least significant first; of an element the `count` lowest, and demands, under
    /// `name`, that there are no others.
    #[pyo3(signature = (count = None, name = None))]
    fn bits(&self, count: Option<u32>, name: Option<&str>, py: Python<'_>) -> PyResult<Self> {
        if self.kind == Kind::Element {
            let count = count.ok_or_else(|| PyTypeError::new_err("how many bits: Element.bits(count)"))?;
            let name = self.pass.name(py, Some(name.unwrap_or("the bits of an element")))?;
            let kind = Kind::Array(Arc::new(Kind::Element), count);
            return self.pass.emit(py, kind, |out| Op::Bits { out, a: self.id, count, name });
        }
        if !self.kind.is_of_bits() || count.is_some_and(|count| count != self.kind.size()) {
            return Err(PyTypeError::new_err(format!("{} has {} bits", self.kind, self.kind.size())));
        }
        let size = self.kind.size();
        self.as_kind(py, Kind::Array(Arc::new(Kind::Bit), size))
    }

    /// The sum of all items.
    fn sum(&self, py: Python<'_>) -> PyResult<Self> {
        let lane = self.kind.lane();
        if !matches!(self.kind, Kind::Array(..)) || matches!(lane, Kind::Bit) {
            return Err(PyTypeError::new_err(format!("{} has no .sum: arrays of numbers have", self.kind)));
        }
        let width = lane.size();
        self.pass.emit(py, lane, |out| Op::Sum { out, a: self.id, width })
    }

    /// The inner product with another array of elements: one commitment, whatever the length.
    fn dot(&self, other: &Bound<'_, PyAny>, py: Python<'_>) -> PyResult<Self> {
        if self.kind.lane() != Kind::Element {
            return Err(PyTypeError::new_err(format!("{} has no .dot: arrays of elements have", self.kind)));
        }
        let other = Self::exactly(&self.pass, other, &self.kind, "the other factor")?;
        self.pass.emit(py, Kind::Element, |out| Op::Dot { out, a: self.id, b: other.id })
    }

    /// The product of a public matrix, a list of rows, and this vector of elements.
    fn map(&self, matrix: &Bound<'_, PyAny>, py: Python<'_>) -> PyResult<Self> {
        let Kind::Array(of, length) = &self.kind else {
            return Err(PyTypeError::new_err(format!("{} has no .map: arrays of elements have", self.kind)));
        };
        if **of != Kind::Element {
            return Err(PyTypeError::new_err(format!("{} has no .map: arrays of elements have", self.kind)));
        }
        let rows = matrix.len()? as u32;
        let shape = Kind::Array(Arc::new(self.kind.clone()), rows);
        let entries = crate::values::numbers(matrix, &shape, self.pass.facts, "the matrix")?;
        if rows == 0 || *length == 0 {
            return Err(invalid("a matrix without entries"));
        }
        let kind = Kind::Array(Arc::new(Kind::Element), rows);
        self.pass.emit(py, kind, |out| Op::Matrix { out, matrix: entries.as_slice().into(), a: self.id })
    }

    /// The item at a secret index, and demands, under `name`, that there is one: as `self[index]`.
    #[pyo3(signature = (index, name = None))]
    fn at(&self, index: PyRef<'_, Self>, name: Option<&str>, py: Python<'_>) -> PyResult<Self> {
        self.picked(py, &index, name)
    }
}

impl Wire {
    fn turned(&self, by: &Bound<'_, PyAny>, left: bool) -> PyResult<Self> {
        let py = by.py();
        let what = if left { ".rotate_left" } else { ".rotate_right" };
        let width = self.width_of(what)?;
        if let Ok(by) = by.cast::<Self>() {
            if !width.is_power_of_two() || width < 8 {
                return Err(PyTypeError::new_err(format!(
                    "{}{what} by a secret count: widths of 8, 16, 32, 64 and 128 bits turn so",
                    self.kind
                )));
            }
            let operator = if left { Binary::RotateLeft } else { Binary::RotateRight };
            let by = by.borrow();
            self.same_run(&by)?;
            return self.moved(py, operator, &by, what);
        }
        let by = by.extract::<i64>()?.rem_euclid(i64::from(width)) as u32;
        let by = if left { by } else { width - by };
        self.unary(py, Unary::RotateLeft, by, self.kind.clone())
    }
}

fn is_big(order: &str) -> PyResult<bool> {
    match order {
        "big" => Ok(true),
        "little" => Ok(false),
        _ => Err(invalid(format!("the order of bytes is \"big\" or \"little\", and not \"{order}\""))),
    }
}

/// Values one after the other: strings of bytes as one, words as one with the first lowest, and others as an
/// array.
pub(crate) fn array_of(py: Python<'_>, parts: &[PyRef<'_, Wire>]) -> PyResult<Wire> {
    let first = parts.first().ok_or_else(|| invalid("an array of nothing: its kind is not known"))?;
    for part in parts {
        first.same_run(part)?;
        if part.kind != first.kind {
            return Err(PyTypeError::new_err(format!("an array of {} and {}", first.kind, part.kind)));
        }
    }
    let kind = Kind::Array(Arc::new(first.kind.clone()), parts.len() as u32);
    join(py, &first.pass, &parts.iter().map(|part| &**part).collect::<Vec<_>>(), kind)
}
