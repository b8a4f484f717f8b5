//! Gate lines: `inputs outputs wire… NAME`.

use super::cursor::{Cursor, Fault, Quoted};
use super::wires::{Misuse, Wires};
use super::{Dialect, LinePlace};
use volery_channel::error::{Error, Result};
use volery_circuit::Backend;
use volery_primitives::{F2, Field};

/// Reads gate lines, and pushes each gate as soon as it is read.
pub(super) struct Gates<'a, B: Backend<F = F2>> {
    backend: &'a mut B,
    wires: Wires<B::Wire>,
    dialect: Dialect,
    file: &'a str,
    /// The constant one, once an `INV` has asked for it.
    one: Option<B::Wire>,
    /// The wires of a line with an unusual number of them, which is `MAND`.
    many: Vec<u64>,
}

impl<'a, B: Backend<F = F2>> Gates<'a, B> {
    pub(super) fn new(backend: &'a mut B, wires: Wires<B::Wire>, dialect: Dialect, file: &'a str) -> Self {
        Self { backend, wires, dialect, file, one: None, many: Vec::new() }
    }

    /// Reads the line under the cursor, and moves to the next.
    ///
    /// # Errors
    /// `Invalid` with the line number where the line is malformed; those of the backend, unchanged.
    #[inline(always)]
    pub(super) fn line(&mut self, cursor: &mut Cursor<'_>) -> Result<()> {
        let place = LinePlace { file: self.file, line: cursor.line() };
        let inputs = number(cursor, place)?;
        let outputs = number(cursor, place)?;
        match (inputs, outputs) {
            (2, 1) => {
                let (a, b) = (number(cursor, place)?, number(cursor, place)?);
                let out = number(cursor, place)?;
                match cursor.word() {
                    b"XOR" => {
                        let (a, b) = (self.get(a, place)?, self.get(b, place)?);
                        let sum = self.backend.add(a, b);
                        self.put(out, sum, place)?;
                    }
                    b"AND" => self.and(a, b, out, place)?,
                    b"MAND" if self.dialect == Dialect::Fashion => self.and(a, b, out, place)?,
                    name => return Err(self.misnamed(name, inputs, outputs, place)),
                }
            }
            (1, 1) => {
                let (a, out) = (number(cursor, place)?, number(cursor, place)?);
                let value = match cursor.word() {
                    b"INV" => {
                        let a = self.get(a, place)?;
                        let one = *self.one.get_or_insert_with(|| self.backend.constant(F2::ONE));
                        self.backend.add(a, one)
                    }
                    b"EQW" if self.dialect == Dialect::Fashion => self.get(a, place)?,
                    b"EQ" if self.dialect == Dialect::Fashion => {
                        let constant = F2::from_word(a.into()).ok_or_else(|| {
                            place.invalid(format_args!(
                                "EQ takes the constant 0 or 1, not {a} (EQW copies a wire)"
                            ))
                        })?;
                        self.backend.constant(constant)
                    }
                    name => return Err(self.misnamed(name, inputs, outputs, place)),
                };
                self.put(out, value, place)?;
            }
            _ => self.unusual(inputs, outputs, cursor, place)?,
        }
        if !cursor.end_line() {
            let word = Quoted(cursor.word());
            return Err(place.invalid(format_args!("{word} stands after the gate: write one gate to a line")));
        }
        Ok(())
    }

    /// The value of an output wire.
    ///
    /// # Errors
    /// `Invalid` where no gate has set it.
    pub(super) fn output(&self, wire: u64) -> Result<B::Wire> {
        self.wires.get(wire).map_err(|_| {
            Error::invalid(format!("{}: no gate sets output wire {wire}: add the gate that does", self.file))
        })
    }

    /// The backend, for what follows the gates.
    pub(super) fn backend(&mut self) -> &mut B {
        self.backend
    }

    #[inline(always)]
    fn and(&mut self, a: u64, b: u64, out: u64, place: LinePlace<'_>) -> Result<()> {
        let (a, b) = (self.get(a, place)?, self.get(b, place)?);
        let product = self.backend.mul(a, b)?;
        self.put(out, product, place)
    }

    /// A line that is not of two inputs or one, and one output: `MAND`, or an error.
    #[cold]
    fn unusual(
        &mut self,
        inputs: u64,
        outputs: u64,
        cursor: &mut Cursor<'_>,
        place: LinePlace<'_>,
    ) -> Result<()> {
        let mut many = std::mem::take(&mut self.many);
        many.clear();
        for _ in 0..inputs.saturating_add(outputs) {
            // A line that announces more wires than it has ends this loop: nothing is reserved on its word.
            many.push(number(cursor, place)?);
        }
        let name = cursor.word();
        if name != b"MAND" || self.dialect == Dialect::Old {
            return Err(self.misnamed(name, inputs, outputs, place));
        }
        if outputs == 0 || outputs.checked_mul(2) != Some(inputs) {
            return Err(place.invalid(format_args!(
                "MAND takes 2n inputs and gives n outputs, not {inputs} and {outputs}"
            )));
        }
        let (operands, results) = many.split_at(inputs as usize);
        let (left, right) = operands.split_at(results.len());
        // The products are taken side by side: none may read what another sets.
        for &wire in operands {
            self.get(wire, place)?;
        }
        for ((&a, &b), &out) in left.iter().zip(right).zip(results) {
            self.and(a, b, out, place)?;
        }
        self.many = many;
        Ok(())
    }

    /// The error of a gate that does not exist, or not with these numbers of inputs and outputs.
    #[cold]
    fn misnamed(&self, name: &[u8], inputs: u64, outputs: u64, place: LinePlace<'_>) -> Error {
        let (known, dialect): (&[(&str, u64)], _) = match self.dialect {
            Dialect::Fashion => {
                (&[("XOR", 2), ("AND", 2), ("INV", 1), ("EQ", 1), ("EQW", 1), ("MAND", 2)], "Bristol Fashion")
            }
            Dialect::Old => (&[("XOR", 2), ("AND", 2), ("INV", 1)], "the old Bristol format"),
        };
        if name.is_empty() {
            return place
                .invalid("the line ends where the name of the gate should stand: is the file truncated?");
        }
        if name[0].is_ascii_digit() {
            return place.invalid(format_args!(
                "more wires stand here than the {inputs} inputs and {outputs} outputs that the line announces"
            ));
        }
        match known.iter().find(|(known, _)| known.as_bytes() == name) {
            Some((name, arity)) => place.invalid(format_args!(
                "{name} takes {arity} input{} and gives 1 output, not {inputs} and {outputs}",
                if *arity == 1 { "" } else { "s" }
            )),
            None => {
                let names: Vec<_> = known.iter().map(|(name, _)| *name).collect();
                place.invalid(format_args!(
                    "unknown gate {}: {dialect} has {}",
                    Quoted(name),
                    names.join(", ")
                ))
            }
        }
    }

    #[inline(always)]
    fn get(&self, wire: u64, place: LinePlace<'_>) -> Result<B::Wire> {
        self.wires.get(wire).map_err(|why| misuse(why, wire, place))
    }

    #[inline(always)]
    fn put(&mut self, wire: u64, value: B::Wire, place: LinePlace<'_>) -> Result<()> {
        self.wires.put(wire, value).map_err(|why| misuse(why, wire, place))
    }
}

#[inline(always)]
fn number(cursor: &mut Cursor<'_>, place: LinePlace<'_>) -> Result<u64> {
    cursor.number().map_err(|fault| misread(fault, cursor, place))
}

#[cold]
fn misread(fault: Fault, cursor: &mut Cursor<'_>, place: LinePlace<'_>) -> Error {
    let word = Quoted(cursor.word());
    match fault {
        Fault::LineEnds => place.invalid(
            "the line ends too early: write the numbers of inputs and outputs, then all their wires, then the name",
        ),
        Fault::NotANumber => place.invalid(format_args!(
            "{word} stands where a number should: write the numbers of inputs and outputs, then all their wires, \
             then the name"
        )),
        Fault::TooLarge => place.invalid(format_args!("{word} is too large for a number of wires")),
    }
}

#[cold]
fn misuse(why: Misuse, wire: u64, place: LinePlace<'_>) -> Error {
    match why {
        Misuse::OutOfRange => place.invalid(format_args!(
            "wire {wire} is out of range: the first line announces fewer wires (they count from 0)"
        )),
        Misuse::Unset => place.invalid(format_args!(
            "wire {wire} is used before it is set: sort the gates so that each stands after its inputs"
        )),
        Misuse::SetTwice => place.invalid(format_args!(
            "wire {wire} is set twice: give each gate, and no input, a wire of its own"
        )),
    }
}
