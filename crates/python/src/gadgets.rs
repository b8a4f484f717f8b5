//! Functions of values: private inputs, choices, hashes and assertions.

use crate::errors::invalid;
use crate::kinds::Kind;
use crate::run::pass::Pass;
use crate::run::types::Type;
use crate::run::wire::{Operand, Wire, array_of, join};
use crate::tape::{Claim, Hash, Op};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyTuple};
use std::sync::Arc;

/// A private input called `name`, of a kind.
#[pyfunction]
pub(crate) fn witness(py: Python<'_>, name: &str, kind: Type) -> PyResult<Wire> {
    Pass::current()?.witness(py, name, &kind.0)
}

/// Values of one kind as an array of them.
#[pyfunction]
pub(crate) fn array(py: Python<'_>, items: Vec<PyRef<'_, Wire>>) -> PyResult<Wire> {
    array_of(py, &items)
}

/// Values one after the other: strings of bytes as one, words as one, the first in the lowest bits, and
/// arrays of one kind as one.
#[pyfunction]
#[pyo3(signature = (*parts))]
pub(crate) fn concat(py: Python<'_>, parts: &Bound<'_, PyTuple>) -> PyResult<Wire> {
    let parts: Vec<PyRef<'_, Wire>> = parts.extract()?;
    let first = parts.first().ok_or_else(|| invalid("concat of nothing"))?;
    let wrong = || {
        let kinds: Vec<_> = parts.iter().map(|part| part.kind.to_string()).collect();
        PyTypeError::new_err(format!("concat of {}", kinds.join(", ")))
    };
    let mut total = 0;
    let mut of = None;
    for part in &parts {
        first.same_run(part)?;
        total += match &part.kind {
            Kind::Bytes(count) => *count,
            Kind::Bit => 1,
            Kind::Word(width) => *width,
            Kind::Array(item, count) => {
                if of.get_or_insert_with(|| item.clone()) != item {
                    return Err(wrong());
                }
                *count
            }
            _ => return Err(wrong()),
        };
    }
    let all = |is: fn(&Kind) -> bool| parts.iter().all(|part| is(&part.kind));
    let kind = match of {
        None if all(|kind| matches!(kind, Kind::Bytes(_))) => Kind::Bytes(total),
        None if all(|kind| matches!(kind, Kind::Bit | Kind::Word(_))) => {
            if total > crate::kinds::WIDEST {
                return Err(invalid(format!(
                    "a word of {total} bits: the most are {}",
                    crate::kinds::WIDEST
                )));
            }
            Kind::Word(total)
        }
        Some(of) if all(|kind| matches!(kind, Kind::Array(..))) => Kind::Array(of, total),
        _ => return Err(wrong()),
    };
    join(py, &first.pass, &parts.iter().map(|part| &**part).collect::<Vec<_>>(), kind)
}

/// `yes` where `bit` is one, `no` where it is zero; over larger fields the bit is an element, which has to be
/// zero or one.
#[pyfunction]
pub(crate) fn select(bit: PyRef<'_, Wire>, yes: &Bound<'_, PyAny>, no: &Bound<'_, PyAny>) -> PyResult<Wire> {
    let py = yes.py();
    if !matches!(bit.kind, Kind::Bit | Kind::Element) {
        return Err(PyTypeError::new_err(format!("select by {}: a Bit chooses", bit.kind)));
    }
    let of = |value: &Bound<'_, PyAny>| value.cast::<Wire>().ok().map(|wire| wire.borrow().kind.clone());
    let kind = of(yes).or_else(|| of(no)).unwrap_or_else(|| bit.kind.clone());
    let yes = Wire::exactly(&bit.pass, yes, &kind, "what is chosen by one")?;
    let no = Wire::exactly(&bit.pass, no, &kind, "what is chosen by zero")?;
    bit.pass.emit(py, kind, |out| Op::Select { out, bit: bit.id, yes: yes.id, no: no.id })
}

/// A string of bytes of any length.
fn string<'py>(value: &Bound<'py, PyAny>, what: &str) -> PyResult<Operand<'py>> {
    if let Ok(wire) = value.cast::<Wire>() {
        let wire = wire.borrow();
        if !matches!(wire.kind, Kind::Bytes(_)) {
            return Err(PyTypeError::new_err(format!("{what} is to be Bytes, and is {}", wire.kind)));
        }
        return Ok(Operand::Wire(wire));
    }
    let length = value.len()? as u32;
    Ok(Operand::Made(Pass::current()?.constant(value, &Kind::Bytes(length))?))
}

fn digest(message: &Bound<'_, PyAny>, function: Hash, length: u32) -> PyResult<Wire> {
    let (py, message) = (message.py(), string(message, "the message")?);
    message.pass.emit(py, Kind::Bytes(length), |out| Op::Hash { function, out, a: message.id, b: None })
}

/// The SHA-256 digest, 32 bytes; with `holes` it takes a quarter of the commitments where polynomials are
/// free, as by quicksilver.
#[pyfunction]
#[pyo3(signature = (message, *, holes = false))]
pub(crate) fn sha256(message: &Bound<'_, PyAny>, holes: bool) -> PyResult<Wire> {
    digest(message, if holes { Hash::Sha256Holes } else { Hash::Sha256 }, 32)
}

/// The SHA-1 digest, 20 bytes.
#[pyfunction]
pub(crate) fn sha1(message: &Bound<'_, PyAny>) -> PyResult<Wire> {
    digest(message, Hash::Sha1, 20)
}

/// The SHA3-256 digest, 32 bytes; for `holes` see `sha256`.
#[pyfunction]
#[pyo3(signature = (message, *, holes = false))]
pub(crate) fn sha3_256(message: &Bound<'_, PyAny>, holes: bool) -> PyResult<Wire> {
    digest(message, if holes { Hash::Sha3Holes } else { Hash::Sha3 }, 32)
}

/// The Keccak-256 digest, 32 bytes, as Ethereum has it.
#[pyfunction]
pub(crate) fn keccak256(message: &Bound<'_, PyAny>) -> PyResult<Wire> {
    digest(message, Hash::Keccak256, 32)
}

/// The code of a message under a key by HMAC with SHA-256, 32 bytes.
#[pyfunction]
pub(crate) fn hmac_sha256(key: &Bound<'_, PyAny>, message: &Bound<'_, PyAny>) -> PyResult<Wire> {
    let (py, key, message) = (key.py(), string(key, "the key")?, string(message, "the message")?);
    key.same_run(&message)?;
    let function = Hash::HmacSha256;
    key.pass.emit(py, Kind::Bytes(32), |out| Op::Hash { function, out, a: key.id, b: Some(message.id) })
}

/// A block of 16 bytes encrypted by AES under a key of 16.
#[pyfunction]
pub(crate) fn aes128(key: &Bound<'_, PyAny>, block: &Bound<'_, PyAny>) -> PyResult<Wire> {
    let pass = Pass::current()?;
    let key = Wire::exactly(&pass, key, &Kind::Bytes(16), "the key")?;
    let (py, block) = (block.py(), Wire::exactly(&pass, block, &Kind::Bytes(16), "the block")?);
    let function = Hash::Aes128;
    pass.emit(py, Kind::Bytes(16), |out| Op::Hash { function, out, a: key.id, b: Some(block.id) })
}

/// Demands that a bit is one; of an array, that all are.
#[pyfunction]
#[pyo3(signature = (bit, name = None))]
pub(crate) fn assert_true(py: Python<'_>, bit: PyRef<'_, Wire>, name: Option<&str>) -> PyResult<()> {
    if !matches!(bit.kind.lane(), Kind::Bit | Kind::Element) {
        return Err(PyTypeError::new_err(format!("assert_true of {}: a Bit is true", bit.kind)));
    }
    let name = bit.pass.name(py, name)?;
    bit.pass.push(py, Op::Assert { claim: Claim::True, width: 1, a: bit.id, b: bit.id, name })
}

/// Demands that two values are the same. Either may be public.
#[pyfunction]
#[pyo3(signature = (a, b, name = None))]
pub(crate) fn assert_equal(a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>, name: Option<&str>) -> PyResult<()> {
    let py = a.py();
    let (wire, other) = match (a.cast::<Wire>(), b.cast::<Wire>()) {
        (Ok(wire), _) => (wire.borrow(), b),
        (_, Ok(wire)) => (wire.borrow(), a),
        _ => return Err(PyTypeError::new_err("assert_equal of two public values: compare them by ==")),
    };
    let lane = wire.kind.lane();
    // A number of Python is one of each lane.
    let kind = if other.is_instance_of::<PyInt>() { &lane } else { &wire.kind };
    let other = Wire::exactly(&wire.pass, other, kind, "what it is to equal")?;
    let name = wire.pass.name(py, name)?;
    let width = lane.size();
    wire.pass.push(py, Op::Assert { claim: Claim::Equal, width, a: wire.id, b: other.id, name })
}

/// Demands that an element is not zero; of an array, that none is.
#[pyfunction]
#[pyo3(signature = (element, name = None))]
pub(crate) fn assert_not_zero(py: Python<'_>, element: PyRef<'_, Wire>, name: Option<&str>) -> PyResult<()> {
    if element.kind.lane() != Kind::Element {
        return Err(PyTypeError::new_err(format!(
            "assert_not_zero of {}: write x != 0 of words",
            element.kind
        )));
    }
    let name = element.pass.name(py, name)?;
    let claim = Claim::NotZero;
    element.pass.push(py, Op::Assert { claim, width: 1, a: element.id, b: element.id, name })
}

/// Demands that an element is a number below 2^bits; of an array, that all are, which costs less each.
#[pyfunction]
#[pyo3(signature = (element, bits, name = None))]
pub(crate) fn assert_range(
    py: Python<'_>,
    element: PyRef<'_, Wire>,
    bits: u32,
    name: Option<&str>,
) -> PyResult<()> {
    let facts = element.pass.facts;
    if element.kind.lane() != Kind::Element || !facts.prime {
        return Err(PyTypeError::new_err(format!(
            "assert_range of {} over {}: elements of a prime field are numbers; compare words by <",
            element.kind, facts.name
        )));
    }
    if bits == 0 || bits >= 128 || 1 << bits > facts.largest {
        return Err(invalid(format!(
            "a range of {bits} bits: numbers of {} go to {}",
            facts.name, facts.largest
        )));
    }
    let name = element.pass.name(py, name)?;
    element.pass.push(py, Op::Assert { claim: Claim::Range, width: 1, a: element.id, b: bits, name })
}

/// Demands that two arrays hold the same items, in whichever order.
#[pyfunction]
#[pyo3(signature = (a, b, name = None))]
pub(crate) fn assert_permutation(
    py: Python<'_>,
    a: PyRef<'_, Wire>,
    b: PyRef<'_, Wire>,
    name: Option<&str>,
) -> PyResult<()> {
    a.same_run(&b)?;
    let item = match (&a.kind, &b.kind) {
        (Kind::Array(x, _), y) if a.kind == *y => Arc::clone(x),
        (x, y) => return Err(PyTypeError::new_err(format!("assert_permutation of {x} and {y}"))),
    };
    let name = a.pass.name(py, name)?;
    a.pass.push(py, Op::Permutation { a: a.id, b: b.id, width: item.size(), name })
}
