//! Values of a circuit as Python has them: what operators and methods they have.
//!
//! What is wrong about a shape is found here, on the line that asks for it.

mod methods;
mod operators;

pub(crate) use methods::array_of;

use crate::errors::invalid;
use crate::kinds::Kind;
use crate::run::pass::Pass;
use crate::tape::{Binary, Id, Op, Unary};
use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyInt, PyList, PySlice};
use std::sync::Arc;

/// A value on wires: a bit, a word, an element of a field, a string of bytes, or an array of them.
#[pyclass(frozen, module = "volery")]
pub(crate) struct Wire {
    pub(crate) pass: Arc<Pass>,
    pub(crate) id: Id,
    pub(crate) kind: Kind,
}

impl Drop for Wire {
    fn drop(&mut self) {
        self.pass.release(self.id);
    }
}

/// The other operand beside a value: another value, or one made of a number of Python.
pub(crate) enum Operand<'py> {
    Wire(PyRef<'py, Wire>),
    Made(Wire),
}

impl std::ops::Deref for Operand<'_> {
    type Target = Wire;

    fn deref(&self) -> &Wire {
        match self {
            Self::Wire(wire) => wire,
            Self::Made(wire) => wire,
        }
    }
}

impl Wire {
    pub(crate) fn new(pass: Arc<Pass>, id: Id, kind: Kind) -> Self {
        Self { pass, id, kind }
    }

    /// `value` as an operand beside this one: a value of the same run, or a constant of a kind that goes with
    /// it. `None` where it is neither.
    pub(crate) fn beside<'py>(&self, value: &Bound<'py, PyAny>) -> PyResult<Option<Operand<'py>>> {
        if let Ok(wire) = value.cast::<Self>() {
            let wire = wire.borrow();
            self.same_run(&wire)?;
            return Ok(Some(Operand::Wire(wire)));
        }
        let kind = if value.is_instance_of::<PyInt>() {
            self.kind.lane()
        } else if value.is_instance_of::<PyList>()
            || value.is_instance_of::<PyBytes>()
            || value.hasattr("tolist")?
        {
            self.kind.clone()
        } else {
            return Ok(None);
        };
        self.pass.constant(value, &kind).map(|made| Some(Operand::Made(made)))
    }

    /// Refuses a value of another run.
    pub(crate) fn same_run(&self, other: &Self) -> PyResult<()> {
        self.pass.beside(&other.pass)
    }

    /// `value`, demanding that it is a value of exactly this kind, or can be made one.
    pub(crate) fn exactly<'py>(
        pass: &Arc<Pass>,
        value: &Bound<'py, PyAny>,
        kind: &Kind,
        what: &str,
    ) -> PyResult<Operand<'py>> {
        if let Ok(wire) = value.cast::<Self>() {
            let wire = wire.borrow();
            pass.beside(&wire.pass)?;
            if wire.kind != *kind {
                return Err(PyTypeError::new_err(format!("{what} is to be {kind}, and is {}", wire.kind)));
            }
            return Ok(Operand::Wire(wire));
        }
        pass.constant(value, kind).map(Operand::Made)
    }

    /// The kind of what an operator makes of two values lane by lane: of the same kinds, or one of one lane.
    fn common(&self, other: &Self, symbol: &str) -> PyResult<Kind> {
        let (x, y) = (&self.kind, &other.kind);
        if x == y || *y == x.lane() {
            return Ok(x.clone());
        }
        if *x == y.lane() {
            return Ok(y.clone());
        }
        let advice = match (x.lane(), y.lane()) {
            (Kind::Word(a), Kind::Word(b)) | (Kind::Int(a), Kind::Int(b)) if a != b => {
                ": the widths differ; widen one by .widen(n), or take low bits by [:n]"
            }
            (Kind::Word(_), Kind::Int(_)) | (Kind::Int(_), Kind::Word(_)) => {
                ": one has a sign; see .signed() and .unsigned()"
            }
            _ => "",
        };
        Err(PyTypeError::new_err(format!("{x} {symbol} {y}{advice}")))
    }

    /// An operator that makes a value of the kind of its operands.
    pub(crate) fn binary(
        &self,
        py: Python<'_>,
        operator: Binary,
        other: &Self,
        symbol: &str,
    ) -> PyResult<Self> {
        let kind = self.common(other, symbol)?;
        self.check(operator, symbol)?;
        let width = kind.lane().size();
        self.pass.emit(py, kind, |out| Op::Binary { operator, width, out, a: self.id, b: other.id })
    }

    /// Refuses an operator that the kind has not.
    fn check(&self, operator: Binary, symbol: &str) -> PyResult<()> {
        use Binary::{Add, And, AtMost, Divide, Less, Mul, Or, Quotient, Remainder, Sub, Xor};
        let lane = self.kind.lane();
        let has = match operator {
            Add | Sub | Mul => lane != Kind::Bit,
            And | Or | Xor => lane != Kind::Element,
            Quotient | Remainder => matches!(lane, Kind::Word(_)),
            Divide => lane == Kind::Element,
            Less | AtMost => matches!(lane, Kind::Word(_) | Kind::Int(_)),
            _ => true,
        };
        if has {
            return Ok(());
        }
        let advice = match (operator, &lane) {
            (Add | Sub | Mul, Kind::Bit) => ": of bits there are & | ^ ~",
            (Less | AtMost, Kind::Element) => {
                ": elements have no order; see assert_range, and .bits(n) for numbers below 2^n"
            }
            (Quotient | Remainder, Kind::Int(_)) => ": divide absolute values, as .unsigned()",
            (Quotient | Remainder, Kind::Element) => ": elements are divided by /",
            (Divide, _) => ": words are divided by // and %",
            (And | Or | Xor, Kind::Element) => ": elements are no words of bits; see .bits(n)",
            _ => "",
        };
        Err(PyTypeError::new_err(format!("{lane} has no {symbol}{advice}")))
    }

    pub(crate) fn unary(&self, py: Python<'_>, operator: Unary, by: u32, kind: Kind) -> PyResult<Self> {
        let width = self.kind.lane().size();
        self.pass.emit(py, kind, |out| Op::Unary { operator, width, out, a: self.id, by })
    }

    /// The elements from `start` on, in `count` runs of a width.
    pub(crate) fn cut(
        &self,
        py: Python<'_>,
        kind: Kind,
        (start, step, count, width): (u32, i32, u32, u32),
    ) -> PyResult<Self> {
        self.pass.emit(py, kind, |out| Op::Slice { out, a: self.id, start, step, count, width })
    }

    /// The value as another kind of the same size.
    pub(crate) fn as_kind(&self, py: Python<'_>, kind: Kind) -> PyResult<Self> {
        let width = self.kind.size();
        self.cut(py, kind, (0, 1, 1, width))
    }

    /// The item at a place.
    pub(crate) fn item(&self, py: Python<'_>, at: i64) -> PyResult<Self> {
        let Some((length, of)) = self.kind.items() else {
            return Err(PyTypeError::new_err(format!("{} has no items", self.kind)));
        };
        let place = if at < 0 { at + i64::from(length) } else { at };
        let place = u32::try_from(place).ok().filter(|place| *place < length);
        let place = place.ok_or_else(|| PyIndexError::new_err(format!("item {at} of {}", self.kind)))?;
        let width = of.size();
        self.cut(py, of, (place * width, 1, 1, width))
    }

    /// The items of a slice.
    fn part(&self, slice: &Bound<'_, PySlice>) -> PyResult<Self> {
        let py = slice.py();
        let Some((length, of)) = self.kind.items() else {
            return Err(PyTypeError::new_err(format!("{} has no items", self.kind)));
        };
        let range = slice.indices(length as isize)?;
        let count = range.slicelength as u32;
        if count == 0 && !matches!(self.kind, Kind::Bytes(_) | Kind::Array(..)) {
            return Err(invalid(format!("no bits of {}: a word has at least one", self.kind)));
        }
        let width = of.size();
        let (start, step) = (range.start as u32 * width, range.step as i32 * width as i32);
        self.cut(py, self.kind.of_items(count), (start, step, count, width))
    }

    /// Whether two values are the same, as one bit.
    fn equal(&self, py: Python<'_>, other: &Self) -> PyResult<Self> {
        self.common(other, "==")?;
        if self.kind.size() == 0 {
            return self.pass.constant(PyInt::new(py, 1).as_any(), &Kind::Bit);
        }
        let (x, mut lanes) = (self, self.kind.size() / self.kind.lane().size());
        let bit = if self.kind.lane() == Kind::Element { Kind::Element } else { Kind::Bit };
        if bit == Kind::Element && lanes > 1 {
            return Err(PyTypeError::new_err(format!(
                "{} has no ==: compare items, or demand it by assert_equal",
                self.kind
            )));
        }
        let of =
            |lanes: u32| if lanes == 1 { bit.clone() } else { Kind::Array(Arc::new(bit.clone()), lanes) };
        let width = self.kind.lane().size();
        let operator = Binary::Equal;
        let mut equal =
            self.pass.emit(py, of(lanes), |out| Op::Binary { operator, width, out, a: x.id, b: other.id })?;
        // Bits are words of up to 128 of them, which are to be all ones.
        while lanes > 1 {
            let width = lanes.min(crate::kinds::WIDEST);
            let (whole, rest) = (lanes / width, lanes % width);
            let mut parts = Vec::new();
            if rest > 0 {
                let start = (whole * width) as i32;
                parts.push(equal.cut(py, Kind::Word(rest), (start as u32, 1, 1, rest))?.all_ones(py, rest)?);
            }
            let words =
                equal.cut(py, Kind::Array(Arc::new(Kind::Word(width)), whole), (0, 1, 1, whole * width))?;
            parts.push(words.all_ones(py, width)?);
            lanes = whole + u32::from(rest > 0);
            equal = join(py, &self.pass, &parts.iter().collect::<Vec<_>>(), of(lanes))?;
        }
        Ok(equal)
    }

    /// The bits that say of each lane, a word of this width, whether its bits are all ones.
    fn all_ones(&self, py: Python<'_>, width: u32) -> PyResult<Self> {
        let lanes = self.kind.size() / width;
        let value = u128::MAX >> (128 - width);
        let ones = self.pass.emit(py, Kind::Word(width), |out| Op::Number { out, value, width })?;
        let operator = Binary::Equal;
        let kind = Kind::Array(Arc::new(Kind::Bit), lanes);
        self.pass.emit(py, kind, |out| Op::Binary { operator, width, out, a: self.id, b: ones.id })
    }
}

/// The concatenation of values, as one value of `kind`.
pub(crate) fn join(py: Python<'_>, pass: &Arc<Pass>, parts: &[&Wire], kind: Kind) -> PyResult<Wire> {
    let parts = parts.iter().map(|part| part.id).collect();
    pass.emit(py, kind, |out| Op::Concat { out, parts })
}
