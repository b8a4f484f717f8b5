//! Programs with assertions, written almost as in C: the statement "somebody knows an input
//! that breaks this code".
//!
//! A [`Code`] takes one statement after the other and keeps what C leaves implicit: which statements are
//! *active*, that is, run on the secret input at all, and whether an active assertion has failed.
//! Branches and loops run for both parties whatever the input; where they are inactive, they change no
//! variable and fail no assertion.
//!
//! ```
//! # use volery_gadgets::testing::volery;
//! use volery::circuit::Backend;
//! use volery::circuit::code::{Code, Pointer, string::strlen};
//! use volery_primitives::F2;
//!
//! /// `char last(const char *s) { return s[strlen(s) - 1]; }`
//! fn last<'c, B: Backend<F = F2>>(code: &'c Code<B>, s: &Pointer<'c, B, 8>) {
//!     let c = s.at(strlen(s) - 1);
//!     code.assert(c.ne('/'), "no path ends with a slash");
//! }
//! ```
//! This breaks for `"tmp/"`, under the name that it gives, and for `""`, under `s: index within its bounds`.
//!
//! # What is asserted
//! - Each read and write through a pointer: 0 ≤ index < length, and that the memory is not freed.
//! - Each `/` and `%`: that the divisor is not zero.
//! - Signed `+`, `-`, `*`, `/`, `%` and negation: that they do not overflow, where [`Code::with_overflow`]
//!   asks for it; they wrap otherwise, as compilers do under `-fwrapv`, since the check more than doubles the
//!   price of a product.
//! - What [`Code::assert`] says.
//!
//! # Bounds
//! Loops and `malloc` have public bounds. A run that goes beyond one *ends* there: what follows is
//! inactive, so that it fails no assertion. The statement speaks of runs within the bounds, and never
//! calls a bug what is none.
//!
//! # Types
//! Those of a 64-bit Unix: [`Char`] of 8 bits, unsigned as on ARM, [`Int`] of 32, [`Size`] of 64,
//! and pointers of 8 bytes. Memory that was never written reads as zero. A pointer points into
//! one array all its life.

mod assertion;
mod boolean;
mod control;
mod integer;
#[cfg(test)]
mod interpreter;
mod memory;
mod pointer;
pub mod string;
#[cfg(test)]
mod tests;
mod variable;

pub use assertion::{Assertions, Outcome};
pub use boolean::Bool;
pub use control::Function;
pub use integer::{Char, Int, Integer, Operand, Signed, Size, Unsigned};
pub use pointer::{Offset, Pointer, sizeof};
pub use variable::{Value, Var};

use super::gadget::{Bit, Word};
use control::Level;
use core::cell::RefCell;
use volery_channel::error::{Error, Result};
use volery_circuit::{Backend, Wires};
use volery_primitives::F2;

/// A program on its way into a backend: see the [module](self).
///
/// Values borrow it, so that `x + 1` reads as in C. The first error of the backend is kept for
/// [`Code::finish`]; after it nothing more is pushed.
pub struct Code<B: Backend> {
    state: RefCell<CodeState<B>>,
    overflow: bool,
}

struct CodeState<B: Backend> {
    backend: B,
    error: Option<Error>,
    /// The open blocks, from the program itself to the innermost, each with its activity, within that of the
    /// one before.
    levels: Vec<(Level, Bit<B::Wire>)>,
    failed: Bit<B::Wire>,
    assertions: Assertions,
}

impl<'b, B: Backend<F = F2>> Code<&'b mut B> {
    /// Pushes `program` into `b`, and gives whether one of its assertions fails. Neither is asserted: this
    /// may be one clause of many.
    ///
    /// # Errors
    /// Those of the backend; `Invalid` for a program that makes no sense, such as a
    /// `break_` outside of a loop.
    pub fn run(b: &'b mut B, program: impl FnOnce(&Self)) -> Result<Outcome<B::Wire>> {
        let code = Self::new(b);
        program(&code);
        code.finish()
    }
}

impl<B: Backend<F = F2>> Code<B> {
    /// An empty program for `backend`, whose signed integers wrap.
    pub fn new(backend: B) -> Self {
        let state = CodeState {
            backend,
            error: None,
            levels: vec![(Level::Program, Bit::Public(true))],
            failed: Bit::Public(false),
            assertions: Assertions::default(),
        };
        Self { state: RefCell::new(state), overflow: false }
    }

    /// A program whose signed integers must not overflow.
    pub fn with_overflow(backend: B) -> Self {
        Self { overflow: true, ..Self::new(backend) }
    }

    /// Ends the program.
    ///
    /// # Errors
    /// The first that was met: see [`Code::run`].
    pub fn finish(self) -> Result<Outcome<B::Wire>> {
        let CodeState { error, failed, assertions, .. } = self.state.into_inner();
        match error {
            Some(error) => Err(error),
            None => Ok(Outcome { failed, assertions }),
        }
    }

    /// Demands that `holds` wherever this is active. `name` says what is demanded.
    pub fn assert(&self, holds: Bool<'_, B>, name: &str) {
        self.demand(holds.bit, name);
    }

    /// Whether an active assertion has failed so far.
    pub fn failed(&self) -> Bool<'_, B> {
        Bool { code: self, bit: self.state.borrow().failed }
    }

    /// The public number `value`, wrapped to N bits.
    pub fn number<const N: usize, const SIGNED: bool>(&self, value: i128) -> Integer<'_, B, N, SIGNED> {
        Integer { code: self, word: *super::gadget::Signed::public(value).word() }
    }

    /// A C `int`.
    pub fn int(&self, value: i128) -> Int<'_, B> {
        self.number(value)
    }

    /// A C `size_t`.
    pub fn size(&self, value: i128) -> Size<'_, B> {
        self.number(value)
    }

    /// A C `char`, of the lowest eight bits of `value`.
    pub fn char(&self, value: char) -> Char<'_, B> {
        self.number(u32::from(value).into())
    }

    /// A C `bool`.
    pub fn bool(&self, value: bool) -> Bool<'_, B> {
        Bool { code: self, bit: Bit::Public(value) }
    }

    /// The number that `word` carries.
    pub fn word<const N: usize, const SIGNED: bool>(
        &self,
        word: Word<B::Wire, N>,
    ) -> Integer<'_, B, N, SIGNED> {
        Integer { code: self, word }
    }

    /// A variable that starts as `value`.
    pub fn var<'c, T: Value<'c, B>>(&'c self, value: T) -> Var<'c, B, T> {
        Var::new(self, value)
    }

    /// Whether the assertion `name` holds, and if not, that it failed where this is active.
    fn demand(&self, holds: Bit<B::Wire>, name: &str) {
        let active = self.active();
        if matches!(holds, Bit::Public(true)) || matches!(active, Bit::Public(false)) {
            return;
        }
        let failed = self.failed().bit;
        let failed = self.gates(failed, |b| {
            let fails = holds.not(b).and(b, active)?;
            failed.or(b, fails)
        });
        let mut state = self.state.borrow_mut();
        state.failed = failed;
        state.assertions.record(name, 1);
    }

    /// The result of `gates`, or `otherwise` where there has been an error.
    fn gates<T: Wires<B::Wire>>(&self, otherwise: T, gates: impl FnOnce(&mut B) -> Result<T>) -> T {
        let state = &mut *self.state.borrow_mut();
        if state.error.is_some() {
            return otherwise;
        }
        state.backend.scope(gates).unwrap_or_else(|error| {
            state.error = Some(error);
            otherwise
        })
    }

    /// Keeps the error of a program that makes no sense.
    fn refuse(&self, why: String) {
        self.state.borrow_mut().error.get_or_insert(Error::invalid(why));
    }
}
