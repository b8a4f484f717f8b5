//! Operators, as people expect them.

use super::{Operand, Wire};
use crate::errors::invalid;
use crate::kinds::Kind;
use crate::tape::{Binary, Op, Unary};
use pyo3::exceptions::{PyNotImplementedError, PyTypeError};
use pyo3::prelude::*;
use pyo3::pyclass::CompareOp;
use pyo3::types::{PyInt, PyList, PySlice};

/// The answer of Python for an operator that does not know its operand.
fn unknown(py: Python<'_>) -> Py<PyAny> {
    py.NotImplemented()
}

impl Wire {
    fn by(
        &self,
        other: &Bound<'_, PyAny>,
        operator: Binary,
        symbol: &str,
        reflected: bool,
    ) -> PyResult<Py<PyAny>> {
        let py = other.py();
        self.check(operator, symbol)?;
        let Some(other) = self.beside(other)? else { return Ok(unknown(py)) };
        let (x, y) = if reflected { (&*other, self) } else { (self, &*other) };
        Ok(Py::new(py, x.binary(py, operator, y, symbol)?)?.into_any())
    }

    fn shift(&self, by: &Bound<'_, PyAny>, left: bool) -> PyResult<Self> {
        let py = by.py();
        let symbol = if left { "<<" } else { ">>" };
        let signed = matches!(self.kind.lane(), Kind::Int(_));
        if !matches!(self.kind.lane(), Kind::Word(_) | Kind::Int(_)) {
            return Err(PyTypeError::new_err(format!("{} has no {symbol}", self.kind.lane())));
        }
        if let Ok(by) = by.cast::<Self>() {
            let by = by.borrow();
            self.same_run(&by)?;
            let operator = match (left, signed) {
                (true, _) => Binary::ShiftLeft,
                (false, false) => Binary::ShiftRight,
                (false, true) => Binary::ShiftSigned,
            };
            return self.moved(py, operator, &by, symbol);
        }
        let by: i64 = by
            .extract()
            .map_err(|_| PyTypeError::new_err(format!("{} {symbol} takes an int, or a Word", self.kind)))?;
        let by = u32::try_from(by)
            .map_err(|_| invalid(format!("{symbol} {by}: the count is negative, or too large")))?;
        let operator = match (left, signed) {
            (true, _) => Unary::ShiftLeft,
            (false, false) => Unary::ShiftRight,
            (false, true) => Unary::ShiftSigned,
        };
        self.unary(py, operator, by, self.kind.clone())
    }

    /// Moved by a secret count.
    pub(super) fn moved(&self, py: Python<'_>, operator: Binary, by: &Self, symbol: &str) -> PyResult<Self> {
        if self.kind != self.kind.lane() || !matches!(by.kind, Kind::Word(_)) {
            return Err(PyTypeError::new_err(format!(
                "{} {symbol} {}: a word is moved by a secret count, a Word, one at a time",
                self.kind, by.kind
            )));
        }
        let width = self.kind.size();
        self.pass.emit(py, self.kind.clone(), |out| Op::Binary { operator, width, out, a: self.id, b: by.id })
    }

    fn compared(&self, other: &Self, how: CompareOp, py: Python<'_>) -> PyResult<Self> {
        let signed = matches!(self.kind.lane(), Kind::Int(_));
        let (operator, swapped, symbol) = match how {
            CompareOp::Eq => return self.equal(py, other),
            CompareOp::Ne => return self.equal(py, other)?.not(py),
            CompareOp::Lt => (Binary::Less, false, "<"),
            CompareOp::Le => (Binary::AtMost, false, "<="),
            CompareOp::Gt => (Binary::Less, true, ">"),
            CompareOp::Ge => (Binary::AtMost, true, ">="),
        };
        self.check(operator, symbol)?;
        let kind = self.common(other, symbol)?;
        let (width, kind) = (kind.lane().size(), kind.with_lane(&Kind::Bit));
        let operator = match (operator, signed) {
            (Binary::Less, true) => Binary::Below,
            (Binary::AtMost, true) => Binary::NotAbove,
            (operator, _) => operator,
        };
        let (a, b) = if swapped { (other.id, self.id) } else { (self.id, other.id) };
        self.pass.emit(py, kind, |out| Op::Binary { operator, width, out, a, b })
    }

    pub(crate) fn not(&self, py: Python<'_>) -> PyResult<Self> {
        self.unary(py, Unary::Not, 0, self.kind.clone())
    }
}

#[pymethods]
impl Wire {
    fn __add__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        if let Kind::Bytes(length) = self.kind {
            return self.followed(other, length, false);
        }
        self.by(other, Binary::Add, "+", false)
    }
    fn __radd__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        if let Kind::Bytes(length) = self.kind {
            return self.followed(other, length, true);
        }
        self.by(other, Binary::Add, "+", true)
    }
    fn __sub__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.by(other, Binary::Sub, "-", false)
    }
    fn __rsub__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.by(other, Binary::Sub, "-", true)
    }
    fn __mul__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.by(other, Binary::Mul, "*", false)
    }
    fn __rmul__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.by(other, Binary::Mul, "*", true)
    }
    fn __floordiv__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.by(other, Binary::Quotient, "//", false)
    }
    fn __rfloordiv__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.by(other, Binary::Quotient, "//", true)
    }
    fn __mod__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.by(other, Binary::Remainder, "%", false)
    }
    fn __rmod__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.by(other, Binary::Remainder, "%", true)
    }
    fn __truediv__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.by(other, Binary::Divide, "/", false)
    }
    fn __rtruediv__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.by(other, Binary::Divide, "/", true)
    }
    fn __and__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.by(other, Binary::And, "&", false)
    }
    fn __rand__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.by(other, Binary::And, "&", true)
    }
    fn __or__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.by(other, Binary::Or, "|", false)
    }
    fn __ror__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.by(other, Binary::Or, "|", true)
    }
    fn __xor__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.by(other, Binary::Xor, "^", false)
    }
    fn __rxor__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.by(other, Binary::Xor, "^", true)
    }
    fn __lshift__(&self, by: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.shift(by, true)
    }
    fn __rshift__(&self, by: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.shift(by, false)
    }
    fn __neg__(&self, py: Python<'_>) -> PyResult<Self> {
        self.check(Binary::Sub, "-")?;
        self.unary(py, Unary::Negate, 0, self.kind.clone())
    }
    fn __pos__(&self, py: Python<'_>) -> PyResult<Self> {
        self.as_kind(py, self.kind.clone())
    }
    fn __invert__(&self, py: Python<'_>) -> PyResult<Self> {
        self.check(Binary::Xor, "~")?;
        self.not(py)
    }
    fn __pow__(&self, exponent: i64, modulo: Option<&Bound<'_, PyAny>>, py: Python<'_>) -> PyResult<Self> {
        if modulo.is_some() || self.kind.lane() != Kind::Element {
            return Err(PyTypeError::new_err(format!("{} has no power of this kind", self.kind)));
        }
        let by = u32::try_from(exponent.unsigned_abs());
        let by = by.map_err(|_| invalid(format!("** {exponent}: the exponent is too large")))?;
        let power = self.unary(py, Unary::Power, by, self.kind.clone())?;
        if exponent < 0 { power.unary(py, Unary::Invert, 0, self.kind.clone()) } else { Ok(power) }
    }
    fn __richcmp__(&self, other: &Bound<'_, PyAny>, how: CompareOp) -> PyResult<Py<PyAny>> {
        let py = other.py();
        let whole = matches!(how, CompareOp::Eq | CompareOp::Ne);
        let beside = if whole && !other.is_instance_of::<Self>() && !other.is_instance_of::<PyInt>() {
            // The other side of == is a whole value.
            Some(Self::exactly(&self.pass, other, &self.kind, "the other side")?)
        } else {
            self.beside(other)?
        };
        let Some(other) = beside else { return Ok(unknown(py)) };
        Ok(Py::new(py, self.compared(&other, how, py)?)?.into_any())
    }
    fn __hash__(&self) -> u64 {
        // Identity: == makes a bit on a wire.
        u64::from(self.id) << 32 | self.kind.size() as u64
    }
    fn __bool__(&self) -> PyResult<bool> {
        Err(PyTypeError::new_err(format!(
            "{} is on wires, and no branch can depend on it: choose by volery.select, or demand it by \
             volery.assert_true",
            self.kind
        )))
    }
    fn __int__(&self) -> PyResult<i64> {
        Err(PyTypeError::new_err(format!("{} is on wires, and has no value here", self.kind)))
    }
    fn __index__(&self) -> PyResult<i64> {
        self.__int__()
    }
    fn __len__(&self) -> PyResult<usize> {
        let items = self.kind.items();
        let (length, _) = items.ok_or_else(|| PyTypeError::new_err(format!("{} has no items", self.kind)))?;
        Ok(length as usize)
    }
    fn __iter__(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let items = (0..self.__len__()? as i64).map(|at| Py::new(py, self.item(py, at)?));
        let items = PyList::new(py, items.collect::<PyResult<Vec<_>>>()?)?;
        Ok(items.as_any().try_iter()?.into_any().unbind())
    }
    fn __getitem__(&self, at: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(index) = at.cast::<Self>() {
            return self.picked(at.py(), &index.borrow(), None);
        }
        match at.cast::<PySlice>() {
            Ok(slice) => self.part(slice),
            Err(_) => self.item(at.py(), at.extract()?),
        }
    }
    fn __setitem__(&self, _at: &Bound<'_, PyAny>, _value: &Bound<'_, PyAny>) -> PyResult<()> {
        Err(PyNotImplementedError::new_err("values do not change: make a new one, or take a volery.Memory"))
    }
    fn __repr__(&self) -> String {
        format!("<{} on wires>", self.kind)
    }
}

impl Wire {
    /// The concatenation of two strings.
    fn followed(&self, other: &Bound<'_, PyAny>, length: u32, reflected: bool) -> PyResult<Py<PyAny>> {
        let py = other.py();
        let other: Operand<'_> = match other.cast::<Self>() {
            Ok(wire) => Operand::Wire(wire.borrow()),
            Err(_) => match other.len() {
                Ok(length) => Operand::Made(self.pass.constant(other, &Kind::Bytes(length as u32))?),
                Err(_) => return Ok(unknown(py)),
            },
        };
        self.same_run(&other)?;
        let Kind::Bytes(more) = other.kind else {
            return Err(PyTypeError::new_err(format!(
                "{} + {}: strings of bytes follow each other",
                self.kind, other.kind
            )));
        };
        let parts = if reflected { [&*other, self] } else { [self, &*other] };
        Ok(Py::new(py, super::join(py, &self.pass, &parts, Kind::Bytes(length + more))?)?.into_any())
    }
}
