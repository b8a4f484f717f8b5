//! Operations, in batches, from the thread that runs a Python function to the one that proves.
//!
//! A value is named by a number, which is given again once the value has died. Both threads see the same
//! operations in the same order, so that a number means the same to both.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Operations of a batch.
pub(crate) const BATCH: usize = 2048;
/// Batches that wait at most.
const WAITING: usize = 4;

/// The name of a value.
pub(crate) type Id = u32;

/// An operation. Widths are those of a lane: operators apply lane by lane, and a value of one lane goes with
/// values of any number.
#[derive(Clone)]
pub(crate) enum Op {
    /// Elements from `start` on, of those that come in to this shard.
    Incoming { out: Id, start: u32, count: u32 },
    /// Values that go out of this shard, one after the other.
    Outgoing { parts: Box<[Id]> },
    /// Elements of the witness.
    Witness { out: Id, count: u32 },
    /// A public number in one lane.
    Number { out: Id, value: u128, width: u32 },
    /// Public numbers, a lane each.
    Numbers { out: Id, values: Box<[u128]>, width: u32 },
    /// An operation on two values.
    Binary { operator: Binary, width: u32, out: Id, a: Id, b: Id },
    /// An operation on one value, and a public number.
    Unary { operator: Unary, width: u32, out: Id, a: Id, by: u32 },
    /// `yes` where the bit is one, `no` where it is zero.
    Select { out: Id, bit: Id, yes: Id, no: Id },
    /// Elements `start`, `start + step`, …: `count` runs of `width` each.
    Slice { out: Id, a: Id, start: u32, step: i32, count: u32, width: u32 },
    /// The concatenation of values.
    Concat { out: Id, parts: Box<[Id]> },
    /// A digest, a code or a ciphertext of strings of bytes.
    Hash { function: Hash, out: Id, a: Id, b: Option<Id> },
    /// The sum of all lanes.
    Sum { out: Id, a: Id, width: u32 },
    /// `Σ a[i]·b[i]` of elements.
    Dot { out: Id, a: Id, b: Id },
    /// The product of a public matrix, row by row, and a vector of elements.
    Matrix { out: Id, matrix: Box<[u128]>, a: Id },
    /// The lowest bits of an element, which has no others.
    Bits { out: Id, a: Id, count: u32, name: Name },
    /// The lane at a secret index.
    Pick { out: Id, a: Id, index: Id, width: u32, name: Name },
    /// An assertion that `a`, or the rest of it after `b`, is zero.
    Assert { claim: Claim, width: u32, a: Id, b: Id, name: Name },
    /// A memory of `count` cells, of `cells` or of zeroes.
    Memory { memory: Id, cells: Option<Id>, count: u32, width: u32 },
    /// A read, or a write of `word`, everywhere or where `bit` is one.
    Access { memory: Id, out: Id, address: Id, word: Option<Id>, bit: Option<Id>, name: Name },
    /// A table of rows, a key and a value each.
    Table { table: Id, key: u32, value: u32, rows: Box<[u128]> },
    /// The value of a key.
    LookUp { table: Id, out: Id, key: Id, name: Name },
    /// An assertion that two values are equal but for the order of their lanes.
    Permutation { a: Id, b: Id, width: u32, name: Name },
    /// The begin of a function on lanes, of which these are the arguments. What follows it does in one lane.
    OpenMap { lanes: u32, arguments: Box<[Mapped]> },
    /// The end of the function, and its results.
    CloseMap { results: Box<[Mapped]> },
    /// The end of a function that has failed: it is not called.
    DropMap,
    /// A value that nobody has any more.
    Drop { id: Id },
    /// A memory that nobody has any more.
    Close { memory: Id },
}

/// A value of so many elements in each lane.
#[derive(Clone, Copy)]
pub(crate) struct Mapped {
    /// The array of those of all lanes.
    pub(crate) all: Id,
    /// The value as the function has it.
    pub(crate) one: Id,
    pub(crate) size: u32,
}

/// Operators of two values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Binary {
    Add,
    Sub,
    Mul,
    And,
    Or,
    Xor,
    Equal,
    Less,
    AtMost,
    /// Less, as signed numbers.
    Below,
    /// Less or equal, as signed numbers.
    NotAbove,
    Quotient,
    Remainder,
    ShiftLeft,
    ShiftRight,
    /// A shift to the right with the sign moving in.
    ShiftSigned,
    RotateLeft,
    RotateRight,
    /// The quotient of elements; demands that the divisor is not zero.
    Divide,
}

/// Operators of one value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unary {
    Not,
    Negate,
    ShiftLeft,
    ShiftRight,
    ShiftSigned,
    RotateLeft,
    /// A number of `by` bits, with zeroes above.
    Widen,
    /// A number of `by` bits, with the sign above.
    WidenSigned,
    Power,
    /// The inverse of an element; demands that it is not zero.
    Invert,
}

/// Functions of strings of bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Hash {
    Sha256,
    /// SHA-256 with holes, which takes fewer commitments.
    Sha256Holes,
    Sha1,
    Sha3,
    Sha3Holes,
    Keccak256,
    /// HMAC of a key and a message, with SHA-256.
    HmacSha256,
    /// AES-128 of a key and a block.
    Aes128,
}

/// The property of two values, or one, that is asserted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Claim {
    /// Equality of both.
    Equal,
    /// The first is all ones.
    True,
    /// The first is not zero, an element.
    NotZero,
    /// The first is below 2^b, where `b` is a number and no value.
    Range,
}

/// The name of an assertion, and where it was made: in which shard, where the statement falls into some.
#[derive(Clone)]
pub(crate) struct Name {
    /// `None` where the user gave none.
    pub(crate) text: Option<Arc<str>>,
    pub(crate) file: Arc<str>,
    pub(crate) line: u32,
    pub(crate) shard: Option<usize>,
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text.as_deref().unwrap_or("the assertion"))
    }
}

/// An assertion that has failed.
#[derive(Clone)]
pub(crate) struct Failed {
    pub(crate) name: Name,
    /// The lanes that it was made in, where functions on lanes were open: the outermost first.
    pub(crate) lanes: Vec<usize>,
}

/// A run of a function on its way: batches of operations, and its end.
#[derive(Default)]
pub(crate) struct Tape {
    state: Mutex<TapeState>,
    changed: Condvar,
}

#[derive(Default)]
struct TapeState {
    batches: VecDeque<Vec<Op>>,
    /// Whether all was written, or why not.
    written: Option<Result<(), ()>>,
    /// Whether nobody reads on.
    closed: bool,
}

/// The error where nobody reads on.
#[derive(Debug)]
pub(crate) struct Closed;

impl Tape {
    fn state(&self) -> MutexGuard<'_, TapeState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes a batch, unless `patience` is over before there is room: then it comes back.
    ///
    /// # Errors
    /// Where nobody reads on.
    pub(crate) fn write(&self, batch: Vec<Op>, patience: Duration) -> Result<Option<Vec<Op>>, Closed> {
        let full = |state: &mut TapeState| state.batches.len() >= WAITING && !state.closed;
        let waited = self.changed.wait_timeout_while(self.state(), patience, full);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if state.closed {
            return Err(Closed);
        }
        if state.batches.len() >= WAITING {
            return Ok(Some(batch));
        }
        state.batches.push_back(batch);
        self.changed.notify_all();
        Ok(None)
    }

    /// Ends the run, whole or in an error.
    pub(crate) fn end(&self, how: Result<(), ()>) {
        self.state().written.get_or_insert(how);
        self.changed.notify_all();
    }

    /// Waits for the next batch; there is none behind the last.
    ///
    /// # Errors
    /// Where the run ended in an error, or was closed.
    pub(crate) fn read(&self) -> Result<Option<Vec<Op>>, ()> {
        let waits =
            |state: &mut TapeState| state.batches.is_empty() && state.written.is_none() && !state.closed;
        let mut state = self.changed.wait_while(self.state(), waits).unwrap_or_else(PoisonError::into_inner);
        if state.closed || state.written == Some(Err(())) {
            return Err(());
        }
        let batch = state.batches.pop_front();
        self.changed.notify_all();
        Ok(batch)
    }

    /// Says that nobody reads on.
    pub(crate) fn close(&self) {
        self.state().closed = true;
        self.changed.notify_all();
    }
}
